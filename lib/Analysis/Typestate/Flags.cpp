//===- Flags.cpp - flags in global memory, and what they order ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Signals and waits are events of their CTA: of each text, numbered by the iteration
// of its loop. X releases the signals behind it, Y knows the waits before it
// (Typestate.h); here the two CTAs are looked at together, in all cases of what the
// CTA decides.
//
//===----------------------------------------------------------------------===//
#include "FlagNeeds.h"
#include "Orders.h"

#include "../Search/Bounds.h"

#include "titan/Dialect/Titan/InitialValues.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using MValue = mlir::Value;

//===----------------------------------------------------------------------===//
// One CTA
//===----------------------------------------------------------------------===//

bool Proof::checkExchanged(const FlagCase &own) {
  if (without == Judgement::OwnElements)
    return true;
  auto &all = own.accesses;
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i; j < all.size(); ++j) {
      const Access &x = all[i], &y = all[j];
      if (x.root != y.root || !conflict({x.kind, x.proxy}, {y.kind, y.proxy}))
        continue;
      if (kernel.getClusterSize() > 1)
        return stop("clusters that read and write one tensor are not followed "
                    "by the proof yet",
                    y.op);
      // One thread's, in program order.
      if (x.warp == y.warp && x.lanes == Elected && y.lanes == Elected)
        continue;
      if (apartInGlobal(*this, x, y, own.launch, Instance::Element, false))
        continue;
      auto theirs = [&](const auto &what) {
        return other(*this, what, Instance::Element);
      };
      Facts facts = own.launch;
      facts.add(x.facts);
      facts.add(theirs(y.facts));
      for (size_t d = 0; d < x.coordinates.size(); ++d)
        facts.equal(x.coordinates[d], theirs(y.coordinates[d]));
      // Each thread's own elements are.
      if (!x.element.empty() && x.element == y.element && x.group == y.group &&
          x.effect->bytes.tile == y.effect->bytes.tile &&
          contradict(*this, facts, {different(*this, x.element)}))
        continue;
      std::vector<Clause> clauses;
      notBefore(*this, x, y.knows, true, false, clauses);
      notBefore(*this, y, x.knows, false, false, clauses);
      if (i == j) {
        std::vector<Atom> mine = x.element;
        for (const Step &step : x.path)
          if (!step.last)
            llvm::append_range(mine, step.iteration.atoms());
        if (mine.empty())
          continue;
        clauses.push_back(different(*this, mine));
      }
      if (!contradict(*this, facts, clauses))
        return stop("two accesses of a CTA to this tensor are not shown to be "
                    "in order",
                    y.op, "a barrier between them");
    }
  return true;
}

//===----------------------------------------------------------------------===//
// All CTAs
//===----------------------------------------------------------------------===//

namespace {
class Flags : FlagNeeds {
public:
  Flags(Proof &proof, MutableArrayRef<FlagCase> cases, const Facts &launch)
      : FlagNeeds(proof, cases), launch(launch) {}
  bool check();

private:
  /// That the other CTA comes after this one in the order of ids, or is it.
  Clause notLower();
  bool ranks();
  bool fit();
  void notBeforeByFlags(const Access &x, const FlagCase &ofX, const Access &y,
                        const FlagCase &ofY, bool own, Facts &facts,
                        std::vector<Clause> &clauses);
  bool exchanges();

  const Facts &launch;
  /// Of texts that wait for the CTA before: signals of all lower ones are before them.
  std::map<Operation *, Operation *> chains;
};
} // namespace

Clause Flags::notLower() {
  Clause result;
  Facts equal;
  for (size_t d = ctas.size(); d--;) {
    Facts more = equal;
    more.atLeast(theirs(cta(d)), cta(d) + Polynomial(d ? 1 : 0));
    result.push_back(more);
    equal.equal(theirs(cta(d)), cta(d));
  }
  return result;
}

/// Why no wait is for ever: the CTAs that it waits for are all lower, or all higher;
/// or they have waited for less, by one thread each.
bool Flags::ranks() {
  if (proof.without == Judgement::FlagRank)
    return true;
  bool lower = true, higher = true;
  for (const Need &need : found) {
    Facts facts = need.wait->facts;
    facts.add(within(need.box));
    lower &= contradict(proof, facts, {notLower()});
    Clause lowest;
    Facts equal;
    for (size_t d = ctas.size(); d--;) {
      Facts less = equal;
      less.atLeast(cta(d), theirs(cta(d)) + Polynomial(d ? 1 : 0));
      lowest.push_back(less);
      equal.equal(theirs(cta(d)), cta(d));
    }
    higher &= contradict(proof, facts, {lowest});
  }
  if (lower) {
    proof.assumptions.insert("CTAs are started in the order of their ids");
    return true;
  }
  Polynomial all = 1;
  for (const Polynomial &extent : proof.grid)
    all = all * extent;
  const int64_t most = checker::bound::fewestMultiprocessors;
  const bool asked = proof.multiprocessors &&
                     launch.provesAtLeast(*proof.multiprocessors, all);
  if (!asked && launch.provesAtLeast(most, all))
    proof.assumptions.insert("the device has at least " + std::to_string(most) +
                             " multiprocessors");
  else if (!asked && proof.without != Judgement::Residency)
    return proof.stop(
        "this waits for a CTA that is started later, and the grid "
        "is not shown to be at most as many CTAs as the device has "
        "multiprocessors",
        found.front().wait->op,
        "a grid that is a minimum with "
        "titan.device_property \"multiprocessor_count\", or "
        "titan.require");
  if (higher)
    return true;
  // One thread of each CTA does all with flags, and waits for more each time.
  for (const FlagCase &of : cases)
    for (const FlagEvent &event : of.events)
      if (event.warp != cases.front().events.front().warp)
        return proof.stop("several threads of a CTA wait for flags and signal "
                          "them, which CTAs may do in a circle",
                          event.op);
  for (const Need &need : found)
    for (auto &[of, signal] : need.signals)
      for (const FlagEvent &before : of->events) {
        if (!before.wait)
          continue;
        Facts facts = beforeWait(*need.wait, *signal);
        // The other one's, in an iteration of its own.
        auto its = [&](const auto &what) {
          return theirs(other(proof, what, Instance::Iteration));
        };
        facts.add(its(before.facts));
        Clause cases;
        Facts equal;
        bool loop = false;
        for (size_t d = 0; d < before.path.size() && d < signal->path.size();
             ++d) {
          if (before.path[d].op != signal->path[d].op)
            break;
          if (before.path[d].side >= 0)
            continue;
          loop = true;
          Facts less;
          Polynomial mine = theirs(signal->path[d].iteration),
                     earlier = its(before.path[d].iteration);
          less.atLeast(mine, earlier + 1);
          cases.push_back(less);
          equal.equal(mine, earlier);
        }
        if (before.sequence < signal->sequence || !loop)
          cases.push_back(equal);
        if (!loop && before.sequence > signal->sequence)
          continue;
        facts.atLeast(its(before.value), need.wait->value);
        if (!contradict(proof, facts, {cases}))
          return proof.stop("CTAs that wait for this flag may wait for each "
                            "other in a circle",
                            need.wait->op);
      }
  return true;
}

/// All that is ever added to a flag has 32 bits.
bool Flags::fit() {
  // Of each text, and of each number that it adds: in all CTAs, as often as its loop goes round, or once a flag.
  std::map<Operation *, std::vector<Polynomial>> often;
  std::map<void *, std::pair<Polynomial, Operation *>> sums;
  for (const FlagCase &of : cases)
    for (const FlagEvent &event : of.events) {
      if (event.wait)
        continue;
      const bool once = oncePerCta(textsOf(event.root)[event.op]);
      const Polynomial trips = once ? Polynomial(1) : event.trips;
      Polynomial all = event.value * trips;
      if (llvm::is_contained(often[event.op], all))
        continue;
      often[event.op].push_back(all);
      for (const Polynomial &extent : proof.grid)
        all = all * extent;
      auto &[sum, op] = sums[event.root.getAsOpaquePointer()];
      sum += all;
      op = event.op;
    }
  for (auto &[root, sum] : sums) {
    auto argument = cast<BlockArgument>(MValue::getFromOpaquePointer(root));
    int64_t from =
        getInitialValue(proof.kernel, argument.getArgNumber()).value_or(0);
    if (!launch.provesAtLeast(std::numeric_limits<int32_t>::max() - from,
                              sum.first) &&
        proof.without != Judgement::Holds)
      return proof.stop(
          "all that is added to this flag, " + proof.print(sum.first) +
              ", is not shown to fit into 32 bits",
          sum.second, "titan.require in the launch region that bounds it");
  }
  return true;
}

/// That no flag has X before Y: for each signal behind X and each wait before Y, the
/// wait does not need the signal. `own`: X is this CTA's, else the other one's.
void Flags::notBeforeByFlags(const Access &x, const FlagCase &ofX,
                             const Access &y, const FlagCase &ofY, bool own,
                             Facts &facts, std::vector<Clause> &clauses) {
  auto forX = [&](const auto &what) { return own ? what : theirs(what); };
  auto forY = [&](const auto &what) { return own ? theirs(what) : what; };
  auto unless = [&](Clause &clause, const Release &release) {
    for (const Polynomial &fact : release.when.nonnegative) {
      Facts no;
      no.nonnegative.push_back(Polynomial(-1) - forX(fact));
      clause.push_back(no);
    }
    for (const Polynomial &fact : release.when.zero)
      for (int sign : {1, -1}) {
        Facts no;
        no.nonnegative.push_back(forX(fact) * Polynomial(sign) - 1);
        clause.push_back(no);
      }
  };
  for (auto &[text, bound] : y.knows) {
    if (proof.objects[text].kind != Object::Awaited)
      continue;
    auto wait = performedAt(proof, ofY, text, bound - 1, y.path, y.facts);
    if (!wait)
      continue;
    facts.add(forY(wait->facts));
    auto needless = [&](const Performed &signal) {
      Clause clause;
      if (auto chain = chains.find(wait->event->op);
          chain != chains.end() && chain->second == signal.event->op) {
        Facts later;
        later.atLeast(forX(cta(0)), forY(cta(0)));
        clause.push_back(later);
        return clause;
      }
      for (auto [a, b] : llvm::zip(signal.element, wait->element))
        for (int sign : {1, -1}) {
          Facts differ;
          differ.atLeast((forX(a) - forY(b)) * Polynomial(sign), 1);
          clause.push_back(differ);
        }
      for (const Polynomial &gate : signal.gates) {
        Facts behind;
        behind.atLeast(forX(gate), forY(wait->value));
        clause.push_back(behind);
      }
      return clause;
    };
    for (const Release &release : x.releases)
      if (proof.objects[release.object].kind == Object::Signalled)
        if (auto signal = performedAt(proof, ofX, release.object, release.use,
                                      x.path, x.facts);
            signal && signal->event->root == wait->event->root) {
          if (release.when.empty())
            facts.add(forX(signal->facts));
          Clause clause = needless(*signal);
          unless(clause, release);
          clauses.push_back(std::move(clause));
        }
    for (const FlagEvent &event : ofX.events) {
      // There is one: in the iteration of X, or wherever X is.
      if (event.wait || event.root != wait->event->root ||
          !(isWithin(x.path, event.path) || isExecuted(event.path)))
        continue;
      for (const Release &release : x.releases)
        if (auto known = event.knows.find(release.object);
            known != event.knows.end()) {
          facts.add(forX(event.facts));
          Clause clause =
              needless({&event, event.element, event.value, event.gates, {}});
          Facts ahead;
          ahead.atLeast(forX(release.use), forX(known->second));
          clause.push_back(ahead);
          unless(clause, release);
          clauses.push_back(std::move(clause));
        }
    }
  }
}

bool Flags::exchanges() {
  for (size_t i = 0; i < cases.size(); ++i)
    for (size_t j = i; j < cases.size(); ++j)
      for (size_t a = 0; a < cases[i].accesses.size(); ++a)
        for (size_t b = i == j ? a : 0; b < cases[j].accesses.size(); ++b) {
          const Access &x = cases[i].accesses[a], &y = cases[j].accesses[b];
          if (x.root != y.root ||
              !conflict({x.kind, x.proxy}, {y.kind, y.proxy}))
            continue;
          if (x.coordinates.size() != y.coordinates.size())
            return proof.stop("accesses of different kinds to one tensor",
                              y.op);
          if (apartInGlobal(proof, x, y, launch, Instance::Cta, true))
            continue;
          Facts facts = x.facts;
          facts.add(theirs(y.facts));
          for (size_t d = 0; d < x.coordinates.size(); ++d)
            facts.equal(x.coordinates[d], theirs(y.coordinates[d]));
          std::vector<Clause> clauses = {different(proof, ctas)};
          notBeforeByFlags(x, cases[i], y, cases[j], true, facts, clauses);
          notBeforeByFlags(y, cases[j], x, cases[i], false, facts, clauses);
          // Rounds by cases, as iterations of one CTA are.
          for (size_t d = 0; d < x.path.size() && d < y.path.size() &&
                             x.path[d].op == y.path[d].op;
               ++d) {
            const Polynomial &here = x.path[d].iteration;
            const Polynomial there = theirs(y.path[d].iteration);
            if (here.constant() || there.constant())
              continue;
            Facts less, same, more;
            less.atLeast(there, here + 1);
            same.equal(here, there);
            more.atLeast(here, there + 1);
            clauses.push_back({less, same, more});
          }
          relateInstances(proof, facts, Instance::Cta);
          if (!contradict(proof, facts, clauses))
            return proof.stop(
                "two CTAs are not shown to " +
                    std::string(y.kind == AccessKind::Read ? "read" : "write") +
                    " this tensor in order",
                y.op,
                "a flag that is signalled behind the one, and waited "
                "for before the other");
        }
  return true;
}

/// Whether flags order two accesses alike: those of the warps that execute one text.
static bool orderedAlike(Proof &proof, const FlagCase &of, const Access &x,
                         const Access &y) {
  if (x.op != y.op || x.number != y.number || x.path != y.path ||
      x.coordinates != y.coordinates || !(x.facts == y.facts))
    return false;
  using Told = std::vector<std::tuple<ObjectId, Polynomial, Facts>>;
  auto within = [&](const Access &a, const Access &b) {
    for (auto &[object, bound] : a.knows)
      if (proof.objects[object].kind == Object::Awaited) {
        auto same = b.knows.find(object);
        if (same == b.knows.end() || same->second != bound)
          return false;
      }
    // What comes behind it, and how far ahead of each signal that is.
    auto told = [&](const Access &access, const FlagEvent *signal) {
      Told result;
      for (const Release &release : access.releases)
        if (!signal) {
          if (proof.objects[release.object].kind == Object::Signalled)
            result.emplace_back(release.object, release.use, release.when);
        } else if (auto known = signal->knows.find(release.object);
                   known != signal->knows.end())
          result.emplace_back(signal->object, release.use - known->second,
                              release.when);
      return result;
    };
    auto contains = [&](const FlagEvent *signal) {
      const Told more = told(b, signal);
      return llvm::all_of(told(a, signal), [&](const auto &each) {
        return llvm::is_contained(more, each);
      });
    };
    return contains(nullptr) &&
           llvm::all_of(of.events, [&](const FlagEvent &event) {
             return event.wait || contains(&event);
           });
  };
  return within(x, y) && within(y, x);
}

bool Flags::check() {
  for (FlagCase &of : cases) {
    std::vector<Access> all = std::move(of.accesses);
    of.accesses.clear();
    for (Access &access : all)
      if (llvm::none_of(of.accesses, [&](const Access &other) {
            return orderedAlike(proof, of, access, other);
          }))
        of.accesses.push_back(std::move(access));
  }
  bool any = false;
  for (const FlagCase &of : cases) {
    any |= !of.accesses.empty();
    for (const FlagEvent &event : of.events)
      if (event.wait && !needs(of, event))
        return false;
  }
  any |= !found.empty();
  if (!found.empty() && !ranks())
    return false;
  // The CTA before, which has waited for the one before it, and so on.
  for (const Need &need : found) {
    const Box &box = need.box;
    if (ctas.size() != 1 || box.last || box.ctas[0].second != cta(0) - 1 ||
        box.ctas[0].first != cta(0) - 1)
      continue;
    bool all = true;
    const Signals signals = textsOf(need.wait->root)[need.text];
    for (auto &[of, signal] : signals) {
      // (Of several signals of a CTA the others may come behind the one waited for.)
      all &= signal->iteration.constant() == 0 && signal->trips.constant() == 1;
      const ObjectId text = need.wait->object;
      auto knows = signal->knows.find(text);
      Facts first = signal->facts;
      first.atLeast(cta(0), 1);
      all &= (knows != signal->knows.end() &&
              performedAt(proof, *of, text, knows->second - 1, signal->path,
                          signal->facts)) ||
             contradict(proof, first, {});
    }
    // All waits of the text are such.
    all &= llvm::all_of(found, [&](const Need &each) {
      return each.wait->op != need.wait->op ||
             (each.text == need.text && !each.box.last &&
              each.box.ctas == box.ctas);
    });
    if (all)
      chains[need.wait->op] = need.text;
  }
  if (!fit() || !exchanges())
    return false;
  if (any)
    proof.assumptions.insert("tensors do not overlap, nor do the rows of one");
  return true;
}

bool Proof::checkFlags(MutableArrayRef<FlagCase> cases, const Facts &launch) {
  return Flags(*this, cases, launch).check();
}
