//===- Layout.h - Where the elements of a tile are --------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of 8 x 8 elements has to live somewhere: in the registers of threads,
// or at byte offsets of shared memory. A *layout* is the function that says
// where, and nothing else: two layouts that are written differently but send
// every place to the same element are the same layout.
//
// Example 1: digits
// -----------------
// ldmatrix hands one 8 x 8 matrix of 16-bit values to the 32 lanes of a warp,
// two values each. Lane (down) and register (in the cell) of the first rows:
//
//            c0     c1     c2     c3     c4     c5     c6     c7
//     r0   l0.r0  l0.r1  l1.r0  l1.r1  l2.r0  l2.r1  l3.r0  l3.r1
//     r1   l4.r0  l4.r1  l5.r0  l5.r1  l6.r0  l6.r1  l7.r0  l7.r1
//     r2   l8.r0  l8.r1  ...
//
// Read it the other way round: which element does (register, lane) hold? The
// register steps along c by 1; the lane's two low bits step along c by 2, its
// rest steps along r by 1. Each of these is a *digit*, extent*<dim><stride>:
//
//     reg: 2*c1; lane: 4*c2, 8*r1
//
// An axis (reg, lane, warp) is cut into digits from the inside out, as a clock
// cuts seconds into 60s and 24s: lane 13 = 1 + 4*3 is digits (1, 3), so with
// register 1 it holds  c = 1*1 + 1*2 = 3,  r = 3*1.
//
// Example 2: any extent
// ---------------------
// The accumulator of wgmma m64n24 has 12 registers: two along c, two along r
// (8 rows apart), three along c again (8 columns apart); 4 warps stand below
// each other. Three is no power of two, and nothing here asks for one:
//
//     reg: 2*c1, 2*r8, 3*c8; lane: 4*c2, 8*r1; warp: 4*r16
//
// Example 3: replication
// ----------------------
// The row sums of that tile are wanted by every lane that holds a part of the
// row: the four lanes that differ in the low digit hold the same sum.
// `rep` is a digit that changes nothing:
//
//     reg: 2*i8; lane: 4*rep, 8*i1; warp: 4*i16
//
//     element i0: lanes 0, 1, 2, 3 of warp 0, register 0
//
// The *owner* of an element is the smallest of its holders: the smallest warp,
// then the smallest lane, then the smallest register (here lane 0). An effect
// that must happen once an element (a store, an atomic) is the owner's.
//
// Example 4: bytes of shared memory
// ---------------------------------
// The same class maps the coordinates of a tile to bytes: axes r and c, one
// dimension b. Row pitch 128, elements of two bytes:   r: 64*b128; c: 64*b2.
// The 128-byte swizzle then xors address bits 4, 5, 6 with bits 7, 8, 9. That
// is a function linear over bits, applied after the sum:
//
//     r: 64*b128; c: 64*b2; bits: 4^7, 5^8, 6^9
//
// (SharedImage.h makes such layouts, with panels.)
//
// Names of dimensions: rank 2 has r and c; other ranks have i, j, k, ...; any
// names can be given by `shape: x16, y24`. Further clauses: `at: r8` is a
// constant offset, `bits:` as above.
//
// Theorem (normal form). Drop digits of extent 1; where two neighbouring digits
// of one axis walk on in the same direction (the outer stride = the inner
// extent * the inner stride, replicas likewise), join them. Two axes are the
// same function exactly when what is left is the same.
// Proof sketch: in normal form the first extent is the least n with
// f(n) != n*f(1) (at n the second digit starts, and it does not walk on), so
// the function determines the first digit; f(n), f(2n), ... is the function of
// the remaining digits, and so on outwards.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_LAYOUT_H
#define TITAN_LAYOUT_LAYOUT_H

#include "titan/Layout/Result.h"

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace titan {

/// A short vector of coordinates, without allocation.
class Coord {
public:
  static constexpr int maxRank = 8;

  Coord() = default;
  explicit Coord(int rank) : count(rank) {}
  Coord(std::initializer_list<int64_t> list);

  int size() const { return count; }
  int64_t &operator[](int dim) { return values[dim]; }
  int64_t operator[](int dim) const { return values[dim]; }
  const int64_t *begin() const { return values.data(); }
  const int64_t *end() const { return values.data() + count; }
  auto operator<=>(const Coord &) const = default;

private:
  std::array<int64_t, maxRank> values{};
  int count = 0;
};

/// One digit of an axis: takes the values 0 .. extent-1, and each step moves
/// `stride` elements along dimension `dim`; nowhere if `dim` is `replica`.
struct Digit {
  static constexpr int replica = -1;

  int64_t extent = 1;
  int dim = replica;
  int64_t stride = 0;

  bool isReplica() const { return dim == replica; }
  bool operator==(const Digit &) const = default;
};

/// An input of a layout: digits, innermost first.
struct Axis {
  std::string name;
  std::vector<Digit> digits;

  /// How many values the axis takes: the product of its extents.
  int64_t size() const;
  bool operator==(const Axis &) const = default;
};

/// An output of a layout: coordinates 0 .. extent-1.
struct Dim {
  std::string name;
  int64_t extent = 1;
  bool operator==(const Dim &) const = default;
};

/// A function linear over the bits of a number: the identity plus terms.
/// Term (to, from) says: output bit `to` is xored with input bit `from`; all
/// terms read the input. The matrix of the function is I + N, where N has a
/// one at each term (so (i, i) clears bit i).
class BitLinear {
public:
  struct Term {
    uint8_t to, from;
    auto operator<=>(const Term &) const = default;
  };

  BitLinear() = default;
  /// Terms with bits above 62 are dropped by parse and make; a term given
  /// twice cancels.
  explicit BitLinear(std::vector<Term> terms);
  /// CuTe's Swizzle<b, m, s>: bits m .. m+b-1 are xored with the bits s above.
  static BitLinear swizzle(int b, int m, int s);

  int64_t operator()(int64_t value) const {
    uint64_t in = static_cast<uint64_t>(value), out = in;
    for (Term t : list)
      out ^= ((in >> t.from) & 1) << t.to;
    return static_cast<int64_t>(out);
  }
  bool isIdentity() const { return list.empty(); }
  /// Sorted, without repetitions: equal lists are equal functions.
  const std::vector<Term> &terms() const { return list; }
  /// First this, then `next`.
  BitLinear then(const BitLinear &next) const;
  /// The inverse function; none where two numbers have the same image.
  std::optional<BitLinear> inverse() const;
  bool operator==(const BitLinear &) const = default;

private:
  std::vector<Term> list;
};

class Layout;

/// What Layout::slice finds.
struct LayoutSlice;

class Layout {
public:
  /// The layout of nothing: no axes, no dimensions.
  Layout() = default;

  //===--------------------------------------------------------------------===//
  // Making
  //===--------------------------------------------------------------------===//

  /// Any layout. Problem layout-invalid: an extent below 1, a stride below 0, a
  /// digit along no dimension; more axes or dimensions than Coord::maxRank, a
  /// coordinate that lies outside of the shape, sizes beyond 2^40; `bits` with
  /// more than one dimension; a name that the textual form cannot hold or that
  /// comes twice. Axes reg, lane, warp come all three, in this order, or not at
  /// all.
  static Result<Layout> make(std::vector<Axis> axes, std::vector<Dim> dims,
                             std::vector<int64_t> offset = {},
                             BitLinear bits = {});

  /// A register tile: axes reg, lane and warp, shape as given (elements), and
  /// dimensions named by rank. Problems as make.
  static Result<Layout> tile(std::vector<int64_t> shape, std::vector<Digit> reg,
                             std::vector<Digit> lane,
                             std::vector<Digit> warp = {});

  /// Reads what str() prints (the file comment shows the form).
  /// Problem layout-syntax says at which character; those of make as well.
  static Result<Layout> parse(std::string_view text);

  /// The layout that takes the values of `function` on axes of these sizes;
  /// problem layout-algebra if there is none. Calls `function` once for
  /// every input: for tests and tables, not for tight loops.
  static Result<Layout>
  fit(const std::vector<std::pair<std::string, int64_t>> &axes,
      std::vector<Dim> dims,
      const std::function<Coord(const Coord &)> &function);

  //===--------------------------------------------------------------------===//
  // Parts
  //===--------------------------------------------------------------------===//

  const std::vector<Axis> &axes() const { return axisList; }
  const std::vector<Dim> &dims() const { return dimList; }
  const std::vector<int64_t> &offset() const { return offsets; }
  const BitLinear &bits() const { return post; }
  int rank() const { return static_cast<int>(dimList.size()); }
  /// The extents of the dimensions.
  std::vector<int64_t> shape() const;
  /// How many inputs there are: the product of the axes' sizes.
  int64_t size() const;
  /// How many elements the shape has.
  int64_t elements() const;

  /// `reg: 2*c1; lane: 4*c2, 8*r1`, in normal form; parse reads it back.
  std::string str() const;

  //===--------------------------------------------------------------------===//
  // The function
  //===--------------------------------------------------------------------===//

  /// The image of one value for each axis, in the order of axes(). A value at
  /// or past an axis' size wraps around.
  Coord apply(const Coord &inputs) const;

  /// Register tiles: axes reg, lane, warp. Sizes in registers of one element
  /// (an element of 16 bits counts as one), lanes, warps.
  bool isTile() const;
  int64_t registers() const { return axisList[0].size(); }
  int64_t lanes() const { return axisList[1].size(); }
  int64_t warps() const { return axisList[2].size(); }
  Coord coords(int64_t reg, int64_t lane, int64_t warp) const {
    return apply({reg, lane, warp});
  }
  /// The row-major index of the element at [(warp*lanes + lane)*registers +
  /// reg] for all of them: what a simulator keeps.
  std::vector<int64_t> elementTable() const;

  /// All inputs with this image, in the order of ownership: by the last axis,
  /// then the one before it, and so on (warp, lane, reg). Empty: the element
  /// is nowhere.
  std::vector<Coord> holders(const Coord &image) const;
  /// Whether these inputs are the smallest that hold their element.
  bool isOwner(const Coord &inputs) const;

  //===--------------------------------------------------------------------===//
  // Questions about the function
  //===--------------------------------------------------------------------===//

  /// Equal as functions: the same sizes of axes, the same shape, the same
  /// image of every input. Names do not matter.
  bool sameFunction(const Layout &other) const;
  /// No two inputs share an element.
  bool isInjective() const;
  /// Every element of the shape is held.
  bool isSurjective() const;
  /// How many inputs hold each element, if that is the same number for all
  /// elements held; else none.
  std::optional<int64_t> replication() const;

  /// How many consecutive values of axis 0 (registers) are consecutive elements
  /// along `dim`, from value 0 on: the widest vector access. At least 1.
  int64_t contiguousRun(int dim) const;
  /// contiguousRun, cut down so that every run starts at a multiple of its
  /// length: what a vector access with natural alignment can move.
  int64_t alignedRun(int dim) const;

  //===--------------------------------------------------------------------===//
  // Algebra
  //===--------------------------------------------------------------------===//

  /// The same function in normal form (see the file comment).
  Layout normalized() const;

  /// First this, then `next`: dimension d of this is axis d of `next`.
  ///   (reg, lane, warp) -> (r, c)  then  (r, c) -> byte
  /// Problem layout-algebra: a digit of this straddles digits of `next`
  /// in a way that no list of digits can say, or values overflow an axis.
  Result<Layout> then(const Layout &next) const;

  /// The layout from elements to their owners: axes are this one's dimensions,
  /// dimensions this one's axes. Problem layout-algebra: an offset,
  /// bits, an element held by nobody, or elements held twice otherwise than by
  /// replica digits.
  ///   inverse().then(*this) is the identity on elements.
  Result<Layout> inverse() const;

  /// This layout as an atom, repeated as `outer` says: each axis gets outer's
  /// digits outside of its own, one element of outer being one whole tile of
  /// this. Problem layout-algebra: other axes or another rank; offsets or bits.
  ///   reg: 2*c1; lane: 4*c2, 8*r1      (8 x 8)   repeated by
  ///   reg: 2*r1, 3*c1; warp: 4*r2      (8 x 3)   is the 64 x 24 of example 2
  Result<Layout> repeat(const Layout &outer) const;

  /// The inverse of repeat: the Q with  atom.repeat(Q) = *this.
  /// Problem layout-algebra: there is none (the message says which axis).
  Result<Layout> divide(const Layout &atom) const;

  /// The layout of the sub-tile at `offsets` of shape `shape` (elements), where
  /// each lane of each warp keeps its part. Problems: layout-slice
  /// when it leaves the tile, or when lanes or warps would hold different
  /// registers of it, so that registers alone cannot say it; layout-algebra
  /// when the registers selected are no mixed radix.
  Result<LayoutSlice> slice(const std::vector<int64_t> &offsets,
                            const std::vector<int64_t> &shape) const;

  /// The layout of what is left when dimension `dim` is reduced away (or of
  /// what is broadcast along it): registers along it vanish, lanes and warps
  /// along it become replicas. Rank one less.
  Layout withoutDim(int dim) const;

  /// Dimensions in another order: dimension d of the result is order[d] of
  /// this. Problem layout-invalid when `order` is no permutation.
  Result<Layout> permuted(const std::vector<int> &order) const;

private:
  bool digitsDisjoint() const;

  std::vector<Axis> axisList;
  std::vector<Dim> dimList;
  std::vector<int64_t> offsets;
  BitLinear post;
};

struct LayoutSlice {
  /// The sub-tile, with coordinates from its own origin.
  Layout layout;
  /// registers[new register] = register of the whole tile.
  std::vector<int64_t> registers;
};

/// The names dimensions have by default: r, c at rank 2; i, j, k, ... else.
std::vector<std::string> defaultDimNames(int rank);

} // namespace titan

#endif // TITAN_LAYOUT_LAYOUT_H
