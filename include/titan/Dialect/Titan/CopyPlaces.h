//===- CopyPlaces.h - Between which places a copy copies --------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy without a schedule moves a region of one shape from one place to
// another. A place is memory or registers, where the elements of its tile lie there, and
// where in the tile the region begins.
//
//   titan.copy_async %mine[%c0, %c32] to %theirs extents [128, 32] ...
//
//   operand    tile        begins at   the region's elements lie at bytes
//   %mine      128 x 64    (0, 32)     128 i + 2 (j + 32)
//   %theirs    128 x 64    (0, 0)      128 i + 2 j
//
// The region's shape is `extents`; else that of the operand without offsets. Where
// neither has any, a tile's (a tensor may be larger or smaller), and two tiles are
// of one shape. Dimensions that the region does not have are a place's outer ones,
// in which it is 1 long.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_COPYPLACES_H
#define TITAN_DIALECT_TITAN_COPYPLACES_H

#include "titan/Dialect/Titan/Titan.h"

namespace titan {

/// One end of a copy.
struct CopyPlace {
  /// A tensor, a buffer; in registers the tile.
  mlir::Value memory;
  /// One a dimension of the tile, or none: 0 each.
  llvm::SmallVector<mlir::Value> offsets;
  /// Of the tile; sizes that only the launch knows are dynamic.
  llvm::SmallVector<int64_t> shape;
  /// Shared memory: the byte of each element, from the buffer's beginning.
  std::optional<Layout> layout;
  /// Whether the layout is another one than the type's.
  bool relaid = false;
  /// A register tile, all of it.
  bool registers = false;

  bool isShared() const { return layout.has_value(); }
};

struct CopyPlaces {
  CopyPlace source, target;
  /// The region: no more dimensions than either place has.
  llvm::SmallVector<int64_t> extents;
  mlir::Type elementType;
  int64_t elements() const;
  int64_t bytes() const { return elements() * getElementBytes(elementType); }
  /// The region in a place of higher rank, too.
  llvm::SmallVector<int64_t> extentsIn(const CopyPlace &place) const;
};

/// The places of a copy without a schedule. Problems copy-form, copy-region,
/// shared-ring, out-of-bounds, and those of Layout::parse.
Result<CopyPlaces> placesOf(CopyAsyncOp copy);
Result<CopyPlaces> placesOf(CopyOp copy);

/// titan.copy says where its tile goes (TileFlow.h).
void registerCopyFlow(mlir::MLIRContext &context);

} // namespace titan

#endif
