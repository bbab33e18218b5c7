//===- MmaSum.h - How matrix instructions add up ----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX leaves open how a matrix instruction of floating point rounds. Hopper adds
// all of its products and the accumulator at once, in fixed point:
//
//   1  each product is exact, its exponent the sum of its factors' exponents
//      (1.5 * 1.5 = 2.25 has the exponent 0, not 1);
//   2  all terms, the accumulator among them, are aligned to the largest
//      exponent; what lies more than `fraction` bits below it is cut off, of
//      each term by itself, toward zero;
//   3  the sum of these is exact, and is rounded once into the accumulator's
//      type, for f32 toward zero, keeping `kept` bits of its significand.
//
//   operands            D     fraction  kept  rounding
//   f16, bf16, tf32     f32   25        23    toward zero
//   f16                 f16   25        10    to nearest, ties to even
//   e4m3, e5m2          f32   13        13    toward zero
//   e4m3, e5m2          f16   13        10    to nearest, ties to even
//
// So a sum of fp8 products in f32 has 13 bits of fraction after each instruction
// of K = 32. Who needs more adds some instructions' sums up in other registers
// (tests/Programs/gemm_fp8.mlir). Integers add up exactly.
//
// A zero sum is +0, whatever was added; a factor of zero has no exponent. With a
// NaN, 0 * infinity or infinities of both signs the result is the NaN 0x7fffffff
// (f16: 0x7fff).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TARGET_MMASUM_H
#define TITAN_TARGET_MMASUM_H

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace titan {

/// Element types of operands and accumulators.
enum class MmaType : uint8_t { F16, BF16, TF32, E4M3, E5M2, S8, U8, F32, S32 };

/// By the names of Target/Mma.h: "bf16", "s8".
std::optional<MmaType> findMmaType(std::string_view name);
std::string_view toString(MmaType type);

/// A row of the table above.
struct MmaArithmetic {
  std::string_view operands; ///< Types of A and B, separated by blanks.
  std::string_view d;
  int fraction;
  int kept;
  bool nearest; ///< Rounds to nearest, ties to even; else toward zero.
  std::string_view source;
};
std::span<const MmaArithmetic> allMmaArithmetic();
/// Null: no such instruction, or one of integers.
const MmaArithmetic *findMmaArithmetic(std::string_view a, std::string_view d);

/// A product of two matrices, by as many instructions as K has multiples of
/// `depth`, k ascending.
struct MmaProduct {
  MmaType a = MmaType::F16, b = MmaType::F16, d = MmaType::F32;
  int depth = 16;
  bool negateA = false, negateB = false;
  bool saturate = false; ///< Integers: clamped after each instruction.

  /// D (rows x columns) += A (rows x k) * B (columns x k)^T, all row-major, an
  /// element's bits in the low end of a word.
  void multiply(int64_t rows, int64_t columns, int64_t k, const uint32_t *a,
                const uint32_t *b, uint32_t *d) const;
};

} // namespace titan

#endif // TITAN_TARGET_MMASUM_H
