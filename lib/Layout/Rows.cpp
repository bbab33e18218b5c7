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
