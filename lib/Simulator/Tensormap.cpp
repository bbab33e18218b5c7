//===- Tensormap.cpp - tensor maps in memory ------------------------------===//
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
#include "Copy.h"
#include "titan/Simulator/ExecutionTable.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

static constexpr unsigned mapBytes = std::tuple_size_v<TmaDescriptor>;

//===----------------------------------------------------------------------===//
// Editing and publishing
//===----------------------------------------------------------------------===//

static Step mapAt(Agent &agent, const Inst &inst) {
  Machine &machine = agent.machine;
  auto &scalars = agent.scalars;
  unsigned array = scalars[inst.a];
  const SimulatorArgument &argument = machine.arguments[array];
  int64_t row = static_cast<int64_t>(scalars[inst.b]);
  // Rows may overlap (a stride of 0), but not leave their tensor.
  if (row < 0 || row >= argument.shape[0] ||
      static_cast<uint64_t>(row * argument.strides[0]) + mapBytes >
          argument.bytes) {
    machine.find(Code::OutOfBounds,
                 llvm::formatv("row {0} of an array of {1} tensor maps: {2}",
                               row, argument.shape[0], agent.who(inst)),
                 inst.origin, &agent);
    return Step::Failed;
  }
  uint64_t at = reinterpret_cast<uint64_t>(argument.data) +
                static_cast<uint64_t>(row * argument.strides[0]);
  uint64_t alignment = agent.program.target->tmaMapAlignment;
  if (at % alignment) {
    machine.find(Code::TmaMapAlignment,
                 llvm::formatv("the map in row {0} lies {1} bytes behind a "
                               "multiple of {2}: {3}",
                               row, at % alignment, alignment, agent.who(inst)),
                 inst.origin, &agent);
    return Step::Failed;
  }
  scalars[inst.dst] =
      MapPlace{MapPlace::Global, at, static_cast<unsigned>(scalars[inst.c])}
          .encode();
  return Step::Next;
}

/// The 128 bytes that an operation reads, as its threads see them: lane 0 all
/// of them where it is alone, else each lane its share. None, and a finding,
/// where nothing was written.
static std::optional<TmaDescriptor> loadMap(Agent &agent, const Inst &inst,
                                            MapPlace place) {
  Machine &machine = agent.machine;
  TmaDescriptor bits;
  if (place.kind == MapPlace::Parameter) // Tiled, as what it is copied to.
    return encodeDescriptor(machine.launch.maps[place.at].map);
  Memory &memory =
      place.kind == MapPlace::Shared ? agent.cta.shared : machine.global;
  unsigned bytes = agent.elected ? mapBytes : mapBytes / agent.program.lanes;
  uint8_t poison[mapBytes];
  for (unsigned lane = 0; lane * bytes < mapBytes; ++lane)
    if (!agent.view.read(memory, lane, place.at + lane * bytes, bytes,
                         bits.data() + lane * bytes, poison)) {
      machine.find(Code::UndefinedRead,
                   "reads bytes of a tensor map that were never written: " +
                       agent.who(inst),
                   inst.origin, &agent);
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

static Step tensormapCopy(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  auto bits = loadMap(agent, inst, MapPlace::decode(agent.scalars[inst.a]));
  if (!bits)
    return Step::Failed;
  uint64_t to = MapPlace::decode(agent.scalars[inst.b]).at;
  unsigned bytes = mapBytes / agent.program.lanes;
  for (unsigned lane = 0; lane < agent.program.lanes; ++lane)
    agent.view.write(agent.cta.shared, lane, to + lane * bytes, bytes,
                     bits->data() + lane * bytes);
  return Step::Ran;
}

static Step tensormapReplace(Agent &agent, const Inst &inst) {
  if (!agent.oneThread(inst))
    return Step::Failed;
  MapPlace place = MapPlace::decode(agent.scalars[inst.a]);
  auto bits = loadMap(agent, inst, place);
  if (!bits)
    return Step::Failed;
  auto field = static_cast<TmaField>(inst.kind);
  uint64_t value = field == TmaField::GlobalAddress
                       ? addressOf(agent.machine, inst, agent.scalars)
                       : agent.scalars[inst.b];
  // Sizes and addresses are stored for the next copy to look at; of a stride
  // it sees no more what was cut off.
  if (field == TmaField::GlobalStride)
    if (auto bad =
            validateReplace(field, inst.imm, value, *agent.program.target)) {
      agent.machine.find(bad->code, bad->message + ": " + agent.who(inst),
                         inst.origin, &agent);
      return Step::Failed;
    }
  replaceField(*bits, field, inst.imm, value);
  agent.view.write(agent.cta.shared, 0, place.at, mapBytes, bits->data());
  return Step::Ran;
}

static Step tensormapPublish(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  auto bits = loadMap(agent, inst, MapPlace::decode(agent.scalars[inst.a]));
  if (!bits)
    return Step::Failed;
  Machine &machine = agent.machine;
  uint64_t to = MapPlace::decode(agent.scalars[inst.b]).at;
  agent.mapReadsToCome(to, mapBytes);
  agent.view.publishMap(machine.global, to, mapBytes, bits->data());
  return machine.failed() ? Step::Failed : Step::Ran;
}

void titan::sim::registerTensormap(ExecutionTable &table) {
  table.addNothing<TensormapAllocOp>(); // Compiler::allocate
  table.add<TensormapAtOp>([](Compiler &c, TensormapAtOp op) {
    Inst &inst = c.emit(mapAt, op);
    inst.a = c.scalar(op.getArray());
    inst.b = c.scalar(op.getIndex());
    inst.c = c.scalar(op.getTensor());
    inst.dst = c.scalar(op.getResult());
  });
  auto transfer = [](Compiler &c, Execute run, Operation *op, Value source,
                     Value map) {
    Inst &inst = c.emit(run, op);
    inst.a = c.scalar(source);
    inst.b = c.scalar(map);
  };
  table.add<TensormapCopyOp>([=](Compiler &c, TensormapCopyOp op) {
    transfer(c, tensormapCopy, op, op.getSource(), op.getMap());
  });
  table.add<TensormapCpFenceproxyOp>(
      [=](Compiler &c, TensormapCpFenceproxyOp op) {
        transfer(c, tensormapPublish, op, op.getSource(), op.getMap());
      });
  auto replace = [](Compiler &c, Operation *op, TmaField field, Value map,
                    Value value) -> Inst & {
    Inst &inst = c.emit(tensormapReplace, op);
    inst.kind = static_cast<uint8_t>(field);
    inst.a = c.scalar(map);
    inst.b = c.scalar(value);
    return inst;
  };
  // The instruction counts dimensions from the innermost, which has no stride.
  auto ordinal = [](Value map, int64_t dimension) {
    return cast<TensorMapType>(map.getType()).getRank() - 1 - dimension;
  };
  table.add<TensormapReplaceAddressOp>(
      [=](Compiler &c, TensormapReplaceAddressOp op) {
        c.setList(replace(c, op, TmaField::GlobalAddress, op.getMap(),
                          op.getTensor()),
                  op.getCoords());
      });
  table.add<TensormapReplaceDimOp>([=](Compiler &c, TensormapReplaceDimOp op) {
    replace(c, op, TmaField::GlobalDim, op.getMap(), op.getSize()).imm =
        ordinal(op.getMap(), op.getDimension());
  });
  table.add<TensormapReplaceStrideOp>([=](Compiler &c,
                                          TensormapReplaceStrideOp op) {
    replace(c, op, TmaField::GlobalStride, op.getMap(), op.getStride()).imm =
        ordinal(op.getMap(), op.getDimension()) - 1;
  });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Whether the map has what its type says: copies through it count on these.
static bool hasFieldsOf(const TensorMap &map, TensorMapType type) {
  for (bool isSigned : {false, true}) {
    TensorMap declared = getTensorMapFields(
        type, getTmaTypeName(type.getElementType(), isSigned));
    if (map.mode == declared.mode && map.rank == declared.rank &&
        map.im2col == declared.im2col && map.type == declared.type &&
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

bool Copy::readMap(Machine &machine) {
  mapRead = true;
  std::optional<TensorMap> found;
  auto bad = [&](Code code, const Twine &message, std::string fix = "") {
    machine.find(code, message + ": " + agent->who(*inst), inst->origin, agent,
                 /*fatal=*/true, {}, {}, nullptr, std::move(fix));
    return false;
  };
  if (map.kind == MapPlace::Parameter) {
    found = machine.launch.maps[map.at].map;
  } else {
    TmaDescriptor bits;
    machine.global.read(map.at, mapBytes, bits.data());
    for (const OldByte &old : oldMap)
      bits[old.address - map.at] = old.byte;
    if (transfer && bits == mapBits)
      return true;
    mapBits = bits;
    auto decoded = decodeDescriptor(bits);
    auto declared = cast<TensorMapType>(*llvm::find_if(
        inst->origin->getOperandTypes(), llvm::IsaPred<TensorMapType>));
    if (!decoded || !hasFieldsOf(*decoded, declared)) {
      std::string text;
      llvm::raw_string_ostream(text) << declared;
      return bad(Code::TensormapBytes,
                 (decoded ? "the 128 bytes in memory are another map than "
                          : decoded.problem().message + "; they should be ") +
                     text +
                     (oldMap.empty()
                          ? ""
                          : " (some of them as they were before a change that "
                            "its thread has not acquired)"));
    }
    found = *decoded;
  }
  auto made = TmaTransfer::make(*found, what, *machine.program.target);
  if (!made) {
    const CodeInfo *info = lookupCode(made.problem().code);
    return bad(info ? info->id : Code::InvalidOp, made.problem().message,
               made.problem().fix);
  }
  transfer = std::move(*made);
  return true;
}

bool Machine::settleMaps(uint64_t begin, uint64_t bytes, const Viewer &writer) {
  std::erase_if(mapReads,
                [](const auto &copy) { return copy->mapRead || copy->done; });
  bool toCome = false;
  for (const auto &copy : mapReads) {
    if (copy->map.at >= begin + bytes || begin >= copy->map.at + mapBytes)
      continue;
    bool over =
        writer.knows(views->stream(*copy->agent, Mechanism::BulkGroup, 0).read,
                     copy->number);
    for (auto &[cta, phase] : copy->targets)
      over |= writer.knows(cta->barriers[copy->barrier].source, phase + 1);
    if (over)
      copy->readMap(*this);
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
