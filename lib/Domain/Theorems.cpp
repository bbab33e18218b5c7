//===- Theorems.cpp - Predicates, holes and the boxes of TMA --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/Theorems.h"

#include <algorithm>

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
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Equivalences
//===----------------------------------------------------------------------===//

bool titan::mergeThenSplitIsSplitThenMerge(int64_t n2, int64_t factor) {
  return n2 % factor == 0;
}

bool titan::canRotateLeft(int64_t box, int64_t n) { return box % n == 0; }

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
      if (e.removed || !is[e.in[0]])
        continue;
      if (e.kind != DomainExpr::Kind::Resize || (e.left >= 0 && e.right >= 0))
        protect(e.out[0]);
    }
  }
  return is;
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

static bool allValid(const TmaBoxDim &dim) {
  return dim.validBegin <= 0 && (dim.validEnd < 0 || dim.validEnd >= dim.size);
}

/// The starts at which an uncut dimension's box mixes: [begin, end).
static std::pair<int64_t, int64_t> mixingStarts(const TmaBoxDim &dim) {
  if (dim.box % dim.stride == 0 || dim.stride >= dim.box ||
      dim.stride >= dim.size)
    return {0, 0};
  int64_t elements = ceilDiv(dim.box, dim.stride);
  return {1 - (elements - 1) * dim.stride, dim.size - dim.box};
}

/// How many of the positions p, p + stride, ... (`count` of them) lie in
/// [begin, end).
static int64_t countWithin(int64_t p, int64_t stride, int64_t count,
                           int64_t begin, int64_t end) {
  int64_t first = std::clamp<int64_t>(ceilDiv(begin - p, stride), 0, count);
  int64_t last = std::clamp<int64_t>(ceilDiv(end - p, stride), 0, count);
  return std::max<int64_t>(last - first, 0);
}

bool titan::boxMixes(const TmaBoxDim &dim, int64_t start) {
  if (allValid(dim)) {
    auto [begin, end] = mixingStarts(dim);
    return begin <= start && start < end;
  }
  int64_t elements = ceilDiv(dim.box, dim.stride);
  int64_t validEnd = dim.validEnd < 0 ? dim.size : dim.validEnd;
  for (int64_t s = 0; s < dim.stride; ++s) {
    int64_t p = start + s;
    int64_t data = countWithin(p, dim.stride, elements, 0, dim.size);
    int64_t valid = countWithin(p, dim.stride, elements, dim.validBegin,
                                std::min(validEnd, start + dim.box));
    if (valid > 0 && data > valid)
      return true;
  }
  return false;
}

bool titan::strongUnachievable(const TmaBoxDim &dim,
                               const TmaBoxStarts &starts) {
  if (allValid(dim)) {
    auto [begin, end] = mixingStarts(dim);
    if (starts.step < 1 || starts.count < 1)
      return starts.count >= 1 && begin <= starts.first && starts.first < end;
    // The first start at or after `begin`.
    int64_t k =
        std::max<int64_t>(ceilDiv(begin - starts.first, starts.step), 0);
    return k < starts.count && starts.first + k * starts.step < end;
  }
  for (int64_t k = 0; k < starts.count; ++k)
    if (boxMixes(dim, starts.first + k * starts.step))
      return true;
  return false;
}

TmaBoxSchedule titan::boxesOfResize(int64_t size, int64_t left, int64_t right,
                                    int64_t box, int64_t stride) {
  TmaBoxSchedule result;
  result.dim = {size, box, stride, std::max<int64_t>(0, -left),
                std::min(size, size + right)};
  result.starts = {-left, box, ceilDiv(size + left + right, box)};
  return result;
}
