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
// bits make it `lost`: nothing is known of it, and nothing is proved by it. It
// is equal to its copies alone, and to nothing once something is put into it.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_SCALARS_POLYNOMIAL_H
#define TITAN_ANALYSIS_SCALARS_POLYNOMIAL_H

#include "titan/Analysis/Scalars/Recycled.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace titan::scalars {

using Atom = uint32_t;

/// A product of atoms, sorted; empty: 1. Of equal ones each thread has one, for as long
/// as it lives: to copy and compare them is to do so with pointers.
class Monomial {
public:
  using const_iterator = const Atom *;
  Monomial() = default;
  /// Of atoms that are sorted.
  explicit Monomial(llvm::ArrayRef<Atom> sorted);
  const_iterator begin() const { return data ? data + 1 : nullptr; }
  const_iterator end() const { return begin() + size(); }
  size_t size() const { return data ? *data : 0; }
  bool empty() const { return !data; }
  Atom operator[](size_t i) const { return data[1 + i]; }
  operator llvm::ArrayRef<Atom>() const { return {begin(), size()}; }
  Monomial operator*(const Monomial &other) const;
  bool operator==(const Monomial &other) const = default;
  /// In the order of their atoms.
  std::strong_ordering operator<=>(const Monomial &other) const {
    if (data == other.data)
      return std::strong_ordering::equal;
    return std::lexicographical_compare_three_way(begin(), end(), other.begin(),
                                                  other.end());
  }
  /// For tables.
  const void *identity() const { return data; }

private:
  /// How many, and the atoms.
  const Atom *data = nullptr;
};

class Polynomial {
public:
  using Term = std::pair<Monomial, int64_t>;
  using TermList = llvm::SmallVector<Term, 4>;

  Polynomial() = default;
  Polynomial(int64_t constant);
  static Polynomial atom(Atom atom) {
    return Polynomial(TermList{{Monomial(atom), 1}}, false);
  }

  Polynomial operator+(const Polynomial &other) const { return plus(other, 1); }
  Polynomial operator-(const Polynomial &other) const {
    return plus(other, -1);
  }
  Polynomial operator*(const Polynomial &other) const;
  Polynomial operator-() const { return Polynomial().plus(*this, -1); }
  Polynomial &operator+=(const Polynomial &other) {
    return *this = *this + other;
  }
  bool operator==(const Polynomial &other) const;
  /// Shorter ones first.
  std::strong_ordering operator<=>(const Polynomial &other) const;

  bool isLost() const { return data && data->lost; }
  /// The number, where it is one.
  std::optional<int64_t> constant() const {
    if (!data)
      return 0;
    if (data->lost || data->terms.size() > 1 ||
        (data->terms.size() == 1 && !data->terms[0].first.empty()))
      return std::nullopt;
    return constantTerm();
  }
  /// This less the other one, where that is a number.
  std::optional<int64_t> numberMore(const Polynomial &other) const;
  /// The coefficient of 1.
  int64_t constantTerm() const {
    // The empty product is the first.
    return !data || data->terms.empty() || !data->terms[0].first.empty()
               ? 0
               : data->terms[0].second;
  }
  /// The atoms in it, sorted, each once.
  using AtomList = llvm::SmallVector<Atom, 6>;
  const AtomList &atoms() const &;
  AtomList atoms() && { return std::as_const(*this).atoms(); }
  bool contains(Atom atom) const;
  /// The degree of the whole.
  size_t degree() const;
  /// Each atom that `by` knows replaced.
  Polynomial
  substitute(llvm::function_ref<std::optional<Polynomial>(Atom)> by) const;
  Polynomial substitute(Atom atom, const Polynomial &by) const;
  /// Its value; none where it does not fit into 64 bits.
  template <typename Value> std::optional<int64_t> evaluate(Value value) const {
    if (isLost())
      return std::nullopt;
    int64_t sum = 0;
    for (const auto &[monomial, coefficient] : monomials()) {
      int64_t product = coefficient;
      for (Atom a : monomial)
        if (__builtin_mul_overflow(product, int64_t(value(a)), &product))
          return std::nullopt;
      if (__builtin_add_overflow(sum, product, &sum))
        return std::nullopt;
    }
    return sum;
  }
  /// Where it is c * y for a constant c that divides all coefficients.
  std::optional<Polynomial> dividedBy(int64_t c) const;
  /// p >= 0 for integers, with the divisor of all but the constant taken out:
  /// 4 x + 3 becomes x.
  Polynomial overDivisor() const;

  const TermList &monomials() const & { return data ? data->terms : none; }
  TermList monomials() && { return std::as_const(*this).monomials(); }
  /// Equal for equal ones.
  size_t hash() const { return data ? data->hash : 0; }
  std::string print(const std::function<std::string(Atom)> &name) const;

private:
  /// Of terms that are sorted, each monomial once, without zeros.
  Polynomial(llvm::ArrayRef<Term> terms, bool lost);
  /// This and `times` the other one.
  Polynomial plus(const Polynomial &other, int64_t times) const;
  /// The same, and the product, computed.
  Polynomial sumOf(const Polynomial &other, int64_t times) const;
  Polynomial productOf(const Polynomial &other) const;
  /// Of terms in any order.
  static Polynomial sum(llvm::ArrayRef<Term> terms, bool lost);

  /// Never changed: copies of a polynomial share it, within one thread. None: 0.
  struct Data : llvm::RefCountedBase<Data>, Recycled<Data> {
    TermList terms;
    AtomList atoms;
    size_t hash;
    bool lost;
  };
  llvm::IntrusiveRefCntPtr<const Data> data;
  static const TermList none;
};

/// For tables of what was computed of one.
struct PolynomialHash {
  size_t operator()(const Polynomial &p) const { return p.hash(); }
};
using PolynomialTable =
    std::unordered_map<Polynomial, Polynomial, PolynomialHash>;

} // namespace titan::scalars

#endif
