//===- CutLoopsTest.cpp - Level 3 where resizes cut off loops -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dimension of rows in boxes with an element stride, a second one that is a
// loop or such boxes, too, and all sequences of two changes of their loops of
// which one cuts something off. Strong correctness is achievable, by a walk
// over all points, exactly when the schedule is lowered.
//
//===----------------------------------------------------------------------===//
#include "Targets.h"

#include "DomainModel.h"
#include "ScheduleModel.h"

#include <gtest/gtest.h>
#include <set>

using namespace titan;

namespace {

/// A change of loops a and b: a resize, a split by two, a merge, a swizzle.
struct Change {
  enum Kind { Resize, SplitInner, SplitOuter, Merge, Swizzle } kind;
  size_t a, b;
  int64_t left = 0, right = 0;
};

std::vector<Change> changesOf(size_t loops) {
  std::vector<Change> all;
  for (size_t a = 0; a < loops; ++a) {
    for (auto [l, r] : {std::pair(-1, 0), {0, -1}, {-2, 1}, {1, -1}})
      all.push_back({Change::Resize, a, a, l, r});
    all.push_back({Change::SplitInner, a, a});
    all.push_back({Change::SplitOuter, a, a});
    for (size_t b = 0; b < loops; ++b)
      if (a != b) {
        all.push_back({Change::Merge, a, b});
        all.push_back({Change::Swizzle, a, b});
      }
  }
  return all;
}

bool apply(const Change &c, DomainGraph &g, std::vector<DomainId> &loops) {
  if (c.a >= loops.size() || c.b >= loops.size())
    return false;
  DomainId &a = loops[c.a], &b = loops[c.b];
  switch (c.kind) {
  case Change::Resize: {
    auto r = g.resize(a, c.left, c.right);
    if (r)
      a = *r;
    return bool(r);
  }
  case Change::SplitInner:
  case Change::SplitOuter: {
    auto halves =
        c.kind == Change::SplitInner ? g.splitInner(a, 2) : g.splitOuter(a, 2);
    if (!halves)
      return false;
    a = halves->first;
    loops.push_back(halves->second);
    return true;
  }
  case Change::Merge: {
    auto merged = g.merge(a, b);
    if (!merged)
      return false;
    a = *merged;
    loops.erase(loops.begin() + static_cast<ptrdiff_t>(c.b));
    return true;
  }
  case Change::Swizzle: {
    auto out = g.swizzle(a, b);
    if (out)
      std::tie(a, b) = *out;
    return bool(out);
  }
  }
  return false;
}

/// The rows' resize, box and element stride; whether the second dimension is
/// boxes of three with element stride two instead of a loop of two; whether the
/// rows' boxes are those of boxes of boxes, whose splits make holes.
struct Shape {
  int64_t left, right, box, stride;
  bool second, nested = false;
};

/// None: a change does not apply.
std::optional<TmaSchedule> make(const Expr &size, const Shape &shape,
                                const std::vector<Change> &changes,
                                std::vector<DomainId> &tile) {
  TmaSchedule s;
  DomainGraph &g = s.graph;
  DomainId d = g.root(size, "D"), e = g.root(shape.second ? 4 : 2, "E"),
           j = g.root(4, "J");
  s.tmaDomain = {d, e, j};
  s.global = {{d, 64}, {e, 16}, {j, 4}};
  s.type = findTmaType("u32");
  s.wanted = Correctness::Strong;
  if (shape.left || shape.right) {
    auto r = g.resize(d, shape.left, shape.right);
    if (!r)
      return std::nullopt;
    d = *r;
  }
  std::vector<DomainId> outer;
  if (shape.nested)
    for (int64_t n : {3, 2}) {
      auto [o, i] = *g.splitInner(d, n * shape.box);
      outer.push_back(o);
      d = i;
    }
  auto [c, b] = *g.splitInner(d, shape.box);
  auto [t, k] = *g.splitInner(b, shape.stride);
  std::vector<DomainId> loops = {c, k, e};
  loops.insert(loops.end(), outer.begin(), outer.end());
  tile = {t, j};
  if (shape.second) {
    auto [ec, eb] = *g.splitInner(e, 3);
    auto [et, ek] = *g.splitInner(eb, 2);
    loops = {c, k, ec, ek};
    tile = {t, et, j};
  }
  for (const Change &change : changes)
    if (!apply(change, g, loops))
      return std::nullopt;
  s.bulk = tile;
  return s;
}

bool isPositive(const DomainGraph &g) {
  for (DomainId id = 0; id < g.size(); ++id)
    if (*g[id].extent.constant() < 1)
      return false;
  return true;
}

/// Calls f with all of them, or with each one of `each`.
template <typename F> void forEachCase(uint64_t each, F f) {
  uint64_t number = 0;
  for (auto [second, nested] :
       {std::pair(false, false), {true, false}, {false, true}})
    for (auto [left, right] : {std::pair(0, 0), {-1, 0}, {0, -1}, {1, 0}})
      for (int64_t box : {2, 3, 4, 5})
        for (int64_t stride : {1, 2, 3})
          for (const Change &x : changesOf(nested ? 5 : second ? 4 : 3))
            for (const Change &y : changesOf(nested ? 6 : second ? 5 : 4)) {
              bool cuts =
                  x.left < 0 || x.right < 0 || y.left < 0 || y.right < 0;
              if (cuts && number++ % each == 0)
                f(Shape{left, right, box, stride, second, nested},
                  std::vector<Change>{x, y});
              if (::testing::Test::HasFatalFailure())
                return;
            }
}

TEST(CutLoops, EveryPairOfChanges) {
  int64_t lowered = 0, refused = 0, stores = 0, rescued = 0, cases = 0;
  forEachCase(fullTest() ? 1 : 37, [&](const Shape &shape,
                                       const std::vector<Change> &changes) {
    for (int64_t size : {1, 4, 5, 7, 8}) {
      std::vector<DomainId> tile;
      auto s = make(size, shape, changes, tile);
      if (!s || !isPositive(s->graph))
        continue;
      bool store = ++cases % 4 == 0;
      if (store) {
        s->direction = TmaDirection::Store;
        s->tailIsPadding = true;
      }
      ScheduleModel model(*s, tile);
      bool achievable = model.achievable();
      auto low = lowerSchedule(*s, h200);
      std::string code = low ? "" : low.problem().code;
      bool before = store && achievable && model.startsBefore();
      ASSERT_EQ(code, before       ? "tma-store-negative"
                      : achievable ? ""
                                   : "tma-strong")
          << s->graph.str() << (low ? "" : low.problem().message);
      if (!low) {
        ++refused;
        if (before)
          continue;
        // With an example.
        ASSERT_NE(low.problem().message.find("the tile at"), std::string::npos);
        continue;
      }
      ++lowered;
      stores += store;
      // Boxes mix, but not those that are visited.
      for (const TmaDimension &t : low->dimensions)
        rescued += t.margin.is(-1);
      model.run(*low, h200);
      if (testing::Test::HasFatalFailure())
        FAIL() << s->graph.str();
    }
  });
  std::printf("  %lld lowered, %lld of them stores, %lld only by what is cut "
              "off; %lld refused\n",
              (long long)lowered, (long long)stores, (long long)rescued,
              (long long)refused);
  EXPECT_GT(lowered, 2000);
  EXPECT_GT(stores, 300);
  EXPECT_GT(rescued, 100);
  EXPECT_GT(refused, 500);
}

/// A size that only a launch knows: the launch checks hold exactly where it is
/// achievable. Undecided are entangled loops alone, and then what is checked is
/// enough.
TEST(CutLoops, OneLoweringForAllSizes) {
  int64_t held = 0, not_ = 0, undecided = 0, merged = 0;
  forEachCase(fullTest() ? 3 : 59, [&](const Shape &shape,
                                       const std::vector<Change> &changes) {
    std::vector<DomainId> tile;
    auto s = make(Expr::symbol("N"), shape, changes, tile);
    if (!s)
      return;
    auto low = lowerSchedule(*s, h200);
    std::string code = low ? "" : low.problem().code;
    bool open = code == "undecided";
    for (const LaunchCheck &check :
         low ? low->checks : std::vector<LaunchCheck>())
      open = open || check.code == Code::Undecided;
    undecided += open;
    bool merges = false, entangled = false;
    for (const Change &change : changes) {
      merges = merges || change.kind == Change::Merge;
      entangled = entangled || change.kind == Change::Merge ||
                  change.kind == Change::Swizzle;
    }
    merged += merges && !open;
    ASSERT_TRUE(!open || entangled) << s->graph.str();
    for (int64_t size : {1, 2, 3, 4, 5, 7, 8, 11}) {
      auto fixed = make(size, shape, changes, tile);
      if (!fixed || !isPositive(fixed->graph))
        continue;
      ScheduleModel model(*fixed, tile);
      bool holds = bool(low), achievable = model.achievable();
      for (const LaunchCheck &check :
           low ? low->checks : std::vector<LaunchCheck>())
        holds = holds && check.holds({{"N", size},
                                      {tmaAddressSymbol, 1 << 20}}) == Tri::Yes;
      if (open) {
        ASSERT_TRUE(!holds || achievable) << s->graph.str();
        continue;
      }
      ASSERT_EQ(holds, achievable) << s->graph.str() << " N=" << size
                                   << (low ? "" : low.problem().message);
      if (low)
        expectTold(*low, {{"N", size}, {tmaAddressSymbol, 1 << 20}});
      (holds ? held : not_)++;
      if (!holds)
        continue;
      model.run(*low, h200, {{"N", size}});
      if (testing::Test::HasFatalFailure())
        FAIL() << s->graph.str() << " N=" << size;
    }
  });
  std::printf("  sizes: %lld held, %lld not; %lld undecided, %lld decided "
              "through a merge\n",
              (long long)held, (long long)not_, (long long)undecided,
              (long long)merged);
  EXPECT_GT(held, 1000);
  EXPECT_GT(not_, 200);
  EXPECT_GT(merged, 20);
}

} // namespace
