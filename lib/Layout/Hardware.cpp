//===- Hardware.cpp - The layouts that instructions prescribe -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Hardware.h"

#include "LayoutParts.h"

#include <algorithm>

using namespace titan;

static Digit row(int64_t extent, int64_t stride) { return {extent, 0, stride}; }
static Digit col(int64_t extent, int64_t stride) { return {extent, 1, stride}; }
static Digit rep(int64_t extent) { return {extent, Digit::replica, 0}; }

/// Elements of `bits` bits in one register step of a fragment; 0 if illegal.
static int64_t perRegister(int bits) {
  switch (bits) {
  case 4:
  case 8:
  case 16:
  case 32:
    return 32 / bits;
  case 64:
    return 1;
  default:
    return 0;
  }
}

//===----------------------------------------------------------------------===//
// mma.sync and wgmma
//===----------------------------------------------------------------------===//

/// Of fragments whose K fits no instruction; `p`: perRegister.
static std::string fixOfK(int64_t p) {
  return p ? "make K a multiple of " + std::to_string(4 * p)
           : "take elements of 4, 8, 16, 32 or 64 bits";
}

Result<Layout> titan::mmaA(int bits, int64_t k) {
  int64_t p = perRegister(bits);
  if (p == 0 || k < 4 * p || k % (4 * p) != 0)
    return illegal(
        "mma.m16n8k" + std::to_string(k) + ", " + std::to_string(bits) +
            "-bit A: elements have 4, 8, 16, 32 or 64 bits and K is a "
            "multiple of 4 lanes' registers",
        fixOfK(p));
  return Layout::tile({16, k}, {col(p, 1), row(2, 8), col(k / (4 * p), 4 * p)},
                      {col(4, p), row(8, 1)});
}

Result<Layout> titan::mmaB(int bits, int64_t k) {
  int64_t p = perRegister(bits);
  if (p == 0 || k < 4 * p || k % (4 * p) != 0)
    return illegal(
        "mma.m16n8k" + std::to_string(k) + ", " + std::to_string(bits) +
            "-bit B: elements have 4, 8, 16, 32 or 64 bits and K is a "
            "multiple of 4 lanes' registers",
        fixOfK(p));
  return Layout::tile({k, 8}, {row(p, 1), row(k / (4 * p), 4 * p)},
                      {row(4, p), col(8, 1)});
}

Result<Layout> titan::mmaC(int64_t n) {
  if (n < 8 || n % 8 != 0)
    return illegal("mma.m16n8: the result has " + std::to_string(n) +
                       " columns, no multiple of 8",
                   "make N a multiple of 8");
  return Layout::tile({16, n}, {col(2, 1), row(2, 8), col(n / 8, 8)},
                      {col(4, 2), row(8, 1)});
}

/// What is wrong with a grid of warps and the extents that it is to hold.
static std::optional<Problem> gridProblem(int64_t rows, int64_t columns,
                                          int64_t rowWarps,
                                          int64_t columnWarps) {
  if (rowWarps < 1 || columnWarps < 1 || rowWarps > 32 || columnWarps > 32)
    return illegal("mma.m16n8: a grid of " + std::to_string(rowWarps) + " x " +
                   std::to_string(columnWarps) + " warps");
  if (rows < 1 || rows % (16 * rowWarps) != 0)
    return illegal("mma.m16n8: " + std::to_string(rows) +
                   " rows are no multiple of 16 for each of " +
                   std::to_string(rowWarps) + " rows of warps");
  if (columns < 1 || columns % (8 * columnWarps) != 0)
    return illegal("mma.m16n8: " + std::to_string(columns) +
                   " columns are no multiple of 8 for each of " +
                   std::to_string(columnWarps) + " columns of warps");
  return std::nullopt;
}

Result<Layout> titan::mmaTileA(int bits, int64_t rows, int64_t k,
                               int64_t rowWarps, int64_t columnWarps) {
  if (auto problem = gridProblem(rows, 8 * columnWarps, rowWarps, columnWarps))
    return *problem;
  if (Result<Layout> atom = mmaA(bits, k); !atom)
    return atom;
  int64_t p = perRegister(bits);
  return Layout::tile({rows, k},
                      {col(p, 1), row(2, 8), col(k / (4 * p), 4 * p),
                       row(rows / (16 * rowWarps), 16 * rowWarps)},
                      {col(4, p), row(8, 1)},
                      {row(rowWarps, 16), rep(columnWarps)});
}

Result<Layout> titan::mmaTileB(int bits, int64_t columns, int64_t k,
                               int64_t rowWarps, int64_t columnWarps) {
  if (auto problem = gridProblem(16 * rowWarps, columns, rowWarps, columnWarps))
    return *problem;
  if (Result<Layout> atom = mmaB(bits, k); !atom)
    return atom;
  int64_t p = perRegister(bits), each = columns / columnWarps;
  return Layout::tile(
      {columns, k}, {col(p, 1), col(k / (4 * p), 4 * p), row(each / 8, 8)},
      {col(4, p), row(8, 1)}, {rep(rowWarps), row(columnWarps, each)});
}

Result<Layout> titan::mmaTileD(int64_t rows, int64_t columns, int64_t rowWarps,
                               int64_t columnWarps) {
  if (auto problem = gridProblem(rows, columns, rowWarps, columnWarps))
    return *problem;
  int64_t each = columns / columnWarps;
  return Layout::tile({rows, columns},
                      {col(2, 1), row(2, 8), col(each / 8, 8),
                       row(rows / (16 * rowWarps), 16 * rowWarps)},
                      {col(4, 2), row(8, 1)},
                      {row(rowWarps, 16), col(columnWarps, each)});
}

Result<Layout> titan::wgmmaD(int64_t rows, int64_t columns, int64_t rowGroups,
                             int64_t columnGroups) {
  if (rowGroups < 1 || columnGroups < 1 || rows < 1 ||
      rows % (64 * rowGroups) != 0)
    return illegal("wgmma: " + std::to_string(rows) +
                   " rows are no multiple of 64 for each of " +
                   std::to_string(rowGroups) + " warpgroups");
  if (columns < 1 || columns % (8 * columnGroups) != 0 ||
      columns / columnGroups > 256)
    return illegal("wgmma: " + std::to_string(columns) + " columns over " +
                   std::to_string(columnGroups) +
                   " warpgroups: N is a multiple of 8, 8 .. 256");
  int64_t n = columns / columnGroups;
  return Layout::tile({rows, columns},
                      {col(2, 1), row(2, 8), col(n / 8, 8),
                       row(rows / (64 * rowGroups), 64 * rowGroups)},
                      {col(4, 2), row(8, 1)},
                      {row(4, 16), row(rowGroups, 64), col(columnGroups, n)});
}

Result<Layout> titan::wgmmaA(int bits, int64_t rows, int64_t k,
                             int64_t rowGroups, int64_t columnGroups) {
  if (bits != 8 && bits != 16 && bits != 32)
    return illegal("wgmma: A of " + std::to_string(bits) +
                   " bits; registers hold A of 8, 16 or 32 bits");
  if (rowGroups < 1 || columnGroups < 1 || rows < 1 ||
      rows % (64 * rowGroups) != 0)
    return illegal("wgmma: " + std::to_string(rows) +
                   " rows are no multiple of 64 for each of " +
                   std::to_string(rowGroups) + " warpgroups");
  int64_t p = 32 / bits;
  if (k < 1 || k % (8 * p) != 0)
    return illegal("wgmma: K " + std::to_string(k) + " is no multiple of " +
                   std::to_string(8 * p));
  return Layout::tile({rows, k},
                      {col(p, 1), row(2, 8), col(k / (4 * p), 4 * p),
                       row(rows / (64 * rowGroups), 64 * rowGroups)},
                      {col(4, p), row(8, 1)},
                      {row(4, 16), row(rowGroups, 64), rep(columnGroups)});
}

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix
//===----------------------------------------------------------------------===//

/// The digits that walk from matrix to matrix, and the tile they span.
static std::optional<std::vector<Digit>> matrixDigits(int count,
                                                      MatrixOrder order) {
  if (count != 1 && count != 2 && count != 4)
    return std::nullopt;
  switch (order) {
  case MatrixOrder::Rows:
    return {{row(count, 8)}};
  case MatrixOrder::Columns:
    return {{col(count, 8)}};
  case MatrixOrder::RowsThenColumns:
    return {{row(std::min(count, 2), 8), col(count / std::min(count, 2), 8)}};
  case MatrixOrder::ColumnsThenRows:
    return {{col(std::min(count, 2), 8), row(count / std::min(count, 2), 8)}};
  }
  return std::nullopt;
}

static std::vector<int64_t> matrixShape(const std::vector<Digit> &digits) {
  std::vector<int64_t> shape = {8, 8};
  for (const Digit &d : digits)
    shape[d.dim] *= d.extent;
  return shape;
}

static Problem badCount(int count) {
  return illegal("ldmatrix and stmatrix move 1, 2 or 4 matrices, not " +
                 std::to_string(count));
}

Result<Layout> titan::matrixFragment(int count, bool trans, MatrixOrder order) {
  auto matrices = matrixDigits(count, order);
  if (!matrices)
    return badCount(count);
  std::vector<Digit> reg = {trans ? row(2, 1) : col(2, 1)};
  reg.insert(reg.end(), matrices->begin(), matrices->end());
  if (trans)
    return Layout::tile(matrixShape(*matrices), reg, {row(4, 2), col(8, 1)});
  return Layout::tile(matrixShape(*matrices), reg, {col(4, 2), row(8, 1)});
}

Result<Layout> titan::matrixAddresses(int count, MatrixOrder order) {
  auto matrices = matrixDigits(count, order);
  if (!matrices)
    return badCount(count);
  std::vector<Digit> lane = {row(8, 1)};
  lane.insert(lane.end(), matrices->begin(), matrices->end());
  lane.push_back(rep(4 / count));
  return Layout::tile(matrixShape(*matrices), {}, lane);
}

//===----------------------------------------------------------------------===//
// Blocked
//===----------------------------------------------------------------------===//

Result<Layout> titan::blocked(const std::vector<int64_t> &shape,
                              const std::vector<int64_t> &perLane,
                              const std::vector<int64_t> &lanes,
                              const std::vector<int64_t> &warps,
                              const std::vector<int> &order) {
  size_t rank = shape.size();
  if (rank < 1 || rank > size_t(Coord::maxRank) || perLane.size() != rank ||
      lanes.size() != rank || warps.size() != rank || order.size() != rank)
    return illegal("blocked: shape, elements per lane, lanes, warps and order "
                   "need one entry a dimension, 1 .. 8 of them");
  std::vector<bool> seen(rank, false);
  for (int d : order) {
    if (d < 0 || d >= static_cast<int>(rank) || seen[d])
      return illegal("blocked: the order is no permutation of the dimensions");
    seen[d] = true;
  }
  // done[d]: how far the boxes reach so far.
  std::vector<int64_t> done(rank, 1);
  auto step = [&](std::vector<Digit> &digits,
                  const std::vector<int64_t> &counts,
                  const char *what) -> std::optional<Problem> {
    for (int d : order) {
      int64_t count = counts[d], left = shape[d] / done[d];
      if (count < 1 || (left % count != 0 && count % left != 0))
        return illegal(
            "blocked: " + std::to_string(count) + " " + what +
                " along dimension " + std::to_string(d) +
                ", where the shape leaves " + std::to_string(left),
            "make dimension " + std::to_string(d) +
                " of the tile a multiple of " +
                std::to_string(done[d] * std::max<int64_t>(count, 1)) +
                ", or give " + what + " there that divide " +
                std::to_string(left));
      int64_t moving = std::min(count, left);
      digits.push_back({moving, d, done[d]});
      digits.push_back(rep(count / moving));
      done[d] *= moving;
    }
    return std::nullopt;
  };
  for (int64_t extent : shape)
    if (extent < 1)
      return illegal("blocked: an extent of " + std::to_string(extent));
  std::vector<Digit> reg, lane, warp;
  // Registers that would repeat an element are left out.
  for (int d : order) {
    if (perLane[d] < 1 ||
        (shape[d] % perLane[d] != 0 && perLane[d] % shape[d] != 0))
      return illegal("blocked: " + std::to_string(perLane[d]) +
                     " elements per lane along dimension " + std::to_string(d) +
                     " of extent " + std::to_string(shape[d]));
    int64_t count = std::min(perLane[d], shape[d]);
    reg.push_back({count, d, 1});
    done[d] = count;
  }
  if (auto problem = step(lane, lanes, "lanes"))
    return *problem;
  if (auto problem = step(warp, warps, "warps"))
    return *problem;
  for (int d : order)
    reg.push_back({shape[d] / done[d], d, done[d]});
  return Layout::tile(shape, reg, lane, warp);
}

//===----------------------------------------------------------------------===//
// Tensor memory
//===----------------------------------------------------------------------===//

Result<Layout> titan::tmemLoad(TmemShape shape, int64_t repeat, int64_t warps) {
  static const int64_t limits[] = {128, 128, 64, 32};
  if (!isPowerOfTwo(repeat) || repeat > limits[static_cast<int>(shape)])
    return illegal("tcgen05.ld: .x" + std::to_string(repeat) +
                   "; the repetition is a power of two up to " +
                   std::to_string(limits[static_cast<int>(shape)]));
  if (warps != 1 && warps != 4)
    return illegal("tcgen05.ld: one warp, or the four of a warpgroup");
  std::vector<Digit> reg, lane, warp = {row(warps, 32)};
  int64_t columns = repeat;
  bool half = true;
  switch (shape) {
  case TmemShape::S32x32b:
    reg = {col(repeat, 1)};
    lane = {row(32, 1)};
    half = false;
    break;
  case TmemShape::S16x64b:
    reg = {col(repeat, 2)};
    lane = {row(2, 8), col(2, 1), row(8, 1)};
    columns = 2 * repeat;
    break;
  case TmemShape::S16x128b:
    reg = {row(2, 8), col(repeat, 4)};
    lane = {col(4, 1), row(8, 1)};
    columns = 4 * repeat;
    break;
  case TmemShape::S16x256b:
    reg = {col(2, 1), row(2, 8), col(repeat, 8)};
    lane = {col(4, 2), row(8, 1)};
    columns = 8 * repeat;
    break;
  }
  int64_t rows = (warps - 1) * 32 + (half ? 16 : 32);
  return Layout::tile({rows, columns}, reg, lane, warp);
}

Result<Layout> titan::tmemLoad16x32bx2(int64_t repeat, int64_t halfSplit,
                                       int64_t warps) {
  if (!isPowerOfTwo(repeat) || repeat > 128)
    return illegal("tcgen05.ld.16x32bx2: .x" + std::to_string(repeat) +
                   "; the repetition is a power of two up to 128");
  if (halfSplit < repeat || halfSplit > 512)
    return illegal("tcgen05.ld.16x32bx2: the second half " +
                   std::to_string(halfSplit) +
                   " columns to the right overlaps the first");
  if (warps != 1 && warps != 4)
    return illegal("tcgen05.ld: one warp, or the four of a warpgroup");
  return Layout::tile({(warps - 1) * 32 + 16, halfSplit + repeat},
                      {col(repeat, 1)}, {row(16, 1), col(2, halfSplit)},
                      {row(warps, 32)});
}

//===----------------------------------------------------------------------===//
// MFMA
//===----------------------------------------------------------------------===//

Result<Layout> titan::mfmaA(int64_t m, int64_t k, int bits) {
  // k elements of one lane lie side by side; 64 / m groups of lanes follow.
  int64_t groups = m == 32 ? 2 : 4, each = k / groups;
  bool legal = (m == 32 || m == 16) && k % groups == 0;
  switch (bits) {
  case 8:
    legal = legal && each == 8;
    break;
  case 16:
    legal = legal && each == 4;
    break;
  case 32: // xf32 holds two, f32 one.
    legal = legal && (each == 2 || each == 1);
    break;
  case 64:
    legal = legal && m == 16 && each == 1;
    break;
  default:
    legal = false;
  }
  if (!legal)
    return illegal("mfma " + std::to_string(m) + "x" + std::to_string(m) + "x" +
                   std::to_string(k) + " with elements of " +
                   std::to_string(bits) + " bits does not exist on gfx942");
  return Layout::tile({m, k}, {col(each, 1)}, {row(m, 1), col(groups, each)});
}

Result<Layout> titan::mfmaB(int64_t m, int64_t k, int bits) {
  Result<Layout> a = mfmaA(m, k, bits);
  if (!a)
    return a;
  return a->permuted({1, 0});
}

Result<Layout> titan::mfmaD(int64_t m, int bits) {
  if (bits == 64 && m == 16)
    return Layout::tile({16, 16}, {row(4, 4)}, {col(16, 1), row(4, 1)});
  if (bits == 32 && m == 32)
    return Layout::tile({32, 32}, {row(4, 1), row(4, 8)},
                        {col(32, 1), row(2, 4)});
  if (bits == 32 && m == 16)
    return Layout::tile({16, 16}, {row(4, 1)}, {col(16, 1), row(4, 4)});
  return illegal("mfma: no result of " + std::to_string(m) + " x " +
                 std::to_string(m) + " values of " + std::to_string(bits) +
                 " bits");
}
