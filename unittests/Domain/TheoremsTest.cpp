//===- TheoremsTest.cpp - Predicates and protection by enumeration --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/Theorems.h"
#include "DomainModel.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace titan;

namespace {

//===----------------------------------------------------------------------===//
// Predicates through expressions
//===----------------------------------------------------------------------===//

/// Calls f at every point of the leaves with indices from -9 to 17.
void forEachInteger(const DomainGraph &g,
                    const std::function<void(const DomainValues &)> &f) {
  std::vector<DomainId> leaves = g.leaves();
  std::vector<int64_t> at(leaves.size(), -9);
  for (size_t k = 0; k < at.size();) {
    DomainValues known(g.size());
    for (size_t i = 0; i < leaves.size(); ++i)
      known[leaves[i]] = at[i];
    f(g.values(known));
    for (k = 0; k < at.size() && ++at[k] > 17; ++k)
      at[k] = -9;
  }
}

bool holdsAt(const DomainGraph &g, const Implication &rule,
             const DomainValues &v) {
  for (DomainId id : rule.premises)
    if (!inBounds(g, v, id))
      return true;
  return inBounds(g, v, rule.conclusion);
}

/// Whether an implication is among the rules, and whether it holds wherever the
/// leaves are: the two have to be one.
void expectExactly(const DomainGraph &g, const Implication &rule,
                   const std::vector<Implication> &rules) {
  bool is = std::any_of(rules.begin(), rules.end(), [&](const Implication &r) {
    return r.premises == rule.premises && r.conclusion == rule.conclusion;
  });
  bool holds = true;
  forEachInteger(
      g, [&](const DomainValues &v) { holds = holds && holdsAt(g, rule, v); });
  ASSERT_EQ(is, holds) << g.str();
}

/// The rules of expressions of one kind hold at every point of every small
/// graph, and wherever the leaves are (outside of their bounds, too).
void expectSound(DomainExpr::Kind kind) {
  int64_t checked = 0;
  auto check = [&](const DomainGraph &g, auto forEach) {
    std::vector<Implication> rules;
    for (const DomainExpr &e : g.exprs())
      if (e.kind == kind)
        for (Implication &rule : predicateThrough(g, e))
          rules.push_back(std::move(rule));
    if (rules.empty())
      return;
    forEach(g, [&](const DomainValues &v) {
      for (const Implication &rule : rules)
        ASSERT_TRUE(holdsAt(g, rule, v)) << g.str();
      ++checked;
    });
  };
  for (const auto &roots : smallRoots()) {
    forEachGraph(roots, roots.size() == 1 ? 3 : 2, false,
                 [&](const DomainGraph &g) { check(g, forEachPoint); });
    forEachGraph(roots, 1, false,
                 [&](const DomainGraph &g) { check(g, forEachInteger); });
  }
  EXPECT_GT(checked, 10000);
}

TEST(Theorems, predicateThroughSplit) {
  expectSound(DomainExpr::Kind::Split);
  for (int64_t n = 1; n <= 9; ++n)
    for (int64_t factor = 1; factor <= 10; ++factor)
      for (bool inner : {true, false}) {
        DomainGraph g;
        DomainId x = g.root(n);
        auto [o, i] =
            inner ? *g.splitInner(x, factor) : *g.splitOuter(x, factor);
        auto rules = predicateThroughSplit(g, g.exprs()[0]);
        expectExactly(g, {{x, i}, o}, rules);
        expectExactly(g, {{o, i}, x}, rules);
        expectExactly(g, {{o}, i}, rules);
        expectExactly(g, {{x}, i}, rules);
      }
}

TEST(Theorems, predicateThroughMerge) {
  expectSound(DomainExpr::Kind::Merge);
  for (int64_t n = 1; n <= 4; ++n)
    for (int64_t k = 1; k <= 4; ++k) {
      DomainGraph g;
      DomainId o = g.root(n), i = g.root(k);
      DomainId m = *g.merge(o, i);
      auto rules = predicateThroughMerge(g, g.exprs()[0]);
      expectExactly(g, {{o}, m}, rules);
      expectExactly(g, {{m}, o}, rules);
      expectExactly(g, {{}, i}, rules);
      expectExactly(g, {{}, m}, rules);
    }
}

TEST(Theorems, predicateThroughResize) {
  expectSound(DomainExpr::Kind::Resize);
  for (int64_t n = 1; n <= 6; ++n)
    for (int64_t l = -4; l <= 4; ++l)
      for (int64_t r = -4; r <= 4; ++r) {
        DomainGraph g;
        DomainId x = g.root(n);
        auto y = g.resize(x, l, r);
        if (!y)
          continue;
        auto rules = predicateThroughResize(g, g.exprs()[0]);
        expectExactly(g, {{x}, *y}, rules);
        expectExactly(g, {{*y}, x}, rules);
      }
}

TEST(Theorems, predicateThroughSwizzle) {
  expectSound(DomainExpr::Kind::Swizzle);
  for (int64_t n = 1; n <= 8; ++n)
    for (int64_t k : {1, 2, 4, 8}) {
      DomainGraph g;
      DomainId x = g.root(n), y = g.root(k);
      auto out = g.swizzle(x, y);
      if (!out)
        continue;
      auto [x1, y1] = *out;
      auto rules = predicateThroughSwizzle(g, g.exprs()[0]);
      expectExactly(g, {{x}, x1}, rules);
      expectExactly(g, {{x1}, x}, rules);
      expectExactly(g, {{x, y}, y1}, rules);
      expectExactly(g, {{x1, y1}, y}, rules);
      expectExactly(g, {{y}, y1}, rules);
    }
}

TEST(Theorems, predicateThroughWindow) {
  expectSound(DomainExpr::Kind::Window);
}

/// The mended Theorem 3 is needed: r >= 0 alone is not enough.
TEST(Theorems, ResizeNeedsBothSides) {
  DomainGraph g;
  DomainId x = g.root(4);
  DomainId y = *g.resize(x, -1, 0);
  DomainValues known(g.size());
  known[x] = 0;
  DomainValues v = g.values(known);
  EXPECT_TRUE(inBounds(g, v, x));
  EXPECT_FALSE(inBounds(g, v, y));
  EXPECT_EQ(predicateThroughResize(g, g.exprs()[0]).size(), 1u);
}

//===----------------------------------------------------------------------===//
// Definition 1, Theorems 4 and 5
//===----------------------------------------------------------------------===//

/// The places a tensor may be seen at: a set of domains that every path from a
/// root to the leaves meets once, the roots themselves first.
void forEachCut(const DomainGraph &g,
                const std::function<void(const std::vector<DomainId> &)> &f) {
  auto go = [&](auto &self, std::vector<DomainId> cut, size_t from) -> void {
    f(cut);
    for (size_t k = from; k < g.exprs().size(); ++k) {
      const DomainExpr &e = g.exprs()[k];
      std::vector<DomainId> below = cut;
      size_t inputs = e.in[1] < 0 ? 1 : 2;
      for (DomainId in : e.in)
        std::erase(below, in);
      if (below.size() + inputs != cut.size())
        continue;
      for (DomainId out : e.out)
        if (out >= 0)
          below.push_back(out);
      self(self, below, k + 1);
    }
  };
  go(go, g.roots(), 0);
}

/// Definition 1, rule by rule, from any partitioned domains.
TEST(Theorems, tmaProtected) {
  using Kind = DomainExpr::Kind;
  int64_t cuts = 0, protectedOnes = 0;
  for (const auto &roots : smallRoots())
    forEachGraph(roots, 2, false, [&](const DomainGraph &g) {
      forEachCut(g, [&](const std::vector<DomainId> &partitioned) {
        std::vector<bool> is = tmaProtected(g, partitioned);
        // From the roots down: who made a domain decides.
        for (DomainId id = 0; id < g.size(); ++id) {
          bool want = std::count(partitioned.begin(), partitioned.end(), id);
          if (int made = g[id].producer; made >= 0) {
            const DomainExpr &e = g.exprs()[static_cast<size_t>(made)];
            bool first = is[e.in[0]] && id == e.out[0];
            want = want || (e.kind == Kind::Split && first) ||
                   (e.kind == Kind::Merge && first) ||
                   (e.kind == Kind::Swizzle && first) ||
                   (e.kind == Kind::Resize && first && e.left >= 0 &&
                    e.right >= 0);
          }
          ASSERT_EQ(is[id], want) << g.str() << g.str(id);
          protectedOnes += want;
        }
        ++cuts;
      });
    });
  EXPECT_GT(cuts, 10000);
  EXPECT_GT(protectedOnes, cuts);
}

/// Theorem 4 at every point and wherever the leaves are: for every cut, and for
/// every set of domains whatsoever.
TEST(Theorems, protectedInBounds) {
  int64_t rules = 0, sets = 0;
  auto check = [&](const DomainGraph &g,
                   const std::vector<DomainId> &partitioned, auto forEach) {
    ++sets;
    std::vector<Implication> implied = protectedInBounds(g, partitioned);
    std::vector<bool> is = tmaProtected(g, partitioned);
    ASSERT_EQ(implied.size() + partitioned.size(),
              static_cast<size_t>(std::count(is.begin(), is.end(), true)));
    rules += static_cast<int64_t>(implied.size());
    if (implied.empty())
      return;
    for (const Implication &rule : implied)
      ASSERT_TRUE(is[rule.conclusion]);
    forEach(g, [&](const DomainValues &v) {
      for (const Implication &rule : implied)
        ASSERT_TRUE(holdsAt(g, rule, v)) << g.str();
    });
  };
  for (const auto &roots : smallRoots()) {
    forEachGraph(roots, 2, false, [&](const DomainGraph &g) {
      forEachCut(g, [&](const std::vector<DomainId> &partitioned) {
        check(g, partitioned, forEachPoint);
      });
    });
    forEachGraph(roots, roots.size() == 1 ? 2 : 1, true,
                 [&](const DomainGraph &g) {
                   for (uint32_t set = 0; set < 1u << g.size(); ++set) {
                     std::vector<DomainId> partitioned;
                     for (DomainId id = 0; id < g.size(); ++id)
                       if (set >> id & 1)
                         partitioned.push_back(id);
                     check(g, partitioned, forEachPoint);
                     if (g.leaves().size() <= 2)
                       check(g, partitioned, forEachInteger);
                   }
                 });
  }
  std::printf("sets: %lld\n", (long long)sets);
  EXPECT_GT(rules, 10000);
}

/// Theorem 5 for every graph of up to three expressions (four in the small
/// alphabet; with --full, in the whole one from one root) whose roots the
/// hardware checks, and for every cut of the graphs of up to three: protected
/// means filled.
TEST(Theorems, strongByProtection) {
  int64_t strong = 0, not_ = 0, unprotectedData = 0, below = 0;
  auto check = [&](const DomainGraph &g,
                   const std::vector<DomainId> &partitioned) {
    Tri byTheorem = strongByProtection(g, partitioned);
    ASSERT_NE(byTheorem, Tri::Unknown);
    (byTheorem == Tri::Yes ? strong : not_)++;
    below += byTheorem == Tri::Yes && partitioned != g.roots();
    bool holeWithData = false;
    forEachPoint(g, [&](const DomainValues &v) {
      bool hardware = true;
      for (DomainId id : partitioned)
        hardware = hardware && inBounds(g, v, id);
      holeWithData = holeWithData || (hardware && isHole(g, v));
    });
    if (byTheorem == Tri::Yes)
      ASSERT_FALSE(holeWithData) << g.str();
    unprotectedData += holeWithData;
  };
  auto checkRoots = [&](const DomainGraph &g) { check(g, g.roots()); };
  auto checkCuts = [&](const DomainGraph &g) {
    forEachCut(g, [&](const std::vector<DomainId> &cut) { check(g, cut); });
  };
  for (const auto &roots : smallRoots())
    forEachGraph(roots, roots.size() == 1 ? 3 : 2, false, checkCuts);
  // Four expressions: in the small alphabet; in the whole one with --full.
  for (int64_t n = 1; n <= 7; ++n)
    forEachGraph({n}, 4, true, checkRoots);
  for (int64_t n : {2, 3})
    forEachGraph({n, 2}, 4, true, checkRoots);
  if (fullTest())
    for (int64_t n = 1; n <= 7; ++n)
      forEachGraph({n}, 4, false, checkRoots);
  std::printf("graphs and cuts: %lld\n", (long long)(strong + not_));
  EXPECT_GT(strong, 1000);
  EXPECT_GT(not_, 1000);
  EXPECT_GT(below, 1000);
  EXPECT_GT(unprotectedData, 1000);
}

/// Figures 3 and 5 of the seed in one dimension each.
TEST(Theorems, SymbolicProtection) {
  DomainGraph g;
  DomainId k = g.root(Expr::symbol("K"), "K");
  auto [o, i] = *g.splitInner(k, 64);
  EXPECT_EQ(strongByProtection(g, {k}), Tri::Yes); // K is protected.
  auto [j, s] = *g.splitInner(i, 24); // 24 does not divide 64; i is not.
  EXPECT_EQ(strongByProtection(g, {k}), Tri::No);
  (void)o, (void)j, (void)s;
  DomainGraph h;
  k = h.root(Expr::symbol("K"));
  auto [ho, hi] = *h.splitInner(k, Expr::symbol("B"));
  ASSERT_TRUE(bool(h.splitInner(hi, 2))); // B may be odd.
  EXPECT_EQ(strongByProtection(h, {k}), Tri::Unknown);
  (void)ho;
}

} // namespace
