//===- Occupancy.cpp - how many CTAs a multiprocessor holds ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Target/Occupancy.h"

#include <algorithm>

namespace titan {

int64_t residentCtas(const TargetInfo &target, int64_t warps, int64_t registers,
                     int64_t sharedBytes) {
  if (warps < 1 || warps * target.warpWidth > target.maxThreadsPerCta ||
      registers > target.maxRegistersPerThread)
    return 0;
  // A warp is given whole units, and lives in one part of the file.
  int64_t unit = target.registerUnit, parts = target.registerFileParts;
  int64_t held = std::max<int64_t>((registers + unit - 1) / unit * unit, unit);
  int64_t warpsOfPart =
      target.registersPerSm / parts / (held * target.warpWidth);
  int64_t most = std::min(warpsOfPart * parts, target.maxWarpsPerSm) / warps;
  most = std::min(
      most, target.sharedBytesPerSm /
                std::max<int64_t>(sharedBytes + target.sharedBytesReserved, 1));
  return target.maxCtasPerSm == TargetInfo::absent
             ? most
             : std::min(most, target.maxCtasPerSm);
}

} // namespace titan
