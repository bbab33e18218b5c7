//===- Global.cpp - writes of global memory -------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Orders.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

/// What the places of accesses are computed from.
static std::set<Atom>
computedFrom(Proof &proof, const std::vector<const Access *> &accesses) {
  std::set<Atom> from;
  std::vector<Atom> stack;
  for (const Access *access : accesses)
    for (const Polynomial &p : access->coordinates)
      llvm::append_range(stack, p.atoms());
  while (!stack.empty()) {
    Atom a = stack.back();
    stack.pop_back();
    if (!from.insert(a).second)
      continue;
    // A quotient is told by its remainder, too.
    std::string twin = proof.atoms.kind(a) == "quotient"    ? "remainder"
                       : proof.atoms.kind(a) == "remainder" ? "quotient"
                                                            : "";
    if (!twin.empty())
      from.insert(proof.atoms.atom(twin, nullptr, proof.atoms.operands(a)));
    // Where the next element's rows begin this one's end.
    if (auto next = nextElement(proof, a))
      from.insert(*next);
    for (const Polynomial &p : proof.atoms.operands(a))
      llvm::append_range(stack, p.atoms());
  }
  return from;
}

/// Of these facts those that speak of nothing but sizes, ids, and what the places of
/// an access are computed from.
static Facts aboutPlaces(Proof &proof, const Facts &facts,
                         const std::vector<const Access *> &accesses) {
  const std::set<Atom> from = computedFrom(proof, accesses);
  auto known = [&](Atom a) {
    return from.contains(a) || proof.atoms.kind(a) == "cta" ||
           !proof.atoms.dependsOn(a, [&](Atom other) {
             const std::string &kind = proof.atoms.kind(other);
             return kind == "iteration" || kind == "cta" ||
                    kind == "coordinate";
           });
  };
  Facts result;
  for (auto list : {&Facts::nonnegative, &Facts::zero})
    for (const Polynomial &p : facts.*list)
      if (llvm::all_of(p.atoms(), known))
        (result.*list).push_back(p);
  return result;
}

/// What places of two CTAs are computed from, by cases of each quotient; and of the
/// least, or greatest, of two numbers, which one that is.
static void addDigits(Proof &proof, const Access &x, const Access &y,
                      Facts &facts, std::vector<Clause> &clauses) {
  Atoms &atoms = proof.atoms;
  for (Atom a : computedFrom(proof, {&x, &y})) {
    const Polynomial mine = Polynomial::atom(a),
                     theirs = other(proof, mine, Instance::Cta);
    if (mine == theirs)
      continue;
    const std::string kind = atoms.kind(a);
    const std::vector<Polynomial> of = atoms.operands(a);
    if (kind == "quotient" && !of[1].constant()) {
      Facts less, equal, more;
      less.atLeast(theirs, mine + 1);
      equal.equal(mine, theirs);
      more.atLeast(mine, theirs + 1);
      clauses.push_back({less, equal, more});
    }
    if (kind != "minimum" && kind != "maximum")
      continue;
    for (unsigned i : {0, 1}) {
      auto choose = [&](const Polynomial &chosen, const Polynomial &one,
                        const Polynomial &two) {
        const bool isOne = kind == "minimum" ? facts.provesAtLeast(two, one)
                                             : facts.provesAtLeast(one, two);
        if (isOne)
          facts.equal(chosen, one);
      };
      choose(mine, of[i], of[1 - i]);
      choose(theirs, other(proof, of[i], Instance::Cta),
             other(proof, of[1 - i], Instance::Cta));
    }
  }
}

/// What an atom is multiplied with in these.
static std::vector<Polynomial>
factorsOf(Atom a, const std::vector<Polynomial> &coordinates) {
  std::vector<Polynomial> result;
  for (const Polynomial &p : coordinates)
    for (auto &[monomial, coefficient] : p.monomials())
      if (monomial.size() == 2 && llvm::is_contained(monomial, a))
        result.push_back(Polynomial::atom(monomial[monomial[0] == a ? 1 : 0]));
  return result;
}

/// It is a function of its two operands.
static bool isComputed(const Atoms &atoms, Atom a) {
  const std::string &kind = atoms.kind(a);
  return kind == "quotient" || kind == "remainder" || kind == "minimum" ||
         kind == "maximum";
}

/// How an atom is computed, but for what is divided: of two iterations the same.
static std::string shapeOf(const Atoms &atoms, Atom a);
static std::string shapeOf(const Atoms &atoms, const Polynomial &p) {
  std::vector<std::string> terms;
  for (auto &[monomial, coefficient] : p.monomials()) {
    std::vector<std::string> factors;
    for (Atom a : monomial)
      factors.push_back(shapeOf(atoms, a));
    llvm::sort(factors);
    terms.push_back(std::to_string(coefficient) + "*" +
                    llvm::join(factors, "*"));
  }
  llvm::sort(terms);
  return llvm::join(terms, "+");
}
static std::string shapeOf(const Atoms &atoms, Atom a) {
  const std::string &kind = atoms.kind(a);
  const bool divides = kind == "quotient" || kind == "remainder";
  if (!isComputed(atoms, a))
    return std::to_string(a);
  std::string text = kind + "(";
  for (const Polynomial &p :
       ArrayRef(atoms.operands(a)).drop_front(divides ? 1 : 0))
    text += shapeOf(atoms, p) + ",";
  return text + ")";
}

/// Of an instance of x and another one of y, of which `equal` says what is the same:
/// what their places are computed from, from the same numbers, is the same, too. (Not
/// what an instance is: its CTA, iteration and coordinates are computed from nothing.)
static void addAlike(Proof &proof, const Access &x, const Access &y,
                     Instance of, Facts &equal) {
  Atoms &atoms = proof.atoms;
  const std::set<Atom> ofX = computedFrom(proof, {&x}),
                       ofY = computedFrom(proof, {&y});
  for (bool changed = true; changed;) {
    changed = false;
    for (Atom a : ofX)
      for (Atom b : ofY) {
        const std::vector<Polynomial> mine = atoms.operands(a),
                                      theirs = atoms.operands(b);
        if (!isComputed(atoms, a) || atoms.kind(a) != atoms.kind(b))
          continue;
        const Polynomial same =
            Polynomial::atom(a) - other(proof, Polynomial::atom(b), of);
        if (same == Polynomial() || llvm::is_contained(equal.zero, same) ||
            !llvm::all_of(llvm::zip(mine, theirs), [&](const auto &pair) {
              auto &[p, q] = pair;
              return equal.provesEqual(p, other(proof, q, of));
            }))
          continue;
        equal.addZero(same);
        changed = true;
      }
  }
}

/// Of remainders by 2 that something is multiplied with, by cases: it is 0, or that.
static void addBits(const Atoms &atoms, const Facts &facts,
                    std::vector<Clause> &clauses) {
  std::map<Atom, std::set<Polynomial>> products;
  for (auto list : {&Facts::nonnegative, &Facts::zero})
    for (const Polynomial &fact : facts.*list)
      for (auto &[monomial, coefficient] : fact.monomials())
        for (Atom bit : monomial) {
          const Atom of = atoms.kind(bit) == "copy"
                              ? atoms.operands(bit)[0].atoms()[0]
                              : bit;
          if (monomial.size() < 2 || atoms.kind(of) != "remainder" ||
              atoms.operands(of)[1].constant() != 2)
            continue;
          Polynomial product = 1;
          for (Atom a : monomial)
            product = product * Polynomial::atom(a);
          products[bit].insert(product);
        }
  for (auto &[bit, of] : products) {
    Facts zero, one;
    zero.equal(Polynomial::atom(bit), 0);
    one.equal(Polynomial::atom(bit), 1);
    for (const Polynomial &product : of) {
      zero.equal(product, 0);
      one.equal(product, *over(product, Polynomial::atom(bit)));
    }
    clauses.push_back({zero, one});
  }
}

bool typestate::apartInGlobal(Proof &proof, const Access &x, const Access &y,
                              const Facts &launch, Instance of, bool differ) {
  auto theirs = [&](const auto &what) { return other(proof, what, of); };
  Facts all = launch, facts = aboutPlaces(proof, launch, {&x, &y});
  all.add(theirs(launch));
  all.add(x.facts);
  all.add(theirs(y.facts));
  facts.add(theirs(facts));
  facts.add(aboutPlaces(proof, x.facts, {&x, &y}));
  facts.add(theirs(aboutPlaces(proof, y.facts, {&x, &y})));
  for (size_t d = 0; d < x.coordinates.size(); ++d) {
    Polynomial a = x.coordinates[d], b = theirs(y.coordinates[d]);
    for (Facts *each : {&facts, &all}) {
      each->atLeast(b + Polynomial(y.extents[d]) - 1, a);
      each->atLeast(a + Polynomial(x.extents[d]) - 1, b);
    }
  }
  std::vector<Clause> clauses;
  std::vector<Clause> bits;
  addBits(proof.atoms, all, bits);
  // Of each number that tells where, by cases: where it is the same one, what
  // it is computed from has one equation less.
  std::set<Atom> places;
  for (const Polynomial &p : x.coordinates)
    for (Atom a : p.atoms())
      places.insert(a);
  for (Atom a : iterationsOf(x.path))
    places.insert(a);
  std::set<Atom> ofY;
  for (const Polynomial &p : y.coordinates)
    ofY.insert(p.atoms().begin(), p.atoms().end());
  // (In y it is perhaps of another iteration: the first one, say.)
  auto counterpart = [&](Atom a) {
    if (!ofY.contains(a) && !proof.atoms.operands(a).empty())
      for (Atom b : ofY)
        if (shapeOf(proof.atoms, a) == shapeOf(proof.atoms, b))
          return b;
    return a;
  };
  for (Atom a : places) {
    Polynomial here = Polynomial::atom(a),
               there = theirs(Polynomial::atom(counterpart(a)));
    if (here == there)
      continue;
    Facts less, equal, more;
    less.atLeast(there, here + 1);
    equal.equal(here, there);
    more.atLeast(here, there + 1);
    // So many times a number of rows, say: the products, too.
    bool product = false;
    for (const Polynomial &times : factorsOf(a, x.coordinates)) {
      if (theirs(times) != times || !all.provesAtLeast(times, 0))
        continue;
      less.atLeast(times * (there - here - 1), 0);
      equal.equal(times * here, times * there);
      more.atLeast(times * (here - there - 1), 0);
      product = true;
    }
    if (product || !bits.empty())
      addAlike(proof, x, y, of, equal);
    clauses.push_back({less, equal, more});
  }
  // Of quotients of tiles, by how many tiles lie between.
  Atoms &atoms = proof.atoms;
  for (Atom a : places)
    for (const Polynomial &p : y.coordinates)
      for (Atom b : p.atoms())
        if (atoms.kind(a) == "quotient" && atoms.kind(b) == "quotient" &&
            atoms.operands(a)[1] == atoms.operands(b)[1] &&
            (a != b || of == Instance::Element || differ))
          if (Clause sides = bySign(proof, atoms.operands(a)[0] -
                                               theirs(atoms.operands(b)[0]));
              !sides.empty())
            clauses.push_back(std::move(sides));
  addTickets(proof, x, y, of, clauses);
  if (of == Instance::Cta)
    addRising(proof, x, y, all, clauses);
  std::vector<Atom> ctas, mine;
  for (const Polynomial &p : launch.nonnegative)
    for (Atom a : p.atoms())
      if (atoms.kind(a) == "cta" && !llvm::is_contained(ctas, a))
        ctas.push_back(a);
  if (differ)
    clauses.push_back(different(proof, ctas));
  // (In one iteration of a CTA it is on one side of a branch.)
  const size_t sides = sidesApart(x.path, y.path);
  if ((&x == &y || sides) && !differ) {
    if (of == Instance::Cta)
      mine = ctas;
    llvm::append_range(
        mine, iterationsOf(sides ? Path(x.path.begin(), x.path.begin() + sides)
                                 : x.path));
    if (!sides)
      llvm::append_range(mine, x.element);
    // There is one instance.
    if (mine.empty())
      return true;
    clauses.push_back(different(proof, mine));
  }
  llvm::append_range(clauses, bits);
  // Shares of a whole, by which of the CTAs comes first.
  const bool shares = differ && ctas.size() == 1 &&
                      llvm::any_of(x.coordinates, [&](const Polynomial &p) {
                        return isOfShare(atoms, p);
                      });
  if (shares && llvm::all_of(different(proof, ctas), [&](const Facts &order) {
        Facts with = all;
        with.add(order);
        relateInstances(proof, with, of);
        return contradict(proof, with, clauses);
      }))
    return true;
  if (contradict(proof, facts, clauses) || contradict(proof, all, clauses))
    return true;
  if (of != Instance::Cta || proof.rising.empty())
    return false;
  addDigits(proof, x, y, facts, clauses);
  return contradict(proof, facts, clauses);
}

bool Proof::checkGlobal(const std::vector<Access> &accesses,
                        const Facts &launch, Ctas who) {
  bool any = false;
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t j = i; j < accesses.size(); ++j) {
      const Access &x = accesses[i], &y = accesses[j];
      if (!x.effect || !y.effect || x.shape || y.shape || x.root != y.root ||
          x.exchanged)
        continue;
      any = true;
      if (!conflict({x.kind, x.proxy}, {y.kind, y.proxy},
                    x.reduction && (x.reduction == y.reduction ||
                                    without == Judgement::Reductions)))
        continue;
      // Coordinates of a map of the tensor as it is are its indices.
      auto indices = [](TensorMapOp map) {
        return !map || (!map.isView() && !map.getPadded());
      };
      if (x.coordinates.size() != y.coordinates.size() ||
          x.coordinates.empty() ||
          (x.map != y.map && !(indices(x.map) && indices(y.map))))
        return stop("writes of different kinds to one tensor", y.op);
      if (without == Judgement::Writes)
        continue;
      if (x.map && x.map == y.map && !keepsApart(x.map))
        return stop("different coordinates of this map are not shown to be "
                    "different places",
                    x.map);
      auto apart = [&](Instance of, bool differ) {
        if (apartInGlobal(*this, x, y, launch, of, differ))
          return true;
        // By what is known in each of the cases that they are of.
        Access one = x, two = y;
        return !x.inCases.empty() && !y.inCases.empty() &&
               x.inCases.size() + y.inCases.size() > 2 &&
               llvm::all_of(x.inCases, [&](const Facts &ofX) {
                 one.facts = ofX;
                 return llvm::all_of(y.inCases, [&](const Facts &ofY) {
                   two.facts = ofY;
                   return apartInGlobal(*this, one, two, launch, of, differ);
                 });
               });
      };
      // One thread's are in program order.
      auto generic = [](const Access &a) {
        return a.lanes == Elected && !a.mechanism && a.proxy == Proxy::Generic;
      };
      const bool inOrder = x.warp == y.warp && generic(x) && generic(y);
      auto ofOne = [&] { return inOrder || apart(Instance::Element, false); };
      // Of all CTAs at once; else of one, and of two.
      if (who == Ctas::One
              ? ofOne()
              : (who == Ctas::All && apart(Instance::Cta, false)) ||
                    ((who == Ctas::Two || ofOne()) &&
                     apart(Instance::Cta, true)))
        continue;
      return stop("two CTAs, or two iterations, are not shown to write "
                  "different places of this tensor",
                  y.op, "titan.require of what the sizes are");
    }
  if (any)
    assumptions.insert("tensors do not overlap, nor do the rows of one");
  return true;
}
