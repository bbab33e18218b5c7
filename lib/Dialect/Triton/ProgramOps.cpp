//===- ProgramOps.cpp - functions, the grid, print, assert, foreign code --===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Triton/Triton.h"

#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace titan::tt;

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto makeType = [](Builder &builder, ArrayRef<Type> inputs,
                     ArrayRef<Type> results,
                     function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), makeType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("[tt-call] there is no tt.func ") << getCalleeAttr();
  FunctionType type = callee.getFunctionType();
  if (type.getInputs() == getOperands().getTypes() &&
      type.getResults() == getResultTypes())
    return success();
  return emitOpError("[tt-call] ") << getCalleeAttr() << " is of type " << type;
}

LogicalResult ReturnOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  if (function.getResultTypes() == getSrcs().getTypes())
    return success();
  return emitOpError("[tt-call] @") << function.getSymName() << " returns ("
                                    << function.getResultTypes() << ")";
}

//===----------------------------------------------------------------------===//
// Foreign code: what is not pure may do anything
//===----------------------------------------------------------------------===//

static void
addUnknown(bool pure,
           SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
               &effects) {
  if (pure)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void ExternElementwiseOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addUnknown(getPure(), effects);
}

Speculation::Speculatability ExternElementwiseOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

void ElementwiseInlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addUnknown(getPure(), effects);
}

Speculation::Speculatability ElementwiseInlineAsmOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

LogicalResult ElementwiseInlineAsmOp::verify() {
  if (getArgs().empty())
    return success();
  Type first = getArgs().front().getType();
  auto tensor = dyn_cast<RankedTensorType>(first);
  int64_t count =
      tensor && tensor.hasStaticShape() ? tensor.getNumElements() : 1;
  int64_t packed = getPackedElementAttr().getInt();
  if (packed < 1 || (tensor && count % packed))
    return emitOpError("[tt-attribute] ")
           << first << " has no multiple of " << packed << " elements";
  return success();
}
