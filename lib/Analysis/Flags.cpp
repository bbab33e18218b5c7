//===- Flags.cpp - flags in global memory ---------------------------------===//
//
// A flag starts at 0, is only added to, and is waited for by a value (MM-26). A
// wait for v is ordered after a signal if v cannot be reached without it, under
// any schedule: signals of one thread come in order, those of others in any.
//
//===----------------------------------------------------------------------===//
#include "Execution.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

void Execution::signalFlag(uint32_t a, const Event &event,
                           const Action &action) {
  Flag &flag = flags[action.object];
  int64_t threads =
      (event.lanes & Elected ? 1 : 0) + (event.lanes & Others ? 31 : 0);
  const auto &effect = std::get<effect::Access>(action.effect->what);
  flag.value += action.amount * threads;
  Clock handed;
  if (effect.sem == effect::Sem::Relaxed ||
      effect.sem == effect::Sem::Acquire) {
    // Releases what fences before it have (MM-21), and nothing else.
    handed = Clock(shape.size());
    arriveRelaxed(a, event.lanes, effect.scope, handed);
  } else
    handed = released(a, event.lanes);
  flag.signals.push_back(
      {a, action.amount * threads, std::move(handed), effect.scope, &event});
}

bool Execution::waitFlag(uint32_t a, const Event &event, const Action &action) {
  const auto &effect = std::get<effect::WaitFlag>(action.effect->what);
  Flag &flag = flags[action.object];
  if (flag.value < action.amount)
    return false;
  if (flag.total.empty())
    // What every agent adds in the whole program.
    for (uint32_t b = 0; b < agents.size(); ++b)
      for (const Event &e : program.programs[b].events)
        for (uint32_t i = 0; i < e.count; ++i) {
          const Action &other = program.programs[b].actions[e.first + i];
          if (other.kind == Action::Access && other.amount &&
              other.object == action.object)
            flag.total[b] += other.amount * ((e.lanes & Elected ? 1 : 0) +
                                             (e.lanes & Others ? 31 : 0));
        }
  int64_t all = 0;
  for (auto [agent, amount] : flag.total)
    all += amount;
  std::map<uint32_t, int64_t> before;
  for (const Signal &signal : flag.signals) {
    // The most that can be there without this signal.
    int64_t without = all - flag.total[signal.agent] + before[signal.agent];
    before[signal.agent] += signal.amount;
    if (without >= action.amount)
      continue;
    acquire(a, event.lanes, signal.clock);
    if (ctaOf(signal.agent) != ctaOf(a))
      if (auto code =
              scopeProblem(signal.scope, effect.scope, Relation::OtherCta,
                           program.agents[signal.agent].cluster ==
                               program.agents[a].cluster))
        if (Finding *finding = report.add(*code, signal.event->op, event.op,
                                          Twine("a signal with scope .") +
                                              effect::stringify(signal.scope) +
                                              " and a wait with scope ." +
                                              effect::stringify(effect.scope) +
                                              " synchronise two CTAs"))
          finding->others.push_back({event.op->getLoc(), "the wait"});
  }
  return true;
}
