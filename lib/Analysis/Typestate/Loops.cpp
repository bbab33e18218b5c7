//===- Loops.cpp - first body, later body ---------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Walk.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using MValue = mlir::Value;
using Kind = TValue::Kind;

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

/// What was e1, e2 behind the first two iterations, and e3 behind the third one, as
/// it is at t: e1 + d (t - 1), and, where each adds s more than the one before,
/// s (0 + 1 + ... + (t - 2)).
static Polynomial curve(Atoms &atoms, const Polynomial &e1,
                        const Polynomial &e2,
                        const std::optional<Polynomial> &e3,
                        const Polynomial &t) {
  Polynomial result = e1 + (e2 - e1) * (t - 1);
  if (e3)
    if (Polynomial more = *e3 - e2 - (e2 - e1); more != Polynomial())
      result += more * atoms.triangle(t - 1, nullptr);
  return result;
}

/// A table that states have in common, as it is at t.
static Counters line(Atoms &atoms, const Counters &first,
                     const Counters &second, const Counters *third,
                     const Polynomial &t, bool counter) {
  Counters result;
  auto at = [](const Counters &table, ObjectId key) {
    auto found = table.find(key);
    return found == table.end() ? Polynomial() : found->second;
  };
  for (auto &[key, e2] : second) {
    // (What was not known is that all uses below 0 are over.)
    if (auto number = e2.constant();
        !counter && !first.contains(key) && number && *number <= 0)
      continue;
    result.append(
        key, curve(atoms, at(first, key), e2,
                   third ? std::optional(at(*third, key)) : std::nullopt, t));
  }
  return result;
}

std::optional<State> Walk::head(Operation *op, const State &first,
                                const State &second, const State *third,
                                const Polynomial &t) {
  State result = first;
  // Those of many warps and lanes are the same.
  std::map<std::tuple<const void *, const void *, const void *, bool>, Counters>
      lines;
  auto lineOf = [&](const Counters &a, const Counters &b, const Counters *c,
                    bool counter) -> const Counters & {
    auto [found, fresh] = lines.try_emplace(
        {a.identity(), b.identity(), c ? c->identity() : nullptr, counter});
    if (fresh)
      found->second = line(proof.atoms, a, b, c, t, counter);
    return found->second;
  };
  for (auto &[warp, w] : result.warps) {
    const WarpState &a = first.warps.at(warp), &b = second.warps.at(warp),
                    *c = third ? &third->warps.at(warp) : nullptr;
    for (int lane : {elected, others}) {
      auto each = [&](Counters(WarpState::*list)[2], bool counter) {
        (w.*list)[lane] = lineOf((a.*list)[lane], (b.*list)[lane],
                                 c ? &(c->*list)[lane] : nullptr, counter);
      };
      for (auto list : {&WarpState::knows, &WarpState::sees,
                        &WarpState::atFence, &WarpState::atProduct})
        each(list, false);
      for (auto list :
           {&WarpState::waits, &WarpState::arrivals, &WarpState::skipped})
        each(list, true);
      if (a.bytes[lane] != b.bytes[lane]) {
        proof.stop("bytes are expected in one iteration and copied in another",
                   op);
        return std::nullopt;
      }
    }
    w.next = lineOf(a.next, b.next, c ? &c->next : nullptr, true);
    w.productFence = a.productFence && b.productFence;
    if (a.unbound != b.unbound) {
      proof.stop("what an iteration issues is committed in another one", op);
      return std::nullopt;
    }
    w.pending.clear();
    w.waited.clear();
  }
  return result;
}

void Walk::substitute(State &state, Atom atom, const Polynomial &by) {
  // Those of many warps are the same.
  scalars::PolynomialTable known;
  // (The keys keep what they are of, so that no other one gets its place.)
  std::map<const void *, std::pair<Counters, Counters>> tables;
  auto table = [&](Counters &numbers) {
    auto [same, fresh] = tables.try_emplace(numbers.identity());
    if (!fresh) {
      numbers = same->second.second;
      return;
    }
    same->second.first = numbers;
    numbers.forEach([&](ObjectId, Polynomial &p) {
      auto [found, fresh] = known.try_emplace(p);
      if (fresh)
        found->second = proof.atoms.substitute(p, atom, by, &state.facts);
      p = found->second;
    });
    same->second.second = numbers;
  };
  for (auto &[warp, w] : state.warps) {
    for (int lane : {elected, others}) {
      table(w.knows[lane]);
      table(w.sees[lane]);
      table(w.atFence[lane]);
      table(w.atProduct[lane]);
      table(w.waits[lane]);
      table(w.arrivals[lane]);
      table(w.skipped[lane]);
    }
    table(w.next);
  }
}

bool Walk::sameNumbers(Operation *op, State &end, State &next, bool &changed,
                       State &guess) {
  // What does not hold any more; of many warps and lanes it is the same.
  std::map<std::pair<const void *, const void *>, std::vector<ObjectId>>
      dropped;
  for (auto &[warp, w] : next.warps) {
    WarpState &e = end.warps[warp], &g = guess.warps[warp];
    for (int lane : {elected, others}) {
      auto within = [&](const Counters &a, const Counters &b) {
        for (auto &[key, p] : b) {
          auto found = a.find(key);
          if (!end.facts.provesEqual(
                  found == a.end() ? Polynomial() : found->second, p))
            return false;
        }
        return true;
      };
      auto counters = [&](const Counters &a, const Counters &b) {
        return a == b || (within(a, b) && within(b, a));
      };
      if (proof.without == Judgement::Iterations)
        continue;
      if (!counters(e.waits[lane], w.waits[lane]) ||
          !counters(e.arrivals[lane], w.arrivals[lane]) ||
          !counters(e.skipped[lane], w.skipped[lane]) ||
          !counters(e.next, w.next))
        return proof.stop("the uses of each iteration are not shown to be as "
                          "many as those of "
                          "the one before",
                          op);
      for (auto [known, wanted, kept] :
           {std::tuple(&e.knows[lane], &w.knows[lane], &g.knows[lane]),
            std::tuple(&e.sees[lane], &w.sees[lane], &g.sees[lane]),
            std::tuple(&e.atFence[lane], &w.atFence[lane], &g.atFence[lane]),
            std::tuple(&e.atProduct[lane], &w.atProduct[lane],
                       &g.atProduct[lane])}) {
        auto [gone, fresh] =
            dropped.try_emplace({known->identity(), wanted->identity()});
        if (fresh)
          for (auto &[object, bound] : *wanted) {
            auto found = known->find(object);
            if (found == known->end() ||
                (found->second != bound &&
                 !end.facts.provesAtLeast(found->second, bound)))
              gone->second.push_back(object);
          }
        for (ObjectId object : gone->second) {
          kept->erase(object);
          changed = true;
        }
      }
      if (e.bytes[lane] != w.bytes[lane])
        return proof.stop(
            "bytes are expected in one iteration and copied in another", op);
    }
    if (e.unbound != w.unbound)
      return proof.stop("what an iteration issues is committed in another one",
                        op);
    if (g.productFence && !e.productFence) {
      g.productFence = false;
      changed = true;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Whether waiting for the group of `value` is no more than is known already, if
/// `value` is taken for group `number`.
static bool standsFor(Proof &proof, const State &state, const TValue &value,
                      const Polynomial &number,
                      function_ref<ObjectId(Mechanism, int, int)> groups,
                      function_ref<ObjectId(Mechanism, int, int)> reads,
                      TokenKind kind) {
  // Of copies each lane has its own.
  if (kind == TokenKind::Async)
    return false;
  if (!value.none)
    return state.facts.provesEqual(value.number, number);
  if (state.facts.provesAtLeast(-1, number))
    return true;
  Mechanism mechanism = kind == TokenKind::Mma       ? Mechanism::MmaGroup
                        : kind == TokenKind::Counter ? Mechanism::VmCount
                                                     : Mechanism::BulkGroup;
  for (auto &[warp, w] : state.warps)
    for (int lane : {elected, others})
      for (ObjectId object : {groups(mechanism, warp, elected),
                              reads(mechanism, warp, elected)}) {
        // Only those who have groups at all.
        if (!w.next.contains(groups(mechanism, warp, elected)))
          continue;
        if (mechanism == Mechanism::BulkGroup && lane == others)
          continue;
        auto found = w.knows[lane].find(object);
        if (found == w.knows[lane].end() ||
            !state.facts.provesAtLeast(found->second, number + 1))
          return false;
      }
  return true;
}

/// Where in a table a value stands.
static std::optional<Polynomial> placeIn(const std::vector<int64_t> &table,
                                         const TValue &value) {
  int64_t size = table.size();
  auto constant = value.constant();
  if (value.kind == Kind::Cycle || constant)
    for (int64_t k = 0; k < size; ++k)
      if (constant ? table[k] == *constant : rotated(table, k) == value.table)
        return (constant ? Polynomial() : value.number) + Polynomial(k);
  return std::nullopt;
}

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
  if (step.monomials().size() == 1) {
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

bool Walk::chooses(Operation *op, State &state) {
  auto loop = cast<scf::ForOp>(op);
  for (MValue bound : {loop.getLowerBound(), loop.getUpperBound()}) {
    arith::SelectOp select = selectOf(bound, state);
    if (!select)
      continue;
    const TValue condition = proof.arithmetic.conditionOf(
        state.values.lookup(select.getCondition()), state.facts);
    for (const Comparison &comparison : condition.all) {
      if (comparison.kind != Comparison::AtLeast ||
          decide(state.facts, comparison))
        continue;
      const char *how = "how often this loop runs is one of two numbers";
      const bool varies = proof.varies(comparison.polynomial);
      // Perhaps it is the last iterations alone that choose the other one.
      for (const Step &step : llvm::reverse(state.path))
        if (step.side < 0 && !step.last &&
            proof.peels(step.op) < (varies ? mostPeeled : 1) &&
            dependsOnBody(select.getCondition(), step.op)) {
          proof.stop(how, op);
          proof.stopped->peel = step.op;
          return true;
        }
      if (!varies) {
        proof.stopped = Stop{how, op, "", comparison.polynomial};
        return true;
      }
    }
  }
  return false;
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
  if (effects && (!lower || !upper) && chooses(op, state))
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
    if (!this->block(*body, state, who, &in))
      return false;
    state.path.pop_back();
  }
  state.facts = outside;
  return finish(in);
}

TValue Walk::computed(MValue value, Block *body,
                      function_ref<TValue(unsigned)> argument,
                      const llvm::DenseMap<MValue, TValue> &values,
                      Facts &facts) {
  llvm::DenseMap<MValue, TValue> known;
  return computed(value, body, argument, values, facts, known);
}

TValue Walk::computed(MValue value, Block *body,
                      function_ref<TValue(unsigned)> argument,
                      const llvm::DenseMap<MValue, TValue> &values,
                      Facts &facts, llvm::DenseMap<MValue, TValue> &known) {
  if (auto of = dyn_cast<BlockArgument>(value); of && of.getOwner() == body)
    return argument(of.getArgNumber());
  if (!body->getParentOp()->isAncestor(value.getParentBlock()->getParentOp()))
    return values.lookup(value);
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != body)
    return TValue();
  // (Uses that are written out one after the other share what they are computed from.)
  auto of = [&](MValue other) {
    if (auto found = known.find(other); found != known.end())
      return found->second;
    TValue result = computed(other, body, argument, values, facts, known);
    known[other] = result;
    return result;
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    // What its last iteration yields, as far as that hangs on its number.
    auto lower = of(loop.getLowerBound()).constant(),
         upper = of(loop.getUpperBound()).constant(),
         step = of(loop.getStep()).constant();
    if (!lower || !upper || !step || *step < 1 || *upper <= *lower ||
        (loop.getUnsignedCmp() && *lower < 0))
      return TValue();
    const int64_t steps = (*upper - *lower - 1) / *step;
    auto inside = [&](unsigned number) -> TValue {
      if (!number)
        return TValue::of(*lower + steps * *step);
      // What grows by a constant.
      auto sum =
          loop.getYieldedValues()[number - 1].getDefiningOp<arith::AddIOp>();
      const TValue first = of(loop.getInitArgs()[number - 1]);
      if (!sum || sum.getLhs() != loop.getRegionIterArgs()[number - 1] ||
          first.kind != Kind::Number)
        return TValue();
      auto by = of(sum.getRhs()).constant();
      return by ? TValue::of(first.number + Polynomial(*by) * Polynomial(steps))
                : TValue();
    };
    // (What it takes from this body is this body's.)
    llvm::DenseMap<MValue, TValue> outer = values;
    loop.getBody()->walk([&](Operation *each) {
      for (MValue operand : each->getOperands())
        if (operand.getParentBlock() == body)
          outer[operand] = of(operand);
    });
    return computed(
        loop.getYieldedValues()[cast<OpResult>(value).getResultNumber()],
        loop.getBody(), inside, outer, facts);
  }
  if (checker::classify(op).first == checker::Arith::None &&
      !op->hasTrait<OpTrait::ConstantLike>())
    return TValue();
  SmallVector<TValue, 3> operands;
  for (MValue operand : op->getOperands())
    operands.push_back(of(operand));
  return proof.arithmetic.compute(op, operands, facts);
}

/// What the loop carries at a later iteration, as a line through the first ones' values.
std::vector<TValue> Walk::lines(const Turn &turn, State &first,
                                ArrayRef<TValue> y1, ArrayRef<TValue> y2,
                                ArrayRef<TValue> y3) {
  auto loop = cast<scf::ForOp>(turn.op);
  std::vector<TValue> carried(y1.size());
  for (unsigned i = 0; i < y1.size(); ++i) {
    const TValue &a = y1[i], &b = y2[i];
    TValue &v = carried[i];
    auto at = [&](auto of) {
      return curve(proof.atoms, of(a), of(b),
                   turn.bent ? std::optional(of(y3[i])) : std::nullopt, turn.t);
    };
    if (a.kind == Kind::Number && b.kind == Kind::Number &&
        (!turn.bent || y3[i].kind == Kind::Number))
      v = TValue::of(at([](const TValue &value) { return value.number; }));
    else if (a.kind == Kind::Flight && b.kind == Kind::Flight && !a.none &&
             !b.none) {
      v = a;
      v.number = a.number + (b.number - a.number) * (turn.t - 1);
    } else if (a.kind == Kind::Token && b.kind == Kind::Token) {
      const TValue &c = y3[i];
      if (a.none && b.none && c.none)
        v = a;
      else if (c.kind == Kind::Token && !b.none && !c.none) {
        v = b;
        v.number = b.number + (c.number - b.number) * (turn.t - 2);
        Polynomial first1 = b.number + (c.number - b.number) * Polynomial(-1);
        if (!standsFor(
                proof, first, a, first1,
                [&](Mechanism m, int w, int l) { return groups(m, w, l); },
                [&](Mechanism m, int w, int l) { return reads(m, w, l); },
                cast<TokenType>(loop.getRegionIterArgs()[i].getType())
                    .getKind()))
          v = TValue();
      }
    } else if (a.kind == Kind::Cycle || b.kind == Kind::Cycle) {
      // At the same table, so many steps further on each iteration.
      const TValue &table = a.kind == Kind::Cycle ? a : b;
      auto p1 = placeIn(table.table, a), p2 = placeIn(table.table, b);
      if (p1 && p2 && (!turn.bent || placeIn(table.table, y3[i])))
        v = TValue::cycle(at([&](const TValue &value) {
                            return *placeIn(table.table, value);
                          }),
                          table.table);
    } else if (a == b)
      v = a;
  }
  return carried;
}

/// Of two constants the line is a guess among many. What the body computes of its
/// iteration and of tables, the iteration before has computed: a slot to be freed late.
void Walk::guessCycles(const Turn &turn, const State &state,
                       const Facts &inside, ArrayRef<TValue> y1,
                       ArrayRef<TValue> y2, std::vector<TValue> &carried) {
  Block &body = *cast<scf::ForOp>(turn.op).getBody();
  for (unsigned i = 0; i < y1.size(); ++i) {
    if (!y1[i].constant() || !y2[i].constant() || y1[i] == y2[i])
      continue;
    Facts facts = inside;
    auto before = [&](unsigned number) -> TValue {
      if (!number)
        return TValue::of(turn.lower + (turn.t - 1) * turn.step);
      for (const Machine &machine : turn.machines)
        if (auto at = llvm::find(machine.arguments, number - 1);
            at != machine.arguments.end() && !machine.begun)
          return TValue::cycle(machine.at + turn.t - 1,
                               machine.tables[at - machine.arguments.begin()]);
      const TValue &counted = carried[number - 1];
      return counted.kind == Kind::Number && number - 1 != i
                 ? counted.substitute(proof.atoms, turn.atom, turn.t - 1, facts)
                 : TValue();
    };
    TValue value = computed(body.getTerminator()->getOperand(i), &body, before,
                            state.values, facts);
    if (value.kind == Kind::Cycle &&
        value.substitute(proof.atoms, turn.atom, 1, facts) == y1[i])
      carried[i] = value;
  }
}

/// What a body leaves behind, for the next one: what the first body does is released
/// by the second one, too.
std::vector<typestate::Pending>
Walk::aged(const Turn &turn, const WarpState &from, bool ofFirst) {
  std::vector<Pending> result;
  for (Pending p : from.pending) {
    if (p.age >= 2)
      continue;
    ++p.age;
    if (ofFirst) {
      p.toOwn[turn.atom] = Polynomial(1);
      p.when.atLeast(turn.count, 2);
      if (p.group)
        p.group->second =
            proof.atoms.substitute(p.group->second, turn.atom, 1, nullptr);
    } else {
      auto own = p.toOwn.find(turn.atom);
      if (own == p.toOwn.end()) // from before the loop
        p.toOwn[turn.atom] = std::nullopt;
      else if (own->second)
        p.toOwn[turn.atom] = Polynomial(*own->second + 1);
      // There is an iteration after its own.
      p.when.atLeast(turn.count - 2, turn.t);
      if (p.group)
        p.group->second = proof.atoms.substitute(p.group->second, turn.atom,
                                                 turn.t - 1, nullptr);
    }
    result.push_back(std::move(p));
  }
  return result;
}

/// What is still pending behind the loop, of its last iterations.
std::vector<typestate::Pending>
Walk::left(const Turn &turn, const WarpState &from, bool ofFirst) {
  std::vector<Pending> result;
  for (Pending p : from.pending) {
    if (p.before)
      continue;
    // What is done in program order is behind it, in all iterations.
    // (So are products of which a commit tells, and, of what is counted at its
    // issue, those before one that is over.)
    const Access &access = proof.accesses[p.access];
    bool all = access.mechanism ? access.mechanism == Mechanism::TensorCore ||
                                      countedAtIssue(*access.mechanism)
                                : access.effect && !p.group;
    if (ofFirst) {
      if (!all)
        p.when.equal(turn.count, 1);
      result.push_back(std::move(p));
      continue;
    }
    auto own = p.toOwn.find(turn.atom);
    if (own != p.toOwn.end() && own->second) {
      // Its own t: t of the walk, which is count - 1, less its age.
      auto less = (*own->second - turn.t).constant();
      if (all && less == 0) {
        // As it is.
      } else if (own->second->constant()) {
        p.when.equal(turn.count, *own->second + 1); // of the first body
      } else if (!less)
        continue;
      else {
        Facts when;
        // Later ones than those that the loop itself releases.
        when.equal(turn.t, turn.count - 1 - Polynomial(*less));
        // (releases of other loops around it stay as they are)
        for (const Polynomial &fact : p.when.nonnegative)
          if (!fact.contains(turn.atom))
            when.nonnegative.push_back(fact);
        for (const Polynomial &fact : p.when.zero)
          when.zero.push_back(fact);
        p.when = when;
      }
    } else if (own == p.toOwn.end() || !own->second) {
      continue; // from before the loop
    }
    p.toOwn[turn.atom] = std::nullopt;
    if (p.group)
      p.group->second = proof.atoms.substitute(p.group->second, turn.atom,
                                               turn.count - 1, nullptr);
    result.push_back(std::move(p));
  }
  return result;
}

bool Walk::iterations(Operation *op, State &state, const Who &who,
                      const Polynomial &lower, const Polynomial &upper,
                      const Polynomial &step, const Polynomial &count,
                      std::vector<TValue> &in) {
  auto loop = cast<scf::ForOp>(op);
  Block *body = loop.getBody();
  auto [trip, fresh] = proof.trips.try_emplace(op, count.constant());
  if (!fresh && trip->second != count.constant())
    trip->second = std::nullopt;
  const std::vector<Machine> machines = this->machines(op, in, state.facts);
  auto argument = [&](unsigned i) -> MValue {
    return body->getArgument(i + 1);
  };
  const auto counter = counterOf(op);
  auto enter = [&](State &at, const Polynomial &t, ArrayRef<TValue> values) {
    at.values[body->getArgument(0)] =
        counter ? ticket(*counter, t, at) : TValue::of(lower + t * step);
    for (unsigned i = 0; i < values.size(); ++i)
      at.values[argument(i)] = values[i];
    hideTiles(at, body->getArguments());
    for (const Machine &machine : machines)
      if (!machine.begun || t != Polynomial())
        for (auto [k, i] : llvm::enumerate(machine.arguments))
          at.values[argument(i)] =
              TValue::cycle(machine.at + t, machine.tables[k]);
  };
  Mode outer = mode;
  auto leave = llvm::scope_exit([&] { mode = outer; });
  Facts outside = state.facts;

  // First body.
  std::vector<TValue> y1;
  State first = state;
  for (auto &[warp, w] : first.warps)
    for (Pending &p : w.pending)
      p.before = true;
  first.path.push_back({op, Polynomial(0)});
  first.facts.atLeast(count, 1);
  enter(first, 0, in);
  if (!this->block(*body, first, who, &y1))
    return false;
  auto back = [&](State &from) {
    from.facts = outside;
    from.path = state.path;
  };
  back(first);
  if (state.facts.provesAtLeast(1, count)) {
    state = first;
    in = y1;
    return true;
  }

  // Slopes.
  mode = Mode::Slope;
  std::vector<TValue> y2, y3;
  State second = first, third = first;
  second.facts.atLeast(count, 2);
  enter(second, 1, y1);
  second.path.push_back({op, Polynomial(1)});
  if (!this->block(*body, second, who, &y2))
    return false;
  back(second);
  // A loop inside that runs more often each time.
  bool bent = false;
  body->walk([&](scf::ForOp inside) {
    for (MValue value : {inside.getLowerBound(), inside.getUpperBound()})
      bent |= dependsOnBody(value, op);
  });
  if (bent ||
      llvm::any_of(y1, [](const TValue &v) { return v.kind == Kind::Token; })) {
    third = second;
    third.facts.atLeast(count, 3);
    enter(third, 2, y2);
    third.path.push_back({op, Polynomial(2)});
    if (!this->block(*body, third, who, &y3))
      return false;
  }
  mode = outer;
  // Uses that the second iteration leaves to others before its first arrival may
  // be left by the first one already, where that has none.
  for (auto &[warp, w] : first.warps)
    for (int lane : {elected, others})
      for (auto &[ring, left] : second.warps[warp].skipped[lane]) {
        const WarpState &before = state.warps[warp];
        auto was = before.arrivals[lane].find(ring);
        Polynomial &now = w.arrivals[lane][ring];
        if (now ==
            (was == before.arrivals[lane].end() ? Polynomial() : was->second)) {
          now += left - w.skipped[lane][ring];
          w.skipped[lane][ring] = left;
        }
      }

  // The head.
  Atom atom = proof.atoms.atom("iteration", op);
  Polynomial t = Polynomial::atom(atom);
  auto guess = head(op, first, second, bent ? &third : nullptr, t);
  if (!guess)
    return false;
  const Turn turn{op, lower, step, count, atom, t, bent, machines};
  std::vector<TValue> carried = lines(turn, first, y1, y2, y3);
  Facts inside = outside;
  if (bent)
    proof.atoms.triangle(t, &inside);
  inside.atLeast(t, 1);
  inside.atLeast(count - 1, t);
  inside.atLeast(upper - 1, lower + t * step);
  guessCycles(turn, state, inside, y1, y2, carried);

  std::map<size_t, std::vector<Release>> kept;
  for (auto &[warp, w] : first.warps)
    for (const Pending &p : w.pending)
      if (auto [own, fresh] = kept.try_emplace(p.access); fresh)
        own->second = proof.accesses[p.access].releases;
  State end;
  for (int attempt = 0;; ++attempt) {
    if (attempt == 5)
      return proof.stop(
          "what is known at the head of this loop does not settle", op);
    std::map<int, std::vector<Pending>> incoming;
    size_t signalsBefore = proof.signals.size(),
           waitsBefore = proof.waits.size(), touchedBefore = touched.size();
    const std::optional<Stop> pendingBefore = proof.pending;
    if (outer != Mode::Slope && enforce) {
      mode = Mode::Pending;
      State pending = *guess;
      pending.facts = inside;
      pending.path = state.path;
      pending.path.push_back({op, t});
      enter(pending, t, carried);
      std::vector<TValue> ignored;
      if (!this->block(*body, pending, who, &ignored))
        return false;
      mode = outer;
      // Written down again, with all that comes before.
      for (size_t i = touchedBefore; i < touched.size(); ++i)
        proof.accesses[touched[i]].releases.clear();
      for (auto &[warp, w] : guess->warps) {
        for (Pending &p : aged(turn, first.warps[warp], true))
          incoming[warp].push_back(std::move(p));
        for (Pending &p : aged(turn, pending.warps[warp], false))
          incoming[warp].push_back(std::move(p));
      }
    }
    stamps.clear();
    end = *guess;
    for (auto &[warp, list] : incoming)
      end.warps[warp].pending = list;
    end.facts = inside;
    end.path = state.path;
    end.path.push_back({op, t});
    enter(end, t, carried);
    std::vector<TValue> y;
    if (!this->block(*body, end, who, &y))
      return false;
    // Is it the head of the next iteration?
    State next = *guess;
    next.facts = end.facts;
    substitute(next, atom, t + 1);
    bool changed = false;
    if (!sameNumbers(op, end, next, changed, *guess))
      return false;
    for (unsigned i = 0; i < carried.size(); ++i) {
      TValue wanted =
          carried[i].substitute(proof.atoms, atom, t + 1, end.facts);
      if (carried[i].kind == Kind::Unknown || wanted == y[i] ||
          proof.without == Judgement::Iterations)
        continue;
      if (llvm::any_of(machines, [&](const Machine &machine) {
            return llvm::is_contained(machine.arguments, i);
          }))
        continue;
      if (wanted.kind == Kind::Number && y[i].kind == Kind::Number &&
          end.facts.provesEqual(wanted.number, y[i].number))
        continue;
      // So many rounds of a table on, it is the same.
      if (auto number = wanted.constant();
          number && y[i].kind == Kind::Cycle && y[i].table[0] == *number &&
          y[i].number.dividedBy(y[i].table.size()))
        continue;
      carried[i] = TValue();
      changed = true;
    }
    if (!changed)
      break;
    // By a head that does not hold nothing was asked.
    proof.pending = pendingBefore;
    proof.signals.resize(signalsBefore, proof.signals.empty()
                                            ? Signal{}
                                            : proof.signals.front());
    proof.waits.resize(waitsBefore,
                       proof.waits.empty() ? Wait{} : proof.waits.front());
    for (size_t i = touchedBefore; i < touched.size(); ++i)
      proof.accesses[touched[i]].releases.clear();
    for (auto &[access, releases] : kept)
      proof.accesses[access].releases = releases;
  }

  // Behind it: the head at t = count. What is still pending is of the last
  // iterations.
  State after = *guess;
  after.facts = outside;
  after.path = state.path;
  after.values = state.values;
  after.tiles = state.tiles;
  substitute(after, atom, count);
  for (auto &[warp, w] : after.warps) {
    // What was pending before it is so still.
    w.pending = state.warps[warp].pending;
    if (outer == Mode::Slope)
      continue;
    for (Pending &p : left(turn, first.warps[warp], true))
      w.pending.push_back(std::move(p));
    for (Pending &p : left(turn, end.warps[warp], false))
      w.pending.push_back(std::move(p));
  }
  std::vector<TValue> out;
  for (unsigned i = 0; i < carried.size(); ++i)
    out.push_back(carried[i].substitute(proof.atoms, atom, count, after.facts));
  for (const Machine &machine : machines)
    for (auto [k, i] : llvm::enumerate(machine.arguments))
      out[i] = TValue::cycle(machine.at + count, machine.tables[k]);
  state = std::move(after);
  in = std::move(out);
  return true;
}
