//===- Coord.h - Coordinates and functions linear over bits -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A swizzle exchanges columns in a way that depends on the row. Chunks of 16
// bytes (c) of the rows of a tile (r), under the 32-byte swizzle, lie at
//
//              c0  c1                      r0 r1 r2 r3 | r4 r5 r6 r7
//     r0..r3    0   1          chunk 0      0  0  0  0 |  1  1  1  1
//     r4..r7    1   0          chunk 1      1  1  1  1 |  0  0  0  0
//
// Write the numbers in binary, and a bit of the output is the exclusive or
// of bits of the input: c.0' = c.0 ^ r.2. Such a function f has
// f(x ^ y) = f(x) ^ f(y): it is *linear over bits*, a matrix of zeros and ones
// known from its values at the powers of two. BitLinear is the identity plus
// terms, each of which says that a bit is xored with a bit: here `c0^r2`.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_COORD_H
#define TITAN_LAYOUT_COORD_H

#include <array>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <optional>
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

/// A function linear over the bits of a number, or of a vector of coordinates:
/// the identity plus terms. All terms read the input. The matrix of the function
/// is I + N, where N has a one at each term (so a term of a bit with itself
/// clears it).
class BitLinear {
public:
  /// Output bit `to` of coordinate `toDim` is xored with input bit `from` of
  /// coordinate `fromDim`.
  struct Term {
    uint8_t to, from;
    uint8_t toDim = 0, fromDim = 0;
    auto operator<=>(const Term &) const = default;
  };

  BitLinear() = default;
  /// Terms with bits above 62 are dropped; a term given twice cancels.
  explicit BitLinear(std::vector<Term> terms);
  /// CuTe's Swizzle<b, m, s>: bits m .. m+b-1 are xored with the bits s above.
  static BitLinear swizzle(int b, int m, int s);

  /// The function of a single number: dimensions are not looked at.
  int64_t operator()(int64_t value) const {
    uint64_t in = static_cast<uint64_t>(value), out = in;
    for (Term t : list)
      out ^= ((in >> t.from) & 1) << t.to;
    return static_cast<int64_t>(out);
  }
  Coord operator()(const Coord &value) const {
    Coord out = value;
    for (Term t : list)
      out[t.toDim] ^= ((value[t.fromDim] >> t.from) & 1) << t.to;
    return out;
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

} // namespace titan

#endif // TITAN_LAYOUT_COORD_H
