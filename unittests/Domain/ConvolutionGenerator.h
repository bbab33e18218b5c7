//===- ConvolutionGenerator.h - Schedules with windows ----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads of convolutions: a tensor N x (D x (H x)) W x C of 32-bit elements,
// windows over D, H and W, padded or cut; then pixels in tiles, or windows in
// boxes.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_UNITTESTS_DOMAIN_CONVOLUTIONGENERATOR_H
#define TITAN_UNITTESTS_DOMAIN_CONVOLUTIONGENERATOR_H

#include "titan/Domain/TmaSchedule.h"

#include <optional>
#include <random>

namespace titan {

struct Convolution {
  struct Side {
    int64_t size, left, right, filter, stride, dilation;
    bool slides = true; ///< There are windows; else the elements are pixels.
    int64_t reach() const { return (filter - 1) * dilation + 1; }
    bool identity() const {
      return left == 0 && right == 0 && filter == 1 && stride == 1;
    }
  };

  TmaSchedule s;
  std::vector<Side> sides; ///< Outermost first.
  DomainId images, channels;
  std::vector<DomainId> windows, elements, tile;
  bool pixels = false;

  /// `pitch`: bytes that each stride has more.
  Convolution(int64_t n, std::vector<Side> dims, int64_t c, int64_t pitch = 0)
      : sides(std::move(dims)) {
    DomainGraph &g = s.graph;
    images = g.root(n);
    std::vector<DomainId> roots;
    for (const Side &d : sides)
      roots.push_back(g.root(d.size));
    channels = g.root(c);
    s.type = findTmaType("u32");
    int64_t stride = 4;
    std::vector<DomainId> all = {images};
    all.insert(all.end(), roots.begin(), roots.end());
    all.push_back(channels);
    s.global.resize(all.size());
    for (size_t k = all.size(); k-- > 0;) {
      s.global[k] = {all[k], stride};
      stride *= *g[all[k]].extent.constant();
      stride = (stride + 15) / 16 * 16 + pitch;
    }
    if (!fits())
      return;
    for (size_t k = 0; k < sides.size(); ++k) {
      const Side &d = sides[k];
      DomainId x = roots[k];
      if (d.left != 0 || d.right != 0)
        x = *g.resize(x, d.left, d.right);
      if (!d.slides) {
        windows.push_back(x);
        continue;
      }
      auto [p, r] = *g.window(x, d.filter, d.stride, d.dilation);
      windows.push_back(p);
      elements.push_back(r);
    }
  }

  bool fits() const {
    for (const Side &d : sides)
      if (d.size + d.left + d.right < d.reach())
        return false;
    return true;
  }
  int64_t extentOf(size_t root) const {
    return *s.graph[s.global[root].domain].extent.constant();
  }
  bool pads() const {
    for (const Side &d : sides)
      if (d.left > 0 || d.right > 0)
        return true;
    return false;
  }
  /// The pixels are the tensor's, one after the other.
  bool isMatrix() const {
    for (const Side &d : sides)
      if (!d.identity())
        return false;
    for (size_t k = 0; k < sides.size(); ++k)
      if (extentOf(k) != 1 &&
          *s.global[k].stride.constant() !=
              *s.global[k + 1].stride.constant() * extentOf(k + 1))
        return false;
    return true;
  }
  /// Whether some window has an element of the tensor on each side.
  bool reachesEverySide() const {
    for (const Side &d : sides) {
      bool reaches = false;
      int64_t all = (d.size + d.left + d.right - d.reach()) / d.stride + 1;
      for (int64_t p = 0; p < all; ++p)
        for (int64_t r = 0; r < d.filter; ++r) {
          int64_t x = p * d.stride + r * d.dilation - d.left;
          reaches = reaches || (x >= 0 && x < d.size);
        }
      if (!reaches)
        return false;
    }
    return true;
  }

  /// Tiles of `count` pixels; of boxes of `box` pixels, of boxes of `inner`
  /// ones, where those are not 0.
  void mergePixels(int64_t count, int64_t box = 0, int64_t inner = 0,
                   bool fromInside = false) {
    DomainGraph &g = s.graph;
    pixels = true;
    DomainId m = fromInside ? windows.back() : images;
    if (fromInside) {
      for (size_t k = windows.size() - 1; k-- > 0;)
        m = *g.merge(windows[k], m);
      m = *g.merge(images, m);
    } else {
      for (DomainId id : windows)
        m = *g.merge(m, id);
    }
    for (int64_t n : {box, inner})
      if (n != 0)
        m = g.splitInner(m, n)->second;
    tile.push_back(g.splitInner(m, count)->second);
  }
  /// Boxes of so many windows; 0: of all. Images are a loop.
  void boxWindows(const std::vector<int64_t> &boxes) {
    for (size_t k = 0; k < windows.size(); ++k)
      tile.push_back(boxes[k] == 0
                         ? windows[k]
                         : s.graph.splitInner(windows[k], boxes[k])->second);
  }
  /// Tiles of `count` channels, and the rest.
  void finish(int64_t count) {
    tile.push_back(s.graph.splitInner(channels, count)->second);
    s.bulk = tile;
  }

  /// None: some window does not fit.
  static std::optional<Convolution> random(uint64_t seed) {
    std::mt19937_64 random(seed);
    auto pick = [&](int64_t least, int64_t most) {
      return least + static_cast<int64_t>(
                         random() % static_cast<uint64_t>(most - least + 1));
    };
    int64_t rank = pick(1, 3), most = rank == 1 ? 9 : rank == 2 ? 5 : 3;
    bool pixels = pick(0, 2) != 0;
    std::vector<Side> sides;
    for (int64_t k = 0; k < rank; ++k) {
      Side d{pick(1, most), pick(-1, 2), pick(-1, 2),
             pick(1, 3),    pick(1, 3),  pick(1, 2)};
      if (k > 0 && pixels && pick(0, 3) == 0)
        d = {d.size, d.left, d.right, 1, 1, 1, false};
      if (d.size + d.left + d.right < 1)
        return std::nullopt;
      sides.push_back(d);
    }
    Convolution c(pick(1, 3), sides, 4 * pick(1, 2) + pick(0, 3) * pick(0, 1),
                  16 * pick(0, 1));
    if (!c.fits())
      return std::nullopt;
    if (pixels) {
      int64_t count = pick(1, 9), box = pick(0, 3) == 0 ? pick(1, 12) : 0;
      int64_t inner = box != 0 && pick(0, 1) == 0 ? count * pick(1, 3) : 0;
      c.mergePixels(count, box, inner, pick(0, 1) == 0);
    } else {
      std::vector<int64_t> boxes;
      for (int64_t k = 0; k < rank; ++k)
        boxes.push_back(pick(0, 3));
      c.boxWindows(boxes);
    }
    if (pick(0, 2) == 0) // Elements that no window has.
      (void)c.s.graph.splitInner(c.elements[static_cast<size_t>(
                                     pick(0, (int64_t)c.elements.size() - 1))],
                                 pick(2, 3));
    c.finish(4 * pick(1, 2));
    if (pick(0, 3) == 0)
      c.s.swizzle = findTmaSwizzle("64B");
    if (pick(0, 2) != 0)
      c.s.wanted = Correctness::Strong;
    else if (pick(0, 1) == 0)
      c.s.traffic = TmaTraffic::Save;
    return c;
  }
};

} // namespace titan

#endif // TITAN_UNITTESTS_DOMAIN_CONVOLUTIONGENERATOR_H
