//===- SymbolsTest.cpp - values of expressions, evaluated again -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Scalars.h"

#include <gtest/gtest.h>

#include <random>

using namespace titan::checker;

namespace {

/// Of a parameter that changes alone only what hangs on it is evaluated again.
TEST(Symbols, WhatDoesNotChangeIsKept) {
  Symbols symbols;
  int a, b;
  Number x{0, symbols.parameter(&a, 0)}, y{0, symbols.parameter(&b, 0)};
  Number square{0, symbols.apply(Arith::Mul, 0, 64, 64, x, x, {})},
      sum{0, symbols.apply(Arith::Add, 0, 64, 64, square, y, {})};
  Symbols::Values values = {{3, 5}, {10, 20}};
  auto steps = [&](int cta, int64_t expected) {
    const uint64_t before = symbols.evaluations();
    EXPECT_EQ(symbols.value(sum, values, cta), expected);
    return symbols.evaluations() - before;
  };
  EXPECT_EQ(steps(0, 19), 2u);
  EXPECT_EQ(steps(0, 19), 2u);
  symbols.changesOnly(symbols.parameterOf(y.symbol));
  EXPECT_EQ(steps(0, 19), 2u);
  values[1] = {11, 21};
  EXPECT_EQ(steps(0, 20), 1u);
  EXPECT_EQ(steps(1, 46), 2u); // of another CTA
  symbols.changesOnly(std::nullopt);
  values[0] = {4, 6};
  EXPECT_EQ(steps(0, 27), 2u);
  symbols.changesOnly(symbols.parameterOf(x.symbol));
  EXPECT_EQ(steps(0, 27), 2u);
  values[0] = {1, 2};
  EXPECT_EQ(steps(0, 12), 2u);
}

/// More parameters than there are bits, any expressions of them, in any order: the
/// same values as without.
TEST(Symbols, KeptValuesAreThose) {
  constexpr unsigned parameters = 70, ctas = 3;
  std::mt19937 random(7);
  auto below = [&](size_t n) { return random() % n; };
  Symbols symbols;
  std::vector<int> keys(parameters);
  std::vector<Number> numbers;
  for (int &key : keys)
    numbers.push_back({0, symbols.parameter(&key, 0)});
  for (int i = 0; i < 300; ++i) {
    const Arith codes[] = {Arith::Add, Arith::Mul, Arith::DivS, Arith::MinS,
                           Arith::Select};
    auto any = [&]() -> Number {
      return below(5) ? numbers[below(numbers.size())]
                      : Number{int64_t(below(9)) - 4, 0};
    };
    Number a = any(), b = any(), c = any();
    if (uint32_t symbol = symbols.apply(codes[below(5)], 0, 64, 64, a, b, c))
      numbers.push_back({0, symbol});
  }
  Symbols::Values values(parameters, std::vector<int64_t>(ctas));
  const Symbols fresh = symbols; // which keeps nothing
  for (int round = 0; round < 200; ++round) {
    const uint32_t parameter = below(parameters);
    if (round % 4)
      symbols.changesOnly(parameter);
    for (int i = 0; i < 20; ++i) {
      for (int64_t &value : values[parameter])
        value = int64_t(below(7)) - 3;
      Number number = numbers[below(numbers.size())];
      const int cta = below(ctas);
      ASSERT_EQ(symbols.value(number, values, cta),
                fresh.value(number, values, cta));
    }
    symbols.changesOnly(std::nullopt);
  }
}

} // namespace
