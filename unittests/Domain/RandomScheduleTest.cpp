//===- RandomScheduleTest.cpp - Random schedules, executed ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lowers is executed on bytes and held to the points of the schedule; what
// is refused as tma-strong is refused rightly.
//
//===----------------------------------------------------------------------===//
#include "DomainModel.h"
#include "ScheduleGenerator.h"
#include "ScheduleModel.h"

#include <gtest/gtest.h>

using namespace titan;

namespace {

const TargetInfo &h200 = targetInfo(TargetId::Sm90a);

TEST(RandomSchedules, LoweredAndExecuted) {
  uint64_t first = 20261121, cases = fullTest() ? 1000000 : 110000;
  std::printf("schedules: seeds %llu to %llu\n", (unsigned long long)first,
              (unsigned long long)(first + cases - 1));
  std::map<std::string, int64_t> refused;
  int64_t levels[4] = {}, transfers = 0, outside = 0, skipped = 0, stores = 0,
          weakHoles = 0, byView = 0, kept = 0, tooLarge = 0, cutLoads = 0,
          cutStores = 0;
  for (uint64_t seed = first; seed < first + cases; ++seed) {
    ScheduleGenerator gen(seed);
    gen.make();
    const TmaSchedule &s = gen.s;
    ScheduleModel model(s, gen.tile);
    int64_t points = 1;
    for (DomainId id : s.graph.leaves())
      points *= model.extent[id];
    if (points > 3000) {
      ++tooLarge;
      continue;
    }
    bool load = s.direction == TmaDirection::Load;
    bool strict = !load || s.wanted == Correctness::Strong;
    auto low = lowerSchedule(s, h200);
    if (!low) {
      const std::string &code = low.problem().code;
      ++refused[code];
      if (code == "tma-strong") {
        ASSERT_TRUE(strict);
        ASSERT_FALSE(model.achievable())
            << "seed " << seed << "\n"
            << s.graph.str() << low.problem().message;
      } else if (code == "tma-schedule" || code == "tma-rank") {
        // Two dimensions for one where boxes do not rotate: perhaps six.
        ASSERT_TRUE(gen.mayNotRotate) << "seed " << seed << "\n"
                                      << s.graph.str() << low.problem().message;
      } else if (code == "tma-store-negative") {
        ASSERT_TRUE(!load && model.startsBefore()) << "seed " << seed << "\n"
                                                   << s.graph.str();
      } else {
        FAIL() << "seed " << seed << " " << code << " " << low.problem().message
               << "\n"
               << s.graph.str();
      }
      continue;
    }
    ++levels[low->level];
    if (strict)
      byView += !model.achievable();
    stores += !load;
    (load ? cutLoads : cutStores) += strict && gen.cutsLoops;
    kept += !s.shared.empty();
    model.run(*low, h200);
    if (::testing::Test::HasFatalFailure()) {
      std::string why;
      for (const std::string &line : low->why)
        why += line + "\n";
      FAIL() << "seed " << seed << " level " << low->level << "\n"
             << s.graph.str() << why;
    }
    transfers += model.transfers;
    outside += model.outside;
    skipped += model.skipped;
    weakHoles += model.holesWithData;
  }
  for (auto &[code, n] : refused)
    std::printf("  %lld refused: %s\n", (long long)n, code.c_str());
  std::printf("  levels 1: %lld, 2: %lld, 3: %lld; %lld transfers, %lld from "
              "outside, %lld skipped; %lld stores, %lld by a view, %lld kept, "
              "%lld too large\n",
              (long long)levels[1], (long long)levels[2], (long long)levels[3],
              (long long)transfers, (long long)outside, (long long)skipped,
              (long long)stores, (long long)byView, (long long)kept,
              (long long)tooLarge);
  std::printf("  loops cut off: %lld strong loads, %lld stores\n",
              (long long)cutLoads, (long long)cutStores);
  EXPECT_GE(cases - static_cast<uint64_t>(tooLarge), 100000u);
  EXPECT_GT(levels[1], 1000);
  EXPECT_GT(levels[2], 1000);
  EXPECT_GT(levels[3], 100);
  EXPECT_GT(refused["tma-strong"], 1000);
  EXPECT_GT(outside, 1000);
  EXPECT_GT(skipped, 1000);
  EXPECT_GT(byView, 10);
  EXPECT_GT(weakHoles, 1000);
  EXPECT_GT(kept, 100);
  EXPECT_GT(cutLoads, 5000);
  EXPECT_GT(cutStores, 1000);
}

} // namespace
