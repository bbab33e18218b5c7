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
//    A is larger, T is repeated in further registers; where A is smaller, places
//    that wrap around hold the same. A 2 x 8, T 4 x 4 (t numbers T row by
//    row):
//
//        T    lane: 4*c1, 4*r1
//        A    reg: 2*c4; lane: 4*c1, 2*r1, 2*rep     element (1, 3): lanes 7, 15
//
// 3. CTAs. A cluster's tile is cut into one tile a CTA; bit b of the CTA's rank
//    moves by cga[b], counted in tiles: [[1, 0], [0, 1]] are 2 x 2 CTAs, the rows
//    first, [[0, 0]] are two CTAs that hold the same.
//
// All others differ in the first step alone. A step of T is a walk: the next digit
// of an axis goes along dimension d for n, from where the walks along d before it
// ended ("4 c" below; c is the last dimension, r the one before):
//
//        encoding         reg      lane          reg            warp
//        nvidia_mma 2     2 c      4 c, 8 r      m/8 r, n/8 c   c first, then r
//          3 (wgmma)      2 c      4 c, 8 r      m/8 r, n/8 c   r first, then c
//        dot_op of it, A  w k      4 k, 8 m      2 m, 2 k       as D's; k: copies
//                      B  w k      4 k, 8 n      2 k            w = kWidth
//        dot_op of        K k, the other dimension as in blocked; threads and warps
//          blocked        along k hold copies
//        amd_mfma         4 r      n c, 64/n r   the rest r     c first, then r
//          transposed     4 c      m r, 64/m c   the rest c     (f64: 1 for 4)
//        dot_op of it     w k      m m, 64/m k   (B: n for m)   k: copies
//        slice            its parent's with dimension `dim` left out (withoutDim)
//        linear           the image of each bit, as given
//
// The further registers of step 2 walk the dimensions fastest first: blocked in
// its order, products' last one first, operands' k first; linear as its
// registers do.
//
// Encodings of shared memory say which element lies at which offset (in elements
// of their size, from the tile's start); the layout is the inverse function,
// coordinates -> offset (and, in a cluster, CTA).
//
//        swizzled_shared  `order`; chunks of `vec` elements of the fastest
//                         dimension xored with row / perPhase mod maxPhase
//        padded_shared    after each `interval` elements `padding` free ones, for
//                         each pair: o + o / interval * padding
//        nvmma_shared     what TMA and wgmma take: boxes of at most 256 a dimension
//                         and swizzlingByteWidth bytes of the fastest dimension
//                         (transposed: the first one), with that swizzle
//        shared_linear    the image of each bit of the offset, as given
//
// All extents are powers of two, as Triton's are: problem layout-instruction.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_TRITON_H
#define TITAN_LAYOUT_TRITON_H

#include "titan/Layout/Layout.h"

#include <memory>
#include <variant>

namespace titan::triton {

using Numbers = std::vector<int64_t>;
/// Of each bit of a CTA's rank, the step in each dimension, in tiles.
using Cga = std::vector<Numbers>;
/// Of each bit of an input, its image.
using Bases = std::vector<Numbers>;

/// The layout of a tensor of `shape` whose threads are T's, with wrap-around. The
/// further registers walk the dimensions in `order`; by default, the last first.
Result<Layout> wrapped(const Layout &threads, const Numbers &shape,
                       const std::vector<int> &order = {});

/// `tile`, a layout of one CTA's part, for the CTAs of a cluster. The shape is
/// the tile's times the CTAs along each dimension.
Result<Layout> overCtas(const Layout &tile, const Cga &cga);
/// The shape of one CTA's part.
Numbers shapePerCta(const Numbers &shape, const Cga &cga);

//===----------------------------------------------------------------------===//
// The encodings
//===----------------------------------------------------------------------===//

class Encoding;
using EncodingRef = std::shared_ptr<const Encoding>;

/// #ttg.blocked.
struct Blocked {
  Numbers sizePerThread, threadsPerWarp, warpsPerCta;
  std::vector<int> order;
  Cga cga = {};
};

/// #ttg.linear: together, the images are all elements.
struct Linear {
  Bases registers, lanes, warps, blocks;
};

/// #ttg.slice.
struct Slice {
  int dim = 0;
  EncodingRef parent;
};

/// #ttg.nvidia_mma: 2 is mma.sync m16n8, 3 wgmma (instrShape m of one warp, n, k).
struct NvidiaMma {
  int versionMajor = 2, versionMinor = 0;
  Numbers warpsPerCta;
  Cga cga = {};
  Numbers instrShape;
};

/// #ttg.amd_mfma: m, n, k of the instruction.
struct AmdMfma {
  int version = 3;
  Numbers warpsPerCta, instrShape;
  bool isTransposed = false;
  Cga cga = {};
  /// Tiles of a warp side by side; none: one.
  Numbers tilesPerWarp = {};
  int elementBitWidth = 32;
};

/// #ttg.dot_op: operand 0 or 1 of a product whose result is laid out as `parent`.
struct DotOperand {
  int opIdx = 0;
  EncodingRef parent;
  /// Consecutive elements along k; 0 for parents that are blocked.
  int kWidth = 0;
};

/// #ttg.swizzled_shared.
struct SwizzledShared {
  int64_t vec = 1, perPhase = 1, maxPhase = 1;
  std::vector<int> order;
  Cga cga = {};
};

/// #ttg.padded_shared: by order and shape, or by the image of each bit.
struct PaddedShared {
  struct Pad {
    int64_t interval, padding;
  };
  std::vector<Pad> pads;
  std::vector<int> order = {};
  Numbers shape = {};
  Bases offset = {}, block = {};
};

/// #ttg.nvmma_shared.
struct NvmmaShared {
  int64_t swizzlingByteWidth = 128;
  bool transposed = false;
  int64_t elementBitWidth = 16;
  /// Two elements of four bits lie in one byte, with eight bytes free after
  /// each eight.
  bool fp4Padded = false;
  Cga cga = {};
  int rank = 2;
};

/// #ttg.shared_linear.
struct SharedLinear {
  Bases offset, block = {};
  int64_t alignment = 16;
};

Result<Layout> toLayout(const Blocked &encoding, const Numbers &shape);
Result<Layout> toLayout(const Linear &encoding, const Numbers &shape);
Result<Layout> toLayout(const Slice &encoding, const Numbers &shape);
Result<Layout> toLayout(const NvidiaMma &encoding, const Numbers &shape);
Result<Layout> toLayout(const AmdMfma &encoding, const Numbers &shape);
Result<Layout> toLayout(const DotOperand &encoding, const Numbers &shape);
Result<Layout> toLayout(const SwizzledShared &encoding, const Numbers &shape);
Result<Layout> toLayout(const PaddedShared &encoding, const Numbers &shape);
Result<Layout> toLayout(const NvmmaShared &encoding, const Numbers &shape);
Result<Layout> toLayout(const SharedLinear &encoding, const Numbers &shape);

/// Any of them.
class Encoding {
public:
  using Kind =
      std::variant<Blocked, Linear, Slice, NvidiaMma, AmdMfma, DotOperand,
                   SwizzledShared, PaddedShared, NvmmaShared, SharedLinear>;
  Encoding(Kind kind) : kind(std::move(kind)) {}

  /// Reads what Triton 3.6 prints, aliases spelled out:
  ///   #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = ...}>}>
  /// Problem layout-syntax says at which character.
  static Result<Encoding> parse(std::string_view text);
  /// The text as Triton 3.6 prints it, aliases spelled out.
  std::string str() const;

  const Kind &get() const { return kind; }
  /// The encoding that this one is of; none: it is of no other.
  EncodingRef parent() const;
  /// Of shared memory: the layout is coordinates -> offset.
  bool isShared() const;
  /// The number of dimensions that it speaks of.
  int rank() const;
  /// Where the elements of a tensor of this shape are.
  Result<Layout> layout(const Numbers &shape) const;

private:
  Kind kind;
};

} // namespace titan::triton

#endif // TITAN_LAYOUT_TRITON_H
