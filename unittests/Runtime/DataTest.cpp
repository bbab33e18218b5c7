//===- DataTest.cpp - Element types and generators ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The golden values come from a second implementation, in Python, that uses the
// C library's log, sin and cos; the words come from the known-answer vectors of
// Random123.
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Data.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace titan;
using namespace titan::runtime;

namespace {

template <typename Word>
std::vector<Word> words(Generator g, DType t, uint64_t first, uint64_t count) {
  std::vector<Word> out(count);
  EXPECT_EQ(sizeof(Word), static_cast<size_t>(sizeInBytes(t)));
  generate(g, t, first, count, out.data());
  return out;
}

TEST(Data, PhiloxKnownAnswers) {
  using Block = std::array<uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                       {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Data, RandomGolden) {
  const Generator one{Fill::Random, 1};
  EXPECT_EQ(words<uint16_t>(one, DType::BF16, 0, 8),
            (std::vector<uint16_t>{0x3ec3, 0xbe98, 0xbe7f, 0xbf80, 0x3f20,
                                   0xbf22, 0xbf2e, 0xbf82}));
  EXPECT_EQ(
      words<uint32_t>(one, DType::F32, 0, 8),
      (std::vector<uint32_t>{0x3ec2c3e3, 0xbe97b1bc, 0xbe7f370c, 0xbf807dbd,
                             0x3f207fa8, 0xbf224cc3, 0xbf2da335, 0xbf81aca0}));
  EXPECT_EQ(words<uint16_t>(one, DType::F16, 0, 8),
            (std::vector<uint16_t>{0x3616, 0xb4be, 0xb3fa, 0xbc04, 0x3904,
                                   0xb912, 0xb96d, 0xbc0d}));
  // A far element, and a seed and an index whose high words matter.
  EXPECT_EQ(words<uint32_t>(one, DType::F32, 67108863, 1)[0], 0x40368809u);
  const Generator wide{Fill::Random, 0x123456789abcdef0};
  EXPECT_EQ(words<uint32_t>(wide, DType::F32, (uint64_t{1} << 34) + 5, 1)[0],
            0xbe895911u);
}

TEST(Data, IntsGolden) {
  auto ints = words<uint32_t>({Fill::Ints, 1}, DType::I32, 0, 16);
  const std::vector<int> expected{4,  4, 1, 2, 2, 3,  0,  1,
                                  -2, 1, 2, 4, 2, -4, -3, -4};
  for (size_t i = 0; i < ints.size(); ++i)
    EXPECT_EQ(static_cast<int32_t>(ints[i]), expected[i]);
  // The same integers in every type.
  for (int type = 0; type < numDTypes; ++type) {
    const auto t = static_cast<DType>(type);
    std::vector<uint8_t> bytes(16 * sizeInBytes(t));
    generate({Fill::Ints, 1}, t, 0, 16, bytes.data());
    for (size_t i = 0; i < 16; ++i)
      EXPECT_EQ(load(t, &bytes[i * sizeInBytes(t)]), expected[i]) << name(t);
  }
}

TEST(Data, Steps) {
  EXPECT_EQ(words<uint32_t>({Fill::Steps, 100}, DType::I32, 0, 4),
            (std::vector<uint32_t>{0, 100, 200, 300}));
  EXPECT_EQ(words<uint32_t>({Fill::Steps, 3}, DType::I32, 5, 2),
            (std::vector<uint32_t>{15, 18}));
  EXPECT_EQ(words<uint64_t>({Fill::Steps, 1}, DType::I64, uint64_t{1} << 40, 1),
            (std::vector<uint64_t>{uint64_t{1} << 40}));
  // What a type has no room for is cut off.
  EXPECT_EQ(words<uint8_t>({Fill::Steps, 100}, DType::I8, 0, 4),
            (std::vector<uint8_t>{0, 100, 200, 44}));
}

TEST(Data, PiecesAreTheWhole) {
  for (Fill fill : {Fill::Zeros, Fill::Random, Fill::Ints, Fill::Poison}) {
    const Generator g{fill, 7};
    const auto whole = words<uint16_t>(g, DType::F16, 0, 64);
    for (uint64_t first = 0; first < 9; ++first)
      for (uint64_t count = 0; count < 20; ++count) {
        const auto piece = words<uint16_t>(g, DType::F16, first, count);
        EXPECT_TRUE(
            std::equal(piece.begin(), piece.end(), whole.begin() + first));
      }
  }
}

TEST(Data, PoisonIsNaN) {
  for (int type = 0; type < numDTypes; ++type) {
    const auto t = static_cast<DType>(type);
    uint64_t bits = 0;
    generate({Fill::Poison, 0}, t, 0, 1, &bits);
    if (isFloat(t))
      EXPECT_TRUE(std::isnan(load(t, &bits))) << name(t);
    else
      EXPECT_EQ(bits & 0xFF, 0xA5u);
    EXPECT_EQ(bits >> 8 >> (8 * sizeInBytes(t) - 8), 0u) << "wrote too much";
  }
}

TEST(Data, NormalMatchesTheLibrary) {
  // Against libm, and the first two moments of 2^18 values.
  double sum = 0, squares = 0;
  for (uint64_t block = 0; block < 65536; ++block) {
    const auto w = randomWords(3, block);
    for (int pair = 0; pair < 4; pair += 2) {
      const auto z = normalPair(w[pair], w[pair + 1]);
      const double r = std::sqrt(-2 * std::log((w[pair] + 1.0) / 4294967296.0));
      const double t = 2 * M_PI * w[pair + 1] / 4294967296.0;
      ASSERT_NEAR(z[0], r * std::cos(t), 1e-14);
      ASSERT_NEAR(z[1], r * std::sin(t), 1e-14);
      sum += z[0] + z[1];
      squares += z[0] * z[0] + z[1] * z[1];
    }
  }
  EXPECT_NEAR(sum / 262144, 0, 0.01);
  EXPECT_NEAR(squares / 262144, 1, 0.02);
  // The corners of both words.
  EXPECT_EQ(normalPair(0xffffffff, 0)[0], 0);
  EXPECT_NEAR(normalPair(0, 0)[0], std::sqrt(64 * std::log(2.0)), 1e-14);
  EXPECT_NEAR(normalPair(0, 0x80000000)[0], -std::sqrt(64 * std::log(2.0)),
              1e-14);
  EXPECT_NEAR(normalPair(0, 0xC0000000)[1], -std::sqrt(64 * std::log(2.0)),
              1e-14);
}

TEST(Data, ParseGenerator) {
  EXPECT_EQ(parseGenerator("zeros"), (Generator{Fill::Zeros, 0}));
  EXPECT_EQ(parseGenerator("poison"), (Generator{Fill::Poison, 0}));
  EXPECT_EQ(parseGenerator("random:18446744073709551615"),
            (Generator{Fill::Random, UINT64_MAX}));
  EXPECT_EQ(parseGenerator("ints:0"), (Generator{Fill::Ints, 0}));
  EXPECT_EQ(parseGenerator("fill:-1"), (Generator{Fill::Same, UINT64_MAX}));
  for (const char *bad :
       {"", "random", "random:", "random:-1", "random:1x", "ints: 1",
        "random:18446744073709551616", "zeros:1", "gemm.npy", "fill:", "fill:1.5",
        "fill:9223372036854775808"})
    EXPECT_FALSE(parseGenerator(bad)) << bad;
  for (const char *good :
       {"zeros", "poison", "random:12", "ints:7", "steps:100", "fill:-7"})
    EXPECT_EQ(toString(*parseGenerator(good)), good);
  EXPECT_FALSE(supports({Fill::Random, 1}, DType::I32));
  EXPECT_TRUE(supports({Fill::Random, 1}, DType::F8E5M2));
  EXPECT_TRUE(supports({Fill::Ints, 1}, DType::I8));
  EXPECT_FALSE(supports({Fill::Steps, 1}, DType::F32));
  EXPECT_FALSE(supports({Fill::Same, 1}, DType::F32));
  int16_t same[3] = {};
  generate({Fill::Same, UINT64_MAX - 1}, DType::I16, 5, 3, same);
  for (int16_t each : same)
    EXPECT_EQ(each, -2);
}

TEST(DType, Names) {
  for (int type = 0; type < numDTypes; ++type) {
    const auto t = static_cast<DType>(type);
    EXPECT_EQ(parseDType(name(t)), t);
    if (isFloat(t) && t != DType::TF32) {
      const FloatFormat f = floatFormat(t);
      EXPECT_EQ(1 + f.exponentBits + f.mantissaBits, 8 * sizeInBytes(t));
    }
  }
  EXPECT_FALSE(parseDType("bfloat16"));
  EXPECT_FALSE(parseDType(""));
}

TEST(DType, EveryNarrowPatternRoundTrips) {
  for (DType t : {DType::F16, DType::BF16, DType::F8E4M3FN, DType::F8E5M2}) {
    const FloatFormat f = floatFormat(t);
    for (uint64_t bits = 0; bits < uint64_t{1} << (8 * sizeInBytes(t));
         ++bits) {
      const double v = decodeFloat(bits, f);
      if (std::isnan(v))
        EXPECT_TRUE(std::isnan(decodeFloat(encodeFloat(v, f), f)));
      else
        EXPECT_EQ(encodeFloat(v, f), bits) << name(t);
    }
  }
}

TEST(DType, RoundsToNearestEven) {
  // Between each two neighbours: just below half stays, half goes to even, just
  // above half goes up. The neighbour of the largest finite value is where the
  // next binade would begin.
  for (DType t : {DType::F16, DType::BF16, DType::F8E4M3FN, DType::F8E5M2}) {
    const FloatFormat f = floatFormat(t);
    const uint64_t end = encodeFloat(INFINITY, f);
    for (uint64_t bits = 0; bits < end; ++bits) {
      const double low = decodeFloat(bits, f);
      double high = decodeFloat(bits + 1, f);
      if (bits + 1 == end)
        high = low + (low - decodeFloat(bits - 1, f));
      const double half = (low + high) / 2;
      EXPECT_EQ(encodeFloat(half, f), bits + (bits & 1));
      EXPECT_EQ(encodeFloat(std::nextafter(half, 0), f), bits);
      EXPECT_EQ(encodeFloat(std::nextafter(half, INFINITY), f), bits + 1);
      EXPECT_EQ(encodeFloat(-half, f),
                encodeFloat(half, f) | uint64_t{1} << (8 * sizeInBytes(t) - 1));
    }
  }
  EXPECT_EQ(encodeFloat(448, floatFormat(DType::F8E4M3FN)), 0x7Eu);
  EXPECT_EQ(encodeFloat(1e300, floatFormat(DType::F8E4M3FN)), 0x7Fu);
  EXPECT_EQ(encodeFloat(1e300, floatFormat(DType::BF16)), 0x7F80u);
  EXPECT_EQ(encodeFloat(1e-300, floatFormat(DType::BF16)), 0u);
}

TEST(DType, F32AndTF32) {
  // f32 by the generic path equals the processor's conversion.
  for (uint64_t block = 0; block < 4096; ++block)
    for (double v :
         normalPair(randomWords(5, block)[0], randomWords(5, block)[1])) {
      const auto direct = static_cast<float>(v);
      uint32_t bits;
      std::memcpy(&bits, &direct, 4);
      EXPECT_EQ(encodeFloat(v, floatFormat(DType::F32)), bits);
      uint32_t tf32;
      store(DType::TF32, v, &tf32);
      EXPECT_EQ(tf32 & 0x1FFF, 0u);
      EXPECT_NEAR(load(DType::TF32, &tf32), v, std::abs(v) / 2048);
    }
}

} // namespace
