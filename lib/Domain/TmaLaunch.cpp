//===- TmaLaunch.cpp - A lowering at a launch -----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TmaCandidate.h"

using namespace titan;
using namespace titan::tma;

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
  for (Expr &x : low.im2colOffsets)
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

std::vector<const TmaLowering *> TmaLowering::parts() const {
  std::vector<const TmaLowering *> all = {this};
  for (const TmaLowering &part : rest)
    all.push_back(&part);
  return all;
}

int64_t TmaLowering::boxesOfTile() const {
  int64_t sum = 0;
  for (const TmaLowering *part : parts()) {
    int64_t boxes = 1;
    for (const TmaLoop &loop : part->loops)
      boxes *= loop.ofBoxes ? loop.extent.constant().value_or(1) : 1;
    sum += boxes;
  }
  return sum;
}

std::optional<TensorMap>
TmaLowering::tensorMap(const Expr::Bindings &launch) const {
  TensorMap map;
  map.mode = mode;
  map.im2col = im2col;
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
    if (mode == TmaMode::Tiled)
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
    copy.im2colOffsets.assign(im2colOffsets.size(), 0);
    return copy;
  }
  for (const Expr &x : coords) {
    auto value = x.evaluate(values);
    if (!value)
      return std::nullopt;
    copy.coords.push_back(*value);
  }
  for (const Expr &x : im2colOffsets) {
    auto value = x.evaluate(values);
    if (!value)
      return std::nullopt;
    copy.im2colOffsets.push_back(*value);
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
