//===- Sarif.h - findings for other tools -----------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SARIF 2.1.0 (OASIS): what code review and editors read. A code is a rule, a
// finding a result, its other places are related locations, its edits a fix.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_SARIF_H
#define TITAN_DRIVER_SARIF_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace titan {

/// Of findings as the JSON report has them (toJson of Finding.h); `text` is that
/// of the file.
llvm::json::Value toSarif(const llvm::json::Array &findings,
                          llvm::StringRef file, llvm::StringRef text, int exit);

} // namespace titan

#endif
