//===- EquivalenceTest.cpp - Equivalent graphs by enumeration -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DomainModel.h"
#include "titan/Domain/Theorems.h"

#include <gtest/gtest.h>

using namespace titan;

namespace {

TEST(Equivalence, mergeThenSplitIsSplitThenMerge) {
  for (int64_t n1 = 1; n1 <= 6; ++n1)
    for (int64_t n2 = 1; n2 <= 8; ++n2)
      for (int64_t n = 1; n <= 9; ++n) {
        DomainGraph a;
        DomainId a1 = a.root(n1), a2 = a.root(n2);
        DomainId m = *a.merge(a1, a2);
        auto [o, i] = *a.splitInner(m, n);
        DomainGraph b;
        DomainId b1 = b.root(n1), b2 = b.root(n2);
        auto [bo, bi] = *b.splitInner(b2, n);
        DomainId bm = *b.merge(b1, bo);
        // Equal only if the extents are, too: compared inside.
        bool same = sameFunction(a, b, {o, i}, {bm, bi});
        bool byTheorem = mergeThenSplitIsSplitThenMerge(n2, n) == Tri::Yes;
        if (byTheorem)
          ASSERT_TRUE(same);
        else
          ASSERT_FALSE(same) << n1 << " " << n2 << " " << n;
        // Seen at valid points alone.
        ASSERT_EQ(sameFunction(a, b, {o, i}, {bm, bi}, true),
                  byTheorem || n1 == 1)
            << n1 << " " << n2 << " " << n;
        // Rewriting does it exactly then, and back.
        DomainGraph c = a;
        ASSERT_EQ(c.splitBeforeMerge(m), byTheorem);
        ASSERT_TRUE(sameFunction(a, c, {o, i}, {o, i})) << c.str();
        if (byTheorem) {
          ASSERT_NE(c.str(), a.str());
          ASSERT_TRUE(c.mergeBeforeSplit(a2));
          ASSERT_EQ(c.str(), a.str());
        }
        DomainGraph d = b;
        ASSERT_EQ(d.mergeBeforeSplit(b2), byTheorem);
        ASSERT_TRUE(sameFunction(b, d, {bm, bi}, {bm, bi}));
      }
}

TEST(Equivalence, canRotateLeft) {
  for (int64_t size = 1; size <= 20; ++size)
    for (int64_t n = 1; n <= 6; ++n)
      for (int64_t m = 1; m <= 6; ++m) {
        DomainGraph g;
        DomainId d = g.root(size);
        auto [x, i] = *g.splitInner(d, n);
        auto [o, j] = *g.splitInner(x, m);
        DomainGraph r = g;
        ASSERT_TRUE(r.rotateRight(d));
        ASSERT_TRUE(sameFunction(g, r, {o, j, i}, {o, j, i})) << r.str();
        ASSERT_TRUE(sameFunction(g, r, {o, j, i}, {o, j, i}, true));
        DomainGraph back = r;
        ASSERT_TRUE(back.rotateLeft(d));
        ASSERT_EQ(back.str(), g.str());
        // A box of m, tiled by n: to the left exactly if n divides it.
        DomainGraph box;
        DomainId e = box.root(size);
        auto [c, b] = *box.splitInner(e, m);
        auto [t, s] = *box.splitInner(b, n);
        DomainGraph l = box;
        bool can = canRotateLeft(m, n) == Tri::Yes;
        ASSERT_EQ(l.rotateLeft(e), can);
        if (can) {
          ASSERT_TRUE(sameFunction(box, l, {c, t, s}, {c, t, s}));
          ASSERT_TRUE(sameFunction(box, l, {c, t, s}, {c, t, s}, true));
        } else {
          // And no rotation with these leaves would be the same function.
          DomainGraph other;
          DomainId f = other.root(size);
          auto [y, fi] = *other.splitInner(f, n);
          auto [fo, fj] = *other.splitInner(y, ceilDiv(m, n));
          if (areEqual(other[fo].extent, box[c].extent) == Tri::Yes &&
              *box[c].extent.constant() > 1)
            ASSERT_FALSE(sameFunction(box, other, {c, t, s}, {fo, fj, fi}));
        }
      }
}

TEST(Equivalence, MergeSplitIdentities) {
  for (int64_t a = 1; a <= 5; ++a)
    for (int64_t b = 1; b <= 5; ++b)
      for (int64_t factor = 1; factor <= 6; ++factor)
        for (bool inner : {true, false}) {
          DomainGraph g;
          DomainId ia = g.root(a), ib = g.root(b);
          DomainId m = *g.merge(ia, ib);
          auto [o, i] =
              inner ? *g.splitInner(m, factor) : *g.splitOuter(m, factor);
          DomainGraph h = g;
          bool removed = h.removeMergeSplit(m);
          ASSERT_EQ(removed, factor == (inner ? b : a));
          if (removed) {
            ASSERT_TRUE(sameFunction(g, h, {o, i}, {ia, ib}));
            ASSERT_EQ(h.leaves(), (std::vector<DomainId>{ia, ib}));
          }
          // Split then merge.
          DomainGraph s;
          DomainId d = s.root(a * b);
          auto [so, si] =
              inner ? *s.splitInner(d, factor) : *s.splitOuter(d, factor);
          DomainId back = *s.merge(so, si);
          DomainGraph t = s;
          removed = t.removeSplitMerge(d);
          ASSERT_EQ(removed, a * b % factor == 0);
          if (removed)
            ASSERT_TRUE(sameFunction(s, t, {back}, {d}));
        }
}

/// Splits by outer factors: rewritten only where the leaves keep their extents,
/// and then the same function; rotations are of inner factors and leave others
/// alone.
TEST(Equivalence, OuterFactors) {
  int64_t rewritten = 0, refused = 0, back = 0;
  for (int64_t n1 = 1; n1 <= 5; ++n1)
    for (int64_t n2 = 1; n2 <= 8; ++n2)
      for (int64_t f = 1; f <= 12; ++f) {
        DomainGraph a;
        DomainId a1 = a.root(n1), a2 = a.root(n2);
        DomainId m = *a.merge(a1, a2);
        auto [o, i] = *a.splitOuter(m, f);
        DomainGraph b = a;
        // A graph of the other form whose leaves are as long?
        int64_t n = *a[i].extent.constant();
        bool could = n1 * ceilDiv(n2, n) == f && n2 % n == 0;
        ASSERT_EQ(b.splitBeforeMerge(m), could) << a.str();
        ASSERT_TRUE(sameFunction(a, b, {o, i}, {o, i})) << a.str() << b.str();
        (could ? rewritten : refused)++;
        if (!could)
          ASSERT_EQ(a.str(), b.str());
        DomainGraph c;
        DomainId c1 = c.root(n1), c2 = c.root(n2);
        auto [co, ci] = *c.splitOuter(c2, f);
        DomainId cm = *c.merge(c1, co);
        DomainGraph d = c;
        ASSERT_EQ(d.mergeBeforeSplit(c2), n2 % f == 0);
        ASSERT_TRUE(sameFunction(c, d, {cm, ci}, {cm, ci})) << d.str();
        back += n2 % f == 0;
        // Rotations.
        for (bool upper : {true, false})
          for (bool lower : {true, false}) {
            if (upper && lower)
              continue;
            for (int half : {0, 1}) {
              DomainGraph r;
              DomainId x = r.root(n1 * n2);
              auto out = upper ? *r.splitInner(x, f) : *r.splitOuter(x, f);
              DomainId y = half ? out.second : out.first;
              ASSERT_TRUE(
                  bool(lower ? r.splitInner(y, n1) : r.splitOuter(y, n1)));
              std::string before = r.str();
              ASSERT_FALSE(half ? r.rotateLeft(x) : r.rotateRight(x));
              ASSERT_EQ(r.str(), before);
            }
          }
      }
  EXPECT_GT(rewritten, 50);
  EXPECT_GT(refused, 50);
  EXPECT_GT(back, 50);
}

/// As sameFunction, with these sizes. Leaves are the same domains in both.
bool sameWith(const DomainGraph &a, const DomainGraph &b,
              const std::vector<DomainId> &leavesOfA,
              const std::vector<DomainId> &leavesOfB,
              const Expr::Bindings &sizes) {
  std::vector<int64_t> counts, at(leavesOfA.size(), 0);
  for (size_t k = 0; k < at.size(); ++k) {
    auto n = a[leavesOfA[k]].extent.evaluate(sizes),
         m = b[leavesOfB[k]].extent.evaluate(sizes);
    if (!n || n != m)
      return false;
    counts.push_back(*n);
  }
  for (size_t k = 0; k < at.size();) {
    DomainValues va(a.size()), vb(b.size());
    for (size_t i = 0; i < at.size(); ++i)
      va[leavesOfA[i]] = vb[leavesOfB[i]] = at[i];
    va = a.values(va, sizes);
    vb = b.values(vb, sizes);
    for (DomainId id : a.roots())
      if (!va[id] || va[id] != vb[id])
        return false;
    for (k = 0; k < at.size() && ++at[k] == counts[k]; ++k)
      at[k] = 0;
  }
  return true;
}

/// Sizes and factors that only a launch knows: rewritten where it is sure, the
/// same function whatever they are.
TEST(Equivalence, Symbolic) {
  Expr a = Expr::symbol("A"), b = Expr::symbol("B"), b4 = Expr::symbol("B4", 4),
       n = Expr::symbol("N"), m = Expr::symbol("M");
  auto forEachSizes = [](const std::function<void(const Expr::Bindings &)> &f) {
    for (int64_t a = 1; a <= 4; ++a)
      for (int64_t b = 1; b <= 9; ++b)
        for (int64_t n = 1; n <= 4; ++n)
          for (int64_t m = 1; m <= 4; ++m)
            f({{"A", a}, {"B", b}, {"B4", 4 * b}, {"N", n}, {"M", m}});
  };
  // Merge and split.
  struct Case {
    Expr n2, factor;
    bool sure;
  };
  for (const Case &c : {Case{b, n, false}, Case{b, 2, false}, Case{b4, 2, true},
                        Case{b4, 8, false}}) {
    ASSERT_EQ(mergeThenSplitIsSplitThenMerge(c.n2, c.factor) == Tri::Yes,
              c.sure);
    DomainGraph g;
    DomainId ga = g.root(a), gb = g.root(c.n2);
    DomainId gm = *g.merge(ga, gb);
    auto [o, i] = *g.splitInner(gm, c.factor);
    DomainGraph h = g;
    ASSERT_EQ(h.splitBeforeMerge(gm), c.sure);
    DomainGraph back = h;
    ASSERT_EQ(back.mergeBeforeSplit(gb), c.sure);
    bool always = true;
    forEachSizes([&, o = o, i = i](const Expr::Bindings &sizes) {
      ASSERT_TRUE(sameWith(g, h, {o, i}, {o, i}, sizes)) << h.str();
      ASSERT_TRUE(sameWith(g, back, {o, i}, {o, i}, sizes)) << back.str();
      // Where it is not sure, some sizes tell the two apart.
      always = always && *c.n2.evaluate(sizes) % *c.factor.evaluate(sizes) == 0;
    });
    ASSERT_EQ(always, c.sure);
  }
  // Rotation: to the right always, to the left where n divides the box.
  for (const Expr &inner : {Expr(3), n})
    for (const Expr &outer : {Expr(2), m}) {
      DomainGraph g;
      DomainId d = g.root(b);
      auto [x, i] = *g.splitInner(d, inner);
      auto [o, j] = *g.splitInner(x, outer);
      DomainGraph r = g;
      ASSERT_TRUE(r.rotateRight(d));
      DomainGraph l = r;
      // Back, where that n divides m*n is proved: for numbers n.
      ASSERT_EQ(l.rotateLeft(d), inner.constant().has_value()) << r.str();
      forEachSizes([&, o = o, i = i, j = j](const Expr::Bindings &sizes) {
        ASSERT_TRUE(sameWith(g, r, {o, j, i}, {o, j, i}, sizes)) << r.str();
        ASSERT_TRUE(sameWith(g, l, {o, j, i}, {o, j, i}, sizes)) << l.str();
      });
    }
  DomainGraph box;
  DomainId d = box.root(b);
  auto [c, in] = *box.splitInner(d, m);
  ASSERT_TRUE(bool(box.splitInner(in, n)));
  EXPECT_EQ(canRotateLeft(m, n), Tri::Unknown);
  EXPECT_FALSE(box.rotateLeft(d));
  (void)c;
  // Merge-split identities.
  DomainGraph g;
  DomainId ga = g.root(a), gb = g.root(b);
  DomainId gm = *g.merge(ga, gb);
  auto [o, i] = *g.splitInner(gm, b);
  DomainGraph h = g;
  ASSERT_TRUE(h.removeMergeSplit(gm));
  DomainGraph s;
  DomainId sd = s.root(b4);
  auto [so, si] = *s.splitInner(sd, 2);
  DomainId sm = *s.merge(so, si);
  DomainGraph t = s;
  ASSERT_TRUE(t.removeSplitMerge(sd));
  forEachSizes([&, o = o, i = i](const Expr::Bindings &sizes) {
    ASSERT_TRUE(sameWith(g, h, {o, i}, {ga, gb}, sizes));
    ASSERT_TRUE(sameWith(s, t, {sm}, {sd}, sizes));
  });
  DomainGraph u;
  DomainId ud = u.root(b);
  auto [uo, ui] = *u.splitInner(ud, 2);
  ASSERT_TRUE(bool(u.merge(uo, ui)));
  EXPECT_FALSE(u.removeSplitMerge(ud)); // B may be odd.
}

} // namespace
