//===- TmaSwizzled.cpp - Buffers whose order has swizzles -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TmaInfer.h"

#include <algorithm>

using namespace titan;
using namespace titan::tma;

static Problem noSharedTile(const std::string &why,
                            const std::string &fix = {}) {
  return {"tma-shared-tile", why, fix};
}

bool titan::tma::hasSwizzledOrder(const TmaSchedule &s,
                                  const std::vector<Class> &classes) {
  const DomainGraph &g = s.graph;
  std::vector<bool> is(g.size(), false); // Out of a swizzle, or below one.
  for (bool changed = true; changed;) {
    changed = false;
    for (const DomainExpr &e : g.exprs()) {
      if (e.removed || classes[e.in[0]] != Class::Tile || is[e.out[0]])
        continue;
      if (e.kind == DomainExpr::Kind::Swizzle || is[e.in[0]] ||
          (e.in[1] >= 0 && is[e.in[1]])) {
        is[e.out[0]] = changed = true;
        if (e.out[1] >= 0)
          is[e.out[1]] = true;
      }
    }
  }
  return std::any_of(s.shared.begin(), s.shared.end(),
                     [&](DomainId id) { return is[id]; });
}

namespace {
/// Where the domains of the buffer place the tile's elements.
class Order {
public:
  Order(const TmaSchedule &s, const std::vector<DomainId> &tops)
      : g(s.graph), tops(tops), at(s.graph.size(), 0) {}

  std::optional<Problem> prepare(const TmaSchedule &s,
                                 const std::vector<Class> &classes,
                                 const TargetInfo &target) {
    std::vector<bool> known(g.size(), false);
    extent.assign(g.size(), 0);
    int64_t most = target.sharedBytesPerCta, bytes = s.type->bits / 8;
    elements = 1;
    for (DomainId id : tops) {
      known[id] = true;
      extent[id] = *g[id].extent.constant();
      elements *= extent[id];
      if (elements > most / bytes)
        return noSharedTile("the tile has more than the " +
                            std::to_string(most) + " bytes of shared memory");
    }
    // Expressions come after those that make their inputs, except for rotated
    // ones: so until nothing is left that can be done.
    std::vector<bool> done(g.exprs().size(), false);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t k = 0; k < done.size(); ++k) {
        const DomainExpr &e = g.exprs()[k];
        if (done[k] || e.removed || !known[e.in[0]] ||
            (e.in[1] >= 0 && !known[e.in[1]]) ||
            e.kind == DomainExpr::Kind::Window)
          continue;
        done[k] = changed = true;
        exprs.push_back(&e);
        for (DomainId out : {e.out[0], e.out[1]})
          if (out >= 0) {
            auto n = g[out].extent.constant();
            if (!n)
              return noSharedTile(g.str(out) +
                                  " has an extent that only a launch "
                                  "knows");
            known[out] = true;
            extent[out] = *n;
          }
      }
    }
    places = 1;
    for (DomainId id : s.shared) {
      if (classes[id] == Class::Mixed)
        return noSharedTile(g.str(id) +
                            " is loops and tile: where the buffer's "
                            "order has swizzles, they are named apart");
      if (classes[id] != Class::Tile)
        continue;
      if (!known[id])
        return noSharedTile("the buffer has " + g.str(id) +
                            ", which is no domain of the tile");
      if (extent[id] > most / bytes / places)
        return noSharedTile("the buffer has more than the " +
                            std::to_string(most) + " bytes of shared memory");
      places *= extent[id];
      order.push_back(id);
    }
    return std::nullopt;
  }

  /// Of the element n of the tile, in elements; none: cut off.
  std::optional<int64_t> operator()(int64_t n) {
    for (size_t k = tops.size(); k-- > 0; n /= extent[tops[k]])
      at[tops[k]] = n % extent[tops[k]];
    if (!followIndices(exprs, extent, at))
      return std::nullopt;
    int64_t place = 0;
    for (DomainId id : order)
      place = place * extent[id] + at[id];
    return place;
  }

  /// `Mi=1 Ki=8`.
  std::string name(int64_t n) const {
    std::string text;
    for (size_t k = tops.size(); k-- > 0; n /= extent[tops[k]])
      text = g[tops[k]].name + "=" + std::to_string(n % extent[tops[k]]) +
             (text.empty() ? "" : " ") + text;
    return text;
  }

  int64_t elements = 0, places = 0;

private:
  const DomainGraph &g;
  const std::vector<DomainId> &tops;
  std::vector<const DomainExpr *> exprs;
  std::vector<DomainId> order;
  std::vector<int64_t> extent, at;
};

/// An image that the hardware makes: a swizzle of rows, or panels of them.
struct Image {
  const TmaSwizzle *swizzle;
  int64_t row;   // Elements of the tile's innermost dimension.
  int64_t panel; // Of them in a row of the image.
  int64_t bytes;
  // The first element that it has elsewhere than the domains; -1: none.
  int64_t differs = -1;

  int64_t place(int64_t n, int64_t elements, int64_t element) const {
    if (swizzle->span == 0)
      return n * element;
    int64_t line = n / row, column = n % row, rows = elements / row;
    int64_t byte = (column / panel * rows + line) * swizzle->span +
                   column % panel * element;
    return swizzle->apply(static_cast<uint32_t>(byte));
  }
};
} // namespace

/// What to write so that a schedule has the swizzle: the IR's types have none
/// of other chunks than 16 bytes.
static std::string sayingSwizzle(const TmaSwizzle &swizzle) {
  std::string name(swizzle.name);
  if (!swizzle.span)
    return "take the swizzle away, in the IR from the buffer's type";
  std::string file = "write swizzle " + name + ", or no swizzle at all";
  if (name != std::to_string(swizzle.span) + "B")
    return file;
  return file + "; in the IR let the buffer's type say swizzle = " +
         std::to_string(swizzle.span);
}

Result<SwizzledOrder>
titan::tma::findSwizzle(const TmaSchedule &s, const std::vector<Class> &classes,
                        const std::vector<DomainId> &tops, bool keepsLoops,
                        const TmaSchedule &bare, const std::vector<View> &views,
                        const TargetInfo &target) {
  Order order(s, tops);
  if (auto problem = order.prepare(s, classes, target))
    return *problem;
  bool named = s.swizzleNamed || s.swizzle->span != 0;
  std::vector<Image> images;
  for (const TmaSwizzle &swizzle : tmaSwizzles()) {
    if (!swizzle.existsOn(target) ||
        (s.direction == TmaDirection::Load ? swizzle.storeOnly
                                           : swizzle.loadOnly))
      continue;
    TmaSchedule with = bare;
    with.swizzle = &swizzle;
    for (const View &view : views) {
      Pieces pieces = cutTile(view.dims, bare.graph, with, target);
      Image image{&swizzle, view.dims.back().record.tile, pieces.taken.back(),
                  pieces.imageBytes};
      bool seen = std::any_of(images.begin(), images.end(), [&](auto &other) {
        return other.swizzle == image.swizzle && other.row == image.row;
      });
      if (!seen)
        images.push_back(image);
    }
  }
  int64_t element = s.type->bits / 8;
  size_t left = images.size();
  for (int64_t n = 0; n < order.elements && left > 0; ++n) {
    auto place = order(n);
    if (!place)
      return noSharedTile("element " + order.name(n) +
                          " of the tile has no place in the buffer");
    for (Image &image : images)
      if (image.differs < 0 &&
          image.place(n, order.elements, element) != *place * element) {
        image.differs = n;
        --left;
      }
  }
  auto fits = [&](const Image &image) {
    return image.differs < 0 &&
           (!keepsLoops || image.bytes == order.places * element);
  };
  auto isNamed = [&](const Image &image) {
    return !named || image.swizzle == s.swizzle;
  };
  auto found =
      std::find_if(images.begin(), images.end(), [&](const Image &image) {
        return fits(image) && isNamed(image);
      });
  if (found != images.end())
    return SwizzledOrder{found->swizzle, found->row};
  // The image that goes along for longest.
  const Image *best = nullptr;
  for (const Image &image : images)
    if (isNamed(image) &&
        (!best || image.differs < 0 ||
         (best->differs >= 0 && image.differs > best->differs)))
      best = &image;
  if (!best)
    return noSharedTile("swizzle " + std::string(s.swizzle->name) +
                        " is none of this copy's");
  std::string mode = "swizzle " + std::string(best->swizzle->name);
  if (best->differs < 0)
    return noSharedTile(
        "the buffer keeps tiles of " + std::to_string(order.places * element) +
        " bytes; under " + mode + " they have " + std::to_string(best->bytes));
  int64_t n = best->differs;
  auto agrees = std::find_if(images.begin(), images.end(), fits);
  return noSharedTile(
      "the buffer's domains place element " + order.name(n) + " at byte " +
          std::to_string(*order(n) * element) + ", " + mode + " at byte " +
          std::to_string(best->place(n, order.elements, element)) +
          (agrees != images.end()
               ? "; swizzle " + std::string(agrees->swizzle->name) +
                     " does agree"
           : named ? ""
                   : "; no other swizzle goes along for longer"),
      agrees != images.end()
          ? sayingSwizzle(*agrees->swizzle)
          : "exchange chunks of 16 bytes by rows, as the modes do: for 128B "
            "C, E = split(inner, " +
                std::to_string(16 / std::max<int64_t>(element, 1)) +
                ") T, R = split(rows, 8) X, Y = swizzle(R, C) shared T, X, Y, "
                "E; for 64B and 32B groups of 2 and 4 rows stay together");
}
