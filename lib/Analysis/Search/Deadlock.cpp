//===- Deadlock.cpp - nobody can go on: who waits for what ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Execution.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

const Action &Execution::current(uint32_t a) const {
  const AgentProgram &code = program.programs[a];
  return code.actions[code.events[agents[a].next].first + agents[a].nextAction];
}

std::optional<uint32_t> Execution::signaller(uint32_t b) const {
  for (uint32_t a = 0; a < agents.size(); ++a) {
    const AgentProgram &code = program.programs[a];
    for (uint32_t e = agents[a].next; !agents[a].done && e < code.events.size();
         ++e)
      for (uint32_t i = 0; i < code.events[e].count; ++i) {
        const Action &action = code.actions[code.events[e].first + i];
        bool signals =
            action.kind == Action::Arrive ||
            (barriers[b].pending == 0 && action.kind == Action::CompleteTx);
        if (signals && isAt(a, action, b))
          return a;
      }
  }
  return std::nullopt;
}

bool Execution::isAt(uint32_t a, const Action &action, uint32_t b) const {
  bool meant = false;
  eachCta(a, action, [&](int cta) { meant |= slot(cta, action.object) == b; });
  return meant;
}

bool Execution::bytesAreToCome(uint32_t b) const {
  for (uint32_t a = 0; a < agents.size(); ++a) {
    const AgentProgram &code = program.programs[a];
    bool later = false; // of a later phase
    for (uint32_t e = agents[a].next;
         !agents[a].done && !later && e < code.events.size(); ++e)
      for (uint32_t i = 0; i < code.events[e].count; ++i) {
        const Action &action = code.actions[code.events[e].first + i];
        if (action.kind == Action::CompleteTx && isAt(a, action, b))
          return true;
        later |= (action.kind == Action::Arrive ||
                  action.kind == Action::ExpectTx) &&
                 isAt(a, action, b);
        if (later)
          break;
      }
  }
  return false;
}

bool Execution::waitsTooLate(uint32_t a, const Event &event,
                             const Action &action) {
  uint32_t b = slot(ctaOf(a), action.object);
  const Barrier &barrier = barriers[b];
  // It waits for a phase without knowing that the one before is over: earlier,
  // the same wait would have meant another phase.
  int lane = event.lanes & Elected ? electedClass : othersClass;
  uint32_t seen = agents[a].clock[lane][shape.over(b)];
  if (seen >= barrier.phase)
    return false;
  const Event *other = barrier.lastContributions.empty()
                           ? nullptr
                           : barrier.lastContributions.back().event;
  if (Finding *finding = report.add(
          Code::PhaseAmbiguous, event.op, other ? other->op : nullptr,
          Twine("this wait of ") + who(a, event) + " comes too late: phase " +
              Twine(barrier.phaseOfLife() - 1) + " of barrier " +
              barrierName(b) +
              " can be over before it is executed, and by its parity it then "
              "waits for phase " +
              Twine(barrier.phaseOfLife()))) {
    if (other)
      finding->others.push_back(
          {other->op->getLoc(), "phase " +
                                    std::to_string(barrier.phaseOfLife() - 1) +
                                    " is completed here"});
    finding->fix = fixOfCause(b).value_or(fixOfParity(b, seen));
    editParity(*finding, event.op, action.amount, b, seen);
    lastMayBeMismatch(b);
  }
  return true;
}

bool Execution::missesArrivals(uint32_t a, const Event &event,
                               const Action &action) {
  uint32_t b = slot(ctaOf(a), action.object);
  const Barrier &barrier = barriers[b];
  int64_t come = barrier.ofPhase - barrier.pending;
  bool bytes = llvm::any_of(barrier.contributions, [](auto &c) {
    return c.kind != Contribution::Arrive;
  });
  if (barrier.pending == 0 || (come == 0 && !bytes))
    return false;
  int64_t all = arrivalsAt(b).second;
  bool tooFew = all > 0 && all < barrier.ofPhase;
  const Contribution &last = barrier.contributions.back();
  Finding *finding = report.add(
      Code::BarrierArrivals, event.op, last.event->op,
      Twine("this wait never returns: phase ") + Twine(barrier.phaseOfLife()) +
          " of barrier " + barrierName(b) + " has " + Twine(come) + " of " +
          Twine(barrier.ofPhase) + " arrivals");
  if (!finding)
    return tooFew;
  if (!tooFew)
    report.lastIsSymptom();
  finding->others.push_back(
      {last.event->op->getLoc(),
       "part of the phase, by " + who(last.agent, *last.event)});
  finding->others.push_back(
      {barrier.initEvent->op->getLoc(), "the barrier's count is given here"});
  finding->fix = tooFew ? fixOfCount(b, all) : fixOfDeadlock(a);
  if (tooFew)
    editCount(*finding, b, all);
  return tooFew;
}

std::string Execution::describeWait(uint32_t a, const Event &event,
                                    const Action &action) const {
  std::string line = who(a, event) + ": ";
  switch (action.kind) {
  case Action::WaitBarrier: {
    uint32_t b = slot(ctaOf(a), action.object);
    const Barrier &barrier = barriers[b];
    return line + "waits for barrier " + barrierName(b) + ", parity " +
           std::to_string(action.amount) + ": phase " +
           std::to_string(barrier.phaseOfLife()) + " misses " +
           std::to_string(barrier.pending) + " of " +
           std::to_string(barrier.ofPhase) + " arrivals and " +
           std::to_string(barrier.tx) + " bytes";
  }
  case Action::WaitFlag:
    return line + "waits for a flag";
  case Action::WaitGroup:
    return line + "waits for a product that not all four warps have issued";
  case Action::AllocCells:
    return line + "waits for the other CTA of its pair to allocate";
  case Action::ThreadBarrier: {
    const auto &effect = std::get<effect::ThreadBarrier>(action.effect->what);
    if (effect.kind != effect::ThreadBarrier::Named)
      return line + "waits at the cluster's barrier";
    const NamedBarrier &barrier = named[namedIndex(a, action.amount)];
    return line + "waits at " +
           (effect.threads ? "named barrier " + std::to_string(action.amount)
                           : "the CTA's barrier") +
           ": " + std::to_string(barrier.come) + " of " +
           std::to_string(barrier.threads) + " threads have come";
  }
  default:
    return who(a, event);
  }
}

void Execution::deadlock() {
  // A barrier whose arrivals are all there and whose bytes are not, or one that
  // misses arrivals that nobody is left to make, is the cause and not the
  // symptom. One whose bytes somebody would bring who stands elsewhere is a symptom.
  bool explained = false;
  Report::Stop stop(report);
  for (uint32_t b = 0; b < barriers.size(); ++b)
    if (barriers[b].live && barriers[b].pending == 0 && barriers[b].tx != 0 &&
        !(barriers[b].tx > 0 && bytesAreToCome(b))) {
      badBytes(b);
      explained = true;
    }
  // Warps of a partition that are at one place are told together: "CTA 0, partition
  // load, warp", their ranks, and what is said of each.
  struct Alike {
    std::string of, ranks, what;
  };
  std::vector<Alike> stands, ended;
  auto tell = [&](std::vector<Alike> &all, uint32_t a, StringRef line) {
    std::string name = program.describe(a, 0, AllLanes);
    auto [of, rank] = StringRef(name).rsplit(' ');
    StringRef what = line.drop_front(name.size());
    auto found = llvm::find_if(all, [&](const Alike &known) {
      return known.of == of && known.what == what;
    });
    if (found == all.end())
      all.push_back({of.str(), rank.str(), what.str()});
    else
      found->ranks += ", " + rank.str();
  };
  struct Stand {
    const Event *event;
    uint32_t agent;
  };
  std::optional<Stand> first;
  bool firstAtThreads = false;
  std::vector<Stand> places;
  for (uint32_t a = 0; a < agents.size(); ++a) {
    const Agent &agent = agents[a];
    if (agent.done) {
      tell(ended, a, program.describe(a, 0, AllLanes) + ": ended");
      continue;
    }
    const Event &event = program.programs[a].events[agent.next];
    const Action &action = current(a);
    if (action.kind == Action::WaitBarrier) {
      explained |= waitsTooLate(a, event, action);
      explained |= missesArrivals(a, event, action);
    } else if (action.kind == Action::WaitFlag && !program.all) {
      // CTAs that were not looked at may signal it.
      explained = true;
      report.add(Code::Undecided, event.op, nullptr,
                 Twine("this flag may be signalled by CTAs beyond the ") +
                     Twine(program.ctas()) + " that the checker looks at");
    }
    tell(stands, a, describeWait(a, event, action));
    // Who stands at a barrier of threads waits for one of the others here.
    bool atThreads = action.kind == Action::ThreadBarrier;
    if (!first || (firstAtThreads && !atThreads)) {
      first = {&event, a};
      firstAtThreads = atThreads;
    }
    if (llvm::none_of(places, [&](const Stand &place) {
          return place.event->op == event.op;
        }))
      places.push_back({&event, a});
  }
  if (!first || explained)
    return;
  Finding *finding =
      report.add(Code::Deadlock, first->event->op, nullptr,
                 who(first->agent, *first->event) + " waits here for ever");
  if (!finding)
    return;
  for (const Stand &place : places)
    if (place.event->op != first->event->op)
      finding->others.push_back(
          {place.event->op->getLoc(),
           "waits here: " + who(place.agent, *place.event)});
  for (const auto *all : {&stands, &ended})
    for (const auto &[of, ranks, what] : *all)
      finding->events.push_back(
          of + (StringRef(ranks).contains(',') ? "s " : " ") + ranks + what);
  finding->fix = fixOfDeadlock(first->agent);
}
