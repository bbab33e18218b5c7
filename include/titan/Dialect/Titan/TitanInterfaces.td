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
    InterfaceMethod<"The targets on which the operation exists: those of its definition (Titan_ExistsOn).",
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
