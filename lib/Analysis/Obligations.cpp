//===- Obligations.cpp - deadlocks, and what must be over at the end ------===//
#include "Execution.h"

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
    if (c.kind == Contribution::Complete && finding->others.size() < 8)
      finding->others.push_back(
          {c.event->op->getLoc(),
           std::to_string(c.amount) + " bytes, by " + who(c.agent, *c.event)});
  finding->fix = "expect " + std::to_string(completed) + " bytes";
}

void Execution::deadlock() {
  // A barrier whose arrivals are all there and whose bytes are not, or one that
  // misses arrivals that nobody is left to make, is the cause and not the
  // symptom.
  bool explained = false;
  Report::Stop stop(report);
  for (uint32_t b = 0; b < barriers.size(); ++b)
    if (barriers[b].live && barriers[b].pending == 0 && barriers[b].tx != 0) {
      badBytes(b);
      explained = true;
    }
  std::vector<std::string> stands;
  const Event *firstEvent = nullptr;
  uint32_t firstAgent = 0;
  bool firstAtThreads = false;
  std::vector<std::pair<const Event *, uint32_t>> places;
  for (uint32_t a = 0; a < agents.size(); ++a) {
    const Agent &agent = agents[a];
    if (agent.done)
      continue;
    const AgentProgram &code = program.programs[a];
    const Event &event = code.events[agent.next];
    const Action &action = code.actions[event.first + agent.nextAction];
    std::string line = who(a, event);
    if (action.kind == Action::WaitBarrier) {
      uint32_t b = slot(ctaOf(a), action.object);
      const Barrier &barrier = barriers[b];
      line += " waits for barrier " + barrierName(b) + ", parity " +
              std::to_string(action.amount) + ": phase " +
              std::to_string(barrier.phaseOfLife()) + " misses " +
              std::to_string(barrier.pending) + " of " +
              std::to_string(barrier.expected) + " arrivals and " +
              std::to_string(barrier.tx) + " bytes";
      // It waits for a phase without knowing that the one before is over:
      // earlier, the same wait would have meant another phase.
      uint32_t seen =
          agent.clock[event.lanes & Elected ? electedClass : othersClass]
                     [shape.over(b)];
      if (seen < barrier.phase) {
        const Event *other = barrier.lastContributions.empty()
                                 ? nullptr
                                 : barrier.lastContributions.back().event;
        explained = true;
        if (Finding *finding = report.add(
                Code::PhaseAmbiguous, event.op, other ? other->op : nullptr,
                Twine("this wait of ") + who(a, event) +
                    " comes too late: phase " +
                    Twine(barrier.phaseOfLife() - 1) + " of barrier " +
                    barrierName(b) +
                    " can be over before it is executed, and by its parity "
                    "it then waits for phase " +
                    Twine(barrier.phaseOfLife())))
          if (other)
            finding->others.push_back(
                {other->op->getLoc(),
                 "phase " + std::to_string(barrier.phaseOfLife() - 1) +
                     " is completed here"});
      }
      // Some of the phase is there, and those who could bring the rest have
      // ended.
      int64_t come = barrier.expected - barrier.pending;
      bool bytes = llvm::any_of(barrier.contributions, [](auto &c) {
        return c.kind != Contribution::Arrive;
      });
      if (barrier.pending > 0 && (come > 0 || bytes)) {
        const Event *other = barrier.contributions.back().event;
        if (Finding *finding =
                report.add(Code::BarrierArrivals, event.op, other->op,
                           Twine("this wait never returns: phase ") +
                               Twine(barrier.phaseOfLife()) + " of barrier " +
                               barrierName(b) + " has " + Twine(come) + " of " +
                               Twine(barrier.expected) + " arrivals")) {
          finding->others.push_back(
              {other->op->getLoc(),
               "part of the phase, by " +
                   who(barrier.contributions.back().agent, *other)});
          finding->others.push_back({barrier.initEvent->op->getLoc(),
                                     "the barrier's count is given here"});
        }
      }
    } else if (action.kind == Action::WaitFlag) {
      line += " waits for a flag";
      // CTAs that were not looked at may signal it.
      if (!program.all) {
        explained = true;
        report.add(Code::Undecided, event.op, nullptr,
                   Twine("this flag may be signalled by CTAs beyond the ") +
                       Twine(program.ctas()) + " that the checker looks at");
      }
    } else if (action.kind == Action::WaitGroup) {
      line += " waits for products that not all warps of its warpgroup have "
              "issued";
    } else if (action.kind == Action::AllocCells) {
      line += " waits for the other CTA of its pair to allocate";
    } else if (action.kind == Action::ThreadBarrier) {
      const auto &effect = std::get<effect::ThreadBarrier>(action.effect->what);
      if (effect.kind == effect::ThreadBarrier::Named) {
        const NamedBarrier &barrier = named[16 * ctaOf(a) + action.amount];
        line += " waits at named barrier " + std::to_string(action.amount) +
                ": " + std::to_string(barrier.come) + " of " +
                std::to_string(barrier.threads) + " threads have come";
      } else
        line += " waits at the cluster's barrier";
    }
    stands.push_back(line);
    // Who stands at a barrier of threads waits for one of the others here.
    bool atThreads = action.kind == Action::ThreadBarrier;
    if (!firstEvent || (firstAtThreads && !atThreads)) {
      firstEvent = &event;
      firstAgent = a;
      firstAtThreads = atThreads;
    }
    bool known = false;
    for (auto &place : places)
      known |= place.first->op == event.op;
    if (!known)
      places.push_back({&event, a});
  }
  if (!firstEvent || explained)
    return;
  std::string ended;
  for (uint32_t a = 0; a < agents.size(); ++a)
    if (agents[a].done)
      ended +=
          (ended.empty() ? "" : ", ") + std::to_string(program.agents[a].warp);
  Finding *finding =
      report.add(Code::Deadlock, firstEvent->op, nullptr,
                 who(firstAgent, *firstEvent) + " waits here for ever");
  if (!finding)
    return;
  for (auto [event, agent] : places)
    if (event->op != firstEvent->op)
      finding->others.push_back(
          {event->op->getLoc(), "waits here: " + who(agent, *event)});
  finding->events = stands;
  if (!ended.empty())
    finding->events.push_back("ended: warps " + ended);
}

void Execution::endOfAgent(uint32_t a) {
  Agent &agent = agents[a];
  for (auto &[key, s] : agent.streams) {
    auto [mechanism, lane] = key;
    const MechanismInfo &info = mechanismInfo(mechanism);
    if (!s.open.empty())
      report.add(Code::TokenNotDischarged, s.open.front()->op, nullptr,
                 Twine("no group holds this operation: ") +
                     program.describe(a, s.open.front()->iteration,
                                      s.open.front()->lanes) +
                     " issues it and never commits it");
    // Whoever waits for the phase of a tcgen05.commit is another thread: what
    // the CTA has waited for is looked at when all have ended.
    if (info.atExit == Discharge::Nothing ||
        info.waiter == Waiter::NobodyDirectly)
      continue;
    uint32_t number = info.atExit == Discharge::SourcesRead ? shape.read(s.id)
                                                            : shape.done(s.id);
    uint32_t seen = agent.clock[lane][number];
    for (uint32_t group = seen; group < s.commits; ++group) {
      const Event *event = s.groups[group];
      if (!event)
        continue; // an empty group
      report.add(
          Code::TokenNotDischarged, event->op, nullptr,
          Twine("the ") + std::string(info.name) +
              " of this operation is not waited for" +
              (info.atExit == Discharge::SourcesRead ? " (sources read)" : "") +
              " before " + program.describe(a, 0, AllLanes) + " ends");
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
                                         end)
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
    else if (access.mechanism == Mechanism::Phase)
      report.add(Code::ExitWithWork, op, nullptr,
                 Twine("nobody waits for '") + op->getName().getStringRef() +
                     "' of " +
                     program.describe(access.agent, access.event->iteration,
                                      access.lanes) +
                     " before the kernel ends");
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
