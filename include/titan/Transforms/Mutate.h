//===- Mutate.h - kernels with one bug each ---------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How good are checker and simulator? Take a kernel that is right, put one bug
// into its synchronisation, and see who notices. A mutation is one small change
// of one operation of an expanded kernel:
//
//   drop        the operation is gone (an elect round something that counts
//               threads: its body is executed by all)
//   duplicate   it is executed twice (a load, too: it signals twice)
//   weaken      acquire or release become relaxed, a wait for writes a wait for
//               reads, a barrier an arrive, a fence one of another state space
//   move        it changes places with the operation before or after it
//   count       arrivals, threads, pending groups: one more, one less
//   parity      a wait for the other phase
//   bytes       expected bytes: 16 more, 16 less, half, twice, none
//   stage       the next slot of the ring
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TRANSFORMS_MUTATE_H
#define TITAN_TRANSFORMS_MUTATE_H

#include "titan/Dialect/Titan/Titan.h"

#include <string>
#include <vector>

namespace titan {

enum class MutationClass {
  Drop,
  Duplicate,
  Weaken,
  Move,
  Count,
  Parity,
  Bytes,
  Stage
};
constexpr int mutationClasses = 8;
llvm::StringRef stringify(MutationClass);

/// One mutation of a kernel. It names its operation by its place in a walk of
/// the kernel's body, so that it can be applied to any clone of the kernel.
struct Mutation {
  MutationClass kind;
  /// Place in a pre-order walk of the body.
  unsigned operation;
  /// Which of the kind's changes of this operation.
  unsigned variant;
  /// "drop mbarrier.wait"
  std::string description;
  mlir::Location loc;
  /// Another slot of what is looked at: where that races with nothing (the other
  /// panel, the other half of a tile), another kernel, whose data are its own.
  bool ofData = false;
};

/// All mutations of a kernel without pipes.
std::vector<Mutation> enumerateMutations(KernelOp kernel);

/// Makes the change in a clone. Fails where the result is no valid IR: the
/// verifier refuses it, and nothing is left to find.
mlir::LogicalResult applyMutation(KernelOp clone, const Mutation &mutation);

} // namespace titan

#endif
