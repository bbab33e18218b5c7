//===- Condition.h - Launch checks as one would write them ------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule on the values of a launch is an expression that is at least 0
// (LaunchCheck in Correctness.h). For people it is comparisons:
//
//   at least 0                          written
//   K - 1                               K >= 1
//   -K + 2147483648                     K <= 2147483648
//   -(K % 8)                            K % 8 == 0
//   min(S*2, -(S*2) + 1024)             S*2 >= 0 and S*2 <= 1024
//   -max(S - K, K - S)                  S == K
//   -max(-1, min(M - 5, N - 3)) - 1     M <= 4 or N <= 2
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DOMAIN_CONDITION_H
#define TITAN_DOMAIN_CONDITION_H

#include "titan/Domain/Expr.h"

#include <string>
#include <vector>

namespace titan {

class Condition {
public:
  /// e >= 0. What is no comparison of sums remains one operand; beyond
  /// `mostTerms` comparisons the whole of e does.
  static Condition atLeastZero(const Expr &e);
  static constexpr size_t mostTerms = 64;

  /// `M >= 1 and (N <= 4 or K % 8 == 0)`; "true" and "false" where no symbol
  /// decides.
  std::string str() const;
  /// Nothing where a symbol has no value, or a number has none (Expr).
  std::optional<bool> evaluate(const Expr::Bindings &bindings) const;

private:
  enum class Kind : uint8_t { True, False, Equal, AtLeast, AtMost, And, Or };

  Condition(Kind kind) : kind(kind) {}
  static Condition compare(Kind kind, Expr left, Expr right);
  static Condition join(Kind kind, Condition a, Condition b);
  static Condition visit(const Expr &e, bool negated, int64_t c);
  size_t size() const;
  bool isBound() const { return kind == Kind::AtLeast || kind == Kind::AtMost; }

  Kind kind;
  Expr left, right;             ///< Of comparisons.
  std::vector<Condition> parts; ///< Of And and Or: two at least.
};

} // namespace titan

#endif // TITAN_DOMAIN_CONDITION_H
