//===- PipeOps.td - rings of slots between partitions ------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A token is an SSA value inside one partition; between partitions it is the
// barrier that crosses. A pipe types that crossing. `titan-expand-pipes` turns
// pipes into barriers, parities and stage counters, and nothing after it knows
// them.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_PIPE_OPS_TD
#define TITAN_DIALECT_PIPE_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_PipeCreateOp : Titan_Op<"pipe.create", []> {
  let summary = "a ring of slots, each holding one slot of every named buffer";
  let description = [{
    ```mlir
    %ab = titan.pipe.create "load" -> ["mma"] buffers ["a", "b"](%a, %b : ...) : !titan.pipe<4>
    ```
    `fill`: how a slot becomes full: transaction bytes (TMA), or thread arrivals.
    `release`: how it becomes empty again. `alternating`: consumers take turns
    instead of each taking every slot.
  }];
  let arguments = (ins StrAttr:$producer, StrArrayAttr:$consumers, StrArrayAttr:$names,
      Variadic<Titan_SharedType>:$buffers,
      DefaultValuedAttr<Titan_FillHowAttr, "::titan::PipeFill::Transaction">:$fill,
      DefaultValuedAttr<Titan_ReleaseAttr, "::titan::PipeRelease::Arrive">:$release,
      UnitAttr:$alternating);
  let results = (outs Titan_PipeType:$result);
  let assemblyFormat = [{ $producer `->` $consumers `buffers` $names `(` $buffers `:` type($buffers) `)`
      (`fill` `(` $fill^ `)`)? (`release` `(` $release^ `)`)? (`alternating` $alternating^)? attr-dict `:` type($result) }];
  let hasVerifier = 1;
}

def Titan_PipeAcquireOp : Titan_Op<"pipe.acquire"> {
  let summary = "producer: waits for the next slot to be empty";
  let arguments = (ins Titan_PipeType:$pipe);
  let results = (outs Titan_SlotType:$slot);
  let assemblyFormat = "$pipe attr-dict `:` type($pipe)";
}

def Titan_PipeCommitOp : Titan_Op<"pipe.commit"> {
  let summary = "producer: the slot is full once everything that fills it is done";
  let arguments = (ins Titan_SlotType:$slot);
  let assemblyFormat = "$slot attr-dict";
}

def Titan_PipeWaitOp : Titan_Op<"pipe.wait"> {
  let summary = "consumer: waits for the next slot to be full";
  let arguments = (ins Titan_PipeType:$pipe);
  let results = (outs Titan_SlotType:$slot);
  let assemblyFormat = "$pipe attr-dict `:` type($pipe)";
}

def Titan_PipeReleaseOp : Titan_Op<"pipe.release"> {
  let summary = "consumer: the slot is empty as far as these threads are concerned";
  let arguments = (ins Titan_SlotType:$slot);
  let assemblyFormat = "$slot attr-dict";
}

def Titan_PipeBufferOp : Titan_Op<"pipe.buffer", [Pure, Titan_View]> {
  let summary = "a named buffer of a slot";
  let arguments = (ins Titan_SlotType:$slot, StrAttr:$name);
  let results = (outs Titan_SharedType:$result);
  let assemblyFormat = "$slot `[` $name `]` attr-dict `:` type($result)";
}

def Titan_PipeLoadOp : Titan_Op<"pipe.load", [AttrSizedOperandSegments]> {
  let summary = "a TMA load into a buffer of a slot that the producer has acquired";
  let description = "`%map[...] offsets[...] -> %slot[\"a\"]`: coordinates and offsets are titan.tma.load's.";
  let arguments = (ins Titan_TensorMapType:$map, Variadic<Index>:$coords, Variadic<Index>:$offsets,
      Titan_SlotType:$slot, StrAttr:$name, Optional<I16>:$multicast, OptionalAttr<Titan_CacheAttr>:$cache);
  let assemblyFormat = [{ $map `[` $coords `]` (`offsets` `[` $offsets^ `]`)? `->` $slot `[` $name `]` (`multicast` `(` $multicast^ `)`)?
      (`cache` `(` $cache^ `)`)? attr-dict `:` type($map) }];
}

#endif
