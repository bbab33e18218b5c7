//===- TmaTile.cpp - The tile in shared memory ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TmaInfer.h"

#include "TmaCandidate.h"

#include <algorithm>
#include <numeric>

using namespace titan;
using namespace titan::tma;

//===----------------------------------------------------------------------===//
// The schedule without the views of its tile
//===----------------------------------------------------------------------===//

Result<TmaSchedule> titan::tma::withoutViews(const TmaSchedule &from,
                                             const std::vector<Class> &classes,
                                             std::vector<DomainId> &to) {
  const DomainGraph &old = from.graph;
  TmaSchedule result = from;
  DomainGraph graph;
  to.assign(old.size(), -1);
  auto take = [&](DomainId was, DomainId is) {
    to[was] = is;
    graph.rename(is, old[was].name);
  };
  for (DomainId id : old.roots())
    take(id, graph.root(old[id].extent, old[id].name));
  // Expressions come after those that make their inputs, except for rotated
  // ones: so until nothing is left that can be done.
  std::vector<bool> done(old.exprs().size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t k = 0; k < done.size(); ++k) {
      const DomainExpr &e = old.exprs()[k];
      if (done[k] || e.removed || to[e.in[0]] < 0 ||
          (e.in[1] >= 0 && to[e.in[1]] < 0))
        continue;
      done[k] = changed = true;
      bool resizedRoot = e.kind == DomainExpr::Kind::Resize;
      for (DomainId id = e.in[0]; resizedRoot && old[id].producer >= 0;) {
        const DomainExpr &above = old.exprs()[old[id].producer];
        resizedRoot = above.kind == DomainExpr::Kind::Resize;
        id = above.in[0];
      }
      bool window = e.kind == DomainExpr::Kind::Window;
      if (classes[e.in[0]] == Class::Tile && !resizedRoot && !window)
        continue;
      DomainId a = to[e.in[0]], b = e.in[1] < 0 ? -1 : to[e.in[1]];
      if (e.kind == DomainExpr::Kind::Merge ||
          e.kind == DomainExpr::Kind::Resize) {
        auto out = e.kind == DomainExpr::Kind::Merge
                       ? graph.merge(a, b)
                       : graph.resize(a, e.left, e.right);
        if (!out)
          return out.problem();
        take(e.out[0], *out);
        continue;
      }
      auto out = e.kind == DomainExpr::Kind::Swizzle ? graph.swizzle(a, b)
                 : window ? graph.window(a, e.filter, e.stride, e.dilation)
                 : e.innerFactor ? graph.splitInner(a, e.factor)
                                 : graph.splitOuter(a, e.factor);
      if (!out)
        return out.problem();
      take(e.out[0], out->first);
      take(e.out[1], out->second);
    }
  }
  for (TmaGlobalDim &d : result.global)
    d.domain = to[d.domain];
  for (DomainId &id : result.tmaDomain) {
    id = id >= 0 && id < old.size() ? to[id] : -1;
    if (id < 0)
      return Problem{"domain-invalid",
                     "the prescribed TMA domain has no such domain"};
  }
  result.bulk.clear();
  for (DomainId id = 0; id < old.size(); ++id)
    if (to[id] >= 0 && classes[id] == Class::Tile && graph[to[id]].consumer < 0)
      result.bulk.push_back(to[id]);
  std::vector<DomainId> order;
  for (DomainId id : old.leaves())
    if (to[id] >= 0 && graph[to[id]].consumer < 0)
      order.push_back(to[id]);
  if (auto problem = graph.reorder(order))
    return *problem;
  result.graph = std::move(graph);
  return result;
}

//===----------------------------------------------------------------------===//
// The shared side
//===----------------------------------------------------------------------===//

Result<std::vector<DomainId>>
titan::tma::keptLoops(const TmaSchedule &s, const std::vector<Class> &classes,
                      const std::vector<DomainId> &tops) {
  const DomainGraph &g = s.graph;
  // The order that would do: loops, then the tile as the map has it.
  auto inOrder = [&] {
    std::string text;
    auto add = [&](DomainId id) {
      text += (text.empty() ? "write `shared " : ", ") + g[id].name;
    };
    for (DomainId id : s.shared)
      if (classes[id] == Class::Loop && g[id].extent.constant())
        add(id);
    for (DomainId id : tops)
      add(id);
    return text +
           "`: loops, then the tile in the order of the map's dimensions";
  };
  auto fails = [](const std::string &why, const std::string &fix) {
    return Problem{"tma-shared-tile", why, fix};
  };
  auto trivial = [&](DomainId id) { return g[id].extent.is(1); };
  std::vector<DomainId> loops, tile, list = s.shared;
  for (auto [id, tiles] : s.ring)
    if (std::count(list.begin(), list.end(), id) == 0 ||
        classes[id] != Class::Loop || tiles < 1)
      return fails("a ring of " + number(tiles) + " tiles of " +
                       (id >= 0 && id < g.size() ? g.str(id) : number(id)),
                   "a buffer keeps 1 tile or more of a loop that it names");
  for (size_t k = 0; k < list.size(); ++k) {
    DomainId id = list[k];
    if (trivial(id) && !s.ring.count(id))
      continue;
    if (classes[id] == Class::Mixed) {
      const DomainExpr &e = g.exprs()[g[id].consumer];
      if (e.kind != DomainExpr::Kind::Split || g.createsHoles(e) != Tri::No)
        return fails(g.str(id) + " is no whole number of tiles: " + g.str(e),
                     "list " + g[e.out[0]].name +
                         (e.out[1] >= 0 ? ", " + g[e.out[1]].name : "") +
                         " instead" +
                         (e.kind == DomainExpr::Kind::Split
                              ? ", or let the split divide " + g.str(id)
                              : ""));
      list[k] = e.out[0];
      list.insert(list.begin() + static_cast<ptrdiff_t>(k) + 1, e.out[1]);
      --k;
    } else if (classes[id] == Class::Tile) {
      tile.push_back(id);
    } else if (!tile.empty()) {
      return fails("the loop " + g.str(id) +
                       " stands inside of the tile, after " +
                       g.str(tile.back()),
                   inOrder());
    } else if (s.ring.count(id)) {
      loops.push_back(id);
    } else if (!g[id].extent.constant()) {
      return fails("the buffer keeps " + g.str(id) +
                       ", whose extent only a launch knows",
                   "keep a number of tiles that is known, a ring of slots: "
                   "`shared " +
                       g[id].name + "{4}`");
    } else if (!g.impliedInBounds({})[id]) {
      return fails("the buffer keeps " + g.str(id) +
                       ", whose index may be out of bounds: keep its leaves",
                   "list the loops that are split or resized from " +
                       g[id].name + " instead of it");
    } else {
      loops.push_back(id);
    }
  }
  // Does the tile, viewed step by step, become the buffer's order?
  std::vector<DomainId> order;
  for (DomainId id : tops)
    if (!trivial(id))
      order.push_back(id);
  auto wanted = [&](DomainId id) {
    return std::count(tile.begin(), tile.end(), id) > 0;
  };
  auto view = [&](size_t k) {
    DomainId id = order[k];
    if (wanted(id) || g[id].consumer < 0)
      return false;
    const DomainExpr &e = g.exprs()[g[id].consumer];
    auto at = order.begin() + static_cast<ptrdiff_t>(k);
    if (e.kind == DomainExpr::Kind::Split && g.createsHoles(e) == Tri::No) {
      at = order.erase(at);
      for (DomainId out : {e.out[1], e.out[0]})
        if (!trivial(out))
          at = order.insert(at, out);
      return true;
    }
    if (e.kind != DomainExpr::Kind::Merge)
      return false;
    bool adjacent = e.in[0] == id && k + 1 < order.size() && at[1] == e.in[1];
    if (!adjacent && !trivial(e.in[0] == id ? e.in[1] : e.in[0]))
      return false;
    *at = e.out[0];
    if (adjacent)
      order.erase(at + 1);
    return true;
  };
  while (order != tile) {
    size_t k = 0;
    while (k < order.size() && !view(k))
      ++k;
    if (k < order.size())
      continue;
    // Nothing can be done: the first difference.
    for (k = 0; k < order.size() && k < tile.size() && order[k] == tile[k];)
      ++k;
    if (k == order.size())
      return fails("the buffer has more than the tile: " + g.str(tile[k]),
                   inOrder());
    const IterDomain &d = g[order[k]];
    if (!wanted(order[k]) && d.consumer >= 0)
      return fails(g.str(g.exprs()[d.consumer]) +
                       " makes holes in the tile or changes its order",
                   "leave that out, and list " + g[order[k]].name +
                       ": the buffer's order splits a tile where that divides, "
                       "and merges neighbours");
    return fails("the tile has " + g.str(order[k]) + " where the buffer has " +
                     (k < tile.size() ? g.str(tile[k]) : "nothing"),
                 inOrder());
  }
  return loops;
}

bool titan::tma::mergesTile(const Dim &dim) {
  return dim.kind == Class::Tile && dim.record.tileDomains.size() > 1 &&
         dim.tops == dim.record.tileDomains;
}

namespace {
/// A dimension's tile in boxes of `take` elements; the last one has `rest` of
/// them, 0: as many.
struct Cut {
  int64_t take, rest = 0, boxes = 1;
};

/// What a box may take of one dimension of a tile.
struct BoxRule {
  int64_t most;     // Elements.
  int64_t multiple; // Of a box that others follow.
  int64_t unit = 1; // Of any box.
  int64_t whole =
      1; // Of the dimension where others follow, elements: of its rest.

  /// The fewest boxes of a tile of these domains, outermost first; none where
  /// nothing fits. Of one domain all boxes take the same part, or a rest.
  std::optional<Cut> fewest(const std::vector<int64_t> &domains) const {
    int64_t tile = 1;
    for (int64_t n : domains)
      tile *= n;
    if (tile <= most)
      return Cut{tile};
    std::optional<Cut> best;
    for (int64_t take = most - most % multiple; take > 0; take -= multiple) {
      int64_t part = take, inner = 1;
      size_t k = domains.size();
      for (; k > 0 && part % domains[k - 1] == 0; --k) {
        part /= domains[k - 1];
        inner *= domains[k - 1];
      }
      // Of domain k - 1, one index of all outside of it.
      if (k == 0 || part > domains[k - 1])
        continue;
      int64_t n = domains[k - 1], outer = tile / inner / n;
      Cut cut{take, n % part * inner, outer * ceilDiv(n, part)};
      bool fits = cut.rest == 0 || (cut.rest % unit == 0 &&
                                    (outer == 1 || n * inner % multiple == 0) &&
                                    tile % whole == 0);
      if (fits && (!best || cut.boxes < best->boxes ||
                   (cut.boxes == best->boxes && best->rest && !cut.rest)))
        best = cut;
    }
    return best;
  }
  bool works(int64_t tile) const {
    return tile % unit == 0 && fewest({tile}).has_value();
  }
};
} // namespace

/// The sizes next to one that no boxes make up.
static std::string othersThan(int64_t tile, const BoxRule &rule) {
  int64_t below = tile - 1, above = tile + 1;
  while (!rule.works(below)) // Up to `most` all do that have the unit.
    --below;
  int64_t last = tile + 2 * rule.most;
  while (above < last && !rule.works(above))
    ++above;
  return number(below) +
         (above < last ? " or " + number(above) : std::string());
}

Pieces titan::tma::cutTile(const std::vector<Dim> &dims,
                           const DomainGraph &graph, const TmaSchedule &s,
                           const TargetInfo &target) {
  Pieces p;
  size_t n = dims.size();
  int64_t element = s.type->bits / 8, span = s.swizzle->span;
  int64_t align = target.tmaSharedAlignment;
  int64_t chunk = target.tmaBoxBytesMultiple;
  p.taken.assign(n, 1);
  p.rest.assign(n, 0);
  p.pitch.assign(n, 0);
  auto multiple = [](int64_t bytes, int64_t pitch) {
    return bytes / std::gcd(bytes, pitch);
  };
  int64_t pitch = element;
  bool cut = false;
  for (size_t k = n; k-- > 0;) {
    const TmaDimension &d = dims[k].record;
    bool innermost = k + 1 == n, panels = innermost && span != 0;
    // The encoder's limit is on the box before the element stride.
    int64_t e = innermost ? 1 : d.elementStride;
    BoxRule rule{dims[k].pixels ? target.tmaMaxIm2colPixels
                 : e == 1       ? target.tmaMaxBox
                                : (target.tmaMaxBox - 1) / e + 1,
                 multiple(align, pitch)};
    // Boxes follow one another, each aligned; so do the tiles of a dimension.
    for (size_t o = 0; o < k; ++o)
      if (dims[o].record.tile > 1)
        rule.whole = rule.multiple;
    if (innermost)
      rule.unit = multiple(chunk, element);
    if (panels) { // All are whole but the last, and follow with all their rows.
      rule.most = rule.multiple = span / element;
      rule.whole = 1;
    }
    std::vector<int64_t> domains = {d.tile};
    if (!mergesTile(dims[k]) && !d.tileDomains.empty()) {
      domains.clear();
      for (DomainId id : d.tileDomains)
        domains.push_back(*graph[id].extent.constant());
    }
    Cut boxes{cut ? 1 : d.tile, 0, cut ? d.tile : 1};
    if (!cut) {
      std::optional<Cut> found;
      if (!panels && span != 0) {
        BoxRule phase = rule;
        phase.multiple = multiple(s.swizzle->period, pitch);
        if (phase.whole > 1)
          phase.whole = phase.multiple;
        found = phase.fewest(domains);
      }
      if (!found)
        found = rule.fewest(domains);
      if (!found && p.problem.empty()) {
        std::string name;
        for (DomainId id : d.tileDomains)
          name += (name.empty() ? "" : " x ") + graph.str(id);
        p.problem = "no boxes make up the tile " + name +
                    ". A box has at most " + number(rule.most) + " elements.";
        if (rule.unit > 1)
          p.problem += " A row has whole chunks of " + number(chunk) +
                       " bytes: a multiple of " + number(rule.unit) +
                       " elements.";
        if (!panels && rule.multiple > 1) {
          p.problem += " Each box begins at a multiple of " + number(align) +
                       " bytes: all but the last have a multiple of " +
                       number(rule.multiple) + " elements.";
          if (rule.whole > 1)
            p.problem += " So has the tile: boxes of the next one follow.";
        }
        p.problem +=
            rule.works(d.tile)
                ? " A box takes whole domains of the tile and a part "
                  "of one: none that is allowed does"
                : " " + othersThan(d.tile, rule) + " elements would do";
      }
      boxes = found.value_or(boxes);
    }
    p.taken[k] = boxes.take;
    p.rest[k] = boxes.rest;
    p.copies *= boxes.boxes;
    p.pitch[k] = pitch;
    if (panels) {
      pitch = span; // Rows of one span; wider tiles are panels.
    } else {
      cut = cut || boxes.take < d.tile;
      pitch *= d.tile;
    }
  }
  p.imageBytes = pitch;
  if (span != 0) { // Panels follow one another.
    int64_t panels = ceilDiv(dims[n - 1].record.tile, p.taken[n - 1]);
    p.pitch[n - 1] = panels > 1 ? pitch : element;
    p.imageBytes = pitch * panels;
    if (panels > 1 && pitch % align != 0 && p.problem.empty())
      p.problem = "a tile of " + number(panels) + " panels of " +
                  number(pitch / span) + " rows of " + number(span) +
                  " bytes: panels begin at multiples of " + number(align) +
                  " bytes, so that a multiple of " +
                  number(multiple(align, span)) + " rows would do";
  }
  return p;
}
