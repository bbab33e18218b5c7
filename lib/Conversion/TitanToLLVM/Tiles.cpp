//===- Tiles.cpp - arithmetic on register tiles ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element-wise operations are done register by register. Sixteen-bit results of
// a conversion are made in pairs: cvt.rn.bf16x2.f32 fills both halves of one
// 32-bit register, which is what stmatrix takes.
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LoweringTable.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;

static LogicalResult mathScalar(KernelLowering &kl, Operation *op,
                                ValueRange operands, Values &results) {
  Type type = operands.front().getType();
  StringRef name = op->getName().getStringRef();
  // What LLVM's NVPTX target selects by itself.
  if (isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FmaOp,
          math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp,
          math::SqrtOp>(op)) {
    Operation *copy = kl.b.create(op->getLoc(), op->getName().getIdentifier(),
                                  operands, TypeRange(type), op->getAttrs());
    results.push_back(copy->getResult(0));
    return success();
  }
  // The special-function unit's approximations (PTX ISA: ex2, lg2: 2 ulp;
  // rsqrt: 2^-22.9; tanh: 2^-11 relative, sin, cos: 2^-20.5 absolute).
  if (!type.isF32())
    return kl.unsupported(op, Twine(name) + " on " +
                                  llvm::formatv("{0}", type).str());
  auto unit = [&](StringRef instruction, Value x) {
    return LLVM::InlineAsmOp::create(
               kl.b, TypeRange(type), ValueRange(x),
               (instruction + ".f32 $0, $1;").str(), "=f,f",
               /*has_side_effects=*/false, /*is_align_stack=*/false,
               LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
               ArrayAttr())
        .getResult(0);
  };
  auto times = [&](Value x, double factor) -> Value {
    return arith::MulFOp::create(
        kl.b, x, arith::ConstantOp::create(kl.b, kl.b.getF32FloatAttr(factor)));
  };
  Value x = operands.front();
  if (isa<math::Exp2Op>(op))
    results.push_back(unit("ex2.approx", x));
  else if (isa<math::ExpOp>(op))
    results.push_back(unit("ex2.approx", times(x, 1.4426950408889634)));
  else if (isa<math::Log2Op>(op))
    results.push_back(unit("lg2.approx", x));
  else if (isa<math::LogOp>(op))
    results.push_back(times(unit("lg2.approx", x), 0.6931471805599453));
  else if (isa<math::RsqrtOp>(op))
    results.push_back(unit("rsqrt.approx", x));
  else if (isa<math::TanhOp>(op))
    results.push_back(unit("tanh.approx", x));
  else
    return kl.unsupported(op, Twine(name));
  return success();
}

static LogicalResult elementwise(KernelLowering &kl, Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions())
    return kl.unsupported(op, Twine(op->getName().getStringRef()));
  Type resultType = op->getResult(0).getType();
  auto tile = dyn_cast<RankedTensorType>(resultType);
  bool isMath = isa<math::MathDialect>(op->getDialect());
  if (!tile && resultType == Type())
    return failure();
  // A select between tokens, buffers or barriers: choose what stands for them.
  Type element = tile ? tile.getElementType() : resultType;

  auto types = kl.convert(op, resultType);
  if (failed(types))
    return failure();
  size_t count = types->size();

  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (!tile) {
      kl.set(constant, kl.b.clone(*op)->getResults());
      return success();
    }
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense || !dense.isSplat())
      return kl.unsupported(op, "a constant tile of different values");
    Value scalar = arith::ConstantOp::create(
        kl.b, cast<TypedAttr>(dense.getSplatValue<Attribute>()));
    kl.set(constant, Values(count, scalar));
    return success();
  }

  SmallVector<Values> operands;
  for (Value operand : op->getOperands()) {
    Values scalars = kl.get(operand);
    if (scalars.size() == 1 && count != 1)
      scalars.assign(count,
                     Value(scalars.front())); // select's scalar condition
    if (scalars.size() != count)
      return kl.unsupported(op,
                            "an operation between tiles of different layouts");
    operands.push_back(std::move(scalars));
  }

  Values results;
  // Pairs: one vector conversion.
  bool narrow = isa<arith::TruncFOp>(op) && tile && count % 2 == 0 &&
                (element.isBF16() || element.isF16()) &&
                getElementTypeOrSelf(op->getOperand(0).getType()).isF32();
  if (narrow) {
    auto from = VectorType::get(2, kl.b.getF32Type());
    auto to = VectorType::get(2, element);
    for (size_t r = 0; r < count; r += 2) {
      Value pair = LLVM::PoisonOp::create(kl.b, from);
      pair =
          LLVM::InsertElementOp::create(kl.b, pair, operands[0][r], kl.i32(0));
      pair = LLVM::InsertElementOp::create(kl.b, pair, operands[0][r + 1],
                                           kl.i32(1));
      Value packed = LLVM::FPTruncOp::create(kl.b, to, pair);
      results.push_back(
          LLVM::ExtractElementOp::create(kl.b, packed, kl.i32(0)));
      results.push_back(
          LLVM::ExtractElementOp::create(kl.b, packed, kl.i32(1)));
    }
    kl.set(op->getResult(0), results);
    return success();
  }

  for (size_t r = 0; r < count; ++r) {
    Values scalars;
    for (Values &operand : operands)
      scalars.push_back(operand[r]);
    if (isMath) {
      if (failed(mathScalar(kl, op, scalars, results)))
        return failure();
      continue;
    }
    Operation *copy =
        kl.b.create(op->getLoc(), op->getName().getIdentifier(), scalars,
                    TypeRange((*types)[r]), op->getAttrs());
    results.push_back(copy->getResult(0));
  }
  kl.set(op->getResult(0), results);
  return success();
}

static LogicalResult splat(KernelLowering &kl, SplatOp op) {
  auto types = kl.convert(op, op.getType());
  if (failed(types))
    return failure();
  kl.set(op, Values(types->size(), kl.get1(op.getValue())));
  return success();
}

static LogicalResult coordinate(KernelLowering &kl, CoordinateOp op) {
  Layout layout = *getTileLayout(op.getType());
  int dim = op.getDimension();
  if (!layout.isSum())
    return kl.unsupported(op,
                          "coordinates of a layout that steps by exclusive or");
  // Digits add up, so the register's part is a constant.
  std::optional<Value> start = kl.laneFunction(
      [&](int64_t lane, int64_t warp) {
        return layout.coords(0, lane, warp)[dim];
      },
      std::max<int64_t>(layout.warps(), kl.warps()));
  if (!start)
    return kl.unsupported(op, "the coordinates of this layout");
  int64_t origin = layout.coords(0, 0, 0)[dim];
  Values results;
  for (int64_t r = 0; r < layout.registers(); ++r)
    results.push_back(
        kl.add(*start, kl.i32(layout.coords(r, 0, 0)[dim] - origin)));
  kl.set(op, results);
  return success();
}

static LogicalResult extract(KernelLowering &kl, ExtractOp op) {
  Result<LayoutSlice> slice =
      getTileLayout(op.getTile().getType())
          ->slice(
              {op.getOffsets().begin(), op.getOffsets().end()},
              {op.getType().getShape().begin(), op.getType().getShape().end()});
  Values from = kl.get(op.getTile()), results;
  for (int64_t r : slice->registers)
    results.push_back(from[r]);
  kl.set(op, results);
  return success();
}

static LogicalResult reduce(KernelLowering &kl, ReduceOp op) {
  Layout layout = *getTileLayout(op.getTile().getType());
  int last = layout.rank() - 1;
  Type type = op.getType().getElementType();
  Values from = kl.get(op.getTile());
  if (!type.isF32() && !type.isInteger(32))
    return kl.unsupported(op,
                          "a reduction of " + llvm::formatv("{0}", type).str());

  auto combine = [&](Value x, Value y) {
    return combineElements(kl.b, op.getKind(), x, y);
  };
  // The registers of a row, in the order of the columns that they hold; then
  // the lanes that hold other columns of it, by butterflies.
  if (!layout.isSum())
    return kl.unsupported(op,
                          "a reduction of a layout that steps by exclusive or");
  for (const Digit &digit : layout.axes()[2].digits)
    if (digit.dim == last && digit.extent > 1)
      return kl.unsupported(op, "a reduction across warps");
  for (const Digit &digit : layout.axes()[1].digits)
    if (digit.dim == last && !llvm::isPowerOf2_64(digit.extent))
      return kl.unsupported(op,
                            "a reduction across a number of lanes that is no "
                            "power of two");
  std::map<std::vector<int64_t>, std::vector<int64_t>> rows;
  for (int64_t r = 0; r < layout.registers(); ++r) {
    if (!layout.axes()[0].digits.empty()) {
      int64_t below = 1;
      bool copy = false;
      for (const Digit &digit : layout.axes()[0].digits) {
        copy |= digit.isReplica() && r / below % digit.extent;
        below *= digit.extent;
      }
      if (copy)
        continue; // another register holds the same element
    }
    Coord at = layout.coords(r, 0, 0);
    rows[std::vector<int64_t>(at.begin(), at.begin() + last)].push_back(r);
  }
  std::map<std::vector<int64_t>, Value> sums;
  for (auto &[row, registers] : rows) {
    Value sum = from[registers.front()];
    for (int64_t r : llvm::drop_begin(registers))
      sum = combine(sum, from[r]);
    int64_t below = 1;
    for (const Digit &digit : layout.axes()[1].digits) {
      if (digit.dim == last)
        for (int64_t step = 1; step < digit.extent; step *= 2)
          sum = combine(sum,
                        NVVM::ShflOp::create(kl.b, type, kl.i32(-1), sum,
                                             kl.i32(below * step), kl.i32(31),
                                             NVVM::ShflKind::bfly, UnitAttr()));
      below *= digit.extent;
    }
    sums[row] = sum;
  }
  // One register a row, or every element of the tile.
  Layout result = *getTileLayout(op.getType());
  Values results;
  for (int64_t r = 0; r < result.registers(); ++r) {
    Coord at = result.coords(r, 0, 0);
    results.push_back(
        sums[std::vector<int64_t>(at.begin(), at.begin() + last)]);
  }
  kl.set(op, results);
  return success();
}

static LogicalResult broadcast(KernelLowering &kl, BroadcastOp op) {
  Layout rows = *getTileLayout(op.getTile().getType());
  Layout layout = *getTileLayout(op.getType());
  Values from = kl.get(op.getTile());
  std::map<std::vector<int64_t>, Value> values;
  for (int64_t r = 0; r < rows.registers(); ++r) {
    Coord at = rows.coords(r, 0, 0);
    values[std::vector<int64_t>(at.begin(), at.end())] = from[r];
  }
  Values results;
  for (int64_t r = 0; r < layout.registers(); ++r) {
    Coord at = layout.coords(r, 0, 0);
    results.push_back(
        values[std::vector<int64_t>(at.begin(), at.begin() + rows.rank())]);
  }
  kl.set(op, results);
  return success();
}

void titan::populateTileLowerings(LoweringTable &table) {
  for (StringRef dialect : {arith::ArithDialect::getDialectNamespace(),
                            math::MathDialect::getDialectNamespace()})
    table.add(dialect, elementwise);
  table.add<SplatOp>(splat);
  table.add<CoordinateOp>(coordinate);
  table.add<ExtractOp>(extract);
  table.add<ReduceOp>(reduce);
  table.add<BroadcastOp>(broadcast);
}
