//===- Program.cpp - the grid, assertions, loops and branches -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace titan;

template <typename Ask, typename Op>
static LogicalResult convertGrid(ProgramConversion &c, Op op) {
  auto dimension = static_cast<int64_t>(op.getAxis());
  Value number =
      Ask::create(c.b, c.b.getIndexType(), c.b.getI64IntegerAttr(dimension));
  c.set(op.getResult(),
        arith::IndexCastOp::create(c.b, c.b.getI32Type(), number));
  return success();
}

/// The kernel stops where data breaks the assertion: behind it, it is promised.
static LogicalResult convertAssert(ProgramConversion &c, tt::AssertOp op) {
  auto tensor = dyn_cast<RankedTensorType>(op.getCondition().getType());
  Value holds;
  if (tensor) {
    auto tile = c.value(op.getCondition());
    if (failed(tile))
      return failure();
    c.promise(*tile, op.getCondition());
    auto type = cast<RankedTensorType>(tile->getType());
    Value all =
        arith::ConstantOp::create(c.b, DenseElementsAttr::get(type, true));
    Value bad = AnyOp::create(c.b, c.b.getI1Type(),
                              arith::XOrIOp::create(c.b, *tile, all));
    holds = arith::XOrIOp::create(
        c.b, bad, arith::ConstantOp::create(c.b, c.b.getBoolAttr(true)));
  } else {
    holds = c.scalar(op.getCondition());
    c.promise(holds, op.getCondition());
  }
  titan::AssertOp::create(c.b, holds, op.getMessageAttr());
  return success();
}

static LogicalResult convertPrint(ProgramConversion &c, tt::PrintOp op) {
  SmallVector<Value> values;
  for (Value value : op.getArgs()) {
    if (isa<RankedTensorType>(value.getType()))
      return c.unsupported(op, "to print a tensor: titan.print has scalars");
    values.push_back(c.scalar(value));
  }
  titan::PrintOp::create(c.b, op.getPrefixAttr(), values);
  return success();
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

/// Values as `like` are: tensors in the layouts in which those are.
static FailureOr<SmallVector<Value>>
valuesLike(ProgramConversion &c, ValueRange values, ValueRange like) {
  SmallVector<Value> now;
  for (auto [value, other] : llvm::zip(values, like)) {
    if (!isa<RankedTensorType>(value.getType())) {
      now.push_back(c.scalar(value));
      continue;
    }
    auto tile = c.tile(value, c.layoutOf(other));
    if (failed(tile))
      return failure();
    now.push_back(*tile);
  }
  return now;
}

static SmallVector<Type> typesOf(ProgramConversion &c, ValueRange values) {
  SmallVector<Type> types;
  for (Value value : values)
    types.push_back(isa<RankedTensorType>(value.getType())
                        ? Type(c.typeOf(value, c.layoutOf(value)))
                        : c.elementOf(value.getType()));
  return types;
}

/// Pointers that a loop carries, or a branch chooses, stay in one argument.
static LogicalResult sameBases(ProgramConversion &c, Operation *op,
                               ValueRange values, ValueRange others) {
  for (auto [value, other] : llvm::zip(values, others)) {
    if (!isa<tt::PointerType>(getElementTypeOrSelf(value.getType())))
      continue;
    Value one = c.base(op, value);
    Value two = one ? c.base(op, other) : Value();
    if (!two)
      return failure();
    if (one != two)
      return c.unsupported(op, "a pointer into one argument or another");
  }
  return success();
}

template <typename Yield>
static LogicalResult fillBlock(ProgramConversion &c, Block &from, Block *to,
                               ValueRange yielded, ValueRange like) {
  if (failed(c.convertBlock(from)))
    return failure();
  auto values = valuesLike(c, yielded, like);
  if (failed(values))
    return failure();
  c.b.setInsertionPointToEnd(to);
  Yield::create(c.b, *values);
  return success();
}

/// The number of a tensor of one number, of that type: offsets are right modulo
/// 2^32.
static Value numberOf(ProgramConversion &c, Value tensor, Type type) {
  SplatElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant))) {
    APInt number = constant.getSplatValue<APInt>();
    return arith::ConstantOp::create(
        c.b, c.b.getIntegerAttr(
                 type, number.sextOrTrunc(type.getIntOrFloatBitWidth())));
  }
  Value scalar = c.scalar(tensor.getDefiningOp<tt::SplatOp>().getSrc());
  unsigned has = scalar.getType().getIntOrFloatBitWidth(),
           wants = type.getIntOrFloatBitWidth();
  return has > wants   ? arith::TruncIOp::create(c.b, type, scalar).getResult()
         : has < wants ? arith::ExtSIOp::create(c.b, type, scalar).getResult()
                       : scalar;
}

static LogicalResult convertFor(ProgramConversion &c, scf::ForOp op) {
  if (failed(sameBases(c, op, op.getRegionIterArgs(), op.getYieldedValues())))
    return failure();
  SmallVector<Value> inits;
  SmallVector<Value> steps;
  for (unsigned i = 0; i < op.getNumRegionIterArgs(); ++i) {
    BlockArgument argument = op.getRegionIterArg(i);
    steps.push_back(getAdvance(op, i));
    if (steps.back()) {
      inits.push_back(c.constant(c.elementOf(argument.getType()), 0));
      continue;
    }
    auto init = valuesLike(c, op.getInitArgs()[i], Value(argument));
    if (failed(init))
      return failure();
    inits.push_back(init->front());
  }
  auto now =
      scf::ForOp::create(c.b, c.scalar(op.getLowerBound()),
                         c.scalar(op.getUpperBound()), c.scalar(op.getStep()),
                         inits, /*bodyBuilder=*/nullptr, op.getUnsignedCmp());
  OpBuilder::InsertionGuard guard(c.b);
  Block *body = now.getBody();
  if (body->mightHaveTerminator())
    body->getTerminator()->erase();
  for (auto [i, step] : llvm::enumerate(steps))
    if (step) {
      c.derive(op.getRegionIterArg(i), op.getInitArgs()[i],
               now.getRegionIterArg(i));
      c.derive(op.getResult(i), op.getInitArgs()[i], now.getResult(i));
    }
  c.enter(op.getBody()->getArguments(), body);
  c.b.setInsertionPointToEnd(body);
  if (failed(c.convertBlock(*op.getBody())))
    return failure();
  SmallVector<Value> yielded;
  for (auto [i, step] : llvm::enumerate(steps)) {
    if (step) {
      Value number = now.getRegionIterArg(i);
      yielded.push_back(arith::AddIOp::create(
          c.b, number, numberOf(c, step, number.getType())));
      continue;
    }
    auto value =
        valuesLike(c, op.getYieldedValues()[i], Value(op.getRegionIterArg(i)));
    if (failed(value))
      return failure();
    yielded.push_back(value->front());
  }
  c.b.setInsertionPointToEnd(body);
  scf::YieldOp::create(c.b, yielded);
  for (auto [i, step] : llvm::enumerate(steps))
    if (!step)
      c.set(op.getResult(i), now.getResult(i));
  return success();
}

static LogicalResult convertIf(ProgramConversion &c, scf::IfOp op) {
  if (op.getNumResults() &&
      failed(sameBases(c, op, op.thenYield().getOperands(),
                       op.elseYield().getOperands())))
    return failure();
  bool hasElse = !op.getElseRegion().empty();
  auto now = scf::IfOp::create(c.b, typesOf(c, op.getResults()),
                               c.scalar(op.getCondition()), hasElse);
  OpBuilder::InsertionGuard guard(c.b);
  for (auto [from, to] : llvm::zip(op->getRegions(), now->getRegions())) {
    if (from.empty())
      continue;
    if (to.empty())
      to.emplaceBlock();
    Block *block = &to.front();
    if (block->mightHaveTerminator())
      block->getTerminator()->erase();
    c.b.setInsertionPointToEnd(block);
    if (failed(fillBlock<scf::YieldOp>(
            c, from.front(), block, from.front().getTerminator()->getOperands(),
            op.getResults())))
      return failure();
  }
  for (auto [old, result] : llvm::zip(op.getResults(), now.getResults()))
    c.set(old, result);
  return success();
}

static LogicalResult convertWhile(ProgramConversion &c, scf::WhileOp op) {
  scf::ConditionOp condition = op.getConditionOp();
  if (failed(sameBases(c, op, op.getBeforeArguments(),
                       op.getYieldOp().getOperands())))
    return failure();
  auto inits = valuesLike(c, op.getInits(), op.getBeforeArguments());
  if (failed(inits))
    return failure();
  SmallVector<Type> results = typesOf(c, op.getResults());
  auto now = scf::WhileOp::create(c.b, results, *inits);
  OpBuilder::InsertionGuard guard(c.b);
  SmallVector<Type> inner;
  for (Value init : *inits)
    inner.push_back(init.getType());
  Location loc = op.getLoc();
  Block *before = c.b.createBlock(&now.getBefore(), {}, inner,
                                  SmallVector<Location>(inner.size(), loc));
  c.enter(op.getBeforeArguments(), before);
  c.b.setInsertionPointToEnd(before);
  if (failed(c.convertBlock(*op.getBeforeBody())))
    return failure();
  auto passed = valuesLike(c, condition.getArgs(), op.getAfterArguments());
  if (failed(passed))
    return failure();
  c.b.setInsertionPointToEnd(before);
  scf::ConditionOp::create(c.b, c.scalar(condition.getCondition()), *passed);
  Block *after = c.b.createBlock(&now.getAfter(), {}, results,
                                 SmallVector<Location>(results.size(), loc));
  c.enter(op.getAfterArguments(), after);
  c.b.setInsertionPointToEnd(after);
  if (failed(fillBlock<scf::YieldOp>(c, *op.getAfterBody(), after,
                                     op.getYieldOp().getOperands(),
                                     op.getBeforeArguments())))
    return failure();
  for (auto [old, result] : llvm::zip(op.getResults(), now.getResults()))
    c.set(old, result);
  return success();
}

/// Any value serves.
static Value zeroOf(ProgramConversion &c, Type type) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return arith::ConstantOp::create(
        c.b,
        DenseElementsAttr::get(tile, c.b.getZeroAttr(tile.getElementType())));
  return arith::ConstantOp::create(c.b, c.b.getZeroAttr(type));
}

void titan::populateTritonProgram(TritonToTitanTable &table) {
  table.convert<ub::PoisonOp>([](ProgramConversion &c, ub::PoisonOp op) {
    c.set(op.getResult(), zeroOf(c, c.elementOf(op.getType())));
    return success();
  });
  table.make<ub::PoisonOp>(
      [](ProgramConversion &c, ub::PoisonOp, const View &view) {
        return zeroOf(c, view.type);
      });
  table.convert<tt::GetProgramIdOp>(convertGrid<CtaIdOp, tt::GetProgramIdOp>);
  table.convert<tt::GetNumProgramsOp>(
      convertGrid<NumCtasOp, tt::GetNumProgramsOp>);
  table.convert("llvm.intr.assume", convertAssume);
  table.convert<tt::AssertOp>(convertAssert);
  table.convert<tt::PrintOp>(convertPrint);
  table.convert<scf::ForOp>(convertFor);
  table.convert<scf::IfOp>(convertIf);
  table.convert<scf::WhileOp>(convertWhile);
}
