//===- CorrectnessTest.cpp - What a copy needs, and who checks it ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/Correctness.h"

#include <gtest/gtest.h>
#include <random>

using namespace titan;

namespace {

const TargetInfo &h200 = targetInfo(TargetId::Sm90a);

bool isIndex(const std::string &name) { return name[0] == 'i'; }

Requirements aligned(const Expr &coordinate, const char *type = "bf16") {
  Requirements r;
  requireAlignedCoordinate(coordinate, *findTmaType(type), h200, isIndex, r);
  return r;
}

std::string verdict(const Requirements &r) {
  std::string text;
  for (const TmaViolation &e : r.errors)
    text += std::string(codeInfo(e.code).code) + " ";
  for (const LaunchCheck &c : r.checks)
    text += c.atLeastZero.str() + " ";
  return text;
}

/// The table of the header.
TEST(AlignedCoordinate, TheFourAnswers) {
  Expr i = Expr::symbol("i"), j = Expr::symbol("i2"), n = Expr::symbol("N"),
       m = Expr::symbol("M", 8);
  EXPECT_EQ(verdict(aligned(i * 64)), "");
  EXPECT_EQ(verdict(aligned(i * 4)), "tma-coordinate-alignment ");
  EXPECT_EQ(verdict(aligned(i * 4, "f32")), "");
  EXPECT_EQ(verdict(aligned(i * n)), "-(N % 8) ");
  EXPECT_EQ(verdict(aligned(i * m + j * 8 - 16)), "");
  EXPECT_EQ(verdict(aligned(i / 3 * n % 100)), "undecided ");
  EXPECT_EQ(verdict(aligned(i * 8 + 4)), "tma-coordinate-alignment ");
  EXPECT_EQ(verdict(aligned(i * 8 + n)), "-(N % 8) ");
  EXPECT_EQ(verdict(aligned(i)), "tma-coordinate-alignment ");
  EXPECT_EQ(verdict(aligned(i * 128 + n, "u8")), "-(N % 16) ");
  EXPECT_EQ(verdict(aligned(i * 64, "b6x16_p32")), "tma-coordinate-packed ");
}

/// Nothing is silent: where there is no error and the launch checks hold, every
/// coordinate is aligned; where a check fails, some coordinate is not, or a
/// factor met a term that made up for it.
TEST(AlignedCoordinate, AgainstValues) {
  std::mt19937 random(11);
  int proved = 0, checked = 0, refused = 0, undecided = 0;
  for (int n = 0; n < 4000; ++n) {
    Expr e = 0;
    for (int k = 0; k < 3; ++k) {
      Expr term = static_cast<int64_t>(random() % 5) * (random() % 2 ? 8 : 4);
      if (random() % 2)
        term = term * Expr::symbol(k % 2 ? "i" : "i2");
      if (random() % 3 == 0)
        term = term * Expr::symbol("N", random() % 2 ? 8 : 1);
      if (random() % 8 == 0)
        term = term / Expr(3);
      e = e + term;
    }
    Requirements r = aligned(e);
    bool allAligned = true;
    for (int64_t size : {8, 16, 40}) {
      bool holds = r.ok();
      for (const LaunchCheck &c : r.checks)
        holds = holds && c.holds({{"N", size}}) == Tri::Yes;
      for (int64_t i = 0; i < 4; ++i)
        for (int64_t j = 0; j < 4; ++j) {
          bool is = *e.evaluate({{"N", size}, {"i", i}, {"i2", j}}) % 8 == 0;
          allAligned = allAligned && is;
          if (holds)
            ASSERT_TRUE(is) << e.str();
        }
    }
    proved += r.ok() && r.checks.empty();
    checked += r.ok() && !r.checks.empty();
    for (const TmaViolation &v : r.errors) {
      refused += v.code == Code::TmaCoordinateAlignment;
      undecided += v.code == Code::Undecided;
      if (v.code == Code::TmaCoordinateAlignment)
        ASSERT_FALSE(allAligned) << e.str();
    }
  }
  EXPECT_GT(proved, 200);
  EXPECT_GT(checked, 100);
  EXPECT_GT(refused, 200);
  EXPECT_GT(undecided, 50);
}

/// (2) is exactly the function's store tail; (1) by value.
TEST(WeakStore, StartsAndTails) {
  auto verdictOf = [](const TmaStoreFacts &facts) {
    Requirements r;
    requireWeakStore(facts, r);
    return verdict(r);
  };
  for (const char *type : {"u8", "bf16", "f32", "f64"})
    for (uint64_t n = 1; n <= 40; ++n) {
      TensorMap map;
      map.type = findTmaType(type);
      map.dims[0] = n;
      TmaStoreFacts facts{static_cast<int64_t>(n), map.type->bits};
      EXPECT_EQ(verdictOf(facts).empty(), storeTailBytes(map) == 0);
      facts.tailIsPadding = true;
      EXPECT_EQ(verdictOf(facts), "");
    }
  Expr n = Expr::symbol("N");
  EXPECT_EQ(verdictOf({n, 16}), "-(N*16 % 128) ");
  EXPECT_EQ(verdictOf({n * 8, 16, false, {0, 0}}), "");
  EXPECT_EQ(verdictOf({8, 16, false, {0, -3}}), "tma-store-negative ");
  EXPECT_EQ(verdictOf({8, 16, false, {n - 4}}), "N - 4 ");
}

TEST(WantedCorrectness, Table) {
  using enum Correctness;
  TileUse sum{"mma %acc", {1}}, elementwise{"add", {}},
      maximum{"max", {1}, TileFill::Other}, nan{"fma.oob", {1}, TileFill::NaN};
  TileHoles whole{{Tri::No, Tri::No}}, rows{{Tri::Yes, Tri::No}},
      ragged{{Tri::No, Tri::Yes}}, may{{Tri::No, Tri::Unknown}},
      loops{{Tri::No, Tri::No}, Tri::Yes};
  auto level = [](const Result<WantedCorrectness> &w) {
    return !w ? w.problem().code
              : std::string(w->level == Strong ? "strong" : "weak") +
                    (w->nanFill ? " NaN" : "");
  };
  EXPECT_EQ(level(wantedCorrectness({elementwise}, ragged)), "weak");
  EXPECT_EQ(level(wantedCorrectness({sum}, whole)), "weak");
  EXPECT_EQ(level(wantedCorrectness({sum}, rows)), "weak");
  EXPECT_EQ(level(wantedCorrectness({elementwise, sum}, ragged)), "strong");
  EXPECT_EQ(level(wantedCorrectness({sum}, may)), "strong");
  EXPECT_EQ(level(wantedCorrectness({nan}, ragged)), "strong NaN");
  EXPECT_EQ(level(wantedCorrectness({maximum}, ragged)), "tma-fill-value");
  EXPECT_EQ(level(wantedCorrectness({maximum}, whole)), "weak");
  EXPECT_EQ(level(wantedCorrectness({sum, nan}, ragged)), "tma-fill-value");
  EXPECT_EQ(level(wantedCorrectness({sum, nan}, whole)), "weak");
  EXPECT_EQ(level(wantedCorrectness({sum, maximum}, ragged)), "tma-fill-value");
  EXPECT_EQ(level(wantedCorrectness({}, ragged)), "weak");
  // Tiles that are one hole, added up or not.
  TileUse tiles{"addf", {0, 1, 2}};
  EXPECT_EQ(level(wantedCorrectness({sum}, loops)), "weak");
  EXPECT_EQ(wantedCorrectness({sum, tiles}, loops)->why,
            "strong: addf reduces the loops around the tile, which have holes");
  // Demands.
  CorrectnessDemand weak{Weak}, strong{Strong},
      strongNaN{Strong, TileFill::NaN}, fillNaN{std::nullopt, TileFill::NaN};
  EXPECT_EQ(level(wantedCorrectness({sum}, ragged, weak)), "weak");
  EXPECT_EQ(level(wantedCorrectness({maximum, sum}, ragged, weak)), "weak");
  EXPECT_EQ(level(wantedCorrectness({}, whole, strong)), "strong");
  EXPECT_EQ(level(wantedCorrectness({}, ragged, strongNaN)), "strong NaN");
  EXPECT_EQ(level(wantedCorrectness({sum}, ragged, strongNaN)),
            "tma-fill-value");
  EXPECT_EQ(level(wantedCorrectness({elementwise}, ragged, fillNaN)),
            "weak NaN");
  EXPECT_EQ(level(wantedCorrectness({{"x", {7}}}, ragged)), "domain-invalid");
  EXPECT_EQ(wantedCorrectness({sum}, may)->why,
            "strong: mma %acc reduces dimension 1, which may have holes");
}

} // namespace
