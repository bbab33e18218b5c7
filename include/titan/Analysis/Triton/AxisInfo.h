//===- AxisInfo.h - runs, divisors and copies along a dimension -*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load of a tensor of pointers can be wide where the pointers are consecutive
// and the first of them is aligned. Of integers and pointers of a Triton program,
// scalars and tensors, three powers of two are known for each dimension:
//
//   contiguity c    places are cut into runs of c, from place 0 on; in each run
//                   every number is its predecessor + 1 (a pointer: one element on)
//   divisibility d  divides the *first number of each run*
//   constancy k     in each run of k places all numbers are equal
//
//                                                   c   d   k
//     [0, 1, 2, ..., 127]   make_range            128   *   1     (* 0: all divide)
//     [64, 64, ..., 64]     splat of 64             1  64 128
//     [10, 11, 12, 13, 18, 19, 20, 21]              4   2   1
//     [12, 13, 14, 15, 18, 19]                      2   2   1
//     [8, 8, 8, 8, 12, 12]                          1   4   2
//
// What does divisibility mean? Alone, nothing that helps: it is the alignment of
// a run. 16 | first and c = 8 say that 8 numbers can be fetched at once; without
// the runs 16 would divide one number in 16. Where a run is cut to c' < c, the
// new first numbers are first + c', first + 2c', ...: d becomes gcd(d, c').
//
// In which unit? That of the value: integers in ones, pointers in *bytes*, so a
// pointer's d is its alignment and runs of pointers to f16 go on by two bytes.
// addptr multiplies: offset divisible by 8, f16: 16 bytes. tt.divisibility = 16
// of a pointer argument is therefore 16 bytes. (128 / bits, which Triton's
// coalescing takes for pointers whose strides it does not see, counts elements in
// 16 bytes; as a number of bytes it is at most 16, so it is true, and less than
// what holds.) An access moves min(c, d / bytes of an element) elements at once,
// and no more than its mask's constancy (accessElements).
//
// Numbers are bit patterns: a run may wrap from 2^w - 1 to 0, and sums and
// products keep what is said here whether or not they overflow. Two steps look at
// the number itself, and say so (assumes):
//
//   * x / y and x mod y, signed, of a run: quotients round towards zero, so that
//     runs of copies and of successors hold where x is not negative.
//   * An extension of a run that is longer than its alignment, addptr's of an
//     i32 included: no run of 32 bits or more wraps. (Runs as long as their
//     alignment cannot; of narrower types wrapping is what programs do.)
//
// Over loops and branches the smallest fixed point of MLIR's data-flow framework:
// all three only fall. lib/Analysis/Scalars, the proof's polynomials, speak of
// scalars with names; here nothing has a name, and all that is wanted is powers
// of two.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_TRITON_AXISINFO_H
#define TITAN_ANALYSIS_TRITON_AXISINFO_H

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"

#include <optional>

namespace titan {

/// What is known of a value. Numbers are exponents of two; a scalar has one
/// dimension of extent 1.
struct AxisInfo {
  /// The exponent that stands for "every power of two": the number is 0.
  static constexpr unsigned all = 62;

  llvm::SmallVector<uint8_t, 4> contiguity, divisibility, constancy;
  /// By how much a run goes on: a pointer's bytes.
  uint8_t unit = 0;
  /// As a signed number.
  bool nonNegative = false;
  /// The number, where all elements are this one.
  std::optional<int64_t> number;

  /// Nothing has reached the value yet.
  bool isBottom() const { return contiguity.empty(); }
  unsigned rank() const { return contiguity.size(); }
  /// What holds of every value of this type.
  static AxisInfo unknown(mlir::Type type);
  /// What holds of both.
  static AxisInfo join(const AxisInfo &a, const AxisInfo &b);
  bool operator==(const AxisInfo &) const = default;
  void print(llvm::raw_ostream &os) const;
};

/// The analysis, for a solver; needs dead-code analysis and constants beside it
/// (dataflow::loadBaselineAnalyses).
class AxisInfoAnalysis : public mlir::dataflow::SparseForwardDataFlowAnalysis<
                             mlir::dataflow::Lattice<AxisInfo>> {
public:
  using State = mlir::dataflow::Lattice<AxisInfo>;
  /// `assume`: what the header lists is taken to hold.
  AxisInfoAnalysis(mlir::DataFlowSolver &solver, bool assume = true)
      : SparseForwardDataFlowAnalysis(solver), assume(assume) {}

  mlir::LogicalResult visitOperation(mlir::Operation *op,
                                     llvm::ArrayRef<const State *> operands,
                                     llvm::ArrayRef<State *> results) override;
  void setToEntryState(State *state) override;
  void visitNonControlFlowArguments(mlir::Operation *op,
                                    const mlir::RegionSuccessor &successor,
                                    llvm::ArrayRef<State *> arguments,
                                    unsigned firstIndex) override;

private:
  bool assume;
};

/// The fixed point over everything in `root`.
class AxisInfos {
public:
  explicit AxisInfos(mlir::Operation *root, bool assume = true);
  /// Of an integer, a pointer, or a tensor of them.
  AxisInfo of(mlir::Value value) const;
  /// Whether a result of the operation is only what it is if its operand is not
  /// negative, or does not wrap.
  bool assumes(mlir::Operation *op) const;
  /// How many elements along `dimension` (the last one by default) a load or
  /// store of these pointers moves at once; at most `bytes` of them.
  int64_t accessElements(mlir::Value pointer, mlir::Value mask,
                         int dimension = -1, int64_t bytes = 16) const;

private:
  mlir::DataFlowSolver solver;
  bool assume;
};

} // namespace titan

#endif
