//===- Data.h - Test data as a function of seed and index -------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `--arg name=random:SEED`, `ints:SEED`, `steps:N`, `fill:N`, `zeros`
// and `poison` mean. The simulator (`titan run`) and the GPU (`titan-launch`) must start
// from the same bits, so an element is a pure function of (generator, seed,
// index, type): nothing depends on the argument's name, on strides, on threads,
// or on the C library.
//
// The index i of an element is its row-major position in the *logical* shape:
// element (r, c) of an M x N tensor has i = r * N + c, whatever its strides.
//
//   1. Words. Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy
//      as 1, 2, 3", SC 2011) with key = (low, high 32 bits of the seed) and
//      counter = (low, high 32 bits of i / 4, 0, 0) gives w0..w3.
//   2. random:SEED, standard normal, by Box and Muller (1958). Lanes 0, 1 of a
//      block use (a, b) = (w0, w1), lanes 2, 3 use (w2, w3):
//        r = sqrt(-2 ln((a + 1) / 2^32)),  t = 2 pi b / 2^32
//        lane 0, 2: r cos t      lane 1, 3: r sin t
//      in double, then rounded once to the element type, to nearest even. ln,
//      sin and cos are the polynomials below, made of IEEE additions,
//      multiplications and divisions without contraction into fma: the result
//      is the same on every machine. |value| <= sqrt(64 ln 2) = 6.66.
//      Floating-point types only.
//   3. ints:SEED. v = floor(9 w / 2^32) - 4 with w = w[i % 4]: an integer in
//      [-4, 4], exact in every type. Products are at most 16 in magnitude, so a
//      sum of K products is exact in f32, in any order, as long as
//      16 K <= 2^24: K <= 1048576.
//   4. steps:N. Element i is i * N (offsets of parts of one size); its low bits
//      where the type is too small. Integer types only.
//   5. fill:N. Each element is N, which may be negative; its low bits where the
//      type is too small. Integer types only.
//   6. zeros: all bits zero.
//   7. poison: what was never written. All bits one in floating-point types (a
//      NaN in each of them); bytes 0xA5 in integer types.
//
// Header only; no LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_RUNTIME_DATA_H
#define TITAN_RUNTIME_DATA_H

#include "titan/Runtime/DType.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

// No contraction of a*b+c into one rounding, whatever -march says.
#if defined(__clang__)
#define TITAN_NO_CONTRACTION_FN
#define TITAN_NO_CONTRACTION_BODY _Pragma("clang fp contract(off)")
#else
#define TITAN_NO_CONTRACTION_FN __attribute__((optimize("fp-contract=off")))
#define TITAN_NO_CONTRACTION_BODY
#endif

namespace titan::runtime {

/// Where an argument's elements come from.
enum class Fill : uint8_t { Zeros, Random, Ints, Steps, Same, Poison };

/// A generator: a fill and its seed, step, or number in two's complement (0
/// where the fill has none).
struct Generator {
  Fill fill = Fill::Zeros;
  uint64_t seed = 0;

  bool operator==(const Generator &) const = default;
};

/// Parses "zeros", "poison", "random:SEED", "ints:SEED", "steps:N" (SEED and N
/// decimal, 0..2^64-1) or "fill:N" (-2^63..2^63-1); nothing if the text is none
/// of these.
inline std::optional<Generator> parseGenerator(std::string_view text) {
  if (text == "zeros")
    return Generator{Fill::Zeros, 0};
  if (text == "poison")
    return Generator{Fill::Poison, 0};
  Generator g;
  std::string_view digits;
  if (text.starts_with("random:")) {
    g.fill = Fill::Random;
    digits = text.substr(7);
  } else if (text.starts_with("ints:")) {
    g.fill = Fill::Ints;
    digits = text.substr(5);
  } else if (text.starts_with("steps:")) {
    g.fill = Fill::Steps;
    digits = text.substr(6);
  } else if (text.starts_with("fill:")) {
    g.fill = Fill::Same;
    digits = text.substr(5);
  } else {
    return std::nullopt;
  }
  const char *end = digits.data() + digits.size();
  if (g.fill == Fill::Same) {
    int64_t number = 0;
    auto [rest, error] = std::from_chars(digits.data(), end, number);
    g.seed = static_cast<uint64_t>(number);
    return error == std::errc{} && rest == end ? std::optional(g)
                                               : std::nullopt;
  }
  auto [rest, error] = std::from_chars(digits.data(), end, g.seed);
  if (error != std::errc{} || rest != end || digits.empty())
    return std::nullopt;
  return g;
}

/// The text that parseGenerator reads back.
inline std::string toString(Generator g) {
  switch (g.fill) {
  case Fill::Zeros:
    return "zeros";
  case Fill::Poison:
    return "poison";
  case Fill::Random:
    return "random:" + std::to_string(g.seed);
  case Fill::Steps:
    return "steps:" + std::to_string(g.seed);
  case Fill::Same:
    return "fill:" + std::to_string(static_cast<int64_t>(g.seed));
  case Fill::Ints:
    break;
  }
  return "ints:" + std::to_string(g.seed);
}

/// Whether a generator has values for a type (random: floating point only;
/// steps and fill: integers only).
constexpr bool supports(Generator g, DType t) {
  return isFloat(t) ? g.fill != Fill::Steps && g.fill != Fill::Same
                    : g.fill != Fill::Random;
}

/// Philox4x32-10: four 32-bit words for a 128-bit counter and a 64-bit key.
constexpr std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                             std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53u} * counter[0];
    const uint64_t p1 = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(p1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(p1),
               static_cast<uint32_t>(p0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(p0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

/// The four words of elements 4 * block .. 4 * block + 3.
constexpr std::array<uint32_t, 4> randomWords(uint64_t seed, uint64_t block) {
  return philox4x32(
      {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0},
      {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
}

namespace detail {

/// ln(n / 2^32) for n in 1..2^32, by ln m = 2 atanh((m - 1) / (m + 1)) with m
/// in [sqrt(1/2), sqrt(2)).
TITAN_NO_CONTRACTION_FN inline double logOfFraction(uint64_t n) {
  TITAN_NO_CONTRACTION_BODY
  int exponent;
  double m = std::frexp(static_cast<double>(n), &exponent); // [1/2, 1), exact.
  if (m < 0.70710678118654752440) {
    m += m;
    --exponent;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double sum = 1.0 / 23.0;
  for (int k = 21; k >= 1; k -= 2)
    sum = sum * s2 + 1.0 / k;
  return (exponent - 32) * 0.69314718055994530942 + 2.0 * s * sum;
}

/// cos and sin of 2 pi w / 2^32: the nearest quarter turn is taken off exactly,
/// the rest, at most pi / 4, goes through the Taylor polynomials.
TITAN_NO_CONTRACTION_FN inline std::array<double, 2> cosSinOfTurn(uint32_t w) {
  TITAN_NO_CONTRACTION_BODY
  const uint32_t quarter = (w + 0x20000000u) >> 30;
  const auto rest = static_cast<int32_t>(w - (quarter << 30));
  const double x = rest * (6.28318530717958647693 / 4294967296.0);
  const double x2 = x * x;
  double s = 1.0, c = 1.0;
  for (int k = 16; k >= 2; k -= 2) {
    s = 1.0 - x2 * (1.0 / (k * (k + 1.0))) * s;
    c = 1.0 - x2 * (1.0 / (k * (k - 1.0))) * c;
  }
  s *= x;
  switch (quarter & 3) {
  case 0:
    return {c, s};
  case 1:
    return {-s, c};
  case 2:
    return {-c, -s};
  default:
    return {s, -c};
  }
}

} // namespace detail

/// The standard-normal pair made of two words (step 2 above).
TITAN_NO_CONTRACTION_FN inline std::array<double, 2> normalPair(uint32_t a,
                                                                uint32_t b) {
  TITAN_NO_CONTRACTION_BODY
  const double r = std::sqrt(-2.0 * detail::logOfFraction(uint64_t{a} + 1));
  const std::array<double, 2> cs = detail::cosSinOfTurn(b);
  return {r * cs[0], r * cs[1]};
}

/// The integer in [-4, 4] made of one word (step 3 above).
constexpr int smallInt(uint32_t w) {
  return static_cast<int>((uint64_t{w} * 9) >> 32) - 4;
}

/// Writes elements first .. first + count - 1 of the sequence of generator `g`
/// to `out`, densely (count * sizeInBytes(t) bytes). supports(g, t) must hold.
/// Pieces may be made by several threads.
inline void generate(Generator g, DType t, uint64_t first, uint64_t count,
                     void *out) {
  auto *bytes = static_cast<unsigned char *>(out);
  const auto size = static_cast<uint64_t>(sizeInBytes(t));
  if (g.fill == Fill::Zeros || g.fill == Fill::Poison) {
    const int byte = g.fill == Fill::Zeros ? 0 : isFloat(t) ? 0xFF : 0xA5;
    if (count)
      std::memset(out, byte, count * size);
    return;
  }
  if (g.fill == Fill::Steps || g.fill == Fill::Same) {
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t value = // Little endian.
          g.fill == Fill::Same ? g.seed : (first + i) * g.seed;
      std::memcpy(bytes + i * size, &value, size);
    }
    return;
  }
  for (uint64_t i = first, end = first + count; i < end;) {
    const std::array<uint32_t, 4> words = randomWords(g.seed, i / 4);
    double values[4];
    if (g.fill == Fill::Ints) {
      for (int lane = 0; lane < 4; ++lane)
        values[lane] = smallInt(words[lane]);
    } else {
      for (int pair = 0; pair < 4; pair += 2) {
        const auto z = normalPair(words[pair], words[pair + 1]);
        values[pair] = z[0];
        values[pair + 1] = z[1];
      }
    }
    do {
      store(t, values[i % 4], bytes + (i - first) * size);
      ++i;
    } while (i % 4 && i < end);
  }
}

} // namespace titan::runtime

#undef TITAN_NO_CONTRACTION_FN
#undef TITAN_NO_CONTRACTION_BODY

#endif // TITAN_RUNTIME_DATA_H
