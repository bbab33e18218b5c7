//===- Engines.cpp - copies, products, and the groups they are in ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Hazards.h"
#include "Machine.h"
#include "Numeric.h"
#include "Trace.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

Step Agent::copyOp(const Inst &inst) {
  if (!oneThread(inst))
    return Step::Failed;
  auto copy = std::make_shared<Copy>();
  SharedPlace place = SharedPlace::decode(scalars[inst.b]);
  TmaCopy &what = copy->what;
  what.direction = inst.op == Opcode::TmaLoad    ? TmaDirection::Load
                   : inst.op == Opcode::TmaStore ? TmaDirection::Store
                                                 : TmaDirection::Reduce;
  for (uint32_t i = inst.count; i-- > 0;)
    (i < inst.imm ? what.coords : what.im2colOffsets)
        .push_back(static_cast<int64_t>(scalars[program.lists[inst.list + i]]));
  what.shared = place.address;
  if (inst.op == Opcode::TmaReduce)
    what.reduction = stringifyAtomicOp(static_cast<AtomicOp>(inst.kind)).str();
  copy->id = machine.nextCopy++;
  copy->inst = &inst;
  copy->agent = this;
  copy->cta = &cta;
  copy->shared = place.address;
  copy->map = MapPlace::decode(scalars[inst.a]);
  bool inMemory = copy->map.kind != MapPlace::Parameter;
  copy->tensor =
      inMemory ? copy->map.tensor : machine.launch.maps[copy->map.at].tensor;
  if (inMemory && machine.views)
    machine.views->oldMap(*this, copy->map.at, machine.global, copy->oldMap);
  if (!machine.readMap(*copy))
    return Step::Failed;
  if (inst.op == Opcode::TmaLoad) {
    Cta *owner = nullptr;
    MBarrier *b = barrier(inst, owner);
    if (!b)
      return Step::Failed;
    copy->barrier = b->address;
    uint64_t mask = inst.target == none ? 0 : scalars[inst.target] & 0xffff;
    if (inst.target != none && (mask == 0 || mask >> program.clusterSize)) {
      machine.find(Code::OutOfBounds,
                   llvm::formatv("the multicast mask is {0}, in a cluster of "
                                 "{1} CTAs: {2}",
                                 mask, program.clusterSize, who(inst)),
                   inst.origin, this);
      return Step::Failed;
    }
    for (unsigned rank = 0; rank < program.clusterSize; ++rank) {
      if (inst.target == none ? rank != cta.rank : !(mask >> rank & 1))
        continue;
      Cta *target = resolve(inst, {0, rank});
      if (!target)
        return Step::Failed;
      MBarrier &signal = target->barriers[copy->barrier];
      signal.address = copy->barrier;
      if (target == &cta ? !needLive(inst, signal, *target)
                         : signal.state != MBarrier::Live &&
                               !needLive(inst, signal, *target))
        return Step::Failed;
      copy->targets.push_back({target, signal.phase});
      target->unobserved[copy->id] = copy;
    }
  }
  // A load may be in a group for the reading of its map alone (MM-91).
  if (inst.op != Opcode::TmaLoad || inMemory)
    uncommitted.push_back(copy);
  if (machine.hazards)
    machine.hazards->copy(*this, inst, *copy);
  view.beforeAsync(lanes());
  if (machine.views) {
    copy->known = knowledge->classes[0].known;
    copy->group = groups.size() + 1;
    if (inst.op != Opcode::TmaLoad) {
      Viewer viewer(*machine.views, Proxy::Async, copy->known);
      cta.shared.oldBytes(copy->shared, copy->transfer->imageBytes(), viewer,
                          copy->old);
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

void Machine::issue(CopyRef copy) {
  copy->issued = events;
  Work item{copy, copy->cta, nullptr, 0};
  ++copy->cta->cluster.pendingWork;
  if (options.schedule.kind == Schedule::Eager) {
    while (!stop && !perform(item))
      ;
    --copy->cta->cluster.pendingWork;
    return;
  }
  work.push_back(std::move(item));
}

void Machine::issue(Cta &cta, Warpgroup &group, uint64_t number) {
  Work item{nullptr, &cta, &group, number};
  ++cta.cluster.pendingWork;
  if (options.schedule.kind == Schedule::Eager) {
    perform(item);
    --cta.cluster.pendingWork;
    return;
  }
  work.push_back(std::move(item));
}

bool Machine::ready(const Work &item) const {
  return !item.group || item.group->done >= item.product;
}

bool Machine::settle(Cta &cta, uint64_t begin, uint64_t bytes,
                     const Viewer &writer) {
  bool toCome = false;
  auto overlaps = [&](uint64_t from, uint64_t size) {
    return from < begin + bytes && begin < from + size;
  };
  for (size_t g = 0; g < cta.warpgroups.size(); ++g) {
    Warpgroup &group = cta.warpgroups[g];
    uint32_t sources[4];
    if (group.products.empty())
      continue;
    for (unsigned warp = 0; warp < 4; ++warp)
      sources[warp] = cta.agents[4 * g + warp]->knowledge->products;
    uint64_t over = group.done;
    for (uint64_t number = group.done;
         number < group.firstNumber + group.products.size(); ++number) {
      const Product &product = group.products[number - group.firstNumber];
      const MmaTable &table = *program.products[product.inst->table];
      if (product.joined != 15 ||
          (!overlaps(product.b, table.b->viewBytes) &&
           (!table.a || !overlaps(product.a, table.a->viewBytes))))
        continue;
      if (writer.knowsOne(sources, number + 1))
        over = number + 1;
      else
        toCome = true;
    }
    multiplyUpTo(cta, group, over);
  }
  std::erase_if(cta.stores,
                [](const CopyRef &copy) { return copy->sourceRead; });
  for (const CopyRef &copy : cta.stores) {
    if (!overlaps(copy->shared, copy->transfer->imageBytes()))
      continue;
    if (writer.knows(copy->agent->knowledge->bulkReads, copy->group))
      readSource(*copy);
    else
      toCome = true;
  }
  return toCome;
}

//===----------------------------------------------------------------------===//
// Copies
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

/// The whole load: reads, writes, and the signal at the end.
static void load(Machine &machine, const CopyRef &copy) {
  if (!copy->mapRead && !machine.readMap(*copy))
    return;
  Bounds bounds(machine.arguments[copy->tensor]);
  llvm::SmallVector<uint8_t, 256> data;
  uint16_t fill = copy->transfer->fillPattern();
  std::optional<Viewer> viewer;
  Viewer *known = nullptr;
  std::vector<EventId> written(copy->targets.size());
  if (machine.views) {
    viewer.emplace(*machine.views, Proxy::Async, copy->known);
    known = &*viewer;
    for (auto [event, target] : llvm::zip(written, copy->targets)) {
      auto [cta, phase] = target;
      event =
          machine.views->async(cta->barriers[copy->barrier].source, phase + 1);
      machine.settle(*cta, copy->shared, copy->transfer->imageBytes(), *known);
    }
  }
  copy->transfer->forEachRun([&](const TmaRun &run) {
    if (machine.failed())
      return;
    data.resize(run.bytes);
    if (run.fill) {
      for (int64_t i = 0; i < run.bytes; ++i)
        data[i] = static_cast<uint8_t>((run.shared + i) & 1 ? fill >> 8 : fill);
    } else {
      if (!bounds.holds(run.global, run.bytes))
        return outOfBounds(machine, *copy, run, bounds);
      machine.global.read(run.global, run.bytes, data.data(), nullptr, known);
    }
    for (auto [event, target] : llvm::zip(written, copy->targets))
      target.first->shared.write(run.shared, data.size(), data.data(), nullptr,
                                 event, known);
  });
  for (auto &[cta, phase] : copy->targets) {
    if (machine.failed())
      return;
    MBarrier &barrier = cta->barriers[copy->barrier];
    if (barrier.state != MBarrier::Live) {
      machine.find(
          Code::BarrierNotInitialised,
          machine.nameOf(*cta, barrier) + " is " + machine.stateOf(barrier) +
              " when the copy completes: " + copy->agent->who(*copy->inst),
          copy->inst->origin, copy->agent);
      return;
    }
    // The async proxy does not see the barrier yet: the signal is lost.
    if (!barrier.publishedAsync)
      continue;
    if (barrier.phase != phase) {
      machine.find(Code::BarrierBytes,
                   llvm::formatv("the copy was issued in phase {0} of {1} and "
                                 "completes in phase {2}, which began without "
                                 "its {3} bytes: {4}",
                                 phase, machine.nameOf(*cta, barrier),
                                 barrier.phase,
                                 copy->transfer->transactionBytes(),
                                 copy->agent->who(*copy->inst)),
                   copy->inst->origin, copy->agent);
      return;
    }
    barrier.copies.push_back(copy->id);
    machine.transact(barrier, -copy->transfer->transactionBytes(),
                     copy->inst->origin, copy->agent);
  }
}

/// What some bytes held as far as the reader knew takes the place of what was
/// read of [address, address + bytes).
static void restore(ArrayRef<OldByte> old, uint64_t address, size_t bytes,
                    uint8_t *data, uint8_t *poison) {
  auto first = llvm::lower_bound(
      old, address, [](const OldByte &a, uint64_t b) { return a.address < b; });
  for (; first != old.end() && first->address < address + bytes; ++first) {
    data[first->address - address] = first->byte;
    poison[first->address - address] = first->poison;
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
  copy.transfer->forEachRun([&](const TmaRun &run) {
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

static void writeDestination(Machine &machine, const CopyRef &copy) {
  Bounds bounds(machine.arguments[copy->tensor]);
  const TmaType &type = *copy->type;
  unsigned element = type.bits / 8;
  llvm::StringRef op;
  if (copy->inst->op == Opcode::TmaReduce)
    op = stringifyAtomicOp(static_cast<AtomicOp>(copy->inst->kind));
  size_t at = 0;
  std::optional<Viewer> viewer;
  EventId event = 0;
  if (machine.views) {
    viewer.emplace(*machine.views, Proxy::Async, copy->known);
    event =
        machine.views->async(copy->agent->knowledge->bulkWrites, copy->group);
  }
  copy->transfer->forEachRun([&](const TmaRun &run) {
    if (machine.failed())
      return;
    if (!bounds.holds(run.global, run.bytes))
      return outOfBounds(machine, *copy, run, bounds);
    llvm::MutableArrayRef<uint8_t> data(copy->data.data() + at, run.bytes);
    at += run.bytes;
    if (!op.empty())
      for (int64_t i = 0; i + element <= run.bytes; i += element) {
        uint64_t old = 0, source = 0;
        machine.global.read(run.global + i, element,
                            reinterpret_cast<uint8_t *>(&old));
        std::memcpy(&source, &data[i], element);
        auto result = reduceElement(op, type, old, source);
        if (!result) {
          machine.find(Code::TmaReduceType,
                       "no reduction '" + op + "' of " + type.name,
                       copy->inst->origin, copy->agent);
          return;
        }
        std::memcpy(&data[i], &*result, element);
      }
    machine.global.write(run.global, data.size(), data.data(), nullptr, event,
                         viewer ? &*viewer : nullptr, /*wins=*/!op.empty());
  });
  copy->data.clear();
}

bool Machine::perform(Work &item) {
  ++events;
  if (item.group) {
    if (item.group->done == item.product)
      multiply(*item.cta, *item.group);
    return true;
  }
  Copy &copy = *item.copy;
  if (copy.inst->op == Opcode::TmaLoad) {
    load(*this, item.copy);
    copy.sourceRead = copy.done = true;
  } else if (!copy.sourceRead) {
    readSource(copy);
  } else {
    writeDestination(*this, item.copy);
    copy.done = true;
  }
  if (trace && copy.done)
    trace->copy(copy, events);
  return copy.done;
}

//===----------------------------------------------------------------------===//
// Bulk groups, of the elected thread
//===----------------------------------------------------------------------===//

Step Agent::bulkOp(const Inst &inst) {
  if (inst.op == Opcode::BulkCommit) {
    groups.push_back(std::move(uncommitted));
    uncommitted.clear();
    scalars[inst.dst] = groups.size();
    return Step::Ran;
  }
  size_t upTo;
  if (inst.op == Opcode::BulkWait)
    upTo = scalars[inst.a];
  else
    upTo = groups.size() - std::min<size_t>(groups.size(), inst.imm);
  // Groups complete in order: the wait covers every older one. With views,
  // sources are read later; see Machine::settle. Of a load only the reading of
  // its map is waited for, which without views is over at its issue.
  for (size_t i = inst.flag ? groupsRead : groupsDone; i < upTo; ++i)
    for (const CopyRef &copy : groups[i])
      if (copy->inst->op != Opcode::TmaLoad &&
          (inst.flag ? !copy->sourceRead && !machine.views : !copy->done))
        return Step::Blocked;
  if (machine.views) {
    machine.views->learn(*this, 1, knowledge->bulkReads, upTo);
    if (!inst.flag)
      machine.views->learn(*this, 1, knowledge->bulkWrites, upTo);
  }
  if (machine.hazards)
    machine.hazards->bulkWaited(*this, inst, upTo);
  groupsRead = std::max(groupsRead, upTo);
  if (!inst.flag) {
    for (size_t i = groupsDone; i < upTo; ++i)
      groups[i].clear();
    groupsDone = std::max(groupsDone, upTo);
  }
  return Step::Ran;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Step Agent::mmaOp(const Inst &inst) {
  if (!wholeWarp(inst))
    return Step::Failed;
  auto bad = [&](Code code, const Twine &message) {
    machine.find(code, message + ": " + who(inst), inst.origin, this);
    return Step::Failed;
  };
  Warpgroup &group = cta.warpgroups[warp / 4];
  // With views a product that has been issued may be done later; see
  // Machine::settle.
  auto complete = [&](uint64_t upTo) {
    if (!machine.views || group.done >= upTo)
      return group.done >= upTo;
    return group.firstNumber + group.products.size() >= upTo &&
           group.products[upTo - 1 - group.firstNumber].joined == 15;
  };
  auto covered = [&](uint64_t upTo) {
    if (machine.hazards)
      machine.hazards->productsWaited(*this, inst, upTo);
    if (machine.views)
      machine.views->learn(*this, ~0u, knowledge->products, upTo);
    productsObserved = std::max(productsObserved, upTo);
  };
  switch (inst.op) {
  case Opcode::InFlightNone:
    return Step::Ran;
  case Opcode::InFlightStart: {
    const Tile *from = tile(inst.a);
    if (!usePoison(inst, from))
      return Step::Failed;
    auto *acc = new Accumulator(from->data.size());
    for (size_t i = 0; i < from->data.size(); ++i) {
      acc->data[i] = asFloat(from->data[i]);
      acc->poison[i] = 0;
    }
    refs[inst.dst] = acc;
    scalars[inst.d] = acc->version;
    productFence = false;
    if (machine.hazards)
      machine.hazards->registersUsed(*this, inst);
    return Step::Ran;
  }
  case Opcode::MmaFence:
    productFence = true;
    if (machine.views)
      machine.views->fenceProducts(*this);
    if (machine.hazards)
      machine.hazards->fence(*this, inst);
    return Step::Ran;
  case Opcode::Mma: {
    const MmaTable &table = *program.products[inst.table];
    llvm::IntrusiveRefCntPtr<Accumulator> acc;
    bool more = inst.d != none && (scalars[inst.d] & 1);
    if (!refs[inst.c]) {
      if (more)
        return bad(Code::UndefinedRead,
                   "adds to an accumulator that holds nothing yet");
      acc = new Accumulator(table.acc->perWarp());
    } else {
      acc = static_cast<Accumulator *>(refs[inst.c].get());
      // Its registers are about to change.
      for (auto &result : results)
        use(*result);
      results.clear();
      if (scalars[inst.imm] != acc->version)
        return bad(Code::InflightUse,
                   "the accumulator has been handed to another product since");
    }
    ++acc->version;
    ++acc->pending;
    refs[inst.dst] = acc;
    scalars[inst.imm2] = acc->version;
    // The warps of the group come to their products in one order.
    uint64_t number = products++;
    uint32_t place = inst.flag ? 0 : static_cast<uint32_t>(scalars[inst.a]);
    lastProduct = &inst;
    acc->lastProduct = products;
    size_t at = number - group.firstNumber;
    if (at == group.products.size()) {
      Product made;
      made.inst = &inst;
      made.a = place;
      made.b = static_cast<uint32_t>(scalars[inst.b]);
      made.accumulate = more;
      made.agent = this;
      group.products.push_back(made);
    }
    Product &product = group.products[at];
    if (product.inst != &inst || product.a != place ||
        product.b != static_cast<uint32_t>(scalars[inst.b]) ||
        product.accumulate != more) {
      machine.find(Code::SyncDivergent,
                   "the warps of a warpgroup issue different products: " +
                       who(inst),
                   inst.origin, this, true,
                   {{product.inst->origin->getLoc(),
                     "issued here by " + product.agent->who(*product.inst)}});
      return Step::Failed;
    }
    product.joined |= 1u << warp % 4;
    product.acc[warp % 4] = acc;
    if (!productFence)
      product.unfenced |= 1u << warp % 4;
    if (inst.flag) {
      if (!usePoison(inst, tile(inst.a)))
        return Step::Failed;
      product.registers[warp % 4] = refs[inst.a];
    }
    if (machine.hazards)
      machine.hazards->joinProduct(*this, inst, group, number);
    if (product.joined == 15) {
      product.issued = machine.events;
      for (unsigned i = 0; i < 4; ++i)
        cta.agents[warp / 4 * 4 + i]->view.beforeAsync(~0u);
      if (machine.views)
        machine.lookAtOperands(cta, product, warp / 4 * 4);
      ++machine.report.products;
      machine.issue(cta, group, number);
    }
    return machine.failed() ? Step::Failed : Step::Ran;
  }
  case Opcode::MmaCommit:
    productGroups.push_back(products);
    scalars[inst.dst] = productGroups.size();
    return Step::Ran;
  case Opcode::MmaWait:
  case Opcode::MmaWaitGroup: {
    size_t upTo = inst.op == Opcode::MmaWait
                      ? scalars[inst.a]
                      : productGroups.size() -
                            std::min<size_t>(productGroups.size(), inst.imm);
    uint64_t number = upTo ? productGroups[upTo - 1] : 0;
    if (!complete(number))
      return Step::Blocked;
    covered(number);
    return Step::Ran;
  }
  case Opcode::MmaResult: {
    size_t upTo = inst.b == none ? productGroups.size() : scalars[inst.b];
    uint64_t number = upTo ? productGroups[upTo - 1] : 0;
    if (!complete(number))
      return Step::Blocked;
    covered(number);
    productFence = false;
    llvm::IntrusiveRefCntPtr<Accumulator> acc(
        static_cast<Accumulator *>(refs[inst.a].get()));
    if (acc && scalars[inst.d] != acc->version)
      return bad(Code::InflightUse,
                 "the accumulator has been handed to another product since");
    if (acc && acc->lastProduct > std::max(number, productsObserved))
      return bad(Code::InflightUse,
                 "the last product of the accumulator is in no group that this "
                 "wait covers");
    auto *result = new Tile(inst.imm);
    Ref hold(result);
    if (!acc) {
      result->poison.assign(result->data.size(), 1);
    } else {
      result->late = [this, acc, number, &group](Tile &tile) {
        if (machine.views)
          machine.multiplyUpTo(cta, group, number);
        for (size_t i = 0; i < acc->data.size(); ++i)
          tile.data[i] = asBits(acc->data[i]);
        if (llvm::is_contained(acc->poison, 1))
          tile.poison = acc->poison;
      };
      if (machine.views) {
        std::erase_if(results, [](auto &each) { return !each->late; });
        results.push_back(result);
      } else {
        use(*result);
      }
    }
    refs[inst.dst] = hold;
    if (machine.hazards)
      machine.hazards->registersUsed(*this, inst);
    return Step::Ran;
  }
  default:
    llvm_unreachable("no product");
  }
}

/// The elements of a shared operand as floats, [row * columns + column] of the
/// view as it is (before transposition), as the async proxy sees them.
static bool readOperand(Memory &memory, uint32_t base, const ViewTable &table,
                        ElementType type, ArrayRef<OldByte> old,
                        std::vector<float> &out) {
  size_t elements = table.offset.size();
  std::vector<uint8_t> bytes(table.viewBytes), poison(table.viewBytes);
  bool good = memory.read(base, table.viewBytes, bytes.data(), poison.data());
  if (!old.empty()) {
    restore(old, base, table.viewBytes, bytes.data(), poison.data());
    good = !llvm::is_contained(poison, 1);
  }
  out.resize(elements);
  for (size_t i = 0; i < elements; ++i) {
    uint16_t bits;
    std::memcpy(&bits, &bytes[table.offset[i]], 2);
    out[i] = type == ElementType::BF16 ? bf16ToFloat(bits) : f16ToFloat(bits);
  }
  return good;
}

/// What the operands hold as far as the warps of the group knew at their last
/// wgmma.fence.
void Machine::lookAtOperands(Cta &cta, Product &product, unsigned firstWarp) {
  Viewer viewer(*views, Proxy::Async);
  for (unsigned warp = 0; warp < 4; ++warp)
    for (Knowledge &thread : cta.agents[firstWarp + warp]->knowledge->classes)
      viewer.add(thread.product);
  const MmaTable &table = *program.products[product.inst->table];
  if (table.a)
    cta.shared.oldBytes(product.a, table.a->viewBytes, viewer, product.old);
  cta.shared.oldBytes(product.b, table.b->viewBytes, viewer, product.old);
  llvm::sort(product.old, [](const OldByte &a, const OldByte &b) {
    return a.address < b.address;
  });
}

void Machine::multiplyUpTo(Cta &cta, Warpgroup &group, uint64_t number) {
  while (group.done < number && !stop)
    multiply(cta, group);
}

/// One wgmma, or the row of them that make up a titan.mma. Each element of D
/// is ((d + a0*b0) + a1*b1) + ...: products of bf16 or f16 are exact in f32,
/// and each sum is rounded to nearest, k ascending. The hardware adds several
/// products at once and truncates, so that the last bits of inexact sums
/// differ.
void Machine::multiply(Cta &cta, Warpgroup &group) {
  size_t at = group.done - group.firstNumber;
  Product &product = group.products[at];
  const Inst &inst = *product.inst;
  const MmaTable &table = *program.products[inst.table];
  const WarpRegion &region = program.regions[product.agent->region];
  size_t index = (product.agent->warp - region.firstWarp) / 4;
  const MmaTable::Group &part = table.groups[index % table.groups.size()];
  std::vector<float> a, b;
  std::optional<uint32_t> unwritten;
  if (table.registers) {
    // Each warp has the rows of its part of D.
    a.resize(table.m * table.k);
    const TileTable &tile = *table.registers;
    for (int warp = 0; warp < 4; ++warp) {
      const auto &from = static_cast<Tile &>(*product.registers[warp]).data;
      const uint32_t *element =
          &tile.element[(index * 4 + warp) % tile.warps * tile.perWarp()];
      for (size_t i = 0; i < from.size(); ++i)
        a[element[i]] = toFloat(table.type, from[i]);
    }
  } else if (!readOperand(cta.shared, product.a, *table.a, table.type,
                          product.old, a)) {
    unwritten = product.a;
  }
  if (!readOperand(cta.shared, product.b, *table.b, table.type, product.old,
                   b) &&
      !unwritten)
    unwritten = product.b;
  if (unwritten) {
    find(Code::UndefinedRead,
         llvm::formatv("'{0}' reads {1}, which was never written, or is not "
                       "visible to the async proxy: {2}",
                       inst.origin->getName().getStringRef(),
                       nameAt(*unwritten), product.agent->who(inst)),
         inst.origin, product.agent, true, {}, {}, nullptr,
         fixOfUnwritten(*unwritten));
    return;
  }
  size_t rows = part.rows.size(), columns = part.columns.size();
  std::vector<float> sums(rows * columns), right(table.k * columns);
  for (int64_t k = 0; k < table.k; ++k)
    for (size_t j = 0; j < columns; ++j)
      right[k * columns + j] = table.transposeB
                                   ? b[k * table.n + part.columns[j]]
                                   : b[part.columns[j] * table.k + k];
  if (product.accumulate)
    for (int warp = 0; warp < 4; ++warp) {
      Accumulator &acc = *product.acc[warp];
      for (size_t i = 0; i < part.place[warp].size(); ++i) {
        if (acc.poison[i]) {
          find(Code::UndefinedRead,
               "adds to an accumulator that was never written, or whose "
               "registers no wgmma.fence has handed over: " +
                   product.agent->who(inst),
               inst.origin, product.agent);
          return;
        }
        sums[part.place[warp][i]] = acc.data[i];
      }
    }
  for (size_t i = 0; i < rows; ++i) {
    float *out = &sums[i * columns];
    for (int64_t k = 0; k < table.k; ++k) {
      float left = table.transposeA ? a[k * table.m + part.rows[i]]
                                    : a[part.rows[i] * table.k + k];
      const float *in = &right[k * columns];
      for (size_t j = 0; j < columns; ++j)
        out[j] += left * in[j];
    }
  }
  for (int warp = 0; warp < 4; ++warp) {
    Accumulator &acc = *product.acc[warp];
    for (size_t i = 0; i < part.place[warp].size(); ++i) {
      acc.data[i] = sums[part.place[warp][i]];
      // PTX ISA, wgmma.fence: without it, what the registers hold is undefined.
      acc.poison[i] = views && product.unfenced >> warp & 1;
    }
    --acc.pending;
  }
  product.done = true;
  if (trace)
    trace->product(product, cta, events);
  ++group.done;
  while (!group.products.empty() && group.products.front().done) {
    group.products.pop_front();
    ++group.firstNumber;
  }
}
