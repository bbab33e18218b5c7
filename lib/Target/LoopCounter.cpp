//===- LoopCounter.cpp - whether a counted loop's counter fits ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Target/LoopCounter.h"

// What is computed here is at most 2^66.
using Wide = __int128;

static std::string text(Wide number) {
  std::string digits;
  for (Wide rest = number < 0 ? -number : number; rest || digits.empty();
       rest /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + int(rest % 10)));
  return number < 0 ? "-" + digits : digits;
}

std::string titan::stepProblem(int64_t step) {
  if (step > 0)
    return "";
  return "the step of the loop is " + std::to_string(step) +
         ": it must be positive, as a signed number";
}

std::string titan::counterOverflow(int64_t lower, int64_t upper, int64_t step,
                                   unsigned bits, bool isUnsigned) {
  const Wide range = Wide(1) << bits;
  const Wide most = (isUnsigned ? range : range / 2) - 1;
  auto number = [&](int64_t value) {
    return isUnsigned && value < 0 ? value + range : Wide(value);
  };
  const Wide from = number(lower), to = number(upper), by = step;
  if (from >= to || by <= 0)
    return "";
  const std::string type =
      std::to_string(bits) + " bits hold at most " + text(most);
  if (to - from > most)
    return "the bounds of this loop, " + text(from) + " and " + text(to) +
           ", are " + text(to - from) + " apart: " + type;
  const Wide last = from + (to - from + by - 1) / by * by;
  if (last > most)
    return "the counter of this loop goes from " + text(from) + " to " +
           text(to) + " by " + text(by) + " and comes to " + text(last) + ": " +
           type;
  return "";
}
