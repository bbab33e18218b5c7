//===- AsyncStore.cpp - stores to a peer that tell its mbarrier ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/ExecutionTable.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

MBarrier *titan::sim::peerBarrier(Agent &agent, const Inst &inst, Cta *target,
                                  bool peer) {
  Cta *owner = nullptr;
  MBarrier *barrier = agent.barrier(inst, owner);
  if (!barrier || !agent.needLive(inst, *barrier, *owner))
    return nullptr;
  if (owner == target && !(peer && target == &agent.cta))
    return barrier;
  agent.machine.find(
      Code::PeerPlace,
      owner == target
          ? llvm::formatv("the destination is the executing CTA's own, rank "
                          "{0} of the cluster: {1}",
                          agent.cta.rank, agent.who(inst))
                .str()
          : llvm::formatv("what is written is in CTA {0} of the cluster, and "
                          "the barrier that counts it in CTA {1}: {2}",
                          target->rank, owner->rank, agent.who(inst))
                .str(),
      inst.origin, &agent);
  return nullptr;
}

void titan::sim::completeAt(Machine &machine, Work &copy, Cta &target,
                            MBarrier &barrier, uint64_t phase, int64_t bytes) {
  if (barrier.state != MBarrier::Live) {
    machine.find(Code::BarrierNotInitialised,
                 machine.nameOf(target, barrier) + " is " +
                     machine.stateOf(barrier) +
                     " when the copy completes: " + copy.agent->who(*copy.inst),
                 copy.inst->origin, copy.agent);
    return;
  }
  // The async proxy does not see the barrier yet: the signal is lost.
  if (copy.engine == Engine::Bulk && !barrier.publishedAsync)
    return;
  if (barrier.phase != phase) {
    machine.find(
        Code::BarrierBytes,
        llvm::formatv("the copy was issued in phase {0} of {1} and completes "
                      "in phase {2}, which began without its {3} bytes: {4}",
                      phase, machine.nameOf(target, barrier), barrier.phase,
                      bytes, copy.agent->who(*copy.inst)),
        copy.inst->origin, copy.agent);
    return;
  }
  barrier.copies.push_back(copy.id);
  machine.transact(barrier, -bytes, copy.inst->origin, copy.agent);
}

uint64_t titan::sim::reduceWord(AtomicOp op, unsigned bytes, uint64_t old,
                                uint64_t value) {
  auto sign = [&](uint64_t bits) {
    return llvm::SignExtend64(bits, 8 * bytes);
  };
  switch (op) {
  case AtomicOp::Add:
    return old + value;
  case AtomicOp::Min:
    return sign(old) < sign(value) ? old : value;
  case AtomicOp::Max:
    return sign(old) > sign(value) ? old : value;
  case AtomicOp::And:
    return old & value;
  case AtomicOp::Or:
    return old | value;
  case AtomicOp::Xor:
    return old ^ value;
  case AtomicOp::Exch:
  case AtomicOp::MinU:
  case AtomicOp::MaxU:
    break;
  }
  llvm_unreachable("no reduction into shared memory");
}

namespace {
/// The stores of a warp's threads: st.async, and red.async where `flag` is set
/// (its operation in `kind`).
struct PeerStore : Work {
  PeerStore(Agent &agent, const Inst &inst)
      : Work(agent, inst, Mechanism::Phase) {
    engine = Engine::Generic;
    if (agent.machine.views)
      for (int c = 0; c < 2; ++c)
        knows[c] = agent.knowledge->classes[c].known;
  }
  void write(Machine &machine) override;

  MBarrier *barrier = nullptr;
  unsigned bytes = 0; ///< Of an element.
  struct Word {
    unsigned lane;
    uint32_t address;
    uint64_t bits;
    bool poison;
  };
  std::vector<Word> words;
  Clock knows[2]; ///< Views: what lane 0 knew, and the others.
};
} // namespace

void PeerStore::write(Machine &machine) {
  auto [target, phase] = targets.front();
  std::optional<Viewer> viewers[2];
  EventId event = 0;
  if (machine.views) {
    for (int c = 0; c < 2; ++c)
      viewers[c].emplace(*machine.views, Proxy::Generic, knows[c]);
    event = machine.views->async(barrier->source, phase + 1);
  }
  bool reduces = inst->flag;
  for (const Word &word : words) {
    Viewer *viewer =
        viewers[word.lane != 0] ? &*viewers[word.lane != 0] : nullptr;
    uint64_t bits = word.bits;
    uint8_t data[8], poison[8];
    std::memset(poison, word.poison, sizeof(poison));
    if (reduces) {
      uint64_t old = 0;
      if (!target->shared.read(word.address, bytes, data, poison)) {
        machine.find(Code::UndefinedRead,
                     "updates bytes of " + machine.nameAt(word.address) +
                         " that were never written: " + agent->who(*inst),
                     inst->origin, agent);
        return;
      }
      std::memcpy(&old, data, bytes);
      bits = reduceWord(static_cast<AtomicOp>(inst->kind), bytes, old, bits);
    }
    std::memcpy(data, &bits, bytes);
    target->shared.write(word.address, bytes, data, poison, event, viewer,
                         /*wins=*/reduces);
  }
  completeAt(machine, *this, *target, *barrier, phase, words.size() * bytes);
}

static Step store(Agent &agent, const Inst &inst) {
  Machine &machine = agent.machine;
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  const TileAccess &access = *agent.program.accesses[inst.table];
  const TileTable &table = *access.tile;
  SharedPlace place = SharedPlace::decode(agent.scalars[inst.a]);
  Cta *target = agent.resolve(inst, place);
  if (!target)
    return Step::Failed;
  MBarrier *barrier = peerBarrier(agent, inst, target, inst.flag);
  if (!barrier)
    return Step::Failed;
  const Tile *from = agent.tile(inst.b);
  if (inst.flag && !agent.usePoison(inst, from))
    return Step::Failed;
  std::vector<PeerStore::Word> words;
  size_t begin = size_t(agent.regionWarp % table.warps) * table.perWarp();
  for (uint32_t i = 0; i < table.perWarp(); ++i)
    if (agent.regionWarp < table.warps && table.owner[begin + i])
      words.push_back({i % table.lanes,
                       place.address + access.offset[begin + i], from->data[i],
                       !from->poison.empty() && from->poison[i]});
  if (words.empty())
    return Step::Ran;
  agent.view.release(agent.lanes());
  agent.readsToCome(*target, place.address, access.viewBytes);
  auto copy = std::make_shared<PeerStore>(agent, inst);
  copy->barrier = barrier;
  copy->bytes = access.bytes;
  copy->words = std::move(words);
  copy->targets.push_back({target, barrier->phase});
  target->unobserved[copy->id] = copy;
  ++machine.report.copies;
  machine.issue(copy);
  return machine.failed() ? Step::Failed : Step::Ran;
}

template <typename Op> static Inst *compileStore(Compiler &c, Op op) {
  auto access = c.access(op, op.getTile().getType(), op.getTarget().getType());
  if (!access)
    return nullptr;
  uint32_t a = c.scalar(op.getTarget()), b = c.ref(op.getTile());
  Inst &inst = c.emit(store, op);
  inst.a = a;
  inst.b = b;
  inst.table = *access;
  c.barrierOperands(inst, op.getBarrier(), op.getIndex());
  return &inst;
}

void titan::sim::registerAsyncStore(ExecutionTable &table) {
  table.add<StAsyncOp>([](Compiler &c, StAsyncOp op) { compileStore(c, op); });
  table.add<RedAsyncOp>([](Compiler &c, RedAsyncOp op) {
    if (Inst *inst = compileStore(c, op)) {
      inst->flag = true;
      inst->kind = static_cast<uint8_t>(op.getOp());
    }
  });
}
