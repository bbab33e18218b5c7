//===- Bulk.cpp - bulk copies without a tensor map --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between global and shared memory these are copies as those by TMA, of one run
// of bytes. To a peer the source is read when the copy's step comes. A run of
// elements in a buffer (titan.shared.run) is a place like that of any view.
//
//===----------------------------------------------------------------------===//
#include "Copy.h"
#include "titan/Simulator/ExecutionTable.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

/// The address of the box's first element: its extents are immediate numbers in
/// the program, those of the coordinates in `list`; 0 after a finding.
static uint64_t runAddress(Agent &agent, const Inst &inst) {
  unsigned tensor = agent.scalars[inst.a];
  auto type = cast<GlobalType>(
      agent.machine.kernel.getKernelArguments()[tensor].getType());
  unsigned bytes = getElementBytes(type.getElementType());
  SmallVector<int64_t, 5> first, last;
  for (uint32_t d = 0; d < inst.count / 2; ++d) {
    first.push_back(static_cast<int64_t>(
        agent.scalars[agent.program.lists[inst.list + d]]));
    last.push_back(first.back() +
                   static_cast<int64_t>(
                       agent.program.lists[inst.list + inst.count / 2 + d]) -
                   1);
  }
  uint64_t begin, end;
  if (!agent.globalElement(inst, tensor, first, begin, bytes) ||
      !agent.globalElement(inst, tensor, last, end, bytes))
    return 0;
  uint64_t origin =
      reinterpret_cast<uint64_t>(agent.machine.arguments[tensor].data);
  if ((begin - origin) % 16) {
    agent.machine.find(Code::BulkAlignment,
                       llvm::formatv("the run begins at byte {0} of the "
                                     "tensor, no multiple of 16: {1}",
                                     begin - origin, agent.who(inst)),
                       inst.origin, &agent);
    return 0;
  }
  return begin;
}

static Step bulkCopy(Agent &agent, const Inst &inst, TmaDirection direction) {
  Machine &machine = agent.machine;
  if (!agent.oneThread(inst))
    return Step::Failed;
  uint64_t global = runAddress(agent, inst);
  if (!global)
    return Step::Failed;
  auto copy = std::make_shared<Copy>(agent, inst, direction);
  copy->shared = SharedPlace::decode(agent.scalars[inst.b]).address;
  copy->run = TmaRun{copy->shared, global, inst.imm, false, inst.imm};
  copy->mapRead = true;
  copy->tensor = agent.scalars[inst.a];
  if (direction == TmaDirection::Reduce) {
    auto type = cast<GlobalType>(
        machine.kernel.getKernelArguments()[copy->tensor].getType());
    auto op = static_cast<AtomicOp>(inst.kind);
    llvm::StringRef name = getTmaTypeName(
        type.getElementType(), op == AtomicOp::Min || op == AtomicOp::Max);
    copy->type = findTmaType({name.data(), name.size()});
    copy->what.reduction = stringifyAtomicOp(op).str();
  }
  return issueCopy(copy);
}

static Step bulkLoad(Agent &agent, const Inst &inst) {
  return bulkCopy(agent, inst, TmaDirection::Load);
}
static Step bulkStore(Agent &agent, const Inst &inst) {
  return bulkCopy(agent, inst, TmaDirection::Store);
}
static Step bulkReduce(Agent &agent, const Inst &inst) {
  return bulkCopy(agent, inst, TmaDirection::Reduce);
}

namespace {
/// To the shared memory of a peer, whose barrier tells of all of it.
struct PeerCopy : Work {
  PeerCopy(Agent &agent, const Inst &inst)
      : Work(agent, inst, Mechanism::Phase),
        from(SharedPlace::decode(agent.scalars[inst.a]).address),
        to(SharedPlace::decode(agent.scalars[inst.b]).address) {}

  bool readsFrom(uint64_t begin, uint64_t bytes) const override {
    return from < begin + bytes &&
           begin < from + static_cast<uint64_t>(inst->imm);
  }
  bool isKnownRead(Machine &, const Viewer &) const override { return false; }
  void read(Machine &machine) override;
  void write(Machine &machine) override;

  uint32_t from, to;
  MBarrier *barrier = nullptr;
  std::vector<uint8_t> data;
};
} // namespace

void PeerCopy::read(Machine &machine) {
  data.resize(inst->imm);
  std::vector<uint8_t> poison(inst->imm);
  cta->shared.read(from, inst->imm, data.data(), poison.data());
  restore(old, from, inst->imm, data.data(), poison.data());
  if (llvm::is_contained(poison, 1))
    findUnwritten(machine, *this, from);
}

/// With an operation in `kind` where `flag` is set, on elements of the width in
/// the list.
void PeerCopy::write(Machine &machine) {
  auto [target, phase] = targets.front();
  std::optional<Viewer> viewer;
  EventId event = 0;
  if (machine.views) {
    viewer.emplace(*machine.views, Proxy::Async, known);
    event = machine.views->async(barrier->source, phase + 1);
    machine.settle(*target, to, inst->imm, *viewer);
  }
  if (inst->flag) {
    std::vector<uint8_t> old(inst->imm);
    if (!target->shared.read(to, inst->imm, old.data())) {
      machine.find(Code::UndefinedRead,
                   "updates bytes of " + machine.nameAt(to) +
                       " that were never written: " + agent->who(*inst),
                   inst->origin, agent);
      return;
    }
    auto op = static_cast<AtomicOp>(inst->kind);
    unsigned width = machine.program.lists[inst->list];
    for (int64_t i = 0; i < inst->imm; i += width) {
      uint64_t a = 0, b = 0;
      std::memcpy(&a, &old[i], width);
      std::memcpy(&b, &data[i], width);
      a = reduceWord(op, width, a, b);
      std::memcpy(&data[i], &a, width);
    }
  }
  target->shared.write(to, inst->imm, data.data(), nullptr, event,
                       viewer ? &*viewer : nullptr, /*wins=*/inst->flag);
  data.clear();
  completeAt(machine, *this, *target, *barrier, phase, inst->imm);
}

static Step toPeer(Agent &agent, const Inst &inst) {
  Machine &machine = agent.machine;
  if (!agent.oneThread(inst))
    return Step::Failed;
  Cta *target = agent.resolve(inst, SharedPlace::decode(agent.scalars[inst.b]));
  if (!target)
    return Step::Failed;
  MBarrier *barrier = peerBarrier(agent, inst, target, /*peer=*/true);
  if (!barrier)
    return Step::Failed;
  auto copy = std::make_shared<PeerCopy>(agent, inst);
  copy->barrier = barrier;
  copy->targets.push_back({target, barrier->phase});
  target->unobserved[copy->id] = copy;
  agent.view.beforeAsync(agent.lanes());
  if (machine.views) {
    copy->known = agent.knowledge->classes[0].known;
    Viewer viewer(*machine.views, Proxy::Async, copy->known);
    agent.cta.shared.oldBytes(copy->from, inst.imm, viewer, copy->old);
    agent.cta.readers.push_back(copy);
  }
  ++machine.report.copies;
  machine.issue(copy);
  return machine.failed() ? Step::Failed : Step::Ran;
}

/// From element `b` on of the buffer at `a`: `imm2` is the last byte that it may
/// begin at.
static Step sharedRun(Agent &agent, const Inst &inst) {
  SharedPlace place = SharedPlace::decode(agent.scalars[inst.a]);
  auto index = static_cast<int64_t>(agent.scalars[inst.b]);
  bool inside = index >= 0 && index <= inst.imm2 / inst.imm;
  if (!inside || index * inst.imm % 16) {
    agent.machine.find(
        inside ? Code::BulkAlignment : Code::OutOfBounds,
        llvm::formatv("a run from element {0} on, {1}: {2}", index,
                      inside ? "at a byte that is no multiple of 16"
                             : "which leaves the buffer",
                      agent.who(inst)),
        inst.origin, &agent);
    return Step::Failed;
  }
  place.address += index * inst.imm;
  agent.scalars[inst.dst] = place.encode();
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// The list: coordinates, then the box's extents themselves.
template <typename Op>
static Inst &compileRun(Compiler &c, Execute run, Op op) {
  uint32_t a = c.scalar(op.getTensor()), b = c.scalar(op.getBuffer());
  Inst &inst = c.emit(run, op);
  inst.a = a;
  inst.b = b;
  inst.imm = op.getBuffer().getType().getTileBytes();
  c.setList(inst, op.getCoords());
  for (int64_t extent :
       getRunExtents(op.getTensor().getType(), op.getBuffer().getType()))
    c.p.lists.push_back(static_cast<uint32_t>(extent));
  inst.count *= 2;
  return inst;
}

template <typename Op> static Inst &compileToPeer(Compiler &c, Op op) {
  uint32_t a = c.scalar(op.getSource()), b = c.scalar(op.getTarget());
  Inst &inst = c.emit(toPeer, op);
  inst.a = a;
  inst.b = b;
  inst.imm = op.getSource().getType().getTileBytes();
  inst.list = c.p.lists.size();
  inst.count = 1;
  c.p.lists.push_back(op.getSource().getType().getElementBytes());
  c.barrierOperands(inst, op.getBarrier(), op.getIndex());
  return inst;
}

void titan::sim::registerBulk(ExecutionTable &table) {
  table.add<SharedRunOp>([](Compiler &c, SharedRunOp op) {
    uint32_t a = c.scalar(op.getSource()), b = c.scalar(op.getIndex()),
             dst = c.scalar(op.getResult());
    Inst &inst = c.emit(sharedRun, op);
    inst.a = a;
    inst.b = b;
    inst.dst = dst;
    inst.imm = op.getType().getElementBytes();
    inst.imm2 =
        op.getSource().getType().getTileBytes() - op.getType().getTileBytes();
  });
  table.add<BulkLoadOp>([](Compiler &c, BulkLoadOp op) {
    Inst &inst = compileRun(c, bulkLoad, op);
    c.barrierOperands(inst, op.getBarrier(), op.getIndex());
    inst.target = c.scalar(op.getMulticast());
  });
  table.add<BulkStoreOp>(
      [](Compiler &c, BulkStoreOp op) { compileRun(c, bulkStore, op); });
  table.add<BulkReduceOp>([](Compiler &c, BulkReduceOp op) {
    compileRun(c, bulkReduce, op).kind = static_cast<uint8_t>(op.getOp());
  });
  table.add<BulkCopyToPeerOp>(
      [](Compiler &c, BulkCopyToPeerOp op) { compileToPeer(c, op); });
  table.add<BulkReduceToPeerOp>([](Compiler &c, BulkReduceToPeerOp op) {
    Inst &inst = compileToPeer(c, op);
    inst.flag = true;
    inst.kind = static_cast<uint8_t>(op.getOp());
  });
}
