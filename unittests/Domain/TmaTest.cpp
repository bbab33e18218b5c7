//===- TmaTest.cpp - The TMA function against one model an element --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model here walks over single elements and bytes, with the formulas of
// docs/tma-facts.md 2.1 and 2.5 in their own words and the swizzles as bits; the
// function under test walks over rows and runs.
//
//===----------------------------------------------------------------------===//
#include "Targets.h"

#include "TmaModel.h"
#include "titan/Layout/SharedImage.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace titan;

namespace {

/// Global addresses that the model's store may touch.
struct Range {
  int64_t begin, end;
};

Range globalRange(const TensorMap &map) {
  int64_t end = static_cast<int64_t>(map.address) + 512;
  for (int d = 0; d < map.rank; ++d)
    end += static_cast<int64_t>(map.dims[d] *
                                (d ? map.strides[d - 1] : map.type->bits / 8));
  return {static_cast<int64_t>(map.address) - 64, end};
}

Model model(const TensorMap &map, const TmaCopy &copy) {
  Model result;
  bool load = copy.direction == TmaDirection::Load;
  int64_t element = map.type->bits / 8;
  int64_t n[5] = {1, 1, 1, 1, 1}, es[5] = {1, 1, 1, 1, 1};
  for (int d = 0; d < map.rank; ++d) {
    es[d] = d == 0 ? 1 : map.elementStrides[d];
    n[d] = static_cast<int64_t>(std::ceil(double(map.box[d]) / es[d]));
  }
  int mode = map.swizzle->driver;
  const int64_t spans[] = {0, 32, 64, 128, 128, 128, 128};
  int64_t pitch = mode ? spans[mode] : n[0] * element;
  if (load) {
    result.origin = copy.shared - 128;
    result.bytes.resize(n[1] * n[2] * n[3] * n[4] * pitch + 256);
  } else {
    Range range = globalRange(map);
    result.origin = range.begin;
    result.bytes.resize(range.end - range.begin);
  }
  for (int64_t i4 = 0; i4 < n[4]; ++i4)
    for (int64_t i3 = 0; i3 < n[3]; ++i3)
      for (int64_t i2 = 0; i2 < n[2]; ++i2)
        for (int64_t i1 = 0; i1 < n[1]; ++i1)
          for (int64_t i0 = 0; i0 < n[0]; ++i0) {
            int64_t i[5] = {i0, i1, i2, i3, i4}, g[5] = {};
            int64_t row = i1 + n[1] * (i2 + n[2] * (i3 + n[3] * i4));
            bool outerInside = true;
            int64_t address = static_cast<int64_t>(map.address);
            for (int d = 0; d < map.rank; ++d) {
              g[d] = copy.coords[d] + i[d] * es[d];
              if (d > 0)
                outerInside = outerInside && g[d] >= 0 &&
                              g[d] < static_cast<int64_t>(map.dims[d]);
              address += g[d] * (d ? static_cast<int64_t>(map.strides[d - 1])
                                   : element);
            }
            result.transaction += element;
            auto inRow = [&](int64_t x) {
              return x >= 0 && x < static_cast<int64_t>(map.dims[0]);
            };
            bool inside = outerInside && inRow(g[0]);
            // A store moves chunks of 16 bytes: whole if one element is inside.
            int64_t perChunk = 16 / element;
            bool chunkInside = false;
            for (int64_t k = 0; k < perChunk; ++k)
              chunkInside = chunkInside || inRow(g[0] - (i0 % perChunk) + k);
            for (int64_t b = 0; b < element; ++b) {
              int64_t shared =
                  swizzled(mode, copy.shared + row * pitch + i0 * element + b);
              if (load)
                result.write(
                    shared,
                    inside ? Source{Source::Data, address + b}
                           : Source{Source::Fill,
                                    map.nanFill ? (b % 2 ? 0x7F : 0xF7) : 0});
              else if (outerInside && chunkInside)
                result.write(address + b, {Source::Data, shared});
            }
          }
  return result;
}

TensorMap matrix(std::string_view type, uint64_t columns, uint64_t rows,
                 uint64_t stride, uint32_t boxColumns, uint32_t boxRows,
                 std::string_view swizzle = "none") {
  TensorMap map;
  map.rank = 2;
  map.type = findTmaType(type);
  map.swizzle = findTmaSwizzle(swizzle);
  map.address = 4096;
  map.dims = {columns, rows, 1, 1, 1};
  map.strides = {stride};
  map.box = {boxColumns, boxRows, 1, 1, 1};
  return map;
}

TEST(Tma, AllSmallCasesOfTwoDimensions) {
  int64_t cases = 0;
  for (int swizzle = 0; swizzle <= 3; ++swizzle)
    for (uint32_t box0 : {4, 8})
      for (uint64_t dim0 : {1, 3, 4, 5, 7, 8, 9})
        for (uint32_t box1 = 1; box1 <= 3; ++box1)
          for (uint32_t es1 = 1; es1 <= 3; ++es1)
            for (uint64_t dim1 = 1; dim1 <= 3; ++dim1) {
              TensorMap map = matrix("f32", dim0, dim1, 48, box0, box1);
              map.swizzle = &tmaSwizzles()[swizzle];
              map.elementStrides[1] = es1;
              map.nanFill = (box1 + dim1) % 2;
              for (int64_t x0 = -8; x0 <= 8; x0 += 4)
                for (int64_t x1 = -3; x1 <= 4; ++x1) {
                  TmaCopy copy{
                      TmaDirection::Load, {x0, x1}, int64_t(128 * (dim1 - 1))};
                  ASSERT_NO_FATAL_FAILURE(
                      expectModel(map, copy, h200, model(map, copy)));
                  ++cases;
                  if (x0 < 0 || x1 < 0)
                    continue;
                  copy.direction = TmaDirection::Store;
                  ASSERT_NO_FATAL_FAILURE(
                      expectModel(map, copy, h200, model(map, copy)));
                  copy.direction = TmaDirection::Reduce;
                  copy.reduction = "add";
                  ASSERT_NO_FATAL_FAILURE(
                      expectModel(map, copy, h200, model(map, copy)));
                  cases += 2;
                }
            }
  RecordProperty("cases", static_cast<int>(cases));
  EXPECT_GT(cases, 50000);
}

TEST(Tma, RandomCasesOfEveryRankAndType) {
  const unsigned seed = 20261121;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto between = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % uint64_t(high - low + 1));
  };
  int loads = 0, stores = 0, tails = 0, holes = 0;
  for (int n = 0; n < 4000; ++n) {
    TensorMap map;
    map.rank = static_cast<int>(between(1, 5));
    bool atoms = between(0, 4) == 0;
    map.type = &tmaTypes()[between(0, 12)];
    map.swizzle = &tmaSwizzles()[between(0, atoms ? 6 : 3)];
    map.nanFill = map.type->nanFill && between(0, 1);
    map.address = 16 * static_cast<uint64_t>(between(64, 500));
    int64_t element = map.type->bits / 8, unit = 16 / element;
    int64_t most = map.swizzle->span ? map.swizzle->span / 16 : 10;
    map.box[0] = static_cast<uint32_t>(unit * between(1, most));
    map.dims[0] = between(1, map.box[0] + 2 * unit + 3);
    int64_t below = static_cast<int64_t>(map.dims[0]) * element;
    TmaCopy copy;
    copy.coords.push_back(unit * between(-12, 12));
    for (int d = 1; d < map.rank; ++d) {
      // Rows one after another, with padding, so that stores do not overlap.
      map.strides[d - 1] = (below + 15) / 16 * 16 + 16 * between(0, 2);
      map.box[d] = static_cast<uint32_t>(between(1, map.rank > 3 ? 3 : 6));
      map.dims[d] = between(1, 5);
      map.elementStrides[d] = static_cast<uint32_t>(between(1, 8));
      copy.coords.push_back(between(-9, 6));
      below = static_cast<int64_t>(map.strides[d - 1] * map.dims[d]);
    }
    map.elementStrides[0] = static_cast<uint32_t>(between(1, 8)); // Ignored.
    copy.shared = 128 * between(1, 40);
    if (map.swizzle->storeOnly || (between(0, 1) && !map.swizzle->loadOnly)) {
      copy.direction = TmaDirection::Store;
      for (int64_t &x : copy.coords)
        x = x < 0 ? -x / 3 / unit * unit : x;
      ++stores;
      tails += storeTailBytes(map) != 0;
    } else {
      ++loads;
      holes += map.rank > 1 && map.elementStrides[1] > 1;
    }
    ASSERT_NO_FATAL_FAILURE(expectModel(map, copy, blackwell, model(map, copy)))
        << n;
  }
  EXPECT_GT(loads, 1000);
  EXPECT_GT(stores, 1000);
  EXPECT_GT(tails, 500);
  EXPECT_GT(holes, 500);
}

// docs/tma-facts.md L6: u32, box {8, 5}, element strides {1, 2}, swizzle 128B: rows
// at 0, 128, 256.
TEST(Tma, NarrowBoxUnderSwizzle) {
  TensorMap map = matrix("u32", 64, 64, 256, 8, 5, "128B");
  map.elementStrides[1] = 2;
  auto transfer = TmaTransfer::make(map, {TmaDirection::Load, {0, 0}, 0}, h200);
  ASSERT_TRUE(bool(transfer));
  EXPECT_EQ(transfer->rows(), 3);
  EXPECT_EQ(transfer->rowBytes(), 32);
  EXPECT_EQ(transfer->pitchBytes(), 128);
  EXPECT_EQ(transfer->imageBytes(), 384);
  EXPECT_EQ(transfer->transactionBytes(), 96);
  EXPECT_EQ(transfer->sharedBytes().str(), "[0, 32) [128, 160) [288, 320)");
}

// docs/tma-facts.md S3: int16 rows of 470 elements are 940 bytes; a store writes to
// 944, and int8 466, int32 466 likewise.
TEST(Tma, StoresSpillToSixteenBytes) {
  struct Case {
    const char *type;
    uint64_t columns;
    int64_t end;
  };
  for (const Case &c : {Case{"u8", 466, 480}, Case{"u16", 470, 944},
                        Case{"s32", 466, 1872}, Case{"u16", 472, 944}}) {
    TensorMap map = matrix(c.type, c.columns, 1, 2048, 128, 1);
    int64_t element = map.type->bits / 8;
    int64_t last = static_cast<int64_t>(c.columns) / 128 * 128;
    auto transfer =
        TmaTransfer::make(map, {TmaDirection::Store, {last, 0}, 0}, h200);
    ASSERT_TRUE(bool(transfer));
    ByteSet written = transfer->globalBytes();
    ASSERT_EQ(written.intervals().size(), 1u);
    EXPECT_EQ(written.intervals()[0].begin, 4096 + last * element);
    EXPECT_EQ(written.intervals()[0].end, 4096 + c.end);
    EXPECT_EQ(storeTailBytes(map),
              c.end - static_cast<int64_t>(c.columns) * element);
    // A load takes the elements alone.
    transfer = TmaTransfer::make(map, {TmaDirection::Load, {last, 0}, 0}, h200);
    ASSERT_TRUE(bool(transfer));
    EXPECT_EQ(transfer->globalBytes().intervals()[0].end,
              4096 + static_cast<int64_t>(c.columns) * element);
    EXPECT_EQ(transfer->transactionBytes(), 128 * element);
  }
}

TEST(Tma, BoxesOutsideCountWhole) {
  TensorMap map = matrix("bf16", 100, 50, 208, 64, 64, "128B");
  for (std::vector<int64_t> at :
       {std::vector<int64_t>{128, 0}, {0, 64}, {-64, 0}, {0, -64}}) {
    auto transfer = TmaTransfer::make(map, {TmaDirection::Load, at, 0}, h200);
    ASSERT_TRUE(bool(transfer));
    EXPECT_EQ(transfer->transactionBytes(), 64 * 64 * 2);
    EXPECT_TRUE(transfer->globalBytes().empty());
    EXPECT_EQ(transfer->sharedBytes(), ByteSet(0, 8192));
  }
}

/// The image of a load is the SharedImage of the box; two views, one function.
TEST(Tma, AgreesWithSharedImage) {
  const Swizzle modes[] = {Swizzle::None, Swizzle::Span32, Swizzle::Span64,
                           Swizzle::Span128};
  for (int mode = 0; mode <= 3; ++mode) {
    for (int64_t a = 0; a < 4096; ++a) {
      ASSERT_EQ(swizzleBits(modes[mode])(a), tmaSwizzles()[mode].apply(a));
      ASSERT_EQ(swizzlePeriod(modes[mode]), tmaSwizzles()[mode].period);
    }
    uint32_t columns = mode ? 8u << mode : 40;
    for (int64_t base : {0, 128, 1024}) {
      TensorMap map = matrix("bf16", columns, 24, 256, columns, 24);
      map.swizzle = &tmaSwizzles()[mode];
      auto image = SharedImage::make(24, columns, 2, modes[mode]);
      ASSERT_TRUE(bool(image));
      auto transfer =
          TmaTransfer::make(map, {TmaDirection::Load, {0, 0}, base}, h200);
      ASSERT_TRUE(bool(transfer));
      transfer->forEachRun([&](const TmaRun &run) {
        for (int64_t b = 0; b < run.bytes; b += 2) {
          int64_t offset = static_cast<int64_t>(run.global) + b - 4096;
          ASSERT_EQ(image->address(base, offset / 256, offset % 256 / 2),
                    run.shared + b);
        }
      });
      EXPECT_EQ(transfer->sharedBytes(), image->bytes(base));
      EXPECT_EQ(transfer->imageBytes(), image->sizeBytes());
    }
  }
}

TEST(Tma, WhatIsNotModelledIsRefused) {
  auto code = [](const TensorMap &map, const TmaCopy &copy) {
    auto transfer = TmaTransfer::make(map, copy, blackwell);
    return transfer ? std::string("none") : transfer.problem().code;
  };
  TmaCopy at{TmaDirection::Load, {0, 0}, 0};
  TensorMap map = matrix("f32", 64, 64, 256, 32, 8);
  EXPECT_EQ(code(map, at), "none");
  // docs/tma-facts.md C10, the one thing.
  TensorMap wide = map;
  wide.mode = TmaMode::Im2colWide;
  wide.rank = 3;
  wide.strides[1] = 64 * 256;
  wide.swizzle = findTmaSwizzle("128B");
  wide.im2col.channels = 32;
  wide.im2col.wide = TmaWide::W128;
  TmaCopy halo{TmaDirection::Load, {0, 0, 0}, 0};
  EXPECT_EQ(code(wide, halo), "none");
  halo.wHalo = 1;
  EXPECT_EQ(code(wide, halo), "not-supported-yet");
  wide.im2col.wide = TmaWide::W;
  EXPECT_EQ(code(wide, halo), "none");
  // Violations come with their code.
  EXPECT_EQ(code(map, {TmaDirection::Load, {1, 0}, 0}),
            "tma-coordinate-alignment");
  map.strides[0] = 8;
  EXPECT_EQ(code(map, at), "tma-stride-alignment");
}

/// Fields with values of all sizes: refused with codes, or a transfer whose
/// runs stay in its image.
TEST(Tma, AnyFieldsAtAll) {
  const unsigned seed = 10;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  // Mostly small and legal, sometimes anything.
  auto pick = [&](std::initializer_list<int64_t> usual) {
    uint64_t any = random() >> random() % 64;
    return random() % 40 ? usual.begin()[random() % usual.size()]
                         : static_cast<int64_t>(random() % 2 ? any : 0 - any);
  };
  int accepted = 0, refused = 0, wide = 0;
  for (int n = 0; n < 200000; ++n) {
    TensorMap map;
    map.mode = static_cast<TmaMode>(random() % 3);
    map.rank = static_cast<int>(random() % 7);
    map.type = &tmaTypes()[random() % tmaTypes().size()];
    map.swizzle = &tmaSwizzles()[random() % tmaSwizzles().size()];
    map.interleave =
        static_cast<TmaInterleave>(random() % 8 ? 0 : random() % 3);
    map.nanFill = random() % 8 == 0;
    map.address = static_cast<uint64_t>(pick({0, 64, 4096}));
    for (int d = 0; d < 5; ++d) {
      map.dims[d] =
          static_cast<uint64_t>(d ? pick({1, 3, 8}) : pick({128, 256}));
      map.box[d] = static_cast<uint32_t>(d ? pick({1, 2, 4}) : pick({16, 128}));
      map.elementStrides[d] = static_cast<uint32_t>(pick({1, 1, 2}));
      if (d)
        map.strides[d - 1] = static_cast<uint64_t>(pick({0, 512, 1 << 20}));
    }
    for (int k = 0; k < 3; ++k) {
      map.im2col.lower[k] = static_cast<int32_t>(pick({-1, 0, 0}));
      map.im2col.upper[k] = static_cast<int32_t>(pick({0, 0, 1}));
    }
    map.im2col.channels = static_cast<uint32_t>(pick({16, 32, 128}));
    map.im2col.pixels = static_cast<uint32_t>(pick({1, 8, 100}));
    map.im2col.wide = static_cast<TmaWide>(random() % 2);
    TmaCopy copy;
    copy.direction = static_cast<TmaDirection>(random() % 3);
    copy.reduction = "add";
    copy.fourRows = random() % 8 == 0;
    int operands = copy.fourRows ? 5 : static_cast<int>(map.rank);
    for (int d = 0; d < operands; ++d)
      copy.coords.push_back(d ? pick({0, 1, 2}) : pick({0, 128}));
    bool offsets = map.mode == TmaMode::Im2col &&
                   copy.direction == TmaDirection::Load && map.rank > 2;
    for (int d = 2; offsets && d < map.rank; ++d)
      copy.im2colOffsets.push_back(pick({0, 1}));
    if (map.mode == TmaMode::Im2colWide) {
      copy.wHalo = pick({0, 0, 3});
      copy.wOffset = pick({0, 1, 31});
    }
    copy.shared = pick({0, 128, 1024});
    for (const TargetInfo &target : allTargets()) {
      std::vector<TmaViolation> found = validate(map, target);
      auto transfer = TmaTransfer::make(map, copy, target);
      if (!transfer) {
        ++refused;
        const CodeInfo *info = lookupCode(transfer.problem().code);
        ASSERT_NE(info, nullptr) << transfer.problem().code;
        ASSERT_EQ(info->id == Code::NotSupportedYet,
                  map.mode == TmaMode::Im2colWide && found.empty() &&
                      validateCopy(map, copy, target).front().field ==
                          "wHalo" &&
                      copy.wHalo > 0 && copy.wHalo < 32);
        continue;
      }
      ASSERT_TRUE(found.empty());
      ++accepted;
      wide += map.mode == TmaMode::Im2colWide;
      int64_t moved = 0;
      transfer->forEachRun([&](const TmaRun &run) {
        moved += run.bytes;
        ASSERT_GE(run.shared, copy.shared);
        ASSERT_LE(run.shared + run.sharedBytes,
                  copy.shared + (transfer->imageBytes() + 1023) / 128 * 128);
      });
      if (copy.direction == TmaDirection::Load)
        ASSERT_EQ(moved, transfer->transactionBytes());
      else
        ASSERT_LE(moved, transfer->transactionBytes());
    }
  }
  EXPECT_GT(accepted, 10000);
  EXPECT_GT(wide, 200);
  EXPECT_GT(refused, 100000);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

// docs/tma-facts.md L9.
TEST(TmaValues, Tf32Rounding) {
  const uint32_t vectors[][2] = {
      {0x3F801001, 0x3F802000}, {0x3F801000, 0x3F800000},
      {0x3F803000, 0x3F804000}, {0x3F805000, 0x3F804000},
      {0x00001800, 0x00002000}, {0x7F7FFFFF, 0x7F800000},
      {0x7F800000, 0x7F800000}, {0xFF800000, 0xFF800000},
      {0x7F800001, 0x7FFFE000}, {0xFFC00000, 0x7FFFE000},
      {0x80000000, 0x80000000}, {0x00000000, 0x00000000}};
  for (auto &v : vectors)
    EXPECT_EQ(roundToTf32(v[0]), v[1]) << std::hex << v[0];
  // Nearest: against all neighbours on the coarse grid.
  std::mt19937 random(1);
  for (int n = 0; n < 20000; ++n) {
    uint32_t x = random() & 0x7FFFFFFF;
    if (x >= 0x7F000000)
      continue;
    uint32_t y = roundToTf32(x), down = x & 0xFFFFE000, up = down + 0x2000;
    double a, b, c;
    auto value = [](uint32_t bits) {
      float f;
      std::memcpy(&f, &bits, 4);
      return double(f);
    };
    a = value(x), b = value(down), c = value(up);
    uint32_t want = a - b < c - a           ? down
                    : a - b > c - a         ? up
                    : (down >> 13) % 2 == 0 ? down
                                            : up;
    ASSERT_EQ(y, want);
  }
}

uint64_t reduced(std::string_view op, std::string_view type, uint64_t old,
                 uint64_t source) {
  auto result = reduceElement(op, *findTmaType(type), old, source);
  EXPECT_TRUE(result.has_value()) << op << " " << type;
  return result.value_or(0);
}

/// apply(): each operation with each of its types, element by element; rows
/// outside of the tensor are left alone.
TEST(TmaApply, Reductions) {
  int pairs = 0;
  std::mt19937_64 random(5);
  for (const TmaReduction &reduction : tmaReductions())
    for (const TmaType &type : tmaTypes()) {
      if (!hasTmaReduction(reduction.op, type.name))
        continue;
      ++pairs;
      TensorMap map;
      map.rank = 2;
      map.type = &type;
      map.address = 4096;
      size_t element = type.bits / 8, row = 16 / element;
      map.dims = {row, 3, 1, 1, 1};
      map.strides = {64};
      map.box = {static_cast<uint32_t>(row), 4, 1, 1, 1};
      TmaCopy copy{TmaDirection::Reduce, {0, 1}, 128};
      copy.reduction = reduction.op;
      auto transfer = TmaTransfer::make(map, copy, h200);
      ASSERT_TRUE(bool(transfer)) << transfer.problem().message;
      std::vector<uint8_t> shared(64), global(192), want;
      for (uint8_t &byte : shared)
        byte = static_cast<uint8_t>(random());
      for (uint8_t &byte : global)
        byte = static_cast<uint8_t>(random());
      want = global;
      for (size_t r = 0; r < 2; ++r) // Rows 1 and 2; the others are outside.
        for (size_t i = 0; i < row; ++i) {
          uint64_t old = 0, source = 0;
          std::memcpy(&old, &global[64 * (r + 1) + i * element], element);
          std::memcpy(&source, &shared[16 * r + i * element], element);
          auto value = reduceElement(reduction.op, type, old, source);
          ASSERT_TRUE(value) << reduction.op << " " << type.name;
          std::memcpy(&want[64 * (r + 1) + i * element], &*value, element);
        }
      auto problem = apply(*transfer, {shared, 128}, {global, 4096});
      ASSERT_FALSE(problem) << problem->message;
      ASSERT_EQ(global, want) << reduction.op << " " << type.name;
    }
  EXPECT_GT(pairs, 30);
}

/// Loads through maps of tf32 round; fills are the map's.
TEST(TmaApply, LoadsThatRound) {
  TensorMap map;
  map.type = findTmaType("tf32");
  map.address = 256;
  map.dims[0] = 3;
  map.box[0] = 4;
  map.nanFill = true;
  auto transfer = TmaTransfer::make(map, {TmaDirection::Load, {0}}, h200);
  ASSERT_TRUE(bool(transfer)) << transfer.problem().message;
  const uint32_t from[] = {0x3F801001, 0x7F7FFFFF, 0x3F803000, 7};
  const uint32_t to[] = {0x3F802000, 0x7F800000, 0x3F804000, 0x7FF77FF7};
  std::vector<uint8_t> global(16), shared(16), want(16);
  std::memcpy(global.data(), from, 16);
  std::memcpy(want.data(), to, 16);
  ASSERT_FALSE(apply(*transfer, {shared, 0}, {global, 256}));
  EXPECT_EQ(shared, want);
}

TEST(TmaValues, IntegerReductions) {
  EXPECT_EQ(reduced("add", "u32", 0xFFFFFFFF, 2), 1u);
  EXPECT_EQ(reduced("add", "u64", ~uint64_t(0), 2), 1u);
  EXPECT_EQ(reduced("min", "s32", 0xFFFFFFFF, 1), 0xFFFFFFFFu);
  EXPECT_EQ(reduced("min", "u32", 0xFFFFFFFF, 1), 1u);
  EXPECT_EQ(reduced("max", "s64", ~uint64_t(0), 1), 1u);
  EXPECT_EQ(reduced("max", "u64", ~uint64_t(0), 1), ~uint64_t(0));
  EXPECT_EQ(reduced("inc", "u32", 4, 5), 5u);
  EXPECT_EQ(reduced("inc", "u32", 5, 5), 0u);
  EXPECT_EQ(reduced("dec", "u32", 0, 5), 5u);
  EXPECT_EQ(reduced("dec", "u32", 6, 5), 5u);
  EXPECT_EQ(reduced("dec", "u32", 3, 5), 2u);
  EXPECT_EQ(reduced("and", "u64", 12, 10), 8u);
  EXPECT_EQ(reduced("or", "s32", 12, 10), 14u);
  EXPECT_EQ(reduced("xor", "u32", 12, 10), 6u);
  EXPECT_FALSE(reduceElement("add", *findTmaType("u8"), 1, 1));
  EXPECT_FALSE(reduceElement("and", *findTmaType("f32"), 1, 1));
  EXPECT_FALSE(reduceElement("inc", *findTmaType("s32"), 1, 1));
  EXPECT_FALSE(reduceElement("mul", *findTmaType("u32"), 1, 1));
}

/// Every pair of the table has arithmetic.
TEST(TmaValues, TheTableHasArithmetic) {
  for (const TmaReduction &row : tmaReductions())
    for (const TmaType &type : tmaTypes()) {
      bool listed = hasTmaReduction(row.op, type.name);
      EXPECT_EQ(reduceElement(row.op, type, 1, 2).has_value(), listed)
          << row.op << " " << type.name;
    }
}

TEST(TmaValues, FloatAddRoundsOnce) {
  // f32: subnormals kept, f32.ftz: flushed with their sign (S7).
  EXPECT_EQ(reduced("add", "f32", 0x00000001, 0x00000001), 2u);
  EXPECT_EQ(reduced("add", "f32.ftz", 0x00000001, 0x00000001), 0u);
  EXPECT_EQ(reduced("add", "f32.ftz", 0x80000001, 0x80000001), 0x80000000u);
  EXPECT_EQ(reduced("add", "f32.ftz", 0x00800000, 0x80800001), 0x80000000u);
  EXPECT_EQ(reduced("add", "f32", 0x3F800000, 0x33800000), 0x3F800000u);

  // f16 and bf16 against exact rationals: the sum in units of the smallest
  // subnormal is an integer, rounded by hand.
  std::mt19937 random(2);
  struct Format {
    const char *type;
    int exponent, mantissa;
  };
  for (Format f : {Format{"f16", 5, 10}, Format{"bf16", 8, 7}}) {
    int top = (1 << f.exponent) - 1;
    auto decode = [&](uint32_t x) {
      int e = (x & 0x7FFF) >> f.mantissa;
      __int128 m = x & ((1 << f.mantissa) - 1);
      if (e)
        m += 1 << f.mantissa;
      m <<= e ? e - 1 : 0;
      return x & 0x8000 ? -m : m;
    };
    for (int n = 0; n < 40000; ++n) {
      uint32_t a = random() & 0xFFFF, b = random() & 0xFFFF;
      auto exponent = [&](uint32_t x) {
        return int((x & 0x7FFF) >> f.mantissa);
      };
      // Finite, and near enough for 128 bits.
      if (exponent(a) > 100 || exponent(b) > 100 || exponent(a) == top ||
          exponent(b) == top)
        continue;
      __int128 sum = decode(a) + decode(b);
      uint32_t sign = sum < 0 ? 0x8000 : 0;
      __int128 m = sum < 0 ? -sum : sum;
      if (sum == 0)
        sign = a & b & 0x8000;
      int e = 0;
      while ((m >> e) >= (__int128(2) << f.mantissa))
        ++e;
      __int128 q = m >> e, rest = m - (q << e),
               half = e ? __int128(1) << (e - 1) : 0;
      if (e && (rest > half || (rest == half && (q & 1))))
        ++q;
      uint32_t want;
      if (q == 0)
        want = sign;
      else if (q < (1 << f.mantissa))
        want = sign | uint32_t(q);
      else
        want =
            sign | std::min<uint32_t>((uint32_t(e) << f.mantissa) + uint32_t(q),
                                      uint32_t(top) << f.mantissa);
      ASSERT_EQ(reduced("add", f.type, a, b), want)
          << f.type << " " << std::hex << a << " " << b;
    }
    uint32_t infinity = uint32_t(top) << f.mantissa, one = infinity / 2;
    EXPECT_EQ(reduced("add", f.type, infinity, one), infinity);
    EXPECT_EQ(reduced("add", f.type, infinity, infinity | 0x8000), 0x7FFFu);
    EXPECT_EQ(reduced("add", f.type, infinity - 1, infinity - 1), infinity);
    EXPECT_EQ(reduced("max", f.type, 0x7FFF, one), one);
    EXPECT_EQ(reduced("min", f.type, one, 0x7FFF), one);
    EXPECT_EQ(reduced("min", f.type, 0x7FFF, 0x7FFF), 0x7FFFu);
    EXPECT_EQ(reduced("max", f.type, 0x8000, 0), 0u);
    EXPECT_EQ(reduced("min", f.type, 0, 0x8000), 0x8000u);
    EXPECT_EQ(reduced("max", f.type, 0x8000 | one, one), one);
    EXPECT_EQ(reduced("min", f.type, 0x8000 | one, 0x8001), 0x8000u | one);
  }
}

} // namespace
