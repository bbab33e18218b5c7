//===- ProductOps.td - matrix products ---------------------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TRITON_PRODUCT_OPS_TD
#define TITAN_DIALECT_TRITON_PRODUCT_OPS_TD

include "titan/Dialect/Triton/TritonBase.td"

def Triton_DotOp : Triton_Op<"dot", [
    Pure, TypesMatchWith<"the result has the accumulator's type", "d", "c", "$_self">]> {
  let summary = "d = a b + c";
  let description = [{
    `inputPrecision` says what becomes of f32 operands: `tf32` keeps 10 bits of the
    mantissa, `tf32x3`, `bf16x3` and `bf16x6` sum products of parts, `ieee` keeps all.
  }];
  let arguments = (ins Triton_NumberTensor:$a, Triton_NumberTensor:$b, Triton_NumberTensor:$c,
                       DefaultValuedAttr<Triton_InputPrecision, "::titan::tt::InputPrecision::IEEE">:$inputPrecision,
                       DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs Triton_NumberTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:`
    type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

def Triton_DotScaledOp : Triton_Op<"dot_scaled", [
    Pure, AttrSizedOperandSegments,
    TypesMatchWith<"the result has the accumulator's type", "d", "c", "$_self">]> {
  let summary = "d = (a scaled) (b scaled) + c, one scale for 32 (or 16) elements along K";
  let description = [{
    Scales are powers of two (e8m0) in i8. Operands of 4 bits come in pairs in an i8:
    along K, or, with `lhs_k_pack` or `rhs_k_pack` false, along M or N.
  }];
  let arguments = (ins RankedTensorOf<[Triton_Float, I8]>:$a, RankedTensorOf<[Triton_Float, I8]>:$b,
                       Triton_FloatTensor:$c,
                       Optional<RankedTensorOf<[Triton_Float, I8]>>:$a_scale,
                       Optional<RankedTensorOf<[Triton_Float, I8]>>:$b_scale,
                       Triton_ScaledType:$a_elem_type, Triton_ScaledType:$b_elem_type,
                       BoolAttr:$fastMath,
                       DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack,
                       DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs Triton_FloatTensor:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c
    `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict `:`
    type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)
  }];
  let hasVerifier = 1;
}

#endif
