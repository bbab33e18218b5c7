//===- Ranges.h - what a number can and cannot be ---------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds of expressions over sizes, CTA ids and arguments. They are proofs, not
// samples: where nothing is known a range is that of the type. So what they
// exclude no launch can show, and needs not be tried.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_RANGES_H
#define TITAN_LIB_ANALYSIS_SEARCH_RANGES_H

#include "../Scalars.h"
#include "Bounds.h"

#include <functional>

namespace titan::checker {

/// [low, high], of values as Scalars.h keeps them.
struct Bounds {
  int64_t low, high;
  bool contains(int64_t value) const { return low <= value && value <= high; }
  bool single() const { return low == high; }
  static Bounds ofBits(unsigned bits);
};

class Ranges {
public:
  /// `parameter` gives the range of a parameter, by its number; `above` a number that a
  /// parameter always stays below (a CTA id: the grid), or none.
  Ranges(const Symbols &symbols, std::function<Bounds(uint32_t)> parameter,
         std::function<std::optional<Number>(uint32_t)> above)
      : symbols(symbols), parameter(std::move(parameter)),
        above(std::move(above)) {}

  Bounds of(Number number);
  /// a < b, a <= b for all values of the parameters; false: not known.
  bool less(Number a, Number b, int depth = bound::rangeDepth);
  bool atMost(Number a, Number b, int depth = bound::rangeDepth);
  /// What b - a is at most, for all values of the parameters; none: not known.
  std::optional<int64_t> mostBetween(Number a, Number b);

private:
  /// The number of x + 0, 1 * x, x / 1 and the like, with which a front end counts
  /// the rounds of a loop that it unrolls.
  Number withoutNeutral(Number number) const;
  Bounds compute(const Symbols::Node &node);
  const Symbols &symbols;
  std::function<Bounds(uint32_t)> parameter;
  std::function<std::optional<Number>(uint32_t)> above;
  std::map<uint32_t, Bounds> known;
};

} // namespace titan::checker

#endif
