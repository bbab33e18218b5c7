//===- Tma.h - Element types, swizzles and reductions of TMA ----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The enumerations of tensor maps as tables. Sizes are bytes unless a name says
// otherwise. What a tiled copy computes is a function in lib/Domain; the limits
// of boxes, strides and alignments are rows of Limits.def.
//
//===----------------------------------------------------------------------===//

#ifndef TITAN_TARGET_TMA_H
#define TITAN_TARGET_TMA_H

#include "titan/Target/Target.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace titan {

/// An element type of a tensor map.
struct TmaType {
  std::string_view name;        ///< "bf16"; "b4x16_p64" for packed types.
  int driver;                   ///< Value of CUtensorMapDataType.
  int replace;                  ///< new_val of tensormap.replace .elemtype.
  int bits;                     ///< Bits of one element in global memory.
  bool nanFill;                 ///< Out-of-bounds elements may be NaN.
  std::optional<Feature> needs; ///< Beside tensor maps.
  std::string_view source;

  bool existsOn(const TargetInfo &target) const {
    return !needs || target.has(*needs);
  }
};

std::span<const TmaType> tmaTypes();
const TmaType *findTmaType(std::string_view name);

/// A swizzle mode: bits of the absolute shared-memory address that are XORed.
struct TmaSwizzle {
  std::string_view name; ///< "128B".
  int driver;            ///< Value of CUtensorMapSwizzle; -1: no such value.
  int replaceMode;       ///< new_val of .swizzle_mode.
  int replaceAtomicity;  ///< new_val of .swizzle_atomicity.
  int span;              ///< Largest inner box extent in bytes; 0: no limit.
  int atom;              ///< Bytes that stay together.
  int period;            ///< The pattern repeats after so many bytes.
  /// address ^= (address >> shift) & mask, and the same with shift2, mask2.
  uint32_t mask, shift;
  uint32_t mask2, shift2;
  std::optional<Feature> needs; ///< Beside tensor maps.
  bool loadOnly, storeOnly;
  std::string_view source;

  bool existsOn(const TargetInfo &target) const {
    return !needs || target.has(*needs);
  }

  /// The swizzled address.
  constexpr uint32_t apply(uint32_t address) const {
    return address ^ ((address >> shift) & mask) ^
           ((address >> shift2) & mask2);
  }
};

std::span<const TmaSwizzle> tmaSwizzles();
const TmaSwizzle *findTmaSwizzle(std::string_view name);

/// A reduction of cp.reduce.async.bulk.tensor and its element types.
struct TmaReduction {
  std::string_view op;
  std::string_view types; ///< Separated by blanks.
  std::string_view source;
};

std::span<const TmaReduction> tmaReductions();
bool hasTmaReduction(std::string_view op, std::string_view type);

} // namespace titan

#endif // TITAN_TARGET_TMA_H
