//===- AsyncCopy.cpp - copies that threads issue, their groups -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cp.async of a warp is one piece of work: the copies of its threads. Its
// bytes are read, and written, when its step comes, as the threads saw memory
// when they issued it. With views its writes are events of two streams of the
// warp, lane 0's and that of the others; the n-th copy has time n in both, so
// that a wait for groups and the phase of a barrier teach the same.
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/ExecutionTable.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;
using namespace titan::sim;

namespace {
/// What one thread copies by one instruction: `bytes` from global memory, then
/// zeros up to the chunk's end.
struct Chunk {
  unsigned lane;
  uint64_t global;
  uint32_t shared;
  uint8_t bytes, zeros;
};
} // namespace

static bool badChunk(Agent &agent, const Inst &inst, const Twine &what) {
  agent.machine.find(Code::CpAsyncChunk, what + ": " + agent.who(inst),
                     inst.origin, &agent);
  return false;
}

/// The chunks of this warp. `imm` is a chunk's number of elements.
static bool chunksOf(Agent &agent, const Inst &inst, const TileAccess &access,
                     uint32_t base, std::vector<Chunk> &chunks) {
  const TileTable &table = *access.tile;
  unsigned tensor = agent.scalars[inst.a], bytes = access.bytes;
  auto places = agent.elementPlaces(inst);
  if (!places)
    return false;
  const auto &[mask, indices] = *places;
  size_t begin = size_t(agent.regionWarp) * table.perWarp();
  const uint64_t origin =
      reinterpret_cast<uint64_t>(agent.machine.arguments[tensor].data);
  llvm::SmallVector<int64_t, 5> index(indices.size());
  for (uint32_t reg = 0; reg < table.registers; reg += inst.imm)
    for (unsigned lane = 0; lane < table.lanes; ++lane) {
      uint32_t first = reg * table.lanes + lane;
      if (!table.owner[begin + first])
        continue;
      Chunk chunk{lane, 0, base + access.offset[begin + first], 0, 0};
      for (int64_t i = 0; i < inst.imm; ++i) {
        uint32_t at = first + i * table.lanes;
        if (mask && !(mask->data[at] & 1)) {
          chunk.zeros += bytes;
          continue;
        }
        if (chunk.zeros)
          return badChunk(
              agent, inst,
              llvm::formatv("in a chunk of {0} elements the mask is false for "
                            "one before number {1}, for which it is true",
                            inst.imm, i));
        for (size_t d = 0; d < index.size(); ++d)
          index[d] = static_cast<int32_t>(indices[d]->data[at]);
        uint64_t address;
        if (!agent.globalElement(inst, tensor, index, address, bytes))
          return false;
        if (i == 0)
          chunk.global = address;
        if (i == 0 && (address - origin) % (inst.imm * bytes))
          return badChunk(agent, inst,
                          llvm::formatv("a chunk of {0} bytes begins at byte "
                                        "{1} of the tensor",
                                        inst.imm * bytes, address - origin));
        if (address != chunk.global + i * bytes)
          return badChunk(
              agent, inst,
              llvm::formatv("element {0} of a chunk of {1} lies {2} bytes from "
                            "the first one, and {3} were meant",
                            i, inst.imm,
                            static_cast<int64_t>(address - chunk.global),
                            i * bytes));
        chunk.bytes += bytes;
      }
      chunks.push_back(chunk);
    }
  return true;
}

namespace {
struct ThreadCopies : Work {
  ThreadCopies(Agent &agent, const Inst &inst)
      : Work(agent, inst, Mechanism::AsyncGroup) {
    if (agent.machine.views)
      for (int c = 0; c < 2; ++c)
        knows[c] = agent.knowledge->classes[c].known;
  }
  void write(Machine &machine) override;

  std::vector<Chunk> chunks;
  Clock knows[2]; ///< Views: what lane 0 knew, and the others.
};

/// cp.async.mbarrier.arrive: when all copies before it are done.
struct CopiesArrive : Work {
  CopiesArrive(Agent &agent, const Inst &inst)
      : Work(agent, inst, Mechanism::AsyncGroup) {}
  bool isReady() const override {
    return llvm::all_of(earlier,
                        [](const WorkRef &copy) { return copy->done; });
  }
  void write(Machine &machine) override;

  MBarrier *barrier = nullptr;
  std::vector<WorkRef> earlier;
};
} // namespace

void ThreadCopies::write(Machine &machine) {
  std::optional<Viewer> viewers[2];
  EventId events[2] = {};
  if (machine.views)
    for (int c = 0; c < 2; ++c) {
      viewers[c].emplace(*machine.views, Proxy::Generic, knows[c]);
      events[c] = machine.views->async(
          machine.views->stream(*agent, mechanism, c).write, number);
    }
  for (const Chunk &chunk : chunks) {
    int c = chunk.lane != 0;
    Viewer *viewer = viewers[c] ? &*viewers[c] : nullptr;
    uint8_t data[16] = {};
    if (chunk.bytes)
      machine.global.read(chunk.global, chunk.bytes, data, nullptr, viewer);
    cta->shared.write(chunk.shared, chunk.bytes + chunk.zeros, data, nullptr,
                      events[c], viewer);
  }
}

static Step cpAsync(Agent &agent, const Inst &inst) {
  Machine &machine = agent.machine;
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  const TileAccess &access = *agent.program.accesses[inst.table];
  uint32_t to = SharedPlace::decode(agent.scalars[inst.b]).address;
  std::vector<Chunk> chunks;
  if (agent.regionWarp < access.tile->warps &&
      !chunksOf(agent, inst, access, to, chunks))
    return Step::Failed;
  // Earlier accesses of the threads come first.
  agent.view.release(agent.lanes());
  agent.readsToCome(agent.cta, to, access.viewBytes);
  auto copy = std::make_shared<ThreadCopies>(agent, inst);
  copy->chunks = std::move(chunks);
  agent.join(copy, Mechanism::AsyncGroup);
  ++machine.report.copies;
  machine.issue(copy);
  return machine.failed() ? Step::Failed : Step::Ran;
}

void CopiesArrive::write(Machine &machine) {
  auto [owner, phase] = targets.front();
  if (machine.hazards && barrier->phase != phase)
    machine.find(
        Code::PhaseAmbiguous,
        llvm::formatv("the arrival was issued in phase {0} of {1} and comes "
                      "in phase {2}, which began without it: {3}",
                      phase, machine.nameOf(*owner, *barrier), barrier->phase,
                      agent->who(*inst)),
        inst->origin, agent);
  barrier->copies.push_back(id);
  if (machine.views)
    for (int c = 0; c < 2; ++c)
      barrier->gathering.own.raise(
          machine.views->stream(*agent, mechanism, c).write, number);
  machine.arrive(*barrier, machine.program.lanes, inst->origin, agent);
}

static Step mbarrierArrive(Agent &agent, const Inst &inst) {
  Machine &machine = agent.machine;
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  Cta *owner = nullptr;
  MBarrier *barrier = agent.barrier(inst, owner);
  if (!barrier || !agent.needLive(inst, *barrier, *owner))
    return Step::Failed;
  if (inst.flag)
    barrier->pending += agent.program.lanes;
  auto arrival = std::make_shared<CopiesArrive>(agent, inst);
  arrival->barrier = barrier;
  arrival->targets.push_back({owner, barrier->phase});
  owner->unobserved[arrival->id] = arrival;
  Stream &stream = agent.stream(Mechanism::AsyncGroup);
  auto follow = [&](std::vector<WorkRef> &copies) {
    llvm::erase_if(copies, [](const WorkRef &copy) { return copy->done; });
    arrival->earlier.insert(arrival->earlier.end(), copies.begin(),
                            copies.end());
  };
  follow(stream.open);
  for (size_t i = stream.done; i < stream.groups.size(); ++i)
    follow(stream.groups[i].work);
  arrival->number = stream.issued;
  machine.issue(arrival);
  return machine.failed() ? Step::Failed : Step::Ran;
}

static Waits waitsForCopies(Agent &, const Inst &) {
  return {.what = "a group of cp.async"};
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

void titan::sim::registerAsyncCopy(ExecutionTable &table) {
  table.add<CpAsyncOp>([](Compiler &c, CpAsyncOp op) {
    auto access = c.access(op, op.getTileType(), op.getBuffer().getType());
    if (!access)
      return;
    uint32_t a = c.scalar(op.getTensor()), b = c.scalar(op.getBuffer()),
             mask = c.ref(op.getMask());
    Inst &inst = c.emit(cpAsync, op);
    inst.a = a;
    inst.b = b;
    inst.c = mask;
    inst.table = *access;
    inst.imm = op.getChunk();
    c.setList(inst, op.getIndices(), true);
  });
  table.add<CpAsyncCommitOp>([](Compiler &c, CpAsyncCommitOp op) {
    compileCommit(c, op, Mechanism::AsyncGroup, op.getToken(),
                  /*byWarp=*/true);
  });
  table.add<CpAsyncWaitOp>([](Compiler &c, CpAsyncWaitOp op) {
    compileWait(c, op, Mechanism::AsyncGroup, op.getToken(), 0, /*byWarp=*/true)
        .waits = waitsForCopies;
  });
  table.add<CpAsyncWaitGroupOp>([](Compiler &c, CpAsyncWaitGroupOp op) {
    compileWait(c, op, Mechanism::AsyncGroup, nullptr, op.getPending(),
                /*byWarp=*/true)
        .waits = waitsForCopies;
  });
  table.add<CpAsyncMBarrierArriveOp>(
      [](Compiler &c, CpAsyncMBarrierArriveOp op) {
        Inst &inst = c.emit(mbarrierArrive, op);
        inst.flag = !op.getNoinc();
        c.barrierOperands(inst, op.getBarrier(), op.getIndex());
      });
}
