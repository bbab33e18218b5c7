//===- SampleTest.cpp - numbers that satisfy facts ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Scalars/Sample.h"

#include "titan/Analysis/Scalars/Facts.h"

#include "gtest/gtest.h"

#include <random>

using namespace titan::scalars;

namespace {
constexpr Atom unknowns = 4;

Polynomial randomFact(std::mt19937_64 &generator) {
  auto number = [&](int64_t size) {
    return Polynomial(static_cast<int64_t>(generator() % (2 * size + 1)) -
                      size);
  };
  Polynomial result = number(4);
  for (unsigned i = 1 + generator() % 3; i > 0; --i) {
    Polynomial product = number(3);
    for (unsigned k = 1 + (generator() % 3 == 0); k > 0; --k)
      product = product * Polynomial::atom(generator() % unknowns);
    result += product;
  }
  return result;
}

bool holds(const Facts &facts, std::function<int64_t(Atom)> at) {
  auto all = [&](const FactList &list, auto is) {
    return std::ranges::all_of(
        list, [&](const Polynomial &p) { return is(p.evaluate(at).value()); });
  };
  return all(facts.nonnegative, [](int64_t x) { return x >= 0; }) &&
         all(facts.zero, [](int64_t x) { return x == 0; });
}
} // namespace

TEST(Samples, AreFoundWhereSmallOnesAreAndHold) {
  uint64_t seed = 31;
  std::mt19937_64 generator(seed);
  Samples samples;
  unsigned there = 0, found = 0, none = 0;
  for (int i = 0; i < 4000; ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", facts " +
                 std::to_string(i));
    Facts facts;
    for (Atom a = 0; a < unknowns; ++a)
      facts.addNonnegative(Polynomial::atom(a));
    for (unsigned k = 2 + generator() % 6; k > 0; --k)
      facts.addNonnegative(randomFact(generator));
    if (generator() % 2)
      facts.addZero(randomFact(generator));
    bool any = false;
    for (int64_t code = 0; code < 256 && !any; ++code)
      any = holds(facts, [&](Atom a) { return code >> 2 * a & 3; });
    bool yes = samples.find(facts.nonnegative, facts.zero, {});
    if (yes) {
      EXPECT_TRUE(holds(facts, [&](Atom a) { return samples[a]; }));
      EXPECT_TRUE(samples.know(facts.nonnegative, facts.zero));
      EXPECT_FALSE(facts.contradict());
    }
    there += any;
    found += any && yes;
    none += !yes;
  }
  EXPECT_GT(there, 800u);
  EXPECT_GT(none, 500u);
  EXPECT_GT(found, there * 9 / 10) << "of " << there;
}

TEST(Samples, KnowWhatWasPutIn) {
  Polynomial n = Polynomial::atom(0), t = Polynomial::atom(1),
             q = Polynomial::atom(2);
  // q = 8 t + 3 was put in.
  std::vector<Polynomial> left = {n - t - 1, t - 2};
  Samples samples;
  ASSERT_TRUE(samples.find(left, {}, {{2, t * 8 + 3}}));
  EXPECT_EQ(samples[2], samples[1] * 8 + 3);
  EXPECT_TRUE(samples.know({n * 8 - q, q - 19}, {q - t * 8 - 3}));
  EXPECT_FALSE(samples.know({}, {q - t * 8 - 2}));
}

TEST(Samples, BeforeTheLastOnesAreKept) {
  Polynomial x = Polynomial::atom(0);
  Samples samples;
  ASSERT_TRUE(samples.find({}, {x - 5}, {}));
  ASSERT_TRUE(samples.find({}, {x - 7}, {}));
  EXPECT_FALSE(samples.know({}, {x - 5}));
  EXPECT_FALSE(samples.know({}, {x - 6}, /*anyOf=*/true));
  EXPECT_EQ(samples[0], 7);
  uint64_t version = samples.version();
  EXPECT_TRUE(samples.know({}, {x - 5}, /*anyOf=*/true));
  // They are the last ones now, and the others are kept.
  EXPECT_EQ(samples[0], 5);
  EXPECT_NE(samples.version(), version);
  EXPECT_TRUE(samples.know({}, {x - 7}, /*anyOf=*/true));
  EXPECT_EQ(samples[0], 7);
}
