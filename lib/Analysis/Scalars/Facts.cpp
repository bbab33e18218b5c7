//===- Facts.cpp - what is known of symbolic integers ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Scalars/Facts.h"

#include "Sample.h"
#include "System.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <numeric>
#include <unordered_map>

using namespace titan::scalars;

void titan::scalars::addDivision(Facts &facts, const Polynomial &x,
                                 const Polynomial &p, const Polynomial &q,
                                 const Polynomial &r) {
  facts.equal(q * p + r, x);
  facts.atLeast(r, 0);
  facts.atLeast(p - 1, r);
}

FactList::Data &FactList::own(size_t more) {
  if (!data) {
    data = llvm::makeIntrusiveRefCnt<Data>();
  } else if (data->UseCount() > 1) {
    auto copy = llvm::makeIntrusiveRefCnt<Data>();
    copy->list.reserve(data->list.size() + more);
    copy->list.append(data->list.begin(), data->list.end());
    copy->hash = data->hash;
    data = std::move(copy);
  }
  return *data;
}

void FactList::push_back(Polynomial p) {
  Data &own = this->own(4);
  own.hash = (own.hash ^ p.hash()) * 0x9e3779b97f4a7c15u;
  own.hash ^= own.hash >> 29;
  own.list.push_back(std::move(p));
}

void FactList::append(const FactList &other) {
  if (empty()) {
    *this = other;
    return;
  }
  const FactList more = other;
  own(more.size());
  for (const Polynomial &p : more)
    push_back(p);
}

void FactList::eraseIf(llvm::function_ref<bool(const Polynomial &)> is) {
  FactList rest;
  for (const Polynomial &p : *this)
    if (!is(p))
      rest.push_back(p);
  *this = std::move(rest);
}

static void addOnce(FactList &list, Polynomial p) {
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
  auto add = [](FactList &list, const FactList &more, auto says) {
    // Mostly the other ones begin with these: they were known before.
    if (more.size() >= list.size() &&
        std::equal(list.begin(), list.end(), more.begin()) &&
        std::ranges::all_of(more, says)) {
      list = more;
      return;
    }
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
    llvm::function_ref<std::optional<Polynomial>(Atom)> by) const {
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
double Facts::seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}
static thread_local double deadline = std::numeric_limits<double>::infinity();
static thread_local const std::atomic<bool> *isCalledOff = nullptr;
static thread_local bool isLate = false;
/// Systems until the time is asked for.
static thread_local unsigned untilClock = 0;
static void forget();
/// Of the model's picks, causal attention with a tile ahead asks most: more than 2,000,000
/// questions, of which 12,100 are systems.
static constexpr uint64_t questionsASystem = 300;
void Facts::limit(uint64_t more, double seconds,
                  const std::atomic<bool> *calledOff) {
  forget();
  mostSolved = looked + more;
  mostAsked = asked + questionsASystem * more;
  deadline = Facts::seconds() + seconds;
  isCalledOff = calledOff;
  isLate = false;
  untilClock = 0;
}
bool Facts::late() { return isLate; }
bool Facts::exhausted() {
  return looked >= mostSolved || asked >= mostAsked || late();
}

namespace {
/// A fact by number: the same one has the same number, p >= 0 another one than p = 0.
using Number = uint32_t;

/// What is known of questions of this proof (Facts::limit begins with nothing), so
/// that no answer depends on proofs before it.
struct Memory {
  Number numberOf(const Polynomial &p, bool zero) {
    Latest &last = latest[zero][(p.hash() >> 32) % mostRecent];
    if (last.filled && last.p == p)
      return last.number;
    auto [found, fresh] = numbers[zero].try_emplace(p, facts.size());
    if (fresh)
      facts.push_back({&found->first, zero});
    last = {p, found->second, true};
    return found->second;
  }
  /// What was looked up lately: the same polynomials, mostly as the same data.
  struct Latest {
    Polynomial p;
    Number number = 0;
    bool filled = false;
  };
  static constexpr size_t mostRecent = 1 << 12;
  std::vector<Latest> latest[2] = {std::vector<Latest>(mostRecent),
                                   std::vector<Latest>(mostRecent)};
  std::unordered_map<Polynomial, Number, PolynomialHash> numbers[2];
  struct Numbered {
    const Polynomial *p;
    bool zero;
  };
  std::vector<Numbered> facts;

  /// Answers that were given before: warps ask what their neighbours asked. By hash,
  /// the facts in order.
  std::unordered_multimap<size_t, std::pair<std::vector<Number>, bool>> answers;

  /// Facts that contradict each other: all that have them among them do, too. By
  /// the greatest number.
  std::unordered_map<Number, std::vector<std::vector<Number>>> cores;
  size_t coreCount = 0;
  /// Which facts a question has: its number.
  std::vector<uint64_t> marks;
  uint64_t mark = 0;

  bool hasCore(llvm::ArrayRef<Number> question) {
    marks.resize(facts.size());
    ++mark;
    for (Number n : question)
      marks[n] = mark;
    for (Number n : question)
      if (auto found = cores.find(n); found != cores.end())
        for (const std::vector<Number> &core : found->second)
          if (std::ranges::all_of(core,
                                  [&](Number m) { return marks[m] == mark; }))
            return true;
    return false;
  }
  void addCore(std::vector<Number> core) {
    std::ranges::sort(core);
    auto rest = std::ranges::unique(core);
    core.erase(rest.begin(), rest.end());
    if (core.empty())
      return;
    ++coreCount;
    cores[core.back()].push_back(std::move(core));
  }

  /// A question as it was asked, and its answer: most are asked again soon, of the
  /// same facts.
  struct Asked {
    Facts facts, more;
    bool yes = false;
    bool filled = false;
  };
  std::vector<Asked> recent = std::vector<Asked>(mostRecent);

  Samples samples;
  /// Whether they satisfy a list, as long as they are the same.
  struct Satisfied {
    FactList list;
    bool zero = false, yes = false;
    uint64_t version = ~uint64_t(0);
  };
  std::vector<Satisfied> satisfied = std::vector<Satisfied>(mostRecent);
  bool satisfy(const FactList &list, bool zero) {
    Satisfied &last = satisfied[((list.hash() >> 32) + zero) % mostRecent];
    if (last.version != samples.version() || last.zero != zero ||
        !(last.list == list))
      last = {list, zero,
              zero ? samples.know({}, list) : samples.know(list, {}),
              samples.version()};
    return last.yes;
  }
  bool satisfy(const Facts &facts) {
    return satisfy(facts.nonnegative, false) && satisfy(facts.zero, true);
  }
};

thread_local std::unique_ptr<Memory> memoryOfThread;
Memory &memory() {
  if (!memoryOfThread)
    memoryOfThread = std::make_unique<Memory>();
  return *memoryOfThread;
}

} // namespace

static void forget() { memoryOfThread.reset(); }

namespace {
/// A system of facts, each once, by hash.
class Question {
public:
  using List = std::vector<const Polynomial *>;
  Question() = default;
  /// Those of a list up to `least` are 0 or more, the others 0.
  Question(const List &all, size_t least, const std::vector<bool> &keep) {
    // (By hash: a look at the polynomials themselves is far away.)
    llvm::SmallVector<std::pair<size_t, const Polynomial *>, 128> parts[2];
    for (size_t i = 0; i < all.size(); ++i)
      if (keep[i] && !all[i]->isLost())
        parts[i >= least].emplace_back(all[i]->hash(), all[i]);
    for (bool zero : {false, true}) {
      auto &part = parts[zero];
      std::ranges::sort(part, [](const auto &a, const auto &b) {
        return a.first != b.first ? a.first < b.first : *a.second < *b.second;
      });
      auto rest = std::ranges::unique(part, [](const auto &a, const auto &b) {
        return a.first == b.first && *a.second == *b.second;
      });
      part.erase(rest.begin(), rest.end());
      for (auto [hashOfFact, p] : part) {
        hash = (hash ^ hashOfFact) * 0x9e3779b97f4a7c15u + part.size();
        numbers.push_back(memory().numberOf(*p, zero));
      }
    }
  }

  /// Each fact's reason is its place.
  System system() const {
    System result;
    for (size_t i = 0; i < numbers.size(); ++i) {
      auto [p, zero] = memory().facts[numbers[i]];
      Reasons why;
      if (tellsWhy())
        why.set(i);
      (zero ? result.zero : result.nonnegative).push_back({*p, why});
    }
    return result;
  }
  bool tellsWhy() const { return numbers.size() <= Reasons().size(); }
  /// Those that a contradiction comes from.
  std::vector<Number> core(const Reasons &why) const {
    std::vector<Number> result;
    for (size_t i = 0; i < numbers.size(); ++i)
      if (why[i])
        result.push_back(numbers[i]);
    return result;
  }

  size_t hash = 0;
  std::vector<Number> numbers;
};

/// Facts and some more of them, which is what is asked about.
class Asking {
public:
  Asking(const Facts &facts, const Facts &more) {
    for (bool zero : {false, true}) {
      for (bool fresh : {false, true})
        for (const Polynomial &p : zero ? (fresh ? more : facts).zero
                                        : (fresh ? more : facts).nonnegative) {
          all.push_back(&p);
          seed.push_back(fresh);
        }
      if (!zero)
        least = all.size();
    }
    for (const Polynomial *p : all)
      if (!p->atoms().empty())
        atoms = std::max<size_t>(atoms, p->atoms().back() + 1);
  }

  bool hasSeeds() const { return llvm::is_contained(seed, true); }
  Question whole() const {
    return Question(all, least, std::vector<bool>(all.size(), true));
  }

  /// Of facts that a linear system could use at all: those connected with what is
  /// asked about by unknowns.
  Question connected() const {
    std::vector<bool> keep(all.size()), reached(atoms);
    auto reach = [&](size_t i) {
      keep[i] = true;
      for (Atom a : all[i]->atoms())
        reached[a] = true;
    };
    for (size_t i = 0; i < all.size(); ++i)
      if (seed[i])
        reach(i);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < all.size(); ++i)
        if (!keep[i] && (all[i]->atoms().empty() ||
                         std::ranges::any_of(all[i]->atoms(), [&](Atom a) {
                           return reached[a];
                         }))) {
          reach(i);
          changed = true;
        }
    }
    return Question(all, least, keep);
  }

  /// Of the facts that speak of nothing but what is asked about and, `steps` far,
  /// what equations say that that is.
  Question near(unsigned steps) const {
    std::vector<bool> reached(atoms);
    auto reach = [&](size_t i) {
      for (Atom a : all[i]->atoms())
        reached[a] = true;
    };
    auto within = [&](Atom a) { return bool(reached[a]); };
    for (size_t i = 0; i < all.size(); ++i)
      if (seed[i])
        reach(i);
    for (; steps; --steps) {
      const std::vector<bool> before = reached;
      for (size_t i = least; i < all.size(); ++i)
        if (std::ranges::any_of(all[i]->atoms(),
                                [&](Atom a) { return bool(before[a]); }))
          reach(i);
    }
    std::vector<bool> keep(all.size());
    for (size_t i = 0; i < all.size(); ++i)
      keep[i] = std::ranges::all_of(all[i]->atoms(), within);
    return Question(all, least, keep);
  }

private:
  Question::List all;
  std::vector<bool> seed;
  size_t least = 0, atoms = 0;
};
} // namespace

static bool solve(const Question &question) {
  Memory &known = memory();
  const System system = question.system();
  // (Asking for the time takes as long as many a question.)
  constexpr unsigned systems = 16;
  isLate = isLate || (isCalledOff && *isCalledOff);
  if (untilClock-- == 0) {
    isLate = isLate || Facts::seconds() >= deadline;
    untilClock = systems - 1;
  }
  std::vector<Polynomial> nonnegative, zero;
  for (const Fact &fact : system.nonnegative)
    nonnegative.push_back(fact.p);
  for (const Fact &fact : system.zero)
    zero.push_back(fact.p);
  if (known.samples.know(nonnegative, zero, /*anyOf=*/true))
    return false;
  auto answered = [&](const LinearSystem::Answer &answer) {
    if (answer.yes && question.tellsWhy())
      known.addCore(question.core(answer.why));
    return answer.yes;
  };
  // Products as unknowns; without any that is all there is to it.
  if (answered(system.contradicts()))
    return true;
  if (!system.hasProducts())
    return false;
  bool raised = false, sampled = false;
  auto look = [&](System facts, bool raise) {
    facts.unite();
    raised |= facts.eliminate(raise);
    facts.unite();
    if (facts.tighten())
      raised |= facts.eliminate(raise);
    facts.unite();
    std::vector<Polynomial> left[2];
    for (bool zero : {false, true})
      for (const Fact &fact : zero ? facts.zero : facts.nonnegative)
        left[zero].push_back(fact.p);
    if (known.samples.find(left[0], left[1], facts.putIn)) {
      sampled = known.samples.know(nonnegative, zero);
      return false;
    }
    if (answered(facts.contradicts()))
      return true;
    if (facts.hasProducts()) {
      facts.addSigns();
      facts.addProducts();
      facts.multiply();
    }
    return answered(facts.contradicts());
  };
  // Of x = y z, x z may be what another fact speaks of.
  return look(system, true) || (raised && !sampled && look(system, false));
}

/// An answer that is known.
static std::optional<bool> answerOf(const Question &question) {
  Memory &known = memory();
  if (known.hasCore(question.numbers))
    return true;
  for (auto [it, end] = known.answers.equal_range(question.hash); it != end;
       ++it)
    if (it->second.first == question.numbers)
      return it->second.second;
  return std::nullopt;
}

static bool solveOnce(const Question &question) {
  if (auto known = answerOf(question))
    return *known;
  Memory &known = memory();
  if (known.answers.size() > 100000)
    known.answers.clear();
  ++looked;
  bool yes = solve(question);
  known.answers.emplace(question.hash, std::pair(question.numbers, yes));
  return yes;
}

/// Of the facts, and more: of `goal` alone those connected with it.
static bool contradictory(const Facts &facts, const Facts &more, bool goal) {
  ++asked;
  if (Facts::exhausted())
    return false;
  size_t hash = goal;
  for (const Facts *each : {&facts, &more})
    for (const FactList *list : {&each->nonnegative, &each->zero})
      hash = (hash ^ list->hash()) * 0x9e3779b97f4a7c15u;
  Memory &known = memory();
  Memory::Asked &last = known.recent[(hash >> 32) % Memory::mostRecent];
  if (last.filled && last.more == more && last.facts == facts) {
    // (Those that are asked about next are mostly copies of these.)
    last.facts = facts;
    return last.yes;
  }
  auto answer = [&] {
    if (known.satisfy(more) && known.satisfy(facts))
      return false;
    Asking asking(facts, more);
    Question whole = goal ? asking.connected() : asking.whole();
    if (auto known = answerOf(whole))
      return *known;
    // Mostly a few facts are enough: those are tried first.
    if (asking.hasSeeds())
      for (unsigned steps : {0, 1}) {
        Question few = asking.near(steps);
        if (few.numbers.size() * 2 > whole.numbers.size())
          break;
        if (solveOnce(few))
          return true;
      }
    return solveOnce(whole);
  };
  bool yes = answer();
  if (!Facts::exhausted())
    last = {facts, more, yes, true};
  return yes;
}

bool Facts::contradict(const Facts &more) const {
  return contradictory(*this, more, false);
}

/// `bits` are each 0 or 1.
static bool contradictByCases(const Facts &facts,
                              llvm::ArrayRef<Polynomial> bits) {
  if (facts.contradict())
    return true;
  return !bits.empty() && std::ranges::all_of(std::array{0, 1}, [&](int bit) {
    Facts one = facts;
    one.equal(bits.front(), bit);
    return contradictByCases(one, bits.drop_front());
  });
}

bool Facts::contradictByBits() const {
  constexpr size_t most = 3;
  llvm::SmallVector<Polynomial, most> bits;
  for (const Polynomial &p : nonnegative) {
    if (p.atoms().size() != 1)
      continue;
    Polynomial bit = Polynomial::atom(p.atoms()[0]);
    if (bits.size() < most && p == Polynomial(1) - bit &&
        std::ranges::find(nonnegative, bit) != nonnegative.end() &&
        std::ranges::find(bits, bit) == bits.end())
      bits.push_back(bit);
  }
  return contradictByCases(*this, bits);
}

bool Facts::satisfied(const std::vector<std::vector<Facts>> &clauses) const {
  auto known = [](const Facts &facts) { return memory().satisfy(facts); };
  return known(*this) && std::ranges::all_of(clauses, [&](const auto &cases) {
           return std::ranges::any_of(cases, known);
         });
}

/// What p >= 0 says of integers: where x is at most 7, 8 y + x >= 16 says that y is
/// at least 9 / 8, rounded up. Numbers of a smaller coefficient than the others'
/// divisor are put in by the bounds that facts say.
static Polynomial rounded(Polynomial p, const FactList &nonnegative) {
  auto boundOf = [&](Atom x, int64_t sign) -> std::optional<int64_t> {
    for (const Polynomial &fact : nonnegative)
      if (fact.atoms().size() == 1 && fact.contains(x))
        if (auto bound = (fact + Polynomial::atom(x) * sign).constant())
          return sign * *bound;
    return std::nullopt;
  };
  auto putOneIn = [&] {
    for (auto &[monomial, coefficient] : p.monomials()) {
      int64_t rest = 0;
      for (auto &[other, times] : p.monomials())
        if (!other.empty() && other != monomial)
          rest = std::gcd(rest, times);
      if (monomial.size() != 1 || rest <= std::abs(coefficient))
        continue;
      if (auto bound = boundOf(monomial[0], coefficient > 0 ? 1 : -1)) {
        p = p.substitute(monomial[0], *bound);
        return true;
      }
    }
    return false;
  };
  do
    p = p.overDivisor();
  while (p.degree() == 1 && putOneIn());
  return p;
}

bool Facts::provesAtLeast(const Polynomial &a, const Polynomial &b) const {
  if (auto number = a.numberMore(b))
    return *number >= 0 || contradict();
  Polynomial difference = a - b;
  if (difference.isLost())
    return false;
  auto contradicts = [&](const Polynomial &negated) {
    Facts goal;
    goal.nonnegative.push_back(negated);
    return contradictory(*this, goal, true);
  };
  const Polynomial negated = Polynomial(-1) - difference;
  if (contradicts(negated))
    return true;
  const Polynomial sharper = rounded(negated, nonnegative);
  return sharper != negated && contradicts(sharper);
}

bool Facts::provesEqual(const Polynomial &a, const Polynomial &b) const {
  if (a.numberMore(b) == 0)
    return true;
  return provesAtLeast(a, b) && provesAtLeast(b, a);
}
