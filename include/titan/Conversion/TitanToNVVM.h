//===- TitanToNVVM.h - titan kernels as functions of a GPU ------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel becomes one function in the llvm and nvvm dialects and one entry of
// the package's manifest. What a value of the titan dialect is there:
//
//   register tile, inflight   one scalar for each register a thread holds
//   shared, mbarrier          i32, an address in shared memory
//   tensor_map                a pointer to a __grid_constant__ parameter
//   global                    a pointer, and the sizes and strides that are
//   used token                     nothing: waits are counted (PendingGroups.h)
//   phase                     i64, an mbarrier state
//
// Warps find their partition by one chain of branches on the warp's rank.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_CONVERSION_TITANTONVVM_H
#define TITAN_CONVERSION_TITANTONVVM_H

#include "titan/Dialect/Titan/Titan.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace titan {

/// The kernel's parameters in the order of its signature, as the manifest
/// writes them ({"pointer": "A"}, {"value": ..., "type": "i64"}, ...).
struct LoweredKernel {
  std::string entry;
  llvm::json::Array parameters;
  /// Bytes of dynamic shared memory of a CTA.
  int64_t sharedBytes = 0;
  /// For people who look into a hang: partitions and barriers, with places.
  llvm::json::Object info;
};

/// Adds the kernel's function to `target`; scalar arith, math and scf remain in
/// it. Errors: not-supported-yet, shared-memory-limit, wrong-target.
mlir::FailureOr<LoweredKernel> lowerKernelToNVVM(KernelOp kernel,
                                                 mlir::ModuleOp target);

/// The kernel's entry in a manifest (Runtime/Manifest.h).
/// Errors: not-supported-yet.
mlir::FailureOr<llvm::json::Object> makeManifestKernel(KernelOp kernel,
                                                       LoweredKernel lowered);

/// A value of the launch region as a manifest's expression (Runtime/Expr.h).
mlir::FailureOr<llvm::json::Value> makeLaunchExpression(mlir::Value value);

} // namespace titan

#endif
