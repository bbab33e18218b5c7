//===- GlobalMemory.h - how tiles are accessed in global memory -*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile's elements are where its index tensors say. Those are, nearly always,
// sums of the tile's coordinates and of numbers that all threads agree on:
//
//     %j = %column0 + coordinate 1          f32, rows of 64 elements
//     register    0   1   2   3  |  4   5  ...
//     coordinate  8l 8l+1 ..     | 8l+4
//
// and then three things are known before the kernel runs:
//
// 1. Vectors. Registers 0 to 3 lie side by side; if the first one's address is a
//    multiple of 16 bytes (the tensor's address, its strides, %column0 and 8l are:
//    TrailingZeros.h), one access of 16 bytes moves them.
// 2. Masks. %j < %n is the same for all four if %n is a multiple of 4: it is compared
//    once, not four times.
// 3. Addresses. Registers 4 to 7 are 16 bytes further on, whatever %column0 is:
//    an index is an i32 that is not negative where an element is accessed, so that
//    index + constant carries nowhere.
//
//    What all threads agree on, %column0, is added to the tensor's address first,
//    once a warp; 8l is the same for every tensor.
//
// What is no such sum is accessed element by element.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_CONVERSION_GLOBALMEMORY_H
#define TITAN_LIB_CONVERSION_GLOBALMEMORY_H

#include "titan/Conversion/KernelLowering.h"

namespace titan {

/// Registers first .. first + count - 1 of a tile, moved by one access; where count is
/// 1, the `same` registers behind it are of the same element.
struct GlobalAccess {
  int64_t first = 0, count = 1;
  mlir::Value address;
  int64_t same = 0;
};

/// The accesses of a tile, as wide as is known to be right, with the mask too,
/// and their addresses. `mine`: registers that are moved at all. `once`: registers of
/// one element and one mask need one access.
llvm::SmallVector<GlobalAccess>
planGlobalAccesses(KernelLowering &kl, mlir::TypedValue<GlobalType> tensor,
                   mlir::ValueRange indices, mlir::Value mask,
                   const Layout &layout, llvm::function_ref<bool(int64_t)> mine,
                   bool once = false);

/// Of a comparison of tiles: for each register the first one that is known to hold
/// the same in every thread.
llvm::SmallVector<int64_t> sameComparisons(KernelLowering &kl,
                                           mlir::arith::CmpIOp compare,
                                           const Layout &layout);

/// A comparison of a tile's coordinate with a tile that has the same along it.
struct ComparedCoordinate {
  unsigned operand = 0, dimension = 0; ///< Which operand is the coordinate.
  /// How much each register's is above the first one's, in every thread; >= 0.
  llvm::SmallVector<int64_t> above;
};

/// None: the comparison is no such one, or it has so few registers that nothing is gained by knowing it.
std::optional<ComparedCoordinate>
comparedCoordinate(KernelLowering &kl, mlir::arith::CmpIOp compare,
                   const Layout &layout);

} // namespace titan

#endif
