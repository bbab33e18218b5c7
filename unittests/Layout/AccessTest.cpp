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

/// Executes stmatrix as the PTX ISA says: lane t of matrix m writes elements
/// 2*(t%4), 2*(t%4)+1 of row t/4 (.trans: of column t/4) at the address that
/// lane 8m + row gave; and compares with the tile's own layout.
void expectStores(const Layout &tile, const SharedImage &image, bool trans,
                  int wantCount, int64_t rowOffset, int64_t columnOffset) {
  auto plan = MatrixPlan::make(tile, image, trans, rowOffset, columnOffset);
  ASSERT_TRUE(bool(plan)) << plan.problem().message;
  EXPECT_EQ(plan->count(), wantCount);
  const int64_t base = 2048;
  // Byte address -> (register, lane, warp).
  std::map<int64_t, Coord> memory;
  for (int64_t w = 0; w < tile.warps(); ++w)
    for (int64_t n = 0; n < plan->instructions(); ++n)
      for (int64_t m = 0; m < plan->count(); ++m)
        for (int64_t t = 0; t < 32; ++t)
          for (int64_t half = 0; half < 2; ++half) {
            int64_t along = 2 * (t % 4) + half, across = t / 4;
            int64_t row = trans ? along : across, col = trans ? across : along;
            int64_t address = plan->address(base, n, 8 * m + row, w);
            ASSERT_EQ(address % 16, 0);
            Coord from{n * plan->registers() + 2 * m + half, t, w};
            ASSERT_TRUE(memory.emplace(address + 2 * col, from).second);
          }
  ASSERT_EQ(static_cast<int64_t>(memory.size()), tile.size());
  for (auto &[address, from] : memory) {
    Coord at = tile.apply(from);
    ASSERT_EQ(image.address(base, at[0] + rowOffset, at[1] + columnOffset),
              address);
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
  expectStores(*wgmmaD(128, 256, 2), image(128, 256, Swizzle::Span64), false, 4,
               0, 0);
  expectStores(*mmaB(16, 16), image(16, 8, Swizzle::None), true, 2, 0, 0);
  expectStores(*wgmmaD(64, 64)->permuted({1, 0}), image(64, 64, Swizzle::None),
               true, 4, 0, 0);
  expectStores(*mmaA(16, 16), image(16, 16, Swizzle::Span32), false, 4, 0, 0);
}

TEST(MatrixPlan, SaysWhyNot) {
  auto code = [](const Result<MatrixPlan> &plan) {
    return plan ? std::string("none") : plan.problem().code;
  };
  SharedImage image = *SharedImage::make(64, 64, 2, Swizzle::Span128);
  Layout tile = *wgmmaD(64, 64);
  EXPECT_EQ(code(MatrixPlan::make(tile, image, false)), "none");
  EXPECT_EQ(code(MatrixPlan::make(tile, image, true)), "layout-mismatch");
  EXPECT_EQ(code(MatrixPlan::make(tile, image, false, 0, 8)),
            "layout-mismatch");
  EXPECT_EQ(code(MatrixPlan::make(
                tile, *SharedImage::make(64, 32, 4, Swizzle::Span128), false)),
            "layout-mismatch");
  EXPECT_EQ(
      code(MatrixPlan::make(*blocked({64, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0}),
                            image, false)),
      "layout-mismatch");
  SharedImage odd =
      *SharedImage::withPanels(64, 64, 2, Swizzle::None, 128, 136);
  EXPECT_EQ(code(MatrixPlan::make(tile, odd, false)), "layout-mismatch");
  EXPECT_NE(lookupCode("layout-mismatch"), nullptr);
}

/// Every vector access is contiguous and aligned, and twice as wide is not.
TEST(Vectors, AgainstEveryAccess) {
  struct Case {
    Layout tile;
    SharedImage image;
    int64_t rowOffset, columnOffset, want;
  };
  auto image = [](int64_t r, int64_t c, int64_t e, Swizzle s) {
    return *SharedImage::make(r, c, e, s);
  };
  for (const Case &c : std::vector<Case>{
           {*blocked({64, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0}),
            image(64, 64, 2, Swizzle::Span128), 0, 0, 8},
           {*blocked({64, 64}, {1, 16}, {8, 4}, {4, 1}, {1, 0}),
            image(64, 64, 2, Swizzle::Span128), 0, 0, 8},
           {*blocked({16, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0}),
            image(64, 80, 2, Swizzle::None), 3, 4, 4},
           {*blocked({16, 60}, {1, 6}, {4, 10}, {1, 1}, {1, 0}),
            image(16, 60, 4, Swizzle::None), 0, 0, 2},
           {*wgmmaD(64, 32), image(64, 32, 4, Swizzle::Span128), 0, 0, 2},
           {*wgmmaD(64, 32), image(64, 34, 2, Swizzle::None), 0, 1, 1},
           {*mfmaA(32, 8, 16), image(32, 8, 2, Swizzle::None), 0, 0, 4},
           {*mfmaD(32), image(32, 32, 4, Swizzle::None), 0, 0, 1}}) {
    SCOPED_TRACE(c.tile.str());
    int64_t got = sharedVectorRegisters(c.tile, c.image, c.columnOffset);
    EXPECT_EQ(got, c.want);
    auto works = [&](int64_t k) {
      if (k * c.image.elementBytes() > 16 || c.tile.registers() % k)
        return false;
      for (int64_t w = 0; w < c.tile.warps(); ++w)
        for (int64_t l = 0; l < c.tile.lanes(); ++l)
          for (int64_t r = 0; r < c.tile.registers(); ++r) {
            auto at = [&](int64_t reg) {
              Coord x = c.tile.coords(reg, l, w);
              return c.image.address(1024, x[0] + c.rowOffset,
                                     x[1] + c.columnOffset);
            };
            int64_t first = at(r / k * k);
            if (at(r) != first + r % k * c.image.elementBytes() ||
                first % (k * c.image.elementBytes()))
              return false;
          }
      return true;
    };
    EXPECT_TRUE(works(got));
    EXPECT_FALSE(works(2 * got));
  }
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
  // stmatrix.x4 into a 128-byte pitch: without swizzle the eight rows of a
  // matrix meet in four banks, with it they do not.
  for (Swizzle s : {Swizzle::None, Swizzle::Span128}) {
    auto plan = MatrixPlan::make(*wgmmaD(64, 64),
                                 *SharedImage::make(64, 64, 2, s), false);
    ASSERT_TRUE(bool(plan));
    std::vector<int64_t> addresses;
    for (int64_t l = 0; l < 32; ++l)
      addresses.push_back(plan->address(1024, 0, l, 0));
    EXPECT_EQ(wavefronts(addresses, 16), s == Swizzle::None ? 32 : 4);
  }
}

} // namespace
