//===- Values.h - what the proof knows of a value ---------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Number     a polynomial:  %tile * 64
//   Cycle      a table, at a polynomial:  [0, 1, 2, 3] at %u     (a ring's slot)
//   Condition  a conjunction of comparisons of polynomials with 0
//   Token      the number of a group of its class (none: below 0)
//   Flight     registers in flight: the number of their product's group
//   Unknown    data, or what is not followed
//
// Slots and parities of rings are carried by loops as states of a small machine,
// (stage, parity) -> (stage + 1 mod D, parity or not). The machine is run, not
// recognised: from its first state it repeats after m steps, and from then on
// each component is a Cycle of m numbers at the number of steps made so far.
//
// Integer tensors are Numbers and Conditions, too, over atoms for the coordinates
// of an element.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_TYPESTATE_VALUES_H
#define TITAN_LIB_ANALYSIS_TYPESTATE_VALUES_H

#include "../Scalars.h"

#include "titan/Analysis/Scalars/Facts.h"
#include "titan/Target/Mechanisms.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <set>

namespace titan::typestate {

using scalars::Atom;
using scalars::Atoms;
using scalars::Facts;
using scalars::Polynomial;

/// A polynomial compared with 0.
struct Comparison {
  enum Kind : uint8_t { AtLeast, Equal, Differs } kind;
  Polynomial polynomial;
  bool operator==(const Comparison &) const = default;
};

struct Value {
  enum Kind : uint8_t {
    Unknown,
    Number,
    Cycle,
    Condition,
    Token,
    Flight
  } kind = Unknown;
  /// Number; where in the cycle; of a Token or Flight: its group.
  Polynomial number;
  std::vector<int64_t> table;
  std::vector<Comparison> all;
  /// Token: none was ever committed. Flight: undefined registers.
  bool none = false;
  /// Token: the warp whose elected lane committed it; -1: all lanes of all.
  int warp = -1;
  /// Token: of all warps, each one's elected lane.
  bool elected = false;
  /// Flight: of a load that is counted at its issue, by which its group counts.
  std::optional<Mechanism> counted;

  bool operator==(const Value &) const = default;
  static Value of(Polynomial number) {
    Value result;
    result.kind = Number;
    result.number = std::move(number);
    return result;
  }
  static Value cycle(Polynomial at, std::vector<int64_t> table);
  static Value condition(std::vector<Comparison> all) {
    Value result;
    result.kind = Condition;
    result.all = std::move(all);
    return result;
  }
  std::optional<int64_t> constant() const {
    return kind == Number ? number.constant() : std::nullopt;
  }
  /// Of a cycle at a quotient y div d (of constant d): the cycle at y.
  std::optional<Value> overDividend(const Atoms &atoms,
                                    const Facts &facts) const;
  Value substitute(Atoms &atoms, Atom atom, const Polynomial &by,
                   Facts &facts) const;
};

/// What is p times another polynomial, p being a product of atoms.
std::optional<Polynomial> over(const Polynomial &x, const Polynomial &p);

/// The table of a cycle as it is `shift` steps later.
std::vector<int64_t> rotated(const std::vector<int64_t> &table, int64_t shift);

/// Whether the comparison holds, or does not, for all that satisfies the facts.
std::optional<bool> decide(const Facts &facts, const Comparison &comparison);
std::optional<bool> decide(const Facts &facts, const Value &condition);
/// The facts that a comparison adds where it holds (none for Differs).
void assume(Facts &facts, const Comparison &comparison);

/// A quotient, rounded down, with what it is of.
struct Quotient {
  Polynomial of, by, quotient;
};
/// Whether p is the id of a CTA times something, or comes of a quotient of such: its
/// share of a whole, cta * all div ctas.
bool isOfShare(const Atoms &atoms, const Polynomial &p);
/// What two of them have to do with each other, of what is known: of one divisor they
/// are in the order of what they are of; and of what is w times the one's divisor and
/// a multiple of the other's w is between. (Products of several facts, as facts.)
void relate(const Facts &known, const Quotient &x, const Quotient &z,
            Facts &facts);

/// Computes pure operations.
class Arithmetic {
public:
  Arithmetic(Atoms &atoms, std::set<std::string> &assumptions)
      : atoms(atoms), assumptions(assumptions) {}
  /// `facts` are those that hold there, and get those of new quotients.
  Value compute(mlir::Operation *op, llvm::ArrayRef<Value> operands,
                Facts &facts);
  /// The polynomial of a number or cycle; none where it has none.
  std::optional<Polynomial> polynomialOf(const Value &value, Facts &facts,
                                         bool place = false);
  /// Of a cycle of bits, and of what is known not to be below 0 and compared with
  /// it: comparisons that are 0 or more (of `fact` alone the first).
  Value conditionOf(const Value &value, Facts &facts, bool fact = false);
  /// q and r of x = q p + r; p >= 1 is proved.
  std::pair<Polynomial, Polynomial> divide(const Polynomial &x,
                                           const Polynomial &p, Facts &facts);
  /// Adds what is known of quotients in this by products of other facts; whether there is
  /// any.
  bool boundQuotients(const Polynomial &of, Facts &facts);
  /// Of a type of 64 bits: that its numbers hold their results.
  void assumeNoOverflow(mlir::Type type);
  /// The first number of fewer than 64 bits that is not shown to hold its result:
  /// nothing is known of it.
  mlir::Operation *overflow = nullptr;
  bool mayOverflow = false; ///< (tests)

private:
  Value compute(mlir::Operation *op, checker::Arith code, unsigned predicate,
                unsigned operandBits, unsigned bits,
                llvm::ArrayRef<Value> operands, Facts &facts);
  Value term(mlir::Operation *op, llvm::ArrayRef<Value> operands, Facts &facts);
  Value modulo(Polynomial x, int64_t c, Facts &facts);
  std::optional<Value> parityBehind(const Value &of, const Value &rounds,
                                    const Facts &facts);
  Atoms &atoms;
  std::set<std::string> &assumptions;
};

} // namespace titan::typestate

#endif
