//===- TileOps.td - register tiles -------------------------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element-wise arithmetic on register tiles is arith and math on tensors whose
// encoding is a layout. What is not element-wise stands here.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TILE_OPS_TD
#define TITAN_DIALECT_TILE_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_SplatOp : Titan_Op<"splat", [Titan_Total, Pure, Titan_Places, Titan_Flow]> {
  let summary = "a register tile that holds one value everywhere";
  let arguments = (ins Titan_Scalar:$value);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Titan_UnsplatOp : Titan_Op<"unsplat", [Titan_Total, Pure]> {
  let summary = "the only element of a register tile, as a scalar";
  let description = [{
    `titan.unsplat %sum : tensor<f32, #titan.slice<0, #rows>> -> f32`: a tile of one element,
    which every thread holds, is one value a warp. What a reduction of a whole tile leaves becomes a
    number that the warp computes with, decides by, or passes on.
  }];
  let arguments = (ins Titan_Tile:$tile);
  let results = (outs Titan_Scalar:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Titan_CoordinateOp : Titan_Op<"coordinate", [Titan_Total, Pure, Titan_Places, Titan_Flow]> {
  let summary = "a register tile of i32 that holds each element's own coordinate along a dimension";
  let arguments = (ins I64Attr:$dimension);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = "$dimension attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Titan_ExtractOp : Titan_Op<"extract", [Titan_Total, Pure, Titan_PlacesOfRegisters, Titan_Flow]> {
  let summary = "a part of a register tile: every thread keeps some of its registers";
  let arguments = (ins Titan_Tile:$tile, DenseI64ArrayAttr:$offsets);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = "$tile $offsets attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Titan_PanelOp : Titan_Op<"panel", [Pure, DeclareOpInterfaceMethods<RegisterIndexOpInterface>, Titan_Flow]> {
  let summary = "the i-th panel of a register tile: as many columns as the result has";
  let description = [{
    `titan.panel %tile[%i]` is titan.extract at columns %i * width. Registers have no
    addresses, so %i must be a constant once the loops marked `titan.unroll` have
    been unrolled (titan-unroll), which turns it into a titan.extract.
  }];
  let arguments = (ins Titan_Tile:$tile, Index:$index);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = "$tile `[` $index `]` attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Titan_ReduceOp : Titan_Op<"reduce", [Titan_Total, Titan_Flow]> {
  let summary = "reduces a register tile along its last dimension (shuffles, or shared memory between warps)";
  let description = [{
    The result is one value a row: the tile without its last dimension, in the
    layout #titan.slice<last, layout of the tile>. Or it has the tile's own type,
    and each element holds its row's value.

    Rows that lie in several warps go `through %scratch`, as tiles do in
    titan.convert_layout: each warp reduces its part, the parts go through shared
    memory and a barrier, and each warp reduces the parts. The scratch has one element
    for each part of each row.
  }];
  let arguments = (ins Titan_ReduceAttr:$kind, Titan_Tile:$tile, Optional<Titan_SharedType>:$scratch,
                       OptionalAttr<I64Attr>:$barrier, OptionalAttr<I64Attr>:$threads);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = [{
    $kind $tile (`through` $scratch^)? (`barrier` `(` $barrier^ `)` `threads` `(` $threads `)`)?
    attr-dict `:` type($tile) (`,` type($scratch)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Titan_BroadcastOp : Titan_Op<"broadcast", [Titan_Total, Pure, Titan_Places, Titan_Flow]> {
  let summary = "a row's value in every element of the row: no data moves";
  let description = [{
    `titan.broadcast %max : tensor<64xf32, #titan.slice<1, #acc>> -> tensor<64x128xf32, #acc>`.
    The operand's layout is the result's without its last dimension, whatever the
    extent of that dimension is.
  }];
  let arguments = (ins Titan_Tile:$tile);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Titan_AnyOp : Titan_Op<"any", [Titan_Total]> {
  let summary = "vote.sync.any: whether an element of a tile of i1 is true in this warp";
  let description = [{
    One value a warp, of the elements that its lanes hold: other warps may find another
    one. It decides what a warp does by what is in its registers, say whether a
    maximum has changed at all. All lanes of the warp execute it.
  }];
  let arguments = (ins Titan_Tile:$tile);
  let results = (outs I1:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

def Titan_TileBitcastOp : Titan_Op<"bitcast", [Titan_Total, Pure]> {
  let summary = "the bits of a register tile as elements of another width: no data moves";
  let description = [{
    ```mlir
    #word = #titan.layout<"reg: 2*c1, 2*r8; lane: 4*c2, 8*r1">
    #half = #titan.layout<"reg: 4*c1, 2*r8; lane: 4*c4, 8*r1">
    %half = titan.bitcast %word : tensor<16x8xi32, #word> -> tensor<16x16xf16, #half>
    ```
    An element of 32 bits is two of 16: the last dimension has as many times the
    elements as they are narrower, and the low bits come first. Each thread keeps
    its registers, so it holds whole runs of the narrow elements. Widths are 8, 16,
    32 or 64 bits; of one width arith.bitcast does the same.
  }];
  let arguments = (ins Titan_Tile:$tile);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Which register of the narrower tile holds each part of a register of the
    /// wider one: [part][register]. The verifier has seen that there is one.
    std::vector<std::vector<int64_t>> getParts();
  }];
}

#endif
