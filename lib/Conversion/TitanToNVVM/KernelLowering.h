//===- KernelLowering.h - one walk over a kernel ----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowering walks the kernel's body once, in order, and builds the function
// beside it. `values` maps each titan value to the scalars that stand for it
// (TitanToNVVM.h has the table); every operation has one function here, its
// family's file holds it.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_CONVERSION_KERNELLOWERING_H
#define TITAN_CONVERSION_KERNELLOWERING_H

#include "titan/Analysis/PendingGroups.h"
#include "titan/Conversion/TitanToNVVM.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>

namespace titan {

/// A value computed from the lane and the warp (of the partition) alone.
using LaneFunction = std::function<int64_t(int64_t lane, int64_t warp)>;

class KernelLowering {
public:
  KernelLowering(KernelOp kernel, mlir::ModuleOp target);
  mlir::FailureOr<LoweredKernel> run();

private:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;
  using LogicalResult = mlir::LogicalResult;

  //===--------------------------------------------------------------------===//
  // Function and control flow: Kernel.cpp
  //===--------------------------------------------------------------------===//
  LogicalResult allocateShared();
  LogicalResult makeFunction();
  LogicalResult block(mlir::Block &body);
  LogicalResult operation(mlir::Operation &op);
  LogicalResult forLoop(mlir::scf::ForOp op);
  LogicalResult whileLoop(mlir::scf::WhileOp op);
  LogicalResult ifElse(mlir::scf::IfOp op);
  LogicalResult warpSpecialize(WarpSpecializeOp op);
  LogicalResult elect(ElectOp op);
  LogicalResult print(PrintOp op);
  LogicalResult assertion(AssertOp op);
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
  void callPrintf(llvm::StringRef format, mlir::ValueRange scalars);

  //===--------------------------------------------------------------------===//
  // Register tiles: Tiles.cpp
  //===--------------------------------------------------------------------===//
  LogicalResult elementwise(mlir::Operation &op);
  LogicalResult mathScalar(mlir::Operation &op, mlir::ValueRange operands,
                           Values &results);
  LogicalResult splat(SplatOp op);
  LogicalResult coordinate(CoordinateOp op);
  LogicalResult extract(ExtractOp op);
  LogicalResult reduce(ReduceOp op);
  LogicalResult broadcast(BroadcastOp op);

  //===--------------------------------------------------------------------===//
  // Memory: Memory.cpp
  //===--------------------------------------------------------------------===//
  LogicalResult sharedSlot(SharedSlotOp op);
  LogicalResult sharedView(SharedViewOp op);
  LogicalResult mapRank(MapRankOp op);
  LogicalResult sharedStore(SharedStoreOp op);
  LogicalResult sharedLoad(SharedLoadOp op);
  LogicalResult sharedMatrix(mlir::Operation *op, SharedType buffer,
                             mlir::RankedTensorType tile, bool store);
  LogicalResult globalLoad(GlobalLoadOp op);
  LogicalResult globalStore(GlobalStoreOp op);
  LogicalResult ld(LdOp op);
  LogicalResult st(StOp op);
  LogicalResult atom(AtomOp op);
  LogicalResult flagWait(FlagWaitOp op);
  LogicalResult flagSignal(FlagSignalOp op);
  /// The address of an element: i32 in shared memory, i64 in global memory.
  Value elementAddress(Value memory, mlir::ValueRange indices);

  //===--------------------------------------------------------------------===//
  // Barriers and fences: Barriers.cpp
  //===--------------------------------------------------------------------===//
  LogicalResult barrierOperation(mlir::Operation &op);
  LogicalResult mbarrierInit(MBarrierInitOp op);
  LogicalResult mbarrierArrive(MBarrierArriveOp op);
  LogicalResult mbarrierArriveExpectTx(MBarrierArriveExpectTxOp op);
  void waitLoop(llvm::StringRef instruction, llvm::StringRef operands,
                llvm::StringRef constraints, mlir::ValueRange values);
  Value barrierAddress(Value barrier, Value index);

  //===--------------------------------------------------------------------===//
  // TMA: Tma.cpp
  //===--------------------------------------------------------------------===//
  LogicalResult tmaLoad(TmaLoadOp op);
  void checkOffsets(TmaLoadOp op);
  LogicalResult tmaStore(TmaStoreOp op);
  LogicalResult tmaReduce(TmaReduceOp op);
  LogicalResult bulkWait(BulkWaitOp op);
  /// Tensormap.cpp: maps edited on the device.
  LogicalResult tensormapOperation(mlir::Operation &op);
  Value sharedMapAddress(mlir::Operation *op, Value map);

  //===--------------------------------------------------------------------===//
  // Matrix products: Mma.cpp
  //===--------------------------------------------------------------------===//
  LogicalResult mma(MmaOp op);
  /// The registers of A's fragments, packed in pairs: four 32-bit registers for
  /// each step of 16 along K, in the order of wgmma's matrix fragment A.
  mlir::FailureOr<Values> fragmentsOfA(MmaOp op, const Layout &accumulator,
                                       int64_t firstRegister);
  LogicalResult mmaResult(MmaResultOp op);
  LogicalResult mmaWait(MmaWaitOp op);

  //===--------------------------------------------------------------------===//
  // Building blocks: Kernel.cpp, LaneFunctions.cpp
  //===--------------------------------------------------------------------===//
  /// A coded error; becomes a failure of whatever type the caller returns.
  mlir::InFlightDiagnostic unsupported(mlir::Operation *op,
                                       const llvm::Twine &what);
  Values get(Value value) { return values[value]; }
  Value get1(Value value) { return values[value].front(); }
  void set(Value value, mlir::ValueRange scalars) {
    values[value] = Values(scalars.begin(), scalars.end());
  }
  Values getAll(mlir::ValueRange list) {
    Values all;
    for (Value value : list)
      llvm::append_range(all, get(value));
    return all;
  }

  Value i32(int64_t constant);
  Value i64(int64_t constant);
  Value i1(bool constant);
  Value add(Value a, Value b);
  Value mul(Value a, int64_t factor);
  Value toI32(Value integer);
  Value toI64(Value integer);
  /// Inline PTX with side effects; `$0` is the result where there is one.
  Value ptx(mlir::Type result, llvm::StringRef text,
            llvm::StringRef constraints, mlir::ValueRange operands);
  void ptx(llvm::StringRef text, llvm::StringRef constraints,
           mlir::ValueRange operands);

  /// Two 16-bit elements in one 32-bit register.
  Value pack(Value low, Value high);
  /// tid.x % 32.
  Value lane();
  /// The warp's rank in the partition that the walk is in.
  Value warp();
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

  KernelOp kernel;
  mlir::ModuleOp target;
  PendingGroups groups;
  mlir::ImplicitLocOpBuilder b;
  mlir::LLVM::LLVMFuncOp function;
  LoweredKernel lowered;
  llvm::DenseMap<Value, Values> values;

  /// A kernel argument in global memory.
  struct Global {
    Value pointer;
    Values sizes, strides; ///< index; null where nothing uses them.
  };
  llvm::DenseMap<Value, Global> globals;
  /// Byte offset of each allocation from the start of shared memory.
  llvm::DenseMap<Value, int64_t> sharedOffsets;

  Value sharedBase, laneValue, ctaWarp, partitionWarp;
  /// Warps that execute what the walk is at.
  int64_t warpsHere = 0;
  int64_t firstWarpHere = 0;
  int formats = 0;
};

} // namespace titan

#endif
