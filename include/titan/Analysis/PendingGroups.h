//===- PendingGroups.h - how many groups a wait may leave pending ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `titan.mma.wait %token` and `titan.bulk.wait %token` name the group that must
// be done; the hardware counts: `wgmma.wait_group N` returns when at most N of
// the youngest groups are pending. Groups of one class complete in order, so N
// is the number of groups that the waiting thread has committed since the
// token's own:
//
//     %g0 = titan.mma.commit        // age of %g0: 0
//     %g1 = titan.mma.commit        // age of %g0: 1
//     titan.mma.wait %g0            // N = 1
//
// A token that goes round a loop has an age on every path: the least counts
// (waiting for more is slower and never wrong). titan.token.none has no group,
// so a wait on it, on every path, is nothing at all.
//
// A commit counts only if every thread that waits has executed it: bulk groups
// are a thread's own (PTX ISA, cp.async.bulk.commit_group), and the thread of
// `elect warp(0)` has not executed what `elect warp(1)` did.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_PENDINGGROUPS_H
#define TITAN_ANALYSIS_PENDINGGROUPS_H

#include "titan/Dialect/Titan/Titan.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace titan {

/// The operand N of each wait on a token of one kernel.
class PendingGroups {
public:
  explicit PendingGroups(KernelOp kernel);

  /// For an mma.wait, bulk.wait or mma.result with `after`: groups that may stay pending;
  /// none where no path brings a group, so that there is nothing to wait for.
  std::optional<int64_t> getPending(mlir::Operation *wait) const;

private:
  llvm::DenseMap<mlir::Operation *, std::optional<int64_t>> pending;
};

} // namespace titan

#endif
