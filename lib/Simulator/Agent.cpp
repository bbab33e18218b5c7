//===- Agent.cpp - a warp, step by step -----------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Conformance.h"
#include "Hazards.h"
#include "titan/Simulator/Machine.h"

#include "titan/Dialect/Titan/SharedMemory.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

Agent::Agent(Machine &machine, Cta &cta, unsigned warp)
    : machine(machine), cta(cta), program(machine.program), warp(warp),
      number(machine.nextAgent++), regionWarp(warp), scalars(program.scalars),
      refs(program.refs), iterations(program.loops.size()),
      view(machine.views.get(), *this), streams(mechanisms().size()) {
  registers = program.launchRegisters;
  auto arguments = machine.kernel.getBody().getArguments();
  size_t own = machine.own;
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
  if (machine.hazards)
    machine.hazards->before(*this, inst);
  if (machine.conformance)
    machine.conformance->begin(*this, inst);
  Step result = inst.run(*this, inst);
  if (machine.hazards)
    machine.hazards->after(*this, inst, result);
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
  // Nobody else can end a loop that looks at nothing which others change.
  const uint64_t limit = machine.options.maxSteps,
                 limitAlone = std::max<uint64_t>(limit >> 7, 1 << 20);
  for (uint64_t alone = 1;; ++alone) {
    uint32_t at = pc;
    const Inst &inst = program.code[at];
    if (inst.hardware)
      return true;
    if (++steps > limit || alone > limitAlone) {
      machine.find(
          Code::StepLimit,
          steps > limit
              ? llvm::formatv("{0} has executed {1} operations", who(inst),
                              limit)
                    .str()
              : llvm::formatv("{0} has executed {1} operations, none of which "
                              "touches memory or a barrier: nothing ends this "
                              "loop",
                              who(inst), limitAlone)
                    .str(),
          inst.origin, this);
      return false;
    }
    ++pc;
    if (inst.run(*this, inst) == Step::Next)
      continue;
    pc = at;
    return false;
  }
}

//===----------------------------------------------------------------------===//
// What execution functions of several families need
//===----------------------------------------------------------------------===//

bool Agent::usePoison(const Inst &inst, const Tile *tile) {
  if (!tile || tile->poison.empty())
    return true;
  auto bad = std::find(tile->poison.begin(), tile->poison.end(), 1);
  if (bad == tile->poison.end())
    return true;
  size_t at = bad - tile->poison.begin();
  std::vector<FindingPlace> others;
  for (Value operand : inst.origin->getOperands()) {
    auto load = operand.getDefiningOp<HardwareEffectsInterface>();
    if (!load || !isa<RankedTensorType>(operand.getType()) ||
        (!others.empty() && others.back().loc == load.getLoc()))
      continue;
    effect::EffectList effects;
    load.getHardwareEffects(effects);
    for (const effect::Effect &each : effects)
      if (auto *access = std::get_if<effect::Access>(&each.what);
          access && access->kind == AccessKind::Read)
        others.push_back(
            {load.getLoc(),
             "loaded here from " + nameOf(getRoot(access->bytes.object))});
  }
  machine.find(Code::UndefinedRead,
               llvm::formatv("uses an element that was never written (register "
                             "{0} of lane {1}): {2}",
                             at / program.lanes, at % program.lanes, who(inst)),
               inst.origin, this, true, std::move(others));
  return false;
}

bool Agent::oneThread(const Inst &inst) {
  if (elected)
    return true;
  machine.find(Code::IssueCardinality,
               llvm::formatv("'{0}' is for one thread, and {1} execute it: {2}",
                             inst.origin->getName().getStringRef(),
                             program.lanes, who(inst)),
               inst.origin, this);
  return false;
}

std::optional<Agent::ElementPlaces> Agent::elementPlaces(const Inst &inst) {
  ElementPlaces places{inst.c == none ? nullptr : tile(inst.c), {}};
  if (!usePoison(inst, places.mask))
    return std::nullopt;
  for (uint32_t i = 0; i < inst.count; ++i) {
    places.indices.push_back(tile(program.lists[inst.list + i]));
    if (!usePoison(inst, places.indices.back()))
      return std::nullopt;
  }
  return places;
}

bool Agent::wholeWarp(const Inst &inst) {
  if (!elected)
    return true;
  auto hardware = dyn_cast<HardwareEffectsInterface>(inst.origin);
  const bool four =
      hardware && hardware.getCardinality() == effect::Cardinality::Warpgroup;
  machine.find(Code::IssueCardinality,
               llvm::formatv("'{0}' is for the whole {1}, and one thread "
                             "executes it: {2}",
                             inst.origin->getName().getStringRef(),
                             four ? "warpgroup" : "warp", who(inst)),
               inst.origin, this);
  return false;
}

Cta *Agent::resolve(const Inst &inst, SharedPlace place) {
  if (!place.rank)
    return &cta;
  Cta *peer = cta.cluster.ctas[*place.rank].get();
  if (peer != &cta && peer->running == 0) {
    machine.find(Code::ClusterExit,
                 llvm::formatv("touches shared memory of CTA {0} of the "
                               "cluster, which has exited: {1}",
                               *place.rank, who(inst)),
                 inst.origin, this);
    return nullptr;
  }
  return peer;
}

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

bool Agent::globalElement(const Inst &inst, unsigned tensor,
                          llvm::ArrayRef<int64_t> index, uint64_t &address,
                          unsigned bytes) {
  const SimulatorArgument &argument = machine.arguments[tensor];
  if (!argument.data) {
    machine.find(Code::OutOfBounds,
                 llvm::formatv("there is no memory at address {0:x}: {1}",
                               argument.address, who(inst)),
                 inst.origin, this, true, {}, {}, nullptr,
                 "titan run takes what lies at an address that is no "
                 "argument's as --memory ADDRESS=FILE.npy");
    return false;
  }
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

bool Agent::readsToCome(Cta &owner, uint64_t address, uint64_t bytes) {
  if (!machine.views)
    return false;
  Viewer writer(*machine.views, Proxy::Generic, knowledge->classes[0].known);
  if (!elected)
    writer.add(knowledge->classes[1].known);
  return machine.settle(owner, address, bytes, writer);
}
