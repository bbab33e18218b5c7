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
// takes long is counted where it is done, in steps of some 5 ns on a machine
// of 2024.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_EFFORT_H
#define TITAN_LIB_ANALYSIS_SEARCH_EFFORT_H

#include <cstddef>
#include <cstdint>

namespace titan::checker {

/// What is counted, and the steps that each takes.
enum class Work : uint8_t {
  Evaluation, ///< Of an operation on numbers, while launches are looked for.
  Attempt,    ///< To get an outcome by a value of a size or argument.
  Operation,  ///< Of the text, followed.
  Action,     ///< Ordered, beside
  Numbers,    ///< each eight numbers of its clock.
  Pair,       ///< Of accesses, compared.
};
inline constexpr uint64_t stepsOf[] = {4, 14, 25, 60, 1, 4};

class Effort {
public:
  explicit Effort(uint64_t most) : most(most) {}
  void spend(Work work, uint64_t times = 1) {
    done += stepsOf[static_cast<size_t>(work)] * times;
  }
  /// All steps are used up: who sees this ends without a finding.
  bool usedUp() const { return done >= most; }
  uint64_t allowed() const { return most; }
  /// For something else, when they are.
  void allow(uint64_t more) { most = done + more; }

private:
  uint64_t done = 0, most;
};

} // namespace titan::checker

#endif
