//===- ConversionTest.cpp - Plans of conversions against enumeration ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random pairs of layouts. A plan is executed, register by register, by the few
// lines of `convert` below; what each register of each thread holds in the end is
// compared with what the layout says. 1,000 pairs, 100,000 with TITAN_TEST_FULL.
//
//   TITAN_SEED=<its seed> TITAN_CASES=1 build/bin/TitanLayoutTests \
//     --gtest_filter='Conversion.*'
//
//===----------------------------------------------------------------------===//
#include "Cases.h"

#include "titan/Layout/Access.h"
#include "titan/Layout/Conversion.h"
#include "titan/Layout/Rows.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

using namespace titan;

namespace {

uint64_t cases() {
  return fromEnvironment("TITAN_CASES",
                         std::getenv("TITAN_TEST_FULL") ? 100000 : 1000);
}

struct Random {
  std::mt19937_64 engine;
  int below(int n) {
    return static_cast<int>(engine() % static_cast<uint64_t>(n));
  }
  bool chance(int percent) { return below(100) < percent; }
};

/// A tile by the image of each bit of register, lane and warp; element bits are
/// dealt out to the dimensions.
struct Bits {
  std::vector<uint64_t> images[3];
  std::vector<int> dimBits; // of each dimension

  int bits() const {
    int n = 0;
    for (int b : dimBits)
      n += b;
    return n;
  }
  Layout layout() const {
    std::vector<Axis> axes = {{"reg", {}}, {"lane", {}}, {"warp", {}}};
    std::vector<Dim> dims;
    std::vector<std::string> names =
        defaultDimNames(static_cast<int>(dimBits.size()));
    for (size_t d = 0; d < dimBits.size(); ++d)
      dims.push_back({names[d], int64_t(1) << dimBits[d]});
    for (int a = 0; a < 3; ++a)
      for (uint64_t image : images[a]) {
        std::vector<int64_t> step;
        uint64_t rest = image;
        for (int b : dimBits) {
          step.push_back(static_cast<int64_t>(rest & ((uint64_t(1) << b) - 1)));
          rest >>= b;
        }
        axes[a].digits.push_back(Digit::xors(2, step));
      }
    Result<Layout> made = Layout::make(axes, dims);
    EXPECT_TRUE(bool(made));
    return made->canonical();
  }
};

uint64_t sumOf(const std::vector<uint64_t> &images, uint64_t which) {
  uint64_t sum = 0;
  for (size_t i = 0; i < images.size(); ++i)
    sum ^= which >> i & 1 ? images[i] : 0;
  return sum;
}

/// A basis of all element bits: unit vectors, or any.
std::vector<uint64_t> basis(Random &random, int bits) {
  std::vector<uint64_t> list;
  for (int b = 0; b < bits; ++b)
    list.push_back(uint64_t(1) << b);
  std::shuffle(list.begin(), list.end(), random.engine);
  if (bits > 1 && random.chance(40))
    for (int k = random.below(2 * bits); k > 0; --k) {
      int i = random.below(bits), j = random.below(bits);
      if (i != j)
        list[i] ^= list[j];
    }
  return list;
}

/// A tile that holds every element; some bits of the inputs tell nothing new.
Bits randomTile(Random &random, std::vector<int> dimBits, int warpBits) {
  Bits tile;
  tile.dimBits = dimBits;
  int bits = tile.bits();
  int inputs = std::max(bits, 5 + warpBits) + random.below(3);
  std::vector<uint64_t> images = basis(random, bits);
  while (static_cast<int>(images.size()) < inputs)
    images.push_back(
        random.chance(60) ? 0 : random.engine() & ((uint64_t(1) << bits) - 1));
  std::shuffle(images.begin(), images.end(), random.engine);
  tile.images[1].assign(images.begin(), images.begin() + 5);
  tile.images[2].assign(images.begin() + 5, images.begin() + 5 + warpBits);
  tile.images[0].assign(images.begin() + 5 + warpBits, images.end());
  return tile;
}

std::vector<int> randomShape(Random &random) {
  std::vector<int> dimBits;
  for (int d = 1 + random.below(3); d > 0; --d)
    dimBits.push_back(1 + random.below(4));
  return dimBits;
}

/// A tile of which each warp holds what it holds of `from`: sources of each bit
/// are drawn.
Bits within(Random &random, const Bits &from) {
  Bits to;
  to.dimBits = from.dimBits;
  size_t registers = from.images[0].size();
  std::vector<uint64_t> places = from.images[0];
  places.insert(places.end(), from.images[1].begin(), from.images[1].end());
  size_t all = places.size();
  auto any = [&] {
    return sumOf(places, random.engine() & ((uint64_t(1) << all) - 1));
  };
  int kind = random.below(4);
  if (kind == 0) // other places for the same
    std::shuffle(places.begin(), places.end(), random.engine);
  if (kind == 1) // sums
    for (int k = random.below(20); k > 0; --k) {
      int i = random.below(static_cast<int>(all)),
          j = random.below(static_cast<int>(all));
      if (i != j)
        places[i] ^= places[j];
    }
  to.images[0].assign(places.begin(), places.begin() + registers);
  to.images[1].assign(places.begin() + registers, places.end());
  if (kind == 2) { // a lane and a register change places
    if (registers)
      std::swap(to.images[0][random.below(static_cast<int>(registers))],
                to.images[1][random.below(5)]);
  }
  if (kind == 3) { // anything: not all is held
    to.images[0].resize(random.below(4));
    for (auto *list : {&to.images[0], &to.images[1]})
      for (uint64_t &image : *list)
        image = any();
  }
  to.images[2] = from.images[2];
  for (uint64_t &image : to.images[2])
    if (random.chance(30))
      image ^= any();
  return to;
}

int64_t elementOf(const Layout &layout, int64_t r, int64_t l, int64_t w) {
  int64_t index = 0;
  Coord at = layout.coords(r, l, w);
  for (int d = 0; d < layout.rank(); ++d)
    index = index * layout.dims()[d].extent + at[d];
  return index;
}

/// Executes a plan: what each register of each lane of a warp holds then.
std::vector<std::vector<int64_t>> convert(const ConversionPlan &plan,
                                          const Layout &from, int64_t warp) {
  int64_t lanes = from.lanes();
  size_t parts = plan.from.size(), numbers = plan.from.front().size();
  // 1. what numbers hold, and what slots receive
  std::vector<std::vector<int64_t>> result(lanes);
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, int64_t> slots;
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (const ConversionPlan::Move &move : plan.moves)
      for (size_t part = 0; part < parts; ++part) {
        int64_t sender = plan.source(lane, warp) ^ move.lanes;
        int64_t number = move.number ^ plan.before(sender, warp);
        EXPECT_LT(number, static_cast<int64_t>(numbers));
        slots[{lane, part, move.turn, move.slot}] = elementOf(
            from, plan.from[part][number], sender, warp % from.warps());
      }
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (const ConversionPlan::Place &place : plan.to)
      result[lane].push_back(slots.at({lane, place.part, plan.turn(lane, warp),
                                       place.number ^ plan.after(lane, warp)}));
  return result;
}

/// Whether the plan does what it should, in every thread.
void expectConverts(const ConversionPlan &plan, const Layout &from,
                    const Layout &to) {
  for (int64_t w = 0; w < std::max(from.warps(), to.warps()); ++w) {
    auto got = convert(plan, from, w);
    for (int64_t l = 0; l < to.lanes(); ++l)
      for (int64_t r = 0; r < to.registers(); ++r)
        ASSERT_EQ(got[l][r], elementOf(to, r, l, w % to.warps()))
            << "register " << r << ", lane " << l << ", warp " << w;
  }
}

/// Words that the lane that lacks most wants of others.
int64_t wanted(const Layout &from, const Layout &to) {
  int64_t most = 0;
  for (int64_t w = 0; w < to.warps(); ++w)
    for (int64_t l = 0; l < to.lanes(); ++l) {
      std::set<int64_t> has, lacks;
      for (int64_t r = 0; r < from.registers(); ++r)
        has.insert(elementOf(from, r, l, w % from.warps()));
      for (int64_t r = 0; r < to.registers(); ++r)
        if (!has.count(elementOf(to, r, l, w)))
          lacks.insert(elementOf(to, r, l, w));
      most = std::max(most, static_cast<int64_t>(lacks.size()));
    }
  return most;
}

TEST(Conversion, WithinWarps) {
  uint64_t seed = fromEnvironment("TITAN_SEED", 1), turns = 0;
  for (uint64_t n = 0; n < cases(); ++n) {
    Random random{std::mt19937_64(seed + n)};
    Bits source = randomTile(random, randomShape(random), random.below(3));
    Layout from = source.layout(), to = within(random, source).layout();
    SCOPED_TRACE("TITAN_SEED=" + std::to_string(seed + n) + " from " +
                 from.str() + " to " + to.str());
    Result<ConversionPlan> plan = ConversionPlan::make(from, to);
    ASSERT_TRUE(bool(plan)) << plan.problem().message;
    expectConverts(*plan, from, to);
    if (HasFatalFailure())
      return;
    turns += plan->turns > 1;
    if (plan->turns == 1) {
      EXPECT_EQ(plan->shuffles(4), wanted(from, to));
    }
    // Words that go together.
    EXPECT_LE(plan->shuffles(1), plan->shuffles(2));
    EXPECT_LE(plan->shuffles(2), plan->shuffles(4));
    EXPECT_EQ(plan->shuffles(8), 2 * plan->shuffles(4));
  }
  EXPECT_GT(turns, 0u);
}

/// What is refused is out of a warp's reach.
TEST(Conversion, AnyPair) {
  uint64_t seed = fromEnvironment("TITAN_SEED", 1), refused = 0;
  for (uint64_t n = 0; n < cases(); ++n) {
    Random random{std::mt19937_64(seed + n)};
    std::vector<int> shape = randomShape(random);
    int warpBits = random.below(3);
    Layout from = randomTile(random, shape, warpBits).layout(),
           to = randomTile(random, shape,
                           random.chance(80) ? warpBits : random.below(3))
                    .layout();
    SCOPED_TRACE("TITAN_SEED=" + std::to_string(seed + n) + " from " +
                 from.str() + " to " + to.str());
    Result<ConversionPlan> plan = ConversionPlan::make(from, to);
    if (plan) {
      expectConverts(*plan, from, to);
      if (HasFatalFailure())
        return;
      continue;
    }
    ++refused;
    bool lacks = false;
    for (int64_t w = 0; w < std::max(from.warps(), to.warps()); ++w) {
      std::set<int64_t> has;
      for (int64_t l = 0; l < from.lanes(); ++l)
        for (int64_t r = 0; r < from.registers(); ++r)
          has.insert(elementOf(from, r, l, w % from.warps()));
      for (int64_t l = 0; l < to.lanes(); ++l)
        for (int64_t r = 0; r < to.registers(); ++r)
          lacks |= !has.count(elementOf(to, r, l, w % to.warps()));
    }
    EXPECT_TRUE(lacks);
  }
  EXPECT_GT(refused, 0u);
}

/// Every element has one place, the same for both sides; registers are renamed;
/// vectors are as wide as promised; no lane waits for another.
TEST(Conversion, Scratch) {
  uint64_t seed = fromEnvironment("TITAN_SEED", 1);
  uint64_t vectors = 0;
  for (uint64_t n = 0; n < cases() / 20 + 1; ++n) {
    Random random{std::mt19937_64(seed + n)};
    std::vector<int> shape = randomShape(random);
    if (random.chance(50))
      shape.push_back(4);
    Layout from = randomTile(random, shape, random.below(3)).layout(),
           to = randomTile(random, shape, random.below(3)).layout();
    int64_t bytes = int64_t(1) << random.below(4);
    SCOPED_TRACE("TITAN_SEED=" + std::to_string(seed + n) + " from " +
                 from.str() + " to " + to.str() + ", elements of " +
                 std::to_string(bytes));
    Result<ScratchPlan> plan = ScratchPlan::make(from, to, bytes);
    ASSERT_TRUE(bool(plan)) << plan.problem().message;
    EXPECT_TRUE(plan->swizzled);
    std::map<int64_t, int64_t> placeOf;
    std::set<int64_t> places;
    for (auto [whole, tile, line] :
         {std::tuple(&from, &plan->stored, &plan->storePlaces),
          std::tuple(&to, &plan->loaded, &plan->loadPlaces)}) {
      Result<ConversionPlan> renamed = ConversionPlan::make(*whole, *tile);
      ASSERT_TRUE(bool(renamed)) << renamed.problem().message;
      EXPECT_TRUE(renamed->isRenaming());
      EXPECT_EQ(line->shape(), (std::vector<int64_t>{from.elements()}));
      ASSERT_EQ(line->registers(), tile->registers());
      ASSERT_EQ(line->warps(), tile->warps());
      for (int64_t w = 0; w < tile->warps(); ++w)
        for (int64_t l = 0; l < tile->lanes(); ++l)
          for (int64_t r = 0; r < tile->registers(); ++r) {
            int64_t place = line->coords(r, l, w)[0];
            auto [entry, isNew] =
                placeOf.try_emplace(elementOf(*tile, r, l, w), place);
            ASSERT_EQ(entry->second, place);
            if (isNew)
              ASSERT_TRUE(places.insert(place).second);
          }
      Layout image = *Layout::make({{"i", {{from.elements(), 0, bytes}}}},
                                   {{"b", from.elements() * bytes}});
      EXPECT_GE(vectorBytes(*line, image, bytes), plan->vector * bytes);
      Result<AccessCost> cost =
          accessCost(*line, image, bytes, plan->vector * bytes);
      ASSERT_TRUE(bool(cost));
      EXPECT_EQ(cost->wavefronts, cost->ideal);
    }
    EXPECT_EQ(static_cast<int64_t>(places.size()), from.elements());
    vectors += plan->vector > 1;
  }
  EXPECT_GT(vectors, 0u);
}

/// Digits that are no powers of two: in registers, the same in both.
TEST(Conversion, OddDigits) {
  Layout acc = parsed("reg: 2*c1, 2*r8, 3*c8; lane: 4*c2, 8*r1; warp: 4*r16");
  Layout rows = parsed("reg: 4*c1, 3*c8; lane: 2*c4, 16*r1; warp: 4*r16");
  Result<ConversionPlan> plan = ConversionPlan::make(acc, rows);
  ASSERT_TRUE(bool(plan)) << plan.problem().message;
  expectConverts(*plan, acc, rows);
  EXPECT_EQ(plan->from.size(), 3u);
  Result<ScratchPlan> scratch = ScratchPlan::make(acc, rows, 4);
  ASSERT_TRUE(bool(scratch));
  EXPECT_TRUE(scratch->swizzled);
  // Not bitwise: what is a renaming is found, the rest is refused.
  Layout third = parsed("reg: 3*c1; lane: 4*c3, 8*r1"),
         turned = parsed("reg: 3*c1; lane: 8*r1, 4*c3");
  EXPECT_TRUE(bool(ConversionPlan::make(third, third)));
  Result<ConversionPlan> refused = ConversionPlan::make(third, turned);
  ASSERT_FALSE(bool(refused));
  EXPECT_EQ(refused.problem().code, "layout-mismatch");
  scratch = ScratchPlan::make(third, turned, 4);
  ASSERT_TRUE(bool(scratch)) << scratch.problem().message;
  EXPECT_FALSE(scratch->swizzled);
}

/// Counts that are known: a transpose of registers and lanes, the accumulator of
/// wgmma to rows of 16 bytes.
TEST(Conversion, Counts) {
  Layout rows = parsed("reg: 2*r1; lane: 2*c1, 16*rep"),
         columns = parsed("reg: 2*c1; lane: 2*r1, 16*rep");
  Result<ConversionPlan> plan = ConversionPlan::make(rows, columns);
  ASSERT_TRUE(bool(plan));
  EXPECT_EQ(plan->shuffles(4), 1);
  // 16-bit elements of an accumulator, four times two columns a lane: each lane
  // keeps a quarter, and pairs travel in one word.
  Layout acc = parsed("reg: 2*c1, 4*c8; lane: 4*c2, 8*r1"),
         chunks = parsed("reg: 8*c1; lane: 4*c8, 8*r1");
  plan = ConversionPlan::make(acc, chunks);
  ASSERT_TRUE(bool(plan));
  EXPECT_EQ(plan->shuffles(4), 6);
  EXPECT_EQ(plan->shuffles(2), 3);
}

/// Digits put a coordinate together again; cut rows are the same elements.
TEST(Rows, DigitsAndParts) {
  uint64_t seed = fromEnvironment("TITAN_SEED", 1), found = 0, cut = 0;
  for (uint64_t n = 0; n < cases() / 4 + 1; ++n) {
    Random random{std::mt19937_64(seed + n)};
    Layout tile =
        randomTile(random, randomShape(random), random.below(3)).layout();
    SCOPED_TRACE("TITAN_SEED=" + std::to_string(seed + n) + " " + tile.str());
    int dim = random.below(tile.rank());
    if (Result<std::vector<RowDigit>> digits = digitsAlong(tile, dim)) {
      ++found;
      bool inWarp = true;
      for (const RowDigit &digit : *digits)
        inWarp &= digit.axis < 2;
      EXPECT_EQ(bool(digitsInWarp(tile, dim)), inWarp);
      for (int64_t w = 0; w < tile.warps(); ++w)
        for (int64_t l = 0; l < tile.lanes(); ++l)
          for (int64_t r = 0; r < tile.registers(); ++r) {
            int64_t in[] = {r, l, w}, sum = 0;
            for (const RowDigit &digit : *digits)
              sum +=
                  in[digit.axis] / digit.weight % digit.extent * digit.stride;
            ASSERT_EQ(sum, tile.coords(r, l, w)[dim]);
          }
    }
    Result<RowParts> parts = cutRows(tile);
    if (!parts)
      continue;
    ++cut;
    // A relabelling: the same places share elements; a part is one warp's.
    std::map<int64_t, int64_t> same, back;
    int last = tile.rank() - 1;
    for (int64_t w = 0; w < tile.warps(); ++w)
      for (int64_t l = 0; l < tile.lanes(); ++l)
        for (int64_t r = 0; r < tile.registers(); ++r) {
          int64_t a = elementOf(tile, r, l, w),
                  b = elementOf(parts->tile, r, l, w);
          ASSERT_EQ(same.try_emplace(a, b).first->second, b);
          ASSERT_EQ(back.try_emplace(b, a).first->second, a);
          Coord from = tile.coords(r, l, w), to = parts->tile.coords(r, l, w);
          for (int d = 0; d < last; ++d)
            ASSERT_EQ(from[d], to[d]);
          ASSERT_EQ(to[last], parts->tile.coords(0, 0, w)[last]);
        }
    EXPECT_EQ(parts->tile.dims()[last].extent, parts->parts);
  }
  EXPECT_GT(found, 0u);
  EXPECT_GT(cut, 0u);
}

/// Where exclusive or mixes a dimension with others, shuffles make digits of it:
/// for every tile of which each warp holds whole rows, and that is bitwise.
TEST(Rows, ByDigits) {
  uint64_t seed = fromEnvironment("TITAN_SEED", 1);
  int mixed = 0, kept = 0, refused = 0;
  for (uint64_t n = 0; n < cases() / 2 + 1; ++n) {
    Random random{std::mt19937_64(seed + n)};
    Layout tile =
        randomTile(random, randomShape(random), random.below(3)).layout();
    SCOPED_TRACE("TITAN_SEED=" + std::to_string(seed + n) + " " + tile.str());
    int dim = random.below(tile.rank());
    Result<Layout> rows = rowsByDigits(tile, dim);
    if (digitsAlong(tile, dim)) {
      ASSERT_TRUE(rows);
      EXPECT_EQ(*rows, tile);
      continue;
    }
    // What each warp holds: rows without the coordinate, and elements.
    auto heldBy = [&](const Layout &layout, int64_t w) {
      std::set<Coord> held;
      for (int64_t l = 0; l < layout.lanes(); ++l)
        for (int64_t r = 0; r < layout.registers(); ++r)
          held.insert(layout.coords(r, l, w));
      return held;
    };
    if (!rows) {
      ++refused;
      bool whole = true;
      for (int64_t w = 0; w < tile.warps() && whole; ++w) {
        std::set<Coord> held = heldBy(tile, w);
        for (Coord at : held)
          for (at[dim] = 0; at[dim] < tile.dims()[dim].extent; ++at[dim])
            whole &= held.contains(at);
      }
      EXPECT_FALSE(whole && tile.canonical().bits().isIdentity() &&
                   tile.offset() == std::vector<int64_t>(tile.rank()))
          << rows.problem().message;
      continue;
    }
    ++mixed;
    EXPECT_TRUE(bool(digitsAlong(*rows, dim))) << rows->str();
    EXPECT_EQ(rows->registers(), tile.registers());
    EXPECT_EQ(rows->lanes(), tile.lanes());
    EXPECT_EQ(rows->warps(), tile.warps());
    for (int64_t w = 0; w < tile.warps(); ++w)
      ASSERT_EQ(heldBy(tile, w), heldBy(*rows, w)) << rows->str();
    EXPECT_TRUE(bool(ConversionPlan::make(tile, *rows))) << rows->str();
    EXPECT_TRUE(bool(ConversionPlan::make(*rows, tile))) << rows->str();
    auto before = tile.withoutDim(dim), after = rows->withoutDim(dim);
    kept += before && after && before->sameFunction(*after);
  }
  std::printf("%d mixed, of which %d keep what is left of them; %d refused\n",
              mixed, kept, refused);
  EXPECT_GT(mixed, 10);
  EXPECT_GT(kept, 5);
}

TEST(Rows, ByDigitsOfOne) {
  auto rows = [](const char *text, int dim) {
    return rowsByDigits(*Layout::parse(text), dim)->str();
  };
  EXPECT_EQ(rows("reg: 4*^r1^c1; lane: 4*c1; warp: ", 1),
            "reg: 4*r1; lane: 4*c1");
  EXPECT_EQ(rows("reg: 2*c2; lane: 2*^r1^c1, 2*c1; warp: ", 1),
            "reg: 2*c2; lane: 2*r1, 2*c1");
}

/// Rows between warps: blocks in order, of which each lies in one warp; and rows
/// that each of these warps has whole.
TEST(Rows, BlocksAndWholeRows) {
  uint64_t seed = fromEnvironment("TITAN_SEED", 1), cut = 0, whole = 0;
  for (uint64_t n = 0; n < cases() / 4 + 1; ++n) {
    Random random{std::mt19937_64(seed + n)};
    Layout tile =
        randomTile(random, randomShape(random), random.below(3)).layout();
    SCOPED_TRACE("TITAN_SEED=" + std::to_string(seed + n) + " " + tile.str());
    int dim = random.below(tile.rank()), last = tile.rank();
    auto others = [&](const Coord &at) {
      std::vector<int64_t> rest(at.begin(), at.end());
      rest.erase(rest.begin() + dim);
      return rest;
    };
    if (Result<RowParts> blocks = blockRows(tile, dim)) {
      ++cut;
      int64_t inner = blocks->tile.dims()[last].extent;
      EXPECT_EQ(blocks->tile.dims()[last - 1].extent, blocks->parts);
      EXPECT_TRUE(bool(digitsInWarp(blocks->tile, last)));
      EXPECT_FALSE(bool(digitsInWarp(tile, dim)));
      for (int64_t w = 0; w < tile.warps(); ++w)
        for (int64_t l = 0; l < tile.lanes(); ++l)
          for (int64_t r = 0; r < tile.registers(); ++r) {
            Coord from = tile.coords(r, l, w),
                  to = blocks->tile.coords(r, l, w);
            ASSERT_EQ(from[dim], to[last - 1] * inner + to[last]);
            ASSERT_EQ(others(from),
                      std::vector<int64_t>(to.begin(), to.end() - 2));
          }
    }
    Result<Layout> rows = wholeRows(tile, dim);
    if (!rows)
      continue;
    ++whole;
    EXPECT_EQ(rows->lanes(), tile.lanes());
    EXPECT_EQ(rows->warps(), tile.warps());
    // A warp has the rows that it had a part of, and nothing else.
    for (int64_t w = 0; w < tile.warps(); ++w) {
      std::set<std::vector<int64_t>> before;
      std::set<std::pair<std::vector<int64_t>, int64_t>> after;
      for (int64_t l = 0; l < tile.lanes(); ++l) {
        for (int64_t r = 0; r < tile.registers(); ++r)
          before.insert(others(tile.coords(r, l, w)));
        for (int64_t r = 0; r < rows->registers(); ++r) {
          Coord at = rows->coords(r, l, w);
          after.insert({others(at), at[dim]});
        }
      }
      ASSERT_EQ(int64_t(after.size()),
                int64_t(before.size()) * tile.dims()[dim].extent);
      for (auto &[row, place] : after)
        ASSERT_TRUE(before.contains(row));
    }
  }
  EXPECT_GT(cut, 0u);
  EXPECT_GT(whole, 0u);
}

} // namespace
