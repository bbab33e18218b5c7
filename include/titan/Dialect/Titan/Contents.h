//===- Contents.h - what is computed from memory's contents -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_CONTENTS_H
#define TITAN_DIALECT_TITAN_CONTENTS_H

#include "mlir/IR/Value.h"

namespace titan {

/// Whether an element of memory is among what the value is computed from, so
/// that titan.assume may speak of it; of what a function is given its callers
/// know: true.
bool isOfContents(mlir::Value value);

/// The tile of which `value` says whether one of its elements is true (titan.any, in
/// TileOps.cpp): where none is, it is false. Null: it is something else.
mlir::Value tileOfVote(mlir::Value value);

} // namespace titan

#endif
