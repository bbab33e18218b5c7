//===- TensorMemory.cpp - tensor memory of sm_100a ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No proxy fence orders tensor memory (MM-100). A product is over when a commit
// behind it was waited for, a load or a store when its warp has executed
// tcgen05.wait (MM-103, MM-104). To another thread this is handed on by
// fence::before, any path in execution order, and fence::after (MM-102).
//
// tcgen05.alloc and dealloc count as writes of all that they get and give back:
// a use that is not ordered after the one and before the other is a race. A
// pair of CTAs gets its columns together: neither's alloc returns before the
// other's has come, so the leader need not be told that its peer has them.
//
// How many columns are allocated, and by which sizes, is a matter of execution
// order (MM-15): what is not given back before counts.
//
//===----------------------------------------------------------------------===//
#include "Execution.h"

#include "titan/Target/Target.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

//===----------------------------------------------------------------------===//
// Waits and fences
//===----------------------------------------------------------------------===//

void Execution::waitCells(uint32_t a, const Event &event, Mechanism mechanism) {
  Cells what = mechanism == Mechanism::TmemLoad ? Cells::LoadsWaited
                                                : Cells::StoresWaited;
  Agent &agent = agents[a];
  for (int lane : {electedClass, othersClass}) {
    if (!(event.lanes >> lane & 1))
      continue;
    agent.ownCells[lane][static_cast<unsigned>(what)] = agent.tick;
    // Of the whole warp: each lane knows of the others' (.sync.aligned).
    for (Clock &clock : agent.clock)
      clock.raise(shape.cells(what, a, lane), agent.tick);
  }
}

void Execution::fenceCells(uint32_t a, const Event &event, bool before) {
  Agent &agent = agents[a];
  for (int lane : {electedClass, othersClass}) {
    if (!(event.lanes >> lane & 1))
      continue;
    if (!before) {
      agent.cellsAfter[lane] = agent.clock[lane];
      continue;
    }
    auto &own = agent.ownCells[lane];
    auto at = [&](Cells what) -> uint32_t & {
      return own[static_cast<unsigned>(what)];
    };
    at(Cells::LoadsFenced) = at(Cells::LoadsWaited);
    at(Cells::StoresFenced) = at(Cells::StoresWaited);
    at(Cells::Fenced) = agent.tick;
  }
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

void Execution::writeCells(uint32_t a, const Event &event, const Action &action,
                           bool pair) {
  AccessRecord record{};
  record.agent = a;
  record.lanes = event.lanes;
  record.tick = agents[a].tick;
  record.kind = AccessKind::Write;
  record.proxy = Proxy::TensorMemory;
  record.footprint = action.object;
  record.event = &event;
  record.space = MemorySpace::SharedOwn;
  record.cta = ctaOf(a);
  record.pair = pair;
  View view;
  for (int lane : {electedClass, othersClass})
    view.clock[lane] = view.unfenced[lane] = &agents[a].clock[lane];
  view.cellsAfter = agents[a].cellsAfter;
  conflicts.add(std::move(record), view);
}

void Execution::checkColumns(uint32_t a, const Event &event, int64_t columns) {
  const Clock &clock = agents[a].clock[electedClass];
  auto past = [&](uint32_t agent, uint32_t tick) {
    return agent == a || clock[shape.acted(agent, electedClass)] >= tick;
  };
  auto tell = [&](const Event &other, const Twine &what, StringRef where) {
    if (Finding *finding =
            report.add(Code::TmemAlloc, event.op, other.op, what))
      finding->others.push_back({other.op->getLoc(), where.str()});
  };
  int cta = ctaOf(a);
  // PTX ISA, tcgen05.alloc: not more columns than at any allocation before.
  for (const CellBlock &first : allocations[cta])
    if (columns > first.columns)
      return tell(*first.got,
                  Twine(columns) + " columns are allocated after " +
                      Twine(first.columns) + ": sizes do not grow",
                  "the smaller allocation");
    else if (columns < first.columns && !past(first.agent, first.tick))
      return tell(*first.got,
                  Twine(columns) +
                      " columns are allocated, and nothing orders "
                      "that after the allocation of " +
                      Twine(first.columns) + ": sizes do not grow",
                  "the larger allocation");
  int64_t all = columns;
  const Event *other = nullptr;
  for (const auto &[key, block] : cellBlocks)
    if (key.first == cta && block.got &&
        !(block.freed && past(block.freer, block.freedTick))) {
      all += block.columns;
      other = block.got;
    }
  int64_t most = targetWith(Feature::Tcgen05).tmemColumns;
  if (all > most)
    tell(*other,
         Twine(all) + " columns of a CTA are allocated together, of " +
             Twine(most),
         "an allocation that is not given back before");
}

bool Execution::allocCells(uint32_t a, const Event &event,
                           const Action &action) {
  uint32_t root = footprints[action.object].root;
  int cta = ctaOf(a);
  CellBlock &block = cellBlocks[{cta, root}];
  bool again = block.agent == a && block.got == &event;
  if (!again) {
    const Event *given =
        relinquished.contains(cta) ? relinquished[cta] : nullptr;
    const Event *other = given ? given : block.freed ? nullptr : block.got;
    if (other)
      if (Finding *finding = report.add(
              Code::TmemAlloc, event.op, other->op,
              given ? "columns are allocated after the CTA has given up the "
                      "right to"
                    : "these columns are allocated already"))
        finding->others.push_back(
            {other->op->getLoc(), given ? "given up here" : "allocated here"});
    const FootprintData &cells = footprints[action.object];
    int64_t columns = cells.high[1] - cells.low[1];
    if (!other)
      checkColumns(a, event, columns);
    block = {};
    block.got = &event;
    block.agent = a;
    block.tick = agents[a].tick;
    block.columns = columns;
    allocations[cta].push_back(block);
  }
  // The other CTA of a pair comes, too.
  bool missing = false;
  eachCta(a, action, [&](int other) {
    auto found = cellBlocks.find({other, root});
    missing |= found == cellBlocks.end() || !found->second.got;
  });
  if (missing)
    return false;
  writeCells(a, event, action, (action.ctas & (action.ctas - 1)) != 0);
  return true;
}

void Execution::freeCells(uint32_t a, const Event &event,
                          const Action &action) {
  uint32_t root = footprints[action.object].root;
  CellBlock &block = cellBlocks[{ctaOf(a), root}];
  if (!block.got || block.freed)
    if (Finding *finding = report.add(
            Code::TmemAlloc, event.op, nullptr,
            block.freed ? "these columns have been given back already"
                        : "these columns were never allocated"))
      if (block.freed)
        finding->others.push_back(
            {block.freed->op->getLoc(), "given back here"});
  block.freed = &event;
  block.freer = a;
  block.freedTick = agents[a].tick;
  writeCells(a, event, action, false);
}

/// The cells that a product sums into: all that it writes.
static std::optional<uint32_t> accumulatorOf(const AgentProgram &code,
                                             const Event &event) {
  for (uint32_t i = 0; i < event.count; ++i) {
    const Action &action = code.actions[event.first + i];
    if (action.kind != Action::Access)
      continue;
    const auto &effect = std::get<effect::Access>(action.effect->what);
    if (effect.proxy == Proxy::TensorMemory && effect.kind == AccessKind::Write)
      return action.object;
  }
  return std::nullopt;
}

void Execution::accessCells(uint32_t a, const Event &event,
                            const Action &action, AccessRecord record,
                            const View &view) {
  uint32_t root = footprints[action.object].root;
  if (record.mechanism == Mechanism::TensorCore)
    record.accumulator = accumulatorOf(program.programs[a], event);
  eachCta(a, action, [&](int cta) {
    auto block = cellBlocks.find({cta, root});
    if (block == cellBlocks.end() || !block->second.got)
      report.add(Code::TmemAlloc, event.op, nullptr,
                 Twine("'") + event.op->getName().getStringRef() + "' of " +
                     who(a, event) +
                     " uses columns that nobody has allocated before");
    else if (const Event *freed = block->second.freed)
      if (Finding *finding = report.add(
              Code::TmemAlloc, event.op, freed->op,
              Twine("'") + event.op->getName().getStringRef() + "' of " +
                  who(a, event) + " uses columns that were given back"))
        finding->others.push_back({freed->op->getLoc(), "given back here"});
    if (block != cellBlocks.end())
      checkWritten(a, event, action, block->second);
    AccessRecord one = record;
    one.cta = cta;
    one.space =
        cta == ctaOf(a) ? MemorySpace::SharedOwn : MemorySpace::SharedPeer;
    conflicts.add(std::move(one), view);
  });
}

void Execution::checkWritten(uint32_t a, const Event &event,
                             const Action &action, CellBlock &block) {
  const auto &access = std::get<effect::Access>(action.effect->what);
  const FootprintData &cells = footprints[action.object];
  std::optional<int64_t> poison;
  const TargetInfo &target = targetWith(Feature::Tcgen05);
  int64_t lanes = target.tmemLanes / target.warpsPerWarpgroup;
  for (int64_t window = cells.low[0] / lanes; window < cells.high[0] / lanes;
       ++window) {
    llvm::BitVector &written = block.written[window];
    if (written.size() < cells.high[1])
      written.resize(cells.high[1]);
    if (access.kind == AccessKind::Write)
      written.set(cells.low[1], cells.high[1]);
    else if (int first =
                 written.find_first_unset_in(cells.low[1], cells.high[1]);
             access.surely && first >= 0 && !poison)
      poison = first;
  }
  if (poison)
    report.add(Code::UndefinedRead, event.op, nullptr,
               Twine("'") + event.op->getName().getStringRef() + "' of " +
                   who(a, event) + " reads " +
                   Twine(cells.high[1] - cells.low[1]) +
                   " columns of tensor memory, of which nothing has written "
                   "column " +
                   Twine(*poison) + " of the allocation");
}

void Execution::endOfCells() {
  for (auto &[key, block] : cellBlocks)
    if (block.got && !block.freed)
      report.add(Code::TmemAlloc, block.got->op, nullptr,
                 "these columns are not given back before the CTA ends");
}

//===----------------------------------------------------------------------===//
// Pairs of accesses
//===----------------------------------------------------------------------===//

/// Whether the engine keeps the two in order by itself (MM-47).
static bool inOrder(const AccessRecord &x, const AccessRecord &y) {
  auto operationOf = [](const AccessRecord &access) {
    return access.effect ? access.effect->engineOp() : std::nullopt;
  };
  auto first = operationOf(x), second = operationOf(y);
  const OrderedPair *pair =
      first && second ? findOrderedPair(*first, *second) : nullptr;
  if (!pair || pair->condition != PairCondition::SameAccumulatorShapeKind)
    return pair;
  return x.accumulator == y.accumulator &&
         x.effect->shapeAndKind == y.effect->shapeAndKind;
}

Conflicts::Order Conflicts::checkCells(const AccessRecord &x,
                                       const AccessRecord &y,
                                       const View &view) {
  if (!conflict({x.kind, x.proxy}, {y.kind, y.proxy}))
    return Order::Neither;
  bool sameThread = x.agent == y.agent && (x.lanes & y.lanes);
  bool pipelined = inOrder(x, y);
  if (sameThread && pipelined)
    return Order::Before;
  // Got by both CTAs of a pair together, and used by the other one.
  if (x.pair && x.cta != program.agents[y.agent].cta)
    return Order::Before;
  auto ofCells = [&](Cells loads, Cells stores) {
    return x.mechanism == Mechanism::TmemLoad ? loads : stores;
  };
  bool cells =
      x.mechanism && mechanismInfo(*x.mechanism).pending == Pending::Cells;
  auto reachedBy = [&](Cells what, const Clock &clock) {
    for (int c : {electedClass, othersClass})
      if (x.lanes >> c & 1 && clock[shape.cells(what, x.agent, c)] <= x.tick)
        return false;
    return true;
  };
  auto complete = [&](const Clock &clock) {
    if (cells)
      return reachedBy(ofCells(Cells::LoadsWaited, Cells::StoresWaited), clock);
    return x.mechanism ? reached(x.done, clock) : before(x, clock);
  };
  Requirement required;
  required.rule = "MM-102";
  for (int d : {electedClass, othersClass}) {
    if (!(y.lanes >> d & 1))
      continue;
    const Clock &clock = *view.clock[d];
    bool done = complete(clock) || (sameThread && !x.mechanism);
    // One issues, the other issues behind it: fences are enough.
    bool behind = pipelined && reachedBy(Cells::Fenced, clock);
    if (!done && !behind) {
      required.rule = cells ? "MM-103" : "MM-101";
      tell(cells         ? Code::TmemWaitMissing
           : x.mechanism ? Code::MmaOrder
                         : Code::Race,
           x, y, required,
           {cells         ? "its warp has not waited for it (tcgen05.wait)"
            : x.mechanism ? "no wait for a tcgen05.commit behind it comes first"
                          : "nothing orders the two"});
      return Order::Bad;
    }
    // A warp's own waits are those of all its lanes; who issues a product is
    // one thread.
    if (x.agent == y.agent &&
        (x.mechanism != Mechanism::TensorCore || x.lanes >> d & 1))
      continue;
    const Clock &after = view.cellsAfter[d];
    bool fenced =
        !after.empty() && (x.mechanism == Mechanism::TensorCore && !behind
                               ? reached(x.done, after)
                               : reachedBy(cells ? ofCells(Cells::LoadsFenced,
                                                           Cells::StoresFenced)
                                                 : Cells::Fenced,
                                           after));
    if (!fenced) {
      // Which half, and where: known by what the thread knew at its last one.
      // MM-102 names who leaves them out.
      std::string practice = "deployed practice does without in places "
                             "(CUTLASS's epilogues for sm100), the ISA does "
                             "not: ";
      bool stands = !after.empty(), behindWait = stands && complete(after);
      tell(Code::TmemFenceMissing, x, y, required,
           behindWait
               ? Advice{"no tcgen05.fence::before of its thread stands between "
                        "it and the signal",
                        practice + "put titan.tcgen05.fence_before behind '" +
                            x.event->op->getName().getStringRef().str() +
                            "' and before what its thread signals"}
           : stands
               ? Advice{"tcgen05.fence::after stands before the wait that "
                        "orders the two, and not behind it",
                        practice + "put titan.tcgen05.fence_after between "
                                   "that wait and this"}
               : Advice{"no tcgen05.fence::after stands behind the wait",
                        practice + "put titan.tcgen05.fence_after between "
                                   "the wait that orders the two and this"});
      return Order::Bad;
    }
  }
  return Order::Before;
}
