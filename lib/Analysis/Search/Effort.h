//===- Effort.h - what a search has done, and may do ------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search is limited by what it does, and not by the time that this takes: so
// its verdict hangs neither on the machine nor on what else runs there. What
// takes long is counted where it is done, in steps of some 20 ns on a machine
// of 2024: numbers that are evaluated while launches are searched for (one step
// each) and values that are tried there, operations that are followed, actions
// that are ordered, pairs of accesses that are compared.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_EFFORT_H
#define TITAN_LIB_ANALYSIS_SEARCH_EFFORT_H

#include <cstdint>

namespace titan::checker {

/// What these cost, beside what is evaluated for them. An action joins clocks
/// of some numbers, of which one step does some sixteen.
inline constexpr uint64_t stepsOfAttempt = 4, stepsOfOperation = 20,
                          stepsOfAction = 32, numbersOfStep = 16,
                          stepsOfPair = 4;

class Effort {
public:
  explicit Effort(uint64_t most) : most(most) {}
  void spend(uint64_t steps) { done += steps; }
  /// All steps are used up: who sees this ends without a finding.
  bool usedUp() const { return done >= most; }
  uint64_t allowed() const { return most; }

private:
  uint64_t done = 0, most;
};

} // namespace titan::checker

#endif
