//===- ShapeOps.cpp - shapes: splat, reshape, transpose, join, gather -----===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Triton/Triton.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace titan::tt;

static RankedTensorType shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A constant under another shape.
static OpFoldResult foldView(Attribute source, Type type) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(source);
  auto tensor = cast<RankedTensorType>(type);
  if (!dense)
    return {};
  if (dense.isSplat())
    return dense.resizeSplat(tensor);
  return dense.getNumElements() == tensor.getNumElements()
             ? OpFoldResult(dense.reshape(tensor))
             : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// make_range, splat, unsplat
//===----------------------------------------------------------------------===//

LogicalResult MakeRangeOp::verify() {
  int64_t start = getStartAttr().getInt(), end = getEndAttr().getInt();
  auto type = cast<RankedTensorType>(getType());
  if (start >= end)
    return emitOpError("[tt-attribute] the range [")
           << start << ", " << end << ") is empty";
  if (type.getRank() != 1 || type.getDimSize(0) != end - start)
    return emitOpError("[tt-shape] the range [")
           << start << ", " << end << ") has " << end - start
           << " elements, and makes a tensor of rank 1, not " << type;
  if (!type.getElementType().isInteger(32))
    return emitOpError("[tt-type] a range is of i32, not of ")
           << type.getElementType();
  return success();
}

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  if (getStartAttr().getInt() + 1 != getEndAttr().getInt())
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(getType()), getStartAttr());
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute value = adaptor.getSrc();
  if (!isa_and_nonnull<FloatAttr, IntegerAttr>(value))
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(getType()), value);
}

LogicalResult UnsplatOp::verify() {
  if (shapeOf(getSrc()).getNumElements() == 1)
    return success();
  return emitOpError("[tt-shape] ")
         << getSrc().getType() << " has more than the one element";
}

//===----------------------------------------------------------------------===//
// expand_dims, reshape, broadcast, trans
//===----------------------------------------------------------------------===//

LogicalResult ExpandDimsOp::verify() {
  SmallVector<int64_t> shape(shapeOf(getSrc()).getShape());
  int64_t axis = getAxisAttr().getInt();
  if (axis < 0 || axis > static_cast<int64_t>(shape.size()))
    return emitOpError("[tt-attribute] axis ")
           << axis << " of a result of rank " << shape.size() + 1;
  shape.insert(shape.begin() + axis, 1);
  if (shapeOf(getResult()).getShape() != ArrayRef<int64_t>(shape))
    return emitOpError("[tt-shape] a dimension of size 1 at ")
           << axis << " of " << getSrc().getType() << " does not make "
           << getType();
  return success();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return foldView(adaptor.getSrc(), getType());
}

LogicalResult ExpandDimsOp::canonicalize(ExpandDimsOp op,
                                         PatternRewriter &rewriter) {
  // Of a splat: a splat. Of a broadcast: the broadcast of the new dimension.
  if (auto splat = op.getSrc().getDefiningOp<SplatOp>()) {
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
  auto broadcast = op.getSrc().getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return failure();
  RankedTensorType type = shapeOf(broadcast.getSrc());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + op.getAxisAttr().getInt(), 1);
  Value expanded =
      ExpandDimsOp::create(rewriter, op.getLoc(),
                           RankedTensorType::get(shape, type.getElementType()),
                           broadcast.getSrc(), op.getAxisAttr());
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), expanded);
  return success();
}

LogicalResult ReshapeOp::verify() {
  if (shapeOf(getSrc()).getNumElements() ==
      shapeOf(getResult()).getNumElements())
    return success();
  return emitOpError("[tt-shape] ")
         << getSrc().getType() << " and " << getType()
         << " have different numbers of elements";
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType() && !getAllowReorder())
    return getSrc();
  return foldView(adaptor.getSrc(), getType());
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  if (op.getEfficientLayout())
    return failure();
  if (auto splat = op.getSrc().getDefiningOp<SplatOp>()) {
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
  auto first = op.getSrc().getDefiningOp<ReshapeOp>();
  if (!first)
    return failure();
  bool reorder = op.getAllowReorder() || first.getAllowReorder();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), first.getSrc(),
                                         reorder, false);
  return success();
}

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSrc()).getShape();
  ArrayRef<int64_t> to = shapeOf(getResult()).getShape();
  if (from.size() != to.size())
    return emitOpError("[tt-shape] ")
           << getSrc().getType() << " and " << getType()
           << " have different ranks; tt.expand_dims adds dimensions";
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] != 1 && from[d] != to[d])
      return emitOpError("[tt-shape] dimension ")
             << d << " of size " << from[d] << " cannot become " << to[d]
             << ": only dimensions of size 1 are repeated";
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSrc()))
    return splat.resizeSplat(cast<ShapedType>(getType()));
  return {};
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op,
                                        PatternRewriter &rewriter) {
  if (auto splat = op.getSrc().getDefiningOp<SplatOp>()) {
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
  auto first = op.getSrc().getDefiningOp<BroadcastOp>();
  if (!first)
    return failure();
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), first.getSrc());
  return success();
}

LogicalResult TransOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSrc()).getShape();
  ArrayRef<int64_t> to = shapeOf(getResult()).getShape();
  ArrayRef<int32_t> order = getOrder();
  SmallVector<bool> seen(from.size(), false);
  bool permutation = order.size() == from.size();
  for (size_t d = 0; permutation && d < order.size(); ++d) {
    permutation = order[d] >= 0 &&
                  order[d] < static_cast<int64_t>(from.size()) &&
                  !seen[order[d]];
    if (permutation)
      seen[order[d]] = true;
  }
  if (!permutation)
    return emitOpError("[tt-attribute] order [")
           << order << "] is no permutation of the " << from.size()
           << " dimensions";
  bool fits = to.size() == from.size();
  for (size_t d = 0; fits && d < to.size(); ++d)
    fits = to[d] == from[order[d]];
  if (!fits)
    return emitOpError("[tt-shape] ")
           << getSrc().getType() << " in the order [" << order
           << "] does not make " << getType();
  return success();
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  bool same = true;
  for (auto [d, from] : llvm::enumerate(getOrder()))
    same &= static_cast<int32_t>(d) == from;
  if (same && getSrc().getType() == getType())
    return getSrc();
  if (auto first = getSrc().getDefiningOp<TransOp>()) {
    SmallVector<int32_t> order;
    for (int32_t from : getOrder())
      order.push_back(first.getOrder()[from]);
    setOrder(order);
    setOperand(first.getSrc());
    return getResult();
  }
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSrc()))
    return splat.resizeSplat(cast<ShapedType>(getType()));
  return {};
}

//===----------------------------------------------------------------------===//
// cat, join, split, gather, histogram
//===----------------------------------------------------------------------===//

LogicalResult CatOp::verify() {
  if (shapeOf(getResult()).getNumElements() ==
      2 * shapeOf(getLhs()).getNumElements())
    return success();
  return emitOpError("[tt-shape] two of ")
         << getLhs().getType() << " do not make " << getType();
}

/// Whether `wide` is `narrow` with an innermost dimension of size 2.
static bool isDoubled(RankedTensorType narrow, RankedTensorType wide) {
  return wide.getRank() == narrow.getRank() + 1 &&
         wide.getShape().back() == 2 &&
         wide.getShape().drop_back() == narrow.getShape() &&
         wide.getElementType() == narrow.getElementType();
}

LogicalResult JoinOp::verify() {
  if (isDoubled(shapeOf(getLhs()), shapeOf(getResult())))
    return success();
  return emitOpError("[tt-shape] two of ")
         << getLhs().getType()
         << " along a new innermost dimension do not make " << getType();
}

LogicalResult SplitOp::verify() {
  if (isDoubled(shapeOf(getOutLHS()), shapeOf(getSrc())))
    return success();
  return emitOpError("[tt-shape] ")
         << getSrc().getType()
         << " along its innermost dimension of size 2 does not make two of "
         << getOutLHS().getType();
}

LogicalResult GatherOp::verify() {
  RankedTensorType source = shapeOf(getSrc()), result = shapeOf(getResult()),
                   indices = shapeOf(getIndices());
  int64_t axis = getAxisAttr().getInt();
  if (axis < 0 || axis >= source.getRank())
    return emitOpError("[tt-attribute] axis ")
           << axis << " of a source of rank " << source.getRank();
  if (indices.getShape() != result.getShape() ||
      indices.getRank() != source.getRank() ||
      source.getElementType() != result.getElementType())
    return emitOpError("[tt-shape] ") << source << " gathered by " << indices
                                      << " does not make " << result;
  for (int64_t d = 0; d < source.getRank(); ++d)
    if (d != axis && indices.getDimSize(d) > source.getDimSize(d))
      return emitOpError("[tt-shape] dimension ")
             << d << " of the indices, " << indices.getDimSize(d)
             << ", is larger than the source's, " << source.getDimSize(d);
  return success();
}

LogicalResult HistogramOp::verify() {
  if (shapeOf(getSrc()).getRank() == 1 && shapeOf(getResult()).getRank() == 1)
    return success();
  return emitOpError("[tt-shape] a histogram is of rank 1, and of rank 1, not ")
         << getSrc().getType() << " and " << getType();
}
