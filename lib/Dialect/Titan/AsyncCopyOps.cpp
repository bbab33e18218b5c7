//===- AsyncCopyOps.cpp - copies that threads issue, their groups ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/Titan.h"

using namespace mlir;
using namespace titan;
using namespace titan::effect;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

RankedTensorType CpAsyncOp::getTileType() {
  auto index = cast<RankedTensorType>(getIndices().front().getType());
  return RankedTensorType::get(index.getShape(),
                               getBuffer().getType().getElementType(),
                               index.getEncoding());
}

int64_t CpAsyncOp::getChunk() {
  return getBytes() / getBuffer().getType().getElementBytes();
}

LogicalResult CpAsyncOp::verify() {
  SharedType buffer = getBuffer().getType();
  int64_t bytes = getBytes(), element = buffer.getElementBytes();
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return emitOpError("[cp-async-size] a thread copies 4, 8 or 16 bytes, not ")
           << bytes << " (PTX ISA, cp.async)";
  if (getCg() && bytes != 16)
    return emitOpError("[cp-async-size] `cg` copies 16 bytes, not ")
           << bytes << " (PTX ISA, cp.async)";
  if (int64_t alignment = getAddressAlignment(getTensor());
      alignment && alignment < bytes)
    return withFix(emitOpError("[tensor-at] copies ")
                       << bytes << " bytes at once from an address of which "
                       << "no more is promised than that it is a multiple of "
                       << alignment << " (PTX ISA, cp.async)",
                   "align(" + std::to_string(bytes) +
                       ") of its titan.tensor_at, or fewer bytes at once");
  if (buffer.getCluster())
    return emitOpError("[cp-async-remote] the destination is the executing "
                       "CTA's shared memory (PTX ISA, cp.async)");
  if (buffer.getSlots() != 1)
    return emitOpError("[shared-ring] the buffer is a ring: take a slot first");
  if (getIndices().empty())
    return emitOpError("[global-rank] a tensor of rank ")
           << getTensor().getType().getRank()
           << " needs as many index tensors, not 0";
  RankedTensorType tile = getTileType();
  if (failed(verifyElements(*this, tile, getTensor().getType(), getIndices(),
                            getMask())))
    return failure();
  if (tile.getShape() != buffer.getShape())
    return emitOpError("[shared-tile-type] the tile is ")
           << tile << ", the buffer " << buffer
           << ": shapes and element types must agree";
  int64_t run = getTileLayout(tile)->alignedRun(tile.getRank() - 1);
  if (bytes < element || run % getChunk() ||
      tile.getShape().back() % getChunk()) {
    InFlightDiagnostic error =
        emitOpError("[cp-async-layout] ")
        << bytes << " bytes are copied at a time, and the layout gives each "
        << "thread " << run << " consecutive elements of " << element
        << " bytes along the last dimension, of which there are "
        << tile.getShape().back();
    int64_t fits = 0;
    for (int64_t size : {4, 8, 16})
      if (size >= element && run % (size / element) == 0 &&
          tile.getShape().back() % (size / element) == 0)
        fits = size;
    std::string wanted = std::to_string(std::max<int64_t>(1, bytes / element)),
                layout = "a layout whose registers begin with " + wanted +
                         " elements of a row (elements = [.., " + wanted + "])";
    if (fits && !getCg()) // `cg` has one size.
      error.attachNote() << "fix: bytes(" << fits << "), or " << layout;
    else
      error.attachNote() << "fix: choose " << layout;
    return error;
  }
  return success();
}

void CpAsyncOp::getHardwareEffects(EffectList &effects) {
  RankedTensorType tile = getTileType();
  effects.add(Access{.kind = AccessKind::Read,
                     .proxy = Proxy::AsyncGeneric,
                     .mechanism = Mechanism::AsyncGroup,
                     .bytes = elementsOf(getTensor(), tile, getIndices(),
                                         getMask(), getChunk())},
              "PTX ISA, cp.async");
  effects.add(Access{.kind = AccessKind::Write,
                     .proxy = Proxy::AsyncGeneric,
                     .mechanism = Mechanism::AsyncGroup,
                     .bytes = tileOf(getBuffer(), tile)},
              "PTX ISA, cp.async");
}
Cardinality CpAsyncOp::getCardinality() { return Cardinality::Tile; }

//===----------------------------------------------------------------------===//
// Groups: of the executing thread
//===----------------------------------------------------------------------===//

LogicalResult CpAsyncCommitOp::verify() {
  return verifyToken(*this, getToken().getType(), TokenKind::Async);
}
void CpAsyncCommitOp::getHardwareEffects(EffectList &effects) {
  effects.add(CommitGroup{Mechanism::AsyncGroup, getToken()},
              "PTX ISA, cp.async.commit_group");
}
Cardinality CpAsyncCommitOp::getCardinality() {
  return Cardinality::EveryThread;
}

LogicalResult CpAsyncWaitOp::verify() {
  return verifyToken(*this, getToken().getType(), TokenKind::Async);
}
void CpAsyncWaitOp::getHardwareEffects(EffectList &effects) {
  effects.add(
      WaitGroup{.mechanism = Mechanism::AsyncGroup, .token = getToken()},
      "PTX ISA, cp.async.wait_group");
}
Cardinality CpAsyncWaitOp::getCardinality() { return Cardinality::EveryThread; }

LogicalResult CpAsyncWaitGroupOp::verify() {
  if (getPending() > INT32_MAX)
    return emitOpError(
        "[group-pending] the number of pending groups is 0 to 2^31 - 1");
  return success();
}
void CpAsyncWaitGroupOp::getHardwareEffects(EffectList &effects) {
  effects.add(WaitGroup{.mechanism = Mechanism::AsyncGroup,
                        .pending = static_cast<int64_t>(getPending())},
              "PTX ISA, cp.async.wait_group");
}
Cardinality CpAsyncWaitGroupOp::getCardinality() {
  return Cardinality::EveryThread;
}

LogicalResult CpAsyncMBarrierArriveOp::verify() {
  if (getBarrier().getType().getCluster())
    return emitOpError("[barrier-remote] not possible on a peer CTA's barrier "
                       "(PTX ISA, cp.async.mbarrier.arrive: shared::cta)");
  return verifySlot(*this, getBarrier(), getIndex());
}
void CpAsyncMBarrierArriveOp::getHardwareEffects(EffectList &effects) {
  effects.add(Arrive{.barrier = barrierOf(getBarrier(), getIndex()),
                     .sem = Sem::Relaxed,
                     .after = Mechanism::AsyncGroup,
                     .increments = !getNoinc()},
              "PTX ISA, cp.async.mbarrier.arrive");
}
Cardinality CpAsyncMBarrierArriveOp::getCardinality() {
  return Cardinality::EveryThread;
}
