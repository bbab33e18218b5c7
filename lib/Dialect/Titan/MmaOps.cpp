//===- MmaOps.cpp - asynchronous matrix products --------------------------===//
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

TypedValue<SharedType> MmaOp::getSharedA() {
  return dyn_cast<TypedValue<SharedType>>(getA());
}

StringRef titan::getMmaOperandName(Type type, bool isUnsigned) {
  if (type.isBF16())
    return "bf16";
  if (type.isF16())
    return "f16";
  if (type.isF32())
    return "tf32";
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  if (isa<Float8E5M2Type>(type))
    return "e5m2";
  if (type.isInteger(8))
    return isUnsigned || type.isUnsignedInteger() ? "u8" : "s8";
  return "";
}

StringRef titan::getMmaAccumulatorName(Type type) {
  if (type.isF32())
    return "f32";
  if (type.isF16())
    return "f16";
  return type.isInteger(32) ? "s32" : "";
}

Result<Layout> titan::getMatrixOperand(SharedType type, bool transposed) {
  Layout layout = type.getLayout();
  std::vector<Axis> axes = layout.axes();
  if (axes.size() == 3) {
    // Columns of 16 bytes: the outermost dimension goes on with the last one.
    axes[2].digits.insert(axes[2].digits.end(), axes[0].digits.begin(),
                          axes[0].digits.end());
    axes.erase(axes.begin());
  }
  if (axes.size() != 2)
    return Problem{"mma-rank", "a matrix operand has two dimensions"};
  if (transposed)
    std::swap(axes[0], axes[1]);
  axes[0].name = "mn";
  axes[1].name = "k";
  return Layout::make(std::move(axes), layout.dims(), layout.offset(),
                      layout.bits());
}

static Type operandElement(Value operand) {
  if (auto shared = dyn_cast<SharedType>(operand.getType()))
    return shared.getElementType();
  return cast<RankedTensorType>(operand.getType()).getElementType();
}

const MmaShape *MmaOp::getInstruction() {
  Type a = operandElement(getA());
  Type b = getB().getType().getElementType();
  return findMma(
      MmaFamily::Wgmma, getMmaOperandName(a, getUnsignedA()).str(),
      getMmaOperandName(b, getUnsignedB()).str(),
      getMmaAccumulatorName(getAcc().getType().getTensor().getElementType())
          .str(),
      64, 8, static_cast<int>(32 / ::titan::getElementBytes(b)));
}

static MmaType operandType(Type type, bool isUnsigned) {
  return *findMmaType(std::string_view(getMmaOperandName(type, isUnsigned)));
}
static MmaType accumulatorType(Type type) {
  return *findMmaType(std::string_view(getMmaAccumulatorName(type)));
}

MmaProduct titan::getWarpgroupProduct(Operation *product) {
  auto op = cast<MmaOp>(product);
  Type a = operandElement(op.getA());
  return {
      .a = operandType(a, op.getUnsignedA()),
      .b = operandType(op.getB().getType().getElementType(), op.getUnsignedB()),
      .d = accumulatorType(op.getAcc().getType().getTensor().getElementType()),
      .depth = op.getInstruction()->k,
      .negateA = op.getNegateA(),
      .negateB = op.getNegateB(),
      .saturate = op.getSaturate()};
}

int64_t MmaOp::getColumns() {
  RankedTensorType tile = getAcc().getType().getTensor();
  Layout layout = *getTileLayout(tile);
  const MmaShape *row = getInstruction();
  int64_t registers = layout.registers();
  for (int64_t n = std::min<int64_t>(tile.getShape()[1], 256); n >= 8; n -= 8) {
    if (registers % (n / 2) ||
        !findMma(row->family, row->a.substr(0, row->a.find(' ')),
                 row->a.substr(0, row->a.find(' ')),
                 row->d.substr(0, row->d.find(' ')), row->m,
                 static_cast<int>(n), row->k))
      continue;
    auto atom = wgmmaD(64, n);
    if (atom && layout.divide(*atom))
      return n;
  }
  return 0;
}

/// The words of a product that its element types have no use for.
static LogicalResult verifyWords(Operation *op, Type element, bool isUnsigned,
                                 bool saturate) {
  if ((isUnsigned || saturate) && !element.isInteger(8))
    return op->emitOpError("[mma-type] `unsigned` and `saturate` are of "
                           "products of i8, not of ")
           << element << " (PTX ISA, .satfinite, .u8)";
  return success();
}

LogicalResult MmaOp::verify() {
  SharedType b = getB().getType();
  auto a = dyn_cast<SharedType>(getA().getType());
  auto registers = dyn_cast<RankedTensorType>(getA().getType());
  Type element = a ? a.getElementType() : registers.getElementType();
  RankedTensorType d = getAcc().getType().getTensor();
  if (getType() != getAcc().getType())
    return emitOpError(
        "[mma-accumulator] the result has the accumulator's type");
  if ((a && a.getSlots() != 1) || b.getSlots() != 1)
    return emitOpError("[shared-ring] an operand is a ring: take a slot first");
  if ((a && a.getCluster()) || b.getCluster())
    return emitOpError("[mma-remote] operands are the CTA's own shared memory "
                       "(PTX ISA, wgmma)");
  auto hasRank = [](SharedType type) {
    return type.getRank() == 2 || (type.getRank() == 3 && !type.getSwizzle());
  };
  if ((a ? !hasRank(a) : registers.getRank() != 2) || !hasRank(b) ||
      d.getRank() != 2)
    return emitOpError(
        "[mma-rank] operands and accumulator have two dimensions; an operand "
        "in shared memory without swizzle has three, the columns of 16 bytes "
        "outermost");
  const MmaShape *instruction = getInstruction();
  if (!instruction)
    return emitOpError("[mma-type] no wgmma multiplies ")
           << element << " by " << b.getElementType() << " into "
           << d.getElementType()
           << " (PTX ISA, wgmma: Matrix data-types; docs/hardware-facts.md)";
  if (failed(verifyWords(*this, element, getUnsignedA(), getSaturate())) ||
      failed(verifyWords(*this, b.getElementType(), getUnsignedB(),
                         getSaturate())))
    return failure();
  if ((getNegateA() || getNegateB()) && element.isInteger(8))
    return emitOpError("[mma-type] integer operands cannot be negated (PTX "
                       "ISA, wgmma.mma_async: imm-scale)");
  if ((getTransposeA() || getTransposeB()) && !instruction->transpose)
    return emitOpError("[mma-operand] operands of ")
           << element << " are K-major, not transposed: that is for elements "
           << "of 16 bits (PTX ISA, wgmma.mma_async: imm-trans)";
  for (SharedType type : {a, b}) {
    if (!type || type.getSwizzle())
      continue;
    if (type.getRank() == 2)
      return withFix(
          emitOpError("[mma-operand] an operand without swizzle: TMA writes "
                      "rows, wgmma then wants blocks of 8 x 16 bytes (PTX ISA, "
                      "wgmma, matrix descriptors)"),
          "give the shared tile swizzle = 32, 64 or 128, or three dimensions, "
          "columns of 16 bytes outermost");
    if (type.getShape()[2] * type.getElementBytes() != 16)
      return emitOpError("[mma-operand] columns of an operand without swizzle "
                         "are 16 bytes wide, not ")
             << type.getShape()[2] * type.getElementBytes()
             << " (PTX ISA, wgmma: Shared Memory Matrix Layout)";
  }
  auto extents = [](SharedType type, bool transposed) {
    ArrayRef<int64_t> shape = type.getShape();
    std::pair<int64_t, int64_t> size(shape[shape.size() - 2], shape.back());
    if (shape.size() == 3)
      size.second *= shape[0];
    if (transposed)
      std::swap(size.first, size.second);
    return size;
  };
  auto [m, k] = a ? extents(a, getTransposeA())
                  : std::pair(registers.getShape()[0], registers.getShape()[1]);
  auto [n, kOfB] = extents(b, getTransposeB());
  if (k != kOfB || m != d.getShape()[0] || n != d.getShape()[1])
    return emitOpError("[mma-shape] A is ")
           << m << " x " << k << " (M x K), B " << n << " x " << kOfB
           << " (N x K), D " << d.getShape()[0] << " x " << d.getShape()[1];
  if (k % instruction->k)
    return emitOpError("[mma-shape] K is a multiple of ")
           << instruction->k << " for elements of "
           << element.getIntOrFloatBitWidth() << " bits, not " << k
           << " (PTX ISA, wgmma shapes)";
  if (failed(verifyTileType(*this, d)))
    return failure();
  if (!getColumns())
    return withFix(emitOpError("[layout-mismatch] the accumulator's layout is "
                               "no fragment of wgmma (PTX ISA, wgmma, matrix "
                               "fragment D)"),
                   "give the accumulator #titan.wgmma<rows, columns>, of as "
                   "many warpgroups as execute this");
  if (!registers)
    return success();
  if (getTransposeA())
    return emitOpError("[mma-operand] A in registers is not transposed (PTX "
                       "ISA, wgmma.mma_async)");
  if (failed(verifyTileType(*this, registers)))
    return failure();
  // The rows of A are with the warps that hold the rows of D.
  int64_t groups = getTileLayout(d)->warps() / 4;
  int64_t rowGroups = 1;
  if (auto wgmma = dyn_cast<WgmmaAttr>(d.getEncoding()))
    rowGroups = wgmma.getRows();
  else if (groups != 1)
    return withFix(emitOpError("[layout-mismatch] with A in registers the "
                               "accumulator is in #titan.wgmma"),
                   "give the accumulator #titan.wgmma<rows, columns>, of as "
                   "many warpgroups as execute this");
  Result<Layout> expected =
      wgmmaA(static_cast<int>(element.getIntOrFloatBitWidth()), m, k, rowGroups,
             std::max<int64_t>(1, groups / rowGroups));
  if (!expected || !expected->sameFunction(*getTileLayout(registers))) {
    InFlightDiagnostic error =
        emitOpError("[layout-mismatch] A in registers has the layout of "
                    "wgmma's matrix fragment A, for 16-bit elements that of "
                    "the accumulators, #titan.wgmma; not that of ")
        << registers;
    if (expected)
      error.attachNote() << "fix: #titan.layout<\"" << expected->str() << "\">";
    return error;
  }
  return success();
}
void MmaOp::getHardwareEffects(EffectList &effects) {
  static const char *source = "PTX ISA, wgmma.mma_async";
  for (Value operand : {Value(getA()), Value(getB())}) {
    if (isa<SharedType>(operand.getType()))
      effects.add(Access{.kind = AccessKind::Read,
                         .proxy = Proxy::Async,
                         .mechanism = Mechanism::MmaGroup,
                         .bytes = viewOf(operand)},
                  "PTX ISA, wgmma: Async proxy");
    else
      effects.add(Registers{.kind = Registers::Borrow, .value = operand},
                  "PTX ISA, wgmma.wait_group");
  }
  effects.add(Registers{.kind = Registers::InFlight,
                        .value = getResult(),
                        .from = getAcc(),
                        .adds = getAccumulate()},
              source);
}
Cardinality MmaOp::getCardinality() { return Cardinality::Warpgroup; }
void MmaOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Product{getA(), getB(), getAcc(), getResult(),
                                getTransposeA(), getTransposeB(),
                                mayBeTrue(getAccumulate())});
}

LogicalResult InFlightStartOp::verify() {
  if (getType().getTensor() != getTile().getType())
    return emitOpError(
        "[mma-accumulator] the result is !titan.inflight of the tile's type");
  return verifyTileType(*this, getTile().getType());
}
void InFlightStartOp::getHardwareEffects(EffectList &effects) {
  effects.add(Registers{.kind = Registers::InFlight, .value = getResult()},
              "PTX ISA, wgmma.mma_async");
}
Cardinality InFlightStartOp::getCardinality() { return Cardinality::Tile; }
void InFlightStartOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Pass{getTile(), getResult()});
}

void MmaFenceOp::getHardwareEffects(EffectList &effects) {
  effects.add(Fence{.kind = Fence::Wgmma}, "PTX ISA, wgmma.fence");
}
Cardinality MmaFenceOp::getCardinality() { return Cardinality::Warpgroup; }

LogicalResult MmaCommitOp::verify() {
  if (getToken().getType().getKind() != TokenKind::Mma)
    return emitOpError(
        "[token-kind] this operation's tokens are of kind 'mma'");
  return success();
}
void MmaCommitOp::getHardwareEffects(EffectList &effects) {
  effects.add(CommitGroup{Mechanism::MmaGroup, getToken()},
              "PTX ISA, wgmma.commit_group");
}
Cardinality MmaCommitOp::getCardinality() { return Cardinality::Warpgroup; }

LogicalResult MmaWaitOp::verify() {
  if (getToken().getType().getKind() != TokenKind::Mma)
    return emitOpError(
        "[token-kind] this operation's tokens are of kind 'mma'");
  return success();
}
void MmaWaitOp::getHardwareEffects(EffectList &effects) {
  effects.add(WaitGroup{.mechanism = Mechanism::MmaGroup, .token = getToken()},
              "PTX ISA, wgmma.wait_group");
}
Cardinality MmaWaitOp::getCardinality() { return Cardinality::Warpgroup; }

LogicalResult MmaWaitGroupOp::verify() {
  if (getPending() < 0 || getPending() > 7)
    return emitOpError(
        "[group-pending] wgmma.wait_group takes 0 to 7 (PTX ISA)");
  return success();
}
void MmaWaitGroupOp::getHardwareEffects(EffectList &effects) {
  effects.add(WaitGroup{.mechanism = Mechanism::MmaGroup,
                        .pending = static_cast<int64_t>(getPending())},
              "PTX ISA, wgmma.wait_group");
}
Cardinality MmaWaitGroupOp::getCardinality() { return Cardinality::Warpgroup; }

LogicalResult MmaResultOp::verify() {
  if (getAcc().getType().getTensor() != getType())
    return emitOpError(
        "[mma-accumulator] the result is the accumulator's tile");
  if (getAfter() && getAfter().getType().getKind() != TokenKind::Mma)
    return emitOpError(
        "[token-kind] this operation's tokens are of kind 'mma'");
  return success();
}
void MmaResultOp::getHardwareEffects(EffectList &effects) {
  WaitGroup wait{.mechanism = Mechanism::MmaGroup};
  if (getAfter())
    wait.token = getAfter();
  else
    wait.pending = 0;
  effects.add(wait, "PTX ISA, wgmma.wait_group");
  effects.add(Registers{.kind = Registers::Arrived,
                        .value = getResult(),
                        .from = getAcc()},
              "PTX ISA, wgmma.wait_group");
}
Cardinality MmaResultOp::getCardinality() { return Cardinality::Warpgroup; }
void MmaResultOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Pass{getAcc(), getResult()});
}
