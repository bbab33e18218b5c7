//===- KernelLowering.h - one walk over a kernel ----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowering walks the kernel's body once, in order, and builds the function
// beside it; how an operation is built its family says (LoweringTable.h). This
// is what a family builds with. A value of the titan dialect is represented by
// scalars of the function, which `get` and `set` look up and say:
//
//   register tile, inflight   one scalar for each register a thread holds
//   shared, mbarrier          i32, an address in shared memory
//   tensor_map                a pointer to a __grid_constant__ parameter
//   global                    a pointer, and the sizes and strides that are
//                             used (global())
//   token                     nothing: waits are counted (PendingGroups.h)
//   phase                     i64, an mbarrier state
//   index, i32, f32, ...      itself
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_CONVERSION_KERNELLOWERING_H
#define TITAN_CONVERSION_KERNELLOWERING_H

#include "titan/Analysis/PendingGroups.h"
#include "titan/Analysis/TrailingZeros.h"
#include "titan/Conversion/Emitter.h"
#include "titan/Conversion/TitanToLLVM.h"

namespace titan {

using Values = llvm::SmallVector<mlir::Value>;

/// ".u32", ".s64", ...: the type by which PTX names a reduction of 32 or 64 bits.
llvm::StringRef sharedReductionType(AtomicOp op, bool wide);

class KernelLowering {
public:
  using Value = mlir::Value;

  KernelLowering(KernelOp kernel, mlir::ModuleOp module, Emitter &emitter);
  mlir::FailureOr<LoweredKernel> run();

  /// Where the function is being built, at the location of the operation.
  mlir::ImplicitLocOpBuilder b;
  KernelOp kernel;
  /// What the function stands in, and what the package will say of it.
  mlir::ModuleOp module;
  /// What is the target's own.
  Emitter &emitter;
  const TargetInfo &target;
  mlir::LLVM::LLVMFuncOp function;
  LoweredKernel lowered;
  /// Groups that may be pending at a wait.
  PendingGroups groups;
  /// Powers of two that divide the kernel's numbers.
  TrailingZeros zeros;

  //===--------------------------------------------------------------------===//
  // The walk
  //===--------------------------------------------------------------------===//

  /// Lowers the operations of a block to the insertion point.
  mlir::LogicalResult block(mlir::Block &body);
  /// [not-supported-yet] at `op`; becomes a failure of whatever type the caller
  /// returns.
  mlir::InFlightDiagnostic unsupported(mlir::Operation *op,
                                       const llvm::Twine &what);

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  Values get(Value value) { return values[value]; }
  Value get1(Value value) { return values[value].front(); }
  Values getAll(mlir::ValueRange list) {
    Values all;
    for (Value value : list)
      llvm::append_range(all, get(value));
    return all;
  }
  void set(Value value, mlir::ValueRange scalars) {
    values[value] = Values(scalars.begin(), scalars.end());
  }
  /// Whether `set` has told of a value.
  bool isKnown(Value value) const {
    auto found = values.find(value);
    return found != values.end() && !found->second.empty();
  }
  /// The scalar types that stand for a type.
  mlir::FailureOr<llvm::SmallVector<mlir::Type>> convert(mlir::Operation *op,
                                                         mlir::Type type);
  struct Converted {
    llvm::SmallVector<mlir::Type> types;
    /// Scalars of each of the types that were converted.
    llvm::SmallVector<size_t> counts;
  };
  mlir::FailureOr<Converted> convertAll(mlir::Operation *op,
                                        mlir::TypeRange types);
  /// The same for what loops and branches carry: there two 16-bit elements of a
  /// tile are one word, since LLVM would keep each in a register of its own.
  mlir::FailureOr<Converted> convertCarried(mlir::Operation *op,
                                            mlir::TypeRange types);
  Values getCarried(mlir::ValueRange list);
  void dealCarried(mlir::ValueRange targets, mlir::ValueRange scalars,
                   llvm::ArrayRef<size_t> counts);
  /// What a tile was made of, where that is simpler than its registers: one
  /// scalar in all elements, or their coordinate.
  struct TileOrigin {
    Value scalar;
    std::optional<unsigned> coordinate;
  };
  void setOrigin(Value tile, TileOrigin origin) { origins[tile] = origin; }
  TileOrigin origin(Value tile) const { return origins.lookup(tile); }
  /// Deals `scalars` out to `targets`, `counts` to each.
  void deal(mlir::ValueRange targets, mlir::ValueRange scalars,
            llvm::ArrayRef<size_t> counts);

  //===--------------------------------------------------------------------===//
  // Arithmetic and instructions
  //===--------------------------------------------------------------------===//

  Value i32(int64_t constant);
  Value i64(int64_t constant);
  Value i1(bool constant);
  Value add(Value a, Value b);
  Value mul(Value a, int64_t factor);
  Value toI32(Value integer);
  Value toI64(Value integer);
  /// Two 16-bit elements in one 32-bit register.
  Value pack(Value low, Value high);
  /// Words of 32 bits, each of as many elements as fit, the first one lowest.
  llvm::SmallVector<Value> packed(mlir::ValueRange elements);
  /// The opposite, of 16-bit elements.
  llvm::SmallVector<Value> unpacked(mlir::ValueRange words, mlir::Type element);
  /// inlinePtx (Emitter.h).
  Value ptx(mlir::Type result, llvm::StringRef text,
            llvm::StringRef constraints, mlir::ValueRange operands);
  void ptx(llvm::StringRef text, llvm::StringRef constraints,
           mlir::ValueRange operands);

  //===--------------------------------------------------------------------===//
  // Threads
  //===--------------------------------------------------------------------===//

  /// The thread's number in its warp.
  Value lane() { return laneValue; }
  /// The warp's rank in the partition that the walk is in, and in the CTA.
  Value warp() { return partitionWarp; }
  Value warpOfCta() { return ctaWarp; }
  /// Warps that execute what the walk is at.
  int64_t warps() const { return warpsHere; }
  /// Called in the block of `elect` that its warp executes: the first such block of
  /// a kernel prefetches its tensor maps.
  void enter(ElectOp elect);
  /// Lowers `body` as that of so many warps, of which `rank` is the executing
  /// one's; null: it is all warps of the CTA.
  mlir::LogicalResult blockOf(int64_t warps, Value rank, mlir::Block &body);

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// A tensor in global memory: a kernel argument, or what an address makes.
  struct Global {
    Value pointer;
    Values sizes, strides; ///< index; null where nothing uses them.
  };
  const Global &global(Value tensor) { return globals[tensor]; }
  /// `tensor` is that.
  void setGlobal(Value tensor, Global global) {
    globals[tensor] = std::move(global);
  }
  /// The address of an allocation in shared memory.
  Value sharedAddress(Value allocation);
  /// The address of an element: i32 in shared memory, i64 in global memory.
  Value elementAddress(Value memory, mlir::ValueRange indices);
  /// The operand `.L2::cache_hint` of that policy, an i64. What is no constant is
  /// made once, where the kernel begins.
  Value cachePolicy(CachePolicyAttr policy);
  /// The access to it of a thread, weak and without a mask.
  Emitter::Access elementAccess(Value memory, mlir::ValueRange indices);
  /// That of a barrier of a ring; without an index the first one's.
  Value mbarrierAddress(Value barrier, Value index);

  //===--------------------------------------------------------------------===//
  // Register tiles: LaneFunctions.cpp
  //===--------------------------------------------------------------------===//

  /// Emits a layout (reg, lane, warp) -> number, its register 0, as a function
  /// of the executing lane and warp (titan/Layout/LaneTerms.h). None: digits
  /// overlap under a swizzle.
  std::optional<Value> laneFunction(const Layout &layout);
  /// Emits several, each of which is `base` (or 0) and the layout's value; `base`
  /// is a multiple of `alignment`, a power of two.
  mlir::FailureOr<Values> laneFunctions(mlir::Operation *op,
                                        llvm::ArrayRef<Layout> layouts,
                                        Value base, int64_t alignment);
  /// Where registers 0, step, 2*step, ... of a tile lie in shared memory.
  mlir::FailureOr<Values> tileAddresses(mlir::Operation *op, const Layout &tile,
                                        mlir::TypedValue<SharedType> buffer,
                                        int64_t step);
  /// Whether this thread owns its elements; null: every thread does.
  mlir::FailureOr<Value> ownerPredicate(mlir::Operation *op,
                                        const Layout &layout);

private:
  mlir::LogicalResult allocateShared();
  mlir::LogicalResult makeFunction();
  /// Decides which block prefetches the tensor maps.
  void placePrefetch();

  llvm::DenseMap<Value, Values> values;
  llvm::DenseMap<Value, TileOrigin> origins;
  llvm::DenseMap<Value, Global> globals;
  llvm::DenseMap<CachePolicyAttr, Value> policies;
  /// Byte offset of each allocation from the start of shared memory.
  llvm::DenseMap<Value, int64_t> sharedOffsets;
  Value sharedBase, laneValue, ctaWarp, partitionWarp;
  int64_t warpsHere = 0;
  /// Tensor maps that engines read, and the block that prefetches them (null: the
  /// kernel's start has done it).
  Values engineMaps;
  ElectOp prefetcher;
};

} // namespace titan

#endif
