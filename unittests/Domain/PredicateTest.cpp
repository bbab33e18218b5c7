//===- PredicateTest.cpp - Predicates of copies, exhaustively -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops that overshoot the group in which they run, resizes of resizes, stores
// that begin before the tensor: every small schedule, held to its points.
//
//===----------------------------------------------------------------------===//
#include "Targets.h"

#include "DomainModel.h"
#include "ScheduleModel.h"

#include "titan/Domain/TmaScheduleText.h"

#include <gtest/gtest.h>

using namespace titan;

namespace {

/// WordRows D of four words.
struct WordRows {
  TmaSchedule s;
  DomainId d, j;

  explicit WordRows(int64_t rows, bool store = false) {
    d = s.graph.root(rows, "D");
    j = s.graph.root(4, "J");
    s.global = {{d, 16}, {j, 4}};
    s.type = findTmaType("u32");
    s.wanted = Correctness::Strong;
    if (store) {
      s.direction = TmaDirection::Store;
      s.tailIsPadding = true;
    }
  }
};

struct Counts {
  int64_t lowered = 0, predicates = 0, strong = 0, before = 0, other = 0;

  /// Lowers, and holds the result to the points. `tile`: all bulk leaves.
  void decide(WordRows &rows, std::vector<DomainId> tile,
              bool mayNotFit = false) {
    TmaSchedule &s = rows.s;
    tile.push_back(rows.j);
    s.bulk = tile;
    ScheduleModel model(s, tile);
    auto low = lowerSchedule(s, h200);
    std::string code = low ? "" : low.problem().code;
    if (mayNotFit && (code == "tma-schedule" || code == "tma-rank")) {
      ++other;
      return;
    }
    bool store = s.direction == TmaDirection::Store;
    std::string want = !model.achievable()             ? "tma-strong"
                       : store && model.startsBefore() ? "tma-store-negative"
                                                       : "";
    strong += want == "tma-strong";
    before += want == "tma-store-negative";
    // The box may be a dimension of its own.
    bool byView = want == "tma-strong" && low && low->dimensions.size() > 2;
    if (!byView)
      ASSERT_EQ(code, want)
          << s.graph.str() << (low ? "" : low.problem().message);
    if (!low)
      return;
    ++lowered;
    predicates += !low->predicate.empty();
    model.run(*low, h200);
    if (testing::Test::HasFatalFailure())
      FAIL() << s.graph.str();
  }
};

/// D in groups, a group in boxes: the last group overshoots D, the last box of
/// each group overshoots the group.
TEST(Predicates, LoopsOvershootTheirGroup) {
  Counts counts;
  for (int64_t n = 1; n <= 14; ++n)
    for (int64_t group = 1; group <= 8; ++group)
      for (int64_t factor = 1; factor <= 4; ++factor)
        for (bool outer : {false, true})
          for (int kind = 0; kind < 5; ++kind)
            for (bool store : {false, true}) {
              WordRows rows(n, store);
              DomainGraph &g = rows.s.graph;
              auto [c, x] = *g.splitInner(rows.d, group);
              auto [k, i] =
                  outer ? *g.splitOuter(x, factor) : *g.splitInner(x, factor);
              int64_t box = *g[i].extent.constant();
              bool fits = group % box == 0;
              DomainId tile = i;
              if (kind == 1) { // Loops of loops.
                (void)*g.splitOuter(k, 3);
              } else if (kind == 2) { // A third level.
                tile = g.splitOuter(i, 2)->second;
                fits = box % *g[tile].extent.constant() == 0 &&
                       group % *g[tile].extent.constant() == 0;
              } else if (kind == 3) { // With an element stride.
                tile = g.splitInner(i, 2)->first;
              } else if (kind == 4) { // Iterations that are not there.
                (void)*g.resize(k, 1, 1);
              }
              counts.decide(rows, {tile}, !fits);
              if (testing::Test::HasFatalFailure())
                return;
            }
  std::printf("  %lld lowered, %lld with a predicate; %lld tma-strong; %lld do "
              "not rotate\n",
              (long long)counts.lowered, (long long)counts.predicates,
              (long long)counts.strong, (long long)counts.other);
  EXPECT_GT(counts.predicates, 1000);
}

/// D in groups, of which each is a box of its own: every second or third
/// element of it, by two splits, of which the first may make holes.
TEST(Predicates, WholeGroups) {
  Counts counts;
  for (int64_t n = 1; n <= 14; ++n)
    for (int64_t group = 1; group <= 8; ++group)
      for (int64_t a = 1; a <= 3; ++a)
        for (int64_t b = 1; b <= 2; ++b)
          for (bool store : {false, true}) {
            WordRows rows(n, store);
            DomainGraph &g = rows.s.graph;
            DomainId x = g.splitInner(rows.d, group)->second;
            DomainId y = g.splitInner(x, a)->first;
            counts.decide(rows, {g.splitInner(y, b)->first});
            if (testing::Test::HasFatalFailure())
              return;
          }
  std::printf("  %lld lowered, %lld with a predicate; %lld tma-strong\n",
              (long long)counts.lowered, (long long)counts.predicates,
              (long long)counts.strong);
  EXPECT_GT(counts.lowered, 500);
  EXPECT_GT(counts.predicates, 100);
}

/// What a resize cuts off another one adds again: holes with data, in boxes and
/// in whole tiles.
TEST(Predicates, ResizedTwice) {
  Counts counts;
  int64_t number = 0, each = fullTest() ? 1 : 5;
  for (int64_t n = 1; n <= 8; ++n)
    for (int64_t l = -3; l <= 3; ++l)
      for (int64_t r = -2; r <= 2; ++r)
        for (int64_t l2 = -2; l2 <= 4; ++l2)
          for (int64_t r2 = -2; r2 <= 2; ++r2)
            for (int64_t box = 0; box <= 4; ++box)
              for (int64_t stride = 1; stride <= std::max<int64_t>(box, 1);
                   ++stride) {
                if (n + l + r < 1 || n + l + r + l2 + r2 < 1 ||
                    ++number % each != 0)
                  continue;
                WordRows rows(n, number / each % 4 == 0);
                DomainGraph &g = rows.s.graph;
                DomainId y = *g.resize(*g.resize(rows.d, l, r), l2, r2);
                if (box > 0)
                  y = g.splitInner(y, box)->second;
                if (stride > 1)
                  y = g.splitInner(y, stride)->first;
                counts.decide(rows, {y});
                if (testing::Test::HasFatalFailure())
                  return;
              }
  std::printf("  %lld lowered, %lld with a predicate; %lld tma-strong, %lld "
              "tma-store-negative\n",
              (long long)counts.lowered, (long long)counts.predicates,
              (long long)counts.strong, (long long)counts.before);
  EXPECT_GT(counts.predicates, 500);
  EXPECT_GT(counts.strong, 500);
  EXPECT_GT(counts.before, 500);
}

/// Stores whose first boxes lie before the tensor: refused exactly where one of
/// those holds an element.
TEST(Predicates, StoresBeforeTheTensor) {
  Counts counts;
  for (int64_t n = 1; n <= 9; ++n)
    for (int64_t left = -1; left <= 6; ++left)
      for (int64_t box = 1; box <= 4; ++box)
        for (int64_t stride = 1; stride <= std::min<int64_t>(box, 3); ++stride)
          for (int64_t more = 0; more <= 2; ++more)
            for (int kind = 0; kind < 3; ++kind) {
              if (n + left < 1)
                continue;
              WordRows rows(n, true);
              DomainGraph &g = rows.s.graph;
              DomainId y = rows.d;
              if (left != 0)
                y = *g.resize(y, left, 0);
              auto [c, tile] = *g.splitInner(y, box);
              if (stride > 1)
                tile = g.splitInner(tile, stride)->first;
              if (more > 0)
                c = *g.resize(c, more, kind == 2 ? -1 : 0);
              if (kind == 1)
                (void)*g.splitInner(c, 2);
              if (*g[c].extent.constant() < 1)
                continue;
              counts.decide(rows, {tile});
              if (testing::Test::HasFatalFailure())
                return;
            }
  std::printf(
      "  %lld lowered, %lld with a predicate; %lld tma-store-negative\n",
      (long long)counts.lowered, (long long)counts.predicates,
      (long long)counts.before);
  EXPECT_GT(counts.predicates, 500);
  EXPECT_GT(counts.before, 500);
}

/// What stands below the tile is the buffer's order: a row-major view of it, or
/// refused, with what breaks it.
TEST(Tile, TheOrderWritten) {
  auto refusal = [](const std::string &text) {
    auto s = parseSchedule("tensor u32 D{16} x J{4}\n"
                           "C, B = split(D, 4)\n" +
                           text + "\nload strong");
    if (!s)
      return s.problem().code + ": " + s.problem().message;
    auto low = lowerSchedule(*s, h200);
    if (low)
      ScheduleModel(*s, s->bulk).run(*low, h200);
    return low ? "" : low.problem().code + ": " + low.problem().message;
  };
  const std::string halves = "P, Q = split(B, 2)\n";
  for (const char *good :
       {"bulk B, J", "P, Q = split(B, 2)\nbulk P, Q, J",
        "P, Q = split(J, 2)\nbulk B, P, Q", "M = merge(B, J)\nbulk M",
        "M = merge(B, J)\nP, Q = split(M, 8)\nbulk P, Q",
        "M = merge(B, J)\nP, Q = split(M, 8)\nR, S = split(Q, 2)\n"
        "T = merge(P, R)\nbulk T, S"})
    EXPECT_EQ(refusal(good), "") << good;
  EXPECT_EQ(refusal("bulk J, B"),
            "tma-shared-tile: the tile has B{4} where the buffer has J{4}");
  EXPECT_EQ(refusal(halves + "bulk Q, P, J"),
            "tma-shared-tile: the tile has P{2} where the buffer has Q{2}");
  EXPECT_EQ(refusal(halves + "M = merge(Q, P)\nbulk M, J"),
            "tma-shared-tile: M{4} = merge(Q{2}, P{2}) makes holes in the tile "
            "or changes its order");
  EXPECT_EQ(refusal("P, Q = split(B, 3)\nbulk P, Q, J"),
            "tma-shared-tile: P{2}, Q{3} = split(B{4}, inner 3) makes holes in "
            "the tile or changes its order");
  EXPECT_EQ(refusal("Y = resize(B, -1, 1)\nbulk Y, J"),
            "tma-shared-tile: Y{4} = resize(B{4}, -1, 1) makes holes in the "
            "tile or changes its order");
  EXPECT_EQ(refusal("X, Y = swizzle(B, J)\nbulk X, Y").substr(0, 15),
            "tma-shared-tile");
  EXPECT_EQ(refusal("bulk B, J, B"),
            "parse-error: line 3, column 12: domain B is named twice");
  EXPECT_EQ(refusal("bulk B, J\nmap D, D, J"),
            "parse-error: line 4, column 8: domain D is named twice");
  EXPECT_EQ(refusal("bulk B, J\nshared C, C, B, J"),
            "parse-error: line 4, column 11: domain C is named twice");
}

} // namespace
