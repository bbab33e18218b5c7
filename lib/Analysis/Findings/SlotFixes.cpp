//===- SlotFixes.cpp - which slot, and which phase of it ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arrivals and bytes are as many as they should be, and not where they are waited
// for: another slot of the ring, another parity, another barrier than the one at which
// they were expected, or the next use of a slot that is still being read.
//
//===----------------------------------------------------------------------===//
#include "Fixes.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

std::string Execution::fixOfUse(const PipeEnd &end, int64_t phase) {
  std::string pipe = "%" + end.pipe;
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

std::string Execution::fixOfParity(uint32_t b, uint32_t seen) const {
  int64_t phase =
      std::max<int64_t>(static_cast<int64_t>(seen) - barriers[b].base, 0);
  if (auto end = pipeEnd(b))
    return fixOfUse(*end, phase);
  const int64_t slots = slotsOf(b);
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
  const int64_t slots = slotsOf(b);
  std::string name = barrierName(b),
              text = "each " + byName(copy) +
                     " brings the bytes that are expected, and this phase "
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
  const Value ring = slotOfRing(b).first;
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
  if (slotsOf(signalled) == slots && slotOfRing(signalled).second != *filled)
    return text(copy, "fills", *filled, ", and signals ", signalled);
  // The barrier that the reader waited for last, of the copy's ring.
  std::optional<uint32_t> waited;
  uint32_t tick = 0;
  for (auto &[b, last] : agents[read.agent].lastWait)
    if (slotOfRing(b).first == slotOfRing(signalled).first &&
        last.tick >= tick && last.tick <= read.tick) {
      waited = b;
      tick = last.tick;
    }
  if (waited && slotsOf(*waited) == slots &&
      slotOfRing(*waited).second != *from)
    return text(read, "reads", *from, " behind its wait for ", *waited);
  return "";
}
