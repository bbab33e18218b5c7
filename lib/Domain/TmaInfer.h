//===- TmaInfer.h - The parts of lowerSchedule ------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TmaInfer.cpp: which domains are the TMA domain, and what each of its
// dimensions is. TmaIm2col.cpp: windows, and pixels of them. TmaTile.cpp: the
// tile's views, its place in the buffer, how boxes cut it. TmaSwizzled.cpp:
// swizzles in the buffer's order. TmaCandidate.h: one choice, its limits, level
// and predicate. TmaSchedule.cpp puts them together.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_DOMAIN_TMAINFER_H
#define TITAN_LIB_DOMAIN_TMAINFER_H

#include "titan/Domain/TmaSchedule.h"

#include <set>

namespace titan::tma {

/// Why a schedule is refused.
inline Problem noSchedule(const std::string &why) {
  return {"tma-schedule", why};
}

/// What the leaves of a domain are.
enum class Class : uint8_t { Loop, Tile, Mixed };

/// By DomainId. A bulk leaf of extent 1 does not count where it stands beside
/// another domain: `A, U = split(M, 1)` with U in bulk leaves M a loop; but
/// those of `boxes`, to which a tile has been cut, do. The problem: a swizzle of
/// loop and tile, a bulk domain that is no leaf.
Result<std::vector<Class>> classify(const DomainGraph &graph,
                                    const std::vector<DomainId> &bulk,
                                    const std::set<DomainId> &boxes = {});

/// A dimension, with what the lowering needs of the graph.
struct Dim {
  TmaDimension record;
  Class kind = Class::Loop;
  /// The domain above the boxing split, or the loop or tile itself: its start
  /// is the coordinate. Of compositions the outermost first.
  std::vector<DomainId> tops;
  /// The mixed domains below the top.
  std::vector<DomainId> inside;
  /// Resized domains, top first.
  std::vector<DomainId> resized;
  int64_t left = 0; ///< Of all resizes.
  Expr extent = 0;  ///< After them.
  /// Windows slide over it: what resizes add to it (padding) is filled whatever
  /// the correctness is, so that it is composited with nothing outside of it.
  bool slides = false;
  /// Where it is not Theorem 6 that the margin is from: what mixes.
  std::string mixes = {};
  bool pixels = false; ///< Of im2col.
  /// What it takes for granted of sizes that only a launch knows.
  Requirements needs = {};
};

/// Matches the domains below `top`, a dimension of the TMA domain. `pixels`:
/// tiles of im2col, which may go on across the splits above them. `assume`:
/// what only a launch can tell to divide does, and is needed.
Result<Dim> matchDim(const DomainGraph &graph,
                     const std::vector<Class> &classes, DomainId top,
                     const Expr &stride, bool pixels = false,
                     bool assume = false);

/// The problem of windows that no copy can slide: those of a store, over
/// anything but a dimension of the tensor, with their elements in the tile.
std::optional<Problem> checkWindows(const TmaSchedule &s,
                                    const std::vector<Class> &classes);

/// The domain that windows slide over is boxed: `window` is its consumer, `box`
/// consecutive windows are one box; the record says, in windows, where boxes
/// start. Fills the record; `left` and `right` are all resizes of the domain.
Result<Dim> boxWindows(const DomainGraph &graph, Dim dim,
                       const DomainExpr &window, int64_t box, int64_t left,
                       int64_t right);

/// What an im2col map has beside pixels and channels.
struct Im2col {
  /// W, H, D: positions at windows*stride + element*dilation - left.
  struct Spatial {
    TmaGlobalDim global;
    DomainId windows;
    DomainId element = -1; ///< -1: there is one.
    int64_t stride = 1, dilation = 1, filter = 1;
    int64_t left = 0, right = 0; ///< Of all resizes.
  };
  std::vector<Spatial> spatial; ///< W first.
  TmaGlobalDim images;
};

/// One way to see the tensor: dimensions, outermost first.
struct View {
  std::vector<Dim> dims;
  Requirements needs;
  /// Then the dimensions are pixels and channels.
  std::optional<Im2col> im2col = {};
};

/// The view of a tile of pixels; none where no windows are merged in the tile.
Result<std::optional<View>> inferIm2col(const TmaSchedule &schedule,
                                        const std::vector<Class> &classes);

/// All ways, at least one; or why there is none.
Result<std::vector<View>> inferViews(const TmaSchedule &schedule,
                                     const std::vector<Class> &classes);

/// Two neighbours as one dimension, where they are surely contiguous and the
/// result is again loops, then tile.
std::optional<Dim> composite(const DomainGraph &graph, const Dim &outer,
                             const Dim &inner);

/// A schedule without the expressions below the tile's tops, which are views
/// of the tile for its readers. `to` maps its domains; -1: left out.
Result<TmaSchedule> withoutViews(const TmaSchedule &from,
                                 const std::vector<Class> &classes,
                                 std::vector<DomainId> &to);

/// Holds the buffer's order to the tile's: the loops that it keeps, outermost
/// first, or what makes a tile discontiguous (tma-shared-tile). `tops` is the
/// tile, outermost first.
Result<std::vector<DomainId>> keptLoops(const TmaSchedule &s,
                                        const std::vector<Class> &classes,
                                        const std::vector<DomainId> &tops);

/// Whether domains of the tile in the buffer's order come out of swizzles.
bool hasSwizzledOrder(const TmaSchedule &s, const std::vector<Class> &classes);

/// A mode, and the elements of a row of the tile that it works on.
struct SwizzledOrder {
  const TmaSwizzle *swizzle;
  int64_t row;
};
/// The first mode of the target (the schedule's, where it names one) whose
/// image has every element of the tile where the buffer's domains place it.
/// The problem (tma-shared-tile) is the first element that is elsewhere.
/// `tops`: the tile in the domains of `s`; `bare` and `views`: without views of
/// the tile. With `keepsLoops` tiles follow one another as the domains say.
Result<SwizzledOrder> findSwizzle(const TmaSchedule &s,
                                  const std::vector<Class> &classes,
                                  const std::vector<DomainId> &tops,
                                  bool keepsLoops, const TmaSchedule &bare,
                                  const std::vector<View> &views,
                                  const TargetInfo &target);

/// Whether a dimension is several whole domains one after the other, so that
/// its boxes may go on from one to the next: they are merged, then split.
bool mergesTile(const Dim &dim);

/// Indices in numbers, from the inputs of `exprs` (those that make others come
/// first) to their outputs; `extent` and `at` by domain. False: a resize cuts
/// the element off. Windows have no such direction and are passed over.
bool followIndices(const std::vector<const DomainExpr *> &exprs,
                   const std::vector<int64_t> &extent,
                   std::vector<int64_t> &at);

/// How a tile is cut into boxes.
struct Pieces {
  /// Elements of each dimension, outermost first, that one box takes, and the
  /// last one, where that is another number of them; 0: all are equal.
  std::vector<int64_t> taken, rest;
  /// Bytes from one element of a dimension to the next in the image; for the
  /// innermost one of a tile of several panels, from one panel to the next.
  std::vector<int64_t> pitch;
  int64_t copies = 1;
  int64_t imageBytes = 0; ///< Of the whole tile.
  /// Why no boxes divide the tile, and which tiles they would divide. Then what
  /// no box divides is taken as a whole.
  std::string problem;
};
/// As few boxes as can be whose images are pieces of the tile's image: row by
/// row, or panels of one swizzle span. Each begins at a multiple of 128 bytes,
/// and of the swizzle's period where that is to be had. Of as many boxes, equal
/// ones; else full ones, as large as they may be, and one of the rest.
Pieces cutTile(const std::vector<Dim> &dims, const DomainGraph &graph,
               const TmaSchedule &s, const TargetInfo &target);

} // namespace titan::tma

#endif // TITAN_LIB_DOMAIN_TMAINFER_H
