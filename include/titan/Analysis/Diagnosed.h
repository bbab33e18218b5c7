//===- Diagnosed.h - findings of diagnostics --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers and passes tell what is wrong as a diagnostic: a message with [code],
// and notes, of which one may be the fix ("fix: ...").
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_DIAGNOSED_H
#define TITAN_ANALYSIS_DIAGNOSED_H

#include "titan/Analysis/Finding.h"

#include "mlir/IR/Diagnostics.h"

namespace titan {

/// The first [code] of the table in a message; null if there is none.
const CodeInfo *codeIn(llvm::StringRef message);

/// A message without its [code], which stands beside it; `info` may be null.
std::string withoutCode(llvm::StringRef message, const CodeInfo *info);

/// What an error says; without a code, `otherwise` is its code.
Finding findingOf(mlir::Diagnostic &error, Code otherwise);

} // namespace titan

#endif
