//===- Refuse.cpp - What we refuse, and what becomes of it ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 1. Random maps, half of them broken somewhere: the driver's encoder and
//    validate() have to agree on each.
// 2. --cases random maps that validate() refuses, and a tenth as many legal
// maps
//    with copies that validateCopy() refuses: each is refused by the driver, or
//    faults, or does not do what the formulas of Tma.h say when nobody checks
//    them.
//
//===----------------------------------------------------------------------===//
#include "Cases.h"
#include "Options.h"

#include <cstring>
#include <map>
#include <numeric>

using namespace titan;
using namespace titan::hw;

namespace {

const TargetInfo &h200 = targetInfo(TargetId::Sm90a);

/// Changes one field of a map to something on or past an edge.
void breakMap(Random &random, TensorMap &map) {
  int d = static_cast<int>(random.between(0, std::clamp(map.rank, 1, 5) - 1));
  TmaIm2col &m = map.im2col;
  bool tiled = map.mode == TmaMode::Tiled;
  switch (random.between(0, tiled ? 10 : 14)) {
  case 0:
    map.rank = static_cast<int>(random.between(0, 6));
    return;
  case 1:
    map.address += random.pick<uint64_t>({1, 2, 4, 8, 16, 24});
    return;
  case 2:
    map.dims[d] = random.pick<uint64_t>({0, 1, 2, uint64_t(1) << 32,
                                         (uint64_t(1) << 32) + 1,
                                         uint64_t(1) << 33, uint64_t(1) << 40});
    return;
  case 3:
    if (d > 0)
      map.strides[d - 1] = random.pick<uint64_t>(
          {0, 1, 8, 16, 24, 32, 48, uint64_t(1) << 40, (uint64_t(1) << 40) - 16,
           (uint64_t(1) << 40) - 32, (uint64_t(1) << 41) + 16,
           (uint64_t(1) << 39) + 8, map.strides[d - 1] + 4});
    return;
  case 4:
    map.box[d] = random.pick<uint32_t>({0, 1, 2, 255, 256, 257, 512, 100000});
    return;
  case 5:
    map.box[0] = static_cast<uint32_t>(random.between(1, 260));
    return;
  case 6:
    map.elementStrides[d] = random.pick<uint32_t>({0, 1, 8, 9, 16, 1000});
    return;
  case 7:
    map.type = &tmaTypes()[random.between(0, 15)];
    return;
  case 8:
    map.swizzle = &tmaSwizzles()[random.between(0, 6)];
    return;
  case 9:
    map.interleave = TmaInterleave(random.between(0, 2));
    return;
  case 10:
    map.nanFill = !map.nanFill;
    return;
  case 11:
    m.channels =
        random.pick<uint32_t>({0, 1, 3, 16, 17, 64, 128, 255, 256, 257});
    return;
  case 12:
    m.pixels = random.pick<uint32_t>({0, 1, 1023, 1024, 1025, 5000});
    return;
  default: {
    int32_t corner =
        random.pick<int32_t>({-40000, -32769, -32768, -129, -128, -17, -16, -1,
                              0, 5, 15, 16, 127, 128, 32767, 32768, 40000});
    (random.oneIn(2) ? m.lower : m.upper)[random.between(0, 2)] = corner;
  }
  }
}

/// A map that validate() accepts or that is broken once or twice.
TensorMap someMap(Random &random, const Device &device) {
  Kind kind = Kind(random.between(0, kinds - 1));
  TensorMap map = makeCase(random, kind, device).job.map;
  for (int64_t n = random.between(0, 3); n > 1; --n)
    breakMap(random, map);
  if (random.oneIn(4))
    breakMap(random, map);
  return map;
}

/// Makes a legal copy illegal, if that can be.
void breakCopy(Random &random, Case &test) {
  TensorMap &map = test.job.map;
  TmaCopy &copy = test.job.copy;
  bool load = copy.direction == TmaDirection::Load;
  switch (random.between(0, 3)) {
  case 0:
    copy.coords[0] += random.between(1, 15);
    return;
  case 1:
    copy.shared += random.pick<int64_t>({8, 16, 32, 48, 64, 96});
    return;
  case 2:
    if (!load) {
      int d = static_cast<int>(random.between(0, map.rank - 1));
      int64_t unit = d == 0 ? 128 / map.type->bits : 1;
      copy.coords[d] = -unit * random.between(1, 4);
    } else if (map.mode == TmaMode::Im2col) {
      int d = static_cast<int>(random.between(1, map.rank - 2));
      int64_t high =
          static_cast<int64_t>(map.dims[d]) - 1 + map.im2col.upper[d - 1];
      copy.coords[d] = random.oneIn(2)
                           ? map.im2col.lower[d - 1] - random.between(1, 3)
                           : high + random.between(1, 3);
    }
    return;
  case 3:
    if (copy.direction == TmaDirection::Reduce)
      map.type = &tmaTypes()[random.between(0, 12)];
    else if (!load && map.mode == TmaMode::Im2col)
      (random.oneIn(2) ? map.im2col.lower[0] : map.im2col.upper[0]) =
          static_cast<int32_t>(random.between(-2, 2));
    return;
  }
}

/// Moves the copy's start into the tensor, so that something is moved: a box
/// wholly outside does not notice a map that it could not use.
void startInside(Case &test) {
  const TensorMap &map = test.job.map;
  bool im2col = map.mode == TmaMode::Im2col;
  int first = map.interleave == TmaInterleave::None ? 1 : 0;
  for (size_t d = 0; d < test.job.copy.coords.size(); ++d) {
    int k = static_cast<int>(d) - first;
    bool spatial = im2col && k >= 0 && k < map.rank - 2 && k < 3;
    test.job.copy.coords[d] = spatial ? std::max(map.im2col.lower[k], 0) : 0;
  }
}

/// The formulas of Tma.h, element by element, without a check. False where they
/// say nothing.
bool formulas(const TensorMap &map, const TmaCopy &copy, const Device &device,
              Memory &memory) {
  if (map.interleave != TmaInterleave::None ||
      (copy.direction == TmaDirection::Reduce &&
       !hasTmaReduction(copy.reduction, map.type->name)))
    return false;
  bool load = copy.direction == TmaDirection::Load;
  bool im2col = map.mode == TmaMode::Im2col;
  bool tf32 = map.type->name.substr(0, 4) == "tf32";
  int64_t element = map.type->bits / 8, n[5] = {1, 1, 1, 1, 1};
  int64_t rows = im2col ? map.im2col.pixels : 1;
  n[0] = im2col ? map.im2col.channels : map.box[0];
  for (int d = 1; d < map.rank && !im2col; ++d) {
    n[d] = (map.box[d] + map.elementStrides[d] - 1) / map.elementStrides[d];
    rows *= n[d];
  }
  int64_t pitch = map.swizzle->span ? map.swizzle->span : n[0] * element;
  std::array<int64_t, 5> cursor{};
  std::copy(copy.coords.begin(), copy.coords.end(), cursor.begin());
  Memory after = memory;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t address = static_cast<int64_t>(map.address), rest = row;
    bool inside = true;
    for (int d = 1; d < map.rank; ++d) {
      int64_t g = cursor[d];
      if (im2col && d < map.rank - 1 && load)
        g += copy.im2colOffsets[d - 1];
      if (!im2col) {
        g = copy.coords[d] + rest % n[d] * map.elementStrides[d];
        rest /= n[d];
      }
      inside = inside && g >= 0 && g < static_cast<int64_t>(map.dims[d]);
      address += g * static_cast<int64_t>(map.strides[d - 1]);
    }
    for (int64_t i = 0; i < n[0]; ++i) {
      auto within = [&](int64_t x) {
        return inside && x >= 0 && x < static_cast<int64_t>(map.dims[0]);
      };
      int64_t x = copy.coords[0] + i, perChunk = 16 / element;
      bool moves = within(x);
      for (int64_t k = 0; k < perChunk && !load; ++k)
        moves = moves || within(x - i % perChunk + k);
      size_t s =
          static_cast<size_t>(map.swizzle->apply(static_cast<uint32_t>(
                                  copy.shared + row * pitch + i * element)) -
                              device.sharedBase());
      int64_t g =
          address + x * element - static_cast<int64_t>(device.globalBase());
      if (s + element > memory.shared.size() ||
          (moves &&
           (g < 0 || g + element > static_cast<int64_t>(memory.global.size()))))
        return false;
      if (load && !moves)
        for (int64_t b = 0; b < element; ++b)
          after.shared[s + b] = map.nanFill ? (b % 2 ? 0x7F : 0xF7) : 0;
      if (!moves)
        continue;
      if (copy.direction == TmaDirection::Reduce) {
        uint64_t old = 0, source = 0;
        std::memcpy(&old, &memory.global[g], element);
        std::memcpy(&source, &memory.shared[s], element);
        auto value = reduceElement(copy.reduction, *map.type, old, source);
        std::memcpy(&after.global[g], &*value, element);
      } else if (load) {
        std::memcpy(&after.shared[s], &memory.global[g], element);
        uint32_t word;
        std::memcpy(&word, &after.shared[s], 4);
        word = roundToTf32(word);
        if (tf32)
          std::memcpy(&after.shared[s], &word, 4);
      } else {
        std::memcpy(&after.global[g], &memory.shared[s], element);
      }
    }
    if (!im2col)
      continue;
    int d = 1;
    for (; d < map.rank - 1; ++d) {
      cursor[d] += map.elementStrides[d];
      if (cursor[d] <=
          static_cast<int64_t>(map.dims[d]) - 1 + map.im2col.upper[d - 1])
        break;
      cursor[d] = map.im2col.lower[d - 1];
    }
    if (d == map.rank - 1)
      ++cursor[d];
  }
  memory = std::move(after);
  return true;
}

/// Agreement of encoder and validate() on `count` random maps.
std::string compareEncoders(const Options &options, size_t count, bool &good) {
  struct Said {
    uint8_t driver, we;
    char code[32];
    char text[600];
  };
  SharedArray<Said> said(count);
  forAll(count, options.pool, [&](Device &device, size_t i) {
    Random random(options.seed ^ 0xABCDEF, i);
    TensorMap map = someMap(random, device);
    TmaDescriptor bits;
    auto found = validate(map, h200);
    said[i].driver = device.encode(map, bits) != 0;
    said[i].we = !found.empty();
    if (!found.empty())
      std::snprintf(said[i].code, 32, "%s",
                    std::string(codeInfo(found[0].code).code).c_str());
    std::snprintf(said[i].text, 600, "%s",
                  describe(map, TmaCopy{}, device).c_str());
    return true;
  });
  // Every map and the driver's word: another validate() can be held to it.
  if (!options.json.empty())
    if (FILE *file = std::fopen((options.json + ".maps").c_str(), "w")) {
      for (size_t i = 0; i < count; ++i)
        std::fprintf(file, "%s | %s | .\n",
                     said[i].driver ? "refuses" : "accepts", said[i].text);
      std::fclose(file);
    }
  size_t both = 0, none = 0, driverOnly = 0, weOnly = 0;
  std::map<std::string, size_t> codes, shown;
  for (size_t i = 0; i < count; ++i) {
    Said &s = said[i];
    (s.driver ? s.we ? both : driverOnly : s.we ? weOnly : none) += 1;
    if (s.driver && s.we)
      ++codes[s.code];
    if (s.driver != s.we && shown[s.code]++ < 12)
      std::printf("%s: %s\n",
                  s.driver ? "the driver refuses, we accept"
                           : (std::string("we refuse (") + s.code +
                              "), the driver accepts")
                                 .c_str(),
                  s.text);
  }
  std::string json =
      "  \"maps\": {\"both accept\": " + std::to_string(none) +
      ", \"both refuse\": " + std::to_string(both) +
      ", \"only the driver refuses\": " + std::to_string(driverOnly) +
      ", \"only we refuse\": " + std::to_string(weOnly) +
      "},\n  \"maps that both refuse, by our first code\": {";
  bool first = true;
  for (auto &[code, n] : codes) {
    json += std::string(first ? "" : ", ") + "\"" + code +
            "\": " + std::to_string(n);
    first = false;
  }
  good = driverOnly == 0;
  return json + "},\n";
}

enum Result { Lost, Refused, Fault, Wrong, NoModel, Harmless };
constexpr const char *resultNames[] = {"no answer",
                                       "refused by the driver",
                                       "fault",
                                       "wrong data",
                                       "runs, the formulas are silent",
                                       "does what the formulas say"};

} // namespace

int main(int argc, char **argv) {
  Options options = parseOptions(argc, argv);
  std::string name = deviceName(options.pool);
  bool good = true;
  std::string json = "{\n  \"device\": \"" + name +
                     "\",\n  \"seed\": " + std::to_string(options.seed) + ",\n";
  json += compareEncoders(options, 20 * options.cases, good);

  struct Said {
    uint8_t result;
    int error;
    bool map, encoded;
    char code[32];
    char text[600];
  };
  size_t cases = options.cases + options.cases / 10;
  SharedArray<Said> said(cases);
  auto make = [&](Device &device, size_t i) {
    for (uint64_t attempt = 0;; ++attempt) {
      Random random(options.seed, i + (attempt << 32));
      Case test = makeCase(random, Kind(random.between(0, kinds - 1)), device);
      test.job.bits.reset();
      if (i >= options.cases)
        breakCopy(random, test);
      else
        for (int64_t n = random.between(1, 2); n > 0; --n)
          breakMap(random, test.job.map);
      auto found = validate(test.job.map, h200);
      bool map = !found.empty();
      if (map ||
          (test.job.copy.direction == TmaDirection::Reduce &&
           !hasTmaReduction(test.job.copy.reduction, test.job.map.type->name)))
        startInside(test);
      if (!map &&
          test.job.map.rank == static_cast<int>(test.job.copy.coords.size()))
        found = validateCopy(test.job.map, test.job.copy, h200);
      if (found.empty() || map != (i < options.cases))
        continue;
      said[i].map = map;
      std::snprintf(said[i].code, 32, "%s",
                    std::string(codeInfo(found[0].code).code).c_str());
      std::snprintf(said[i].text, 600, "%s",
                    describe(test.job.map, test.job.copy, device).c_str());
      return test;
    }
  };
  // What the driver refuses needs no process of its own.
  forAll(cases, options.pool, [&](Device &device, size_t i) {
    Case test = make(device, i);
    TmaDescriptor bits;
    said[i].error = device.encode(test.job.map, bits);
    said[i].result = said[i].error ? Refused : Lost;
    return true;
  });
  std::vector<size_t> rest;
  for (size_t i = 0; i < cases; ++i)
    if (said[i].result != Refused)
      rest.push_back(i);
  PoolOptions isolated = options.pool;
  isolated.isolate = true;
  isolated.patience = 30;
  forAll(rest.size(), isolated, [&](Device &device, size_t k) {
    size_t i = rest[k];
    Case test = make(device, i);
    Random random(options.seed + 1, i);
    Memory memory{std::vector<uint8_t>(Device::mostShared),
                  std::vector<uint8_t>(test.global + 65536)};
    fill(random, *test.job.map.type, memory.shared);
    fill(random, *test.job.map.type, memory.global);
    Memory want = memory;
    bool known = formulas(test.job.map, test.job.copy, device, want);
    Outcome outcome = device.run(test.job, memory);
    said[i].error = outcome.error;
    bool equal = memory.shared == want.shared && memory.global == want.global;
    said[i].result = outcome.error              ? Fault
                     : !known                   ? NoModel
                     : equal && outcome.counted ? Harmless
                                                : Wrong;
    return true;
  });

  std::map<std::string, std::map<std::string, size_t>> table;
  std::map<std::string, size_t> shown;
  size_t maps = 0;
  for (size_t i = 0; i < cases; ++i) {
    Said &s = said[i];
    maps += s.map;
    std::string outcome = resultNames[s.result];
    if (s.result == Fault || s.result == Refused)
      outcome += " (" + std::to_string(s.error) + ")";
    ++table[std::string(s.map ? "map " : "copy ") + s.code][outcome];
    bool usual = s.error == 715 || s.error == 716; // Illegal, misaligned.
    if (s.result != Refused && !(s.result == Fault && usual) &&
        shown[s.code + outcome]++ < 12)
      std::printf("%s: %s: %s\n", outcome.c_str(), s.code, s.text);
    good =
        good && s.result != Lost && s.result != Harmless && s.result != NoModel;
  }
  json += "  \"refused maps\": " + std::to_string(maps) +
          ",\n  \"refused copies\": " + std::to_string(cases - maps) +
          ",\n  \"outcomes\": {\n";
  bool first = true;
  for (auto &[code, outcomes] : table) {
    json += std::string(first ? "" : ",\n") + "    \"" + code + "\": {";
    first = true;
    for (auto &[outcome, n] : outcomes) {
      json += std::string(first ? "" : ", ") + "\"" + outcome +
              "\": " + std::to_string(n);
      first = false;
    }
    json += "}";
  }
  json += "\n  }\n}\n";
  std::fputs(json.c_str(), stdout);
  if (!options.json.empty())
    if (FILE *file = std::fopen(options.json.c_str(), "w")) {
      std::fputs(json.c_str(), file);
      std::fclose(file);
    }
  return good ? 0 : 1;
}
