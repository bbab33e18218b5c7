//===- Occupancy.h - a few registers fewer, a CTA more ----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas weighs registers against the CTAs that a multiprocessor holds, and at times
// stops just above a step: of CTAs of 8 warps and 53 registers a thread (56, as a
// warp is given them by eights) four are resident, of 48 registers five. So where
// what is over the last whole unit of registers (TargetInfo::registerUnit) keeps a
// CTA out, and is at most a tenth of them all, the kernel is assembled again with
// .minnctapersm, which asks for that many CTAs. What comes out is taken if it has no
// more stack, which is where spills go.
//
// Both bounds are measured (benchmarks/README.md, "Triton's programs"): a count of
// whole units is one that ptxas has bounded itself, and the next unit, as more than
// a tenth, cost up to 2 % of the time of kernels that it gave a CTA more.
//
// That is for kernels that leave it to the assembler how many registers they have:
// not for `registers(N)` (`--maxnreg`), nor for CTAs of one warp, which are bounded
// by their number (NVVMEmitter.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_CONVERSION_OCCUPANCY_H
#define TITAN_CONVERSION_OCCUPANCY_H

#include "Assembler.h"
#include "titan/Target/Target.h"

#include "llvm/ADT/ArrayRef.h"

namespace titan {

/// A kernel that leaves its registers to the assembler: its entry in the PTX, warps
/// of a CTA, bytes of shared memory of a CTA.
struct FreeRegisters {
  std::string entry;
  int64_t warps, sharedBytes;
};

/// How many CTAs to ask for of a kernel to whose threads the assembler gave
/// `registers`; none where it is left as it is.
std::optional<int64_t> nextOccupancy(const TargetInfo &target, int64_t warps,
                                     int64_t registers, int64_t sharedBytes);

/// Assembles `ptx`, which says afterwards what was asked for of each kernel.
Assembly assembleForOccupancy(std::string &ptx, const TargetInfo &target,
                              llvm::StringRef ptxas,
                              llvm::ArrayRef<FreeRegisters> kernels);

} // namespace titan

#endif
