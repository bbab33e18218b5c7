//===- ArgumentAlignment.h - where tensors begin ----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor begins at a multiple of its element's size. A kernel may ask for more,
// so that its threads can access several elements at once:
//
//     titan.kernel @k(%partial: !titan.global<?x128xf32, strides = [128, 1]>)
//         warps(8) attributes {titan.alignment = {partial = 16}} launch { ... }
//
// The launch then refuses other addresses (argument-alignment).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_ARGUMENTALIGNMENT_H
#define TITAN_DIALECT_TITAN_ARGUMENTALIGNMENT_H

#include "titan/Dialect/Titan/Titan.h"

namespace titan {

/// Bytes that the address of the kernel's argument is a multiple of; it is a
/// tensor.
int64_t getArgumentAlignment(KernelOp kernel, unsigned argument);

/// Asks for so many bytes, a power of two, at least.
void raiseAlignment(KernelOp kernel, unsigned argument, int64_t bytes);

/// Whether the kernel's `titan.alignment` says what can be.
/// Errors: kernel-alignment.
mlir::LogicalResult verifyArgumentAlignment(KernelOp kernel);

} // namespace titan

#endif
