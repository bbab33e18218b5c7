//===- AmdOps.td - CDNA3: loads to LDS, wait counters, mfma ---------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On gfx942 no object tells of completion: each wave counts what it has under
// way (vmcnt: global memory; lgkmcnt: LDS), operations of a class complete in
// order, and s_waitcnt waits until at most N are left. A token names the point
// in that order; the number is computed. Waves tell each other by s_barrier,
// after each has waited for its own (MM-110 to MM-113). `warps` are waves of 64.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_AMD_OPS_TD
#define TITAN_DIALECT_AMD_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_BufferLoadLdsOp : Titan_HwOp<"buffer_load_lds", Titan_Needs<"LdsDma">> {
  let summary = "global memory to LDS without registers: buffer_load_dword ... lds";
  let description = [{
    A box of a global tensor, from `coords` on (elements, outermost first), to a
    tile in LDS of the same shape; all waves of the region take part, and each
    instruction moves 4 bytes a lane, 256 bytes a wave. Rows past the end of the
    tensor give zeros (the buffer's range check); the box must not leave a row.
    Counts in vmcnt, once an instruction, and is not ordered with LDS accesses.
    The token is that of the last of the wave's instructions.
  }];
  let arguments = (ins Titan_GlobalType:$tensor, Variadic<Index>:$coords, Titan_SharedType:$buffer);
  let results = (outs Titan_TokenType:$token);
  let assemblyFormat = [{ $tensor `[` $coords `]` `,` $buffer attr-dict
      `:` type($tensor) `,` type($buffer) `->` type($token) }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Instructions that each wave issues: what it adds to vmcnt.
    int64_t getInstructions();
    /// The buffer as a register tile: which lane of which wave moves which
    /// element. Null where the shape has no such deal.
    ::mlir::RankedTensorType getTile();
  }];
}

def Titan_DsReadOp : Titan_HwOp<"ds_read", Titan_Needs<"WaitCounters">> {
  let summary = "LDS to registers; they arrive at an s_waitcnt lgkmcnt";
  let arguments = (ins Titan_SharedType:$buffer);
  let results = (outs Titan_InFlightType:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def Titan_DsWriteOp : Titan_HwOp<"ds_write", Titan_Needs<"WaitCounters">> {
  let summary = "registers to LDS; other waves see it after s_waitcnt lgkmcnt and s_barrier";
  let arguments = (ins Titan_Tile:$tile, Titan_SharedType:$buffer);
  let assemblyFormat = "$tile `,` $buffer attr-dict `:` type($tile) `,` type($buffer)";
  let hasVerifier = 1;
}

def Titan_SWaitcntOp : Titan_HwOp<"s_waitcnt", Titan_Needs<"WaitCounters">> {
  let summary = "s_waitcnt: waits until at most so many operations of a class are left";
  let description = [{
    `titan.s_waitcnt vmcnt(8)`, `%t = titan.s_waitcnt lgkmcnt(0) arrive(%f : ... -> ...)`.
    Tiles in flight that are named arrive here: the wait must cover their reads.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$vmcnt, OptionalAttr<I64Attr>:$lgkmcnt,
      Variadic<Titan_InFlightType>:$loads);
  let results = (outs Variadic<Titan_Tile>:$tiles);
  let assemblyFormat = [{ (`vmcnt` `(` $vmcnt^ `)`)? (`lgkmcnt` `(` $lgkmcnt^ `)`)?
      (`arrive` `(` $loads^ `:` type($loads) `->` type($tiles) `)`)? attr-dict }];
  let hasVerifier = 1;
}

def Titan_CounterWaitOp : Titan_HwOp<"counter.wait", Titan_Needs<"WaitCounters">> {
  let summary = "s_waitcnt vmcnt for a token and everything older: the number is computed";
  let arguments = (ins Titan_TokenType:$token);
  let assemblyFormat = "$token attr-dict `:` type($token)";
  let hasVerifier = 1;
}

def Titan_SBarrierOp : Titan_HwOp<"s_barrier", Titan_Needs<"SBarrier">> {
  let summary = "s_barrier: all waves of the workgroup; it waits for no memory";
  let assemblyFormat = "attr-dict";
}

def Titan_MfmaOp : Titan_HwOp<"mfma", Titan_Needs<"Mfma">> {
  let summary = "D = A * B^T + C in registers, by v_mfma instructions of each wave";
  let description = [{
    A is a tile of M x K in #titan.mfma_a, B of N x K in #titan.mfma_b, C and D of
    M x N in #titan.mfma: one instruction size and one grid of waves. Registers
    only: the hardware's hazards are the code generator's.
  }];
  let arguments = (ins Titan_Tile:$a, Titan_Tile:$b, Titan_Tile:$c);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `,` type($c) `->` type($result)";
  let hasVerifier = 1;
}

#endif
