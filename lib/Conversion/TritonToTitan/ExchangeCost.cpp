//===- ExchangeCost.cpp - a tensor in a second layout: moved, or made anew ===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor that has a home (Layouts.h) and is wanted in another layout is moved
// there, or made there from its operands, whichever costs less; so are the operands.
// In the end what moves is where the fewest bytes are:
//
//   x = tl.load(...)            i8, wanted as a product's operand
//   y = x.to(tl.float16) * s    moving y: 2 bytes an element, moving x: 1
//
// Costs are in bytes of shared memory's traffic, of which a multiprocessor moves 128 a
// clock, for all threads of a program together; its 128 lanes of f32 do one operation
// on 128 elements meanwhile. They only choose, so that no more than their order of
// magnitude matters.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "titan/Dialect/Titan/Titan.h"
#include "titan/Layout/Conversion.h"

using namespace mlir;
using namespace titan;

namespace {

/// Two barriers, and the latency of a store and a load, some 64 clocks.
constexpr int64_t exchangeCost = 64 * 128;
constexpr int64_t shuffleCost = 128; ///< Of a warp.
/// Of an element: an operation of full throughput, a conversion (64 results a clock,
/// CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions"), one
/// of several instructions or of the special function unit, a function that is
/// written out.
constexpr int64_t simpleCost = 1, castCost = 2, specialCost = 16,
                  functionCost = 64;
/// Tensors that are looked at for one that is wanted; further ones move.
constexpr int64_t mostLooks = 256;

/// What it costs to have tensors in the layout of one view, and whether each is made
/// there or moved there.
class ExchangeCost {
public:
  ExchangeCost(ProgramConversion &c, const View &view) : c(c), view(view) {}

  /// From its home.
  int64_t moved(Value tensor);
  /// From its operands.
  int64_t anew(Value tensor);

private:
  /// The less of both.
  int64_t least(Value tensor);
  View viewOf(Value tensor) const {
    return view.of(c.elementOf(tensor.getType()));
  }

  ProgramConversion &c;
  const View &view;
  /// What is there by then, once for all who want it.
  llvm::DenseSet<Value> there;
  int64_t looks = 0;
};

} // namespace

static int64_t elementCost(Operation *op) {
  if (isa<tt::ExternElementwiseOp>(op))
    return functionCost;
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp, arith::RemFOp, tt::PreciseDivFOp, tt::PreciseSqrtOp>(
          op) ||
      (op->getName().getDialectNamespace() == "math" &&
       !isa<math::AbsFOp, math::AbsIOp, math::FmaOp>(op)))
    return specialCost;
  return isa<CastOpInterface, tt::FpToFpOp>(op) ? castCost : simpleCost;
}

static int64_t elementsOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getNumElements();
}

/// Whether `tensor` may be made wherever its operands are.
static bool isElementwise(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  return op && op->getNumResults() == 1 &&
         op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op);
}

int64_t ExchangeCost::moved(Value tensor) {
  View own(c.typeOf(tensor, c.layouts.home(tensor))), to = viewOf(tensor);
  int64_t elements = elementsOf(tensor),
          bytes = std::max<int64_t>(to.type.getElementTypeBitWidth() / 8, 1);
  // What is copied ahead is in shared memory.
  if (isCopiedAhead(c.find(tensor, own)))
    return bytes * elements;
  SmallVector<int64_t> order(to.dims.size());
  for (auto [d, at] : llvm::enumerate(to.dims))
    order[at] = static_cast<int64_t>(d);
  auto turned = c.permutedType(own.type, order);
  if (succeeded(turned)) {
    auto source = getTileLayout(*turned), target = getTileLayout(to.type);
    if (source && target)
      if (auto plan = ConversionPlan::make(*source, *target))
        return plan->shuffles(bytes) * c.options.warps * shuffleCost;
  }
  return exchangeCost + 2 * bytes * elements;
}

int64_t ExchangeCost::least(Value tensor) {
  if (!isa<RankedTensorType>(tensor.getType()) ||
      !there.insert(tensor).second || c.find(tensor, viewOf(tensor)))
    return 0;
  if (!c.layouts.home(tensor))
    return anew(tensor);
  int64_t cost = moved(tensor);
  if (!cost || !isElementwise(tensor) || ++looks > mostLooks)
    return cost;
  auto before = there;
  int64_t made = anew(tensor);
  if (made >= cost)
    there = std::move(before); // It moves: what it is made of does not.
  return std::min(made, cost);
}

int64_t ExchangeCost::anew(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  int64_t elements = elementsOf(tensor);
  if (!op) // A tensor to which a loop adds a number.
    return elements * simpleCost;
  // Some layouts have elements in several threads; and what only this view takes is
  // computed nowhere else.
  int64_t copies = 1;
  if (auto layout = getTileLayout(view.type))
    copies = std::max<int64_t>(
        layout->registers() * layout->lanes() * layout->warps() / elements, 1);
  bool elsewhere = c.layouts.home(tensor) && !tensor.hasOneUse();
  int64_t cost = elements * (copies - (elsewhere ? 0 : 1)) * elementCost(op);
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    if (isElementwise(tensor))
      cost += least(operand);
    else if (c.layouts.home(operand)) // Repeated, or turned.
      cost += exchangeCost + elementsOf(operand);
  }
  return cost;
}

bool ProgramConversion::isCheaperAnew(Value tensor, const View &view) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!isElementwise(tensor) || type.getRank() != view.type.getRank())
    return false;
  for (auto [d, at] : llvm::enumerate(view.dims))
    if (type.getDimSize(d) != view.type.getDimSize(at))
      return false;
  ExchangeCost cost(*this, view);
  return cost.anew(tensor) < cost.moved(tensor);
}
