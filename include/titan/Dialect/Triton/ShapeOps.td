//===- ShapeOps.td - shapes: splat, reshape, transpose, join, gather -*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TRITON_SHAPE_OPS_TD
#define TITAN_DIALECT_TRITON_SHAPE_OPS_TD

include "titan/Dialect/Triton/TritonBase.td"

def Triton_MakeRangeOp : Triton_Op<"make_range", [Pure]> {
  let summary = "start, start + 1, ..., end - 1";
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs Triton_IntTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

class Triton_View<string mnemonic, list<Trait> traits = []>
    : Triton_Op<mnemonic, !listconcat([Pure, SameOperandsAndResultElementType], traits)> {
  let arguments = (ins Triton_Tensor:$src);
  let results = (outs Triton_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Triton_SplatOp : Triton_View<"splat"> {
  let summary = "a tensor of one value";
  let arguments = (ins Triton_Any:$src);
  let hasVerifier = 0;
}

def Triton_UnsplatOp : Triton_Op<"unsplat", [
    Pure, TypesMatchWith<"the result is the tensor's element", "src", "result",
                         "::mlir::getElementTypeOrSelf($_self)">]> {
  let summary = "the only element of a tensor";
  let arguments = (ins Triton_Tensor:$src);
  let results = (outs Triton_Any:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasVerifier = 1;
}

def Triton_ExpandDimsOp : Triton_View<"expand_dims"> {
  let summary = "a new dimension of size 1 at `axis`";
  let arguments = (ins Triton_Tensor:$src, I32Attr:$axis);
  let hasCanonicalizeMethod = 1;
}

def Triton_ReshapeOp : Triton_View<"reshape"> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    `allow_reorder`: the elements may come in any order. `efficient_layout`: the
    result's layout is to be kept.
  }];
  let arguments = (ins Triton_Tensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? attr-dict
    `:` type($src) `->` type($result)
  }];
  let hasCanonicalizeMethod = 1;
}

def Triton_BroadcastOp : Triton_View<"broadcast"> {
  let summary = "dimensions of size 1 repeated";
  let hasCanonicalizeMethod = 1;
}

def Triton_TransOp : Triton_View<"trans"> {
  let summary = "dimension d of the result is dimension order[d] of the source";
  let arguments = (ins Triton_Tensor:$src, DenseI32ArrayAttr:$order);
}

def Triton_CatOp : Triton_Op<"cat", [
    NoMemoryEffect, SameTypeOperands, SameOperandsAndResultElementType]> {
  let summary = "the elements of both, in any order";
  let arguments = (ins Triton_Tensor:$lhs, Triton_Tensor:$rhs);
  let results = (outs Triton_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def Triton_JoinOp : Triton_Op<"join", [Pure, SameTypeOperands]> {
  let summary = "both along a new innermost dimension of size 2";
  let arguments = (ins Triton_Tensor:$lhs, Triton_Tensor:$rhs);
  let results = (outs Triton_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def Triton_SplitOp : Triton_Op<"split", [
    Pure, TypesMatchWith<"the halves have one type", "outLHS", "outRHS", "$_self">]> {
  let summary = "the two halves of an innermost dimension of size 2";
  let arguments = (ins Triton_Tensor:$src);
  let results = (outs Triton_Tensor:$outLHS, Triton_Tensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let hasVerifier = 1;
}

def Triton_GatherOp : Triton_Op<"gather", [Pure]> {
  let summary = "result[i, j] = src[indices[i, j], j] for axis 0";
  let arguments = (ins Triton_Tensor:$src, Triton_IntTensor:$indices, I32Attr:$axis,
                       UnitAttr:$efficient_layout);
  let results = (outs Triton_Tensor:$result);
  let assemblyFormat = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Triton_HistogramOp : Triton_Op<"histogram", [
    Pure, TypesMatchWith<"the mask has the shape of what it masks", "src", "mask",
                         "::titan::tt::getMaskType($_self)",
                         "$_op.getOperands().size() <= 1 || std::equal_to<>()">]> {
  let summary = "how often each of 0, 1, ..., bins - 1 occurs where the mask is true";
  let arguments = (ins Triton_IntTensor:$src, Optional<RankedTensorOf<[I1]>>:$mask);
  let results = (outs Triton_IntTensor:$result);
  let assemblyFormat = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

#endif
