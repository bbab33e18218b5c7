//===- Execution.cpp - one canonical run, and the order it shows ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Execution.h"

#include "../Resources.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

Execution::Execution(const Program &program, Footprints &footprints,
                     Report &report, Effort &effort, bool cumulativeFences)
    : cumulativeFences(cumulativeFences), program(program),
      footprints(footprints), report(report), effort(effort),
      conflicts(program, footprints, report, effort) {
  for (const AgentProgram &code : program.programs)
    if (!code.events.empty())
      target = &targetInfo(targetOf(code.events.front().op));
  shape.agents = program.agents.size();
  shape.barriers = program.barriers.size() * program.ctas();
  shape.rounds = target->namedBarriers * program.ctas();
  numberStreams();
  shape.streams = streamsPerAgent * shape.agents;
  for (Value root : program.roots)
    shape.tensorMemory |= isa<TensorMemoryType>(root.getType());
  conflicts.setShape(shape);
  scratch = Clock(shape.size());
  agents.resize(shape.agents);
  for (uint32_t a = 0; a < shape.agents; ++a)
    for (int lane : {electedClass, othersClass}) {
      Agent &agent = agents[a];
      agent.clock[lane] = Clock(shape.size());
      agent.clock[lane][shape.time(a, lane)] = 1;
    }
  for (Agent &agent : agents)
    agent.tick = 1;
  barriers.resize(shape.barriers);
  for (Barrier &barrier : barriers) {
    barrier.current = barrier.last = Clock(shape.size());
    barrier.initChecked.resize(shape.agents);
    barrier.used.resize(2 * shape.agents);
    barrier.usedBy.resize(2 * shape.agents);
  }
  named.resize(shape.rounds);
  for (NamedBarrier &barrier : named)
    barrier.clock = Clock(shape.size());
  clusterBarriers.resize(program.clusters);
  for (ClusterBarrier &barrier : clusterBarriers) {
    barrier.clock = barrier.last = Clock(shape.size());
    barrier.arrived.resize(shape.agents);
  }
  conflicts.checkMapScopes = [this](const AccessRecord &x,
                                    const AccessRecord &y, const View &view) {
    checkMapScopes(x, y, view);
  };
  conflicts.cause =
      [this](const AccessRecord &x,
             const AccessRecord &y) -> std::optional<Conflicts::Cause> {
    Agent &agent = agents[y.agent];
    // Waits of one's own: if X's warp has done its part, barriers are missing.
    if (auto code =
            x.mechanism ? mechanismInfo(*x.mechanism).notWaited : std::nullopt)
      return Conflicts::Cause{waitsInTime(x, y) ? Code::Race : *code,
                              y.event->op, ""};
    if (x.mechanism == Mechanism::Phase)
      // The thread has waited, but for another phase than X's.
      for (const Until &until : x.done) {
        uint32_t barrier = until.number - shape.phase(0);
        auto last = agent.lastWait.find(barrier);
        if (last != agent.lastWait.end() && !last->second.fresh &&
            last->second.phase + 1 < static_cast<int64_t>(until.value))
          return Conflicts::Cause{Code::PhaseParity, last->second.event->op,
                                  fixOfParity(barrier, until.value - 1)};
      }
    if (x.mechanism == Mechanism::BulkGroup ||
        x.mechanism == Mechanism::AsyncGroup ||
        x.mechanism == Mechanism::MmaGroup)
      // The owner has waited by a number that left X's group pending.
      for (int lane : {electedClass, othersClass})
        if (x.lanes >> lane & 1) {
          Stream &s = stream(x.agent, *x.mechanism, lane);
          // (A group that came behind it no number would cover, and who has not
          // heard of it would have needed more than a number.)
          const uint32_t group = x.done.front().value;
          const Clock &known =
              agent.clock[y.lanes & Elected ? electedClass : othersClass];
          if (s.numbered && s.numberedAt < group && group <= s.numberedOf &&
              (x.agent == y.agent ||
               known[shape.time(x.agent, lane)] >= s.numberedTick))
            return Conflicts::Cause{
                Code::GroupWaitCount, s.numbered->op,
                "let it leave " + std::to_string(s.numberedOf - group) +
                    (s.numberedOf - group == 1 ? " group" : " groups") +
                    " pending, and not " +
                    std::to_string(s.numberedOf - s.numberedAt) + ": " +
                    (s.numberedOf == group
                         ? "none is"
                         : std::to_string(s.numberedOf - group) +
                               (s.numberedOf - group == 1 ? " is" : " are")) +
                    " younger than the one that is needed"};
        }
    return std::nullopt;
  };
  if (report.fences)
    conflicts.missing = [this](const Conflicts::Missing &missing) {
      missingFence(missing);
    };
  conflicts.tooEarly = [this](const AccessRecord &read) {
    return waitedTooEarly(read);
  };
  conflicts.notWaited = [this](const AccessRecord &read,
                               const AccessRecord &copy) {
    return fixOfNoWait(read, copy);
  };
  conflicts.flagAtLaunch = [this](uint32_t footprint) {
    return flagAtLaunch(footprint);
  };
  conflicts.waitedItself = [this](const AccessRecord &x,
                                  const AccessRecord &y) {
    const Event *end = x.agent == y.agent
                           ? y.event
                           : &*this->program.programs[x.agent].events.end();
    return waitsForGroup(x, end, /*passesBarriers=*/true) != nullptr;
  };
  conflicts.ownWait = [this](const AccessRecord &x) {
    return waitsForGroup(x, &*this->program.programs[x.agent].events.end(),
                         /*passesBarriers=*/false);
  };
  conflicts.returnedEarly = [this](const AccessRecord &access,
                                   const AccessRecord &copy) {
    return returnedEarly(access, copy);
  };
}

void Execution::checkMapScopes(const AccessRecord &x, const AccessRecord &y,
                               const View &view) {
  // Of the releases that the acquire knows of, the widest.
  const Agent::MapFence *release = nullptr;
  for (int lane : {electedClass, othersClass})
    for (const Agent::MapFence &fence : agents[x.agent].mapReleases[lane])
      if (x.lanes >> lane & 1 && fence.tick >= x.tick &&
          fence.tick <= (*view.mapAcquired)[shape.mapRelease(x.agent, lane)] &&
          (!release || release->scope < fence.scope))
        release = &fence;
  const auto &acquire =
      agents[y.agent]
          .mapAcquired[y.lanes & Elected ? electedClass : othersClass]
          .at(y.footprint);
  if (release)
    checkScope(release->scope, acquire.scope, x.agent, y.agent, *release->event,
               *acquire.event);
}

bool Execution::waitsInTime(const AccessRecord &x,
                            const AccessRecord &y) const {
  // Y's own warp has got there without such a wait.
  return x.agent != y.agent &&
         waitsForGroup(x, &*program.programs[x.agent].events.end(),
                       /*passesBarriers=*/false);
}

const Event *Execution::waitsForGroup(const AccessRecord &x, const Event *end,
                                      bool passesBarriers) const {
  const AgentProgram &code = program.programs[x.agent];
  int lane = x.lanes & Elected ? electedClass : othersClass;
  int64_t raised = 0; // since X
  for (const Event *event = x.event + 1; event < end; ++event)
    for (uint32_t i = 0; i < event->count; ++i) {
      const Action &action = code.actions[event->first + i];
      switch (action.kind) {
      case Action::Commit: {
        const auto &commit = std::get<effect::CommitGroup>(action.effect->what);
        if (commit.mechanism == x.mechanism)
          raised += commit.count.value_or(1);
        break;
      }
      case Action::WaitGroup: {
        const auto &wait = std::get<effect::WaitGroup>(action.effect->what);
        if (wait.mechanism != x.mechanism)
          break;
        if (!wait.token && raised >= wait.pending.value_or(0))
          return event;
        if (wait.token && !x.done.empty() &&
            (lane == electedClass ? action.amount : action.extra) >=
                static_cast<int64_t>(x.done.front().value))
          return event;
        break;
      }
      case Action::ThreadBarrier:
        if (std::get<effect::ThreadBarrier>(action.effect->what).kind ==
            effect::ThreadBarrier::Warp)
          break;
        [[fallthrough]];
      case Action::Arrive:
        if (passesBarriers)
          break;
        return nullptr;
      default:
        break;
      }
    }
  return nullptr;
}

void Execution::run() {
  warpgroups();
  bool progress = true;
  while (progress && !aborted) {
    progress = false;
    for (uint32_t a = 0; a < agents.size() && !aborted; ++a)
      if (!agents[a].done && !agents[a].lost)
        progress |= runAgent(a);
  }
  if (aborted)
    return;
  for (const Agent &agent : agents)
    if (agent.lost)
      return;
  for (const Agent &agent : agents)
    if (!agent.done)
      return deadlock();
  endOfAll();
}

bool Execution::runAgent(uint32_t a) {
  report.acting = &program.agents[a];
  llvm::scope_exit leave([&] { report.acting = nullptr; });
  Agent &agent = agents[a];
  const AgentProgram &code = program.programs[a];
  bool progress = false;
  while (agent.next < code.events.size()) {
    const Event &event = code.events[agent.next];
    if (!agent.begun) {
      agent.begun = true;
      ++agent.tick;
      if (event.lanes & Elected)
        agent.clock[electedClass][shape.time(a, electedClass)] = agent.tick;
      cardinality(a, event);
      if (agent.lost)
        return true;
    }
    while (agent.nextAction < event.count) {
      effort.spend(Work::Action);
      effort.spend(Work::Numbers, shape.size() / 8);
      if (effort.usedUp()) {
        aborted = true;
        return true;
      }
      uint32_t index = event.first + agent.nextAction;
      if (!perform(a, event, code.actions[index], index))
        return progress;
      if (aborted || agent.lost)
        return true;
      progress = true;
      ++agent.nextAction;
    }
    if (report.fences)
      remember(a, event);
    agent.begun = false;
    agent.nextAction = 0;
    ++agent.next;
    progress = true;
  }
  agent.done = true;
  endOfAgent(a);
  return true;
}

void Execution::cardinality(uint32_t a, const Event &event) {
  using effect::Cardinality;
  StringRef name = event.op->getName().getStringRef();
  switch (event.cardinality) {
  case Cardinality::EveryThread:
    return;
  case Cardinality::OneThread:
    if (event.lanes & Others)
      report.add(
          Code::IssueCardinality, event.op, nullptr,
          Twine("'") + name + "' is executed by all " + Twine(program.lanes) +
              " lanes of " + program.describe(a, event.iteration, AllLanes) +
              ": that is " + Twine(program.lanes) + " of it, and one is meant");
    return;
  case Cardinality::Warpgroup:
    return; // by one lane of it: Resolve.cpp; by some of its warps: warpgroups()
  case Cardinality::Warp:
  case Cardinality::Tile: {
    if (event.lanes == AllLanes) {
      return;
    }
    bool sync = false;
    for (uint32_t i = 0; i < event.count; ++i)
      sync |= program.programs[a].actions[event.first + i].kind ==
              Action::ThreadBarrier;
    std::optional<Report::Stop> stop;
    if (sync)
      stop.emplace(report);
    report.add(sync ? Code::SyncDivergent : Code::IssueCardinality, event.op,
               nullptr,
               Twine("'") + name + "' is executed by one lane of " +
                   program.describe(a, event.iteration, AllLanes) +
                   ", and takes the whole warp");
    // One lane at a barrier of warps: there is no going on.
    if (sync)
      agents[a].lost = true;
    return;
  }
  }
}

bool Execution::perform(uint32_t a, const Event &event, const Action &action,
                        uint32_t index) {
  switch (action.kind) {
  case Action::Access:
    access(a, event, action);
    return true;
  case Action::Arrive:
    arrive(a, event, action);
    return true;
  case Action::ExpectTx:
    expect(a, event, action);
    return true;
  case Action::CompleteTx:
    complete(a, event, action);
    return true;
  case Action::Commit:
    commit(a, event, action);
    return true;
  case Action::WaitGroup:
    return waitGroup(a, event, action);
  case Action::WaitFlag:
    return waitFlag(a, event, action);
  case Action::WaitBarrier:
    return waitBarrier(a, event, action);
  case Action::ThreadBarrier:
    return threadBarrier(a, event, action);
  case Action::Fence:
    // A place for one does nothing.
    if (!report.fences || !report.fences->placeOf(event.op))
      fence(a, event, action);
    return true;
  case Action::GridWait:
    for (int lane : {electedClass, othersClass})
      if (event.lanes >> lane & 1)
        gridWaits.push_back({a, lane, agents[a].tick});
    return true;
  case Action::Init:
    init(a, event, action);
    return true;
  case Action::Poll:
    usable(a, event, slot(ctaOf(a), action.object), false);
    return true;
  case Action::AllocCells:
    return allocCells(a, event, action);
  case Action::FreeCells:
    freeCells(a, event, action);
    return true;
  case Action::Relinquish:
    relinquished[ctaOf(a)] = &event;
    return true;
  case Action::Inval:
    eachCta(a, action, [&](int cta) {
      if (usable(a, event, slot(cta, action.object), false))
        invalidate(a, event, slot(cta, action.object));
    });
    return true;
  case Action::InFlight:
    inFlight(a, event, action);
    return true;
  case Action::Borrow:
    if (action.amount > agents[a].productFenceAt) {
      if (report.fences)
        missingProductFence(a, event, nullptr, action.amount);
      report.add(Code::MmaFence, event.op, nullptr,
                 "no wgmma.fence stands between what gives the registers of A "
                 "their values and this product");
    }
    return true;
  case Action::Arrived:
    arrived(a, event, action);
    return true;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

const Clock &Execution::released(uint32_t a, Lanes lanes) {
  Agent &agent = agents[a];
  bool first = true;
  for (int lane : {electedClass, othersClass}) {
    if (!(lanes >> lane & 1))
      continue;
    if (first)
      scratch = agent.clock[lane];
    else
      scratch.join(agent.clock[lane]);
    first = false;
  }
  for (int lane : {electedClass, othersClass}) {
    if (!(lanes >> lane & 1))
      continue;
    scratch.raise(shape.time(a, lane), agent.tick);
    scratch.raise(shape.init(a, lane), agent.ownInit[lane]);
    scratch.raise(shape.mapRelease(a, lane), agent.ownMapRelease[lane]);
    for (const MemorySpaceInfo &info : memorySpaces())
      scratch.raise(shape.fence(a, lane, info.space),
                    agent.ownFence[lane][info.space]);
    if (!streams[static_cast<size_t>(Mechanism::AsyncGroup)])
      continue;
    uint32_t copies = shape.done(streamId(a, Mechanism::AsyncGroup, lane));
    for (uint32_t over : {copies, copies + 1}) { // done, read
      scratch.raise(over, agent.ownCopies[lane]);
      scratch.raise(shape.fenced(over), agent.ownCopiesFenced[lane]);
    }
  }
  addPresent(a, lanes, scratch);
  return scratch;
}

void Execution::addPresent(uint32_t a, Lanes lanes, Clock &to) const {
  for (int lane : {electedClass, othersClass}) {
    if (!(lanes >> lane & 1))
      continue;
    to.raise(shape.acted(a, lane), agents[a].tick);
    if (shape.tensorMemory)
      for (unsigned what = 0; what < 5; ++what)
        to.raise(shape.cells(static_cast<Cells>(what), a, lane),
                 agents[a].ownCells[lane][what]);
  }
}

void Execution::acquire(uint32_t a, Lanes lanes, const Clock &clock) {
  for (int lane : {electedClass, othersClass})
    if (lanes >> lane & 1)
      agents[a].clock[lane].join(clock);
}

Scope Execution::arriveRelaxed(uint32_t a, Lanes lanes, Scope least,
                               Scope named, Clock &to) {
  Agent &agent = agents[a];
  for (int lane : {electedClass, othersClass}) {
    if (!(lanes >> lane & 1))
      continue;
    to.join(agent.clock[lane], shape.over(0), shape.overEnd());
    addPresent(a, lanes, to);
    if (agent.releaseFence[lane].empty() || agent.releaseScope[lane] < least)
      continue;
    to.join(agent.releaseFence[lane]);
    named = std::min(named, agent.releaseScope[lane]);
  }
  return named;
}

void Execution::checkScope(Scope release, Scope acquire, uint32_t first,
                           uint32_t second, const Event &arrival,
                           const Event &wait) {
  if (ctaOf(first) == ctaOf(second))
    return;
  if (auto code = scopeProblem(release, acquire, Relation::OtherCta,
                               program.agents[first].cluster ==
                                   program.agents[second].cluster))
    if (Finding *finding = report.add(
            *code, arrival.op, wait.op,
            Twine("'") + arrival.op->getName().getStringRef() +
                "' with scope ." + effect::stringify(release) + " and '" +
                wait.op->getName().getStringRef() + "' with scope ." +
                effect::stringify(acquire) + " synchronise two CTAs")) {
      finding->others.push_back({wait.op->getLoc(), "the other side"});
      finding->fix = fixOfScope(release, arrival.op, acquire, wait.op);
    }
}

void Execution::fence(uint32_t a, const Event &event, const Action &action) {
  const auto &fence = std::get<effect::Fence>(action.effect->what);
  if (fence.kind == effect::Fence::Tcgen05Before ||
      fence.kind == effect::Fence::Tcgen05After)
    return fenceCells(a, event, fence.kind == effect::Fence::Tcgen05Before);
  Agent &agent = agents[a];
  if (fence.kind == effect::Fence::Wgmma) {
    Clock over(shape.size());
    for (int lane : {electedClass, othersClass})
      if (event.lanes >> lane & 1)
        over.join(agent.clock[lane], shape.over(0), shape.overEnd());
    addPresent(a, event.lanes, over);
    agent.overAtFence = std::make_shared<const Clock>(std::move(over));
  }
  for (int lane : {electedClass, othersClass}) {
    if (!(event.lanes >> lane & 1))
      continue;
    Clock &clock = agent.clock[lane];
    switch (fence.kind) {
    case effect::Fence::ProxyAsync:
      for (const MemorySpaceInfo &info : memorySpaces()) {
        MemorySpace space = info.space;
        if (!fenceCovers(fence.space, space))
          continue;
        agent.ownFence[lane][space] = agent.tick;
        clock.raise(shape.fence(a, electedClass, space),
                    lane == electedClass ? agent.tick : 0);
        agent.fenceClock[lane][space] = clock;
        // Its own past is in program order before the fence.
        agent.fenceClock[lane][space].raise(shape.time(a, lane), agent.tick);
      }
      agent.ownCopiesFenced[lane] = agent.ownCopies[lane];
      for (uint32_t i = shape.completions(); i < shape.completionsEnd(); ++i)
        clock.raise(shape.fenced(i), clock[i]);
      // Without MM-45 a fence is as good as its accesses' own threads' for all
      // that is known here.
      if (cumulativeFences)
        for (uint32_t b = 0; b < shape.agents; ++b)
          for (int other : {electedClass, othersClass})
            for (const MemorySpaceInfo &info : memorySpaces())
              if (fenceCovers(fence.space, info.space))
                clock.raise(shape.fence(b, other, info.space),
                            clock[shape.time(b, other)] + 1);
      break;
    case effect::Fence::MbarrierInit:
      agent.ownInit[lane] = agent.tick;
      break;
    case effect::Fence::Wgmma:
      agent.productClock[lane] = clock;
      agent.productClock[lane].raise(shape.time(a, lane), agent.tick);
      agent.productFence = true;
      agent.productFenceAt = action.amount;
      break;
    case effect::Fence::Memory:
      // Orders through a relaxed wait before it, or a relaxed arrival after it;
      // what an acq_rel fence acquires it releases again.
      if (fence.sem != effect::Sem::Release &&
          !agent.relaxedSeen[lane].empty()) {
        clock.join(agent.relaxedSeen[lane]);
        for (const Agent::Relaxed &from : agent.relaxedFrom[lane])
          checkScope(from.scope, std::min(from.wait, fence.scope), from.agent,
                     a, *from.arrival, event);
        agent.relaxedFrom[lane].clear();
      }
      if (fence.sem != effect::Sem::Acquire) {
        waitStores(a, Mechanism::VmCount);
        waitStores(a, Mechanism::LgkmCount);
        agent.releaseFence[lane] = released(a, static_cast<Lanes>(1 << lane));
        agent.releaseScope[lane] = fence.scope;
      }
      break;
    case effect::Fence::TensormapRelease:
      agent.ownMapRelease[lane] = agent.tick;
      agent.mapReleases[lane].push_back(
          {&event, agent.tick, fence.scope, Clock()});
      break;
    case effect::Fence::TensormapAcquire: {
      if (!action.extra)
        break;
      // What the warp itself has released it need not be told of.
      Agent::MapFence acquire = {&event, agent.tick, fence.scope, clock};
      for (int other : {electedClass, othersClass})
        acquire.acquired.raise(shape.mapRelease(a, other),
                               agent.ownMapRelease[other]);
      agent.mapAcquired[lane].insert_or_assign(action.object,
                                               std::move(acquire));
      break;
    }
    default:
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void Execution::afterEarlierGrids(uint32_t a, const Event &event,
                                  const effect::Access &access, uint32_t root) {
  if (!program.programmatic ||
      (access.kind == AccessKind::Read && program.settled[root]))
    return;
  const Agent &agent = agents[a];
  for (int lane : {electedClass, othersClass}) {
    if (!(event.lanes >> lane & 1))
      continue;
    bool waited = llvm::any_of(gridWaits, [&](const GridWait &wait) {
      return (wait.agent == a && wait.lane == lane) ||
             agent.clock[lane][shape.time(wait.agent, wait.lane)] >= wait.tick;
    });
    if (waited)
      continue;
    auto kernel = event.op->getParentOfType<KernelOp>();
    StringRef name =
        cast<StringAttr>(kernel.getArgNames()[root - program.sharedRoots])
            .getValue();
    report.add(Code::GridDependencyMissing, event.op, nullptr,
               Twine("'") + event.op->getName().getStringRef() + "' of " +
                   who(a, event) + " touches %" + name +
                   ", and no titan.griddepcontrol.wait is known to come before "
                   "it: an earlier grid may still write there");
    return;
  }
}

void Execution::access(uint32_t a, const Event &event, const Action &action) {
  const auto &effect = std::get<effect::Access>(action.effect->what);
  Agent &agent = agents[a];
  AccessRecord record;
  record.agent = a;
  record.lanes = event.lanes;
  // What one thread must issue is taken to be issued by one (cardinality() has
  // told).
  if (event.cardinality == effect::Cardinality::OneThread)
    record.lanes = Elected;
  record.tick = agent.tick;
  record.kind = effect.kind;
  record.proxy = effect.proxy;
  record.sem = effect.sem;
  record.scope = effect.scope;
  record.footprint = action.object;
  record.event = &event;
  record.effect = &effect;
  record.mechanism = effect.mechanism;
  record.cta = -1;
  record.space = MemorySpace::Global;
  record.warpWide = effect.by == effect::By::Together;
  int lane = record.lanes & Elected ? electedClass : othersClass;
  bool cells = effect.proxy == Proxy::TensorMemory;
  uint32_t root = footprints[action.object].root;
  if (effect.sem == effect::Sem::Release || effect.sem == effect::Sem::AcqRel ||
      effect.sem == effect::Sem::SeqCst) {
    // A release waits by itself (MM-113).
    waitStores(a, Mechanism::VmCount);
    waitStores(a, Mechanism::LgkmCount);
  } else if (!effect.mechanism && effect.kind == AccessKind::Write) {
    if (auto counter = storeCounter(*target, root < program.sharedRoots
                                                 ? MemorySpace::SharedOwn
                                                 : MemorySpace::Global))
      record.counted = {storesOver(a, *counter), agent.tick + 1};
  }

  if (effect.mechanism &&
      mechanismInfo(*effect.mechanism).pending != Pending::Cells) {
    // Until the operation's own complete_tx.
    const AgentProgram &code = program.programs[a];
    for (uint32_t i = 0; i < event.count; ++i) {
      const Action &other = code.actions[event.first + i];
      if (other.kind != Action::CompleteTx)
        continue;
      eachCta(a, other, [&](int cta) {
        uint32_t b = slot(cta, other.object);
        settle(b);
        record.whole.push_back({shape.phase(b), barriers[b].phase + 1});
      });
    }
    if (*effect.mechanism == Mechanism::Phase) {
      record.sourceRead = record.done = std::move(record.whole);
      record.whole.clear();
    } else {
      // Copies of threads: each has groups of its own.
      bool each = *effect.mechanism == Mechanism::AsyncGroup;
      for (int c : {electedClass, othersClass}) {
        if (each ? !(record.lanes >> c & 1) : c != lane)
          continue;
        Stream &s = stream(a, *effect.mechanism, c);
        record.done.push_back({shape.done(s.id), s.commits + 1});
        record.sourceRead.push_back({shape.read(s.id), s.commits + 1});
        // A load may be in a group, and need not (MM-91).
        if (*effect.mechanism != Mechanism::MmaGroup && record.whole.empty() &&
            (s.open.empty() || s.open.back() != &event))
          s.open.push_back(&event);
      }
      if (each)
        for (int c : {electedClass, othersClass})
          if (record.lanes >> c & 1)
            record.whole.push_back(
                {copyArrivals(a, c), agent.copyArrivals[c] + 1});
    }
  }

  View view;
  bool product = effect.mechanism == Mechanism::MmaGroup;
  for (int c : {electedClass, othersClass}) {
    view.unfenced[c] = &agent.clock[c];
    view.clock[c] = product && !agent.productClock[c].empty()
                        ? &agent.productClock[c]
                        : &agent.clock[c];
  }
  view.ownFence = agent.ownFence;
  view.ownCopies = agent.ownCopies;
  view.fenceClock = agent.fenceClock;
  view.cellsAfter = agent.cellsAfter;

  if (cells)
    return accessCells(a, event, action, std::move(record), view);
  if (effect.proxy == Proxy::Tensormap && root >= program.sharedRoots) {
    auto acquired = agent.mapAcquired[lane].find(action.object);
    if (acquired == agent.mapAcquired[lane].end()) {
      // Whoever wrote it, an earlier kernel or the host too (MM-90).
      report.add(Code::TensormapAcquireMissing, event.op, nullptr,
                 Twine("'") + event.op->getName().getStringRef() + "' of " +
                     who(a, event) +
                     " uses a tensor map in memory that its thread has not "
                     "acquired");
      if (!report.fences)
        return;
      missingAcquire(a, lane, event);
      scratch.clear();
      view.mapAcquired = &scratch;
    } else {
      view.mapAcquired = &acquired->second.acquired;
    }
  }
  if (root >= program.sharedRoots) {
    afterEarlierGrids(a, event, effect, root);
    if (effect.added)
      signalFlag(a, event, action);
    conflicts.add(std::move(record), view);
    return;
  }
  llvm::SmallVector<Until, 1> done = record.done;
  size_t which = 0;
  bool several = (action.ctas & (action.ctas - 1)) != 0;
  eachCta(a, action, [&](int cta) {
    AccessRecord one = record;
    one.cta = cta;
    one.space =
        cta == ctaOf(a) ? MemorySpace::SharedOwn : MemorySpace::SharedPeer;
    // In each CTA of a multicast, that CTA's own barrier says when.
    if (several && which < done.size())
      one.done = one.sourceRead = {done[which]};
    ++which;
    if (cta != ctaOf(a)) {
      bool started = false;
      for (uint32_t b = 0; b < agents.size(); ++b)
        started |= ctaOf(b) == cta &&
                   agent.clock[lane][shape.time(b, electedClass)] > 0;
      if (!started)
        report.add(Code::ClusterEntry, event.op, nullptr,
                   Twine("'") + event.op->getName().getStringRef() +
                       "' accesses the shared memory of CTA " + Twine(cta) +
                       " of the cluster, which is not known to have started");
    }
    conflicts.add(std::move(one), view);
  });
}
