//===- Conformance.cpp - what is touched against what is declared ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Conformance.h"
#include "Numbers.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

void Conformance::begin(Agent &agent, const Inst &inst) {
  recorder.entries.clear();
  scalars = agent.scalars;
  refs = agent.refs;
  machine.global.recorder = &recorder;
  for (auto &cta : agent.cta.cluster.ctas)
    cta->shared.recorder = &recorder;
}

/// Adds the access's bytes; false where they cannot be said.
bool Conformance::declared(Agent &agent, const effect::Access &access,
                           std::map<const Memory *, Bytes> &to) {
  const effect::Footprint &footprint = access.bytes;
  Numbers numbers(agent, scalars, refs);
  // Barriers and maps of the launch are no bytes here.
  if (footprint.kind == effect::Footprint::Object &&
      (!isa<TensorMapType>(footprint.object.getType()) ||
       !numbers.place(footprint.object)))
    return true;
  if (isa<TensorMemoryType>(footprint.object.getType()))
    return false;
  auto touched = resolver.evaluate(
      resolver.resolve(footprint, access.kind, agent.regionWarp), numbers);
  if (!touched)
    return false;
  std::vector<ByteSet::Interval> parts;
  touched->forEach([&](int, int64_t begin, int64_t end) {
    parts.push_back({begin, end});
  });
  ByteSet bytes = ByteSet::of(std::move(parts));
  auto add = [&](const Memory &memory) {
    Bytes &here = to[&memory];
    if (access.kind != AccessKind::Write)
      here.read = here.read.unite(bytes);
    if (access.kind != AccessKind::Read)
      here.written = here.written.unite(bytes);
  };
  if (touched->place.memory == Numbers::GlobalMemory) {
    add(machine.global);
    return true;
  }
  int own = static_cast<int>(agent.cta.rank);
  auto ctas = resolver.evaluate(
      footprint.ctas, touched->place.rank < 0 ? own : touched->place.rank,
      numbers);
  if (!ctas)
    return false;
  for (auto &cta : agent.cta.cluster.ctas)
    if (*ctas >> cta->rank & 1)
      add(cta->shared);
  return true;
}

void Conformance::end(Agent &agent, const Inst &inst, bool executed) {
  machine.global.recorder = nullptr;
  for (auto &cta : agent.cta.cluster.ctas)
    cta->shared.recorder = nullptr;
  auto op = dyn_cast<HardwareEffectsInterface>(inst.origin);
  if (!op || !executed)
    return;
  // A product's operands are read when the last of its warps has come.
  if (isa<MmaOp>(inst.origin) && recorder.entries.empty())
    return;
  effect::EffectList list;
  op.getHardwareEffects(list);
  std::map<const Memory *, Bytes> expected, found;
  for (const effect::Effect &each : list)
    if (auto *access = std::get_if<effect::Access>(&each.what))
      if (!declared(agent, *access, expected))
        return;
  for (const effect::Effect &each : list)
    if (std::holds_alternative<effect::WaitFlag>(each.what))
      return; // Polls its flag.
  std::map<const Memory *, std::pair<std::vector<ByteSet::Interval>,
                                     std::vector<ByteSet::Interval>>>
      parts;
  for (const Recorder::Entry &entry : recorder.entries) {
    auto &here = parts[entry.memory];
    (entry.write ? here.second : here.first)
        .push_back({static_cast<int64_t>(entry.address),
                    static_cast<int64_t>(entry.address + entry.bytes)});
  }
  for (auto &[memory, both] : parts)
    found[memory] = {ByteSet::of(both.first), ByteSet::of(both.second)};
  for (auto &[memory, bytes] : expected)
    found.try_emplace(memory);
  ++machine.compared;
  // A copy whose box is partly outside reads less of its buffer than all.
  bool clipped = isa<TmaStoreOp, TmaReduceOp>(inst.origin);
  for (auto &[memory, touched] : found) {
    const Bytes &said = expected[memory];
    auto compare = [&](const ByteSet &is, const ByteSet &should,
                       const char *what, bool all) {
      ByteSet more = is.subtract(should), less = should.subtract(is);
      if (more.empty() && (!all || less.empty()))
        return;
      machine.find(
          Code::EffectMismatch,
          llvm::formatv("'{0}' {1} {2} bytes that it does not declare, "
                        "and leaves {3} that it does: {4}",
                        inst.origin->getName().getStringRef(), what,
                        more.bytes(), less.bytes(), agent.who(inst)),
          inst.origin, &agent);
    };
    compare(touched.read, said.read, "reads", !(clipped && memory->isShared()));
    compare(touched.written, said.written, "writes", true);
  }
}
