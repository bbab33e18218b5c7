//===- SharedImage.cpp - Tiles in shared memory ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/SharedImage.h"

#include <algorithm>

using namespace titan;

int64_t titan::swizzleSpan(Swizzle swizzle) {
  return int64_t(16) << static_cast<int>(swizzle);
}

int64_t titan::swizzlePeriod(Swizzle swizzle) {
  return swizzle == Swizzle::None ? 16 : 8 * swizzleSpan(swizzle);
}

BitLinear titan::swizzleBits(Swizzle swizzle) {
  return BitLinear::swizzle(static_cast<int>(swizzle), 4, 3);
}

/// The xor by arithmetic: what swizzleBits says, without a loop.
static int64_t applySwizzle(Swizzle swizzle, int64_t address) {
  int64_t mask = ((int64_t(1) << static_cast<int>(swizzle)) - 1) << 4;
  return address ^ ((address >> 3) & mask);
}

Result<SharedImage> SharedImage::make(int64_t rows, int64_t columns,
                                      int64_t elementBytes, Swizzle swizzle) {
  int64_t row = columns * elementBytes;
  if (swizzle == Swizzle::None)
    return withPanels(rows, columns, elementBytes, swizzle, row, row);
  int64_t span = swizzleSpan(swizzle);
  return withPanels(rows, columns, elementBytes, swizzle, std::min(row, span),
                    span);
}

Result<SharedImage> SharedImage::withPanels(int64_t rows, int64_t columns,
                                            int64_t elementBytes,
                                            Swizzle swizzle, int64_t panelBytes,
                                            int64_t pitchBytes) {
  constexpr int64_t limit = int64_t(1) << 20;
  if (rows < 1 || columns < 1 || elementBytes < 1 || rows > limit ||
      columns > limit || elementBytes > 16 ||
      (elementBytes & (elementBytes - 1)) != 0)
    return Problem{
        "layout-invalid",
        "a shared tile of " + std::to_string(rows) + " x " +
            std::to_string(columns) + " elements of " +
            std::to_string(elementBytes) +
            " bytes: extents are 1 .. 2^20, elements 1, 2, 4, 8 or 16 "
            "bytes"};
  int64_t row = columns * elementBytes;
  auto fail = [&](const std::string &why) {
    return Problem{"layout-panel", "a shared tile with rows of " +
                                       std::to_string(row) + " bytes " + why};
  };
  if (panelBytes < 1 || panelBytes % elementBytes != 0 || row % panelBytes != 0)
    return fail("is no whole number of panels of " +
                std::to_string(panelBytes) + " bytes");
  if (pitchBytes < panelBytes || pitchBytes > 16 * limit ||
      pitchBytes % elementBytes != 0)
    return fail("has a row pitch of " + std::to_string(pitchBytes) +
                " bytes, but panels of " + std::to_string(panelBytes));
  if (swizzle != Swizzle::None && pitchBytes != swizzleSpan(swizzle))
    return fail("has a row pitch of " + std::to_string(pitchBytes) +
                " bytes under the swizzle of span " +
                std::to_string(swizzleSpan(swizzle)) +
                "; there the pitch is the span");
  SharedImage image;
  image.rowCount = rows;
  image.columnCount = columns;
  image.element = elementBytes;
  image.panel = panelBytes;
  image.pitch = pitchBytes;
  image.mode = swizzle;
  return image;
}

int64_t SharedImage::panels() const { return columnCount * element / panel; }

int64_t SharedImage::address(int64_t base, int64_t r, int64_t c) const {
  // Rows have at most 2^24 bytes, so 32 bits divide them, several times faster.
  uint32_t byte = static_cast<uint32_t>(c * element);
  uint32_t width = static_cast<uint32_t>(panel);
  int64_t offset = byte / width * (rowCount * pitch) + r * pitch + byte % width;
  return applySwizzle(mode, base + offset);
}

std::optional<Coord> SharedImage::elementAt(int64_t base,
                                            int64_t address) const {
  // The xor is its own inverse: it changes no bit that it reads.
  int64_t offset = applySwizzle(mode, address) - base;
  if (offset < 0 || offset >= sizeBytes() || offset % pitch >= panel)
    return std::nullopt;
  int64_t row = offset / pitch;
  return Coord{row % rowCount,
               (row / rowCount * panel + offset % pitch) / element};
}

Result<Layout> SharedImage::layout(int64_t base) const {
  // Elements wider than the 16-byte chunk do not exist, so the first byte says
  // where all of them are.
  std::vector<Axis> axes = {
      {"r", {{rowCount, 0, pitch}}},
      {"c", {{panel / element, 0, element}, {panels(), 0, rowCount * pitch}}}};
  // Whole rows of spans, so that the xor does not lead out.
  int64_t unit = mode == Swizzle::None ? 1 : swizzleSpan(mode);
  int64_t end = (base + sizeBytes() + unit - 1) / unit * unit;
  return Layout::make(std::move(axes), {{"b", end}}, {base}, swizzleBits(mode));
}

ByteSet SharedImage::bytes(int64_t base) const {
  std::vector<ByteSet::Interval> parts;
  for (int64_t p = 0; p < panels(); ++p)
    for (int64_t r = 0; r < rowCount; ++r) {
      // Chunks of 16 bytes move as a whole.
      int64_t row = base + (p * rowCount + r) * pitch;
      for (int64_t b = row; b < row + panel;) {
        int64_t next = std::min(row + panel, (b | 15) + 1);
        int64_t at = applySwizzle(mode, b);
        parts.push_back({at, at + next - b});
        b = next;
      }
    }
  return ByteSet::of(std::move(parts));
}

static void collect(const Layout &tile, int64_t warp, int64_t lane,
                    int64_t first, int64_t last, const SharedImage &image,
                    int64_t base, int64_t rowOffset, int64_t columnOffset,
                    std::vector<ByteSet::Interval> &parts) {
  for (int64_t reg = first; reg < last; ++reg) {
    Coord at = tile.coords(reg, lane, warp);
    int64_t r = at[0] + rowOffset, c = at[1] + columnOffset;
    if (r < 0 || c < 0 || r >= image.rows() || c >= image.columns())
      continue;
    int64_t byte = image.address(base, r, c);
    if (!parts.empty() && parts.back().end == byte)
      parts.back().end += image.elementBytes();
    else
      parts.push_back({byte, byte + image.elementBytes()});
  }
}

ByteSet titan::bytesOfWarp(const Layout &tile, int64_t warp,
                           const SharedImage &image, int64_t base,
                           int64_t rowOffset, int64_t columnOffset) {
  std::vector<ByteSet::Interval> parts;
  for (int64_t lane = 0; lane < tile.lanes(); ++lane)
    collect(tile, warp, lane, 0, tile.registers(), image, base, rowOffset,
            columnOffset, parts);
  return ByteSet::of(std::move(parts));
}

ByteSet titan::bytesOfLane(const Layout &tile, int64_t warp, int64_t lane,
                           int64_t firstRegister, int64_t lastRegister,
                           const SharedImage &image, int64_t base,
                           int64_t rowOffset, int64_t columnOffset) {
  std::vector<ByteSet::Interval> parts;
  collect(tile, warp, lane, firstRegister, lastRegister, image, base, rowOffset,
          columnOffset, parts);
  return ByteSet::of(std::move(parts));
}
