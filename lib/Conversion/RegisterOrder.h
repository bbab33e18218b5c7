//===- RegisterOrder.h - element by element, where there is no room -*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program says operation after operation what becomes of a tile, and so it is
// lowered: all elements of the first operation, then all of the second. Where a
// value is used again behind several operations (x / (1 + exp(-x))), that holds
// two numbers for each element, beside all that is live through it:
//
//   operation by operation       element by element
//   e0 = exp(x0)                 e0 = exp(x0)
//   e1 = exp(x1)                 y0 = x0 / e0
//   y0 = x0 / e0                 e1 = exp(x1)
//   y1 = x1 / e1                 y1 = x1 / e1
//
// ptxas keeps the order that it finds, by and large, and spills. So where the
// values of a block need more registers than a thread has, arithmetic moves down
// to its first user, if they are fewer then. Nothing crosses what has effects.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_CONVERSION_REGISTERORDER_H
#define TITAN_CONVERSION_REGISTERORDER_H

namespace llvm {
class Function;
} // namespace llvm

namespace titan {

/// `registers`: of 32 bits, that values may take in a thread. Returns how many blocks
/// have another order since.
int orderByElement(llvm::Function &function, int registers);

} // namespace titan

#endif
