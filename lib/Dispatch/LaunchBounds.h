//===- LaunchBounds.h - what numbers the launch knows -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a region ends that all CTAs copy, in all rounds of the loops around the
// copy, is often a number that the launch can compute. Of
//
//     %cta = titan.cta_id 0                 low     high
//     scf.for %t = %cta to %n step %ctas {  0       n - 1
//       %row = arith.muli %t, %c16          0       (n - 1) * 16
//
// the launch then requires that the last row lies in the tensor, or that no CTA
// has a round. The two ends are taken, each in some CTA and some round (a check of
// less than that would refuse launches that are right): a number of which that is
// not known has none. So it is of the CTA's own number in a persistent loop, which
// CTAs beyond its bound never enter, and in several such loops.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_DISPATCH_LAUNCHBOUNDS_H
#define TITAN_LIB_DISPATCH_LAUNCHBOUNDS_H

#include "titan/Dialect/Titan/Titan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace titan::dispatch {

/// Of a number of the body, the least and the greatest that it is, of type index in
/// the launch region.
struct LaunchBounds {
  mlir::Value low, high;
  /// What it varies with (a dimension of the grid, or a loop's counter), and
  /// whether it rises with that, or falls.
  llvm::SmallVector<std::pair<mlir::OpFoldResult, bool>> varies = {};

  bool isOne() const { return varies.empty(); }
};

class LaunchNumbers {
public:
  /// Writes in front of the builder's place, in the launch region.
  LaunchNumbers(KernelOp kernel, mlir::OpBuilder &b, mlir::Location loc)
      : kernel(kernel), b(b), loc(loc) {}

  /// Sets out from `op`: which loops are around it. False where it is not known
  /// that each round of theirs, in each CTA, comes to it: in a branch, say.
  bool enter(mlir::Operation *op);
  /// Nothing: that takes more than the launch knows.
  std::optional<LaunchBounds> of(mlir::Value value);

  /// Has the launch check that the number (null: 0) is never below `least` and never
  /// above `most`, a number of the launch region, where the launch knows it.
  void require(mlir::Value value, int64_t least, mlir::Value most,
               llvm::StringRef code, const llvm::Twine &message,
               const llvm::Twine &fix = "");

  mlir::Value constant(int64_t n) {
    return mlir::arith::ConstantIndexOp::create(b, loc, n);
  }
  template <typename Op> mlir::Value make(mlir::Value x, mlir::Value y) {
    return b.createOrFold<Op>(loc, x, y);
  }

private:
  mlir::Value index(mlir::Value value);
  mlir::Value gridOf(unsigned dimension);
  bool enterLoop(mlir::scf::ForOp loop);
  std::optional<LaunchBounds> compute(mlir::Value value);
  std::optional<LaunchBounds> combine(mlir::Operation *op);

  KernelOp kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
  /// Where one of these holds no CTA comes to it: a loop has no rounds.
  llvm::SmallVector<mlir::Value> skips;
  llvm::DenseMap<mlir::Value, LaunchBounds> counters;
  llvm::DenseMap<mlir::Value, std::optional<LaunchBounds>> known;
  std::optional<unsigned> persistent; ///< The dimension that a loop goes along.
};

} // namespace titan::dispatch

#endif
