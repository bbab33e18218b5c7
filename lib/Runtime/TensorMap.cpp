//===- TensorMap.cpp - Tensor maps and their rules ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/TensorMap.h"

#include <algorithm>
#include <iterator>

using namespace titan;
using namespace titan::runtime;

/// The place of a name among others.
template <size_t N>
static std::optional<int> indexOf(const std::string_view (&names)[N],
                                  std::string_view text) {
  auto *found = std::find(std::begin(names), std::end(names), text);
  if (found == std::end(names))
    return std::nullopt;
  return static_cast<int>(found - names);
}

std::optional<TmaInterleave>
titan::runtime::parseMapInterleave(std::string_view text) {
  static constexpr std::string_view names[] = {"none", "16B", "32B"};
  auto index = indexOf(names, text);
  return index ? std::optional(static_cast<TmaInterleave>(*index))
               : std::nullopt;
}

std::optional<int> titan::runtime::parseMapL2Promotion(std::string_view text) {
  static constexpr std::string_view names[] = {"none", "64B", "128B", "256B"};
  auto index = indexOf(names, text);
  return index ? std::optional(*index ? 32 << *index : 0) : std::nullopt;
}

std::optional<bool> titan::runtime::parseMapFill(std::string_view text) {
  static constexpr std::string_view names[] = {"zero", "nan"};
  auto index = indexOf(names, text);
  return index ? std::optional(*index == 1) : std::nullopt;
}

static Status firstOf(const std::vector<TmaViolation> &found,
                      const std::string &place) {
  if (found.empty())
    return {};
  return makeError(found[0].code, found[0].field + ": " + found[0].message,
                   place);
}

Status titan::runtime::checkFormat(const TargetInfo &target,
                                   const TensorMapFormat &f,
                                   const std::string &place) {
  auto ok = firstOf(
      validate(f, target, {.address = true, .dims = 0xff, .strides = 0xff}),
      place);
  if (ok && f.type->bits % 8)
    return makeError(Code::ManifestInvalid,
                     "the runtime does not support the packed type " +
                         std::string(f.type->name) + " yet",
                     place);
  return ok;
}

Status titan::runtime::checkFields(const TargetInfo &target,
                                   const TensorMapFormat &f,
                                   const TensorMapFields &v) {
  titan::TensorMap map = f;
  map.address = v.address;
  for (int d = 0; d < f.rank; ++d) {
    if (v.dims[d] < 0)
      return makeError(Code::TmaDimRange,
                       "globalDim[" + std::to_string(d) + "]: extent " +
                           std::to_string(v.dims[d]),
                       {});
    map.dims[d] = static_cast<uint64_t>(v.dims[d]);
    if (d == 0)
      continue;
    if (v.byteStrides[d - 1] < 0)
      return makeError(Code::TmaStrideRange,
                       "globalStrides[" + std::to_string(d - 1) +
                           "]: stride of " +
                           std::to_string(v.byteStrides[d - 1]) + " bytes",
                       {});
    map.strides[d - 1] = static_cast<uint64_t>(v.byteStrides[d - 1]);
  }
  return firstOf(validate(map, target), {});
}
