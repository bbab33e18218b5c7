//===- TitanInterfaces.td - what an operation must tell ----*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_INTERFACES_TD
#define TITAN_DIALECT_TITAN_INTERFACES_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def HardwareEffectsInterface : OpInterface<"HardwareEffectsInterface"> {
  let cppNamespace = "::titan";
  let description = [{
    One place says what an operation does: its effects (Effects.h), as
    expressions over its operands and attributes, and how many threads issue it.
  }];
  let methods = [
    InterfaceMethod<"Appends what the operation does, in the order in which it does it.",
      "void", "getHardwareEffects", (ins "::titan::effect::EffectList &":$effects)>,
    InterfaceMethod<"Which threads of the region together issue the operation once.",
      "::titan::effect::Cardinality", "getCardinality">,
    InterfaceMethod<"The targets on which the operation exists: those that have what its definition needs (Titan_Needs).",
      "::llvm::ArrayRef<::llvm::StringRef>", "getTargets", (ins), [{ return $_op.getTargets(); }]>
  ];
}

def ViewOpInterface : OpInterface<"ViewOpInterface"> {
  let cppNamespace = "::titan";
  let description = [{
    The operation's one result is a view: memory that another value names, or a
    part of it. Nobody who follows views knows the operations that make them.
  }];
  let methods = [
    InterfaceMethod<"What the result is a view of, and where in it the view begins.",
      "::titan::effect::View", "getView">
  ];
}

def AllocOpInterface : OpInterface<"AllocOpInterface"> {
  let cppNamespace = "::titan";
  let description = [{
    The operation's one result names memory of the CTA, which nothing else names
    but views of it. It stands at the top of the kernel's body.
  }];
  let methods = [
    InterfaceMethod<"How much of which memory, and how it is aligned.",
      "::titan::effect::Allocation", "getAllocation">
  ];
}

def NoneOpInterface : OpInterface<"NoneOpInterface"> {
  let cppNamespace = "::titan";
  let description = [{
    The operation's one result stands for none: no group, no slot, no product.
  }];
}

def TileOpInterface : OpInterface<"TileOpInterface"> {
  let cppNamespace = "::titan";
  let description = [{
    The operation's one result is a register tile whose elements follow from the
    operands' by their places alone. (What follows element by element is
    OpTrait::Elementwise.)
  }];
  let methods = [
    InterfaceMethod<[{The elements, row-major, where they are integers and the operands hold these
      (a scalar operand: one).}],
      "std::vector<int64_t>", "getElements",
      (ins "::llvm::ArrayRef<::llvm::ArrayRef<int64_t>>":$operands)>,
    InterfaceMethod<"Whether each thread has the result in registers of the operand: nothing is computed.",
      "bool", "keepsRegisters", (ins), [{}], [{ return false; }]>
  ];
}

def TileFlowOpInterface : OpInterface<"TileFlowOpInterface"> {
  let cppNamespace = "::titan";
  let description = [{
    Where the operation brings the elements of its tiles (TileFlow.h), for whoever
    follows a tile through a kernel.
  }];
  let methods = [
    InterfaceMethod<"Appends each of its steps.",
      "void", "getTileFlow", (ins "::titan::flow::Steps &":$steps)>
  ];
}

def RegisterIndexOpInterface : OpInterface<"RegisterIndexOpInterface"> {
  let cppNamespace = "::titan";
  let description = [{
    The operation chooses registers by an index. Registers have no addresses: once
    loops are unrolled (titan-unroll) the index is a constant, and the operation
    one without an index.
  }];
  let methods = [
    InterfaceMethod<"The index.", "::mlir::Value", "getRegisterIndex">,
    InterfaceMethod<"How many there are to choose of: the index is below.", "int64_t",
      "getRegisterChoices">,
    InterfaceMethod<"What the result is where the index is this number.",
      "::mlir::Value", "atIndex", (ins "::mlir::OpBuilder &":$b, "int64_t":$index)>
  ];
}

def LayoutAttrInterface : AttrInterface<"LayoutAttrInterface"> {
  let cppNamespace = "::titan";
  let description = [{
    The encoding of a register tile: a name for a function (register, lane, warp)
    -> element coordinates. Users ask for the function and never match on names.
  }];
  let methods = [
    InterfaceMethod<"The function, for a tile of `shape` elements; or what is wrong.",
      "::titan::Result<::titan::Layout>", "getLayout", (ins "::llvm::ArrayRef<int64_t>":$shape)>
  ];
}

#endif
