//===- Emitter.h - what a target does with scalars --------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowering has two halves. Tiles, views, control flow and partitions become
// scalars once for all targets (KernelLowering.h, the families' files). What a
// target has of its own for scalars and threads, it says here:
//
//   function   attributes of a kernel and of its parameters
//   threads    who am I, what a warp agrees on, exchange between lanes
//   memory     accesses of a thread, with their order, scope, mask and hints
//   host       printf, trap
//
// Operations that need a feature of one vendor's targets (mbarriers, TMA, wgmma)
// need no other half: their families write its instructions themselves.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_CONVERSION_EMITTER_H
#define TITAN_CONVERSION_EMITTER_H

#include "titan/Dialect/Titan/Titan.h"
#include "titan/Target/MemorySpaces.h"
#include "titan/Target/Target.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <memory>

namespace titan {

class Emitter {
public:
  using Builder = mlir::ImplicitLocOpBuilder;
  using Value = mlir::Value;

  virtual ~Emitter() = default;
  const TargetInfo &target;

  /// That of a target; null where there is none yet.
  static std::unique_ptr<Emitter> create(const TargetInfo &target);

  /// What LLVM's code generator is asked for.
  struct Machine {
    llvm::StringRef triple, processor, features;
  };
  virtual Machine machine() const = 0;

  //===--------------------------------------------------------------------===//
  // The kernel's function
  //===--------------------------------------------------------------------===//

  virtual llvm::SmallVector<mlir::NamedAttribute>
  kernelAttributes(mlir::OpBuilder &b, KernelOp kernel) = 0;
  /// Of a parameter that holds a tensor map, and of which the kernel takes the
  /// address.
  virtual mlir::DictionaryAttr mapAttributes(mlir::OpBuilder &b) = 0;
  /// Says that an engine will read these maps; one warp of the CTA does.
  virtual void prefetchMaps(Builder &b, mlir::ValueRange maps) = 0;

  //===--------------------------------------------------------------------===//
  // Threads
  //===--------------------------------------------------------------------===//

  virtual Value threadOfCta(Builder &b) = 0; ///< i32.
  virtual Value ctaId(Builder &b, unsigned dimension) = 0;
  virtual Value numCtas(Builder &b, unsigned dimension) = 0;
  virtual Value clusterRank(Builder &b) = 0;
  /// What lane 0 has of an i32 on which the warp agrees, so that the target's
  /// compiler learns of it, and that it is 0 to `below` - 1.
  virtual Value uniform(Builder &b, Value agreed, int64_t below) = 0;
  /// What the lane has whose number differs by XOR with `distance`.
  virtual Value exchange(Builder &b, Value value, int64_t distance) = 0;
  /// What that lane has.
  virtual Value fromLane(Builder &b, Value value, Value lane) = 0;
  /// i1: whether it is true in any lane of the warp.
  virtual Value any(Builder &b, Value own) = 0;
  /// i32: bit l is lane l's i1.
  virtual Value ballot(Builder &b, Value own) = 0;
  /// i1: true in one lane of the warp.
  virtual Value elect(Builder &b) = 0;
  /// From `before` registers a thread to `after`, by all warps of a warpgroup.
  virtual void setRegisters(Builder &b, int64_t before, int64_t after) = 0;

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// How one thread accesses a scalar or a vector: i32 addresses in shared
  /// memory, i64 ones elsewhere. A mask is an i1, or null: always.
  struct Access {
    MemorySpace space = MemorySpace::Global;
    Value address;
    MemorySem sem = MemorySem::Weak;
    MemoryScope scope = MemoryScope::Cta;
    /// One instruction, in its place among the other ordered ones. Else it is
    /// the compiler's, as far as nothing that orders memory stands between, and
    /// the type is one that LLVM has.
    bool ordered = true;
    Value mask;
    /// Bits of each element that a load yields where its mask is false.
    uint64_t other = 0;
    /// Hints, which a target may leave out.
    std::optional<CacheOperator> cop;
    std::optional<L1Priority> l1;
    std::optional<int64_t> prefetch;
    Value policy; ///< Of L2 (KernelLowering::cachePolicy), or null.

    bool hasHints() const { return cop || l1 || prefetch || policy; }
  };
  /// `other` where the mask is false. Vectors have a power of two of bytes, at
  /// most 16, and are aligned to them.
  virtual Value load(Builder &b, mlir::Type type, const Access &access) = 0;
  virtual void store(Builder &b, Value value, const Access &access) = 0;
  /// What was there before; integers are signed for minima and maxima. f32 may be
  /// added as vectors of 2 or 4, aligned to their bytes, each element by itself.
  /// `expected`, or null: an exchange is done where the element has its bits.
  virtual Value atomic(Builder &b, AtomicOp kind, Value value, Value expected,
                       const Access &access) = 0;
  /// Acquires and releases, for all that this thread does in memory.
  virtual void fence(Builder &b, MemoryScope scope) = 0;
  /// Waits, by acquiring loads, until an i32 is at least `value`.
  virtual void waitAtLeast(Builder &b, Value value, const Access &access) = 0;
  /// Adds to an i32 and asks for nothing back.
  virtual void addTo(Builder &b, Value value, const Access &access) = 0;

  //===--------------------------------------------------------------------===//
  // The host
  //===--------------------------------------------------------------------===//

  /// Prints by the executing thread; i32, i64 and f64 values.
  virtual void print(Builder &b, mlir::LLVM::LLVMFuncOp function,
                     llvm::StringRef format, mlir::ValueRange values) = 0;
  /// Ends the kernel with a fault.
  virtual void trap(Builder &b) = 0;

protected:
  explicit Emitter(const TargetInfo &target) : target(target) {}
};

/// `createpolicy.fractional.L2::evict_first.b64` of the whole access, as the
/// 64-bit word that it makes (the same one each time).
int64_t cacheWord(L2Priority priority);

/// Inline PTX; `$0` is the result where there is one. Whether it may be moved or
/// dropped and whether it clobbers memory is what titan/Target/PtxStatements.h
/// says of its instructions.
mlir::Value inlinePtx(mlir::ImplicitLocOpBuilder &b, mlir::Type result,
                      llvm::StringRef text, llvm::StringRef constraints,
                      mlir::ValueRange operands);

} // namespace titan

#endif
