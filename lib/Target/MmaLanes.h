//===- MmaLanes.h - Sums of matrix instructions, many at once ---*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix instruction adds products as MmaSum.h says: it takes the terms of one
// element of D apart, aligns their significands to the largest exponent, drops
// what lies below some bit, and adds integers. Two functions do that, and give
// the same bits (unittests/Target):
//
//                     terms                     which products
//   multiplyTerms     one after another         all
//   multiplyLanes     of `width` columns of D   finite, exponents not far apart;
//                     at once, in vectors       else it does nothing
//
// A format is sign, exponent, significand, packed into a word from bit `shift`:
//
//            bits   exponent   mantissa   infinite   shift   1.5 is
//   f16       16       5          10        yes        0     0x3e00
//   bf16      16       8           7        yes        0     0x3fc0
//   tf32      19       8          10        yes       13     0x3fc00000 in 32 bits
//   e5m2       8       5           2        yes        0     0x3e
//   e4m3       8       4           3        no         0     0x3c
//
// value = (-1)^sign * 2^(exponent - bias) * (1 + mantissa / 2^mantissa bits), bias
// 2^(exponent bits - 1) - 1; e4m3 has no infinity, so that its largest exponent
// counts as any other one (448 = 0x7e), and 0x7f alone is no number.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TARGET_MMALANES_H
#define TITAN_TARGET_MMALANES_H

#include "titan/Target/MmaSum.h"

#include <bit>

namespace titan {

/// A floating-point format; `infinite`: it has infinities.
struct Format {
  int bits, exponent, mantissa;
  bool infinite = true;
  int shift = 0; ///< Of its bits in a word.
  int bias() const { return (1 << (exponent - 1)) - 1; }
};

inline Format formatOf(MmaType type) {
  switch (type) {
  case MmaType::F16:
    return {16, 5, 10};
  case MmaType::BF16:
    return {16, 8, 7};
  case MmaType::TF32: // Its 19 bits are the upper ones of 32.
    return {19, 8, 10, true, 13};
  case MmaType::E4M3:
    return {8, 4, 3, false};
  case MmaType::E5M2:
    return {8, 5, 2};
  default:
    return {32, 8, 23};
  }
}

/// 2^exponent, a normal float's.
inline float power(int exponent) {
  return std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23);
}

/// sum * 2^unit, rounded into the format.
uint32_t rounded(const MmaArithmetic &how, const Format &f, int64_t sum,
                 int unit);

/// MmaProduct::multiply of floating point, term by term: what MmaSum.h says.
void multiplyTerms(const MmaProduct &p, const MmaArithmetic &how, int64_t rows,
                   int64_t columns, int64_t k, const uint32_t *a,
                   const uint32_t *b, uint32_t *d);

/// The same where exponents are moderate and all is finite; false,
/// and nothing done, where they are not.
bool multiplyLanes(const MmaProduct &p, const MmaArithmetic &how, int64_t rows,
                   int64_t columns, int64_t k, const uint32_t *a,
                   const uint32_t *b, uint32_t *d);

} // namespace titan

#endif // TITAN_TARGET_MMALANES_H
