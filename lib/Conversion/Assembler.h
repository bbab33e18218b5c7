//===- Assembler.h - PTX to machine code ------------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas as a process where there is one, else libnvJitLink opened at run time.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_CONVERSION_ASSEMBLER_H
#define TITAN_CONVERSION_ASSEMBLER_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace titan {

struct Assembly {
  enum Status {
    Done,
    Refused,     ///< The assembler said no: `log`.
    NotRun,      ///< The one that was named cannot be run: `log` says why.
    NotWritten,  ///< No room for temporary files: `log` says why.
    NoAssembler, ///< None was found.
  } status = NoAssembler;
  std::string cubin;
  /// What the assembler said: registers, spills, warnings, errors.
  std::string log;
};

/// Assembles `ptx` for `architecture` ("sm_90a") with `ptxas`, or with what is
/// found (CompileOptions::ptxas says where it is looked for).
Assembly assemble(llvm::StringRef ptx, llvm::StringRef architecture,
                  llvm::StringRef ptxas);

} // namespace titan

#endif
