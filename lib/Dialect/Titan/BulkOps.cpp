//===- BulkOps.cpp - bulk copies without a tensor map -----------------------===//
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
// Between global and shared memory
//===----------------------------------------------------------------------===//

SmallVector<int64_t> titan::getRunExtents(GlobalType tensor,
                                          SharedType buffer) {
  ArrayRef<int64_t> shape = buffer.getShape();
  while (shape.size() > tensor.getRank() && shape.front() == 1)
    shape = shape.drop_front();
  SmallVector<int64_t> extents;
  if (shape.size() > tensor.getRank())
    return extents;
  extents.assign(tensor.getRank() - shape.size(), 1);
  llvm::append_range(extents, shape);
  return extents;
}

/// PTX ISA, cp.async.bulk: both addresses and the size are multiples of this.
static constexpr int64_t unit = 16;

static LogicalResult verifySize(Operation *op, SharedType buffer) {
  if (buffer.getSlots() != 1)
    return op->emitOpError(
        "[shared-ring] the buffer is a ring: take a slot first");
  if (buffer.getTileBytes() % unit)
    return op->emitOpError(
               "[bulk-alignment] a bulk copy moves a multiple of 16 "
               "bytes, not ")
           << buffer.getTileBytes() << " (PTX ISA, cp.async.bulk)";
  return success();
}

static LogicalResult verifyRun(Operation *op, GlobalType tensor,
                               ValueRange coords, SharedType buffer) {
  if (buffer.getElementType() != tensor.getElementType())
    return op->emitOpError("[global-element-type] the buffer holds ")
           << buffer.getElementType() << ", the tensor "
           << tensor.getElementType();
  if (coords.size() != tensor.getRank())
    return op->emitOpError("[global-rank] a tensor of rank ")
           << tensor.getRank() << " needs as many coordinates, not "
           << coords.size();
  if (buffer.getCluster())
    return op->emitOpError("[bulk-remote] the buffer is the executing CTA's: a "
                           "peer is reached by `multicast`, or from shared "
                           "memory by titan.bulk.copy_to_peer");
  if (failed(verifySize(op, buffer)))
    return failure();
  if (buffer.getSwizzle())
    return op->emitOpError(
        "[bulk-run] a bulk copy moves bytes as they are, and "
        "the buffer has a swizzle: copy through a tensor "
        "map (titan.tma.load, titan.tma.store)");
  SmallVector<int64_t> extents = getRunExtents(tensor, buffer);
  if (extents.empty())
    return op->emitOpError("[bulk-run] a buffer of rank ")
           << buffer.getRank() << " is no box of a tensor of rank "
           << tensor.getRank();
  // One run of bytes: inside of the outermost extent above 1 all dimensions
  // are whole, and one steps over what is inside of it.
  ArrayRef<int64_t> shape = tensor.getShape(), strides = tensor.getStrides();
  size_t outer = 0;
  while (outer + 1 < extents.size() && extents[outer] == 1)
    ++outer;
  int64_t span = 1;
  for (size_t d = extents.size(); d-- > outer;) {
    if (extents[d] != 1 && strides[d] != span)
      return op->emitOpError("[bulk-run] the tensor's type does not say that "
                             "its dimension ")
             << d << " is packed (a stride of " << span
             << "): the box is not known to be one run of bytes";
    if (d > outer && extents[d] != shape[d])
      return op->emitOpError("[bulk-run] the box takes ")
             << extents[d] << " elements of dimension " << d
             << " and more than one of a dimension outside of it: that is one "
                "run of bytes where it takes all of them, and the type says so";
    span *= extents[d];
  }
  for (size_t d = 0; d < extents.size(); ++d)
    if (auto at = getConstant(coords[d])) {
      if (*at < 0 ||
          (!ShapedType::isDynamic(shape[d]) && *at + extents[d] > shape[d]))
        return op->emitOpError("[out-of-bounds] dimension ")
               << d << ": " << *at << " + " << extents[d] << " leaves the "
               << "tensor's "
               << (ShapedType::isDynamic(shape[d]) ? "size"
                                                   : std::to_string(shape[d]));
      if (!ShapedType::isDynamic(strides[d]) &&
          *at * strides[d] * buffer.getElementBytes() % unit)
        return op->emitOpError("[bulk-alignment] coordinate ")
               << d << " is " << *at << ": the run begins at a byte that is no "
               << "multiple of 16 (PTX ISA, cp.async.bulk)";
    }
  return success();
}

static Footprint runOf(Value tensor, ValueRange coords, SharedType buffer) {
  Footprint bytes;
  bytes.kind = Footprint::Box;
  bytes.object = tensor;
  bytes.coords.assign(coords.begin(), coords.end());
  llvm::append_range(bytes.extents,
                     getRunExtents(cast<GlobalType>(tensor.getType()), buffer));
  return bytes;
}

LogicalResult BulkLoadOp::verify() {
  if (getBarrier().getType().getCluster())
    return emitOpError("[bulk-remote] the barrier is the executing CTA's: that "
                       "of a peer is signalled by `multicast`");
  if (failed(verifySlot(*this, getBarrier(), getIndex())))
    return failure();
  return verifyRun(*this, getTensor().getType(), getCoords(),
                   getBuffer().getType());
}
void BulkLoadOp::getHardwareEffects(EffectList &effects) {
  static const char *source = "PTX ISA, cp.async.bulk";
  BarrierRef barrier = barrierOf(getBarrier(), getIndex());
  Footprint written = viewOf(getBuffer());
  if (getMulticast())
    written.ctas = barrier.ctas = {CtaSet::Mask, getMulticast()};
  effects.add(
      Access{.kind = AccessKind::Read,
             .proxy = Proxy::Async,
             .mechanism = Mechanism::Phase,
             .bytes = runOf(getTensor(), getCoords(), getBuffer().getType())},
      source);
  effects.add(Access{.kind = AccessKind::Write,
                     .proxy = Proxy::Async,
                     .mechanism = Mechanism::Phase,
                     .bytes = written},
              "PTX ISA, Async proxy");
  effects.add(CompleteTx{barrier, effect::Expr::constant(
                                      getBuffer().getType().getTileBytes())},
              source);
}
Cardinality BulkLoadOp::getCardinality() { return Cardinality::OneThread; }

static void storeEffects(EffectList &effects, TypedValue<SharedType> buffer,
                         Value tensor, ValueRange coords,
                         std::optional<Reduction> reduction,
                         const char *source) {
  effects.add(Access{.kind = AccessKind::Read,
                     .proxy = Proxy::Async,
                     .mechanism = Mechanism::BulkGroup,
                     .bytes = viewOf(buffer)},
              "PTX ISA, Async proxy");
  effects.add(
      Access{.kind = reduction ? AccessKind::Reduction : AccessKind::Write,
             .proxy = Proxy::Async,
             .mechanism = Mechanism::BulkGroup,
             .bytes = runOf(tensor, coords, buffer.getType()),
             .reduction = reduction},
      source);
}

LogicalResult BulkStoreOp::verify() {
  return verifyRun(*this, getTensor().getType(), getCoords(),
                   getBuffer().getType());
}
void BulkStoreOp::getHardwareEffects(EffectList &effects) {
  storeEffects(effects, getBuffer(), getTensor(), getCoords(), std::nullopt,
               "PTX ISA, cp.async.bulk");
}
Cardinality BulkStoreOp::getCardinality() { return Cardinality::OneThread; }

LogicalResult BulkReduceOp::verify() {
  Type type = getTensor().getType().getElementType();
  if (!hasTmaReduction(getOp(), getTmaTypeName(type, isSignedTma(getOp()))))
    return emitOpError("[bulk-reduce-type] no reduction '")
           << stringifyAtomicOp(getOp()) << "' of " << type
           << " in global memory (PTX ISA, cp.reduce.async.bulk)";
  return verifyRun(*this, getTensor().getType(), getCoords(),
                   getBuffer().getType());
}
void BulkReduceOp::getHardwareEffects(EffectList &effects) {
  storeEffects(effects, getBuffer(), getTensor(), getCoords(),
               Reduction{getOp(), getTensor().getType().getElementType()},
               "PTX ISA, cp.reduce.async.bulk");
}
Cardinality BulkReduceOp::getCardinality() { return Cardinality::OneThread; }

//===----------------------------------------------------------------------===//
// A run of elements
//===----------------------------------------------------------------------===//

LogicalResult SharedRunOp::verify() {
  SharedType from = getSource().getType(), to = getType();
  if (from.getSlots() != 1)
    return emitOpError("[shared-ring] the buffer is a ring: take a slot first");
  if (to.getRank() != 1 || to.getSwizzle() || to.getSlots() != 1 ||
      to.getElementType() != from.getElementType() ||
      to.getCluster() != from.getCluster())
    return emitOpError("[shared-run] a run of ")
           << from << " is "
           << SharedType::get(getContext(), to.getShape().back(),
                              from.getElementType(), 0, 1, from.getCluster())
           << ", of as many elements as it has, not " << to;
  int64_t bytes = from.getElementBytes(),
          most = (from.getTileBytes() - to.getTileBytes()) / bytes;
  if (auto at = getConstant(getIndex()); most < 0 || at) {
    if (most < 0 || *at < 0 || *at > most)
      return withFix(
          emitOpError("[out-of-bounds] a run of ")
              << to.getShape().back() << " elements"
              << (at ? " from element " + std::to_string(*at) + " on" : "")
              << " leaves the buffer, of " << from.getTileBytes() / bytes,
          most < 0 ? "a run has at most the buffer's " +
                         Twine(from.getTileBytes() / bytes) + " elements"
                   : "a run of " + Twine(to.getShape().back()) +
                         " elements begins at 0 to " + Twine(most));
    if (*at * bytes % unit)
      return emitOpError("[bulk-alignment] the run begins at byte ")
             << *at * bytes << ", no multiple of 16 (PTX ISA, cp.async.bulk)";
  }
  for (Operation *user : getResult().getUsers())
    if (!isa<BulkLoadOp, BulkStoreOp, BulkReduceOp, BulkCopyToPeerOp,
             BulkReduceToPeerOp>(user))
      return emitOpError("[shared-run] only bulk copies take a run, and ")
             << user->getName() << " is none";
  return success();
}

View SharedRunOp::getView() {
  return {.source = getSource(),
          .index = getIndex(),
          .stride = getSource().getType().getElementBytes(),
          .alignment = unit};
}

//===----------------------------------------------------------------------===//
// To a peer's shared memory
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyToPeer(Op op) {
  SharedType from = op.getSource().getType(), to = op.getTarget().getType();
  if (from.getCluster())
    return op.emitOpError(
        "[peer-place] the source is the executing CTA's shared memory");
  if (failed(verifyPeer(op, op.getTarget(), op.getBarrier(), op.getIndex())) ||
      failed(verifySize(op, from)))
    return failure();
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType() ||
      from.getSwizzle() != to.getSwizzle())
    return op.emitOpError("[shared-tile-type] the source is ")
           << from << ", the destination " << to
           << ": shapes, element types and swizzles must agree";
  return success();
}

static void peerEffects(EffectList &effects, TypedValue<SharedType> source,
                        Value target, BarrierRef barrier,
                        std::optional<Reduction> reduction,
                        const char *section) {
  effects.add(Access{.kind = AccessKind::Read,
                     .proxy = Proxy::Async,
                     .mechanism = Mechanism::Phase,
                     .bytes = viewOf(source)},
              "PTX ISA, Async proxy");
  Footprint written = viewOf(target);
  written.ctas.peer = true;
  effects.add(
      Access{.kind = reduction ? AccessKind::Reduction : AccessKind::Write,
             .proxy = Proxy::Async,
             .mechanism = Mechanism::Phase,
             .bytes = written,
             .reduction = reduction},
      section);
  effects.add(CompleteTx{barrier, effect::Expr::constant(
                                      source.getType().getTileBytes())},
              section);
}

LogicalResult BulkCopyToPeerOp::verify() { return verifyToPeer(*this); }
void BulkCopyToPeerOp::getHardwareEffects(EffectList &effects) {
  peerEffects(effects, getSource(), getTarget(),
              barrierOf(getBarrier(), getIndex()), std::nullopt,
              "PTX ISA, cp.async.bulk");
}
Cardinality BulkCopyToPeerOp::getCardinality() {
  return Cardinality::OneThread;
}

LogicalResult BulkReduceToPeerOp::verify() {
  if (Type type = getSource().getType().getElementType();
      !hasSharedReduction(getOp(), type))
    return emitOpError("[bulk-reduce-type] no reduction '")
           << stringifyAtomicOp(getOp()) << "' of " << type
           << " in shared memory (PTX ISA, cp.reduce.async.bulk)";
  return verifyToPeer(*this);
}
void BulkReduceToPeerOp::getHardwareEffects(EffectList &effects) {
  peerEffects(effects, getSource(), getTarget(),
              barrierOf(getBarrier(), getIndex()),
              Reduction{getOp(), getSource().getType().getElementType()},
              "PTX ISA, cp.reduce.async.bulk");
}
Cardinality BulkReduceToPeerOp::getCardinality() {
  return Cardinality::OneThread;
}
