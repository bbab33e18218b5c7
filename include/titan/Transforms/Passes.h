//===- Passes.h - passes over titan IR --------------------------*- C++ -*-===//
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
/// marked loops are unrolled, pipes become barriers, copies by schedule tensor
/// copies.
void buildExpandPasses(mlir::OpPassManager &pm);
} // namespace titan

#endif
