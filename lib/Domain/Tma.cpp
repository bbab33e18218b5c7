//===- Tma.cpp - What a tensor copy does, byte for byte -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/Tma.h"

#include <algorithm>

using namespace titan;

static Problem problemOf(const TmaViolation &violation) {
  return {std::string(codeInfo(violation.code).code),
          violation.field + ": " + violation.message};
}

Result<TmaTransfer> TmaTransfer::make(const TensorMap &map, const TmaCopy &copy,
                                      const TargetInfo &target) {
  std::vector<TmaViolation> found = validate(map, target);
  if (found.empty())
    found = validateCopy(map, copy, target);
  if (!found.empty())
    return problemOf(found.front());

  auto unsupported = [](const std::string &what) {
    return Problem{std::string(codeInfo(Code::NotSupportedYet).code),
                   what + " not modelled yet"};
  };
  if (map.interleave != TmaInterleave::None)
    return unsupported("interleaved tensor maps are");
  if (map.type->bits < 8)
    return unsupported("packed element types are");
  bool tf32 = map.type->name.substr(0, 4) == "tf32";
  if (tf32 && copy.direction != TmaDirection::Load)
    return unsupported("stores and reductions of tf32 are");

  TmaTransfer transfer;
  transfer.how = copy.direction;
  transfer.base = map.address;
  transfer.shared = copy.shared;
  transfer.element = map.type->bits / 8;
  for (int d = 0; d < map.rank; ++d) {
    // Entry 0 of the element strides is ignored (facts-tma.md 1.2).
    transfer.step[d] = d == 0 ? 1 : map.elementStrides[d];
    transfer.extents[d] =
        (map.box[d] + transfer.step[d] - 1) / transfer.step[d];
    transfer.start[d] = copy.coords[d];
    transfer.dims[d] = map.dims[d];
    transfer.strides[d] =
        d == 0 ? static_cast<uint64_t>(transfer.element) : map.strides[d - 1];
    if (d > 0)
      transfer.rowCount *= transfer.extents[d];
  }
  transfer.swizzle = map.swizzle;
  bool swizzled = map.swizzle->span != 0;
  transfer.pitch = swizzled ? map.swizzle->span : transfer.rowBytes();
  // The flip exchanges halves of 16 bytes; every other mode keeps 16 together.
  transfer.chunk = !swizzled ? 0 : map.swizzle->mask2 != 0 ? 8 : 16;
  transfer.nan = map.nanFill;
  transfer.tf32 = tf32;
  return transfer;
}

void TmaTransfer::computeRow(int64_t index, Row &row) const {
  row.shared = shared + index * pitch;
  bool inside = true;
  // Addresses are formed modulo 2^64: those outside are never used.
  uint64_t address =
      base + static_cast<uint64_t>(start[0]) * static_cast<uint64_t>(element);
  for (int d = 1; d < TensorMap::maxRank; ++d) {
    int64_t i = index % extents[d];
    index /= extents[d];
    int64_t g = start[d] + i * step[d];
    inside = inside && g >= 0 && static_cast<uint64_t>(g) < dims[d];
    address += static_cast<uint64_t>(g) * strides[d];
  }
  row.global = address;
  row.inside = {0, 0};
  if (!inside)
    return;
  // Elements lo .. hi-1 of the row lie inside of dimension 0.
  int64_t lo = std::clamp<int64_t>(-start[0], 0, extents[0]);
  int64_t hi = std::clamp<int64_t>(static_cast<int64_t>(dims[0]) - start[0], 0,
                                   extents[0]);
  if (lo >= hi)
    return;
  row.inside = {lo * element, hi * element};
  // Stores move whole chunks of 16 bytes (S3, M5); starts are multiples of 16.
  if (how != TmaDirection::Load)
    row.inside.end = std::min((row.inside.end + 15) / 16 * 16, rowBytes());
}

ByteSet TmaTransfer::sharedBytes() const {
  std::vector<ByteSet::Interval> parts;
  forEachRun([&](const TmaRun &run) {
    parts.push_back({run.shared, run.shared + run.bytes});
  });
  return ByteSet::of(std::move(parts));
}

ByteSet TmaTransfer::globalBytes() const {
  std::vector<ByteSet::Interval> parts;
  forEachRun([&](const TmaRun &run) {
    int64_t begin = static_cast<int64_t>(run.global);
    if (run.fill)
      return;
    if (!parts.empty() && parts.back().end == begin)
      parts.back().end += run.bytes;
    else
      parts.push_back({begin, begin + run.bytes});
  });
  return ByteSet::of(std::move(parts));
}
