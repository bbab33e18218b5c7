//===- AttentionModelTest.cpp - what the model picks, and what was measured ===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Kernels/Attention.h"

#include "gtest/gtest.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

using namespace titan;
using namespace titan::kernels;
using nlohmann::json;

/// The name of a variant in the table: "d64-causal-192x128-ton-always-poff".
static std::string nameOf(const AttentionOptions &o) {
  std::ostringstream text;
  text << 'd' << o.size << (o.causal ? "-causal-" : "-full-") << o.rows << 'x'
       << o.keys << "-t" << (*o.turns ? "on" : "off")
       << (o.rescale == Rescale::Always    ? "-always"
           : o.rescale == Rescale::Growing ? "-growing"
                                           : "-conditional")
       << "-p" << (o.persistent ? "on" : "off");
  return text.str();
}

static double median(std::vector<double> list) {
  std::sort(list.begin(), list.end());
  return list[list.size() / 2];
}

/// The shape that was raced, and what the model is given beside it.
static std::pair<AttentionShape, AttentionOptions> askedOf(const json &race) {
  AttentionOptions given;
  given.size = race["group"][0];
  given.causal = race["group"][2] == "causal";
  return {{race["shape"][0], race["shape"][1], race["shape"][2],
           race["shape"][3], race["shape"][4]},
          given};
}

/// Sixteen kernels, ten shapes of each size and mask, an H200. Times are compared round by round: clocks change between them.
TEST(AttentionModel, PicksNoneThatIsMuchSlowerThanTheBestMeasured) {
  std::ifstream file(TITAN_RESULTS "/h200-attention-variants.json");
  json table = json::parse(file);
  int near = 0, known = 0;
  double logs = 0;
  for (const json &race : table["races"]) {
    auto [shape, given] = askedOf(race);
    // As all that were measured.
    auto asMeasured = [](AttentionOptions &o) {
      o.skip = o.ahead = o.pack = false;
      o.tail = 0;
      if (o.keys > 128) // Those came later, below.
        o.persistent = false;
    };
    AttentionOptions options =
        *checkAttention(pickAttention(shape, given, asMeasured));
    std::string picked = nameOf(options);
    const json &times = race["microseconds"];
    ASSERT_TRUE(times.contains(picked)) << picked;
    std::vector<double> its = times[picked];
    double share = 1; // Of its time that the best takes.
    for (auto &[name, others] : times.items()) {
      if (name[0] != 'd')
        continue; // A peer.
      std::vector<double> shares;
      for (size_t round = 0; round < its.size(); ++round)
        shares.push_back(others[round].get<double>() / its[round]);
      share = std::min(share, median(shares));
    }
    // What the model says of it.
    double off = std::log(*estimateAttention(shape, options) / median(its));
    EXPECT_LT(std::abs(off), 0.09) << picked << " " << race["shape"];
    near += std::abs(off) < 0.05;
    ++known;
    EXPECT_GE(share, 0.93) << picked << " " << race["shape"];
    logs += std::log(share);
  }
  EXPECT_EQ(known, 40);
  EXPECT_GE(near, 36);
  EXPECT_GE(std::exp(logs / known), 0.985);
}

TEST(AttentionModel, PicksWhatThereIs) {
  for (int64_t size : {64, 128})
    for (int mask = 0; mask < 4; ++mask)
      for (int64_t queries : {1, 63, 64, 65, 4096, 1 << 20})
        for (int64_t keys : {1, 100, 1 << 20}) {
          AttentionOptions given;
          given.size = size;
          given.causal = mask & 1;
          given.window = mask & 2;
          AttentionOptions picked =
              pickAttention({1 << 10, queries, keys, 64, 8}, given);
          EXPECT_TRUE(checkAttention(picked));
          EXPECT_TRUE(picked.rows);
          EXPECT_GT(*estimateAttention({1 << 10, queries, keys, 64, 8}, picked),
                    0);
        }
}

/// As the races call it. "old" are kernels of before --ahead and --skip; -l bands as large as they are now; n
/// neither, made with them; p160 persistent, with blocks of 160 keys; n176x48 with a narrow block of 48; n3k whose
/// tiles have rows of several heads.
static std::string raceNameOf(const AttentionOptions &o) {
  std::ostringstream text;
  text << 'd' << o.size << (o.causal ? "-causal-" : "-full-");
  if (o.tail)
    text << 'n' << o.keys << 'x' << o.tail;
  else if (o.pack)
    text << 'n' << o.warpgroups() << 'k';
  else if (o.ahead || *o.skip)
    text << (o.ahead ? 'a' : 's') << o.warpgroups()
         << (o.ahead && *o.skip ? "s" : "") << (*o.turns ? "" : "-nt")
         << (o.ahead && o.causal ? "-l" : "");
  else if (o.size == 128 && o.causal && *o.turns && !o.persistent)
    text << 'n' << o.warpgroups();
  else if (o.size == 128 && o.persistent && o.keys > 128)
    text << 'p' << o.keys;
  else
    text << "old-" << o.rows << 'x' << o.keys << "-t"
         << (*o.turns ? "on" : "off") << "-p" << (o.persistent ? "on" : "off");
  return text.str();
}

/// Both sizes, with a causal mask and without, sixteen shapes each (of size 128 without one eighteen), an H200; beside FlashAttention 4 and cuDNN.
TEST(AttentionModel, PicksWhatIsAheadOrPersistentWhereItIsFaster) {
  // By group and shape the ratios of each race. Peers' clocks differ from race to race: what is picked is held to
  // the best beside it, in every race that has it.
  std::map<std::pair<json, json>, std::vector<json>> raced;
  for (const char *name :
       {"/h200-attention-ahead.json", "/h200-attention-ahead-bands.json",
        "/h200-attention-persistent.json", "/h200-attention-tail.json",
        "/h200-attention-bf474746.json"}) {
    std::ifstream file(TITAN_RESULTS + std::string(name));
    json table = json::parse(file);
    for (const json &race : table["races"])
      raced[{race["group"], race["shape"]}].push_back(race["ratios"]);
  }
  // Ahead, causal and of size 128, the bands of now were raced with --skip alone; those of then with and
  // without, which is what it is worth: of shapes that were not there, in the mean.
  const std::string with = "d128-causal-a2s", without = "d128-causal-a2";
  double worth = 0;
  int known = 0;
  for (auto &[where, races] : raced)
    for (json &ratios : races)
      if (ratios.contains(without)) {
        worth += std::log(ratios[without][0].get<double>() /
                          ratios[with][0].get<double>());
        ++known;
      }
  EXPECT_EQ(known, 16);
  EXPECT_NEAR(worth / known, -0.0044, 0.0005);
  for (auto &[where, races] : raced) {
    double its = std::exp(worth / known);
    for (json &ratios : races) {
      if (ratios.contains(without))
        its = ratios[without][0].get<double>() / ratios[with][0].get<double>();
      if (ratios.contains(with + "-l"))
        ratios[without + "-l"] = {its * ratios[with + "-l"][0].get<double>()};
    }
  }
  int ahead = 0, wide = 0, alike = 0;
  double logs = 0;
  int held = 0;
  for (auto &[where, races] : raced) {
    auto &[group, s] = where;
    AttentionShape shape{s[0], s[1], s[2], s[3], s[4]};
    AttentionOptions given;
    given.size = group[0];
    given.causal = group[2] == "causal";
    // Those with --skip, of which nothing is decided, are for who asks (below).
    if (given.size == 64 && given.causal)
      continue;
    ++held;
    AttentionOptions options = *checkAttention(pickAttention(shape, given));
    std::string picked = raceNameOf(options);
    std::optional<double> its; // In the last race.
    for (const json &ratios : races) {
      if (!ratios.contains(picked))
        continue;
      its = ratios[picked][0];
      double best = 0;
      for (auto &[name, ratio] : ratios.items())
        if (name[0] == 'd')
          best = std::max(best, ratio[0].get<double>());
      // (5 x 768: without --skip, which was worth 2.3 %.)
      EXPECT_GE(*its, (picked == without + "-l" ? 0.945 : 0.965) * best)
          << picked << " " << s;
    }
    ASSERT_TRUE(its) << picked << " " << s;
    EXPECT_GE(*its, 0.94) << picked << " " << s;
    logs += std::log(*its);
    ahead += options.ahead;
    alike += picked == without + "-l";
    wide += options.persistent && options.keys > 128;
  }
  EXPECT_EQ(held, 57);
  EXPECT_GE(ahead, 29);
  EXPECT_GE(alike, 12);
  EXPECT_GE(wide, 12);
  EXPECT_GE(std::exp(logs / held), 1.015);
}

/// Size 64 with a causal mask, nineteen shapes, an H200: n one tile a CTA, a with the next tile ahead, p persistent;
/// how many warpgroups (s1: one, blocks of 64); s with --skip.
TEST(AttentionModel, PicksOfSize64WhatTheCheckerDecides) {
  std::ifstream file(TITAN_RESULTS "/h200-attention-size-64.json");
  json table = json::parse(file);
  int known = 0;
  double logs = 0, cost = 0;
  for (const json &race : table["races"]) {
    auto [shape, given] = askedOf(race);
    AttentionOptions options = *checkAttention(pickAttention(shape, given));
    EXPECT_FALSE(options.ahead && *options.skip) << race["shape"];
    std::ostringstream name;
    name << "d64-causal-"
         << (options.ahead        ? 'a'
             : options.persistent ? 'p'
                                  : 'n')
         << options.warpgroups() << (*options.skip ? "s" : "");
    const json &times = race["seconds"];
    if (!times.contains(name.str()) || (!options.ahead && !*options.skip))
      continue; // (n2 was raced without turns.)
    auto timeOf = [&](const std::string &its) {
      return median(times[its].get<std::vector<double>>());
    };
    double its = timeOf(name.str()), best = its;
    for (auto &[other, seconds] : times.items())
      if (other[0] == 'd' && other != "d64-causal-a3s")
        best = std::min(best, timeOf(other));
    EXPECT_GE(best, 0.965 * its) << name.str() << " " << race["shape"];
    EXPECT_LT(
        std::abs(std::log(*estimateAttention(shape, options) * 1e-6 / its)),
        0.07)
        << name.str() << " " << race["shape"];
    ++known;
    logs += std::log(best / its);
    cost += std::log(timeOf("d64-causal-a3s") / its);
  }
  std::printf("%d known, %.3f of the best decided, %.3f of the undecided one\n",
              known, std::exp(logs / known), std::exp(cost / known));
  EXPECT_GE(known, 17);
  EXPECT_GE(std::exp(logs / known), 0.985);
}

/// What begins early by the model gained by it, or lost nothing, where both were
/// measured: 40 launches, some two thirds of which begin early.
TEST(AttentionModel, BeginsEarlyWhereThatWasMeasuredToGain) {
  std::ifstream file(TITAN_RESULTS "/h200-attention-programmatic.json");
  json table = json::parse(file);
  int early = 0, usual = 0;
  double gained = 0;
  for (const json &race : table["races"]) {
    auto [shape, given] = askedOf(race);
    AttentionOptions picked = pickAttention(shape, given);
    // Size 64, causal, 192 rows: with a tile ahead then, which is not picked any more.
    if (picked.size == 64 && picked.causal && picked.rows == 192)
      continue;
    if (!*picked.programmatic) {
      ++usual;
      continue;
    }
    ++early;
    std::vector<double> ratios, before, now;
    for (auto &[name, seconds] : race["seconds"].items())
      if (name.ends_with("-pd"))
        now = seconds.get<std::vector<double>>();
      else if (name != "cudnn")
        before = seconds.get<std::vector<double>>();
    ASSERT_EQ(before.size(), now.size());
    for (size_t i = 0; i < now.size(); ++i)
      ratios.push_back(before[i] / now[i]);
    EXPECT_GE(median(ratios), 0.998) << race["group"] << " " << race["shape"];
    gained += std::log(median(ratios));
  }
  std::printf("%d begin early, %.3f\n", early, std::exp(gained / early));
  EXPECT_GE(early, 20);
  EXPECT_GE(usual, 4);
  EXPECT_GE(std::exp(gained / early), 1.01);
}
