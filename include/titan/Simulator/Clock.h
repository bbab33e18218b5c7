//===- Clock.h - a vector clock ---------------------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plain container: for each source (a thread, a barrier, a queue) a time.
// What sources are and what a time means is its user's business.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_CLOCK_H
#define TITAN_SIMULATOR_CLOCK_H

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <vector>

namespace titan::sim {

/// Of each source the last time known: dense for those of the own cluster,
/// which are numbered from `base`.
class Clock {
public:
  Clock() = default;
  Clock(uint32_t base, size_t sources) : base(base), own(sources) {}

  uint32_t get(uint32_t number) const {
    if (number - base < own.size())
      return own[number - base];
    auto found = others.find(number);
    return found == others.end() ? 0 : found->second;
  }
  void raise(uint32_t number, uint32_t to);
  void join(const Clock &other);
  bool empty() const { return own.empty(); }
  /// Whether nothing of the other is later.
  bool includes(const Clock &other) const;

private:
  uint32_t base = 0;
  std::vector<uint32_t> own;
  llvm::DenseMap<uint32_t, uint32_t> others;
};

} // namespace titan::sim

#endif
