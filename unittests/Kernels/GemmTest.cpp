//===- GemmTest.cpp - GEMM builders: parameters and model -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Kernels/Gemm.h"

#include "gtest/gtest.h"

#include <cmath>
#include <ctime>
#include <random>
#include <vector>

using namespace titan;
using namespace titan::kernels;

/// Every combination of tile, cluster, consumers, types and swap.
template <typename Visit> static void forAll(Visit visit) {
  for (int64_t m : {8, 16, 64, 72, 128, 192, 256})
    for (int64_t n : {16, 64, 128, 160, 176, 192, 256})
      for (int64_t k : {32, 64, 128, 256})
        for (auto [cm, cn] : {std::pair(1, 1), {2, 1}, {1, 2}, {2, 2}})
          for (Consumers consumers :
               {Consumers::Cooperative, Consumers::Pingpong})
            for (Element out : {Element::BF16, Element::F32})
              for (bool swap : {false, true})
                for (bool transposed : {false, true})
                  for (int64_t split : k == 64
                                           ? std::vector<int64_t>{1, 2, 3, 8}
                                           : std::vector<int64_t>{1}) {
                    GemmOptions o;
                    o.split = split;
                    o.tileM = m, o.tileN = n, o.tileK = k;
                    o.clusterM = cm, o.clusterN = cn;
                    o.consumers = consumers, o.output = out, o.swap = swap;
                    o.transposedA = o.transposedB = transposed;
                    visit(o);
                    if (swap && split <= 2)
                      o.panel = 32, visit(o);
                  }
}

TEST(Gemm, WhatIsTakenFits) {
  const TargetInfo &hopper = targetInfo(TargetId::Sm90a);
  int64_t taken = 0, refused = 0;
  forAll([&](const GemmOptions &o) {
    Result<GemmOptions> checked = checkGemm(o);
    if (!checked) {
      ++refused;
      EXPECT_EQ(checked.problem().code, "bad-argument");
      EXPECT_FALSE(checked.problem().message.empty());
      EXPECT_FALSE(checked.problem().fix.empty());
      return;
    }
    ++taken;
    // Stages, panels and barriers lie in the CTA's shared memory, and no
    // further stage would.
    int64_t barriers = 2 * hopper.mbarrierBytes * checked->stages;
    int64_t bytes =
        checked->stages * o.stageBytes() + o.panelBytes() + barriers;
    if (o.split > 1) // Two barriers, and a part of the others' sums.
      bytes += o.rows() * o.columns() * 4 * (o.split - 1) / o.split +
               2 * hopper.mbarrierBytes;
    EXPECT_GE(checked->stages, 2);
    EXPECT_LE(bytes + 1024, hopper.sharedBytesPerCta);
    EXPECT_GT(bytes + 1024 + o.stageBytes() + 2 * hopper.mbarrierBytes,
              hopper.sharedBytesPerCta);
    GemmOptions more = *checked;
    ++more.stages;
    EXPECT_FALSE(checkGemm(more));
    // The instruction's operands, and the sums beside the rest.
    EXPECT_EQ(o.rows() % (64 * o.warpgroupsPerTile()), 0);
    // Panels lie side by side, and cover what leaves.
    int64_t end = 0;
    for (const GemmPanels &panels : o.panels()) {
      EXPECT_EQ(panels.first * panels.width, end);
      EXPECT_TRUE(panels.first == 0 || panels.count == 1);
      end += panels.width * panels.count;
    }
    EXPECT_EQ(end * o.split, o.columnsOut());
    EXPECT_LE(o.rows() * o.columns() / (128 * o.warpgroupsPerTile()),
              o.turnsPanels() ? 200 : 192);
  });
  EXPECT_GT(taken, 100);
  EXPECT_GT(refused, 100);
}

TEST(Gemm, TextOfAll) {
  // Text is made for all that is taken: each template has its values.
  forAll([&](const GemmOptions &o) {
    if (!checkGemm(o))
      return;
    for (bool all : {false, true}) {
      GemmOptions full = o;
      full.alpha = full.beta = full.bias = full.programmatic = all;
      full.activation = all ? Activation::SiLU : Activation::None;
      Result<std::string> text = generateGemm(full);
      ASSERT_TRUE(text);
      EXPECT_EQ(text->find('$'), std::string::npos);
      EXPECT_NE(text->find("titan.kernel @gemm("), std::string::npos);
    }
  });
}

TEST(Gemm, StreamKOfAll) {
  int64_t taken = 0, refused = 0;
  forAll([&](GemmOptions o) {
    if (!checkGemm(o))
      return;
    o.streamK = true;
    Result<std::string> text = generateGemm(o);
    bool crowded = (o.swap || o.cluster() > 1) &&
                   o.consumers == Consumers::Pingpong &&
                   o.rows() * o.columns() > 128 * 128;
    if (o.split > 1 || crowded) {
      ++refused;
      ASSERT_FALSE(text);
      EXPECT_EQ(text.problem().code, "bad-argument");
      EXPECT_FALSE(text.problem().fix.empty());
      return;
    }
    ++taken;
    ASSERT_TRUE(text);
    EXPECT_EQ(text->find('$'), std::string::npos);
    // One page for each CTA, set back where it is read.
    EXPECT_NE(text->find("titan.flag.wait"), std::string::npos);
    EXPECT_NE(text->find("titan.flag.signal %flags[%"), std::string::npos);
  });
  EXPECT_GT(taken, 100);
  EXPECT_GT(refused, 100);
  // Which of both, a shape says.
  GemmOptions open;
  open.streamK = std::nullopt;
  EXPECT_FALSE(generateGemm(open));
}

TEST(Gemm, PicksStreamKWhereWavesAreQuantised) {
  GemmOptions open;
  open.streamK = std::nullopt;
  auto cuts = [&](int64_t m, int64_t n, int64_t k) {
    GemmOptions picked = pickGemm({m, n, k}, open);
    EXPECT_TRUE(picked.streamK.has_value());
    EXPECT_TRUE(checkGemm(picked));
    EXPECT_LE(estimateGemm({m, n, k}, picked),
              estimateGemm({m, n, k}, pickGemm({m, n, k}, {})));
    return picked.cuts();
  };
  // Rows that no tile divides, few tiles, and a very long K.
  EXPECT_TRUE(cuts(200, 2560, 131072));
  EXPECT_TRUE(cuts(200, 1000, 131072));
  // The last wave is full, or nearly, or K too short for another page.
  EXPECT_FALSE(cuts(8192, 8192, 8192));
  EXPECT_FALSE(cuts(2048, 2048, 2048));
  EXPECT_FALSE(cuts(1024, 1024, 1024));
  // Unasked it is not taken; asked for, always.
  EXPECT_FALSE(pickGemm({200, 2560, 131072}, {}).cuts());
  GemmOptions always;
  always.streamK = true;
  EXPECT_TRUE(pickGemm({2048, 2048, 2048}, always).cuts());
  EXPECT_TRUE(checkGemm(pickGemm({2048, 2048, 2048}, always)));
  // "auto" that is settled again and again stays what it was found to be.
  GemmOptions settled = pickGemm({200, 2560, 131072}, open, [](GemmOptions &o) {
    o.streamK = std::nullopt;
  });
  EXPECT_TRUE(settled.cuts());
}

TEST(Gemm, ModelIsNoFasterThanTheMachine) {
  std::mt19937_64 rng(7);
  auto extent = [&] {
    return int64_t(std::exp2(std::uniform_real_distribution(0.0, 14.5)(rng)));
  };
  for (int i = 0; i < 500; ++i) {
    GemmShape shape{extent(), 8 * extent(), 8 * extent()};
    GemmOptions given;
    given.bias = true;
    given.output = i % 2 ? Element::F32 : Element::BF16;
    given.transposedA = i % 3 == 0;
    given.transposedB = i % 5 == 0;
    if (i % 4 == 1)
      given.streamK = i % 8 == 1;
    GemmOptions picked = pickGemm(shape, given);
    ASSERT_TRUE(checkGemm(picked)) << checkGemm(picked).problem().message;
    EXPECT_EQ(picked.bias, given.bias);
    EXPECT_EQ(picked.output, given.output);
    EXPECT_EQ(picked.transposedA, given.transposedA);
    double time = estimateGemm(shape, picked);
    double products = double(shape.m) * shape.n * shape.k;
    double bytes = 2.0 * shape.k * (double(shape.m) + shape.n);
    EXPECT_GE(time, 2 * products / 989e6); // microseconds at 989 TFLOP/s
    EXPECT_GE(time, bytes / 4.8e6);        // and at 4.8 TB/s
    EXPECT_LE(time, estimateGemm(shape, given) + 1e-9);
  }
}

TEST(Gemm, PicksToFitWhatIsGiven) {
  const int64_t tiles[][3] = {
      {128, 256, 64}, {256, 128, 64}, {64, 64, 64}, {192, 128, 128}};
  for (GemmShape shape : {GemmShape{4096, 14336, 4096},
                          {16, 8192, 8192},
                          {64, 1536, 2048},
                          {4096, 4096, 4096}})
    for (const auto &tile : tiles)
      for (int64_t stages : {0, 2}) {
        GemmOptions picked = pickGemm(shape, {}, [&](GemmOptions &o) {
          o.tileM = tile[0];
          o.tileN = tile[1];
          o.tileK = tile[2];
          o.stages = stages;
        });
        EXPECT_TRUE(checkGemm(picked)) << checkGemm(picked).problem().message;
        EXPECT_EQ(picked.tileM, tile[0]);
        EXPECT_EQ(picked.tileN, tile[1]);
        EXPECT_EQ(picked.tileK, tile[2]);
        EXPECT_EQ(picked.stages, stages);
      }
  // No ping-pong has this tile: the options come back as they are given.
  GemmOptions none = pickGemm({4096, 14336, 4096}, {}, [](GemmOptions &o) {
    o.tileM = 128, o.tileN = 256;
    o.consumers = Consumers::Pingpong;
  });
  EXPECT_FALSE(checkGemm(none));
  EXPECT_EQ(none.tileN, 256);
}

TEST(Gemm, PicksInMicroseconds) {
  GemmShape shape{4096, 14336, 4096};
  // Of this process: the machine may be loaded.
  std::clock_t begin = std::clock();
  for (int i = 0; i < 100; ++i)
    shape.m += pickGemm(shape, {}).tileM % 2;
  double took = double(std::clock() - begin) / CLOCKS_PER_SEC * 1e6;
  // Some hundred us; a bound that holds with sanitizers, too.
  EXPECT_LT(took / 100, 2000);
}

TEST(Gemm, PicksWhatMeasuringShowed) {
  // benchmarks/results/h200-gemm-sweep.json: the fastest of each kind of shape.
  auto picked = [](int64_t m, int64_t n, int64_t k) {
    return pickGemm({m, n, k}, {});
  };
  GemmOptions large = picked(4096, 4096, 4096);
  EXPECT_EQ(large.consumers, Consumers::Pingpong);
  EXPECT_EQ(large.tileM * large.tileN, 128 * 128);
  // Waves: 23 of 152 x 128 instead of 28 of 128 x 128; 20 of 200 x 128 instead of 31.
  EXPECT_EQ(picked(4096, 14336, 4096).tileM, 152);
  EXPECT_EQ(picked(8192, 8192, 8192).tileM, 200);
  // Of 200 rows elements one by one are slower, but D's rows must be TMA's.
  EXPECT_EQ(picked(200, 7168, 2048).panel, 32);
  EXPECT_EQ(picked(200, 7167, 2048).panel, 0);
  EXPECT_EQ(picked(1024, 1024, 1024).tileM, 64);
  EXPECT_TRUE(picked(16, 8192, 8192).swap);
  // 24 tiles of 64 x 64, and four CTAs for each (h200-gemm-split.json).
  EXPECT_EQ(picked(64, 1536, 2048).split, 4);
  EXPECT_EQ(picked(1024, 1024, 1024).split, 1);
  // Rows in the middle of the cache's lines: loads are dear, and shared.
  EXPECT_EQ(picked(4000, 4104, 1000).cluster(), 2);
}
