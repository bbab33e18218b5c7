//===- TmaDescriptor.cpp - The 128 bytes of a tensor map ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words and bits as TensorMap.h lists them, and docs/tma-facts.md 1.4: those of
// tensormap.replace read off the machine code that ptxas makes of it, the others
// asked of the driver.
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/TensorMap.h"

#include <algorithm>
#include <bit>
#include <string>

using namespace titan;

static uint32_t word(const TmaDescriptor &bits, int at) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i)
    value |= uint32_t(bits[at + i]) << (8 * i);
  return value;
}

static void setWord(TmaDescriptor &bits, int at, uint32_t value) {
  for (int i = 0; i < 4; ++i)
    bits[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

/// Writes `width` bits at `low` of the word at byte `at`.
static void insert(TmaDescriptor &bits, int at, int low, int width,
                   uint32_t value) {
  uint32_t mask = ((uint32_t(1) << width) - 1) << low;
  setWord(bits, at, (word(bits, at) & ~mask) | ((value << low) & mask));
}

static uint32_t extract(const TmaDescriptor &bits, int at, int low, int width) {
  return (word(bits, at) >> low) & ((uint32_t(1) << width) - 1);
}

/// Type code (word 0x08, bits 10:7) and tf32 flag (bit 16) for the operand of
/// tensormap.replace .elemtype.
struct TypeBits {
  uint32_t code;
  bool tf32;
};

static TypeBits typeBits(uint32_t replace) {
  switch (replace) {
  case 11: // tf32
    return {7, true};
  case 12: // tf32.ftz
    return {8, true};
  case 13:
  case 14:
  case 15:
    return {replace - 2, false};
  default:
    return {replace, false};
  }
}

void titan::replaceField(TmaDescriptor &bits, TmaField field, int ordinal,
                         uint64_t value) {
  uint32_t low = static_cast<uint32_t>(value);
  int last = field == TmaField::GlobalStride ? 3 : 4;
  bool counted = field == TmaField::BoxDim || field == TmaField::GlobalDim ||
                 field == TmaField::GlobalStride ||
                 field == TmaField::ElementStride;
  if (counted && (ordinal < 0 || ordinal > last))
    return;
  switch (field) {
  case TmaField::GlobalAddress:
    setWord(bits, 0, low);
    setWord(bits, 4, static_cast<uint32_t>(value >> 32));
    return;
  case TmaField::Rank:
    insert(bits, 0x08, 4, 3, low);
    return;
  case TmaField::ElemType: {
    TypeBits type = typeBits(low);
    insert(bits, 0x08, 7, 4, type.code);
    // R9: the flag is set with tf32 and never cleared.
    if (type.tf32)
      insert(bits, 0x08, 16, 1, 1);
    return;
  }
  case TmaField::Interleave:
    insert(bits, 0x08, 11, 2, low);
    return;
  case TmaField::SwizzleMode:
    insert(bits, 0x08, 13, 2, low);
    insert(bits, 0x08, 22, 1, 0);
    return;
  case TmaField::FillMode:
    insert(bits, 0x08, 15, 1, low);
    return;
  case TmaField::SwizzleAtomicity:
    insert(bits, 0x08, 19, 3, low);
    return;
  case TmaField::GlobalStride:
    setWord(bits, 0x0c + 4 * ordinal, static_cast<uint32_t>(value >> 4));
    insert(bits, 0x1c, 4 * ordinal, 4, static_cast<uint32_t>(value >> 36));
    return;
  case TmaField::GlobalDim:
    setWord(bits, 0x20 + 4 * ordinal, low - 1);
    return;
  case TmaField::ElementStride:
    insert(bits, 0x34, 3 * ordinal, 3, low - 1);
    return;
  case TmaField::BoxDim:
    if (ordinal == 0)
      insert(bits, 0x34, 24, 8, low - 1);
    else
      insert(bits, 0x38, 8 * (ordinal - 1), 8, low - 1);
    return;
  }
}

/// im2col corners by rank: bits of each, of the lower ones from bit 0 on, of
/// the upper ones from bit 16 on.
static int cornerBits(int rank) { return rank == 3 ? 16 : rank == 4 ? 8 : 5; }

/// The driver's own word 0x40: bytes of the box after element strides, as it
/// counts them.
static uint32_t boxBytes(const TensorMap &map) {
  uint64_t bytes = map.type->bits / 8;
  if (map.mode != TmaMode::Tiled)
    return static_cast<uint32_t>(bytes * map.im2col.channels *
                                 map.im2col.pixels);
  for (int d = 0; d < map.rank; ++d)
    bytes *= map.box[d] / map.elementStrides[d];
  return static_cast<uint32_t>(bytes);
}

TmaDescriptor titan::encodeDescriptor(const TensorMap &map) {
  TmaDescriptor bits{};
  bool im2col = map.mode != TmaMode::Tiled;
  replaceField(bits, TmaField::GlobalAddress, 0, map.address);
  insert(bits, 0x08, 0, 1, im2col);
  replaceField(bits, TmaField::Rank, 0, map.rank - 1);
  replaceField(bits, TmaField::ElemType, 0, map.type->replace);
  replaceField(bits, TmaField::Interleave, 0,
               static_cast<uint64_t>(map.interleave));
  replaceField(bits, TmaField::SwizzleMode, 0, map.swizzle->replaceMode);
  replaceField(bits, TmaField::SwizzleAtomicity, 0,
               map.swizzle->replaceAtomicity);
  replaceField(bits, TmaField::FillMode, 0, map.nanFill);
  // 0, 64, 128, 256 bytes.
  insert(bits, 0x08, 17, 2, std::bit_width(uint32_t(map.l2Promotion) / 64));
  for (int d = 0; d < TensorMap::maxRank; ++d) {
    bool used = d < map.rank;
    replaceField(bits, TmaField::GlobalDim, d, used ? map.dims[d] : 1);
    if (!im2col)
      replaceField(bits, TmaField::BoxDim, d, used ? map.box[d] : 1);
    replaceField(bits, TmaField::ElementStride, d,
                 used ? map.elementStrides[d] : 1);
    if (d > 0)
      replaceField(bits, TmaField::GlobalStride, d - 1,
                   used ? map.strides[d - 1] : 0);
  }
  if (im2col) {
    insert(bits, 0x34, 24, 8, map.im2col.channels - 1);
    int width = cornerBits(map.rank);
    for (int k = 0; k < map.rank - 2; ++k) {
      insert(bits, 0x38, k * width, width,
             static_cast<uint32_t>(map.im2col.lower[k]));
      insert(bits, 0x38, 16 + k * width, width,
             static_cast<uint32_t>(map.im2col.upper[k]));
    }
    setWord(bits, 0x3c, map.im2col.pixels - 1);
  }
  setWord(bits, 0x40, boxBytes(map));
  setWord(bits, 0x48, map.swizzle->span ? 8 * map.swizzle->span : 16);
  return bits;
}

Result<TensorMap> titan::decodeDescriptor(const TmaDescriptor &bits) {
  auto bad = [](const std::string &what) {
    return Problem{"tensormap-bytes",
                   "the 128 bytes are no tensor map: " + what};
  };
  TensorMap map;
  map.address = word(bits, 0) | uint64_t(word(bits, 4)) << 32;
  map.rank = static_cast<int>(extract(bits, 0x08, 4, 3)) + 1;
  if (map.rank > TensorMap::maxRank)
    return bad("rank " + std::to_string(map.rank) + " (byte 8, bits 6:4)");
  uint32_t code = extract(bits, 0x08, 7, 4);
  bool tf32 = extract(bits, 0x08, 16, 1);
  map.type = nullptr;
  for (const TmaType &type : tmaTypes()) {
    TypeBits want = typeBits(type.replace);
    if (want.code == code && want.tf32 == tf32)
      map.type = &type;
  }
  if (!map.type)
    return bad("no element type has code " + std::to_string(code) +
               (tf32 ? " with the flag of tf32" : "") +
               " (byte 8, bits 10:7 and 16)");
  uint32_t interleave = extract(bits, 0x08, 11, 2);
  if (interleave > 2)
    return bad("interleave 3 (byte 8, bits 12:11)");
  uint32_t mode = extract(bits, 0x08, 13, 2),
           // Bit 21 may be set by the driver, with no known meaning.
      atomicity = extract(bits, 0x08, 19, 2);
  map.swizzle = nullptr;
  for (const TmaSwizzle &swizzle : tmaSwizzles())
    if (swizzle.driver >= 0 &&
        static_cast<uint32_t>(swizzle.replaceMode) == mode &&
        static_cast<uint32_t>(swizzle.replaceAtomicity) == atomicity)
      map.swizzle = &swizzle;
  if (extract(bits, 0x08, 22, 1))
    return bad("swizzle 96B, which is of sm_103a (byte 8, bit 22)");
  if (!map.swizzle)
    return bad("no swizzle has mode " + std::to_string(mode) +
               " and atomicity " + std::to_string(atomicity) +
               " (byte 8, bits 14:13 and 20:19)");
  bool im2col = extract(bits, 0x08, 0, 1);
  if (im2col && map.rank < 3)
    return bad("im2col of rank " + std::to_string(map.rank) +
               " (byte 8, bits 0 and 6:4)");
  map.interleave = static_cast<TmaInterleave>(interleave);
  map.nanFill = extract(bits, 0x08, 15, 1);
  map.l2Promotion = 64 << extract(bits, 0x08, 17, 2) >> 1 & ~63;
  for (int d = 0; d < map.rank; ++d) {
    map.dims[d] = uint64_t(word(bits, 0x20 + 4 * d)) + 1;
    map.elementStrides[d] = extract(bits, 0x34, 3 * d, 3) + 1;
    if (!im2col)
      map.box[d] = (d == 0 ? extract(bits, 0x34, 24, 8)
                           : extract(bits, 0x38, 8 * (d - 1), 8)) +
                   1;
    if (d > 0)
      map.strides[d - 1] =
          (uint64_t(word(bits, 0x0c + 4 * (d - 1))) << 4) |
          (uint64_t(extract(bits, 0x1c, 4 * (d - 1), 4)) << 36);
  }
  if (im2col) {
    map.mode = TmaMode::Im2col;
    map.im2col.channels = extract(bits, 0x34, 24, 8) + 1;
    map.im2col.pixels = word(bits, 0x3c) + 1;
    int width = cornerBits(map.rank);
    auto corner = [&](int low) {
      int32_t value = static_cast<int32_t>(extract(bits, 0x38, low, width));
      return value >> (width - 1) & 1 ? value - (1 << width) : value;
    };
    for (int k = 0; k < map.rank - 2; ++k) {
      map.im2col.lower[k] = corner(k * width);
      map.im2col.upper[k] = corner(16 + k * width);
    }
  }
  return map;
}

std::optional<TmaViolation> titan::validateReplace(TmaField field, int ordinal,
                                                   uint64_t value,
                                                   const TargetInfo &target) {
  auto bad = [&](const char *name, const std::string &range) {
    return TmaViolation{Code::TmaReplace, name,
                        std::string(name) + " " + std::to_string(value) +
                            " (ordinal " + std::to_string(ordinal) +
                            ") is not in " + range};
  };
  auto within = [&](uint64_t least, uint64_t most, int ordinals) {
    return value >= least && value <= most && ordinal >= 0 &&
           ordinal < ordinals;
  };
  if (!target.has(Feature::TensormapReplace))
    return TmaViolation{Code::WrongTarget, "tensorMap",
                        std::string(target.name) + " has no tensormap.replace"};
  // What the target's element types and swizzles go up to.
  int mostType = 0, mostAtomicity = 0;
  for (const TmaType &type : tmaTypes())
    if (type.existsOn(target))
      mostType = std::max(mostType, type.replace);
  for (const TmaSwizzle &swizzle : tmaSwizzles())
    if (swizzle.existsOn(target))
      mostAtomicity = std::max(mostAtomicity, swizzle.replaceAtomicity);
  uint64_t mostDim = std::min<uint64_t>(UINT32_MAX, target.tmaMaxDim);
  switch (field) {
  case TmaField::GlobalAddress:
    if (value % target.tmaBaseAlignment != 0)
      return bad("global_address",
                 "multiples of " + std::to_string(target.tmaBaseAlignment));
    break;
  case TmaField::Rank:
    if (!within(0, TensorMap::maxRank - 1, 5))
      return bad("rank", "0 .. 4 (rank - 1)");
    break;
  case TmaField::BoxDim:
    if (!within(1, target.tmaMaxBox, 5))
      return bad("box_dim", "1 .. 256, ordinals 0 .. 4");
    break;
  case TmaField::GlobalDim:
    if (!within(1, mostDim, 5))
      return bad("global_dim",
                 "1 .. " + std::to_string(mostDim) + ", ordinals 0 .. 4");
    break;
  case TmaField::GlobalStride:
    if (!within(0, target.tmaMaxStride, 4) ||
        value % target.tmaStrideAlignment != 0)
      return bad("global_stride",
                 "multiples of 16 below 2^40, ordinals 0 .. 3");
    break;
  case TmaField::ElementStride:
    if (!within(1, target.tmaMaxElementStride, 5))
      return bad("element_stride", "1 .. 8, ordinals 0 .. 4");
    break;
  case TmaField::ElemType:
    if (value > static_cast<uint64_t>(mostType))
      return bad("elemtype", "0 .. " + std::to_string(mostType));
    break;
  case TmaField::Interleave:
    if (value > 2)
      return bad("interleave_layout", "0 .. 2");
    break;
  case TmaField::SwizzleMode:
    if (value == 4) // 96B
      return TmaViolation{Code::WrongTarget, "swizzle_mode",
                          "swizzle_mode 4 (96B) is of sm_103a alone"};
    if (value > 3)
      return bad("swizzle_mode", "0 .. 3");
    break;
  case TmaField::SwizzleAtomicity:
    if (mostAtomicity == 0)
      return TmaViolation{Code::TmaSwizzleTarget, "swizzle_atomicity",
                          "swizzle_atomicity does not exist on " +
                              std::string(target.name)};
    if (value > static_cast<uint64_t>(mostAtomicity))
      return bad("swizzle_atomicity", "0 .. " + std::to_string(mostAtomicity));
    break;
  case TmaField::FillMode:
    if (value > 1)
      return bad("fill_mode", "0 .. 1");
    break;
  }
  return std::nullopt;
}
