//===- Fuzz.cpp - Random copies: hardware against the function ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each case is a legal tensor map and a legal copy. After the copy every byte
// of the shared window (image, guards, pitch gaps) and of the tensor's memory
// (guards, padding) has to be what TmaTransfer and reduceElement say, and the
// barrier has to have counted the bytes that they say.
//
//===----------------------------------------------------------------------===//
#include "Cases.h"
#include "Options.h"

#include <array>
#include <map>

using namespace titan;
using namespace titan::hw;

namespace {

enum Result {
  NotRun,
  Equal,
  SharedDiffers,
  GlobalDiffers,
  Bytes,
  Refused,
  Fault
};
constexpr int results = 7;
constexpr const char *resultNames[] = {
    "not run", "equal",   "shared differs", "global differs",
    "bytes",   "refused", "fault"};

struct Record {
  uint8_t kind, direction, reduction, rank, result;
  bool strided, swizzled, tail, argument, ours;
};

/// The first byte that differs; the size if none does.
size_t difference(const std::vector<uint8_t> &a,
                  const std::vector<uint8_t> &b) {
  size_t i = 0;
  while (i < a.size() && a[i] == b[i])
    ++i;
  return i;
}

} // namespace

int main(int argc, char **argv) {
  Options options = parseOptions(argc, argv);
  std::string device = deviceName(options.pool);
  std::printf("%s; seed %llu, %zu cases\n", device.c_str(),
              static_cast<unsigned long long>(options.seed), options.cases);
  SharedArray<Record> records(options.cases);
  SharedArray<std::atomic<int>> shown(1);
  int died = forAll(options.cases, options.pool, [&](Device &device, size_t i) {
    Random random(options.seed, i);
    int64_t of10 = random.between(0, 9);
    Kind kind = of10 < 6   ? Kind::Tiled
                : of10 < 8 ? Kind::Interleaved
                           : Kind::Im2col;
    Case test = makeCase(random, kind, device);
    const Job &job = test.job;
    Memory memory{std::vector<uint8_t>(test.shared),
                  std::vector<uint8_t>(test.global)};
    fill(random, *job.map.type, memory.shared);
    fill(random, *job.map.type, memory.global);
    Memory before = memory, want = memory;
    Prediction said = predict(job.map, job.copy, device, want);
    Outcome outcome = device.run(job, memory);

    Record &record = records[i];
    record.kind = static_cast<uint8_t>(kind);
    record.direction = static_cast<uint8_t>(job.copy.direction);
    record.rank = static_cast<uint8_t>(job.map.rank);
    for (int d = 1; d < job.map.rank; ++d)
      record.strided |= job.map.elementStrides[d] > 1;
    record.swizzled = job.map.swizzle->span != 0;
    record.tail = job.copy.direction != TmaDirection::Load &&
                  storeTailBytes(job.map) != 0;
    record.argument = !job.mapInGlobal;
    record.ours = job.bits.has_value();
    size_t s = difference(memory.shared, want.shared);
    size_t g = difference(memory.global, want.global);
    record.result = outcome.refused          ? Refused
                    : outcome.error          ? Fault
                    : s < want.shared.size() ? SharedDiffers
                    : g < want.global.size() ? GlobalDiffers
                    : !outcome.counted       ? Bytes
                                             : Equal;
    if (record.result != Equal && shown[0].fetch_add(1) < 40) {
      std::string text = describe(job.map, job.copy, device);
      if (record.result == SharedDiffers) {
        text += " | shared +" + std::to_string(s);
        for (size_t k = s & ~size_t(3); k < (s & ~size_t(3)) + 4; ++k) {
          char line[64];
          std::snprintf(line, sizeof line, " %02x(want %02x, was %02x)",
                        memory.shared[k], want.shared[k], before.shared[k]);
          text += line;
        }
      } else if (record.result == GlobalDiffers) {
        text += " | global +" + std::to_string(g);
        size_t element = job.map.type->bits / 8, at = g / element * element;
        for (size_t k = at; k < at + element; ++k) {
          char line[64];
          std::snprintf(line, sizeof line, " %02x(want %02x, was %02x)",
                        memory.global[k], want.global[k], before.global[k]);
          text += line;
        }
      } else if (record.result == Fault || record.result == Refused) {
        text += " | error " + std::to_string(outcome.error);
      } else {
        text += " | expected " + std::to_string(said.transaction) + " bytes";
      }
      std::printf("case %zu: %s: %s\n", i, resultNames[record.result],
                  text.c_str());
      std::fflush(stdout);
    }
    return record.result != Fault;
  });

  std::map<std::string, std::array<size_t, results>> table;
  std::array<size_t, results> total{};
  size_t strided = 0, swizzled = 0, tails = 0, arguments = 0, ours = 0;
  const char *directions[] = {"load", "store", "reduce"};
  for (size_t i = 0; i < options.cases; ++i) {
    const Record &r = records[i];
    ++total[r.result];
    if (r.result == NotRun)
      continue;
    ++table[std::string(name(Kind(r.kind))) + " " + directions[r.direction] +
            " rank " + std::to_string(r.rank)][r.result];
    strided += r.strided;
    swizzled += r.swizzled;
    tails += r.tail;
    arguments += r.argument;
    ours += r.ours;
  }
  std::string json =
      "{\n  \"device\": \"" + device +
      "\",\n  \"seed\": " + std::to_string(options.seed) +
      ",\n  \"cases\": " + std::to_string(options.cases) +
      ",\n  \"processes that died\": " + std::to_string(died) +
      ",\n  \"with element strides\": " + std::to_string(strided) +
      ",\n  \"with a swizzle\": " + std::to_string(swizzled) +
      ",\n  \"stores and reductions with ragged rows\": " +
      std::to_string(tails) +
      ",\n  \"maps as kernel arguments\": " + std::to_string(arguments) +
      ",\n  \"maps by encodeDescriptor\": " + std::to_string(ours) +
      ",\n  \"outcomes\": {\n";
  auto line = [&](const std::string &name,
                  const std::array<size_t, results> &counts) {
    json += "    \"" + name + "\": {";
    bool first = true;
    for (int r = 0; r < results; ++r)
      if (counts[r]) {
        json += std::string(first ? "" : ", ") + "\"" + resultNames[r] +
                "\": " + std::to_string(counts[r]);
        first = false;
      }
    json += "}";
  };
  for (const auto &[name, counts] : table) {
    line(name, counts);
    json += ",\n";
  }
  line("all", total);
  json += "\n  }\n}\n";
  std::fputs(json.c_str(), stdout);
  if (!options.json.empty())
    if (FILE *file = std::fopen(options.json.c_str(), "w")) {
      std::fputs(json.c_str(), file);
      std::fclose(file);
    }
  return total[Equal] == options.cases ? 0 : 1;
}
