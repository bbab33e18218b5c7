//===- Tma.cpp - copies by TMA, and bulk groups ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/ExecutionTable.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

/// A copy by TMA, from its place as the executing thread sees it.
static Step copy(Agent &agent, const Inst &inst, TmaDirection direction) {
  Machine &machine = agent.machine;
  const Program &program = agent.program;
  if (!agent.oneThread(inst))
    return Step::Failed;
  auto copy = std::make_shared<Copy>();
  SharedPlace place = SharedPlace::decode(agent.scalars[inst.b]);
  TmaCopy &what = copy->what;
  what.direction = direction;
  for (uint32_t i = inst.count; i-- > 0;)
    (i < inst.imm ? what.coords : what.im2colOffsets)
        .push_back(
            static_cast<int64_t>(agent.scalars[program.lists[inst.list + i]]));
  what.shared = place.address;
  if (direction == TmaDirection::Reduce)
    what.reduction = stringifyAtomicOp(static_cast<AtomicOp>(inst.kind)).str();
  copy->inst = &inst;
  copy->agent = &agent;
  copy->cta = &agent.cta;
  copy->map = MapPlace::decode(agent.scalars[inst.a]);
  bool inMemory = copy->map.kind != MapPlace::Parameter;
  copy->tensor =
      inMemory ? copy->map.tensor : machine.launch.maps[copy->map.at].tensor;
  if (inMemory && machine.views)
    machine.views->oldMap(agent, copy->map.at, machine.global, copy->oldMap);
  if (!machine.readMap(*copy))
    return Step::Failed;
  return issueCopy(agent, inst, copy, place.address);
}

Step titan::sim::issueCopy(Agent &agent, const Inst &inst, CopyRef copy,
                           uint32_t shared) {
  Machine &machine = agent.machine;
  const Program &program = agent.program;
  Cta &cta = agent.cta;
  bool isLoad = copy->isLoad();
  bool inMemory = !copy->run && copy->map.kind != MapPlace::Parameter;
  copy->id = machine.nextCopy++;
  copy->inst = &inst;
  copy->agent = &agent;
  copy->cta = &cta;
  copy->shared = shared;
  if (isLoad) {
    Cta *owner = nullptr;
    MBarrier *b = agent.barrier(inst, owner);
    if (!b)
      return Step::Failed;
    copy->barrier = b->address;
    uint64_t mask =
        inst.target == none ? 0 : agent.scalars[inst.target] & 0xffff;
    if (inst.target != none && (mask == 0 || mask >> program.clusterSize)) {
      machine.find(Code::OutOfBounds,
                   llvm::formatv("the multicast mask is {0}, in a cluster of "
                                 "{1} CTAs: {2}",
                                 mask, program.clusterSize, agent.who(inst)),
                   inst.origin, &agent);
      return Step::Failed;
    }
    for (unsigned rank = 0; rank < program.clusterSize; ++rank) {
      if (inst.target == none ? rank != cta.rank : !(mask >> rank & 1))
        continue;
      Cta *target = agent.resolve(inst, {0, rank});
      if (!target)
        return Step::Failed;
      MBarrier &signal = target->barriers[copy->barrier];
      signal.address = copy->barrier;
      if (target == &cta ? !agent.needLive(inst, signal, *target)
                         : signal.state != MBarrier::Live &&
                               !agent.needLive(inst, signal, *target))
        return Step::Failed;
      copy->targets.push_back({target, signal.phase});
      target->unobserved[copy->id] = copy;
    }
  }
  // A load may be in a group for the reading of its map alone (MM-91).
  if (!isLoad || inMemory)
    agent.uncommitted.push_back(copy);
  agent.view.beforeAsync(agent.lanes());
  if (machine.views) {
    copy->known = agent.knowledge->classes[0].known;
    copy->group = agent.groups.size() + 1;
    if (!isLoad) {
      Viewer viewer(*machine.views, Proxy::Async, copy->known);
      cta.shared.oldBytes(copy->shared, copy->imageBytes(), viewer, copy->old);
      cta.stores.push_back(copy);
    }
    if (inMemory) {
      copy->mapRead = false;
      if (machine.mapReads.size() % 64 == 0)
        std::erase_if(machine.mapReads,
                      [](const CopyRef &each) { return each->done; });
      machine.mapReads.push_back(copy);
    }
  }
  ++machine.report.copies;
  machine.issue(copy);
  return machine.failed() ? Step::Failed : Step::Ran;
}

static Step tmaLoad(Agent &agent, const Inst &inst) {
  return copy(agent, inst, TmaDirection::Load);
}
static Step tmaStore(Agent &agent, const Inst &inst) {
  return copy(agent, inst, TmaDirection::Store);
}
static Step tmaReduce(Agent &agent, const Inst &inst) {
  return copy(agent, inst, TmaDirection::Reduce);
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

namespace {
/// The bytes of a kernel's argument.
struct Bounds {
  uint64_t begin, end;
  explicit Bounds(const SimulatorArgument &argument)
      : begin(reinterpret_cast<uint64_t>(argument.data)),
        end(begin + argument.bytes) {}
  bool holds(uint64_t address, uint64_t bytes) const {
    return address >= begin && address + bytes <= end;
  }
};
} // namespace

static void outOfBounds(Machine &machine, const Copy &copy, const TmaRun &run,
                        const Bounds &bounds) {
  machine.find(
      Code::OutOfBounds,
      llvm::formatv("the copy touches bytes {0} to {1} of a tensor "
                    "whose allocation has {2}: {3}",
                    static_cast<int64_t>(run.global - bounds.begin),
                    static_cast<int64_t>(run.global - bounds.begin) + run.bytes,
                    bounds.end - bounds.begin, copy.agent->who(*copy.inst)),
      copy.inst->origin, copy.agent);
}

void Copy::move(const TmaRun &run, ArrayRef<uint8_t> source,
                MutableArrayRef<uint8_t> destination) const {
  if (transfer)
    return transfer->move(run, source, destination);
  if (what.direction == TmaDirection::Reduce)
    return reduceElements(what.reduction, *type, source, destination);
  std::memmove(destination.data(), source.data(), source.size());
}

void Machine::load(Copy &copy) {
  if (!copy.mapRead && !readMap(copy))
    return;
  Bounds bounds(arguments[copy.tensor]);
  llvm::SmallVector<uint8_t, 256> data;
  std::optional<Viewer> viewer;
  Viewer *known = nullptr;
  std::vector<EventId> written(copy.targets.size());
  if (views) {
    viewer.emplace(*views, Proxy::Async, copy.known);
    known = &*viewer;
    for (auto [event, target] : llvm::zip(written, copy.targets)) {
      auto [cta, phase] = target;
      event = views->async(cta->barriers[copy.barrier].source, phase + 1);
      settle(*cta, copy.shared, copy.imageBytes(), *known);
    }
  }
  copy.forEachRun([&](const TmaRun &run) {
    if (failed())
      return;
    data.resize(run.bytes);
    if (!run.fill) {
      if (!bounds.holds(run.global, run.bytes))
        return outOfBounds(*this, copy, run, bounds);
      global.read(run.global, run.bytes, data.data(), nullptr, known);
    }
    copy.move(run, data, data);
    for (auto [event, target] : llvm::zip(written, copy.targets))
      target.first->shared.write(run.shared, data.size(), data.data(), nullptr,
                                 event, known);
  });
  for (auto &[cta, phase] : copy.targets) {
    if (failed())
      return;
    MBarrier &barrier = cta->barriers[copy.barrier];
    if (barrier.state != MBarrier::Live) {
      find(Code::BarrierNotInitialised,
           nameOf(*cta, barrier) + " is " + stateOf(barrier) +
               " when the copy completes: " + copy.agent->who(*copy.inst),
           copy.inst->origin, copy.agent);
      return;
    }
    // The async proxy does not see the barrier yet: the signal is lost.
    if (!barrier.publishedAsync)
      continue;
    if (barrier.phase != phase) {
      find(Code::BarrierBytes,
           llvm::formatv("the copy was issued in phase {0} of {1} and "
                         "completes in phase {2}, which began without "
                         "its {3} bytes: {4}",
                         phase, nameOf(*cta, barrier), barrier.phase,
                         copy.transactionBytes(), copy.agent->who(*copy.inst)),
           copy.inst->origin, copy.agent);
      return;
    }
    barrier.copies.push_back(copy.id);
    transact(barrier, -copy.transactionBytes(), copy.inst->origin, copy.agent);
  }
}

void Machine::readSource(Copy &copy) {
  if (copy.sourceRead)
    return;
  copy.sourceRead = true;
  if (!copy.mapRead && !readMap(copy))
    return;
  bool good = true;
  uint32_t where = 0;
  std::vector<uint8_t> poison;
  copy.forEachRun([&](const TmaRun &run) {
    size_t at = copy.data.size();
    copy.data.resize(at + run.bytes);
    poison.resize(run.bytes);
    copy.cta->shared.read(run.shared, run.bytes, copy.data.data() + at,
                          poison.data());
    restore(copy.old, run.shared, run.bytes, copy.data.data() + at,
            poison.data());
    if (good && llvm::is_contained(poison, 1)) {
      good = false;
      where = run.shared;
    }
  });
  if (!good)
    find(Code::UndefinedRead,
         llvm::formatv("'{0}' reads {1}, which was never written, or is not "
                       "visible to the async proxy (byte {2} of the CTA's "
                       "shared memory): {3}",
                       copy.inst->origin->getName().getStringRef(),
                       nameAt(where), where, copy.agent->who(*copy.inst)),
         copy.inst->origin, copy.agent, /*fatal=*/false, {}, {}, nullptr,
         fixOfUnwritten(where));
}

void Machine::writeDestination(Copy &copy) {
  Bounds bounds(arguments[copy.tensor]);
  bool reduces = copy.what.direction == TmaDirection::Reduce;
  std::vector<uint8_t> old;
  size_t at = 0;
  std::optional<Viewer> viewer;
  EventId event = 0;
  if (views) {
    viewer.emplace(*views, Proxy::Async, copy.known);
    event = views->async(copy.agent->knowledge->bulkWrites, copy.group);
  }
  copy.forEachRun([&](const TmaRun &run) {
    if (failed())
      return;
    if (!bounds.holds(run.global, run.bytes))
      return outOfBounds(*this, copy, run, bounds);
    llvm::MutableArrayRef<uint8_t> data(copy.data.data() + at, run.bytes);
    at += run.bytes;
    if (reduces) {
      old.resize(run.bytes);
      global.read(run.global, run.bytes, old.data());
      copy.move(run, data, old);
      data = old;
    }
    global.write(run.global, data.size(), data.data(), nullptr, event,
                 viewer ? &*viewer : nullptr, /*wins=*/reduces);
  });
  copy.data.clear();
}

//===----------------------------------------------------------------------===//
// Bulk groups, of the elected thread
//===----------------------------------------------------------------------===//

static Step bulkCommit(Agent &agent, const Inst &inst) {
  agent.groups.push_back(std::move(agent.uncommitted));
  agent.uncommitted.clear();
  agent.scalars[inst.dst] = agent.groups.size();
  return Step::Ran;
}

/// Groups up to that number.
static Step waitForGroups(Agent &agent, const Inst &inst, size_t upTo) {
  // Groups complete in order: the wait covers every older one. With views,
  // sources are read later; see Machine::settle. Of a load only the reading of
  // its map is waited for, which without views is over at its issue.
  for (size_t i = inst.flag ? agent.groupsRead : agent.groupsDone; i < upTo;
       ++i)
    for (const CopyRef &copy : agent.groups[i])
      if (!copy->isLoad() &&
          (inst.flag ? !copy->sourceRead && !agent.machine.views : !copy->done))
        return Step::Blocked;
  if (agent.machine.views) {
    agent.machine.views->learn(agent, 1, agent.knowledge->bulkReads, upTo);
    if (!inst.flag)
      agent.machine.views->learn(agent, 1, agent.knowledge->bulkWrites, upTo);
  }
  agent.groupsRead = std::max(agent.groupsRead, upTo);
  if (!inst.flag) {
    for (size_t i = agent.groupsDone; i < upTo; ++i)
      agent.groups[i].clear();
    agent.groupsDone = std::max(agent.groupsDone, upTo);
  }
  return Step::Ran;
}

static Step bulkWait(Agent &agent, const Inst &inst) {
  return waitForGroups(agent, inst, agent.scalars[inst.a]);
}

static Step bulkWaitGroup(Agent &agent, const Inst &inst) {
  size_t groups = agent.groups.size();
  return waitForGroups(agent, inst,
                       groups - std::min<size_t>(groups, inst.imm));
}

static Waits waitsForGroup(Agent &, const Inst &) {
  return {.what = "a bulk group"};
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// The list: coordinates, so many as imm says, then im2col offsets.
static Inst &compileCopy(Compiler &c, Execute run, Operation *op, Value map,
                         ValueRange coords, Value buffer,
                         ValueRange offsets = {}) {
  Inst &inst = c.emit(run, op);
  inst.a = c.scalar(map);
  inst.b = c.scalar(buffer);
  SmallVector<Value> list(coords);
  llvm::append_range(list, offsets);
  c.setList(inst, list);
  inst.imm = coords.size();
  return inst;
}

void titan::sim::registerTma(ExecutionTable &table) {
  table.add<TmaLoadOp>([](Compiler &c, TmaLoadOp op) {
    if (op.getPair())
      return c.unsupported(op, " with a barrier of the pair");
    Inst &inst = compileCopy(c, tmaLoad, op, op.getMap(), op.getCoords(),
                             op.getBuffer(), op.getOffsets());
    c.barrierOperands(inst, op.getBarrier(), op.getIndex());
    inst.target = c.scalar(op.getMulticast());
  });
  table.add<TmaStoreOp>([](Compiler &c, TmaStoreOp op) {
    compileCopy(c, tmaStore, op, op.getMap(), op.getCoords(), op.getBuffer());
  });
  table.add<TmaReduceOp>([](Compiler &c, TmaReduceOp op) {
    compileCopy(c, tmaReduce, op, op.getMap(), op.getCoords(), op.getBuffer())
        .kind = static_cast<uint8_t>(op.getOp());
  });
  table.add<BulkCommitOp>([](Compiler &c, BulkCommitOp op) {
    Inst &inst = c.emit(bulkCommit, op);
    inst.dst = c.scalar(op.getToken());
  });
  table.add<BulkWaitOp>([](Compiler &c, BulkWaitOp op) {
    Inst &inst = c.emit(bulkWait, op);
    inst.waits = waitsForGroup;
    inst.a = c.scalar(op.getToken());
    inst.flag = op.getRead();
  });
  table.add<BulkWaitGroupOp>([](Compiler &c, BulkWaitGroupOp op) {
    Inst &inst = c.emit(bulkWaitGroup, op);
    inst.waits = waitsForGroup;
    inst.imm = op.getPending();
    inst.flag = op.getRead();
  });
  table.add<TokenNoneOp>([](Compiler &c, TokenNoneOp op) {
    uint32_t token = c.scalar(op.getToken());
    c.p.scalars[token] = 0;
  });
}
