//===- Clock.h - vector clocks ----------------------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread knows of the others. One number each for
//
//   time        each lane class of each warp: up to which of its events
//               everything happens before what this thread does next;
//   init fence  ... up to which its mbarrier.init are fenced (MM-51);
//   proxy fence ... up to which its generic accesses are fenced against the
//               async proxy (MM-43), for global, own and peer shared memory;
//   phase       each slot of each barrier: how many phases were observed to
//               have completed;
//   round       each named barrier of each CTA: how many rounds are over;
//   group       each stream of groups (bulk groups of a thread, products of a
//               warpgroup): how many were observed complete, and how many have
//               been read (`.read`);
//   fenced      the same again for phases and groups, as they were when some
//               thread on the path executed fence.proxy.async (MM-41);
//   map release ... up to which its writes of tensor maps are released
//               (MM-90);
//   over        each slot of each barrier: how many phases are over in
//               execution order (MM-15). Relaxed arrivals and complete_tx hand
//               over these alone, and those that follow: they order no memory;
//   acted       each lane class of each warp: up to which of its events
//               everything is past in execution order;
//   tensor      each lane class of each warp: up to which its loads and stores
//   memory      of tensor memory were waited for, and up to which these and all
//               others stand before a tcgen05.fence::before (MM-102).
//
// A release hands the clock over, an acquire takes the maximum. All numbers
// only grow, completions of a phase, a round or a stream come in order, so "X's
// completion was observed on a path to here" is one comparison.
//
// A lane class of many lanes is symmetric: each lane knows its own past, and of
// the other lanes what the clock says. So a class' clock does not contain its
// own present, which is added where the lane releases.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_CLOCK_H
#define TITAN_LIB_ANALYSIS_SEARCH_CLOCK_H

#include "titan/Target/ProxyTable.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace titan::checker {

/// Lane classes as indices.
inline constexpr int electedClass = 0, othersClass = 1;

/// What is known of a thread's accesses to tensor memory.
enum class Cells : uint8_t {
  LoadsWaited,
  StoresWaited,
  LoadsFenced,
  StoresFenced,
  Fenced
};

/// Where each number stands.
struct ClockShape {
  uint32_t agents = 0, barriers = 0, rounds = 0, streams = 0;
  /// Whether there is tensor memory at all.
  bool tensorMemory = false;

  uint32_t time(uint32_t agent, int lane) const { return 2 * agent + lane; }
  uint32_t init(uint32_t agent, int lane) const {
    return 2 * agents + 2 * agent + lane;
  }
  uint32_t fence(uint32_t agent, int lane, MemorySpace space) const {
    return 4 * agents + numMemorySpaces * (2 * agent + lane) +
           static_cast<uint32_t>(space);
  }
  uint32_t mapRelease(uint32_t agent, int lane) const {
    return (4 + 2 * numMemorySpaces) * agents + 2 * agent + lane;
  }
  uint32_t firstRound() const { return (6 + 2 * numMemorySpaces) * agents; }
  uint32_t round(uint32_t round) const { return firstRound() + round; }
  uint32_t phase(uint32_t barrier) const {
    return firstRound() + rounds + barrier;
  }
  uint32_t done(uint32_t stream) const {
    return firstRound() + rounds + barriers + 2 * stream;
  }
  uint32_t read(uint32_t stream) const { return done(stream) + 1; }
  /// A phase's or stream's number in the fenced copy.
  uint32_t fenced(uint32_t phaseOrStream) const {
    return phaseOrStream + barriers + 2 * streams;
  }
  uint32_t completions() const { return firstRound() + rounds; }
  uint32_t completionsEnd() const {
    return completions() + barriers + 2 * streams;
  }
  uint32_t over(uint32_t barrier) const {
    return completionsEnd() + barriers + 2 * streams + barrier;
  }
  uint32_t acted(uint32_t agent, int lane) const {
    return over(barriers) + 2 * agent + lane;
  }
  uint32_t cells(Cells what, uint32_t agent, int lane) const {
    return over(barriers) + 2 * agents + 5 * (2 * agent + lane) +
           static_cast<uint32_t>(what);
  }
  uint32_t overEnd() const {
    return over(barriers) + (tensorMemory ? 12 : 2) * agents;
  }
  uint32_t size() const { return overEnd(); }
};

class Clock {
public:
  Clock() = default;
  explicit Clock(uint32_t size) : numbers(size, 0) {}
  uint32_t operator[](uint32_t i) const { return numbers[i]; }
  uint32_t &operator[](uint32_t i) { return numbers[i]; }
  void join(const Clock &other) {
    for (size_t i = 0, n = numbers.size(); i < n; ++i)
      numbers[i] = std::max(numbers[i], other.numbers[i]);
  }
  /// Only [begin, end): what execution order alone hands over.
  void join(const Clock &other, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; ++i)
      numbers[i] = std::max(numbers[i], other.numbers[i]);
  }
  void raise(uint32_t i, uint32_t value) {
    numbers[i] = std::max(numbers[i], value);
  }
  void clear() { std::fill(numbers.begin(), numbers.end(), 0); }
  bool empty() const { return numbers.empty(); }

private:
  std::vector<uint32_t> numbers;
};

} // namespace titan::checker

#endif
