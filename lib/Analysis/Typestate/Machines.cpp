//===- Machines.cpp - what a loop carries by finite states ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Walk.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/IntEqClasses.h"

#include <numeric>

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using MValue = mlir::Value;
using Kind = TValue::Kind;

/// What a side of a branch yields as this result.
static MValue yieldedBy(Region &side, MValue result) {
  return side.front().getTerminator()->getOperand(
      cast<OpResult>(result).getResultNumber());
}

/// Runs what a body computes from numbers, loops in it of as many steps as the
/// numbers say included.
class Walk::Numbers {
public:
  explicit Numbers(Block *body) : body(body) {}
  llvm::DenseMap<MValue, int64_t> known;

  std::optional<int64_t> of(MValue value, int depth = 0) {
    if (auto found = known.find(value); found != known.end())
      return found->second;
    if (auto found = computed.find(value); found != computed.end())
      return found->second;
    if (depth > mostDepth)
      return std::nullopt;
    auto result = compute(value, depth);
    // (Of a loop that was run meanwhile, too.)
    computed[value] = result;
    return result;
  }

private:
  /// Uses that are written out one after the other make long chains.
  static constexpr int mostDepth = 2048;
  /// Of this iteration of all loops.
  llvm::DenseMap<MValue, std::optional<int64_t>> computed;

  std::optional<int64_t> compute(MValue value, int depth) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    APInt constant;
    if (matchPattern(op, m_ConstantInt(&constant)) &&
        constant.getBitWidth() <= 64)
      return constant.getBitWidth() == 1 ? constant.getZExtValue()
                                         : constant.getSExtValue();
    if (!body->getParentOp()->isProperAncestor(op))
      return std::nullopt;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      run(loop, depth);
      auto found = known.find(value);
      return found == known.end() ? std::nullopt : std::optional(found->second);
    }
    // Of a branch what both sides yield.
    if (isa<scf::IfOp>(op)) {
      std::optional<int64_t> both;
      for (Region &side : op->getRegions()) {
        auto number = of(yieldedBy(side, value), depth + 1);
        if (!number || both.value_or(*number) != *number)
          return std::nullopt;
        both = number;
      }
      return both;
    }
    auto [code, predicate] = checker::classify(op);
    unsigned bits = checker::bitsOf(value.getType());
    if (code == checker::Arith::None || !bits)
      return std::nullopt;
    SmallVector<int64_t, 3> in;
    for (MValue operand : op->getOperands()) {
      auto number = of(operand, depth + 1);
      if (!number)
        return std::nullopt;
      in.push_back(*number);
    }
    in.resize(3, 0);
    unsigned operandBits =
        checker::bitsOf(op->getOperand(op->getNumOperands() - 1).getType());
    return checker::evaluate(code, predicate, operandBits, bits, in[0], in[1],
                             in[2]);
  }

  /// Its results, as far as they are numbers.
  void run(scf::ForOp loop, int depth) {
    auto lower = of(loop.getLowerBound(), depth + 1),
         upper = of(loop.getUpperBound(), depth + 1),
         step = of(loop.getStep(), depth + 1);
    if (!lower || !upper || !step || *step < 1 || *step > (int64_t(1) << 32) ||
        *upper > (int64_t(1) << 32) ||
        (loop.getUnsignedCmp() && std::min(*lower, *upper) < 0))
      return;
    std::vector<std::optional<int64_t>> now;
    for (MValue value : loop.getInitArgs())
      now.push_back(of(value, depth + 1));
    for (int64_t i = *lower; i < *upper; i += *step) {
      if (--steps < 0)
        return;
      // Of loops inside, those are of this iteration.
      loop.getBody()->walk([&](scf::ForOp inside) {
        for (MValue result : inside.getResults())
          known.erase(result);
      });
      computed.clear();
      known[loop.getInductionVar()] = i;
      for (auto [argument, number] : llvm::zip(loop.getRegionIterArgs(), now))
        if (number)
          known[argument] = *number;
        else
          known.erase(argument);
      for (auto [yielded, number] : llvm::zip(loop.getYieldedValues(), now))
        number = of(yielded, depth + 1);
    }
    computed.clear();
    for (auto [result, number] : llvm::zip(loop.getResults(), now))
      if (number)
        known[result] = *number;
  }

  Block *body;
  int64_t steps = 4096;
};

/// The arguments of the body that a value is computed from; false: others, too.
static bool dependsOn(MValue value, Block *body, std::set<unsigned> &arguments,
                      llvm::SmallPtrSetImpl<void *> &seen) {
  if (!seen.insert(value.getAsOpaquePointer()).second)
    return true;
  auto on = [&](MValue other) {
    return dependsOn(other, body, arguments, seen);
  };
  // What a loop inside carries, and how often it does.
  auto carried = [&](scf::ForOp loop, unsigned i) {
    return on(loop.getInitArgs()[i]) && on(loop.getYieldedValues()[i]) &&
           on(loop.getLowerBound()) && on(loop.getUpperBound()) &&
           on(loop.getStep());
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned number = argument.getArgNumber();
    if (argument.getOwner() == body) {
      if (number)
        arguments.insert(number - 1);
      return number != 0;
    }
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || !body->getParentOp()->isProperAncestor(loop))
      return false;
    return number ? carried(loop, number - 1)
                  : on(loop.getLowerBound()) && on(loop.getUpperBound()) &&
                        on(loop.getStep());
  }
  Operation *op = value.getDefiningOp();
  APInt constant;
  if (matchPattern(op, m_ConstantInt(&constant)))
    return true;
  if (!body->getParentOp()->isProperAncestor(op))
    return false;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return carried(loop, cast<OpResult>(value).getResultNumber());
  if (isa<scf::IfOp>(op))
    return llvm::all_of(op->getRegions(), [&](Region &side) {
      return on(yieldedBy(side, value));
    });
  return checker::classify(op).first != checker::Arith::None &&
         llvm::all_of(op->getOperands(), on);
}

/// Cycles at places that differ by constants, where they can be: the parity of a
/// quotient is one at its dividend, too.
static void atOnePlace(MutableArrayRef<TValue> values, const Atoms &atoms,
                       const Facts &facts) {
  std::vector<std::vector<TValue>> forms;
  for (const TValue &value : values) {
    forms.push_back({value});
    if (auto longer = value.overDividend(atoms, facts))
      forms.back().push_back(*longer);
  }
  auto fits = [](const TValue &value, const Polynomial &place) {
    return value.kind != Kind::Cycle ||
           (value.number - place).constant().has_value();
  };
  for (auto &some : forms)
    for (const TValue &form : some) {
      std::vector<TValue> all;
      for (auto &others : forms) {
        auto found = llvm::find_if(others, [&](const TValue &other) {
          return fits(other, form.number);
        });
        if (found != others.end())
          all.push_back(*found);
      }
      if (form.kind != Kind::Cycle || all.size() != values.size())
        continue;
      llvm::copy(all, values.begin());
      return;
    }
}

/// The states of these arguments until one comes again that was the first one, or the
/// second one, which then stands at the end, too; none: neither comes again.
ArrayRef<std::vector<int64_t>>
Walk::rounds(Block *body, const std::vector<unsigned> &carried,
             std::vector<int64_t> state) {
  auto [known, fresh] =
      proof.shared.machines.try_emplace({body->getParentOp(), carried, state});
  std::vector<std::vector<int64_t>> &states = known->second;
  if (!fresh)
    return states;
  std::set<std::vector<int64_t>> seen;
  while (states.size() <= 4096) {
    states.push_back(state);
    if (!seen.insert(state).second) {
      if (state != states[0] && state != states[1])
        break; // a later one
      return states;
    }
    Numbers numbers(body);
    for (auto [i, number] : llvm::zip(carried, state))
      numbers.known[body->getArgument(i + 1)] = number;
    for (auto [i, next] : llvm::zip(carried, state)) {
      auto number = numbers.of(body->getTerminator()->getOperand(i));
      if (!number) {
        states.clear();
        return states;
      }
      next = *number;
    }
  }
  states.clear();
  return states;
}

/// Without those that need one that is not among them.
static void close(std::map<unsigned, std::set<unsigned>> &needs) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = needs.begin(); it != needs.end();) {
      bool good = llvm::all_of(it->second,
                               [&](unsigned i) { return needs.contains(i); });
      changed |= !good;
      it = good ? std::next(it) : needs.erase(it);
    }
  }
}

std::vector<Walk::Machine>
Walk::machines(Operation *op, std::vector<TValue> &in, const Facts &facts) {
  auto loop = cast<scf::ForOp>(op);
  Block *body = loop.getBody();
  auto yielded = body->getTerminator()->getOperands();
  Needs needs;
  for (unsigned i = 0; i < in.size(); ++i) {
    if (!checker::bitsOf(body->getArgument(i + 1).getType()) ||
        (!in[i].constant() && in[i].kind != Kind::Cycle))
      continue;
    auto [known, fresh] = proof.shared.yieldedFrom.try_emplace({body, i});
    std::set<unsigned> from;
    llvm::SmallPtrSet<void *, 16> seen;
    if (fresh && dependsOn(yielded[i], body, from, seen))
      known->second = std::move(from);
    if (known->second)
      needs[i] = *known->second;
  }
  close(needs);
  // What has nothing to do with each other goes round by itself, or not.
  llvm::IntEqClasses together(in.size());
  for (auto &[i, from] : needs)
    for (unsigned other : from)
      together.join(i, other);
  std::map<unsigned, Needs> groups;
  for (auto &each : needs)
    groups[together.findLeader(each.first)].insert(each);
  std::vector<Machine> result;
  for (auto &[leader, group] : groups)
    if (auto one = machine(body, group, in, facts))
      result.push_back(std::move(*one));
  return result;
}

std::optional<Walk::Machine> Walk::machine(Block *body, Needs needs,
                                           std::vector<TValue> &in,
                                           const Facts &facts) {
  while (!needs.empty()) {
    Machine result;
    for (auto &[i, from] : needs)
      result.arguments.push_back(i);
    size_t count = result.arguments.size();
    std::vector<TValue> from;
    for (unsigned i : result.arguments)
      from.push_back(in[i]);
    atOnePlace(from, proof.atoms, facts);
    for (size_t k = 0; k < count; ++k)
      in[result.arguments[k]] = from[k];
    // From where: all constants (no step made yet), or all where one cycle is.
    std::optional<Polynomial> at;
    bool constants = true, good = true;
    int64_t size = 1;
    for (unsigned i : result.arguments)
      if (in[i].kind == Kind::Cycle) {
        constants = false;
        good &= !at || (in[i].number - *at).constant().has_value();
        at = in[i].number;
        size = std::lcm<int64_t>(size, in[i].table.size());
      }
    ArrayRef<std::vector<int64_t>> states;
    std::vector<int64_t> state(count);
    for (size_t k = 0; k < count; ++k) {
      const TValue &v = in[result.arguments[k]];
      if (v.kind != Kind::Cycle) {
        state[k] = *v.constant();
        continue;
      }
      auto shift = (v.number - *at).constant();
      if (!shift) {
        good = false;
        break;
      }
      state[k] = rotated(v.table, *shift)[0];
    }
    if (good)
      states = rounds(body, result.arguments, state);
    good &= !states.empty();
    if (good) {
      // What comes again is the first state, or the second one: a slot of the
      // iteration before, of which the first iteration has none.
      result.begun = states.back() != states[0];
      good &= !result.begun || constants;
      states = states.drop_back().drop_front(result.begun);
    }
    // Where it starts in the cycle: the states must be those of the tables, of
    // which a loop around this one may make several steps at once.
    int64_t period = states.size();
    for (size_t k = 0; k < count && good; ++k) {
      std::vector<int64_t> table;
      for (const auto &each : states)
        table.push_back(each[k]);
      result.tables.push_back(std::move(table));
    }
    auto starts = [&](int64_t stride) {
      std::vector<int64_t> every(period);
      for (size_t k = 0; k < count; ++k) {
        for (int64_t i = 0; i < period; ++i)
          every[i] = result.tables[k][i * stride % period];
        const TValue &v = in[result.arguments[k]];
        if (v.kind == Kind::Cycle ? TValue::cycle(*at, every) != v
                                  : !constants && !llvm::all_equal(every))
          return false;
      }
      return true;
    };
    for (int64_t stride = 1; good && stride <= (constants ? 1 : period);
         ++stride)
      if (starts(stride)) {
        result.at = result.begun
                        ? Polynomial(-1)
                        : at.value_or(Polynomial()) * Polynomial(stride);
        return result;
      }
    // Without those that no other one needs: the slot of the iteration before.
    std::set<unsigned> needed;
    for (auto &[i, from] : needs)
      for (unsigned other : from)
        if (other != i)
          needed.insert(other);
    size_t before = needs.size();
    for (auto it = needs.begin(); it != needs.end();)
      it = needed.contains(it->first) || it->second.contains(it->first)
               ? std::next(it)
               : needs.erase(it);
    close(needs);
    if (needs.size() == before)
      return std::nullopt;
  }
  return std::nullopt;
}
