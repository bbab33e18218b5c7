//===- Tiles.cpp - register tiles -----------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Shuffles.h"

#include "titan/Conversion/LoweringTable.h"
#include "titan/Layout/LaneTerms.h"
#include "titan/Layout/Rows.h"

#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace mlir;
using namespace titan;

static LogicalResult splat(KernelLowering &kl, SplatOp op) {
  auto types = kl.convert(op, op.getType());
  if (failed(types))
    return failure();
  kl.set(op, Values(types->size(), kl.get1(op.getValue())));
  kl.setOrigin(op, {op.getValue(), std::nullopt});
  return success();
}

static LogicalResult unsplat(KernelLowering &kl, UnsplatOp op) {
  kl.set(op, kl.get(op.getTile()).front());
  return success();
}

static LogicalResult coordinate(KernelLowering &kl, CoordinateOp op) {
  Layout layout = *getTileLayout(op.getType());
  SmallVector<Layout> registers;
  for (int64_t r = 0; r < layout.registers(); ++r) {
    Result<Layout> one =
        coordinateOf(layout, r, static_cast<int>(op.getDimension()));
    if (!one)
      return kl.unsupported(op, "the coordinates of this layout");
    registers.push_back(std::move(*one));
  }
  // Nothing but constants is added to them.
  auto values = kl.laneFunctions(op, registers, Value(), int64_t(1) << 40);
  if (failed(values))
    return failure();
  kl.set(op, *values);
  kl.setOrigin(op, {Value(), static_cast<unsigned>(op.getDimension())});
  return success();
}

/// Each register of the wider tile is a vector of the narrower one's, which begins
/// at the low bits.
static LogicalResult bitcast(KernelLowering &kl, TileBitcastOp op) {
  auto parts = op.getParts();
  auto types = kl.convert(op, op.getType());
  if (failed(types))
    return failure();
  Values from = kl.get(op.getTile()), results(types->size());
  bool widens = op.getTile().getType().getElementTypeBitWidth() <
                op.getType().getElementTypeBitWidth();
  Type narrow = widens ? from.front().getType() : types->front();
  Type vector = VectorType::get(parts.size(), narrow);
  for (size_t r = 0; r < parts.front().size(); ++r) {
    if (parts.size() == 1) {
      results[parts[0][r]] =
          LLVM::BitcastOp::create(kl.b, types->front(), from[r]);
      continue;
    }
    Value packed = widens ? LLVM::PoisonOp::create(kl.b, vector).getResult()
                          : LLVM::BitcastOp::create(kl.b, vector, from[r]);
    for (auto [i, part] : llvm::enumerate(parts)) {
      Value place = kl.i32(i);
      if (widens)
        packed =
            LLVM::InsertElementOp::create(kl.b, packed, from[part[r]], place);
      else
        results[part[r]] = LLVM::ExtractElementOp::create(kl.b, packed, place);
    }
    if (widens)
      results[r] = LLVM::BitcastOp::create(kl.b, types->front(), packed);
  }
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

/// The bits of a row that is `or`ed together, one of each lane of the warp at the
/// lane's own place: ballots. Null: the rows are something else.
static Value bitsOfLanes(KernelLowering &kl, ReduceOp op,
                         const Layout &layout) {
  auto shift = op.getTile().getDefiningOp<arith::ShLIOp>();
  auto widened =
      shift ? shift.getLhs().getDefiningOp<arith::ExtUIOp>() : arith::ExtUIOp();
  int last = layout.rank() - 1;
  if (op.getKind() != ReduceKind::Or || op.getScratch() || !widened ||
      !getElementTypeOrSelf(widened.getIn().getType()).isInteger(1) ||
      kl.origin(shift.getRhs()).coordinate != last)
    return {};
  auto digits = digitsAlong(layout, last);
  bool lanes = digits && digits->size() == 1 && digits->front().axis == 1 &&
               digits->front().weight == 1 &&
               digits->front().extent == layout.lanes() &&
               layout.shape().back() == layout.lanes() && layout.lanes() == 32;
  return lanes ? widened.getIn() : Value();
}

static LogicalResult reduce(KernelLowering &kl, ReduceOp op) {
  Layout layout = *getTileLayout(op.getTile().getType());
  int last = layout.rank() - 1;
  Type type = op.getType().getElementType();
  Values from = kl.get(op.getTile());
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 16)
    return kl.unsupported(op,
                          "a reduction of " + llvm::formatv("{0}", type).str());
  auto combine = [&](Value x, Value y) {
    return combineElements(kl.b, op.getKind(), x, y);
  };
  // The registers of a row, in the order of the columns that they hold; then
  // the lanes that hold other columns of it, by butterflies.
  auto digits = digitsInWarp(layout, last);
  if (!digits)
    return op->emitError("[")
           << digits.problem().code << "] " << digits.problem().message;
  llvm::erase_if(*digits,
                 [](const RowDigit &digit) { return digit.axis != 1; });
  llvm::sort(*digits, [](const RowDigit &a, const RowDigit &b) {
    return a.weight < b.weight;
  });
  std::map<std::vector<int64_t>, std::vector<int64_t>> rows;
  std::set<Coord> seen;
  for (int64_t r = 0; r < layout.registers(); ++r) {
    Coord at = layout.coords(r, 0, 0);
    if (!seen.insert(at).second)
      continue; // another register holds the same element
    rows[std::vector<int64_t>(at.begin(), at.begin() + last)].push_back(r);
  }
  std::map<std::vector<int64_t>, Value> sums;
  Value bits = bitsOfLanes(kl, op, layout);
  for (auto &[row, registers] : rows) {
    if (bits) {
      sums[row] = kl.emitter.ballot(kl.b, kl.get(bits)[registers.front()]);
      continue;
    }
    Value sum = from[registers.front()];
    for (int64_t r : llvm::drop_begin(registers))
      sum = combine(sum, from[r]);
    for (const RowDigit &digit : *digits)
      for (int64_t step = 1; step < digit.extent; step *= 2)
        sum = combine(sum,
                      shuffle(kl, sum, {Value(), digit.weight * step}).front());
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

static LogicalResult vote(KernelLowering &kl, AnyOp op) {
  Values elements = kl.get(op.getTile());
  Value own = elements.front();
  for (Value element : llvm::drop_begin(elements))
    own = arith::OrIOp::create(kl.b, own, element);
  kl.set(op, kl.emitter.any(kl.b, own));
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
  table.add<SplatOp>(splat);
  table.add<UnsplatOp>(unsplat);
  table.add<CoordinateOp>(coordinate);
  table.add<TileBitcastOp>(bitcast);
  table.add<ExtractOp>(extract);
  table.add<ReduceOp>(reduce);
  table.add<AnyOp>(vote);
  table.add<BroadcastOp>(broadcast);
}
