//===- Products.cpp - products of tensors by mma.sync ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

using namespace mlir;
using namespace titan;

/// What of tt.dot mma.sync does not do; empty: it does all.
static std::string refuseProduct(tt::DotOp op) {
  auto a = cast<RankedTensorType>(op.getA().getType());
  auto d = cast<RankedTensorType>(op.getD().getType());
  Type from = a.getElementType(), to = d.getElementType();
  if (a.getRank() != 2)
    return "a batch of products";
  if (from.isF32() && op.getInputPrecision() != tt::InputPrecision::TF32)
    return "a product of f32 in another precision than tf32";
  if (!((from.isF16() && (to.isF32() || to.isF16())) ||
        ((from.isBF16() || from.isF32()) && to.isF32()) ||
        (from.isInteger(8) && to.isInteger(32))))
    return "a product of these elements: mma.sync takes f16, bf16, tf32 and i8";
  int64_t step = 128 / from.getIntOrFloatBitWidth();
  if (d.getDimSize(0) % 16 || d.getDimSize(1) % 8 || a.getDimSize(1) % step)
    return "a product of this size: M, N and K are multiples of 16, 8 and 16 "
           "bytes";
  return {};
}

static LogicalResult convertDot(ProgramConversion &c, tt::DotOp op) {
  if (std::string problem = refuseProduct(op); !problem.empty())
    return c.unsupported(op, problem);
  auto grid = cast<MmaSyncAttr>(c.layoutOf(op.getD()));
  auto a = cast<RankedTensorType>(op.getA().getType());
  auto d = cast<RankedTensorType>(op.getD().getType());
  MLIRContext *context = op.getContext();
  int64_t bits = a.getElementTypeBitWidth();
  auto left =
      c.tile(op.getA(), Attribute(MmaSyncAAttr::get(
                            context, bits, grid.getRows(), grid.getColumns())));
  // B is N x K here.
  auto type = RankedTensorType::get(
      {d.getDimSize(1), a.getDimSize(1)}, a.getElementType(),
      MmaSyncBAttr::get(context, bits, grid.getRows(), grid.getColumns()));
  auto right = c.tile(op.getB(), View(type, {1, 0}));
  auto sums = c.tile(op.getC(), grid);
  if (failed(left) || failed(right) || failed(sums))
    return failure();
  c.set(op.getD(), MmaSyncOp::create(c.b, sums->getType(), *left, *right, *sums,
                                     /*unsigned_a=*/false, /*unsigned_b=*/false,
                                     /*saturate=*/false));
  return success();
}

void titan::populateTritonProducts(TritonToTitanTable &table) {
  table.convert<tt::DotOp>(convertDot);
}
