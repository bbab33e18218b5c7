//===- Mapping.cpp - Where each byte of a copy came from ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mapping.h"

#include <cstdio>
#include <cstring>

using namespace titan;
using namespace titan::hw;

static constexpr size_t most = 32512;
static constexpr uint8_t untouched = 0xEE;

Mapped titan::hw::mapping(const Question &question, Device &device) {
  Mapped result;
  Job job = question.job;
  int64_t tensor = static_cast<int64_t>(job.map.address);
  int64_t image = job.copy.shared;
  job.map.address += device.globalBase();
  job.copy.shared += device.sharedBase();
  job.count = Count::Raw;
  bool load = job.copy.direction == TmaDirection::Load;
  std::vector<uint16_t> from(most);
  for (int pass = 0; pass < 2; ++pass) {
    Memory memory{std::vector<uint8_t>(most, untouched),
                  std::vector<uint8_t>(most, untouched)};
    auto &source = load ? memory.global : memory.shared;
    const auto &destination = load ? memory.shared : memory.global;
    for (size_t i = 0; i < most; ++i)
      source[i] = static_cast<uint8_t>(i >> (8 * pass));
    result.outcome = device.run(job, memory);
    if (result.outcome.error)
      return result;
    for (size_t i = 0; i < most; ++i)
      from[i] |= static_cast<uint16_t>(destination[i] << (8 * pass));
  }
  int64_t there = load ? tensor : image, here = load ? image : tensor;
  auto kind = [&](size_t i) {
    return from[i] == 0xEEEE                        ? '-'
           : from[i] == 0                           ? 'z'
           : from[i] == 0x7F7F || from[i] == 0xF7F7 ? 'n'
                                                    : 'd';
  };
  for (size_t i = 0; i < most;) {
    size_t end = i + 1;
    while (end < most && kind(end) == kind(i) &&
           (kind(i) != 'd' || from[end] == from[i] + (end - i)))
      ++end;
    if (kind(i) != '-') {
      result.runs += " " + std::to_string(static_cast<int64_t>(i) - here) +
                     ":" + std::to_string(end - i) + "<";
      result.runs += kind(i) == 'd' ? std::to_string(int64_t(from[i]) - there)
                                    : std::string(1, kind(i));
    }
    i = end;
  }
  return result;
}

void titan::hw::printMappings(const char *title,
                              const std::vector<Question> &questions,
                              PoolOptions pool, bool isolate) {
  constexpr size_t room = 24000;
  SharedArray<char> text(questions.size() * room);
  pool.isolate = isolate;
  forAll(questions.size(), pool, [&](Device &device, size_t i) {
    const Question &q = questions[i];
    char *line = &text[i * room];
    Job placed = q.job;
    placed.map.address += device.globalBase();
    placed.copy.shared += device.sharedBase();
    std::string fields = describe(placed.map, placed.copy, device);
    std::snprintf(line, room, "%s | %s | hang", q.note.c_str(), fields.c_str());
    Mapped answer = mapping(q, device);
    const Outcome &o = answer.outcome;
    std::string said =
        o.error ? (o.refused ? "refused " : "error ") + std::to_string(o.error)
                : "tx " + std::to_string(o.raw) + " |" + answer.runs;
    std::snprintf(line, room, "%s | %s | %s", q.note.c_str(), fields.c_str(),
                  said.c_str());
    return o.error == 0 || o.refused;
  });
  std::printf("\n== %s\n", title);
  for (size_t i = 0; i < questions.size(); ++i)
    std::printf("%s\n", text[i * room] ? &text[i * room] : "lost");
  std::fflush(stdout);
}
