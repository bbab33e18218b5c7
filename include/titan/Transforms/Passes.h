//===- Passes.h - passes over titan IR --------------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TRANSFORMS_PASSES_H
#define TITAN_TRANSFORMS_PASSES_H

#include "titan/Dialect/Titan/Titan.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace titan {
#define GEN_PASS_DECL
#include "titan/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "titan/Transforms/Passes.h.inc"

/// What every kernel goes through before it is checked, simulated or compiled:
/// functions are inlined, marked loops are unrolled, pipes become barriers, loops that
/// poll waits, copies by
/// schedule tensor copies, exchanges between warps stores and loads.
/// `assertIndices`: a titan.assert says that each index of a copy by
/// schedule is below its loop's extent (for the checker and the simulator).
void buildExpandPasses(mlir::OpPassManager &pm, bool assertIndices = false);
} // namespace titan

#endif
