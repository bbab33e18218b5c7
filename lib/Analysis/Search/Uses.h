//===- Uses.h - what becomes of a number in a kernel ------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_USES_H
#define TITAN_LIB_ANALYSIS_SEARCH_USES_H

#include "titan/Dialect/Titan/Titan.h"

namespace titan::checker {

/// Goes through the uses of a value, and of those that `visit` adds to `next`,
/// each once, in no order. False: `visit` was false of one, and the rest was left.
bool walkUses(mlir::Value from,
              llvm::function_ref<bool(mlir::OpOperand &use,
                                      llvm::SmallVectorImpl<mlir::Value> &next)>
                  visit);

/// The number that all elements of a tile are; null: not known. Of what is no tile,
/// itself.
mlir::Value sameForAll(mlir::Value tile);

/// The accesses of an operation whose place the value is part of.
std::vector<effect::Access> accessesAt(HardwareEffectsInterface op,
                                       mlir::Value value);

} // namespace titan::checker

#endif
