//===- GemmTest.cpp - the GEMM examples against a plain loop --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

#include <gtest/gtest.h>

using namespace titan;
using namespace titan::test;

namespace {

class Gemm : public testing::TestWithParam<const char *> {};

} // namespace

static void runs(const char *file, std::array<int64_t, 3> shape,
                 const SimulatorOptions &options) {
  Module module(std::string(TITAN_EXAMPLES "/") + file, true);
  ASSERT_TRUE(module);
  Product problem(shape[0], shape[1], shape[2], 7);
  SimulatorReport report = problem.run(module.kernel("gemm"), options);
  EXPECT_TRUE(report.good()) << describe(report);
  EXPECT_EQ(report.findings.size(), 0u) << describe(report);
  EXPECT_EQ(problem.wrong(), 0);
  EXPECT_TRUE(problem.d.guardsWhole());
}

static const std::array<int64_t, 3> shapes[] = {
    {1, 8, 8}, {129, 264, 72}, {128, 256, 64}, {256, 512, 320}};

TEST_P(Gemm, Eager) {
  for (auto shape : shapes)
    runs(GetParam(), shape, {});
}

TEST_P(Gemm, Lazy) {
  SimulatorOptions options;
  options.schedule.kind = Schedule::Lazy;
  for (auto shape : shapes)
    runs(GetParam(), shape, options);
}

TEST_P(Gemm, MoreTilesThanMultiprocessors) {
  SimulatorOptions options;
  options.multiprocessors = 2;
  runs(GetParam(), {300, 600, 136}, options);
}

TEST_P(Gemm, Random) {
  SimulatorOptions options;
  options.schedule.kind = Schedule::Random;
  options.multiprocessors = 2;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    options.schedule.seed = seed;
    SCOPED_TRACE(seed);
    runs(GetParam(), shapes[seed % 4], options);
  }
}

TEST_P(Gemm, WithoutHazards) {
  SimulatorOptions options;
  options.hazards = false;
  for (auto kind : {Schedule::Eager, Schedule::Lazy, Schedule::Random})
    for (auto shape : shapes) {
      options.schedule.kind = kind;
      runs(GetParam(), shape, options);
    }
}

INSTANTIATE_TEST_SUITE_P(Examples, Gemm,
                         testing::Values("gemm_bare.mlir", "gemm.mlir"),
                         [](auto &info) {
                           return std::string(info.index ? "Pipes" : "Bare");
                         });

/// The bytes touched are those declared, for every operation of the examples.
TEST_P(Gemm, Effects) {
  Module module(std::string(TITAN_EXAMPLES "/") + GetParam(), true);
  ASSERT_TRUE(module);
  for (auto shape : shapes) {
    Product problem(shape[0], shape[1], shape[2], 3);
    SimulatorOptions options;
    options.compareEffects = true;
    SimulatorReport report = problem.run(module.kernel("gemm"), options);
    EXPECT_TRUE(report.good()) << describe(report);
    EXPECT_GT(report.compared.size(), 10u);
  }
}

TEST(GemmSize, Large) { runs("gemm_bare.mlir", {512, 512, 512}, {}); }
