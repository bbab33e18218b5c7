//===- Rows.h - Who holds the elements of a row -----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions, scans and gathers go along one dimension of a tile. The digits that
// step along it, from the smallest step to the largest, are the coordinate's own
// digits: coordinate 13 of the row below is digits 1, 2, 1.
//
//     reg: 2*c1, 2*c8; lane: 4*c2, 8*r1        c = 13 = 1*1 + 2*2 + 1*8
//
//     digit   axis   weight   extent   stride
//     0       reg      1        2        1
//     1       lane     1        4        2
//     2       reg      2        2        8
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_ROWS_H
#define TITAN_LAYOUT_ROWS_H

#include "titan/Layout/Layout.h"

namespace titan {

/// A digit of an input that steps along the dimension: value / weight % extent of
/// the input, (coordinate / stride) % extent of the coordinate.
struct RowDigit {
  int axis;
  int64_t weight, extent, stride;
};

/// The digits of coordinate `dim`, from the inside out. Problem layout-mismatch:
/// coordinates are not made of such digits, or not all of them are there.
Result<std::vector<RowDigit>> digitsAlong(const Layout &tile, int dim);
/// The same of a tile whose rows along `dim` lie in one warp each, and in numbers
/// of lanes that are powers of two; problem layout-mismatch where they do not.
Result<std::vector<RowDigit>> digitsInWarp(const Layout &tile, int dim);

/// The tile with digits along `dim`, each element in a warp that it was in: where
/// exclusive or mixes that dimension with others, shuffles lead there
/// (ConversionPlan) and back. A tile that has digits is itself.
///   reg: 4*^r1^c1; lane: 4*c1          along c   reg: 4*r1; lane: 4*c1
///   reg: 2*c2; lane: 2*^r1^c1, 2*c1    along c   reg: 2*c2; lane: 2*r1, 2*c1
/// Theorem. Let V be what the registers and lanes of a warp span. Rows lie in one
/// warp where V has e, the steps along `dim`; then the exchange of a basis of V
/// for one that contains e, and the rest without its part along `dim`, spans V.
/// withoutDim(dim) stays where each e takes the place of a step that, but for
/// `dim`, stands still; such a step is taken where there is one.
/// Problem layout-mismatch: as digitsAlong, for layouts that are not bitwise
/// (Layout.h) and where warps mix the dimension with others.
Result<Layout> rowsByDigits(const Layout &tile, int dim);

/// The tile with its last dimension cut in two: parts, which warps hold, and the
/// elements of a part. Register r of each thread is register r.
///   reg: 2*c1; lane: 4*c2, 8*r1; warp: 2*c8
///     as 8 x 2 x 8:  reg: 2*k1; lane: 4*k2, 8*i1; warp: 2*j1
struct RowParts {
  Layout tile;
  int64_t parts = 1;
};
/// Problem layout-mismatch: as digitsAlong.
Result<RowParts> cutRows(const Layout &tile);
/// The tile with `dim`, along which rows lie in several warps, cut in two, which
/// come last: blocks, which warps hold, and the elements of a block, in order.
///   reg: 2*c1, 2*c16; lane: 4*c2, 8*r1; warp: 2*c8      of dimension 1
///     as 8 x 4 x 8:  reg: 2*k1, 2*j2; lane: 4*k2, 8*i1; warp: 2*j1
/// Problem layout-mismatch: as digitsAlong; rows in several CTAs; one warp has
/// them already.
Result<RowParts> blockRows(const Layout &tile, int dim);

/// The tile with rows along `dim` whole in each warp that has a part of them:
/// what warps step along it becomes steps of registers, outside of those there
/// are. Problem layout-mismatch: as digitsAlong; rows in several CTAs.
///   reg: 2*c1; lane: 4*c2, 8*r1; warp: 2*c8
///   reg: 2*c1, 2*c8; lane: 4*c2, 8*r1; warp: 2*rep
Result<Layout> wholeRows(const Layout &tile, int dim);

} // namespace titan

#endif // TITAN_LAYOUT_ROWS_H
