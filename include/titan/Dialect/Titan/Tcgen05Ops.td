//===- Tcgen05Ops.td - products in tensor memory -----------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05.mma and kin: one thread issues, the tensor core works on its own, and
// tcgen05.commit makes an mbarrier tell of it. `pair` is .cta_group::2: the two
// CTAs of a cluster whose ranks differ in bit 0 work as one; all tcgen05
// operations of a kernel are of one group.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TCGEN05_OPS_TD
#define TITAN_DIALECT_TCGEN05_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_Tcgen05AllocOp : Titan_HwOp<"tcgen05.alloc", Titan_Needs<"Tcgen05">> {
  let summary = "tcgen05.alloc: a warp gets columns of tensor memory, waiting until they are free";
  let description = [{
    The instruction writes the columns' address to shared memory, from where other
    warps learn it: they may use the memory after a barrier (PTX ISA, tcgen05.alloc).
    With `pair` one warp of either CTA executes it.
  }];
  let arguments = (ins Titan_TensorMemoryType:$memory, UnitAttr:$pair);
  let assemblyFormat = "$memory (`pair` $pair^)? attr-dict `:` type($memory)";
  let hasVerifier = 1;
}

def Titan_Tcgen05DeallocOp : Titan_HwOp<"tcgen05.dealloc", Titan_Needs<"Tcgen05">> {
  let summary = "tcgen05.dealloc: gives the columns back; every CTA does before it exits";
  let arguments = (ins Titan_TensorMemoryType:$memory, UnitAttr:$pair);
  let assemblyFormat = "$memory (`pair` $pair^)? attr-dict `:` type($memory)";
  let hasVerifier = 1;
}

def Titan_Tcgen05RelinquishOp : Titan_HwOp<"tcgen05.relinquish", Titan_Needs<"Tcgen05">> {
  let summary = "tcgen05.relinquish_alloc_permit: this CTA will not allocate again";
  let arguments = (ins UnitAttr:$pair);
  let assemblyFormat = "(`pair` $pair^)? attr-dict";
  let hasVerifier = 1;
}

def Titan_Tcgen05MmaOp : Titan_HwOp<"tcgen05.mma", Titan_Needs<"Tcgen05">, [Titan_Flow]> {
  let summary = "D = A * B^T (+ D) in tensor memory, issued by one thread";
  let description = [{
    A is a shared tile of M x K (K x M with `transpose_a`) or a tile of tensor memory,
    B a shared tile of N x K (K x N with `transpose_b`), D a tile of tensor memory.
    Without `accumulate`, or where it is false, D's old value is not read.
    With `pair` each CTA holds its half of the rows of A and D, and half of the rows
    (N) of B, at the same places; one thread of the pair issues.
  }];
  let arguments = (ins AnyTypeOf<[Titan_SharedType, Titan_TensorMemoryType]>:$a,
      Titan_SharedType:$b, Titan_TensorMemoryType:$d, Optional<I1>:$accumulate,
      UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$pair);
  let assemblyFormat = [{ $a (`transpose_a` $transpose_a^)? `,` $b (`transpose_b` $transpose_b^)? `,` $d
      (`accumulate` `(` $accumulate^ `)`)? (`pair` $pair^)? attr-dict `:` type($a) `,` type($b) `,` type($d) }];
  let hasVerifier = 1;
}

def Titan_Tcgen05CopyOp : Titan_HwOp<"tcgen05.cp", Titan_Needs<"Tcgen05">> {
  let summary = "tcgen05.cp: shared to tensor memory, issued by one thread (block scales)";
  let description = [{
    Rows of the shared tile become lanes: 128 rows of 16 or 32 bytes
    (.128x128b, .128x256b). Ordered before a later product of the same thread.
  }];
  let arguments = (ins Titan_SharedType:$source, Titan_TensorMemoryType:$memory, UnitAttr:$pair);
  let assemblyFormat = "$source `,` $memory (`pair` $pair^)? attr-dict `:` type($source) `,` type($memory)";
  let hasVerifier = 1;
}

def Titan_Tcgen05CommitOp : Titan_HwOp<"tcgen05.commit", Titan_Needs<"Tcgen05">, [AttrSizedOperandSegments]> {
  let summary = "tcgen05.commit: arrives once when all earlier products and copies of the thread are done";
  let description = [{
    Done means that their operands have been read, too: the slots may be filled
    again. With `multicast` the barrier at the same offset of each CTA in the mask
    gets an arrival. Contains tcgen05.fence::before_thread_sync.
  }];
  let arguments = (ins Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index,
      Optional<I16>:$multicast, UnitAttr:$pair);
  let assemblyFormat = [{ $barrier (`[` $index^ `:` type($index) `]`)? (`multicast` `(` $multicast^ `)`)?
      (`pair` $pair^)? attr-dict `:` type($barrier) }];
  let hasVerifier = 1;
}

def Titan_Tcgen05FenceBeforeOp : Titan_HwOp<"tcgen05.fence_before", Titan_Needs<"Tcgen05">> {
  let summary = "tcgen05.fence::before_thread_sync: earlier tcgen05 work precedes the signal that follows";
  let assemblyFormat = "attr-dict";
}

def Titan_Tcgen05FenceAfterOp : Titan_HwOp<"tcgen05.fence_after", Titan_Needs<"Tcgen05">> {
  let summary = "tcgen05.fence::after_thread_sync: later tcgen05 work follows the wait before it";
  let assemblyFormat = "attr-dict";
}

#endif
