//===- Obligations.cpp - what must be over at the end ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Execution.h"

#include "Bounds.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

void Execution::badBytes(uint32_t b) {
  Barrier &barrier = barriers[b];
  int64_t expected = 0, completed = 0;
  const Contribution *expect = nullptr;
  for (const Contribution &c : barrier.contributions) {
    if (c.kind == Contribution::Expect) {
      expected += c.amount;
      expect = &c;
    }
    if (c.kind == Contribution::Complete)
      completed += c.amount;
  }
  // Where some are expected by hand, beside a titan.copy_async: those.
  std::optional<std::string> fix;
  for (const Contribution &c : barrier.contributions)
    if (c.kind == Contribution::Expect && !fix)
      if ((fix = fixOfBytes(b, c)))
        expect = &c;
  const Contribution *first = expect;
  if (!first && !barrier.contributions.empty())
    first = &barrier.contributions.back();
  if (!first)
    return;
  Finding *finding = report.add(
      Code::BarrierBytes, first->event->op, nullptr,
      Twine("phase ") + Twine(barrier.phaseOfLife()) + " of barrier " +
          barrierName(b) + " expects " + Twine(expected) +
          " bytes, and the copies that complete on it bring " +
          Twine(completed));
  if (!finding)
    return;
  for (const Contribution &c : barrier.contributions)
    if (c.kind == Contribution::Complete &&
        finding->others.size() < bound::placesTold)
      finding->others.push_back(
          {c.event->op->getLoc(),
           std::to_string(c.amount) + " bytes, by " + who(c.agent, *c.event)});
  if (!fix)
    fix = fixOfOtherBarrier(b, *finding);
  if (!fix && completed < expected)
    fix = fixOfMask(b);
  if (!fix && !completed) {
    finding->fix = "no copy completes on " + barrierName(b) +
                   ": issue it, or expect no bytes";
    return;
  }
  if (!fix)
    fix = fixOfBytesOfUses(b);
  if (!fix)
    fix = fixOfSenders(b, barrier.contributions);
  if (fix)
    finding->fix = *fix;
  else
    expectOther(*finding, b, *first, completed - expected, completed);
}

void Execution::endOfAgent(uint32_t a) {
  Agent &agent = agents[a];
  for (auto &[key, s] : agent.streams) {
    auto [mechanism, lane] = key;
    const MechanismInfo &info = mechanismInfo(mechanism);
    if (!s.open.empty())
      if (Finding *finding =
              report.add(Code::TokenNotDischarged, s.open.front()->op, nullptr,
                         Twine("no group holds this operation: ") +
                             program.describe(a, s.open.front()->iteration,
                                              s.open.front()->lanes) +
                             " issues it and never commits it"))
        finding->fix =
            "commit it to a group of its mechanism behind this (" +
            std::string(info.commit) +
            "), by the thread that issues it, and wait for that group" +
            (mechanism == Mechanism::AsyncGroup
                 ? "; or let titan.cp_async.mbarrier_arrive behind it tell a "
                   "barrier of its end"
                 : "");
    // Whoever waits for the phase of a tcgen05.commit is another thread: what
    // the CTA has waited for is looked at when all have ended.
    if (info.atExit == Discharge::Nothing ||
        info.waiter == Waiter::NobodyDirectly)
      continue;
    uint32_t number = info.atExit == Discharge::SourcesRead ? shape.read(s.id)
                                                            : shape.done(s.id);
    uint32_t seen = agent.clock[lane][number];
    // Each lane's own; or a barrier tells, which is looked at when all have
    // ended.
    if (mechanism == Mechanism::AsyncGroup)
      seen = std::max({seen, agent.ownCopies[lane], agent.copiesTracked[lane]});
    for (uint32_t group = seen; group < s.commits; ++group) {
      const Event *event = s.groups[group];
      if (!event)
        continue; // an empty group
      if (report.add(
              Code::TokenNotDischarged, event->op, nullptr,
              Twine("the ") + std::string(info.name) +
                  " of this operation is not waited for" +
                  (info.atExit == Discharge::SourcesRead ? " (sources read)"
                                                         : "") +
                  " before " + program.describe(a, 0, AllLanes) + " ends"))
        report.lastIsSymptom();
      break;
    }
  }
}

void Execution::endOfAll() {
  for (uint32_t b = 0; b < barriers.size(); ++b) {
    settle(b);
    if (barriers[b].live && barriers[b].pending == 0 && barriers[b].tx != 0)
      badBytes(b);
  }
  endOfCells();
  // What each CTA knew when it ended.
  std::vector<Clock> last(program.ctas(), Clock(shape.size()));
  for (uint32_t a = 0; a < agents.size(); ++a) {
    // The clock of an end: its own past is known.
    last[ctaOf(a)].join(released(a, AllLanes));
  }
  conflicts.each([&](const AccessRecord &access) {
    if (access.cta < 0)
      return;
    const Clock &end = last[access.cta];
    Operation *op = access.event->op;
    bool over = access.mechanism
                    ? Conflicts::reached(access.kind == AccessKind::Read
                                             ? access.sourceRead
                                             : access.done,
                                         end) ||
                          Conflicts::reached(access.whole, end)
                    : conflicts.before(access, end);
    if (over)
      return;
    if (access.cta != ctaOf(access.agent))
      report.add(Code::ClusterExit, op, nullptr,
                 Twine("'") + op->getName().getStringRef() + "' of " +
                     program.describe(access.agent, access.event->iteration,
                                      access.lanes) +
                     " may access the shared memory of CTA " +
                     Twine(access.cta) + " after that has ended");
    else if (access.mechanism == Mechanism::Phase ||
             (access.mechanism == Mechanism::AsyncGroup &&
              access.whole.front().value <=
                  agents[access.agent]
                      .copyArrivals[access.lanes & Elected ? electedClass
                                                           : othersClass]))
      if (Finding *finding = report.add(
              Code::ExitWithWork, op, nullptr,
              Twine("nobody waits for '") + op->getName().getStringRef() +
                  "' of " +
                  program.describe(access.agent, access.event->iteration,
                                   access.lanes) +
                  " before the kernel ends");
          finding && access.mechanism == Mechanism::Phase &&
          access.kind == AccessKind::Read)
        // The source of a copy to a peer.
        finding->fix =
            "the copy completes on the peer's barrier, whose waits tell "
            "the peer alone: end the kernel with titan.cluster.arrive "
            "and titan.cluster.wait, behind the peer's wait; or let the "
            "peer arrive, behind its wait, at a barrier of this CTA, "
            "which waits for that";
  });
  // Arrivals at a peer's barrier.
  for (uint32_t b = 0; b < barriers.size(); ++b) {
    int cta = b / program.barriers.size();
    auto check = [&](const std::vector<Contribution> &list) {
      for (const Contribution &c : list) {
        if (ctaOf(c.agent) == cta || c.kind == Contribution::Complete)
          continue;
        bool over = true;
        for (int lane : {electedClass, othersClass})
          if (c.lanes >> lane & 1)
            over &= last[cta][shape.time(c.agent, lane)] >= c.tick;
        if (!over)
          report.add(Code::ClusterExit, c.event->op, nullptr,
                     Twine("the arrival of ") + who(c.agent, *c.event) +
                         " at barrier " + barrierName(b) +
                         " may come after that CTA has ended");
      }
    };
    check(barriers[b].lastContributions);
    check(barriers[b].contributions);
  }
}
