//===- LaneTerms.cpp - Layouts that lane and warp compute -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/LaneTerms.h"

#include "BitForm.h"

#include <algorithm>
#include <bit>

using namespace titan;

int64_t LaneTerms::operator()(int64_t lane, int64_t warp) const {
  int64_t value = origin;
  for (const LaneTerm &term : terms) {
    int64_t input = term.axis == 1 ? lane : warp;
    int64_t part = input / term.weight % term.extent * term.factor;
    value = exclusive ? value ^ part : value + part;
  }
  int64_t sum = value;
  for (const LaneFold &fold : folds)
    value ^= (sum & fold.mask) >> fold.down;
  return value;
}

/// Register 0 of CTA 0 alone.
static Result<Layout> firstRegister(const Layout &layout) {
  if (!layout.isTile() || layout.rank() != 1)
    return algebraProblem("a function of lane and warp has axes reg, lane, "
                          "warp and one dimension");
  Result<Layout> one = layout.restricted(0, 0);
  if (one && layout.axes().size() > 3)
    one = one->restricted(3, 0);
  return one;
}

/// Appends a term, or lets the last one go on. `carries`: the values of this
/// one's bits may overlap, so that multiplying is not the same as joining them.
static void append(std::vector<LaneTerm> &terms, LaneTerm term, bool carries) {
  if (term.factor == 0 || term.extent == 1)
    return;
  if (!terms.empty()) {
    LaneTerm &last = terms.back();
    if (last.axis == term.axis && last.weight * last.extent == term.weight &&
        last.factor * last.extent == term.factor) {
      int64_t extent = last.extent * term.extent;
      // Copies of the factor, shifted, that do not overlap: their sum has all of
      // their bits.
      auto bits = [](int64_t n) { return std::popcount(uint64_t(n)); };
      if (!carries || bits(last.factor * (extent - 1)) ==
                          bits(last.factor) * bits(extent - 1)) {
        last.extent = extent;
        return;
      }
    }
  }
  terms.push_back(term);
}

Result<LaneTerms> titan::laneTerms(const Layout &layout) {
  Result<Layout> one = firstRegister(layout);
  if (!one)
    return one.problem();
  LaneTerms result;
  if (auto form = BitForm::of(*one)) {
    result.exclusive = true;
    result.origin = static_cast<int64_t>(form->constant);
    for (const BitForm::Piece &piece : form->pieces) {
      LaneTerm term{piece.axis, piece.weight, piece.extent, piece.stride};
      if (piece.isBit())
        term.factor = static_cast<int64_t>(piece.image);
      append(result.terms, term, /*carries=*/piece.isBit());
    }
    return result;
  }
  if (!one->isSum()) {
    for (BitLinear::Term term : one->bits().terms()) {
      if (term.to >= term.from)
        return algebraProblem("a swizzle towards higher bits, of digits that "
                              "overlap");
      int64_t bit = int64_t(1) << term.from;
      int down = term.from - term.to;
      auto fold = std::find_if(result.folds.begin(), result.folds.end(),
                               [&](LaneFold f) { return f.down == down; });
      if (fold == result.folds.end())
        result.folds.push_back({bit, down});
      else
        fold->mask |= bit;
    }
    one = Layout::make(one->axes(), one->dims(), one->offset());
    if (!one)
      return one.problem();
    if (!one->isSum())
      return algebraProblem("exclusive or of digits that overlap");
  }
  result.origin = one->offset()[0];
  for (const PlacedDigit &placed : placedDigits(one->normalized().axes()))
    if (placed.digit.isSum())
      append(result.terms,
             {placed.axis, placed.weight, placed.digit.extent,
              placed.digit.stride},
             /*carries=*/false);
  return result;
}

Result<Layout> titan::coordinateOf(const Layout &tile, int64_t reg, int dim) {
  Result<Layout> one = tile.restricted(0, reg);
  for (int d = tile.rank(); one && d-- > 0;)
    if (d != dim)
      one = one->withoutDim(d);
  return one;
}

/// Whether two lists of pieces are the same function but for the constant.
static bool samePieces(const BitForm &a, const BitForm &b) {
  // Replicas say nothing.
  auto next = [](const BitForm &form, size_t &i) -> const BitForm::Piece * {
    while (i < form.pieces.size() && form.pieces[i].image == 0 &&
           form.pieces[i].dim == Digit::replica)
      ++i;
    return i < form.pieces.size() ? &form.pieces[i++] : nullptr;
  };
  for (size_t i = 0, k = 0;;) {
    const BitForm::Piece *x = next(a, i), *y = next(b, k);
    if (!x || !y)
      return !x && !y;
    if (x->axis != y->axis || x->weight != y->weight ||
        x->extent != y->extent || x->image != y->image ||
        x->stride != y->stride)
      return false;
  }
}

std::optional<LaneStep> titan::laneStep(const Layout &first, const Layout &next,
                                        int64_t unit) {
  Result<Layout> a = firstRegister(first), b = firstRegister(next);
  if (!a || !b)
    return std::nullopt;
  auto from = BitForm::of(*a), to = BitForm::of(*b);
  if (from && to) {
    if (!samePieces(*from, *to))
      return std::nullopt;
    uint64_t moved = from->oddBits;
    for (const BitForm::Piece &piece : from->pieces)
      moved |= piece.image;
    // Both are the same values, xored with their constants. A bit that no value
    // moves has a fixed distance.
    uint64_t step = from->constant ^ to->constant;
    uint64_t low = step & static_cast<uint64_t>(unit - 1);
    auto distance = [&](uint64_t bits) {
      return static_cast<int64_t>(to->constant & bits) -
             static_cast<int64_t>(from->constant & bits);
    };
    if (!(step & moved))
      return LaneStep{0, distance(step)};
    if (step & ~low & moved)
      return std::nullopt;
    return LaneStep{static_cast<int64_t>(low), distance(step & ~low)};
  }
  auto isSum = [](const Layout &layout) {
    for (const Axis &axis : layout.axes())
      for (const Digit &digit : axis.digits)
        if (digit.isExclusive())
          return false;
    return true;
  };
  if (!isSum(*a) || !isSum(*b) || a->bits() != b->bits() ||
      a->normalized().axes() != b->normalized().axes())
    return std::nullopt;
  // A step over bits that no term of a swizzle reads or writes.
  int64_t step = b->offset()[0] - a->offset()[0], period = 1;
  for (BitLinear::Term term : a->bits().terms())
    period = std::max(period, int64_t(2) << std::max(term.from, term.to));
  return step % period ? std::nullopt : std::optional(LaneStep{0, step});
}
