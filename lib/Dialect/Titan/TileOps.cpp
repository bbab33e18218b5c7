//===- TileOps.cpp - register tiles ---------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Layout/Rows.h"

using namespace mlir;
using namespace titan;

LogicalResult SplatOp::verify() {
  if (getType().getElementType() != getValue().getType())
    return emitOpError("[tile-element-type] the tile holds ")
           << getType().getElementType() << ", the value is "
           << getValue().getType();
  return verifyTileType(*this, getType());
}

LogicalResult CoordinateOp::verify() {
  if (!getType().getElementType().isInteger(32))
    return emitOpError("[tile-element-type] coordinates are i32");
  if (getDimension() >= static_cast<uint64_t>(getType().getRank()))
    return emitOpError("[tile-dimension] dimension ")
           << static_cast<int64_t>(getDimension()) << " of a tile of rank "
           << getType().getRank();
  return verifyTileType(*this, getType());
}

LogicalResult ExtractOp::verify() {
  RankedTensorType from = getTile().getType(), to = getType();
  if (failed(verifyTileType(*this, from)) || failed(verifyTileType(*this, to)))
    return failure();
  if (from.getElementType() != to.getElementType() ||
      from.getRank() != to.getRank() ||
      getOffsets().size() != static_cast<size_t>(from.getRank()))
    return emitOpError("[tile-extract-type] tile, offsets and result have one "
                       "rank, and tile and "
                       "result one element type");
  Result<LayoutSlice> slice =
      getTileLayout(from)->slice({getOffsets().begin(), getOffsets().end()},
                                 {to.getShape().begin(), to.getShape().end()});
  if (!slice)
    return emitOpError("[")
           << slice.problem().code << "] " << slice.problem().message;
  if (!slice->layout.sameFunction(*getTileLayout(to)))
    return emitOpError("[tile-extract-layout] each thread keeps its own "
                       "registers, so the "
                       "result's layout is #titan.layout<\"")
           << slice->layout.str() << "\">, which is not the layout of " << to;
  return success();
}

LogicalResult PanelOp::verify() {
  RankedTensorType from = getTile().getType(), to = getType();
  if (failed(verifyTileType(*this, from)) || failed(verifyTileType(*this, to)))
    return failure();
  if (from.getElementType() != to.getElementType() ||
      from.getRank() != to.getRank() ||
      from.getShape().drop_back() != to.getShape().drop_back() ||
      from.getShape().back() % to.getShape().back())
    return emitOpError("[tile-panel-type] a panel has all rows of the tile, a "
                       "part of its columns that divides them, and its element "
                       "type; ")
           << to << " is no panel of " << from;
  if (auto index = getConstant(getIndex());
      index &&
      (*index < 0 || *index >= from.getShape().back() / to.getShape().back()))
    return emitOpError("[out-of-bounds] panel ")
           << *index << " of " << from.getShape().back() / to.getShape().back();
  return success();
}

/// `row` is `tile` without its last dimension, in shape, elements and layout.
static LogicalResult verifyRow(Operation *op, RankedTensorType tile,
                               RankedTensorType row) {
  if (failed(verifyTileType(op, tile)) || failed(verifyTileType(op, row)))
    return failure();
  if (tile.getElementType() != row.getElementType() ||
      tile.getShape().drop_back() != row.getShape())
    return op->emitOpError("[tile-reduce-type] the rows of ")
           << tile << " are a tile of its element type and of its shape "
           << "without the last dimension, not " << row;
  Result<Layout> without = getTileLayout(tile)->withoutDim(tile.getRank() - 1);
  if (!without)
    return op->emitOpError("[")
           << without.problem().code << "] " << without.problem().message;
  if (!without->sameFunction(*getTileLayout(row)))
    return op->emitOpError("[layout-mismatch] each thread holds the values of "
                           "its own rows: the layout is #titan.slice<")
           << tile.getRank() - 1 << ", " << tile.getEncoding()
           << ">, not that of " << row;
  return success();
}

LogicalResult ReduceOp::verify() {
  RankedTensorType tile = getTile().getType();
  if (failed(getType() == tile ? verifyTileType(*this, tile)
                               : verifyRow(*this, tile, getType())) ||
      failed(verifyCombine(*this, getKind(), tile.getElementType())))
    return failure();
  if (!tile.getRank())
    return emitOpError("[tile-dimension] a tile of rank 0 has no rows");
  // Between warps: one element for each warp's part of each row.
  Result<RowParts> cut = cutRows(*getTileLayout(tile));
  int64_t parts = cut ? cut->parts : 1;
  return verifyExchange(
      *this, tile, getScratch(), getBarrier(), getThreads(),
      tile.getNumElements() / tile.getShape().back() * parts,
      parts == 1 ? "" : "each row lies in " + std::to_string(parts) + " warps");
}

LogicalResult BroadcastOp::verify() {
  return verifyRow(*this, getType(), getTile().getType());
}
