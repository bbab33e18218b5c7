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

def Titan_PipeCreateOp : Titan_Op<"pipe.create", [Titan_Flow]> {
  let summary = "a ring of slots, each holding one slot (or `p` parts) of every named buffer; without buffers, turns";
  let description = [{
    ```mlir
    !ring = !titan.shared<128x64xbf16, swizzle = 128, slots = 4>
    %ab = titan.pipe.create "load" -> ["mma"] buffers ["a", "b"](%a, %b : !ring, !ring) : !titan.pipe<4>
    ```
    A buffer is a ring of as many slots as the pipe is deep, or of `p` times as many: then each
    slot of the pipe has `p` parts of it.

    | `fill` | a slot is full when |
    |---|---|
    | `transaction` | the bytes of every load into it have arrived (TMA) |
    | `arrive` | every warp of the producer has committed it |
    | `cp_async` | what each thread of the producer has copied by titan.cp_async before it commits is there |
    | `tcgen05_commit` | the products that the committing thread issued before are done |

    | `release` | a slot is empty when |
    |---|---|
    | `arrive` | every warp of every consumer has released it |
    | `multicast_arrive` | the same of all CTAs of the cluster: loads of each fill the slots of all |
    | `tcgen05_commit` | the products that the releasing thread issued before have read it |
    | `bulk_read` | the bulk stores that the releasing thread issued before have read it |

    Each consumer takes every slot; with `alternating` they take slots in turns; with `exclusive` each
    slot is one consumer's, and the others skip it (`pipe.skip`): tiles in turns, say.

    Who issues what, once a use:

    | operation | in | by |
    |---|---|---|
    | `pipe.acquire` | the producer | the warps that fill the slot; in a `titan.elect` their elected threads |
    | `pipe.commit` | the producer | the same, behind what they store or issue: a thread of each warp arrives, in `titan.elect warp(n)` one |
    | `pipe.wait` | each consumer | the warps that read the slot |
    | `pipe.release` | each consumer | the same, behind their reads: a thread of each warp arrives, in `titan.elect warp(n)` one |

    Behind its commit, and its release, a thread does not touch the slot.

    A pipe without buffers orders: `pipe.signal` passes a turn on, `pipe.wait` takes it. The first
    `credit` turns are there from the beginning. (Two warpgroups that take turns at the tensor cores: one such
    pipe each way, one of them with a credit of 1.)
  }];
  let arguments = (ins StrAttr:$producer, StrArrayAttr:$consumers, DefaultValuedAttr<StrArrayAttr, "{}">:$names,
      Variadic<AnyTypeOf<[Titan_SharedType, Titan_TensorMemoryType]>>:$buffers,
      DefaultValuedAttr<Titan_FillHowAttr, "::titan::PipeFill::Transaction">:$fill,
      DefaultValuedAttr<Titan_ReleaseAttr, "::titan::PipeRelease::Arrive">:$release,
      UnitAttr:$alternating, UnitAttr:$exclusive, DefaultValuedAttr<I64Attr, "0">:$credit);
  let results = (outs Titan_PipeType:$result);
  let assemblyFormat = [{ $producer `->` $consumers (`buffers` $names^ `(` $buffers `:` type($buffers) `)`)?
      (`fill` `(` $fill^ `)`)? (`release` `(` $release^ `)`)? (`alternating` $alternating^)? (`exclusive` $exclusive^)?
      (`credit` `(` $credit^ `)`)? attr-dict `:` type($result) }];
  let extraClassDeclaration = [{
    /// Turns, not slots.
    bool isOrder() { return getBuffers().empty(); }
    /// How many parts of buffer `i` a slot of the pipe has.
    int64_t getParts(unsigned i);
  }];
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

def Titan_PipeSignalOp : Titan_Op<"pipe.signal"> {
  let summary = "producer of a pipe without buffers: passes a turn on";
  let arguments = (ins Titan_PipeType:$pipe);
  let assemblyFormat = "$pipe attr-dict `:` type($pipe)";
}

def Titan_PipeSkipOp : Titan_Op<"pipe.skip"> {
  let summary = "consumer of a pipe whose slots are exclusive: the next `count` slots are others'";
  let arguments = (ins Titan_PipeType:$pipe, Index:$count);
  let assemblyFormat = "$pipe `,` $count attr-dict `:` type($pipe)";
}

def Titan_PipeTryAcquireOp : Titan_Op<"pipe.try_acquire"> {
  let summary = "producer: is the next slot empty? Depends on the schedule, and takes nothing: acquire does";
  let arguments = (ins Titan_PipeType:$pipe);
  let results = (outs I1:$ready);
  let assemblyFormat = "$pipe attr-dict `:` type($pipe)";
}

def Titan_PipeTryWaitOp : Titan_Op<"pipe.try_wait"> {
  let summary = "consumer: is the next slot full? Depends on the schedule, and takes nothing: wait does";
  let arguments = (ins Titan_PipeType:$pipe);
  let results = (outs I1:$ready);
  let assemblyFormat = "$pipe attr-dict `:` type($pipe)";
}

def Titan_PipeBufferOp : Titan_Op<"pipe.buffer", [Pure, Titan_View]> {
  let summary = "a named buffer of a slot; of one that has parts, the part";
  let arguments = (ins Titan_SlotType:$slot, StrAttr:$name, Optional<Index>:$part);
  let results = (outs AnyTypeOf<[Titan_SharedType, Titan_TensorMemoryType]>:$result);
  let assemblyFormat = "$slot `[` $name `]` (`[` $part^ `]`)? attr-dict `:` type($result)";
}

def Titan_PipeLoadOp : Titan_Op<"pipe.load", [AttrSizedOperandSegments]> {
  let summary = "a TMA load into a buffer of a slot that the producer has acquired";
  let description = [{
    `%map[...] offsets[...] -> %slot["a"][%part]`: coordinates and offsets are titan.tma.load's.
    With `multicast` the slots of all CTAs in the mask get the bytes; each slot then gets such a load from
    `senders` CTAs (default: where the mask is a constant that names the whole cluster, from each).
  }];
  let arguments = (ins Titan_TensorMapType:$map, Variadic<Index>:$coords, Variadic<Index>:$offsets,
      Titan_SlotType:$slot, StrAttr:$name, Optional<Index>:$part, Optional<I16>:$multicast,
      OptionalAttr<I64Attr>:$senders, OptionalAttr<Titan_CacheAttr>:$cache);
  let assemblyFormat = [{ $map `[` $coords `]` (`offsets` `[` $offsets^ `]`)? `->` $slot `[` $name `]` (`[` $part^ `]`)?
      (`multicast` `(` $multicast^ `)`)? (`senders` `(` $senders^ `)`)?
      (`cache` `(` $cache^ `)`)? attr-dict `:` type($map) }];
}

#endif
