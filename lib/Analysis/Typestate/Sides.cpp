//===- Sides.cpp - what is walked once for each of two cases --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sides of a branch; and iterations of a loop, where what they do hangs on a number
// of theirs: how often a loop inside of them runs, of which the least of two numbers
// it is. What comes behind the sides is walked once: they have to agree in what they
// count, as each one's facts see it.
//
//===----------------------------------------------------------------------===//
#include "Walk.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/ScopeExit.h"

#include <utility>

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using MValue = mlir::Value;
using Kind = TValue::Kind;

/// How many cases of an iteration may be within each other.
static constexpr int mostSides = 6;

/// How many times b a is.
static std::optional<int64_t> multiple(const Polynomial &a,
                                       const Polynomial &b) {
  if (b == Polynomial() || a == Polynomial() || a.isLost() || b.isLost())
    return std::nullopt;
  const int64_t times = a.monomials()[0].second / b.monomials()[0].second;
  return a == b * Polynomial(times) ? std::optional(times) : std::nullopt;
}

namespace {
/// The numbers of two sides, and what is known at the end of each.
struct TwoSides {
  const Facts &one, &two;
  const Stop::Sides &of; ///< (p is 0: nothing of the kind.)

  /// What p is on a side, if that is one number near to where the sides part.
  std::optional<int64_t> value(bool first) const {
    for (int64_t each = 0; each < 4; ++each)
      if (const int64_t number = first ? each : -1 - each;
          (first ? one : two).provesEqual(of.p, number))
        return number;
    return std::nullopt;
  }
  /// What both are.
  std::optional<Polynomial> same(const Polynomial &a,
                                 const Polynomial &b) const {
    if (a == b || two.provesEqual(a, b))
      return a;
    if (one.provesEqual(a, b))
      return b;
    // So many times the least of two numbers, which is one of them on each side.
    const Polynomial chosen = of.if0 - of.ifLess;
    if (auto times = multiple(a - b, chosen))
      return b + (of.least - of.ifLess) * Polynomial(*times);
    // A line in p, of which each side knows one point.
    auto apart = a.numberMore(b);
    if (!apart || of.p == Polynomial())
      return std::nullopt;
    auto here = value(true), there = value(false);
    if (!here || !there || *apart % (*here - *there))
      return std::nullopt;
    return b +
           (of.p - Polynomial(*there)) * Polynomial(*apart / (*here - *there));
  }
  std::optional<TValue> same(const TValue &a, const TValue &b) const {
    if (a == b)
      return a;
    if (a.kind == Kind::Cycle || b.kind == Kind::Cycle) {
      const auto &table = a.kind == Kind::Cycle ? a.table : b.table;
      // (A number may be at several places, and some rounds further on.)
      auto placesOf = [&](const TValue &value) {
        std::vector<Polynomial> places;
        const int64_t size = table.size();
        if (auto number = value.constant()) {
          for (int64_t k = 0; k < std::max<int64_t>(3 * size, 12) && size <= 8;
               ++k)
            if (table[k % size] == *number)
              places.push_back(k);
        } else if (auto place = placeIn(table, value)) {
          places.push_back(*place);
        }
        return places;
      };
      for (const Polynomial &mine : placesOf(a))
        for (const Polynomial &its : placesOf(b))
          if (auto place = same(mine, its))
            return TValue::cycle(*place, table);
      return std::nullopt;
    }
    TValue without = b;
    without.number = a.number;
    if (!(a == without))
      return std::nullopt;
    auto number = same(a.number, b.number);
    if (!number)
      return std::nullopt;
    without.number = *number;
    return without;
  }
  std::optional<Counters> same(const Counters &a, const Counters &b) const {
    if (a == b)
      return a;
    Counters result = a;
    auto at = [](const Counters &table, ObjectId key) {
      auto found = table.find(key);
      return found == table.end() ? Polynomial() : found->second;
    };
    for (const Counters *table : {&a, &b})
      for (auto &[key, number] : *table) {
        auto both = same(at(a, key), at(b, key));
        if (!both)
          return std::nullopt;
        result[key] = *both;
      }
    return result;
  }
  /// What both know; of what neither's facts compare, `facts` decide.
  Knowledge common(const Knowledge &a, const Knowledge &b,
                   const Facts &facts) const {
    if (a == b)
      return a;
    Knowledge result;
    for (auto &[object, mine] : a) {
      auto found = b.find(object);
      if (found == b.end())
        continue;
      const Polynomial &its = found->second;
      if (mine == its || facts.provesAtLeast(its, mine) ||
          two.provesAtLeast(its, mine))
        result[object] = mine;
      else if (auto both = same(mine, its))
        result[object] = *both;
      else if (facts.provesAtLeast(mine, its) || one.provesAtLeast(mine, its))
        result[object] = its;
    }
    return result;
  }
};
} // namespace

/// Facts of both.
static Facts shared(const Facts &a, const Facts &b) {
  Facts result;
  for (auto list : {&Facts::nonnegative, &Facts::zero})
    for (const Polynomial &fact : a.*list)
      if (llvm::is_contained(b.*list, fact))
        (result.*list).push_back(fact);
  return result;
}

bool Walk::both(Operation *op, State &state, const Facts &yes, const Facts &no,
                const Stop::Sides &of, bool all,
                function_ref<bool(bool, State &, std::vector<TValue> &)> walk,
                function_ref<bool(const char *)> differ,
                std::vector<TValue> &yields) {
  State other = state;
  Facts outside = state.facts;
  state.facts.add(yes);
  other.facts.add(no);
  state.path.push_back({op, {}, 0});
  other.path.push_back({op, {}, 1});
  // What comes after accesses of before the sides has to do so on both.
  const size_t level = ofSides.size();
  ofSides.emplace_back();
  auto leave = llvm::scope_exit([&] { ofSides.resize(level); });
  for (State *each : {&state, &other})
    for (auto &[warp, w] : each->warps)
      for (Pending &pending : w.pending)
        pending.sides.push_back(level);
  std::vector<TValue> first, second;
  if (!walk(true, state, first))
    return false;
  const OfSides ofFirst = std::exchange(ofSides[level], {});
  if (!walk(false, other, second))
    return false;
  OfSides ofSecond = std::exchange(ofSides[level], {});
  for (auto &[access, list] : ofFirst)
    for (Release release : list)
      for (const Release &also : ofSecond[access])
        if (release.object == also.object && release.use == also.use &&
            release.when == also.when) {
          release.fenced &= also.fenced;
          addRelease(releasesOf(access.first, access.second), release);
          break;
        }
  state.path.pop_back();
  // What was assumed holds no longer.
  const Facts ofOne = state.facts, ofTwo = other.facts;
  const TwoSides sides{ofOne, ofTwo, of};
  state.facts = outside;
  if (all) {
    state.facts.add(shared(ofOne, ofTwo));
    // (It was not computed where it is known which of the two it is.)
    for (int64_t bound : {1, 0})
      if (!of.least.constant() && ofOne.provesAtLeast(of.least, bound) &&
          ofTwo.provesAtLeast(of.least, bound)) {
        state.facts.atLeast(of.least, bound);
        break;
      }
  }
  for (auto &[warp, w] : state.warps) {
    WarpState &o = other.warps[warp];
    for (int lane : {elected, others}) {
      for (auto list :
           {&WarpState::waits, &WarpState::arrivals, &WarpState::skipped}) {
        auto same = sides.same((w.*list)[lane], (o.*list)[lane]);
        if (!same)
          return differ("the sides of this branch signal or wait differently");
        (w.*list)[lane] = *same;
      }
      if (w.bytes[lane] != o.bytes[lane])
        return differ("the sides of this branch signal or wait differently");
      for (auto list : {&WarpState::knows, &WarpState::sees,
                        &WarpState::atFence, &WarpState::atProduct})
        (w.*list)[lane] =
            sides.common((w.*list)[lane], (o.*list)[lane], state.facts);
    }
    auto next = sides.same(w.next, o.next);
    if (!next)
      return differ("the sides of this branch commit or meet differently");
    w.next = *next;
    w.waited = sides.common(w.waited, o.waited, state.facts);
    w.unbound.insert(o.unbound.begin(), o.unbound.end());
    w.productFence &= o.productFence;
    // Accesses of before: what one side alone has done to them does not count.
    std::vector<Pending> both;
    for (Pending &mine : w.pending) {
      auto theirs = llvm::find_if(o.pending, [&](const Pending &p) {
        return p.access == mine.access && p.age == mine.age;
      });
      if (theirs != o.pending.end()) {
        mine.fenced &= theirs->fenced;
        mine.beforeProducts &= theirs->beforeProducts;
        if (!proof.accesses[mine.access].effect && mine.group != theirs->group)
          mine.group.reset();
        for (int lane : {elected, others}) {
          mine.held[lane] &= theirs->held[lane];
          mine.fencesHeld[lane] &= theirs->fencesHeld[lane];
        }
      }
      both.push_back(mine);
    }
    for (Pending &theirs : o.pending)
      if (llvm::none_of(w.pending, [&](const Pending &p) {
            return p.access == theirs.access && p.age == theirs.age;
          }))
        both.push_back(theirs);
    w.pending = std::move(both);
    for (Pending &pending : w.pending)
      llvm::erase(pending.sides, static_cast<int>(level));
  }
  for (auto [a, b] : llvm::zip(first, second))
    yields.push_back(sides.same(a, b).value_or(TValue()));
  for (auto &[tile, fenced] : state.tiles)
    fenced &= other.tiles.lookup(tile);
  return true;
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

bool Walk::sidesOfBody(Operation *op, const State &state,
                       ArrayRef<MValue> values, Stop::Sides sides) {
  if (!proof.sums)
    return false;
  for (const Step &step : llvm::reverse(state.path))
    if (step.side < 0 &&
        llvm::any_of(
            values,
            [&](MValue value) { return dependsOnBody(value, step.op); })) {
      proof.stopped = Stop{"what an iteration does hangs on " +
                               proof.print(sides.p) + ", in too many ways",
                           op};
      proof.stopped->within = step.op;
      proof.stopped->sides = std::move(sides);
      return true;
    }
  return false;
}

bool Walk::body(Operation *loop, State &state, const Who &who,
                std::vector<TValue> *yields) {
  Block &block = *cast<scf::ForOp>(loop).getBody();
  if (!proof.sums)
    return this->block(block, state, who, yields);
  std::string where;
  int depth = 0;
  for (const Step &step : state.path) {
    depth = step.op == loop && step.side >= 0 ? depth + 1 : 0;
    where += step.side >= 0 ? std::to_string(step.side)
             : step.last    ? "e" + std::to_string(step.last)
             : step.iteration.constant()
                 ? "f" + std::to_string(*step.iteration.constant())
                 : "l";
    where += " ";
  }
  auto known = proof.sidesOf.find({loop, where});
  if (known == proof.sidesOf.end()) {
    // Perhaps one way; else as if nothing had been done.
    const State before = state;
    const size_t signals = proof.signals.size(), waits = proof.waits.size(),
                 flags = proof.flags.size(), accesses = proof.accesses.size(),
                 touchedBefore = touched.size(), stampsBefore = stamps.size();
    const std::optional<Stop> pending = proof.pending;
    const std::vector<OfSides> ofSidesBefore = ofSides;
    Operation *overflow = proof.arithmetic.overflow;
    std::map<size_t, std::vector<Release>> releases;
    for (auto &[warp, w] : state.warps)
      for (const Pending &each : w.pending)
        releases.try_emplace(each.access, proof.accesses[each.access].releases);
    if (this->block(block, state, who, yields))
      return true;
    if (!proof.stopped || proof.stopped->within != loop || depth >= mostSides)
      return false;
    known = proof.sidesOf.emplace(std::pair(loop, where), proof.stopped->sides)
                .first;
    proof.stopped.reset();
    state = before;
    yields->clear();
    auto drop = [](auto &list, size_t from) {
      list.erase(list.begin() + from, list.end());
    };
    drop(proof.signals, signals);
    drop(proof.waits, waits);
    drop(proof.flags, flags);
    drop(proof.accesses, accesses);
    drop(touched, touchedBefore);
    if (stamps.size() > stampsBefore)
      drop(stamps, stampsBefore);
    std::erase_if(recorded,
                  [&](const auto &entry) { return entry.second >= accesses; });
    for (auto &[access, list] : releases)
      proof.accesses[access].releases = std::move(list);
    ofSides = ofSidesBefore;
    proof.pending = pending;
    proof.arithmetic.overflow = overflow;
  }
  const Stop::Sides of = known->second;
  const Polynomial p = of.p;
  Facts yes, no;
  yes.addNonnegative(p);
  no.addNonnegative(Polynomial(-1) - p);
  yes.equal(of.least, of.if0);
  no.equal(of.least, of.ifLess);
  auto side = [&](bool, State &in, std::vector<TValue> &out) {
    return body(loop, in, who, &out);
  };
  auto differ = [&](const char *) {
    return proof.stop("what an iteration counts is not the same where " +
                          proof.print(p) + " is 0 or more and where it is not",
                      loop);
  };
  return both(loop, state, yes, no, of, /*all=*/true, side, differ, *yields);
}
