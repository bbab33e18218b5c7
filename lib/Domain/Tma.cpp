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
  const TmaType &type = *map.type;
  bool load = copy.direction == TmaDirection::Load;
  bool im2col = map.mode == TmaMode::Im2col;
  bool tf32 = type.name.substr(0, 4) == "tf32";
  bool padded = type.driver >= 14;
  int64_t inner = im2col ? map.im2col.channels : map.box[0];
  if (map.interleave != TmaInterleave::None)
    return unsupported("interleaved tensor maps are");
  if (tf32 && !load)
    return unsupported("stores and reductions of tf32 are");
  if (padded && !load)
    return unsupported("stores of padded packed types are");
  if (im2col && inner * type.bits % 128 != 0)
    return unsupported("im2col channels that are no multiple of 16 bytes are");

  TmaTransfer transfer;
  transfer.how = copy.direction;
  transfer.mode = map.mode;
  transfer.fourRows = copy.fourRows;
  transfer.rank = map.rank;
  transfer.base = map.address;
  transfer.shared = copy.shared;
  // The unit of dimension 0: an element, a byte of b4x16, a slot of 16 values.
  int64_t values = padded ? 16 : type.bits < 8 ? 2 : 1;
  transfer.element = values * type.bits / 8;
  transfer.slot = padded ? 16 : 0;
  for (int d = 0; d < map.rank; ++d) {
    int64_t unit = d == 0 ? values : 1;
    // Entry 0 of the element strides is ignored (facts-tma.md 1.2), and those
    // of C and N are in im2col.
    bool strided = d > 0 && !(im2col && d == map.rank - 1);
    transfer.step[d] = strided ? map.elementStrides[d] : 1;
    transfer.start[d] = copy.coords[d] / unit;
    transfer.dims[d] = static_cast<int64_t>(map.dims[d]) / unit;
    transfer.strides[d] =
        d == 0 ? static_cast<uint64_t>(transfer.element) : map.strides[d - 1];
    transfer.extents[d] =
        d == 0 ? inner / unit
               : (map.box[d] + transfer.step[d] - 1) / transfer.step[d];
    if (d > 0)
      transfer.rowCount *= transfer.extents[d];
  }
  if (im2col) {
    transfer.rowCount = map.im2col.pixels;
    for (int d = 1; d < map.rank - 1; ++d) {
      transfer.low[d] = map.im2col.lower[d - 1];
      transfer.high[d] = transfer.dims[d] - 1 + map.im2col.upper[d - 1];
      transfer.add[d] = load ? copy.im2colOffsets[d - 1] : 0;
    }
  }
  if (copy.fourRows) {
    transfer.rowCount = 4;
    std::copy_n(copy.coords.begin() + 1, 4, transfer.rowsOfFour.begin());
  }
  transfer.swizzle = map.swizzle;
  bool swizzled = map.swizzle->span != 0;
  transfer.pitch = padded     ? transfer.extents[0] * transfer.slot
                   : swizzled ? map.swizzle->span
                              : transfer.rowBytes();
  // The flip exchanges halves of 16 bytes; every other mode keeps 16 together.
  transfer.chunk = !swizzled ? 0 : map.swizzle->mask2 != 0 ? 8 : 16;
  transfer.nan = map.nanFill;
  transfer.tf32 = tf32;
  return transfer;
}

/// Adds the indices of row `index` to the address (modulo 2^64: addresses
/// outside of the tensor are never used); whether the row is inside.
bool TmaTransfer::computeTiledRow(int64_t index, uint64_t &address) const {
  bool inside = true;
  for (int d = 1; d < rank; ++d) {
    int64_t g;
    if (fourRows) {
      g = rowsOfFour[index];
    } else {
      g = start[d] + index % extents[d] * step[d];
      index /= extents[d];
    }
    inside = inside && g >= 0 && g < dims[d];
    address += static_cast<uint64_t>(g) * strides[d];
  }
  return inside;
}

bool TmaTransfer::computeIm2colRow(int64_t index, uint64_t &address) const {
  // `index` is how far dimension d has been stepped; what does not fit between
  // start (later, low) and high steps the next one.
  bool inside = true;
  for (int d = 1; d < rank; ++d) {
    int64_t cursor;
    if (d == rank - 1) { // N runs on.
      cursor = start[d] + index;
    } else {
      int64_t first = (high[d] - start[d]) / step[d] + 1;
      int64_t later = (high[d] - low[d]) / step[d] + 1;
      if (index < first) {
        cursor = start[d] + index * step[d];
        index = 0;
      } else {
        index -= first;
        cursor = low[d] + index % later * step[d];
        index = index / later + 1;
      }
    }
    int64_t g = cursor + add[d];
    inside = inside && g >= 0 && g < dims[d];
    address += static_cast<uint64_t>(g) * strides[d];
  }
  return inside;
}

void TmaTransfer::computeRow(int64_t index, Row &row) const {
  row.shared = shared + index * pitch;
  row.global =
      base + static_cast<uint64_t>(start[0]) * static_cast<uint64_t>(element);
  row.begin = row.end = 0;
  if (!(mode == TmaMode::Im2col ? computeIm2colRow(index, row.global)
                                : computeTiledRow(index, row.global)))
    return;
  // Elements lo .. hi-1 of the row lie inside of dimension 0.
  int64_t lo = std::clamp<int64_t>(-start[0], 0, extents[0]);
  int64_t hi = std::clamp<int64_t>(dims[0] - start[0], 0, extents[0]);
  if (lo >= hi)
    return;
  row.begin = lo * element;
  row.end = hi * element;
  // Stores move whole chunks of 16 bytes (S3, M5); starts are multiples of 16.
  if (how != TmaDirection::Load)
    row.end = std::min((row.end + 15) / 16 * 16, rowBytes());
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
