//===- TriedLaunches.h - small launches, to look at whole -------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search looks at all CTAs of a few small launches, which it finds among
// sizes that the launch region admits. These are they, as somebody would start
// them: who runs the kernel in order to see a finding needs sizes, too.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_TRIEDLAUNCHES_H
#define TITAN_ANALYSIS_TRIEDLAUNCHES_H

#include "titan/Dialect/Titan/Titan.h"

#include <optional>
#include <vector>

namespace titan {

struct TriedLaunch {
  struct Argument {
    std::vector<int64_t> shape; ///< Of a tensor.
    std::optional<int64_t>
        scalar; ///< Of an integer; none: the launch has no use
                ///< for it.
  };
  std::vector<Argument> arguments;
  int64_t multiprocessors = 8;
};

/// Of a kernel that the passes of buildCheckPipeline have made; small ones first.
std::vector<TriedLaunch> triedLaunches(KernelOp kernel);

/// Of the same kernel launches of one cluster, one for each loop whose count the launch
/// decides, in which that runs so often as to repeat twice (bound::restsOfPeriod):
/// what goes wrong in its later iterations shows there.
std::vector<TriedLaunch> longLaunches(KernelOp kernel);

} // namespace titan

#endif
