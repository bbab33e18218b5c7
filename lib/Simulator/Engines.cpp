//===- Engines.cpp - what was issued and is not complete ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Trace.h"
#include "titan/Simulator/ExecutionTable.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

void titan::sim::restore(ArrayRef<OldByte> old, uint64_t address, size_t bytes,
                         uint8_t *data, uint8_t *poison) {
  auto first = llvm::lower_bound(
      old, address, [](const OldByte &a, uint64_t b) { return a.address < b; });
  for (; first != old.end() && first->address < address + bytes; ++first) {
    data[first->address - address] = first->byte;
    poison[first->address - address] = first->poison;
  }
}

//===----------------------------------------------------------------------===//
// A piece of work
//===----------------------------------------------------------------------===//

Work::Work(Agent &agent, const Inst &inst, Mechanism mechanism)
    : id(agent.machine.nextWork++), inst(&inst), agent(&agent), cta(&agent.cta),
      mechanism(mechanism), engine(mechanismInfo(mechanism).engine) {}
Work::~Work() = default;

bool Work::isKnownRead(Machine &machine, const Viewer &writer) const {
  return writer.knows(machine.views->stream(*agent, mechanism, 0).read, number);
}

void Work::settle(Machine &machine) { machine.readSource(*this); }

void Machine::issue(WorkRef item) {
  item->issued = events;
  ++item->cta->cluster.pendingWork;
  const Schedule &schedule = options.schedule;
  if (schedule.kind != Schedule::Eager &&
      !(schedule.kind == Schedule::Skew && schedule.seed % 2)) {
    work.push_back(std::move(item));
    return;
  }
  while (!stop && !perform(*item))
    ;
  --item->cta->cluster.pendingWork;
}

bool Machine::ready(const Work &item) const {
  return !item.queue || item.queue->done + 1 >= item.number;
}

bool Machine::perform(Work &item) {
  ++events;
  if (item.done)
    return true;
  if (!item.isReady())
    return false;
  if (!item.sourceRead) {
    readSource(item);
    if (mechanismInfo(item.mechanism).hasReadWait)
      return false;
  }
  complete(item);
  return true;
}

void Machine::readSource(Work &item) {
  if (!std::exchange(item.sourceRead, true))
    item.read(*this);
}

void Machine::complete(Work &item) {
  readSource(item);
  item.write(*this);
  item.done = true;
  if (trace)
    trace->work(item, events);
  Queue *queue = item.queue;
  if (!queue)
    return;
  ++queue->done;
  while (!queue->pieces.empty() && queue->pieces.front()->done) {
    queue->pieces.pop_front();
    ++queue->first;
  }
}

void Machine::completeUpTo(Queue &queue, uint64_t number) {
  while (queue.done < number && !stop) {
    WorkRef next = queue.pieces[queue.done - queue.first];
    complete(*next);
  }
}

bool Machine::settle(Cta &cta, uint64_t begin, uint64_t bytes,
                     const Viewer &writer) {
  std::erase_if(cta.readers,
                [](const WorkRef &item) { return item->sourceRead; });
  bool toCome = false;
  for (const WorkRef &item : cta.readers) {
    if (item->sourceRead || !item->readsFrom(begin, bytes))
      continue;
    if (item->isKnownRead(*this, writer))
      item->settle(*this);
    else
      toCome = true;
  }
  return toCome;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

void Agent::join(WorkRef work, Mechanism mechanism) {
  Stream &to = stream(mechanism);
  work->number = ++to.issued;
  const MechanismInfo &info = mechanismInfo(mechanism);
  if (info.waiter == Waiter::IssuingWarp &&
      engineInfo(info.engine).inOrder != InOrder::Nothing) {
    work->queue = &cta.queues[{info.engine, warp}];
    work->queue->pieces.push_back(work);
  }
  if (info.binding == Binding::Issue)
    to.groups.push_back({{std::move(work)}, to.issued});
  else
    to.open.push_back(std::move(work));
}

/// The mechanism of a commit or wait; none, and a finding, where one thread
/// executes what is for all.
static std::optional<Mechanism> mechanismOf(Agent &agent, const Inst &inst) {
  if (inst.imm2 && !agent.wholeWarp(inst))
    return std::nullopt;
  return static_cast<Mechanism>(inst.kind);
}

static Step commit(Agent &agent, const Inst &inst) {
  auto mechanism = mechanismOf(agent, inst);
  if (!mechanism)
    return Step::Failed;
  Stream &stream = agent.stream(*mechanism);
  stream.groups.push_back({std::move(stream.open), stream.issued});
  stream.open.clear();
  agent.scalars[inst.dst] = stream.groups.size();
  return Step::Ran;
}

Step Agent::waitForGroups(Mechanism mechanism, size_t upTo, bool sourcesOnly) {
  // Groups complete in order: the wait covers every older one.
  Stream &from = stream(mechanism);
  for (size_t i = sourcesOnly ? from.read : from.done; i < upTo; ++i)
    for (const WorkRef &work : from.groups[i].work)
      if (!work->isOver(sourcesOnly, machine.views != nullptr))
        return Step::Blocked;
  if (machine.views)
    machine.views->learn(*this, mechanism, from.lastOf(upTo), sourcesOnly);
  from.read = std::max(from.read, upTo);
  if (sourcesOnly)
    return Step::Ran;
  for (size_t i = from.done; i < upTo; ++i)
    llvm::erase_if(from.groups[i].work,
                   [](const WorkRef &work) { return work->done; });
  from.done = std::max(from.done, upTo);
  return Step::Ran;
}

static Step waitForToken(Agent &agent, const Inst &inst) {
  auto mechanism = mechanismOf(agent, inst);
  return mechanism
             ? agent.waitForGroups(*mechanism, agent.scalars[inst.a], inst.flag)
             : Step::Failed;
}

static Step waitForNumber(Agent &agent, const Inst &inst) {
  auto mechanism = mechanismOf(agent, inst);
  if (!mechanism)
    return Step::Failed;
  size_t groups = agent.stream(*mechanism).groups.size();
  return agent.waitForGroups(
      *mechanism, groups - std::min<size_t>(groups, inst.imm), inst.flag);
}

static Waits waitsForGroup(Agent &, const Inst &inst) {
  return {.what = llvm::formatv(
              "a {0}", mechanismInfo(static_cast<Mechanism>(inst.kind)).name)};
}

void titan::sim::compileCommit(Compiler &c, Operation *op, Mechanism mechanism,
                               Value token, bool byWarp) {
  uint32_t dst = c.scalar(token);
  Inst &inst = c.emit(commit, op);
  inst.kind = static_cast<uint8_t>(mechanism);
  inst.imm2 = byWarp;
  inst.dst = dst;
}

Inst &titan::sim::compileWait(Compiler &c, Operation *op, Mechanism mechanism,
                              Value token, int64_t pending, bool byWarp,
                              bool sourcesOnly) {
  uint32_t a = c.scalar(token);
  Inst &inst = c.emit(token ? waitForToken : waitForNumber, op);
  inst.waits = waitsForGroup;
  inst.kind = static_cast<uint8_t>(mechanism);
  inst.imm2 = byWarp;
  inst.flag = sourcesOnly;
  inst.a = a;
  inst.imm = pending;
  return inst;
}
