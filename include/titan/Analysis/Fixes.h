//===- Fixes.h - fixes that checker and simulator name alike ----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_FIXES_H
#define TITAN_ANALYSIS_FIXES_H

namespace titan {

/// Of a product that adds to registers which nothing has written
/// (undefined-read).
inline constexpr const char *accumulateFix =
    "say accumulate(%more) with a flag that is false in the first iteration: "
    "the product then writes the registers without reading them";

} // namespace titan

#endif // TITAN_ANALYSIS_FIXES_H
