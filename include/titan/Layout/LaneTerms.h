//===- LaneTerms.h - Layouts that lane and warp compute ---------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a thread's elements are is a function of its lane and warp, and the
// digits of the layout say how to compute it:
//
//     both     lane: 4*b4, 8*b32; warp: 4*b512      (Access.h: one register)
//     terms    lane / 1 % 4 * 4  +  lane / 4 % 8 * 32  +  warp / 1 % 4 * 512
//
// 1. Add or xor. Where the layout is bitwise (Layout.h), its terms are joined by
//    exclusive or, which swizzles need; where it is a sum, by adding. Digits that
//    walk on in one direction are one term, also across the two kinds, as long as
//    multiplying does not carry:
//
//     bits: 4^7, 5^8, 6^9 of  lane: 8*b128     lane % 8 * 144
//
// 2. Sums under a swizzle, whose digits carry into one another (three rows of 16
//    bytes a warp): first the sum, then its own bits folded into it.
//
//     bits: 4^7, 5^8       sum ^ (sum & 384) >> 3
//
// 3. Further registers. Their layouts differ from the first one's by a constant,
//    or by an exclusive or below the alignment of what the bytes are counted
//    from, so that it can be done to the whole address:
//
//     register 2 of a row of 64 bytes, 32 bytes further on under a swizzle:
//     xor 32
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_LANETERMS_H
#define TITAN_LAYOUT_LANETERMS_H

#include "titan/Layout/Layout.h"

namespace titan {

/// input / weight % extent * factor; the input is that of axis 1 or 2.
struct LaneTerm {
  int axis;
  int64_t weight, extent, factor;
  bool operator==(const LaneTerm &) const = default;
};

/// Bits of the sum that are xored with it, `down` places lower.
struct LaneFold {
  int64_t mask;
  int down;
  bool operator==(const LaneFold &) const = default;
};

struct LaneTerms {
  int64_t origin = 0;
  /// How the terms and the origin are joined.
  bool exclusive = false;
  std::vector<LaneTerm> terms;
  /// Then; each reads what has been joined.
  std::vector<LaneFold> folds;

  int64_t operator()(int64_t lane, int64_t warp) const;
};

/// Of a register tile with one dimension, its register 0 (and CTA 0). Problem
/// layout-algebra: neither bitwise nor a sum, swizzled towards lower bits or not.
Result<LaneTerms> laneTerms(const Layout &layout);

/// Coordinate `dim` of register `reg` of a tile, by lane and warp. Problem
/// layout-algebra: the layout's bits mix dimensions in a way no digits say.
Result<Layout> coordinateOf(const Layout &tile, int64_t reg, int dim);

/// next(x) = (first(x) ^ xors) + adds.
struct LaneStep {
  int64_t xors = 0, adds = 0;
  bool operator==(const LaneStep &) const = default;
};

/// The step from one layout to another, of the same axes, each at its register 0:
/// `xors` is below `unit`, a power of two, and 0 if adding does; `adds` is then
/// a multiple of it. None: there is no such step.
std::optional<LaneStep> laneStep(const Layout &first, const Layout &next,
                                 int64_t unit);

} // namespace titan

#endif // TITAN_LAYOUT_LANETERMS_H
