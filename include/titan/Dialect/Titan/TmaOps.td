//===- TmaOps.td - bulk tensor copies and their groups -----*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TMA_OPS_TD
#define TITAN_DIALECT_TMA_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_TmaLoadOp : Titan_HwOp<"tma.load", Titan_Needs<"Tma">, [AttrSizedOperandSegments, Titan_Flow]> {
  let summary = "cp.async.bulk.tensor, global to shared memory, completing on an mbarrier";
  let description = [{
    ```mlir
    !map = !titan.tensor_map<128x64xbf16, swizzle = 128>
    !tile = !titan.shared<128x64xbf16, swizzle = 128>
    titan.tma.load %map[%m, %k], %buf, %full[%stage : i32] : !map, !tile, !titan.mbarrier<4>
    ```
    Coordinates in elements, outermost dimension first, may be negative or past the
    end.

    Through an im2col map `%map[%n, %h, %w, %c] offsets[%r, %s]`: the coordinates are
    the first pixel, in the bounding box, and the first channel; the offsets, one for
    each spatial dimension, outermost first, are added to every pixel that is visited
    (the filter's position). They are 0 to 65535, 255, 31 in maps of rank 3, 4, 5. The
    instruction packs them, so that one out of range would disturb its neighbour: the
    verifier refuses constants, the simulator reports values (tma-im2col), and
    compiled code ends in a trap instead of the copy.

    With `multicast` the box and its complete_tx go to the same offsets in each
    CTA whose bit is set. With `pair` (.cta_group::2, sm_100a) the barrier may be that
    of the other CTA of the pair, reached by titan.map_rank: the CTA of the data and
    the CTA of the signal are then two.
  }];
  let arguments = (ins Titan_TensorMapType:$map, Variadic<Index>:$coords, Variadic<Index>:$offsets,
      Titan_SharedType:$buffer, Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index, Optional<I16>:$multicast,
      UnitAttr:$pair, OptionalAttr<Titan_CacheAttr>:$cache);
  let assemblyFormat = [{ $map `[` $coords `]` (`offsets` `[` $offsets^ `]`)? `,` $buffer `,` $barrier (`[` $index^ `:` type($index) `]`)?
      (`multicast` `(` $multicast^ `)`)? (`pair` $pair^)? (`cache` `(` $cache^ `)`)? attr-dict
      `:` type($map) `,` type($buffer) `,` type($barrier) }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The form for pairs of CTAs exists where there are such.
    ::llvm::ArrayRef<::llvm::StringRef> getTargets() {
      return getPair() ? Needs<Feature::CtaPairs>::names() : Op::getTargets();
    }
  }];
}

def Titan_TmaPrefetchOp : Titan_HwOp<"tma.prefetch", Titan_Needs<"Tma">, [AttrSizedOperandSegments]> {
  let summary = "cp.async.bulk.prefetch.tensor: a box of the tensor to the L2 cache";
  let description = [{
    ```mlir
    titan.tma.prefetch %map[%m, %k] : !titan.tensor_map<128x64xbf16, swizzle = 128>
    ```
    What titan.tma.load of the same map, coordinates and offsets would read is brought
    to L2, if at all. Nothing is written, nothing completes, and nobody waits for it.
    The map is the launch's.
  }];
  let arguments = (ins Titan_TensorMapType:$map, Variadic<Index>:$coords, Variadic<Index>:$offsets,
      OptionalAttr<Titan_CacheAttr>:$cache);
  let assemblyFormat = [{ $map `[` $coords `]` (`offsets` `[` $offsets^ `]`)? (`cache` `(` $cache^ `)`)? attr-dict
      `:` type($map) }];
  let hasVerifier = 1;
}

def Titan_TmaStoreOp : Titan_HwOp<"tma.store", Titan_Needs<"Tma">, [Titan_Flow]> {
  let summary = "cp.async.bulk.tensor, shared to global memory, in the thread's bulk group";
  let description = [{
    Coordinates in elements, outermost dimension first, not negative. Through an im2col
    map (.im2col_no_offs) they are the first pixel and channel; there are no offsets,
    and the bounding box lies inside of the tensor.
  }];
  let arguments = (ins Titan_SharedType:$buffer, Titan_TensorMapType:$map, Variadic<Index>:$coords,
      OptionalAttr<Titan_CacheAttr>:$cache);
  let assemblyFormat = [{ $buffer `,` $map `[` $coords `]` (`cache` `(` $cache^ `)`)? attr-dict
      `:` type($buffer) `,` type($map) }];
  let hasVerifier = 1;
}

def Titan_TmaReduceOp : Titan_HwOp<"tma.reduce", Titan_Needs<"Tma">, [Titan_Flow]> {
  let summary = "cp.reduce.async.bulk.tensor: shared memory into global memory by an operation";
  let description = [{
    add, min, max, and, or, xor. Integers are signed for min and max. A map of i64 is
    one of unsigned or of signed numbers: min and max go through another map than
    the other operations.
  }];
  let arguments = (ins Titan_AtomicAttr:$op, Titan_SharedType:$buffer, Titan_TensorMapType:$map,
      Variadic<Index>:$coords, OptionalAttr<Titan_CacheAttr>:$cache);
  let assemblyFormat = [{ $op $buffer `,` $map `[` $coords `]` (`cache` `(` $cache^ `)`)? attr-dict `:` type($buffer) `,` type($map) }];
  let hasVerifier = 1;
}

def Titan_BulkCommitOp : Titan_HwOp<"bulk.commit", Titan_Needs<"BulkCopy">> {
  let summary = "cp.async.bulk.commit_group of the executing thread";
  let results = (outs Titan_TokenType:$token);
  let assemblyFormat = "attr-dict `:` type($token)";
  let hasVerifier = 1;
}

def Titan_BulkWaitOp : Titan_HwOp<"bulk.wait", Titan_Needs<"BulkCopy">> {
  let summary = "waits for a bulk group and every older one; `read`: until their sources have been read";
  let arguments = (ins Titan_TokenType:$token, UnitAttr:$read);
  let assemblyFormat = "$token `` custom<Read>($read) attr-dict `:` type($token)";
  let hasVerifier = 1;
}

def Titan_BulkWaitGroupOp : Titan_HwOp<"bulk.wait_group", Titan_Needs<"BulkCopy">> {
  let summary = "cp.async.bulk.wait_group N: at most N groups stay pending";
  let arguments = (ins I64Attr:$pending, UnitAttr:$read);
  let assemblyFormat = "$pending (`read` $read^)? attr-dict";
  let hasVerifier = 1;
}

def Titan_TokenNoneOp : Titan_Op<"token.none", [Titan_Total, Pure, Titan_None]> {
  let summary = "a token (or slot) of nothing: waits on it return at once";
  let results = (outs AnyTypeOf<[Titan_TokenType, Titan_SlotType]>:$token);
  let assemblyFormat = "attr-dict `:` type($token)";
}

#endif
