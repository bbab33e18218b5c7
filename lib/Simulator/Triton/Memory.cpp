//===- Memory.cpp - global memory as objects, and who touched it last -----===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Memory.h"

#include "llvm/Support/MathExtras.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace titan::tt;

static constexpr uint64_t everyone = (uint64_t{1} << 24) - 1;
static constexpr uint32_t atomicFlag = 1u << 31, ctaFlag = 1u << 30,
                          severalLanes = ctaFlag - 1;

/// Of the word of readers: other elements have read at earlier epochs.
static constexpr uint32_t othersFlag = 1u << 30;
/// Epochs are kept modulo a prime: that a program returns to the same one, and
/// what is long done looks recent, is rare, and hides no race.
static constexpr uint64_t epochs = 251;

static uint64_t pack(uint64_t program, uint64_t epoch, uint32_t lane) {
  return (program << 40) | (epoch % epochs << 32) | lane;
}
static uint64_t programOf(uint64_t word) { return word >> 40; }
/// How many epochs ago, at most, that was.
static uint64_t ageOf(uint64_t word, uint64_t now) {
  return (now % epochs + epochs - (word >> 32 & 0xFF)) % epochs;
}
static uint32_t threadOf(uint64_t word) { return word & severalLanes; }
static uint32_t flagsOf(uint64_t word) { return word & (atomicFlag | ctaFlag); }

/// splitmix64.
static uint64_t poisonOf(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

void titan::tt::fillPoison(std::byte *data, uint64_t bytes, uint64_t seed) {
  for (uint64_t i = 0; 8 * i < bytes; ++i) {
    uint64_t word = poisonOf(seed, i);
    std::memcpy(data + 8 * i, &word, std::min<uint64_t>(8, bytes - 8 * i));
  }
}

/// Which of the 8 bytes from 8 * i nobody has written, a bit for each: those that
/// no launch has, where all of them hold their poison.
static unsigned findUnwritten(const RunObject &from, uint64_t i) {
  const uint64_t size = std::min<uint64_t>(8, from.bytes - 8 * i);
  const uint64_t poison = poisonOf(*from.poison, i);
  const std::byte *data = from.data + 8 * i;
  const uint8_t *map = from.map ? from.map + 8 * i : nullptr;
  if (!map && size == 8)
    return std::memcmp(data, &poison, 8) == 0 ? 0xFF : 0;
  unsigned left = 0;
  for (uint64_t b = 0; b < size; ++b) {
    if (map && map[b])
      continue;
    if (static_cast<uint8_t>(data[b]) != (poison >> 8 * b & 0xFF))
      return 0;
    left |= 1u << b;
  }
  return from.shared && llvm::popcount(left) < 4 ? 0 : left;
}

/// Pages of zeros, which nobody has touched, cost nothing.
static void *getZeros(uint64_t bytes) {
  void *memory = std::calloc(bytes, 1);
  if (!memory)
    llvm::report_bad_alloc_error("the words of an argument");
#ifdef __linux__
  constexpr uint64_t page = uint64_t{1} << 21;
  // Most of what is left of the time of a simple program is page faults.
  uint64_t first = llvm::alignTo(reinterpret_cast<uintptr_t>(memory), page),
           end = llvm::alignDown(reinterpret_cast<uintptr_t>(memory) + bytes,
                                 page);
  if (first < end)
    madvise(reinterpret_cast<void *>(first), end - first, MADV_HUGEPAGE);
#endif
  return memory;
}

Memory::Memory(llvm::ArrayRef<RunObject> given, unsigned unit, bool turns)
    : turns(turns) {
  for (const RunObject &from : given) {
    if (from.hasAddress)
      hosts.emplace_back(reinterpret_cast<uintptr_t>(from.data),
                         objects.size());
    Object &object = objects.emplace_back();
    object.name = from.name;
    object.origin = from.origin;
    object.data = from.data;
    object.bytes = from.bytes;
    object.hasAddress = from.hasAddress;
    object.shift = llvm::Log2_32(unit);
    if (!from.data)
      continue;
    uint64_t units = from.bytes / unit + 1;
    object.words.reset(static_cast<std::atomic<uint64_t> *>(
        getZeros(2 * units * sizeof(uint64_t))));
    if (turns) {
      object.clocks = std::make_unique<uint32_t[]>(2 * units);
      object.sizes = std::make_unique<uint8_t[]>(units);
    }
    if (!from.written)
      object.written = std::make_unique<uint8_t[]>(units);
    for (uint64_t i = 0; from.poison && 8 * i < from.bytes; ++i) {
      const unsigned bytes = findUnwritten(from, i);
      if (!bytes)
        continue;
      if (!object.written) {
        object.written = std::make_unique<uint8_t[]>(units);
        std::memset(object.written.get(), 1, units);
      }
      for (unsigned b = 0; b < 8; ++b)
        if (bytes >> b & 1)
          object.written[(8 * i + b) / unit] = 0;
    }
  }
  llvm::sort(hosts);
}

void Memory::keepWritten(llvm::ArrayRef<RunObject> given) const {
  for (auto [from, object] : llvm::zip_equal(given, objects))
    if (from.map && object.written)
      for (uint64_t i = 0; i < from.bytes; ++i)
        if (object.written[i >> object.shift])
          from.map[i] = 1;
}

Object *Memory::findHost(uint64_t address, int64_t &offset) {
  auto it = llvm::upper_bound(hosts, std::pair(address, ~0u));
  if (it == hosts.begin())
    return nullptr;
  Object &object = objects[std::prev(it)->second];
  offset = static_cast<int64_t>(address - std::prev(it)->first);
  return static_cast<uint64_t>(offset) < object.bytes ? &object : nullptr;
}

Fault Memory::touch(Object &object, int64_t offset, unsigned size,
                    Access access, uint32_t lane, const Actor &actor,
                    bool same) {
  const uint64_t since = std::max(actor.barrier, actor.since);
  const uint64_t me = uint64_t{actor.program} + 1;
  const bool reads = access == Access::Read;
  const uint32_t flags = access == Access::Atomic      ? atomicFlag
                         : access == Access::AtomicCTA ? atomicFlag | ctaFlag
                                                       : 0;
  const bool atomic = flags != 0;
  const uint64_t mine = pack(me, actor.epoch, flags | lane);
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
      if (program == me) { // Another element, and nothing that orders them.
        uint64_t age = ageOf(word, actor.epoch);
        if (threadOf(word) != lane)
          return age > actor.epoch - since;
        return which == 0 || !(word & othersFlag) ||
               age + 1 > actor.epoch - since;
      }
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
        const uint64_t age = ageOf(old, actor.epoch);
        if (programOf(old) == me && age <= actor.epoch - actor.barrier) {
          if (threadOf(old) == lane)
            next = mine | (old & othersFlag);
          else
            next = age == 0 ? pack(me, actor.epoch, severalLanes)
                            : mine | othersFlag;
        }
        if (programOf(old) != 0 && programOf(old) != me && !ordered(old, 1))
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
    /// Atomics on both sides are no race.
    auto bothAtomic = [&](uint64_t word) {
      const bool own = programOf(word) == me;
      return atomic && (flagsOf(word) & atomicFlag) &&
             object.sizes[i] == size &&
             (own || !((flags | flagsOf(word)) & ctaFlag));
    };
    uint64_t next = mine;
    uint64_t before = writeWord.load(std::memory_order_relaxed);
    if (programOf(before) != 0 && bothAtomic(before) && !ordered(before, 0))
      next = programOf(before) == me
                 ? pack(me, actor.epoch, flags | flagsOf(before) | severalLanes)
                 : pack(everyone, 0, atomicFlag | severalLanes);
    uint64_t writer = writeWord.exchange(next);
    if (!bothAtomic(writer) && !ordered(writer, 0) &&
        !(same && programOf(writer) == me && !flagsOf(writer)))
      race(writer, true);
    uint64_t reader = readWord.load();
    if (!ordered(reader, 1))
      race(reader, false);
    if (turns) {
      object.clocks[2 * i] = actor.clock;
      object.sizes[i] = size;
    }
    if (atomic && object.written && !object.written[i] &&
        fault.kind == Fault::Fine)
      fault.kind = Fault::Unwritten;
    if (object.written)
      object.written[i] = 1;
  }
  return fault;
}
