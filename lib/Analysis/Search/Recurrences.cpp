//===- Recurrences.cpp - after how many iterations a number can change --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Recurrences.h"

#include "../Scalars.h"
#include "Bounds.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace titan;
using namespace titan::checker;

/// More iterations than any run has.
static constexpr int64_t many = int64_t(1) << bound::factorBits;

static int64_t times(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) || product > many ? many : product;
}
static int64_t common(int64_t a, int64_t b) {
  return times(a, b / std::gcd(a, b));
}
/// Growth in `n` times as many iterations.
static std::optional<int64_t> scaled(std::optional<int64_t> growth, int64_t n) {
  int64_t product;
  if (!growth || llvm::MulOverflow(*growth, n, product))
    return std::nullopt;
  return product;
}

namespace {
/// A number, seen from iteration to iteration of a loop: y mod `modulus` (0: y
/// itself), where y grows by `growth` (none: by a fixed amount that is not
/// known) with every `period` iterations, from iteration `settled` on.
struct Recurrence {
  int64_t period = 1;
  std::optional<int64_t> growth = 0;
  int64_t modulus = 0;
  int64_t settled = 0;
  /// Constants that have been added.
  int64_t offset = 0;
  Operation *periodOp = nullptr, *settledOp = nullptr, *unknown = nullptr;
  bool compares = false;

  bool still() const { return !modulus && growth == 0; }
  bool constant() const { return still() && period == 1 && !settled; }
};

class Recurrences {
public:
  explicit Recurrences(scf::ForOp loop) : loop(loop) {}
  Recurrence of(Value value);
  /// By how much `value` grows in an iteration of `inside` over its argument;
  /// none: it is no counter.
  std::optional<Recurrence> increment(Value value, BlockArgument argument);

  /// The states (carried numbers that are no counters) that were asked for, by position.
  llvm::SetVector<unsigned> states;

private:
  Recurrence compute(Value value);
  Recurrence arithmetic(Operation *op, Arith code);
  scf::ForOp loop;
  llvm::DenseMap<Value, Recurrence> known;
  llvm::DenseSet<Value> open;
};
} // namespace

/// Both together: what a function of the two does, when neither grows.
static Recurrence join(const Recurrence &a, const Recurrence &b) {
  Recurrence result;
  result.period = common(a.period, b.period);
  result.periodOp =
      a.period >= b.period && a.periodOp ? a.periodOp : b.periodOp;
  result.settled = std::max(a.settled, b.settled);
  result.settledOp =
      a.settled >= b.settled && a.settledOp ? a.settledOp : b.settledOp;
  result.compares = a.compares || b.compares;
  result.unknown = a.unknown ? a.unknown : b.unknown;
  return result;
}

/// Iterations in which something that grows by `growth` in `period` comes to a
/// multiple of n.
static int64_t round(const Recurrence &c, int64_t n) {
  return times(c.period, c.growth ? n / std::gcd(*c.growth, n) : n);
}

/// The remainder taken: a number that does not grow.
static Recurrence settle(Recurrence c, Operation *op) {
  if (!c.modulus)
    return c;
  c.period = round(c, c.modulus);
  c.periodOp = op;
  c.growth = 0;
  c.modulus = 0;
  return c;
}

static Recurrence remainder(Recurrence c, int64_t n, Operation *op) {
  if (c.modulus && c.modulus % n)
    c = settle(c, op);
  if (!c.modulus && c.growth == 0)
    return c;
  c.modulus = n;
  c.periodOp = op;
  return c;
}

static Recurrence quotient(Recurrence c, int64_t n, Operation *op) {
  if (c.modulus && c.modulus % n)
    c = settle(c, op);
  if (!c.modulus && c.growth == 0)
    return c;
  if (n > 1)
    c.periodOp = op;
  int64_t period = round(c, n);
  c.growth = scaled(c.growth, period / c.period);
  if (c.growth)
    c.growth = *c.growth / n;
  c.period = period;
  c.modulus /= n;
  if (c.modulus == 1)
    c.modulus = 0, c.growth = 0;
  c.offset /= n;
  return c;
}

Recurrence Recurrences::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (!open.insert(value).second)
    return Recurrence(); // carried through an inner loop: a state of that
  Recurrence result = compute(value);
  open.erase(value);
  known[value] = result;
  return result;
}

/// Whether a value is computed from an argument of a loop around it.
static bool dependsOn(Value value, BlockArgument argument) {
  SmallVector<Value> rest = {value};
  llvm::DenseSet<Value> seen;
  while (!rest.empty()) {
    Value at = rest.pop_back_val();
    if (at == argument)
      return true;
    if (!argument.getParentRegion()->isAncestor(at.getParentRegion()) ||
        !seen.insert(at).second)
      continue;
    Operation *op = at.getDefiningOp();
    if (!op) {
      op = at.getParentRegion()->getParentOp();
      if (op->getRegion(0).front().getArguments().empty() ||
          at.getParentRegion() == argument.getParentRegion())
        continue;
    }
    op->walk([&](Operation *inner) {
      rest.append(inner->operand_begin(), inner->operand_end());
    });
  }
  return false;
}

std::optional<Recurrence> Recurrences::increment(Value value,
                                                 BlockArgument argument) {
  if (value == argument)
    return Recurrence();
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    bool add = isa<arith::AddIOp>(op);
    Value a = op->getOperand(0), b = op->getOperand(1);
    auto rest = increment(a, argument);
    if (!rest && add) {
      std::swap(a, b);
      rest = increment(a, argument);
    }
    // What is added may itself repeat; computed from the argument, it makes
    // that a state.
    if (!rest || dependsOn(b, argument))
      return std::nullopt;
    Recurrence more = settle(of(b), op);
    APInt constant;
    bool fixed = matchPattern(b, m_ConstantInt(&constant)) && rest->growth;
    Recurrence sum = join(*rest, more);
    if (fixed)
      sum.growth = *rest->growth +
                   (add ? constant.getSExtValue() : -constant.getSExtValue());
    else
      sum.growth = std::nullopt;
    return sum;
  }
  // One or the other: as often as the condition says, which repeats.
  auto either = [&](Value condition, Value x,
                    Value y) -> std::optional<Recurrence> {
    auto first = increment(x, argument), second = increment(y, argument);
    if (!first || !second || dependsOn(condition, argument))
      return std::nullopt;
    Recurrence sum = join(join(*first, *second), settle(of(condition), op));
    sum.growth = std::nullopt;
    return sum;
  };
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return either(select.getCondition(), select.getTrueValue(),
                  select.getFalseValue());
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned at = cast<OpResult>(value).getResultNumber();
    return either(branch.getCondition(), branch.thenYield().getOperand(at),
                  branch.elseYield().getOperand(at));
  }
  if (auto inner = dyn_cast<scf::ForOp>(op)) {
    unsigned at = cast<OpResult>(value).getResultNumber();
    auto before = increment(inner.getInitArgs()[at], argument);
    auto each =
        increment(inner.getYieldedValues()[at], inner.getRegionIterArgs()[at]);
    if (!before || !each)
      return std::nullopt;
    Recurrence sum = join(*before, *each);
    for (Value bound :
         {inner.getLowerBound(), inner.getUpperBound(), inner.getStep()})
      sum = join(sum, settle(of(bound), op));
    sum.growth =
        each->constant() && each->growth == 0 ? before->growth : std::nullopt;
    return sum;
  }
  if (op->getNumRegions() == 1 && isa<RegionBranchOpInterface>(op)) {
    // An elect, say: what it yields.
    Operation *yield = op->getRegion(0).front().getTerminator();
    unsigned at = cast<OpResult>(value).getResultNumber();
    if (at < yield->getNumOperands())
      return increment(yield->getOperand(at), argument);
  }
  return std::nullopt;
}

Recurrence Recurrences::compute(Value value) {
  Recurrence result;
  Region *region = value.getParentRegion();
  if (region != &loop.getRegion() && !loop.getRegion().isAncestor(region))
    return result;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto inner = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!inner)
      return result;
    bool own = inner == loop;
    APInt constant;
    if (argument == inner.getInductionVar()) {
      if (!own)
        return of(inner.getLowerBound());
      result.growth = std::nullopt;
      if (matchPattern(inner.getStep(), m_ConstantInt(&constant)))
        result.growth = constant.getSExtValue();
      if (matchPattern(inner.getLowerBound(), m_ConstantInt(&constant)))
        result.offset = std::abs(constant.getSExtValue());
      return result;
    }
    unsigned at = argument.getArgNumber() - 1;
    if (!own)
      return of(inner.getInitArgs()[at]);
    auto each = increment(inner.getYieldedValues()[at], argument);
    if (!each) {
      states.insert(at);
      return result;
    }
    result = *each;
    if (result.period > 1)
      result.growth = std::nullopt;
    if (matchPattern(inner.getInitArgs()[at], m_ConstantInt(&constant)))
      result.offset = std::abs(constant.getSExtValue());
    if (unsigned bits = bitsOf(value.getType()); bits && bits < 32)
      result = remainder(result, int64_t(1) << bits, inner);
    return result;
  }
  Operation *op = value.getDefiningOp();
  if (auto [code, predicate] = classify(op); code != Arith::None) {
    if (!bitsOf(value.getType()))
      return result; // tiles, slots, tokens
    result = arithmetic(op, code);
    if (unsigned bits = bitsOf(value.getType());
        bits < 32 && !result.still() && code != Arith::CastU)
      result = remainder(result, int64_t(1) << bits, op);
    return result;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned at = cast<OpResult>(value).getResultNumber();
    if (!bitsOf(value.getType()) || branch.getElseRegion().empty())
      return result;
    Recurrence x = settle(of(branch.thenYield().getOperand(at)), op),
               y = settle(of(branch.elseYield().getOperand(at)), op);
    result = join(join(x, y), settle(of(branch.getCondition()), op));
    if (x.growth != 0 || y.growth != 0)
      result.growth = std::nullopt;
    return result;
  }
  if (auto inner = dyn_cast<scf::ForOp>(op)) {
    unsigned at = cast<OpResult>(value).getResultNumber();
    result = of(inner.getInitArgs()[at]);
    auto each =
        increment(inner.getYieldedValues()[at], inner.getRegionIterArgs()[at]);
    if (each && each->growth == 0)
      return result;
    for (Value bound :
         {inner.getLowerBound(), inner.getUpperBound(), inner.getStep()}) {
      Recurrence recurrence = settle(of(bound), op);
      bool grows = recurrence.growth != 0;
      std::optional<int64_t> growth = grows ? std::nullopt : result.growth;
      int64_t modulus = result.modulus;
      result = join(settle(result, op), recurrence);
      result.growth = modulus ? 0 : growth;
    }
    return result;
  }
  if (op->getNumRegions() == 1) {
    unsigned at = cast<OpResult>(value).getResultNumber();
    if (op->getRegion(0).hasOneBlock())
      if (Operation *yield = op->getRegion(0).front().getTerminator();
          at < yield->getNumOperands())
        return of(yield->getOperand(at));
  }
  return result; // loaded, polled, the id of somebody
}

Recurrence Recurrences::arithmetic(Operation *op, Arith code) {
  Recurrence in[3];
  std::optional<int64_t> constants[3];
  unsigned count = op->getNumOperands();
  for (unsigned i = 0; i < count; ++i) {
    in[i] = of(op->getOperand(i));
    APInt constant;
    if (matchPattern(op->getOperand(i), m_ConstantInt(&constant)))
      constants[i] = constant.getSExtValue();
  }
  Recurrence &a = in[0], &b = in[1];
  auto pair = [&] {
    a = settle(a, op), b = settle(b, op);
    return join(a, b);
  };
  auto lost = [&] {
    Recurrence result = pair();
    result.unknown = result.unknown ? result.unknown : op;
    result.growth = std::nullopt;
    return result;
  };
  // After so many iterations the growing one has passed the constant.
  auto passes = [&](const Recurrence &grows, int64_t constant) {
    int64_t growth = std::max<int64_t>(1, std::abs(grows.growth.value_or(1)));
    int64_t far = std::min(std::abs(constant), many) + grows.offset + 1;
    return times(far, grows.period) / growth + 1;
  };
  switch (code) {
  case Arith::None:
    return {};
  case Arith::Add:
  case Arith::Sub: {
    // Adding a constant keeps remainders apart only by a turn.
    Recurrence result = pair();
    auto each = [&](const Recurrence &c) {
      return scaled(c.growth, result.period / c.period);
    };
    auto x = each(a), y = each(b);
    result.growth = x && y
                        ? std::optional(code == Arith::Add ? *x + *y : *x - *y)
                        : std::nullopt;
    result.offset = a.offset + b.offset;
    for (unsigned i : {0u, 1u})
      if (constants[i])
        result.offset += std::min(std::abs(*constants[i]), many);
    return result;
  }
  case Arith::Mul:
  case Arith::Shl: {
    Recurrence result = pair();
    if (a.growth == 0 && b.growth == 0)
      return result;
    auto factor = constants[1];
    if (code == Arith::Shl) {
      if (b.growth != 0)
        return lost();
      if (factor && (*factor < 0 || *factor > bound::factorBits))
        return lost();
      if (factor)
        factor = int64_t(1) << *factor;
    } else if (constants[0]) {
      std::swap(a, b);
      factor = constants[0];
    }
    result.growth = std::nullopt;
    if (factor && std::abs(*factor) < many) {
      result.growth =
          scaled(scaled(a.growth, result.period / a.period), *factor);
      result.offset = times(a.offset, std::abs(*factor));
    }
    return result;
  }
  case Arith::DivU:
  case Arith::DivS:
  case Arith::FloorDivS:
  case Arith::CeilDivU:
  case Arith::CeilDivS:
  case Arith::ShrU:
  case Arith::ShrS:
  case Arith::RemU:
  case Arith::RemS: {
    if (a.still() && b.still())
      return join(a, b);
    bool shift = code == Arith::ShrU || code == Arith::ShrS;
    if (!constants[1] && b.constant()) {
      // By a size: what comes of it other sizes show.
      Recurrence result = pair();
      if (code != Arith::RemU && code != Arith::RemS)
        result.growth = std::nullopt;
      return result;
    }
    if (!constants[1] || *constants[1] < (shift ? 0 : 1) ||
        (shift && *constants[1] > bound::factorBits))
      return lost();
    int64_t n = shift ? int64_t(1) << *constants[1] : *constants[1];
    if (code == Arith::CeilDivU || code == Arith::CeilDivS)
      a = settle(a, op);
    return code == Arith::RemU || code == Arith::RemS ? remainder(a, n, op)
                                                      : quotient(a, n, op);
  }
  case Arith::And:
  case Arith::Or:
  case Arith::Xor: {
    if (a.still() && b.still())
      return join(a, b);
    if (!constants[1] && constants[0]) {
      std::swap(a, b);
      std::swap(constants[0], constants[1]);
    }
    if (!constants[1])
      return lost();
    int64_t mask = *constants[1];
    int64_t n = int64_t(1) << std::min(
                    llvm::bit_width<uint64_t>(mask < 0 ? ~mask : mask), 40);
    if (code == Arith::And && mask >= 0) {
      Recurrence result = remainder(a, n, op);
      return n == mask + 1 ? result : settle(result, op);
    }
    a = settle(a, op);
    if (a.growth == 0)
      return a;
    int64_t period = round(a, n);
    a.growth = scaled(a.growth, period / a.period);
    a.period = period;
    a.periodOp = op;
    return a;
  }
  case Arith::MinU:
  case Arith::MinS:
  case Arith::MaxU:
  case Arith::MaxS:
  case Arith::Cmp: {
    Recurrence result = pair();
    if (a.growth == 0 && b.growth == 0)
      return result;
    bool compare = code == Arith::Cmp;
    if (a.growth == 0)
      std::swap(a, b), std::swap(constants[0], constants[1]);
    if (b.growth != 0) {
      // Side by side: the difference repeats.
      auto x = scaled(a.growth, result.period / a.period),
           y = scaled(b.growth, result.period / b.period);
      if (x && x == y) {
        result.growth = compare ? 0 : x;
        return result;
      }
      if (x && y)
        return lost();
    }
    if (constants[1]) {
      int64_t after = passes(a, *constants[1]);
      if (after > result.settled) {
        result.settled = after;
        result.settledOp = op;
      }
      if (compare)
        result.period = 1, result.periodOp = nullptr;
    } else
      result.compares = true;
    result.growth = compare ? std::optional<int64_t>(0) : std::nullopt;
    return result;
  }
  case Arith::Select: {
    for (Recurrence &c : in)
      c = settle(c, op);
    Recurrence result = join(join(in[0], in[1]), in[2]);
    if (in[1].growth != 0 || in[2].growth != 0)
      result.growth = std::nullopt;
    if (in[1].growth && in[1].growth == in[2].growth &&
        in[1].period == in[2].period && result.period == in[1].period)
      result.growth = in[1].growth;
    return result;
  }
  case Arith::Cast:
  case Arith::CastU: {
    unsigned from = bitsOf(op->getOperand(0).getType()),
             to = bitsOf(op->getResult(0).getType());
    // The sign of a remainder of all bits changes within its turn.
    if (code == Arith::Cast && to > from && from < 63 &&
        a.modulus > int64_t(1) << (from - 1))
      a = settle(a, op);
    return a;
  }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// A loop's
//===----------------------------------------------------------------------===//

/// The numbers of an operation that are more than places in global memory.
static SmallVector<Value> deciding(Operation *op) {
  SmallVector<Value> result;
  if (isa<arith::ArithDialect>(op->getDialect())) {
    // Of two slots, barriers or tokens one is taken.
    if (isa<arith::SelectOp>(op) && !bitsOf(op->getResult(0).getType()) &&
        !isa<ShapedType, FloatType>(op->getResult(0).getType()))
      result.push_back(op->getOperand(0));
    return result;
  }
  llvm::DenseSet<Value> places;
  if (auto hardware = dyn_cast<HardwareEffectsInterface>(op)) {
    effect::EffectList effects;
    hardware.getHardwareEffects(effects);
    for (const effect::Effect &effect : effects) {
      if (auto *access = std::get_if<effect::Access>(&effect.what);
          access && !isa<SharedType>(access->bytes.object.getType())) {
        places.insert(access->bytes.coords.begin(), access->bytes.coords.end());
        places.insert(access->bytes.offsets.begin(),
                      access->bytes.offsets.end());
      }
      if (auto *wait = std::get_if<effect::WaitFlag>(&effect.what))
        places.insert(wait->flag.coords.begin(), wait->flag.coords.end());
    }
  }
  if (auto view = dyn_cast<ViewOpInterface>(op))
    if (effect::View of = view.getView();
        of.source && of.index && isa<GlobalType>(of.source.getType()))
      places.insert(of.index);
  // What data is made of decides nothing.
  bool data = isa<TileOpInterface>(op) || op->hasTrait<OpTrait::IsTerminator>();
  if (isa<scf::ForOp>(op)) {
    result.append(op->operand_begin(), op->operand_begin() + 3);
    return result;
  }
  if (!data)
    for (Value operand : op->getOperands())
      if (bitsOf(operand.getType()) && !places.contains(operand))
        result.push_back(operand);
  return result;
}

SmallVector<unsigned> checker::statesOf(scf::ForOp loop) {
  Recurrences recurrences(loop);
  SmallVector<unsigned> result;
  for (auto [at, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (bitsOf(argument.getType()) &&
        !recurrences.increment(loop.getYieldedValues()[at], argument))
      result.push_back(at);
  return result;
}

LoopRecurrence checker::recurrenceOf(scf::ForOp loop) {
  Recurrences recurrences(loop);
  LoopRecurrence result;
  result.states = statesOf(loop);
  auto add = [&](Value value, Operation *op) {
    Recurrence recurrence = settle(recurrences.of(value), op);
    // A number that grows and grows is none that a slot or a parity has.
    if (int64_t period = common(result.period, recurrence.period);
        period > result.period) {
      result.period = period;
      result.periodOp = recurrence.periodOp;
    }
    if (recurrence.settled > result.settled) {
      result.settled = recurrence.settled;
      result.settledOp = recurrence.settledOp;
    }
    result.compares |= recurrence.compares;
    if (!result.unknown)
      result.unknown = recurrence.unknown;
  };
  loop.getBody()->walk([&](Operation *op) {
    for (Value value : deciding(op))
      add(value, op);
  });
  // A state that goes round may do otherwise from some iteration on.
  for (unsigned i = 0; i < recurrences.states.size(); ++i)
    add(loop.getYieldedValues()[recurrences.states[i]], loop);
  return result;
}
