//===- Amd.cpp - CDNA3: loads to LDS, wait counters -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a wave has issued and not waited for is Work, of one of two streams:
//
//   vmcnt     loads to LDS: a piece of work an instruction, 4 bytes a lane
//   lgkmcnt   accesses to LDS: a piece of work an operation, done in the order of
//             issue. How many instructions one is the code generator decides: it
//             counts as one here, so that N left are never fewer than in fact
//
// Each piece is a group, and s_waitcnt N waits for all but the youngest N. With
// views a piece reads and writes as the wave's lanes saw memory at its issue, and
// its writes are known to who has waited; s_barrier lets nothing out.
//
// The products (titan.mfma) are not simulated: no source says how they round.
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/ExecutionTable.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

namespace {
/// What it reads and writes the lanes do, as they saw memory at its issue.
struct WaveWork : Work {
  WaveWork(Agent &agent, const Inst &inst, Mechanism mechanism)
      : Work(agent, inst, mechanism) {
    if (agent.machine.views)
      for (int c = 0; c < 2; ++c)
        knows[c] = agent.knowledge->classes[c].known;
  }
  void write(Machine &machine) final;
  /// `viewers`: by class of lanes; null without views.
  virtual void perform(Machine &machine, Viewer *const (&viewers)[2],
                       EventId event) = 0;

  Clock knows[2];
};

/// One instruction of a load to LDS: `bytes` of each lane, zeros behind the
/// tensor's end.
struct LoadToLds : WaveWork {
  LoadToLds(Agent &agent, const Inst &inst)
      : WaveWork(agent, inst, Mechanism::VmCount) {}
  void perform(Machine &machine, Viewer *const (&viewers)[2],
               EventId event) override;

  struct Element {
    unsigned lane;
    uint64_t global; ///< 0: a zero.
    uint32_t shared;
  };
  unsigned bytes = 0; ///< Of an element.
  std::vector<Element> elements;
};

struct LdsAccess : WaveWork {
  LdsAccess(Agent &agent, const Inst &inst)
      : WaveWork(agent, inst, Mechanism::LgkmCount),
        access(*agent.program.accesses[inst.table]),
        base(SharedPlace::decode(agent.scalars[inst.a]).address) {}

  /// The warp's part of the access's tables.
  size_t begin() const {
    return size_t(agent->regionWarp % access.tile->warps) *
           access.tile->perWarp();
  }
  uint32_t addressOf(uint32_t i) const {
    return base + access.offset[begin() + i];
  }
  static int classOf(Machine &machine, uint32_t i) {
    return i % machine.program.lanes != 0;
  }

  const TileAccess &access;
  uint32_t base;
};

struct LdsRead : LdsAccess {
  LdsRead(Agent &agent, const Inst &inst) : LdsAccess(agent, inst) {
    fills = false;
  }
  void perform(Machine &machine, Viewer *const (&viewers)[2],
               EventId event) override;
  llvm::IntrusiveRefCntPtr<Tile> result;
};

struct LdsWrite : LdsAccess {
  using LdsAccess::LdsAccess;
  void perform(Machine &machine, Viewer *const (&viewers)[2],
               EventId event) override;
  llvm::IntrusiveRefCntPtr<Tile> tile;
};
} // namespace

void WaveWork::write(Machine &machine) {
  if (!machine.views)
    return perform(machine, {nullptr, nullptr}, 0);
  Viewer first(*machine.views, Proxy::Generic, knows[0]),
      others(*machine.views, Proxy::Generic, knows[1]);
  EventId event = machine.views->async(
      machine.views->stream(*agent, mechanism, 0).write, number);
  perform(machine, {&first, &others}, event);
}

/// Issues it as the youngest of its counter.
static void issue(Agent &agent, const std::shared_ptr<WaveWork> &work) {
  agent.join(work, work->mechanism);
  agent.machine.issue(work);
}

static Step ran(Agent &agent) {
  return agent.machine.failed() ? Step::Failed : Step::Ran;
}

//===----------------------------------------------------------------------===//
// Global memory to LDS
//===----------------------------------------------------------------------===//

void LoadToLds::perform(Machine &machine, Viewer *const (&viewers)[2],
                        EventId event) {
  for (const Element &each : elements) {
    Viewer *viewer = viewers[each.lane != 0];
    uint8_t data[8] = {};
    if (each.global)
      machine.global.read(each.global, bytes, data, nullptr, viewer);
    cta->shared.write(each.shared, bytes, data, nullptr, event, viewer);
  }
}

/// `imm`: registers of an instruction; `imm2`: instructions of a wave.
static Step bufferLoadLds(Agent &agent, const Inst &inst) {
  Machine &machine = agent.machine;
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  const TileAccess &access = *agent.program.accesses[inst.table];
  const TileTable &table = *access.tile;
  uint32_t base = SharedPlace::decode(agent.scalars[inst.b]).address;
  unsigned tensor = agent.scalars[inst.a];
  int64_t rows = machine.arguments[tensor].shape[0];
  size_t begin = size_t(agent.regionWarp) * table.perWarp();
  for (int64_t i = 0; i < inst.imm2; ++i) {
    auto load = std::make_shared<LoadToLds>(agent, inst);
    load->bytes = access.bytes;
    for (uint32_t at = i * inst.imm * table.lanes,
                  end = (i + 1) * inst.imm * table.lanes;
         at < end; ++at) {
      LoadToLds::Element element{at % table.lanes, 0,
                                 base + access.offset[begin + at]};
      // Row-major, of the buffer's two dimensions.
      int64_t place = table.element[begin + at], columns = table.shape[1];
      int64_t index[] = {place / columns, place % columns};
      for (int d = 0; d < 2; ++d)
        index[d] += static_cast<int64_t>(
            agent.scalars[agent.program.lists[inst.list + d]]);
      // Rows behind the tensor's end are out of the buffer's range.
      if (index[0] < rows && !agent.globalElement(inst, tensor, index,
                                                  element.global, access.bytes))
        return Step::Failed;
      // A lane's word of 4 bytes.
      if (at / table.lanes % inst.imm == 0 && element.global % 4) {
        machine.find(Code::Misaligned,
                     "the 4 bytes of a lane begin at no multiple of 4: " +
                         agent.who(inst),
                     inst.origin, &agent);
        return Step::Failed;
      }
      load->elements.push_back(element);
    }
    ++machine.report.copies;
    issue(agent, load);
  }
  agent.scalars[inst.dst] = agent.stream(Mechanism::VmCount).groups.size();
  return ran(agent);
}

//===----------------------------------------------------------------------===//
// LDS and registers
//===----------------------------------------------------------------------===//

void LdsRead::perform(Machine &machine, Viewer *const (&viewers)[2], EventId) {
  for (uint32_t i = 0; i < access.tile->perWarp(); ++i) {
    uint8_t bytes[8] = {}, poison[8];
    if (!cta->shared.read(addressOf(i), access.bytes, bytes, poison,
                          viewers[classOf(machine, i)])) {
      result->poison.resize(access.tile->perWarp());
      result->poison[i] = 1;
    }
    uint64_t bits;
    std::memcpy(&bits, bytes, sizeof(bits));
    result->data[i] = canonical(access.type, bits);
  }
}

/// In flight: the tile, and the number of the read in its stream.
static Step dsRead(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  agent.view.release(agent.lanes(), MemorySpace::SharedOwn);
  auto read = std::make_shared<LdsRead>(agent, inst);
  read->result = new Tile(read->access.tile->perWarp());
  agent.refs[inst.dst] = read->result;
  issue(agent, read);
  agent.scalars[inst.d] = agent.stream(Mechanism::LgkmCount).groups.size();
  return ran(agent);
}

void LdsWrite::perform(Machine &machine, Viewer *const (&viewers)[2],
                       EventId event) {
  if (agent->regionWarp >= access.tile->warps)
    return;
  for (uint32_t i = 0; i < access.tile->perWarp(); ++i) {
    if (!access.tile->owner[begin() + i])
      continue;
    uint8_t bytes[8], poison[8];
    std::memcpy(bytes, &tile->data[i], sizeof(bytes));
    std::memset(poison, !tile->poison.empty() && tile->poison[i],
                sizeof(poison));
    cta->shared.write(addressOf(i), access.bytes, bytes, poison, event,
                      viewers[classOf(machine, i)]);
  }
}

static Step dsWrite(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  agent.tile(inst.b); // Its registers are read now.
  // Plain stores of the wave are LDS operations that come before.
  agent.view.release(agent.lanes(), MemorySpace::SharedOwn);
  auto write = std::make_shared<LdsWrite>(agent, inst);
  write->tile = static_cast<Tile *>(agent.refs[inst.b].get());
  issue(agent, write);
  return ran(agent);
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// All but the youngest `left` of a counter are over, for the whole wave; and,
/// where none are left, its plain stores.
static Step waitForCounter(Agent &agent, Mechanism counter, int64_t left) {
  size_t all = agent.stream(counter).groups.size();
  Step step = agent.waitForGroups(counter, all - std::min<size_t>(all, left));
  if (step == Step::Ran && left == 0)
    agent.view.release(everyLane, counter == Mechanism::VmCount
                                      ? MemorySpace::Global
                                      : MemorySpace::SharedOwn);
  return step;
}

/// `imm`, `imm2`: how many may be left of vmcnt and of lgkmcnt; negative: that
/// counter is not waited for. The list: tiles in flight, their numbers, what they
/// become, and how many elements a wave has of it.
static Step sWaitcnt(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  for (auto [counter, left] : {std::pair(Mechanism::VmCount, inst.imm),
                               {Mechanism::LgkmCount, inst.imm2}})
    if (left >= 0)
      if (Step step = waitForCounter(agent, counter, left); step != Step::Ran)
        return step;
  const uint32_t *slots = agent.program.lists.data() + inst.list;
  for (uint32_t i = 0; i < inst.count / 4; ++i, slots += 4) {
    if (agent.scalars[slots[1]] > agent.stream(Mechanism::LgkmCount).done) {
      agent.machine.find(Code::InflightUse,
                         "the registers may be on their way still: the wait "
                         "leaves the read pending: " +
                             agent.who(inst),
                         inst.origin, &agent);
      return Step::Failed;
    }
    Ref tile = agent.refs[slots[0]];
    if (!tile) { // titan.inflight.none
      auto *nothing = new Tile(slots[3]);
      nothing->poison.assign(slots[3], 1);
      tile = nothing;
    }
    agent.refs[slots[2]] = tile;
  }
  return Step::Ran;
}

static Waits waitsForCounters(Agent &, const Inst &inst) {
  return {.what = inst.imm < 0    ? "lgkmcnt"
                  : inst.imm2 < 0 ? "vmcnt"
                                  : "vmcnt and lgkmcnt"};
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static void compileLoad(Compiler &c, BufferLoadLdsOp op) {
  auto access = c.access(op, op.getTile(), op.getBuffer().getType());
  if (!access)
    return;
  uint32_t a = c.scalar(op.getTensor()), b = c.scalar(op.getBuffer()),
           dst = c.scalar(op.getToken());
  Inst &inst = c.emit(bufferLoadLds, op);
  inst.a = a;
  inst.b = b;
  inst.dst = dst;
  inst.table = *access;
  inst.imm2 = op.getInstructions();
  inst.imm = c.p.accesses[*access]->tile->registers / inst.imm2;
  c.setList(inst, op.getCoords());
}

static void compileWaits(Compiler &c, SWaitcntOp op) {
  SmallVector<uint32_t> slots;
  for (auto [load, tile] : llvm::zip(op.getLoads(), op.getTiles())) {
    const TileTable *table = c.tileTable(op, tile.getType());
    if (!table)
      return;
    SlotOf from = c.slot(load);
    slots.append({from.ref, from.scalar, c.ref(tile), table->perWarp()});
  }
  Inst &inst = c.emit(sWaitcnt, op);
  inst.waits = waitsForCounters;
  auto most = [](std::optional<uint64_t> left) {
    return left ? static_cast<int64_t>(*left) : -1;
  };
  inst.imm = most(op.getVmcnt());
  inst.imm2 = most(op.getLgkmcnt());
  inst.list = c.p.lists.size();
  inst.count = slots.size();
  c.p.lists.insert(c.p.lists.end(), slots.begin(), slots.end());
}

void titan::sim::registerAmd(ExecutionTable &table) {
  table.add<BufferLoadLdsOp>(compileLoad);
  table.add<DsReadOp>([](Compiler &c, DsReadOp op) {
    SharedType buffer = op.getBuffer().getType();
    auto access = c.access(op, op.getType().getTensor(), buffer);
    if (!access)
      return;
    uint32_t a = c.scalar(op.getBuffer());
    SlotOf result = c.slot(op.getResult());
    Inst &inst = c.emit(dsRead, op);
    inst.a = a;
    inst.dst = result.ref;
    inst.d = result.scalar;
    inst.table = *access;
  });
  table.add<DsWriteOp>([](Compiler &c, DsWriteOp op) {
    auto access =
        c.access(op, op.getTile().getType(), op.getBuffer().getType());
    if (!access)
      return;
    uint32_t a = c.scalar(op.getBuffer()), b = c.ref(op.getTile());
    Inst &inst = c.emit(dsWrite, op);
    inst.a = a;
    inst.b = b;
    inst.table = *access;
  });
  table.add<SWaitcntOp>(compileWaits);
  table.add<CounterWaitOp>([](Compiler &c, CounterWaitOp op) {
    compileWait(c, op, Mechanism::VmCount, op.getToken(), 0, /*byWarp=*/true);
  });
  table.add<SBarrierOp>([](Compiler &c, SBarrierOp op) {
    compileNamedBarrier(c, op, 0, c.p.warps * c.p.lanes);
  });
}
