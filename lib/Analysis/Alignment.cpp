//===- Alignment.cpp - where tensor copies begin --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Alignment.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <map>
#include <optional>

using namespace mlir;
using namespace titan;
using namespace titan::checker;

int64_t checker::startUnit(const effect::Footprint &box) {
  auto map = dyn_cast<TensorMapType>(box.object.getType());
  // Slices of channels are 16 or 32 bytes.
  if (!map || map.getInterleave())
    return 1;
  return std::max<int64_t>(1, 16 / getElementBytes(map.getElementType()));
}

namespace {
/// How many zeros a value ends in, at least: 2^n divides it.
class TrailingZeros {
public:
  explicit TrailingZeros(KernelOp kernel) : kernel(kernel) {
    kernel.getLaunch().walk(
        [&](RequireOp require) { learn(require.getCondition()); });
  }
  unsigned of(Value value);

private:
  static constexpr unsigned all = 64; ///< of zero
  /// A size or stride is the same number wherever it is asked for.
  using Key = std::pair<void *, int64_t>;
  Key keyOf(Value value) {
    auto dim = value.getDefiningOp<DimOp>();
    if (!dim)
      return {value.getAsOpaquePointer(), -1};
    Value tensor = dim.getTensor();
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      if (Value atLaunch = kernel.getLaunchValue(argument))
        tensor = atLaunch;
    return {tensor.getAsOpaquePointer(), dim.getDimension()};
  }
  /// Takes from a required condition that a remainder is zero.
  void learn(Value condition);
  unsigned compute(Value value);
  unsigned ofArgument(BlockArgument argument);

  KernelOp kernel;
  std::map<Key, unsigned> known; ///< Found, or assumed on the way round a loop.
};
} // namespace

/// x of "x = 0" as titan-lower-copies and people write it: 0 - x, x * -1, x.
static Value withoutSign(Value value) {
  if (auto sub = value.getDefiningOp<arith::SubIOp>();
      sub && matchPattern(sub.getLhs(), m_Zero()))
    return sub.getRhs();
  APInt factor;
  if (auto mul = value.getDefiningOp<arith::MulIOp>();
      mul && matchPattern(mul.getRhs(), m_ConstantInt(&factor)) &&
      factor.isAllOnes())
    return mul.getLhs();
  return value;
}

void TrailingZeros::learn(Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    learn(both.getLhs());
    learn(both.getRhs());
    return;
  }
  auto cmp = condition.getDefiningOp<arith::CmpIOp>();
  if (!cmp || !matchPattern(cmp.getRhs(), m_Zero()))
    return;
  // A remainder is at least 0, so that -remainder >= 0 says that it is 0.
  Value left = cmp.getLhs(), remainder = withoutSign(left);
  if (cmp.getPredicate() != arith::CmpIPredicate::eq &&
      !(cmp.getPredicate() == arith::CmpIPredicate::sge && remainder != left))
    return;
  Operation *op = remainder.getDefiningOp();
  APInt divisor;
  if (isa_and_nonnull<arith::RemUIOp, arith::RemSIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
      !divisor.isZero()) {
    unsigned &zeros = known[keyOf(op->getOperand(0))];
    zeros = std::max(zeros, divisor.countr_zero());
  }
}

unsigned TrailingZeros::of(Value value) {
  Key key = keyOf(value);
  if (auto found = known.find(key); found != known.end())
    return found->second;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument);
  unsigned zeros = compute(value);
  known[key] = zeros;
  return zeros;
}

/// What a loop carries has what goes in and what comes round: assume the one,
/// and take away until the other agrees.
unsigned TrailingZeros::ofArgument(BlockArgument argument) {
  Key key = keyOf(argument);
  Operation *parent = argument.getOwner()->getParentOp();
  if (parent == kernel.getOperation()) {
    Value passed = kernel.getLaunchValue(argument);
    return known[key] = passed ? of(passed) : 0;
  }
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    return known[key] = 0;
  if (argument == loop.getInductionVar())
    return known[key] = std::min(of(loop.getLowerBound()), of(loop.getStep()));
  unsigned i = argument.getArgNumber() - loop.getNumInductionVars();
  unsigned zeros = of(loop.getInitArgs()[i]);
  while (true) {
    auto before = known;
    known[key] = zeros;
    unsigned round = std::min(zeros, of(loop.getYieldedValues()[i]));
    if (round == zeros)
      return zeros;
    known = std::move(before); // What rested on the assumption goes.
    zeros = round;
  }
}

unsigned TrailingZeros::compute(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isZero() ? all : constant.countr_zero();
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  auto in = [&](unsigned i) { return of(op->getOperand(i)); };
  auto least = [&](unsigned from) {
    unsigned zeros = all;
    for (unsigned i = from; i < op->getNumOperands(); ++i)
      zeros = std::min(zeros, in(i));
    return zeros;
  };
  // Types that are cut off keep the lower bits.
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp>(op))
    return in(0);
  if (isa<arith::AddIOp, arith::SubIOp, arith::OrIOp, arith::XOrIOp,
          arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp,
          arith::RemSIOp, arith::RemUIOp>(op))
    return least(0);
  if (isa<arith::SelectOp>(op))
    return least(1);
  if (isa<arith::AndIOp>(op))
    return std::max(in(0), in(1));
  if (isa<arith::MulIOp>(op))
    return std::min(all, in(0) + in(1));
  // By a power of two that goes.
  APInt by;
  if (op->getNumOperands() == 2 &&
      matchPattern(op->getOperand(1), m_ConstantInt(&by))) {
    if (isa<arith::ShLIOp>(op))
      return std::min<uint64_t>(all, in(0) + by.getLimitedValue(all));
    if (isa<arith::DivUIOp, arith::DivSIOp, arith::CeilDivUIOp,
            arith::CeilDivSIOp, arith::FloorDivSIOp>(op) &&
        by.isPowerOf2() && in(0) >= by.countr_zero())
      return in(0) - by.countr_zero();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return of(loop.getRegionIterArg(number));
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return std::min(of(branch.thenYield().getOperand(number)),
                    of(branch.elseYield().getOperand(number)));
  if (auto elect = dyn_cast<ElectOp>(op))
    return of(elect.getBody().front().getTerminator()->getOperand(number));
  return 0;
}

SmallVector<std::pair<Operation *, int64_t>>
checker::findUnprovedStarts(KernelOp kernel) {
  SmallVector<std::pair<Operation *, int64_t>> unproved;
  TrailingZeros zeros(kernel);
  kernel.getBody().walk([&](HardwareEffectsInterface op) {
    effect::EffectList effects;
    op.getHardwareEffects(effects);
    for (const effect::Effect &effect : effects) {
      auto *access = std::get_if<effect::Access>(&effect.what);
      if (!access || access->bytes.kind != effect::Footprint::Box)
        continue;
      int64_t unit = startUnit(access->bytes);
      if (zeros.of(access->bytes.coords.back()) < llvm::Log2_64(unit))
        unproved.push_back({op, unit});
    }
  });
  return unproved;
}
