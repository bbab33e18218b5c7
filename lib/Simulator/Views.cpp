//===- Views.cpp - who knows of which write, with hazards off -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/Views.h"
#include "titan/Simulator/Machine.h"

#include <algorithm>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

//===----------------------------------------------------------------------===//
// Viewers
//===----------------------------------------------------------------------===//

Viewer::Viewer(Views &views, Proxy proxy)
    : views(views), proxy(proxy), salt(++views.viewers) {}

bool Viewer::knows(uint32_t source, uint32_t time) const {
  return llvm::all_of(
      clocks, [&](const Clock *clock) { return clock->get(source) >= time; });
}

bool Viewer::knowsOne(ArrayRef<uint32_t> sources, uint32_t time) const {
  return llvm::all_of(clocks, [&](const Clock *clock) {
    return llvm::any_of(
        sources, [&](uint32_t source) { return clock->get(source) >= time; });
  });
}

bool Viewer::knows(EventId id) const {
  if (id == 0)
    return true;
  const Views::Event &event = views.events[id];
  if (event.strong && isStrong)
    return true;
  uint32_t time = event.time;
  if (proxy != Proxy::Generic && event.proxy == Proxy::Generic) {
    const Knowledge *thread = views.threads[event.source];
    // Published maps are released to the tensormap proxy, and to no other.
    if (!thread)
      return proxy == Proxy::Tensormap && knows(event.source, time);
    const auto &fences = proxy == Proxy::Tensormap
                             ? thread->mapReleases
                             : thread->fences[event.space];
    auto fence = std::lower_bound(fences.begin(), fences.end(), time);
    if (fence == fences.end())
      return false;
    time = *fence;
  }
  return knows(event.source, time);
}

bool Viewer::missesAndSeesOld(EventId event) {
  if (event != last) {
    last = event;
    // What was never fenced stays in its own proxy's view; what was never
    // acquired is not in that of the tensormap proxy.
    bool otherView =
        proxy == Proxy::Tensormap ||
        (proxy == Proxy::Async && views.events[event].proxy == Proxy::Generic &&
         !views.isFenced(event));
    lastOld = event != 0 && !knows(event) &&
              (otherView || views.showsOld(event, salt));
  }
  return lastOld;
}

//===----------------------------------------------------------------------===//
// Sources and events
//===----------------------------------------------------------------------===//

/// For which there is room in the clocks of its cluster: two classes, the maps
/// that it publishes, and streams.
static constexpr uint32_t sourcesOfWarp = 8;

WarpKnowledge &Views::of(Agent &agent) { return *agent.knowledge; }

void Views::start(Cluster &cluster) {
  uint32_t base = threads.size(), next = base;
  size_t reserved = 0;
  Machine &machine = cluster.ctas.front()->machine;
  for (const Allocation &allocation : machine.program.allocations)
    if (allocation.barriers)
      reserved += allocation.bytes / 8;
  for (auto &cta : cluster.ctas)
    next += sourcesOfWarp * cta->agents.size() + reserved;
  size_t count = next - base;
  threads.resize(next);
  next = base;
  for (auto &cta : cluster.ctas) {
    for (auto &agent : cta->agents) {
      warps.push_back(std::make_unique<WarpKnowledge>());
      WarpKnowledge &warp = *warps.back();
      agent->knowledge = &warp;
      for (Knowledge &thread : warp.classes) {
        thread.number = next++;
        thread.known = Clock(base, count);
        threads[thread.number] = &thread;
      }
      warp.maps = next++;
    }
    uint32_t end = next + reserved + (sourcesOfWarp - 3) * cta->agents.size();
    freeSources[cta.get()] = {next, end};
    next = end;
  }
}

void Views::end(Cluster &cluster) {
  for (auto &cta : cluster.ctas) {
    // Of its threads only the fences may still be asked for.
    for (auto &agent : cta->agents)
      for (Knowledge &thread : agent->knowledge->classes) {
        thread.known = thread.pending = thread.released = thread.releasedWide =
            thread.product = Clock();
        thread.acquiredMaps.clear();
      }
    std::erase_if(locations, [&](auto &entry) {
      return entry.first.first == cta->number + 1;
    });
    freeSources.erase(cta.get());
  }
  clusters.erase(&cluster);
}

EventId Views::generic(Knowledge &thread, MemorySpace space) {
  if (thread.currentTime[space] != thread.now) {
    thread.currentTime[space] = thread.now;
    thread.current[space] = events.size();
    events.push_back({thread.number, thread.now, Proxy::Generic, false, space});
    thread.known.raise(thread.number, thread.now);
  }
  return thread.current[space];
}

EventId Views::strong(Knowledge &thread, MemorySpace space) {
  events.push_back({thread.number, thread.now, Proxy::Generic, true, space});
  thread.known.raise(thread.number, thread.now);
  return events.size() - 1;
}

EventId Views::async(uint32_t source, uint32_t time) {
  events.push_back({source, time, Proxy::Async, false, MemorySpace::Global});
  return events.size() - 1;
}

EventId Views::publishMap(WarpKnowledge &warp) {
  events.push_back({warp.maps, ++warp.published, Proxy::Generic, false,
                    MemorySpace::Global});
  for (Knowledge &thread : warp.classes)
    thread.known.raise(warp.maps, warp.published);
  return events.size() - 1;
}

bool Views::isFenced(EventId id) const {
  const Event &event = events[id];
  if (!threads[event.source])
    return false;
  const auto &fences = threads[event.source]->fences[event.space];
  return !fences.empty() && fences.back() >= event.time;
}

bool Views::showsOld(EventId event, uint64_t salt) const {
  if (schedule.kind == Schedule::Eager || schedule.kind == Schedule::Lazy)
    return schedule.kind == Schedule::Eager;
  uint64_t z = (schedule.seed * 0x9e3779b97f4a7c15 + event) ^ salt << 32;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (z ^ (z >> 31)) & 1;
}

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

/// Calls `visit` for each class of the warp that has one of the lanes.
template <typename Visit>
static void forEachClass(Agent &agent, LaneMask lanes, Visit &&visit) {
  WarpKnowledge &warp = Views::of(agent);
  if (lanes & 1)
    visit(warp.classes[0]);
  if (lanes >> 1)
    visit(warp.classes[1]);
}

Clock Views::publish(Agent &agent, LaneMask lanes) {
  Clock result;
  forEachClass(agent, lanes, [&](Knowledge &thread) {
    thread.known.raise(thread.number, thread.now++);
    result.join(thread.known);
  });
  return result;
}

void Views::acquire(Agent &agent, LaneMask lanes, const Clock &clock) {
  forEachClass(agent, lanes,
               [&](Knowledge &thread) { thread.known.join(clock); });
}

const WarpKnowledge::Streams &Views::stream(Agent &agent, Mechanism mechanism,
                                            int threadClass) {
  const MechanismInfo &info = mechanismInfo(mechanism);
  if (info.waiter != Waiter::CommittingThread)
    threadClass = 0;
  auto [found, isNew] = of(agent).streams.try_emplace({mechanism, threadClass});
  if (isNew) {
    found->second.write = newSource(agent.cta);
    found->second.read =
        info.hasReadWait ? newSource(agent.cta) : found->second.write;
  }
  return found->second;
}

void Views::learn(Agent &agent, Mechanism mechanism, uint64_t upTo,
                  bool sourcesOnly) {
  bool own = mechanismInfo(mechanism).waiter == Waiter::CommittingThread;
  for (int c = 0; c < 2; ++c) {
    if (own && !(c ? agent.lanes() >> 1 : agent.lanes() & 1))
      continue;
    const WarpKnowledge::Streams &streams = stream(agent, mechanism, c);
    Knowledge &thread = of(agent).classes[c];
    thread.known.raise(streams.read, upTo);
    if (!sourcesOnly)
      thread.known.raise(streams.write, upTo);
  }
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

uint32_t Views::newSource(const Cta &cta) {
  auto &[next, end] = freeSources.at(&cta);
  if (next != end)
    return next++;
  threads.push_back(nullptr);
  return threads.size() - 1;
}

void Views::init(Cta &cta, MBarrier &barrier) {
  barrier.source = newSource(cta);
}

void Views::arrive(Agent &agent, Cta &owner, MBarrier &barrier, bool release,
                   MemoryScope scope) {
  bool peer = &owner != &agent.cta;
  Clock &to = peer ? barrier.gathering.peers : barrier.gathering.own;
  if (release && narrow && peer && scope == MemoryScope::Cta)
    return;
  if (release)
    to.join(publish(agent, agent.lanes()));
  else
    forEachClass(agent, agent.lanes(),
                 [&](Knowledge &thread) { to.join(thread.released); });
}

void Views::phaseCompleted(MBarrier &barrier) {
  barrier.complete = std::exchange(barrier.gathering, {});
  barrier.complete.own.raise(barrier.source, barrier.phase);
}

void Views::waited(Agent &agent, MBarrier &barrier, bool acquire,
                   MemoryScope scope) {
  bool peers = !narrow || scope != MemoryScope::Cta;
  forEachClass(agent, agent.lanes(), [&](Knowledge &thread) {
    Clock &to = acquire ? thread.known : thread.pending;
    to.join(barrier.complete.own);
    if (peers)
      to.join(barrier.complete.peers);
  });
}

void Views::syncWarp(Agent &agent) {
  acquire(agent, everyLane, publish(agent, everyLane));
}

void Views::arriveNamed(Agent &agent, NamedBarrier &barrier, bool last) {
  barrier.gathering.join(publish(agent, everyLane));
  if (!last)
    return;
  barrier.complete[barrier.round % 4] = std::move(barrier.gathering);
  barrier.gathering = Clock();
}

void Views::waitNamed(Agent &agent, NamedBarrier &barrier, uint64_t round) {
  acquire(agent, everyLane, barrier.complete[round % 4]);
}

void Views::arriveCluster(Agent &agent, bool relaxed) {
  Cluster &cluster = agent.cta.cluster;
  Clock &gathering = clusters[&cluster].gathering[cluster.round % 2];
  // Of the round before the last nothing is needed any more.
  if (cluster.arrived == 0)
    gathering = Clock();
  if (!relaxed)
    gathering.join(publish(agent, everyLane));
  else
    forEachClass(agent, everyLane, [&](Knowledge &thread) {
      gathering.join(thread.releasedWide);
    });
}

void Views::waitCluster(Agent &agent, uint64_t round) {
  acquire(agent, everyLane, clusters[&agent.cta.cluster].gathering[round % 2]);
}

//===----------------------------------------------------------------------===//
// Fences and flags
//===----------------------------------------------------------------------===//

void Views::fence(Agent &agent, MemorySem sem, MemoryScope scope) {
  forEachClass(agent, agent.lanes(), [&](Knowledge &thread) {
    if (sem != MemorySem::Release)
      thread.known.join(thread.pending);
    if (sem == MemorySem::Acquire)
      return;
    thread.known.raise(thread.number, thread.now++);
    thread.released = thread.known;
    if (scope != MemoryScope::Cta)
      thread.releasedWide = thread.known;
  });
}

void Views::fenceProxyAsync(Agent &agent, FenceSpace space) {
  forEachClass(agent, agent.lanes(), [&](Knowledge &thread) {
    for (const MemorySpaceInfo &each : memorySpaces())
      if (fenceCovers(space, each.space))
        thread.fences[each.space].push_back(thread.now);
    thread.known.raise(thread.number, thread.now++);
  });
}

void Views::fenceProducts(Agent &agent) {
  forEachClass(agent, everyLane,
               [&](Knowledge &thread) { thread.product = thread.known; });
}

void Views::releaseMaps(Agent &agent) {
  forEachClass(agent, agent.lanes(), [&](Knowledge &thread) {
    thread.mapReleases.push_back(thread.now);
    thread.known.raise(thread.number, thread.now++);
  });
}

void Views::acquireMap(Agent &agent, uint64_t address) {
  forEachClass(agent, agent.lanes(), [&](Knowledge &thread) {
    Clock &acquired = thread.acquiredMaps[address];
    acquired = thread.known;
    // What the warp itself has released it need not be told of.
    for (const Knowledge &own : of(agent).classes)
      if (!own.mapReleases.empty())
        acquired.raise(own.number, own.mapReleases.back());
  });
}

void Views::oldMap(Agent &agent, uint64_t address, Memory &memory,
                   std::vector<OldByte> &to) {
  const auto &maps = of(agent).classes[0].acquiredMaps;
  auto acquired = maps.find(address);
  Clock nothing;
  Viewer viewer(*this, Proxy::Tensormap,
                acquired == maps.end() ? nothing : acquired->second);
  memory.oldBytes(address, std::tuple_size_v<TmaDescriptor>, viewer, to);
}

void Views::readLocation(Agent &agent, Location key, bool acquire,
                         MemoryScope scope) {
  auto found = locations.find(key);
  if (found == locations.end())
    return;
  const Released &released = found->second;
  if (narrow && released.cta != agent.cta.number &&
      (scope == MemoryScope::Cta || released.scope == MemoryScope::Cta))
    return;
  forEachClass(agent, agent.lanes(), [&](Knowledge &thread) {
    (acquire ? thread.known : thread.pending).join(released.clock);
  });
}

void Views::writeLocation(Agent &agent, Location key, bool release,
                          bool continues, MemoryScope scope) {
  Released &released = locations[key];
  // A plain store begins a new chain; an atomic continues the old one.
  if (!continues)
    released.clock = Clock();
  if (release)
    released.clock.join(publish(agent, agent.lanes()));
  else
    forEachClass(agent, agent.lanes(), [&](Knowledge &thread) {
      released.clock.join(thread.released);
    });
  released.scope = scope;
  released.cta = agent.cta.number;
}
