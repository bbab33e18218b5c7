//===- TmaSchedule.h - From a schedule to tensor copies ---------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule says how the elements of a tensor are distributed over loops and
// over what one instruction runs through (the *bulk* leaves). From it follows
// everything that the instruction needs:
//
//     N{1000}                              dimension: N, size 1000
//       | split 64          boxing split   box 64
//     c{16}   b{64}                        coordinate c*64
//               | split 2   striding split element stride 2
//             t{32}   s{2}                 coordinate c*64 + s, tile 32
//             bulk    loop
//
// Each domain is a loop, tile (all its leaves are bulk) or mixed. The domains
// down to the boxes are the *TMA domain*, a view of the tensor: what is merged
// is contiguous, what is split divides. Its dimensions are checked by the
// hardware.
//
//   a dimension of the TMA domain               box            by
//   ---------------------------------------------------------------------------
//   mixed: X -> c, b;  b bulk                   b              partitioning
//          X -> c, b;  b -> t, s;  t bulk       b, stride s    partitioning
//          X -> t, s                            X, stride s    implicit whole
//          X -> x, i;  x -> c, j;  i, j bulk    j*i            rotation right
//          X -> c, x;  x -> k, b;  b | x        b              rotation left
//          X -> c, x;  x -> y (cut); y -> k, b  b, in each x   partitioning
//   loop:  X                                    1              implicit
//   tile:  X (size one)                         X               implicit whole
//   neighbours that are contiguous: loops, then tiles           compositing
//
// A resize may stand above the boxing split; it moves the boxes; between the
// splits of a box it may cut off, where what is left is divided. A mixed domain
// that is none of these is cut in two dimensions where its split divides. What
// remains is refused (tma-schedule) with the first expression that fits
// nothing.
//
// Windows of a dimension (window, IterDomain.h) are boxed by themselves, or
// their pixels are the tile. Loads only; the elements of a window are loops.
// What a resize adds above a window is padding: it is filled whatever the
// correctness is.
//
//   windows                                     box            by
//   ---------------------------------------------------------------------------
//   X -> P, R;  P -> c, b;  b bulk              (b-1)*stride+1, element stride
//                                               = stride       windows
//   N, Y -> P, R; X -> Q, S; m = merge(N, P, Q)
//     m -> c, b;  b bulk                        b pixels       im2col
//
// im2col is taken where merged windows are in the tile: m is one dimension of
// the copy and the channels are the other. Of the tensor N, (D, (H,)) W, C each
// dimension is checked by the hardware; the copy starts at the first pixel of
// the tile, and offsets are the elements r and s. A tile may go on across the
// boxes above it (m split by 96, then by 64: level 3, unless m is shorter): the
// pixels behind them count as data, padding or not. Where all windows are of
// one element and next to one another, and the tensor is contiguous, its pixels
// are rows of a matrix, and the copy is tiled.
//
// Where a box divides its dimension, that cut undoes level 3: the box is then a
// dimension with bounds of its own, and its holes lie outside. The note's
// Figure 5 (8 elements, boxes of 4, element stride 3) is strongly correct as a
// map of one dimension more. A schedule may prescribe its TMA domain instead.
//
// Loops come to be dimensions of their own where all splits above them divide
// and it saves the predicate of a strong load or a store (Figure 2: I2 of the
// note is cut in I4 and I5, and level 2 becomes level 1), at no other cost.
//
// Of several choices the one is taken that needs the fewest instructions, then
// has the lowest level, then the fewest compositions; `why` records it. A tile
// that is wider than a box (256 elements, or a swizzle's span) becomes a loop
// of boxes: its domain X is split once more, and the outer half, X.box, is a
// loop. As few boxes as can be; if that many equal ones divide X they are
// equal, else full ones are followed by one of what is left
// (TmaLowering::rest):
//
//     X{514} -> X.full{512} (resize) -> X.box{2}, X.in{256}    and
//     X{514} -> X.rest{2}   (resize) -> X.box{1}, X.in{2}
//
// Each is lowered by itself: its map, its level, its predicate. A tile is at
// most the target's shared memory (shared-memory-limit), and a load at most
// what a barrier counts, 2^20 - 1 bytes (barrier-range).
//
// What the program around the instruction has to do:
//
//            level 1   level 2                level 3
//   weak     nothing   nothing                nothing
//   strong   nothing   if (predicate) tma(x)  error tma-strong, with the hole
//                      else tma(outside)      that would hold data
//   store    nothing   if (predicate) tma(x)  error tma-strong
//
//   weak, levels 2 and 3, on request: if (predicate) tma(x) saves traffic
//
// Level 1: holes lie outside of the tensor (Theorem 5). Level 2: no tile mixes
// valid elements with holes that hold data, so that the predicate, one for a
// whole tile, says which. Level 3: some tile mixes (strongUnachievable), where
// loops that resizes cut off still visit it (lib/Domain/TmaCutLoops.cpp). Weak
// stores need what strong loads need (Correctness.h); their else is empty. At
// any level they have a predicate where a tile without an element would start
// at a negative coordinate; one with an element is tma-store-negative.
//
// What only a launch knows becomes a launch check with the same code.
//
// The extent of a tile is a number, or the schedule says how many elements it
// holds: of X in `tileExtent` with 512 the tile is X.tile,
//
//     X{N} -> X.out{1}, X.tile{512}    launch check: N is at most 512
//
// and what is behind N are holes as behind any boundary.
//
// The buffer may be swizzled by domains, too: of a tile Mi{64} x Ki{64} of bf16
//
//     Mo, Mr = split(Mi, 8)   Kc, Ke = split(Ki, 8)   X, Y = swizzle(Mr, Kc)
//     shared Mo, X, Y, Ke
//
// places element (m, k) at ((m / 8 * 8 + m % 8) * 8 + (k / 8 ^ m % 8)) * 8 +
// k % 8, which is swizzle 128B. The mode is found by comparing every element.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DOMAIN_TMASCHEDULE_H
#define TITAN_DOMAIN_TMASCHEDULE_H

#include "titan/Domain/Correctness.h"
#include "titan/Domain/IterDomain.h"

#include <functional>
#include <map>

namespace titan {

/// A root of the schedule's graph: a dimension of the tensor.
struct TmaGlobalDim {
  DomainId domain;
  Expr stride; ///< Bytes from one index to the next.
};

/// The tensor's address, where only a launch knows it. Names that a lowering
/// makes have a dot, which those of schedules as text have not.
inline constexpr const char *tmaAddressSymbol = "tensor.address";

/// When a weak load gets a predicate that saves traffic.
enum class TmaTraffic : uint8_t {
  Ignore, ///< Never.
  Save,   ///< Where there is something to predicate.
  Worth,  ///< Where at least an eighth of the copies is known to move holes.
};

struct TmaSchedule {
  DomainGraph graph;
  /// All roots, outermost first; the last one's stride is the element.
  std::vector<TmaGlobalDim> global;
  /// The leaves that one instruction runs through, each once.
  std::vector<DomainId> bulk;
  /// Of leaves in `bulk`: the elements that the tile holds of them, which are as
  /// many or more. Needed where only a launch knows an extent.
  std::map<DomainId, int64_t> tileExtent = {};
  /// The TMA domain, where it is prescribed; empty: the best one is found.
  std::vector<DomainId> tmaDomain = {};
  /// The order of the buffer in shared memory, outermost first: loops whose
  /// copies are kept apart (stages), then the tile. Empty: one tile, `bulk` in
  /// the order written.
  std::vector<DomainId> shared;
  /// Of loops in `shared`: the tiles that the buffer keeps of them, a ring:
  /// tile i stands at i mod so many. Left out: all tiles. So the buffer's
  /// domains need be none of the loops'.
  std::map<DomainId, int64_t> ring = {};
  /// What the buffer's address is surely a multiple of, bytes.
  int64_t sharedAlignment = 1024;
  /// Neither is null: findTmaType and findTmaSwizzle give null for a name that
  /// they do not know, which is domain-invalid.
  const TmaType *type = &tmaTypes()[0];
  /// Where it is not named and `shared` has domains that come out of swizzles,
  /// the mode is inferred that places the tile's elements as they do.
  const TmaSwizzle *swizzle = &tmaSwizzles()[0];
  bool swizzleNamed = false; ///< Be it none. Others than none always are.
  Expr address = Expr::symbol(tmaAddressSymbol);
  TmaDirection direction = TmaDirection::Load;
  std::string reduction = {};
  Correctness wanted = Correctness::Weak;
  bool nanFill = false;
  TmaTraffic traffic = TmaTraffic::Ignore;
  /// Stores: what stands behind each row up to a multiple of 16 bytes is free.
  bool tailIsPadding = false;
};

/// 0 <= index < extent.
struct TmaBound {
  Expr index, extent;
};

/// A loop around the instruction. Its index is the symbol `index`.
struct TmaLoop {
  DomainId domain; ///< Of TmaLowering::graph.
  std::string index;
  Expr extent;
  bool ofBoxes; ///< Made because the tile is wider than a box.
  std::vector<std::string> roots = {}; ///< Dimensions that it comes from.
};

enum class TmaElse : uint8_t {
  None, ///< There is no predicate.
  Skip, ///< Nothing is copied.
  Fill, ///< The box is copied from outside of the tensor: all fill.
};

/// One dimension of the map, as the schedule makes it.
struct TmaDimension {
  /// Domains of the TMA domain, outermost first; several: composited.
  std::vector<DomainId> domains;
  std::string how; ///< "partitioning", "rotation right", ...
  Expr size, stride;
  int64_t box = 1, elementStride = 1;
  int64_t tile = 1;                  ///< ceil(box / elementStride)
  std::vector<DomainId> tileDomains; ///< Bulk leaves, outermost first.
  /// Positions [begin, size - cut) are left by resizes; boxes start at first.
  int64_t begin = 0, cut = 0, first = 0;
  /// Where boxes of other sizes stand between them, `boxes` of these follow one
  /// another in every `group` positions; 0: all are alike.
  int64_t group = 0, boxes = 1;
  /// >= 0 when no tile mixes.
  Expr margin = 0;
};

/// A domain of the tile.
struct TmaTileDomain {
  std::string name;
  int64_t extent;
  /// Whether some of the dimensions of the tensor that it comes from have
  /// holes, in this tile or in others.
  Tri holes;
  std::vector<std::string> roots = {}; ///< Those dimensions.
};

/// An element of a tile, as one execution of the instruction leaves it.
struct TmaTileElement {
  bool hole; ///< It stands for no element of the schedule.
  bool data; ///< The copy moves an element of the tensor.
  /// Which one, along the map's dimensions (im2col: the tensor's), dimension 0
  /// first; of a hole, which one it would be.
  std::vector<int64_t> place;
};

struct TmaLowering {
  DomainGraph graph; ///< The schedule's, with the loops of boxes.
  std::vector<TmaLoop> loops;
  /// Innermost first: the map's; of im2col channels, then pixels.
  std::vector<TmaDimension> dimensions;

  // The tensor map: what is known now is constant.
  TmaMode mode = TmaMode::Tiled;
  TmaIm2col im2col; ///< Where that is the mode.
  const TmaType *type;
  const TmaSwizzle *swizzle;
  Expr address;
  std::vector<Expr> dims, strides;
  std::vector<uint32_t> box; ///< Empty where the mode is im2col.
  std::vector<uint32_t> elementStrides;
  bool nanFill = false;

  // The instruction, in the innermost loop.
  TmaDirection direction;
  std::string reduction;
  std::vector<Expr> coords; ///< Dimension 0 first, over the loops' indices.
  std::vector<Expr> im2colOffsets; ///< Of im2col, W first.
  Expr sharedOffset = 0;           ///< Bytes from the buffer's start.
  std::vector<TmaBound> predicate; ///< All of them; empty: none.
  TmaElse otherwise = TmaElse::None;
  /// Fill: the coordinates of the copy from outside.
  std::vector<int64_t> outside;
  /// Bytes that the barrier has to expect for one execution, by branch.
  int64_t thenBytes = 0, elseBytes = 0;

  /// The tile, all its boxes, in the order of its image, outermost first.
  std::vector<TmaTileDomain> tile;
  /// Whether dimensions of the tensor that are in no domain of the tile have
  /// holes: then a tile may be one hole.
  Tri loopHoles = Tri::No;
  int64_t rowElements = 1; ///< Of the tile, along the innermost dimension.
  int64_t imageBytes = 0;  ///< Shared bytes of a tile, all its boxes.
  int64_t bufferBytes = 0; ///< Of all tiles that are kept.
  int level = 1;
  std::vector<LaunchCheck> checks; ///< Those of `rest`, too, which has none.
  std::vector<std::string> why;

  /// What is left of a tile that boxes of one size do not divide: transfers of
  /// their own, each of the whole tile's loops, with a map of its own. They
  /// have no rest.
  std::vector<TmaLowering> rest;
  /// This one and `rest`.
  std::vector<const TmaLowering *> parts() const;
  /// Boxes of a tile, of all parts.
  int64_t boxesOfTile() const;

  /// The same with numbers for some of the loops' indices, and the greatest
  /// values of others. Bounds that then hold whatever the other indices are are
  /// left out of the predicate; where none is left there is no else.
  TmaLowering fixed(const Expr::Bindings &indices,
                    const Expr::Bindings &greatest = {}) const;
  /// The map of a launch; none where a value is missing or negative.
  std::optional<TensorMap> tensorMap(const Expr::Bindings &launch) const;
  /// The copy at these indices (and launch values): none where the predicate is
  /// false and nothing is copied, or a value is missing. `base`: the buffer.
  std::optional<TmaCopy> copyAt(const Expr::Bindings &values,
                                int64_t base) const;

  /// Executes (without `rest`): `tile` gets the indices of all loops and the
  /// copy, if there is one, then `element` each element of the tile in the
  /// order of its image; false: that is enough. With `corners`, of each loop
  /// its first two indices and the last. The problem (bad-argument): a size is
  /// missing; more than `most` elements.
  std::optional<Problem> visitTiles(
      const Expr::Bindings &launch, int64_t most, bool corners,
      const std::function<void(const std::vector<int64_t> &indices,
                               const std::optional<TmaCopy> &copy)> &tile,
      const std::function<bool(const TmaTileElement &)> &element) const;
  /// "i4=0 i7=2".
  std::string describeLoops(const std::vector<int64_t> &indices) const;
  /// A tile that holds an element and, in a hole, another one (level 3), of any
  /// part: "the tile at ... holds element ...". With `broken`, the margin of a
  /// dimension, one where the two lie in a line along that dimension, if there
  /// is one. None: there is no such tile, or it was not looked for, since a
  /// size is missing or the tiles of a part have more than `most` elements in
  /// all.
  std::optional<std::string> mixedTile(const Expr::Bindings &launch,
                                       int64_t most = int64_t(1) << 20,
                                       const Expr *broken = nullptr) const;
  /// The launch checks that these sizes break, or that have no value under them
  /// though no size is missing, with the numbers; of tma-strong the hole.
  std::vector<TmaViolation> brokenChecks(const Expr::Bindings &launch) const;
};

/// Infers, validates and decides. The problem is the first rule that is broken:
/// domain-invalid, barrier-range, shared-memory-limit, tma-schedule (also where
/// an index is an expression of more than Expr::maxSize), tma-shared-tile,
/// tma-strong, tma-store-*, undecided, or a limit of the tensor map or the
/// instruction (tma-im2col for corners and offsets).
Result<TmaLowering> lowerSchedule(const TmaSchedule &schedule,
                                  const TargetInfo &target);

/// Start coordinates at which every element of a copy is filled. Tiled: each
/// coordinate is minus the box. im2col: channels before the first one (W, H and
/// D have to stay in the bounding box, so that the start keeps its `inside`
/// values there). Not for stores.
std::vector<int64_t>
outsideCoordinates(const TensorMap &map,
                   const std::vector<int64_t> &inside = {});

} // namespace titan

#endif // TITAN_DOMAIN_TMASCHEDULE_H
