//===- MmaLanes.cpp - Sums of matrix instructions, many at once -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum of a column of D is one lane of a vector. Operands are taken apart
// once, into floats and the exponents that alignment sees. Then
//
//   all sums fit into the accumulator       float addition gives them in any
//     (small integers, as tests have them)  order
//   exponents are moderate                  fixed point is a float that is
//                                           scaled and truncated to an integer
//
// Compilers make vectors of the loops here: no branches, ends that are constants
// (blocks of `width` columns, zeros behind the last).
//
//===----------------------------------------------------------------------===//
#include "MmaLanes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

// A second text of a function for processors of 256 bits, without fused
// multiply-add, which rounds less. The loader chooses, before sanitizers run.
#if defined(__SANITIZE_ADDRESS__)
#define TITAN_WIDE
#elif defined(__x86_64__) && defined(__ELF__)
#define TITAN_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define TITAN_WIDE
#endif

namespace titan {
namespace {

/// Columns of a block.
constexpr int64_t width = 16;
/// The exponent of a zero, far below all others; of a sum of two, too.
constexpr int16_t none = -10000;
constexpr int32_t outside = 1 << 20;

/// Of some numbers: whether one is not finite, and the least and largest exponents
/// of their last and first bits, and of what alignment sees (zeros left out).
struct Range {
  bool finite = true;
  int32_t low = outside, high = -outside;
  int32_t least = outside, largest = -outside;
};

uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }

/// A word's magnitude as a float, exact where it is moderate.
float magnitude(const Format &f, float scale, uint32_t bits) {
  return std::bit_cast<float>(bits << (23 - f.mantissa)) * scale;
}

/// Values, and their exponents (`none`: a zero).
TITAN_WIDE void takeApart(Format f, const uint32_t *bits, int64_t count,
                          bool negate, float *values, int16_t *scales,
                          Range &range) {
  const uint32_t sign = 1u << (f.bits - 1), flip = negate ? 1u << 31 : 0,
                 implicit = 1u << f.mantissa,
                 infinity = f.infinite ? ((1u << f.exponent) - 1) << f.mantissa
                                       : sign - 1;
  const float scale = power(127 - f.bias());
  const int32_t bias = f.bias();
  int32_t low = outside, high = -outside, least = outside, largest = -outside;
  uint32_t top = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t word = bits[i] >> f.shift, size = word & (sign - 1);
    auto field = static_cast<int32_t>(size >> f.mantissa);
    uint32_t fraction = size & (implicit - 1);
    int32_t significand =
        static_cast<int32_t>(field ? fraction | implicit : fraction);
    int32_t exponent = (field ? field : 1) - bias;
    float value = magnitude(f, scale, size);
    values[i] = std::bit_cast<float>(
        bitsOf(value) | ((word << (32 - f.bits) & (1u << 31)) ^ flip));
    scales[i] = static_cast<int16_t>(size ? exponent : none);
    // The last bit that is set, as a float's exponent.
    auto last = static_cast<float>(significand & -significand);
    int32_t lastBit =
        static_cast<int32_t>(bitsOf(last) >> 23) - 127 + exponent - f.mantissa;
    int32_t first = static_cast<int32_t>(bitsOf(value) >> 23) - 127;
    low = std::min(low, size ? lastBit : outside);
    high = std::max(high, size ? first : -outside);
    least = std::min(least, size ? exponent : outside);
    largest = std::max(largest, size ? exponent : -outside);
    top = std::max(top, size);
  }
  range = {top < infinity, low, high, least, largest};
}

/// line += x * in, over all columns.
TITAN_WIDE void addExactly(const float *x, int64_t k, const float *in,
                           int64_t columns, float *line) {
  for (int64_t j = 0; j < columns; j += width) {
    float sums[width];
    std::memcpy(sums, line + j, sizeof sums);
    for (int64_t e = 0; e < k; ++e)
      for (int64_t w = 0; w < width; ++w)
        sums[w] += x[e] * in[e * columns + j + w];
    std::memcpy(line + j, sums, sizeof sums);
  }
}

/// A row of an operand, or a block of one, by columns.
struct Row {
  const float *values;
  const int16_t *scales;
};

/// One instruction's sums of a block of columns: in units of 2^(largest -
/// fraction), in two halves, each below 2^31: a term is below 2^(fraction + 2).
struct Sums {
  int32_t first[width], second[width];
  int16_t largest[width];
};

[[gnu::always_inline]] inline void
addAligned(int64_t depth, int fraction, Row x, Row in, int64_t columns,
           const float *c, const int16_t *scaleOfC, Sums &sums) {
  int16_t largest[width];
  std::memcpy(largest, scaleOfC, sizeof largest);
  for (int64_t e = 0; e < depth; ++e)
    for (int64_t w = 0; w < width; ++w)
      largest[w] = std::max<int16_t>(
          largest[w],
          static_cast<int16_t>(x.scales[e] + in.scales[e * columns + w]));
  float unit[width];
  int32_t first[width], second[width];
  for (int64_t w = 0; w < width; ++w) {
    int32_t field = fraction - largest[w] + 127;
    unit[w] = std::bit_cast<float>(
        static_cast<uint32_t>(largest[w] < -100 ? 0 : field) << 23);
    first[w] = static_cast<int32_t>(c[w] * unit[w]);
    second[w] = 0;
  }
  for (int64_t e = 0; e < depth / 2; ++e)
    for (int64_t w = 0; w < width; ++w)
      first[w] += static_cast<int32_t>(x.values[e] *
                                       in.values[e * columns + w] * unit[w]);
  for (int64_t e = depth / 2; e < depth; ++e)
    for (int64_t w = 0; w < width; ++w)
      second[w] += static_cast<int32_t>(x.values[e] *
                                        in.values[e * columns + w] * unit[w]);
  std::memcpy(sums.first, first, sizeof first);
  std::memcpy(sums.second, second, sizeof second);
  std::memcpy(sums.largest, largest, sizeof largest);
}

/// Accumulators of f32 that are cut off: D += A * B over all columns, `depth` of
/// k at a time.
TITAN_WIDE void addAndCut(MmaArithmetic how, int64_t depth, int64_t k, Row x,
                          Row in, int64_t columns, uint32_t *out) {
  const uint32_t mask = ~((1u << (23 - how.kept)) - 1);
  for (int64_t j = 0; j < columns; j += width) {
    uint32_t bits[width];
    std::memcpy(bits, out + j, sizeof bits);
    for (int64_t at = 0; at < k; at += depth) {
      float c[width];
      int16_t scales[width];
      std::memcpy(c, bits, sizeof c);
      for (int64_t w = 0; w < width; ++w)
        scales[w] = static_cast<int16_t>(
            bits[w] << 1 ? static_cast<int32_t>(bits[w] >> 23 & 255) - 127
                         : none);
      Sums sums;
      addAligned(depth, how.fraction, {x.values + at, x.scales + at},
                 {in.values + at * columns + j, in.scales + at * columns + j},
                 columns, c, scales, sums);
      for (int64_t w = 0; w < width; ++w) {
        double sum = static_cast<double>(sums.first[w]) + sums.second[w];
        auto nearest = static_cast<float>(sum);
        uint32_t cut = bitsOf(nearest) -
                       (std::abs(static_cast<double>(nearest)) > std::abs(sum));
        int32_t field = sums.largest[w] - how.fraction + 127;
        float unit = std::bit_cast<float>(
            static_cast<uint32_t>(sums.largest[w] < -100 ? 0 : field) << 23);
        bits[w] = bitsOf(std::bit_cast<float>(cut & mask) * unit);
      }
    }
    std::memcpy(out + j, bits, sizeof bits);
  }
}

TITAN_WIDE void sumBlock(int64_t depth, int fraction, Row x, Row in,
                         int64_t columns, const float *c,
                         const int16_t *scaleOfC, Sums &sums) {
  addAligned(depth, fraction, x, in, columns, c, scaleOfC, sums);
}

/// The same for any accumulator: the last step is rounded()'s.
void addAndRound(MmaArithmetic how, Format format, int64_t depth, int64_t k,
                 Row x, Row in, int64_t columns, uint32_t *out) {
  Range range;
  for (int64_t j = 0; j < columns; j += width)
    for (int64_t at = 0; at < k; at += depth) {
      float c[width];
      int16_t scales[width];
      takeApart(format, out + j, width, false, c, scales, range);
      Sums sums;
      sumBlock(depth, how.fraction, {x.values + at, x.scales + at},
               {in.values + at * columns + j, in.scales + at * columns + j},
               columns, c, scales, sums);
      for (int64_t w = 0; w < width; ++w)
        out[j + w] =
            rounded(how, format, int64_t(sums.first[w]) + sums.second[w],
                    sums.largest[w] - how.fraction);
    }
}

/// A sum that is a float, exactly, in the accumulator's type.
uint32_t narrowed(const MmaArithmetic &how, const Format &format, float sum) {
  int exponent;
  auto significand =
      static_cast<int64_t>(std::ldexp(std::frexp(sum, &exponent), 24));
  return rounded(how, format, significand, exponent - 24);
}

/// An operand, taken apart.
struct Numbers {
  std::vector<float> values;
  std::vector<int16_t> scales;
  Range range;

  Numbers(MmaType type, const uint32_t *bits, int64_t count, bool negate)
      : values(count), scales(count) {
    takeApart(formatOf(type), bits, count, negate, values.data(), scales.data(),
              range);
  }
};

} // namespace

bool multiplyLanes(const MmaProduct &p, const MmaArithmetic &how, int64_t rows,
                   int64_t columns, int64_t k, const uint32_t *aBits,
                   const uint32_t *bBits, uint32_t *d) {
  const Format format = formatOf(p.d);
  Numbers a(p.a, aBits, rows * k, p.negateA);
  Numbers b(p.b, bBits, columns * k, p.negateB);
  Numbers old(p.d, d, rows * columns, false);
  if (!a.range.finite || !b.range.finite || !old.range.finite)
    return false;
  // Every sum is a multiple of 2^low, and below 2^high.
  int low = std::min(a.range.low + b.range.low, old.range.low);
  int terms = std::bit_width(static_cast<uint64_t>(k));
  int high =
      std::max(a.range.high + b.range.high + 2 + terms, old.range.high + 1) + 1;
  int least = std::min({a.range.least, b.range.least, old.range.least});
  int most = std::max({a.range.largest, b.range.largest, old.range.largest});
  if (least <= -30 || most >= 30 || high >= format.bias())
    return false;

  // B by columns, so that D's are next to each other.
  const int64_t across = (columns + width - 1) / width * width;
  std::vector<float> values(k * across);
  std::vector<int16_t> scales(k * across, none);
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t e = 0; e < k; ++e) {
      values[e * across + j] = b.values[j * k + e];
      scales[e * across + j] = b.scales[j * k + e];
    }
  int aligned = std::max(a.range.largest + b.range.largest, old.range.largest);
  bool exact = high - low <= how.kept + 1 && aligned - how.fraction <= low &&
               low >= 1 - format.bias() - how.kept;
  bool cut = p.d == MmaType::F32 && !how.nearest;
  const Row in{values.data(), scales.data()};
  std::vector<float> line(across);
  std::vector<uint32_t> out(across);
  for (int64_t i = 0; i < rows; ++i) {
    const Row x{&a.values[i * k], &a.scales[i * k]};
    if (exact) {
      std::copy_n(&old.values[i * columns], columns, line.begin());
      addExactly(x.values, k, in.values, across, line.data());
      for (int64_t j = 0; j < columns; ++j) {
        uint32_t bits = bitsOf(line[j] + 0.0f); // no zero but +0
        d[i * columns + j] =
            p.d == MmaType::F32 ? bits : narrowed(how, format, line[j]);
      }
      continue;
    }
    std::copy_n(d + i * columns, columns, out.begin());
    if (cut)
      addAndCut(how, p.depth, k, x, in, across, out.data());
    else
      addAndRound(how, format, p.depth, k, x, in, across, out.data());
    std::copy_n(out.begin(), columns, d + i * columns);
  }
  return true;
}

} // namespace titan
