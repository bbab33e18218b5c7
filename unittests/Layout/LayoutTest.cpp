//===- LayoutTest.cpp - The function, its text, and questions -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Cases.h"

#include "titan/Layout/LayoutTable.h"
#include "titan/Target/Codes.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <thread>

using namespace titan;

namespace {

/// All inputs of a layout, the first axis fastest.
std::vector<Coord> inputs(const Layout &layout) {
  std::vector<Coord> all;
  int axes = static_cast<int>(layout.axes().size());
  for (int64_t i = 0; i < layout.size(); ++i) {
    Coord in(axes);
    int64_t rest = i;
    for (int a = 0; a < axes; ++a) {
      in[a] = rest % layout.axes()[a].size();
      rest /= layout.axes()[a].size();
    }
    all.push_back(in);
  }
  return all;
}

/// A random register tile of rank 1 .. 3, any extents, replicas, overlaps.
Layout randomTile(std::mt19937 &random) {
  auto below = [&](int n) { return static_cast<int64_t>(random() % n); };
  int rank = 1 + static_cast<int>(below(3));
  std::vector<std::vector<Digit>> axes(3);
  std::vector<int64_t> shape(rank, 1 + below(3));
  for (auto &axis : axes)
    for (int64_t k = below(4); k > 0; --k) {
      Digit d{1 + below(4), static_cast<int>(below(rank + 1)) - 1, below(9)};
      if (!d.isReplica())
        shape[d.dim] += (d.extent - 1) * d.stride;
      axis.push_back(d);
    }
  auto layout = Layout::tile(shape, axes[0], axes[1], axes[2]);
  EXPECT_TRUE(bool(layout)) << layout.problem().message;
  return *layout;
}

TEST(Layout, TheHeadersExamples) {
  Layout one = parsed("reg: 2*c1; lane: 4*c2, 8*r1");
  EXPECT_EQ(one.shape(), (std::vector<int64_t>{8, 8}));
  EXPECT_EQ(one.coords(1, 13, 0), (Coord{3, 3}));
  EXPECT_EQ(one.coords(0, 4, 0), (Coord{1, 0}));

  Layout two = parsed("reg: 2*c1, 2*r8, 3*c8; lane: 4*c2, 8*r1; warp: 4*r16");
  EXPECT_EQ(two.registers(), 12);
  EXPECT_EQ(two.lanes(), 32);
  EXPECT_EQ(two.warps(), 4);
  EXPECT_EQ(two.shape(), (std::vector<int64_t>{64, 24}));
  EXPECT_EQ(two.coords(11, 31, 3), (Coord{63, 23}));

  Layout three = parsed("reg: 2*i8; lane: 4*rep, 8*i1; warp: 4*i16");
  EXPECT_EQ(three.shape(), (std::vector<int64_t>{64}));
  EXPECT_EQ(three.replication(), 4);
  EXPECT_EQ(three.holders({0}),
            (std::vector<Coord>{{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {0, 3, 0}}));
  EXPECT_TRUE(three.isOwner({0, 0, 0}));
  EXPECT_FALSE(three.isOwner({0, 1, 0}));
  EXPECT_TRUE(three.isOwner({1, 4, 2}));

  Layout four = parsed("r: 64*b128; c: 64*b2; bits: 4^7, 5^8, 6^9");
  EXPECT_EQ(four.apply({0, 0}), (Coord{0}));
  EXPECT_EQ(four.apply({1, 0}), (Coord{128 + 16}));
  EXPECT_EQ(four.apply({7, 8}), (Coord{7 * 128 + 6 * 16}));
}

TEST(Layout, TheHeadersExclusiveOrs) {
  Layout five = parsed("reg: 4*r1; lane: 4*c1; bits: c0^r0, c1^r1");
  EXPECT_EQ(five.shape(), (std::vector<int64_t>{4, 4}));
  for (int64_t reg = 0; reg < 4; ++reg)
    for (int64_t lane = 0; lane < 4; ++lane)
      EXPECT_EQ(five.coords(reg, lane, 0), (Coord{reg, lane ^ reg}));
  EXPECT_EQ(five.canonical().str(), "reg: 4*^r1^c1; lane: 4*c1");
  EXPECT_TRUE(five.sameFunction(parsed("reg: 4*^r1^c1; lane: 4*c1")));
  EXPECT_EQ(InternedLayout(five),
            InternedLayout(parsed("lane: 4*c1; reg: 2*^r1^c1, 2*^r2^c2")));
  EXPECT_FALSE(InternedLayout(five) ==
               InternedLayout(parsed("reg: 4*r1; lane: 4*c1")));

  Layout six = parsed("reg: 8*c1; lane: 4*c8, 8*r1; warp: 4*r8; cta: 2*r32");
  EXPECT_EQ(six.shape(), (std::vector<int64_t>{64, 32}));
  EXPECT_EQ(six.ctas(), 2);
  EXPECT_TRUE(six.isTile());
  EXPECT_EQ(six.coords(7, 31, 3, 1), (Coord{63, 31}));
  EXPECT_EQ(parsed(six.str()).str(), six.str());
  EXPECT_EQ(parsed("reg: 2*c1").ctas(), 1);

  // Where registers of one tile are in another: what a conversion moves.
  auto over =
      parsed("reg: 4*c1; lane: 4*r1").over(parsed("reg: 4*r1; lane: 4*c1"));
  ASSERT_TRUE(bool(over)) << over.problem().message;
  EXPECT_EQ(over->str(),
            "reg: 4*lane1; lane: 4*reg1; shape: reg4, lane4, warp1");
}

/// The table of layouts is one for all threads.
TEST(Layout, InterningIsSafeForThreads) {
  std::vector<std::thread> threads;
  std::vector<std::vector<const Layout *>> seen(8);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int64_t n = 1; n < 200; ++n) {
        auto layout = Layout::parse("reg: " + std::to_string(n) + "*c1");
        seen[t].push_back(&*InternedLayout(*layout));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &each : seen)
    EXPECT_EQ(each, seen[0]);
  EXPECT_EQ(std::set<const Layout *>(seen[0].begin(), seen[0].end()).size(),
            199u);
}

TEST(Layout, TextIsCanonical) {
  auto same = [](const std::string &text, const std::string &canonical) {
    EXPECT_EQ(parsed(text).str(), canonical);
    EXPECT_EQ(parsed(canonical).str(), canonical);
  };
  same("reg:2*c1,2*c2,4*c4;lane:2*r1,1*c77,16*r2", "reg: 16*c1; lane: 32*r1");
  same("lane: 4*rep, 8*rep; reg: 3*i2", "reg: 3*i2; lane: 32*rep");
  same("reg: 2*c1; shape: r4, c8", "reg: 2*c1; shape: r4, c8");
  same("reg: 2*c1; shape: r1, c2", "reg: 2*c1");
  same("reg: 4*k1; lane: 2*j1", "reg: 4*k1; lane: 2*j1");
  same("reg: 4*j1; lane: 2*i1", "reg: 4*j1; lane: 2*i1");
  same("reg: 4*j1; shape: i1, j4", "reg: 4*j1; shape: i1, j4");
  same("reg: 4*c1; at: r8", "reg: 4*c1; at: r8");
  same("reg: 4*x1; lane: 4*y1", "reg: 4*x1; lane: 4*y1");
  same("lane: 4*y1; reg: 4*x1; shape: y4, x4",
       "reg: 4*x1; lane: 4*y1; shape: y4, x4");
  same("u: 4*b16; v: ; bits: 4^7, 4^7", "u: 4*b16; v:");
  same("reg: 32*rep; shape:", "reg: 32*rep; shape:");
  same("reg: 2*^c1^r2, 2*^c2^r4", "reg: 4*^r2^c1");
  same("u: 2*^1, 2*^3", "u: 2*^1, 2*^3");
  same("u: 2*^i1, 2*^i3", "u: 2*^1, 2*^3; shape: i4");
  same("r: 8*b128; c: 64*b2; bits: 4^7, 5^8, 6^9",
       "r: 8*b128; c: 64*b2; bits: 4^7, 5^8, 6^9");
  same("reg: 4*r1; lane: 4*c1; bits: c0^r0, c5^r7",
       "reg: 4*r1; lane: 4*c1; bits: c0^r0");
  same("cta: 2*r8; reg: 8*r1", "reg: 8*r1; cta: 2*r8");
  same("", "");
}

TEST(Layout, TextErrorsSayWhere) {
  auto fails = [](const std::string &text, const std::string &code) {
    auto layout = Layout::parse(text);
    ASSERT_FALSE(bool(layout)) << text;
    EXPECT_EQ(layout.problem().code, code) << text;
    EXPECT_FALSE(layout.problem().message.empty());
  };
  fails("reg", "layout-syntax");
  fails("reg: 2", "layout-syntax");
  fails("reg: 2*", "layout-syntax");
  fails("reg: 2*c", "layout-syntax");
  fails("reg: 2*c1,", "layout-syntax");
  fails("reg: 2*c1 lane: 2*r1", "layout-syntax");
  fails("reg: 2*c1; reg: 2*r1", "layout-syntax");
  fails("reg: -2*c1", "layout-syntax");
  fails("reg: 2*c99999999999999999999999", "layout-syntax");
  fails("reg: 2*c1; shape: r4", "layout-syntax");
  fails("reg: 2*c1; bits: 64^1", "layout-syntax");
  fails("\x01\xff", "layout-syntax");
  fails("reg: 0*c1", "layout-invalid");
  fails("reg: 2*c1099511627776", "layout-invalid");
  fails("reg: 4*c4; shape: r1, c8", "layout-invalid");
  fails("reg: 2*c1; shape: r0, c8", "layout-invalid");
  fails("reg: 2*c1; shape: r1099511627776, c1099511627776", "layout-invalid");
  fails("reg: 1048576*rep, 1048576*rep, 2*rep", "layout-invalid");
  fails("reg: 2*c1; bits: 1^2", "layout-invalid");
  fails("reg: 2*c1; other: 2*r1", "layout-invalid");
  fails("reg: 3*^c1^r1", "layout-invalid");
  fails("reg: 2*^1; shape: r2, c2", "layout-invalid");
  fails("reg: 2*^c2; shape: r1, c6", "layout-invalid");
  fails("reg: 2*c1, 2*^c1099511627776", "layout-invalid");
  fails("reg: 2*^", "layout-syntax");
  fails("reg: 2*^c", "layout-syntax");
  fails("reg: 2*^x1; shape: r2, c2", "layout-syntax");
  fails("reg: 2*c1; cta: 2*r1; blocks: 2*r2", "layout-invalid");
  fails("u: 4*b1; bits: 62^0", "layout-invalid");
  std::string where = Layout::parse("reg: 2*c1; lane 4").problem().message;
  EXPECT_NE(where.find("character 16"), std::string::npos) << where;
}

TEST(Layout, CodesHaveRows) {
  for (const char *code :
       {"layout-invalid", "layout-syntax", "layout-algebra", "layout-slice",
        "layout-panel", "layout-instruction"})
    EXPECT_NE(lookupCode(code), nullptr) << code;
}

TEST(Layout, RandomTextRoundTrips) {
  std::mt19937 random(20261121);
  for (int i = 0; i < 2000; ++i) {
    Layout layout = randomTile(random);
    Layout again = parsed(layout.str());
    ASSERT_TRUE(again.sameFunction(layout)) << layout.str();
    ASSERT_EQ(again.str(), layout.str());
    ASSERT_EQ(again.dims(), layout.dims());
  }
}

TEST(Layout, QuestionsAgainstBruteForce) {
  std::mt19937 random(7);
  int ownersAmongMany = 0, notInjective = 0, unequal = 0;
  for (int i = 0; i < 1500; ++i) {
    Layout layout = randomTile(random);
    SCOPED_TRACE(layout.str());
    // By ownership: the last axis counts most.
    std::map<Coord, std::vector<Coord>> holders;
    for (const Coord &in : inputs(layout))
      holders[layout.apply(in)].push_back(in);
    bool injective = true, same = true;
    for (auto &[at, list] : holders) {
      injective = injective && list.size() == 1;
      same = same && list.size() == holders.begin()->second.size();
      ASSERT_EQ(layout.holders(at), list);
      ASSERT_TRUE(layout.isOwner(list.front()));
      for (size_t k = 1; k < list.size(); ++k, ++ownersAmongMany)
        ASSERT_FALSE(layout.isOwner(list[k]));
    }
    notInjective += !injective;
    unequal += !same;
    ASSERT_EQ(layout.isInjective(), injective);
    ASSERT_EQ(layout.isSurjective(),
              static_cast<int64_t>(holders.size()) == layout.elements());
    if (same)
      ASSERT_EQ(layout.replication(),
                static_cast<int64_t>(holders.begin()->second.size()));
    else
      ASSERT_FALSE(layout.replication().has_value());
    // An element that does not exist has no holders.
    Coord outside(layout.rank());
    outside[0] = layout.shape()[0];
    ASSERT_TRUE(layout.holders(outside).empty());
    // The table is the function.
    std::vector<int64_t> table = layout.elementTable();
    int64_t k = 0;
    for (const Coord &in : inputs(layout)) {
      int64_t index = 0;
      for (int d = 0; d < layout.rank(); ++d)
        index = index * layout.shape()[d] + layout.apply(in)[d];
      ASSERT_EQ(table[k++], index);
    }
    // Runs.
    for (int d = 0; d < layout.rank(); ++d) {
      int64_t run = layout.contiguousRun(d), aligned = layout.alignedRun(d);
      auto at = [&](int64_t r) { return layout.coords(r, 0, 0); };
      auto follows = [&](int64_t r) {
        Coord want = at(r - 1);
        ++want[d];
        return at(r) == want;
      };
      int64_t n = 1;
      while (n < layout.registers() && follows(n))
        ++n;
      ASSERT_EQ(run, n);
      ASSERT_EQ(run % aligned, 0);
      for (const Coord &in : inputs(layout))
        if (in[0] % aligned == 0)
          ASSERT_EQ(layout.apply(in)[d] % aligned, 0);
    }
  }
  // The cases above happened.
  EXPECT_GT(ownersAmongMany, 100);
  EXPECT_GT(notInjective, 100);
  EXPECT_GT(unequal, 100);
}

/// The normal form is unique: over all digit lists of an axis of small size,
/// equality of functions is equality of normal forms.
TEST(Layout, NormalFormIsUniqueOverAllSmallAxes) {
  for (int64_t size : {1, 2, 4, 6, 8, 12}) {
    std::vector<std::vector<Digit>> lists;
    std::vector<Digit> list;
    auto extend = [&](auto &self, int64_t left) -> void {
      if (left == 1) {
        lists.push_back(list);
        return;
      }
      for (int64_t e = 2; e <= left; ++e) {
        if (left % e)
          continue;
        for (int dim = -1; dim < 2; ++dim)
          for (int64_t stride = 1; stride <= (dim < 0 ? 1 : 6); ++stride) {
            if (list.size() == 2 && (dim == 1 || stride > 4))
              continue;
            list.push_back({e, dim, stride});
            self(self, left / e);
            list.pop_back();
          }
      }
    };
    extend(extend, size);
    std::map<std::vector<int64_t>, std::string> byFunction;
    std::map<std::string, std::vector<int64_t>> byText;
    for (const auto &digits : lists) {
      auto layout = Layout::tile({256, 256}, digits, {});
      ASSERT_TRUE(bool(layout));
      std::vector<int64_t> table = layout->elementTable();
      std::string text = layout->str();
      auto [it, fresh] = byFunction.emplace(table, text);
      ASSERT_EQ(it->second, text);
      auto [it2, fresh2] = byText.emplace(text, table);
      ASSERT_EQ(it2->second, table);
    }
  }
}

TEST(Layout, FitFindsTheDigits) {
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    Layout layout = randomTile(random);
    auto fitted = Layout::fit(
        {{"reg", layout.registers()},
         {"lane", layout.lanes()},
         {"warp", layout.warps()}},
        layout.dims(), [&](const Coord &in) { return layout.apply(in); });
    ASSERT_TRUE(bool(fitted)) << layout.str() << fitted.problem().message;
    ASSERT_EQ(fitted->str(), layout.str());
  }
  auto square = Layout::fit({{"reg", 4}}, {{"i", 16}}, [](const Coord &in) {
    return Coord{in[0] * in[0]};
  });
  EXPECT_FALSE(bool(square));
  auto product =
      Layout::fit({{"u", 4}, {"v", 4}}, {{"i", 16}},
                  [](const Coord &in) { return Coord{in[0] * in[1]}; });
  EXPECT_EQ(product.problem().code, "layout-algebra");
}

TEST(BitLinear, AlgebraAgainstValues) {
  std::mt19937 random(11);
  int singular = 0, regular = 0;
  auto some = [&] {
    std::vector<BitLinear::Term> terms;
    for (int k = random() % 6; k > 0; --k)
      terms.push_back({static_cast<uint8_t>(random() % 5),
                       static_cast<uint8_t>(random() % 5)});
    return BitLinear(terms);
  };
  for (int i = 0; i < 2000; ++i) {
    BitLinear f = some(), g = some(), fg = f.then(g);
    std::set<int64_t> images;
    bool same = true;
    for (int64_t x = 0; x < 32; ++x) {
      images.insert(f(x));
      same = same && f(x) == g(x);
      ASSERT_EQ(fg(x), g(f(x)));
      for (int64_t y = 0; y < 32; ++y)
        ASSERT_EQ(f(x ^ y), f(x) ^ f(y));
    }
    ASSERT_EQ(f == g, same);
    auto back = f.inverse();
    ASSERT_EQ(back.has_value(), images.size() == 32);
    (back ? regular : singular)++;
    if (back)
      for (int64_t x = 0; x < 32; ++x)
        ASSERT_EQ((*back)(f(x)), x);
  }
  EXPECT_GT(singular, 100);
  EXPECT_GT(regular, 100);
}

TEST(Layout, BitsThatForgetStillAnswer) {
  // Bit 0 is cleared: two columns share a byte, seen through the function only.
  Layout forget = parsed("u: 8*b1; bits: 0^0");
  EXPECT_EQ(forget.replication(), 2);
  EXPECT_FALSE(forget.isInjective());
  EXPECT_EQ(forget.holders({4}), (std::vector<Coord>{{4}, {5}}));
  EXPECT_TRUE(forget.isOwner({4}));
  EXPECT_FALSE(forget.isOwner({5}));
  EXPECT_TRUE(forget.sameFunction(parsed("u: 2*rep, 4*b2; shape: b8")));
  EXPECT_FALSE(forget.sameFunction(parsed("u: 8*b1")));
}

} // namespace
