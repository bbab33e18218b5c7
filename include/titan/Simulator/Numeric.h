//===- Numeric.h - bf16 and f16, bit for bit --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bf16 is the upper half of an f32; f16 has 5 exponent and 10 mantissa bits.
// Widening is exact. Narrowing rounds to nearest, ties to even (cvt.rn).
//
// Sums, products and quotients of two bf16 or f16 numbers may be computed in
// f32 and rounded once more: an f32 has 24 bits, at least twice the 8 or 11 of
// the narrow type and two more, so rounding twice gives what rounding once
// gives. Products of two such numbers are exact in f32.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_NUMERIC_H
#define TITAN_SIMULATOR_NUMERIC_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace titan::sim {

inline float asFloat(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t asBits(float value) { return std::bit_cast<uint32_t>(value); }

inline float bf16ToFloat(uint16_t bits) {
  return asFloat(static_cast<uint32_t>(bits) << 16);
}

inline uint16_t floatToBf16(float value) {
  uint32_t bits = asBits(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return 0x7fff; // cvt gives the canonical NaN.
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

inline float f16ToFloat(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  if (exponent == 31)
    return asFloat(sign | 0x7f800000 | (mantissa << 13));
  if (exponent == 0) {
    float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return asFloat(sign | asBits(magnitude));
  }
  return asFloat(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

inline uint16_t floatToF16(float value) {
  uint32_t bits = asBits(value);
  uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return 0x7fff;
  if (magnitude >= 0x477ff000) // 65520 and above round to infinity.
    return sign | 0x7c00;
  if (magnitude < 0x38800000) { // Below 2^-14: a multiple of 2^-24.
    // Adding 0.5 puts the unit of the last place at 2^-24, rounding to even.
    uint32_t sum = asBits(asFloat(magnitude) + 0.5f);
    return static_cast<uint16_t>(sign | (sum - 0x3f000000));
  }
  uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

} // namespace titan::sim

#endif
