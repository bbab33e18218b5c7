//===- ThreadLocality.cpp - what a loop accumulates, by each thread -------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that combines a reduction with what it carries would exchange elements
// between threads each time round: shuffles, shared memory, a barrier. Instead each
// thread combines its own elements with a part of its own, and threads combine their
// parts once, behind the loop. Of 4 warps, each thread of which loads 4 elements side
// by side, twice,
//
//     %sum = scf.for ... iter_args(%acc = %init) -> (f32) {
//       %x = tt.load ... : tensor<1024x!tt.ptr<f32>>
//       %all = tt.reduce(%x), axis 0, arith.addf : (tensor<1024xf32>) -> f32
//       %next = arith.addf %acc, %all : f32
//       scf.yield %next : f32
//     }
//
// becomes
//
//     %parts = scf.for ... iter_args(%acc = dense<-0.0>) -> (tensor<128xf32>) {
//       %x = tt.load ... : tensor<1024x!tt.ptr<f32>>
//       %twice = tt.reduce(tt.reshape %x), axis 1 : (tensor<1x2x512xf32>) -> tensor<1x512xf32>
//       %four = tt.reduce(tt.reshape %twice), axis 1 : (tensor<128x4x1xf32>) -> tensor<128x1xf32>
//       %next = arith.addf %acc, (tt.reshape %four) : tensor<128xf32>
//       scf.yield %next : tensor<128xf32>
//     }
//     %all = tt.reduce(%parts), axis 0, arith.addf : (tensor<128xf32>) -> f32
//     %sum = arith.addf %init, %all : f32
//
// The text says the same whatever the layouts are; that the reductions within the loop
// are of registers alone, and a part takes the registers that the sum took, follows
// from the digits of %x's layout along the axis (titan/Layout/Rows.h): those of
// registers are reduced, those of lanes and warps stay.
//
// It is done where the loop has no other use for %acc, %all and %next, and both
// operations are the same one: of integers that changes no bit; additions and
// multiplications of floats come in another order, as tt.reduce's do, and as Triton's
// compiler has them. Parts begin as the operation's neutral element, so that %init is
// in the result once, and a loop that does nothing yields it.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "titan/Layout/Rows.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace titan;

namespace {
/// argument = update(argument, moves(reduce(source))) in each round of a loop.
struct Accumulation {
  scf::ForOp loop;
  unsigned number; ///< Of the argument.
  tt::ReduceOp reduce;
  /// Between the reduction and the update: elements under other shapes, or repeated.
  SmallVector<Operation *> moves;
  Operation *update;
  /// Of the source's coordinates along the reduction's axis.
  std::vector<RowDigit> digits;

  Value source() { return reduce.getSrcs()[0]; }
};
} // namespace

/// Whether an operation promises something of its results, which are to be others.
static bool promises(Operation *op) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  auto wraps = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  return (fast && fast.getFastMathFlagsAttr().getValue() !=
                      arith::FastMathFlags::none) ||
         (wraps && wraps.getOverflowAttr().getValue() !=
                       arith::IntegerOverflowFlags::none);
}

/// What a reduction leaves as it is what it is combined with; none: there is no such
/// thing.
static TypedAttr neutralOf(tt::ReduceOp reduce) {
  Operation *each = &reduce.getCombine().front().front();
  if (auto type = dyn_cast<FloatType>(each->getResult(0).getType())) {
    const llvm::fltSemantics &format = type.getFloatSemantics();
    if (!APFloat::semanticsHasInf(format) || !APFloat::semanticsHasNaN(format))
      return {};
    // Not MLIR's 0, which makes 0 of -0.
    if (isa<arith::AddFOp>(each))
      return FloatAttr::get(type, APFloat::getZero(format, /*Negative=*/true));
  }
  return arith::getNeutralElement(each).value_or(TypedAttr());
}

/// None: the loop does something else to its argument.
static std::optional<Accumulation> accumulationOf(scf::ForOp loop,
                                                  unsigned number) {
  BlockArgument argument = loop.getRegionIterArg(number);
  Value yielded = loop.getYieldedValues()[number];
  Operation *update = yielded.getDefiningOp();
  if (!update || update->getBlock() != loop.getBody() ||
      update->getNumOperands() != 2 || !yielded.hasOneUse() ||
      !argument.hasOneUse() || *argument.user_begin() != update)
    return std::nullopt;
  Accumulation found{loop, number, {}, {}, update, {}};
  Value added = update->getOperand(update->getOperand(0) == argument ? 1 : 0);
  while (!found.reduce) {
    Operation *op = added.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || !added.hasOneUse())
      return std::nullopt;
    if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
      found.reduce = reduce;
    } else if (isa<tt::ExpandDimsOp, tt::BroadcastOp, tt::ReshapeOp,
                   tt::TransOp, tt::SplatOp>(op)) {
      found.moves.insert(found.moves.begin(), op);
      added = op->getOperand(0);
    } else {
      return std::nullopt;
    }
  }
  Region &combine = found.reduce.getCombine();
  if (!kindOf(combine))
    return std::nullopt;
  Operation *each = &combine.front().front();
  if (each->getName() != update->getName() || promises(each) ||
      promises(update) || !neutralOf(found.reduce))
    return std::nullopt;
  return found;
}

/// A thread's own elements, combined, in the place of the reduction.
static Value reduceRegisters(Accumulation &of) {
  OpBuilder b(of.reduce);
  Location loc = of.reduce.getLoc();
  Value own = of.source();
  auto type = cast<RankedTensorType>(own.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t axis = of.reduce.getAxis();
  auto as = [&](ArrayRef<int64_t> to) {
    auto now = RankedTensorType::get(to, type.getElementType());
    if (own.getType() != now)
      own = tt::ReshapeOp::create(b, loc, now, own, /*allow_reorder=*/false,
                                  /*efficient_layout=*/false);
  };
  // The outermost first: steps of those within stay what they are.
  for (const RowDigit &digit : llvm::reverse(of.digits)) {
    if (digit.axis != 0)
      continue;
    int64_t before = llvm::product_of(ArrayRef(shape).take_front(axis)) *
                     (shape[axis] / (digit.stride * digit.extent)),
            behind = llvm::product_of(ArrayRef(shape).drop_front(axis + 1)) *
                     digit.stride;
    as({before, digit.extent, behind});
    IRMapping values;
    values.map(of.source(), own);
    auto reduce = cast<tt::ReduceOp>(b.clone(*of.reduce, values));
    reduce.setAxis(1);
    own = reduce->getResult(0);
    own.setType(RankedTensorType::get({before, behind}, type.getElementType()));
    shape[axis] /= digit.extent;
  }
  as(shape);
  return own;
}

static void carryParts(Accumulation &of) {
  BlockArgument argument = of.loop.getRegionIterArg(of.number);
  auto result = cast<OpResult>(of.loop.getResult(of.number));
  OpOperand &init = of.loop.getInitArgsMutable()[of.number];
  Value first = init.get();
  Value added = of.update->getOperand(of.update->getOperand(0) == argument);

  Value own = reduceRegisters(of);
  auto parts = cast<RankedTensorType>(own.getType());
  OpBuilder b(of.update);
  IRMapping within;
  within.map(added, own);
  Operation *update = b.clone(*of.update, within);
  update->getResult(0).setType(parts);
  of.loop.getBody()->getTerminator()->setOperand(of.number,
                                                 update->getResult(0));
  b.setInsertionPoint(of.loop);
  init.set(arith::ConstantOp::create(
      b, of.loop.getLoc(),
      DenseElementsAttr::get(parts, Attribute(neutralOf(of.reduce)))));
  argument.setType(parts);
  result.setType(parts);

  b.setInsertionPointAfter(of.loop);
  IRMapping behind;
  behind.map(of.source(), result);
  Operation *all = b.clone(*of.reduce, behind);
  for (Operation *move : of.moves)
    b.clone(*move, behind);
  behind.map(argument, first);
  Operation *last = b.clone(*of.update, behind);
  result.replaceAllUsesExcept(last->getResult(0), all);

  of.update->erase();
  for (Operation *move : llvm::reverse(of.moves))
    move->erase();
  of.reduce.erase();
}

void titan::keepReductionsLocal(tt::FuncOp function,
                                const TritonToTitanOptions &options) {
  // What a loop within a loop carries out is reduced behind it, and may be accumulated
  // by the loop around.
  llvm::DenseSet<Value> seen;
  while (true) {
    SmallVector<Accumulation> found;
    function.walk([&](scf::ForOp loop) {
      for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
        if (!seen.contains(loop.getRegionIterArg(i)))
          if (auto one = accumulationOf(loop, i))
            found.push_back(std::move(*one));
    });
    if (found.empty())
      return;
    TensorLayouts layouts(function, options);
    for (Accumulation &each : found) {
      seen.insert(each.loop.getRegionIterArg(each.number));
      auto shape = cast<RankedTensorType>(each.source().getType()).getShape();
      auto layout =
          cast<LayoutAttrInterface>(layouts.of(each.reduce)).getLayout(shape);
      if (!layout)
        continue;
      if (auto digits = digitsAlong(*layout, each.reduce.getAxis()))
        each.digits = *digits;
    }
    for (Accumulation &each : found)
      if (llvm::any_of(each.digits, [](const RowDigit &digit) {
            return digit.axis != 0; // Else there is nothing to exchange.
          }))
        carryParts(each);
  }
}
