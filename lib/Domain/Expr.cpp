//===- Expr.cpp - Integers known now or at launch -------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/Expr.h"

#include <algorithm>
#include <numeric>

using namespace titan;

int64_t titan::euclidDiv(int64_t x, int64_t d) {
  int64_t q = x / d;
  // C++ rounds to zero; a negative remainder is one step too far.
  return x % d < 0 ? (d > 0 ? q - 1 : q + 1) : q;
}

int64_t titan::euclidMod(int64_t x, int64_t d) {
  int64_t r = x % d;
  return r < 0 ? r + (d > 0 ? d : -d) : r;
}

int64_t titan::ceilDiv(int64_t x, int64_t d) { return -euclidDiv(-x, d); }

struct Expr::Node {
  Kind kind = Kind::Constant;
  int64_t value = 0; // Constant: the value. Symbol: what it is a multiple of.
  std::string name;
  Expr a, b;
  // Operations share operands, so that an expression's tree may be far larger
  // than what it takes in memory: what walks would be asked for is kept.
  int64_t divisor = 1, size = 1;
  size_t hash;
  bool symbolic = false, undefined = false;

  Node(int64_t value)
      : value(value), a(Raw{}), b(Raw{}), divisor(value == INT64_MIN ? 1
                                                  : value < 0        ? -value
                                                                     : value),
        hash(std::hash<int64_t>()(value)) {}
  Node(std::string text, int64_t multipleOf)
      : kind(Kind::Symbol), value(multipleOf), name(std::move(text)), a(Raw{}),
        b(Raw{}), divisor(multipleOf), hash(std::hash<std::string>()(name)),
        symbolic(true) {}
  Node(Kind kind, const Expr &a, const Expr &b)
      : kind(kind), a(a), b(b), divisor(divisorOf(kind, a, b)) {
    if (__builtin_add_overflow(a.node->size, b.node->size, &size) ||
        __builtin_add_overflow(size, 1, &size))
      size = INT64_MAX;
    hash = (a.node->hash * 31 + b.node->hash) * 31 + static_cast<size_t>(kind);
    symbolic = a.node->symbolic || b.node->symbolic;
    bool divides =
        kind == Kind::Div || kind == Kind::Mod || kind == Kind::CeilDiv;
    // Constants are folded, unless that has no value.
    undefined = a.node->undefined || b.node->undefined ||
                (divides && b.is(0)) || (a.constant() && b.constant());
  }
  static int64_t divisorOf(Kind kind, const Expr &a, const Expr &b);
};

Expr::Expr(int64_t value) : node(std::make_shared<Node>(value)) {}

Expr Expr::symbol(std::string name, int64_t multipleOf) {
  Expr result{Raw{}};
  result.node =
      std::make_shared<Node>(std::move(name), multipleOf < 1 ? 1 : multipleOf);
  return result;
}

Expr::Kind Expr::kind() const { return node->kind; }

std::optional<int64_t> Expr::constant() const {
  if (node->kind == Kind::Constant)
    return node->value;
  return std::nullopt;
}

/// One operation on values; none where there is no value.
static std::optional<int64_t> apply(Expr::Kind kind, int64_t a, int64_t b) {
  int64_t result;
  switch (kind) {
  case Expr::Kind::Add:
    if (__builtin_add_overflow(a, b, &result))
      return std::nullopt;
    return result;
  case Expr::Kind::Mul:
    if (__builtin_mul_overflow(a, b, &result))
      return std::nullopt;
    return result;
  case Expr::Kind::Xor:
    return a ^ b;
  case Expr::Kind::Min:
    return std::min(a, b);
  case Expr::Kind::Max:
    return std::max(a, b);
  case Expr::Kind::Div:
  case Expr::Kind::Mod:
  case Expr::Kind::CeilDiv:
    if (b == 0 || a == INT64_MIN || b == INT64_MIN ||
        (kind == Expr::Kind::CeilDiv && b < 0))
      return std::nullopt;
    if (kind == Expr::Kind::Div)
      return euclidDiv(a, b);
    if (kind == Expr::Kind::Mod)
      return euclidMod(a, b);
    return ceilDiv(a, b);
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> Expr::evaluate(const Bindings &bindings) const {
  if (node->kind == Kind::Constant)
    return node->value;
  if (node->kind == Kind::Symbol) {
    auto it = bindings.find(node->name);
    if (it == bindings.end())
      return std::nullopt;
    return it->second;
  }
  auto a = node->a.evaluate(bindings), b = node->b.evaluate(bindings);
  if (!a || !b)
    return std::nullopt;
  return apply(node->kind, *a, *b);
}

Expr Expr::substitute(const Bindings &values) const {
  if (!node->symbolic)
    return *this;
  if (node->kind == Kind::Symbol) {
    auto it = values.find(node->name);
    return it == values.end() ? *this : Expr(it->second);
  }
  Expr a = node->a.substitute(values), b = node->b.substitute(values);
  switch (node->kind) {
  case Kind::Add:
    return a + b;
  case Kind::Mul:
    return a * b;
  case Kind::Div:
    return a / b;
  case Kind::Mod:
    return a % b;
  case Kind::CeilDiv:
    return ceilDiv(a, b);
  case Kind::Xor:
    return a ^ b;
  case Kind::Min:
    return min(a, b);
  default:
    return max(a, b);
  }
}

int64_t Expr::Node::divisorOf(Kind kind, const Expr &a, const Expr &b) {
  switch (kind) {
  case Kind::Add:
  case Kind::Min:
  case Kind::Max:
    return std::gcd(a.divisor(), b.divisor());
  case Kind::Mul: {
    int64_t product;
    if (__builtin_mul_overflow(a.divisor(), b.divisor(), &product))
      return 1;
    return product;
  }
  case Kind::Div:
  case Kind::CeilDiv: {
    // Exact where the divisor is a known factor of the dividend.
    auto by = b.constant();
    int64_t d = a.divisor();
    return by && *by > 0 && d % *by == 0 ? d / *by : 1;
  }
  case Kind::Mod:
    // x % d = x - (x / d)*d.
    return std::gcd(a.divisor(), b.divisor());
  default:
    return 1;
  }
}

int64_t Expr::divisor() const { return node->divisor; }
int64_t Expr::size() const { return node->size; }
bool Expr::isUndefined() const { return node->undefined; }

bool Expr::same(const Expr &other) const {
  if (node == other.node)
    return true;
  if (node->hash != other.node->hash || node->size != other.node->size ||
      node->kind != other.node->kind || node->value != other.node->value ||
      node->name != other.node->name)
    return false;
  if (node->kind == Kind::Constant || node->kind == Kind::Symbol)
    return true;
  return node->size <= maxSize && node->a.same(other.node->a) &&
         node->b.same(other.node->b);
}

Expr Expr::make(Kind kind, const Expr &a, const Expr &b) {
  auto x = a.constant(), y = b.constant();
  if (x && y)
    if (auto value = apply(kind, *x, *y))
      return *value;
  Expr result{Raw{}};
  result.node = std::make_shared<Node>(kind, a, b);
  return result;
}

Expr titan::operator+(const Expr &a, const Expr &b) {
  if (a.is(0))
    return b;
  if (b.is(0))
    return a;
  // (x + 2) + 3: constants last, in one.
  if (a.kind() == Expr::Kind::Add && b.constant() && a.node->b.constant() &&
      !a.node->a.constant())
    return a.node->a + (a.node->b + b);
  if (a.constant() && !b.constant())
    return b + a;
  return Expr::make(Expr::Kind::Add, a, b);
}

Expr titan::operator-(const Expr &a, const Expr &b) {
  if (a.same(b))
    return 0;
  return a + b * Expr(-1);
}

Expr titan::operator*(const Expr &a, const Expr &b) {
  if (a.is(0) || b.is(0))
    return 0;
  if (a.is(1))
    return b;
  if (b.is(1))
    return a;
  if (a.constant() && !b.constant())
    return b * a;
  return Expr::make(Expr::Kind::Mul, a, b);
}

/// x where e = x * d, written so.
static std::optional<Expr> quotient(const Expr &e, const Expr &d, const Expr &a,
                                    const Expr &b) {
  if (e.kind() != Expr::Kind::Mul)
    return std::nullopt;
  if (b.same(d))
    return a;
  if (a.same(d))
    return b;
  return std::nullopt;
}

Expr titan::operator/(const Expr &a, const Expr &b) {
  if (b.is(1))
    return a;
  auto d = b.constant();
  if (d && *d != 0 && a.kind() == Expr::Kind::Mul)
    if (auto x = quotient(a, b, a.node->a, a.node->b))
      return *x;
  return Expr::make(Expr::Kind::Div, a, b);
}

Expr titan::operator%(const Expr &a, const Expr &b) {
  if (b.is(1))
    return 0;
  auto d = b.constant();
  if (d && *d != 0 && a.divisor() % *d == 0)
    return 0;
  // (x % 8) % 8, (x % 8) % 24: it is below 8.
  if (d && *d > 0 && a.kind() == Expr::Kind::Mod)
    if (auto n = a.node->b.constant(); n && *n > 0 && *d >= *n)
      return a;
  return Expr::make(Expr::Kind::Mod, a, b);
}

Expr titan::operator^(const Expr &a, const Expr &b) {
  if (a.is(0))
    return b;
  if (b.is(0))
    return a;
  return Expr::make(Expr::Kind::Xor, a, b);
}

Expr titan::ceilDiv(const Expr &a, const Expr &b) {
  if (b.is(1))
    return a;
  auto d = b.constant();
  if (d && *d > 0 && a.kind() == Expr::Kind::Mul)
    if (auto x = quotient(a, b, a.node->a, a.node->b))
      return *x;
  return Expr::make(Expr::Kind::CeilDiv, a, b);
}

Expr titan::min(const Expr &a, const Expr &b) {
  return a.same(b) ? a : Expr::make(Expr::Kind::Min, a, b);
}

Expr titan::max(const Expr &a, const Expr &b) {
  return a.same(b) ? a : Expr::make(Expr::Kind::Max, a, b);
}

const Expr &Expr::lhs() const { return node->a; }
const Expr &Expr::rhs() const { return node->b; }
const std::string &Expr::name() const { return node->name; }

bool Expr::mentions(const std::function<bool(const std::string &)> &is) const {
  if (!node->symbolic)
    return false;
  if (node->kind == Kind::Symbol)
    return is(node->name);
  return node->a.mentions(is) || node->b.mentions(is);
}

std::string Expr::print(int level) const {
  const char *symbol = nullptr;
  int mine = 0;
  switch (node->kind) {
  case Kind::Constant:
    return std::to_string(node->value);
  case Kind::Symbol:
    return node->name;
  case Kind::Min:
  case Kind::Max:
    return (node->kind == Kind::Min ? "min(" : "max(") + node->a.print(0) +
           ", " + node->b.print(0) + ")";
  case Kind::Xor:
    symbol = " ^ ";
    mine = 0;
    break;
  case Kind::Add:
    symbol = " + ";
    mine = 1;
    // a + -2 and a + b*-1 are subtractions.
    if (auto c = node->b.constant(); c && *c < 0 && *c != INT64_MIN) {
      std::string text = node->a.print(mine) + " - " + std::to_string(-*c);
      return mine < level ? "(" + text + ")" : text;
    }
    if (node->b.kind() == Kind::Mul && node->b.node->b.is(-1)) {
      std::string text =
          node->a.print(mine) + " - " + node->b.node->a.print(mine + 1);
      return mine < level ? "(" + text + ")" : text;
    }
    break;
  case Kind::Mul:
    if (node->b.is(-1))
      return "-" + node->a.print(3);
    symbol = "*";
    mine = 2;
    break;
  case Kind::Div:
    symbol = " / ";
    mine = 2;
    break;
  case Kind::Mod:
    symbol = " % ";
    mine = 2;
    break;
  case Kind::CeilDiv:
    symbol = " ceildiv ";
    mine = 2;
    break;
  }
  std::string text = node->a.print(mine) + symbol + node->b.print(mine + 1);
  return mine < level ? "(" + text + ")" : text;
}

std::string Expr::str() const { return print(0); }

Tri titan::isMultiple(const Expr &value, const Expr &factor) {
  if (value.same(factor))
    return Tri::Yes;
  auto f = factor.constant(), v = value.constant();
  if (f && *f != 0) {
    if (v)
      return triOf(*v % *f == 0);
    return value.divisor() % *f == 0 ? Tri::Yes : Tri::Unknown;
  }
  if (v && *v == 0)
    return Tri::Yes;
  return Tri::Unknown;
}

Tri titan::areEqual(const Expr &a, const Expr &b) {
  if (a.same(b))
    return Tri::Yes;
  auto x = a.constant(), y = b.constant();
  if (x && y)
    return triOf(*x == *y);
  return Tri::Unknown;
}
