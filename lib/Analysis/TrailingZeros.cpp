//===- TrailingZeros.cpp - powers of two that divide ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/TrailingZeros.h"
#include "titan/Dialect/Titan/ArgumentAlignment.h"
#include "titan/Target/Target.h"

#include "Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan;

/// The numbers of a tensor: its sizes, strides, address.
static int64_t sizeNumber(int64_t dimension) { return dimension; }
static int64_t strideNumber(int64_t dimension) { return 1000 + dimension; }
static constexpr int64_t addressNumber = 2000;

TrailingZeros::TrailingZeros(KernelOp kernel, bool believe) : kernel(kernel) {
  for (BlockArgument argument : kernel.getLaunch().getArguments())
    if (isa<GlobalType>(argument.getType()))
      raise(
          keyOf(argument, addressNumber),
          llvm::Log2_64(getArgumentAlignment(kernel, argument.getArgNumber())));
  kernel.getLaunch().walk([&](Operation *op) {
    if (auto require = dyn_cast<RequireOp>(op))
      learn(require.getCondition());
    else if (auto map = dyn_cast<TensorMapOp>(op))
      learn(map);
  });
  if (believe)
    kernel.getBody().walk(
        [&](AssumeOp given) { learn(given.getCondition(), given); });
}

TrailingZeros::Key TrailingZeros::keyOf(Value tensor, int64_t number) {
  // The body sees the tensors of the launch.
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (argument && argument.getOwner()->getParent() == &kernel.getBody() &&
      argument.getArgNumber() < kernel.getLaunch().getNumArguments())
    tensor = kernel.getLaunch().getArgument(argument.getArgNumber());
  return {tensor.getAsOpaquePointer(), number};
}

TrailingZeros::Key TrailingZeros::keyOf(Value value) {
  if (auto dim = value.getDefiningOp<DimOp>())
    return keyOf(dim.getTensor(), sizeNumber(dim.getDimension()));
  if (auto stride = value.getDefiningOp<StrideOp>())
    return keyOf(stride.getTensor(), strideNumber(stride.getDimension()));
  return {value.getAsOpaquePointer(), -1};
}

void TrailingZeros::raise(Key key, unsigned zeros) {
  unsigned &before = known[key];
  before = std::max(before, zeros);
}

void TrailingZeros::learn(TensorMapOp map) {
  // Only maps that the launch passes on are encoded.
  if (!llvm::is_contained(kernel.getLaunchOp().getValues(), map.getResult()))
    return;
  const TargetInfo &target = targetWith(Feature::Tma);
  raise(keyOf(map.getTensor(), addressNumber),
        llvm::Log2_64(target.tmaBaseAlignment));
  if (map.isView() || map.getType().getInterleave())
    return;
  GlobalType tensor = map.getTensor().getType();
  int64_t elements =
      target.tmaStrideAlignment / getElementBytes(tensor.getElementType());
  for (unsigned d = 0; d + 1 < tensor.getRank(); ++d)
    if (elements > 1)
      raise(keyOf(map.getTensor(), strideNumber(d)), llvm::Log2_64(elements));
}

unsigned TrailingZeros::ofStride(Value tensor, unsigned dimension) {
  auto type = cast<GlobalType>(tensor.getType());
  int64_t stride = type.getStrides()[dimension];
  if (!ShapedType::isDynamic(stride))
    return stride ? llvm::countr_zero(static_cast<uint64_t>(stride)) : all;
  auto found = known.find(keyOf(tensor, strideNumber(dimension)));
  return found == known.end() ? 0 : found->second;
}

unsigned TrailingZeros::ofAddress(Value tensor) {
  if (int64_t made = getAddressAlignment(tensor))
    return llvm::Log2_64(made);
  auto found = known.find(keyOf(tensor, addressNumber));
  return found == known.end() ? 0 : found->second;
}

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

void TrailingZeros::learn(Value condition, AssumeOp given) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    learn(both.getLhs(), given);
    learn(both.getRhs(), given);
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
  if (!isa_and_nonnull<arith::RemUIOp, arith::RemSIOp>(op) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) ||
      divisor.isZero())
    return;
  Value number = op->getOperand(0);
  if (!given)
    return raise(keyOf(number), divisor.countr_zero());
  // Of the element that is loaded, extended or not.
  while (
      isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                      arith::ExtUIOp>(number.getDefiningOp()))
    number = number.getDefiningOp()->getOperand(0);
  if (isa_and_nonnull<HardwareEffectsInterface>(number.getDefiningOp()) &&
      number.getParentBlock() == given->getBlock())
    raise(keyOf(number), divisor.countr_zero());
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

/// What a loop carries has what goes in and what repeats: assume the one,
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

std::optional<unsigned>
TrailingZeros::through(Operation *op,
                       llvm::function_ref<unsigned(unsigned)> in) {
  auto least = [&](unsigned from) {
    unsigned zeros = all;
    for (unsigned i = from; i < op->getNumOperands(); ++i)
      zeros = std::min(zeros, in(i));
    return zeros;
  };
  using checker::Arith;
  Arith code = checker::classify(op).first;
  APInt by;
  switch (code) {
  case Arith::Cast: // Types that are cut off keep the lower bits.
  case Arith::CastU:
    return in(0);
  case Arith::Add:
  case Arith::Sub:
  case Arith::Or:
  case Arith::Xor:
  case Arith::MinS:
  case Arith::MinU:
  case Arith::MaxS:
  case Arith::MaxU:
  case Arith::RemS:
  case Arith::RemU:
    return least(0);
  case Arith::Select:
    return least(1);
  case Arith::And:
    return std::max(in(0), in(1));
  case Arith::Mul:
    return std::min(all, in(0) + in(1));
  case Arith::Shl:
    if (matchPattern(op->getOperand(1), m_ConstantInt(&by)))
      return std::min<uint64_t>(all, in(0) + by.getLimitedValue(all));
    return std::nullopt;
  default: // By a power of two that goes.
    if (checker::divides(code) &&
        matchPattern(op->getOperand(1), m_ConstantInt(&by)) &&
        by.isPowerOf2() && in(0) >= by.countr_zero())
      return in(0) - by.countr_zero();
    return std::nullopt;
  }
}

unsigned TrailingZeros::compute(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isZero() ? all : constant.countr_zero();
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto zeros =
          through(op, [&](unsigned i) { return of(op->getOperand(i)); }))
    return *zeros;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return of(loop.getRegionIterArg(number));
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return std::min(of(branch.thenYield().getOperand(number)),
                    of(branch.elseYield().getOperand(number)));
  if (auto elect = dyn_cast<ElectOp>(op))
    return of(elect.getBody().front().getTerminator()->getOperand(number));
  return 0;
}
