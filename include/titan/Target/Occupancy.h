//===- Occupancy.h - how many CTAs a multiprocessor holds -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TARGET_OCCUPANCY_H
#define TITAN_TARGET_OCCUPANCY_H

#include "titan/Target/Target.h"

namespace titan {

/// CTAs of so many warps that one multiprocessor holds at once: as far as their
/// registers a thread, bytes of shared memory a CTA, warps and the CTAs' own
/// number allow. Zero when not one fits.
int64_t residentCtas(const TargetInfo &target, int64_t warps, int64_t registers,
                     int64_t sharedBytes);

} // namespace titan

#endif
