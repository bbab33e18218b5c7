//===- MmaOps.cpp - asynchronous matrix products --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Layout/Hardware.h"

using namespace mlir;
using namespace titan;
using namespace titan::effect;

TypedValue<SharedType> MmaOp::getSharedA() {
  return dyn_cast<TypedValue<SharedType>>(getA());
}

LogicalResult MmaOp::verify() {
  SharedType b = getB().getType();
  auto a = dyn_cast<SharedType>(getA().getType());
  auto registers = dyn_cast<RankedTensorType>(getA().getType());
  ArrayRef<int64_t> shape = a ? a.getShape() : registers.getShape();
  Type element = a ? a.getElementType() : registers.getElementType();
  RankedTensorType d = getAcc().getType().getTensor();
  if (getType() != getAcc().getType())
    return emitOpError(
        "[mma-accumulator] the result has the accumulator's type");
  if ((a && a.getSlots() != 1) || b.getSlots() != 1)
    return emitOpError("[shared-ring] an operand is a ring: take a slot first");
  if ((a && a.getCluster()) || b.getCluster())
    return emitOpError("[mma-remote] operands are the CTA's own shared memory "
                       "(PTX ISA, wgmma)");
  if (shape.size() != 2 || b.getRank() != 2 || d.getRank() != 2)
    return emitOpError(
        "[mma-rank] operands and accumulator have two dimensions");
  if (element != b.getElementType() || !(element.isBF16() || element.isF16()))
    return emitOpError("[mma-type] A and B are both bf16 or both f16, not ")
           << element << " and " << b.getElementType();
  if (!d.getElementType().isF32())
    return emitOpError("[mma-type] the accumulator is f32, not ")
           << d.getElementType();
  int64_t m = shape[getTransposeA()], k = shape[!getTransposeA()];
  int64_t n = b.getShape()[getTransposeB()],
          kOfB = b.getShape()[!getTransposeB()];
  if (k != kOfB || m != d.getShape()[0] || n != d.getShape()[1])
    return emitOpError("[mma-shape] A is ")
           << m << " x " << k << " (M x K), B " << n << " x " << kOfB
           << " (N x K), D " << d.getShape()[0] << " x " << d.getShape()[1];
  if (k % 16)
    return emitOpError(
               "[mma-shape] K is a multiple of 16 for 16-bit operands, not ")
           << k << " (PTX ISA, wgmma shapes)";
  if (failed(verifyTileType(*this, d)))
    return failure();
  if (!registers)
    return success();
  if (getTransposeA())
    return emitOpError("[mma-operand] A in registers is not transposed (PTX "
                       "ISA, wgmma.mma_async)");
  if (failed(verifyTileType(*this, registers)))
    return failure();
  // The rows of A are with the warps that hold the rows of D.
  int64_t groups = getTileLayout(d)->warps() / 4;
  int64_t rowGroups = 1;
  if (auto wgmma = dyn_cast<WgmmaAttr>(d.getEncoding()))
    rowGroups = wgmma.getRows();
  else if (groups != 1)
    return emitOpError("[layout-mismatch] with A in registers the accumulator "
                       "is in #titan.wgmma");
  Result<Layout> expected =
      wgmmaA(16, m, k, rowGroups, std::max<int64_t>(1, groups / rowGroups));
  if (!expected || !expected->sameFunction(*getTileLayout(registers)))
    return emitOpError("[layout-mismatch] A in registers has the layout of "
                       "wgmma's matrix fragment A, for 16-bit elements that of "
                       "the accumulators, #titan.wgmma; not that of ")
           << registers;
  return success();
}
void MmaOp::getHardwareEffects(EffectList &effects) {
  static const char *source = "PTX ISA, wgmma.mma_async";
  for (Value operand : {Value(getA()), Value(getB())}) {
    if (isa<SharedType>(operand.getType()))
      effects.add(Access{.kind = AccessKind::Read,
                         .proxy = Proxy::Async,
                         .mechanism = Mechanism::MmaGroup,
                         .bytes = viewOf(operand)},
                  "PTX ISA, wgmma: Async proxy");
    else
      effects.add(Registers{.kind = Registers::Borrow, .value = operand},
                  "PTX ISA, wgmma.wait_group");
  }
  effects.add(Registers{.kind = Registers::InFlight,
                        .value = getResult(),
                        .from = getAcc(),
                        .adds = getAccumulate()},
              source);
}
Cardinality MmaOp::getCardinality() { return Cardinality::Warpgroup; }

LogicalResult InFlightStartOp::verify() {
  if (getType().getTensor() != getTile().getType())
    return emitOpError(
        "[mma-accumulator] the result is !titan.inflight of the tile's type");
  return verifyTileType(*this, getTile().getType());
}
void InFlightStartOp::getHardwareEffects(EffectList &effects) {
  effects.add(Registers{.kind = Registers::InFlight, .value = getResult()},
              "PTX ISA, wgmma.mma_async");
}
Cardinality InFlightStartOp::getCardinality() { return Cardinality::Tile; }

void MmaFenceOp::getHardwareEffects(EffectList &effects) {
  effects.add(Fence{.kind = Fence::Wgmma}, "PTX ISA, wgmma.fence");
}
Cardinality MmaFenceOp::getCardinality() { return Cardinality::Warpgroup; }

LogicalResult MmaCommitOp::verify() {
  if (getToken().getType().getKind() != TokenKind::Mma)
    return emitOpError("[token-kind] the token is of kind 'mma'");
  return success();
}
void MmaCommitOp::getHardwareEffects(EffectList &effects) {
  effects.add(CommitGroup{Mechanism::MmaGroup, getToken()},
              "PTX ISA, wgmma.commit_group");
}
Cardinality MmaCommitOp::getCardinality() { return Cardinality::Warpgroup; }

LogicalResult MmaWaitOp::verify() {
  if (getToken().getType().getKind() != TokenKind::Mma)
    return emitOpError("[token-kind] the token is of kind 'mma'");
  return success();
}
void MmaWaitOp::getHardwareEffects(EffectList &effects) {
  effects.add(WaitGroup{.mechanism = Mechanism::MmaGroup, .token = getToken()},
              "PTX ISA, wgmma.wait_group");
}
Cardinality MmaWaitOp::getCardinality() { return Cardinality::Warpgroup; }

LogicalResult MmaWaitGroupOp::verify() {
  if (getPending() < 0 || getPending() > 7)
    return emitOpError(
        "[group-pending] wgmma.wait_group takes 0 to 7 (PTX ISA)");
  return success();
}
void MmaWaitGroupOp::getHardwareEffects(EffectList &effects) {
  effects.add(WaitGroup{.mechanism = Mechanism::MmaGroup,
                        .pending = static_cast<int64_t>(getPending())},
              "PTX ISA, wgmma.wait_group");
}
Cardinality MmaWaitGroupOp::getCardinality() { return Cardinality::Warpgroup; }

LogicalResult MmaResultOp::verify() {
  if (getAcc().getType().getTensor() != getType())
    return emitOpError(
        "[mma-accumulator] the result is the accumulator's tile");
  if (getAfter() && getAfter().getType().getKind() != TokenKind::Mma)
    return emitOpError("[token-kind] the token is of kind 'mma'");
  return success();
}
void MmaResultOp::getHardwareEffects(EffectList &effects) {
  WaitGroup wait{.mechanism = Mechanism::MmaGroup};
  if (getAfter())
    wait.token = getAfter();
  else
    wait.pending = 0;
  effects.add(wait, "PTX ISA, wgmma.wait_group");
  effects.add(Registers{.kind = Registers::Arrived,
                        .value = getResult(),
                        .from = getAcc()},
              "PTX ISA, wgmma.wait_group");
}
Cardinality MmaResultOp::getCardinality() { return Cardinality::Warpgroup; }
