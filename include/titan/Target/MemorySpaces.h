//===- MemorySpaces.h - Where an access lies --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where an access lies, seen from a thread: that thread's own CTA, another one,
// or memory of all. A fence may be limited to some of these. One row a space;
// checker and simulator keep what hangs on the space in a BySpace, and walk over
// the rows; the emitter of PTX reads how one writes it.
//
//   space        PTX                LLVM   address
//   Global       .global            1      64 bits
//   SharedOwn    .shared::cta       3      32 bits
//   SharedPeer   .shared::cluster   7      32 bits; its window contains the CTA's
//
//===----------------------------------------------------------------------===//

#ifndef TITAN_TARGET_MEMORYSPACES_H
#define TITAN_TARGET_MEMORYSPACES_H

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace titan {

enum class MemorySpace : uint8_t { Global, SharedOwn, SharedPeer };
inline constexpr unsigned numMemorySpaces = 3;

/// State spaces a fence.proxy.async can be limited to.
enum class FenceSpace : uint8_t { All, Global, SharedCta, SharedCluster };

struct MemorySpaceInfo {
  MemorySpace space;
  std::string_view name;
  uint8_t fences; ///< 1 << FenceSpace: those that order accesses there.
  /// What it is to a thread of the other CTA: a peer's memory is its own.
  MemorySpace elsewhere;
  std::string_view ptx; ///< ".global": the state space, behind an instruction.
  unsigned llvmSpace;   ///< LLVM's address space (NVPTX).
  unsigned addressBits; ///< Of a pointer into it.
};

/// All spaces, in the order of the enumeration.
std::span<const MemorySpaceInfo> memorySpaces();

const MemorySpaceInfo &memorySpaceInfo(MemorySpace space);

/// ".shared::cta": how an instruction of PTX limits itself to it; empty: not.
std::string_view ptxOf(FenceSpace fence);

/// True if a fence limited to `fence` orders accesses in `space`.
/// PTX "membar / fence": the order is limited to the state space named.
bool fenceCovers(FenceSpace fence, MemorySpace space);

/// One T a space.
template <typename T> struct BySpace {
  std::array<T, numMemorySpaces> each{};
  T &operator[](MemorySpace space) { return each[static_cast<size_t>(space)]; }
  const T &operator[](MemorySpace space) const {
    return each[static_cast<size_t>(space)];
  }
  bool operator==(const BySpace &) const = default;
};

} // namespace titan

#endif // TITAN_TARGET_MEMORYSPACES_H
