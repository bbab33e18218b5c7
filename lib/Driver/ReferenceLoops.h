//===- ReferenceLoops.h - loops of a reference ------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_REFERENCELOOPS_H
#define TITAN_DRIVER_REFERENCELOOPS_H

#include "mlir/Pass/Pass.h"

namespace titan {

/// Sums of linalg ops become loops in which some go on at once, each in its
/// order.
std::unique_ptr<mlir::Pass> createJamReductionsPass();

} // namespace titan

#endif
