//===- PointerOps.td - pointers and block pointers ---------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TRITON_POINTER_OPS_TD
#define TITAN_DIALECT_TRITON_POINTER_OPS_TD

include "titan/Dialect/Triton/TritonBase.td"

def Triton_AddPtrOp : Triton_Elementwise<"addptr", [
    TypesMatchWith<"the result has the pointer's type", "result", "ptr", "$_self">]> {
  let summary = "pointer + offset, in elements";
  let arguments = (ins Triton_PtrLike:$ptr, Triton_IntLike:$offset);
  let results = (outs Triton_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
}

def Triton_MakeTensorPtrOp : Triton_Op<"make_tensor_ptr", [
    Pure, SameVariadicOperandSize,
    TypesMatchWith<"the base points to the block's elements", "result", "base",
                   "::titan::tt::getElementPointer($_self)">]> {
  let summary = "a block pointer: tensor at base, of shape and strides, block at offsets";
  let description = "Strides and offsets are in elements; `order`: dimensions, fastest first.";
  let arguments = (ins Triton_Ptr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides,
                       Variadic<I32>:$offsets, DenseI32ArrayAttr:$order);
  let results = (outs Triton_BlockPtr:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Triton_AdvanceOp : Triton_Op<"advance", [
    Pure, TypesMatchWith<"the result has the pointer's type", "result", "ptr", "$_self">]> {
  let summary = "a block pointer whose offsets are larger by these";
  let arguments = (ins Triton_BlockPtr:$ptr, Variadic<I32>:$offsets);
  let results = (outs Triton_BlockPtr:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
