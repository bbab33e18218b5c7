//===- Products.h - what a product multiplies, in numbers -------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// titan.mma and titan.mma_sync as Target/MmaSum.h has them: types, signs, and
// how deep one instruction is.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_PRODUCTS_H
#define TITAN_DIALECT_TITAN_PRODUCTS_H

#include "titan/Dialect/Titan/Titan.h"
#include "titan/Target/MmaSum.h"

namespace titan {

/// Of a titan.mma.
MmaProduct getWarpgroupProduct(mlir::Operation *op);
/// Of a titan.mma_sync; of the instructions with the larger K.
MmaProduct getWarpProduct(mlir::Operation *op);

} // namespace titan

#endif
