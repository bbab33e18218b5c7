//===- Values.cpp - What copies do to values, and replaced maps -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Questions.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace titan;
using namespace titan::hw;

//===----------------------------------------------------------------------===//
// 5., 6. Values
//===----------------------------------------------------------------------===//

/// Numbers of a floating-point type at which arithmetic shows its rules.
static std::vector<uint64_t> specials(const TmaType &type) {
  int e = type.name == "bf16" ? 8
          : type.bits == 16   ? 5
          : type.bits == 64   ? 11
                              : 8;
  int m = type.bits - 1 - e;
  uint64_t top = (uint64_t(1) << e) - 1, one = top / 2;
  uint64_t fraction = (uint64_t(1) << m) - 1;
  auto number = [&](uint64_t exponent, uint64_t mantissa) {
    return exponent << m | (mantissa & fraction);
  };
  uint64_t quiet = uint64_t(1) << (m - 1);
  std::vector<uint64_t> list = {
      0,
      1,
      2,
      3,
      fraction,
      fraction - 1,
      quiet,
      number(1, 0),
      number(1, 1),
      number(1, fraction),
      number(2, 0),
      number(2, 1),
      number(one, 0),
      number(one, 1),
      number(one, 2),
      number(one, 3),
      number(one, fraction),
      number(one - 1, fraction),
      number(one - m - 1, 0),
      number(one - m - 1, 1),
      number(one - m, 0),
      number(one + 1, 5),
      number(top - 1, fraction),
      number(top - 1, 0),
      number(top - 2, fraction),
      number(top, 0),
      number(top, 1),
      number(top, quiet),
      number(top, quiet | 1),
      number(top, fraction),
      number(top, quiet - 1),
      number(top, 5 << (m > 8 ? m - 5 : 1)),
  };
  if (type.bits == 32) // Around tf32's last place.
    for (uint64_t low :
         {0x1000, 0x1001, 0x0FFF, 0x3000, 0x5000, 0x2FFF, 0x1FFF})
      for (uint64_t exponent : {uint64_t(0), uint64_t(1), one, top - 1, top})
        list.push_back(number(exponent, low));
  if (type.bits == 32)
    list.insert(list.end(),
                {number(one, 0x7FF000), number(one, 0x7FEFFF),
                 number(top - 1, 0x7FF000), number(top - 1, 0x7FEFFF),
                 number(0, 0x7FF000), number(0, 0x7FEFFF), number(0, 0x1800)});
  size_t count = list.size();
  for (size_t i = 0; i < count; ++i)
    list.push_back(list[i] | uint64_t(1) << (type.bits - 1));
  return list;
}

/// Zeros, the least and the largest subnormal, 1, infinities, NaN.
static bool telling(const TmaType &type, uint64_t value) {
  std::vector<uint64_t> all = specials(type);
  size_t count = all.size() / 2;
  for (size_t i : {0, 1, 4, 12, 25, 26, 27, 29})
    for (size_t sign : {size_t(0), count})
      if (i < count && all[i + sign] == value)
        return true;
  return false;
}

/// Runs `operation` ("load", "store", a reduction) over all pairs; result in
/// place of old. Sizes: any number of elements.
static bool overElements(Device &device, const TmaType &type,
                         std::string_view operation, std::vector<uint64_t> &old,
                         const std::vector<uint64_t> &source) {
  size_t element = type.bits / 8;
  uint32_t columns = 256, rows = 16;
  for (size_t at = 0; at < source.size(); at += columns * rows) {
    size_t n = std::min<size_t>(columns * rows, source.size() - at);
    Job job;
    TensorMap &map = job.map;
    map.rank = 2;
    map.type = &type;
    map.address = device.globalBase() + 1024;
    map.dims = {columns, rows, 1, 1, 1};
    map.strides[0] = columns * element;
    map.box = {columns, rows, 1, 1, 1};
    job.copy.coords = {0, 0};
    job.copy.shared = device.sharedBase();
    bool load = operation == "load";
    job.copy.direction = load                   ? TmaDirection::Load
                         : operation == "store" ? TmaDirection::Store
                                                : TmaDirection::Reduce;
    job.copy.reduction = operation;
    size_t bytes = columns * rows * element;
    job.expect = static_cast<uint32_t>(bytes);
    Memory memory{std::vector<uint8_t>(bytes),
                  std::vector<uint8_t>(bytes + 2048)};
    for (size_t i = 0; i < n; ++i) {
      uint8_t *global = &memory.global[1024 + i * element];
      uint8_t *shared = &memory.shared[i * element];
      std::memcpy(load ? shared : global, &old[at + i], element);
      std::memcpy(load ? global : shared, &source[at + i], element);
    }
    Outcome outcome = device.run(job, memory);
    if (outcome.error)
      return false;
    for (size_t i = 0; i < n; ++i) {
      old[at + i] = 0;
      std::memcpy(&old[at + i],
                  load ? &memory.shared[i * element]
                       : &memory.global[1024 + i * element],
                  element);
    }
  }
  return true;
}

/// Reductions: which pairs of operation and type run.
void titan::hw::askReductions(PoolOptions pool) {
  struct Pair {
    const TmaReduction *row;
    const TmaType *type;
  };
  std::vector<Pair> pairs;
  for (const TmaReduction &row : tmaReductions())
    for (const TmaType &type : tmaTypes())
      if (!type.needs)
        pairs.push_back({&row, &type});
  SharedArray<int> runs(pairs.size());
  pool.isolate = true;
  forAll(pairs.size(), pool, [&](Device &device, size_t i) {
    runs[i] = -1;
    Question q = plain("", pairs[i].type->name, 0, 0, pairs[i].row->op);
    q.job.map.address += device.globalBase();
    q.job.copy.shared += device.sharedBase();
    Memory memory{std::vector<uint8_t>(2048, 1), std::vector<uint8_t>(8192, 1)};
    runs[i] = device.run(q.job, memory).error + 1;
    return true;
  });
  std::printf("\n== 6. reductions: 0 runs, else the error (-1: no answer)\n");
  for (size_t i = 0; i < pairs.size(); ++i) {
    int error = runs[i] > 0 ? runs[i] - 1 : -1;
    bool listed = hasTmaReduction(pairs[i].row->op, pairs[i].type->name);
    std::printf("%s %s %d%s\n", std::string(pairs[i].row->op).c_str(),
                std::string(pairs[i].type->name).c_str(), error,
                (error == 0) == listed ? "" : " DIFFERS from the table");
  }
  std::fflush(stdout);
}

void titan::hw::askValues(const PoolOptions &pool, size_t random) {
  // NaN fill: a box outside of the tensor.
  constexpr size_t room = 1 << 20;
  std::vector<const TmaType *> floats;
  for (const TmaType &type : tmaTypes())
    if (type.nanFill)
      floats.push_back(&type);
  SharedArray<uint64_t> nan(floats.size());
  PoolOptions one = pool;
  one.isolate = true;
  forAll(floats.size(), one, [&](Device &device, size_t i) {
    Question q = plain("", floats[i]->name, 0, 100);
    q.job.map.nanFill = true;
    q.job.map.address += device.globalBase();
    q.job.copy.shared += device.sharedBase();
    q.job.expect = 256;
    Memory memory{std::vector<uint8_t>(2048), std::vector<uint8_t>(8192)};
    if (!device.run(q.job, memory).error)
      std::memcpy(&nan[i], &memory.shared[1024], 8);
    return true;
  });
  std::printf("\n== 5. NaN fill: eight bytes of a filled box\n");
  for (size_t i = 0; i < floats.size(); ++i)
    std::printf("%s %016llx\n", std::string(floats[i]->name).c_str(),
                static_cast<unsigned long long>(nan[i]));

  // Values: every pair of special numbers, then random ones.
  struct Run {
    std::string operation;
    const TmaType *type;
  };
  std::vector<Run> list;
  for (const TmaType *type : floats) {
    list.push_back({"load", type});
    list.push_back({"store", type});
  }
  for (const TmaReduction &row : tmaReductions())
    for (const TmaType &type : tmaTypes())
      if (hasTmaReduction(row.op, type.name))
        list.push_back({std::string(row.op), &type});
  SharedArray<char> text(list.size() * room);
  forAll(list.size(), pool, [&](Device &device, size_t k) {
    const auto &[operation, type] = list[k];
    char *out = &text[k * room];
    size_t used = 0;
    auto say = [&](const char *format, auto... values) {
      if (used + 200 < room)
        used += std::snprintf(out + used, 200, format, values...);
    };
    bool copies = operation == "load" || operation == "store";
    bool isFloat = type->nanFill, tf32 = type->name.substr(0, 4) == "tf32";
    std::vector<uint64_t> old, source, special = specials(*type);
    Random numbers(7, k);
    auto someNumbers = [&](size_t count) {
      std::vector<uint8_t> bytes(count * type->bits / 8);
      fill(numbers, *type, bytes);
      std::vector<uint64_t> made(count);
      for (size_t i = 0; i < count; ++i)
        std::memcpy(&made[i], &bytes[i * type->bits / 8], type->bits / 8);
      return made;
    };
    if (!isFloat)
      special = {0,
                 1,
                 2,
                 0x7F,
                 0x80,
                 0x7FFFFFFF,
                 0x80000000,
                 0xFFFFFFFF,
                 uint64_t(1) << 63,
                 ~uint64_t(0),
                 ~uint64_t(0) >> 1};
    if (copies) {
      source = special;
      old.assign(source.size(), 0);
    } else {
      for (uint64_t a : special)
        for (uint64_t b : special) {
          old.push_back(a);
          source.push_back(b);
        }
    }
    size_t table = old.size();
    auto more = someNumbers(random), others = someNumbers(random);
    // Near each other, so that sums cancel and minima are close.
    for (size_t i = 0; i < random / 4; ++i)
      others[i] = more[i] ^ (i % 2 ? uint64_t(1) << (type->bits - 1) : 0) ^
                  numbers.bits() % 4;
    old.insert(old.end(), more.begin(), more.end());
    source.insert(source.end(), others.begin(), others.end());
    std::vector<uint64_t> result = old;
    if (!overElements(device, *type, operation, result, source)) {
      say("%s", "the copy failed\n");
      return false;
    }
    size_t wrong = 0;
    uint64_t mask =
        type->bits == 64 ? ~uint64_t(0) : (uint64_t(1) << type->bits) - 1;
    for (size_t i = 0; i < result.size(); ++i) {
      uint64_t want = source[i] & mask;
      if (operation == "load" && tf32)
        want = roundToTf32(static_cast<uint32_t>(want));
      if (!copies)
        want =
            reduceElement(operation, *type, old[i], source[i]).value_or(~want);
      if (want == result[i])
        continue;
      if (wrong++ < 60)
        say("  differs: old %llx source %llx gives %llx, we say %llx\n",
            (unsigned long long)(old[i] & mask),
            (unsigned long long)(source[i] & mask),
            (unsigned long long)result[i], (unsigned long long)want);
    }
    say("  %zu of %zu differ from lib/Domain\n", wrong, result.size());
    // What a unit test replays: a part of the special numbers.
    for (size_t i = 0; isFloat && i < table; ++i)
      if (copies ? tf32 : telling(*type, old[i]) && telling(*type, source[i]))
        say("  t %llx %llx %llx\n", (unsigned long long)(old[i] & mask),
            (unsigned long long)(source[i] & mask),
            (unsigned long long)result[i]);
    return true;
  });
  std::printf("\n== 5., 6. values: old, source, result\n");
  for (size_t k = 0; k < list.size(); ++k)
    std::printf("%s %s\n%s", list[k].operation.c_str(),
                std::string(list[k].type->name).c_str(), &text[k * room]);
  std::fflush(stdout);
}

//===----------------------------------------------------------------------===//
// 9. tensormap.replace, bulk copies
//===----------------------------------------------------------------------===//

void titan::hw::askReplace(PoolOptions pool, uint64_t seed) {
  constexpr int rounds = 500, steps = 40;
  SharedArray<std::array<int, 3>> said(rounds);
  forAll(rounds, pool, [&](Device &device, size_t i) {
    Random random(seed, 1000 + i);
    TmaDescriptor bits, want;
    for (uint8_t &b : bits)
      b = static_cast<uint8_t>(i % 2 ? random.bits() : 0);
    want = bits;
    std::vector<Device::Replace> list;
    for (int n = 0; n < steps; ++n) {
      auto field = static_cast<TmaField>(random.pick<int>(
          {0, 1, 2, 3, 4, 5, 6, 7, 8, 10})); // No atomicity on sm_90a.
      int ordinal = 0;
      uint64_t value = random.bits() >> random.between(0, 63);
      if (field == TmaField::BoxDim || field == TmaField::GlobalDim ||
          field == TmaField::ElementStride)
        ordinal = static_cast<int>(random.between(0, 4));
      if (field == TmaField::GlobalStride)
        ordinal = static_cast<int>(random.between(0, 3));
      if (field == TmaField::ElemType)
        value = random.between(0, 12);
      if (field == TmaField::Interleave)
        value = random.between(0, 2);
      if (field == TmaField::SwizzleMode)
        value = random.between(0, 3);
      if (field == TmaField::FillMode)
        value = random.between(0, 1);
      list.push_back({field, ordinal, value});
      replaceField(want, field, ordinal, value);
    }
    said[i][0] = device.replace(bits, list);
    said[i][1] = bits == want;
    return said[i][0] == 0;
  });
  int equal = 0;
  for (int i = 0; i < rounds; ++i)
    equal += said[i][1];
  std::printf("\n== 9. tensormap.replace\n%d of %d maps equal after %d random "
              "replacements each\n",
              equal, rounds, steps);

  struct Load {
    const char *what, *type;
    std::vector<Device::Replace> steps;
    uint32_t value;
  };
  // A map of tf32 whose type is replaced by f32; and one whose extent 0 is 0.
  const std::vector<Load> loads = {
      {"tf32", "tf32", {}, 0x3F801FFF},
      {"tf32 replaced by f32",
       "tf32",
       {{TmaField::ElemType, 0, 7}},
       0x3F801FFF},
      {"tf32 replaced by u32",
       "tf32",
       {{TmaField::ElemType, 0, 2}},
       0x3F801FFF},
      {"tf32 replaced by f16",
       "tf32",
       {{TmaField::ElemType, 0, 6}},
       0x3F801FFF},
      {"tf32 replaced by f32.ftz",
       "tf32",
       {{TmaField::ElemType, 0, 8}},
       0x3F801FFF},
      {"u32", "u32", {}, 0x3F801FFF},
      {"u32 replaced by tf32",
       "u32",
       {{TmaField::ElemType, 0, 11}},
       0x3F801FFF},
      {"global_dim[1] replaced by 0, row 7 of 2^32",
       "u32",
       {{TmaField::GlobalDim, 1, 0}},
       0x3F800000},
      {"global_dim[1] replaced by 3, row 7 outside",
       "u32",
       {{TmaField::GlobalDim, 1, 3}},
       0x3F800000},
      {"global_dim[0] replaced by 0",
       "u32",
       {{TmaField::GlobalDim, 0, 0}},
       0x3F800000},
      {"box_dim[0] replaced by 0 (256): rows of 1024 bytes",
       "u32",
       {{TmaField::BoxDim, 0, 0}, {TmaField::GlobalDim, 0, 256}},
       0x3F800000},
      {"element_stride[1] replaced by 0 (8)",
       "u32",
       {{TmaField::ElementStride, 1, 0}, {TmaField::GlobalDim, 1, 8}},
       0x3F800000}};
  SharedArray<std::array<int64_t, 4>> got(loads.size());
  pool.isolate = true;
  forAll(loads.size(), pool, [&](Device &device, size_t i) {
    Question q = plain("", loads[i].type, 0, 7);
    q.job.map.address += device.globalBase();
    q.job.copy.shared += device.sharedBase();
    TmaDescriptor bits;
    device.encode(q.job.map, bits);
    if (!loads[i].steps.empty())
      device.replace(bits, loads[i].steps);
    q.job.bits = bits;
    q.job.mapInGlobal = true;
    q.job.count = Count::Raw;
    Memory memory{std::vector<uint8_t>(8192, 0xEE),
                  std::vector<uint8_t>(16384)};
    for (size_t k = 0; k < memory.global.size(); k += 4)
      std::memcpy(&memory.global[k], &loads[i].value, 4);
    Outcome outcome = device.run(q.job, memory);
    uint32_t word;
    std::memcpy(&word, &memory.shared[1024], 4);
    got[i] = {outcome.error, outcome.raw, word,
              std::count(memory.shared.begin(), memory.shared.end(), 0xEE)};
    return true;
  });
  for (size_t i = 0; i < loads.size(); ++i)
    std::printf("%s: error %lld, tx %lld, first word %llx of %x, %lld bytes "
                "untouched\n",
                loads[i].what, (long long)got[i][0], (long long)got[i][1],
                (long long)got[i][2], loads[i].value, (long long)got[i][3]);

  const std::vector<uint32_t> sizes = {
      16, 48, 24, 65536, 1 << 20, (1 << 20) + 32, (1 << 20) + 40, 0};
  SharedArray<Device::Bulk> bulk(sizes.size());
  forAll(sizes.size(), pool, [&](Device &device, size_t i) {
    bulk[i] = {-1, 0, 0};
    bulk[i] = device.bulk(sizes[i]);
    return true;
  });
  for (size_t i = 0; i < sizes.size(); ++i)
    std::printf("cp.async.bulk of %u bytes: error %d, %lld bytes changed, %lld "
                "counted\n",
                sizes[i], bulk[i].error, (long long)bulk[i].changed,
                (long long)bulk[i].counted);
  std::fflush(stdout);
}
