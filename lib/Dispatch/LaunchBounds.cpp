//===- LaunchBounds.cpp - what numbers the launch knows -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LaunchBounds.h"

#include "Building.h"

using namespace mlir;
using namespace titan;
using namespace titan::dispatch;

Value LaunchNumbers::index(Value value) {
  return value.getType().isIndex()
             ? value
             : arith::IndexCastOp::create(b, loc, b.getIndexType(), value)
                   .getResult();
}

Value LaunchNumbers::gridOf(unsigned dimension) {
  ValueRange grid = kernel.getLaunchOp().getGrid();
  return dimension < grid.size() ? index(grid[dimension]) : constant(1);
}

bool LaunchNumbers::enter(Operation *op) {
  SmallVector<scf::ForOp> loops;
  for (Operation *at = op->getParentOp(); at != kernel;
       at = at->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(at))
      loops.push_back(loop);
    else if (!isa<ElectOp, PartitionOp, WarpSpecializeOp>(at))
      return false;
  }
  for (scf::ForOp loop : llvm::reverse(loops))
    if (!enterLoop(loop))
      return false;
  return true;
}

/// The dimension of the operation that the value is, and a factor: `%cta * 16`.
template <typename Op>
static std::optional<std::pair<unsigned, int64_t>> multipleOf(Value value) {
  if (auto op = value.getDefiningOp<Op>())
    return std::pair<unsigned, int64_t>(op.getDimension(), 1);
  auto product = value.getDefiningOp<arith::MulIOp>();
  if (!product)
    return std::nullopt;
  for (auto [x, factor] : {std::pair(product.getLhs(), product.getRhs()),
                           std::pair(product.getRhs(), product.getLhs())})
    if (auto op = x.template getDefiningOp<Op>())
      if (auto n = constantOf(factor); n && *n > 0)
        return std::pair<unsigned, int64_t>(op.getDimension(), *n);
  return std::nullopt;
}

/// Of a persistent loop, in which each CTA begins at its own number along a dimension
/// and goes on by that of all, the dimension, and what the CTAs together count all
/// multiples of.
static std::optional<std::pair<unsigned, int64_t>> stepOfAll(scf::ForOp loop) {
  auto first = multipleOf<CtaIdOp>(loop.getLowerBound());
  return first == multipleOf<NumCtasOp>(loop.getStep()) ? first : std::nullopt;
}

bool LaunchNumbers::enterLoop(scf::ForOp loop) {
  if (loop.getUnsignedCmp())
    return false;
  auto end = of(loop.getUpperBound());
  if (!end || !end->isOne())
    return false;
  Value first, step;
  if (auto all = stepOfAll(loop)) {
    if (persistent)
      return false;
    persistent = all->first;
    known.clear(); // What was known of the CTA's own number.
    first = constant(0);
    step = constant(all->second);
  } else {
    auto begin = of(loop.getLowerBound()), by = of(loop.getStep());
    if (!begin || !begin->isOne() || !by || !by->isOne())
      return false;
    first = begin->low;
    step = make<arith::MaxSIOp>(by->low, constant(1));
  }
  // first + (end - 1 - first) / step * step
  Value rounds = make<arith::FloorDivSIOp>(
      make<arith::SubIOp>(make<arith::SubIOp>(end->low, constant(1)), first),
      step);
  counters[loop.getInductionVar()] = {
      first,
      make<arith::AddIOp>(first, make<arith::MulIOp>(rounds, step)),
      {{OpFoldResult(loop.getInductionVar()), true}}};
  skips.push_back(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                                        end->low, first));
  return true;
}

/// What both vary with they have to vary with alike: the ends are taken together.
static bool join(LaunchBounds &into, const LaunchBounds &other, bool falls) {
  for (auto [what, rises] : other.varies) {
    bool up = rises != falls;
    auto known = llvm::find_if(
        into.varies, [what = what](auto &v) { return v.first == what; });
    if (known == into.varies.end())
      into.varies.push_back({what, up});
    else if (known->second != up)
      return false;
  }
  return true;
}

std::optional<LaunchBounds> LaunchNumbers::combine(Operation *op) {
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  auto left = of(op->getOperand(0)), right = of(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  LaunchBounds result;
  result.varies = left->varies;
  if (isa<arith::AddIOp>(op)) {
    result.low = make<arith::AddIOp>(left->low, right->low);
    result.high = make<arith::AddIOp>(left->high, right->high);
    return join(result, *right, false) ? std::optional(result) : std::nullopt;
  }
  if (isa<arith::SubIOp>(op)) {
    result.low = make<arith::SubIOp>(left->low, right->high);
    result.high = make<arith::SubIOp>(left->high, right->low);
    return join(result, *right, true) ? std::optional(result) : std::nullopt;
  }
  if (left->isOne() && right->isOne()) {
    result.low = result.high = make<arith::MulIOp>(left->low, right->low);
    return result;
  }
  auto factor = constantOf(op->getOperand(1));
  if (!factor) {
    factor = constantOf(op->getOperand(0));
    std::swap(left, right);
  }
  if (!factor || *factor < 0)
    return std::nullopt;
  return LaunchBounds{make<arith::MulIOp>(left->low, right->low),
                      make<arith::MulIOp>(left->high, right->high),
                      left->varies};
}

std::optional<LaunchBounds> LaunchNumbers::of(Value value) {
  if (auto before = known.find(value); before != known.end())
    return before->second;
  auto result = compute(value);
  return known[value] = result;
}

std::optional<LaunchBounds> LaunchNumbers::compute(Value value) {
  auto one = [](Value of) { return LaunchBounds{of, of}; };
  if (auto number = constantOf(value))
    return one(constant(*number));
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto counter = counters.find(value); counter != counters.end())
      return counter->second;
    Value given = kernel.getLaunchValue(argument);
    if (!given || !given.getType().isIntOrIndex())
      return std::nullopt;
    return one(index(given));
  }
  Operation *op = value.getDefiningOp();
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    return value.getType().isIndex() ? of(cast.getIn()) : std::nullopt;
  if (auto cta = dyn_cast<CtaIdOp>(op)) {
    if (cta.getDimension() == persistent)
      return std::nullopt;
    return LaunchBounds{
        constant(0),
        make<arith::SubIOp>(gridOf(cta.getDimension()), constant(1)),
        {{OpFoldResult(b.getIndexAttr(cta.getDimension())), true}}};
  }
  if (auto count = dyn_cast<NumCtasOp>(op))
    return one(gridOf(count.getDimension()));
  if (auto dim = dyn_cast<DimOp>(op)) {
    auto tensor = dyn_cast<BlockArgument>(dim.getTensor());
    Value given = tensor ? kernel.getLaunchValue(tensor) : Value();
    if (!given)
      return std::nullopt;
    return one(DimOp::create(b, loc, given, dim.getDimension()));
  }
  // Numbers of all CTAs, of one another.
  if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp, arith::DivUIOp,
          arith::DivSIOp, arith::MinSIOp, arith::MaxSIOp>(op) &&
      value.getType().isIndex()) {
    auto left = of(op->getOperand(0)), right = of(op->getOperand(1));
    if (!left || !right || !left->isOne() || !right->isOne())
      return std::nullopt;
    bool divides = !isa<arith::MinSIOp, arith::MaxSIOp>(op);
    Value second =
        divides ? make<arith::MaxSIOp>(right->low, constant(1)) : right->low;
    Operation *copy = b.clone(*op);
    copy->setOperands({left->low, second});
    copy->setLoc(loc);
    return one(copy->getResult(0));
  }
  return value.getType().isIndex() ? combine(op) : std::nullopt;
}

void LaunchNumbers::require(Value value, int64_t least, Value most,
                            StringRef code, const Twine &message,
                            const Twine &fix) {
  auto bounds = value ? of(value) : LaunchBounds{constant(0), constant(0), {}};
  if (!bounds)
    return;
  Value good = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                                     bounds->high, most);
  if (auto low = constantOf(bounds->low); !low || *low < least)
    good = arith::AndIOp::create(
        b, loc, good,
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, bounds->low,
                              constant(least)));
  for (Value skipped : skips)
    good = arith::OrIOp::create(b, loc, good, skipped);
  std::string own = fix.str();
  RequireOp::create(b, loc, good, code, message.str(),
                    own.empty() ? StringAttr() : b.getStringAttr(own));
}
