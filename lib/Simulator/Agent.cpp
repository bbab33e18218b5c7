//===- Agent.cpp - a warp: control flow, scalars and tiles ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Conformance.h"
#include "Machine.h"
#include "Numeric.h"

#include "titan/Analysis/Assertion.h"
#include "titan/Dialect/Titan/SharedMemory.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

Agent::Agent(Machine &machine, Cta &cta, unsigned warp)
    : machine(machine), cta(cta), program(machine.program), warp(warp),
      number(machine.nextAgent++), regionWarp(warp), scalars(program.scalars),
      refs(program.refs), iterations(program.loops.size()),
      view(machine.views.get(), *this) {
  registers = program.launchRegisters;
  auto arguments = machine.kernel.getBody().getArguments();
  size_t own = machine.arguments.size();
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    uint32_t slot = program.slots.lookup(argument).scalar;
    if (i >= own)
      scalars[slot] = machine.launch.values[i - own];
    else if (isa<GlobalType>(argument.getType()))
      scalars[slot] = i;
    else
      scalars[slot] =
          canonical(*typeOf(argument.getType()), machine.arguments[i].scalar);
  }
}

std::string Agent::who(const Inst &inst) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << program.regions[region].name << ", warp " << regionWarp;
  std::vector<uint32_t> nest;
  for (uint32_t loop = inst.loop; loop != none;
       loop = program.loops[loop].parent)
    nest.push_back(loop);
  if (!nest.empty()) {
    os << ", iteration ";
    for (size_t i = nest.size(); i-- > 0;)
      os << iterations[nest[i]] << (i ? "." : "");
  }
  os << " (CTA " << cta.id[0];
  if (machine.launch.grid[1] != 1 || machine.launch.grid[2] != 1)
    os << ',' << cta.id[1] << ',' << cta.id[2];
  os << ')';
  return text;
}

Step Agent::step() {
  if (done)
    return Step::Done;
  polling = false;
  if (!advance()) {
    if (!machine.failed())
      machine.giveUp(*this);
    return Step::Failed;
  }
  const Inst &inst = program.code[pc];
  if (machine.conformance)
    machine.conformance->begin(*this, inst);
  Step result = inst.op == Opcode::Return ? exit(inst) : hardware(inst);
  if (machine.conformance)
    machine.conformance->end(*this, inst,
                             result == Step::Ran || result == Step::Polled);
  if (result == Step::Failed && !done && !machine.failed())
    machine.giveUp(*this);
  if (machine.failed())
    return Step::Failed;
  if (result == Step::Ran) {
    ++pc;
    ++machine.events;
    ++machine.report.operations;
    arrived = false;
  } else if (result == Step::Polled) {
    ++pc;
    polling = true;
    result = Step::Polled;
  }
  return result;
}

/// Executes everything up to the next hardware operation. False: the run ends.
bool Agent::advance() {
  for (;;) {
    const Inst &inst = program.code[pc];
    if (isHardware(inst.op) || inst.op == Opcode::Return)
      return true;
    if (++steps > machine.options.maxSteps) {
      machine.find(Code::StepLimit,
                   llvm::formatv("{0} has executed {1} operations", who(inst),
                                 machine.options.maxSteps),
                   inst.origin, this);
      return false;
    }
    uint32_t next = pc + 1;
    switch (inst.op) {
    case Opcode::Move:
      moveValues(inst);
      break;
    case Opcode::Jump:
      next = inst.target;
      break;
    case Opcode::BranchFalse:
      if (!(scalars[inst.a] & 1))
        next = inst.target;
      break;
    case Opcode::LoopBegin:
      if (static_cast<int64_t>(scalars[inst.c]) <= 0 && !inst.flag) {
        machine.find(Code::InvalidOp,
                     llvm::formatv("the step of the loop is {0}: it must be "
                                   "positive",
                                   static_cast<int64_t>(scalars[inst.c])),
                     inst.origin, this);
        return false;
      }
      scalars[inst.dst] = scalars[inst.a];
      iterations[inst.loop] = 0;
      break;
    case Opcode::LoopTest: {
      uint64_t at = scalars[inst.dst], end = scalars[inst.b];
      bool more = inst.flag
                      ? at < end
                      : static_cast<int64_t>(at) < static_cast<int64_t>(end);
      if (!more)
        next = inst.target;
      break;
    }
    case Opcode::LoopNext: {
      // A step past the type's largest number leaves the loop.
      __int128 sum = __int128(static_cast<int64_t>(scalars[inst.dst])) +
                     static_cast<int64_t>(scalars[inst.c]);
      int64_t end = static_cast<int64_t>(scalars[inst.b]);
      scalars[inst.dst] =
          sum >= end && !inst.flag ? end : static_cast<uint64_t>(sum);
      ++iterations[inst.loop];
      next = inst.target;
      break;
    }
    case Opcode::ElectBegin:
      if (inst.imm >= 0 && static_cast<unsigned>(inst.imm) != regionWarp)
        next = inst.target;
      else
        elected = true;
      break;
    case Opcode::ElectEnd:
      elected = false;
      break;
    case Opcode::Specialize: {
      next = inst.target;
      for (int64_t i = inst.imm; i < inst.imm2; ++i) {
        const WarpRegion &candidate = program.regions[i];
        if (warp < candidate.firstWarp ||
            warp >= candidate.firstWarp + candidate.padded)
          continue;
        region = i;
        regionWarp = warp - candidate.firstWarp;
        idle = regionWarp >= candidate.warps;
        next = candidate.entry;
      }
      break;
    }
    case Opcode::PartitionEnd:
      if (inst.flag && !idle)
        break; // Where padding leaves.
      region = 0;
      regionWarp = warp;
      idle = false;
      next = inst.target;
      break;
    case Opcode::Scalar:
      if (!scalarOp(inst))
        return false;
      break;
    case Opcode::ScalarCopy:
      scalars[inst.dst] = scalars[inst.a];
      break;
    case Opcode::Dim:
      scalars[inst.dst] = machine.arguments[scalars[inst.a]].shape[inst.imm];
      break;
    case Opcode::CtaId:
      scalars[inst.dst] = cta.id[inst.imm];
      break;
    case Opcode::NumCtas:
      scalars[inst.dst] = machine.launch.grid[inst.imm];
      break;
    case Opcode::ClusterRank:
      scalars[inst.dst] = cta.rank;
      break;
    case Opcode::WarpId:
      scalars[inst.dst] = regionWarp;
      break;
    case Opcode::TileElt:
      if (!tileElementwise(inst))
        return false;
      break;
    case Opcode::Splat: {
      auto *result = new Tile(0);
      result->data.assign(inst.imm, static_cast<uint32_t>(scalars[inst.a]));
      refs[inst.dst] = result;
      break;
    }
    case Opcode::Broadcast:
      broadcast(inst);
      break;
    case Opcode::Coordinate:
      coordinate(inst);
      break;
    case Opcode::Extract: {
      const Tile *from = tile(inst.a);
      const auto &registers = program.registerLists[inst.table];
      auto *result = new Tile(registers.size() * laneCount);
      result->made = from->made;
      if (!from->poison.empty())
        result->poison.resize(result->data.size());
      for (size_t i = 0; i < registers.size(); ++i) {
        std::copy_n(from->data.begin() + registers[i] * laneCount, laneCount,
                    result->data.begin() + i * laneCount);
        if (!from->poison.empty())
          std::copy_n(from->poison.begin() + registers[i] * laneCount,
                      laneCount, result->poison.begin() + i * laneCount);
      }
      refs[inst.dst] = result;
      break;
    }
    case Opcode::Reduce:
      if (!reduce(inst))
        return false;
      break;
    case Opcode::SharedSlot: {
      SharedPlace place = SharedPlace::decode(scalars[inst.a]);
      int64_t index = static_cast<int64_t>(scalars[inst.b]);
      if (index < 0 || index >= inst.imm2) {
        machine.find(Code::OutOfBounds,
                     llvm::formatv("slot {0} of a ring of {1}: {2}", index,
                                   inst.imm2, who(inst)),
                     inst.origin, this);
        return false;
      }
      place.address += index * inst.imm;
      scalars[inst.dst] = place.encode();
      break;
    }
    case Opcode::SharedView: {
      SharedPlace place = SharedPlace::decode(scalars[inst.a]);
      place.address += inst.imm;
      scalars[inst.dst] = place.encode();
      break;
    }
    case Opcode::MapRank: {
      SharedPlace place = SharedPlace::decode(scalars[inst.a]);
      int64_t rank = static_cast<int64_t>(scalars[inst.b]);
      if (rank < 0 || rank >= program.clusterSize) {
        machine.find(Code::OutOfBounds,
                     llvm::formatv("rank {0} of a cluster of {1} CTAs: {2}",
                                   rank, program.clusterSize, who(inst)),
                     inst.origin, this);
        return false;
      }
      place.rank = static_cast<unsigned>(rank);
      scalars[inst.dst] = place.encode();
      break;
    }
    case Opcode::TensormapAt:
      if (!mapAt(inst))
        return false;
      break;
    case Opcode::Print: {
      auto print = cast<PrintOp>(inst.origin);
      std::string line;
      llvm::raw_string_ostream os(line);
      os << print.getMessage();
      for (uint32_t i = 0; i < inst.count; ++i) {
        uint64_t bits = scalars[program.lists[inst.list + i]];
        ElementType type = *typeOf(print.getValues()[i].getType());
        os << ' ';
        if (isFloat(type))
          os << llvm::formatv("{0}", toFloat(type, bits));
        else
          os << static_cast<int64_t>(bits);
      }
      os << "  [" << who(inst) << ']';
      machine.report.printed.push_back(line);
      break;
    }
    case Opcode::Assert:
      if (!(scalars[inst.a] & 1)) {
        auto assertion = cast<AssertOp>(inst.origin);
        llvm::SmallDenseMap<Value, int64_t> numbers;
        for (auto [i, operand] :
             llvm::enumerate(operandsOfCondition(assertion.getCondition()))) {
          auto bits =
              static_cast<int64_t>(scalars[program.lists[inst.list + i]]);
          numbers[operand] = operand.getType().isInteger(1) ? bits & 1 : bits;
        }
        FalseCondition why =
            describeFalse(assertion.getCondition(), [&](Value v) {
              return std::optional(numbers.at(v));
            });
        machine.find(Code::AssertFailed,
                     assertion.getMessage() + ": " + why.is + ", by " +
                         who(inst),
                     inst.origin, this, true, {}, {}, nullptr, why.fix());
        return false;
      }
      break;
    default:
      llvm_unreachable("a hardware operation");
    }
    pc = next;
  }
}

void Agent::moveValues(const Inst &inst) {
  // All sources are read before a destination changes.
  llvm::SmallVector<uint64_t, 16> values;
  llvm::SmallVector<Ref, 4> objects;
  const uint32_t *list = &program.lists[inst.list];
  for (uint32_t i = 0; i < inst.count; i += 3) {
    if (list[i] == 0)
      values.push_back(list[i + 2] == none ? 0 : scalars[list[i + 2]]);
    else
      objects.push_back(list[i + 2] == none ? nullptr : refs[list[i + 2]]);
  }
  size_t scalar = 0, object = 0;
  for (uint32_t i = 0; i < inst.count; i += 3) {
    if (list[i] == 0)
      scalars[list[i + 1]] = values[scalar++];
    else
      refs[list[i + 1]] = objects[object++];
  }
}

bool Agent::scalarOp(const Inst &inst) {
  const EltOp &op = program.elts[inst.table];
  auto value = [&](uint32_t slot) { return slot == none ? 0 : scalars[slot]; };
  auto result = evaluate(op, value(inst.a), value(inst.b), value(inst.c));
  if (result) {
    scalars[inst.dst] = *result;
    return true;
  }
  machine.find(Code::InvalidOp,
               llvm::formatv("'{0}' of {1} and {2} has no result: {3}",
                             inst.origin->getName().getStringRef(),
                             static_cast<int64_t>(value(inst.a)),
                             static_cast<int64_t>(value(inst.b)), who(inst)),
               inst.origin, this);
  return false;
}

bool Agent::usePoison(const Inst &inst, const Tile *tile) {
  if (!tile || tile->poison.empty())
    return true;
  auto bad = std::find(tile->poison.begin(), tile->poison.end(), 1);
  if (bad == tile->poison.end())
    return true;
  size_t at = bad - tile->poison.begin();
  std::vector<FindingPlace> others;
  for (Value operand : inst.origin->getOperands())
    if (auto load = operand.getDefiningOp<SharedLoadOp>())
      if (others.empty() || others.back().loc != load.getLoc())
        others.push_back(
            {load.getLoc(),
             "loaded here from " + nameOf(getRoot(load.getBuffer()))});
  machine.find(Code::UndefinedRead,
               llvm::formatv("uses an element that was never written (register "
                             "{0} of lane {1}): {2}",
                             at / laneCount, at % laneCount, who(inst)),
               inst.origin, this, true, std::move(others));
  return false;
}

bool Agent::tileElementwise(const Inst &inst) {
  const EltOp &op = program.elts[inst.table];
  if (op.what == Elt::Select) {
    if (inst.flag) { // A scalar condition: one of the tiles, poison and all.
      refs[inst.dst] = scalars[inst.a] & 1 ? refs[inst.b] : refs[inst.c];
      return true;
    }
    const Tile *c = tile(inst.a), *x = tile(inst.b), *y = tile(inst.c);
    if (!usePoison(inst, c))
      return false;
    auto *result = new Tile(inst.imm);
    Ref hold(result);
    if (!x->poison.empty() || !y->poison.empty())
      result->poison.resize(inst.imm);
    for (int64_t i = 0; i < inst.imm; ++i) {
      const Tile *from = c->data[i] & 1 ? x : y;
      result->data[i] = from->data[i];
      if (!from->poison.empty())
        result->poison[i] = from->poison[i];
    }
    refs[inst.dst] = hold;
    return true;
  }
  const Tile *a = tile(inst.a), *b = inst.b == none ? nullptr : tile(inst.b),
             *c = inst.c == none ? nullptr : tile(inst.c);
  for (const Tile *operand : {a, b, c})
    if (!usePoison(inst, operand))
      return false;
  auto *result = new Tile(inst.imm);
  Ref hold(result);
  // The two that large tiles spend their time in.
  if (op.what == Elt::TruncF && op.in == ElementType::F32 &&
      op.out == ElementType::BF16) {
    for (int64_t i = 0; i < inst.imm; ++i)
      result->data[i] = floatToBf16(asFloat(a->data[i]));
    refs[inst.dst] = hold;
    return true;
  }
  for (int64_t i = 0; i < inst.imm; ++i) {
    auto value = [&](const Tile *from) -> uint64_t {
      return from ? canonical(op.in, from->data[i]) : 0;
    };
    auto element = evaluate(op, value(a), value(b), value(c));
    if (!element) {
      machine.find(Code::InvalidOp,
                   llvm::formatv("'{0}' has no result for register {1} of lane "
                                 "{2}: {3}",
                                 inst.origin->getName().getStringRef(),
                                 i / laneCount, i % laneCount, who(inst)),
                   inst.origin, this);
      return false;
    }
    result->data[i] = static_cast<uint32_t>(*element);
  }
  refs[inst.dst] = hold;
  return true;
}

void Agent::coordinate(const Inst &inst) {
  const TileTable &table = *program.tiles[inst.table];
  int64_t inner = 1;
  for (size_t d = inst.imm + 1; d < table.shape.size(); ++d)
    inner *= table.shape[d];
  auto *result = new Tile(table.perWarp());
  const uint32_t *element =
      &table.element[size_t(regionWarp % table.warps) * table.perWarp()];
  for (uint32_t i = 0; i < table.perWarp(); ++i)
    result->data[i] =
        static_cast<uint32_t>(element[i] / inner % table.shape[inst.imm]);
  refs[inst.dst] = result;
}

/// Each lane combines its own registers of a row in order, then the lanes
/// combine by twos, as shuffles with xor 1, 2, 4, ... do. Copies of an element
/// count once.
bool Agent::reduce(const Inst &inst) {
  const TileTable &table = *program.tiles[inst.table];
  const Tile *from = tile(inst.a);
  if (!usePoison(inst, from))
    return false;
  bool real = isFloat(inst.type);
  static const Elt reals[] = {Elt::AddF, Elt::MaxNum, Elt::MinNum};
  static const Elt integers[] = {Elt::Add, Elt::MaxS, Elt::MinS};
  EltOp op{(real ? reals : integers)[inst.kind], inst.type, inst.type, 0};
  auto combine = [&](uint32_t a, uint32_t b) {
    return static_cast<uint32_t>(
        *evaluate(op, canonical(inst.type, a), canonical(inst.type, b), 0));
  };
  const uint32_t *element =
      &table.element[size_t(regionWarp % table.warps) * table.perWarp()];
  uint32_t columns = table.shape.back();
  struct Partial {
    std::map<uint32_t, uint32_t> lanes; // lane -> value
    std::set<uint32_t> columns;
  };
  std::map<uint32_t, Partial> rows;
  for (uint32_t lane = 0; lane < laneCount; ++lane)
    for (uint32_t reg = 0; reg < table.registers; ++reg) {
      uint32_t i = reg * laneCount + lane;
      Partial &row = rows[element[i] / columns];
      if (!row.columns.insert(element[i] % columns).second)
        continue;
      auto [entry, isNew] = row.lanes.try_emplace(lane, from->data[i]);
      if (!isNew)
        entry->second = combine(entry->second, from->data[i]);
    }
  std::map<uint32_t, uint32_t> totals;
  for (auto &[row, partial] : rows) {
    std::vector<uint32_t> values;
    for (auto &[lane, value] : partial.lanes)
      values.push_back(value);
    while (values.size() > 1) {
      size_t half = (values.size() + 1) / 2;
      for (size_t i = 0; i < half; ++i)
        values[i] = 2 * i + 1 < values.size()
                        ? combine(values[2 * i], values[2 * i + 1])
                        : values[2 * i];
      values.resize(half);
    }
    totals[row] = values[0];
  }
  const TileTable &to = *program.tiles[inst.target];
  const uint32_t *row =
      &to.element[size_t(regionWarp % to.warps) * to.perWarp()];
  auto *result = new Tile(to.perWarp());
  for (uint32_t i = 0; i < to.perWarp(); ++i)
    result->data[i] = totals[inst.flag ? row[i] : row[i] / columns];
  refs[inst.dst] = result;
  return true;
}

/// Each lane repeats what it holds of a row along the row.
void Agent::broadcast(const Inst &inst) {
  const TileTable &from = *program.tiles[inst.target],
                  &to = *program.tiles[inst.table];
  const Tile *source = tile(inst.a);
  const uint32_t *row =
      &from.element[size_t(regionWarp % from.warps) * from.perWarp()];
  const uint32_t *element =
      &to.element[size_t(regionWarp % to.warps) * to.perWarp()];
  uint32_t columns = to.shape.back();
  auto *result = new Tile(to.perWarp());
  Ref hold(result);
  if (!source->poison.empty())
    result->poison.resize(to.perWarp());
  for (uint32_t lane = 0; lane < laneCount; ++lane) {
    llvm::DenseMap<uint32_t, uint32_t> at;
    for (uint32_t reg = 0; reg < from.registers; ++reg)
      at[row[reg * laneCount + lane]] = reg * laneCount + lane;
    for (uint32_t reg = 0; reg < to.registers; ++reg) {
      uint32_t i = reg * laneCount + lane,
               with = at.lookup(element[i] / columns);
      result->data[i] = source->data[with];
      if (!source->poison.empty())
        result->poison[i] = source->poison[with];
    }
  }
  refs[inst.dst] = hold;
}
