//===- PipeBarriers.cpp - the barriers that pipes become ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which rings of mbarriers a pipe has, and how threads arrive at them:
//
//   pipe                       full                   empty
//   slots                      fills, or bytes        releases
//   slots of a cluster         bytes from every CTA   releases of every CTA
//   turns                      signals                none
//   stored where it is filled  none                   none: bulk groups, and a
//                                                     barrier of the threads
//
//===----------------------------------------------------------------------===//
#include "ExpandPipes.h"

#include "titan/Dialect/Titan/PipeEnds.h"
#include "titan/Target/Target.h"

using namespace mlir;
using namespace titan;
using namespace titan::pipes;

/// A pipe's barriers are named after it: %pipe.full, %pipe.empty.
static Location nameOfEnd(Location pipe, const PipeEnd &end) {
  auto name = pipe->findInstanceOf<NameLoc>();
  return NameLoc::get(
      StringAttr::get(pipe.getContext(),
                      end.pipe + (end.full ? ".full" : ".empty")),
      end.mark(name ? name.getChildLoc() : pipe));
}

/// One of a pipe's two.
static PipeEnd endOf(PipeCreateOp create, bool full) {
  auto name = create.getLoc()->findInstanceOf<NameLoc>();
  return {name ? name.getName().str() : "pipe", full, create.getExclusive(),
          llvm::all_of(create.getConsumers(),
                       [&](Attribute consumer) {
                         return cast<StringAttr>(consumer).getValue() ==
                                create.getProducer();
                       }),
          create.isOrder()};
}

/// The barriers of threads that an operation is at.
static void
forEachBarrier(Operation *op,
               llvm::function_ref<void(const effect::ThreadBarrier &)> visit) {
  auto hardware = dyn_cast<HardwareEffectsInterface>(op);
  if (!hardware)
    return;
  effect::EffectList effects;
  hardware.getHardwareEffects(effects);
  for (const effect::Effect &each : effects)
    if (const auto *barrier = std::get_if<effect::ThreadBarrier>(&each.what))
      visit(*barrier);
}

void Expander::createBarriers(WarpSpecializeOp specialize) {
  OpBuilder b(pipes.front()->create);
  bool any = false;
  for (auto &pipe : pipes) {
    b.setInsertionPoint(pipe->create);
    Location loc = pipe->create.getLoc();
    Type ring = MBarrierType::get(b.getContext(), pipe->depth, false);
    if (pipe->isLocal())
      continue;
    any = true;
    pipe->full = MBarrierAllocOp::create(
        b, nameOfEnd(loc, endOf(pipe->create, true)), ring);
    if (!pipe->isOrder())
      pipe->empty = MBarrierAllocOp::create(
          b, nameOfEnd(loc, endOf(pipe->create, false)), ring);
  }
  if (!any)
    return;
  b.setInsertionPoint(specialize);
  Location loc = pipes.front()->create.getLoc();
  auto elect = ElectOp::create(b, loc, TypeRange{}, b.getI64IntegerAttr(0));
  bool shared = false;
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&elect.getBody());
    for (auto &pipe : pipes) {
      Location at = pipe->create.getLoc();
      if (pipe->full)
        MBarrierInitOp::create(b, at, pipe->full, Value(), pipe->fills);
      if (pipe->empty)
        MBarrierInitOp::create(
            b, at, pipe->empty, Value(),
            pipe->releases * (pipe->isShared() ? kernel.getClusterSize() : 1));
      shared |= pipe->isShared();
    }
    FenceMbarrierInitOp::create(b, loc);
    YieldOp::create(b, loc);
  }
  if (kernel.getClusterSize() > 1) {
    Location made = endOf(pipes.front()->create, true).mark(loc);
    ClusterArriveOp::create(b, made, /*relaxed=*/true);
    ClusterWaitOp::create(b, made);
  } else {
    CtaSyncOp::create(b, loc);
  }
  // No CTA leaves while a peer may still send to it, or arrive at it (MM-81).
  bool meets = false;
  for (Operation *op = specialize; op; op = op->getNextNode())
    forEachBarrier(op, [&](const effect::ThreadBarrier &barrier) {
      meets |= barrier.kind == effect::ThreadBarrier::Cluster;
    });
  if (shared && !meets) {
    b.setInsertionPoint(kernel.getBody().front().getTerminator());
    ClusterArriveOp::create(b, loc);
    ClusterWaitOp::create(b, loc);
  }
}

/// Named barriers that nobody uses, from the last one down.
static std::optional<int64_t> freeBarrier(KernelOp kernel) {
  llvm::BitVector used(16);
  kernel.walk([&](Operation *op) {
    forEachBarrier(op, [&](const effect::ThreadBarrier &barrier) {
      if (barrier.kind == effect::ThreadBarrier::Named)
        used.set(barrier.id.offset);
    });
  });
  int last = used.find_last_unset();
  return last > 0 ? std::optional<int64_t>(last) : std::nullopt;
}

LogicalResult Expander::meet(OpBuilder &b, Operation *at, Pipe *pipe) {
  if (partition.getWarps() == 1) {
    SyncWarpOp::create(b, at->getLoc());
    return success();
  }
  int64_t &id = meetings[pipe];
  if (!id) {
    std::optional<int64_t> found = freeBarrier(kernel);
    if (!found)
      return at->emitError() << "[named-barrier] the threads of partition \""
                             << partition.getName()
                             << "\" meet at a barrier of this pipe, and the "
                                "kernel uses all 15 of them";
    id = *found;
  }
  // Of all targets that have named barriers warps are equally wide.
  int64_t width = allTargets().front().warpWidth;
  BarrierSyncOp::create(b, at->getLoc(), static_cast<uint64_t>(id),
                        static_cast<uint64_t>(partition.getWarps() * width));
  return success();
}

ArrayRef<Value> Expander::emptyOfCluster(Pipe *pipe) {
  SmallVector<Value> &rings = peers[pipe];
  if (!rings.empty())
    return rings;
  OpBuilder b = OpBuilder::atBlockBegin(&partition.getBody().front());
  Location loc = pipe->empty.getLoc();
  Type remote = MBarrierType::get(b.getContext(), pipe->depth, true);
  for (int64_t rank = 0; rank < kernel.getClusterSize(); ++rank)
    rings.push_back(
        MapRankOp::create(b, loc, remote, pipe->empty,
                          constant(b, loc, static_cast<int32_t>(rank))));
  return rings;
}

void Expander::arrive(OpBuilder &b, Operation *at, Pipe *pipe, Value ring,
                      Value slot, bool fence) {
  Location loc = at->getLoc();
  Value index = pipe->depth == 1 ? Value() : slot;
  if (fence)
    FenceProxyAsyncOp::create(b, loc, ProxySpace::SharedCta);
  if (!at->getParentOfType<ElectOp>())
    SyncWarpOp::create(b, loc);
  ArrayRef<Value> cluster;
  if (ring == pipe->empty && pipe->isShared())
    cluster = emptyOfCluster(pipe);
  byOneThread(b, at, /*ofPartition=*/false, [&](OpBuilder &b) {
    if (cluster.empty())
      MBarrierArriveOp::create(b, loc, Type(), ring, index);
    for (Value peer : cluster)
      MBarrierArriveOp::create(b, loc, Type(), peer, index, 1,
                               MemorySem::Release, MemoryScope::Cluster);
  });
}
