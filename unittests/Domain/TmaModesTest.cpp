//===- TmaModesTest.cpp - im2col, im2col::w, gather4, packed types --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Targets.h"

#include "TmaModel.h"

#include <random>

using namespace titan;

namespace {

/// The image or the tensor that the model writes, empty.
Model destination(const TensorMap &map, const TmaCopy &copy, int64_t image) {
  Model result;
  if (copy.direction == TmaDirection::Load) {
    result.origin = copy.shared - 128;
    result.bytes.resize(image + 256);
  } else {
    result.origin = static_cast<int64_t>(map.address) - 64;
    int64_t end = 512;
    for (int d = 0; d < map.rank; ++d)
      end += static_cast<int64_t>(
          d ? map.dims[d] * map.strides[d - 1]
            : (map.dims[0] * static_cast<uint64_t>(map.type->bits) + 7) / 8);
    result.bytes.resize(end);
  }
  return result;
}

/// docs/tma-facts.md 2.4: so many values are `data` bytes of memory, and in shared
/// memory the first of `slot`.
struct Unit {
  int64_t values, data, slot;
};

Unit unitOf(const TmaType &type) {
  switch (type.driver) {
  case 13:
    return {2, 1, 1};
  case 14:
    return {16, 8, 16};
  case 15:
    return {16, 12, 16};
  default:
    return {1, type.bits / 8, type.bits / 8};
  }
}

/// One row of `n` elements at shared row `row`; its elements start at (x0, and
/// `outer` for the other dimensions).
void writeRow(Model &result, const TensorMap &map, const TmaCopy &copy,
              int64_t row, int64_t pitch, int64_t n,
              const std::vector<int64_t> &outer) {
  Unit unit = unitOf(*map.type);
  bool inside = true;
  int64_t address = static_cast<int64_t>(map.address);
  for (int d = 1; d < map.rank; ++d) {
    inside = inside && outer[d - 1] >= 0 &&
             outer[d - 1] < static_cast<int64_t>(map.dims[d]);
    address += outer[d - 1] * static_cast<int64_t>(map.strides[d - 1]);
  }
  int64_t first = copy.coords[0] / unit.values;
  for (int64_t b = 0; b < n / unit.values * unit.data; ++b) {
    int64_t shared = swizzled(map.swizzle->driver,
                              copy.shared + row * pitch +
                                  b / unit.data * unit.slot + b % unit.data);
    int64_t global = address + first * unit.data + b;
    auto in = [&](int64_t at) {
      int64_t x = first + at / unit.data;
      return x >= 0 && x < static_cast<int64_t>(map.dims[0]) / unit.values;
    };
    ++result.transaction;
    if (copy.direction == TmaDirection::Load) {
      if (inside && in(b))
        result.write(shared, {Source::Data, global});
      else
        result.write(shared,
                     {Source::Fill, map.nanFill ? (b % 2 ? 0x7F : 0xF7) : 0});
      continue;
    }
    bool chunk = false;
    for (int64_t k = b / 16 * 16; k < b / 16 * 16 + 16; ++k)
      chunk = chunk || in(k);
    if (inside && chunk)
      result.write(global, {Source::Data, shared});
  }
}

/// docs/tma-facts.md C2 to C6, as a walk of the cursor.
Model im2colModel(const TensorMap &map, const TmaCopy &copy,
                  std::vector<std::vector<int64_t>> *visited = nullptr) {
  const TmaIm2col &m = map.im2col;
  int64_t n = m.channels;
  int64_t row = n * (map.type->bits / 8);
  int64_t pitch = map.swizzle->span ? map.swizzle->span : row;
  Model result = destination(map, copy, m.pixels * pitch);
  int spatial = map.rank - 2;
  std::vector<int64_t> cursor(copy.coords.begin() + 1, copy.coords.end());
  for (int64_t pixel = 0; pixel < m.pixels; ++pixel) {
    std::vector<int64_t> at = cursor;
    for (int d = 0; d < spatial && !copy.im2colOffsets.empty(); ++d)
      at[d] += copy.im2colOffsets[d];
    if (visited)
      visited->push_back(at);
    writeRow(result, map, copy, pixel, pitch, n, at);
    // Step.
    int d = 0;
    for (; d < spatial; ++d) {
      cursor[d] += map.elementStrides[d + 1];
      if (cursor[d] <= static_cast<int64_t>(map.dims[d + 1]) - 1 + m.upper[d])
        break;
      cursor[d] = m.lower[d];
    }
    if (d == spatial)
      cursor[spatial] += map.elementStrides[spatial + 1];
  }
  return result;
}

TEST(TmaIm2col, RandomCases) {
  const unsigned seed = 5;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto between = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % uint64_t(high - low + 1));
  };
  int stores = 0, wrapped = 0;
  for (int n = 0; n < 3000; ++n) {
    TensorMap map;
    map.mode = TmaMode::Im2col;
    map.rank = static_cast<int>(between(3, 5));
    map.type = &tmaTypes()[between(0, 10)];
    map.swizzle = &tmaSwizzles()[between(0, 3)];
    map.nanFill = map.type->nanFill && between(0, 1);
    map.address = 16 * static_cast<uint64_t>(between(64, 500));
    int64_t element = map.type->bits / 8, unit = 16 / element;
    int64_t most = map.swizzle->span ? map.swizzle->span / 16 : 4;
    map.im2col.channels = static_cast<uint32_t>(unit * between(1, most));
    map.im2col.pixels = static_cast<uint32_t>(between(1, 40));
    bool store = between(0, 3) == 0;
    stores += store;
    TmaCopy copy;
    copy.direction = store ? TmaDirection::Store : TmaDirection::Load;
    map.dims[0] = between(1, map.im2col.channels + 2 * unit + 3);
    copy.coords.push_back(unit * between(store ? 0 : -5, 5));
    int64_t below = static_cast<int64_t>(map.dims[0]) * element;
    for (int d = 1; d < map.rank; ++d) {
      map.strides[d - 1] = (below + 15) / 16 * 16 + 16 * between(0, 2);
      map.dims[d] = between(1, 6);
      map.elementStrides[d] = static_cast<uint32_t>(between(1, 3));
      below = static_cast<int64_t>(map.strides[d - 1] * map.dims[d]);
      if (d == map.rank - 1) {
        copy.coords.push_back(between(0, 6));
        continue;
      }
      int64_t dim = static_cast<int64_t>(map.dims[d]);
      int64_t low = store ? between(0, dim - 1) : between(-3, dim + 1);
      int64_t high = store ? between(low, dim - 1) : between(low, dim + 3);
      map.im2col.lower[d - 1] = static_cast<int32_t>(low);
      map.im2col.upper[d - 1] = static_cast<int32_t>(high - (dim - 1));
      copy.coords.push_back(between(low, high));
      if (!store)
        copy.im2colOffsets.push_back(between(0, 4));
    }
    copy.shared = 128 * between(1, 9);
    std::vector<std::vector<int64_t>> visited;
    Model want = im2colModel(map, copy, &visited);
    wrapped += visited.size() > 1 && visited.back().back() > visited[0].back();
    ASSERT_NO_FATAL_FAILURE(expectModel(map, copy, h200, want)) << n;
  }
  EXPECT_GT(stores, 500);
  EXPECT_GT(wrapped, 1000);
}

// docs/tma-facts.md C3: W = 5, corners -1 / -1, stride 2, start 1, offset 1 visits
// W = 2, 4, then 0, 2, 4 of the next image.
TEST(TmaIm2col, MeasuredTraversal) {
  TensorMap map;
  map.mode = TmaMode::Im2col;
  map.rank = 3;
  map.type = findTmaType("u32");
  map.address = 4096;
  map.dims = {4, 5, 8, 1, 1};
  map.strides = {16, 80};
  map.elementStrides[1] = 2;
  map.im2col = {{-1, 0, 0}, {-1, 0, 0}, 4, 5};
  TmaCopy copy{TmaDirection::Load, {0, 1, 0}, 0};
  copy.im2colOffsets = {1};
  auto transfer = TmaTransfer::make(map, copy, h200);
  ASSERT_TRUE(bool(transfer)) << transfer.problem().message;
  std::vector<std::pair<int64_t, int64_t>> at; // (image, W)
  transfer->forEachRun([&](const TmaRun &run) {
    ASSERT_FALSE(run.fill);
    int64_t offset = static_cast<int64_t>(run.global) - 4096;
    at.push_back({offset / 80, offset % 80 / 16});
  });
  EXPECT_EQ(at, (std::vector<std::pair<int64_t, int64_t>>{
                    {0, 2}, {0, 4}, {1, 0}, {1, 2}, {1, 4}}));
  EXPECT_EQ(transfer->transactionBytes(), 80);
}

//===----------------------------------------------------------------------===//
// im2col::w
//===----------------------------------------------------------------------===//

/// PTX ISA 5.5.5, in its order: wOffset is added to the corners and to W, then
/// a cursor goes along W; past the box it wraps to the next image.
Model wideModel(const TensorMap &map, const TmaCopy &copy,
                std::vector<std::vector<int64_t>> *visited = nullptr) {
  const TmaIm2col &m = map.im2col;
  int64_t lower = m.lower[0], w = copy.coords[1], n = copy.coords.back();
  int64_t upper = static_cast<int64_t>(map.dims[1]) - 1 + m.upper[0];
  lower += copy.wOffset, upper += copy.wOffset, w += copy.wOffset;
  int64_t pixels = m.wide == TmaWide::W128 ? 128 : m.pixels;
  int64_t pitch = map.swizzle->driver == 2 ? 64 : 128;
  Model result = destination(map, copy, (pixels + copy.wHalo) * pitch);
  for (int64_t pixel = 0; pixel < pixels + copy.wHalo; ++pixel) {
    std::vector<int64_t> at{w};
    for (int d = 2; d < map.rank - 1; ++d)
      at.push_back(copy.coords[d]);
    at.push_back(n);
    if (visited)
      visited->push_back(at);
    writeRow(result, map, copy, pixel, pitch, m.channels, at);
    w += map.elementStrides[1];
    if (w > upper) {
      w = lower;
      ++n;
    }
  }
  return result;
}

/// N images of W pixels of 4 u32 channels.
TensorMap wideMap(uint64_t W, uint64_t N, int32_t lower, int32_t upper,
                  uint32_t pixels) {
  TensorMap map;
  map.mode = TmaMode::Im2colWide;
  map.rank = 3;
  map.type = findTmaType("u32");
  map.swizzle = findTmaSwizzle("64B");
  map.address = 4096;
  map.dims = {4, W, N, 1, 1};
  map.strides = {16, 16 * W};
  map.im2col = {{lower, 0, 0}, {upper, 0, 0}, 4, pixels};
  return map;
}

TEST(TmaIm2colWide, AllSmallCases) {
  int64_t cases = 0, left = 0;
  for (int64_t W = 1; W <= 3; ++W)
    for (int32_t lower = -2; lower <= 2; ++lower)
      for (int32_t upper = -2; upper <= 2; ++upper)
        for (uint32_t es = 1; es <= 3; ++es)
          for (uint32_t pixels : {1, 2, 5}) {
            if (lower >= W + upper)
              continue;
            TensorMap map = wideMap(W, 2, lower, upper, pixels);
            map.elementStrides[1] = es;
            for (int64_t x = lower - 3; x <= W - 1 + upper; ++x)
              for (int64_t n = -1; n <= 2; ++n)
                for (int64_t halo : {0, 1, 3})
                  for (int64_t offset : {0, 1, 2}) {
                    TmaCopy copy{TmaDirection::Load, {0, x, n}, 128};
                    copy.wHalo = halo;
                    copy.wOffset = offset;
                    ASSERT_NO_FATAL_FAILURE(
                        expectModel(map, copy, blackwell, wideModel(map, copy)))
                        << "W " << W << " lower " << lower << " upper " << upper
                        << " es " << es << " x " << x << " halo " << halo
                        << " offset " << offset;
                    ++cases;
                    left += x < lower;
                  }
          }
  RecordProperty("cases", static_cast<int>(cases));
  EXPECT_GT(cases, 50000);
  EXPECT_GT(left, 10000);
}

TEST(TmaIm2colWide, RandomCases) {
  const unsigned seed = 7;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto between = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % uint64_t(high - low + 1));
  };
  int wrapped = 0, left = 0, fixed = 0, packed = 0;
  for (int c = 0; c < 3000; ++c) {
    TensorMap map;
    map.mode = TmaMode::Im2colWide;
    map.rank = static_cast<int>(between(3, 5));
    map.type = &tmaTypes()[between(0, 15)];
    bool padded = map.type->driver >= 14;
    map.swizzle = &tmaSwizzles()[between(padded ? 3 : 2, 4)];
    map.nanFill = map.type->nanFill && between(0, 1);
    map.address = 32 * static_cast<uint64_t>(between(64, 500));
    int64_t unit = 128 / map.type->bits, most = map.swizzle->span / 16;
    map.im2col.channels =
        static_cast<uint32_t>(padded ? 128 : unit * between(1, most));
    bool w128 = between(0, 2) == 0;
    map.im2col.wide = w128 ? TmaWide::W128 : TmaWide::W;
    map.im2col.pixels = static_cast<uint32_t>(w128 ? 0 : between(1, 40));
    fixed += w128;
    packed += map.type->driver >= 13;
    TmaCopy copy;
    map.dims[0] = padded ? 128 * between(1, 2)
                         : 2 * between(1, map.im2col.channels + unit);
    copy.coords.push_back((padded ? 128 : unit) * between(-2, 2));
    int64_t below = (static_cast<int64_t>(map.dims[0]) * map.type->bits) / 8;
    for (int d = 1; d < map.rank; ++d) {
      map.strides[d - 1] = (below + 31) / 32 * 32 + 32 * between(0, 2);
      map.dims[d] = between(1, d == 1 ? 20 : 5);
      below = static_cast<int64_t>(map.strides[d - 1] * map.dims[d]);
      copy.coords.push_back(between(-1, 5));
    }
    int64_t W = static_cast<int64_t>(map.dims[1]);
    int64_t low = between(-4, W + 1), high = between(low, W + 4);
    map.im2col.lower[0] = static_cast<int32_t>(low);
    map.im2col.upper[0] = static_cast<int32_t>(high - (W - 1));
    // Corners that no field holds at ranks 4 and 5, and that mean nothing.
    map.im2col.lower[1] = 1 << 20;
    map.elementStrides[1] = static_cast<uint32_t>(between(1, 8));
    copy.coords[1] = between(low - 12, high);
    left += copy.coords[1] < low;
    copy.wHalo = w128 ? 0 : between(0, 3) ? between(0, 9) : between(0, 511);
    copy.wOffset = between(0, 31);
    copy.shared = 128 * between(1, 9);
    std::vector<std::vector<int64_t>> visited;
    Model want = wideModel(map, copy, &visited);
    wrapped += visited.back().back() > visited[0].back();
    ASSERT_NO_FATAL_FAILURE(expectModel(map, copy, blackwell, want)) << c;
  }
  EXPECT_GT(wrapped, 1000);
  EXPECT_GT(left, 500);
  EXPECT_GT(fixed, 500);
  EXPECT_GT(packed, 300);
}

/// (W, H, N) of each pixel; W is -1 for those that are filled.
using Pixels = std::vector<std::array<int64_t, 3>>;

Pixels pixelsOf(const TensorMap &map, const TmaCopy &copy) {
  auto transfer = TmaTransfer::make(map, copy, blackwell);
  EXPECT_TRUE(bool(transfer)) << transfer.problem().message;
  Pixels result(static_cast<size_t>(transfer->rows()), {-1, -1, -1});
  transfer->forEachRun([&](const TmaRun &run) {
    if (run.fill)
      return;
    auto at = static_cast<int64_t>(run.global - map.address);
    auto stride = [&](int d) { return static_cast<int64_t>(map.strides[d]); };
    result[static_cast<size_t>((run.shared - copy.shared) / 64)] = {
        at % stride(1) / stride(0), at % stride(2) / stride(1), at / stride(2)};
  });
  return result;
}

// A case of TIRx-harness, whose simulator was checked on an SM100 (docs/tma-facts.md
// C9): images of 4 x 2 pixels of 16 u32, five pixels and one of halo from
// (0, 1, 40), box shifted by 1.
TEST(TmaIm2colWide, HaloAndOffsetOfAProgram) {
  TensorMap map = wideMap(4, 160, 0, 0, 5);
  map.rank = 4;
  map.dims = {16, 4, 2, 160, 1};
  map.strides = {64, 256, 512};
  map.im2col.channels = 16;
  TmaCopy copy{TmaDirection::Load, {0, 0, 1, 40}, 1024};
  copy.wHalo = copy.wOffset = 1;
  EXPECT_EQ(pixelsOf(map, copy), (Pixels{{1, 1, 40},
                                         {2, 1, 40},
                                         {3, 1, 40},
                                         {-1, -1, -1},
                                         {1, 1, 41},
                                         {2, 1, 41}}));
  EXPECT_EQ(TmaTransfer::make(map, copy, blackwell)->transactionBytes(),
            6 * 64);
}

// The examples of PTX ISA 5.5.5.4: a convolution's buffers have the pixels of
// one stride each, and pixel i of buffer b is W = stride * i + b - 1.
TEST(TmaIm2colWide, BuffersOfTheExamples) {
  struct Example {
    int64_t H, W;
    int32_t upper;
    int64_t stride;
    std::vector<int64_t> halo;
  };
  for (const Example &e :
       {Example{9, 67, 0, 2, {1, 0}}, Example{7, 7, -1, 3, {0, 0, 0}}}) {
    TensorMap map = wideMap(static_cast<uint64_t>(e.W), 128, -1, e.upper, 128);
    map.rank = 4;
    map.dims = {64, uint64_t(e.W), uint64_t(e.H), 128, 1};
    map.strides = {128, 128 * uint64_t(e.W), uint64_t(128 * e.W * e.H)};
    map.type = findTmaType("bf16");
    map.im2col.channels = 32;
    map.elementStrides[1] = static_cast<uint32_t>(e.stride);
    for (size_t buffer = 0; buffer < e.halo.size(); ++buffer) {
      TmaCopy copy{TmaDirection::Load, {0, -1, 2, 7}, 1024};
      copy.wHalo = e.halo[buffer];
      copy.wOffset = static_cast<int64_t>(buffer);
      Pixels got = pixelsOf(map, copy);
      ASSERT_EQ(got.size(), 128 + static_cast<size_t>(copy.wHalo));
      // The box is -1 .. W - 1 + upper.
      int64_t each = (e.W + e.upper) / e.stride + 1;
      for (int64_t i = 0; i < static_cast<int64_t>(got.size()); ++i) {
        int64_t w = i % each * e.stride - 1 + static_cast<int64_t>(buffer);
        bool inside = w >= 0 && w < e.W;
        std::array<int64_t, 3> want{w, 2, 7 + i / each};
        if (!inside)
          want = {-1, -1, -1};
        ASSERT_EQ(got[static_cast<size_t>(i)], want) << buffer << " " << i;
      }
    }
  }
}

// docs/tma-facts.md C12.
TEST(TmaGather, RandomCases) {
  std::mt19937_64 random(6);
  auto between = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % uint64_t(high - low + 1));
  };
  for (int n = 0; n < 500; ++n) {
    TensorMap map;
    map.rank = 2;
    map.type = &tmaTypes()[between(0, 10)];
    map.swizzle = &tmaSwizzles()[between(0, 3)];
    map.address = 4096;
    int64_t element = map.type->bits / 8, unit = 16 / element;
    int64_t most = map.swizzle->span ? map.swizzle->span / 16 : 6;
    map.box[0] = static_cast<uint32_t>(unit * between(1, most));
    map.dims = {uint64_t(between(1, 40)), uint64_t(between(1, 12)), 1, 1, 1};
    map.strides[0] = (map.dims[0] * element + 15) / 16 * 16;
    TmaCopy copy;
    copy.fourRows = true;
    bool store = between(0, 1);
    copy.direction = store ? TmaDirection::Store : TmaDirection::Load;
    copy.coords.push_back(unit * between(store ? 0 : -3, 3));
    // Scattered rows apart, so that no byte is written twice.
    for (int k = 0; k < 4; ++k)
      copy.coords.push_back(store ? 4 * between(0, 3) + k : between(-3, 14));
    copy.shared = 1024;
    int64_t row = map.box[0] * element;
    int64_t pitch = map.swizzle->span ? map.swizzle->span : row;
    Model want = destination(map, copy, 4 * pitch);
    for (int64_t k = 0; k < 4; ++k)
      writeRow(want, map, copy, k, pitch, map.box[0], {copy.coords[1 + k]});
    ASSERT_NO_FATAL_FAILURE(expectModel(map, copy, blackwell, want)) << n;
  }
}

// docs/tma-facts.md 2.4: 128 values are 64 bytes dense; slots of 16 bytes with 8 or
// 12 of data; and the bytes counted, 64 and 96.
TEST(TmaPacked, ImagesOfLoads) {
  struct Case {
    const char *type;
    int64_t global, slot, data; // Bytes of 16 values: memory, slot, data.
  };
  for (const Case &c : {Case{"b4x16", 8, 8, 8}, Case{"b4x16_p64", 8, 16, 8},
                        Case{"b6x16_p32", 12, 16, 12}})
    for (const char *swizzle : {"none", "128B", "128B_atom_32B"})
      for (int64_t x : {-128, 0, 128, 256})
        for (int64_t y : {-1, 0, 3}) {
          TensorMap map;
          map.rank = 2;
          map.type = findTmaType(c.type);
          map.swizzle = findTmaSwizzle(swizzle);
          map.address = 4096;
          map.dims = {256, 5, 1, 1, 1};
          map.strides = {256};
          map.box = {128, 4, 1, 1, 1};
          TmaCopy copy{TmaDirection::Load, {x, y}, 1024};
          bool dense = c.slot == 8 && map.swizzle->span == 0;
          int64_t pitch = dense ? 64 : 128;
          Model want = destination(map, copy, 4 * pitch);
          for (int64_t r = 0; r < 4; ++r)
            for (int64_t group = 0; group < 8; ++group)
              for (int64_t b = 0; b < c.data; ++b) {
                int64_t shared = swizzled(
                    map.swizzle->driver, 1024 + r * pitch + group * c.slot + b);
                bool inside = y + r >= 0 && y + r < 5 && x >= 0 && x < 256;
                int64_t global =
                    4096 + (y + r) * 256 + (x / 16 + group) * c.global + b;
                want.write(shared, inside ? Source{Source::Data, global}
                                          : Source{Source::Fill, 0});
                ++want.transaction;
              }
          EXPECT_EQ(want.transaction, 4 * (c.data == 12 ? 96 : 64));
          ASSERT_NO_FATAL_FAILURE(expectModel(map, copy, blackwell, want))
              << c.type << " " << swizzle << " at " << x << ", " << y;
        }
}

//===----------------------------------------------------------------------===//
// Stores of b6x16_p32
//===----------------------------------------------------------------------===//

TEST(TmaPacked, SixBits) {
  std::mt19937 random(8);
  for (int n = 0; n < 1000; ++n) {
    std::array<uint8_t, 16> slot;
    for (uint8_t &byte : slot)
      byte = static_cast<uint8_t>(random());
    std::array<uint8_t, 12> packed = packSixBits(slot);
    for (int bit = 0; bit < 96; ++bit)
      ASSERT_EQ(packed[bit / 8] >> bit % 8 & 1, slot[bit / 6] >> bit % 6 & 1);
  }
}

/// The rows of a store of b6x16_p32: for each the coordinates of its row.
using OuterRows = std::vector<std::vector<int64_t>>;

/// Runs the store on random bytes, and compares bit by bit: value v of the row
/// is the low 6 bits of byte v of the image's row, before the swizzle.
void expectPackedStore(const TensorMap &map, const TmaCopy &copy,
                       const OuterRows &rows) {
  auto transfer = TmaTransfer::make(map, copy, blackwell);
  ASSERT_TRUE(bool(transfer)) << transfer.problem().message;
  EXPECT_TRUE(transfer->packs());
  EXPECT_EQ(transfer->pitchBytes(), 128);
  EXPECT_EQ(transfer->imageBytes(), 128 * static_cast<int64_t>(rows.size()));
  std::mt19937 random(9);
  std::vector<uint8_t> shared(1 << 14), memory(1 << 15, 0xCD), want = memory;
  for (uint8_t &byte : shared)
    byte = static_cast<uint8_t>(random());
  ByteSet read, written;
  for (size_t r = 0; r < rows.size(); ++r)
    for (int64_t v = 0; v < 128; ++v) {
      int64_t x = copy.coords[0] + v;
      bool inside = x < static_cast<int64_t>(map.dims[0]);
      auto row = static_cast<int64_t>(map.address);
      for (int d = 1; d < map.rank; ++d) {
        int64_t g = rows[r][static_cast<size_t>(d - 1)];
        inside = inside && g >= 0 && g < static_cast<int64_t>(map.dims[d]);
        row += g * static_cast<int64_t>(map.strides[d - 1]);
      }
      if (!inside)
        continue;
      int64_t from = swizzled(map.swizzle->driver,
                              copy.shared + 128 * static_cast<int64_t>(r) + v);
      read.add(from, from + 1);
      for (int bit = 0; bit < 6; ++bit) {
        int64_t at = 8 * row + 6 * x + bit;
        auto mask = static_cast<uint8_t>(1 << at % 8);
        bool one = shared[static_cast<size_t>(from)] >> bit & 1;
        uint8_t &byte = want[static_cast<size_t>(at / 8)];
        byte = static_cast<uint8_t>(one ? byte | mask : byte & ~mask);
        written.add(at / 8, at / 8 + 1);
      }
    }
  auto problem = apply(*transfer, {shared, 0}, {memory, 0});
  ASSERT_FALSE(problem) << problem->message;
  EXPECT_EQ(memory, want);
  EXPECT_EQ(transfer->sharedBytes(), read);
  EXPECT_EQ(transfer->globalBytes(), written);
}

TEST(TmaPacked, StoresOfSixBits) {
  for (const char *swizzle :
       {"none", "128B", "128B_atom_32B", "128B_atom_64B"}) {
    TensorMap map;
    map.rank = 2;
    map.type = findTmaType("b6x16_p32");
    map.swizzle = findTmaSwizzle(swizzle);
    map.address = 4096;
    map.dims = {256, 7, 1, 1, 1};
    map.strides = {224};
    map.box = {128, 5, 1, 1, 1};
    SCOPED_TRACE(swizzle);
    for (int64_t x : {0, 128, 256})
      for (int64_t y : {0, 1, 5, 9})
        for (int64_t shared : {0, 128, 1024}) {
          map.elementStrides[1] = 1;
          TmaCopy copy{TmaDirection::Store, {x, y}, shared};
          ASSERT_NO_FATAL_FAILURE(expectPackedStore(
              map, copy, {{y}, {y + 1}, {y + 2}, {y + 3}, {y + 4}}));
          map.elementStrides[1] = 2;
          ASSERT_NO_FATAL_FAILURE(
              expectPackedStore(map, copy, {{y}, {y + 2}, {y + 4}}));
        }
    // scatter4.
    map.box[1] = 1;
    TmaCopy four{TmaDirection::Store, {128, 6, 0, 8, 3}, 1024};
    four.fourRows = true;
    ASSERT_NO_FATAL_FAILURE(expectPackedStore(map, four, {{6}, {0}, {8}, {3}}));
    // im2col: W and N.
    map.mode = TmaMode::Im2col;
    map.rank = 3;
    map.dims = {128, 3, 4, 1, 1};
    map.strides = {96, 320};
    map.elementStrides[1] = 1;
    map.im2col.channels = 128;
    map.im2col.pixels = 5;
    TmaCopy pixels{TmaDirection::Store, {0, 2, 2}, 1024};
    ASSERT_NO_FATAL_FAILURE(expectPackedStore(
        map, pixels, {{2, 2}, {0, 3}, {1, 3}, {2, 3}, {0, 4}}));
  }
}

} // namespace
