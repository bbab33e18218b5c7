//===- HazardEffects.cpp - what an execution does, effect by effect -------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HazardState.h"

#include "titan/Target/Target.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;
using namespace titan;
using namespace titan::sim;
using State = Hazards::State;

//===----------------------------------------------------------------------===//
// Asynchronous work
//===----------------------------------------------------------------------===//

struct State::Issue {
  Issue(State &state, Agent &agent, const Inst &inst, const Plan &plan)
      : state(state), agent(agent), inst(inst), plan(plan), numbers(agent) {}

  /// The operation under which accesses of the class of threads complete by
  /// that mechanism.
  uint32_t opOf(Mechanism mechanism, int threadClass);
  /// A multicast's writes to one CTA.
  uint32_t partOf(Cta &cta);
  /// Its completion is told to the barrier.
  void signal(Cta &owner, MBarrier &barrier);
  /// What is to be committed joins its class.
  void join();

  State &state;
  Agent &agent;
  const Inst &inst;
  const Plan &plan;
  Numbers numbers;
  struct Op {
    Mechanism mechanism;
    int threadClass;
    uint32_t op;
  };
  llvm::SmallVector<Op, 2> ops;
  llvm::SmallVector<std::pair<Cta *, uint32_t>, 4> parts;

private:
  uint32_t make(Mechanism mechanism);
};

uint32_t State::Issue::make(Mechanism mechanism) {
  AsyncOp made;
  made.site = state.site(agent, inst);
  made.mechanism = mechanism;
  state.ops.push_back(std::move(made));
  return state.ops.size() - 1;
}

uint32_t State::Issue::opOf(Mechanism mechanism, int threadClass) {
  if (mechanismInfo(mechanism).waiter != Waiter::CommittingThread)
    threadClass = 0;
  for (const Op &each : ops)
    if (each.mechanism == mechanism && each.threadClass == threadClass)
      return each.op;
  uint32_t op = none;
  if (plan.cardinality == effect::Cardinality::Warpgroup) {
    // It is the warpgroup's: the warp that comes first makes it.
    std::vector<uint32_t> &mine = state.of(agent).groupOps;
    unsigned groupWarps = agent.program.target->warpsPerWarpgroup,
             leader = agent.warp / groupWarps * groupWarps;
    for (unsigned i = leader;
         i < leader + groupWarps && i < agent.cta.agents.size(); ++i) {
      const auto &others = state.of(*agent.cta.agents[i]).groupOps;
      if (others.size() > mine.size())
        op = others[mine.size()];
    }
    if (op == none)
      op = make(mechanism);
    mine.push_back(op);
  } else {
    op = make(mechanism);
  }
  ops.push_back({mechanism, threadClass, op});
  return op;
}

uint32_t State::Issue::partOf(Cta &cta) {
  for (auto [owner, part] : parts)
    if (owner == &cta)
      return part;
  uint32_t whole = opOf(Mechanism::Phase, 0), part = make(Mechanism::Phase);
  state.ops[whole].parts.push_back(part);
  parts.push_back({&cta, part});
  return part;
}

void State::Issue::signal(Cta &owner, MBarrier &barrier) {
  auto &waited = state.clockOf(barrier).current.ops;
  for (const Op &each : ops) {
    // With the whole operation its sources have been read, too.
    bool own = each.mechanism == Mechanism::Phase;
    uint32_t op = own && !parts.empty() ? partOf(owner) : each.op;
    waited.push_back(op);
    state.ops[op].signalled = true;
    if (own)
      state.ops[op].signals.push_back({&barrier, barrier.phase});
  }
}

void State::Issue::join() {
  for (const Op &each : ops) {
    Binding binding = mechanismInfo(each.mechanism).binding;
    if (binding == Binding::Own)
      continue;
    Pending &pending =
        state.of(agent).pending[{each.mechanism, each.threadClass}];
    if (binding != Binding::Issue) {
      pending.unbound.push_back(each.op);
      continue;
    }
    // Of several instructions it is over with the last.
    int64_t instructions = 1;
    for (const effect::Effect &effect : plan.effects)
      if (auto *commit = std::get_if<effect::CommitGroup>(&effect.what);
          commit && commit->mechanism == each.mechanism)
        instructions = commit->count.value_or(1);
    pending.groups.resize(pending.groups.size() + instructions);
    pending.groups.back().push_back(each.op);
  }
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

const effect::MemoryRegion &State::regionOf(const Inst &inst, size_t effect,
                                            const effect::Access &access,
                                            unsigned warp) {
  auto &regions = plans[&inst - machine.program.code.data()]->regions[effect];
  if (regions.size() <= warp)
    regions.resize(warp + 1);
  if (!regions[warp])
    regions[warp] = resolver.resolve(access.bytes, access.kind, warp);
  return *regions[warp];
}

/// Y as made by one lane.
static void byLane(Access &y, WarpState &warp, unsigned lane) {
  ThreadClass &thread = warp.classes[lane != 0];
  if (y.actors[0].thread != &thread)
    y.goodOp = none; // What the elected lane knows the others need not.
  y.actors[0] = {&thread, &thread.known, static_cast<uint8_t>(lane)};
  y.record.at = {thread.number, thread.now, static_cast<uint8_t>(lane)};
}

void State::touchAs(Issue &issue, const effect::Access &effect,
                    const effect::Touched &touched, Cta *owner,
                    const ThreadClass::MapAcquire *acquired) {
  Agent &agent = issue.agent;
  const Memory &memory = owner ? owner->shared : machine.global;
  WarpState &warp = of(agent);
  Access y = make(agent, issue.inst, effect, owner);
  y.acquired = acquired;
  bool async = effect.mechanism.has_value();
  auto under = [&](int threadClass) {
    if (async)
      y.record.op =
          owner && !issue.parts.empty() && effect.mechanism == Mechanism::Phase
              ? issue.partOf(*owner)
              : issue.opOf(*effect.mechanism, threadClass);
  };
  auto touchAll = [&] {
    touched.forEach([&](int, int64_t begin, int64_t end) {
      touch(memory, begin, end - begin, y);
    });
  };
  if (owner == &agent.cta && effect.mechanism == Mechanism::Phase &&
      effect.kind == AccessKind::Read)
    sources[owner->number].push_back(issue.opOf(Mechanism::Phase, 0));
  if (touched.byLane()) {
    touched.forEach([&](int lane, int64_t begin, int64_t end) {
      byLane(y, warp, lane);
      under(lane != 0);
      touch(memory, begin, end - begin, y);
    });
    return;
  }
  if (agent.elected) {
    under(0);
    return touchAll();
  }
  if (effect.by == effect::By::Parts) {
    touched.forEach([&](int, int64_t begin, int64_t end) {
      uint64_t part = (end - begin) / agent.program.lanes;
      for (unsigned lane = 0; lane < agent.program.lanes; ++lane) {
        byLane(y, warp, lane);
        under(lane != 0);
        touch(memory, begin + lane * part, part, y);
      }
    });
    return;
  }
  bool together = effect.by == effect::By::Together ||
                  issue.plan.cardinality != effect::Cardinality::EveryThread;
  if (!together && (async || effect.kind == AccessKind::Read)) {
    // Each lane by itself.
    under(0);
    touchAll();
    byLane(y, warp, 1);
    y.actors[0].lane = y.record.at.lane = allLanes;
    under(1);
    return touchAll();
  }
  y.actors.push_back({&warp.classes[1], &warp.classes[1].known, allLanes});
  if (async) {
    under(0);
    if (effect.engine() == Engine::Wgmma)
      for (Actor &actor : y.actors)
        if (!actor.thread->product.empty())
          actor.known = &actor.thread->product;
  } else {
    y.record.at.lane = wholeWarp;
  }
  touchAll();
}

void State::acquireAt(Agent &agent, const Inst &inst, Key key,
                      const effect::Access &effect) {
  using effect::Sem;
  if (effect.sem == Sem::Weak || effect.kind == AccessKind::Write)
    return;
  auto found = locations.find(key);
  if (found == locations.end() || found->second.released.empty())
    return;
  if (effect.sem == Sem::Relaxed || effect.sem == Sem::Release) {
    for (ThreadClass &thread : of(agent).classes)
      thread.pending.join(found->second.released);
    return;
  }
  Relation between = found->second.cta == agent.cta.number ? Relation::SameCta
                                                           : Relation::OtherCta;
  if (auto code =
          scopeProblem(found->second.scope, effect.scope, between, false)) {
    const Site &other = siteAt(found->second.site);
    machine.find(*code,
                 "the acquire or the release that it reads from names too "
                 "narrow a scope: " +
                     agent.who(inst),
                 inst.origin, &agent, false,
                 {{other.inst->origin->getLoc(), "released by " + other.who}},
                 {}, other.inst->origin);
  }
  acquire(agent, agent.lanes(), found->second.released);
}

void State::releaseAt(Agent &agent, const Inst &inst, Key key,
                      const effect::Access &effect) {
  using effect::Sem;
  if (effect.sem == Sem::Weak || effect.kind == AccessKind::Read)
    return;
  Location &location = locations[key];
  // A plain store begins a new chain; an atomic continues the old one.
  if (effect.kind == AccessKind::Write)
    location.released = Clock();
  location.scope = effect.scope;
  if (effect.sem != Sem::Relaxed && effect.sem != Sem::Acquire) {
    waitAllStores(agent);
    location.released.join(publish(agent, agent.lanes()));
  } else if (const ThreadClass &thread = of(agent).classes[0];
             !thread.released.empty()) {
    location.released.join(thread.released);
    location.scope = std::min(effect.scope, thread.releasedScope);
  }
  location.cta = agent.cta.number;
  location.site = site(agent, inst);
}

void State::access(Issue &issue, size_t number, const effect::Access &effect) {
  Agent &agent = issue.agent;
  Numbers &numbers = issue.numbers;
  const effect::Footprint &bytes = effect.bytes;
  mlir::Type type = bytes.object.getType();
  if (isa<MBarrierType>(type))
    return; // Their rules are asked for elsewhere.
  bool tensor = isa<GlobalType>(type) || bytes.kind == effect::Footprint::Box;
  if (tensor && !isWritten(numbers.argument(bytes.object)))
    return;
  const ThreadClass::MapAcquire *acquired = nullptr;
  if (!tensor && isa<TensorMapType>(type)) {
    MapPlace map = numbers.map(bytes.object);
    if (map.kind == MapPlace::Parameter)
      return; // Nobody writes it (MM-92).
    if (effect.proxy == Proxy::Tensormap) {
      const auto &known = of(agent).classes[0].mapAcquires;
      auto found = known.find(map.at);
      if (found == known.end()) {
        // Whoever wrote it, an earlier kernel or the host too (MM-90).
        machine.find(Code::TensormapAcquireMissing,
                     "uses a tensor map in memory that its thread has not "
                     "acquired: " +
                         agent.who(issue.inst),
                     issue.inst.origin, &agent, false);
        if (effect.mechanism)
          issue.opOf(*effect.mechanism, 0);
        return;
      }
      acquired = &found->second;
    }
  }
  auto touched = resolver.evaluate(
      regionOf(issue.inst, number, effect, agent.regionWarp), numbers);
  if (!touched || touched->outside)
    return;
  auto one = [&](Cta *owner) {
    bool ordered = bytes.kind == effect::Footprint::Scalar;
    Key key(owner ? owner->number + 1 : 0, touched->place.offset);
    if (ordered)
      acquireAt(agent, issue.inst, key, effect);
    touchAs(issue, effect, *touched, owner, acquired);
    if (ordered)
      releaseAt(agent, issue.inst, key, effect);
  };
  if (touched->place.memory == Numbers::GlobalMemory)
    return one(nullptr);
  int rank = touched->place.rank < 0 ? static_cast<int>(agent.cta.rank)
                                     : touched->place.rank;
  auto ctas = resolver.evaluate(bytes.ctas, rank, numbers);
  if (!ctas)
    return;
  llvm::SmallVector<Cta *, 8> owners;
  for (auto &owner : agent.cta.cluster.ctas)
    if (*ctas >> owner->rank & 1 &&
        (owner.get() == &agent.cta || owner->running))
      owners.push_back(owner.get());
  // A multicast is done in each of its CTAs by itself.
  if (owners.size() > 1 && effect.mechanism == Mechanism::Phase)
    for (Cta *owner : owners)
      issue.partOf(*owner);
  for (Cta *owner : owners)
    one(owner);
}

//===----------------------------------------------------------------------===//
// Groups of asynchronous work
//===----------------------------------------------------------------------===//

void State::commit(Agent &agent, const effect::CommitGroup &commit) {
  if (mechanismInfo(commit.mechanism).binding == Binding::Issue)
    return;
  forEachPending(agent, commit.mechanism,
                 [](Pending &pending, ArrayRef<HbEvent>) {
                   pending.groups.push_back(std::move(pending.unbound));
                   pending.unbound.clear();
                 });
}

void State::waitStores(Agent &agent, Mechanism counter) {
  if (!storeCounter(*machine.program.target, MemorySpace::Global))
    return;
  for (ThreadClass &thread : of(agent).classes)
    thread.storeWaits[counter].push_back(thread.now++);
}

void State::waited(Agent &agent, const Inst &inst,
                   const effect::WaitGroup &wait) {
  if (!wait.token && wait.pending.value_or(0) == 0)
    waitStores(agent, wait.mechanism);
  forEachPending(
      agent, wait.mechanism, [&](Pending &pending, ArrayRef<HbEvent> events) {
        size_t groups = pending.groups.size();
        size_t upTo =
            wait.token
                ? std::min<size_t>(groups, Numbers(agent).bits(wait.token))
                : groups - std::min<size_t>(groups, wait.pending.value_or(0));
        if (!wait.token)
          for (size_t i = upTo; i < groups; ++i)
            for (uint32_t op : pending.groups[i])
              ops[op].leftBy = &inst;
        for (size_t i = wait.sourcesOnly ? pending.read : pending.done;
             i < upTo; ++i)
          for (uint32_t op : pending.groups[i]) {
            auto &known = wait.sourcesOnly ? ops[op].read : ops[op].done;
            known.insert(known.end(), events.begin(), events.end());
            ops[op].leftBy = nullptr;
          }
        pending.read = std::max(pending.read, upTo);
        if (wait.sourcesOnly)
          return;
        for (size_t i = pending.done; i < upTo; ++i)
          pending.groups[i].clear();
        pending.done = std::max(pending.done, upTo);
      });
}

/// What nobody has waited for (MM-68, MM-81). Of what a barrier signals the
/// barrier tells.
void Hazards::exit(Agent &agent, const Inst &inst) {
  auto find = [&](const Inst &issuer, const char *what) {
    state->machine.find(
        Code::TokenNotDischarged,
        llvm::formatv("no wait makes sure that {0} before the kernel ends: {1}",
                      what, agent.who(issuer)),
        issuer.origin, &agent, false,
        {{inst.origin->getLoc(), "the kernel's end"}});
  };
  // The CTA's last warp: what reads its memory is over (MM-81).
  if (agent.cta.running == 1)
    for (uint32_t op : state->sources[agent.cta.number])
      if (llvm::none_of(state->ops[op].done, [&](const HbEvent &event) {
            return llvm::any_of(agent.cta.agents, [&](const auto &each) {
              return llvm::any_of(
                  state->of(*each).classes, [&](const ThreadClass &thread) {
                    return State::knows({&thread, &thread.known, allLanes},
                                        event);
                  });
            });
          })) {
        const Site &site = state->siteAt(state->ops[op].site);
        state->machine.find(
            Code::ExitWithWork,
            "nobody of the CTA knows that its source has been read when the "
            "CTA exits: " +
                site.who,
            site.inst->origin, &agent, false,
            {{inst.origin->getLoc(), "the kernel's end"}});
      }
  for (auto &[key, pending] : state->of(agent).pending) {
    Discharge needed = mechanismInfo(key.first).atExit;
    if (needed == Discharge::Nothing)
      continue;
    std::vector<const Inst *> left;
    auto add = [&](ArrayRef<uint32_t> group) {
      for (uint32_t op : group)
        if (!state->ops[op].signalled)
          left.push_back(state->siteAt(state->ops[op].site).inst);
    };
    if (needed == Discharge::SourcesRead)
      add(pending.unbound);
    for (size_t i = needed == Discharge::SourcesRead ? pending.read
                                                     : pending.done;
         i < pending.groups.size(); ++i)
      add(pending.groups[i]);
    if (needed == Discharge::SourcesRead) {
      for (const Inst *issuer : left)
        find(*issuer, "its source has been read");
      continue;
    }
    // They complete in order: the last one tells of all.
    add(pending.unbound);
    if (!left.empty())
      find(*left.back(), key.first == Mechanism::MmaGroup
                             ? "the product is complete"
                             : "the operation is complete");
  }
}

//===----------------------------------------------------------------------===//
// The effects of an execution
//===----------------------------------------------------------------------===//

bool State::mayIssue(const Agent &agent, const Plan &plan) const {
  switch (plan.cardinality) {
  case effect::Cardinality::EveryThread:
    return true;
  case effect::Cardinality::OneThread:
    return agent.elected;
  default:
    return !agent.elected;
  }
}

void Hazards::before(Agent &agent, const Inst &inst) {
  const Plan &plan = state->planOf(inst);
  if (!state->mayIssue(agent, plan))
    return;
  if (!plan.waits)
    return state->perform(agent, inst, plan);
  for (const effect::Effect &each : plan.effects)
    if (auto *wait = std::get_if<effect::WaitBarrier>(&each.what))
      state->forEachBarrier(
          agent, wait->barrier, false, [&](Cta &owner, MBarrier &barrier) {
            state->needInit(agent, inst, owner, barrier, false);
          });
}

void Hazards::after(Agent &agent, const Inst &inst, Step step) {
  const Plan &plan = state->planOf(inst);
  bool ran = step == Step::Ran;
  if (!state->mayIssue(agent, plan) || (!ran && step != Step::Blocked))
    return;
  for (const effect::Effect &each : plan.effects) {
    // A barrier of threads: the arrival comes before what may block.
    if (auto *barrier = std::get_if<effect::ThreadBarrier>(&each.what)) {
      bool &arrived = state->of(agent).arrived;
      state->threadBarrier(agent, *barrier, !arrived, ran);
      arrived = !ran;
      continue;
    }
    if (!ran)
      continue;
    if (auto *wait = std::get_if<effect::WaitBarrier>(&each.what))
      state->forEachBarrier(agent, wait->barrier, false,
                            [&](Cta &, MBarrier &barrier) {
                              state->waited(agent, inst, barrier, *wait);
                            });
    else if (auto *wait = std::get_if<effect::WaitGroup>(&each.what))
      state->waited(agent, inst, *wait);
    else if (auto *commit = std::get_if<effect::CommitGroup>(&each.what))
      state->commit(agent, *commit);
    else if (auto *fence = std::get_if<effect::Fence>(&each.what))
      state->fence(agent, inst, *fence);
    else if (auto *life = std::get_if<effect::Lifetime>(&each.what)) {
      if (life->kind == effect::Lifetime::Init)
        state->forEachBarrier(agent, life->barrier, true,
                              [&](Cta &, MBarrier &barrier) {
                                state->init(agent, inst, barrier);
                              });
    } else if (auto *registers = std::get_if<effect::Registers>(&each.what)) {
      // They are the program's.
      if (registers->kind == effect::Registers::Arrived ||
          (registers->kind == effect::Registers::InFlight &&
           !registers->from)) {
        state->of(agent).registersFenced = false;
        state->of(agent).lastRegisters = inst.origin;
      }
    }
  }
  if (ran && plan.waits)
    state->perform(agent, inst, plan);
}

/// Registers that an engine takes over want a fence after what the program did
/// with them.
void State::needRegisters(Agent &agent, const Inst &inst, const Plan &plan) {
  WarpState &warp = of(agent);
  for (const effect::Effect &each : plan.effects) {
    auto *registers = std::get_if<effect::Registers>(&each.what);
    if (!registers || registers->kind != effect::Registers::InFlight ||
        !registers->from || warp.registersFenced)
      continue;
    std::vector<FindingPlace> others;
    if (warp.lastRegisters)
      others.push_back({warp.lastRegisters->getLoc(),
                        "the registers are the program's again here"});
    machine.find(
        Code::MmaFence,
        (warp.lastRegisters
             ? "registers were accessed since the last wgmma.fence before this "
               "product: "
             : "no wgmma.fence stands before the first product: ") +
            agent.who(inst),
        inst.origin, &agent, false, std::move(others));
    warp.registersFenced = true;
  }
  for (const effect::Effect &each : plan.effects) {
    auto *registers = std::get_if<effect::Registers>(&each.what);
    if (!registers || registers->kind != effect::Registers::Borrow)
      continue;
    const Tile *tile = Numbers(agent).tile(registers->value);
    if (tile && tile->made > warp.tilesFenced)
      machine.find(Code::MmaFence,
                   "no wgmma.fence stands between what gives the registers of "
                   "A their values and this product: " +
                       agent.who(inst),
                   inst.origin, &agent, false);
  }
}

/// What the operation does when it is executed, or when it has waited.
void State::perform(Agent &agent, const Inst &inst, const Plan &plan) {
  needRegisters(agent, inst, plan);
  Issue issue(*this, agent, inst, plan);
  for (auto [number, each] : llvm::enumerate(plan.effects)) {
    if (auto *access = std::get_if<effect::Access>(&each.what)) {
      this->access(issue, number, *access);
      continue;
    }
    if (auto *wait = std::get_if<effect::WaitFlag>(&each.what)) {
      effect::Access read;
      read.bytes = wait->flag;
      read.sem = wait->sem;
      read.scope = wait->scope;
      this->access(issue, number, read);
      continue;
    }
    if (auto *complete = std::get_if<effect::CompleteTx>(&each.what)) {
      forEachBarrier(agent, complete->barrier, false,
                     [&](Cta &owner, MBarrier &barrier) {
                       needInit(agent, inst, owner, barrier, plan.byAsyncProxy);
                       if (plan.copies)
                         issue.signal(owner, barrier);
                       else
                         this->use(agent, inst, barrier);
                     });
      continue;
    }
    auto use = [&](const effect::BarrierRef &ref, auto &&visit) {
      forEachBarrier(agent, ref, false, [&](Cta &owner, MBarrier &barrier) {
        needInit(agent, inst, owner, barrier, false);
        visit(owner, barrier);
      });
    };
    if (auto *arrive = std::get_if<effect::Arrive>(&each.what))
      use(arrive->barrier, [&](Cta &owner, MBarrier &barrier) {
        this->arrive(agent, inst, owner, barrier, *arrive);
      });
    else if (auto *expect = std::get_if<effect::ExpectTx>(&each.what))
      use(expect->barrier, [&](Cta &, MBarrier &barrier) {
        this->expect(agent, inst, barrier, /*bytes=*/true);
      });
    else if (auto *life = std::get_if<effect::Lifetime>(&each.what);
             life && life->kind == effect::Lifetime::Inval)
      use(life->barrier,
          [&](Cta &, MBarrier &barrier) { invalidate(agent, inst, barrier); });
  }
  issue.join();
}
