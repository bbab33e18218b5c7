//===- RegionOps.td - reduce, scan, map_elementwise --------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TRITON_REGION_OPS_TD
#define TITAN_DIALECT_TRITON_REGION_OPS_TD

include "titan/Dialect/Triton/TritonBase.td"

class Triton_RegionReturn<string mnemonic, string parent>
    : Triton_Op<mnemonic, [HasParent<parent>, Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def Triton_ReduceOp : Triton_Op<"reduce", [Pure, SameOperandsShape, SingleBlock]> {
  let summary = "the elements along an axis combined by the region, in any order";
  let arguments = (ins Variadic<Triton_Tensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<Triton_Any>:$result);
  let regions = (region SizedRegion<1>:$combine);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Triton_ReduceReturnOp : Triton_RegionReturn<"reduce.return", "ReduceOp"> {
  let summary = "what two elements combine to";
}

def Triton_ScanOp : Triton_Op<"scan", [
    Pure, SameOperandsAndResultShape, SingleBlock]> {
  let summary = "each element combined with all before it along an axis (reverse: after it)";
  let arguments = (ins Variadic<Triton_Tensor>:$srcs, I32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<Triton_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combine);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Triton_ScanReturnOp : Triton_RegionReturn<"scan.return", "ScanOp"> {
  let summary = "what two elements combine to";
}

def Triton_MapElementwiseOp : Triton_Op<"map_elementwise", [
    SameOperandsAndResultShape, RecursiveMemoryEffects]> {
  let summary = "a region of scalars for every `pack` elements; it may branch";
  let arguments = (ins Variadic<Triton_Tensor>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<Triton_Tensor>:$result);
  let regions = (region AnyRegion:$scalars);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Triton_MapElementwiseReturnOp : Triton_RegionReturn<"map_elementwise.return", "MapElementwiseOp"> {
  let summary = "the elements of the results";
}

#endif
