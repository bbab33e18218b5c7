//===- Barriers.cpp - mbarriers, thread barriers, fences ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.13 (synchronisation). An mbarrier is addressed in the window
// .shared::cta, or .shared::cluster where it may be a peer's.
//
//===----------------------------------------------------------------------===//
#include "KernelLowering.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace titan;

Value KernelLowering::barrierAddress(Value barrier, Value index) {
  Value address = get1(barrier);
  if (index)
    address = add(address, mul(toI32(get1(index)), 8));
  return address;
}

/// ".release.cta"
static std::string semScope(MemorySem sem, MemoryScope scope) {
  return ("." + stringifyMemorySem(sem) + "." + stringifyMemoryScope(scope))
      .str();
}

static bool isRemote(Value barrier) {
  return cast<MBarrierType>(barrier.getType()).getCluster();
}

LogicalResult KernelLowering::mbarrierInit(MBarrierInitOp op) {
  Value first = barrierAddress(op.getBarrier(), op.getIndex());
  int64_t slots = op.getIndex() ? 1 : op.getBarrier().getType().getSlots();
  for (int64_t slot = 0; slot < slots; ++slot)
    ptx("mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}",
        {add(first, i32(8 * slot)), i32(op.getCount())});
  return success();
}

LogicalResult KernelLowering::mbarrierArrive(MBarrierArriveOp op) {
  Value address = barrierAddress(op.getBarrier(), op.getIndex());
  std::string order = semScope(op.getSem(), op.getScope());
  Value count = i32(op.getCount());
  if (isRemote(op.getBarrier())) {
    ptx("mbarrier.arrive" + order + ".shared::cluster.b64 _, [$0], $1;",
        "r,r,~{memory}", {address, count});
    return success();
  }
  if (!op.getState()) {
    ptx("mbarrier.arrive" + order + ".shared::cta.b64 _, [$0], $1;",
        "r,r,~{memory}", {address, count});
    return success();
  }
  set(op.getState(),
      ptx(b.getI64Type(),
          "mbarrier.arrive" + order + ".shared::cta.b64 $0, [$1], $2;",
          "=l,r,r,~{memory}", {address, count}));
  return success();
}

LogicalResult
KernelLowering::mbarrierArriveExpectTx(MBarrierArriveExpectTxOp op) {
  Value address = barrierAddress(op.getBarrier(), op.getIndex());
  std::string order = semScope(op.getSem(), op.getScope());
  Value bytes = get1(op.getBytes());
  bool remote = isRemote(op.getBarrier());
  if (remote || !op.getState()) {
    ptx("mbarrier.arrive.expect_tx" + order +
            (remote ? ".shared::cluster" : ".shared::cta") +
            ".b64 _, [$0], $1;",
        "r,r,~{memory}", {address, bytes});
    return success();
  }
  set(op.getState(), ptx(b.getI64Type(),
                         "mbarrier.arrive.expect_tx" + order +
                             ".shared::cta.b64 $0, [$1], $2;",
                         "=l,r,r,~{memory}", {address, bytes}));
  return success();
}

void KernelLowering::waitLoop(StringRef instruction, StringRef operands,
                              StringRef constraints, ValueRange scalars) {
  // try_wait suspends the thread for a while by itself, then the loop asks
  // again.
  std::string text = "{\n\t.reg .pred done;\n"
                     "wait_${:uid}:\n\t" +
                     (instruction + " done, " + operands).str() +
                     ";\n\t@!done bra wait_${:uid};\n\t}";
  ptx(text, (constraints + ",~{memory}").str(), scalars);
}

LogicalResult KernelLowering::barrierOperation(Operation &op) {
  auto nothing = ValueRange();
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<MBarrierInitOp>([&](auto o) { return mbarrierInit(o); })
      .Case<MBarrierArriveOp>([&](auto o) { return mbarrierArrive(o); })
      .Case<MBarrierArriveExpectTxOp>(
          [&](auto o) { return mbarrierArriveExpectTx(o); })
      .Case<MBarrierInvalOp>([&](MBarrierInvalOp o) {
        Value first = barrierAddress(o.getBarrier(), o.getIndex());
        int64_t slots = o.getIndex() ? 1 : o.getBarrier().getType().getSlots();
        for (int64_t slot = 0; slot < slots; ++slot)
          ptx("mbarrier.inval.shared::cta.b64 [$0];", "r,~{memory}",
              add(first, i32(8 * slot)));
        return success();
      })
      .Case<MBarrierExpectTxOp>([&](MBarrierExpectTxOp o) {
        bool remote = isRemote(o.getBarrier());
        ptx(std::string("mbarrier.expect_tx.relaxed.") +
                (remote ? "cluster.shared::cluster" : "cta.shared::cta") +
                ".b64 [$0], $1;",
            "r,r,~{memory}",
            {barrierAddress(o.getBarrier(), o.getIndex()), get1(o.getBytes())});
        return success();
      })
      .Case<MBarrierWaitOp>([&](MBarrierWaitOp o) {
        waitLoop("mbarrier.try_wait.parity" +
                     semScope(o.getSem(), o.getScope()) + ".shared::cta.b64",
                 "[$0], $1", "r,r",
                 {barrierAddress(o.getBarrier(), o.getIndex()),
                  get1(o.getParity())});
        return success();
      })
      .Case<MBarrierWaitStateOp>([&](MBarrierWaitStateOp o) {
        waitLoop(
            "mbarrier.try_wait" + semScope(o.getSem(), o.getScope()) +
                ".shared::cta.b64",
            "[$0], $1", "r,l",
            {barrierAddress(o.getBarrier(), o.getIndex()), get1(o.getState())});
        return success();
      })
      .Case<MBarrierTestWaitOp>([&](MBarrierTestWaitOp o) {
        Value done = ptx(b.getI32Type(),
                         "{\n\t.reg .pred done;\n\tmbarrier.test_wait.parity" +
                             semScope(o.getSem(), o.getScope()) +
                             ".shared::cta.b64 done, [$1], $2;\n\t"
                             "selp.u32 $0, 1, 0, done;\n\t}",
                         "=r,r,r,~{memory}",
                         {barrierAddress(o.getBarrier(), o.getIndex()),
                          get1(o.getParity())});
        set(o.getDone(),
            arith::CmpIOp::create(b, arith::CmpIPredicate::ne, done, i32(0))
                .getResult());
        return success();
      })
      .Case<SyncWarpOp>([&](auto) {
        NVVM::SyncWarpOp::create(b, i32(-1));
        return success();
      })
      .Case<CtaSyncOp>([&](auto) {
        ptx("barrier.sync.aligned 0;", "~{memory}", nothing);
        return success();
      })
      .Case<BarrierSyncOp>([&](BarrierSyncOp o) {
        ptx("barrier.sync.aligned $0, $1;", "n,n,~{memory}",
            {i32(o.getId()), i32(o.getThreads())});
        return success();
      })
      .Case<BarrierArriveOp>([&](BarrierArriveOp o) {
        ptx("barrier.arrive.aligned $0, $1;", "n,n,~{memory}",
            {i32(o.getId()), i32(o.getThreads())});
        return success();
      })
      .Case<ClusterArriveOp>([&](ClusterArriveOp o) {
        ptx(o.getRelaxed() ? "barrier.cluster.arrive.relaxed.aligned;"
                           : "barrier.cluster.arrive.release.aligned;",
            "~{memory}", nothing);
        return success();
      })
      .Case<ClusterWaitOp>([&](auto) {
        ptx("barrier.cluster.wait.acquire.aligned;", "~{memory}", nothing);
        return success();
      })
      .Case<FenceOp>([&](FenceOp o) {
        ptx("fence" + semScope(o.getSem(), o.getScope()) + ";", "~{memory}",
            nothing);
        return success();
      })
      .Case<FenceProxyAsyncOp>([&](FenceProxyAsyncOp o) {
        StringRef space = "";
        switch (o.getSpace()) {
        case ProxySpace::All:
          break;
        case ProxySpace::Global:
          space = ".global";
          break;
        case ProxySpace::SharedCta:
          space = ".shared::cta";
          break;
        case ProxySpace::SharedCluster:
          space = ".shared::cluster";
          break;
        }
        ptx(("fence.proxy.async" + space + ";").str(), "~{memory}", nothing);
        return success();
      })
      .Case<FenceMbarrierInitOp>([&](auto) {
        ptx("fence.mbarrier_init.release.cluster;", "~{memory}", nothing);
        return success();
      })
      .Case<FenceTensormapReleaseOp>([&](FenceTensormapReleaseOp o) {
        ptx(("fence.proxy.tensormap::generic.release." +
             stringifyMemoryScope(o.getScope()) + ";")
                .str(),
            "~{memory}", nothing);
        return success();
      })
      .Case<FenceTensormapAcquireOp>([&](FenceTensormapAcquireOp o) {
        ptx(("fence.proxy.tensormap::generic.acquire." +
             stringifyMemoryScope(o.getScope()) + " [$0], 128;")
                .str(),
            "l,~{memory}", get1(o.getMap()));
        return success();
      })
      .Default([&](Operation *o) {
        return unsupported(o, Twine(o->getName().getStringRef()));
      });
}
