//===- Periods.cpp - how often a loop is run ------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Periods.h"

#include "Bounds.h"
#include "Period.h"

#include <numeric>

using namespace mlir;
using namespace titan;
using namespace titan::checker;

Periods::Periods(Instantiator &instantiator, Report &report,
                 const Effort &effort)
    : instantiator(instantiator), report(report), effort(effort) {
  for (int64_t ring : instantiator.ringDepths()) {
    depth = std::max(depth, ring);
    rings = std::min<int64_t>(std::lcm(rings, 2 * ring), bound::longestCommon);
  }
}

int64_t Periods::of(size_t number, Operation *op) {
  auto [found, fresh] = known.try_emplace(number, rings);
  if (fresh)
    found->second = find(number, op);
  return found->second;
}

std::vector<int64_t> Periods::triesOf(size_t number) const {
  int64_t period = known.at(number);
  std::vector<int64_t> tries = {0, 1, depth, period, 2 * period + 1};
  if (auto sides = settles.find(number); sides != settles.end()) {
    int64_t settled = sides->second;
    for (int64_t count = 0; count <= depth + bound::aroundConstants; ++count)
      tries.insert(tries.end(), {count, settled + count});
    tries.insert(tries.end(), {settled + period, settled + 2 * period + 1});
  }
  llvm::sort(tries);
  tries.erase(std::unique(tries.begin(), tries.end()), tries.end());
  return tries;
}

std::vector<int64_t> Periods::fewOf(size_t number) const {
  if (!settles.contains(number))
    return triesOf(number);
  return {0, 1, 2, depth, known.at(number), 2 * known.at(number) + 1};
}

int64_t Periods::most() const {
  int64_t most = std::max<int64_t>(depth, 2);
  for (auto &[number, period] : known)
    most = std::max(most, period);
  return most;
}

static Finding *ofCounts(Finding *finding) {
  if (finding)
    finding->ofCounts = true;
  return finding;
}

/// As the loop's events show, if its numbers cannot do otherwise later; where
/// no sizes are found under which it runs long enough, what the rings
/// suggest. The checker cannot decide about loops that do not repeat.
int64_t Periods::find(size_t number, Operation *op) {
  std::optional<int64_t> period;
  bool ran = false;
  SmallVector<int64_t> runs(std::begin(bound::firstRuns),
                            std::end(bound::firstRuns));
  runs.push_back(bound::longestRun);
  for (int64_t count : runs) {
    auto program = instantiator.longRun(number, count);
    if (effort.usedUp() || (!program && !instantiator.problems.empty()))
      return rings;
    if (!program)
      continue;
    ran = true;
    period = periodOf(*program, instantiator.footprints, count);
    auto [first, last] = compared(count);
    if (period && covers(number, *period, last - first, first))
      return std::max<int64_t>(*period, 2);
  }
  // One that is over before shows all of it in its longest run.
  int64_t most = instantiator.mostIterations(number);
  if (ran && !period && most <= bound::longestRun &&
      covers(number, rings, 2 * rings, 2 * rings))
    return std::max<int64_t>(most, 2);
  if (ran && !period && !isLate(number))
    ofCounts(report.add(
        Code::Undecided, op, nullptr,
        "this loop does not return to the same slots and parities in " +
            Twine(bound::longestRun) + " iterations"));
  else if (ran || (!covers(number, rings, 2 * rings, 2 * rings) &&
                   most > 2 * rings + 1))
    tellLate(number, op, period.value_or(rings));
  return period.value_or(rings);
}

const LoopRecurrence &Periods::recurrence(Operation *loop) {
  auto [found, fresh] = recurrences.try_emplace(loop);
  if (fresh)
    found->second = recurrenceOf(cast<scf::ForOp>(loop));
  return found->second;
}

/// Whether a loop that has shown a period in `seen` iterations, after
/// `before` of them, keeps it: numbers with a period of their own have come
/// round within them (two periods of a sequence that is as long as their sum
/// are those of one that goes on), and all sides are settled.
bool Periods::covers(size_t number, int64_t period, int64_t seen,
                     int64_t before) {
  int64_t settled = 0;
  bool compares = false;
  for (Operation *loop : instantiator.loopsOf(number)) {
    const LoopRecurrence &own = recurrence(loop);
    if (own.unknown || own.settled > before || own.period > seen)
      return false;
    int64_t both = own.states.empty()
                       ? own.period + std::min(period, own.period)
                       : std::lcm(period, own.period) + period;
    if (both > seen)
      return false;
    settled = std::max(settled, own.settled);
    compares |= own.compares;
  }
  if (settled > 2 || compares)
    settles[number] = settled;
  return true;
}

/// Whether a comparison is over, or the loop's numbers have come round, only after
/// what is compared in the longest run.
static bool settlesLate(const LoopRecurrence &own) {
  return own.settled > compared(bound::longestRun).first;
}
static bool repeatsLate(const LoopRecurrence &own) {
  auto [first, last] = compared(bound::longestRun);
  return 2 * own.period > last - first;
}

bool Periods::isLate(size_t number) {
  return llvm::any_of(instantiator.loopsOf(number), [&](Operation *loop) {
    const LoopRecurrence &own = recurrence(loop);
    return settlesLate(own) || repeatsLate(own);
  });
}

/// Why what a loop does later is not known from what it did.
void Periods::tellLate(size_t number, Operation *op, int64_t period) {
  struct Late {
    Operation *because;
    std::string message;
  };
  auto late = [](int64_t count, Operation *because) {
    return Late{because, "slots, parities or branches of this loop may change "
                         "or repeat only after " +
                             std::to_string(count) +
                             " iterations, and no run that is looked at is "
                             "long enough for that"};
  };
  Late why{nullptr,
           "slots, parities and branches of this loop may repeat later "
           "than after the " +
               std::to_string(period) +
               " iterations that the longest run shows"};
  for (Operation *loop : instantiator.loopsOf(number)) {
    const LoopRecurrence &own = recurrence(loop);
    op = loop;
    if (own.unknown)
      why = {own.unknown,
             "when a number that slots, parities or branches of this loop "
             "depend on repeats is not known"};
    else if (settlesLate(own))
      why = late(own.settled, own.settledOp);
    else if (repeatsLate(own))
      why = late(own.period, own.periodOp);
    else
      continue;
    break;
  }
  ofCounts(report.add(Code::Undecided, op, why.because, why.message));
}
