//===- TritonTest.cpp - Triton's encodings against their definitions ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Triton.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace titan;
using namespace titan::triton;

namespace {

/// Distributed layouts by their definition: A 2 x 8 over T 4 x 4, whose threads
/// are numbered row by row; and every other pair of small shapes.
TEST(Triton, DistributedWrapsAround) {
  for (int64_t a0 : {1, 2, 4, 8})
    for (int64_t a1 : {1, 2, 4, 8, 16})
      for (int64_t t0 : {1, 2, 4, 8})
        for (int64_t t1 : {1, 2, 4, 8}) {
          Layout T = *Layout::tile({t0, t1}, {}, {{t1, 1, 1}, {t0, 0, 1}});
          auto layout = wrapped(T, {a0, a1});
          ASSERT_TRUE(bool(layout)) << layout.problem().message;
          for (int64_t i = 0; i < a0; ++i)
            for (int64_t j = 0; j < a1; ++j) {
              std::set<int64_t> want, got;
              for (int64_t k = 0; k < 16; ++k)
                for (int64_t l = 0; l < 16; ++l)
                  want.insert((i + k * a0) % t0 * t1 + (j + l * a1) % t1);
              for (const Coord &at : layout->holders({i, j}))
                ASSERT_TRUE(got.insert(at[1]).second);
              ASSERT_EQ(got, want) << layout->str() << " at " << i << ", " << j;
            }
        }
  auto seed = wrapped(*Layout::parse("lane: 4*c1, 4*r1"), {2, 8});
  ASSERT_TRUE(bool(seed));
  EXPECT_EQ(seed->str(), "reg: 2*c4; lane: 4*c1, 2*r1, 2*rep");
  std::vector<Coord> holders = seed->holders({1, 3});
  ASSERT_EQ(holders.size(), 2u);
  EXPECT_EQ(holders[0][1], 7);
  EXPECT_EQ(holders[1][1], 15);
}

/// 32 x 32 over four CTAs, each thread's number as the published table has it.
TEST(Triton, BlockedOverFourCtas) {
  Blocked encoding{{2, 2}, {8, 4}, {1, 2}, {1, 0}, {{1, 0}, {0, 1}}};
  auto layout = toLayout(encoding, {32, 32});
  ASSERT_TRUE(bool(layout)) << layout.problem().message;
  EXPECT_EQ(layout->str(),
            "reg: 2*c1, 2*r1; lane: 4*c2, 8*r2; warp: 2*c8; cta: 2*r16, 2*c16");
  for (int64_t r = 0; r < 32; ++r)
    for (int64_t c = 0; c < 32; ++c) {
      std::vector<Coord> holders = layout->holders({r, c});
      ASSERT_EQ(holders.size(), 1u);
      const Coord &at = holders[0];
      int64_t row = r % 16, column = c % 16;
      ASSERT_EQ(at[2] * 32 + at[1],
                row / 2 * 4 + column % 8 / 2 + 32 * (column / 8));
      ASSERT_EQ(at[3], r / 16 + 2 * (c / 16));
      ASSERT_EQ(at[0], row % 2 * 2 + column % 2);
    }
}

/// Blocked against its levels, one after another, over random encodings.
TEST(Triton, BlockedAgainstItsLevels) {
  std::mt19937 random(1512);
  auto power = [&](int most) { return int64_t(1) << random() % most; };
  for (int n = 0; n < 500; ++n) {
    Blocked e{{power(3), power(3)},
              {power(4), power(4)},
              {power(2), power(3)},
              {1, 0},
              {}};
    if (random() % 2)
      e.order = {0, 1};
    for (int k = static_cast<int>(random() % 3); k > 0; --k) {
      // Each CTA's bit moves along a dimension of its own, or nowhere.
      Numbers step(2, 0);
      if (int d = static_cast<int>(random() % 3); d < 2)
        if (shapePerCta({1 << 20, 1 << 20}, e.cga)[d] == 1 << 20)
          step[d] = 1;
      e.cga.push_back(step);
    }
    Numbers shape = {power(4) * 4, power(5) * 4};
    auto layout = toLayout(e, shape);
    ASSERT_TRUE(bool(layout)) << layout.problem().message;
    ASSERT_EQ(layout->shape(), shape);
    Numbers part = shapePerCta(shape, e.cga);
    // Value, thread, warp -> box coordinates of each level, in the order.
    auto boxAt = [&](int64_t index, const Numbers &level) {
      Numbers at(2);
      for (int d : e.order) {
        at[d] = index % level[d];
        index /= level[d];
      }
      return at;
    };
    int64_t lanes = e.threadsPerWarp[0] * e.threadsPerWarp[1];
    int64_t warps = e.warpsPerCta[0] * e.warpsPerCta[1];
    ASSERT_EQ(layout->lanes(), lanes);
    ASSERT_EQ(layout->warps(), warps);
    ASSERT_EQ(layout->ctas(), int64_t(1) << e.cga.size());
    for (int64_t cta = 0; cta < layout->ctas(); ++cta)
      for (int64_t warp = 0; warp < warps; ++warp)
        for (int64_t lane = 0; lane < lanes; ++lane) {
          std::set<Coord> want, got;
          Numbers w = boxAt(warp, e.warpsPerCta),
                  l = boxAt(lane, e.threadsPerWarp);
          Numbers origin(2), reach(2), tile(2, 0);
          for (size_t b = 0; b < e.cga.size(); ++b)
            for (int d = 0; d < 2; ++d)
              tile[d] ^= (cta >> b & 1) * e.cga[b][d];
          for (int d = 0; d < 2; ++d) {
            origin[d] =
                (w[d] * e.threadsPerWarp[d] + l[d]) * e.sizePerThread[d];
            reach[d] =
                e.warpsPerCta[d] * e.threadsPerWarp[d] * e.sizePerThread[d];
          }
          for (int64_t x = 0; x < e.sizePerThread[0]; ++x)
            for (int64_t y = 0; y < e.sizePerThread[1]; ++y)
              for (int64_t X = 0; X < std::max(part[0], reach[0]);
                   X += reach[0])
                for (int64_t Y = 0; Y < std::max(part[1], reach[1]);
                     Y += reach[1])
                  want.insert(
                      Coord{(origin[0] + x + X) % part[0] + tile[0] * part[0],
                            (origin[1] + y + Y) % part[1] + tile[1] * part[1]});
          for (int64_t reg = 0; reg < layout->registers(); ++reg)
            ASSERT_TRUE(got.insert(layout->coords(reg, lane, warp, cta)).second)
                << layout->str();
          ASSERT_EQ(got, want) << layout->str();
        }
  }
}

TEST(Triton, SliceAndLinear) {
  auto parent = toLayout(Blocked{{2, 2}, {8, 4}, {1, 2}, {1, 0}, {}}, {16, 16});
  ASSERT_TRUE(bool(parent));
  EXPECT_EQ(parent->withoutDim(1)->str(),
            "reg: 2*i1; lane: 4*rep, 8*i2; warp: 2*rep");
  Linear linear{
      {{0, 1}, {1, 0}}, {{0, 2}, {0, 4}, {2, 0}, {4, 0}, {8, 0}}, {{0, 8}}, {}};
  auto layout = toLayout(linear, {16, 16});
  ASSERT_TRUE(bool(layout)) << layout.problem().message;
  EXPECT_TRUE(layout->sameFunction(*parent));
  // Images of several dimensions, and of none.
  auto crossed = toLayout(Linear{{{1, 1}, {0, 0}}, {{0, 1}}, {}, {}}, {2, 2});
  ASSERT_TRUE(bool(crossed));
  EXPECT_EQ(crossed->str(), "reg: 2*^r1^c1, 2*rep; lane: 2*c1");
}

TEST(Triton, SharedEncodings) {
  for (int64_t rows : {8, 32})
    for (int64_t columns : {8, 64})
      for (int64_t vec : {1, 4, 8})
        for (int64_t perPhase : {1, 2})
          for (int64_t maxPhase : {1, 4, 8})
            for (bool turned : {false, true}) {
              SwizzledShared e{vec, perPhase, maxPhase,
                               turned ? std::vector<int>{0, 1}
                                      : std::vector<int>{1, 0}};
              Numbers shape =
                  turned ? Numbers{columns, rows} : Numbers{rows, columns};
              auto layout = toLayout(e, shape);
              ASSERT_TRUE(bool(layout)) << layout.problem().message;
              for (int64_t r = 0; r < rows; ++r)
                for (int64_t c = 0; c < columns; ++c) {
                  int64_t phase = r / perPhase % maxPhase;
                  int64_t want = r * columns + (c ^ vec * phase % columns);
                  ASSERT_EQ(
                      layout->apply(turned ? Coord{c, r} : Coord{r, c})[0],
                      want);
                }
            }
  auto padded = toLayout(PaddedShared{64, 4, {1, 0}}, {16, 32});
  ASSERT_TRUE(bool(padded)) << padded.problem().message;
  for (int64_t r = 0; r < 16; ++r)
    for (int64_t c = 0; c < 32; ++c) {
      int64_t e = r * 32 + c;
      ASSERT_EQ(padded->apply({r, c})[0], e + e / 64 * 4);
    }
  auto nvmma = toLayout(NvmmaShared{128, 16, false}, {64, 128});
  ASSERT_TRUE(bool(nvmma));
  EXPECT_TRUE(nvmma->sameFunction(
      *SharedImage::make(64, 128, 2, Swizzle::Span128)->layout()));
  auto turned = toLayout(NvmmaShared{64, 16, true}, {32, 16});
  ASSERT_TRUE(bool(turned));
  SharedImage image = *SharedImage::make(16, 32, 2, Swizzle::Span64);
  for (int64_t r = 0; r < 32; ++r)
    for (int64_t c = 0; c < 16; ++c)
      ASSERT_EQ(turned->apply({r, c})[0], image.address(0, c, r));
}

TEST(Triton, Refusals) {
  auto code = [](const Result<Layout> &made) {
    return made ? std::string("none") : made.problem().code;
  };
  EXPECT_EQ(code(toLayout(Blocked{{2, 3}, {8, 4}, {1, 2}, {1, 0}, {}}, {8, 8})),
            "layout-instruction");
  EXPECT_EQ(code(toLayout(Blocked{{2, 2}, {8, 4}, {1, 2}, {1, 1}, {}}, {8, 8})),
            "layout-instruction");
  EXPECT_EQ(code(toLayout(Blocked{{2}, {8, 4}, {1, 2}, {1, 0}, {}}, {8, 8})),
            "layout-instruction");
  EXPECT_EQ(
      code(toLayout(Blocked{{2, 2}, {8, 4}, {1, 2}, {1, 0}, {}}, {8, 24})),
      "layout-instruction");
  EXPECT_EQ(code(toLayout(NvmmaShared{48, 16, false}, {8, 8})),
            "layout-instruction");
  EXPECT_EQ(code(toLayout(Linear{{{0, 4}}, {}, {}, {}}, {2, 2})),
            "layout-invalid");
}

} // namespace
