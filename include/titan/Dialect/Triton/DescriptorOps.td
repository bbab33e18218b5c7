//===- DescriptorOps.td - tensor descriptors ---------------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TRITON_DESCRIPTOR_OPS_TD
#define TITAN_DIALECT_TRITON_DESCRIPTOR_OPS_TD

include "titan/Dialect/Triton/TritonBase.td"

def Triton_Desc : DialectType<Triton_Dialect, CPred<"::llvm::isa<::titan::tt::TensorDescType>($_self)">,
                              "tensor descriptor", "::titan::tt::TensorDescType">;

def Triton_MakeTensorDescOp : Triton_Op<"make_tensor_descriptor", [Pure, SameVariadicOperandSize]> {
  let summary = "the descriptor of a tensor at base";
  let description = "Shape and strides in elements, outermost first; the last stride is 1.";
  let arguments = (ins Triton_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
                       DefaultValuedAttr<Triton_Padding, "::titan::tt::PaddingOption::Zero">:$padding);
  let results = (outs Triton_Desc:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)
  }];
  let hasVerifier = 1;
}

def Triton_DescriptorLoadOp : Triton_Op<"descriptor_load", [MemoryEffects<[MemRead<Triton_GlobalMemory>]>]> {
  let summary = "the block at these indices; outside of the tensor, the padding";
  let arguments = (ins Triton_Desc:$desc, Variadic<I32>:$indices,
                       DefaultValuedAttr<Triton_CacheModifier, "::titan::tt::CacheModifier::None">:$cache,
                       DefaultValuedAttr<Triton_EvictionPolicy, "::titan::tt::EvictionPolicy::Normal">:$evict);
  let results = (outs Triton_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]` oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` qualified(type($desc)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Triton_DescriptorStoreOp : Triton_Op<"descriptor_store", [
    MemoryEffects<[MemRead<Triton_GlobalMemory>, MemWrite<Triton_GlobalMemory>]>]> {
  let summary = "writes the part of a block that lies in the tensor";
  let arguments = (ins Triton_Desc:$desc, Triton_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
  let hasVerifier = 1;
}

def Triton_DescriptorReduceOp : Triton_Op<"descriptor_reduce", [
    MemoryEffects<[MemRead<Triton_GlobalMemory>, MemWrite<Triton_GlobalMemory>]>]> {
  let summary = "combines a block with what is there, each element atomically";
  let arguments = (ins Triton_ReduceKind:$kind, Triton_Desc:$desc, Triton_Tensor:$src,
                       Variadic<I32>:$indices);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
  let hasVerifier = 1;
}

def Triton_DescriptorGatherOp : Triton_Op<"descriptor_gather", [MemoryEffects<[MemRead<Triton_GlobalMemory>]>]> {
  let summary = "rows x_offsets of a matrix, from column y_offset on";
  let arguments = (ins Triton_Desc:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset);
  let results = (outs Triton_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Triton_DescriptorScatterOp : Triton_Op<"descriptor_scatter", [
    MemoryEffects<[MemRead<Triton_GlobalMemory>, MemWrite<Triton_GlobalMemory>]>]> {
  let summary = "writes rows x_offsets of a matrix, from column y_offset on";
  let arguments = (ins Triton_Desc:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset,
                       Triton_Tensor:$src);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)
  }];
  let hasVerifier = 1;
}

#endif
