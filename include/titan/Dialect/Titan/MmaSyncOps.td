//===- MmaSyncOps.td - matrix products of warps ------------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.sync: registers in, registers out, each warp by itself and at once. A tile
// is many instructions of m16n8, dealt to a grid of warps:
//
//   #acc = #titan.mma_sync<2, 2>         64 x 32: warps 0, 1 below each other, rows
//   #a   = #titan.mma_sync_a<16, 2, 2>   0-15, 16-31, 32-47 (0 again), 48-63 (1);
//   #b   = #titan.mma_sync_b<16, 2, 2>   2, 3 to their right, columns 16-31
//
// The first number is the bits of an element: fragments count registers of 32 bits.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_MMA_SYNC_OPS_TD
#define TITAN_DIALECT_MMA_SYNC_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_MmaSyncAttr : Titan_LayoutAttr<"MmaSync", "mma_sync"> {
  let summary = "the accumulator fragments of mma.sync m16n8, over a grid of warps";
  let description = [{
    ```mlir
    !sums = tensor<64x32xf32, #titan.mma_sync<2, 2>>   // 2 x 2 warps
    ```
    Warps are numbered down the columns. Blocks of 16 rows of the tile are dealt to the rows of
    warps in turn; its columns are cut into as many parts as there are columns of warps.
  }];
  let parameters = (ins Titan_Int<"warps one above the other">:$rows, Titan_Int<"warps side by side">:$columns);
  let assemblyFormat = "`<` $rows `,` $columns `>`";
}

class Titan_MmaSyncOperand<string name, string attrMnemonic> : Titan_LayoutAttr<name, attrMnemonic> {
  let parameters = (ins Titan_Int<"bits of an element: 8, 16, or 32 (tf32)">:$bits,
      Titan_Int<"warps of the product one above the other">:$rows,
      Titan_Int<"warps of the product side by side">:$columns);
  let assemblyFormat = "`<` $bits `,` $rows `,` $columns `>`";
}
def Titan_MmaSyncAAttr : Titan_MmaSyncOperand<"MmaSyncA", "mma_sync_a"> {
  let summary = "A of mma.sync, M x K: warps of one row hold the same";
  let description = [{
    ```mlir
    !a = tensor<64x16xbf16, #titan.mma_sync_a<16, 2, 2>>   // elements of 16 bits, 2 x 2 warps
    ```
    Rows and columns of warps are those of the product's `#titan.mma_sync`. A fragment counts
    registers of 32 bits, which hold two such elements.
  }];
}
def Titan_MmaSyncBAttr : Titan_MmaSyncOperand<"MmaSyncB", "mma_sync_b"> {
  let summary = "B of mma.sync, N x K: warps of one column hold the same";
  let description = [{
    ```mlir
    !b = tensor<32x16xbf16, #titan.mma_sync_b<16, 2, 2>>   // elements of 16 bits, 2 x 2 warps
    ```
    Rows and columns of warps are those of the product's `#titan.mma_sync`. A fragment counts
    registers of 32 bits, which hold two such elements.
  }];
}

def Titan_MmaSyncOp : Titan_HwOp<"mma_sync", Titan_Needs<"MmaSync">> {
  let summary = "D = A * B^T + C in registers, by mma.sync instructions of each warp";
  let description = [{
    A is a tile of M x K in #titan.mma_sync_a, B of N x K in #titan.mma_sync_b, C and D of
    M x N in #titan.mma_sync: one grid of warps, that of the region. ldmatrix fills A
    from rows of M x K and B from rows of N x K in shared memory (titan.shared.load).
    Registers only: no fence, no wait.

    | A, B | C, D | K of an instruction |
    |---|---|---|
    | f16 | f32, f16 | 16, 8 |
    | bf16 | f32 | 16, 8 |
    | f32, of which tf32's 19 bits are read | f32 | 8, 4 |
    | i8, each signed or `unsigned` | i32 | 32, 16 |

    K is a multiple of the smaller one: the larger is used as often as it fits, k
    ascending.
  }];
  let arguments = (ins Titan_Tile:$a, Titan_Tile:$b, Titan_Tile:$c,
      UnitAttr:$unsigned_a, UnitAttr:$unsigned_b, UnitAttr:$saturate);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = [{ $a (`unsigned_a` $unsigned_a^)? `,` $b (`unsigned_b` $unsigned_b^)? `,`
      $c (`saturate` $saturate^)? attr-dict `:` type($a) `,` type($b) `,` type($c) `->` type($result) }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows and columns of warps.
    std::pair<int64_t, int64_t> getGrid();
    /// The row of Target/Mma.h of the instruction with that K.
    const ::titan::MmaShape *getInstruction(int64_t k);
  }];
}

#endif
