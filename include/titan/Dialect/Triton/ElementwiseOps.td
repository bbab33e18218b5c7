//===- ElementwiseOps.td - casts and element-wise arithmetic -*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TRITON_ELEMENTWISE_OPS_TD
#define TITAN_DIALECT_TRITON_ELEMENTWISE_OPS_TD

include "titan/Dialect/Triton/TritonBase.td"

class Triton_Cast<string mnemonic, Constraint from, Constraint to>
    : Triton_Elementwise<mnemonic> {
  let arguments = (ins from:$src);
  let results = (outs to:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def Triton_IntToPtrOp : Triton_Cast<"int_to_ptr", Triton_I64Like, Triton_PtrLike> {
  let summary = "the pointer at an address";
  let hasCanonicalizeMethod = 1;
}

def Triton_PtrToIntOp : Triton_Cast<"ptr_to_int", Triton_PtrLike, Triton_I64Like> {
  let summary = "the address of a pointer";
}

def Triton_BitcastOp : Triton_Cast<"bitcast", Triton_Any, Triton_Any> {
  let summary = "the same bits as another type of the same width, or another pointer type";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Triton_FpToFpOp : Triton_Elementwise<"fp_to_fp"> {
  let summary = "conversion between floating-point types, 8-bit ones and rounding modes included";
  let description = "A conversion to a narrower type says how it rounds: `, rounding = rtne`.";
  let arguments = (ins Triton_FloatLike:$src, OptionalAttr<Triton_Rounding>:$rounding);
  let results = (outs Triton_FloatLike:$result);
  let assemblyFormat = [{
    $src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Triton_ClampFOp : Triton_Elementwise<"clampf", [SameOperandsAndResultType]> {
  let summary = "min(max(x, min), max)";
  let description = [{
    `propagateNan = all`: the result is NaN where x is; none: it is `min` there. With
    a NaN for a bound, or min > max, the result is undefined.
  }];
  let arguments = (ins Triton_FloatLike:$x, Triton_FloatLike:$min, Triton_FloatLike:$max,
                       Triton_PropagateNan:$propagateNan);
  let results = (outs Triton_FloatLike:$result);
  let assemblyFormat = [{
    $x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)
  }];
}

def Triton_PreciseSqrtOp : Triton_Elementwise<"precise_sqrt", [SameOperandsAndResultType]> {
  let summary = "square root, rounded to nearest";
  let arguments = (ins Triton_FloatLike:$x);
  let results = (outs Triton_FloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def Triton_PreciseDivFOp : Triton_Elementwise<"precise_divf", [SameOperandsAndResultType]> {
  let summary = "quotient, rounded to nearest";
  let arguments = (ins Triton_FloatLike:$x, Triton_FloatLike:$y);
  let results = (outs Triton_FloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def Triton_MulhiUIOp : Triton_Elementwise<"mulhiui", [SameOperandsAndResultType]> {
  let summary = "the upper half of the product of two unsigned integers";
  let arguments = (ins Triton_IntLike:$x, Triton_IntLike:$y);
  let results = (outs Triton_IntLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

#endif
