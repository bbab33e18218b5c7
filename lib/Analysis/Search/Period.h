//===- Period.h - after how many iterations a loop repeats itself ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring of n slots comes back to slot and parity after 2 n uses; how many
// iterations that is, and whether it happens at all, depends on how the kernel
// computes its stages: by counters that are carried, by remainders, two slots
// an iteration, or none. So it is not computed from the rings but read from the
// events: two iterations are alike if every warp does the same in them to the
// same slots with the same parities.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_PERIOD_H
#define TITAN_LIB_ANALYSIS_SEARCH_PERIOD_H

#include "titan/Analysis/Events.h"

#include <optional>

namespace titan::checker {

/// The iterations of a long run that are compared with each other, [first, last):
/// a first product that adds nothing, say, and the drain may be different.
std::pair<int64_t, int64_t> compared(int64_t count);

/// The least p after which the list repeats, and does so at least twice
/// among those that are compared; none: no p does.
std::optional<int64_t> leastPeriod(llvm::ArrayRef<uint64_t> list);

/// The least number of iterations after which every loop of the program that
/// runs `count` times repeats itself, for all warps; 1: there is none; none:
/// some loop does not repeat itself.
std::optional<int64_t> periodOf(const Program &program, Footprints &footprints,
                                int64_t count);

} // namespace titan::checker

#endif
