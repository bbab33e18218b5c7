//===- Iterations.cpp - first body, later body ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Orders.h"
#include "Walk.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using MValue = mlir::Value;
using Kind = TValue::Kind;

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

/// Of i below q + c, q a quotient of x by p, p i is at most p (q + c - 1), and so at most
/// x + p (c - 1): products of two facts, as facts. And so are CTA + p i below x, the
/// numbers of tiles that p CTAs take in turn, where that comes of it.
static void addBelowQuotient(const Atoms &atoms, const Polynomial &upper,
                             const Polynomial &i, Facts &facts) {
  const Polynomial more = upper.constantTerm(), quotient = upper - more;
  auto in = quotient.atoms();
  if (in.size() != 1 || quotient != Polynomial::atom(in[0]) ||
      atoms.kind(in[0]) != "quotient")
    return;
  const Polynomial x = atoms.operands(in[0])[0], p = atoms.operands(in[0])[1];
  if (p.constant() || !facts.provesAtLeast(p, 1))
    return;
  facts.atLeast(p * (upper - 1), p * i);
  facts.atLeast(x + (more - 1) * p, p * i);
  std::set<Atom> ctas;
  for (const Polynomial &fact : facts.nonnegative)
    for (Atom a : fact.atoms())
      if (atoms.kind(a) == "cta")
        ctas.insert(a);
  for (Atom cta : ctas)
    if (const Polynomial tile = p * i + Polynomial::atom(cta);
        facts.provesAtLeast(x - 1, tile))
      facts.atLeast(x - 1, tile);
}

void Walk::keepSigns(const State &state, ArrayRef<TValue> values,
                     Facts &facts) {
  std::set<Polynomial> numbers;
  for (const TValue &value : values)
    if (value.kind == Kind::Number || value.kind == Kind::Cycle)
      numbers.insert(value.number);
  for (auto &[warp, w] : state.warps)
    for (int lane : {elected, others})
      for (auto table : {&w.waits[lane], &w.arrivals[lane], &w.knows[lane]})
        for (auto &[object, number] : *table)
          numbers.insert(number);
  for (const Polynomial &number : numbers)
    if (!number.constant())
      for (int64_t least : {1, 0})
        if (state.facts.provesAtLeast(number, least)) {
          facts.atLeast(number, least);
          break;
        }
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
  const bool wasGuessing = guessing;
  auto leave = llvm::scope_exit([&] {
    mode = outer;
    guessing = wasGuessing;
  });
  Facts outside = state.facts;

  // First body.
  std::vector<TValue> y1;
  State first = state;
  for (auto &[warp, w] : first.warps)
    for (Pending &p : w.pending)
      p.before = true;
  first.path.push_back({op, Polynomial(0)});
  first.facts.atLeast(count, 1);
  addBelowQuotient(proof.atoms, upper, lower, first.facts);
  enter(first, 0, in);
  if (!this->body(op, first, who, &y1))
    return false;
  auto back = [&](State &from) {
    from.facts = outside;
    from.path = state.path;
  };
  // A loop inside that runs more often each time.
  bool bent = false;
  body->walk([&](scf::ForOp inside) {
    for (MValue value : {inside.getLowerBound(), inside.getUpperBound()})
      bent |= dependsOnBody(value, op);
  });
  proof.shared.bent |= bent;
  const bool sums = proof.sums && bent && state.path.empty() &&
                    !proof.promisesLate && !counter;
  if (sums)
    keepSigns(first, y1, outside);
  back(first);
  if (state.facts.provesAtLeast(1, count)) {
    state = first;
    in = y1;
    return true;
  }

  // Slopes.
  Atom atom{};
  Polynomial t;
  Facts inside;
  auto begin = [&] {
    atom = proof.atoms.atom("iteration", op);
    t = Polynomial::atom(atom);
    inside = outside;
  };
  auto bound = [&] {
    inside.atLeast(t, 1);
    inside.atLeast(count - 1, t);
    inside.atLeast(upper - 1, lower + t * step);
    addBelowQuotient(proof.atoms, upper, lower + t * step, inside);
  };
  if (sums) {
    begin();
    bound();
  }
  mode = Mode::Slope;
  guessing |= sums;
  // The number-th iteration; where what it adds is to be a function of its number,
  // iteration t, as if it came then.
  auto iterate = [&](State &at, int number, ArrayRef<TValue> in,
                     std::vector<TValue> &out) {
    const Polynomial which = sums ? t : Polynomial(number);
    at.facts.atLeast(count, number + 1);
    if (sums)
      at.facts.add(inside);
    enter(at, which, in);
    at.path.push_back({op, which});
    return this->body(op, at, who, &out);
  };
  std::vector<TValue> y2, y3;
  State second = first, third = first;
  if (!iterate(second, 1, y1, y2))
    return false;
  back(second);
  if ((bent && !sums) ||
      llvm::any_of(y1, [](const TValue &v) { return v.kind == Kind::Token; })) {
    third = second;
    if (!iterate(third, 2, y2, y3))
      return false;
  }
  mode = outer;
  guessing = wasGuessing;
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
  begin();
  const Turn turn{op, lower,         step,     count, atom,
                  t,  bent && !sums, machines, sums};
  added.clear();
  auto guess = head(turn, first, second, turn.bent ? &third : nullptr);
  if (!guess)
    return false;
  std::vector<TValue> carried = lines(turn, first, y1, y2, y3);
  if (bent)
    proof.atoms.triangle(t, &inside);
  bound();
  // What is added is believed to be 1 or more each time, as long as that is shown of
  // iteration t: what is known of sums is of those before it.
  std::vector<Proof::Summed> summed;
  for (const Polynomial &term : added)
    summed.push_back({term, count, 1});
  added.clear();
  const Facts withoutSums = inside;
  addSums(proof.atoms, summed, t, inside);
  guessCycles(turn, state, inside, y1, y2, carried);

  std::map<size_t, std::vector<Release>> kept;
  for (auto &[warp, w] : first.warps)
    for (const Pending &p : w.pending)
      if (auto [own, fresh] = kept.try_emplace(p.access); fresh)
        own->second = proof.accesses[p.access].releases;
  const std::vector<OfSides> keptOfSides = ofSides;
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
      if (!this->body(op, pending, who, &ignored))
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
    bool changed = false;
    if (!this->body(op, end, who, &y))
      return false;
    for (size_t i = summed.size(); i--;) {
      const Polynomial term = proof.atoms.at(summed[i].f, t, nullptr);
      auto &least = summed[i].least;
      if (end.facts.provesAtLeast(term, least))
        continue;
      changed = true;
      if (--least < 0 || !end.facts.provesAtLeast(term, least))
        summed.erase(summed.begin() + i);
    }
    if (changed) {
      inside = withoutSums;
      addSums(proof.atoms, summed, t, inside);
    }
    // Is it the head of the next iteration?
    State next = *guess;
    next.facts = end.facts;
    substitute(next, atom, t + 1);
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
    ofSides = keptOfSides;
  }

  llvm::append_range(proof.summed, summed);
  addSums(proof.atoms, summed, count, outside);
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
