//===- ConformanceOrder.cpp - barriers of threads, and memory order --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Conformance.h"
#include "Numbers.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;
using namespace titan::sim;
using effect::Fence;
using effect::Sem;
using effect::ThreadBarrier;

Conformance::Order::Order(const Agent &agent)
    : cluster(agent.cta.cluster.round, agent.cta.cluster.arrived),
      clusterArrived(agent.clusterArrived), productFence(agent.productFence) {
  for (const NamedBarrier &barrier : agent.cta.named)
    named.push_back({barrier.round, barrier.count});
  for (uint32_t address : agent.newBarriers)
    publishedBarriers += agent.cta.barriers[address].publishedAsync;
  if (!agent.knowledge)
    return;
  for (int c = 0; c < 2; ++c) {
    const Knowledge &thread = agent.knowledge->classes[c];
    classes[c] = {thread.now, thread.known, thread.released, thread.product,
                  thread.acquiredMaps};
  }
}

static bool releases(Sem sem) {
  return sem == Sem::Release || sem == Sem::AcqRel || sem == Sem::SeqCst;
}
static bool acquires(Sem sem) {
  return sem == Sem::Acquire || sem == Sem::AcqRel || sem == Sem::SeqCst;
}
static bool same(const Clock &a, const Clock &b) {
  return a.includes(b) && b.includes(a);
}

/// What this attempt of the operation has done at barriers of threads.
void Conformance::noteArrivals(Agent &agent) {
  Order now(agent);
  Arrivals came;
  came.named.resize(now.named.size());
  bool any = false;
  for (size_t id = 0; id < now.named.size(); ++id) {
    auto [round, count] = now.named[id];
    if (round != order.named[id].first)
      count += agent.cta.named[id].threads;
    came.named[id] = count - order.named[id].second;
    any |= came.named[id] != 0;
  }
  came.cluster = static_cast<int64_t>(now.cluster.second) -
                 static_cast<int64_t>(order.cluster.second);
  if (now.cluster.first != order.cluster.first)
    came.cluster += agent.cta.cluster.running;
  any |= came.cluster != 0;
  for (int c = 0; c < 2; ++c) {
    came.known[c] = order.classes[c].known;
    came.published |= now.classes[c].now != order.classes[c].now;
  }
  Arrivals &all = arrivals[&agent];
  all.named.resize(now.named.size());
  for (size_t id = 0; id < now.named.size(); ++id)
    all.named[id] += came.named[id];
  all.cluster += came.cluster;
  all.published |= came.published;
  if (any)
    all.known = std::move(came.known);
}

void Conformance::compareThreadBarriers(Agent &agent, const Inst &inst,
                                        const effect::EffectList &list) {
  Numbers numbers(agent, scalars, refs);
  const Arrivals &came = arrivals[&agent];
  Arrivals said;
  said.named.resize(came.named.size());
  bool clusterWait = false;
  auto wrong = [&](const Twine &what) { mismatch(agent, inst, what); };
  for (const effect::Effect &each : list) {
    auto *barrier = std::get_if<ThreadBarrier>(&each.what);
    if (!barrier)
      continue;
    bool comes = barrier->role != ThreadBarrier::Wait,
         passes = barrier->role != ThreadBarrier::Arrive;
    if (barrier->kind == ThreadBarrier::Cluster) {
      said.cluster += comes;
      clusterWait |= passes;
      continue;
    }
    if (barrier->kind == ThreadBarrier::Warp) {
      // Each half knows what the other has done.
      if (agent.knowledge)
        for (int c = 0; c < 2; ++c)
          if (!agent.knowledge->classes[1 - c].known.includes(
                  order.classes[c].known))
            wrong("declares a barrier of the warp's threads, and does not tell "
                  "all of them what the others have done");
      continue;
    }
    int64_t id = numbers.number(barrier->id),
            all = int64_t(agent.program.lanes) * agent.program.warps;
    const NamedBarrier &named = agent.cta.named[id];
    said.named[id] += comes ? agent.program.lanes : 0;
    if (comes && came.named[id] &&
        named.threads != (barrier->threads ? barrier->threads : all))
      wrong(llvm::formatv("comes to barrier {0} of {1} threads, and declares "
                          "{2}",
                          id, named.threads,
                          barrier->threads ? barrier->threads : all)
                .str());
    if (passes && named.round <= agent.round)
      wrong(
          llvm::formatv("declares a wait at barrier {0}, and does not wait", id)
              .str());
    if (!agent.knowledge || !came.named[id])
      continue;
    const Clock &round = named.round > agent.round
                             ? named.complete[agent.round % 4]
                             : named.gathering;
    for (int c = 0; c < 2; ++c) {
      if (releases(barrier->sem) && !round.includes(came.known[c]))
        wrong(llvm::formatv("does not release at barrier {0} what its threads "
                            "have done",
                            id)
                  .str());
      if (passes && acquires(barrier->sem) &&
          !agent.knowledge->classes[c].known.includes(round))
        wrong(llvm::formatv("does not learn at barrier {0} what the others "
                            "have released",
                            id)
                  .str());
    }
  }
  for (size_t id = 0; id < said.named.size(); ++id)
    if (came.named[id] != said.named[id])
      wrong(llvm::formatv("comes with {0} threads to barrier {1}, and declares "
                          "{2}",
                          came.named[id], id, said.named[id])
                .str());
  bool waited = order.clusterArrived && !agent.clusterArrived;
  if (came.cluster != said.cluster || waited != clusterWait)
    wrong(llvm::formatv("{0} at the cluster's barrier and {1} there, and "
                        "declares that it {2} and {3}",
                        came.cluster ? "arrives" : "does not arrive",
                        waited ? "waits" : "does not wait",
                        said.cluster ? "arrives" : "does not arrive",
                        clusterWait ? "waits" : "does not wait")
              .str());
}

/// Whether an effect lets others know what the threads have done.
static bool releases(const effect::Effect &effect) {
  return std::visit(
      [](const auto &what) {
        using What = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<What, Fence>)
          return what.kind != Fence::Memory || what.sem != Sem::Acquire;
        else if constexpr (requires { what.sem; })
          return releases(what.sem);
        return false;
      },
      effect.what);
}

/// Whether it lets the threads know what others have done, copies and products
/// included.
static bool acquires(const effect::Effect &effect) {
  return std::visit(
      [](const auto &what) {
        using What = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<What, effect::WaitGroup>)
          return true;
        else if constexpr (std::is_same_v<What, effect::WaitFlag>)
          return true;
        else if constexpr (requires { what.sem; })
          return acquires(what.sem);
        return false;
      },
      effect.what);
}

void Conformance::compareOrder(Agent &agent, const Inst &inst,
                               const effect::EffectList &list) {
  auto wrong = [&](const Twine &what) { mismatch(agent, inst, what); };
  bool initFence = false, products = false, memory = false, map = false;
  for (const effect::Effect &each : list) {
    auto *fence = std::get_if<Fence>(&each.what);
    if (!fence)
      continue;
    initFence |=
        fence->kind == Fence::MbarrierInit || fence->kind == Fence::ProxyAsync;
    products |= fence->kind == Fence::Wgmma;
    memory |= fence->kind == Fence::Memory;
    map |= fence->kind == Fence::TensormapAcquire;
  }
  Order now(agent);
  if (machine.views) {
    if (initFence && now.publishedBarriers != agent.newBarriers.size())
      wrong("declares a fence that shows the barriers which its warp has "
            "initialised to the async proxy, and does not show them");
    // Barriers that are initialised anew were not seen before.
    if (!initFence && now.publishedBarriers > order.publishedBarriers)
      wrong("shows barriers to the async proxy, and declares no fence");
  }
  if (products ? !now.productFence : now.productFence && !order.productFence)
    wrong(products ? "declares wgmma.fence, and is none"
                   : "is a wgmma.fence, and declares none");
  if (!agent.knowledge)
    return;
  bool learns = llvm::any_of(
           list, [](const effect::Effect &each) { return acquires(each); }),
       tells = llvm::any_of(
           list, [](const effect::Effect &each) { return releases(each); });
  if (arrivals[&agent].published && !tells)
    wrong("releases what its threads have done, and declares no release");
  for (int c = 0; c < 2; ++c) {
    if (!(c == 0 ? agent.lanes() & 1 : agent.lanes() >> 1))
      continue;
    const Knowledge &thread = agent.knowledge->classes[c];
    const Order::Class &old = order.classes[c];
    // What others have done: of its own it knows by doing it.
    if (!learns)
      for (auto &cta : agent.cta.cluster.ctas)
        for (auto &other : cta->agents)
          for (const Knowledge &source : other->knowledge->classes)
            if (other.get() != &agent && thread.known.get(source.number) >
                                             old.known.get(source.number)) {
              wrong("learns what other warps have done, and declares nothing "
                    "that it acquires");
              return;
            }
    if (products ? !same(thread.product, thread.known)
                 : !same(thread.product, old.product))
      wrong(products ? "declares wgmma.fence, and does not order the registers"
                     : "orders registers for products, and declares no fence");
    if (map != (thread.acquiredMaps.size() > old.acquiredMaps.size() ||
                llvm::any_of(thread.acquiredMaps, [&](const auto &entry) {
                  auto before = old.acquiredMaps.find(entry.first);
                  return before == old.acquiredMaps.end() ||
                         !same(entry.second, before->second) ||
                         (map && entry.second.includes(thread.known));
                })))
      wrong(map ? "declares an acquire of a map, and acquires none"
                : "acquires a map, and declares no fence");
    if (!memory && !same(thread.released, old.released))
      wrong("is a fence, and declares none");
    for (const effect::Effect &each : list)
      if (auto *fence = std::get_if<Fence>(&each.what);
          fence && fence->kind == Fence::Memory) {
        bool both = fence->sem == Sem::AcqRel || fence->sem == Sem::SeqCst;
        if ((both || fence->sem == Sem::Acquire) &&
            !thread.known.includes(thread.pending))
          wrong("declares an acquire, and does not learn what relaxed reads "
                "have met");
        if ((both || fence->sem == Sem::Release) &&
            (thread.now == old.now || !thread.released.includes(old.known)))
          wrong("declares a release, and releases nothing");
      }
  }
}
