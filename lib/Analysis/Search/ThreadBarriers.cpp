//===- ThreadBarriers.cpp - barriers among threads ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Execution.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

bool Execution::threadBarrier(uint32_t a, const Event &event,
                              const Action &action) {
  const auto &barrier = std::get<effect::ThreadBarrier>(action.effect->what);
  switch (barrier.kind) {
  case effect::ThreadBarrier::Warp:
    acquire(a, AllLanes, released(a, AllLanes));
    return true;
  case effect::ThreadBarrier::Named:
    return namedBarrier(a, event, action);
  case effect::ThreadBarrier::Cluster:
    return clusterBarrier(a, event, action);
  }
  return true;
}

bool Execution::namedBarrier(uint32_t a, const Event &event,
                             const Action &action) {
  const auto &effect = std::get<effect::ThreadBarrier>(action.effect->what);
  Agent &agent = agents[a];
  uint32_t index = namedIndex(a, action.amount);
  NamedBarrier &barrier = named[index];
  bool sync = effect.role == effect::ThreadBarrier::Sync;
  if (agent.arrived) {
    // Released when the round was completed.
    for (const NamedBarrier::Participant &p : barrier.participants)
      if (p.agent == a)
        return false;
    agent.arrived = false;
    return true;
  }
  for (const NamedBarrier::Participant &p : barrier.participants)
    if (p.agent == a) {
      Report::Stop stop(report);
      if (Finding *finding = report.add(
              Code::NamedBarrier, event.op, p.event->op,
              who(a, event) + " comes to named barrier " +
                  Twine(action.amount) +
                  " again before the round it has arrived in is over"))
        finding->others.push_back({p.event->op->getLoc(), "it arrived here"});
      agent.lost = true;
      return false;
    }
  int64_t threads =
      effect.threads ? effect.threads : program.lanes * program.warps;
  if (barrier.participants.empty()) {
    barrier.threads = threads;
    barrier.clock.clear();
  } else if (barrier.threads != threads) {
    const Event *other = barrier.participants.front().event;
    Report::Stop stop(report);
    if (Finding *finding = report.add(
            Code::NamedBarrier, event.op, other->op,
            Twine("named barrier ") + Twine(action.amount) + " is used with " +
                Twine(threads) + " threads here and " + Twine(barrier.threads) +
                " by another participant of the same round"))
      finding->others.push_back({other->op->getLoc(), "the other use"});
    agent.lost = true;
    return false;
  }
  // Who comes to this round must know that the last one is over: it was there,
  // or is ordered after it.
  if (barrier.round > 0 && !llvm::is_contained(barrier.before, a) &&
      agent.clock[electedClass][shape.round(index)] < barrier.round)
    report.add(Code::NamedBarrier, event.op, nullptr,
               who(a, event) + " comes to named barrier " +
                   Twine(action.amount) + " in its round " +
                   Twine(barrier.round) +
                   ", but nothing orders it after the round before: under "
                   "another schedule it counts in that one");
  barrier.participants.push_back({a, sync, &event});
  barrier.come += program.lanes;
  barrier.clock.join(released(a, AllLanes));
  agent.arrived = sync;
  if (barrier.come < barrier.threads)
    return !sync;
  ++barrier.round;
  barrier.clock.raise(shape.round(index), barrier.round);
  barrier.before.clear();
  for (const NamedBarrier::Participant &p : barrier.participants)
    if (p.sync) {
      acquire(p.agent, AllLanes, barrier.clock);
      barrier.before.push_back(p.agent);
    }
  barrier.participants.clear();
  barrier.come = 0;
  agent.arrived = false;
  return true;
}

bool Execution::clusterBarrier(uint32_t a, const Event &event,
                               const Action &action) {
  const auto &effect = std::get<effect::ThreadBarrier>(action.effect->what);
  Agent &agent = agents[a];
  ClusterBarrier &barrier = clusterBarriers[program.agents[a].cluster];
  auto told = [&](const Twine &what) {
    Report::Stop stop(report);
    report.add(Code::ClusterBarrier, event.op, nullptr, who(a, event) + what);
    agent.lost = true;
  };
  if (event.lanes != AllLanes) {
    told(": every lane of every warp takes part in the cluster's barrier, not "
         "one");
    return false;
  }
  bool arrives = effect.role != effect::ThreadBarrier::Wait;
  bool waits = effect.role != effect::ThreadBarrier::Arrive;
  if (arrives && !(agent.arrived && waits)) {
    if (agent.clusterArrived) {
      told(" arrives at the cluster's barrier again before it has waited");
      return false;
    }
    agent.clusterArrived = true;
    if (effect.sem == effect::Sem::Relaxed) {
      // Orders nothing but what fences have released, fence.mbarrier_init
      // among them; and it shows who has started.
      const Clock &mine = released(a, AllLanes);
      for (uint32_t b = 0; b < shape.agents; ++b)
        for (int lane : {electedClass, othersClass}) {
          barrier.clock.raise(shape.init(b, lane), mine[shape.init(b, lane)]);
          barrier.clock.raise(shape.time(b, lane),
                              std::min(mine[shape.time(b, lane)], 1u));
        }
      arriveRelaxed(a, AllLanes, Scope::Cluster, Scope::Cluster, barrier.clock);
    } else
      barrier.clock.join(released(a, AllLanes));
    if (waits)
      agent.arrived = true;
    ++barrier.come;
  }
  // Warps that have ended count as arrived.
  int64_t needed = 0;
  for (uint32_t b = 0; b < agents.size(); ++b)
    needed += program.agents[b].cluster == program.agents[a].cluster &&
              (!agents[b].done || agents[b].clusterArrived);
  if (barrier.come >= needed && barrier.come > 0) {
    ++barrier.round;
    barrier.come = 0;
    barrier.last = barrier.clock;
    barrier.clock.clear();
  }
  if (!waits)
    return true;
  if (!agent.clusterArrived) {
    told(" waits at the cluster's barrier without having arrived");
    return false;
  }
  if (barrier.round <= agent.clusterRound)
    return false;
  agent.clusterRound = barrier.round;
  agent.clusterArrived = false;
  agent.arrived = false;
  acquire(a, AllLanes, barrier.last);
  return true;
}
