//===- Polynomial.cpp - symbolic integers ---------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Scalars/Polynomial.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Allocator.h"

#include <algorithm>
#include <numeric>

using namespace titan::scalars;

/// The same in each run: sets of facts are sorted by it.
static size_t mix(size_t hash, uint64_t number) {
  hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

namespace {
/// The monomials of a thread.
struct Monomials {
  llvm::DenseMap<llvm::ArrayRef<Atom>, const Atom *> known;
  llvm::BumpPtrAllocator memory;
};
} // namespace

Monomial::Monomial(llvm::ArrayRef<Atom> sorted) {
  if (sorted.empty())
    return;
  static thread_local Monomials all;
  if (auto found = all.known.find(sorted); found != all.known.end()) {
    data = found->second;
    return;
  }
  Atom *own = all.memory.Allocate<Atom>(sorted.size() + 1);
  own[0] = sorted.size();
  std::ranges::copy(sorted, own + 1);
  data = own;
  all.known.try_emplace(*this, own);
}

Monomial Monomial::operator*(const Monomial &other) const {
  if (empty())
    return other;
  if (other.empty())
    return *this;
  llvm::SmallVector<Atom, 8> product;
  std::merge(begin(), end(), other.begin(), other.end(),
             std::back_inserter(product));
  return Monomial(product);
}

const Polynomial::TermList Polynomial::none;

Polynomial::Polynomial(llvm::ArrayRef<Term> terms, bool lost) {
  if (terms.empty() && !lost)
    return;
  auto fresh = llvm::makeIntrusiveRefCnt<Data>();
  size_t hash = lost;
  for (auto &[monomial, coefficient] : terms) {
    for (Atom atom : monomial)
      hash = mix(hash, atom);
    hash = mix(hash ^ monomial.size(), coefficient);
    fresh->atoms.append(monomial.begin(), monomial.end());
  }
  if (fresh->atoms.size() > 1) {
    std::ranges::sort(fresh->atoms);
    auto rest = std::ranges::unique(fresh->atoms);
    fresh->atoms.erase(rest.begin(), rest.end());
  }
  fresh->terms.assign(terms.begin(), terms.end());
  fresh->hash = hash;
  fresh->lost = lost;
  data = std::move(fresh);
}

Polynomial::Polynomial(int64_t constant) {
  // Most are small, and made once.
  constexpr int64_t most = 64;
  static thread_local Polynomial small[2 * most + 1];
  if (constant == 0)
    return;
  if (constant < -most || constant > most) {
    *this = Polynomial(TermList{{Monomial(), constant}}, false);
    return;
  }
  Polynomial &known = small[constant + most];
  if (!known.data)
    known = Polynomial(TermList{{Monomial(), constant}}, false);
  *this = known;
}

Polynomial Polynomial::sum(llvm::ArrayRef<Term> terms, bool lost) {
  llvm::SmallVector<Term, 16> order(terms);
  std::ranges::sort(order, {}, &Term::first);
  llvm::SmallVector<Term, 8> result;
  for (size_t i = 0; i < order.size();) {
    int64_t coefficient = 0;
    size_t j = i;
    for (; j < order.size() && order[j].first == order[i].first; ++j)
      lost |=
          __builtin_add_overflow(coefficient, order[j].second, &coefficient);
    if (coefficient)
      result.emplace_back(order[i].first, coefficient);
    i = j;
  }
  return Polynomial(result, lost);
}

const Polynomial::AtomList &Polynomial::atoms() const & {
  static const AtomList none;
  return data ? data->atoms : none;
}

bool Polynomial::operator==(const Polynomial &other) const {
  return data == other.data ||
         (data && other.data && data->hash == other.data->hash && !data->lost &&
          !other.data->lost && data->terms == other.data->terms);
}

std::strong_ordering Polynomial::operator<=>(const Polynomial &other) const {
  using Order = std::strong_ordering;
  if (data == other.data)
    return Order::equal;
  const TermList &a = monomials(), &b = other.monomials();
  if (a.size() != b.size())
    return a.size() <=> b.size();
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].first != b[i].first)
      return a[i].first < b[i].first ? Order::less : Order::greater;
    if (a[i].second != b[i].second)
      return a[i].second <=> b[i].second;
  }
  return isLost() && other.isLost() ? data.get() <=> other.data.get()
                                    : isLost() <=> other.isLost();
}

/// Sums and products that were computed lately: warps, and walks, ask for the same
/// ones. What is looked up is equal to what would be computed.
template <typename Compute>
static Polynomial lately(const Polynomial &a, const Polynomial &b,
                         int64_t times, Compute compute) {
  struct Entry {
    Polynomial a, b, result;
    int64_t times = 0;
    bool filled = false;
  };
  constexpr size_t most = 1 << 11;
  static thread_local std::vector<Entry> entries(most);
  const size_t hash = mix(mix(a.hash(), b.hash()), times);
  {
    const Entry &entry = entries[(hash >> 32) % most];
    if (entry.filled && entry.times == times && entry.a == a && entry.b == b)
      return entry.result;
  }
  Polynomial result = compute();
  entries[(hash >> 32) % most] = {a, b, result, times, true};
  return result;
}

Polynomial Polynomial::plus(const Polynomial &other, int64_t times) const {
  if (!other.data)
    return *this;
  if (!data && times == 1)
    return other;
  return lately(*this, other, times, [&] { return sumOf(other, times); });
}

Polynomial Polynomial::sumOf(const Polynomial &other, int64_t times) const {
  const TermList &a = monomials(), &b = other.monomials();
  llvm::SmallVector<Term, 8> terms;
  bool lost = isLost() || other.isLost();
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const auto order = i == a.size()   ? std::strong_ordering::greater
                       : j == b.size() ? std::strong_ordering::less
                                       : a[i].first <=> b[j].first;
    const bool mine = order <= 0, theirs = order >= 0;
    int64_t coefficient = 0;
    if (theirs)
      lost |= __builtin_mul_overflow(b[j].second, times, &coefficient);
    if (mine)
      lost |= __builtin_add_overflow(coefficient, a[i].second, &coefficient);
    if (coefficient)
      terms.emplace_back(mine ? a[i].first : b[j].first, coefficient);
    i += mine;
    j += theirs;
  }
  return Polynomial(terms, lost);
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  if (!data || !other.data)
    return isLost() || other.isLost() ? Polynomial(TermList(), true)
                                      : Polynomial();
  if (auto c = constant(); c == 1)
    return other;
  if (auto c = other.constant(); c == 1)
    return *this;
  // (No sum has 0 times.)
  return lately(*this, other, 0, [&] { return productOf(other); });
}

Polynomial Polynomial::productOf(const Polynomial &other) const {
  llvm::SmallVector<Term, 8> terms;
  bool lost = isLost() || other.isLost();
  for (auto &[a, x] : monomials())
    for (auto &[b, y] : other.monomials()) {
      int64_t coefficient = 0;
      lost |= __builtin_mul_overflow(x, y, &coefficient);
      terms.emplace_back(a * b, coefficient);
    }
  return sum(terms, lost);
}

std::optional<int64_t> Polynomial::numberMore(const Polynomial &other) const {
  if (data == other.data && !isLost())
    return 0;
  auto rest = [](const Polynomial &p) {
    llvm::ArrayRef<Term> terms = p.monomials();
    return terms.empty() || !terms[0].first.empty() ? terms
                                                    : terms.drop_front();
  };
  int64_t difference = 0;
  if (isLost() || other.isLost() || rest(*this) != rest(other) ||
      __builtin_sub_overflow(constantTerm(), other.constantTerm(), &difference))
    return std::nullopt;
  return difference;
}

bool Polynomial::contains(Atom atom) const {
  return std::ranges::binary_search(atoms(), atom);
}

size_t Polynomial::degree() const {
  size_t degree = 0;
  for (auto &[monomial, coefficient] : monomials())
    degree = std::max<size_t>(degree, monomial.size());
  return degree;
}

Polynomial Polynomial::substitute(
    llvm::function_ref<std::optional<Polynomial>(Atom)> by) const {
  // (Terms that it had may be gone.)
  if (isLost())
    return Polynomial(TermList(), true);
  const AtomList &all = atoms();
  llvm::SmallVector<std::optional<Polynomial>, 8> with;
  bool any = false;
  for (Atom a : all)
    any |= with.emplace_back(by(a)).has_value();
  if (!any)
    return *this;
  auto of = [&](Atom a) -> const std::optional<Polynomial> & {
    return with[std::ranges::lower_bound(all, a) - all.begin()];
  };
  llvm::SmallVector<Term, 8> terms;
  bool lost = false;
  for (auto &[monomial, coefficient] : monomials()) {
    llvm::SmallVector<Atom, 8> others;
    Polynomial product(coefficient);
    for (Atom a : monomial)
      if (auto &other = of(a))
        product = product * *other;
      else
        others.push_back(a);
    lost |= product.isLost();
    const Monomial kept(others);
    for (auto &[more, times] : product.monomials())
      terms.emplace_back(kept * more, times);
  }
  return sum(terms, lost);
}

Polynomial Polynomial::substitute(Atom atom, const Polynomial &by) const {
  if (!contains(atom) && !isLost())
    return *this;
  return substitute([&](Atom a) -> std::optional<Polynomial> {
    return a == atom ? std::optional(by) : std::nullopt;
  });
}

std::optional<Polynomial> Polynomial::dividedBy(int64_t c) const {
  if (isLost())
    return std::nullopt;
  TermList terms = monomials();
  for (auto &[monomial, coefficient] : terms) {
    if (c == 0 || coefficient % c)
      return std::nullopt;
    coefficient /= c;
  }
  return Polynomial(terms, false);
}

Polynomial Polynomial::overDivisor() const {
  int64_t divisor = 0;
  for (auto &[monomial, coefficient] : monomials())
    if (!monomial.empty())
      divisor = std::gcd(divisor, coefficient);
  if (divisor < 2)
    return *this;
  TermList terms = monomials();
  for (auto &[monomial, coefficient] : terms) {
    bool down = coefficient % divisor < 0;
    coefficient = coefficient / divisor - down;
  }
  llvm::erase_if(terms, [](const Term &term) { return term.second == 0; });
  return Polynomial(terms, isLost());
}

std::string
Polynomial::print(const std::function<std::string(Atom)> &name) const {
  if (isLost())
    return "?";
  std::string text;
  // The constant last.
  for (bool constants : {false, true})
    for (auto &[monomial, coefficient] : monomials()) {
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
