//===- Barriers.cpp - barriers of threads, fences, lives ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Walk.h"

#include "titan/Target/Target.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

bool Walk::threadBarrier(Operation *op, const effect::ThreadBarrier &barrier,
                         State &state, const Who &who) {
  using effect::ThreadBarrier;
  if (barrier.kind == ThreadBarrier::Cluster)
    return clusterBarrier(op, barrier, state, who);
  if (who.lanes != AllLanes || (barrier.role == ThreadBarrier::Sync &&
                                barrier.sem != effect::Sem::AcqRel))
    return proof.stop("this barrier is not followed by the proof yet", op);
  Knowledge all, allSeen;
  bool named = barrier.kind == ThreadBarrier::Named;
  std::optional<Polynomial> round;
  ObjectId object = 0;
  if (named) {
    int64_t warps = kernelWarps(), lanes = proof.lanes;
    if (!barrier.id.isConstant())
      return proof.stop("the number of the barrier is no constant", op);
    int64_t threads = barrier.threads ? barrier.threads : lanes * warps;
    if (static_cast<int64_t>(who.warps.size()) != regionWarps)
      return proof.stop("this barrier is not followed by the proof yet", op);
    if (barrier.role != ThreadBarrier::Sync || threads != lanes * regionWarps)
      return meet(op, barrier, state, who);
    if (proof.without != Judgement::Named &&
        namedThreads.contains({rank, barrier.id.offset}))
      return proof.stop("this named barrier has another number of threads "
                        "elsewhere",
                        op);
    auto [users, fresh] =
        namedUsers.try_emplace({rank, barrier.id.offset}, who.warps);
    if (users->second != who.warps && proof.without != Judgement::Named)
      return proof.stop("different warps use this named barrier elsewhere", op);
    Object key{Object::Named};
    key.id = barrier.id.offset;
    key.cta = rank;
    object = proof.object(key);
    for (int warp : who.walked) {
      WarpState &w = state.warps[warp];
      Polynomial &next = w.next[object];
      if (round && *round != next)
        return proof.stop("warps come to this barrier in different rounds", op);
      round = next;
      release(state, warp, AllLanes, object, next);
      next = next + 1;
      for (int lane : {elected, others})
        learn(state, all, w.knows[lane]);
      learn(state, all, w.waited);
      learnOfAlike(state, all, warp, w.knows[elected]);
      learnOfAlike(state, all, warp, w.knows[others]);
      learnOfAlike(state, all, warp, w.waited);
      for (int lane : {elected, others}) {
        learn(state, allSeen, w.sees[lane]);
        learnOfAlike(state, allSeen, warp, w.sees[lane]);
      }
    }
    learn(state, all, object, *round + 1);
    if (static_cast<int64_t>(who.warps.size()) == warps && state.path.empty())
      for (auto &[ring, life] : lives) {
        life.told = true;
        life.published |= life.fenced;
      }
  }
  for (int warp : who.walked) {
    WarpState &w = state.warps[warp];
    ObjectId own = warpObject(warp);
    Polynomial &next = w.next[own];
    release(state, warp, AllLanes, own, next);
    next = next + 1;
    Knowledge both = named ? all : w.knows[elected];
    if (!named)
      learn(state, both, w.knows[others]);
    learn(state, both, own, next);
    learn(state, both, w.waited);
    w.waited.clear();
    w.knows[elected] = w.knows[others] = both;
    Knowledge seen = named ? allSeen : w.sees[elected];
    if (!named)
      learn(state, seen, w.sees[others]);
    w.sees[elected] = w.sees[others] = seen;
    for (Pending &pending : w.pending)
      pending.hold();
  }
  return true;
}

bool Walk::dependency(const effect::GridDependency &dependency, State &state,
                      const Who &who) {
  // That dependents may begin orders nothing.
  if (dependency.kind != effect::GridDependency::Wait)
    return true;
  const ObjectId grids = proof.object(Object{Object::Grids});
  for (int warp : who.walked)
    for (int lane : {elected, others})
      if (who.lanes >> lane & 1)
        learnBoth(state, warp, lane, grids, 1);
  return true;
}

bool Walk::behindGrids(Operation *op, mlir::Value memory, AccessKind kind,
                       State &state, const Who &who) {
  KernelOp kernel = proof.kernel;
  auto settled = kernel->getAttrOfType<ArrayAttr>("titan.programmatic");
  if (!settled || !enforce || mode != Mode::Final)
    return true;
  if (isa<TensorMapType>(memory.getType()))
    memory = getMappedTensor(memory);
  else if (!isa<GlobalType>(memory.getType()))
    return true;
  auto argument = dyn_cast_or_null<BlockArgument>(memory);
  if (argument && kind == AccessKind::Read &&
      llvm::is_contained(settled,
                         kernel.getArgNames()[argument.getArgNumber()]))
    return true;
  const ObjectId grids = proof.object(Object{Object::Grids});
  for (int warp : who.walked)
    for (int lane : {elected, others})
      if ((who.lanes >> lane & 1) &&
          !knowsUse(state, state.warps[warp].knows[lane], grids, 0)) {
        proof.rules = "MM-85";
        return proof.stop(
            "no wait for the grids before this one is shown to "
            "come before this",
            op, "move it behind one, or behind a barrier that follows one");
      }
  return true;
}

/// A named barrier of several partitions: a ring of one slot, at which each of
/// its warps arrives once a round; who syncs, waits for the round, too.
bool Walk::meet(Operation *op, const effect::ThreadBarrier &barrier,
                State &state, const Who &who) {
  using effect::ThreadBarrier;
  int64_t id = barrier.id.offset;
  auto [threads, fresh] = namedThreads.try_emplace({rank, id}, barrier.threads);
  if (proof.without != Judgement::Named &&
      (threads->second != barrier.threads || namedUsers.contains({rank, id})))
    return proof.stop("this named barrier has another number of threads "
                      "elsewhere",
                      op);
  Object key{Object::Named};
  key.id = id;
  key.cta = rank;
  ObjectId object = proof.object(key);
  proof.counts[object] = barrier.threads;
  for (int warp : who.walked) {
    WarpState &w = state.warps[warp];
    Polynomial round = w.next[object];
    for (int lane : {elected, others}) {
      if (enforce && mode == Mode::Final &&
          !pinned(proof, op, state, w, lane, object, round, "the arrival of"))
        return false;
      if (mode == Mode::Final)
        proof.signals.push_back({Signal::Arrive, object, op, warp, lane, round,
                                 lane == elected ? 1 : proof.lanes - 1,
                                 state.facts, state.path, sequence, groupNumber,
                                 w.knows[lane], stamp, w.sees[lane]});
    }
    release(state, warp, AllLanes, object, round);
    w.next[object] = round + 1;
    if (barrier.role != ThreadBarrier::Sync)
      continue;
    if (mode == Mode::Final)
      proof.waits.push_back({object, op, warp, AllLanes, round, state.facts,
                             state.path, sequence, groupNumber, 0, stamp});
    for (Knowledge *knows : {w.knows, w.sees}) {
      learn(state, knows[elected], knows[others]);
      knows[others] = knows[elected];
    }
    for (int lane : {elected, others})
      observe(state, warp, lane, object, round);
    for (Pending &pending : w.pending)
      pending.hold();
  }
  return true;
}

/// The cluster's barrier: all warps of all its CTAs, as a ring of one slot.
bool Walk::clusterBarrier(Operation *op, const effect::ThreadBarrier &barrier,
                          State &state, const Who &who) {
  using effect::ThreadBarrier;
  if (who.lanes != AllLanes || !state.path.empty() ||
      regionWarps != kernelWarps() ||
      static_cast<int64_t>(who.warps.size()) != kernelWarps())
    return proof.stop("this barrier of the cluster is not followed by the "
                      "proof yet",
                      op);
  Object key{Object::Cluster};
  ObjectId object = proof.object(key);
  proof.counts[object] = proof.lanes * kernelWarps() * ranks;
  // Relaxed, it tells of barriers that are fenced, and of nothing else.
  bool relaxed = barrier.sem == effect::Sem::Relaxed;
  bool arrives = barrier.role != ThreadBarrier::Wait,
       waits = barrier.role != ThreadBarrier::Arrive;
  for (int warp : who.walked) {
    WarpState &w = state.warps[warp];
    // Arrivals and waits alternate (MM-23).
    Polynomial &waited = w.waits[elected][object];
    if (waited != w.next[object] - Polynomial(arrives ? 0 : 1))
      return proof.stop("arrivals at the cluster's barrier and waits do not "
                        "alternate",
                        op);
    if (waits)
      waited = waited + 1;
    if (arrives) {
      Polynomial round = w.next[object];
      // Its turns alternate.
      if (enforce && mode == Mode::Final &&
          !pinned(proof, op, state, w, elected, object, round,
                  "the arrival of"))
        return false;
      for (int lane : {elected, others})
        if (mode == Mode::Final)
          proof.signals.push_back(
              {Signal::Arrive, object, op, warp, lane, round,
               lane == elected ? 1 : proof.lanes - 1, state.facts, state.path,
               sequence, groupNumber, relaxed ? Knowledge() : w.knows[lane],
               stamp, w.sees[lane]});
      if (!relaxed)
        release(state, warp, AllLanes, object, round);
      w.next[object] = round + 1;
    }
    if (!waits)
      continue;
    Polynomial round = w.next[object] - 1;
    if (!state.facts.provesAtLeast(round, 0))
      return proof.stop("nobody has arrived at the cluster's barrier", op);
    if (mode == Mode::Final)
      proof.waits.push_back({object, op, warp, AllLanes, round, state.facts,
                             state.path, sequence, groupNumber, 0, stamp});
    for (int lane : {elected, others})
      observe(state, warp, lane, object, round);
  }
  if (arrives) {
    remote &= relaxed;
    for (auto &[ring, life] : lives)
      life.sent |= relaxed ? life.initFenced : life.fenced;
    // Peers ask for fence.mbarrier_init (MM-51).
    for (auto &[ring, life] : lives)
      if (!life.sentAway && life.initFenced) {
        life.sentAway = true;
        life.round = state.warps[who.warps[0]].next[object] - 1;
      }
  }
  if (waits)
    for (auto &[ring, life] : lives) {
      life.everywhere |= life.sentAway;
      life.published |= life.sent;
    }
  return true;
}

bool Walk::fence(Operation *op, const effect::Fence &fence, State &state,
                 const Who &who) {
  using effect::Fence;
  switch (fence.kind) {
  case Fence::Memory:
    return true; // orders nothing here that is followed
  case Fence::MbarrierInit:
  case Fence::ProxyAsync:
    if (fence.kind == Fence::ProxyAsync &&
        !fenceCovers(fence.space, MemorySpace::SharedOwn))
      return true;
    for (auto &[ring, life] : lives)
      for (int warp : who.walked)
        if (life.warp == warp && who.lanes & Elected) {
          life.fenced = true;
          life.initFenced |= fence.kind == Fence::MbarrierInit;
        }
    if (fence.kind == Fence::MbarrierInit)
      return true;
    for (int warp : who.walked) {
      WarpState &w = state.warps[warp];
      if (mode != Mode::Slope)
        for (Pending &pending : w.pending) {
          const Access &access = proof.accesses[pending.access];
          Lanes lanes = access.lanes;
          if (access.ofCells())
            continue;
          // A peer's memory is not shared_cta (MM-31).
          if (pending.fenced || (lanes & ~who.lanes) ||
              (access.cta != rank && proof.without != Judgement::PeerFence &&
               !fenceCovers(fence.space, MemorySpace::SharedPeer)))
            continue;
          // What a barrier has told so far is of the access, not of this.
          pending.fenced = true;
          pending.fencesHeld[elected] = lanes == Elected;
          pending.fencesHeld[others] = false;
        }
      for (int lane : {elected, others})
        if (who.lanes >> lane & 1)
          w.atFence[lane] = w.knows[lane];
      if (who.lanes == Elected) {
        Object key{Object::Fence};
        key.warp = warp;
        ObjectId object = proof.object(key);
        Polynomial &next = w.next[object];
        release(state, warp, Elected, object, next);
        next = next + 1;
        learn(state, w.knows[elected], object, next);
      }
    }
    return true;
  case Fence::Wgmma:
    for (int warp : who.walked) {
      WarpState &w = state.warps[warp];
      for (int lane : {elected, others})
        w.atProduct[lane] = w.knows[lane];
      w.productFence = true;
      for (Pending &pending : w.pending)
        pending.beforeProducts = true;
    }
    for (auto &[tile, fenced] : state.tiles)
      fenced = true;
    return who.lanes == AllLanes ||
           proof.stop("part of a warp executes this", op);
  case Fence::Tcgen05Before:
  case Fence::Tcgen05After:
    fenceCells(state, who, fence.kind == Fence::Tcgen05Before);
    return true;
  default:
    return proof.stop("fences of this kind are not followed by the proof yet",
                      op);
  }
}

bool Walk::lifetime(Operation *op, const effect::Lifetime &life, State &state,
                    const Who &who) {
  if (life.memory || life.kind == effect::Lifetime::Relinquish)
    return columns(op, life, state, who);
  if (life.kind != effect::Lifetime::Init || life.barrier.index ||
      !life.count.isConstant())
    return proof.stop("lives of this kind are not followed by the proof yet",
                      op);
  auto ring = ringOf(op, state, life.barrier);
  if (!ring)
    return false;
  if (who.lanes != Elected || who.warps.size() != 1 || !state.path.empty() ||
      regionWarps != kernelWarps() || lives.contains(ring->object))
    return proof.stop("the barrier is not initialised once, by one thread, "
                      "before partitions and loops",
                      op);
  lives[ring->object] = {who.warps[0]};
  proof.counts[ring->object] = life.count.offset;
  return true;
}
