//===- Phases.cpp - mbarriers in the canonical run ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Execution.h"

#include "titan/Dialect/Titan/SharedMemory.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

std::pair<Value, int64_t> Execution::slotOfRing(uint32_t b) const {
  return program.barriers[b % program.barriers.size()];
}

std::string Execution::barrierName(uint32_t b) const {
  auto [value, slot] = slotOfRing(b);
  std::string text = nameOfBarrier(value, slot);
  if (program.ctas() > 1)
    text += " of CTA " + std::to_string(b / program.barriers.size());
  return text;
}

bool Execution::isBefore(uint32_t first, Lanes lanes, uint32_t tick, uint32_t a,
                         const Event &event) const {
  for (int d : {electedClass, othersClass})
    for (int c : {electedClass, othersClass})
      if (event.lanes >> d & 1 && lanes >> c & 1 &&
          !(first == a && c == d && c == electedClass) &&
          agents[a].clock[d][shape.time(first, c)] < tick)
        return false;
  return true;
}

void Execution::init(uint32_t a, const Event &event, const Action &action) {
  eachCta(a, action, [&](int cta) {
    uint32_t b = slot(cta, action.object);
    Barrier &barrier = barriers[b];
    if (barrier.live || event.lanes != Elected) {
      const Event *other = barrier.live ? barrier.initEvent : nullptr;
      bool byWarps = other && other->op == event.op && barrier.initAgent != a;
      // Each of the threads goes on as if it were the only one.
      std::optional<Report::Stop> stop;
      if (byWarps)
        stop.emplace(report);
      if (Finding *finding = report.add(
              Code::BarrierLive, event.op, other ? other->op : nullptr,
              byWarps ? Twine("several warps initialise barrier ") +
                            barrierName(b) + ": one thread must"
              : barrier.live
                  ? Twine("barrier ") + barrierName(b) +
                        " is initialised again while it is live"
                  : Twine("every lane of the warp initialises barrier ") +
                        barrierName(b) + ": one thread must")) {
        if (other)
          finding->others.push_back(
              {other->op->getLoc(),
               "initialised here by " + who(barrier.initAgent, *other)});
        if (byWarps || !barrier.live)
          finding->fix = fixOfInitialisers(event.op);
      }
      aborted |= byWarps;
      if (barrier.live)
        return;
    }
    if (const Event *inval = barrier.invalEvent) {
      if (!isBefore(barrier.invalAgent, barrier.invalLanes, barrier.invalTick,
                    a, event))
        if (Finding *finding = report.add(
                Code::BarrierLive, event.op, inval->op,
                Twine("nothing orders this initialisation of barrier ") +
                    barrierName(b) + " after the end of its life before"))
          finding->others.push_back(
              {inval->op->getLoc(),
               "invalidated here by " + who(barrier.invalAgent, *inval)});
      // Its phases count from 0 again; clocks only grow.
      barrier.base = ++barrier.phase;
      for (int lane : {electedClass, othersClass})
        if (event.lanes >> lane & 1)
          agents[a].clock[lane].raise(shape.over(b), barrier.base);
    }
    barrier.live = true;
    barrier.initAgent = a;
    barrier.initTick = agents[a].tick;
    barrier.initLanes = event.lanes;
    barrier.initEvent = &event;
    // By 32 threads: that has been told, and nothing orders it.
    std::fill(barrier.initChecked.begin(), barrier.initChecked.end(),
              event.lanes == Elected ? 0 : AllLanes | 4);
    barrier.count = barrier.ofPhase = action.amount;
    barrier.expected = barrier.pending = action.amount;
    barrier.tx = 0;
    barrier.contributions.clear();
    barrier.lastContributions.clear();
    barrier.current.clear();
    barrier.last.clear();
    barrier.waits.clear();
    std::fill(barrier.used.begin(), barrier.used.end(), 0);
  });
}

void Execution::invalidate(uint32_t a, const Event &event, uint32_t b) {
  settle(b);
  Barrier &barrier = barriers[b];
  const Event *other = nullptr;
  std::string by;
  for (uint32_t agent = 0; agent < agents.size(); ++agent)
    for (int lane : {electedClass, othersClass}) {
      uint32_t tick = barrier.used[2 * agent + lane];
      Lanes lanes = static_cast<Lanes>(1 << lane);
      if (tick && !(agent == a && tick == agents[a].tick) &&
          !isBefore(agent, lanes, tick, a, event)) {
        other = barrier.usedBy[2 * agent + lane];
        by = who(agent, *other);
      }
    }
  // Copies that will signal it yet, as far as is known here.
  auto signals = [&](const std::vector<Contribution> &list, uint32_t phases) {
    for (const Contribution &c : list)
      for (int lane : {electedClass, othersClass})
        if (c.kind == Contribution::Complete && event.lanes >> lane & 1 &&
            agents[a].clock[lane][shape.phase(b)] < phases) {
          other = c.event;
          by = who(c.agent, *c.event);
        }
  };
  signals(barrier.lastContributions, barrier.phase);
  signals(barrier.contributions, barrier.phase + 1);
  if (other)
    if (Finding *finding = report.add(
            Code::BarrierLive, event.op, other->op,
            Twine("barrier ") + barrierName(b) +
                " is invalidated, and nothing orders that after this use of "
                "it: '" +
                other->op->getName().getStringRef() + "'"))
      finding->others.push_back({other->op->getLoc(), "used here by " + by});
  barrier.live = false;
  barrier.invalEvent = &event;
  barrier.invalAgent = a;
  barrier.invalTick = agents[a].tick;
  barrier.invalLanes = event.lanes;
}

bool Execution::usable(uint32_t a, const Event &event, uint32_t b, bool async) {
  Barrier &barrier = barriers[b];
  StringRef name = event.op->getName().getStringRef();
  if (!barrier.live) {
    // Is it initialised at all, later in this run?
    const Event *later = nullptr;
    for (uint32_t other = 0; other < agents.size() && !later; ++other)
      for (const Event &e : program.programs[other].events)
        for (uint32_t i = 0; i < e.count; ++i) {
          const Action &action = program.programs[other].actions[e.first + i];
          if (action.kind == Action::Init)
            eachCta(other, action, [&](int cta) {
              if (slot(cta, action.object) == b)
                later = &e;
            });
        }
    Report::Stop stop(report);
    if (Finding *finding = report.add(
            later ? Code::BarrierInitFence : Code::BarrierNotInitialised,
            event.op, later ? later->op : nullptr,
            Twine("'") + name + "' uses barrier " + barrierName(b) +
                (later ? ", and nothing orders it after the barrier's "
                         "initialisation"
                       : ", which is not initialised")))
      if (later)
        finding->others.push_back({later->op->getLoc(), "initialised here"});
    aborted = true;
    return false;
  }
  if (!async)
    for (int lane : {electedClass, othersClass})
      if (event.lanes >> lane & 1) {
        barrier.used[2 * a + lane] = agents[a].tick;
        barrier.usedBy[2 * a + lane] = &event;
      }
  uint8_t bits = event.lanes | (async ? 4 : 0);
  if ((barrier.initChecked[a] & bits) == bits)
    return true;
  barrier.initChecked[a] |= bits;
  uint32_t w = barrier.initAgent, t = barrier.initTick;
  bool peer = ctaOf(a) != static_cast<int>(b / program.barriers.size());
  for (int lane : {electedClass, othersClass}) {
    if (!(event.lanes >> lane & 1))
      continue;
    const Clock &clock = agents[a].clock[lane];
    bool path = true, fenced = true;
    for (int c : {electedClass, othersClass}) {
      if (!(barrier.initLanes >> c & 1))
        continue;
      bool own = w == a && c == lane && c == electedClass;
      // A proxy fence does for the async proxy of its own CTA, not for peers.
      fenced &= clock[shape.init(w, c)] > t ||
                (own && agents[a].ownInit[c] > t) ||
                (!peer &&
                 (clock[shape.fence(w, c, MemorySpace::SharedOwn)] > t ||
                  (own && agents[a].ownFence[c][MemorySpace::SharedOwn] > t)));
      path &=
          own || clock[shape.time(w, c)] >= t || clock[shape.init(w, c)] > t;
    }
    if (path && (fenced || !(async || peer)))
      continue;
    if (report.fences && !fenced)
      missingInitFence(a, lane, event, barrier, peer);
    if (Finding *finding = report.add(
            Code::BarrierInitFence, event.op, barrier.initEvent->op,
            Twine("'") + name + "' uses barrier " + barrierName(b) +
                (path ? Twine(async ? " through the async proxy"
                                    : " of a peer CTA") +
                            ", and its initialiser has not executed "
                            "fence.mbarrier_init"
                      : Twine(", and nothing orders it after the barrier's "
                              "initialisation")))) {
      finding->others.push_back(
          {barrier.initEvent->op->getLoc(),
           "initialised here by " + who(w, *barrier.initEvent)});
      finding->events.push_back(who(w, *barrier.initEvent) + ": initialises " +
                                barrierName(b));
      finding->events.push_back(who(a, event) + ": '" + name.str() + "'");
      if (!path)
        finding->fix =
            peer ? "let the CTAs meet at the cluster's barrier behind the "
                   "initialisation, before this"
                 : "let the threads meet at a CTA barrier behind the "
                   "initialisation, before this";
    }
    break;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Contributions
//===----------------------------------------------------------------------===//

void Execution::pinned(uint32_t a, const Event &event, uint32_t b,
                       const char *what, bool completes) {
  Barrier &barrier = barriers[b];
  if (barrier.phase == barrier.base)
    return;
  for (int lane : {electedClass, othersClass}) {
    if (!(event.lanes >> lane & 1))
      continue;
    const Clock &clock = agents[a].clock[lane];
    if (clock[shape.over(b)] >= barrier.phase)
      continue;
    // Nobody before this has seen the last phase complete. Is it over, at
    // least, whatever the schedule? All that it consisted of must come before.
    const Contribution *loose = nullptr;
    for (const Contribution &c : barrier.lastContributions)
      for (int l : {electedClass, othersClass})
        if (c.lanes >> l & 1) {
          bool own =
              c.agent == a && l == lane && c.kind != Contribution::Complete;
          if (!own && (c.kind == Contribution::Complete ||
                       clock[shape.acted(c.agent, l)] < c.tick))
            loose = &c;
        }
    Code code = loose ? Code::PhaseAmbiguous : Code::BarrierUnobserved;
    // A copy whose phase was over before it was issued: nobody expected it.
    bool expected =
        llvm::any_of(barrier.lastContributions, [](const Contribution &c) {
          return c.kind != Contribution::Arrive;
        });
    // Nor did anybody expect it in this one.
    auto expects = [](const Contribution &c) {
      return c.kind == Contribution::Expect;
    };
    bool late = loose && loose->kind != Contribution::Arrive &&
                llvm::none_of(barrier.contributions, expects);
    if (completes && (!expected || late))
      code = Code::BarrierBytes;
    if (arrivedBefore(a, event, b) ||
        (completes && late && expectsTooFew(a, event, b)))
      return;
    Operation *other = loose ? loose->event->op
                       : barrier.lastContributions.empty()
                           ? nullptr
                           : barrier.lastContributions.back().event->op;
    if (Finding *finding = report.add(
            code, event.op, other,
            Twine(what) + " barrier " + barrierName(b) +
                " is meant for its phase " + Twine(barrier.phaseOfLife()) +
                (loose ? ", but nothing orders it after the end of the phase "
                         "before: it can fall into that one"
                       : ", but no wait has observed the end of the phase "
                         "before"))) {
      if (other)
        finding->others.push_back(
            {other->getLoc(), loose ? "part of the phase before, by " +
                                          who(loose->agent, *loose->event)
                                    : "the phase before ends here"});
      if (loose)
        finding->events.push_back(
            who(loose->agent, *loose->event) + ": '" +
            loose->event->op->getName().getStringRef().str() + "', phase " +
            std::to_string(barrier.phaseOfLife() - 1) + " of " +
            barrierName(b));
      finding->events.push_back(
          who(a, event) + ": '" + event.op->getName().getStringRef().str() +
          "', phase " + std::to_string(barrier.phaseOfLife()) + " of " +
          barrierName(b));
      if (code != Code::BarrierBytes)
        finding->fix = fixOfSignal(b);
      else if (!expected)
        finding->fix = "no phase of " + barrierName(b) +
                       " expects these bytes: let who arrives say how many "
                       "come (titan.mbarrier.arrive_expect_tx)";
      editCause(*finding, b);
      lastMayBeMismatch(b);
    }
    return;
  }
}

void Execution::overArrival(uint32_t a, const Event &event, uint32_t b,
                            int64_t amount) {
  Barrier &barrier = barriers[b];
  const Contribution *other = nullptr;
  for (const Contribution &c : barrier.contributions)
    if (c.kind == Contribution::Arrive)
      other = &c;
  Report::Stop stop(report);
  if (Finding *finding = report.add(
          Code::BarrierArrivals, event.op, other ? other->event->op : nullptr,
          Twine(amount) + (amount == 1 ? " arrival of " : " arrivals of ") +
              who(a, event) + " at barrier " + barrierName(b) +
              ", whose phase " + Twine(barrier.phaseOfLife()) + " misses " +
              Twine(barrier.pending) + " of " + Twine(barrier.ofPhase))) {
    if (other)
      finding->others.push_back(
          {other->event->op->getLoc(), "an earlier arrival of this phase, by " +
                                           who(other->agent, *other->event)});
    finding->others.push_back(
        {barrier.initEvent->op->getLoc(), "the barrier's count is given here"});
    int64_t arrivals = std::max(arrivalsAt(b).first,
                                barrier.ofPhase - barrier.pending + amount);
    // Iteration after iteration, and nobody waits for the phase between.
    if (other && other->agent == a && other->event->op == event.op &&
        other->event != &event) {
      finding->fix =
          "this arrives in each iteration of its loop, and the phase counts " +
          std::to_string(barrier.ofPhase) +
          ": arrive once, outside of the loop, or wait for the phase in it";
    } else {
      finding->fix = fixOfCount(b, arrivals);
      editCount(*finding, b, arrivals);
    }
    // One more than is left may come from another phase.
    if (amount <= barrier.ofPhase)
      report.lastIsSymptom();
  }
  aborted = true;
}

void Execution::arrive(uint32_t a, const Event &event, const Action &action) {
  const auto &effect = std::get<effect::Arrive>(action.effect->what);
  // cp.async.mbarrier.arrive: what the thread has issued, in groups or not;
  // tcgen05.commit: a group of what it has issued and not bound. The barrier's
  // phase tells its end.
  bool copies = effect.after == Mechanism::AsyncGroup;
  if (effect.after)
    for (int lane : {electedClass, othersClass}) {
      if (!(event.lanes >> lane & 1))
        continue;
      Stream &s = stream(a, *effect.after, lane);
      if (copies) {
        ++agents[a].copyArrivals[lane];
        agents[a].copiesTracked[lane] = s.commits;
      } else {
        ++s.commits;
        s.groups.push_back(s.open.empty() ? nullptr : s.open.front());
        s.raises.push_back(1);
      }
      s.open.clear();
    }
  int64_t amount = action.amount * program.times(event, effect.by);
  eachCta(a, action, [&](int cta) {
    uint32_t b = slot(cta, action.object);
    if (aborted || !usable(a, event, b, false))
      return;
    settle(b);
    Barrier &barrier = barriers[b];
    pinned(a, event, b, "the arrival at");
    if (effect.increments)
      barrier.pending += amount;
    if (amount > barrier.pending)
      return overArrival(a, event, b, amount);
    barrier.pending -= amount;
    if (effect.drops)
      barrier.expected -= amount;
    Scope scope = effect.scope;
    if (copies) {
      // Of memory, those copies alone (MM-60).
      for (int lane : {electedClass, othersClass})
        if (event.lanes >> lane & 1) {
          barrier.current.join(agents[a].clock[lane], shape.over(0),
                               shape.overEnd());
          barrier.current.raise(copyArrivals(a, lane),
                                agents[a].copyArrivals[lane]);
        }
      addPresent(a, event.lanes, barrier.current);
    } else if (effect.sem == effect::Sem::Relaxed)
      scope = arriveRelaxed(a, event.lanes, Scope::Cta, scope, barrier.current);
    else
      barrier.current.join(released(a, event.lanes));
    barrier.contributions.push_back(
        {effect.increments ? Contribution::Track : Contribution::Arrive, a,
         event.lanes, agents[a].tick, &event, amount, scope});
    if (effect.after && !copies)
      for (int lane : {electedClass, othersClass})
        if (event.lanes >> lane & 1) {
          const Stream &s = stream(a, *effect.after, lane);
          barrier.current.raise(shape.done(s.id), s.commits);
          barrier.current.raise(shape.read(s.id), s.commits);
        }
    const Clock &mine = released(a, event.lanes);
    if (cta != ctaOf(a)) {
      bool started = false;
      for (uint32_t other = 0; other < agents.size(); ++other)
        started |=
            ctaOf(other) == cta && mine[shape.time(other, electedClass)] > 0;
      if (!started)
        report.add(Code::ClusterEntry, event.op, nullptr,
                   Twine("the arrival at barrier ") + barrierName(b) +
                       " of a peer CTA that is not known to have started");
    }
  });
}

bool Execution::copies(uint32_t a, const Event &event) const {
  ArrayRef<Action> actions(program.programs[a].actions);
  return llvm::any_of(
      actions.slice(event.first, event.count),
      [](const Action &action) { return action.kind == Action::Access; });
}

void Execution::checkRange(uint32_t a, const Event &event, uint32_t b) {
  const Barrier &barrier = barriers[b];
  const Contribution &last = barrier.contributions.back();
  int64_t bytes = 0;
  for (const Contribution &c : barrier.contributions)
    if (c.kind == last.kind)
      bytes += c.amount;
  if (bytes <= target->mbarrierMaxTx)
    return;
  // Of the other kind those count that come before this under any schedule: no copy
  // is known to be over before its phase is. (Lanes that do the same add up to the
  // most that each of them has, times their number.)
  for (const Contribution &c : barrier.contributions)
    if ((last.kind == Contribution::Expect
             ? c.kind == Contribution::Complete && !copies(c.agent, *c.event)
             : c.kind == Contribution::Expect) &&
        ((c.agent == a && c.event->lanes == event.lanes) ||
         isBefore(c.agent, c.event->lanes, c.tick, a, event)))
      bytes -= c.amount;
  if (bytes <= target->mbarrierMaxTx)
    return;
  if (Finding *finding = report.add(
          Code::BarrierRange, event.op, nullptr,
          Twine("the transaction count of barrier ") + barrierName(b) +
              " can become " +
              Twine(last.kind == Contribution::Expect ? bytes : -bytes) +
              " bytes in phase " + Twine(barrier.phaseOfLife())))
    finding->events.push_back(who(a, event));
}

void Execution::expect(uint32_t a, const Event &event, const Action &action) {
  const auto &effect = std::get<effect::ExpectTx>(action.effect->what);
  int64_t amount = action.amount * program.times(event, effect.by);
  eachCta(a, action, [&](int cta) {
    uint32_t b = slot(cta, action.object);
    if (aborted || !usable(a, event, b, false))
      return;
    settle(b);
    Barrier &barrier = barriers[b];
    pinned(a, event, b, "expect_tx on");
    barrier.tx += amount;
    barrier.contributions.push_back({Contribution::Expect, a, event.lanes,
                                     agents[a].tick, &event, amount,
                                     Scope::Cta});
    checkRange(a, event, b);
  });
}

void Execution::complete(uint32_t a, const Event &event, const Action &action) {
  const auto &effect = std::get<effect::CompleteTx>(action.effect->what);
  // A copy's, when it is done; or the instruction of that name.
  const bool copy = copies(a, event);
  // What one thread must issue is taken to be issued by one (cardinality() has
  // told); of a tile the warp's elements have been counted.
  bool each = event.cardinality == effect::Cardinality::EveryThread;
  int64_t amount = action.amount * (each ? program.times(event, effect.by) : 1);
  eachCta(a, action, [&](int cta) {
    uint32_t b = slot(cta, action.object);
    if (aborted || !usable(a, event, b, copy))
      return;
    settle(b);
    Barrier &barrier = barriers[b];
    pinned(a, event, b, "the complete_tx on", true);
    barrier.tx -= amount;
    // Issued before it signals: an edge in execution order alone (MM-15).
    for (int lane : {electedClass, othersClass})
      if (event.lanes >> lane & 1)
        barrier.current.join(agents[a].clock[lane], shape.over(0),
                             shape.overEnd());
    addPresent(a, event.lanes, barrier.current);
    barrier.contributions.push_back({Contribution::Complete, a, Elected,
                                     agents[a].tick, &event, amount,
                                     Scope::Cluster});
    checkRange(a, event, b);
  });
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

void Execution::settle(uint32_t b) {
  Barrier &barrier = barriers[b];
  if (!barrier.live || barrier.pending != 0 || barrier.tx != 0)
    return;
  // Where all have dropped their arrivals no more phases end by themselves.
  if (!barrier.ofPhase && barrier.contributions.empty())
    return;
  // Bytes must be expected before the last arrival that could complete the
  // phase without them.
  for (const Contribution &e : barrier.contributions) {
    if (e.kind != Contribution::Expect && e.kind != Contribution::Track)
      continue;
    bool covered = true;
    for (int lane : {electedClass, othersClass})
      if (e.lanes >> lane & 1)
        covered &=
            barrier.current[shape.time(e.agent, lane)] >= e.tick ||
            llvm::any_of(barrier.contributions, [&](const Contribution &c) {
              return c.kind == Contribution::Arrive && c.agent == e.agent &&
                     c.lanes >> lane & 1 && c.tick >= e.tick;
            });
    if (e.kind == Contribution::Track) {
      if (!covered)
        if (Finding *finding = report.add(
                Code::PhaseAmbiguous, e.event->op, nullptr,
                Twine("no arrival of its thread at barrier ") + barrierName(b) +
                    " follows: the phase can complete before it is told to "
                    "wait for these copies")) {
          finding->events.push_back(who(e.agent, *e.event));
          finding->fix = "let the thread arrive at " + barrierName(b) +
                         " after this, or write `noinc` and count its arrival";
        }
      continue;
    }
    // Bytes expected before, whose copies come after, hold the phase open.
    int64_t open = 0;
    for (const Contribution &c : barrier.contributions) {
      bool own = c.agent == e.agent && e.lanes == Elected;
      if (c.kind == Contribution::Expect && own && c.tick < e.tick)
        open += c.amount;
      if (c.kind == Contribution::Complete && !(own && c.tick > e.tick))
        open -= c.amount;
    }
    covered |= open > 0;
    if (!covered && !arrivedBefore(e.agent, *e.event, b))
      if (Finding *finding = report.add(
              Code::PhaseAmbiguous, e.event->op, nullptr,
              Twine(
                  "these bytes are expected by no arrival's thread: barrier ") +
                  barrierName(b) +
                  " can complete its phase before they are counted")) {
        finding->events.push_back(who(e.agent, *e.event));
        finding->fix = "expect them by a thread that arrives at " +
                       barrierName(b) +
                       " after that: arrive_expect_tx does both";
      }
  }
  // Whoever waited for the phase before must have done so by now: a waiter two
  // phases behind is answered about the wrong one.
  int64_t phase = barrier.phase;
  size_t kept = 0;
  for (const PhaseWait &wait : barrier.waits) {
    if (wait.phase >= phase) {
      barrier.waits[kept++] = wait;
      continue;
    }
    if (wait.phase + 1 != phase)
      continue;
    // A warp passes its waits together (they stand before warp-wide
    // operations), so one of its lanes is enough.
    bool before = false;
    for (int lane : {electedClass, othersClass})
      before |= barrier.current[shape.acted(wait.agent, lane)] >= wait.tick;
    if (before)
      continue;
    const Event *arrival = barrier.contributions.empty()
                               ? nullptr
                               : barrier.contributions.back().event;
    if (Finding *finding = report.add(
            Code::PhaseAmbiguous, wait.event->op,
            arrival ? arrival->op : nullptr,
            Twine("this wait is meant for phase ") +
                Twine(wait.phase - barrier.base) + " of barrier " +
                barrierName(b) + ", but phase " + Twine(phase - barrier.base) +
                " can complete before it is executed: by its parity it then "
                "looks like the phase after")) {
      if (arrival)
        finding->others.push_back(
            {arrival->op->getLoc(),
             "phase " + std::to_string(phase - barrier.base) +
                 " is completed here by " +
                 who(barrier.contributions.back().agent, *arrival)});
      finding->events.push_back(who(wait.agent, *wait.event) +
                                ": waits for phase " +
                                std::to_string(wait.phase - barrier.base));
      // Before the first phase, which copies fill: the parity is wrong.
      bool filled = llvm::any_of(barrier.contributions, [](auto &c) {
        return c.kind == Contribution::Complete;
      });
      finding->fix = filled && wait.phase < barrier.base
                         ? fixOfParity(b, barrier.base)
                         : fixOfLateWait(b, *wait.event);
      lastMayBeMismatch(b);
    }
  }
  barrier.waits.resize(kept);
  ++barrier.phase;
  barrier.ofPhase = barrier.pending = barrier.expected;
  std::swap(barrier.current, barrier.last);
  barrier.current.clear();
  std::swap(barrier.contributions, barrier.lastContributions);
  barrier.contributions.clear();
}

bool Execution::waitBarrier(uint32_t a, const Event &event,
                            const Action &action) {
  const auto &effect = std::get<effect::WaitBarrier>(action.effect->what);
  uint32_t b = slot(ctaOf(a), action.object);
  if (!usable(a, event, b, false))
    return false;
  settle(b);
  Barrier &barrier = barriers[b];
  Agent &agent = agents[a];
  if (action.amount < 0) {
    if (Finding *finding = report.add(
            Code::Undecided, event.op, nullptr,
            "the checker does not follow the states of arrivals yet"))
      finding->fix = "wait by titan.mbarrier.wait with a parity: phase n of a "
                     "barrier, counted from 0, has parity n mod 2";
    aborted = true;
    return false;
  }
  if ((barrier.phaseOfLife() & 1) == action.amount)
    return false;
  int64_t phase = static_cast<int64_t>(barrier.phase) - 1;
  // Under another schedule the barrier may still be one phase back; then the
  // wait is answered at once, about the phase before that.
  bool fresh = false;
  for (int lane : {electedClass, othersClass}) {
    if (!(event.lanes >> lane & 1))
      continue;
    uint32_t seen = agent.clock[lane][shape.over(b)];
    fresh |= seen < barrier.phase;
    if (static_cast<int64_t>(seen) < phase) {
      const Event *other = barrier.lastContributions.empty()
                               ? nullptr
                               : barrier.lastContributions.back().event;
      if (Finding *finding = report.add(
              Code::PhaseAmbiguous, event.op, nullptr,
              Twine("this wait of ") + who(a, event) + " is meant for phase " +
                  Twine(phase - barrier.base) + " of barrier " +
                  barrierName(b) +
                  ", but nothing shows that the phase before it is over: by "
                  "its parity the wait can be answered " +
                  (phase - barrier.base < 2
                       ? Twine("at once")
                       : "for phase " + Twine(phase - barrier.base - 2)))) {
        if (other)
          finding->others.push_back(
              {other->op->getLoc(), "the phase is completed here"});
        finding->fix = fixOfCause(b).value_or(fixOfParity(b, seen));
        editCause(*finding, b);
        editParity(*finding, event.op, action.amount, b, seen);
        if (phase == barrier.base + 1) // The first wait of all is left out.
          report.lastIsMismatch();
      }
    }
  }
  auto last = agent.lastWait.find(b);
  bool again = last != agent.lastWait.end() &&
               last->second.event->op == event.op &&
               last->second.phase == phase;
  agent.lastWait[b] = {&event, phase, fresh, agent.tick, again};
  barrier.waits.push_back({a, event.lanes, agent.tick, &event, phase, again});
  if (phase < barrier.base)
    return true;
  for (const Contribution &c : barrier.lastContributions) {
    if (c.kind != Contribution::Arrive || ctaOf(c.agent) == ctaOf(a))
      continue;
    checkScope(c.scope, effect.scope, c.agent, a, *c.event, event);
    if (effect.sem == effect::Sem::Relaxed)
      for (int lane : {electedClass, othersClass})
        if (event.lanes >> lane & 1)
          agent.relaxedFrom[lane].push_back(
              {c.agent, c.event, c.scope, effect.scope});
  }
  for (int lane : {electedClass, othersClass}) {
    if (!(event.lanes >> lane & 1))
      continue;
    Clock &clock = agent.clock[lane];
    clock.raise(shape.over(b), barrier.phase);
    if (effect.sem != effect::Sem::Relaxed) {
      clock.join(barrier.last);
      clock.raise(shape.phase(b), barrier.phase);
      continue;
    }
    // Orders memory only through an acquire fence after it.
    clock.join(barrier.last, shape.over(0), shape.overEnd());
    Clock &seen = agent.relaxedSeen[lane];
    if (seen.empty())
      seen = Clock(shape.size());
    seen.join(barrier.last);
    seen.raise(shape.phase(b), barrier.phase);
  }
  return true;
}
