//===- TritonFixes.h - fixes for who writes Triton --------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code's fix (Codes.h) is one for titan IR. Of a Triton program nobody writes
// titan IR: what to do there is said in Python. The simulator of tt and the checker
// of what a program has become say the same.
//
// This header needs neither LLVM nor MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TARGET_TRITONFIXES_H
#define TITAN_TARGET_TRITONFIXES_H

#include "titan/Target/Codes.h"

namespace titan {

/// What to do about `code` in a Triton program: its own sentence, or that of the
/// table of codes, where that holds there, too.
std::string_view tritonFix(Code code);

} // namespace titan

#endif // TITAN_TARGET_TRITONFIXES_H
