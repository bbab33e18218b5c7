//===- LoopCounterTest.cpp - counters by counting -------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Target/LoopCounter.h"

#include <gtest/gtest.h>
#include <limits>

using titan::counterOverflow;
using titan::stepProblem;

TEST(LoopCounter, Steps) {
  EXPECT_EQ(stepProblem(1), "");
  EXPECT_EQ(stepProblem(std::numeric_limits<int64_t>::max()), "");
  EXPECT_EQ(stepProblem(0),
            "the step of the loop is 0: it must be positive, as "
            "a signed number");
  EXPECT_NE(stepProblem(-56), "");
  EXPECT_NE(stepProblem(std::numeric_limits<int64_t>::min()), "");
}

// Every loop of 4 bits: counted in them, does it come to the numbers that it comes to
// in more, and is the distance of its bounds one of them?
TEST(LoopCounter, AgreesWithCounting) {
  for (bool isUnsigned : {false, true}) {
    const int low = isUnsigned ? 0 : -8, high = isUnsigned ? 15 : 7;
    auto extended = [](int number) {
      return number > 7 ? number - 16 : number;
    };
    for (int lower = low; lower <= high; ++lower)
      for (int upper = low; upper <= high; ++upper)
        for (int step = 1; step <= 7; ++step) {
          int at = lower;
          while (at < upper)
            at += step;
          bool fits = lower >= upper || (at <= high && upper - lower <= high);
          EXPECT_EQ(counterOverflow(extended(lower), extended(upper),
                                    extended(step), 4, isUnsigned)
                        .empty(),
                    fits)
              << lower << " to " << upper << " by " << step << " "
              << isUnsigned;
        }
  }
}

TEST(LoopCounter, SixtyFourBits) {
  const int64_t most = std::numeric_limits<int64_t>::max(),
                least = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(counterOverflow(0, most, 1, 64, false), "");
  EXPECT_EQ(counterOverflow(0, -1, 1, 64, true), "");
  EXPECT_EQ(counterOverflow(0, most, 2, 64, false),
            "the counter of this loop goes from 0 to 9223372036854775807 by 2 "
            "and comes to 9223372036854775808: 64 bits hold at most "
            "9223372036854775807");
  EXPECT_EQ(counterOverflow(least, most, 1, 64, false),
            "the bounds of this loop, -9223372036854775808 and "
            "9223372036854775807, are 18446744073709551615 apart: 64 bits hold "
            "at most 9223372036854775807");
}
