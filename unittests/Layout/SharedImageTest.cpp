//===- SharedImageTest.cpp - Shared images and sets of bytes --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/SharedImage.h"
#include "titan/Layout/Hardware.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace titan;

namespace {

// docs/tma-facts.md 2.2: inputs and outputs of the xor, in hexadecimal.
TEST(Swizzle, PublishedVectors) {
  const int64_t in[] = {0x40, 0x80, 0x90, 0x100, 0x1C8, 0x3F8};
  const int64_t out[3][6] = {{0x40, 0x90, 0x80, 0x100, 0x1D8, 0x3E8},
                             {0x40, 0x90, 0x80, 0x120, 0x1F8, 0x3C8},
                             {0x40, 0x90, 0x80, 0x120, 0x1F8, 0x388}};
  const Swizzle modes[] = {Swizzle::Span32, Swizzle::Span64, Swizzle::Span128};
  for (int m = 0; m < 3; ++m)
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(swizzleBits(modes[m])(in[i]), out[m][i]);
  EXPECT_TRUE(swizzleBits(Swizzle::None).isIdentity());
  EXPECT_EQ(swizzleSpan(Swizzle::Span128), 128);
  EXPECT_EQ(swizzlePeriod(Swizzle::Span32), 256);
  EXPECT_EQ(swizzlePeriod(Swizzle::Span64), 512);
  EXPECT_EQ(swizzlePeriod(Swizzle::Span128), 1024);
}

// PTX ISA, "Swizzling modes": the pattern of 16-byte chunks in 128-byte rows.
TEST(Swizzle, PatternOf128) {
  auto image = SharedImage::make(8, 64, 2, Swizzle::Span128);
  ASSERT_TRUE(bool(image));
  for (int64_t r = 0; r < 8; ++r)
    for (int64_t chunk = 0; chunk < 8; ++chunk)
      EXPECT_EQ(image->address(0, r, 8 * chunk), 128 * r + 16 * (chunk ^ r));
}

struct Shape {
  int64_t rows, columns, element;
  Swizzle swizzle;
};

TEST(SharedImage, AgainstTheFormula) {
  for (const Shape &s : std::vector<Shape>{{64, 128, 2, Swizzle::Span128},
                                           {8, 64, 2, Swizzle::Span64},
                                           {12, 16, 4, Swizzle::Span32},
                                           {5, 24, 2, Swizzle::None},
                                           {7, 8, 2, Swizzle::Span128},
                                           {24, 96, 1, Swizzle::Span32}}) {
    auto image = SharedImage::make(s.rows, s.columns, s.element, s.swizzle);
    ASSERT_TRUE(bool(image)) << image.problem().message;
    int64_t span = swizzleSpan(s.swizzle);
    bool plain = s.swizzle == Swizzle::None;
    int64_t panel = plain ? s.columns * s.element : span;
    for (int64_t base : {0, 128, 384, 1024}) {
      auto layout = image->layout(base);
      ASSERT_TRUE(bool(layout)) << layout.problem().message;
      std::set<int64_t> touched;
      for (int64_t r = 0; r < s.rows; ++r)
        for (int64_t c = 0; c < s.columns; ++c) {
          int64_t b = c * s.element;
          int64_t want =
              base + b / panel * s.rows * panel + r * panel + b % panel;
          if (!plain) // offset = panel*rows*span + r*span + b mod span,
                      // swizzled
            want = swizzleBits(s.swizzle)(want);
          int64_t got = image->address(base, r, c);
          ASSERT_EQ(got, want);
          ASSERT_EQ(layout->apply({r, c}), Coord{want});
          for (int64_t k = 0; k < s.element; ++k) {
            ASSERT_TRUE(touched.insert(got + k).second);
            ASSERT_EQ(image->elementAt(base, got + k), (Coord{r, c}));
          }
        }
      ByteSet bytes = image->bytes(base);
      ASSERT_EQ(bytes.bytes(), static_cast<int64_t>(touched.size()));
      for (int64_t b = base - 200; b < base + image->sizeBytes() + 200; ++b) {
        ASSERT_EQ(bytes.contains(b), touched.count(b) != 0);
        if (b >= 0)
          ASSERT_EQ(image->elementAt(base, b).has_value(),
                    touched.count(b) != 0);
      }
    }
  }
}

TEST(SharedImage, Refusals) {
  auto code = [](const Result<SharedImage> &r) {
    return r ? std::string("none") : r.problem().code;
  };
  EXPECT_EQ(code(SharedImage::make(0, 8, 2, Swizzle::None)), "layout-invalid");
  EXPECT_EQ(code(SharedImage::make(8, 8, 3, Swizzle::None)), "layout-invalid");
  EXPECT_EQ(code(SharedImage::make(8, 96, 2, Swizzle::Span128)),
            "layout-panel");
  EXPECT_EQ(code(SharedImage::withPanels(8, 64, 2, Swizzle::Span64, 64, 128)),
            "layout-panel");
  EXPECT_EQ(code(SharedImage::withPanels(8, 64, 2, Swizzle::None, 128, 144)),
            "none");
  EXPECT_EQ(code(SharedImage::withPanels(8, 64, 2, Swizzle::None, 128, 64)),
            "layout-panel");
}

/// The bytes a warp touches, against each element by itself.
TEST(SharedImage, BytesOfWarps) {
  auto image = SharedImage::make(128, 128, 2, Swizzle::Span128);
  ASSERT_TRUE(bool(image));
  Layout tile = *wgmmaD(64, 96);
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t rowOffset : {0, 64, 100}) {
      std::set<int64_t> want;
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t reg = 0; reg < tile.registers(); ++reg) {
          Coord at = tile.coords(reg, lane, warp);
          if (at[0] + rowOffset < 128)
            for (int64_t k = 0; k < 2; ++k)
              want.insert(image->address(2048, at[0] + rowOffset, at[1] + 16) +
                          k);
        }
      ByteSet got = bytesOfWarp(tile, warp, *image, 2048, rowOffset, 16);
      ASSERT_EQ(got.bytes(), static_cast<int64_t>(want.size()));
      for (int64_t b : want)
        ASSERT_TRUE(got.contains(b));
      ByteSet lanes;
      for (int64_t lane = 0; lane < 32; ++lane)
        lanes = lanes.unite(bytesOfLane(tile, warp, lane, 0, tile.registers(),
                                        *image, 2048, rowOffset, 16));
      ASSERT_EQ(lanes, got);
    }
  // Warps of one warpgroup touch disjoint bytes.
  EXPECT_FALSE(bytesOfWarp(tile, 0, *image, 0)
                   .intersects(bytesOfWarp(tile, 1, *image, 0)));
  // Composition says the same: registers straight to bytes.
  // (96 columns are one and a half panels: no digits say that.)
  EXPECT_EQ(tile.then(*image->layout(2048)).problem().code, "layout-algebra");
  tile = *wgmmaD(64, 128);
  auto bytes = tile.then(*image->layout(2048));
  ASSERT_TRUE(bool(bytes)) << bytes.problem().message;
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t reg = 0; reg < tile.registers(); ++reg) {
      Coord at = tile.coords(reg, lane, 2);
      ASSERT_EQ(bytes->coords(reg, lane, 2)[0],
                image->address(2048, at[0], at[1]));
    }
}

TEST(ByteSet, AgainstStdSet) {
  std::mt19937 random(99);
  auto some = [&](std::set<int64_t> &truth) {
    ByteSet set;
    for (int k = random() % 6; k > 0; --k) {
      int64_t begin = random() % 40, end = begin + random() % 8;
      set.add(begin, end);
      for (int64_t b = begin; b < end; ++b)
        truth.insert(b);
    }
    return set;
  };
  for (int i = 0; i < 3000; ++i) {
    std::set<int64_t> ta, tb;
    ByteSet a = some(ta), b = some(tb);
    ASSERT_EQ(a.bytes(), static_cast<int64_t>(ta.size()));
    ByteSet u = a.unite(b), n = a.intersect(b), d = a.subtract(b);
    bool contains = true, meets = false;
    for (int64_t x = -1; x < 50; ++x) {
      bool inA = ta.count(x), inB = tb.count(x);
      ASSERT_EQ(a.contains(x), inA);
      ASSERT_EQ(u.contains(x), inA || inB);
      ASSERT_EQ(n.contains(x), inA && inB);
      ASSERT_EQ(d.contains(x), inA && !inB);
      ASSERT_EQ(a.shifted(5).contains(x + 5), inA);
      contains = contains && (inA || !inB);
      meets = meets || (inA && inB);
    }
    ASSERT_EQ(a.contains(b), contains);
    ASSERT_EQ(a.intersects(b), meets);
    ASSERT_EQ(n.empty(), !meets);
    for (const ByteSet &s : {a, u, n, d})
      for (size_t k = 0; k < s.intervals().size(); ++k) {
        ASSERT_LT(s.intervals()[k].begin, s.intervals()[k].end);
        if (k)
          ASSERT_GT(s.intervals()[k].begin, s.intervals()[k - 1].end);
      }
    ASSERT_EQ(ByteSet::of(u.intervals()), u);
  }
  EXPECT_EQ(ByteSet(0, 64).unite(ByteSet(64, 80)).unite({128, 160}).str(),
            "[0, 80) [128, 160)");
}

} // namespace
