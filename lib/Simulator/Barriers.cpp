//===- Barriers.cpp - mbarriers, named barriers, cluster barriers ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Hazards.h"
#include "Machine.h"

#include "titan/Dialect/Titan/SharedMemory.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;
using namespace titan::sim;

/// PTX ISA, contents of the mbarrier object.
static constexpr int64_t maxCount = (1 << 20) - 1;

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

std::string Machine::nameOf(const Cta &cta, const MBarrier &barrier) const {
  for (const Allocation &allocation : program.allocations)
    if (barrier.address >= allocation.address &&
        barrier.address < allocation.address + allocation.bytes)
      return "barrier " +
             nameOfBarrier(allocation.op->getResult(0),
                           (barrier.address - allocation.address) / 8);
  return llvm::formatv("the mbarrier at {0}", barrier.address);
}

std::string Machine::nameAt(uint32_t address) const {
  for (const Allocation &allocation : program.allocations)
    if (address >= allocation.address &&
        address < allocation.address + allocation.bytes)
      return titan::nameOf(allocation.op->getResult(0));
  return llvm::formatv("shared memory at {0}", address);
}

std::string Machine::fixOfUnwritten(uint32_t address) const {
  return "copy or store to " + nameAt(address) +
         " before this reads it; where something does, a wait or a fence "
         "between the two is missing: 'titan check' names it";
}

std::string Machine::stateOf(const MBarrier &barrier) const {
  if (barrier.state == MBarrier::Unset)
    return "not initialised";
  if (barrier.state == MBarrier::Dead)
    return "invalidated";
  return llvm::formatv("phase {0} (parity {1}), {2} of {3} arrivals pending, "
                       "{4} bytes outstanding",
                       barrier.phase, barrier.phase & 1, barrier.pending,
                       barrier.expected, barrier.transactions);
}

void Machine::completePhaseIfDone(MBarrier &barrier) {
  if (barrier.pending != 0 || barrier.transactions != 0)
    return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  // What nobody has observed of the phase before stays unobserved no longer
  // than this: a later wait covers it, too.
  barrier.lastCopies.insert(barrier.lastCopies.end(), barrier.copies.begin(),
                            barrier.copies.end());
  barrier.copies.clear();
  if (views)
    views->phaseCompleted(barrier);
  ++events;
}

void Machine::arrive(MBarrier &barrier, int64_t count, Operation *op,
                     const Agent *agent) {
  if (count > barrier.pending) {
    std::vector<FindingPlace> others;
    if (barrier.lastArrive)
      others.push_back({barrier.lastArrive->getLoc(),
                        "the arrival before it in this phase"});
    if (barrier.init)
      others.push_back({barrier.init->getLoc(),
                        llvm::formatv("initialised for {0} arrivals here",
                                      barrier.expected)});
    find(Code::BarrierArrivals,
         llvm::formatv("{0} arrival{1} where the phase waits for {2} more: {3}",
                       count, count == 1 ? "" : "s", barrier.pending,
                       stateOf(barrier)),
         op, agent, true, others);
    return;
  }
  barrier.pending -= count;
  barrier.lastArrive = op;
  if (barrier.pending == 0 && barrier.transactions < 0) {
    find(Code::BarrierBytes,
         llvm::formatv("{0} bytes more have been copied than this phase "
                       "expects",
                       -barrier.transactions),
         op, agent);
    return;
  }
  completePhaseIfDone(barrier);
}

void Machine::transact(MBarrier &barrier, int64_t bytes, Operation *op,
                       const Agent *agent) {
  barrier.transactions += bytes;
  if (barrier.transactions > maxCount || barrier.transactions < -maxCount) {
    find(Code::BarrierRange,
         llvm::formatv("the transaction count becomes {0} bytes",
                       barrier.transactions),
         op, agent);
    return;
  }
  if (barrier.pending == 0 && barrier.transactions < 0) {
    find(Code::BarrierBytes,
         llvm::formatv("{0} bytes more have been copied than this phase "
                       "expects",
                       -barrier.transactions),
         op, agent);
    return;
  }
  completePhaseIfDone(barrier);
}

void Machine::observePhase(Cta &cta, MBarrier &barrier) {
  for (uint64_t copy : barrier.lastCopies)
    cta.unobserved.erase(copy);
  barrier.lastCopies.clear();
}

Cta *Agent::resolve(const Inst &inst, SharedPlace place) {
  if (!place.rank)
    return &cta;
  Cta *peer = cta.cluster.ctas[*place.rank].get();
  if (peer != &cta && peer->running == 0) {
    machine.find(Code::ClusterExit,
                 llvm::formatv("touches shared memory of CTA {0} of the "
                               "cluster, which has exited: {1}",
                               *place.rank, who(inst)),
                 inst.origin, this);
    return nullptr;
  }
  return peer;
}

MBarrier *Agent::barrier(const Inst &inst, Cta *&owner) {
  SharedPlace place = SharedPlace::decode(scalars[inst.c]);
  owner = resolve(inst, place);
  if (!owner)
    return nullptr;
  int64_t index = inst.d == none ? 0 : static_cast<int64_t>(scalars[inst.d]);
  if (index < 0 || index >= inst.imm2) {
    machine.find(Code::OutOfBounds,
                 llvm::formatv("barrier {0} of a ring of {1}: {2}", index,
                               inst.imm2, who(inst)),
                 inst.origin, this);
    return nullptr;
  }
  uint32_t address = place.address + 8 * index;
  MBarrier &found = owner->barriers[address];
  found.address = address;
  return &found;
}

bool Agent::needLive(const Inst &inst, MBarrier &barrier, Cta &owner) {
  if (barrier.state == MBarrier::Live &&
      (barrier.published || barrier.initWarp == number))
    return true;
  std::vector<FindingPlace> others;
  if (barrier.init)
    others.push_back(
        {barrier.init->getLoc(), barrier.state == MBarrier::Live
                                     ? "initialised here, but not published yet"
                                     : "initialised here"});
  machine.find(Code::BarrierNotInitialised,
               llvm::formatv("{0} is {1}: {2}", machine.nameOf(owner, barrier),
                             barrier.state == MBarrier::Live
                                 ? "not initialised as far as this thread sees"
                                 : machine.stateOf(barrier),
                             who(inst)),
               inst.origin, this, true, others);
  return false;
}

Step Agent::barrierOp(const Inst &inst) {
  Cta *owner = nullptr;
  if (inst.op == Opcode::BarrierInit && inst.d == none && inst.imm2 > 1) {
    // Every slot of the ring.
    SharedPlace place = SharedPlace::decode(scalars[inst.c]);
    for (int64_t slot = 0; slot < inst.imm2; ++slot) {
      MBarrier &each = cta.barriers[place.address + 8 * slot];
      each.address = place.address + 8 * slot;
      if (!initBarrier(inst, each))
        return Step::Failed;
    }
    return Step::Ran;
  }
  MBarrier *found = barrier(inst, owner);
  if (!found)
    return Step::Failed;
  MBarrier &b = *found;
  int64_t active = elected ? 1 : laneCount;
  if (inst.op == Opcode::BarrierInit)
    return initBarrier(inst, b) ? Step::Ran : Step::Failed;
  if (!needLive(inst, b, *owner))
    return Step::Failed;
  if (machine.hazards)
    machine.hazards->barrier(*this, inst, *owner, b);
  bool release = static_cast<MemorySem>(inst.sem) == MemorySem::Release;
  switch (inst.op) {
  case Opcode::BarrierInval:
    b.state = MBarrier::Dead;
    return Step::Ran;
  case Opcode::BarrierArrive:
  case Opcode::BarrierArriveExpect: {
    uint64_t phase = b.phase;
    if (inst.op == Opcode::BarrierArriveExpect) {
      int64_t bytes = static_cast<int64_t>(scalars[inst.a]);
      if (bytes < 0) {
        machine.find(Code::BarrierRange,
                     llvm::formatv("expects {0} bytes: {1}", bytes, who(inst)),
                     inst.origin, this);
        return Step::Failed;
      }
      machine.transact(b, bytes * active, inst.origin, this);
      if (machine.failed())
        return Step::Failed;
    }
    if (release) {
      view.release(lanes());
      machine.publishBarriers(*this);
    }
    if (machine.views)
      machine.views->arrive(*this, *owner, b, release,
                            static_cast<MemoryScope>(inst.scope));
    machine.arrive(b, inst.imm * active, inst.origin, this);
    if (inst.dst != none)
      scalars[inst.dst] = phase;
    return Step::Ran;
  }
  case Opcode::BarrierExpect:
    machine.transact(b, static_cast<int64_t>(scalars[inst.a]) * active,
                     inst.origin, this);
    return Step::Ran;
  case Opcode::BarrierWait:
  case Opcode::BarrierTest: {
    uint64_t parity = scalars[inst.a];
    if (parity > 1) {
      machine.find(Code::PhaseParity,
                   llvm::formatv("the parity is {0}, neither 0 nor 1: {1}",
                                 static_cast<int64_t>(parity), who(inst)),
                   inst.origin, this);
      return Step::Failed;
    }
    bool complete = (b.phase & 1) != parity;
    if (inst.op == Opcode::BarrierTest)
      scalars[inst.dst] = complete;
    if (!complete)
      return inst.op == Opcode::BarrierTest ? Step::Polled : Step::Blocked;
    break;
  }
  case Opcode::BarrierWaitState: {
    uint64_t phase = scalars[inst.a];
    if (b.phase > phase + 1) {
      machine.find(Code::PhaseAmbiguous,
                   llvm::formatv("waits for phase {0}, but the barrier is in "
                                 "phase {1}: a wait names the current phase or "
                                 "the one before it: {2}",
                                 phase, b.phase, who(inst)),
                   inst.origin, this);
      return Step::Failed;
    }
    if (b.phase == phase)
      return Step::Blocked;
    break;
  }
  default:
    llvm_unreachable("no operation on an mbarrier");
  }
  // A wait that returned true.
  if (b.phase > 0)
    machine.observePhase(*owner, b);
  if (machine.views)
    machine.views->waited(
        *this, b, static_cast<MemorySem>(inst.sem) != MemorySem::Relaxed,
        static_cast<MemoryScope>(inst.scope));
  if (machine.hazards)
    machine.hazards->waited(*this, inst, *owner, b);
  return Step::Ran;
}

bool Agent::initBarrier(const Inst &inst, MBarrier &barrier) {
  if (barrier.state == MBarrier::Live) {
    bool byWarps = barrier.init == inst.origin && barrier.initWarp != number;
    machine.find(
        Code::BarrierLive,
        llvm::formatv(
            "initialises {0}, which {1}: {2}", machine.nameOf(cta, barrier),
            byWarps ? "another warp has initialised" : "is live", who(inst)),
        inst.origin, this, true, {{barrier.init->getLoc(), "initialised here"}},
        {}, nullptr, byWarps ? fixOfInitialisers(inst.origin) : "");
    return false;
  }
  if (!elected) {
    machine.find(Code::BarrierLive,
                 llvm::formatv("32 threads initialise {0}, each of them again: "
                               "{1}",
                               machine.nameOf(cta, barrier), who(inst)),
                 inst.origin, this, true, {}, {}, nullptr,
                 fixOfInitialisers(inst.origin));
    return false;
  }
  uint64_t address = barrier.address;
  barrier = MBarrier();
  barrier.address = address;
  barrier.state = MBarrier::Live;
  barrier.expected = barrier.pending = inst.imm;
  barrier.init = inst.origin;
  barrier.initWarp = number;
  if (machine.views) {
    machine.views->init(cta, barrier);
    barrier.published = barrier.publishedAsync = false;
    newBarriers.push_back(static_cast<uint32_t>(address));
  }
  if (machine.hazards)
    machine.hazards->init(*this, inst, barrier);
  return true;
}

void Machine::publishBarriers(Agent &agent) {
  for (uint32_t address : agent.newBarriers)
    agent.cta.barriers[address].published = true;
}

//===----------------------------------------------------------------------===//
// Barriers among threads
//===----------------------------------------------------------------------===//

bool Machine::arriveNamed(Agent &agent, const Inst &inst) {
  NamedBarrier &b = agent.cta.named[inst.imm];
  auto bad = [&](const Twine &message) {
    std::vector<FindingPlace> others;
    if (b.first)
      others.push_back({b.first->getLoc(), "the first of this round"});
    find(Code::NamedBarrier, message + ": " + agent.who(inst), inst.origin,
         &agent, true, others);
    return false;
  };
  if (b.count == 0) {
    b.threads = inst.imm2;
    b.first = inst.origin;
    b.warps = 0;
  }
  if (b.threads != inst.imm2)
    return bad(llvm::formatv("barrier {0} is for {1} threads here, for {2} "
                             "where its round began",
                             inst.imm, inst.imm2, b.threads));
  if (b.warps >> agent.warp & 1)
    return bad(llvm::formatv("the warp comes to barrier {0} again before its "
                             "round has ended",
                             inst.imm));
  b.warps |= 1u << agent.warp;
  b.count += laneCount;
  if (b.count > b.threads)
    return bad(llvm::formatv("{0} threads have come to barrier {1}, which is "
                             "for {2}",
                             b.count, inst.imm, b.threads));
  agent.view.release(~0u);
  publishBarriers(agent);
  agent.round = b.round;
  if (views)
    views->arriveNamed(agent, b, b.count == b.threads);
  if (hazards)
    hazards->arriveNamed(agent, inst, b);
  if (b.count == b.threads) {
    b.count = 0;
    ++b.round;
    ++events;
  }
  return true;
}

void Machine::arriveCluster(Agent &agent) {
  Cluster &cluster = agent.cta.cluster;
  agent.clusterArrived = true;
  agent.clusterRound = cluster.round;
  if (++cluster.arrived == cluster.running) {
    cluster.arrived = 0;
    ++cluster.round;
  }
  ++events;
}

/// The whole warp must come to a barrier of threads.
static bool needWarp(Agent &agent, const Inst &inst) {
  if (!agent.elected)
    return true;
  agent.machine.find(Code::SyncDivergent,
                     llvm::formatv("one thread of the warp executes '{0}', "
                                   "which waits for all of them: {1}",
                                   inst.origin->getName().getStringRef(),
                                   agent.who(inst)),
                     inst.origin, &agent);
  return false;
}

Step Agent::threadBarrier(const Inst &inst) {
  if (!needWarp(*this, inst))
    return Step::Failed;
  switch (inst.op) {
  case Opcode::SyncWarp:
    view.syncWarp();
    if (machine.views)
      machine.views->syncWarp(*this);
    if (machine.hazards)
      machine.hazards->syncWarp(*this);
    return Step::Ran;
  case Opcode::NamedArrive:
    return machine.arriveNamed(*this, inst) ? Step::Ran : Step::Failed;
  case Opcode::NamedSync: {
    NamedBarrier &b = cta.named[inst.imm];
    if (!arrived) {
      if (!machine.arriveNamed(*this, inst))
        return Step::Failed;
      arrived = true;
    }
    if (b.round == round)
      return Step::Blocked;
    if (machine.views)
      machine.views->waitNamed(*this, b, round);
    if (machine.hazards)
      machine.hazards->waitNamed(*this, inst, round);
    return Step::Ran;
  }
  case Opcode::ClusterArrive:
    if (clusterArrived) {
      machine.find(Code::ClusterBarrier,
                   "arrives at the cluster's barrier again before its wait: " +
                       who(inst),
                   inst.origin, this);
      return Step::Failed;
    }
    if (!inst.flag) {
      view.release(~0u);
      machine.publishBarriers(*this);
    } else {
      // What fence.mbarrier_init has released before a relaxed arrive (MM-51).
      for (uint32_t address : newBarriers)
        cta.barriers[address].published |= cta.barriers[address].publishedAsync;
    }
    if (machine.views)
      machine.views->arriveCluster(*this, inst.flag);
    if (machine.hazards)
      machine.hazards->arriveCluster(*this, inst);
    machine.arriveCluster(*this);
    return Step::Ran;
  case Opcode::ClusterWait:
    if (!clusterArrived) {
      machine.find(Code::ClusterBarrier,
                   "waits at the cluster's barrier without having arrived: " +
                       who(inst),
                   inst.origin, this);
      return Step::Failed;
    }
    if (cta.cluster.round == clusterRound)
      return Step::Blocked;
    clusterArrived = false;
    if (machine.views)
      machine.views->waitCluster(*this, clusterRound);
    if (machine.hazards)
      machine.hazards->waitCluster(*this, inst, clusterRound);
    return Step::Ran;
  default:
    llvm_unreachable("no barrier of threads");
  }
}
