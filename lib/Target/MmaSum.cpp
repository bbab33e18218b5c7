//===- MmaSum.cpp - How matrix instructions add up ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the header says, term by term. MmaLanes.cpp makes the same bits of most
// products, many elements at a time.
//
//===----------------------------------------------------------------------===//
#include "titan/Target/MmaSum.h"

#include "MmaLanes.h"
#include "Words.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <vector>

namespace titan {
namespace {

constexpr std::string_view measured =
    "measured: docs/hardware-mma.md (H200, tests/Hardware/wgmma)";

constexpr MmaArithmetic arithmetics[] = {
    {"f16 bf16 tf32", "f32", 25, 23, false, measured},
    {"f16", "f16", 25, 10, true, measured},
    {"e4m3 e5m2", "f32", 13, 13, false, measured},
    {"e4m3 e5m2", "f16", 13, 10, true, measured},
};

constexpr std::string_view names[] = {"f16", "bf16", "tf32", "e4m3", "e5m2",
                                      "s8",  "u8",   "f32",  "s32"};

/// significand * 2^exponent; `scale` is the exponent that alignment sees, that
/// of the leading bit of a normal number.
struct Number {
  enum Kind : uint8_t { Zero, Finite, Infinite, NaN } kind = Zero;
  int32_t significand = 0;
  int exponent = 0, scale = 0;

  /// As a float, where that is normal.
  float value() const {
    return static_cast<float>(significand) * power(exponent);
  }
};

Number decode(const Format &f, uint32_t bits) {
  bool negative = bits >> (f.bits - 1) & 1;
  int32_t mantissa = static_cast<int32_t>(bits & ((1u << f.mantissa) - 1));
  int field = static_cast<int>(bits >> f.mantissa & ((1u << f.exponent) - 1));
  Number n;
  if (field == (1 << f.exponent) - 1 &&
      (f.infinite || mantissa == (1 << f.mantissa) - 1)) {
    n.kind = mantissa ? Number::NaN : Number::Infinite;
    n.significand = negative ? -1 : 1;
    return n;
  }
  n.scale = std::max(field, 1) - f.bias();
  n.exponent = n.scale - f.mantissa;
  n.significand = field ? mantissa | 1 << f.mantissa : mantissa;
  n.kind = n.significand ? Number::Finite : Number::Zero;
  if (negative)
    n.significand = -n.significand;
  return n;
}

uint32_t nan(const Format &f) { return (1u << (f.bits - 1)) - 1; }
uint32_t infinity(const Format &f, bool negative) {
  return uint32_t(negative) << (f.bits - 1) | ((1u << f.exponent) - 1)
                                                  << f.mantissa;
}

/// One instruction's sum for one element.
uint32_t add(const MmaArithmetic &how, const Format &f, const Number *a,
             const Number *b, int64_t k, uint32_t old) {
  Number c = decode(f, old);
  bool isNaN = c.kind == Number::NaN, up = false, down = false;
  auto infinite = [&](bool negative) { (negative ? down : up) = true; };
  if (c.kind == Number::Infinite)
    infinite(c.significand < 0);
  int largest =
      c.kind == Number::Finite ? c.scale : std::numeric_limits<int>::min();
  for (int64_t i = 0; i < k; ++i) {
    const Number &x = a[i], &y = b[i];
    if (x.kind == Number::NaN || y.kind == Number::NaN)
      isNaN = true;
    else if (x.kind == Number::Infinite || y.kind == Number::Infinite) {
      if (x.kind == Number::Zero || y.kind == Number::Zero)
        isNaN = true;
      else
        infinite((x.significand < 0) != (y.significand < 0));
    } else if (x.significand && y.significand)
      largest = std::max(largest, x.scale + y.scale);
  }
  if (isNaN || (up && down))
    return nan(f);
  if (up || down)
    return infinity(f, down);
  if (largest == std::numeric_limits<int>::min())
    return 0; // zeros alone
  int unit = largest - how.fraction;
  auto aligned = [&](int64_t significand, int exponent) -> int64_t {
    int shift = exponent - unit;
    if (shift >= 0)
      return significand * (int64_t(1) << shift);
    return shift < -62 ? 0 : significand / (int64_t(1) << -shift);
  };
  int64_t sum =
      c.kind == Number::Finite ? aligned(c.significand, c.exponent) : 0;
  for (int64_t i = 0; i < k; ++i)
    if (a[i].significand && b[i].significand)
      sum += aligned(int64_t(a[i].significand) * b[i].significand,
                     a[i].exponent + b[i].exponent);
  return rounded(how, f, sum, unit);
}

} // namespace

uint32_t rounded(const MmaArithmetic &how, const Format &f, int64_t sum,
                 int unit) {
  if (sum == 0)
    return 0;
  bool negative = sum < 0;
  uint64_t magnitude = negative ? -static_cast<uint64_t>(sum) : sum;
  int top = std::bit_width(magnitude) - 1 + unit;
  // The last place that is kept; subnormals have fewer.
  int last = std::max(top, 1 - f.bias()) - how.kept, shift = last - unit;
  uint64_t kept = shift <= 0   ? magnitude << -shift
                  : shift > 63 ? 0
                               : magnitude >> shift;
  if (how.nearest && shift > 0 && shift <= 63) {
    uint64_t rest = magnitude & ((uint64_t(1) << shift) - 1),
             half = uint64_t(1) << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
  }
  if (kept >> (how.kept + 1)) {
    kept >>= 1;
    ++last;
  }
  if (kept == 0)
    return 0;
  kept <<= f.mantissa - how.kept;
  int field = kept >> f.mantissa ? last + how.kept + f.bias() : 0;
  if (field >= (1 << f.exponent) - 1)
    return infinity(f, negative);
  return uint32_t(negative) << (f.bits - 1) |
         static_cast<uint32_t>(field) << f.mantissa |
         (static_cast<uint32_t>(kept) & ((1u << f.mantissa) - 1));
}

std::optional<MmaType> findMmaType(std::string_view name) {
  auto found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names))
    return std::nullopt;
  return static_cast<MmaType>(found - std::begin(names));
}

std::string_view toString(MmaType type) {
  return names[static_cast<int>(type)];
}

std::span<const MmaArithmetic> allMmaArithmetic() { return arithmetics; }

const MmaArithmetic *findMmaArithmetic(std::string_view a, std::string_view d) {
  for (const MmaArithmetic &row : arithmetics)
    if (hasWord(row.operands, a) && row.d == d)
      return &row;
  return nullptr;
}

static void multiplyIntegers(const MmaProduct &p, int64_t rows, int64_t columns,
                             int64_t k, const uint32_t *a, const uint32_t *b,
                             uint32_t *d) {
  auto widen = [](MmaType type, uint32_t bits) {
    return type == MmaType::S8 ? static_cast<int8_t>(bits)
                               : static_cast<int32_t>(bits & 0xff);
  };
  std::vector<int32_t> left(rows * k), right(columns * k);
  for (int64_t i = 0; i < rows * k; ++i)
    left[i] = widen(p.a, a[i]);
  for (int64_t i = 0; i < columns * k; ++i)
    right[i] = widen(p.b, b[i]);
  constexpr int64_t most = std::numeric_limits<int32_t>::max(),
                    least = std::numeric_limits<int32_t>::min();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      auto out = static_cast<int32_t>(d[i * columns + j]);
      for (int64_t at = 0; at < k; at += p.depth) {
        int32_t sum = 0; // of at most 32 products below 2^16
        for (int64_t e = at; e < at + p.depth; ++e)
          sum += left[i * k + e] * right[j * k + e];
        int64_t all = int64_t(out) + sum;
        out = static_cast<int32_t>(p.saturate ? std::clamp(all, least, most)
                                              : all);
      }
      d[i * columns + j] = static_cast<uint32_t>(out);
    }
}

void multiplyTerms(const MmaProduct &p, const MmaArithmetic &how, int64_t rows,
                   int64_t columns, int64_t k, const uint32_t *aBits,
                   const uint32_t *bBits, uint32_t *d) {
  Format format = formatOf(p.d);
  auto numbers = [&](MmaType type, const uint32_t *bits, int64_t count,
                     bool negate) {
    Format f = formatOf(type);
    std::vector<Number> list(count);
    for (int64_t i = 0; i < count; ++i) {
      list[i] = decode(f, bits[i] >> f.shift);
      if (negate)
        list[i].significand = -list[i].significand;
    }
    return list;
  };
  std::vector<Number> left = numbers(p.a, aBits, rows * k, p.negateA);
  std::vector<Number> right = numbers(p.b, bBits, columns * k, p.negateB);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t at = 0; at < k; at += p.depth)
        d[i * columns + j] =
            add(how, format, &left[i * k + at], &right[j * k + at], p.depth,
                d[i * columns + j]);
}

void MmaProduct::multiply(int64_t rows, int64_t columns, int64_t k,
                          const uint32_t *aBits, const uint32_t *bBits,
                          uint32_t *d) const {
  if (this->d == MmaType::S32)
    return multiplyIntegers(*this, rows, columns, k, aBits, bBits, d);
  const MmaArithmetic &how = *findMmaArithmetic(
      names[static_cast<int>(a)], names[static_cast<int>(this->d)]);
  if (!multiplyLanes(*this, how, rows, columns, k, aBits, bBits, d))
    multiplyTerms(*this, how, rows, columns, k, aBits, bBits, d);
}

} // namespace titan
