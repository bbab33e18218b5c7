//===- SharedImage.h - Tiles in shared memory -------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where does element (r, c) of a tile lie in shared memory? Three steps.
//
// 1. Panels. A swizzled TMA box is at most one span (32, 64 or 128 bytes) wide,
//    so a wider tile is stored as panels one after another. A 64 x 128 tile of
//    bf16 under the 128-byte swizzle has two panels of 64 columns, 8192 bytes
//    each:
//
//        c:       0 ..  63          64 .. 127
//        r = 0    bytes    0 .. 127   8192 .. 8319
//        r = 1    bytes  128 .. 255   8320 .. 8447
//
// 2. Row pitch: the bytes from one row of a panel to the next. Under a swizzle
//    it is the span even where the tile is narrower (measured: facts M2); the
//    gap is never written.
//
// 3. Swizzle: address bits 4.. are xored with the bits three above them. Under
//    the 128-byte swizzle the 16-byte chunks of eight rows, as columns 0..7:
//
//        row 0:  0 1 2 3 4 5 6 7        row 4:  4 5 6 7 0 1 2 3
//        row 1:  1 0 3 2 5 4 7 6        row 5:  5 4 7 6 1 0 3 2
//        row 2:  2 3 0 1 6 7 4 5        row 6:  6 7 4 5 2 3 0 1
//        row 3:  3 2 1 0 7 6 5 4        row 7:  7 6 5 4 3 2 1 0
//
//    so that a column of chunks touches all banks. The xor is on the absolute
//    shared address, not on the offset in the tile: a tile whose base is no
//    multiple of the period (256, 512, 1024 bytes) shows the pattern shifted.
//    (PTX ISA, "Swizzling modes"; docs/tma-facts.md 2.2 and M3.)
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_SHAREDIMAGE_H
#define TITAN_LAYOUT_SHAREDIMAGE_H

#include "titan/Layout/ByteSet.h"
#include "titan/Layout/Layout.h"

namespace titan {

/// The swizzle of a shared image; the numbers are those of the tensor map.
enum class Swizzle : uint8_t { None = 0, Span32 = 1, Span64 = 2, Span128 = 3 };

/// Bytes of a row that are permuted among themselves: 32, 64, 128; 16 for None
/// (the unit that every mode leaves whole).
int64_t swizzleSpan(Swizzle swizzle);
/// Bytes after which the pattern repeats, the alignment of a base that starts
/// it at its beginning: 256, 512, 1024; 16 for None.
int64_t swizzlePeriod(Swizzle swizzle);
/// The function on absolute shared byte addresses: CuTe's Swizzle<1..3,4,3>.
BitLinear swizzleBits(Swizzle swizzle);

/// How a tile of rows x columns lies in shared memory.
class SharedImage {
public:
  SharedImage() = default;

  /// A tile of `rows` x `columns` elements of `elementBytes` bytes. Under a
  /// swizzle it has panels of one span; without, a single panel. Problems:
  ///   layout-invalid an extent below 1
  ///   layout-panel   a tile wider than the span and no multiple of it
  static Result<SharedImage> make(int64_t rows, int64_t columns,
                                  int64_t elementBytes, Swizzle swizzle);

  /// The same with the bytes of a panel and its row pitch given. Problems:
  ///   layout-panel  panels that do not divide a row of several panels, are no
  ///                 whole elements, or are wider than the pitch; under a
  ///                 swizzle, panels wider than the span or another pitch
  static Result<SharedImage> withPanels(int64_t rows, int64_t columns,
                                        int64_t elementBytes, Swizzle swizzle,
                                        int64_t panelBytes, int64_t pitchBytes);

  int64_t rows() const { return rowCount; }
  int64_t columns() const { return columnCount; }
  int64_t elementBytes() const { return element; }
  Swizzle swizzle() const { return mode; }
  /// Bytes of tile data in one row of a panel.
  int64_t panelBytes() const { return panel; }
  /// Bytes from one row of a panel to the next.
  int64_t pitchBytes() const { return pitch; }
  int64_t panels() const;
  /// Bytes from the base to the end of the last row, gaps included.
  int64_t sizeBytes() const { return panels() * rowCount * pitch; }

  /// The absolute shared address of the first byte of element (r, c) of a tile
  /// based at `base`. Bytes within one 16-byte chunk stay together.
  int64_t address(int64_t base, int64_t r, int64_t c) const;
  /// The element that holds the byte at an absolute address, as (r, c); none
  /// for gaps and for bytes outside of the tile.
  std::optional<Coord> elementAt(int64_t base, int64_t address) const;

  /// The layout (r, c) -> absolute byte address of the element's first byte.
  /// Problem layout-invalid where `base` is negative.
  Result<Layout> layout(int64_t base = 0) const;

  /// The bytes of the tile, without gaps.
  ByteSet bytes(int64_t base) const;

  bool operator==(const SharedImage &) const = default;

private:
  int64_t rowCount = 1, columnCount = 1, element = 1;
  int64_t panel = 1, pitch = 1;
  Swizzle mode = Swizzle::None;
};

/// The bytes of the image at `base` that the given warp touches when each of
/// its lanes moves all its registers of `tile` (elements at or past the
/// image's rows and columns are left out). `tile` has rank 2; `rowOffset` and
/// `columnOffset` place it in the image, in elements.
ByteSet bytesOfWarp(const Layout &tile, int64_t warp, const SharedImage &image,
                    int64_t base, int64_t rowOffset = 0,
                    int64_t columnOffset = 0);
/// The same for one lane, and for the registers [firstRegister, lastRegister).
ByteSet bytesOfLane(const Layout &tile, int64_t warp, int64_t lane,
                    int64_t firstRegister, int64_t lastRegister,
                    const SharedImage &image, int64_t base,
                    int64_t rowOffset = 0, int64_t columnOffset = 0);

} // namespace titan

#endif // TITAN_LAYOUT_SHAREDIMAGE_H
