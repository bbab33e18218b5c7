//===- TmaSchedule.cpp - From a schedule to tensor copies -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/TmaSchedule.h"

#include "TmaInfer.h"
#include "titan/Domain/Theorems.h"

#include <algorithm>
#include <cctype>
#include <set>

using namespace titan;
using namespace titan::tma;

static std::string number(int64_t n) { return std::to_string(n); }

/// The symbol of a leaf's index: I5 has i5.
static std::string indexName(std::string name) {
  for (char &c : name)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

static Problem problemOf(const TmaViolation &v) {
  return {std::string(codeInfo(v.code).code),
          v.field.empty() ? v.message : v.field + ": " + v.message};
}

//===----------------------------------------------------------------------===//
// The schedule without the views of its tile
//===----------------------------------------------------------------------===//

namespace {
/// A loop of which copies are kept apart, or a loop of boxes: its index moves
/// the shared address.
struct SharedLoop {
  DomainId domain;
  int64_t bytes;
};

/// What is lowered: tiles end at the domains that boxes make.
struct Work {
  TmaSchedule s;
  std::vector<Class> classes;
  std::vector<SharedLoop> offsets;
  std::set<DomainId> ofBoxes;
  int64_t imageBytes = 0, bufferBytes = 0; // 0: not known yet
  int64_t copies = 1;                      // Boxes of a tile.
};
} // namespace

/// The whole schedule is well formed.
static std::optional<Problem> checkSchedule(const TmaSchedule &s) {
  auto invalid = [](const std::string &why) {
    return Problem{"domain-invalid", why};
  };
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
  for (DomainId id : s.shared)
    if (id < 0 || id >= s.graph.size() || s.graph[id].removed)
      return invalid("the buffer names domain " + number(id) +
                     ", which there is not");
  // Indices are symbols beside the launch's sizes.
  std::set<std::string> names;
  for (DomainId id : s.graph.leaves())
    if (!names.insert(indexName(s.graph[id].name)).second)
      return invalid("two leaves have the index " +
                     indexName(s.graph[id].name));
  auto clashes = [&](const Expr &e) {
    return e.mentions([&](const std::string &n) { return names.count(n) > 0; });
  };
  bool clash = clashes(s.address);
  for (DomainId id = 0; id < s.graph.size(); ++id)
    clash = clash || clashes(s.graph[id].extent);
  for (const TmaGlobalDim &d : s.global)
    clash = clash || clashes(d.stride);
  if (clash)
    return invalid("a leaf's index has the name of a size: call one of them "
                   "otherwise");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Bounds of expressions
//===----------------------------------------------------------------------===//

namespace {
/// The least and the greatest value of an index expression, over the loops'
/// indices (0 .. most). Sizes of the launch are at least 1.
struct Bounds {
  Expr least, most;
};
} // namespace

static Bounds rangeOf(const Expr &e, const std::map<std::string, Expr> &most) {
  if (e.kind() == Expr::Kind::Constant)
    return {e, e};
  if (e.kind() == Expr::Kind::Symbol) {
    auto it = most.find(e.name());
    return it == most.end() ? Bounds{e, e} : Bounds{0, it->second};
  }
  Bounds a = rangeOf(e.lhs(), most), b = rangeOf(e.rhs(), most);
  auto negative = [](const Expr &x) {
    auto c = x.constant();
    return c && *c < 0;
  };
  switch (e.kind()) {
  case Expr::Kind::Add:
    return {a.least + b.least, a.most + b.most};
  case Expr::Kind::Mul:
    if (negative(b.least))
      return {a.most * b.least, a.least * b.most};
    return {a.least * b.least, a.most * b.most};
  case Expr::Kind::Div:
    return {a.least / e.rhs(), a.most / e.rhs()};
  case Expr::Kind::CeilDiv:
    return {ceilDiv(a.least, e.rhs()), ceilDiv(a.most, e.rhs())};
  case Expr::Kind::Mod:
    return {0, e.rhs() - 1};
  case Expr::Kind::Xor: {
    // Below the sum; of negative numbers above minus twice the lower one.
    bool below = negative(a.least) || negative(b.least);
    return {below ? min(a.least, b.least) * 2 : Expr(0), a.most + b.most};
  }
  case Expr::Kind::Min:
    return {min(a.least, b.least), min(a.most, b.most)};
  default:
    return {max(a.least, b.least), max(a.most, b.most)};
  }
}

/// Whether a bound holds in every iteration.
static bool isSure(const TmaBound &b, const std::map<std::string, Expr> &most) {
  Bounds range = rangeOf(b.index, most);
  auto least = range.least.constant(),
       n = (b.extent - 1 - range.most).constant();
  return least && *least >= 0 && n && *n >= 0;
}

//===----------------------------------------------------------------------===//
// One choice
//===----------------------------------------------------------------------===//

namespace {
/// The lowering of one view; errors make it a bad one.
struct Candidate {
  TmaLowering low;
  Requirements needs;
  Pieces pieces;
  std::vector<Dim> dims; // Outermost first.
  int merges = 0;

  /// Whether this one is to be taken. Of bad ones the first, unless it has too
  /// many dimensions: its error is the one to report.
  bool better(const Candidate &other) const {
    auto rank = [](const Candidate &c) {
      if (c.needs.ok())
        return 0;
      return c.needs.errors.front().code == Code::TmaRank ? 2 : 1;
    };
    int mine = rank(*this), others = rank(other);
    if (mine != others || mine != 0)
      return mine < others;
    return std::tuple(pieces.copies, low.level, merges) <
           std::tuple(other.pieces.copies, other.low.level, other.merges);
  }
};

class Lowering {
public:
  Lowering(const Work &work, const TargetInfo &target)
      : work(work), s(work.s), g(work.s.graph), target(target) {
    DomainIndices known(g.size());
    for (DomainId id : g.leaves()) {
      if (work.classes[id] == Class::Tile || g[id].extent.is(1)) {
        known[id] = 0;
        continue;
      }
      TmaLoop loop{id, indexName(g[id].name), g[id].extent,
                   work.ofBoxes.count(id) > 0};
      known[id] = Expr::symbol(loop.index);
      most.emplace(loop.index, loop.extent - 1);
      loops.push_back(std::move(loop));
    }
    index = g.indices(std::move(known));
    cutLoops = std::any_of(g.exprs().begin(), g.exprs().end(),
                           [&](const DomainExpr &e) {
                             return !e.removed && (e.left < 0 || e.right < 0) &&
                                    work.classes[e.in[0]] == Class::Loop;
                           });
  }

  Candidate lower(std::vector<Dim> dims, Requirements needs, int merges) const {
    Candidate c;
    c.needs = std::move(needs);
    c.merges = merges;
    c.pieces = cutTile(dims, g, s, target);
    TmaLowering &low = c.low;
    low.graph = g;
    low.loops = loops;
    low.type = s.type;
    low.swizzle = s.swizzle;
    low.address = s.address;
    low.nanFill = s.nanFill;
    low.direction = s.direction;
    low.reduction = s.reduction;
    int64_t elements = 1;
    for (size_t k = dims.size(); k-- > 0;) {
      const Dim &d = dims[k];
      low.dimensions.push_back(d.record);
      low.dims.push_back(d.record.size);
      if (k + 1 < dims.size())
        low.strides.push_back(d.record.stride);
      int64_t take = c.pieces.taken[k],
              e = take == 1 ? 1 : d.record.elementStride;
      int64_t box = take == d.record.tile && d.record.box <= target.tmaMaxBox
                        ? d.record.box
                        : take * e;
      if (e > 1 && box > target.tmaMaxBox)
        box = (take - 1) * e + 1;
      low.box.push_back(static_cast<uint32_t>(take == 1 ? 1 : box));
      low.elementStrides.push_back(
          static_cast<uint32_t>(std::min<int64_t>(e, 1 << 20)));
      low.coords.push_back(linear(d));
      elements *= take;
    }
    low.thenBytes = elements * s.type->bits / 8;
    for (const SharedLoop &loop : work.offsets)
      low.sharedOffset = low.sharedOffset + *index[loop.domain] * loop.bytes;
    low.imageBytes = work.imageBytes ? work.imageBytes : c.pieces.imageBytes;
    low.bufferBytes = work.bufferBytes ? work.bufferBytes : low.imageBytes;
    c.dims = std::move(dims);
    limits(c);
    decide(c);
    return c;
  }

private:
  /// The start of a dimension's tile.
  Expr linear(const Dim &d) const {
    Expr sum = 0;
    for (DomainId id : d.tops)
      sum = sum * g[id].extent + *index[id];
    return sum;
  }

  void limits(Candidate &c) const;
  void decide(Candidate &c) const;
  std::vector<TmaBound> boundsOf(const Dim &d,
                                 const std::vector<bool> &is) const;

  const Work &work;
  const TmaSchedule &s;
  const DomainGraph &g;
  const TargetInfo &target;
  std::vector<TmaLoop> loops;
  std::map<std::string, Expr> most;
  DomainIndices index;
  bool cutLoops = false;
};
} // namespace

/// The limits of the map and of the instruction: errors and launch checks.
void Lowering::limits(Candidate &c) const {
  TmaLowering &low = c.low;
  Requirements &r = c.needs;
  int rank = static_cast<int>(low.dims.size());
  if (rank > target.tmaMaxRank) {
    r.errors.push_back({Code::TmaRank, "tensorRank",
                        "the schedule needs " + number(rank) +
                            " dimensions; a map has at most " +
                            number(target.tmaMaxRank)});
    return;
  }
  const TmaDimension &inner = low.dimensions[0];
  if (!inner.stride.is(s.type->bits / 8))
    r.errors.push_back({Code::TmaSchedule, "globalStrides",
                        "the innermost dimension " +
                            g.str(inner.domains.back()) + " has a stride of " +
                            inner.stride.str() + " bytes, not that of " +
                            std::string(s.type->name)});
  if (inner.tile > 1 && inner.elementStride > 1)
    r.errors.push_back({Code::TmaElementStride, "elementStrides[0]",
                        "an element stride of " + number(inner.elementStride) +
                            " along the innermost dimension, where the "
                            "hardware has none"});
  TensorMap map;
  TmaUnknown unknown;
  map.rank = rank;
  map.type = s.type;
  map.swizzle = s.swizzle;
  map.nanFill = s.nanFill;
  auto address = s.address.constant();
  unknown.address = !address;
  map.address = static_cast<uint64_t>(address.value_or(0));
  r.multiple(Code::TmaBaseAlignment, address ? Expr(0) : s.address,
             target.tmaBaseAlignment, "globalAddress",
             "the address is no multiple of " +
                 number(target.tmaBaseAlignment));
  for (int d = 0; d < rank; ++d) {
    std::string at = "[" + number(d) + "]";
    map.box[d] = low.box[d];
    map.elementStrides[d] = low.elementStrides[d];
    if (auto n = low.dims[d].constant()) {
      map.dims[d] = static_cast<uint64_t>(*n);
    } else {
      unknown.dims |= 1 << d;
      std::string text = low.dims[d].str() + " is not in 1 .. 2^32";
      r.atLeastZero(Code::TmaDimRange, low.dims[d] - 1, "globalDim" + at, text);
      r.atLeastZero(Code::TmaDimRange, Expr(target.tmaMaxDim) - low.dims[d],
                    "globalDim" + at, text);
    }
    if (d == 0)
      continue;
    Expr stride = low.strides[d - 1];
    std::string field = "globalStrides[" + number(d - 1) + "]";
    if (auto n = stride.constant()) {
      map.strides[d - 1] = static_cast<uint64_t>(*n);
    } else {
      unknown.strides |= 1 << d;
      r.multiple(Code::TmaStrideAlignment, stride, target.tmaStrideAlignment,
                 field,
                 stride.str() + " is no multiple of " +
                     number(target.tmaStrideAlignment));
      r.atLeastZero(Code::TmaStrideRange,
                    min(stride, Expr(target.tmaMaxStride) - stride), field,
                    stride.str() + " is not in 0 .. 2^40 - 16");
    }
  }
  for (TmaViolation &v : validate(map, target, unknown))
    r.errors.push_back(std::move(v));

  TmaCopy copy;
  copy.direction = s.direction;
  copy.reduction = s.reduction;
  copy.coords.assign(rank, 0);
  unknown.coords = 0xff;
  unknown.shared = true;
  for (TmaViolation &v : validateCopy(map, copy, target, unknown))
    r.errors.push_back(std::move(v));
  IsIndex isIndex = [&](const std::string &name) {
    return most.count(name) > 0;
  };
  requireAlignedCoordinate(low.coords[0], *s.type, target, isIndex, r);
  for (int d = 0; d < rank; ++d)
    r.atLeastZero(Code::OutOfBounds,
                  Expr(INT32_MAX) - rangeOf(low.coords[d], most).most,
                  "tensorCoords[" + number(d) + "]",
                  low.coords[d].str() + " does not fit 32 bits");

  // The buffer: offsets have to keep what the base is aligned to.
  int64_t align = target.tmaSharedAlignment;
  int64_t period = s.swizzle->span ? s.swizzle->period : 1;
  if (s.sharedAlignment % align != 0)
    r.errors.push_back({Code::TmaSharedAlignment, "dstMem",
                        "the buffer is aligned to " +
                            number(s.sharedAlignment) + " bytes, not " +
                            number(align)});
  if (s.sharedAlignment % period != 0)
    r.errors.push_back({Code::TmaSwizzlePhase, "dstMem",
                        "the buffer is aligned to " +
                            number(s.sharedAlignment) + " bytes; swizzle " +
                            std::string(s.swizzle->name) + " has period " +
                            number(period)});
  for (const SharedLoop &loop : work.offsets) {
    bool boxes = work.ofBoxes.count(loop.domain) > 0;
    std::string text = std::string(boxes ? "boxes" : "tiles") + " of loop " +
                       g.str(loop.domain) + " are " + number(loop.bytes) +
                       " bytes apart, ";
    if (loop.bytes % align != 0)
      r.errors.push_back({Code::TmaSharedAlignment, "dstMem",
                          text + "no multiple of " + number(align)});
    if (!boxes && loop.bytes % period != 0)
      r.errors.push_back({Code::TmaSwizzlePhase, "dstMem",
                          text + "no multiple of the period " + number(period) +
                              " of swizzle " + std::string(s.swizzle->name)});
  }
}

/// Says of a tile that no mixing spoils whether it has a valid element: whether
/// its first element at or after `begin` is one (Theorems.h: the valid part is
/// an interval). `is`: what is protected.
std::vector<TmaBound> Lowering::boundsOf(const Dim &d,
                                         const std::vector<bool> &is) const {
  const TmaDimension &t = d.record;
  Expr start = *index[d.tops.front()], first = 0;
  auto least = rangeOf(start, most).least.constant();
  if (!least || *least < t.begin)
    first = max(0, ceilDiv(Expr(t.begin) - start, Expr(t.elementStride)));
  std::vector<TmaBound> bounds;
  for (DomainId id : d.resized)
    if (!is[id])
      bounds.push_back({*index[id] + first * t.elementStride, g[id].extent});
  if (d.boxDomain >= 0)
    bounds.push_back(
        {*index[d.boxDomain] + first * d.boxStep, g[d.boxDomain].extent});
  return bounds;
}

/// Level and predicate.
void Lowering::decide(Candidate &c) const {
  TmaLowering &low = c.low;
  bool load = s.direction == TmaDirection::Load;
  std::vector<DomainId> partitioned;
  for (const Dim &d : c.dims)
    partitioned.push_back(d.tops.front());
  std::vector<bool> is = tmaProtected(g, partitioned);

  // What makes holes that the hardware does not see.
  std::vector<DomainId> loopsToTest;
  std::vector<bool> dimsToTest(c.dims.size(), false);
  int64_t visited = 1, valid = 1; // Of the loops' sides, where known.
  for (const DomainExpr &e : g.exprs()) {
    if (e.removed || is[e.in[0]] || work.classes[e.in[0]] == Class::Tile)
      continue;
    Tri holes = g.createsHoles(e);
    if (holes == Tri::No)
      continue;
    low.why.push_back("level 2: " + g.str(e) +
                      (holes == Tri::Yes ? " makes" : " may make") +
                      " holes, and " + g[e.in[0]].name +
                      " is not protected by the tensor's bounds");
    low.level = 2;
    if (work.classes[e.in[0]] == Class::Loop)
      loopsToTest.push_back(e.in[0]);
    for (size_t k = 0; k < c.dims.size(); ++k)
      if (std::count(c.dims[k].inside.begin(), c.dims[k].inside.end(), e.in[0]))
        dimsToTest[k] = true;
    auto n = g[e.in[0]].extent.constant();
    Expr after =
        g[e.out[0]].extent * (e.out[1] >= 0 ? g[e.out[1]].extent : Expr(1));
    if (auto m = after.constant();
        n && m && *m < 1 << 20 && *n < 1 << 20 && visited < 1 << 20) {
      visited *= *m;
      valid *= *n;
    }
  }
  // Loops whose bounds follow from those of the others need no test.
  for (size_t k = loopsToTest.size(); k-- > 0;) {
    std::vector<DomainId> rest = loopsToTest;
    rest.erase(rest.begin() + static_cast<ptrdiff_t>(k));
    if (g.impliedInBounds(rest)[loopsToTest[k]])
      loopsToTest = std::move(rest);
  }
  std::vector<TmaBound> predicate;
  for (DomainId id : loopsToTest)
    predicate.push_back({*index[id], g[id].extent});
  for (size_t k = 0; k < c.dims.size(); ++k)
    if (dimsToTest[k])
      for (TmaBound &b : boundsOf(c.dims[k], is))
        predicate.push_back(std::move(b));
  std::erase_if(predicate, [&](const TmaBound &b) { return isSure(b, most); });

  // The fundamental theorem. Where resizes leave nothing of some dimension,
  // there is no valid element, and nothing mixes.
  Expr empty = -1; // >= 0: so it is.
  for (const Dim &d : c.dims)
    if (d.record.begin > 0 || d.record.cut > 0)
      empty = max(empty, Expr(d.record.begin + d.record.cut) - d.record.size);
  bool strong = !load || s.wanted == Correctness::Strong;
  TmaStoreFacts facts{low.dims[0], s.type->bits, s.tailIsPadding};
  for (size_t k = c.dims.size(); k-- > 0;) {
    const Dim &d = c.dims[k];
    if (!load)
      facts.leastStarts.push_back(rangeOf(linear(d), most).least);
    Expr margin = d.record.margin;
    if (auto e = empty.constant(); !e || *e >= 0)
      margin = max(margin, empty);
    if (auto m = margin.constant(); m && *m < 0)
      low.level = 3;
    if (!strong || margin.is(0))
      continue;
    std::string text = "dimension " +
                       number(static_cast<int64_t>(c.dims.size() - 1 - k)) +
                       ", " + g.str(d.record.domains[0]) + ": boxes of " +
                       number(d.record.box) + " with element stride " +
                       number(d.record.elementStride);
    auto size = d.record.size.constant(), extent = d.extent.constant();
    if (size && extent)
      if (auto tile = findMixedTile(
              {*size, d.record.box, d.record.elementStride, d.record.begin,
               std::max<int64_t>(*size - d.record.cut, 0)},
              {d.record.first, d.record.box, ceilDiv(*extent, d.record.box)}))
        text += ": the tile at coordinate " +
                number(tile->start + tile->offset) + " holds element " +
                number(tile->valid) + " and, in a hole that has to be " +
                (load ? "filled" : "left alone") + ", element " +
                number(tile->hole);
    Code code = cutLoops && margin.is(-1) ? Code::Undecided : Code::TmaStrong;
    if (code == Code::Undecided)
      text += "; whether the loops, of which a resize cuts some off, ever get "
              "there cannot be decided";
    c.needs.atLeastZero(code, margin, "", text);
  }
  if (!load)
    requireWeakStore(facts, c.needs);

  int64_t bytes = low.thenBytes;
  if (!load)
    low.thenBytes = 0; // Stores complete by bulk groups.
  bool worth = s.traffic == TmaTraffic::Save ||
               (s.traffic == TmaTraffic::Worth && visited * 7 >= valid * 8);
  if (predicate.empty() || (!strong && !worth)) {
    low.why.push_back(
        low.level == 1 ? "level 1: holes lie outside of the tensor, where the "
                         "hardware fills (loads) or writes nothing"
        : predicate.empty() ? "no predicate: it would hold in every iteration"
                            : "no predicate: weak correctness does without");
    return;
  }
  low.predicate = std::move(predicate);
  low.otherwise = strong && load ? TmaElse::Fill : TmaElse::Skip;
  if (low.otherwise == TmaElse::Fill) {
    for (uint32_t box : low.box)
      low.outside.push_back(-static_cast<int64_t>(box));
    low.elseBytes = bytes;
    low.why.push_back("else: the box is copied from outside of the tensor, all "
                      "fill; the barrier gets as many bytes");
  } else {
    low.why.push_back(load ? "else: nothing is copied, no bytes are expected"
                           : "else: nothing is stored");
  }
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
  int64_t seen = 0;
  constexpr int64_t maxSeen = 4096;
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
    Candidate c = lowering.lower(std::move(dims), needs, merges);
    ++seen;
    if (!best || c.better(*best))
      best = std::move(c);
  };
  auto compose = [&](auto &self, const std::vector<Dim> &dims, size_t from,
                     const Requirements &needs, int merges) -> void {
    take(dims, needs, merges);
    bool perfect =
        best->needs.ok() && best->pieces.copies == 1 && best->low.level == 1;
    if (perfect || seen >= maxSeen)
      return; // Nothing is better, or we have looked long enough.
    for (size_t k = from; k + 1 < dims.size() && work.s.tmaDomain.empty();
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
    compose(compose, view.dims, 0, view.needs, 0);
  if (seen > 1)
    best->low.why.push_back(
        number(seen) + " ways to see the tensor were compared; taken: " +
        number(static_cast<int64_t>(best->dims.size())) + " dimensions, " +
        number(best->pieces.copies * work.copies) +
        (best->pieces.copies * work.copies == 1 ? " copy" : " copies") +
        " a tile");
  return std::move(*best);
}

/// Splits the tile's domains so that each dimension's box is `taken`; the outer
/// halves become loops.
static Result<Work> splitTile(const Work &from, const Candidate &c) {
  Work work = from;
  DomainGraph &g = work.s.graph;
  work.copies = c.pieces.copies;
  for (size_t k = 0; k < c.dims.size(); ++k) {
    int64_t take = c.pieces.taken[k], pitch = c.pieces.pitch[k];
    bool panels = k + 1 == c.dims.size() && work.s.swizzle->span != 0;
    // From the inside out: whole domains, then one that is split, then loops.
    for (size_t t = c.dims[k].record.tileDomains.size(); t-- > 0;) {
      DomainId id = c.dims[k].record.tileDomains[t];
      int64_t extent = *g[id].extent.constant();
      if (extent == 1)
        continue;
      if (take % extent == 0) {
        take /= extent;
        pitch *= panels ? 1 : extent;
        continue;
      }
      std::string name = g[id].name;
      auto halves = g.splitInner(id, take);
      if (!halves)
        return halves.problem();
      g.rename(halves->first, name + "_box");
      g.rename(halves->second, name + "_in");
      std::erase(work.s.bulk, id);
      work.s.bulk.push_back(halves->second);
      work.ofBoxes.insert(halves->first);
      int64_t step = panels ? pitch : pitch * take;
      work.offsets.push_back({halves->first, step});
      pitch = step * (extent / take);
      take = 1;
    }
  }
  auto classes = classify(g, work.s.bulk);
  if (!classes)
    return classes.problem();
  work.classes = *classes;
  return work;
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

/// The tile's domains, and which of them have holes.
static std::vector<TmaTileDomain> tileOf(const DomainGraph &g,
                                         const View &view) {
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
      for (DomainId root : rootsOf(g, id))
        if (auto it = holes.find(root);
            it != holes.end() && d.holes != Tri::Yes)
          d.holes = it->second;
      tile.push_back(std::move(d));
    }
  return tile;
}

Result<TmaLowering> titan::lowerSchedule(const TmaSchedule &schedule,
                                         const TargetInfo &target) {
  if (!target.has(Feature::Tma))
    return Problem{"wrong-target",
                   std::string(target.name) + " has no tensor copies"};
  if (auto problem = checkSchedule(schedule))
    return *problem;
  auto classes = classify(schedule.graph, schedule.bulk);
  if (!classes)
    return classes.problem();
  std::vector<DomainId> to;
  auto pruned = withoutViews(schedule, *classes, to);
  if (!pruned)
    return pruned.problem();
  Work work;
  work.s = *pruned;
  auto again = classify(work.s.graph, work.s.bulk);
  if (!again)
    return again.problem();
  work.classes = *again;

  // The tile's order is the same in every view.
  Result<std::vector<View>> views = inferViews(work.s, work.classes);
  if (!views)
    return views.problem();
  std::vector<DomainId> tops;
  for (const Dim &dim : views->front().dims)
    for (DomainId id : dim.record.tileDomains)
      tops.push_back(static_cast<DomainId>(std::find(to.begin(), to.end(), id) -
                                           to.begin()));
  auto kept = keptLoops(schedule, *classes, tops);
  if (!kept)
    return kept.problem();

  auto chosen = choose(work, target);
  if (!chosen)
    return chosen.problem();
  std::vector<TmaTileDomain> tile = tileOf(work.s.graph, views->front());
  int64_t row = chosen->dims.back().record.tile;
  // The first choice knows the image: kept loops step over whole tiles.
  work.imageBytes = work.bufferBytes = chosen->pieces.imageBytes;
  for (size_t k = kept->size(); k-- > 0;) {
    DomainId id = (*kept)[k];
    work.offsets.push_back({to[id], work.bufferBytes});
    work.bufferBytes *= *schedule.graph[id].extent.constant();
  }
  if (chosen->pieces.copies > 1) {
    auto split = splitTile(work, *chosen);
    if (!split)
      return split.problem();
    work = std::move(*split);
  }
  if (!work.offsets.empty())
    chosen = choose(work, target);
  if (!chosen)
    return chosen.problem();
  if (chosen->pieces.copies > 1 && chosen->needs.ok())
    return Problem{"tma-schedule", "a tile that boxes do not divide"};
  if (!chosen->needs.ok())
    return problemOf(chosen->needs.errors.front());
  TmaLowering low = std::move(chosen->low);
  low.checks = std::move(chosen->needs.checks);
  low.tile = std::move(tile);
  low.rowElements = row;
  std::vector<std::string> lines;
  for (size_t d = 0; d < low.dimensions.size(); ++d) {
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

//===----------------------------------------------------------------------===//
// At a launch
//===----------------------------------------------------------------------===//

TmaLowering TmaLowering::fixed(const Expr::Bindings &indices,
                               const Expr::Bindings &greatest) const {
  TmaLowering low = *this;
  std::map<std::string, Expr> most;
  for (const TmaLoop &loop : loops) {
    if (indices.count(loop.index))
      continue;
    Expr last = loop.extent - 1;
    auto it = greatest.find(loop.index);
    auto known = last.constant();
    most.emplace(loop.index,
                 it != greatest.end() && (!known || it->second < *known)
                     ? Expr(it->second)
                     : last);
  }
  for (Expr &x : low.coords)
    x = x.substitute(indices);
  low.sharedOffset = sharedOffset.substitute(indices);
  low.predicate.clear();
  for (const TmaBound &b : predicate) {
    TmaBound bound{b.index.substitute(indices), b.extent.substitute(indices)};
    if (!isSure(bound, most))
      low.predicate.push_back(std::move(bound));
  }
  if (low.predicate.empty())
    low.otherwise = TmaElse::None;
  return low;
}

std::optional<TensorMap>
TmaLowering::tensorMap(const Expr::Bindings &launch) const {
  TensorMap map;
  map.rank = static_cast<int>(dims.size());
  map.type = type;
  map.swizzle = swizzle;
  map.nanFill = nanFill;
  auto base = address.evaluate(launch);
  if (!base || *base < 0)
    return std::nullopt;
  map.address = static_cast<uint64_t>(*base);
  for (int d = 0; d < map.rank; ++d) {
    auto n = dims[d].evaluate(launch);
    auto stride = d == 0 ? 0 : strides[d - 1].evaluate(launch);
    if (!n || !stride || *n < 0 || *stride < 0)
      return std::nullopt;
    map.dims[d] = static_cast<uint64_t>(*n);
    if (d > 0)
      map.strides[d - 1] = static_cast<uint64_t>(*stride);
    map.box[d] = box[d];
    map.elementStrides[d] = elementStrides[d];
  }
  return map;
}

std::optional<TmaCopy> TmaLowering::copyAt(const Expr::Bindings &values,
                                           int64_t base) const {
  bool holds = true;
  for (const TmaBound &b : predicate) {
    auto i = b.index.evaluate(values), n = b.extent.evaluate(values);
    if (!i || !n)
      return std::nullopt;
    holds = holds && *i >= 0 && *i < *n;
  }
  if (!holds && otherwise == TmaElse::Skip)
    return std::nullopt;
  TmaCopy copy;
  copy.direction = direction;
  copy.reduction = reduction;
  auto offset = sharedOffset.evaluate(values);
  if (!offset)
    return std::nullopt;
  copy.shared = base + *offset;
  if (!holds) {
    copy.coords = outside;
    return copy;
  }
  for (const Expr &x : coords) {
    auto value = x.evaluate(values);
    if (!value)
      return std::nullopt;
    copy.coords.push_back(*value);
  }
  return copy;
}

std::vector<int64_t>
titan::outsideCoordinates(const TensorMap &map,
                          const std::vector<int64_t> &inside) {
  std::vector<int64_t> coords = inside;
  coords.resize(static_cast<size_t>(map.rank), 0);
  if (map.mode == TmaMode::Tiled) {
    for (int d = 0; d < map.rank; ++d)
      coords[d] = -static_cast<int64_t>(map.box[d]);
  } else {
    // Whole chunks of 16 bytes before channel 0; padded types: 128 values.
    int64_t unit = map.type->driver >= 14  ? 128
                   : map.type->bits >= 128 ? 1
                                           : 128 / map.type->bits;
    coords[0] = -(ceilDiv(int64_t(map.im2col.channels), unit) * unit);
  }
  return coords;
}
