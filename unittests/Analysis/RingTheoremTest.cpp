//===- RingTheoremTest.cpp - what is proved, under every interleaving -----===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/checker.md's theorem against brute force: of all small programs of two
// warps none is proved that goes wrong under an interleaving for 1 to 4
// iterations. A share of them here, all with TITAN_TEST_FULL.
//
//===----------------------------------------------------------------------===//
#include "RingPrograms.h"

#include "titan/Analysis/Typestate/Prove.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

using namespace mlir;
using namespace titan;
using namespace titan::test;

namespace {

class Prover {
public:
  Prover() {
    context.loadDialect<TitanDialect, arith::ArithDialect, scf::SCFDialect>();
    context.disableMultithreading();
  }
  ProofReport operator()(const RingProgram &program,
                         Judgement without = Judgement::None) {
    auto module =
        parseSourceString<ModuleOp>(toText(program), ParserConfig(&context));
    EXPECT_TRUE(module) << toText(program);
    return module ? prove(*module->getOps<KernelOp>().begin(), without)
                  : ProofReport();
  }

private:
  MLIRContext context;
};

/// What a set of programs adds up to.
struct Tally {
  uint64_t all = 0, right = 0, proved = 0, wrong = 0;
  std::vector<std::string> unproved;
};

class Judge {
public:
  void operator()(const RingProgram &program) {
    std::string how;
    int trips = 1;
    for (; trips <= 4 && how.empty(); ++trips)
      how = explore(program, trips);
    ++tally.all;
    tally.right += how.empty();
    ProofReport report = prover(program);
    tally.proved += report.proved;
    if (report.proved && !how.empty()) {
      ++tally.wrong;
      ADD_FAILURE() << "proved, and wrong: " << program.print() << ": " << how
                    << " (" << trips - 1 << " iterations)\n"
                    << (tally.wrong <= 3 ? toText(program) : "");
    }
    if (how.empty() && !report.proved && tally.unproved.size() < 40)
      tally.unproved.push_back(program.print() + ": " + report.reason);
  }
  void print(const char *name) const {
    std::cout << name << ": " << tally.all << " programs, " << tally.right
              << " right, of these " << tally.proved - tally.wrong
              << " proved\n";
    if (std::getenv("TITAN_VERBOSE"))
      for (const std::string &each : tally.unproved)
        std::cout << "  right, not proved: " << each << "\n";
  }
  Tally tally;

private:
  Prover prover;
};

/// All strings of so many letters.
void words(const std::string &letters, size_t length,
           llvm::function_ref<void(const std::string &)> each,
           std::string sofar = "") {
  if (sofar.size() == length)
    return each(sofar);
  for (char c : letters)
    words(letters, length, each, sofar + c);
}

/// The text with `what` put in at each place.
std::vector<std::string> inserted(const std::string &text,
                                  const std::string &what) {
  std::vector<std::string> result;
  for (size_t i = 0; i <= text.size(); ++i)
    result.push_back(text.substr(0, i) + what + text.substr(i));
  return result;
}

size_t count(const std::string &text, StringRef letters) {
  return llvm::count_if(text, [&](char c) { return letters.contains(c); });
}

/// How often each warp signals an object, and waits: before, in, behind its loop.
struct Uses {
  std::array<size_t, 3> arrivals = {}, waits = {};
};

/// Leaves out what neither runs nor is proved for reasons of number alone, and
/// what is another program by other names.
bool plausible(const RingProgram &p) {
  bool first = true, fills = false, plain = false;
  std::array<bool, 2> named = {}, ring = {};
  std::array<std::array<Uses, 2>, 2> of; // agent, object
  for (int agent : {0, 1})
    for (int part : {0, 1, 2})
      for (char c : p.text[agent][part]) {
        if (StringRef("wrF").contains(c))
          continue;
        // Object 0 comes first.
        if (first && objectOf(c))
          return false;
        first = false;
        fills |= c == 'f';
        plain |= c == 'a';
        (isNamed(c) ? named : ring)[objectOf(c)] = true;
        Uses &uses = of[agent][objectOf(c)];
        (StringRef("xXyY").contains(c) ? uses.waits : uses.arrivals)[part]++;
      }
  if (fills && plain)
    return false;
  for (int object : {0, 1}) {
    if (named[object] && ring[object])
      return false;
    auto total = [&](int agent, bool waits, size_t trips) {
      const Uses &n = of[agent][object];
      const auto &list = waits ? n.waits : n.arrivals;
      size_t all = list[0] + list[2] + list[1] * (trips - p.lower[agent]);
      for (const std::string &skipped : {p.notFirst[agent], p.notLast[agent]})
        for (char c : skipped)
          all -=
              objectOf(c) == object && StringRef("xXyY").contains(c) == waits;
      return all;
    };
    for (size_t trips : {1, 2, 3}) {
      size_t a = total(0, false, trips), b = total(1, false, trips),
             most = std::max(a, b);
      bool both = total(0, false, 4) && total(1, false, 4);
      if ((both && a != b) || (named[object] && a != b))
        return false;
      if (total(0, true, trips) > most || total(1, true, trips) > most)
        return false;
    }
  }
  return true;
}

/// With tiles touched: written by the first warp, where no copy fills them, and
/// read or written by the second one; in the loop, and behind it where the
/// second loop runs once less.
void touched(const RingProgram &p, int mostDepth,
             llvm::function_ref<void(const RingProgram &)> each) {
  bool fills = false, two = false;
  for (auto &agent : p.text)
    for (const std::string &part : agent) {
      fills |= count(part, "f");
      two |= count(part, "byY");
    }
  RingProgram q = p;
  for (const std::string &left :
       fills ? std::vector{p.text[0][1]} : inserted(p.text[0][1], "w"))
    for (const char *touch : {"r", "w"}) {
      std::string what = fills ? std::string(touch) + "F" : touch;
      for (const std::string &right : inserted(p.text[1][1], what))
        for (const std::string &last : p.lower[1] && !p.lower[0]
                                           ? inserted(p.text[1][2], what)
                                           : std::vector{p.text[1][2]})
          for (int d0 = 1; d0 <= mostDepth; ++d0)
            for (int d1 = 1; d1 <= (two ? mostDepth : 1); ++d1) {
              q.text[0][1] = left;
              q.text[1][1] = right;
              q.text[1][2] = last;
              q.depth = {d0, d1};
              each(q);
            }
    }
}

/// Operations that are numbered together.
const char *sameFamily(char c) {
  for (const char *family : {"af", "b", "xX", "yY", "sS", "tT"})
    if (StringRef(family).contains(c))
      return family;
  return "";
}

/// All programs of so many synchronisations of these letters, one of `share`:
/// the `part`-th of each `share`.
void programs(const std::string &letters, size_t syncs, bool around,
              bool guards, int mostDepth, uint64_t share, uint64_t part,
              Judge &judge) {
  uint64_t number = 0;
  auto take = [&](const RingProgram &p) {
    if (plausible(p))
      touched(p, mostDepth, [&](const RingProgram &q) {
        if (number++ % share == part)
          judge(q);
      });
  };
  // Where the texts are cut: before, in and behind the loops of both.
  size_t cuts = around ? 5 : 1;
  words(letters, syncs, [&](const std::string &all) {
    std::vector<size_t> at(cuts, 0);
    std::function<void(size_t, size_t)> cut = [&](size_t i, size_t from) {
      if (i < cuts) {
        for (at[i] = from; at[i] <= syncs; ++at[i])
          cut(i + 1, at[i]);
        return;
      }
      RingProgram p;
      std::vector<size_t> ends =
          around ? std::vector{at[0], at[1], at[2], at[3], at[4], syncs}
                 : std::vector<size_t>{0, at[0], at[0], at[0], syncs, syncs};
      size_t begin = 0;
      for (int part = 0; part < 6; ++part) {
        p.text[part / 3][part % 3] = all.substr(begin, ends[part] - begin);
        begin = ends[part];
      }
      // Only the first warp copies.
      for (const std::string &part : p.text[1])
        if (count(part, "f"))
          return;
      take(p);
      // With an operation that the first or the last iteration leaves out.
      for (int agent : {0, 1})
        for (char c : p.text[agent][1])
          if (guards && count(p.text[agent][1], sameFamily(c)) == 1)
            for (bool last : {false, true}) {
              RingProgram q = p;
              (last ? q.notLast : q.notFirst)[agent] = c;
              take(q);
              for (char d : p.text[1][1])
                if (agent == 0 && count(p.text[1][1], sameFamily(d)) == 1)
                  for (bool also : {false, true}) {
                    RingProgram r = q;
                    (also ? r.notLast : r.notFirst)[1] = d;
                    take(r);
                  }
            }
      if (!around)
        return;
      for (std::array<int, 2> lower :
           {std::array{0, 1}, std::array{1, 0}, std::array{1, 1}}) {
        p.lower = lower;
        take(p);
      }
    };
    cut(0, 0);
  });
}

uint64_t environment(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Shares that take seconds; all, or a larger share, with TITAN_TEST_FULL.
/// TITAN_SHARE and TITAN_PART say which share: the programs whose number has
/// this remainder (scripts/soundness.py runs them side by side).
void run(const char *name, const char *letters, size_t syncs, bool around,
         bool guards, uint64_t few, uint64_t many) {
  Judge judge;
  uint64_t share =
      environment("TITAN_SHARE", std::getenv("TITAN_TEST_FULL") ? many : few);
  programs(letters, syncs, around, guards, 3, share,
           environment("TITAN_PART", 0), judge);
  judge.print((std::string(name) + " of " + std::to_string(syncs)).c_str());
}

const char *const rings = "abfxXyY", *const named = "abxXtT",
                  *const twoNamed = "sStT";

TEST(RingTheorem, Loops4) { run("loops", rings, 4, false, false, 200, 1); }
TEST(RingTheorem, Loops5) { run("loops", rings, 5, false, false, 4000, 20); }
TEST(RingTheorem, Loops6) { run("loops", rings, 6, false, false, 80000, 400); }
TEST(RingTheorem, Around3) { run("around", rings, 3, true, false, 400, 1); }
TEST(RingTheorem, Around4) { run("around", rings, 4, true, false, 12000, 20); }
/// Enumerating these takes seconds, whatever the share.
bool fullTest() { return std::getenv("TITAN_TEST_FULL") != nullptr; }

TEST(RingTheorem, Around5) {
  if (!fullTest())
    GTEST_SKIP() << "./test --full";
  run("around", rings, 5, true, false, 300000, 400);
}
TEST(RingTheorem, Guards4) { run("guards", rings, 4, false, true, 3000, 2); }
TEST(RingTheorem, Guards5) {
  if (!fullTest())
    GTEST_SKIP() << "./test --full";
  run("guards", rings, 5, true, true, 3000000, 2000);
}
TEST(RingTheorem, Named4) { run("named", named, 4, true, false, 4000, 10); }
TEST(RingTheorem, Named5) { run("named", named, 5, false, true, 5000, 10); }
TEST(RingTheorem, TwoNamed4) { run("two", twoNamed, 4, true, true, 300, 1); }

/// Without one judgement a program is proved that goes wrong: each is needed.
TEST(RingTheorem, EachJudgementIsNeeded) {
  Prover prover;
  for (auto [without, name] : {std::pair(Judgement::Parity, "parity"),
                               {Judgement::Pinned, "pinned"},
                               {Judgement::Alias, "alias"},
                               {Judgement::Rank, "rank"},
                               {Judgement::Order, "order"},
                               {Judgement::Defined, "defined"}}) {
    std::string found;
    for (std::array<const char *, 2> loops :
         std::vector<std::array<const char *, 2>>{{"aY", "xb"},
                                                  {"wa", "a"},
                                                  {"wax", "x"},
                                                  {"wya", "xrb"},
                                                  {"way", "xbr"},
                                                  {"ay", "xrb"}})
      for (int depth : {1, 2, 3})
        for (int other : {1, 2, 3}) {
          if (!found.empty())
            continue;
          RingProgram program;
          program.text = {{{"", loops[0], ""}, {"", loops[1], ""}}};
          program.depth = {depth, other};
          std::string how;
          for (int trips = 1; trips <= 4 && how.empty(); ++trips)
            how = explore(program, trips);
          if (how.empty() || !prover(program, without).proved)
            continue;
          EXPECT_FALSE(prover(program).proved) << program.print();
          found = program.print() + ": " + how;
        }
    EXPECT_FALSE(found.empty()) << "without " << name;
    std::cout << "without " << name << ": " << found << "\n";
  }
}

TEST(RingTheorem, OneByHand) {
  RingProgram ring;
  ring.text = {{{"", "Yf", ""}, {"", "xrFb", ""}}};
  ring.depth = {2, 2};
  Prover prover;
  for (int trips = 1; trips <= 4; ++trips)
    EXPECT_EQ(explore(ring, trips), "");
  ProofReport report = prover(ring);
  EXPECT_TRUE(report.proved) << report.reason;
}

} // namespace
