//===- Sample.h - numbers that satisfy facts --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most facts that the proof asks about do not contradict each other, and small
// numbers show it: sizes of 0, 1, 2, ... Such numbers are found by local search:
// of a fact that does not hold one atom is changed so that it does, by as little
// as possible, where that breaks the least of the others. What was found last is
// where the next search begins.
//
//   n >= 1,  0 <= t < n,  m t >= 3      n = 1, t = 0, m = 0 -> n = 2, t = 1, m = 3
//
// Where some are found the facts do not contradict each other. That none is found
// says nothing: no answer depends on what was asked before.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SCALARS_SAMPLE_H
#define TITAN_LIB_ANALYSIS_SCALARS_SAMPLE_H

#include "titan/Analysis/Scalars/Polynomial.h"

#include "llvm/ADT/ArrayRef.h"

#include <deque>
#include <vector>

namespace titan::scalars {

class Samples {
public:
  using List = llvm::ArrayRef<Polynomial>;
  /// Numbers that were found are such that the first ones are 0 or more, and the
  /// others 0: the last ones, or, `anyOf` them, some that were found before.
  bool know(List nonnegative, List zero, bool anyOf = false);
  /// Numbers like that were found. `putIn`: atoms that are in none of these facts
  /// any more, and what they are of those and of atoms later in the list.
  bool find(List nonnegative, List zero,
            llvm::ArrayRef<std::pair<Atom, Polynomial>> putIn);

  int64_t operator[](Atom atom) const { return at(last, atom); }
  /// Another one where the last numbers are others.
  uint64_t version() const { return found; }

private:
  /// By atom; of those that are not there, 0.
  using Numbers = std::vector<int64_t>;
  static int64_t at(const Numbers &numbers, Atom atom) {
    return atom < numbers.size() ? numbers[atom] : 0;
  }
  void put(Atom atom, int64_t number) {
    if (atom >= last.size())
      last.resize(atom + 1);
    last[atom] = number;
  }
  static bool satisfy(const Numbers &numbers, List nonnegative, List zero);
  Numbers last;
  /// Some that were last before, the latest ones in front.
  std::deque<Numbers> before;
  uint64_t found = 0;
};

} // namespace titan::scalars

#endif
