//===- Layouts.cpp - Which byte goes where --------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Questions.h"

using namespace titan;
using namespace titan::hw;

Question titan::hw::plain(std::string note, std::string_view type, int64_t x,
                          int64_t y, std::string_view direction,
                          std::string_view swizzle) {
  Question q;
  q.note = std::move(note);
  TensorMap &map = q.job.map;
  map.type = findTmaType(type);
  uint32_t element = map.type->bits / 8;
  map.rank = 2;
  map.swizzle = findTmaSwizzle(swizzle);
  map.address = 4096;
  map.dims = {128 / element, 8, 1, 1, 1};
  map.strides[0] = 160;
  map.box = {64 / element, 4, 1, 1, 1};
  TmaCopy &copy = q.job.copy;
  copy.coords = {x, y};
  copy.shared = 1024;
  if (direction == "load")
    return q;
  copy.direction = TmaDirection::Store;
  if (direction != "store") {
    copy.direction = TmaDirection::Reduce;
    copy.reduction = direction;
  }
  return q;
}

Question titan::hw::pixels(std::string note, std::vector<int64_t> coords,
                           std::vector<int64_t> offsets, bool store) {
  Question q;
  q.note = std::move(note);
  TensorMap &map = q.job.map;
  map.mode = TmaMode::Im2col;
  map.rank = 4;
  map.type = findTmaType("u8");
  map.address = 4096;
  map.dims = {32, 5, 4, 3, 1};
  map.strides = {32, 160, 640};
  map.im2col = {{-1, -1, 0}, {-1, -1, 0}, 16, 8};
  if (store)
    map.im2col = {{0, 0, 0}, {0, 0, 0}, 16, 8};
  q.job.copy.direction = store ? TmaDirection::Store : TmaDirection::Load;
  q.job.copy.coords = std::move(coords);
  q.job.copy.im2colOffsets = std::move(offsets);
  q.job.copy.shared = 1024;
  return q;
}

//===----------------------------------------------------------------------===//
// 7. Interleave
//===----------------------------------------------------------------------===//

void titan::hw::askInterleave(const PoolOptions &pool) {
  std::vector<Question> ask;
  auto base = [](int interleave, const char *type, int swizzle) {
    Question q;
    TensorMap &map = q.job.map;
    map.rank = 3;
    map.type = findTmaType(type);
    map.interleave = TmaInterleave(interleave);
    map.swizzle = &tmaSwizzles()[interleave == 2 ? 1 : swizzle];
    map.address = 4096;
    map.dims = {32, 4, 2, 1, 1};
    map.strides = {1024, 4096};
    map.box = {16, 2, 1, 1, 1};
    q.job.copy.coords = {4, 0, 0};
    q.job.copy.shared = 1024;
    return q;
  };
  for (int interleave : {1, 2})
    for (const char *type : {"u8", "u16", "u32", "u64"}) {
      for (int swizzle = 0; swizzle < (interleave == 1 ? 4 : 1); ++swizzle) {
        Question q = base(interleave, type, swizzle);
        q.note = "type and swizzle";
        ask.push_back(q);
        for (uint32_t inner : {1, 2, 5, 8}) {
          q = base(interleave, type, swizzle);
          q.note = "box[0]";
          q.job.map.box[0] = inner;
          ask.push_back(q);
        }
      }
      for (uint32_t slices : {1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33}) {
        Question q = base(interleave, type, 0);
        q.note = "box[rank-2]";
        q.job.map.box = {4, slices, 1, 1, 1};
        q.job.map.dims[1] = 40;
        q.job.map.strides = {256, 10240};
        ask.push_back(q);
      }
      for (int64_t c : {-17, -1, 1, 2, 3, 4, 8, 15, 16, 17}) {
        Question q = base(interleave, type, 0);
        q.note = "coordinate rank-2";
        q.job.map.box = {4, 4, 1, 1, 1};
        q.job.map.dims[1] = 18;
        q.job.map.strides = {256, 10240};
        q.job.copy.coords = {0, c, 0};
        ask.push_back(q);
      }
      for (int64_t x : {-3, -1, 1, 3, 30, 31, 32}) {
        Question q = base(interleave, type, 0);
        q.note = "coordinate 0";
        q.job.copy.coords[0] = x;
        ask.push_back(q);
      }
      for (uint32_t es : {2, 3, 8}) {
        Question q = base(interleave, type, 0);
        q.note = "element stride 0";
        q.job.map.elementStrides[0] = es;
        ask.push_back(q);
        q.note = "element stride rank-2";
        q.job.map.elementStrides = {1, es, 1, 1, 1};
        q.job.map.box[1] = 9;
        q.job.map.dims[1] = 18;
        q.job.map.strides = {1024, 20480};
        ask.push_back(q);
      }
    }
  for (int swizzle : {0, 2, 3})
    for (uint32_t inner : {4, 16, 32})
      for (uint32_t rows : {1, 3}) {
        Question q = base(2, "u32", 0);
        q.note = "interleave 32B without swizzle 32B";
        q.job.map.swizzle = &tmaSwizzles()[swizzle];
        q.job.map.box = {inner, 1, rows, 1, 1};
        q.job.map.dims[2] = 3;
        ask.push_back(q);
      }
  size_t loads = ask.size();
  for (size_t i = 0; i < loads; ++i) {
    Question q = ask[i];
    q.job.copy.direction = TmaDirection::Store;
    bool negative = false;
    for (int64_t x : q.job.copy.coords)
      negative |= x < 0;
    if (!negative)
      ask.push_back(q);
  }
  printMappings("7. interleave", ask, pool, false);
}

//===----------------------------------------------------------------------===//
// im2col: odd channels, starts outside of the box, offsets out of range
//===----------------------------------------------------------------------===//

void titan::hw::askIm2col(const PoolOptions &pool) {
  std::vector<Question> ask;
  for (bool store : {false, true})
    for (uint32_t channels : {1, 3, 8, 12, 15, 17, 24, 31})
      for (int swizzle : {0, 1, 2, 3}) {
        Question q = pixels(
            "odd channels", {0, 0, 0, 0},
            store ? std::vector<int64_t>{} : std::vector<int64_t>{0, 0}, store);
        q.job.map.im2col.channels = channels;
        q.job.map.swizzle = &tmaSwizzles()[swizzle];
        ask.push_back(q);
      }
  for (int64_t w : {-3, -2, -1, 0, 3, 4, 5, 7})
    for (int64_t h : {-2, -1, 2, 3, 4})
      ask.push_back(pixels("start", {0, w, h, 0}, {0, 0}));
  for (int64_t n : {-2, -1, 2, 3, 100})
    ask.push_back(pixels("image", {0, 0, 0, n}, {0, 0}));
  for (int64_t offset : {0, 1, 2, 5, 128, 255})
    ask.push_back(pixels("offsets", {0, -1, -1, 0}, {offset, 255 - offset}));
  for (int64_t c : {-16, -15, 8, 16, 17, 32})
    ask.push_back(pixels("channel coordinate", {c, 0, 0, 0}, {0, 0}));
  for (int interleave : {1, 2})
    for (uint32_t channels : {8, 16, 32})
      for (bool store : {false, true}) {
        Question q = pixels(
            "im2col interleaved", {0, 0, 0, 0},
            store ? std::vector<int64_t>{} : std::vector<int64_t>{0, 0}, store);
        q.job.map.interleave = TmaInterleave(interleave);
        q.job.map.swizzle = &tmaSwizzles()[interleave == 2];
        q.job.map.im2col.channels = channels;
        ask.push_back(q);
        q.job.map.rank = 5;
        q.job.map.dims = {6, 5, 4, 3, 2};
        q.job.map.strides = {192, 960, 3840, 11520};
        q.job.copy.coords.push_back(0);
        if (!store)
          q.job.copy.im2colOffsets.push_back(0);
        ask.push_back(q);
      }
  printMappings("im2col: what the model does not say", ask, pool, false);
}

/// Random legal copies of every kind: what unit tests replay.
void titan::hw::askRandom(const PoolOptions &pool, uint64_t seed) {
  std::vector<Question> ask;
  std::unique_ptr<Device> addresses = openMock();
  for (uint64_t i = 0; ask.size() < 900; ++i) {
    Random random(seed + 77, i);
    Case test = makeCase(random, Kind(i % 3), *addresses);
    bool tf32 = test.job.map.type->name.substr(0, 4) == "tf32";
    if (test.job.copy.direction == TmaDirection::Reduce || tf32 ||
        test.global > 30000 || test.shared > 7000)
      continue;
    Question q{std::string("random ") + name(test.kind), test.job};
    q.job.map.address -= addresses->globalBase();
    q.job.copy.shared -= addresses->sharedBase();
    q.job.bits.reset(); // They hold the address.
    ask.push_back(q);
  }
  printMappings("random copies", ask, pool, false);
}
