//===- Tma.h - What a tensor copy does, byte for byte -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk.tensor as a function. A load of a 4 x 2 box of f32 at
// coordinates (2, 0) from a tensor of 5 x 2 elements:
//
//     tensor     c0  c1  c2  c3  c4                image in shared memory
//       r0       00  01 [02  03  04  ..]           02 03 04 zz
//       r1       10  11 [12  13  14  ..]           12 13 14 zz
//
// The box reaches one column past the tensor: those elements are *filled* (zz:
// zeros, or NaN where the map asks for it), each by itself, and they count as
// transferred bytes: the barrier always sees the whole box. A store of the same
// box leaves the elements outside of the tensor alone, with one exception: the
// innermost dimension moves in chunks of 16 bytes, and the chunk with the last
// element is written whole, so that `zz` would land behind the row's end.
//
// The function, for element (i0, ..., i4) of the box after element strides es:
//
//     n[d]     = ceil(box[d] / es[d]),  es[0] = 1          elements moved   L1
//     g[d]     = x[d] + i[d]*es[d]                         which one        L2
//     inside   : 0 <= g[d] < dim[d] for all d              else filled      L3
//     global   = base + g[0]*element + sum g[d]*stride[d]                   L2
//     row      = i1 + n1*(i2 + n2*(i3 + n3*i4))                             L5
//     pitch    = n[0]*element without swizzle, else the span                L6
//     shared   = swizzle(S + row*pitch + i0*element)       absolute address L7
//     bytes    = n0*n1*n2*n3*n4*element                    transaction      T1
//
// im2col: the rows are pixels, found by a cursor that starts at the coordinates
// and walks through a bounding box, W first, in steps of es; past the last
// image it goes on (N in steps of es, too), and those rows are filled.
//
// im2col::w (sm_100): the cursor walks along W alone; H and D stand still, and
// past the box it comes to the next image. It may start left of the box. After
// the map's pixels come wHalo more, where the cursor then is; wOffset shifts
// box and start. Images of 4 pixels, box -1 .. 3 (| is where it wraps):
//
//     start  pixels  wHalo  wOffset    W, image by image               C9, C11
//       2       4      0       0        2  3 | -1  0
//      -2       4      2       0       -2 -1   0   1 [2  3]
//       2       4      0       1        3  4 |  0  1     (4: filled)
//
// Packed types: 16 values are a unit, in shared memory a slot of 16 bytes.  2.4
//
//     type        in global memory   in the slot
//     b4x16       8 bytes            no slots: the same 8 bytes
//     b4x16_p64   8 bytes            the same, and 8 that no load writes
//     b6x16_p32   12 bytes           loads: the same, and 4 that no load writes
//                                    stores: a value a byte, its low 6 bits
//
// Interleaved tensors: dimension 0 is W, in slices of 16 or 32 bytes of
// channels, and has an element stride; dimension rank-2 counts slices, of which
// a copy moves one, whatever the box says. Slices follow one another in shared
// memory without a gap, swizzled or not. So each slice is a row of one element
// of 16 or 32 bytes behind which the map's dimensions follow.
//
// (Ln, Tn, Sn, Cn: docs/tma-facts.md. docs/hardware-tma.md says what was measured,
// with what: on an H200 all of this but what begins with sm_100.)
//
// A TmaTransfer gives this function as *runs*: pieces that are contiguous on
// both sides. Without swizzle a run is the part of a row inside the tensor,
// with it a chunk of at most 16 bytes. `apply` executes all of them:
//
//   auto transfer = TmaTransfer::make(map, copy, target);
//   apply(*transfer, {shared, 0}, {tensor, map.address});
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DOMAIN_TMA_H
#define TITAN_DOMAIN_TMA_H

#include "titan/Domain/TensorMap.h"
#include "titan/Layout/ByteSet.h"
#include "titan/Layout/Result.h"

#include <algorithm>
#include <optional>
#include <span>

namespace titan {

/// A piece of a transfer.
struct TmaRun {
  int64_t shared;  ///< Absolute shared address.
  uint64_t global; ///< Global address; unused by fill runs.
  int64_t bytes;   ///< Length in global memory, at least 1.
  bool fill;       ///< Loads only: these bytes get the fill pattern.
  /// Length in shared memory: `bytes`, but 16 where a store packs them into 12
  /// (TmaTransfer::packs).
  int64_t sharedBytes;
};

class TmaTransfer {
public:
  /// The transfer that `copy` makes with `map`. The problem is the first
  /// violation of validate or validateCopy.
  static Result<TmaTransfer> make(const TensorMap &map, const TmaCopy &copy,
                                  const TargetInfo &target);

  /// Rows of the image: tiled, the product of ceil(box / element stride) over
  /// the dimensions but the first; im2col, pixels; gather4, 4; interleaved,
  /// slices.
  int64_t rows() const { return rowCount; }
  /// Bytes of a row in global memory, and from one row to the next in shared
  /// memory.
  int64_t rowBytes() const { return extents[0] * element; }
  int64_t pitchBytes() const { return pitch; }
  /// Bytes to allocate for the image: rows() * pitchBytes().
  int64_t imageBytes() const { return rowCount * pitch; }
  /// What complete_tx adds at the barrier of a load, in each destination CTA
  /// of a multicast (T2): the whole box, inside the tensor or not.
  int64_t transactionBytes() const { return rowCount * rowBytes(); }
  TmaDirection direction() const { return how; }

  /// What a run does: `source` and `destination` are its bytes, `bytes` in
  /// global and `sharedBytes` in shared memory. Fills (no source), rounds,
  /// packs or reduces into what the destination holds. Both may be the same
  /// bytes where nothing is packed or reduced.
  void move(const TmaRun &run, std::span<const uint8_t> source,
            std::span<uint8_t> destination) const;

  /// Calls visit(const TmaRun &) for every run: loads, each byte of the image
  /// except pitch gaps exactly once; stores and reductions, each global byte
  /// that is written (source: shared). Rows in order, bytes of a row in order.
  template <typename Visit> void forEachRun(Visit &&visit) const {
    Row row;
    for (int64_t r = 0; r < rowCount; ++r) {
      computeRow(r, row);
      if (how == TmaDirection::Load)
        emit(row, 0, row.begin, true, visit);
      emit(row, row.begin, row.end, false, visit);
      if (how == TmaDirection::Load)
        emit(row, row.end, rowBytes(), true, visit);
    }
  }

  /// The 16-bit pattern that fills elements, low byte at even addresses:
  /// 0, or 0x7FF7 for NaN (L8).
  uint16_t fillPattern() const { return nan ? 0x7FF7 : 0; }
  /// Whether the copy changes the values it moves (loads of tf32 round, L9;
  /// stores and reductions do not): apply roundToTf32 to each 32-bit word of a
  /// run.
  bool rounds() const { return tf32; }
  /// Whether the copy packs values: stores of b6x16_p32 (.b6p2x16). Each run is
  /// 16 shared bytes that become 12 global ones, by packSixBits.
  bool packs() const { return how == TmaDirection::Store && slot > element; }

  /// The shared bytes that are written (loads) or read; gaps left out.
  ByteSet sharedBytes() const;
  /// The global bytes that are read (loads: the elements inside) or written
  /// (stores: whole chunks).
  ByteSet globalBytes() const;

private:
  struct Row {
    int64_t shared;     // Unswizzled address of its first byte.
    uint64_t global;    // Address of its first byte, inside the tensor or not.
    int64_t begin, end; // Its bytes that have a global side.
  };
  void computeRow(int64_t index, Row &row) const;
  /// Whether index g of dimension d is inside; adds it to the address (modulo
  /// 2^64: addresses outside of the tensor are never used).
  bool step(int d, int64_t g, uint64_t &address) const {
    address += static_cast<uint64_t>(g) * strides[d];
    return g >= 0 && g < dims[d];
  }
  bool computeTiledRow(int64_t index, uint64_t &address) const;
  bool computeIm2colRow(int64_t index, uint64_t &address) const;

  /// The bytes begin .. end-1 of a row, cut where the image is.
  template <typename Visit>
  void emit(const Row &row, int64_t begin, int64_t end, bool fill,
            Visit &&visit) const {
    while (begin < end) {
      int64_t length = end - begin, at = row.shared + begin;
      if (slot != 0) {
        at = row.shared + begin / element * slot + begin % element;
        length = std::min(length, element - begin % element);
      }
      if (chunk != 0)
        length = std::min(length, chunk - at % chunk);
      visit(TmaRun{swizzle->apply(static_cast<uint32_t>(at)),
                   row.global + static_cast<uint64_t>(begin), length, fill,
                   packs() ? slot : length});
      begin += length;
    }
  }

  static constexpr int maxRank = TensorMap::maxRank + 1;
  TmaDirection how = TmaDirection::Load;
  TmaMode mode = TmaMode::Tiled;
  bool fourRows = false;
  // By dimension. Dimension 0 counts in units of `element` bytes. Interleaved
  // tensors have one dimension more: dimension 0 is the one slice of channels,
  // and the map's dimensions follow.
  std::array<int64_t, maxRank> extents{1, 1, 1, 1, 1, 1};
  std::array<int64_t, maxRank> start{};
  std::array<int64_t, maxRank> steps{1, 1, 1, 1, 1, 1};
  std::array<int64_t, maxRank> dims{1, 1, 1, 1, 1, 1};
  std::array<uint64_t, maxRank> strides{};
  std::array<int64_t, 4> rowsOfFour{};
  // im2col: the bounding box, inclusive, and what is added to the cursor.
  std::array<int64_t, maxRank> low{}, high{}, add{};
  /// im2col: dimensions still .. rank - 2 stand still: channel slices, H and D
  /// of im2col::w.
  int still = 0;
  int rank = 1;
  uint64_t base = 0;
  int64_t shared = 0, element = 1, rowCount = 1, pitch = 1;
  /// Bytes that stay together under the swizzle; 0: all.
  int64_t chunk = 0;
  /// Bytes from one element to the next in shared memory; 0: `element`.
  int64_t slot = 0;
  const TmaSwizzle *swizzle = nullptr;
  bool nan = false, tf32 = false;
  /// Reductions: the operation and the elements that it is on.
  std::string_view reduction;
  const TmaType *type = nullptr;
};

/// Memory that a transfer works on: `bytes` begin at the address `base`.
struct TmaMemory {
  std::span<uint8_t> bytes;
  uint64_t base = 0;
};

/// Executes a transfer. Nothing is moved, and the problem (out-of-bounds) says
/// which run, where one leaves what memory there is.
std::optional<Problem> apply(const TmaTransfer &transfer, TmaMemory shared,
                             TmaMemory global);

/// A 32-bit float as maps of tf32 and tf32.ftz load it: rounded to 10 bits of
/// mantissa, nearest even; overflow is infinity, subnormals are kept, every NaN
/// is 0x7FFFE000 (measured, docs/hardware-tma.md).
uint32_t roundToTf32(uint32_t bits);

/// What a store of b6x16_p32 (.b6p2x16) makes of a slot: the low 6 bits of byte
/// i become bits 6i .. 6i + 5 of the 12 bytes, bit 0 of byte 0 first (PTX ISA
/// 5.5.1.1.1; the order of bits is not measured).
std::array<uint8_t, 12> packSixBits(std::span<const uint8_t, 16> slot);

/// The arithmetic of a reduction on one element: old is what is in global
/// memory, source what comes from shared memory. Both are the element's bits,
/// little-endian in the low type->bits bits. None where operation and type do
/// not go together. All of it measured (docs/hardware-tma.md):
/// - add on floats is one rounding to nearest even. f32 keeps subnormals,
///   f32.ftz flushes inputs and result to zero with their sign. tf32 is f32,
///   tf32.ftz is f32.ftz: nothing is rounded to tf32. NaN is 0x7FFF,
///   0x7FFFFFFF; f64 hands the source's NaN on, else the old one, and
///   inf - inf is 0xFFF8000000000000.
/// - min and max on f16 and bf16 give the number when one side is NaN, and
///   0x7FFF when both are; -0 is less than +0.
std::optional<uint64_t> reduceElement(std::string_view op, const TmaType &type,
                                      uint64_t old, uint64_t source);

/// The same of all elements of two runs of equal length, into `destination`;
/// operation and type go together (hasTmaReduction).
void reduceElements(std::string_view op, const TmaType &type,
                    std::span<const uint8_t> source,
                    std::span<uint8_t> destination);

} // namespace titan

#endif // TITAN_DOMAIN_TMA_H
