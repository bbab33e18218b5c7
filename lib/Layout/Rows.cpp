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
