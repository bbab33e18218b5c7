//===- DomainModel.h - Enumerating graphs of iteration domains ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_UNITTESTS_DOMAIN_DOMAINMODEL_H
#define TITAN_UNITTESTS_DOMAIN_DOMAINMODEL_H

#include "titan/Domain/IterDomain.h"

#include <array>
#include <cstdlib>
#include <functional>
#include <vector>

namespace titan {

/// `./test --full` runs the long forms.
inline bool fullTest() { return std::getenv("TITAN_TEST_FULL") != nullptr; }

/// Calls f with the values of all domains at every point of the leaves.
inline void forEachPoint(const DomainGraph &g,
                         const std::function<void(const DomainValues &)> &f) {
  std::vector<DomainId> leaves = g.leaves();
  std::vector<int64_t> at(leaves.size(), 0);
  while (true) {
    DomainValues known(g.size());
    for (size_t k = 0; k < leaves.size(); ++k)
      known[leaves[k]] = at[k];
    f(g.values(known));
    size_t k = 0;
    while (k < at.size() && ++at[k] == *g[leaves[k]].extent.constant())
      at[k++] = 0;
    if (k == at.size())
      return;
  }
}

inline bool inBounds(const DomainGraph &g, const DomainValues &v, DomainId id) {
  return *v[id] >= 0 && *v[id] < *g[id].extent.constant();
}

inline bool isHole(const DomainGraph &g, const DomainValues &v) {
  for (DomainId id = 0; id < g.size(); ++id)
    if (!g[id].removed && !inBounds(g, v, id))
      return true;
  return false;
}

/// Calls f with every graph of at most `steps` expressions on these roots.
inline void forEachGraph(const std::vector<int64_t> &roots, int steps,
                         bool small,
                         const std::function<void(const DomainGraph &)> &f) {
  DomainGraph start;
  for (int64_t n : roots)
    start.root(n);
  auto grow = [&](auto &self, const DomainGraph &g, int left,
                  int firstExpr) -> void {
    f(g);
    if (left == 0)
      return;
    std::vector<DomainId> leaves = g.leaves();
    for (DomainId a : leaves) {
      int64_t n = *g[a].extent.constant();
      for (int64_t factor :
           small ? std::vector<int64_t>{2, 3} : std::vector<int64_t>{2, 3, 4})
        for (bool inner : {true, false}) {
          if (small && !inner && factor == 3)
            continue;
          DomainGraph h = g;
          if (inner ? bool(h.splitInner(a, factor))
                    : bool(h.splitOuter(a, factor)))
            self(self, h, left - 1, firstExpr);
        }
      for (auto [l, r] :
           small ? std::vector<std::pair<int, int>>{{1, 0}, {0, 1}, {-1, 0}}
                 : std::vector<std::pair<int, int>>{{1, 0},
                                                    {0, 1},
                                                    {-1, 0},
                                                    {0, -1},
                                                    {1, -1},
                                                    {-1, 1},
                                                    {1, 2}}) {
        if (n + l + r < 1 || n + l + r > 12)
          continue;
        DomainGraph h = g;
        if (h.resize(a, l, r))
          self(self, h, left - 1, firstExpr);
      }
      using Window = std::array<int64_t, 3>; // Filter, stride, dilation.
      for (auto [f, s, d] :
           small ? std::vector<Window>{{2, 2, 1}}
                 : std::vector<Window>{
                       {2, 1, 1}, {1, 2, 1}, {3, 2, 1}, {2, 1, 2}}) {
        DomainGraph h = g;
        if (h.window(a, f, s, d))
          self(self, h, left - 1, firstExpr);
      }
      for (DomainId b : leaves) {
        if (a == b)
          continue;
        DomainGraph h = g;
        if (*g[b].extent.constant() * n <= 16 && h.merge(a, b))
          self(self, h, left - 1, firstExpr);
        DomainGraph s = g;
        if (s.swizzle(a, b))
          self(self, s, left - 1, firstExpr);
      }
    }
  };
  grow(grow, start, steps, 0);
}

inline std::vector<std::vector<int64_t>> smallRoots() {
  std::vector<std::vector<int64_t>> all;
  for (int64_t n = 1; n <= 7; ++n)
    all.push_back({n});
  for (int64_t n = 1; n <= 4; ++n)
    for (int64_t m = 1; m <= 4; ++m)
      all.push_back({n, m});
  return all;
}

} // namespace titan

#endif // TITAN_UNITTESTS_DOMAIN_DOMAINMODEL_H
