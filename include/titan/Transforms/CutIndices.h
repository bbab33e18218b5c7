//===- CutIndices.h - casts of indices that cut them ------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TRANSFORMS_CUTINDICES_H
#define TITAN_TRANSFORMS_CUTINDICES_H

#include "mlir/Pass/Pass.h"

namespace titan {

/// arith.index_cast and index_castui from index, which has 64 bits, to fewer become an
/// arith.trunci. MLIR's canonicalisation takes two casts, to i8 and back, for none,
/// and so does not cut: it goes behind this.
std::unique_ptr<mlir::Pass> createCutIndices();

} // namespace titan

#endif
