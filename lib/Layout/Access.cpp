//===- Access.cpp - Register tiles to and from shared memory --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Access.h"

#include <algorithm>
#include <numeric>

using namespace titan;

Result<MatrixPlan> MatrixPlan::make(const Layout &tile,
                                    const SharedImage &image, bool trans,
                                    int64_t rowOffset, int64_t columnOffset) {
  auto fail = [](const std::string &why) {
    return Problem{"layout-mismatch", "ldmatrix / stmatrix: " + why};
  };
  if (!tile.isTile() || tile.rank() != 2)
    return fail("the layout is no register tile of two dimensions");
  if (image.elementBytes() != 2)
    return fail("elements of " + std::to_string(image.elementBytes()) +
                " bytes, not 2");
  if (rowOffset < 0 || columnOffset < 0 ||
      rowOffset + tile.shape()[0] > image.rows() ||
      columnOffset + tile.shape()[1] > image.columns())
    return fail("the tile reaches past the shared image");
  // A row of a matrix is 16 bytes at a multiple of 16.
  if (columnOffset % 8 != 0)
    return fail("column " + std::to_string(columnOffset) +
                " is no multiple of 8: rows would not be aligned to 16 bytes");
  if (image.pitchBytes() % 16 != 0 || image.panelBytes() % 16 != 0)
    return fail("a row pitch of " + std::to_string(image.pitchBytes()) +
                " bytes does not align rows to 16 bytes");
  std::string reasons;
  for (int count : {4, 2, 1})
    for (MatrixOrder order :
         {MatrixOrder::RowsThenColumns, MatrixOrder::ColumnsThenRows,
          MatrixOrder::Rows, MatrixOrder::Columns}) {
      Result<Layout> atom = matrixFragment(count, trans, order);
      Result<Layout> rows = matrixAddresses(count, order);
      if (!atom || !rows)
        return atom.problem();
      Result<Layout> outer = tile.divide(*atom);
      if (!outer) {
        if (order == MatrixOrder::RowsThenColumns)
          reasons += " .x" + std::to_string(count) + ": " +
                     outer.problem().message + ";";
        continue;
      }
      MatrixPlan plan;
      plan.matrices = count;
      plan.transposed = trans;
      plan.atom = atom->shape();
      plan.outer = std::move(*outer);
      plan.rows = std::move(*rows);
      plan.image = image;
      plan.rowOffset = rowOffset;
      plan.columnOffset = columnOffset;
      return plan;
    }
  return fail("the tile is no repetition of its matrices:" + reasons);
}

Coord MatrixPlan::rowOf(int64_t n, int64_t lane, int64_t warp) const {
  Coord at = rows.coords(0, lane, 0), tile = outer.coords(n, 0, warp);
  return {rowOffset + tile[0] * atom[0] + at[0],
          columnOffset + tile[1] * atom[1] + at[1]};
}

int64_t MatrixPlan::address(int64_t base, int64_t n, int64_t lane,
                            int64_t warp) const {
  Coord at = rowOf(n, lane, warp);
  return image.address(base, at[0], at[1]);
}

int64_t titan::sharedVectorRegisters(const Layout &tile,
                                     const SharedImage &image,
                                     int64_t columnOffset) {
  // 16 bytes is also what a swizzle leaves together. Panels and pitches cut
  // runs that are no divisors of them.
  int64_t most = std::max<int64_t>(16 / image.elementBytes(), 1);
  int64_t run = std::gcd(tile.alignedRun(1), most);
  run = std::gcd(run, columnOffset == 0 ? run : columnOffset);
  run = std::gcd(run, image.panelBytes() / image.elementBytes());
  run = std::gcd(run, image.pitchBytes() / image.elementBytes());
  if (tile.shape()[1] + columnOffset > image.columns())
    run = 1;
  // gcd with a power of two is a power of two.
  return run;
}

int64_t titan::wavefronts(const std::vector<int64_t> &addresses,
                          int64_t bytes) {
  size_t group = bytes >= 16 ? 8 : bytes == 8 ? 16 : 32;
  int64_t total = 0;
  for (size_t first = 0; first < addresses.size(); first += group) {
    std::vector<int64_t> words;
    for (size_t l = first; l < std::min(first + group, addresses.size()); ++l)
      for (int64_t w = addresses[l] / 4; w <= (addresses[l] + bytes - 1) / 4;
           ++w)
        words.push_back(w);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::array<int64_t, 32> banks{};
    for (int64_t w : words)
      ++banks[w % 32];
    total += *std::max_element(banks.begin(), banks.end());
  }
  return total;
}
