//===- Quotients.cpp - what the proof knows of a quotient -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Division, by constants and by products of sizes: what facts say of a quotient
// beside what defines it (Scalars/Facts.h, addDivision), and of two quotients.
//
//===----------------------------------------------------------------------===//
#include "Values.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

std::optional<Polynomial> typestate::over(const Polynomial &x,
                                          const Polynomial &p) {
  Polynomial::TermList by = p.monomials();
  if (p == Polynomial(1))
    return x;
  if (by.size() != 1 || by[0].second != 1 || x.isLost())
    return std::nullopt;
  Polynomial result;
  for (auto &[monomial, coefficient] : Polynomial::TermList(x.monomials())) {
    SmallVector<Atom, 4> rest(monomial.begin(), monomial.end());
    for (Atom a : by[0].first) {
      auto *at = llvm::find(rest, a);
      if (at == rest.end())
        return std::nullopt;
      rest.erase(at);
    }
    Polynomial term = coefficient;
    for (Atom a : rest)
      term = term * Polynomial::atom(a);
    result += term;
  }
  return result;
}

/// The atoms that are factors of all its monomials.
static SmallVector<Atom, 4> commonFactors(const Polynomial &x) {
  std::optional<SmallVector<Atom, 4>> common;
  for (auto &[monomial, coefficient] : Polynomial::TermList(x.monomials())) {
    if (!common) {
      common.emplace(monomial.begin(), monomial.end());
      continue;
    }
    SmallVector<Atom, 4> both;
    std::set_intersection(common->begin(), common->end(), monomial.begin(),
                          monomial.end(), std::back_inserter(both));
    common = both;
  }
  return common.value_or(SmallVector<Atom, 4>());
}

static Polynomial productOf(ArrayRef<Atom> factors) {
  Polynomial product = 1;
  for (Atom a : factors)
    product = product * Polynomial::atom(a);
  return product;
}

/// a <= b, or so where both have been divided by what they have in common.
static bool isAtMost(const Facts &facts, const Polynomial &a,
                     const Polynomial &b) {
  SmallVector<Atom, 4> common = commonFactors(b - a);
  if (llvm::any_of(common, [&](Atom each) {
        return !facts.provesAtLeast(Polynomial::atom(each), 0);
      }))
    common.clear();
  return facts.provesAtLeast(*over(b - a, productOf(common)), 0);
}

bool typestate::isOfShare(const Atoms &atoms, const Polynomial &p) {
  auto isShare = [&](const Polynomial &of) {
    return llvm::any_of(
        Polynomial::TermList(of.monomials()), [&](const auto &term) {
          return term.first.size() > 1 && llvm::any_of(term.first, [&](Atom a) {
                   return atoms.kind(a) == "cta";
                 });
        });
  };
  return isShare(p) || atoms.dependsOn(p, [&](Atom a) {
    return atoms.kind(a) == "quotient" && isShare(atoms.operands(a)[0]);
  });
}

void typestate::relate(const Facts &known, const Quotient &x, const Quotient &z,
                       Facts &facts) {
  const Polynomial &p = x.by, &d = z.by, &q = x.quotient, &s = z.quotient;
  if (d.constant() || p.constant() || !known.provesAtLeast(d, 1) ||
      !known.provesAtLeast(p, 1))
    return;
  // Of one divisor the greater one's is no less.
  if (d == p) {
    const Polynomial apart = x.of - z.of;
    if (isAtMost(known, d, apart))
      facts.atLeast(q, s + 1);
    else if (isAtMost(known, 0, apart))
      facts.atLeast(q, s);
    else if (isAtMost(known, d, -apart))
      facts.atLeast(s, q + 1);
    else if (isAtMost(known, apart, 0))
      facts.atLeast(s, q);
  }
  // z is w p, so that d s <= w p < d (s + 1), or, rounded up, d (s - 1) < w p <= d s;
  // and x is so many times d.
  for (bool zUp : {false, true}) {
    auto w = over(zUp ? z.of - d + 1 : z.of, p);
    if (!w)
      continue;
    const Polynomial below = zUp ? s - 1 : s, above = zUp ? s : s + 1;
    for (bool up : {false, true}) {
      auto share = over(up ? x.of - p + 1 : x.of, d);
      if (!share)
        continue;
      // x is less than w p, or at most that; or it is no less, or more.
      if (isAtMost(known, *share, below))
        facts.atLeast(*w - Polynomial(zUp && !up ? 1 : 0), q);
      else if (isAtMost(known, above, *share))
        facts.atLeast(q, *w + Polynomial(up && !zUp ? 1 : 0));
    }
  }
}

namespace {
/// Of a polynomial the terms, without the constant, that no product p divides: where
/// there is one of those, nothing is a multiple of p.
struct Undivided {
  explicit Undivided(const Polynomial &x, ArrayRef<Atom> p)
      : terms(Polynomial::TermList(x.monomials())), lost(x.isLost()) {
    llvm::erase_if(terms, [&](const Polynomial::Term &term) {
      return term.first.empty() || std::ranges::includes(term.first, p);
    });
  }
  /// Whether none are left of the sum of both.
  bool cancels(const Undivided &other) const {
    return !lost && !other.lost &&
           llvm::equal(terms, other.terms, [](const auto &a, const auto &b) {
             int64_t sum = 0;
             return a.first == b.first &&
                    !__builtin_add_overflow(a.second, b.second, &sum) &&
                    sum == 0;
           });
  }
  Undivided plus(const Undivided &other) const {
    Undivided result;
    result.lost = lost || other.lost;
    const auto *a = terms.begin(), *b = other.terms.begin();
    while (a != terms.end() || b != other.terms.end()) {
      const bool mine = b == other.terms.end() ||
                        (a != terms.end() && a->first <= b->first),
                 theirs = a == terms.end() ||
                          (b != other.terms.end() && b->first <= a->first);
      int64_t sum = 0;
      result.lost |= __builtin_add_overflow(mine ? a->second : 0,
                                            theirs ? b->second : 0, &sum);
      if (sum)
        result.terms.emplace_back(mine ? a->first : b->first, sum);
      a += mine;
      b += theirs;
    }
    return result;
  }

private:
  Undivided() = default;
  Polynomial::TermList terms;
  bool lost = false;
};
} // namespace

static bool sharesAtoms(const Polynomial &x, const Polynomial &y) {
  return llvm::any_of(x.atoms(), [&](Atom a) { return y.contains(a); });
}

/// Of a quotient q of x by p what x, and so `most`, is known to be at most so many
/// times p by, by a fact, or so many facts. (Few sums of facts are multiples of p: of
/// the others no sum is made.)
static void boundByFacts(const scalars::FactList &known,
                         ArrayRef<Undivided> undivided, const Polynomial &most,
                         const Undivided &ofMost, const Polynomial &p,
                         const Polynomial &q, int steps, Facts &facts) {
  for (auto [fact, ofFact] : llvm::zip_equal(known, undivided)) {
    if (!sharesAtoms(most, fact))
      continue;
    if (ofMost.cancels(ofFact))
      for (const Polynomial &more : {most + fact, most + fact - p + 1})
        if (auto times = over(
                more - Polynomial(std::min<int64_t>(more.constantTerm(), 0)),
                p))
          facts.atLeast(*times, q);
    if (steps == 1)
      continue;
    const Undivided ofBoth = ofMost.plus(ofFact);
    if (llvm::any_of(undivided, [&](const Undivided &each) {
          return ofBoth.cancels(each);
        }))
      boundByFacts(known, undivided, most + fact, ofBoth, p, q, steps - 1,
                   facts);
  }
}

static void boundByFacts(const scalars::FactList &known, const Polynomial &x,
                         const Polynomial &p, const Polynomial &q, int steps,
                         Facts &facts) {
  const Polynomial::TermList by = p.monomials();
  if (by.size() != 1 || by[0].second != 1 || by[0].first.empty())
    return;
  std::vector<Undivided> undivided;
  for (const Polynomial &fact : known)
    undivided.emplace_back(fact, by[0].first);
  boundByFacts(known, undivided, x, Undivided(x, by[0].first), p, q, steps,
               facts);
}

/// How often `a` is in x, where what is left is at most 0: x is at most so many times a.
static std::optional<Polynomial> timesAtMost(const Facts &facts,
                                             const Polynomial &x, Atom a) {
  Polynomial whole, rest;
  for (auto &[monomial, coefficient] : Polynomial::TermList(x.monomials())) {
    Polynomial term = coefficient;
    for (Atom factor : monomial)
      term = term * Polynomial::atom(factor);
    (llvm::is_contained(monomial, a) ? whole : rest) += term;
  }
  if (x.isLost() || !(rest == Polynomial() || facts.provesAtLeast(0, rest)))
    return std::nullopt;
  return over(whole, Polynomial::atom(a));
}

/// Of a quotient q of x by a product a b, where a fact, or so many facts, say that x is
/// less than a w: that b q is less than w. (Of a b q < a w with a >= 0, which takes
/// products of what is known to see.)
static void boundByFactors(const scalars::FactList &known, const Polynomial &x,
                           const Polynomial &p, const Polynomial &q, int steps,
                           Facts &facts) {
  const Polynomial::TermList by = p.monomials();
  if (by.size() != 1 || by[0].second != 1)
    return;
  for (const Polynomial &fact : known) {
    if (llvm::none_of(x.atoms(), [&](Atom a) { return fact.contains(a); }))
      continue;
    for (Atom a : by[0].first)
      if (fact.contains(a) && facts.provesAtLeast(Polynomial::atom(a), 0))
        if (auto w = timesAtMost(facts, x + fact + 1, a))
          facts.atLeast(*w - 1, *over(p, Polynomial::atom(a)) * q);
    if (steps > 1)
      boundByFactors(known, x + fact, p, q, steps - 1, facts);
  }
}

/// Of a share's quotient q of x by p, rounded down or up, which multiples of p x is
/// below: what takes products of several facts is a fact from here on.
static void boundQuotient(const Atoms &atoms, const Polynomial &x,
                          const Polynomial &p, const Polynomial &q,
                          Facts &facts) {
  const Facts known = facts;
  for (const Polynomial &most : {x, x - p + 1}) {
    // A share of a whole is at most the whole: (cta + 1) * all div ctas.
    const SmallVector<Atom, 4> factors = commonFactors(most);
    if (factors.empty() || factors.size() > 4 ||
        llvm::any_of(factors, [&](Atom each) {
          return !known.provesAtLeast(Polynomial::atom(each), 0);
        }))
      continue;
    for (unsigned some = 1; some < 1u << factors.size(); ++some) {
      SmallVector<Atom, 4> chosen;
      for (unsigned i = 0; i < factors.size(); ++i)
        if (some >> i & 1)
          chosen.push_back(factors[i]);
      const Polynomial part = productOf(chosen), share = *over(most, part);
      if (isAtMost(known, share, p))
        facts.atLeast(part, q);
    }
  }
  // Of those that something is known of.
  std::set<Atom> others;
  for (const Polynomial &fact : known.zero)
    for (Atom a : fact.atoms())
      if (atoms.kind(a) == "quotient" && Polynomial::atom(a) != q)
        others.insert(a);
  for (Atom a : others)
    relate(known, {x, p, q},
           {atoms.operands(a)[0], atoms.operands(a)[1], Polynomial::atom(a)},
           facts);
}

/// Of a quotient q of x by the least of several numbers, of each of which x is less than
/// so many times, w: that q is less than w.
static void boundByLeast(const Atoms &atoms, const Polynomial &x,
                         const Polynomial &p, const Polynomial &q,
                         Facts &facts) {
  const auto in = p.atoms();
  if (in.size() != 1 || p != Polynomial::atom(in[0]) ||
      atoms.kind(in[0]) != "minimum")
    return;
  const std::vector<Polynomial> of = atoms.operands(in[0]);
  const scalars::FactList known = facts.nonnegative;
  for (const Polynomial &fact : known)
    for (const Polynomial &one : of)
      if (auto w = over(x + fact + 1, one);
          w && !w->constant() && llvm::all_of(of, [&](const Polynomial &each) {
            return facts.provesAtLeast(*w * each - 1, x);
          }))
        facts.atLeast(*w - 1, q);
}

bool Arithmetic::boundQuotients(const Polynomial &of, Facts &facts) {
  const scalars::FactList known = facts.nonnegative;
  // None is more than what it is of.
  std::set<Atom> seen;
  auto first = of.atoms();
  SmallVector<Atom> rest(first.begin(), first.end());
  while (!rest.empty()) {
    const Atom a = rest.pop_back_val();
    if (atoms.kind(a) != "quotient" || !seen.insert(a).second)
      continue;
    const std::vector<Polynomial> division = atoms.operands(a);
    if (!division[1].constant() && facts.provesAtLeast(division[0], 0) &&
        facts.provesAtLeast(division[1], 1))
      facts.atLeast(division[0], Polynomial::atom(a));
    llvm::append_range(rest, division[0].atoms());
  }
  for (Atom a : of.atoms()) {
    const std::vector<Polynomial> division = atoms.operands(a);
    if (atoms.kind(a) != "quotient" || division[1].constant())
      continue;
    boundByFactors(known, division[0], division[1], Polynomial::atom(a), 2,
                   facts);
    boundByLeast(atoms, division[0], division[1], Polynomial::atom(a), facts);
  }
  return facts.nonnegative.size() > known.size();
}

std::pair<Polynomial, Polynomial>
Arithmetic::divide(const Polynomial &x, const Polynomial &p, Facts &facts) {
  // c y + k is divided as y and k are.
  if (auto c = p.constant(); c && *c > 0) {
    int64_t k = x.constantTerm(), rest = (k % *c + *c) % *c;
    if (auto exact = (x - Polynomial(rest)).dividedBy(*c))
      return {*exact, rest};
  }
  Polynomial q = Polynomial::atom(atoms.atom("quotient", nullptr, {x, p})),
             r = Polynomial::atom(atoms.atom("remainder", nullptr, {x, p}));
  addDivision(facts, x, p, q, r);
  if (facts.provesAtLeast(x, 0))
    facts.atLeast(q, 0);
  if (!p.constant()) {
    const scalars::FactList known = facts.nonnegative;
    const bool share = isOfShare(atoms, x);
    if (share)
      boundQuotient(atoms, x, p, q, facts);
    boundByFacts(known, x, p, q, share ? 2 : 1, facts);
    if (!share && p.degree() > 1)
      boundByFactors(known, x, p, q, 2, facts);
  }
  return {q, r};
}
