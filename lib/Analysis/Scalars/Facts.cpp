//===- Facts.cpp - what is known of symbolic integers ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Scalars/Facts.h"

#include "LinearSystem.h"
#include "Sample.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <ctime>
#include <numeric>
#include <set>
#include <unordered_map>

using namespace titan::scalars;

Atom Atoms::atom(std::string kind, const void *object,
                 std::vector<Polynomial> operands, std::string name) {
  auto [found, fresh] = known.try_emplace(
      Key{std::move(kind), object, std::move(operands)}, names.size());
  if (fresh) {
    names.push_back(name.empty() ? "x" + std::to_string(names.size()) : name);
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

Atom Atoms::copyOf(Atom atom) {
  return this->atom("copy", nullptr, {Polynomial::atom(atom)},
                    names[atom] + "'");
}

bool Atoms::dependsOn(Atom atom, const std::function<bool(Atom)> &is) const {
  if (is(atom))
    return true;
  for (const Polynomial &operand : std::get<2>(*keys[atom]))
    if (dependsOn(operand, is))
      return true;
  return false;
}

bool Atoms::dependsOn(const Polynomial &p,
                      const std::function<bool(Atom)> &is) const {
  for (Atom a : p.atoms())
    if (dependsOn(a, is))
      return true;
  return false;
}

Polynomial Atoms::substitute(const Polynomial &p, const By &by, Facts *facts) {
  return p.substitute([&](Atom a) -> std::optional<Polynomial> {
    if (auto with = by(a))
      return with;
    const auto &[kind, object, operands] = *keys[a];
    if (operands.empty() || kind == "copy")
      return std::nullopt;
    std::vector<Polynomial> changed;
    for (const Polynomial &operand : operands)
      changed.push_back(substitute(operand, by, facts));
    if (changed == operands)
      return std::nullopt;
    if (kind == "triangle")
      return triangle(changed[0], facts);
    bool quotient = kind == "quotient", remainder = kind == "remainder";
    Polynomial result = Polynomial::atom(atom(kind, object, changed));
    if (facts && (quotient || remainder)) {
      Polynomial other = Polynomial::atom(
          atom(quotient ? "remainder" : "quotient", object, changed));
      addDivision(*facts, changed[0], changed[1], quotient ? result : other,
                  quotient ? other : result);
    }
    return result;
  });
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

void titan::scalars::addDivision(Facts &facts, const Polynomial &x,
                                 const Polynomial &p, const Polynomial &q,
                                 const Polynomial &r) {
  facts.equal(q * p + r, x);
  facts.atLeast(r, 0);
  facts.atLeast(p - 1, r);
}

static void addOnce(std::vector<Polynomial> &list, Polynomial p) {
  if (std::ranges::find(list, p) == list.end())
    list.push_back(std::move(p));
}

/// Of no number that is 0 or more, and of no 0, is it a fact that it is.
static bool saysNonnegative(const Polynomial &p) {
  auto constant = p.constant();
  return !constant || *constant < 0;
}
static bool saysZero(const Polynomial &p) { return p.constant() != 0; }

void Facts::addNonnegative(Polynomial p) {
  if (saysNonnegative(p))
    addOnce(nonnegative, std::move(p));
}

void Facts::addZero(Polynomial p) {
  if (saysZero(p))
    addOnce(zero, std::move(p));
}

void Facts::add(const Facts &other) {
  // By hash: there may be many on both sides.
  auto add = [](std::vector<Polynomial> &list,
                const std::vector<Polynomial> &more, auto says) {
    llvm::SmallDenseMap<size_t, size_t, 128> known;
    for (size_t i = 0; i < list.size(); ++i)
      known.try_emplace(list[i].hash() >> 1, i);
    for (const Polynomial &p : more) {
      if (!says(p))
        continue;
      auto [at, fresh] = known.try_emplace(p.hash() >> 1, list.size());
      if (fresh || list[at->second] != p)
        list.push_back(p);
    }
  };
  add(nonnegative, other.nonnegative, saysNonnegative);
  add(zero, other.zero, saysZero);
}

Facts Facts::substitute(
    const std::function<std::optional<Polynomial>(Atom)> &by) const {
  Facts result;
  for (const Polynomial &fact : nonnegative)
    result.nonnegative.push_back(fact.substitute(by));
  for (const Polynomial &fact : zero)
    result.zero.push_back(fact.substitute(by));
  return result;
}

static thread_local uint64_t asked = 0, looked = 0, mostSolved = ~uint64_t(0),
                             mostAsked = ~uint64_t(0);
uint64_t Facts::questions() { return asked; }
uint64_t Facts::solved() { return looked; }
/// What this thread has computed for, in seconds: a limit that other work on the
/// machine does not change.
static double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}
static thread_local double deadline = std::numeric_limits<double>::infinity();
static thread_local bool isLate = false;
void Facts::limit(uint64_t more, double seconds) {
  mostSolved = looked + more;
  mostAsked = asked + 100 * more;
  deadline = now() + seconds;
  isLate = false;
}
bool Facts::late() { return isLate; }
bool Facts::exhausted() {
  return looked >= mostSolved || asked >= mostAsked || late();
}

namespace {
/// The largest system that is looked at.
constexpr size_t mostUnknowns = 96;

struct System {
  std::vector<Polynomial> nonnegative, zero;
  /// Unknowns that were eliminated, and what they are of the others.
  std::vector<std::pair<Atom, Polynomial>> putIn;

  /// Integers: 4 x + 3 >= 0 says x >= 0. Facts p >= 0 and -p >= 0 are p = 0.
  bool tighten() {
    bool equations = false;
    for (Polynomial &p : nonnegative)
      p = p.overDivisor();
    for (size_t i = 0; i < nonnegative.size(); ++i) {
      Polynomial minus = -nonnegative[i];
      for (size_t j = i + 1; j < nonnegative.size(); ++j)
        if (nonnegative[j].hash() == minus.hash() && nonnegative[j] == minus) {
          equations = true;
          zero.push_back(nonnegative[i]);
          nonnegative.erase(nonnegative.begin() + j);
          nonnegative.erase(nonnegative.begin() + i--);
          break;
        }
    }
    return equations;
  }

  /// x = p where some equation has x alone with coefficient 1 or -1, and
  /// nowhere else in that equation: gone. First what is no factor of a product;
  /// last, if `raise`, factors that are products themselves: degrees rise.
  /// Whether there were any.
  bool eliminate(bool raise = true) {
    std::set<Atom> factors;
    for (auto *list : {&nonnegative, &zero})
      for (const Polynomial &p : *list)
        for (auto &[monomial, coefficient] : p.monomials())
          if (monomial.size() > 1)
            factors.insert(monomial.begin(), monomial.end());
    while (eliminateOne(&factors))
      ;
    while (eliminateOne(nullptr, /*most=*/1))
      ;
    bool raised = false;
    while (raise && eliminateOne(nullptr))
      raised = true;
    std::erase_if(zero, [](const Polynomial &p) { return p.constant() == 0; });
    return raised;
  }

  bool eliminateOne(const std::set<Atom> *keep, unsigned most = ~0u) {
    for (size_t i = 0; i < zero.size(); ++i) {
      Polynomial equation = zero[i];
      for (auto &[monomial, coefficient] : equation.monomials()) {
        if (monomial.size() != 1 || (coefficient != 1 && coefficient != -1))
          continue;
        Atom x = monomial[0];
        if (keep && keep->contains(x))
          continue;
        Polynomial rest =
            equation - Polynomial::atom(x) * Polynomial(coefficient);
        if (rest.contains(x) || rest.degree() > most)
          continue;
        Polynomial by = coefficient == 1 ? -rest : rest;
        putIn.emplace_back(x, by);
        zero.erase(zero.begin() + i);
        for (auto *list : {&zero, &nonnegative})
          for (Polynomial &p : *list)
            p = p.substitute(x, by);
        return true;
      }
    }
    return false;
  }

  std::set<Monomial> products() const {
    std::set<Monomial> result;
    for (auto *list : {&nonnegative, &zero})
      for (const Polynomial &p : *list)
        for (auto &[monomial, coefficient] : p.monomials())
          if (monomial.size() > 1)
            result.insert(monomial);
    return result;
  }

  /// Signs of the factors of products, where they follow from sums: with these
  /// facts other facts can be multiplied and stay within the products there are.
  void addSigns() {
    std::set<Atom> factors;
    for (const Monomial &m : products())
      factors.insert(m.begin(), m.end());
    System linear;
    for (const Polynomial &p : nonnegative)
      if (p.degree() < 2)
        linear.nonnegative.push_back(p);
    for (const Polynomial &p : zero)
      if (p.degree() < 2)
        linear.zero.push_back(p);
    // That it is at most 0, or less.
    std::vector<Polynomial> questions;
    for (Atom a : factors)
      for (int64_t least : {1, 0})
        questions.push_back(Polynomial(least - 1) - Polynomial::atom(a));
    std::vector<bool> answers = linear.contradictsEach(questions);
    size_t i = 0;
    for (Atom a : factors) {
      for (int64_t least : {1, 0})
        if (answers[i + 1 - least]) {
          nonnegative.push_back(Polynomial::atom(a) - least);
          signs[a] = least;
          break;
        }
      i += 2;
    }
  }
  /// Factors that are at least 0, or 1.
  std::map<Atom, int64_t> signs;

  /// a b c >= 0, and a b c >= a b where c >= 1.
  void addProducts() {
    for (const Monomial &m : products()) {
      if (m.size() < 3 ||
          !std::ranges::all_of(m, [&](Atom a) { return signs.contains(a); }))
        continue;
      auto of = [](const Monomial &factors) {
        Polynomial product = 1;
        for (Atom a : factors)
          product = product * Polynomial::atom(a);
        return product;
      };
      nonnegative.push_back(of(m));
      for (size_t i = 0; i < m.size(); ++i)
        if (signs[m[i]] == 1) {
          Monomial rest = m;
          rest.erase(rest.begin() + i);
          nonnegative.push_back(of(m) - of(rest));
        }
    }
  }

  /// Products of two facts, where they speak of products that came up.
  void multiply() {
    std::set<Monomial> wanted = products();
    std::set<Atom> factors;
    for (const Monomial &m : wanted)
      factors.insert(m.begin(), m.end());
    // Of sums of atoms that are all factors, each pair of them a product.
    std::vector<const Polynomial *> sums;
    for (const Polynomial &p : nonnegative) {
      const auto &atoms = p.atoms();
      if (p.degree() == 1 && std::ranges::all_of(atoms, [&](Atom a) {
            return factors.contains(a);
          }))
        sums.push_back(&p);
    }
    auto fits = [&](const Polynomial &a, const Polynomial &b) {
      for (auto &[x, i] : a.monomials())
        for (auto &[y, j] : b.monomials()) {
          if (x.empty() || y.empty())
            continue;
          Monomial product;
          std::merge(x.begin(), x.end(), y.begin(), y.end(),
                     std::back_inserter(product));
          if (!wanted.contains(product))
            return false;
        }
      return true;
    };
    std::vector<Polynomial> more;
    for (size_t i = 0; i < sums.size(); ++i)
      for (size_t j = i; j < sums.size(); ++j)
        if (fits(*sums[i], *sums[j]))
          more.push_back(*sums[i] * *sums[j]);
    std::vector<Polynomial> equal;
    for (const Polynomial &z : zero)
      for (Atom a : factors)
        if (z.degree() >= 1 && fits(z, Polynomial::atom(a)))
          equal.push_back(z * Polynomial::atom(a));
    nonnegative.insert(nonnegative.end(), more.begin(), more.end());
    zero.insert(zero.end(), equal.begin(), equal.end());
    unite();
  }

  /// Each fact once, in one order; without those whose numbers do not fit: what
  /// contradicts itself without them does so with them.
  void unite() {
    for (auto *list : {&nonnegative, &zero}) {
      std::erase_if(*list, [](const Polynomial &p) { return p.isLost(); });
      std::ranges::sort(*list);
      auto rest = std::ranges::unique(*list);
      list->erase(rest.begin(), rest.end());
    }
  }

  /// Of linear arithmetic, each product an unknown.
  bool contradicts() const {
    auto linear = linearSystem({});
    return linear && linear->contradicts();
  }
  /// The same of each of these facts with all the others.
  std::vector<bool>
  contradictsEach(const std::vector<Polynomial> &questions) const {
    std::vector<bool> answers(questions.size(), false);
    auto linear = linearSystem(questions);
    if (linear && linear->contradicts(&answers))
      answers.assign(questions.size(), true);
    return answers;
  }

private:
  std::optional<LinearSystem>
  linearSystem(const std::vector<Polynomial> &questions) const {
    llvm::SmallDenseMap<llvm::ArrayRef<Atom>, unsigned, 128> column;
    for (auto *list : {&nonnegative, &zero, &questions})
      for (const Polynomial &p : *list)
        for (auto &[monomial, coefficient] : p.monomials())
          if (!monomial.empty())
            column.try_emplace(monomial, column.size());
    size_t width = column.size();
    if (width > mostUnknowns)
      return std::nullopt;
    LinearSystem result(width, nonnegative.size());
    // (What does not fit says nothing.)
    auto fill = [&](const Polynomial &p, int64_t *row) {
      if (p.isLost())
        return;
      for (auto &[monomial, coefficient] : p.monomials())
        row[monomial.empty() ? width : column.lookup(monomial)] = coefficient;
    };
    for (const Polynomial &p : nonnegative)
      fill(p, result.addNonnegative());
    for (const Polynomial &p : zero)
      fill(p, result.addZero());
    for (const Polynomial &p : questions)
      fill(p, result.addQuestion());
    return result;
  }
};
} // namespace

namespace {
/// A system of facts, each once, by hash.
class Question {
public:
  /// Of facts that a linear system could use at all: those connected with the
  /// last `goals` ones by unknowns (0: all).
  Question(const Facts &facts, size_t goals) {
    size_t least = facts.nonnegative.size();
    std::vector<const Polynomial *> all;
    for (const auto *list : {&facts.nonnegative, &facts.zero})
      for (const Polynomial &p : *list)
        all.push_back(&p);
    std::vector<bool> keep(all.size(), goals == 0);
    if (goals)
      connect(all, least - goals, least, keep);
    for (size_t i = 0; i < all.size(); ++i)
      if (keep[i] && !all[i]->isLost())
        parts[i >= least].push_back(all[i]);
    for (auto &part : parts) {
      std::ranges::sort(part, [](const Polynomial *a, const Polynomial *b) {
        return a->hash() != b->hash() ? a->hash() < b->hash() : *a < *b;
      });
      auto rest = std::ranges::unique(
          part,
          [](const Polynomial *a, const Polynomial *b) { return *a == *b; });
      part.erase(rest.begin(), rest.end());
      for (const Polynomial *p : part)
        hash = (hash ^ p->hash()) * 0x9e3779b97f4a7c15u + part.size();
    }
  }

  System system() const {
    System result;
    for (const Polynomial *p : parts[0])
      result.nonnegative.push_back(*p);
    for (const Polynomial *p : parts[1])
      result.zero.push_back(*p);
    return result;
  }

  bool is(const System &other) const {
    auto same = [](const std::vector<const Polynomial *> &mine,
                   const std::vector<Polynomial> &theirs) {
      return std::ranges::equal(
          mine, theirs,
          [](const Polynomial *a, const Polynomial &b) { return *a == b; });
    };
    return same(parts[0], other.nonnegative) && same(parts[1], other.zero);
  }

  size_t hash = 0;

private:
  static void connect(const std::vector<const Polynomial *> &facts,
                      size_t first, size_t end, std::vector<bool> &keep) {
    Atom most = 0;
    for (const Polynomial *p : facts)
      if (!p->atoms().empty())
        most = std::max(most, p->atoms().back());
    std::vector<bool> reached(most + 1);
    auto reach = [&](size_t i) {
      keep[i] = true;
      for (Atom a : facts[i]->atoms())
        reached[a] = true;
    };
    for (size_t i = first; i < end; ++i)
      reach(i);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < facts.size(); ++i)
        if (!keep[i] && (facts[i]->atoms().empty() ||
                         std::ranges::any_of(facts[i]->atoms(), [&](Atom a) {
                           return reached[a];
                         }))) {
          reach(i);
          changed = true;
        }
    }
  }

  std::vector<const Polynomial *> parts[2];
};
} // namespace

/// Answers that were given before: warps ask what their neighbours asked.
static thread_local std::unordered_multimap<size_t, std::pair<System, bool>>
    answers;

namespace {
/// A question as it was asked, and its answer: most are asked again soon, of the
/// same facts.
struct Asked {
  Facts facts;
  Polynomial goal;
  bool yes = false;
  bool filled = false;
};
} // namespace
static constexpr size_t mostRecent = 1 << 12;
static thread_local std::vector<Asked> recent;

static thread_local Samples samples;

static bool solve(const Facts &facts, size_t goals) {
  Question question(facts, goals);
  for (auto [it, end] = answers.equal_range(question.hash); it != end; ++it)
    if (question.is(it->second.first))
      return it->second.second;
  if (answers.size() > 100000)
    answers.clear();
  System system = question.system();
  bool &yes =
      answers.emplace(question.hash, std::pair(system, false))->second.second;
  ++looked;
  // (Asking for the time takes as long as a question that was answered before.)
  isLate = isLate || now() >= deadline;
  if (samples.know(system.nonnegative, system.zero))
    return false;
  // Products as unknowns; without any that is all there is to it.
  if (system.contradicts())
    return yes = true;
  if (system.products().empty())
    return false;
  bool raised = false, sampled = false;
  auto look = [&](System facts, bool raise) {
    facts.unite();
    raised |= facts.eliminate(raise);
    facts.unite();
    if (facts.tighten())
      raised |= facts.eliminate(raise);
    facts.unite();
    if (samples.find(facts.nonnegative, facts.zero, facts.putIn)) {
      sampled = samples.know(system.nonnegative, system.zero);
      return false;
    }
    if (facts.contradicts())
      return true;
    if (!facts.products().empty()) {
      facts.addSigns();
      facts.addProducts();
      facts.multiply();
    }
    return facts.contradicts();
  };
  // Of x = y z, x z may be what another fact speaks of.
  return yes =
             look(system, true) || (raised && !sampled && look(system, false));
}

/// Of the facts, and goal >= 0 where there is one.
static bool contradictory(const Facts &facts, const Polynomial *goal) {
  ++asked;
  if (Facts::exhausted())
    return false;
  size_t hash = facts.nonnegative.size() * 2 + (goal != nullptr);
  for (const auto *list : {&facts.nonnegative, &facts.zero})
    for (const Polynomial &p : *list)
      hash = (hash ^ p.hash()) * 0x9e3779b97f4a7c15u;
  if (goal)
    hash = (hash ^ goal->hash()) * 0x9e3779b97f4a7c15u;
  recent.resize(mostRecent);
  Asked &last = recent[(hash >> 32) % mostRecent];
  const Polynomial none, &what = goal ? *goal : none;
  if (last.filled && last.goal == what && last.facts == facts)
    return last.yes;
  bool yes;
  auto holds = [&](const Polynomial &p) {
    auto value = p.evaluate([&](Atom a) { return samples[a]; });
    return value && *value >= 0;
  };
  if ((!goal || holds(*goal)) && samples.know(facts.nonnegative, facts.zero)) {
    yes = false;
  } else if (goal) {
    Facts with = facts;
    with.nonnegative.push_back(*goal);
    yes = solve(with, 1);
  } else {
    yes = solve(facts, 0);
  }
  if (!Facts::exhausted())
    last = {facts, what, yes, true};
  return yes;
}

bool Facts::contradict() const { return contradictory(*this, nullptr); }

bool Facts::provesAtLeast(const Polynomial &a, const Polynomial &b) const {
  Polynomial difference = a - b;
  if (difference.isLost())
    return false;
  if (auto constant = difference.constant())
    return *constant >= 0 || contradict();
  Polynomial goal = Polynomial(-1) - difference;
  return contradictory(*this, &goal);
}

bool Facts::provesEqual(const Polynomial &a, const Polynomial &b) const {
  Polynomial difference = a - b;
  if (difference.constant() == 0)
    return true;
  return provesAtLeast(a, b) && provesAtLeast(b, a);
}
