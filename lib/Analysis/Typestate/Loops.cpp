//===- Loops.cpp - how often loops run, and by which cases ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Walk.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using MValue = mlir::Value;
using Kind = TValue::Kind;

/// How often: bounds that are equal give loops that run equally often. Of every
/// k-th iteration of a loop, from iteration j on: (count - j) / k, rounded up.
Polynomial Walk::count(State &state, const Polynomial &lower,
                       const Polynomial &upper, const Polynomial &step) {
  if (step.constant() == 1)
    return upper - lower;
  if (auto l = lower.constant(), u = upper.constant(), s = step.constant();
      l && u && s)
    if (int64_t apart; !llvm::SubOverflow(*u, *l, apart))
      return llvm::divideCeilSigned(apart, *s);
  int64_t every = 1, from = 0;
  Polynomial unit = step;
  if (step.monomials().size() == 1 && !step.isLost()) {
    auto [monomial, coefficient] = step.monomials()[0];
    if (!monomial.empty() && coefficient > 0) {
      every = coefficient;
      unit = *step.dividedBy(every);
      for (auto &[other, times] : lower.monomials())
        if (other == monomial && times > 0)
          from = times;
    }
  }
  Polynomial first = lower - Polynomial(from) * unit;
  Polynomial all = Polynomial::atom(
      proof.atoms.atom("count", nullptr, {first, upper, unit}));
  bool everywhere = proof.launch.provesAtLeast(upper, lower + 1) &&
                    proof.launch.provesAtLeast(unit, 1);
  auto fact = [&](const Polynomial &a, const Polynomial &b) {
    state.facts.atLeast(a, b);
    if (everywhere)
      proof.launch.atLeast(a, b);
  };
  fact(all, 1);
  fact(upper - first - 1, (all - 1) * unit);
  fact(all * unit, upper - first);
  Polynomial count = all - Polynomial(from);
  if (every > 1) {
    count = proof.arithmetic
                .divide(count + Polynomial(every - 1), every, state.facts)
                .first;
    if (everywhere)
      proof.arithmetic.divide(all - Polynomial(from) + Polynomial(every - 1),
                              every, proof.launch);
  }
  if (every > 1 || from) {
    fact(count, 1);
    fact(upper - lower - 1, (count - 1) * step);
    fact(count * step, upper - lower);
  }
  return count;
}

/// The select that keeps the value from being a number: what it chooses by is not
/// decided.
static arith::SelectOp selectOf(MValue value, const State &state) {
  SmallVector<MValue> stack = {value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!stack.empty()) {
    MValue next = stack.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || state.values.lookup(next).kind != Kind::Unknown ||
        !isa<arith::ArithDialect>(op->getDialect()) || !seen.insert(op).second)
      continue;
    auto select = dyn_cast<arith::SelectOp>(op);
    if (select &&
        state.values.lookup(select.getCondition()).kind == Kind::Condition)
      return select;
    llvm::append_range(stack, op->getOperands());
  }
  return {};
}

/// Of a number that goes round, each one that it may be, with what it is that one by.
static std::vector<std::pair<int64_t, TValue>>
numbersOf(Proof &proof, const TValue &value, Facts &facts) {
  std::vector<std::pair<int64_t, TValue>> result;
  for (int64_t number :
       std::set<int64_t>(value.table.begin(), value.table.end())) {
    std::vector<int64_t> where;
    for (int64_t each : value.table)
      where.push_back(each == number);
    result.emplace_back(
        number, proof.arithmetic.conditionOf(
                    TValue::cycle(value.number, std::move(where)), facts));
  }
  return result;
}

TValue Walk::chosen(MValue value, State &state) {
  const TValue is = state.values.lookup(value);
  if (is.kind == Kind::Cycle)
    for (auto &[number, condition] : numbersOf(proof, is, state.facts))
      if (decide(state.facts, condition) == true)
        return TValue::of(number);
  return is;
}

bool Walk::chooses(Operation *op, MValue value, const char *how, State &state) {
  const TValue is = state.values.lookup(value);
  MValue by = value;
  std::vector<Comparison> all;
  if (is.kind == Kind::Cycle) {
    for (auto &[number, condition] : numbersOf(proof, is, state.facts))
      llvm::append_range(all, condition.all);
  } else if (arith::SelectOp select = selectOf(value, state)) {
    by = select.getCondition();
    all =
        proof.arithmetic.conditionOf(state.values.lookup(by), state.facts).all;
  }
  for (const Comparison &comparison : all) {
    const Polynomial &p = comparison.polynomial;
    if (decide(state.facts, comparison))
      continue;
    const bool varies = proof.varies(p);
    const bool oneSide = comparison.kind == Comparison::AtLeast;
    if (oneSide && !isa<scf::ForOp>(op)) {
      proof.shared.bent |= varies;
      if (varies && sidesOfBody(op, state, by, {p}))
        return true;
    }
    // Perhaps it is the last iterations alone that choose the other one.
    for (const Step &step : llvm::reverse(state.path))
      if (oneSide && step.side < 0 && !step.last &&
          proof.peels(step.op) < (varies ? mostPeeled : 1) &&
          dependsOnBody(by, step.op)) {
        proof.stop(how, op);
        proof.stopped->peel = step.op;
        return true;
      }
    if (!varies) {
      proof.stopped = Stop{how, op, "", p};
      return true;
    }
  }
  return false;
}

/// Where iterations of a loop around it decide whether it runs at all, or which number
/// the least of two is that is a bound.
bool Walk::asksForSides(Operation *op, State &state, const Polynomial &lower,
                        const Polynomial &upper) {
  if (!proof.sums)
    return false;
  auto loop = cast<scf::ForOp>(op);
  for (auto [value, bound] : {std::pair(loop.getLowerBound(), &lower),
                              std::pair(loop.getUpperBound(), &upper)}) {
    auto in = bound->atoms();
    if (in.size() != 1 || *bound != Polynomial::atom(in[0]) ||
        proof.atoms.kind(in[0]) != "minimum")
      continue;
    const std::vector<Polynomial> of = proof.atoms.operands(in[0]);
    if ((of[0].constant() || of[1].constant()) &&
        !state.facts.provesAtLeast(of[0], of[1]) &&
        !state.facts.provesAtLeast(of[1], of[0]) &&
        sidesOfBody(op, state, value, {of[0] - of[1], *bound, of[1], of[0]}))
      return true;
  }
  return !state.facts.provesAtLeast(lower, upper) &&
         !state.facts.provesAtLeast(upper, lower + 1) &&
         sidesOfBody(op, state, {loop.getLowerBound(), loop.getUpperBound()},
                     {upper - lower - 1});
}

bool Walk::loop(Operation *op, State &state, const Who &who) {
  auto loop = cast<scf::ForOp>(op);
  Block *body = loop.getBody();
  auto bound = [&](MValue value) {
    return proof.arithmetic.polynomialOf(state.values.lookup(value),
                                         state.facts);
  };
  auto lower = bound(loop.getLowerBound()), upper = bound(loop.getUpperBound()),
       step = bound(loop.getStep());
  bool effects = matters(op);
  std::vector<TValue> in;
  for (MValue value : loop.getInitArgs())
    in.push_back(state.values.lookup(value));
  auto finish = [&](ArrayRef<TValue> out) {
    for (auto [result, value] : llvm::zip(op->getResults(), out))
      state.values[result] = value;
    hideTiles(state, op->getResults());
    return true;
  };
  if (effects)
    for (auto [value, number] : {std::pair(loop.getLowerBound(), &lower),
                                 std::pair(loop.getUpperBound(), &upper)})
      if (!*number &&
          chooses(op, value, "how often this loop runs is one of two numbers",
                  state))
        return false;
  // One that does nothing has to end, too.
  unsigned bits = checker::bitsOf(loop.getStep().getType());
  if (!step || ((effects || bits < 64) && !(lower && upper)))
    return proof.stop("the bounds of this loop are not polynomials of sizes, "
                      "ids and iterations",
                      op);
  if (!state.facts.provesAtLeast(*step, 1))
    return proof.stop("the step of this loop is not shown to be positive", op);
  // A step past the last number of the type would wrap round. The last one leads less
  // than a step past the bound, and to it where steps divide what lies between.
  auto fits = [&] {
    if (!lower || !upper)
      return false;
    const int64_t most = llvm::maxIntN(bits);
    Facts facts = state.facts;
    // Compilers compute the distance of the bounds in the type, too.
    if (!facts.provesAtLeast(*lower, 0) &&
        !facts.provesAtLeast(most, *upper - *lower))
      return false;
    return step->constant() == 1 ||
           facts.provesAtLeast(most, *upper + *step - 1) ||
           facts.provesAtLeast(
               0,
               proof.arithmetic.divide(*upper - *lower, *step, facts).second);
  };
  if (proof.without != Judgement::Holds && !fits()) {
    if (bits < 64)
      return proof.stop("the counter of this loop is not shown to fit into " +
                            std::to_string(bits) + " bits",
                        op,
                        "titan.require in the launch region that bounds it");
    proof.arithmetic.assumeNoOverflow(loop.getStep().getType());
  }
  if (loop.getUnsignedCmp() && lower && upper &&
      proof.without != Judgement::Unsigned &&
      (!state.facts.provesAtLeast(*lower, 0) ||
       !state.facts.provesAtLeast(*upper, 0)))
    return proof.stop(
        "the bounds of this loop are compared as unsigned numbers, "
        "and not shown to be 0 or more",
        op,
        "titan.require in the launch region that says so, or a signed "
        "comparison");
  if (!effects)
    return finish(std::vector<TValue>(in.size()));
  auto counter = counterOf(op);
  if (counter && !ticketLoop(op, *counter, state, *lower, *upper, *step))
    return false;
  if (asksForSides(op, state, *lower, *upper))
    return false;
  // The least of a size and a number is one of them.
  if (auto in = upper->atoms();
      in.size() == 1 && *upper == Polynomial::atom(in[0]) &&
      proof.atoms.kind(in[0]) == "minimum" && !proof.varies(*upper)) {
    const std::vector<Polynomial> &of = proof.atoms.operands(in[0]);
    if ((of[0].constant() || of[1].constant()) &&
        !state.facts.provesAtLeast(of[0], of[1]) &&
        !state.facts.provesAtLeast(of[1], of[0])) {
      proof.stopped =
          Stop{"a loop that runs as often as the least of two numbers", op, "",
               of[0] - of[1]};
      return false;
    }
  }
  if (state.facts.provesAtLeast(*lower, *upper)) {
    // Bounds that are the same one, as integers: slots are computed from them.
    if (*lower != *upper && state.facts.provesAtLeast(*upper, *lower))
      state.facts.equal(*lower, *upper);
    return finish(in);
  }
  if (!state.facts.provesAtLeast(*upper, *lower + 1)) {
    Polynomial some = *upper - *lower - 1;
    // Perhaps it runs as often as the least of two numbers, which is one of them: in
    // all iterations but the last one, or as the CTA says.
    if (auto in = upper->atoms();
        in.size() == 1 && proof.atoms.kind(in[0]) == "minimum") {
      const std::vector<Polynomial> of = proof.atoms.operands(in[0]);
      const Polynomial less = of[0] - of[1];
      if (proof.varies(less)) {
        for (const Step &outer : llvm::reverse(state.path))
          if (outer.side < 0 && !outer.last && !proof.peels(outer.op)) {
            proof.stop("whether this loop runs at all depends on the iteration",
                       op);
            proof.stopped->peel = outer.op;
            return false;
          }
      } else if (proof.dependsOnCta(less)) {
        proof.stopped =
            Stop{"a loop that runs as often as the least of two numbers", op,
                 "", less};
        return false;
      }
    }
    if (proof.varies(some))
      return proof.stop(
          "whether this loop runs at all depends on the iteration: " +
              proof.print(some + 1) + " may be 0",
          op);
    proof.stopped = Stop{"a loop that may run no times", op, "", some};
    return false;
  }
  Polynomial count = this->count(state, *lower, *upper, *step);
  trips[op] = count;
  const int peeled = proof.peels(op);
  if (!peeled) {
    if (!iterations(op, state, who, *lower, *upper, *step, count, in))
      return false;
    return finish(in);
  }
  // All but the last ones, and those.
  int last = 1;
  while (last <= peeled && state.facts.provesAtLeast(count, last + 1))
    ++last;
  if (last > peeled) {
    last = peeled;
    Polynomial rest(last);
    if (!iterations(op, state, who, *lower, *upper - rest * *step, *step,
                    count - rest, in))
      return false;
  } else if (!state.facts.provesAtLeast(last, count)) {
    if (proof.varies(count))
      return proof.stop("whether this loop runs more than " +
                            std::to_string(last) +
                            " times depends on the iteration",
                        op);
    proof.stopped =
        Stop{"a loop that may run few times", op, "", count - (last + 1)};
    return false;
  }
  Facts outside = state.facts;
  for (; last; --last) {
    if (count != 1)
      stamps.clear();
    Polynomial iteration = count - Polynomial(last),
               at = *lower + iteration * *step;
    state.facts = outside;
    state.facts.atLeast(*upper - 1, at);
    state.values[body->getArgument(0)] =
        counter ? ticket(*counter, iteration, state) : TValue::of(at);
    for (unsigned i = 0; i < in.size(); ++i)
      state.values[body->getArgument(i + 1)] = in[i];
    hideTiles(state, body->getArguments());
    state.path.push_back({op, iteration, -1, last});
    in.clear();
    if (!this->body(op, state, who, &in))
      return false;
    state.path.pop_back();
  }
  state.facts = outside;
  return finish(in);
}
