//===- DType.h - Element types and their bits -------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types that a kernel's arguments may have, spelled as MLIR spells
// them, and the conversion between a double and the bits of each type.
//
// A conversion to a narrower type rounds once, to nearest, ties to even (IEEE
// 754-2019 section 4.3.1), directly from the double: going through f32 first
// would round twice, and the simulator and the GPU run would then start from
// different data. Values past the largest finite one become infinity, or NaN in
// f8E4M3FN, which has no infinity (OCP 8-bit floating point specification 1.0,
// section 5).
//
// Header only; no LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_RUNTIME_DTYPE_H
#define TITAN_RUNTIME_DTYPE_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace titan::runtime {

/// An element type. The numbers are part of the C ABI (titan.h): they never
/// change, new ones are added at the end.
enum class DType : uint8_t {
  F64 = 0,
  F32 = 1,
  TF32 = 2, ///< Stored as f32 (4 bytes), low 13 bits zero.
  F16 = 3,
  BF16 = 4,
  F8E4M3FN = 5,
  F8E5M2 = 6,
  I64 = 7,
  I32 = 8,
  I16 = 9,
  I8 = 10,
};
inline constexpr int numDTypes = 11;

/// The layout of a binary floating-point type: its field widths in bits.
struct FloatFormat {
  int exponentBits;
  int mantissaBits; ///< Without the implicit bit.
  bool hasInfinity; ///< False: the all-ones exponent holds finite values, and
                    ///< only the all-ones pattern is NaN (the "FN" types).
};

/// The name of a type as MLIR writes it ("bf16", "f8E4M3FN", "i32").
constexpr std::string_view name(DType t) {
  constexpr std::string_view names[numDTypes] = {
      "f64",    "f32", "tf32", "f16", "bf16", "f8E4M3FN",
      "f8E5M2", "i64", "i32",  "i16", "i8"};
  return names[static_cast<int>(t)];
}

/// The type with this name, or nothing.
constexpr std::optional<DType> parseDType(std::string_view text) {
  for (int i = 0; i < numDTypes; ++i)
    if (name(static_cast<DType>(i)) == text)
      return static_cast<DType>(i);
  return std::nullopt;
}

/// The size of one element in bytes.
constexpr int64_t sizeInBytes(DType t) {
  constexpr int8_t sizes[numDTypes] = {8, 4, 4, 2, 2, 1, 1, 8, 4, 2, 1};
  return sizes[static_cast<int>(t)];
}

/// Whether a type is a floating-point type.
constexpr bool isFloat(DType t) { return t <= DType::F8E5M2; }

/// The fields of a floating-point type.
constexpr FloatFormat floatFormat(DType t) {
  switch (t) {
  case DType::F64:
    return {11, 52, true};
  case DType::F32:
    return {8, 23, true};
  case DType::TF32:
    return {8, 10, true};
  case DType::F16:
    return {5, 10, true};
  case DType::BF16:
    return {8, 7, true};
  case DType::F8E4M3FN:
    return {4, 3, false};
  default:
    return {5, 2, true}; // f8E5M2
  }
}

/// The bits of `value` rounded to the format `f` (to nearest, ties to even).
inline uint64_t encodeFloat(double value, FloatFormat f) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const uint64_t sign = (bits >> 63) << (f.exponentBits + f.mantissaBits);
  const int exponentField = static_cast<int>((bits >> 52) & 0x7FF);
  const uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  const uint64_t allOnes =
      (uint64_t{1} << (f.exponentBits + f.mantissaBits)) - 1;
  const uint64_t infinity = ((uint64_t{1} << f.exponentBits) - 1)
                            << f.mantissaBits;
  const uint64_t quietNaN =
      f.hasInfinity ? infinity | (uint64_t{1} << (f.mantissaBits - 1))
                    : allOnes;
  const uint64_t overflow = f.hasInfinity ? infinity : allOnes;

  if (exponentField == 0x7FF)
    return sign | (mantissa ? quietNaN : overflow);
  if (f.mantissaBits == 52)
    return bits;
  if (exponentField == 0) // A subnormal double lies below half of every
    return sign;          // narrower type's smallest value.

  const int exponent = exponentField - 1023;
  const int bias = (1 << (f.exponentBits - 1)) - 1;
  const int minExponent = 1 - bias;
  const int below = exponent < minExponent ? minExponent - exponent : 0;
  const int shift = 52 - f.mantissaBits + below;
  if (shift > 54)
    return sign;
  const uint64_t significand = (uint64_t{1} << 52) | mantissa;
  uint64_t rounded = significand >> shift;
  const uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
  const uint64_t half = uint64_t{1} << (shift - 1);
  if (rest > half || (rest == half && (rounded & 1)))
    ++rounded;
  // `rounded` holds the implicit bit, which adds the one that the exponent
  // field of a normal number is above (exponent - minExponent).
  if (exponent >= minExponent)
    rounded += static_cast<uint64_t>(exponent - minExponent) << f.mantissaBits;
  return sign | (rounded >= overflow ? overflow : rounded);
}

/// The value of the bits of a floating-point type; exact.
inline double decodeFloat(uint64_t bits, FloatFormat f) {
  const uint64_t mantissa = bits & ((uint64_t{1} << f.mantissaBits) - 1);
  const int fieldMax = (1 << f.exponentBits) - 1;
  const int field = static_cast<int>(bits >> f.mantissaBits) & fieldMax;
  const bool negative = (bits >> (f.mantissaBits + f.exponentBits)) & 1;
  const int bias = (1 << (f.exponentBits - 1)) - 1;
  double magnitude;
  if (field == fieldMax && f.hasInfinity)
    magnitude = mantissa ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  else if (field == fieldMax && !f.hasInfinity &&
           mantissa == (uint64_t{1} << f.mantissaBits) - 1)
    magnitude = std::numeric_limits<double>::quiet_NaN();
  else if (field == 0)
    magnitude =
        std::ldexp(static_cast<double>(mantissa), 1 - bias - f.mantissaBits);
  else
    magnitude = std::ldexp(
        static_cast<double>(mantissa | (uint64_t{1} << f.mantissaBits)),
        field - bias - f.mantissaBits);
  return negative ? -magnitude : magnitude;
}

/// Writes `value`, rounded to type `t`, to the sizeInBytes(t) bytes at `out`
/// (little-endian, unaligned). An integer type takes the value truncated; the
/// caller sees to it that it fits.
inline void store(DType t, double value, void *out) {
  uint64_t bits;
  if (!isFloat(t)) {
    bits = static_cast<uint64_t>(static_cast<int64_t>(value));
  } else if (t == DType::F32) {
    const float f = static_cast<float>(value);
    std::memcpy(out, &f, sizeof f);
    return;
  } else {
    bits = encodeFloat(value, floatFormat(t));
    if (t == DType::TF32)
      bits <<= 13;
  }
  std::memcpy(out, &bits, sizeInBytes(t));
}

/// The value of the element of type `t` at `in` (little-endian, unaligned);
/// exact but for i64 values beyond 2^53.
inline double load(DType t, const void *in) {
  uint64_t bits = 0;
  std::memcpy(&bits, in, sizeInBytes(t));
  switch (t) {
  case DType::I64:
    return static_cast<double>(static_cast<int64_t>(bits));
  case DType::I32:
    return static_cast<int32_t>(bits);
  case DType::I16:
    return static_cast<int16_t>(bits);
  case DType::I8:
    return static_cast<int8_t>(bits);
  case DType::TF32: // All 32 bits: memory may hold a value that is not rounded.
    return decodeFloat(bits, floatFormat(DType::F32));
  default:
    return decodeFloat(bits, floatFormat(t));
  }
}

} // namespace titan::runtime

#endif // TITAN_RUNTIME_DTYPE_H
