//===- ByteSet.h - Sets of bytes as intervals -------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which bytes does an operation touch? A set of byte addresses, kept as sorted
// intervals [begin, end) that neither overlap nor meet:
//
//     {[0, 64)} united with {[64, 80), [128, 160)}  =  {[0, 80), [128, 160)}
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_BYTESET_H
#define TITAN_LAYOUT_BYTESET_H

#include <cstdint>
#include <string>
#include <vector>

namespace titan {

class ByteSet {
public:
  /// The bytes begin, begin+1, ..., end-1.
  struct Interval {
    int64_t begin, end;
    bool operator==(const Interval &) const = default;
  };

  ByteSet() = default;
  ByteSet(int64_t begin, int64_t end) { add(begin, end); }
  /// The union of intervals in any order; empty ones are dropped.
  static ByteSet of(std::vector<Interval> intervals);

  /// Adds [begin, end); nothing if it is empty.
  void add(int64_t begin, int64_t end);

  ByteSet unite(const ByteSet &other) const;
  ByteSet intersect(const ByteSet &other) const;
  /// The bytes of this that are not in `other`.
  ByteSet subtract(const ByteSet &other) const;
  bool intersects(const ByteSet &other) const;
  bool contains(int64_t byte) const;
  bool contains(const ByteSet &other) const;
  /// Every byte moved up by `distance`.
  ByteSet shifted(int64_t distance) const;

  bool empty() const { return list.empty(); }
  /// How many bytes there are.
  int64_t bytes() const;
  const std::vector<Interval> &intervals() const { return list; }
  /// `[0, 80) [128, 160)`.
  std::string str() const;
  bool operator==(const ByteSet &) const = default;

private:
  std::vector<Interval> list;
};

} // namespace titan

#endif // TITAN_LAYOUT_BYTESET_H
