//===- InsertFences.h - the fences that are missing, at least cost --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which fences a kernel lacks, and where they cost least (docs/fences.md):
//
//   1. a place is put before each operation that does something, and before the
//      end of its block; the kernel is expanded and checked, and each pair of
//      accesses that lacks a fence becomes a need (Analysis/FenceNeeds.h);
//   2. the cheapest fences that meet all needs are chosen (HittingSet.h);
//   3. with these in it the kernel is checked again. New needs: again from 2.
//      None: the result is as the checker says.
//
// No choice that meets fewer needs is accepted by the checker, and none that
// meets them all is cheaper; so what the checker accepts in the end costs least.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TRANSFORMS_INSERTFENCES_H
#define TITAN_TRANSFORMS_INSERTFENCES_H

#include "titan/Analysis/Checker.h"

#include <string>
#include <vector>

namespace titan {

/// What one execution of a fence counts.
uint64_t fenceCost(FenceType type);
/// How often an operation is taken to be executed: loops of unknown count 16
/// times, functions as often as they are called.
uint64_t executionsOf(mlir::Operation *op);

/// One fence, before an operation of the kernel or of a function that it calls.
struct FenceInsertion {
  mlir::Operation *before;
  FenceType type;
  /// TensormapAcquire: the map.
  mlir::Value map;
  /// A need that it meets.
  FenceNeed why;

  void insert() const;
  /// As the text of a file has it.
  std::string text() const;
};

struct FencePlan {
  /// In the order of the text.
  std::vector<FenceInsertion> fences;
  uint64_t cost = 0;
  /// False: the search for the cheapest ended early.
  bool exact = true;
  /// How often the checker was asked, and for how many needs.
  unsigned checks = 0, needs = 0;
  /// What the search says of the kernel with the fences.
  CheckReport report;
  /// Why no fences are enough; empty: they are, for what the search has looked at.
  /// (Finding::ofCounts: whether that is enough is the verdict's, which may be a proof.)
  std::string refusal;
  mlir::Location refusedAt;
  /// The refusal for what is found with them.
  std::string stillSays(const Finding &finding) const;
};

/// Fences for a kernel of a module, which stays as it is. Fails where the kernel
/// cannot be expanded, with diagnostics.
mlir::FailureOr<FencePlan> planFences(KernelOp kernel,
                                      const CheckOptions &options);

/// The type of a fence that could have been put in; of other operations none.
std::optional<FenceType> fenceTypeOf(mlir::Operation *op);

/// Calls `each` for the body of a kernel, and of each function that it calls.
void eachTextOf(KernelOp kernel,
                llvm::function_ref<void(mlir::Region &body)> each);

/// The fences of a kernel, and of the functions that it calls.
std::vector<mlir::Operation *> fencesOf(KernelOp kernel);

/// A kernel as the checker sees it: a copy of its module without the other
/// kernels, expanded. Fails with diagnostics. `mapping`: what became of the
/// operations before expansion.
mlir::OwningOpRef<mlir::ModuleOp>
expandedForCheck(KernelOp kernel,
                 llvm::function_ref<void(mlir::IRMapping &)> change = {});

} // namespace titan

#endif
