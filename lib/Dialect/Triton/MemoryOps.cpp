//===- MemoryOps.cpp - loads, stores, atomics -----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Triton/Triton.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace titan::tt;

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(),
                       GlobalMemory::get());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

/// Of a block pointer: dimensions that are checked, no mask. Of others: a mask,
/// no dimensions.
static LogicalResult verifyAccess(Operation *op, Type pointer, bool masked,
                                  ArrayRef<int32_t> checked, bool padded) {
  auto type = dyn_cast<PointerType>(pointer);
  if (!type || !type.isBlock()) {
    if (!checked.empty() || padded)
      return op->emitOpError("[tt-pointer] boundaryCheck and padding belong to "
                             "block pointers; this one takes a mask");
    return success();
  }
  if (masked)
    return op->emitOpError("[tt-pointer] a block pointer takes boundaryCheck "
                           "and padding, no mask");
  int64_t rank = cast<RankedTensorType>(type.getPointee()).getRank();
  for (int32_t dimension : checked)
    if (dimension < 0 || dimension >= rank)
      return op->emitOpError("[tt-attribute] boundaryCheck: dimension ")
             << dimension << " of a block of rank " << rank;
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyAccess(*this, getPtr().getType(), bool(getMask()),
                      getBoundaryCheck(), getPadding().has_value());
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getPtr().getType(), bool(getMask()),
                      getBoundaryCheck(), false);
}

/// The mask where it is one constant.
static std::optional<bool> getConstantMask(Value mask) {
  APInt bit;
  if (mask && matchPattern(mask, m_ConstantInt(&bit)))
    return !bit.isZero();
  return std::nullopt;
}

LogicalResult LoadOp::canonicalize(LoadOp op, PatternRewriter &rewriter) {
  std::optional<bool> mask = getConstantMask(op.getMask());
  if (!mask || op.getIsVolatile())
    return failure();
  if (!*mask) { // Nothing is read.
    if (!op.getOther())
      return failure();
    rewriter.replaceOp(op, op.getOther());
    return success();
  }
  rewriter.modifyOpInPlace(op, [&] {
    op.getMaskMutable().clear();
    op.getOtherMutable().clear();
  });
  return success();
}

LogicalResult StoreOp::canonicalize(StoreOp op, PatternRewriter &rewriter) {
  std::optional<bool> mask = getConstantMask(op.getMask());
  if (!mask)
    return failure();
  if (*mask)
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
  else
    rewriter.eraseOp(op);
  return success();
}

static LogicalResult verifyAtomic(Operation *op, Value pointer, Value value) {
  if (getPointee(pointer.getType()) == value.getType())
    return success();
  return op->emitOpError("[tt-type] ")
         << pointer.getType() << " points to " << getPointee(pointer.getType())
         << ", but the value is " << value.getType();
}

LogicalResult AtomicRMWOp::verify() {
  Type element = getElementTypeOrSelf(getVal().getType());
  RMWOp what = getAtomicRmwOp();
  if (what != RMWOp::Exchange &&
      isa<FloatType>(element) != (what == RMWOp::FAdd))
    return emitOpError("[tt-type] ")
           << stringifyRMWOp(what) << " of " << element
           << ": floating-point values are added by fadd, which takes no "
              "others";
  return verifyAtomic(*this, getPtr(), getVal());
}

LogicalResult AtomicCASOp::verify() {
  if (getCmp().getType() != getVal().getType() ||
      getType() != getVal().getType())
    return emitOpError("[tt-type] what is compared, ")
           << getCmp().getType() << ", what is written, " << getVal().getType()
           << ", and what was there, " << getType() << ", are of one type";
  return verifyAtomic(*this, getPtr(), getVal());
}
