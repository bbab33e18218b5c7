//===- AgentMemory.cpp - a warp: shared and global memory -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Hazards.h"
#include "Machine.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

Step Agent::hardware(const Inst &inst) {
  switch (inst.op) {
  case Opcode::SharedStore:
  case Opcode::SharedLoad:
    return memoryOp(inst);
  case Opcode::GlobalLoad:
  case Opcode::GlobalStore:
    return globalTile(inst);
  case Opcode::Ld:
  case Opcode::St:
  case Opcode::Atom:
  case Opcode::FlagWait:
  case Opcode::FlagSignal:
    return scalarMemory(inst);
  case Opcode::BarrierInit:
  case Opcode::BarrierInval:
  case Opcode::BarrierArrive:
  case Opcode::BarrierArriveExpect:
  case Opcode::BarrierExpect:
  case Opcode::BarrierWait:
  case Opcode::BarrierWaitState:
  case Opcode::BarrierTest:
    return barrierOp(inst);
  case Opcode::SyncWarp:
  case Opcode::NamedSync:
  case Opcode::NamedArrive:
  case Opcode::ClusterArrive:
  case Opcode::ClusterWait:
    return threadBarrier(inst);
  case Opcode::Fence:
    // fence.acquire moves nothing of this thread out.
    if (static_cast<MemorySem>(inst.sem) != MemorySem::Acquire) {
      view.release(lanes());
      machine.publishBarriers(*this);
    }
    if (machine.views)
      machine.views->fence(*this, static_cast<MemorySem>(inst.sem),
                           static_cast<MemoryScope>(inst.scope));
    if (machine.hazards)
      machine.hazards->fence(*this, inst);
    return Step::Ran;
  case Opcode::FenceProxyAsync:
  case Opcode::FenceBarrierInit:
    if (inst.op == Opcode::FenceProxyAsync && machine.views)
      machine.views->fenceProxyAsync(*this, static_cast<FenceSpace>(inst.kind));
    for (uint32_t address : newBarriers)
      cta.barriers[address].publishedAsync = true;
    if (machine.hazards)
      machine.hazards->fence(*this, inst);
    return Step::Ran;
  case Opcode::FenceTensormapRelease:
  case Opcode::FenceTensormapAcquire:
  case Opcode::TensormapCopy:
  case Opcode::TensormapReplace:
  case Opcode::TensormapPublish:
    return mapOp(inst);
  case Opcode::SetRegisters:
    return setRegisters(inst);
  case Opcode::TmaLoad:
  case Opcode::TmaStore:
  case Opcode::TmaReduce:
    return copyOp(inst);
  case Opcode::BulkCommit:
  case Opcode::BulkWait:
  case Opcode::BulkWaitGroup:
    return bulkOp(inst);
  default:
    return mmaOp(inst);
  }
}

bool Agent::oneThread(const Inst &inst) {
  if (elected)
    return true;
  machine.find(Code::IssueCardinality,
               llvm::formatv("'{0}' is for one thread, and 32 execute it: {1}",
                             inst.origin->getName().getStringRef(), who(inst)),
               inst.origin, this);
  return false;
}

bool Agent::wholeWarp(const Inst &inst) {
  if (!elected)
    return true;
  machine.find(Code::IssueCardinality,
               llvm::formatv("'{0}' is for the whole warp, and one thread "
                             "executes it: {1}",
                             inst.origin->getName().getStringRef(), who(inst)),
               inst.origin, this);
  return false;
}

//===----------------------------------------------------------------------===//
// Tiles and shared memory
//===----------------------------------------------------------------------===//

static void pack(uint64_t bits, uint8_t *bytes, unsigned count) {
  std::memcpy(bytes, &bits, count); // Little endian, as the GPU.
}

Step Agent::memoryOp(const Inst &inst) {
  if (!wholeWarp(inst))
    return Step::Failed;
  const TileAccess &access = *program.accesses[inst.table];
  const TileTable &table = *access.tile;
  SharedPlace place = SharedPlace::decode(scalars[inst.a]);
  Cta *owner = resolve(inst, place);
  if (!owner)
    return Step::Failed;
  size_t begin = size_t(regionWarp % table.warps) * table.perWarp();
  bool first = regionWarp < table.warps;
  if (machine.hazards)
    machine.hazards->tileAccess(*this, inst, *owner, place.address);
  if (inst.op == Opcode::SharedStore) {
    const Tile *from = tile(inst.b);
    bool late = first && readsToCome(*owner, place.address, access.viewBytes);
    for (uint32_t i = 0; i < table.perWarp(); ++i) {
      if (!first || !table.owner[begin + i])
        continue;
      uint8_t bytes[4], poison[4];
      pack(from->data[i], bytes, access.bytes);
      bool bad = !from->poison.empty() && from->poison[i];
      std::memset(poison, bad, sizeof(poison));
      view.write(owner->shared, i % laneCount,
                 place.address + access.offset[begin + i], access.bytes, bytes,
                 poison, late);
    }
    return Step::Ran;
  }
  auto *result = new Tile(table.perWarp());
  Ref hold(result);
  for (uint32_t i = 0; i < table.perWarp(); ++i) {
    uint8_t bytes[4] = {}, poison[4];
    if (!view.read(owner->shared, i % laneCount,
                   place.address + access.offset[begin + i], access.bytes,
                   bytes, poison)) {
      if (result->poison.empty())
        result->poison.resize(table.perWarp());
      result->poison[i] = 1;
    }
    uint32_t bits;
    std::memcpy(&bits, bytes, 4);
    result->data[i] = static_cast<uint32_t>(canonical(access.type, bits));
  }
  if (machine.views)
    owner->shared.loaded(result, access, begin, place.address, *knowledge);
  refs[inst.dst] = hold;
  return Step::Ran;
}

bool Agent::readsToCome(Cta &owner, uint64_t address, uint64_t bytes) {
  if (!machine.views)
    return false;
  Viewer writer(*machine.views, Proxy::Generic, knowledge->classes[0].known);
  if (!elected)
    writer.add(knowledge->classes[1].known);
  return machine.settle(owner, address, bytes, writer);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

bool Agent::globalElement(const Inst &inst, unsigned tensor,
                          llvm::ArrayRef<int64_t> index, uint64_t &address,
                          unsigned bytes) {
  const SimulatorArgument &argument = machine.arguments[tensor];
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || index[d] >= argument.shape[d]) {
      machine.find(Code::OutOfBounds,
                   llvm::formatv("index {0} of dimension {1}, which has {2} "
                                 "elements: {3}",
                                 index[d], d, argument.shape[d], who(inst)),
                   inst.origin, this);
      return false;
    }
    offset += index[d] * argument.strides[d];
  }
  uint64_t at = static_cast<uint64_t>(offset) * bytes;
  if (at + bytes > argument.bytes) {
    machine.find(Code::OutOfBounds,
                 llvm::formatv("byte {0} of an allocation of {1}: {2}", at,
                               argument.bytes, who(inst)),
                 inst.origin, this);
    return false;
  }
  address = reinterpret_cast<uint64_t>(argument.data) + at;
  if (address % bytes) {
    machine.find(Code::Misaligned,
                 llvm::formatv("the address of an element of {0} bytes is no "
                               "multiple of {0}: {1}",
                               bytes, who(inst)),
                 inst.origin, this);
    return false;
  }
  return true;
}

Step Agent::globalTile(const Inst &inst) {
  if (!wholeWarp(inst))
    return Step::Failed;
  const TileTable &table = *program.tiles[inst.table];
  unsigned tensor = scalars[inst.a], bytes = bytesOf(inst.type);
  const Tile *mask = inst.c == none ? nullptr : tile(inst.c);
  if (!usePoison(inst, mask))
    return Step::Failed;
  llvm::SmallVector<const Tile *, 5> indices;
  for (uint32_t i = 0; i < inst.count; ++i) {
    indices.push_back(tile(program.lists[inst.list + i]));
    if (!usePoison(inst, indices.back()))
      return Step::Failed;
  }
  bool isStore = inst.op == Opcode::GlobalStore;
  const Tile *from = isStore ? tile(inst.b) : nullptr;
  if (isStore && !usePoison(inst, from))
    return Step::Failed;
  Tile *result = isStore ? nullptr : new Tile(table.perWarp());
  Ref hold(result);
  size_t begin = size_t(regionWarp % table.warps) * table.perWarp();
  bool first = regionWarp < table.warps;
  llvm::SmallVector<int64_t, 5> index(indices.size());
  std::vector<std::pair<uint64_t, uint8_t>> touched;
  for (uint32_t i = 0; i < table.perWarp(); ++i) {
    if (mask && !(mask->data[i] & 1))
      continue;
    if (isStore && (!first || !table.owner[begin + i]))
      continue;
    for (size_t d = 0; d < index.size(); ++d)
      index[d] = static_cast<int32_t>(indices[d]->data[i]);
    uint64_t address;
    if (!globalElement(inst, tensor, index, address, bytes))
      return Step::Failed;
    if (machine.hazards)
      touched.push_back({address, static_cast<uint8_t>(i % laneCount)});
    uint8_t data[4] = {};
    if (isStore) {
      pack(from->data[i], data, bytes);
      view.write(machine.global, i % laneCount, address, bytes, data, nullptr,
                 mapReadsToCome(address, bytes));
    } else {
      view.read(machine.global, i % laneCount, address, bytes, data);
      uint32_t bits;
      std::memcpy(&bits, data, 4);
      result->data[i] = static_cast<uint32_t>(canonical(inst.type, bits));
    }
  }
  if (machine.hazards)
    machine.hazards->elements(*this, inst, tensor, touched, bytes);
  if (!isStore)
    refs[inst.dst] = hold;
  return Step::Ran;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

bool Agent::sharedElement(const Inst &inst, Cta *&owner, uint64_t &address) {
  const ViewTable &table = *program.views[inst.table];
  SharedPlace place = SharedPlace::decode(scalars[inst.a]);
  owner = resolve(inst, place);
  if (!owner)
    return false;
  size_t element = 0;
  for (uint32_t d = 0; d < inst.count; ++d) {
    int64_t index = static_cast<int64_t>(scalars[program.lists[inst.list + d]]);
    if (index < 0 || index >= table.shape[d]) {
      machine.find(Code::OutOfBounds,
                   llvm::formatv("index {0} of dimension {1}, which has {2} "
                                 "elements: {3}",
                                 index, d, table.shape[d], who(inst)),
                   inst.origin, this);
      return false;
    }
    element = element * table.shape[d] + index;
  }
  address = place.address + table.offset[element];
  return true;
}

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

Step Agent::scalarMemory(const Inst &inst) {
  unsigned bytes = bytesOf(inst.type);
  uint64_t address = 0;
  Memory *memory = &machine.global;
  Cta *owner = nullptr;
  unsigned tensor = 0;
  if (inst.table != none) {
    if (!sharedElement(inst, owner, address))
      return Step::Failed;
    memory = &owner->shared;
  } else {
    tensor = scalars[inst.a];
    llvm::SmallVector<int64_t, 5> index;
    for (uint32_t d = 0; d < inst.count; ++d)
      index.push_back(
          static_cast<int64_t>(scalars[program.lists[inst.list + d]]));
    if (!globalElement(inst, tensor, index, address, bytes))
      return Step::Failed;
  }
  MemorySem sem = static_cast<MemorySem>(inst.sem);
  bool flag = inst.op == Opcode::FlagWait || inst.op == Opcode::FlagSignal;
  bool both = sem == MemorySem::AcqRel || sem == MemorySem::SeqCst;
  bool releases =
      sem == MemorySem::Release || both || inst.op == Opcode::FlagSignal;
  bool acquires =
      sem == MemorySem::Acquire || both || inst.op == Opcode::FlagWait;
  bool strong = sem != MemorySem::Weak || inst.op == Opcode::Atom || flag;
  auto scope = static_cast<MemoryScope>(inst.scope);
  Views::Location key(owner ? owner->number + 1 : 0, address);
  uint8_t data[8] = {};
  // Strong operations act on memory itself: what this thread has buffered there
  // goes first, in program order.
  auto load = [&](bool &good) {
    uint64_t bits = 0;
    uint8_t poison[8];
    good = view.read(*memory, 0, address, bytes, data, poison, strong);
    std::memcpy(&bits, data, 8);
    return canonical(inst.type, bits);
  };
  auto undefined = [&] {
    machine.find(Code::UndefinedRead,
                 "reads bytes " +
                     (owner ? "of " + machine.nameAt(address) + " " : "") +
                     "that were never written: " + who(inst),
                 inst.origin, this, true, {}, {}, nullptr,
                 owner ? machine.fixOfUnwritten(address) : "");
    return Step::Failed;
  };
  bool good = true;
  if (inst.op == Opcode::FlagWait) {
    uint64_t found = load(good);
    if (static_cast<int32_t>(found) < static_cast<int32_t>(scalars[inst.b]))
      return Step::Blocked;
    if (machine.hazards)
      machine.hazards->scalar(*this, inst, owner, tensor, address, bytes);
    if (machine.views)
      machine.views->readLocation(*this, key, acquires, scope);
    return Step::Ran;
  }
  if (machine.hazards)
    machine.hazards->scalar(*this, inst, owner, tensor, address, bytes);
  if (releases) {
    view.release(lanes());
    machine.publishBarriers(*this);
  }
  if (machine.views && strong) {
    if (inst.op != Opcode::St)
      machine.views->readLocation(*this, key, acquires, scope);
    if (inst.op != Opcode::Ld)
      machine.views->writeLocation(*this, key, releases,
                                   /*continues=*/inst.op != Opcode::St, scope);
  }
  switch (inst.op) {
  case Opcode::Ld: {
    uint64_t found = load(good);
    if (!good)
      return undefined();
    scalars[inst.dst] = found;
    // A strong load in a loop waits for somebody else.
    return strong ? Step::Polled : Step::Ran;
  }
  case Opcode::St: {
    pack(scalars[inst.b], data, bytes);
    bool late = owner ? readsToCome(*owner, address, bytes)
                      : mapReadsToCome(address, bytes);
    if (strong)
      view.writeStrong(*memory, 0, address, bytes, data);
    else
      view.write(*memory, 0, address, bytes, data, nullptr, late);
    return Step::Ran;
  }
  case Opcode::FlagSignal:
  case Opcode::Atom: {
    if (inst.op == Opcode::Atom && inst.flag && !elected) {
      machine.find(Code::NotSupportedYet,
                   "an atomic of 32 threads yields 32 values, and its result "
                   "is used as one: put it into a titan.elect",
                   inst.origin, this);
      return Step::Failed;
    }
    AtomicOp op = inst.op == Opcode::Atom ? static_cast<AtomicOp>(inst.kind)
                                          : AtomicOp::Add;
    uint64_t old = 0;
    for (unsigned lane = 0; lane < (elected ? 1 : laneCount); ++lane) {
      old = load(good);
      if (!good)
        return undefined();
      pack(combine(op, inst.type, old, scalars[inst.b]), data, bytes);
      view.writeStrong(*memory, lane, address, bytes, data);
    }
    if (inst.dst != none)
      scalars[inst.dst] = old;
    return Step::Ran;
  }
  default:
    llvm_unreachable("no scalar access");
  }
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// setmaxnreg. Without a register count at launch it does nothing (MM-74).
Step Agent::setRegisters(const Inst &inst) {
  if (registers == 0 || registers == inst.imm)
    return Step::Ran;
  int64_t more = inst.imm - registers;
  if (more > cta.freeRegisters)
    return Step::Blocked;
  cta.freeRegisters -= more;
  registers = inst.imm;
  return Step::Ran;
}
