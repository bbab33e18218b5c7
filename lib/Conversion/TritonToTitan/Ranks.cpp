//===- Ranks.cpp - tensors of more dimensions than layouts have -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tl.sort and tl.topk of 2^n elements make tensors of n dimensions, and each of their
// steps looks at one of these. Such a tensor becomes one of a single dimension, in
// row-major order, and a step one of the dimension that it looks at, those before it
// in one, and those behind it in one.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace titan;

/// Tensors of so many dimensions stay as they are. Of more, a sort's steps take fewer exchanges
/// where its masks are computed from places (`placesOf`).
static constexpr int64_t shallow = 4;

static bool isDeep(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() > shallow;
}

static RankedTensorType asShape(RankedTensorType type,
                                ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, type.getElementType());
}

static RankedTensorType flat(RankedTensorType type) {
  return isDeep(type) ? asShape(type, {type.getNumElements()}) : type;
}

/// The same elements, in row-major order.
static Value reshape(OpBuilder &b, Location loc, Value value,
                     RankedTensorType type) {
  while (auto op = value.getDefiningOp<tt::ReshapeOp>()) {
    if (op.getAllowReorder())
      break;
    value = op.getSrc();
  }
  if (value.getType() == type)
    return value;
  return tt::ReshapeOp::create(b, loc, type, value, /*allow_reorder=*/false,
                               /*efficient_layout=*/false);
}

/// The elements before, along and behind an axis.
static SmallVector<int64_t> around(ArrayRef<int64_t> shape, int64_t axis) {
  return {llvm::product_of(shape.take_front(axis)), shape[axis],
          llvm::product_of(shape.drop_front(axis + 1))};
}

/// A reduction along the middle one of three dimensions. `shape`: what the operands
/// were.
static void reduceFlat(tt::ReduceOp op, ArrayRef<int64_t> shape) {
  OpBuilder b(op);
  SmallVector<int64_t> three = around(shape, op.getAxis());
  for (OpOperand &operand : op->getOpOperands())
    operand.set(reshape(
        b, op.getLoc(), operand.get(),
        asShape(cast<RankedTensorType>(operand.get().getType()), three)));
  op.setAxis(1);
  b.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    auto type = flat(cast<RankedTensorType>(result.getType()));
    result.setType(asShape(type, {three[0], three[2]}));
    Value now = reshape(b, op.getLoc(), result, type);
    result.replaceAllUsesExcept(now, now.getDefiningOp());
  }
}

/// A broadcast, neighbours that are all repeated, or all not, together. False: there
/// are too many of them.
static bool broadcastFlat(tt::BroadcastOp op, ArrayRef<int64_t> from,
                          ArrayRef<int64_t> to) {
  SmallVector<int64_t> source, target;
  std::optional<bool> before;
  for (auto [one, all] : llvm::zip(from, to)) {
    if (one == 1 && all == 1)
      continue;
    bool repeated = one != all;
    if (before != repeated) {
      source.push_back(1);
      target.push_back(1);
    }
    before = repeated;
    source.back() *= one;
    target.back() *= all;
  }
  if (static_cast<int64_t>(source.size()) > Coord::maxRank)
    return false;
  if (source.empty())
    source = target = {1};
  OpBuilder b(op);
  auto type = cast<RankedTensorType>(op.getSrc().getType());
  Value row = reshape(b, op.getLoc(), op.getSrc(), asShape(type, source));
  Value all =
      tt::BroadcastOp::create(b, op.getLoc(), asShape(type, target), row);
  op.getResult().replaceAllUsesWith(
      reshape(b, op.getLoc(), all, cast<RankedTensorType>(op.getType())));
  op.erase();
  return true;
}

/// An operation on elements one of which is repeated: under the shape in which it is, so
/// that it is made where the others lie.
static void elementwiseFlat(Operation *op) {
  tt::BroadcastOp repeated;
  for (Value operand : op->getOperands())
    if (auto reshaped = operand.getDefiningOp<tt::ReshapeOp>();
        reshaped && !repeated)
      repeated = reshaped.getSrc().getDefiningOp<tt::BroadcastOp>();
  if (!repeated || op->getNumResults() != 1)
    return;
  ArrayRef<int64_t> shape = repeated.getType().getShape();
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.get().getType()))
      operand.set(
          reshape(b, op->getLoc(), operand.get(), asShape(type, shape)));
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  result.setType(asShape(type, shape));
  b.setInsertionPointAfter(op);
  Value now = reshape(b, op->getLoc(), result, type);
  result.replaceAllUsesExcept(now, now.getDefiningOp());
}

/// `value`, computed of places along its dimensions alone, repeated to the shape `to`,
/// as a tensor of one dimension. Null: it is something else.
static Value placesOf(OpBuilder &b, Value value, ArrayRef<int64_t> to) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  auto type = cast<RankedTensorType>(value.getType());
  RankedTensorType all = asShape(type, {llvm::product_of(to)});
  SplatElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return arith::ConstantOp::create(
        b, op->getLoc(),
        DenseElementsAttr::get(all, constant.getSplatValue<Attribute>()));
  if (auto broadcast = dyn_cast<tt::BroadcastOp>(op))
    return placesOf(b, broadcast.getSrc(), to);
  if (auto reshape = dyn_cast<tt::ReshapeOp>(op)) {
    // A range along one dimension: the bits of the place that are its own.
    auto range = reshape.getSrc().getDefiningOp<tt::MakeRangeOp>();
    if (!range || range.getStart() != 0)
      return {};
    ArrayRef<int64_t> shape = type.getShape();
    int64_t extent = type.getNumElements();
    auto axis = llvm::find(shape, extent) - shape.begin();
    if (axis == type.getRank() || to[axis] != extent)
      return {};
    auto number = [&](int64_t of) -> Value {
      return arith::ConstantOp::create(
          b, op->getLoc(),
          DenseElementsAttr::get(
              all, b.getI32IntegerAttr(static_cast<int32_t>(of))));
    };
    Value place = tt::MakeRangeOp::create(
        b, op->getLoc(), all, 0, static_cast<uint32_t>(all.getNumElements()));
    Value behind = arith::ShRUIOp::create(
        b, op->getLoc(), place,
        number(llvm::Log2_64(llvm::product_of(to.drop_front(axis + 1)))));
    return arith::AndIOp::create(b, op->getLoc(), behind, number(extent - 1));
  }
  if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1)
    return {};
  IRMapping now;
  for (Value operand : op->getOperands()) {
    Value made = isa<RankedTensorType>(operand.getType())
                     ? placesOf(b, operand, to)
                     : Value();
    if (!made)
      return {};
    now.map(operand, made);
  }
  Operation *same = b.clone(*op, now);
  same->getResult(0).setType(all);
  return same->getResult(0);
}

/// Whether what it does with deep tensors is written below.
static bool isWritten(Operation *op) {
  return isa<tt::ReshapeOp, tt::ExpandDimsOp, tt::BroadcastOp, tt::ReduceOp,
             tt::SplatOp, arith::ConstantOp, scf::ForOp, scf::IfOp,
             scf::WhileOp, scf::YieldOp, scf::ConditionOp>(op) ||
         op->hasTrait<OpTrait::Elementwise>();
}

static void eraseDead(tt::FuncOp function) {
  function.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

LogicalResult titan::flattenDeepTensors(tt::FuncOp function) {
  int64_t rank = 0;
  Operation *other = nullptr;
  function.walk([&](Operation *op) {
    bool any = false;
    for (TypeRange types :
         {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      for (Type type : types)
        if (isDeep(type)) {
          any = true;
          rank = std::max(rank, cast<RankedTensorType>(type).getRank());
        }
    if (any && !other && !isWritten(op))
      other = op;
  });
  if (rank == 0 || (other && rank <= Coord::maxRank))
    return success();
  if (other)
    return other->emitError("[not-supported-yet] '")
           << other->getName().getStringRef() << "' of a tensor of more than "
           << shallow << " dimensions, where others have more than "
           << Coord::maxRank;
  // Masks of places need no exchange between threads. From the last ones on: what is
  // repeated first is seen through.
  SmallVector<tt::BroadcastOp> repeated;
  function.walk([&](tt::BroadcastOp op) {
    if (isDeep(op.getType()))
      repeated.push_back(op);
  });
  for (tt::BroadcastOp op : llvm::reverse(repeated)) {
    OpBuilder b(op);
    if (Value all = placesOf(b, op.getSrc(), op.getType().getShape()))
      op.getResult().replaceAllUsesWith(
          reshape(b, op.getLoc(), all, cast<RankedTensorType>(op.getType())));
  }
  eraseDead(function);
  // What operands and results were.
  struct Deep {
    Operation *op;
    SmallVector<int64_t> from, to;
  };
  SmallVector<Deep> all;
  auto shapeOf = [](TypeRange types) {
    auto tensor = types.empty() ? RankedTensorType()
                                : dyn_cast<RankedTensorType>(types.front());
    return tensor ? SmallVector<int64_t>(tensor.getShape())
                  : SmallVector<int64_t>();
  };
  function.walk([&](Operation *op) {
    if (llvm::any_of(op->getResultTypes(), isDeep) ||
        llvm::any_of(op->getOperandTypes(), isDeep))
      all.push_back(
          {op, shapeOf(op->getOperandTypes()), shapeOf(op->getResultTypes())});
  });
  auto flatten = [](Value value) {
    if (isDeep(value.getType()))
      value.setType(flat(cast<RankedTensorType>(value.getType())));
  };
  for (auto &[op, from, to] : all) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      constant.setValueAttr(
          cast<DenseElementsAttr>(constant.getValue())
              .reshape(flat(cast<RankedTensorType>(constant.getType()))));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), flatten);
    if (!isa<tt::ReduceOp>(op))
      llvm::for_each(op->getResults(), flatten);
  }
  for (auto &[op, from, to] : all) {
    if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
      reduceFlat(reduce, from);
    } else if (auto broadcast = dyn_cast<tt::BroadcastOp>(op)) {
      if (!broadcastFlat(broadcast, from, to))
        return op->emitError("[not-supported-yet] a broadcast along more than ")
               << Coord::maxRank << " dimensions";
    } else if (isa<tt::ReshapeOp, tt::ExpandDimsOp>(op)) {
      OpBuilder b(op);
      Value result = op->getResult(0);
      result.replaceAllUsesWith(
          reshape(b, op->getLoc(), op->getOperand(0),
                  cast<RankedTensorType>(result.getType())));
      op->erase();
    } else if (op->hasTrait<OpTrait::Elementwise>()) {
      elementwiseFlat(op);
    }
  }
  eraseDead(function);
  return success();
}
