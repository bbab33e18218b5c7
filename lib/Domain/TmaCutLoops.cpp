//===- TmaCutLoops.cpp - Which tiles loops visit that are cut off ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A resize of loops with a negative side leaves iterations out:
//
//     D{10} -> c{4}, b{3};  b -> t{2}, s{2};  resize(c, 0, -3)
//
// Boxes of 3 with element stride 2 mix, but not the only one that is visited
// where nothing follows it. Which tiles a dimension mixes in is a function of
// its *tops*, the outermost loops below its splits: the tile starts at the sum
// of their indices times their weights. Which values they take together is
// what has to be known:
//
//   below the top                        its values
//   ---------------------------------------------------------------------------
//   nothing is cut off                   all
//   resize                               its output's, moved
//   split                                outer's times the inner extent, plus
//                                        inner's, in bounds
//   merge with a loop all of whose       its output's, divided (outer) or, two
//   values are to be had                 intervals, the remainder (inner)
//
// as arithmetic progressions, at most 64, with expressions for first and count;
// the theorem (tileMargins) decides. What is entangled otherwise (tops of
// dimensions that both may mix, swizzles) is enumerated where it is a matter of
// numbers, up to 2^22 elements of tiles; else it is undecided.
//
//===----------------------------------------------------------------------===//
#include "TmaCandidate.h"
#include "titan/Domain/Theorems.h"

#include <algorithm>
#include <numeric>

using namespace titan;
using namespace titan::tma;

namespace {
constexpr int64_t maxRuns = 64, maxElements = int64_t(1) << 22;

/// Values first, first + step, ...
struct Run {
  Expr first;
  int64_t step;
  Expr count;
};
using Runs = std::optional<std::vector<Run>>; // None: no such form.

struct Top {
  DomainId id;
  size_t dim;
  Expr weight;
  bool inBox; // It moves the tile inside of its box.
};

/// A domain inside of a box's loops that they overshoot: the sum of the tops
/// from .. to - 1 times their weights is below `most`, or there is a hole.
struct Limit {
  size_t from, to;
  Expr most;
};

/// Tops that depend on each other, and what is known of the points that they
/// visit: >= 0 when at some of them every dimension has a valid element, and
/// one of them mixes, or starts at a negative coordinate.
struct Group {
  std::vector<size_t> tops, open;
  Expr valid = 0;
  std::map<size_t, Expr> mixes = {}, negative = {};
  std::map<size_t, MixedTile> examples = {};
  std::string unknown = {};
};

class CutLoops {
public:
  CutLoops(const DomainGraph &g, const std::vector<Class> &classes,
           const std::vector<Dim> &dims, bool starts)
      : g(g), classes(classes), dims(dims), starts(starts),
        cut(g.size(), false), topOf(g.size(), -1), parent(g.size()) {
    std::iota(parent.begin(), parent.end(), 0);
    const auto &exprs = g.exprs();
    for (size_t k = exprs.size(); k-- > 0;) {
      const DomainExpr &e = exprs[k];
      if (e.removed || classes[e.in[0]] != Class::Loop)
        continue;
      bool cuts = e.left < 0 || e.right < 0 || cut[e.out[0]] ||
                  (e.out[1] >= 0 && cut[e.out[1]]);
      if (!cuts)
        continue;
      for (DomainId id : {e.in[0], e.in[1], e.out[0], e.out[1]})
        if (id >= 0)
          unite(id, e.in[0]);
      for (DomainId id : {e.in[0], e.in[1]})
        if (id >= 0)
          cut[id] = true;
    }
    for (size_t d = 0; d < dims.size(); ++d) {
      size_t before = tops.size();
      for (DomainId id : dims[d].tops)
        findTops(id, d, 1, false);
      open.push_back(isOpen(dims[d], tops.size() - before));
      for (size_t t = before; open[d] && t < tops.size(); ++t)
        unite(tops[t].id, tops[before].id);
    }
  }

  std::vector<Mixing> solve() {
    std::map<DomainId, Group> byRoot;
    std::vector<Group> groups;
    for (size_t t = 0; t < tops.size(); ++t)
      byRoot[find(tops[t].id)].tops.push_back(t);
    for (auto &[root, group] : byRoot)
      groups.push_back(std::move(group));
    for (size_t d = 0; d < dims.size(); ++d) {
      if (!open[d])
        continue;
      auto it = std::find_if(groups.begin(), groups.end(), [&](const Group &x) {
        return std::any_of(x.tops.begin(), x.tops.end(),
                           [&](size_t t) { return tops[t].dim == d; });
      });
      if (it == groups.end()) // No loop: one tile.
        it = groups.insert(groups.end(), Group{});
      it->open.push_back(d);
    }
    for (Group &group : groups)
      decide(group);

    std::vector<Mixing> result(dims.size());
    for (size_t d = 0; d < dims.size(); ++d) {
      Mixing &m = result[d];
      m.margin = m.starts = 0;
      auto add = [&](Expr &margin, const Group &group,
                     const std::map<size_t, Expr> &some) {
        auto it = some.find(d);
        if (it == some.end() || it->second.is(-1))
          return false;
        margin = Expr(-1) - it->second;
        m.unknown = group.unknown;
        for (const Group &other : groups) {
          if (&other == &group)
            continue;
          if (auto v = other.valid.constant(); !v || *v < 0)
            margin = max(margin, Expr(-1) - other.valid);
          if (m.unknown.empty())
            m.unknown = other.unknown;
        }
        return true;
      };
      for (const Group &group : groups) {
        if (auto tile = group.examples.find(d);
            add(m.margin, group, group.mixes) && tile != group.examples.end())
          m.example = tile->second;
        add(m.starts, group, group.negative);
      }
    }
    return result;
  }

private:
  DomainId find(DomainId id) {
    while (parent[id] != id)
      id = parent[id] = parent[parent[id]];
    return id;
  }
  void unite(DomainId a, DomainId b) { parent[find(a)] = find(b); }

  void findTops(DomainId id, size_t dim, const Expr &weight, bool inBox) {
    if (classes[id] == Class::Tile)
      return;
    if (classes[id] == Class::Loop) {
      topOf[id] = static_cast<int>(tops.size());
      tops.push_back({id, dim, weight, inBox});
      return;
    }
    const DomainExpr &e = g.exprs()[g[id].consumer];
    if (e.kind == DomainExpr::Kind::Resize)
      return findTops(e.out[0], dim, weight, false);
    // Loops outside of a tile move the box, loops inside of it the tile.
    size_t from = tops.size();
    findTops(e.out[0], dim, weight * g[e.out[1]].extent, false);
    findTops(e.out[1], dim, weight, classes[e.out[1]] == Class::Loop);
    if (overshoots(dims[dim], id))
      limits.push_back({from, tops.size(), weight * g[id].extent});
  }

  /// Whether the loops above a tile overshoot this domain by whole tiles: one
  /// in a dimension's boxes, but not the box itself.
  bool overshoots(const Dim &d, DomainId id) const {
    const DomainExpr &e = g.exprs()[g[id].consumer];
    return d.tops.size() == 1 && id != d.tops.front() &&
           !std::count(d.resized.begin(), d.resized.end(), id) &&
           classes[e.out[0]] != Class::Tile && g.createsHoles(e) != Tri::No;
  }

  /// Whether it may mix, or have a tile without a valid element at loops that
  /// are in bounds.
  static bool isOpen(const Dim &d, size_t loops) {
    return d.tops.size() == 1 && d.kind != Class::Loop &&
           (d.record.elementStride > 1 || !d.resized.empty() || loops > 1);
  }

  TmaSymbolicBoxes boxesOf(size_t dim) const {
    const TmaDimension &t = dims[dim].record;
    return {t.size, t.box, t.elementStride, t.begin, t.cut, t.first, 0};
  }

  void decide(Group &group) const {
    bool whole = std::none_of(group.tops.begin(), group.tops.end(),
                              [&](size_t t) { return cut[tops[t].id]; });
    if (!whole && byRuns(group)) {
      // For the message.
      for (auto &[dim, mixes] : group.mixes)
        if (auto value = mixes.constant(); value && *value >= 0) {
          Group copy = group;
          if (enumerate(copy))
            group.examples = copy.examples;
          break;
        }
      return;
    }
    if (!whole && enumerate(group))
      return;
    // All of it, as if nothing were cut off.
    for (size_t d : group.open) {
      const TmaDimension &t = dims[d].record;
      Mixing m = mixingOf(dims[d]);
      group.mixes[d] = Expr(-1) - m.margin;
      Expr negative = -1;
      if (starts)
        for (const TmaTileStarts &each : startsOf(dims[d]))
          negative = max(negative, negativeMargin(boxesOf(d), each));
      group.negative[d] = negative;
      if (m.example)
        group.examples.emplace(d, *m.example);
      if (t.begin > 0 || t.cut > 0)
        group.valid = min(group.valid, t.size - (t.begin + t.cut + 1));
    }
  }

  //===--------------------------------------------------------------------===//
  // Progressions
  //===--------------------------------------------------------------------===//

  /// a*weight + b.
  static Runs sum(const Runs &a, const Expr &weight, const Runs &b) {
    if (!a || !b)
      return std::nullopt;
    std::vector<Run> all;
    auto w = weight.constant();
    for (const Run &x : *a)
      for (const Run &y : *b) {
        Expr first = x.first * weight + y.first;
        auto many = x.count.constant(), few = y.count.constant();
        if (areEqual(weight * x.step, y.count * y.step) == Tri::Yes) {
          all.push_back({first, y.step, x.count * y.count});
        } else if (w && few && *few <= maxRuns) {
          for (int64_t k = 0; k < *few; ++k)
            all.push_back({first + k * y.step, x.step * *w, x.count});
        } else if (many && *many <= maxRuns) {
          for (int64_t k = 0; k < *many; ++k)
            all.push_back({first + weight * (k * x.step), y.step, y.count});
        } else {
          return std::nullopt;
        }
        if (all.size() > maxRuns)
          return std::nullopt;
      }
    return all;
  }

  /// Only those in 0 .. extent - 1.
  static void clip(Run &run, const Expr &extent) {
    Expr skip = max(0, ceilDiv(Expr(0) - run.first, run.step));
    run.first = run.first + skip * run.step;
    run.count =
        min(run.count - skip, ceilDiv(extent - run.first, Expr(run.step)));
  }

  /// Whether all values in bounds are to be had whatever others are: a top of
  /// another dimension, or what is left of one, of a dimension that has a valid
  /// element in each of its tiles.
  bool isFree(DomainId id) const {
    while (topOf[id] < 0) {
      const DomainExpr *e =
          g[id].producer < 0 ? nullptr : &g.exprs()[g[id].producer];
      if (!e || e->kind != DomainExpr::Kind::Resize || e->left > 0 ||
          e->right > 0)
        return false;
      id = e->in[0];
    }
    return !open[tops[static_cast<size_t>(topOf[id])].dim];
  }

  /// The values of a loop with which all below it is in bounds.
  Runs visited(DomainId id) const {
    Expr extent = g[id].extent;
    if (!cut[id])
      return std::vector<Run>{{0, 1, extent}};
    const DomainExpr &e = g.exprs()[g[id].consumer];
    Runs out;
    switch (e.kind) {
    case DomainExpr::Kind::Resize:
      out = visited(e.out[0]);
      if (!out)
        return out;
      for (Run &run : *out) {
        run.first = run.first - e.left;
        if (e.left > 0 || e.right > 0)
          clip(run, extent);
      }
      return out;
    case DomainExpr::Kind::Split:
      out = sum(visited(e.out[0]), g[e.out[1]].extent, visited(e.out[1]));
      if (!out || g.createsHoles(e) == Tri::No)
        return out;
      for (Run &run : *out)
        clip(run, extent);
      return out;
    case DomainExpr::Kind::Merge: {
      bool outer = id == e.in[0];
      Runs merged = visited(e.out[0]);
      if (!merged || !isFree(e.in[outer ? 1 : 0]))
        return std::nullopt;
      out.emplace();
      Expr n = g[e.in[1]].extent;
      for (const Run &run : *merged) {
        if (run.step != 1 && !run.count.is(1))
          return std::nullopt;
        if (outer) {
          Expr first = run.first / n, last = (run.first + run.count - 1) / n;
          out->push_back({first, 1, min(run.count, last - first + 1)});
          continue;
        }
        Expr first = run.first % n; // To the row's end, then from its start.
        out->push_back({first, 1, min(run.count, n - first)});
        out->push_back({0, 1, min(n, first + run.count - n)});
      }
      return out->size() > maxRuns ? std::nullopt : out;
    }
    case DomainExpr::Kind::Swizzle:
    case DomainExpr::Kind::Window:
      return std::nullopt;
    }
    return std::nullopt;
  }

  bool byRuns(Group &group) const {
    if (group.open.size() > 1)
      return false;
    if (group.open.empty()) { // Is anything visited?
      auto top = std::find_if(group.tops.begin(), group.tops.end(),
                              [&](size_t t) { return cut[tops[t].id]; });
      Runs runs = visited(tops[*top].id);
      if (!runs)
        return false;
      // Loops may go on behind the dimension's last box.
      if (const Dim &d = dims[tops[*top].dim];
          d.tops.size() == 1 && d.kind != Class::Loop)
        for (Run &run : *runs)
          clip(run, ceilDiv(d.extent, tops[*top].weight));
      group.valid = -1;
      for (const Run &run : *runs)
        group.valid = max(group.valid, run.count - 1);
      return true;
    }
    size_t dim = group.open.front();
    TmaSymbolicBoxes boxes = boxesOf(dim);
    std::vector<Run> one = {{0, 1, 1}};
    Runs starts = one, offsets = one;
    for (size_t k = group.tops.size(); k-- > 0;) {
      const Top &top = tops[group.tops[k]];
      if (top.dim != dim)
        continue;
      Runs &to = top.inBox ? offsets : starts;
      to = sum(visited(top.id), top.weight, to);
      for (const Limit &limit : limits)
        if (limit.from == group.tops[k] && starts)
          for (Run &run : *starts)
            clip(run, limit.most);
    }
    if (!starts || !offsets)
      return false;
    for (Run &run : *starts)
      run.first = run.first + boxes.first;
    std::set<std::optional<int64_t>> places;
    for (const Run &run : *offsets)
      for (int64_t k = 0, n = run.count.constant().value_or(maxRuns + 1); k < n;
           ++k) {
        auto first = run.first.constant();
        if (!first || n > maxRuns)
          return false;
        places.insert(*first + k * run.step);
      }
    if (static_cast<int64_t>(places.size()) == boxes.stride)
      places = {std::nullopt};
    if (static_cast<int64_t>(starts->size() * places.size()) > maxRuns)
      return false;
    Expr valid = -1, mixes = -1, negative = -1;
    for (const Run &run : *starts)
      for (auto place : places) {
        TmaTileStarts tiles{run.first, run.step, run.count, place};
        TmaTileMargins m = tileMargins(boxes, tiles);
        valid = max(valid, m.valid);
        mixes = max(mixes, m.mixes);
        if (this->starts)
          negative = max(negative, negativeMargin(boxes, tiles));
      }
    group.valid = valid;
    group.mixes[dim] = mixes;
    group.negative[dim] = negative;
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Enumeration
  //===--------------------------------------------------------------------===//

  bool enumerate(Group &group) const {
    int64_t work = 1;
    for (size_t d : group.open)
      work += dims[d].record.tile;
    std::vector<int64_t> extent(g.size(), -1), at(g.size(), 0), weight;
    std::vector<bool> known(g.size(), false);
    auto fails = [&](const std::string &why) {
      group.unknown = why;
      return false;
    };
    auto number = [&](DomainId id) {
      extent[id] = g[id].extent.constant().value_or(-1);
      return extent[id] >= 0;
    };
    std::string symbolic = " is known at launch only, and a resize cuts off "
                           "loops that depend on others";
    for (size_t t : group.tops) {
      const Top &top = tops[t];
      if (!number(top.id) || (open[top.dim] && !top.weight.constant()))
        return fails("the extent of " + g.str(top.id) + symbolic);
      work *= extent[top.id];
      if (work > maxElements)
        return fails("loops are entangled by what a resize cuts off, and there "
                     "are more than 2^22 elements in their tiles");
      known[top.id] = true;
      weight.push_back(top.weight.constant().value_or(0));
    }
    std::vector<const DomainExpr *> exprs;
    for (const DomainExpr &e : g.exprs()) {
      if (e.removed || !known[e.in[0]] || !cut[e.in[0]] ||
          (e.in[1] >= 0 && !known[e.in[1]]))
        continue;
      exprs.push_back(&e);
      for (DomainId out : {e.out[0], e.out[1]})
        if (out >= 0) {
          known[out] = true;
          if (!number(out))
            return fails("the extent of " + g.str(out) + symbolic);
        }
    }
    for (size_t d : group.open)
      if (!dims[d].record.size.constant())
        return fails("the extent of " + g.str(dims[d].tops.front()) + symbolic);

    group.valid = -1;
    for (size_t d : group.open)
      group.mixes[d] = group.negative[d] = -1;
    if (std::any_of(group.tops.begin(), group.tops.end(),
                    [&](size_t t) { return extent[tops[t].id] < 1; }))
      return true;
    bool more = true;
    while (more) {
      if (followIndices(exprs, extent, at))
        look(group, weight, at);
      more = false;
      for (size_t k = group.tops.size(); k-- > 0 && !more;) {
        DomainId id = tops[group.tops[k]].id;
        more = ++at[id] < extent[id];
        if (!more)
          at[id] = 0;
      }
    }
    return true;
  }

  /// One point of the loops, by definition.
  void look(Group &group, const std::vector<int64_t> &weight,
            const std::vector<int64_t> &at) const {
    std::vector<std::pair<size_t, MixedTile>> mixed;
    std::vector<size_t> negative;
    for (size_t d : group.open) {
      const TmaDimension &t = dims[d].record;
      int64_t start = t.first, offset = 0, size = *t.size.constant();
      for (size_t k = 0; k < group.tops.size(); ++k)
        if (const Top &top = tops[group.tops[k]]; top.dim == d)
          (top.inBox ? offset : start) += at[top.id] * weight[k];
      for (const Limit &limit : limits) {
        int64_t sum = 0;
        for (size_t k = 0; k < group.tops.size(); ++k)
          if (size_t x = group.tops[k];
              x >= limit.from && x < limit.to && !tops[x].inBox)
            sum += at[tops[x].id] * weight[k];
        if (tops[limit.from].dim == d && sum >= *limit.most.constant())
          return; // A hole, all of it.
      }
      std::optional<int64_t> valid, hole;
      for (int64_t k = 0; k < t.tile; ++k) {
        int64_t i = offset + k * t.elementStride, p = start + i;
        if (i < t.box && p >= t.begin && p < size - t.cut)
          valid = valid ? valid : p;
        else if (p >= 0 && p < size)
          hole = hole ? hole : p;
      }
      if (!valid)
        return;
      if (hole)
        mixed.push_back({d, {start, offset, *valid, *hole}});
      if (start + offset < 0)
        negative.push_back(d);
    }
    group.valid = 0;
    for (size_t d : negative)
      group.negative[d] = 0;
    for (auto &[d, tile] : mixed) {
      group.mixes[d] = 0;
      group.examples.emplace(d, tile);
    }
  }

  const DomainGraph &g;
  const std::vector<Class> &classes;
  const std::vector<Dim> &dims;
  bool starts;            // Whether starts are looked at.
  std::vector<bool> cut;  // A resize cuts something off at or below.
  std::vector<int> topOf; // -1: none.
  std::vector<DomainId> parent;
  std::vector<Top> tops;
  std::vector<Limit> limits;
  std::vector<bool> open;
};
} // namespace

std::vector<Mixing> titan::tma::mixingOf(const DomainGraph &graph,
                                         const std::vector<Class> &classes,
                                         const std::vector<Dim> &dims,
                                         bool starts) {
  return CutLoops(graph, classes, dims, starts).solve();
}
