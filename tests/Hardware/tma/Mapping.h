//===- Mapping.h - Where each byte of a copy came from ----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks hardware without a model: the copy runs twice, first every byte of the
// source says the low byte of its own offset, then the high one.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TESTS_HARDWARE_TMA_MAPPING_H
#define TITAN_TESTS_HARDWARE_TMA_MAPPING_H

#include "Cases.h"
#include "Pool.h"

namespace titan::hw {

/// A copy to ask about. Its map's address and its shared address are offsets
/// from the device's bases: the process that runs it adds them.
struct Question {
  std::string note;
  Job job;
};

struct Mapped {
  Outcome outcome;
  /// The destination as runs `at:bytes<source`; `at` is from the image's start
  /// (loads) or from the tensor's address, `source` from the other; `z` zeros,
  /// `n` NaN; bytes that were not written are left out.
  std::string runs;
};

/// Runs `question` on `device`; offsets below 32512 can be told apart.
Mapped mapping(const Question &question, Device &device);

/// Runs all and prints one line each, in order: note, fields, outcome, runs.
/// With `isolate` each in a process of its own.
void printMappings(const char *title, const std::vector<Question> &questions,
                   PoolOptions pool, bool isolate);

} // namespace titan::hw

#endif // TITAN_TESTS_HARDWARE_TMA_MAPPING_H
