//===- CommonRunsTest.cpp - bytes that lie together on both sides ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/CommonRuns.h"

#include "titan/Layout/SharedImage.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <map>
#include <random>

using namespace titan;

namespace common_runs {
namespace {

LayoutRegion at(const std::string &text, std::vector<int64_t> offsets) {
  auto layout = Layout::parse(text);
  EXPECT_TRUE(layout) << text;
  LayoutRegion region{*layout, {}};
  for (int64_t offset : offsets)
    region.offsets.push_back({offset, 1});
  return region;
}

std::string message(const Result<CommonRuns> &runs) {
  return runs ? "fits" : runs.problem().message;
}

/// Where each byte of the region goes, by evaluating the two functions.
std::map<int64_t, int64_t>
bytesOf(const LayoutRegion &source, const LayoutRegion &target,
        const std::vector<int64_t> &extents, const std::vector<int64_t> &from,
        const std::vector<int64_t> &to, int64_t elementBytes) {
  std::map<int64_t, int64_t> moved; // Of the target, from where.
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  for (int64_t n = 0; n < count; ++n) {
    Coord a(int(from.size())), b(int(to.size()));
    for (size_t d = 0; d < from.size(); ++d)
      a[d] = from[d];
    for (size_t d = 0; d < to.size(); ++d)
      b[d] = to[d];
    int64_t left = n;
    for (size_t d = extents.size(); d-- > 0;) {
      a[from.size() - extents.size() + d] += left % extents[d];
      b[to.size() - extents.size() + d] += left % extents[d];
      left /= extents[d];
    }
    int64_t x = source.bytes.apply(a)[0], y = target.bytes.apply(b)[0];
    for (int64_t k = 0; k < elementBytes; ++k)
      moved[y + k] = x + k;
  }
  return moved;
}

/// The same by the chunks.
std::map<int64_t, int64_t> bytesOf(const CommonRuns &runs,
                                   const std::vector<int64_t> &from,
                                   const std::vector<int64_t> &to,
                                   int64_t unit) {
  std::map<int64_t, int64_t> moved;
  std::vector<int64_t> counters(runs.extents.size());
  for (int64_t n = 0; n < runs.count(); ++n) {
    int64_t left = n;
    for (size_t k = counters.size(); k-- > 0;) {
      counters[k] = left % runs.extents[k];
      left /= runs.extents[k];
    }
    int64_t x = runs.source.at(from, counters),
            y = runs.target.at(to, counters);
    EXPECT_EQ(x % unit, 0);
    EXPECT_EQ(y % unit, 0);
    for (int64_t k = 0; k < runs.bytes; ++k)
      moved[y + k] = x + k;
  }
  return moved;
}

TEST(CommonRuns, AllOfIt) {
  auto tile = at("r: 128*b128; c: 64*b2", {0, 0});
  auto runs = commonRuns(tile, tile, {128, 64}, 2, 16);
  ASSERT_TRUE(runs) << message(runs);
  EXPECT_EQ(runs->bytes, 16384);
  EXPECT_EQ(runs->count(), 1);
}

TEST(CommonRuns, ARowEach) {
  auto runs = commonRuns(at("r: 128*b128; c: 64*b2", {0, 32}),
                         at("r: 128*b64; c: 32*b2", {0, 0}), {128, 32}, 2, 16);
  ASSERT_TRUE(runs) << message(runs);
  EXPECT_EQ(runs->bytes, 64);
  EXPECT_EQ(runs->extents, std::vector<int64_t>{128});
  EXPECT_EQ(runs->source.at({0, 32}, {3}), 64 + 3 * 128);
  EXPECT_EQ(runs->target.at({0, 0}, {3}), 3 * 64);
}

TEST(CommonRuns, ColumnsOnBothSides) {
  // Not the order of dimensions decides, but what lies together.
  auto tile = at("r: 128*b2; c: 64*b256", {0, 0});
  auto runs = commonRuns(tile, tile, {128, 64}, 2, 16);
  ASSERT_TRUE(runs) << message(runs);
  EXPECT_EQ(runs->count(), 1);
}

TEST(CommonRuns, RowsAgainstColumns) {
  auto runs = commonRuns(at("r: 128*b128; c: 64*b2", {0, 0}),
                         at("r: 128*b2; c: 64*b256", {0, 0}), {128, 64}, 2, 16);
  ASSERT_FALSE(runs);
  EXPECT_NE(message(runs).find("2 bytes, 1 element"), std::string::npos);
}

TEST(CommonRuns, StrangeDigits) {
  // 6 and 4 meet in 2; 3 and 2 do not meet.
  auto runs = commonRuns(at("i: 6*b16, 4*b96", {0}), at("i: 4*b16, 6*b64", {0}),
                         {24}, 16, 16);
  EXPECT_TRUE(runs) << message(runs);
  runs = commonRuns(at("i: 3*b16, 4*b64", {0}), at("i: 4*b16, 3*b80", {0}),
                    {12}, 16, 16);
  ASSERT_FALSE(runs);
  EXPECT_NE(message(runs).find("one to one"), std::string::npos);
}

TEST(CommonRuns, Places) {
  // A chunk that begins at byte 8; a region over the end of a digit.
  auto runs = commonRuns(at("c: 64*b2", {4}), at("c: 64*b2", {0}), {8}, 2, 16);
  ASSERT_FALSE(runs);
  EXPECT_NE(message(runs).find("multiples of 8 bytes"), std::string::npos);
  runs = commonRuns(at("c: 8*b2, 8*b32", {4}), at("c: 64*b2", {0}), {8}, 2, 16);
  ASSERT_FALSE(runs);
  EXPECT_NE(message(runs).find("reaches over the end"), std::string::npos);
}

TEST(CommonRuns, OffsetsThatOnlyTheProgramKnows) {
  // Of a multiple of 2 the inner digit of r is 0: nothing of it is in the start.
  auto source = at("r: 2*b2, 3*b112; s: 24*b4", {0, 0});
  auto target = at("r: 2*b2; s: 24*b4", {0, 0});
  source.offsets[0] = {std::nullopt, 2};
  auto runs = commonRuns(source, target, {2, 24}, 2, 16);
  ASSERT_TRUE(runs) << message(runs);
  EXPECT_EQ(runs->bytes, 96);
  ASSERT_EQ(runs->source.terms.size(), 1u);
  EXPECT_EQ(runs->source.at({4, 0}, {}), 224);
  source.offsets[0] = {std::nullopt, 1};
  EXPECT_FALSE(commonRuns(source, target, {2, 24}, 2, 16));
}

TEST(CommonRuns, Swizzles) {
  auto image = [](Swizzle swizzle) {
    return LayoutRegion{*SharedImage::make(64, 64, 2, swizzle)->layout(),
                        {{0, 1}, {0, 1}}};
  };
  // Alike: all of it. Alike, some rows of one panel: eight rows are a period.
  auto runs = commonRuns(image(Swizzle::Span128), image(Swizzle::Span128),
                         {64, 64}, 2, 16);
  ASSERT_TRUE(runs) << message(runs);
  EXPECT_EQ(runs->bytes, 8192);
  // A row in step with its target: its chunks are exchanged equally on both sides.
  // Out of step they are not.
  for (int64_t row : {8, 9, 13}) {
    auto source = image(Swizzle::Span128), target = image(Swizzle::Span128);
    source.offsets[0].value = row;
    for (int64_t other : {row + 16, row + 1}) {
      target.offsets[0].value = other;
      runs = commonRuns(source, target, {1, 64}, 2, 16);
      ASSERT_TRUE(runs) << message(runs);
      EXPECT_EQ(runs->bytes, other == row + 16 ? 128 : 16);
      EXPECT_EQ(bytesOf(*runs, {row, 0}, {other, 0}, 16),
                bytesOf(source, target, {1, 64}, {row, 0}, {other, 0}, 2));
    }
  }
  // Otherwise: 16 bytes, which every swizzle leaves whole.
  runs = commonRuns(image(Swizzle::Span128), image(Swizzle::None), {64, 64}, 2,
                    16);
  ASSERT_TRUE(runs) << message(runs);
  EXPECT_EQ(runs->bytes, 16);
  EXPECT_EQ(runs->count(), 512);
}

TEST(CommonRuns, SwizzlesOutOfStep) {
  // Rows that lie twice as far apart at the target; runs that begin in the middle
  // of what a larger chunk would be.
  const std::string bits = "; bits: 4^7, 5^8, 6^9";
  struct {
    LayoutRegion source, target;
    std::vector<int64_t> extents, from, to;
  } cases[] = {{at("r: 8*b128; c: 64*b2" + bits, {0, 0}),
                at("r: 8*b256; c: 64*b2" + bits, {0, 0}),
                {8, 64},
                {0, 0},
                {0, 0}},
               {at("r: 8*b128; c: 64*b2" + bits, {1, 8}),
                at("r: 8*b128; c: 64*b2" + bits, {1, 8}),
                {1, 16},
                {1, 8},
                {1, 8}}};
  for (auto &[source, target, extents, from, to] : cases) {
    auto runs = commonRuns(source, target, extents, 2, 16);
    ASSERT_TRUE(runs) << message(runs);
    EXPECT_EQ(runs->bytes, 16);
    EXPECT_EQ(bytesOf(*runs, from, to, 16),
              bytesOf(source, target, extents, from, to, 2));
  }
}

/// Random layouts, regions, swizzles: each byte is where the functions say.
TEST(CommonRuns, Random) {
  int64_t seeds = std::getenv("TITAN_TEST_FULL") ? 20000 : 400;
  int64_t fit = 0, several = 0, swizzled = 0, unknown = 0;
  for (int64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    auto upTo = [&](int64_t n) { return int64_t(random() % n) + 1; };
    int64_t elementBytes = int64_t(1) << (upTo(4) - 1);
    int rank = int(upTo(3));
    std::vector<int64_t> extents;
    static const int64_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 32};
    for (int d = 0; d < rank; ++d)
      extents.push_back(sizes[upTo(9) - 1]);
    // Digits of all dimensions, in an order of the bytes that both sides share
    // more often than not.
    std::vector<int> order(rank);
    for (int d = 0; d < rank; ++d)
      order[d] = rank - 1 - d;
    bool columns = upTo(4) == 1;
    struct Made {
      LayoutRegion region;
      std::vector<int64_t> offsets;
    };
    auto make = [&](bool other) {
      Made made;
      std::vector<int> own = order;
      if (columns || (other && upTo(8) == 1))
        std::reverse(own.begin(), own.end());
      std::vector<Axis> axes(rank);
      int64_t stride = elementBytes;
      for (int d : own) {
        axes[d].name = std::string(1, char('a' + d));
        int64_t size = extents[d] * (upTo(3) == 1 ? upTo(3) : 1);
        int64_t inner = 1;
        for (int64_t p : {2, 3, 4})
          if (upTo(6) == 1 && size % p == 0)
            inner = p;
        for (int64_t n : {inner, size / inner}) {
          axes[d].digits.push_back({n, 0, stride});
          stride *= n;
          if (upTo(6) == 1)
            stride = (stride + 15) / 16 * 16 + (upTo(3) == 1 ? 16 : 0);
        }
        int64_t room = size - extents[d];
        int64_t offset = room ? int64_t(random() % (room + 1)) : 0;
        if (upTo(2) == 1)
          offset = offset / extents[d] * extents[d];
        made.offsets.push_back(offset);
      }
      // In the order of the axes.
      std::vector<int64_t> offsets(rank);
      for (int k = 0; k < rank; ++k)
        offsets[own[k]] = made.offsets[k];
      made.offsets = offsets;
      BitLinear bits;
      int64_t extent = stride + 1;
      if (upTo(3) == 1) {
        bits = swizzleBits(Swizzle(upTo(3)));
        extent = (stride + 1023) / 1024 * 1024 + 1024;
      }
      auto layout = Layout::make(axes, {{"z", extent}}, {0}, bits);
      EXPECT_TRUE(layout) << (layout ? "" : layout.problem().message);
      made.region.bytes = *layout;
      for (int64_t offset : made.offsets) {
        RegionOffset at{offset, 1};
        if (upTo(4) == 1)
          at = {std::nullopt, offset ? offset & -offset : 1 << 20};
        made.region.offsets.push_back(at);
      }
      return made;
    };
    Made from = make(false), to = make(true);
    auto runs = commonRuns(from.region, to.region, extents, elementBytes, 16);
    if (!runs)
      continue;
    ++fit;
    several += runs->count() > 1;
    swizzled += !from.region.bytes.bits().isIdentity() ||
                !to.region.bytes.bits().isIdentity();
    unknown += !runs->source.terms.empty() || !runs->target.terms.empty();
    ASSERT_EQ(bytesOf(*runs, from.offsets, to.offsets, 16),
              bytesOf(from.region, to.region, extents, from.offsets, to.offsets,
                      elementBytes))
        << from.region.bytes.str() << " to " << to.region.bytes.str();
  }
  EXPECT_GT(fit, seeds / 10);
  EXPECT_GT(several, seeds / 20);
  EXPECT_GT(swizzled, seeds / 50);
  EXPECT_GT(unknown, seeds / 100);
  RecordProperty("fit", int(fit));
}

} // namespace
} // namespace common_runs
