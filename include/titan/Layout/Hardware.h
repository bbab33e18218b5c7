//===- Hardware.h - The layouts that instructions prescribe -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a matrix or load instruction says about registers is a layout. Each
// function here is one published table. Two things to know:
//
// * An axis `reg` counts *elements*, not 32-bit registers: two 16-bit elements
//   of one register are reg 2k (low half) and 2k+1 (high half).
// * Almost all fragments of NVIDIA are one picture, eight rows of four lanes:
//
//                 c0 c1   c2 c3   c4 c5   c6 c7    (16-bit elements; in general
//          r0      l0      l1      l2      l3       p = 32 / bits to a lane)
//          r1      l4      l5      l6      l7
//          ...
//          r7      l28     l29     l30     l31
//
//   repeated 8 rows down, then to the right:
//
//          mma A, m16k16, 16 bit     reg: 2*c1, 2*r8, 2*c8; lane: 4*c2, 8*r1
//          wgmma D, m64n64           reg: 2*c1, 2*r8, 8*c8; lane: 4*c2, 8*r1;
//                                    warp: 4*r16
//          tcgen05.ld.16x256b.x8     reg: 2*c1, 2*r8, 8*c8; lane: 4*c2, 8*r1
//
// Arguments that are no legal shape give the problem layout-instruction, which
// names the rule.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_HARDWARE_H
#define TITAN_LAYOUT_HARDWARE_H

#include "titan/Layout/Layout.h"

namespace titan {

//===----------------------------------------------------------------------===//
// mma.sync (PTX ISA, "Matrix Fragments for mma.m16n8k*")
//===----------------------------------------------------------------------===//

/// A of mma.m16n8kK: tile 16 x K. `bits` is 4, 8, 16, 32 or 64; K is a multiple
/// of one register step (4*p elements, p = 32/bits, at least 1). K larger than
/// the instruction's is several instructions side by side.
Result<Layout> mmaA(int bits, int64_t k);
/// B of mma.m16n8kK: tile K x 8 (row k, column n).
Result<Layout> mmaB(int bits, int64_t k);
/// C and D of mma.m16n8kK: tile 16 x N, N a multiple of 8 (N/8 instructions).
Result<Layout> mmaC(int64_t n = 8);

/// Tiles of many instructions, over a grid of rowWarps x columnWarps warps that
/// are numbered down the columns: blocks of 16 rows are dealt to the rows of
/// warps in turn, the columns are cut into columnWarps parts. A of rows x K:
/// warps of one row hold copies; B of columns x K (row n, column k): warps of one
/// column do.
///   D, rows 64, columns 32, 2 x 2 warps:
///     reg: 2*c1, 2*r8, 2*c8, 2*r32; lane: 4*c2, 8*r1; warp: 2*r16, 2*c16
Result<Layout> mmaTileA(int bits, int64_t rows, int64_t k, int64_t rowWarps,
                        int64_t columnWarps);
Result<Layout> mmaTileB(int bits, int64_t columns, int64_t k, int64_t rowWarps,
                        int64_t columnWarps);
Result<Layout> mmaTileD(int64_t rows, int64_t columns, int64_t rowWarps,
                        int64_t columnWarps);

//===----------------------------------------------------------------------===//
// wgmma (PTX ISA, "Register Fragments" of wgmma.mma_async, figures 148 to 153)
//===----------------------------------------------------------------------===//

/// D of wgmma.m64nNkK: tile `rows` x `columns`, split among warpgroups of four
/// warps: `rowGroups` of them below each other (64 rows apart), then
/// `columnGroups` side by side (columns / columnGroups apart). One warpgroup's
/// part of a row is one instruction of N = columns / columnGroups, a multiple
/// of 8, 8 .. 256; where rows are more than 64 * rowGroups, the warpgroups go
/// round again, that many rows further down, with their outermost registers.
///   rows 128, columns 256, rowGroups 2:
///     reg: 2*c1, 2*r8, 32*c8; lane: 4*c2, 8*r1; warp: 8*r16
Result<Layout> wgmmaD(int64_t rows, int64_t columns, int64_t rowGroups = 1,
                      int64_t columnGroups = 1);
/// A of wgmma in registers: tile rows x K, `bits` 8, 16 or 32 (tf32), K a
/// multiple of the instruction's 32, 16, 8. Warpgroups as in wgmmaD; those side
/// by side hold copies (columnGroups).
Result<Layout> wgmmaA(int bits, int64_t rows, int64_t k, int64_t rowGroups = 1,
                      int64_t columnGroups = 1);

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix (PTX ISA, same names; shape m8n8, 16-bit elements)
//===----------------------------------------------------------------------===//

/// How the 8 x 8 matrices of .x2 and .x4 lie in the tile. The instruction does
/// not say: the addresses do.
enum class MatrixOrder : uint8_t {
  Rows,            ///< all below each other
  Columns,         ///< all side by side
  RowsThenColumns, ///< x4: 0 and 1 below each other, 2 and 3 to their right
  ColumnsThenRows, ///< x4: 0 and 1 side by side, 2 and 3 below them
};

/// What ldmatrix / stmatrix .xN puts into (takes from) registers: N is 1, 2, 4.
/// The tile is that of shared memory; with `trans` lane t holds elements
/// (2*(t%4), t/4) and (2*(t%4)+1, t/4) instead of (t/4, 2*(t%4)) and its right
/// neighbour.
Result<Layout> matrixFragment(int count, bool trans, MatrixOrder order);
/// Which row of the tile each lane's address points to: (lane) -> (r, c), c
/// being the first column of the row of the matrix. Lanes past 8*count give
/// what lane % (8*count) gives (PTX ISA lets them be anything on sm_80 and up).
Result<Layout> matrixAddresses(int count, MatrixOrder order);

//===----------------------------------------------------------------------===//
// Coalesced global access
//===----------------------------------------------------------------------===//

/// Threads in blocks: each lane holds a box of `perLane` elements, the lanes of
/// a warp a box of `lanes` of those, the warps of the partition a box of
/// `warps` of these; where `shape` is larger, all go round again in registers;
/// where it is smaller, several threads hold the same elements. `order` lists
/// the dimensions, fastest first. Every step from one box to the next larger
/// one must divide (or be divided by) what is left of the shape.
///   shape 64 x 32, perLane 1 x 8, lanes 8 x 4, warps 4 x 1, order c, r:
///     reg: 8*c1, 2*r32; lane: 4*c8, 8*r1; warp: 4*r8
Result<Layout> blocked(const std::vector<int64_t> &shape,
                       const std::vector<int64_t> &perLane,
                       const std::vector<int64_t> &lanes,
                       const std::vector<int64_t> &warps,
                       const std::vector<int> &order);

//===----------------------------------------------------------------------===//
// tcgen05.ld and tcgen05.st (PTX ISA, "Data movement shape"; the maps of its figures
// as formulas). Row = tensor memory lane, column = 32-bit column,
// both relative to the address.
//===----------------------------------------------------------------------===//

enum class TmemShape : uint8_t { S32x32b, S16x64b, S16x128b, S16x256b };

/// .xN of a shape: N a power of two, at most 128, 128, 64, 32. With `warps` 4
/// each warp reads its own window of 32 lanes, as the four warps of a
/// warpgroup do; the 16-lane shapes leave half of each window out.
Result<Layout> tmemLoad(TmemShape shape, int64_t repeat, int64_t warps = 1);
/// .16x32bx2: lanes 16..31 serve the same 16 rows at `halfSplit` columns to the
/// right (the immediate immHalfSplitoff, columns only), 1 <= N <= halfSplit.
Result<Layout> tmemLoad16x32bx2(int64_t repeat, int64_t halfSplit,
                                int64_t warps = 1);

//===----------------------------------------------------------------------===//
// MFMA of CDNA3 (AMD matrix instruction calculator: lane and register of each element). 64
// lanes; one block (no _2b, _4b, _16b forms).
//===----------------------------------------------------------------------===//

/// A of v_mfma_*_MxMxK: tile M x K; M is 32 or 16, `bits` 8, 16, 32. K is that
/// of the instruction: 32x32: 16 (8 bit), 8 (16 bit), 4 (xf32), 2 (f32);
/// 16x16: twice that; f64 (`bits` 64): 16x16x4.
Result<Layout> mfmaA(int64_t m, int64_t k, int bits);
/// B: tile K x M, the same with row and column exchanged.
Result<Layout> mfmaB(int64_t m, int64_t k, int bits);
/// C and D: tile M x M of 32-bit values; `bits` 64: that of 16x16x4 f64, whose
/// rows are dealt out to the lanes one by one.
Result<Layout> mfmaD(int64_t m, int bits = 32);

} // namespace titan

#endif // TITAN_LAYOUT_HARDWARE_H
