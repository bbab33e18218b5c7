//===- ScheduleTest.cpp - From schedules to tensor copies -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Targets.h"

#include "ScheduleModel.h"

#include "DomainModel.h"
#include "titan/Domain/Theorems.h"
#include "titan/Domain/TmaScheduleText.h"

#include <gtest/gtest.h>
#include <random>

using namespace titan;

namespace {

/// A dimension of `size` rows over an inner one of four 32-bit elements, which
/// is tile as a whole: what happens along the first is seen alone.
struct Rows {
  TmaSchedule s;
  DomainId d, inner;

  explicit Rows(const Expr &size) {
    d = s.graph.root(size, "D");
    inner = s.graph.root(4, "J");
    s.global = {{d, 16}, {inner, 4}};
    s.bulk = {inner};
    s.type = findTmaType("u32");
  }
};

/// Whether some coordinates make the tile right: what is valid is there, holes
/// are filled. Tries them all.
bool searchTile(int64_t size, int64_t box, int64_t stride, int64_t start,
                int64_t offset) {
  int64_t elements = ceilDiv(box, stride);
  for (int64_t x = -elements * stride; x <= size; ++x) {
    bool right = true;
    for (int64_t t = 0; t < elements && right; ++t) {
      int64_t p = start + offset + t * stride, got = x + t * stride;
      bool valid = offset + t * stride < box && p >= 0 && p < size;
      bool data = got >= 0 && got < size;
      right = valid ? got == p : !data;
    }
    if (right)
      return true;
  }
  return false;
}

/// For every size, box and stride up to 24: strong correctness is achievable by
/// search exactly when it is lowered, and what is generated achieves it.
TEST(Schedule, EverySizeBoxAndStride) {
  int64_t lowered = 0, refused = 0, transfers = 0, outside = 0, viaView = 0;
  for (int64_t size = 1; size <= 24; ++size)
    for (int64_t box = 1; box <= 24; ++box)
      for (int64_t stride = 1; stride <= 24; ++stride) {
        bool achievable = true;
        for (int64_t c = 0; c < size && achievable; c += box)
          for (int64_t k = 0; k < stride && achievable; ++k)
            achievable = searchTile(size, box, stride, c, k);
        ASSERT_EQ(achievable, !fundamentalTheorem(size, box, stride));
        Rows rows(size);
        auto [c, b] = *rows.s.graph.splitInner(rows.d, box);
        auto [t, e] = *rows.s.graph.splitInner(b, stride);
        rows.s.bulk.insert(rows.s.bulk.begin(), t);
        rows.s.wanted = Correctness::Strong;
        // In a map of these two dimensions, and in the best one.
        for (bool prescribed : {true, false}) {
          rows.s.tmaDomain.clear();
          if (prescribed)
            rows.s.tmaDomain = {rows.d, rows.inner};
          auto low = lowerSchedule(rows.s, h200);
          // Where all divides, the stride is that of a dimension.
          bool noStride = stride > h200.tmaMaxElementStride && stride < box &&
                          (prescribed || size % box != 0 || box % stride != 0);
          bool expected = achievable || (!prescribed && size % box == 0);
          ASSERT_EQ(codeOf(low), noStride   ? "tma-element-stride"
                                 : expected ? ""
                                            : "tma-strong")
              << size << " " << box << " " << stride << " " << prescribed;
          if (!low) {
            refused += !noStride;
            continue;
          }
          ++lowered;
          viaView += !achievable;
          ScheduleModel model(rows.s, {t, rows.inner});
          ASSERT_TRUE(model.achievable() == achievable);
          model.run(*low, h200);
          if (HasFatalFailure())
            FAIL() << size << " " << box << " " << stride;
          transfers += model.transfers;
          outside += model.outside;
        }
        (void)c, (void)e;
      }
  EXPECT_GT(lowered, 4000);
  EXPECT_GT(refused, 500);
  EXPECT_GT(viaView, 20);
  EXPECT_GT(outside, 1000);
  EXPECT_GT(transfers, 50000);
}

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

/// One line for each dimension, innermost first: how, size, box, stride.
std::string shape(const Result<TmaLowering> &low) {
  if (!low)
    return low.problem().code + ": " + low.problem().message;
  std::string text;
  for (size_t d = 0; d < low->dimensions.size(); ++d)
    text += (d ? "; " : "") + low->dims[d].str() + " by " +
            std::to_string(low->box[d]) + "/" +
            std::to_string(low->elementStrides[d]) + " at " +
            low->coords[d].str() + " (" + low->dimensions[d].how + ")";
  return text;
}

/// The table of the header, row by row.
TEST(Schedule, Patterns) {
  const std::string inner = "4 by 4/1 at 0 (implicit whole); ";
  Expr n = Expr::symbol("N");
  {
    Rows r(n);
    auto [c, b] = *r.s.graph.splitInner(r.d, 64);
    r.s.bulk.insert(r.s.bulk.begin(), b);
    EXPECT_EQ(shape(lowerSchedule(r.s, h200)),
              inner + "N by 64/1 at i2*64 (partitioning)");
    auto low = lowerSchedule(r.s, h200);
    EXPECT_EQ(low->level, 1);
    EXPECT_EQ(low->thenBytes, 64 * 16);
    EXPECT_EQ(low->imageBytes, 64 * 16);
    (void)c;
  }
  {
    Rows r(n);
    auto [c, b] = *r.s.graph.splitInner(r.d, 64);
    auto [t, e] = *r.s.graph.splitInner(b, 2);
    r.s.bulk.insert(r.s.bulk.begin(), t);
    EXPECT_EQ(shape(lowerSchedule(r.s, h200)),
              inner + "N by 64/2 at i2*64 + i5 (partitioning)");
    EXPECT_EQ(lowerSchedule(r.s, h200)->thenBytes, 32 * 16);
    (void)c, (void)e;
  }
  {
    Rows r(13); // All of it, strided.
    auto [t, e] = *r.s.graph.splitInner(r.d, 2);
    r.s.bulk.insert(r.s.bulk.begin(), t);
    EXPECT_EQ(shape(lowerSchedule(r.s, h200)),
              inner + "13 by 13/2 at i3 (implicit whole)");
    (void)e;
  }
  {
    Rows r(n); // Rotation right.
    auto [x, i] = *r.s.graph.splitInner(r.d, 4);
    auto [c, j] = *r.s.graph.splitInner(x, 8);
    r.s.bulk = {j, i, r.inner};
    EXPECT_EQ(shape(lowerSchedule(r.s, h200)),
              inner + "N by 32/1 at i4*8*4 (rotation right)");
    (void)c;
  }
  {
    Rows r(n); // Rotation left.
    auto [c, x] = *r.s.graph.splitInner(r.d, 32);
    auto [k, i] = *r.s.graph.splitInner(x, 8);
    r.s.bulk = {i, r.inner};
    EXPECT_EQ(shape(lowerSchedule(r.s, h200)),
              inner + "N by 8/1 at i2*32 + i4*8 (rotation left)");
    (void)c, (void)k;
  }
  {
    Rows r(n); // A resize moves the boxes.
    DomainId y = *r.s.graph.resize(r.d, 3, 5);
    auto [c, b] = *r.s.graph.splitInner(y, 16);
    r.s.bulk.insert(r.s.bulk.begin(), b);
    EXPECT_EQ(shape(lowerSchedule(r.s, h200)),
              inner + "N by 16/1 at i3*16 - 3 (partitioning)");
    (void)c;
  }
  {
    Rows r(n); // Implicit size-one.
    EXPECT_EQ(shape(lowerSchedule(r.s, h200)),
              inner + "N by 1/1 at d (implicit size-one)");
  }
  { // Merged dimensions are one where the strides say so.
    TmaSchedule s;
    DomainId a = s.graph.root(n, "A"), b = s.graph.root(6, "B"),
             j = s.graph.root(4, "J");
    DomainId m = *s.graph.merge(a, b);
    auto [c, box] = *s.graph.splitInner(m, 4);
    s.global = {{a, 96}, {b, 16}, {j, 4}};
    s.bulk = {box, j};
    s.type = findTmaType("u32");
    EXPECT_EQ(shape(lowerSchedule(s, h200)),
              inner + "N*6 by 4/1 at i4*4 (partitioning)");
    s.global[0].stride = 128;
    EXPECT_EQ(shape(lowerSchedule(s, h200)),
              "tma-schedule: I3{N*6} = merge(A{N}, B{6}): strides 128 and 16 "
              "are not contiguous");
    // Only a launch knows: a check.
    s.global[0].stride = Expr::symbol("pitch", 16);
    auto low = lowerSchedule(s, h200);
    ASSERT_TRUE(bool(low));
    auto holds = [&](int64_t pitch) {
      for (const LaunchCheck &check : low->checks)
        if (check.code == Code::TmaSchedule)
          return check.holds({{"pitch", pitch}});
      return Tri::Unknown;
    };
    EXPECT_EQ(holds(96), Tri::Yes);
    EXPECT_EQ(holds(112), Tri::No);
    EXPECT_EQ(holds(80), Tri::No);
    (void)c;
  }
}

/// Compositing: used where six dimensions have to fit into five, or rows of the
/// innermost are no 16 bytes.
TEST(Schedule, Compositing) {
  TmaSchedule s;
  s.type = findTmaType("u32");
  std::vector<int64_t> sizes = {3, 2, 2, 3, 5, 4};
  int64_t stride = 4;
  s.global.resize(6);
  for (size_t k = 6; k-- > 0;) {
    s.global[k] = {s.graph.root(sizes[k]), stride};
    stride *= sizes[k];
  }
  std::sort(s.global.begin(), s.global.end(),
            [](auto &a, auto &b) { return a.domain < b.domain; });
  // Roots were made from the inside out: I5 is the outermost.
  std::reverse(s.global.begin(), s.global.end());
  DomainId j = 0;
  s.bulk = {1, j};
  auto low = lowerSchedule(s, h200);
  EXPECT_EQ(shape(low),
            "4 by 4/1 at 0 (implicit whole); 5 by 5/1 at 0 (implicit whole); "
            "3 by 1/1 at i2 (implicit size-one); "
            "2 by 1/1 at i3 (implicit size-one); "
            "6 by 1/1 at i5*2 + i4 (compositing)");
  EXPECT_EQ(low->level, 1);
  ScheduleModel model(s, {1, j});
  model.run(*low, h200);
  // The inner of two composited loops is protected no more.
  auto [o, i] = *s.graph.splitInner(4, 3); // I4{2}
  s.bulk = {1, j};
  low = lowerSchedule(s, h200);
  ASSERT_TRUE(bool(low));
  EXPECT_EQ(low->level, 1) << shape(low); // So another pair is.
  ScheduleModel again(s, {1, j});
  again.run(*low, h200);
  (void)o, (void)i;
  // Rows of three: with the dimension outside they are twelve.
  TmaSchedule t;
  t.type = findTmaType("u32");
  DomainId n = t.graph.root(7, "N"), a = t.graph.root(4, "A"),
           b = t.graph.root(3, "B");
  t.global = {{n, 48}, {a, 12}, {b, 4}};
  t.bulk = {a, b};
  low = lowerSchedule(t, h200);
  EXPECT_EQ(shape(low), "12 by 12/1 at 0 (compositing); 7 by 1/1 at n "
                        "(implicit size-one)");
  ScheduleModel rows(t, {a, b});
  rows.run(*low, h200);
  t.global = {{n, 64}, {a, 16}, {b, 4}};
  EXPECT_EQ(codeOf(lowerSchedule(t, h200)), "tma-box-bytes");
}

/// Many dimensions are refused in time.
TEST(Schedule, ManyDimensions) {
  TmaSchedule s;
  s.type = findTmaType("u32");
  int64_t stride = 4;
  s.global.resize(30);
  for (size_t k = 30; k-- > 0;) {
    s.global[k] = {s.graph.root(k == 29 ? 4 : 2), stride};
    stride *= k == 29 ? 4 : 2;
  }
  s.bulk = {0};
  auto low = lowerSchedule(s, h200);
  EXPECT_TRUE(low || low.problem().code == "tma-rank");
}

/// What cannot be inferred names the expression.
TEST(Schedule, Refusals) {
  auto message = [](const TmaSchedule &s) {
    auto low = lowerSchedule(s, h200);
    return low ? shape(low) : low.problem().code + ": " + low.problem().message;
  };
  Expr n = Expr::symbol("N");
  {
    Rows r(n);
    auto [c, x] = *r.s.graph.splitInner(r.d, 30);
    auto [k, i] = *r.s.graph.splitInner(x, 8);
    r.s.bulk.insert(r.s.bulk.begin(), i);
    EXPECT_EQ(message(r.s),
              "tma-schedule: I4{4}, I5{8} = split(I3{30}, inner 8): boxes of 8 "
              "do not divide I3{30}, so that they do not rotate left");
    (void)c, (void)k;
  }
  {
    Rows r(n);
    auto [o, x] = *r.s.graph.splitInner(r.d, 32);
    auto [k, i] = *r.s.graph.splitInner(x, 8);
    r.s.bulk = {o, i, r.inner};
    EXPECT_EQ(message(r.s),
              "tma-schedule: I2{N ceildiv 32}, I3{32} = "
              "split(D{N}, inner 32): loops stand between domains "
              "of the tile");
    (void)k;
  }
  {
    Rows r(n);
    auto [c, b] = *r.s.graph.splitInner(r.d, n);
    r.s.bulk.insert(r.s.bulk.begin(), b);
    EXPECT_EQ(message(r.s).substr(0, 13), "tma-schedule:");
    (void)c;
  }
  {
    Rows r(8);
    auto [c, b] = *r.s.graph.splitInner(r.d, 4);
    auto out = r.s.graph.swizzle(c, b);
    r.s.bulk.insert(r.s.bulk.begin(), out->second);
    EXPECT_EQ(message(r.s),
              "tma-schedule: I4{2}, I5{4} = swizzle(I2{2}, I3{4}) mixes loops "
              "with the tile");
  }
  {
    Rows r(n);
    r.s.bulk.push_back(r.s.bulk[0] + 40);
    EXPECT_EQ(codeOf(lowerSchedule(r.s, h200)), "domain-invalid");
    r.s.bulk.pop_back();
    r.s.global.pop_back();
    EXPECT_EQ(codeOf(lowerSchedule(r.s, h200)), "domain-invalid");
  }
  {
    Rows r(n);
    r.s.global[1].stride = 8;
    EXPECT_EQ(codeOf(lowerSchedule(r.s, h200)), "tma-schedule");
    r.s.global[1].stride = 4;
    r.s.global[0].stride = 24;
    EXPECT_EQ(codeOf(lowerSchedule(r.s, h200)), "tma-stride-alignment");
    r.s.global[0].stride = 16;
    r.s.nanFill = true;
    EXPECT_EQ(codeOf(lowerSchedule(r.s, h200)), "tma-fill-type");
    r.s.nanFill = false;
    r.s.address = 8;
    EXPECT_EQ(codeOf(lowerSchedule(r.s, h200)), "tma-base-alignment");
    r.s.address = 1024;
    r.s.type = findTmaType("b4x16");
    EXPECT_EQ(codeOf(lowerSchedule(r.s, h200)), "not-supported-yet");
    r.s.type = findTmaType("u32");
    EXPECT_EQ(codeOf(lowerSchedule(r.s, targetInfo(TargetId::Gfx942))),
              "wrong-target");
    EXPECT_EQ(codeOf(lowerSchedule(r.s, h200)), "");
  }
  { // Columns: boxes of 8 words step by 32 bytes, of 8 bytes by 8.
    TmaSchedule s;
    DomainId d = s.graph.root(64, "D");
    auto [c, b] = *s.graph.splitInner(d, 8);
    s.global = {{d, 4}};
    s.type = findTmaType("u32");
    s.bulk = {b};
    EXPECT_EQ(codeOf(lowerSchedule(s, h200)), "");
    s.type = findTmaType("u8");
    s.global = {{d, 1}};
    EXPECT_EQ(codeOf(lowerSchedule(s, h200)), "tma-box-bytes");
    s.graph = {};
    d = s.graph.root(Expr::symbol("N"), "D");
    DomainId r = *s.graph.resize(d, 2, 0);
    std::tie(c, b) = *s.graph.splitInner(r, 16);
    s.bulk = {b};
    EXPECT_EQ(message(s), "tma-coordinate-alignment: tensorCoords[0]: -2 is no "
                          "multiple of 16 elements of u8");
  }
}

//===----------------------------------------------------------------------===//
// Sizes of the launch
//===----------------------------------------------------------------------===//

/// The example of a check that hangs on two sizes names both.
TEST(Schedule, ExampleOfTwoSizes) {
  auto s = parseSchedule("tensor f32 I{M} x J{N}\nIc = resize(I, 0, -1)\n"
                         "Jc = resize(J, 0, -4)\nIo, Ii = split(Ic, 4)\n"
                         "Jo, Ji = split(Jc, 4)\nbulk Ii, Ji\nload strong");
  ASSERT_TRUE(bool(s));
  auto low = lowerSchedule(*s, h200);
  ASSERT_TRUE(bool(low));
  std::vector<std::string> examples;
  for (const LaunchCheck &check : low->checks)
    if (check.code == Code::TmaStrong)
      examples.push_back(check.example);
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[1],
            "; where M is 2, N is 8, say, the tile at [0, 0] (io=0 jo=0) holds "
            "element [0, 0] and, in a hole that has to be filled, element [1, "
            "0]");
}

/// One lowering for all sizes: its launch checks hold exactly where the sizes
/// are legal, and what it does then is right.
TEST(Schedule, OneLoweringForAllSizes) {
  int64_t ran = 0, refusedAtLaunch = 0;
  for (int64_t box = 1; box <= 8; ++box)
    for (int64_t stride = 1; stride <= 5; ++stride)
      for (int64_t left = -1; left <= 1; ++left)
        for (int64_t right = -1; right <= 1; ++right) {
          auto make = [&](const Expr &size, std::vector<DomainId> &tile) {
            Rows r(size);
            DomainGraph &g = r.s.graph;
            DomainId d = left || right ? *g.resize(r.d, left, right) : r.d;
            auto [c, b] = *g.splitInner(d, box);
            auto [t, e] = *g.splitInner(b, stride);
            // Loops that run too far.
            auto [o, i] = *g.splitInner(c, 2);
            r.s.tmaDomain = {r.d, r.inner};
            r.s.wanted = Correctness::Strong;
            tile = {t, r.inner};
            r.s.bulk = tile;
            (void)e, (void)o, (void)i;
            return r.s;
          };
          std::vector<DomainId> tile;
          auto low = lowerSchedule(make(Expr::symbol("N"), tile), h200);
          for (int64_t size : {2, 3, 4, 5, 7, 8, 11, 16}) {
            if (size + left + right < 1)
              continue;
            TmaSchedule fixed = make(size, tile);
            ScheduleModel model(fixed, tile);
            bool achievable = model.achievable();
            Expr::Bindings launch{{"N", size}, {tmaAddressSymbol, 1 << 20}};
            bool holds = bool(low);
            for (const LaunchCheck &check :
                 low ? low->checks : std::vector<LaunchCheck>())
              holds = holds && check.holds(launch) == Tri::Yes;
            ASSERT_EQ(holds, achievable)
                << box << " " << stride << " " << left << " " << right
                << " N=" << size << " " << (low ? "" : low.problem().message);
            ASSERT_EQ(codeOf(lowerSchedule(fixed, h200)),
                      achievable ? "" : "tma-strong");
            if (low)
              expectTold(*low, launch);
            if (!holds) {
              ++refusedAtLaunch;
              continue;
            }
            model.run(*low, h200, {{"N", size}});
            if (HasFatalFailure())
              FAIL() << box << " " << stride << " " << left << " " << right
                     << " N=" << size;
            ++ran;
          }
        }
  EXPECT_GT(ran, 1000);
  EXPECT_GT(refusedAtLaunch, 300);
}

/// Launch checks have the codes of the static errors for the same values.
TEST(Schedule, LaunchChecksAndErrorsAgree) {
  struct Case {
    const char *symbol;
    int64_t value;
    const char *code; // Empty: legal.
    const char *now = nullptr;
  };
  for (auto [symbol, value, code, now] :
       std::vector<Case>{{"N", 1, ""},
                         // Known to be below 1, an extent is no domain's.
                         {"N", 0, "tma-dim-range", "domain-invalid"},
                         {"N", (int64_t(1) << 33) + 1, "tma-dim-range"},
                         {"pitch", 4096, ""},
                         {"pitch", 4100, "tma-stride-alignment"},
                         {"pitch", int64_t(1) << 40, "tma-stride-range"},
                         {"address", 1 << 20, ""},
                         {"address", (1 << 20) + 8, "tma-base-alignment"}}) {
    std::map<std::string, int64_t> values = {
        {"N", 100}, {"pitch", 256}, {"address", 1 << 20}};
    values[symbol] = value;
    auto make = [&](bool symbolic) {
      auto of = [&](const char *name) {
        return symbolic ? Expr::symbol(name) : Expr(values[name]);
      };
      Rows r(of("N"));
      r.s.global[0].stride = of("pitch");
      r.s.address = of("address");
      auto [c, b] = *r.s.graph.splitInner(r.d, 8);
      r.s.bulk.insert(r.s.bulk.begin(), b);
      (void)c;
      return lowerSchedule(r.s, h200);
    };
    EXPECT_EQ(codeOf(make(false)), now ? now : code)
        << symbol << " = " << value;
    auto low = make(true);
    ASSERT_TRUE(bool(low));
    std::string first;
    for (const LaunchCheck &check : low->checks)
      if (check.holds({values.begin(), values.end()}) != Tri::Yes &&
          first.empty())
        first = codeInfo(check.code).code;
    EXPECT_EQ(first, code) << symbol << " = " << value;
  }
}

//===----------------------------------------------------------------------===//
// The shared side
//===----------------------------------------------------------------------===//

/// Tiles wider than a box become loops of boxes.
TEST(Schedule, LoopsOfBoxes) {
  struct Case {
    int64_t rows, columns, box0, box1;
    const char *swizzle;
    int64_t copies;
    uint32_t width, height; // Of a box.
  };
  for (auto [rows, columns, box1, box0, swizzle, copies, width, height] :
       std::vector<Case>{{1000, 4, 600, 4, "none", 3, 4, 200},
                         {40, 600, 8, 512, "none", 16, 256, 1},
                         {1024, 64, 512, 64, "128B", 4, 32, 256},
                         {70, 64, 64, 64, "64B", 4, 16, 64},
                         {40, 300, 8, 24, "none", 1, 24, 8}}) {
    TmaSchedule s;
    DomainId m = s.graph.root(rows, "M"), k = s.graph.root(columns, "K");
    auto [mo, mi] = *s.graph.splitInner(m, box1);
    auto [ko, ki] = *s.graph.splitInner(k, box0);
    s.global = {{m, columns * 4}, {k, 4}};
    s.bulk = {mi, ki};
    s.type = findTmaType("u32");
    s.swizzle = findTmaSwizzle(swizzle);
    s.wanted = Correctness::Strong;
    auto low = lowerSchedule(s, h200);
    ASSERT_TRUE(bool(low)) << low.problem().message;
    int64_t count = 1;
    for (const TmaLoop &loop : low->loops)
      if (loop.ofBoxes)
        count *= *loop.extent.constant();
    EXPECT_EQ(count, copies) << shape(low);
    EXPECT_EQ(low->box[0], width) << shape(low);
    EXPECT_EQ(low->box[1], height) << shape(low);
    EXPECT_EQ(low->imageBytes, box0 * box1 * 4);
    EXPECT_EQ(low->thenBytes * copies, low->imageBytes);
    EXPECT_EQ(low->level, 1);
    ScheduleModel model(s, {mi, ki});
    model.run(*low, h200);
    (void)mo, (void)ko;
  }
}

/// A dimension more instead of many boxes.
TEST(Schedule, FewestInstructions) {
  TmaSchedule s;
  s.type = findTmaType("u32");
  DomainId d = s.graph.root(4096, "D"), j = s.graph.root(4, "J");
  auto [x, i] = *s.graph.splitInner(d, 64);
  auto [c, t] = *s.graph.splitInner(x, 16);
  s.global = {{d, 16}, {j, 4}};
  s.bulk = {t, i, j};
  auto low = lowerSchedule(s, h200);
  EXPECT_EQ(shape(low), "4 by 4/1 at 0 (implicit whole); 64 by 64/1 at 0 "
                        "(implicit whole); 64 by 16/1 at i4*16 (partitioning)");
  EXPECT_EQ(low->why.back(), "4 ways to see the tensor were compared; taken: 3 "
                             "dimensions, 1 copy a tile");
  // Where it does not divide, boxes of the rotated dimension.
  s.graph = {};
  d = s.graph.root(4100, "D"), j = s.graph.root(4, "J");
  auto [x2, i2] = *s.graph.splitInner(d, 64);
  auto [c2, t2] = *s.graph.splitInner(x2, 16);
  s.global = {{d, 16}, {j, 4}};
  s.bulk = {t2, i2, j};
  low = lowerSchedule(s, h200);
  ASSERT_TRUE(bool(low)) << low.problem().message;
  EXPECT_EQ(low->box[1], 256u);
  ScheduleModel model(s, {t2, i2, j});
  model.run(*low, h200);
  EXPECT_EQ(model.transfers, 5 * 4);
  (void)c, (void)c2;
}

TEST(Schedule, TheBuffer) {
  // M{64} in boxes of 8, K{64} in boxes of 16, of 32-bit elements.
  struct Tile {
    TmaSchedule s;
    DomainId mo, mi, ko, ki;
    Tile() {
      DomainId m = s.graph.root(64, "M"), k = s.graph.root(64, "K");
      std::tie(mo, mi) = *s.graph.splitInner(m, 8);
      std::tie(ko, ki) = *s.graph.splitInner(k, 16);
      s.global = {{m, 256}, {k, 4}};
      s.bulk = {mi, ki};
      s.type = findTmaType("u32");
      s.wanted = Correctness::Strong;
    }
    std::string code() {
      auto low = lowerSchedule(s, h200);
      if (low) {
        ScheduleModel model(s, {mi, ki});
        if (s.bulk == std::vector<DomainId>{mi, ki})
          model.run(*low, h200);
      }
      return codeOf(low);
    }
  };
  auto with = [](auto order) {
    Tile t;
    t.s.shared = order(t);
    return t.code();
  };
  using L = std::vector<DomainId>;
  EXPECT_EQ(with([](Tile &t) { return L{t.mi, t.ki}; }), "");
  EXPECT_EQ(with([](Tile &t) { return L{t.ko, t.mi, t.ki}; }), "");
  EXPECT_EQ(with([](Tile &t) { return L{t.mo, t.ko, t.mi, t.ki}; }), "");
  // A loop inside of the tile; the tile turned round; part of it; more.
  EXPECT_EQ(with([](Tile &t) { return L{t.mi, t.ko, t.ki}; }),
            "tma-shared-tile");
  EXPECT_EQ(with([](Tile &t) { return L{t.ki, t.mi}; }), "tma-shared-tile");
  EXPECT_EQ(with([](Tile &t) { return L{t.mi}; }), "tma-shared-tile");
  // K is eight tiles and their loop, but stands as a whole.
  EXPECT_EQ(with([](Tile &t) { return L{t.mi, 1}; }), "tma-shared-tile");
  // Views of the tile that keep its order, and one that makes holes.
  EXPECT_EQ(with([](Tile &t) {
              auto [a, b] = *t.s.graph.splitInner(t.ki, 4);
              DomainId m = *t.s.graph.merge(t.mi, a);
              t.s.bulk = {m, b};
              return L{t.ko, m, b};
            }),
            "");
  EXPECT_EQ(with([](Tile &t) {
              auto [a, b] = *t.s.graph.splitInner(t.ki, 4);
              t.s.bulk = {t.mi, a, b};
              return L{a, t.mi, b};
            }),
            "tma-shared-tile");
  EXPECT_EQ(with([](Tile &t) {
              auto [a, b] = *t.s.graph.splitInner(t.ki, 3);
              t.s.bulk = {t.mi, a, b};
              return L{t.mi, a, b};
            }),
            "tma-shared-tile");
  // A loop that may run out of bounds would leave the buffer.
  EXPECT_EQ(with([](Tile &t) {
              (void)t.s.graph.splitInner(t.ko, 3);
              return L{t.ko, t.mi, t.ki};
            }),
            "tma-shared-tile");
  // Alignments.
  Tile t;
  t.s.sharedAlignment = 64;
  EXPECT_EQ(t.code(), "tma-shared-alignment");
  t.s.sharedAlignment = 128;
  EXPECT_EQ(t.code(), "");
  t.s.swizzle = findTmaSwizzle("64B");
  EXPECT_EQ(t.code(), "tma-swizzle-phase");
  t.s.sharedAlignment = 512;
  EXPECT_EQ(t.code(), "");
  // Tiles of 8 x 64 bytes keep the phase of 64B; with 128B they do not.
  t.s.shared = {t.ko, t.mi, t.ki};
  EXPECT_EQ(t.code(), "");
  Tile u;
  auto [a, b] = *u.s.graph.splitInner(u.mi, 4);
  u.s.bulk = {b, u.ki};
  u.s.swizzle = findTmaSwizzle("64B");
  u.s.shared = {u.ko, b, u.ki};
  u.mi = b;
  EXPECT_EQ(codeOf(lowerSchedule(u.s, h200)), "tma-swizzle-phase");
  u.s.swizzle = findTmaSwizzle("none");
  EXPECT_EQ(u.code(), "");
  (void)a;
}

//===----------------------------------------------------------------------===//
// The seed's Table 1
//===----------------------------------------------------------------------===//

/// Figure 2 of the seed (a level 2 schedule), and boxes of 4 with element
/// stride 3 of 9 rows (level 3), and plain boxes (level 1).
Rows atLevel(int level) {
  Rows r(level == 2 ? 12 : 9);
  DomainGraph &g = r.s.graph;
  auto [c, b] = *g.splitInner(r.d, level == 2 ? 2 : 4);
  if (level == 2) {
    auto [o, i] = *g.splitInner(c, 2);
    auto [p, q] = *g.splitInner(i, 4);
    (void)o, (void)p, (void)q;
  }
  if (level == 3) {
    auto [t, e] = *g.splitInner(b, 3);
    r.s.bulk.insert(r.s.bulk.begin(), t);
    (void)e;
  } else {
    r.s.bulk.insert(r.s.bulk.begin(), b);
  }
  (void)c;
  return r;
}

TEST(Schedule, TableOne) {
  for (int level : {1, 2, 3}) {
    Rows r = atLevel(level);
    // Weak: nothing; on request a predicate that saves traffic.
    auto low = lowerSchedule(r.s, h200);
    ASSERT_TRUE(bool(low)) << low.problem().message;
    EXPECT_EQ(low->level, level);
    EXPECT_TRUE(low->predicate.empty());
    EXPECT_EQ(low->otherwise, TmaElse::None);
    r.s.traffic = TmaTraffic::Save;
    low = lowerSchedule(r.s, h200);
    EXPECT_EQ(low->otherwise, level == 2 ? TmaElse::Skip : TmaElse::None);
    EXPECT_EQ(low->elseBytes, 0);
    r.s.traffic = TmaTraffic::Worth; // Half of Figure 2's copies are holes.
    EXPECT_EQ(lowerSchedule(r.s, h200)->otherwise, low->otherwise);
    // Strong.
    r.s.traffic = TmaTraffic::Ignore;
    r.s.wanted = Correctness::Strong;
    low = lowerSchedule(r.s, h200);
    if (level == 2) { // Loops that are dimensions need no predicate.
      EXPECT_EQ(low->level, 1);
      EXPECT_EQ(low->dimensions.size(), 4u);
      EXPECT_TRUE(low->predicate.empty());
      r.s.tmaDomain = {r.d, r.inner};
      low = lowerSchedule(r.s, h200);
    }
    if (level == 3) {
      EXPECT_EQ(shape(low),
                "tma-strong: dimension 1, D{9}: boxes of 4 with element stride "
                "3: the tile at coordinate 1 holds element 1 and, in a hole "
                "that has to be filled, element 4");
    } else {
      ASSERT_TRUE(bool(low));
      EXPECT_EQ(low->otherwise, level == 2 ? TmaElse::Fill : TmaElse::None);
      if (level == 2) {
        EXPECT_EQ(low->elseBytes, low->thenBytes);
        EXPECT_EQ(low->outside, (std::vector<int64_t>{-4, -2}));
      }
    }
    // Stores.
    r.s.direction = TmaDirection::Store;
    r.s.wanted = Correctness::Weak;
    low = lowerSchedule(r.s, h200);
    if (level == 3) {
      EXPECT_EQ(codeOf(low), "tma-strong");
    } else {
      ASSERT_TRUE(bool(low));
      EXPECT_EQ(low->otherwise, level == 2 ? TmaElse::Skip : TmaElse::None);
      EXPECT_EQ(low->thenBytes, 0);
    }
  }
}

TEST(Schedule, Stores) {
  Rows r(9);
  DomainId y = *r.s.graph.resize(r.d, 1, 0);
  auto [c, b] = *r.s.graph.splitInner(y, 4);
  r.s.bulk.insert(r.s.bulk.begin(), b);
  r.s.direction = TmaDirection::Store;
  EXPECT_EQ(codeOf(lowerSchedule(r.s, h200)), "tma-store-negative");
  (void)c;
  TmaSchedule s; // Rows of 6 words, 32 bytes apart.
  DomainId m = s.graph.root(5, "M"), k = s.graph.root(6, "K");
  auto [o, i] = *s.graph.splitInner(k, 4);
  s.global = {{m, 32}, {k, 4}};
  s.bulk = {i};
  s.type = findTmaType("u32");
  s.direction = TmaDirection::Store;
  EXPECT_EQ(codeOf(lowerSchedule(s, h200)), "tma-store-tail");
  s.tailIsPadding = true;
  auto low = lowerSchedule(s, h200);
  ASSERT_TRUE(bool(low));
  ScheduleModel model(s, {i});
  model.run(*low, h200);
  s.direction = TmaDirection::Reduce;
  s.reduction = "mul";
  EXPECT_EQ(codeOf(lowerSchedule(s, h200)), "tma-reduce-type");
  s.reduction = "add";
  EXPECT_EQ(codeOf(lowerSchedule(s, h200)), "");
  (void)o;
}

/// Outside of the tensor everything is fill; im2col through the channels.
TEST(Schedule, OutsideCoordinates) {
  std::mt19937 random(7);
  int tiled = 0, im2col = 0;
  for (int n = 0; n < 2000; ++n) {
    TensorMap map;
    map.type = findTmaType(random() % 2 ? "f32" : "bf16");
    int64_t element = map.type->bits / 8;
    bool pixels = random() % 2;
    map.rank = pixels ? 3 + static_cast<int>(random() % 3)
                      : 1 + static_cast<int>(random() % 5);
    uint64_t stride = 0;
    for (int d = 0; d < map.rank; ++d) {
      map.dims[d] = d ? 1 + random() % 9 : 16 / element * (1 + random() % 4);
      map.box[d] = d ? 1 + random() % 4 : 16 / element * (1 + random() % 3);
      map.elementStrides[d] = 1 + random() % 3;
      stride = d ? stride * map.dims[d] : map.dims[d] * element;
      if (d + 1 < map.rank)
        map.strides[d] = stride;
    }
    TmaCopy copy;
    if (pixels) {
      map.mode = TmaMode::Im2col;
      map.im2col.channels = static_cast<uint32_t>(16 / element);
      map.im2col.pixels = 1 + random() % 30;
      copy.im2colOffsets.assign(static_cast<size_t>(map.rank - 2), 0);
      ++im2col;
    } else {
      ++tiled;
    }
    copy.coords = outsideCoordinates(map);
    auto transfer = TmaTransfer::make(map, copy, h200);
    ASSERT_TRUE(bool(transfer)) << transfer.problem().message;
    transfer->forEachRun([&](const TmaRun &run) { ASSERT_TRUE(run.fill); });
  }
  EXPECT_GT(tiled, 500);
  EXPECT_GT(im2col, 500);
}

} // namespace
