//===- LoopCounter.h - whether a counted loop's counter fits -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TARGET_LOOPCOUNTER_H
#define TITAN_TARGET_LOOPCOUNTER_H

#include <cstdint>
#include <string>

namespace titan {

/// Why no counted loop goes by `step`, sign-extended from its type: it is not positive.
/// Where the loop compares as unsigned the step is a signed number all the same, since
/// MLIR counts so (scf.for). Empty: it is positive.
std::string stepProblem(int64_t step);

/// Why `for (i = lower; i < upper; i += step)` does not count in `bits` bits (1 to
/// 64): its bounds are further apart than the type holds, or its counter would wrap
/// before it comes to `upper`. Empty: it counts, or does not run at all. Numbers are
/// sign-extended; `isUnsigned`: they are compared as unsigned ones. A step that is
/// not positive is stepProblem's, and none here.
std::string counterOverflow(int64_t lower, int64_t upper, int64_t step,
                            unsigned bits, bool isUnsigned);

} // namespace titan

#endif
