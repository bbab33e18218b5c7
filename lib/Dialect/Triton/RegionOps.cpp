//===- RegionOps.cpp - reduce, scan, map_elementwise ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Triton/Triton.h"

using namespace mlir;
using namespace titan::tt;

/// What reduce and scan have in common, types of regions aside.
static LogicalResult verifyOperands(Operation *op, int64_t axis) {
  if (op->getNumOperands() == 0 || op->getNumOperands() != op->getNumResults())
    return op->emitOpError("[tt-region] ")
           << op->getNumOperands() << " tensors make " << op->getNumResults()
           << " results; there are as many, at least one";
  for (auto [operand, result] :
       llvm::zip(op->getOperandTypes(), op->getResultTypes())) {
    auto tensor = cast<RankedTensorType>(operand);
    if (axis < 0 || axis >= tensor.getRank())
      return op->emitOpError("[tt-attribute] axis ")
             << axis << " of a tensor of rank " << tensor.getRank();
    if (tensor.getElementType() != getElementTypeOrSelf(result))
      return op->emitOpError("[tt-type] ")
             << tensor << " does not make " << result;
  }
  return success();
}

/// The region takes two sets of elements, and yields one.
static LogicalResult verifyCombine(Operation *op) {
  Block &block = op->getRegion(0).front();
  SmallVector<Type> elements;
  for (Type type : op->getOperandTypes())
    elements.push_back(getElementTypeOrSelf(type));
  SmallVector<Type> twice(elements);
  twice.append(elements);
  if (llvm::to_vector(block.getArgumentTypes()) != twice)
    return op->emitOpError("[tt-region] the region takes the elements of ")
           << elements.size() << " tensors twice, (" << twice << ")";
  Operation *end = block.empty() ? nullptr : &block.back();
  if (!end || end->getName().getStringRef() !=
                  (op->getName().getStringRef() + ".return").str())
    return op->emitOpError("[tt-region] the region ends in ")
           << op->getName() << ".return";
  if (llvm::to_vector(end->getOperandTypes()) != elements)
    return op->emitOpError("[tt-region] the region yields (")
           << elements << ")";
  return success();
}

LogicalResult ReduceOp::verify() {
  int64_t axis = getAxisAttr().getInt();
  if (failed(verifyOperands(*this, axis)))
    return failure();
  for (auto [operand, result] : llvm::zip(getSrcs(), getResults())) {
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(operand.getType()).getShape());
    shape.erase(shape.begin() + axis);
    auto tensor = dyn_cast<RankedTensorType>(result.getType());
    if (shape.empty() ? bool(tensor)
                      : !tensor || tensor.getShape() != ArrayRef(shape))
      return emitOpError("[tt-shape] ")
             << operand.getType() << " without dimension " << axis << " is not "
             << result.getType();
  }
  return success();
}
LogicalResult ReduceOp::verifyRegions() { return verifyCombine(*this); }

LogicalResult ScanOp::verify() {
  return verifyOperands(*this, getAxisAttr().getInt());
}
LogicalResult ScanOp::verifyRegions() { return verifyCombine(*this); }

LogicalResult MapElementwiseOp::verify() {
  if (getSrcs().empty())
    return emitOpError("[tt-region] there is no tensor");
  int64_t pack = getPackAttr().getInt();
  if (pack < 1 || !llvm::isPowerOf2_64(pack))
    return emitOpError("[tt-attribute] pack is a power of two, not ") << pack;
  return success();
}

LogicalResult MapElementwiseOp::verifyRegions() {
  int64_t pack = getPackAttr().getInt();
  auto packed = [&](TypeRange tensors) {
    SmallVector<Type> types;
    for (Type type : tensors)
      types.append(pack, getElementTypeOrSelf(type));
    return types;
  };
  SmallVector<Type> takes = packed(getOperandTypes()),
                    yields = packed(getResultTypes());
  if (getScalars().empty() ||
      llvm::to_vector(getScalars().front().getArgumentTypes()) != takes)
    return emitOpError("[tt-region] the region takes (") << takes << ")";
  for (Block &block : getScalars()) {
    auto end = block.empty() ? MapElementwiseReturnOp()
                             : dyn_cast<MapElementwiseReturnOp>(block.back());
    if (end && llvm::to_vector(end.getOperandTypes()) != yields)
      return end.emitOpError("[tt-region] the region yields (")
             << yields << ")";
  }
  auto written = getScalars().walk([&](Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    return effects && effects.hasEffect<MemoryEffects::Write>()
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (written.wasInterrupted())
    return emitOpError("[tt-region] the region writes no memory: an element "
                       "may be computed several times");
  return success();
}
