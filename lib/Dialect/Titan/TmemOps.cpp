//===- TmemOps.cpp - tensor memory: views, loads, stores ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Layout/Hardware.h"

using namespace mlir;
using namespace titan;
using namespace titan::effect;

//===----------------------------------------------------------------------===//
// Names and views
//===----------------------------------------------------------------------===//

Allocation TmemAllocOp::getAllocation() {
  return {.memory = Allocation::Tensor,
          .bytes = 4 * getType().getColumns() * getType().getSlots()};
}

LogicalResult TmemAllocOp::verify() {
  int64_t columns = getType().getSlots() * getType().getColumns();
  const TargetInfo &target = targetWith(Feature::Tcgen05);
  if (columns < target.tmemMinAlloc || columns > target.tmemColumns ||
      !llvm::isPowerOf2_64(columns))
    return emitOpError("[tmem-alloc] ")
           << columns
           << " columns: an allocation is a power of two from 32 to 512 (PTX "
              "ISA, tcgen05.alloc)";
  return verifyAtKernelTop(*this);
}

LogicalResult TmemSlotOp::verify() {
  TensorMemoryType ring = getRing().getType();
  auto slot = TensorMemoryType::get(getContext(), ring.getShape(),
                                    ring.getElementType(), 1);
  if (getType() != slot)
    return emitOpError("[shared-slot-type] a slot of this ring is ") << slot;
  if (auto index = getConstant(getIndex());
      index && (*index < 0 || *index >= ring.getSlots()))
    return emitOpError("[out-of-bounds] slot ")
           << *index << " of a ring of " << ring.getSlots();
  return success();
}

View TmemSlotOp::getView() {
  TensorMemoryType ring = getRing().getType();
  return {.source = getRing(),
          .index = getIndex(),
          .stride = 4 * ring.getColumns(),
          .slots = ring.getSlots()};
}

View TmemViewOp::getView() {
  Type element = getSource().getType().getElementType();
  return {.source = getSource(),
          .index = getColumn(),
          .stride = ::titan::getElementBytes(element)};
}

LogicalResult TmemViewOp::verify() {
  TensorMemoryType from = getSource().getType(), to = getType();
  if (from.getSlots() != 1)
    return emitOpError("[shared-ring] the source is a ring: take a slot first");
  if (to.getSlots() != 1 || to.getShape()[0] != from.getShape()[0])
    return emitOpError("[tmem-view] a view has all rows of its source, here ")
           << from.getShape()[0];
  int64_t bytes = ::titan::getElementBytes(from.getElementType());
  if (auto column = getConstant(getColumn())) {
    if (*column < 0 ||
        *column * bytes / 4 + to.getColumns() > from.getColumns())
      return emitOpError("[out-of-bounds] ")
             << to.getColumns() << " columns from element column " << *column
             << " on, of " << from.getColumns();
    if (*column * bytes % 4)
      return emitOpError("[tmem-view] element column ")
             << *column << " lies inside a cell of 32 bits";
  } else if (to.getColumns() > from.getColumns()) {
    return emitOpError("[out-of-bounds] ")
           << to.getColumns() << " columns of " << from.getColumns();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// The layout of a tile of 128 rows that one warpgroup loads or stores as
/// `shape`: registers of 32 bits hold 32 / bits elements side by side.
static Result<Layout> tmemTile(TmemShape shape, int64_t columns, int64_t bits) {
  static const int64_t perRepeat[] = {1, 2, 4, 8};
  int64_t each = perRepeat[static_cast<int>(shape)], packed = 32 / bits;
  int64_t cells = columns / packed;
  if (cells < 1 || columns % packed || cells % each)
    return Problem{"tmem-window", "the columns are no whole repetitions"};
  Result<Layout> lanes = tmemLoad(shape, cells / each, 1);
  if (!lanes)
    return lanes;
  // 16-lane shapes: the second load takes lanes 16 .. 31 of the window.
  int64_t halves = lanes->shape()[0] == 16 ? 2 : 1;
  Result<Layout> outer = Layout::tile({4 * halves, 1}, {Digit{halves, 0, 1}},
                                      {}, {Digit{4, 0, halves}});
  if (!outer)
    return outer;
  Result<Layout> whole = lanes->repeat(*outer);
  if (!whole || packed == 1)
    return whole;
  Result<Layout> cell = Layout::tile({1, packed}, {Digit{packed, 1, 1}}, {});
  if (!cell)
    return cell;
  return cell->repeat(*whole);
}

Result<Layout> TmemAttr::getLayout(ArrayRef<int64_t> shape) const {
  if (getShape() != "32x32b")
    return Problem{"tile-shape",
                   "#titan.tmem<\"32x32b\"> is the one that has a name; write "
                   "the others as #titan.layout<\"...\">"};
  const TargetInfo &target = targetWith(Feature::Tcgen05);
  int64_t rows = target.tmemLanes, width = target.warpWidth;
  if (shape.size() != 2 || shape[0] != rows)
    return Problem{"tile-shape", "#titan.tmem is a layout of 128 rows"};
  return Layout::tile({shape[0], shape[1]}, {Digit{shape[1], 1, 1}},
                      {Digit{width, 0, 1}}, {Digit{rows / width, 0, width}});
}

static LogicalResult verifyAccess(Operation *op, RankedTensorType tile,
                                  TensorMemoryType memory) {
  if (memory.getSlots() != 1)
    return op->emitOpError(
        "[shared-ring] the memory is a ring: take a slot first");
  if (failed(verifyTileType(op, tile)))
    return failure();
  if (tile.getShape() != memory.getShape() ||
      tile.getElementType() != memory.getElementType())
    return op->emitOpError("[shared-tile-type] the tile is ")
           << tile << ", the memory " << memory
           << ": shapes and element types must agree";
  if (memory.getShape()[0] != 128)
    return op->emitOpError("[not-supported-yet] tiles of 64 rows, which leave "
                           "half of the lanes out");
  int64_t bits = memory.getElementType().getIntOrFloatBitWidth();
  if (bits > 32)
    return op->emitOpError("[tmem-window] a cell has 32 bits");
  Result<Layout> layout = getTileLayout(tile);
  for (auto shape : {TmemShape::S32x32b, TmemShape::S16x64b,
                     TmemShape::S16x128b, TmemShape::S16x256b}) {
    Result<Layout> legal = tmemTile(shape, tile.getShape()[1], bits);
    if (legal && legal->sameFunction(*layout))
      return success();
  }
  return op->emitOpError(
             "[tmem-window] warp w reaches lanes 32 w .. 32 w + 31, "
             "in one of the shapes of PTX ISA, tcgen05.ld, up to "
             "128 columns: none of them gives the layout of ")
         << tile << "; #titan.tmem<\"32x32b\"> is one";
}

LogicalResult TmemLoadOp::verify() {
  return verifyAccess(*this, getType().getTensor(), getMemory().getType());
}
void TmemLoadOp::getHardwareEffects(EffectList &effects) {
  static const char *source = "PTX ISA, tcgen05.ld";
  effects.add(Access{.kind = AccessKind::Read,
                     .proxy = Proxy::TensorMemory,
                     .mechanism = Mechanism::TmemLoad,
                     .bytes = tileOf(getMemory(), getType().getTensor())},
              source);
  effects.add(Registers{.kind = Registers::InFlight, .value = getResult()},
              source);
}
Cardinality TmemLoadOp::getCardinality() { return Cardinality::Warpgroup; }
void TmemLoadOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Pass{getMemory(), getResult(), /*newPlaces=*/true});
}

LogicalResult TmemStoreOp::verify() {
  return verifyAccess(*this, getTile().getType(), getMemory().getType());
}
void TmemStoreOp::getHardwareEffects(EffectList &effects) {
  effects.add(Access{.kind = AccessKind::Write,
                     .proxy = Proxy::TensorMemory,
                     .mechanism = Mechanism::TmemStore,
                     .bytes = tileOf(getMemory(), getTile().getType())},
              "PTX ISA, tcgen05.st");
}
Cardinality TmemStoreOp::getCardinality() { return Cardinality::Warpgroup; }
void TmemStoreOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Store{getTile(), getMemory()});
}

LogicalResult TmemWaitLoadOp::verify() {
  return verifyArrivals(*this, getLoads(), getTiles());
}
void TmemWaitLoadOp::getHardwareEffects(EffectList &effects) {
  static const char *source = "PTX ISA, tcgen05.wait";
  effects.add(WaitGroup{.mechanism = Mechanism::TmemLoad, .pending = 0},
              source);
  for (Value tile : getTiles())
    effects.add(Registers{.kind = Registers::Arrived, .value = tile}, source);
}
Cardinality TmemWaitLoadOp::getCardinality() { return Cardinality::Warp; }
void TmemWaitLoadOp::getTileFlow(flow::Steps &steps) {
  for (auto [load, tile] : llvm::zip(getLoads(), getTiles()))
    steps.push_back(flow::Pass{load, tile});
}

void TmemWaitStoreOp::getHardwareEffects(EffectList &effects) {
  effects.add(WaitGroup{.mechanism = Mechanism::TmemStore, .pending = 0},
              "PTX ISA, tcgen05.wait");
}
Cardinality TmemWaitStoreOp::getCardinality() { return Cardinality::Warp; }
