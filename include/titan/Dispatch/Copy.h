//===- Copy.h - how a copy is done ------------------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What variants of copies are asked about, and the variants that there are:
//
//   variant    from, to               issued by     completes on         file
//   tma        global <-> shared      one thread    phase, bulk group    Tma.cpp
//   tma_map    global <-> shared      one thread    phase, bulk group    TmaMap.cpp
//   bulk       global <-> shared      one thread    phase, bulk group    Bulk.cpp
//   cp_async   global -> shared       all threads   phase, async group   CpAsync.cpp
//   dsmem      shared -> a peer's     one thread    the peer's phase     Dsmem.cpp
//   st_async   shared -> a peer's     all threads   the peer's phase     StAsync.cpp
//   vectors    global, shared,        all threads   when they go on      Vectors.cpp
//              registers; a peer's ->
//   ldmatrix   shared -> registers    all threads   when they go on      Vectors.cpp
//   stmatrix   registers -> shared    all threads   when they go on      Vectors.cpp
//   moves, shuffles, exchange: registers -> registers                    Registers.cpp
//   scalars    all but registers      one thread    when it goes on      Scalars.cpp
//
// A family from outside of the tree adds its own (Driver/Plugin.h):
//
//   host.copies.add({.name = "mine", .directions = {{Memory::Shared,
//                    Memory::Shared}}, .when = {...}, .plan = ...});
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DISPATCH_COPY_H
#define TITAN_DISPATCH_COPY_H

#include "titan/Analysis/TrailingZeros.h"
#include "titan/Dialect/Titan/CopyPlaces.h"
#include "titan/Dispatch/Dispatch.h"

#include <any>
#include <map>
#include <typeindex>

namespace titan::dispatch {

/// Who executes an operation.
struct Issuers {
  enum Kind { Thread, Threads, Warp, Warps, Warpgroup, Cta } kind = Cta;
  int64_t warps = 1;
  /// "one thread", "a thread of each of 4 warps", "all threads of 4 warps".
  std::string str() const;
};
Issuers issuersOf(mlir::Operation *op);

class CopyDispatch;

/// A copy, as variants see it.
struct CopyRequest {
  mlir::Operation *op = nullptr;
  CopyDispatch *kernel = nullptr;
  const TargetInfo *target = nullptr;
  Memory from = Memory::Global, to = Memory::Global;
  Issuers issuers;
  /// titan.copy_async; else titan.copy, which is over when it returns.
  bool asynchronous = false;
  /// Where it is no copy by schedule.
  std::optional<CopyPlaces> places;
  mlir::Value barrier, index, rank, multicast;
  std::optional<AtomicOp> reduce;
  CachePolicyAttr cache;
  /// To the L2 cache alone.
  bool prefetch = false;
  /// The variant that the operation asks for, or any.
  std::optional<llvm::StringRef> forced;
  /// What moves is said by a tensor map.
  bool byMap = false;

  bool isBySchedule() const { return !places && !byMap; }
  KernelOp getKernel() const { return op->getParentOfType<KernelOp>(); }
};

using CopyVariant = Variant<CopyRequest>;
using CopyPredicate = Predicate<CopyRequest>;
class CopyVariants : public VariantTable<CopyRequest> {
public:
  /// The table of this process, with the variants of this library.
  static CopyVariants &get();
};

/// The copies of one kernel, and what is found out once for all of them.
class CopyDispatch {
public:
  explicit CopyDispatch(KernelOp kernel, bool assertIndices = false)
      : kernel(kernel), assertIndices(assertIndices) {}

  struct Decided {
    mlir::Operation *op;
    mlir::Value source, target;
    Decision decision;
  };
  /// Changes nothing.
  Decision decideOne(mlir::Operation *op);
  /// All copies, in the order of the text.
  std::vector<Decided> decideAll();
  /// Puts each copy's variant in its place; errors for those that have none.
  mlir::LogicalResult lowerAll();

  /// A variant's own, of all copies of the kernel; made when first asked for.
  template <typename State> State &state() {
    std::any &found = states[std::type_index(typeid(State))];
    if (!found.has_value())
      found = std::make_shared<State>(*this);
    return **std::any_cast<std::shared_ptr<State>>(&found);
  }
  TrailingZeros &zeros() {
    if (!divisors)
      divisors.emplace(kernel);
    return *divisors;
  }

  KernelOp kernel;
  /// titan.assert that the loops' indices of copies by schedule are in range.
  bool assertIndices;

private:
  std::map<std::type_index, std::any> states;
  std::optional<TrailingZeros> divisors;
};

/// Predicates that variants share.
CopyPredicate isBySchedule();
CopyPredicate isBetweenPlaces();
CopyPredicate isAsynchronous(bool asynchronous);
CopyPredicate singleThread();

// The variants of this library, one file each.
void registerTma(CopyVariants &table);
void registerBulk(CopyVariants &table);
void registerDsmem(CopyVariants &table);
void registerTmaMap(CopyVariants &table);
void registerCpAsync(CopyVariants &table);
void registerStAsync(CopyVariants &table);
void registerVectors(CopyVariants &table);
void registerRegisters(CopyVariants &table);
void registerScalars(CopyVariants &table);

} // namespace titan::dispatch

#endif
