//===- Orders.cpp - pairs of accesses, in two iterations ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Orders.h"

#include "titan/Dialect/Titan/SharedMemory.h"

#include <numeric>

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

/// Of each two sums 0 + 1 + ... + (x - 1): by which of them is longer.
static void addTriangles(const Atoms &atoms, const Facts &facts,
                         std::vector<Clause> &clauses) {
  std::set<Atom> all;
  auto collect = [&](const Facts &from) {
    for (auto list : {&Facts::nonnegative, &Facts::zero})
      for (const Polynomial &p : from.*list)
        for (Atom a : p.atoms())
          if (atoms.kind(a) == "triangle")
            all.insert(a);
  };
  collect(facts);
  for (const Clause &clause : clauses)
    for (const Facts &each : clause)
      collect(each);
  std::vector<Atom> sums;
  for (Atom a : all)
    if (facts.provesAtLeast(atoms.operands(a)[0], 0))
      sums.push_back(a);
  for (size_t i = 0; i < sums.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Polynomial x = atoms.operands(sums[i])[0],
                       y = atoms.operands(sums[j])[0],
                       ofX = Polynomial::atom(sums[i]),
                       ofY = Polynomial::atom(sums[j]);
      // The longer one ends with its last number and has the other's length in it.
      auto longer = [](const Polynomial &x, const Polynomial &ofX,
                       const Polynomial &y, const Polynomial &ofY) {
        Facts result;
        result.atLeast(x, y + 1);
        result.atLeast(ofX, ofY + x - 1);
        result.atLeast(ofX, ofY + y);
        return result;
      };
      Facts equal;
      equal.equal(x, y);
      equal.equal(ofX, ofY);
      clauses.push_back(
          {longer(x, ofX, y, ofY), equal, longer(y, ofY, x, ofX)});
    }
}

static void append(Facts &facts, const Facts &more) {
  facts.nonnegative.append(more.nonnegative);
  facts.zero.append(more.zero);
}

/// Nothing satisfies the facts, the cases that were chosen, and one of each clause:
/// clauses of one case are facts, of the others one is asked about after the other.
/// False: perhaps since `most` systems were not enough.
static bool refuted(const Facts &facts, Facts chosen,
                    std::vector<Clause> clauses, unsigned &most) {
  std::erase_if(clauses, [&](const Clause &clause) {
    if (clause.size() == 1)
      append(chosen, clause.front());
    return clause.size() == 1;
  });
  if (most == 0 || Facts::exhausted())
    return false;
  --most;
  if (facts.contradict(chosen))
    return true;
  if (clauses.empty())
    return false;
  auto least = std::ranges::min_element(clauses, {}, &Clause::size);
  Clause cases = std::move(*least);
  clauses.erase(least);
  return std::ranges::all_of(cases, [&](const Facts &one) {
    Facts with = chosen;
    append(with, one);
    return refuted(facts, std::move(with), clauses, most);
  });
}

/// Nothing satisfies the facts and one case of each clause.
static bool empty(Facts facts, std::vector<Clause> clauses) {
  if (facts.contradict())
    return true;
  // Cases that cannot be are left out; the last one of a clause is a fact.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < clauses.size() && !changed; ++i) {
      if (Facts::exhausted())
        return false;
      std::erase_if(clauses[i],
                    [&](const Facts &one) { return facts.contradict(one); });
      if (clauses[i].empty())
        return true;
      if (clauses[i].size() == 1) {
        facts.add(clauses[i].front());
        clauses.erase(clauses.begin() + i);
        changed = true;
      }
    }
  }
  if (clauses.empty())
    return false;
  auto least = std::ranges::min_element(clauses, {}, &Clause::size);
  Clause cases = std::move(*least);
  clauses.erase(least);
  return std::ranges::all_of(cases, [&](const Facts &one) {
    Facts with = facts;
    with.add(one);
    return empty(std::move(with), clauses);
  });
}

bool typestate::contradict(Proof &proof, Facts facts,
                           std::vector<Clause> clauses) {
  if (Facts::exhausted())
    return false;
  if (proof.atoms.hasTriangles)
    addTriangles(proof.atoms, facts, clauses);
  if (proof.atoms.hasSums)
    addSumsOfTwo(proof, facts, clauses);
  size_t hash = clauses.size();
  auto add = [&](const Facts &more) {
    for (const scalars::FactList *list : {&more.nonnegative, &more.zero})
      hash = (hash ^ list->hash()) * 0x9e3779b97f4a7c15u;
  };
  add(facts);
  for (const Clause &clause : clauses)
    for (const Facts &each : clause)
      add(each);
  auto &known = proof.shared.contradictions;
  for (auto [it, end] = known.equal_range(hash); it != end; ++it)
    if (auto &[f, c, answer] = it->second; f == facts && c == clauses)
      return answer;
  unsigned most = 16;
  bool answer = refuted(facts, {}, clauses, most) ||
                (!facts.satisfied(clauses) && empty(facts, clauses));
  if (!Facts::exhausted())
    known.emplace(hash,
                  std::tuple(std::move(facts), std::move(clauses), answer));
  return answer;
}

bool typestate::neverZero(const Polynomial &p) {
  int64_t divisor = 0, constant = p.constantTerm();
  for (auto &[monomial, coefficient] : p.monomials())
    if (!monomial.empty())
      divisor = std::gcd(divisor, coefficient);
  return !p.isLost() && (divisor ? constant % divisor != 0 : constant != 0);
}

Polynomial typestate::other(Proof &proof, const Polynomial &p, Instance of) {
  if (p.atoms().empty() && !p.isLost())
    return p;
  auto &known = proof.shared.counterparts[static_cast<size_t>(of)];
  if (auto found = known.find(p); found != known.end())
    return found->second;
  auto varies = [&](Atom a) {
    const std::string &kind = proof.atoms.kind(a);
    return kind == "iteration" ||
           (of != Instance::Iteration && kind == "coordinate") ||
           (of == Instance::Cta && kind == "cta");
  };
  Polynomial result = p.substitute([&](Atom a) -> std::optional<Polynomial> {
    if (!proof.atoms.dependsOn(a, varies))
      return std::nullopt;
    if (proof.atoms.kind(a) == "triangle")
      return proof.atoms.triangle(
          other(proof, Polynomial(proof.atoms.operands(a)[0]), of), nullptr);
    // (What is added is the CTA's.)
    if (proof.atoms.kind(a) == "sum" && of != Instance::Cta)
      return proof.atoms.sum(
          other(proof, Polynomial(proof.atoms.operands(a)[0]), of),
          Polynomial(proof.atoms.operands(a)[1]));
    return Polynomial::atom(proof.atoms.copyOf(a));
  });
  known.emplace(p, result);
  return result;
}

Facts typestate::other(Proof &proof, const Facts &facts, Instance of) {
  Facts result;
  for (const Polynomial &p : facts.nonnegative)
    result.nonnegative.push_back(other(proof, p, of));
  for (const Polynomial &p : facts.zero)
    result.zero.push_back(other(proof, p, of));
  return result;
}

void typestate::relateInstances(Proof &proof, Facts &facts, Instance of) {
  std::set<Atom> all;
  for (auto list : {&Facts::nonnegative, &Facts::zero})
    for (const Polynomial &p : facts.*list)
      all.insert(p.atoms().begin(), p.atoms().end());
  std::vector<Quotient> mine, theirs;
  for (Atom a : all) {
    const bool copy = proof.atoms.kind(a) == "copy";
    const Atom from = copy ? proof.atoms.operands(a)[0].atoms()[0] : a;
    if (proof.atoms.kind(from) != "quotient")
      continue;
    const std::vector<Polynomial> &division = proof.atoms.operands(from);
    if (division[1].constant() || !proof.dependsOnCta(Polynomial::atom(from)))
      continue;
    if (copy)
      theirs.push_back({other(proof, Polynomial(division[0]), of),
                        other(proof, Polynomial(division[1]), of),
                        Polynomial::atom(a)});
    else
      mine.push_back({division[0], division[1], Polynomial::atom(a)});
  }
  // (Of what takes no products to see.)
  Facts known;
  for (const Polynomial &p : facts.nonnegative)
    if (p.degree() < 2)
      known.nonnegative.push_back(p);
  for (const Polynomial &p : facts.zero)
    if (p.degree() < 2)
      known.zero.push_back(p);
  for (const Quotient &x : mine)
    for (const Quotient &y : theirs) {
      relate(known, x, y, facts);
      relate(known, y, x, facts);
    }
}

Clause typestate::different(Proof &proof, const std::vector<Atom> &atoms) {
  Clause result;
  Facts equal;
  for (Atom a : atoms) {
    Polynomial here = Polynomial::atom(a),
               there = Polynomial::atom(proof.atoms.copyOf(a));
    Facts less = equal, more = equal;
    less.atLeast(there, here + 1);
    more.atLeast(here, there + 1);
    result.push_back(less);
    result.push_back(more);
    equal.equal(here, there);
  }
  return result;
}

/// The releases of X that are told of, and what is known.
static void
forEachTold(const Access &x, const Knowledge &knows, bool fenced,
            function_ref<void(const Release &, const Polynomial &)> told) {
  for (const Release &release : x.releases) {
    if (fenced && !release.fenced)
      continue;
    auto found = knows.find(release.object);
    if (found != knows.end())
      told(release, found->second);
  }
}

void typestate::notBefore(Proof &proof, const Access &x, const Knowledge &knows,
                          bool own, bool fenced, std::vector<Clause> &clauses) {
  forEachTold(
      x, knows, fenced, [&](const Release &release, const Polynomial &known) {
        // X is one instance, who knows is the other.
        auto ofX = [&](const Polynomial &p) {
          return own ? p : other(proof, p);
        };
        auto ofY = [&](const Polynomial &p) {
          return own ? other(proof, p) : p;
        };
        Clause clause;
        Facts late;
        late.atLeast(ofX(release.use), ofY(known));
        clause.push_back(late);
        for (const Polynomial &fact : release.when.nonnegative) {
          Facts not_;
          not_.nonnegative.push_back(Polynomial(-1) - ofX(fact));
          clause.push_back(not_);
        }
        for (const Polynomial &fact : release.when.zero)
          for (int sign : {1, -1}) {
            Facts not_;
            not_.nonnegative.push_back(ofX(fact) * Polynomial(sign) - 1);
            clause.push_back(not_);
          }
        clauses.push_back(std::move(clause));
      });
}

Clause typestate::bySign(Proof &proof, const Polynomial &p) {
  std::map<Atom, Polynomial> factors;
  for (auto &[monomial, coefficient] : p.monomials())
    if (monomial.size() == 2)
      for (unsigned i : {0, 1})
        if (!proof.varies(Polynomial::atom(monomial[i])))
          factors[monomial[i]] =
              p.substitute(monomial[i], 1) - p.substitute(monomial[i], 0);
  Clause clause;
  for (auto &[atom, times] : factors) {
    if (times.degree() != 1)
      continue;
    Facts less, equal, more;
    less.atLeast(-1, times);
    equal.equal(times, 0);
    more.atLeast(times, 1);
    return {less, equal, more};
  }
  return clause;
}

std::vector<Atom> typestate::iterationsOf(const Path &path) {
  std::vector<Atom> result;
  for (const Step &step : path)
    if (!step.last)
      for (Atom a : step.iteration.atoms())
        result.push_back(a);
  return result;
}

size_t typestate::sidesApart(const Path &x, const Path &y) {
  for (size_t i = 0; i < x.size() && i < y.size(); ++i)
    if (!(x[i] == y[i]))
      return x[i].op == y[i].op && x[i].side >= 0 && x[i].side != y[i].side
                 ? i + 1
                 : 0;
  return 0;
}

/// Whether two different lanes meet in them.
static bool shapesMeet(const effect::Shape &x, const effect::Shape &y,
                       int64_t distance) {
  const auto &a = x.lanes, &b = y.lanes;
  if (a.empty() || b.empty())
    return true;
  for (size_t j = 0; j < b.size(); ++j) {
    const ByteSet theirs = b[j].shifted(distance);
    for (size_t i = 0; i < a.size(); ++i)
      if (i != j && a[i].intersects(theirs))
        return true;
  }
  return false;
}

bool typestate::lanesMeet(Proof &proof, const Access &x, const Access &y) {
  // Warps' are alike.
  int64_t distance = y.offset - x.offset;
  auto [known, fresh] =
      proof.meeting.try_emplace({x.shape, y.shape, distance}, false);
  if (fresh)
    known->second = shapesMeet(*x.shape, *y.shape, distance);
  return known->second;
}

bool typestate::inOrder(const Access &x, const Access &y) {
  if (x.warp != y.warp)
    return false;
  auto first = x.effect->engineOp(), second = y.effect->engineOp();
  auto always = [](EngineOp a, EngineOp b) {
    const OrderedPair *pair = findOrderedPair(a, b);
    return pair && pair->condition == PairCondition::Always;
  };
  return first && second && always(*first, *second) && always(*second, *first);
}

static std::string verb(const Access &access) {
  return access.kind == AccessKind::Read ? "read" : "write";
}

namespace {
/// Equal ones by number.
template <typename T> class Numbered {
public:
  size_t operator()(const T &what, size_t hash = 0) {
    auto &alike = known[hash];
    for (auto &[other, number] : alike)
      if (*other == what)
        return number;
    alike.emplace_back(&what, count);
    return count++;
  }
  size_t count = 0;

private:
  std::unordered_map<size_t, std::vector<std::pair<const T *, size_t>>> known;
};

size_t hashOf(const Facts &facts) {
  return facts.nonnegative.hash() * 3 + facts.zero.hash();
}

/// All that the order of two accesses hangs on, once it is known that their bytes
/// meet: which warps they are of is none of it, nor of which uses they are, but how
/// far these are apart.
struct Pair {
  std::vector<size_t> numbers;
  std::vector<Polynomial> apart;
  bool operator==(const Pair &) const = default;
  size_t hash() const {
    size_t hash = apart.size();
    auto mix = [&](size_t number) {
      hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    };
    for (size_t number : numbers)
      mix(number);
    for (const Polynomial &p : apart)
      mix(p.hash());
    return hash;
  }
};

/// What the order of two accesses has to be made by.
struct Asked {
  Relation relation;
  bool sameThread;
  /// X before Y, and Y before X.
  Requirement xy, yx;
};

/// What is over before Y is issued, in whatever order, Y comes after (MM-62).
bool comesAfterAll(const Access &x, const Access &y) {
  return x.proxy == Proxy::Async && y.proxy == Proxy::Async &&
         y.kind != AccessKind::Read;
}

/// Each two accesses that meet are in order.
class OrderCheck {
public:
  explicit OrderCheck(Proof &proof)
      : proof(proof), accesses(proof.accesses), theirs(accesses.size()),
        bytesOf(accesses.size()), alike(accesses.size()) {
    putInSlots();
    Numbered<Facts> factsOf;
    Numbered<Path> paths;
    for (size_t i = 0; i < accesses.size(); ++i) {
      const Access &access = at(i);
      if (access.shape && access.run.constant())
        bytesOf[i] = access.shape->bytes.shifted(access.offset);
      alike[i] = {factsOf(access.facts, hashOf(access.facts)),
                  paths(access.path, access.path.size())};
    }
  }

  bool run() {
    for (size_t i = 0; i < accesses.size(); ++i)
      for (size_t j = i; j < accesses.size(); ++j)
        if (!areInOrder(i, j))
          return false;
    return true;
  }

private:
  const Access &at(size_t i) const {
    auto found = inSlots.find(i);
    return found == inSlots.end() ? accesses[i] : found->second;
  }

  /// What lies in one slot of a ring, under a name of its own (titan.shared.reuse), is
  /// an access of that slot.
  void putInSlots() {
    std::map<std::pair<void *, int>, std::set<std::pair<int64_t, int64_t>>>
        rings;
    for (const Access &access : accesses)
      if (access.slots)
        rings[{access.root.getAsOpaquePointer(), access.cta}].insert(
            {access.slots, access.stride});
    for (size_t i = 0; i < accesses.size(); ++i) {
      const Access &access = accesses[i];
      auto ring = rings.find({access.root.getAsOpaquePointer(), access.cta});
      if (access.slots || !access.shape || !access.run.constant() ||
          access.shape->bytes.empty() || ring == rings.end() ||
          ring->second.size() != 1)
        continue;
      auto [slots, stride] = *ring->second.begin();
      const auto bytes = access.shape->bytes.intervals();
      const int64_t first = access.offset + bytes.front().begin,
                    last = access.offset + bytes.back().end - 1;
      if (first < 0 || first / stride != last / stride ||
          last >= slots * stride)
        continue;
      Access &own = inSlots.emplace(i, access).first->second;
      own.slots = slots;
      own.stride = stride;
      own.slot = first / stride;
      own.offset -= first / stride * stride;
    }
  }

  /// False: not shown, and the proof stops.
  bool areInOrder(size_t i, size_t j) {
    const Access &x = at(i), &y = at(j);
    if (!x.effect || !y.effect || x.root != y.root || x.cta != y.cta ||
        !x.shape || !y.shape)
      return true;
    if (!conflict({x.kind, x.proxy}, {y.kind, y.proxy}))
      return true;
    if (i == j && (!x.mechanism || countedAtIssue(*x.mechanism)) &&
        !x.ofCells() && x.lanes != Elected && !x.shape->bytes.empty() &&
        lanesMeet(proof, x, x))
      return proof.stop("lanes of a warp write the same place", x.op);
    if (x.ofCells() && (x.lastLane <= y.firstLane || y.lastLane <= x.firstLane))
      return true;
    const std::optional<bool> meet = mayMeet(i, j);
    if (!meet)
      return false;
    if (!*meet)
      return true;
    const Asked asked = askedOf(x, y);
    if (areByThemselves(x, y, asked))
      return true;
    // Slots that are never the same: most pairs of uses that are written out.
    Polynomial slots;
    if (x.slots && y.slots) {
      // How far they are apart, in turns of their ring.
      slots = x.slot - other(proof, y.slot) -
              Polynomial::atom(proof.atoms.atom("turns")) * Polynomial(x.slots);
      if (neverZero(slots))
        return true;
    }
    Pair pair = pairOf(i, j, asked, slots);
    auto &known = inOrderBefore[pair.hash()];
    // (Runs are looked at with their bytes, and of tensor memory who it is matters.)
    const bool simple = x.run.constant() && y.run.constant() && !x.ofCells();
    if (simple && llvm::is_contained(known, pair))
      return true;
    std::vector<Clause> clauses;
    if (!addInstances(i, j, asked, clauses))
      return true;
    if (!addOrders(x, y, asked, clauses))
      return false;
    if (!neverMeet(i, j, slots, std::move(clauses)))
      return proof.stop("this " + verb(y) +
                            (i == j ? " and that of another iteration"
                                    : " and the " + verb(x) +
                                          " of the same memory by " +
                                          quoted(x.op)) +
                            " are not shown to be in order",
                        y.op);
    if (simple)
      known.push_back(std::move(pair));
    return true;
  }

  /// Whether their bytes do, whatever their slots are; none: the proof stops.
  std::optional<bool> mayMeet(size_t i, size_t j) {
    const Access &x = at(i), &y = at(j);
    auto stop = [&](const char *reason) {
      proof.stop(reason, y.op);
      return std::nullopt;
    };
    if (x.slots != y.slots || x.stride != y.stride) {
      // A whole ring, and a slot of it: they may.
      if ((x.slots && y.slots) || (!x.slots && !y.slots))
        return stop("rings of different shapes share memory");
      return true;
    }
    if (x.slots) {
      auto inside = [](const Access &a) {
        return !a.run.constant() || a.shape->bytes.empty() ||
               (a.offset + a.shape->bytes.intervals().front().begin >= 0 &&
                a.offset + a.shape->bytes.intervals().back().end <= a.stride);
      };
      if (!inside(x) || !inside(y))
        return stop("an access leaves its slot");
    }
    if (x.run.constant() && y.run.constant())
      return bytesOf[i].intersects(bytesOf[j]);
    auto ours = x.touched(), theirs = y.touched();
    return !((i == j && x.apart) ||
             (ours && theirs && !ours->intersects(*theirs)));
  }

  Asked askedOf(const Access &x, const Access &y) const {
    Asked asked;
    asked.sameThread =
        x.warp == y.warp && x.lanes == Elected && y.lanes == Elected;
    asked.relation = asked.sameThread ? Relation::SameThread
                     : proof.ctaOf(x.warp) == proof.ctaOf(y.warp)
                         ? Relation::SameCta
                         : Relation::OtherCta;
    if (!x.ofCells()) {
      asked.xy = required({x.kind, x.proxy}, {y.kind, y.proxy}, asked.relation);
      asked.yx = required({y.kind, y.proxy}, {x.kind, x.proxy}, asked.relation);
    }
    return asked;
  }

  /// Their engine, or the order of their program, keeps the two in order.
  bool areByThemselves(const Access &x, const Access &y, const Asked &asked) {
    if (inOrder(x, y) || (inPipeline(proof, x, y) && inPipeline(proof, y, x)) ||
        (proof.without == Judgement::WaveOrder && x.warp == y.warp &&
         x.mechanism && y.mechanism && !x.ofCells()))
      return true;
    auto plain = [](const Requirement &r) {
      return r.completion == Completion::None && r.fence == ProxyFence::None;
    };
    const bool synchronous = !x.mechanism && !y.mechanism;
    if (!synchronous || x.ofCells() || !plain(asked.xy) || !plain(asked.yx))
      return false;
    // Program order; of a warp's lanes each one's own.
    return asked.sameThread || (x.warp == y.warp && x.lanes == y.lanes &&
                                x.slots == y.slots && !lanesMeet(proof, x, y));
  }

  Pair pairOf(size_t i, size_t j, const Asked &asked, const Polynomial &slots) {
    const Access &x = at(i), &y = at(j);
    Pair pair{{alike[i].first, alike[i].second, alike[j].first, alike[j].second,
               i == j, size_t(asked.relation), size_t(asked.xy.fence),
               size_t(asked.yx.fence), size_t(x.slots), size_t(y.slots)},
              {slots}};
    auto told = [&](const Access &a, const Access &b, const Requirement &r,
                    bool own) {
      const bool fenced =
          r.fence == ProxyFence::ByFirst || r.fence == ProxyFence::ByEither;
      auto add = [&](const Release &release, const Polynomial &known) {
        pair.numbers.push_back(release.when.nonnegative.size());
        pair.numbers.push_back(release.when.zero.size());
        pair.apart.push_back(own ? release.use - other(proof, known)
                                 : other(proof, release.use) - known);
        for (auto list : {&Facts::nonnegative, &Facts::zero})
          llvm::append_range(pair.apart, release.when.*list);
      };
      forEachTold(a, b.knows, fenced, add);
      pair.numbers.push_back(pair.apart.size());
      if (r.fence == ProxyFence::ByEither)
        forEachTold(a, b.atFence, false, add);
      pair.numbers.push_back(pair.apart.size());
      if (comesAfterAll(a, b))
        forEachTold(a, b.sees, false, add);
      pair.numbers.push_back(pair.apart.size());
    };
    told(x, y, asked.xy, true);
    told(y, x, asked.yx, false);
    return pair;
  }

  /// That they are two instances. False: there is but one.
  bool addInstances(size_t i, size_t j, const Asked &asked,
                    std::vector<Clause> &clauses) {
    const Path &x = accesses[i].path, &y = accesses[j].path;
    size_t steps = x.size();
    if (i != j) {
      // The sides of one branch: in one iteration of a CTA, one of them.
      const size_t same = asked.relation == Relation::OtherCta &&
                                  proof.without != Judgement::PeerSides
                              ? 0
                              : sidesApart(x, y);
      if (!same)
        return true;
      steps = same - 1;
    }
    std::vector<Atom> iterations =
        iterationsOf(Path(x.begin(), x.begin() + steps));
    if (iterations.empty())
      return false;
    clauses.push_back(different(proof, iterations));
    return true;
  }

  /// That neither is known to be before the other. False: the proof stops.
  bool addOrders(const Access &x, const Access &y, const Asked &asked,
                 std::vector<Clause> &clauses) {
    if (x.ofCells()) {
      proof.notBeforeCells(x, y, true, clauses);
      proof.notBeforeCells(y, x, false, clauses);
      return true;
    }
    auto before = [&](const Access &a, const Access &b, const Requirement &r,
                      bool own) {
      if (comesAfterAll(a, b))
        notBefore(proof, a, b.sees, own, false, clauses);
      switch (r.fence) {
      case ProxyFence::None:
        notBefore(proof, a, b.knows, own, false, clauses);
        return true;
      case ProxyFence::ByFirst:
        notBefore(proof, a, b.knows, own, true, clauses);
        return true;
      case ProxyFence::ByEither:
        notBefore(proof, a, b.knows, own, true, clauses);
        notBefore(proof, a, b.atFence, own, false, clauses);
        return true;
      default:
        return proof.stop(
            "fences of this kind are not followed by the proof yet", b.op);
      }
    };
    return before(x, y, asked.xy, true) && before(y, x, asked.yx, false);
  }

  /// Nothing is such that they meet, and one case of each clause.
  bool neverMeet(size_t i, size_t j, const Polynomial &slots,
                 std::vector<Clause> clauses) {
    const Access &x = at(i), &y = at(j);
    Facts facts = proof.launch;
    facts.add(x.facts);
    if (!theirs[j])
      theirs[j] = other(proof, y.facts);
    facts.add(*theirs[j]);
    if (x.slots && y.slots)
      facts.equal(slots, 0);
    if (x.slots == y.slots && (!x.run.constant() || !y.run.constant()) &&
        !x.shape->bytes.empty() && !y.shape->bytes.empty()) {
      // Their first and last bytes tell where runs meet.
      auto ends = [](const Access &a, const Polynomial &run) {
        Polynomial at = run + Polynomial(a.offset);
        return std::pair(
            at + Polynomial(a.shape->bytes.intervals().front().begin),
            at + Polynomial(a.shape->bytes.intervals().back().end));
      };
      auto [begin, end] = ends(x, x.run);
      auto [first, last] = ends(y, other(proof, y.run));
      facts.atLeast(end - 1, first);
      facts.atLeast(last - 1, begin);
    }
    if (contradict(proof, facts, clauses))
      return true;
    if (i == j)
      return false;
    // Uses of different iterations of a loop are far apart: by cases.
    for (size_t d = 0;
         d < x.path.size() && d < y.path.size() && x.path[d].op == y.path[d].op;
         ++d) {
      const Polynomial &here = x.path[d].iteration;
      Polynomial there = other(proof, y.path[d].iteration);
      if (here.constant() || there.constant())
        continue;
      Facts less, equal, more;
      less.atLeast(there, here + 1);
      equal.equal(here, there);
      more.atLeast(here, there + 1);
      clauses.push_back({less, equal, more});
    }
    return contradict(proof, facts, clauses);
  }

  Proof &proof;
  const std::vector<Access> &accesses;
  /// Of an access as the other instance what is known.
  std::vector<std::optional<Facts>> theirs;
  std::vector<ByteSet> bytesOf;
  std::map<size_t, Access> inSlots;
  /// Its facts and path, like ones by number: what several warps do alike, in one
  /// text, is asked once.
  std::vector<std::pair<size_t, size_t>> alike;
  std::unordered_map<size_t, std::vector<Pair>> inOrderBefore;
};
} // namespace

bool Proof::checkOrders() {
  return without == Judgement::Order || OrderCheck(*this).run();
}
