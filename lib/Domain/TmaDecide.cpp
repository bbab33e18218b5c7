//===- TmaDecide.cpp - Level and predicate of a candidate -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TmaCandidate.h"
#include "titan/Domain/Theorems.h"

#include <algorithm>
#include <set>

using namespace titan;
using namespace titan::tma;

/// Says of a tile that no mixing spoils whether it has a valid element: whether
/// these domains are in bounds at its first element at or after `begin`
/// (Theorems.h: the valid part is an interval; of windows it begins with the
/// first one). Where neither resizes nor a box's end make single elements
/// holes, all elements are one like another.
std::vector<TmaBound>
Lowering::boundsOf(const Dim &d, const std::vector<DomainId> &domains) const {
  if (domains.empty())
    return {};
  const TmaDimension &t = d.record;
  bool ragged = !d.resized.empty() || t.box % t.elementStride != 0 || d.pixels;
  // A loop inside of the box that is swizzled with one that is out of bounds
  // moves the tile before the box.
  for (DomainId id : d.inside) {
    const DomainExpr &e = g.exprs()[g[id].consumer];
    if (e.kind != DomainExpr::Kind::Split ||
        work.classes[e.out[0]] == Class::Loop ||
        work.classes[e.out[1]] != Class::Loop)
      continue;
    auto low = rangeOf(*index[e.out[1]], most).least.constant();
    ragged = ragged || !low || *low < 0;
  }
  Expr start = *index[d.tops.front()], first = 0;
  auto least = rangeOf(start, most).least.constant();
  if (ragged && !d.slides && (!least || *least < t.begin))
    first = max(0, ceilDiv(Expr(t.begin) - start, Expr(t.elementStride)));
  std::vector<TmaBound> bounds;
  DomainIndices at = index;
  if (!first.is(0)) {
    DomainIndices known(g.size());
    for (DomainId id : g.leaves())
      known[id] = index[id];
    Expr rest = first;
    for (size_t k = t.tileDomains.size(); k-- > 1;) {
      const Expr &n = g[t.tileDomains[k]].extent;
      known[t.tileDomains[k]] = rest % n;
      rest = rest / n;
    }
    known[t.tileDomains.front()] = rest;
    at = g.indices(std::move(known));
    // What stands before `begin` may be data: then that element has to be one
    // of the tile and of the tensor.
    if (t.begin > 0) {
      bounds.push_back({first, t.tile});
      bounds.push_back({*at[d.tops.front()], t.size});
    }
  }
  for (DomainId id : domains)
    bounds.push_back({*at[id], g[id].extent});
  return bounds;
}

std::vector<TmaTileStarts> titan::tma::startsOf(const Dim &dim) {
  const TmaDimension &t = dim.record;
  int64_t step = t.group ? t.group : t.box;
  std::vector<TmaTileStarts> starts;
  for (int64_t k = 0; k < (t.group ? t.boxes : 1); ++k)
    starts.push_back(
        {t.first + k * t.box, step, ceilDiv(dim.extent, Expr(step))});
  return starts;
}

Mixing titan::tma::mixingOf(const Dim &dim) {
  const TmaDimension &t = dim.record;
  Mixing m{t.margin};
  auto size = t.size.constant(), extent = dim.extent.constant();
  if (size && extent && t.margin.is(-1) && dim.mixes.empty())
    for (const TmaTileStarts &starts : startsOf(dim))
      if (!m.example)
        m.example = findMixedTile(
            {*size, t.box, t.elementStride, t.begin,
             std::max<int64_t>(*size - t.cut, 0)},
            {*starts.first.constant(), starts.step, *starts.count.constant()});
  return m;
}

/// Where resizes leave nothing of some dimension, there is no valid element,
/// and nothing mixes.
std::vector<Mixing> Lowering::mixing(const std::vector<Dim> &dims) const {
  bool windows =
      std::any_of(g.exprs().begin(), g.exprs().end(), [](const DomainExpr &e) {
        return !e.removed && e.kind == DomainExpr::Kind::Window;
      });
  bool store = s.direction != TmaDirection::Load;
  if ((cutLoops || store) && !windows)
    return mixingOf(g, work.classes, dims, store);
  Expr empty = -1; // >= 0: so it is.
  for (const Dim &d : dims)
    if (d.record.begin > 0 || d.record.cut > 0)
      empty = max(empty, Expr(d.record.begin + d.record.cut) - d.record.size);
  auto known = empty.constant();
  std::vector<Mixing> result;
  for (const Dim &d : dims) {
    result.push_back(mixingOf(d));
    if (!known || *known >= 0)
      result.back().margin = max(result.back().margin, empty);
    if (cutLoops && !result.back().margin.is(0))
      result.back().unknown = "a resize cuts off some, and there are windows";
  }
  return result;
}

/// Where a copy is all fill. Of pixels each start in the bounding box is the
/// same.
static std::vector<int64_t> outsideOf(const TmaLowering &low) {
  TensorMap map;
  map.mode = low.mode;
  map.rank = static_cast<int>(low.dims.size());
  map.type = low.type;
  map.im2col = low.im2col;
  std::vector<int64_t> start = {0};
  for (size_t d = 0; d < low.im2colOffsets.size(); ++d)
    start.push_back(low.im2col.lower[d]);
  for (size_t d = 0; d < low.box.size(); ++d)
    map.box[d] = low.box[d];
  return outsideCoordinates(map, start);
}

/// No store starts at a negative coordinate: tiles that do and hold nothing
/// are left out by the predicate, others are an error.
void Lowering::requireStarts(Candidate &c, const std::vector<Mixing> &mixed,
                             std::vector<TmaBound> &predicate) const {
  for (size_t k = c.dims.size(); k-- > 0;) {
    const Dim &d = c.dims[k];
    Expr start = linear(d);
    if (auto n = rangeOf(start, most).least.constant(); n && *n >= 0)
      continue;
    const Mixing &m = mixed[k];
    std::string at = "tensorCoords[" +
                     number(static_cast<int64_t>(c.dims.size() - 1 - k)) + "]";
    std::string text = "a store starts at a negative coordinate, " +
                       start.str() +
                       ", in a tile that holds elements of the tensor";
    if (!m.unknown.empty())
      text +=
          "; whether the loops ever get there cannot be decided: " + m.unknown;
    c.needs.atLeastZero(
        m.unknown.empty() ? Code::TmaStoreNegative : Code::Undecided, m.starts,
        at, text,
        m.unknown.empty() ? "let the tiles of a store begin with the "
                            "dimension: no resize of it adds elements before "
                            "the first, in tiles that hold others"
                          : "");
    predicate.push_back({start, d.record.size});
    c.low.why.push_back("predicate: " + start.str() +
                        " may be negative, where no store may start");
  }
}

/// Where boxes begin and end along a dimension.
static std::string edgesOf(const TmaDimension &t) {
  int64_t step = t.group ? t.group : t.box, inside = t.group ? t.boxes : 0;
  std::set<int64_t> edges; // Modulo the step.
  for (int64_t k = 0; k <= inside; ++k)
    edges.insert(euclidMod(t.first + k * t.box, step));
  std::string text;
  size_t n = edges.size(), seen = 0;
  for (int64_t edge : edges) {
    if (++seen > 3 && seen < n)
      continue;
    text += (seen == 1  ? ""
             : seen < n ? ", "
             : n > 4    ? " and so on to "
                        : " or ") +
            number(edge);
  }
  if (n == 1 && *edges.begin() == 0)
    return "multiples of " + number(step);
  return text + " behind multiples of " + number(step);
}

/// What to change so that no tile of a dimension mixes.
std::string Lowering::fixOfMixing(const Dim &d, bool load) const {
  const TmaDimension &t = d.record;
  std::string box = number(t.box), stride = number(t.elementStride), fix;
  bool own = !d.slides && d.mixes.empty() && t.group == 0;
  if (own && t.box % t.elementStride != 0) {
    int64_t below = t.box / t.elementStride * t.elementStride;
    fix = "take boxes of " + (below ? number(below) + " or " : std::string()) +
          number(below + t.elementStride) + " instead of " + box +
          ", which the element stride " + stride + " divides";
    bool plain =
        t.domains.size() == 1 && t.begin == 0 && t.cut == 0 && t.first == 0;
    if (plain && t.size.kind() == Expr::Kind::Symbol)
      fix += "; or say that " + t.size.name() + " is a multiple of " + box +
             " (in the schedule: size " + t.size.name() + " multiple " + box +
             (s.tmaDomain.empty() ? ")" : ", and no map)");
  } else if ((t.begin > 0 || t.cut > 0) && !d.slides && d.mixes.empty() &&
             t.box % t.elementStride == 0) {
    fix = std::string(t.cut == 0     ? "begin"
                      : t.begin == 0 ? "end"
                                     : "begin and end") +
          " what the resize leaves of the dimension where boxes begin or end, "
          "at " +
          edgesOf(t);
  }
  if (d.slides && !d.resized.empty()) {
    std::string windows = g.str(d.resized.front());
    fix = "let the windows " + windows + " be a multiple of " + number(t.tile) +
          ", or take a box that divides them; or merge them with N (and the "
          "windows of the other dimensions) into pixels, and split those: "
          "im2col knows where windows end";
  }
  if (load && !fix.empty())
    fix += "; or ask for weak, where no reduction reads the holes";
  return fix;
}

namespace {
/// Of the copies that the loops of a predicate make, those that it lets be
/// done.
struct Share {
  int64_t copies = 1, done = 1;
};
} // namespace

/// Bounds that have loops in common are counted together, through all their
/// iterations. Those that only a launch decides, or that make these more than
/// `most`, are taken to hold.
static Share shareOf(const std::vector<TmaBound> &predicate,
                     const std::vector<TmaLoop> &loops) {
  constexpr int64_t most = 1 << 14, mostCopies = int64_t(1) << 40;
  struct Group {
    std::map<std::string, int64_t> loops; // And their extents.
    std::vector<const TmaBound *> bounds;
    int64_t iterations() const { // most + 1: too many.
      int64_t all = 1;
      for (auto &[name, n] : loops)
        all = n <= most / all ? all * n : most + 1;
      return all;
    }
  };
  std::vector<Group> each, groups;
  for (const TmaBound &b : predicate) {
    Group group{{}, {&b}};
    bool known = true;
    auto look = [&](const std::string &name) {
      auto it = std::find_if(loops.begin(), loops.end(),
                             [&](const TmaLoop &l) { return l.index == name; });
      auto n = it == loops.end() ? std::nullopt : it->extent.constant();
      known = known && n;
      if (n)
        group.loops[name] = *n;
      return false; // Go on.
    };
    b.index.mentions(look);
    b.extent.mentions(look);
    if (known)
      each.push_back(std::move(group));
  }
  std::stable_sort(each.begin(), each.end(), [](const auto &a, const auto &b) {
    return a.iterations() < b.iterations();
  });
  for (Group &group : each) {
    std::vector<Group> apart;
    for (const Group &other : groups)
      if (std::any_of(other.loops.begin(), other.loops.end(),
                      [&](auto &l) { return group.loops.count(l.first); })) {
        group.loops.insert(other.loops.begin(), other.loops.end());
        group.bounds.insert(group.bounds.end(), other.bounds.begin(),
                            other.bounds.end());
      } else {
        apart.push_back(other);
      }
    if (group.iterations() > most)
      continue;
    apart.push_back(std::move(group));
    groups = std::move(apart);
  }
  Share share;
  for (const Group &group : groups) {
    int64_t copies = group.iterations(), done = 0;
    if (share.copies > mostCopies)
      break;
    for (int64_t k = 0; k < copies; ++k) {
      Expr::Bindings at;
      int64_t rest = k;
      for (auto &[name, n] : group.loops) {
        at[name] = rest % n;
        rest /= n;
      }
      done += std::all_of(
          group.bounds.begin(), group.bounds.end(), [&](const TmaBound *b) {
            auto index = b->index.evaluate(at), extent = b->extent.evaluate(at);
            return !index || !extent || (0 <= *index && *index < *extent);
          });
    }
    share.copies *= copies;
    share.done *= done;
  }
  return share;
}

/// Level and predicate.
void Lowering::decide(Candidate &c) const {
  TmaLowering &low = c.low;
  bool load = s.direction == TmaDirection::Load;
  std::vector<DomainId> partitioned;
  for (const Dim &d : c.dims)
    partitioned.push_back(d.tops.front());
  if (low.mode == TmaMode::Im2col) // Each dimension of the tensor is checked.
    partitioned = g.roots();
  std::vector<bool> is = tmaProtected(g, partitioned);

  // What makes holes that the hardware does not see.
  std::vector<DomainId> test;
  std::vector<std::string> unseen;
  for (const DomainExpr &e : g.exprs()) {
    if (e.removed || is[e.in[0]])
      continue;
    Tri holes = g.createsHoles(e);
    if (holes == Tri::No)
      continue;
    unseen.push_back(g.str(e) + (holes == Tri::Yes ? " makes" : " may make") +
                     " holes, and " + g[e.in[0]].name +
                     " is not protected by the tensor's bounds");
    low.level = 2;
    test.push_back(e.in[0]);
  }
  // Domains whose bounds follow from those of the others need no test.
  test = g.withoutImplied(std::move(test));
  std::vector<TmaBound> predicate;
  for (DomainId id : test)
    if (work.classes[id] == Class::Loop)
      predicate.push_back({*index[id], g[id].extent});
  for (const Dim &d : c.dims) {
    std::vector<DomainId> own;
    for (DomainId id : test)
      if (std::count(d.inside.begin(), d.inside.end(), id))
        own.push_back(id);
    for (TmaBound &b : boundsOf(d, own))
      predicate.push_back(std::move(b));
  }
  std::erase_if(predicate, [&](const TmaBound &b) { return isSure(b, most); });

  // The fundamental theorem.
  std::vector<Mixing> mixed = mixing(c.dims);
  bool strong = !load || s.wanted == Correctness::Strong;
  for (size_t k = c.dims.size(); k-- > 0;) {
    const Dim &d = c.dims[k];
    const Mixing &m = mixed[k];
    auto margin = m.margin.constant();
    bool mixes = margin && *margin < 0;
    if (!mixes && (!strong || m.margin.is(0)))
      continue;
    std::string text = "dimension " +
                       number(static_cast<int64_t>(c.dims.size() - 1 - k)) +
                       ", " + g.str(d.record.domains[0]) + ": boxes of " +
                       number(d.record.box) + " with element stride " +
                       number(d.record.elementStride);
    text += d.mixes;
    if (m.example)
      text += ": the tile at coordinate " +
              number(m.example->start + m.example->offset) + " holds element " +
              number(m.example->valid) + " and, in a hole" +
              (strong ? std::string(" that has to be ") +
                            (load ? "filled" : "left alone")
                      : "") +
              ", element " + number(m.example->hole);
    if (!m.unknown.empty())
      text +=
          "; whether the loops ever get there cannot be decided: " + m.unknown;
    if (mixes) {
      low.level = 3;
      low.why.push_back("level 3: " + text);
    }
    if (!strong)
      continue;
    bool known = m.unknown.empty();
    c.needs.atLeastZero(known ? Code::TmaStrong : Code::Undecided, m.margin, "",
                        text, known ? fixOfMixing(d, load) : "");
  }
  // One answer: what makes level 3 counts, and not what would be level 2.
  for (const std::string &line : unseen)
    low.why.push_back((low.level == 2 ? "level 2: " : "") + line);
  if (!load) {
    requireWeakStore({low.dims[0], s.type->bits, s.tailIsPadding, {}}, c.needs);
    requireStarts(c, mixed, predicate);
  }

  int64_t bytes = low.thenBytes;
  if (!load)
    low.thenBytes = 0; // Stores complete by bulk groups.
  bool worth = s.traffic == TmaTraffic::Save;
  if (s.traffic == TmaTraffic::Worth && !strong && !predicate.empty()) {
    Share share = shareOf(predicate, loops);
    int64_t holes = share.copies - share.done;
    worth = holes * 8 >= share.copies;
    low.why.push_back("traffic: " +
                      (holes == 0    ? "no copies"
                       : !share.done ? "all copies"
                                     : "of every " + number(share.copies) +
                                           " copies " + number(holes)) +
                      " are known to move nothing but holes, " +
                      (worth ? "an eighth or more: a predicate saves them"
                             : "less than an eighth: they are let be"));
  }
  if (predicate.empty() || (!strong && !worth)) {
    low.why.push_back(
        low.level == 1 ? "level 1: holes lie outside of the tensor, where the "
                         "hardware fills (loads) or writes nothing"
        : !predicate.empty() ? "no predicate: weak correctness does without"
        : s.traffic == TmaTraffic::Ignore || strong
            ? "no predicate: it would hold in every iteration"
            : "no predicate: it would hold in every iteration; what lies "
              "outside of the tensor needs none, the hardware reads nothing "
              "there");
    return;
  }
  low.predicate = std::move(predicate);
  low.otherwise = strong && load ? TmaElse::Fill : TmaElse::Skip;
  if (low.otherwise == TmaElse::Fill) {
    low.outside = outsideOf(low);
    low.elseBytes = bytes;
    low.why.push_back("else: the box is copied from outside of the tensor, all "
                      "fill; the barrier gets as many bytes");
  } else {
    low.why.push_back(load ? "else: nothing is copied, no bytes are expected"
                           : "else: nothing is stored");
  }
}
