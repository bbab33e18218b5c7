//===- Passes.h - passes over titan IR --------------------------*- C++ -*-===//
#ifndef TITAN_TRANSFORMS_PASSES_H
#define TITAN_TRANSFORMS_PASSES_H

#include "titan/Dialect/Titan/Titan.h"

#include "mlir/Pass/Pass.h"

namespace titan {
#define GEN_PASS_DECL
#include "titan/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

#endif
