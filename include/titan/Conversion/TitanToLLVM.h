//===- TitanToLLVM.h - titan kernels as functions of a GPU ------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel becomes one function in the llvm dialect and that of its target, and
// one entry of the package's manifest. KernelLowering.h says what a value of
// the titan dialect is there; LoweringTable.h how operations are lowered.
// Warps find their partition by one chain of branches on the warp's rank.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_CONVERSION_TITANTOLLVM_H
#define TITAN_CONVERSION_TITANTOLLVM_H

#include "titan/Dialect/Titan/Titan.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace titan {

class Emitter; // Emitter.h

/// Marks an scf.if that touches no memory and is seldom taken: of the tiles that its
/// first region yields each thread computes one register after the other. Operation by
/// operation, as elsewhere, takes registers for all of them at once, also of warps that
/// never come there.
inline constexpr llvm::StringLiteral oneByOne = "titan.one_by_one";

/// The kernel's parameters in the order of its signature, as the manifest
/// writes them ({"pointer": "A"}, {"value": ..., "type": "i64"}, ...).
struct LoweredKernel {
  std::string entry;
  llvm::json::Array parameters;
  /// Threads of a CTA.
  int64_t threads = 0;
  /// Bytes of dynamic shared memory of a CTA.
  int64_t sharedBytes = 0;
  /// For people who look into a hang: partitions and barriers, with places.
  llvm::json::Object info;
};

/// Adds the kernel's function to `module`; scalar arith, math and scf remain in
/// it. Errors: not-supported-yet, shared-memory-limit, wrong-target.
mlir::FailureOr<LoweredKernel>
lowerKernel(KernelOp kernel, mlir::ModuleOp module, Emitter &emitter);

/// The kernel's entry in a manifest (Runtime/Manifest.h).
/// Errors: not-supported-yet.
mlir::FailureOr<llvm::json::Object> makeManifestKernel(KernelOp kernel,
                                                       LoweredKernel lowered);

/// A value of the launch region as a manifest's expression (Runtime/Expr.h).
mlir::FailureOr<llvm::json::Value> makeLaunchExpression(mlir::Value value);

} // namespace titan

#endif
