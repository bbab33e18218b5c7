//===- Building.h - what variants build with --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variant says what it puts in the place of the operation that it was asked
// about. Whether the hardware takes that, the verifiers of what it puts there know:
// planOf() builds it, asks them, takes it away again, and declines with what
// they say. So no rule of an instruction stands twice.
//
//   dsmem, reduce(add) of f32   titan.bulk.reduce_to_peer: [bulk-reduce-type] no
//                               reduction 'add' of f32 in shared memory
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_DISPATCH_BUILDING_H
#define TITAN_LIB_DISPATCH_BUILDING_H

#include "titan/Dispatch/Copy.h"
#include "titan/Target/ProxyTable.h"

namespace titan::dispatch {

/// Creates operations; yields what the operation's result becomes, or null.
using Building = std::function<mlir::Value(mlir::OpBuilder &)>;

/// One access of shared memory: the buffer, and how.
struct SharedAccess {
  mlir::Value root;
  ProxyAccess access;
};
/// Those of an operation.
void addSharedAccesses(mlir::Operation *op,
                       llvm::SmallVectorImpl<SharedAccess> &list);
/// How many proxy fences have to stand before and behind a copy that makes these
/// (Fences.cpp).
int64_t proxyFences(mlir::Operation *copy, llvm::ArrayRef<SharedAccess> own);

/// What the verifiers of that say, in front of `op`; nothing: it is well formed.
/// Adds what it does to shared memory.
std::optional<Problem>
trial(mlir::Operation *op, const Building &building,
      llvm::SmallVectorImpl<SharedAccess> *accesses = nullptr);

/// The plan that puts it in the place of `op`, with the fences that it needs
/// beside it. `launch` adds what the launch has to check.
Result<Plan> planOf(mlir::Operation *op, Cost cost, Building building,
                    std::function<void()> launch = {});

std::optional<int64_t> constantOf(mlir::Value value);

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Why the region is no titan.shared.view of the buffer, as far as is known
/// before it is built; nothing: viewOf makes it.
std::optional<std::string> isNoView(const CopyPlace &place);
/// The region of a buffer: the buffer itself, or a view; of a peer's with `rank`.
mlir::Value viewOf(mlir::OpBuilder &b, mlir::Location loc,
                   const CopyPlace &place, const CopyPlaces &places,
                   mlir::Value rank = {});
/// The same memory, or barrier, of the CTA `rank`.
mlir::Value mapped(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memory,
                   mlir::Value rank);

/// Of copies to or from a peer: why the rank is none of the cluster; and, where
/// the launch computes it, the check there.
std::optional<std::string> leavesCluster(const CopyRequest &request);
void requireRank(const CopyRequest &request);

//===----------------------------------------------------------------------===//
// Tiles shared among threads
//===----------------------------------------------------------------------===//

/// The greatest power of two that divides `n` and is at most `limit`.
int64_t powerOf(int64_t n, int64_t limit);

/// How threads share a tile: as many elements of a row as one access moves, the
/// lanes along the row, then along rows; warps along rows. Of 128 x 64 elements,
/// 8 an access, by one warp:
///
///     reg: 8*c1, 32*r4; lane: 8*c8, 4*r1
///
/// Threads that are too many hold what others hold.
struct Partition {
  llvm::SmallVector<int64_t> shape;
  LayoutTextAttr layout;
  int64_t vector = 1;    ///< Elements of an access.
  int64_t registers = 1; ///< Elements that a thread holds.

  mlir::RankedTensorType of(mlir::Type element) const {
    return mlir::RankedTensorType::get(shape, element, layout);
  }
};
Result<Partition> partitionOf(mlir::MLIRContext *context,
                              llvm::ArrayRef<int64_t> shape, int64_t vector,
                              int64_t lanes, int64_t warps);
/// Why copies that are each thread's own cannot be shared so: pieces are fewer
/// than threads.
std::optional<std::string> isSharedBySeveral(const Partition &of, int64_t warps,
                                             int64_t lanes);

/// Bytes, a power of two up to 16, at multiples of which the runs of a region of
/// a tensor along its last dimension are known to begin.
int64_t alignedIn(const CopyRequest &request, const CopyPlace &tensor);

/// Elements are numbered in 32 bits: why those of a tensor are too many; and, where
/// only the launch knows, the check there.
std::optional<std::string> isTooLong(const CopyPlace &tensor);
void requireSizes(const CopyRequest &request, const CopyPlace &tensor);

/// The elements of a tensor that a register tile is: index tensors in the layout
/// of `tile`, and, where the tensor may end within the region, which lie inside.
/// The tile is rows `first` and following of the region.
struct Elements {
  llvm::SmallVector<mlir::Value> indices;
  mlir::Value mask;
};
Elements elementsOf(mlir::OpBuilder &b, mlir::Location loc,
                    const CopyPlaces &places, const CopyPlace &tensor,
                    mlir::RankedTensorType tile, int64_t first = 0);

/// Why it is not all its warps' that have to share it: a branch or loop around it
/// some of them take, and others do not.
std::optional<std::string> isForSomeWarps(const CopyRequest &request);

/// Predicates.
CopyPredicate allThreads();
/// The words that a variant takes: others are declined.
struct Words {
  bool reduce = false, multicast = false, cache = false;
};
CopyPredicate takesWords(Words words);
CopyPredicate staysInCta();
/// Source and target, both in the CTA's own shared memory, share no byte.
CopyPredicate staysApart();

} // namespace titan::dispatch

#endif
