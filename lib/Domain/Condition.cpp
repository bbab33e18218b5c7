//===- Condition.cpp - Launch checks as one would write them --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/Condition.h"

#include <algorithm>

using namespace titan;

namespace {
/// A sum: what is added, what is subtracted, and a number.
struct Sum {
  Expr plus = 0, minus = 0;
  int64_t c = 0;
  bool overflow = false;

  Sum(const Expr &e, bool negated, int64_t number) : c(number) {
    add(e, negated);
    for (const Expr &term : terms[0])
      plus = plus + term;
    for (const Expr &term : terms[1])
      minus = minus + term;
  }

private:
  void add(const Expr &e, bool negated) {
    if (auto number = e.constant()) {
      overflow |= negated ? __builtin_sub_overflow(c, *number, &c)
                          : __builtin_add_overflow(c, *number, &c);
    } else if (e.kind() == Expr::Kind::Add) {
      add(e.lhs(), negated);
      add(e.rhs(), negated);
    } else if (auto factor = factorOf(e); factor && *factor == -1) {
      add(e.lhs(), !negated);
    } else if (factor && *factor < 0 && *factor != INT64_MIN) {
      term(e.lhs() * Expr(-*factor), !negated);
    } else {
      term(e, negated);
    }
  }

  /// e = x * number, written so.
  static std::optional<int64_t> factorOf(const Expr &e) {
    return e.kind() == Expr::Kind::Mul ? e.rhs().constant() : std::nullopt;
  }

  /// One that is added and subtracted is neither.
  void term(const Expr &e, bool negated) {
    std::vector<Expr> &other = terms[!negated];
    auto same = [&](const Expr &term) { return term.same(e); };
    if (auto it = std::find_if(other.begin(), other.end(), same);
        it != other.end())
      other.erase(it);
    else
      terms[negated].push_back(e);
  }

  std::vector<Expr> terms[2]; // Added, subtracted.
};
} // namespace

Condition Condition::compare(Kind kind, Expr left, Expr right) {
  Condition made(kind);
  made.left = std::move(left);
  made.right = std::move(right);
  return made;
}

Condition Condition::join(Kind kind, Condition a, Condition b) {
  // What decides the whole, and what decides nothing.
  const Kind absorbing = kind == Kind::And ? Kind::False : Kind::True;
  const Kind neutral = kind == Kind::And ? Kind::True : Kind::False;
  if (a.kind == absorbing || b.kind == neutral)
    return a;
  if (b.kind == absorbing || a.kind == neutral)
    return b;
  Condition made(kind);
  auto add = [&](Condition part) {
    // Of M <= 3 or M <= 4 the second is left.
    for (Condition &known : made.parts)
      if (part.isBound() && known.kind == part.kind &&
          known.left.same(part.left)) {
        auto x = known.right.constant(), y = part.right.constant();
        if (x && y &&
            ((kind == Kind::And) == (part.kind == Kind::AtLeast) ? *x < *y
                                                                 : *x > *y))
          known = part;
        if ((x && y) || known.right.same(part.right))
          return;
      }
    made.parts.push_back(std::move(part));
  };
  for (Condition *side : {&a, &b})
    if (side->kind == kind)
      for (Condition &part : side->parts)
        add(std::move(part));
    else
      add(std::move(*side));
  return made.parts.size() == 1 ? Condition(std::move(made.parts.front()))
                                : made;
}

/// e + c >= 0, or -e + c >= 0.
Condition Condition::visit(const Expr &e, bool negated, int64_t c) {
  Sum sum(e, negated, c);
  if (sum.overflow || sum.c == INT64_MIN)
    return compare(Kind::AtLeast, (negated ? Expr(0) - e : e) + Expr(c), 0);
  const bool noPlus = sum.plus.is(0), noMinus = sum.minus.is(0);
  if (noPlus && noMinus)
    return Condition(sum.c >= 0 ? Kind::True : Kind::False);
  // One minimum or maximum, and a number.
  if (const Expr &one = noMinus ? sum.plus : sum.minus;
      (noPlus || noMinus) &&
      (one.kind() == Expr::Kind::Min || one.kind() == Expr::Kind::Max)) {
    // -max(a - b, b - a)
    if (one.kind() == Expr::Kind::Max && noPlus && sum.c == 0) {
      Sum a(one.lhs(), false, 0), b(one.rhs(), false, 0);
      if (!a.overflow && a.c == 0 && b.c == 0 && a.plus.same(b.minus) &&
          a.minus.same(b.plus))
        return compare(Kind::Equal, a.plus, a.minus);
    }
    bool both = (one.kind() == Expr::Kind::Min) == noMinus;
    return join(both ? Kind::And : Kind::Or, visit(one.lhs(), noPlus, sum.c),
                visit(one.rhs(), noPlus, sum.c));
  }
  if (noPlus && sum.c == 0 && sum.minus.kind() == Expr::Kind::Mod)
    return compare(Kind::Equal, sum.minus, 0);
  if (noPlus)
    return compare(Kind::AtMost, sum.minus, sum.c);
  return sum.c > 0 && !noMinus
             ? compare(Kind::AtLeast, sum.plus + Expr(sum.c), sum.minus)
             : compare(Kind::AtLeast, sum.plus, sum.minus + Expr(-sum.c));
}

Condition Condition::atLeastZero(const Expr &e) {
  Condition whole = compare(Kind::AtLeast, e, 0);
  if (e.size() > 8 * static_cast<int64_t>(mostTerms))
    return whole;
  Condition made = visit(e, false, 0);
  return made.size() > mostTerms ? whole : made;
}

size_t Condition::size() const {
  size_t n = parts.empty();
  for (const Condition &part : parts)
    n += part.size();
  return n;
}

std::string Condition::str() const {
  switch (kind) {
  case Kind::True:
    return "true";
  case Kind::False:
    return "false";
  case Kind::Equal:
    return left.str() + " == " + right.str();
  case Kind::AtLeast:
    return left.str() + " >= " + right.str();
  case Kind::AtMost:
    return left.str() + " <= " + right.str();
  case Kind::And:
  case Kind::Or:
    break;
  }
  std::string text;
  for (const Condition &part : parts) {
    text += text.empty() ? "" : kind == Kind::And ? " and " : " or ";
    text += part.parts.empty() ? part.str() : "(" + part.str() + ")";
  }
  return text;
}

std::optional<bool> Condition::evaluate(const Expr::Bindings &bindings) const {
  if (kind == Kind::True || kind == Kind::False)
    return kind == Kind::True;
  if (parts.empty()) {
    auto x = left.evaluate(bindings), y = right.evaluate(bindings);
    if (!x || !y)
      return std::nullopt;
    return kind == Kind::Equal     ? *x == *y
           : kind == Kind::AtLeast ? *x >= *y
                                   : *x <= *y;
  }
  bool value = kind == Kind::And;
  for (const Condition &part : parts) {
    auto known = part.evaluate(bindings);
    if (!known)
      return std::nullopt;
    value = kind == Kind::And ? value && *known : value || *known;
  }
  return value;
}
