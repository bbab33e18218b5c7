//===- MatrixDescriptor.h - Operands in shared memory -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma and tcgen05.mma read an operand in shared memory through a 64-bit
// *matrix descriptor*. It names one of eight canonical layouts and two strides;
// the hardware fills in the rest. In units of 16 bytes (T elements), a row of
// the table being eight cells that lie one after another, the tile of one
// instruction, 32 bytes of K deep, is, for the 32-byte swizzle,
//
//   K-major (mn down, k to the right)       MN-major (k down, mn to the right)
//
//          k0  k1                                  mn0 mn1 | mn2 mn3
//    mn0    0   1   \                        k0     0   1  |  0   1  + LBO
//    mn1    2   3    | 8 rows of             k1     2   3  |  2   3
//    ...             | a span                ...           |
//    mn7   14  15   /                        k7    14  15  | 14  15
//    mn8    0   1   + SBO                    k8     0   1  + SBO
//    ...                                     ...
//
// before the swizzle exchanges cells. LBO is the *leading dimension byte
// offset*, SBO the *stride dimension byte offset*. All eight (PTX ISA, "Shared
// Memory Matrix Layout", canonical layouts; s the span in bytes, e the bytes of
// an element):
//
//   major  swizzle   byte of (mn, k)
//   K      none      mn%8 * 16 + mn/8 * SBO + k%T * e + k/T * LBO
//   K      32..128   mn%8 * s  + mn/8 * SBO + k * e                LBO unused
//   MN     none      k%8 * 16  + k/8 * LBO  + mn%T * e + mn/T * SBO
//   MN     32..128   k%8 * s   + k/8 * SBO  + mn%(s/e) * e + mn/(s/e) * LBO
//
// So a descriptor is a question about a layout: is the function (mn, k) -> byte
// one of these, and with which strides? Larger operands are instructions' tiles
// side by side; each has a start address of its own, and the swizzle, which is
// on absolute addresses, does not care.
//
//   64 x 64 bf16 under the 128-byte swizzle, K-major:  SBO 1024, starts at
//   k0: 0, k16: 32, k32: 64, k48: 96
//
// The fields (PTX ISA, "Matrix descriptor format"; tcgen05: "Shared memory
// descriptor"):
//
//   bits     wgmma                      tcgen05
//   13:0     address / 16               the same
//   29:16    LBO / 16                   the same
//   45:32    SBO / 16                   the same
//   48:46    0                          1
//   51:49    base offset                the same
//   swizzle  63:62  0 none, 1 128B,     63:61  0 none, 2 128B, 4 64B, 6 32B
//                   2 64B, 3 32B
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_MATRIXDESCRIPTOR_H
#define TITAN_LAYOUT_MATRIXDESCRIPTOR_H

#include "titan/Layout/SharedImage.h"

namespace titan {

enum class DescriptorFormat : uint8_t { Wgmma, Tcgen05 };

class MatrixDescriptor {
public:
  /// Describes `operand`, a layout of two axes, mn and k (in elements), into
  /// bytes, to instructions that take `rows` rows of M or N and 32 bytes of K.
  /// The operand starts where its swizzle's pattern starts. Problem mma-operand:
  /// it is none of the canonical layouts; rows or K are no whole instructions;
  /// elements of other sizes than 1, 2, 4 bytes, MN-major ones than 2.
  static Result<MatrixDescriptor> make(const Layout &operand,
                                       int64_t elementBytes, int64_t rows);
  /// The same for a shared image: rows are mn and columns k, or, with
  /// `transposed`, columns are mn and rows k.
  static Result<MatrixDescriptor> make(const SharedImage &image,
                                       bool transposed, int64_t rows);

  bool isMnMajor() const { return mnMajor; }
  Swizzle swizzle() const { return mode; }
  /// The leading and the stride dimension byte offset.
  int64_t leadingBytes() const { return leading; }
  int64_t strideBytes() const { return stride; }
  /// Elements of K in one instruction.
  int64_t depth() const { return kStep; }

  /// Bytes from the operand's start to that of the instruction whose tile
  /// begins at these elements, multiples of `rows` and depth().
  int64_t start(int64_t mn, int64_t k) const {
    return starts.apply({mn / rowStep, k / kStep})[0];
  }
  /// start(n * rows, 0) as a layout of n.
  Layout rowStarts() const;
  /// What an instruction reads: (mn, k) -> byte, from a start at 0.
  const Layout &tile() const { return canonical; }

  /// All fields. `address` is the start's; `patternStart` where the swizzle's
  /// pattern begins, if not at a multiple of its period (base offset).
  uint64_t encode(int64_t address,
                  DescriptorFormat format = DescriptorFormat::Wgmma,
                  int64_t patternStart = 0) const;

private:
  bool mnMajor = false;
  Swizzle mode = Swizzle::None;
  int64_t leading = 0, stride = 0, rowStep = 1, kStep = 1;
  Layout canonical, starts;
};

} // namespace titan

#endif // TITAN_LAYOUT_MATRIXDESCRIPTOR_H
