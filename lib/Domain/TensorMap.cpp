//===- TensorMap.cpp - The rules for tensor maps --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/TensorMap.h"

using namespace titan;

static std::string number(uint64_t value) { return std::to_string(value); }

static std::string indexed(const char *field, int index) {
  return std::string(field) + "[" + std::to_string(index) + "]";
}

/// Types 14 and 15 of the driver: slots of 16 values padded to 16 bytes.
static bool isPadded(const TmaType &type) { return type.driver >= 14; }
static bool isPacked(const TmaType &type) { return type.bits < 8; }

/// Alignment of the base and the strides, bytes (facts-tma.md 1.2).
static int64_t alignment(const TensorMap &map, int64_t usual) {
  bool wide = map.interleave == TmaInterleave::B32 || isPadded(*map.type);
  return wide ? 2 * usual : usual;
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
  if (map.mode != TmaMode::Tiled) {
    report(Code::NotSupportedYet, "tensorMap",
           "im2col tensor maps are not modelled yet");
    return found;
  }
  bool interleaved = map.interleave != TmaInterleave::None;
  int least = interleaved ? 3 : 1;
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

  int64_t align = alignment(map, target.tmaBaseAlignment);
  if (!unknown.address && map.address % align != 0)
    report(Code::TmaBaseAlignment, "globalAddress",
           "address " + number(map.address) + " is " +
               number(map.address % align) + " bytes past a multiple of " +
               std::to_string(align));

  for (int d = 0; d < map.rank; ++d) {
    bool known = !((unknown.dims >> d) & 1);
    if (known && (map.dims[d] < 1 ||
                  map.dims[d] > static_cast<uint64_t>(target.tmaMaxDim)))
      report(Code::TmaDimRange, indexed("globalDim", d),
             "extent " + number(map.dims[d]) + " is not in 1 .. 2^32");
    if (known && d == 0 && isPacked(type)) {
      uint64_t group = isPadded(type) ? 128 : 2;
      if (map.dims[0] % group != 0)
        report(Code::TmaDimPacked, indexed("globalDim", 0),
               "extent " + number(map.dims[0]) + " of " + typeName +
                   " is no multiple of " + number(group));
    }
    if (map.box[d] < 1 || map.box[d] > target.tmaMaxBox)
      report(Code::TmaBoxRange, indexed("boxDim", d),
             "box extent " + number(map.box[d]) + " is not in 1 .. " +
                 std::to_string(target.tmaMaxBox));
    if (map.elementStrides[d] < 1 ||
        map.elementStrides[d] > target.tmaMaxElementStride)
      report(Code::TmaElementStride, indexed("elementStrides", d),
             "element stride " + number(map.elementStrides[d]) +
                 " is not in 1 .. " +
                 std::to_string(target.tmaMaxElementStride));
  }

  int64_t strideAlign = alignment(map, target.tmaStrideAlignment);
  for (int d = 1; d < map.rank; ++d) {
    if ((unknown.strides >> d) & 1)
      continue;
    uint64_t stride = map.strides[d - 1];
    if (stride % strideAlign != 0)
      report(Code::TmaStrideAlignment, indexed("globalStrides", d - 1),
             "stride of " + number(stride) + " bytes is " +
                 number(stride % strideAlign) + " past a multiple of " +
                 std::to_string(strideAlign));
    if (stride > static_cast<uint64_t>(target.tmaMaxStride))
      report(Code::TmaStrideRange, indexed("globalStrides", d - 1),
             "stride of " + number(stride) + " bytes is not below 2^40");
  }

  if (isPadded(type) && map.box[0] != 128)
    report(Code::TmaBoxPacked, indexed("boxDim", 0),
           "inner box of " + number(map.box[0]) + " values of " + typeName +
               "; it has to be 128");
  if (!interleaved && !isPadded(type)) {
    int64_t bits = static_cast<int64_t>(map.box[0]) * type.bits;
    if (bits % (8 * target.tmaBoxBytesMultiple) != 0)
      report(Code::TmaBoxBytes, indexed("boxDim", 0),
             number(map.box[0]) + " elements of " + typeName + " are " +
                 number(bits / 8) + " bytes, no multiple of " +
                 std::to_string(target.tmaBoxBytesMultiple));
    if (swizzle.span != 0 && bits > 8 * int64_t(swizzle.span))
      report(Code::TmaBoxSwizzle, indexed("boxDim", 0),
             number(map.box[0]) + " elements of " + typeName + " are " +
                 number(bits / 8) + " bytes, but swizzle " + swizzleName +
                 " spans " + std::to_string(swizzle.span));
  }

  if (map.interleave == TmaInterleave::B32 && swizzle.driver != 1)
    report(Code::TmaInterleave, "interleave",
           "interleave 32B needs swizzle 32B, not " + swizzleName);
  if (interleaved && type.driver == 15)
    report(Code::TmaInterleave, "interleave",
           typeName + " takes no interleave");
  // Padded types: none, 128B, 128B_atom_32B; b6x16_p32 stores 128B_atom_64B.
  if (isPadded(type) && swizzle.driver != 0 && swizzle.driver != 3 &&
      swizzle.driver != 4 && !(type.driver == 15 && swizzle.driver == 6))
    report(Code::TmaTypeSwizzle, "swizzle",
           typeName + " does not take swizzle " + swizzleName);
  if (target.id == TargetId::Sm90a && !swizzle.sm90)
    report(Code::TmaSwizzleTarget, "swizzle",
           "swizzle " + swizzleName + " does not exist on sm_90a");
  if (target.id == TargetId::Sm90a && !type.sm90)
    report(Code::TmaSwizzleTarget, "tensorDataType",
           typeName + " does not exist on sm_90a");
  if (map.nanFill && !type.nanFill)
    report(Code::TmaFillType, "oobFill",
           "elements of " + typeName + " cannot be filled with NaN");
  return found;
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

  if (map.rank < 1 || map.rank > TensorMap::maxRank ||
      copy.coords.size() != static_cast<size_t>(map.rank)) {
    report(Code::TmaCoordinateCount, "tensorCoords",
           std::to_string(copy.coords.size()) + " coordinates for a map of " +
               "rank " + std::to_string(map.rank));
    return found;
  }
  for (int d = 0; d < map.rank; ++d) {
    if ((unknown.coords >> d) & 1)
      continue;
    int64_t x = copy.coords[d];
    if (x < INT32_MIN || x > INT32_MAX)
      report(Code::OutOfBounds, indexed("tensorCoords", d),
             "coordinate " + std::to_string(x) + " is no 32-bit number");
    if (!load && x < 0)
      report(Code::TmaStoreNegative, indexed("tensorCoords", d),
             "a store starts at coordinate " + std::to_string(x));
    if (d != 0)
      continue;
    int64_t chunkBits = 8 * target.tmaCoordinateBytesMultiple;
    if (isPadded(type)) {
      if (x % 128 != 0)
        report(Code::TmaCoordinatePacked, indexed("tensorCoords", 0),
               "coordinate " + std::to_string(x) + " of " + typeName +
                   " is no multiple of 128 values");
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
  if (load && type.driver == 15 && swizzle.driver == 6)
    report(Code::TmaTypeSwizzle, "swizzle",
           typeName + " with swizzle " + swizzleName + " is for stores only");
  if (copy.direction == TmaDirection::Reduce &&
      !hasTmaReduction(copy.reduction, type.name))
    report(Code::TmaReduceType, "redOp",
           "reduction '" + copy.reduction + "' does not exist for " + typeName);
  if (load) {
    // facts-tma.md T4: one copy's bytes have to fit the barrier's count.
    int64_t bits = type.bits;
    for (int d = 0; d < map.rank; ++d) {
      int64_t es =
          d == 0 || map.elementStrides[d] == 0 ? 1 : map.elementStrides[d];
      bits *= (map.box[d] + es - 1) / es;
    }
    if (bits / 8 > target.mbarrierMaxTx)
      report(Code::BarrierRange, "boxDim",
             "the box has " + std::to_string(bits / 8) +
                 " bytes; a barrier counts at most " +
                 std::to_string(target.mbarrierMaxTx));
  }
  return found;
}

int64_t titan::storeTailBytes(const TensorMap &map) {
  uint64_t tail = map.dims[0] * map.type->bits / 8 % 16;
  return tail == 0 ? 0 : static_cast<int64_t>(16 - tail);
}
