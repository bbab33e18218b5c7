//===- Mma.h - Shapes of matrix instructions --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D (M x N) = A (M x K) * B (K x N) + D, all extents in elements. A row stands
// for a family of instructions: fixed M and K, and N from a range. Element
// types are named as in PTX ("bf16", "e4m3"); a row lists those it takes.
//
//===----------------------------------------------------------------------===//

#ifndef TITAN_TARGET_MMA_H
#define TITAN_TARGET_MMA_H

#include "titan/Target/Target.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace titan {

enum class MmaFamily : uint8_t { Wgmma, Tcgen05, Mfma, MmaSync };

struct MmaShape {
  MmaFamily family;
  std::string_view kind; ///< "f16", "tf32", ...; MFMA: the instruction's name.
  std::string_view a;    ///< Element types of A, separated by blanks.
  std::string_view b;    ///< Element types of B; empty: the same as A's.
  std::string_view d;    ///< Accumulator types.
  int m;                 ///< Extent over all CTAs that take part.
  int nMin, nMax, nStep;
  int k;
  int ctas;       ///< 2 for tcgen05 cta_group::2, else 1.
  bool transpose; ///< A and B may be M- and N-major in shared memory.
  std::string_view source;

  bool takes(std::string_view aType, std::string_view bType,
             std::string_view dType) const;
  bool takesN(int n) const;
};

std::span<const MmaShape> allMmaShapes();

/// The row of an instruction; null if there is none. Then `why` (if not null)
/// is Code::MmaType when no row has these types, else Code::MmaShape.
const MmaShape *findMma(MmaFamily family, std::string_view a,
                        std::string_view b, std::string_view d, int m, int n,
                        int k, int ctas = 1, Code *why = nullptr);

/// The family that a target's matrix unit has.
MmaFamily mmaFamily(TargetId target);

std::string_view toString(MmaFamily family);

} // namespace titan

#endif // TITAN_TARGET_MMA_H
