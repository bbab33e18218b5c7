//===- MemorySpaces.cpp - Where an access lies ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Target/MemorySpaces.h"

namespace titan {
namespace {

template <typename... Fences> constexpr uint8_t fences(Fences... each) {
  return ((1u << static_cast<unsigned>(each)) | ...);
}

using enum FenceSpace;
// The window of the cluster contains that of the CTA.
constexpr MemorySpaceInfo spaces[] = {
    {MemorySpace::Global, "global", fences(All, Global), MemorySpace::Global,
     ".global", 1, 64},
    {MemorySpace::SharedOwn, "shared", fences(All, SharedCta, SharedCluster),
     MemorySpace::SharedPeer, ".shared::cta", 3, 32},
    {MemorySpace::SharedPeer, "a peer's shared", fences(All, SharedCluster),
     MemorySpace::SharedOwn, ".shared::cluster", 7, 32},
};
static_assert(std::size(spaces) == numMemorySpaces);

// In the order of FenceSpace.
constexpr std::string_view fenceSpaces[] = {"", ".global", ".shared::cta",
                                            ".shared::cluster"};

} // namespace

std::span<const MemorySpaceInfo> memorySpaces() { return spaces; }

const MemorySpaceInfo &memorySpaceInfo(MemorySpace space) {
  return spaces[static_cast<unsigned>(space)];
}

std::string_view ptxOf(FenceSpace fence) {
  return fenceSpaces[static_cast<unsigned>(fence)];
}

bool fenceCovers(FenceSpace fence, MemorySpace space) {
  return memorySpaceInfo(space).fences >> static_cast<unsigned>(fence) & 1;
}

} // namespace titan
