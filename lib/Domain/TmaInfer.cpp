//===- TmaInfer.cpp - The dimensions that a schedule makes ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TmaInfer.h"

#include "titan/Domain/Theorems.h"

#include <algorithm>
#include <map>
#include <set>

using namespace titan;
using namespace titan::tma;

/// A leaf of the tile without a number.
static Problem unknownExtent(const DomainGraph &graph, DomainId id,
                             const std::string &why) {
  std::string held = graph[id].consumer < 0 ? graph[id].name : "M";
  return {"tma-schedule", why + " has an extent that only a launch knows",
          "say how many elements of it the tile holds, `bulk " + held +
              "{256}`: a launch that has more is refused; or split it"};
}

//===----------------------------------------------------------------------===//
// Loop, tile, mixed
//===----------------------------------------------------------------------===//

/// By what a domain is used, for a message.
static std::string consumed(const DomainGraph &graph, DomainId id) {
  if (id < 0 || id >= graph.size() || graph[id].consumer < 0)
    return {};
  return ": it is used by " + graph.str(graph.exprs()[graph[id].consumer]);
}

Result<std::vector<Class>>
titan::tma::classify(const DomainGraph &graph,
                     const std::vector<DomainId> &bulk,
                     const std::set<DomainId> &boxes) {
  std::vector<Class> classes(graph.size(), Class::Loop);
  std::vector<int> state(graph.size(), 0);
  for (DomainId id : bulk) {
    if (id < 0 || id >= graph.size() || graph[id].removed ||
        graph[id].consumer >= 0)
      return Problem{"domain-invalid",
                     "bulk domain " +
                         (id < 0 || id >= graph.size()
                              ? std::to_string(id) + ", which there is not,"
                              : graph.str(id)) +
                         " is no leaf" + consumed(graph, id)};
    classes[id] = Class::Tile;
  }
  std::optional<Problem> problem;
  bool windows = std::any_of(
      graph.exprs().begin(), graph.exprs().end(), [](const DomainExpr &e) {
        return !e.removed && e.kind == DomainExpr::Kind::Window;
      });
  auto visit = [&](auto &self, DomainId id) -> Class {
    if (state[id]++ || graph[id].consumer < 0)
      return classes[id];
    const DomainExpr &e = graph.exprs()[graph[id].consumer];
    Class a = self(self, e.out[0]);
    Class b = e.out[1] >= 0 ? self(self, e.out[1]) : a;
    // One index is no tile: the other output says what the input is. (Of
    // pixels it is one: their copies start in a bounding box.)
    auto unit = [&](DomainId out) {
      return !windows && classes[out] == Class::Tile &&
             graph[out].extent.is(1) && !boxes.count(out);
    };
    if (e.kind == DomainExpr::Kind::Split && a != b) {
      if (unit(e.out[1]))
        b = a;
      else if (unit(e.out[0]))
        a = b;
    }
    if (e.kind == DomainExpr::Kind::Swizzle && a != b && !problem)
      problem = noSchedule(graph.str(e) + " mixes loops with the tile");
    return classes[id] = a == b ? a : Class::Mixed;
  };
  for (DomainId id = 0; id < graph.size(); ++id)
    if (!graph[id].removed)
      visit(visit, id);
  if (problem)
    return *problem;
  return classes;
}

//===----------------------------------------------------------------------===//
// One dimension
//===----------------------------------------------------------------------===//

/// An expression in which a size is known to be a multiple of `of`.
static Expr withMultiple(const Expr &e, const std::string &size, int64_t of) {
  auto lhs = [&] { return withMultiple(e.lhs(), size, of); };
  auto rhs = [&] { return withMultiple(e.rhs(), size, of); };
  switch (e.kind()) {
  case Expr::Kind::Constant:
    return e;
  case Expr::Kind::Symbol:
    return e.name() == size ? Expr::symbol(size, of) : e;
  case Expr::Kind::Add:
    return lhs() + rhs();
  case Expr::Kind::Mul:
    return lhs() * rhs();
  case Expr::Kind::Div:
    return lhs() / rhs();
  case Expr::Kind::Mod:
    return lhs() % rhs();
  case Expr::Kind::CeilDiv:
    return ceilDiv(lhs(), rhs());
  case Expr::Kind::Xor:
    return lhs() ^ rhs();
  case Expr::Kind::Min:
    return min(lhs(), rhs());
  case Expr::Kind::Max:
    return max(lhs(), rhs());
  }
  return e;
}

/// The line of a schedule from which it follows that `factor` divides a value
/// of the launch; empty where none of one size does.
static std::string sizeLine(const Expr &value, int64_t factor) {
  std::set<std::string> sizes;
  value.mentions([&](const std::string &name) {
    sizes.insert(name);
    return false;
  });
  if (value.size() > 64 || factor > 4096)
    return {};
  for (const std::string &size : sizes)
    for (int64_t of = factor; of <= 64 * factor; of += factor)
      if (isMultiple(withMultiple(value, size, of), factor) == Tri::Yes)
        return "size " + size + " multiple " + std::to_string(of);
  return {};
}

/// Needs that `factor` divides an extent, of which the schedule says nothing.
static void needMultiple(Requirements &needs, const Expr &extent,
                         int64_t factor, const std::string &why) {
  std::string line = sizeLine(extent, factor);
  needs.multiple(Code::TmaSchedule, extent, factor, "globalDim", why,
                 "pass sizes that do" +
                     (line.empty() ? ""
                                   : "; or promise them, by `" + line +
                                         "` before the tensor"));
}

namespace {
/// Matches the mixed domains below one dimension of the TMA domain.
class Matcher {
public:
  Matcher(const DomainGraph &graph, const std::vector<Class> &classes,
          bool pixels, bool assume)
      : graph(graph), classes(classes), pixels(pixels), assume(assume) {}

  Result<Dim> match(DomainId top, const Expr &stride) {
    Dim dim;
    dim.kind = classes[top];
    dim.pixels = pixels;
    dim.tops = {top};
    dim.record.domains = {top};
    dim.record.size = graph[top].extent;
    dim.record.stride = stride;
    dim.extent = graph[top].extent;
    DomainId below = top;
    if (dim.kind == Class::Loop) {
      dim.record.how = "implicit size-one";
      for (const DomainExpr *e = consumer(below); e; e = consumer(e->out[0]))
        dim.slides = dim.slides || e->kind == DomainExpr::Kind::Window;
      return dim;
    }
    // Resizes move the boxes.
    int64_t left = 0, right = 0;
    for (const DomainExpr *e = consumer(below);
         e && e->kind == DomainExpr::Kind::Resize; e = consumer(below)) {
      dim.inside.push_back(below);
      below = e->out[0];
      left += e->left;
      right += e->right;
      dim.resized.push_back(below);
      dim.record.begin = std::max(dim.record.begin, -left);
      dim.record.cut = std::max(dim.record.cut, -right);
    }
    dim.left = left;
    dim.record.first = -left;
    dim.extent = graph[below].extent;
    if (const DomainExpr *e = consumer(below);
        e && e->kind == DomainExpr::Kind::Window)
      return matchWindows(std::move(dim), *e, left, right);
    if (dim.kind == Class::Tile) {
      auto box = known(below);
      if (!box)
        return unknownExtent(graph, below, "the tile " + graph.str(below));
      dim.record.box = *box;
      dim.record.tileDomains = {below};
      dim.record.how = "implicit whole";
    } else {
      Result<Box> box = matchBox(below, dim);
      if (!box)
        return box.problem();
      dim.record.box = box->box;
      dim.record.elementStride = box->step;
      dim.record.first += box->shift;
      dim.record.group = box->group;
      dim.record.boxes = box->count;
      dim.record.tileDomains = box->tile;
      dim.record.how = !box->how.empty() ? box->how
                       : box->whole      ? "implicit whole"
                                         : "partitioning";
    }
    int64_t e = dim.record.elementStride;
    dim.record.tile = ceilDiv(dim.record.box, e);
    if (dim.kind == Class::Mixed || !dim.resized.empty()) {
      TmaSymbolicBoxes boxes{
          dim.record.size, dim.record.box,   e,          dim.record.begin,
          dim.record.cut,  dim.record.first, dim.extent, dim.record.group};
      dim.record.margin = strongMargin(boxes);
      for (int64_t k = 1; k < dim.record.boxes; ++k) {
        boxes.first += dim.record.box;
        dim.record.margin = min(dim.record.margin, strongMargin(boxes));
      }
    }
    if (straddles < 0)
      return dim;
    int64_t all = dim.record.group ? dim.record.group : dim.record.box;
    // Tiles go on across the boxes of `straddles`: one of the first box does,
    // and mixes where the second box has an element.
    if (!dim.resized.empty())
      return noSchedule(graph.str(top) + " is resized, and boxes of " +
                        std::to_string(all) + " do not divide " +
                        graph.str(straddles));
    dim.record.margin = max(graph[straddles].extent - dim.record.size,
                            Expr(0) - graph[straddles].extent % Expr(all));
    dim.mixes = ": a tile that begins in the first " +
                graph[straddles].extent.str() +
                " and goes on behind them holds elements of the next ones";
    return dim;
  }

private:
  struct Box {
    int64_t box = 1, step = 1;
    std::vector<DomainId> tile;
    bool whole = false; // The box is all of the domain.
    std::string how;
    // Where boxes are what is left of a domain of `group` elements: `count` of
    // them from `shift` on. `last`: up to its end. `placed`: the group is what
    // loops repeat.
    int64_t shift = 0, count = 1, group = 0;
    bool last = false, placed = false;
  };

  const DomainExpr *consumer(DomainId id) const {
    return graph[id].consumer < 0 ? nullptr
                                  : &graph.exprs()[graph[id].consumer];
  }
  std::optional<int64_t> known(DomainId id) const {
    auto n = graph[id].extent.constant();
    return n && *n >= 1 && *n <= int64_t(1) << 32 ? n : std::nullopt;
  }

  Result<Dim> matchWindows(Dim dim, const DomainExpr &window, int64_t left,
                           int64_t right) {
    DomainId p = window.out[0];
    Box box;
    if (classes[p] == Class::Tile) {
      auto n = known(p);
      if (!n)
        return unknownExtent(graph, p, "the tile " + graph.str(p));
      box.box = *n;
      box.tile = {p};
    } else {
      Result<Box> made = matchBox(p, dim);
      if (!made)
        return made.problem();
      box = *made;
      if (box.step != 1)
        return noSchedule(graph.str(window) +
                          ": windows of a tile follow one "
                          "another, these are " +
                          std::to_string(box.step) + " apart");
    }
    dim.record.tileDomains = box.tile;
    dim.record.group = box.group;
    dim.record.boxes = box.count;
    dim.record.first = box.shift;
    return boxWindows(graph, std::move(dim), window, box.box, left, right);
  }

  /// What is left of a domain in a box, `x`: boxes that divide it.
  Result<Box> matchCut(DomainId x, const DomainExpr &resize) {
    DomainId y = resize.out[0];
    auto fails = [&] {
      return noSchedule(graph.str(resize) +
                        ": a resize between the splits of a box");
    };
    const DomainExpr *e = consumer(y);
    if (resize.left > 0 || resize.right > 0 || !e ||
        e->kind != DomainExpr::Kind::Split ||
        graph.createsHoles(*e) != Tri::No ||
        classes[e->out[0]] != Class::Loop || classes[e->out[1]] != Class::Tile)
      return fails();
    auto all = known(x), count = known(e->out[0]), n = known(e->out[1]);
    if (!all || !count || !n)
      return fails();
    Box box;
    box.box = *n;
    box.tile = {e->out[1]};
    box.shift = -resize.left;
    box.count = *count;
    box.group = *all;
    box.last = resize.right == 0;
    return box;
  }

  Result<Box> matchBox(DomainId x, Dim &dim) {
    dim.inside.push_back(x);
    const DomainExpr *e = consumer(x);
    if (e && e->kind == DomainExpr::Kind::Resize)
      return matchCut(x, *e);
    if (!e || e->kind != DomainExpr::Kind::Split)
      return noSchedule((e ? graph.str(*e) : graph.str(x)) +
                        " stands between the TMA domain and a box");
    DomainId o = e->out[0], i = e->out[1];
    Class outer = classes[o], inner = classes[i];
    auto fails = [&](const std::string &why) {
      return noSchedule(graph.str(*e) + ": " + why);
    };
    auto n = known(i);
    Box box;
    if (outer == Class::Loop && inner == Class::Tile) {
      if (!n)
        return unknownExtent(graph, i, graph.str(*e) + ": the box");
      box.box = *n;
      box.tile = {i};
      return box;
    }
    if (outer == Class::Loop && inner == Class::Mixed) {
      Result<Box> sub = matchBox(i, dim);
      if (!sub || sub->whole) {
        if (sub)
          sub->whole = false;
        return sub;
      }
      if (sub->group > 0 && !sub->placed) {
        auto all = known(i);
        if (!all || sub->shift + sub->count * sub->box > *all)
          return fails("boxes go on behind the end of " + graph.str(i));
        sub->group = *all;
        sub->placed = true;
        return sub;
      }
      int64_t all = sub->group ? sub->group : sub->box;
      // The inner split's boxes go on across the outer one.
      if (isMultiple(graph[i].extent, all) != Tri::Yes && pixels &&
          straddles < 0 && sub->step == 1)
        straddles = i;
      else if (Tri divides = isMultiple(graph[i].extent, all);
               divides != Tri::Yes) {
        std::string why = graph.str(*consumer(i)) + ": boxes of " +
                          std::to_string(all) + " do not divide " +
                          graph.str(i) + ", so that they do not rotate left";
        if (divides == Tri::No || !assume)
          return noSchedule(why);
        needMultiple(dim.needs, graph[i].extent, all, why);
      }
      sub->how = "rotation left";
      return sub;
    }
    if (outer == Class::Tile && inner == Class::Loop) {
      auto all = known(x), elements = known(o);
      if (!n || !all || !elements)
        return fails("the box or its element stride has an extent that only a "
                     "launch knows");
      if (ceilDiv(*all, *n) != *elements)
        return fails("the tile is longer than box / element stride");
      box.box = *all;
      box.step = *n;
      box.tile = {o};
      box.whole = true;
      return box;
    }
    if (outer == Class::Mixed && n) {
      Result<Box> sub = matchBox(o, dim);
      if (!sub)
        return sub;
      if (straddles >= 0)
        return fails("boxes of " + std::to_string(sub->box) +
                     " do not divide " + graph.str(straddles) + " above it");
      if (inner == Class::Tile && sub->step != 1)
        return fails("elements are adjacent inside of " + graph.str(i) +
                     " and strided outside");
      if (std::max(sub->box, sub->group) > (int64_t(1) << 32) / *n)
        return fails("a box of more than 2^32 elements");
      sub->box *= *n;
      sub->shift *= *n;
      sub->group *= *n;
      if (inner == Class::Tile)
        sub->tile.push_back(i);
      else if (inner == Class::Loop)
        sub->step *= *n;
      if (inner == Class::Mixed)
        return fails("tile and loops on both sides");
      if (auto all = known(x);
          sub->last && !sub->placed && all && sub->count == 1) {
        // As below, of the last box.
        int64_t left = *all - sub->shift;
        if (ceilDiv(left, sub->step) == ceilDiv(sub->box, sub->step))
          sub->box = left;
      } else if (sub->whole) { // Not what is behind the last one.
        if (all && ceilDiv(*all, sub->step) == ceilDiv(sub->box, sub->step))
          sub->box = *all;
        sub->whole = all && sub->box == *all;
      }
      sub->how = "rotation right";
      return sub;
    }
    if (outer == Class::Mixed)
      return fails("an extent inside of a box that only a launch knows");
    return fails("loops stand between domains of the tile");
  }

  const DomainGraph &graph;
  const std::vector<Class> &classes;
  bool pixels, assume;
  /// What tiles of pixels do not divide.
  DomainId straddles = -1;
};
} // namespace

Result<Dim> titan::tma::matchDim(const DomainGraph &graph,
                                 const std::vector<Class> &classes,
                                 DomainId top, const Expr &stride, bool pixels,
                                 bool assume) {
  return Matcher(graph, classes, pixels, assume).match(top, stride);
}

//===----------------------------------------------------------------------===//
// All dimensions
//===----------------------------------------------------------------------===//

namespace {
/// A domain of the TMA domain, matched or not.
struct Entry {
  DomainId id;
  Expr stride;
  std::optional<Dim> dim;
};

struct Search {
  const DomainGraph &graph;
  const std::vector<Class> &classes;
  const std::vector<DomainId> &prescribed;
  /// Whether what only a launch can tell to divide does.
  bool assume = false;
  std::vector<View> found;
  std::optional<Problem> first;
  std::map<DomainId, Result<Dim>> matches;
  static constexpr size_t maxFound = 64;
  static constexpr int maxSteps = 4096;
  int steps = 0;

  void fail(const Problem &problem) {
    if (!first)
      first = problem;
  }

  /// Whether the outer one's stride is the inner one's whole extent; Unknown
  /// becomes a launch check.
  bool contiguous(const Entry &a, const Entry &b, Requirements &needs) const {
    if (graph[a.id].extent.is(1))
      return true;
    Expr whole = b.stride * graph[b.id].extent;
    Tri equal = areEqual(a.stride, whole);
    if (equal == Tri::Unknown)
      needs.atLeastZero(
          Code::TmaSchedule, Expr(0) - max(a.stride - whole, whole - a.stride),
          "globalStrides",
          graph.str(a.id) + " and " + graph.str(b.id) +
              " are merged, but their strides " + a.stride.str() + " and " +
              b.stride.str() + " are not contiguous",
          "pass a tensor in which " + a.stride.str() + " is " + whole.str() +
              " (bytes), or do not merge: give each a loop or a "
              "part of the tile");
    return equal != Tri::No;
  }

  /// Merges what the schedule merges; false where that is refused.
  bool merge(std::vector<Entry> &list, Requirements &needs) {
    for (size_t k = 0; k < list.size();) {
      const Entry &a = list[k];
      const DomainExpr *e = consumerOf(a);
      // Windows of one element each, next to one another, are their elements.
      if (e && !isPrescribed(a.id) && e->kind == DomainExpr::Kind::Window &&
          e->filter == 1 && e->stride == 1) {
        list[k].id = e->out[0];
        k = 0;
        continue;
      }
      if (!e || isPrescribed(a.id) || e->kind != DomainExpr::Kind::Merge ||
          e->in[0] != a.id) {
        ++k;
        continue;
      }
      size_t other = 0;
      while (other < list.size() && list[other].id != e->in[1])
        ++other;
      if (other == list.size()) {
        ++k;
        continue;
      }
      if (other != k + 1 || !contiguous(a, list[other], needs)) {
        fail(noSchedule(graph.str(*e) + ": strides " + a.stride.str() +
                        " and " + list[other].stride.str() +
                        " are not contiguous"));
        return false;
      }
      Entry merged{e->out[0], list[other].stride, std::nullopt};
      list.erase(list.begin() + static_cast<ptrdiff_t>(k));
      list[k] = merged;
      k = 0;
    }
    return true;
  }

  const DomainExpr *consumerOf(const Entry &e) const {
    bool view = !prescribed.empty() && !isPrescribed(e.id);
    if (e.dim || (classes[e.id] != Class::Mixed && !view) ||
        graph[e.id].consumer < 0)
      return nullptr;
    return &graph.exprs()[graph[e.id].consumer];
  }

  bool isPrescribed(DomainId id) const {
    return std::count(prescribed.begin(), prescribed.end(), id) > 0;
  }

  /// What a dimension is, or why it is none: the same wherever it is asked.
  const Result<Dim> &matched(const Entry &entry) {
    auto [it, isNew] = matches.try_emplace(
        entry.id,
        noSchedule(graph.str(entry.id) + " is not in the prescribed TMA "
                                         "domain"));
    if (isNew && (prescribed.empty() || isPrescribed(entry.id)))
      it->second = matchDim(graph, classes, entry.id, entry.stride,
                            /*pixels=*/false, assume);
    return it->second;
  }

  /// The split whose halves are dimensions instead.
  const DomainExpr *viewOf(const Entry &entry) const {
    const DomainExpr *e = consumerOf(entry);
    return e && !isPrescribed(entry.id) && e->kind == DomainExpr::Kind::Split &&
                   graph.createsHoles(*e) == Tri::No
               ? e
               : nullptr;
  }
  static Entry outerOf(const DomainGraph &graph, const Entry &entry,
                       const DomainExpr &e) {
    return {e.out[0], entry.stride * graph[e.out[1]].extent, std::nullopt};
  }

  /// Whether neither it nor its halves are dimensions, whatever the others are.
  bool hopeless(const Entry &entry) {
    if (entry.dim || matched(entry))
      return false;
    const DomainExpr *e = consumerOf(entry);
    if (e && (e->kind == DomainExpr::Kind::Merge ||
              e->kind == DomainExpr::Kind::Window))
      return false;
    const DomainExpr *view = viewOf(entry);
    if (!view || hopeless(outerOf(graph, entry, *view)) ||
        hopeless({view->out[1], entry.stride, std::nullopt})) {
      fail(matched(entry).problem());
      return true;
    }
    return false;
  }

  void solve(std::vector<Entry> list, Requirements needs) {
    if (found.size() >= maxFound || ++steps > maxSteps || !merge(list, needs))
      return;
    size_t k = 0;
    while (k < list.size() && (list[k].dim || (consumerOf(list[k]) &&
                                               consumerOf(list[k])->kind ==
                                                   DomainExpr::Kind::Merge)))
      ++k;
    if (k == list.size()) {
      View view;
      for (Entry &e : list) {
        if (!e.dim) {
          fail(noSchedule(
              graph.str(*consumerOf(e)) +
              ": its other input is no dimension of the TMA domain"));
          return;
        }
        view.dims.push_back(*e.dim);
        for (const LaunchCheck &check : e.dim->needs.checks)
          needs.checks.push_back(check);
      }
      view.needs = std::move(needs);
      found.push_back(std::move(view));
      return;
    }
    for (const Entry &e : list)
      if (hopeless(e))
        return;
    Entry entry = list[k];
    if (const Result<Dim> &dim = matched(entry)) {
      std::vector<Entry> next = list;
      next[k].dim = *dim;
      solve(std::move(next), needs);
    } else {
      fail(dim.problem());
    }
    // As a view: two dimensions where the split divides.
    const DomainExpr *e = viewOf(entry);
    if (!e)
      return;
    list[k] = outerOf(graph, entry, *e);
    list.insert(list.begin() + static_cast<ptrdiff_t>(k) + 1,
                Entry{e->out[1], entry.stride, std::nullopt});
    solve(std::move(list), std::move(needs));
  }
};
} // namespace

Result<std::vector<View>>
titan::tma::inferViews(const TmaSchedule &schedule,
                       const std::vector<Class> &classes) {
  Search search{schedule.graph, classes, schedule.tmaDomain};
  std::vector<Entry> list;
  for (const TmaGlobalDim &d : schedule.global)
    list.push_back({d.domain, d.stride, std::nullopt});
  search.solve(list, {});
  // Where there is no way else, one under sizes that the launch has to give.
  if (search.found.empty() && search.steps <= Search::maxSteps) {
    Search assuming{schedule.graph, classes, schedule.tmaDomain, true};
    assuming.solve(std::move(list), {});
    search.found = std::move(assuming.found);
  }
  Result<std::optional<View>> pixels = inferIm2col(schedule, classes);
  if (search.found.empty() && search.steps > Search::maxSteps)
    search.first =
        Problem{"undecided",
                "no way to see the tensor as at most " +
                    std::to_string(TensorMap::maxRank) +
                    " dimensions was "
                    "found in " +
                    std::to_string(Search::maxSteps) +
                    " steps; prescribe the TMA domain (map), or merge what is "
                    "split. First refused: " +
                    search.first->message};
  if (pixels && !*pixels)
    return search.found.empty() ? Result<std::vector<View>>(*search.first)
                                : std::move(search.found);
  // Pixels of windows of one element may be rows of a matrix.
  std::erase_if(search.found,
                [](const View &v) { return !v.needs.checks.empty(); });
  if (!search.found.empty())
    return std::move(search.found);
  if (!pixels)
    return pixels.problem();
  return std::vector<View>{**pixels};
}

std::optional<Dim> titan::tma::composite(const DomainGraph &graph,
                                         const Dim &outer, const Dim &inner) {
  const TmaDimension &a = outer.record, &b = inner.record;
  bool moved = inner.left != 0 || b.begin != 0 || b.cut != 0 ||
               !inner.resized.empty() || inner.slides ||
               inner.kind == Class::Mixed;
  auto n = b.size.constant();
  if (moved || areEqual(a.stride, b.stride * b.size) != Tri::Yes)
    return std::nullopt;
  Dim dim = outer;
  dim.record.domains.insert(dim.record.domains.end(), b.domains.begin(),
                            b.domains.end());
  dim.record.stride = b.stride;
  dim.record.size = a.size * b.size;
  dim.record.how = "compositing";
  dim.tops.insert(dim.tops.end(), inner.tops.begin(), inner.tops.end());
  if (inner.kind == Class::Loop)
    return outer.kind == Class::Loop ? std::optional(dim) : std::nullopt;
  // Tile inside: the outer tile's elements become adjacent blocks.
  if (!n || a.elementStride != 1 || !outer.resized.empty())
    return std::nullopt;
  dim.kind = outer.kind == Class::Tile ? Class::Tile : Class::Mixed;
  dim.record.box = a.box * *n;
  dim.record.first = a.first * *n;
  dim.record.group = a.group * *n;
  dim.record.tile = dim.record.box;
  dim.record.tileDomains.insert(dim.record.tileDomains.end(),
                                b.tileDomains.begin(), b.tileDomains.end());
  dim.extent = outer.extent * inner.extent;
  // Boxes of whole blocks never mix.
  dim.record.margin = 0;
  return dim;
}

//===----------------------------------------------------------------------===//
// Indices in numbers
//===----------------------------------------------------------------------===//

bool titan::tma::followIndices(const std::vector<const DomainExpr *> &exprs,
                               const std::vector<int64_t> &extent,
                               std::vector<int64_t> &at) {
  for (const DomainExpr *e : exprs) {
    int64_t x = at[e->in[0]];
    switch (e->kind) {
    case DomainExpr::Kind::Split:
      at[e->out[0]] = x / extent[e->out[1]];
      at[e->out[1]] = x % extent[e->out[1]];
      break;
    case DomainExpr::Kind::Merge:
      at[e->out[0]] = x * extent[e->in[1]] + at[e->in[1]];
      break;
    case DomainExpr::Kind::Resize:
      at[e->out[0]] = x + e->left;
      if (x + e->left < 0 || x + e->left >= extent[e->out[0]])
        return false;
      break;
    case DomainExpr::Kind::Swizzle:
      at[e->out[0]] = x;
      at[e->out[1]] = x ^ at[e->in[1]];
      break;
    case DomainExpr::Kind::Window:
      break;
    }
  }
  return true;
}
