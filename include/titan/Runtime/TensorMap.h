//===- TensorMap.h - Tensor maps and their rules ----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map tells the Tensor Memory Accelerator what a tensor in global
// memory looks like and how a box of it lies in shared memory. The driver
// encodes it into 128 opaque bytes (cuTensorMapEncodeTiled) and answers every
// broken rule with the same CUDA_ERROR_INVALID_VALUE; so the rules are checked
// here first, each with a code of its own. The static half is checked when a
// package is read, the other when it is launched.
//
// The numbers (limits, element types, swizzles) are those of lib/Target; the
// values of the enumerations here are the driver's.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_RUNTIME_TENSORMAP_H
#define TITAN_RUNTIME_TENSORMAP_H

#include "titan/Runtime/Error.h"
#include "titan/Target/Target.h"
#include "titan/Target/Tma.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace titan::runtime {

inline constexpr int maxMapRank = 5;

/// CUtensorMapInterleave: "none", "16B", "32B".
enum class MapInterleave : uint8_t { None = 0, B16 = 1, B32 = 2 };
/// CUtensorMapL2promotion: "none", "64B", "128B", "256B".
enum class MapL2Promotion : uint8_t { None = 0, B64 = 1, B128 = 2, B256 = 3 };
/// CUtensorMapFloatOOBfill: "zero", "nan".
enum class MapFill : uint8_t { Zero = 0, NaN = 1 };

std::optional<MapInterleave> parseMapInterleave(std::string_view text);
std::optional<MapL2Promotion> parseMapL2Promotion(std::string_view text);
std::optional<MapFill> parseMapFill(std::string_view text);

/// The fields of a map that do not change from launch to launch. Dimension 0 is
/// the innermost one, as the driver counts.
struct TensorMapFormat {
  const TmaType *type = nullptr;          ///< A row of tmaTypes().
  const TmaSwizzle *swizzle = nullptr;    ///< A row of tmaSwizzles().
  int rank = 0;                           ///< 1..5
  std::array<uint32_t, maxMapRank> box{}; ///< In elements, 1..256.
  std::array<uint32_t, maxMapRank> elementStrides{}; ///< In elements, 1..8.
  MapInterleave interleave = MapInterleave::None;
  MapL2Promotion l2Promotion = MapL2Promotion::None;
  MapFill fill = MapFill::Zero;
};

/// The fields that a launch brings. No padding: compared and hashed as bytes.
struct TensorMapFields {
  uint64_t address = 0;                              ///< In bytes.
  std::array<int64_t, maxMapRank> dims{};            ///< In elements.
  std::array<int64_t, maxMapRank - 1> byteStrides{}; ///< Of dims 1 and up.

  bool operator==(const TensorMapFields &) const = default;
};

/// Checks the static fields. Errors: tma-rank, tma-box-range, tma-box-bytes,
/// tma-box-swizzle, tma-element-stride, tma-interleave, tma-fill-type,
/// tma-swizzle-target.
Status checkFormat(const TargetInfo &target, const TensorMapFormat &format,
                   const std::string &place);

/// Checks a launch's fields; the caller adds the place. Errors:
/// tma-base-alignment, tma-dim-range, tma-stride-alignment, tma-stride-range.
Status checkFields(const TargetInfo &target, const TensorMapFormat &format,
                   const TensorMapFields &fields);

} // namespace titan::runtime

#endif // TITAN_RUNTIME_TENSORMAP_H
