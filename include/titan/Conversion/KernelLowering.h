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
#include "titan/Conversion/TitanToLLVM.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>

namespace titan {

using Values = llvm::SmallVector<mlir::Value>;

/// A value computed from the lane and the warp (of the partition) alone.
using LaneFunction = std::function<int64_t(int64_t lane, int64_t warp)>;

/// `createpolicy.fractional.L2::evict_first.b64` of the whole access, as the
/// 64-bit word that it makes (the same one each time).
int64_t cacheWord(CachePolicy policy);
/// ".u32", ".s64", ...: the type by which PTX names a reduction of 32 or 64 bits.
llvm::StringRef sharedReductionType(AtomicOp op, bool wide);

class KernelLowering {
public:
  using Value = mlir::Value;

  KernelLowering(KernelOp kernel, mlir::ModuleOp module);
  mlir::FailureOr<LoweredKernel> run();

  /// Where the function is being built, at the location of the operation.
  mlir::ImplicitLocOpBuilder b;
  KernelOp kernel;
  /// What the function stands in, and what the package will say of it.
  mlir::ModuleOp module;
  mlir::LLVM::LLVMFuncOp function;
  LoweredKernel lowered;
  /// Groups that may be pending at a wait.
  PendingGroups groups;

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
  /// Inline PTX with side effects; `$0` is the result where there is one.
  Value ptx(mlir::Type result, llvm::StringRef text,
            llvm::StringRef constraints, mlir::ValueRange operands);
  void ptx(llvm::StringRef text, llvm::StringRef constraints,
           mlir::ValueRange operands);

  //===--------------------------------------------------------------------===//
  // Threads
  //===--------------------------------------------------------------------===//

  /// tid.x % 32.
  Value lane() { return laneValue; }
  /// The warp's rank in the partition that the walk is in, and in the CTA.
  Value warp() { return partitionWarp; }
  Value warpOfCta() { return ctaWarp; }
  /// Warps that execute what the walk is at.
  int64_t warps() const { return warpsHere; }
  /// Lowers `body` as that of so many warps, of which `rank` is the executing
  /// one's; null: it is all warps of the CTA.
  mlir::LogicalResult blockOf(int64_t warps, Value rank, mlir::Block &body);

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// A kernel argument in global memory.
  struct Global {
    Value pointer;
    Values sizes, strides; ///< index; null where nothing uses them.
  };
  const Global &global(Value argument) { return globals[argument]; }
  /// The address of an allocation in shared memory.
  Value sharedAddress(Value allocation);
  /// The address of an element: i32 in shared memory, i64 in global memory.
  Value elementAddress(Value memory, mlir::ValueRange indices);
  /// That of a barrier of a ring; without an index the first one's.
  Value mbarrierAddress(Value barrier, Value index);

  //===--------------------------------------------------------------------===//
  // Register tiles: LaneFunctions.cpp
  //===--------------------------------------------------------------------===//

  /// Emits a function of lane and warp (0 .. warps-1), found by its values:
  /// linear over bits, or a sum. None: it is neither.
  std::optional<Value> laneFunction(const LaneFunction &function,
                                    int64_t warps);
  /// Whether this thread owns its elements; null: every thread does.
  mlir::FailureOr<Value> ownerPredicate(mlir::Operation *op,
                                        const Layout &layout);
  /// Addresses of a tile's image in shared memory, one for each entry of
  /// `offset` (bytes from the tile's start, by lane and warp).
  mlir::FailureOr<Values> sharedAddresses(mlir::Operation *op, Value base,
                                          int64_t alignment,
                                          llvm::ArrayRef<LaneFunction> offsets,
                                          int64_t warps);

private:
  mlir::LogicalResult allocateShared();
  mlir::LogicalResult makeFunction();

  llvm::DenseMap<Value, Values> values;
  llvm::DenseMap<Value, Global> globals;
  /// Byte offset of each allocation from the start of shared memory.
  llvm::DenseMap<Value, int64_t> sharedOffsets;
  Value sharedBase, laneValue, ctaWarp, partitionWarp;
  int64_t warpsHere = 0;
};

} // namespace titan

#endif
