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

/// An observation of what X's lane has issued.
static HbEvent by(HbEvent event, const Record &x) {
  if (event.lane == eachLane)
    event.lane = x.at.lane;
  return event;
}

bool State::allKnowOne(const Access &y, const std::vector<HbEvent> &events,
                       const Record &x) {
  return llvm::all_of(y.actors, [&](const Actor &actor) {
    return llvm::any_of(events, [&](const HbEvent &event) {
      return knows(actor, by(event, x));
    });
  });
}

bool State::isDone(const Access &y, const AsyncOp &op, const Record &x) const {
  if (op.parts.empty()) {
    const AsyncOp *each = &op;
    while (!allKnowOne(y, each->done, x)) {
      if (each->before == none)
        return false;
      each = &ops[each->before];
    }
    return true;
  }
  return llvm::all_of(op.parts, [&](uint32_t part) {
    return allKnowOne(y, ops[part].done, x);
  });
}

Relation State::relation(const Record &x, const Access &y) const {
  bool sameWarp = x.at.number / 2 == y.actors[0].thread->number / 2;
  if (x.op != none && sameWarp && x.proxy != Proxy::AsyncGeneric)
    return Relation::SameThread;
  for (const Actor &actor : y.actors)
    if (x.at.number == actor.thread->number && x.at.lane == actor.lane)
      return Relation::SameThread;
  return x.cta == y.record.cta ? Relation::SameCta : Relation::OtherCta;
}

/// Whether the fence that the pair needs stands on the path to each of Y's threads.
bool State::fenced(const Record &x, const Access &y, ProxyFence fence) {
  if (fence == ProxyFence::TensormapReleaseAcquire)
    return mapAcquired(x, y);
  if (fence == ProxyFence::None)
    return true;
  return llvm::all_of(y.actors, [&](const Actor &actor) {
    if (x.op == none)
      return fencedSince(x.at, y, actor, fence);
    // By who has observed that X is over, or knows of it.
    for (uint32_t op = x.op; op != none; op = ops[op].before)
      for (const auto *events : {&ops[op].done, &ops[op].read})
        for (const HbEvent &event : *events)
          if (fencedSince(by(event, x), y, actor, fence))
            return true;
    return false;
  });
}

bool State::fencedSince(const HbEvent &event, const Access &y,
                        const Actor &actor, ProxyFence fence) {
  const WarpState &warp = warps[event.number / 2];
  const ThreadClass &thread = warp.classes[event.number % 2];
  // Seen from that thread, shared memory may be another CTA's.
  const auto &fences = thread.fences[warp.cta == y.record.cta
                                         ? y.space
                                         : memorySpaceInfo(y.space).elsewhere];
  auto first = std::lower_bound(fences.begin(), fences.end(), event.clock);
  bool loose = machine.options.strictness.level == Strictness::Level::Off;
  if (first != fences.end() && knows(actor, {event.number, *first, event.lane}))
    return true;
  if (fence == ProxyFence::ByFirst && !loose)
    return false;
  // By the thread that issues Y, after it came to know of the event. Had it been its
  // own, its fence would have been found.
  const ThreadClass &mine = *actor.thread;
  return !(event.number == mine.number && event.lane == actor.lane) &&
         mine.atFence[y.space].get(event.number) >= event.clock;
}

/// Whether X's wave has waited for its plain store X, where such are counted, and
/// Y knows. The wave itself need not, but for loads to LDS over it (MM-112).
bool State::storesWaited(const Record &x, const Access &y) {
  auto counter = storeCounter(*machine.program.target, y.space);
  bool mine = x.at.number / 2 == y.actors[0].thread->number / 2;
  if (!counter || x.op != none || x.kind != AccessKind::Write ||
      x.sem != effect::Sem::Weak ||
      (mine && (y.record.op == none || y.space == MemorySpace::Global ||
                ops[y.record.op].mechanism != Mechanism::VmCount)))
    return true;
  const auto &waits =
      warps[x.at.number / 2].classes[x.at.number % 2].storeWaits[*counter];
  auto first = std::lower_bound(waits.begin(), waits.end(), x.at.clock);
  return first != waits.end() && allKnow(y, {x.at.number, *first, x.at.lane});
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
  uint32_t clusterSize = machine.program.clusterSize;
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
                 {{other.inst->origin->getLoc(), "released by " + other.who}},
                 {}, other.inst->origin);
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

bool State::isSameReduction(const Record &x, const Access &y) {
  if (x.kind != AccessKind::Reduction || y.record.kind != AccessKind::Reduction)
    return false;
  const auto &first = planOf(*siteAt(x.site).inst).reduction;
  return first && first == planOf(*y.inst).reduction;
}

/// Whether Y, which is after X, stands for both: whoever must come after X must
/// come after Y, too. All that touches the bytes must come after a plain write;
/// an atomic or a reduction speaks for its like alone.
bool State::standsFor(const Access &y, const Record &x) {
  bool strong = y.record.sem != effect::Sem::Weak;
  if (y.record.kind == AccessKind::Write && !strong)
    return true;
  return x.kind == y.record.kind && x.proxy == y.record.proxy &&
         x.cta == y.record.cta && (x.sem != effect::Sem::Weak) == strong &&
         x.scope >= y.record.scope && (!strong || x.width == y.record.width) &&
         (x.kind != AccessKind::Reduction || isSameReduction(x, y));
}

State::Order State::check(const Record &x, Access &y) {
  ProxyAccess first{x.kind, x.proxy}, second{y.record.kind, y.record.proxy};
  Relation between = relation(x, y);
  uint32_t clusterSize = machine.program.clusterSize;
  Scope least = x.cta == y.record.cta ? Scope::Cta
                : x.cta / clusterSize == y.record.cta / clusterSize
                    ? Scope::Cluster
                    : Scope::Gpu;
  // Morally strong operations do not race (MM-13): of one width, since what races in
  // another one has no meaning (MM-2).
  bool morallyStrong =
      x.proxy == Proxy::Generic && y.record.proxy == Proxy::Generic &&
      x.sem != effect::Sem::Weak && y.record.sem != effect::Sem::Weak &&
      x.width == y.record.width && x.scope >= least && y.record.scope >= least;
  if (morallyStrong || !conflict(first, second, isSameReduction(x, y)))
    // Of a read nobody asks.
    return y.record.kind != AccessKind::Read &&
                   (x.op != none ? isDone(y, ops[x.op], x) : allKnow(y, x.at))
               ? Order::Before
               : Order::Neither;
  bool sameWarp = x.at.number / 2 == y.actors[0].thread->number / 2;
  if (sameWarp && x.op != none && y.record.op != none) {
    auto one = mechanismInfo(ops[x.op].mechanism).operation,
         other = mechanismInfo(ops[y.record.op].mechanism).operation;
    const OrderedPair *pair =
        one && other ? findOrderedPair(*one, *other) : nullptr;
    if (pair && pair->condition == PairCondition::Always)
      return Order::Before;
  }
  Requirement need = required(first, second, between);
  const char *did = participle(x.kind), *doing = verb(y.record.kind);
  // Release and acquire of a map order its change and its use by themselves.
  bool map = need.fence == ProxyFence::TensormapReleaseAcquire;
  // A product is late, but would not be had a wgmma.fence stood before it.
  auto wantsMmaFence = [&](auto &&known, const char *what) {
    if (y.actors[0].known == &y.actors[0].thread->known)
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
    bool over =
        isDone(y, op, x) || (need.completion == Completion::SourceRead &&
                             allKnowOne(y, op.read, x));
    if (!over && need.completion != Completion::None) {
      if (wantsMmaFence([&](auto &now) { return isDone(now, op, x); }, "wait"))
        return Order::Bad;
      Code code = need.ifNotComplete;
      bool product = op.mechanism == Mechanism::MmaGroup;
      if (product && code == Code::CompletionNotObserved)
        code = Code::MmaSlotReuse;
      // Each waits for its own; barriers tell the others.
      if (auto own = mechanismInfo(op.mechanism).notWaited)
        code = op.done.empty() ? *own : Code::Race;
      else if (!product && code != Code::TensormapInUse && tellCause(x, y))
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
  } else if (!storesWaited(x, y)) {
    tell(Code::LdsCounterMissing, x, y,
         llvm::formatv("{0} bytes {1} by a wave that has not waited for its "
                       "stores (s_waitcnt)",
                       doing, did));
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
                         "proxy, without a fence.proxy.async {4}",
                         doing, effect::stringify(y.record.proxy), did,
                         effect::stringify(x.proxy),
                         x.op == none
                             ? "after it by the thread that did"
                             : "by a thread that has observed its completion"));
    return Order::Bad;
  }
  if (need.advice) {
    bool answered =
        *need.advice == Code::ReaderFenceMissing &&
        llvm::all_of(y.actors, [&](const Actor &actor) {
          return actor.thread->atFence[y.space].get(x.at.number) >= x.at.clock;
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
  ShadowMemory &chunks = shadow[&memory];
  for (uint64_t at = address, end = address + bytes; at < end;) {
    uint64_t chunk = at / 16, next = std::min(end, (chunk + 1) * 16);
    uint16_t mask = static_cast<uint16_t>(((1u << (next - at)) - 1) << at % 16);
    uint32_t &head = chunks.at(chunk);
    uint32_t *link = &head;
    while (*link != none) {
      Record &x = records[*link];
      bool drop = false;
      if (x.mask & mask) {
        Order order = Order::Before;
        if (x.op == none || x.op != y.goodOp) {
          order = check(x, y);
          // What one lane has waited for, another one need not have.
          if (order == Order::Before && x.op != none && x.op != y.record.op &&
              x.proxy != Proxy::AsyncGeneric)
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
            drop = (x.op == y.record.op && x.at.lane == y.record.at.lane) ||
                   (y.record.op != none && isDone(y, ops[x.op], x));
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

/// Of elements, each thread's at once.
static uint16_t widthOf(const effect::Footprint &bytes) {
  Type element;
  if (auto shared = dyn_cast<SharedType>(bytes.object.getType()))
    element = shared.getElementType();
  else if (auto tensor = dyn_cast<GlobalType>(bytes.object.getType()))
    element = tensor.getElementType();
  const bool single = bytes.kind == effect::Footprint::Scalar ||
                      bytes.kind == effect::Footprint::Elements;
  return element && element.isIntOrFloat() && single
             ? element.getIntOrFloatBitWidth() / 8 * bytes.chunk
             : 0;
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
  y.record.width = widthOf(effect.bytes);
  return y;
}
