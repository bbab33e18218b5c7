//===- MmaSum.cpp - How matrix instructions add up ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three ways to the same bits. Where all sums fit into the accumulator (small
// integers, as tests have them), float addition gives them in any order. Where
// exponents are moderate, fixed point is floats that are scaled and truncated,
// which compilers make vectors of. The rest goes term by term.
//
//===----------------------------------------------------------------------===//
#include "titan/Target/MmaSum.h"

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

/// A floating-point format; `infinite`: it has infinities.
struct Format {
  int bits, exponent, mantissa;
  bool infinite = true;
  int bias() const { return (1 << (exponent - 1)) - 1; }
};

Format formatOf(MmaType type) {
  switch (type) {
  case MmaType::F16:
    return {16, 5, 10};
  case MmaType::BF16:
    return {16, 8, 7};
  case MmaType::TF32: // Its 19 bits are the upper ones of 32.
    return {19, 8, 10};
  case MmaType::E4M3:
    return {8, 4, 3, false};
  case MmaType::E5M2:
    return {8, 5, 2};
  default:
    return {32, 8, 23};
  }
}

/// 2^exponent, a normal float's.
float power(int exponent) {
  return std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23);
}

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

/// sum * 2^unit, rounded into the format.
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

/// Of some numbers: whether all are finite, and the least and largest exponents of
/// their last and first bits (those of zeros left out).
struct Range {
  bool finite = true;
  int low = std::numeric_limits<int>::max() / 4;
  int high = std::numeric_limits<int>::min() / 4;
  /// As alignment sees them.
  int least = std::numeric_limits<int>::max() / 4;
  int largest = std::numeric_limits<int>::min() / 4;

  void take(const Number &n) {
    finite &= n.kind <= Number::Finite;
    if (n.kind != Number::Finite)
      return;
    auto magnitude = static_cast<uint32_t>(std::abs(n.significand));
    low = std::min(low, n.exponent + std::countr_zero(magnitude));
    high = std::max<int>(high, n.exponent + std::bit_width(magnitude) - 1);
    least = std::min(least, n.scale);
    largest = std::max(largest, n.scale);
  }
};

} // namespace

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

void MmaProduct::multiply(int64_t rows, int64_t columns, int64_t k,
                          const uint32_t *aBits, const uint32_t *bBits,
                          uint32_t *d) const {
  if (this->d == MmaType::S32)
    return multiplyIntegers(*this, rows, columns, k, aBits, bBits, d);
  const MmaArithmetic &how = *findMmaArithmetic(
      names[static_cast<int>(a)], names[static_cast<int>(this->d)]);
  Format format = formatOf(this->d);
  Range rangeA, rangeB, rangeD;
  auto numbers = [&](MmaType type, const uint32_t *bits, int64_t count,
                     bool negate, Range &range) {
    Format f = formatOf(type);
    std::vector<Number> list(count);
    for (int64_t i = 0; i < count; ++i) {
      list[i] = decode(f, type == MmaType::TF32 ? bits[i] >> 13 : bits[i]);
      if (negate)
        list[i].significand = -list[i].significand;
      range.take(list[i]);
    }
    return list;
  };
  std::vector<Number> left = numbers(a, aBits, rows * k, negateA, rangeA);
  std::vector<Number> right = numbers(b, bBits, columns * k, negateB, rangeB);
  for (int64_t i = 0; i < rows * columns; ++i)
    rangeD.take(decode(format, d[i]));

  // Every sum is a multiple of 2^low, and below 2^high.
  int low = std::min(rangeA.low + rangeB.low, rangeD.low);
  int terms = std::bit_width(static_cast<uint64_t>(k));
  int high =
      std::max(rangeA.high + rangeB.high + 2 + terms, rangeD.high + 1) + 1;
  if (rangeA.finite && rangeB.finite && rangeD.finite &&
      std::min({rangeA.least, rangeB.least, rangeD.least}) > -30 &&
      std::max({rangeA.largest, rangeB.largest, rangeD.largest}) < 30 &&
      high < format.bias()) {
    // B by columns, so that D's are next to each other.
    std::vector<float> wide(rows * k), across(k * columns), line(columns);
    for (int64_t i = 0; i < rows * k; ++i)
      wide[i] = left[i].value();
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t e = 0; e < k; ++e)
        across[e * columns + j] = right[j * k + e].value();
    int aligned = std::max(rangeA.largest + rangeB.largest, rangeD.largest);
    bool exact = high - low <= how.kept + 1 && aligned - how.fraction <= low &&
                 low >= 1 - format.bias() - how.kept;
    auto load = [&](uint32_t bits) {
      return this->d == MmaType::F32 ? std::bit_cast<float>(bits)
                                     : decode(format, bits).value();
    };
    // All bits of a float are kept: it is the one towards zero.
    bool truncates =
        this->d == MmaType::F32 && !how.nearest && how.kept == format.mantissa;
    // Exponents, zeros' far below all others.
    constexpr int16_t none = -10000;
    std::vector<int16_t> scales, largest;
    std::vector<float> unit, scale; // and its inverse
    std::vector<int32_t> sums[2];
    if (!exact) {
      scales.resize(k * columns);
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t e = 0; e < k; ++e) {
          const Number &n = right[j * k + e];
          scales[e * columns + j] =
              static_cast<int16_t>(n.significand ? n.scale : none);
        }
      largest.resize(columns);
      unit.resize(columns);
      scale.resize(columns);
      for (std::vector<int32_t> &half : sums)
        half.resize(columns);
    }
    for (int64_t i = 0; i < rows; ++i) {
      uint32_t *out = d + i * columns;
      if (exact) {
        for (int64_t j = 0; j < columns; ++j)
          line[j] = load(out[j]);
        for (int64_t e = 0; e < k; ++e) {
          float x = wide[i * k + e];
          const float *in = &across[e * columns];
          for (int64_t j = 0; j < columns; ++j)
            line[j] += x * in[j];
        }
        for (int64_t j = 0; j < columns; ++j) {
          if (this->d == MmaType::F32) {
            out[j] = line[j] == 0 ? 0 : std::bit_cast<uint32_t>(line[j]);
            continue;
          }
          Number n =
              decode(formatOf(MmaType::F32), std::bit_cast<uint32_t>(line[j]));
          out[j] = rounded(how, format, n.significand, n.exponent);
        }
        continue;
      }
      for (int64_t at = 0; at < k; at += depth) {
        for (int64_t j = 0; j < columns; ++j) {
          Number c = decode(format, out[j]);
          line[j] = load(out[j]);
          largest[j] = static_cast<int16_t>(c.significand ? c.scale : none);
        }
        for (int64_t e = at; e < at + depth; ++e) {
          const Number &n = left[i * k + e];
          auto x = static_cast<int16_t>(n.significand ? n.scale : none);
          const int16_t *in = &scales[e * columns];
          for (int64_t j = 0; j < columns; ++j)
            largest[j] = std::max(largest[j], static_cast<int16_t>(x + in[j]));
        }
        for (int64_t j = 0; j < columns; ++j) {
          unit[j] = largest[j] < -100 ? 0 : power(how.fraction - largest[j]);
          scale[j] = largest[j] < -100 ? 0 : power(largest[j] - how.fraction);
          sums[0][j] = static_cast<int32_t>(line[j] * unit[j]);
          sums[1][j] = 0;
        }
        // Each half stays below 2^31: a term is below 2^(fraction + 2).
        for (int64_t e = at; e < at + depth; ++e) {
          float x = wide[i * k + e];
          const float *in = &across[e * columns];
          int32_t *sum = sums[2 * (e - at) >= depth].data();
          for (int64_t j = 0; j < columns; ++j)
            sum[j] += static_cast<int32_t>(x * in[j] * unit[j]);
        }
        if (truncates) {
          for (int64_t j = 0; j < columns; ++j) {
            double sum = double(sums[0][j]) + sums[1][j];
            auto nearest = static_cast<float>(sum);
            auto bits = std::bit_cast<uint32_t>(nearest);
            bits -= std::abs(double(nearest)) > std::abs(sum);
            out[j] =
                std::bit_cast<uint32_t>(std::bit_cast<float>(bits) * scale[j]);
          }
          continue;
        }
        for (int64_t j = 0; j < columns; ++j)
          out[j] = rounded(how, format, int64_t(sums[0][j]) + sums[1][j],
                           largest[j] - how.fraction);
      }
    }
    return;
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t at = 0; at < k; at += depth)
        d[i * columns + j] = add(how, format, &left[i * k + at],
                                 &right[j * k + at], depth, d[i * columns + j]);
}

} // namespace titan
