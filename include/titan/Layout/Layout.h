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
// Example 5: exclusive or in several dimensions
// ---------------------------------------------
// A tile of 4 x 4 in four registers of four lanes, kept so that each row and each
// column has one element in every lane (a transpose then is a shuffle without
// waiting): register r of lane l holds column l ^ r of row r.
//
//            l0  l1  l2  l3
//     reg 0  c0  c1  c2  c3      reg: 4*r1; lane: 4*c1; bits: c0^r0, c1^r1
//     reg 1  c1  c0  c3  c2      (bit 0 of c is xored with bit 0 of r, ...)
//     reg 2  c2  c3  c0  c1
//     reg 3  c3  c2  c1  c0      reg: 4*^r1^c1; lane: 4*c1
//
// The second form says the same with a digit that steps by exclusive or: value
// v xors v into r and v into c. In general bit k of v xors the numbers behind
// the '^', shifted left by k; so every function linear over bits can be said,
// a list of what each bit of an input does. Extents of such digits are powers
// of two. In rank 1, `bits: 4^7` and `8*^144` do without the name.
//
// Example 6: CTAs
// ---------------
// A tile of a cluster has a fourth axis, `cta`, the rank:
//
//     reg: 8*c1; lane: 4*c8, 8*r1; warp: 4*r8; cta: 2*r32         (64 x 32)
//
// The function, all in all: f(x) = bits((at + sum of steps) ^ xors).
//
// Names of dimensions: rank 2 has r and c; other ranks have i, j, k, ...; any
// names can be given by `shape: x16, y24`. Further clauses: `at: r8` is a
// constant offset, `bits:` as above. A dimension that bits or xors reach has an
// extent that is a multiple of twice the largest bit reached, so that nothing
// leaves the shape.
//
// What holds where
// ----------------
// A digit of extent 24 is three bits and an odd digit, 2 * 2 * 2 * 3. A layout
// is *bitwise* when the pieces of its digits occupy different bits of the
// output (2*c1, 3*c2 are bits 0 and {1, 2}; 2*c1, 3*c1 are not bitwise) and
// exclusive or reaches no odd digit. Then adding is xoring, and the layout is a
// matrix over {0, 1} next to odd digits that nothing disturbs. All layouts
// whose extents and strides are powers of two are bitwise.
//
//                                 sums of digits    bitwise       others
//     apply, holders, isOwner,
//       sameFunction, str, parse      yes               yes         yes
//     permuted, joined                yes               yes         yes
//     freeInputs                      (1)               yes         refused
//     freeOutputs                     (2)               (2)         refused
//     restricted, withoutDim, split   yes               yes         refused
//     repeat, divide                  yes               (3)         refused
//     inverse                         (2)               (3)         refused
//     pseudoInverse, over             (2)               (2), (3)    refused
//     concatDims                      (4)               (4)         refused
//     then, reshaped, withAxes        (4)               (4)         refused
//
//     (1) where no two digits overlap
//     (2) where digits nest: the stride of each is a multiple of what lies
//         below it; odd digits outside of the bits of their dimension
//     (3) where exclusive or reaches no axis, nor scales a dimension, whose bits
//         lie outside of an odd digit
//     (4) where the ends of digits meet those of the other function
//
// Where all extents and strides are powers of two, (1) to (4) hold.
// What is refused is refused with a reason (layout-algebra), never guessed.
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
// Theorem (owners). Let x range over the bits of the inputs, from the fastest of
// the first axis to the slowest of the last, and let f be linear over bits. A
// bit is *free* when its image is a sum of images of bits before it. An input
// is the owner of its element exactly when all of its free bits are 0.
// Proof: every element of the kernel has a free bit as its highest bit, and
// for each free bit there is one. Adding such elements clears the free bits
// from the top down and makes the number smaller each time; two inputs without
// free bits and with one image would differ by an element of the kernel, whose
// highest bit is free.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_LAYOUT_H
#define TITAN_LAYOUT_LAYOUT_H

#include "titan/Layout/Coord.h"
#include "titan/Layout/Result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace titan {

/// One digit of an axis: takes the values 0 .. extent-1, and each step moves
/// `stride` elements along dimension `dim`; nowhere if `dim` is `replica`. If
/// `dim` is `exclusive`, bit k of the value xors image[d] << k into coordinate d,
/// for each dimension d; the extent is a power of two.
struct Digit {
  static constexpr int replica = -1;
  static constexpr int exclusive = -2;

  int64_t extent = 1;
  int dim = replica;
  int64_t stride = 0;
  std::vector<int64_t> image = {};

  static Digit xors(int64_t extent, std::vector<int64_t> image) {
    return {extent, exclusive, 0, std::move(image)};
  }
  bool isReplica() const { return dim == replica; }
  bool isExclusive() const { return dim == exclusive; }
  /// Whether the value adds to a coordinate.
  bool isSum() const { return dim >= 0; }
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

/// A digit of an input or of a coordinate, by its weight: number `index` of the
/// axes or dimensions, value / weight % extent.
struct DigitPlace {
  int index;
  int64_t weight, extent;
  bool operator==(const DigitPlace &) const = default;
};

/// What Layout::slice and Layout::split find.
struct LayoutSlice;
struct LayoutSplit;

class Layout {
public:
  /// The layout of nothing: no axes, no dimensions.
  Layout() = default;

  //===--------------------------------------------------------------------===//
  // Making
  //===--------------------------------------------------------------------===//

  /// Any layout. Problem layout-invalid: an extent below 1, a stride below 0, a
  /// digit along no dimension; more axes or dimensions than Coord::maxRank, a
  /// coordinate that lies outside of the shape, sizes beyond 2^40; exclusive or
  /// that leads out of the shape; a name that the textual form cannot hold or
  /// that comes twice. Axes reg, lane, warp come all three, in this order, or
  /// not at all; cta may follow them.
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
  /// Neither exclusive digits nor bits: a sum of digits.
  bool isSum() const;
  /// The number of the axis of that name; -1: there is none.
  int axis(std::string_view name) const;
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

  /// Register tiles: axes reg, lane, warp, and cta where a cluster holds the
  /// tile. Sizes in registers of one element (an element of 16 bits counts as
  /// one), lanes, warps, CTAs.
  bool isTile() const;
  int64_t registers() const { return axisList[0].size(); }
  int64_t lanes() const { return axisList[1].size(); }
  int64_t warps() const { return axisList[2].size(); }
  int64_t ctas() const { return axisList.size() > 3 ? axisList[3].size() : 1; }
  Coord coords(int64_t reg, int64_t lane, int64_t warp, int64_t cta = 0) const {
    return apply({reg, lane, warp, cta});
  }
  /// The row-major index of the element at [((cta*warps + warp)*lanes +
  /// lane)*registers + reg] for all of them: what a simulator keeps.
  std::vector<int64_t> elementTable() const;

  /// All inputs with this image, in the order of ownership: by the last axis,
  /// then the one before it, and so on (warp, lane, reg). Empty: the element
  /// is nowhere.
  std::vector<Coord> holders(const Coord &image) const;
  /// Whether these inputs are the smallest that hold their element.
  bool isOwner(const Coord &inputs) const;

  /// The digits of the inputs that say nothing new, in the order of ownership:
  /// inputs are owners exactly where all of these are 0. Replica digits are
  /// among them; so is a bit whose image is a sum of images of bits before it.
  ///   reg: 2*r1; lane: 4*rep, 8*c1      lane / 1 % 4
  ///   reg: 2*c1; lane: 2*c2, 2*^c3      lane / 2 % 2
  Result<std::vector<DigitPlace>> freeInputs() const;
  /// The digits of the coordinates that nothing determines: the layout with a
  /// further axis of these digits holds every element of the shape, as often as
  /// it holds each of its own.
  ///   reg: 4*c2; shape: r1, c16         c / 1 % 2, c / 8 % 2
  Result<std::vector<DigitPlace>> freeOutputs() const;

  //===--------------------------------------------------------------------===//
  // Questions about the function
  //===--------------------------------------------------------------------===//

  /// Equal as written: names and digits. (See sameFunction.)
  bool operator==(const Layout &) const = default;

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
  /// The same function in the one form that all texts of a bitwise function
  /// have: no `bits`, and a bit of an input steps by exclusive or only where it
  /// cannot step by adding. Other layouts: the normal form.
  Layout canonical() const;

  /// First this, then `next`: dimension d of this is axis d of `next`.
  ///   (reg, lane, warp) -> (r, c)  then  (r, c) -> byte
  /// Problem layout-algebra: a digit of this straddles digits of `next`
  /// in a way that no list of digits can say, or values overflow an axis.
  Result<Layout> then(const Layout &next) const;

  /// The layout from elements to their owners: axes are this one's dimensions,
  /// dimensions this one's axes. Problem layout-algebra: an element held by
  /// nobody, or what the table "What holds where" refuses.
  ///   inverse().then(*this) is the identity on elements.
  Result<Layout> inverse() const;
  /// The same for a layout that does not hold every element: an element that
  /// nobody holds is sent to some input, one that is held to its owner.
  ///   then(P).then(*this) is *this.
  Result<Layout> pseudoInverse() const;
  /// Over `other`, which has the same shape: the layout C from the inputs of
  /// this to owners in `other`, with  C.then(other) = *this. Where is it there
  /// what is here? Registers of one tile over those of another say what a
  /// conversion has to move; a register tile over a shared image, which bytes.
  /// Problem layout-algebra: this holds what `other` does not, or no digits say
  /// it.
  Result<Layout> over(const Layout &other) const;

  /// This layout as an atom, repeated as `outer` says: each axis gets outer's
  /// digits outside of its own, one element of outer being one whole tile of
  /// this. Problem layout-algebra: other axes or another rank; offsets.
  ///   reg: 2*c1; lane: 4*c2, 8*r1      (8 x 8)   repeated by
  ///   reg: 2*r1, 3*c1; warp: 4*r2      (8 x 3)   is the 64 x 24 of example 2
  Result<Layout> repeat(const Layout &outer) const;

  /// The inverse of repeat, the quotient: the Q with  atom.repeat(Q) = *this.
  /// Problem layout-algebra: there is none (the message says which axis).
  Result<Layout> divide(const Layout &atom) const;

  /// The layout of the sub-tile at `offsets` of shape `shape` (elements), where
  /// each lane of each warp keeps its part. Problems: layout-slice
  /// when it leaves the tile, or when lanes or warps would hold different
  /// registers of it, so that registers alone cannot say it; layout-algebra
  /// when the registers selected are no mixed radix, or a step is by xor.
  Result<LayoutSlice> slice(const std::vector<int64_t> &offsets,
                            const std::vector<int64_t> &shape) const;

  /// The layout of what is left when dimension `dim` is reduced away (or of
  /// what is broadcast along it): registers along it vanish, lanes and warps
  /// along it become replicas. Rank one less. Problem layout-algebra: `bits`
  /// that digits cannot say.
  Result<Layout> withoutDim(int dim) const;

  /// Dimensions in another order: dimension d of the result is order[d] of
  /// this. Problem layout-invalid when `order` is no permutation.
  Result<Layout> permuted(const std::vector<int> &order) const;

  /// Only the value `value` of axis `axis`, which then has a single value. What
  /// lanes and warps do for one register: restricted(0, reg).
  Result<Layout> restricted(int axis, int64_t value) const;

  /// The same places for a tile of another shape: elements keep their row-major
  /// index.
  ///   reg: 4*c1; lane: 8*r1   (8 x 4)  as 2 x 16:  reg: 4*c1; lane: 4*c4, 2*r1
  Result<Layout> reshaped(const std::vector<int64_t> &shape) const;
  /// The same function of other axes: the inputs, counted with the first axis
  /// fastest, are cut anew.
  Result<Layout>
  withAxes(const std::vector<std::pair<std::string, int64_t>> &axes) const;

  /// Both layouts' axes, one shape: the image is the sum of the images (their
  /// exclusive or, where exclusive digits are in play).
  Result<Layout> concatAxes(const Layout &other) const;
  /// Both layouts' dimensions, the same axes: (f(x), g(x)).
  Result<Layout> concatDims(const Layout &other) const;

  /// `count` tiles of this layout side by side in a new last dimension, one
  /// after another in registers: the new digit is the innermost.
  ///   reg: 2*c1; lane: 4*r1  joined 2:  reg: 2*k1, 2*j1; lane: 4*i1
  Result<Layout> joined(int64_t count) const;
  /// The inverse of joined: the layout of each of the tiles along the last
  /// dimension, and which registers hold each. Problem layout-slice: lanes or
  /// warps step along that dimension, too.
  Result<LayoutSplit> split() const;

private:
  bool digitsDisjoint() const;
  Result<Layout> thenSum(const Layout &next) const;
  friend class BitForm;

  std::vector<Axis> axisList;
  std::vector<Dim> dimList;
  std::vector<int64_t> offsets;
  BitLinear post;
};

struct LayoutSplit {
  /// Of each part.
  Layout layout;
  /// registers[part][register of the part] = register of the whole tile.
  std::vector<std::vector<int64_t>> registers;
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
