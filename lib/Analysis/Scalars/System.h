//===- System.h - facts, made a linear system -------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts that are asked about together, each with what it comes from: unknowns that
// equations give are put in, products of two facts are added where they speak of
// products that there are, and each product is an unknown of a linear system.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SCALARS_SYSTEM_H
#define TITAN_LIB_ANALYSIS_SCALARS_SYSTEM_H

#include "LinearSystem.h"

#include "titan/Analysis/Scalars/Polynomial.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallBitVector.h"

#include <map>
#include <set>

namespace titan::scalars {

/// The largest system that is looked at.
inline constexpr size_t mostUnknowns = 96;

/// A fact, and which of those of a question it comes from.
struct Fact {
  Polynomial p;
  Reasons why;
};

struct System {
  std::vector<Fact> nonnegative, zero;
  /// Unknowns that were eliminated, and what they are of the others.
  std::vector<std::pair<Atom, Polynomial>> putIn;

  /// Integers: 4 x + 3 >= 0 says x >= 0. Facts p >= 0 and -p >= 0 are p = 0.
  bool tighten() {
    bool equations = false;
    for (Fact &fact : nonnegative)
      fact.p = fact.p.overDivisor();
    llvm::SmallDenseMap<size_t, size_t, 128> known;
    std::vector<bool> gone(nonnegative.size());
    for (size_t i = 0; i < nonnegative.size(); ++i)
      known.try_emplace(nonnegative[i].p.hash() >> 1, i);
    for (size_t i = 0; i < nonnegative.size(); ++i) {
      if (gone[i])
        continue;
      Polynomial minus = -nonnegative[i].p;
      auto found = known.find(minus.hash() >> 1);
      if (found == known.end() || found->second <= i || gone[found->second] ||
          nonnegative[found->second].p != minus)
        continue;
      equations = true;
      gone[i] = gone[found->second] = true;
      zero.push_back({nonnegative[i].p,
                      nonnegative[i].why | nonnegative[found->second].why});
    }
    if (equations) {
      size_t i = 0;
      std::erase_if(nonnegative, [&](const Fact &) { return gone[i++]; });
    }
    return equations;
  }

  /// x = p where some equation has x alone with coefficient 1 or -1, and
  /// nowhere else in that equation: gone. First what is no factor of a product;
  /// last, if `raise`, factors that are products themselves: degrees rise.
  /// Whether there were any.
  bool eliminate(bool raise = true) {
    std::set<Atom> factors;
    for (auto *list : {&nonnegative, &zero})
      for (const Fact &fact : *list)
        for (auto &[monomial, coefficient] : fact.p.monomials())
          if (monomial.size() > 1)
            factors.insert(monomial.begin(), monomial.end());
    while (eliminateOne(&factors))
      ;
    while (eliminateOne(nullptr, /*most=*/1))
      ;
    bool raised = false;
    while (raise && eliminateOne(nullptr))
      raised = true;
    std::erase_if(zero,
                  [](const Fact &fact) { return fact.p.constant() == 0; });
    return raised;
  }

  bool eliminateOne(const std::set<Atom> *keep, unsigned most = ~0u) {
    for (size_t i = 0; i < zero.size(); ++i) {
      for (auto &[monomial, coefficient] : zero[i].p.monomials()) {
        if (monomial.size() != 1 || (coefficient != 1 && coefficient != -1))
          continue;
        Atom x = monomial[0];
        if (keep && keep->contains(x))
          continue;
        // The rest of it.
        auto fits = [&, x = x](const Polynomial::Term &term) {
          const Monomial &m = term.first;
          return m == monomial ||
                 (m.size() <= most && !std::ranges::binary_search(m, x));
        };
        if (!std::ranges::all_of(zero[i].p.monomials(), fits))
          continue;
        const Fact equation = zero[i];
        Polynomial rest =
            equation.p - Polynomial::atom(x) * Polynomial(coefficient);
        Polynomial by = coefficient == 1 ? -rest : rest;
        putIn.emplace_back(x, by);
        zero.erase(zero.begin() + i);
        for (auto *list : {&zero, &nonnegative})
          for (Fact &fact : *list)
            if (fact.p.contains(x)) {
              fact.p = fact.p.substitute(x, by);
              fact.why |= equation.why;
            }
        return true;
      }
    }
    return false;
  }

  std::set<Monomial> products() const {
    std::set<Monomial> result;
    for (auto *list : {&nonnegative, &zero})
      for (const Fact &fact : *list)
        for (auto &[monomial, coefficient] : fact.p.monomials())
          if (monomial.size() > 1)
            result.insert(monomial);
    return result;
  }
  bool hasProducts() const {
    for (auto *list : {&nonnegative, &zero})
      for (const Fact &fact : *list)
        if (fact.p.degree() > 1)
          return true;
    return false;
  }

  /// Signs of the factors of products, where they follow from sums: with these
  /// facts other facts can be multiplied and stay within the products there are.
  void addSigns() {
    std::set<Atom> factors;
    for (const Monomial &m : products())
      factors.insert(m.begin(), m.end());
    System linear;
    for (const Fact &fact : nonnegative)
      if (fact.p.degree() < 2)
        linear.nonnegative.push_back(fact);
    for (const Fact &fact : zero)
      if (fact.p.degree() < 2)
        linear.zero.push_back(fact);
    // That it is at most 0, or less.
    std::vector<Polynomial> questions;
    for (Atom a : factors)
      for (int64_t least : {1, 0})
        questions.push_back(Polynomial(least - 1) - Polynomial::atom(a));
    std::vector<LinearSystem::Answer> answers =
        linear.contradictsEach(questions);
    size_t i = 0;
    for (Atom a : factors) {
      for (int64_t least : {1, 0})
        if (const auto &answer = answers[i + 1 - least]; answer.yes) {
          nonnegative.push_back({Polynomial::atom(a) - least, answer.why});
          signs[a] = {least, answer.why};
          break;
        }
      i += 2;
    }
  }
  /// Factors that are at least 0, or 1.
  std::map<Atom, std::pair<int64_t, Reasons>> signs;

  /// a b c >= 0, and a b c >= a b where c >= 1.
  void addProducts() {
    for (const Monomial &m : products()) {
      if (m.size() < 3 ||
          !std::ranges::all_of(m, [&](Atom a) { return signs.contains(a); }))
        continue;
      auto of = [](const Monomial &factors) {
        Polynomial product = 1;
        for (Atom a : factors)
          product = product * Polynomial::atom(a);
        return product;
      };
      Reasons why;
      for (Atom a : m)
        why |= signs[a].second;
      nonnegative.push_back({of(m), why});
      for (size_t i = 0; i < m.size(); ++i)
        if (signs[m[i]].first == 1) {
          llvm::SmallVector<Atom, 4> rest(m.begin(), m.end());
          rest.erase(rest.begin() + i);
          nonnegative.push_back({of(m) - of(Monomial(rest)), why});
        }
    }
  }

  /// Products of two facts, where they speak of products that came up.
  void multiply() {
    llvm::SmallDenseMap<Atom, unsigned, 32> factors;
    llvm::SmallDenseSet<const void *, 32> wanted;
    const std::set<Monomial> products = this->products();
    for (const Monomial &m : products) {
      wanted.insert(m.identity());
      for (Atom a : m)
        factors.try_emplace(a, factors.size());
    }
    // Of each factor those with which it is a product that came up, of two.
    std::vector<llvm::SmallBitVector> partners(
        factors.size(), llvm::SmallBitVector(factors.size()));
    for (const Monomial &m : products)
      if (m.size() == 2)
        for (bool second : {false, true})
          partners[factors.lookup(m[second])].set(factors.lookup(m[!second]));
    // Sums of atoms that are all factors, each pair of two of them a product.
    struct Sum {
      const Fact *fact;
      llvm::SmallBitVector atoms, fits; ///< fits: those whose products came up
    };
    std::vector<Sum> sums;
    for (const Fact &fact : nonnegative) {
      const auto &atoms = fact.p.atoms();
      if (fact.p.degree() != 1 || !std::ranges::all_of(atoms, [&](Atom a) {
            return factors.contains(a);
          }))
        continue;
      Sum &sum =
          sums.emplace_back(&fact, llvm::SmallBitVector(factors.size()),
                            llvm::SmallBitVector(factors.size(), /*t=*/true));
      for (Atom a : atoms) {
        const unsigned factor = factors.lookup(a);
        sum.atoms.set(factor);
        sum.fits &= partners[factor];
      }
    }
    std::vector<Fact> more;
    for (size_t i = 0; i < sums.size(); ++i)
      for (size_t j = i; j < sums.size(); ++j)
        if (!sums[j].atoms.test(sums[i].fits))
          more.push_back({sums[i].fact->p * sums[j].fact->p,
                          sums[i].fact->why | sums[j].fact->why});
    auto fits = [&](const Polynomial &p, Atom a) {
      return std::ranges::all_of(p.monomials(), [&](const auto &term) {
        return term.first.empty() ||
               wanted.contains((term.first * Monomial(a)).identity());
      });
    };
    std::vector<Fact> equal;
    for (const Fact &z : zero)
      for (auto [a, number] : factors)
        if (z.p.degree() >= 1 && fits(z.p, a))
          equal.push_back({z.p * Polynomial::atom(a), z.why});
    nonnegative.insert(nonnegative.end(), more.begin(), more.end());
    zero.insert(zero.end(), equal.begin(), equal.end());
    unite();
  }

  /// Each fact once, in one order; without those whose numbers do not fit: what
  /// contradicts itself without them does so with them.
  void unite() {
    for (auto *list : {&nonnegative, &zero}) {
      std::erase_if(*list, [](const Fact &fact) { return fact.p.isLost(); });
      // (Of like ones the one that comes from least stays.)
      std::vector<Fact *> order;
      for (Fact &fact : *list)
        order.push_back(&fact);
      std::ranges::sort(order, [](const Fact *a, const Fact *b) {
        if (auto order = a->p <=> b->p; order != 0)
          return order < 0;
        return a->why.count() < b->why.count();
      });
      auto rest = std::ranges::unique(
          order, [](const Fact *a, const Fact *b) { return a->p == b->p; });
      std::vector<Fact> sorted;
      sorted.reserve(list->size());
      for (Fact *fact : llvm::make_range(order.begin(), rest.begin()))
        sorted.push_back(std::move(*fact));
      *list = std::move(sorted);
    }
  }

  /// Of linear arithmetic, each product an unknown.
  LinearSystem::Answer contradicts() const {
    auto linear = linearSystem({});
    return linear ? linear->solve() : LinearSystem::Answer();
  }
  /// The same of each of these facts with all the others.
  std::vector<LinearSystem::Answer>
  contradictsEach(const std::vector<Polynomial> &questions) const {
    std::vector<LinearSystem::Answer> answers;
    if (auto linear = linearSystem(questions))
      if (auto all = linear->solve(&answers); all.yes)
        answers.assign(questions.size(), all);
    answers.resize(questions.size());
    return answers;
  }

private:
  std::optional<LinearSystem>
  linearSystem(const std::vector<Polynomial> &questions) const {
    llvm::SmallDenseMap<const void *, unsigned, 128> column;
    auto collect = [&](const Polynomial &p) {
      for (auto &[monomial, coefficient] : p.monomials())
        if (!monomial.empty())
          column.try_emplace(monomial.identity(), column.size());
    };
    for (auto *list : {&nonnegative, &zero})
      for (const Fact &fact : *list)
        collect(fact.p);
    for (const Polynomial &p : questions)
      collect(p);
    size_t width = column.size();
    if (width > mostUnknowns)
      return std::nullopt;
    LinearSystem result(width, nonnegative.size());
    // (What does not fit says nothing.)
    auto fill = [&](const Polynomial &p, int64_t *row) {
      if (p.isLost())
        return;
      for (auto &[monomial, coefficient] : p.monomials())
        row[monomial.empty() ? width : column.lookup(monomial.identity())] =
            coefficient;
    };
    for (const Fact &fact : nonnegative)
      fill(fact.p, result.addNonnegative(fact.why));
    for (const Fact &fact : zero)
      fill(fact.p, result.addZero(fact.why));
    for (const Polynomial &p : questions)
      fill(p, result.addQuestion());
    return result;
  }
};

} // namespace titan::scalars

#endif
