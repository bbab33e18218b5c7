//===- Triton.h - Triton's IR as TITAN defines it ---------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The portable level: the text that Triton 3.6 prints, read and printed without
// Triton (docs/triton.md). A family of operations is one .td file here and one
// .cpp file in lib/Dialect/Triton.
//
//   !tt.ptr<f32>                        pointer
//   tensor<128x!tt.ptr<f32>>            tensor of pointers
//   !tt.ptr<tensor<64x32xf16>>          block pointer
//   !tt.tensordesc<tensor<64x32xf16>>   tensor descriptor
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TRITON_TRITON_H
#define TITAN_DIALECT_TRITON_TRITON_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace titan::tt {

/// Elements of one tensor.
inline constexpr int64_t maxTensorElements = int64_t{1} << 20;

/// What pointers reach.
struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "titan::tt::GlobalMemory"; }
};

/// What a pointer, a tensor of pointers or a block pointer points to; the type
/// itself where it is none of these.
mlir::Type getPointee(mlir::Type type);
/// i1, or a tensor of it, in the shape of `type`.
mlir::Type getMaskType(mlir::Type type);
/// The pointer to an element of a block pointer's block.
mlir::Type getElementPointer(mlir::Type blockPointer);

/// Whether every tensor of the operation has a size that Triton allows.
mlir::LogicalResult verifyTensorSizes(mlir::Operation *op);

template <typename ConcreteType>
class TensorSizes : public mlir::OpTrait::TraitBase<ConcreteType, TensorSizes> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyTensorSizes(op);
  }
};

} // namespace titan::tt

#include "titan/Dialect/Triton/TritonDialect.h.inc"
#include "titan/Dialect/Triton/TritonEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "titan/Dialect/Triton/TritonTypes.h.inc"

#define GET_OP_CLASSES
#include "titan/Dialect/Triton/TritonOps.h.inc"

#endif
