//===- LaunchRanges.h - ranges of what a launch passes -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's integer ranges (InferIntRangeInterface) over a launch region, with what the
// launch itself makes sure of before any thread runs:
//
//   %m = titan.dim %X, 0                 0 <= %m            a size
//   %map = titan.tensor_map %X           %m <= 2^32         cuTensorMapEncodeTiled
//   titan.require (%tiles <= %limit)     %tiles <= 2^31 - 1 a launch check
//   %rows = ceildivui %m, 128            0 <= %rows <= 2^25 MLIR's arithmetic
//
// The parameters of the compiled kernel carry their ranges (llvm.range), by which
// titan-narrow-indices and LLVM compute in 32 bits what fits them.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_CONVERSION_LAUNCHRANGES_H
#define TITAN_CONVERSION_LAUNCHRANGES_H

#include "titan/Dialect/Titan/Titan.h"

#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace titan {

class LaunchRanges {
public:
  explicit LaunchRanges(KernelOp kernel);
  /// That of an integer or index which the launch computes; none where nothing
  /// is known of it.
  std::optional<mlir::ConstantIntRanges> of(mlir::Value value) const;
  /// That of a tensor's size, in elements.
  mlir::ConstantIntRanges ofSize(mlir::Value tensor, unsigned dimension) const;

private:
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::ConstantIntRanges>
      sizes;
  llvm::DenseMap<mlir::Value, mlir::ConstantIntRanges> ranges;
};

} // namespace titan

#endif
