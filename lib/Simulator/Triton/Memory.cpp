//===- Memory.cpp - global memory as objects, and who touched it last -----===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Memory.h"

#include "llvm/Support/MathExtras.h"

using namespace titan::tt;

static constexpr uint64_t everyone = (uint64_t{1} << 24) - 1;
static constexpr uint32_t atomicLane = 0xFFFFFFFF, severalLanes = 0xFFFFFFFE;

static uint64_t pack(uint64_t program, uint8_t barriers, uint32_t lane) {
  return (program << 40) | (uint64_t{barriers} << 32) | lane;
}
static uint64_t programOf(uint64_t word) { return word >> 40; }
static uint8_t barriersOf(uint64_t word) { return word >> 32; }
static uint32_t laneOf(uint64_t word) { return word; }

Memory::Memory(llvm::ArrayRef<RunArgument> arguments, unsigned unit, bool turns)
    : turns(turns) {
  for (const RunArgument &argument : arguments) {
    Object &object = objects.emplace_back();
    object.name = argument.name;
    object.data = argument.data;
    object.bytes = argument.bytes;
    object.shift = llvm::Log2_32(unit);
    if (!argument.data)
      continue;
    uint64_t units = argument.bytes / unit + 1;
    // Pages of zeros, which nobody has touched, cost nothing.
    object.words.reset(static_cast<std::atomic<uint64_t> *>(
        std::calloc(2 * units, sizeof(uint64_t))));
    if (!object.words)
      llvm::report_bad_alloc_error("the words of an argument");
    if (turns)
      object.clocks = std::make_unique<uint32_t[]>(2 * units);
    if (!argument.written)
      object.written = std::make_unique<uint8_t[]>(units);
  }
}

Fault Memory::touch(Object &object, int64_t offset, unsigned size,
                    Access access, uint32_t lane, const Actor &actor,
                    bool same) {
  const uint64_t me = uint64_t{actor.program} + 1;
  const bool reads = access == Access::Read;
  const bool atomic = access == Access::Atomic || access == Access::AtomicCTA;
  const uint64_t mine =
      pack(me, actor.barriers, access == Access::Atomic ? atomicLane : lane);
  Fault fault;
  const uint64_t first = uint64_t(offset) >> object.shift,
                 last = uint64_t(offset + size - 1) >> object.shift;
  for (uint64_t i = first; i <= last; ++i) {
    std::atomic<uint64_t> &writeWord = object.words[2 * i],
                          &readWord = object.words[2 * i + 1];
    /// Whether what a word says happened is ordered before this access.
    auto ordered = [&](uint64_t word, unsigned which) {
      uint64_t program = programOf(word);
      if (program == 0)
        return true;
      if (program == me) // Another element, and no barrier since.
        return laneOf(word) == lane || laneOf(word) == atomicLane || atomic ||
               barriersOf(word) != actor.barriers ||
               (laneOf(word) == severalLanes && which == 1 && reads);
      if (!actor.seen || program == everyone)
        return false;
      auto it = actor.seen->find(program - 1);
      return it != actor.seen->end() &&
             it->second >= object.clocks[2 * i + which];
    };
    auto race = [&](uint64_t word, bool wrote) {
      if (fault.kind != Fault::Fine)
        return;
      uint64_t program = programOf(word);
      fault = {Fault::Race,
               program == everyone ? -1 : static_cast<int64_t>(program) - 1,
               wrote};
    };
    if (reads) {
      uint64_t old = readWord.load(std::memory_order_relaxed);
      if (old != mine && programOf(old) != everyone) {
        uint64_t next = mine;
        if (programOf(old) == me && barriersOf(old) == actor.barriers &&
            laneOf(old) != lane)
          next = pack(me, actor.barriers, severalLanes);
        else if (programOf(old) != 0 && programOf(old) != me &&
                 !ordered(old, 1))
          next = pack(everyone, 0, severalLanes);
        if (next != old) {
          old = readWord.exchange(next);
          // Somebody came between.
          if (programOf(old) != 0 && programOf(old) != me &&
              programOf(next) == me && !ordered(old, 1))
            readWord.store(pack(everyone, 0, severalLanes));
        }
      }
      if (turns)
        object.clocks[2 * i + 1] = actor.clock;
      uint64_t writer = writeWord.load();
      if (!ordered(writer, 0))
        race(writer, true);
      if (object.written && !object.written[i] && fault.kind == Fault::Fine)
        fault.kind = Fault::Unwritten;
      continue;
    }
    uint64_t next = mine;
    uint64_t before = writeWord.load(std::memory_order_relaxed);
    bool joined = access == Access::Atomic && laneOf(before) == atomicLane &&
                  programOf(before) != 0 && programOf(before) != me;
    if (joined && !ordered(before, 0))
      next = pack(everyone, 0, atomicLane);
    uint64_t writer = writeWord.exchange(next);
    // Atomics on both sides are no race.
    if (!(access == Access::Atomic && laneOf(writer) == atomicLane) &&
        !(same && programOf(writer) == me) && !ordered(writer, 0))
      race(writer, true);
    uint64_t reader = readWord.load();
    if (!ordered(reader, 1))
      race(reader, false);
    if (turns)
      object.clocks[2 * i] = actor.clock;
    if (atomic && object.written && !object.written[i] &&
        fault.kind == Fault::Fine)
      fault.kind = Fault::Unwritten;
    if (object.written)
      object.written[i] = 1;
  }
  return fault;
}
