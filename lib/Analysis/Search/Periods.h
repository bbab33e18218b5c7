//===- Periods.h - how often a loop is run ----------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of each loop whose count sizes decide: after how many iterations it comes
// round to the same slots and parities, as a long run of it shows (Period.h)
// and as far as its numbers cannot do otherwise later (Recurrences.h); and with
// which counts it is looked at therefore.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_PERIODS_H
#define TITAN_LIB_ANALYSIS_SEARCH_PERIODS_H

#include "../Findings/Report.h"
#include "Instantiate.h"
#include "Recurrences.h"

namespace titan::checker {

/// The periods of loops, each found when it is first asked for: choices come up
/// on the way.
class Periods {
public:
  Periods(Instantiator &instantiator, Report &report, const Effort &effort);
  /// May find further choices.
  int64_t of(size_t number, mlir::Operation *op);
  /// The numbers of iterations tried for a loop whose period is known: few, as
  /// many as the longest ring has slots, and enough to repeat. Where sides
  /// hang on how far the counter is, all small ones.
  std::vector<int64_t> triesOf(size_t number) const;
  /// Those that are tried with all of another loop.
  std::vector<int64_t> fewOf(size_t number) const;
  const std::map<size_t, int64_t> &found() const { return known; }
  /// No slot and no parity has more different values.
  int64_t most() const;

private:
  int64_t find(size_t number, mlir::Operation *op);
  const LoopRecurrence &recurrence(mlir::Operation *loop);
  bool covers(size_t number, int64_t period, int64_t seen, int64_t before);
  /// Whether its numbers may do otherwise, or come round, only after the longest run.
  bool isLate(size_t number);
  void tellLate(size_t number, mlir::Operation *op, int64_t period);

  Instantiator &instantiator;
  Report &report;
  const Effort &effort;
  /// Of the longest ring, and the least common multiple of twice all depths.
  int64_t depth = 1, rings = 2;
  std::map<size_t, int64_t> known;
  std::map<mlir::Operation *, LoopRecurrence> recurrences;
  /// The iterations after which comparisons with constants are over, of loops
  /// that have some beyond the first iterations, or compare with their end.
  std::map<size_t, int64_t> settles;
};

} // namespace titan::checker

#endif
