//===- MmaLanes.h - Sums of matrix instructions, many at once ---*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
