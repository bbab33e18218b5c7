//===- MmaSyncOps.cpp - matrix products of warps --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/Products.h"
#include "titan/Layout/Hardware.h"
#include "titan/Target/Mma.h"

using namespace mlir;
using namespace titan;
using namespace titan::effect;

static Problem notOfTwo(const char *name) {
  return {"tile-shape", std::string(name) + " is a layout of two dimensions"};
}

Result<Layout> MmaSyncAttr::getLayout(ArrayRef<int64_t> shape) const {
  if (shape.size() != 2)
    return notOfTwo("#titan.mma_sync");
  return mmaTileD(shape[0], shape[1], getRows(), getColumns());
}
Result<Layout> MmaSyncAAttr::getLayout(ArrayRef<int64_t> shape) const {
  if (shape.size() != 2)
    return notOfTwo("#titan.mma_sync_a");
  return mmaTileA(static_cast<int>(getBits()), shape[0], shape[1], getRows(),
                  getColumns());
}
Result<Layout> MmaSyncBAttr::getLayout(ArrayRef<int64_t> shape) const {
  if (shape.size() != 2)
    return notOfTwo("#titan.mma_sync_b");
  return mmaTileB(static_cast<int>(getBits()), shape[0], shape[1], getRows(),
                  getColumns());
}

std::pair<int64_t, int64_t> MmaSyncOp::getGrid() {
  auto layout = cast<MmaSyncAttr>(getC().getType().getEncoding());
  return {layout.getRows(), layout.getColumns()};
}

const MmaShape *MmaSyncOp::getInstruction(int64_t k) {
  return findMma(
      MmaFamily::MmaSync,
      getMmaOperandName(getA().getType().getElementType(), getUnsignedA())
          .str(),
      getMmaOperandName(getB().getType().getElementType(), getUnsignedB())
          .str(),
      getMmaAccumulatorName(getC().getType().getElementType()).str(), 16, 8,
      static_cast<int>(k));
}

MmaProduct titan::getWarpProduct(Operation *product) {
  auto op = cast<MmaSyncOp>(product);
  auto operand = [](Value tile, bool isUnsigned) {
    Type element = cast<RankedTensorType>(tile.getType()).getElementType();
    return *findMmaType(
        std::string_view(getMmaOperandName(element, isUnsigned)));
  };
  RankedTensorType a = op.getA().getType(), c = op.getC().getType();
  return {.a = operand(op.getA(), op.getUnsignedA()),
          .b = operand(op.getB(), op.getUnsignedB()),
          .d = *findMmaType(
              std::string_view(getMmaAccumulatorName(c.getElementType()))),
          .depth = static_cast<int>(256 / a.getElementTypeBitWidth()),
          .saturate = op.getSaturate()};
}

LogicalResult titan::verifyProductShapes(Operation *op, RankedTensorType a,
                                         RankedTensorType b, RankedTensorType c,
                                         RankedTensorType d) {
  if (c != d)
    return op->emitOpError(
        "[mma-accumulator] the result has the accumulator's type");
  if (a.getRank() != 2 || b.getRank() != 2 || c.getRank() != 2)
    return op->emitOpError(
        "[mma-rank] operands and accumulator have two dimensions");
  if (a.getShape()[1] != b.getShape()[1] ||
      a.getShape()[0] != c.getShape()[0] || b.getShape()[0] != c.getShape()[1])
    return op->emitOpError("[mma-shape] A is ")
           << a << " (M x K), B " << b << " (N x K), C " << c;
  return success();
}

LogicalResult MmaSyncOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(),
                   c = getC().getType();
  if (failed(verifyProductShapes(*this, a, b, c, getType())))
    return failure();
  int64_t bits = a.getElementType().getIntOrFloatBitWidth();
  int64_t step = 128 / bits; // the smaller K: 16 bytes
  if (!getInstruction(step))
    return emitOpError("[mma-type] no mma.sync multiplies ")
           << a.getElementType() << " by " << b.getElementType() << " into "
           << c.getElementType() << " (PTX ISA, mma; docs/hardware-facts.md)";
  if ((getUnsignedA() || getUnsignedB() || getSaturate()) &&
      !a.getElementType().isInteger(8))
    return emitOpError("[mma-type] `unsigned` and `saturate` are of products "
                       "of i8, not of ")
           << a.getElementType() << " (PTX ISA, .satfinite, .u8)";
  auto layoutA = dyn_cast_or_null<MmaSyncAAttr>(a.getEncoding());
  auto layoutB = dyn_cast_or_null<MmaSyncBAttr>(b.getEncoding());
  auto layoutC = dyn_cast_or_null<MmaSyncAttr>(c.getEncoding());
  if (!layoutA || !layoutB || !layoutC || layoutA.getBits() != bits ||
      layoutB.getBits() != bits || layoutA.getRows() != layoutC.getRows() ||
      layoutB.getRows() != layoutC.getRows() ||
      layoutA.getColumns() != layoutC.getColumns() ||
      layoutB.getColumns() != layoutC.getColumns())
    return withFix(
        emitOpError("[layout-mismatch] A is in #titan.mma_sync_a, B in "
                    "#titan.mma_sync_b, both of elements of ")
            << bits << " bits, C and D in #titan.mma_sync, all of one grid of "
            << "warps; here " << a << ", " << b << ", " << c,
        layoutC
            ? "with C in #titan.mma_sync<" + Twine(layoutC.getRows()) + ", " +
                  Twine(layoutC.getColumns()) + "> A is in #titan.mma_sync_a<" +
                  Twine(bits) + ", " + Twine(layoutC.getRows()) + ", " +
                  Twine(layoutC.getColumns()) + ">, B in #titan.mma_sync_b<" +
                  Twine(bits) + ", " + Twine(layoutC.getRows()) + ", " +
                  Twine(layoutC.getColumns()) + ">"
            : Twine("C and D are in #titan.mma_sync<rows, columns>, of as "
                    "many warps as execute this"));
  for (RankedTensorType tile : {a, b, c})
    if (failed(verifyTileType(*this, tile)))
      return failure();
  return success();
}
/// Registers alone, and these at once.
void MmaSyncOp::getHardwareEffects(EffectList &) {}
Cardinality MmaSyncOp::getCardinality() { return Cardinality::Tile; }
