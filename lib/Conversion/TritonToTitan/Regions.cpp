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

void titan::populateTritonRegions(TritonToTitanTable &table) {
  table.convert<tt::ReduceOp>(convertReduce);
  table.convert<tt::HistogramOp>(convertHistogram);
  table.convert<tt::ScanOp>(scanByRegion);
}
