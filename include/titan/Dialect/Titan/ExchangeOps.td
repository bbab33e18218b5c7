//===- ExchangeOps.td - register tiles between layouts, scans, gathers ----===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What threads hand to one another of a register tile. How far it goes, the two
// layouts say (titan/Layout/Conversion.h):
//
//   within a thread   other registers: nothing is executed
//   within a warp     shuffles, and selects before and behind them
//   between warps     through shared memory, which the program gives, and a
//                     barrier, which the program names
//
// The last one is no operation of the hardware: titan-expand-exchanges writes the
// stores, the barrier and the loads that it is, and those are what is checked,
// simulated and compiled.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_EXCHANGE_OPS_TD
#define TITAN_DIALECT_EXCHANGE_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_ConvertLayoutOp : Titan_Op<"convert_layout", [Titan_Total, Titan_Flow]> {
  let summary = "the same tile in another layout: registers, shuffles, or through shared memory";
  let description = [{
    `titan.convert_layout %x : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>`: every
    thread ends up with the elements that #b gives it. Where each warp holds what it
    needs, this renames registers, or shuffles.

    Where it does not, the tile goes through shared memory: `%x through %scratch` or
    `%x through %scratch barrier(1) threads(128)`, with %scratch a tile of one dimension,
    of as many elements or more. It is stores, a barrier (titan.barrier.sync of that id, or
    titan.cta_sync), and loads, swizzled so that neither meet in a bank wherever the
    layouts are bitwise. Whoever writes the scratch next waits for these loads: put a
    barrier between, or use another scratch.
  }];
  let arguments = (ins Titan_Tile:$tile, Optional<Titan_SharedType>:$scratch,
                       OptionalAttr<I64Attr>:$barrier, OptionalAttr<I64Attr>:$threads);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = [{
    $tile (`through` $scratch^)? (`barrier` `(` $barrier^ `)` `threads` `(` $threads `)`)?
    attr-dict `:` type($tile) (`,` type($scratch)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Titan_RelabelOp : Titan_Op<"relabel", [Titan_Total, Pure, Titan_PlacesOfRegisters]> {
  let summary = "the same registers under other coordinates: a transposed or reshaped tile; no data moves";
  let description = [{
    `titan.relabel %x : tensor<64x32xf32, #a> -> tensor<32x64xf32, #b>`: register r of each
    thread becomes register r. Shape and layout may be any others in which as many
    registers, lanes and warps hold elements, and places that share an element of the
    result share one of %x.
  }];
  let arguments = (ins Titan_Tile:$tile);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Titan_ScanOp : Titan_Op<"scan", [Titan_Total, AllTypesMatch<["tile", "result"]>]> {
  let summary = "prefix sums, products, maxima, ... along a dimension (shuffles, or shared memory between warps)";
  let description = [{
    `titan.scan add %x dimension(1) : tensor<16x64xf32, #a>`: element c of a row is the sum
    of elements 0 to c of that row of %x; with `reverse`, of elements c to the last.

    The order of the operations is the same in every layout: for k = 1, 2, 4, ..., each
    element c with c / k odd becomes x[c / k * k - 1] + x[c]; with `reverse`, c counts from
    the end, and the operands change places.

    Rows that lie in several warps go `through %scratch`, as tiles do in
    titan.convert_layout: each warp scans its blocks of each row, the last elements of the
    blocks go through shared memory and a barrier, and each thread adds those of the blocks
    before its own. The scratch has one element for each block of each row.
  }];
  let arguments = (ins Titan_ReduceAttr:$kind, Titan_Tile:$tile, I64Attr:$dimension,
                       UnitAttr:$reverse, Optional<Titan_SharedType>:$scratch,
                       OptionalAttr<I64Attr>:$barrier, OptionalAttr<I64Attr>:$threads);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = [{
    $kind $tile `dimension` `(` $dimension `)` (`reverse` $reverse^)? (`through` $scratch^)?
    (`barrier` `(` $barrier^ `)` `threads` `(` $threads `)`)? attr-dict
    `:` type($tile) (`,` type($scratch)^)?
  }];
  let hasVerifier = 1;
}

def Titan_GatherOp : Titan_Op<"gather"> {
  let summary = "elements of a tile by an index tile, along a dimension (shuffles, or shared memory between warps)";
  let description = [{
    `titan.gather %x[%i] dimension(1) : tensor<16x64xf32, #a>, tensor<16x8xi32, #b> ->
    tensor<16x8xf32, #b>`: element (r, c) of the result is %x[r, %i[r, c]]. Indices lie in
    the tile. Tile and indices agree in the other dimensions: without this one, #a and #b
    are the same layout.

    Where rows of the tile lie in several warps, it goes `through %scratch`, as in
    titan.convert_layout, so that each of these warps has the rows whole. The scratch has
    the tile's elements.
  }];
  let arguments = (ins Titan_Tile:$tile, Titan_Tile:$indices, I64Attr:$dimension,
                       Optional<Titan_SharedType>:$scratch,
                       OptionalAttr<I64Attr>:$barrier, OptionalAttr<I64Attr>:$threads);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = [{
    $tile `[` $indices `]` `dimension` `(` $dimension `)` (`through` $scratch^)?
    (`barrier` `(` $barrier^ `)` `threads` `(` $threads `)`)? attr-dict
    `:` type($tile) `,` type($indices) (`,` type($scratch)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif
