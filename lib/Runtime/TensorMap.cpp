//===- TensorMap.cpp - Tensor maps and their rules ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/TensorMap.h"

#include <iterator>

using namespace titan;
using namespace titan::runtime;

/// The enum value whose name is `text`.
template <typename Enum, size_t N>
static std::optional<Enum> byName(const std::string_view (&names)[N],
                                  std::string_view text) {
  for (size_t i = 0; i < N; ++i)
    if (names[i] == text)
      return static_cast<Enum>(i);
  return std::nullopt;
}

std::optional<MapType> titan::runtime::parseMapType(std::string_view text) {
  static constexpr std::string_view names[] = {
      "u8",  "u16", "u32",  "i32",     "u64",  "i64",     "f16",
      "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"};
  return byName<MapType>(names, text);
}

std::optional<MapInterleave>
titan::runtime::parseMapInterleave(std::string_view text) {
  static constexpr std::string_view names[] = {"none", "16B", "32B"};
  return byName<MapInterleave>(names, text);
}

std::optional<MapSwizzle>
titan::runtime::parseMapSwizzle(std::string_view text) {
  static constexpr std::string_view names[] = {"none", "32B", "64B", "128B"};
  return byName<MapSwizzle>(names, text);
}

std::optional<MapL2Promotion>
titan::runtime::parseMapL2Promotion(std::string_view text) {
  static constexpr std::string_view names[] = {"none", "64B", "128B", "256B"};
  return byName<MapL2Promotion>(names, text);
}

std::optional<MapFill> titan::runtime::parseMapFill(std::string_view text) {
  static constexpr std::string_view names[] = {"zero", "nan"};
  return byName<MapFill>(names, text);
}

int64_t titan::runtime::sizeInBytes(MapType t) {
  static constexpr int8_t sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return sizes[static_cast<int>(t)];
}

Status titan::runtime::checkFormat(const TensorMapFormat &f,
                                   const std::string &place) {
  auto fail = [&](Code code, std::string message, const char *fix) {
    return makeError(code, std::move(message), place, fix);
  };
  if (f.rank < 1 || f.rank > maxMapRank ||
      (f.interleave != MapInterleave::None && f.rank < 3))
    return fail(Code::TmaRank, "rank " + std::to_string(f.rank),
                "use 1 to 5 dimensions, 3 to 5 with interleave");
  for (int d = 0; d < f.rank; ++d) {
    if (f.box[d] < 1 || f.box[d] > 256)
      return fail(Code::TmaBoxRange,
                  "box dimension " + std::to_string(d) + " is " +
                      std::to_string(f.box[d]),
                  "split the box into several copies");
    if (f.elementStrides[d] < 1 || f.elementStrides[d] > 8)
      return fail(Code::TmaElementStride,
                  "element stride " + std::to_string(d) + " is " +
                      std::to_string(f.elementStrides[d]),
                  "use 1 to 8, or put the stride into the tensor's strides");
  }
  const int64_t inner = f.box[0] * sizeInBytes(f.type);
  if (f.interleave == MapInterleave::None) {
    if (inner % 16)
      return fail(Code::TmaBoxBytes,
                  "box dimension 0 takes " + std::to_string(inner) + " bytes",
                  "make it a multiple of 16 bytes");
    const int64_t span = f.swizzle == MapSwizzle::None
                             ? INT64_MAX
                             : int64_t{16} << static_cast<int>(f.swizzle);
    if (inner > span)
      return fail(Code::TmaBoxSwizzle,
                  "box dimension 0 takes " + std::to_string(inner) +
                      " bytes, the swizzle spans " + std::to_string(span),
                  "use a wider swizzle or split the box along dimension 0");
  } else if (f.interleave == MapInterleave::B32 &&
             f.swizzle != MapSwizzle::B32) {
    return fail(Code::TmaInterleave, "interleave 32B without swizzle 32B",
                "use swizzle 32B");
  }
  const bool isFloat = f.type >= MapType::F16;
  if (f.fill == MapFill::NaN && !isFloat)
    return fail(Code::TmaFillType, "NaN fill with an integer type",
                "use fill zero, or a floating-point type");
  return {};
}

Status titan::runtime::checkFields(const TensorMapFormat &f,
                                   const TensorMapFields &v,
                                   std::string_view place) {
  const int64_t unit = f.interleave == MapInterleave::B32 ? 32 : 16;
  auto fail = [&](Code code, std::string message, std::string fix) {
    return makeError(code, std::move(message), std::string(place),
                     std::move(fix));
  };
  const std::string multiple = "a multiple of " + std::to_string(unit);
  if (v.address % unit)
    return fail(Code::TmaBaseAlignment,
                "the base address is " + std::to_string(v.address % unit) +
                    " bytes past " + multiple,
                "pass a tensor that starts at " + multiple + " bytes");
  for (int d = 0; d < f.rank; ++d)
    if (v.dims[d] < 1 || v.dims[d] > int64_t{1} << 32)
      return fail(Code::TmaDimRange,
                  "dimension " + std::to_string(d) + " (0 is innermost) is " +
                      std::to_string(v.dims[d]),
                  "pass sizes from 1 to 2^32; an empty tensor needs no launch");
  for (int d = 1; d < f.rank; ++d) {
    const int64_t stride = v.byteStrides[d - 1];
    const std::string what = "the stride of dimension " + std::to_string(d) +
                             " (0 is innermost) is " + std::to_string(stride) +
                             " bytes";
    if (stride < 0 || stride >= int64_t{1} << 40)
      return fail(Code::TmaStrideRange, what, "pass strides from 0 to 2^40");
    if (stride % unit)
      return fail(Code::TmaStrideAlignment, what,
                  "pad the rows in memory so that their stride is " + multiple +
                      " bytes");
  }
  return {};
}
