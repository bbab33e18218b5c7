//===- Polynomial.h - symbolic integers -------------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An integer of a kernel, without a number: a polynomial with integer
// coefficients over atoms.
//
//   atom         what it stands for
//   size, id     a size of a tensor, an argument, cta_id, num_ctas
//   iteration    how many iterations of a loop came before this one
//   quotient     q of x = q p + r, 0 <= r < p
//   remainder    r of the same
//   term         anything else that is pure: equal where it is the same
//
//   %u = %tile * %steps + %step       tile * steps + step
//   %s = %u mod 4                     r, with a new atom q: u = 4 q + r
//
// A polynomial is kept in normal form (monomials sorted, no zeros), so that
// equal polynomials are equal as data, and a product of sums is a sum of
// products: 3 * 3 * blocks and 9 * blocks are one. Coefficients that leave 64
// bits make it `lost`: nothing is known of it, and nothing is proved by it.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_SCALARS_POLYNOMIAL_H
#define TITAN_ANALYSIS_SCALARS_POLYNOMIAL_H

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace titan::scalars {

using Atom = uint32_t;

/// A product of atoms, sorted; empty: 1.
using Monomial = std::vector<Atom>;

class Polynomial {
public:
  Polynomial() = default;
  Polynomial(int64_t constant) {
    if (constant)
      terms[{}] = constant;
  }
  static Polynomial atom(Atom atom) {
    Polynomial result;
    result.terms[{atom}] = 1;
    return result;
  }

  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  Polynomial operator-() const { return Polynomial() - *this; }
  Polynomial &operator+=(const Polynomial &other) {
    return *this = *this + other;
  }
  bool operator==(const Polynomial &) const = default;
  auto operator<=>(const Polynomial &) const = default;

  bool isLost() const { return lost; }
  /// The number, where it is one.
  std::optional<int64_t> constant() const;
  /// The coefficient of 1.
  int64_t constantTerm() const;
  /// The atoms in it, each once.
  std::vector<Atom> atoms() const;
  bool contains(Atom atom) const;
  /// The degree of the whole.
  size_t degree() const;
  /// Each atom that `by` knows replaced.
  Polynomial
  substitute(const std::function<std::optional<Polynomial>(Atom)> &by) const;
  Polynomial substitute(Atom atom, const Polynomial &by) const;
  /// Its value; none where it does not fit into 64 bits.
  std::optional<int64_t>
  evaluate(const std::function<int64_t(Atom)> &value) const;
  /// Where it is c * y for a constant c that divides all coefficients.
  std::optional<Polynomial> dividedBy(int64_t c) const;

  const std::map<Monomial, int64_t> &monomials() const { return terms; }
  std::string print(const std::function<std::string(Atom)> &name) const;

private:
  void add(const Monomial &monomial, int64_t coefficient);
  std::map<Monomial, int64_t> terms;
  bool lost = false;
};

} // namespace titan::scalars

#endif
