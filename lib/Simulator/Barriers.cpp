//===- Barriers.cpp - mbarriers, barriers of threads, fences --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/ExecutionTable.h"

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

/// Whether, with no arrival to come, more bytes have been copied than expected.
static bool copiedTooMuch(Machine &machine, const MBarrier &barrier,
                          Operation *op, const Agent *agent) {
  if (barrier.pending != 0 || barrier.transactions >= 0)
    return false;
  machine.find(Code::BarrierBytes,
               llvm::formatv("{0} bytes more have been copied than this phase "
                             "expects",
                             -barrier.transactions),
               op, agent);
  return true;
}

void Machine::arrive(MBarrier &barrier, int64_t count, Operation *op,
                     const Agent *agent) {
  if (recorder)
    recorder->barriers[&barrier].arrivals += count;
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
  if (!copiedTooMuch(*this, barrier, op, agent))
    completePhaseIfDone(barrier);
}

void Machine::transact(MBarrier &barrier, int64_t bytes, Operation *op,
                       const Agent *agent) {
  if (recorder)
    (bytes < 0 ? recorder->barriers[&barrier].completed
               : recorder->barriers[&barrier].expected) += std::abs(bytes);
  barrier.transactions += bytes;
  if (barrier.transactions > maxCount || barrier.transactions < -maxCount) {
    find(Code::BarrierRange,
         llvm::formatv("the transaction count becomes {0} bytes",
                       barrier.transactions),
         op, agent);
    return;
  }
  if (!copiedTooMuch(*this, barrier, op, agent))
    completePhaseIfDone(barrier);
}

void Machine::observePhase(Cta &cta, MBarrier &barrier) {
  if (recorder)
    recorder->barriers[&barrier].observed = true;
  for (uint64_t copy : barrier.lastCopies)
    cta.unobserved.erase(copy);
  barrier.lastCopies.clear();
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

static bool initBarrier(Agent &agent, const Inst &inst, MBarrier &barrier) {
  Machine &machine = agent.machine;
  Cta &cta = agent.cta;
  if (barrier.state == MBarrier::Live) {
    bool byWarps =
        barrier.init == inst.origin && barrier.initWarp != agent.number;
    machine.find(
        Code::BarrierLive,
        llvm::formatv("initialises {0}, which {1}: {2}",
                      machine.nameOf(cta, barrier),
                      byWarps ? "another warp has initialised" : "is live",
                      agent.who(inst)),
        inst.origin, &agent, true,
        {{barrier.init->getLoc(), "initialised here"}}, {}, nullptr,
        byWarps ? fixOfInitialisers(inst.origin) : "");
    return false;
  }
  if (!agent.elected) {
    machine.find(
        Code::BarrierLive,
        llvm::formatv("{0} threads initialise {1}, each of them again: "
                      "{2}",
                      agent.program.lanes, machine.nameOf(cta, barrier),
                      agent.who(inst)),
        inst.origin, &agent, true, {}, {}, nullptr,
        fixOfInitialisers(inst.origin));
    return false;
  }
  uint64_t address = barrier.address;
  barrier = MBarrier();
  barrier.address = address;
  barrier.state = MBarrier::Live;
  barrier.expected = barrier.pending = inst.imm;
  barrier.init = inst.origin;
  barrier.initWarp = agent.number;
  if (machine.views) {
    machine.views->init(cta, barrier);
    barrier.published = barrier.publishedAsync = false;
    agent.newBarriers.push_back(static_cast<uint32_t>(address));
  }
  return true;
}

static Step init(Agent &agent, const Inst &inst) {
  if (inst.d == none && inst.imm2 > 1) {
    // Every slot of the ring.
    SharedPlace place = SharedPlace::decode(agent.scalars[inst.c]);
    for (int64_t slot = 0; slot < inst.imm2; ++slot) {
      MBarrier &each = agent.cta.barriers[place.address + 8 * slot];
      each.address = place.address + 8 * slot;
      if (!initBarrier(agent, inst, each))
        return Step::Failed;
    }
    return Step::Ran;
  }
  Cta *owner = nullptr;
  MBarrier *found = agent.barrier(inst, owner);
  return found && initBarrier(agent, inst, *found) ? Step::Ran : Step::Failed;
}

/// The live barrier of the instruction; null after a finding.
static MBarrier *liveBarrier(Agent &agent, const Inst &inst, Cta *&owner) {
  MBarrier *found = agent.barrier(inst, owner);
  if (!found || !agent.needLive(inst, *found, *owner))
    return nullptr;
  return found;
}

static Step inval(Agent &agent, const Inst &inst) {
  Cta *owner = nullptr;
  MBarrier *b = liveBarrier(agent, inst, owner);
  if (!b)
    return Step::Failed;
  b->state = MBarrier::Dead;
  return Step::Ran;
}

static int64_t activeThreads(const Agent &agent) {
  return agent.elected ? 1 : agent.program.lanes;
}

static Step arriveAt(Agent &agent, const Inst &inst, Cta &owner, MBarrier &b) {
  Machine &machine = agent.machine;
  uint64_t phase = b.phase;
  bool release = static_cast<MemorySem>(inst.sem) == MemorySem::Release;
  if (release) {
    agent.view.release(agent.lanes());
    machine.publishBarriers(agent);
  }
  if (machine.views)
    machine.views->arrive(agent, owner, b, release,
                          static_cast<MemoryScope>(inst.scope));
  machine.arrive(b, inst.imm * activeThreads(agent), inst.origin, &agent);
  if (inst.dst != none)
    agent.scalars[inst.dst] = phase;
  return Step::Ran;
}

static Step arrive(Agent &agent, const Inst &inst) {
  Cta *owner = nullptr;
  MBarrier *b = liveBarrier(agent, inst, owner);
  return b ? arriveAt(agent, inst, *owner, *b) : Step::Failed;
}

/// The phases that follow count so many less.
static Step arriveDrop(Agent &agent, const Inst &inst) {
  Cta *owner = nullptr;
  MBarrier *b = liveBarrier(agent, inst, owner);
  if (!b)
    return Step::Failed;
  b->expected -= std::min(b->expected, inst.imm * activeThreads(agent));
  return arriveAt(agent, inst, *owner, *b);
}

/// The bytes that an instruction counts; none: a negative number, which is told.
static std::optional<int64_t> bytesOf(Agent &agent, const Inst &inst,
                                      StringRef what) {
  auto bytes = static_cast<int64_t>(agent.scalars[inst.a]);
  if (bytes >= 0)
    return bytes;
  agent.machine.find(
      Code::BarrierRange,
      llvm::formatv("{0} {1} bytes: {2}", what, bytes, agent.who(inst)),
      inst.origin, &agent);
  return std::nullopt;
}

static Step completeTx(Agent &agent, const Inst &inst) {
  Cta *owner = nullptr;
  MBarrier *b = liveBarrier(agent, inst, owner);
  if (!b)
    return Step::Failed;
  auto bytes = bytesOf(agent, inst, "completes");
  if (!bytes)
    return Step::Failed;
  agent.machine.transact(*b, -*bytes * activeThreads(agent), inst.origin,
                         &agent);
  return Step::Ran;
}

static Step arriveExpect(Agent &agent, const Inst &inst) {
  Cta *owner = nullptr;
  MBarrier *b = liveBarrier(agent, inst, owner);
  if (!b)
    return Step::Failed;
  auto bytes = bytesOf(agent, inst, "expects");
  if (!bytes)
    return Step::Failed;
  uint64_t phase = b->phase;
  agent.machine.transact(*b, *bytes * activeThreads(agent), inst.origin,
                         &agent);
  if (agent.machine.failed())
    return Step::Failed;
  Step step = arriveAt(agent, inst, *owner, *b);
  if (inst.dst != none)
    agent.scalars[inst.dst] = phase;
  return step;
}

static Step expect(Agent &agent, const Inst &inst) {
  Cta *owner = nullptr;
  MBarrier *b = liveBarrier(agent, inst, owner);
  if (!b)
    return Step::Failed;
  auto bytes = bytesOf(agent, inst, "expects");
  if (!bytes)
    return Step::Failed;
  agent.machine.transact(*b, *bytes * activeThreads(agent), inst.origin,
                         &agent);
  return Step::Ran;
}

/// A wait on the barrier that returned true.
static Step observe(Agent &agent, const Inst &inst, Cta &owner, MBarrier &b) {
  Machine &machine = agent.machine;
  if (b.phase > 0)
    machine.observePhase(owner, b);
  if (machine.views)
    machine.views->waited(
        agent, b, static_cast<MemorySem>(inst.sem) != MemorySem::Relaxed,
        static_cast<MemoryScope>(inst.scope));
  return Step::Ran;
}

/// Whether the phase of the parity in slot `a` is over; none after a finding.
static std::optional<bool> isComplete(Agent &agent, const Inst &inst,
                                      const MBarrier &b) {
  uint64_t parity = agent.scalars[inst.a];
  if (parity <= 1)
    return (b.phase & 1) != parity;
  agent.machine.find(Code::PhaseParity,
                     llvm::formatv("the parity is {0}, neither 0 nor 1: {1}",
                                   static_cast<int64_t>(parity),
                                   agent.who(inst)),
                     inst.origin, &agent);
  return std::nullopt;
}

static Step wait(Agent &agent, const Inst &inst) {
  Cta *owner = nullptr;
  MBarrier *b = liveBarrier(agent, inst, owner);
  if (!b)
    return Step::Failed;
  auto complete = isComplete(agent, inst, *b);
  if (!complete)
    return Step::Failed;
  return *complete ? observe(agent, inst, *owner, *b) : Step::Blocked;
}

static Step testWait(Agent &agent, const Inst &inst) {
  Cta *owner = nullptr;
  MBarrier *b = liveBarrier(agent, inst, owner);
  if (!b)
    return Step::Failed;
  auto complete = isComplete(agent, inst, *b);
  if (!complete)
    return Step::Failed;
  agent.scalars[inst.dst] = *complete;
  return *complete ? observe(agent, inst, *owner, *b) : Step::Polled;
}

static Step waitState(Agent &agent, const Inst &inst) {
  Cta *owner = nullptr;
  MBarrier *b = liveBarrier(agent, inst, owner);
  if (!b)
    return Step::Failed;
  uint64_t phase = agent.scalars[inst.a];
  if (b->phase > phase + 1) {
    agent.machine.find(
        Code::PhaseAmbiguous,
        llvm::formatv("waits for phase {0}, but the barrier is in phase {1}: "
                      "a wait names the current phase or the one before it: "
                      "{2}",
                      phase, b->phase, agent.who(inst)),
        inst.origin, &agent);
    return Step::Failed;
  }
  return b->phase == phase ? Step::Blocked : observe(agent, inst, *owner, *b);
}

static Waits waitsForPhase(Agent &agent, const Inst &inst) {
  Machine &machine = agent.machine;
  Cta *owner = nullptr;
  const MBarrier *b = agent.barrier(inst, owner);
  if (!b)
    return {.what = "a barrier", .cause = true};
  Waits waits{.what =
                  llvm::formatv("{0}, {1} {2}: {3}", machine.nameOf(*owner, *b),
                                inst.run == waitState ? "phase" : "parity",
                                agent.scalars[inst.a], machine.stateOf(*b)),
              .bytes = b->pending == 0,
              .cause = true};
  if (b->state != MBarrier::Live)
    return waits;
  std::string phase =
      llvm::formatv("phase {0} of {1}", b->phase, machine.nameOf(*owner, *b));
  waits.lacks =
      b->pending
          ? llvm::formatv("{0} misses {1} of {2} arrivals", phase, b->pending,
                          b->expected)
                .str()
          : llvm::formatv("{0} expects {1} bytes more than its copies bring",
                          phase, b->transactions)
                .str();
  return waits;
}

void Machine::publishBarriers(Agent &agent) {
  for (uint32_t address : agent.newBarriers)
    agent.cta.barriers[address].published = true;
}

//===----------------------------------------------------------------------===//
// Barriers among threads
//===----------------------------------------------------------------------===//

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

static Step syncWarp(Agent &agent, const Inst &inst) {
  if (!needWarp(agent, inst))
    return Step::Failed;
  agent.view.syncWarp();
  if (agent.machine.views)
    agent.machine.views->syncWarp(agent);
  return Step::Ran;
}

/// Counts a warp's threads at a named barrier; true if it is a legal arrival.
static bool arriveNamed(Agent &agent, const Inst &inst) {
  Machine &machine = agent.machine;
  NamedBarrier &b = agent.cta.named[inst.imm];
  auto bad = [&](const Twine &message) {
    std::vector<FindingPlace> others;
    if (b.first)
      others.push_back({b.first->getLoc(), "the first of this round"});
    machine.find(Code::NamedBarrier, message + ": " + agent.who(inst),
                 inst.origin, &agent, true, others);
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
  b.count += agent.program.lanes;
  if (b.count > b.threads)
    return bad(llvm::formatv("{0} threads have come to barrier {1}, which is "
                             "for {2}",
                             b.count, inst.imm, b.threads));
  // What its waves count a barrier does not wait for (MM-111).
  if (!storeCounter(*agent.program.target, MemorySpace::Global))
    agent.view.release(everyLane);
  machine.publishBarriers(agent);
  agent.round = b.round;
  if (machine.views)
    machine.views->arriveNamed(agent, b, b.count == b.threads);
  if (b.count == b.threads) {
    b.count = 0;
    ++b.round;
    ++machine.events;
  }
  return true;
}

static Step namedArrive(Agent &agent, const Inst &inst) {
  return needWarp(agent, inst) && arriveNamed(agent, inst) ? Step::Ran
                                                           : Step::Failed;
}

static Step namedSync(Agent &agent, const Inst &inst) {
  if (!needWarp(agent, inst))
    return Step::Failed;
  Machine &machine = agent.machine;
  NamedBarrier &b = agent.cta.named[inst.imm];
  if (!agent.arrived) {
    if (!arriveNamed(agent, inst))
      return Step::Failed;
    agent.arrived = true;
  }
  if (b.round == agent.round)
    return Step::Blocked;
  if (machine.views)
    machine.views->waitNamed(agent, b, agent.round);
  return Step::Ran;
}

static Waits waitsForNamed(Agent &agent, const Inst &inst) {
  const NamedBarrier &b = agent.cta.named[inst.imm];
  std::string name =
      inst.imm ? "barrier " + std::to_string(inst.imm) : "the CTA's barrier";
  return {.what = llvm::formatv("{0}: {1} of {2} threads have come", name,
                                b.count, b.threads),
          .lacks = llvm::formatv("{0} is for {1} threads, and {2} come", name,
                                 b.threads, b.count)};
}

static void named(Compiler &c, Execute run, Operation *op, int64_t id,
                  int64_t threads) {
  Inst &inst = c.emit(run, op);
  inst.waits = waitsForNamed;
  inst.imm = id;
  inst.imm2 = threads;
}

void titan::sim::compileNamedBarrier(Compiler &c, Operation *op, int64_t id,
                                     int64_t threads) {
  named(c, namedSync, op, id, threads);
}

static Step clusterArrive(Agent &agent, const Inst &inst) {
  if (!needWarp(agent, inst))
    return Step::Failed;
  Machine &machine = agent.machine;
  if (agent.clusterArrived) {
    machine.find(Code::ClusterBarrier,
                 "arrives at the cluster's barrier again before its wait: " +
                     agent.who(inst),
                 inst.origin, &agent);
    return Step::Failed;
  }
  if (!inst.flag) {
    agent.view.release(everyLane);
    machine.publishBarriers(agent);
  } else {
    // What fence.mbarrier_init has released before a relaxed arrive (MM-51).
    for (uint32_t address : agent.newBarriers)
      agent.cta.barriers[address].published |=
          agent.cta.barriers[address].publishedAsync;
  }
  if (machine.views)
    machine.views->arriveCluster(agent, inst.flag);
  Cluster &cluster = agent.cta.cluster;
  agent.clusterArrived = true;
  agent.clusterRound = cluster.round;
  if (++cluster.arrived == cluster.running) {
    cluster.arrived = 0;
    ++cluster.round;
  }
  ++machine.events;
  return Step::Ran;
}

static Step clusterWait(Agent &agent, const Inst &inst) {
  if (!needWarp(agent, inst))
    return Step::Failed;
  Machine &machine = agent.machine;
  if (!agent.clusterArrived) {
    machine.find(Code::ClusterBarrier,
                 "waits at the cluster's barrier without having arrived: " +
                     agent.who(inst),
                 inst.origin, &agent);
    return Step::Failed;
  }
  if (agent.cta.cluster.round == agent.clusterRound)
    return Step::Blocked;
  agent.clusterArrived = false;
  if (machine.views)
    machine.views->waitCluster(agent, agent.clusterRound);
  return Step::Ran;
}

static Waits waitsForCluster(Agent &agent, const Inst &) {
  const Cluster &cluster = agent.cta.cluster;
  return {.what = llvm::formatv(
              "the cluster's barrier: {0} of {1} warps have arrived",
              cluster.arrived, cluster.running)};
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

static Step fence(Agent &agent, const Inst &inst) {
  Machine &machine = agent.machine;
  auto sem = static_cast<MemorySem>(inst.sem);
  // fence.acquire moves nothing of this thread out.
  if (sem != MemorySem::Acquire) {
    agent.view.release(agent.lanes());
    machine.publishBarriers(agent);
  }
  if (machine.views)
    machine.views->fence(agent, sem, static_cast<MemoryScope>(inst.scope));
  return Step::Ran;
}

static Step fenceBarrierInit(Agent &agent, const Inst &) {
  for (uint32_t address : agent.newBarriers)
    agent.cta.barriers[address].publishedAsync = true;
  return Step::Ran;
}

static Step fenceProxyAsync(Agent &agent, const Inst &inst) {
  if (agent.machine.views)
    agent.machine.views->fenceProxyAsync(agent,
                                         static_cast<FenceSpace>(inst.kind));
  return fenceBarrierInit(agent, inst);
}

static Step fenceTensormapRelease(Agent &agent, const Inst &) {
  agent.view.release(agent.lanes());
  if (agent.machine.views)
    agent.machine.views->releaseMaps(agent);
  return Step::Ran;
}

static Step fenceTensormapAcquire(Agent &agent, const Inst &inst) {
  if (agent.machine.views)
    agent.machine.views->acquireMap(agent,
                                    MapPlace::decode(agent.scalars[inst.a]).at);
  return Step::Ran;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

void Compiler::barrierOperands(Inst &inst, Value barrier, Value index) {
  inst.c = scalar(barrier);
  inst.d = scalar(index);
  inst.imm2 = cast<MBarrierType>(barrier.getType()).getSlots();
}

void titan::sim::registerBarriers(ExecutionTable &table) {
  auto barrier = [](Compiler &c, Execute run, Operation *op, Value object,
                    Value index) -> Inst & {
    Inst &inst = c.emit(run, op);
    c.barrierOperands(inst, object, index);
    return inst;
  };
  table.addNothing<MBarrierAllocOp>(); // Compiler::allocate
  table.add<MBarrierInitOp>([=](Compiler &c, MBarrierInitOp op) {
    barrier(c, init, op, op.getBarrier(), op.getIndex()).imm = op.getCount();
  });
  table.add<MBarrierInvalOp>([=](Compiler &c, MBarrierInvalOp op) {
    barrier(c, inval, op, op.getBarrier(), op.getIndex());
  });
  table.add<MBarrierArriveOp>([=](Compiler &c, MBarrierArriveOp op) {
    Inst &inst = barrier(c, arrive, op, op.getBarrier(), op.getIndex());
    inst.imm = op.getCount();
    inst.dst = c.scalar(op.getState());
    c.setOrder(inst, op.getSem(), op.getScope());
  });
  table.add<MBarrierArriveDropOp>([=](Compiler &c, MBarrierArriveDropOp op) {
    Inst &inst = barrier(c, arriveDrop, op, op.getBarrier(), op.getIndex());
    inst.imm = op.getCount();
    inst.dst = c.scalar(op.getState());
    c.setOrder(inst, op.getSem(), op.getScope());
  });
  table.add<MBarrierCompleteTxOp>([=](Compiler &c, MBarrierCompleteTxOp op) {
    barrier(c, completeTx, op, op.getBarrier(), op.getIndex()).a =
        c.scalar(op.getBytes());
  });
  table.add<MBarrierArriveExpectTxOp>([=](Compiler &c,
                                          MBarrierArriveExpectTxOp op) {
    Inst &inst = barrier(c, arriveExpect, op, op.getBarrier(), op.getIndex());
    inst.imm = 1;
    inst.a = c.scalar(op.getBytes());
    inst.dst = c.scalar(op.getState());
    c.setOrder(inst, op.getSem(), op.getScope());
  });
  table.add<MBarrierExpectTxOp>([=](Compiler &c, MBarrierExpectTxOp op) {
    barrier(c, expect, op, op.getBarrier(), op.getIndex()).a =
        c.scalar(op.getBytes());
  });
  table.add<MBarrierWaitOp>([=](Compiler &c, MBarrierWaitOp op) {
    Inst &inst = barrier(c, wait, op, op.getBarrier(), op.getIndex());
    inst.waits = waitsForPhase;
    inst.a = c.scalar(op.getParity());
    c.setOrder(inst, op.getSem(), op.getScope());
  });
  table.add<MBarrierWaitStateOp>([=](Compiler &c, MBarrierWaitStateOp op) {
    Inst &inst = barrier(c, waitState, op, op.getBarrier(), op.getIndex());
    inst.waits = waitsForPhase;
    inst.a = c.scalar(op.getState());
    c.setOrder(inst, op.getSem(), op.getScope());
  });
  table.add<MBarrierTestWaitOp>([=](Compiler &c, MBarrierTestWaitOp op) {
    Inst &inst = barrier(c, testWait, op, op.getBarrier(), op.getIndex());
    inst.a = c.scalar(op.getParity());
    inst.dst = c.scalar(op.getDone());
    c.setOrder(inst, op.getSem(), op.getScope());
  });
  table.add<SyncWarpOp>(
      [](Compiler &c, SyncWarpOp op) { c.emit(syncWarp, op); });
  table.add<CtaSyncOp>([](Compiler &c, CtaSyncOp op) {
    compileNamedBarrier(c, op, 0, c.p.warps * c.p.lanes);
  });
  table.add<BarrierSyncOp>([](Compiler &c, BarrierSyncOp op) {
    compileNamedBarrier(c, op, op.getId(), op.getThreads());
  });
  table.add<BarrierArriveOp>([](Compiler &c, BarrierArriveOp op) {
    named(c, namedArrive, op, op.getId(), op.getThreads());
  });
  table.add<ClusterArriveOp>([](Compiler &c, ClusterArriveOp op) {
    c.emit(clusterArrive, op).flag = op.getRelaxed();
  });
  table.add<ClusterWaitOp>([](Compiler &c, ClusterWaitOp op) {
    c.emit(clusterWait, op).waits = waitsForCluster;
  });
  table.add<FenceOp>([](Compiler &c, FenceOp op) {
    c.setOrder(c.emit(fence, op), op.getSem(), op.getScope());
  });
  table.add<FenceProxyAsyncOp>([](Compiler &c, FenceProxyAsyncOp op) {
    c.emit(fenceProxyAsync, op).kind = static_cast<uint8_t>(op.getSpace());
  });
  table.add<FenceMbarrierInitOp>([](Compiler &c, FenceMbarrierInitOp op) {
    c.emit(fenceBarrierInit, op);
  });
  table.add<FenceTensormapReleaseOp>(
      [](Compiler &c, FenceTensormapReleaseOp op) {
        c.emit(fenceTensormapRelease, op);
      });
  table.add<FenceTensormapAcquireOp>(
      [](Compiler &c, FenceTensormapAcquireOp op) {
        Inst &inst = c.emit(fenceTensormapAcquire, op);
        inst.a = c.scalar(op.getMap());
      });
}
