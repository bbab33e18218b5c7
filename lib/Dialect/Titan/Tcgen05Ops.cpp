//===- Tcgen05Ops.cpp - products in tensor memory -------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Target/Mma.h"

using namespace mlir;
using namespace titan;
using namespace titan::effect;

static CtaSet ctasOf(bool pair) {
  CtaSet set;
  if (pair)
    set.kind = CtaSet::Pair;
  return set;
}

/// PTX ISA, tcgen05.alloc: all tcgen05 instructions of a kernel are of one
/// .cta_group; the pair is part of the kernel's cluster.
static LogicalResult verifyGroup(Operation *op, bool pair) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (!kernel)
    return success();
  if (pair && kernel.getClusterSize() % 2)
    return op->emitOpError(
               "[tcgen05-pair] a pair of CTAs needs a cluster of an "
               "even number of them, not ")
           << kernel.getClusterSize() << " (PTX ISA, tcgen05: CTA pair)";
  Operation *other = nullptr;
  // The later one of two is told.
  kernel.getBody().walk([&](Operation *each) {
    if (each == op)
      return WalkResult::interrupt();
    if (isa<Tcgen05AllocOp, Tcgen05DeallocOp, Tcgen05RelinquishOp, Tcgen05MmaOp,
            Tcgen05CopyOp, Tcgen05CommitOp>(each) &&
        each->hasAttr("pair") != pair) {
      other = each;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (!other)
    return success();
  auto diagnostic =
      op->emitOpError(
          "[tcgen05-pair] all tcgen05 operations of a kernel are of "
          "one .cta_group (PTX ISA, tcgen05.alloc): this one is ")
      << (pair ? "of a pair" : "of one CTA");
  diagnostic.attachNote(other->getLoc()) << "the other one";
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

static LogicalResult verifyWhole(Operation *op, Value memory, bool pair) {
  if (!memory.getDefiningOp<AllocOpInterface>())
    return op->emitOpError("[tmem-alloc] takes what titan.tmem.alloc names, "
                           "not a part of it");
  return verifyGroup(op, pair);
}

LogicalResult Tcgen05AllocOp::verify() {
  return verifyWhole(*this, getMemory(), getPair());
}
void Tcgen05AllocOp::getHardwareEffects(EffectList &effects) {
  effects.add(Lifetime{.kind = Lifetime::Alloc,
                       .barrier = {.ctas = ctasOf(getPair())},
                       .memory = getMemory()},
              "PTX ISA, tcgen05.alloc");
}
Cardinality Tcgen05AllocOp::getCardinality() { return Cardinality::Warp; }

LogicalResult Tcgen05DeallocOp::verify() {
  return verifyWhole(*this, getMemory(), getPair());
}
void Tcgen05DeallocOp::getHardwareEffects(EffectList &effects) {
  effects.add(Lifetime{.kind = Lifetime::Free,
                       .barrier = {.ctas = ctasOf(getPair())},
                       .memory = getMemory()},
              "PTX ISA, tcgen05.dealloc");
}
Cardinality Tcgen05DeallocOp::getCardinality() { return Cardinality::Warp; }

LogicalResult Tcgen05RelinquishOp::verify() {
  return verifyGroup(*this, getPair());
}
void Tcgen05RelinquishOp::getHardwareEffects(EffectList &effects) {
  effects.add(Lifetime{.kind = Lifetime::Relinquish},
              "PTX ISA, tcgen05.relinquish_alloc_permit");
}
Cardinality Tcgen05RelinquishOp::getCardinality() { return Cardinality::Warp; }

//===----------------------------------------------------------------------===//
// Products and copies
//===----------------------------------------------------------------------===//

LogicalResult Tcgen05MmaOp::verify() {
  SharedType b = getB().getType();
  TensorMemoryType d = getD().getType();
  auto a = dyn_cast<SharedType>(getA().getType());
  auto inTmem = dyn_cast<TensorMemoryType>(getA().getType());
  ArrayRef<int64_t> shape = a ? a.getShape() : inTmem.getShape();
  Type element = a ? a.getElementType() : inTmem.getElementType();
  if ((a ? a.getSlots() : inTmem.getSlots()) != 1 || b.getSlots() != 1 ||
      d.getSlots() != 1)
    return emitOpError("[shared-ring] an operand is a ring: take a slot first");
  if ((a && a.getCluster()) || b.getCluster())
    return emitOpError("[mma-remote] operands are at the same place of each "
                       "CTA's own memory (PTX ISA, tcgen05.mma)");
  if (shape.size() != 2 || b.getRank() != 2)
    return emitOpError("[mma-rank] operands have two dimensions");
  if (inTmem && getTransposeA())
    return emitOpError("[mma-operand] A in tensor memory is not transposed "
                       "(PTX ISA, tcgen05.mma)");
  int64_t ctas = getPair() ? 2 : 1;
  int64_t m = shape[getTransposeA()], k = shape[!getTransposeA()];
  int64_t n = b.getShape()[getTransposeB()],
          kOfB = b.getShape()[!getTransposeB()];
  // With a pair each CTA holds half of the rows of A and D, and of B.
  if (k != kOfB || m != d.getShape()[0] || ctas * n != d.getShape()[1])
    return emitOpError("[mma-shape] A is ")
           << m << " x " << k << " (M x K), B " << n << " x " << kOfB
           << " (N x K) in each CTA, D " << d.getShape()[0] << " x "
           << d.getShape()[1] << (getPair() ? " (M of a CTA x all of N)" : "");
  int64_t bytes = ::titan::getElementBytes(element);
  int64_t step = 32 / bytes;
  if (k % step)
    return emitOpError("[mma-shape] K is a multiple of 32 bytes, ")
           << step << " elements, not " << k
           << " (PTX ISA, tcgen05: Matrix shape)";
  Code why = Code::MmaType;
  if (!findMma(MmaFamily::Tcgen05, getMmaOperandName(element).str(),
               getMmaOperandName(b.getElementType()).str(),
               getMmaAccumulatorName(d.getElementType()).str(),
               static_cast<int>(m * ctas), static_cast<int>(ctas * n),
               static_cast<int>(step), static_cast<int>(ctas), &why))
    return emitOpError(why == Code::MmaType ? "[mma-type] " : "[mma-shape] ")
           << "no tcgen05.mma multiplies " << element << " by "
           << b.getElementType() << " into " << d.getElementType() << " as "
           << m * ctas << " x " << ctas * n << " over " << ctas
           << " CTA(s) (PTX ISA, tcgen05: Matrix shape; "
              "docs/hardware-facts.md)";
  return verifyGroup(*this, getPair());
}
/// Products stay in order where shape and .kind are one: f16 for f16 and bf16,
/// tf32, f8f6f4 for all floats of 8 bits and fewer, i8 (PTX ISA, tcgen05: Kind::
/// tables). One element type stands for each kind.
static Type shapeAndKind(Tcgen05MmaOp op) {
  Type element = op.getB().getType().getElementType();
  Builder b(op.getContext());
  unsigned bits = element.getIntOrFloatBitWidth();
  Type kind = isa<IntegerType>(element) ? Type(b.getIntegerType(bits))
              : bits == 32              ? Type(b.getF32Type())
              : bits == 16              ? Type(b.getF16Type())
                                        : Type(b.getIntegerType(8, false));
  return RankedTensorType::get(op.getD().getType().getShape(), kind);
}

void Tcgen05MmaOp::getHardwareEffects(EffectList &effects) {
  static const char *source = "PTX ISA, tcgen05.mma";
  Type product = shapeAndKind(*this);
  CtaSet ctas = ctasOf(getPair());
  auto whole = [&](Value object) {
    Footprint bytes = viewOf(object);
    bytes.ctas = ctas;
    return bytes;
  };
  for (Value operand : {Value(getA()), Value(getB())}) {
    bool tmem = isa<TensorMemoryType>(operand.getType());
    effects.add(Access{.kind = AccessKind::Read,
                       .proxy = tmem ? Proxy::TensorMemory : Proxy::Async,
                       .mechanism = Mechanism::TensorCore,
                       .bytes = whole(operand),
                       .shapeAndKind = product},
                tmem ? source : "PTX ISA, tcgen05: Async proxy");
  }
  if (getAccumulate())
    effects.add(Access{.kind = AccessKind::Read,
                       .proxy = Proxy::TensorMemory,
                       .mechanism = Mechanism::TensorCore,
                       .bytes = whole(getD()),
                       .surely = getConstant(getAccumulate()).value_or(0) != 0,
                       .when = getAccumulate(),
                       .shapeAndKind = product},
                source);
  effects.add(Access{.kind = AccessKind::Write,
                     .proxy = Proxy::TensorMemory,
                     .mechanism = Mechanism::TensorCore,
                     .bytes = whole(getD()),
                     .shapeAndKind = product},
              source);
}
Cardinality Tcgen05MmaOp::getCardinality() { return Cardinality::OneThread; }
void Tcgen05MmaOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Product{getA(), getB(), getD(), getD(), getTransposeA(),
                                getTransposeB(), mayBeTrue(getAccumulate())});
}

LogicalResult Tcgen05CopyOp::verify() {
  SharedType source = getSource().getType();
  TensorMemoryType memory = getMemory().getType();
  if (source.getSlots() != 1 || memory.getSlots() != 1)
    return emitOpError("[shared-ring] an operand is a ring: take a slot first");
  int64_t row = source.getShape().back() * source.getElementBytes();
  if (source.getShape() != memory.getShape() ||
      source.getElementType() != memory.getElementType() ||
      memory.getShape()[0] != 128 || (row != 16 && row != 32))
    return emitOpError("[tcgen05-cp-shape] copies 128 rows of 16 or 32 bytes "
                       "(.128x128b, .128x256b) between tiles of one type; the "
                       "source is ")
           << source << ", the destination " << memory;
  return verifyGroup(*this, getPair());
}
void Tcgen05CopyOp::getHardwareEffects(EffectList &effects) {
  Footprint from = viewOf(getSource()), to = viewOf(getMemory());
  from.ctas = to.ctas = ctasOf(getPair());
  effects.add(Access{.kind = AccessKind::Read,
                     .proxy = Proxy::Async,
                     .mechanism = Mechanism::TensorCore,
                     .bytes = from,
                     .operation = EngineOp::Tcgen05Cp},
              "PTX ISA, tcgen05: Async proxy");
  effects.add(Access{.kind = AccessKind::Write,
                     .proxy = Proxy::TensorMemory,
                     .mechanism = Mechanism::TensorCore,
                     .bytes = to,
                     .operation = EngineOp::Tcgen05Cp},
              "PTX ISA, tcgen05.cp");
}
Cardinality Tcgen05CopyOp::getCardinality() { return Cardinality::OneThread; }

//===----------------------------------------------------------------------===//
// Completion
//===----------------------------------------------------------------------===//

LogicalResult Tcgen05CommitOp::verify() {
  MBarrierType barrier = getBarrier().getType();
  if (!getIndex() && barrier.getSlots() != 1)
    return emitOpError("[barrier-slot] a ring of ")
           << barrier.getSlots() << " barriers needs an index";
  if (getMulticast() && barrier.getCluster())
    return emitOpError("[barrier-remote] `multicast` signals the same offset "
                       "in each CTA of the mask: name the own CTA's barrier");
  return verifyGroup(*this, getPair());
}
void Tcgen05CommitOp::getHardwareEffects(EffectList &effects) {
  static const char *source = "PTX ISA, tcgen05.commit";
  effects.add(Fence{.kind = Fence::Tcgen05Before}, source);
  BarrierRef barrier = barrierOf(getBarrier(), getIndex());
  if (getMulticast())
    barrier.ctas = {CtaSet::Mask, getMulticast()};
  effects.add(Arrive{.barrier = barrier,
                     .sem = Sem::Release,
                     .scope = Scope::Cluster,
                     .after = Mechanism::TensorCore},
              source);
}
Cardinality Tcgen05CommitOp::getCardinality() { return Cardinality::OneThread; }

void Tcgen05FenceBeforeOp::getHardwareEffects(EffectList &effects) {
  effects.add(Fence{.kind = Fence::Tcgen05Before}, "PTX ISA, tcgen05.fence");
}
Cardinality Tcgen05FenceBeforeOp::getCardinality() {
  return Cardinality::EveryThread;
}

void Tcgen05FenceAfterOp::getHardwareEffects(EffectList &effects) {
  effects.add(Fence{.kind = Fence::Tcgen05After}, "PTX ISA, tcgen05.fence");
}
Cardinality Tcgen05FenceAfterOp::getCardinality() {
  return Cardinality::EveryThread;
}
