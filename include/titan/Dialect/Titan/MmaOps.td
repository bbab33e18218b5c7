//===- MmaOps.td - asynchronous matrix products ------------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_MMA_OPS_TD
#define TITAN_DIALECT_MMA_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_MmaOp : Titan_HwOp<"mma", Titan_Needs<"Wgmma">, [Titan_Flow]> {
  let summary = "D = A * B^T (+ D), asynchronously, by the warpgroups of the region";
  let description = [{
    A is a shared tile of M x K (or K x M with `transpose_a`), or a register tile of
    M x K; B is a shared tile of N x K (or K x N with `transpose_b`), D a register
    tile of M x N in flight. A register tile is borrowed until the product's group
    has been waited for; for 16-bit elements its layout is that of the accumulators
    (#titan.wgmma), so a product's converted result is the next one's A as it is. Without `accumulate`,
    or where it is false, D's old value is not read. On sm_90a: wgmma.mma_async, the
    M rows split over the warpgroups of the region by D's layout; the K dimension is
    walked in steps of 32 bytes.

    | A, B | D | transposed | sums |
    |---|---|---|---|
    | f16 | f32, f16 | yes | titan/Target/MmaSum.h says how they are rounded |
    | bf16 | f32 | yes | the same |
    | f32, of which tf32's 19 bits are read | f32 | no | the same |
    | f8E4M3FN, f8E5M2, each by each | f32, f16 | no | the same: f32 keeps 13 bits of fraction |
    | i8, each signed or `unsigned` | i32 | no | exact, modulo 2^32 or, with `saturate`, clamped |

    An operand in shared memory without swizzle has three dimensions, columns of 16
    bytes one after another (what a map with `interleave`, or a box of three dimensions
    writes): `!titan.shared<8x64x8xbf16>` is 64 rows of K = 64, and with the word
    `transpose_b` 64 of K by 64 columns. `negate_a` and `negate_b` change the signs of
    floating-point operands.
  }];
  let arguments = (ins AnyTypeOf<[Titan_SharedType, Titan_Tile]>:$a, Titan_SharedType:$b, Titan_InFlightType:$acc,
      Optional<I1>:$accumulate, UnitAttr:$transpose_a, UnitAttr:$negate_a, UnitAttr:$unsigned_a,
      UnitAttr:$transpose_b, UnitAttr:$negate_b, UnitAttr:$unsigned_b, UnitAttr:$saturate);
  let results = (outs Titan_InFlightType:$result);
  let assemblyFormat = [{ $a (`transpose_a` $transpose_a^)? (`negate_a` $negate_a^)? (`unsigned_a` $unsigned_a^)? `,`
      $b (`transpose_b` $transpose_b^)? (`negate_b` $negate_b^)? (`unsigned_b` $unsigned_b^)? `,`
      $acc (`accumulate` `(` $accumulate^ `)`)? (`saturate` $saturate^)? attr-dict
      `:` type($a) `,` type($b) `,` type($acc) `->` type($result) }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// A where it lies in shared memory; null where it is a register tile.
    ::mlir::TypedValue<::titan::SharedType> getSharedA();
    /// The row of Target/Mma.h: types and K of the instruction. Its N is one of those
    /// that getColumns() takes.
    const ::titan::MmaShape *getInstruction();
    /// N of the instruction: as many columns of a row as one warpgroup holds. 0 where
    /// the accumulator's layout is no fragment of wgmma.
    int64_t getColumns();
  }];
}

def Titan_InFlightNoneOp : Titan_Op<"inflight.none", [Titan_Total, Pure, Titan_None]> {
  let summary = "registers for a product, holding nothing yet: the first mma must not accumulate";
  let results = (outs Titan_InFlightType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Titan_InFlightStartOp : Titan_HwOp<"inflight.start", Titan_Everywhere, [Titan_Flow]> {
  let summary = "hands a register tile to an asynchronous product as its accumulator";
  let arguments = (ins Titan_Tile:$tile);
  let results = (outs Titan_InFlightType:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Titan_MmaFenceOp : Titan_HwOp<"mma.fence", Titan_Needs<"Wgmma">> {
  let summary = "wgmma.fence: before the first product, and after other accesses to its registers";
  let assemblyFormat = "attr-dict";
}

def Titan_MmaCommitOp : Titan_HwOp<"mma.commit", Titan_Needs<"Wgmma">> {
  let summary = "wgmma.commit_group";
  let results = (outs Titan_TokenType:$token);
  let assemblyFormat = "attr-dict `:` type($token)";
  let hasVerifier = 1;
}

def Titan_MmaWaitOp : Titan_HwOp<"mma.wait", Titan_Needs<"Wgmma">> {
  let summary = "waits for a group of products and every older one";
  let description = [{
    The number in wgmma.wait_group is computed from the groups committed since.
  }];
  let arguments = (ins Titan_TokenType:$token);
  let assemblyFormat = "$token attr-dict `:` type($token)";
  let hasVerifier = 1;
}

def Titan_MmaWaitGroupOp : Titan_HwOp<"mma.wait_group", Titan_Needs<"Wgmma">> {
  let summary = "wgmma.wait_group N: at most N groups stay pending";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

def Titan_MmaResultOp : Titan_HwOp<"mma.result", Titan_Needs<"Wgmma">, [Titan_Flow]> {
  let summary = "waits for products and yields an accumulator as an ordinary register tile";
  let description = [{
    wgmma.wait_group 0, then the registers are the program's again. With `after`
    only that group and every older one are waited for: a younger product of other
    accumulators goes on meanwhile.
  }];
  let arguments = (ins Titan_InFlightType:$acc, Optional<Titan_TokenType>:$after);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = [{ $acc (`after` `(` $after^ `:` type($after) `)`)? attr-dict
      `:` type($acc) `->` type($result) }];
  let hasVerifier = 1;
}

#endif
