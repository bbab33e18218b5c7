//===- Shapes.cpp - ranges, splats, and tensors in other shapes -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "titan/Layout/Rows.h"

#include "mlir/IR/Matchers.h"

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
  return c.reshape(*tile, view.type);
}

/// `first` where the coordinate along `axis` is 0, else `second`: both without
/// that dimension.
static FailureOr<Value> oneOrOther(ProgramConversion &c, Value first,
                                   Value second, const View &view,
                                   size_t axis) {
  View part = view;
  int64_t along = part.dims[axis];
  part.dims.erase(part.dims.begin() + axis);
  auto one = c.tile(first, part), other = c.tile(second, part);
  if (failed(one) || failed(other))
    return failure();
  auto places = RankedTensorType::get(view.type.getShape(), c.b.getI32Type(),
                                      view.type.getEncoding());
  Value at = CoordinateOp::create(c.b, places, c.b.getI64IntegerAttr(along));
  Value zero = arith::ConstantOp::create(
      c.b, DenseElementsAttr::get(places, c.b.getI32IntegerAttr(0)));
  Value isFirst =
      arith::CmpIOp::create(c.b, arith::CmpIPredicate::eq, at, zero);
  return Value(arith::SelectOp::create(c.b, isFirst, *one, *other));
}

static FailureOr<Value> makeJoin(ProgramConversion &c, tt::JoinOp op,
                                 const View &view) {
  return oneOrOther(c, op.getLhs(), op.getRhs(), view, view.dims.size() - 1);
}

/// Both one above the other, then in one row.
static FailureOr<Value> makeCat(ProgramConversion &c, tt::CatOp op,
                                const View &view) {
  SmallVector<int64_t> shape = TensorLayouts::shapeOfCat(op);
  auto type = RankedTensorType::get(shape, view.type.getElementType(),
                                    c.layouts.forShape(shape));
  auto both = oneOrOther(c, op.getLhs(), op.getRhs(), View(type), 0);
  if (failed(both))
    return failure();
  return c.reshape(*both, view.type);
}

/// Each thread has both halves, and keeps one.
static LogicalResult convertSplit(ProgramConversion &c, tt::SplitOp op) {
  auto type = c.typeOf(op.getSrc(), c.layouts.of(op));
  auto tile = c.tile(op.getSrc(), View(type));
  if (failed(tile))
    return failure();
  SmallVector<int64_t> offsets(type.getRank(), 0), shape(type.getShape());
  shape.back() = 1;
  for (Value half : op->getResults()) {
    auto part = getTileLayout(type)->slice({offsets.begin(), offsets.end()},
                                           {shape.begin(), shape.end()});
    if (!part)
      return op.emitError("[")
             << part.problem().code << "] " << part.problem().message;
    auto thin = RankedTensorType::get(
        shape, type.getElementType(),
        LayoutTextAttr::get(op.getContext(), part->layout.str()));
    Value kept = ExtractOp::create(c.b, thin, *tile, offsets);
    auto now = c.reshape(kept, c.typeOf(half, c.layoutOf(half)));
    if (failed(now))
      return failure();
    c.set(half, *now);
    offsets.back() = 1;
  }
  return success();
}

static LogicalResult convertGather(ProgramConversion &c, tt::GatherOp op) {
  int axis = static_cast<int>(op.getAxis());
  Attribute layout = c.layouts.of(op);
  auto source = c.tile(op.getSrc(), layout),
       indices = c.tile(op.getIndices(), layout);
  if (failed(source) || failed(indices))
    return failure();
  auto at = cast<RankedTensorType>(indices->getType());
  auto places = RankedTensorType::get(at.getShape(), c.b.getI32Type(), layout);
  unsigned width = at.getElementTypeBitWidth();
  if (width > 32)
    indices = Value(arith::TruncIOp::create(c.b, places, *indices));
  else if (width < 32)
    indices = Value(arith::ExtSIOp::create(c.b, places, *indices));
  // Bits have no place in shared memory.
  Type element = c.elementOf(op.getType());
  auto as = [&](Value tile, Type type) {
    return RankedTensorType::get(
        cast<RankedTensorType>(tile.getType()).getShape(), type, layout);
  };
  Type held = element.isInteger(1) ? c.b.getI8Type() : element;
  if (held != element)
    source = Value(arith::ExtUIOp::create(c.b, as(*source, held), *source));
  auto type = cast<RankedTensorType>(source->getType());
  int64_t warps = 1;
  auto rows = rowsByDigits(*getTileLayout(type), axis);
  if (auto digits = rows ? digitsAlong(*rows, axis)
                         : Result<std::vector<RowDigit>>(rows.problem()))
    for (const RowDigit &digit : *digits)
      warps *= digit.axis == 2 ? digit.extent : 1;
  Value memory = warps > 1 ? c.scratch(held, type.getNumElements()) : Value();
  Value chosen = titan::GatherOp::create(c.b, as(*indices, held), *source,
                                         *indices, c.b.getI64IntegerAttr(axis),
                                         memory, IntegerAttr(), IntegerAttr());
  if (held != element)
    chosen = arith::TruncIOp::create(c.b, as(*indices, element), chosen);
  c.set(op.getResult(), chosen);
  return success();
}

void titan::populateTritonShapes(TritonToTitanTable &table) {
  table.make<tt::MakeRangeOp>(makeRange);
  table.make<tt::SplatOp>(makeSplat);
  table.convert<tt::UnsplatOp>(convertUnsplat);
  table.make<tt::ExpandDimsOp>(makeExpandDims);
  table.make<tt::BroadcastOp>(makeBroadcast);
  table.make<tt::TransOp>(makeTrans);
  table.make<tt::JoinOp>(makeJoin);
  table.make<tt::CatOp>(makeCat);
  table.convert<tt::SplitOp>(convertSplit);
  table.convert<tt::GatherOp>(convertGather);
  table.make<tt::ReshapeOp>(makeReshape);
}
