//===- ScheduleGenerator.h - Random schedules -------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors of two to five dimensions; boxes by partitioning, rotation and whole,
// with element strides and resizes; loops split, merged, resized, swizzled at
// random.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_UNITTESTS_DOMAIN_SCHEDULEGENERATOR_H
#define TITAN_UNITTESTS_DOMAIN_SCHEDULEGENERATOR_H

#include "titan/Domain/TmaSchedule.h"

#include <random>

namespace titan {

struct ScheduleGenerator {
  std::mt19937_64 random;
  TmaSchedule s;
  std::vector<DomainId> tile, loops;
  bool mayNotRotate = false, cutsLoops = false;

  explicit ScheduleGenerator(uint64_t seed) : random(seed) {}

  int64_t pick(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(
                       random() % static_cast<uint64_t>(most - least + 1));
  }
  bool chance(int n) { return random() % static_cast<uint64_t>(n) == 0; }

  void bulk(DomainId id) { tile.push_back(id); }
  void loop(DomainId id) { loops.push_back(id); }

  DomainId resized(DomainId d, int64_t unit) {
    int64_t n = *s.graph[d].extent.constant();
    int64_t left = unit * pick(-1, 1), right = pick(-2, 2);
    if ((left == 0 && right == 0) || n + left + right < 1)
      return d;
    auto r = s.graph.resize(d, left, right);
    return *r;
  }

  void innermost(DomainId d) {
    DomainGraph &g = s.graph;
    if (*g[d].extent.constant() % 4 == 0 && chance(2))
      return bulk(d);
    if (chance(3))
      d = resized(d, 4);
    auto [c, b] = *g.splitInner(d, 4 * pick(1, 2));
    loop(c);
    bulk(b);
  }

  void dimension(DomainId d) {
    DomainGraph &g = s.graph;
    int64_t kind = pick(0, 9);
    if (kind >= 3 && chance(4))
      d = resized(d, 1);
    auto split = [&](DomainId id, int64_t n) { return *g.splitInner(id, n); };
    switch (kind) {
    case 0:
    case 1:
      return loop(d);
    case 2:
      return bulk(d);
    case 3:
    case 4: { // Partitioned.
      auto [c, b] = split(d, pick(1, 4));
      loop(c);
      return bulk(b);
    }
    case 5:
    case 6: { // With an element stride.
      auto [c, b] = split(d, pick(1, 5));
      auto [t, e] = split(b, pick(1, 4));
      loop(c), loop(e);
      return bulk(t);
    }
    case 7: { // All of it, strided.
      auto [t, e] = split(d, pick(1, 4));
      loop(e);
      return bulk(t);
    }
    case 8: { // Rotation right: tile inside, or the stride.
      auto [x, i] = split(d, pick(1, 3));
      auto [c, j] = split(x, pick(1, 2));
      loop(c);
      bulk(j);
      return chance(2) ? bulk(i) : loop(i);
    }
    default: { // Rotation left.
      int64_t b = pick(1, 2), m = chance(4) ? pick(1, 5) : b * pick(1, 2);
      auto [c, x] = split(d, m);
      if (chance(
              3)) { // Of boxes of boxes, which need not divide what they cut.
        auto [j, y] = split(x, b * pick(1, 3));
        loop(j);
        x = y;
      }
      auto [k, i] = split(x, b);
      mayNotRotate = mayNotRotate || m % b != 0;
      loop(c), loop(k);
      return bulk(i);
    }
    }
  }

  void transformLoops() {
    DomainGraph &g = s.graph;
    for (int64_t k = pick(0, 3); k-- > 0 && !loops.empty();) {
      size_t a = random() % loops.size();
      DomainId id = loops[a];
      int64_t n = *g[id].extent.constant();
      switch (pick(0, 5)) {
      case 0:
      case 1: {
        auto [o, i] = chance(2) ? *g.splitInner(id, pick(1, 3))
                                : *g.splitOuter(id, pick(1, 3));
        loops[a] = o;
        loop(i);
        break;
      }
      case 2: {
        size_t b = random() % loops.size();
        if (a == b)
          break;
        loops[a] = *g.merge(id, loops[b]);
        loops.erase(loops.begin() + static_cast<ptrdiff_t>(b));
        break;
      }
      case 3:
      case 4: {
        int64_t left = pick(-2, 1), right = pick(-2, 1);
        if (n + left + right < 1 || (left == 0 && right == 0))
          break;
        loops[a] = *g.resize(id, left, right);
        cutsLoops = cutsLoops || left < 0 || right < 0;
        break;
      }
      default: {
        size_t b = random() % loops.size();
        if (a == b)
          break;
        if (auto out = g.swizzle(id, loops[b])) {
          loops[a] = out->first;
          loops[b] = out->second;
        }
      }
      }
    }
  }

  void make() {
    int64_t rank = pick(2, 5), most = rank <= 3 ? 7 : 3;
    std::vector<DomainId> roots;
    for (int64_t k = 0; k + 1 < rank; ++k)
      roots.push_back(s.graph.root(pick(1, most)));
    bool whole = chance(2);
    roots.push_back(s.graph.root(whole ? 4 * pick(1, 2) : pick(1, 10)));
    int64_t stride = 4;
    s.global.resize(roots.size());
    for (size_t k = roots.size(); k-- > 0;) {
      s.global[k] = {roots[k], stride};
      stride *= *s.graph[roots[k]].extent.constant();
      stride = (stride + 15) / 16 * 16 + (chance(4) ? 16 : 0);
    }
    for (size_t k = 0; k + 1 < roots.size(); ++k)
      dimension(roots[k]);
    innermost(roots.back());
    transformLoops();
    s.bulk = tile;
    s.type = findTmaType("u32");
    int64_t tileBytes = 4;
    for (DomainId id : tile)
      tileBytes *= *s.graph[id].extent.constant();
    if (chance(4) && *s.graph[tile.back()].extent.constant() <= 8)
      s.swizzle = findTmaSwizzle(chance(2) ? "64B" : "128B");
    if (tileBytes % 128 == 0 && s.swizzle->span == 0 && chance(2)) {
      for (DomainId id : loops)
        if (chance(2))
          s.shared.push_back(id);
      s.shared.insert(s.shared.end(), tile.begin(), tile.end());
    }
    switch (pick(0, 4)) {
    case 0:
      s.traffic = chance(2) ? TmaTraffic::Save : TmaTraffic::Worth;
      break;
    case 1:
      s.direction = TmaDirection::Store;
      s.tailIsPadding = true;
      break;
    default:
      s.wanted = Correctness::Strong;
    }
  }
};

} // namespace titan

#endif // TITAN_UNITTESTS_DOMAIN_SCHEDULEGENERATOR_H
