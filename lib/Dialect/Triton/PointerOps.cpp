//===- PointerOps.cpp - pointers and block pointers -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Triton/Triton.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace titan::tt;

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  return matchPattern(adaptor.getOffset(), m_Zero()) ? getPtr() : Value();
}

static RankedTensorType getBlock(Value pointer) {
  return cast<RankedTensorType>(
      cast<PointerType>(pointer.getType()).getPointee());
}

LogicalResult MakeTensorPtrOp::verify() {
  int64_t rank = getBlock(getResult()).getRank();
  for (auto [name, count] : {std::pair("shape", getShape().size()),
                             {"strides", getStrides().size()},
                             {"offsets", getOffsets().size()},
                             {"order", getOrder().size()}})
    if (static_cast<int64_t>(count) != rank)
      return emitOpError("[tt-pointer] the block has ")
             << rank << " dimensions, but " << name << " " << count;
  return success();
}

LogicalResult AdvanceOp::verify() {
  int64_t rank = getBlock(getPtr()).getRank();
  if (static_cast<int64_t>(getOffsets().size()) != rank)
    return emitOpError("[tt-pointer] the block has ")
           << rank << " dimensions, but there are " << getOffsets().size()
           << " offsets";
  return success();
}

OpFoldResult AdvanceOp::fold(FoldAdaptor adaptor) {
  for (Attribute offset : adaptor.getOffsets())
    if (!matchPattern(offset, m_Zero()))
      return {};
  return getPtr();
}
