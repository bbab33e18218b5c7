//===- Memory.h - shared and global memory, as each thread sees it --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With hazards detected by happens-before, memory is one array of bytes and a
// poison flag for each byte of shared memory.
//
// With hazards off, memory misbehaves as the rules allow, and nobody looks at
// effects or the proxy table:
//
//   thread's buffer   a weak generic write stays in its thread's buffer until a
//                     release of that thread (a barrier, an arrive, a fence)
//                     lets it out; a relaxed arrive does not. Other lanes of
//                     its warp see it after a syncwarp.
//   shadow            each byte of memory has the event that wrote it (Views.h)
//                     and what it held before. A reader that does not know the
//                     event may get the byte from before; a writer that does
//                     not know it may lose: the older write came late.
//   reads             a register tile that was loaded and not used yet may
//                     still change, if somebody overwrites its source without
//                     knowing of the load: the load was late.
//
// What asynchronous operations do with their sources is in Engines.cpp.
//
// Addresses are bytes: of shared memory from the CTA's window's start, of
// global memory those of this process.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_MEMORY_H
#define TITAN_SIMULATOR_MEMORY_H

#include "titan/Layout/ByteSet.h"
#include "titan/Simulator/Program.h"
#include "titan/Simulator/Views.h"

#include <cstdint>
#include <map>
#include <vector>

namespace titan::sim {

/// What the simulator's functions touched, for the test that holds it against
/// the declared effects.
struct Recorder {
  struct Entry {
    const class Memory *memory;
    bool write;
    uint64_t address;
    uint32_t bytes;
  };
  std::vector<Entry> entries;

  /// What happened to mbarriers: arrivals, bytes expected and completed, and
  /// whether a wait has seen a phase.
  struct Signals {
    int64_t arrivals = 0, expected = 0, completed = 0;
    bool observed = false;
    bool operator==(const Signals &) const = default;
  };
  std::map<const struct MBarrier *, Signals> barriers;
};

class Memory {
public:
  /// Shared memory of one CTA: `bytes` bytes of poison.
  Memory(size_t bytes, bool views);
  /// Global memory: addresses are pointers.
  explicit Memory(bool views) : views(views) {}

  bool isShared() const { return !storage.empty(); }

  /// Copies [address, address + bytes), as it is or as the viewer sees it.
  /// Returns false if any of it is poison; `poison` (one byte each) may be
  /// null.
  bool read(uint64_t address, size_t bytes, uint8_t *data,
            uint8_t *poison = nullptr, Viewer *viewer = nullptr);
  /// A write. With views: what made it, and what its maker knew; where `wins`,
  /// it does not lose against a write that its maker does not know.
  void write(uint64_t address, size_t bytes, const uint8_t *data,
             const uint8_t *poison = nullptr, EventId event = 0,
             Viewer *writer = nullptr, bool wins = false);
  /// The bytes that the viewer sees as they were.
  void oldBytes(uint64_t address, size_t bytes, Viewer &viewer,
                std::vector<OldByte> &to);

  /// A tile that a warp has loaded from here (views only). `begin` is where its
  /// part of the access's tables starts.
  void loaded(llvm::IntrusiveRefCntPtr<Tile> tile, const TileAccess &access,
              size_t begin, uint64_t base, const WarpKnowledge &reader);

  Recorder *recorder = nullptr;

private:
  friend class ThreadView;

  /// What stands beside the bytes, with views.
  struct Shadow {
    explicit Shadow(size_t bytes)
        : event(bytes), before(bytes), poisonBefore(bytes) {}
    std::vector<EventId> event;
    std::vector<uint8_t> before, poisonBefore;
  };
  static constexpr uint64_t pageBytes = 4096;
  /// The shadow of the byte, and `at`, its index there; null where nothing was
  /// written yet.
  Shadow *shadowOf(uint64_t address, size_t &at, bool make);
  struct Run;
  /// Calls `visit` with the shadow and each run of the bytes that one event
  /// wrote; where nothing was written yet, only if the shadow is to be made.
  template <typename Visit>
  void forEachRun(uint64_t address, size_t bytes, bool make, Visit &&visit);

  struct LoadedTile {
    llvm::IntrusiveRefCntPtr<Tile> tile;
    const TileAccess *access;
    size_t begin;
    uint64_t base;
    uint32_t sources[2], times[2];
  };
  void changeLoaded(uint64_t address, size_t bytes, Viewer &writer);
  /// write(), for views, without recording.
  void apply(uint64_t address, size_t bytes, const uint8_t *data,
             const uint8_t *poison, EventId event, Viewer &writer, bool wins);

  uint8_t *at(uint64_t address) {
    return storage.empty() ? reinterpret_cast<uint8_t *>(address)
                           : storage.data() + address;
  }
  bool isPoison(uint64_t address) const {
    return !storage.empty() && !valid[address];
  }
  void record(bool write, uint64_t address, size_t bytes) {
    if (recorder)
      recorder->entries.push_back(
          {this, write, address, static_cast<uint32_t>(bytes)});
  }

  std::vector<uint8_t> storage, valid;
  bool views;
  /// Of shared memory the one at 0, of global memory one a page.
  llvm::DenseMap<uint64_t, std::unique_ptr<Shadow>> shadows;
  uint64_t lastPage = ~uint64_t(0);
  Shadow *lastShadow = nullptr;
  std::vector<LoadedTile> tiles;
};

/// One warp's generic accesses: the buffers of its threads.
class ThreadView {
public:
  /// `views` may be null: then there are no buffers.
  ThreadView(Views *views, const Agent &agent) : views(views), agent(agent) {}

  /// Returns false if any of it is poison.
  bool read(Memory &memory, unsigned lane, uint64_t address, size_t bytes,
            uint8_t *data, uint8_t *poison = nullptr, bool strong = false);
  /// Where `through`, past the buffer.
  void write(Memory &memory, unsigned lane, uint64_t address, size_t bytes,
             const uint8_t *data, const uint8_t *poison = nullptr,
             bool through = false);
  /// A strong read, write or atomic: past the buffer, in memory itself.
  void writeStrong(Memory &memory, unsigned lane, uint64_t address,
                   size_t bytes, const uint8_t *data);

  /// The warp as one writes a tensor map and releases it.
  void publishMap(Memory &memory, uint64_t address, size_t bytes,
                  const uint8_t *data);

  /// The lanes of the mask release: what they wrote, or saw of other lanes of
  /// the warp, goes to memory.
  void release(LaneMask lanes);
  /// The same of what they wrote to memory of that space alone.
  void release(LaneMask lanes, MemorySpace space);
  /// The lanes of the warp see what the others wrote.
  void syncWarp();
  /// Fenced writes of the lanes, and those that they saw of others, are before
  /// the asynchronous operation that they issue, without a release.
  void beforeAsync(LaneMask lanes);

private:
  struct Chunk {
    uint8_t data[16], poison[16], lane[16];
    EventId event[16];
    uint16_t mask = 0, seen = 0;
  };
  struct Buffer {
    Memory *memory;
    llvm::DenseMap<uint64_t, Chunk> chunks;
  };
  Buffer &buffer(Memory &memory);
  Knowledge &knowledge(unsigned lane) const;
  MemorySpace spaceOf(const Memory &memory) const;
  void forget(Memory &memory, uint64_t address, size_t bytes);
  template <typename Select>
  void drain(Select &&select, std::optional<MemorySpace> space = std::nullopt);

  Views *views;
  const Agent &agent;
  std::vector<Buffer> buffers;
};

} // namespace titan::sim

#endif
