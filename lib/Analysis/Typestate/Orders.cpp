//===- Orders.cpp - pairs of accesses, in two iterations ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Orders.h"

#include <deque>
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
  if (p.atoms().empty())
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

/// Two sides of a branch, which is where the paths part: how many steps are there
/// up to it, the branch included; 0: they are none.
static size_t sidesApart(const Path &x, const Path &y) {
  for (size_t i = 0; i < x.size() && i < y.size(); ++i)
    if (!(x[i] == y[i]))
      return x[i].op == y[i].op && x[i].side >= 0 && x[i].side != y[i].side
                 ? i + 1
                 : 0;
  return 0;
}

/// Whether two different lanes meet in them.
static bool lanesMeet(const effect::Shape &x, const effect::Shape &y,
                      int64_t distance) {
  const auto &a = x.lanes, &b = y.lanes;
  if (a.empty() || b.empty())
    return true;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j)
      if (i != j && a[i].intersects(b[j].shifted(distance)))
        return true;
  return false;
}

static bool lanesMeet(Proof &proof, const Access &x, const Access &y) {
  // Warps' are alike.
  int64_t distance = y.offset - x.offset;
  auto [known, fresh] =
      proof.meeting.try_emplace({x.shape, y.shape, distance}, false);
  if (fresh)
    known->second = lanesMeet(*x.shape, *y.shape, distance);
  return known->second;
}

/// Whether their engine keeps the two in order, whoever of the warp's lanes they are
/// of (MM-47).
static bool inOrder(const Access &x, const Access &y) {
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

/// Whether A's use is there and over wherever B's is: it is an earlier one of the same
/// object.
bool saysMore(const Release &a, const Release &b) {
  if (a.object != b.object || (b.fenced && !a.fenced))
    return false;
  const bool always = a.when.nonnegative.empty() && a.when.zero.empty();
  if (!always && !(a.when == b.when))
    return false;
  auto later = (b.use - a.use).constant();
  return later && *later >= 0;
}

/// Leaves out what others say: of a long body those of all later uses.
void keepEarliest(std::vector<Release> &releases) {
  std::vector<Release> kept;
  for (Release &release : releases) {
    if (llvm::any_of(kept, [&](const Release &other) {
          return saysMore(other, release);
        }))
      continue;
    llvm::erase_if(
        kept, [&](const Release &other) { return saysMore(release, other); });
    kept.push_back(std::move(release));
  }
  releases = std::move(kept);
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
} // namespace

bool Proof::checkOrders() {
  if (without == Judgement::Order)
    return true;
  // Of an access as the other instance what is known:
  std::vector<std::optional<Facts>> theirs(accesses.size());
  // Its bytes, facts and path, like ones by number: what several warps do alike, in
  // one text, is asked once.
  std::vector<ByteSet> bytesOf(accesses.size());
  std::vector<std::pair<size_t, size_t>> alike(accesses.size());
  Numbered<Facts> factsOf;
  Numbered<Path> paths;
  for (size_t i = 0; i < accesses.size(); ++i) {
    Access &access = accesses[i];
    keepEarliest(access.releases);
    if (access.shape && access.run.constant())
      bytesOf[i] = access.shape->bytes.shifted(access.offset);
    alike[i] = {factsOf(access.facts, hashOf(access.facts)),
                paths(access.path, access.path.size())};
  }
  std::unordered_map<size_t, std::vector<Pair>> inOrderBefore;
  // How far slots are apart, in turns of their ring.
  auto turnsOf = [&](const Access &x) {
    return Polynomial::atom(atoms.atom("turns")) * Polynomial(x.slots);
  };
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t j = i; j < accesses.size(); ++j) {
      const Access &x = accesses[i], &y = accesses[j];
      if (!x.effect || !y.effect || x.root != y.root || x.cta != y.cta ||
          !x.shape || !y.shape)
        continue;
      if (!conflict({x.kind, x.proxy}, {y.kind, y.proxy}))
        continue;
      if (i == j && (!x.mechanism || countedAtIssue(*x.mechanism)) &&
          !x.ofCells() && x.lanes != Elected && !x.shape->bytes.empty() &&
          lanesMeet(*this, x, x))
        return stop("lanes of a warp write the same place", x.op);
      if (x.ofCells() &&
          (x.lastLane <= y.firstLane || y.lastLane <= x.firstLane))
        continue;
      // Do they meet?
      if (x.slots != y.slots || x.stride != y.stride) {
        if (!(x.slots && y.slots) && (x.slots || y.slots)) {
          // A whole ring, and a slot of it: they may.
        } else
          return stop("rings of different shapes share memory", y.op);
      } else {
        if (x.slots) {
          auto inside = [](const Access &a) {
            return !a.run.constant() || a.shape->bytes.empty() ||
                   (a.offset + a.shape->bytes.intervals().front().begin >= 0 &&
                    a.offset + a.shape->bytes.intervals().back().end <=
                        a.stride);
          };
          if (!inside(x) || !inside(y))
            return stop("an access leaves its slot", y.op);
        }
        if (x.run.constant() && y.run.constant()) {
          if (!bytesOf[i].intersects(bytesOf[j]))
            continue;
        } else {
          auto ours = x.touched(), theirs = y.touched();
          if ((i == j && x.apart) ||
              (ours && theirs && !ours->intersects(*theirs)))
            continue;
        }
      }
      bool sameThread =
          x.warp == y.warp && x.lanes == Elected && y.lanes == Elected;
      Relation relation = sameThread ? Relation::SameThread
                          : ctaOf(x.warp) == ctaOf(y.warp) ? Relation::SameCta
                                                           : Relation::OtherCta;
      Requirement xy, yx;
      if (!x.ofCells()) {
        xy = required({x.kind, x.proxy}, {y.kind, y.proxy}, relation);
        yx = required({y.kind, y.proxy}, {x.kind, x.proxy}, relation);
      }
      bool synchronous = !x.mechanism && !y.mechanism;
      auto plain = [](const Requirement &r) {
        return r.completion == Completion::None && r.fence == ProxyFence::None;
      };
      if (inOrder(x, y) ||
          (inPipeline(*this, x, y) && inPipeline(*this, y, x)) ||
          (without == Judgement::WaveOrder && x.warp == y.warp && x.mechanism &&
           y.mechanism && !x.ofCells()))
        continue;
      if (synchronous && !x.ofCells() && plain(xy) && plain(yx)) {
        // Program order; of a warp's lanes each one's own.
        if (sameThread)
          continue;
        bool aligned = x.slots == y.slots;
        if (x.warp == y.warp && x.lanes == y.lanes && aligned &&
            !lanesMeet(*this, x, y))
          continue;
      }
      // Slots that are never the same: most pairs of uses that are written out.
      Polynomial slots;
      if (x.slots && y.slots)
        slots = x.slot - other(*this, y.slot) - turnsOf(x);
      if (x.slots && y.slots && neverZero(slots))
        continue;
      Pair pair{{alike[i].first, alike[i].second, alike[j].first,
                 alike[j].second, i == j, size_t(relation), size_t(xy.fence),
                 size_t(yx.fence), size_t(x.slots), size_t(y.slots)},
                {slots}};
      auto told = [&](const Access &a, const Access &b, const Requirement &r,
                      bool own) {
        const bool fenced =
            r.fence == ProxyFence::ByFirst || r.fence == ProxyFence::ByEither;
        auto add = [&](const Release &release, const Polynomial &known) {
          pair.numbers.push_back(release.when.nonnegative.size());
          pair.numbers.push_back(release.when.zero.size());
          pair.apart.push_back(own ? release.use - other(*this, known)
                                   : other(*this, release.use) - known);
          for (auto list : {&Facts::nonnegative, &Facts::zero})
            llvm::append_range(pair.apart, release.when.*list);
        };
        forEachTold(a, b.knows, fenced, add);
        pair.numbers.push_back(pair.apart.size());
        if (r.fence == ProxyFence::ByEither)
          forEachTold(a, b.atFence, false, add);
        pair.numbers.push_back(pair.apart.size());
      };
      told(x, y, xy, true);
      told(y, x, yx, false);
      auto &known = inOrderBefore[pair.hash()];
      // (Runs are looked at with their bytes, and of tensor memory who it is matters.)
      const bool simple = x.run.constant() && y.run.constant() && !x.ofCells();
      if (simple && llvm::is_contained(known, pair))
        continue;
      Facts facts = launch;
      facts.add(x.facts);
      if (!theirs[j])
        theirs[j] = other(*this, y.facts);
      facts.add(*theirs[j]);
      std::vector<Clause> clauses;
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
        auto [first, last] = ends(y, other(*this, y.run));
        facts.atLeast(end - 1, first);
        facts.atLeast(last - 1, begin);
      }
      if (i == j) {
        std::vector<Atom> iterations = iterationsOf(x.path);
        if (iterations.empty())
          continue; // One instance.
        clauses.push_back(different(*this, iterations));
      } else if (size_t same = relation == Relation::OtherCta &&
                                       without != Judgement::PeerSides
                                   ? 0
                                   : sidesApart(x.path, y.path)) {
        // The sides of one branch: in one iteration of a CTA, one of them.
        std::vector<Atom> iterations =
            iterationsOf(Path(x.path.begin(), x.path.begin() + same - 1));
        if (iterations.empty())
          continue;
        clauses.push_back(different(*this, iterations));
      }
      auto before = [&](const Access &a, const Access &b, const Requirement &r,
                        bool own) {
        switch (r.fence) {
        case ProxyFence::None:
          notBefore(*this, a, b.knows, own, false, clauses);
          return true;
        case ProxyFence::ByFirst:
          notBefore(*this, a, b.knows, own, true, clauses);
          return true;
        case ProxyFence::ByEither:
          notBefore(*this, a, b.knows, own, true, clauses);
          notBefore(*this, a, b.atFence, own, false, clauses);
          return true;
        default:
          return stop("fences of this kind are not followed by the proof yet",
                      b.op);
        }
      };
      if (x.ofCells()) {
        notBeforeCells(x, y, true, clauses);
        notBeforeCells(y, x, false, clauses);
      } else if (!before(x, y, xy, true) || !before(y, x, yx, false)) {
        return false;
      }
      bool apart = contradict(*this, facts, clauses);
      if (!apart && i != j) {
        // Uses of different iterations of a loop are far apart: by cases.
        for (size_t d = 0; d < x.path.size() && d < y.path.size() &&
                           x.path[d].op == y.path[d].op;
             ++d) {
          const Polynomial &here = x.path[d].iteration;
          Polynomial there = other(*this, y.path[d].iteration);
          if (here.constant() || there.constant())
            continue;
          Facts less, equal, more;
          less.atLeast(there, here + 1);
          equal.equal(here, there);
          more.atLeast(here, there + 1);
          clauses.push_back({less, equal, more});
        }
        apart = contradict(*this, facts, clauses);
      }
      if (simple && apart)
        known.push_back(std::move(pair));
      if (!apart)
        return stop("this " + verb(y) +
                        (i == j
                             ? " and that of another iteration"
                             : " and the " + verb(x) + " of the same memory") +
                        " are not shown to be in order",
                    y.op);
    }
  return true;
}

//===----------------------------------------------------------------------===//
// What nobody has written
//===----------------------------------------------------------------------===//

static bool startsWith(const Path &path, const Path &prefix) {
  if (prefix.size() > path.size())
    return false;
  for (size_t i = 0; i < prefix.size(); ++i)
    if (!(path[i] == prefix[i]))
      return false;
  return true;
}

/// Which slot p is modulo the slots, where that is one number.
static std::optional<int64_t> slotOf(const Polynomial &p, int64_t slots) {
  int64_t c = p.constantTerm();
  if (p.isLost() || !(p - Polynomial(c)).dividedBy(slots))
    return std::nullopt;
  return (c % slots + slots) % slots;
}

/// Wherever the second path is, the first one comes, too: its loops' first iterations
/// alone are beyond it. (A loop is walked where it runs at all.)
static bool isCertain(const Path &path, const Path &within) {
  return startsWith(path, within) &&
         std::all_of(path.begin() + within.size(), path.end(),
                     [](const Step &step) {
                       return step.side < 0 && !step.last &&
                              step.iteration.constant() == 0;
                     });
}

bool Proof::checkDefined() {
  if (without == Judgement::Defined)
    return true;
  std::vector<std::optional<ByteSet>> roots(accesses.size());
  for (size_t i = 0; i < accesses.size(); ++i)
    if (accesses[i].shape)
      roots[i] = accesses[i].fromRoot();
  // Of what many read, and of writes of the same bytes by one warp, it is asked once.
  auto whatOf = [](const Access &x) {
    return std::tuple(x.root.getAsOpaquePointer(), x.cta, x.warp, x.slots,
                      x.stride, x.offset, x.shape, x.mechanism);
  };
  std::map<std::tuple<decltype(whatOf(accesses[0])), ObjectId, int64_t,
                      std::optional<int64_t>>,
           bool>
      inEach;
  auto writtenInEachUse = [&](const Access &x, ObjectId object, int64_t times,
                              std::optional<int64_t> ahead) {
    auto [known, fresh] =
        inEach.try_emplace({whatOf(x), object, times, ahead}, false);
    if (fresh)
      known->second = inEachUse(x, object, times, ahead);
    return known->second;
  };
  // Of tensor memory each warp's window for itself.
  std::vector<std::pair<const Access *, const std::optional<ByteSet> *>> reads;
  std::deque<Access> windows;
  const int64_t window =
      target.tmemLanes / std::max<int64_t>(target.warpsPerWarpgroup, 1);
  for (const Access &read : accesses) {
    if (!read.effect || !read.shape || read.kind != AccessKind::Read)
      continue;
    const std::optional<ByteSet> *root = &roots[&read - accesses.data()];
    if (!read.ofCells())
      reads.emplace_back(&read, root);
    for (int64_t lane = read.firstLane; lane < read.lastLane; lane += window) {
      windows.push_back(read);
      windows.back().firstLane = lane;
      windows.back().lastLane = lane + window;
      reads.emplace_back(&windows.back(), root);
    }
  }
  for (auto [read, ofRoot] : reads) {
    const Access &y = *read;
    Facts facts = launch;
    facts.add(y.facts);
    auto needed = y.touched();
    // Of one that lies in its slot at most all of that.
    if (!needed && y.slots)
      needed = ByteSet(0, y.stride);
    if (!needed)
      return stop("which bytes this reads, of all its iterations, is not "
                  "counted",
                  y.op);
    ByteSet missing = *needed;
    auto root = *ofRoot;
    // Of branches of which both sides are walked: what both write. (Each CTA of a
    // cluster takes its own.)
    std::map<std::pair<Operation *, int>, ByteSet> sides[2];
    for (const Access &x : accesses) {
      if (!x.effect || !x.effect->surely || !x.shape ||
          x.kind != AccessKind::Write || x.root != y.root || x.cta != y.cta ||
          x.firstLane > y.firstLane || x.lastLane < y.lastLane)
        continue;
      Path certain = x.path;
      Operation *branch = nullptr;
      int side = 0;
      if (!certain.empty() && certain.back().side >= 0) {
        branch = certain.back().op;
        side = certain.back().side;
        certain.pop_back();
      }
      bool covers = false, eachUse = false;
      // What is executed once, or whose bytes its use counts, is over where a use
      // behind it is known to be.
      if (auto &bytes = roots[&x - accesses.data()]; bytes && root)
        for (const Release &release : x.releases) {
          auto known = y.knows.find(release.object);
          bool once = instances(x.path) &&
                      (!x.mechanism || (x.mechanism == Mechanism::Phase &&
                                        isCounted(release.object)));
          if (once && release.use.constant() && release.when.empty() &&
              known != y.knows.end() &&
              facts.provesAtLeast(known->second, release.use + 1)) {
            root = root->subtract(*bytes);
            if (!x.slots && !y.slots)
              missing = missing.subtract(*bytes);
          }
        }
      if (!x.run.constant() || x.slots != y.slots || x.stride != y.stride)
        continue;
      bool same = !x.slots;
      if (x.slots)
        if (auto turns = (x.slot - y.slot).constant())
          same = *turns % x.slots == 0;
      if (startsWith(y.path, certain) && x.sequence < y.sequence &&
          (x.group == y.group ||
           (x.group % 1000 == 0 && ctaOf(x.warp) == ctaOf(y.warp)))) {
        // In the same iteration.
        if (!same && !(x.slot - y.slot).constant())
          for (int64_t turn = -2; !same && turn <= 2; ++turn)
            same = facts.provesEqual(x.slot - y.slot, turn * x.slots);
        for (const Release &release : x.releases) {
          auto known = y.knows.find(release.object);
          covers |= same && release.when.empty() && known != y.knows.end() &&
                    facts.provesAtLeast(known->second, release.use + 1);
        }
        // Its own thread's, or one that their engine has before it.
        covers |= same && (inOrder(x, y) || inPipeline(*this, x, y));
        covers |= same && !x.mechanism && x.warp == y.warp &&
                  x.lanes == y.lanes && !lanesMeet(*this, x, y);
      } else if (x.mechanism == Mechanism::Phase ||
                 x.mechanism == Mechanism::AsyncGroup ||
                 x.mechanism == Mechanism::TensorCore || !x.mechanism) {
        // By a use that comes after it: there is such a write in each use (the
        // bytes of each arrival's use are all brought by the thread that expects
        // them).
        for (const Release &release : x.releases) {
          std::optional<int64_t> ahead;
          int64_t factor = 1;
          auto known = y.knows.find(release.object);
          if (known == y.knows.end())
            continue;
          // The use whose slot is this one; of one slot each use.
          Polynomial use = known->second - 1;
          if (x.slots > 1) {
            // The slot is so many times the use, and so far on, modulo the slots.
            int64_t times = 1;
            for (; times <= x.slots && !ahead; ++times)
              ahead = (x.slot - release.use * Polynomial(times)).constant();
            --times;
            if (ahead) {
              auto found = (y.slot - Polynomial(*ahead)).dividedBy(times);
              if (!found)
                continue;
              use = *found;
              // The last such use that is known.
              int64_t turn = x.slots / std::gcd(times, x.slots);
              auto more = (known->second - 1 - use).constant();
              for (int64_t d = -4; !more && d <= 4; ++d)
                if (facts.provesEqual(known->second - 1 - use, d))
                  more = d;
              if (more)
                use += Polynomial(*more - ((*more % turn) + turn) % turn);
            } else {
              // Of uses that are written out, all of them in one iteration.
              times = 1;
              ahead = slotOf(x.slot - release.use, x.slots);
              auto back =
                  ahead ? slotOf(known->second - 1 + *ahead - y.slot, x.slots)
                        : std::nullopt;
              if (!back)
                continue;
              use = known->second - 1 - *back;
            }
            factor = times;
          }
          eachUse |= facts.provesAtLeast(use, 0) &&
                     facts.provesAtLeast(known->second, use + 1) &&
                     writtenInEachUse(x, release.object, factor, ahead);
          covers |= eachUse;
        }
      }
      if (!covers)
        continue;
      ByteSet bytes = x.shape->bytes.shifted(x.offset);
      if (branch && !eachUse)
        sides[side][{branch, ctaOf(x.warp)}] =
            sides[side][{branch, ctaOf(x.warp)}].unite(bytes);
      else
        missing = missing.subtract(bytes);
    }
    for (auto &[branch, bytes] : sides[0])
      if (auto found = sides[1].find(branch); found != sides[1].end())
        missing = missing.subtract(bytes.intersect(found->second));
    if (!missing.empty() && (!root || !root->empty()) && !writtenAhead(y))
      return stop("not all bytes of this read are shown to have been written "
                  "before",
                  y.op);
  }
  return true;
}

/// For each arrival of its warp there is this write before it, or copy, to the
/// slot that is so many ahead of the use: each body of the walk that arrives
/// writes, too. (It hangs on what checkDefined's `whatOf` says of the write.)
bool Proof::inEachUse(const Access &x, ObjectId object, int64_t times,
                      std::optional<int64_t> ahead) {
  // A copy to a peer is one of the use of its thread's own ring: where the CTAs
  // fill each other's alike (checkMulticast).
  Object own = objects[object];
  if (isCounted(object) && x.mechanism && own.cta != ctaOf(x.warp) &&
      without != Judgement::PeerCopies)
    return false;
  if (own.kind == Object::Ring && x.mechanism && !isShared(object))
    own.cta = ctaOf(x.warp);
  ObjectId arrivals = this->object(own);
  // Not of each use, where it leaves some to others.
  if (turned.contains(arrivals))
    for (int lane : {elected, others})
      if (totals[x.warp].skipped[lane].contains(arrivals))
        return false;
  bool any = false;
  const auto kind = own.kind == Object::Groups ? Signal::Commit
                    : isShared(object) && ctaOf(x.warp) != own.cta
                        ? Signal::Complete
                        : Signal::Arrive;
  // Its warp's writes of these bytes.
  std::vector<const Access *> writes;
  for (const Access &other : accesses)
    if (other.effect && other.shape && other.kind == AccessKind::Write &&
        other.root == x.root && other.cta == x.cta && other.slots == x.slots &&
        other.stride == x.stride && other.warp == x.warp &&
        other.run.constant() &&
        x.shape->bytes
            .subtract(other.shape->bytes.shifted(other.offset - x.offset))
            .empty())
      writes.push_back(&other);
  for (const Signal &signal : signals) {
    if (signal.kind != kind || signal.object != arrivals ||
        signal.warp != x.warp)
      continue;
    any = true;
    const bool found = llvm::any_of(writes, [&](const Access *other) {
      return llvm::any_of(other->releases,
                          [&](const Release &release) {
                            return release.object == object &&
                                   release.use == signal.use &&
                                   release.when.empty();
                          }) &&
             isCertain(other->path, signal.path) &&
             (!ahead || slotOf(other->slot - signal.use * Polynomial(times) -
                                   Polynomial(*ahead),
                               std::max<int64_t>(x.slots, 1)) == 0);
    });
    if (!found)
      return false;
  }
  return any;
}
