//===- DomainTest.cpp - Iteration domains by enumeration ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DomainModel.h"
#include "titan/Domain/Theorems.h"
#include "titan/Domain/TmaSchedule.h"
#include "titan/Target/Codes.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

using namespace titan;

namespace {

//===----------------------------------------------------------------------===//
// Division and expressions
//===----------------------------------------------------------------------===//

TEST(Euclid, Definition) {
  for (int64_t x = -50; x <= 50; ++x)
    for (int64_t d = -9; d <= 9; ++d) {
      if (d == 0)
        continue;
      int64_t q = euclidDiv(x, d), r = euclidMod(x, d);
      ASSERT_EQ(q * d + r, x);
      ASSERT_GE(r, 0);
      ASSERT_LT(r, std::abs(d));
      if (d > 0) {
        ASSERT_GE(ceilDiv(x, d) * d, x);
        ASSERT_LT((ceilDiv(x, d) - 1) * d, x);
      }
    }
}

/// Folding and divisors against values: random expressions over two symbols.
TEST(Expr, AgainstValues) {
  std::mt19937 random(4);
  int multiples = 0, folded = 0;
  for (int n = 0; n < 5000; ++n) {
    // The same operations on an Expr and on a function of (N, M).
    using F = std::function<std::optional<int64_t>(int64_t, int64_t)>;
    Expr e = Expr::symbol("N", 4);
    F f = [](int64_t x, int64_t) { return x; };
    for (int k = 0; k < 4; ++k) {
      int64_t c = static_cast<int64_t>(random() % 9) - 2;
      bool symbol = random() % 4 == 0;
      Expr b = symbol ? Expr::symbol("M") : Expr(c);
      auto right = [=](int64_t y) { return symbol ? y : c; };
      F g = f;
      switch (random() % 6) {
      case 0:
        e = e + b;
        f = [=](int64_t x, int64_t y) -> std::optional<int64_t> {
          auto v = g(x, y);
          return v ? std::optional(*v + right(y)) : v;
        };
        break;
      case 1:
        e = e * b;
        f = [=](int64_t x, int64_t y) -> std::optional<int64_t> {
          auto v = g(x, y);
          return v ? std::optional(*v * right(y)) : v;
        };
        break;
      case 2:
        e = e - b;
        f = [=](int64_t x, int64_t y) -> std::optional<int64_t> {
          auto v = g(x, y);
          return v ? std::optional(*v - right(y)) : v;
        };
        break;
      default: {
        int which = static_cast<int>(random() % 3);
        Expr d = Expr(std::abs(c) + 1);
        int64_t by = std::abs(c) + 1;
        e = which == 0 ? e / d : which == 1 ? e % d : ceilDiv(e, d);
        f = [=](int64_t x, int64_t y) -> std::optional<int64_t> {
          auto v = g(x, y);
          if (!v)
            return v;
          return which == 0   ? euclidDiv(*v, by)
                 : which == 1 ? euclidMod(*v, by)
                              : ceilDiv(*v, by);
        };
      }
      }
    }
    folded += e.constant().has_value();
    for (int64_t x = -8; x <= 24; x += 4)
      for (int64_t y = -3; y <= 5; y += 2) {
        auto want = f(x, y), got = e.evaluate({{"N", x}, {"M", y}});
        ASSERT_EQ(got, want) << e.str() << " at N=" << x << " M=" << y;
        if (int64_t d = e.divisor(); want) {
          if (d == 0)
            ASSERT_EQ(*want, 0) << e.str();
          else
            ASSERT_EQ(*want % d, 0) << e.str();
          multiples += d > 1;
        }
      }
  }
  EXPECT_GT(multiples, 1000);
  EXPECT_GT(folded, 10);
}

TEST(Expr, Text) {
  Expr n = Expr::symbol("N", 8);
  EXPECT_EQ(ceilDiv(n, 3).str(), "N ceildiv 3");
  EXPECT_EQ(((n + 1) * 4 + 2).str(), "(N + 1)*4 + 2");
  EXPECT_EQ((n * 4 / 4).str(), "N");
  EXPECT_EQ((n % 4).str(), "0");
  EXPECT_EQ((n % 16).str(), "N % 16");
  EXPECT_EQ((n - n).str(), "0");
  EXPECT_EQ(isMultiple(n * 3, 24), Tri::Yes);
  EXPECT_EQ(isMultiple(n, 16), Tri::Unknown);
  EXPECT_EQ(isMultiple(12, 5), Tri::No);
  EXPECT_FALSE((n * n).evaluate({{"N", int64_t(1) << 40}}).has_value());
  EXPECT_FALSE(n.evaluate({}).has_value());
  EXPECT_FALSE((n / Expr::symbol("D")).evaluate({{"N", 8}, {"D", 0}}));
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

TEST(DomainGraph, TheHeadersExample) {
  DomainGraph g;
  DomainId i0 = g.root(6);
  auto [i1, i2] = *g.splitInner(i0, 4);
  EXPECT_EQ(g.str(), "I1{2}, I2{4} = split(I0{6}, inner 4)\n");
  int holes = 0;
  forEachPoint(g, [&](const DomainValues &v) {
    EXPECT_EQ(*v[i0], *v[i1] * 4 + *v[i2]);
    holes += isHole(g, v);
  });
  EXPECT_EQ(holes, 2);
  EXPECT_EQ(g.predicates(), (std::vector<DomainId>{i0}));
}

TEST(DomainGraph, SymbolicIndices) {
  DomainGraph g;
  DomainId n = g.root(Expr::symbol("N", 4), "N");
  auto [o, i] = *g.splitInner(n, 8);
  auto [j, s] = *g.splitOuter(i, 2);
  EXPECT_EQ(g[o].extent.str(), "N ceildiv 8");
  EXPECT_EQ(g[s].extent.str(), "4");
  DomainIndices known(g.size());
  known[o] = Expr::symbol("o");
  known[j] = Expr::symbol("j");
  known[s] = Expr::symbol("s");
  EXPECT_EQ(g.indices(known)[n]->str(), "o*8 + (j*4 + s)");
  known.assign(g.size(), std::nullopt);
  known[n] = Expr::symbol("x");
  EXPECT_EQ(g.indices(known)[s]->str(), "x % 8 % 4");
  // 8 may or may not divide N: the predicate stays, as the launch decides.
  EXPECT_EQ(g.createsHoles(g.exprs()[0]), Tri::Unknown);
  EXPECT_EQ(g.predicates(), (std::vector<DomainId>{n}));
  EXPECT_EQ(*g.values({std::nullopt, 2, std::nullopt, 1, 3}, {{"N", 20}})[n],
            2 * 8 + 1 * 4 + 3);
}

TEST(DomainGraph, Refusals) {
  DomainGraph g;
  DomainId a = g.root(6), b = g.root(4), c = g.root(Expr::symbol("N"));
  auto code = [](const auto &result) {
    return result ? std::string("none") : result.problem().code;
  };
  EXPECT_EQ(code(g.splitInner(a, 0)), "domain-invalid");
  EXPECT_EQ(code(g.splitInner(17, 2)), "domain-invalid");
  EXPECT_EQ(code(g.merge(a, a)), "domain-invalid");
  EXPECT_EQ(code(g.resize(a, -3, -3)), "domain-invalid");
  EXPECT_EQ(code(g.swizzle(a, b)), "domain-invalid"); // 6 > 4
  EXPECT_EQ(code(g.swizzle(b, a)), "domain-invalid"); // 6 is no power of two
  EXPECT_EQ(code(g.swizzle(c, b)), "domain-invalid");
  EXPECT_EQ(code(g.window(a, 4, 1, 2)), "domain-invalid"); // 7 elements
  EXPECT_EQ(code(g.window(a, 0)), "domain-invalid");
  EXPECT_EQ(code(g.window(a, 1, 0)), "domain-invalid");
  EXPECT_EQ(code(g.window(a, 1, 1, (1 << 20) + 1)), "domain-invalid");
  EXPECT_EQ(code(g.merge(a, b)), "none");
  EXPECT_EQ(code(g.splitInner(a, 2)), "domain-invalid"); // Used.
  EXPECT_EQ(code(g.window(a, 2)), "domain-invalid");
  EXPECT_EQ(code(g.window(c, 100)), "none"); // The launch decides.
  EXPECT_EQ(lookupCode("domain-invalid") != nullptr, true);
}

/// Holes and predicates of every small graph: without a hole-making expression
/// there is no hole; the predicates name exactly the holes; without cutting
/// resizes and windows every element is visited exactly once.
TEST(DomainGraph, HolesAndPredicatesOfEverySmallGraph) {
  int64_t graphs = 0, withHoles = 0, dropped = 0, windows = 0;
  for (const auto &roots : smallRoots())
    forEachGraph(
        roots, roots.size() == 1 ? 3 : 2, false, [&](const DomainGraph &g) {
          ++graphs;
          std::vector<DomainId> named = g.predicates(), rootIds = g.roots();
          bool creates = false, cuts = false, slides = false;
          size_t creators = 0;
          for (const DomainExpr &e : g.exprs()) {
            creates = creates || g.createsHoles(e) == Tri::Yes;
            creators += g.createsHoles(e) == Tri::Yes;
            cuts = cuts || e.left < 0 || e.right < 0;
            slides = slides || e.kind == DomainExpr::Kind::Window;
          }
          windows += slides;
          dropped += named.size() < creators;
          std::map<std::vector<int64_t>, int> visits;
          int64_t holes = 0;
          forEachPoint(g, [&](const DomainValues &v) {
            bool hole = isHole(g, v), says = false;
            for (DomainId id : named)
              says = says || !inBounds(g, v, id);
            ASSERT_EQ(says, hole) << g.str();
            holes += hole;
            if (hole)
              return;
            std::vector<int64_t> at;
            for (DomainId id : rootIds)
              at.push_back(*v[id]);
            ++visits[at];
          });
          if (!creates)
            ASSERT_EQ(holes, 0) << g.str();
          withHoles += holes > 0;
          for (auto &[at, times] : visits)
            ASSERT_TRUE(times == 1 || slides) << g.str();
          int64_t elements = 1;
          for (DomainId id : rootIds)
            elements *= *g[id].extent.constant();
          if (!cuts && !slides)
            ASSERT_EQ(static_cast<int64_t>(visits.size()), elements) << g.str();
          else
            ASSERT_LE(static_cast<int64_t>(visits.size()), elements);
        });
  EXPECT_GT(graphs, 10000);
  EXPECT_GT(withHoles, 5000);
  EXPECT_GT(dropped, 100);
  EXPECT_GT(windows, 5000);
}

/// A window against its definition: the positions of all whole ones, of every
/// small size, filter, stride and dilation; and with sizes as symbols.
TEST(DomainGraph, Windows) {
  int64_t cases = 0, behind = 0;
  for (int64_t size = 1; size <= 14; ++size)
    for (int64_t filter = 1; filter <= 4; ++filter)
      for (int64_t stride = 1; stride <= 4; ++stride)
        for (int64_t dilation = 1; dilation <= 3; ++dilation) {
          std::vector<std::vector<int64_t>> want;
          for (int64_t at = 0; at < size; at += stride) {
            std::vector<int64_t> window;
            for (int64_t r = 0; r < filter; ++r)
              if (at + r * dilation < size)
                window.push_back(at + r * dilation);
            if (static_cast<int64_t>(window.size()) == filter)
              want.push_back(window);
          }
          auto count = static_cast<int64_t>(want.size());
          DomainGraph g, s;
          DomainId x = g.root(size), n = s.root(Expr::symbol("n"));
          auto made = g.window(x, filter, stride, dilation);
          auto [p, r] = *s.window(n, filter, stride, dilation);
          int64_t windows = *s[p].extent.evaluate({{"n", size}});
          ASSERT_EQ(bool(made), count > 0);
          if (!made) {
            ASSERT_LE(windows, 0);
            continue;
          }
          ASSERT_EQ(*g[made->first].extent.constant(), count);
          ASSERT_EQ(windows, count);
          forEachPoint(g, [&](const DomainValues &v) {
            ASSERT_EQ(*v[x], want[static_cast<size_t>(*v[made->first])]
                                 [static_cast<size_t>(*v[made->second])]);
            ASSERT_FALSE(isHole(g, v));
          });
          ASSERT_TRUE(g.predicates().empty());
          // The element does not say the window, nor that it is one.
          DomainValues back = g.values({0, std::nullopt, 0});
          ASSERT_FALSE(back[made->first].has_value());
          behind += count * stride < size;
          ++cases;
        }
  EXPECT_GT(cases, 300);
  EXPECT_GT(behind, 100);
  DomainGraph g;
  DomainId h = *g.resize(g.root(Expr::symbol("H"), "H"), 1, 1);
  auto [p, r] = *g.window(h, 3, 2);
  g.rename(p, "P"), g.rename(r, "R");
  EXPECT_EQ(g.str(), "I1{H + 2} = resize(H{H}, 1, 1)\n"
                     "P{(H - 1) / 2 + 1}, R{3} = window(I1{H + 2}, 3, stride "
                     "2, dilation 1)\n");
  DomainIndices known(g.size());
  known[p] = Expr::symbol("p"), known[r] = Expr::symbol("r");
  EXPECT_EQ(g.indices(known)[0]->str(), "p*2 + r - 1");
}

/// The same graph with sizes and factors of a launch: root k is Nk, the factor
/// of expression k is Fk. None where a swizzle wants known extents.
std::optional<DomainGraph> symbolic(const DomainGraph &g,
                                    Expr::Bindings &sizes) {
  DomainGraph s;
  auto size = [&](const std::string &name, const Expr &value) {
    sizes[name] = *value.constant();
    return Expr::symbol(name);
  };
  for (DomainId id : g.roots())
    s.root(size("N" + std::to_string(id), g[id].extent));
  for (size_t k = 0; k < g.exprs().size(); ++k) {
    const DomainExpr &e = g.exprs()[k];
    bool made = true;
    Expr factor = e.kind == DomainExpr::Kind::Split
                      ? size("F" + std::to_string(k), e.factor)
                      : Expr(0);
    switch (e.kind) {
    case DomainExpr::Kind::Split:
      made = bool(e.innerFactor ? s.splitInner(e.in[0], factor)
                                : s.splitOuter(e.in[0], factor));
      break;
    case DomainExpr::Kind::Merge:
      made = bool(s.merge(e.in[0], e.in[1]));
      break;
    case DomainExpr::Kind::Resize:
      made = bool(s.resize(e.in[0], e.left, e.right));
      break;
    case DomainExpr::Kind::Swizzle:
      made = bool(s.swizzle(e.in[0], e.in[1]));
      break;
    case DomainExpr::Kind::Window:
      made = bool(s.window(e.in[0], e.filter, e.stride, e.dilation));
      break;
    }
    if (!made)
      return std::nullopt;
  }
  return s;
}

/// Any domain from any others, of every small graph, at valid points: what is
/// found is right; what the known ones decide in one expression is found, but
/// through windows and of domains that have one value only; as expressions, and
/// with sizes of a launch, likewise.
TEST(DomainGraph, IndicesBothWays) {
  std::mt19937 random(8);
  int64_t found = 0, missed = 0, symbolicFound = 0, graphs = 0;
  for (const auto &roots : smallRoots())
    forEachGraph(roots, 2, false, [&](const DomainGraph &g) {
      std::vector<DomainValues> points;
      forEachPoint(g, [&](const DomainValues &v) {
        if (!isHole(g, v))
          points.push_back(v);
      });
      bool slides = false, ones = false;
      for (const DomainExpr &e : g.exprs())
        slides = slides || e.kind == DomainExpr::Kind::Window;
      for (DomainId id = 0; id < g.size(); ++id)
        ones = ones || std::all_of(points.begin(), points.end(),
                                   [&](const DomainValues &v) {
                                     return v[id] == points.front()[id];
                                   });
      Expr::Bindings sizes;
      auto s = symbolic(g, sizes);
      ++graphs;
      // The roots; the leaves; for one expression all sets, else some.
      std::vector<uint32_t> sets = {0, 0};
      for (DomainId id : g.roots())
        sets[0] |= 1u << id;
      for (DomainId id : g.leaves())
        sets[1] |= 1u << id;
      if (g.exprs().size() < 2)
        for (uint32_t set = 0; set < 1u << g.size(); ++set)
          sets.push_back(set);
      else
        for (int k = 0; k < 3; ++k)
          sets.push_back(random() & ((1u << g.size()) - 1));
      for (uint32_t set : sets) {
        DomainIndices names(g.size());
        for (DomainId id = 0; id < g.size(); ++id)
          if (set >> id & 1)
            names[id] = Expr::symbol("i" + std::to_string(id));
        DomainIndices index = g.indices(names), launch;
        if (s)
          launch = s->indices(names);
        std::vector<bool> decided(g.size(), true), is(g.size(), true);
        std::map<DomainValues, DomainValues> seen;
        for (const DomainValues &v : points) {
          DomainValues known(g.size());
          Expr::Bindings values = sizes;
          for (DomainId id = 0; id < g.size(); ++id)
            if (set >> id & 1) {
              known[id] = v[id];
              values["i" + std::to_string(id)] = *v[id];
            }
          const DomainValues &first = seen.emplace(known, v).first->second;
          DomainValues got = g.values(known);
          DomainValues gotS = s ? s->values(known, sizes) : got;
          for (DomainId id = 0; id < g.size(); ++id) {
            decided[id] = decided[id] && first[id] == v[id];
            is[id] = got[id].has_value();
            ASSERT_TRUE(!got[id] || got[id] == v[id]) << g.str() << g.str(id);
            ASSERT_EQ(gotS[id], got[id]) << g.str() << g.str(id);
            ASSERT_EQ(index[id].has_value(), is[id]);
            if (index[id])
              ASSERT_EQ(index[id]->evaluate(values), v[id]) << g.str();
            if (s && launch[id]) {
              ASSERT_EQ(launch[id]->evaluate(values), v[id]) << g.str();
              ++symbolicFound;
            }
          }
        }
        for (DomainId id = 0; id < g.size() && !points.empty(); ++id) {
          found += is[id] && !(set >> id & 1);
          bool miss = decided[id] && !is[id] && !slides && !ones;
          missed += miss;
          if (g.exprs().size() < 2)
            ASSERT_FALSE(miss) << g.str() << g.str(id) << " of set " << set;
        }
      }
    });
  std::printf("graphs %lld, found %lld, missed %lld, symbolic %lld\n",
              (long long)graphs, (long long)found, (long long)missed,
              (long long)symbolicFound);
  EXPECT_GT(found, 10000);
  EXPECT_GT(symbolicFound, 10000);
  EXPECT_LT(missed * 100, found);
}

/// The predicates of a graph whose sizes and factors only a launch knows name
/// its holes.
TEST(DomainGraph, SymbolicPredicates) {
  int64_t graphs = 0, withHoles = 0;
  for (const auto &roots : smallRoots())
    forEachGraph(roots, 2, false, [&](const DomainGraph &g) {
      Expr::Bindings sizes;
      auto s = symbolic(g, sizes);
      if (!s)
        return;
      ++graphs;
      std::vector<DomainId> named = s->predicates();
      bool holes = false;
      forEachPoint(g, [&](const DomainValues &v) {
        bool says = false;
        for (DomainId id : named)
          says = says || !inBounds(g, v, id);
        ASSERT_EQ(says, isHole(g, v)) << s->str();
        holes = holes || says;
      });
      withHoles += holes;
    });
  EXPECT_GT(graphs, 1000);
  EXPECT_GT(withHoles, 500);
}

/// Every order of the leaves of every small graph, and every beginning of one:
/// leaves() follows it, nothing else changes, and an equivalence keeps it.
TEST(DomainGraph, Reorder) {
  int64_t orders = 0;
  for (const auto &roots : smallRoots())
    forEachGraph(roots, 2, false, [&](const DomainGraph &g) {
      std::vector<DomainId> leaves = g.leaves(), order = leaves;
      do {
        for (size_t named = 0; named <= order.size(); ++named) {
          DomainGraph h = g;
          std::vector<DomainId> first(order.begin(), order.begin() + named);
          ASSERT_FALSE(h.reorder(first).has_value());
          std::vector<DomainId> want = first;
          for (DomainId id : leaves)
            if (!std::count(first.begin(), first.end(), id))
              want.push_back(id);
          ASSERT_EQ(h.leaves(), want);
          ++orders;
        }
        DomainGraph h = g;
        ASSERT_FALSE(h.reorder(order).has_value());
        ASSERT_EQ(h.str(), g.str());
        ASSERT_EQ(h.predicates(), g.predicates());
        ASSERT_TRUE(sameFunction(g, h, leaves, leaves));
        // The domains that are made later come last.
        auto halves = h.splitInner(order[0], 2);
        ASSERT_TRUE(bool(halves));
        std::vector<DomainId> want(order.begin() + 1, order.end());
        want.push_back(halves->first);
        want.push_back(halves->second);
        ASSERT_EQ(h.leaves(), want);
      } while (std::next_permutation(order.begin(), order.end()));
    });
  EXPECT_GT(orders, 10000);
  // What takes a leaf's place has its place in the order.
  DomainGraph g;
  DomainId a = g.root(2), b = g.root(3), c = g.root(5);
  DomainId m = *g.merge(a, b);
  auto [o, i] = *g.splitInner(m, 3);
  ASSERT_FALSE(g.reorder({i, c, o}).has_value());
  ASSERT_TRUE(g.removeMergeSplit(m));
  EXPECT_EQ(g.leaves(), (std::vector<DomainId>{b, c, a}));
  // Refusals.
  EXPECT_EQ(g.reorder({a, a})->code, "domain-invalid");
  EXPECT_EQ(g.reorder({m})->code, "domain-invalid");
  EXPECT_EQ(g.reorder({-1})->code, "domain-invalid");
  ASSERT_TRUE(bool(g.splitInner(a, 2)));
  EXPECT_EQ(g.reorder({a})->code, "domain-invalid"); // No leaf.
  EXPECT_EQ(g.leaves()[0], b);
}

/// The loops around a copy follow the leaves; the copy itself does not.
TEST(DomainGraph, ReorderTheLoopsOfASchedule) {
  TmaSchedule s;
  DomainId m = s.graph.root(64, "M"), k = s.graph.root(64, "K");
  auto [mo, mi] = *s.graph.splitInner(m, 16);
  auto [ko, ki] = *s.graph.splitInner(k, 16);
  auto [kp, kq] = *s.graph.splitInner(ko, 2);
  s.global = {{m, 256}, {k, 4}};
  s.bulk = {mi, ki};
  s.type = findTmaType("u32");
  auto plain = lowerSchedule(s, targetInfo(TargetId::Sm90a));
  ASSERT_TRUE(bool(plain)) << plain.problem().message;
  std::vector<DomainId> order = {mo, kp, kq};
  std::sort(order.begin(), order.end());
  int orders = 0;
  do {
    TmaSchedule r = s;
    ASSERT_FALSE(r.graph.reorder(order).has_value());
    auto low = lowerSchedule(r, targetInfo(TargetId::Sm90a));
    ASSERT_TRUE(bool(low)) << low.problem().message;
    ASSERT_EQ(low->loops.size(), order.size());
    for (size_t i = 0; i < order.size(); ++i)
      ASSERT_EQ(low->graph[low->loops[i].domain].name, s.graph[order[i]].name);
    for (size_t d = 0; d < low->coords.size(); ++d)
      ASSERT_EQ(low->coords[d].str(), plain->coords[d].str());
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(orders, 6);
}

} // namespace
