//===- Regions.cpp - reductions and scans ---------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What combines two elements is a region in tt, and a word in titan IR: a region
// of one operation on its two arguments is that operation's word. Of another region,
// or of several tensors combined together, a reduction is written out: rows lie in
// one warp each, halves of the registers are combined until each lane has one
// element, then lanes with those whose number differs in one bit. So is a scan: each
// element with the one 1, 2, 4, ... before it.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "titan/Layout/Rows.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace titan;

/// The word for a region; none: there is no word.
static std::optional<ReduceKind> kindOf(Region &region) {
  Block &block = region.front();
  if (block.getOperations().size() != 2 || block.getNumArguments() != 2)
    return std::nullopt;
  Operation &op = block.front();
  if (op.getNumOperands() != 2 || op.getNumResults() != 1 ||
      block.getTerminator()->getOperand(0) != op.getResult(0))
    return std::nullopt;
  // Words are of operations whose operands may change places.
  Value x = block.getArgument(0), y = block.getArgument(1);
  if (!(op.getOperand(0) == x && op.getOperand(1) == y) &&
      !(op.getOperand(0) == y && op.getOperand(1) == x))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<ReduceKind>>(&op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return ReduceKind::Add; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return ReduceKind::Mul; })
      .Case<arith::MaximumFOp, arith::MaxSIOp>(
          [](auto) { return ReduceKind::Max; })
      .Case<arith::MinimumFOp, arith::MinSIOp>(
          [](auto) { return ReduceKind::Min; })
      .Case<arith::MaxNumFOp>([](auto) { return ReduceKind::MaxNum; })
      .Case<arith::MinNumFOp>([](auto) { return ReduceKind::MinNum; })
      .Case<arith::MaxUIOp>([](auto) { return ReduceKind::MaxU; })
      .Case<arith::MinUIOp>([](auto) { return ReduceKind::MinU; })
      .Case<arith::AndIOp>([](auto) { return ReduceKind::And; })
      .Case<arith::OrIOp>([](auto) { return ReduceKind::Or; })
      .Case<arith::XOrIOp>([](auto) { return ReduceKind::Xor; })
      .Default(std::nullopt);
}

static LogicalResult refuseRows(Operation *op, const Problem &problem) {
  return op->emitError("[") << problem.code << "] " << problem.message;
}

//===----------------------------------------------------------------------===//
// By regions
//===----------------------------------------------------------------------===//

/// What the region makes of tiles, element by element.
static FailureOr<SmallVector<Value>> combineTiles(ProgramConversion &c,
                                                  Region &region,
                                                  ArrayRef<Value> first,
                                                  ArrayRef<Value> second) {
  Block &block = region.front();
  auto shape = cast<RankedTensorType>(first[0].getType());
  auto as = [&](Type element) {
    return RankedTensorType::get(shape.getShape(), element,
                                 shape.getEncoding());
  };
  llvm::DenseMap<Value, Value> known;
  for (auto [i, value] : llvm::enumerate(first)) {
    known[block.getArgument(i)] = value;
    known[block.getArgument(first.size() + i)] = second[i];
  }
  auto read = [&](Value value) -> Value {
    Value &now = known[value];
    Attribute number;
    if (!now && matchPattern(value, m_Constant(&number)))
      now = arith::ConstantOp::create(
          c.b, DenseElementsAttr::get(as(value.getType()), number));
    else if (!now)
      now = titan::SplatOp::create(c.b, as(value.getType()), c.scalar(value));
    return now;
  };
  for (Operation &each : block.without_terminator()) {
    if (isa<arith::ConstantOp>(each))
      continue;
    if (!each.hasTrait<OpTrait::Elementwise>() ||
        !isa<arith::ArithDialect, math::MathDialect>(each.getDialect()))
      return c.unsupported(&each, "combining by '" +
                                      each.getName().getStringRef() + "'");
    SmallVector<Value> operands;
    for (Value operand : each.getOperands())
      operands.push_back(read(operand));
    SmallVector<Type> types;
    for (Value result : each.getResults())
      types.push_back(as(result.getType()));
    Operation *now = repeatOperation(c, &each, operands, types);
    for (auto [old, result] : llvm::zip(each.getResults(), now->getResults()))
      known[old] = result;
  }
  SmallVector<Value> results;
  for (Value result : block.getTerminator()->getOperands())
    results.push_back(read(result));
  return results;
}

/// A layout of rows along the last dimension, each in one warp.
static BlockedAttr rowsOfWarps(ProgramConversion &c, ArrayRef<int64_t> shape) {
  size_t rank = shape.size();
  SmallVector<int64_t> ones(rank, 1), lanes(rank, 1), warps(rank, 1);
  int64_t lanesLeft = c.options.lanes, warpsLeft = c.options.warps;
  for (size_t d = rank; d-- > 0;) {
    lanes[d] = d ? std::min(lanesLeft, shape[d]) : lanesLeft;
    lanesLeft /= lanes[d];
    if (d + 1 < rank) // Warps that are left over do the same.
      warps[d] = std::clamp<int64_t>(shape[d] / lanes[d], 1, warpsLeft);
    warpsLeft /= warps[d];
  }
  return BlockedAttr::get(c.b.getContext(), ones, lanes, warps);
}

namespace {
/// Tensors with the axis behind all other dimensions, their rows in one warp each.
struct Rows {
  SmallVector<int64_t> shape, dims; ///< As of View.
  BlockedAttr layout;
  SmallVector<Value> tiles;

  RankedTensorType as(Type element) const {
    return RankedTensorType::get(shape, element, layout);
  }
};
} // namespace

static FailureOr<Rows> rowsAlong(ProgramConversion &c, ValueRange sources,
                                 int64_t axis) {
  auto source = cast<RankedTensorType>(sources[0].getType());
  int64_t rank = source.getRank();
  Rows rows;
  rows.dims.resize(rank);
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis) {
      rows.dims[d] = static_cast<int64_t>(rows.shape.size());
      rows.shape.push_back(source.getDimSize(d));
    }
  rows.dims[axis] = rank - 1;
  rows.shape.push_back(source.getDimSize(axis));
  rows.layout = rowsOfWarps(c, rows.shape);
  for (Value each : sources) {
    auto tile =
        c.tile(each, View(rows.as(c.elementOf(each.getType())), rows.dims));
    if (failed(tile))
      return failure();
    rows.tiles.push_back(*tile);
  }
  return rows;
}

/// Elements of a tile's rows, which lie in one warp each.
static Value gatherRows(ProgramConversion &c, Value tile, Value places) {
  auto at = cast<RankedTensorType>(places.getType());
  return titan::GatherOp::create(
      c.b,
      RankedTensorType::get(at.getShape(), getElementTypeOrSelf(tile.getType()),
                            at.getEncoding()),
      tile, places, c.b.getI64IntegerAttr(at.getRank() - 1), Value(),
      IntegerAttr(), IntegerAttr());
}

static Value splatI32(ProgramConversion &c, RankedTensorType type,
                      int64_t number) {
  return arith::ConstantOp::create(
      c.b, DenseElementsAttr::get(
               type, c.b.getI32IntegerAttr(static_cast<int32_t>(number))));
}

/// For k = 1, 2, 4, ... each element with the one k before it.
static LogicalResult scanByRegion(ProgramConversion &c, tt::ScanOp op) {
  auto rows = rowsAlong(c, op.getSrcs(), op.getAxis());
  if (failed(rows))
    return failure();
  int64_t rank = static_cast<int64_t>(rows->shape.size()),
          count = rows->shape.back();
  RankedTensorType places = rows->as(c.b.getI32Type());
  Value here =
      CoordinateOp::create(c.b, places, c.b.getI64IntegerAttr(rank - 1));
  Value zero = splatI32(c, places, 0), last = splatI32(c, places, count - 1);
  for (int64_t k = 1; k < count; k *= 2) {
    Value step = splatI32(c, places, k);
    Value there = op.getReverse()
                      ? arith::AddIOp::create(c.b, here, step).getResult()
                      : arith::SubIOp::create(c.b, here, step).getResult();
    Value has = arith::CmpIOp::create(
        c.b,
        op.getReverse() ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge,
        there, op.getReverse() ? last : zero);
    there = arith::SelectOp::create(c.b, has, there, here);
    SmallVector<Value> others;
    for (Value tile : rows->tiles)
      others.push_back(gatherRows(c, tile, there));
    auto both = combineTiles(c, op.getCombine(), others, rows->tiles);
    if (failed(both))
      return failure();
    for (auto [tile, now] : llvm::zip(rows->tiles, *both))
      tile = arith::SelectOp::create(c.b, has, now, tile);
  }
  for (auto [result, tile] : llvm::zip(op.getResult(), rows->tiles)) {
    auto back = c.permute(tile, rows->dims);
    if (failed(back))
      return failure();
    auto now = c.convertLayout(*back, c.typeOf(result, c.layoutOf(result)));
    if (failed(now))
      return failure();
    c.set(result, *now);
  }
  return success();
}

static LogicalResult reduceByRegion(ProgramConversion &c, tt::ReduceOp op) {
  auto rows = rowsAlong(c, op.getSrcs(), op.getAxis());
  if (failed(rows))
    return failure();
  SmallVector<int64_t> &shape = rows->shape;
  SmallVector<Value> &tiles = rows->tiles;
  BlockedAttr layout = rows->layout;
  auto rank = static_cast<int64_t>(shape.size());
  auto combine = [&](ArrayRef<Value> first,
                     ArrayRef<Value> second) -> LogicalResult {
    auto both = combineTiles(c, op.getCombine(), first, second);
    if (succeeded(both))
      tiles = *both;
    return both;
  };
  int64_t lanes = std::min(layout.getLanes().back(), shape.back());
  while (shape.back() > lanes) {
    shape.back() /= 2;
    SmallVector<Value> first, second;
    for (Value tile : tiles) {
      SmallVector<int64_t> offsets(rank, 0);
      RankedTensorType half = rows->as(getElementTypeOrSelf(tile.getType()));
      first.push_back(ExtractOp::create(c.b, half, tile, offsets));
      offsets.back() = shape.back();
      second.push_back(ExtractOp::create(c.b, half, tile, offsets));
    }
    if (failed(combine(first, second)))
      return failure();
  }
  auto along = c.b.getI64IntegerAttr(rank - 1);
  RankedTensorType places = rows->as(c.b.getI32Type());
  for (int64_t step = 1; step < lanes; step *= 2) {
    Value here = CoordinateOp::create(c.b, places, along);
    Value bit = splatI32(c, places, step);
    Value there = arith::XOrIOp::create(c.b, here, bit);
    SmallVector<Value> others;
    for (Value tile : tiles)
      others.push_back(gatherRows(c, tile, there));
    if (failed(combine(tiles, others)))
      return failure();
  }
  // Every element of a row is the same: the first one stays.
  shape.back() = 1;
  RankedTensorType firsts = rows->as(c.b.getI32Type());
  Value zero = splatI32(c, firsts, 0);
  for (auto [result, tile] : llvm::zip(op.getResult(), tiles)) {
    Value first = gatherRows(c, tile, zero);
    auto type = cast<RankedTensorType>(first.getType());
    Value row = c.relabel(first, ProgramConversion::without(type, rank - 1));
    if (!isa<RankedTensorType>(result.getType())) {
      c.set(result, titan::UnsplatOp::create(c.b, type.getElementType(), row));
      continue;
    }
    auto now = c.convertLayout(row, c.typeOf(result, c.layoutOf(result)));
    if (failed(now))
      return failure();
    c.set(result, *now);
  }
  return success();
}

/// A row for each number, in which the elements that are it count.
static LogicalResult convertHistogram(ProgramConversion &c,
                                      tt::HistogramOp op) {
  auto source = cast<RankedTensorType>(op.getSrc().getType());
  SmallVector<int64_t> shape{op.getType().getNumElements(),
                             source.getNumElements()};
  if (shape[0] * shape[1] > 1 << 16)
    return c.unsupported(op, "a histogram of so many elements and bins: "
                             "together at most 2^16");
  BlockedAttr layout = rowsOfWarps(c, shape);
  auto as = [&](Type element) {
    return RankedTensorType::get(shape, element, layout);
  };
  View elements(as(source.getElementType()), {1});
  auto tile = c.tile(op.getSrc(), elements);
  if (failed(tile))
    return failure();
  RankedTensorType counts = as(c.b.getI32Type());
  Value number = CoordinateOp::create(c.b, counts, c.b.getI64IntegerAttr(0));
  unsigned width = source.getElementTypeBitWidth();
  if (width < 32)
    tile = Value(arith::ExtUIOp::create(c.b, counts, *tile));
  else if (width > 32)
    number = arith::ExtUIOp::create(c.b, elements.type, number);
  Value is =
      arith::CmpIOp::create(c.b, arith::CmpIPredicate::eq, *tile, number);
  if (op.getMask()) {
    auto mask = c.tile(op.getMask(), elements.of(c.b.getI1Type()));
    if (failed(mask))
      return failure();
    is = arith::AndIOp::create(c.b, is, *mask);
  }
  Value one = arith::ExtUIOp::create(c.b, counts, is);
  Value sums = titan::ReduceOp::create(
      c.b, ProgramConversion::without(counts, 1), ReduceKind::Add, one, Value(),
      IntegerAttr(), IntegerAttr());
  RankedTensorType type = c.typeOf(op.getResult(), c.layoutOf(op.getResult()));
  if (type.getElementTypeBitWidth() != 32)
    return c.unsupported(op, "a histogram of other numbers than i32");
  auto now = c.convertLayout(sums, type);
  if (failed(now))
    return failure();
  c.set(op.getResult(), *now);
  return success();
}

static LogicalResult convertReduce(ProgramConversion &c, tt::ReduceOp op) {
  if (op.getSrcs().size() != 1 || !kindOf(op.getCombine()))
    return reduceByRegion(c, op);
  ReduceKind kind = *kindOf(op.getCombine());
  Value source = op.getSrcs()[0], result = op->getResult(0);
  int64_t axis = op.getAxis();
  auto whole = c.tile(source, c.layouts.of(op));
  if (failed(whole))
    return failure();
  auto type = cast<RankedTensorType>(whole->getType());
  auto tile = c.withLast(*whole, axis);
  if (failed(tile))
    return failure();
  auto moved = cast<RankedTensorType>(tile->getType());
  // Parts of a row that lie in several warps go through shared memory.
  auto rows = rowsByDigits(*getTileLayout(moved),
                           static_cast<int>(moved.getRank()) - 1);
  if (!rows)
    return refuseRows(op, rows.problem());
  auto cut = cutRows(*rows);
  if (!cut)
    return refuseRows(op, cut.problem());
  Value memory;
  if (cut->parts > 1)
    memory =
        c.scratch(type.getElementType(),
                  type.getNumElements() / type.getDimSize(axis) * cut->parts);
  Value sums = titan::ReduceOp::create(
      c.b, ProgramConversion::without(moved, moved.getRank() - 1), kind, *tile,
      memory, IntegerAttr(), IntegerAttr());
  if (!isa<RankedTensorType>(result.getType())) {
    c.set(result, titan::UnsplatOp::create(c.b, type.getElementType(), sums));
    return success();
  }
  c.set(result, c.relabel(sums, c.typeOf(result, c.layoutOf(result))));
  return success();
}

static LogicalResult convertScan(ProgramConversion &c, tt::ScanOp op) {
  if (op.getSrcs().size() != 1 || !kindOf(op.getCombine()))
    return scanByRegion(c, op);
  ReduceKind kind = *kindOf(op.getCombine());
  auto tile = c.tile(op.getSrcs()[0], c.layouts.of(op));
  if (failed(tile))
    return failure();
  auto type = cast<RankedTensorType>(tile->getType());
  int axis = static_cast<int>(op.getAxis());
  auto rows = rowsByDigits(*getTileLayout(type), axis);
  if (!rows)
    return refuseRows(op, rows.problem());
  Value memory;
  if (auto blocks = blockRows(*rows, axis))
    memory = c.scratch(type.getElementType(), type.getNumElements() /
                                                  type.getDimSize(axis) *
                                                  blocks->parts);
  c.set(op->getResult(0),
        titan::ScanOp::create(c.b, type,
                              ReduceKindAttr::get(c.b.getContext(), kind),
                              *tile, c.b.getI64IntegerAttr(axis),
                              op.getReverse() ? c.b.getUnitAttr() : UnitAttr(),
                              memory, IntegerAttr(), IntegerAttr()));
  return success();
}

void titan::populateTritonRegions(TritonToTitanTable &table) {
  table.convert<tt::ReduceOp>(convertReduce);
  table.convert<tt::HistogramOp>(convertHistogram);
  table.convert<tt::ScanOp>(convertScan);
}
