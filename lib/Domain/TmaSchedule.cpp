//===- TmaSchedule.cpp - From a schedule to tensor copies -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/TmaSchedule.h"

#include "TmaCandidate.h"

#include <algorithm>
#include <map>

using namespace titan;
using namespace titan::tma;

static Problem problemOf(const TmaViolation &v) {
  return {std::string(codeInfo(v.code).code),
          v.field.empty() ? v.message : v.field + ": " + v.message, v.fix};
}

/// The whole schedule is well formed.
static std::optional<Problem> checkSchedule(const TmaSchedule &s) {
  auto invalid = [](const std::string &why) {
    return Problem{"domain-invalid", why};
  };
  if (!s.type || !s.swizzle)
    return invalid("a schedule needs an element type and a swizzle "
                   "(findTmaType and findTmaSwizzle give null for a name that "
                   "they do not know)");
  constexpr int maxDomains = 256;
  if (s.graph.size() > maxDomains)
    return invalid("a schedule has at most " + number(maxDomains) +
                   " domains, not " + number(s.graph.size()));
  std::vector<DomainId> roots = s.graph.roots(), given;
  for (const TmaGlobalDim &d : s.global)
    given.push_back(d.domain);
  std::sort(given.begin(), given.end());
  if (given != roots)
    return invalid("the tensor's dimensions are not the roots of the graph, "
                   "each once");
  if (s.global.empty() || s.bulk.empty())
    return invalid("a tensor copy needs a dimension and a bulk leaf");
  if (s.type->bits < 8)
    return Problem{"not-supported-yet",
                   "schedules of packed types are not inferred yet"};
  if (s.sharedAlignment < 1)
    return invalid("an alignment below 1");
  if (auto problem = s.graph.checkExtents())
    return problem;
  for (const TmaGlobalDim &d : s.global)
    if (d.stride.isUndefined() || d.stride.size() > Expr::maxSize)
      return invalid("the stride of " + s.graph.str(d.domain) +
                     (d.stride.isUndefined()
                          ? " has no value: a division by 0, or more than 64 "
                            "bits"
                          : " is an expression of more than " +
                                number(Expr::maxSize) + " terms"));
  for (DomainId id : s.shared)
    if (id < 0 || id >= s.graph.size() || s.graph[id].removed)
      return invalid("the buffer names domain " + number(id) +
                     ", which there is not");
  auto twice = [](std::vector<DomainId> list) {
    std::sort(list.begin(), list.end());
    auto it = std::adjacent_find(list.begin(), list.end());
    return it == list.end() ? -1 : *it;
  };
  for (auto [name, list] :
       {std::pair("the tile", &s.bulk),
        std::pair("the prescribed TMA domain", &s.tmaDomain),
        std::pair("the buffer", &s.shared)})
    if (DomainId id = twice(*list); id >= 0 && id < s.graph.size())
      return invalid(std::string(name) + " has " + s.graph.str(id) + " twice");
  // Indices are symbols beside the launch's sizes.
  std::map<std::string, DomainId> names;
  for (DomainId id : s.graph.leaves())
    if (auto [it, isNew] = names.emplace(indexName(s.graph[id].name), id);
        !isNew)
      return Problem{"domain-invalid",
                     s.graph.str(id) + " and " + s.graph.str(it->second) +
                         " have the same index, " + it->first,
                     "give one of them another name: the index of a domain is "
                     "its name in lower case"};
  DomainId clash = -1;
  auto look = [&](const Expr &e) {
    e.mentions([&](const std::string &n) {
      auto it = names.find(n);
      clash = clash < 0 && it != names.end() ? it->second : clash;
      return clash >= 0;
    });
  };
  look(s.address);
  for (DomainId id = 0; id < s.graph.size(); ++id)
    look(s.graph[id].extent);
  for (const TmaGlobalDim &d : s.global)
    look(d.stride);
  if (clash >= 0)
    return Problem{"domain-invalid",
                   "the index of " + s.graph.str(clash) + ", " +
                       indexName(s.graph[clash].name) +
                       ", has the name of a size",
                   "give one of them another name: the index of a domain is "
                   "its name in lower case"};
  return std::nullopt;
}

/// Domains of the tile with `tileExtent` become tiles of that many elements
/// (TmaSchedule.h). `single`: the outer halves; `checks`: that they are of one
/// index.
static std::optional<Problem> holdTiles(TmaSchedule &s,
                                        std::set<DomainId> &single,
                                        std::vector<LaunchCheck> &checks) {
  DomainGraph &g = s.graph;
  for (auto [id, holds] : std::exchange(s.tileExtent, {})) {
    if (std::count(s.bulk.begin(), s.bulk.end(), id) == 0)
      return Problem{"domain-invalid", "domain " + number(id) +
                                           " has an extent in the tile, but is "
                                           "not in bulk"};
    std::string name = g[id].name;
    Expr extent = g[id].extent;
    auto known = extent.constant();
    if (holds < 1 || holds > int64_t(1) << 32 || (known && *known > holds))
      return Problem{"domain-invalid",
                     "the tile holds " + number(holds) + " elements of " +
                         g.str(id),
                     known ? "let it hold " + number(*known) + " or more"
                           : "let it hold at least 1"};
    if (known && *known == holds)
      continue;
    auto halves = g.splitInner(id, holds);
    if (!halves)
      return halves.problem();
    g.rename(halves->first, name + ".out");
    g.rename(halves->second, name + ".tile");
    for (auto *list : {&s.bulk, &s.shared})
      std::replace(list->begin(), list->end(), id, halves->second);
    single.insert(halves->first);
    if (!known)
      checks.push_back(
          {Code::TmaSchedule, Expr(holds) - extent, "",
           "the tile holds " + number(holds) + " elements of " + g.str(id),
           "pass sizes that fit, or let the tile hold more"});
  }
  return std::nullopt;
}

/// The tile fits, and so does what a barrier has to count for it.
static std::optional<Problem> checkBytes(const TmaSchedule &s,
                                         const TargetInfo &target) {
  int64_t bytes = s.type->bits / 8;
  std::string shape;
  for (DomainId id : s.bulk) {
    shape += (shape.empty() ? "" : " x ") + s.graph.str(id);
    // What is not known is refused where it is matched.
    if (__builtin_mul_overflow(bytes, s.graph[id].extent.constant().value_or(1),
                               &bytes))
      bytes = INT64_MAX;
  }
  bool all = bytes == INT64_MAX;
  std::string text = "a tile of " + shape + " has " +
                     (all ? "2^63 bytes or more" : number(bytes) + " bytes");
  if (s.direction == TmaDirection::Load && bytes > target.mbarrierMaxTx)
    return Problem{"barrier-range", text + "; a barrier counts at most " +
                                        number(target.mbarrierMaxTx) +
                                        " in one phase"};
  if (bytes > target.sharedBytesPerCta)
    return Problem{"shared-memory-limit",
                   text + "; the shared memory of a CTA has at most " +
                       number(target.sharedBytesPerCta)};
  return std::nullopt;
}

/// Indices are expressions over the loops' that can be written down.
static std::optional<Problem> checkIndices(const Work &work) {
  const DomainGraph &g = work.s.graph;
  DomainIndices known(g.size());
  for (DomainId id : g.leaves())
    known[id] =
        work.classes[id] == Class::Tile ? Expr(0) : Expr::symbol(g[id].name);
  DomainIndices index = g.indices(std::move(known));
  for (DomainId id = 0; id < g.size(); ++id)
    if (index[id] && index[id]->size() > Expr::maxSize)
      return Problem{"tma-schedule",
                     "the index of " + g.str(id) + " is an expression of " +
                         (index[id]->size() == INT64_MAX
                              ? "2^63"
                              : number(index[id]->size())) +
                         " terms, more than " + number(Expr::maxSize) +
                         ": its loops are merged and split over again"};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// All choices
//===----------------------------------------------------------------------===//

/// Every view, with every set of compositions of neighbours.
static Result<Candidate> choose(const Work &work, const TargetInfo &target) {
  Result<std::vector<View>> views = inferViews(work.s, work.classes);
  if (!views)
    return views.problem();
  const DomainGraph &g = work.s.graph;
  Lowering lowering(work, target);
  std::optional<Candidate> best;
  int64_t apart = 0;
  // Candidates cost time in their dimensions and in the graph.
  int64_t seen = 0, spent = 0;
  constexpr int64_t maxSpent = int64_t(1) << 16;
  auto take = [&](std::vector<Dim> dims, const Requirements &needs,
                  int merges) {
    // Dimensions of extent 1 that make no holes need no place in the map.
    for (size_t k = dims.size();
         k-- > 0 && dims.size() > 1 && work.s.tmaDomain.empty();) {
      DomainId id = dims[k].tops.front();
      if (dims[k].tops.size() == 1 && dims[k].record.size.is(1) &&
          g[id].consumer < 0)
        dims.erase(dims.begin() + static_cast<ptrdiff_t>(k));
    }
    ++seen;
    spent += static_cast<int64_t>(dims.size()) + g.size() / 2;
    if (best && static_cast<int>(dims.size()) > target.tmaMaxRank)
      return; // The first one says so.
    Candidate c = lowering.lower(std::move(dims), needs, merges);
    if (merges == 0 && c.needs.ok() && (apart == 0 || c.pieces.copies < apart))
      apart = c.pieces.copies;
    if (!best || c.better(*best))
      best = std::move(c);
  };
  auto compose = [&](auto &self, const std::vector<Dim> &dims, size_t from,
                     const Requirements &needs, int merges) -> void {
    if (spent >= maxSpent)
      return; // We have looked long enough.
    take(dims, needs, merges);
    bool perfect =
        best->needs.ok() && best->pieces.copies == 1 && best->low.level == 1;
    if (perfect)
      return; // Nothing is better.
    for (size_t k = from;
         k + 1 < dims.size() && work.s.tmaDomain.empty() && spent < maxSpent;
         ++k) {
      // Under a swizzle the innermost tile is the image's row.
      if (work.s.swizzle->span != 0 && k + 2 == dims.size() &&
          dims[k].kind != Class::Loop)
        continue;
      if (auto one = composite(g, dims[k], dims[k + 1])) {
        std::vector<Dim> fewer = dims;
        fewer[k] = *one;
        fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(k) + 1);
        self(self, fewer, k, needs, merges + 1);
      }
    }
  };
  for (const View &view : *views)
    if (view.im2col)
      best = lowering.lower(view.dims, view.needs, 0, view.im2col);
    else if (work.row == 0 || view.dims.back().record.tile == work.row)
      compose(compose, view.dims, 0, view.needs, 0);
  if (seen > 1)
    best->low.why.push_back(
        (spent < maxSpent ? "" : "the first ") + number(seen) +
        " ways to see the tensor were compared; taken: " +
        number(static_cast<int64_t>(best->dims.size())) + " dimensions, " +
        number(best->pieces.copies * work.copies) +
        (best->pieces.copies * work.copies == 1 ? " copy" : " copies") +
        " a tile");
  best->apart = apart;
  return std::move(*best);
}

/// The TMA domain with loops cut where their splits divide, so that what makes
/// holes unseen by the hardware comes to be protected; empty: no such cut.
static std::vector<DomainId> withLoopsCut(const Work &work,
                                          const Candidate &c) {
  const DomainGraph &g = work.s.graph;
  std::set<DomainId> tops, cut;
  for (const Dim &d : c.dims)
    tops.insert(d.record.domains.begin(), d.record.domains.end());
  std::vector<bool> is = tmaProtected(g, {tops.begin(), tops.end()});
  for (const DomainExpr &hole : g.exprs()) {
    DomainId id = hole.in[0];
    if (hole.removed || is[id] || work.classes[id] != Class::Loop ||
        g.createsHoles(hole) == Tri::No)
      continue;
    // Protected as an outer output is its input; what is inner has to become a
    // dimension, and all splits above it are cut.
    bool inner = false;
    for (; g[id].producer >= 0; id = g.exprs()[g[id].producer].in[0]) {
      const DomainExpr &e = g.exprs()[g[id].producer];
      if (e.kind == DomainExpr::Kind::Merge && inner)
        break;
      inner = inner || id == e.out[1];
      if (!inner)
        continue;
      if (e.kind != DomainExpr::Kind::Split || g.createsHoles(e) != Tri::No)
        return {};
      cut.insert(e.in[0]);
    }
  }
  if (cut.empty())
    return {};
  std::vector<DomainId> domain;
  std::vector<bool> seen(g.size(), false);
  auto expand = [&](auto &self, DomainId id) -> void {
    if (id < 0 || seen[id])
      return;
    seen[id] = true;
    bool views =
        cut.count(id) || (!tops.count(id) && work.classes[id] == Class::Mixed);
    if (!views)
      return domain.push_back(id);
    const DomainExpr &e = g.exprs()[g[id].consumer];
    self(self, e.out[0]);
    self(self, e.out[1]);
  };
  for (const TmaGlobalDim &d : work.s.global)
    expand(expand, d.domain);
  return domain;
}

/// Whether it is the other one, times something.
static bool isMultipleOf(const Expr &value, const Expr &of) {
  if (value.same(of))
    return true;
  if (value.kind() != Expr::Kind::Mul)
    return false;
  if (isMultipleOf(value.lhs(), of) || isMultipleOf(value.rhs(), of))
    return true;
  // s*8 of s*4.
  auto n = value.rhs().constant();
  auto m = of.kind() == Expr::Kind::Mul ? of.rhs().constant() : std::nullopt;
  return n && m && *m != 0 && *n % *m == 0 && value.lhs().same(of.lhs());
}

/// The same with fewer predicates: none, where a TMA domain of more dimensions
/// does without, at no other cost.
static void cutLoops(const Work &work, Candidate &chosen,
                     const TargetInfo &target) {
  const TmaSchedule &s = work.s;
  bool strict =
      s.direction != TmaDirection::Load || s.wanted == Correctness::Strong;
  if (!chosen.needs.ok() || chosen.low.predicate.empty() || !strict ||
      !s.tmaDomain.empty() || chosen.low.mode != TmaMode::Tiled)
    return;
  Work other = work;
  other.s.tmaDomain = withLoopsCut(work, chosen);
  if (other.s.tmaDomain.empty())
    return;
  auto better = choose(other, target);
  if (!better || !better->needs.ok() || !better->low.predicate.empty() ||
      better->pieces.copies != chosen.pieces.copies)
    return;
  // Strides of the cut are multiples of those that the launch checks.
  for (const Expr &stride : better->low.strides)
    if (!stride.constant() &&
        std::none_of(
            chosen.low.strides.begin(), chosen.low.strides.end(),
            [&](const Expr &old) { return isMultipleOf(stride, old); }))
      return;
  auto known = [&](const LaunchCheck &check) {
    return check.code == Code::TmaStrideAlignment ||
           check.code == Code::TmaStrideRange ||
           std::any_of(chosen.needs.checks.begin(), chosen.needs.checks.end(),
                       [&](const LaunchCheck &old) {
                         return old.code == check.code &&
                                old.atLeastZero.same(check.atLeastZero);
                       });
  };
  if (!std::all_of(better->needs.checks.begin(), better->needs.checks.end(),
                   known))
    return;
  chosen = std::move(*better);
  chosen.low.why.push_back("no predicate: loops whose splits divide are "
                           "dimensions of their own");
}

/// What compositing dimensions is for, where it was done; `level`: of the copy.
static std::string whyComposited(const Candidate &c, const DomainGraph &g,
                                 int level) {
  std::string text;
  for (const Dim &dim : c.dims) {
    if (dim.record.domains.size() < 2)
      continue;
    text += text.empty() ? "" : "; ";
    for (size_t k = 0; k < dim.record.domains.size(); ++k)
      text += (k ? " x " : "") + g.str(dim.record.domains[k]);
  }
  if (text.empty())
    return text;
  auto boxes = [](int64_t n) {
    return number(n) + (n == 1 ? " box" : " boxes");
  };
  return "composited: " + text + ", " + boxes(c.pieces.copies) + " a tile" +
         (c.apart == 0                ? "; apart they are refused"
          : c.apart > c.pieces.copies ? " instead of " + boxes(c.apart)
                                      : "; level " + number(level));
}

/// A part of a tile: which dimensions' boxes are the ones of the rest.
using Part = std::vector<bool>;

/// The parts of a tile, in the order of its image.
static std::vector<Part> partsOf(const Pieces &pieces) {
  std::vector<Part> parts = {Part(pieces.taken.size(), false)};
  // Panels are outermost in the image, and the last dimension.
  for (size_t k = 0; k < pieces.rest.size(); ++k)
    if (pieces.rest[k] > 0) {
      std::vector<Part> both;
      for (bool rest : {false, true})
        for (Part part : parts) {
          part[k] = rest;
          both.push_back(std::move(part));
        }
      parts = std::move(both);
    }
  return parts;
}

/// Splits the tile's domains so that each dimension's box is `taken`, or the
/// rest; the outer halves become loops.
static Result<Work> splitTile(const Work &from, const Candidate &c,
                              const Part &part) {
  Work work = from;
  DomainGraph &g = work.s.graph;
  work.copies = c.pieces.copies;
  std::set<DomainId> boxes;
  for (size_t k = 0; k < c.dims.size(); ++k) {
    int64_t take = c.pieces.taken[k], pitch = c.pieces.pitch[k];
    bool panels = k + 1 == c.dims.size() && work.s.swizzle->span != 0;
    std::vector<DomainId> tile = c.dims[k].record.tileDomains;
    if (take < c.dims[k].record.tile && mergesTile(c.dims[k])) {
      DomainId all = tile.front();
      for (size_t t = 1; t < tile.size(); ++t) {
        auto merged = g.merge(all, tile[t]);
        if (!merged)
          return merged.problem();
        g.rename(*merged, g[all].name + "." + g[tile[t]].name);
        all = *merged;
      }
      for (DomainId id : tile)
        std::erase(work.s.bulk, id);
      tile = {all};
    }
    // From the inside out: whole domains, then one that is split, then loops.
    for (size_t t = tile.size(); t-- > 0;) {
      DomainId id = tile[t];
      int64_t extent = *g[id].extent.constant();
      if (extent == 1)
        continue;
      if (take % extent == 0) {
        take /= extent;
        pitch *= panels ? 1 : extent;
        continue;
      }
      // With a dot, which no name of a user's has.
      std::string name = g[id].name;
      std::erase(work.s.bulk, id);
      int64_t step = panels ? pitch : pitch * take, box = take;
      pitch = panels ? step * (extent / take) : pitch * extent;
      if (int64_t rest = extent % take) {
        auto cut =
            part[k] ? g.resize(id, rest - extent, 0) : g.resize(id, 0, -rest);
        if (!cut)
          return cut.problem();
        id = *cut;
        g.rename(id, name + (part[k] ? ".rest" : ".full"));
        if (part[k]) {
          work.sharedStart += extent / take * step;
          box = rest;
        }
      }
      auto halves = g.splitInner(id, box);
      if (!halves)
        return halves.problem();
      g.rename(halves->first, name + ".box");
      g.rename(halves->second, name + ".in");
      work.s.bulk.push_back(halves->second);
      work.ofBoxes.insert(halves->first);
      boxes.insert(halves->second);
      work.offsets.push_back({halves->first, step});
      take = 1;
    }
  }
  if (work.row)
    work.row = part.back() ? c.pieces.rest.back() : c.pieces.taken.back();
  auto classes = classify(g, work.s.bulk, boxes);
  if (!classes)
    return classes.problem();
  work.classes = *classes;
  return work;
}

/// What the boxes of a tile are, where they are not all alike.
static std::string whyUnequal(const Candidate &c, const DomainGraph &g) {
  std::string text;
  for (size_t k = 0; k < c.dims.size(); ++k) {
    int64_t rest = c.pieces.rest[k], take = c.pieces.taken[k];
    if (rest == 0)
      continue;
    text += text.empty() ? "boxes: " : "; ";
    std::string name;
    for (DomainId id : c.dims[k].record.tileDomains)
      name += (name.empty() ? "" : " x ") + g.str(id);
    text += name + " in boxes of " + number(take) + " and, the rest, of " +
            number(rest);
  }
  return text.empty() ? text
                      : text + ", " + number(c.pieces.copies) + " a tile";
}

/// The tensor's dimensions that a domain comes from.
static std::set<DomainId> rootsOf(const DomainGraph &g, DomainId id) {
  std::set<DomainId> seen = {id}, roots;
  for (std::vector<DomainId> work = {id}; !work.empty();) {
    DomainId at = work.back();
    work.pop_back();
    if (g[at].producer < 0) {
      roots.insert(at);
      continue;
    }
    for (DomainId in : g.exprs()[g[at].producer].in)
      if (in >= 0 && seen.insert(in).second)
        work.push_back(in);
  }
  return roots;
}

/// The tile's domains, and which of them have holes; `loopHoles`: whether the
/// other dimensions of the tensor have.
static std::vector<TmaTileDomain> tileOf(const DomainGraph &g, const View &view,
                                         Tri &loopHoles) {
  std::map<DomainId, Tri> holes;
  for (const DomainExpr &e : g.exprs())
    if (Tri made = e.removed ? Tri::No : g.createsHoles(e); made != Tri::No)
      for (DomainId root : rootsOf(g, e.in[0]))
        if (holes.emplace(root, made).first->second == Tri::Unknown)
          holes[root] = made;
  std::vector<TmaTileDomain> tile;
  for (const Dim &dim : view.dims)
    for (DomainId id : dim.record.tileDomains) {
      TmaTileDomain d{g[id].name, g[id].extent.constant().value_or(1), Tri::No};
      for (DomainId root : rootsOf(g, id)) {
        d.roots.push_back(g[root].name);
        if (auto it = holes.find(root);
            it != holes.end() && d.holes != Tri::Yes)
          d.holes = it->second;
      }
      tile.push_back(std::move(d));
    }
  std::erase_if(holes, [&](const auto &each) {
    return std::ranges::any_of(tile, [&](const TmaTileDomain &d) {
      return std::ranges::count(d.roots, g[each.first].name) > 0;
    });
  });
  for (auto [root, made] : holes)
    if (loopHoles != Tri::Yes)
      loopHoles = made;
  return tile;
}

/// Factors that only a launch knows are at least 1; said before what divides by
/// them.
static std::vector<LaunchCheck> factorChecks(const DomainGraph &g) {
  Requirements factors;
  for (const DomainExpr &e : g.exprs()) {
    if (e.removed || e.kind != DomainExpr::Kind::Split || e.factor.constant())
      continue;
    Expr least = e.factor - 1;
    auto is = [&](const LaunchCheck &c) { return c.atLeastZero.same(least); };
    if (std::none_of(factors.checks.begin(), factors.checks.end(), is))
      factors.atLeastZero(Code::DomainInvalid, least, "",
                          e.factor.str() + " is below 1, and splits " +
                              g.str(e.in[0]));
  }
  return std::move(factors.checks);
}

/// One transfer: of a tile that fits into boxes, or a part of it.
static Result<TmaLowering> lowerPart(const Work &work, Candidate chosen,
                                     const TargetInfo &target) {
  if (chosen.pieces.copies > 1 && chosen.needs.ok())
    return Problem{"tma-schedule", "a tile that boxes do not make up"};
  if (!chosen.needs.ok())
    return problemOf(chosen.needs.errors.front());
  cutLoops(work, chosen, target);
  TmaLowering low = std::move(chosen.low);
  low.checks = std::move(chosen.needs.checks);
  for (TmaLoop &loop : low.loops)
    for (DomainId root : rootsOf(low.graph, loop.domain))
      loop.roots.push_back(low.graph[root].name);
  std::vector<std::string> lines;
  bool tiled = low.mode == TmaMode::Tiled;
  for (size_t d = 0; tiled && d < low.dimensions.size(); ++d) {
    const TmaDimension &t = low.dimensions[d];
    std::string text = "dimension " + number(static_cast<int64_t>(d)) + ":";
    for (DomainId id : t.domains)
      text += " " + low.graph.str(id);
    text += ", box " + number(low.box[d]);
    if (low.elementStrides[d] > 1)
      text += " with element stride " + number(low.elementStrides[d]);
    lines.push_back(text + " (" + t.how + "), coordinate " +
                    low.coords[d].str());
  }
  low.why.insert(low.why.begin(), lines.begin(), lines.end());
  return low;
}

/// Appends checks that are not there yet.
static void addChecks(std::vector<LaunchCheck> &to,
                      const std::vector<LaunchCheck> &from) {
  for (const LaunchCheck &check : from)
    if (std::none_of(to.begin(), to.end(), [&](const LaunchCheck &old) {
          return old.code == check.code && old.message == check.message &&
                 old.atLeastZero.same(check.atLeastZero);
        }))
      to.push_back(check);
}

Result<TmaLowering> titan::lowerSchedule(const TmaSchedule &given,
                                         const TargetInfo &target) {
  if (!target.has(Feature::Tma))
    return Problem{"wrong-target",
                   std::string(target.name) + " has no tensor copies"};
  if (auto problem = checkSchedule(given))
    return *problem;
  TmaSchedule schedule = given;
  if (schedule.shared.empty()) // One tile.
    schedule.shared = schedule.bulk;
  std::set<DomainId> single;
  std::vector<LaunchCheck> held;
  if (auto problem = holdTiles(schedule, single, held))
    return *problem;
  auto classes = classify(schedule.graph, schedule.bulk);
  if (!classes)
    return classes.problem();
  if (auto problem = checkWindows(schedule, *classes))
    return *problem;
  std::vector<DomainId> to;
  auto pruned = withoutViews(schedule, *classes, to);
  if (!pruned)
    return pruned.problem();
  Work work;
  work.s = *pruned;
  for (DomainId id : single)
    work.single.insert(to[id]);
  auto again = classify(work.s.graph, work.s.bulk);
  if (!again)
    return again.problem();
  work.classes = *again;
  if (auto problem = checkBytes(work.s, target))
    return *problem;
  if (auto problem = checkIndices(work))
    return *problem;

  Requirements apart;
  if (schedule.direction != TmaDirection::Load) {
    std::vector<TmaStoreDim> dims;
    for (const TmaGlobalDim &d : schedule.global)
      dims.push_back({schedule.graph.str(d.domain),
                      schedule.graph[d.domain].extent, d.stride});
    requireDisjointElements(dims, schedule.type->bits / 8, apart);
    if (!apart.ok())
      return problemOf(apart.errors.front());
  }

  // The tile's order is the same in every view.
  Result<std::vector<View>> views = inferViews(work.s, work.classes);
  if (!views)
    return views.problem();
  std::vector<DomainId> tops;
  for (const Dim &dim : views->front().dims)
    for (DomainId id : dim.record.tileDomains)
      tops.push_back(static_cast<DomainId>(std::find(to.begin(), to.end(), id) -
                                           to.begin()));
  TmaSchedule plain = schedule;
  bool swizzled = hasSwizzledOrder(schedule, *classes);
  if (swizzled) { // The tile's place among the loops; its own order is next.
    auto isTile = [&](DomainId id) { return (*classes)[id] == Class::Tile; };
    auto at = std::find_if(plain.shared.begin(), plain.shared.end(), isTile);
    at = plain.shared.insert(at, tops.begin(), tops.end());
    at += static_cast<ptrdiff_t>(tops.size());
    plain.shared.erase(std::remove_if(at, plain.shared.end(), isTile),
                       plain.shared.end());
  }
  auto kept = keptLoops(plain, *classes, tops);
  if (!kept)
    return kept.problem();
  std::string why;
  if (swizzled) {
    auto found = findSwizzle(schedule, *classes, tops, !kept->empty(), work.s,
                             *views, target);
    if (!found)
      return found.problem();
    work.s.swizzle = found->swizzle;
    work.row = found->swizzle->span ? found->row : 0;
    why = "swizzle " + std::string(found->swizzle->name) +
          ": every element of the tile stands where the buffer's domains "
          "place it";
  }

  auto chosen = choose(work, target);
  if (!chosen)
    return chosen.problem();
  Tri loopHoles = Tri::No;
  std::vector<TmaTileDomain> tile =
      tileOf(work.s.graph, views->front(), loopHoles);
  if (!chosen->pieces.problem.empty())
    return problemOf(chosen->needs.errors.front());
  int64_t row = chosen->dims.back().record.tile;
  // The first choice knows the image: kept loops step over whole tiles.
  work.imageBytes = work.bufferBytes = chosen->pieces.imageBytes;
  for (size_t k = kept->size(); k-- > 0;) {
    DomainId id = (*kept)[k];
    auto ring = schedule.ring.find(id);
    bool all = ring == schedule.ring.end();
    work.offsets.push_back({to[id], work.bufferBytes, all ? 0 : ring->second});
    if (__builtin_mul_overflow(work.bufferBytes,
                               all ? *schedule.graph[id].extent.constant()
                                   : ring->second,
                               &work.bufferBytes) ||
        work.bufferBytes > target.sharedBytesPerCta)
      return Problem{"shared-memory-limit",
                     "a buffer that keeps the tiles of " +
                         schedule.graph.str(id) +
                         " is larger than the shared memory of a CTA, " +
                         number(target.sharedBytesPerCta) + " bytes"};
  }
  std::vector<TmaLowering> parts;
  std::vector<LaunchCheck> checks = multipleChecks(given.graph);
  addChecks(checks, held);
  addChecks(checks, factorChecks(given.graph));
  addChecks(checks, apart.checks);
  for (const Part &part : partsOf(chosen->pieces)) {
    Work piece = work;
    if (chosen->pieces.copies > 1) {
      auto split = splitTile(work, *chosen, part);
      if (!split)
        return split.problem();
      piece = std::move(*split);
    }
    auto again = piece.offsets.empty() ? chosen : choose(piece, target);
    if (!again)
      return again.problem();
    auto low = lowerPart(piece, std::move(*again), target);
    if (!low)
      return low.problem();
    tellMixedTiles(*low);
    addChecks(checks, low->checks);
    low->checks.clear();
    low->tile = tile;
    low->loopHoles = loopHoles;
    low->rowElements = row;
    parts.push_back(std::move(*low));
  }
  TmaLowering low = std::move(parts.front());
  // Not where loops have been cut instead.
  bool composited = chosen->pieces.copies > 1 ||
                    std::ranges::any_of(low.dimensions, [](const auto &d) {
                      return d.domains.size() > 1;
                    });
  // What is said of the whole tile.
  std::vector<std::string> lines = {
      whyUnequal(*chosen, work.s.graph),
      composited ? whyComposited(*chosen, work.s.graph, low.level) : "", why};
  low.rest.assign(std::make_move_iterator(parts.begin() + 1),
                  std::make_move_iterator(parts.end()));
  low.checks = std::move(checks);
  for (std::string &line : lines)
    if (!line.empty())
      low.why.push_back(std::move(line));
  if (const LaunchCheck *check = findHopeless(low))
    return problemOf({check->code, check->field,
                      check->message + ", whatever the sizes are", check->fix});
  return low;
}
