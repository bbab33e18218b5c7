//===- Conversion.h - Register tiles to other layouts -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is in one layout and wanted in another. How do its elements get there?
//
// 1. Within a thread. The same elements in other registers are a renaming.
//
// 2. Within a warp. Take 2 registers of 2 lanes, rows in registers and columns in
//    lanes, wanted the other way round. In one shuffle each lane sends one register
//    and receives one word:
//
//        have      lane 0  lane 1      want      lane 0  lane 1
//        reg 0       00      01        reg 0       00      10
//        reg 1       10      11        reg 1       01      11
//
//    Lane l wants register l of lane r as its register r. What it needs from itself
//    is register r = l. So exchange registers where the lane is odd (before), hand
//    slot 1 to the other lane (one shuffle, not two), and exchange again (after):
//
//        before    00  11         shuffle slot 1      after
//                  10  01    ->   00  11         ->   00  10
//                                 01  10              01  11
//
//    In general the source s(r, l, w) of register r of lane l of warp w is a
//    register and a lane, linear over bits. Slot q of lane l is what will be
//    register q ^ M l. For any M, the lane that slot q comes from is
//
//        (Ll + Lr M) l  ^  Lr q  ^  Lw w          L: the lane part of s
//
//    Theorem. Of R words that a lane wants, let K be the number of q with Lr q = 0.
//    If some M makes Ll + Lr M the identity, R - K shuffles do, else R; fewer do not.
//    Proof. A shuffle brings a lane one word of another one. If there is such an
//    M, then every lane has K of its words; if there is none, some lane has none:
//    the lanes that have one form the subspace where (Ll + 1) l is in Lr's image.
//    That many suffice when Ll + Lr M is one to one but for lanes that want the
//    same: then what lane l' has to send as slot q is a function of l' (N l' below).
//    The columns of Ll that depend on others take columns of Lr until they do not.
//
//    Where elements have several holders, s may be any of them, and the columns that
//    lead from holder to holder within the lanes count among Lr's. Where lanes that
//    have something are fewer than lanes that want something else, a slot takes
//    several turns.
//
// 3. Between warps, through shared memory: each element has a place there, so that
//    stores are as wide as loads and no lane waits for another. Elements are
//    vectors of bits; what one store moves is V, in the registers of both layouts; P
//    and Q are what the lanes served together hold. A place is (word, bank, row), and
//    conflicts are lanes that differ in row and not in bank.
//
//    Theorem. V + P and V + Q, of one dimension, have a common complement C. If
//    words and rows are numbered by V and C and banks by the rest, nobody waits.
//    Proof. With I the intersection, e_i and f_i bases of the rest of each: a
//    complement of the sum, and all e_i + f_i. Two lanes of P with one bank differ by
//    an element of (V + P) and of V + C, hence of V: it is one lane.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_CONVERSION_H
#define TITAN_LAYOUT_CONVERSION_H

#include "titan/Layout/Layout.h"

namespace titan {

/// A function of lane and warp, linear over bits: bit b of the lane xors lanes[b].
struct ThreadBits {
  std::vector<int64_t> lanes, warps;

  int64_t operator()(int64_t lane, int64_t warp) const {
    int64_t value = 0;
    for (size_t b = 0; b < lanes.size(); ++b)
      value ^= lane >> b & 1 ? lanes[b] : 0;
    for (size_t b = 0; b < warps.size(); ++b)
      value ^= warp >> b & 1 ? warps[b] : 0;
    return value;
  }
  bool isZero() const;
};

/// How each thread gets what `to` gives it, where its warp has it in `from`.
/// Registers are numbered within parts: numbers can be xored, registers of
/// layouts like wgmma m64n24 cannot.
class ConversionPlan {
public:
  /// Problem layout-mismatch: a warp does not have what it needs, or the layouts
  /// are not bitwise (Layout.h) and not renamings.
  static Result<ConversionPlan> make(const Layout &from, const Layout &to);

  /// from[part][number]: a register.
  std::vector<std::vector<int64_t>> from;
  /// Of each register of the result: the part and the number.
  struct Place {
    int64_t part, number;
  };
  std::vector<Place> to;

  /// 1. Number n becomes what number n ^ before(lane, warp) was.
  ThreadBits before;
  /// 2. Slot `slot` of turn `turn` is `number` in lane
  ///    source(lane, warp) ^ lanes.
  struct Move {
    int64_t slot, turn, number, lanes;
  };
  ThreadBits source;
  std::vector<Move> moves; ///< For each part; by turns, then slots.
  int64_t slots = 1, turns = 1;
  /// 3. Each lane takes the slots of this turn.
  ThreadBits turn;
  /// 4. Number n of the result is slot n ^ after(lane, warp).
  ThreadBits after;

  /// Whether slots of that move are in the lane already.
  bool stays(const Move &move) const;
  /// Whether nothing is executed: renaming alone.
  bool isRenaming() const;
  /// Moves of one lane to one lane, `count` or fewer in a word, each of them one
  /// shuffle; indices of `moves`. Those that stay are not among them.
  std::vector<std::vector<size_t>> words(int64_t count) const;
  /// Shuffles in all, of elements of that size.
  int64_t shuffles(int64_t elementBytes) const;
};

/// How a tile goes through shared memory: where each register of each thread is
/// stored, and from where it is loaded.
struct ScratchPlan {
  /// The tile with the registers that are stored, in the order that makes vectors
  /// of them; each differs from `from` by a renaming.
  Layout stored, loaded;
  /// The element of the scratch that is each register's place: the same axes.
  Layout storePlaces, loadPlaces;
  /// Elements that one store or load moves.
  int64_t vector = 1;
  /// Whether that is free of conflicts by the theorem above; false: places are
  /// row-major, since the layouts are not bitwise.
  bool swizzled = false;

  /// Problem layout-algebra: places that no layout says.
  static Result<ScratchPlan> make(const Layout &from, const Layout &to,
                                  int64_t elementBytes);
};

} // namespace titan

#endif // TITAN_LAYOUT_CONVERSION_H
