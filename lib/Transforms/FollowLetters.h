//===- FollowLetters.h - what is read in a mailbox is what was posted -----===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_TRANSFORMS_FOLLOWLETTERS_H
#define TITAN_LIB_TRANSFORMS_FOLLOWLETTERS_H

#include "titan/Dialect/Titan/Titan.h"

namespace titan {

/// Takes what is read in mailboxes for what was posted there, computed anew, and marks
/// both (letterAttribute): for the search and the proof, which shows it.
void followLetters(KernelOp kernel);

} // namespace titan

#endif
