//===- Reference.h - what a kernel should have computed ---------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel names its reference, `titan.reference = @gemm_reference`: a function
// of the same file, made of linalg, arith and math on memrefs, compiled for the
// host by LLVM's JIT. Each of its arguments says what it is:
//
//   func.func private @gemm_reference(
//       %A: memref<?x?xbf16> {titan.input = "A"},     a kernel argument's data
//       %alpha: f32          {titan.input = "alpha"}, before the run
//       %D: memref<?x?xf64>  {titan.expected = "D"},  to fill: what D should be
//       %E: memref<?x?xf64>  {titan.bound = "D"})     to fill: the absolute
//                                                     error allowed, an element
//       attributes {titan.exact}
//
// Without a bound an output must be the expected value, rounded to its type.
// The same holds with `titan.exact` where all inputs are small integers
// (`ints:`, `zeros`, whole scalars): then sums are exact and nothing is
// allowed.
//
// memrefs are dense and have the shapes of the kernel's tensors, whatever the
// row strides of those.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_REFERENCE_H
#define TITAN_DRIVER_REFERENCE_H

#include "Arguments.h"

#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/Mangling.h"
#include "llvm/Target/TargetMachine.h"

namespace titan {

/// What an output should hold, dense, row major.
struct Expected {
  HostArgument *argument = nullptr;
  std::vector<double> values;
  /// Allowed absolute error; empty: none.
  std::vector<double> bounds;
};

class Reference {
public:
  virtual ~Reference() = default;

  /// Compiles the reference of a kernel, before passes change the module.
  /// Null with a finding (`reference-invalid`) where that fails.
  static std::unique_ptr<Reference>
  compile(Session &session, mlir::ModuleOp module, KernelOp kernel);

  /// Runs it on the initial data. Nothing, and a finding, where it fails.
  virtual std::optional<std::vector<Expected>>
  run(Session &session, HostArguments &arguments) = 0;
};

/// Functions of the host's runtime that references may call, and that it may
/// lack: rounding to bf16.
void addNarrowFloats(llvm::orc::MangleAndInterner intern,
                     llvm::orc::SymbolMap &symbols);

/// The host as the JIT is to take it: of its instructions none that compute in f16
/// and bf16 themselves, so that a reference says the same on every host. (Those of
/// AVX-512 take bf16 numbers below the smallest normal one for zero.)
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
makeReferenceMachine(llvm::CodeGenOptLevel level);

/// Whether a kernel names a reference.
bool hasReference(KernelOp kernel);

} // namespace titan

#endif
