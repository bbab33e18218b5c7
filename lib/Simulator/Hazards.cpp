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
  plans.resize(machine.program.code.size());
  // Tensors that only reads touch need no records.
  size_t own = machine.own;
  written.resize(own);
  auto write = [&](Value root) {
    auto argument = dyn_cast<BlockArgument>(root);
    if (!argument || argument.getOwner() != &machine.kernel.getBody().front()) {
      written.assign(own, true); // A map in memory, say: it leads anywhere.
      return;
    }
    size_t number = argument.getArgNumber();
    if (isa<TensorMapType>(root.getType()))
      number = machine.launch.maps[machine.launch.values[number - own]].tensor;
    written[number] = true;
  };
  for (const Inst &inst : machine.program.code) {
    if (!inst.hardware)
      continue;
    for (const effect::Effect &each : planOf(inst).effects) {
      auto *access = std::get_if<effect::Access>(&each.what);
      if (!access || access->kind == AccessKind::Read)
        continue;
      Value object = access->bytes.object;
      Value root = effect::baseOf(object).root;
      if (access->bytes.kind == effect::Footprint::Box &&
          isa<TensorMapType>(object.getType()))
        write(object);
      else if (isa<GlobalType>(root.getType()))
        write(root);
    }
  }
}

const Plan &State::planOf(const Inst &inst) {
  std::unique_ptr<Plan> &plan = plans[&inst - machine.program.code.data()];
  if (plan)
    return *plan;
  plan = std::make_unique<Plan>();
  auto op = dyn_cast<HardwareEffectsInterface>(inst.origin);
  if (!op)
    return *plan;
  op.getHardwareEffects(plan->effects);
  plan->cardinality = op.getCardinality();
  plan->regions.resize(plan->effects.size());
  for (const effect::Effect &each : plan->effects) {
    if (auto *access = std::get_if<effect::Access>(&each.what)) {
      if (access->reduction)
        plan->reduction = access->reduction;
      if (access->mechanism == Mechanism::Phase) {
        plan->copies = true;
        plan->byAsyncProxy |= access->proxy == Proxy::Async;
      }
    } else if (auto *barrier = std::get_if<effect::ThreadBarrier>(&each.what)) {
      plan->waits |= barrier->role != effect::ThreadBarrier::Arrive;
    } else {
      plan->waits |= std::holds_alternative<effect::WaitBarrier>(each.what) ||
                     std::holds_alternative<effect::WaitFlag>(each.what) ||
                     std::holds_alternative<effect::WaitGroup>(each.what);
    }
  }
  return *plan;
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

/// What the lanes release: their own accesses so far and all they know. The
/// classes' clocks advance.
Clock State::publish(Agent &agent, LaneMask lanes) {
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

void State::acquire(Agent &agent, LaneMask lanes, const Clock &clock) {
  WarpState &warp = of(agent);
  for (int c = 0; c < 2; ++c)
    if (c == 0 ? lanes & 1 : lanes >> 1)
      warp.classes[c].known.join(clock);
}

void State::eventsOf(Agent &agent, LaneMask lanes, std::vector<HbEvent> &to) {
  WarpState &warp = of(agent);
  for (int c = 0; c < 2; ++c)
    if (c == 0 ? lanes & 1 : lanes >> 1)
      to.push_back({warp.classes[c].number, warp.classes[c].now, allLanes});
}

BarrierClock &State::clockOf(MBarrier &barrier) {
  BarrierClock &clock = barriers[&barrier];
  if (barrier.phase > clock.phase) {
    // The phase could have been over before it was made to wait.
    for (auto &[event, inst, bytes] : clock.current.expects) {
      auto own = clock.current.arrived.find(event.number);
      if ((own == clock.current.arrived.end() || own->second < event.clock) &&
          clock.current.clock.get(event.number) < event.clock)
        machine.find(Code::PhaseAmbiguous,
                     bytes ? "the barrier can complete its phase before these "
                             "bytes are expected: no arrival comes after them"
                           : "the barrier can complete its phase before it is "
                             "told to wait for these copies: no arrival of "
                             "their threads comes after that",
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
    for (auto &agent : cta->agents) {
      WarpState &warp = state->of(*agent);
      warp.cta = cta->number;
      for (int c = 0; c < 2; ++c) {
        ThreadClass &thread = warp.classes[c];
        thread.number = 2 * agent->number + c;
        thread.known = Clock(base, classes);
      }
    }
}

void Hazards::end(Cluster &cluster) {
  for (auto &cta : cluster.ctas) {
    auto chunks = state->shadow.find(&cta->shared);
    if (chunks != state->shadow.end()) {
      chunks->second.forEach([&](uint32_t head) {
        for (uint32_t at = head; at != none;) {
          uint32_t next = state->records[at].next;
          state->records[at].next = state->freeRecord;
          state->freeRecord = at;
          at = next;
        }
      });
      state->shadow.erase(chunks);
    }
    for (auto &[address, barrier] : cta->barriers)
      state->barriers.erase(&barrier);
    state->sources.erase(cta->number);
    // Of its threads only the fences may still be asked for.
    for (auto &agent : cta->agents) {
      WarpState &warp = state->of(*agent);
      warp.pending.clear();
      warp.groupOps.clear();
      warp.lastWait.clear();
      for (ThreadClass &thread : warp.classes) {
        thread.known = thread.released = thread.releasedWide = thread.pending =
            thread.product = Clock();
        for (Clock &clock : thread.atFence.each)
          clock = Clock();
        thread.mapAcquires.clear();
      }
    }
    std::erase_if(state->named, [&](auto &entry) {
      return entry.first.first == cta->number;
    });
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

void State::init(Agent &agent, const Inst &inst, MBarrier &barrier) {
  ThreadClass &thread = of(agent).classes[0];
  BarrierClock &clock = barriers[&barrier];
  if (clock.invalSite != none &&
      !knows(Actor{&thread, &thread.known, 0}, clock.inval)) {
    const Site &other = siteAt(clock.invalSite);
    machine.find(
        Code::BarrierLive,
        "initialises " + machine.nameOf(agent.cta, barrier) +
            ", and nothing orders that after the end of its life before: " +
            agent.who(inst),
        inst.origin, &agent, false,
        {{other.inst->origin->getLoc(), "invalidated here by " + other.who}});
  }
  clock = BarrierClock();
  clock.init = {thread.number, thread.now, 0};
  clock.initSite = site(agent, inst);
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
           !fencedBy(thread.fences[MemorySpace::SharedOwn]))
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

/// Uses of a barrier by the executing threads: what its phase waits for.
void State::expect(Agent &agent, const Inst &inst, MBarrier &barrier,
                   bool bytes) {
  use(agent, inst, barrier);
  BarrierClock &clock = clockOf(barrier);
  // Bytes that no copy has been issued for hold the phase open.
  if (barrier.transactions > 0 && clock.current.ops.empty())
    return;
  std::vector<HbEvent> events;
  eventsOf(agent, agent.lanes(), events);
  for (const HbEvent &event : events)
    clock.current.expects.push_back({event, &inst, bytes});
}

void State::follow(Agent &agent, const Inst &inst, MBarrier &barrier,
                   Mechanism mechanism) {
  BarrierClock &clock = clockOf(barrier);
  forEachPending(agent, mechanism, [&](Pending &pending, ArrayRef<HbEvent>) {
    uint32_t arrival = ops.size();
    AsyncOp made;
    made.site = site(agent, inst);
    made.mechanism = mechanism;
    auto lead = [&](ArrayRef<uint32_t> group) {
      for (uint32_t op : group) {
        ops[op].before = arrival;
        ops[op].signals.push_back({&barrier, barrier.phase});
        ops[op].signalled = true;
      }
    };
    lead(pending.unbound);
    for (size_t i = std::max(pending.done, pending.followed);
         i < pending.groups.size(); ++i)
      lead(pending.groups[i]);
    pending.followed = pending.groups.size();
    made.signalled = true;
    ops.push_back(std::move(made));
    // It stands for what it follows.
    pending.unbound = {arrival};
    clock.current.ops.push_back(arrival);
  });
}

void State::arrive(Agent &agent, const Inst &inst, Cta &owner,
                   MBarrier &barrier, const effect::Arrive &arrive) {
  use(agent, inst, barrier);
  BarrierClock &clock = clockOf(barrier);
  if (arrive.after)
    follow(agent, inst, barrier, *arrive.after);
  if (arrive.increments)
    expect(agent, inst, barrier, /*bytes=*/false);
  std::vector<HbEvent> events;
  eventsOf(agent, agent.lanes(), events);
  for (const HbEvent &event : events)
    if (!arrive.increments)
      clock.current.arrived[event.number] = event.clock;
  // MM-57: somebody has seen that this phase has begun.
  if (barrier.phase > 0 && clock.last.observers.empty())
    machine.find(
        Code::BarrierUnobserved,
        llvm::formatv("arrives in phase {0} of {1}, and no wait has seen phase "
                      "{2} complete: {3}",
                      barrier.phase, machine.nameOf(owner, barrier),
                      barrier.phase - 1, agent.who(inst)),
        inst.origin, &agent, false);
  if (arrive.after)
    return; // It comes after those alone (MM-60).
  if (arrive.sem == effect::Sem::Relaxed) {
    // A release fence before it, and the arrive, release together (MM-21).
    Scope scope = arrive.scope;
    bool fenced = false;
    for (int c = 0; c < 2; ++c)
      if (c == 0 ? agent.lanes() & 1 : agent.lanes() >> 1) {
        const ThreadClass &thread = of(agent).classes[c];
        clock.current.clock.join(thread.released);
        if (thread.released.empty())
          continue;
        scope = std::min(scope, thread.releasedScope);
        fenced = true;
      }
    if (fenced)
      clock.current.releases.push_back(
          {scope, static_cast<uint32_t>(agent.cta.number), site(agent, inst)});
    return;
  }
  clock.current.clock.join(publish(agent, agent.lanes()));
  clock.current.releases.push_back({arrive.scope,
                                    static_cast<uint32_t>(agent.cta.number),
                                    site(agent, inst)});
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
               {{other.inst->origin->getLoc(), "the arrive, by " + other.who}},
               {}, other.inst->origin);
}

void State::use(Agent &agent, const Inst &inst, MBarrier &barrier) {
  BarrierClock &clock = clockOf(barrier);
  std::vector<HbEvent> events;
  eventsOf(agent, agent.lanes(), events);
  for (const HbEvent &event : events)
    clock.uses[event.number] = {event, &inst};
}

/// MM-52: the end of a life is after all uses.
void State::invalidate(Agent &agent, const Inst &inst, MBarrier &barrier) {
  BarrierClock &clock = clockOf(barrier);
  ThreadClass &thread = of(agent).classes[0];
  Actor actor{&thread, &thread.known, 0};
  const Inst *other = nullptr;
  for (auto &[number, use] : clock.uses)
    if (number != thread.number && !knows(actor, use.first))
      other = use.second;
  for (const auto *phase : {&clock.last, &clock.current})
    for (uint32_t op : phase->ops)
      if (!llvm::any_of(ops[op].done, [&](const HbEvent &event) {
            return knows(actor, event);
          }))
        other = siteAt(ops[op].site).inst;
  if (other)
    machine.find(
        Code::BarrierLive,
        "invalidates " + machine.nameOf(agent.cta, barrier) +
            ", and nothing orders that after a use of it: " + agent.who(inst),
        inst.origin, &agent, false, {{other->origin->getLoc(), "used here"}});
  clock.inval = {thread.number, thread.now, 0};
  clock.invalSite = site(agent, inst);
}

void State::waited(Agent &agent, const Inst &inst, MBarrier &barrier,
                   const effect::WaitBarrier &wait) {
  WarpState::Wait &last = of(agent).lastWait[&barrier];
  last = {&inst, barrier.phase,
          last.inst ? last.phases == barrier.phase : barrier.phase == 0};
  if (barrier.phase == 0)
    return;
  use(agent, inst, barrier);
  BarrierClock &clock = clockOf(barrier);
  for (const auto &release : clock.last.releases) {
    if (release.cta == agent.cta.number)
      continue;
    if (wait.sem != effect::Sem::Relaxed)
      checkScope(release.scope, wait.scope, release.site, agent, inst);
    else
      for (ThreadClass &thread : of(agent).classes)
        thread.pendingFrom.push_back({release.scope, wait.scope, release.site});
  }
  LaneMask lanes = agent.lanes();
  if (wait.sem != effect::Sem::Relaxed)
    acquire(agent, lanes, clock.last.clock);
  else
    for (ThreadClass &thread : of(agent).classes)
      thread.pending.join(clock.last.clock);
  eventsOf(agent, lanes, clock.last.observers);
  if (wait.sem == effect::Sem::Relaxed) {
    for (ThreadClass &thread : of(agent).classes)
      thread.pendingOps.insert(thread.pendingOps.end(), clock.last.ops.begin(),
                               clock.last.ops.end());
    return;
  }
  for (uint32_t op : clock.last.ops) {
    // Once a class is enough.
    std::vector<HbEvent> events;
    eventsOf(agent, lanes, events);
    for (HbEvent event : events)
      if (!llvm::any_of(ops[op].done, [&](const HbEvent &known) {
            return known.number == event.number;
          }))
        ops[op].done.push_back(event);
  }
}

//===----------------------------------------------------------------------===//
// Barriers of threads
//===----------------------------------------------------------------------===//

void State::threadBarrier(Agent &agent, const effect::ThreadBarrier &barrier,
                          bool arrives, bool passes) {
  using effect::ThreadBarrier;
  if (barrier.kind == ThreadBarrier::Warp) {
    if (passes)
      acquire(agent, everyLane, publish(agent, everyLane));
    return;
  }
  bool named = barrier.kind == ThreadBarrier::Named;
  Round &round =
      named ? this->named[{agent.cta.number, Numbers(agent).number(barrier.id)}]
                         [agent.round]
            : clusters[&agent.cta.cluster][agent.clusterRound];
  WarpState &warp = of(agent);
  if (arrives && barrier.role != ThreadBarrier::Wait) {
    if (!named)
      for (ThreadClass &thread : warp.classes)
        if (!thread.initFences.empty()) {
          uint32_t &known = round.inits[thread.number];
          known = std::max(known, thread.initFences.back());
        }
    if (barrier.sem == effect::Sem::Relaxed)
      for (ThreadClass &thread : warp.classes)
        round.clock.join(thread.releasedWide);
    else
      round.clock.join(publish(agent, everyLane));
  }
  if (!passes || barrier.role == ThreadBarrier::Arrive)
    return;
  acquire(agent, everyLane, round.clock);
  for (auto [initialiser, fence] : round.inits) {
    uint32_t &known = warp.initKnown[initialiser];
    known = std::max(known, fence);
  }
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

void State::fence(Agent &agent, const Inst &inst, const effect::Fence &fence) {
  WarpState &warp = of(agent);
  using effect::Fence;
  using effect::Sem;
  if (fence.kind == Fence::Memory && fence.sem != Sem::Acquire)
    waitAllStores(agent);
  for (int c = 0; c < 2; ++c) {
    if (!(c == 0 ? agent.lanes() & 1 : agent.lanes() >> 1))
      continue;
    ThreadClass &thread = warp.classes[c];
    switch (fence.kind) {
    case Fence::ProxyAsync:
      for (const MemorySpaceInfo &info : memorySpaces())
        if (fenceCovers(fence.space, info.space)) {
          thread.fences[info.space].push_back(thread.now);
          thread.atFence[info.space] = thread.known;
        }
      ++thread.now;
      break;
    case Fence::MbarrierInit:
      thread.initFences.push_back(thread.now++);
      break;
    case Fence::Memory:
      if (fence.sem != Sem::Release) {
        thread.known.join(thread.pending);
        for (const ThreadClass::Relaxed &from : thread.pendingFrom)
          checkScope(from.scope, std::min(from.wait, fence.scope), from.site,
                     agent, inst);
        thread.pendingFrom.clear();
        for (uint32_t op : thread.pendingOps)
          ops[op].done.push_back({thread.number, thread.now, allLanes});
        thread.pendingOps.clear();
      }
      if (fence.sem != Sem::Acquire) {
        thread.releasedScope = fence.scope;
        thread.released = thread.known;
        thread.released.raise(thread.number, thread.now++);
        if (fence.scope >= Scope::Cluster)
          thread.releasedWide = thread.released;
      }
      break;
    case Fence::TensormapRelease:
      thread.mapReleases.push_back(
          {thread.now++, fence.scope, site(agent, inst)});
      break;
    case Fence::TensormapAcquire: {
      auto &acquire = thread.mapAcquires[Numbers(agent).map(fence.object).at];
      acquire = {thread.known, fence.scope, &inst};
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
  if (fence.kind == Fence::Wgmma) {
    warp.registersFenced = true;
    warp.tilesFenced = Tile::latest;
  }
}
