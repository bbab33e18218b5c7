//===- Expr.h - Integers known now or at launch -----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extents and indices of iteration domains are integer expressions over
// symbols: the size of a tensor that only a launch knows, a loop's index.
// Division is Euclidean throughout: x = (x / d)*d + x % d with 0 <= x % d <
// |d|, so that -1 / 4 = -1 and -1 % 4 = 3.
//
//   Expr n = Expr::symbol("N", 8);   a multiple of 8, so says the caller
//   ceilDiv(n, 4).str()              N ceildiv 4
//   isMultiple(n * 3, 4)             Tri::Yes
//   isMultiple(n, 16)                Tri::Unknown: the launch checks it
//
// Values are 64 bits; arithmetic that would overflow has no value (evaluate
// gives none, and constants are not folded).
//
// Operations share their operands: indices of a domain that is merged with
// itself turned round, again and again, are of doubled size each time. Making
// an expression takes the same time whatever its size; walks (evaluate,
// substitute, str, mentions) take time in it, so that who makes expressions
// from what it is given holds them to maxSize.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DOMAIN_EXPR_H
#define TITAN_DOMAIN_EXPR_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace titan {

/// Yes, no, or only a launch can tell.
enum class Tri : uint8_t { No, Yes, Unknown };

inline Tri triOf(bool value) { return value ? Tri::Yes : Tri::No; }

/// Euclidean quotient and remainder; the divisor is not 0.
int64_t euclidDiv(int64_t x, int64_t d);
int64_t euclidMod(int64_t x, int64_t d);
/// The least q with q*d >= x, for d > 0.
int64_t ceilDiv(int64_t x, int64_t d);

class Expr {
public:
  enum class Kind : uint8_t {
    Constant,
    Symbol,
    Add,
    Mul,
    Div,
    Mod,
    CeilDiv,
    Xor,
    Min,
    Max
  };

  /// Values of symbols.
  using Bindings = std::map<std::string, int64_t>;

  Expr(int64_t value = 0);
  /// A value of the launch, known to be a multiple of `multipleOf` (>= 1).
  static Expr symbol(std::string name, int64_t multipleOf = 1);

  Kind kind() const;
  /// The value, if it is known now.
  std::optional<int64_t> constant() const;
  bool is(int64_t value) const { return constant() == value; }
  /// The value under these bindings; none when a symbol is missing, a divisor
  /// is 0, or the arithmetic overflows.
  std::optional<int64_t> evaluate(const Bindings &bindings) const;
  /// The same with numbers for these symbols.
  Expr substitute(const Bindings &values) const;
  /// A number that surely divides the value; 0 if the value is surely 0.
  int64_t divisor() const;
  /// Symbols, numbers and operations, as str() writes them.
  int64_t size() const;
  static constexpr int64_t maxSize = 4096;
  /// Surely without a value: a division by 0, or numbers that overflow.
  bool isUndefined() const;
  /// `(N ceildiv 4)*8 + i`.
  std::string str() const;
  /// Written the same (after folding): then surely equal. Beyond maxSize
  /// only what is shared is.
  bool same(const Expr &other) const;

  friend Expr operator+(const Expr &a, const Expr &b);
  friend Expr operator-(const Expr &a, const Expr &b);
  friend Expr operator*(const Expr &a, const Expr &b);
  friend Expr operator/(const Expr &a, const Expr &b);
  friend Expr operator%(const Expr &a, const Expr &b);
  friend Expr operator^(const Expr &a, const Expr &b);
  friend Expr ceilDiv(const Expr &a, const Expr &b);
  friend Expr min(const Expr &a, const Expr &b);
  friend Expr max(const Expr &a, const Expr &b);

  /// The operands of an operation; only where kind() is neither Constant nor
  /// Symbol.
  const Expr &lhs() const;
  const Expr &rhs() const;
  /// The name of a Symbol.
  const std::string &name() const;
  /// Whether a symbol of which `is(name)` holds occurs.
  bool mentions(const std::function<bool(const std::string &)> &is) const;

private:
  struct Node;
  struct Raw {};
  explicit Expr(Raw) {}
  static Expr make(Kind kind, const Expr &a, const Expr &b);
  std::string print(int level) const;

  std::shared_ptr<const Node> node;
};

/// Whether `factor` divides `value`.
Tri isMultiple(const Expr &value, const Expr &factor);
/// Whether the two are equal.
Tri areEqual(const Expr &a, const Expr &b);

} // namespace titan

#endif // TITAN_DOMAIN_EXPR_H
