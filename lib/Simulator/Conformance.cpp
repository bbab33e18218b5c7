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

Conformance::Counts::Counts(const Agent &agent) {
  for (const Stream &stream : agent.streams)
    groups.push_back({stream.groups.size(), stream.read, stream.done});
  if (!agent.knowledge)
    return;
  const Knowledge &thread = agent.knowledge->classes[0];
  for (const MemorySpaceInfo &info : memorySpaces())
    proxyFences[info.space] = thread.fences[info.space].size();
  mapReleases = thread.mapReleases.size();
}

void Conformance::mismatch(Agent &agent, const Inst &inst, const Twine &what) {
  machine.find(Code::EffectMismatch,
               "'" + inst.origin->getName().getStringRef() + "' " + what +
                   ": " + agent.who(inst),
               inst.origin, &agent);
}

void Conformance::begin(Agent &agent, const Inst &inst) {
  recorder = {};
  before = Counts(agent);
  order = Order(agent);
  machine.recorder = &recorder;
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
  touched->forEach(
      [&](int, int64_t begin, int64_t end) { parts.push_back({begin, end}); });
  ByteSet bytes = ByteSet::of(std::move(parts));
  auto add = [&](const Memory &memory) {
    Bytes &here = to[&memory];
    if (access.kind != AccessKind::Write)
      here.read = here.read.unite(bytes);
    if (access.kind != AccessKind::Read)
      here.written = here.written.unite(bytes);
    if (!access.surely)
      here.perhaps = here.perhaps.unite(bytes);
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
  machine.recorder = nullptr;
  machine.global.recorder = nullptr;
  for (auto &cta : agent.cta.cluster.ctas)
    cta->shared.recorder = nullptr;
  auto op = dyn_cast<HardwareEffectsInterface>(inst.origin);
  noteArrivals(agent);
  if (!op || !executed)
    return;
  effect::EffectList list;
  op.getHardwareEffects(list);
  ++machine.compared[op->getName()];
  compareBytes(agent, inst, list);
  compareBarriers(agent, inst, list, op.getCardinality());
  compareGroups(agent, inst, list);
  compareThreadBarriers(agent, inst, list);
  compareOrder(agent, inst, list);
  arrivals.erase(&agent);
}

void Conformance::compareBytes(Agent &agent, const Inst &inst,
                               const effect::EffectList &list) {
  std::map<const Memory *, Bytes> expected, found;
  // What a warpgroup does together happens when the last of its warps has come.
  bool later = cast<HardwareEffectsInterface>(inst.origin).getCardinality() ==
                   effect::Cardinality::Warpgroup &&
               recorder.entries.empty();
  // Of a copy's source what lies outside of the box is not read.
  bool clipped = false;
  for (const effect::Effect &each : list) {
    if (auto *access = std::get_if<effect::Access>(&each.what)) {
      if (!declared(agent, *access, expected))
        return mismatch(agent, inst, "declares bytes that cannot be resolved");
      clipped |= access->bytes.kind == effect::Footprint::Box &&
                 isa<TensorMapType>(access->bytes.object.getType()) &&
                 access->kind != AccessKind::Read;
    } else if (std::holds_alternative<effect::WaitFlag>(each.what)) {
      return; // Polls its flag.
    }
  }
  if (later)
    return;
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
    found[memory] = {ByteSet::of(both.first), ByteSet::of(both.second), {}};
  for (auto &[memory, bytes] : expected)
    found.try_emplace(memory);
  for (auto &[memory, touched] : found) {
    const Bytes &said = expected[memory];
    auto compare = [&](const ByteSet &is, const ByteSet &should,
                       const char *what, bool all) {
      ByteSet more = is.subtract(should),
              less = should.subtract(is).subtract(said.perhaps);
      if (more.empty() && (!all || less.empty()))
        return;
      mismatch(agent, inst,
               llvm::formatv("{0} {1} bytes that it does not declare, and "
                             "leaves {2} that it does",
                             what, more.bytes(), less.bytes())
                   .str());
    };
    compare(touched.read, said.read, "reads", !(clipped && memory->isShared()));
    compare(touched.written, said.written, "writes", true);
  }
}

void Conformance::compareBarriers(Agent &agent, const Inst &inst,
                                  const effect::EffectList &list,
                                  effect::Cardinality cardinality) {
  Numbers numbers(agent, scalars, refs);
  std::map<const MBarrier *, Recorder::Signals> expected;
  auto each = [&](const effect::BarrierRef &ref, auto &&visit) {
    SharedPlace place = SharedPlace::decode(numbers.bits(ref.barrier));
    uint32_t address =
        place.address + 8 * (ref.index ? numbers.bits(ref.index) : 0);
    auto ctas = resolver.evaluate(
        ref.ctas, static_cast<int>(place.rank.value_or(agent.cta.rank)),
        numbers);
    for (auto &cta : agent.cta.cluster.ctas)
      if (ctas && *ctas >> cta->rank & 1)
        visit(cta->barriers[address]);
  };
  auto times = [&](effect::By by) -> int64_t {
    return by == effect::By::Issuers && !agent.elected &&
                   cardinality == effect::Cardinality::EveryThread
               ? machine.program.lanes
               : 1;
  };
  bool byAsyncProxy = llvm::any_of(list, [](const effect::Effect &effect) {
    auto *access = std::get_if<effect::Access>(&effect.what);
    return access && access->mechanism == Mechanism::Phase &&
           access->proxy == Proxy::Async;
  });
  for (const effect::Effect &effect : list) {
    if (auto *arrive = std::get_if<effect::Arrive>(&effect.what))
      each(arrive->barrier, [&](MBarrier &barrier) {
        expected[&barrier].arrivals +=
            numbers.number(arrive->count) * times(arrive->by);
      });
    else if (auto *expect = std::get_if<effect::ExpectTx>(&effect.what))
      each(expect->barrier, [&](MBarrier &barrier) {
        expected[&barrier].expected +=
            numbers.number(expect->bytes) * times(expect->by);
      });
    else if (auto *complete = std::get_if<effect::CompleteTx>(&effect.what))
      each(complete->barrier, [&](MBarrier &barrier) {
        // The async proxy may not see it: that loses the signal.
        if (byAsyncProxy && !barrier.publishedAsync)
          return;
        int64_t count = times(complete->by);
        if (complete->tile)
          count *= resolver.ownedElements(complete->tile, agent.regionWarp);
        expected[&barrier].completed += numbers.number(complete->bytes) * count;
      });
    else if (auto *wait = std::get_if<effect::WaitBarrier>(&effect.what)) {
      bool polled =
          !wait->blocking &&
          !(agent.scalars[agent.program.slots.lookup(wait->result).scalar] & 1);
      each(wait->barrier, [&](MBarrier &barrier) {
        expected[&barrier].observed |= !polled && barrier.phase > 0;
      });
    }
  }
  for (auto &[barrier, signals] : recorder.barriers)
    expected.try_emplace(barrier);
  for (auto &[barrier, said] : expected) {
    Recorder::Signals is = recorder.barriers[barrier];
    if (is != said)
      mismatch(agent, inst,
               llvm::formatv(
                   "arrives {0} times at a barrier, expects {1} bytes, "
                   "completes {2} and {3} a phase; it declares {4}, {5}, {6} "
                   "and {7}",
                   is.arrivals, is.expected, is.completed,
                   is.observed ? "waits for" : "does not wait for",
                   said.arrivals, said.expected, said.completed,
                   said.observed ? "a wait" : "no wait")
                   .str());
  }
}

void Conformance::compareGroups(Agent &agent, const Inst &inst,
                                const effect::EffectList &list) {
  Numbers numbers(agent, scalars, refs);
  Counts now(agent), said = before;
  for (const effect::Effect &each : list) {
    if (auto *commit = std::get_if<effect::CommitGroup>(&each.what)) {
      said.groups[static_cast<size_t>(commit->mechanism)].made +=
          commit->count.value_or(1);
    } else if (auto *wait = std::get_if<effect::WaitGroup>(&each.what)) {
      Counts::Groups &of = said.groups[static_cast<size_t>(wait->mechanism)];
      size_t covered =
          wait->token
              ? static_cast<size_t>(numbers.bits(wait->token))
              : of.made - std::min<size_t>(of.made, wait->pending.value_or(0));
      of.read = std::max(of.read, covered);
      if (!wait->sourcesOnly)
        of.done = std::max(of.done, covered);
    } else if (auto *fence = std::get_if<effect::Fence>(&each.what);
               fence && agent.knowledge) {
      for (const MemorySpaceInfo &info : memorySpaces())
        said.proxyFences[info.space] +=
            fence->kind == effect::Fence::ProxyAsync &&
            fenceCovers(fence->space, info.space);
      said.mapReleases +=
          fence->kind == effect::Fence::TensormapRelease && !fence->object;
    }
  }
  for (const MechanismInfo &info : mechanisms()) {
    const Counts::Groups &is = now.groups[static_cast<size_t>(info.mechanism)],
                         &should =
                             said.groups[static_cast<size_t>(info.mechanism)];
    if (is != should)
      mismatch(
          agent, inst,
          llvm::formatv("has, by {0}, committed {1} groups, waited for the "
                        "sources of {2} and all of {3}; it declares {4}, "
                        "{5} and {6}",
                        info.name, is.made, is.read, is.done, should.made,
                        should.read, should.done)
              .str());
  }
  if (now.proxyFences != said.proxyFences ||
      now.mapReleases != said.mapReleases)
    mismatch(agent, inst, "executes other proxy fences than it declares");
}
