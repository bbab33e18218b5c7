//===- TileWarps.h - Which warps a layout is for ----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout is for as many warps as execute the operation, or for a divisor of
// that number: then each share of the warps holds the whole tile.
//
//   layout's warps   executing warps   warp w holds the part of
//   4                4                 w
//   2                4                 w mod 2
//   2                3                 refused: layout-mismatch
//   4                2                 refused: nobody holds the rest
//
// Checker, simulator and lowering ask here, of each operation. The verifier cannot: a constant tile
// may stand before the partition that it is for (titan-sink-tiles).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_TILEWARPS_H
#define TITAN_DIALECT_TITAN_TILEWARPS_H

#include "titan/Layout/Result.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace titan {

/// layout-mismatch, where a warp has `lanes`, and a layout is for others.
std::optional<Problem> refuseLanes(int64_t layoutLanes, int64_t lanes);
/// layout-mismatch, where `warps` cannot execute what touches a tile whose layout
/// is for `layoutWarps`.
std::optional<Problem> refuseWarps(int64_t layoutWarps, int64_t warps);
/// Both, of the tiles that an operation takes and makes.
std::optional<Problem> refuseWarps(mlir::Operation *op, int64_t warps,
                                   int64_t lanes);

} // namespace titan

#endif
