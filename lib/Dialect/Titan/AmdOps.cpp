//===- AmdOps.cpp - CDNA3: loads to LDS, wait counters, mfma --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Layout/Hardware.h"
#include "titan/Target/Mma.h"
#include "titan/Target/Target.h"

using namespace mlir;
using namespace titan;
using namespace titan::effect;

/// Waves that execute an operation: those of its partition or kernel.
static int64_t wavesOf(Operation *op) {
  if (auto partition = op->getParentOfType<PartitionOp>())
    return partition.getWarps();
  if (auto kernel = op->getParentOfType<KernelOp>())
    return kernel.getWarps();
  return 1;
}

//===----------------------------------------------------------------------===//
// Global memory to LDS
//===----------------------------------------------------------------------===//

int64_t BufferLoadLdsOp::getInstructions() {
  // CDNA3 ISA, buffer_load_dword lds: 64 lanes of 4 bytes.
  return getBuffer().getType().getTileBytes() / (256 * wavesOf(*this));
}

RankedTensorType BufferLoadLdsOp::getTile() {
  SharedType buffer = getBuffer().getType();
  if (buffer.getRank() != 2 || buffer.getElementBytes() > 4)
    return {};
  ArrayRef<int64_t> shape = buffer.getShape();
  int64_t each = 4 / buffer.getElementBytes();
  int64_t inner = std::min<int64_t>(64, shape[1] / each);
  if (inner < 1 || shape[1] % (each * inner) || 64 % inner)
    return {};
  auto layout = BlockedAttr::get(getContext(), {1, each}, {64 / inner, inner},
                                 {wavesOf(*this), 1});
  auto tile = RankedTensorType::get(shape, buffer.getElementType(), layout);
  if (shape[0] % (64 / inner * wavesOf(*this)) || !getTileLayout(tile))
    return {};
  return tile;
}

LogicalResult BufferLoadLdsOp::verify() {
  GlobalType tensor = getTensor().getType();
  SharedType buffer = getBuffer().getType();
  if (getCoords().size() != tensor.getRank() ||
      buffer.getRank() != tensor.getRank())
    return emitOpError("[global-rank] a tensor of rank ")
           << tensor.getRank() << " needs as many coordinates, and a buffer of "
           << "that rank";
  if (buffer.getSlots() != 1)
    return emitOpError("[shared-ring] the buffer is a ring: take a slot first");
  if (buffer.getElementType() != tensor.getElementType())
    return emitOpError("[global-element-type] the buffer holds ")
           << buffer.getElementType() << ", the tensor "
           << tensor.getElementType();
  if (getToken().getType().getKind() != TokenKind::Counter)
    return emitOpError(
        "[token-kind] this operation's tokens are of kind 'counter'");
  if (buffer.getTileBytes() % (256 * wavesOf(*this)) || !getTile())
    return emitOpError("[lds-load-shape] ")
           << buffer.getTileBytes() << " bytes are no whole number of "
           << "instructions for " << wavesOf(*this)
           << " waves: each moves 4 bytes of each of 64 lanes, side by side, "
              "in rows of a power of two of lanes (CDNA3 ISA, "
              "buffer_load_dword lds)";
  return success();
}
void BufferLoadLdsOp::getHardwareEffects(EffectList &effects) {
  static const char *source = "CDNA3 ISA, buffer_load_dword lds";
  Footprint box;
  box.kind = Footprint::Box;
  box.object = getTensor();
  box.coords.assign(getCoords().begin(), getCoords().end());
  box.extents.assign(getBuffer().getType().getShape().begin(),
                     getBuffer().getType().getShape().end());
  effects.add(Access{.kind = AccessKind::Read,
                     .proxy = Proxy::AsyncGeneric,
                     .mechanism = Mechanism::VmCount,
                     .bytes = box,
                     .surely = false}, // Each wave its own part.
              source);
  effects.add(Access{.kind = AccessKind::Write,
                     .proxy = Proxy::AsyncGeneric,
                     .mechanism = Mechanism::VmCount,
                     .bytes = tileOf(getBuffer(), getTile())},
              source);
  effects.add(CommitGroup{.mechanism = Mechanism::VmCount,
                          .token = getToken(),
                          .count = getInstructions()},
              "CDNA3 ISA, s_waitcnt");
}
Cardinality BufferLoadLdsOp::getCardinality() { return Cardinality::Tile; }

//===----------------------------------------------------------------------===//
// LDS and registers
//===----------------------------------------------------------------------===//

static LogicalResult verifyLds(Operation *op, RankedTensorType tile,
                               SharedType buffer) {
  if (buffer.getSlots() != 1)
    return op->emitOpError(
        "[shared-ring] the buffer is a ring: take a slot first");
  if (failed(verifyTileType(op, tile)))
    return failure();
  if (tile.getShape() != buffer.getShape() ||
      tile.getElementType() != buffer.getElementType())
    return op->emitOpError("[shared-tile-type] the tile is ")
           << tile << ", the buffer " << buffer
           << ": shapes and element types must agree";
  return success();
}

LogicalResult DsReadOp::verify() {
  return verifyLds(*this, getType().getTensor(), getBuffer().getType());
}
void DsReadOp::getHardwareEffects(EffectList &effects) {
  static const char *source = "CDNA3 ISA, LDS instructions";
  effects.add(Access{.kind = AccessKind::Read,
                     .proxy = Proxy::AsyncGeneric,
                     .mechanism = Mechanism::LgkmCount,
                     .bytes = tileOf(getBuffer(), getType().getTensor())},
              source);
  effects.add(CommitGroup{.mechanism = Mechanism::LgkmCount}, source);
  effects.add(Registers{.kind = Registers::InFlight, .value = getResult()},
              source);
}
Cardinality DsReadOp::getCardinality() { return Cardinality::Tile; }

LogicalResult DsWriteOp::verify() {
  return verifyLds(*this, getTile().getType(), getBuffer().getType());
}
void DsWriteOp::getHardwareEffects(EffectList &effects) {
  static const char *source = "CDNA3 ISA, LDS instructions";
  effects.add(Access{.kind = AccessKind::Write,
                     .proxy = Proxy::AsyncGeneric,
                     .mechanism = Mechanism::LgkmCount,
                     .bytes = tileOf(getBuffer(), getTile().getType())},
              source);
  effects.add(CommitGroup{.mechanism = Mechanism::LgkmCount}, source);
}
Cardinality DsWriteOp::getCardinality() { return Cardinality::Tile; }

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

LogicalResult SWaitcntOp::verify() {
  if (!getVmcnt() && !getLgkmcnt())
    return emitOpError("[counter-range] names no counter: vmcnt(N) or "
                       "lgkmcnt(N)");
  if (auto count = getVmcnt(); count && *count > 63)
    return emitOpError("[counter-range] vmcnt has 6 bits, 0 to 63, not ")
           << *count << " (CDNA3 ISA, s_waitcnt)";
  if (auto count = getLgkmcnt(); count && *count > 15)
    return emitOpError("[counter-range] lgkmcnt has 4 bits, 0 to 15, not ")
           << *count << " (CDNA3 ISA, s_waitcnt)";
  if (!getLoads().empty() && !getLgkmcnt())
    return emitOpError("[inflight-use] tiles read from LDS arrive at an "
                       "lgkmcnt wait, not at a vmcnt one");
  return verifyArrivals(*this, getLoads(), getTiles());
}
void SWaitcntOp::getHardwareEffects(EffectList &effects) {
  static const char *source = "CDNA3 ISA, s_waitcnt";
  if (auto count = getVmcnt())
    effects.add(WaitGroup{.mechanism = Mechanism::VmCount,
                          .pending = static_cast<int64_t>(*count)},
                source);
  if (auto count = getLgkmcnt())
    effects.add(WaitGroup{.mechanism = Mechanism::LgkmCount,
                          .pending = static_cast<int64_t>(*count)},
                source);
  for (Value tile : getTiles())
    effects.add(Registers{.kind = Registers::Arrived, .value = tile}, source);
}
Cardinality SWaitcntOp::getCardinality() { return Cardinality::Warp; }

LogicalResult CounterWaitOp::verify() {
  if (getToken().getType().getKind() != TokenKind::Counter)
    return emitOpError(
        "[token-kind] this operation's tokens are of kind 'counter'");
  return success();
}
void CounterWaitOp::getHardwareEffects(EffectList &effects) {
  effects.add(WaitGroup{.mechanism = Mechanism::VmCount, .token = getToken()},
              "CDNA3 ISA, s_waitcnt");
}
Cardinality CounterWaitOp::getCardinality() { return Cardinality::Warp; }

void SBarrierOp::getHardwareEffects(EffectList &effects) {
  effects.add(ThreadBarrier{.kind = ThreadBarrier::Named},
              "CDNA3 ISA, s_barrier");
}
Cardinality SBarrierOp::getCardinality() { return Cardinality::EveryThread; }

//===----------------------------------------------------------------------===//
// Products, and the layouts of their registers
//===----------------------------------------------------------------------===//

/// `atom` repeated over a tile: each wave of a grid of `waves` (rows, columns
/// of waves; 1: along a dimension that the tile does not have, where `copies`
/// waves hold the same) has a block, which it walks by columns first.
static Result<Layout> overWaves(Result<Layout> atom, ArrayRef<int64_t> shape,
                                int64_t waveRows, int64_t waveColumns,
                                int64_t rowCopies, int64_t columnCopies) {
  if (!atom)
    return atom;
  int64_t rows = atom->shape()[0], columns = atom->shape()[1];
  if (shape.size() != 2 || shape[0] % (rows * waveRows) ||
      shape[1] % (columns * waveColumns))
    return Problem{"tile-shape", "the tile is no multiple of " +
                                     std::to_string(rows * waveRows) + " x " +
                                     std::to_string(columns * waveColumns) +
                                     ", one instruction of every wave"};
  int64_t r = shape[0] / rows / waveRows, c = shape[1] / columns / waveColumns;
  // Waves are numbered along a row of the grid first.
  Result<Layout> outer = Layout::tile(
      {r * waveRows, c * waveColumns}, {Digit{c, 1, 1}, Digit{r, 0, 1}}, {},
      {Digit{waveColumns, 1, c}, Digit{columnCopies}, Digit{waveRows, 0, r},
       Digit{rowCopies}});
  if (!outer)
    return outer;
  return atom->repeat(*outer);
}

/// Bits of an element, from how many of K a lane holds side by side.
static int operandBits(int64_t m, int64_t k) {
  int64_t each = k * m / 64;
  return each >= 8 ? 8 : each >= 4 ? 16 : 32;
}

Result<Layout> MfmaAttr::getLayout(ArrayRef<int64_t> shape) const {
  return overWaves(mfmaD(getM()), shape, getWaveRows(), getWaveColumns(), 1, 1);
}
Result<Layout> MfmaAAttr::getLayout(ArrayRef<int64_t> shape) const {
  return overWaves(mfmaA(getM(), getK(), operandBits(getM(), getK())), shape,
                   getWaveRows(), 1, 1, getWaveColumns());
}
Result<Layout> MfmaBAttr::getLayout(ArrayRef<int64_t> shape) const {
  // B is written N x K: the formula of A.
  Result<Layout> atom = mfmaA(getM(), getK(), operandBits(getM(), getK()));
  if (!atom)
    return atom;
  return overWaves(atom, shape, getWaveColumns(), 1, getWaveRows(), 1);
}

static StringRef typeName(Type type) {
  if (type.isBF16())
    return "bf16";
  if (type.isF16())
    return "f16";
  if (isa<Float8E4M3FNUZType>(type))
    return "e4m3fnuz";
  if (isa<Float8E5M2FNUZType>(type))
    return "e5m2fnuz";
  if (type.isInteger(8))
    return "s8";
  if (type.isInteger(32))
    return "s32";
  return type.isF32() ? "f32" : "";
}

LogicalResult MfmaOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(),
                   c = getC().getType();
  if (failed(verifyProductShapes(*this, a, b, c, getType())))
    return failure();
  auto layoutA = dyn_cast_or_null<MfmaAAttr>(a.getEncoding());
  auto layoutB = dyn_cast_or_null<MfmaBAttr>(b.getEncoding());
  auto layoutC = dyn_cast_or_null<MfmaAttr>(c.getEncoding());
  if (!layoutA || !layoutB || !layoutC || layoutA.getM() != layoutC.getM() ||
      layoutB.getM() != layoutC.getM() || layoutA.getK() != layoutB.getK() ||
      layoutA.getWaveRows() != layoutC.getWaveRows() ||
      layoutB.getWaveRows() != layoutC.getWaveRows() ||
      layoutA.getWaveColumns() != layoutC.getWaveColumns() ||
      layoutB.getWaveColumns() != layoutC.getWaveColumns())
    return emitOpError("[layout-mismatch] A is in #titan.mfma_a, B in "
                       "#titan.mfma_b, C and D in #titan.mfma, all of one "
                       "instruction and one grid of waves; here ")
           << a << ", " << b << ", " << c;
  for (RankedTensorType tile : {a, b, c})
    if (failed(verifyTileType(*this, tile)))
      return failure();
  int64_t waves = layoutC.getWaveRows() * layoutC.getWaveColumns();
  if ((*this)->getParentOfType<KernelOp>() && waves != wavesOf(*this))
    return emitOpError("[layout-mismatch] the layout is for ")
           << waves << " waves, here are " << wavesOf(*this);
  Code why = Code::MmaType;
  if (!findMma(MmaFamily::Mfma, typeName(a.getElementType()).str(),
               typeName(b.getElementType()).str(),
               typeName(c.getElementType()).str(),
               static_cast<int>(layoutC.getM()),
               static_cast<int>(layoutC.getM()),
               static_cast<int>(layoutA.getK()), 1, &why))
    return emitOpError(why == Code::MmaType ? "[mma-type] " : "[mma-shape] ")
           << "no v_mfma multiplies " << a.getElementType() << " by "
           << b.getElementType() << " into " << c.getElementType() << " as "
           << layoutC.getM() << "x" << layoutC.getM() << "x" << layoutA.getK()
           << " (CDNA3 ISA, MFMA; docs/hardware-facts.md)";
  return success();
}
/// Registers alone, and these at once as far as the program can tell.
void MfmaOp::getHardwareEffects(EffectList &) {}
Cardinality MfmaOp::getCardinality() { return Cardinality::Tile; }
