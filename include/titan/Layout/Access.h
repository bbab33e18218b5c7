//===- Access.h - Register tiles to and from shared memory ------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register tile says which element a thread holds, an image at which byte of
// shared memory an element lies. Together they say which instructions move the
// tile, how wide they can be, and what the banks make of it:
//
//     tile    reg: 2*c1, 2*r8, 2*c8; lane: 4*c2, 8*r1           16 x 16 bf16
//     image   r: 16*b32; c: 16*b2                               rows of 32 bytes
//     both    reg: 2*b2, 2*b256, 2*b16; lane: 4*b4, 8*b32       then()
//
// 1. Vectors. Two registers are 2 + 2 bytes side by side, at a multiple of 4: one
//    access of 4 bytes moves both.
//
// 2. Banks. Shared memory has 32 banks of 4 bytes; lanes that want different
//    words of one bank wait for each other, a *wavefront* each. A warp is served
//    32 lanes at a time for accesses up to 4 bytes, 16 for 8, 8 for 16. Here, one
//    access (registers 0, 1) of lanes 4k + j wants word 8k + j:
//
//        lane    0  1  2  3 |  4  5  6  7 | ... | 16 17 18 19 | ...
//        word    0  1  2  3 |  8  9 10 11 | ... | 32 33 34 35 | ...
//        bank    0  1  2  3 |  8  9 10 11 | ... |  0  1  2  3 | ...
//
//    32 words in 16 banks: two wavefronts. For a bitwise layout that is all there
//    is to it, since every bank that is wanted is wanted by as many words:
//    wavefronts = words / banks, each the size of the image of a matrix.
//
// 3. ldmatrix, stmatrix: 8 x 8 matrices of 16-bit elements. One instruction
//    moves 1, 2 or 4 of them; lane 8m + k gives the address of row k of matrix
//    m. They serve a tile that is made of the fragment of one matrix,
//
//       reg: 2*c1; lane: 4*c2, 8*r1    (.trans: reg: 2*r1; lane: 4*r2, 8*c1)
//
//    where each row of 8 elements lies in 16 aligned bytes. The quotient of the
//    tile by the fragment is the list of its matrices; those that one
//    instruction moves go from the registers to the lanes that give their rows:
//
//       tile       reg: 2*c1, 2*r8, 12*c8; lane: 4*c2, 8*r1; warp: 4*r16
//       quotient   reg: 2*r1, 12*c1; warp: 4*r2                (matrices)
//       addresses  reg: 6*c16; lane: 8*r1, 2*r8, 2*c8; warp: 4*r16  (.x4)
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_ACCESS_H
#define TITAN_LAYOUT_ACCESS_H

#include "titan/Layout/Hardware.h"
#include "titan/Layout/SharedImage.h"

namespace titan {

/// Where register r of each thread lies, for r = 0, step, 2*step, ...: layouts of
/// the axes of `tile`, register axis 1 long, into bytes. `image` is a function
/// of the tile's coordinates. Problem layout-algebra: no layout says it.
Result<std::vector<Layout>>
registerBytes(const Layout &tile, const Layout &image, int64_t step = 1);

/// The widest ld.shared / st.shared for the tile in the image, in bytes: a
/// power of two, at most 16, at least `elementBytes`. With k = width /
/// elementBytes, access n moves registers n*k .. n*k + k - 1, and every access
/// is aligned to its width where the base is aligned to 16 bytes.
int64_t vectorBytes(const Layout &tile, const Layout &image,
                    int64_t elementBytes);

/// Wavefronts that shared memory needs for one access of a warp, `bytes` (1, 2,
/// 4, 8, 16) at each lane's address: lanes are served 32, 16 (8 bytes) or 8 (16
/// bytes) at a time; in each group the words of one bank go one after another,
/// equal words together. Eight rows of one matrix of ldmatrix are a group of 16
/// bytes. (CUDA programming guide, shared memory; grouping: practice.)
int64_t wavefronts(const std::vector<int64_t> &addresses, int64_t bytes);
/// The same for the lanes of warp `warp` of a layout (reg, lane, warp) -> byte,
/// its register 0.
int64_t wavefronts(const Layout &bytes, int64_t width, int64_t warp = 0);

/// What moving a whole tile costs a warp, the one that waits longest.
struct AccessCost {
  /// Bytes that a lane moves in one access.
  int64_t width = 0;
  /// Accesses, and their wavefronts all together.
  int64_t accesses = 0, wavefronts = 0;
  /// Wavefronts if no lane waited for another.
  int64_t ideal = 0;
};
/// With accesses of `width` bytes; 0: the widest. Problem layout-mismatch: no
/// access of that width moves the tile.
Result<AccessCost> accessCost(const Layout &tile, const Layout &image,
                              int64_t elementBytes, int64_t width = 0);

/// How ldmatrix or stmatrix moves a whole tile.
class MatrixPlan {
public:
  /// The widest form (.x4, .x2, .x1) that moves `tile`, of 16-bit elements, to
  /// or from `image`, a function of the tile's coordinates, and whose addresses
  /// are layouts. `trans` asks for the
  /// .trans form: registers step along rows, memory along columns. Problem
  /// layout-mismatch: the tile is not made of matrices, or rows of matrices are
  /// not 16 aligned bytes.
  static Result<MatrixPlan> make(const Layout &tile, const Layout &image,
                                 bool trans);

  /// Matrices an instruction moves: 1, 2 or 4.
  int count() const { return matrices; }
  bool trans() const { return transposed; }
  /// Instructions each warp executes.
  int64_t instructions() const { return static_cast<int64_t>(rows.size()); }
  /// Elements of one lane in one instruction: two for each matrix. Instruction
  /// n moves the tile's registers n*registers() .. (n+1)*registers() - 1, two
  /// of them in each 32-bit register.
  int64_t registers() const { return 2 * int64_t(matrices); }
  /// The byte that each lane of each warp gives to instruction n: the start of
  /// its row. Lanes past 8*count() repeat those before.
  const Layout &addresses(int64_t n) const { return rows[n]; }
  /// Wavefronts of instruction n of a warp: one a matrix, if its rows meet in no
  /// bank.
  int64_t wavefronts(int64_t n, int64_t warp = 0) const;

private:
  int matrices = 1;
  bool transposed = false;
  std::vector<Layout> rows;
};

} // namespace titan

#endif // TITAN_LAYOUT_ACCESS_H
