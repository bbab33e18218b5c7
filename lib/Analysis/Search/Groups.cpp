//===- Groups.cpp - groups of asynchronous work, and products -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Execution.h"

#include <set>

using namespace mlir;
using namespace titan;
using namespace titan::checker;

//===----------------------------------------------------------------------===//
// Streams of groups
//===----------------------------------------------------------------------===//

/// The mechanisms that some action of a program is of.
static std::set<Mechanism> mechanismsOf(const Program &program) {
  std::set<Mechanism> result;
  for (const AgentProgram &code : program.programs)
    for (const Action &action : code.actions) {
      const auto &what = action.effect->what;
      std::optional<Mechanism> mechanism;
      if (auto *access = std::get_if<effect::Access>(&what))
        mechanism = access->mechanism;
      else if (auto *commit = std::get_if<effect::CommitGroup>(&what))
        mechanism = commit->mechanism;
      else if (auto *wait = std::get_if<effect::WaitGroup>(&what))
        mechanism = wait->mechanism;
      else if (auto *arrive = std::get_if<effect::Arrive>(&what))
        mechanism = arrive->after;
      if (mechanism)
        result.insert(*mechanism);
    }
  return result;
}

void Execution::numberStreams() {
  const std::set<Mechanism> used = mechanismsOf(program);
  uint32_t next = 0;
  auto reserve = [&](std::vector<std::optional<uint32_t>> &first, Pending whose,
                     uint32_t count, auto wanted) {
    for (const MechanismInfo &info : mechanisms())
      if (info.pending == whose && wanted(info.mechanism)) {
        first[static_cast<size_t>(info.mechanism)] = next;
        next += count;
      }
  };
  auto isUsed = [&](Mechanism mechanism) { return used.contains(mechanism); };
  streams.assign(mechanisms().size(), std::nullopt);
  stores = streams;
  for (Pending whose : {Pending::Thread, Pending::Wave})
    reserve(streams, whose, /*classes of lanes=*/2, isUsed);
  reserve(streams, Pending::Warpgroup, 1, isUsed);
  if (storeCounter(*target, MemorySpace::Global))
    reserve(stores, Pending::Wave, 1, [](Mechanism) { return true; });
  copyArrivalStreams = next;
  streamsPerAgent = next + (isUsed(Mechanism::AsyncGroup) ? 2 : 0);
}

uint32_t Execution::streamId(uint32_t a, Mechanism mechanism, int lane) const {
  if (mechanismInfo(mechanism).pending == Pending::Warpgroup) {
    a -= program.agents[a].warp % program.warpgroup;
    lane = 0;
  }
  return streamsPerAgent * a + *streams[static_cast<size_t>(mechanism)] + lane;
}

uint32_t Execution::storesOver(uint32_t a, Mechanism counter) const {
  return shape.done(streamsPerAgent * a +
                    *stores[static_cast<size_t>(counter)]);
}

void Execution::waitStores(uint32_t a, Mechanism counter) {
  if (storeCounter(*target, MemorySpace::Global))
    for (Clock &clock : agents[a].clock)
      clock.raise(storesOver(a, counter), agents[a].tick);
}

Execution::Stream &Execution::stream(uint32_t a, Mechanism mechanism,
                                     int lane) {
  auto [found, fresh] =
      agents[a].streams.try_emplace({mechanism, lane}, Stream());
  if (fresh) {
    found->second.id = streamId(a, mechanism, lane);
    found->second.commits = 0;
  }
  return found->second;
}

void Execution::commit(uint32_t a, const Event &event, const Action &action) {
  const auto &effect = std::get<effect::CommitGroup>(action.effect->what);
  Mechanism mechanism = effect.mechanism;
  for (int lane : {electedClass, othersClass}) {
    if (!(event.lanes >> lane & 1))
      continue;
    Stream &s = stream(a, mechanism, lane);
    ++s.commits;
    s.groups.push_back(s.open.empty() ? nullptr : s.open.front());
    s.raises.push_back(effect.count.value_or(1));
    s.open.clear();
  }
  if (mechanism == Mechanism::MmaGroup)
    agents[a].overAtGroup.push_back(agents[a].overAtProduct);
}

bool Execution::waitGroup(uint32_t a, const Event &event,
                          const Action &action) {
  const auto &wait = std::get<effect::WaitGroup>(action.effect->what);
  if (action.object & 1)
    report.add(Code::TokenAgent, event.op, nullptr,
               who(a, event) +
                   " waits for a group that another thread committed: it "
                   "waits for nothing");
  const Pending whose = mechanismInfo(wait.mechanism).pending;
  if (whose == Pending::Cells) {
    waitCells(a, event, wait.mechanism);
    return true;
  }
  for (int lane : {electedClass, othersClass}) {
    if (!(event.lanes >> lane & 1))
      continue;
    Stream &s = stream(a, wait.mechanism, lane);
    uint32_t reached = 0;
    if (wait.token)
      reached = lane == electedClass ? action.amount : action.extra;
    else {
      // The youngest groups raise the counter that far: one of whose parts
      // some may stay pending is pending.
      int64_t pending = wait.pending.value_or(0), left = pending;
      reached = s.commits;
      while (reached > 0 && left > 0)
        left -= s.raises[--reached];
      if (pending && reached < s.commits) {
        s.numbered = &event;
        s.numberedAt = reached;
        s.numberedOf = s.commits;
        s.numberedTick = agents[a].tick;
      }
    }
    Clock &clock = agents[a].clock[lane];
    if (wait.mechanism == Mechanism::AsyncGroup) {
      // Each lane's own copies, which one thread alone knows for all.
      agents[a].ownCopies[lane] = std::max(agents[a].ownCopies[lane], reached);
      if (lane == othersClass)
        continue;
    }
    if (wait.mechanism == Mechanism::MmaGroup && reached) {
      // The product is the warpgroup's: it waits for all four warps, and that
      // it is over shows that they have come to its wgmma.fence (MM-71).
      auto [first, last] = warpgroupOf(a);
      for (uint32_t other = first; other < last; ++other)
        if (agents[other].overAtGroup.size() < reached && !agents[other].done)
          return false;
      for (uint32_t other = first; other < last; ++other)
        if (const auto &groups = agents[other].overAtGroup;
            groups.size() >= reached && groups[reached - 1])
          clock.join(*groups[reached - 1], shape.over(0), shape.overEnd());
      agents[a].productsWaited = std::max(agents[a].productsWaited, reached);
    }
    clock.raise(shape.read(s.id), reached);
    if (!wait.sourcesOnly)
      clock.raise(shape.done(s.id), reached);
    // A counter of gfx942 is the wave's: all its lanes know what it has shown.
    if (whose == Pending::Wave) {
      for (Clock &lanes : agents[a].clock)
        lanes.join(clock, shape.done(s.id), shape.read(s.id) + 1);
      if (!wait.token && wait.pending.value_or(0) == 0)
        waitStores(a, wait.mechanism);
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Warpgroups (MM-71)
//===----------------------------------------------------------------------===//

std::pair<uint32_t, uint32_t> Execution::warpgroupOf(uint32_t a) const {
  int warp = program.agents[a].warp / program.warpgroup * program.warpgroup;
  uint32_t first = a - program.agents[a].warp + warp;
  return {first, first + std::min(program.warpgroup, program.warps - warp)};
}

/// The four warps of a warpgroup execute the same of its operations, in the
/// same order. (Waits may be one warp's, MM-71.)
void Execution::warpgroups() {
  auto next = [&](uint32_t a, size_t &at) -> const Event * {
    const AgentProgram &code = program.programs[a];
    for (; at < code.events.size(); ++at) {
      const Event &event = code.events[at];
      bool waits = false;
      for (uint32_t i = 0; i < event.count; ++i)
        waits |= code.actions[event.first + i].kind == Action::WaitGroup;
      if (event.cardinality == effect::Cardinality::Warpgroup &&
          event.lanes == AllLanes && !waits)
        return &code.events[at++];
    }
    return nullptr;
  };
  auto tell = [&](uint32_t a, const Event &event) {
    report.add(Code::IssueCardinality, event.op, nullptr,
               Twine("'") + event.op->getName().getStringRef() +
                   "' is executed by " + who(a, event) +
                   ", but not by all four warps of its warpgroup");
  };
  for (int cta = 0; cta < program.ctas(); ++cta)
    for (int warp = 0; warp < program.warps; warp += program.warpgroup) {
      auto [first, last] = warpgroupOf(cta * program.warps + warp);
      SmallVector<size_t, 4> at(program.warpgroup);
      for (bool same = true; same;) {
        SmallVector<const Event *, 4> events(program.warpgroup);
        for (uint32_t a = first; a < last; ++a)
          events[a - first] = next(a, at[a - first]);
        same = events[0] != nullptr;
        for (const Event *event : events)
          same &= event && event->op == events[0]->op;
        for (uint32_t a = first; a < last && !same; ++a)
          if (const Event *event = events[a - first])
            if (llvm::any_of(events, [&](const Event *other) {
                  return !other || other->op != event->op;
                })) {
              tell(a, *event);
              break;
            }
      }
    }
}

//===----------------------------------------------------------------------===//
// Registers of products
//===----------------------------------------------------------------------===//

bool Execution::kept(uint32_t a, const Event &event, uint32_t number) {
  Agent::Flight &flight = agents[a].flights[number];
  if (!flight.taken)
    return true;
  if (Finding *finding =
          report.add(Code::InflightUse, event.op, flight.taken->op,
                     "these registers went on into another product: what they "
                     "held is not there any more"))
    finding->others.push_back(
        {flight.taken->op->getLoc(), "this product took them over"});
  return false;
}

void Execution::inFlight(uint32_t a, const Event &event, const Action &action) {
  Agent &agent = agents[a];
  auto &flights = agent.flights;
  flights.resize(std::max<size_t>(flights.size(), action.amount + 1));
  Agent::Flight &mine = flights[action.amount];
  // A product (its event has operands to read) needs the fence after any other
  // access to its registers.
  bool product = false;
  for (uint32_t i = 0; i < event.count; ++i)
    product |=
        program.programs[a].actions[event.first + i].kind == Action::Access;
  if (!product) {
    mine = {0, &event};
    agent.productFence = false;
    agent.lastRegisters = &event;
    return;
  }
  if (action.object && kept(a, event, action.object))
    flights[action.object].taken = &event;
  if (!agent.productFence) {
    Operation *other = agent.lastRegisters ? agent.lastRegisters->op : nullptr;
    if (report.fences)
      missingProductFence(a, event, other);
    if (Finding *finding = report.add(
            Code::MmaFence, event.op, other,
            other ? Twine("registers were accessed since the last "
                          "wgmma.fence before this product")
                  : Twine("no wgmma.fence stands before the first product of "
                          "the warpgroup")))
      if (other)
        finding->others.push_back(
            {other->getLoc(), "the registers are the program's again here"});
    agent.productFence = true;
  }
  agent.overAtProduct = agent.overAtFence;
  for (int lane : {electedClass, othersClass})
    if (event.lanes >> lane & 1) {
      Stream &s = stream(a, Mechanism::MmaGroup, lane);
      s.open.push_back(&event);
      mine = {s.commits + 1, &event};
    }
}

void Execution::arrived(uint32_t a, const Event &event, const Action &action) {
  Agent &agent = agents[a];
  const Agent::Flight &flight = agent.flights[action.object];
  if (kept(a, event, action.object) && flight.group > agent.productsWaited) {
    Stream &s = stream(a, Mechanism::MmaGroup,
                       event.lanes & Elected ? electedClass : othersClass);
    if (Finding *finding = report.add(
            Code::InflightUse, event.op, flight.issued->op,
            flight.group > s.commits
                ? "the accumulator is used, but its product was not committed "
                  "to a group, so that no wait covers it"
                : "the accumulator is used, and the wait covers older groups "
                  "than that of its product"))
      finding->others.push_back(
          {flight.issued->op->getLoc(), "the product is issued here"});
  }
  agent.productFence = false;
  agent.lastRegisters = &event;
}
