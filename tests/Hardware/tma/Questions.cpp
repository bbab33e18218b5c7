//===- Questions.cpp - What no document says about TMA --------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what the GPU does; docs/hardware-tma.md says what it means. Nothing
// here is compared with lib/Domain, but for replace and the tables of values.
//
//===----------------------------------------------------------------------===//
#include "Questions.h"
#include "Options.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace titan;
using namespace titan::hw;

namespace {

//===----------------------------------------------------------------------===//
// 2. Alignment of the inner coordinate, and of shared memory
//===----------------------------------------------------------------------===//

void askAlignment(const PoolOptions &pool) {
  std::vector<Question> ask;
  for (const char *direction : {"load", "store", "add"})
    for (const char *type : {"u8", "f16", "u32", "u64"}) {
      int64_t unit = 128 / findTmaType(type)->bits;
      if (std::string_view(direction) == "add" && unit == 16)
        continue;
      for (int64_t x : {int64_t(1), unit / 2, unit - 1, unit + unit / 2}) {
        ask.push_back(plain("inner off 16 B", type, x, 0, direction));
        if (std::string_view(direction) == "load")
          ask.push_back(plain("inner off 16 B, negative", type, -x, 0));
      }
      ask.push_back(plain("inner off, rows outside", type, 1, 100, direction));
      ask.push_back(plain("inner off, columns outside", type, 64 * unit + 1, 0,
                          direction));
      ask.push_back(plain("inner off, 128B swizzle", type, unit / 2, 0,
                          direction, "128B"));
    }
  for (const char *direction : {"load", "store", "add"})
    for (const char *swizzle : {"none", "32B", "64B", "128B"})
      for (int64_t off : {8, 16, 32, 64}) {
        Question q = plain("shared off 128 B", "u32", 0, 0, direction, swizzle);
        if (q.job.map.swizzle->span)
          q.job.map.box[0] = q.job.map.swizzle->span / 4;
        q.job.copy.shared += off;
        ask.push_back(q);
      }
  printMappings("2. alignment of coordinate 0 and of shared addresses", ask,
                pool, true);
}

//===----------------------------------------------------------------------===//
// 4. What the driver accepts
//===----------------------------------------------------------------------===//

void askDriver(PoolOptions pool) {
  struct Variant {
    std::string what;
    TensorMap map;
  };
  std::vector<Variant> list;
  auto add = [&](std::string what, auto change) {
    TensorMap map = plain("", "f16", 0, 0).job.map;
    map.rank = 4;
    map.dims = {64, 8, 4, 4, 1};
    map.strides = {160, 1280, 5120};
    map.box = {16, 4, 2, 2, 1};
    change(map);
    list.push_back({std::move(what), map});
  };
  auto im2col = [&](std::string what, auto change) {
    TensorMap map = pixels("", {}, {}).job.map;
    change(map);
    list.push_back({std::move(what), map});
  };
  add("plain", [](TensorMap &) {});
  for (int s = 0; s < 7; ++s)
    add("swizzle " + std::string(tmaSwizzles()[s].name),
        [&](TensorMap &m) { m.swizzle = &tmaSwizzles()[s]; });
  for (const TmaType &type : tmaTypes())
    for (int s : {0, 3, 4})
      add("type " + std::string(type.name) + " swizzle " +
              std::string(tmaSwizzles()[s].name),
          [&](TensorMap &m) {
            m.type = &type;
            m.swizzle = &tmaSwizzles()[s];
            m.dims[0] = 128;
            m.box[0] = type.bits < 8 ? 128 : 128 / type.bits;
            m.strides = {256, 2048, 8192};
          });
  add("null address", [](TensorMap &m) { m.address = -uint64_t(1) << 63; });
  for (uint32_t es : {0, 1, 8, 9})
    for (int d : {0, 1})
      add("element stride[" + std::to_string(d) + "] " + std::to_string(es),
          [&](TensorMap &m) { m.elementStrides[d] = es; });
  add("strides 0", [](TensorMap &m) { m.strides = {0, 0, 0}; });
  add("strides shrink", [](TensorMap &m) { m.strides = {5120, 1280, 160}; });
  add("box larger than dims", [](TensorMap &m) {
    m.dims = {3, 2, 1, 1, 1};
    m.box = {64, 64, 2, 2, 1};
  });
  for (uint64_t dim : {uint64_t(0), uint64_t(1) << 31, (uint64_t(1) << 31) + 1,
                       uint64_t(1) << 32, (uint64_t(1) << 32) + 1})
    for (int d : {0, 3})
      add("dim[" + std::to_string(d) + "] " + std::to_string(dim),
          [&](TensorMap &m) { m.dims[d] = dim; });
  add("dims 2^32 all", [](TensorMap &m) { m.dims.fill(uint64_t(1) << 32); });
  // How many bytes a box may have: 256 x 8 x n x m, a third dimension of 3.
  for (auto [n, m] : {std::pair<uint32_t, uint32_t>{8, 8},
                      {113, 1},
                      {114, 1},
                      {127, 1},
                      {128, 1},
                      {129, 1},
                      {16, 8},
                      {17, 8},
                      {32, 8},
                      {255, 1},
                      {256, 1},
                      {64, 8},
                      {128, 8},
                      {256, 256}})
    for (uint32_t es : {1, 2})
      for (const char *type : {"u8", "u64"})
        add("box of " + std::string(type) + " 256 x 8 x " + std::to_string(n) +
                " x " + std::to_string(m) + ", element stride[2] " +
                std::to_string(es),
            [&](TensorMap &map) {
              map.type = findTmaType(type);
              map.box = {type[1] == '8' ? 256u : 32u, 8, n, m, 1};
              map.elementStrides[2] = es;
              map.dims[0] = 256;
              map.strides = {2048, 1 << 20, 1 << 28};
            });
  for (uint32_t rows : {227, 228, 255, 256})
    for (int swizzle : {0, 1, 3})
      add("box of 16 B x 256 x " + std::to_string(rows) + ", swizzle " +
              std::string(tmaSwizzles()[swizzle].name),
          [&](TensorMap &map) {
            map.box = {8, 256, rows, 1, 1};
            map.swizzle = &tmaSwizzles()[swizzle];
          });
  add("box 256^4", [](TensorMap &m) { m.box = {256, 256, 256, 256, 1}; });
  for (uint32_t inner : {1, 4, 8, 12, 24, 256, 257})
    add("box[0] " + std::to_string(inner),
        [&](TensorMap &m) { m.box[0] = inner; });
  for (uint32_t inner : {16, 24, 32, 40, 64, 72})
    for (int s : {1, 2, 3})
      add("box[0] " + std::to_string(2 * inner) + " bytes, swizzle " +
              std::string(tmaSwizzles()[s].name),
          [&](TensorMap &m) {
            m.box[0] = inner;
            m.swizzle = &tmaSwizzles()[s];
          });
  for (uint64_t stride : {8, 16, 24, 32, 48})
    for (int interleave : {0, 1, 2})
      add("stride " + std::to_string(stride) + ", interleave " +
              std::to_string(16 * interleave),
          [&](TensorMap &m) {
            m.strides[0] = stride;
            m.interleave = TmaInterleave(interleave);
            m.swizzle = &tmaSwizzles()[interleave == 2];
          });
  for (uint64_t address : {4096 + 8, 4096 + 16, 4096 + 32})
    for (int interleave : {0, 1, 2})
      add("address off " + std::to_string(address - 4096) + ", interleave " +
              std::to_string(16 * interleave),
          [&](TensorMap &m) {
            m.address = address;
            m.interleave = TmaInterleave(interleave);
            m.swizzle = &tmaSwizzles()[interleave == 2];
          });
  for (int rank : {1, 2, 3, 4})
    add("interleave 16, rank " + std::to_string(rank), [&](TensorMap &m) {
      m.rank = rank;
      m.interleave = TmaInterleave::B16;
    });
  for (int interleave : {1, 2})
    for (int s = 0; s < 4; ++s)
      for (uint32_t inner : {1, 3, 16, 17, 64, 256})
        add("interleave " + std::to_string(16 * interleave) + " swizzle " +
                std::string(tmaSwizzles()[s].name) + " box[0] " +
                std::to_string(inner),
            [&](TensorMap &m) {
              m.interleave = TmaInterleave(interleave);
              m.swizzle = &tmaSwizzles()[s];
              m.box[0] = inner;
            });
  for (uint32_t es : {0, 2, 8, 9})
    add("interleave 16, element stride[0] " + std::to_string(es),
        [&](TensorMap &m) {
          m.interleave = TmaInterleave::B16;
          m.elementStrides[0] = es;
        });
  for (const TmaType &type : tmaTypes())
    if (type.bits >= 8)
      add("NaN fill of " + std::string(type.name), [&](TensorMap &m) {
        m.type = &type;
        m.nanFill = true;
        m.box[0] = 16;
      });

  im2col("im2col plain", [](TensorMap &) {});
  for (uint32_t channels : {0, 1, 3, 8, 15, 17, 32, 64, 256, 257})
    im2col("im2col channels " + std::to_string(channels),
           [&](TensorMap &m) { m.im2col.channels = channels; });
  for (uint32_t channels : {31, 32, 33, 48})
    im2col("im2col swizzle 32B, channels " + std::to_string(channels),
           [&](TensorMap &m) {
             m.im2col.channels = channels;
             m.swizzle = findTmaSwizzle("32B");
           });
  for (uint32_t count : {0, 1, 1024, 1025})
    im2col("im2col pixels " + std::to_string(count),
           [&](TensorMap &m) { m.im2col.pixels = count; });
  for (int rank : {2, 3, 4, 5})
    for (int32_t corner : {-32769, -32768, -129, -128, -17, -16, 0})
      im2col("im2col rank " + std::to_string(rank) + " lower " +
                 std::to_string(corner),
             [&](TensorMap &m) {
               m.rank = rank;
               m.dims = {32, 5, 4, 3, 2};
               m.strides = {32, 160, 640, 1920};
               m.im2col.lower = {corner, 0, 0};
             });
  for (int rank : {3, 4, 5})
    for (int32_t corner : {15, 16, 127, 128, 32767, 32768})
      im2col("im2col rank " + std::to_string(rank) + " upper " +
                 std::to_string(corner),
             [&](TensorMap &m) {
               m.rank = rank;
               m.dims = {32, 5, 4, 3, 2};
               m.strides = {32, 160, 640, 1920};
               m.im2col.upper = {corner, 0, 0};
             });
  for (uint64_t dim : {uint64_t(0x7FFFFFFF), uint64_t(1) << 31,
                       (uint64_t(1) << 31) + 1, uint64_t(1) << 32})
    for (int d : {0, 1, 3})
      for (int32_t upper : {-1, 0, 1})
        im2col("im2col dim[" + std::to_string(d) + "] " + std::to_string(dim) +
                   " upper " + std::to_string(upper),
               [&](TensorMap &m) {
                 m.dims[d] = dim;
                 m.im2col.upper[0] = upper;
               });
  for (uint32_t count : {1023, 512, 511, 227, 228, 255, 256})
    im2col("im2col 1024 B x " + std::to_string(count) + " pixels",
           [&](TensorMap &m) {
             m.type = findTmaType("u32");
             m.im2col.channels = 256;
             m.im2col.pixels = count;
           });
  for (int32_t low = -1; low <= 6; ++low)
    im2col("im2col W 5, lower " + std::to_string(low) + " upper -1",
           [&](TensorMap &m) { m.im2col.lower[0] = low; });
  for (int which : {1, 2})
    for (uint32_t es : {0, 8, 9})
      im2col("im2col element stride[" + std::to_string(which * 3 - 3) + "] " +
                 std::to_string(es),
             [&](TensorMap &m) { m.elementStrides[which * 3 - 3] = es; });
  for (int interleave : {1, 2})
    for (uint32_t channels : {8, 16, 32})
      im2col("im2col interleave " + std::to_string(16 * interleave) +
                 " channels " + std::to_string(channels),
             [&](TensorMap &m) {
               m.interleave = TmaInterleave(interleave);
               m.swizzle = &tmaSwizzles()[interleave == 2];
               m.im2col.channels = channels;
             });

  SharedArray<std::array<int, 3>> said(list.size());
  pool.jobs = 1;
  forAll(list.size(), pool, [&](Device &device, size_t i) {
    TensorMap map = list[i].map;
    map.address = map.address >> 63 ? 0 : map.address + device.globalBase();
    TmaDescriptor bits;
    said[i][0] = device.encode(map, bits);
    said[i][1] = !validate(map, targetInfo(TargetId::Sm90a)).empty();
    // Do our bits agree with the driver's?
    TmaDescriptor ours = encodeDescriptor(map);
    if (said[i][0] == 0 && map.mode != TmaMode::Im2colWide && ours != bits)
      for (int b = 0; b < 128; ++b)
        said[i][2] += ours[b] != bits[b];
    return true;
  });
  std::printf("\n== 4. the driver: what it accepts\n");
  for (size_t i = 0; i < list.size(); ++i)
    std::printf("%s | driver %s %d | we %s%s%s\n", list[i].what.c_str(),
                said[i][0] ? "refuses" : "accepts", said[i][0],
                said[i][1] ? "refuse" : "accept",
                (said[i][0] != 0) == (said[i][1] != 0) ? "" : " | DIFFER",
                said[i][2] ? (" | bytes of the map differ: " +
                              std::to_string(said[i][2]))
                                 .c_str()
                           : "");
  // One case of the driver's maps, byte for byte.
  SharedArray<TmaDescriptor> maps(list.size());
  forAll(list.size(), pool, [&](Device &device, size_t i) {
    TensorMap map = list[i].map;
    map.address = uint64_t(1) << 40;
    device.encode(map, maps[i]);
    return true;
  });
  for (size_t i = 0; i < list.size(); ++i) {
    if (said[i][0])
      continue;
    std::printf("map of %s:", list[i].what.c_str());
    for (int b = 0; b < 128; b += 4) {
      uint32_t word;
      std::memcpy(&word, &maps[i][b], 4);
      std::printf(" %x", word);
    }
    std::printf("\n");
  }
  std::fflush(stdout);
}

/// Extents that the encoder takes: which ones does a copy take?
void askExtents(const PoolOptions &pool) {
  std::vector<Question> ask;
  for (int d : {0, 1, 2})
    for (uint64_t dim :
         {uint64_t(0x7FFFFFFF), uint64_t(1) << 31, (uint64_t(1) << 31) + 1,
          uint64_t(3) << 30, uint64_t(1) << 32})
      for (const char *direction : {"load", "store"}) {
        if (std::string_view(direction) == "store" && d == 2)
          continue;
        Question q =
            plain("extent " + std::to_string(d), "u32", 0, 0, direction);
        TensorMap &map = q.job.map;
        map.rank = 3;
        map.dims[2] = 2;
        map.strides[1] = 1280;
        map.dims[d] = dim;
        q.job.copy.coords = {0, 4, 0};
        ask.push_back(q);
      }
  for (int rank : {3, 4})
    for (int d = 0; d < rank; ++d)
      for (uint64_t dim : {(uint64_t(1) << 31) + 1, uint64_t(1) << 32})
        for (const char *direction : {"load", "store"}) {
          Question q = plain("interleaved, extent " + std::to_string(d), "u32",
                             0, 0, direction);
          TensorMap &map = q.job.map;
          map.interleave = TmaInterleave::B16;
          map.rank = rank;
          map.dims = {16, 4, 2, 2, 1};
          map.strides = {256, 1024, 2048};
          map.box = {4, 2, 1, 1, 1};
          map.dims[d] = dim;
          q.job.copy.coords.assign(rank, 0);
          ask.push_back(q);
        }
  for (int interleave : {0, 1})
    for (int d : {0, 2, 3})
      for (uint64_t dim : {(uint64_t(1) << 31) + 1, uint64_t(1) << 32}) {
        Question q =
            pixels("im2col, extent " + std::to_string(d), {0, 0, 0, 0}, {0, 0});
        q.job.map.interleave = TmaInterleave(interleave);
        q.job.map.dims[d] = dim;
        ask.push_back(q);
      }
  for (uint64_t stride : {(uint64_t(1) << 40) - 16, uint64_t(1) << 39})
    for (uint64_t dim : {uint64_t(2), uint64_t(1) << 24, uint64_t(1) << 31}) {
      Question q = plain("extent times stride", "u32", 0, 0);
      q.job.map.strides[0] = stride;
      q.job.map.dims[1] = dim;
      q.job.map.box[1] = 1;
      ask.push_back(q);
    }
  printMappings("4. large extents in a copy", ask, pool, true);
}

//===----------------------------------------------------------------------===//
// 6. Negative coordinates of stores
//===----------------------------------------------------------------------===//

void askNegative(const PoolOptions &pool) {
  std::vector<Question> ask;
  for (const char *direction : {"store", "add"})
    for (const char *swizzle : {"none", "128B"})
      for (auto [x, y] : {std::pair<int64_t, int64_t>{0, -1},
                          {0, -3},
                          {0, -4},
                          {0, -100},
                          {0, INT32_MIN},
                          {-4, 0},
                          {-12, 0},
                          {-16, 0},
                          {-400, 0},
                          {-4, -1}}) {
        Question q = plain("negative store", "u32", x, y, direction, swizzle);
        ask.push_back(q);
        if (y < 0) {
          q.note = "negative store, element stride 2";
          q.job.map.elementStrides[1] = 2;
          ask.push_back(q);
        }
      }
  for (std::vector<int64_t> at : {std::vector<int64_t>{0, 0, 0, 0},
                                  {0, -1, 0, 0},
                                  {0, 0, -1, 0},
                                  {0, 0, 0, -1},
                                  {-16, 0, 0, 0},
                                  {0, 5, 0, 0},
                                  {0, 0, 4, 0},
                                  {0, 3, 3, 2},
                                  {16, 3, 3, 2},
                                  {32, 0, 0, 0}})
    ask.push_back(pixels("im2col store", at, {}, true));
  for (int32_t low : {-1, 0, 1})
    for (int32_t up : {-1, 0, 1}) {
      Question q = pixels("im2col store, corners", {0, 1, 1, 0}, {}, true);
      q.job.map.im2col.lower = {low, low, 0};
      q.job.map.im2col.upper = {up, up, 0};
      ask.push_back(q);
    }
  printMappings("6. stores below the tensor", ask, pool, true);
}

} // namespace

int main(int argc, char **argv) {
  Options options = parseOptions(argc, argv);
  std::printf("%s; seed %llu\n", deviceName(options.pool).c_str(),
              static_cast<unsigned long long>(options.seed));
  auto wanted = [&](char group) {
    return options.only.empty() ||
           options.only.find(group) != std::string::npos;
  };
  if (wanted('4'))
    askDriver(options.pool);
  if (wanted('7'))
    askInterleave(options.pool);
  if (wanted('i'))
    askIm2col(options.pool);
  if (wanted('r'))
    askRandom(options.pool, options.seed);
  if (wanted('x'))
    askExtents(options.pool);
  if (wanted('n'))
    askNegative(options.pool);
  if (wanted('9'))
    askReplace(options.pool, options.seed);
  if (wanted('6'))
    askReductions(options.pool);
  if (wanted('5'))
    askValues(options.pool, options.cases);
  if (wanted('2'))
    askAlignment(options.pool);
  return 0;
}
