//===- RandomScheduleTest.cpp - Random schedules, executed ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lowers is executed on bytes and held to the points of the schedule; what
// is refused as tma-strong is refused rightly: in the prescribed map, or in all
// that there are.
//
//===----------------------------------------------------------------------===//
#include "Targets.h"

#include "DomainModel.h"
#include "ScheduleGenerator.h"
#include "ScheduleModel.h"

#include <gtest/gtest.h>

using namespace titan;

namespace {

/// All maps of a schedule: dimensions merged where the schedule does, splits
/// that divide as two dimensions or as one.
std::vector<std::vector<DomainId>> mapsOf(const ScheduleGenerator &gen) {
  const DomainGraph &g = gen.s.graph;
  std::vector<int> kinds(g.size(), -1); // 0 loop, 1 tile, 2 mixed.
  auto kindOf = [&](auto &self, DomainId id) -> int {
    if (kinds[id] >= 0)
      return kinds[id];
    const auto &bulk = gen.s.bulk;
    if (g[id].consumer < 0)
      return kinds[id] = std::count(bulk.begin(), bulk.end(), id) > 0;
    const DomainExpr &e = g.exprs()[g[id].consumer];
    int a = self(self, e.out[0]);
    int b = e.out[1] >= 0 ? self(self, e.out[1]) : a;
    return kinds[id] = a == b ? a : 2;
  };
  std::vector<std::vector<DomainId>> all;
  auto grow = [&](auto &self, std::vector<DomainId> map, size_t k) -> void {
    for (; k < map.size(); ++k) {
      DomainId id = map[k];
      if (kindOf(kindOf, id) != 2 || g[id].consumer < 0)
        continue;
      const DomainExpr &e = g.exprs()[g[id].consumer];
      if (e.kind == DomainExpr::Kind::Merge) {
        if (k + 1 == map.size() || e.in[0] != id || e.in[1] != map[k + 1])
          continue;
        map[k] = e.out[0];
        map.erase(map.begin() + static_cast<ptrdiff_t>(k) + 1);
        return self(self, map, k > 0 ? k - 1 : 0);
      }
      if (e.kind == DomainExpr::Kind::Split &&
          gen.size[e.out[0]] * gen.size[e.out[1]] == gen.size[id]) {
        std::vector<DomainId> view = map;
        view[k] = e.out[0];
        view.insert(view.begin() + static_cast<ptrdiff_t>(k) + 1, e.out[1]);
        self(self, view, k > 0 ? k - 1 : 0);
      }
    }
    all.push_back(map);
  };
  std::vector<DomainId> roots;
  for (const TmaGlobalDim &d : gen.s.global)
    roots.push_back(d.domain);
  grow(grow, roots, 0);
  return all;
}

/// Whether a refusal as tma-strong is right. Where the search finds a map in
/// which nothing mixes, it has to be none that a schedule may prescribe.
void holdRefusal(const ScheduleGenerator &gen, ScheduleModel &model,
                 int64_t &byMap) {
  if (!gen.s.tmaDomain.empty()) {
    ASSERT_FALSE(model.achievable(gen.s.tmaDomain));
    return;
  }
  for (const std::vector<DomainId> &map : mapsOf(gen)) {
    if (!model.achievable(map))
      continue;
    TmaSchedule s = gen.s;
    for (DomainId id : map) // Without what has one element.
      if (gen.size[id] > 1 || s.graph[id].consumer >= 0)
        s.tmaDomain.push_back(id);
    if (s.tmaDomain.size() < map.size())
      s.tmaDomain = map;
    auto low = lowerSchedule(s, h200);
    ASSERT_FALSE(bool(low))
        << "achievable, as a map of " << s.tmaDomain.size() << " dimensions";
    ASSERT_NE(low.problem().code, "tma-strong");
    ++byMap;
  }
}

/// Whether a refusal of a store as tma-store-negative is right: over the tensor a
/// tile with an element starts before it, or there is no map in which none does
/// and nothing mixes. (An outer loop and one of one element may make a sum of 0 of
/// a coordinate of -1: seed 20459464.)
void holdNegative(const ScheduleGenerator &gen, ScheduleModel &model) {
  if (model.startsBefore())
    return;
  if (!gen.s.tmaDomain.empty()) {
    ASSERT_TRUE(model.startsBefore(gen.s.tmaDomain));
    return;
  }
  for (const std::vector<DomainId> &map : mapsOf(gen))
    ASSERT_TRUE(!model.achievable(map) || model.startsBefore(map));
}

struct Tally {
  std::map<std::string, int64_t> refused;
  int64_t levels[4] = {}, transfers = 0, outside = 0, skipped = 0, stores = 0,
          weakHoles = 0, byView = 0, kept = 0, tooLarge = 0, cutLoads = 0,
          cutStores = 0, decided = 0, prescribed = 0, byMap = 0;
  std::map<int64_t, int64_t> elements;

  void decide(const ScheduleGenerator &gen) {
    const TmaSchedule &s = gen.s;
    ScheduleModel model(s, gen.tile);
    int64_t points = 1;
    for (DomainId id : s.graph.leaves())
      points *= model.extent[id];
    if (points > 1500) {
      ++tooLarge;
      return;
    }
    bool load = s.direction == TmaDirection::Load;
    bool strict = !load || s.wanted == Correctness::Strong;
    auto low = lowerSchedule(s, h200);
    if (!low) {
      const std::string &code = low.problem().code;
      ++refused[code];
      SCOPED_TRACE(low.problem().message);
      if (code == "tma-strong") {
        ASSERT_TRUE(strict);
        holdRefusal(gen, model, byMap);
        ++decided;
      } else if (code == "tma-store-negative") {
        ASSERT_FALSE(load);
        holdNegative(gen, model);
      } else if (code == "tma-coordinate-alignment") {
        ASSERT_TRUE(gen.ragged && model.misaligned());
      } else if (code == "tma-box-bytes" || code == "undecided") {
        ASSERT_TRUE(gen.ragged);
      } else if (code == "domain-invalid") { // A map inside of the tile.
        ASSERT_FALSE(s.tmaDomain.empty());
      } else if (code == "tma-element-stride") {
        ASSERT_TRUE(gen.strided || gen.mayNotRotate);
      } else {
        // Two dimensions for one where boxes do not rotate: perhaps six.
        ASSERT_TRUE(code == "tma-schedule" || code == "tma-rank" ||
                    code == "tma-shared-tile")
            << code;
        ASSERT_TRUE(gen.mayNotRotate) << code;
      }
      return;
    }
    ++levels[low->level];
    if (strict) {
      ++decided;
      ++elements[model.element];
      prescribed += !s.tmaDomain.empty();
      byView += low->dimensions.size() > s.global.size() && !model.achievable();
    }
    stores += !load;
    (load ? cutLoads : cutStores) += strict && gen.cutsLoops;
    kept += !s.shared.empty();
    model.run(*low, h200);
    if (::testing::Test::HasFatalFailure()) {
      std::string why;
      for (const std::string &line : low->why)
        why += line + "\n";
      FAIL() << "level " << low->level << "\n" << why;
    }
    transfers += model.transfers;
    outside += model.outside;
    skipped += model.skipped;
    weakHoles += model.holesWithData;
  }

  void print() const {
    for (auto &[code, n] : refused)
      std::printf("  %lld refused: %s\n", (long long)n, code.c_str());
    std::printf("  %lld decided; levels 1: %lld, 2: %lld, 3: %lld; %lld "
                "transfers, %lld from outside, %lld skipped; %lld stores, "
                "%lld by a view, %lld in a prescribed map, %lld kept, %lld too "
                "large\n",
                (long long)decided, (long long)levels[1], (long long)levels[2],
                (long long)levels[3], (long long)transfers, (long long)outside,
                (long long)skipped, (long long)stores, (long long)byView,
                (long long)prescribed, (long long)kept, (long long)tooLarge);
    std::printf("  loops cut off: %lld strong loads, %lld stores; %lld maps in "
                "which nothing mixes are no maps\n",
                (long long)cutLoads, (long long)cutStores, (long long)byMap);
    for (auto &[bytes, n] : elements)
      std::printf("  %lld of elements of %lld\n", (long long)n,
                  (long long)bytes);
  }
};

/// Strong loads and stores that were executed or refused rightly: decided.
TEST(RandomSchedules, LoweredAndExecuted) {
  uint64_t first = 20261121, cases = fullTest() ? 1300000 : 40000;
  std::printf("schedules: seeds %llu to %llu\n", (unsigned long long)first,
              (unsigned long long)(first + cases - 1));
  Tally counts;
  for (uint64_t seed = first; seed < first + cases; ++seed) {
    ScheduleGenerator gen(seed, /*wide=*/seed % 2 == 0);
    gen.make();
    counts.decide(gen);
    if (::testing::Test::HasFatalFailure()) {
      std::string map;
      for (DomainId id : gen.s.tmaDomain)
        map += " " + gen.s.graph.str(id);
      FAIL() << "seed " << seed << " " << gen.s.type->name << "\n"
             << gen.s.graph.str() << "map" << map;
    }
  }
  counts.print();
  EXPECT_GE(counts.decided, int64_t(cases / 2));
  EXPECT_GT(counts.levels[1], 1000);
  EXPECT_GT(counts.levels[2], 1000);
  EXPECT_GT(counts.levels[3], 100);
  EXPECT_GT(counts.refused["tma-strong"], 1000);
  EXPECT_GT(counts.refused["tma-store-negative"], 100);
  EXPECT_GT(counts.refused["tma-coordinate-alignment"], 100);
  EXPECT_GT(counts.outside, 1000);
  EXPECT_GT(counts.skipped, 1000);
  EXPECT_GT(counts.byView, 10);
  EXPECT_GT(counts.prescribed, 1000);
  EXPECT_GT(counts.weakHoles, 1000);
  EXPECT_GT(counts.kept, 100);
  EXPECT_GT(counts.cutLoads, 1000);
  EXPECT_GT(counts.cutStores, 300);
  for (int64_t bytes : {1, 2, 4, 8})
    EXPECT_GT(counts.elements[bytes], 1000);
}

/// The same with sizes that only a launch knows: where the checks hold, the
/// copies are right; where one does not, so it is.
TEST(RandomSchedules, SizesOfTheLaunch) {
  uint64_t first = 20261122, cases = fullTest() ? 300000 : 8000;
  std::map<std::string, int64_t> refused;
  int64_t ran = 0, checked = 0;
  for (uint64_t seed = first; seed < first + cases; ++seed) {
    ScheduleGenerator gen(seed, true), open(seed, true, /*symbols=*/true);
    gen.make();
    open.make();
    ASSERT_EQ(gen.s.graph.size(), open.s.graph.size());
    ScheduleModel model(gen.s, gen.tile);
    int64_t points = 1;
    for (DomainId id : gen.s.graph.leaves())
      points *= model.extent[id];
    if (points > 1500)
      continue;
    auto low = lowerSchedule(open.s, h200);
    if (!low) {
      ++refused[low.problem().code];
      continue;
    }
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + open.s.graph.str());
    Expr::Bindings launch = open.launch;
    launch[tmaAddressSymbol] = ScheduleModel::globalBase;
    std::string fails;
    for (const LaunchCheck &check : low->checks)
      if (fails.empty() && check.holds(launch) != Tri::Yes)
        fails = codeInfo(check.code).code;
    if (!fails.empty()) {
      ++refused[fails + " at launch"];
      ++checked;
      if (fails == "tma-store-negative")
        ASSERT_TRUE(model.startsBefore());
      else if (fails == "tma-coordinate-alignment")
        ASSERT_TRUE(model.misaligned());
      else if (fails == "tma-strong")
        ASSERT_FALSE(model.achievable(
            open.s.tmaDomain.empty() ? mapsOf(open).back() : open.s.tmaDomain));
      continue;
    }
    ++ran;
    model.run(*low, h200, launch);
    if (::testing::Test::HasFatalFailure())
      return;
  }
  for (auto &[code, n] : refused)
    std::printf("  %lld refused: %s\n", (long long)n, code.c_str());
  std::printf("  %lld ran\n", (long long)ran);
  EXPECT_GT(ran, 2000);
  EXPECT_GT(checked, 40);
}

/// `traffic worth` counts the copies of a part that its predicate leaves out.
TEST(RandomSchedules, TrafficWorth) {
  TargetInfo target = h200;
  target.tmaSharedAlignment = 16;
  int64_t counted = 0, parts = 0, worth = 0;
  uint64_t first = 20261123, cases = fullTest() ? 20000 : 7000;
  for (uint64_t seed = first; seed < first + cases; ++seed) {
    ScheduleGenerator gen(seed, true);
    gen.make();
    target.tmaMaxBox = static_cast<int64_t>(seed % 6 ? 3 + seed % 5 : 256);
    gen.s.direction = TmaDirection::Load;
    gen.s.wanted = Correctness::Weak;
    gen.s.traffic = TmaTraffic::Worth;
    auto low = lowerSchedule(gen.s, target);
    gen.s.traffic = TmaTraffic::Save;
    auto saves = lowerSchedule(gen.s, target);
    ASSERT_EQ(bool(low), bool(saves));
    if (!low)
      continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + gen.s.graph.str());
    ASSERT_EQ(low->parts().size(), saves->parts().size());
    for (size_t k = 0; k < low->parts().size(); ++k) {
      const TmaLowering &part = *low->parts()[k], &all = *saves->parts()[k];
      int64_t copies = 0, skipped = 0;
      auto problem = all.visitTiles(
          {{tmaAddressSymbol, ScheduleModel::globalBase}}, 1 << 14, false,
          [&](const std::vector<int64_t> &, const std::optional<TmaCopy> &to) {
            ++copies;
            skipped += !to;
          },
          [](const TmaTileElement &) { return true; });
      if (problem)
        continue;
      std::string said;
      for (const std::string &line : part.why)
        if (line.starts_with("traffic: "))
          said = line.substr(9, line.find(" are known") - 9);
      int64_t every = 1, holes = said == "all copies";
      if (said.starts_with("of every "))
        ASSERT_EQ(std::sscanf(said.c_str(), "of every %ld copies %ld", &every,
                              &holes),
                  2);
      ASSERT_EQ(said.empty(), all.predicate.empty());
      ASSERT_EQ(skipped * every, holes * copies) << "of " << copies;
      bool is = !said.empty() && skipped * 8 >= copies;
      ASSERT_EQ(part.predicate.empty(), !is);
      counted += !said.empty();
      parts += !said.empty() && low->parts().size() > 1;
      worth += is;
    }
  }
  std::printf("%ld counted, %ld of parts; %ld take the predicate\n",
              long(counted), long(parts), long(worth));
  EXPECT_GT(counted, 300);
  EXPECT_GT(parts, 15);
  EXPECT_GT(worth, 150);
}

} // namespace
