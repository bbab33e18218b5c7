//===- AsyncStoreOps.cpp - stores to a peer that tell its mbarrier ---------===//
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

LogicalResult titan::verifyPeer(Operation *op, TypedValue<SharedType> target,
                                TypedValue<MBarrierType> barrier, Value index) {
  if (!target.getType().getCluster() || !barrier.getType().getCluster())
    return op->emitOpError("[peer-place] the destination and its barrier are a "
                           "peer CTA's: reach both by titan.map_rank");
  if (target.getType().getSlots() != 1)
    return op->emitOpError(
        "[shared-ring] the buffer is a ring: take a slot first");
  Value data = getMappedRank(target), signal = getMappedRank(barrier);
  auto a = getConstant(data), b = getConstant(signal);
  if (data && signal && data != signal && a && b && *a != *b) {
    return op->emitOpError("[peer-place] the destination is in CTA ")
           << *a << " of the cluster, and its barrier in CTA " << *b;
  }
  return verifySlot(op, barrier, index);
}

bool titan::hasSharedReduction(AtomicOp op, Type type) {
  switch (op) {
  case AtomicOp::Add:
    return type.isInteger(32) || type.isInteger(64);
  case AtomicOp::Exch:
  case AtomicOp::MinU:
  case AtomicOp::MaxU:
    return false;
  default:
    return type.isInteger(32);
  }
}

static LogicalResult verifyStore(Operation *op, RankedTensorType tile,
                                 TypedValue<SharedType> target,
                                 TypedValue<MBarrierType> barrier,
                                 Value index) {
  if (failed(verifyTileType(op, tile)) ||
      failed(verifyPeer(op, target, barrier, index)))
    return failure();
  SharedType buffer = target.getType();
  if (tile.getShape() != buffer.getShape() ||
      tile.getElementType() != buffer.getElementType())
    return op->emitOpError("[shared-tile-type] the tile is ")
           << tile << ", the buffer " << buffer
           << ": shapes and element types must agree";
  int64_t bytes = buffer.getElementBytes(), least = 4 / bytes;
  int64_t run = getTileLayout(tile)->alignedRun(tile.getRank() - 1);
  if (least > 1 && (run % least || tile.getShape().back() % least)) {
    InFlightDiagnostic error =
        op->emitOpError("[st-async-layout] a thread stores 4 bytes at least, "
                        "and the layout gives it ")
        << run << " consecutive elements of " << bytes
        << " bytes along the last dimension, of which there are "
        << tile.getShape().back();
    error.attachNote() << "fix: choose a layout whose registers begin with "
                       << least << " elements of a row";
    return error;
  }
  return success();
}

static void storeEffects(EffectList &effects, RankedTensorType tile,
                         Value target, Value barrier, Value index, Sem sem,
                         std::optional<Reduction> reduction,
                         const char *source) {
  Footprint bytes = tileOf(target, tile);
  bytes.ctas.peer = reduction.has_value();
  effects.add(
      Access{.kind = reduction ? AccessKind::Reduction : AccessKind::Write,
             .proxy = Proxy::AsyncGeneric,
             .mechanism = Mechanism::Phase,
             .bytes = bytes,
             .sem = sem,
             .scope = Scope::Cluster,
             .reduction = reduction},
      source);
  effects.add(CompleteTx{.barrier = barrierOf(barrier, index),
                         .bytes = effect::Expr::constant(
                             getElementBytes(tile.getElementType())),
                         .tile = tile},
              source);
}

LogicalResult StAsyncOp::verify() {
  return verifyStore(*this, getTile().getType(), getTarget(), getBarrier(),
                     getIndex());
}
void StAsyncOp::getHardwareEffects(EffectList &effects) {
  storeEffects(effects, getTile().getType(), getTarget(), getBarrier(),
               getIndex(), Sem::Weak, std::nullopt, "PTX ISA, st.async");
}
Cardinality StAsyncOp::getCardinality() { return Cardinality::Tile; }

LogicalResult RedAsyncOp::verify() {
  if (Type type = getTile().getType().getElementType();
      !hasSharedReduction(getOp(), type))
    return emitOpError("[bulk-reduce-type] no reduction '")
           << stringifyAtomicOp(getOp()) << "' of " << type
           << " in shared memory (PTX ISA, red.async)";
  return verifyStore(*this, getTile().getType(), getTarget(), getBarrier(),
                     getIndex());
}
void RedAsyncOp::getHardwareEffects(EffectList &effects) {
  storeEffects(effects, getTile().getType(), getTarget(), getBarrier(),
               getIndex(), Sem::Relaxed,
               Reduction{getOp(), getTile().getType().getElementType()},
               "PTX ISA, red.async");
}
Cardinality RedAsyncOp::getCardinality() { return Cardinality::Tile; }
