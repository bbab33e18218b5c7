//===- ScheduleGenerator.h - Random schedules -------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors of two to five dimensions; boxes by
// partitioning, rotations in rotations and whole, by inner and outer splits,
// with element strides and resizes; loops split, merged, resized, swizzled at
// random. `wide` draws, too: elements of one to eight bytes, innermost cuts of
// any size, dimensions merged and split into views, prescribed maps. `symbols`
// makes some sizes those of a launch: the same seed is the same schedule then.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_UNITTESTS_DOMAIN_SCHEDULEGENERATOR_H
#define TITAN_UNITTESTS_DOMAIN_SCHEDULEGENERATOR_H

#include "titan/Domain/TmaSchedule.h"

#include <random>

namespace titan {

struct ScheduleGenerator {
  std::mt19937_64 random;
  bool wide, symbols;
  TmaSchedule s;
  std::vector<DomainId> tile, loops;
  /// Of each domain, as a number, and whether it is none in `symbols`.
  std::vector<int64_t> size;
  std::vector<bool> open;
  Expr::Bindings launch;
  /// Boxes that may be no boxes of a map, innermost cuts that are no multiples
  /// of 16 bytes.
  bool mayNotRotate = false, cutsLoops = false, ragged = false,
       strided = false; ///< By more than 8.

  explicit ScheduleGenerator(uint64_t seed, bool wide = false,
                             bool symbols = false)
      : random(seed), wide(wide), symbols(symbols) {}

  int64_t pick(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(
                       random() % static_cast<uint64_t>(most - least + 1));
  }
  bool chance(int n) { return random() % static_cast<uint64_t>(n) == 0; }

  void bulk(DomainId id) { tile.push_back(id); }
  void loop(DomainId id) { loops.push_back(id); }

  DomainId root(int64_t n, bool isOpen) {
    size.push_back(n);
    open.push_back(isOpen);
    std::string name = "N" + std::to_string(size.size());
    launch[name] = n;
    return s.graph.root(symbols && isOpen ? Expr::symbol(name) : Expr(n), name);
  }
  std::pair<DomainId, DomainId> split(DomainId d, int64_t n,
                                      bool outer = false) {
    int64_t other = ceilDiv(size[d], n);
    size.insert(size.end(), {outer ? n : other, outer ? other : n});
    open.insert(open.end(), {!outer && open[d], outer && open[d]});
    return outer ? *s.graph.splitOuter(d, n) : *s.graph.splitInner(d, n);
  }
  DomainId merge(DomainId a, DomainId b) {
    size.push_back(size[a] * size[b]);
    open.push_back(open[a] || open[b]);
    return *s.graph.merge(a, b);
  }
  DomainId resize(DomainId d, int64_t left, int64_t right) {
    if (size[d] + left + right < 1 || (left == 0 && right == 0))
      return d;
    size.push_back(size[d] + left + right);
    open.push_back(open[d]);
    return *s.graph.resize(d, left, right);
  }
  DomainId resized(DomainId d, int64_t unit) {
    int64_t left = unit * pick(-1, 1), right = pick(-2, 2);
    return resize(d, left, right);
  }

  void innermost(DomainId d, int64_t unit) {
    auto cut = [&](int64_t most) {
      bool any = wide && chance(10);
      int64_t n = any ? pick(1, most * unit) : unit * pick(1, most);
      ragged = ragged || n % unit != 0;
      return n;
    };
    if (!open[d] && size[d] % unit == 0 && chance(2))
      return bulk(d);
    if (chance(3)) {
      bool any = wide && chance(10);
      ragged = ragged || any;
      d = resized(d, any ? 1 : unit);
    }
    if (chance(5)) { // Boxes of boxes.
      int64_t n = cut(2), all = n * pick(1, 3);
      auto [c, x] = split(d, all);
      loop(c);
      d = x;
      auto [k, b] = split(d, n);
      loop(k);
      return bulk(b);
    }
    auto [c, b] = split(d, cut(2));
    loop(c);
    bulk(b);
  }

  /// What matching makes of a mixed domain.
  struct Box {
    int64_t box, step;
    bool whole = false;
  };
  Box boxes(DomainId d, int depth) {
    bool outer = !open[d] && chance(4);
    switch (pick(0, depth > 0 ? 6 : 3)) {
    case 0:
    case 1: { // Partitioned.
      auto [c, b] = split(d, pick(1, 4), outer);
      loop(c), bulk(b);
      return {size[b], 1};
    }
    case 2: { // With an element stride.
      auto [c, b] = split(d, pick(1, 5), outer);
      auto [t, e] = split(b, pick(1, 4));
      loop(c), loop(e), bulk(t);
      strided = strided || size[e] > 8;
      return {size[b], size[e]};
    }
    case 3: { // All of it, strided.
      mayNotRotate = mayNotRotate || open[d];
      auto [t, e] = split(d, pick(1, 4), outer);
      mayNotRotate = mayNotRotate || ceilDiv(size[d], size[e]) != size[t];
      loop(e), bulk(t);
      strided = strided || size[e] > 8;
      return {size[d], size[e], true};
    }
    case 4: { // Rotation right: tile inside, or the stride.
      auto [x, i] = split(d, pick(1, 3), outer);
      Box sub = boxes(x, depth - 1);
      bool inside = chance(2);
      mayNotRotate = mayNotRotate || (inside && sub.step != 1);
      inside ? bulk(i) : loop(i);
      int64_t box = sub.box * size[i], step = inside ? 1 : sub.step * size[i];
      strided = strided || step > 8;
      bool whole = sub.whole && ceilDiv(size[d], step) == ceilDiv(box, step);
      return {whole ? size[d] : box, step, whole};
    }
    default: { // Rotation left.
      auto [c, x] = split(d, pick(1, 3) * pick(1, 3), outer);
      loop(c);
      Box sub = boxes(x, depth - 1);
      mayNotRotate = mayNotRotate || (!sub.whole && size[x] % sub.box != 0);
      return {sub.box, sub.step};
    }
    }
  }

  void dimension(DomainId d) {
    int64_t kind = pick(0, 9);
    for (int k = 0; k < 2 && kind >= 3 && chance(4); ++k)
      d = resized(d, 1);
    if (kind < 2 || (kind == 2 && open[d]))
      return loop(d);
    if (kind == 2)
      return bulk(d);
    boxes(d, 2);
  }

  void transformLoops() {
    DomainGraph &g = s.graph;
    for (int64_t k = pick(0, 3); k-- > 0 && !loops.empty();) {
      size_t a = random() % loops.size(), b = random() % loops.size();
      DomainId id = loops[a];
      switch (pick(0, 5)) {
      case 0:
      case 1: {
        auto [o, i] = split(id, pick(1, 3), chance(2));
        loops[a] = o;
        loop(i);
        break;
      }
      case 2:
        if (a == b)
          break;
        loops[a] = merge(id, loops[b]);
        loops.erase(loops.begin() + static_cast<ptrdiff_t>(b));
        break;
      case 3:
      case 4: {
        int64_t left = pick(-2, 1), right = pick(-2, 1);
        loops[a] = resize(id, left, right);
        cutsLoops = cutsLoops || (loops[a] != id && (left < 0 || right < 0));
        break;
      }
      default:
        if (a == b || open[id] || open[loops[b]])
          break;
        if (auto out = g.swizzle(id, loops[b])) {
          size.insert(size.end(), {size[id], size[loops[b]]});
          open.insert(open.end(), {false, false});
          loops[a] = out->first;
          loops[b] = out->second;
        }
      }
    }
  }

  /// Dimensions merged, and seen as several.
  void views(std::vector<DomainId> &dims) {
    for (int64_t k = pick(0, 3); k-- > 0;) {
      size_t a = random() % dims.size();
      auto at = dims.begin() + static_cast<ptrdiff_t>(a);
      if (chance(2) && a + 1 < dims.size()) {
        // Where there is a gap between rows they may not be.
        bool plain = dims.size() + 1 == s.global.size() &&
                     s.global[a].domain == dims[a] &&
                     s.global[a + 1].domain == dims[a + 1];
        mayNotRotate = mayNotRotate || !plain || padded[a];
        *at = merge(*at, at[1]);
        dims.erase(at + 1);
        continue;
      }
      int64_t n = pick(2, 4);
      bool divides = !open[*at] && size[*at] % n == 0;
      if (!divides && !chance(8))
        continue;
      mayNotRotate = mayNotRotate || !divides;
      auto [o, i] = split(*at, n, chance(2));
      *at = o;
      dims.insert(at + 1, i);
    }
    mayNotRotate = mayNotRotate || dims.size() > 4;
  }

  void make() {
    static const char *types[] = {"u8", "u16", "u32", "u64"};
    int64_t log = wide ? pick(0, 3) : 2, element = int64_t(1) << log;
    int64_t unit = 16 / element;
    int64_t rank = pick(2, 5), most = rank <= 3 ? 7 : 3;
    s.type = findTmaType(types[log]);
    std::vector<DomainId> dims;
    for (int64_t k = 0; k + 1 < rank; ++k)
      dims.push_back(root(pick(1, most), chance(2)));
    bool whole = chance(2);
    DomainId inner =
        root(whole ? unit * pick(1, 2) : pick(1, 5 * unit / 2), chance(3));
    s.global.resize(dims.size() + 1);
    s.global.back() = {inner, element};
    padded.assign(dims.size(), false);
    Expr stride = element * s.graph[inner].extent;
    int64_t bytes = element * size[inner];
    for (size_t k = dims.size(); k-- > 0;) {
      // A gap behind rows is a number, so that all above it are.
      bool gap = chance(4);
      if (int64_t even = (bytes + 15) / 16 * 16 + (gap ? 16 : 0);
          gap || even != bytes || k + 1 == dims.size()) {
        padded[k] = even != bytes;
        stride = bytes = even;
      }
      s.global[k] = {dims[k], stride};
      stride = stride * s.graph[dims[k]].extent;
      bytes *= size[dims[k]];
    }
    if (wide && chance(3))
      views(dims);
    bool prescribed = wide && chance(5);
    for (DomainId d : dims)
      dimension(d);
    innermost(inner, unit);
    transformLoops();
    s.bulk = tile;
    if (prescribed) {
      s.tmaDomain = dims;
      s.tmaDomain.push_back(inner);
    }
    int64_t tileBytes = element;
    for (DomainId id : tile)
      tileBytes *= size[id];
    if (chance(4) && size[tile.back()] * element <= 32)
      s.swizzle = findTmaSwizzle(chance(2) ? "64B" : "128B");
    if (tileBytes % 128 == 0 && s.swizzle->span == 0 && chance(2)) {
      for (DomainId id : loops)
        if (chance(2) && !open[id])
          s.shared.push_back(id);
      s.shared.insert(s.shared.end(), tile.begin(), tile.end());
    }
    switch (pick(0, wide ? 9 : 4)) {
    case 0:
      s.traffic = chance(2) ? TmaTraffic::Save : TmaTraffic::Worth;
      break;
    case 1:
    case 5:
      s.direction = TmaDirection::Store;
      s.tailIsPadding = true;
      break;
    default:
      s.wanted = Correctness::Strong;
    }
  }

private:
  std::vector<bool> padded; ///< By outer dimension: a gap behind it.
};

} // namespace titan

#endif // TITAN_UNITTESTS_DOMAIN_SCHEDULEGENERATOR_H
