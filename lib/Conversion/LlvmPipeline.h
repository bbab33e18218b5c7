//===- LlvmPipeline.h - LLVM IR, optimised, and as PTX ----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_CONVERSION_LLVMPIPELINE_H
#define TITAN_LIB_CONVERSION_LLVMPIPELINE_H

#include <optional>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace titan {

/// Optimises kernels: what of LLVM's O2 pipeline changes them. Loops stay as the
/// program wrote them, since their bodies carry barriers and their accumulators
/// fill the registers: they are neither unrolled nor vectorised.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// The text of the module; none: the target cannot print any.
/// `strengthReduction`: CompileOptions.
std::optional<std::string> makePtx(llvm::Module &module,
                                   llvm::TargetMachine &machine,
                                   bool strengthReduction);

} // namespace titan

#endif
