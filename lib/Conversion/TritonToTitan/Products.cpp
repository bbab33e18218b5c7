//===- Products.cpp - products of tensors ---------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By mma.sync, or, of what it does not multiply, element by element: both operands go
// to shared memory, of which each thread reads, for one product of all its sums after
// another, what of a column of A and of a row of B they take. Of many products a loop
// has some.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

using namespace mlir;
using namespace titan;

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A thread's products that are written out, and lines of which they are; of more, a
/// loop's.
static constexpr int64_t mostProducts = 2048, mostLines = 128;

/// What mma.sync multiplies elements of this type as: 8-bit floats are f16, too.
static Type fragmentElement(Type element) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(element)
             ? Float16Type::get(element.getContext())
             : element;
}

bool titan::isByFragments(tt::DotOp op) {
  RankedTensorType a = tensorOf(op.getA()), d = tensorOf(op.getD());
  Type left = fragmentElement(a.getElementType()),
       right = fragmentElement(tensorOf(op.getB()).getElementType()),
       to = d.getElementType();
  auto precision = op.getInputPrecision();
  bool parts = precision == tt::InputPrecision::TF32 ||
               precision == tt::InputPrecision::TF32x3;
  if (a.getRank() != 2 || left != right ||
      !((left.isF16() && (to.isF32() || to.isF16())) ||
        (left.isBF16() && to.isF32()) ||
        (left.isF32() && to.isF32() && parts) ||
        (left.isInteger(8) && to.isInteger(32))))
    return false;
  int64_t step = 128 / left.getIntOrFloatBitWidth();
  return d.getDimSize(0) % 16 == 0 && d.getDimSize(1) % 8 == 0 &&
         a.getDimSize(1) % step == 0;
}

/// `tile` with other elements, wider floats or integers.
static Value widen(ProgramConversion &c, Value tile, Type element) {
  RankedTensorType type = tensorOf(tile).clone(element);
  if (tile.getType() == type)
    return tile;
  if (isa<FloatType>(element))
    return arith::ExtFOp::create(c.b, type, tile);
  return arith::ExtSIOp::create(c.b, type, tile);
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// f32 as a sum of two: what mma.sync reads of it, and the rest.
static std::pair<Value, Value> splitTf32(ProgramConversion &c, Value x) {
  RankedTensorType type = tensorOf(x), bits = type.clone(c.b.getI32Type());
  Value mask = arith::ConstantOp::create(
      c.b, DenseElementsAttr::get(
               bits, c.b.getI32IntegerAttr(static_cast<int32_t>(0xFFFFE000))));
  Value high = arith::BitcastOp::create(
      c.b, type,
      arith::AndIOp::create(c.b, arith::BitcastOp::create(c.b, bits, x), mask));
  return {high, arith::SubFOp::create(c.b, x, high)};
}

static LogicalResult byFragments(ProgramConversion &c, tt::DotOp op) {
  auto grid = cast<MmaSyncAttr>(c.layoutOf(op.getD()));
  RankedTensorType a = tensorOf(op.getA()), b = tensorOf(op.getB());
  MLIRContext *context = op.getContext();
  Type element = fragmentElement(a.getElementType());
  int64_t bits = element.getIntOrFloatBitWidth();
  auto left =
      c.tile(op.getA(), Attribute(MmaSyncAAttr::get(
                            context, bits, grid.getRows(), grid.getColumns())));
  // B is N x K here.
  auto type = RankedTensorType::get(
      {b.getDimSize(1), b.getDimSize(0)}, b.getElementType(),
      MmaSyncBAttr::get(context, bits, grid.getRows(), grid.getColumns()));
  auto right = c.tile(op.getB(), View(type, {1, 0}));
  auto sums = c.tile(op.getC(), grid);
  if (failed(left) || failed(right) || failed(sums))
    return failure();
  auto multiply = [&](Value x, Value y, Value to) -> Value {
    return MmaSyncOp::create(c.b, to.getType(), x, y, to, /*unsigned_a=*/false,
                             /*unsigned_b=*/false, /*saturate=*/false);
  };
  Value x = widen(c, *left, element), y = widen(c, *right, element);
  if (!element.isF32() || op.getInputPrecision() == tt::InputPrecision::TF32) {
    c.set(op.getD(), multiply(x, y, *sums));
    return success();
  }
  // Three products. Of what is not finite the rest is a NaN, and the first has all.
  auto [highX, lowX] = splitTf32(c, x);
  auto [highY, lowY] = splitTf32(c, y);
  Value zero = arith::ConstantOp::create(
      c.b, DenseElementsAttr::get(tensorOf(*sums), c.b.getF32FloatAttr(0)));
  Value rest = multiply(highX, lowY, multiply(lowX, highY, zero));
  Value bad = arith::CmpFOp::create(c.b, arith::CmpFPredicate::UNO, rest, rest);
  rest = arith::SelectOp::create(c.b, bad, zero, rest);
  c.set(op.getD(),
        multiply(highX, highY, arith::AddFOp::create(c.b, *sums, rest)));
  return success();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// An operand in shared memory, a row for each element of a sum: K x ... x M, or
/// K x ... x N.
static FailureOr<Value> putLines(ProgramConversion &c, tt::DotOp op,
                                 Value operand, int64_t summed, int64_t at) {
  RankedTensorType type = tensorOf(operand);
  SmallVector<int64_t> order{summed}, dims(type.getRank()), shape;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != summed)
      order.push_back(d);
  for (auto [to, from] : llvm::enumerate(order)) {
    dims[from] = static_cast<int64_t>(to);
    shape.push_back(type.getDimSize(from));
  }
  auto layout =
      TensorLayouts::permuted(op, c.layoutOf(operand), type.getShape(), order);
  if (failed(layout))
    return failure();
  auto tile = c.tile(
      operand,
      View(RankedTensorType::get(shape, type.getElementType(), *layout), dims));
  if (failed(tile))
    return failure();
  Value memory = c.scratch(type.getElementType(), shape, at);
  SharedStoreOp::create(c.b, *tile, memory);
  return memory;
}

/// How many lines that putLines has put there are a multiple of what a buffer begins
/// at; all of them, where there are fewer.
static int64_t alignedLines(Value memory) {
  auto all = cast<SharedType>(memory.getType());
  int64_t extent = all.getShape().front(), bytes = all.getTileBytes() / extent;
  return std::clamp<int64_t>(all.getAlignment() / bytes, 1, extent);
}

namespace {
/// What of the lines that putLines has put there sums take that lie without dimension
/// `axis` as they do.
class Lines {
public:
  Lines(ProgramConversion &c, Value memory, RankedTensorType sums, int64_t axis)
      : c(c), memory(memory), sums(sums), axis(axis) {
    together = alignedLines(memory); // A view begins where a buffer may.
  }
  /// Line `k`, for all sums. In order: it loads the ones behind it, too.
  FailureOr<Value> get(int64_t k) {
    if (k % together == 0 && failed(load(k)))
      return failure();
    auto type = tensorOf(loaded);
    SmallVector<int64_t> offsets(type.getRank(), 0), shape(type.getShape());
    offsets.front() = k % together;
    shape.front() = 1;
    auto part = getTileLayout(type)->slice({offsets.begin(), offsets.end()},
                                           {shape.begin(), shape.end()});
    assert(part && "registers");
    Value row =
        ExtractOp::create(c.b, typeOf(shape, part->layout), loaded, offsets);
    row = c.relabel(row, ProgramConversion::without(
                             sums.clone(type.getElementType()), axis));
    return c.repeat(widen(c, row, sums.getElementType()), sums, axis);
  }

private:
  RankedTensorType typeOf(ArrayRef<int64_t> shape, const Layout &layout) {
    return RankedTensorType::get(
        shape, cast<SharedType>(memory.getType()).getElementType(),
        LayoutTextAttr::get(c.b.getContext(), layout.str()));
  }
  LogicalResult load(int64_t k) {
    auto all = cast<SharedType>(memory.getType());
    SmallVector<int64_t> shape(all.getShape()), offsets(shape.size(), 0);
    shape.front() = together;
    offsets.front() = k;
    std::vector<int> order;
    int rank = static_cast<int>(shape.size());
    for (int d = 0; d < rank; ++d)
      order.push_back((d + rank - 1) % rank);
    auto lines = getTileLayout(sums)->withoutDim(static_cast<int>(axis));
    if (lines)
      lines = lines->joined(together);
    if (lines)
      lines = lines->permuted(order);
    if (!lines)
      return emitError(c.b.getLoc(), "[")
             << lines.problem().code << "] " << lines.problem().message;
    Value view =
        SharedViewOp::create(c.b,
                             SharedType::get(c.b.getContext(), shape,
                                             all.getElementType(), 0, 1, false),
                             memory, offsets);
    loaded = SharedLoadOp::create(c.b, typeOf(shape, *lines), view);
    return success();
  }

  ProgramConversion &c;
  Value memory, loaded;
  RankedTensorType sums;
  int64_t axis, together;
};
} // namespace

static LogicalResult byElements(ProgramConversion &c, tt::DotOp op) {
  RankedTensorType type = c.typeOf(op.getD(), c.layoutOf(op.getD()));
  Type to = type.getElementType();
  Type number = !isa<FloatType>(to) || to.isF64() ? to : c.b.getF32Type();
  RankedTensorType sums = type.clone(number), a = tensorOf(op.getA());
  int64_t rank = type.getRank(), extent = a.getShape().back();
  auto start = c.tile(op.getC(), View(type));
  auto rows = putLines(c, op, op.getA(), rank - 1, 0);
  if (failed(start) || failed(rows))
    return failure();
  auto columns = putLines(c, op, op.getB(), rank - 2,
                          cast<SharedType>(rows->getType()).getSlotBytes());
  if (failed(columns))
    return failure();
  Value sum = widen(c, *start, number);
  /// Adds the products of these lines, the first `count` of them.
  auto add = [&](Value rows, Value columns, int64_t count) -> LogicalResult {
    Lines left(c, rows, sums, rank - 1), right(c, columns, sums, rank - 2);
    for (int64_t k = 0; k < count; ++k) {
      auto x = left.get(k), y = right.get(k);
      if (failed(x) || failed(y))
        return failure();
      if (isa<FloatType>(number))
        sum = math::FmaOp::create(c.b, *x, *y, sum);
      else
        sum =
            arith::AddIOp::create(c.b, arith::MulIOp::create(c.b, *x, *y), sum);
    }
    return success();
  };
  int64_t together = std::clamp<int64_t>(
      mostProducts / getTileLayout(sums)->axes()[0].size(), 1, mostLines);
  for (Value memory : {*rows, *columns}) // A slot begins where a buffer may.
    together = std::max(together, alignedLines(memory));
  if (together >= extent) {
    if (failed(add(*rows, *columns, extent)))
      return failure();
  } else {
    // Once, not before the first lines of each round.
    CtaSyncOp::create(c.b);
    Type i32 = c.b.getI32Type();
    auto loop = scf::ForOp::create(c.b, c.constant(i32, 0),
                                   c.constant(i32, extent / together),
                                   c.constant(i32, 1), sum);
    OpBuilder::InsertionGuard guard(c.b);
    c.b.setInsertionPointToStart(loop.getBody());
    sum = loop.getRegionIterArg(0);
    auto part = [&](Value memory) -> Value {
      auto all = cast<SharedType>(memory.getType());
      SmallVector<int64_t> shape(all.getShape());
      shape.front() = together;
      auto ring = SharedType::get(c.b.getContext(), shape, all.getElementType(),
                                  0, extent / together, false);
      return SharedSlotOp::create(c.b, ring.getSlotType(),
                                  SharedReuseOp::create(c.b, ring, memory, 0),
                                  loop.getInductionVar());
    };
    Value left = part(*rows), right = part(*columns);
    if (failed(add(left, right, together)))
      return failure();
    scf::YieldOp::create(c.b, sum);
    sum = loop.getResult(0);
  }
  if (number != to)
    sum = arith::TruncFOp::create(c.b, type, sum);
  c.set(op.getD(), sum);
  return success();
}

static LogicalResult convertDot(ProgramConversion &c, tt::DotOp op) {
  return isByFragments(op) ? byFragments(c, op) : byElements(c, op);
}

void titan::populateTritonProducts(TritonToTitanTable &table) {
  table.convert<tt::DotOp>(convertDot);
}
