//===- TmaModesTest.cpp - im2col, gather4, packed types -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TmaModel.h"

#include <random>

using namespace titan;

namespace {

const TargetInfo &h200 = targetInfo(TargetId::Sm90a);
const TargetInfo &blackwell = targetInfo(TargetId::Sm100a);

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
          map.dims[d] * (d ? map.strides[d - 1] : map.type->bits / 8));
    result.bytes.resize(end);
  }
  return result;
}

/// One row of `n` elements at shared row `row`; its elements start at (x0, and
/// `outer` for the other dimensions).
void writeRow(Model &result, const TensorMap &map, const TmaCopy &copy,
              int64_t row, int64_t pitch, int64_t n,
              const std::vector<int64_t> &outer) {
  int64_t element = map.type->bits / 8;
  bool inside = true;
  int64_t address = static_cast<int64_t>(map.address);
  for (int d = 1; d < map.rank; ++d) {
    inside = inside && outer[d - 1] >= 0 &&
             outer[d - 1] < static_cast<int64_t>(map.dims[d]);
    address += outer[d - 1] * static_cast<int64_t>(map.strides[d - 1]);
  }
  for (int64_t b = 0; b < n * element; ++b) {
    int64_t x = copy.coords[0] + b / element;
    int64_t shared =
        swizzled(map.swizzle->driver, copy.shared + row * pitch + b);
    int64_t global = address + copy.coords[0] * element + b;
    auto in = [&](int64_t i) {
      return i >= 0 && i < static_cast<int64_t>(map.dims[0]);
    };
    result.transaction += b % element == 0 ? element : 0;
    if (copy.direction == TmaDirection::Load) {
      if (inside && in(x))
        result.write(shared, {Source::Data, global});
      else
        result.write(shared,
                     {Source::Fill, map.nanFill ? (b % 2 ? 0x7F : 0xF7) : 0});
      continue;
    }
    bool chunk = false;
    for (int64_t k = b / 16 * 16; k < b / 16 * 16 + 16; k += element)
      chunk = chunk || in(copy.coords[0] + k / element);
    if (inside && chunk)
      result.write(global, {Source::Data, shared});
  }
}

/// facts-tma.md C2 to C6, as a walk of the cursor.
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

// facts-tma.md C3: W = 5, corners -1 / -1, stride 2, start 1, offset 1 visits
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

// facts-tma.md C12.
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

// facts-tma.md 2.4: 128 values are 64 bytes dense; slots of 16 bytes with 8 or
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

} // namespace
