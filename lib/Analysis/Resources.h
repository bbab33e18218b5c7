//===- Resources.h - what a CTA has -----------------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_RESOURCES_H
#define TITAN_LIB_ANALYSIS_RESOURCES_H

#include "Findings/Report.h"

#include "titan/Target/Target.h"

namespace titan::checker {

/// Register budgets (MM-75), shared memory, and warps for the layouts: what
/// neither schedules nor sizes change. Where a layout is for other warps than
/// execute it, what each of them does has no meaning.
void checkResources(KernelOp kernel, Report &report);

/// Whether constants alone show that an operation has no result (divisions by 0,
/// shifts by all of the bits) or a loop no end (a step that is not positive).
bool checkConstants(KernelOp kernel, Report &report);

/// The target that the operation, or what it stands in, is for.
TargetId targetOf(mlir::Operation *op);

} // namespace titan::checker

#endif
