//===- Rows.cpp - Who holds the elements of a row -------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Rows.h"

#include "LayoutParts.h"

#include <algorithm>
#include <bit>
#include <optional>

using namespace titan;

Result<std::vector<RowDigit>> titan::digitsAlong(const Layout &tile, int dim) {
  Layout layout = tile.canonical();
  std::string name = "dimension " + std::to_string(dim);
  std::vector<RowDigit> digits;
  bool sums = layout.bits().isIdentity() && layout.offset()[dim] == 0;
  for (const PlacedDigit &placed : placedDigits(layout.axes())) {
    const Digit &digit = placed.digit;
    if (digit.isExclusive())
      sums &= digit.image[dim] == 0;
    else if (digit.dim == dim)
      digits.push_back(
          {placed.axis, placed.weight, digit.extent, digit.stride});
  }
  if (!sums)
    return layoutMismatch(
        "coordinates along " + name +
        " are no sum of digits of registers, lanes and warps");
  std::sort(
      digits.begin(), digits.end(),
      [](const RowDigit &a, const RowDigit &b) { return a.stride < b.stride; });
  int64_t reached = 1;
  for (const RowDigit &digit : digits) {
    if (digit.stride != reached)
      return layoutMismatch(
          "registers, lanes and warps do not hold each element "
          "along " +
          name + " by digits of their own");
    reached *= digit.extent;
  }
  if (reached != layout.dims()[dim].extent)
    return layoutMismatch("the tile does not hold all elements along " + name);
  return digits;
}

namespace {
/// What one bit of an input does: to the coordinate along the dimension, and to
/// the others, whose bits lie side by side.
struct Step {
  int axis;
  int64_t along, others;
  bool isPure() const { return !others && isPowerOfTwo(along); }
};
} // namespace

/// The steps of a tile that is linear over bits; none: it is not.
static std::optional<std::vector<Step>> stepsOf(const Layout &tile, int dim) {
  if (tile.axes().size() != 3 || tile.apply({0, 0, 0}) != Coord(tile.rank()))
    return std::nullopt;
  std::vector<Axis> axes = tile.axes();
  std::vector<Step> steps;
  for (int a = 0; a < 3; ++a) {
    if (!isPowerOfTwo(axes[a].size()))
      return std::nullopt;
    std::vector<Digit> digits;
    for (int64_t bit = 1; bit < axes[a].size(); bit *= 2) {
      Coord in{0, 0, 0};
      in[a] = bit;
      Coord image = tile.apply(in);
      Step step{a, image[dim], 0};
      int shift = 0;
      for (int d = 0; d < tile.rank(); ++d) {
        if (d == dim)
          continue;
        step.others |= image[d] << shift;
        shift += std::bit_width(static_cast<uint64_t>(tile.dims()[d].extent));
      }
      steps.push_back(step);
      digits.push_back(
          Digit::xors(2, std::vector<int64_t>(image.begin(), image.end())));
    }
    axes[a].digits = digits;
  }
  Result<Layout> linear = Layout::make(axes, tile.dims());
  if (!linear || !linear->sameFunction(tile))
    return std::nullopt;
  return steps;
}

/// Some of the steps within a warp, as a mask, whose sum goes `along` and nowhere
/// else; 0: there are none.
static uint64_t sumTo(const std::vector<Step> &steps, int64_t along) {
  struct Row {
    int64_t along, others;
    uint64_t of;
    bool any() const { return along || others; }
    // The highest bit: those of the other dimensions first.
    bool reduces(const Row &row) const {
      return others ? (row.others ^ others) < row.others
                    : !row.others && (row.along ^ along) < row.along;
    }
  };
  std::vector<Row> basis;
  auto reduced = [&](Row row) {
    for (const Row &each : basis)
      if (each.reduces(row))
        row = {row.along ^ each.along, row.others ^ each.others,
               row.of ^ each.of};
    return row;
  };
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].axis > 1)
      continue;
    Row row = reduced({steps[i].along, steps[i].others, uint64_t(1) << i});
    if (!row.any())
      continue;
    basis.push_back(row);
    // By highest bits, so that one walk reduces.
    std::sort(basis.begin(), basis.end(), [](const Row &a, const Row &b) {
      return a.others != b.others ? a.others > b.others : a.along > b.along;
    });
  }
  Row row = reduced({along, 0, 0});
  return row.any() ? 0 : row.of;
}

Result<Layout> titan::rowsByDigits(const Layout &tile, int dim) {
  Result<std::vector<RowDigit>> digits = digitsAlong(tile, dim);
  if (digits)
    return tile;
  std::optional<std::vector<Step>> found = stepsOf(tile, dim);
  if (!found || found->size() > 64)
    return digits.problem();
  std::vector<Step> &steps = *found;
  // A step for each bit of the coordinate that a warp has.
  int64_t held = 0, extent = tile.dims()[dim].extent;
  std::vector<bool> chosen(steps.size());
  for (int64_t bit = 1; bit < extent; bit *= 2) {
    uint64_t sum = sumTo(steps, bit);
    if (!sum)
      continue;
    // The best of the sum: that step already, then one along `dim` alone.
    size_t best = steps.size();
    auto rank = [&](size_t i) {
      return steps[i].isPure() && steps[i].along == bit ? 0
             : !steps[i].others                         ? 1
                                                        : 2;
    };
    for (size_t i = 0; i < steps.size(); ++i)
      if (sum >> i & 1 && !chosen[i] &&
          (best == steps.size() || rank(i) < rank(best)))
        best = i;
    if (best == steps.size())
      return digits.problem();
    steps[best].along = bit;
    steps[best].others = 0;
    chosen[best] = true;
    held |= bit;
  }
  for (size_t i = 0; i < steps.size(); ++i)
    if (!chosen[i])
      steps[i].along &= ~held;

  // Digits, as far as no other step goes there, else exclusive or.
  std::vector<Axis> axes = tile.axes();
  for (Axis &axis : axes)
    axis.digits.clear();
  for (const Step &step : steps) {
    std::vector<int64_t> image(tile.rank());
    int shift = 0, only = dim, reached = 0;
    for (int d = 0; d < tile.rank(); ++d) {
      image[d] = step.along;
      if (d != dim) {
        int width =
            std::bit_width(static_cast<uint64_t>(tile.dims()[d].extent));
        image[d] = step.others >> shift & ((int64_t(1) << width) - 1);
        shift += width;
      }
      only = image[d] ? d : only;
      reached += image[d] != 0;
    }
    bool alone = reached == 1 && isPowerOfTwo(image[only]);
    for (const Step &other : steps)
      alone &= &other == &step ||
               (!(other.along & step.along) && !(other.others & step.others));
    axes[step.axis].digits.push_back(alone     ? Digit{2, only, image[only]}
                                     : reached ? Digit::xors(2, image)
                                               : Digit{2, Digit::replica, 0});
  }
  Result<Layout> made = Layout::make(axes, tile.dims());
  if (!made)
    return digits.problem();
  Layout layout = made->canonical();
  if (Result<std::vector<RowDigit>> now = digitsAlong(layout, dim); !now)
    return now.problem();
  return layout;
}

Result<std::vector<RowDigit>> titan::digitsInWarp(const Layout &tile, int dim) {
  Result<std::vector<RowDigit>> digits = digitsAlong(tile, dim);
  if (!digits)
    return digits;
  for (const RowDigit &digit : *digits) {
    if (digit.axis > 1)
      return layoutMismatch("dimension " + std::to_string(dim) +
                            " lies in several warps");
    if (digit.axis == 1 && !isPowerOfTwo(digit.extent))
      return layoutMismatch("dimension " + std::to_string(dim) + " lies in " +
                            std::to_string(digit.extent) +
                            " lanes, which is no power of two");
  }
  return digits;
}

Result<RowParts> titan::cutRows(const Layout &tile) {
  int last = tile.rank() - 1;
  Result<std::vector<RowDigit>> digits = digitsAlong(tile, last);
  if (!digits)
    return digits.problem();
  Layout layout = tile.canonical();
  RowParts cut;
  std::vector<Axis> axes = layout.axes();
  // The new stride of each digit, by its old one.
  int64_t inner = 1;
  std::vector<std::pair<int64_t, int64_t>> strides;
  for (const RowDigit &digit : *digits) {
    int64_t &reached = digit.axis >= 2 ? cut.parts : inner;
    strides.push_back({digit.stride, reached});
    reached *= digit.extent;
  }
  for (size_t a = 0; a < axes.size(); ++a)
    for (Digit &digit : axes[a].digits) {
      if (digit.isExclusive()) {
        digit.image.push_back(0);
        continue;
      }
      if (digit.dim != last)
        continue;
      digit.dim = a >= 2 ? last : last + 1;
      for (auto [from, to] : strides)
        if (from == digit.stride)
          digit.stride = to;
    }
  std::vector<std::string> names = defaultDimNames(tile.rank() + 1);
  std::vector<Dim> dims;
  std::vector<int64_t> offset = layout.offset();
  for (int d = 0; d < tile.rank() + 1; ++d)
    dims.push_back({names[d], d < last    ? layout.dims()[d].extent
                              : d == last ? cut.parts
                                          : inner});
  offset.push_back(0);
  Result<Layout> made = Layout::make(axes, dims, offset);
  if (!made)
    return made.problem();
  cut.tile = *made;
  return cut;
}

/// digitsAlong, of rows that one CTA holds.
static Result<std::vector<RowDigit>> digitsInCta(const Layout &tile, int dim) {
  Result<std::vector<RowDigit>> digits = digitsAlong(tile, dim);
  if (digits)
    for (const RowDigit &digit : *digits)
      if (digit.axis > 2)
        return layoutMismatch("dimension " + std::to_string(dim) +
                              " lies in several CTAs");
  return digits;
}

Result<RowParts> titan::blockRows(const Layout &tile, int dim) {
  Result<std::vector<RowDigit>> digits = digitsInCta(tile, dim);
  if (!digits)
    return digits.problem();
  auto warps =
      std::find_if(digits->begin(), digits->end(),
                   [](const RowDigit &digit) { return digit.axis == 2; });
  if (warps == digits->end())
    return layoutMismatch("dimension " + std::to_string(dim) +
                          " lies in one warp");
  std::vector<int64_t> shape = tile.shape();
  int64_t parts = shape[dim] / warps->stride;
  shape[dim] = parts;
  shape.insert(shape.begin() + dim + 1, warps->stride);
  std::vector<int> order;
  for (int d = 0; d <= tile.rank(); ++d)
    if (d != dim && d != dim + 1)
      order.push_back(d);
  order.push_back(dim);
  order.push_back(dim + 1);
  Result<Layout> blocks = tile.canonical().reshaped(shape);
  if (blocks)
    blocks = blocks->permuted(order);
  if (!blocks)
    return layoutMismatch(blocks.problem().message);
  // By the names that a tile of this rank has.
  std::vector<Dim> dims = blocks->dims();
  std::vector<std::string> names = defaultDimNames(tile.rank() + 1);
  for (size_t d = 0; d < dims.size(); ++d)
    dims[d].name = names[d];
  blocks = Layout::make(blocks->axes(), dims, blocks->offset(), blocks->bits());
  if (!blocks)
    return blocks.problem();
  return RowParts{*blocks, parts};
}

Result<Layout> titan::wholeRows(const Layout &tile, int dim) {
  Result<std::vector<RowDigit>> digits = digitsInCta(tile, dim);
  if (!digits)
    return digits.problem();
  Layout layout = tile.canonical();
  std::vector<Axis> axes = layout.axes();
  for (Digit &digit : axes[2].digits)
    if (!digit.isExclusive() && digit.dim == dim) {
      axes[0].digits.push_back(digit);
      digit = Digit{digit.extent, Digit::replica, 0};
    }
  Result<Layout> whole =
      Layout::make(axes, layout.dims(), layout.offset(), layout.bits());
  if (!whole)
    return whole.problem();
  return whole->normalized();
}
