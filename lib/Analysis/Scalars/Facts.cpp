//===- Facts.cpp - what is known of symbolic integers ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Scalars/Facts.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "mlir/Analysis/Presburger/Simplex.h"

#include <numeric>
#include <set>

using namespace titan::scalars;
using namespace mlir::presburger;

Atom Atoms::atom(std::string kind, const void *object,
                 std::vector<Polynomial> operands, std::string name) {
  auto [found, fresh] = known.try_emplace(
      Key{std::move(kind), object, std::move(operands)}, names.size());
  if (fresh)
    names.push_back(name.empty() ? "x" + std::to_string(names.size()) : name);
  return found->second;
}

Atom Atoms::copyOf(Atom atom) {
  return this->atom("copy", nullptr, {Polynomial::atom(atom)},
                    names[atom] + "'");
}

void Facts::add(const Facts &other) {
  nonnegative.insert(nonnegative.end(), other.nonnegative.begin(),
                     other.nonnegative.end());
  zero.insert(zero.end(), other.zero.begin(), other.zero.end());
}

Facts Facts::substitute(
    const std::function<std::optional<Polynomial>(Atom)> &by) const {
  Facts result;
  for (const Polynomial &fact : nonnegative)
    result.nonnegative.push_back(fact.substitute(by));
  for (const Polynomial &fact : zero)
    result.zero.push_back(fact.substitute(by));
  return result;
}

static thread_local uint64_t asked = 0;
uint64_t Facts::questions() { return asked; }

namespace {
/// The largest system that is looked at, and the largest that is searched for
/// integers where the rationals do not decide.
constexpr size_t mostUnknowns = 96, mostSearched = 24;

struct System {
  std::vector<Polynomial> nonnegative, zero;

  /// x = p where some equation has x alone with coefficient 1 or -1, and
  /// nowhere else in that equation: gone.
  void eliminate() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < zero.size() && !changed; ++i) {
        Polynomial equation = zero[i];
        for (auto &[monomial, coefficient] : equation.monomials()) {
          if (monomial.size() != 1 || (coefficient != 1 && coefficient != -1))
            continue;
          Atom x = monomial[0];
          Polynomial rest =
              equation - Polynomial::atom(x) * Polynomial(coefficient);
          if (rest.contains(x))
            continue;
          Polynomial by = coefficient == 1 ? -rest : rest;
          zero.erase(zero.begin() + i);
          for (Polynomial &p : zero)
            p = p.substitute(x, by);
          for (Polynomial &p : nonnegative)
            p = p.substitute(x, by);
          changed = true;
          break;
        }
      }
      std::erase_if(zero,
                    [](const Polynomial &p) { return p.constant() == 0; });
    }
  }

  std::set<Monomial> products() const {
    std::set<Monomial> result;
    for (auto *list : {&nonnegative, &zero})
      for (const Polynomial &p : *list)
        for (auto &[monomial, coefficient] : p.monomials())
          if (monomial.size() > 1)
            result.insert(monomial);
    return result;
  }

  /// Signs of the factors of products, where they follow from sums: with these
  /// facts other facts can be multiplied and stay within the products there are.
  void addSigns() {
    std::set<Atom> factors;
    for (const Monomial &m : products())
      factors.insert(m.begin(), m.end());
    System linear;
    for (const Polynomial &p : nonnegative)
      if (p.degree() < 2)
        linear.nonnegative.push_back(p);
    for (const Polynomial &p : zero)
      if (p.degree() < 2)
        linear.zero.push_back(p);
    for (Atom a : factors)
      for (int64_t least : {1, 0}) {
        System negated = linear;
        negated.nonnegative.push_back(Polynomial(least - 1) -
                                      Polynomial::atom(a));
        if (!negated.empty())
          continue;
        nonnegative.push_back(Polynomial::atom(a) - least);
        break;
      }
  }

  /// Products of two facts, where they speak of products that came up.
  void multiply() {
    for (int round = 0; round < 2; ++round) {
      std::set<Monomial> wanted = products();
      if (wanted.empty())
        return;
      std::vector<Polynomial> more;
      auto fits = [&](const Polynomial &p) {
        for (auto &[monomial, coefficient] : p.monomials())
          if (monomial.size() > 1 && !wanted.contains(monomial))
            return false;
        return p.degree() > 1;
      };
      for (size_t i = 0; i < nonnegative.size(); ++i)
        for (size_t j = i; j < nonnegative.size(); ++j)
          if (nonnegative[i].degree() >= 1 && nonnegative[j].degree() >= 1)
            if (Polynomial p = nonnegative[i] * nonnegative[j]; fits(p))
              more.push_back(p);
      std::vector<Polynomial> equal;
      std::set<Atom> factors;
      for (const Monomial &m : wanted)
        factors.insert(m.begin(), m.end());
      for (const Polynomial &z : zero)
        for (Atom a : factors)
          if (Polynomial p = z * Polynomial::atom(a); fits(p))
            equal.push_back(p);
      std::set<Polynomial> known(nonnegative.begin(), nonnegative.end());
      size_t before = nonnegative.size();
      for (Polynomial &p : more)
        if (known.insert(p).second && nonnegative.size() < 256)
          nonnegative.push_back(std::move(p));
      std::set<Polynomial> knownZero(zero.begin(), zero.end());
      for (Polynomial &p : equal)
        if (knownZero.insert(p).second)
          zero.push_back(std::move(p));
      if (nonnegative.size() == before && equal.empty())
        return;
    }
  }

  /// Facts that a linear system could use at all: those connected with the last
  /// `goals` ones by unknowns.
  void keepConnected(size_t goals) {
    std::set<Atom> reached;
    std::vector<bool> keep(nonnegative.size()), keepZero(zero.size());
    auto add = [&](const Polynomial &p) {
      for (Atom a : p.atoms())
        reached.insert(a);
    };
    for (size_t i = nonnegative.size() - goals; i < nonnegative.size(); ++i) {
      keep[i] = true;
      add(nonnegative[i]);
    }
    auto touches = [&](const Polynomial &p) {
      for (Atom a : p.atoms())
        if (reached.contains(a))
          return true;
      return p.atoms().empty();
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < zero.size(); ++i)
        if (!keepZero[i] && touches(zero[i])) {
          keepZero[i] = changed = true;
          add(zero[i]);
        }
      for (size_t i = 0; i < nonnegative.size(); ++i)
        if (!keep[i] && touches(nonnegative[i])) {
          keep[i] = changed = true;
          add(nonnegative[i]);
        }
    }
    size_t at = 0;
    std::erase_if(nonnegative, [&](const Polynomial &) { return !keep[at++]; });
    at = 0;
    std::erase_if(zero, [&](const Polynomial &) { return !keepZero[at++]; });
  }

  bool empty() const {
    std::map<Monomial, unsigned> column;
    for (auto *list : {&nonnegative, &zero})
      for (const Polynomial &p : *list) {
        if (p.isLost())
          return false;
        for (auto &[monomial, coefficient] : p.monomials())
          if (!monomial.empty())
            column.try_emplace(monomial, column.size());
      }
    if (column.size() > mostUnknowns)
      return false;
    IntegerPolyhedron set(PresburgerSpace::getSetSpace(column.size()));
    auto row = [&](const Polynomial &p) {
      std::vector<int64_t> numbers(column.size() + 1, 0);
      for (auto &[monomial, coefficient] : p.monomials())
        numbers[monomial.empty() ? column.size() : column[monomial]] =
            coefficient;
      return numbers;
    };
    for (const Polynomial &p : nonnegative) {
      std::vector<int64_t> numbers = row(p);
      // Integers: 4 x + 3 >= 0 says x >= 0.
      int64_t divisor = 0;
      for (size_t i = 0; i < column.size(); ++i)
        divisor = std::gcd(divisor, numbers[i]);
      if (divisor == 0) {
        if (numbers.back() < 0)
          return true;
        continue;
      }
      for (size_t i = 0; i < column.size(); ++i)
        numbers[i] /= divisor;
      int64_t c = numbers.back();
      numbers.back() = c / divisor - (c % divisor < 0);
      set.addInequality(numbers);
    }
    for (const Polynomial &p : zero) {
      std::vector<int64_t> numbers = row(p);
      int64_t divisor = 0;
      for (size_t i = 0; i < column.size(); ++i)
        divisor = std::gcd(divisor, numbers[i]);
      if (divisor == 0) {
        if (numbers.back() != 0)
          return true;
        continue;
      }
      if (numbers.back() % divisor)
        return true;
      set.addEquality(numbers);
    }
    if (column.empty())
      return false;
    if (Simplex(set).isEmpty())
      return true;
    return column.size() <= mostSearched && set.isIntegerEmpty();
  }
};
} // namespace

static bool contradictory(const Facts &facts, size_t goals) {
  ++asked;
  System system{facts.nonnegative, facts.zero};
  for (auto *list : {&system.nonnegative, &system.zero})
    std::erase_if(*list, [](const Polynomial &p) { return p.isLost(); });
  if (goals)
    system.keepConnected(goals);
  system.eliminate();
  system.addSigns();
  system.multiply();
  return system.empty();
}

bool Facts::contradict() const { return contradictory(*this, 0); }

bool Facts::provesAtLeast(const Polynomial &a, const Polynomial &b) const {
  Polynomial difference = a - b;
  if (difference.isLost())
    return false;
  if (auto constant = difference.constant())
    return *constant >= 0 || contradict();
  Facts with = *this;
  with.nonnegative.push_back(Polynomial(-1) - difference);
  return contradictory(with, 1);
}

bool Facts::provesEqual(const Polynomial &a, const Polynomial &b) const {
  Polynomial difference = a - b;
  if (difference.constant() == 0)
    return true;
  return provesAtLeast(a, b) && provesAtLeast(b, a);
}
