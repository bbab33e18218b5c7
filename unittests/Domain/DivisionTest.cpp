//===- DivisionTest.cpp - Leaves of one element, and what has to divide ---===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Targets.h"

#include "ScheduleModel.h"
#include "titan/Domain/TmaScheduleText.h"

#include <gtest/gtest.h>

using namespace titan;

namespace {

/// A schedule of a tensor f32 M x K{8}; `size` is a number, or "M".
Result<TmaSchedule> schedule(const std::string &size,
                             const std::string &lines) {
  return parseSchedule("tensor f32 M{" + size + "} x K{8}\n" + lines);
}

/// One lowering for all sizes, executed under each that it takes; how many.
int executed(const std::string &lines,
             const std::function<bool(int64_t size)> &taken) {
  auto open = schedule("M", lines);
  EXPECT_TRUE(bool(open)) << open.problem().message;
  auto low = lowerSchedule(*open, h200);
  EXPECT_TRUE(bool(low)) << lines << (low ? "" : low.problem().message);
  if (!low)
    return 0;
  int count = 0;
  for (int64_t size = 1; size <= 70; ++size) {
    auto fixed = schedule(std::to_string(size), lines);
    EXPECT_TRUE(bool(fixed)) << fixed.problem().message;
    Expr::Bindings launch{{"M", size}, {tmaAddressSymbol, 1 << 20}};
    bool holds = true;
    for (const LaunchCheck &check : low->checks)
      holds = holds && check.holds(launch) == Tri::Yes;
    EXPECT_EQ(holds, taken(size)) << lines << " M=" << size;
    if (!holds)
      continue;
    ++count;
    ScheduleModel(*fixed, fixed->bulk).run(*low, h200, {{"M", size}});
    // And with the number known.
    auto known = lowerSchedule(*fixed, h200);
    EXPECT_TRUE(bool(known)) << known.problem().message;
    if (known)
      ScheduleModel(*fixed, fixed->bulk).run(*known, h200);
  }
  return count;
}

/// A split by 1 whose unit leaf is in `bulk` leaves its input a loop.
TEST(Division, UnitLeaves) {
  auto all = [](int64_t) { return true; };
  for (const char *lines : {
           "Mo, Mi = split(M, outer 4) A, U = split(Mo, 1) bulk U, K\n",
           "Mo, Mi = split(M, 4) A, U = split(Mo, 1) bulk U, K\n",
           "Mo, Mi = split(M, 4) A, U = split(Mi, 1) bulk U, K\n",
           "Mo, Mi = split(M, outer 4) A, U = split(Mi, 1) bulk U, K\n",
           "Mo, Mi = split(M, 4) A, U = split(Mo, 1) bulk U, Mi, K\n",
           "Mo, Mi = split(M, 4) U, A = split(Mi, outer 1) bulk U, K\n",
       })
    for (const char *kind : {"load weak", "load strong", "store"})
      EXPECT_EQ(executed(std::string(lines) + kind, all), 70) << lines << kind;
  // The map is that of a loop: no box, no element stride, no view.
  auto s = schedule("10", "Mo, Mi = split(M, outer 4) A, U = split(Mo, 1)\n"
                          "bulk U, K load strong");
  ASSERT_TRUE(bool(s));
  auto low = lowerSchedule(*s, h200);
  ASSERT_TRUE(bool(low)) << low.problem().message;
  EXPECT_EQ(low->level, 1);
  EXPECT_EQ(low->dimensions.size(), 2u);
  EXPECT_EQ(low->dimensions[1].how, "implicit size-one");
}

/// What has to divide so that boxes rotate left, and only a launch knows, is a
/// launch check; its fix is a line of the schedule, and with that it is gone.
TEST(Division, ChecksOfTheLaunch) {
  std::string lines = "Mo, Mi = split(M, outer 4) A, B = split(Mi, 8)\n"
                      "bulk B, K load strong";
  EXPECT_EQ(
      executed(lines, [](int64_t size) { return ceilDiv(size, 4) % 8 == 0; }),
      8);
  auto low = lowerSchedule(*schedule("M", lines), h200);
  ASSERT_TRUE(bool(low));
  const LaunchCheck *found = nullptr;
  for (const LaunchCheck &check : low->checks)
    if (check.code == Code::TmaSchedule)
      found = &check;
  ASSERT_TRUE(found);
  EXPECT_EQ(found->fix, "pass sizes that do; or promise them, by `size M "
                        "multiple 32` before the tensor");
  auto promised = parseSchedule("size M multiple 32\n"
                                "tensor f32 M{M} x K{8}\n" +
                                lines);
  ASSERT_TRUE(bool(promised)) << promised.problem().message;
  auto better = lowerSchedule(*promised, h200);
  ASSERT_TRUE(bool(better)) << better.problem().message;
  EXPECT_EQ(better->level, 1);
  for (const LaunchCheck &check : better->checks)
    EXPECT_NE(check.message, found->message);
  // A number that does not divide is refused as before.
  auto never = lowerSchedule(*schedule("34", lines), h200);
  ASSERT_FALSE(bool(never));
  EXPECT_EQ(never.problem().code, "tma-schedule");
}

} // namespace
