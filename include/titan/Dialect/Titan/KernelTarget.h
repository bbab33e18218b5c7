//===- KernelTarget.h - for which target a kernel is ------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_KERNELTARGET_H
#define TITAN_DIALECT_TITAN_KERNELTARGET_H

#include "titan/Target/Target.h"

#include "mlir/IR/Operation.h"

namespace titan {

/// The target that the operation's kernel or module names (titan.target), if it
/// has the feature; else the first one of lib/Target that does.
const TargetInfo &targetOf(mlir::Operation *op,
                           std::optional<Feature> feature = std::nullopt);

} // namespace titan

#endif
