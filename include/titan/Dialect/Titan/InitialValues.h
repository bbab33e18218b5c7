//===- InitialValues.h - what tensors hold at the launch --------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flags and counters in global memory work from a number on that they hold when
// the kernel begins. The kernel says which:
//
//     titan.kernel @k(%flags: !titan.global<?xi32>) warps(8)
//         attributes {titan.initial = {flags = 0}} launch { ... }
//
// The checker counts from there, a run refuses other contents (initial-value),
// and the package says it to the launch (docs/package.md, `initial`). What the
// kernel waits for by titan.flag.wait begins with 0, where it does not say.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_INITIALVALUES_H
#define TITAN_DIALECT_TITAN_INITIALVALUES_H

#include "titan/Dialect/Titan/Titan.h"

#include <optional>

namespace titan {

/// What each element of the kernel's argument, a tensor of integers, holds when
/// the kernel begins; nothing where neither titan.initial nor a wait says.
std::optional<int64_t> getInitialValue(KernelOp kernel, unsigned argument);

/// Whether the kernel's `titan.initial` says what can be.
/// Errors: kernel-initial.
mlir::LogicalResult verifyInitialValues(KernelOp kernel);

} // namespace titan

#endif
