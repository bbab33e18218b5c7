//===- Shapes.cpp - ranges, splats, and tensors in other shapes -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

using namespace mlir;
using namespace titan;

static FailureOr<Value> makeRange(ProgramConversion &c, tt::MakeRangeOp op,
                                  const View &view) {
  RankedTensorType type = view.type;
  Value places =
      CoordinateOp::create(c.b, type, c.b.getI64IntegerAttr(view.dims[0]));
  auto start = static_cast<int32_t>(op.getStart());
  if (!start)
    return places;
  Value from = arith::ConstantOp::create(
      c.b, DenseElementsAttr::get(type, c.b.getI32IntegerAttr(start)));
  return Value(arith::AddIOp::create(c.b, places, from));
}

static FailureOr<Value> makeSplat(ProgramConversion &c, tt::SplatOp op,
                                  const View &view) {
  RankedTensorType type = view.type;
  Value scalar = c.scalar(op.getSrc());
  // A constant, so that what is added to it folds.
  Attribute number;
  if (matchPattern(scalar, m_Constant(&number)) && isa<TypedAttr>(number))
    return Value(
        arith::ConstantOp::create(c.b, DenseElementsAttr::get(type, number)));
  return Value(titan::SplatOp::create(c.b, type, scalar));
}

static LogicalResult convertUnsplat(ProgramConversion &c, tt::UnsplatOp op) {
  auto tile = c.value(op.getSrc());
  if (failed(tile))
    return failure();
  c.set(op.getResult(),
        titan::UnsplatOp::create(c.b, c.elementOf(op.getType()), *tile));
  return success();
}

static FailureOr<Value> makeExpandDims(ProgramConversion &c,
                                       tt::ExpandDimsOp op, const View &view) {
  View source = view;
  source.dims.erase(source.dims.begin() + op.getAxis());
  return c.tile(op.getSrc(), source);
}

static FailureOr<Value> makeBroadcast(ProgramConversion &c, tt::BroadcastOp op,
                                      const View &view) {
  return c.tile(op.getSrc(), view);
}

static FailureOr<Value> makeTrans(ProgramConversion &c, tt::TransOp op,
                                  const View &view) {
  View source = view;
  for (auto [d, from] : llvm::enumerate(op.getOrder()))
    source.dims[from] = view.dims[d];
  return c.tile(op.getSrc(), source);
}

static FailureOr<Value> makeReshape(ProgramConversion &c, tt::ReshapeOp op,
                                    const View &view) {
  auto tile = c.tile(op.getSrc(), c.layouts.of(op));
  if (failed(tile))
    return failure();
  return c.relabel(*tile, view.type);
}

void titan::populateTritonShapes(TritonToTitanTable &table) {
  table.make<tt::MakeRangeOp>(makeRange);
  table.make<tt::SplatOp>(makeSplat);
  table.convert<tt::UnsplatOp>(convertUnsplat);
  table.make<tt::ExpandDimsOp>(makeExpandDims);
  table.make<tt::BroadcastOp>(makeBroadcast);
  table.make<tt::TransOp>(makeTrans);
  table.make<tt::ReshapeOp>(makeReshape);
}
