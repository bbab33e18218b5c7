//===- TritonToTitan.h - from Triton's IR to titan IR -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of tt says what becomes of tensors; a kernel of titan IR says which
// thread holds which element, and through which memory elements go from thread to
// thread. Three things are decided on the way:
//
//   layouts    accesses to memory first: as many consecutive elements a thread as
//              contiguity and divisibility allow, at most 16 bytes, all accesses of
//              one shape and order alike. What is computed from loaded tiles stays
//              where they are; indices and masks, which are computed from numbers
//              alone, are computed wherever they are wanted. Where two layouts meet
//              stands a titan.convert_layout.
//   pointers   an argument is a tensor of one dimension, whose size the launch
//              knows; a pointer is that argument and an offset in elements, an i32.
//              The launch checks that the tensor has at most 2^31 - 1 elements: an
//              offset into it is right modulo 2^32, however it was computed.
//              A pointer that is made of a number (tt.int_to_ptr) begins a tensor
//              whose size nobody knows (titan.tensor_at).
//   the grid   further arguments, grid_x, grid_y and grid_z, are numbers of
//              programs, one for each axis that the program asks for, and for x where
//              it has atomics (locks, counters); along others there is one. A program
//              is a CTA.
//
// What cannot be said in titan IR yet is [not-supported-yet], at the line of the
// Python source (docs/triton.md has the table).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_CONVERSION_TRITONTOTITAN_H
#define TITAN_CONVERSION_TRITONTOTITAN_H

#include "titan/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace titan {

struct TritonToTitanOptions {
  int64_t warps = 4; ///< Of a program: a power of two.
  /// num_stages of loops that do not say it themselves: a load that a product takes, and
  /// whose addresses are known, is copied so many rounds, less one, ahead, where memory
  /// holds as many, and at most 15. 0 or 1: none is. Which ones are, and why others are
  /// not, remarks say (mlir/IR/Remarks.h, category triton-to-titan).
  int64_t stages = 3;
  /// The most registers of a thread (maxnreg), a multiple of 8; none: as many as ptxas
  /// takes.
  std::optional<int64_t> registers;
  /// Whether a product and a sum of floats may be one operation, which rounds once
  /// (enable_fp_fusion).
  bool fusion = true;
  /// Conditions on arguments, "stride >= n", which each launch is checked against.
  std::vector<std::string> launchChecks;
  int64_t lanes = defaultTarget().warpWidth;
};

/// Every public tt.func of the module becomes a titan.kernel of its name; no
/// operation of tt is left. Its dialects are loaded (the pass sees to that).
mlir::LogicalResult
convertTritonToTitan(mlir::ModuleOp module,
                     const TritonToTitanOptions &options = {});

/// Instead: what is decided first. An operation whose tensors come to be in a layout
/// has it as its attribute `layout`. Functions that are called are inlined.
mlir::LogicalResult
annotateTritonLayouts(mlir::ModuleOp module,
                      const TritonToTitanOptions &options = {});

/// Instead: the programs of tt, with reductions that loops accumulate made behind them
/// (docs/triton.md, OptimizeThreadLocality), as convertTritonToTitan has them, too;
/// and the same as the pass triton-thread-locality. Functions that are called are
/// inlined.
mlir::LogicalResult
localizeTritonReductions(mlir::ModuleOp module,
                         const TritonToTitanOptions &options = {});
void registerTritonThreadLocalityPass();

/// The same as the pass triton-to-titan.
std::unique_ptr<mlir::Pass>
createTritonToTitanPass(const TritonToTitanOptions &options = {});
void registerTritonToTitanPass();

} // namespace titan

#endif
