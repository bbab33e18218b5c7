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
  /// Of texts that are generated, and were verified elsewhere: without.
  explicit Prover(bool verify = true) : verify(verify) {
    context.loadDialect<TitanDialect, arith::ArithDialect, scf::SCFDialect>();
    context.disableMultithreading();
  }
  ProofReport operator()(const RingProgram &program,
                         Judgement without = Judgement::None) {
    auto module = parseSourceString<ModuleOp>(toText(program),
                                              ParserConfig(&context, verify));
    EXPECT_TRUE(module) << toText(program);
    return module ? prove(*module->getOps<KernelOp>().begin(), without)
                  : ProofReport();
  }

private:
  MLIRContext context;
  bool verify;
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

bool anyOf(const RingProgram &p, StringRef letters) {
  return llvm::any_of(p.text, [&](const auto &agent) {
    return llvm::any_of(
        agent, [&](const std::string &part) { return count(part, letters); });
  });
}
int mostOther(const RingProgram &p, int mostDepth) {
  return anyOf(p, "byY") ? mostDepth : 1;
}

/// With tiles touched: written by the first warp, where no copy fills them, and
/// read or written by the second one; in the loop, and behind it where the
/// second loop runs once less. All depths in between.
void touched(const RingProgram &p, std::array<int, 2> from,
             std::array<int, 2> to,
             llvm::function_ref<void(const RingProgram &)> each) {
  bool fills = anyOf(p, "f");
  RingProgram q = p;
  for (const std::string &left :
       fills ? std::vector{p.text[0][1]} : inserted(p.text[0][1], "w"))
    for (const char *touch : {"r", "w"}) {
      std::string what = fills ? std::string(touch) + "F" : touch;
      for (const std::string &right : inserted(p.text[1][1], what))
        for (const std::string &last : p.lower[1] && !p.lower[0]
                                           ? inserted(p.text[1][2], what)
                                           : std::vector{p.text[1][2]})
          for (int d0 = from[0]; d0 <= to[0]; ++d0)
            for (int d1 = from[1]; d1 <= to[1]; ++d1) {
              q.text[0][1] = left;
              q.text[1][1] = right;
              q.text[1][2] = last;
              q.depth = {d0, d1};
              each(q);
            }
    }
}

/// How many `touched` makes of a depth.
uint64_t waysToTouch(const RingProgram &p) {
  bool behind = p.lower[1] && !p.lower[0];
  return (anyOf(p, "f") ? 1 : p.text[0][1].size() + 1) * 2 *
         (p.text[1][1].size() + 1) * (behind ? p.text[1][2].size() + 1 : 1);
}

/// Operations that are numbered together.
const char *sameFamily(char c) {
  for (const char *family : {"af", "b", "xX", "yY", "sS", "tT"})
    if (StringRef(family).contains(c))
      return family;
  return "";
}

/// All programs of so many synchronisations of these letters that touch no tile.
/// Of each `share` words the `part`-th one.
void skeletons(const std::string &letters, size_t syncs, bool around,
               bool guards, uint64_t share, uint64_t part,
               llvm::function_ref<void(const RingProgram &)> each) {
  uint64_t number = 0;
  auto take = [&](const RingProgram &p) {
    if (plausible(p))
      each(p);
  };
  // Where the texts are cut: before, in and behind the loops of both.
  size_t cuts = around ? 5 : 1;
  words(letters, syncs, [&](const std::string &all) {
    if (number++ % share != part)
      return;
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

/// All programs of so many synchronisations of these letters, one of `share`:
/// the `part`-th of each `share`.
void programs(const std::string &letters, size_t syncs, bool around,
              bool guards, int mostDepth, uint64_t share, uint64_t part,
              Judge &judge) {
  uint64_t number = 0;
  skeletons(letters, syncs, around, guards, 1, 0, [&](const RingProgram &p) {
    touched(p, {1, 1}, {mostDepth, mostOther(p, mostDepth)},
            [&](const RingProgram &q) {
              if (number++ % share == part)
                judge(q);
            });
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
                  *const twoNamed = "sStT", *const fillsAndNamed = "afxXtT";

/// All programs of a size, or all of one in `share` of their words. Of what
/// synchronises, in each depth, the proof is asked without any tile touched; where
/// it is proved, of each way in which tiles may be touched. (A touch is one more
/// access that has to be ordered and proves nothing: of one in `sample` of those
/// that are not proved it is asked whether any way to touch tiles is.) What is
/// proved has to be right under every interleaving, with hazards and without.
class Whole {
public:
  explicit Whole(uint64_t sample) : sample(sample) {}
  void operator()(const RingProgram &p) {
    for (int d0 : {1, 2, 3})
      for (int d1 = 1; d1 <= mostOther(p, 3); ++d1) {
        RingProgram bare = p;
        bare.depth = {d0, d1};
        ++skeletons;
        programs += waysToTouch(bare);
        bool right = isRight(bare, true);
        rightSkeletons += right;
        if (!prover(bare).proved) {
          if (skeletons % sample)
            continue;
          ++sampled;
          touched(p, bare.depth, bare.depth, [&](const RingProgram &q) {
            ++asked;
            EXPECT_FALSE(prover(q).proved)
                << "proved by a touch: " << q.print();
          });
          continue;
        }
        ++provedSkeletons;
        uint64_t ways = 0;
        EXPECT_TRUE(right) << "proved, and wrong: " << bare.print();
        touched(p, bare.depth, bare.depth, [&](const RingProgram &q) {
          ++asked, ++ways;
          bool good = isRight(q, true);
          rightPrograms += good;
          if (!prover(q).proved)
            return;
          ++proved;
          EXPECT_TRUE(good) << "proved, and wrong: " << q.print();
          EXPECT_TRUE(isRight(q, false))
              << "proved, and wrong without hazards: " << q.print();
        });
        EXPECT_EQ(ways, waysToTouch(bare));
      }
  }
  void print(const std::string &name) const {
    std::cout << name << ": " << programs << " programs of " << skeletons
              << " skeletons, of these " << rightSkeletons << " right, "
              << provedSkeletons << " proved; " << asked
              << " asked with touches (" << sampled
              << " skeletons not proved), " << rightPrograms << " right, "
              << proved
              << " proved, each under all interleavings, hazards off, too\n";
  }
  uint64_t programs = 0, proved = 0;

private:
  static bool isRight(const RingProgram &p, bool hazards) {
    for (int trips = 1; trips <= 4; ++trips)
      if (!explore(p, trips, hazards).empty())
        return false;
    return true;
  }
  Prover prover{false};
  uint64_t sample, skeletons = 0, rightSkeletons = 0, provedSkeletons = 0,
                   asked = 0, sampled = 0, rightPrograms = 0;
};

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

/// What may be written in loops alone, around them, and with guards, by letters;
/// TITAN_WHOLE=letters,syncs,form names another (form: loops, around, guards, both).
void whole(const std::string &letters, size_t syncs, const std::string &form,
           uint64_t few, uint64_t many) {
  uint64_t share =
      environment("TITAN_SHARE", std::getenv("TITAN_TEST_FULL") ? many : few);
  Whole whole(environment("TITAN_SAMPLE", 500));
  skeletons(letters, syncs, form == "around" || form == "both",
            form == "guards" || form == "both", share,
            environment("TITAN_PART", 0), std::ref(whole));
  whole.print(letters + " " + form + " of " + std::to_string(syncs));
  if (share == 1) // (A part of so many may have none.)
    EXPECT_GT(whole.programs, 0u);
}

TEST(RingTheorem, Whole) {
  if (const char *text = std::getenv("TITAN_WHOLE")) {
    SmallVector<StringRef> parts;
    StringRef(text).split(parts, ',');
    size_t syncs = 0;
    ASSERT_TRUE(parts.size() == 3 && !parts[1].getAsInteger(10, syncs)) << text;
    return whole(parts[0].str(), syncs, parts[2].str(), 1, 1);
  }
  whole(rings, 4, "loops", 10, 1);
  whole(fillsAndNamed, 3, "around", 10, 1);
  whole(twoNamed, 4, "both", 40, 1);
}

/// Without hazards what is wrong still shows: in what is read, at the end, and
/// where it does not end.
TEST(RingTheorem, WithoutHazards) {
  auto said = [](const char *a, const char *b, bool hazards) {
    RingProgram p;
    p.text = {{{"", a, ""}, {"", b, ""}}};
    return explore(p, 2, hazards);
  };
  EXPECT_EQ(said("w", "w", true), "a race with a write");
  EXPECT_EQ(said("w", "w", false),
            "tiles hold one thing or another at the end");
  EXPECT_EQ(said("wa", "xr", true), "a race with a read");
  EXPECT_EQ(said("wa", "xr", false), "a read gives one thing or another");
  EXPECT_EQ(said("Yf", "xbr", false), "a read gives one thing or another");
  EXPECT_EQ(said("xw", "ya", false), "a deadlock");
  EXPECT_EQ(said("Ywa", "xrb", true), "");
  EXPECT_EQ(said("Ywa", "xrb", false), "");
}

/// Without one judgement a program is proved that goes wrong: each is needed.
TEST(RingTheorem, EachJudgementIsNeeded) {
  Prover prover;
  for (auto [without, name] : {std::pair(Judgement::Parity, "parity"),
                               {Judgement::Pinned, "pinned"},
                               {Judgement::Alias, "alias"},
                               {Judgement::Rank, "rank"},
                               {Judgement::Order, "order"},
                               {Judgement::Defined, "defined"},
                               {Judgement::Between, "between"}}) {
    std::string found;
    for (std::array<const char *, 2> loops :
         std::vector<std::array<const char *, 2>>{{"aY", "xb"},
                                                  {"wa", "a"},
                                                  {"wax", "x"},
                                                  {"wya", "xrb"},
                                                  {"way", "xbr"},
                                                  {"ay", "xrb"},
                                                  {"Xbyffx", ""}})
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

/// What was proved once, and is wrong: who waits for use n, and for that of a round
/// before in turns, has not waited for those in between.
TEST(RingTheorem, ProvedOnce) {
  Prover prover;
  for (auto [a, b] : {std::pair("Xbyffx", ""), {"Xtffx", "t"}}) {
    RingProgram program;
    program.text = {{{"", a, ""}, {"", b, ""}}};
    program.depth = {3, 1};
    EXPECT_EQ(explore(program, 2), "a copy writes what is not over");
    EXPECT_NE(explore(program, 2, false), "");
    EXPECT_FALSE(prover(program).proved) << program.print();
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
