//===- LaneTermsTest.cpp - Layouts that lane and warp compute -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Cases.h"

#include "titan/Layout/Access.h"
#include "titan/Layout/LaneTerms.h"

#include <gtest/gtest.h>
#include <random>

using namespace titan;

namespace {

TEST(LaneTerms, OfDigits) {
  auto terms =
      laneTerms(parsed("reg: ; lane: 4*b4, 8*b32; warp: 4*b512; shape: b2048"));
  ASSERT_TRUE(bool(terms));
  EXPECT_EQ(terms->origin, 0);
  EXPECT_EQ(terms->terms, (std::vector<LaneTerm>{
                              {1, 1, 4, 4}, {1, 4, 8, 32}, {2, 1, 4, 512}}));
}

TEST(LaneTerms, ASwizzledRowIsOneProduct) {
  // 128 + 16, 256 + 32, 512 + 64.
  auto terms = laneTerms(parsed("reg: ; lane: 8*b128, 4*rep; warp: ; shape: "
                                "b1024; bits: 4^7, 5^8, 6^9"));
  ASSERT_TRUE(bool(terms));
  EXPECT_TRUE(terms->exclusive);
  EXPECT_EQ(terms->terms, (std::vector<LaneTerm>{{1, 1, 8, 144}}));
}

TEST(LaneTerms, OddExtentsAndOverlappingSums) {
  auto odd =
      laneTerms(parsed("reg: ; lane: 32*b1; warp: 3*b32, 2*b96; shape: b192"));
  ASSERT_TRUE(bool(odd));
  EXPECT_EQ(odd->terms, (std::vector<LaneTerm>{{1, 1, 32, 1}, {2, 1, 6, 32}}));
  auto overlap =
      laneTerms(parsed("reg: ; lane: 4*b3, 8*b5; warp: ; shape: b64"));
  ASSERT_TRUE(bool(overlap));
  EXPECT_FALSE(overlap->exclusive);
  auto swizzled = laneTerms(parsed(
      "reg: ; lane: 4*b48, 8*b80; warp: ; shape: b1024; bits: 4^7, 5^8"));
  ASSERT_TRUE(bool(swizzled));
  EXPECT_EQ(swizzled->folds, (std::vector<LaneFold>{{384, 3}}));
}

TEST(LaneTerms, StepsOfASwizzledRow) {
  // wgmma's fragment in rows of 128 bytes: registers of one row are an exclusive
  // or away, eight rows further on is a distance.
  Layout tile = *wgmmaD(64, 64);
  Layout image = *SharedImage::make(64, 64, 2, Swizzle::Span128)->layout();
  auto registers = registerBytes(tile, image);
  ASSERT_TRUE(bool(registers));
  EXPECT_EQ(laneStep((*registers)[0], (*registers)[1], 1024), (LaneStep{0, 2}));
  EXPECT_EQ(laneStep((*registers)[0], (*registers)[2], 1024),
            (LaneStep{0, 1024}));
  EXPECT_EQ(laneStep((*registers)[0], (*registers)[4], 1024),
            (LaneStep{16, 0}));
  EXPECT_EQ(laneStep((*registers)[0], (*registers)[6], 1024),
            (LaneStep{16, 1024}));
  // Not to the whole address, where that is aligned to 16 bytes only.
  EXPECT_EQ(laneStep((*registers)[0], (*registers)[4], 16), std::nullopt);
}

/// A tile of one dimension: sums of any extents, or bits with exclusive or;
/// half of them swizzled.
std::optional<Layout> randomTile(std::mt19937_64 &random) {
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  bool bits = below(2), nested = below(2);
  std::vector<Axis> axes = {{"reg", {}}, {"lane", {}}, {"warp", {}}};
  int64_t stride = 1, end = 1;
  for (Axis &axis : axes)
    for (int64_t n = below(4); n-- > 0;) {
      int64_t extent = bits ? int64_t(2) << below(2) : 2 + below(5);
      if (bits && below(3) == 0) {
        axis.digits.push_back(Digit::xors(extent, {1 + below(63)}));
        end = std::max<int64_t>(end, 512);
        continue;
      }
      if (below(5) == 0) {
        axis.digits.push_back({extent, Digit::replica, 0});
        continue;
      }
      int64_t step = nested || bits ? stride : 1 + below(40);
      axis.digits.push_back({extent, 0, step});
      stride *= extent;
      end += (extent - 1) * step;
    }
  int64_t offset = below(2) ? 0 : below(300);
  BitLinear swizzle = below(2) ? BitLinear::swizzle(2, 1, 3) : BitLinear();
  Result<Layout> made = Layout::make(
      axes, {{"b", (offset + end + 1023) / 1024 * 1024}}, {offset}, swizzle);
  if (!made)
    return std::nullopt;
  return *made;
}

TEST(LaneTerms, RandomLayouts) {
  const char *text = std::getenv("TITAN_SEED");
  uint64_t seed = text ? std::strtoull(text, nullptr, 10) : 12;
  int cases = std::getenv("TITAN_TEST_FULL") ? 100000 : 2000;
  int found = 0, steps = 0, xors = 0, made = 0;
  for (int n = 0; n < cases; ++n) {
    SCOPED_TRACE("TITAN_SEED=" + std::to_string(seed + n));
    std::mt19937_64 random(seed + n);
    std::optional<Layout> tile = randomTile(random);
    if (!tile)
      continue;
    ++made;
    auto each = [&](auto &&visit) {
      for (int64_t w = 0; w < tile->warps(); ++w)
        for (int64_t l = 0; l < tile->lanes(); ++l)
          visit(l, w);
    };
    Result<LaneTerms> terms = laneTerms(*tile);
    found += bool(terms);
    // Sums are never refused.
    ASSERT_TRUE(bool(terms) || !tile->isSum()) << tile->str();
    if (terms)
      each([&](int64_t l, int64_t w) {
        ASSERT_EQ((*terms)(l, w), tile->coords(0, l, w)[0]) << tile->str();
      });
    int64_t reg = tile->registers() - 1, unit = int64_t(1) << random() % 10;
    Result<Layout> other = tile->restricted(0, reg);
    if (!other)
      continue;
    bool adds = true;
    int64_t distance = other->coords(0, 0, 0)[0] - tile->coords(0, 0, 0)[0];
    each([&](int64_t l, int64_t w) {
      adds &= other->coords(0, l, w)[0] == tile->coords(0, l, w)[0] + distance;
    });
    std::optional<LaneStep> step = laneStep(*tile, *other, unit);
    if (terms && laneTerms(*other) && adds) {
      // Constants are found, unless one of the two carries under a swizzle.
      if (laneTerms(*other)->exclusive == terms->exclusive &&
          (terms->folds.empty() ||
           (other->offset()[0] - tile->offset()[0]) % 64 == 0)) {
        ASSERT_TRUE(step) << tile->str();
        ASSERT_EQ(step->xors, 0) << tile->str();
      }
    }
    if (!step)
      continue;
    ++steps;
    xors += step->xors != 0;
    ASSERT_EQ(step->xors & ~(unit - 1), 0) << tile->str();
    if (step->xors)
      ASSERT_EQ(step->adds % unit, 0) << tile->str();
    each([&](int64_t l, int64_t w) {
      ASSERT_EQ(other->coords(0, l, w)[0],
                (tile->coords(0, l, w)[0] ^ step->xors) + step->adds)
          << tile->str();
    });
  }
  EXPECT_GT(found, made / 2);
  EXPECT_GT(steps, made / 4);
  EXPECT_GT(xors, made / 100);
}

} // namespace
