//===- PolynomialTest.cpp - symbolic integers against numbers -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Scalars/Facts.h"

#include "gtest/gtest.h"

#include <random>

using namespace titan::scalars;

namespace {
constexpr Atom variables = 3;

/// An expression made twice: as a polynomial, and as a function of numbers.
struct Expression {
  Polynomial polynomial;
  std::function<int64_t(const std::vector<int64_t> &)> value;
};

Expression random(std::mt19937_64 &generator, int depth) {
  switch (depth ? generator() % 5 : generator() % 2) {
  case 0: {
    int64_t constant = static_cast<int64_t>(generator() % 9) - 4;
    return {Polynomial(constant), [=](auto &) { return constant; }};
  }
  case 1: {
    Atom atom = generator() % variables;
    return {Polynomial::atom(atom), [=](auto &at) { return at[atom]; }};
  }
  case 2: {
    Expression a = random(generator, depth - 1),
               b = random(generator, depth - 1);
    return {a.polynomial + b.polynomial,
            [=](auto &at) { return a.value(at) + b.value(at); }};
  }
  case 3: {
    Expression a = random(generator, depth - 1),
               b = random(generator, depth - 1);
    return {a.polynomial - b.polynomial,
            [=](auto &at) { return a.value(at) - b.value(at); }};
  }
  default: {
    Expression a = random(generator, depth - 1),
               b = random(generator, depth - 1);
    return {a.polynomial * b.polynomial,
            [=](auto &at) { return a.value(at) * b.value(at); }};
  }
  }
}
} // namespace

TEST(Polynomial, MeansWhatTheExpressionMeans) {
  std::mt19937_64 generator(11);
  for (int i = 0; i < 2000; ++i) {
    Expression e = random(generator, 4);
    for (int j = 0; j < 5; ++j) {
      std::vector<int64_t> at(variables);
      for (int64_t &x : at)
        x = static_cast<int64_t>(generator() % 13) - 6;
      auto value = e.polynomial.evaluate([&](Atom a) { return at[a]; });
      ASSERT_TRUE(value) << i;
      EXPECT_EQ(*value, e.value(at)) << i;
    }
  }
}

TEST(Polynomial, EqualExpressionsAreEqualData) {
  Polynomial b = Polynomial::atom(0), s = Polynomial::atom(1);
  EXPECT_EQ(Polynomial(3) * 3 * b, Polynomial(9) * b);
  EXPECT_EQ((b + s) * (b - s), b * b - s * s);
  EXPECT_EQ((b + 1).substitute(0, s - 1), s);
  EXPECT_EQ((b - b).constant(), 0);
}

TEST(Polynomial, WhatWasComputedBeforeIsOfTheSameOperation) {
  // Sums, differences and products of the same two, in turn.
  Polynomial x = Polynomial::atom(0) + 1, y = Polynomial::atom(1) - 2;
  auto at = [](Atom a) { return a ? int64_t(11) : int64_t(5); };
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ((x + y).evaluate(at), 15);
    EXPECT_EQ((x - y).evaluate(at), -3);
    EXPECT_EQ((x * y).evaluate(at), 54);
    EXPECT_EQ((y - x).evaluate(at), 3);
    EXPECT_EQ(x * 1, x);
    EXPECT_EQ(x * 0, Polynomial());
  }
  Polynomial lost = Polynomial::atom(0) * std::numeric_limits<int64_t>::max() *
                    std::numeric_limits<int64_t>::max();
  ASSERT_TRUE(lost.isLost());
  EXPECT_TRUE((lost * Polynomial()).isLost());
  EXPECT_TRUE((Polynomial() * lost).isLost());
}

TEST(Polynomial, LosesWhatLeaves64Bits) {
  Polynomial large(int64_t(1) << 62);
  EXPECT_TRUE((large + large).isLost());
  EXPECT_TRUE((large * 4 - large * 4).isLost());
  Facts none;
  EXPECT_FALSE(none.provesAtLeast(large * 4, 0));
}

// 2^63 u and 2^64 u are both lost, with what is left of them the same or nothing.
TEST(Polynomial, IsLostIsEqualToItsCopiesAlone) {
  const Polynomial u = Polynomial::atom(0), large = int64_t(1) << 62;
  const Polynomial one = u * large * 4, two = u * large * 8, copy = one;
  ASSERT_TRUE(one.isLost() && two.isLost());
  EXPECT_EQ(one, copy);
  EXPECT_NE(one, two);
  EXPECT_NE(one <=> two, std::strong_ordering::equal);
  EXPECT_NE(one, one.substitute(0, 1));
  EXPECT_FALSE(one.dividedBy(3));
  EXPECT_FALSE((one + u * 3).dividedBy(3));
}

/// What is proved is so, for all numbers in a box; and what is so for all
/// numbers of facts that hold nowhere else is found more often than not.
TEST(Facts, WhatIsProvedHolds) {
  std::mt19937_64 generator(12);
  int proved = 0, held = 0;
  for (int i = 0; i < 1500; ++i) {
    // Bounds make the facts a finite set, which is gone through.
    Facts facts;
    int64_t low[variables], high[variables];
    for (Atom a = 0; a < variables; ++a) {
      low[a] = static_cast<int64_t>(generator() % 5) - 2;
      high[a] = low[a] + static_cast<int64_t>(generator() % 5);
      facts.atLeast(Polynomial::atom(a), low[a]);
      facts.atLeast(high[a], Polynomial::atom(a));
    }
    std::vector<Polynomial> nonnegative, zero;
    for (int j = 0; j < 2; ++j) {
      nonnegative.push_back(random(generator, 2).polynomial);
      facts.nonnegative.push_back(nonnegative.back());
    }
    if (generator() % 2) {
      zero.push_back(random(generator, 2).polynomial);
      facts.zero.push_back(zero.back());
    }
    Polynomial goal = random(generator, 2).polynomial;
    bool holds = true;
    std::vector<int64_t> at(variables);
    for (at[0] = low[0]; at[0] <= high[0]; ++at[0])
      for (at[1] = low[1]; at[1] <= high[1]; ++at[1])
        for (at[2] = low[2]; at[2] <= high[2]; ++at[2]) {
          auto value = [&](const Polynomial &p) {
            return *p.evaluate([&](Atom a) { return at[a]; });
          };
          bool admitted = true;
          for (const Polynomial &p : nonnegative)
            admitted &= value(p) >= 0;
          for (const Polynomial &p : zero)
            admitted &= value(p) == 0;
          holds &= !admitted || value(goal) >= 0;
        }
    bool yes = facts.provesAtLeast(goal, 0);
    EXPECT_TRUE(holds || !yes) << "case " << i;
    proved += yes;
    held += holds;
  }
  EXPECT_GT(proved * 10, held * 6) << proved << " of " << held;
}

/// Facts that some numbers have, larger ones than are tried: nothing that is not so of
/// those numbers is proved, of sums and of products of several facts.
TEST(Facts, NothingIsProvedAgainstNumbersThatHaveThem) {
  std::mt19937_64 generator(41);
  auto below = [&](uint64_t end) {
    return static_cast<int64_t>(generator() % end);
  };
  unsigned proved = 0;
  Facts::limit(~uint64_t(0) / 1000);
  const uint64_t before = Facts::solved();
  for (int i = 0; i < 1500; ++i) {
    std::vector<int64_t> at(3 + below(5));
    for (int64_t &number : at)
      number = below(3) ? below(12) : below(1 << 14);
    auto value = [&](const Polynomial &p) {
      return *p.evaluate([&](Atom a) { return at[a]; });
    };
    auto sum = [&](unsigned degree) {
      Polynomial result;
      for (int64_t terms = 1 + below(3); terms > 0; --terms) {
        Polynomial term = below(8) ? below(7) - 3 : below(1 << 16) - (1 << 15);
        for (int64_t factors = below(degree + 1); factors > 0; --factors)
          term = term * Polynomial::atom(below(at.size()));
        result += term;
      }
      return result;
    };
    Facts facts;
    for (Atom a = 0; a < at.size(); ++a)
      if (below(4))
        facts.atLeast(Polynomial::atom(a), std::min<int64_t>(at[a], below(3)));
    for (int64_t count = 2 + below(6); count > 0; --count) {
      const Polynomial p = sum(below(3) ? 1 : 3);
      facts.atLeast(p, value(p) - below(3));
    }
    for (int64_t count = below(4); count > 0; --count) {
      const Polynomial p = sum(below(3) ? 1 : 2);
      facts.equal(p, value(p));
    }
    EXPECT_FALSE(facts.contradict()) << "case " << i;
    for (unsigned degree : {1, 2, 3}) {
      const Polynomial p = sum(degree);
      EXPECT_FALSE(facts.provesAtLeast(p, value(p) + 1)) << "case " << i;
      EXPECT_FALSE(facts.provesAtLeast(value(p) - 1, p)) << "case " << i;
      proved += facts.provesAtLeast(p, value(p) - 2);
    }
    if (HasFailure())
      return;
  }
  // It is looked at, and what is so is proved.
  EXPECT_GT(Facts::solved() - before, 3000u);
  EXPECT_GT(proved, 300u);
}

TEST(Facts, QuotientsAreUnique) {
  Atoms atoms;
  auto atom = [&](const char *name) {
    return Polynomial::atom(atoms.atom(name));
  };
  Polynomial q = atom("q"), r = atom("r"), p = atom("p"), Q = atom("Q"),
             R = atom("R");
  Facts facts;
  for (const Polynomial &x : {r, R}) {
    facts.atLeast(x, 0);
    facts.atLeast(p, x + 1);
  }
  facts.atLeast(p, 1);
  facts.equal(q * p + r, Q * p + R);
  EXPECT_TRUE(facts.provesEqual(q, Q));
  // Not so without the bound of a remainder.
  Facts less;
  less.atLeast(p, 1);
  less.atLeast(r, 0);
  less.equal(q * p + r, Q * p + R);
  EXPECT_FALSE(less.provesEqual(q, Q));
}

TEST(Facts, IterationsOfMatchedLoopsAreInOrder) {
  Atoms atoms;
  auto atom = [&](const char *name) {
    return Polynomial::atom(atoms.atom(name));
  };
  // Uses n = steps * tile + step of two loops: an earlier use, no later tile.
  Polynomial T = atom("T"), t = atom("t"), U = atom("U"), u = atom("u"),
             steps = atom("steps");
  Facts facts;
  for (const Polynomial &x : {t, u}) {
    facts.atLeast(x, 0);
    facts.atLeast(steps, x + 1);
  }
  facts.atLeast(steps * U + u, steps * T + t);
  EXPECT_TRUE(facts.provesAtLeast(U, T));
  EXPECT_FALSE(facts.provesAtLeast(U, T + 1));
}

// Rows of tiles of 8: of 2^31 - 1 rows the last tile begins at a multiple of 8, which
// sums of facts do not say.
TEST(Facts, BoundsAreRounded) {
  Polynomial tile = Polynomial::atom(0), row = Polynomial::atom(1),
             rows = Polynomial::atom(2);
  const int64_t most = (int64_t(1) << 31) - 1;
  Facts facts;
  facts.atLeast(tile, 0);
  facts.atLeast(row, 0);
  facts.atLeast(7, row);
  facts.atLeast(rows - 1, tile * 8);
  facts.atLeast(most, rows);
  EXPECT_TRUE(facts.provesAtLeast(most, tile * 8 + row));
  EXPECT_FALSE(facts.provesAtLeast(most - 1, tile * 8 + row));
  // Of several parts, each below what the others have in common; and from below.
  Polynomial warp = Polynomial::atom(3);
  Facts parts;
  for (auto [x, last] : {std::pair(row, 7), {warp, 3}}) {
    parts.atLeast(x, 0);
    parts.atLeast(last, x);
  }
  parts.atLeast(1003, tile * 32);
  parts.atLeast(tile * 32, 33);
  const Polynomial at = tile * 32 + warp * 8 + row;
  EXPECT_TRUE(parts.provesAtLeast(1023, at));
  EXPECT_FALSE(parts.provesAtLeast(1022, at));
  EXPECT_TRUE(parts.provesAtLeast(at, 64));
  EXPECT_FALSE(parts.provesAtLeast(at, 65));
}

// Products of bounds that fit into no 64 bits are left out, and nothing else is.
TEST(Facts, LargeBoundsLoseNothing) {
  Facts facts;
  Polynomial x = Polynomial::atom(0), y = Polynomial::atom(1);
  for (const Polynomial &p : {x, y}) {
    facts.atLeast(p, 0);
    facts.atLeast(int64_t(1) << 32, p);
  }
  EXPECT_TRUE(facts.provesAtLeast(x * y, 0));
  EXPECT_FALSE(facts.provesAtLeast(x * y, 1));
}

TEST(Facts, WhatContradictsItselfIsKept) {
  Facts::limit(100);
  auto x = [](Atom a) { return Polynomial::atom(a); };
  // t < n, s = t + 1, s > n; and the same among others.
  Facts facts;
  facts.atLeast(x(0), x(1) + 1);
  facts.equal(x(2), x(1) + 1);
  facts.atLeast(x(2), x(0) + 1);
  EXPECT_TRUE(facts.contradict());
  uint64_t before = Facts::solved();
  Facts more;
  for (Atom a = 3; a < 9; ++a)
    more.atLeast(x(a) * x(a - 1), x(a - 2));
  more.add(facts);
  EXPECT_TRUE(more.contradict());
  EXPECT_EQ(Facts::solved(), before);
  // Not without one of them, and not in another proof.
  Facts fewer;
  fewer.nonnegative = more.nonnegative;
  EXPECT_FALSE(fewer.contradict());
  Facts::limit(100);
  before = Facts::solved();
  EXPECT_TRUE(more.contradict());
  EXPECT_GT(Facts::solved(), before);
  Facts::limit(~uint64_t(0) / 1000);
}

TEST(Facts, CasesOfBitsContradictThemselves) {
  auto x = [](Atom a) { return Polynomial::atom(a); };
  const Polynomial work = x(0), ctas = x(1), id = x(2), tiles = x(3),
                   turns = x(4), odd = x(5), others = x(6), even = x(7);
  // tiles = ceil((work - id) / ctas), halved: the last tile of two who take turns is
  // of the one, and of the other.
  Facts facts;
  facts.atLeast(ctas, id + 1);
  facts.atLeast(id, 0);
  facts.atLeast(ctas * tiles, work - id);
  for (const Polynomial &bit : {odd, even}) {
    facts.atLeast(bit, 0);
    facts.atLeast(1, bit);
  }
  facts.equal(tiles, Polynomial(2) * turns + odd);
  facts.equal(tiles + 1, Polynomial(2) * others + even);
  facts.atLeast(work - id, Polynomial(2) * ctas * turns + 1);
  Facts both = facts;
  both.atLeast(work - id, Polynomial(2) * ctas * others - ctas + 1);
  EXPECT_TRUE(both.contradictByBits());
  EXPECT_FALSE(facts.contradictByBits());
  // Of what may be 2, too, no cases are made.
  Facts wider;
  wider.nonnegative = both.nonnegative;
  wider.zero = both.zero;
  wider.nonnegative.eraseIf(
      [&](const Polynomial &p) { return p == Polynomial(1) - odd; });
  wider.atLeast(2, odd);
  EXPECT_FALSE(wider.contradictByBits());
}
