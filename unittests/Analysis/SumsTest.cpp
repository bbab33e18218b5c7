//===- SumsTest.cpp - sums of what loops add, against adding up -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random functions of an iteration (multiples, quotients, remainders, least and greatest
// ones), of which sums are computed by adding their values.
//
//===----------------------------------------------------------------------===//
#include "Typestate/Orders.h"

#include "titan/Dialect/ReferenceDialects.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

namespace {
int64_t floorDiv(int64_t x, int64_t d) { return x / d - (x % d < 0 ? 1 : 0); }

/// What atoms are, with numbers for those that are computed from nothing; those of
/// another instance have numbers of their own.
struct Values {
  const Atoms &atoms;
  std::map<Atom, int64_t> here, there;
  bool isThere = false;

  int64_t of(const Polynomial &p, std::optional<int64_t> each = {}) const {
    auto value = p.evaluate([&](Atom a) { return of(a, each); });
    EXPECT_TRUE(value.has_value());
    return value.value_or(0);
  }
  int64_t of(Atom a, std::optional<int64_t> each) const {
    const std::string &kind = atoms.kind(a);
    const std::vector<Polynomial> &in = atoms.operands(a);
    if (kind == "each")
      return each.value();
    if (kind == "copy") {
      Values other = *this;
      other.isThere = true;
      return other.of(in[0], each);
    }
    if (in.empty())
      return (isThere && there.contains(a) ? there : here).at(a);
    if (kind == "sum") {
      // f(1) + ... + f(x - 1), and what is less than none going back.
      const int64_t x = of(in[0]);
      int64_t sum = 0;
      for (int64_t i = 1; i < x; ++i)
        sum += of(in[1], i);
      for (int64_t i = x; i < 1; ++i)
        sum -= of(in[1], i);
      return sum;
    }
    const int64_t first = of(in[0], each);
    if (kind == "triangle")
      return first * (first - 1) / 2;
    const int64_t second = of(in[1], each);
    if (kind == "quotient")
      return floorDiv(first, second);
    if (kind == "remainder")
      return first - second * floorDiv(first, second);
    return kind == "minimum" ? std::min(first, second)
                             : std::max(first, second);
  }
};

/// A random function of `t`, and of what stays the same.
Polynomial randomFunction(std::mt19937 &random, Atoms &atoms,
                          const Polynomial &t, ArrayRef<Polynomial> sizes,
                          int depth) {
  auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  auto inner = [&] {
    return randomFunction(random, atoms, t, sizes, depth - 1);
  };
  switch (depth ? pick(0, 6) : pick(0, 1)) {
  case 0:
    return t * Polynomial(pick(-2, 3)) + Polynomial(pick(-3, 3));
  case 1:
    return sizes[pick(0, sizes.size() - 1)] * Polynomial(pick(1, 2)) + t;
  case 2:
  case 3: {
    const char *kind = pick(0, 1) ? "quotient" : "remainder";
    return Polynomial::atom(atoms.atom(kind, nullptr, {inner(), pick(1, 5)}));
  }
  case 4:
    return inner() + inner() * sizes[pick(0, sizes.size() - 1)];
  default:
    return Polynomial::atom(atoms.atom(pick(0, 1) ? "minimum" : "maximum",
                                       nullptr, {inner(), inner()}));
  }
}

TEST(Sums, AreWhatAddingUpGives) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    Atoms atoms;
    const Polynomial t = Polynomial::atom(atoms.atom("iteration")),
                     n = Polynomial::atom(atoms.atom("n")),
                     m = Polynomial::atom(atoms.atom("m"));
    Polynomial f = randomFunction(random, atoms, t, {n, m}, 3);
    Polynomial term = atoms.substitute(f, t.atoms()[0], atoms.each(), nullptr);
    // The function at t is the function again.
    EXPECT_EQ(atoms.at(term, t, nullptr), f);
    for (int64_t at = -3; at <= 9; ++at) {
      Values values{atoms, {}, {}};
      values.here = {{t.atoms()[0], at},
                     {n.atoms()[0], 1 + random() % 5},
                     {m.atoms()[0], 1 + random() % 5}};
      auto added = [&](int64_t x) {
        int64_t sum = 0;
        for (int64_t i = 1; i < x; ++i)
          sum += values.of(term, i);
        for (int64_t i = x; i < 1; ++i)
          sum -= values.of(term, i);
        return sum;
      };
      for (int64_t c = -10; c <= 10; ++c) {
        EXPECT_EQ(values.of(atoms.sum(t + c, term)), added(at + c)) << seed;
        EXPECT_EQ(values.of(atoms.sum(c, term)), added(c)) << seed;
      }
      // One more term.
      const Polynomial next =
          atoms.substitute(atoms.sum(t, term), t.atoms()[0], t + 1, nullptr);
      EXPECT_EQ(next, atoms.sum(t, term) + f) << seed;
    }
  }
}

// Of all that two sums may be, one case of each clause is so.
TEST(Sums, WhatIsSaidOfTwoIsSo) {
  MLIRContext context;
  DialectRegistry registry;
  registerReferenceDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<TitanDialect>();
  auto module = parseSourceString<ModuleOp>(
      R"(titan.kernel @k() warps(1) attributes {titan.target = "sm_90a"} launch {
           %one = arith.constant 1 : index
           titan.launch grid(%one)
         } body() {
           titan.return
         })",
      ParserConfig(&context));
  ASSERT_TRUE(module);
  KernelOp kernel = *module->getOps<KernelOp>().begin();
  int looked = 0, different = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    Shared shared;
    Proof proof(kernel, shared);
    Atoms &atoms = proof.atoms;
    const Atom iteration = atoms.atom("iteration", kernel.getOperation());
    const Polynomial t = Polynomial::atom(iteration),
                     n = Polynomial::atom(atoms.atom("n")),
                     m = Polynomial::atom(atoms.atom("m")),
                     count = Polynomial::atom(atoms.atom("count"));
    // A function that is no less than a number.
    const int64_t least = seed % 2;
    Polynomial f = Polynomial::atom(
        atoms.atom("maximum", nullptr,
                   {randomFunction(random, atoms, t, {n, m}, 2), least}));
    Polynomial term = atoms.substitute(f, iteration, atoms.each(), nullptr);
    proof.summed.push_back({term, count, least});
    const Polynomial here = atoms.sum(t, term),
                     there = typestate::other(proof, here),
                     all = atoms.sum(count, term);
    Facts facts;
    facts.atLeast(t, 1);
    facts.atLeast(count - 1, t);
    facts.add(typestate::other(proof, facts));
    facts.atLeast(here + there, all - 1000);
    std::vector<Clause> clauses;
    addSumsOfTwo(proof, facts, clauses);
    // (Of what is the same each time there are products, and no sums.)
    if (!proof.varies(f))
      continue;
    EXPECT_EQ(clauses.size(), 6u);
    for (int trial = 0; trial < 40; ++trial) {
      Values values{atoms, {}, {}};
      const int64_t trips = 2 + random() % 9;
      values.here = {{iteration, 1 + random() % (trips - 1)},
                     {n.atoms()[0], 1 + random() % 5},
                     {m.atoms()[0], 1 + random() % 5},
                     {count.atoms()[0], trips}};
      values.there = {{iteration, 1 + random() % (trips - 1)}};
      auto holds = [&](const Facts &each) {
        return llvm::all_of(
                   each.nonnegative,
                   [&](const Polynomial &p) { return values.of(p) >= 0; }) &&
               llvm::all_of(each.zero, [&](const Polynomial &p) {
                 return values.of(p) == 0;
               });
      };
      for (const Clause &clause : clauses)
        EXPECT_TRUE(llvm::any_of(clause, holds)) << seed;
      ++looked;
      different += values.of(here) != values.of(there);
    }
  }
  EXPECT_GT(different * 4, looked);
}
} // namespace
