//===- Sums.cpp - what loops add that run differently often ---------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop whose iteration t adds f(t) to a number has, at the head of iteration t, what
// the first one has left and S(t) = f(1) + ... + f(t - 1) (Atoms::sum). That S(t + 1) is
// S(t) + f(t) is how sums are written. Here is what is known of them beside that: where
// no f(i) is less than a number m, 0 or 1, for 1 <= i < count,
//
//   S(x) >= m (x - 1)                           for 1 <= x <= count
//   S(y) >= S(x) + f(x) + m (y - x - 1)         for 1 <= x < y <= count
//
//===----------------------------------------------------------------------===//
#include "Orders.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

void typestate::addSums(Atoms &atoms, ArrayRef<Proof::Summed> summed,
                        const Polynomial &x, Facts &facts) {
  for (const Proof::Summed &each : summed)
    facts.atLeast(atoms.sum(x, each.f), (x - 1) * Polynomial(each.least));
}

/// f(x), as what is known of x's instance says it; none: x is of both.
static std::optional<Polynomial> termAt(Proof &proof, const Polynomial &f,
                                        const Polynomial &x) {
  Atoms &atoms = proof.atoms;
  bool mine = false, theirs = false;
  for (Atom a : x.atoms())
    if (atoms.kind(a) == "copy")
      theirs = true;
    else if (proof.varies(Polynomial::atom(a)))
      mine = true;
  if (!theirs)
    return atoms.at(f, x, nullptr);
  if (mine)
    return std::nullopt;
  Polynomial here = x.substitute([&](Atom a) -> std::optional<Polynomial> {
    return atoms.kind(a) == "copy" ? std::optional(atoms.operands(a)[0])
                                   : std::nullopt;
  });
  return other(proof, atoms.at(f, here, nullptr));
}

void typestate::addSumsOfTwo(Proof &proof, const Facts &facts,
                             std::vector<Clause> &clauses) {
  Atoms &atoms = proof.atoms;
  std::set<Polynomial> ends;
  auto collect = [&](const Facts &from) {
    for (auto list : {&Facts::nonnegative, &Facts::zero})
      for (const Polynomial &p : from.*list)
        for (Atom a : p.atoms())
          if (atoms.kind(a) == "sum")
            ends.insert(atoms.operands(a)[0]);
  };
  collect(facts);
  for (const Clause &clause : clauses)
    for (const Facts &each : clause)
      collect(each);
  if (ends.empty())
    return;
  auto are = [&](const Polynomial &x, const Polynomial &y) {
    return llvm::is_contained(facts.zero, x - y) ||
           llvm::is_contained(facts.zero, y - x);
  };
  for (const Proof::Summed &of : proof.summed) {
    std::vector<Polynomial> inside;
    // The last terms of a sum up to x + c are written out.
    auto mine = ends;
    if (ends.contains(of.count - of.count.constantTerm()))
      mine.insert(of.count);
    for (const Polynomial &x : mine)
      if (facts.provesAtLeast(x, 1) && facts.provesAtLeast(of.count, x))
        inside.push_back(x);
    const Polynomial least = of.least;
    for (size_t i = 0; i < inside.size(); ++i) {
      const Polynomial x = inside[i], ofX = atoms.sum(x, of.f);
      Facts some;
      some.atLeast(ofX, (x - 1) * least);
      if (are(x, 1))
        some.addZero(ofX);
      clauses.push_back({some});
      for (size_t j = 0; j < i; ++j) {
        const Polynomial y = inside[j], ofY = atoms.sum(y, of.f);
        auto longer = [&](const Polynomial &x, const Polynomial &ofX,
                          const Polynomial &y, const Polynomial &ofY) {
          Facts result;
          result.atLeast(y, x + 1);
          result.atLeast(ofY, ofX + (y - x) * least);
          if (auto term = termAt(proof, of.f, x))
            result.atLeast(ofY, ofX + *term + (y - x - 1) * least);
          return result;
        };
        // Where one of them is the next iteration, its sum is one term more.
        auto isNext = [&](const Polynomial &x, const Polynomial &ofX,
                          const Polynomial &y, const Polynomial &ofY) {
          auto term = are(y, x + 1) ? termAt(proof, of.f, x) : std::nullopt;
          if (term)
            clauses.emplace_back().emplace_back().equal(ofY, ofX + *term);
          return term.has_value();
        };
        if (isNext(x, ofX, y, ofY) || isNext(y, ofY, x, ofX))
          continue;
        Facts equal;
        equal.equal(x, y);
        equal.equal(ofX, ofY);
        auto termX = termAt(proof, of.f, x), termY = termAt(proof, of.f, y);
        if (termX && termY)
          equal.equal(*termX, *termY);
        if (are(x, y)) {
          clauses.push_back({equal});
          continue;
        }
        clauses.push_back(
            {longer(x, ofX, y, ofY), equal, longer(y, ofY, x, ofX)});
      }
    }
  }
}
