//===- MemoryOps.td - loads, stores, atomics ---------------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TRITON_MEMORY_OPS_TD
#define TITAN_DIALECT_TRITON_MEMORY_OPS_TD

include "titan/Dialect/Triton/TritonBase.td"

/// The mask, where there is one, has the shape of what it masks.
class Triton_MaskLike<string value, string type, string count>
    : TypesMatchWith<"the mask has the shape of what it masks", value, "mask",
                     "::titan::tt::getMaskType(" # type # ")",
                     "$_op.getOperands().size() <= " # count # " || std::equal_to<>()">;

def Triton_LoadOp : Triton_Op<"load", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"the result is what the pointer points to", "ptr", "result",
                   "::titan::tt::getPointee($_self)">,
    Triton_MaskLike<"ptr", "::titan::tt::getPointee($_self)", "1">,
    TypesMatchWith<"other is what the pointer points to", "ptr", "other",
                   "::titan::tt::getPointee($_self)",
                   "$_op.getOperands().size() <= 2 || std::equal_to<>()">]> {
  let summary = "what a pointer, a tensor of pointers or a block pointer points to";
  let description = [{
    Where the mask is false nothing is read, and the result is `other`, or undefined
    without it. Of a block pointer, `boundaryCheck` lists the dimensions in which
    elements outside of the tensor read as `padding`.
  }];
  let arguments = (ins AnyTypeOf<[Triton_PtrLike, Triton_BlockPtr]>:$ptr,
                       Optional<Triton_BoolLike>:$mask, Optional<Triton_Any>:$other,
                       DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
                       OptionalAttr<Triton_Padding>:$padding,
                       DefaultValuedAttr<Triton_CacheModifier, "::titan::tt::CacheModifier::None">:$cache,
                       DefaultValuedAttr<Triton_EvictionPolicy, "::titan::tt::EvictionPolicy::Normal">:$evict,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs Triton_Any:$result);
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Triton_StoreOp : Triton_Op<"store", [
    MemoryEffects<[MemWrite<Triton_GlobalMemory>]>,
    TypesMatchWith<"the value is what the pointer points to", "ptr", "value",
                   "::titan::tt::getPointee($_self)">,
    Triton_MaskLike<"ptr", "::titan::tt::getPointee($_self)", "2">]> {
  let summary = "writes through a pointer, a tensor of pointers or a block pointer";
  let description = "Two elements that write one place leave either value.";
  let arguments = (ins AnyTypeOf<[Triton_PtrLike, Triton_BlockPtr]>:$ptr, Triton_Any:$value,
                       Optional<Triton_BoolLike>:$mask,
                       DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
                       DefaultValuedAttr<Triton_CacheModifier, "::titan::tt::CacheModifier::None">:$cache,
                       DefaultValuedAttr<Triton_EvictionPolicy, "::titan::tt::EvictionPolicy::Normal">:$evict);
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Triton_AtomicRMWOp : Triton_Op<"atomic_rmw", [
    SameOperandsAndResultShape,
    MemoryEffects<[MemRead<Triton_GlobalMemory>, MemWrite<Triton_GlobalMemory>]>,
    TypesMatchWith<"the result is the value that was there", "val", "result", "$_self">,
    Triton_MaskLike<"val", "$_self", "2">]> {
  let summary = "reads, changes and writes each place as one step; yields what was there";
  let arguments = (ins Triton_AtomicOp:$atomic_rmw_op, Triton_PtrLike:$ptr, Triton_Any:$val,
                       Optional<Triton_BoolLike>:$mask, Triton_MemSemantic:$sem,
                       Triton_MemScope:$scope);
  let results = (outs Triton_Any:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def Triton_AtomicCASOp : Triton_Op<"atomic_cas", [
    SameOperandsAndResultShape,
    MemoryEffects<[MemRead<Triton_GlobalMemory>, MemWrite<Triton_GlobalMemory>]>]> {
  let summary = "writes val where cmp stands, as one step; yields what was there";
  let arguments = (ins Triton_PtrLike:$ptr, Triton_Any:$cmp, Triton_Any:$val,
                       Triton_MemSemantic:$sem, Triton_MemScope:$scope);
  let results = (outs Triton_Any:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

#endif
