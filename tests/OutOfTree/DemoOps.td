//===- DemoOps.td - a family outside of the tree -----------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DEMO_OPS_TD
#define DEMO_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Demo_Dialect : Dialect {
  let name = "demo";
  let cppNamespace = "::demo";
  let dependentDialects = ["::titan::TitanDialect"];
}

def Demo_FillOp : Op<Demo_Dialect, "fill", [
    Titan_Needs<"Elect">, DeclareOpInterfaceMethods<HardwareEffectsInterface>]> {
  let summary = "one thread writes a value to every element of a shared tile";
  let arguments = (ins Titan_SharedType:$buffer, F32:$value);
  let assemblyFormat = "$buffer `,` $value attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

#endif
