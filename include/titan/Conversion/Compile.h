//===- Compile.h - from titan IR to code for a GPU --------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way down, each step of which can be looked at (`titan compile --emit=`):
//
//   titan     the input, pipes expanded into barriers
//   llvm      LLVM IR: the llvm and nvvm dialects, translated and optimised
//   ptx       PTX by LLVM's NVPTX target
//   cubin     machine code by ptxas, or by nvJitLink where there is no ptxas
//   manifest  what a launch must compute and check, JSON on one line, as the
//             package holds it (Manifest.h)
//   package   a .titanpkg: PTX, cubin where an assembler is found, and the
//             manifest of what a launch must compute and check (Manifest.h)
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_CONVERSION_COMPILE_H
#define TITAN_CONVERSION_COMPILE_H

#include "titan/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

#include <map>
#include <string>

namespace titan {

enum class Emit { Titan, LLVM, PTX, Cubin, Manifest, Package };

struct CompileOptions {
  std::string target{defaultTarget().name};
  Emit emit = Emit::Package;
  /// ptxas to use; empty: $TITAN_PTXAS, $CUDA_HOME/bin, PATH,
  /// /usr/local/cuda/bin, in this order.
  std::string ptxas;
  /// Where not null: what the assembler said (registers, spills, warnings).
  std::string *assemblerLog = nullptr;
  /// LLVM's straight-line strength reduction of addresses, whose time grows with
  /// the square of the number of sums.
  bool strengthReduction = true;
  /// What the manifest says of a kernel that was checked, by its name:
  /// "proved", "searched" or "undecided".
  std::map<std::string, std::string, std::less<>> verified;
};

/// The dialects and translations that `compile` uses; call it on the registry
/// before the context is made.
void registerCompileDialects(mlir::DialectRegistry &registry);

/// Compiles every kernel of `module` and writes what `options.emit` asks for.
/// The module is left as it is. Errors are diagnostics with codes:
/// unknown-target, not-supported-yet, shared-memory-limit, no-kernel,
/// codegen-failed, assembler-missing, assembler-failed.
mlir::LogicalResult compile(mlir::ModuleOp module,
                            const CompileOptions &options,
                            llvm::raw_ostream &output);

} // namespace titan

#endif
