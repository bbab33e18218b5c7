//===- Memory.h - shared and global memory, as each proxy sees it -*- C++
//-*-===//
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
// effects or the proxy table. Between a thread and the array of bytes stand:
//
//   thread's buffer   its weak generic writes, until a release of that thread
//                     (a barrier, an arrive, a fence) lets them out. Other
//                     lanes of its warp see them after a syncwarp.
//   stale for async   bytes that a generic write has changed but which the
//                     async proxy still sees as they were, until the *writing*
//                     thread executes fence.proxy.async
//   stale for generic bytes that an asynchronous copy has changed but which
//                     loads still see as they were, until some thread has
//                     observed the copy's completion
//
// A byte of a buffer that was fenced before it was released is never stale for
// async. The three are sparse: a correct kernel keeps them almost empty.
//
// Addresses are bytes: of shared memory from the CTA's window's start, of
// global memory those of this process.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_MEMORY_H
#define TITAN_SIMULATOR_MEMORY_H

#include "titan/Layout/ByteSet.h"
#include "titan/Target/ProxyTable.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
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
};

class Memory {
public:
  /// Shared memory of one CTA: `bytes` bytes of poison.
  Memory(size_t bytes, bool views);
  /// Global memory: addresses are pointers.
  explicit Memory(bool views) : views(views) {}

  bool isShared() const { return !storage.empty(); }

  /// Copies [address, address + bytes) as the async proxy sees it. Returns
  /// false if any of it is poison; `poison` (one byte each) may be null.
  bool readAsync(uint64_t address, size_t bytes, uint8_t *data,
                 uint8_t *poison = nullptr);
  /// An asynchronous copy's write; the generic proxy sees it after
  /// observed(copy).
  void writeAsync(uint64_t address, llvm::ArrayRef<uint8_t> data,
                  uint64_t copy);
  /// Somebody has observed that an asynchronous copy is complete.
  void observed(uint64_t copy);

  Recorder *recorder = nullptr;

private:
  friend class ThreadView;

  struct StaleForAsync {
    uint8_t data[16], poison[16];
    uint32_t writer[16]; ///< Who must fence: warp number * 32 + lane.
    uint16_t mask = 0;
  };
  struct StaleForGeneric {
    uint8_t data[16], poison[16];
    uint64_t copy[16];
    uint16_t mask = 0;
  };

  uint8_t *at(uint64_t address) {
    return storage.empty() ? reinterpret_cast<uint8_t *>(address)
                           : storage.data() + address;
  }
  bool isPoison(uint64_t address) const {
    return !storage.empty() && !valid[address];
  }
  void set(uint64_t address, uint8_t byte, bool poison) {
    *at(address) = byte;
    if (!storage.empty())
      valid[address] = !poison;
  }
  void record(bool write, uint64_t address, size_t bytes) {
    if (recorder)
      recorder->entries.push_back(
          {this, write, address, static_cast<uint32_t>(bytes)});
  }

  std::vector<uint8_t> storage, valid;
  bool views;
  llvm::DenseMap<uint64_t, StaleForAsync> staleForAsync;
  llvm::DenseMap<uint64_t, StaleForGeneric> staleForGeneric;
  llvm::DenseMap<uint64_t, std::vector<uint64_t>> chunksOfCopy;
};

/// One warp's generic accesses: the buffers of its 32 threads.
class ThreadView {
public:
  /// `number` is the warp's, unique in the run.
  ThreadView(uint32_t number, bool views) : number(number), views(views) {}

  /// Returns false if any of it is poison.
  bool read(Memory &memory, unsigned lane, uint64_t address, size_t bytes,
            uint8_t *data, uint8_t *poison = nullptr);
  void write(Memory &memory, unsigned lane, uint64_t address, size_t bytes,
             const uint8_t *data, const uint8_t *poison = nullptr);
  /// A strong read, write or atomic: past the buffer, in memory itself.
  void writeThrough(Memory &memory, unsigned lane, uint64_t address,
                    size_t bytes, const uint8_t *data);

  /// The lanes of the mask release: what they wrote, or saw of other lanes of
  /// the warp, goes to memory.
  void release(uint32_t lanes);
  /// The lanes of the warp see what the others wrote.
  void syncWarp();
  /// fence.proxy.async by the lanes of the mask; `own` is the CTA's memory.
  void fenceProxyAsync(uint32_t lanes, FenceSpace space, const Memory *own);
  /// Fenced writes of the lanes are before the asynchronous operation that they
  /// issue, without a release.
  void beforeAsync(uint32_t lanes);

private:
  struct Chunk {
    uint8_t data[16], poison[16];
    uint8_t lane[16];
    uint16_t mask = 0, fenced = 0, seen = 0;
  };
  using Chunks = llvm::DenseMap<uint64_t, Chunk>;
  struct Buffer {
    Memory *memory;
    Chunks chunks;
    /// Chunks of staleForAsync that wait for a fence of this warp.
    std::vector<uint64_t> unfenced;
  };
  Buffer &buffer(Memory &memory);
  void perform(Buffer &buffer, uint64_t address, unsigned lane, uint8_t byte,
               bool poison, bool fenced);
  template <typename Select> void drain(Select &&select);

  uint32_t number;
  bool views;
  std::vector<Buffer> buffers;
};

} // namespace titan::sim

#endif
