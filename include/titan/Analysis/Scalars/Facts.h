//===- Facts.h - what is known of symbolic integers -------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atoms by name, and facts about them: polynomials that are 0, and that are 0
// or more. Facts come from sizes (a size is at least 0), the launch
// (titan.require, the grid), loops (0 <= t < count), branches, and quotients
// (x = q p + r).
//
// Questions are answered by linear arithmetic over monomials: each product of
// atoms is one unknown, and where it helps, the product of two facts a >= 0 and
// b >= 0 is the fact a b >= 0. That an answer is yes is a proof; no means that
// none was found.
//
//   0 <= t < n,  0 <= s < n,  4 q + t = 4 p + s,  n <= 4   |-   q = p
//   (T' - T - 1 >= 0) * (n >= 0)                           |-   T' n >= T n + n
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_SCALARS_FACTS_H
#define TITAN_ANALYSIS_SCALARS_FACTS_H

#include "titan/Analysis/Scalars/Polynomial.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace titan::scalars {

class Facts;

/// Names of atoms: the same key is the same atom.
class Atoms {
public:
  /// What a key is compared by: a kind, a pointer or number, and the operands.
  using Key = std::tuple<std::string, const void *, std::vector<Polynomial>>;
  using By = llvm::function_ref<std::optional<Polynomial>(Atom)>;
  Atom atom(std::string kind, const void *object = nullptr,
            std::vector<Polynomial> operands = {}, std::string name = "");
  /// 0 + 1 + ... + (x - 1) = x (x - 1) / 2: a sum of how often a loop runs that
  /// runs once more each time. What is new is told to `facts`.
  Polynomial triangle(const Polynomial &x, Facts *facts);
  bool hasTriangles = false;
  /// The number that a sum's terms are functions of, and such a function at x.
  Polynomial each() { return Polynomial::atom(atom("each")); }
  Polynomial at(const Polynomial &f, const Polynomial &x, Facts *facts);
  /// f(1) + f(2) + ... + f(x - 1), f a polynomial of each(): as a sum for each product
  /// of atoms in it, so that equal sums are equal as data, and the sum up to x + 1 is
  /// that up to x and f(x). (Of x < 1 the same going back: f(0) less than none, ...)
  Polynomial sum(const Polynomial &x, const Polynomial &f);
  bool hasSums = false;
  /// A new one, for the other of two instances of the same text.
  Atom copyOf(Atom atom);
  const std::string &kind(Atom atom) const { return std::get<0>(*keys[atom]); }
  const void *object(Atom atom) const { return std::get<1>(*keys[atom]); }
  const std::vector<Polynomial> &operands(Atom atom) const {
    return std::get<2>(*keys[atom]);
  }
  /// Empty: nobody has named it.
  const std::string &name(Atom atom) const { return names[atom]; }
  size_t size() const { return names.size(); }
  /// Whether the atom is, or is computed from, one of which `is` is true.
  bool dependsOn(Atom atom, llvm::function_ref<bool(Atom)> is) const;
  bool dependsOn(const Polynomial &p, llvm::function_ref<bool(Atom)> is) const;
  /// With atoms replaced, those that others are computed from, too: the quotient
  /// of t by 3 becomes that of t + 1 by 3. What is new is told to `facts`.
  Polynomial substitute(const Polynomial &p, By by, Facts *facts);
  Polynomial substitute(const Polynomial &p, Atom atom, const Polynomial &with,
                        Facts *facts);

private:
  Polynomial sumOf(const Polynomial &x, const Polynomial &product);
  /// What atoms have become in one substitution; none: they stay.
  using Substituted = llvm::SmallDenseMap<Atom, std::optional<Polynomial>>;
  Polynomial substitute(const Polynomial &p, By by, Facts *facts,
                        Substituted &known);
  std::optional<Polynomial> substituted(Atom a, By by, Facts *facts,
                                        Substituted &known);
  Polynomial sumOfProducts(const Polynomial &x, const Polynomial &f);
  std::map<Key, Atom> known;
  /// at(f, x), of which nothing was told, and sum(x, f): asked for again and again.
  std::map<std::pair<Polynomial, Polynomial>, Polynomial> values, sums;
  std::vector<const Key *> keys;
  std::vector<std::string> names;
};

/// The facts of a quotient and a remainder: x = q p + r, 0 <= r < p.
void addDivision(Facts &facts, const Polynomial &x, const Polynomial &p,
                 const Polynomial &q, const Polynomial &r);

/// A list of polynomials that copies share until one of them gets another one: what
/// is known at a place is copied to all that happens there.
class FactList {
public:
  using const_iterator = const Polynomial *;
  const_iterator begin() const { return data ? data->list.data() : nullptr; }
  const_iterator end() const { return begin() + size(); }
  size_t size() const { return data ? data->list.size() : 0; }
  bool empty() const { return size() == 0; }
  const Polynomial &operator[](size_t i) const { return data->list[i]; }
  operator llvm::ArrayRef<Polynomial>() const { return {begin(), size()}; }
  bool operator==(const FactList &other) const {
    return data == other.data ||
           (hash() == other.hash() &&
            std::equal(begin(), end(), other.begin(), other.end()));
  }
  /// Of their order, too.
  size_t hash() const { return data ? data->hash : 0; }

  void push_back(Polynomial p);
  void append(const FactList &other);
  /// Those of which it is true.
  void eraseIf(llvm::function_ref<bool(const Polynomial &)> is);

private:
  struct Data : llvm::RefCountedBase<Data>, Recycled<Data> {
    llvm::SmallVector<Polynomial, 2> list;
    size_t hash = 0;
  };
  /// That nobody else has, with room for so many more.
  Data &own(size_t more);
  llvm::IntrusiveRefCntPtr<Data> data;
};

class Facts {
public:
  FactList nonnegative, zero;
  bool operator==(const Facts &) const = default;

  /// Each fact is kept once.
  void add(const Facts &other);
  void addNonnegative(Polynomial p);
  void addZero(Polynomial p);
  void atLeast(const Polynomial &a, const Polynomial &b) {
    addNonnegative(a - b);
  }
  void equal(const Polynomial &a, const Polynomial &b) { addZero(a - b); }
  bool empty() const { return nonnegative.empty() && zero.empty(); }
  Facts
  substitute(llvm::function_ref<std::optional<Polynomial>(Atom)> by) const;

  /// Nothing satisfies them all. False: not shown.
  bool contradict() const { return contradict({}); }
  /// Nor these and `more`, which is what is asked about.
  bool contradict(const Facts &more) const;
  /// The same, or they do so both where an atom of 0 or 1 (a remainder by 2) is the
  /// one, and where it is the other: by cases of up to three of those.
  bool contradictByBits() const;
  /// Numbers that were found before satisfy them and one case of each of these.
  bool satisfied(const std::vector<std::vector<Facts>> &clauses) const;
  /// a >= b for all that satisfies them.
  bool provesAtLeast(const Polynomial &a, const Polynomial &b) const;
  bool provesEqual(const Polynomial &a, const Polynomial &b) const;

  /// Questions asked by this thread so far, and systems that were looked at (the
  /// others were answered before); after so many more systems, or some hundred times
  /// as many questions, or seconds, or once it is called off (by another thread),
  /// every answer is no.
  static uint64_t questions();
  static uint64_t solved();
  static void limit(uint64_t more,
                    double seconds = std::numeric_limits<double>::infinity(),
                    const std::atomic<bool> *calledOff = nullptr);
  static bool exhausted();
  /// What this thread has computed for, which other work on the machine does not
  /// change.
  static double seconds();
  /// By time, or called off.
  static bool late();
};

} // namespace titan::scalars

#endif
