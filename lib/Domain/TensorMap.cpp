//===- TensorMap.cpp - The rules for tensor maps --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/TensorMap.h"

#include <algorithm>

using namespace titan;

static std::string indexed(const char *field, int index) {
  return std::string(field) + "[" + std::to_string(index) + "]";
}

/// Types 14 and 15 of the driver: slots of 16 values padded to 16 bytes.
static bool isPadded(const TmaType &type) { return type.driver >= 14; }
static bool isPacked(const TmaType &type) { return type.bits < 8; }

/// Alignment of the base and the strides, bytes (docs/tma-facts.md 1.2).
static int64_t alignment(const TensorMap &map, int64_t usual) {
  bool wide = map.interleave == TmaInterleave::B32 || isPadded(*map.type);
  return wide ? 2 * usual : usual;
}

/// How many dimensions have corners, W first, and which one W is: dimensions
/// are C, W, (H, (D,)) N, or W, (H, (D,)) slices of C, N when interleaved.
static int cornerDims(const TensorMap &map) {
  int spatial = map.rank - 2;
  return map.mode == TmaMode::Im2colWide ? std::min(spatial, 1) : spatial;
}
static int firstSpatial(const TensorMap &map) {
  return map.interleave == TmaInterleave::None ? 1 : 0;
}

/// Bytes of a box as the encoder counts them, up to the shared memory of an SM:
/// element strides divide, rounded down. Nothing where an element stride is
/// zero.
static int64_t encodedBoxBytes(const TensorMap &map) {
  if (map.mode != TmaMode::Tiled)
    return map.pixels() * map.im2col.channels * map.type->bits / 8;
  int64_t bits = map.type->bits;
  for (int d = 0; d < map.rank; ++d)
    bits *= map.elementStrides[d] ? map.box[d] / map.elementStrides[d] : 0;
  return bits / 8;
}

/// The rules for pixels, channels and corners (docs/tma-facts.md 1.2). The rank may
/// be out of range.
static void checkIm2col(const TensorMap &map, const TargetInfo &target,
                        const TmaUnknown &unknown,
                        std::vector<TmaViolation> &found) {
  const TmaIm2col &m = map.im2col;
  if (m.channels < 1 || m.channels > target.tmaMaxIm2colChannels)
    found.push_back({Code::TmaBoxRange, "channelsPerPixel",
                     std::to_string(m.channels) + " channels are not in 1 .. " +
                         std::to_string(target.tmaMaxIm2colChannels)});
  if (map.pixels() < 1 || map.pixels() > target.tmaMaxIm2colPixels)
    found.push_back({Code::TmaBoxRange, "pixelsPerColumn",
                     std::to_string(m.pixels) + " pixels are not in 1 .. " +
                         std::to_string(target.tmaMaxIm2colPixels)});
  // Corners share 32 bits: 16, 8 or 5 bits each (5.5.4.1).
  int corners = cornerDims(map);
  int bits = corners == 1 ? 16 : corners == 2 ? 8 : 5;
  int32_t most = (1 << (bits - 1)) - 1;
  for (int d = 0; d < corners && d < 3; ++d) {
    for (auto [field, corner] : {std::pair{"pixelBoxLowerCorner", m.lower[d]},
                                 std::pair{"pixelBoxUpperCorner", m.upper[d]}})
      if (corner < -most - 1 || corner > most)
        found.push_back({Code::TmaIm2col, indexed(field, d),
                         "corner " + std::to_string(corner) + " is not in " +
                             std::to_string(-most - 1) + " .. " +
                             std::to_string(most),
                         "pad by at most " + std::to_string(most + 1) +
                             " on the left, and let (filter - 1) * dilation "
                             "less the padding on the right be as small; or "
                             "copy by tiles"});
    int at = d + firstSpatial(map);
    bool outOfRange = map.dims[at] > static_cast<uint64_t>(target.tmaMaxDim);
    if (outOfRange || (unknown.dims >> at) & 1)
      continue;
    // The encoder adds with 32 bits.
    int64_t end = static_cast<int64_t>(map.dims[at]) + m.upper[d];
    if (m.lower[d] >= end || end > INT32_MAX)
      found.push_back(
          {Code::TmaIm2col, indexed("pixelBoxUpperCorner", d),
           "the bounding box from " + std::to_string(m.lower[d]) + " to " +
               std::to_string(map.dims[at]) + " - 1 + " +
               std::to_string(m.upper[d]) +
               (end > INT32_MAX ? " ends past 2^31" : " is empty")});
  }
}

/// What maps of im2col::w have of their own (docs/tma-facts.md 1.2, I4, R4, C9).
static void checkWide(const TensorMap &map, std::vector<TmaViolation> &found) {
  std::string swizzle(map.swizzle->name);
  if (swizzle != "64B" && swizzle != "128B" && swizzle != "128B_atom_32B")
    found.push_back(
        {Code::TmaIm2col, "swizzle",
         "im2col::w takes swizzle 64B, 128B or 128B_atom_32B, not " + swizzle});
  if (map.interleave != TmaInterleave::None)
    found.push_back(
        {Code::TmaInterleave, "interleave", "im2col::w takes no interleave"});
  // Entry 0 is ignored; W is dimension 1. The encoder takes the others, but the
  // copy does not step by them (5.5.5.2).
  for (int d = 2; d < map.rank; ++d)
    if (map.elementStrides[d] > 1)
      found.push_back({Code::TmaElementStride, indexed("elementStrides", d),
                       "element stride " +
                           std::to_string(map.elementStrides[d]) +
                           ", but im2col::w strides along W alone"});
}

std::vector<TmaViolation> titan::validate(const TensorMap &map,
                                          const TargetInfo &target,
                                          const TmaUnknown &unknown) {
  std::vector<TmaViolation> found;
  auto report = [&](Code code, std::string field, std::string message) {
    found.push_back({code, std::move(field), std::move(message)});
  };

  if (!target.has(Feature::Tma)) {
    report(Code::WrongTarget, "tensorMap",
           std::string(target.name) + " has no tensor maps");
    return found;
  }
  if (map.mode == TmaMode::Im2colWide && !target.has(Feature::TmaGather)) {
    report(Code::WrongTarget, "tensorMap",
           std::string(target.name) + " has no im2col::w");
    return found;
  }
  bool tiled = map.mode == TmaMode::Tiled;
  bool interleaved = map.interleave != TmaInterleave::None;
  int least = interleaved || !tiled ? 3 : 1;
  if (map.rank < least || map.rank > target.tmaMaxRank)
    report(Code::TmaRank, "tensorRank",
           "rank " + std::to_string(map.rank) + " is not in " +
               std::to_string(least) + " .. " +
               std::to_string(target.tmaMaxRank));
  // The other fields have this many entries only.
  if (map.rank < 1 || map.rank > TensorMap::maxRank)
    return found;
  const TmaType &type = *map.type;
  const TmaSwizzle &swizzle = *map.swizzle;
  std::string typeName(type.name), swizzleName(swizzle.name);
  // A rule of padded types: sm_103a stores halves of b6x16_p32, too (R6).
  auto reportPadded = [&](Code code, bool half, std::string field,
                          std::string message) {
    if (half && type.driver == 15)
      report(Code::WrongTarget, std::move(field),
             std::move(message) + "; only stores of sm_103a take it");
    else
      report(code, std::move(field), std::move(message));
  };

  int64_t align = alignment(map, target.tmaBaseAlignment);
  if (!unknown.address && map.address % align != 0)
    reportPadded(Code::TmaBaseAlignment, map.address % align == 16,
                 "globalAddress",
                 "address " + std::to_string(map.address) + " is " +
                     std::to_string(map.address % align) +
                     " bytes past a multiple of " + std::to_string(align));

  for (int d = 0; d < map.rank; ++d) {
    bool known = !((unknown.dims >> d) & 1);
    if (known && (map.dims[d] < 1 ||
                  map.dims[d] > static_cast<uint64_t>(target.tmaMaxDim)))
      report(Code::TmaDimRange, indexed("globalDim", d),
             "extent " + std::to_string(map.dims[d]) + " is not in 1 .. " +
                 std::to_string(target.tmaMaxDim));
    if (known && d == 0 && isPacked(type)) {
      uint64_t group = isPadded(type) ? 128 : 2;
      if (map.dims[0] % group != 0)
        reportPadded(Code::TmaDimPacked, map.dims[0] % group == 64,
                     indexed("globalDim", 0),
                     "extent " + std::to_string(map.dims[0]) + " of " +
                         typeName + " is no multiple of " +
                         std::to_string(group));
    }
    if (tiled && (map.box[d] < 1 || map.box[d] > target.tmaMaxBox))
      report(Code::TmaBoxRange, indexed("boxDim", d),
             "box extent " + std::to_string(map.box[d]) + " is not in 1 .. " +
                 std::to_string(target.tmaMaxBox));
    if (map.elementStrides[d] < 1 ||
        map.elementStrides[d] > target.tmaMaxElementStride)
      report(Code::TmaElementStride, indexed("elementStrides", d),
             "element stride " + std::to_string(map.elementStrides[d]) +
                 " is not in 1 .. " +
                 std::to_string(target.tmaMaxElementStride));
  }

  int64_t strideAlign = alignment(map, target.tmaStrideAlignment);
  for (int d = 1; d < map.rank; ++d) {
    if ((unknown.strides >> d) & 1)
      continue;
    uint64_t stride = map.strides[d - 1];
    if (stride % strideAlign != 0)
      reportPadded(Code::TmaStrideAlignment, stride % strideAlign == 16,
                   indexed("globalStrides", d - 1),
                   "stride of " + std::to_string(stride) + " bytes is " +
                       std::to_string(stride % strideAlign) +
                       " past a multiple of " + std::to_string(strideAlign));
    if (stride > static_cast<uint64_t>(target.tmaMaxStride))
      report(Code::TmaStrideRange, indexed("globalStrides", d - 1),
             "stride of " + std::to_string(stride) +
                 " bytes is not below 2^40");
  }

  if (!tiled)
    checkIm2col(map, target, unknown, found);
  if (map.mode == TmaMode::Im2colWide)
    checkWide(map, found);
  uint32_t inner = tiled ? map.box[0] : map.im2col.channels;
  std::string innerField = tiled ? indexed("boxDim", 0) : "channelsPerPixel";
  if (isPadded(type) && inner != 128)
    reportPadded(Code::TmaBoxPacked, inner == 64, innerField,
                 "inner box of " + std::to_string(inner) + " values of " +
                     typeName + "; it has to be 128");
  if (!isPadded(type)) {
    int64_t bits = static_cast<int64_t>(inner) * type.bits;
    if (bits % (8 * target.tmaBoxBytesMultiple) != 0)
      report(Code::TmaBoxBytes, innerField,
             std::to_string(inner) + " elements of " + typeName + " are " +
                 std::to_string(bits / 8) + " bytes, no multiple of " +
                 std::to_string(target.tmaBoxBytesMultiple));
    if (!interleaved && swizzle.span != 0 && bits > 8 * int64_t(swizzle.span))
      report(Code::TmaBoxSwizzle, innerField,
             std::to_string(inner) + " elements of " + typeName + " are " +
                 std::to_string(bits / 8) + " bytes, but swizzle " +
                 swizzleName + " spans " + std::to_string(swizzle.span));
  }

  if (found.empty() && encodedBoxBytes(map) > target.sharedBytesPerSm)
    report(Code::TmaBoxRange, tiled ? "boxDim" : "pixelsPerColumn",
           "the box has " + std::to_string(encodedBoxBytes(map)) +
               " bytes, more than " + std::to_string(target.sharedBytesPerSm));

  if (map.interleave == TmaInterleave::B32 && swizzle.driver != 1 &&
      target.has(Feature::TmaInterleaveSwizzle))
    report(Code::TmaInterleave, "interleave",
           "interleave 32B needs swizzle 32B, not " + swizzleName);
  // Said of b6x16_p32. Of b4x16_p64 it follows: no inner box is both 128, which
  // would count slices (encoder), and 64 bytes (R2).
  if (interleaved && isPadded(type))
    report(Code::TmaInterleave, "interleave",
           typeName + " takes no interleave");
  // Padded types: none, 128B, 128B_atom_32B; b6x16_p32 stores 128B_atom_64B.
  if (isPadded(type) && swizzle.driver != 0 && swizzle.driver != 3 &&
      swizzle.driver != 4 && !(type.driver == 15 && swizzle.driver == 6))
    reportPadded(Code::TmaTypeSwizzle, swizzle.driver == 2, "swizzle",
                 typeName + " does not take swizzle " + swizzleName);
  if (!swizzle.existsOn(target))
    report(Code::TmaSwizzleTarget, "swizzle",
           "swizzle " + swizzleName + " does not exist on " +
               std::string(target.name));
  if (!type.existsOn(target))
    report(Code::TmaSwizzleTarget, "tensorDataType",
           typeName + " does not exist on " + std::string(target.name));
  if (map.nanFill && !type.nanFill)
    report(Code::TmaFillType, "oobFill",
           "elements of " + typeName + " cannot be filled with NaN");
  if (map.l2Promotion != 0 && map.l2Promotion != 64 && map.l2Promotion != 128 &&
      map.l2Promotion != 256)
    report(Code::TmaL2Promotion, "l2Promotion",
           std::to_string(map.l2Promotion) +
               " bytes are not 0, 64, 128 or 256");
  return found;
}

/// The operands of im2col::w (docs/tma-facts.md C9, C10).
static void checkWideCopy(const TensorMap &map, const TmaCopy &copy,
                          std::vector<TmaViolation> &found) {
  bool wide = map.mode == TmaMode::Im2colWide;
  bool fixed = wide && map.im2col.wide == TmaWide::W128;
  auto range = [&](const char *field, int64_t value, int64_t most) {
    if (value < 0 || value > most)
      found.push_back({Code::TmaIm2col, field,
                       std::string(field) + " " + std::to_string(value) +
                           " is not in 0 .. " + std::to_string(most) +
                           (wide ? "" : ": the map is none of im2col::w")});
  };
  range("wHalo", copy.wHalo, fixed ? 31 : wide ? 511 : 0);
  range("wOffset", copy.wOffset, wide ? 31 : 0);
  if (wide && copy.direction != TmaDirection::Load)
    found.push_back({Code::TmaIm2col, "tensorMap",
                     "a map of im2col::w is for loads; its stores begin with "
                     "PTX 9.4, later than what TITAN writes"});
  // Sources agree that the 4 * wHalo rows follow the 128, and on which pixels
  // they hold, but not on their order.
  if (fixed && copy.wHalo > 0 && copy.wHalo <= 31)
    found.push_back({Code::NotSupportedYet, "wHalo",
                     "in which order the halo of im2col::w::128 stands in "
                     "shared memory is not known; use wHalo 0 or im2col::w"});
}

/// The start and the offsets of an im2col copy (docs/tma-facts.md C2, C4, C11, R3).
static void checkIm2colCopy(const TensorMap &map, const TmaCopy &copy,
                            const TmaUnknown &unknown,
                            std::vector<TmaViolation> &found) {
  auto report = [&](std::string field, std::string message) {
    found.push_back({Code::TmaIm2col, std::move(field), std::move(message)});
  };
  auto fix = [&](std::string text) { found.back().fix = std::move(text); };
  bool load = copy.direction == TmaDirection::Load;
  bool wide = map.mode == TmaMode::Im2colWide;
  size_t offsets = load && !wide ? static_cast<size_t>(map.rank - 2) : 0;
  if (copy.im2colOffsets.size() != offsets)
    report("im2colOffsets",
           std::to_string(copy.im2colOffsets.size()) +
               " offsets; a load of im2col has one for each of W, H, D, a " +
               "store none, im2col::w has wHalo and wOffset");
  int64_t most = maxIm2colOffset(map.rank);
  for (size_t k = 0; k < copy.im2colOffsets.size(); ++k)
    if (copy.im2colOffsets[k] < 0 || copy.im2colOffsets[k] > most) {
      report(indexed("im2colOffsets", static_cast<int>(k)),
             "offset " + std::to_string(copy.im2colOffsets[k]) +
                 " is not in 0 .. " + std::to_string(most));
      fix("let offsets be elements of the filter, 0 .. (filter - 1) * "
          "dilation, at most " +
          std::to_string(most) +
          "; for others move the start, or copy by tiles");
    }
  for (int d = 0; d < cornerDims(map) && d < 3; ++d) {
    if (!load && (map.im2col.lower[d] < 0 || map.im2col.upper[d] > 0))
      report(indexed("pixelBoxLowerCorner", d),
             "a store's bounding box lies inside of the tensor");
    int at = d + firstSpatial(map);
    if (((unknown.coords | unknown.dims) >> at) & 1)
      continue;
    int64_t x = copy.coords[at], low = map.im2col.lower[d];
    int64_t high = static_cast<int64_t>(map.dims[at]) - 1 + map.im2col.upper[d];
    // The first pixel of im2col::w may lie left of its box.
    if ((x < low && !wide) || x > high) {
      report(indexed("tensorCoords", at),
             "coordinate " + std::to_string(x) + " lies " +
                 (wide ? "right" : "outside") + " of the bounding box " +
                 std::to_string(low) + " .. " + std::to_string(high));
      fix("start at a pixel of the bounding box, where coordinate " +
          std::to_string(at) + " is " + std::to_string(low) + " .. " +
          std::to_string(high) +
          " (lower .. size - 1 + upper): leave out tiles that begin behind the "
          "last pixel, or choose corners that hold the start");
    }
  }
}

std::vector<TmaViolation> titan::validateCopy(const TensorMap &map,
                                              const TmaCopy &copy,
                                              const TargetInfo &target,
                                              const TmaUnknown &unknown) {
  std::vector<TmaViolation> found;
  auto report = [&](Code code, std::string field, std::string message) {
    found.push_back({code, std::move(field), std::move(message)});
  };
  bool load = copy.direction == TmaDirection::Load;
  const char *sharedOperand = load ? "dstMem" : "srcMem";
  const TmaType &type = *map.type;
  const TmaSwizzle &swizzle = *map.swizzle;
  std::string typeName(type.name), swizzleName(swizzle.name);

  bool im2col = map.mode != TmaMode::Tiled;
  if (copy.fourRows) {
    const char *form = load ? "gather4" : "scatter4";
    if (!target.has(Feature::TmaGather))
      report(Code::WrongTarget, "tensorMap",
             std::string(target.name) + " has no " + form);
    if (map.rank != 2 || im2col || map.box[1] != 1 ||
        map.interleave != TmaInterleave::None) {
      report(Code::TmaGather, "tensorMap",
             std::string(form) + " needs a tiled map of rank 2 whose box has " +
                 "one row, without interleave");
      return found;
    }
  }
  size_t operands = copy.fourRows ? 5 : static_cast<size_t>(map.rank);
  if (map.rank < 1 || map.rank > TensorMap::maxRank ||
      copy.coords.size() != operands) {
    report(Code::TmaCoordinateCount, "tensorCoords",
           std::to_string(copy.coords.size()) + " coordinates where " +
               std::to_string(operands) + " are needed");
    return found;
  }
  if (im2col)
    checkIm2colCopy(map, copy, unknown, found);
  else if (!copy.im2colOffsets.empty())
    report(Code::TmaIm2col, "im2colOffsets", "a tiled map takes no offsets");
  checkWideCopy(map, copy, found);
  for (int d = 0; d < static_cast<int>(operands); ++d) {
    if ((unknown.coords >> d) & 1)
      continue;
    int64_t x = copy.coords[d];
    if (x < INT32_MIN || x > INT32_MAX) {
      report(Code::OutOfBounds, indexed("tensorCoords", d),
             "coordinate " + std::to_string(x) + " is no 32-bit number");
      continue;
    }
    if (!load && x < 0)
      report(Code::TmaStoreNegative, indexed("tensorCoords", d),
             "a store starts at coordinate " + std::to_string(x));
    if (d != 0)
      continue;
    int64_t chunkBits = 8 * target.tmaCoordinateBytesMultiple;
    if (isPadded(type)) {
      bool half = !load && type.driver == 15 && x % 128 == 64; // R6
      if (x % 128 != 0)
        report(half ? Code::WrongTarget : Code::TmaCoordinatePacked,
               indexed("tensorCoords", 0),
               "coordinate " + std::to_string(x) + " of " + typeName +
                   " is no multiple of 128 values" +
                   (half ? "; only stores of sm_103a take it" : ""));
    } else if (map.interleave == TmaInterleave::None &&
               x * type.bits % chunkBits != 0) {
      report(Code::TmaCoordinateAlignment, indexed("tensorCoords", 0),
             "coordinate " + std::to_string(x) + " of " + typeName + " is " +
                 std::to_string(x * type.bits / 8) +
                 " bytes from the row's start, no multiple of " +
                 std::to_string(target.tmaCoordinateBytesMultiple));
    }
  }
  if (!unknown.shared) {
    if (copy.shared < 0 || copy.shared % target.tmaSharedAlignment != 0)
      report(Code::TmaSharedAlignment, sharedOperand,
             "shared address " + std::to_string(copy.shared) +
                 " is no multiple of " +
                 std::to_string(target.tmaSharedAlignment));
    else if (copy.shared >= int64_t(1) << 31)
      report(Code::OutOfBounds, sharedOperand,
             "shared address " + std::to_string(copy.shared) +
                 " lies outside of the shared window");
  }
  if (!load && swizzle.loadOnly)
    report(Code::TmaTypeSwizzle, "swizzle",
           "swizzle " + swizzleName + " is for loads only");
  if (!load && type.driver == 14)
    report(Code::TmaTypeSwizzle, "tensorDataType",
           typeName + " is for loads only");
  if (load && swizzle.storeOnly)
    report(Code::TmaTypeSwizzle, "swizzle",
           "swizzle " + swizzleName + " is for stores only");
  if (copy.direction == TmaDirection::Reduce &&
      !hasTmaReduction(copy.reduction, type.name))
    report(Code::TmaReduceType, "redOp",
           "reduction '" + copy.reduction + "' does not exist for " + typeName);
  if (load && found.empty()) {
    // docs/tma-facts.md T4: one copy's bytes have to fit the barrier's count.
    bool interleaved = map.interleave != TmaInterleave::None;
    int64_t bits =
        interleaved ? 128 * static_cast<int64_t>(map.interleave) : type.bits;
    if (im2col)
      bits *=
          (map.pixels() + copy.wHalo) * (interleaved ? 1 : map.im2col.channels);
    for (int d = 0; d < map.rank && !im2col; ++d) {
      int64_t es = (d == 0 && !interleaved) || map.elementStrides[d] == 0
                       ? 1
                       : map.elementStrides[d];
      // Of channel slices one is moved.
      bits *= interleaved && d == map.rank - 2 ? 1 : (map.box[d] + es - 1) / es;
    }
    if (bits / 8 > target.mbarrierMaxTx)
      report(Code::BarrierRange, im2col ? "pixelsPerColumn" : "boxDim",
             "the box has " + std::to_string(bits / 8) +
                 " bytes; a barrier counts at most " +
                 std::to_string(target.mbarrierMaxTx));
  }
  return found;
}

int64_t titan::storeTailBytes(const TensorMap &map) {
  if (map.interleave != TmaInterleave::None)
    return 0;
  uint64_t tail = map.dims[0] * map.type->bits / 8 % 16;
  return tail == 0 ? 0 : static_cast<int64_t>(16 - tail);
}
