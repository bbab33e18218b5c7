//===- Tma.cpp - Element types, swizzles and reductions of TMA ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Target/Tma.h"

#include "Words.h"

namespace titan {
namespace {

/// What every target with tensor maps has.
constexpr std::nullopt_t always = std::nullopt;

constexpr std::string_view d =
    "driver API, CUtensorMapDataType; PTX \"tensormap.replace\"";
constexpr TmaType types[] = {
    {"u8", 0, 0, 8, false, always, d},
    {"u16", 1, 1, 16, false, always, d},
    {"u32", 2, 2, 32, false, always, d},
    {"s32", 3, 3, 32, false, always, d},
    {"u64", 4, 4, 64, false, always, d},
    {"s64", 5, 5, 64, false, always, d},
    {"f16", 6, 6, 16, true, always, d},
    {"f32", 7, 7, 32, true, always, d},
    {"f64", 8, 9, 64, true, always, d},
    {"bf16", 9, 10, 16, true, always, d},
    {"f32.ftz", 10, 8, 32, true, always, d},
    {"tf32", 11, 11, 32, true, always, d},
    {"tf32.ftz", 12, 12, 32, true, always, d},
    {"b4x16", 13, 13, 4, false, Feature::TmaSubByte, d},
    {"b4x16_p64", 14, 14, 4, false, Feature::TmaSubByte, d},
    {"b6x16_p32", 15, 15, 6, false, Feature::TmaSubByte, d},
};

constexpr std::string_view s =
    "driver API, CUtensorMapSwizzle; PTX \"Swizzling modes\"";
constexpr std::string_view measured =
    "driver API, CUtensorMapSwizzle; PTX \"Swizzling modes\"; measured on an "
    "H200";
/// A load with it is reported to trap on sm_100; the driver's documentation has
/// it for stores alone of b6x16_p32, and neither for b4x16_p64 nor im2col::w,
/// which only load (docs/tma-facts.md W3).
constexpr std::string_view stores =
    "driver API, CUtensorMapSwizzle (\"Store only\"); PTX \"Swizzling modes\"";
constexpr TmaSwizzle swizzles[] = {
    {"none", 0, 0, 0, 0, 16, 16, 0, 0, 0, 0, always, false, false, measured},
    {"32B", 1, 1, 0, 32, 16, 256, 1 << 4, 3, 0, 0, always, false, false,
     measured},
    {"64B", 2, 2, 0, 64, 16, 512, 3 << 4, 3, 0, 0, always, false, false,
     measured},
    {"128B", 3, 3, 0, 128, 16, 1024, 7 << 4, 3, 0, 0, always, false, false,
     measured},
    {"128B_atom_32B", 4, 3, 1, 128, 32, 512, 3 << 5, 2, 0, 0,
     Feature::TmaSwizzleAtoms, false, false, s},
    {"128B_atom_32B_flip_8B", 5, 3, 2, 128, 32, 512, 3 << 5, 2, 1 << 3, 4,
     Feature::TmaSwizzleAtoms, true, false, s},
    {"128B_atom_64B", 6, 3, 3, 128, 64, 256, 1 << 6, 1, 0, 0,
     Feature::TmaSwizzleAtoms, false, true, stores},
};

constexpr std::string_view r =
    "PTX \"cp.reduce.async.bulk.tensor\"; every pair run on an H200 (others "
    "fault; add of f64 and tf32 is not documented)";
constexpr TmaReduction reductions[] = {
    {"add", "u32 s32 u64 f16 f32 f64 bf16 f32.ftz tf32 tf32.ftz", r},
    {"min", "u32 s32 u64 s64 f16 bf16", r},
    {"max", "u32 s32 u64 s64 f16 bf16", r},
    {"inc", "u32", r},
    {"dec", "u32", r},
    {"and", "u32 s32 u64", r},
    {"or", "u32 s32 u64", r},
    {"xor", "u32 s32 u64", r},
};

} // namespace

std::span<const TmaType> tmaTypes() { return types; }
std::span<const TmaSwizzle> tmaSwizzles() { return swizzles; }
std::span<const TmaReduction> tmaReductions() { return reductions; }

const TmaType *findTmaType(std::string_view name) {
  for (const TmaType &type : types)
    if (type.name == name)
      return &type;
  return nullptr;
}

const TmaSwizzle *findTmaSwizzle(std::string_view name) {
  for (const TmaSwizzle &swizzle : swizzles)
    if (swizzle.name == name)
      return &swizzle;
  return nullptr;
}

bool hasTmaReduction(std::string_view op, std::string_view type) {
  for (const TmaReduction &reduction : reductions)
    if (reduction.op == op)
      return hasWord(reduction.types, type);
  return false;
}

} // namespace titan
