//===- ExitStatus.h - How a tool ends after an error ------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One rule for titan and titan-launch:
//
//   0  good
//   1  the program or the launch was understood and is refused, or its result
//      is wrong
//   2  what was given cannot be used (flags, files, text, arguments), an output
//      cannot be written, or TITAN itself fails
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TARGET_EXITSTATUS_H
#define TITAN_TARGET_EXITSTATUS_H

#include "titan/Target/Codes.h"

namespace titan {

/// 1 or 2: how a tool ends that reports an error of this code. Of several, the
/// largest counts.
int exitStatus(Code code);

} // namespace titan

#endif // TITAN_TARGET_EXITSTATUS_H
