//===- Redundant.h - fences and waits that order nothing --------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The other side of InsertFences.h. All fences of a kernel become places of
// their own type: which of them needs ask for, and which are the cheapest that
// meet all needs, the same method says; the others order nothing. That is then
// confirmed without them. Waits are left out one after the other, from the
// last to the first (and commits whose waits are out), and stay out where the checker's findings are the same
// and what was proved still is: with all that orders nothing gone, the verdict
// is what it was. What has stayed is asked about again until no more goes out: of
// what is left each one by itself is needed. (Two that are needed because of each
// other alone stay; and of two of which one is enough the order of the text says
// which one stays.) Where only the proof changes its mind the operation is of a
// group of its own.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TRANSFORMS_REDUNDANT_H
#define TITAN_TRANSFORMS_REDUNDANT_H

#include "titan/Analysis/Checker.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <string>
#include <vector>

namespace titan {

struct RedundantOp {
  mlir::Operation *op;
  std::string reason;
};

struct RedundantReport {
  std::vector<RedundantOp> ops; ///< in the order of the text
  /// Only the proof needs them: without one of them (and without `ops`) the
  /// kernel is accepted, with the same findings, and not proved. In the order of
  /// the text.
  std::vector<RedundantOp> proofNeeds;
  unsigned looked = 0, checks = 0;
  /// Why the kernel is not accepted as it stands: nothing was looked for, since what
  /// comes behind an error need not have been looked at. Else empty.
  std::vector<Finding> refusal;
  /// The kernel is proved, and is without them. Else the search alone was asked.
  bool proved = false;
};

using OperationSet = llvm::SmallPtrSet<mlir::Operation *, 8>;

/// Fails where the kernel cannot be expanded, with diagnostics. `proves`: whether a
/// kernel, expanded for the check, is proved. `stay`: what is not asked about, of
/// functions that other kernels call, too.
mlir::FailureOr<RedundantReport>
findRedundant(KernelOp kernel, const CheckOptions &options,
              llvm::function_ref<bool(KernelOp)> proves,
              const OperationSet &stay = {});

} // namespace titan

#endif
