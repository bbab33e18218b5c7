//===- ReferenceFloats.h - fp8 numbers in a reference -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_REFERENCEFLOATS_H
#define TITAN_DRIVER_REFERENCEFLOATS_H

#include "mlir/Pass/Pass.h"

namespace titan {

/// arith.extf from f8E4M3FN and f8E5M2 by what the JIT has; what else is computed
/// in them is refused.
std::unique_ptr<mlir::Pass> createExpandFp8Pass();

} // namespace titan

#endif
