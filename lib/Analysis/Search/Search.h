//===- Search.h - which launches and counts are run -------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The finder of witnesses. It chooses counts of loops and outcomes of what the
// launch decides (Instantiate.h, Periods.h), launches of a few clusters that
// are looked at whole (Sharing.h), and runs the events of each (Execution.h),
// which report what they find. What it cannot decide is `undecided`, what it
// leaves out for its size is told (Bounds.h).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_SEARCH_H
#define TITAN_LIB_ANALYSIS_SEARCH_SEARCH_H

#include "../Findings/Report.h"
#include "Effort.h"
#include "Instantiate.h"
#include "Periods.h"
#include "Sharing.h"

namespace titan::checker {

class Search {
public:
  /// Finds the choices. `impossible`: constants alone show that some operation
  /// has no result, which says why other things cannot be followed.
  Search(KernelOp kernel, const CheckOptions &options, bool impossible,
         Report &report, CheckReport &result);
  /// All runs.
  void run();
  /// Reports what could not be followed, or was left out; what was covered goes
  /// into the result.
  void close();
  /// Whether everything that was looked at could be followed.
  bool followed() const { return instantiator.problems.empty(); }
  /// Is called when a run has found something.
  std::function<void()> progress;

private:
  using Outcomes = std::vector<int64_t>;
  void execute(const Program &program);
  bool look(const Outcomes &wanted);
  std::vector<int64_t> possible(size_t number) const;
  std::vector<Outcomes> combinations();
  void runCombinations();
  void runOutcomes(size_t number);
  void runFarIterations();
  void runLaunches();
  void runExample();
  void runText();
  bool runLaunch(const SmallLaunch &launch);
  /// The same, of those like it that let its masks through; `idle` is left as it is.
  bool runUnmasked(llvm::ArrayRef<SmallLaunch> launches);
  void findConflicts(const Program &program, int dimension);
  bool runFarClusters();
  /// Whether there is sense in looking at more.
  bool goesOn() const { return followed() && !effort.usedUp(); }
  void tellUsedUp(uint64_t most);
  void unreached(mlir::Operation *op, const llvm::Twine &message,
                 bool ofCounts = true);
  /// In the order of the text; null: all of it was looked at, or is dead.
  mlir::Operation *firstUnreached();

  KernelOp kernel;
  bool impossible, cumulativeFences;
  Report &report;
  CheckReport &result;
  Effort effort;
  Instantiator instantiator;
  const std::vector<Choice> &choices;
  Periods periods;
  Sharing sharing;
  /// Some CTA waits for a flag.
  bool flags = false;
  /// Not all combinations were tried.
  bool tooMany = false;
  /// A launch has no other CTAs than those that were run.
  bool wholeGrid = false;
  /// Operations that runs have executed which came to their end.
  llvm::DenseSet<mlir::Operation *> lookedAt;
  /// Some launch was found, and has been run.
  bool executed = false;
  /// Findings when somebody was told last.
  size_t shown = 0;
  /// Whole launches that were looked at, and those since one has shown
  /// something.
  unsigned looked = 0, idle = 0;
  /// Events of those so far, which data of several kinds multiplies.
  uint64_t dataEvents = 0;
  /// Of grids in a line, by dimension: who may meet further on.
  std::map<int, std::vector<Sharing::PossibleConflict>> possibleConflicts;
};

} // namespace titan::checker

#endif
