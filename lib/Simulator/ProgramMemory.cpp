//===- ProgramMemory.cpp - memory, barriers, copies, products -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ProgramCompiler.h"

#include "titan/Dialect/Titan/SharedMemory.h"
#include "titan/Target/Target.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;
using namespace titan::sim;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void Compiler::allocate() {
  int64_t limit = targetInfo(TargetId::Sm90a).sharedBytesPerCta;
  for (const SharedAllocation &each : layOutShared(kernel, limit)) {
    if (each.end() > limit) {
      problem(
          each.op, Code::SharedMemoryLimit,
          llvm::formatv("with this allocation the kernel takes {0} bytes of "
                        "shared memory; a CTA has {1}",
                        each.end(), limit));
      return;
    }
    // Address 0 is left free, as on the hardware.
    uint32_t address = 1024 + static_cast<uint32_t>(each.offset);
    p.sharedBytes = address + each.bytes;
    p.scalars[scalar(each.op->getResult(0))] =
        isa<TensormapAllocOp>(each.op)
            ? MapPlace{MapPlace::Shared, address}.encode()
            : address;
    p.allocations.push_back({address, static_cast<uint32_t>(each.bytes),
                             isa<MBarrierAllocOp>(each.op), each.op});
  }
}

bool Compiler::memoryOperation(Operation &op) {
  auto scalarAccess = [&](Opcode code, Value memory, ValueRange indices,
                          Value value, Value result) {
    mlir::Type element;
    std::optional<uint32_t> view;
    if (auto shared = dyn_cast<SharedType>(memory.getType())) {
      element = shared.getElementType();
      view = viewTable(&op, shared);
    } else {
      element = cast<GlobalType>(memory.getType()).getElementType();
    }
    auto type = elementType(&op, element);
    if (!type)
      return static_cast<Inst *>(nullptr);
    uint32_t a = scalar(memory), b = scalar(value), dst = scalar(result);
    Inst &inst = emit(code, &op);
    inst.type = *type;
    inst.a = a;
    inst.b = b;
    inst.dst = dst;
    inst.table = view.value_or(none);
    setList(inst, indices);
    return &inst;
  };
  auto order = [](Inst *inst, MemorySem sem, MemoryScope scope) {
    if (inst)
      setOrder(*inst, sem, scope);
  };
  auto globalTile = [&](Opcode code, Value tensor, RankedTensorType tile,
                        ValueRange indices, Value mask, Value value,
                        Value result) {
    const TileTable *t = tileTable(&op, tile);
    if (!t)
      return;
    uint32_t a = scalar(tensor), b = ref(value), c = ref(mask),
             dst = ref(result);
    Inst &inst = emit(code, &op);
    inst.type = *typeOf(tile.getElementType());
    inst.a = a;
    inst.b = b;
    inst.c = c;
    inst.dst = dst;
    inst.table = indexOf(t);
    setList(inst, indices, true);
  };
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](SharedAllocOp) { return true; }) // allocate()
      .Case([&](SharedSlotOp o) {
        uint32_t a = scalar(o.getRing()), b = scalar(o.getIndex()),
                 dst = scalar(o.getResult());
        Inst &inst = emit(Opcode::SharedSlot, o);
        inst.a = a;
        inst.b = b;
        inst.dst = dst;
        inst.imm = o.getRing().getType().getSlotBytes();
        inst.imm2 = o.getRing().getType().getSlots();
        return true;
      })
      .Case([&](SharedViewOp o) {
        uint32_t a = scalar(o.getSource()), dst = scalar(o.getResult());
        Inst &inst = emit(Opcode::SharedView, o);
        inst.a = a;
        inst.dst = dst;
        inst.imm = o.getByteOffset();
        return true;
      })
      .Case([&](MapRankOp o) {
        uint32_t a = scalar(o.getSource()), b = scalar(o.getRank()),
                 dst = scalar(o.getResult());
        Inst &inst = emit(Opcode::MapRank, o);
        inst.a = a;
        inst.b = b;
        inst.dst = dst;
        return true;
      })
      .Case([&](SharedStoreOp o) {
        auto table = access(o, o.getTile().getType(), o.getBuffer().getType());
        if (!table)
          return true;
        uint32_t a = scalar(o.getBuffer()), b = ref(o.getTile());
        Inst &inst = emit(Opcode::SharedStore, o);
        inst.a = a;
        inst.b = b;
        inst.table = *table;
        inst.flag = o.getMatrix();
        return true;
      })
      .Case([&](SharedLoadOp o) {
        auto table = access(o, o.getType(), o.getBuffer().getType());
        if (!table)
          return true;
        uint32_t a = scalar(o.getBuffer()), dst = ref(o.getResult());
        Inst &inst = emit(Opcode::SharedLoad, o);
        inst.a = a;
        inst.dst = dst;
        inst.table = *table;
        inst.flag = o.getMatrix();
        return true;
      })
      .Case([&](GlobalLoadOp o) {
        globalTile(Opcode::GlobalLoad, o.getTensor(), o.getType(),
                   o.getIndices(), o.getMask(), {}, o.getResult());
        return true;
      })
      .Case([&](GlobalStoreOp o) {
        globalTile(Opcode::GlobalStore, o.getTensor(), o.getTile().getType(),
                   o.getIndices(), o.getMask(), o.getTile(), {});
        return true;
      })
      .Case([&](LdOp o) {
        order(scalarAccess(Opcode::Ld, o.getMemory(), o.getIndices(), {},
                           o.getResult()),
              o.getSem(), o.getScope());
        return true;
      })
      .Case([&](StOp o) {
        order(scalarAccess(Opcode::St, o.getMemory(), o.getIndices(),
                           o.getValue(), {}),
              o.getSem(), o.getScope());
        return true;
      })
      .Case([&](AtomOp o) {
        Inst *inst = scalarAccess(Opcode::Atom, o.getMemory(), o.getIndices(),
                                  o.getValue(), o.getResult());
        order(inst, o.getSem(), o.getScope());
        if (inst) {
          inst->kind = static_cast<uint8_t>(o.getOp());
          inst->flag = !o.getResult().use_empty();
        }
        return true;
      })
      .Case([&](FlagWaitOp o) {
        order(scalarAccess(Opcode::FlagWait, o.getFlags(), o.getIndices(),
                           o.getValue(), {}),
              MemorySem::Acquire, o.getScope());
        return true;
      })
      .Case([&](FlagSignalOp o) {
        order(scalarAccess(Opcode::FlagSignal, o.getFlags(), o.getIndices(),
                           o.getValue(), {}),
              MemorySem::Release, o.getScope());
        return true;
      })
      .Default(false);
}

//===----------------------------------------------------------------------===//
// Barriers and fences
//===----------------------------------------------------------------------===//

void Compiler::barrierOperands(Inst &inst, Value barrier, Value index) {
  inst.c = scalar(barrier);
  inst.d = scalar(index);
  inst.imm2 = cast<MBarrierType>(barrier.getType()).getSlots();
}

bool Compiler::barrierOperation(Operation &op) {
  auto barrier = [&](Opcode code, Value object, Value index) -> Inst & {
    scalar(object);
    scalar(index);
    Inst &inst = emit(code, &op);
    barrierOperands(inst, object, index);
    return inst;
  };
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](MBarrierAllocOp) { return true; }) // allocate()
      .Case([&](MBarrierInitOp o) {
        barrier(Opcode::BarrierInit, o.getBarrier(), o.getIndex()).imm =
            o.getCount();
        return true;
      })
      .Case([&](MBarrierInvalOp o) {
        barrier(Opcode::BarrierInval, o.getBarrier(), o.getIndex());
        return true;
      })
      .Case([&](MBarrierArriveOp o) {
        uint32_t dst = scalar(o.getState());
        Inst &inst =
            barrier(Opcode::BarrierArrive, o.getBarrier(), o.getIndex());
        inst.imm = o.getCount();
        inst.dst = dst;
        setOrder(inst, o.getSem(), o.getScope());
        return true;
      })
      .Case([&](MBarrierArriveExpectTxOp o) {
        uint32_t dst = scalar(o.getState()), a = scalar(o.getBytes());
        Inst &inst =
            barrier(Opcode::BarrierArriveExpect, o.getBarrier(), o.getIndex());
        inst.imm = 1;
        inst.a = a;
        inst.dst = dst;
        setOrder(inst, o.getSem(), o.getScope());
        return true;
      })
      .Case([&](MBarrierExpectTxOp o) {
        uint32_t a = scalar(o.getBytes());
        barrier(Opcode::BarrierExpect, o.getBarrier(), o.getIndex()).a = a;
        return true;
      })
      .Case([&](MBarrierWaitOp o) {
        uint32_t a = scalar(o.getParity());
        Inst &inst = barrier(Opcode::BarrierWait, o.getBarrier(), o.getIndex());
        inst.a = a;
        setOrder(inst, o.getSem(), o.getScope());
        return true;
      })
      .Case([&](MBarrierWaitStateOp o) {
        uint32_t a = scalar(o.getState());
        Inst &inst =
            barrier(Opcode::BarrierWaitState, o.getBarrier(), o.getIndex());
        inst.a = a;
        setOrder(inst, o.getSem(), o.getScope());
        return true;
      })
      .Case([&](MBarrierTestWaitOp o) {
        uint32_t a = scalar(o.getParity()), dst = scalar(o.getDone());
        Inst &inst = barrier(Opcode::BarrierTest, o.getBarrier(), o.getIndex());
        inst.a = a;
        inst.dst = dst;
        setOrder(inst, o.getSem(), o.getScope());
        return true;
      })
      .Case([&](SyncWarpOp o) {
        emit(Opcode::SyncWarp, o);
        return true;
      })
      .Case([&](CtaSyncOp o) {
        Inst &inst = emit(Opcode::NamedSync, o);
        inst.imm2 = p.warps * laneCount;
        return true;
      })
      .Case([&](BarrierSyncOp o) {
        Inst &inst = emit(Opcode::NamedSync, o);
        inst.imm = o.getId();
        inst.imm2 = o.getThreads();
        return true;
      })
      .Case([&](BarrierArriveOp o) {
        Inst &inst = emit(Opcode::NamedArrive, o);
        inst.imm = o.getId();
        inst.imm2 = o.getThreads();
        return true;
      })
      .Case([&](ClusterArriveOp o) {
        emit(Opcode::ClusterArrive, o).flag = o.getRelaxed();
        return true;
      })
      .Case([&](ClusterWaitOp o) {
        emit(Opcode::ClusterWait, o);
        return true;
      })
      .Case([&](FenceOp o) {
        setOrder(emit(Opcode::Fence, o), o.getSem(), o.getScope());
        return true;
      })
      .Case([&](FenceProxyAsyncOp o) {
        emit(Opcode::FenceProxyAsync, o).kind =
            static_cast<uint8_t>(o.getSpace());
        return true;
      })
      .Case([&](FenceMbarrierInitOp o) {
        emit(Opcode::FenceBarrierInit, o);
        return true;
      })
      .Default(false);
}

//===----------------------------------------------------------------------===//
// Copies and products
//===----------------------------------------------------------------------===//

bool Compiler::asyncOperation(Operation &op) {
  // The list: coordinates, so many as imm says, then im2col offsets.
  auto copy = [&](Opcode code, Value map, ValueRange coords, Value buffer,
                  ValueRange offsets = {}) -> Inst & {
    uint32_t a = scalar(map), b = scalar(buffer);
    Inst &inst = emit(code, &op);
    inst.a = a;
    inst.b = b;
    SmallVector<Value> list(coords);
    llvm::append_range(list, offsets);
    setList(inst, list);
    inst.imm = coords.size();
    return inst;
  };
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](TmaLoadOp o) {
        if (o.getPair()) {
          unsupported(o, " with a barrier of the pair");
          return true;
        }
        uint32_t mask = scalar(o.getMulticast());
        scalar(o.getBarrier());
        scalar(o.getIndex());
        Inst &inst = copy(Opcode::TmaLoad, o.getMap(), o.getCoords(),
                          o.getBuffer(), o.getOffsets());
        barrierOperands(inst, o.getBarrier(), o.getIndex());
        inst.target = mask;
        return true;
      })
      .Case([&](TmaStoreOp o) {
        copy(Opcode::TmaStore, o.getMap(), o.getCoords(), o.getBuffer());
        return true;
      })
      .Case([&](TmaReduceOp o) {
        copy(Opcode::TmaReduce, o.getMap(), o.getCoords(), o.getBuffer()).kind =
            static_cast<uint8_t>(o.getOp());
        return true;
      })
      .Case([&](BulkCommitOp o) {
        uint32_t dst = scalar(o.getToken());
        emit(Opcode::BulkCommit, o).dst = dst;
        return true;
      })
      .Case([&](BulkWaitOp o) {
        uint32_t a = scalar(o.getToken());
        Inst &inst = emit(Opcode::BulkWait, o);
        inst.a = a;
        inst.flag = o.getRead();
        return true;
      })
      .Case([&](BulkWaitGroupOp o) {
        Inst &inst = emit(Opcode::BulkWaitGroup, o);
        inst.imm = o.getPending();
        inst.flag = o.getRead();
        return true;
      })
      .Case([&](TokenNoneOp o) {
        p.scalars[scalar(o.getToken())] = 0;
        return true;
      })
      .Case([&](InFlightNoneOp o) {
        slot(o.getResult()); // A null reference: no registers yet.
        return true;
      })
      .Case([&](InFlightStartOp o) {
        if (!tileTable(o, o.getTile().getType()))
          return true;
        SlotOf dst = slot(o.getResult());
        uint32_t a = ref(o.getTile());
        Inst &inst = emit(Opcode::InFlightStart, o);
        inst.a = a;
        inst.dst = dst.ref;
        inst.d = dst.scalar;
        return true;
      })
      .Case([&](MmaOp o) {
        auto table = mmaTable(o);
        if (!table)
          return true;
        SlotOf acc = slot(o.getAcc()), dst = slot(o.getResult());
        bool inRegisters = isa<RankedTensorType>(o.getA().getType());
        uint32_t a = inRegisters ? ref(o.getA()) : scalar(o.getA());
        uint32_t b = scalar(o.getB()), more = scalar(o.getAccumulate());
        Inst &inst = emit(Opcode::Mma, o);
        inst.flag = inRegisters;
        inst.table = *table;
        inst.a = a;
        inst.b = b;
        inst.c = acc.ref;
        inst.d = more;
        inst.dst = dst.ref;
        inst.imm = acc.scalar;
        inst.imm2 = dst.scalar;
        return true;
      })
      .Case([&](MmaFenceOp o) {
        emit(Opcode::MmaFence, o);
        return true;
      })
      .Case([&](MmaCommitOp o) {
        uint32_t dst = scalar(o.getToken());
        emit(Opcode::MmaCommit, o).dst = dst;
        return true;
      })
      .Case([&](MmaWaitOp o) {
        uint32_t a = scalar(o.getToken());
        emit(Opcode::MmaWait, o).a = a;
        return true;
      })
      .Case([&](MmaWaitGroupOp o) {
        emit(Opcode::MmaWaitGroup, o).imm = o.getPending();
        return true;
      })
      .Case([&](MmaResultOp o) {
        SlotOf acc = slot(o.getAcc());
        uint32_t dst = ref(o.getResult());
        const TileTable *table = tileTable(o, o.getType());
        if (!table)
          return true;
        uint32_t after = scalar(o.getAfter());
        Inst &inst = emit(Opcode::MmaResult, o);
        inst.b = after;
        inst.imm = table->perWarp();
        inst.a = acc.ref;
        inst.d = acc.scalar;
        inst.dst = dst;
        return true;
      })
      .Default(false);
}
