//===- Needs.cpp - fences that are missing, and where they may stand ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/FenceNeeds.h"

#include "../Search/Bounds.h"
#include "../Search/Execution.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

std::optional<unsigned> FenceNeeds::placeOf(Operation *op) {
  auto [found, fresh] = places.try_emplace(op, -1);
  if (fresh)
    if (auto number = op->getAttrOfType<IntegerAttr>(placeName))
      found->second = number.getInt();
  return found->second < 0 ? std::nullopt : std::optional(found->second);
}

void FenceNeeds::add(FenceNeed need) {
  llvm::sort(need.options);
  need.options.erase(llvm::unique(need.options), need.options.end());
  if (known.insert(need.options).second)
    list.push_back(std::move(need));
}

llvm::SmallVector<FenceType, 3> titan::proxyFencesOf(MemorySpace space) {
  static constexpr std::pair<FenceSpace, FenceType> all[] = {
      {FenceSpace::SharedCta, FenceType::ProxySharedCta},
      {FenceSpace::SharedCluster, FenceType::ProxySharedCluster},
      {FenceSpace::Global, FenceType::ProxyGlobal},
      {FenceSpace::All, FenceType::ProxyAll}};
  llvm::SmallVector<FenceType, 3> types;
  for (auto [fence, type] : all)
    if (fenceCovers(fence, space))
      types.push_back(type);
  return types;
}

//===----------------------------------------------------------------------===//
// Places that a run has passed
//===----------------------------------------------------------------------===//

// An agent's event number i has tick i + 2.

void Execution::placesBetween(
    uint32_t a, int lane, uint32_t after, uint32_t before,
    llvm::function_ref<void(unsigned place, const Event &)> each) const {
  const std::vector<Event> &events = program.programs[a].events;
  for (uint32_t i = after < 1 ? 0 : after - 1;
       i + 2 < before && i < events.size(); ++i)
    if (events[i].lanes >> lane & 1)
      if (auto place = report.fences->placeOf(events[i].op))
        each(*place, events[i]);
}

void Execution::remember(uint32_t a, const Event &event) {
  const AgentProgram &code = program.programs[a];
  bool waits = false;
  for (uint32_t i = 0; i < event.count; ++i)
    switch (code.actions[event.first + i].kind) {
    case Action::WaitGroup:
    case Action::WaitFlag:
    case Action::WaitBarrier:
    case Action::ThreadBarrier:
      waits = true;
      break;
    case Action::Fence:
      waits |=
          std::get<effect::Fence>(code.actions[event.first + i].effect->what)
              .kind == effect::Fence::Memory;
      break;
    default:
      break;
    }
  if (!waits)
    return;
  auto &learned = agents[a].learned;
  // What was told so long ago is taken to be told now.
  static constexpr size_t most = bound::waitsRemembered;
  if (learned.size() == most)
    learned.erase(learned.begin(), learned.begin() + most / 2);
  learned.push_back({agents[a].tick, {agents[a].clock[0], agents[a].clock[1]}});
}

uint32_t Execution::knownSince(
    uint32_t a, llvm::function_ref<bool(const Clock *const *)> known) const {
  const auto &learned = agents[a].learned;
  uint32_t since = 1;
  for (const Agent::Learned &then : llvm::reverse(learned)) {
    const Clock *clocks[2] = {&then.clock[0], &then.clock[1]};
    if (!known(clocks)) {
      // It was told between two waits.
      since = since == 1 ? then.tick : since;
      break;
    }
    since = then.tick;
  }
  return since;
}

//===----------------------------------------------------------------------===//
// Needs
//===----------------------------------------------------------------------===//

void Execution::missingFence(const Conflicts::Missing &missing) {
  const AccessRecord &x = missing.x, &y = missing.y;
  FenceNeeds &needs = *report.fences;
  if (!needs.wanted(missing.code))
    return;
  const Agent &second = agents[y.agent];
  auto begin = [&] {
    return FenceNeed{
        missing.code, x.event->op->getLoc(), y.event->op->getLoc(), {}};
  };
  auto addPlaces = [&](FenceNeed &need, uint32_t agent, int lane,
                       uint32_t after, uint32_t before,
                       llvm::ArrayRef<FenceType> types) {
    placesBetween(agent, lane, after, before,
                  [&](unsigned place, const Event &event) {
                    for (FenceType type : types)
                      if (type != FenceType::Wgmma || event.lanes == AllLanes)
                        need.options.push_back({place, type});
                    if (agent == y.agent)
                      need.last = place;
                  });
  };
  auto mine = [](const AccessRecord &access, int lane) {
    return access.lanes >> lane & 1;
  };
  // Up to when Y's lane knows what X's lane has done.
  auto told = [&](int c, int d) {
    return x.agent == y.agent && c == d
               ? y.tick
               : (*missing.view.clock[d])[shape.time(x.agent, c)];
  };
  // Since when Y's lane knows of X.
  auto since = [&](int d) {
    if (x.agent == y.agent && !x.mechanism && x.lanes == y.lanes)
      return x.tick;
    return knownSince(y.agent, [&](const Clock *const *clocks) {
      return x.mechanism ? Conflicts::reached(x.done, *clocks[d]) ||
                               Conflicts::reached(x.sourceRead, *clocks[d]) ||
                               Conflicts::reached(x.whole, *clocks[d])
                         : conflicts.before(x, *clocks[d]);
    });
  };

  // Of a warp that has acted as one, one lane's release is enough.
  auto released = [&](const Clock &clock) {
    unsigned lanes = 0;
    for (int c : {electedClass, othersClass})
      if (mine(x, c) && clock[shape.mapRelease(x.agent, c)] >= x.tick)
        lanes |= 1 << c;
    return x.warpWide ? lanes != 0 : lanes == x.lanes;
  };
  // Since when it knows that the map has been released.
  auto releaseKnown = [&](int d) {
    uint32_t own = 0;
    for (int c : {electedClass, othersClass})
      if (x.agent == y.agent && mine(x, c))
        own = std::max(own, second.ownMapRelease[c]);
    if (own)
      return own;
    return knownSince(y.agent, [&](const Clock *const *clocks) {
      return released(*clocks[d]);
    });
  };

  if (missing.orderedBy) {
    FenceNeed need = begin();
    addPlaces(need, y.agent, electedClass,
              knownSince(y.agent, missing.orderedBy), y.tick, FenceType::Wgmma);
    needs.add(std::move(need));
    return;
  }
  for (int d : {electedClass, othersClass}) {
    if (!mine(y, d))
      continue;
    switch (missing.fence) {
    case ProxyFence::None:
      break;
    case ProxyFence::ByFirst:
    case ProxyFence::ByEither: {
      auto types = proxyFencesOf(x.space);
      FenceNeed issuer = begin();
      if (missing.fence == ProxyFence::ByEither)
        addPlaces(issuer, y.agent, d, since(d), y.tick, proxyFencesOf(y.space));
      if (x.mechanism) {
        needs.add(std::move(issuer));
        break;
      }
      for (int c : {electedClass, othersClass}) {
        bool fenced =
            (*missing.view.clock[d])[shape.fence(x.agent, c, x.space)] >
                x.tick ||
            (x.agent == y.agent && c == d &&
             missing.view.ownFence[c][x.space] > x.tick);
        if (!mine(x, c) || fenced)
          continue;
        FenceNeed need = issuer;
        addPlaces(need, x.agent, c, x.tick, told(c, d), types);
        needs.add(std::move(need));
      }
      break;
    }
    case ProxyFence::ByObserver: {
      FenceNeed need = begin();
      addPlaces(need, y.agent, d, since(d), y.tick, proxyFencesOf(y.space));
      needs.add(std::move(need));
      break;
    }
    case ProxyFence::TensormapReleaseAcquire: {
      bool asked = false;
      bool known = x.agent != y.agent && released(*missing.view.clock[d]);
      for (int c : {electedClass, othersClass}) {
        if (!mine(x, c) || x.mechanism || known)
          continue;
        if ((x.agent == y.agent
                 ? second.ownMapRelease[c]
                 : (*missing.view.clock[d])[shape.mapRelease(x.agent, c)]) >=
            x.tick)
          continue;
        asked = true;
        FenceNeed need = begin();
        addPlaces(need, x.agent, c, x.tick, told(c, d),
                  FenceType::TensormapRelease);
        needs.add(std::move(need));
      }
      if (asked)
        break;
      FenceNeed need = begin();
      addPlaces(need, y.agent, d, releaseKnown(d), y.tick,
                FenceType::TensormapAcquire);
      needs.add(std::move(need));
      break;
    }
    }
  }
}

void Execution::missingAcquire(uint32_t a, int lane, const Event &event) {
  FenceNeed need{Code::TensormapAcquireMissing,
                 event.op->getLoc(),
                 event.op->getLoc(),
                 {}};
  placesBetween(a, lane, 1, agents[a].tick, [&](unsigned place, const Event &) {
    need.options.push_back({place, FenceType::TensormapAcquire});
    need.last = place;
  });
  report.fences->add(std::move(need));
}

void Execution::missingProductFence(uint32_t a, const Event &event,
                                    Operation *other, int64_t defined) {
  FenceNeed need{Code::MmaFence,
                 other ? other->getLoc() : event.op->getLoc(),
                 event.op->getLoc(),
                 {}};
  const AgentProgram &code = program.programs[a];
  // Registers that the program has had last, by what it did with them.
  uint32_t after = 1;
  if (defined < 0 && agents[a].lastRegisters)
    after = agents[a].lastRegisters - code.events.data() + 2;
  placesBetween(a, electedClass, after, agents[a].tick,
                [&](unsigned place, const Event &at) {
                  if (at.lanes != AllLanes ||
                      code.actions[at.first].amount < defined)
                    return;
                  need.options.push_back({place, FenceType::Wgmma});
                  need.last = place;
                });
  report.fences->add(std::move(need));
}

void Execution::missingInitFence(uint32_t a, int lane, const Event &event,
                                 const Barrier &barrier, bool peer) {
  uint32_t w = barrier.initAgent, t = barrier.initTick;
  const Clock &clock = agents[a].clock[lane];
  for (int c : {electedClass, othersClass}) {
    bool own = w == a && c == lane && c == electedClass;
    if (!(barrier.initLanes >> c & 1) || clock[shape.init(w, c)] > t ||
        (own && agents[a].ownInit[c] > t))
      continue;
    if (!peer && (clock[shape.fence(w, c, MemorySpace::SharedOwn)] > t ||
                  (own && agents[a].ownFence[c][MemorySpace::SharedOwn] > t)))
      continue;
    // A relaxed arrival of the cluster's barrier tells nothing but the fence.
    uint32_t told =
        own ? agents[a].tick
            : std::max(clock[shape.time(w, c)], clock[shape.acted(w, c)]);
    FenceNeed need{Code::BarrierInitFence,
                   barrier.initEvent->op->getLoc(),
                   event.op->getLoc(),
                   {}};
    placesBetween(w, c, t, told, [&](unsigned place, const Event &) {
      need.options.push_back({place, FenceType::MbarrierInit});
      if (!peer)
        for (FenceType type : proxyFencesOf(MemorySpace::SharedOwn))
          need.options.push_back({place, type});
      need.last = place;
    });
    report.fences->add(std::move(need));
  }
}
