//===- SharedMemory.h - where allocations lie, and their names --*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers, barriers and tensor maps lie in a CTA's shared memory one after the
// other, as the text allocates them. The checker counts the bytes, the
// simulator and the lowering use the offsets: from one function, so that they
// agree.
//
// Messages call a value what the text calls it. The driver keeps the names as
// locations (NameLoc); a value without a name is called by its line.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_SHAREDMEMORY_H
#define TITAN_DIALECT_TITAN_SHAREDMEMORY_H

#include "titan/Dialect/Titan/Titan.h"

namespace titan {

struct SharedAllocation {
  mlir::Operation *op;
  /// In bytes, from the first allocation.
  int64_t offset, bytes;
  int64_t end() const { return offset + bytes; }
};

/// The allocations of a kernel. Where they take more than `limit` bytes, the
/// first that ends beyond it is the last of the list.
llvm::SmallVector<SharedAllocation> layOutShared(KernelOp kernel,
                                                 int64_t limit);

/// "%full", or "(line 12)".
std::string nameOf(mlir::Value value);

/// " (line N)", of a place that has a line; else empty.
std::string inLine(mlir::Location loc);
/// "'titan.tma.load' (line N)".
std::string quoted(mlir::Operation *op);
/// One mbarrier of a ring: "%full[2]"; a ring of one: "%full".
std::string nameOfBarrier(mlir::Value ring, int64_t slot);
/// The fix for a barrier that more than one thread initialises.
std::string fixOfInitialisers(mlir::Operation *init);

} // namespace titan

#endif
