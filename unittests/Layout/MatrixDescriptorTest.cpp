//===- MatrixDescriptorTest.cpp - Descriptors against the PTX ISA ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PTX ISA gives canonical layouts as nested shapes and strides in the
// notation of CuTe. They stand here as they stand there, and are evaluated here.
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/MatrixDescriptor.h"

#include <gtest/gtest.h>

using namespace titan;

namespace {

/// (shape):(stride) of one mode, first fastest.
using Mode = std::vector<std::pair<int64_t, int64_t>>;

int64_t at(const Mode &mode, int64_t index) {
  int64_t sum = 0;
  for (auto [extent, stride] : mode) {
    sum += index % extent * stride;
    index /= extent;
  }
  return sum;
}

/// The table of "Canonical Layouts", in elements; rows of M or N first.
std::pair<Mode, Mode> published(bool mnMajor, Swizzle mode, int64_t T,
                                int64_t m, int64_t k, int64_t LBO,
                                int64_t SBO) {
  if (mnMajor)
    switch (mode) {
    case Swizzle::None:
      return {{{T, 1}, {1, T}, {m, SBO}}, {{8, T}, {k, LBO}}};
    case Swizzle::Span32:
      return {{{T, 1}, {2, T}, {m, LBO}}, {{8, 2 * T}, {k, SBO}}};
    case Swizzle::Span64:
      return {{{T, 1}, {4, T}, {m, LBO}}, {{8, 4 * T}, {k, SBO}}};
    case Swizzle::Span128:
      return {{{T, 1}, {8, T}, {m, LBO}}, {{8, 8 * T}, {k, SBO}}};
    }
  switch (mode) {
  case Swizzle::None:
    return {{{8, T}, {m, SBO}}, {{T, 1}, {2 * k, LBO}}};
  case Swizzle::Span32:
    return {{{8, 2 * T}, {m, SBO}}, {{T, 1}, {2 * k, T}}};
  case Swizzle::Span64:
    return {{{8, 4 * T}, {m, SBO}}, {{T, 1}, {2 * k, T}}};
  case Swizzle::Span128:
    return {{{8, 8 * T}, {m, SBO}}, {{T, 1}, {2 * k, T}}};
  }
  return {};
}

/// What the fields of a descriptor say (PTX ISA, "Matrix descriptor format").
struct Fields {
  int64_t address, leading, stride, base;
  Swizzle mode;
};
Fields fieldsOf(uint64_t bits) {
  auto field = [&](int low) {
    return static_cast<int64_t>(bits >> low & 0x3FFF) * 16;
  };
  static const Swizzle byCode[] = {Swizzle::None, Swizzle::Span128,
                                   Swizzle::Span64, Swizzle::Span32};
  return {field(0), field(16), field(32), static_cast<int64_t>(bits >> 49 & 7),
          byCode[bits >> 62]};
}

/// Whether every byte of the operand is where the hardware looks for it, given
/// the published layout with the strides of the fields.
void expectReads(const MatrixDescriptor &descriptor, const Layout &operand,
                 int64_t element, int64_t rows) {
  int64_t T = 16 / element, depth = 32 / element;
  ASSERT_EQ(descriptor.depth(), depth);
  const int64_t base = 4096;
  int64_t mnSize = operand.axes()[0].size(), kSize = operand.axes()[1].size();
  for (int64_t mn = 0; mn < mnSize; mn += rows)
    for (int64_t k = 0; k < kSize; k += depth) {
      Fields f = fieldsOf(descriptor.encode(base + descriptor.start(mn, k)));
      ASSERT_EQ(f.base, 0);
      ASSERT_EQ(f.mode, descriptor.swizzle());
      auto [forMn, forK] =
          published(descriptor.isMnMajor(), f.mode, T, 1 << 20, 1 << 20,
                    f.leading / element, f.stride / element);
      BitLinear swizzle = swizzleBits(f.mode);
      for (int64_t x = 0; x < rows; ++x)
        for (int64_t y = 0; y < depth; ++y) {
          int64_t read =
              swizzle(f.address + (at(forMn, x) + at(forK, y)) * element);
          ASSERT_EQ(read, base + operand.apply({mn + x, k + y})[0])
              << operand.str() << " at " << mn + x << ", " << k + y;
        }
    }
}

Layout imageAsOperand(const SharedImage &image, bool transposed) {
  Layout layout = *image.layout();
  std::vector<Axis> axes = layout.axes();
  if (transposed)
    std::swap(axes[0], axes[1]);
  axes[0].name = "mn";
  axes[1].name = "k";
  return *Layout::make(axes, layout.dims(), layout.offset(), layout.bits());
}

/// Every shape, major, swizzle and width: found, and every byte as published.
TEST(MatrixDescriptor, SharedImages) {
  int described = 0;
  for (int64_t element : {1, 2, 4})
    for (Swizzle mode : {Swizzle::Span32, Swizzle::Span64, Swizzle::Span128})
      for (int64_t mn : {64, 128, 192})
        for (int64_t k : {32, 64, 128, 192})
          for (bool transposed : {false, true}) {
            auto image = transposed ? SharedImage::make(k, mn, element, mode)
                                    : SharedImage::make(mn, k, element, mode);
            if (!image)
              continue; // no whole panels
            for (int64_t rows : {8, 16, 64, 96, 192}) {
              auto descriptor =
                  MatrixDescriptor::make(*image, transposed, rows);
              // N is whole panels of the span or a part of one.
              int64_t across = swizzleSpan(mode) / element;
              bool legal =
                  mn % rows == 0 &&
                  (!transposed || (element == 2 &&
                                   (rows % across == 0 || across % rows == 0)));
              ASSERT_EQ(bool(descriptor), legal)
                  << mn << " x " << k << " of " << element << " bytes, span "
                  << swizzleSpan(mode) << ", transposed " << transposed
                  << ", rows " << rows << ": "
                  << (descriptor ? "" : descriptor.problem().message);
              if (!descriptor) {
                ASSERT_EQ(descriptor.problem().code, "mma-operand");
                continue;
              }
              ++described;
              ASSERT_EQ(descriptor->isMnMajor(), transposed);
              ASSERT_EQ(descriptor->swizzle(), mode);
              expectReads(*descriptor, imageAsOperand(*image, transposed),
                          element, rows);
            }
          }
  EXPECT_GT(described, 100);
}

/// Without a swizzle: columns of 16 bytes one after another, and nothing else.
TEST(MatrixDescriptor, WithoutSwizzle) {
  for (int64_t element : {1, 2, 4}) {
    auto cores = SharedImage::withPanels(64, 128 / element, element,
                                         Swizzle::None, 16, 16);
    ASSERT_TRUE(bool(cores));
    auto descriptor = MatrixDescriptor::make(*cores, false, 64);
    ASSERT_TRUE(bool(descriptor)) << descriptor.problem().message;
    EXPECT_EQ(descriptor->leadingBytes(), 64 * 16);
    EXPECT_EQ(descriptor->strideBytes(), 128);
    expectReads(*descriptor, imageAsOperand(*cores, false), element, 64);
    // Rows one after another, as TMA writes them, are no core matrices.
    auto rows = SharedImage::make(64, 128 / element, element, Swizzle::None);
    auto no = MatrixDescriptor::make(*rows, false, 64);
    ASSERT_FALSE(bool(no));
    EXPECT_EQ(no.problem().code, "mma-operand");
  }
  // MN-major: columns of 8 elements, K rows of each after another.
  auto cores = SharedImage::withPanels(32, 64, 2, Swizzle::None, 16, 16);
  auto descriptor = MatrixDescriptor::make(*cores, true, 64);
  ASSERT_TRUE(bool(descriptor)) << descriptor.problem().message;
  EXPECT_EQ(descriptor->strideBytes(), 32 * 16);
  EXPECT_EQ(descriptor->leadingBytes(), 128);
  expectReads(*descriptor, imageAsOperand(*cores, true), 2, 64);
}

/// The PTX ISA's examples, figures 166 to 170: exact layouts and encodings. (K
/// there is as many elements as the figure shows; here a whole instruction.)
TEST(MatrixDescriptor, PublishedExamples) {
  struct Example {
    bool mnMajor;
    int64_t element, rows;
    Mode mn, k;
    Swizzle mode;
    int64_t leading, stride; // as encoded
  };
  for (const Example &e : std::vector<Example>{{false,
                                                4,
                                                16,
                                                {{8, 4}, {2, 32}},
                                                {{4, 1}, {4, 64}},
                                                Swizzle::None,
                                                16,
                                                8},
                                               {false,
                                                4,
                                                16,
                                                {{8, 8}, {2, 64}},
                                                {{4, 1}, {2, 4}},
                                                Swizzle::Span32,
                                                1,
                                                16},
                                               {true,
                                                2,
                                                16,
                                                {{8, 1}, {1, 8}, {2, 64}},
                                                {{8, 8}, {2, 128}},
                                                Swizzle::None,
                                                16,
                                                8},
                                               {true,
                                                2,
                                                32,
                                                {{8, 1}, {2, 8}, {2, 128}},
                                                {{8, 16}, {2, 256}},
                                                Swizzle::Span32,
                                                16,
                                                32},
                                               {true,
                                                2,
                                                64,
                                                {{8, 1}, {4, 8}, {2, 256}},
                                                {{8, 32}, {2, 512}},
                                                Swizzle::Span64,
                                                32,
                                                64}}) {
    auto digits = [&](const Mode &mode) {
      std::vector<Digit> list;
      for (auto [extent, stride] : mode)
        list.push_back({extent, 0, stride * e.element});
      return list;
    };
    auto operand = Layout::make({{"mn", digits(e.mn)}, {"k", digits(e.k)}},
                                {{"b", 4096}}, {}, swizzleBits(e.mode));
    ASSERT_TRUE(bool(operand)) << operand.problem().message;
    auto descriptor = MatrixDescriptor::make(*operand, e.element, e.rows);
    ASSERT_TRUE(bool(descriptor)) << descriptor.problem().message;
    EXPECT_EQ(descriptor->isMnMajor(), e.mnMajor);
    uint64_t bits = descriptor->encode(0);
    EXPECT_EQ(bits >> 16 & 0x3FFF, static_cast<uint64_t>(e.leading));
    EXPECT_EQ(bits >> 32 & 0x3FFF, static_cast<uint64_t>(e.stride));
    expectReads(*descriptor, *operand, e.element, e.rows);
  }
}

TEST(MatrixDescriptor, Encoding) {
  auto image = SharedImage::make(64, 64, 2, Swizzle::Span128);
  auto descriptor = MatrixDescriptor::make(*image, false, 64);
  ASSERT_TRUE(bool(descriptor));
  EXPECT_EQ(descriptor->start(0, 48), 96);
  EXPECT_EQ(descriptor->strideBytes(), 1024);
  EXPECT_EQ(descriptor->encode(0x400), uint64_t(0x40) | uint64_t(1) << 16 |
                                           uint64_t(64) << 32 |
                                           uint64_t(1) << 62);
  EXPECT_EQ(descriptor->encode(0x400, DescriptorFormat::Tcgen05),
            uint64_t(0x40) | uint64_t(1) << 16 | uint64_t(64) << 32 |
                uint64_t(1) << 46 | uint64_t(2) << 61);
  // A pattern that starts in the middle of its period.
  EXPECT_EQ(descriptor->encode(0, DescriptorFormat::Wgmma, 0x180) >> 49 & 7,
            3u);
  // Two panels along K, and another place for the second block of rows.
  image = SharedImage::make(128, 128, 2, Swizzle::Span128);
  descriptor = MatrixDescriptor::make(*image, false, 64);
  ASSERT_TRUE(bool(descriptor));
  EXPECT_EQ(descriptor->start(64, 80), 64 * 128 + 128 * 128 + 32);
}

/// Anything else is refused: a byte of every tile elsewhere, one at a time.
TEST(MatrixDescriptor, Refusals) {
  auto refused = [](const Layout &operand, int64_t element, int64_t rows) {
    auto made = MatrixDescriptor::make(operand, element, rows);
    EXPECT_FALSE(bool(made)) << operand.str();
    if (!made)
      EXPECT_EQ(made.problem().code, "mma-operand");
  };
  auto parsed = [](const char *text) {
    auto layout = Layout::parse(text);
    EXPECT_TRUE(bool(layout)) << text << layout.problem().message;
    return layout ? *layout : Layout();
  };
  Layout good = parsed("mn: 64*b128; k: 64*b2; bits: 4^7, 5^8, 6^9");
  EXPECT_TRUE(bool(MatrixDescriptor::make(good, 2, 64)));
  refused(good, 2, 48);
  refused(good, 8, 64);
  refused(parsed("mn: 64*b128; k: 64*b2"), 2, 64);
  refused(parsed("mn: 64*b144; k: 64*b2"), 2, 64);
  refused(parsed("mn: 64*b128; k: 64*b2; bits: 4^7, 5^8"), 2, 64);
  refused(parsed("mn: 64*b128; k: 64*b2; bits: 4^8, 5^7, 6^9"), 2, 64);
  refused(parsed("mn: 64*b128; k: 64*b2; at: b128; bits: 4^7, 5^8, 6^9"), 2,
          64);
  refused(parsed("mn: 8*b256, 8*b128; k: 64*b2; bits: 4^7, 5^8, 6^9"), 2, 64);
  refused(parsed("mn: 64*b128; k: 8*b4, 2*b2, 4*b32; bits: 4^7, 5^8, 6^9"), 2,
          64);
  refused(parsed("mn: 64*b128; k: 8*b2; bits: 4^7, 5^8, 6^9"), 2, 64);
  // MN-major takes 16-bit elements only.
  refused(parsed("mn: 64*b1; k: 32*b64; bits: 4^7, 5^8"), 1, 64);
}

} // namespace
