//===- HazardMemory.cpp - conflicting accesses, one by one ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HazardState.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;
using namespace titan;
using namespace titan::sim;
using State = Hazards::State;

//===----------------------------------------------------------------------===//
// Is it before?
//===----------------------------------------------------------------------===//

bool State::knows(const Actor &actor, const HbEvent &event) {
  const ThreadClass &thread = *actor.thread;
  bool own = event.number == thread.number &&
             (event.lane == allLanes ||
              (actor.lane != allLanes && event.lane == actor.lane));
  if (event.lane == wholeWarp)
    own = event.number / 2 == thread.number / 2;
  if (own) // Program order; what a product may rely on ends at the fence.
    return actor.known == &thread.known || event.clock <= thread.productNow;
  return actor.known->get(event.number) >= event.clock;
}

bool State::allKnow(const Access &y, const HbEvent &event) {
  return llvm::all_of(y.actors,
                      [&](const Actor &actor) { return knows(actor, event); });
}

bool State::allKnowOne(const Access &y, const std::vector<HbEvent> &events) {
  return llvm::all_of(y.actors, [&](const Actor &actor) {
    return llvm::any_of(
        events, [&](const HbEvent &event) { return knows(actor, event); });
  });
}

bool State::isDone(const Access &y, const AsyncOp &op) const {
  if (op.parts.empty())
    return allKnowOne(y, op.done);
  return llvm::all_of(
      op.parts, [&](uint32_t part) { return allKnowOne(y, ops[part].done); });
}

Relation State::relation(const Record &x, const Access &y) const {
  bool sameWarp = x.at.number / 2 == y.actors[0].thread->number / 2;
  if (x.op != none && sameWarp)
    return Relation::SameThread;
  for (const Actor &actor : y.actors)
    if (x.at.number == actor.thread->number && x.at.lane == actor.lane)
      return Relation::SameThread;
  return x.cta == y.record.cta ? Relation::SameCta : Relation::OtherCta;
}

/// Whether the fence that the pair needs stands on the path.
bool State::fenced(const Record &x, const Access &y, ProxyFence fence) {
  if (fence == ProxyFence::TensormapReleaseAcquire)
    return mapAcquired(x, y);
  if (fence == ProxyFence::None || x.op != none)
    return true; // Asynchronous generic accesses are not in this slice.
  const ThreadClass &thread = warps[x.at.number / 2].classes[x.at.number % 2];
  int space = static_cast<int>(y.space);
  // Seen from X's thread, shared memory may be another CTA's.
  if (y.space != MemorySpace::Global && x.cta != y.record.cta)
    space = static_cast<int>(y.space == MemorySpace::SharedOwn
                                 ? MemorySpace::SharedPeer
                                 : MemorySpace::SharedOwn);
  const auto &fences = thread.fences[space];
  auto first = std::lower_bound(fences.begin(), fences.end(), x.at.clock);
  bool loose = machine.options.strictness.level == Strictness::Level::Off;
  if (first != fences.end() && allKnow(y, {x.at.number, *first, x.at.lane}))
    return true;
  if (fence == ProxyFence::ByFirst && !loose)
    return false;
  // By the thread that issues Y, after it came to know X.
  return llvm::all_of(y.actors, [&](const Actor &actor) {
    const ThreadClass &mine = *actor.thread;
    int own = static_cast<int>(y.space);
    if (x.at.number == mine.number && x.at.lane == actor.lane)
      return false; // Its own fence has been looked for.
    return mine.atFence[own].get(x.at.number) >= x.at.clock;
  });
}

bool State::mapAcquired(const Record &x, const Access &y) {
  if (!y.acquired)
    return false;
  const auto &releases =
      warps[x.at.number / 2].classes[x.at.number % 2].mapReleases;
  uint32_t known = y.acquired->known.get(x.at.number);
  // Of the releases that the acquire knows of, the one of the widest scope.
  const ThreadClass::MapRelease *release = nullptr;
  for (auto it = releases.rbegin();
       it != releases.rend() && it->clock >= x.at.clock; ++it)
    if (it->clock <= known && (!release || release->scope < it->scope))
      release = &*it;
  if (!release || x.cta == y.record.cta)
    return release;
  uint32_t clusterSize = machine.kernel.getClusterSize();
  auto code =
      scopeProblem(release->scope, y.acquired->scope, Relation::OtherCta,
                   x.cta / clusterSize == y.record.cta / clusterSize);
  if (code) {
    const Site &other = siteAt(release->site);
    machine.find(*code,
                 "the release of the map by another CTA and this acquire do "
                 "not both name a scope that holds the two: " +
                     y.agent->who(*y.acquired->inst),
                 y.acquired->inst->origin, y.agent, false,
                 {{other.inst->origin->getLoc(), "released by " + other.who}});
  }
  return true;
}

static const char *verb(AccessKind kind) {
  return kind == AccessKind::Read    ? "reads"
         : kind == AccessKind::Write ? "writes"
                                     : "updates";
}
static const char *participle(AccessKind kind) {
  return kind == AccessKind::Read    ? "read"
         : kind == AccessKind::Write ? "written"
                                     : "updated";
}

void State::tell(Code code, const Record &x, const Access &y,
                 const Twine &message) {
  const Site &other = siteAt(x.site);
  std::vector<FindingPlace> others = {
      {other.inst->origin->getLoc(),
       llvm::formatv("{0} here by {1}", participle(x.kind), other.who)}};
  std::string who = y.agent->who(*y.inst);
  std::vector<std::string> events = {
      llvm::formatv("{0}: {1} at {2} {3} the bytes ({4})", other.who,
                    other.inst->origin->getName().getStringRef(),
                    placeOf(other.inst->origin->getLoc()), verb(x.kind),
                    effect::stringify(x.proxy)),
      llvm::formatv("{0}: {1} at {2} {3} them ({4})", who,
                    y.inst->origin->getName().getStringRef(),
                    placeOf(y.inst->origin->getLoc()), verb(y.record.kind),
                    effect::stringify(y.record.proxy))};
  machine.find(code, message + ": " + who, y.inst->origin, y.agent, false,
               std::move(others), std::move(events), other.inst->origin);
}

bool State::tellCause(const Record &x, const Access &y) {
  const AsyncOp &op = ops[x.op];
  const Inst *wait = op.leftBy;
  Code code = Code::GroupWaitCount;
  const char *message = "leaves the group pending whose bytes are accessed "
                        "under way";
  for (auto [barrier, phase] : op.signals) {
    const WarpState &warp = warps[y.agent->number];
    auto last = warp.lastWait.find(barrier);
    if (last == warp.lastWait.end() || !last->second.stale ||
        last->second.phases > phase)
      continue;
    wait = last->second.inst;
    code = Code::PhaseParity;
    message = "returns before the phase that the copy completes: its parity is "
              "that of a phase seen before";
  }
  if (!wait)
    return false;
  const Site &issue = siteAt(x.site);
  std::string who = y.agent->who(*y.inst);
  machine.find(code, llvm::Twine(message) + ": " + who, wait->origin, y.agent,
               false,
               {{issue.inst->origin->getLoc(), "issued here by " + issue.who},
                {y.inst->origin->getLoc(), "accessed here by " + who}},
               {}, issue.inst->origin);
  return true;
}

bool State::isSameReduction(const Record &x, const Access &y) const {
  return x.kind == AccessKind::Reduction &&
         y.record.kind == AccessKind::Reduction &&
         siteAt(x.site).inst->kind == y.inst->kind;
}

/// Whether Y, which is after X, stands for both: whoever must come after X must
/// come after Y, too. All that touches the bytes must come after a plain write;
/// an atomic or a reduction speaks for its like alone.
bool State::standsFor(const Access &y, const Record &x) const {
  bool strong = y.record.sem != effect::Sem::Weak;
  if (y.record.kind == AccessKind::Write && !strong)
    return true;
  return x.kind == y.record.kind && x.proxy == y.record.proxy &&
         x.cta == y.record.cta && (x.sem != effect::Sem::Weak) == strong &&
         x.scope >= y.record.scope &&
         (x.kind != AccessKind::Reduction || isSameReduction(x, y));
}

State::Order State::check(const Record &x, Access &y) {
  ProxyAccess first{x.kind, x.proxy}, second{y.record.kind, y.record.proxy};
  Relation between = relation(x, y);
  uint32_t clusterSize = machine.kernel.getClusterSize();
  Scope least = x.cta == y.record.cta ? Scope::Cta
                : x.cta / clusterSize == y.record.cta / clusterSize
                    ? Scope::Cluster
                    : Scope::Gpu;
  // Morally strong operations do not race (MM-13).
  bool morallyStrong =
      x.proxy == Proxy::Generic && y.record.proxy == Proxy::Generic &&
      x.sem != effect::Sem::Weak && y.record.sem != effect::Sem::Weak &&
      x.scope >= least && y.record.scope >= least;
  if (morallyStrong || !conflict(first, second, isSameReduction(x, y)))
    // Of a read nobody asks.
    return y.record.kind != AccessKind::Read &&
                   (x.op != none ? isDone(y, ops[x.op]) : allKnow(y, x.at))
               ? Order::Before
               : Order::Neither;
  Requirement need = required(first, second, between);
  const char *did = participle(x.kind), *doing = verb(y.record.kind);
  // Release and acquire of a map order its change and its use by themselves.
  bool map = need.fence == ProxyFence::TensormapReleaseAcquire;
  bool sameWarp = x.at.number / 2 == y.actors[0].thread->number / 2;
  // A product is late, but would not be had a wgmma.fence stood before it.
  auto wantsMmaFence = [&](auto &&known, const char *what) {
    if (!isa<MmaOp>(y.inst->origin))
      return false;
    Access now = y;
    for (Actor &actor : now.actors)
      actor.known = &actor.thread->known;
    if (!known(now))
      return false;
    tell(Code::MmaFence, x, y,
         llvm::formatv("no wgmma.fence stands between the {0} that makes the "
                       "operands ready and this product",
                       what));
    return true;
  };
  if (x.op != none) {
    const AsyncOp &op = ops[x.op];
    bool over = isDone(y, op) || (need.completion == Completion::SourceRead &&
                                  allKnowOne(y, op.read));
    if (!over && need.completion != Completion::None) {
      if (wantsMmaFence([&](auto &now) { return isDone(now, op); }, "wait"))
        return Order::Bad;
      Code code = need.ifNotComplete;
      if (op.product && code == Code::CompletionNotObserved)
        code = Code::MmaSlotReuse;
      if (!op.product && code != Code::TensormapInUse && tellCause(x, y))
        return Order::Bad;
      tell(code, x, y,
           llvm::formatv("{0} bytes {1} asynchronously by an operation whose "
                         "completion nobody before it has observed",
                         doing, did));
      return Order::Bad;
    }
  } else if (!map && !allKnow(y, x.at)) {
    if (wantsMmaFence([&](auto &now) { return allKnow(now, x.at); },
                      "synchronisation"))
      return Order::Bad;
    tell(Code::Race, x, y,
         llvm::formatv(
             "{0} bytes {1} by {2}, and nothing orders the two", doing, did,
             sameWarp ? "another thread of the warp" : "another warp"));
    return Order::Bad;
  }
  if (!fenced(x, y, need.fence)) {
    bool race = map && x.op == none && !sameWarp && !allKnow(y, x.at);
    if (map)
      tell(race ? Code::Race : need.ifNoFence, x, y,
           "uses a tensor map in memory, and fence.proxy.tensormap has not "
           "released this change of it there and acquired it here");
    else
      tell(need.ifNoFence, x, y,
           llvm::formatv("{0} through the {1} proxy bytes {2} through the {3} "
                         "proxy, without a fence.proxy.async after it by the "
                         "thread that did",
                         doing, effect::stringify(y.record.proxy), did,
                         effect::stringify(x.proxy)));
    return Order::Bad;
  }
  if (need.advice) {
    bool answered =
        *need.advice == Code::ReaderFenceMissing &&
        llvm::all_of(y.actors, [&](const Actor &actor) {
          return actor.thread->atFence[static_cast<int>(y.space)].get(
                     x.at.number) >= x.at.clock;
        });
    if (!answered)
      tell(*need.advice, x, y,
           llvm::formatv("{0} bytes {1} by another CTA", doing, did));
  }
  return Order::Before;
}

//===----------------------------------------------------------------------===//
// Shadow memory
//===----------------------------------------------------------------------===//

void State::touch(const Memory &memory, uint64_t address, uint64_t bytes,
                  Access &y) {
  auto &chunks = shadow[&memory];
  for (uint64_t at = address, end = address + bytes; at < end;) {
    uint64_t chunk = at / 16, next = std::min(end, (chunk + 1) * 16);
    uint16_t mask = static_cast<uint16_t>(((1u << (next - at)) - 1) << at % 16);
    uint32_t &head = chunks.try_emplace(chunk, none).first->second;
    uint32_t *link = &head;
    while (*link != none) {
      Record &x = records[*link];
      bool drop = false;
      if (x.mask & mask) {
        Order order = Order::Before;
        if (x.op == none || x.op != y.goodOp) {
          order = check(x, y);
          if (order == Order::Before && x.op != none && x.op != y.record.op)
            y.goodOp = x.op;
        }
        if (y.record.kind != AccessKind::Read) {
          // Once is enough of what has been reported.
          if (order == Order::Bad ||
              (order == Order::Before && standsFor(y, x))) {
            x.mask &= ~mask;
            drop = x.mask == 0;
          }
        } else if (x.kind == AccessKind::Read && (x.mask & ~mask) == 0) {
          // A read that Y's thread follows adds nothing to Y.
          if (x.op == none)
            drop = y.record.op == none && x.at.number == y.record.at.number &&
                   x.at.lane == y.record.at.lane && x.proxy == y.record.proxy &&
                   x.sem == y.record.sem && x.scope == y.record.scope;
          else
            drop = x.op == y.record.op ||
                   (y.record.op != none && isDone(y, ops[x.op]));
        }
      }
      if (drop) {
        uint32_t gone = *link;
        *link = x.next;
        records[gone].next = freeRecord;
        freeRecord = gone;
      } else {
        link = &x.next;
      }
    }
    uint32_t made = freeRecord;
    if (made != none) {
      freeRecord = records[made].next;
    } else {
      made = records.size();
      records.emplace_back();
    }
    records[made] = y.record;
    records[made].mask = mask;
    records[made].next = head;
    head = made;
    at = next;
  }
}

Access State::make(Agent &agent, const Inst &inst, const effect::Access &effect,
                   const Cta *memory) {
  Access y;
  y.agent = &agent;
  y.inst = &inst;
  y.space = spaceOf(memory, agent.cta);
  WarpState &warp = of(agent);
  ThreadClass &thread = warp.classes[0];
  y.actors.push_back({&thread, &thread.known, 0});
  y.record = Record{};
  y.record.at = {thread.number, thread.now, 0};
  y.record.site = site(agent, inst);
  y.record.kind = effect.kind;
  y.record.proxy = effect.proxy;
  y.record.sem = effect.sem;
  y.record.scope = effect.scope;
  y.record.cta = agent.cta.number;
  return y;
}

/// The first access among an operation's effects that goes to such bytes.
static const effect::Access *accessOf(const effect::EffectList &list,
                                      effect::Footprint::Kind kind) {
  for (const effect::Effect &effect : list)
    if (auto *access = std::get_if<effect::Access>(&effect.what))
      if (access->bytes.kind == kind)
        return access;
  return nullptr;
}

/// Y as made by one lane.
static void byLane(Access &y, WarpState &warp, unsigned lane) {
  ThreadClass &thread = warp.classes[lane != 0];
  if (y.actors[0].thread != &thread)
    y.goodOp = none; // What the elected lane knows the others need not.
  y.actors[0] = {&thread, &thread.known, static_cast<uint8_t>(lane)};
  y.record.at = {thread.number, thread.now, static_cast<uint8_t>(lane)};
}

void Hazards::tileAccess(Agent &agent, const Inst &inst, Cta &owner,
                         uint32_t base) {
  const effect::Access *effect =
      accessOf(state->effectsOf(inst), effect::Footprint::Tile);
  if (!effect)
    return;
  const TileAccess &access = *agent.program.accesses[inst.table];
  const TileTable &table = *access.tile;
  size_t begin = size_t(agent.regionWarp % table.warps) * table.perWarp();
  bool first = agent.regionWarp < table.warps;
  bool writes = effect->kind != AccessKind::Read;
  Access y = state->make(agent, inst, *effect, &owner);
  WarpState &warp = state->of(agent);
  for (unsigned lane = 0; lane < laneCount; ++lane) {
    byLane(y, warp, lane);
    uint64_t from = 0, to = 0;
    for (uint32_t reg = 0; reg <= table.registers; ++reg) {
      uint32_t i = reg * laneCount + lane;
      uint64_t at = 0;
      if (reg < table.registers) {
        if (writes && (!first || !table.owner[begin + i]))
          continue;
        at = base + access.offset[begin + i];
        if (at == to && from != to) {
          to += access.bytes;
          continue;
        }
      }
      if (from != to)
        state->touch(owner.shared, from, to - from, y);
      from = at;
      to = at + (reg < table.registers ? access.bytes : 0);
    }
  }
}

void Hazards::elements(Agent &agent, const Inst &inst, unsigned tensor,
                       ArrayRef<std::pair<uint64_t, uint8_t>> touched,
                       unsigned bytes) {
  const effect::Access *effect =
      accessOf(state->effectsOf(inst), effect::Footprint::Elements);
  if (!effect || !state->isWritten(tensor))
    return;
  Access y = state->make(agent, inst, *effect, nullptr);
  for (auto [address, lane] : touched) {
    byLane(y, state->of(agent), lane);
    state->touch(state->machine.global, address, bytes, y);
  }
}

//===----------------------------------------------------------------------===//
// Scalars: accesses, and synchronisation through a location
//===----------------------------------------------------------------------===//

void Hazards::scalar(Agent &agent, const Inst &inst, Cta *owner,
                     unsigned tensor, uint64_t address, unsigned bytes) {
  const effect::EffectList &list = state->effectsOf(inst);
  const effect::Access *effect = accessOf(list, effect::Footprint::Scalar);
  effect::Access waits;
  for (const effect::Effect &each : list)
    if (auto *flag = std::get_if<effect::WaitFlag>(&each.what)) {
      waits.sem = flag->sem;
      waits.scope = flag->scope;
      effect = &waits;
    }
  if (!effect || (!owner && !state->isWritten(tensor)))
    return;
  const Memory &memory = owner ? owner->shared : state->machine.global;
  WarpState &warp = state->of(agent);
  uint32_t lanes = agent.lanes();
  using effect::Sem;
  bool acquires = effect->sem == Sem::Acquire || effect->sem == Sem::AcqRel ||
                  effect->sem == Sem::SeqCst;
  bool releases = effect->sem == Sem::Release || effect->sem == Sem::AcqRel ||
                  effect->sem == Sem::SeqCst;
  bool reads = effect->kind != AccessKind::Write;
  std::pair<uint64_t, uint64_t> key(owner ? owner->number + 1 : 0, address);
  if (effect->sem != Sem::Weak && reads) {
    auto found = state->locations.find(key);
    if (found != state->locations.end() && !found->second.released.empty()) {
      Relation between = found->second.cta == agent.cta.number
                             ? Relation::SameCta
                             : Relation::OtherCta;
      if (acquires) {
        if (auto code = scopeProblem(found->second.scope, effect->scope,
                                     between, false))
          state->machine.find(*code,
                              "the acquire or the release that it reads from "
                              "names too narrow a scope: " +
                                  agent.who(inst),
                              inst.origin, &agent, false);
        state->acquire(agent, lanes, found->second.released);
      } else {
        for (ThreadClass &thread : warp.classes)
          thread.pending.join(found->second.released);
      }
    }
  }
  Access y = state->make(agent, inst, *effect, owner);
  if (lanes != 1 && effect->kind == AccessKind::Read) {
    // Each lane reads; then the others, each for itself.
    state->touch(memory, address, bytes, y);
    byLane(y, warp, 1);
    y.actors[0].lane = y.record.at.lane = allLanes;
  } else if (lanes != 1) {
    y.actors.push_back({&warp.classes[1], &warp.classes[1].known, allLanes});
    y.record.at.lane = wholeWarp;
  }
  state->touch(memory, address, bytes, y);
  if (effect->kind != AccessKind::Read && effect->sem != Sem::Weak) {
    Location &location = state->locations[key];
    // A plain store begins a new chain; an atomic continues the old one.
    if (effect->kind == AccessKind::Write)
      location.released = Clock();
    location.scope = effect->scope;
    if (releases)
      location.released.join(state->publish(agent, lanes));
    else if (const ThreadClass &thread = warp.classes[0];
             !thread.released.empty()) {
      location.released.join(thread.released);
      location.scope = std::min(effect->scope, thread.releasedScope);
    }
    location.cta = agent.cta.number;
  }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void Hazards::maps(Agent &agent, const Inst &inst) {
  const effect::EffectList &list = state->effectsOf(inst);
  bool asOne = false; // A warp, .sync.aligned (MM-90).
  for (const effect::Effect &each : list)
    if (auto *fence = std::get_if<effect::Fence>(&each.what))
      asOne |= fence->kind == effect::Fence::TensormapRelease;
  WarpState &warp = state->of(agent);
  for (const effect::Effect &each : list) {
    auto *access = std::get_if<effect::Access>(&each.what);
    if (!access)
      continue;
    MapPlace place = MapPlace::decode(
        agent.scalars[agent.program.slots.lookup(access->bytes.object).scalar]);
    if (place.kind == MapPlace::Parameter)
      continue; // Nobody writes it (MM-92).
    Cta *owner = place.kind == MapPlace::Shared ? &agent.cta : nullptr;
    const Memory &memory = owner ? owner->shared : state->machine.global;
    Access y = state->make(agent, inst, *access, owner);
    constexpr unsigned bytes = std::tuple_size_v<TmaDescriptor>;
    if (asOne) {
      y.actors.push_back({&warp.classes[1], &warp.classes[1].known, allLanes});
      y.record.at.lane = wholeWarp;
    } else if (!agent.elected) {
      for (unsigned lane = 0, part = bytes / laneCount; lane < laneCount;
           ++lane) {
        byLane(y, warp, lane);
        state->touch(memory, place.at + lane * part, part, y);
      }
      continue;
    }
    state->touch(memory, place.at, bytes, y);
  }
}

void Hazards::copy(Agent &agent, const Inst &inst, Copy &copy) {
  const effect::EffectList &list = state->effectsOf(inst);
  uint32_t number = state->ops.size();
  AsyncOp op;
  ThreadClass &thread = state->of(agent).classes[0];
  op.issues.push_back({thread.number, thread.now, 0});
  op.site = state->site(agent, inst);
  op.warp = agent.number;
  bool multicast = copy.targets.size() > 1;
  if (multicast)
    for (size_t i = 1; i <= copy.targets.size(); ++i)
      op.parts.push_back(number + i);
  state->ops.push_back(op);
  op.parts.clear();
  if (multicast)
    state->ops.resize(number + 1 + copy.targets.size(), op);
  auto part = [&](size_t target) {
    return multicast ? number + 1 + static_cast<uint32_t>(target) : number;
  };
  // The map of a load has been read when the load is complete, or when a bulk
  // group tells so before (MM-91).
  uint32_t mapOp = number;
  if (copy.isLoad() && copy.map.kind != MapPlace::Parameter) {
    mapOp = state->ops.size();
    state->ops.push_back(op);
  }
  state->opOfCopy[copy.id] = mapOp;
  for (const effect::Effect &each : list) {
    auto *access = std::get_if<effect::Access>(&each.what);
    if (!access)
      continue;
    if (access->proxy == Proxy::Tensormap) {
      if (copy.map.kind == MapPlace::Parameter)
        continue; // Nobody writes it (MM-92).
      auto acquired = thread.mapAcquires.find(copy.map.at);
      if (acquired == thread.mapAcquires.end()) {
        // Whoever wrote it, an earlier kernel or the host too (MM-90).
        state->machine.find(Code::TensormapAcquireMissing,
                            "uses a tensor map in memory that its thread has "
                            "not acquired: " +
                                agent.who(inst),
                            inst.origin, &agent, false);
        continue;
      }
      Access y = state->make(agent, inst, *access, nullptr);
      y.acquired = &acquired->second;
      y.record.op = mapOp;
      state->touch(state->machine.global, copy.map.at,
                   std::tuple_size_v<TmaDescriptor>, y);
      continue;
    }
    if (access->bytes.kind == effect::Footprint::View) {
      auto touch = [&](Cta &cta, uint32_t writes) {
        Access y = state->make(agent, inst, *access, &cta);
        y.record.op = writes;
        // The whole view, whatever part of the box lies in the tensor.
        state->touch(cta.shared,
                     SharedPlace::decode(agent.scalars[inst.b]).address,
                     copy.transfer->imageBytes(), y);
      };
      if (copy.targets.empty())
        touch(agent.cta, number);
      for (auto [i, target] : llvm::enumerate(copy.targets))
        touch(*target.first, part(i));
    } else if (state->isWritten(copy.tensor)) {
      Access y = state->make(agent, inst, *access, nullptr);
      y.record.op = number;
      ByteSet bytes = copy.transfer->globalBytes();
      for (const auto &interval : bytes.intervals())
        state->touch(state->machine.global, interval.begin,
                     interval.end - interval.begin, y);
    }
  }
  for (auto [i, target] : llvm::enumerate(copy.targets)) {
    Cta &cta = *target.first;
    MBarrier &signal = cta.barriers[copy.barrier];
    state->needInit(agent, inst, cta, signal, true);
    state->clockOf(signal).current.ops.push_back(part(i));
    if (mapOp != number)
      state->clockOf(signal).current.ops.push_back(mapOp);
    state->ops[part(i)].signals.push_back({&signal, signal.phase});
  }
}

void Hazards::bulkWaited(Agent &agent, const Inst &inst, size_t upTo) {
  ThreadClass &thread = state->of(agent).classes[0];
  HbEvent event{thread.number, thread.now, 0};
  for (size_t i = upTo; i < agent.groups.size(); ++i)
    for (const CopyRef &copy : agent.groups[i])
      if (isa<BulkWaitGroupOp>(inst.origin))
        state->ops[state->opOfCopy[copy->id]].leftBy = &inst;
  for (size_t i = inst.flag ? agent.groupsRead : agent.groupsDone; i < upTo;
       ++i)
    for (const CopyRef &copy : agent.groups[i]) {
      AsyncOp &op = state->ops[state->opOfCopy[copy->id]];
      (inst.flag ? op.read : op.done).push_back(event);
      op.leftBy = nullptr;
    }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void Hazards::registersUsed(Agent &agent, const Inst &inst) {
  state->of(agent).productFence = false;
  state->of(agent).lastRegisters = inst.origin;
}

void Hazards::joinProduct(Agent &agent, const Inst &inst, Warpgroup &group,
                          uint64_t number) {
  WarpState &warp = state->of(agent);
  if (!warp.productFence) {
    std::vector<FindingPlace> others;
    if (warp.lastRegisters)
      others.push_back({warp.lastRegisters->getLoc(),
                        "the registers are the program's again here"});
    state->machine.find(
        Code::MmaFence,
        (warp.lastRegisters
             ? "registers were accessed since the last wgmma.fence before this "
               "product: "
             : "no wgmma.fence stands before the first product: ") +
            agent.who(inst),
        inst.origin, &agent, false, std::move(others));
    warp.productFence = true;
  }
  if (inst.flag &&
      static_cast<const Tile &>(*agent.refs[inst.a]).made > warp.tilesFenced)
    state->machine.find(Code::MmaFence,
                        "no wgmma.fence stands between what gives the "
                        "registers of A their values and this product: " +
                            agent.who(inst),
                        inst.origin, &agent, false);
  // The operation is the warpgroup's: the warp that comes first makes it.
  uint32_t op = none;
  unsigned leader = agent.warp / 4 * 4;
  for (unsigned i = 0; i < 4; ++i) {
    WarpState &other = state->of(*agent.cta.agents[leader + i]);
    if (other.products.size() > number)
      op = other.products[number];
  }
  if (op == none) {
    op = state->ops.size();
    AsyncOp made;
    made.site = state->site(agent, inst);
    made.warp = agent.number;
    made.product = true;
    state->ops.push_back(made);
  }
  warp.products.push_back(op);
  for (ThreadClass &thread : warp.classes)
    state->ops[op].issues.push_back({thread.number, thread.now, allLanes});
  const MmaTable &table = *agent.program.products[inst.table];
  Value right = cast<MmaOp>(inst.origin).getB();
  bool sameOperand = right == cast<MmaOp>(inst.origin).getA();
  bool first = true;
  for (const effect::Effect &each : state->effectsOf(inst)) {
    auto *access = std::get_if<effect::Access>(&each.what);
    if (!access || access->bytes.kind != effect::Footprint::View)
      continue;
    bool isB = access->bytes.object == right && !(sameOperand && first);
    first = false;
    uint32_t base = static_cast<uint32_t>(agent.scalars[isB ? inst.b : inst.a]);
    Access y = state->make(agent, inst, *access, &agent.cta);
    y.actors.clear();
    for (ThreadClass &thread : warp.classes)
      y.actors.push_back(
          {&thread, thread.product.empty() ? &thread.known : &thread.product,
           &thread == &warp.classes[0] ? uint8_t(0) : allLanes});
    y.record.op = op;
    state->touch(agent.cta.shared, base, (isB ? table.b : table.a)->viewBytes,
                 y);
  }
}

void Hazards::productsWaited(Agent &agent, const Inst &inst, uint64_t upTo) {
  WarpState &warp = state->of(agent);
  for (uint64_t i = agent.productsObserved; i < upTo; ++i)
    for (ThreadClass &thread : warp.classes)
      state->ops[warp.products[i]].done.push_back(
          {thread.number, thread.now, allLanes});
}
