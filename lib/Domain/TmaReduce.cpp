//===- TmaReduce.cpp - The arithmetic of TMA's values ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/Tma.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

using namespace titan;

uint32_t titan::roundToTf32(uint32_t x) {
  constexpr uint32_t exponent = 0x7F800000;
  if ((x & exponent) == exponent)
    return (x & 0x007FFFFF) ? 0x7FFFE000 : x;
  // Half a unit, ties to even; a carry out of the mantissa is the next binade,
  // in the end infinity.
  return (x + 0xFFF + ((x >> 13) & 1)) & 0xFFFFE000;
}

//===----------------------------------------------------------------------===//
// 16-bit floats
//===----------------------------------------------------------------------===//

namespace {
/// A 16-bit float format: bits of exponent and of mantissa.
struct Half {
  int exponentBits, mantissaBits;
  uint16_t infinity() const {
    return static_cast<uint16_t>(((1 << exponentBits) - 1) << mantissaBits);
  }
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
};
} // namespace

static constexpr Half f16{5, 10}, bf16{8, 7};
static constexpr uint16_t canonicalNaN16 = 0x7FFF;

static bool isNaN(Half format, uint16_t bits) {
  return (bits & 0x7FFF) > format.infinity();
}

static double toDouble(Half format, uint16_t bits) {
  int mantissa = bits & ((1 << format.mantissaBits) - 1);
  int exponent = (bits & 0x7FFF) >> format.mantissaBits;
  double value;
  if ((bits & 0x7FFF) >= format.infinity())
    value = isNaN(format, bits) ? NAN : INFINITY;
  else if (exponent == 0)
    value = std::ldexp(mantissa, 1 - format.bias() - format.mantissaBits);
  else
    value = std::ldexp(mantissa + (1 << format.mantissaBits),
                       exponent - format.bias() - format.mantissaBits);
  return (bits & 0x8000) ? -value : value;
}

/// The nearest value of the format, ties to even.
static uint16_t fromDouble(Half format, double value) {
  if (std::isnan(value))
    return canonicalNaN16;
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | format.infinity();
  if (magnitude == 0)
    return sign;
  int exponent = std::max(std::ilogb(magnitude), 1 - format.bias());
  // In units of the last place; nearbyint rounds to nearest even.
  double units =
      std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent));
  uint32_t bits = static_cast<uint32_t>(units);
  // Normal numbers have a hidden bit; a sum that rounds up to the next binade
  // carries into the exponent by itself.
  uint32_t encoded = bits + (static_cast<uint32_t>(exponent + format.bias() - 1)
                             << format.mantissaBits);
  return sign |
         static_cast<uint16_t>(std::min<uint32_t>(encoded, format.infinity()));
}

static uint16_t add16(Half format, uint16_t a, uint16_t b) {
  // A double holds 53 bits, more than 2*11 + 2, so rounding to it first does
  // not change the result of rounding to 11 or 8 bits.
  return fromDouble(format, toDouble(format, a) + toDouble(format, b));
}

static uint16_t minMax16(Half format, bool max, uint16_t a, uint16_t b) {
  if (isNaN(format, a) || isNaN(format, b)) {
    if (isNaN(format, a) && isNaN(format, b))
      return canonicalNaN16;
    return isNaN(format, a) ? b : a;
  }
  // As sign and magnitude, so that -0 is below +0.
  auto key = [](uint16_t x) {
    return (x & 0x8000) ? -int(x & 0x7FFF) - 1 : int(x);
  };
  return (key(a) < key(b)) == max ? b : a;
}

//===----------------------------------------------------------------------===//
// 32-bit floats and integers
//===----------------------------------------------------------------------===//

static uint32_t flush(uint32_t x) {
  return (x & 0x7F800000) == 0 ? x & 0x80000000 : x;
}

static uint32_t addF32(uint32_t a, uint32_t b, bool ftz) {
  if (ftz) {
    a = flush(a);
    b = flush(b);
  }
  float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
  uint32_t bits = std::isnan(sum) ? 0x7FFFFFFF : std::bit_cast<uint32_t>(sum);
  return ftz ? flush(bits) : bits;
}

/// NaN comes through as it is, the source's before the old one.
static uint64_t addF64(uint64_t old, uint64_t source) {
  auto isNaN = [](uint64_t x) {
    return (x & ~(uint64_t(1) << 63)) > 0x7FFull << 52;
  };
  if (isNaN(source))
    return source;
  if (isNaN(old))
    return old;
  double sum = std::bit_cast<double>(old) + std::bit_cast<double>(source);
  return std::isnan(sum) ? 0xFFF8ull << 48 : std::bit_cast<uint64_t>(sum);
}

std::optional<uint64_t> titan::reduceElement(std::string_view op,
                                             const TmaType &type, uint64_t old,
                                             uint64_t source) {
  if (!hasTmaReduction(op, type.name))
    return std::nullopt;
  uint64_t mask =
      type.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << type.bits) - 1;
  uint64_t a = old & mask, b = source & mask;

  if (type.name == "f16" || type.name == "bf16") {
    Half format = type.name == "f16" ? f16 : bf16;
    uint16_t x = static_cast<uint16_t>(a), y = static_cast<uint16_t>(b);
    if (op == "add")
      return add16(format, x, y);
    if (op == "min" || op == "max")
      return minMax16(format, op == "max", x, y);
    return std::nullopt;
  }
  // tf32 rounds when it is loaded, and nowhere else.
  if (type.name[0] != 'u' && type.name[0] != 's') {
    if (op != "add")
      return std::nullopt;
    if (type.name == "f64")
      return addF64(a, b);
    return addF32(static_cast<uint32_t>(a), static_cast<uint32_t>(b),
                  type.name.ends_with(".ftz"));
  }
  if (op == "add")
    return (a + b) & mask;
  if (op == "and")
    return a & b;
  if (op == "or")
    return a | b;
  if (op == "xor")
    return a ^ b;
  if (op == "inc")
    return a >= b ? 0 : a + 1;
  if (op == "dec")
    return a == 0 || a > b ? b : a - 1;
  if (op == "min" || op == "max") {
    // Flipping the sign bit turns signed order into unsigned order.
    uint64_t flip = type.name[0] == 's' ? uint64_t(1) << (type.bits - 1) : 0;
    bool less = (a ^ flip) < (b ^ flip);
    return less == (op == "max") ? b : a;
  }
  return std::nullopt;
}

void titan::reduceElements(std::string_view op, const TmaType &type,
                           std::span<const uint8_t> source,
                           std::span<uint8_t> destination) {
  assert(source.size() == destination.size());
  size_t bytes = type.bits / 8;
  for (size_t i = 0; i + bytes <= destination.size(); i += bytes) {
    uint64_t old = 0, added = 0;
    std::memcpy(&old, &destination[i], bytes);
    std::memcpy(&added, &source[i], bytes);
    uint64_t result = *reduceElement(op, type, old, added);
    std::memcpy(&destination[i], &result, bytes);
  }
}
