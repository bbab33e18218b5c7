//===- BarrierOps.cpp - mbarriers, thread barriers, fences ----------------===//
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

/// PTX ISA, mbarrier, "Limits": expected arrivals 1 .. 2^20 - 1.
static constexpr int64_t maxArrivals = (1 << 20) - 1;

//===----------------------------------------------------------------------===//
// mbarrier
//===----------------------------------------------------------------------===//

Allocation MBarrierAllocOp::getAllocation() {
  return {.bytes = 8 * static_cast<int64_t>(getType().getSlots()),
          .alignment = 8};
}

LogicalResult MBarrierAllocOp::verify() {
  if (getType().getCluster())
    return emitOpError("[alloc-cluster] allocates the CTA's own "
                       "barriers; a peer's are "
                       "reached by titan.map_rank");
  return verifyAtKernelTop(*this);
}

LogicalResult titan::verifySlot(Operation *op, TypedValue<MBarrierType> barrier,
                                Value index, bool allSlots) {
  int64_t slots = barrier.getType().getSlots();
  if (!index && slots != 1 && !allSlots)
    return op->emitOpError("[barrier-slot] a ring of ")
           << slots << " barriers needs an index";
  if (auto constant = getConstant(index);
      constant && (*constant < 0 || *constant >= slots))
    return withFix(op->emitOpError("[out-of-bounds] slot ")
                       << *constant << " of a ring of " << slots,
                   fixOfSlots(slots));
  return success();
}

/// PTX ISA, mbarrier: on another CTA's barrier only arrive, arrive_drop,
/// expect_tx and complete_tx, yielding nothing.
static LogicalResult verifyOwn(Operation *op,
                               TypedValue<MBarrierType> barrier) {
  if (barrier.getType().getCluster())
    return op->emitOpError("[barrier-remote] ")
           << "not possible on a peer CTA's barrier (PTX ISA, mbarrier: "
              "shared::cluster takes "
              "arrive, expect_tx and complete_tx only); wait on the own CTA's "
              "barrier";
  return success();
}

static LogicalResult verifyArriveSem(Operation *op, MemorySem sem,
                                     MemoryScope scope, bool wait) {
  bool good = sem == MemorySem::Relaxed ||
              sem == (wait ? MemorySem::Acquire : MemorySem::Release);
  if (!good)
    return op->emitOpError("[barrier-sem] '")
           << stringifyMemorySem(sem)
           << "': " << (wait ? "a wait acquires" : "an arrive releases")
           << ", or is relaxed (PTX ISA, mbarrier)";
  if (scope != MemoryScope::Cta && scope != MemoryScope::Cluster)
    return op->emitOpError(
        "[barrier-scope] the scope is cta or cluster (PTX ISA, mbarrier)");
  return success();
}

/// Bytes that are a number, in the range of the transaction count.
static LogicalResult verifyBytes(Operation *op, Value bytes) {
  APInt number;
  if (!matchPattern(bytes, m_ConstantInt(&number)) ||
      (number.getSExtValue() >= 0 && number.getSExtValue() <= maxArrivals))
    return success();
  return op->emitOpError("[barrier-range] bytes are 0 to 2^20 - 1, not ")
         << number.getSExtValue();
}

LogicalResult MBarrierInitOp::verify() {
  if (getCount() < 1 || getCount() > maxArrivals) {
    int64_t count = getCount();
    return withFix(
        emitOpError("[barrier-range] expected arrivals are 1 to 2^20 - 1, not ")
            << count,
        "give count(n), where n arrivals are made in each phase: " +
            Twine(count < 1 ? "1 or more" : "at most 1048575"));
  }
  if (failed(verifyOwn(*this, getBarrier())))
    return failure();
  return verifySlot(*this, getBarrier(), getIndex(), /*allSlots=*/true);
}
void MBarrierInitOp::getHardwareEffects(EffectList &effects) {
  effects.add(Lifetime{.kind = Lifetime::Init,
                       .barrier = {getBarrier(), getIndex(), {}},
                       .count = effect::Expr::constant(getCount())},
              "PTX ISA, mbarrier.init");
  effects.add(Access{.kind = AccessKind::Write,
                     .bytes = objectOf(getBarrier(), getIndex())},
              "PTX ISA, mbarrier.init");
}
Cardinality MBarrierInitOp::getCardinality() {
  return Cardinality::EveryThread;
}

void MBarrierInvalOp::getHardwareEffects(EffectList &effects) {
  effects.add(Lifetime{.kind = Lifetime::Inval,
                       .barrier = {getBarrier(), getIndex(), {}}},
              "PTX ISA, mbarrier.inval");
  effects.add(Access{.kind = AccessKind::Write,
                     .bytes = objectOf(getBarrier(), getIndex())},
              "PTX ISA, mbarrier.inval");
}
Cardinality MBarrierInvalOp::getCardinality() {
  return Cardinality::EveryThread;
}

/// An arrive, for good or not.
template <typename Op> static LogicalResult verifyArrive(Op op) {
  if (op.getCount() < 1 || op.getCount() > maxArrivals) {
    InFlightDiagnostic error =
        op.emitOpError(
            "[barrier-range] the count of an arrive is 1 to 2^20 - 1, not ")
        << static_cast<int64_t>(op.getCount());
    error.attachNote() << "fix: leave the count away (one arrival), or give 1 "
                          "or more";
    return error;
  }
  if (op.getState() && failed(verifyOwn(op, op.getBarrier())))
    return failure();
  if (failed(verifyArriveSem(op, op.getSem(), op.getScope(), false)))
    return failure();
  return verifySlot(op, op.getBarrier(), op.getIndex());
}

LogicalResult MBarrierArriveOp::verify() { return verifyArrive(*this); }
void MBarrierArriveOp::getHardwareEffects(EffectList &effects) {
  effects.add(Arrive{.barrier = barrierOf(getBarrier(), getIndex()),
                     .count = effect::Expr::constant(getCount()),
                     .sem = toSem(getSem()),
                     .scope = toScope(getScope()),
                     .state = getState()},
              "PTX ISA, mbarrier.arrive");
}
Cardinality MBarrierArriveOp::getCardinality() {
  return Cardinality::EveryThread;
}

LogicalResult MBarrierArriveDropOp::verify() { return verifyArrive(*this); }
void MBarrierArriveDropOp::getHardwareEffects(EffectList &effects) {
  effects.add(Arrive{.barrier = barrierOf(getBarrier(), getIndex()),
                     .count = effect::Expr::constant(getCount()),
                     .sem = toSem(getSem()),
                     .scope = toScope(getScope()),
                     .drops = true,
                     .state = getState()},
              "PTX ISA, mbarrier.arrive_drop");
}
Cardinality MBarrierArriveDropOp::getCardinality() {
  return Cardinality::EveryThread;
}

LogicalResult MBarrierArriveExpectTxOp::verify() {
  if (failed(verifyBytes(*this, getBytes())))
    return failure();
  if (getState() && failed(verifyOwn(*this, getBarrier())))
    return failure();
  if (failed(verifyArriveSem(*this, getSem(), getScope(), false)))
    return failure();
  return verifySlot(*this, getBarrier(), getIndex());
}
void MBarrierArriveExpectTxOp::getHardwareEffects(EffectList &effects) {
  BarrierRef barrier = barrierOf(getBarrier(), getIndex());
  effects.add(ExpectTx{barrier, effect::Expr::of(getBytes())},
              "PTX ISA, mbarrier.arrive (.expect_tx)");
  effects.add(Arrive{.barrier = barrier,
                     .sem = toSem(getSem()),
                     .scope = toScope(getScope()),
                     .state = getState()},
              "PTX ISA, mbarrier.arrive (.expect_tx)");
}
Cardinality MBarrierArriveExpectTxOp::getCardinality() {
  return Cardinality::EveryThread;
}

LogicalResult MBarrierExpectTxOp::verify() {
  if (failed(verifyBytes(*this, getBytes())))
    return failure();
  return verifySlot(*this, getBarrier(), getIndex());
}
void MBarrierExpectTxOp::getHardwareEffects(EffectList &effects) {
  effects.add(ExpectTx{barrierOf(getBarrier(), getIndex()),
                       effect::Expr::of(getBytes())},
              "PTX ISA, mbarrier.expect_tx");
}
Cardinality MBarrierExpectTxOp::getCardinality() {
  return Cardinality::EveryThread;
}

LogicalResult MBarrierCompleteTxOp::verify() {
  if (failed(verifyBytes(*this, getBytes())))
    return failure();
  return verifySlot(*this, getBarrier(), getIndex());
}
void MBarrierCompleteTxOp::getHardwareEffects(EffectList &effects) {
  effects.add(CompleteTx{barrierOf(getBarrier(), getIndex()),
                         effect::Expr::of(getBytes())},
              "PTX ISA, mbarrier.complete_tx");
}
Cardinality MBarrierCompleteTxOp::getCardinality() {
  return Cardinality::EveryThread;
}

/// What the three waits share.
template <typename Op> static LogicalResult verifyWait(Op op) {
  if (failed(verifyOwn(op, op.getBarrier())) ||
      failed(verifyArriveSem(op, op.getSem(), op.getScope(), true)))
    return failure();
  return verifySlot(op, op.getBarrier(), op.getIndex());
}

LogicalResult MBarrierWaitOp::verify() { return verifyWait(*this); }
void MBarrierWaitOp::getHardwareEffects(EffectList &effects) {
  effects.add(WaitBarrier{.barrier = {getBarrier(), getIndex(), {}},
                          .parity = getParity(),
                          .sem = toSem(getSem()),
                          .scope = toScope(getScope())},
              "PTX ISA, mbarrier.try_wait");
}
Cardinality MBarrierWaitOp::getCardinality() {
  return Cardinality::EveryThread;
}

LogicalResult MBarrierWaitStateOp::verify() { return verifyWait(*this); }
void MBarrierWaitStateOp::getHardwareEffects(EffectList &effects) {
  effects.add(WaitBarrier{.barrier = {getBarrier(), getIndex(), {}},
                          .state = getState(),
                          .sem = toSem(getSem()),
                          .scope = toScope(getScope())},
              "PTX ISA, mbarrier.try_wait");
}
Cardinality MBarrierWaitStateOp::getCardinality() {
  return Cardinality::EveryThread;
}

LogicalResult MBarrierTestWaitOp::verify() { return verifyWait(*this); }
void MBarrierTestWaitOp::getHardwareEffects(EffectList &effects) {
  effects.add(WaitBarrier{.barrier = {getBarrier(), getIndex(), {}},
                          .parity = getParity(),
                          .sem = toSem(getSem()),
                          .scope = toScope(getScope()),
                          .blocking = false,
                          .result = getDone()},
              "PTX ISA, mbarrier.test_wait");
  effects.add(Reveals{getDone()}, "PTX ISA, mbarrier.test_wait");
}
Cardinality MBarrierTestWaitOp::getCardinality() {
  return Cardinality::EveryThread;
}

//===----------------------------------------------------------------------===//
// Barriers among threads
//===----------------------------------------------------------------------===//

void SyncWarpOp::getHardwareEffects(EffectList &effects) {
  effects.add(ThreadBarrier{.kind = ThreadBarrier::Warp},
              "PTX ISA, bar.warp.sync");
}
Cardinality SyncWarpOp::getCardinality() { return Cardinality::Warp; }

void CtaSyncOp::getHardwareEffects(EffectList &effects) {
  effects.add(ThreadBarrier{.kind = ThreadBarrier::Named}, "PTX ISA, barrier");
}
Cardinality CtaSyncOp::getCardinality() { return Cardinality::Warp; }

LogicalResult titan::verifyNamed(Operation *op, int64_t id, int64_t threads) {
  const TargetInfo &target = targetOf(op, Feature::NamedBarriers);
  if (id < 1 || id >= target.namedBarriers)
    return op->emitOpError("[named-barrier] named barriers are 1 to ")
           << target.namedBarriers - 1 << " (0 is titan.cta_sync), not " << id
           << " (PTX ISA, barrier)";
  if (threads < target.warpWidth || threads % target.warpWidth ||
      threads > target.maxThreadsPerCta)
    return op->emitOpError("[named-barrier] the threads of a barrier are a "
                           "multiple of the warp size up to ")
           << target.maxThreadsPerCta << ", not " << threads
           << " (PTX ISA, barrier)";
  return success();
}

LogicalResult BarrierSyncOp::verify() {
  return verifyNamed(*this, getId(), getThreads());
}
void BarrierSyncOp::getHardwareEffects(EffectList &effects) {
  effects.add(ThreadBarrier{.kind = ThreadBarrier::Named,
                            .id = effect::Expr::constant(getId()),
                            .threads = static_cast<int64_t>(getThreads())},
              "PTX ISA, barrier");
}
Cardinality BarrierSyncOp::getCardinality() { return Cardinality::Warp; }

LogicalResult BarrierArriveOp::verify() {
  return verifyNamed(*this, getId(), getThreads());
}
void BarrierArriveOp::getHardwareEffects(EffectList &effects) {
  effects.add(ThreadBarrier{.kind = ThreadBarrier::Named,
                            .role = ThreadBarrier::Arrive,
                            .id = effect::Expr::constant(getId()),
                            .threads = static_cast<int64_t>(getThreads()),
                            .sem = Sem::Release},
              "PTX ISA, barrier");
}
Cardinality BarrierArriveOp::getCardinality() { return Cardinality::Warp; }

void ClusterArriveOp::getHardwareEffects(EffectList &effects) {
  effects.add(ThreadBarrier{.kind = ThreadBarrier::Cluster,
                            .role = ThreadBarrier::Arrive,
                            .sem = getRelaxed() ? Sem::Relaxed : Sem::Release},
              "PTX ISA, barrier.cluster");
}
Cardinality ClusterArriveOp::getCardinality() {
  return Cardinality::EveryThread;
}

void ClusterWaitOp::getHardwareEffects(EffectList &effects) {
  effects.add(ThreadBarrier{.kind = ThreadBarrier::Cluster,
                            .role = ThreadBarrier::Wait,
                            .sem = Sem::Acquire},
              "PTX ISA, barrier.cluster");
}
Cardinality ClusterWaitOp::getCardinality() { return Cardinality::EveryThread; }

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

LogicalResult FenceOp::verify() {
  if (getSem() == MemorySem::Weak || getSem() == MemorySem::Relaxed)
    return emitOpError("[fence-sem] a fence is acquire, release, acq_rel or sc "
                       "(PTX ISA, membar / "
                       "fence)");
  return success();
}
void FenceOp::getHardwareEffects(EffectList &effects) {
  effects.add(Fence{.kind = Fence::Memory,
                    .sem = toSem(getSem()),
                    .scope = toScope(getScope())},
              "PTX ISA, membar / fence");
}
Cardinality FenceOp::getCardinality() { return Cardinality::EveryThread; }

void FenceProxyAsyncOp::getHardwareEffects(EffectList &effects) {
  effects.add(
      Fence{.kind = Fence::ProxyAsync,
            .space = static_cast<FenceSpace>(static_cast<int>(getSpace()))},
      "PTX ISA, membar / fence (.proxy.async)");
}
Cardinality FenceProxyAsyncOp::getCardinality() {
  return Cardinality::EveryThread;
}

void FenceMbarrierInitOp::getHardwareEffects(EffectList &effects) {
  effects.add(Fence{.kind = Fence::MbarrierInit,
                    .space = FenceSpace::SharedCta,
                    .sem = Sem::Release,
                    .scope = Scope::Cluster},
              "PTX ISA, membar / fence (.mbarrier_init)");
}
Cardinality FenceMbarrierInitOp::getCardinality() {
  return Cardinality::EveryThread;
}

void FenceTensormapReleaseOp::getHardwareEffects(EffectList &effects) {
  effects.add(Fence{.kind = Fence::TensormapRelease,
                    .sem = Sem::Release,
                    .scope = toScope(getScope())},
              "PTX ISA, membar / fence (.proxy.tensormap)");
}
Cardinality FenceTensormapReleaseOp::getCardinality() {
  return Cardinality::EveryThread;
}

void FenceTensormapAcquireOp::getHardwareEffects(EffectList &effects) {
  effects.add(Fence{.kind = Fence::TensormapAcquire,
                    .sem = Sem::Acquire,
                    .scope = toScope(getScope()),
                    .object = getMap()},
              "PTX ISA, membar / fence (.proxy.tensormap)");
}
Cardinality FenceTensormapAcquireOp::getCardinality() {
  return Cardinality::EveryThread;
}
