//===- CopyAsync.h - What a titan.copy_async becomes ------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy's operands and types complete its schedule: the tensor's sizes and
// strides, the buffer's swizzle and alignment, the direction. lib/Domain infers
// the rest (TmaSchedule.h). Here both are brought together, for the verifier,
// titan-lower-copies and `titan explain tma`.
//
//   of the tensor   known by its type       else
//   size            a number                a symbol, the dimension's name: M
//   stride          a number, bytes         M.stride times the element's bytes
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_COPYASYNC_H
#define TITAN_DIALECT_TITAN_COPYASYNC_H

#include "titan/Dialect/Titan/Titan.h"
#include "titan/Domain/TmaSchedule.h"

#include "llvm/ADT/SetVector.h"

#include <map>

namespace titan {

/// Marks the expectations of bytes that a titan.copy_async has become.
inline constexpr llvm::StringLiteral ofCopyAsync = "titan.of_copy_async";

/// Marks accesses of shared memory that are to be vectors, though matrices would
/// do (ldmatrix, stmatrix).
inline constexpr llvm::StringLiteral byVectors = "titan.by_vectors";

/// What a copy has become, as metadata of the locations of those operations: so that
/// findings speak of the copy. Of a titan.copy_async, what it is until it is done:
///
///   issued ---> source read ---> done
///
///   completes on     the source has been read        it is done
///   a bulk group     titan.bulk.wait %group read     titan.bulk.wait %group
///   an mbarrier      as done                         a wait for its phase
///   a peer's         when the peer has waited and    when the peer has waited for
///                    told this CTA                   its phase
///   an async group   as done                         titan.cp_async.wait %group
struct CopyStates {
  std::string copy;       ///< "titan.copy_async", "titan.copy".
  std::string variant;    ///< "dsmem".
  std::string read, done; ///< Empty: it is done where it stands (titan.copy).
  llvm::SmallVector<std::string> becomes; ///< "titan.bulk.copy_to_peer".

  mlir::Location mark(mlir::Location loc) const;
  /// Of a location that mark() made; nothing else has any.
  static std::optional<CopyStates> of(mlir::Location loc);
};

/// A copy as the library sees it.
struct CopyLowering {
  TmaSchedule schedule;
  TmaLowering low;
  /// Loads: which correctness is wanted, and why.
  WantedCorrectness wanted;
};

struct KernelCopies;

/// Lowers a copy. With `kernel`, which correctness a load needs follows from
/// what reads its buffer (wantedCorrectness); without, from the operation
/// alone. Problems: those of parseSchedule, lowerSchedule and
/// wantedCorrectness; tma-shared-tile where the buffer does not hold the tile.
Result<CopyLowering> lowerCopy(CopyAsyncOp copy, KernelCopies *kernel);

/// All copies of a kernel, in the order of the text, each with what it becomes.
/// What one needs hangs on the others, too.
struct LoweredCopy {
  CopyAsyncOp copy;
  Result<CopyLowering> lowering;
};
std::vector<LoweredCopy> lowerCopies(KernelOp kernel);

/// What the holes of a load's tile reach (CopyUses.h): the reductions that
/// read them, directly or through what is computed from the tile, each with
/// whether zero in the holes is neutral there; and which dimensions of the
/// buffer have holes. Looks at the kernel's other copies, too: all are to be
/// looked at before one is lowered.
struct CopyUses {
  std::vector<TileUse> uses;
  TileHoles holes;
};
CopyUses usesOf(CopyAsyncOp copy, const TmaLowering &low, KernelCopies &kernel);

/// The copies of a kernel to shared memory, of which none is lowered yet: where
/// each may go, and what was found out of one for all that are like it.
struct KernelCopies {
  explicit KernelCopies(KernelOp kernel);

  struct Load {
    CopyAsyncOp copy;
    llvm::SetVector<mlir::Value> memory; ///< Allocations.
    bool known;                          ///< Whether these are all.
  };
  std::vector<Load> loads;
  /// By attributes, types, and what else they hang on.
  using Key = std::vector<const void *>;
  static Key keyOf(CopyAsyncOp copy) {
    return {copy->getAttrDictionary().getAsOpaquePointer(),
            copy.getSource().getType().getAsOpaquePointer(),
            copy.getTarget().getType().getAsOpaquePointer()};
  }
  std::map<Key, Result<TmaLowering>> lowered;
  std::map<Key, CopyUses> uses;
};

/// An error of the operation, with the problem's own fix as a note.
mlir::LogicalResult emitProblem(mlir::Operation *op, const Problem &problem);

/// The symbol of a size that only the launch knows, and of a stride (elements).
std::string strideSymbol(const std::string &dimension);

} // namespace titan

#endif
