//===- CorrectnessTest.cpp - What a copy needs, and who checks it ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Targets.h"

#include "titan/Domain/Correctness.h"
#include "titan/Domain/Tma.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace titan;

namespace {

bool isIndex(const std::string &name) { return name[0] == 'i'; }

Requirements aligned(const Expr &coordinate, const char *type = "bf16") {
  Requirements r;
  requireAlignedCoordinate(coordinate, *findTmaType(type), h200, isIndex, r);
  return r;
}

std::string verdict(const Requirements &r) {
  std::string text;
  for (const TmaViolation &e : r.errors)
    text += std::string(codeInfo(e.code).code) + " ";
  for (const LaunchCheck &c : r.checks)
    text += c.atLeastZero.str() + " ";
  return text;
}

/// The table of the header.
TEST(AlignedCoordinate, TheFourAnswers) {
  Expr i = Expr::symbol("i"), j = Expr::symbol("i2"), n = Expr::symbol("N"),
       m = Expr::symbol("M", 8);
  EXPECT_EQ(verdict(aligned(i * 64)), "");
  EXPECT_EQ(verdict(aligned(i * 4)), "tma-coordinate-alignment ");
  EXPECT_EQ(verdict(aligned(i * 4, "f32")), "");
  EXPECT_EQ(verdict(aligned(i * n)), "-(N % 8) ");
  EXPECT_EQ(verdict(aligned(i * m + j * 8 - 16)), "");
  EXPECT_EQ(verdict(aligned(i / 3 * n % 100)), "undecided ");
  EXPECT_EQ(verdict(aligned(i * 8 + 4)), "tma-coordinate-alignment ");
  EXPECT_EQ(verdict(aligned(i * 8 + n)), "-(N % 8) ");
  EXPECT_EQ(verdict(aligned(i)), "tma-coordinate-alignment ");
  EXPECT_EQ(verdict(aligned(i * 128 + n, "u8")), "-(N % 16) ");
  EXPECT_EQ(verdict(aligned(i * 64, "b6x16_p32")), "tma-coordinate-packed ");
}

/// Nothing is silent: where there is no error and the launch checks hold, every
/// coordinate is aligned; where a check fails, some coordinate is not, or a
/// factor met a term that made up for it.
TEST(AlignedCoordinate, AgainstValues) {
  std::mt19937 random(11);
  int proved = 0, checked = 0, refused = 0, undecided = 0;
  for (int n = 0; n < 4000; ++n) {
    Expr e = 0;
    for (int k = 0; k < 3; ++k) {
      Expr term = static_cast<int64_t>(random() % 5) * (random() % 2 ? 8 : 4);
      if (random() % 2)
        term = term * Expr::symbol(k % 2 ? "i" : "i2");
      if (random() % 3 == 0)
        term = term * Expr::symbol("N", random() % 2 ? 8 : 1);
      if (random() % 8 == 0)
        term = term / Expr(3);
      e = e + term;
    }
    Requirements r = aligned(e);
    bool allAligned = true;
    for (int64_t size : {8, 16, 40}) {
      bool holds = r.ok();
      for (const LaunchCheck &c : r.checks)
        holds = holds && c.holds({{"N", size}}) == Tri::Yes;
      for (int64_t i = 0; i < 4; ++i)
        for (int64_t j = 0; j < 4; ++j) {
          bool is = *e.evaluate({{"N", size}, {"i", i}, {"i2", j}}) % 8 == 0;
          allAligned = allAligned && is;
          if (holds)
            ASSERT_TRUE(is) << e.str();
        }
    }
    proved += r.ok() && r.checks.empty();
    checked += r.ok() && !r.checks.empty();
    for (const TmaViolation &v : r.errors) {
      refused += v.code == Code::TmaCoordinateAlignment;
      undecided += v.code == Code::Undecided;
      if (v.code == Code::TmaCoordinateAlignment)
        ASSERT_FALSE(allAligned) << e.str();
    }
  }
  EXPECT_GT(proved, 200);
  EXPECT_GT(checked, 100);
  EXPECT_GT(refused, 200);
  EXPECT_GT(undecided, 50);
}

/// (2) is exactly the function's store tail; (1) by value.
TEST(WeakStore, StartsAndTails) {
  auto verdictOf = [](const TmaStoreFacts &facts) {
    Requirements r;
    requireWeakStore(facts, r);
    return verdict(r);
  };
  for (const char *type : {"u8", "bf16", "f32", "f64"})
    for (uint64_t n = 1; n <= 40; ++n) {
      TensorMap map;
      map.type = findTmaType(type);
      map.dims[0] = n;
      TmaStoreFacts facts{static_cast<int64_t>(n), map.type->bits};
      EXPECT_EQ(verdictOf(facts).empty(), storeTailBytes(map) == 0);
      facts.tailIsPadding = true;
      EXPECT_EQ(verdictOf(facts), "");
    }
  Expr n = Expr::symbol("N");
  EXPECT_EQ(verdictOf({n, 16}), "-(N*16 % 128) ");
  EXPECT_EQ(verdictOf({n * 8, 16, false, {0, 0}}), "");
  EXPECT_EQ(verdictOf({8, 16, false, {0, -3}}), "tma-store-negative ");
  EXPECT_EQ(verdictOf({8, 16, false, {n - 4}}), "N - 4 ");
}

/// The three conditions of Theorem 1 for stores against stores on bytes: rows
/// of n words, resized, cut in boxes and strided; every tile is stored, in both
/// orders, holes being garbage. Right in both if and only if the three hold.
TEST(WeakStore, ThreeConditionsOnBytes) {
  constexpr int64_t base = 4096, shared = 1024;
  constexpr uint32_t untouched = 0xCDCDCDCD, garbage = 0xABABABAB;
  int64_t right = 0, broken[3] = {};
  auto check = [&](int64_t size, int64_t left, int64_t right_, int64_t box,
                   int64_t stride, int64_t n) {
    int64_t row = (n + 3) / 4 * 4, pitch = row + 4; // Words.
    int64_t elements = ceilDiv(box, stride), extent = size + left + right_;
    TensorMap map;
    map.rank = 2;
    map.type = findTmaType("u32");
    map.address = base;
    map.dims[0] = static_cast<uint64_t>(n);
    map.dims[1] = static_cast<uint64_t>(size);
    map.strides[0] = static_cast<uint64_t>(pitch * 4);
    map.box[0] = static_cast<uint32_t>(row);
    map.box[1] = static_cast<uint32_t>(box);
    map.elementStrides[1] = static_cast<uint32_t>(stride);
    // Position p of row i of a box that starts at c.
    auto valid = [&](int64_t i, int64_t p) {
      return i < box && p >= 0 && p < size && p + left >= 0 &&
             p + left < extent;
    };
    bool holeInside = false;
    std::vector<uint32_t> want(static_cast<size_t>((size + 1) * pitch),
                               untouched);
    std::vector<int64_t> starts; // c * 8 + s
    for (int64_t c = -left; c < extent - left; c += box)
      for (int64_t s = 0; s < stride; ++s) {
        starts.push_back(c * 8 + s);
        for (int64_t t = 0; t < elements; ++t) {
          int64_t i = s + t * stride, p = c + i;
          if (valid(i, p))
            for (int64_t j = 0; j < n; ++j)
              want[static_cast<size_t>(p * pitch + j)] =
                  static_cast<uint32_t>(p * 64 + j);
          else
            holeInside = holeInside || (p >= 0 && p < size);
        }
      }
    bool correct = true;
    for (bool backwards : {false, true}) {
      std::vector<uint32_t> got(want.size(), untouched);
      for (size_t k = 0; k < starts.size(); ++k) {
        int64_t at = starts[backwards ? starts.size() - 1 - k : k];
        int64_t c = euclidDiv(at, 8), s = euclidMod(at, 8);
        TmaCopy copy;
        copy.direction = TmaDirection::Store;
        copy.shared = shared;
        copy.coords = {0, c + s};
        auto transfer = TmaTransfer::make(map, copy, h200);
        if (!transfer) {
          ASSERT_EQ(transfer.problem().code, "tma-store-negative");
          correct = false;
          continue;
        }
        transfer->forEachRun([&](const TmaRun &run) {
          for (int64_t b = 0; b < run.bytes; b += 4) {
            int64_t word = (run.shared + b - shared) / 4;
            int64_t i = s + word / row * stride, j = word % row, p = c + i;
            got.at((run.global + static_cast<uint64_t>(b) - base) / 4) =
                valid(i, p) && j < n ? static_cast<uint32_t>(p * 64 + j)
                                     : garbage;
          }
        });
      }
      correct = correct && got == want;
    }
    Requirements starts_, tail;
    requireWeakStore({4, 32, false, {0, -left}}, starts_);
    requireWeakStore({n, 32, false, {0, 0}}, tail);
    ASSERT_TRUE(starts_.checks.empty() && tail.checks.empty());
    // A tail is seen where some row of the tensor is stored.
    bool one = starts_.ok(), two = tail.ok(), three = !holeInside;
    bool stores = std::any_of(want.begin(), want.end(),
                              [](uint32_t w) { return w != untouched; });
    ASSERT_EQ(correct, one && (two || (!stores && three)) && three)
        << size << " " << left << " " << right_ << " box " << box << " stride "
        << stride << " row " << n;
    right += correct;
    broken[0] += !one && two && three;
    broken[1] += one && !two && three;
    broken[2] += one && two && !three;
  };
  for (int64_t size = 1; size <= 6; ++size)
    for (int64_t left = -2; left <= 2; ++left)
      for (int64_t right_ = -2; right_ <= 2; ++right_)
        for (int64_t box = 1; box <= 5; ++box)
          for (int64_t stride = 1; stride <= 4; ++stride)
            for (int64_t n : {3, 4, 5, 8})
              if (size + left + right_ >= 1)
                check(size, left, right_, box, stride, n);
  EXPECT_GT(right, 1000);
  for (int64_t only : broken)
    EXPECT_GT(only, 100);
}

TEST(WantedCorrectness, Table) {
  using enum Correctness;
  TileUse sum{"mma %acc", {1}}, elementwise{"add", {}},
      maximum{"max", {1}, TileFill::Other}, nan{"fma.oob", {1}, TileFill::NaN};
  TileHoles whole{{Tri::No, Tri::No}}, rows{{Tri::Yes, Tri::No}},
      ragged{{Tri::No, Tri::Yes}}, may{{Tri::No, Tri::Unknown}},
      loops{{Tri::No, Tri::No}, Tri::Yes};
  auto level = [](const Result<WantedCorrectness> &w) {
    return !w ? w.problem().code
              : std::string(w->level == Strong ? "strong" : "weak") +
                    (w->nanFill ? " NaN" : "");
  };
  EXPECT_EQ(level(wantedCorrectness({elementwise}, ragged)), "weak");
  EXPECT_EQ(level(wantedCorrectness({sum}, whole)), "weak");
  EXPECT_EQ(level(wantedCorrectness({sum}, rows)), "weak");
  EXPECT_EQ(level(wantedCorrectness({elementwise, sum}, ragged)), "strong");
  EXPECT_EQ(level(wantedCorrectness({sum}, may)), "strong");
  EXPECT_EQ(level(wantedCorrectness({nan}, ragged)), "strong NaN");
  EXPECT_EQ(level(wantedCorrectness({maximum}, ragged)), "tma-fill-value");
  EXPECT_EQ(level(wantedCorrectness({maximum}, whole)), "weak");
  EXPECT_EQ(level(wantedCorrectness({sum, nan}, ragged)), "tma-fill-value");
  EXPECT_EQ(level(wantedCorrectness({sum, nan}, whole)), "weak");
  EXPECT_EQ(level(wantedCorrectness({sum, maximum}, ragged)), "tma-fill-value");
  EXPECT_EQ(level(wantedCorrectness({}, ragged)), "weak");
  // Tiles that are one hole, added up or not.
  TileUse tiles{"addf", {0, 1, 2}};
  EXPECT_EQ(level(wantedCorrectness({sum}, loops)), "weak");
  EXPECT_EQ(
      wantedCorrectness({sum, tiles}, loops)->why,
      "strong: addf takes tiles of the loops around it together, and some "
      "of them are holes, in which only zero leaves its result right");
  // Demands.
  CorrectnessDemand weak{Weak}, strong{Strong},
      strongNaN{Strong, TileFill::NaN}, fillNaN{std::nullopt, TileFill::NaN};
  EXPECT_EQ(level(wantedCorrectness({sum}, ragged, weak)), "weak");
  EXPECT_EQ(level(wantedCorrectness({maximum, sum}, ragged, weak)), "weak");
  EXPECT_EQ(level(wantedCorrectness({}, whole, strong)), "strong");
  EXPECT_EQ(level(wantedCorrectness({}, ragged, strongNaN)), "strong NaN");
  EXPECT_EQ(level(wantedCorrectness({sum}, ragged, strongNaN)),
            "tma-fill-value");
  EXPECT_EQ(level(wantedCorrectness({elementwise}, ragged, fillNaN)),
            "weak NaN");
  EXPECT_EQ(level(wantedCorrectness({{"x", {7}}}, ragged)), "domain-invalid");
  EXPECT_EQ(wantedCorrectness({sum}, may)->why,
            "strong: mma %acc takes elements along dimension 1 of the tile "
            "together, and some of them may be holes, in which only zero "
            "leaves its result right");
}

//===----------------------------------------------------------------------===//
// Elements of a stored tensor share no bytes
//===----------------------------------------------------------------------===//

/// Whether two elements share a byte, by marking all of them.
bool overlaps(const std::vector<std::pair<int64_t, int64_t>> &dims,
              int64_t element) {
  std::set<int64_t> bytes;
  std::vector<int64_t> at(dims.size(), 0);
  while (true) {
    int64_t place = 0;
    for (size_t k = 0; k < dims.size(); ++k)
      place += at[k] * dims[k].second;
    for (int64_t b = 0; b < element; ++b)
      if (!bytes.insert(place + b).second)
        return true;
    size_t k = dims.size();
    while (k-- > 0 && ++at[k] == dims[k].first)
      at[k] = 0;
    if (k == static_cast<size_t>(-1))
      return false;
  }
}

/// Whether strides nest in some order, by trying all.
bool nests(std::vector<std::pair<int64_t, int64_t>> dims, int64_t element) {
  std::sort(dims.begin(), dims.end());
  do {
    int64_t spanned = element;
    bool good = true;
    for (auto [n, stride] : dims) {
      if (n == 1)
        continue;
      good = good && stride >= spanned;
      spanned += (n - 1) * stride;
    }
    if (good)
      return true;
  } while (std::next_permutation(dims.begin(), dims.end()));
  return false;
}

/// Every tensor of up to three dimensions, extents up to 4: numbers are decided
/// exactly; what a launch checks holds where strides nest, whatever their
/// order, and where it holds nothing overlaps.
TEST(DisjointElements, EveryCase) {
  int64_t cases = 0, overlapping = 0, held = 0;
  for (int64_t element : {1, 2, 4})
    for (int64_t n0 = 1; n0 <= 4; ++n0)
      for (int64_t n1 = 1; n1 <= 4; ++n1)
        for (int64_t n2 = 1; n2 <= 4; ++n2)
          for (int64_t s0 = 0; s0 <= 20; ++s0)
            for (int64_t s1 = 0; s1 <= 20; ++s1) {
              std::vector<std::pair<int64_t, int64_t>> numbers = {
                  {n0, s0}, {n1, s1}, {n2, element}};
              bool shared = overlaps(numbers, element);
              ++cases;
              overlapping += shared;
              Requirements known, open, half;
              requireDisjointElements(
                  {{"A", n0, s0}, {"B", n1, s1}, {"C", n2, element}}, element,
                  known);
              ASSERT_EQ(verdict(known), shared ? "tma-store-overlap " : "")
                  << n0 << ' ' << n1 << ' ' << n2 << ' ' << s0 << ' ' << s1;
              Expr a = Expr::symbol("A"), b = Expr::symbol("B"),
                   c = Expr::symbol("C"), s = Expr::symbol("s"),
                   t = Expr::symbol("t");
              Expr::Bindings launch = {
                  {"A", n0}, {"B", n1}, {"C", n2}, {"s", s0}, {"t", s1}};
              auto holds = [&](const Requirements &r) {
                EXPECT_FALSE(r.checks.empty());
                return std::all_of(r.checks.begin(), r.checks.end(),
                                   [&](const LaunchCheck &check) {
                                     EXPECT_EQ(check.code,
                                               Code::TmaStoreOverlap);
                                     return check.holds(launch) == Tri::Yes;
                                   });
              };
              requireDisjointElements(
                  {{"A", a, s}, {"B", b, t}, {"C", c, element}}, element, open);
              ASSERT_TRUE(open.ok());
              // Inner strides of less than an element do not nest.
              ASSERT_EQ(holds(open), nests(numbers, element))
                  << n0 << ' ' << n1 << ' ' << n2 << ' ' << s0 << ' ' << s1;
              ASSERT_FALSE(holds(open) && shared);
              held += holds(open);
              if (n0 == 1 || n1 == 1)
                continue;
              // Sizes in the type, strides of the launch.
              requireDisjointElements(
                  {{"A", n0, s}, {"B", n1, t}, {"C", n2, element}}, element,
                  half);
              ASSERT_TRUE(half.ok());
              ASSERT_EQ(holds(half), holds(open));
            }
  std::printf("%ld cases, %ld overlap, %ld nest\n", long(cases),
              long(overlapping), long(held));
  EXPECT_GT(overlapping, 1000);
  EXPECT_GT(held, 1000);
}

/// Strides that are computed from sizes need no check; what is known to overlap
/// is an error whatever the launch brings; strides that are as large as can be.
TEST(DisjointElements, Proofs) {
  Expr m = Expr::symbol("M"), k = Expr::symbol("K"), n = Expr::symbol("N");
  auto of = [](const std::vector<TmaStoreDim> &dims) {
    Requirements r;
    requireDisjointElements(dims, 2, r);
    return verdict(r);
  };
  EXPECT_EQ(of({{"N", n, k * 2 * m}, {"M", m, k * 2}, {"K", k, 2}}), "");
  EXPECT_EQ(of({{"N", n, 4096}, {"M", 16, 256}, {"K", 100, 2}}), "");
  EXPECT_EQ(of({{"M", m, Expr::symbol("M.stride") * 2}, {"K", k, 2}}),
            "max(-M + 1, M.stride*2 - K*2) ");
  EXPECT_EQ(of({{"N", n, Expr::symbol("N.stride")},
                {"M", 3, 16},
                {"L", 2, 32},
                {"K", 8, 2}}),
            "tma-store-overlap "); // 2 of M and -1 of L.
  EXPECT_EQ(of({{"M", m, 0}, {"K", 8, 2}}), "max(-M + 1, -16) ");
  EXPECT_EQ(of({{"M", 2, 0}, {"K", 8, 2}}), "tma-store-overlap ");
  int64_t most = (int64_t(1) << 40) - 16, all = int64_t(1) << 32;
  EXPECT_EQ(of({{"A", all, most}, {"B", all, most}, {"K", 8, 2}}),
            "tma-store-overlap ");
  EXPECT_EQ(of({{"A", all, 16}, {"B", 16, most}, {"K", 8, 2}}), "");
  EXPECT_EQ(of({{"A", all, 16 * 3}, {"B", all, 16 * 5}, {"K", 8, 2}}),
            "tma-store-overlap ");
  // Too many to look at.
  std::vector<TmaStoreDim> many;
  for (int64_t d = 0; d < 30; ++d)
    many.push_back({"D", 2, (int64_t(1) << 38) + (int64_t(16) << d)});
  many.push_back({"K", 1, 2});
  EXPECT_EQ(of(many), "undecided ");
}

} // namespace
