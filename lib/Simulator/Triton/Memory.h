//===- Memory.h - global memory as objects, and who touched it last -*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The storage of a tensor is an object, in a window of addresses of its own, so that
// an address says which object was meant even where it lies outside of it. Numbers
// that a program takes for addresses (int_to_ptr of what the host wrote) may be the
// host's. For
// each unit of an object (the smallest element that the program accesses) there
// are two words, who wrote it last and who read it:
//
//   bits 40..63  the program + 1, or `everyone` (several)
//   bits 32..39  the program's epoch, modulo 251
//   bit 31       it was an atomic; bit 30: one that is none to other programs (of a
//                reader: other elements have read at earlier epochs, too)
//   bits 0..29   the element of its tensor (`lane`), or `several`
//
// Programs that run in parallel mark first and look second (sequentially
// consistent), so that of two that conflict at least one sees the other.
// Programs that take turns have clocks, too: an access is ordered before what
// a program does if that program's clock has reached the access's.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_TRITON_MEMORY_H
#define TITAN_SIMULATOR_TRITON_MEMORY_H

#include "titan/Simulator/Triton/Triton.h"

#include "llvm/Support/MathExtras.h"

#include <atomic>
#include <memory>

namespace titan::tt {

struct Object {
  std::string name;
  int64_t origin = 0;
  std::byte *data = nullptr;
  uint64_t bytes = 0;
  bool hasAddress = false; ///< As of RunObject.
  /// log2 of the bytes of a unit, and the words of each.
  unsigned shift = 0;
  std::unique_ptr<std::atomic<uint64_t>[], void (*)(void *)> words {
    nullptr, std::free
  };
  /// Clocks of the last write and read, where programs take turns.
  std::unique_ptr<uint32_t[]> clocks;
  /// Bytes of the last write of each, where programs take turns: atomics of
  /// different sizes are none to each other.
  std::unique_ptr<uint8_t[]> sizes;
  /// A byte for each unit that says whether it was written; null: all were.
  std::unique_ptr<uint8_t[]> written;
};

/// What a program has seen of the others: of each, up to which clock.
using Clocks = llvm::DenseMap<uint32_t, uint32_t>;

/// Who accesses, and when.
struct Actor {
  uint32_t program = 0;
  /// Begins anew at a barrier of all its threads; one within a reduction orders
  /// only what depends on the result (Agent::follow).
  uint64_t epoch = 0;
  /// Accesses of epochs before these are ordered before this one: by the last
  /// barrier, and by the reductions that this access depends on.
  uint64_t barrier = 0, since = 0;
  /// Where programs take turns.
  uint32_t clock = 1;
  const Clocks *seen = nullptr;
};

enum class Access : uint8_t { Read, Write, Atomic, AtomicCTA };

/// Names an element of a tensor of this shape: elements of tensors of one shape
/// lie in the same threads. Blocks of descriptors have threads of their own.
inline uint32_t laneOf(llvm::ArrayRef<int64_t> shape, int64_t element) {
  uint32_t hash = 0;
  for (int64_t size : shape)
    hash = hash * 31 + llvm::Log2_64(size) + 1;
  return ((hash % 0x3FE) << 20) | static_cast<uint32_t>(element);
}
inline uint32_t laneOfBlock(int64_t element) {
  return (0x3FEu << 20) | static_cast<uint32_t>(element);
}

/// What is wrong with an access; `Fine`: nothing.
struct Fault {
  enum Kind : uint8_t {
    Fine,
    Outside,
    Misaligned,
    Unwritten,
    Race
  } kind = Fine;
  /// Race: the other program, whether it wrote or read, and whether it is this
  /// one.
  int64_t other = -1;
  bool otherWrote = false;
};

class Memory {
public:
  /// Addresses of object i lie in the window 16 + i; the host's lie below.
  static constexpr unsigned windowBits = 44, firstWindow = 16;

  Memory(llvm::ArrayRef<RunObject> objects, unsigned unit, bool turns);

  static uint64_t getBase(unsigned object) {
    return (uint64_t{object + firstWindow} << windowBits) |
           (uint64_t{1} << (windowBits - 1));
  }
  /// The object whose window an address lies in; null: none's.
  Object *find(uint64_t address, int64_t &offset) {
    uint64_t number = (address >> windowBits) - firstWindow;
    if (number >= objects.size())
      return findHost(address, offset);
    offset = static_cast<int64_t>(address - getBase(number));
    return &objects[number];
  }

  /// The number that a program sees of an address: the host's, of objects whose
  /// addresses the host knows, so that it may be kept from launch to launch.
  uint64_t getAddress(uint64_t address) const {
    uint64_t number = (address >> windowBits) - firstWindow;
    if (number >= objects.size() || !objects[number].hasAddress)
      return address;
    return reinterpret_cast<uintptr_t>(objects[number].data) +
           (address - getBase(number));
  }

  /// Marks an access to `size` bytes; `same`: a write leaves the bytes as they
  /// are.
  Fault touch(Object &object, int64_t offset, unsigned size, Access access,
              uint32_t lane, const Actor &actor, bool same = false);

  /// Marks in the maps of `given`, which the objects were made of, what has been
  /// written.
  void keepWritten(llvm::ArrayRef<RunObject> given) const;

  std::vector<Object> objects;

private:
  Object *findHost(uint64_t address, int64_t &offset);

  bool turns;
  /// Objects whose addresses numbers may be, by those.
  std::vector<std::pair<uint64_t, unsigned>> hosts;
};

} // namespace titan::tt

#endif
