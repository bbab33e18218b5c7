//===- TensorMap.h - The fields of a tensor map -----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map tells TMA how a tensor lies in global memory and which box of it
// one copy moves. A matrix of 100 rows and 200 columns of bf16, copied in boxes
// of 64 x 64:
//
//     rank 2      type bf16       (dimension 0 is innermost: the columns)
//     dims        {200, 100}      elements
//     strides     {    400}       bytes from row to row; dimension 0 has none,
//                                 its elements are adjacent
//     box         { 64,  64}      elements, before element strides
//     elementStrides {1,  1}      of N box elements, ceil(N / stride) are moved
//     swizzle     128B            of the shared image
//
// The rules for these fields are the encoder's (cuTensorMapEncodeTiled); what
// the encoder cannot see, coordinates and shared addresses, are rules of the
// instruction. validate() and validateCopy() hold both, with the codes of
// Codes/Tma.def, whose rows have rule, source and fix; the numbers are in
// Limits.def and Target/Tma.h:
//
// (Hn: group n of docs/hardware-tma.md.)
//
//   code                  what                                     tma-facts.md
//   tma-rank              1 .. 5; interleaved 3 .. 5                1.2
//   tma-base-alignment    16, or 32, bytes                          1.2
//   tma-dim-range         1 .. 2^31 (the encoder: 2^32)             1.2, H4
//   tma-dim-packed        whole groups of packed values             1.2
//   tma-stride-alignment  16, or 32, bytes                          1.2
//   tma-stride-range      below 2^40; 0 and overlaps are legal      1.2, M7
//   tma-box-range         1 .. 256; the whole box                   1.2, H4
//   tma-box-bytes         inner box, channels: multiple of 16 bytes 1.2, H4
//   tma-box-packed        inner box of padded packed types: 128     1.2
//   tma-box-swizzle       inner box at most the span (less is legal) 1.2, M2
//   tma-element-stride    1 .. 8, every entry; im2col::w: W's alone 1.2, M7, C9
//   tma-interleave        rank, swizzle, type, mode it goes with    1.2, I4
//   tma-type-swizzle      type, swizzle and direction together      1.2, R4, W3
//   tma-swizzle-target    atoms and packed types from sm_100 on     1.2, M7
//   tma-fill-type         NaN only for floating point               1.2, M7
//   tma-l2-promotion      0, 64, 128, 256                           1.1
//   tma-im2col            corners, offsets, the start in the box    1.2, C2, C4
//                         im2col::w: swizzle, halo, loads only      R4, C9, C11
//   tma-gather            rank 2, a box of one row                  C12
//   wrong-target          tensor maps; im2col::w, gather4 on sm_90; 4, R6
//                         halves of b6x16_p32, which sm_103a stores
//   not-supported-yet     the halo of im2col::w::128: no source     C10
//                         says in which order its rows stand
//   tma-coordinate-alignment  coordinate 0: multiple of 16 bytes    R1
//   tma-coordinate-packed     coordinate 0: multiple of 128 values  R2
//   tma-coordinate-count  one for each dimension                    N1
//   tma-shared-alignment  128 bytes                                 N3
//   tma-store-negative    stores start inside                       R3
//   tma-reduce-type       operation and element type                S6, H6
//   barrier-range         bytes of one copy a barrier can count     T4
//
// Of docs/tma-facts.md 1.2, 1.3, 2 and 3 these have no row above. Of the map object
// (its own alignment: tma-map-alignment), the launch: the memory behind a map.
// Legal: a null address, strides that overlap, a box larger than the tensor, 16
// bytes under a swizzle (R7). Of targets that TITAN does not have: swizzle 96B
// (sm_103a, R4), sm_120a (R5). The rest is what Tma.h computes, or rules of
// instructions in the IR (S8, S9, T2, T3).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DOMAIN_TENSORMAP_H
#define TITAN_DOMAIN_TENSORMAP_H

#include "titan/Layout/Result.h"
#include "titan/Target/Tma.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace titan {

/// How channels are interleaved with pixels (CUtensorMapInterleave).
enum class TmaInterleave : uint8_t { None = 0, B16 = 1, B32 = 2 };

/// Which encoder made the map.
enum class TmaMode : uint8_t { Tiled, Im2col, Im2colWide };

/// Which instruction a map of Im2colWide is for (CUtensorMapIm2ColWideMode):
/// im2col::w, or im2col::w::128, which always moves 128 pixels.
enum class TmaWide : uint8_t { W = 0, W128 = 1 };

/// What im2col maps have in place of a box. Dimensions are C, W, (H, (D,)) N,
/// or, interleaved, W, (H, (D,)) slices of C, N; corners are those of W, then
/// H, D. Im2colWide has corners of W only: its box is one pixel high and deep
/// and stands where the coordinates say.
struct TmaIm2col {
  /// The bounding box of dimension d is [lower, dim - 1 + upper], in pixels.
  std::array<int32_t, 3> lower{}, upper{};
  uint32_t channels = 1; ///< Channels of each pixel that are moved.
  /// Pixels that are moved, whatever the box is; W128 ignores it.
  uint32_t pixels = 1;
  TmaWide wide = TmaWide::W; ///< Im2colWide only.

  bool operator==(const TmaIm2col &) const = default;
};

/// The fields of a tensor map. Entries at and past `rank` mean nothing.
struct TensorMap {
  static constexpr int maxRank = 5;

  TmaMode mode = TmaMode::Tiled;
  int rank = 1;
  /// Element type and swizzle: rows of Target/Tma.h, never null.
  const TmaType *type = &tmaTypes()[0];
  const TmaSwizzle *swizzle = &tmaSwizzles()[0];
  /// Global address of element (0, ..., 0).
  uint64_t address = 0;
  /// Elements along each dimension, innermost first.
  std::array<uint64_t, maxRank> dims{1, 1, 1, 1, 1};
  /// strides[d - 1]: bytes from one index of dimension d to the next, d >= 1.
  std::array<uint64_t, maxRank - 1> strides{};
  /// Elements along each dimension, before element strides; unused by im2col.
  std::array<uint32_t, maxRank> box{1, 1, 1, 1, 1};
  /// Entry 0 is ignored without interleave.
  std::array<uint32_t, maxRank> elementStrides{1, 1, 1, 1, 1};
  TmaIm2col im2col;
  TmaInterleave interleave = TmaInterleave::None;
  /// Elements outside of the tensor: NaN, else zero.
  bool nanFill = false;
  /// L2 promotion: 0, 64, 128 or 256 bytes. A hint without effect on values.
  int l2Promotion = 0;

  bool operator==(const TensorMap &) const = default;

  /// im2col: pixels that each copy moves, without a halo.
  int64_t pixels() const {
    bool fixed = mode == TmaMode::Im2colWide && im2col.wide == TmaWide::W128;
    return fixed ? 128 : im2col.pixels;
  }
};

enum class TmaDirection : uint8_t { Load, Store, Reduce };

/// One execution of cp.async.bulk.tensor (or cp.reduce.async.bulk.tensor).
struct TmaCopy {
  TmaDirection direction = TmaDirection::Load;
  /// The box's first element, dimension 0 first; elements. The operands are
  /// s32, so anything else does not exist. gather4 and scatter4: the column,
  /// then four rows.
  std::vector<int64_t> coords;
  /// Shared address of the image, in bytes from the start of the window.
  int64_t shared = 0;
  /// The operation of a reduction: "add", "min", ... (tmaReductions()).
  std::string reduction = {};
  /// im2col loads: added to every visited pixel's W, H, D; u16 operands.
  std::vector<int64_t> im2colOffsets = {};
  /// tile::gather4 (loads), tile::scatter4 (stores and reductions).
  bool fourRows = false;
  /// Im2colWide: pixels after the map's (W128: after every 32 of them), 0 ..
  /// 511 (31); what is added to W's corners and coordinate, 0 .. 31.
  int64_t wHalo = 0, wOffset = 0;
};

/// What is not known yet, in a compiler: rules about it are left to the launch
/// check, which calls the same function with everything known. Bit d is
/// dimension d.
struct TmaUnknown {
  bool address = false;
  uint8_t dims = 0;
  uint8_t strides = 0; ///< Bit d is strides[d - 1].
  uint8_t coords = 0;
  bool shared = false;
};

/// A rule that is broken: the code (its row has rule, source and fix), the
/// field, one sentence with the numbers, and the fix for this case (empty: the
/// code's).
struct TmaViolation {
  Code code;
  /// "globalStrides[0]", in the driver API's terms; "tensorCoords[0]",
  /// "dstMem"/"srcMem" for instructions in the PTX ISA's.
  std::string field;
  std::string message;
  std::string fix = {};
};

/// The rules for the fields of a map. Empty: the encoder accepts it, and no
/// copy faults because of it.
std::vector<TmaViolation> validate(const TensorMap &map,
                                   const TargetInfo &target,
                                   const TmaUnknown &unknown = {});

/// The rules for one execution with a map that validate() accepts. Empty: it
/// runs without a fault, and TmaTransfer says what it does. The 16-byte tail of
/// stores (tma-store-tail) is no matter of legality: see storeTailBytes.
std::vector<TmaViolation> validateCopy(const TensorMap &map,
                                       const TmaCopy &copy,
                                       const TargetInfo &target,
                                       const TmaUnknown &unknown = {});

/// The largest offset of im2col loads through a map of this rank, 3 to 5: they
/// share 16 bits of the instruction (docs/tma-facts.md C4, C5).
constexpr int64_t maxIm2colOffset(int rank) {
  return rank == 3 ? 65535 : rank == 4 ? 255 : 31;
}

/// How many bytes behind the last element of a row a store or reduction
/// overwrites, 0 .. 15: the row's end is rounded up to 16 bytes (docs/tma-facts.md
/// S3, M5). Zero where the row's bytes are a multiple of 16.
int64_t storeTailBytes(const TensorMap &map);

//===----------------------------------------------------------------------===//
// The 128 bytes (docs/tma-facts.md 1.4, from the machine code of tensormap.replace)
//===----------------------------------------------------------------------===//

//
//   byte        bits   tiled, and what im2col has in its place
//   0x00        64     address
//   0x08        0      0: tiled, 1: im2col
//               6:4    rank - 1
//               10:7   element type, with bit 16: tf32
//               12:11  interleave
//               14:13  swizzle, with 21:19: atomicity
//               15     NaN fill
//               18:17  L2 promotion: 0, 64, 128, 256 bytes
//   0x0c .. 18  32     strides / 16, low bits; bits 39:36 in 0x1c, 4 bits each
//   0x20 .. 30  32     sizes - 1
//   0x34        3 each element strides - 1; 31:24 inner box - 1, channels - 1
//   0x38        8 each box - 1 of the dimensions 1 .. 4; corners, lower in 15:0
//                      and upper in 31:16: 16, 8 or 5 bits each by rank
//   0x3c        32     0; pixels - 1
//   0x40        32     what the driver adds and copies do not look at: element
//                      bytes, times box / element stride of each dimension,
//                      rounded down; times channels and pixels
//   0x48        32     the same: 16, 256, 512, 1024 by swizzle
//
// The last two and im2col's: 4,000 maps that the driver of an H200 encoded
// (docs/hardware-tma.md). Of im2col::w nothing is known.

/// A tensor map as memory holds it, little-endian.
using TmaDescriptor = std::array<uint8_t, 128>;

/// The bits of a tiled or im2col map, as the driver makes them. Fields beyond
/// their ranges are cut off as tensormap.replace cuts them (R8), so validate
/// first.
TmaDescriptor encodeDescriptor(const TensorMap &map);

/// The fields that the bits say; or which of them mean nothing
/// (tensormap-bytes). The driver's own words (0x40, 0x48) are not looked at, as
/// no copy does.
Result<TensorMap> decodeDescriptor(const TmaDescriptor &bits);

/// The fields of tensormap.replace.tile.
enum class TmaField : uint8_t {
  GlobalAddress,
  Rank, ///< The operand is rank - 1.
  BoxDim,
  GlobalDim,
  GlobalStride,
  ElementStride,
  ElemType, ///< The operand is TmaType::replace.
  Interleave,
  SwizzleMode,
  SwizzleAtomicity,
  FillMode,
};

/// tensormap.replace.tile.FIELD[ordinal], bit for bit, without checks, as the
/// machine code does it (docs/tma-facts.md R8 to R10): values that do not fit wrap,
/// the tf32 flag outlives a change of type (R9). Ordinals: 0 .. 4, for strides
/// 0 .. 3; others leave the map as it is.
void replaceField(TmaDescriptor &bits, TmaField field, int ordinal,
                  uint64_t value);

/// The operand ranges for which replaceField writes what it is told
/// (tma-replace otherwise).
std::optional<TmaViolation> validateReplace(TmaField field, int ordinal,
                                            uint64_t value,
                                            const TargetInfo &target);

} // namespace titan

#endif // TITAN_DOMAIN_TENSORMAP_H
