//===- AccessTest.cpp - Matrix and vector accesses of shared memory -------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Access.h"
#include "titan/Target/Codes.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace titan;

namespace {

/// The tile with its element (0, 0) at (row, column) of the image, which has
/// that shape; and the image as a layout.
Layout placed(const Layout &tile, const SharedImage &image, int64_t row,
              int64_t column) {
  return *Layout::make(tile.axes(),
                       {{"r", image.rows()}, {"c", image.columns()}},
                       {row, column}, tile.bits());
}

/// Executes stmatrix as the PTX ISA says: lane t of matrix m writes elements
/// 2*(t%4), 2*(t%4)+1 of row t/4 (.trans: of column t/4) at the address that
/// lane 8m + row gave; and compares with the tile's own layout.
void expectStores(const Layout &shape, const SharedImage &image, bool trans,
                  int wantCount, int64_t rowOffset, int64_t columnOffset) {
  Layout tile = placed(shape, image, rowOffset, columnOffset);
  auto plan = MatrixPlan::make(tile, *image.layout(), trans);
  ASSERT_TRUE(bool(plan)) << plan.problem().message;
  EXPECT_EQ(plan->count(), wantCount);
  // Byte address -> (register, lane, warp).
  std::map<int64_t, Coord> memory;
  for (int64_t w = 0; w < tile.warps(); ++w)
    for (int64_t n = 0; n < plan->instructions(); ++n) {
      std::vector<int64_t> given;
      for (int64_t m = 0; m < plan->count(); ++m)
        for (int64_t t = 0; t < 32; ++t)
          for (int64_t half = 0; half < 2; ++half) {
            int64_t along = 2 * (t % 4) + half, across = t / 4;
            int64_t row = trans ? along : across, col = trans ? across : along;
            int64_t address = plan->addresses(n).coords(0, 8 * m + row, w)[0];
            ASSERT_EQ(address % 16, 0);
            Coord from{n * plan->registers() + 2 * m + half, t, w};
            ASSERT_TRUE(memory.emplace(address + 2 * col, from).second);
            if (t < 8 && half == 0)
              given.push_back(plan->addresses(n).coords(0, 8 * m + t, w)[0]);
          }
      ASSERT_EQ(plan->wavefronts(n, w), wavefronts(given, 16));
    }
  ASSERT_EQ(static_cast<int64_t>(memory.size()), tile.size());
  for (auto &[address, from] : memory) {
    Coord at = tile.apply(from);
    ASSERT_EQ(image.address(0, at[0], at[1]), address);
  }
}

TEST(MatrixPlan, StoresTheTile) {
  auto image = [](int64_t r, int64_t c, Swizzle s) {
    return *SharedImage::make(r, c, 2, s);
  };
  expectStores(*wgmmaD(64, 96), image(64, 128, Swizzle::Span128), false, 4, 0,
               0);
  expectStores(*wgmmaD(64, 96), image(128, 128, Swizzle::Span128), false, 4, 64,
               32);
  expectStores(*wgmmaD(64, 24), image(64, 24, Swizzle::None), false, 2, 0, 0);
  expectStores(*wgmmaD(64, 8), image(64, 8, Swizzle::None), false, 2, 0, 0);
  expectStores(*wgmmaD(128, 256, 2), image(128, 256, Swizzle::Span64), false, 4,
               0, 0);
  expectStores(*mmaB(16, 16), image(16, 8, Swizzle::None), true, 2, 0, 0);
  expectStores(*wgmmaD(64, 64)->permuted({1, 0}), image(64, 64, Swizzle::None),
               true, 4, 0, 0);
  expectStores(*mmaA(16, 16), image(16, 16, Swizzle::Span32), false, 4, 0, 0);
  // One matrix, and three; matrices in any order, warps anywhere.
  expectStores(*Layout::parse("reg: 2*c1; lane: 4*c2, 8*r1"),
               image(8, 64, Swizzle::Span128), false, 1, 0, 16);
  expectStores(*Layout::parse("reg: 2*c1, 3*c8; lane: 4*c2, 8*r1; warp: 3*r8"),
               image(32, 64, Swizzle::Span128), false, 1, 8, 40);
  expectStores(
      *Layout::parse(
          "reg: 2*c1, 2*c16, 2*r8, 2*c8; lane: 4*c2, 8*r1; warp: 2*c32"),
      image(16, 64, Swizzle::Span64), false, 4, 0, 0);
}

TEST(MatrixPlan, SaysWhyNot) {
  auto code = [](const Layout &tile, const SharedImage &image, bool trans,
                 int64_t column = 0) {
    auto plan = MatrixPlan::make(placed(tile, image, 0, column),
                                 *image.layout(), trans);
    return plan ? std::string("none") : plan.problem().code;
  };
  SharedImage image = *SharedImage::make(64, 64, 2, Swizzle::Span128);
  SharedImage wide = *SharedImage::make(64, 128, 2, Swizzle::Span128);
  Layout tile = *wgmmaD(64, 64);
  EXPECT_EQ(code(tile, image, false), "none");
  EXPECT_EQ(code(tile, image, true), "layout-mismatch");
  EXPECT_EQ(code(tile, wide, false, 8), "none");
  EXPECT_EQ(code(tile, wide, false, 4), "layout-mismatch");
  EXPECT_EQ(code(tile, *SharedImage::make(64, 64, 4, Swizzle::Span128), false),
            "layout-mismatch");
  EXPECT_EQ(
      code(*blocked({64, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0}), image, false),
      "layout-mismatch");
  SharedImage odd =
      *SharedImage::withPanels(64, 64, 2, Swizzle::None, 128, 136);
  EXPECT_EQ(code(tile, odd, false), "layout-mismatch");
  // Rows of 8 elements across two panels of 12.
  SharedImage cut = *SharedImage::withPanels(64, 72, 2, Swizzle::None, 24, 32);
  EXPECT_EQ(code(*wgmmaD(64, 72), cut, false), "layout-mismatch");
  EXPECT_NE(lookupCode("layout-mismatch"), nullptr);
}

/// The bytes of one access, and whether all of them are one piece, aligned.
bool movesBy(const Layout &tile, const SharedImage &image, int64_t element,
             int64_t k) {
  if (k * element > 16 || tile.registers() % k)
    return false;
  for (int64_t w = 0; w < tile.warps(); ++w)
    for (int64_t l = 0; l < tile.lanes(); ++l)
      for (int64_t r = 0; r < tile.registers(); ++r) {
        auto at = [&](int64_t reg) {
          Coord x = tile.coords(reg, l, w);
          return image.address(0, x[0], x[1]);
        };
        int64_t first = at(r / k * k);
        if (at(r) != first + r % k * element || first % (k * element))
          return false;
      }
  return true;
}

/// Vectors and wavefronts of every tile in every image, against the addresses
/// of every lane.
TEST(Access, AgainstEveryAddress) {
  std::vector<Layout> tiles = {
      *blocked({64, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0}),
      *blocked({64, 64}, {1, 16}, {8, 4}, {4, 1}, {1, 0}),
      *blocked({16, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0}),
      *blocked({16, 60}, {1, 6}, {4, 10}, {1, 1}, {1, 0}),
      *blocked({64, 64}, {4, 1}, {8, 4}, {1, 4}, {0, 1}),
      *wgmmaD(64, 24),
      *wgmmaD(64, 32),
      *wgmmaD(64, 64),
      *wgmmaD(64, 96),
      *wgmmaD(128, 64, 2),
      *mfmaA(32, 8, 16),
      *mfmaD(32),
      *mmaA(16, 16),
      *mmaA(8, 32),
      *mmaB(16, 32),
      *Layout::parse("reg: 4*r1; lane: 4*^r4^c1, 8*c4; warp: 2*r16"),
      *Layout::parse("reg: 2*c1, 4*^r8^c2; lane: 4*rep, 8*r1"),
      *Layout::parse("reg: 8*c1; lane: 32*rep")};
  std::map<int64_t, int> widths;
  int conflicts = 0, closed = 0;
  for (const Layout &shape : tiles)
    for (int64_t element : {1, 2, 4, 8})
      for (Swizzle swizzle :
           {Swizzle::None, Swizzle::Span32, Swizzle::Span64, Swizzle::Span128})
        for (int64_t columns : {64, 68, 96, 128})
          for (int64_t pad : {0, 8, 16})
            for (int64_t column : {0, 1, 4}) {
              auto image =
                  pad == 0 ? SharedImage::make(128, columns, element, swizzle)
                           : SharedImage::withPanels(
                                 128, columns, element, Swizzle::None,
                                 columns * element, columns * element + pad);
              if (!image || (pad && swizzle != Swizzle::None) ||
                  column + shape.shape()[1] > columns)
                continue;
              if (!Layout::make(shape.axes(), {{"r", 128}, {"c", columns}},
                                {0, column}))
                continue; // exclusive or would lead out of the image
              Layout tile = placed(shape, *image, 0, column);
              Layout bytes = *image->layout();
              SCOPED_TRACE(tile.str() + " in " + bytes.str());
              int64_t width = vectorBytes(tile, bytes, element);
              int64_t k = width / element;
              ++widths[width];
              ASSERT_TRUE(movesBy(tile, *image, element, k));
              ASSERT_FALSE(movesBy(tile, *image, element, 2 * k));
              for (int64_t narrow = element; narrow <= width; narrow *= 2) {
                auto cost = accessCost(tile, bytes, element, narrow);
                ASSERT_TRUE(bool(cost)) << cost.problem().message;
                int64_t most = 0, n = narrow / element;
                for (int64_t w = 0; w < tile.warps(); ++w) {
                  int64_t total = 0;
                  for (int64_t r = 0; r < tile.registers(); r += n) {
                    std::vector<int64_t> addresses;
                    for (int64_t l = 0; l < tile.lanes(); ++l) {
                      Coord at = tile.coords(r, l, w);
                      addresses.push_back(image->address(0, at[0], at[1]));
                    }
                    total += wavefronts(addresses, narrow);
                  }
                  most = std::max(most, total);
                }
                ASSERT_EQ(cost->wavefronts, most) << narrow;
                ASSERT_EQ(cost->accesses, tile.registers() / n);
                ASSERT_LE(cost->ideal, most);
                conflicts += cost->ideal < most;
                closed += cost->ideal == most;
              }
              EXPECT_EQ(
                  accessCost(tile, bytes, element, 2 * width).problem().code,
                  "layout-mismatch");
              if (HasFatalFailure())
                return;
            }
  // All of it happened.
  for (int64_t width : {1, 2, 4, 8, 16})
    EXPECT_GT(widths[width], 10) << width;
  EXPECT_GT(conflicts, 100);
  EXPECT_GT(closed, 100);
}

TEST(Wavefronts, KnownPatterns) {
  std::vector<int64_t> rows, columns, same(32, 64), wide;
  for (int64_t l = 0; l < 32; ++l) {
    rows.push_back(4 * l);
    columns.push_back(128 * l);
    wide.push_back(16 * l);
  }
  EXPECT_EQ(wavefronts(rows, 4), 1);
  EXPECT_EQ(wavefronts(columns, 4), 32);
  EXPECT_EQ(wavefronts(same, 4), 1);
  EXPECT_EQ(wavefronts(wide, 16), 4);
  // The header's example.
  Layout tile = *Layout::parse("reg: 2*c1, 2*r8, 2*c8; lane: 4*c2, 8*r1");
  Layout image = *SharedImage::make(16, 16, 2, Swizzle::None)->layout();
  EXPECT_EQ(vectorBytes(tile, image, 2), 4);
  auto cost = accessCost(tile, image, 2);
  ASSERT_TRUE(bool(cost));
  EXPECT_EQ(cost->accesses, 4);
  EXPECT_EQ(cost->wavefronts, 8);
  EXPECT_EQ(cost->ideal, 4);
  // stmatrix.x4 into a 128-byte pitch: without swizzle the eight rows of a
  // matrix meet in four banks, with it they do not.
  for (Swizzle s : {Swizzle::None, Swizzle::Span128}) {
    auto plan = MatrixPlan::make(
        *wgmmaD(64, 64), *SharedImage::make(64, 64, 2, s)->layout(), false);
    ASSERT_TRUE(bool(plan));
    EXPECT_EQ(plan->wavefronts(0), s == Swizzle::None ? 32 : 4);
  }
}

} // namespace
