//===- Checker.h - is a kernel free of races and hangs? ---------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `titan check`. Runs on kernels without pipes (after titan-expand-pipes),
// reads nothing of an operation but its effects (Dialect/Titan/Effects.h), and
// decides by the rules of docs/memory-model.md.
//
// Events are parametric in iteration and sequence number; this checker
// instantiates them by unrolling: every loop whose trip count is not known is
// given each of the counts {0, 1, depth, period, 2 * period + 1}, where the
// period is the least number of iterations after which all slots and parities
// repeat, as the loop's own events show (Search/Period.h); nested loops get all pairs.
// What CTAs do to each other through global memory is seen in whole launches of
// a few clusters (Search/Sharing.h).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_CHECKER_H
#define TITAN_ANALYSIS_CHECKER_H

#include "titan/Analysis/FenceNeeds.h"
#include "titan/Analysis/Finding.h"
#include "titan/Dialect/Titan/Titan.h"

#include <functional>

namespace titan {

struct CheckOptions {
  Strictness strictness;
  /// What it cannot follow is `undecided`, an error unless this is lowered.
  Severity undecided = Severity::Error;
  /// What the search may do; none: `searchSteps` of docs/search.md.
  std::optional<uint64_t> searchSteps = std::nullopt;
  /// Where not null: is told which fences are missing, and where they may stand.
  FenceNeeds *fences = nullptr;
  /// Is told what has been found so far, whenever that is more than before.
  std::function<void(const std::vector<Finding> &)> progress;
};

struct CheckReport {
  /// Everything found, errors first, `titan.trusted` ones as notes.
  std::vector<Finding> findings;
  /// How many more there are that the options silence.
  unsigned silenced = 0;
  /// How many are `undecided`, silenced or not: of what follows nobody knows.
  unsigned undecided = 0;
  /// The trip counts that were checked, a line each: "outer 1, inner 9".
  std::vector<std::string> counts;
  /// After how many iterations each loop repeats: "outer 12".
  std::vector<std::string> periods;
  /// Small launches of which all CTAs were looked at together.
  std::vector<std::string> launches;
  /// What was found and not looked at, for its size, a line each.
  std::vector<std::string> skipped;
  /// What was taken of arguments that are strides, a line each.
  std::vector<std::string> assumed;
  /// The search has used up its steps.
  bool usedUp = false;
  /// Events of all instantiations together.
  uint64_t events = 0;
  double seconds = 0;

  bool accepted() const;
};

CheckReport check(KernelOp kernel, const CheckOptions &options);

} // namespace titan

#endif
