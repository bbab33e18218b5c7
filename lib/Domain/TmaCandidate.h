//===- TmaCandidate.h - One choice of lowerSchedule -------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lowerSchedule compares candidates: ways to see the tensor and to compose its
// dimensions. TmaCandidate.cpp makes one and holds it to the limits of the map
// and of the instruction (TmaIm2col.cpp: one of pixels); TmaDecide.cpp finds
// its level and predicate, with TmaCutLoops.cpp where not all iterations are.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_DOMAIN_TMACANDIDATE_H
#define TITAN_LIB_DOMAIN_TMACANDIDATE_H

#include "TmaInfer.h"
#include "titan/Domain/Theorems.h"

#include <set>
#include <tuple>

namespace titan::tma {

inline std::string number(int64_t n) { return std::to_string(n); }

/// The symbol of a leaf's index: I5 has i5.
std::string indexName(std::string name);

/// A loop of which copies are kept apart, or a loop of boxes: its index moves
/// the shared address.
struct SharedLoop {
  DomainId domain;
  int64_t bytes;
  int64_t ring = 0; ///< Tiles that are kept; 0: all.
};

/// What is lowered: tiles end at the domains that boxes make.
struct Work {
  TmaSchedule s;
  std::vector<Class> classes;
  std::vector<SharedLoop> offsets;
  std::set<DomainId> ofBoxes;
  /// Loops of one iteration, by a launch check: they are none.
  std::set<DomainId> single;
  int64_t sharedStart = 0; // Bytes from a tile's start to the first box.
  int64_t imageBytes = 0, bufferBytes = 0; // 0: not known yet
  int64_t copies = 1;                      // Boxes of a tile.
  int64_t row = 0; // Of the tile, elements; 0: whatever it is.
};

/// The least and the greatest value of an index expression, over the loops'
/// indices (0 .. most). Sizes of the launch are at least 1.
struct Bounds {
  Expr least, most;
};
Bounds rangeOf(const Expr &e, const std::map<std::string, Expr> &most);

/// Whether a bound holds in every iteration.
bool isSure(const TmaBound &b, const std::map<std::string, Expr> &most);

/// Whether tiles mix along a dimension (Theorems.h): level 3.
struct Mixing {
  Expr margin = 0; ///< >= 0 when none does.
  std::optional<MixedTile> example = {};
  std::string unknown = {}; ///< Why a margin below 0 may be wrong.
  /// >= 0 when no tile with a valid element starts at a negative coordinate.
  Expr starts = 0;
};
/// Where the boxes of a dimension start, all of them.
std::vector<TmaTileStarts> startsOf(const Dim &dim);
/// Of one dimension all of whose tiles are visited.
Mixing mixingOf(const Dim &dim);
/// Of each dimension, where resizes cut loops off, and with `starts`
/// (TmaCutLoops.cpp).
std::vector<Mixing> mixingOf(const DomainGraph &graph,
                             const std::vector<Class> &classes,
                             const std::vector<Dim> &dims, bool starts);

/// The lowering of one view; errors make it a bad one.
struct Candidate {
  TmaLowering low;
  Requirements needs;
  Pieces pieces;
  std::vector<Dim> dims; // Outermost first.
  int merges = 0;
  /// Boxes of a tile without compositions, the fewest that are allowed; 0: none
  /// are. Known of the chosen one.
  int64_t apart = 0;

  /// Whether this one is to be taken. Of bad ones the first, unless it has too
  /// many dimensions: its error is the one to report.
  bool better(const Candidate &other) const {
    auto rank = [](const Candidate &c) {
      if (c.needs.ok())
        return 0;
      return c.needs.errors.front().code == Code::TmaRank ? 2 : 1;
    };
    int mine = rank(*this), others = rank(other);
    if (mine != others || mine != 0)
      return mine < others;
    return std::tuple(pieces.copies, low.level, merges) <
           std::tuple(other.pieces.copies, other.low.level, other.merges);
  }
};

/// Makes candidates of one schedule.
class Lowering {
public:
  Lowering(const Work &work, const TargetInfo &target);
  Candidate lower(std::vector<Dim> dims, Requirements needs, int merges,
                  const std::optional<Im2col> &im2col = {}) const;

private:
  /// The start of a dimension's tile.
  Expr linear(const Dim &d) const {
    Expr sum = 0;
    for (DomainId id : d.tops)
      sum = sum * g[id].extent + *index[id];
    return sum;
  }

  /// Dimensions, map and coordinates.
  void addBoxes(Candidate &c) const;
  void addPixels(Candidate &c, const Im2col &im2col) const;
  void limits(Candidate &c) const;
  void im2colLimits(Candidate &c) const;
  void decide(Candidate &c) const;
  std::vector<Mixing> mixing(const std::vector<Dim> &dims) const;
  std::string fixOfMixing(const Dim &dim, bool load) const;
  std::vector<TmaBound> boundsOf(const Dim &d,
                                 const std::vector<DomainId> &domains) const;
  void requireStarts(Candidate &c, const std::vector<Mixing> &mixed,
                     std::vector<TmaBound> &predicate) const;

  const Work &work;
  const TmaSchedule &s;
  const DomainGraph &g;
  const TargetInfo &target;
  std::vector<TmaLoop> loops;
  std::map<std::string, Expr> most;
  DomainIndices index;
  bool cutLoops = false;
};

//===----------------------------------------------------------------------===//
// What the launch decides (TmaLaunch.cpp)
//===----------------------------------------------------------------------===//

/// Launch checks that sizes are the multiples that they are said to be: first,
/// since the others build on that.
std::vector<LaunchCheck> multipleChecks(const DomainGraph &graph);

/// Of each launch check that no tile mixes: the least size that breaks it, the
/// hole that then holds data, and what to do about sizes.
void tellMixedTiles(TmaLowering &low);
/// The first launch check that no sizes keep; they are at least 1.
const LaunchCheck *findHopeless(const TmaLowering &low);

} // namespace titan::tma

#endif // TITAN_LIB_DOMAIN_TMACANDIDATE_H
