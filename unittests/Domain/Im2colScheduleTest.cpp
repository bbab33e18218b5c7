//===- Im2colScheduleTest.cpp - Convolutions as schedules -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules with windows: what is inferred, and every small convolution, with
// pixels in the tile (im2col) or windows in boxes (tiled), executed on bytes
// and held to the points of the schedule.
//
//===----------------------------------------------------------------------===//
#include "Targets.h"

#include "ConvolutionGenerator.h"
#include "DomainModel.h"
#include "ScheduleModel.h"
#include "titan/Domain/TmaExplain.h"
#include "titan/Domain/TmaScheduleText.h"

#include <gtest/gtest.h>

using namespace titan;

namespace {

/// The convolution of docs/tma.md.
std::string convolution(const std::string &tensor, const std::string &rest) {
  return "tensor bf16 " + tensor + R"(
    Hp = resize(H, 1, 1)
    Wp = resize(W, 1, 1)
    P, R = window(Hp, 3, stride 2, dilation 1)
    Q, S = window(Wp, 3, stride 2)
    NP = merge(N, P)
    M = merge(NP, Q)
    Mo, Mi = split(M, 128)
    Co, Ci = split(C, 64)
    bulk Mi, Ci
    )" + rest;
}

Result<TmaLowering> lowered(const std::string &text) {
  auto s = parseSchedule(text);
  return s ? lowerSchedule(*s, h200) : Result<TmaLowering>(s.problem());
}

std::string refusal(const std::string &text) {
  auto low = lowered(text);
  return low ? "none" : low.problem().code + ": " + low.problem().message;
}

TEST(Im2col, AConvolution) {
  auto low = lowered(
      convolution("N{N} x H{H} x W{W} x C{C}", "load strong\nswizzle 128B"));
  ASSERT_TRUE(bool(low)) << low.problem().message;
  EXPECT_EQ(low->mode, TmaMode::Im2col);
  EXPECT_EQ(low->im2col, (TmaIm2col{{-1, -1, 0}, {-1, -1, 0}, 64, 128}));
  EXPECT_EQ(low->elementStrides, (std::vector<uint32_t>{1, 2, 2, 1}));
  EXPECT_EQ(low->level, 1);
  EXPECT_TRUE(low->predicate.empty());
  EXPECT_EQ(low->thenBytes, 128 * 64 * 2);
  ASSERT_EQ(low->im2colOffsets.size(), 2u);
  EXPECT_EQ(low->im2colOffsets[0].str(), "s");
  EXPECT_EQ(low->im2colOffsets[1].str(), "r");
  EXPECT_EQ(low->coords[0].str(), "co*64");
  EXPECT_EQ(low->coords[1].str(), "mo*128 % ((W - 1) / 2 + 1)*2 - 1");
  // 3 images of 9 x 7 pixels have 5 x 4 windows each; the first of tile 0 is
  // at the corner, that of tile 1 the 129th: image 6, row 2, column 0.
  Expr::Bindings launch = {{"N", 30}, {"H", 9},  {"W", 7},
                           {"C", 64}, {"mo", 1}, {"co", 0},
                           {"r", 2},  {"s", 1},  {tmaAddressSymbol, 1 << 20}};
  auto map = low->tensorMap(launch);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->mode, TmaMode::Im2col);
  EXPECT_EQ(map->rank, 4);
  EXPECT_EQ(map->dims[0], 64u);
  EXPECT_EQ(map->dims[1], 7u);
  EXPECT_EQ(map->dims[2], 9u);
  EXPECT_EQ(map->dims[3], 30u);
  EXPECT_EQ(map->strides[2], 64u * 2 * 7 * 9);
  auto copy = low->copyAt(launch, 1024);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->coords, (std::vector<int64_t>{0, -1, 3, 6}));
  EXPECT_EQ(copy->im2colOffsets, (std::vector<int64_t>{1, 2}));
  EXPECT_TRUE(bool(TmaTransfer::make(*map, *copy, h200)));
  std::string text = explainLowering(*low, {}, 100);
  EXPECT_NE(text.find("im2col: 128 pixels of M{"), std::string::npos) << text;
  EXPECT_NE(text.find("    tma.load.im2col ["), std::string::npos);
  EXPECT_NE(text.find("] offsets [r, s]    (16384 bytes)"), std::string::npos);
}

/// Windows of one element next to one another, without padding, are a matrix;
/// with padding they are not.
TEST(Im2col, PointwiseStaysTiled) {
  auto text = [](const char *pad) {
    return std::string("tensor bf16 N{4} x H{6} x W{8} x C{64}\nWp = ") +
           "resize(W, " + pad + ")\n" + R"(
    P, R = window(H, 1)
    Q, S = window(Wp, 1)
    NP = merge(N, P)
    M = merge(NP, Q)
    Mo, Mi = split(M, 128)
    bulk Mi, C
    load strong)";
  };
  auto low = lowered(text("0, 1"));
  ASSERT_TRUE(bool(low)) << low.problem().message;
  EXPECT_EQ(low->mode, TmaMode::Im2col);
  std::string whole = text("0, 0");
  whole.erase(whole.find("Wp = resize"), 20);
  whole.replace(whole.find("(Wp"), 3, "(W");
  low = lowered(whole);
  ASSERT_TRUE(bool(low)) << low.problem().message << whole;
  EXPECT_EQ(low->mode, TmaMode::Tiled);
  EXPECT_EQ(low->dims.size(), 2u);
  EXPECT_EQ(low->box, (std::vector<uint32_t>{64, 128}));
  // Images with a pitch: no matrix.
  std::string pitched = whole;
  pitched.replace(pitched.find("H{6}"), 4, "H{6}:2048");
  low = lowered(pitched);
  ASSERT_TRUE(bool(low)) << low.problem().message;
  EXPECT_EQ(low->mode, TmaMode::Im2col);
}

TEST(Im2col, Refusals) {
  std::string sizes = "N{4} x H{9} x W{9} x C{64}";
  auto starts = [](const std::string &got, const std::string &want) {
    EXPECT_EQ(got.substr(0, want.size()), want) << got;
  };
  auto with = [&](const std::string &what, const std::string &by,
                  std::string text = "") {
    if (text.empty())
      text = convolution(sizes, "load strong");
    EXPECT_NE(text.find(what), std::string::npos);
    return text.replace(text.find(what), what.size(), by);
  };
  EXPECT_EQ(refusal(with("load", "load")), "none");
  starts(refusal(with("load strong", "store")),
         "tma-schedule: P{5}, R{3} = window(Hp{11}, 3, stride 2, dilation 1): "
         "elements stand in several windows");
  starts(refusal(with("bulk Mi", "bulk R, Mi")),
         "tma-schedule: P{5}, R{3} = window(Hp{11}, 3, stride 2, dilation 1): "
         "the elements of a window, R{3}, are loops");
  starts(refusal(with("merge(N, P)", "merge(P, N)")),
         "tma-schedule: Q{5}, S{3} = window(Wp{11}, 3, stride 2, dilation 1): "
         "M{100} merges P{5}, N{4}, Q{5}; pixels of an im2col copy are N");
  starts(refusal(
             with("merge(NP, Q)", "merge(P, Q)", with("NP = merge(N, P)", ""))),
         "tma-schedule: Q{5}, S{3} = window(Wp{11}, 3, stride 2, dilation 1): "
         "M{25} merges P{5}, Q{5}; pixels of an im2col copy are N");
  starts(
      refusal(with("split(M, 128)\n", "split(M, 64)\nMj, Mk = split(Mi, 2)\n",
                   with("bulk Mi", "bulk Mj"))),
      "tma-schedule: M{100}: pixels of a tile follow one another");
  starts(
      refusal(with("Hp = resize(H, 1, 1)",
                   "Hc = resize(H, -1, 0)\nHp = resize(Hc, 2, 1)")),
      "tma-schedule: Hc{8} = resize(H{9}, -1, 0): what it cuts off is added");
  EXPECT_EQ(refusal(with("Hp = resize(H, 1, 1)",
                         "Hc = resize(H, 1, 0)\nHp = resize(Hc, -2, 1)")),
            "none");
  starts(refusal(with("Hp = resize(H, 1, 1)",
                      "Ho, Hi = split(H, 3)\nHp = merge(Ho, Hi)")),
         "tma-schedule: P{4}, R{3} = window(Hp{9}, 3, stride 2, dilation 1): "
         "windows slide over a dimension of the tensor");
  starts(refusal(with("bulk Mi, Ci", "bulk Mi, Ci\nmap M, H")),
         "tma-schedule: H{9} is in the prescribed TMA domain");
  EXPECT_EQ(refusal(with("bulk Mi, Ci", "bulk Mi, Ci\nmap M, C")), "none");
  // Limits, whose rules are the map's and the copy's.
  std::string large = "N{4} x H{900} x W{900} x C{64}";
  auto limit = [&](const std::string &what, const std::string &by) {
    std::string got = refusal(with(what, by, convolution(large, "load")));
    return got.substr(0, got.find(':', got.find(':') + 1));
  };
  EXPECT_EQ(
      limit("window(Hp, 3, stride 2, dilation 1)", "window(Hp, 3, stride 8)"),
      "none");
  EXPECT_EQ(
      limit("window(Hp, 3, stride 2, dilation 1)", "window(Hp, 3, stride 9)"),
      "tma-element-stride: elementStrides[2]");
  EXPECT_EQ(limit("resize(W, 1, 1)", "resize(W, 128, 0)"), "none");
  EXPECT_EQ(limit("resize(W, 1, 1)", "resize(W, 129, 0)"),
            "tma-im2col: pixelBoxLowerCorner[0]");
  EXPECT_EQ(limit("resize(W, 1, 1)", "resize(W, 0, 129)"), "none");
  EXPECT_EQ(limit("resize(W, 1, 1)", "resize(W, 0, 130)"),
            "tma-im2col: pixelBoxUpperCorner[0]");
  EXPECT_EQ(limit("resize(H, 1, 1)", "resize(H, 0, 2000000000)"),
            "tma-im2col: pixelBoxUpperCorner[1]");
  // The offset of the last element; the corners are in range by padding.
  EXPECT_EQ(limit("P, R = window(Hp, 3, stride 2, dilation 1)",
                  "Hq = resize(Hp, 0, 127)\nP, R = window(Hq, 4, dilation 85)"),
            "none");
  EXPECT_EQ(limit("P, R = window(Hp, 3, stride 2, dilation 1)",
                  "Hq = resize(Hp, 0, 127)\nP, R = window(Hq, 5, dilation 64)"),
            "tma-im2col: im2colOffsets[1]");
  EXPECT_EQ(limit("split(C, 64)", "split(C, 4)"),
            "tma-box-bytes: channelsPerPixel");
  EXPECT_EQ(limit("bulk Mi, Ci", "bulk Mi, Ci\nswizzle 64B\nalign 128"),
            "tma-swizzle-phase: dstMem");
  std::string deep = "tensor bf16 N{4} x D{40} x H{40} x W{40} x C{64}\n";
  for (const char *d : {"D", "H", "W"})
    deep += std::string(d) + "p = resize(" + d + ", 1, 1)\nP" + d + ", R" + d +
            " = window(" + d + "p, 3, dilation 15)\n";
  deep += "A = merge(N, PD)\nB = merge(PH, PW)\nM = merge(A, B)\n"
          "Mo, Mi = split(M, 64)\nbulk Mi, C\nload";
  starts(refusal(deep), "tma-im2col: pixelBoxUpperCorner[0]: corner -29");
  deep = with("resize(D, 1, 1)", "resize(D, 1, 14)",
              with("resize(H, 1, 1)", "resize(H, 1, 14)",
                   with("resize(W, 1, 1)", "resize(W, 1, 14)", deep)));
  EXPECT_EQ(refusal(deep), "none");
}

/// Executes a schedule of the generator, or holds its refusal to the points.
struct Ran {
  int64_t im2col = 0, tiled = 0, levels[4] = {}, transfers = 0, outside = 0,
          skipped = 0, holesWithData = 0, strong = 0;
  std::map<std::string, int64_t> refused;

  void run(const Convolution &c) {
    ScheduleModel model(c.s, c.tile);
    auto low = lowerSchedule(c.s, h200);
    if (!low) {
      const std::string &code = low.problem().code;
      ++refused[code];
      if (code != "tma-strong")
        FAIL() << code << " " << low.problem().message << "\n"
               << c.s.graph.str();
      ASSERT_EQ(c.s.wanted, Correctness::Strong);
      // Pixels behind a tile count as data, padding or not.
      ASSERT_TRUE(!model.achievable() || !c.reachesEverySide() ||
                  (c.pixels && c.pads()))
          << c.s.graph.str() << low.problem().message;
      return;
    }
    // A matrix is im2col's only where its tiles do not rotate.
    if (low->mode == TmaMode::Im2col)
      ASSERT_TRUE(c.pixels) << c.s.graph.str();
    else
      ASSERT_TRUE(!c.pixels || c.isMatrix()) << c.s.graph.str();
    model.run(*low, h200);
    if (::testing::Test::HasFatalFailure()) {
      std::string why;
      for (const std::string &line : low->why)
        why += line + "\n";
      FAIL() << "level " << low->level << "\n" << c.s.graph.str() << why;
    }
    (low->mode == TmaMode::Im2col ? im2col : tiled)++;
    ++levels[low->level];
    strong += c.s.wanted == Correctness::Strong;
    transfers += model.transfers;
    outside += model.outside;
    skipped += model.skipped;
    holesWithData += model.holesWithData;
  }

  void print() const {
    for (auto &[code, n] : refused)
      std::printf("  %lld refused: %s\n", (long long)n, code.c_str());
    std::printf("  %lld im2col, %lld tiled; levels 1: %lld, 2: %lld, 3: %lld; "
                "%lld transfers, %lld from outside, %lld skipped\n",
                (long long)im2col, (long long)tiled, (long long)levels[1],
                (long long)levels[2], (long long)levels[3],
                (long long)transfers, (long long)outside, (long long)skipped);
  }
};

/// One spatial dimension: every small size, padding, filter, stride, dilation
/// and tile of pixels.
TEST(Im2col, EverySmallRow) {
  Ran ran;
  for (int64_t n = 1; n <= 2; ++n)
    for (int64_t size = 1; size <= 5; ++size)
      for (int64_t left = -1; left <= 2; ++left)
        for (int64_t right = -1; right <= 2; ++right)
          for (int64_t filter = 1; filter <= 3; ++filter)
            for (int64_t stride = 1; stride <= 3; ++stride)
              for (int64_t dilation = 1; dilation <= (filter > 1 ? 2 : 1);
                   ++dilation)
                for (int64_t tile : {2, 3, 5, 8}) {
                  Convolution c(
                      n, {{size, left, right, filter, stride, dilation}}, 4);
                  if (!c.fits())
                    continue;
                  c.s.wanted = Correctness::Strong;
                  c.mergePixels(tile);
                  c.finish(4);
                  ASSERT_NO_FATAL_FAILURE(ran.run(c));
                }
  ran.print();
  EXPECT_GT(ran.im2col, 5000);
  EXPECT_GT(ran.tiled, 10); // Matrices.
  EXPECT_EQ(ran.levels[2] + ran.levels[3], 0);
}

/// Two spatial dimensions, a coarser grid.
TEST(Im2col, EverySmallImage) {
  Ran ran;
  std::vector<Convolution::Side> sides;
  for (int64_t size : {1, 2, 4})
    for (int64_t left : {0, 1})
      for (int64_t right : {0, 2})
        for (auto [filter, stride, dilation] : {std::array<int64_t, 3>{1, 1, 1},
                                                {1, 2, 1},
                                                {2, 1, 1},
                                                {3, 2, 1},
                                                {2, 1, 2},
                                                {3, 1, 1}})
          sides.push_back({size, left, right, filter, stride, dilation});
  for (const auto &h : sides)
    for (const auto &w : sides)
      for (int64_t tile : {3, 8}) {
        Convolution c(2, {h, w}, 4);
        if (!c.fits())
          continue;
        c.mergePixels(tile);
        c.finish(4);
        ASSERT_NO_FATAL_FAILURE(ran.run(c));
      }
  ran.print();
  EXPECT_GT(ran.im2col, 1000);
}

/// Tiles of pixels that do not divide what is above them: strong correctness is
/// refused exactly where a tile mixes; weak correctness copies.
TEST(Im2col, TilesAcrossBoxes) {
  Ran ran;
  for (bool strong : {true, false})
    for (int64_t n = 1; n <= 3; ++n)
      for (int64_t size = 1; size <= 4; ++size)
        for (int64_t pad = 0; pad <= 1; ++pad)
          for (int64_t box = 1; box <= 7; ++box)
            for (int64_t tile = 2; tile <= 5; ++tile) {
              Convolution c(n, {{size, pad, pad, 2, 1, 1}}, 4);
              if (!c.fits())
                continue;
              c.mergePixels(tile, box);
              c.s.wanted = strong ? Correctness::Strong : Correctness::Weak;
              c.finish(4);
              ASSERT_NO_FATAL_FAILURE(ran.run(c));
            }
  ran.print();
  EXPECT_GT(ran.refused["tma-strong"], 50);
  EXPECT_GT(ran.levels[2], 50);
  EXPECT_GT(ran.levels[3], 50);
  EXPECT_GT(ran.holesWithData, 50);
}

/// Windows in boxes by themselves: tiled copies with element strides.
TEST(Im2col, EverySmallBoxOfWindows) {
  Ran ran;
  for (bool strong : {true, false})
    for (int64_t size = 1; size <= 6; ++size)
      for (int64_t left = -1; left <= 2; ++left)
        for (int64_t right = -1; right <= 2; ++right)
          for (int64_t filter = 1; filter <= 3; ++filter)
            for (int64_t stride = 1; stride <= 3; ++stride)
              for (int64_t dilation = 1; dilation <= (filter > 1 ? 2 : 1);
                   ++dilation)
                for (int64_t box = 0; box <= 4; ++box) {
                  Convolution c(
                      1, {{size, left, right, filter, stride, dilation}}, 4);
                  if (!c.fits())
                    continue;
                  c.boxWindows({box}); // 0: all of them.
                  c.s.wanted = strong ? Correctness::Strong : Correctness::Weak;
                  c.finish(4);
                  ASSERT_NO_FATAL_FAILURE(ran.run(c));
                }
  ran.print();
  EXPECT_GT(ran.tiled, 5000);
  EXPECT_GT(ran.refused["tma-strong"], 500);
  EXPECT_GT(ran.levels[2], 100);
  EXPECT_GT(ran.levels[3], 100);
}

/// Padding is filled, whatever the correctness is: a dimension with windows is
/// checked by the hardware, and composited with none outside of it.
TEST(Im2col, PaddingIsNotComposited) {
  auto text = [](const std::string &strides) {
    return "tensor u32 A{2}:" + strides +
           R"( x N{2}:432 x H{3}:144 x W{4}:32 x C{4}
    Hp = resize(H, 1, 1)
    P, R = window(Hp, 3)
    bulk W, C
    load)";
  };
  auto s = parseSchedule(text("4096 x B{2}:864"));
  ASSERT_TRUE(bool(s)) << s.problem().message;
  auto low = lowerSchedule(*s, h200);
  ASSERT_TRUE(bool(low)) << low.problem().message; // B and N are.
  std::vector<DomainId> tile = s->bulk;
  ScheduleModel(*s, tile).run(*low, h200);
  EXPECT_EQ(refusal(text("4096 x B{2}:880")).substr(0, 8), "tma-rank");
}

/// One lowering for all sizes: its checks hold exactly where the same schedule
/// with numbers is lowered, and it makes the same copies.
TEST(Im2col, OneLoweringForAllSizes) {
  auto text = [](const std::string &n, const std::string &h,
                 const std::string &w, const std::string &c, bool tiled) {
    return "tensor u32 N{" + n + "} x H{" + h + "} x W{" + w + "} x C{" + c +
           "}\nHp = resize(H, 1, 0)\nWp = resize(W, 1, 2)\n"
           "P, R = window(Hp, 3, stride 2)\nQ, S = window(Wp, 2, stride 3, "
           "dilation 2)\n" +
           (tiled ? "Qo, Qi = split(Q, 2)\nCo, Ci = split(C, 4)\nbulk Qi, Ci\n"
                  : "A = merge(P, Q)\nM = merge(N, A)\nMo, Mi = split(M, 5)\n"
                    "Co, Ci = split(C, 4)\nbulk Mi, Ci\n") +
           "load strong";
  };
  auto n = [](int64_t v) { return std::to_string(v); };
  int64_t same = 0, refused = 0;
  for (bool tiled : {false, true}) {
    auto all = lowered(text("N", "H", "W", "C", tiled));
    ASSERT_TRUE(bool(all)) << all.problem().message;
    // A dimension of one element is left out of tiled maps.
    for (int64_t images = tiled ? 2 : 1; images <= 2; ++images)
      for (int64_t h = 1; h <= 5; ++h)
        for (int64_t w = 1; w <= 9; ++w)
          for (int64_t c = 3; c <= 8; ++c) {
            Expr::Bindings v = {{"N", images},
                                {"H", h},
                                {"W", w},
                                {"C", c},
                                {tmaAddressSymbol, 1 << 20}};
            bool holds = true;
            for (const LaunchCheck &check : all->checks)
              holds = holds && check.holds(v) == Tri::Yes;
            auto one = lowered(text(n(images), n(h), n(w), n(c), tiled));
            if (tiled && h < 2) // No window: nothing is copied at all.
              continue;
            ASSERT_EQ(holds, bool(one)) << tiled << images << h << w << c
                                        << (one ? "" : one.problem().message);
            if (!one) {
              ++refused;
              continue;
            }
            ++same;
            ASSERT_EQ(*all->tensorMap(v), *one->tensorMap(v));
            std::vector<int64_t> at(one->loops.size(), 0);
            for (bool more = true; more;) {
              for (size_t k = 0; k < at.size(); ++k)
                v[one->loops[k].index] = at[k];
              // What has one iteration has no loop where that is known.
              for (const TmaLoop &loop : all->loops)
                v.emplace(loop.index, 0);
              auto x = all->copyAt(v, 0), y = one->copyAt(v, 0);
              ASSERT_TRUE(x && y);
              ASSERT_EQ(x->coords, y->coords);
              ASSERT_EQ(x->im2colOffsets, y->im2colOffsets);
              size_t k = at.size();
              while (k-- > 0 && ++at[k] == *one->loops[k].extent.constant())
                at[k] = 0;
              more = k != static_cast<size_t>(-1);
            }
          }
  }
  EXPECT_GT(same, 100);
  EXPECT_GT(refused, 100);
}

/// Tiles that no one copy has: more than 1024 pixels, channels wider than a
/// swizzle's span, tiles kept apart.
TEST(Im2col, LoopsOfBoxes) {
  Convolution c(3, {{30, 1, 1, 3, 1, 1}, {31, 1, 1, 3, 1, 1}}, 8);
  c.mergePixels(2048);
  c.finish(8);
  auto low = lowerSchedule(c.s, h200);
  ASSERT_TRUE(bool(low)) << low.problem().message;
  EXPECT_EQ(low->im2col.pixels, 1024u);
  ScheduleModel(c.s, c.tile).run(*low, h200);
  // Boxes of 1024 pixels divide what tiles of 2048 do not; one of them is a
  // hole with data.
  Convolution across(4, {{30, 1, 1, 3, 1, 1}, {31, 1, 1, 3, 1, 1}}, 8);
  across.mergePixels(2048, 3072);
  across.s.wanted = Correctness::Strong;
  across.finish(8);
  low = lowerSchedule(across.s, h200);
  ASSERT_TRUE(bool(low)) << low.problem().message;
  EXPECT_EQ(low->level, 2);
  ScheduleModel model(across.s, across.tile);
  model.run(*low, h200);
  EXPECT_GT(model.outside, 0);
  Convolution wide(2, {{4, 1, 1, 3, 2, 1}, {5, 1, 0, 2, 1, 1}}, 70);
  wide.s.swizzle = findTmaSwizzle("128B");
  wide.mergePixels(8);
  wide.finish(64);
  low = lowerSchedule(wide.s, h200);
  ASSERT_TRUE(bool(low)) << low.problem().message;
  EXPECT_EQ(low->im2col.channels, 32u);
  ScheduleModel(wide.s, wide.tile).run(*low, h200);
}

/// Random convolutions of one to three spatial dimensions.
TEST(Im2col, RandomConvolutions) {
  uint64_t first = 20261121, cases = fullTest() ? 300000 : 20000;
  std::printf("convolutions: seeds %llu to %llu\n", (unsigned long long)first,
              (unsigned long long)(first + cases - 1));
  Ran ran;
  int64_t tooLarge = 0, unfit = 0;
  for (uint64_t seed = first; seed < first + cases; ++seed) {
    auto c = Convolution::random(seed);
    if (!c) {
      ++unfit;
      continue;
    }
    int64_t points = 1;
    for (DomainId id : c->s.graph.leaves())
      points *= *c->s.graph[id].extent.constant();
    if (points > 6000) {
      ++tooLarge;
      continue;
    }
    ASSERT_NO_FATAL_FAILURE(ran.run(*c)) << "seed " << seed;
  }
  ran.print();
  std::printf("  %lld too large, %lld without a window\n", (long long)tooLarge,
              (long long)unfit);
  EXPECT_GT(ran.im2col, 1000);
  EXPECT_GT(ran.tiled, 1000);
  EXPECT_GT(ran.outside, 100);
  EXPECT_GT(ran.skipped, 100);
  EXPECT_GT(ran.holesWithData, 100);
}

} // namespace
