//===- Replay.h - a run that shows a finding --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What titan check refuses goes wrong in some launch under some schedule. A
// replay is such a run, as flags of titan run:
//
//   titan check FILE --replay-out=R    titan run FILE --replay=R
//
//   {"kernel": "gemm", "schedule": "random:1", "sms": 3,
//    "shape": ["A=64x64", ...], "arg": ["A=ints:1", ...], "shows": "[race] ..."}
//
// It is looked for among the example's sizes, the small launches of the search, and
// those whose loops run long, by executing the kernel with hazards on: one that shows
// the same code at the same line, else one that goes wrong in another way.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_REPLAY_H
#define TITAN_DRIVER_REPLAY_H

#include "Commands.h"

#include "titan/Simulator/Simulator.h"

namespace titan {

/// eager, lazy, random:SEED, skew:SEED.
std::optional<Schedule> parseRunSchedule(llvm::StringRef text);

/// A run of a kernel of the text that goes wrong, by that code at that line if one
/// can be found. None: none was found.
std::optional<llvm::json::Object> findReplay(llvm::StringRef text,
                                             llvm::StringRef kernel, Code code,
                                             int64_t line);

/// The flags with those of `replay`. None, and a finding: it is no such file.
std::optional<RunCommand> readReplay(Session &session, RunCommand options);

} // namespace titan

#endif
