//===- WaitCountsTest.cpp - counts of s_waitcnt against a simulation ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All texts of an alphabet are executed along all their paths by a wave of which
// nothing is over before a wait says so. Each count that was computed is right, and
// one more leaves what is needed under way on some path.
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/WaitCounts.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

using namespace titan;

namespace {

using Text = std::vector<WaitStep>;

/// One instruction under way.
struct Flying {
  unsigned instance;
  bool inOrder;
};

struct Wave {
  std::vector<Flying> queue[numWaitClasses]; ///< oldest first
  std::map<unsigned, unsigned> names;        ///< token: instance
  unsigned instances = 0;

  void issue(const WaitStep &step) {
    unsigned instance = instances++;
    for (unsigned i = 0; i < step.raises; ++i)
      queue[static_cast<unsigned>(step.counter)].push_back(
          {instance, step.inOrder});
    names[step.token] = instance;
  }
  /// The CDNA3 ISA: in order the youngest are left; where something may
  /// overtake, only 0 says anything.
  void wait(unsigned counter, unsigned left) {
    auto &flying = queue[counter];
    bool mixed = std::any_of(flying.begin(), flying.end(),
                             [](const Flying &f) { return !f.inOrder; });
    if (left == 0)
      flying.clear();
    else if (!mixed && flying.size() > left)
      flying.erase(flying.begin(), flying.end() - left);
  }
  bool over(unsigned token) const {
    auto found = names.find(token);
    if (found == names.end())
      return true;
    for (const auto &flying : queue)
      for (const Flying &each : flying)
        if (each.instance == found->second)
          return false;
    return true;
  }
};

/// Executes a text along all paths, loops up to `trips` times. `more`: this wait
/// of this class leaves one more. False: a need was not met.
struct Simulation {
  const WaitStep *more = nullptr;
  unsigned moreOf = 0;
  unsigned trips = 3;
  bool good = true;

  void run(const Text &text, size_t at, Wave wave,
           const std::function<void(Wave)> &then) {
    for (; at < text.size() && good; ++at) {
      const WaitStep &step = text[at];
      switch (step.kind) {
      case WaitStep::Issue:
        wave.issue(step);
        break;
      case WaitStep::Need:
        for (unsigned c = 0; c < numWaitClasses; ++c)
          if (step.counts[c])
            wave.wait(c, *step.counts[c] + (&step == more && c == moreOf));
        good &= wave.over(step.token);
        break;
      case WaitStep::Rename: {
        std::map<unsigned, unsigned> names = wave.names;
        for (auto [to, from] : step.renamed)
          if (wave.names.contains(from))
            names[to] = wave.names[from];
          else
            names.erase(to);
        wave.names = std::move(names);
        break;
      }
      case WaitStep::Branch:
        for (const Text &side : step.blocks)
          run(side, 0, wave,
              [&](Wave after) { run(text, at + 1, std::move(after), then); });
        return;
      case WaitStep::Loop:
        loop(text, at, 0, wave, then);
        return;
      }
    }
    if (good)
      then(std::move(wave));
  }
  void loop(const Text &text, size_t at, unsigned trip, const Wave &wave,
            const std::function<void(Wave)> &then) {
    run(text, at + 1, wave, then);
    if (trip < trips && good)
      run(text[at].blocks[0], 0, wave,
          [&](Wave after) { loop(text, at, trip + 1, after, then); });
  }
  static bool accepts(const Text &text, const WaitStep *more = nullptr,
                      unsigned moreOf = 0) {
    Simulation simulation{more, moreOf};
    simulation.run(text, 0, Wave(), [](Wave) {});
    return simulation.good;
  }
};

void eachNeed(Text &text, const std::function<void(WaitStep &)> &each) {
  for (WaitStep &step : text) {
    if (step.kind == WaitStep::Need)
      each(step);
    for (Text &block : step.blocks)
      eachNeed(block, each);
  }
}

using Counts = std::array<std::optional<unsigned>, numWaitClasses>;

struct Tally {
  unsigned texts = 0, waits = 0, none = 0;
  std::set<Counts> distinct;
};

/// Behind TITAN_WAITS, for llvm-mc: each of the waits as its assembler writes it, and
/// as the number that it is encoded as.
void write(const std::set<Counts> &waits) {
  const char *path = std::getenv("TITAN_WAITS");
  if (!path)
    return;
  std::ofstream text(std::string(path) + ".text"),
      number(std::string(path) + ".number");
  for (const Counts &counts : waits) {
    text << "s_waitcnt";
    for (unsigned c = 0; c < numWaitClasses; ++c)
      if (counts[c])
        text << " " << std::array{"vmcnt", "lgkmcnt", "expcnt"}[c] << "("
             << *counts[c] << ")";
    text << "\n";
    number << "s_waitcnt " << encodeWaitcnt(counts[0], counts[1], counts[2])
           << "\n";
  }
}

/// Counts are right, and the largest.
void verify(Text &text, const std::string &word, Tally &tally) {
  ++tally.texts;
  countWaits(text);
  ASSERT_TRUE(Simulation::accepts(text)) << word;
  eachNeed(text, [&](WaitStep &need) {
    Counts counts;
    std::copy_n(need.counts, numWaitClasses, counts.begin());
    if (llvm::any_of(counts, [](auto &count) { return count.has_value(); }))
      tally.distinct.insert(counts);
    for (unsigned c = 0; c < numWaitClasses; ++c) {
      if (!need.counts[c]) {
        ++tally.none;
        continue;
      }
      ++tally.waits;
      if (*need.counts[c] < mostOf(static_cast<WaitClass>(c)))
        EXPECT_FALSE(Simulation::accepts(text, &need, c))
            << word << ": class " << c << " might be " << *need.counts[c] + 1;
    }
  });
}

/// v, l, e: an operation of a class; V: one of two instructions; s: a scalar load (lgkmcnt, in
/// any order); a digit: what that operation of the text names is needed; (): a
/// loop; {|}: a branch.
Text parse(const std::string &word, size_t &at, unsigned &issued) {
  Text text;
  for (; at < word.size(); ++at) {
    char letter = word[at];
    WaitStep step{WaitStep::Issue};
    switch (letter) {
    case ')':
    case '|':
    case '}':
      return text;
    case '(':
      step.kind = WaitStep::Loop;
      step.blocks.push_back(parse(word, ++at, issued));
      break;
    case '{':
      step.kind = WaitStep::Branch;
      step.blocks.push_back(parse(word, ++at, issued));
      step.blocks.push_back(parse(word, ++at, issued));
      break;
    case 'v':
    case 'V':
    case 'l':
    case 's':
    case 'e':
      step.counter = letter == 'v' || letter == 'V' ? WaitClass::Vm
                     : letter == 'e'                ? WaitClass::Exp
                                                    : WaitClass::Lgkm;
      step.raises = letter == 'V' ? 2 : 1;
      step.inOrder = letter != 's';
      step.token = issued++;
      break;
    default:
      step.kind = WaitStep::Need;
      step.token = letter - '0';
    }
    text.push_back(std::move(step));
  }
  return text;
}
Text parse(const std::string &word) {
  size_t at = 0;
  unsigned issued = 0;
  return parse(word, at, issued);
}

void straightLines(Tally &tally) {
  // All of 8 operations of 3 classes, each of which is needed at the end; and
  // of 6, with another need before each of them.
  std::function<void(std::string, size_t, const std::string &)> words =
      [&](std::string word, size_t length, const std::string &letters) {
        if (!word.empty())
          for (size_t needed = 0; needed < word.size(); ++needed) {
            std::string whole = word + std::to_string(needed);
            Text text = parse(whole);
            verify(text, whole, tally);
            if (word.size() <= 6)
              for (size_t at = 1; at < word.size(); ++at)
                for (size_t first = 0; first < at; ++first) {
                  std::string two = whole;
                  two.insert(at, std::to_string(first));
                  Text both = parse(two);
                  verify(both, two, tally);
                }
          }
        if (word.size() < length && !testing::Test::HasFailure())
          for (char letter : letters)
            words(word + letter, length, letters);
      };
  words("", 8, "vle");
  words("", 6, "Vls");
}

void loopsAndBranches(Tally &tally, const std::string &letters, size_t length) {
  // All texts with a need at the end, and one anywhere.
  std::function<void(std::string, std::string, unsigned)> words =
      [&](std::string word, std::string open, unsigned issued) {
        if (testing::Test::HasFailure())
          return;
        if (open.empty() && issued)
          for (unsigned needed = 0; needed < issued; ++needed) {
            std::string whole = word + std::to_string(needed);
            Text text = parse(whole);
            verify(text, whole, tally);
          }
        if (word.size() + open.size() >= length)
          return;
        for (char letter : letters)
          words(word + letter, open, issued + 1);
        bool needed = std::any_of(word.begin(), word.end(), isdigit);
        for (unsigned token = 0; token < issued && !needed; ++token)
          words(word + std::to_string(token), open, issued);
        if (open.size() < 2) {
          words(word + "(", open + ")", issued);
          words(word + "{", open + "|", issued);
        }
        if (open.empty() || word.back() == '(')
          return;
        if (open.back() == '|')
          words(word + "|", open.substr(0, open.size() - 1) + "}", issued);
        else if (word.back() != '{')
          words(word + open.back(), open.substr(0, open.size() - 1), issued);
      };
  words("", "", 0);
}

void print(const Tally &tally) {
  std::printf("%u texts, %u counts, %zu waits, %u classes without\n",
              tally.texts, tally.waits, tally.distinct.size(), tally.none);
}

TEST(WaitCounts, straightLines) {
  Tally tally;
  straightLines(tally);
  EXPECT_GT(tally.waits, 100000u);
  print(tally);
}

TEST(WaitCounts, loopsAndBranches) {
  bool full = std::getenv("TITAN_TEST_FULL");
  Tally two, three;
  loopsAndBranches(two, "vl", full ? 9 : 8);
  loopsAndBranches(three, "vle", full ? 8 : 6);
  EXPECT_GT(two.waits, 10000u);
  EXPECT_GT(three.waits, 1000u);
  print(two);
  print(three);
}

/// What llvm-mc is to make of them: those of these texts, and all that the fields hold
/// (tests/Transforms/waits-encoded.test).
TEST(WaitCounts, encoded) {
  Tally tally;
  straightLines(tally);
  loopsAndBranches(tally, "vle", 6);
  std::set<Counts> all;
  auto most = [](WaitClass of) { return mostOf(of); };
  for (unsigned v = 0; v <= most(WaitClass::Vm) + 1; ++v)
    for (unsigned l = 0; l <= most(WaitClass::Lgkm) + 1; ++l)
      for (unsigned e = 0; e <= most(WaitClass::Exp) + 1; ++e) {
        Counts counts;
        if (v <= most(WaitClass::Vm))
          counts[static_cast<unsigned>(WaitClass::Vm)] = v;
        if (l <= most(WaitClass::Lgkm))
          counts[static_cast<unsigned>(WaitClass::Lgkm)] = l;
        if (e <= most(WaitClass::Exp))
          counts[static_cast<unsigned>(WaitClass::Exp)] = e;
        if (v <= most(WaitClass::Vm) || l <= most(WaitClass::Lgkm) ||
            e <= most(WaitClass::Exp))
          all.insert(counts);
      }
  for (const Counts &counts : tally.distinct)
    EXPECT_TRUE(all.contains(counts));
  EXPECT_EQ(all.size(), 65u * 17 * 9 - 1);
  std::printf("%zu waits of texts, %zu that the fields hold\n",
              tally.distinct.size(), all.size());
  write(all);
}

/// A ring: what was loaded an iteration ago is needed, and this iteration's two
/// loads stay under way.
TEST(WaitCounts, tokensCarriedByLoops) {
  auto issue = [](unsigned token, unsigned raises) {
    WaitStep step{WaitStep::Issue};
    step.token = token;
    step.raises = raises;
    return step;
  };
  WaitStep first{WaitStep::Rename}, next{WaitStep::Rename},
      need{WaitStep::Need}, loop{WaitStep::Loop};
  first.renamed = {{1, 0}};
  need.token = 1;
  next.renamed = {{1, 3}};
  loop.blocks = {{issue(2, 4), issue(3, 4), need, next}};
  Text text = {issue(0, 4), first, loop};
  countWaits(text);
  const WaitStep &found = text[2].blocks[0][2];
  ASSERT_TRUE(found.counts[0]);
  EXPECT_EQ(*found.counts[0], 8u);
  EXPECT_TRUE(Simulation::accepts(text));
  EXPECT_FALSE(Simulation::accepts(text, &found, 0));
}

TEST(WaitCounts, fieldsHoldNoMore) {
  Text text;
  for (unsigned i = 0; i < 70; ++i)
    text.push_back({.kind = WaitStep::Issue, .token = i});
  text.push_back({.kind = WaitStep::Need, .token = 0});
  countWaits(text);
  EXPECT_EQ(text.back().counts[0], 63u);
}

TEST(WaitCounts, immediates) {
  // llvm-mc 22, gfx942.
  EXPECT_EQ(encodeWaitcnt(0, {}, {}), 0x0F70);
  EXPECT_EQ(encodeWaitcnt(5, {}, {}), 0x0F75);
  EXPECT_EQ(encodeWaitcnt({}, 0, {}), 0xC07F);
  EXPECT_EQ(encodeWaitcnt(0, 0, {}), 0x0070);
  EXPECT_EQ(encodeWaitcnt({}, {}, {}), 0xCF7F);
}

} // namespace
