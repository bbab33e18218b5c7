//===- Tma.cpp - What a tensor copy does, byte for byte -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/Tma.h"

#include <algorithm>
#include <cassert>
#include <cstring>

using namespace titan;

static Problem violated(const TmaViolation &violation) {
  return {std::string(codeInfo(violation.code).code),
          violation.field + ": " + violation.message, violation.fix};
}

Result<TmaTransfer> TmaTransfer::make(const TensorMap &map, const TmaCopy &copy,
                                      const TargetInfo &target) {
  std::vector<TmaViolation> found = validate(map, target);
  if (found.empty())
    found = validateCopy(map, copy, target);
  if (!found.empty())
    return violated(found.front());

  const TmaType &type = *map.type;
  bool load = copy.direction == TmaDirection::Load;
  bool im2col = map.mode != TmaMode::Tiled;
  bool wide = map.mode == TmaMode::Im2colWide;
  bool padded = type.driver >= 14;
  bool interleaved = map.interleave != TmaInterleave::None;

  TmaTransfer transfer;
  transfer.how = copy.direction;
  transfer.mode = map.mode;
  transfer.fourRows = copy.fourRows;
  transfer.base = map.address;
  transfer.shared = copy.shared;
  // The unit of dimension 0: an element, a byte of b4x16, a slot of 16 values,
  // a slice of channels.
  int64_t values = padded ? 16 : type.bits < 8 ? 2 : 1;
  transfer.element = interleaved ? 16 * static_cast<int64_t>(map.interleave)
                                 : values * type.bits / 8;
  transfer.slot = padded ? 16 : 0;
  // The map's dimension d is ours d + shift.
  int shift = interleaved ? 1 : 0;
  transfer.rank = map.rank + shift;
  transfer.strides[0] = static_cast<uint64_t>(transfer.element);
  for (int d = 0; d < map.rank; ++d) {
    int to = d + shift;
    int64_t unit = to == 0 ? values : 1;
    // Entry 0 of the element strides is ignored without interleave.
    transfer.steps[to] = to == 0 ? 1 : map.elementStrides[d];
    transfer.start[to] = copy.coords[d] / unit;
    transfer.dims[to] = static_cast<int64_t>(map.dims[d]) / unit;
    transfer.strides[to] =
        d == 0 ? static_cast<uint64_t>(transfer.element) : map.strides[d - 1];
    int64_t box = im2col ? map.im2col.channels : map.box[d];
    // One slice of channels is moved, whatever the box says.
    if (interleaved && d == map.rank - 2)
      box = 1;
    transfer.extents[to] =
        (box / unit + transfer.steps[to] - 1) / transfer.steps[to];
    if (to > 0)
      transfer.rowCount *= transfer.extents[to];
  }
  if (im2col) {
    transfer.rowCount = map.pixels() + copy.wHalo;
    transfer.still = wide ? 2 : transfer.rank - (interleaved ? 2 : 1);
    for (int k = 0; k < (wide ? 1 : map.rank - 2); ++k) {
      int d = k + 1;
      transfer.low[d] = map.im2col.lower[k];
      transfer.high[d] = transfer.dims[d] - 1 + map.im2col.upper[k];
      // wOffset shifts start and box, so everything that is visited.
      transfer.add[d] = wide ? copy.wOffset : load ? copy.im2colOffsets[k] : 0;
    }
  }
  if (copy.fourRows) {
    transfer.rowCount = 4;
    std::copy_n(copy.coords.begin() + 1, 4, transfer.rowsOfFour.begin());
  }
  transfer.swizzle = map.swizzle;
  bool swizzled = map.swizzle->span != 0;
  transfer.pitch = padded ? transfer.extents[0] * transfer.slot
                   : swizzled && !interleaved ? map.swizzle->span
                                              : transfer.rowBytes();
  // The flip exchanges halves of 16 bytes; every other mode keeps 16 together.
  transfer.chunk = !swizzled ? 0 : map.swizzle->mask2 != 0 ? 8 : 16;
  transfer.nan = map.nanFill;
  transfer.tf32 = load && type.name.substr(0, 4) == "tf32";
  transfer.type = &type;
  for (const TmaReduction &each : tmaReductions())
    if (copy.direction == TmaDirection::Reduce && each.op == copy.reduction)
      transfer.reduction = each.op;
  return transfer;
}

/// Adds the indices of row `index` to the address; whether the row is inside.
bool TmaTransfer::computeTiledRow(int64_t index, uint64_t &address) const {
  bool inside = true;
  for (int d = 1; d < rank; ++d) {
    int64_t g;
    if (fourRows) {
      g = rowsOfFour[index];
    } else {
      g = start[d] + index % extents[d] * steps[d];
      index /= extents[d];
    }
    inside &= step(d, g, address);
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
      cursor = start[d] + index * steps[d];
    } else if (d >= still) {
      cursor = start[d];
    } else {
      int64_t first = (high[d] - start[d]) / steps[d] + 1;
      int64_t later = (high[d] - low[d]) / steps[d] + 1;
      if (index < first) {
        cursor = start[d] + index * steps[d];
        index = 0;
      } else {
        index -= first;
        cursor = low[d] + index % later * steps[d];
        index = index / later + 1;
      }
    }
    inside &= step(d, cursor + add[d], address);
  }
  return inside;
}

void TmaTransfer::computeRow(int64_t index, Row &row) const {
  row.shared = shared + index * pitch;
  row.global =
      base + static_cast<uint64_t>(start[0]) * static_cast<uint64_t>(element);
  row.begin = row.end = 0;
  if (!(mode == TmaMode::Tiled ? computeTiledRow(index, row.global)
                               : computeIm2colRow(index, row.global)))
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

std::array<uint8_t, 12> titan::packSixBits(std::span<const uint8_t, 16> slot) {
  std::array<uint8_t, 12> packed{};
  for (size_t four = 0; four < 4; ++four) { // Four values are three bytes.
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; ++i)
      bits |= uint32_t(slot[4 * four + i] & 63) << (6 * i);
    for (size_t i = 0; i < 3; ++i)
      packed[3 * four + i] = static_cast<uint8_t>(bits >> (8 * i));
  }
  return packed;
}

void TmaTransfer::move(const TmaRun &run, std::span<const uint8_t> source,
                       std::span<uint8_t> destination) const {
  if (run.fill) {
    for (size_t i = 0; i < destination.size(); ++i)
      destination[i] = static_cast<uint8_t>(
          (run.shared + static_cast<int64_t>(i)) & 1 ? fillPattern() >> 8
                                                     : fillPattern());
    return;
  }
  if (packs()) {
    assert(source.size() == 16 && destination.size() == 12);
    auto packed = packSixBits(source.first<16>());
    std::copy(packed.begin(), packed.end(), destination.begin());
    return;
  }
  assert(source.size() == destination.size());
  if (how != TmaDirection::Reduce)
    std::memmove(destination.data(), source.data(), source.size());
  for (size_t i = 0; rounds() && i + 4 <= destination.size(); i += 4) {
    uint32_t bits;
    std::memcpy(&bits, &destination[i], 4);
    bits = roundToTf32(bits);
    std::memcpy(&destination[i], &bits, 4);
  }
  if (how == TmaDirection::Reduce) // make() refused what has no reduction.
    reduceElements(reduction, *type, source, destination);
}

std::optional<Problem> titan::apply(const TmaTransfer &transfer,
                                    TmaMemory shared, TmaMemory global) {
  auto part = [](const TmaMemory &memory, uint64_t address, int64_t bytes) {
    uint64_t at = address - memory.base, count = static_cast<uint64_t>(bytes);
    bool inside = at <= memory.bytes.size() && // Modulo 2^64.
                  count <= memory.bytes.size() - at;
    return inside ? memory.bytes.subspan(at, count) : std::span<uint8_t>();
  };
  std::optional<Problem> problem;
  auto check = [&](const char *what, const TmaMemory &memory, uint64_t address,
                   int64_t bytes) {
    if (!problem && part(memory, address, bytes).empty())
      problem =
          Problem{"out-of-bounds",
                  std::to_string(bytes) + " bytes at " + what + " address " +
                      std::to_string(address) + " are not among the " +
                      std::to_string(memory.bytes.size()) + " from " +
                      std::to_string(memory.base) + " on"};
  };
  transfer.forEachRun([&](const TmaRun &run) {
    check("shared", shared, static_cast<uint64_t>(run.shared), run.sharedBytes);
    if (!run.fill)
      check("global", global, run.global, run.bytes);
  });
  if (problem)
    return problem;
  transfer.forEachRun([&](const TmaRun &run) {
    auto near =
        part(shared, static_cast<uint64_t>(run.shared), run.sharedBytes);
    auto far =
        run.fill ? std::span<uint8_t>() : part(global, run.global, run.bytes);
    bool load = transfer.direction() == TmaDirection::Load;
    transfer.move(run, load ? far : near, load ? near : far);
  });
  return std::nullopt;
}

ByteSet TmaTransfer::sharedBytes() const {
  std::vector<ByteSet::Interval> parts;
  forEachRun([&](const TmaRun &run) {
    parts.push_back({run.shared, run.shared + run.sharedBytes});
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
