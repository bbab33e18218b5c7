//===- TmaScheduleText.h - Schedules as text --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules are written as the papers write them, a statement a line:
//
//     tensor bf16 M{M} x K{K}          roots, outermost first, contiguous;
//                                      M{M}:2*ld: the stride in bytes
//     size K multiple 8                what the launch is known to give
//     Mo, Mi = split(M, 128)           by inner factor; split(M, outer 4)
//     Ko, Ki = split(K, 64)
//     B = merge(Mo, Ko)                resize(X, left, right), swizzle(X, Y)
//     bulk Mi, Ki                      what one instruction runs through
//     shared Ko, Mi, Ki                the buffer's order (may be left out)
//     map M, K                         the TMA domain, prescribed
//     load strong                      load [weak | strong [NaN]],
//                                      store [padded], reduce OP [padded]
//     swizzle 128B
//     align 1024                       of the buffer, bytes
//     traffic save                     ignore, save, worth
//
// `//` begins a comment. Extents are expressions in numbers and sizes:
// + - * / % ( ) ceildiv. Where there is no load, store or reduce it is a weak
// load.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DOMAIN_TMASCHEDULETEXT_H
#define TITAN_DOMAIN_TMASCHEDULETEXT_H

#include "titan/Domain/TmaSchedule.h"

#include <string_view>

namespace titan {

/// Reads a schedule. Problems: parse-error with the line, or
/// domain-invalid.
Result<TmaSchedule> parseSchedule(std::string_view text);

} // namespace titan

#endif // TITAN_DOMAIN_TMASCHEDULETEXT_H
