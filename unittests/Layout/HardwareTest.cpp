//===- HardwareTest.cpp - Hardware layouts against their tables -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each layout is held against the formula of its published table, element by
// element. The formulas are written as the sources print them (group and
// thread in group, index i within the fragment), not as digits.
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Hardware.h"

#include <gtest/gtest.h>

using namespace titan;

namespace {

/// Checks a fragment of one lane set: element i of lane t (of warp w) must be
/// at table(i, t, w), and the layout covers its tile once.
void expectTable(const Result<Layout> &layout, std::vector<int64_t> shape,
                 int64_t registers, int64_t lanes, int64_t warps,
                 const std::function<Coord(int64_t, int64_t, int64_t)> &table,
                 int64_t copies = 1) {
  ASSERT_TRUE(bool(layout)) << layout.problem().message;
  SCOPED_TRACE(layout->str());
  EXPECT_EQ(layout->shape(), shape);
  ASSERT_EQ(layout->registers(), registers);
  ASSERT_EQ(layout->lanes(), lanes);
  ASSERT_EQ(layout->warps(), warps);
  for (int64_t w = 0; w < warps; ++w)
    for (int64_t t = 0; t < lanes; ++t)
      for (int64_t i = 0; i < registers; ++i) {
        Coord got = layout->coords(i, t, w), want = table(i, t, w);
        ASSERT_EQ(got, want) << "element " << i << " lane " << t << " warp "
                             << w << ": got (" << got[0] << ", " << got[1]
                             << ") want (" << want[0] << ", " << want[1] << ")";
      }
  EXPECT_EQ(layout->replication(), copies);
  // The text says everything.
  auto again = Layout::parse(layout->str());
  ASSERT_TRUE(bool(again)) << again.problem().message;
  EXPECT_TRUE(again->sameFunction(*layout));
  EXPECT_EQ(again->str(), layout->str());
}

// PTX ISA, "Matrix Fragments for mma.m16n8k8": A .f16/.bf16, .tf32, .f64.
TEST(Mma, M16n8k8) {
  expectTable(mmaA(16, 8), {16, 8}, 4, 32, 1,
              [](int64_t i, int64_t t, int64_t) {
                return Coord{t / 4 + (i >= 2 ? 8 : 0), t % 4 * 2 + (i & 1)};
              });
  for (int bits : {32, 64}) {
    expectTable(mmaA(bits, 8), {16, 8}, 4, 32, 1,
                [](int64_t i, int64_t t, int64_t) {
                  return Coord{t / 4 + (i == 1 || i == 3 ? 8 : 0),
                               t % 4 + (i >= 2 ? 4 : 0)};
                });
    expectTable(mmaB(bits, 8), {8, 8}, 2, 32, 1,
                [](int64_t i, int64_t t, int64_t) {
                  return Coord{t % 4 + (i == 1 ? 4 : 0), t / 4};
                });
  }
  expectTable(mmaB(16, 8), {8, 8}, 2, 32, 1, [](int64_t i, int64_t t, int64_t) {
    return Coord{t % 4 * 2 + i, t / 4};
  });
  expectTable(mmaC(), {16, 8}, 4, 32, 1, [](int64_t i, int64_t t, int64_t) {
    return Coord{t / 4 + (i >= 2 ? 8 : 0), t % 4 * 2 + (i & 1)};
  });
}

// "Matrix Fragments for mma.m16n8k4": .tf32.
TEST(Mma, M16n8k4) {
  expectTable(mmaA(32, 4), {16, 4}, 2, 32, 1,
              [](int64_t i, int64_t t, int64_t) {
                return Coord{t / 4 + (i == 1 ? 8 : 0), t % 4};
              });
  expectTable(mmaB(32, 4), {4, 8}, 1, 32, 1,
              [](int64_t, int64_t t, int64_t) { return Coord{t % 4, t / 4}; });
}

// "Matrix Fragments for mma.m16n8k16": floating point and 8-bit types.
TEST(Mma, M16n8k16) {
  expectTable(mmaA(16, 16), {16, 16}, 8, 32, 1,
              [](int64_t i, int64_t t, int64_t) {
                bool top = i < 2 || (4 <= i && i < 6);
                return Coord{t / 4 + (top ? 0 : 8),
                             t % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
              });
  expectTable(mmaB(16, 16), {16, 8}, 4, 32, 1,
              [](int64_t i, int64_t t, int64_t) {
                return Coord{t % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0), t / 4};
              });
  expectTable(mmaA(64, 16), {16, 16}, 8, 32, 1,
              [](int64_t i, int64_t t, int64_t) {
                return i % 2 == 0 ? Coord{t / 4, i * 2 + t % 4}
                                  : Coord{t / 4 + 8, i * 2 - 2 + t % 4};
              });
  expectTable(mmaA(8, 16), {16, 16}, 8, 32, 1,
              [](int64_t i, int64_t t, int64_t) {
                return Coord{t / 4 + (i >= 4 ? 8 : 0), t % 4 * 4 + (i & 3)};
              });
  expectTable(mmaB(8, 16), {16, 8}, 4, 32, 1,
              [](int64_t i, int64_t t, int64_t) {
                return Coord{t % 4 * 4 + i, t / 4};
              });
}

// "Matrix Fragments for mma.m16n8k32" and k64: 8-bit and 4-bit types.
TEST(Mma, M16n8k32AndK64) {
  expectTable(mmaA(8, 32), {16, 32}, 16, 32, 1,
              [](int64_t i, int64_t t, int64_t) {
                bool top = i < 4 || (8 <= i && i < 12);
                return Coord{t / 4 + (top ? 0 : 8),
                             t % 4 * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
              });
  expectTable(mmaB(8, 32), {32, 8}, 8, 32, 1,
              [](int64_t i, int64_t t, int64_t) {
                return Coord{t % 4 * 4 + (i & 3) + (i >= 4 ? 16 : 0), t / 4};
              });
  expectTable(mmaA(4, 32), {16, 32}, 16, 32, 1,
              [](int64_t i, int64_t t, int64_t) {
                return Coord{t / 4 + (i < 8 ? 0 : 8), t % 4 * 8 + (i & 7)};
              });
  expectTable(mmaB(4, 32), {32, 8}, 8, 32, 1,
              [](int64_t i, int64_t t, int64_t) {
                return Coord{t % 4 * 8 + (i & 7), t / 4};
              });
  expectTable(mmaA(4, 64), {16, 64}, 32, 32, 1,
              [](int64_t i, int64_t t, int64_t) {
                bool top = i < 8 || (16 <= i && i < 24);
                return Coord{t / 4 + (top ? 0 : 8),
                             t % 4 * 8 + (i & 7) + (i >= 16 ? 32 : 0)};
              });
}

// PTX ISA figures of wgmma.m64nNk16, accumulator D: register d(4j + i) of
// thread t of warp w holds row 16w + t/4 + 8*(i/2), column 8j + 2*(t%4) + i%2.
/// Block (i, j) of a tile of many instructions is the instruction's own fragment.
TEST(Mma, TilesOverWarps) {
  for (int64_t rowWarps : {1, 2, 4})
    for (int64_t columnWarps : {1, 2, 3})
      for (int64_t down : {1, 3})
        for (int64_t across : {1, 2})
          for (int bits : {8, 16, 32}) {
            int64_t rows = 16 * rowWarps * down, k = 3 * 128 / bits,
                    each = 8 * across, columns = each * columnWarps;
            Layout a = *mmaTileA(bits, rows, k, rowWarps, columnWarps),
                   b = *mmaTileB(bits, columns, k, rowWarps, columnWarps),
                   d = *mmaTileD(rows, columns, rowWarps, columnWarps);
            Layout partA = *mmaA(bits, k), partB = *mmaB(bits, k),
                   partD = *mmaC();
            int64_t inA = partA.registers(), inB = partB.registers();
            ASSERT_EQ(a.warps(), rowWarps * columnWarps);
            ASSERT_EQ(a.registers(), inA * down);
            ASSERT_EQ(b.registers(), inB * across);
            ASSERT_EQ(d.registers(), 4 * across * down);
            for (int64_t w = 0; w < rowWarps * columnWarps; ++w)
              for (int64_t lane = 0; lane < 32; ++lane) {
                int64_t row = w % rowWarps, column = w / rowWarps;
                for (int64_t i = 0; i < down; ++i)
                  for (int64_t r = 0; r < inA; ++r) {
                    Coord at = partA.coords(r, lane, 0);
                    ASSERT_EQ(
                        a.coords(i * inA + r, lane, w),
                        (Coord{at[0] + 16 * (i * rowWarps + row), at[1]}));
                  }
                for (int64_t j = 0; j < across; ++j)
                  for (int64_t r = 0; r < inB; ++r) {
                    Coord at = partB.coords(r, lane, 0); // (k, n)
                    ASSERT_EQ(b.coords(j * inB + r, lane, w),
                              (Coord{at[1] + 8 * j + each * column, at[0]}));
                  }
                for (int64_t i = 0; i < down; ++i)
                  for (int64_t j = 0; j < across; ++j)
                    for (int64_t r = 0; r < 4; ++r) {
                      Coord at = partD.coords(r, lane, 0);
                      ASSERT_EQ(d.coords((i * across + j) * 4 + r, lane, w),
                                (Coord{at[0] + 16 * (i * rowWarps + row),
                                       at[1] + 8 * j + each * column}));
                    }
              }
          }
  for (const auto &bad : {mmaTileD(24, 8, 1, 1), mmaTileD(16, 12, 1, 1),
                          mmaTileD(16, 8, 0, 1), mmaTileA(16, 16, 12, 1, 1),
                          mmaTileB(16, 8, 12, 1, 1), mmaTileD(16, 8, 1, 2)}) {
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.problem().code, "layout-instruction");
  }
}

TEST(Wgmma, AccumulatorOfEveryN) {
  for (int64_t n = 8; n <= 256; n += 8)
    expectTable(wgmmaD(64, n), {64, n}, n / 2, 32, 4,
                [](int64_t d, int64_t t, int64_t w) {
                  int64_t j = d / 4, i = d % 4;
                  return Coord{16 * w + t / 4 + 8 * (i / 2),
                               8 * j + 2 * (t % 4) + i % 2};
                });
}

TEST(Wgmma, AccumulatorOfSeveralWarpgroups) {
  for (int64_t n : {24, 96, 192}) {
    // Below each other.
    expectTable(wgmmaD(128, n, 2), {128, n}, n / 2, 32, 8,
                [](int64_t d, int64_t t, int64_t w) {
                  return Coord{64 * (w / 4) + 16 * (w % 4) + t / 4 +
                                   8 * (d % 4 / 2),
                               8 * (d / 4) + 2 * (t % 4) + d % 2};
                });
    // Three of them, which no linear layout over bits can say.
    expectTable(wgmmaD(192, n, 3), {192, n}, n / 2, 32, 12,
                [](int64_t d, int64_t t, int64_t w) {
                  return Coord{16 * w + t / 4 + 8 * (d % 4 / 2),
                               8 * (d / 4) + 2 * (t % 4) + d % 2};
                });
    // Side by side.
    expectTable(wgmmaD(64, n, 1, 3), {64, n}, n / 6, 32, 12,
                [n](int64_t d, int64_t t, int64_t w) {
                  return Coord{16 * (w % 4) + t / 4 + 8 * (d % 4 / 2),
                               n / 3 * (w / 4) + 8 * (d / 4) + 2 * (t % 4) +
                                   d % 2};
                });
    // One warpgroup, two instructions of 64 rows.
    expectTable(wgmmaD(128, n), {128, n}, n, 32, 4,
                [n](int64_t d, int64_t t, int64_t w) {
                  int64_t m = d / (n / 2), e = d % (n / 2);
                  return Coord{64 * m + 16 * w + t / 4 + 8 * (e % 4 / 2),
                               8 * (e / 4) + 2 * (t % 4) + e % 2};
                });
  }
  EXPECT_EQ(wgmmaD(64, 24)->str(),
            "reg: 2*c1, 2*r8, 3*c8; lane: 4*c2, 8*r1; warp: 4*r16");
  EXPECT_EQ(wgmmaD(128, 256, 2)->str(),
            "reg: 2*c1, 2*r8, 32*c8; lane: 4*c2, 8*r1; warp: 8*r16");
  for (auto bad :
       {wgmmaD(63, 8), wgmmaD(64, 4), wgmmaD(64, 264), wgmmaD(64, 8, 2),
        wgmmaD(64, 24, 1, 2), wgmmaD(0, 8), wgmmaD(64, 8, 0)}) {
    ASSERT_FALSE(bool(bad));
    EXPECT_EQ(bad.problem().code, "layout-instruction");
  }
}

// Figures of multiplicand A in registers: a warp's part is the A of
// mma.m16n8k{8, 16, 32} (figures 150, 148, 152).
TEST(Wgmma, OperandAInRegisters) {
  expectTable(wgmmaA(16, 64, 16), {64, 16}, 8, 32, 4,
              [](int64_t i, int64_t t, int64_t w) {
                bool top = i < 2 || (4 <= i && i < 6);
                return Coord{16 * w + t / 4 + (top ? 0 : 8),
                             t % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
              });
  expectTable(wgmmaA(8, 64, 32), {64, 32}, 16, 32, 4,
              [](int64_t i, int64_t t, int64_t w) {
                bool top = i < 4 || (8 <= i && i < 12);
                return Coord{16 * w + t / 4 + (top ? 0 : 8),
                             t % 4 * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
              });
  expectTable(wgmmaA(32, 64, 8), {64, 8}, 4, 32, 4,
              [](int64_t i, int64_t t, int64_t w) {
                return Coord{16 * w + t / 4 + (i % 2 ? 8 : 0),
                             t % 4 + (i >= 2 ? 4 : 0)};
              });
  // K 64: four instructions; two warpgroups side by side hold copies.
  expectTable(
      wgmmaA(16, 64, 64, 1, 2), {64, 64}, 32, 32, 8,
      [](int64_t i, int64_t t, int64_t w) {
        int64_t k = i / 8, e = i % 8;
        bool top = e < 2 || (4 <= e && e < 6);
        return Coord{16 * (w % 4) + t / 4 + (top ? 0 : 8),
                     16 * k + t % 4 * 2 + (e & 1) + (e >= 4 ? 8 : 0)};
      },
      2);
  // The accumulator of one product is the operand of the next: chained
  // attention needs no exchange (for 16-bit types).
  EXPECT_TRUE(wgmmaA(16, 64, 192)->sameFunction(*wgmmaD(64, 192)));
  EXPECT_FALSE(bool(wgmmaA(16, 64, 24)));
  EXPECT_FALSE(bool(wgmmaA(4, 64, 64)));
}

// PTX ISA, ldmatrix: a row is loaded by four consecutive lanes, matrix m goes
// to register m, the rows of matrix m are addressed by lanes 8m .. 8m+7.
TEST(Matrix, LoadAndStore) {
  using O = MatrixOrder;
  auto corner = [](int count, O order, int64_t m) {
    switch (order) {
    case O::Rows:
      return Coord{8 * m, 0};
    case O::Columns:
      return Coord{0, 8 * m};
    case O::RowsThenColumns:
      return Coord{8 * (m % 2), 8 * (m / 2)};
    default:
      return Coord{8 * (m / 2), 8 * (m % 2)};
    }
  };
  for (int count : {1, 2, 4})
    for (O order :
         {O::Rows, O::Columns, O::RowsThenColumns, O::ColumnsThenRows}) {
      Coord last = corner(count, order, count - 1);
      std::vector<int64_t> shape = {last[0] + 8, last[1] + 8};
      for (bool trans : {false, true})
        expectTable(matrixFragment(count, trans, order), shape, 2 * count, 32,
                    1, [&](int64_t i, int64_t t, int64_t) {
                      Coord at = corner(count, order, i / 2);
                      int64_t x = t / 4, y = 2 * (t % 4) + i % 2;
                      at[0] += trans ? y : x;
                      at[1] += trans ? x : y;
                      return at;
                    });
      auto addresses = matrixAddresses(count, order);
      ASSERT_TRUE(bool(addresses));
      for (int64_t t = 0; t < 32; ++t) {
        Coord want = corner(count, order, t / 8 % count);
        want[0] += t % 8;
        EXPECT_EQ(addresses->coords(0, t, 0), want);
      }
    }
  EXPECT_EQ(matrixFragment(3, false, O::Rows).problem().code,
            "layout-instruction");
}

// Triton's blocked encoding, as its documentation draws it (16 x 16, 2 x 2
// elements a thread, 8 x 4 threads, 1 x 2 warps).
TEST(Blocked, AgainstTheBoxes) {
  struct Case {
    std::vector<int64_t> shape, perLane, lanes, warps;
    std::vector<int> order;
  };
  for (const Case &c : std::vector<Case>{
           {{16, 16}, {2, 2}, {8, 4}, {1, 2}, {1, 0}},
           {{64, 32}, {1, 8}, {8, 4}, {4, 1}, {1, 0}},
           {{48, 96}, {1, 4}, {4, 8}, {3, 1}, {1, 0}},
           {{96, 24}, {3, 1}, {32, 1}, {1, 4}, {0, 1}},
           {{24}, {1}, {8}, {3}, {0}},
           {{4, 6, 16}, {1, 3, 2}, {2, 2, 8}, {2, 1, 1}, {2, 1, 0}}}) {
    auto layout = blocked(c.shape, c.perLane, c.lanes, c.warps, c.order);
    ASSERT_TRUE(bool(layout)) << layout.problem().message;
    SCOPED_TRACE(layout->str());
    int rank = static_cast<int>(c.shape.size());
    // The definition: coordinate = ((round * warps + w) * lanes + t) * per + e
    // along each dimension, each index delinearised with order[0] fastest.
    auto digit = [&](int64_t index, const std::vector<int64_t> &counts, int d) {
      for (int o : c.order) {
        if (o == d)
          return index % counts[d];
        index /= counts[o];
      }
      return int64_t(0);
    };
    std::vector<int64_t> rounds;
    int64_t per = 1, lanes = 1, warps = 1;
    for (int d = 0; d < rank; ++d) {
      int64_t box = c.perLane[d] * c.lanes[d] * c.warps[d];
      rounds.push_back(c.shape[d] / box);
      per *= c.perLane[d];
      lanes *= c.lanes[d];
      warps *= c.warps[d];
    }
    ASSERT_EQ(layout->lanes(), lanes);
    ASSERT_EQ(layout->warps(), warps);
    for (int64_t w = 0; w < warps; ++w)
      for (int64_t t = 0; t < lanes; ++t)
        for (int64_t r = 0; r < layout->registers(); ++r) {
          Coord got = layout->coords(r, t, w);
          for (int d = 0; d < rank; ++d) {
            int64_t want = digit(r / per, rounds, d);
            want = want * c.warps[d] + digit(w, c.warps, d);
            want = want * c.lanes[d] + digit(t, c.lanes, d);
            want = want * c.perLane[d] + digit(r % per, c.perLane, d);
            ASSERT_EQ(got[d], want);
          }
        }
    EXPECT_TRUE(layout->isInjective());
    EXPECT_TRUE(layout->isSurjective());
  }
}

TEST(Blocked, SmallShapesReplicate) {
  auto layout = blocked({8, 8}, {1, 8}, {8, 4}, {4, 1}, {1, 0});
  ASSERT_TRUE(bool(layout));
  EXPECT_EQ(layout->str(), "reg: 8*c1; lane: 4*rep, 8*r1; warp: 4*rep");
  EXPECT_EQ(layout->replication(), 16);
  EXPECT_TRUE(layout->isSurjective());
  EXPECT_EQ(blocked({12, 8}, {1, 8}, {8, 4}, {1, 1}, {1, 0}).problem().code,
            "layout-instruction");
  EXPECT_EQ(blocked({8, 8}, {1, 8}, {8, 4}, {1, 1}, {1, 1}).problem().code,
            "layout-instruction");
  EXPECT_EQ(blocked({8, 8}, {1, 0}, {8, 4}, {1, 1}, {1, 0}).problem().code,
            "layout-instruction");
  EXPECT_EQ(blocked({8}, {1, 8}, {8, 4}, {1, 1}, {1, 0}).problem().code,
            "layout-instruction");
}

// PTX ISA, "Data movement shape", its figures as formulas: map (t, r) -> (L, c) and its inverse columns.
TEST(TensorMemory, LoadShapes) {
  using S = TmemShape;
  for (int64_t n = 1; n <= 128; n *= 2) {
    expectTable(tmemLoad(S::S32x32b, n), {32, n}, n, 32, 1,
                [](int64_t r, int64_t t, int64_t) { return Coord{t, r}; });
    expectTable(tmemLoad(S::S16x64b, n), {16, 2 * n}, n, 32, 1,
                [](int64_t r, int64_t t, int64_t) {
                  return Coord{t / 4 + 8 * (t % 2), t / 2 % 2 + 2 * r};
                });
    if (n <= 64)
      expectTable(tmemLoad(S::S16x128b, n), {16, 4 * n}, 2 * n, 32, 1,
                  [](int64_t r, int64_t t, int64_t) {
                    return Coord{t / 4 + 8 * (r % 2), t % 4 + 4 * (r / 2)};
                  });
    if (n <= 32)
      expectTable(tmemLoad(S::S16x256b, n), {16, 8 * n}, 4 * n, 32, 1,
                  [](int64_t r, int64_t t, int64_t) {
                    return Coord{t / 4 + 8 * (r / 2 % 2),
                                 r % 2 + 2 * (t % 4) + 8 * (r / 4)};
                  });
    expectTable(tmemLoad16x32bx2(n, 2 * n), {16, 3 * n}, n, 32, 1,
                [n](int64_t r, int64_t t, int64_t) {
                  return Coord{t % 16, r + (t < 16 ? 0 : 2 * n)};
                });
  }
  // The columns "inverse" of the table, by the inverse of the layout.
  auto inverse = tmemLoad(S::S16x256b, 8)->inverse();
  ASSERT_TRUE(bool(inverse)) << inverse.problem().message;
  for (int64_t l = 0; l < 16; ++l)
    for (int64_t c = 0; c < 64; ++c)
      EXPECT_EQ(inverse->apply({l, c}),
                (Coord{4 * (c / 8) + 2 * (l / 8) + c % 2,
                       4 * (l % 8) + c / 2 % 4, 0}));
  auto inverse64 = tmemLoad(S::S16x64b, 4)->inverse();
  ASSERT_TRUE(bool(inverse64));
  for (int64_t l = 0; l < 16; ++l)
    for (int64_t c = 0; c < 8; ++c)
      EXPECT_EQ(inverse64->apply({l, c}),
                (Coord{c / 2, 4 * (l % 8) + 2 * (c % 2) + l / 8, 0}));
  // A whole warpgroup; an epilogue of Hopper fragments keeps its layout.
  EXPECT_EQ(tmemLoad(S::S32x32b, 64, 4)->str(),
            "reg: 64*c1; lane: 32*r1; warp: 4*r32");
  EXPECT_TRUE(tmemLoad(S::S16x256b, 8)->sameFunction(*mmaC(64)));
  for (auto bad : {tmemLoad(S::S16x256b, 64), tmemLoad(S::S32x32b, 3),
                   tmemLoad(S::S32x32b, 0), tmemLoad(S::S32x32b, 8, 2),
                   tmemLoad16x32bx2(8, 4)})
    EXPECT_EQ(bad.problem().code, "layout-instruction");
}

// AMD matrix instruction calculator: lane and register of A[i][k] and of C/D[i][j].
TEST(Mfma, ElementMaps) {
  auto expectA = [](int64_t m, int64_t k, int bits, int64_t each) {
    auto a = mfmaA(m, k, bits), b = mfmaB(m, k, bits);
    ASSERT_TRUE(bool(a)) << a.problem().message;
    ASSERT_TRUE(bool(b));
    auto back = a->inverse(), backB = b->inverse();
    ASSERT_TRUE(bool(back));
    ASSERT_TRUE(bool(backB));
    EXPECT_EQ(a->lanes(), 64);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t x = 0; x < k; ++x) {
        Coord want{x % each, i + m * (x / each), 0};
        EXPECT_EQ(back->apply({i, x}), want);
        EXPECT_EQ(backB->apply({x, i}), want);
      }
  };
  expectA(32, 8, 16, 4);  // lane i + 32*(k/4), r (k/2)%2, half k%2
  expectA(16, 16, 16, 4); // lane i + 16*(k/4)
  expectA(32, 16, 8, 8);  // lane i + 32*(k/8)
  expectA(16, 32, 8, 8);
  expectA(32, 4, 32, 2); // xf32
  expectA(16, 8, 32, 2);
  expectA(32, 2, 32, 1); // f32
  expectA(16, 4, 32, 1);
  expectA(16, 4, 64, 1);

  auto d32 = mfmaD(32), d16 = mfmaD(16), d64 = mfmaD(16, 64);
  ASSERT_TRUE(d32 && d16 && d64);
  for (int64_t lane = 0; lane < 64; ++lane) {
    for (int64_t r = 0; r < 16; ++r)
      EXPECT_EQ(d32->coords(r, lane, 0),
                (Coord{8 * (r / 4) + 4 * (lane / 32) + r % 4, lane % 32}));
    for (int64_t r = 0; r < 4; ++r) {
      EXPECT_EQ(d16->coords(r, lane, 0),
                (Coord{4 * (lane / 16) + r, lane % 16}));
      // f64: element [i][j] in lane j + 16*(i%4), register pair i/4.
      EXPECT_EQ(d64->coords(r, lane, 0), (Coord{lane / 16 + 4 * r, lane % 16}));
    }
  }
  EXPECT_TRUE(d32->isSurjective() && d16->isSurjective() &&
              d64->isSurjective());
  for (auto bad : {mfmaA(32, 16, 16), mfmaA(16, 32, 16), mfmaA(4, 4, 16),
                   mfmaA(32, 4, 64), mfmaD(32, 64), mfmaD(4)})
    EXPECT_EQ(bad.problem().code, "layout-instruction");
}

// The table of docs/layouts.md, as it stands there.
TEST(Docs, LayoutsPage) {
  using O = MatrixOrder;
  auto is = [](const Result<Layout> &layout, const char *text) {
    ASSERT_TRUE(bool(layout));
    EXPECT_EQ(layout->str(), text);
  };
  is(matrixFragment(1, false, O::Rows), "reg: 2*c1; lane: 4*c2, 8*r1");
  is(matrixFragment(1, true, O::Rows), "reg: 2*r1; lane: 4*r2, 8*c1");
  is(mmaA(16, 16), "reg: 2*c1, 2*r8, 2*c8; lane: 4*c2, 8*r1");
  is(mmaB(16, 16), "reg: 2*r1, 2*r8; lane: 4*r2, 8*c1");
  is(mmaA(8, 32), "reg: 4*c1, 2*r8, 2*c16; lane: 4*c4, 8*r1");
  is(wgmmaD(64, 128, 1, 2),
     "reg: 2*c1, 2*r8, 8*c8; lane: 4*c2, 8*r1; warp: 4*r16, 2*c64");
  is(tmemLoad(TmemShape::S32x32b, 16, 4),
     "reg: 16*c1; lane: 32*r1; warp: 4*r32");
  is(mfmaA(32, 8, 16), "reg: 4*c1; lane: 32*r1, 2*c4");
  is(mfmaD(32), "reg: 4*r1, 4*r8; lane: 32*c1, 2*r4");
  is(blocked({64, 32}, {1, 8}, {8, 4}, {4, 1}, {1, 0}),
     "reg: 8*c1, 2*r32; lane: 4*c8, 8*r1; warp: 4*r8");
  EXPECT_EQ(wgmmaD(64, 24)->coords(5, 13, 2), (Coord{35, 11}));
}

} // namespace
