//===- ExchangeOps.cpp - register tiles between layouts, scans, gathers ---===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Layout/Conversion.h"
#include "titan/Layout/Rows.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace titan;

//===----------------------------------------------------------------------===//
// Through shared memory
//===----------------------------------------------------------------------===//

LogicalResult titan::verifyWholeWarp(Operation *op) {
  if (!op->getParentOfType<ElectOp>())
    return success();
  return op->emitOpError("[issue-cardinality] stands in a titan.elect, which "
                         "one thread executes, and takes the whole warp: its "
                         "lanes hand elements to one another");
}

LogicalResult titan::verifyExchange(Operation *op, RankedTensorType tile,
                                    Value scratch,
                                    std::optional<uint64_t> barrier,
                                    std::optional<uint64_t> threads,
                                    int64_t elements,
                                    const std::string &crosses) {
  if (failed(verifyWholeWarp(op)))
    return failure();
  if (crosses.empty()) {
    if (scratch)
      return op->emitOpError("[exchange-scratch] each warp holds what it "
                             "needs: leave `through` out");
    if (barrier)
      return op->emitOpError("[exchange-scratch] a barrier, and no `through`: "
                             "what stays within a warp needs neither");
    return success();
  }
  Type element = tile.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8)
    return op->emitOpError("[exchange-scratch] ")
           << crosses << ", and " << element
           << " has no place in shared memory: widen it first (arith.extui)";
  auto wanted =
      SharedType::get(op->getContext(), {elements}, element, 0, 1, false);
  if (!scratch)
    return op->emitOpError("[exchange-scratch] ")
           << crosses << ": say `through %scratch`, a " << wanted
           << " or a longer one";
  auto type = cast<SharedType>(scratch.getType());
  if (type.getRank() != 1 || type.getSwizzle() || type.getSlots() != 1 ||
      type.getCluster() || type.getElementType() != tile.getElementType() ||
      type.getShape()[0] < elements)
    return op->emitOpError("[exchange-scratch] the scratch is a ")
           << wanted << " or a longer one, not " << type;
  if (!barrier)
    return success();
  if (failed(verifyNamed(op, *barrier, *threads)))
    return failure();
  Layout layout = *getTileLayout(tile);
  if (uint64_t all = layout.warps() * layout.lanes(); *threads != all)
    return op->emitOpError("[exchange-scratch] the tile lies over ")
           << layout.warps() << " warps, which all hand on their parts: "
           << "threads(" << all << "), not threads(" << *threads << ")";
  return success();
}

/// Elements that a shuffle, or two, move.
static LogicalResult verifyMoved(Operation *op, Type type) {
  unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  if (!bits || (bits > 32 && bits != 64) || (isa<FloatType>(type) && bits % 8))
    return op->emitOpError("[tile-element-type] lanes hand on integers of up "
                           "to 32 or of 64 bits, and floats of 8, 16, 32 or "
                           "64, not ")
           << type;
  return success();
}

void ConvertLayoutOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Pass{getTile(), getResult(), /*newPlaces=*/true});
}

LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType from = getTile().getType(), to = getType();
  if (failed(verifyTileType(*this, from)) ||
      failed(verifyTileType(*this, to)) ||
      failed(verifyMoved(*this, from.getElementType())))
    return failure();
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType())
    return emitOpError("[exchange-type] a conversion keeps shape and element "
                       "type: ")
           << RankedTensorType::get(from.getShape(), from.getElementType(),
                                    to.getEncoding())
           << ", not " << to;
  Layout source = *getTileLayout(from), target = *getTileLayout(to);
  std::string crosses;
  if (auto plan = ConversionPlan::make(source, target); !plan) {
    crosses = plan.problem().message;
    auto scratch = ScratchPlan::make(
        source, target, ::titan::getElementBytes(from.getElementType()));
    if (!scratch)
      return emitOpError("[")
             << scratch.problem().code << "] " << scratch.problem().message;
  }
  return verifyExchange(*this, from, getScratch(), getBarrier(), getThreads(),
                        from.getNumElements(), crosses);
}

LogicalResult RelabelOp::verify() {
  RankedTensorType from = getTile().getType(), to = getType();
  if (failed(verifyTileType(*this, from)) || failed(verifyTileType(*this, to)))
    return failure();
  Layout source = *getTileLayout(from), target = *getTileLayout(to);
  if (from.getElementType() != to.getElementType())
    return emitOpError("[exchange-type] the element type stays ")
           << from.getElementType();
  if (source.registers() != target.registers() ||
      source.lanes() != target.lanes() || source.warps() != target.warps())
    return emitOpError("[exchange-type] ")
           << from << " is " << source.registers() << " registers of "
           << source.lanes() << " lanes of " << source.warps()
           << " warps, the result " << target.registers() << " of "
           << target.lanes() << " of " << target.warps();
  if (target.isInjective())
    return success();
  std::vector<int64_t> ours = source.elementTable(),
                       theirs = target.elementTable(),
                       held(to.getNumElements(), -1);
  for (size_t i = 0; i < ours.size(); ++i) {
    int64_t &one = held[theirs[i]];
    if (one >= 0 && one != ours[i])
      return emitOpError("[exchange-type] two places that hold one element of ")
             << to << " hold different ones of " << from;
    one = ours[i];
  }
  return success();
}

bool RelabelOp::keepsRegisters() { return true; }
std::vector<int64_t>
RelabelOp::getElements(ArrayRef<ArrayRef<int64_t>> operands) {
  // An element is the one of %x that lies in the same register.
  std::vector<int64_t> from =
                           getTileLayout(getTile().getType())->elementTable(),
                       to = getTileLayout(getType())->elementTable(),
                       elements(getType().getNumElements());
  for (auto [theirs, ours] : llvm::zip_equal(from, to))
    elements[ours] = operands[0][theirs];
  return elements;
}

//===----------------------------------------------------------------------===//
// Along a dimension
//===----------------------------------------------------------------------===//

/// The tile has that dimension.
static LogicalResult verifyTileDimension(Operation *op, RankedTensorType tile,
                                         uint64_t dimension) {
  if (failed(verifyTileType(op, tile)))
    return failure();
  if (dimension >= static_cast<uint64_t>(tile.getRank()))
    return op->emitOpError("[tile-dimension] dimension ")
           << static_cast<int64_t>(dimension) << " of a tile of rank "
           << tile.getRank();
  return success();
}

/// Each row of `rows`, the tile by digits, lies in one warp, or in several that
/// exchange what `within`, a tile of which each row does, takes.
template <typename Op>
static LogicalResult verifyRows(Op op, const Result<Layout> &rows,
                                int64_t elements, const Result<Layout> &within,
                                int dim) {
  RankedTensorType tile = op.getTile().getType();
  int64_t warps = 1;
  Result<std::vector<RowDigit>> digits =
      rows ? digitsAlong(*rows, static_cast<int>(op.getDimension()))
           : Result<std::vector<RowDigit>>(rows.problem());
  if (digits)
    for (const RowDigit &digit : *digits)
      warps *= digit.axis == 2 ? digit.extent : 1;
  if (digits)
    digits = within ? digitsInWarp(*within, dim)
                    : Result<std::vector<RowDigit>>(within.problem());
  if (!digits)
    return withFix(op.emitOpError("[layout-mismatch] ")
                       << digits.problem().message,
                   "titan.convert_layout makes a layout of it in which each "
                   "row lies in one warp");
  return verifyExchange(
      op, tile, op.getScratch(), op.getBarrier(), op.getThreads(), elements,
      warps == 1 ? "" : "each row lies in " + std::to_string(warps) + " warps");
}

LogicalResult titan::verifyCombine(Operation *op, ReduceKind kind, Type type) {
  bool bits = llvm::is_contained(
      {ReduceKind::And, ReduceKind::Or, ReduceKind::Xor}, kind);
  bits |= kind == ReduceKind::MaxU || kind == ReduceKind::MinU;
  bool reals = kind == ReduceKind::MaxNum || kind == ReduceKind::MinNum;
  if (!type.isIntOrFloat() || (bits && !type.isSignlessInteger()) ||
      (reals && !isa<FloatType>(type)))
    return op->emitOpError("[tile-element-type] `")
           << stringifyReduceKind(kind) << "` of elements of " << type;
  return success();
}

Value titan::combineElements(ImplicitLocOpBuilder &b, ReduceKind kind, Value x,
                             Value y) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(x.getType()));
  switch (kind) {
  case ReduceKind::Add:
    return isFloat ? arith::AddFOp::create(b, x, y).getResult()
                   : arith::AddIOp::create(b, x, y).getResult();
  case ReduceKind::Max:
    return isFloat ? arith::MaximumFOp::create(b, x, y).getResult()
                   : arith::MaxSIOp::create(b, x, y).getResult();
  case ReduceKind::Min:
    return isFloat ? arith::MinimumFOp::create(b, x, y).getResult()
                   : arith::MinSIOp::create(b, x, y).getResult();
  case ReduceKind::MaxNum:
    return arith::MaxNumFOp::create(b, x, y);
  case ReduceKind::MinNum:
    return arith::MinNumFOp::create(b, x, y);
  case ReduceKind::MaxU:
    return arith::MaxUIOp::create(b, x, y);
  case ReduceKind::MinU:
    return arith::MinUIOp::create(b, x, y);
  case ReduceKind::Mul:
    return isFloat ? arith::MulFOp::create(b, x, y).getResult()
                   : arith::MulIOp::create(b, x, y).getResult();
  case ReduceKind::And:
    return arith::AndIOp::create(b, x, y);
  case ReduceKind::Or:
    return arith::OrIOp::create(b, x, y);
  case ReduceKind::Xor:
    return arith::XOrIOp::create(b, x, y);
  }
  llvm_unreachable("all kinds are above");
}

LogicalResult ScanOp::verify() {
  RankedTensorType tile = getType();
  if (failed(verifyWholeWarp(*this)) ||
      failed(verifyCombine(*this, getKind(), tile.getElementType())) ||
      failed(verifyMoved(*this, tile.getElementType())) ||
      failed(verifyTileDimension(*this, tile, getDimension())))
    return failure();
  int dim = static_cast<int>(getDimension());
  Result<Layout> rows = rowsByDigits(*getTileLayout(tile), dim);
  Result<RowParts> blocks = rows ? blockRows(*rows, dim) : rows.problem();
  if (!blocks) // In one warp, or verifyRows says why not.
    return verifyRows(*this, rows, 0, rows, dim);
  return verifyRows(
      *this, rows, tile.getNumElements() / tile.getShape()[dim] * blocks->parts,
      blocks->tile, tile.getRank());
}

LogicalResult GatherOp::verify() {
  RankedTensorType tile = getTile().getType(), indices = getIndices().getType();
  int dim = static_cast<int>(getDimension());
  if (failed(verifyWholeWarp(*this)) ||
      failed(verifyTileDimension(*this, tile, getDimension())))
    return failure();
  Result<Layout> rows = rowsByDigits(*getTileLayout(tile), dim);
  if (failed(verifyRows(*this, rows, tile.getNumElements(),
                        rows ? wholeRows(*rows, dim) : rows, dim)) ||
      failed(verifyTileType(*this, indices)) ||
      failed(verifyMoved(*this, tile.getElementType())))
    return failure();
  auto wanted = RankedTensorType::get(indices.getShape(), tile.getElementType(),
                                      indices.getEncoding());
  if (!indices.getElementType().isSignlessInteger(32))
    return emitOpError("[exchange-type] indices are i32, not ")
           << indices.getElementType();
  if (getType() != wanted)
    return emitOpError("[exchange-type] the result is ")
           << wanted << ", not " << getType();
  if (tile.getRank() != indices.getRank())
    return emitOpError("[exchange-type] tile and indices are of one rank");
  for (int d = 0; d < tile.getRank(); ++d)
    if (d != dim && tile.getShape()[d] != indices.getShape()[d])
      return emitOpError("[exchange-type] dimension ")
             << d << " is " << tile.getShape()[d] << " in the tile and "
             << indices.getShape()[d] << " in the indices";
  auto ours = getTileLayout(tile)->withoutDim(dim),
       theirs = getTileLayout(indices)->withoutDim(dim);
  if (!ours || !theirs || !ours->sameFunction(*theirs))
    return withFix(
        emitOpError("[layout-mismatch] indices lie where the rows that they "
                    "choose from lie: without dimension ")
            << dim << " the layouts of " << tile << " and " << indices
            << " are the same",
        "titan.convert_layout of one of them");
  // Rows are read where they lie by digits.
  auto read = rows->withoutDim(dim);
  if (!read || !read->sameFunction(*ours))
    return emitOpError("[layout-mismatch] exclusive or mixes dimension ")
           << dim << " with the others so that no layout has whole rows where "
           << "the indices are: titan.convert_layout to " << rows->str()
           << " first";
  return success();
}
