//===- EvaluateTest.cpp - A layout in somebody's arithmetic ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Cases.h"

#include "titan/Layout/Evaluate.h"

#include <gtest/gtest.h>

using namespace titan;

namespace {
/// Computes at once.
struct Numbers {
  using Value = int64_t;
  Value constant(int64_t c) { return c; }
  Value add(Value x, Value y) { return x + y; }
  Value exclusiveOr(Value x, Value y) { return x ^ y; }
  Value times(Value x, int64_t c) { return x * c; }
  Value over(Value x, int64_t c) { return x / c; }
  Value rest(Value x, int64_t c) { return x % c; }
  Value masked(Value x, int64_t c) { return x & c; }
  Value down(Value x, int64_t bits) { return x >> bits; }
};
} // namespace

// evaluate against Layout::apply, at all coordinates, in bytes and in the largest
// unit.
TEST(Evaluate, IsApply) {
  struct {
    const char *text;
    int64_t unit; // of at most 8 bytes
  } cases[] = {
      {"r: 8*b64; c: 32*b2", 2},
      {"r: 5*b68; c: 7*b4", 4},
      {"r: 8*b64; c: 32*b2, 2*b512; at: b24", 2},
      {"r: 3*b1, 2*b24; c: 4*b5", 1},
      {"r: 8*b128; c: 64*b2; bits: 4^7, 5^8, 6^9", 2},
      {"r: 8*b128; c: 16*b8; bits: 4^7, 5^8, 6^9", 8},
      {"r: 8*b128; c: 16*b8; bits: 2^7", 4},
      {"r: 4*b16, 2*rep; c: 2*b8", 8},
      {"r: 4*^160; c: 4*b8; at: b16", 8},
  };
  for (auto &[text, unit] : cases) {
    Layout layout = parsed(text);
    EXPECT_EQ(unitOf(layout, 8), unit) << text;
    Numbers numbers;
    for (int64_t r = 0; r < layout.axes()[0].size(); ++r)
      for (int64_t c = 0; c < layout.axes()[1].size(); ++c) {
        Coord at(2);
        at[0] = r, at[1] = c;
        int64_t coords[] = {r, c}, byte = layout.apply(at)[0];
        EXPECT_EQ(evaluate<Numbers>(layout, coords, 1, numbers), byte)
            << text << " at " << r << ", " << c;
        EXPECT_EQ(evaluate<Numbers>(layout, coords, unit, numbers) * unit,
                  byte)
            << text << " at " << r << ", " << c;
      }
  }
}
