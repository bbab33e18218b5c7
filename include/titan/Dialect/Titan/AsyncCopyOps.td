//===- AsyncCopyOps.td - copies that threads issue, their groups -----*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async: each thread copies 4, 8 or 16 bytes from global to shared memory,
// past its registers. As a tile it is titan.global.load and titan.shared.store
// in one: the layout of the index tensors says which thread copies which
// elements. Three ways to know that the copies are done:
//
//   commit, wait %token     a group of the thread, waited for by itself
//   commit, wait_group N    the same by number
//   mbarrier_arrive %full   the barrier's phase, waited for by anybody
//
// In either way what was copied is visible to the thread that waits; others
// learn of it through barriers. It is written through the generic proxy: before
// a TMA store or a product reads it, the thread that has waited fences
// (titan.fence.proxy_async; MM-41).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_ASYNC_COPY_OPS_TD
#define TITAN_DIALECT_ASYNC_COPY_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_CpAsyncOp : Titan_HwOp<"cp_async", Titan_Needs<"CpAsync">, [AttrSizedOperandSegments]> {
  let summary = "cp.async: each thread copies its elements from global to shared memory, in chunks";
  let description = [{
    ```mlir
    #rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
    !index = tensor<64x64xi32, #rows>
    !bits = tensor<64x64xi1, #rows>
    titan.cp_async %A[%i, %j] mask(%m : !bits), %buf bytes(16) cg
        : !titan.global<?x?xbf16>, !index, !index -> !titan.shared<64x64xbf16, swizzle = 128>
    ```
    Element (r, c) of the buffer becomes A[%i[r, c], %j[r, c]] where the mask is
    true, and 0 elsewhere. Each thread copies the elements that the layout of the
    index tensors gives it, `bytes` (4, 8 or 16) at a time: so many bytes along the
    last dimension lie in consecutive registers (cp-async-layout), and the index
    tensors send them to consecutive elements of one row of the tensor, from a
    multiple of `bytes` on. Of such a chunk the mask is true for the first elements,
    none or all (src-size). Where all of it is false the index may be any.

    `cg` leaves L1 out (16 bytes only); without it the copy is .ca.
  }];
  let arguments = (ins Titan_GlobalType:$tensor, Variadic<Titan_Tile>:$indices,
      Optional<Titan_Tile>:$mask, Titan_SharedType:$buffer, I64Attr:$bytes, UnitAttr:$cg);
  let assemblyFormat = [{ $tensor `[` $indices `]` (`mask` `(` $mask^ `:` type($mask) `)`)? `,` $buffer
      `bytes` `(` $bytes `)` (`cg` $cg^)? attr-dict `:` type($tensor) `,` type($indices) `->` type($buffer) }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The tile of elements that is copied, in the layout of the index tensors.
    ::mlir::RankedTensorType getTileType();
    /// Elements of a chunk.
    int64_t getChunk();
  }];
}

def Titan_CpAsyncCommitOp : Titan_HwOp<"cp_async.commit", Titan_Needs<"CpAsync">> {
  let summary = "cp.async.commit_group: a group of what the thread has issued since its last one";
  let results = (outs Titan_TokenType:$token);
  let assemblyFormat = "attr-dict `:` type($token)";
  let hasVerifier = 1;
}

def Titan_CpAsyncWaitOp : Titan_HwOp<"cp_async.wait", Titan_Needs<"CpAsync">> {
  let summary = "waits for a group of cp.async and every older one";
  let description = [{
    The number in cp.async.wait_group is computed from the groups committed since.
  }];
  let arguments = (ins Titan_TokenType:$token);
  let assemblyFormat = "$token attr-dict `:` type($token)";
  let hasVerifier = 1;
}

def Titan_CpAsyncWaitGroupOp : Titan_HwOp<"cp_async.wait_group", Titan_Needs<"CpAsync">> {
  let summary = "cp.async.wait_group N: at most N groups stay pending";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

def Titan_CpAsyncMBarrierArriveOp : Titan_HwOp<"cp_async.mbarrier_arrive", Titan_Needs<"CpAsync">> {
  let summary = "cp.async.mbarrier.arrive: arrives when the thread's earlier cp.async are done";
  let description = [{
    One arrival of each active thread, in a group or not. With `noinc` it is one of
    those that the barrier counts; without, the barrier's phase waits for one arrival
    more, and its count knows nothing of it (the thread must arrive afterwards).
  }];
  let arguments = (ins Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index, UnitAttr:$noinc);
  let assemblyFormat = [{ $barrier (`[` $index^ `:` type($index) `]`)? (`noinc` $noinc^)? attr-dict `:` type($barrier) }];
  let hasVerifier = 1;
}

#endif
