//===- IterDomain.h - Iteration domains and their transformations ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration domain is a loop without a body: an index that runs over
// 0 .. extent-1. A schedule transforms the domains of a tensor into others,
// until the leaves are the loops, lanes and boxes of a program:
//
//     I0{6} --split 4--> I1{2}, I2{4}       for i1 in 0..1
//                                             for i2 in 0..3
//                                               i0 = i1*4 + i2
//
// i0 takes the values 0 .. 7, but I0 has only 6: (1, 2) and (1, 3) are *holes*.
// A split that does not divide makes them; a program either does nothing there,
// which takes a predicate (i0 < 6), or holds whatever a copy put there.
//
//   expression                extents                     indices
//   ----------------------------------------------------------------------------
//   O, I = split(X, inner f)  ceil(X/f), f                x = o*f + i
//                                                         o = x / f, i = x % f
//   O, I = split(X, outer f)  f, ceil(X/f)                x = o*I + i
//   M = merge(O, I)           O*I                         m = o*I + i
//                                                         o = m / I, i = m % I
//   Y = resize(X, l, r)       X + l + r                   y = x + l
//   X', Y' = swizzle(X, Y)    X, Y                        x' = x, y' = x xor y
//   P, R = window(X, f,       (X-(f-1)*d-1)/s + 1, f      x = p*s + r*d
//     stride s, dilation d)
//
// (/ and % are Euclidean; names stand for extents where sizes are meant.)
// Indices follow both ways: from leaves to roots, which is what a loop body
// needs, and from roots to leaves, which says who owns an element. In resize,
// l and r may be negative: then elements are cut off, and nobody visits them.
//
// A window is what a convolution slides over X: P of them, s elements apart, of
// f elements each, d apart. It alone is no bijection: an element stands in
// several windows, or in none (between windows, behind the last one). So nobody
// owns it, and indices follow from p and r to x only. Whole windows alone are
// counted: every pair (p, r) is an element, and a window makes no holes.
//
//     X{8} --window 3, stride 2--> P{3}, R{3}      x  0 1 2 3 4 5 6 7
//                                                     0 0 0
//                                                         1 1 1
//                                                             2 2 2
//
// A domain is used by at most one expression, so a graph is a forest of trees
// that grow together in merges and swizzles.
//
// Reorder changes no domain, only the order of the leaves: indices, holes and
// predicates stay, while the loops around a copy, and the order in which its
// points are visited, follow the leaves.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DOMAIN_ITERDOMAIN_H
#define TITAN_DOMAIN_ITERDOMAIN_H

#include "titan/Domain/Expr.h"
#include "titan/Layout/Result.h"

#include <string>
#include <vector>

namespace titan {

/// A domain of a graph, by number.
using DomainId = int;

struct IterDomain {
  std::string name;
  Expr extent;
  int producer = -1;    ///< Expression that made it; -1 for roots.
  int consumer = -1;    ///< Expression that uses it; -1 for leaves.
  bool removed = false; ///< By an equivalence: part of the graph no more.
};

/// An expression between domains. The unused members of a kind are -1 and 0.
struct DomainExpr {
  enum class Kind : uint8_t { Split, Merge, Resize, Swizzle, Window };

  Kind kind;
  /// Split, resize, window: in[0]. Merge: outer, inner. Swizzle: X, Y.
  DomainId in[2] = {-1, -1};
  /// Split: outer, inner. Merge, resize: out[0]. Swizzle: X', Y'. Window: the
  /// windows, the elements of one.
  DomainId out[2] = {-1, -1};
  /// Split: the factor, and whether it is the inner extent.
  Expr factor = 0;
  bool innerFactor = true;
  /// Resize: elements added before the first and after the last.
  int64_t left = 0, right = 0;
  /// Window: elements of one; from one window, and from one of its elements, to
  /// the next.
  int64_t filter = 1, stride = 1, dilation = 1;
  bool removed = false;
};

/// Values of some domains of a graph, by DomainId; none: not known.
using DomainValues = std::vector<std::optional<int64_t>>;
using DomainIndices = std::vector<std::optional<Expr>>;

class DomainGraph {
public:
  //===--------------------------------------------------------------------===//
  // Building. Problems: domain-invalid (no such domain, already used, a factor
  // or a known extent below 1 or of more than 64 bits, a swizzle of extents
  // that are not a power of two for Y or larger for X than for Y, a window that
  // a known extent does not hold). Roots take any extent: checkExtents() says
  // what is wrong with it.
  //===--------------------------------------------------------------------===//

  DomainId root(Expr extent, std::string name = "");
  /// Domains are called I0, I1, ... unless they get another name.
  /// The problem (domain-invalid): there is no such domain.
  std::optional<Problem> rename(DomainId id, std::string name);

  /// Both give (outer, inner).
  Result<std::pair<DomainId, DomainId>> splitInner(DomainId in,
                                                   const Expr &factor);
  Result<std::pair<DomainId, DomainId>> splitOuter(DomainId in,
                                                   const Expr &factor);
  Result<DomainId> merge(DomainId outer, DomainId inner);
  /// A resize to an extent below 1 is refused where it is known.
  Result<DomainId> resize(DomainId in, int64_t left, int64_t right);
  /// Gives (X', Y').
  Result<std::pair<DomainId, DomainId>> swizzle(DomainId x, DomainId y);
  /// Gives (windows, elements of one). Filter, stride and dilation are 1 ..
  /// 2^20. Where only a launch knows that an extent holds no window, there are
  /// none: the first output's extent is then below 1.
  Result<std::pair<DomainId, DomainId>>
  window(DomainId in, int64_t filter, int64_t stride = 1, int64_t dilation = 1);

  /// Reorder: these leaves come first, in this order, the others behind them
  /// as they were, and those that are made later behind all. The problem
  /// (domain-invalid): one is no leaf, or named twice.
  std::optional<Problem> reorder(const std::vector<DomainId> &first);

  //===--------------------------------------------------------------------===//
  // Looking
  //===--------------------------------------------------------------------===//

  /// How many DomainIds there are, removed ones included.
  int size() const { return static_cast<int>(domains.size()); }
  /// 0 <= id < size().
  const IterDomain &operator[](DomainId id) const { return domains[id]; }
  /// The first of this name.
  std::optional<DomainId> find(std::string_view name) const;
  const std::vector<DomainExpr> &exprs() const { return expressions; }
  /// The first domain (domain-invalid) whose extent is below 1, has no value
  /// whatever the sizes are, or is an expression of more than Expr::maxSize.
  std::optional<Problem> checkExtents() const;
  std::vector<DomainId> roots() const;
  /// In the order in which they were made, but where reorder says otherwise.
  std::vector<DomainId> leaves() const;
  /// One expression a line: `I1{2}, I2{4} = split(I0{6}, inner 4)`.
  std::string str() const;
  /// One; without extents: as a schedule is written.
  std::string str(const DomainExpr &expr, bool extents = true) const;
  /// `I1{2}`.
  std::string str(DomainId id) const;

  //===--------------------------------------------------------------------===//
  // Indices
  //===--------------------------------------------------------------------===//

  /// All indices that follow from the known ones, in both directions (through
  /// windows towards the roots only). What is known is not computed again, so
  /// that of the many indices of a hole the caller's are kept. None: does not
  /// follow, or overflows 64 bits.
  DomainValues values(DomainValues known,
                      const Expr::Bindings &bindings = {}) const;
  /// The same as expressions.
  DomainIndices indices(DomainIndices known) const;

  //===--------------------------------------------------------------------===//
  // Holes
  //===--------------------------------------------------------------------===//

  /// Whether an expression makes holes in its input: a split that does not
  /// divide, a resize that adds elements. Unknown: the launch decides.
  Tri createsHoles(const DomainExpr &expr) const;

  /// The domains whose being in bounds says that a point of the leaves is no
  /// hole: inputs of the expressions that make holes (or may), without those
  /// that the theorems of Theorems.h show to follow from the others. A point is
  /// valid exactly when 0 <= index < extent for each of them.
  std::vector<DomainId> predicates() const;

  /// The domains that are surely in bounds when the `given` ones are and the
  /// leaves are (indices being computed from the leaves). By DomainId.
  std::vector<bool> impliedInBounds(const std::vector<DomainId> &given) const;
  /// The same domains without those, last ones first, that follow from the
  /// others.
  std::vector<DomainId> withoutImplied(std::vector<DomainId> given) const;

  //===--------------------------------------------------------------------===//
  // Equivalences: the same function from leaves to roots, other domains
  // between. Each rewrites the graph in place and returns true where the
  // pattern is there and the condition is sure; else leaves the graph alone.
  //===--------------------------------------------------------------------===//

  /// (d split by inner n, its outer half split by inner m)  becomes
  /// (d split by inner m*n, its inner half split by inner n).
  ///
  ///        d                      d
  ///       / \                    / \.
  ///      x   i{n}      ->       o   x{m*n}
  ///     / \                        / \.
  ///    o   j{m}                j{m}   i{n}
  ///
  /// Always the same function, holes included (Theorems.h, canRotateLeft).
  bool rotateRight(DomainId d);
  /// The inverse: d split by inner B, its inner half of extent B split by inner
  /// n. Only where canRotateLeft: else the tile on the right is cut off at B.
  bool rotateLeft(DomainId d);

  /// m = merge(a, b), then m split by inner n: becomes b split by inner n, then
  /// merge(a, b's outer half). Only where mergeThenSplitIsSplitThenMerge; of m
  /// split by outer f, n is the inner extent, and f has to be the new one, too.
  bool splitBeforeMerge(DomainId m);
  /// The inverse: b split by inner n, and a merged with its outer half.
  bool mergeBeforeSplit(DomainId b);

  /// m = merge(a, b), then m split by inner b (or outer a): the halves are a
  /// and b themselves. Removes m and the halves: a and b take their places, and
  /// are leaves where the halves were.
  bool removeMergeSplit(DomainId m);
  /// d split by a factor that divides it, then merged again: the result is d,
  /// which takes its place.
  bool removeSplitMerge(DomainId d);

private:
  std::optional<Problem> checkFree(DomainId id) const;
  DomainId add(Expr extent, int producer);
  Result<std::pair<DomainId, DomainId>> split(DomainId in, const Expr &factor,
                                              bool inner);
  void takePlace(DomainId of, DomainId by);
  const DomainExpr *consumerOf(DomainId id, DomainExpr::Kind kind) const;

  std::vector<IterDomain> domains;
  std::vector<DomainExpr> expressions;
  std::vector<DomainId> order; // What reorder said; also former leaves.
};

/// Whether two graphs with constant extents are the same function: equally many
/// leaves with equal extents and roots with equal extents, and at every point
/// of the leaves equal root indices; where `validOnly`, at every point that is
/// no hole in either, the two agreeing on which points those are. Enumerates.
bool sameFunction(const DomainGraph &a, const DomainGraph &b,
                  const std::vector<DomainId> &leavesOfA,
                  const std::vector<DomainId> &leavesOfB,
                  bool validOnly = false);

} // namespace titan

#endif // TITAN_DOMAIN_ITERDOMAIN_H
