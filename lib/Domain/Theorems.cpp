//===- Theorems.cpp - Predicates, holes and the boxes of TMA --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/Theorems.h"

#include <algorithm>
#include <numeric>

using namespace titan;

//===----------------------------------------------------------------------===//
// Predicates through expressions
//===----------------------------------------------------------------------===//

std::vector<Implication> titan::predicateThroughSplit(const DomainGraph &graph,
                                                      const DomainExpr &split) {
  DomainId x = split.in[0], o = split.out[0], i = split.out[1];
  std::vector<Implication> rules = {{{x, i}, o}};
  if (graph.createsHoles(split) == Tri::No)
    rules.push_back({{o, i}, x});
  return rules;
}

std::vector<Implication> titan::predicateThroughMerge(const DomainGraph &,
                                                      const DomainExpr &merge) {
  DomainId o = merge.in[0], i = merge.in[1], m = merge.out[0];
  return {{{o}, m}, {{m}, o}, {{}, i}};
}

std::vector<Implication>
titan::predicateThroughResize(const DomainGraph &, const DomainExpr &resize) {
  DomainId x = resize.in[0], y = resize.out[0];
  std::vector<Implication> rules;
  if (resize.left >= 0 && resize.right >= 0)
    rules.push_back({{x}, y});
  if (resize.left <= 0 && resize.right <= 0)
    rules.push_back({{y}, x});
  return rules;
}

std::vector<Implication>
titan::predicateThroughSwizzle(const DomainGraph &, const DomainExpr &swizzle) {
  DomainId x = swizzle.in[0], y = swizzle.in[1];
  DomainId x1 = swizzle.out[0], y1 = swizzle.out[1];
  return {{{x}, x1}, {{x1}, x}, {{x, y}, y1}, {{x1, y1}, y}};
}

std::vector<Implication>
titan::predicateThroughWindow(const DomainGraph &, const DomainExpr &window) {
  return {{{window.out[0], window.out[1]}, window.in[0]}};
}

std::vector<Implication> titan::predicateThrough(const DomainGraph &graph,
                                                 const DomainExpr &expr) {
  switch (expr.kind) {
  case DomainExpr::Kind::Split:
    return predicateThroughSplit(graph, expr);
  case DomainExpr::Kind::Merge:
    return predicateThroughMerge(graph, expr);
  case DomainExpr::Kind::Resize:
    return predicateThroughResize(graph, expr);
  case DomainExpr::Kind::Swizzle:
    return predicateThroughSwizzle(graph, expr);
  case DomainExpr::Kind::Window:
    return predicateThroughWindow(graph, expr);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Equivalences
//===----------------------------------------------------------------------===//

Tri titan::mergeThenSplitIsSplitThenMerge(const Expr &n2, const Expr &factor) {
  return isMultiple(n2, factor);
}

Tri titan::canRotateLeft(const Expr &box, const Expr &n) {
  return isMultiple(box, n);
}

//===----------------------------------------------------------------------===//
// TMA-protected domains
//===----------------------------------------------------------------------===//

std::vector<bool>
titan::tmaProtected(const DomainGraph &graph,
                    const std::vector<DomainId> &partitioned) {
  std::vector<bool> is(graph.size(), false);
  for (DomainId id : partitioned)
    is[id] = true;
  for (bool changed = true; changed;) {
    changed = false;
    auto protect = [&](DomainId id) {
      changed = changed || !is[id];
      is[id] = true;
    };
    for (const DomainExpr &e : graph.exprs()) {
      // In every rule the first input hands on to the first output.
      if (e.removed || !is[e.in[0]] || e.kind == DomainExpr::Kind::Window)
        continue;
      if (e.kind != DomainExpr::Kind::Resize || (e.left >= 0 && e.right >= 0))
        protect(e.out[0]);
    }
  }
  return is;
}

std::vector<Implication>
titan::protectedInBounds(const DomainGraph &graph,
                         const std::vector<DomainId> &partitioned) {
  std::vector<bool> is = tmaProtected(graph, partitioned), given = is;
  for (DomainId id : partitioned)
    given[id] = false;
  std::vector<DomainId> premises;
  for (DomainId id = 0; id < graph.size(); ++id)
    if (!graph[id].removed && !given[id])
      premises.push_back(id);
  std::vector<Implication> rules;
  for (DomainId id = 0; id < graph.size(); ++id)
    if (!graph[id].removed && given[id])
      rules.push_back({premises, id});
  return rules;
}

Tri titan::strongByProtection(const DomainGraph &graph,
                              const std::vector<DomainId> &partitioned) {
  std::vector<bool> is = tmaProtected(graph, partitioned);
  Tri result = Tri::Yes;
  for (const DomainExpr &e : graph.exprs()) {
    if (e.removed || is[e.in[0]])
      continue;
    switch (graph.createsHoles(e)) {
    case Tri::Yes:
      return Tri::No;
    case Tri::Unknown:
      result = Tri::Unknown;
      break;
    case Tri::No:
      break;
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The fundamental theorem
//===----------------------------------------------------------------------===//

bool titan::fundamentalTheorem(int64_t size, int64_t box, int64_t stride) {
  return box % stride != 0 && stride < box && box < size;
}

static int64_t least(int64_t a, int64_t b) { return std::min(a, b); }
static int64_t most(int64_t a, int64_t b) { return std::max(a, b); }
static Expr least(const Expr &a, const Expr &b) { return min(a, b); }
static Expr most(const Expr &a, const Expr &b) { return max(a, b); }

namespace {
/// What the closed form needs, in numbers or in expressions. Conditions are
/// values: they hold when they are >= 0.
template <typename T> struct MixingForm {
  T size;
  int64_t box, stride, begin; // [begin, size - cut) is valid.
  T cut;
  bool isCut; // cut > 0
  T first, step, count;

  /// Some start c with lo <= c < hi.
  T meets(const T &lo, const T &hi) const {
    T k = most(ceilDiv(lo - first, step), T(0));
    return least(count - 1 - k, hi - 1 - (first + k * step));
  }
  /// Some box has a tile with a valid element and a hole with data below it.
  T below() const {
    if (begin <= 0 || stride >= box)
      return T(-1);
    T end = size - cut;
    T c = meets(T(std::max(stride, begin) - box + 1),
                least(T(begin), end - stride));
    return least(c, least(end - begin, end - stride) - 1);
  }
  T above() const {
    bool divides = box % stride == 0;
    if (stride >= box || (!isCut && divides))
      return T(-1);
    T end = size - cut;
    int64_t elements = ceilDiv(box, stride);
    T lo = T(begin - (elements - 1) * stride);
    if (divides)
      lo = most(lo, end - box);
    T c = meets(lo + 1, isCut ? least(end, size - stride) : size - box);
    return least(c, least(end, size - stride) - begin - 1);
  }
  T any() const { return most(below(), above()); }
};
} // namespace

static MixingForm<int64_t> formOf(const TmaBoxDim &dim,
                                  const TmaBoxStarts &starts) {
  int64_t end = dim.validEnd < 0 ? dim.size : std::min(dim.validEnd, dim.size);
  return {dim.size,
          dim.box,
          dim.stride,
          std::max<int64_t>(dim.validBegin, 0),
          dim.size - end,
          end < dim.size,
          starts.first,
          std::max<int64_t>(starts.step, 1),
          starts.step < 1 ? std::min<int64_t>(starts.count, 1) : starts.count};
}

bool titan::boxMixes(const TmaBoxDim &dim, int64_t start) {
  return strongUnachievable(dim, {start, 1, 1});
}

bool titan::strongUnachievable(const TmaBoxDim &dim,
                               const TmaBoxStarts &starts) {
  return formOf(dim, starts).any() >= 0;
}

std::optional<MixedTile> titan::findMixedTile(const TmaBoxDim &dim,
                                              const TmaBoxStarts &starts) {
  if (!strongUnachievable(dim, starts))
    return std::nullopt;
  // The first count of starts with which some box mixes ends in one that does.
  int64_t low = 1, high = starts.count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (strongUnachievable(dim, {starts.first, starts.step, middle}))
      high = middle;
    else
      low = middle + 1;
  }
  int64_t start = starts.first + (low - 1) * starts.step;
  int64_t end = dim.validEnd < 0 ? dim.size : dim.validEnd;
  for (int64_t s = 0; s < dim.stride; ++s) {
    std::optional<int64_t> valid, hole;
    for (int64_t t = 0; t * dim.stride < dim.box; ++t) {
      int64_t i = t * dim.stride + s, p = start + i;
      if (i < dim.box && p >= dim.validBegin && p < end)
        valid = valid ? valid : p;
      else if (p >= 0 && p < dim.size)
        hole = hole ? hole : p;
    }
    if (valid && hole)
      return MixedTile{start, s, *valid, *hole};
  }
  return std::nullopt;
}

Expr titan::strongMargin(const TmaSymbolicBoxes &b) {
  int64_t step = b.step ? b.step : b.box;
  Expr count = ceilDiv(b.extent, Expr(step));
  auto size = b.size.constant(), times = count.constant();
  if (size && times)
    return strongUnachievable({*size, b.box, b.stride, b.begin,
                               std::max<int64_t>(*size - b.cut, 0)},
                              {b.first, step, *times})
               ? -1
               : 0;
  MixingForm<Expr> form{b.size,    b.box,         b.stride,   b.begin, b.cut,
                        b.cut > 0, Expr(b.first), Expr(step), count};
  return Expr(-1) - form.any();
}

namespace {
/// Tiles at one offset whose coordinates leave one remainder, as
/// TmaTileMargins has it.
struct Places {
  Expr begin, end, size, least; // In units of the stride.
  int64_t own, all;             // n and T.
  MixingForm<Expr> form;

  /// Some place u with lo <= u < hi.
  Expr meets(const Expr &lo, const Expr &hi, const Expr &when) const {
    return min(form.meets(lo, hi), min(when, end - begin - 1));
  }
};
} // namespace

template <typename F>
static void forEachResidue(const TmaSymbolicBoxes &b,
                           const TmaTileStarts &starts, int64_t s, F f) {
  int64_t e = b.stride, all = ceilDiv(b.box, e);
  int64_t own = s < b.box ? ceilDiv(b.box - s, e) : 0;
  if (own < 1)
    return;
  int64_t residues = e / std::gcd(e, starts.step);
  for (int64_t k = 0; k < residues; ++k) {
    Expr start = starts.first + (s + k * starts.step), residue = start % e;
    auto unit = [&](const Expr &x) { return ceilDiv(x - residue, e); };
    Places p{
        unit(b.begin), unit(b.size - b.cut), unit(b.size), 0, own, all, {}};
    p.least = p.begin - own + 1;
    p.form.first = start / e;
    p.form.step = starts.step * residues / e;
    p.form.count = ceilDiv(starts.count - k, residues);
    f(p);
  }
}

TmaTileMargins titan::tileMargins(const TmaSymbolicBoxes &b,
                                  const TmaTileStarts &starts) {
  Expr validEnd = b.size - b.cut;
  if (!starts.offset) {
    MixingForm<Expr> form{
        b.size,    b.box,        b.stride,          b.begin,     b.cut,
        b.cut > 0, starts.first, Expr(starts.step), starts.count};
    return {
        min(form.meets(b.begin - b.box + 1, validEnd), validEnd - b.begin - 1),
        form.any()};
  }
  TmaTileMargins some{-1, -1};
  forEachResidue(b, starts, *starts.offset, [&](const Places &p) {
    some.valid = max(some.valid, p.meets(p.least, p.end, 0));
    if (b.begin > 0)
      some.mixes = max(some.mixes, p.meets(p.least, p.begin, p.begin - 1));
    if (b.cut > 0)
      some.mixes = max(some.mixes, p.meets(max(p.least, p.end - p.all + 1),
                                           p.end, p.size - p.end - 1));
    if (p.own < p.all)
      some.mixes =
          max(some.mixes, p.meets(p.least, min(p.end, p.size - p.all + 1), 0));
  });
  return some;
}

Expr titan::negativeMargin(const TmaSymbolicBoxes &b,
                           const TmaTileStarts &starts) {
  constexpr int64_t maxStride = 8;
  Expr margin = -1;
  int64_t from = starts.offset.value_or(0);
  int64_t to = starts.offset ? from : std::min(b.stride, maxStride) - 1;
  for (int64_t s = from; s <= to; ++s)
    forEachResidue(b, starts, s, [&](const Places &p) {
      margin = max(margin, p.meets(p.least, min(p.end, 0), 0));
    });
  return margin;
}

TmaBoxSchedule titan::boxesOfResize(int64_t size, int64_t left, int64_t right,
                                    int64_t box, int64_t stride) {
  TmaBoxSchedule result;
  result.dim = {size, box, stride, std::max<int64_t>(0, -left),
                std::clamp<int64_t>(size + right, 0, size)};
  result.starts = {-left, box, ceilDiv(size + left + right, box)};
  return result;
}
