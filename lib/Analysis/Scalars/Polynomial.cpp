//===- Polynomial.cpp - symbolic integers ---------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Scalars/Polynomial.h"

#include <algorithm>
#include <set>

using namespace titan::scalars;

void Polynomial::add(const Monomial &monomial, int64_t coefficient) {
  auto [found, fresh] = terms.try_emplace(monomial, 0);
  lost |= __builtin_add_overflow(found->second, coefficient, &found->second);
  if (found->second == 0)
    terms.erase(found);
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial result = *this;
  result.lost |= other.lost;
  for (auto &[monomial, coefficient] : other.terms)
    result.add(monomial, coefficient);
  return result;
}

Polynomial Polynomial::operator-(const Polynomial &other) const {
  return *this + other * Polynomial(-1);
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial result;
  result.lost = lost || other.lost;
  for (auto &[a, x] : terms)
    for (auto &[b, y] : other.terms) {
      Monomial product;
      std::merge(a.begin(), a.end(), b.begin(), b.end(),
                 std::back_inserter(product));
      int64_t coefficient = 0;
      result.lost |= __builtin_mul_overflow(x, y, &coefficient);
      result.add(product, coefficient);
    }
  return result;
}

std::optional<int64_t> Polynomial::constant() const {
  if (lost || terms.size() > 1 ||
      (terms.size() == 1 && !terms.begin()->first.empty()))
    return std::nullopt;
  return constantTerm();
}

int64_t Polynomial::constantTerm() const {
  auto found = terms.find({});
  return found == terms.end() ? 0 : found->second;
}

std::vector<Atom> Polynomial::atoms() const {
  std::set<Atom> all;
  for (auto &[monomial, coefficient] : terms)
    all.insert(monomial.begin(), monomial.end());
  return {all.begin(), all.end()};
}

bool Polynomial::contains(Atom atom) const {
  for (auto &[monomial, coefficient] : terms)
    if (std::binary_search(monomial.begin(), monomial.end(), atom))
      return true;
  return false;
}

size_t Polynomial::degree() const {
  size_t degree = 0;
  for (auto &[monomial, coefficient] : terms)
    degree = std::max(degree, monomial.size());
  return degree;
}

Polynomial Polynomial::substitute(
    const std::function<std::optional<Polynomial>(Atom)> &by) const {
  Polynomial result;
  result.lost = lost;
  for (auto &[monomial, coefficient] : terms) {
    Polynomial product(coefficient);
    for (Atom a : monomial) {
      std::optional<Polynomial> other = by(a);
      product = product * (other ? *other : atom(a));
    }
    result += product;
  }
  return result;
}

Polynomial Polynomial::substitute(Atom atom, const Polynomial &by) const {
  if (!contains(atom))
    return *this;
  return substitute([&](Atom a) -> std::optional<Polynomial> {
    return a == atom ? std::optional(by) : std::nullopt;
  });
}

std::optional<int64_t>
Polynomial::evaluate(const std::function<int64_t(Atom)> &value) const {
  if (lost)
    return std::nullopt;
  int64_t sum = 0;
  for (auto &[monomial, coefficient] : terms) {
    int64_t product = coefficient;
    for (Atom a : monomial)
      if (__builtin_mul_overflow(product, value(a), &product))
        return std::nullopt;
    if (__builtin_add_overflow(sum, product, &sum))
      return std::nullopt;
  }
  return sum;
}

std::optional<Polynomial> Polynomial::dividedBy(int64_t c) const {
  Polynomial result = *this;
  for (auto &[monomial, coefficient] : result.terms) {
    if (c == 0 || coefficient % c)
      return std::nullopt;
    coefficient /= c;
  }
  return result;
}

std::string
Polynomial::print(const std::function<std::string(Atom)> &name) const {
  if (lost)
    return "?";
  std::string text;
  // The constant last.
  for (bool constants : {false, true})
    for (auto &[monomial, coefficient] : terms) {
      if (monomial.empty() != constants)
        continue;
      bool minus = coefficient < 0;
      text += text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
      uint64_t size = minus ? 0 - static_cast<uint64_t>(coefficient)
                            : static_cast<uint64_t>(coefficient);
      if (size != 1 || constants)
        text += std::to_string(size) + (constants ? "" : "*");
      for (size_t i = 0; i < monomial.size(); ++i)
        text += (i ? "*" : "") + name(monomial[i]);
    }
  return text.empty() ? "0" : text;
}
