//===- Instantiate.h - from a kernel to a list of events --------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An abstract interpreter of kernels. It follows the control regions (kernel,
// warp_specialize, partition, elect, scf.for, scf.if), computes scalars and
// integer tensors, and turns each hardware operation's effects into actions by
// putting numbers into their expressions. What data is loaded it does not know;
// what depends on that, or on the schedule, is `unknown`, and control that
// hangs on it is undecided (MM-121).
//
// A loop whose bounds are not static is given a count by the caller. So that
// everything computed from the same sizes agrees with it, the count is not
// forced upon the loop: sizes and arguments are found that the launch region
// admits and that lead to it (Choices.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_INSTANTIATE_H
#define TITAN_LIB_ANALYSIS_SEARCH_INSTANTIATE_H

#include "../Scalars.h"
#include "Effort.h"

#include "titan/Analysis/Events.h"
#include "titan/Analysis/TriedLaunches.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <map>
#include <memory>
#include <set>

namespace titan::checker {

/// Something that a size, an argument or a CTA id decides, and of which the
/// checker chooses the outcome: how often a loop runs (or all loops with the
/// same bounds), which side of a branch is taken (0 or 1), or the value of a
/// slot, an index or a parity.
struct Choice {
  mlir::Operation *op; ///< The first operation found.
  enum Kind { Loop, Branch, Value } kind;
  /// Bounds (loop), condition (branch), value: `upper`.
  Number lower, upper, step;
  /// Branches, values: the outcomes that matter.
  std::vector<int64_t> values;
  /// A name for reports: of a launch value, or of what it is computed from.
  std::string name;
  /// Branches: an outcome that is an error. Launches that have it are looked for,
  /// and that there are none is not asked to be shown.
  bool error = false;
  bool loop() const { return kind == Loop; }
};

struct Problem {
  Code code;
  mlir::Operation *op;
  std::string message;
  std::string fix = {};  ///< Empty: the code's.
  bool ofCounts = false; ///< As a Finding's.
};

/// A launch check that refuses so many of the sizes that were tried.
struct Refusal {
  RequireOp check;
  size_t refused, tried;
};

/// A whole grid of a few clusters, as one launch makes it.
struct SmallLaunch {
  int64_t grid[3] = {1, 1, 1};
  int64_t clusters = 1;
  /// Some argument is as large or small as a launch check lets it: such a launch
  /// is looked at whatever earlier ones have shown.
  bool tight = false;
  /// Sizes, arguments and the number of multiprocessors, by parameter.
  std::vector<int64_t> parameters;
  /// "3 CTAs: A 128 x 64, B 128 x 64".
  std::string name;
  /// What a tensor holds, by the argument's number and the element's (rows of
  /// bound::dataPitch); none: what data is taken to be.
  std::function<std::optional<int64_t>(unsigned tensor, int64_t element)> data;
};

class Instantiator {
public:
  /// Nothing is found any more where `effort` is used up.
  Instantiator(KernelOp kernel, Effort &effort);
  ~Instantiator();

  /// Finds the choices, walking every loop once. Those that only other outcomes
  /// lead to are added when a program is instantiated.
  const std::vector<Choice> &survey();
  /// An outcome that is left to chance.
  static constexpr int64_t any = -1'000'000'007;
  /// The events of all warps of a few clusters that lie beside each other along
  /// a dimension of the grid (`beside`, 0 to 2), for one outcome each choice;
  /// null when no launch was found that has them together. Loops whose count is
  /// left to chance are kept short. `whole`: the grid has no other CTAs.
  std::unique_ptr<Program> instantiate(llvm::ArrayRef<int64_t> choices,
                                       int beside, int clusters,
                                       bool whole = false);
  /// The events of one cluster while a loop runs so often, the other loops once
  /// if that can be. To look at, not to be checked: no outcome counts as
  /// covered by it. Null: no such launch was found.
  std::unique_ptr<Program> longRun(size_t loop, int64_t count);
  /// A launch of one cluster in which a loop runs so often; none: not found.
  std::optional<SmallLaunch> longLaunch(size_t loop, int64_t count);
  /// The loops that run as often as a choice says, as far as they are known.
  llvm::ArrayRef<mlir::Operation *> loopsOf(size_t choice) const;
  /// The outcomes of a choice that some program has come through.
  const std::set<int64_t> &covered(size_t choice) const;
  /// What a choice depends on, a bit for each size and argument.
  uint64_t parametersOf(size_t choice) const;
  /// Whether no launch has this outcome. False: not known.
  bool impossible(size_t choice, int64_t outcome) const;
  /// The largest number of iterations that a loop can have.
  int64_t mostIterations(size_t choice) const;
  /// Branches on what varies with the iteration of which only one side was ever
  /// taken, and whose condition looks at more than `period` different values:
  /// at a counter, which other counts take further, and not at a slot or
  /// parity.
  std::vector<mlir::Operation *> oneSided(size_t period) const;
  /// Whether an operation that no program has come to stands in a loop or branch
  /// whose way in constants decide: no launch comes to it.
  bool isDead(mlir::Operation *op) const;
  /// Dimensions of the grid along which there are, in some launch, several
  /// clusters.
  llvm::SmallVector<int> besides() const;
  /// How many clusters a launch has along a dimension of the grid: at least,
  /// and at most.
  std::pair<int64_t, int64_t> clustersAlong(int dimension) const;
  /// Launches of `least` to `most` clusters, small ones first, no two of which
  /// tell the kernel's body the same; sizes are tried, so there may be none.
  /// `fitted`: of a number that a launch check asks to be a multiple, multiples.
  std::vector<SmallLaunch> launches(int64_t least, int64_t most,
                                    bool fitted = false) const;
  /// The launch of titan.example, with its data; none: there is none, it is refused,
  /// or too large to be looked at whole.
  std::optional<SmallLaunch> exampleLaunch() const;
  /// Of the whole launch that was instantiated last: such as let through what its
  /// masks did not, all of the tiles and half of the last one. None twice.
  std::vector<SmallLaunch> unmasked(const SmallLaunch &from) const;
  /// Its sizes, as somebody would start it.
  TriedLaunch describe(const SmallLaunch &launch) const;
  /// The launch check that refuses most of the sizes that launches() tries;
  /// none: they refuse none.
  std::optional<Refusal> refusal() const;
  /// Operations that divide the id of a CTA, take a remainder or a minimum of
  /// it with a constant, or the like, and of which whole launches have shown
  /// one piece alone.
  std::vector<mlir::Operation *> onePiece() const;
  /// Waits for flags of whose values that is so; and how many pieces of such
  /// values there have been.
  std::vector<mlir::Operation *> oneAmount() const;
  size_t amountPieces() const;
  /// The events of all CTAs of such a launch; null when they cannot be
  /// followed, or there are too many (`tooLong`).
  std::unique_ptr<Program> instantiate(const SmallLaunch &launch);
  /// The whole launch that was asked for last has more than bound::launchEvents
  /// events, or a warp that executes more than bound::mostSteps operations.
  bool tooLong = false;
  /// Some run, of chosen counts, had a warp that executes more than that: this is
  /// among the `gaps`.
  bool gaveUp = false;
  /// Whether the next launch is not the first one that begins with data of its
  /// kind: kinds take turns.
  bool turned() const;
  /// The same of one launch, with elements of which titan.assume says something so far
  /// apart as an argument is with which it compares them (a sequence of the longest
  /// ones), for each such argument.
  std::vector<std::unique_ptr<Program>>
  instantiateAtBounds(const SmallLaunch &launch);
  /// What is taken of arguments that are strides, a line for each.
  std::vector<std::string> pitches() const;
  /// What could not be followed, or is wrong with an index. Filled by both.
  std::vector<Problem> problems;
  /// What was left out, while everything else was followed: the kernel cannot
  /// be accepted, and what is found in the rest is still wrong.
  std::vector<Problem> gaps;
  /// Of what not everything was looked at, though all of it was followed.
  std::vector<std::string> unseen;
  Footprints footprints;

  /// Slots of the rings in the kernel: of barriers and of memory.
  std::vector<int64_t> ringDepths() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace titan::checker

#endif
