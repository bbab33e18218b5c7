//===- HittingSetTest.cpp - the cheapest choice, by trying all ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/HittingSet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace titan;

namespace {

uint64_t costOf(const std::vector<uint64_t> &costs, uint32_t chosen) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < costs.size(); ++i)
    sum += chosen >> i & 1 ? costs[i] : 0;
  return sum;
}

bool hits(uint32_t chosen, const std::vector<std::vector<unsigned>> &needs) {
  for (const std::vector<unsigned> &need : needs) {
    bool hit = false;
    for (unsigned thing : need)
      hit |= chosen >> thing & 1;
    if (!hit)
      return false;
  }
  return true;
}

} // namespace

// Random needs of up to 10 things. Few have anything left to be searched: of 74 of
// 20,000 what is found first is dearer.
TEST(HittingSet, IsTheCheapestOfAll) {
  std::mt19937 random(1);
  unsigned early = 0;
  for (int round = 0; round < 20000; ++round) {
    const unsigned things = 2 + random() % 9;
    std::vector<uint64_t> costs(things);
    for (uint64_t &cost : costs)
      cost = 1 + random() % (round % 2 ? 3 : 20);
    std::vector<std::vector<unsigned>> needs(1 + random() % 12);
    for (std::vector<unsigned> &need : needs) {
      for (unsigned thing = 0; thing < things; ++thing)
        if (random() % 3 == 0)
          need.push_back(thing);
      if (need.empty())
        need.push_back(random() % things);
    }
    uint64_t least = UINT64_MAX;
    for (uint32_t chosen = 0; chosen < 1u << things; ++chosen)
      if (hits(chosen, needs))
        least = std::min(least, costOf(costs, chosen));
    auto found = cheapestHittingSet(costs, needs);
    ASSERT_TRUE(found);
    uint32_t chosen = 0;
    for (unsigned thing : found->chosen)
      chosen |= 1u << thing;
    ASSERT_TRUE(hits(chosen, needs)) << "round " << round;
    ASSERT_EQ(found->cost, costOf(costs, chosen)) << "round " << round;
    ASSERT_TRUE(found->exact);
    ASSERT_EQ(found->cost, least) << "round " << round;
    // With no steps to search in, what is found first: dearer is told.
    auto first = cheapestHittingSet(costs, needs, 0);
    ASSERT_TRUE(first);
    ASSERT_GE(first->cost, least);
    ASSERT_TRUE(!first->exact || first->cost == least) << "round " << round;
    early += first->cost > least;
  }
  EXPECT_GT(early, 0u);
}

TEST(HittingSet, AnEmptyNeedIsNotMet) {
  EXPECT_FALSE(cheapestHittingSet({1, 2}, {{0}, {}}));
  auto none = cheapestHittingSet({1, 2}, {});
  ASSERT_TRUE(none);
  EXPECT_EQ(none->cost, 0u);
  EXPECT_TRUE(none->chosen.empty());
}
