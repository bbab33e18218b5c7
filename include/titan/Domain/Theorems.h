//===- Theorems.h - Predicates, holes and the boxes of TMA ------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mathematics of tiled TMA on iteration domains, after nvFuser's notes "TMA
// Modeling In Depth" and "Divisibility of Split" (NVIDIA/Fuser, doc/reading),
// in our words, with what we had to mend. Each theorem is a function; its test,
// which bears the function's name, enumerates every small case.
//
//   in the notes                  function here            test
//   --------------------------------------------------------------------------
//   "Divisibility of Split"
//     Theorem 1 (split)           predicateThroughSplit    Theorems.*
//     Theorem 2 (merge)           predicateThroughMerge    Theorems.*
//     Theorem 3 (resize), mended  predicateThroughResize   Theorems.*
//     Theorem 4 (swizzle)         predicateThroughSwizzle  Theorems.*
//     Theorem 5 (merge, split)    mergeThenSplitIs-        Equivalence.*
//                                   SplitThenMerge
//   "The Mathematical Theory of IterDomain"
//     Theorem 2.1 (rotation)      canRotateLeft            Equivalence.*
//   "TMA Modeling In Depth"
//     CodeBlock 1, the function   TmaTransfer              Tma.*, TmaModes.*
//     Theorem 1 (weak), mended    requireWeakStore         WeakStore.*
//     Definition 1                tmaProtected             Theorems.*
//     Theorem 4                   protectedInBounds        Theorems.*
//     Theorem 5                   strongByProtection       Theorems.*
//     Theorem 6 (FTTC)            fundamentalTheorem       FundamentalTheorem.*
//       for any start             boxMixes                 FundamentalTheorem.*
//       for any boxes             strongUnachievable       FundamentalTheorem.*
//     Table 1 (the lowering)      lowerSchedule            Figures.*
//
// TmaTransfer is in Tma.h, requireWeakStore in Correctness.h, lowerSchedule in
// TmaSchedule.h. (That note has no Theorems 2 and 3.)
//
// "D is in bounds" means 0 <= index(D) < extent(D). Indices are computed from
// the leaves towards the roots, as a loop body does it. A point of the leaves
// is a *hole* when some domain is out of bounds.
//
// Two kinds of right: a copy is *weakly correct* when every valid point gets
// its element and nothing illegal is touched; *strongly correct* when, in
// addition, every hole gets the fill value. Tensor cores sum over holes, so K
// wants the strong kind.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DOMAIN_THEOREMS_H
#define TITAN_DOMAIN_THEOREMS_H

#include "titan/Domain/IterDomain.h"

#include <optional>

namespace titan {

//===----------------------------------------------------------------------===//
// Predicates through expressions ("Divisibility of Split", Theorems 1 to 4)
//===----------------------------------------------------------------------===//

/// All premises in bounds implies the conclusion in bounds.
struct Implication {
  std::vector<DomainId> premises;
  DomainId conclusion;
};

/// Theorem 1. O, I = split(X): X and I in bounds implies O in bounds.
///   Proof sketch: x = o*N_I + i with 0 <= i < N_I, so o = x / N_I (Euclidean).
///   0 <= x gives 0 <= o; x < N_X <= N_O*N_I gives o < N_O.
/// And where the split divides: O and I in bounds implies X in bounds
/// (x <= (N_O - 1)*N_I + N_I - 1 = N_X - 1).
std::vector<Implication> predicateThroughSplit(const DomainGraph &graph,
                                               const DomainExpr &split);

/// Theorem 2. M = merge(O, I): O in bounds is equivalent to M in bounds; I is
/// always in bounds.
///   Proof sketch: o = m / N_I, i = m % N_I. 0 <= m / N_I < N_O is the same as
///   0 <= m < N_O*N_I, as N_I > 0; a remainder lies in 0 .. N_I - 1.
std::vector<Implication> predicateThroughMerge(const DomainGraph &graph,
                                               const DomainExpr &merge);

/// Theorem 3, mended. Y = resize(X, l, r): X in bounds implies Y in bounds if
/// l >= 0 and r >= 0; Y in bounds implies X in bounds if l <= 0 and r <= 0.
///   Proof sketch: y = x + l. 0 <= x < N gives l <= y < N + l, which lies in
///   0 .. N + l + r - 1 when both are >= 0. (The note asks r >= 0 alone, since
///   it looks at the upper bound only: with l = -1, x = 0 is y = -1.)
std::vector<Implication> predicateThroughResize(const DomainGraph &graph,
                                                const DomainExpr &resize);

/// Theorem 4. X', Y' = swizzle(X, Y): X in bounds is equivalent to X' in
/// bounds. And with them, Y in bounds is equivalent to Y' in bounds.
///   Proof sketch: x' = x. N_Y is a power of two and x < N_X <= N_Y, so xor
///   with x permutes 0 .. N_Y - 1.
std::vector<Implication> predicateThroughSwizzle(const DomainGraph &graph,
                                                 const DomainExpr &swizzle);

/// P, R = window(X, f, s, d): P and R in bounds implies X in bounds. Nothing
/// follows the other way: X{4} has windows P{3} of two elements, and behind the
/// last one p = 3, r = 0 is x = 3.
///   Proof sketch: 0 <= p*s + r*d <= (N_P - 1)*s + (f - 1)*d, and N_P - 1 is
///   the greatest number whose s-fold plus (f - 1)*d + 1 is at most N_X.
std::vector<Implication> predicateThroughWindow(const DomainGraph &graph,
                                                const DomainExpr &window);

/// The theorem that fits the expression.
std::vector<Implication> predicateThrough(const DomainGraph &graph,
                                          const DomainExpr &expr);

//===----------------------------------------------------------------------===//
// Equivalences ("Divisibility of Split", Theorem 5; "The Mathematical Theory of
// IterDomain", Theorem 2.1). The rewriting functions are DomainGraph's.
//===----------------------------------------------------------------------===//

/// Theorem 5. With extents N1, N2 and a split by inner N:
///   merge(I1, I2), then split   =   split(I2), then merge(I1, outer half)
/// as functions from leaves to roots if and only if N divides N2.
///   Proof sketch: let i*N + j be the index after the merge. If N | N2 then the
///   box of N never straddles a multiple of N2. If not, take i = N2 / N with
///   j = N - 1: the left side is past row 0, in row 1; the right side is in row
///   0, a hole of it.
/// Seen at valid points alone they agree if and only if N divides N2 or N1 = 1
/// (then there is no row 1).
Tri mergeThenSplitIsSplitThenMerge(const Expr &n2, const Expr &factor);

/// Theorem 2.1 (rotation). For all extents and factors m, n >= 1:
///   split by inner n, then the outer half by inner m
///     =  split by inner m*n, then the inner half by inner n
///   with leaves ceil(N / (m*n)), m, n.
///   Proof sketch: ceil(ceil(N / n) / m) = ceil(N / (m*n)), and
///   (o*m + j)*n + i = o*(m*n) + (j*n + i). Holes are those with index >= N on
///   both sides: x = o*m + j >= ceil(N / n) implies x*n + i >= N.
/// DomainGraph::rotateRight needs nothing; rotateLeft needs that n divides the
/// box, which is then m*n.
Tri canRotateLeft(const Expr &box, const Expr &n);

//===----------------------------------------------------------------------===//
// TMA-protected domains ("TMA Modeling In Depth", Definition 1, Theorems 4, 5)
//===----------------------------------------------------------------------===//

/// Definition 1. A domain is TMA-protected when it is
///   1. partitioned: a dimension of the TMA domain, whose bounds the hardware
///      checks (these are given);
///   2. the outer output of a split of a protected domain;
///   3. the output of a merge whose outer input is protected;
///   4. the output of a resize, left >= 0 and right >= 0, of a protected
///   domain;
///   5. the X output of a swizzle whose X input is protected.
/// A window hands nothing on: the index behind its last one may be an element.
/// Its outputs are protected where they are given (im2col's pixels).
std::vector<bool> tmaProtected(const DomainGraph &graph,
                               const std::vector<DomainId> &partitioned);

/// Theorem 4. If all domains that are not protected are in bounds, and the
/// hardware's predicates hold (all partitioned domains are in bounds), then all
/// protected domains are in bounds. One implication for each protected domain
/// that is not partitioned; its premises are the partitioned domains and those
/// that are not protected.
///   Proof sketch: rules 2 to 5 are the predicates above, from input to output;
///   what those of splits and swizzles ask for besides, an inner output or Y,
///   is partitioned or not protected, for no rule protects it.
std::vector<Implication>
protectedInBounds(const DomainGraph &graph,
                  const std::vector<DomainId> &partitioned);

/// Theorem 5. A schedule whose hole-making expressions all have protected
/// inputs is strongly correct for fill value zero, without any predicate (level
/// 1).
///   Proof sketch: at a hole some hole-making expression's input is out of
///   bounds, and it is protected; domains that are not protected are inputs of
///   no such expression and hence in bounds with the leaves. So by Theorem 4,
///   turned around, some partitioned domain is out of bounds: TMA fills.
/// Unknown: an extent that only a launch knows decides.
Tri strongByProtection(const DomainGraph &graph,
                       const std::vector<DomainId> &partitioned);

//===----------------------------------------------------------------------===//
// The fundamental theorem of TMA correctness
//===----------------------------------------------------------------------===//

/// One dimension of a box: along a dimension of `size` elements (those that TMA
/// takes as inside), a box of `box` elements with element stride `stride` is
/// cut into `stride` tiles, each of ceil(box / stride) elements: tile s holds
/// the box's elements s, s + stride, s + 2*stride, ... Valid elements are those
/// of the box, i < box, at positions in [validBegin, validEnd), which lies in
/// [0, size).
struct TmaBoxDim {
  int64_t size;
  int64_t box;
  int64_t stride = 1;
  int64_t validBegin = 0;
  /// -1: size.
  int64_t validEnd = -1;
};

/// Where boxes start: at first, first + step, ..., `count` of them. Elements of
/// the dimension, negative and past its end too. A box that starts at x has
/// tiles with the coordinates x, x + 1, ..., x + stride - 1.
struct TmaBoxStarts {
  int64_t first = 0;
  int64_t step = 1;
  int64_t count = 1;
};

/// Theorem 6, as the note states it (FTTC), for boxes that start at multiples
/// of the box: strong correctness is unachievable if and only if
///     stride does not divide box,  and  stride < box < size.
bool fundamentalTheorem(int64_t size, int64_t box, int64_t stride);

/// Whether some tile of the box at `start` mixes a valid element with a hole to
/// which TMA gives data: then no lowering can be strongly correct, for a tile
/// is one instruction and its coordinate is all one can choose (and a valid
/// element leaves no choice). If no tile mixes, each tile with a valid element
/// is right as it is, and the others can be placed outside: strong correctness
/// is achieved by a predicate (level 2).
///
/// Theorem (FTTC for any start). Where all of [0, size) is valid, the box at c
/// mixes if and only if, with T = ceil(box / stride),
///     stride does not divide box,  stride < box,  stride < size,  and
///     1 - (T - 1)*stride  <=  c  <  size - box.
///   Proof sketch: Elements t of tile s lie at c + s + t*stride. Holes of the
///   split are elements with s + t*stride >= box: only the last, t = T - 1, and
///   only for s >= r = box mod stride > 0 (if r = 0 there is none). Its
///   position runs over [c + box, c + T*stride - 1] as s does. It holds data
///   when that meets [0, size); a valid element in the same tile exists when
///   the one before it, stride lower, is at 0 or later: then it is below size
///   as well, and T >= 2. So the position has to be in [stride, size - 1]. The
///   two intervals meet exactly when c + box <= size - 1, stride <= c +
///   T*stride - 1 and stride <= size - 1.
/// For c a multiple of box, c = 0 mixes whenever another c >= 0 does, and there
/// the condition is the note's. The smallest case where the note's form is
/// wrong: size 3, box 3, stride 2, c = -1 (a resize by one on the left): the
/// tile at coordinate 0 holds elements 0 and 2, and 2 belongs to the next box.
///
/// Theorem (FTTC for any start and a part cut off). Let [b, v) = [validBegin,
/// validEnd) be valid, and S, B, e stand for size, box, stride. Elements that
/// were cut off are holes with data, too. With no element valid (b >= v) or a
/// tile of one element (e >= B) nothing mixes; else the box at c mixes if and
/// only if c lies in one of two intervals (bounds left out):
///
///   a hole below a valid element:  max(e, b) - B  <  c  <  min(b, v - e)
///   a hole above, if v < S or e does not divide B, and b < S - e:
///         b - (T - 1)*e, and if e divides B also v - B   <  c
///         c  <  v < S ? min(v, S - e) : S - B
///
///   Proof sketch: a tile is the progression c + s + t*e, its valid positions
///   are those in the interval V = [b, min(v, c + B)), its data those in [0,
///   S). As V is an interval, a tile with a valid element and data below V has
///   a first valid position p whose predecessor p - e is data below b: p in [e,
///   b + e). Positions that have a predecessor fill [c + e, c + T*e - 1]. So
///   the three intervals V, [e, b + e) and [c + e, ...) have to meet, that is
///   each lower bound is below each upper one: nine inequalities, which are the
///   first line (with b > 0). Above likewise: a last valid position p in V with
///   its successor p + e in [min(v, c + B), S), and p in
///   [c, c + (T - 1)*e - 1], the positions that have a successor.
///   With b = 0 and v = S this is the theorem before.
bool boxMixes(const TmaBoxDim &dim, int64_t start);

/// Theorem 6, generalised: strong correctness is unachievable along this
/// dimension if and only if some box mixes. Closed form: the starts are an
/// arithmetic progression, met with two intervals.
bool strongUnachievable(const TmaBoxDim &dim, const TmaBoxStarts &starts);

/// A tile that mixes, for a message: of the box that starts at `start`, the
/// tile at coordinate start + offset holds the element at position `valid` and
/// the hole at position `hole`, which gets data. None when no box mixes.
struct MixedTile {
  int64_t start, offset, valid, hole;
};
std::optional<MixedTile> findMixedTile(const TmaBoxDim &dim,
                                       const TmaBoxStarts &starts);

/// The dimension and the boxes of: TMA domain {size}, resized by left and
/// right, split by inner `box`, the box split by inner `stride`. The sizes
/// after the resize are at least 1.
struct TmaBoxSchedule {
  TmaBoxDim dim;
  TmaBoxStarts starts;
};
TmaBoxSchedule boxesOfResize(int64_t size, int64_t left, int64_t right,
                             int64_t box, int64_t stride);

/// The same with a size that only a launch knows: valid is [begin, size - cut),
/// boxes start at first, first + step, ... once in every `step` of `extent`
/// elements.
struct TmaSymbolicBoxes {
  Expr size;
  int64_t box = 1, stride = 1;
  int64_t begin = 0, cut = 0;
  int64_t first = 0;
  Expr extent;
  int64_t step = 0; ///< 0: box.
};

/// An expression that is >= 0 exactly when strong correctness is achievable.
Expr strongMargin(const TmaSymbolicBoxes &boxes);

/// The tiles that loops visit when some of their iterations are cut off: in
/// boxes that start at first, first + step, ... the tile at one offset.
struct TmaTileStarts {
  Expr first;
  int64_t step = 1;
  Expr count;
  /// In 0 .. stride-1; none: all tiles of each box.
  std::optional<int64_t> offset = {};
};
/// Each is >= 0 when so it is for some of these tiles.
struct TmaTileMargins {
  Expr valid; ///< It has a valid element.
  Expr mixes; ///< And a hole with data.
};
/// Of `boxes` only size, box, stride, begin and cut are looked at.
///
/// Theorem (FTTC tile by tile). Let tile s of the box at c be c + s = r + e*u
/// with 0 <= r < e, and let b, v, S be the places in units of e of the valid
/// part and of the data: ceil((begin - r) / e), and so for its end and the
/// size. Of its T = ceil(B / e) elements the first n = ceil((B - s) / e) are
/// the box's. It has a valid element if and only if n > 0, b < v and
/// b - n < u < v. Then it mixes if and only if
///     b > 0      and  u < b                           (a hole below), or
///     v < S      and  v - T < u                       (one above), or
///     n = T - 1  and  u <= S - T                      (the next box's).
///   Proof sketch: divided by e the tile is the interval [u, u + T), its valid
///   elements [u, u + n) cut with [b, v), its data cut with [0, S). A hole with
///   data lies below b, from v on, or at u + n; each is met as it says, where
///   the tile reaches [b, v). Box starts with one residue of e are every
///   e / gcd(e, step)-th, so that these are intervals for progressions again.
TmaTileMargins tileMargins(const TmaSymbolicBoxes &boxes,
                           const TmaTileStarts &starts);

/// >= 0 when some of these tiles has a valid element and a negative coordinate
/// (u < 0, above). Element strides are looked at up to 8, which is what maps
/// have.
Expr negativeMargin(const TmaSymbolicBoxes &boxes, const TmaTileStarts &starts);

} // namespace titan

#endif // TITAN_DOMAIN_THEOREMS_H
