//===- MemoryOps.cpp - shared memory, registers and global memory ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/Titan.h"

using namespace mlir;
using namespace titan;
using namespace titan::effect;

//===----------------------------------------------------------------------===//
// Allocation and views
//===----------------------------------------------------------------------===//

LogicalResult SharedAllocOp::verify() {
  if (getType().getCluster())
    return emitOpError(
        "[alloc-cluster] allocates the CTA's own memory; a peer's is "
        "reached by titan.map_rank");
  return verifyAtKernelTop(*this);
}

Allocation SharedAllocOp::getAllocation() {
  return {.bytes = getType().getSlotBytes() * getType().getSlots(),
          .alignment = getType().getAlignment()};
}

LogicalResult SharedSlotOp::verify() {
  SharedType ring = getRing().getType();
  if (getType() != ring.getSlotType())
    return emitOpError("[shared-slot-type] a slot of this ring is ")
           << ring.getSlotType();
  if (auto index = getConstant(getIndex());
      index && (*index < 0 || *index >= ring.getSlots()))
    return withFix(emitOpError("[out-of-bounds] slot ")
                       << *index << " of a ring of " << ring.getSlots(),
                   fixOfSlots(ring.getSlots()));
  return success();
}

View SharedSlotOp::getView() {
  SharedType ring = getRing().getType();
  return {.source = getRing(),
          .index = getIndex(),
          .stride = ring.getSlotBytes(),
          .slots = ring.getSlots()};
}

LogicalResult SharedViewOp::verify() {
  SharedType from = getSource().getType(), to = getType();
  size_t rank = from.getRank();
  if (from.getSlots() != 1)
    return emitOpError(
        "[shared-view-ring] the source is a ring: take a slot first");
  if (getOffsets().size() != rank || to.getRank() != rank)
    return emitOpError("[shared-view-rank] the view, its offsets and its "
                       "source have one rank");
  if (to.getElementType() != from.getElementType() ||
      to.getSwizzle() != from.getSwizzle() ||
      to.getCluster() != from.getCluster() || to.getSlots() != 1)
    return emitOpError("[shared-view-type] element type, swizzle and cluster "
                       "are the source's");
  for (size_t d = 0; d < rank; ++d)
    if (getOffsets()[d] < 0 ||
        getOffsets()[d] + to.getShape()[d] > from.getShape()[d])
      return withFix(
          emitOpError("[out-of-bounds] dimension ")
              << d << ": " << getOffsets()[d] << " + " << to.getShape()[d]
              << " is beyond the source's " << from.getShape()[d],
          to.getShape()[d] > from.getShape()[d]
              ? "a view has at most the source's " + Twine(from.getShape()[d]) +
                    " elements there"
              : "the view begins at 0 to " +
                    Twine(from.getShape()[d] - to.getShape()[d]) + " there");
  // The view must be an image of its own: contiguous bytes that start at a
  // multiple of the swizzle's period.
  int64_t bytes = from.getElementBytes(), swizzle = from.getSwizzle();
  int64_t panel = swizzle ? swizzle / bytes : from.getShape().back();
  // A part of one dimension, the inner ones whole, the outer ones at one index.
  auto contiguous = [&](size_t dimensions) {
    bool cut = false;
    for (size_t d = dimensions; d-- > 0;) {
      if (cut && to.getShape()[d] != 1)
        return false;
      cut |= to.getShape()[d] != from.getShape()[d];
    }
    return true;
  };
  // Under a swizzle: panels of all rows, or rows of one panel.
  bool whole = contiguous(swizzle ? rank - 1 : rank);
  if (swizzle)
    whole = getOffsets().back() % panel == 0 &&
            to.getShape().back() % panel == 0 &&
            (to.getShape().back() == panel
                 ? whole
                 : to.getShape().drop_back() == from.getShape().drop_back());
  if (!whole)
    return emitOpError("[shared-view-contiguous] a view is contiguous: ")
           << (swizzle ? "whole panels of " + std::to_string(panel) +
                             " elements, and a part of the rows only within "
                             "one panel"
                       : "a part of one dimension, whole in those inside of it "
                         "and at one index of those outside");
  if (getByteOffset() % to.getAlignment())
    return emitOpError("[shared-view-alignment] the view starts at byte ")
           << getByteOffset() << ", not a multiple of " << to.getAlignment()
           << " (the swizzle's period; TMA needs 128)";
  return success();
}

int64_t SharedViewOp::getByteOffset() {
  SharedType from = getSource().getType();
  ArrayRef<int64_t> shape = from.getShape(), offsets = getOffsets();
  int64_t row = 0, rows = 1;
  for (size_t d = 0; d + 1 < shape.size(); ++d) {
    row = row * shape[d] + offsets[d];
    rows *= shape[d];
  }
  int64_t bytes = from.getElementBytes(), span = from.getSwizzle();
  if (!span)
    return (row * shape.back() + offsets.back()) * bytes;
  return (offsets.back() * bytes / span * rows + row) * span;
}

View SharedViewOp::getView() {
  return {.source = getSource(), .offset = getByteOffset()};
}

/// The bytes that a buffer, or all slots of a ring, take.
static int64_t bytesOf(SharedType type) {
  return (type.getSlots() - 1) * type.getSlotBytes() + type.getTileBytes();
}

LogicalResult SharedReuseOp::verify() {
  SharedType from = getSource().getType(), to = getType();
  int64_t at = getAt();
  if (to.getCluster() != from.getCluster())
    return emitOpError("[shared-reuse] the bytes are of the source's CTA: "
                       "`cluster` is the source's");
  if (at < 0 || at + bytesOf(to) > bytesOf(from))
    return emitOpError("[shared-reuse] bytes ")
           << at << " to " << at + bytesOf(to) << " of a source of "
           << bytesOf(from);
  if (at % to.getAlignment() || from.getAlignment() % to.getAlignment())
    return emitOpError("[shared-reuse] ")
           << to << " begins at a multiple of " << to.getAlignment()
           << " bytes, and here at byte " << at << " of what is a multiple of "
           << from.getAlignment();
  return success();
}

View SharedReuseOp::getView() {
  return {.source = getSource(),
          .offset = static_cast<int64_t>(getAt()),
          .otherElements = true};
}

View MapRankOp::getView() { return {.source = getSource(), .rank = getRank()}; }

LogicalResult MapRankOp::verify() {
  Type from = getSource().getType(), to = getType();
  if (auto shared = dyn_cast<SharedType>(from)) {
    if (to != SharedType::get(getContext(), shared.getShape(),
                              shared.getElementType(), shared.getSwizzle(),
                              shared.getSlots(), true))
      return emitOpError(
          "[map-rank-type] the result is the source's type with `cluster`");
  } else if (to != MBarrierType::get(getContext(),
                                     cast<MBarrierType>(from).getSlots(),
                                     true)) {
    return emitOpError(
        "[map-rank-type] the result is the source's type with `cluster`");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Whether an operation does with a tensor, element by element, what it does; or hands
/// it to a function, whose body goes where it is called.
static bool touchesElements(Operation *op, Value tensor) {
  if (isa<CallOpInterface, AddressOfOp>(op) ||
      (op->hasTrait<OpTrait::ReturnLike>() &&
       isa<FunctionOpInterface>(op->getParentOp())))
    return true;
  auto hardware = dyn_cast<HardwareEffectsInterface>(op);
  if (!hardware)
    return false;
  EffectList effects;
  hardware.getHardwareEffects(effects);
  bool any = false;
  for (const Effect &each : effects) {
    if (std::holds_alternative<Opaque>(each.what) ||
        std::holds_alternative<WaitFlag>(each.what))
      return false;
    auto *access = std::get_if<Access>(&each.what);
    if (!access || access->bytes.object != tensor)
      continue;
    any = true;
    if (access->bytes.kind != Footprint::Elements &&
        access->bytes.kind != Footprint::Scalar)
      return false;
  }
  return any;
}

LogicalResult TensorAtOp::verify() {
  GlobalType type = getType();
  int64_t bytes = getElementBytes(type.getElementType());
  if (type.getRank() != 1 || !ShapedType::isDynamic(type.getShape()[0]))
    return emitOpError("[tensor-at] ")
           << type << " is not one dimension of unknown size";
  if (auto alignment = getAlignment();
      alignment && (!llvm::isPowerOf2_64(*alignment) ||
                    *alignment < static_cast<uint64_t>(bytes)))
    return withFix(emitOpError("[tensor-at] an address that is a multiple of ")
                       << static_cast<int64_t>(*alignment)
                       << " bytes, of elements of " << bytes,
                   "a power of two from " + Twine(bytes) + " on");
  for (Operation *user : getResult().getUsers())
    if (!touchesElements(user, getResult())) {
      InFlightDiagnostic error = emitOpError("[tensor-at] is used by '")
                                 << user->getName()
                                 << "', which wants more than its elements";
      error.attachNote(user->getLoc()) << "here";
      return error;
    }
  return success();
}

int64_t titan::getAddressAlignment(Value tensor) {
  auto made = tensor.getDefiningOp<TensorAtOp>();
  return made ? made.getAlignment().value_or(
                    getElementBytes(made.getType().getElementType()))
              : 0;
}

//===----------------------------------------------------------------------===//
// Registers <-> shared memory
//===----------------------------------------------------------------------===//

static LogicalResult verifyTileAccess(Operation *op, RankedTensorType tile,
                                      SharedType buffer, bool matrix) {
  if (failed(verifyTileType(op, tile)))
    return failure();
  if (buffer.getSlots() != 1)
    return op->emitOpError(
        "[shared-ring] the buffer is a ring: take a slot first");
  if (tile.getShape() != buffer.getShape() ||
      tile.getElementType() != buffer.getElementType())
    return op->emitOpError("[shared-tile-type] the tile is ")
           << tile << ", the buffer " << buffer
           << ": shapes and element types must agree";
  if (matrix && buffer.getElementBytes() != 2)
    return op->emitOpError(
        "[matrix-element-type] ldmatrix and stmatrix move elements of 16 bits "
        "(PTX ISA, ldmatrix; stmatrix)");
  return success();
}

LogicalResult SharedStoreOp::verify() {
  return verifyTileAccess(*this, getTile().getType(), getBuffer().getType(),
                          getMatrix());
}

LogicalResult SharedLoadOp::verify() {
  if (getBuffer().getType().getCluster() && getMatrix())
    return emitOpError(
        "[matrix-cluster] ldmatrix reads the CTA's own shared memory");
  return verifyTileAccess(*this, getType(), getBuffer().getType(), getMatrix());
}

void SharedStoreOp::getHardwareEffects(EffectList &effects) {
  effects.add(Access{.kind = AccessKind::Write,
                     .bytes = tileOf(getBuffer(), getTile().getType())},
              getMatrix() ? "PTX ISA, stmatrix" : "PTX ISA, st");
}
Cardinality SharedStoreOp::getCardinality() { return Cardinality::Tile; }

void SharedStoreOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Store{getTile(), getBuffer()});
}

void SharedLoadOp::getHardwareEffects(EffectList &effects) {
  effects.add(
      Access{.kind = AccessKind::Read, .bytes = tileOf(getBuffer(), getType())},
      getMatrix() ? "PTX ISA, ldmatrix" : "PTX ISA, ld");
}
Cardinality SharedLoadOp::getCardinality() { return Cardinality::Tile; }
void SharedLoadOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Pass{getBuffer(), getResult(), /*newPlaces=*/true});
}

//===----------------------------------------------------------------------===//
// Registers <-> global memory
//===----------------------------------------------------------------------===//

LogicalResult titan::verifyElements(Operation *op, RankedTensorType tile,
                                    GlobalType tensor, ValueRange indices,
                                    Value mask) {
  if (failed(verifyTileType(op, tile)))
    return failure();
  if (tile.getElementType() != tensor.getElementType())
    return withFix(op->emitOpError("[global-element-type] the tile holds ")
                       << tile.getElementType() << ", the tensor "
                       << tensor.getElementType(),
                   "move a tile of the tensor's type, and convert it where it "
                   "is computed with (arith.extf, arith.truncf)");
  if (indices.size() != tensor.getRank())
    return op->emitOpError("[global-rank] a tensor of rank ")
           << tensor.getRank() << " needs as many index tensors, not "
           << indices.size();
  auto like = [&](Type elementType) {
    return RankedTensorType::get(tile.getShape(), elementType,
                                 tile.getEncoding());
  };
  Builder b(op->getContext());
  for (Value index : indices)
    if (index.getType() != like(b.getI32Type()))
      return op->emitOpError("[global-index-type] an index tensor is ")
             << like(b.getI32Type());
  if (mask && mask.getType() != like(b.getI1Type()))
    return op->emitOpError("[global-mask-type] the mask is ")
           << like(b.getI1Type());
  return success();
}

/// Hints that ld and st take (PTX ISA, Cache Operators; ld; st).
static LogicalResult verifyHints(Operation *op,
                                 std::optional<CacheOperator> cop,
                                 ArrayRef<CacheOperator> allowed, bool l1) {
  if (cop && l1)
    return op->emitOpError("[global-cache-hint] `cop` and `l1` exclude each "
                           "other: a cache operator says what L1 does");
  if (!cop || llvm::is_contained(allowed, *cop))
    return success();
  InFlightDiagnostic error =
      op->emitOpError("[global-cache-hint] cache operator '");
  error << stringifyCacheOperator(*cop) << "': it takes";
  for (auto [i, word] : llvm::enumerate(allowed))
    error << (i ? ", " : " ") << stringifyCacheOperator(word);
  return error;
}

LogicalResult GlobalLoadOp::verify() {
  if (failed(verifyHints(*this, getCop(),
                         {CacheOperator::CacheAll, CacheOperator::CacheGlobal,
                          CacheOperator::Streaming, CacheOperator::LastUse,
                          CacheOperator::DoNotCache},
                         getL1().has_value())))
    return failure();
  if (std::optional<uint64_t> bytes = getPrefetch();
      bytes && *bytes != 64 && *bytes != 128 && *bytes != 256)
    return emitOpError("[global-cache-hint] L2 fetches 64, 128 or 256 bytes, "
                       "not ")
           << static_cast<int64_t>(*bytes);
  return verifyElements(*this, getType(), getTensor().getType(), getIndices(),
                        getMask());
}
void GlobalLoadOp::getHardwareEffects(EffectList &effects) {
  effects.add(Access{.kind = AccessKind::Read,
                     .bytes = elementsOf(getTensor(), getType(), getIndices(),
                                         getMask())},
              "PTX ISA, ld");
}
Cardinality GlobalLoadOp::getCardinality() { return Cardinality::Tile; }
void GlobalLoadOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Index{getIndices(), getMask(), getResult()});
}

LogicalResult GlobalStoreOp::verify() {
  if (failed(
          verifyHints(*this, getCop(),
                      {CacheOperator::WriteBack, CacheOperator::CacheGlobal,
                       CacheOperator::Streaming, CacheOperator::WriteThrough},
                      getL1().has_value())))
    return failure();
  return verifyElements(*this, getTile().getType(), getTensor().getType(),
                        getIndices(), getMask());
}
void GlobalStoreOp::getHardwareEffects(EffectList &effects) {
  effects.add(Access{.kind = AccessKind::Write,
                     .bytes = elementsOf(getTensor(), getTile().getType(),
                                         getIndices(), getMask())},
              "PTX ISA, st");
}
Cardinality GlobalStoreOp::getCardinality() { return Cardinality::Tile; }
void GlobalStoreOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Index{getIndices(), getMask(), {}});
}

/// What an atomic takes the elements of a memory for: integers of a float's width are
/// its bits.
static Type atomicElement(Type memory, Type value) {
  return value.isSignlessInteger() && isa<FloatType>(memory) &&
                 value.getIntOrFloatBitWidth() == memory.getIntOrFloatBitWidth()
             ? value
             : memory;
}

LogicalResult GlobalAtomOp::verify() {
  RankedTensorType tile = getTile().getType();
  GlobalType tensor = getTensor().getType();
  tensor = GlobalType::get(
      getContext(), tensor.getShape(),
      atomicElement(tensor.getElementType(), tile.getElementType()),
      tensor.getStrides());
  if (failed(verifyElements(*this, tile, tensor, getIndices(), getMask())))
    return failure();
  if (!llvm::is_contained({MemorySem::Relaxed, MemorySem::Acquire,
                           MemorySem::Release, MemorySem::AcqRel},
                          getSem()))
    return emitOpError("[scalar-sem] '")
           << stringifyMemorySem(getSem())
           << "' is no semantics of this operation (PTX ISA, atom)";
  if (!getResult())
    return success();
  if (getResult().getType() != tile)
    return emitOpError("[global-element-type] the old values are a tile as "
                       "the operand is: ")
           << tile;
  if (!getTileLayout(tile)->isInjective())
    return withFix(
        emitOpError("[layout-mismatch] several threads hold an element of ")
            << tile
            << ", of which one alone does the operation and has the old value",
        "choose a layout without copies, or leave the result out");
  return success();
}
void GlobalAtomOp::getHardwareEffects(EffectList &effects) {
  effects.add(
      Access{.kind = AccessKind::Reduction,
             .bytes = elementsOf(getTensor(), getTile().getType(), getIndices(),
                                 getMask()),
             .sem = toSem(getSem()),
             .scope = toScope(getScope()),
             .reduction =
                 Reduction{getOp(), getTile().getType().getElementType()}},
      "PTX ISA, atom");
}
Cardinality GlobalAtomOp::getCardinality() { return Cardinality::Tile; }
void GlobalAtomOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Index{getIndices(), getMask(), getResult()});
  steps.push_back(flow::Combine{
      getTile(), stringifyAtomicOp(getOp()).str(),
      llvm::is_contained({AtomicOp::Add, AtomicOp::Or, AtomicOp::Xor},
                         getOp())});
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static LogicalResult verifyScalar(Operation *op, Type memory,
                                  ValueRange indices, Type value,
                                  std::optional<MemorySem> sem,
                                  ArrayRef<MemorySem> allowed) {
  unsigned rank;
  Type elementType;
  if (auto global = dyn_cast<GlobalType>(memory)) {
    rank = global.getRank();
    elementType = global.getElementType();
  } else {
    auto shared = cast<SharedType>(memory);
    if (shared.getSlots() != 1)
      return op->emitOpError(
          "[shared-ring] the memory is a ring: take a slot first");
    rank = shared.getRank();
    elementType = shared.getElementType();
  }
  if (indices.size() != rank)
    return op->emitOpError("[scalar-rank] memory of rank ")
           << rank << " needs as many indices, not " << indices.size();
  if (isa<AtomOp>(op))
    elementType = atomicElement(elementType, value);
  if (value != elementType)
    return op->emitOpError("[scalar-type] the memory holds ")
           << elementType << ", not " << value;
  if (sem && !llvm::is_contained(allowed, *sem))
    return op->emitOpError("[scalar-sem] '")
           << stringifyMemorySem(*sem)
           << "' is no semantics of this operation (PTX ISA, "
           << op->getName().stripDialect() << ")";
  return success();
}

static Footprint scalarOf(Value memory, ValueRange indices) {
  Footprint bytes;
  bytes.kind = Footprint::Scalar;
  bytes.object = memory;
  bytes.coords.assign(indices.begin(), indices.end());
  return bytes;
}

LogicalResult LdOp::verify() {
  return verifyScalar(
      *this, getMemory().getType(), getIndices(), getType(), getSem(),
      {MemorySem::Weak, MemorySem::Relaxed, MemorySem::Acquire});
}
void LdOp::getHardwareEffects(EffectList &effects) {
  effects.add(Access{.kind = AccessKind::Read,
                     .bytes = scalarOf(getMemory(), getIndices()),
                     .sem = toSem(getSem()),
                     .scope = toScope(getScope())},
              "PTX ISA, ld");
  if (getSem() != MemorySem::Weak)
    effects.add(Reveals{getResult()}, "PTX ISA, Memory Consistency Model");
}
Cardinality LdOp::getCardinality() { return Cardinality::EveryThread; }

LogicalResult StOp::verify() {
  return verifyScalar(
      *this, getMemory().getType(), getIndices(), getValue().getType(),
      getSem(), {MemorySem::Weak, MemorySem::Relaxed, MemorySem::Release});
}
void StOp::getHardwareEffects(EffectList &effects) {
  effects.add(Access{.kind = AccessKind::Write,
                     .bytes = scalarOf(getMemory(), getIndices()),
                     .sem = toSem(getSem()),
                     .scope = toScope(getScope())},
              "PTX ISA, st");
}
Cardinality StOp::getCardinality() { return Cardinality::EveryThread; }
void StOp::getTileFlow(flow::Steps &) {}

LogicalResult AtomOp::verify() {
  if (getType() != getValue().getType())
    return emitOpError(
        "[scalar-type] the result is the old value, of the operand's type");
  if (Value expected = getExpected()) {
    if (getOp() != AtomicOp::Exch)
      return emitOpError("[scalar-type] of one that compares, the operation is "
                         "an exchange: titan.atom exch ... where(...)");
    if (expected.getType() != getType())
      return emitOpError("[scalar-type] what is compared is ")
             << expected.getType() << ", and the element " << getType();
  }
  return verifyScalar(*this, getMemory().getType(), getIndices(),
                      getValue().getType(), getSem(),
                      {MemorySem::Relaxed, MemorySem::Acquire,
                       MemorySem::Release, MemorySem::AcqRel});
}
void AtomOp::getHardwareEffects(EffectList &effects) {
  effects.add(Access{.kind = AccessKind::Reduction,
                     .bytes = scalarOf(getMemory(), getIndices()),
                     .sem = toSem(getSem()),
                     .scope = toScope(getScope()),
                     .added = getOp() == AtomicOp::Add ? getValue() : Value(),
                     .reduction = Reduction{getOp(), getType()}},
              "PTX ISA, atom");
  effects.add(Reveals{getResult()}, "PTX ISA, Memory Consistency Model");
}
Cardinality AtomOp::getCardinality() { return Cardinality::EveryThread; }

static LogicalResult verifyFlag(Operation *op, GlobalType flags,
                                ValueRange indices) {
  return verifyScalar(op, flags, indices,
                      IntegerType::get(op->getContext(), 32), std::nullopt, {});
}

LogicalResult FlagWaitOp::verify() {
  return verifyFlag(*this, getFlags().getType(), getIndices());
}
void FlagWaitOp::getHardwareEffects(EffectList &effects) {
  effects.add(WaitFlag{.flag = scalarOf(getFlags(), getIndices()),
                       .value = getValue(),
                       .sem = Sem::Acquire,
                       .scope = toScope(getScope())},
              "PTX ISA, Release and Acquire Patterns");
}
Cardinality FlagWaitOp::getCardinality() { return Cardinality::EveryThread; }

LogicalResult FlagSignalOp::verify() {
  return verifyFlag(*this, getFlags().getType(), getIndices());
}
void FlagSignalOp::getHardwareEffects(EffectList &effects) {
  effects.add(
      Access{.kind = AccessKind::Reduction,
             .bytes = scalarOf(getFlags(), getIndices()),
             .sem = Sem::Release,
             .scope = toScope(getScope()),
             .added = getValue(),
             .reduction = Reduction{AtomicOp::Add, getValue().getType()}},
      "PTX ISA, red; Release and Acquire Patterns");
}
Cardinality FlagSignalOp::getCardinality() { return Cardinality::EveryThread; }
