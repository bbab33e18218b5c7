//===- Regions.cpp - reductions and scans ---------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What combines two elements is a region in tt, and a word in titan IR: a region
// of one operation on its two arguments is that operation's word.
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

template <typename Op>
static FailureOr<ReduceKind> wordOf(ProgramConversion &c, Op op) {
  if (op.getSrcs().size() != 1)
    return c.unsupported(op, "several tensors combined together");
  auto kind = kindOf(op.getCombine());
  if (!kind)
    return c.unsupported(op, "combining by more than one operation: words are "
                             "sums, products, maxima, minima, and, or, xor");
  return *kind;
}

static LogicalResult refuseRows(Operation *op, const Problem &problem) {
  return op->emitError("[") << problem.code << "] " << problem.message;
}

static LogicalResult convertReduce(ProgramConversion &c, tt::ReduceOp op) {
  auto kind = wordOf(c, op);
  if (failed(kind))
    return failure();
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
      c.b, ProgramConversion::without(moved, moved.getRank() - 1), *kind, *tile,
      memory, IntegerAttr(), IntegerAttr());
  if (!isa<RankedTensorType>(result.getType())) {
    c.set(result, titan::UnsplatOp::create(c.b, type.getElementType(), sums));
    return success();
  }
  c.set(result, c.relabel(sums, c.typeOf(result, c.layoutOf(result))));
  return success();
}

static LogicalResult convertScan(ProgramConversion &c, tt::ScanOp op) {
  auto kind = wordOf(c, op);
  if (failed(kind))
    return failure();
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
                              ReduceKindAttr::get(c.b.getContext(), *kind),
                              *tile, c.b.getI64IntegerAttr(axis),
                              op.getReverse() ? c.b.getUnitAttr() : UnitAttr(),
                              memory, IntegerAttr(), IntegerAttr()));
  return success();
}

void titan::populateTritonRegions(TritonToTitanTable &table) {
  table.convert<tt::ReduceOp>(convertReduce);
  table.convert<tt::ScanOp>(convertScan);
}
