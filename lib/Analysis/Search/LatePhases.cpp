//===- LatePhases.cpp - copies that miss the phase they are meant for -----===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a phase that is over too early is told by: an arrival before its copy, fewer
// bytes expected than are brought, a wait that returns for another phase.
//
//===----------------------------------------------------------------------===//
#include "Execution.h"

#include "Bounds.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

bool Execution::arrivedBefore(uint32_t a, const Event &copy, uint32_t b) {
  const Event *arrival = arrivalBefore(a, copy, b);
  if (!arrival)
    return false;
  Report::Stop stop(report);
  if (Finding *finding = report.add(
          Code::BarrierBytes, copy.op, arrival->op,
          Twine(who(a, copy)) + " has arrived at barrier " + barrierName(b) +
              " before this copy, which is where the phase learns "
              "of its bytes: it can complete without them")) {
    finding->others.push_back({arrival->op->getLoc(), "arrives here"});
    finding->fix = fixOfOrder(*arrival);
  }
  aborted = true;
  return true;
}

bool Execution::expectsTooFew(uint32_t a, const Event &copy, uint32_t b) {
  Barrier &barrier = barriers[b];
  // Its thread has brought bytes of the phase before, and not signalled since.
  const AgentProgram &code = program.programs[a];
  auto signals = [&](const Event &event, bool copies) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < event.count; ++i) {
      const Action &action = code.actions[event.first + i];
      if (copies ? action.kind == Action::CompleteTx
                 : action.kind == Action::Arrive ||
                       action.kind == Action::ExpectTx)
        eachCta(a, action, [&](int cta) {
          if (slot(cta, action.object) == b)
            bytes += copies ? action.amount : 1;
        });
    }
    return bytes;
  };
  int64_t expected = 0, brought = 0;
  const Contribution *expect = nullptr;
  const Event *before = nullptr;
  for (const Contribution &c : barrier.lastContributions) {
    if (c.kind == Contribution::Expect) {
      expected += c.amount;
      expect = &c;
    }
    if (c.kind == Contribution::Complete) {
      brought += c.amount;
      if (c.agent == a)
        before = c.event;
    }
  }
  if (!expect)
    return false;
  std::vector<Contribution> late;
  auto comesLate = [&](uint32_t agent, const Event *event, int64_t bytes) {
    late.push_back({Contribution::Complete, agent, Elected, 0, event, bytes,
                    Scope::Cluster});
    brought += bytes;
  };
  if (before) {
    const Event *end = code.events.data() + code.events.size();
    for (const Event *event = before + 1; event < end; ++event) {
      if (signals(*event, /*copies=*/false)) {
        if (event < &copy)
          return false;
        break;
      }
      if (int64_t bytes = signals(*event, /*copies=*/true))
        comesLate(a, event, bytes);
    }
  } else {
    // Others' parts of this very operation were of the phase before; so are meant
    // to be all that stands beside it, in this iteration.
    const std::vector<int64_t> iteration = indicesOf(copy.iteration);
    auto isBefore = [&](uint32_t agent, Operation *op) {
      return llvm::any_of(barrier.lastContributions,
                          [&](const Contribution &c) {
                            return c.kind == Contribution::Complete &&
                                   c.agent == agent && c.event->op == op &&
                                   indicesOf(c.event->iteration) == iteration;
                          });
    };
    bool others = false;
    for (uint32_t other = 0; other < agents.size(); ++other)
      others |= isBefore(other, copy.op);
    if (!others)
      return false;
    for (uint32_t other = 0; other < agents.size(); ++other)
      for (const Event &event : program.programs[other].events) {
        if (event.op->getBlock() != copy.op->getBlock() ||
            indicesOf(event.iteration) != iteration)
          continue;
        for (uint32_t i = 0; i < event.count; ++i) {
          const Action &action =
              program.programs[other].actions[event.first + i];
          if (action.kind != Action::CompleteTx || !isAt(other, action, b) ||
              isBefore(other, event.op))
            continue;
          const auto &complete =
              std::get<effect::CompleteTx>(action.effect->what);
          bool each = event.cardinality == effect::Cardinality::EveryThread;
          comesLate(other, &event,
                    action.amount *
                        (each ? program.times(event, complete.by) : 1));
        }
      }
  }
  Report::Stop stop(report);
  if (Finding *finding = report.add(
          Code::BarrierBytes, expect->event->op, copy.op,
          Twine("phase ") + Twine(barrier.phaseOfLife() - 1) + " of barrier " +
              barrierName(b) + " expects " + Twine(expected) +
              " bytes, and the copies that are meant for it bring " +
              Twine(brought) + ": it is over when " + Twine(expected) +
              " have come")) {
    for (const Contribution &c : barrier.lastContributions)
      if (c.kind == Contribution::Complete &&
          finding->others.size() < bound::placesTold)
        finding->others.push_back(
            {c.event->op->getLoc(), std::to_string(c.amount) + " bytes, by " +
                                        who(c.agent, *c.event)});
    std::vector<Contribution> copies = barrier.lastContributions;
    copies.insert(copies.end(), late.begin(), late.end());
    for (const Contribution &c : late)
      if (finding->others.size() < bound::placesTold)
        finding->others.push_back(
            {c.event->op->getLoc(),
             std::to_string(c.amount) +
                 " bytes, for which it does not wait, by " +
                 who(c.agent, *c.event)});
    auto fix = fixOfSenders(b, copies);
    if (!fix)
      fix = fixOfOtherBarrier(b, *finding);
    for (const Contribution &c : late)
      if (!fix)
        fix = fixOfNextUse(b, c);
    if (fix)
      finding->fix = *fix;
    else
      expectOther(*finding, b, *expect, brought - expected, brought);
  }
  aborted = true;
  return true;
}

bool Execution::waitedTooEarly(const AccessRecord &read) {
  if (read.mechanism)
    return false; // By an engine, later.
  const Agent &reader = agents[read.agent];
  for (uint32_t a = 0; a < agents.size(); ++a) {
    const AgentProgram &code = program.programs[a];
    for (size_t next = agents[a].next; next < code.events.size(); ++next) {
      const Event &copy = code.events[next];
      bool fills = false;
      uint32_t b = 0;
      const Agent::LastWait *last = nullptr;
      for (uint32_t i = 0; i < copy.count; ++i) {
        const Action &action = code.actions[copy.first + i];
        if (action.kind == Action::Access &&
            std::get<effect::Access>(action.effect->what).kind !=
                AccessKind::Read &&
            footprints[action.object].root == footprints[read.footprint].root &&
            footprints.intersect(action.object, read.footprint))
          eachCta(a, action, [&](int cta) { fills |= cta == read.cta; });
        if (action.kind == Action::CompleteTx)
          eachCta(a, action, [&](int cta) {
            auto wait = reader.lastWait.find(slot(cta, action.object));
            if (cta == read.cta && wait != reader.lastWait.end()) {
              b = wait->first;
              last = &wait->second;
            }
          });
      }
      if (!fills)
        continue;
      if (!last)
        return false;
      const Barrier &barrier = barriers[b];
      if (!(last->phase < barrier.base || last->again))
        return false;
      Report::Stop stop(report);
      int64_t phase = barrier.phaseOfLife();
      int64_t parity = (last->phase - barrier.base) & 1;
      if (Finding *finding = report.add(
              Code::PhaseParity, last->event->op, read.event->op,
              Twine("this wait returns before the phase that '") +
                  copy.op->getName().getStringRef() + "' completes: phase " +
                  Twine(phase) + " of barrier " + barrierName(b) +
                  " is not over and has parity " + Twine(phase & 1) +
                  ", and parity " + Twine(parity) + " is answered at once")) {
        finding->others.push_back(
            {read.event->op->getLoc(), "accessed here by " +
                                           who(read.agent, *read.event) +
                                           ": nothing has been written yet"});
        finding->others.push_back(
            {copy.op->getLoc(), "written only here, by " + who(a, copy)});
        finding->fix = fixOfParity(b, barrier.phase);
        editConstant(*finding, last->event->op, parity, phase & 1);
      }
      const std::vector<Event> &events = program.programs[read.agent].events;
      for (const Event *event = last->event;
           event < events.data() + reader.next; ++event)
        report.misled.insert(event->op);
      report.misled.insert(read.event->op);
      aborted = true;
      return true;
    }
  }
  return false;
}

std::optional<Conflicts::Cause>
Execution::returnedEarly(const AccessRecord &access, const AccessRecord &copy) {
  for (const Until &until : copy.done) {
    // A phase of a barrier; groups and rounds are no phases.
    if (until.number < shape.phase(0) ||
        until.number >= shape.phase(shape.barriers))
      continue;
    uint32_t b = until.number - shape.phase(0), phase = until.value - 1;
    const PhaseWait *last = nullptr;
    for (const PhaseWait &wait : barriers[b].waits)
      if (wait.agent == access.agent && wait.tick <= access.tick)
        last = &wait;
    if (!last || last->phase + 1 != phase ||
        !(last->phase < barriers[b].base || last->again))
      continue;
    // What the thread has read behind it, and what comes next, follows from it.
    const std::vector<Event> &events = program.programs[access.agent].events;
    for (const Event *event = last->event;
         event < events.data() + agents[access.agent].next; ++event)
      report.misled.insert(event->op);
    aborted = true;
    return Conflicts::Cause{Code::PhaseParity, last->event->op,
                            fixOfParity(b, phase)};
  }
  return std::nullopt;
}
