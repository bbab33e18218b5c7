//===- TmaOps.cpp - bulk tensor copies and their groups -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Domain/TensorMap.h"

using namespace mlir;
using namespace titan;
using namespace titan::effect;

ParseResult titan::parseRead(OpAsmParser &parser, UnitAttr &read) {
  SMLoc place = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    return success();
  if (word != "read")
    return parser.emitError(place)
           << "'" << word
           << "' may not stand here: `read` may, which waits until the sources "
              "have been read, not until all is done";
  read = parser.getBuilder().getUnitAttr();
  return success();
}

void titan::printRead(OpAsmPrinter &printer, Operation *, UnitAttr read) {
  if (read)
    printer << " read";
}

/// The rules of the instruction, as far as they are known: what is not known
/// is taken to be good.
static LogicalResult verifyOperands(Operation *op, TensorMapType type,
                                    TmaCopy copy, ValueRange coords,
                                    ValueRange offsets) {
  TensorMap map = getTensorMapFields(
      type, getTmaTypeName(type.getElementType(),
                           copy.reduction == "min" || copy.reduction == "max"));
  // The largest tensor that there is: its bounding box has only a beginning.
  const TargetInfo &target = targetOf(op, Feature::Tma);
  map.dims.fill(target.tmaMaxDim);
  TmaUnknown unknown{.address = true, .strides = 0xff, .shared = true};
  for (auto [d, coord] : llvm::enumerate(llvm::reverse(coords))) {
    auto constant = getConstant(coord);
    copy.coords.push_back(constant.value_or(0));
    if (!constant)
      unknown.coords |= 1 << d;
  }
  for (Value offset : llvm::reverse(offsets))
    copy.im2colOffsets.push_back(getConstant(offset).value_or(0));
  for (const TmaViolation &violation : validateCopy(map, copy, target, unknown))
    return op->emitOpError(
        describe(violation, "PTX ISA, Tensors and cp.async.bulk.tensor"));
  return success();
}

static LogicalResult verifyCopy(Operation *op, TensorMapType map,
                                const TmaCopy &copy, ValueRange coords,
                                SharedType buffer, ValueRange offsets = {}) {
  if (coords.size() != map.getRank())
    return op->emitOpError("[tma-coordinate-count] a map of rank ")
           << map.getRank() << " needs as many coordinates, not "
           << coords.size();
  size_t spatial = map.isIm2col() && copy.direction == TmaDirection::Load
                       ? map.getLower().size()
                       : 0;
  if (offsets.size() != spatial)
    return op->emitOpError("[tma-im2col] a load through ")
           << map << " has " << spatial << " offsets, not " << offsets.size()
           << ": one for each spatial dimension of an im2col map";
  if (op->getOperand(isa<TmaLoadOp>(op) ? 0 : 1)
          .getDefiningOp<AllocOpInterface>())
    return op->emitOpError("[tensormap-place] no copy goes through a map in "
                           "shared memory: publish it by "
                           "titan.tensormap.cp_fenceproxy");
  if (buffer.getSlots() != 1)
    return op->emitOpError(
        "[shared-ring] the buffer is a ring: take a slot first");
  // Rows follow one another, so that the same elements are the same image in
  // any shape; a swizzle cuts what is a row: of slices, one of its span.
  SmallVector<int64_t> tile = map.getTileShape();
  int64_t row = map.getInterleave()
                    ? map.getSwizzle() / buffer.getElementBytes()
                    : tile.back();
  if (buffer.getElementType() != map.getElementType() ||
      buffer.getSwizzle() != map.getSwizzle() ||
      buffer.getTileBytes() != map.getBoxBytes() ||
      (map.getSwizzle() && buffer.getShape().back() != row)) {
    auto error = op->emitOpError("[tma-box-mismatch] a copy through ")
                 << map << " moves a tile of ";
    llvm::interleave(tile, error, "x");
    error << ", the buffer is " << buffer
          << ": elements, their type and number, the swizzle, and under "
             "one the length of rows must agree";
    if (map.getInterleave() && map.getSwizzle())
      error << " (interleaved: rows of " << row << ")";
    return error;
  }
  return verifyOperands(op, map, copy, coords, offsets);
}

/// The bytes of the global tensor under a box.
static Footprint boxOf(Value map, ValueRange coords, ValueRange offsets = {}) {
  Footprint bytes;
  bytes.kind = Footprint::Box;
  bytes.object = map;
  bytes.coords.assign(coords.begin(), coords.end());
  bytes.offsets.assign(offsets.begin(), offsets.end());
  auto type = cast<TensorMapType>(map.getType());
  llvm::append_range(bytes.extents, type.getShape());
  if (llvm::any_of(type.getElementStrides(), [](int64_t s) { return s != 1; }))
    llvm::append_range(bytes.steps, type.getElementStrides());
  return bytes;
}

LogicalResult TmaLoadOp::verify() {
  MBarrierType barrier = getBarrier().getType();
  if (!getIndex() && barrier.getSlots() != 1)
    return emitOpError("[barrier-slot] a ring of ")
           << barrier.getSlots() << " barriers needs an index";
  if (getBuffer().getType().getCluster() ||
      (barrier.getCluster() && !getPair()))
    return emitOpError("[tma-load-remote] the buffer and the barrier are the "
                       "executing CTA's; a peer is reached by `multicast`, and "
                       "the barrier of the other CTA of a pair with `pair`");
  return verifyCopy(*this, getMap().getType(), TmaCopy(), getCoords(),
                    getBuffer().getType(), getOffsets());
}
LogicalResult TmaPrefetchOp::verify() {
  TensorMapType map = getMap().getType();
  if (getMap().getDefiningOp())
    return emitOpError("[not-supported-yet] a prefetch through a map that the "
                       "kernel makes");
  if (getCoords().size() != map.getRank())
    return emitOpError("[tma-coordinate-count] a map of rank ")
           << map.getRank() << " needs as many coordinates, not "
           << getCoords().size();
  size_t spatial = map.isIm2col() ? map.getLower().size() : 0;
  if (getOffsets().size() != spatial)
    return emitOpError("[tma-im2col] a load through ")
           << map << " has " << spatial << " offsets, not "
           << getOffsets().size()
           << ": one for each spatial dimension of an im2col map";
  return verifyOperands(*this, map, TmaCopy(), getCoords(), getOffsets());
}
/// A hint: what it reads nobody sees.
void TmaPrefetchOp::getHardwareEffects(EffectList &) {}
Cardinality TmaPrefetchOp::getCardinality() { return Cardinality::OneThread; }

void TmaLoadOp::getHardwareEffects(EffectList &effects) {
  static const char *source = "PTX ISA, cp.async.bulk.tensor";
  CtaSet ctas;
  BarrierRef barrier = barrierOf(getBarrier(), getIndex());
  if (getMulticast())
    ctas = barrier.ctas = {CtaSet::Mask, getMulticast()};
  // A map in memory may be changed: that it has been read a bulk group of the
  // issuing thread can tell before the copy is complete (MM-91).
  bool changes = getMap().getDefiningOp<ViewOpInterface>() != nullptr;
  effects.add(
      Access{.kind = AccessKind::Read,
             .proxy = Proxy::Tensormap,
             .mechanism = changes ? Mechanism::BulkGroup : Mechanism::Phase,
             .bytes = objectOf(getMap())},
      "PTX ISA, Tensormap proxy");
  effects.add(Access{.kind = AccessKind::Read,
                     .proxy = Proxy::Async,
                     .mechanism = Mechanism::Phase,
                     .bytes = boxOf(getMap(), getCoords(), getOffsets())},
              source);
  Footprint written = viewOf(getBuffer());
  written.ctas = ctas;
  effects.add(Access{.kind = AccessKind::Write,
                     .proxy = Proxy::Async,
                     .mechanism = Mechanism::Phase,
                     .bytes = written},
              "PTX ISA, Async proxy");
  effects.add(CompleteTx{barrier, effect::Expr::constant(
                                      getMap().getType().getBoxBytes())},
              source);
}
Cardinality TmaLoadOp::getCardinality() { return Cardinality::OneThread; }
void TmaLoadOp::getTileFlow(flow::Steps &) {}

static void storeEffects(EffectList &effects, Value buffer, Value map,
                         ValueRange coords, AccessKind kind, const char *source,
                         std::optional<Reduction> reduction = std::nullopt) {
  effects.add(Access{.kind = AccessKind::Read,
                     .proxy = Proxy::Tensormap,
                     .mechanism = Mechanism::BulkGroup,
                     .bytes = objectOf(map)},
              "PTX ISA, Tensormap proxy");
  effects.add(Access{.kind = AccessKind::Read,
                     .proxy = Proxy::Async,
                     .mechanism = Mechanism::BulkGroup,
                     .bytes = viewOf(buffer)},
              "PTX ISA, Async proxy");
  effects.add(Access{.kind = kind,
                     .proxy = Proxy::Async,
                     .mechanism = Mechanism::BulkGroup,
                     .bytes = boxOf(map, coords),
                     .reduction = reduction},
              source);
}

static LogicalResult verifyStore(Operation *op, TensorMapType map,
                                 const TmaCopy &copy, ValueRange coords,
                                 SharedType buffer) {
  if (buffer.getCluster())
    return op->emitOpError(
        "[tma-store-remote] the source of a store is the executing CTA's "
        "shared memory");
  return verifyCopy(op, map, copy, coords, buffer);
}

LogicalResult TmaStoreOp::verify() {
  return verifyStore(*this, getMap().getType(),
                     TmaCopy{.direction = TmaDirection::Store}, getCoords(),
                     getBuffer().getType());
}
void TmaStoreOp::getHardwareEffects(EffectList &effects) {
  storeEffects(effects, getBuffer(), getMap(), getCoords(), AccessKind::Write,
               "PTX ISA, cp.async.bulk.tensor");
}
Cardinality TmaStoreOp::getCardinality() { return Cardinality::OneThread; }
void TmaStoreOp::getTileFlow(flow::Steps &) {}

LogicalResult TmaReduceOp::verify() {
  Type type = getMap().getType().getElementType();
  if (!hasTmaReduction(getOp(), getTmaTypeName(type, isSignedTma(getOp()))))
    return emitOpError("[tma-reduce-type] no reduction '")
           << stringifyAtomicOp(getOp()) << "' of " << type
           << " (PTX ISA, cp.reduce.async.bulk.tensor)";
  return verifyStore(*this, getMap().getType(),
                     TmaCopy{.direction = TmaDirection::Reduce,
                             .reduction = stringifyAtomicOp(getOp()).str()},
                     getCoords(), getBuffer().getType());
}
void TmaReduceOp::getHardwareEffects(EffectList &effects) {
  storeEffects(effects, getBuffer(), getMap(), getCoords(),
               AccessKind::Reduction, "PTX ISA, cp.reduce.async.bulk.tensor",
               Reduction{getOp(), getMap().getType().getElementType()});
}
Cardinality TmaReduceOp::getCardinality() { return Cardinality::OneThread; }
void TmaReduceOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Combine{getBuffer(), stringifyAtomicOp(getOp()).str(),
                                isZeroNeutral(getOp())});
}

//===----------------------------------------------------------------------===//
// Bulk groups: of the executing thread
//===----------------------------------------------------------------------===//

LogicalResult titan::verifyToken(Operation *op, TokenType token,
                                 TokenKind kind) {
  if (token.getKind() != kind)
    return op->emitOpError("[token-kind] the token is of kind '")
           << stringifyTokenKind(token.getKind())
           << "', and this operation's are of kind '"
           << stringifyTokenKind(kind) << "'";
  return success();
}

LogicalResult BulkCommitOp::verify() {
  return verifyToken(*this, getToken().getType(), TokenKind::Bulk);
}
void BulkCommitOp::getHardwareEffects(EffectList &effects) {
  effects.add(CommitGroup{Mechanism::BulkGroup, getToken()},
              "PTX ISA, cp.async.bulk.commit_group");
}
Cardinality BulkCommitOp::getCardinality() { return Cardinality::EveryThread; }

LogicalResult BulkWaitOp::verify() {
  return verifyToken(*this, getToken().getType(), TokenKind::Bulk);
}
void BulkWaitOp::getHardwareEffects(EffectList &effects) {
  effects.add(WaitGroup{.mechanism = Mechanism::BulkGroup,
                        .token = getToken(),
                        .sourcesOnly = getRead()},
              "PTX ISA, cp.async.bulk.wait_group");
}
Cardinality BulkWaitOp::getCardinality() { return Cardinality::EveryThread; }

LogicalResult BulkWaitGroupOp::verify() {
  if (getPending() > INT32_MAX)
    return emitOpError(
        "[group-pending] the number of pending groups is 0 to 2^31 - 1");
  return success();
}
void BulkWaitGroupOp::getHardwareEffects(EffectList &effects) {
  effects.add(WaitGroup{.mechanism = Mechanism::BulkGroup,
                        .pending = static_cast<int64_t>(getPending()),
                        .sourcesOnly = getRead()},
              "PTX ISA, cp.async.bulk.wait_group");
}
Cardinality BulkWaitGroupOp::getCardinality() {
  return Cardinality::EveryThread;
}
