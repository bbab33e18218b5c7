//===- Tma.cpp - copies by TMA, and bulk groups ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Copy.h"
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

Copy::Copy(Agent &agent, const Inst &inst, TmaDirection direction)
    : Work(agent, inst,
           direction == TmaDirection::Load ? Mechanism::Phase
                                           : Mechanism::BulkGroup) {
  fills = direction == TmaDirection::Load;
  what.direction = direction;
}

/// What a copy by TMA moves, from its place as the executing thread sees it; null
/// where nothing can be.
static std::shared_ptr<Copy> tmaCopyOf(Agent &agent, const Inst &inst,
                                       TmaDirection direction) {
  Machine &machine = agent.machine;
  const Program &program = agent.program;
  if (!agent.oneThread(inst))
    return nullptr;
  auto copy = std::make_shared<Copy>(agent, inst, direction);
  if (inst.b != none)
    copy->shared = SharedPlace::decode(agent.scalars[inst.b]).address;
  TmaCopy &what = copy->what;
  for (uint32_t i = inst.count; i-- > 0;)
    (i < inst.imm ? what.coords : what.im2colOffsets)
        .push_back(
            static_cast<int64_t>(agent.scalars[program.lists[inst.list + i]]));
  what.shared = copy->shared;
  if (direction == TmaDirection::Reduce)
    what.reduction = stringifyAtomicOp(static_cast<AtomicOp>(inst.kind)).str();
  copy->map = MapPlace::decode(agent.scalars[inst.a]);
  copy->tensor = copy->isInMemory() ? copy->map.tensor
                                    : machine.launch.maps[copy->map.at].tensor;
  if (copy->isInMemory() && machine.views)
    machine.views->oldMap(agent, copy->map.at, machine.global, copy->oldMap);
  return copy->readMap(machine) ? copy : nullptr;
}

static Step tmaCopy(Agent &agent, const Inst &inst, TmaDirection direction) {
  auto copy = tmaCopyOf(agent, inst, direction);
  return copy ? issueCopy(copy) : Step::Failed;
}

/// There is no L2 here.
static Step tmaPrefetch(Agent &agent, const Inst &inst) {
  return tmaCopyOf(agent, inst, TmaDirection::Load) ? Step::Ran : Step::Failed;
}

Step titan::sim::issueCopy(std::shared_ptr<Copy> copy) {
  Agent &agent = *copy->agent;
  const Inst &inst = *copy->inst;
  Machine &machine = agent.machine;
  const Program &program = agent.program;
  Cta &cta = agent.cta;
  if (copy->isLoad()) {
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
  if (!copy->isLoad() || copy->isInMemory())
    agent.join(copy, Mechanism::BulkGroup);
  agent.view.beforeAsync(agent.lanes());
  if (machine.views) {
    copy->known = agent.knowledge->classes[0].known;
    if (!copy->isLoad()) {
      Viewer viewer(*machine.views, Proxy::Async, copy->known);
      cta.shared.oldBytes(copy->shared, copy->imageBytes(), viewer, copy->old);
      cta.readers.push_back(copy);
    }
    if (copy->isInMemory()) {
      copy->mapRead = false;
      if (machine.mapReads.size() % 64 == 0)
        std::erase_if(machine.mapReads,
                      [](const auto &each) { return each->done; });
      machine.mapReads.push_back(copy);
    }
  }
  ++machine.report.copies;
  machine.issue(copy);
  return machine.failed() ? Step::Failed : Step::Ran;
}

static Step tmaLoad(Agent &agent, const Inst &inst) {
  return tmaCopy(agent, inst, TmaDirection::Load);
}
static Step tmaStore(Agent &agent, const Inst &inst) {
  return tmaCopy(agent, inst, TmaDirection::Store);
}
static Step tmaReduce(Agent &agent, const Inst &inst) {
  return tmaCopy(agent, inst, TmaDirection::Reduce);
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

bool Copy::isOver(bool sourcesOnly, bool views) const {
  // Of a load only the reading of its map is waited for, which without views is
  // over at its issue; with them sources are read later, see Machine::settle.
  return isLoad() || (sourcesOnly ? sourceRead || views : done);
}

bool Copy::readsFrom(uint64_t begin, uint64_t bytes) const {
  return shared < begin + bytes &&
         begin < shared + static_cast<uint64_t>(imageBytes());
}

void Copy::settle(Machine &machine) {
  if (!isLoad())
    machine.readSource(*this);
  else if (!mapRead)
    readMap(machine);
}

void Copy::write(Machine &machine) {
  if (isLoad())
    load(machine);
  else
    store(machine);
}

void Copy::load(Machine &machine) {
  if (!mapRead && !readMap(machine))
    return;
  Bounds bounds(machine.arguments[tensor]);
  llvm::SmallVector<uint8_t, 256> bytes;
  std::optional<Viewer> viewer;
  Viewer *knows = nullptr;
  std::vector<EventId> written(targets.size());
  if (machine.views) {
    viewer.emplace(*machine.views, Proxy::Async, known);
    knows = &*viewer;
    for (auto [event, target] : llvm::zip(written, targets)) {
      auto [cta, phase] = target;
      event = machine.views->async(cta->barriers[barrier].source, phase + 1);
      machine.settle(*cta, shared, imageBytes(), *knows);
    }
  }
  forEachRun([&](const TmaRun &run) {
    if (machine.failed())
      return;
    bytes.resize(run.bytes);
    if (!run.fill) {
      if (!bounds.holds(run.global, run.bytes))
        return outOfBounds(machine, *this, run, bounds);
      machine.global.read(run.global, run.bytes, bytes.data(), nullptr, knows);
    }
    move(run, bytes, bytes);
    for (auto [event, target] : llvm::zip(written, targets))
      target.first->shared.write(run.shared, bytes.size(), bytes.data(),
                                 nullptr, event, knows);
  });
  for (auto &[cta, phase] : targets)
    if (!machine.failed())
      completeAt(machine, *this, *cta, cta->barriers[barrier], phase,
                 transactionBytes());
}

void titan::sim::findUnwritten(Machine &machine, const Work &work,
                               uint32_t where) {
  machine.find(
      Code::UndefinedRead,
      llvm::formatv("'{0}' reads {1}, which was never written, or is not "
                    "visible to the async proxy (byte {2} of the CTA's "
                    "shared memory): {3}",
                    work.inst->origin->getName().getStringRef(),
                    machine.nameAt(where), where, work.agent->who(*work.inst)),
      work.inst->origin, work.agent, /*fatal=*/false, {}, {}, nullptr,
      machine.fixOfUnwritten(where));
}

void Copy::read(Machine &machine) {
  if (isLoad() || (!mapRead && !readMap(machine)))
    return;
  bool good = true;
  uint32_t where = 0;
  std::vector<uint8_t> poison;
  forEachRun([&](const TmaRun &run) {
    size_t at = data.size();
    data.resize(at + run.bytes);
    poison.resize(run.bytes);
    cta->shared.read(run.shared, run.bytes, data.data() + at, poison.data());
    restore(old, run.shared, run.bytes, data.data() + at, poison.data());
    if (good && llvm::is_contained(poison, 1)) {
      good = false;
      where = run.shared;
    }
  });
  if (!good)
    findUnwritten(machine, *this, where);
}

void Copy::store(Machine &machine) {
  Bounds bounds(machine.arguments[tensor]);
  bool reduces = what.direction == TmaDirection::Reduce;
  std::vector<uint8_t> old;
  size_t at = 0;
  std::optional<Viewer> viewer;
  EventId event = 0;
  Memory &global = machine.global;
  if (machine.views) {
    viewer.emplace(*machine.views, Proxy::Async, known);
    event = machine.views->async(
        machine.views->stream(*agent, mechanism, 0).write, number);
  }
  forEachRun([&](const TmaRun &run) {
    if (machine.failed())
      return;
    if (!bounds.holds(run.global, run.bytes))
      return outOfBounds(machine, *this, run, bounds);
    llvm::MutableArrayRef<uint8_t> part(data.data() + at, run.bytes);
    at += run.bytes;
    if (reduces) {
      old.resize(run.bytes);
      global.read(run.global, run.bytes, old.data());
      move(run, part, old);
      part = old;
    }
    global.write(run.global, part.size(), part.data(), nullptr, event,
                 viewer ? &*viewer : nullptr, /*wins=*/reduces);
  });
  data.clear();
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
  table.add<TmaPrefetchOp>([](Compiler &c, TmaPrefetchOp op) {
    compileCopy(c, tmaPrefetch, op, op.getMap(), op.getCoords(), Value(),
                op.getOffsets());
  });
  table.add<TmaStoreOp>([](Compiler &c, TmaStoreOp op) {
    compileCopy(c, tmaStore, op, op.getMap(), op.getCoords(), op.getBuffer());
  });
  table.add<TmaReduceOp>([](Compiler &c, TmaReduceOp op) {
    compileCopy(c, tmaReduce, op, op.getMap(), op.getCoords(), op.getBuffer())
        .kind = static_cast<uint8_t>(op.getOp());
  });
  // Groups are the elected thread's.
  table.add<BulkCommitOp>([](Compiler &c, BulkCommitOp op) {
    compileCommit(c, op, Mechanism::BulkGroup, op.getToken(), /*byWarp=*/false);
  });
  table.add<BulkWaitOp>([](Compiler &c, BulkWaitOp op) {
    compileWait(c, op, Mechanism::BulkGroup, op.getToken(), 0,
                /*byWarp=*/false, op.getRead());
  });
  table.add<BulkWaitGroupOp>([](Compiler &c, BulkWaitGroupOp op) {
    compileWait(c, op, Mechanism::BulkGroup, nullptr, op.getPending(),
                /*byWarp=*/false, op.getRead());
  });
  table.add<TokenNoneOp>([](Compiler &c, TokenNoneOp op) {
    uint32_t token = c.scalar(op.getToken());
    c.p.scalars[token] = 0;
  });
}
