//===- Clock.cpp - a vector clock -----------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/Clock.h"

#include <algorithm>

using namespace titan::sim;

void Clock::raise(uint32_t number, uint32_t to) {
  uint32_t &at =
      number - base < own.size() ? own[number - base] : others[number];
  at = std::max(at, to);
}

void Clock::join(const Clock &other) {
  if (other.own.empty() && other.others.empty())
    return;
  if (own.empty() && others.empty()) {
    *this = other;
    return;
  }
  if (base == other.base && own.size() == other.own.size()) {
    for (size_t i = 0; i < own.size(); ++i)
      own[i] = std::max(own[i], other.own[i]);
  } else {
    for (size_t i = 0; i < other.own.size(); ++i)
      if (other.own[i])
        raise(other.base + i, other.own[i]);
  }
  for (auto [number, clock] : other.others)
    raise(number, clock);
}

bool Clock::includes(const Clock &other) const {
  for (size_t i = 0; i < other.own.size(); ++i)
    if (other.own[i] > get(other.base + i))
      return false;
  for (auto [number, clock] : other.others)
    if (clock > get(number))
      return false;
  return true;
}
