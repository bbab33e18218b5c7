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
#include "titan/Conversion/LoweringTable.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace titan;

/// ".release.cta"
static std::string semScope(MemorySem sem, MemoryScope scope) {
  return ("." + stringifyMemorySem(sem) + "." + stringifyMemoryScope(scope))
      .str();
}

static bool isRemote(Value barrier) {
  return cast<MBarrierType>(barrier.getType()).getCluster();
}

static LogicalResult mbarrierInit(KernelLowering &kl, MBarrierInitOp op) {
  Value first = kl.mbarrierAddress(op.getBarrier(), op.getIndex());
  int64_t slots = op.getIndex() ? 1 : op.getBarrier().getType().getSlots();
  for (int64_t slot = 0; slot < slots; ++slot)
    kl.ptx("mbarrier.init.shared::cta.b64 [$0], $1;", "r,r",
           {kl.add(first, kl.i32(8 * slot)), kl.i32(op.getCount())});
  return success();
}

template <typename Op>
static LogicalResult arriveBy(KernelLowering &kl, Op op,
                              const std::string &instruction) {
  Value address = kl.mbarrierAddress(op.getBarrier(), op.getIndex());
  std::string order = semScope(op.getSem(), op.getScope());
  Value count = kl.i32(op.getCount());
  if (isRemote(op.getBarrier())) {
    kl.ptx(instruction + order + ".shared::cluster.b64 _, [$0], $1;", "r,r",
           {address, count});
    return success();
  }
  if (!op.getState()) {
    kl.ptx(instruction + order + ".shared::cta.b64 _, [$0], $1;", "r,r",
           {address, count});
    return success();
  }
  kl.set(op.getState(),
         kl.ptx(kl.b.getI64Type(),
                instruction + order + ".shared::cta.b64 $0, [$1], $2;",
                "=l,r,r", {address, count}));
  return success();
}

static LogicalResult mbarrierArrive(KernelLowering &kl, MBarrierArriveOp op) {
  return arriveBy(kl, op, "mbarrier.arrive");
}
static LogicalResult mbarrierArriveDrop(KernelLowering &kl,
                                        MBarrierArriveDropOp op) {
  return arriveBy(kl, op, "mbarrier.arrive_drop");
}

static LogicalResult mbarrierArriveExpectTx(KernelLowering &kl,
                                            MBarrierArriveExpectTxOp op) {
  Value address = kl.mbarrierAddress(op.getBarrier(), op.getIndex());
  std::string order = semScope(op.getSem(), op.getScope());
  Value bytes = kl.get1(op.getBytes());
  bool remote = isRemote(op.getBarrier());
  if (remote || !op.getState()) {
    kl.ptx("mbarrier.arrive.expect_tx" + order +
               (remote ? ".shared::cluster" : ".shared::cta") +
               ".b64 _, [$0], $1;",
           "r,r", {address, bytes});
    return success();
  }
  kl.set(op.getState(), kl.ptx(kl.b.getI64Type(),
                               "mbarrier.arrive.expect_tx" + order +
                                   ".shared::cta.b64 $0, [$1], $2;",
                               "=l,r,r", {address, bytes}));
  return success();
}

static void waitLoop(KernelLowering &kl, StringRef instruction,
                     StringRef operands, StringRef constraints,
                     ValueRange scalars) {
  // try_wait suspends the thread for a while by itself, then the loop asks
  // again.
  std::string text = "{\n\t.reg .pred done;\n"
                     "wait_${:uid}:\n\t" +
                     (instruction + " done, " + operands).str() +
                     ";\n\t@!done bra wait_${:uid};\n\t}";
  kl.ptx(text, constraints, scalars);
}

void titan::populateBarrierLowerings(LoweringTable &table) {
  table.add<MBarrierAllocOp>([](KernelLowering &kl, MBarrierAllocOp o) {
    kl.set(o, kl.sharedAddress(o));
    return success();
  });
  table.add<MBarrierInitOp>(mbarrierInit);
  table.add<MBarrierArriveOp>(mbarrierArrive);
  table.add<MBarrierArriveDropOp>(mbarrierArriveDrop);
  table.add<MBarrierArriveExpectTxOp>(mbarrierArriveExpectTx);
  table.add<MBarrierInvalOp>([](KernelLowering &kl, MBarrierInvalOp o) {
    Value first = kl.mbarrierAddress(o.getBarrier(), o.getIndex());
    int64_t slots = o.getIndex() ? 1 : o.getBarrier().getType().getSlots();
    for (int64_t slot = 0; slot < slots; ++slot)
      kl.ptx("mbarrier.inval.shared::cta.b64 [$0];", "r",
             kl.add(first, kl.i32(8 * slot)));
    return success();
  });
  table.add<MBarrierExpectTxOp>([](KernelLowering &kl, MBarrierExpectTxOp o) {
    bool remote = isRemote(o.getBarrier());
    kl.ptx(std::string("mbarrier.expect_tx.relaxed.") +
               (remote ? "cluster.shared::cluster" : "cta.shared::cta") +
               ".b64 [$0], $1;",
           "r,r",
           {kl.mbarrierAddress(o.getBarrier(), o.getIndex()),
            kl.get1(o.getBytes())});
    return success();
  });
  table.add<MBarrierCompleteTxOp>(
      [](KernelLowering &kl, MBarrierCompleteTxOp o) {
        bool remote = isRemote(o.getBarrier());
        kl.ptx(std::string("mbarrier.complete_tx.relaxed.") +
                   (remote ? "cluster.shared::cluster" : "cta.shared::cta") +
                   ".b64 [$0], $1;",
               "r,r",
               {kl.mbarrierAddress(o.getBarrier(), o.getIndex()),
                kl.get1(o.getBytes())});
        return success();
      });
  table.add<MBarrierWaitOp>([](KernelLowering &kl, MBarrierWaitOp o) {
    waitLoop(kl,
             "mbarrier.try_wait.parity" + semScope(o.getSem(), o.getScope()) +
                 ".shared::cta.b64",
             "[$0], $1", "r,r",
             {kl.mbarrierAddress(o.getBarrier(), o.getIndex()),
              kl.get1(o.getParity())});
    return success();
  });
  table.add<MBarrierWaitStateOp>([](KernelLowering &kl, MBarrierWaitStateOp o) {
    waitLoop(kl,
             "mbarrier.try_wait" + semScope(o.getSem(), o.getScope()) +
                 ".shared::cta.b64",
             "[$0], $1", "r,l",
             {kl.mbarrierAddress(o.getBarrier(), o.getIndex()),
              kl.get1(o.getState())});
    return success();
  });
  table.add<MBarrierTestWaitOp>([](KernelLowering &kl, MBarrierTestWaitOp o) {
    Value done = kl.ptx(kl.b.getI32Type(),
                        "{\n\t.reg .pred done;\n\tmbarrier.test_wait.parity" +
                            semScope(o.getSem(), o.getScope()) +
                            ".shared::cta.b64 done, [$1], $2;\n\t"
                            "selp.u32 $0, 1, 0, done;\n\t}",
                        "=r,r,r",
                        {kl.mbarrierAddress(o.getBarrier(), o.getIndex()),
                         kl.get1(o.getParity())});
    kl.set(o.getDone(), arith::CmpIOp::create(kl.b, arith::CmpIPredicate::ne,
                                              done, kl.i32(0))
                            .getResult());
    return success();
  });
  table.add<SyncWarpOp>([](KernelLowering &kl, SyncWarpOp) {
    NVVM::SyncWarpOp::create(kl.b, kl.i32(-1));
    return success();
  });
  table.add<CtaSyncOp>([](KernelLowering &kl, CtaSyncOp) {
    kl.ptx("barrier.sync.aligned 0;", "", {});
    return success();
  });
  table.add<BarrierSyncOp>([](KernelLowering &kl, BarrierSyncOp o) {
    kl.ptx("barrier.sync.aligned $0, $1;", "n,n",
           {kl.i32(o.getId()), kl.i32(o.getThreads())});
    return success();
  });
  table.add<BarrierArriveOp>([](KernelLowering &kl, BarrierArriveOp o) {
    kl.ptx("barrier.arrive.aligned $0, $1;", "n,n",
           {kl.i32(o.getId()), kl.i32(o.getThreads())});
    return success();
  });
  table.add<ClusterArriveOp>([](KernelLowering &kl, ClusterArriveOp o) {
    kl.ptx(o.getRelaxed() ? "barrier.cluster.arrive.relaxed.aligned;"
                          : "barrier.cluster.arrive.release.aligned;",
           "", {});
    return success();
  });
  table.add<ClusterWaitOp>([](KernelLowering &kl, ClusterWaitOp) {
    kl.ptx("barrier.cluster.wait.acquire.aligned;", "", {});
    return success();
  });
  table.add<FenceOp>([](KernelLowering &kl, FenceOp o) {
    kl.ptx("fence" + semScope(o.getSem(), o.getScope()) + ";", "", {});
    return success();
  });
  table.add<FenceProxyAsyncOp>([](KernelLowering &kl, FenceProxyAsyncOp o) {
    // The attribute's cases are those of FenceSpace.
    StringRef space = ptxOf(static_cast<FenceSpace>(o.getSpace()));
    kl.ptx(("fence.proxy.async" + space + ";").str(), "", {});
    return success();
  });
  table.add<FenceMbarrierInitOp>([](KernelLowering &kl, FenceMbarrierInitOp) {
    kl.ptx("fence.mbarrier_init.release.cluster;", "", {});
    return success();
  });
  table.add<FenceTensormapReleaseOp>(
      [](KernelLowering &kl, FenceTensormapReleaseOp o) {
        kl.ptx(("fence.proxy.tensormap::generic.release." +
                stringifyMemoryScope(o.getScope()) + ";")
                   .str(),
               "", {});
        return success();
      });
  table.add<FenceTensormapAcquireOp>(
      [](KernelLowering &kl, FenceTensormapAcquireOp o) {
        kl.ptx(("fence.proxy.tensormap::generic.acquire." +
                stringifyMemoryScope(o.getScope()) + " [$0], 128;")
                   .str(),
               "l", kl.get1(o.getMap()));
        return success();
      });
}
