//===- LaneFunctions.cpp - values that lane and warp determine ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a thread's elements are is a function of its lane and warp that the
// compiler knows completely. It is found from its values rather than from the
// layout's digits, so that swizzles, panels and views need no cases of their
// own: evaluated at the powers of two, a function linear over bits is known
// everywhere (it is the XOR of those values), and the guess is then checked at
// every lane and warp.
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/KernelLowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan;

namespace {

/// Part of a sum or XOR: (input >> shift & mask) * factor.
struct Term {
  bool ofWarp;
  int shift, bits;
  int64_t factor;
};

/// Bits of the lane or warp that contribute shifted copies of one value, joined
/// while the product with that value is the same as adding bit by bit.
void appendTerms(SmallVectorImpl<Term> &terms, bool ofWarp,
                 ArrayRef<int64_t> contributions, bool exclusive) {
  for (size_t i = 0; i < contributions.size();) {
    if (!contributions[i]) {
      ++i;
      continue;
    }
    size_t n = 1;
    while (i + n < contributions.size() &&
           contributions[i + n] == contributions[i] << n) {
      // With XOR, the copies must not overlap.
      bool same = true;
      for (int64_t x = 0; exclusive && x < (int64_t(2) << n); ++x) {
        int64_t sum = 0;
        for (size_t k = 0; k <= n; ++k)
          if (x >> k & 1)
            sum ^= contributions[i] << k;
        same &= sum == x * contributions[i];
      }
      if (!same)
        break;
      ++n;
    }
    terms.push_back(
        {ofWarp, static_cast<int>(i), static_cast<int>(n), contributions[i]});
    i += n;
  }
}

} // namespace

std::optional<Value> KernelLowering::laneFunction(const LaneFunction &function,
                                                  int64_t warps) {
  const int64_t origin = function(0, 0);
  // A constant needs nothing of this.
  bool constant = true;
  for (int64_t w = 0; w < warps; ++w)
    for (int64_t l = 0; l < 32; ++l)
      constant &= function(l, w) == origin;
  if (constant)
    return i32(origin);

  int warpBits = llvm::Log2_64_Ceil(warps);
  auto holds = [&](bool exclusive, auto &&value) {
    for (int64_t w = 0; w < warps; ++w)
      for (int64_t l = 0; l < 32; ++l)
        if (value(l, w) != function(l, w))
          return false;
    return true;
  };
  for (bool exclusive : {true, false}) {
    auto minus = [&](int64_t x) { return exclusive ? x ^ origin : x - origin; };
    SmallVector<int64_t> laneBits, warpValues;
    for (int bit = 0; bit < 5; ++bit)
      laneBits.push_back(minus(function(int64_t(1) << bit, 0)));
    for (int bit = 0; bit < warpBits; ++bit)
      warpValues.push_back(minus(function(0, int64_t(1) << bit)));
    auto value = [&](int64_t lane, int64_t warp) {
      int64_t sum = origin;
      auto take = [&](int64_t x) { sum = exclusive ? sum ^ x : sum + x; };
      for (int bit = 0; bit < 5; ++bit)
        if (lane >> bit & 1)
          take(laneBits[bit]);
      for (int bit = 0; bit < warpBits; ++bit)
        if (warp >> bit & 1)
          take(warpValues[bit]);
      return sum;
    };
    if (!holds(exclusive, value))
      continue;
    SmallVector<Term> terms;
    appendTerms(terms, false, laneBits, exclusive);
    appendTerms(terms, true, warpValues, exclusive);
    Value result;
    int64_t used = 0;
    bool additive = !exclusive;
    for (Term term : terms) {
      Value input = term.ofWarp ? warp() : lane();
      int64_t mask = ((int64_t(1) << term.bits) - 1);
      if (!(term.ofWarp && term.shift == 0 &&
            term.bits == warpBits)) // the warp's rank has no further bits
        input = arith::AndIOp::create(b, input, i32(mask << term.shift));
      int64_t factor = term.factor;
      Value product;
      if (llvm::isPowerOf2_64(factor)) {
        int shift = llvm::Log2_64(factor) - term.shift;
        product =
            shift >= 0
                ? arith::ShLIOp::create(b, input, i32(shift)).getResult()
                : arith::ShRUIOp::create(b, input, i32(-shift)).getResult();
        if (shift == 0)
          product = input;
      } else {
        if (term.shift)
          input = arith::ShRUIOp::create(b, input, i32(term.shift));
        product = arith::MulIOp::create(b, input, i32(factor));
      }
      int64_t bits = mask * factor;
      if (!result)
        result = product;
      else if (additive || !(used & bits))
        result = arith::AddIOp::create(b, result, product);
      else
        result = arith::XOrIOp::create(b, result, product);
      used |= bits;
    }
    if (origin) {
      if (additive || !(used & origin))
        result = arith::AddIOp::create(b, result, i32(origin));
      else
        result = arith::XOrIOp::create(b, result, i32(origin));
    }
    return result;
  }
  return std::nullopt;
}

FailureOr<SmallVector<Value>>
KernelLowering::sharedAddresses(Operation *op, Value base, int64_t alignment,
                                ArrayRef<LaneFunction> offsets, int64_t warps) {
  Values addresses;
  // The first offset that a later one is a fixed step away from.
  SmallVector<std::pair<size_t, Value>> anchors;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const LaneFunction &offset = offsets[i];
    Value address;
    for (auto [k, anchor] : anchors) {
      const LaneFunction &from = offsets[k];
      // offset = (from ^ low) + high, low below the tile's alignment, so that
      // the XOR can be applied to the whole address.
      int64_t step = offset(0, 0) ^ from(0, 0);
      int64_t low = step & (alignment - 1);
      int64_t high = offset(0, 0) - (from(0, 0) ^ low);
      bool exclusive = true, additive = true;
      int64_t distance = offset(0, 0) - from(0, 0);
      for (int64_t w = 0; w < warps; ++w)
        for (int64_t l = 0; l < 32; ++l) {
          int64_t x = from(l, w), y = offset(l, w);
          exclusive &= y == (x ^ low) + high;
          additive &= y == x + distance;
        }
      if (additive) {
        address = add(anchor, i32(distance));
        break;
      }
      if (exclusive) {
        address = arith::XOrIOp::create(b, anchor, i32(low));
        // Equal low parts at another distance share the XOR.
        anchors.push_back({i, add(address, i32(high))});
        address = anchors.back().second;
        break;
      }
    }
    if (!address) {
      std::optional<Value> start = laneFunction(offset, warps);
      if (!start)
        return unsupported(op,
                           "the addresses of this tile in shared memory are "
                           "neither linear over the bits of lane and warp "
                           "nor a sum over them");
      address = add(base, *start);
      anchors.push_back({i, address});
    }
    addresses.push_back(address);
  }
  return addresses;
}

FailureOr<Value> KernelLowering::ownerPredicate(Operation *op,
                                                const Layout &layout) {
  Value predicate;
  if (layout.lanes() != 32)
    return unsupported(op, "a layout of " + Twine(layout.lanes()) + " lanes");
  Result<std::vector<DigitPlace>> free = layout.freeInputs();
  if (!free)
    return unsupported(op,
                       "owners in a layout where " + free.problem().message);
  for (const DigitPlace &place : *free) {
    if (place.index == 0)
      continue; // registers: their users ask isOwner
    Value input = place.index == 1 ? lane() : warp();
    Value value = arith::RemUIOp::create(
        b, arith::DivUIOp::create(b, input, i32(place.weight)),
        i32(place.extent));
    Value zero =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, i32(0));
    predicate = predicate
                    ? arith::AndIOp::create(b, predicate, zero).getResult()
                    : zero;
  }
  if (layout.warps() < warpsHere) {
    Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, warp(),
                                         i32(layout.warps()));
    predicate = predicate
                    ? arith::AndIOp::create(b, predicate, inside).getResult()
                    : inside;
  }
  return predicate;
}
