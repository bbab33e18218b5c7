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
// A reduction between warps is one within each of them, an exchange of the parts,
// and one of what each thread then holds.
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Conversion.h"
#include "titan/Layout/Rows.h"
#include "titan/Transforms/Passes.h"

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

namespace {
struct ExpandExchangesPass
    : titan::impl::ExpandExchangesBase<ExpandExchangesPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](Operation *op) {
      OpBuilder b(op);
      FailureOr<Value> made;
      if (auto convert = dyn_cast<ConvertLayoutOp>(op);
          convert && convert.getScratch())
        made = exchange(b, convert, convert.getTile(), convert.getType());
      else if (auto reduce = dyn_cast<ReduceOp>(op);
               reduce && reduce.getScratch())
        made = expand(b, reduce);
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
