//===- BitForm.h - Bitwise layouts as matrices ------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A digit of extent 24 is cut into three bits and an odd digit, from the inside
// out: the *pieces* 2, 2, 2, 3. Where the pieces of a sum occupy different bits
// of the output, the sum is an exclusive or, and the layout is a list of what
// each piece does:
//
//     reg: 2*c1, 3*c8; lane: 4*^r1^c2        (r: bits 0, 1; c: bits 2 .. 6)
//
//     piece     weight  extent   image
//     reg         1       2      000 01 00 ... c.0
//     reg         2       3      odd: c, stride 8, owns c.3 and c.4
//     lane        1       2      c.1 ^ r.0
//     lane        2       2      c.2 ^ r.1
//
// The bits are columns of a matrix over {0, 1}, for which Gauss' elimination
// answers every question; odd pieces own their bits of the output and stand
// aside.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_LAYOUT_BITFORM_H
#define TITAN_LIB_LAYOUT_BITFORM_H

#include "LayoutParts.h"

namespace titan {

class BitForm {
public:
  struct Piece {
    int axis;
    int64_t weight, extent; ///< extent 2, or odd
    uint64_t image = 0;     ///< of bits
    int dim = Digit::replica;
    int64_t stride = 0; ///< of odd pieces
    uint64_t owned = 0; ///< the output bits of odd pieces

    bool isBit() const { return extent == 2; }
    bool operator==(const Piece &) const = default;
  };

  /// None where the layout is not bitwise (Layout.h).
  static std::optional<BitForm> of(const Layout &layout);

  /// In the order of ownership: axis 0 first, small weights first.
  std::vector<Piece> pieces;
  uint64_t constant = 0;
  /// The bits of the output that odd pieces own.
  uint64_t oddBits = 0;

  /// Coordinates as one number, each dimension in bits of its own.
  uint64_t pack(const Coord &at) const;
  Coord unpack(uint64_t bits) const;
  int firstBit(int dim) const { return first[dim]; }
  int bits() const { return first.back(); }

  /// The layout of these pieces, with the names of `axes` and these dimensions.
  Layout layout(const std::vector<Axis> &axes,
                const std::vector<Dim> &dims) const;

private:
  static std::optional<BitForm> cut(const Layout &layout);

  std::vector<int> first;
};

/// Gauss' elimination over the images of pieces, given in order. A piece whose
/// image is a sum of earlier ones is free.
class BitSolver {
public:
  /// False: the image was there.
  bool add(uint64_t image, uint64_t pieces);
  /// The pieces, none of them free, whose images are xored to this one.
  std::optional<uint64_t> solve(uint64_t image) const;
  /// What add would have said together with which pieces: a set of pieces whose
  /// images cancel.
  std::pair<uint64_t, uint64_t> reduce(uint64_t image, uint64_t pieces) const;

private:
  uint64_t images[64] = {}, sources[64] = {};
};

} // namespace titan

#endif // TITAN_LIB_LAYOUT_BITFORM_H
