//===- Regions.cpp - reductions and scans ---------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What combines two elements is a region in tt, and a word in titan IR: a reduction
// by a region of one operation on its two arguments is titan.reduce by that
// operation's word. Other reductions, and all scans, are written out (RowsByRegion.cpp).
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "titan/Layout/Rows.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace titan;

std::optional<ReduceKind> titan::kindOf(Region &region) {
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

BlockedAttr titan::rowsOfWarps(ProgramConversion &c, ArrayRef<int64_t> shape) {
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

/// Elements in any order as rows, each of which lanes of one warp have: `flat` is a
/// layout of them as they come, `rows` the same registers as rows.
struct RowsOfLanes {
  SmallVector<int64_t> shape;
  Attribute flat, rows;
};

/// Where `source` is, if no thread has an element that another one has.
static FailureOr<RowsOfLanes> rowsOfLanes(ProgramConversion &c, Operation *op,
                                          Value source) {
  int64_t count = cast<RankedTensorType>(source.getType()).getNumElements(),
          lanes = std::min(count, c.options.lanes);
  RowsOfLanes result{{count / lanes, lanes}, c.layoutOf(source), {}};
  auto home = getTileLayout(c.typeOf(source, result.flat));
  if (home && home->isInjective() && home->lanes() == lanes) {
    std::vector<Axis> axes = home->axes();
    int64_t registers = axes[0].size();
    axes[0].digits = {Digit{registers, 0, 1}};
    axes[1].digits = {Digit{lanes, 1, 1}};
    axes[2].digits = {Digit{axes[2].size(), 0, registers}};
    auto rows = Layout::make(
        axes, {Dim{"r", result.shape[0]}, Dim{"c", result.shape[1]}});
    if (rows) {
      result.rows =
          LayoutTextAttr::get(op->getContext(), rows->normalized().str());
      return result;
    }
  }
  result.rows = rowsOfWarps(c, result.shape);
  auto flat = TensorLayouts::reshaped(op, result.rows, result.shape, {count});
  if (failed(flat))
    return failure();
  result.flat = *flat;
  return result;
}

/// A lane is to count, of each row, those that are its own numbers. The row's bits of
/// one place are a word, a bit an element; where a number has that bit, the word, else
/// its complement, has the elements that may be it, and what all words have in common
/// are those that are. (titan.reduce or of such bits is a ballot.)
static LogicalResult convertHistogram(ProgramConversion &c,
                                      tt::HistogramOp op) {
  int64_t bins = op.getType().getNumElements();
  RankedTensorType type = c.typeOf(op.getResult(), c.layoutOf(op.getResult()));
  if (type.getElementTypeBitWidth() != 32)
    return c.unsupported(op, "a histogram of other numbers than i32");
  auto found = rowsOfLanes(c, op, op.getSrc());
  if (failed(found))
    return failure();
  ImplicitLocOpBuilder &b = c.b;
  Type i32 = b.getI32Type();
  auto rowsOf = [&](Value value) -> FailureOr<Value> {
    auto tile = c.tile(value, found->flat);
    if (failed(tile))
      return failure();
    return c.relabel(*tile, RankedTensorType::get(found->shape,
                                                  c.elementOf(value.getType()),
                                                  found->rows));
  };
  auto constant = [&](RankedTensorType of, int64_t number) -> Value {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               of, b.getIntegerAttr(of.getElementType(), number)));
  };
  auto source = rowsOf(op.getSrc());
  auto mask = op.getMask() ? rowsOf(op.getMask()) : FailureOr<Value>(Value());
  if (failed(source) || failed(mask))
    return failure();
  auto elements = cast<RankedTensorType>(source->getType());
  RankedTensorType words = elements.clone(i32);
  Value lane = CoordinateOp::create(b, words, b.getI64IntegerAttr(1));
  // A word for each row, in all lanes of its warp.
  auto word = [&](Value bits) -> Value {
    Value own =
        arith::ShLIOp::create(b, arith::ExtUIOp::create(b, words, bits), lane);
    return titan::ReduceOp::create(b, ProgramConversion::without(words, 1),
                                   ReduceKind::Or, own, Value(), IntegerAttr(),
                                   IntegerAttr());
  };
  // The numbers: as many lanes as there are, the rest in registers.
  auto rows = getTileLayout(
      cast<RankedTensorType>(ProgramConversion::without(words, 1)));
  if (!rows)
    return refuseRows(op, rows.problem());
  std::vector<Axis> axes = rows->canonical().axes();
  int64_t lanes = std::min(bins, c.options.lanes);
  axes[0].digits.push_back(Digit{bins / lanes, 1, lanes});
  axes[1].digits = {Digit{lanes, 1, 1},
                    Digit{c.options.lanes / lanes, Digit::replica, 0}};
  auto all = Layout::make(axes, {Dim{"r", found->shape[0]}, Dim{"c", bins}});
  if (!all)
    return refuseRows(op, all.problem());
  auto counts = RankedTensorType::get(
      {found->shape[0], bins}, i32,
      LayoutTextAttr::get(op.getContext(), all->normalized().str()));
  auto spread = [&](Value row) -> Value {
    return BroadcastOp::create(
        b, counts, c.relabel(row, ProgramConversion::without(counts, 1)));
  };
  Value number = CoordinateOp::create(b, counts, b.getI64IntegerAttr(1));
  // A row may be shorter than a word.
  Value are =
      *mask
          ? spread(word(*mask))
          : constant(counts, llvm::maskTrailingOnes<uint32_t>(found->shape[1]));
  for (int64_t place = 0; (int64_t(1) << place) < bins; ++place) {
    Value bits = arith::TruncIOp::create(
        b, elements.clone(b.getI1Type()),
        arith::ShRUIOp::create(b, *source, constant(elements, place)));
    // All ones where the number does not have the bit.
    Value flip = arith::SubIOp::create(
        b,
        arith::AndIOp::create(
            b, arith::ShRUIOp::create(b, number, constant(counts, place)),
            constant(counts, 1)),
        constant(counts, 1));
    are = arith::AndIOp::create(
        b, are, arith::XOrIOp::create(b, spread(word(bits)), flip));
  }
  Value counted = math::CtPopOp::create(b, are);
  // Sums along rows, and through shared memory along warps.
  auto turned = c.permute(counted, {1, 0});
  if (failed(turned))
    return failure();
  auto moved = cast<RankedTensorType>(turned->getType());
  auto digits = rowsByDigits(*getTileLayout(moved), 1);
  auto cut = digits ? cutRows(*digits) : Result<RowParts>(digits.problem());
  if (!cut)
    return refuseRows(op, cut.problem());
  Value memory = cut->parts > 1 ? c.scratch(i32, bins * cut->parts) : Value();
  Value sums = titan::ReduceOp::create(b, ProgramConversion::without(moved, 1),
                                       ReduceKind::Add, *turned, memory,
                                       IntegerAttr(), IntegerAttr());
  auto now = c.convertLayout(sums, type);
  if (failed(now))
    return failure();
  c.set(op.getResult(), *now);
  return success();
}

FailureOr<Value> titan::reduceAlong(ProgramConversion &c, Operation *op,
                                    Value whole, int64_t axis,
                                    ReduceKind kind) {
  auto type = cast<RankedTensorType>(whole.getType());
  auto tile = c.withLast(whole, axis);
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
  if (cut->parts > 1) {
    // A bit has no place in memory. Of numbers that are 0 or -1, the last bit of the
    // result is the result of the bits, with a sign and without.
    if (Type bit = type.getElementType(); bit.isInteger(1)) {
      auto wide = reduceAlong(
          c, op,
          arith::ExtSIOp::create(c.b, type.clone(c.b.getI8Type()), whole), axis,
          kind);
      if (failed(wide))
        return failure();
      return Value(arith::TruncIOp::create(
          c.b, cast<RankedTensorType>(wide->getType()).clone(bit), *wide));
    }
    memory =
        c.scratch(type.getElementType(),
                  type.getNumElements() / type.getDimSize(axis) * cut->parts);
  }
  return Value(titan::ReduceOp::create(
      c.b, ProgramConversion::without(moved, moved.getRank() - 1), kind, *tile,
      memory, IntegerAttr(), IntegerAttr()));
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
  auto sums = reduceAlong(c, op, *whole, axis, kind);
  if (failed(sums))
    return failure();
  if (!isa<RankedTensorType>(result.getType())) {
    c.set(result, titan::UnsplatOp::create(
                      c.b, getElementTypeOrSelf(sums->getType()), *sums));
    return success();
  }
  auto now = c.reshape(*sums, c.typeOf(result, c.layoutOf(result)));
  if (failed(now))
    return failure();
  c.set(result, *now);
  return success();
}

void titan::populateTritonRegions(TritonToTitanTable &table) {
  table.convert<tt::ReduceOp>(convertReduce);
  table.convert<tt::HistogramOp>(convertHistogram);
  table.convert<tt::ScanOp>(scanByRegion);
}
