//===- TensormapOps.td - tensor maps edited on the device --*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map that the launch makes is a constant. One that lies in memory can be
// changed: a copy of it is edited in shared memory, and tensormap.cp_fenceproxy
// copies it to global memory and releases it to the tensormap proxy. Whoever
// copies through it acquires it first (fence.tensormap_acquire). MM-90, MM-91.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TENSORMAP_OPS_TD
#define TITAN_DIALECT_TENSORMAP_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_TensormapAllocOp : Titan_Op<"tensormap.alloc", [Titan_Alloc]> {
  let summary = "128 bytes of shared memory for a tensor map to be edited in";
  let description = "No copy goes through a map in shared memory: publish it first.";
  let results = (outs Titan_TensorMapType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Titan_TensormapAtOp : Titan_Op<"tensormap.at", [Pure, Titan_View]> {
  let summary = "the tensor map in row %i of an array of 128-byte objects in global memory";
  let description = [{
    `titan.tensormap.at %maps[%i] over %D : !titan.global<?x128xi8>, !titan.global<?x?xbf16> -> !titan.tensor_map<...>`.
    `over` names the tensor into which the map leads, whatever its fields say: what
    is copied through it is some part of that tensor.
  }];
  let arguments = (ins Titan_GlobalType:$array, Index:$index, Titan_GlobalType:$tensor);
  let results = (outs Titan_TensorMapType:$result);
  let assemblyFormat = "$array `[` $index `]` `over` $tensor attr-dict `:` type($array) `,` type($tensor) `->` type($result)";
  let hasVerifier = 1;
}

def Titan_TensormapCopyOp : Titan_HwOp<"tensormap.copy", Titan_Needs<"TensormapReplace">> {
  let summary = "a warp copies a map, 4 bytes a lane, by ordinary loads and stores";
  let arguments = (ins Titan_TensorMapType:$source, Titan_TensorMapType:$map);
  let assemblyFormat = "$source `,` $map attr-dict `:` type($source) `,` type($map)";
  let hasVerifier = 1;
}

/// One thread changes a field. Dimensions count as everywhere, outermost first
/// (the instruction's ordinal counts from the innermost).
class Titan_TensormapReplace<string mnemonic>
    : Titan_HwOp<"tensormap.replace_" # mnemonic, Titan_Needs<"TensormapReplace">>;

def Titan_TensormapReplaceAddressOp : Titan_TensormapReplace<"address"> {
  let summary = "tensormap.replace.global_address: the map begins at an element of a global tensor";
  let description = "The address must be a multiple of 16 bytes: the coordinates are to see to it.";
  let arguments = (ins Titan_TensorMapType:$map, Titan_GlobalType:$tensor, Variadic<Index>:$coords);
  let assemblyFormat = "$map `,` $tensor `[` $coords `]` attr-dict `:` type($map) `,` type($tensor)";
  let hasVerifier = 1;
}

def Titan_TensormapReplaceDimOp : Titan_TensormapReplace<"dim"> {
  let summary = "tensormap.replace.global_dim: the size of a dimension, in elements";
  let description = "A size of 0 would be stored as 2^32: it is the program's to avoid.";
  let arguments = (ins Titan_TensorMapType:$map, I64Attr:$dimension, I32:$size);
  let assemblyFormat = "$map `,` $dimension `,` $size attr-dict `:` type($map)";
  let hasVerifier = 1;
}

def Titan_TensormapReplaceStrideOp : Titan_TensormapReplace<"stride"> {
  let summary = "tensormap.replace.global_stride: the stride of a dimension, in bytes";
  let arguments = (ins Titan_TensorMapType:$map, I64Attr:$dimension, I64:$stride);
  let assemblyFormat = "$map `,` $dimension `,` $stride attr-dict `:` type($map)";
  let hasVerifier = 1;
}

def Titan_TensormapCpFenceproxyOp : Titan_HwOp<"tensormap.cp_fenceproxy", Titan_Needs<"TensormapReplace">> {
  let summary = "tensormap.cp_fenceproxy: a warp copies a map from shared to global memory and releases it";
  let arguments = (ins Titan_TensorMapType:$source, Titan_TensorMapType:$map, Titan_ScopeAttr:$scope);
  let assemblyFormat = "$source `,` $map $scope attr-dict `:` type($source) `,` type($map)";
  let hasVerifier = 1;
}

#endif
