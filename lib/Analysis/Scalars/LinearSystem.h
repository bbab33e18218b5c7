//===- LinearSystem.h - do linear facts contradict each other? --*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of integers: a1 x1 + ... + an xn + c >= 0, or = 0, over integers x.
//
//   1  equations are put in, those of two rows p >= 0 and -p >= 0, too; each row is
//      divided by the divisor of its coefficients, its constant rounded down:
//      4 x + 3 >= 0 says x >= 0
//   2  unknowns become slacks, which are 0 or more: x >= 2 is x = 2 + s
//   3  a slack that no row has with a minus may be as large as it likes: rows
//      that have it say nothing
//   4  the simplex method: a row with a negative constant needs a slack that
//      raises it; where it has none, the rows contradict each other
//
// Only a sign is asked for, so rows and slacks may be multiplied by positive
// numbers, and nothing has a denominator. mlir::presburger::Simplex answers the
// same of numbers of any length, and is asked where 256 bits do not do; the proof
// asks a hundred thousand times a kernel, of 50 rows that are nearly all zeros.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SCALARS_LINEARSYSTEM_H
#define TITAN_LIB_ANALYSIS_SCALARS_LINEARSYSTEM_H

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace titan::scalars {

/// What a row comes from, by number, in whatever the caller counts. Of a
/// contradiction: rows that come from these contradict each other by themselves.
using Reasons = std::bitset<512>;

class LinearSystem {
public:
  /// `rows`: so many are to come that are 0 or more.
  explicit LinearSystem(size_t unknowns, size_t rows = 0) : width(unknowns) {
    least.numbers.reserve(rows * (width + 1));
    least.why.reserve(rows);
  }

  /// A new row of zeros, to be filled in: a coefficient of each unknown, and the
  /// constant. It stays where it is until the next one is added.
  int64_t *addNonnegative(const Reasons &why = {}) { return add(least, why); }
  int64_t *addZero(const Reasons &why = {}) { return add(equal, why); }
  /// Row >= 0 that is asked about.
  int64_t *addQuestion(const Reasons &why = {}) { return add(asked, why); }

  /// Of a question, or of all rows: whether they contradict each other, and why.
  struct Answer {
    bool yes = false;
    Reasons why;
  };
  /// No integers satisfy all rows. False: not shown, since some rationals do.
  /// Otherwise `answers` says it of each question and all the rows.
  Answer solve(std::vector<Answer> *answers = nullptr) const;
  bool contradicts() const { return solve().yes; }

private:
  /// Rows of width + 1 numbers each.
  struct Rows {
    std::vector<int64_t> numbers;
    std::vector<Reasons> why;
  };
  int64_t *add(Rows &rows, const Reasons &why) {
    rows.why.push_back(why);
    rows.numbers.resize(rows.why.size() * (width + 1));
    return rows.numbers.data() + (rows.numbers.size() - width - 1);
  }
  size_t width;
  Rows least, equal, asked;
};

} // namespace titan::scalars

#endif
