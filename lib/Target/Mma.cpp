//===- Mma.cpp - Shapes of matrix instructions ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Target/Mma.h"

#include "Words.h"

namespace titan {
namespace {

constexpr std::string_view w =
    "PTX \"wgmma: Matrix shape\"; every N assembled with ptxas 13.0";
constexpr std::string_view t =
    "PTX \"tcgen05: Matrix shape\", \"Kind::\" tables";
constexpr std::string_view s = "PTX \"mma: Multiply-and-Accumulate "
                               "Instruction\"; assembled with ptxas 13.0";
constexpr std::string_view f = "CDNA3 ISA, MFMA; assembled with llvm-mc 22";

using enum MmaFamily;

constexpr MmaShape shapes[] = {
    // wgmma: one warpgroup, M 64, K of 32 bytes.
    {Wgmma, "f16", "f16", "", "f16 f32", 64, 8, 256, 8, 16, 1, true, w},
    {Wgmma, "bf16", "bf16", "", "f32", 64, 8, 256, 8, 16, 1, true, w},
    {Wgmma, "tf32", "tf32", "", "f32", 64, 8, 256, 8, 8, 1, false, w},
    {Wgmma, "fp8", "e4m3 e5m2", "e4m3 e5m2", "f16 f32", 64, 8, 256, 8, 32, 1,
     false, w},
    {Wgmma, "i8", "s8 u8", "s8 u8", "s32", 64, 8, 32, 8, 32, 1, false, w},
    {Wgmma, "i8", "s8 u8", "s8 u8", "s32", 64, 48, 256, 16, 32, 1, false, w},
    {Wgmma, "b1", "b1", "", "s32", 64, 8, 32, 8, 256, 1, false, w},
    {Wgmma, "b1", "b1", "", "s32", 64, 48, 256, 16, 256, 1, false, w},
    // tcgen05, one CTA.
    {Tcgen05, "f16", "f16", "", "f16 f32", 64, 8, 256, 8, 16, 1, true, t},
    {Tcgen05, "f16", "bf16", "", "f32", 64, 8, 256, 8, 16, 1, true, t},
    {Tcgen05, "tf32", "tf32", "", "f32", 64, 8, 256, 8, 8, 1, true, t},
    {Tcgen05, "f8f6f4", "e4m3 e5m2 e2m3 e3m2 e2m1", "e4m3 e5m2 e2m3 e3m2 e2m1",
     "f16 f32", 64, 8, 256, 8, 32, 1, true, t},
    {Tcgen05, "i8", "s8", "", "s32", 64, 8, 32, 8, 32, 1, true, t},
    {Tcgen05, "i8", "s8", "", "s32", 64, 48, 256, 16, 32, 1, true, t},
    {Tcgen05, "i8", "u8", "", "s32", 64, 8, 32, 8, 32, 1, true, t},
    {Tcgen05, "i8", "u8", "", "s32", 64, 48, 256, 16, 32, 1, true, t},
    {Tcgen05, "f16", "f16", "", "f16 f32", 128, 8, 256, 8, 16, 1, true, t},
    {Tcgen05, "f16", "bf16", "", "f32", 128, 8, 256, 8, 16, 1, true, t},
    {Tcgen05, "tf32", "tf32", "", "f32", 128, 8, 256, 8, 8, 1, true, t},
    {Tcgen05, "f8f6f4", "e4m3 e5m2 e2m3 e3m2 e2m1", "e4m3 e5m2 e2m3 e3m2 e2m1",
     "f16 f32", 128, 8, 256, 8, 32, 1, true, t},
    {Tcgen05, "i8", "s8", "", "s32", 128, 8, 32, 8, 32, 1, true, t},
    {Tcgen05, "i8", "s8", "", "s32", 128, 48, 256, 16, 32, 1, true, t},
    {Tcgen05, "i8", "u8", "", "s32", 128, 8, 32, 8, 32, 1, true, t},
    {Tcgen05, "i8", "u8", "", "s32", 128, 48, 256, 16, 32, 1, true, t},
    // tcgen05, a pair of CTAs.
    {Tcgen05, "f16", "f16", "", "f16 f32", 128, 16, 256, 16, 16, 2, true, t},
    {Tcgen05, "f16", "f16", "", "f16 f32", 256, 16, 256, 16, 16, 2, true, t},
    {Tcgen05, "f16", "bf16", "", "f32", 128, 16, 256, 16, 16, 2, true, t},
    {Tcgen05, "f16", "bf16", "", "f32", 256, 16, 256, 16, 16, 2, true, t},
    {Tcgen05, "tf32", "tf32", "", "f32", 128, 16, 256, 16, 8, 2, true, t},
    {Tcgen05, "tf32", "tf32", "", "f32", 256, 16, 256, 16, 8, 2, true, t},
    {Tcgen05, "f8f6f4", "e4m3 e5m2 e2m3 e3m2 e2m1", "e4m3 e5m2 e2m3 e3m2 e2m1",
     "f16 f32", 128, 16, 256, 16, 32, 2, true, t},
    {Tcgen05, "f8f6f4", "e4m3 e5m2 e2m3 e3m2 e2m1", "e4m3 e5m2 e2m3 e3m2 e2m1",
     "f16 f32", 256, 16, 256, 16, 32, 2, true, t},
    {Tcgen05, "i8", "s8", "", "s32", 128, 32, 256, 32, 32, 2, true, t},
    {Tcgen05, "i8", "u8", "", "s32", 128, 32, 256, 32, 32, 2, true, t},
    {Tcgen05, "i8", "s8", "", "s32", 256, 32, 256, 32, 32, 2, true, t},
    {Tcgen05, "i8", "u8", "", "s32", 256, 32, 256, 32, 32, 2, true, t},
    // mma.sync: one warp; both operands in registers.
    {MmaSync, "f16", "f16", "", "f16 f32", 16, 8, 8, 8, 16, 1, false, s},
    {MmaSync, "f16", "f16", "", "f16 f32", 16, 8, 8, 8, 8, 1, false, s},
    {MmaSync, "bf16", "bf16", "", "f32", 16, 8, 8, 8, 16, 1, false, s},
    {MmaSync, "bf16", "bf16", "", "f32", 16, 8, 8, 8, 8, 1, false, s},
    {MmaSync, "tf32", "tf32", "", "f32", 16, 8, 8, 8, 8, 1, false, s},
    {MmaSync, "tf32", "tf32", "", "f32", 16, 8, 8, 8, 4, 1, false, s},
    {MmaSync, "i8", "s8 u8", "s8 u8", "s32", 16, 8, 8, 8, 32, 1, false, s},
    {MmaSync, "i8", "s8 u8", "s8 u8", "s32", 16, 8, 8, 8, 16, 1, false, s},
    // MFMA: one wave; both operands in registers.
    {Mfma, "32x32x8_f16", "f16", "", "f32", 32, 32, 32, 32, 8, 1, false, f},
    {Mfma, "16x16x16_f16", "f16", "", "f32", 16, 16, 16, 16, 16, 1, false, f},
    {Mfma, "32x32x8_bf16_1k", "bf16", "", "f32", 32, 32, 32, 32, 8, 1, false,
     f},
    {Mfma, "16x16x16_bf16_1k", "bf16", "", "f32", 16, 16, 16, 16, 16, 1, false,
     f},
    {Mfma, "32x32x16_fp8", "e4m3fnuz e5m2fnuz", "e4m3fnuz e5m2fnuz", "f32", 32,
     32, 32, 32, 16, 1, false, f},
    {Mfma, "16x16x32_fp8", "e4m3fnuz e5m2fnuz", "e4m3fnuz e5m2fnuz", "f32", 16,
     16, 16, 16, 32, 1, false, f},
    {Mfma, "32x32x16_i8", "s8", "", "s32", 32, 32, 32, 32, 16, 1, false, f},
    {Mfma, "16x16x32_i8", "s8", "", "s32", 16, 16, 16, 16, 32, 1, false, f},
    {Mfma, "32x32x4_xf32", "tf32", "", "f32", 32, 32, 32, 32, 4, 1, false, f},
    {Mfma, "16x16x8_xf32", "tf32", "", "f32", 16, 16, 16, 16, 8, 1, false, f},
    {Mfma, "32x32x2_f32", "f32", "", "f32", 32, 32, 32, 32, 2, 1, false, f},
    {Mfma, "16x16x4_f32", "f32", "", "f32", 16, 16, 16, 16, 4, 1, false, f},
    {Mfma, "16x16x4_f64", "f64", "", "f64", 16, 16, 16, 16, 4, 1, false, f},
};

} // namespace

bool MmaShape::takes(std::string_view aType, std::string_view bType,
                     std::string_view dType) const {
  return hasWord(a, aType) &&
         (b.empty() ? aType == bType : hasWord(b, bType)) && hasWord(d, dType);
}

bool MmaShape::takesN(int n) const {
  return n >= nMin && n <= nMax && (n - nMin) % nStep == 0;
}

std::span<const MmaShape> allMmaShapes() { return shapes; }

const MmaShape *findMma(MmaFamily family, std::string_view a,
                        std::string_view b, std::string_view d, int m, int n,
                        int k, int ctas, Code *why) {
  Code reason = Code::MmaType;
  for (const MmaShape &row : shapes) {
    if (row.family != family || !row.takes(a, b, d))
      continue;
    if (row.m == m && row.takesN(n) && row.k == k && row.ctas == ctas)
      return &row;
    reason = Code::MmaShape;
  }
  if (why)
    *why = reason;
  return nullptr;
}

MmaFamily mmaFamily(TargetId target) {
  switch (target) {
  case TargetId::Sm90a:
    return Wgmma;
  case TargetId::Sm100a:
    return Tcgen05;
  case TargetId::Gfx942:
    return Mfma;
  }
  return Wgmma;
}

std::string_view toString(MmaFamily family) {
  switch (family) {
  case Wgmma:
    return "wgmma";
  case Tcgen05:
    return "tcgen05.mma";
  case Mfma:
    return "mfma";
  case MmaFamily::MmaSync:
    return "mma.sync";
  }
  return "";
}

} // namespace titan
