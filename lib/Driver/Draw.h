//===- Draw.h - the order of a finding's events, drawn ----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A column for each who takes part, time downwards:
//
//     partition multiply, warp 0 | partition load, warp 0, elected lane
//     ---------------------------+-------------------------------------
//     iteration 0                |
//     'titan.mma' is issued      |
//                                | iteration 2
//                                | 'titan.tma.load'
//     what is missing: row 6 of the proxy table, rule MM-36
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_DRAW_H
#define TITAN_DRIVER_DRAW_H

#include "titan/Analysis/Finding.h"

namespace titan {

/// Lines, each behind two spaces, with where the finding is in front; empty: it
/// tells no order of events.
std::string drawEvents(const Finding &finding);

} // namespace titan

#endif
