//===- PeriodTest.cpp - after how many iterations a loop repeats itself ---===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Search/Period.h"

#include <gtest/gtest.h>

using namespace titan;
using namespace titan::checker;

namespace {

std::vector<uint64_t> list(size_t size,
                           llvm::function_ref<uint64_t(size_t)> at) {
  std::vector<uint64_t> result;
  for (size_t i = 0; i < size; ++i)
    result.push_back(at(i));
  return result;
}

TEST(Period, LeastOfAll) {
  EXPECT_EQ(leastPeriod(list(61, [](size_t) { return 7; })), 1);
  EXPECT_EQ(leastPeriod(list(61, [](size_t i) { return i % 6; })), 6);
  // Stage and parity of a ring of three, two of three uses in an iteration.
  EXPECT_EQ(leastPeriod(list(61, [](size_t i) { return 2 * i % 6; })), 3);
}

TEST(Period, BeginningAndEndMayDiffer) {
  EXPECT_EQ(leastPeriod(list(64,
                             [](size_t i) -> uint64_t {
                               return i < 3 || i == 63 ? 99 : i % 4;
                             })),
            4);
  // In the middle they may not.
  EXPECT_NE(leastPeriod(list(
                64, [](size_t i) -> uint64_t { return i == 30 ? 99 : i % 4; })),
            4);
}

TEST(Period, NoneIsSeenTwice) {
  EXPECT_FALSE(leastPeriod(list(61, [](size_t i) { return i; })));
  EXPECT_FALSE(leastPeriod(list(61, [](size_t i) { return i % 40; })));
}

/// Two warps wait for a ring of three and one of two, in a loop of `count`.
Program ringProgram(int64_t count) {
  Program program;
  program.agents.resize(2);
  program.programs.resize(2);
  for (int64_t agent = 0; agent < 2; ++agent) {
    AgentProgram &code = program.programs[agent];
    int64_t slots = agent ? 2 : 3;
    for (int64_t i = 0; i < count; ++i) {
      program.iterations.push_back({0, i});
      Action wait{Action::WaitBarrier};
      wait.object = 10 * agent + i % slots;
      wait.amount = i / slots % 2;
      Event event{};
      event.first = code.actions.size();
      event.count = 1;
      event.iteration = program.iterations.size() - 1;
      event.lanes = AllLanes;
      code.actions.push_back(wait);
      code.events.push_back(event);
    }
  }
  return program;
}

TEST(Period, SlotsAndParitiesOfAllWarps) {
  Footprints footprints;
  EXPECT_EQ(periodOf(ringProgram(61), footprints, 61), 12);
  // No loop runs that often.
  EXPECT_EQ(periodOf(ringProgram(61), footprints, 60), 1);
}

TEST(Period, NotLongEnough) {
  Footprints footprints;
  EXPECT_FALSE(periodOf(ringProgram(10), footprints, 10));
}

} // namespace
