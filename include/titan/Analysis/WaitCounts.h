//===- WaitCounts.h - the largest counts of s_waitcnt -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wave of gfx942 counts what it has under way, a class each (MM-110):
//
//   vmcnt    0 to 63   global memory, loads to LDS      in the order of issue
//   lgkmcnt  0 to 15   LDS                              in the order of issue
//                      scalar loads                     in any order
//   expcnt   0 to 7    global data share                in the order of issue
//
// s_waitcnt c(N) returns when at most N are left. To wait for one operation is to
// leave those that were issued behind it: on each path to the wait there are some, and
// the least number is the largest N that is right. Where something
// of the class is under way that may overtake others, 0 alone says anything. What an
// earlier wait has shown to be over needs no other one.
//
// Forward dataflow over structured text: for each token the least number of
// instructions of its class behind it. Numbers only fall where paths meet, so
// that loops come to rest.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_WAITCOUNTS_H
#define TITAN_ANALYSIS_WAITCOUNTS_H

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace titan {

enum class WaitClass : uint8_t { Vm, Lgkm, Exp };
inline constexpr unsigned numWaitClasses = 3;
/// What the field of s_waitcnt can hold.
inline constexpr unsigned mostOf(WaitClass counter) {
  constexpr unsigned most[] = {63, 15, 7};
  return most[static_cast<unsigned>(counter)];
}
/// The immediate of s_waitcnt; none: the class is not waited for.
uint16_t encodeWaitcnt(std::optional<unsigned> vm, std::optional<unsigned> lgkm,
                       std::optional<unsigned> exp);

/// A piece of structured text, as far as counters go.
struct WaitStep {
  enum Kind {
    Issue,  ///< `token` names it; it raises `counter` by `raises`
    Need,   ///< what `token` names has to be over
    Rename, ///< `renamed`: all at once, tokens take what others name
    Branch, ///< one of `blocks`; an empty one does nothing
    Loop,   ///< blocks[0], any number of times
  } kind;
  WaitClass counter = WaitClass::Vm;
  unsigned raises = 1;
  bool inOrder = true; ///< else it may overtake, and be overtaken
  unsigned token = 0;
  std::vector<std::pair<unsigned, unsigned>> renamed; ///< to, from
  std::vector<std::vector<WaitStep>> blocks = {};
  /// Need, filled by countWaits: by class, how many may be left; none: nothing
  /// that it names is under way on any path.
  std::optional<unsigned> counts[numWaitClasses] = {};
};

void countWaits(std::vector<WaitStep> &text);

} // namespace titan

#endif
