//===- TensorMap.h - Tensor maps and their rules ----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map tells the Tensor Memory Accelerator what a tensor in global
// memory looks like and how a box of it lies in shared memory. The driver
// encodes it into 128 opaque bytes (cuTensorMapEncodeTiled, or EncodeIm2col)
// and answers every broken rule with the same CUDA_ERROR_INVALID_VALUE; so the
// rules of lib/Domain are asked first, each with a code of its own: those of
// the static fields when a package is read, all of them when it is launched.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_RUNTIME_TENSORMAP_H
#define TITAN_RUNTIME_TENSORMAP_H

#include "titan/Domain/TensorMap.h"
#include "titan/Runtime/Error.h"
#include "titan/Target/Target.h"
#include "titan/Target/Tma.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace titan::runtime {

inline constexpr int maxMapRank = TensorMap::maxRank;

/// CUtensorMapInterleave: "none", "16B", "32B".
std::optional<TmaInterleave> parseMapInterleave(std::string_view text);
/// CUtensorMapL2promotion: "none", "64B", "128B", "256B"; in bytes.
std::optional<int> parseMapL2Promotion(std::string_view text);
/// CUtensorMapFloatOOBfill: "zero", "nan"; whether it is NaN.
std::optional<bool> parseMapFill(std::string_view text);

/// The fields of a map that do not change from launch to launch: all but
/// address, dims and strides. Dimension 0 is the innermost one, as the driver
/// counts.
using TensorMapFormat = titan::TensorMap;

/// The fields that a launch brings. No padding: compared and hashed as bytes.
struct TensorMapFields {
  uint64_t address;                                ///< In bytes.
  std::array<int64_t, maxMapRank> dims;            ///< In elements.
  std::array<int64_t, maxMapRank - 1> byteStrides; ///< Of dims 1 and up.

  bool operator==(const TensorMapFields &) const = default;
};

/// The rules of lib/Domain (validate) for the static fields. Errors: those of
/// titan::validate; manifest-invalid for packed types.
Status checkFormat(const TargetInfo &target, const TensorMapFormat &format,
                   const std::string &place);

/// And for all fields of a launch; the caller adds the place. Errors:
/// tma-base-alignment, tma-dim-range, tma-stride-alignment, tma-stride-range,
/// tma-im2col.
Status checkFields(const TargetInfo &target, const TensorMapFormat &format,
                   const TensorMapFields &fields);

} // namespace titan::runtime

#endif // TITAN_RUNTIME_TENSORMAP_H
