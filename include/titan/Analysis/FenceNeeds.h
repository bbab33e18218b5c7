//===- FenceNeeds.h - fences that are missing, and where they may stand ---===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fence that is missing could stand at several places of the text. Which, the
// checker's run shows: titan-insert-fences has put a PLACE wherever a fence may
// go, an operation that the run passes and that does nothing; each pair of
// accesses without its fence is then a NEED, the list of places that were passed
// between the two points that the rule names:
//
//   rule                    a fence by     after                  before
//   MM-31, MM-32 (MM-43)    X's thread     X                      the path leaves X's thread
//   MM-34                   the same, or
//                           Y's thread     it knows of X          Y
//   MM-41                   Y's thread     it knows X complete    Y
//   MM-51                   who inits      the init               the path leaves it
//   MM-70                   the warpgroup  registers are touched  the product
//   MM-72                   the warpgroup  the operands are told  the product
//   MM-39, MM-90 release    X's thread     X                      the path leaves X's thread
//   MM-39, MM-90 acquire    Y's thread     it knows the release   Y
//
// A fence at any of these places satisfies the need, and no other fence does; so
// whoever satisfies all needs at least cost has the best program.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_FENCENEEDS_H
#define TITAN_ANALYSIS_FENCENEEDS_H

#include "titan/Target/Codes.h"
#include "titan/Target/MemorySpaces.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace mlir {
class Operation;
} // namespace mlir

namespace titan {

/// The fences that can be put in.
enum class FenceType : uint8_t {
  ProxySharedCta,
  ProxySharedCluster,
  ProxyGlobal,
  ProxyAll,
  MbarrierInit,
  Wgmma,
  TensormapRelease,
  TensormapAcquire,
};
inline constexpr unsigned numFenceTypes = 8;

/// A place, and what would have to stand there.
struct FenceOption {
  unsigned place;
  FenceType type;
  auto operator<=>(const FenceOption &) const = default;
};

/// One of the options has to be there.
struct FenceNeed {
  Code code;
  /// The two accesses, or the same twice; of the expanded kernel.
  mlir::Location first, second;
  /// Sorted.
  std::vector<FenceOption> options;
  /// The place directly before the second.
  unsigned last = 0;
};

/// Collects needs during a check (CheckOptions::fences).
class FenceNeeds {
public:
  explicit FenceNeeds(Strictness strictness) : strictness(strictness) {}

  /// The attribute of an operation that is a place, a number.
  static constexpr llvm::StringLiteral placeName = "fence_place";
  /// Which place an operation is.
  std::optional<unsigned> placeOf(mlir::Operation *op);

  /// Whether a finding of this code is to be mended.
  bool wanted(Code code) const {
    return strictness.severityOf(code) == Severity::Error;
  }
  void add(FenceNeed need);
  const std::vector<FenceNeed> &all() const { return list; }

private:
  Strictness strictness;
  std::vector<FenceNeed> list;
  std::set<std::vector<FenceOption>> known;
  llvm::DenseMap<mlir::Operation *, int> places;
};

/// The proxy fences that order accesses of a space.
llvm::SmallVector<FenceType, 3> proxyFencesOf(MemorySpace space);

} // namespace titan

#endif
