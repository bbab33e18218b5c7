//===- TensorMaps.cpp - tensor maps in memory -----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 128 bytes of a map lie in shared memory where they are edited, in global
// memory where copies go through them. What the bytes mean only lib/Domain
// knows.
//
// A copy decodes what the tensormap proxy sees. With hazards off that is what
// its thread has acquired; and the bytes are read as late as the copy's sources
// are (see Machine.h), so that a change made too early shows.
//
//===----------------------------------------------------------------------===//
#include "Hazards.h"
#include "Machine.h"
#include "ProgramCompiler.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

static constexpr unsigned mapBytes = std::tuple_size_v<TmaDescriptor>;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

bool Compiler::tensormapOperation(Operation &op) {
  auto replace = [&](TmaField field, Value map, Value value) -> Inst & {
    uint32_t a = scalar(map), b = scalar(value);
    Inst &inst = emit(Opcode::TensormapReplace, &op);
    inst.kind = static_cast<uint8_t>(field);
    inst.a = a;
    inst.b = b;
    return inst;
  };
  auto transfer = [&](Opcode code, Value source, Value map) {
    uint32_t a = scalar(source), b = scalar(map);
    Inst &inst = emit(code, &op);
    inst.a = a;
    inst.b = b;
  };
  // The instruction counts dimensions from the innermost, which has no stride.
  auto ordinal = [](Value map, int64_t dimension) {
    return cast<TensorMapType>(map.getType()).getRank() - 1 - dimension;
  };
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](TensormapAllocOp) { return true; }) // allocate()
      .Case([&](TensormapAtOp o) {
        uint32_t a = scalar(o.getArray()), b = scalar(o.getIndex()),
                 c = scalar(o.getTensor()), dst = scalar(o.getResult());
        Inst &inst = emit(Opcode::TensormapAt, o);
        inst.a = a;
        inst.b = b;
        inst.c = c;
        inst.dst = dst;
        return true;
      })
      .Case([&](TensormapCopyOp o) {
        transfer(Opcode::TensormapCopy, o.getSource(), o.getMap());
        return true;
      })
      .Case([&](TensormapCpFenceproxyOp o) {
        transfer(Opcode::TensormapPublish, o.getSource(), o.getMap());
        return true;
      })
      .Case([&](TensormapReplaceAddressOp o) {
        setList(replace(TmaField::GlobalAddress, o.getMap(), o.getTensor()),
                o.getCoords());
        return true;
      })
      .Case([&](TensormapReplaceDimOp o) {
        replace(TmaField::GlobalDim, o.getMap(), o.getSize()).imm =
            ordinal(o.getMap(), o.getDimension());
        return true;
      })
      .Case([&](TensormapReplaceStrideOp o) {
        replace(TmaField::GlobalStride, o.getMap(), o.getStride()).imm =
            ordinal(o.getMap(), o.getDimension()) - 1;
        return true;
      })
      .Case([&](FenceTensormapReleaseOp o) {
        emit(Opcode::FenceTensormapRelease, o);
        return true;
      })
      .Case([&](FenceTensormapAcquireOp o) {
        uint32_t a = scalar(o.getMap());
        emit(Opcode::FenceTensormapAcquire, o).a = a;
        return true;
      })
      .Default(false);
}

//===----------------------------------------------------------------------===//
// Editing and publishing
//===----------------------------------------------------------------------===//

bool Agent::mapAt(const Inst &inst) {
  unsigned array = scalars[inst.a];
  const SimulatorArgument &argument = machine.arguments[array];
  int64_t row = static_cast<int64_t>(scalars[inst.b]);
  // Rows may overlap (a stride of 0), but not leave their tensor.
  if (row < 0 || row >= argument.shape[0] ||
      static_cast<uint64_t>(row * argument.strides[0]) + mapBytes >
          argument.bytes) {
    machine.find(Code::OutOfBounds,
                 llvm::formatv("row {0} of an array of {1} tensor maps: {2}",
                               row, argument.shape[0], who(inst)),
                 inst.origin, this);
    return false;
  }
  uint64_t at = reinterpret_cast<uint64_t>(argument.data) +
                static_cast<uint64_t>(row * argument.strides[0]);
  uint64_t alignment = targetInfo(TargetId::Sm90a).tmaMapAlignment;
  if (at % alignment) {
    machine.find(Code::TmaMapAlignment,
                 llvm::formatv("the map in row {0} lies {1} bytes behind a "
                               "multiple of {2}: {3}",
                               row, at % alignment, alignment, who(inst)),
                 inst.origin, this);
    return false;
  }
  scalars[inst.dst] =
      MapPlace{MapPlace::Global, at, static_cast<unsigned>(scalars[inst.c])}
          .encode();
  return true;
}

/// The 128 bytes that an operation reads, as its threads see them: lane 0 all
/// of them where it is alone, else each lane its four. None, and a finding,
/// where other threads execute it than have to, or where nothing was written.
std::optional<TmaDescriptor> Agent::loadMap(const Inst &inst, MapPlace place) {
  bool alone = inst.op == Opcode::TensormapReplace;
  if (alone ? !oneThread(inst) : !wholeWarp(inst))
    return std::nullopt;
  if (machine.hazards)
    machine.hazards->maps(*this, inst);
  TmaDescriptor bits;
  if (place.kind == MapPlace::Parameter) // Tiled, as what it is copied to.
    return encodeDescriptor(machine.launch.maps[place.at].map);
  Memory &memory = place.kind == MapPlace::Shared ? cta.shared : machine.global;
  unsigned bytes = elected ? mapBytes : mapBytes / laneCount;
  uint8_t poison[mapBytes];
  for (unsigned lane = 0; lane * bytes < mapBytes; ++lane)
    if (!view.read(memory, lane, place.at + lane * bytes, bytes,
                   bits.data() + lane * bytes, poison)) {
      machine.find(Code::UndefinedRead,
                   "reads bytes of a tensor map that were never written: " +
                       who(inst),
                   inst.origin, this);
      return std::nullopt;
    }
  return bits;
}

/// The address of an element that may lie anywhere: copies look at it.
static uint64_t addressOf(Machine &machine, const Inst &inst,
                          ArrayRef<uint64_t> scalars) {
  unsigned tensor = scalars[inst.b];
  const SimulatorArgument &argument = machine.arguments[tensor];
  auto type = cast<GlobalType>(
      cast<TensormapReplaceAddressOp>(inst.origin).getTensor().getType());
  uint64_t offset = 0;
  for (uint32_t d = 0; d < inst.count; ++d)
    offset += scalars[machine.program.lists[inst.list + d]] *
              static_cast<uint64_t>(argument.strides[d]);
  return reinterpret_cast<uint64_t>(argument.data) +
         offset * titan::getElementBytes(type.getElementType());
}

Step Agent::mapOp(const Inst &inst) {
  switch (inst.op) {
  case Opcode::FenceTensormapRelease:
    view.release(lanes());
    if (machine.views)
      machine.views->releaseMaps(*this);
    break;
  case Opcode::FenceTensormapAcquire:
    if (machine.views)
      machine.views->acquireMap(*this, MapPlace::decode(scalars[inst.a]).at);
    break;
  case Opcode::TensormapCopy: {
    auto bits = loadMap(inst, MapPlace::decode(scalars[inst.a]));
    if (!bits)
      return Step::Failed;
    uint64_t to = MapPlace::decode(scalars[inst.b]).at;
    unsigned bytes = mapBytes / laneCount;
    for (unsigned lane = 0; lane < laneCount; ++lane)
      view.write(cta.shared, lane, to + lane * bytes, bytes,
                 bits->data() + lane * bytes);
    return Step::Ran;
  }
  case Opcode::TensormapReplace: {
    MapPlace place = MapPlace::decode(scalars[inst.a]);
    auto bits = loadMap(inst, place);
    if (!bits)
      return Step::Failed;
    auto field = static_cast<TmaField>(inst.kind);
    uint64_t value = field == TmaField::GlobalAddress
                         ? addressOf(machine, inst, scalars)
                         : scalars[inst.b];
    // Sizes and addresses are stored for the next copy to look at; of a stride
    // it sees no more what was cut off.
    if (field == TmaField::GlobalStride)
      if (auto bad = validateReplace(field, inst.imm, value,
                                     targetInfo(TargetId::Sm90a))) {
        machine.find(bad->code, bad->message + ": " + who(inst), inst.origin,
                     this);
        return Step::Failed;
      }
    replaceField(*bits, field, inst.imm, value);
    view.write(cta.shared, 0, place.at, mapBytes, bits->data());
    return Step::Ran;
  }
  case Opcode::TensormapPublish: {
    auto bits = loadMap(inst, MapPlace::decode(scalars[inst.a]));
    if (!bits)
      return Step::Failed;
    uint64_t to = MapPlace::decode(scalars[inst.b]).at;
    mapReadsToCome(to, mapBytes);
    view.publishMap(machine.global, to, mapBytes, bits->data());
    break;
  }
  default:
    llvm_unreachable("no operation on maps");
  }
  if (machine.hazards)
    machine.hazards->fence(*this, inst);
  return machine.failed() ? Step::Failed : Step::Ran;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Whether the map has what its type says: copies through it count on these.
static bool hasFieldsOf(const TensorMap &map, TensorMapType type) {
  for (bool isSigned : {false, true}) {
    TensorMap declared = getTensorMapFields(
        type, getTmaTypeName(type.getElementType(), isSigned));
    if (map.rank == declared.rank && map.type == declared.type &&
        map.swizzle == declared.swizzle &&
        map.interleave == declared.interleave &&
        std::equal(map.box.begin(), map.box.begin() + map.rank,
                   declared.box.begin()) &&
        std::equal(map.elementStrides.begin(),
                   map.elementStrides.begin() + map.rank,
                   declared.elementStrides.begin()))
      return true;
  }
  return false;
}

bool Machine::readMap(Copy &copy) {
  copy.mapRead = true;
  std::optional<TensorMap> map;
  auto bad = [&](Code code, const Twine &message, std::string fix = "") {
    find(code, message + ": " + copy.agent->who(*copy.inst), copy.inst->origin,
         copy.agent, /*fatal=*/true, {}, {}, nullptr, std::move(fix));
    return false;
  };
  if (copy.map.kind == MapPlace::Parameter) {
    map = launch.maps[copy.map.at].map;
  } else {
    TmaDescriptor bits;
    global.read(copy.map.at, mapBytes, bits.data());
    for (const OldByte &old : copy.oldMap)
      bits[old.address - copy.map.at] = old.byte;
    if (copy.transfer && bits == copy.mapBits)
      return true;
    copy.mapBits = bits;
    map = decodeDescriptor(bits);
    auto type = cast<TensorMapType>(
        copy.inst->op == Opcode::TmaLoad
            ? cast<TmaLoadOp>(copy.inst->origin).getMap().getType()
            : copy.inst->origin->getOperand(1).getType());
    if (!map || !hasFieldsOf(*map, type)) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return bad(
          Code::TensormapBytes,
          (map ? "the 128 bytes in memory are another map than "
               : "the 128 bytes in memory are no tiled map, let alone ") +
              text +
              (copy.oldMap.empty()
                   ? ""
                   : " (some of them as they were before a change that "
                     "its thread has not acquired)"));
    }
  }
  auto made = TmaTransfer::make(*map, copy.what, targetInfo(TargetId::Sm90a));
  if (!made) {
    const CodeInfo *info = lookupCode(made.problem().code);
    return bad(info ? info->id : Code::InvalidOp, made.problem().message,
               made.problem().fix);
  }
  copy.type = map->type;
  copy.transfer = std::move(*made);
  return true;
}

bool Machine::settleMaps(uint64_t begin, uint64_t bytes, const Viewer &writer) {
  std::erase_if(mapReads, [](const CopyRef &copy) {
    return copy->mapRead || copy->done;
  });
  bool toCome = false;
  for (const CopyRef &copy : mapReads) {
    if (copy->map.at >= begin + bytes || begin >= copy->map.at + mapBytes)
      continue;
    bool over = writer.knows(copy->agent->knowledge->bulkReads, copy->group);
    for (auto &[cta, phase] : copy->targets)
      over |= writer.knows(cta->barriers[copy->barrier].source, phase + 1);
    if (over)
      readMap(*copy);
    else
      toCome = true;
  }
  return toCome;
}

bool Agent::mapReadsToCome(uint64_t address, uint64_t bytes) {
  if (machine.mapReads.empty())
    return false;
  Viewer writer(*machine.views, Proxy::Generic, knowledge->classes[0].known);
  if (!elected)
    writer.add(knowledge->classes[1].known);
  return machine.settleMaps(address, bytes, writer);
}
