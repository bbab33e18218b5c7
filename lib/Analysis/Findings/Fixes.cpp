//===- Fixes.cpp - what to change about signals and waits -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code has one text for its fix; these say it with the barrier's name and the
// number that would be right: who has to signal or wait, where and for what. What
// does not add up is CountFixes.cpp's, what falls into another slot or phase is
// SlotFixes.cpp's.
//
//===----------------------------------------------------------------------===//
#include "Fixes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

std::string Execution::fixOfScope(Scope release, Operation *arrival,
                                  Scope acquire, Operation *wait) {
  // A barrier is shared by the CTAs of a cluster, global memory by those of the grid.
  const bool barrier = does<effect::Arrive>(arrival);
  const Scope least = barrier ? Scope::Cluster : Scope::Gpu;
  std::string text = std::string("write scope(") +
                     (barrier ? "cluster" : "gpu") + ")",
              separator = " on ";
  for (auto [scope, op] : {std::pair(release, arrival), {acquire, wait}})
    if (scope < least) {
      text += separator + byName(op);
      separator = " and ";
    }
  return text;
}

std::optional<PipeEnd> Execution::pipeEnd(uint32_t b) const {
  return PipeEnd::of(slotOfRing(b).first.getLoc());
}

std::string Execution::fixOfIdlePipe(const PipeEnd &end) {
  std::string pipe = "%" + end.pipe;
  if (end.order)
    return "nobody passes this turn of " + pipe + " on: a titan.pipe.signal " +
           pipe + " for each titan.pipe.wait, but for the turns that " +
           "credit(n) on titan.pipe.create gives";
  if (end.full)
    return "nobody commits the slot of " + pipe +
           " that is waited for: let titan.pipe.wait " + pipe +
           " run as often as titan.pipe.acquire and titan.pipe.commit do";
  return "this slot of " + pipe +
         " is not released: let each titan.pipe.wait " + pipe +
         " have its titan.pipe.release, the last ones of a loop, too";
}

std::optional<std::string> Execution::fixOfMissing(uint32_t b,
                                                   uint32_t waiter) const {
  const Barrier &barrier = barriers[b];
  // (Where nobody has come, a side runs less often than the other.)
  if (!barrier.pending || barrier.pending == barrier.ofPhase)
    return std::nullopt;
  auto arrives = [&](uint32_t a) {
    return llvm::any_of(barrier.contributions, [&](const Contribution &c) {
      return c.kind == Contribution::Arrive && c.agent == a;
    });
  };
  auto comes = [&](uint32_t a) {
    const AgentProgram &code = program.programs[a];
    for (uint32_t e = agents[a].next; !agents[a].done && e < code.events.size();
         ++e)
      for (uint32_t i = 0; i < code.events[e].count; ++i) {
        const Action &action = code.actions[code.events[e].first + i];
        if (action.kind == Action::Arrive && isAt(a, action, b))
          return true;
      }
    return false;
  };
  for (const Contribution &c : barrier.lastContributions)
    if (c.kind == Contribution::Arrive && c.agent != waiter &&
        !arrives(c.agent) && !comes(c.agent)) {
      if (auto end = pipeEnd(b); end && !end->full)
        return "partition " + program.agents[c.agent].partition +
               " releases fewer slots of %" + end->pipe +
               " than are filled: let it wait for each of them, and release "
               "it (titan.pipe.wait %" +
               end->pipe + ", titan.pipe.release), also what it does not read";
      return program.describe(c.agent, 0, AllLanes) + " arrived at " +
             barrierName(b) + " in phase " +
             std::to_string(barrier.phaseOfLife() - 1) +
             ", and does not in phase " +
             std::to_string(barrier.phaseOfLife()) +
             ": let it arrive in each phase, or make its last arrival a "
             "titan.mbarrier.arrive_drop, behind which phases count one less";
    }
  return std::nullopt;
}

void Execution::editConstant(Finding &finding, Operation *op, int64_t from,
                             int64_t to) {
  // Its parity, or its bytes: an index may be the same number.
  SmallVector<Value> numbers;
  effect::EffectList effects;
  cast<HardwareEffectsInterface>(op).getHardwareEffects(effects);
  for (const effect::Effect &each : effects)
    if (auto *wait = std::get_if<effect::WaitBarrier>(&each.what))
      numbers.push_back(wait->parity);
    else if (auto *expect = std::get_if<effect::ExpectTx>(&each.what))
      numbers.push_back(expect->bytes.value);
  for (Value operand : numbers) {
    APInt value;
    if (!operand || !matchPattern(operand, m_ConstantInt(&value)) ||
        value.getSExtValue() != from)
      continue;
    if (llvm::all_of(operand.getUsers(),
                     [&](Operation *user) { return user == op; }) &&
        llvm::count(op->getOperands(), operand) == 1) {
      // (What has been folded has no place; the text finds it by its name.)
      std::string type;
      llvm::raw_string_ostream(type) << operand.getType();
      finding.edits.push_back(
          {op->getLoc(), "constant " + std::to_string(from) + " : " + type,
           "constant " + std::to_string(to) + " : " + type});
    }
    return;
  }
}

/// Whether what an operation expects may differ from phase to phase: a number that is
/// no constant, or for copies of which some come under a condition.
static bool areChosen(Operation *op) {
  Operation *loop = op->getParentOfType<LoopLikeOpInterface>();
  Operation *scope = loop ? loop : op->getParentOfType<KernelOp>();
  for (const effect::ExpectTx &expect : effectsOf<effect::ExpectTx>(op)) {
    if (expect.bytes.value && !matchPattern(expect.bytes.value, m_Constant()))
      return true;
    WalkResult found = scope->walk([&](scf::IfOp branch) {
      if (branch->isAncestor(op))
        return WalkResult::advance();
      return branch->walk([&](Operation *copy) {
        for (const effect::CompleteTx &each :
             effectsOf<effect::CompleteTx>(copy))
          if (getRoot(each.barrier.barrier) == getRoot(expect.barrier.barrier))
            return WalkResult::interrupt();
        return WalkResult::advance();
      });
    });
    if (found.wasInterrupted())
      return true;
  }
  return false;
}

void Execution::expectOther(Finding &finding, uint32_t b,
                            const Contribution &expect, int64_t more,
                            int64_t brought) const {
  const Event &event = *expect.event;
  finding.fix =
      "expect " + std::to_string(brought) + " bytes at " + barrierName(b);
  if (!areChosen(event.op)) {
    finding.fix += " in each phase";
    if (expect.kind == Contribution::Expect)
      editConstant(finding, event.op, expect.amount, expect.amount + more);
    return;
  }
  finding.fix += " here in " +
                 (event.iteration ? program.describe(event.iteration)
                                  : who(expect.agent, event)) +
                 ", " + std::to_string(std::abs(more)) +
                 (more < 0 ? " fewer" : " more") +
                 ": what the copies of this phase bring";
}

std::optional<uint32_t> Execution::unheardOf(uint32_t b) const {
  std::set<uint32_t> told, waited;
  for (uint32_t a = 0; a < agents.size(); ++a) {
    const AgentProgram &code = program.programs[a];
    bool knows = false;
    for (const Event &event : code.events)
      for (uint32_t i = 0; i < event.count; ++i) {
        const Action &action = code.actions[event.first + i];
        if (action.kind == Action::WaitBarrier) {
          const uint32_t c = slot(ctaOf(a), action.object);
          waited.insert(c);
          knows |= c == b;
        } else if (action.kind == Action::Arrive && knows) {
          eachCta(a, action,
                  [&](int cta) { told.insert(slot(cta, action.object)); });
        }
      }
  }
  auto unheard =
      llvm::find_if(told, [&](uint32_t c) { return !waited.contains(c); });
  return unheard == told.end() ? std::nullopt : std::optional(*unheard);
}

std::string Execution::fixOfSignal(uint32_t b) const {
  const Barrier &barrier = barriers[b];
  if (auto stray = fixOfStraySlot(b))
    return *stray;
  if (auto cause = fixOfCause(b))
    return *cause;
  int64_t phase = barrier.phaseOfLife() - 1;
  if (auto end = pipeEnd(b))
    return end->full ? "let the thread acquire the slot that it commits "
                       "(titan.pipe.acquire %" +
                           end->pipe + "), once for each commit"
           : end->exclusive
               ? "this slot of %" + end->pipe +
                     " is another consumer's, too: a consumer of an exclusive "
                     "pipe goes past each use that another one takes, by "
                     "titan.pipe.skip %" +
                     end->pipe
               : "let the thread wait for the slot that it releases "
                 "(titan.pipe.wait %" +
                     end->pipe + "), and release it once";
  if (auto told = unheardOf(b))
    return "wait for " + barrierName(*told) +
           " before this: nobody does, and who arrives there has waited for "
           "phase " +
           std::to_string(phase) + " of " + barrierName(b);
  return "before this, wait for phase " + std::to_string(phase) + " of " +
         barrierName(b) + " (parity " + std::to_string(phase & 1) +
         "), or for a barrier at which somebody arrives who has";
}

std::string Execution::fixOfLateWait(uint32_t b, const Event &wait) const {
  const Barrier &barrier = barriers[b];
  if (auto cause = fixOfCause(b))
    return *cause;
  if (barrier.contributions.empty())
    return "";
  // By which barrier does the next phase's producer hear of this one's waiters?
  const Agent &producer = agents[barrier.contributions.back().agent];
  uint32_t heard = b, tick = 0;
  for (auto &[other, last] : producer.lastWait)
    if (other != b && last.tick >= tick) {
      heard = other;
      tick = last.tick;
    }
  if (heard == b)
    return "let who completes the next phase of " + barrierName(b) +
           " first wait for a barrier at which each thread that waits here "
           "arrives";
  // A wait is for a barrier of the CTA's own.
  int cta = b / program.barriers.size();
  std::set<uint32_t> waiters;
  for (uint32_t a = 0; a < agents.size(); ++a)
    for (const Event &event : program.programs[a].events)
      if (event.op == wait.op && ctaOf(a) == cta)
        waiters.insert(a);
  std::string name = barrierName(heard);
  int64_t counted = barriers[heard].count;
  if (counted >= static_cast<int64_t>(waiters.size()))
    return "arrive at " + name + " only behind this wait";
  return "let each of the " + std::to_string(waiters.size()) +
         " warps that wait here arrive at " + name + ", with count(" +
         std::to_string(waiters.size()) + ") and not " +
         std::to_string(counted) +
         ", or put a barrier among them before the arrival";
}

std::string Execution::fixOfNoWait(const AccessRecord &read,
                                   const AccessRecord &copy) const {
  if (copy.mechanism != Mechanism::Phase || copy.kind != AccessKind::Write ||
      read.kind != AccessKind::Read)
    return "";
  if (std::string slots = fixOfSlots(read, copy); !slots.empty())
    return slots;
  if (read.mechanism)
    return "";
  // Of a multicast, the barrier of the reader's CTA.
  int cta = ctaOf(read.agent);
  auto until = llvm::find_if(copy.done, [&](const Until &u) {
    return u.number >= shape.phase(0) &&
           u.number < shape.phase(shape.barriers) &&
           (u.number - shape.phase(0)) / program.barriers.size() ==
               static_cast<size_t>(cta);
  });
  if (until == copy.done.end())
    return "";
  uint32_t b = until->number - shape.phase(0);
  for (uint32_t a = 0; a < agents.size(); ++a) {
    const AgentProgram &code = program.programs[a];
    for (auto [number, event] : llvm::enumerate(code.events))
      for (uint32_t i = 0; i < event.count; ++i) {
        const Action &action = code.actions[event.first + i];
        if (action.kind == Action::Access) {
          const auto &access = std::get<effect::Access>(action.effect->what);
          if (access.kind != AccessKind::Read &&
              access.mechanism != Mechanism::Phase &&
              footprints[action.object].root ==
                  footprints[read.footprint].root &&
              footprints.intersect(action.object, read.footprint))
            return ""; // It may read what this has written.
        } else if (action.kind == Action::WaitBarrier && ctaOf(a) == cta &&
                   number < agents[a].next && slot(cta, action.object) == b) {
          return "";
        }
      }
  }
  int64_t phase = static_cast<int64_t>(until->value) - 1 - barriers[b].base;
  return "wait for " + barrierName(b) + " (titan.mbarrier.wait, parity " +
         std::to_string(phase & 1) +
         (ctaOf(copy.agent) != cta ? ", scope(cluster)" : "") + ") before " +
         byName(read.event->op) + " reads what the copy brings";
}

std::string Execution::fixOfDeadlock(uint32_t first) const {
  auto warp = [&](uint32_t a) { return program.describe(a, 0, AllLanes); };
  struct Step {
    uint32_t agent, barrier;
  };
  std::vector<Step> way;
  bool started = false;
  for (uint32_t a = first;;) {
    const Action &action = current(a);
    if (action.kind == Action::WaitFlag) {
      auto flag = flags.find(action.object);
      return "signal the flag until it reaches " +
             std::to_string(action.amount) +
             ": all signals together bring it to " +
             std::to_string(flag == flags.end() ? flagAtLaunch(action.object)
                                                : flag->second.value);
    }
    if (action.kind == Action::WaitGroup)
      return "let no warp wait for what another of its warpgroup does after "
             "the product, before it has issued the product itself";
    if (action.kind == Action::ThreadBarrier)
      if (const auto &effect =
              std::get<effect::ThreadBarrier>(action.effect->what);
          effect.kind == effect::ThreadBarrier::Named) {
        const NamedBarrier &barrier = named[namedIndex(a, action.amount)];
        std::string all = std::to_string(barrier.threads);
        std::string come = std::to_string(barrier.come);
        if (effect.threads == 0)
          return "the CTA's barrier waits for all " + all + " threads, and " +
                 come + " come: let the others come, too, or let these meet " +
                 "at a named barrier of " + come + " threads";
        return "named barrier " + std::to_string(action.amount) +
               " waits for " + all + " threads, and " + come +
               " come: give that number, or let the others come, too";
      }
    if (action.kind != Action::WaitBarrier)
      return "";
    uint32_t b = slot(ctaOf(a), action.object);
    const Barrier &barrier = barriers[b];
    started |= barrier.phaseOfLife() > 0;
    // Who never comes again is missing, whoever else has yet to come.
    if (auto missing = fixOfMissing(b, a))
      return *missing;
    auto next = signaller(b);
    if (!next) {
      if (auto uncounted = fixOfUncounted(b))
        return *uncounted;
      if (auto end = pipeEnd(b))
        return fixOfIdlePipe(*end);
      if (!arrivalsAt(b).second)
        return "nothing ever arrives at " + barrierName(b) + ": let " +
               std::to_string(barrier.ofPhase) + " arrive in each phase";
      return barrierName(b) +
             " is waited for once more than it is signalled (" +
             std::to_string(barrier.phaseOfLife()) +
             (barrier.phaseOfLife() == 1 ? " phase" : " phases") +
             "): let both sides run equally often";
    }
    if (*next == a && barrier.pending == 0)
      return "bytes that " + barrierName(b) +
             " expects are those of copies that this thread issues only "
             "behind this wait: move the wait behind the last of them, out of "
             "their loop";
    way.push_back({a, b});
    auto met = llvm::find_if(
        way, [&](const Step &step) { return step.agent == *next; });
    if (met == way.end()) {
      a = *next;
      continue;
    }
    std::string text, begins;
    bool piped = false;
    for (auto step = met; step != way.end(); ++step) {
      const Step &by = step + 1 == way.end() ? *met : *(step + 1);
      auto end = pipeEnd(step->barrier);
      piped |= end.has_value();
      if (end && end->order && !barriers[step->barrier].phaseOfLife())
        begins = "; or begin with a turn: credit(1) where %" + end->pipe +
                 " is created";
      text += (text.empty() ? "" : ", and ") + barrierName(step->barrier) +
              " is signalled by " + warp(by.agent) +
              " only after its wait for " + barrierName(by.barrier);
    }
    return "let one of them signal before it waits: " + text + begins +
           (started || piped
                ? ""
                : " (a first wait for a free slot takes parity 1)");
  }
}
