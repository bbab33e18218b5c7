//===- CommonRuns.cpp - Bytes that lie together on both sides -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/CommonRuns.h"

#include <algorithm>
#include <numeric>

using namespace titan;

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

int64_t RunStart::at(const std::vector<int64_t> &offsets,
                     const std::vector<int64_t> &counters) const {
  int64_t sum = constant;
  for (const Term &term : terms) {
    int64_t digit = offsets[term.axis] / term.weight;
    sum += (term.extent ? digit % term.extent : digit) * term.stride;
  }
  for (size_t k = 0; k < strides.size(); ++k)
    sum += counters[k] * strides[k];
  return bits(sum) / block * block;
}

int64_t CommonRuns::count() const {
  return std::accumulate(extents.begin(), extents.end(), int64_t(1),
                         std::multiplies<>());
}

//===----------------------------------------------------------------------===//
// One side
//===----------------------------------------------------------------------===//

namespace {
/// A digit of the region.
struct Part {
  int64_t extent, stride;
};

/// A digit that the region has on both sides.
struct Shard {
  int64_t extent, source, target;
};

/// The region on one side: the digits of each of its dimensions, from the inside
/// out; where it begins; and a number that divides that byte.
struct Side {
  std::vector<std::vector<Part>> parts;
  RunStart start;
  int64_t multiple = 0;
};
} // namespace

static Problem noRuns(const std::string &message) {
  return Problem{"layout-runs", message};
}

/// The region [offset, offset + extent) of an axis, as digits.
static Result<std::vector<Part>>
cut(const Axis &axis, const RegionOffset &offset, int64_t extent) {
  auto isMultiple = [&](int64_t of) {
    return (offset.value ? *offset.value : offset.multiple) % of == 0;
  };
  std::vector<Part> parts;
  int64_t left = extent, weight = 1;
  for (size_t k = 0; k < axis.digits.size() && left > 1; ++k) {
    const Digit &digit = axis.digits[k];
    int64_t n = digit.extent, take = n;
    bool whole = left % n == 0 && isMultiple(weight * n);
    if (!whole) {
      // A part of this digit, which does not reach beyond it.
      take = left;
      bool last = k + 1 == axis.digits.size();
      bool inside = offset.value
                        ? *offset.value / weight % n + left <= n
                        : last || (n % left == 0 && isMultiple(weight * left));
      if (!inside)
        return noRuns("the region of " + std::to_string(extent) + " along " +
                      axis.name + " from " +
                      (offset.value ? std::to_string(*offset.value)
                                    : "a multiple of " +
                                          std::to_string(offset.multiple)) +
                      " on is no digits of the layout: it reaches over the end "
                      "of one of " +
                      std::to_string(n));
    }
    if (take > 1)
      parts.push_back({take, digit.stride});
    left /= take;
    weight *= n;
  }
  return parts;
}

static Result<Side> sideOf(const LayoutRegion &region,
                           const std::vector<int64_t> &extents) {
  Layout layout = region.bytes.normalized();
  Side side;
  side.start.constant = layout.offset()[0];
  side.start.bits = layout.bits();
  size_t outer = layout.axes().size() - extents.size();
  for (size_t a = 0; a < layout.axes().size(); ++a) {
    const Axis &axis = layout.axes()[a];
    const RegionOffset &offset = region.offsets[a];
    for (const Digit &digit : axis.digits)
      if (digit.isExclusive())
        return Problem{"layout-algebra",
                       "a digit of " + axis.name +
                           " steps by exclusive or: " + layout.str()};
    if (a >= outer) {
      auto parts = cut(axis, offset, extents[a - outer]);
      if (!parts)
        return parts.problem();
      side.parts.push_back(std::move(*parts));
    }
    int64_t weight = 1;
    for (size_t k = 0; k < axis.digits.size(); ++k) {
      const Digit &digit = axis.digits[k];
      bool last = k + 1 == axis.digits.size();
      if (offset.value) {
        side.start.constant +=
            *offset.value / weight % digit.extent * digit.stride;
      } else if (digit.stride && digit.extent > 1) {
        int64_t known = offset.multiple % weight ? 1 : offset.multiple / weight;
        // A multiple of the digit's extent has 0 there.
        if (last || known % digit.extent) {
          side.start.terms.push_back({static_cast<int>(a), weight,
                                      last ? 0 : digit.extent, digit.stride});
          if (!last)
            known = std::gcd(known, digit.extent);
          side.multiple = std::gcd(side.multiple, known * digit.stride);
        }
      }
      weight *= digit.extent;
    }
  }
  side.multiple = std::gcd(side.multiple, side.start.constant);
  return side;
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

/// The digits of both sides, cut into such as are there on both; innermost
/// dimension first, each from the inside out.
static Result<std::vector<Shard>> shardsOf(const Side &source,
                                           const Side &target) {
  std::vector<Shard> shards;
  for (size_t d = source.parts.size(); d-- > 0;) {
    std::vector<Part> from = source.parts[d], to = target.parts[d];
    size_t i = 0, j = 0;
    while (i < from.size() && j < to.size()) {
      Part &a = from[i], &b = to[j];
      int64_t common = std::gcd(a.extent, b.extent);
      if (common == 1)
        return noRuns("dimension " + std::to_string(d) +
                      " has no shards that are one to one: a digit of " +
                      std::to_string(a.extent) +
                      " at the source meets one of " +
                      std::to_string(b.extent) + " at the target");
      shards.push_back({common, a.stride, b.stride});
      for (auto [part, index] : {std::pair(&a, &i), std::pair(&b, &j)}) {
        part->extent /= common;
        part->stride *= common;
        *index += part->extent == 1;
      }
    }
  }
  return shards;
}

/// Joins shards that walk on on both sides; outermost first afterwards.
static std::vector<Shard> joined(std::vector<Shard> shards) {
  std::vector<Shard> list;
  for (const Shard &shard : shards) {
    if (shard.extent == 1)
      continue;
    if (!list.empty() &&
        list.back().source * list.back().extent == shard.source &&
        list.back().target * list.back().extent == shard.target)
      list.back().extent *= shard.extent;
    else
      list.push_back(shard);
  }
  std::reverse(list.begin(), list.end());
  return list;
}

/// Whether chunks of `bytes` are the same bytes on both sides, although bits of
/// addresses are xored; sets what a chunk's start is rounded down to.
static bool isClosed(int64_t bytes, const std::vector<Shard> &outer,
                     const Side &source, const Side &target, int64_t &block) {
  const BitLinear &from = source.start.bits, &to = target.start.bits;
  block = 1;
  if (from.isIdentity() && to.isIdentity())
    return true;
  int lowest = 63, highest = 0;
  bool leaves = false; // A bit within a chunk is xored into one outside of it.
  for (const BitLinear *bits : {&from, &to})
    for (BitLinear::Term term : bits->terms()) {
      lowest = std::min<int>({lowest, term.to, term.from});
      highest = std::max<int>({highest, term.to, term.from});
      leaves |=
          int64_t(1) << term.from < bytes && int64_t(1) << term.to >= bytes;
    }
  int64_t period = int64_t(1) << (highest + 1);
  auto begins = [&](int64_t multiple) {
    return source.multiple % multiple == 0 && target.multiple % multiple == 0 &&
           std::all_of(outer.begin(), outer.end(), [&](const Shard &shard) {
             return shard.source % multiple == 0 &&
                    shard.target % multiple == 0;
           });
  };
  if (from == to && bytes % period == 0 && begins(period))
    return true;
  if ((bytes & (bytes - 1)) || !begins(bytes))
    return false;
  if (bytes <= int64_t(1) << lowest)
    return true;
  // Both sides at the same place of their periods, always.
  auto terms = [&](const Side &side) {
    return std::all_of(
        side.start.terms.begin(), side.start.terms.end(),
        [&](const RunStart::Term &term) { return term.stride % period == 0; });
  };
  block = bytes;
  return from == to && bytes < period && !leaves && terms(source) &&
         terms(target) &&
         (source.start.constant - target.start.constant) % period == 0 &&
         std::all_of(
             outer.begin(), outer.end(),
             [&](const Shard &shard) {
               return (shard.source - shard.target) % period == 0;
             });
}

Result<CommonRuns> titan::commonRuns(const LayoutRegion &source,
                                     const LayoutRegion &target,
                                     const std::vector<int64_t> &extents,
                                     int64_t elementBytes, int64_t unit) {
  auto from = sideOf(source, extents);
  if (!from)
    return from.problem();
  auto to = sideOf(target, extents);
  if (!to)
    return to.problem();
  auto shards = shardsOf(*from, *to);
  if (!shards)
    return shards.problem();

  // The chain.
  int64_t chain = elementBytes;
  for (bool found = true; found;) {
    found = false;
    for (size_t k = 0; k < shards->size() && !found; ++k) {
      const Shard &shard = (*shards)[k];
      if (shard.source != chain || shard.target != chain)
        continue;
      chain *= shard.extent;
      shards->erase(shards->begin() + k);
      found = true;
    }
  }
  auto tooShort = [&](int64_t bytes) {
    return noRuns("the longest run that lies together on both sides is " +
                  std::to_string(bytes) + " bytes, " +
                  std::to_string(bytes / elementBytes) +
                  (bytes == elementBytes ? " element" : " elements") +
                  ", and it takes a multiple of " + std::to_string(unit));
  };
  if (chain < unit || chain % unit)
    return tooShort(chain);

  // Chunks: all of the chain, or, where swizzles want that, parts of it.
  CommonRuns runs;
  std::vector<Shard> outer;
  int64_t block = 1;
  auto take = [&](int64_t bytes) {
    outer = *shards;
    if (bytes < chain)
      outer.insert(outer.begin(), {chain / bytes, bytes, bytes});
    runs.bytes = bytes;
    return isClosed(bytes, outer, *from, *to, block);
  };
  bool closed = take(chain);
  for (int64_t bytes = chain & -chain; !closed && bytes >= unit; bytes /= 2)
    closed = take(bytes);
  if (!closed)
    return noRuns("the swizzles of source and target leave no run of " +
                  std::to_string(unit) + " bytes whole on both sides");

  outer = joined(std::move(outer));
  int64_t multiples[] = {from->multiple, to->multiple};
  for (const Shard &shard : outer) {
    runs.extents.push_back(shard.extent);
    from->start.strides.push_back(shard.source);
    to->start.strides.push_back(shard.target);
    multiples[0] = std::gcd(multiples[0], shard.source);
    multiples[1] = std::gcd(multiples[1], shard.target);
  }
  for (int side : {0, 1})
    if (multiples[side] % unit)
      return noRuns(
          std::string("chunks of the ") + (side ? "target" : "source") +
          " begin at multiples of " + std::to_string(multiples[side]) +
          " bytes, and they have to at multiples of " + std::to_string(unit));
  from->start.block = to->start.block = block;
  runs.source = std::move(from->start);
  runs.target = std::move(to->start);
  return runs;
}
