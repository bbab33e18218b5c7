//===- MemoryAccess.cpp - loads, stores, atomics, flags, views ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/ExecutionTable.h"

#include "titan/Dialect/Titan/SharedMemory.h"
#include "titan/Runtime/Data.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static Step sharedSlot(Agent &agent, const Inst &inst) {
  SharedPlace place = SharedPlace::decode(agent.scalars[inst.a]);
  int64_t index = static_cast<int64_t>(agent.scalars[inst.b]);
  if (index < 0 || index >= inst.imm2) {
    agent.machine.find(
        Code::OutOfBounds,
        llvm::formatv("slot {0} of a ring of {1}: {2}", index, inst.imm2,
                      agent.who(inst)),
        inst.origin, &agent, true, {}, {}, nullptr,
        llvm::formatv("slots count from 0 to {0}: take the index "
                      "modulo {1}",
                      inst.imm2 - 1, inst.imm2));
    return Step::Failed;
  }
  place.address += index * inst.imm;
  agent.scalars[inst.dst] = place.encode();
  return Step::Next;
}

static Step sharedView(Agent &agent, const Inst &inst) {
  SharedPlace place = SharedPlace::decode(agent.scalars[inst.a]);
  place.address += inst.imm;
  agent.scalars[inst.dst] = place.encode();
  return Step::Next;
}

static Step mapRank(Agent &agent, const Inst &inst) {
  SharedPlace place = SharedPlace::decode(agent.scalars[inst.a]);
  int64_t rank = static_cast<int64_t>(agent.scalars[inst.b]);
  if (rank < 0 || rank >= agent.program.clusterSize) {
    agent.machine.find(Code::OutOfBounds,
                       llvm::formatv("rank {0} of a cluster of {1} CTAs: {2}",
                                     rank, agent.program.clusterSize,
                                     agent.who(inst)),
                       inst.origin, &agent, true, {}, {}, nullptr,
                       llvm::formatv("ranks count from 0 to {0}, as "
                                     "titan.cluster_rank does",
                                     agent.program.clusterSize - 1));
    return Step::Failed;
  }
  place.rank = static_cast<unsigned>(rank);
  agent.scalars[inst.dst] = place.encode();
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

uint64_t Machine::addressOf(unsigned tensor) const {
  const SimulatorArgument &of = arguments[tensor];
  return of.address ? of.address : reinterpret_cast<uint64_t>(of.data);
}

unsigned Machine::tensorAt(uint64_t address, unsigned bytes) {
  auto [known, isNew] =
      tensorsAt.try_emplace({address, bytes}, arguments.size());
  if (!isNew)
    return known->second;
  SimulatorArgument made;
  made.address = address;
  made.shape = {0};
  made.strides = {1};
  for (size_t i = 0; i < given; ++i) {
    const SimulatorArgument &each = arguments[i];
    uint64_t offset = address - addressOf(i);
    if (!each.data || offset >= each.bytes)
      continue;
    made.data = each.data + offset;
    made.bytes = each.bytes - offset;
    made.shape = {static_cast<int64_t>(made.bytes / bytes)};
    break;
  }
  arguments.push_back(std::move(made));
  return known->second;
}

static Step tensorAt(Agent &agent, const Inst &inst) {
  uint64_t address = agent.scalars[inst.a];
  if (inst.imm2 && address % inst.imm2) {
    agent.machine.find(
        Code::Misaligned,
        llvm::formatv("address {0:x} is said to be a multiple of {1} bytes, "
                      "and is none: {2}",
                      address, inst.imm2, agent.who(inst)),
        inst.origin, &agent);
    return Step::Failed;
  }
  agent.scalars[inst.dst] = agent.machine.tensorAt(address, inst.imm);
  return Step::Next;
}

static Step addressOf(Agent &agent, const Inst &inst) {
  agent.scalars[inst.dst] = agent.machine.addressOf(agent.scalars[inst.a]);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Tiles and shared memory
//===----------------------------------------------------------------------===//

static void pack(uint64_t bits, uint8_t *bytes, unsigned count) {
  std::memcpy(bytes, &bits, count); // Little endian, as the GPU.
}
static uint64_t unpack(const uint8_t (&bytes)[8]) {
  uint64_t bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  return bits;
}

/// The tile in shared memory that a warp stores or loads: whose it is, its address
/// there in bytes, and the first of its elements that is this warp's.
struct SharedTile {
  const TileAccess &access;
  const TileTable &table;
  Cta *owner;
  uint32_t address;
  size_t begin;
};

/// Nothing after a finding.
static std::optional<SharedTile> sharedTile(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return std::nullopt;
  const TileAccess &access = *agent.program.accesses[inst.table];
  const TileTable &table = *access.tile;
  SharedPlace place = SharedPlace::decode(agent.scalars[inst.a]);
  Cta *owner = agent.resolve(inst, place);
  if (!owner)
    return std::nullopt;
  return SharedTile{access, table, owner, place.address,
                    size_t(agent.regionWarp % table.warps) * table.perWarp()};
}

static Step sharedStore(Agent &agent, const Inst &inst) {
  std::optional<SharedTile> at = sharedTile(agent, inst);
  if (!at)
    return Step::Failed;
  const auto &[access, table, owner, base, begin] = *at;
  bool first = agent.regionWarp < table.warps;
  const Tile *from = agent.tile(inst.b);
  bool late = first && agent.readsToCome(*owner, base, access.viewBytes);
  for (uint32_t i = 0; i < table.perWarp(); ++i) {
    if (!first || !table.owner[begin + i])
      continue;
    uint8_t bytes[8], poison[8];
    pack(from->data[i], bytes, access.bytes);
    bool bad = !from->poison.empty() && from->poison[i];
    std::memset(poison, bad, sizeof(poison));
    agent.view.write(owner->shared, i % agent.program.lanes,
                     base + access.offset[begin + i], access.bytes, bytes,
                     poison, late);
  }
  return Step::Ran;
}

static Step sharedLoad(Agent &agent, const Inst &inst) {
  std::optional<SharedTile> at = sharedTile(agent, inst);
  if (!at)
    return Step::Failed;
  const auto &[access, table, owner, base, begin] = *at;
  auto *result = new Tile(table.perWarp());
  Ref hold(result);
  for (uint32_t i = 0; i < table.perWarp(); ++i) {
    uint8_t bytes[8] = {}, poison[8];
    if (!agent.view.read(owner->shared, i % agent.program.lanes,
                         base + access.offset[begin + i], access.bytes, bytes,
                         poison)) {
      if (result->poison.empty())
        result->poison.resize(table.perWarp());
      result->poison[i] = 1;
    }
    result->data[i] = canonical(access.type, unpack(bytes));
  }
  if (agent.machine.views)
    owner->shared.loaded(result, access, begin, base, *agent.knowledge);
  agent.refs[inst.dst] = hold;
  return Step::Ran;
}

//===----------------------------------------------------------------------===//
// Tiles and global memory
//===----------------------------------------------------------------------===//

/// `element` is called with each element's number in the warp's part of the
/// tile, and its address; those of a store with its owner alone. False after a
/// finding.
template <typename Element>
static bool forEachElement(Agent &agent, const Inst &inst, bool isStore,
                           Element &&element) {
  const TileTable &table = *agent.program.tiles[inst.table];
  unsigned tensor = agent.scalars[inst.a], bytes = bytesOf(inst.type);
  auto places = agent.elementPlaces(inst);
  if (!places)
    return false;
  const auto &[mask, indices] = *places;
  if (isStore && !agent.usePoison(inst, agent.tile(inst.b)))
    return false;
  size_t begin = size_t(agent.regionWarp % table.warps) * table.perWarp();
  bool first = agent.regionWarp < table.warps;
  llvm::SmallVector<int64_t, 5> index(indices.size());
  for (uint32_t i = 0; i < table.perWarp(); ++i) {
    if (mask && !(mask->data[i] & 1))
      continue;
    if (isStore && (!first || !table.owner[begin + i]))
      continue;
    for (size_t d = 0; d < index.size(); ++d)
      index[d] = static_cast<int32_t>(indices[d]->data[i]);
    uint64_t address;
    if (!agent.globalElement(inst, tensor, index, address, bytes))
      return false;
    element(i, address, bytes);
  }
  return true;
}

static Step globalLoad(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  auto *result = new Tile(agent.program.tiles[inst.table]->perWarp());
  Ref hold(result);
  if (!forEachElement(agent, inst, /*isStore=*/false,
                      [&](uint32_t i, uint64_t address, unsigned bytes) {
                        uint8_t data[8] = {};
                        agent.view.read(agent.machine.global,
                                        i % agent.program.lanes, address, bytes,
                                        data);
                        result->data[i] = canonical(inst.type, unpack(data));
                      }))
    return Step::Failed;
  agent.refs[inst.dst] = hold;
  return Step::Ran;
}

static Step globalStore(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  const Tile *from = agent.tile(inst.b);
  return forEachElement(agent, inst, /*isStore=*/true,
                        [&](uint32_t i, uint64_t address, unsigned bytes) {
                          uint8_t data[8] = {};
                          pack(from->data[i], data, bytes);
                          agent.view.write(
                              agent.machine.global, i % agent.program.lanes,
                              address, bytes, data, nullptr,
                              agent.mapReadsToCome(address, bytes));
                        })
             ? Step::Ran
             : Step::Failed;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// What an atomic leaves behind.
static uint64_t combine(AtomicOp op, ElementType type, uint64_t old,
                        uint64_t value) {
  bool real = isFloat(type);
  auto run = [&](Elt what) {
    return *evaluate({what, type, type, 0}, old, value, 0);
  };
  switch (op) {
  case AtomicOp::Add:
    return run(real ? Elt::AddF : Elt::Add);
  case AtomicOp::Min:
    return run(real ? Elt::MinNum : Elt::MinS);
  case AtomicOp::Max:
    return run(real ? Elt::MaxNum : Elt::MaxS);
  case AtomicOp::MinU:
    return run(Elt::MinU);
  case AtomicOp::MaxU:
    return run(Elt::MaxU);
  case AtomicOp::Exch:
    return value;
  case AtomicOp::And:
    return run(Elt::And);
  case AtomicOp::Or:
    return run(Elt::Or);
  case AtomicOp::Xor:
    return run(Elt::Xor);
  }
  llvm_unreachable("atomic operation");
}

namespace {
/// One element, of a shared view or of a tensor.
struct Element {
  Agent &agent;
  const Inst &inst;
  unsigned bytes, tensor = 0;
  uint64_t address = 0;
  Cta *owner = nullptr; ///< Null: global memory.
  Memory *memory = nullptr;

  Element(Agent &agent, const Inst &inst)
      : agent(agent), inst(inst), bytes(bytesOf(inst.type)) {}

  /// False after a finding.
  bool find() {
    if (inst.table != none) {
      if (!agent.sharedElement(inst, owner, address))
        return false;
      memory = &owner->shared;
      return true;
    }
    memory = &agent.machine.global;
    tensor = agent.scalars[inst.a];
    llvm::SmallVector<int64_t, 5> index;
    for (uint32_t d = 0; d < inst.count; ++d)
      index.push_back(static_cast<int64_t>(
          agent.scalars[agent.program.lists[inst.list + d]]));
    return agent.globalElement(inst, tensor, index, address, bytes);
  }

  MemorySem sem() const { return static_cast<MemorySem>(inst.sem); }
  MemoryScope scope() const { return static_cast<MemoryScope>(inst.scope); }
  bool isStrong() const { return sem() != MemorySem::Weak; }
  bool acquires() const {
    return sem() == MemorySem::Acquire || sem() == MemorySem::AcqRel ||
           sem() == MemorySem::SeqCst;
  }
  bool releases() const {
    return sem() == MemorySem::Release || sem() == MemorySem::AcqRel ||
           sem() == MemorySem::SeqCst;
  }

  /// What the access synchronises with, and what it lets out.
  void synchronise(bool reads, bool writes, bool strong) {
    Machine &machine = agent.machine;
    if (releases()) {
      agent.view.release(agent.lanes());
      machine.publishBarriers(agent);
    }
    if (!machine.views || !strong)
      return;
    Views::Location key(owner ? owner->number + 1 : 0, address);
    if (reads)
      machine.views->readLocation(agent, key, acquires(), scope());
    if (writes)
      machine.views->writeLocation(agent, key, releases(),
                                   /*continues=*/reads, scope());
  }

  /// None, and a finding, where nothing was written. Strong operations act on
  /// memory itself: what this thread has buffered there goes first, in program
  /// order.
  std::optional<uint64_t> load(bool strong) {
    uint8_t data[8] = {}, poison[8];
    if (agent.view.read(*memory, 0, address, bytes, data, poison, strong)) {
      return canonical(inst.type, unpack(data));
    }
    Machine &machine = agent.machine;
    machine.find(Code::UndefinedRead,
                 "reads bytes " +
                     (owner ? "of " + machine.nameAt(address) + " " : "") +
                     "that were never written: " + agent.who(inst),
                 inst.origin, &agent, true, {}, {}, nullptr,
                 owner ? machine.fixOfUnwritten(address) : "");
    return std::nullopt;
  }

  /// The same of memory that is updated or polled. Of a tensor an element that
  /// still has the poison that arguments begin with was never written.
  std::optional<uint64_t> loadShared() {
    auto found = load(/*strong=*/true);
    uint8_t data[8] = {}, poison[8] = {};
    if (!found || owner || bytes < 4)
      return found;
    pack(*found, data, bytes);
    runtime::generate({runtime::Fill::Poison, 0},
                      isFloat(inst.type) ? runtime::DType::F64
                                         : runtime::DType::I64,
                      0, 1, poison);
    if (std::memcmp(data, poison, bytes) != 0)
      return found;
    std::string name = "the tensor";
    effect::EffectList effects;
    cast<HardwareEffectsInterface>(inst.origin).getHardwareEffects(effects);
    for (const effect::Effect &each : effects)
      if (auto *access = std::get_if<effect::Access>(&each.what))
        name = nameOf(getRoot(access->bytes.object));
    agent.machine.find(
        Code::UndefinedRead,
        "an element of " + name +
            " that was never written is updated or waited for: " +
            agent.who(inst),
        inst.origin, &agent, true, {}, {}, nullptr,
        "say what the launch begins with: titan.initial = {" +
            llvm::StringRef(name).ltrim('%').str() +
            " = 0} on the kernel, or a generator in titan.example");
    return std::nullopt;
  }
};
} // namespace

static Step ld(Agent &agent, const Inst &inst) {
  Element element(agent, inst);
  if (!element.find())
    return Step::Failed;
  bool strong = element.isStrong();
  element.synchronise(/*reads=*/true, /*writes=*/false, strong);
  auto found = element.load(strong);
  if (!found)
    return Step::Failed;
  agent.scalars[inst.dst] = *found;
  // A strong load in a loop waits for somebody else.
  return strong ? Step::Polled : Step::Ran;
}

static Step st(Agent &agent, const Inst &inst) {
  Element element(agent, inst);
  if (!element.find())
    return Step::Failed;
  bool strong = element.isStrong();
  element.synchronise(/*reads=*/false, /*writes=*/true, strong);
  auto [memory, address, bytes] =
      std::tuple(element.memory, element.address, element.bytes);
  uint8_t data[8] = {};
  pack(agent.scalars[inst.b], data, bytes);
  bool late = element.owner ? agent.readsToCome(*element.owner, address, bytes)
                            : agent.mapReadsToCome(address, bytes);
  if (strong)
    agent.view.writeStrong(*memory, 0, address, bytes, data);
  else
    agent.view.write(*memory, 0, address, bytes, data, nullptr, late);
  return Step::Ran;
}

/// Each lane by itself, one after the other. The last one's old value.
static Step update(Agent &agent, const Inst &inst, AtomicOp op) {
  Element element(agent, inst);
  if (!element.find())
    return Step::Failed;
  element.synchronise(/*reads=*/true, /*writes=*/true, /*strong=*/true);
  if (inst.flag && !agent.elected) {
    agent.machine.find(
        Code::NotSupportedYet,
        llvm::formatv("an atomic of {0} threads yields {0} values, and its "
                      "result is used as one: put it into a titan.elect",
                      agent.program.lanes),
        inst.origin, &agent);
    return Step::Failed;
  }
  uint64_t old = 0;
  for (unsigned lane = 0; lane < (agent.elected ? 1 : agent.program.lanes);
       ++lane) {
    auto found = element.loadShared();
    if (!found)
      return Step::Failed;
    old = *found;
    if (inst.c != none && old != canonical(inst.type, agent.scalars[inst.c]))
      continue;
    uint8_t data[8] = {};
    pack(combine(op, inst.type, old, agent.scalars[inst.b]), data,
         element.bytes);
    agent.view.writeStrong(*element.memory, lane, element.address,
                           element.bytes, data);
  }
  if (inst.dst != none)
    agent.scalars[inst.dst] = old;
  return Step::Ran;
}

/// Each owner's element by itself, one after the other.
static Step globalAtom(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  const Tile *from = agent.tile(inst.b);
  auto *result = new Tile(agent.program.tiles[inst.table]->perWarp());
  Ref hold(result);
  auto op = static_cast<AtomicOp>(inst.kind);
  bool good = true;
  if (!forEachElement(agent, inst, /*isStore=*/true,
                      [&](uint32_t i, uint64_t address, unsigned bytes) {
                        Element element(agent, inst);
                        element.address = address;
                        element.memory = &agent.machine.global;
                        element.synchronise(/*reads=*/true, /*writes=*/true,
                                            /*strong=*/true);
                        auto found = good ? element.loadShared() : std::nullopt;
                        good = found.has_value();
                        if (!good)
                          return;
                        result->data[i] = *found;
                        uint8_t data[8] = {};
                        pack(combine(op, inst.type, *found, from->data[i]),
                             data, bytes);
                        agent.view.writeStrong(agent.machine.global,
                                               i % agent.program.lanes, address,
                                               bytes, data);
                      }) ||
      !good)
    return Step::Failed;
  if (inst.dst != none)
    agent.refs[inst.dst] = hold;
  return Step::Ran;
}

static Step atom(Agent &agent, const Inst &inst) {
  return update(agent, inst, static_cast<AtomicOp>(inst.kind));
}

static Step flagSignal(Agent &agent, const Inst &inst) {
  return update(agent, inst, AtomicOp::Add);
}

static Step flagWait(Agent &agent, const Inst &inst) {
  Element element(agent, inst);
  if (!element.find())
    return Step::Failed;
  auto found = element.loadShared();
  if (!found)
    return Step::Failed;
  if (static_cast<int32_t>(*found) <
      static_cast<int32_t>(agent.scalars[inst.b]))
    return Step::Blocked;
  element.synchronise(/*reads=*/true, /*writes=*/false, /*strong=*/true);
  return Step::Ran;
}

static Waits waitsForFlag(Agent &agent, const Inst &inst) {
  return {.what = llvm::formatv("a flag to reach {0}",
                                static_cast<int64_t>(agent.scalars[inst.b])),
          .lacks = "the flag misses signals"};
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static Inst *compileScalar(Compiler &c, Execute run, Operation *op,
                           Value memory, ValueRange indices, Value value,
                           Value result, MemorySem sem, MemoryScope scope) {
  mlir::Type element;
  std::optional<uint32_t> view;
  if (auto shared = dyn_cast<SharedType>(memory.getType())) {
    element = shared.getElementType();
    view = c.viewTable(op, shared);
  } else {
    element = cast<GlobalType>(memory.getType()).getElementType();
  }
  if (value) // Of an atomic these may be integers, and the memory's floats.
    element = value.getType();
  auto type = c.elementType(op, element);
  if (!type)
    return nullptr;
  uint32_t a = c.scalar(memory), b = c.scalar(value), dst = c.scalar(result);
  Inst &inst = c.emit(run, op);
  inst.type = *type;
  inst.a = a;
  inst.b = b;
  inst.dst = dst;
  inst.table = view.value_or(none);
  c.setList(inst, indices);
  c.setOrder(inst, sem, scope);
  return &inst;
}

static Inst *compileGlobal(Compiler &c, Execute run, Operation *op,
                           Value tensor, RankedTensorType tile,
                           ValueRange indices, Value mask, Value value,
                           Value result) {
  const TileTable *t = c.tileTable(op, tile);
  if (!t)
    return nullptr;
  uint32_t a = c.scalar(tensor), b = c.ref(value), m = c.ref(mask),
           dst = c.ref(result);
  Inst &inst = c.emit(run, op);
  inst.type = *typeOf(tile.getElementType());
  inst.a = a;
  inst.b = b;
  inst.c = m;
  inst.dst = dst;
  inst.table = c.indexOf(t);
  c.setList(inst, indices, true);
  return &inst;
}

void titan::sim::registerMemory(ExecutionTable &table) {
  table.addNothing<SharedAllocOp>(); // Compiler::allocate
  table.add<SharedSlotOp>([](Compiler &c, SharedSlotOp op) {
    uint32_t a = c.scalar(op.getRing()), b = c.scalar(op.getIndex()),
             dst = c.scalar(op.getResult());
    Inst &inst = c.emit(sharedSlot, op);
    inst.a = a;
    inst.b = b;
    inst.dst = dst;
    inst.imm = op.getRing().getType().getSlotBytes();
    inst.imm2 = op.getRing().getType().getSlots();
  });
  auto atOffset = [](Compiler &c, auto op) {
    uint32_t a = c.scalar(op.getSource()), dst = c.scalar(op.getResult());
    Inst &inst = c.emit(sharedView, op);
    inst.a = a;
    inst.dst = dst;
    inst.imm = op.getView().offset;
  };
  table.add<SharedViewOp>(atOffset);
  table.add<SharedReuseOp>(atOffset);
  table.add<MapRankOp>([](Compiler &c, MapRankOp op) {
    uint32_t a = c.scalar(op.getSource()), b = c.scalar(op.getRank()),
             dst = c.scalar(op.getResult());
    Inst &inst = c.emit(mapRank, op);
    inst.a = a;
    inst.b = b;
    inst.dst = dst;
  });
  table.add<TensorAtOp>([](Compiler &c, TensorAtOp op) {
    uint32_t a = c.scalar(op.getAddress()), dst = c.scalar(op.getResult());
    Inst &inst = c.emit(tensorAt, op);
    inst.a = a;
    inst.dst = dst;
    inst.imm = getElementBytes(op.getType().getElementType());
    inst.imm2 = op.getAlignment().value_or(0);
  });
  table.add<AddressOfOp>([](Compiler &c, AddressOfOp op) {
    uint32_t a = c.scalar(op.getTensor()), dst = c.scalar(op.getResult());
    Inst &inst = c.emit(addressOf, op);
    inst.a = a;
    inst.dst = dst;
  });
  table.add<SharedStoreOp>([](Compiler &c, SharedStoreOp op) {
    auto access =
        c.access(op, op.getTile().getType(), op.getBuffer().getType());
    if (!access)
      return;
    uint32_t a = c.scalar(op.getBuffer()), b = c.ref(op.getTile());
    Inst &inst = c.emit(sharedStore, op);
    inst.a = a;
    inst.b = b;
    inst.table = *access;
  });
  table.add<SharedLoadOp>([](Compiler &c, SharedLoadOp op) {
    auto access = c.access(op, op.getType(), op.getBuffer().getType());
    if (!access)
      return;
    uint32_t a = c.scalar(op.getBuffer()), dst = c.ref(op.getResult());
    Inst &inst = c.emit(sharedLoad, op);
    inst.a = a;
    inst.dst = dst;
    inst.table = *access;
  });
  table.add<GlobalLoadOp>([](Compiler &c, GlobalLoadOp op) {
    compileGlobal(c, globalLoad, op, op.getTensor(), op.getType(),
                  op.getIndices(), op.getMask(), {}, op.getResult());
  });
  table.add<GlobalStoreOp>([](Compiler &c, GlobalStoreOp op) {
    compileGlobal(c, globalStore, op, op.getTensor(), op.getTile().getType(),
                  op.getIndices(), op.getMask(), op.getTile(), {});
  });
  table.add<GlobalAtomOp>([](Compiler &c, GlobalAtomOp op) {
    Inst *inst = compileGlobal(c, globalAtom, op, op.getTensor(),
                               op.getTile().getType(), op.getIndices(),
                               op.getMask(), op.getTile(), op.getResult());
    if (!inst)
      return;
    inst->kind = static_cast<uint8_t>(op.getOp());
    c.setOrder(*inst, op.getSem(), op.getScope());
  });
  table.add<LdOp>([](Compiler &c, LdOp op) {
    compileScalar(c, ld, op, op.getMemory(), op.getIndices(), {},
                  op.getResult(), op.getSem(), op.getScope());
  });
  table.add<StOp>([](Compiler &c, StOp op) {
    compileScalar(c, st, op, op.getMemory(), op.getIndices(), op.getValue(), {},
                  op.getSem(), op.getScope());
  });
  table.add<AtomOp>([](Compiler &c, AtomOp op) {
    uint32_t expected = c.scalar(op.getExpected());
    Inst *inst = compileScalar(c, atom, op, op.getMemory(), op.getIndices(),
                               op.getValue(), op.getResult(), op.getSem(),
                               op.getScope());
    if (!inst)
      return;
    inst->kind = static_cast<uint8_t>(op.getOp());
    inst->flag = !op.getResult().use_empty();
    inst->c = expected;
  });
  table.add<FlagWaitOp>([](Compiler &c, FlagWaitOp op) {
    if (Inst *inst =
            compileScalar(c, flagWait, op, op.getFlags(), op.getIndices(),
                          op.getValue(), {}, MemorySem::Acquire, op.getScope()))
      inst->waits = waitsForFlag;
  });
  table.add<FlagSignalOp>([](Compiler &c, FlagSignalOp op) {
    compileScalar(c, flagSignal, op, op.getFlags(), op.getIndices(),
                  op.getValue(), {}, MemorySem::Release, op.getScope());
  });
}
