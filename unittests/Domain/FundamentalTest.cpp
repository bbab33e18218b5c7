//===- FundamentalTest.cpp - The fundamental theorem by enumeration -------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DomainModel.h"
#include "titan/Domain/Theorems.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace titan;

namespace {

//===----------------------------------------------------------------------===//
// The fundamental theorem
//===----------------------------------------------------------------------===//

/// By definition: does some tile of the box at `start` hold a valid element and
/// a hole with data?
bool mixesByDefinition(const TmaBoxDim &d, int64_t start) {
  int64_t validEnd = d.validEnd < 0 ? d.size : d.validEnd;
  for (int64_t s = 0; s < d.stride; ++s) {
    bool valid = false, holeWithData = false;
    for (int64_t t = 0; t * d.stride < d.box; ++t) {
      int64_t i = t * d.stride + s, p = start + i;
      bool data = p >= 0 && p < d.size;
      bool ok = i < d.box && p >= d.validBegin && p < validEnd;
      valid = valid || ok;
      holeWithData = holeWithData || (data && !ok);
    }
    if (valid && holeWithData)
      return true;
  }
  return false;
}

/// The seed's form, at multiples of the box.
TEST(FundamentalTheorem, AtMultiplesOfTheBox) {
  for (int64_t size = 1; size <= 24; ++size)
    for (int64_t box = 1; box <= 24; ++box)
      for (int64_t stride = 1; stride <= 24; ++stride) {
        bool any = false;
        for (int64_t c = 0; c < size; c += box)
          any = any || mixesByDefinition({size, box, stride}, c);
        ASSERT_EQ(fundamentalTheorem(size, box, stride), any)
            << size << " " << box << " " << stride;
        ASSERT_EQ(strongUnachievable({size, box, stride},
                                     {0, box, ceilDiv(size, box)}),
                  any);
      }
}

TEST(FundamentalTheorem, AnyStart) {
  for (int64_t size = 1; size <= 12; ++size)
    for (int64_t box = 1; box <= 12; ++box)
      for (int64_t stride = 1; stride <= 12; ++stride)
        for (int64_t c = -26; c <= 14; ++c)
          ASSERT_EQ(boxMixes({size, box, stride}, c),
                    mixesByDefinition({size, box, stride}, c))
              << size << " " << box << " " << stride << " at " << c;
  // The smallest case in which the seed's form is wrong.
  EXPECT_FALSE(fundamentalTheorem(3, 3, 2));
  EXPECT_TRUE(boxMixes({3, 3, 2}, -1));
}

/// Every size, box and stride up to 12, every resize from -12 to 12 on both
/// sides, boxes at every step up to 12.
TEST(FundamentalTheorem, AnyStepAndResize) {
  int64_t seedWrong = 0, cases = 0, unachievable = 0, cutCases = 0;
  constexpr int64_t lowest = -12, starts = 12 + 12 + 12 + 13;
  for (int64_t size = 1; size <= 12; ++size)
    for (int64_t box = 1; box <= 12; ++box)
      for (int64_t stride = 1; stride <= 12; ++stride) {
        // By definition, for each valid part and each start.
        std::map<std::pair<int64_t, int64_t>, std::vector<bool>> mixes;
        for (int64_t left = -12; left <= 12; ++left)
          for (int64_t right = -12; right <= 12; ++right) {
            if (size + left + right < 1)
              continue;
            TmaBoxSchedule s = boxesOfResize(size, left, right, box, stride);
            auto &table = mixes[{s.dim.validBegin, s.dim.validEnd}];
            if (table.empty())
              for (int64_t k = 0; k < starts; ++k)
                table.push_back(mixesByDefinition(s.dim, lowest + k));
            for (int64_t step = 1; step <= 12; ++step) {
              int64_t count = ceilDiv(size + left + right, step);
              bool any = false;
              for (int64_t k = 0; k < count; ++k)
                any = any || table[-left + k * step - lowest];
              ASSERT_EQ(strongUnachievable(s.dim, {-left, step, count}), any)
                  << size << " " << left << " " << right << " " << box << " "
                  << stride << " step " << step;
              ++cases;
              unachievable += any;
            }
            ASSERT_EQ(s.starts.first, -left);
            ASSERT_EQ(s.starts.step, box);
            bool any = strongUnachievable(s.dim, s.starts);
            cutCases += any && (left < 0 || right < 0);
            seedWrong += any != fundamentalTheorem(size, box, stride);
            // The example is one by definition.
            auto example = findMixedTile(s.dim, s.starts);
            ASSERT_EQ(example.has_value(), any);
            if (!example)
              continue;
            auto [start, offset, valid, hole] = *example;
            ASSERT_TRUE(mixesByDefinition(s.dim, start));
            ASSERT_EQ(euclidMod(start + left, box), 0);
            ASSERT_TRUE(offset >= 0 && offset < stride);
            ASSERT_EQ(euclidMod(valid - start - offset, stride), 0);
            ASSERT_EQ(euclidMod(hole - start - offset, stride), 0);
            ASSERT_TRUE(valid >= s.dim.validBegin && valid < s.dim.validEnd &&
                        valid < start + box);
            ASSERT_TRUE(hole >= 0 && hole < size &&
                        (hole < s.dim.validBegin || hole >= s.dim.validEnd ||
                         hole >= start + box));
          }
      }
  RecordProperty("cases", static_cast<int>(cases));
  EXPECT_GT(cases, 8000000);
  EXPECT_GT(unachievable, 1000000);
  EXPECT_GT(cutCases, 10000);
  EXPECT_GT(seedWrong, 10000);
}

/// The expression for a size that only a launch knows.
TEST(FundamentalTheorem, SymbolicSize) {
  int64_t achievable = 0, not_ = 0;
  Expr size = Expr::symbol("S");
  for (int64_t left = -4; left <= 4; ++left)
    for (int64_t right = -4; right <= 4; ++right)
      for (int64_t box = 1; box <= 9; ++box)
        for (int64_t stride = 1; stride <= 8; ++stride) {
          auto boxes = [&](const Expr &n) {
            return TmaSymbolicBoxes{n,
                                    box,
                                    stride,
                                    std::max<int64_t>(0, -left),
                                    std::max<int64_t>(0, -right),
                                    -left,
                                    n + (left + right)};
          };
          Expr margin = strongMargin(boxes(size));
          for (int64_t n = 1; n <= 20; n += 1 + n / 8) {
            if (n + left + right < 1)
              continue;
            TmaBoxSchedule s = boxesOfResize(n, left, right, box, stride);
            bool any = strongUnachievable(s.dim, s.starts);
            ASSERT_EQ(*margin.evaluate({{"S", n}}) < 0, any)
                << margin.str() << " at " << n;
            ASSERT_EQ(strongMargin(boxes(n)).is(0), !any);
            (any ? not_ : achievable)++;
          }
        }
  EXPECT_GT(achievable, 10000);
  EXPECT_GT(not_, 10000);
  // Nothing to check where the stride divides and nothing is cut off.
  EXPECT_TRUE(strongMargin({size, 8, 4, 0, 0, -3, size + 5}).constant());
}

/// Single tiles and whole boxes, at each start, step, count and valid part; and
/// one expression for all sizes.
TEST(FundamentalTheorem, TileByTile) {
  std::mt19937_64 random(20261121);
  auto pick = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(
                       random() % static_cast<uint64_t>(most - least + 1));
  };
  int64_t mixing = 0, valid = 0, cases = fullTest() ? 200000 : 20000;
  for (int64_t n = 0; n < cases; ++n) {
    TmaSymbolicBoxes boxes;
    boxes.box = pick(1, 9);
    boxes.stride = pick(1, 6);
    boxes.begin = std::max<int64_t>(0, pick(-3, 4));
    boxes.cut = std::max<int64_t>(0, pick(-3, 4));
    TmaTileStarts starts{pick(-10, 12), pick(1, 7), pick(0, 4), {}};
    if (pick(0, 3) != 0)
      starts.offset = pick(0, boxes.stride - 1);
    boxes.size = Expr::symbol("S");
    TmaTileMargins symbolic = tileMargins(boxes, starts);
    for (int64_t size = 1; size <= 12; ++size) {
      bool wantValid = false, wantMixes = false;
      for (int64_t k = 0; k < *starts.count.constant(); ++k)
        for (int64_t s = 0; s < boxes.stride; ++s) {
          if (starts.offset && s != *starts.offset)
            continue;
          bool some = false, hole = false;
          for (int64_t t = 0; t * boxes.stride < boxes.box; ++t) {
            int64_t i = s + t * boxes.stride;
            int64_t p = *starts.first.constant() + k * starts.step + i;
            bool data = p >= 0 && p < size;
            bool ok = data && i < boxes.box && p >= boxes.begin &&
                      p < size - boxes.cut;
            some = some || ok;
            hole = hole || (data && !ok);
          }
          wantValid = wantValid || some;
          wantMixes = wantMixes || (some && hole);
        }
      boxes.size = size;
      TmaTileMargins known = tileMargins(boxes, starts);
      Expr::Bindings launch{{"S", size}};
      std::string where =
          "case " + std::to_string(n) + ", size " + std::to_string(size);
      ASSERT_EQ(*known.valid.constant() >= 0, wantValid) << where;
      ASSERT_EQ(*known.mixes.constant() >= 0, wantMixes) << where;
      ASSERT_EQ(*symbolic.valid.evaluate(launch) >= 0, wantValid) << where;
      ASSERT_EQ(*symbolic.mixes.evaluate(launch) >= 0, wantMixes) << where;
      mixing += wantMixes;
      valid += wantValid;
    }
  }
  EXPECT_GT(valid, cases);
  EXPECT_GT(mixing, cases);
}

/// boxesOfResize is what the graph of domains says: a tile of the graph mixes
/// exactly when the closed form says so.
TEST(FundamentalTheorem, AgreesWithTheGraph) {
  for (int64_t size = 1; size <= 7; ++size)
    for (int64_t left = -3; left <= 3; ++left)
      for (int64_t right = -3; right <= 3; ++right)
        for (int64_t box = 1; box <= 6; ++box)
          for (int64_t stride = 1; stride <= 4; ++stride) {
            if (size + left + right < 1)
              continue;
            TmaBoxSchedule s = boxesOfResize(size, left, right, box, stride);
            DomainGraph g;
            DomainId i = g.root(size);
            DomainId p = left || right ? *g.resize(i, left, right) : i;
            auto [c, b] = *g.splitInner(p, box);
            auto [t, e] = *g.splitInner(b, stride);
            std::map<std::pair<int64_t, int64_t>, std::pair<bool, bool>> tiles;
            forEachPoint(g, [&](const DomainValues &v) {
              auto &[valid, holeWithData] = tiles[{*v[c], *v[e]}];
              bool hole = isHole(g, v);
              valid = valid || !hole;
              holeWithData = holeWithData || (hole && inBounds(g, v, i));
            });
            bool any = false;
            for (auto &[where, what] : tiles)
              any = any || (what.first && what.second);
            ASSERT_EQ(strongUnachievable(s.dim, s.starts), any)
                << size << " " << left << " " << right << " " << box << " "
                << stride;
            (void)t;
          }
}

} // namespace
