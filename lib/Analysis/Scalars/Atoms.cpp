//===- Atoms.cpp - the symbols that polynomials are made of ---------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Scalars/Facts.h"

using namespace titan::scalars;

Atom Atoms::atom(std::string kind, const void *object,
                 std::vector<Polynomial> operands, std::string name) {
  auto [found, fresh] = known.try_emplace(
      Key{std::move(kind), object, std::move(operands)}, names.size());
  if (fresh) {
    names.push_back(std::move(name));
    keys.push_back(&found->first);
  }
  return found->second;
}

Polynomial Atoms::triangle(const Polynomial &x, Facts *facts) {
  // T(x + c) = T(x) + c x + T(c).
  int64_t c = x.constantTerm();
  Polynomial rest = x - Polynomial(c);
  Polynomial half = (c % 2 ? Polynomial(c) * Polynomial((c - 1) / 2)
                           : Polynomial(c / 2) * Polynomial(c - 1));
  if (rest == Polynomial())
    return half;
  hasTriangles = true;
  Polynomial result = Polynomial::atom(atom("triangle", nullptr, {rest}));
  if (facts) {
    facts->atLeast(result, 0);
    facts->atLeast(result, rest - 1);
  }
  return result + rest * Polynomial(c) + half;
}

/// How far a sum goes that is written out.
static constexpr int64_t mostWrittenOut = 8;

Polynomial Atoms::sumOf(const Polynomial &x, const Polynomial &product) {
  if (product == Polynomial(1))
    return x - 1;
  if (product == each())
    return triangle(x, nullptr);
  int64_t c = x.constantTerm();
  Polynomial from = x - Polynomial(c), result;
  if (c > mostWrittenOut || c < -mostWrittenOut)
    from = x, c = 0;
  if (from == Polynomial()) {
    // S(1) = 0.
    from = 1;
    c -= 1;
  } else {
    hasSums = true;
    result = Polynomial::atom(atom("sum", nullptr, {from, product}));
  }
  for (int64_t k = 0; k < c; ++k)
    result += at(product, from + Polynomial(k), nullptr);
  for (int64_t k = -1; k >= c; --k)
    result += -at(product, from + Polynomial(k), nullptr);
  return result;
}

/// What is known of the two, or is computed now. (Nothing equals what is lost.)
template <typename Compute>
static Polynomial
once(std::map<std::pair<Polynomial, Polynomial>, Polynomial> &known,
     const Polynomial &a, const Polynomial &b, Compute compute) {
  if (a.isLost() || b.isLost())
    return compute();
  if (auto found = known.find({a, b}); found != known.end())
    return found->second;
  Polynomial result = compute();
  if (!result.isLost())
    known.try_emplace({a, b}, result);
  return result;
}

Polynomial Atoms::at(const Polynomial &f, const Polynomial &x, Facts *facts) {
  auto compute = [&] { return substitute(f, each().atoms()[0], x, facts); };
  return facts ? compute() : once(values, f, x, compute);
}

Polynomial Atoms::sum(const Polynomial &x, const Polynomial &f) {
  return once(sums, x, f, [&] { return sumOfProducts(x, f); });
}

Polynomial Atoms::sumOfProducts(const Polynomial &x, const Polynomial &f) {
  if (f.isLost())
    return f;
  const Atom number = each().atoms()[0];
  auto varies = [&](Atom a) { return a == number; };
  Polynomial result;
  for (auto &[monomial, coefficient] : Polynomial::TermList(f.monomials())) {
    Polynomial product = 1, times = coefficient;
    for (Atom a : monomial)
      (dependsOn(a, varies) ? product : times) =
          (dependsOn(a, varies) ? product : times) * Polynomial::atom(a);
    result += times * sumOf(x, product);
  }
  return result;
}

Atom Atoms::copyOf(Atom atom) {
  return this->atom("copy", nullptr, {Polynomial::atom(atom)});
}

bool Atoms::dependsOn(Atom atom, llvm::function_ref<bool(Atom)> is) const {
  if (is(atom))
    return true;
  for (const Polynomial &operand : std::get<2>(*keys[atom]))
    if (dependsOn(operand, is))
      return true;
  return false;
}

bool Atoms::dependsOn(const Polynomial &p,
                      llvm::function_ref<bool(Atom)> is) const {
  for (Atom a : p.atoms())
    if (dependsOn(a, is))
      return true;
  return false;
}

Polynomial Atoms::substitute(const Polynomial &p, By by, Facts *facts) {
  // Much of p is computed from the same atoms.
  Substituted known;
  return substitute(p, by, facts, known);
}

Polynomial Atoms::substitute(const Polynomial &p, By by, Facts *facts,
                             Substituted &known) {
  return p.substitute([&](Atom a) -> std::optional<Polynomial> {
    if (auto found = known.find(a); found != known.end())
      return found->second;
    std::optional<Polynomial> result = substituted(a, by, facts, known);
    known.try_emplace(a, result);
    return result;
  });
}

std::optional<Polynomial> Atoms::substituted(Atom a, By by, Facts *facts,
                                             Substituted &known) {
  if (auto with = by(a))
    return with;
  const auto &[kind, object, operands] = *keys[a];
  if (operands.empty() || kind == "copy")
    return std::nullopt;
  std::vector<Polynomial> changed;
  for (const Polynomial &operand : operands)
    changed.push_back(substitute(operand, by, facts, known));
  if (changed == operands)
    return std::nullopt;
  if (kind == "triangle")
    return triangle(changed[0], facts);
  if (kind == "sum")
    return sum(changed[0], changed[1]);
  bool quotient = kind == "quotient", remainder = kind == "remainder";
  // Of a number of the iteration there may be none in it any more.
  if (quotient || remainder)
    if (auto x = changed[0].constant(), d = changed[1].constant();
        x && d && *x >= 0 && *d > 0)
      return Polynomial(quotient ? *x / *d : *x % *d);
  Polynomial result = Polynomial::atom(atom(kind, object, changed));
  if (facts && (quotient || remainder)) {
    Polynomial other = Polynomial::atom(
        atom(quotient ? "remainder" : "quotient", object, changed));
    addDivision(*facts, changed[0], changed[1], quotient ? result : other,
                quotient ? other : result);
  }
  return result;
}

Polynomial Atoms::substitute(const Polynomial &p, Atom atom,
                             const Polynomial &with, Facts *facts) {
  return substitute(
      p,
      [&](Atom a) -> std::optional<Polynomial> {
        return a == atom ? std::optional(with) : std::nullopt;
      },
      facts);
}
