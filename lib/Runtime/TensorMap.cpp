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

std::optional<MapInterleave>
titan::runtime::parseMapInterleave(std::string_view text) {
  static constexpr std::string_view names[] = {"none", "16B", "32B"};
  return byName<MapInterleave>(names, text);
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

Status titan::runtime::checkFormat(const TargetInfo &target,
                                   const TensorMapFormat &f,
                                   const std::string &place) {
  auto fail = [&](Code code, std::string message) {
    return makeError(code, std::move(message), place);
  };
  if (f.rank < 1 || f.rank > target.tmaMaxRank)
    return fail(Code::TmaRank, "rank " + std::to_string(f.rank));
  if (f.interleave != MapInterleave::None && f.rank < 3)
    return fail(Code::TmaInterleave,
                "interleave at rank " + std::to_string(f.rank));
  const bool sm90 = target.id == TargetId::Sm90a;
  if (sm90 && (!f.type->sm90 || !f.swizzle->sm90))
    return fail(Code::TmaSwizzleTarget,
                std::string(f.type->sm90 ? f.swizzle->name : f.type->name) +
                    " on " + std::string(target.name));
  if (f.type->bits % 8)
    return fail(Code::ManifestInvalid,
                "the runtime does not support the packed type " +
                    std::string(f.type->name) + " yet");
  for (int d = 0; d < f.rank; ++d) {
    if (f.box[d] < 1 || f.box[d] > target.tmaMaxBox)
      return fail(Code::TmaBoxRange, "box dimension " + std::to_string(d) +
                                         " is " + std::to_string(f.box[d]));
    if (f.elementStrides[d] < 1 ||
        f.elementStrides[d] > target.tmaMaxElementStride)
      return fail(Code::TmaElementStride,
                  "element stride " + std::to_string(d) + " is " +
                      std::to_string(f.elementStrides[d]));
  }
  const int64_t inner = int64_t{f.box[0]} * f.type->bits / 8;
  const std::string what =
      "box dimension 0 takes " + std::to_string(inner) + " bytes";
  if (inner % target.tmaBoxBytesMultiple)
    return fail(Code::TmaBoxBytes, what);
  if (f.interleave == MapInterleave::None && f.swizzle->span &&
      inner > f.swizzle->span)
    return fail(Code::TmaBoxSwizzle, what + ", the swizzle spans " +
                                         std::to_string(f.swizzle->span));
  int64_t total = f.type->bits / 8;
  for (int d = 0; d < f.rank; ++d)
    total *= f.box[d] / f.elementStrides[d];
  if (total > target.sharedBytesPerSm)
    return fail(Code::TmaBoxRange,
                "the box takes " + std::to_string(total) + " bytes");
  if (f.interleave == MapInterleave::B32 && f.swizzle->name != "32B" && !sm90)
    return fail(Code::TmaInterleave,
                "interleave 32B with swizzle " + std::string(f.swizzle->name));
  if (f.fill == MapFill::NaN && !f.type->nanFill)
    return fail(Code::TmaFillType,
                "NaN fill with type " + std::string(f.type->name));
  return {};
}

Status titan::runtime::checkFields(const TargetInfo &target,
                                   const TensorMapFormat &f,
                                   const TensorMapFields &v) {
  const int64_t factor = f.interleave == MapInterleave::B32 ? 2 : 1;
  auto fail = [&](Code code, std::string message) {
    return makeError(code, std::move(message), {});
  };
  auto innermost = [](const char *what, int d) {
    return std::string(what) + std::to_string(d) + " (0 is innermost) is ";
  };
  const uint64_t baseUnit = target.tmaBaseAlignment * factor;
  if (v.address % baseUnit)
    return fail(Code::TmaBaseAlignment,
                "the base address is " + std::to_string(v.address % baseUnit) +
                    " bytes past a multiple of " + std::to_string(baseUnit));
  for (int d = 0; d < f.rank; ++d)
    if (v.dims[d] < 1 || v.dims[d] > target.tmaMaxDim)
      return fail(Code::TmaDimRange,
                  innermost("dimension ", d) + std::to_string(v.dims[d]));
  const int64_t strideUnit = target.tmaStrideAlignment * factor;
  for (int d = 1; d < f.rank; ++d) {
    const int64_t stride = v.byteStrides[d - 1];
    if (stride < 0 || stride > target.tmaMaxStride)
      return fail(Code::TmaStrideRange,
                  innermost("the stride of dimension ", d) +
                      std::to_string(stride) + " bytes");
    if (stride % strideUnit)
      return fail(Code::TmaStrideAlignment,
                  innermost("the stride of dimension ", d) +
                      std::to_string(stride) + " bytes, no multiple of " +
                      std::to_string(strideUnit));
  }
  return {};
}
