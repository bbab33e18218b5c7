//===- CountFixes.cpp - arrivals and bytes that do not add up -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many arrive at a barrier, and what its count says; what is expected there, and
// what copies bring. Each text begins with what was counted, so that it is seen which
// of the two sides is meant.
//
//===----------------------------------------------------------------------===//
#include "Fixes.h"

#include "titan/Dialect/Titan/CopyAsync.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

int64_t Execution::arrivalsOf(Operation *op, uint32_t b) const {
  int64_t sum = 0;
  auto once = [&](uint32_t a) -> int64_t {
    const AgentProgram &code = program.programs[a];
    for (const Event &event : code.events)
      for (uint32_t i = 0; event.op == op && i < event.count; ++i) {
        const Action &action = code.actions[event.first + i];
        if (action.kind != Action::Arrive)
          continue;
        bool meant = false;
        eachCta(a, action,
                [&](int cta) { meant |= slot(cta, action.object) == b; });
        if (meant)
          return action.amount *
                 program.times(
                     event, std::get<effect::Arrive>(action.effect->what).by);
      }
    return 0;
  };
  for (uint32_t a = 0; a < agents.size(); ++a)
    sum += once(a);
  return sum;
}

llvm::SetVector<Operation *> Execution::arrivalOps(Lanes by) const {
  llvm::SetVector<Operation *> ops;
  for (const AgentProgram &code : program.programs)
    for (const Event &event : code.events)
      for (uint32_t i = 0; i < event.count; ++i)
        if (code.actions[event.first + i].kind == Action::Arrive &&
            (event.lanes & by) == by)
          ops.insert(event.op);
  return ops;
}

/// The barrier, as the operation names it: of the own CTA, or a peer's.
static Value arrivedAt(Operation *op) {
  effect::EffectList effects;
  cast<HardwareEffectsInterface>(op).getHardwareEffects(effects);
  for (const effect::Effect &each : effects)
    if (auto *arrive = std::get_if<effect::Arrive>(&each.what))
      return arrive->barrier.barrier;
  return {};
}

std::pair<int64_t, int64_t> Execution::arrivalsAt(uint32_t b) const {
  int64_t most = 0, sum = 0;
  for (Operation *op : arrivalOps()) {
    int64_t arrivals = arrivalsOf(op, b), together = arrivals;
    sum += arrivals;
    // Beside an arrival at the own CTA's barrier one at a peer's.
    if (arrivals)
      for (Operation *other : arrivalOps())
        if (other->getBlock() == op->getBlock() &&
            arrivedAt(other) != arrivedAt(op))
          together += arrivalsOf(other, b);
    most = std::max(most, together);
  }
  return {most, sum};
}

/// Whether an operation's arrivals are made when the thread's copies are done
/// (cp.async.mbarrier.arrive), and whether the barrier's count is to have them.
enum class Tracks { Nothing, Uncounted, Counted };
static Tracks tracksCopies(Operation *op) {
  effect::EffectList effects;
  cast<HardwareEffectsInterface>(op).getHardwareEffects(effects);
  for (const effect::Effect &each : effects)
    if (auto *arrive = std::get_if<effect::Arrive>(&each.what);
        arrive && arrive->after == Mechanism::AsyncGroup)
      return arrive->increments ? Tracks::Uncounted : Tracks::Counted;
  return Tracks::Nothing;
}

std::optional<std::string> Execution::fixOfUncounted(uint32_t b) const {
  for (Operation *op : arrivalOps())
    if (tracksCopies(op) == Tracks::Uncounted && arrivalsOf(op, b) &&
        arrivalsOf(op, b) == arrivalsAt(b).second)
      return byName(op) +
             " adds the arrivals that it makes to the phase: write `noinc`, or "
             "let each thread arrive behind it (titan.mbarrier.arrive), as "
             "count(" +
             std::to_string(barriers[b].count) + ") says";
  return std::nullopt;
}

void Execution::lastMayBeMismatch(uint32_t b) {
  if (arrivalsAt(b).first > barriers[b].count)
    report.lastIsMismatch();
}

int64_t Execution::warpsOfLanes(uint32_t b) const {
  int64_t most = 0;
  for (Operation *op : arrivalOps(AllLanes)) {
    most = std::max(most, arrivalsOf(op, b));
    // Each thread that tells the barrier of its copies arrives behind that.
    if (tracksCopies(op) == Tracks::Uncounted && arrivalsOf(op, b))
      return 0;
  }
  return most > barriers[b].count ? most / program.lanes : 0;
}

std::optional<std::string> Execution::fixOfLanes(uint32_t b) const {
  int64_t warps = warpsOfLanes(b);
  if (!warps)
    return std::nullopt;
  return "put the arrival under titan.elect (one lane of each warp arrives)" +
         (warps == barriers[b].count
              ? ""
              : ", with count(" + std::to_string(warps) + ")");
}

std::string Execution::fixOfCount(uint32_t b, int64_t arrivals) const {
  int64_t expected = barriers[b].count;
  std::string change =
      arrivals > expected ? ", or take " + std::to_string(arrivals - expected) +
                                " of the arrivals away"
                          : ", or let each phase have " +
                                std::to_string(expected - arrivals) + " more";
  auto lanes = fixOfLanes(b);
  if (lanes)
    change.clear();
  return (lanes ? *lanes + "; or " : "") + "initialise " + barrierName(b) +
         " with count(" + std::to_string(arrivals) + ")" + change + ": " +
         std::to_string(arrivals) + (arrivals == 1 ? " arrives" : " arrive") +
         " in a phase, and it counts " + std::to_string(expected);
}

void Execution::editCount(Finding &finding, uint32_t b,
                          int64_t arrivals) const {
  // Where one lane of each warp would do for the count that is written, it is the
  // arrival's mistake.
  if (warpsOfLanes(b) != barriers[b].count)
    finding.edits.push_back({barriers[b].initEvent->op->getLoc(),
                             "count(" + std::to_string(barriers[b].count) + ")",
                             "count(" + std::to_string(arrivals) + ")"});
}

void Execution::editCause(Finding &finding, uint32_t b) const {
  if (int64_t most = arrivalsAt(b).first; most > barriers[b].count)
    editCount(finding, b, most);
}

std::optional<std::string> Execution::fixOfCause(uint32_t b) const {
  if (int64_t most = arrivalsAt(b).first; most > barriers[b].count)
    return fixOfCount(b, most);
  // Of the copies' own arrivals, and of others beside them, one is counted.
  for (Operation *op : arrivalOps()) {
    int64_t own = arrivalsOf(op, b), all = own;
    if (!own || tracksCopies(op) != Tracks::Counted)
      continue;
    for (Operation *other : arrivalOps())
      if (other != op && other->getBlock() == op->getBlock())
        all += arrivalsOf(other, b);
    if (all > own && all > barriers[b].count)
      return "without `noinc` " + byName(op) +
             " takes no part in the count of " + barrierName(b) +
             ", and the arrivals beside it fill that: leave `noinc` out, or "
             "initialise with count(" +
             std::to_string(all) + ")";
  }
  for (uint32_t a = 0; a < agents.size(); ++a)
    for (auto &[waited, last] : agents[a].lastWait)
      if (last.again) {
        const int64_t phase = last.phase - barriers[waited].base;
        return program.describe(a, 0, AllLanes) + " waits twice for " +
               (phase < 0 ? "the phase before the first one"
                          : "phase " + std::to_string(phase)) +
               " of " + barrierName(waited) + " (parity " +
               std::to_string(phase & 1) +
               "): its next wait there takes parity " +
               std::to_string((phase + 1) & 1);
      }
  return std::nullopt;
}

/// Whether a titan.copy_async has become this expectation.
static bool isOfCopyAsync(Operation *op) {
  return op->hasAttr(ofCopyAsync) && does<effect::ExpectTx>(op);
}

const Event *Execution::arrivalBefore(uint32_t a, const Event &copy,
                                      uint32_t b) const {
  if (!isOfCopyAsync(copy.op))
    return nullptr;
  const AgentProgram &code = program.programs[a];
  const Event *before = nullptr;
  bool behind = false;
  for (const Event &event : code.events) {
    bool arrives = false, expects = false;
    for (uint32_t i = 0; i < event.count; ++i) {
      const Action &action = code.actions[event.first + i];
      if (action.kind == Action::Arrive || action.kind == Action::ExpectTx)
        eachCta(a, action, [&](int cta) {
          if (slot(cta, action.object) == b)
            (action.kind == Action::Arrive ? arrives : expects) = true;
        });
    }
    if (arrives && &event < &copy)
      before = &event;
    if (!arrives && expects && !before)
      return nullptr;
    if (arrives || expects)
      behind = arrives;
  }
  return behind ? nullptr : before;
}

std::string Execution::fixOfOrder(const Event &arrival) {
  if (!does<effect::ExpectTx>(arrival.op))
    return "put the titan.mbarrier.arrive behind the titan.copy_async (which "
           "expects its own bytes)";
  return "titan.copy_async expects its own bytes: write titan.mbarrier.arrive "
         "behind it, and not " +
         byName(arrival.op) + " before it";
}

std::optional<std::string>
Execution::fixOfBytes(uint32_t b, const Contribution &expect) const {
  if (isOfCopyAsync(expect.event->op))
    return std::nullopt;
  int64_t byHand = 0, wanted = 0;
  bool copies = false, before = false;
  for (const Contribution &c : barriers[b].contributions) {
    if (c.kind == Contribution::Complete)
      wanted += c.amount;
    if (c.kind != Contribution::Expect)
      continue;
    if (!isOfCopyAsync(c.event->op)) {
      byHand += c.amount;
      continue;
    }
    wanted -= c.amount;
    copies = true;
    before |= c.agent == expect.agent && arrivalBefore(c.agent, *c.event, b);
  }
  if (!copies || wanted < 0 || wanted >= byHand)
    return std::nullopt;
  if (before)
    return fixOfOrder(*expect.event);
  std::string fix = "titan.copy_async expects its own bytes: ";
  if (int64_t rest = expect.amount + wanted - byHand; rest > 0)
    return fix + "expect " + std::to_string(rest) + " here, those of the rest";
  return fix + (!does<effect::Arrive>(expect.event->op)
                    ? "take this titan.mbarrier.expect_tx away"
                    : "write titan.mbarrier.arrive here");
}

std::optional<std::string> Execution::fixOfMask(uint32_t b) const {
  const int cta = b / program.barriers.size();
  const uint32_t rank = cta % program.clusterSize;
  for (uint32_t a = 0; a < agents.size(); ++a) {
    if (ctaOf(a) / program.clusterSize != cta / program.clusterSize)
      continue;
    const AgentProgram &code = program.programs[a];
    for (const Event &event : code.events)
      for (uint32_t i = 0; i < event.count; ++i) {
        const Action &action = code.actions[event.first + i];
        if (action.kind != Action::CompleteTx ||
            slot(cta, action.object) != b || action.ctas >> rank & 1 ||
            std::get<effect::CompleteTx>(action.effect->what)
                    .barrier.ctas.kind != effect::CtaSet::Mask)
          continue;
        return "the mask of " + quoted(event.op) + " is " +
               std::to_string(action.ctas) + ", without bit " +
               std::to_string(rank) + ": set it where CTA " +
               std::to_string(cta) +
               " is to have the bytes, too; else expect no more there than "
               "comes";
      }
  }
  return std::nullopt;
}

std::optional<std::string>
Execution::fixOfSenders(uint32_t b,
                        const std::vector<Contribution> &copies) const {
  auto end = pipeEnd(b);
  if (!end)
    return std::nullopt;
  // By how many CTAs each load comes here.
  llvm::MapVector<Operation *, std::set<int>> ctas;
  for (const Contribution &c : copies)
    if (c.kind == Contribution::Complete)
      ctas[c.event->op].insert(ctaOf(c.agent));
  std::string text =
      "the acquire expects what the loads of its slot bring, a multicast "
      "as often as `senders` says";
  bool any = false;
  for (auto &[op, from] : ctas)
    if (from.size() > 1) {
      auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
      text += (any ? ", " : ": ") + std::string("write senders(") +
              std::to_string(from.size()) + ") on that of " +
              (place ? "line " + std::to_string(place.getLine())
                     : std::string("this slot"));
      any = true;
    }
  return any ? text : text + ": let each CTA of that number issue it";
}
