//===- Sharing.h - what clusters share through global memory ----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The clusters of a grid meet in global memory alone. Which of them do, in
// which operations, depends on sizes, and only where they do is there an order
// to be shown: stream-K's partial sums go from one CTA to another only where a
// tile begins in one and ends in the other. So the checker looks at the events
// of all CTAs of a few small launches, and runs those that show something new:
// an operation, or a part that some cluster has to play towards the others.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_SHARING_H
#define TITAN_LIB_ANALYSIS_SEARCH_SHARING_H

#include "Effort.h"

#include "titan/Analysis/Events.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <set>

namespace titan::checker {

class Sharing {
public:
  explicit Sharing(Effort &effort) : effort(effort) {}

  /// Two operations that touch the same bytes of global memory, one of them
  /// writing, and whether they do so in two clusters.
  using Met = std::tuple<mlir::Operation *, mlir::Operation *, bool>;
  /// Those of a program; not all where the effort is used up.
  static std::set<Met> meetingsOf(const Program &program,
                                  Footprints &footprints, Effort &effort);

  /// Takes note of a program's operations, and of the part that each cluster
  /// plays: in which of its operations it touches bytes of global memory that
  /// others, or itself, touch in which, one of the two writing, and whether the
  /// others are one or several. True: some of it is new, and the program is
  /// worth to be run. False, too, where the effort is used up.
  bool add(const Program &program, Footprints &footprints);

  /// Two operations that may meet in clusters, or in iterations of a loop, that
  /// no program has had.
  struct PossibleConflict {
    mlir::Operation *first, *second;
    bool apart;   ///< In two clusters; else in one.
    int64_t last; ///< The larger number of the two clusters or iterations.
    auto operator<=>(const PossibleConflict &) const = default;
  };
  /// From a program whose clusters, three or more, lie in a line that is to
  /// have `most`: where a place moves by the same step from each cluster to the
  /// next it is taken to go on so. Pairs that have never met, by cluster; pairs
  /// of two clusters among the first `mostApart`.
  std::vector<PossibleConflict> possibleConflicts(const Program &program,
                                                  const Footprints &footprints,
                                                  int64_t most,
                                                  int64_t mostApart) const;
  /// The same for the iterations of loops that run `count` times in the
  /// program, three or more: pairs of the first cluster among the first `most`.
  std::vector<PossibleConflict>
  possibleConflicts(const Program &program, const Footprints &footprints,
                    llvm::ArrayRef<mlir::Operation *> loops, int64_t count,
                    int64_t most) const;
  /// Whether some program has had the two meet so.
  bool haveMet(const PossibleConflict &pair) const {
    return meetings.contains({pair.first, pair.second, pair.apart});
  }
  /// Operations that read (or wait for) what other operations of the kernel
  /// write, as far as the tensor goes, though no program has shown whose bytes
  /// they read: another cluster's, for a wait, or anybody's.
  std::vector<mlir::Operation *> unexplained() const;
  /// Whether there were more pairs of places than possibleConflicts() looks at.
  bool truncated() const { return cut; }
  /// Some tensor is both written and read.
  bool channels() const { return !readers.empty(); }

private:
  Effort &effort;
  struct Place;
  std::vector<PossibleConflict> meet(const std::vector<Place> &places,
                                     int64_t had, int64_t most,
                                     int64_t mostApart, bool apart) const;
  mutable bool cut = false;
  llvm::DenseSet<mlir::Operation *> ops;
  /// An operation of a cluster's, one that it meets, and in how many others: 0
  /// for its own, 1, or 2 for more.
  using Meeting = std::tuple<mlir::Operation *, mlir::Operation *, size_t>;
  std::set<std::vector<Meeting>> parts;
  /// Which have met, and whether in two clusters.
  std::set<Met> meetings;
  /// Readers of tensors that are written, and those of which it is known what
  /// they read.
  llvm::SetVector<mlir::Operation *> readers;
  llvm::DenseSet<mlir::Operation *> explained;
};

} // namespace titan::checker

#endif
