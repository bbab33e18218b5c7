//===- NumericTest.cpp - bf16 and f16 against arithmetic on reals ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/Numeric.h"
#include "titan/Simulator/Element.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using namespace titan::sim;

/// The value that sign, exponent and fraction say, by the definition.
static double valueOf(uint16_t bits, int exponentBits, int fractionBits) {
  int exponent = bits >> fractionBits & ((1 << exponentBits) - 1);
  int fraction = bits & ((1 << fractionBits) - 1);
  int bias = (1 << (exponentBits - 1)) - 1;
  double magnitude = exponent == 0
                         ? std::ldexp(fraction, 1 - bias - fractionBits)
                         : std::ldexp(fraction + (1 << fractionBits),
                                      exponent - bias - fractionBits);
  return bits >> 15 ? -magnitude : magnitude;
}

static bool isFinite(uint16_t bits, int exponentBits, int fractionBits) {
  int mask = (1 << exponentBits) - 1;
  return (bits >> fractionBits & mask) != mask;
}

TEST(Numeric, WideningIsExact) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if (isFinite(bits, 8, 7)) {
      EXPECT_EQ(bf16ToFloat(bits), valueOf(bits, 8, 7)) << bits;
      EXPECT_EQ(floatToBf16(bf16ToFloat(bits)), bits);
    }
    if (isFinite(bits, 5, 10)) {
      EXPECT_EQ(f16ToFloat(bits), valueOf(bits, 5, 10)) << bits;
      EXPECT_EQ(floatToF16(f16ToFloat(bits)), bits);
    }
  }
}

/// Between two neighbours: the nearer one; the even one from the middle.
TEST(Numeric, NarrowingRoundsToNearestEven) {
  auto check = [](uint16_t low, int exponentBits, int fractionBits,
                  auto narrow) {
    uint16_t high = low + 1;
    double a = valueOf(low, exponentBits, fractionBits),
           b = isFinite(high, exponentBits, fractionBits)
                   ? valueOf(high, exponentBits, fractionBits)
                   : 2 * a - valueOf(low - 1, exponentBits, fractionBits);
    float middle = static_cast<float>((a + b) / 2);
    if (middle != (a + b) / 2)
      return; // f32 cannot hold the middle (f32's own subnormals).
    EXPECT_EQ(narrow(middle), low % 2 ? high : low) << low;
    EXPECT_EQ(narrow(std::nextafterf(middle, 0)), low) << low;
    EXPECT_EQ(narrow(std::nextafterf(middle, INFINITY)), high) << low;
    EXPECT_EQ(narrow(-middle), 0x8000 | (low % 2 ? high : low)) << low;
  };
  for (uint16_t bits = 0; bits < 0x7f80; ++bits)
    check(bits, 8, 7, floatToBf16);
  for (uint16_t bits = 0; bits < 0x7c00; ++bits)
    check(bits, 5, 10, floatToF16);
}

TEST(Numeric, NotANumber) {
  EXPECT_EQ(floatToBf16(NAN), 0x7fff);
  EXPECT_EQ(floatToF16(NAN), 0x7fff);
  EXPECT_EQ(floatToF16(INFINITY), 0x7c00);
  EXPECT_EQ(floatToBf16(-INFINITY), 0xff80);
}

/// One rounding, where f32 in between would round twice.
TEST(Numeric, OneRounding) {
  auto run = [](EltOp op, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
    return *evaluate(op, a, b, c);
  };
  EltOp toBf16{Elt::SIToFP, ElementType::I32, ElementType::BF16, 0};
  // Just above the middle of two bf16, by less than f32 resolves.
  int64_t middle = (int64_t(1) << 30) + (int64_t(1) << 22);
  EXPECT_EQ(run(toBf16, middle), 0x4e80u);
  EXPECT_EQ(run(toBf16, middle + 1), 0x4e81u);
  EXPECT_EQ(run(toBf16, -(middle + 1)), 0xce81u);
  EltOp fromLong{Elt::UIToFP, ElementType::I64, ElementType::F16, 0};
  EXPECT_EQ(run(fromLong, 2049), 0x6800u);
  EXPECT_EQ(run(fromLong, 1 << 20), 0x7c00u);
  // The product is a little below half a unit of the sum's last place, by less
  // than f32 resolves.
  EltOp fma{Elt::Fma, ElementType::F16, ElementType::F16, 0};
  EXPECT_EQ(run(fma, 0x3c01, 0x0ffe, 0x3c01), 0x3c01u);
  EXPECT_EQ(run(fma, 0x3c01, 0x1000, 0x3c01), 0x3c02u);
  EXPECT_EQ(run(fma, 0x7c00, 0x0000, 0x3c01), 0x7fffu);
}
