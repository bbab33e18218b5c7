//===- ExpandExchanges.cpp - tiles between warps, by shared memory --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile that goes between warps is stored, and loaded behind a barrier. Where
// each element lies meanwhile lib/Layout/Conversion.h says; here that becomes
// operations, of which four move nothing:
//
//   convert_layout   registers in the order that makes vectors of them
//   relabel          elements by their places in the scratch
//   shared.store, a barrier, shared.load
//   relabel, convert_layout
//
// Reductions, scans and gathers go along digits; where the layout mixes their
// dimension with others by exclusive or, conversions stand around them (Rows.h).
//
// A reduction between warps is one within each of them, an exchange of the parts,
// and one of what each thread then holds. So is a scan, of blocks of each row; what
// the blocks before add to a thread's elements is, by ScanOp's order, for k = 1, 2,
// 4, ... the sum up to block b / k * k - 1 where b / k is odd. A gather is one within
// each warp, once the warp has its rows whole.
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Conversion.h"
#include "titan/Layout/Rows.h"
#include "titan/Transforms/Passes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace titan {
#define GEN_PASS_DEF_EXPANDEXCHANGES
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;

/// The type of a tile of these elements in that layout.
static RankedTensorType typeOf(Type element, const Layout &layout) {
  return RankedTensorType::get(
      layout.shape(), element,
      LayoutTextAttr::get(element.getContext(), layout.str()));
}

/// The same layout by another name needs no operation.
static Value convert(OpBuilder &b, Location loc, Value tile,
                     RankedTensorType type) {
  if (tile.getType() == type)
    return tile;
  return ConvertLayoutOp::create(b, loc, type, tile, Value(), IntegerAttr(),
                                 IntegerAttr());
}

/// Where exclusive or mixes the dimension along which an operation goes with
/// others: the operation on the tile by digits, between two conversions within
/// warps. Null: there are digits.
template <typename Op> static Op byDigits(OpBuilder &b, Op op, int dim) {
  RankedTensorType tile = op.getTile().getType();
  Layout layout = *getTileLayout(tile);
  Result<Layout> rows = rowsByDigits(layout, dim);
  if (!rows || *rows == layout)
    return {};
  Location loc = op.getLoc();
  Type element = tile.getElementType();
  Value converted = convert(b, loc, op.getTile(), typeOf(element, *rows));
  auto made = cast<Op>(b.clone(*op.getOperation()));
  made.getTileMutable().assign(converted);
  // A gather's result lies where its indices do.
  RankedTensorType type = op.getType();
  if (!std::is_same_v<Op, GatherOp>) {
    Result<Layout> result = type == tile ? *rows : rows->withoutDim(dim);
    if (result && !result->sameFunction(*getTileLayout(type)))
      made.getResult().setType(typeOf(element, *result));
  }
  op.getResult().replaceAllUsesWith(convert(b, loc, made.getResult(), type));
  op->erase();
  return made;
}

/// `tile` in the layout of `type`, through the scratch of `op`.
template <typename Op>
static FailureOr<Value> exchange(OpBuilder &b, Op op, Value tile,
                                 RankedTensorType type) {
  Location loc = op.getLoc();
  auto from = cast<RankedTensorType>(tile.getType());
  Type element = from.getElementType();
  auto plan = ScratchPlan::make(*getTileLayout(from), *getTileLayout(type),
                                ::titan::getElementBytes(element));
  if (!plan)
    return op.emitOpError("[")
           << plan.problem().code << "] " << plan.problem().message;
  auto whole = cast<SharedType>(op.getScratch().getType());
  Value scratch = op.getScratch();
  auto part = SharedType::get(b.getContext(), {from.getNumElements()}, element,
                              0, 1, false);
  if (whole != part)
    scratch = SharedViewOp::create(b, loc, part, scratch,
                                   b.getDenseI64ArrayAttr({0}));
  Value stored = convert(b, loc, tile, typeOf(element, plan->stored));
  stored =
      RelabelOp::create(b, loc, typeOf(element, plan->storePlaces), stored);
  SharedStoreOp::create(b, loc, stored, scratch, /*matrix=*/UnitAttr());
  if (op.getBarrier())
    BarrierSyncOp::create(b, loc, *op.getBarrier(), *op.getThreads());
  else
    CtaSyncOp::create(b, loc);
  Value loaded = SharedLoadOp::create(b, loc, typeOf(element, plan->loadPlaces),
                                      scratch, UnitAttr());
  loaded = RelabelOp::create(b, loc, typeOf(element, plan->loaded), loaded);
  return convert(b, loc, loaded, type);
}

static FailureOr<Value> expand(OpBuilder &b, ReduceOp op) {
  Location loc = op.getLoc();
  RankedTensorType tile = op.getTile().getType();
  Type element = tile.getElementType();
  Layout layout = *getTileLayout(tile);
  Result<RowParts> cut = cutRows(layout);
  Result<Layout> rows = layout.withoutDim(layout.rank() - 1);
  Result<Layout> parts =
      cut ? cut->tile.withoutDim(layout.rank()) : cut.problem();
  Result<Layout> together = rows ? rows->joined(cut ? cut->parts : 1) : rows;
  for (const Result<Layout> *each : {&rows, &parts, &together})
    if (!*each)
      return op.emitOpError("[")
             << each->problem().code << "] " << each->problem().message;
  auto reduce = [&](Value value, RankedTensorType type) -> Value {
    return ReduceOp::create(b, loc, type, op.getKind(), value, Value(),
                            IntegerAttr(), IntegerAttr());
  };
  Value value =
      RelabelOp::create(b, loc, typeOf(element, cut->tile), op.getTile());
  value = reduce(value, typeOf(element, *parts));
  FailureOr<Value> exchanged =
      exchange(b, op, value, typeOf(element, *together));
  if (failed(exchanged))
    return failure();
  bool wide = op.getType() == tile;
  value = reduce(*exchanged, wide ? typeOf(element, *rows) : op.getType());
  return wide ? BroadcastOp::create(b, loc, tile, value).getResult() : value;
}

/// Of each row of one tile the elements that another names along the last
/// dimension.
static Value gather(ImplicitLocOpBuilder &b, Value tile, Value indices) {
  auto from = cast<RankedTensorType>(tile.getType()),
       to = cast<RankedTensorType>(indices.getType());
  return GatherOp::create(
      b,
      RankedTensorType::get(to.getShape(), from.getElementType(),
                            to.getEncoding()),
      tile, indices, static_cast<uint64_t>(from.getRank() - 1), Value(),
      IntegerAttr(), IntegerAttr());
}

namespace {
/// The blocks of a scan that the elements of a tile belong to.
struct Blocks {
  ImplicitLocOpBuilder &b;
  ScanOp op;
  int64_t count;
  RankedTensorType type; ///< Of i32.
  Value number;          ///< Of each element; in reverse, from the end.

  Blocks(ImplicitLocOpBuilder &b, ScanOp op, const Layout &tile, int dim)
      : b(b), op(op), count(tile.dims()[dim].extent),
        type(typeOf(b.getI32Type(), tile)),
        number(CoordinateOp::create(b, type, static_cast<uint64_t>(dim))) {
    if (op.getReverse())
      number = arith::SubIOp::create(b, constant(count - 1), number);
  }

  Value constant(int64_t value) {
    return SplatOp::create(
        b, type, arith::ConstantOp::create(b, b.getI32IntegerAttr(value)));
  }
  /// The last block before those that step k takes together with this one.
  Value before(int64_t k) {
    Value last = arith::AndIOp::create(b, number, constant(-k));
    last = arith::SubIOp::create(b, last, constant(1));
    last = arith::MaxSIOp::create(b, last, constant(0));
    return op.getReverse()
               ? arith::SubIOp::create(b, constant(count - 1), last).getResult()
               : last;
  }
  /// Step k: what is `before` comes to the elements whose step it is.
  Value step(int64_t k, Value values, Value before) {
    Value odd = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, number, constant(k)), constant(0));
    Value sum = op.getReverse()
                    ? combineElements(b, op.getKind(), values, before)
                    : combineElements(b, op.getKind(), before, values);
    return arith::SelectOp::create(b, odd, sum, values);
  }
};
} // namespace

static FailureOr<Value> expand(OpBuilder &builder, ScanOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  Type element = op.getType().getElementType();
  Result<RowParts> cut = blockRows(*getTileLayout(op.getType()),
                                   static_cast<int>(op.getDimension()));
  Result<Layout> rows = cut ? cut->tile.withoutDim(cut->tile.rank() - 1)
                            : Result<Layout>(cut.problem());
  Result<Layout> one = rows ? rows->joined(1) : rows;
  Result<Layout> together = rows ? wholeRows(*rows, rows->rank() - 1) : rows;
  for (const Result<Layout> *each : {&rows, &one, &together})
    if (!*each)
      return op.emitOpError("[")
             << each->problem().code << "] " << each->problem().message;
  // Each block by itself, and its last element.
  RankedTensorType tile = typeOf(element, cut->tile);
  Value values = RelabelOp::create(b, tile, op.getTile());
  values = ScanOp::create(b, tile, op.getKind(), values,
                          static_cast<uint64_t>(rows->rank()), op.getReverse(),
                          Value(), IntegerAttr(), IntegerAttr());
  int64_t last = op.getReverse() ? 0 : tile.getShape().back() - 1;
  Value sums = gather(
      b, values,
      SplatOp::create(b, typeOf(b.getI32Type(), *one),
                      arith::ConstantOp::create(b, b.getI32IntegerAttr(last))));
  sums = RelabelOp::create(b, typeOf(element, *rows), sums);
  FailureOr<Value> exchanged =
      exchange(b, op, sums, typeOf(element, *together));
  if (failed(exchanged))
    return failure();
  sums = *exchanged;
  // What the blocks before add: to the elements, and to the sums of blocks.
  Blocks ofTile(b, op, cut->tile, rows->rank() - 1),
      ofRows(b, op, *rows, rows->rank() - 1),
      ofSums(b, op, *together, rows->rank() - 1);
  for (int64_t k = 1; k < cut->parts; k *= 2) {
    Value before = gather(b, sums, ofRows.before(k));
    values = ofTile.step(k, values, BroadcastOp::create(b, tile, before));
    if (2 * k < cut->parts)
      sums = ofSums.step(k, sums, gather(b, sums, ofSums.before(k)));
  }
  return RelabelOp::create(b, op.getType(), values).getResult();
}

static FailureOr<Value> expand(OpBuilder &b, GatherOp op) {
  RankedTensorType tile = op.getTile().getType();
  Result<Layout> whole =
      wholeRows(*getTileLayout(tile), static_cast<int>(op.getDimension()));
  if (!whole)
    return op.emitOpError("[")
           << whole.problem().code << "] " << whole.problem().message;
  FailureOr<Value> rows =
      exchange(b, op, op.getTile(), typeOf(tile.getElementType(), *whole));
  if (failed(rows))
    return failure();
  return GatherOp::create(b, op.getLoc(), op.getType(), *rows, op.getIndices(),
                          op.getDimension(), Value(), IntegerAttr(),
                          IntegerAttr())
      .getResult();
}

namespace {
struct ExpandExchangesPass
    : titan::impl::ExpandExchangesBase<ExpandExchangesPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](Operation *op) {
      OpBuilder b(op);
      Operation *digits = nullptr;
      if (auto reduce = dyn_cast<ReduceOp>(op))
        digits = byDigits(
            b, reduce,
            static_cast<int>(reduce.getTile().getType().getRank()) - 1);
      else if (auto scan = dyn_cast<ScanOp>(op))
        digits = byDigits(b, scan, static_cast<int>(scan.getDimension()));
      else if (auto gather = dyn_cast<GatherOp>(op))
        digits = byDigits(b, gather, static_cast<int>(gather.getDimension()));
      if (digits)
        op = digits;
      b.setInsertionPoint(op);
      FailureOr<Value> made;
      if (auto convert = dyn_cast<ConvertLayoutOp>(op);
          convert && convert.getScratch())
        made = exchange(b, convert, convert.getTile(), convert.getType());
      else if (auto reduce = dyn_cast<ReduceOp>(op);
               reduce && reduce.getScratch())
        made = expand(b, reduce);
      else if (auto scan = dyn_cast<ScanOp>(op); scan && scan.getScratch())
        made = expand(b, scan);
      else if (auto gather = dyn_cast<GatherOp>(op);
               gather && gather.getScratch())
        made = expand(b, gather);
      else
        return WalkResult::advance();
      if (failed(made))
        return WalkResult::interrupt();
      op->getResult(0).replaceAllUsesWith(*made);
      op->erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
