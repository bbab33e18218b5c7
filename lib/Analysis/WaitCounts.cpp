//===- WaitCounts.cpp - the largest counts of s_waitcnt -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/WaitCounts.h"

#include <algorithm>
#include <map>

using namespace titan;

uint16_t titan::encodeWaitcnt(std::optional<unsigned> vm,
                              std::optional<unsigned> lgkm,
                              std::optional<unsigned> exp) {
  unsigned v = vm.value_or(63), l = lgkm.value_or(15), e = exp.value_or(7);
  return (v & 15) | e << 4 | l << 8 | (v >> 4) << 14;
}

namespace {

/// What may be under way at a point, over all paths to it.
struct State {
  struct Pending {
    unsigned younger; ///< the least number of instructions behind it
    bool inOrder;
    bool operator==(const Pending &) const = default;
  };
  using Key = std::pair<unsigned, WaitClass>; ///< token
  std::map<Key, Pending> pending;
  /// Whether something may overtake others, by class.
  bool mixed[numWaitClasses] = {};
  bool operator==(const State &) const = default;

  void join(const State &other) {
    for (auto &[key, its] : other.pending) {
      auto [found, fresh] = pending.try_emplace(key, its);
      if (fresh)
        continue;
      found->second.younger = std::min(found->second.younger, its.younger);
      found->second.inOrder &= its.inOrder;
    }
    for (unsigned c = 0; c < numWaitClasses; ++c)
      mixed[c] |= other.mixed[c];
  }

  void issue(const WaitStep &step) {
    for (auto &[key, its] : pending)
      if (key.second == step.counter) // More than a field holds are all alike.
        its.younger = std::min(its.younger + step.raises, 1u << 16);
    pending[{step.token, step.counter}] = {0, step.inOrder};
    mixed[static_cast<unsigned>(step.counter)] |= !step.inOrder;
  }

  void need(WaitStep &step) {
    for (unsigned c = 0; c < numWaitClasses; ++c) {
      auto counter = static_cast<WaitClass>(c);
      step.counts[c] = std::nullopt;
      auto found = pending.find({step.token, counter});
      if (found == pending.end())
        continue;
      unsigned left = mixed[c] || !found->second.inOrder
                          ? 0
                          : std::min(found->second.younger, mostOf(counter));
      step.counts[c] = left;
      std::erase_if(pending, [&](const auto &each) {
        return each.first.second == counter && each.second.younger >= left;
      });
      mixed[c] &= left != 0;
    }
  }

  void rename(const WaitStep &step) {
    std::map<Key, Pending> renamed = pending;
    for (auto [to, from] : step.renamed)
      for (unsigned c = 0; c < numWaitClasses; ++c) {
        auto counter = static_cast<WaitClass>(c);
        auto found = pending.find({from, counter});
        if (found == pending.end())
          renamed.erase({to, counter});
        else
          renamed[{to, counter}] = found->second;
      }
    pending = std::move(renamed);
  }
};

void walk(std::vector<WaitStep> &text, State &state) {
  for (WaitStep &step : text)
    switch (step.kind) {
    case WaitStep::Issue:
      state.issue(step);
      break;
    case WaitStep::Need:
      state.need(step);
      break;
    case WaitStep::Rename:
      state.rename(step);
      break;
    case WaitStep::Branch: {
      State before = state;
      bool first = true;
      for (std::vector<WaitStep> &side : step.blocks) {
        State after = before;
        walk(side, after);
        if (first)
          state = std::move(after);
        else
          state.join(after);
        first = false;
      }
      break;
    }
    case WaitStep::Loop:
      for (State before;;) {
        before = state;
        State after = state;
        walk(step.blocks.front(), after);
        state.join(after);
        if (state == before)
          break;
      }
      break;
    }
}
} // namespace

void titan::countWaits(std::vector<WaitStep> &text) {
  State state;
  walk(text, state);
}
