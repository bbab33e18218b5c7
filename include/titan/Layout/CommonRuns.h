//===- CommonRuns.h - Bytes that lie together on both sides -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy of bytes as they are moves what lies together, in one order, at its
// source and at its target. Two layouts of one region say how much that is.
//
// Example: a region of 128 x 32 elements of two bytes, between tiles of 128 x 64
// and of 128 x 32.
//
//     source   r: 128*b128; c: 64*b2    from (0, 32) on
//     target   r: 128*b64;  c: 32*b2    from (0, 0) on
//
// 1. Shards. Each axis is cut to the region; both sides' digits are cut into
//    such as are there on both:
//
//        dimension   extent   source   target
//        c             32        2        2
//        r            128      128       64
//
// 2. The chain. The shard that steps by an element on both sides (c, 2 bytes);
//    then one that steps by all of that, 64 bytes, on both sides, and so on. Here
//    there is none: a chunk is 64 bytes.
//
// 3. What is left are loops over chunks: 128 of them, of which chunk i begins at
//    byte 64 + 128 i of the source and 64 i of the target.
//
// Of two equal layouts a chunk is all of it. A row-major source and a
// column-major target have no shard that steps by an element on both sides: a
// chunk is one element.
//
// Swizzles xor bits of a byte's address into lower ones. A chunk below the lowest
// bit that takes part (16 bytes) is left whole by each of them. A larger one is
// right where it holds whole periods, or where both sides swizzle alike and lie
// alike in their periods: then the bytes of a chunk are exchanged among
// themselves, equally.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_COMMONRUNS_H
#define TITAN_LAYOUT_COMMONRUNS_H

#include "titan/Layout/Layout.h"

namespace titan {

/// Where a region begins along an axis: at a number, or at one that is only
/// known to be a multiple.
struct RegionOffset {
  std::optional<int64_t> value = 0;
  int64_t multiple = 1;
};

/// A region of a tile, whose elements `bytes` sends to bytes: an axis a
/// dimension. The region lies in the tile.
struct LayoutRegion {
  Layout bytes;
  std::vector<RegionOffset> offsets;
};

/// The byte at which a chunk begins:
///   bits(constant + terms + sum of counter * stride), rounded down to `block`.
struct RunStart {
  /// Of the offset along `axis`, where only the program knows it:
  /// offset / weight % extent * stride (extent 0: without the remainder).
  struct Term {
    int axis;
    int64_t weight, extent, stride;
  };
  int64_t constant = 0;
  std::vector<Term> terms;
  /// One a loop, outermost first.
  std::vector<int64_t> strides;
  BitLinear bits;
  int64_t block = 1;

  int64_t at(const std::vector<int64_t> &offsets,
             const std::vector<int64_t> &counters) const;
};

struct CommonRuns {
  /// Of a chunk.
  int64_t bytes = 0;
  /// Of the loops over chunks, outermost first.
  std::vector<int64_t> extents;
  RunStart source, target;
  /// How many chunks.
  int64_t count() const;
};

/// The longest chunks of whole elements, from multiples of `unit` bytes on and a
/// multiple of `unit` long, of a region of `extents`: the last axes of both
/// sides, 1 along the others. Problems:
///   layout-runs     shards that are not one to one; a chunk shorter than `unit`
///                   or no multiple of it, or that begins elsewhere
///   layout-algebra  a digit that steps by exclusive or
Result<CommonRuns> commonRuns(const LayoutRegion &source,
                              const LayoutRegion &target,
                              const std::vector<int64_t> &extents,
                              int64_t elementBytes, int64_t unit);

} // namespace titan

#endif // TITAN_LAYOUT_COMMONRUNS_H
