//===- BulkOps.td - bulk copies without a tensor map -----------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk: one thread copies consecutive bytes, 16 at least, through the
// async proxy. No tensor map is needed, and nothing is clipped or swizzled.
//
//   from            to              completes              operation
//   global          shared          the CTA's mbarrier     titan.bulk.load
//   shared          global          bulk group             titan.bulk.store, .reduce
//   shared          a peer's shared the peer's mbarrier    titan.bulk.copy_to_peer,
//                                                          titan.bulk.reduce_to_peer
//
// A part of a tile that need not begin where tiles do: titan.shared.run.
//
// Groups (titan.bulk.commit, titan.bulk.wait): TmaOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_BULK_OPS_TD
#define TITAN_DIALECT_BULK_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_SharedRunOp : Titan_Op<"shared.run", [Pure, Titan_View]> {
  let summary = "consecutive elements of a buffer, as they lie in memory: what a bulk copy moves";
  let description = [{
    ```mlir
    %run = titan.shared.run %buf[%at : index] : !titan.shared<128x64xf16> -> !titan.shared<32xf16>
    ```
    32 elements, from the %at-th on that lies in the buffer's bytes (under a swizzle that
    is not the %at-th of the tile). The run lies in the buffer and begins at a multiple
    of 16 bytes. Only bulk copies take it: other operations want more alignment.
  }];
  let arguments = (ins Titan_SharedType:$source, Titan_Integer:$index);
  let results = (outs Titan_SharedType:$result);
  let assemblyFormat = "$source `[` $index `:` type($index) `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Titan_BulkLoadOp : Titan_HwOp<"bulk.load", Titan_Needs<"BulkCopy">, [AttrSizedOperandSegments]> {
  let summary = "cp.async.bulk, global to shared memory, completing on an mbarrier";
  let description = [{
    ```mlir
    titan.bulk.load %A[%row, %k], %buf, %full[%stage : i32]
        : !titan.global<?x?xbf16>, !titan.shared<64xbf16>, !titan.mbarrier<4>
    ```
    From the element at the coordinates on, as many as the buffer has: a box of the
    tensor whose last extents are the buffer's shape, and the others 1. It lies in
    the tensor, and is one run of bytes: all but its outermost extent above 1 are
    whole dimensions of the tensor that its type packs. The run begins at a multiple
    of 16 bytes and is a multiple of 16 bytes long.

    With `multicast` the bytes and their complete_tx go to the same offsets in each
    CTA whose bit is set.
  }];
  let arguments = (ins Titan_GlobalType:$tensor, Variadic<Index>:$coords, Titan_SharedType:$buffer,
      Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index, Optional<I16>:$multicast,
      OptionalAttr<Titan_CacheAttr>:$cache);
  let assemblyFormat = [{ $tensor `[` $coords `]` `,` $buffer `,` $barrier (`[` $index^ `:` type($index) `]`)?
      (`multicast` `(` $multicast^ `)`)? (`cache` `(` $cache^ `)`)? attr-dict
      `:` type($tensor) `,` type($buffer) `,` type($barrier) }];
  let hasVerifier = 1;
}

def Titan_BulkStoreOp : Titan_HwOp<"bulk.store", Titan_Needs<"BulkCopy">> {
  let summary = "cp.async.bulk, shared to global memory, in the thread's bulk group";
  let description = [{
    The same run of bytes as titan.bulk.load's, the other way.
  }];
  let arguments = (ins Titan_SharedType:$buffer, Titan_GlobalType:$tensor, Variadic<Index>:$coords,
      OptionalAttr<Titan_CacheAttr>:$cache);
  let assemblyFormat = [{ $buffer `,` $tensor `[` $coords `]` (`cache` `(` $cache^ `)`)? attr-dict
      `:` type($buffer) `,` type($tensor) }];
  let hasVerifier = 1;
}

def Titan_BulkReduceOp : Titan_HwOp<"bulk.reduce", Titan_Needs<"BulkCopy">> {
  let summary = "cp.reduce.async.bulk: shared memory into global memory by an operation";
  let description = [{
    add: i32, i64, f16, bf16, f32, f64; min, max: i32, i64 (signed), f16, bf16;
    and, or, xor: i32, i64. Each element is updated atomically (relaxed, gpu scope).
  }];
  let arguments = (ins Titan_AtomicAttr:$op, Titan_SharedType:$buffer, Titan_GlobalType:$tensor,
      Variadic<Index>:$coords, OptionalAttr<Titan_CacheAttr>:$cache);
  let assemblyFormat = [{ $op $buffer `,` $tensor `[` $coords `]` (`cache` `(` $cache^ `)`)? attr-dict `:` type($buffer) `,` type($tensor) }];
  let hasVerifier = 1;
}

def Titan_BulkCopyToPeerOp : Titan_HwOp<"bulk.copy_to_peer", Titan_Needs<"BulkCopy">> {
  let summary = "cp.async.bulk, shared memory to a peer CTA's, completing on the peer's mbarrier";
  let description = [{
    ```mlir
    !tile = !titan.shared<64x64xbf16>
    !peer = !titan.shared<64x64xbf16, cluster>
    %there = titan.map_rank %buf, %rank : !tile -> !peer
    %bar = titan.map_rank %full, %rank : !titan.mbarrier -> !titan.mbarrier<cluster>
    titan.bulk.copy_to_peer %mine, %there, %bar : !tile, !peer, !titan.mbarrier<cluster>
    ```
    Both buffers are tiles of one type (but for `cluster`), a multiple of 16 bytes: the
    bytes go as they are, swizzled or not. Destination and barrier are one CTA's,
    another than the executing one. That the source has been read only that barrier
    tells.
  }];
  let arguments = (ins Titan_SharedType:$source, Titan_SharedType:$target,
      Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index);
  let assemblyFormat = [{ $source `,` $target `,` $barrier (`[` $index^ `:` type($index) `]`)? attr-dict
      `:` type($source) `,` type($target) `,` type($barrier) }];
  let hasVerifier = 1;
}

def Titan_BulkReduceToPeerOp : Titan_HwOp<"bulk.reduce_to_peer", Titan_Needs<"BulkCopy">> {
  let summary = "cp.reduce.async.bulk: shared memory into a peer CTA's by an operation";
  let description = [{
    As titan.bulk.copy_to_peer. add: i32, i64; min, max: i32 (signed); and, or,
    xor: i32.
  }];
  let arguments = (ins Titan_AtomicAttr:$op, Titan_SharedType:$source, Titan_SharedType:$target,
      Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index);
  let assemblyFormat = [{ $op $source `,` $target `,` $barrier (`[` $index^ `:` type($index) `]`)? attr-dict
      `:` type($source) `,` type($target) `,` type($barrier) }];
  let hasVerifier = 1;
}

#endif
