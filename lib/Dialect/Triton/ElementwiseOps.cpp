//===- ElementwiseOps.cpp - casts and element-wise arithmetic -------------===//
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

LogicalResult IntToPtrOp::canonicalize(IntToPtrOp op,
                                       PatternRewriter &rewriter) {
  // The pointer of a pointer's address.
  auto address = op.getSrc().getDefiningOp<PtrToIntOp>();
  if (!address)
    return failure();
  rewriter.replaceOpWithNewOp<BitcastOp>(op, op.getType(), address.getSrc());
  return success();
}

LogicalResult BitcastOp::verify() {
  Type from = getElementTypeOrSelf(getSrc().getType());
  Type to = getElementTypeOrSelf(getType());
  bool fromPointer = isa<PointerType>(from), toPointer = isa<PointerType>(to);
  if (fromPointer != toPointer)
    return emitOpError("[tt-type] ")
           << from << " to " << to
           << ": a pointer becomes a number by tt.ptr_to_int, and back by "
              "tt.int_to_ptr";
  if (fromPointer) {
    if (cast<PointerType>(from).getAddressSpace() ==
        cast<PointerType>(to).getAddressSpace())
      return success();
    return emitOpError("[tt-type] ")
           << from << " to " << to << ": the address space stays";
  }
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError("[tt-type] ")
           << from << " to " << to << ": " << from.getIntOrFloatBitWidth()
           << " bits are not " << to.getIntOrFloatBitWidth();
  return success();
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  return getSrc().getType() == getType() ? getSrc() : Value();
}

LogicalResult FpToFpOp::verify() {
  auto bits = [](Type type) {
    return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  };
  if (bits(getType()) < bits(getSrc().getType()) && !getRounding())
    return emitOpError("[tt-attribute] ")
           << getElementTypeOrSelf(getSrc().getType()) << " to "
           << getElementTypeOrSelf(getType())
           << " rounds, and does not say how: rounding = rtne or rtz";
  return success();
}

OpFoldResult FpToFpOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  // A zero keeps its sign.
  bool negative = matchPattern(getSrc(), m_NegZeroFloat());
  if (!negative && !matchPattern(getSrc(), m_PosZeroFloat()))
    return {};
  auto element = cast<FloatType>(getElementTypeOrSelf(getType()));
  auto zero = APFloat::getZero(element.getFloatSemantics(), negative);
  if (auto tensor = dyn_cast<RankedTensorType>(getType()))
    return DenseElementsAttr::get(tensor, zero);
  return FloatAttr::get(element, zero);
}
