//===- TileFlow.h - where an operation brings tiles -------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An analysis that follows a tile through a kernel (what do the holes of a
// copied tile reach?) asks each operation where the elements of its operands go
// (TileFlowOpInterface). The answer is a list:
//
// clang-format off
//   Pass       %y = titan.shared.load %x          %y holds the elements of %x
//   Broadcast  %y = titan.broadcast %x            the same, along one more dimension
//   Reduce     %y = titan.reduce add %x           one fewer
//   Store      titan.shared.store %x, %memory     %memory holds them
//   Product    %y = titan.mma %a, %b, %d          sums along K
//   Combine    titan.tma.reduce add %x, %map      leaves the kernel, by a reduction
//   Index      %y = titan.global.load %g[%x], %m  elements say places, or whether
//   Place      %y = titan.coordinate 1            elements are their places
// clang-format on
//
// An empty list: the tile goes nowhere (a store to global memory). Who does not
// implement the interface may do anything with it, but for what other interfaces
// say: views (ViewOpInterface), control flow, OpTrait::Elementwise.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_TILEFLOW_H
#define TITAN_DIALECT_TITAN_TILEFLOW_H

#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"

#include <string>
#include <variant>

namespace titan::flow {

/// The elements, or some of them. `newPlaces`: which ones, the operation decides
/// (a load at this moment, a part).
struct Pass {
  mlir::Value from, to;
  bool newPlaces = false;
};

/// Along one more dimension, the innermost.
struct Broadcast {
  mlir::Value from, to;
};

/// Along the innermost dimension.
struct Reduce {
  mlir::Value from, to;
  std::string by; ///< "add".
  bool zeroIsNeutral = false;
};

struct Store {
  mlir::Value tile, memory;
};

/// D (M x N) = A (M x K) * B (N x K) [+ D]. `result`: D afterwards, which is `d`
/// itself where that is memory.
struct Product {
  mlir::Value a, b, d, result;
  bool transposedA = false, transposedB = false, accumulates = false;
};

/// Into memory that the kernel does not follow.
struct Combine {
  mlir::Value tile;
  std::string by; ///< "add".
  bool zeroIsNeutral = false;
};

/// Elements of global memory: at `indices`, where `mask` (or null) is true.
/// `loaded` is what lies there; null: it is written.
struct Index {
  mlir::ValueRange indices;
  mlir::Value mask, loaded;
};

/// The elements of `tile` are their own indices along `dimension`.
struct Place {
  mlir::Value tile;
  int dimension = 0;
};

using Step = std::variant<Pass, Broadcast, Reduce, Store, Product, Combine,
                          Index, Place>;
using Steps = llvm::SmallVector<Step, 2>;

} // namespace titan::flow

#endif
