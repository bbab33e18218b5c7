//===- TileExtentTest.cpp - Tiles whose extents only a launch knows --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `bulk M{8}`: the tile holds 8 elements of M, however many there are. It means
// what a split by 8 means whose loop has one iteration, and that is the model.
// `shared A{3}, ...`: of the tiles of A the buffer keeps three.
//
//===----------------------------------------------------------------------===//
#include "Targets.h"

#include "ScheduleModel.h"
#include "titan/Domain/TmaScheduleText.h"

using namespace titan;

namespace {

TmaSchedule parsed(const std::string &text) {
  auto s = parseSchedule(text);
  EXPECT_TRUE(bool(s)) << text << "\n" << (s ? "" : s.problem().message);
  return s ? *s : TmaSchedule{};
}

bool holds(const TmaLowering &low, const Expr::Bindings &launch) {
  return std::all_of(
      low.checks.begin(), low.checks.end(),
      [&](const LaunchCheck &c) { return c.holds(launch) == Tri::Yes; });
}

/// Executes `lines` on a tensor of sizes (M, K), as the lowering for all sizes
/// and as that of the numbers; `model` splits what `lines` holds. Returns
/// whether the launch is taken.
bool executed(const std::string &sizes, const std::string &lines,
              const std::string &model, int64_t m, int64_t k) {
  auto tensor = [](const std::string &m, const std::string &k) {
    return "tensor f32 M{" + m + "} x K{" + k + "}\n";
  };
  std::string numbers = tensor(std::to_string(m), std::to_string(k));
  auto low = lowerSchedule(parsed(sizes + tensor("M", "K") + lines), h200);
  EXPECT_TRUE(bool(low)) << lines << (low ? "" : low.problem().message);
  if (!low)
    return false;
  Expr::Bindings launch{{"M", m}, {"K", k}};
  Expr::Bindings all = launch;
  all[tmaAddressSymbol] = 1 << 20;
  auto known = lowerSchedule(parsed(numbers + lines), h200);
  bool taken = holds(*low, all);
  EXPECT_EQ(taken, bool(known))
      << lines << " " << numbers << (known ? "" : known.problem().message);
  if (!taken || !known)
    return false;
  TmaSchedule meant = parsed(numbers + model);
  ScheduleModel(meant, meant.bulk).run(*low, h200, launch);
  ScheduleModel(meant, meant.bulk).run(*known, h200);
  return true;
}

/// The rows, the columns, both; of loads and stores, every size and extent.
TEST(TileExtent, EverySize) {
  int taken = 0;
  for (const char *kind : {"load weak", "load strong", "store padded"})
    for (int64_t extent = 1; extent <= 9; ++extent)
      for (int64_t size = 1; size <= 11; ++size) {
        std::string n = std::to_string(extent);
        std::string c = std::to_string(4 * extent);
        EXPECT_EQ(executed("", "bulk M{" + n + "}, K{8} " + kind,
                           "A, B = split(M, " + n +
                               ") C, D = split(K, 8) bulk B, D " + kind,
                           size, 8),
                  size <= extent);
        EXPECT_EQ(executed("",
                           "A, B = split(M, 2) bulk B, K{" + c + "} " + kind,
                           "A, B = split(M, 2) C, D = split(K, " + c +
                               ") bulk B, D " + kind,
                           5, 4 * size),
                  size <= extent);
        taken += 2 * (size <= extent);
      }
  EXPECT_EQ(taken, 3 * 2 * 45);
}

/// Tiles of more than a box, and of what a split leaves where it divides.
TEST(TileExtent, BoxesAndSplits) {
  for (const char *kind : {"load weak", "load strong", "store padded"}) {
    for (int64_t m : {1, 255, 256, 257, 300, 512, 513})
      EXPECT_EQ(executed("", std::string("bulk M{512}, K{4} ") + kind,
                         std::string("A, B = split(M, 512) C, D = split(K, 4) "
                                     "bulk B, D ") +
                             kind,
                         m, 4),
                m <= 512);
    for (int64_t m : {4, 8, 20, 32, 36})
      EXPECT_EQ(
          executed("size M multiple 4\n",
                   std::string("A, B = split(M, outer 4) bulk B{8}, K{4} ") +
                       kind,
                   std::string("A, B = split(M, outer 4) C, D = split(B, 8) "
                               "E, F = split(K, 4) bulk D, F ") +
                       kind,
                   m, 4),
          m <= 32);
  }
}

/// What is said: the check, the domains, and what is refused.
TEST(TileExtent, Words) {
  auto open = [](const std::string &lines) {
    return lowerSchedule(parsed("tensor f32 M{M} x K{8}\n" + lines), h200);
  };
  auto low = open("bulk M{64}, K load strong");
  ASSERT_TRUE(bool(low)) << low.problem().message;
  EXPECT_EQ(low->level, 1);
  EXPECT_TRUE(low->predicate.empty());
  EXPECT_TRUE(low->loops.empty());
  EXPECT_EQ(low->imageBytes, 64 * 8 * 4);
  ASSERT_FALSE(low->checks.empty());
  EXPECT_EQ(low->checks[0].code, Code::TmaSchedule);
  EXPECT_EQ(low->checks[0].message, "the tile holds 64 elements of M{M}");
  EXPECT_EQ(low->tile[0].name, "M.tile");
  EXPECT_EQ(low->tile[0].holes, Tri::Unknown);

  auto without = open("bulk M, K load strong");
  ASSERT_FALSE(bool(without));
  EXPECT_EQ(without.problem().code, "tma-schedule");
  EXPECT_EQ(without.problem().message,
            "the tile M{M} has an extent that only a launch knows");
  EXPECT_NE(without.problem().fix.find("`bulk M{256}`"), std::string::npos);
  auto small = open("bulk M{64}, K{4} load strong");
  ASSERT_FALSE(bool(small));
  EXPECT_EQ(small.problem().code, "domain-invalid");
  EXPECT_EQ(small.problem().message, "the tile holds 4 elements of K{8}");
  auto large = open("bulk M{100000}, K load strong");
  ASSERT_FALSE(bool(large));
  EXPECT_EQ(large.problem().code, "barrier-range");
  for (const char *lines :
       {"bulk M{0}, K", "bulk M{-1}, K", "bulk M{x}, K", "bulk M{8, K"})
    EXPECT_FALSE(
        bool(parseSchedule(std::string("tensor f32 M{M} x K{8}\n") + lines)))
        << lines;
}

/// Rings of tiles: the buffer's domains are none of the loops'.
TEST(TileExtent, Rings) {
  int count = 0;
  for (const char *kind : {"load weak", "load strong", "store padded"})
    for (int64_t tiles = 1; tiles <= 4; ++tiles)
      for (int64_t size = 1; size <= 25; size += 3) {
        std::string n = std::to_string(tiles);
        for (std::string lines :
             {"A, B = split(M, 4) bulk B, K{8} shared A{" + n + "}, B, K ",
              "A, B = split(M, 8) C, D = split(B, 4) bulk D, K{8} "
              "shared A{2}, C{" +
                  n + "}, D, K ",
              "R = resize(M, 1, 2) A, B = split(R, 4) bulk B, K{8} "
              "shared A{" +
                  n + "}, B, K "}) {
          if (lines[0] == 'R' && kind[0] == 's')
            continue; // Tiles before the tensor: no store.
          count += executed("", lines + kind, lines + kind, size, 8);
        }
      }
  EXPECT_EQ(count, 2 * 4 * 9 * 3 + 4 * 9 * 2);
  auto low = lowerSchedule(
      parsed("tensor f32 M{M} x K{8} A, B = split(M, 16) bulk B, K "
             "shared A{3}, B, K load"),
      h200);
  ASSERT_TRUE(bool(low)) << low.problem().message;
  EXPECT_EQ(low->bufferBytes, 3 * 16 * 8 * 4);
  EXPECT_EQ(low->sharedOffset.str(), "a % 3*512");
  EXPECT_EQ(low->loops.size(), 1u);
  // Of the tile there is no ring; and how to keep loops of the launch.
  for (auto [order, fix] :
       {std::pair("shared A, B{4}, K", "a buffer keeps 1 tile or more of a "
                                       "loop that it names"),
        {"shared A, B, K", "keep a number of tiles that is known, a ring of "
                           "slots: `shared A{4}`"}}) {
    auto bad = lowerSchedule(
        parsed(std::string("tensor f32 M{M} x K{8} A, B = split(M, 16) "
                           "bulk B, K load ") +
               order),
        h200);
    ASSERT_FALSE(bool(bad));
    EXPECT_EQ(bad.problem().code, "tma-shared-tile");
    EXPECT_EQ(bad.problem().fix, fix);
  }
}

/// As text of the IR, and back.
TEST(TileExtent, Text) {
  TmaTensor tensor{findTmaType("f32"),
                   {{std::nullopt, Expr::symbol("M.stride") * 4}, {8, 4}}};
  for (const char *words :
       {"tensor M x K bulk M{64}, K",
        "tensor M x K A, B = split(M, 4) bulk B, K shared A{3}, B, K"}) {
    auto s = parseSchedule(words, tensor);
    ASSERT_TRUE(bool(s)) << s.problem().message;
    auto text = writeSchedule(*s);
    ASSERT_TRUE(bool(text)) << text.problem().message;
    EXPECT_EQ(*text, words);
  }
  EXPECT_EQ(layOutSchedule("tensor M x K bulk M { 64 } , K"),
            "tensor M x K bulk M{64}, K");
}

} // namespace
