//===- RowsByRegion.cpp - reductions and scans by their regions -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a region combines stays in the layout that it has. Along a row, the digits of
// registers, lanes and warps (titan/Layout/Rows.h) become dimensions of their own:
//
//     1024 elements, reg: 4*c1, 2*c512; lane: 32*c4; warp: 4*c128
//     as 2 x 4 x 32 x 4: registers, warps, lanes, registers
//
// A reduction takes a digit after the other away, registers first, one element after
// the other, so that what is known of them in this order (that indices ascend) is of
// use, then lanes with those whose number differs in one bit, then what warps have goes
// through shared memory, all tensors of it at once, to lanes of each warp, which combine
// it in the same way, or to registers where lanes have other rows.
//
// A scan goes from the inside out: each row of the innermost digit by itself, then,
// of their last elements, what stands before each row in the others, which is
// combined with all elements of the row:
//
//     elements      a b c d | e f g h | i j k l | m n o p
//     by itself     a..ab..abcd       e..efgh   ...
//     last          abcd, efgh, ijkl, mnop
//     before        -, abcd, abcdefgh, abcdefghijkl
//
// Along registers one element after the other; along lanes each with the one 1, 2, 4,
// ... before it; from a digit of warps on through shared memory, in registers.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "titan/Layout/Rows.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace titan;

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

using Tiles = SmallVector<Value>;

namespace {
/// Tensors of one shape, combined together along the rows of a layout whose first
/// dimension are the rows, the others digits, from the outermost to the innermost.
class RowsByRegion {
public:
  RowsByRegion(ProgramConversion &c, Region &region, bool reverse)
      : c(c), b(c.b), region(region), reverse(reverse) {}

  FailureOr<Tiles> reduce(Tiles tiles, Layout layout);
  FailureOr<Tiles> scan(Tiles tiles, const Layout &layout);

private:
  RankedTensorType as(const Layout &layout, Type element) {
    return RankedTensorType::get(
        layout.shape(), element,
        LayoutTextAttr::get(b.getContext(), layout.str()));
  }
  Type elementOf(Value tile) { return getElementTypeOrSelf(tile.getType()); }
  Layout need(const Result<Layout> &layout) {
    assert(layout && "digits are dimensions of their own");
    return *layout;
  }
  /// The axis of registers, lanes or warps that a dimension is a digit of; -1: of
  /// extent 1.
  int axisOf(const Layout &layout, int dim) {
    auto digits = digitsAlong(layout, dim);
    assert(digits && digits->size() <= 1 && "one digit");
    return digits->empty() ? -1 : digits->front().axis;
  }
  static int last(const Layout &layout) { return layout.rank() - 1; }
  static int64_t extent(const Layout &layout) {
    return layout.dims().back().extent;
  }

  Value constant(RankedTensorType type, int64_t number) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               type, b.getI32IntegerAttr(static_cast<int32_t>(number))));
  }
  Value coordinate(const Layout &layout, int dim) {
    return CoordinateOp::create(b, as(layout, b.getI32Type()),
                                static_cast<uint64_t>(dim));
  }
  Tiles relabel(ArrayRef<Value> tiles, const Layout &layout) {
    Tiles results;
    for (Value tile : tiles)
      results.push_back(c.relabel(tile, as(layout, elementOf(tile))));
    return results;
  }
  /// Elements of the last dimension, which registers hold.
  Tiles part(ArrayRef<Value> tiles, const Layout &layout, int64_t first,
             int64_t count, Layout &result) {
    std::vector<int64_t> offsets(layout.rank(), 0), shape = layout.shape();
    offsets.back() = first;
    shape.back() = count;
    auto slice = layout.slice(offsets, shape);
    assert(slice && "registers");
    result = slice->layout;
    Tiles results;
    for (Value tile : tiles)
      results.push_back(
          ExtractOp::create(b, as(result, elementOf(tile)), tile, offsets));
    return results;
  }
  /// One element of the last dimension, without it.
  Tiles one(ArrayRef<Value> tiles, const Layout &layout, int64_t which) {
    Layout without = need(layout.withoutDim(last(layout)));
    if (axisOf(layout, last(layout)) <= 0) {
      Layout thin = layout;
      return relabel(part(tiles, layout, which, 1, thin), without);
    }
    return relabel(
        gather(tiles,
               constant(as(need(without.joined(1)), b.getI32Type()), which)),
        without);
  }
  Tiles gather(ArrayRef<Value> tiles, Value places) {
    auto at = cast<RankedTensorType>(places.getType());
    Tiles results;
    for (Value tile : tiles)
      results.push_back(titan::GatherOp::create(
          b,
          RankedTensorType::get(at.getShape(), elementOf(tile),
                                at.getEncoding()),
          tile, places, static_cast<uint64_t>(at.getRank() - 1), Value(),
          IntegerAttr(), IntegerAttr()));
    return results;
  }
  Tiles select(Value condition, ArrayRef<Value> yes, ArrayRef<Value> no) {
    Tiles results;
    for (auto [one, other] : llvm::zip(yes, no))
      results.push_back(arith::SelectOp::create(b, condition, one, other));
    return results;
  }
  /// `first` comes before `second`.
  FailureOr<Tiles> combine(ArrayRef<Value> first, ArrayRef<Value> second) {
    return combineTiles(c, region, first, second);
  }
  /// Tiles all along a further, last dimension of `layout`.
  Tiles spread(ArrayRef<Value> tiles, const Layout &layout) {
    Tiles results;
    for (Value tile : relabel(tiles, need(layout.withoutDim(last(layout)))))
      results.push_back(
          BroadcastOp::create(b, as(layout, elementOf(tile)), tile));
    return results;
  }
  LogicalResult reduceDigits(int axis, Tiles &tiles, Layout &layout);
  /// What `parts` says of each element of the last dimension, in registers.
  Tiles assemble(ArrayRef<Tiles> parts, const Layout &layout);
  FailureOr<Tiles> exchange(ArrayRef<Value> tiles, const Layout &from,
                            const Layout &to);
  FailureOr<Tiles> scanLast(ArrayRef<Value> tiles, const Layout &layout);
  FailureOr<Tiles> before(ArrayRef<Value> tiles, const Layout &layout);
  /// Where something stands before an element along dimensions from `dim` on.
  Value hasBefore(const Layout &layout, int dim);
  /// In the order of the scan.
  int64_t place(int64_t number, int64_t count) const {
    return reverse ? count - 1 - number : number;
  }

  ProgramConversion &c;
  ImplicitLocOpBuilder &b;
  Region &region;
  bool reverse;
};
} // namespace

Tiles RowsByRegion::assemble(ArrayRef<Tiles> parts, const Layout &layout) {
  if (parts.size() == 1)
    return relabel(parts.front(), layout);
  int64_t half = static_cast<int64_t>(parts.size()) / 2;
  std::vector<int64_t> offsets(layout.rank(), 0), shape = layout.shape();
  shape.back() = half;
  auto slice = layout.slice(offsets, shape);
  assert(slice && "registers");
  Tiles lower = assemble(parts.take_front(half), slice->layout),
        upper = assemble(parts.drop_front(half), slice->layout);
  // As ... x half x 2, so that each half is spread along what comes last.
  shape.insert(shape.end() - 1, 2);
  std::vector<int> order(shape.size());
  for (size_t d = 0; d < order.size(); ++d)
    order[d] = static_cast<int>(d);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  Layout halves = need(need(layout.reshaped(shape)).permuted(order));
  Value isLower = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, coordinate(halves, last(halves)),
      constant(as(halves, b.getI32Type()), 0));
  return relabel(select(isLower, spread(lower, halves), spread(upper, halves)),
                 layout);
}

/// All tensors through shared memory at once: as integers of one width, side by side
/// in registers.
FailureOr<Tiles> RowsByRegion::exchange(ArrayRef<Value> tiles,
                                        const Layout &from, const Layout &to) {
  int64_t count = static_cast<int64_t>(llvm::PowerOf2Ceil(tiles.size()));
  if (count == 1) {
    auto moved = c.convertLayout(tiles[0], as(to, elementOf(tiles[0])));
    if (failed(moved))
      return failure();
    return Tiles{*moved};
  }
  unsigned width = 32;
  for (Value tile : tiles)
    width = std::max(width, elementOf(tile).getIntOrFloatBitWidth());
  Type word = b.getIntegerType(width);
  Layout joined = need(from.joined(count)), wanted = need(to.joined(count));
  Value all;
  for (auto [i, tile] : llvm::enumerate(tiles)) {
    Type element = elementOf(tile);
    Value bits = tile;
    if (isa<FloatType>(element))
      bits = arith::BitcastOp::create(
          b, as(from, b.getIntegerType(element.getIntOrFloatBitWidth())), bits);
    if (element.getIntOrFloatBitWidth() < width)
      bits = arith::ExtUIOp::create(b, as(from, word), bits);
    bits = spread(bits, joined)[0];
    if (all) {
      Value isThis = arith::CmpIOp::create(
          b, arith::CmpIPredicate::eq, coordinate(joined, last(joined)),
          constant(as(joined, b.getI32Type()), static_cast<int64_t>(i)));
      bits = arith::SelectOp::create(b, isThis, bits, all);
    }
    all = bits;
  }
  auto moved = c.convertLayout(all, as(wanted, word));
  if (failed(moved))
    return failure();
  Tiles results;
  for (auto [i, tile] : llvm::enumerate(tiles)) {
    Type element = elementOf(tile);
    Value bits =
        relabel(one(*moved, wanted, static_cast<int64_t>(i)), to).front();
    Type narrow = b.getIntegerType(element.getIntOrFloatBitWidth());
    if (narrow != word)
      bits = arith::TruncIOp::create(b, as(to, narrow), bits);
    if (isa<FloatType>(element))
      bits = arith::BitcastOp::create(b, as(to, element), bits);
    results.push_back(bits);
  }
  return results;
}

/// The layout with all digits of warps in registers, or, as far as there is room, in
/// lanes that all have the same.
static Layout withoutWarps(const Layout &layout, bool inLanes = false) {
  std::vector<Axis> axes = layout.canonical().axes();
  auto replica = [](int64_t extent) {
    return Digit{extent, Digit::replica, 0};
  };
  auto move = [&](const Digit &digit) {
    std::vector<Digit> &lanes = axes[1].digits;
    for (size_t i = 0; inLanes && i < lanes.size(); ++i) {
      int64_t room = lanes[i].extent;
      if (lanes[i].isExclusive() || lanes[i].dim != Digit::replica ||
          room % digit.extent)
        continue;
      lanes[i] = digit;
      if (room > digit.extent)
        lanes.insert(lanes.begin() + static_cast<ptrdiff_t>(i) + 1,
                     replica(room / digit.extent));
      return;
    }
    axes[0].digits.push_back(digit);
  };
  for (Digit &digit : axes[2].digits)
    if (!digit.isExclusive() && digit.dim > 0) {
      move(digit);
      digit = replica(digit.extent);
    }
  auto made = Layout::make(axes, layout.dims(), layout.offset());
  assert(made && "digits");
  return made->normalized();
}

/// Digits of registers, or of lanes, are taken away.
LogicalResult RowsByRegion::reduceDigits(int axis, Tiles &tiles,
                                         Layout &layout) {
  for (int dim = last(layout); dim > 0; --dim) {
    if (axisOf(layout, dim) > axis)
      continue;
    std::vector<int> order;
    for (int d = 0; d < layout.rank(); ++d)
      if (d != dim)
        order.push_back(d);
    order.push_back(dim);
    layout = need(layout.permuted(order));
    tiles = relabel(tiles, layout);
    if (axis == 0) {
      Tiles sum = one(tiles, layout, 0);
      for (int64_t i = 1; i < extent(layout); ++i) {
        auto both = combine(sum, one(tiles, layout, i));
        if (failed(both))
          return failure();
        sum = *both;
      }
      tiles = sum;
      layout = need(layout.withoutDim(last(layout)));
      continue;
    }
    for (int64_t step = 1; step < extent(layout); step *= 2) {
      Value there =
          arith::XOrIOp::create(b, coordinate(layout, last(layout)),
                                constant(as(layout, b.getI32Type()), step));
      auto both = combine(tiles, gather(tiles, there));
      if (failed(both))
        return failure();
      tiles = *both;
    }
    tiles = one(tiles, layout, 0);
    layout = need(layout.withoutDim(last(layout)));
  }
  return success();
}

FailureOr<Tiles> RowsByRegion::reduce(Tiles tiles, Layout layout) {
  if (failed(reduceDigits(0, tiles, layout)) ||
      failed(reduceDigits(1, tiles, layout)))
    return failure();
  if (layout.rank() == 1)
    return tiles;
  Layout whole = withoutWarps(layout, /*inLanes=*/true);
  auto moved = exchange(tiles, layout, whole);
  if (failed(moved) || failed(reduceDigits(0, *moved, whole)) ||
      failed(reduceDigits(1, *moved, whole)))
    return failure();
  return moved;
}

Value RowsByRegion::hasBefore(const Layout &layout, int dim) {
  Value some;
  for (int d = dim; d < layout.rank(); ++d) {
    Value has = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne, coordinate(layout, d),
        constant(as(layout, b.getI32Type()),
                 place(0, layout.dims()[d].extent)));
    some = some ? arith::OrIOp::create(b, some, has).getResult() : has;
  }
  return some;
}

/// Each row of the last digit by itself.
FailureOr<Tiles> RowsByRegion::scanLast(ArrayRef<Value> tiles,
                                        const Layout &layout) {
  int64_t count = extent(layout);
  if (axisOf(layout, last(layout)) <= 0) {
    SmallVector<Tiles> parts(count);
    for (int64_t i = 0; i < count; ++i) {
      Tiles next = one(tiles, layout, place(i, count));
      if (i) {
        auto both = combine(parts[place(i - 1, count)], next);
        if (failed(both))
          return failure();
        next = *both;
      }
      parts[place(i, count)] = next;
    }
    return assemble(parts, layout);
  }
  Tiles now(tiles);
  RankedTensorType places = as(layout, b.getI32Type());
  Value here = coordinate(layout, last(layout));
  for (int64_t k = 1; k < count; k *= 2) {
    Value step = constant(places, k);
    Value there = reverse ? arith::AddIOp::create(b, here, step).getResult()
                          : arith::SubIOp::create(b, here, step).getResult();
    Value has = arith::CmpIOp::create(
        b, reverse ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge,
        there, constant(places, reverse ? count : 0));
    there = arith::SelectOp::create(b, has, there, here);
    auto both = combine(gather(now, there), now);
    if (failed(both))
      return failure();
    now = select(has, *both, now);
  }
  return now;
}

/// What stands before each element, along all digits; anything where that is
/// nothing.
FailureOr<Tiles> RowsByRegion::before(ArrayRef<Value> tiles,
                                      const Layout &layout) {
  int64_t count = extent(layout);
  if (axisOf(layout, last(layout)) == 2) {
    Layout whole = withoutWarps(layout);
    auto moved = exchange(tiles, layout, whole);
    auto found = failed(moved) ? moved : before(*moved, whole);
    if (failed(found))
      return failure();
    for (Value &tile : *found) {
      auto back = c.convertLayout(tile, as(layout, elementOf(tile)));
      if (failed(back))
        return failure();
      tile = *back;
    }
    return found;
  }
  auto rows = scanLast(tiles, layout);
  if (failed(rows))
    return failure();
  Tiles own;
  if (axisOf(layout, last(layout)) <= 0) {
    SmallVector<Tiles> parts(count);
    for (int64_t i = 0; i < count; ++i)
      parts[place(i, count)] =
          one(*rows, layout, place(std::max<int64_t>(i - 1, 0), count));
    own = assemble(parts, layout);
  } else {
    RankedTensorType places = as(layout, b.getI32Type());
    Value here = coordinate(layout, last(layout));
    Value there =
        arith::AddIOp::create(b, here, constant(places, reverse ? 1 : -1));
    own = gather(*rows, arith::SelectOp::create(
                            b, hasBefore(layout, last(layout)), there, here));
  }
  if (layout.rank() == 2)
    return own;
  Layout outer = need(layout.withoutDim(last(layout)));
  auto found = before(one(*rows, layout, place(count - 1, count)), outer);
  if (failed(found))
    return failure();
  Tiles all = spread(*found, layout);
  auto both = combine(all, own);
  if (failed(both))
    return failure();
  Value has = spread(hasBefore(outer, 1), layout)[0];
  return select(hasBefore(layout, last(layout)), select(has, *both, own), all);
}

FailureOr<Tiles> RowsByRegion::scan(Tiles tiles, const Layout &layout) {
  // A digit of warps is never the innermost here: its rows have one element.
  if (axisOf(layout, last(layout)) == 2) {
    Layout thin = need(layout.joined(1));
    auto done = scan(relabel(tiles, thin), thin);
    if (failed(done))
      return failure();
    return relabel(*done, layout);
  }
  auto rows = scanLast(tiles, layout);
  if (failed(rows) || layout.rank() == 2)
    return rows;
  Layout outer = need(layout.withoutDim(last(layout)));
  auto found = before(
      one(*rows, layout, place(extent(layout) - 1, extent(layout))), outer);
  if (failed(found))
    return failure();
  auto both = combine(spread(*found, layout), *rows);
  if (failed(both))
    return failure();
  return select(spread(hasBefore(outer, 1), layout)[0], *both, *rows);
}

/// `layout`, whose last dimension are rows, with all others as one dimension and a
/// dimension for each digit of a row; none: rows have no digits, or too many.
static std::optional<Layout> byDigits(const Layout &layout) {
  auto digits = digitsAlong(layout, layout.rank() - 1);
  if (!digits || digits->size() + 2 > static_cast<size_t>(Coord::maxRank))
    return std::nullopt;
  std::vector<int64_t> shape{1};
  for (const Dim &dim : layout.dims())
    shape.front() *= dim.extent;
  for (const RowDigit &digit : llvm::reverse(*digits)) {
    if (digit.axis > 2 || !llvm::isPowerOf2_64(digit.extent))
      return std::nullopt;
    shape.push_back(digit.extent);
    shape.front() /= digit.extent;
  }
  if (shape.size() == 1)
    shape.push_back(1);
  auto made = layout.canonical().reshaped(shape);
  return made ? std::optional<Layout>(*made) : std::nullopt;
}

/// `combine` of tensors along `axis`; then each result, of type `layout` but for the
/// dimensions that it takes away, is handed on.
static LogicalResult
alongRows(ProgramConversion &c, Operation *op, int64_t axis,
          llvm::function_ref<FailureOr<Tiles>(Tiles, const Layout &)> combine,
          llvm::function_ref<LogicalResult(Value result, Value tile,
                                           const Layout &rows)>
              finish) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> order, shape;
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis)
      order.push_back(d);
  order.push_back(axis);
  for (int64_t d : order)
    shape.push_back(type.getDimSize(d));
  // Where the operand lies, if its rows have digits, or nearly there.
  auto home =
      TensorLayouts::permuted(op, c.layouts.of(op), type.getShape(), order);
  if (failed(home))
    return failure();
  auto layoutOf = [&](Attribute attribute) {
    return getTileLayout(
        RankedTensorType::get(shape, c.b.getI32Type(), attribute));
  };
  Attribute chosen = *home;
  auto rows = rowsByDigits(*layoutOf(chosen), static_cast<int>(rank) - 1);
  std::optional<Layout> digits = rows ? byDigits(*rows) : std::nullopt;
  if (digits && !(*rows == *layoutOf(chosen)))
    chosen = LayoutTextAttr::get(op->getContext(), rows->str());
  if (!digits) {
    chosen = rowsOfWarps(c, shape);
    digits = byDigits(*layoutOf(chosen));
  }
  if (!digits)
    return c.unsupported(op, "combining along rows of this layout");
  SmallVector<int64_t> dims(rank);
  for (auto [at, d] : llvm::enumerate(order))
    dims[d] = static_cast<int64_t>(at);
  Tiles tiles;
  for (Value operand : op->getOperands()) {
    Type element = c.elementOf(operand.getType());
    auto tile = c.tile(
        operand, View(RankedTensorType::get(shape, element, chosen), dims));
    if (failed(tile))
      return failure();
    tiles.push_back(c.relabel(
        *tile, RankedTensorType::get(
                   digits->shape(), element,
                   LayoutTextAttr::get(op->getContext(), digits->str()))));
  }
  auto done = combine(tiles, *digits);
  if (failed(done))
    return failure();
  for (auto [result, tile] : llvm::zip(op->getResults(), *done))
    if (failed(finish(result, tile, *layoutOf(chosen))))
      return failure();
  return success();
}

LogicalResult titan::reduceByRegion(ProgramConversion &c, tt::ReduceOp op) {
  RowsByRegion rows(c, op.getCombine(), /*reverse=*/false);
  return alongRows(
      c, op, op.getAxis(),
      [&](Tiles tiles, const Layout &layout) {
        return rows.reduce(std::move(tiles), layout);
      },
      [&](Value result, Value tile, const Layout &layout) -> LogicalResult {
        Type element = getElementTypeOrSelf(tile.getType());
        if (!isa<RankedTensorType>(result.getType())) {
          c.set(result, titan::UnsplatOp::create(c.b, element, tile));
          return success();
        }
        auto left = layout.withoutDim(layout.rank() - 1);
        assert(left && "rows have digits");
        auto now = c.convertLayout(
            c.relabel(tile,
                      RankedTensorType::get(
                          left->shape(), element,
                          LayoutTextAttr::get(c.b.getContext(), left->str()))),
            c.typeOf(result, c.layoutOf(result)));
        if (failed(now))
          return failure();
        c.set(result, *now);
        return success();
      });
}

LogicalResult titan::scanByRegion(ProgramConversion &c, tt::ScanOp op) {
  RowsByRegion rows(c, op.getCombine(), op.getReverse());
  int64_t axis = op.getAxis();
  return alongRows(
      c, op, axis,
      [&](Tiles tiles, const Layout &layout) {
        return rows.scan(std::move(tiles), layout);
      },
      [&](Value result, Value tile, const Layout &layout) -> LogicalResult {
        Value whole = c.relabel(
            tile, RankedTensorType::get(
                      layout.shape(), getElementTypeOrSelf(tile.getType()),
                      LayoutTextAttr::get(c.b.getContext(), layout.str())));
        // The axis back to its place.
        SmallVector<int64_t> order;
        for (int64_t d = 0; d + 1 < layout.rank(); ++d)
          order.push_back(d);
        order.insert(order.begin() + axis, layout.rank() - 1);
        auto back = c.permute(whole, order);
        if (failed(back))
          return failure();
        auto now = c.convertLayout(*back, c.typeOf(result, c.layoutOf(result)));
        if (failed(now))
          return failure();
        c.set(result, *now);
        return success();
      });
}
