//===- Hazards.cpp - clocks and synchronisation ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Hazards.h"
#include "HazardState.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;
using namespace titan;
using namespace titan::sim;
using State = Hazards::State;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

State::State(Machine &machine) : machine(machine) {
  // Tensors that only reads touch need no records.
  written.resize(machine.arguments.size());
  std::map<uint32_t, unsigned> tensorOf, mapOf;
  // Where a slot holds one argument or map in the whole kernel.
  auto write = [&](const std::map<uint32_t, unsigned> &of, uint32_t slot) {
    if (auto found = of.find(slot); found != of.end())
      written[found->second] = true;
    else
      written.assign(written.size(), true);
  };
  size_t own = machine.arguments.size();
  for (auto [i, argument] :
       llvm::enumerate(machine.kernel.getBody().getArguments())) {
    uint32_t slot = machine.program.slots.lookup(argument).scalar;
    if (i < own && isa<GlobalType>(argument.getType()))
      tensorOf[slot] = i;
    else if (isa<TensorMapType>(argument.getType()))
      mapOf[slot] = machine.launch.maps[machine.launch.values[i - own]].tensor;
  }
  std::map<uint32_t, unsigned> arrayOf;
  for (const Inst &inst : machine.program.code) {
    if (!isa<TensormapAtOp>(inst.origin))
      continue;
    if (auto found = tensorOf.find(inst.c); found != tensorOf.end())
      mapOf[inst.dst] = found->second;
    if (auto found = tensorOf.find(inst.a); found != tensorOf.end())
      arrayOf[inst.dst] = found->second;
  }
  for (const Inst &inst : machine.program.code) {
    if (isa<TmaStoreOp, TmaReduceOp>(inst.origin))
      write(mapOf, inst.a);
    else if (isa<TensormapCpFenceproxyOp>(inst.origin))
      write(arrayOf, inst.b);
    else if (isa<GlobalStoreOp, FlagSignalOp>(inst.origin) ||
             (isa<StOp, AtomOp>(inst.origin) && inst.table == none))
      write(tensorOf, inst.a);
  }
}

uint32_t State::site(const Agent &agent, const Inst &inst) {
  if (siteAgent != &agent || siteInst != &inst || siteTime != machine.events ||
      sites.empty()) {
    sites.push_back({&inst, agent.who(inst)});
    siteAgent = &agent;
    siteInst = &inst;
    siteTime = machine.events;
  }
  return sites.size() - 1;
}

const effect::EffectList &State::effectsOf(const Inst &inst) {
  auto [entry, isNew] = effects.try_emplace(&inst);
  if (isNew)
    if (auto op = dyn_cast<HardwareEffectsInterface>(inst.origin))
      op.getHardwareEffects(entry->second);
  return entry->second;
}

/// The first effect of that kind; null if the operation has none.
template <typename Effect>
static const Effect *find(const effect::EffectList &list) {
  for (const effect::Effect &each : list)
    if (auto *found = std::get_if<Effect>(&each.what))
      return found;
  return nullptr;
}

/// What the lanes release: their own accesses so far and all they know. The
/// classes' clocks advance.
Clock State::publish(Agent &agent, uint32_t lanes) {
  WarpState &warp = of(agent);
  Clock result;
  for (int c = 0; c < 2; ++c) {
    if (!(c == 0 ? lanes & 1 : lanes >> 1))
      continue;
    ThreadClass &thread = warp.classes[c];
    result.join(thread.known);
    result.raise(thread.number, thread.now++);
  }
  return result;
}

void State::acquire(Agent &agent, uint32_t lanes, const Clock &clock) {
  WarpState &warp = of(agent);
  for (int c = 0; c < 2; ++c)
    if (c == 0 ? lanes & 1 : lanes >> 1)
      warp.classes[c].known.join(clock);
}

void State::eventsOf(Agent &agent, uint32_t lanes, std::vector<HbEvent> &to) {
  WarpState &warp = of(agent);
  for (int c = 0; c < 2; ++c)
    if (c == 0 ? lanes & 1 : lanes >> 1)
      to.push_back({warp.classes[c].number, warp.classes[c].now, allLanes});
}

BarrierClock &State::clockOf(MBarrier &barrier) {
  BarrierClock &clock = barriers[&barrier];
  if (barrier.phase > clock.phase) {
    // The phase could have been over before these bytes were expected.
    for (auto &[event, inst] : clock.current.expects) {
      auto own = clock.current.arrived.find(event.number);
      if ((own == clock.current.arrived.end() || own->second < event.clock) &&
          clock.current.clock.get(event.number) < event.clock)
        machine.find(Code::PhaseAmbiguous,
                     "the barrier can complete its phase before these bytes "
                     "are expected: no arrival comes after them",
                     inst->origin, nullptr, false);
    }
    clock.last = std::move(clock.current);
    clock.current = {};
    clock.phase = barrier.phase;
  }
  return clock;
}

//===----------------------------------------------------------------------===//
// Hazards
//===----------------------------------------------------------------------===//

Hazards::Hazards(Machine &machine) : state(new State(machine)) {}
Hazards::~Hazards() = default;

std::unique_ptr<Hazards> Hazards::create(Machine &machine) {
  return std::unique_ptr<Hazards>(new Hazards(machine));
}

void Hazards::start(Cluster &cluster) {
  uint32_t base = 2 * cluster.ctas.front()->agents.front()->number;
  size_t classes = 0;
  for (auto &cta : cluster.ctas)
    classes += 2 * cta->agents.size();
  for (auto &cta : cluster.ctas)
    for (auto &agent : cta->agents)
      for (int c = 0; c < 2; ++c) {
        ThreadClass &thread = state->of(*agent).classes[c];
        thread.number = 2 * agent->number + c;
        thread.known = Clock(base, classes);
      }
}

void Hazards::end(Cluster &cluster) {
  for (auto &cta : cluster.ctas) {
    auto chunks = state->shadow.find(&cta->shared);
    if (chunks != state->shadow.end()) {
      for (auto &[chunk, head] : chunks->second)
        for (uint32_t at = head; at != none;) {
          uint32_t next = state->records[at].next;
          state->records[at].next = state->freeRecord;
          state->freeRecord = at;
          at = next;
        }
      state->shadow.erase(chunks);
    }
    for (auto &[address, barrier] : cta->barriers)
      state->barriers.erase(&barrier);
    // Of its threads only the fences may still be asked for.
    for (auto &agent : cta->agents) {
      WarpState &warp = state->of(*agent);
      warp.products.clear();
      warp.lastWait.clear();
      for (ThreadClass &thread : warp.classes) {
        thread.known = thread.released = thread.releasedWide = thread.pending =
            thread.product = Clock();
        for (Clock &clock : thread.atFence)
          clock = Clock();
        thread.mapAcquires.clear();
      }
    }
    for (int64_t id = 0; id < 16; ++id)
      state->named.erase({cta->number, id});
    std::erase_if(state->locations, [&](auto &entry) {
      return entry.first.first == cta->number + 1;
    });
  }
  state->clusters.erase(&cluster);
  state->siteAgent = nullptr;
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

void Hazards::init(Agent &agent, const Inst &inst, MBarrier &barrier) {
  ThreadClass &thread = state->of(agent).classes[0];
  BarrierClock &clock = state->barriers[&barrier];
  if (clock.invalSite != none &&
      !State::knows(Actor{&thread, &thread.known, 0}, clock.inval)) {
    const Site &other = state->siteAt(clock.invalSite);
    state->machine.find(
        Code::BarrierLive,
        "initialises " + state->machine.nameOf(agent.cta, barrier) +
            ", and nothing orders that after the end of its life before: " +
            agent.who(inst),
        inst.origin, &agent, false,
        {{other.inst->origin->getLoc(), "invalidated here by " + other.who}});
  }
  clock = BarrierClock();
  clock.init = {thread.number, thread.now, 0};
  clock.initSite = state->site(agent, inst);
  clock.initCta = agent.cta.number;
  clock.seenBy.insert(thread.number);
}

/// MM-51: the barrier's initialisation is before its use.
void State::needInit(Agent &agent, const Inst &inst, Cta &owner,
                     MBarrier &barrier, bool byAsync) {
  BarrierClock &clock = clockOf(barrier);
  ThreadClass &user = of(agent).classes[agent.elected ? 0 : 1];
  bool peer = &owner != &agent.cta;
  uint32_t key = user.number * 2 + (byAsync || peer);
  if (byAsync || peer || user.number != clock.init.number) {
    if (!clock.seenBy.insert(key | 1u << 31).second)
      return;
  } else {
    return;
  }
  Actor actor{&user, &user.known, static_cast<uint8_t>(agent.elected ? 0 : 1)};
  const char *why = nullptr;
  WarpState &initialiser = warps[clock.init.number / 2];
  const ThreadClass &thread = initialiser.classes[0];
  auto fencedBy = [&](const std::vector<uint32_t> &fences) {
    auto first =
        std::lower_bound(fences.begin(), fences.end(), clock.init.clock);
    if (first == fences.end())
      return false;
    auto known = of(agent).initKnown.find(clock.init.number);
    return knows(actor, {clock.init.number, *first, 0}) ||
           (known != of(agent).initKnown.end() && known->second >= *first);
  };
  auto relaxedPath = of(agent).initKnown.find(clock.init.number);
  bool path =
      knows(actor, clock.init) || (relaxedPath != of(agent).initKnown.end() &&
                                   relaxedPath->second >= clock.init.clock);
  if (!path)
    why = "nothing orders the initialisation before it";
  else if (peer && !fencedBy(thread.initFences))
    why = "the initialising thread has executed no fence.mbarrier_init";
  else if (byAsync && !peer && !fencedBy(thread.initFences) &&
           !fencedBy(thread.fences[static_cast<int>(MemorySpace::SharedOwn)]))
    why = "the initialising thread has executed neither fence.mbarrier_init "
          "nor fence.proxy.async";
  if (!why)
    return;
  const Site &other = siteAt(clock.initSite);
  machine.find(
      Code::BarrierInitFence,
      llvm::formatv("uses {0}, but {1}: {2}", machine.nameOf(owner, barrier),
                    why, agent.who(inst)),
      inst.origin, &agent, false,
      {{other.inst->origin->getLoc(), "initialised here by " + other.who}});
}

void Hazards::barrier(Agent &agent, const Inst &inst, Cta &owner,
                      MBarrier &barrier) {
  state->needInit(agent, inst, owner, barrier, false);
  if (isa<MBarrierInvalOp>(inst.origin))
    return invalidate(agent, inst, barrier);
  if (find<effect::WaitBarrier>(state->effectsOf(inst)))
    return;
  use(agent, inst, barrier);
  BarrierClock &clock = state->clockOf(barrier);
  std::vector<HbEvent> events;
  state->eventsOf(agent, agent.lanes(), events);
  // Bytes that no copy has been issued for hold the phase open.
  bool open = barrier.transactions > 0 && clock.current.ops.empty();
  if (find<effect::ExpectTx>(state->effectsOf(inst)) && !open)
    for (const HbEvent &event : events)
      clock.current.expects.push_back({event, &inst});
  const auto *arrive = find<effect::Arrive>(state->effectsOf(inst));
  if (!arrive)
    return;
  for (const HbEvent &event : events)
    clock.current.arrived[event.number] = event.clock;
  // MM-57: somebody has seen that this phase has begun.
  if (barrier.phase > 0 && clock.last.observers.empty())
    state->machine.find(
        Code::BarrierUnobserved,
        llvm::formatv("arrives in phase {0} of {1}, and no wait has seen phase "
                      "{2} complete: {3}",
                      barrier.phase, state->machine.nameOf(owner, barrier),
                      barrier.phase - 1, agent.who(inst)),
        inst.origin, &agent, false);
  if (arrive->sem == effect::Sem::Relaxed) {
    // A release fence before it, and the arrive, release together (MM-21).
    Scope scope = arrive->scope;
    bool fenced = false;
    for (int c = 0; c < 2; ++c)
      if (c == 0 ? agent.lanes() & 1 : agent.lanes() >> 1) {
        const ThreadClass &thread = state->of(agent).classes[c];
        clock.current.clock.join(thread.released);
        if (thread.released.empty())
          continue;
        scope = std::min(scope, thread.releasedScope);
        fenced = true;
      }
    if (fenced)
      clock.current.releases.push_back({scope,
                                        static_cast<uint32_t>(agent.cta.number),
                                        state->site(agent, inst)});
    return;
  }
  clock.current.clock.join(state->publish(agent, agent.lanes()));
  clock.current.releases.push_back({arrive->scope,
                                    static_cast<uint32_t>(agent.cta.number),
                                    state->site(agent, inst)});
}

void State::checkScope(Scope release, Scope acquire, uint32_t site,
                       Agent &agent, const Inst &inst) {
  auto code = scopeProblem(release, acquire, Relation::OtherCta,
                           /*sameCluster=*/true);
  if (!code)
    return;
  const Site &other = siteAt(site);
  machine.find(*code,
               "an arrive of another CTA, with its fence, and this do not both "
               "name the cluster's scope: " +
                   agent.who(inst),
               inst.origin, &agent, false,
               {{other.inst->origin->getLoc(), "the arrive, by " + other.who}});
}

void Hazards::use(Agent &agent, const Inst &inst, MBarrier &barrier) {
  BarrierClock &clock = state->clockOf(barrier);
  std::vector<HbEvent> events;
  state->eventsOf(agent, agent.lanes(), events);
  for (const HbEvent &event : events)
    clock.uses[event.number] = {event, &inst};
}

/// MM-52: the end of a life is after all uses.
void Hazards::invalidate(Agent &agent, const Inst &inst, MBarrier &barrier) {
  BarrierClock &clock = state->clockOf(barrier);
  ThreadClass &thread = state->of(agent).classes[0];
  Actor actor{&thread, &thread.known, 0};
  const Inst *other = nullptr;
  for (auto &[number, use] : clock.uses)
    if (number != thread.number && !State::knows(actor, use.first))
      other = use.second;
  for (const auto *phase : {&clock.last, &clock.current})
    for (uint32_t op : phase->ops)
      if (!llvm::any_of(state->ops[op].done, [&](const HbEvent &event) {
            return State::knows(actor, event);
          }))
        other = state->siteAt(state->ops[op].site).inst;
  if (other)
    state->machine.find(
        Code::BarrierLive,
        "invalidates " + state->machine.nameOf(agent.cta, barrier) +
            ", and nothing orders that after a use of it: " + agent.who(inst),
        inst.origin, &agent, false, {{other->origin->getLoc(), "used here"}});
  clock.inval = {thread.number, thread.now, 0};
  clock.invalSite = state->site(agent, inst);
}

void Hazards::waited(Agent &agent, const Inst &inst, Cta &owner,
                     MBarrier &barrier) {
  const auto *wait = find<effect::WaitBarrier>(state->effectsOf(inst));
  if (!wait)
    return;
  WarpState::Wait &last = state->of(agent).lastWait[&barrier];
  last = {&inst, barrier.phase,
          last.inst ? last.phases == barrier.phase : barrier.phase == 0};
  if (barrier.phase == 0)
    return;
  use(agent, inst, barrier);
  BarrierClock &clock = state->clockOf(barrier);
  for (const auto &release : clock.last.releases) {
    if (release.cta == agent.cta.number)
      continue;
    if (wait->sem != effect::Sem::Relaxed)
      state->checkScope(release.scope, wait->scope, release.site, agent, inst);
    else
      for (ThreadClass &thread : state->of(agent).classes)
        thread.pendingFrom.push_back(
            {release.scope, wait->scope, release.site});
  }
  uint32_t lanes = agent.lanes();
  if (wait->sem != effect::Sem::Relaxed)
    state->acquire(agent, lanes, clock.last.clock);
  else
    for (ThreadClass &thread : state->of(agent).classes)
      thread.pending.join(clock.last.clock);
  state->eventsOf(agent, lanes, clock.last.observers);
  if (wait->sem == effect::Sem::Relaxed) {
    for (ThreadClass &thread : state->of(agent).classes)
      thread.pendingOps.insert(thread.pendingOps.end(), clock.last.ops.begin(),
                               clock.last.ops.end());
    return;
  }
  for (uint32_t op : clock.last.ops) {
    // Once a class is enough.
    std::vector<HbEvent> events;
    state->eventsOf(agent, lanes, events);
    for (HbEvent event : events)
      if (!llvm::any_of(state->ops[op].done, [&](const HbEvent &known) {
            return known.number == event.number;
          }))
        state->ops[op].done.push_back(event);
  }
}

//===----------------------------------------------------------------------===//
// Barriers of threads
//===----------------------------------------------------------------------===//

void Hazards::syncWarp(Agent &agent) {
  state->acquire(agent, ~0u, state->publish(agent, ~0u));
}

void Hazards::arriveNamed(Agent &agent, const Inst &inst,
                          NamedBarrier &barrier) {
  State::Round &round = state->named[{agent.cta.number, inst.imm}];
  round.gathering.join(state->publish(agent, ~0u));
  if (barrier.count == barrier.threads) {
    round.complete[barrier.round % 4] = std::move(round.gathering);
    round.gathering = Clock();
  }
}

void Hazards::waitNamed(Agent &agent, const Inst &inst, uint64_t number) {
  State::Round &round = state->named[{agent.cta.number, inst.imm}];
  state->acquire(agent, ~0u, round.complete[number % 4]);
}

void Hazards::arriveCluster(Agent &agent, const Inst &inst) {
  auto &round = state->clusters[&agent.cta.cluster];
  size_t now = agent.cta.cluster.round % 2;
  WarpState &warp = state->of(agent);
  // Of the round before the last nothing is needed any more.
  if (agent.cta.cluster.arrived == 0) {
    round.gathering[now] = Clock();
    round.inits[now].clear();
  }
  for (ThreadClass &thread : warp.classes)
    if (!thread.initFences.empty()) {
      uint32_t &known = round.inits[now][thread.number];
      known = std::max(known, thread.initFences.back());
    }
  if (inst.flag) {
    for (ThreadClass &thread : warp.classes)
      round.gathering[now].join(thread.releasedWide);
    return;
  }
  round.gathering[now].join(state->publish(agent, ~0u));
}

void Hazards::waitCluster(Agent &agent, const Inst &inst, uint64_t number) {
  auto &round = state->clusters[&agent.cta.cluster];
  state->acquire(agent, ~0u, round.gathering[number % 2]);
  for (auto [initialiser, fence] : round.inits[number % 2]) {
    uint32_t &known = state->of(agent).initKnown[initialiser];
    known = std::max(known, fence);
  }
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

void Hazards::fence(Agent &agent, const Inst &inst) {
  const auto *effect = find<effect::Fence>(state->effectsOf(inst));
  if (!effect)
    return;
  WarpState &warp = state->of(agent);
  using effect::Fence;
  using effect::Sem;
  for (int c = 0; c < 2; ++c) {
    if (!(c == 0 ? agent.lanes() & 1 : agent.lanes() >> 1))
      continue;
    ThreadClass &thread = warp.classes[c];
    switch (effect->kind) {
    case Fence::ProxyAsync:
      for (int space = 0; space < 3; ++space)
        if (fenceCovers(effect->space, static_cast<MemorySpace>(space))) {
          thread.fences[space].push_back(thread.now);
          thread.atFence[space] = thread.known;
        }
      ++thread.now;
      break;
    case Fence::MbarrierInit:
      thread.initFences.push_back(thread.now++);
      break;
    case Fence::Memory:
      if (effect->sem != Sem::Release) {
        thread.known.join(thread.pending);
        for (const ThreadClass::Relaxed &from : thread.pendingFrom)
          state->checkScope(from.scope, std::min(from.wait, effect->scope),
                            from.site, agent, inst);
        thread.pendingFrom.clear();
        for (uint32_t op : thread.pendingOps)
          state->ops[op].done.push_back({thread.number, thread.now, allLanes});
        thread.pendingOps.clear();
      }
      if (effect->sem != Sem::Acquire) {
        thread.releasedScope = effect->scope;
        thread.released = thread.known;
        thread.released.raise(thread.number, thread.now++);
        if (effect->scope >= Scope::Cluster)
          thread.releasedWide = thread.released;
      }
      break;
    case Fence::TensormapRelease:
      thread.mapReleases.push_back(
          {thread.now++, effect->scope, state->site(agent, inst)});
      break;
    case Fence::TensormapAcquire: {
      auto &acquire =
          thread.mapAcquires[MapPlace::decode(agent.scalars[inst.a]).at];
      acquire = {thread.known, effect->scope, &inst};
      // What the warp itself has released it need not be told of.
      for (const ThreadClass &own : warp.classes)
        if (!own.mapReleases.empty())
          acquire.known.raise(own.number, own.mapReleases.back().clock);
      break;
    }
    case Fence::Wgmma:
      thread.product = thread.known;
      thread.productNow = thread.now++;
      break;
    default:
      break;
    }
  }
  if (effect->kind == Fence::Wgmma)
    warp.productFence = true;
  if (effect->kind == Fence::Wgmma)
    warp.tilesFenced = Tile::latest;
}
