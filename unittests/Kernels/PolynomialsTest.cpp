//===- PolynomialsTest.cpp - written-out functions over floats ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Kernels/Polynomials.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <cstdlib>

using namespace titan::kernels;

static float horner(std::span<const float> coefficients, float x) {
  float sum = coefficients.back();
  for (size_t i = coefficients.size() - 1; i-- > 0;)
    sum = std::fma(sum, x, coefficients[i]);
  return sum;
}

TEST(Polynomials, GeluTail) {
  for (uint32_t bits = 0; bits <= std::bit_cast<uint32_t>(geluFarthest);
       bits += 977) {
    float t = std::bit_cast<float>(bits);
    double found = std::exp2(double(horner(geluTail, t)));
    double right = 0.5 * std::erfc(t * M_SQRT1_2);
    ASSERT_LE(std::abs(found - right), 0x1p-21) << t;
    if (t <= 7)
      ASSERT_LE(std::abs(found - right), 0x1p-12 * right) << t;
    else
      ASSERT_LE(found, 0x1p-39) << t;
  }
  EXPECT_LT(horner(geluTail, geluFarthest), -190);
}

TEST(Polynomials, Literals) {
  for (float value : {0.0f, 16.0f, -1.0f, 0.1f, geluTail[7], 0x1p-126f}) {
    std::string text = toLiteral(value);
    EXPECT_EQ(std::strtof(text.c_str(), nullptr), value) << text;
    EXPECT_NE(text.find('.'), text.npos) << text;
  }
}

/// As AttentionText::powers() writes it.
static float powerOfTwo(float x) {
  float bounded = std::max(x, -127.0f), rounded = bounded + exp2Rounder;
  float power = horner(exp2Fraction, bounded - (rounded - exp2Rounder));
  return std::bit_cast<float>(std::bit_cast<uint32_t>(power) +
                              (std::bit_cast<uint32_t>(rounded) << 23));
}

TEST(Polynomials, Exp2) {
  // Scores lie up to 8 above a row's maximum (conditional rescaling), and any
  // distance below; what is below 2^-126 counts for nothing.
  uint32_t step = std::getenv("TITAN_TEST_FULL") ? 1 : 61;
  auto check = [](float x) {
    double right = std::exp2(double(x));
    if (x >= -126)
      return std::abs(powerOfTwo(x) - right) <= 0x1p-13 * right;
    float found = powerOfTwo(x);
    return found >= 0 && found < 0x1.1p-126f && (x > -127 || found == 0);
  };
  for (float end : {8.0f, -1000.0f})
    for (uint32_t bits = std::bit_cast<uint32_t>(std::copysign(0.0f, end));
         bits <= std::bit_cast<uint32_t>(end); bits += step)
      ASSERT_TRUE(check(std::bit_cast<float>(bits)))
          << std::bit_cast<float>(bits);
  EXPECT_EQ(powerOfTwo(-INFINITY), 0);
  for (int n = -126; n <= 8; ++n)
    EXPECT_EQ(powerOfTwo(n), std::ldexp(1.0f, n));
}
