//===- Flags.cpp - flags in global memory ---------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A flag starts at what titan.initial says, else at 0, is only added to, and is waited for by a value (MM-26). A
// wait for v is ordered after a signal if v cannot be reached without it, under
// any schedule: signals of one thread come in order, those of others in any, but
// none before the wait for this flag that its thread passes first. So CTAs take
// turns: CTA c waits for c, works, adds 1; c + 1 cannot add before it.
// Atomic additions count as signals; what else changes the flag leaves open
// when the wait returns.
//
//===----------------------------------------------------------------------===//
#include "Execution.h"

#include "Bounds.h"

#include "titan/Dialect/Titan/InitialValues.h"

#include <limits>
#include <utility>

using namespace mlir;
using namespace titan;
using namespace titan::checker;

int64_t Execution::flagAtLaunch(uint32_t object) const {
  uint32_t root = footprints[object].root;
  if (root < program.sharedRoots)
    return 0;
  auto kernel = cast<KernelOp>(
      Value(program.roots[root]).getParentBlock()->getParentOp());
  return getInitialValue(kernel, root - program.sharedRoots).value_or(0);
}

Execution::Flag &Execution::flagOf(uint32_t object) {
  auto [at, made] = flags.try_emplace(object);
  if (made)
    at->second.initial = at->second.value = flagAtLaunch(object);
  return at->second;
}

void Execution::signalFlag(uint32_t a, const Event &event,
                           const Action &action) {
  Flag &flag = flagOf(action.object);
  const auto &effect = std::get<effect::Access>(action.effect->what);
  int64_t threads = program.times(event, effect.by);
  flag.value += action.amount * threads;
  auto element = dyn_cast<IntegerType>(
      cast<GlobalType>(effect.bytes.object.getType()).getElementType());
  if (element && element.getWidth() < 64 &&
      !llvm::isIntN(element.getWidth(), flag.value))
    report.add(Code::Undecided, event.op, nullptr,
               Twine("with this the flag is ") + Twine(flag.value) +
                   ", which " + Twine(element.getWidth()) +
                   " bits do not hold");
  Clock handed;
  Scope scope = effect.scope;
  if (effect.sem == effect::Sem::Relaxed ||
      effect.sem == effect::Sem::Acquire) {
    // Releases what fences before it have (MM-21), and nothing else; of their
    // scopes the narrower counts (MM-42).
    handed = Clock(shape.size());
    scope = arriveRelaxed(a, event.lanes, Scope::Cta, scope, handed);
  } else
    handed = released(a, event.lanes);
  flag.signals.push_back(
      {a, action.amount * threads, std::move(handed), scope, &event});
}

/// The most that the flag can be without the signal before the wait returns: each
/// agent goes on as far as the values that it waits for allow.
int64_t Execution::mostWithout(const Flag &flag, uint32_t agent,
                               const Event &wait, const Signal &signal) {
  int64_t value = flag.initial;
  std::map<uint32_t, size_t> next;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[b, steps] : flag.steps)
      for (size_t &i = next[b]; i < steps.size(); ++i) {
        const FlagStep &step = steps[i];
        if (step.waits ? step.gates && (value < step.amount ||
                                        (b == agent && step.event == &wait))
                       : b == signal.agent && step.event == signal.event)
          break;
        if (!step.waits) {
          value += step.amount;
          changed = true;
        }
      }
  }
  return value;
}

bool Execution::waitFlag(uint32_t a, const Event &event, const Action &action) {
  const auto &effect = std::get<effect::WaitFlag>(action.effect->what);
  Flag &flag = flagOf(action.object);
  if (!std::exchange(flag.summed, true))
    // What every agent adds in the whole program.
    for (uint32_t b = 0; b < agents.size(); ++b)
      for (const Event &e : program.programs[b].events)
        for (uint32_t i = 0; i < e.count; ++i) {
          const Action &other = program.programs[b].actions[e.first + i];
          if (other.kind == Action::WaitFlag && other.object == action.object) {
            flag.steps[b].push_back({&e, true, other.amount});
            continue;
          }
          if (other.kind != Action::Access)
            continue;
          const auto &access = std::get<effect::Access>(other.effect->what);
          if (access.kind == AccessKind::Read ||
              footprints[other.object].root != footprints[action.object].root ||
              !footprints.intersect(other.object, action.object))
            continue;
          if (access.added && other.amount > 0 &&
              other.object == action.object) {
            int64_t amount = other.amount * program.times(e, access.by);
            flag.total[b] += amount;
            flag.steps[b].push_back({&e, false, amount});
            // Of lanes that wait, those that add.
            for (FlagStep &step : flag.steps[b])
              step.gates &= (e.lanes & ~step.event->lanes) == 0;
          } else
            flag.changed = &e;
        }
  if (flag.changed) {
    if (Finding *finding = report.add(
            Code::Undecided, event.op, flag.changed->op,
            Twine("when this wait returns is not known: '") +
                flag.changed->op->getName().getStringRef() +
                "' changes the flag otherwise than by adding a number that is "
                "known and positive")) {
      finding->others.push_back({flag.changed->op->getLoc(), "changed here"});
      finding->fix = "change the flag by titan.flag.signal (or titan.atom add "
                     "of a number that is known and positive) instead of '" +
                     flag.changed->op->getName().getStringRef().str() + "'";
    }
    // Nor is anything known of what this agent does behind it.
    agents[a].lost = true;
    return false;
  }
  if (flag.value < action.amount)
    return false;
  int64_t all = flag.initial;
  for (auto [agent, amount] : flag.total)
    all += amount;
  size_t steps = 0;
  for (auto &[b, list] : flag.steps)
    steps += list.size();
  std::map<uint32_t, int64_t> before;
  for (const Signal &signal : flag.signals) {
    // The most that can be there without this signal.
    int64_t without = all - flag.total[signal.agent] + before[signal.agent];
    before[signal.agent] += signal.amount;
    if (without >= action.amount) {
      if (steps > size_t(bound::flagSteps)) {
        if (Finding *finding = report.add(
                Code::Undecided, event.op, nullptr,
                "which signals this wait comes behind is not followed: its "
                "flag has more than " +
                    Twine(bound::flagSteps) +
                    " signals and waits in a launch that is looked at"))
          finding->ofCounts = true;
        agents[a].lost = true;
        return false;
      }
      if (mostWithout(flag, a, event, signal) >= action.amount)
        continue;
    }
    acquire(a, event.lanes, signal.clock);
    if (!program.resident &&
        program.agents[signal.agent].cluster > program.agents[a].cluster)
      if (Finding *finding = report.add(
              Code::FlagCoResidency, event.op, signal.event->op,
              "this waits for a CTA that is started later, and no bound of the "
              "grid makes sure that both are resident: the CTAs which wait may "
              "leave no room for the one that signals"))
        finding->others.push_back(
            {signal.event->op->getLoc(), "signalled here by a later CTA"});
    checkScope(signal.scope, effect.scope, signal.agent, a, *signal.event,
               event);
  }
  return true;
}
