//===- Evaluate.h - A layout in somebody's arithmetic -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout::apply for coordinates that a program computes: the operations that do
// it. `Arithmetic` has a type Value and writes down
//
//     constant(c)   add(x, y)   exclusiveOr(x, y)
//     times(x, c)   over(x, c)   rest(x, c)   masked(x, c)   down(x, bits)
//
//     r: 8*b64; c: 32*b2          r * 64 + c * 2
//     c: 32*b2, 2*b512            c / 32 * 512 + c % 32 * 2
//     bits: 4^7, 5^8 of that      x ^ (x & 384) >> 3
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_EVALUATE_H
#define TITAN_LAYOUT_EVALUATE_H

#include "titan/Layout/Layout.h"

#include <bit>
#include <map>
#include <numeric>
#include <span>

namespace titan {

/// The largest power of two that divides all steps of a layout with one
/// dimension, at most `limit`: `evaluate` can count in it.
inline int64_t unitOf(const Layout &layout, int64_t limit) {
  int64_t unit = std::gcd(layout.offset()[0], limit);
  for (const Axis &axis : layout.axes())
    for (const Digit &digit : axis.digits)
      if (digit.extent > 1 && !digit.isReplica())
        unit =
            std::gcd(digit.isExclusive() ? digit.image[0] : digit.stride, unit);
  for (BitLinear::Term term : layout.bits().terms())
    unit = std::min(unit, int64_t(1) << std::min(term.from, term.to));
  return unit;
}

/// A layout with one dimension at `coords`, which lie in its axes, in units of
/// `unit` (a divisor of unitOf).
template <typename Arithmetic>
typename Arithmetic::Value
evaluate(const Layout &layout,
         std::span<const typename Arithmetic::Value> coords, int64_t unit,
         Arithmetic &a) {
  using Value = typename Arithmetic::Value;
  Value sum = a.constant(layout.offset()[0] / unit);
  std::vector<Value> exclusive;
  for (size_t d = 0; d < coords.size(); ++d) {
    int64_t weight = 1, left = layout.axes()[d].size();
    for (const Digit &digit : layout.axes()[d].digits) {
      if (digit.extent == 1)
        continue;
      Value value = weight > 1 ? a.over(coords[d], weight) : coords[d];
      left /= digit.extent;
      if (left > 1)
        value = a.rest(value, digit.extent);
      weight *= digit.extent;
      if (digit.isSum())
        sum = a.add(sum, a.times(value, digit.stride / unit));
      else if (digit.isExclusive())
        // Bit by bit: no carries.
        for (int64_t bit = 1; bit < digit.extent; bit *= 2)
          exclusive.push_back(
              a.times(a.rest(bit > 1 ? a.over(value, bit) : value, 2),
                      digit.image[0] / unit * bit));
    }
  }
  for (Value value : exclusive)
    sum = a.exclusiveOr(sum, value);
  // Bits that go equally far, together.
  std::map<int, int64_t> masks;
  int low = std::countr_zero(static_cast<uint64_t>(unit));
  for (BitLinear::Term term : layout.bits().terms())
    masks[term.from - term.to] |= int64_t(1) << (term.from - low);
  Value result = sum;
  for (auto [down, mask] : masks) {
    Value bits = a.masked(sum, mask);
    result = a.exclusiveOr(result, down < 0 ? a.times(bits, int64_t(1) << -down)
                                            : a.down(bits, down));
  }
  return result;
}

} // namespace titan

#endif // TITAN_LAYOUT_EVALUATE_H
