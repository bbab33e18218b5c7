//===- FlagNeeds.cpp - which signals a wait for a flag needs --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A flag starts at a number that the kernel declares, and is only added to. Of a
// wait for v let A be all signals of the flag, of all CTAs, but those whose thread
// has waited for v or more of it before (their gate). If A adds up to no more than
// what is missing from v, a wait for v needs all of A (MM-26): of all waits for v or
// more take the one that reads first, in the order of the flag's changes. No signal
// before that is behind such a wait, which would have read before it: all are in A,
// and add up to what is missing, so they are A. The others read later.
//
//   turns      CTA c waits for c and adds 1: A is one signal of each CTA below c
//   helpers    one wait, and as many signals as it names
//   rounds     all wait for n r, and add 1 each round: A is those of the rounds below r
//
// A is counted as a box of CTAs and iterations; or by numbers, where each signal has
// a gate of its own. What is before a signal of A in its
// CTA is before what is behind the wait in its own (MM-20, MM-21).
//
//===----------------------------------------------------------------------===//
#include "FlagNeeds.h"
#include "Orders.h"

#include "titan/Dialect/Titan/InitialValues.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using MValue = mlir::Value;
using Box = FlagNeeds::Box;

std::map<Operation *, FlagNeeds::Signals> FlagNeeds::textsOf(MValue root) {
  std::map<Operation *, Signals> result;
  for (const FlagCase &of : cases)
    for (const FlagEvent &event : of.events)
      if (!event.wait && event.root == root)
        result[event.op].emplace_back(&of, &event);
  return result;
}

Facts FlagNeeds::beforeWait(const FlagEvent &wait, const FlagEvent &signal) {
  Facts facts = wait.facts;
  facts.add(theirs(signal.facts));
  for (auto [a, b] : llvm::zip(wait.element, signal.element))
    facts.equal(a, theirs(b));
  for (const Polynomial &gate : signal.gates)
    facts.atLeast(wait.value - 1, theirs(gate));
  return facts;
}

Facts FlagNeeds::within(const Box &box) {
  Facts facts;
  for (auto [d, range] : llvm::enumerate(box.ctas)) {
    facts.atLeast(theirs(cta(d)), range.first);
    facts.atLeast(range.second, theirs(cta(d)));
  }
  return facts;
}

bool FlagNeeds::isBehind(const Facts &facts, const FlagEvent &wait,
                         const FlagEvent &signal) {
  return llvm::any_of(signal.gates, [&](const Polynomial &gate) {
    Facts behind = facts;
    behind.atLeast(theirs(gate), wait.value);
    return !contradict(proof, std::move(behind), {});
  });
}

bool FlagNeeds::isIn(const FlagEvent &wait, const Signals &signals,
                     const Box &box) {
  for (auto &[of, signal] : signals) {
    const Facts facts = beforeWait(wait, *signal);
    auto never = [&](const Polynomial &negative) {
      Facts outside = facts;
      outside.atLeast(-1, negative);
      relateInstances(proof, outside, Instance::Cta);
      return contradict(proof, std::move(outside), {});
    };
    for (auto [d, range] : llvm::enumerate(box.ctas))
      if (!never(theirs(cta(d)) - range.first) ||
          !never(range.second - theirs(cta(d))))
        return false;
    if (box.last && !never(*box.last - theirs(signal->iteration)))
      return false;
  }
  return box.last || oncePerCta(signals);
}

bool FlagNeeds::oncePerCta(const Signals &signals) {
  for (size_t i = 0; i < signals.size(); ++i)
    for (size_t j = i; j < signals.size(); ++j) {
      auto &[ofX, x] = signals[i];
      auto &[ofY, y] = signals[j];
      // One CTA is in one case.
      if (ofX != ofY || (i == j && isExecuted(x->path)))
        continue;
      if (i == j && x->iteration.atoms().empty())
        continue;
      Facts facts = x->facts;
      facts.add(other(proof, y->facts));
      for (auto [a, b] : llvm::zip(x->element, y->element))
        facts.equal(a, other(proof, b));
      std::vector<Clause> clauses;
      if (i == j) {
        const auto &atoms = x->iteration.atoms();
        clauses.push_back(
            different(proof, std::vector<Atom>(atoms.begin(), atoms.end())));
      }
      if (!contradict(proof, facts, clauses))
        return false;
    }
  return true;
}

bool FlagNeeds::allCome(const FlagEvent &wait, const Signals &signals,
                        const Box &box) {
  for (const FlagCase &of : cases) {
    Facts facts = wait.facts;
    facts.add(theirs(of.launch));
    facts.add(within(box));
    relateInstances(proof, facts, Instance::Cta);
    // (By where the flag would be that it signalled.)
    std::vector<Clause> clauses;
    for (auto &[its, signal] : signals)
      for (auto [a, b] : llvm::zip(wait.element, signal->element)) {
        Facts less, same, more;
        less.atLeast(a - 1, theirs(b));
        same.equal(a, theirs(b));
        more.atLeast(theirs(b), a + 1);
        if (Clause cases = {less, same, more};
            !llvm::is_contained(clauses, cases))
          clauses.push_back(std::move(cases));
      }
    if (contradict(proof, facts, {}) || contradict(proof, facts, clauses))
      continue;
    bool first = false, later = false;
    for (auto &[its, signal] : signals) {
      if (its != &of || hasSides(signal->path))
        continue;
      Facts there = facts;
      there.add(theirs(signal->facts));
      relateInstances(proof, there, Instance::Cta);
      std::vector<Polynomial> element;
      for (const Polynomial &p : signal->element)
        element.push_back(theirs(p));
      if (!sameFlag(there, wait.element, element))
        continue;
      if (box.last)
        there.atLeast(*box.last, theirs(signal->iteration));
      if (isBehind(there, wait, *signal))
        return false;
      if (!isExecuted(signal->path)) {
        later = true;
        continue;
      }
      // Its loop goes on as long.
      if (box.last && signal->iteration.constant() != 0)
        continue;
      first |= !box.last ||
               there.provesAtLeast(theirs(signal->trips), *box.last + 1);
    }
    if (!first || (box.last && box.last->constant() != 0 && !later))
      return false;
  }
  return true;
}

/// CTAs that there are not signal nothing, and must not be counted.
bool FlagNeeds::isInGrid(const Facts &facts, const Box &box) {
  for (auto [d, range] : llvm::enumerate(box.ctas))
    if (!facts.provesAtLeast(range.first, 0) ||
        !facts.provesAtLeast(proof.grid[d] - 1, range.second))
      return false;
  return true;
}

std::vector<Box> FlagNeeds::boxes(const FlagEvent &wait, const Signals &signals,
                                  const Polynomial &missing) {
  std::vector<Box> result;
  // (What a box is worth is its size times what each of them adds.)
  for (auto &[of, signal] : signals)
    if (signal->value != signals.front().second->value)
      return result;
  // Iterations: one, those up to the wait's own, all.
  std::vector<std::optional<Polynomial>> lasts = {std::nullopt};
  if (llvm::any_of(signals, [](const auto &each) {
        return each.second->iteration.constant() != 0;
      })) {
    lasts = {std::nullopt, wait.iteration, wait.iteration - 1};
    for (auto &[of, signal] : signals)
      if (!proof.dependsOnCta(signal->trips) &&
          !llvm::is_contained(lasts, signal->trips - 1))
        lasts.push_back(signal->trips - 1);
  }
  auto amount = signals.front().second->value.constant();
  using Range = std::pair<Polynomial, Polynomial>;
  std::vector<std::vector<Range>> ctas = {{}};
  for (size_t d = 0; d < this->ctas.size(); ++d) {
    std::vector<Range> ranges = {{0, proof.grid[d] - 1}, {cta(d), cta(d)}};
    if (amount == 1)
      for (const Polynomial &from :
           {Polynomial(0), Polynomial(1), cta(d) + 1, cta(d) - missing})
        ranges.emplace_back(from, from + missing - 1);
    // The CTA that has this flag.
    for (auto [mine, its] :
         llvm::zip(wait.element, signals.front().second->element))
      if (Polynomial more = its - cta(d);
          !proof.dependsOnCta(more) && !proof.varies(more))
        ranges.emplace_back(mine - more, mine - more);
    if (proof.grid[d] == Polynomial(1))
      ranges = {{0, 0}};
    std::vector<std::vector<Range>> longer;
    for (auto &before : ctas)
      for (const Range &range : ranges) {
        longer.push_back(before);
        longer.back().push_back(range);
      }
    ctas = std::move(longer);
  }
  for (auto &last : lasts)
    for (auto &box : ctas) {
      Polynomial size = last ? *last + 1 : Polynomial(1);
      for (auto &[low, high] : box)
        size = size * (high - low + 1);
      result.push_back({box, last, size * *amount});
    }
  return result;
}

/// The signals' gates are different numbers, from what the flag holds at the launch
/// on: of those below v there are no more than are missing from v.
bool FlagNeeds::isNumbered(const FlagEvent &wait, const Signals &signals,
                           const Polynomial &initial) {
  for (size_t i = 0; i < signals.size(); ++i) {
    auto &[ofX, x] = signals[i];
    if (x->value != 1 || x->gates.empty() ||
        !x->facts.provesAtLeast(x->gates.back(), initial))
      return false;
    for (size_t j = i; j < signals.size(); ++j) {
      auto &[ofY, y] = signals[j];
      if (y->gates.empty())
        return false;
      auto both = [&](Instance of) {
        Facts facts = x->facts;
        facts.add(other(proof, y->facts, of));
        for (auto [a, b] : llvm::zip(x->element, y->element))
          facts.equal(a, other(proof, b, of));
        facts.equal(x->gates.back(), other(proof, y->gates.back(), of));
        return facts;
      };
      // Two CTAs; by which of them is the one in an earlier iteration.
      const Polynomial here = x->iteration, there = theirs(y->iteration);
      Facts less, same, more;
      less.atLeast(there, here + 1);
      same.equal(here, there);
      more.atLeast(here, there + 1);
      if (!contradict(proof, both(Instance::Cta),
                      {different(proof, ctas), {less, same, more}}))
        return false;
      // One, in two iterations.
      if (ofX != ofY || (i == j && x->iteration.atoms().empty()))
        continue;
      std::vector<Clause> clauses;
      if (i == j)
        clauses.push_back(different(proof, {x->iteration.atoms()[0]}));
      if (!contradict(proof, both(Instance::Iteration), clauses))
        return false;
    }
  }
  return true;
}

/// There is a signal for each number below the wait's: that of CTA m mod ctas, in its
/// iteration m div ctas.
bool FlagNeeds::eachNumberComes(const FlagEvent &wait, const Signals &signals,
                                const Polynomial &initial) {
  if (ctas.size() != 1)
    return false;
  const Polynomial &count = proof.grid[0];
  const Polynomial number =
      Polynomial::atom(proof.atoms.atom("number", wait.op));
  const std::vector<Polynomial> division = {number - initial, count};
  const Polynomial turn = Polynomial::atom(
                       proof.atoms.atom("quotient", nullptr, division)),
                   rest = Polynomial::atom(
                       proof.atoms.atom("remainder", nullptr, division));
  for (const FlagCase &of : cases) {
    Facts facts = wait.facts;
    facts.add(theirs(of.launch));
    facts.atLeast(number, initial);
    facts.atLeast(wait.value - 1, number);
    scalars::addDivision(facts, number - initial, count, turn, rest);
    facts.atLeast(turn, 0);
    facts.equal(theirs(cta(0)), rest);
    if (contradict(proof, facts, {}))
      continue;
    auto comes = [&](const FlagEvent &signal) {
      Facts there = facts;
      there.add(theirs(signal.facts));
      there.equal(theirs(signal.iteration), turn);
      std::vector<Polynomial> element;
      for (const Polynomial &p : signal.element)
        element.push_back(theirs(p));
      return sameFlag(there, wait.element, element) &&
             sameFlag(there, {number}, {theirs(signal.gates.back())}) &&
             !isBehind(there, wait, signal);
    };
    bool first = false, later = false;
    for (auto &[its, signal] : signals) {
      if (its != &of || hasSides(signal->path))
        continue;
      if (signal->iteration.constant() == 0) {
        // (Its loop goes round as often.)
        Facts there = facts;
        there.add(theirs(signal->facts));
        first = comes(*signal) &&
                there.provesAtLeast(theirs(signal->trips), turn + 1);
      } else if (!isExecuted(signal->path))
        later = comes(*signal);
      else
        return false;
    }
    if (!first || !later)
      return false;
  }
  return true;
}

bool FlagNeeds::needs(const FlagCase &of, const FlagEvent &wait) {
  // (A flag that is waited for has a number to begin with: MM-26.)
  auto initial = getInitialValue(proof.kernel,
                                 cast<BlockArgument>(wait.root).getArgNumber());
  const Polynomial missing = wait.value - Polynomial(*initial);
  // Of each text that may come before it the boxes that have all of it in them.
  std::vector<std::pair<Operation *, Signals>> texts;
  std::vector<std::vector<Box>> fitting;
  for (auto &[op, signals] : textsOf(wait.root)) {
    Signals some;
    for (auto &each : signals)
      if (!contradict(proof, beforeWait(wait, *each.second), {}))
        some.push_back(each);
    if (some.empty())
      continue;
    texts.emplace_back(op, some);
    fitting.emplace_back();
    for (Box &box : boxes(wait, some, missing))
      if (isIn(wait, some, box))
        fitting.back().push_back(std::move(box));
  }
  std::vector<const Box *> chosen(texts.size());
  auto choose = [&](auto &choose, size_t i, const Polynomial &sum) -> bool {
    if (i == texts.size())
      return sum == missing || wait.facts.provesEqual(sum, missing);
    for (const Box &box : fitting[i]) {
      if (!isInGrid(wait.facts, box))
        continue;
      // (One that is less than nothing would make room for others.)
      if (texts.size() > 1 && !wait.facts.provesAtLeast(box.size, 0))
        continue;
      chosen[i] = &box;
      if (choose(choose, i + 1, sum + box.size))
        return true;
    }
    return false;
  };
  const Polynomial from = initial.value_or(0);
  const bool boxed = texts.empty() ? wait.facts.provesAtLeast(0, missing)
                                   : choose(choose, 0, Polynomial());
  if (!boxed && texts.size() == 1 && isNumbered(wait, texts[0].second, from) &&
      eachNumberComes(wait, texts[0].second, from)) {
    Box all;
    for (const Polynomial &extent : proof.grid)
      all.ctas.emplace_back(0, extent - 1);
    found.push_back({&of, &wait, texts[0].first, texts[0].second, all});
    return true;
  }
  if (!boxed)
    return proof.without == Judgement::FlagCounts ||
           proof.stop(
               "this waits for " + proof.print(wait.value) +
                   ", which is not shown to be all that can be added to the "
                   "flag before it",
               wait.op, "as many signals as it waits for, each CTA one");
  for (auto [text, box] : llvm::zip(texts, chosen)) {
    if (!allCome(wait, text.second, *box) &&
        proof.without != Judgement::FlagRank)
      return proof.stop("not all signals that this waits for are shown to come",
                        wait.op);
    found.push_back({&of, &wait, text.first, text.second, *box});
  }
  return true;
}
