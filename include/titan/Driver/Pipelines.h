//===- Pipelines.h - each pipeline one readable list of passes --*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_PIPELINES_H
#define TITAN_DRIVER_PIPELINES_H

#include "mlir/Pass/PassManager.h"

namespace titan {

/// What is checked, simulated and compiled (titan/Transforms/Passes.h).
void buildExpandPipeline(mlir::OpPassManager &pm);

/// What a checked kernel goes through: the same, and work that CTAs take from a
/// counter has been dealt out (titan-deal-tickets).
void buildCheckPipeline(mlir::OpPassManager &pm);

/// What a simulated kernel goes through: the same, and texts of PTX become what
/// their references compute.
void buildRunPipeline(mlir::OpPassManager &pm);

/// linalg, arith and math on memrefs become the llvm dialect of the host.
void buildReferencePipeline(mlir::OpPassManager &pm);

} // namespace titan

#endif
