//===- LinearSystemTest.cpp - linear systems against two others -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random systems: one that is said to contradict itself has no point of a box,
// and those that mlir::presburger::Simplex finds empty are said to.
//
//===----------------------------------------------------------------------===//
#include "Scalars/LinearSystem.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "gtest/gtest.h"

#include <optional>
#include <random>

using namespace titan::scalars;
using namespace mlir::presburger;

namespace {
using Row = std::vector<int64_t>;

struct Rows {
  size_t width;
  std::vector<Row> least, equal, asked;

  /// Each row with its number as reason.
  LinearSystem system() const {
    LinearSystem result(width);
    size_t number = 0;
    auto next = [&] { return Reasons().set(number++); };
    for (const Row &row : least)
      std::ranges::copy(row, result.addNonnegative(next()));
    for (const Row &row : equal)
      std::ranges::copy(row, result.addZero(next()));
    for (const Row &row : asked)
      std::ranges::copy(row, result.addQuestion(next()));
    return result;
  }

  /// Those that are reasons, without those asked; and one that was, as a fact.
  Rows only(const Reasons &why, const Row *more) const {
    Rows result{width, {}, {}, {}};
    size_t number = 0;
    for (const Row &row : least)
      if (why[number++])
        result.least.push_back(row);
    for (const Row &row : equal)
      if (why[number++])
        result.equal.push_back(row);
    if (more)
      result.least.push_back(*more);
    return result;
  }

  /// Of rationals.
  bool isEmpty(const Row *more = nullptr) const {
    IntegerPolyhedron set(PresburgerSpace::getSetSpace(width));
    for (const Row &row : least)
      set.addInequality(row);
    for (const Row &row : equal)
      set.addEquality(row);
    if (more)
      set.addInequality(*more);
    return Simplex(set).isEmpty();
  }

  /// Whether numbers from -size to size satisfy all.
  bool hasPoint(int64_t size, const Row *more = nullptr) const {
    Row at(width, -size);
    auto value = [&](const Row &row) {
      __int128 sum = row.back();
      for (size_t i = 0; i < width; ++i)
        sum += __int128(row[i]) * at[i];
      return sum;
    };
    while (true) {
      if (std::ranges::all_of(least,
                              [&](auto &row) { return value(row) >= 0; }) &&
          std::ranges::all_of(equal,
                              [&](auto &row) { return value(row) == 0; }) &&
          (!more || value(*more) >= 0))
        return true;
      size_t i = 0;
      while (i < width && at[i] == size)
        at[i++] = -size;
      if (i == width)
        return false;
      ++at[i];
    }
  }
};

Rows random(std::mt19937_64 &generator, size_t width, size_t most,
            int64_t large) {
  auto number = [&](int64_t size) {
    return static_cast<int64_t>(generator() % (2 * size + 1)) - size;
  };
  auto row = [&](unsigned nonzeros) {
    Row result(width + 1, 0);
    for (unsigned i = 0; i < nonzeros; ++i)
      result[generator() % width] = number(generator() % 4 ? 1 : large);
    result.back() = number(generator() % 2 ? 2 : large);
    return result;
  };
  Rows rows{width, {}, {}, {}};
  for (size_t i = 0; i < width; ++i)
    if (generator() % 4) {
      rows.least.emplace_back(width + 1, 0);
      rows.least.back()[i] = 1;
      rows.least.back()[width] = number(2);
    }
  for (size_t i = 1 + generator() % most; i > 0; --i)
    rows.least.push_back(row(1 + generator() % 4));
  for (size_t i = generator() % 3; i > 0; --i)
    rows.equal.push_back(row(1 + generator() % 3));
  for (size_t i = 0; i < 3; ++i)
    rows.asked.push_back(row(1 + generator() % 2));
  return rows;
}
} // namespace

TEST(LinearSystem, SaysWhatIsSoAndAllThatTheSimplexSays) {
  uint64_t seed = 29;
  RecordProperty("seed", static_cast<int>(seed));
  std::mt19937_64 generator(seed);
  unsigned yes = 0, no = 0, more = 0, fewer = 0;
  for (int i = 0; i < 10000; ++i) {
    bool small = i % 2;
    int64_t large = i % 16 < 12   ? 5
                    : i % 16 < 14 ? int64_t(1) << 32
                                  : int64_t(1) << 61;
    Rows rows = random(generator, small ? 1 + generator() % 4 : 12,
                       small ? 8 : 24, large);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", system " +
                 std::to_string(i));
    std::vector<LinearSystem::Answer> each;
    LinearSystem::Answer all = rows.system().solve(&each);
    EXPECT_EQ(all.yes, rows.system().contradicts());
    auto check = [&](const LinearSystem::Answer &given, const Row *row) {
      bool answer = given.yes;
      bool simplex = rows.isEmpty(row);
      EXPECT_TRUE(answer || !simplex);
      if (answer && small)
        EXPECT_FALSE(rows.hasPoint(4, row));
      // What it comes from contradicts itself without the rest.
      if (answer) {
        Rows core = rows.only(given.why, row);
        EXPECT_TRUE(core.system().contradicts());
        fewer += core.least.size() + core.equal.size() <
                 rows.least.size() + rows.equal.size();
      }
      ++(answer ? yes : no);
      more += answer && !simplex;
    };
    check(all, nullptr);
    ASSERT_EQ(each.size(), all.yes ? 0u : rows.asked.size());
    for (size_t q = 0; q < each.size(); ++q)
      check(each[q], &rows.asked[q]);
    if (HasFailure())
      return;
  }
  // Both, and what integers alone contradict.
  EXPECT_GT(yes, 5000u);
  EXPECT_GT(no, 5000u);
  EXPECT_GT(more, 100u);
  EXPECT_GT(fewer, 5000u);
}

// Rows of many large coefficients, of which exchanges make numbers of 128 bits and
// more: all that the simplex of numbers of any length says is said, of as few rows.
TEST(LinearSystem, SaysTheSameOfLongNumbers) {
  constexpr uint64_t seed = 31;
  RecordProperty("seed", static_cast<int>(seed));
  std::mt19937_64 generator(seed);
  unsigned yes = 0, no = 0, fewer = 0;
  for (int i = 0; i < 80; ++i) {
    const size_t width = 4 + generator() % 6;
    const int64_t large = int64_t(1) << (30 + generator() % 32);
    auto number = [&] { return int64_t(generator() % (2 * large)) - large; };
    Rows rows{width, {}, {}, {}};
    for (size_t x = 0; x < width; ++x) {
      rows.least.emplace_back(width + 1, 0);
      rows.least.back()[x] = 1;
    }
    for (size_t count = width + generator() % width; count > 0; --count) {
      Row &row = rows.least.emplace_back();
      for (size_t x = 0; x <= width; ++x)
        row.push_back(generator() % 3 ? number() : 0);
    }
    SCOPED_TRACE("system " + std::to_string(i));
    const LinearSystem::Answer answer = rows.system().solve();
    ASSERT_EQ(answer.yes, rows.isEmpty());
    ++(answer.yes ? yes : no);
    if (answer.yes) {
      const Rows core = rows.only(answer.why, nullptr);
      EXPECT_TRUE(core.isEmpty());
      fewer += core.least.size() < rows.least.size();
    }
  }
  EXPECT_GT(yes, 20u);
  EXPECT_GT(no, 20u);
  EXPECT_GT(fewer, 10u);
}

// Rows that a point has, whatever their coefficients: they do not contradict each other,
// nor any other row that it has.
TEST(LinearSystem, SaysNothingAgainstAPoint) {
  constexpr uint64_t seed = 37;
  RecordProperty("seed", static_cast<int>(seed));
  std::mt19937_64 generator(seed);
  for (int i = 0; i < 400; ++i) {
    const size_t width = 1 + generator() % 6;
    // A product of the two fits, and so does the sum.
    const unsigned bits = 1 + generator() % 58,
                   bitsOfPoint = generator() % (59 - bits);
    auto number = [&](unsigned bits) {
      const int64_t size = int64_t(1) << bits;
      return int64_t(generator() % (2 * size + 1)) - size;
    };
    Row point;
    for (size_t x = 0; x < width; ++x)
      point.push_back(number(bitsOfPoint));
    auto row = [&](int64_t more) {
      Row result(width + 1, 0);
      result[width] = more;
      for (size_t x = 0; x < width; ++x)
        if (generator() % 3) {
          result[x] = number(generator() % 2 ? bits : std::min(bits, 2u));
          result[width] -= result[x] * point[x];
        }
      return result;
    };
    Rows rows{width, {}, {}, {}};
    for (size_t count = 1 + generator() % (2 * width + 2); count > 0; --count)
      rows.least.push_back(row(generator() % 3));
    for (size_t count = generator() % (width + 1); count > 0; --count)
      rows.equal.push_back(row(0));
    for (size_t count = 3; count > 0; --count)
      rows.asked.push_back(row(generator() % 2));
    SCOPED_TRACE("system " + std::to_string(i));
    std::vector<LinearSystem::Answer> each;
    ASSERT_FALSE(rows.system().solve(&each).yes);
    ASSERT_EQ(each.size(), rows.asked.size());
    for (const LinearSystem::Answer &answer : each)
      ASSERT_FALSE(answer.yes);
  }
}

TEST(LinearSystem, DividesAndPutsIn) {
  // 2 x = y, 2 z = y + 1.
  LinearSystem parity(3);
  std::ranges::copy(Row{2, -1, 0, 0}, parity.addZero());
  std::ranges::copy(Row{0, -1, 2, -1}, parity.addZero());
  EXPECT_TRUE(parity.contradicts());
  // 1 <= 4 x <= 3.
  LinearSystem between(1);
  std::ranges::copy(Row{4, -1}, between.addNonnegative());
  EXPECT_FALSE(between.contradicts());
  std::ranges::copy(Row{-4, 3}, between.addNonnegative());
  EXPECT_TRUE(between.contradicts());
  // 3 x - 3 y = 4 z, 1 <= x - y <= 3.
  LinearSystem common(3);
  std::ranges::copy(Row{3, -3, -4, 0}, common.addZero());
  std::ranges::copy(Row{1, -1, 0, -1}, common.addNonnegative());
  EXPECT_FALSE(common.contradicts());
  std::ranges::copy(Row{-1, 1, 0, 3}, common.addNonnegative());
  EXPECT_TRUE(common.contradicts());
  // y = 1 and 2 x = 3 y, of two rows each.
  LinearSystem pairs(2);
  std::ranges::copy(Row{0, 1, -1}, pairs.addNonnegative());
  std::ranges::copy(Row{2, -3, 0}, pairs.addNonnegative());
  std::ranges::copy(Row{-2, 3, 0}, pairs.addNonnegative());
  EXPECT_FALSE(pairs.contradicts());
  std::ranges::copy(Row{0, -1, 1}, pairs.addNonnegative());
  EXPECT_TRUE(pairs.contradicts());
}
