//===- TensormapOps.cpp - tensor maps edited on the device ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/MapEdits.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Domain/TensorMap.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace titan;
using namespace titan::effect;

/// Maps that are edited, and those in memory, which edited ones become.
static LogicalResult verifyTiled(Operation *op, TensorMapType type) {
  if (type.isIm2col())
    return op->emitOpError("[tensormap-place] ")
           << type << ": tensormap.replace edits tiled maps only (PTX ISA)";
  return success();
}

Allocation TensormapAllocOp::getAllocation() {
  constexpr int64_t bytes = std::tuple_size_v<TmaDescriptor>;
  return {.bytes = bytes, .alignment = bytes};
}

LogicalResult TensormapAllocOp::verify() {
  if (failed(verifyTiled(*this, getType())))
    return failure();
  return verifyAtKernelTop(*this);
}

Value titan::getMappedTensor(Value map) {
  if (TensorMapOp made = getTensorMapOp(map))
    return made.getTensor();
  if (auto at = map.getDefiningOp<TensormapAtOp>())
    return at.getTensor();
  return {};
}

View TensormapAtOp::getView() {
  return {.source = getArray(),
          .index = getIndex(),
          .stride = std::tuple_size_v<TmaDescriptor>};
}

LogicalResult TensormapAtOp::verify() {
  if (failed(verifyTiled(*this, getType())))
    return failure();
  GlobalType array = getArray().getType(), tensor = getTensor().getType();
  if (array.getRank() != 2 || array.getShape()[1] != 128 ||
      !array.getElementType().isInteger(8))
    return emitOpError("[tensormap-array] maps lie in an array of 128-byte "
                       "rows, !titan.global<?x128xi8>, not in ")
           << array;
  if (getType().getElementType() != tensor.getElementType())
    return emitOpError("[tma-map-type] the map is ")
           << getType() << ", the tensor " << tensor
           << ": element types must agree";
  return success();
}

/// The object that is edited lies in shared memory.
static LogicalResult verifyShared(Operation *op, Value map) {
  if (!map.getDefiningOp<TensormapAllocOp>())
    return op->emitOpError("[tensormap-place] a map is edited in shared memory "
                           "(titan.tensormap.alloc), then published by "
                           "titan.tensormap.cp_fenceproxy");
  return success();
}

static LogicalResult verifySame(Operation *op, Type from, Type to) {
  if (from != to)
    return op->emitOpError("[tma-map-type] one map is ")
           << from << ", the other " << to << ": a copy changes nothing";
  return success();
}

LogicalResult TensormapCopyOp::verify() {
  if (failed(verifyShared(*this, getMap())))
    return failure();
  return verifySame(*this, getSource().getType(), getMap().getType());
}
void TensormapCopyOp::getHardwareEffects(EffectList &effects) {
  effects.add(Access{.kind = AccessKind::Read,
                     .bytes = objectOf(getSource()),
                     .by = By::Parts},
              "PTX ISA, ld");
  effects.add(Access{.kind = AccessKind::Write,
                     .bytes = objectOf(getMap()),
                     .by = By::Parts},
              "PTX ISA, st");
}
Cardinality TensormapCopyOp::getCardinality() { return Cardinality::Warp; }

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// PTX ISA, tensormap.replace: a weak access to the whole object of 128 bytes.
static void replaceEffects(EffectList &effects, Value map) {
  static const char *source = "PTX ISA, tensormap.replace";
  effects.add(Access{.kind = AccessKind::Read, .bytes = objectOf(map)}, source);
  effects.add(Access{.kind = AccessKind::Write, .bytes = objectOf(map)},
              source);
}

static LogicalResult verifyField(Operation *op, Value map, int64_t dimension,
                                 int64_t dimensions, const char *what) {
  if (failed(verifyShared(op, map)))
    return failure();
  if (dimension < 0 || dimension >= dimensions)
    return op->emitOpError("[tile-dimension] dimension ")
           << dimension << ": a map of " << map.getType() << " has "
           << dimensions << " " << what << ", outermost first";
  return success();
}

LogicalResult TensormapReplaceAddressOp::verify() {
  GlobalType tensor = getTensor().getType();
  if (getCoords().size() != tensor.getRank())
    return emitOpError("[tma-coordinate-count] a tensor of rank ")
           << tensor.getRank() << " needs as many coordinates, not "
           << getCoords().size();
  if (getMap().getType().getElementType() != tensor.getElementType())
    return emitOpError("[tma-map-type] the map's elements are ")
           << getMap().getType().getElementType() << ", the tensor's "
           << tensor.getElementType();
  return verifyShared(*this, getMap());
}
void TensormapReplaceAddressOp::getHardwareEffects(EffectList &effects) {
  replaceEffects(effects, getMap());
}
Cardinality TensormapReplaceAddressOp::getCardinality() {
  return Cardinality::OneThread;
}

LogicalResult TensormapReplaceDimOp::verify() {
  if (auto size = getConstant(getSize()); size && *size < 1)
    return emitOpError("[tma-dim-range] a size of ")
           << *size << ": sizes are at least 1, 0 would be stored as 2^32 "
           << "(PTX ISA, tensormap.replace)";
  return verifyField(*this, getMap(), getDimension(),
                     getMap().getType().getRank(), "sizes");
}
void TensormapReplaceDimOp::getHardwareEffects(EffectList &effects) {
  replaceEffects(effects, getMap());
}
Cardinality TensormapReplaceDimOp::getCardinality() {
  return Cardinality::OneThread;
}

LogicalResult TensormapReplaceStrideOp::verify() {
  if (auto stride = getConstant(getStride()); stride && *stride % 16)
    return emitOpError("[tma-stride-alignment] a stride of ")
           << *stride << " bytes, not a multiple of 16 (PTX ISA, "
           << "tensormap.replace: the low bits would be dropped)";
  // The innermost dimension has no stride.
  return verifyField(*this, getMap(), getDimension(),
                     getMap().getType().getRank() - 1, "strides");
}
void TensormapReplaceStrideOp::getHardwareEffects(EffectList &effects) {
  replaceEffects(effects, getMap());
}
Cardinality TensormapReplaceStrideOp::getCardinality() {
  return Cardinality::OneThread;
}

//===----------------------------------------------------------------------===//
// Publication
//===----------------------------------------------------------------------===//

LogicalResult TensormapCpFenceproxyOp::verify() {
  if (failed(verifyShared(*this, getSource())))
    return failure();
  if (!getMap().getDefiningOp<TensormapAtOp>())
    return emitOpError("[tensormap-place] publishes a map in global memory "
                       "(titan.tensormap.at)");
  return verifySame(*this, getSource().getType(), getMap().getType());
}
void TensormapCpFenceproxyOp::getHardwareEffects(EffectList &effects) {
  static const char *source = "PTX ISA, tensormap.cp_fenceproxy";
  effects.add(Access{.kind = AccessKind::Read,
                     .bytes = objectOf(getSource()),
                     .by = By::Together},
              source);
  effects.add(Access{.kind = AccessKind::Write,
                     .bytes = objectOf(getMap()),
                     .by = By::Together},
              source);
  effects.add(Fence{.kind = Fence::TensormapRelease,
                    .sem = Sem::Release,
                    .scope = toScope(getScope()),
                    .object = getMap()},
              source);
}
Cardinality TensormapCpFenceproxyOp::getCardinality() {
  return Cardinality::Warp;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

std::optional<MapEdit> titan::getMapEdit(Operation *op) {
  return TypeSwitch<Operation *, std::optional<MapEdit>>(op)
      .Case<TensormapCopyOp, TensormapCpFenceproxyOp>([](auto copy) {
        return MapEdit{.map = copy.getMap(), .source = copy.getSource()};
      })
      .Case([](TensormapReplaceAddressOp replace) {
        return MapEdit{.map = replace.getMap(),
                       .tensor = replace.getTensor(),
                       .coords = replace.getCoords()};
      })
      .Case([](TensormapReplaceDimOp replace) {
        return MapEdit{.map = replace.getMap(),
                       .size = replace.getSize(),
                       .dimension =
                           static_cast<unsigned>(replace.getDimension())};
      })
      .Case([](TensormapReplaceStrideOp replace) {
        return MapEdit{.map = replace.getMap(), .stride = true};
      })
      .Default(std::nullopt);
}
