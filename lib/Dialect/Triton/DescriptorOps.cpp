//===- DescriptorOps.cpp - tensor descriptors -----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Triton/Triton.h"

using namespace mlir;
using namespace titan::tt;

static TensorDescType descOf(Value desc) {
  return cast<TensorDescType>(desc.getType());
}

LogicalResult MakeTensorDescOp::verify() {
  auto type = cast<TensorDescType>(getType());
  size_t rank = type.getBlock().getRank();
  if (getShape().size() != rank || getStrides().size() != rank)
    return emitOpError("[tt-descriptor] the block has ")
           << rank << " dimensions, but there are " << getShape().size()
           << " sizes and " << getStrides().size() << " strides";
  Type pointee = cast<PointerType>(getBase().getType()).getPointee();
  if (pointee != type.getSignlessBlock().getElementType())
    return emitOpError("[tt-descriptor] the base points to ")
           << pointee << ", but the block is " << type.getBlock();
  return success();
}

/// The block, leading dimensions of size 1 dropped perhaps, and one index for
/// each dimension.
static LogicalResult verifyBlock(Operation *op, TensorDescType desc,
                                 RankedTensorType tensor, size_t indices) {
  RankedTensorType block = desc.getSignlessBlock();
  if (indices != static_cast<size_t>(block.getRank()))
    return op->emitOpError("[tt-descriptor] the block has ")
           << block.getRank() << " dimensions, but there are " << indices
           << " indices";
  bool fits = tensor.getElementType() == block.getElementType() &&
              tensor.getRank() <= block.getRank();
  if (fits) {
    ArrayRef<int64_t> shape = block.getShape();
    size_t dropped = shape.size() - tensor.getRank();
    fits = shape.drop_front(dropped) == tensor.getShape() &&
           llvm::all_of(shape.take_front(dropped),
                        [](int64_t size) { return size == 1; });
  }
  if (fits || (tensor.getElementType() == block.getElementType() &&
               tensor.getNumElements() == block.getNumElements()))
    return success();
  return op->emitOpError("[tt-descriptor] the block is ")
         << desc.getBlock() << ", the tensor " << tensor;
}

LogicalResult DescriptorLoadOp::verify() {
  return verifyBlock(*this, descOf(getDesc()),
                     cast<RankedTensorType>(getType()), getIndices().size());
}

LogicalResult DescriptorStoreOp::verify() {
  return verifyBlock(*this, descOf(getDesc()),
                     cast<RankedTensorType>(getSrc().getType()),
                     getIndices().size());
}

LogicalResult DescriptorReduceOp::verify() {
  return verifyBlock(*this, descOf(getDesc()),
                     cast<RankedTensorType>(getSrc().getType()),
                     getIndices().size());
}

/// A block of one row; as many rows as there are offsets.
static LogicalResult verifyRows(Operation *op, TensorDescType desc,
                                RankedTensorType rows,
                                RankedTensorType offsets) {
  RankedTensorType block = desc.getSignlessBlock();
  if (block.getRank() == 2 && block.getDimSize(0) == 1 && rows.getRank() == 2 &&
      offsets.getRank() == 1 && rows.getDimSize(0) == offsets.getDimSize(0) &&
      rows.getDimSize(1) == block.getDimSize(1) &&
      rows.getElementType() == block.getElementType())
    return success();
  return op->emitOpError("[tt-descriptor] rows of the block ")
         << desc.getBlock() << ", which has one row, at " << offsets
         << " do not make " << rows;
}

LogicalResult DescriptorGatherOp::verify() {
  return verifyRows(*this, descOf(getDesc()), cast<RankedTensorType>(getType()),
                    cast<RankedTensorType>(getXOffsets().getType()));
}

LogicalResult DescriptorScatterOp::verify() {
  return verifyRows(*this, descOf(getDesc()),
                    cast<RankedTensorType>(getSrc().getType()),
                    cast<RankedTensorType>(getXOffsets().getType()));
}
