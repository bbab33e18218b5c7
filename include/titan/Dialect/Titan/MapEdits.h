//===- MapEdits.h - what an operation does to a tensor map ------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Effects say that a map in memory is written; this says what it then holds
// (TensormapOps.td; MM-90).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_MAPEDITS_H
#define TITAN_DIALECT_TITAN_MAPEDITS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace titan {

/// One change of a tensor map in memory. What is null does not change.
struct MapEdit {
  /// The map that is written, in shared memory or in an array of them.
  mlir::Value map;
  /// All of it is that of this map.
  mlir::Value source;
  /// It begins at the element of this tensor that `coords` name, outermost
  /// dimension first.
  mlir::Value tensor;
  mlir::ValueRange coords;
  /// Dimension `dimension`, outermost first, has so many elements; 0 is 2^32.
  mlir::Value size;
  unsigned dimension = 0;
  /// A stride changes.
  bool stride = false;
};

/// None: the operation writes no map.
std::optional<MapEdit> getMapEdit(mlir::Operation *op);

} // namespace titan

#endif
