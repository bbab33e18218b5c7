//===- ConditionTest.cpp - Launch checks as one would write them ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/Condition.h"

#include <gtest/gtest.h>
#include <random>

using namespace titan;

namespace {

const Expr K = Expr::symbol("K"), M = Expr::symbol("M"), N = Expr::symbol("N"),
           S = Expr::symbol("S");

std::string text(const Expr &e) { return Condition::atLeastZero(e).str(); }

TEST(Condition, IsWrittenAsComparisons) {
  EXPECT_EQ(text(K - 1), "K >= 1");
  EXPECT_EQ(text(K + 1), "K >= -1");
  EXPECT_EQ(text(K), "K >= 0");
  EXPECT_EQ(text(Expr(7) - K), "K <= 7");
  EXPECT_EQ(text(Expr(0) - K % 8), "K % 8 == 0");
  EXPECT_EQ(text(Expr(1) - K % 8), "K % 8 <= 1");
  EXPECT_EQ(text(K - M - 3), "K >= M + 3");
  EXPECT_EQ(text(K - M + 3), "K + 3 >= M");
  EXPECT_EQ(text(K - (M - N)), "K + N >= M");
  EXPECT_EQ(text(K * -2 + M), "M >= K*2");
  EXPECT_EQ(text(min(S * 2, Expr(1024) - S * 2)), "S*2 >= 0 and S*2 <= 1024");
  EXPECT_EQ(text(Expr(0) - max(S - K, K - S)), "S == K");
  EXPECT_EQ(text(Expr(1) - max(S - K, K - S)), "K + 1 >= S and S + 1 >= K");
  EXPECT_EQ(text(Expr(0) - max(Expr(-1), min(M - 5, N - 3)) - 1),
            "M <= 4 or N <= 2");
  EXPECT_EQ(text(min(max(K, M), max(K, N))),
            "(K >= 0 or M >= 0) and (K >= 0 or N >= 0)");
  EXPECT_EQ(text(max(K - (K + 2), M)), "M >= 0");
  EXPECT_EQ(text(K + M - (K + N)), "M >= N");
  EXPECT_EQ(text(min(Expr(4) - K, min(M, Expr(3) - K))), "K <= 3 and M >= 0");
  EXPECT_EQ(text(max(Expr(3) - K, max(M, Expr(4) - K))), "K <= 4 or M >= 0");
  EXPECT_EQ(text(min(K - 1, min(M, K - 2))), "K >= 2 and M >= 0");
  EXPECT_EQ(text(max(K - 1, max(M, K - 2))), "K >= 1 or M >= 0");
  EXPECT_EQ(text(max(K, max(M, K))), "K >= 0 or M >= 0");
  EXPECT_EQ(text(max(K, Expr(1))), "true");
  EXPECT_EQ(text(min(K, Expr(-1))), "false");
  EXPECT_EQ(text(max(K, Expr(-1))), "K >= 0");
  EXPECT_EQ(text(5), "true");
  EXPECT_EQ(text(-5), "false");
}

/// What is too large remains as it is, and so do numbers that overflow.
TEST(Condition, LargeOnesStayWhole) {
  Expr e = K;
  for (int i = 0; i < 80; ++i)
    e = min(e, M * (i + 2) - N);
  EXPECT_EQ(text(e), e.str() + " >= 0");
  Expr over = (K + INT64_MAX) - (M - 1) * Expr(INT64_MIN);
  EXPECT_FALSE(text(over).empty());
  EXPECT_FALSE(text(K + INT64_MIN).empty());
}

/// The same values of the symbols keep it and the expression.
TEST(Condition, MeansTheSame) {
  constexpr unsigned seed = 5;
  std::mt19937 random(seed);
  auto below = [&](int n) { return static_cast<int>(random() % n); };
  auto make = [&](auto &self, int depth) -> Expr {
    if (depth == 0)
      switch (below(4)) {
      case 0:
        return Expr(below(9) - 4);
      case 1:
        return K;
      default:
        return below(2) ? M : N;
      }
    Expr a = self(self, depth - 1), b = self(self, depth - 1);
    switch (below(8)) {
    case 0:
      return a + b;
    case 1:
    case 2:
      return a - b;
    case 3:
      return min(a, b);
    case 4:
      return max(a, b);
    case 5:
      return Expr(0) - max(a - b, b - a);
    case 6:
      return Expr(0) - a % Expr(below(4) + 1);
    default:
      return a * Expr(below(7) - 3);
    }
  };
  int kept = 0, broken = 0;
  for (int i = 0; i < 20000; ++i) {
    Expr e = make(make, 1 + below(4));
    Condition condition = Condition::atLeastZero(e);
    for (int64_t k = -3; k <= 3; ++k)
      for (int64_t m = -2; m <= 4; m += 3)
        for (int64_t n = -1; n <= 5; n += 2) {
          Expr::Bindings at{{"K", k}, {"M", m}, {"N", n}};
          auto value = e.evaluate(at);
          ASSERT_TRUE(value);
          auto holds = condition.evaluate(at);
          ASSERT_TRUE(holds);
          ASSERT_EQ(*holds, *value >= 0)
              << "seed " << seed << ": " << e.str() << " >= 0, written "
              << condition.str() << ", K " << k << ", M " << m << ", N " << n;
          ++(*holds ? kept : broken);
        }
  }
  EXPECT_GT(kept, 100000);
  EXPECT_GT(broken, 100000);
}

} // namespace
