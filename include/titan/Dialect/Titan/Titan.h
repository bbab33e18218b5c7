//===- Titan.h - the titan dialect ------------------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memories, copies and how they complete, barriers and their phases, proxies,
// warps: where hardware appears. One op family a .td file and a .cpp file;
// Effects.h says what an operation does.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_H
#define TITAN_DIALECT_TITAN_H

#include "titan/Dialect/Titan/Effects.h"
#include "titan/Dialect/Titan/Targets.h"
#include "titan/Dialect/Titan/TileFlow.h"
#include "titan/Layout/SharedImage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <array>

namespace mlir {
class ImplicitLocOpBuilder;
} // namespace mlir

namespace titan {
struct MmaShape;    // Target/Mma.h
struct TensorMap;   // Domain/TensorMap.h
struct TmaSchedule; // Domain/TmaSchedule.h
struct TmaViolation;
class LaunchOp;
class PartitionOp;
} // namespace titan

#include "titan/Dialect/Titan/TitanDialect.h.inc"
#include "titan/Dialect/Titan/TitanEnums.h.inc"

#include "titan/Dialect/Titan/TitanAttrInterfaces.h.inc"
#include "titan/Dialect/Titan/TitanOpInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "titan/Dialect/Titan/TitanAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "titan/Dialect/Titan/TitanTypes.h.inc"

#define GET_OP_CLASSES
#include "titan/Dialect/Titan/TitanOps.h.inc"

namespace titan {

/// The layout of a register tile, or what is wrong with its encoding.
Result<Layout> getTileLayout(mlir::RankedTensorType tile);

/// A matrix operand in shared memory, of two dimensions or, without swizzle, of three
/// (MmaOps.td): mn and k, in elements, into bytes. `transposed`: k runs down.
Result<Layout> getMatrixOperand(SharedType type, bool transposed);

/// Bytes of an element of a type that lies in memory (bf16: 2, i1: 1).
int64_t getElementBytes(mlir::Type elementType);

/// The allocation (shared.alloc, mbarrier.alloc) or block argument that a chain
/// of views (ViewOpInterface) starts from; `cluster` is set where the chain
/// passes a map_rank.
mlir::Value getRoot(mlir::Value memory, bool *cluster = nullptr);

/// Bytes that the address of `tensor` is a multiple of, a power of two, if the body
/// makes it of a number (titan.tensor_at); 0: it does not.
int64_t getAddressAlignment(mlir::Value tensor);

/// The box of a tensor that a bulk copy moves to or from a buffer: the buffer's
/// shape, with extents of 1 outside of it. Empty: the tensor has fewer
/// dimensions.
llvm::SmallVector<int64_t> getRunExtents(GlobalType tensor, SharedType buffer);

/// The operation that made a tensor map of a kernel's body, at launch.
TensorMapOp getTensorMapOp(mlir::Value mapInBody);

/// The global tensor that copies through a map lead into: of a map made at
/// launch as the launch region names it, of one in memory as tensormap.at does;
/// null where the map is neither.
mlir::Value getMappedTensor(mlir::Value map);

/// What a launch gives: a size, a stride, an argument or a property of the
/// device, by the name that messages give it: A[0], A.stride[0], n.
struct LaunchInput {
  std::string name;
  mlir::Value value;
};
/// The integers that a launch region's value is computed from, each once, in the
/// order of the IR.
llvm::SmallVector<LaunchInput> getLaunchInputs(mlir::Value value);

/// `x` and `y` combined as reductions and scans do: scalars, or tiles element by
/// element.
mlir::Value combineElements(mlir::ImplicitLocOpBuilder &b, ReduceKind kind,
                            mlir::Value x, mlir::Value y);

/// Whether a TMA store or reduction of the kernel goes through the map.
bool isStoredThrough(TensorMapOp map);

/// The name of a map's element type (Target/Tma.h); empty where there is none.
/// Of 64-bit integers, which reductions tell apart, `isSigned` ones.
llvm::StringRef getTmaTypeName(mlir::Type elementType, bool isSigned = false);
/// That of the map that `op` makes: signed where the body reduces by min or
/// max.
llvm::StringRef getTmaTypeName(TensorMapOp op);

/// The fields of a map that its type says: all but address, sizes, strides,
/// fill and promotion. The type's rank is at most 5.
TensorMap getTensorMapFields(TensorMapType type, llvm::StringRef tmaType);

} // namespace titan

#endif
