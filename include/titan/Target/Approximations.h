//===- Approximations.h - what PTX computes approximately -------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX has no exact exponential. Its approximations come with bounds of their
// error, one row each below; what math's functions become is a second table,
// which the lowering and the simulator read:
//
//   math.exp x    ex2.approx.f32 of x * log2(e)
//   math.log x    lg2.approx.f32 of x, times log(2)
//
// f16 and bf16 are computed in f32 and rounded. With fastmath<afn>, exp2's results
// below 2^-126 are zeros (ex2.approx.ftz.f32), and so are sqrt's operands.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TARGET_APPROXIMATIONS_H
#define TITAN_TARGET_APPROXIMATIONS_H

#include <optional>
#include <span>
#include <string_view>

namespace titan {

/// The largest error of an instruction, for operands from `low` to `high`.
/// Operands that no row has have no bound; of several rows the first counts.
struct ErrorBound {
  std::string_view instruction; ///< "ex2.approx.f32"
  double low, high;
  enum Kind : unsigned char {
    Relative, ///< of the exact result
    Absolute,
    Ulp, ///< units in the last place of the exact result, in f32
  } kind;
  double bound;
  std::string_view text; ///< "2^-22.9", as the source says it, or as measured.
  /// Section of the PTX ISA; none: written out by lib/Conversion/TitanToLLVM.
  std::string_view source;
};
std::span<const ErrorBound> errorBounds();

/// A function as an instruction: `after * instruction(before * x)`, in f32.
struct ApproximateFunction {
  std::string_view name; ///< Of math's operation: "exp".
  std::string_view instruction;
  double before = 1, after = 1;
  /// The instruction that takes subnormal operands and results for zeros, where
  /// there is one: a scaling less. It is what fastmath<afn> asks for.
  std::string_view flushing = {};
};
std::span<const ApproximateFunction> approximateFunctions();
/// arith.divf with fastmath<afn>: as a function of the quotient.
const ApproximateFunction &approximateDivision();
/// math.sqrt with fastmath<afn>; without, it is rounded to nearest.
const ApproximateFunction &approximateRoot();
/// Null: not approximated.
const ApproximateFunction *findApproximateFunction(std::string_view name);

/// The largest distance of what the function gives for `x`, an f32, from its
/// exact result `value`: the instruction's own error, and that of the products
/// around it. None: there is no bound for x.
std::optional<double> errorBound(const ApproximateFunction &function, double x,
                                 double value);

} // namespace titan

#endif // TITAN_TARGET_APPROXIMATIONS_H
