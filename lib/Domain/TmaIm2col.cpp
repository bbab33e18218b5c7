//===- TmaIm2col.cpp - Windows, and pixels of them ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TmaCandidate.h"

#include <algorithm>

using namespace titan;
using namespace titan::tma;

std::optional<Problem>
titan::tma::checkWindows(const TmaSchedule &s,
                         const std::vector<Class> &classes) {
  const DomainGraph &g = s.graph;
  for (const DomainExpr &e : g.exprs()) {
    if (e.removed || e.kind != DomainExpr::Kind::Window)
      continue;
    if (s.direction != TmaDirection::Load)
      return noSchedule(g.str(e) +
                        ": elements stand in several windows, so that "
                        "only loads go through them");
    if (classes[e.in[0]] == Class::Loop)
      continue;
    if (classes[e.out[1]] != Class::Loop && !g[e.out[1]].extent.is(1))
      return noSchedule(g.str(e) + ": the elements of a window, " +
                        g.str(e.out[1]) +
                        ", are loops: a tile has one of each window");
    DomainId id = e.in[0];
    while (g[id].producer >= 0) {
      const DomainExpr &above = g.exprs()[g[id].producer];
      if (above.kind != DomainExpr::Kind::Resize)
        return noSchedule(g.str(e) +
                          ": windows slide over a dimension of the "
                          "tensor, resized or not, not over what " +
                          g.str(above) + " makes");
      id = above.in[0];
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Boxes of windows
//===----------------------------------------------------------------------===//

/// Whether a box of windows that ends at `end` has one behind the last whole
/// one with an element of the dimension, at the same element of the window as
/// one that is whole: positions p*stride + r*dilation - left for `windows` <= p
/// < end.
static bool windowsMix(int64_t size, int64_t windows, int64_t end,
                       const DomainExpr &e, int64_t left) {
  for (int64_t r = 0; r < e.filter && windows >= 1; ++r) {
    int64_t from = left - r * e.dilation; // p*stride is from .. from + size - 1
    if (std::max(windows, ceilDiv(from, e.stride)) <=
        std::min(end - 1, euclidDiv(from + size - 1, e.stride)))
      return true;
  }
  return false;
}

Result<Dim> titan::tma::boxWindows(const DomainGraph &graph, Dim dim,
                                   const DomainExpr &window, int64_t box,
                                   int64_t left, int64_t right) {
  TmaDimension &t = dim.record;
  DomainId p = window.out[0];
  if (t.begin > std::max<int64_t>(-left, 0) ||
      t.cut > std::max<int64_t>(-right, 0))
    return noSchedule(graph.str(window) +
                      ": a resize adds again what one above it cuts off");
  if (box > int64_t(1) << 32)
    return noSchedule(graph.str(window) + ": a box of more than 2^32 windows");
  dim.kind = Class::Mixed;
  dim.slides = true;
  dim.resized = {p};
  dim.extent = graph[p].extent;
  t.begin = t.cut = 0;
  t.elementStride = window.stride;
  t.box = (box - 1) * window.stride + 1;
  t.tile = box;
  t.how = "windows";
  dim.mixes = ": of " + std::to_string(box) +
              " windows, one is behind the last whole one and has an element "
              "of the dimension";
  auto size = t.size.constant(), windows = graph[p].extent.constant();
  int64_t group = t.group ? t.group : box, from = t.first;
  // The last group ends behind the last window, and so does a box of it where
  // it begins before.
  if (size && windows) {
    t.margin = 0;
    int64_t last = *windows - *windows % group + from;
    for (int64_t k = 0; k < t.boxes; ++k, last += box)
      if (last < *windows && *windows < last + box &&
          windowsMix(*size, *windows, last + box, window, left))
        t.margin = -1;
  } else { // Where padding is wider than all windows this asks for too much.
    Expr in = graph[p].extent % Expr(group) - from;
    Expr apart = Expr(0) - in % Expr(box);
    if (t.group)
      apart = max(apart, max(Expr(0) - in, in - t.boxes * box));
    t.margin = max(apart, graph[p].extent * window.stride - left - t.size);
  }
  return dim;
}

//===----------------------------------------------------------------------===//
// Pixels
//===----------------------------------------------------------------------===//

/// The inputs of a tree of merges, in order.
static void flatten(const DomainGraph &g, DomainId id,
                    std::vector<DomainId> &inputs) {
  if (g[id].producer >= 0) {
    const DomainExpr &e = g.exprs()[g[id].producer];
    if (e.kind == DomainExpr::Kind::Merge) {
      flatten(g, e.in[0], inputs);
      flatten(g, e.in[1], inputs);
      return;
    }
  }
  inputs.push_back(id);
}

/// The spatial dimension that `id` counts pixels of: its windows, or its
/// elements, resized or not.
static Result<Im2col::Spatial> spatialOf(const TmaSchedule &s, DomainId id) {
  const DomainGraph &g = s.graph;
  auto producer = [&](DomainId of) {
    return g[of].producer < 0 ? nullptr : &g.exprs()[g[of].producer];
  };
  Im2col::Spatial dim;
  dim.windows = id;
  if (const DomainExpr *e = producer(id);
      e && e->kind == DomainExpr::Kind::Window && e->out[0] == id) {
    dim.element = e->out[1];
    dim.filter = e->filter;
    dim.stride = e->stride;
    dim.dilation = e->dilation;
    id = e->in[0];
  }
  // From the inside out: what is added on a side, and cut off it.
  for (const DomainExpr *e = producer(id);
       e && e->kind == DomainExpr::Kind::Resize; e = producer(id)) {
    if ((dim.left > 0 && e->left < 0) || (dim.right > 0 && e->right < 0))
      return noSchedule(g.str(*e) + ": what it cuts off is added again below, "
                                    "which is no padding");
    dim.left += e->left;
    dim.right += e->right;
    id = e->in[0];
  }
  for (const TmaGlobalDim &d : s.global)
    if (d.domain == id) {
      dim.global = d;
      return dim;
    }
  return noSchedule(g.str(id) + " is no dimension of the tensor, but is merged "
                                "with windows");
}

Result<std::optional<View>>
titan::tma::inferIm2col(const TmaSchedule &s,
                        const std::vector<Class> &classes) {
  const DomainGraph &g = s.graph;
  // Windows that are merged, and with what.
  DomainId pixels = -1;
  const DomainExpr *window = nullptr;
  for (const DomainExpr &e : g.exprs())
    if (!e.removed && e.kind == DomainExpr::Kind::Window &&
        classes[e.out[0]] != Class::Loop) {
      DomainId id = e.out[0];
      while (g[id].consumer >= 0 &&
             g.exprs()[g[id].consumer].kind == DomainExpr::Kind::Merge)
        id = g.exprs()[g[id].consumer].out[0];
      if (id == e.out[0])
        continue;
      pixels = id;
      window = &e;
    }
  if (pixels < 0)
    return std::optional<View>();
  std::vector<DomainId> inputs;
  flatten(g, pixels, inputs);
  // Dimension 0 is N, the last one C; W comes first.
  size_t rank = s.global.size();
  bool ordered = rank >= 3 && rank <= TensorMap::maxRank &&
                 inputs.size() + 1 == rank && inputs[0] == s.global[0].domain;
  Im2col im2col;
  im2col.images = s.global[0];
  for (size_t k = rank - 1; k-- > 1 && ordered;) {
    auto dim = spatialOf(s, inputs[k]);
    if (!dim)
      return dim.problem();
    ordered = dim->global.domain == s.global[k].domain;
    im2col.spatial.push_back(*dim);
  }
  if (!ordered) {
    std::string list;
    for (DomainId id : inputs)
      list += (list.empty() ? "" : ", ") + g.str(id);
    return noSchedule(
        g.str(*window) + ": " + g.str(pixels) + " merges " + list +
        "; pixels of an im2col copy are N and the windows of D, H "
        "and W, in this order, of a tensor N, W, C, N, H, W, C or "
        "N, D, H, W, C");
  }
  const TmaGlobalDim &channels = s.global.back();
  for (DomainId id : s.tmaDomain)
    if (id != pixels && id != channels.domain)
      return noSchedule(g.str(id) +
                        " is in the prescribed TMA domain, but the "
                        "copy is im2col's, of " +
                        g.str(pixels) + " and " + g.str(channels.domain));
  auto row = matchDim(g, classes, pixels, im2col.spatial[0].global.stride,
                      /*pixels=*/true);
  if (!row)
    return row.problem();
  if (row->record.elementStride != 1)
    return noSchedule(g.str(pixels) +
                      ": pixels of a tile follow one another, "
                      "these are " +
                      std::to_string(row->record.elementStride) + " apart");
  auto column = matchDim(g, classes, channels.domain, channels.stride);
  if (!column)
    return column.problem();
  View view;
  view.dims = {*row, *column};
  view.im2col = std::move(im2col);
  return std::optional(std::move(view));
}

//===----------------------------------------------------------------------===//
// The candidate
//===----------------------------------------------------------------------===//

void Lowering::addPixels(Candidate &c, const Im2col &im2col) const {
  TmaLowering &low = c.low;
  low.mode = TmaMode::Im2col;
  low.im2col.pixels = static_cast<uint32_t>(c.pieces.taken[0]);
  low.im2col.channels = static_cast<uint32_t>(c.pieces.taken[1]);
  const TmaDimension &pixels = low.dimensions[1], &channels = low.dimensions[0];
  low.why.push_back("im2col: " + number(c.pieces.taken[0]) + " pixels of " +
                    g.str(pixels.domains[0]) + " (" + pixels.how + "), " +
                    number(c.pieces.taken[1]) + " channels of " +
                    g.str(channels.domains[0]) + " (" + channels.how + ")");
  auto add = [&](const Expr &size, const Expr &coordinate, int64_t step) {
    low.dims.push_back(size);
    low.coords.push_back(coordinate);
    low.elementStrides.push_back(static_cast<uint32_t>(step));
  };
  add(channels.size, linear(c.dims[1]), 1);
  for (size_t d = 0; d < im2col.spatial.size(); ++d) {
    const Im2col::Spatial &dim = im2col.spatial[d];
    const Expr &size = g[dim.global.domain].extent;
    // A corner that is no corner's number stays one.
    auto corner = [](int64_t n) {
      constexpr int64_t most = 1 << 30;
      return static_cast<int32_t>(std::clamp(n, -most, most));
    };
    low.im2col.lower[d] = corner(-dim.left);
    low.im2col.upper[d] = corner(dim.right - (dim.filter - 1) * dim.dilation);
    add(size, *index[dim.windows] * dim.stride - dim.left, dim.stride);
    low.strides.push_back(dim.global.stride);
    low.im2colOffsets.push_back(
        dim.element < 0 ? Expr(0) : *index[dim.element] * dim.dilation);
    low.why.push_back(g.str(dim.global.domain) + ": the bounding box from " +
                      number(low.im2col.lower[d]) + " to " +
                      (size + Expr(low.im2col.upper[d]) - 1).str() +
                      " in steps of " + number(dim.stride) + ", coordinate " +
                      low.coords.back().str() + ", offset " +
                      low.im2colOffsets.back().str());
  }
  add(g[im2col.images.domain].extent, *index[im2col.images.domain], 1);
  low.strides.push_back(im2col.images.stride);
}

/// Bounding boxes that only a launch knows, and offsets. What is known of the
/// corners validate() says.
void Lowering::im2colLimits(Candidate &c) const {
  const TmaLowering &low = c.low;
  Requirements &r = c.needs;
  size_t spatial = low.im2colOffsets.size();
  int64_t most = spatial == 1 ? 65535 : spatial == 2 ? 255 : 31;
  for (size_t d = 0; d < spatial; ++d) {
    std::string at = "[" + number(static_cast<int64_t>(d)) + "]";
    const Expr &size = low.dims[d + 1];
    if (!size.constant()) {
      Expr end = size + Expr(low.im2col.upper[d]);
      std::string field = "pixelBoxUpperCorner" + at;
      r.atLeastZero(Code::TmaIm2col, end - low.im2col.lower[d] - 1, field,
                    "the bounding box from " + number(low.im2col.lower[d]) +
                        " to " + (end - 1).str() + " is empty");
      r.atLeastZero(Code::TmaIm2col, Expr(INT32_MAX) - end, field,
                    "the bounding box ends past 2^31");
    }
    const Expr &offset = low.im2colOffsets[d];
    Bounds range = rangeOf(offset, this->most);
    r.atLeastZero(Code::TmaIm2col, min(range.least, Expr(most) - range.most),
                  "im2colOffsets" + at,
                  "offset " + offset.str() + " is not in 0 .. " + number(most),
                  "let (filter - 1) * dilation be at most " + number(most) +
                      ", or copy by tiles: boxes of windows, one dimension at "
                      "a time");
  }
}
