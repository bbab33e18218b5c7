//===- Triton.h - Triton's layout encodings as layouts ----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Triton's encodings are names for functions. Those of registers are made in
// three steps, each of them algebra of Layout.h.
//
// 1. A tensor T of threads. Blocked is T by four levels: the values of a thread,
//    the threads of a warp, the warps of a CTA, each a box whose dimensions are
//    walked in `order`, the fastest first. 2 x 2, 8 x 4, 1 x 2, order 1, 0:
//
//        reg: 2*c1, 2*r1; lane: 4*c2, 8*r2; warp: 2*c8           16 x 16
//
// 2. T is laid over the tensor A, with wrap-around: A's element i is held by
//    T[(i_d + k_d * dim(A, d)) mod dim(T, d)] for all k. Along a dimension in which
//    A is larger, T is repeated in further registers; where A is smaller, threads
//    whose places wrap around hold the same. A 2 x 8, T 4 x 4 (t numbers T row by
//    row):
//
//        T    lane: 4*c1, 4*r1
//        A    reg: 2*c4; lane: 4*c1, 2*r1, 2*rep     element (1, 3): lanes 7, 15
//
// 3. CTAs. A cluster's tile is cut into one tile a CTA; bit b of the CTA's rank
//    moves by cga[b], counted in tiles: [[1, 0], [0, 1]] are 2 x 2 CTAs, the rows
//    first, [[0, 0]] are two CTAs that hold the same.
//
// Slice is withoutDim; linear is a list of images of bits. Encodings of shared
// memory are functions of coordinates into elements from the tile's start.
//
// All extents are powers of two, as Triton's are: problem layout-instruction.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_TRITON_H
#define TITAN_LAYOUT_TRITON_H

#include "titan/Layout/SharedImage.h"

namespace titan::triton {

using Numbers = std::vector<int64_t>;
/// Of each bit of a CTA's rank, the step in each dimension, in tiles.
using Cga = std::vector<Numbers>;

/// The layout of a tensor of `shape` whose threads are T's, with wrap-around. The
/// further registers walk the dimensions in `order`; by default, the last first.
Result<Layout> wrapped(const Layout &threads, const Numbers &shape,
                       const std::vector<int> &order = {});

/// `tile`, a layout of one CTA's part, for the CTAs of a cluster. The shape is
/// the tile's times the CTAs along each dimension.
Result<Layout> overCtas(const Layout &tile, const Cga &cga);
/// The shape of one CTA's part.
Numbers shapePerCta(const Numbers &shape, const Cga &cga);

/// #ttg.blocked.
struct Blocked {
  Numbers sizePerThread, threadsPerWarp, warpsPerCta;
  std::vector<int> order;
  Cga cga = {};
};
Result<Layout> toLayout(const Blocked &encoding, const Numbers &shape);

/// #ttg.linear: the images of the bits of each axis.
struct Linear {
  std::vector<Numbers> registers, lanes, warps, blocks;
};
Result<Layout> toLayout(const Linear &encoding, const Numbers &shape);

/// #ttg.swizzled_shared: coordinates -> element. Chunks of `vec` elements of the
/// fastest dimension are xored with the phase, row / perPhase mod maxPhase.
struct SwizzledShared {
  int64_t vec = 1, perPhase = 1, maxPhase = 1;
  std::vector<int> order;
};
Result<Layout> toLayout(const SwizzledShared &encoding, const Numbers &shape);

/// #ttg.padded_shared: row-major by `order`, and after each `interval` elements
/// `padding` of them are left free (one pair).
struct PaddedShared {
  int64_t interval = 1, padding = 0;
  std::vector<int> order;
};
Result<Layout> toLayout(const PaddedShared &encoding, const Numbers &shape);

/// #ttg.nvmma_shared of two dimensions: coordinates -> byte.
struct NvmmaShared {
  int64_t swizzlingByteWidth = 128, elementBitWidth = 16;
  bool transposed = false;
};
Result<Layout> toLayout(const NvmmaShared &encoding, const Numbers &shape);

} // namespace titan::triton

#endif // TITAN_LAYOUT_TRITON_H
