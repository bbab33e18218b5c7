//===- TileOps.cpp - register tiles ---------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/Contents.h"
#include "titan/Dialect/Titan/TileWarps.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Layout/Rows.h"

using namespace mlir;
using namespace titan;

std::optional<Problem> titan::refuseLanes(int64_t layoutLanes, int64_t lanes) {
  if (layoutLanes == lanes)
    return std::nullopt;
  return Problem{
      "layout-mismatch",
      "the tile's layout is for warps of " + std::to_string(layoutLanes) +
          " lanes, and those here have " + std::to_string(lanes),
      "give the layout lanes that multiply to " + std::to_string(lanes)};
}

std::optional<Problem> titan::refuseWarps(int64_t layoutWarps, int64_t warps) {
  if (layoutWarps <= warps && warps % layoutWarps == 0)
    return std::nullopt;
  return Problem{"layout-mismatch",
                 "the tile's layout is for " + std::to_string(layoutWarps) +
                     " warps, and " + std::to_string(warps) + " execute this",
                 "give the layout warps that multiply to " +
                     std::to_string(warps) +
                     ", or to a divisor of it; or the kernel or partition "
                     "warps(" +
                     std::to_string(layoutWarps) + ")"};
}

std::optional<Problem> titan::refuseWarps(Operation *op, int64_t warps,
                                          int64_t lanes) {
  auto refuse = [&](Type type) -> std::optional<Problem> {
    if (auto inflight = dyn_cast<InFlightType>(type))
      type = inflight.getTensor();
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile || !tile.getEncoding())
      return std::nullopt;
    Result<Layout> layout = getTileLayout(tile);
    if (!layout)
      return std::nullopt;
    if (auto problem = refuseLanes(layout->lanes(), lanes))
      return problem;
    return refuseWarps(layout->warps(), warps);
  };
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (auto problem = refuse(type))
        return problem;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Elements by their places
//===----------------------------------------------------------------------===//

/// What `of` gives each place of a tile, row-major.
static std::vector<int64_t>
atEachPlace(RankedTensorType tile,
            llvm::function_ref<int64_t(ArrayRef<int64_t>)> of) {
  std::vector<int64_t> elements;
  elements.reserve(tile.getNumElements());
  SmallVector<int64_t> place(tile.getRank(), 0);
  for (int64_t i = 0; i < tile.getNumElements(); ++i) {
    elements.push_back(of(place));
    for (int64_t d = tile.getRank();
         d-- > 0 && ++place[d] == tile.getDimSize(d);)
      place[d] = 0;
  }
  return elements;
}

std::vector<int64_t>
SplatOp::getElements(ArrayRef<ArrayRef<int64_t>> operands) {
  return std::vector<int64_t>(getType().getNumElements(), operands[0][0]);
}

std::vector<int64_t> CoordinateOp::getElements(ArrayRef<ArrayRef<int64_t>>) {
  return atEachPlace(getType(), [&](ArrayRef<int64_t> place) {
    return place[getDimension()];
  });
}

bool ExtractOp::keepsRegisters() { return true; }
std::vector<int64_t>
ExtractOp::getElements(ArrayRef<ArrayRef<int64_t>> operands) {
  RankedTensorType from = getTile().getType();
  return atEachPlace(getType(), [&](ArrayRef<int64_t> place) {
    int64_t index = 0;
    for (auto [d, at] : llvm::enumerate(place))
      index = index * from.getDimSize(d) + getOffsets()[d] + at;
    return operands[0][index];
  });
}

std::vector<int64_t>
BroadcastOp::getElements(ArrayRef<ArrayRef<int64_t>> operands) {
  int64_t columns = getType().getShape().back();
  std::vector<int64_t> elements;
  for (int64_t value : operands[0])
    elements.insert(elements.end(), columns, value);
  return elements;
}

//===----------------------------------------------------------------------===//
// Where tiles go
//===----------------------------------------------------------------------===//

void SplatOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Pass{getValue(), getResult()});
}
void CoordinateOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Place{getResult(), static_cast<int>(getDimension())});
}
void ExtractOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Pass{getTile(), getResult(), /*newPlaces=*/true});
}
void PanelOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Pass{getTile(), getResult(), /*newPlaces=*/true});
}
void ReduceOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Reduce{
      getTile(), getResult(), stringifyReduceKind(getKind()).str(),
      llvm::is_contained({ReduceKind::Add, ReduceKind::Or, ReduceKind::Xor},
                         getKind())});
}
void BroadcastOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Broadcast{getTile(), getResult()});
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  if (getType().getElementType() != getValue().getType())
    return emitOpError("[tile-element-type] the tile holds ")
           << getType().getElementType() << ", the value is "
           << getValue().getType();
  return verifyTileType(*this, getType());
}

LogicalResult UnsplatOp::verify() {
  RankedTensorType tile = getTile().getType();
  if (failed(verifyTileType(*this, tile)))
    return failure();
  if (tile.getElementType() != getType())
    return emitOpError("[tile-element-type] the tile holds ")
           << tile.getElementType() << ", the value is " << getType();
  if (tile.getNumElements() != 1)
    return emitOpError("[tile-one-element] ")
           << tile << " has " << tile.getNumElements() << " elements";
  return success();
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
    return withFix(
        emitOpError("[out-of-bounds] panel ")
            << *index << " of "
            << from.getShape().back() / to.getShape().back(),
        "panels count from 0 to " +
            Twine(from.getShape().back() / to.getShape().back() - 1));
  return success();
}

Value PanelOp::getRegisterIndex() { return getIndex(); }
int64_t PanelOp::getRegisterChoices() {
  return cast<RankedTensorType>(getTile().getType()).getShape().back() /
         getType().getShape().back();
}
Value PanelOp::atIndex(OpBuilder &b, int64_t index) {
  SmallVector<int64_t> offsets(getType().getRank(), 0);
  offsets.back() = index * getType().getShape().back();
  return ExtractOp::create(b, getLoc(), getType(), getTile(), offsets);
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
    return withFix(
        op->emitOpError("[layout-mismatch] each thread holds the values of "
                        "its own rows: the layout is #titan.slice<")
            << tile.getRank() - 1 << ", " << tile.getEncoding()
            << ">, not that of " << row,
        "give the rows that layout; titan.convert_layout makes another of "
        "it");
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
  Result<Layout> rows =
      rowsByDigits(*getTileLayout(tile), static_cast<int>(tile.getRank()) - 1);
  Result<RowParts> cut = rows ? cutRows(*rows) : rows.problem();
  int64_t parts = cut ? cut->parts : 1;
  return verifyExchange(
      *this, tile, getScratch(), getBarrier(), getThreads(),
      tile.getNumElements() / tile.getShape().back() * parts,
      parts == 1 ? "" : "each row lies in " + std::to_string(parts) + " warps");
}

Value titan::tileOfVote(Value value) {
  auto vote = value.getDefiningOp<AnyOp>();
  return vote ? vote.getTile() : Value();
}

LogicalResult AnyOp::verify() {
  RankedTensorType tile = getTile().getType();
  if (!tile.getElementType().isInteger(1))
    return emitOpError("[tile-element-type] the tile holds ")
           << tile.getElementType() << ", not i1";
  if (failed(verifyWholeWarp(*this)))
    return failure();
  return verifyTileType(*this, tile);
}

LogicalResult BroadcastOp::verify() {
  return verifyRow(*this, getType(), getTile().getType());
}

/// The layout of the narrow elements as runs of wide ones: a part of each run.
static Result<LayoutSplit> splitRuns(RankedTensorType wide,
                                     RankedTensorType narrow) {
  std::vector<int64_t> shape(wide.getShape().begin(), wide.getShape().end());
  shape.push_back(narrow.getShape().back() / wide.getShape().back());
  Result<Layout> layout = getTileLayout(narrow);
  if (!layout)
    return layout.problem();
  Result<Layout> runs = layout->reshaped(shape);
  if (!runs)
    return runs.problem();
  return runs->split();
}

/// Of two tiles, the one of wider elements first.
static std::pair<RankedTensorType, RankedTensorType>
byWidth(RankedTensorType from, RankedTensorType to) {
  if (from.getElementTypeBitWidth() < to.getElementTypeBitWidth())
    std::swap(from, to);
  return {from, to};
}

LogicalResult TileBitcastOp::verify() {
  RankedTensorType from = getTile().getType(), to = getType();
  if (failed(verifyTileType(*this, from)) || failed(verifyTileType(*this, to)))
    return failure();
  for (Type element : {from.getElementType(), to.getElementType()}) {
    unsigned bits =
        element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
      return emitOpError(
                 "[tile-bitcast] elements have 8, 16, 32 or 64 bits, not "
                 "those of ")
             << element;
  }
  auto [wide, narrow] = byWidth(from, to);
  int64_t ratio =
      wide.getElementTypeBitWidth() / narrow.getElementTypeBitWidth();
  if (wide.getRank() != narrow.getRank() || wide.getRank() == 0 ||
      wide.getShape().drop_back() != narrow.getShape().drop_back() ||
      wide.getShape().back() * ratio != narrow.getShape().back())
    return emitOpError("[tile-bitcast] ")
           << ratio << " elements of " << narrow.getElementType()
           << " are one of " << wide.getElementType()
           << ": the last dimension has " << ratio
           << " times the elements, the others are equal; " << from << " and "
           << to << " are not so";
  Result<LayoutSplit> split = splitRuns(wide, narrow);
  if (!split || !split->layout.sameFunction(*getTileLayout(wide)))
    return emitOpError("[tile-bitcast] each thread keeps its registers, so it "
                       "holds, for each of its elements of ")
           << wide << ", the " << ratio << " of " << narrow << " in its place"
           << (split ? ": those layouts say otherwise"
                     : ": " + split.problem().message);
  return success();
}

std::vector<std::vector<int64_t>> TileBitcastOp::getParts() {
  auto [wide, narrow] = byWidth(getTile().getType(), getType());
  return splitRuns(wide, narrow)->registers;
}
