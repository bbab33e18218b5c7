//===- Access.h - Register tiles to and from shared memory ------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which instructions move a register tile to a shared image, or back? Two
// families; each says whether it fits, or why not, and what each lane does.
//
// 1. ldmatrix, stmatrix: 8 x 8 matrices of 16-bit elements. One instruction
//    moves 1, 2 or 4 of them; lane 8m + k gives the address of row k of matrix
//    m. The accumulator of wgmma m64n96, turned to bf16, is
//
//       reg: 2*c1, 2*r8, 12*c8; lane: 4*c2, 8*r1; warp: 4*r16
//     = reg: 2*c1, 2*r8,  2*c8; lane: 4*c2, 8*r1      the 16 x 16 of .x4
//       repeated by  reg: 6*c1; warp: 4*r1            6 instructions a warp
//
//    so instruction n of warp w moves registers 8n .. 8n+7 and covers the 16 x
//    16 elements at row 16w, column 16n.
//
// 2. ld.shared, st.shared of 1 .. 16 bytes a lane: as wide as consecutive
//    registers are consecutive bytes, aligned.
//
// wavefronts() counts what the banks make of it: 32 banks of 4 bytes; lanes
// that want different words of one bank wait for each other.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_ACCESS_H
#define TITAN_LAYOUT_ACCESS_H

#include "titan/Layout/Hardware.h"
#include "titan/Layout/SharedImage.h"

namespace titan {

/// How ldmatrix or stmatrix moves a whole tile.
class MatrixPlan {
public:
  /// The widest form (.x4, .x2, .x1) that moves `tile` to or from `image`, the
  /// tile's element (0, 0) being the image's (rowOffset, columnOffset). `trans`
  /// asks for the .trans form: registers step along r, memory along c. Problem
  /// layout-mismatch, with the reason of each form that does not fit.
  static Result<MatrixPlan> make(const Layout &tile, const SharedImage &image,
                                 bool trans, int64_t rowOffset = 0,
                                 int64_t columnOffset = 0);

  /// Matrices an instruction moves: 1, 2 or 4.
  int count() const { return matrices; }
  bool trans() const { return transposed; }
  /// Instructions each warp executes.
  int64_t instructions() const { return outer.registers(); }
  /// Elements of one lane in one instruction: two for each matrix. Instruction
  /// n moves the tile's registers n*registers() .. (n+1)*registers() - 1, two
  /// of them in each 32-bit register.
  int64_t registers() const { return 2 * int64_t(matrices); }

  /// The row whose address `lane` gives to instruction `n` of `warp`: its first
  /// element in the image.
  Coord rowOf(int64_t n, int64_t lane, int64_t warp) const;
  /// Its absolute shared address, in bytes.
  int64_t address(int64_t base, int64_t n, int64_t lane, int64_t warp) const;

private:
  int matrices = 1;
  bool transposed = false;
  Layout outer, rows;
  std::vector<int64_t> atom;
  SharedImage image;
  int64_t rowOffset = 0, columnOffset = 0;
};

/// The widest ld.shared / st.shared for the tile in the image: how many
/// registers one access moves (a power of two, at most 16 bytes). Access n
/// moves registers n*k .. n*k + k - 1, and every access is aligned to its size
/// where the base is aligned to 16 bytes.
int64_t sharedVectorRegisters(const Layout &tile, const SharedImage &image,
                              int64_t columnOffset = 0);

/// Wavefronts that shared memory needs for one access of a warp, `bytes` (1, 2,
/// 4, 8, 16) at each lane's address: lanes are served 32, 16 (8 bytes) or 8 (16
/// bytes) at a time; in each group the words of one bank go one after another,
/// equal words together. Eight rows of one matrix of ldmatrix are a group of 16
/// bytes. (CUDA programming guide, shared memory; grouping: practice.)
int64_t wavefronts(const std::vector<int64_t> &addresses, int64_t bytes);

} // namespace titan

#endif // TITAN_LAYOUT_ACCESS_H
