//===- Sample.cpp - numbers that satisfy facts ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Sample.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

using namespace titan::scalars;

namespace {
/// How many changes are made at most.
constexpr unsigned mostChanges = 12;

/// By numbers of atoms.
struct Search {
  struct Term {
    int64_t coefficient;
    llvm::SmallVector<uint16_t, 4> atoms;
  };
  struct Fact {
    std::vector<Term> terms;
    std::vector<uint16_t> atoms;
    bool equation = false;
    unsigned weight = 1; ///< more, the longer it does not hold
    int64_t value = 0;
  };
  std::vector<Fact> facts;
  std::vector<int64_t> numbers;
  std::vector<std::vector<uint16_t>> factsOf;

  /// None where it does not fit.
  static bool evaluate(const Fact &fact, const std::vector<int64_t> &numbers,
                       int64_t &value) {
    value = 0;
    for (const Term &term : fact.terms) {
      int64_t product = term.coefficient;
      for (uint16_t a : term.atoms)
        if (__builtin_mul_overflow(product, numbers[a], &product))
          return false;
      if (__builtin_add_overflow(value, product, &value))
        return false;
    }
    return true;
  }

  static bool holds(const Fact &fact, int64_t value) {
    return fact.equation ? value == 0 : value >= 0;
  }

  bool run() {
    for (Fact &fact : facts)
      if (!evaluate(fact, numbers, fact.value))
        return false;
    std::vector<unsigned> changed(numbers.size(), 0);
    for (unsigned step = 1; step <= mostChanges; ++step) {
      // One that does not hold.
      Fact *broken = nullptr;
      for (size_t i = 0; i < facts.size(); ++i) {
        Fact &fact = facts[(i + step * 7) % facts.size()];
        if (!holds(fact, fact.value)) {
          broken = &fact;
          break;
        }
      }
      if (!broken)
        return true;
      int64_t best = 0, bestNumber = 0;
      uint16_t bestAtom = 0;
      bool any = false;
      for (uint16_t a : broken->atoms) {
        const int64_t old = numbers[a];
        // By how much one more changes it.
        int64_t after = 0, by = 0, to = 0;
        if (__builtin_add_overflow(old, 1, &numbers[a]) ||
            !evaluate(*broken, numbers, after) ||
            __builtin_sub_overflow(after, broken->value, &by) || by == 0 ||
            broken->value == std::numeric_limits<int64_t>::min()) {
          numbers[a] = old;
          continue;
        }
        numbers[a] = old;
        // value + by * d is 0, or as little above as can be.
        int64_t d = -(broken->value / by);
        if (broken->value % by)
          d += (by > 0) == (broken->value < 0) ? 1 : -1;
        if (d == 0 || __builtin_add_overflow(old, d, &to))
          continue;
        numbers[a] = to;
        int64_t score = 0;
        for (uint16_t f : factsOf[a]) {
          int64_t value;
          const Fact &fact = facts[f];
          if (!evaluate(fact, numbers, value)) {
            score += 1000;
            continue;
          }
          score += int64_t(fact.weight) *
                   (!holds(fact, value) - !holds(fact, fact.value));
        }
        numbers[a] = old;
        // What has just been changed is not changed back.
        if (changed[a] && changed[a] + 2 > step)
          score += 2;
        if (!any || score < best) {
          any = true;
          best = score;
          bestAtom = a;
          bestNumber = to;
        }
      }
      if (!any)
        return false;
      broken->weight += best >= 0;
      numbers[bestAtom] = bestNumber;
      changed[bestAtom] = step;
      for (uint16_t f : factsOf[bestAtom])
        if (!evaluate(facts[f], numbers, facts[f].value))
          return false;
    }
    return std::ranges::all_of(
        facts, [](const Fact &fact) { return holds(fact, fact.value); });
  }
};
} // namespace

/// How many numbers are kept that were found before the last ones.
static constexpr size_t mostBefore = 24;

bool Samples::know(List nonnegative, List zero, bool anyOf) {
  if (satisfy(last, nonnegative, zero))
    return true;
  for (size_t i = 0; anyOf && i < before.size(); ++i)
    if (satisfy(before[i], nonnegative, zero)) {
      // What is asked next is like this.
      Numbers these = std::move(before[i]);
      before.erase(before.begin() + i);
      before.push_front(std::move(last));
      last = std::move(these);
      ++found;
      return true;
    }
  return false;
}

bool Samples::satisfy(const Numbers &numbers, List nonnegative, List zero) {
  auto all = [&](List list, auto holds) {
    return llvm::all_of(list, [&](const Polynomial &p) {
      auto value = p.evaluate([&](Atom a) { return at(numbers, a); });
      return value && holds(*value);
    });
  };
  return all(nonnegative, [](int64_t value) { return value >= 0; }) &&
         all(zero, [](int64_t value) { return value == 0; });
}

bool Samples::find(List nonnegative, List zero,
                   llvm::ArrayRef<std::pair<Atom, Polynomial>> putIn) {
  Search search;
  llvm::SmallDenseMap<Atom, uint16_t, 32> index;
  auto add = [&](const Polynomial &p, bool equation) {
    Search::Fact &fact = search.facts.emplace_back();
    fact.equation = equation;
    for (auto &[monomial, coefficient] : p.monomials()) {
      Search::Term &term = fact.terms.emplace_back();
      term.coefficient = coefficient;
      for (Atom a : monomial)
        term.atoms.push_back(index.try_emplace(a, index.size()).first->second);
    }
    for (Atom a : p.atoms())
      fact.atoms.push_back(index.lookup(a));
    return !p.isLost();
  };
  for (const Polynomial &p : nonnegative)
    if (!add(p, false))
      return false;
  for (const Polynomial &p : zero)
    if (!add(p, true))
      return false;
  search.numbers.resize(index.size());
  search.factsOf.resize(index.size());
  for (auto [a, i] : index)
    search.numbers[i] = at(last, a);
  for (size_t f = 0; f < search.facts.size(); ++f)
    for (uint16_t a : search.facts[f].atoms)
      search.factsOf[a].push_back(f);
  if (!search.run())
    return false;
  ++found;
  before.push_front(last);
  if (before.size() > mostBefore)
    before.pop_back();
  for (auto [a, i] : index)
    put(a, search.numbers[i]);
  for (auto &[a, is] : llvm::reverse(putIn))
    if (auto value = is.evaluate([&](Atom b) { return at(last, b); }))
      put(a, *value);
  return true;
}
