//===- Fixes.cpp - what to change about barriers --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code has one text for its fix; these say it with the barrier's name and the
// number that would be right.
//
//===----------------------------------------------------------------------===//
#include "../Search/Execution.h"

#include "titan/Dialect/Titan/CopyAsync.h"

#include "mlir/IR/Matchers.h"

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

/// Whether an operation lists such an effect.
template <typename What> static bool does(Operation *op) {
  effect::EffectList effects;
  cast<HardwareEffectsInterface>(op).getHardwareEffects(effects);
  return llvm::any_of(effects, [](const effect::Effect &effect) {
    return std::holds_alternative<What>(effect.what);
  });
}

std::string Execution::fixOfScope(Scope release, Operation *arrival,
                                  Scope acquire, Operation *wait) {
  // A barrier is shared by the CTAs of a cluster, global memory by those of the grid.
  const bool barrier = does<effect::Arrive>(arrival);
  const Scope least = barrier ? Scope::Cluster : Scope::Gpu;
  std::string text = std::string("write scope(") +
                     (barrier ? "cluster" : "gpu") + ")",
              separator = " on '";
  for (auto [scope, op] : {std::pair(release, arrival), {acquire, wait}})
    if (scope < least) {
      text += separator + op->getName().getStringRef().str() + "'";
      separator = " and '";
    }
  return text;
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

std::optional<PipeEnd> Execution::pipeEnd(uint32_t b) const {
  return PipeEnd::of(
      program.barriers[b % program.barriers.size()].first.getLoc());
}

std::string Execution::fixOfUse(const PipeEnd &end, int64_t phase,
                                int64_t slots) const {
  std::string pipe = "%" + end.pipe, every = std::to_string(slots);
  std::string known =
      "of this slot of " + pipe + " the thread knows " +
      (phase ? std::to_string(phase) +
                   (phase == 1 ? " use to be over" : " uses to be over")
             : "no use to be over");
  if (end.full && end.exclusive)
    return known +
           ", and waits for a later one: a consumer of an exclusive "
           "pipe goes past each use that another one takes, by "
           "titan.pipe.skip " +
           pipe;
  if (end.full)
    return known +
           ", and waits for a later one: let it wait for each "
           "(titan.pipe.wait " +
           pipe + "), also for what it does not read";
  if (end.own)
    return known +
           ", since others of its partition fill and release slots of " + pipe +
           " without it: release(bulk_read) on titan.pipe.create, where bulk "
           "stores empty them, lets the threads meet when they acquire";
  return known +
         ", and acquires a later one: let each thread that acquires "
         "slots of " +
         pipe + " go through all of its uses";
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

std::string Execution::fixOfParity(uint32_t b, uint32_t seen) const {
  int64_t phase =
      std::max<int64_t>(static_cast<int64_t>(seen) - barriers[b].base, 0);
  Value ring = program.barriers[b % program.barriers.size()].first;
  int64_t slots = llvm::count_if(
      program.barriers, [&](const auto &slot) { return slot.first == ring; });
  if (auto end = pipeEnd(b))
    return fixOfUse(*end, phase, slots);
  return "wait for parity " + std::to_string(phase & 1) +
         " here: the next wait of this thread on " + barrierName(b) +
         " is for its phase " + std::to_string(phase) +
         (slots < 2 ? ""
                    : "; in a ring of " + std::to_string(slots) +
                          " slots use n, counted from 0, has slot n mod " +
                          std::to_string(slots) + " and parity (n div " +
                          std::to_string(slots) + ") mod 2");
}

void Execution::editParity(Finding &finding, Operation *wait, int64_t parity,
                           uint32_t b, uint32_t seen) const {
  int64_t phase =
      std::max<int64_t>(static_cast<int64_t>(seen) - barriers[b].base, 0);
  if (!pipeEnd(b) && !fixOfCause(b) && (phase & 1) != parity)
    editConstant(finding, wait, parity, phase & 1);
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
      return "without `noinc` '" + op->getName().getStringRef().str() +
             "' takes no part in the count of " + barrierName(b) +
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

void Execution::lastMayBeMismatch(uint32_t b) {
  if (arrivalsAt(b).first > barriers[b].count)
    report.lastIsMismatch();
}

std::optional<std::string> Execution::fixOfLanes(uint32_t b) const {
  int64_t most = 0;
  for (Operation *op : arrivalOps(AllLanes)) {
    most = std::max(most, arrivalsOf(op, b));
    // Each thread that tells the barrier of its copies arrives behind that.
    if (tracksCopies(op) == Tracks::Uncounted && arrivalsOf(op, b))
      return std::nullopt;
  }
  int64_t expected = barriers[b].count, warps = most / program.lanes;
  if (most <= expected)
    return std::nullopt;
  return "put the arrival under titan.elect (one lane of each warp arrives)" +
         (warps == expected ? ""
                            : ", with count(" + std::to_string(warps) + ")");
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

std::vector<int64_t> Execution::indicesOf(uint32_t iteration) const {
  std::vector<int64_t> result;
  for (uint32_t i = iteration; i; i = program.iterations[i].parent)
    result.insert(result.begin(), program.iterations[i].index);
  return result;
}

std::optional<std::string> Execution::fixOfBytesOfUses(uint32_t b) const {
  const Barrier &barrier = barriers[b];
  const Contribution *expect = nullptr;
  // By iteration.
  std::map<std::vector<int64_t>, int64_t> bytes;
  Operation *copy = nullptr;
  for (const Contribution &c : barrier.contributions) {
    if (c.kind == Contribution::Expect) {
      if (expect)
        return std::nullopt;
      expect = &c;
    }
    if (c.kind == Contribution::Complete) {
      bytes[indicesOf(c.event->iteration)] += c.amount;
      copy = c.event->op;
    }
  }
  // An expectation outside of the loop is for what all iterations bring.
  if (!expect || !expect->event->iteration || bytes.size() < 2 ||
      llvm::any_of(bytes, [&](const auto &of) {
        return of.first.empty() || of.second != expect->amount;
      }))
    return std::nullopt;
  int64_t first = bytes.begin()->first.back(),
          second = std::next(bytes.begin())->first.back();
  Value ring = program.barriers[b % program.barriers.size()].first;
  int64_t slots = llvm::count_if(
      program.barriers, [&](const auto &slot) { return slot.first == ring; });
  std::string name = barrierName(b),
              text = "each '" + copy->getName().getStringRef().str() +
                     "' brings the bytes that are expected, and this phase "
                     "has those of iterations " +
                     std::to_string(first) + " and " + std::to_string(second) +
                     ": ";
  if ((second - first) % slots)
    return text + "let iteration n signal slot n mod " + std::to_string(slots) +
           " of the ring, not " + name + " each time";
  return text +
         "before a copy fills the slot again let its thread wait until who "
         "waits for " +
         name + " has read it (a second barrier, at which that one arrives)";
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

const Event *Execution::waitFor(uint32_t b) const {
  for (uint32_t a = 0; a < agents.size(); ++a)
    for (const Event &event : program.programs[a].events)
      for (uint32_t i = 0; i < event.count; ++i)
        if (const Action &action = program.programs[a].actions[event.first + i];
            action.kind == Action::WaitBarrier &&
            slot(ctaOf(a), action.object) == b)
          return &event;
  return nullptr;
}

std::optional<std::string>
Execution::fixOfOtherBarrier(uint32_t b, Finding &finding) const {
  struct Copy {
    uint32_t agent, signals, meant;
    const Event *event, *expect;
    int64_t bytes;
  };
  std::vector<Copy> strays;
  // What comes to each barrier, less what is expected there, in the whole run.
  std::map<uint32_t, int64_t> balance;
  for (uint32_t a = 0; a < agents.size(); ++a) {
    const Event *expect = nullptr;
    uint32_t meant = 0;
    for (const Event &event : program.programs[a].events)
      for (uint32_t i = 0; i < event.count; ++i) {
        const Action &action = program.programs[a].actions[event.first + i];
        if (action.kind == Action::ExpectTx) {
          expect = &event;
          eachCta(a, action, [&](int cta) {
            meant = slot(cta, action.object);
            balance[meant] -=
                action.amount *
                program.times(
                    event, std::get<effect::ExpectTx>(action.effect->what).by);
          });
        }
        if (action.kind != Action::CompleteTx)
          continue;
        eachCta(a, action, [&](int cta) {
          uint32_t signals = slot(cta, action.object);
          balance[signals] += action.amount;
          if (expect && signals != meant && copies(a, event) &&
              indicesOf(expect->iteration) == indicesOf(event.iteration) &&
              (signals == b || meant == b))
            strays.push_back(
                {a, signals, meant, &event, expect, action.amount});
        });
      }
  }
  for (const Copy &copy : strays) {
    if (balance[copy.signals] <= 0 || balance[copy.meant] + copy.bytes > 0)
      continue;
    finding.others.push_back(
        {copy.expect->op->getLoc(),
         "its bytes are expected here, at " + barrierName(copy.meant)});
    std::string wait;
    if (const Event *waits = waitFor(copy.meant))
      wait = ", for which " + quoted(waits->op) + " waits";
    std::string when = program.describe(copy.event->iteration);
    return "let " + quoted(copy.event->op) + " signal " +
           barrierName(copy.meant) + ", where its thread has expected its " +
           std::to_string(copy.bytes) + " bytes" + wait + ": " +
           (when.empty() ? "" : "in " + when + " ") + "it signals " +
           barrierName(copy.signals);
  }
  return std::nullopt;
}

std::optional<std::string>
Execution::fixOfNextUse(uint32_t b, const Contribution &copy) const {
  // The same copy of an earlier iteration is one of this phase already.
  if (llvm::none_of(barriers[b].lastContributions, [&](const Contribution &c) {
        return c.kind == Contribution::Complete && c.agent == copy.agent &&
               c.event->op == copy.event->op &&
               indicesOf(c.event->iteration) < indicesOf(copy.event->iteration);
      }))
    return std::nullopt;
  // The last barrier that its thread waits for before it.
  const AgentProgram &code = program.programs[copy.agent];
  const Event *wait = nullptr;
  uint32_t heard = b;
  for (const Event &event : code.events) {
    if (&event == copy.event)
      break;
    for (uint32_t i = 0; i < event.count; ++i)
      if (const Action &action = code.actions[event.first + i];
          action.kind == Action::WaitBarrier) {
        wait = &event;
        heard = slot(ctaOf(copy.agent), action.object);
      }
  }
  if (!wait || heard == b)
    return std::nullopt;
  // Does anybody arrive there who waits for this one?
  std::set<uint32_t> waiters;
  for (uint32_t a = 0; a < agents.size(); ++a) {
    bool waits = false, arrives = false;
    for (const Event &event : program.programs[a].events)
      for (uint32_t i = 0; i < event.count; ++i) {
        const Action &action = program.programs[a].actions[event.first + i];
        waits |= action.kind == Action::WaitBarrier &&
                 slot(ctaOf(a), action.object) == b;
        arrives |= action.kind == Action::Arrive && isAt(a, action, heard);
      }
    if (waits && arrives)
      return std::nullopt;
    if (waits)
      waiters.insert(a);
  }
  if (waiters.empty())
    return std::nullopt;
  return quoted(copy.event->op) +
         " fills this slot again behind its wait for " + barrierName(heard) +
         ", at which nobody arrives who waits for " + barrierName(b) +
         ": let " + program.describe(*waiters.begin(), 0, AllLanes) +
         (waiters.size() > 1 ? ", and the others that wait there," : "") +
         " arrive at it" +
         (ctaOf(*waiters.begin()) != ctaOf(copy.agent)
              ? " (titan.map_rank gives a peer's barrier)"
              : "");
}

std::optional<std::string> Execution::fixOfStraySlot(uint32_t b) const {
  const size_t perCta = program.barriers.size();
  const Value ring = program.barriers[b % perCta].first;
  if (pipeEnd(b))
    return std::nullopt;
  for (auto [i, of] : llvm::enumerate(program.barriers)) {
    const uint32_t other = b / perCta * perCta + i;
    if (of.first != ring || other == b || arrivalsAt(other).second)
      continue;
    // The first wait for an empty slot is answered at once.
    const Event *wait = nullptr;
    for (uint32_t a = 0; a < agents.size() && !wait; ++a) {
      unsigned waits = 0;
      for (const Event &event : program.programs[a].events)
        for (uint32_t k = 0; k < event.count && !wait; ++k)
          if (const Action &action =
                  program.programs[a].actions[event.first + k];
              action.kind == Action::WaitBarrier &&
              slot(ctaOf(a), action.object) == other &&
              (waits++ || action.amount == 0))
            wait = &event;
    }
    if (wait)
      return "nothing ever arrives at " + barrierName(other) + ", for which " +
             quoted(wait->op) + " waits, and " + barrierName(b) +
             " gets more arrivals than are waited for: let each use arrive at "
             "its own slot";
  }
  return std::nullopt;
}

std::string Execution::fixOfSlots(const AccessRecord &read,
                                  const AccessRecord &copy) const {
  // The slot of a ring that an access lies in.
  auto slotOf = [&](const AccessRecord &access,
                    int64_t &slots) -> std::optional<int64_t> {
    const FootprintData &bytes = footprints[access.footprint];
    auto type = dyn_cast<SharedType>(program.roots[bytes.root].getType());
    if (!type || bytes.end <= bytes.begin)
      return std::nullopt;
    slots = type.getSlots();
    int64_t first = bytes.begin / type.getSlotBytes();
    return first == (bytes.end - 1) / type.getSlotBytes() ? std::optional(first)
                                                          : std::nullopt;
  };
  auto slotsOf = [&](uint32_t b) {
    Value ring = program.barriers[b % program.barriers.size()].first;
    return cast<MBarrierType>(ring.getType()).getSlots();
  };
  auto numberOf = [&](uint32_t b) {
    return program.barriers[b % program.barriers.size()].second;
  };
  int64_t slots = 0, same = 0;
  auto filled = slotOf(copy, slots), from = slotOf(read, same);
  if (!filled || !from || slots < 2 || copy.done.empty())
    return "";
  std::string memory = nameOf(program.roots[footprints[copy.footprint].root]);
  auto text = [&](const AccessRecord &access, StringRef does, int64_t at,
                  StringRef barrier, uint32_t b) {
    std::string when = program.describe(access.event->iteration);
    return (when.empty() ? "" : "in " + when + " ") + quoted(access.event->op) +
           " " + does.str() + " slot " + std::to_string(at) + " of " + memory +
           barrier.str() + barrierName(b) + ": let both be of one slot";
  };
  // Nobody but copies writes there.
  for (const AgentProgram &code : program.programs)
    for (const Action &action : code.actions)
      if (action.kind == Action::Access &&
          footprints[action.object].root == footprints[copy.footprint].root)
        if (const auto &access = std::get<effect::Access>(action.effect->what);
            access.kind != AccessKind::Read &&
            access.mechanism != Mechanism::Phase)
          return "";
  const uint32_t signalled = copy.done.front().number - shape.phase(0);
  if (signalled >= barriers.size())
    return "";
  if (slotsOf(signalled) == slots && numberOf(signalled) != *filled)
    return text(copy, "fills", *filled, ", and signals ", signalled);
  // The barrier that the reader waited for last, of the copy's ring.
  std::optional<uint32_t> waited;
  uint32_t tick = 0;
  for (auto &[b, last] : agents[read.agent].lastWait)
    if (program.barriers[b % program.barriers.size()].first ==
            program.barriers[signalled % program.barriers.size()].first &&
        last.tick >= tick && last.tick <= read.tick) {
      waited = b;
      tick = last.tick;
    }
  if (waited && slotsOf(*waited) == slots && numberOf(*waited) != *from)
    return text(read, "reads", *from, " behind its wait for ", *waited);
  return "";
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

std::string Execution::fixOfOrder(const Event &arrival) {
  if (!does<effect::ExpectTx>(arrival.op))
    return "put the titan.mbarrier.arrive behind the titan.copy_async (which "
           "expects its own bytes)";
  return "titan.copy_async expects its own bytes: write titan.mbarrier.arrive "
         "behind it, and not '" +
         arrival.op->getName().getStringRef().str() + "' before it";
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
  // By which lanes arrive, it is another's mistake.
  if (!fixOfLanes(b))
    finding.edits.push_back({barriers[b].initEvent->op->getLoc(),
                             "count(" + std::to_string(barriers[b].count) + ")",
                             "count(" + std::to_string(arrivals) + ")"});
}

void Execution::editCause(Finding &finding, uint32_t b) const {
  if (int64_t most = arrivalsAt(b).first; most > barriers[b].count)
    editCount(finding, b, most);
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
         (ctaOf(copy.agent) != cta ? ", scope(cluster)" : "") + ") before '" +
         read.event->op->getName().getStringRef().str() +
         "' reads what the copy brings";
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
        return "named barrier " + std::to_string(action.amount) +
               " waits for " + std::to_string(barrier.threads) +
               " threads, and " + std::to_string(barrier.come) +
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
      for (Operation *op : arrivalOps())
        if (tracksCopies(op) == Tracks::Uncounted && arrivalsOf(op, b) &&
            arrivalsOf(op, b) == arrivalsAt(b).second)
          return "'" + op->getName().getStringRef().str() +
                 "' adds the arrivals that it makes to the phase: write "
                 "`noinc`, or let each thread arrive behind it "
                 "(titan.mbarrier.arrive), as count(" +
                 std::to_string(barrier.count) + ") says";
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
