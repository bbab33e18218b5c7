//===- AsyncStoreOps.td - stores to a peer that tell its mbarrier ---*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// st.async, red.async: each thread stores its elements of a register tile to a
// peer's shared memory, and the peer's mbarrier counts their bytes as it counts
// those of a copy. Through the generic proxy (MM-33, MM-41). The barrier expects
// the bytes of the whole tile, once, however many threads hold an element.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_ASYNC_STORE_OPS_TD
#define TITAN_DIALECT_ASYNC_STORE_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_StAsyncOp : Titan_HwOp<"st_async", Titan_Needs<"StAsync">> {
  let summary = "st.async: stores a register tile to a peer's shared memory, completing on its mbarrier";
  let description = [{
    ```mlir
    !part = tensor<64x64xf32, #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [4, 1]>>
    !peer = !titan.shared<64x64xf32, cluster>
    titan.st_async %part, %there, %bar[%i : i32] : !part, !peer, !titan.mbarrier<2, cluster>
    ```
    Destination and barrier are one CTA's. Each thread stores 4, 8 or 16 bytes at a
    time: elements of 8 or 16 bits lie in consecutive registers by fours or twos.
  }];
  let arguments = (ins Titan_Tile:$tile, Titan_SharedType:$target, Titan_MBarrierType:$barrier,
      Optional<Titan_Integer>:$index);
  let assemblyFormat = [{ $tile `,` $target `,` $barrier (`[` $index^ `:` type($index) `]`)? attr-dict
      `:` type($tile) `,` type($target) `,` type($barrier) }];
  let hasVerifier = 1;
}

def Titan_RedAsyncOp : Titan_HwOp<"red_async", Titan_Needs<"StAsync">> {
  let summary = "red.async: a register tile into a peer's shared memory by an operation";
  let description = [{
    add: i32, i64; min, max: i32 (signed); and, or, xor: i32. Destination and barrier
    are one CTA's, another than the executing one.
  }];
  let arguments = (ins Titan_AtomicAttr:$op, Titan_Tile:$tile, Titan_SharedType:$target,
      Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index);
  let assemblyFormat = [{ $op $tile `,` $target `,` $barrier (`[` $index^ `:` type($index) `]`)? attr-dict
      `:` type($tile) `,` type($target) `,` type($barrier) }];
  let hasVerifier = 1;
}

#endif
