//===- Alignment.h - where tensor copies begin ------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Coordinate 0 of a tensor copy is a multiple of 16 bytes (docs/tma-facts.md R1), or
// the copy faults. That it is is proved from the powers of two that divide the
// values it is computed from, whatever the sizes are; what titan.require says
// of remainders counts. What is not proved is undecided, or, where a launch
// shows another start, an error.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_ALIGNMENT_H
#define TITAN_LIB_ANALYSIS_ALIGNMENT_H

#include "titan/Dialect/Titan/Titan.h"

#include "llvm/ADT/DenseMap.h"

namespace titan::checker {

/// Elements that coordinate 0 of an access's box is a multiple of; 1: any will do.
int64_t startUnit(const effect::Footprint &box,
                  std::optional<Mechanism> mechanism);

/// The operations with a box whose coordinate 0 is not shown to be a multiple of
/// its unit, and that unit.
llvm::SmallVector<std::pair<mlir::Operation *, int64_t>>
findUnprovedStarts(KernelOp kernel);

} // namespace titan::checker

#endif
