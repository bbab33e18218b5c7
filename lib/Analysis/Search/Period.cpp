//===- Period.cpp - after how many iterations a loop repeats itself -------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Period.h"

#include "Bounds.h"

#include "llvm/ADT/Hashing.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace titan;
using namespace titan::checker;

std::pair<int64_t, int64_t> checker::compared(int64_t count) {
  return {count / bound::runIn, count - count / bound::runOut};
}

std::optional<int64_t> checker::leastPeriod(ArrayRef<uint64_t> list) {
  auto [first, last] = compared(list.size());
  for (int64_t p = 1; first + 3 * p <= last; ++p) {
    bool repeats = true;
    for (int64_t i = first; i + p < last && repeats; ++i)
      repeats = list[i] == list[i + p];
    if (repeats)
      return p;
  }
  return std::nullopt;
}

/// What an action does to slots and parities. Global memory moves on with each
/// iteration, and groups and registers are counted on and on: neither is part
/// of it.
static uint64_t stateOf(const Program &program, Footprints &footprints,
                        const Action &action) {
  switch (action.kind) {
  case Action::Access: {
    bool own = footprints[action.object].root < program.sharedRoots;
    return llvm::hash_combine(action.kind, own ? action.object : ~0u,
                              own ? action.ctas : 0);
  }
  case Action::Commit:
  case Action::WaitGroup:
  case Action::WaitFlag:
  case Action::Fence:
  case Action::GridWait:
  case Action::InFlight:
  case Action::Borrow:
  case Action::Arrived:
    return llvm::hash_combine(action.kind);
  case Action::Arrive:
    return llvm::hash_combine(action.kind, action.object, action.ctas,
                              action.amount);
  default:
    return llvm::hash_combine(action.kind, action.object, action.ctas,
                              action.amount, action.extra);
  }
}

std::optional<int64_t> checker::periodOf(const Program &program,
                                         Footprints &footprints,
                                         int64_t count) {
  // Executions of loops: iterations with one parent, numbered from 0.
  std::vector<std::vector<uint32_t>> loops;
  std::map<uint32_t, size_t> open; // by parent
  for (uint32_t i = 1; i < program.iterations.size(); ++i) {
    const Iteration &iteration = program.iterations[i];
    if (iteration.index == 0) {
      open[iteration.parent] = loops.size();
      loops.emplace_back();
    }
    loops[open[iteration.parent]].push_back(i);
  }
  // The iteration of a loop of `count` that an iteration is, or lies in.
  std::vector<uint32_t> inside(program.iterations.size(), 0);
  std::vector<const std::vector<uint32_t> *> chosen;
  for (const auto &loop : loops)
    if (loop.size() == static_cast<size_t>(count)) {
      chosen.push_back(&loop);
      for (uint32_t i : loop)
        inside[i] = i;
    }
  std::vector<uint64_t> states;
  for (const Iteration &iteration : program.iterations)
    states.push_back(iteration.state);
  for (const AgentProgram &code : program.programs)
    for (const Event &event : code.events) {
      uint64_t state = llvm::hash_combine(event.op, event.lanes);
      for (uint32_t a = event.first; a < event.first + event.count; ++a)
        state = llvm::hash_combine(
            state, stateOf(program, footprints, code.actions[a]));
      for (uint32_t i = event.iteration; i != 0;
           i = program.iterations[i].parent)
        if (inside[i])
          states[i] = llvm::hash_combine(states[i], state);
    }
  int64_t period = 1;
  for (const auto *loop : chosen) {
    std::vector<uint64_t> list;
    for (uint32_t i : *loop)
      list.push_back(states[i]);
    auto own = leastPeriod(list);
    if (!own)
      return std::nullopt;
    period = std::lcm(period, *own);
  }
  return period;
}
