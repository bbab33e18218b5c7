//===- OccupancyTest.cpp - which kernels are asked for more CTAs ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Occupancy.h"

#include "gtest/gtest.h"

using namespace titan;

TEST(Occupancy, AFewRegistersKeepACtaOut) {
  const TargetInfo &hopper = targetInfo(TargetId::Sm90a);
  EXPECT_EQ(nextOccupancy(hopper, 8, 53, 128), 5);
  // As many as are allocated anyway.
  EXPECT_EQ(nextOccupancy(hopper, 8, 48, 128), std::nullopt);
  // Eight CTAs for six, but for more than a tenth of the registers.
  EXPECT_EQ(nextOccupancy(hopper, 8, 39, 128), std::nullopt);
  // Shared memory keeps the fifth out.
  EXPECT_EQ(nextOccupancy(hopper, 8, 53, 49152), std::nullopt);
}
