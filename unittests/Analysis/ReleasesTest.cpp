//===- ReleasesTest.cpp - which later uses of an access are kept ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Typestate/Walk.h"

#include "gtest/gtest.h"

using namespace titan;
using namespace titan::typestate;

namespace {
constexpr ObjectId ring = 1, other = 2;
const Polynomial use = Polynomial::atom(7);

/// There is an iteration behind, say.
Facts behind(int64_t number) {
  Facts facts;
  facts.atLeast(Polynomial::atom(8), number);
  return facts;
}

/// How many of these are kept.
size_t kept(std::initializer_list<Release> releases) {
  Access access;
  for (const Release &release : releases)
    addRelease(access.releases, release);
  return access.releases.size();
}

TEST(Releases, TheEarliestUseOfAnObjectSaysWhatLaterOnesDo) {
  EXPECT_EQ(kept({{ring, use}, {ring, use}}), 1u);
  EXPECT_EQ(kept({{ring, use}, {ring, use + 1}, {ring, use + 2}}), 1u);
  // Whatever else there has to be for the later one.
  EXPECT_EQ(kept({{ring, use}, {ring, use + 1, false, behind(2)}}), 1u);
  EXPECT_EQ(
      kept({{ring, use, false, behind(2)}, {ring, use + 1, false, behind(2)}}),
      1u);
  // Behind a fence it says more.
  EXPECT_EQ(kept({{ring, use, true}, {ring, use + 1}}), 1u);
}

TEST(Releases, WhatAnEarlierUseDoesNotSayIsKept) {
  EXPECT_EQ(kept({{ring, use}, {other, use + 1}}), 2u);
  EXPECT_EQ(kept({{ring, use}, {ring, use - 1}}), 2u);
  // Nobody knows which of them is earlier.
  EXPECT_EQ(kept({{ring, use}, {ring, Polynomial::atom(9)}}), 2u);
  EXPECT_EQ(kept({{ring, use}, {ring, use + 1, true}}), 2u);
  // The earlier use may not be there.
  EXPECT_EQ(kept({{ring, use, false, behind(2)}, {ring, use + 1}}), 2u);
  EXPECT_EQ(
      kept({{ring, use, false, behind(2)}, {ring, use + 1, false, behind(3)}}),
      2u);
}
} // namespace
