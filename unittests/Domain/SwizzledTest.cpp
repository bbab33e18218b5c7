//===- SwizzledTest.cpp - Swizzles written as domains of the buffer -------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile's elements stand where the buffer's domains place them: held to what
// TmaTransfer does, byte by byte, from the buffer's places up to the tensor.
//
//===----------------------------------------------------------------------===//
#include "Targets.h"

#include "DomainModel.h"

#include "titan/Domain/Tma.h"
#include "titan/Domain/TmaScheduleText.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace titan;

namespace {

constexpr int64_t base = 1 << 20, buffer = 1 << 16;

/// Where each byte of the tensor stands in the buffer, by TmaTransfer, for one
/// iteration of the loops (all boxes). Constant extents, loads.
std::map<int64_t, int64_t> imageOf(const TmaLowering &low,
                                   Expr::Bindings values,
                                   const TargetInfo &target) {
  std::map<int64_t, int64_t> image;
  values[tmaAddressSymbol] = base;
  auto map = low.tensorMap(values);
  std::vector<const TmaLoop *> boxes;
  for (const TmaLoop &loop : low.loops)
    if (loop.ofBoxes) {
      boxes.push_back(&loop);
      values[loop.index] = 0;
    }
  while (true) {
    auto copy = low.copyAt(values, buffer);
    auto transfer = TmaTransfer::make(*map, *copy, target);
    EXPECT_TRUE(bool(transfer)) << transfer.problem().message;
    transfer->forEachRun([&](const TmaRun &run) {
      for (int64_t b = 0; b < run.bytes && !run.fill; ++b)
        image[static_cast<int64_t>(run.global) - base + b] =
            run.shared - buffer + b;
    });
    size_t k = boxes.size();
    while (k-- > 0 && ++values[boxes[k]->index] == *boxes[k]->extent.constant())
      values[boxes[k]->index] = 0;
    if (k == static_cast<size_t>(-1))
      return image;
  }
}

/// The same by the domains: each place of the buffer's order, which are leaves
/// of the graph, towards the roots. Loops are at 0 where `loops` has none.
std::map<int64_t, int64_t> placesOf(const TmaSchedule &s,
                                    const DomainValues &loops) {
  const DomainGraph &g = s.graph;
  std::map<int64_t, int64_t> places;
  int64_t element = s.type->bits / 8, all = 1;
  for (DomainId id : s.shared)
    if (!loops[id])
      all *= *g[id].extent.constant();
  for (int64_t n = 0; n < all; ++n) {
    DomainValues known = loops;
    int64_t left = n, place = 0, step = 1;
    for (size_t k = s.shared.size(); k-- > 0;) {
      DomainId id = s.shared[k];
      int64_t extent = *g[id].extent.constant();
      if (!loops[id]) {
        known[id] = left % extent;
        left /= extent;
      }
      place += *known[id] * step;
      step *= extent;
    }
    for (DomainId id : g.leaves())
      if (!known[id])
        known[id] = 0;
    DomainValues at = g.values(known);
    if (isHole(g, at))
      continue;
    int64_t offset = 0;
    for (const TmaGlobalDim &d : s.global)
      offset += *at[d.domain] * *d.stride.constant();
    for (int64_t b = 0; b < element; ++b)
      places[offset + b] = place * element + b;
  }
  return places;
}

/// A matrix of `rows` x `columns`, tiles of `height` x `width`, of which the
/// buffer has `slots`, swizzled by domains as `mode` has it.
struct Tile {
  TmaSchedule s;
  DomainId slot;

  Tile(const char *type, const TmaSwizzle &mode, int64_t height, int64_t width,
       bool slots) {
    DomainGraph &g = s.graph;
    s.type = findTmaType(type);
    s.wanted = Correctness::Strong;
    int64_t element = s.type->bits / 8, columns = 2 * width;
    DomainId m = g.root(3 * height, "M"), k = g.root(columns, "K");
    s.global = {{m, columns * element}, {k, element}};
    auto [mo, mi] = *g.splitInner(m, height);
    auto [ko, ki] = *g.splitInner(k, width);
    slot = ko;
    // Rows of a span: panels, chunks of an atom, elements.
    auto [panel, in] = *g.splitInner(ki, mode.span / element);
    auto [chunk, e] = *g.splitInner(in, mode.atom / element);
    // address ^= (address >> shift) & mask: chunks by rows of one span.
    int64_t chunks = (mode.mask / mode.atom) + 1;
    int64_t below = (int64_t(mode.atom) << mode.shift) / mode.span;
    auto [c0, c1] = *g.splitInner(chunk, chunks);
    auto [high, low] = *g.splitInner(mi, std::max<int64_t>(below, 1));
    auto [top, x] = *g.splitInner(high, chunks);
    auto [x1, c2] = *g.swizzle(x, c1);
    s.bulk = {panel, top, x1, low, c0, c2, e};
    s.shared = s.bulk;
    if (slots)
      s.shared.insert(s.shared.begin(), ko);
    (void)mo;
  }
};

TEST(Swizzled, EveryModeAndType) {
  int64_t cases = 0, panels = 0;
  for (const char *name : {"32B", "64B", "128B"})
    for (const char *type : {"u8", "u16", "bf16", "u32", "f32", "f64"})
      for (int64_t height : {8, 64})
        for (int64_t spans : {1, 2, 4})
          for (bool slots : {false, true}) {
            const TmaSwizzle &mode = *findTmaSwizzle(name);
            int64_t element = findTmaType(type)->bits / 8;
            Tile tile(type, mode, height, spans * mode.span / element, slots);
            auto low = lowerSchedule(tile.s, h200);
            std::string what = std::string(name) + " " + type + " " +
                               std::to_string(height) + " " +
                               std::to_string(spans);
            ASSERT_TRUE(bool(low)) << what << low.problem().message;
            ASSERT_EQ(low->swizzle->name, name) << what;
            ASSERT_EQ(low->bufferBytes, low->imageBytes * (slots ? 2 : 1));
            ++cases;
            panels += spans > 1;
            for (int64_t at : {0, 1}) {
              DomainValues loops(tile.s.graph.size());
              Expr::Bindings values;
              for (DomainId id : tile.s.graph.leaves()) {
                bool bulk =
                    std::count(tile.s.bulk.begin(), tile.s.bulk.end(), id) > 0;
                if (bulk)
                  continue;
                loops[id] = at;
                std::string index = tile.s.graph[id].name;
                std::transform(index.begin(), index.end(), index.begin(),
                               ::tolower);
                values[index] = at;
              }
              ASSERT_EQ(imageOf(*low, values, h200), placesOf(tile.s, loops))
                  << what;
            }
            // Named, it is the same; another one is refused.
            for (const char *other : {"none", "32B", "64B", "128B"}) {
              tile.s.swizzle = findTmaSwizzle(other);
              tile.s.swizzleNamed = true;
              auto named = lowerSchedule(tile.s, h200);
              ASSERT_EQ(bool(named), std::string(other) == name) << what;
              if (named)
                continue;
              ASSERT_EQ(named.problem().code, "tma-shared-tile");
              ASSERT_NE(named.problem().message.find(
                            "swizzle " + std::string(name) + " does agree"),
                        std::string::npos)
                  << named.problem().message;
            }
          }
  EXPECT_GE(cases, 200);
  EXPECT_GT(panels, 100);
}

/// The modes of sm_100, too.
TEST(Swizzled, Blackwell) {
  const TargetInfo &b200 = targetInfo(TargetId::Sm100a);
  for (const char *name : {"128B_atom_32B", "128B_atom_64B"}) {
    const TmaSwizzle &mode = *findTmaSwizzle(name);
    Tile tile("u16", mode, 32, 64, false);
    if (mode.storeOnly)
      tile.s.direction = TmaDirection::Store;
    auto low = lowerSchedule(tile.s, b200);
    ASSERT_TRUE(bool(low)) << name << low.problem().message;
    EXPECT_EQ(low->swizzle->name, name);
    auto not_ = lowerSchedule(tile.s, h200);
    ASSERT_FALSE(bool(not_));
    EXPECT_EQ(not_.problem().code, "tma-shared-tile");
  }
}

std::string codeAndMessage(const std::string &text) {
  auto s = parseSchedule(text);
  if (!s)
    return s.problem().code + ": " + s.problem().message;
  auto low = lowerSchedule(*s, h200);
  return low ? std::string(low->swizzle->name)
             : low.problem().code + ": " + low.problem().message;
}

TEST(Swizzled, Refused) {
  const std::string tile = "tensor bf16 M{256} x K{256}\n"
                           "Mo, Mi = split(M, 64)\n"
                           "Ko, Ki = split(K, 64)\n"
                           "T, R = split(Mi, 8)\n"
                           "C, E = split(Ki, 8)\n";
  const std::string good = tile + "X, Y = swizzle(R, C)\n"
                                  "bulk T, X, Y, E\n";
  EXPECT_EQ(codeAndMessage(good + "shared T, X, Y, E"), "128B");
  EXPECT_EQ(codeAndMessage(good + "shared Ko, T, X, Y, E"), "128B");
  EXPECT_EQ(codeAndMessage(good + "shared T, X, Y, E\nswizzle 128B"), "128B");
  EXPECT_EQ(codeAndMessage(good + "shared T, X, Y, E\nswizzle none"),
            "tma-shared-tile: the buffer's domains place element Mi=1 Ki=0 at "
            "byte 144, swizzle none at byte 128; swizzle 128B does agree");
  // The chunks are swizzled by the tile's upper rows.
  EXPECT_EQ(codeAndMessage(tile + "X, Y = swizzle(T, C)\nbulk X, R, Y, E\n"
                                  "shared X, R, Y, E"),
            "tma-shared-tile: the buffer's domains place element Mi=8 Ki=0 at "
            "byte 1040, swizzle none at byte 1024; no other swizzle goes along "
            "for longer");
  // Rows swizzled by chunks; parts of it in another order or left out.
  EXPECT_EQ(codeAndMessage(tile + "Y, X = swizzle(C, R)\nbulk T, X, Y, E\n"
                                  "shared T, X, Y, E")
                .substr(0, 15),
            "tma-shared-tile");
  EXPECT_EQ(codeAndMessage(good + "shared T, Y, X, E").substr(0, 15),
            "tma-shared-tile");
  EXPECT_EQ(codeAndMessage(good + "shared T, X, Y").substr(0, 15),
            "tma-shared-tile");
  EXPECT_EQ(codeAndMessage(good + "shared T, X, Ko, Y, E"),
            "tma-shared-tile: the loop Ko{4} stands inside of the tile, after "
            "Ki{64}");
  // Twice is not at all.
  EXPECT_EQ(codeAndMessage(tile + "X, Y = swizzle(R, C)\nA, B = swizzle(X, Y)\n"
                                  "bulk T, A, B, E\nshared T, A, B, E"),
            "none");
  // The base has to be aligned to the period, as for one that is named.
  EXPECT_EQ(codeAndMessage(good + "shared T, X, Y, E\nalign 512"),
            "tma-swizzle-phase: dstMem: the buffer is aligned to 512 bytes; "
            "swizzle 128B has period 1024");
  // Tiles of half a period do not follow one another.
  const std::string half = "tensor bf16 M{256} x K{256}\n"
                           "Mo, Mi = split(M, 4)\n"
                           "Ko, Ki = split(K, 64)\n"
                           "C, E = split(Ki, 8)\n"
                           "X, Y = swizzle(Mi, C)\n"
                           "bulk X, Y, E\n";
  EXPECT_EQ(codeAndMessage(half + "shared X, Y, E"), "128B");
  EXPECT_EQ(codeAndMessage(half + "shared Ko, X, Y, E").substr(0, 17),
            "tma-swizzle-phase");
  // Rows of half a span leave gaps, which the order has to have, too.
  const std::string gaps = "tensor bf16 M{256} x K{256}\n"
                           "Mo, Mi = split(M, 64)\n"
                           "Ko, Ki = split(K, 32)\n"
                           "T, R = split(Mi, 8)\n"
                           "P = resize(Ki, 0, 32)\n"
                           "C, E = split(P, 8)\n"
                           "X, Y = swizzle(R, C)\n"
                           "bulk T, X, Y, E\n";
  EXPECT_EQ(codeAndMessage(gaps + "shared Ko, T, X, Y, E"), "128B");
  // Pixels of a convolution.
  EXPECT_EQ(codeAndMessage("tensor bf16 N{4} x W{16} x C{256}\n"
                           "Q, S = window(W, 3, stride 2)\n"
                           "M = merge(N, Q)\n"
                           "Mo, Mi = split(M, 16)\n"
                           "Co, Ci = split(C, 64)\n"
                           "T, R = split(Mi, 8)\n"
                           "K, E = split(Ci, 8)\n"
                           "X, Y = swizzle(R, K)\n"
                           "bulk T, X, Y, E\nshared T, X, Y, E"),
            "128B");
}

/// Random orders: swizzles as the hardware has them, spoiled half of the time.
/// A mode is inferred exactly when some mode's image, as TmaTransfer makes it,
/// is the domains'.
TEST(Swizzled, AgainstEveryMode) {
  uint64_t first = 20261121, cases = fullTest() ? 20000 : 1500;
  std::map<std::string, int64_t> found;
  for (uint64_t seed = first; seed < first + cases; ++seed) {
    std::mt19937_64 random(seed);
    auto pick = [&](int64_t n) {
      return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
    };
    static const char *types[] = {"u8", "u16", "u32"};
    TmaSchedule s;
    s.type = findTmaType(types[pick(3)]);
    int64_t element = s.type->bits / 8;
    int64_t height = 4 << pick(3), width = (32 << pick(4)) / element;
    DomainGraph &g = s.graph;
    DomainId m = g.root(height, "M"), k = g.root(width, "K");
    s.global = {{m, width * element}, {k, element}};
    // Split into factors of two and four, some merged again, some swizzled.
    std::vector<DomainId> order = {m, k};
    auto split = [&](size_t at, int64_t n) {
      auto [o, i] = *g.splitInner(order[at], n);
      order[at] = o;
      order.insert(order.begin() + static_cast<ptrdiff_t>(at) + 1, i);
    };
    // Chunks of 16 bytes, mostly.
    split(1, (pick(8) ? 16 : 8) / element);
    int64_t span = 32 << pick(3), chunks = span / 16;
    if (width * element > span && pick(4)) {
      split(1, chunks); // Panels.
      std::swap(order[0], order[1]);
    }
    size_t row = 0;
    while (row < order.size() && order[row] != m)
      ++row;
    if (128 / span > 1 && pick(8))
      split(row, 128 / span);
    int64_t rows = *g[order[row]].extent.constant();
    if (rows > chunks)
      split(row++, pick(8) ? chunks : 2);
    size_t chunk = order.size() - 2;
    if (pick(10))
      if (auto out = g.swizzle(order[row], order[chunk]))
        std::tie(order[row], order[chunk]) = *out;
    if (pick(8) == 0) {
      size_t a = static_cast<size_t>(pick(static_cast<int64_t>(order.size()))),
             b = static_cast<size_t>(pick(static_cast<int64_t>(order.size())));
      std::swap(order[a], order[b]);
    }
    s.bulk = s.shared = order;
    bool swizzles = false;
    for (const DomainExpr &e : g.exprs())
      swizzles = swizzles || e.kind == DomainExpr::Kind::Swizzle;
    if (!swizzles)
      continue;
    DomainValues none(g.size());
    auto places = placesOf(s, none);
    // By brute force: what each mode's copies do.
    std::string want;
    for (const char *mode : {"none", "32B", "64B", "128B"}) {
      TmaSchedule plain = s;
      plain.shared = {m, k};
      plain.swizzle = findTmaSwizzle(mode);
      plain.swizzleNamed = true;
      auto low = lowerSchedule(plain, h200);
      ASSERT_TRUE(bool(low)) << low.problem().message;
      if (want.empty() && imageOf(*low, {}, h200) == places)
        want = mode;
    }
    auto low = lowerSchedule(s, h200);
    std::string got = low ? std::string(low->swizzle->name) : "";
    ASSERT_EQ(got, want) << "seed " << seed << "\n"
                         << g.str() << (low ? "" : low.problem().message);
    if (!low)
      ASSERT_EQ(low.problem().code, "tma-shared-tile");
    else
      ASSERT_EQ(imageOf(*low, {}, h200), places);
    ++found[want.empty() ? "refused" : want];
  }
  for (auto &[mode, n] : found)
    std::printf("  %s: %lld\n", mode.c_str(), (long long)n);
  for (const char *mode : {"none", "32B", "64B", "128B", "refused"})
    EXPECT_GT(found[mode], 20) << mode;
}

} // namespace
