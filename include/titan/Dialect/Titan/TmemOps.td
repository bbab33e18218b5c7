//===- TmemOps.td - tensor memory: views, loads, stores ----*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor memory (sm_100a): 128 lanes of 512 columns of 32 bits a CTA. Products
// (Tcgen05Ops.td) read and write it on their own; registers reach it by loads
// and stores, each warp in its own window of 32 lanes. No proxy fence orders
// its accesses: waits and tcgen05 fences do (MM-100 to MM-105).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TMEM_OPS_TD
#define TITAN_DIALECT_TMEM_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_TmemAllocOp : Titan_Op<"tmem.alloc", [Titan_Alloc]> {
  let summary = "tensor memory of the CTA: its columns, before tcgen05.alloc has got them";
  let description = [{
    As titan.mbarrier.alloc gives the memory of barriers, and titan.mbarrier.init
    makes them live, so this names columns of tensor memory, and
    titan.tcgen05.alloc, executed by a warp, gets them. Stands at the top of the
    kernel's body. The columns of all slots together are a power of two from 32 to
    512 (PTX ISA, tcgen05.alloc).
  }];
  let results = (outs Titan_TensorMemoryType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Titan_TmemSlotOp : Titan_Op<"tmem.slot", [Pure, Titan_View]> {
  let summary = "one slot of a ring in tensor memory";
  let arguments = (ins Titan_TensorMemoryType:$ring, Titan_Integer:$index);
  let results = (outs Titan_TensorMemoryType:$result);
  let assemblyFormat = "$ring `[` $index `:` type($index) `]` attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
}

def Titan_TmemViewOp : Titan_Op<"tmem.view", [Pure, Titan_View]> {
  let summary = "some columns of a tile, all rows; possibly as elements of another width";
  let description = [{
    `titan.tmem.view %s[%column] : !titan.tensor_memory<128x128xf32> -> !titan.tensor_memory<128x64xf32>`
    starts at the source's element column `%column`. Another element type shares
    the cells: P in bf16 over the first half of S in f32, two elements a cell.
  }];
  let arguments = (ins Titan_TensorMemoryType:$source, Index:$column);
  let results = (outs Titan_TensorMemoryType:$result);
  let assemblyFormat = "$source `[` $column `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Titan_TmemLoadOp : Titan_HwOp<"tmem.load", Titan_Needs<"Tcgen05">, [Titan_Flow]> {
  let summary = "tcgen05.ld: each warp loads its 32 lanes; the registers arrive at tmem.wait_load";
  let description = [{
    The tile's layout names the shape: #titan.tmem<"32x32b"> gives each thread one
    row; the 16-lane shapes come as two loads, 16 lanes apart. The four warps of a
    warpgroup load 128 rows.
  }];
  let arguments = (ins Titan_TensorMemoryType:$memory);
  let results = (outs Titan_InFlightType:$result);
  let assemblyFormat = "$memory attr-dict `:` type($memory) `->` type($result)";
  let hasVerifier = 1;
}

def Titan_TmemStoreOp : Titan_HwOp<"tmem.store", Titan_Needs<"Tcgen05">, [Titan_Flow]> {
  let summary = "tcgen05.st: each warp stores to its 32 lanes; done at tmem.wait_store";
  let arguments = (ins Titan_Tile:$tile, Titan_TensorMemoryType:$memory);
  let assemblyFormat = "$tile `,` $memory attr-dict `:` type($tile) `,` type($memory)";
  let hasVerifier = 1;
}

def Titan_TmemWaitLoadOp : Titan_HwOp<"tmem.wait_load", Titan_Needs<"Tcgen05">, [Titan_Flow]> {
  let summary = "tcgen05.wait::ld: waits for every earlier load of the threads, and yields their tiles";
  let arguments = (ins Variadic<Titan_InFlightType>:$loads);
  let results = (outs Variadic<Titan_Tile>:$tiles);
  let assemblyFormat = "$loads attr-dict `:` type($loads) `->` type($tiles)";
  let hasVerifier = 1;
}

def Titan_TmemWaitStoreOp : Titan_HwOp<"tmem.wait_store", Titan_Needs<"Tcgen05">> {
  let summary = "tcgen05.wait::st: waits for every earlier store of the threads";
  let assemblyFormat = "attr-dict";
}

#endif
