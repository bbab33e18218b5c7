//===- HittingSet.cpp - one of each, at least cost ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/HittingSet.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace titan;

namespace {
using Need = std::vector<unsigned>;

class Search {
public:
  Search(const std::vector<uint64_t> &costs, uint64_t mostSteps)
      : costs(costs), left(mostSteps) {}

  HittingSet best{{}, std::numeric_limits<uint64_t>::max(), true};

  void run(std::vector<Need> needs, std::vector<unsigned> chosen,
           uint64_t cost) {
    reduce(needs, chosen, cost);
    if (needs.empty()) {
      if (cost < best.cost) {
        llvm::sort(chosen);
        best = {std::move(chosen), cost, best.exact};
      }
      return;
    }
    if (cost + least(needs) >= best.cost)
      return;
    // The first descent has found something; then there is an end.
    if (best.cost != std::numeric_limits<uint64_t>::max() && !left) {
      best.exact = false;
      return;
    }
    left -= left != 0;
    Need branch = *llvm::min_element(needs, [](const Need &a, const Need &b) {
      return a.size() < b.size();
    });
    llvm::sort(branch, [&](unsigned a, unsigned b) { return better(a, b); });
    for (unsigned thing : branch) {
      std::vector<Need> rest;
      for (const Need &need : needs)
        if (!llvm::is_contained(need, thing))
          rest.push_back(need);
      std::vector<unsigned> with = chosen;
      with.push_back(thing);
      run(std::move(rest), std::move(with), cost + costs[thing]);
      // Of the other choices, none has it.
      for (Need &need : needs)
        llvm::erase(need, thing);
      if (llvm::any_of(needs, [](const Need &need) { return need.empty(); }))
        return;
    }
  }

private:
  bool better(unsigned a, unsigned b) const {
    return costs[a] != costs[b] ? costs[a] < costs[b] : a > b;
  }

  void reduce(std::vector<Need> &needs, std::vector<unsigned> &chosen,
              uint64_t &cost) {
    for (bool changed = true; changed && !needs.empty();) {
      changed = false;
      // 1. Short ones first: what contains one of them goes.
      llvm::sort(needs, [](const Need &a, const Need &b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
      });
      std::vector<Need> kept;
      for (Need &need : needs)
        if (llvm::none_of(kept, [&](const Need &other) {
              return std::includes(need.begin(), need.end(), other.begin(),
                                   other.end());
            }))
          kept.push_back(std::move(need));
      needs = std::move(kept);
      // 2. By thing, the needs that it meets.
      std::map<unsigned, std::vector<unsigned>> meets;
      for (auto [i, need] : llvm::enumerate(needs))
        for (unsigned thing : need)
          meets[thing].push_back(i);
      std::vector<unsigned> out;
      for (auto &[thing, own] : meets)
        for (auto &[other, its] : meets)
          if (thing != other && better(other, thing) &&
              !llvm::is_contained(out, other) &&
              std::includes(its.begin(), its.end(), own.begin(), own.end())) {
            out.push_back(thing);
            break;
          }
      for (unsigned thing : out)
        for (Need &need : needs)
          llvm::erase(need, thing);
      changed = !out.empty();
      // 3.
      for (size_t i = 0; i < needs.size(); ++i) {
        if (needs[i].size() != 1)
          continue;
        unsigned thing = needs[i].front();
        chosen.push_back(thing);
        cost += costs[thing];
        llvm::erase_if(needs, [&](const Need &need) {
          return llvm::is_contained(need, thing);
        });
        changed = true;
        break;
      }
    }
  }

  /// What needs without a thing in common cost at least.
  uint64_t least(const std::vector<Need> &needs) const {
    std::vector<bool> taken(costs.size());
    uint64_t sum = 0;
    for (const Need &need : needs) {
      uint64_t cheapest = std::numeric_limits<uint64_t>::max();
      bool apart = true;
      for (unsigned thing : need) {
        apart &= !taken[thing];
        cheapest = std::min(cheapest, costs[thing]);
      }
      if (!apart)
        continue;
      for (unsigned thing : need)
        taken[thing] = true;
      sum += cheapest;
    }
    return sum;
  }

  const std::vector<uint64_t> &costs;
  uint64_t left;
};
} // namespace

std::optional<HittingSet>
titan::cheapestHittingSet(const std::vector<uint64_t> &costs,
                          std::vector<std::vector<unsigned>> needs,
                          uint64_t mostSteps) {
  for (Need &need : needs) {
    if (need.empty())
      return std::nullopt;
    llvm::sort(need);
    need.erase(llvm::unique(need), need.end());
  }
  Search search(costs, mostSteps);
  search.run(std::move(needs), {}, 0);
  return search.best;
}
