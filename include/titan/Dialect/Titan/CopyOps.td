//===- CopyOps.td - copies that say what moves -------------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy says what moves; how it moves is decided (docs/dispatch.md). What moves is
// said by a schedule of the tensor (docs/tma.md), or by two places of one shape:
//
//   copy        operands                      who issues it    completes
//   copy_async  a schedule                    one thread       phase, bulk group
//   copy_async  two places, rank, a barrier   one thread       the peer's phase
//   copy        two places                    all threads      when they go on
//
// `titan-lower-copies` turns each into other operations, and nothing after it knows
// copies.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_COPY_OPS_TD
#define TITAN_DIALECT_COPY_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_CopyAsyncOp : Titan_Op<"copy_async", [AttrSizedOperandSegments, Titan_Flow]> {
  let summary = "a tile from memory to memory, asynchronously: by a schedule of the tensor, or to a peer";
  let description = [{
    ```mlir
    titan.copy_async %X at(Mo = %row, Ko = %k) to %tile signals %full[%slot : i32] schedule(#tile)
        : !titan.global<?x?xbf16>, !titan.shared<128x64xbf16, swizzle = 128>, !titan.mbarrier<4>
    titan.copy_async %tile to %Y at(Mo = %row, Ko = %k) schedule(#tile)
        : !titan.shared<128x64xbf16, swizzle = 128>, !titan.global<?x?xbf16>
    titan.copy_async %mine to %theirs rank(%peer) signals %full
        : !titan.shared<128x64xf16>, !titan.shared<128x64xf16>, !titan.mbarrier
    titan.copy_async %mine[%c0, %c32] to %theirs[%c0, %c0] extents [128, 32] rank(%peer) signals %full
        : !titan.shared<128x64xf16>, !titan.shared<128x64xf16>, !titan.mbarrier
    ```
    By a schedule, one thread issues it (titan.elect). The tensor is an argument of the kernel; the
    buffer holds the tile, that is the schedule's `bulk` domains, in its order: one
    slot, in any shape with the same row-major order (under a swizzle with rows of the
    same length). `at` gives each loop of the schedule its index, 0 up to the loop's
    extent; a loop of extent 1 may be left out.

    **To shared memory.** The copy completes on the barrier. It tells the barrier
    itself how many bytes to expect, before it copies; the program arrives, afterwards
    (titan.mbarrier.arrive), as often as the barrier counts, and writes no number of
    bytes. `strong` asks that holes of the tile (places that belong to no element of
    the tensor) hold the fill value, zero or with `fill(nan)` NaN; `weak` asks for
    nothing. Without either it follows from the buffer's uses: strong where a product
    or a sum along a dimension that may have holes reads it. Where strong correctness
    is out of reach, the copy is refused with the hole (tma-strong).

    **To global memory.** The copy joins the thread's bulk group
    (titan.bulk.commit). Holes of the tile are not stored. With `reduce(add)` (min,
    max, and, or) the tile is added to what is there.

    Sizes that only the launch knows become launch checks.

    **To a peer.** Without a schedule both operands are tiles in shared memory, and the
    copy goes to the memory that the CTA `rank` of the cluster calls by the target's
    name. It completes on that CTA's barrier, in bytes: the peer expects them and waits.
    That the source has been read only that barrier tells. A region of a tile begins at
    the offsets in brackets and has the `extents`, or, where these are left out, the
    shape of the operand that has no offsets. `as #titan.layout<"r: 128*b2; c: 64*b256">`
    says where the elements lie, in bytes from the buffer's beginning, an axis a
    dimension, outermost first, where that is not as the type says; the tile then has
    the shape of these axes.

    **How** it is done a variant decides (`titan explain copy FILE`);
    `dispatch("dsmem")` takes that one or none.

    In C++ a copy is made by a TmaSchedule; `at` gives indices to its domains. Strides,
    alignment, and what the tensor's type knows of its sizes are the types'; a direction,
    reduction, element type, swizzle or number in the schedule that contradicts operands
    and types is an error at the operation's location (copy-form, tma-map-type,
    tma-box-mismatch, domain-invalid), as is a schedule that no text says
    (schedule-text): the operation then has no schedule, and does not verify. A schedule
    that wants strong correctness makes `strong`, and `fill(nan)`; one that does not
    leaves it to the uses (setWeak demands it).
  }];
  let arguments = (ins AnyTypeOf<[Titan_GlobalType, Titan_SharedType]>:$source,
      AnyTypeOf<[Titan_GlobalType, Titan_SharedType]>:$target, Variadic<Index>:$indices,
      Optional<Titan_MBarrierType>:$barrier, Optional<Titan_Integer>:$index,
      StrArrayAttr:$loops, OptionalAttr<Titan_ScheduleAttr>:$schedule, UnitAttr:$weak,
      UnitAttr:$strong, OptionalAttr<Titan_FillAttr>:$fill,
      OptionalAttr<Titan_AtomicAttr>:$reduce, OptionalAttr<Titan_CacheAttr>:$cache,
      Variadic<Index>:$sourceOffsets, Variadic<Index>:$targetOffsets, Optional<I32>:$rank,
      OptionalAttr<Titan_LayoutTextAttr>:$sourceLayout,
      OptionalAttr<Titan_LayoutTextAttr>:$targetLayout,
      OptionalAttr<DenseI64ArrayAttr>:$extents, OptionalAttr<StrAttr>:$dispatch);
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$target,
      "const ::titan::TmaSchedule &":$schedule,
      "::llvm::ArrayRef<std::pair<int, ::mlir::Value>>":$at,
      CArg<"::mlir::Value", "{}">:$barrier, CArg<"::mlir::Value", "{}">:$index)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What moves is said by a schedule of the tensor; else by two places.
    bool isBySchedule() { return getScheduleAttr() != nullptr; }
    // Of copies by schedule:
    /// From global to shared memory.
    bool isLoad() { return ::llvm::isa<GlobalType>(getSource().getType()); }
    ::mlir::TypedValue<GlobalType> getTensor() {
      return ::llvm::cast<::mlir::TypedValue<GlobalType>>(isLoad() ? getSource() : getTarget());
    }
    ::mlir::TypedValue<SharedType> getBuffer() {
      return ::llvm::cast<::mlir::TypedValue<SharedType>>(isLoad() ? getTarget() : getSource());
    }
  }];
}

def Titan_PipeCopyAsyncOp : Titan_Op<"pipe.copy_async"> {
  let summary = "a copy by schedule into a buffer of a slot that the producer has acquired";
  let description = [{
    ```mlir
    %slot = titan.pipe.acquire %ab : !titan.pipe<4>
    titan.pipe.copy_async %X at(Mo = %row, Ko = %k) -> %slot["a"] schedule(#tile) : !matrix
    titan.pipe.commit %slot
    ```
    titan.copy_async with a slot's buffer and barrier; the consumers' products and sums decide
    how correct it has to be. In C++ it is made by a TmaSchedule as titan.copy_async is.
  }];
  let arguments = (ins Titan_GlobalType:$tensor, Variadic<Index>:$indices, Titan_SlotType:$slot,
      StrAttr:$name, StrArrayAttr:$loops, Titan_ScheduleAttr:$schedule, UnitAttr:$weak,
      UnitAttr:$strong, OptionalAttr<Titan_FillAttr>:$fill, OptionalAttr<Titan_CacheAttr>:$cache);
  let builders = [OpBuilder<(ins "::mlir::Value":$tensor, "::mlir::Value":$slot,
      "::llvm::StringRef":$name, "const ::titan::TmaSchedule &":$schedule,
      "::llvm::ArrayRef<std::pair<int, ::mlir::Value>>":$at)>];
  let assemblyFormat = [{ $tensor custom<Loops>($loops, $indices) `->` $slot `[` $name `]`
      `schedule` `(` qualified($schedule) `)` `` custom<CopyWords>($weak, $strong, $fill, $cache)
      attr-dict `:` type($tensor) }];
}

def Titan_CopyOp : Titan_Op<"copy", [AttrSizedOperandSegments]> {
  let summary = "a tile from memory to memory, by all threads of the region";
  let description = [{
    ```mlir
    titan.copy %A[%row, %k] to %tile : !titan.global<?x?xf16>, !titan.shared<128x64xf16>
    titan.copy %tile to %B[%row, %k] : !titan.shared<128x64xf16>, !titan.global<?x?xf16>
    ```
    All threads of the kernel or partition execute it, each for its part, and go on
    when theirs is done: a barrier tells the others. Offsets, `extents`, `as` and
    `dispatch` are titan.copy_async's. The region of a tensor may reach beyond its end:
    what is read there is zero, and what would be written there is not.
  }];
  let arguments = (ins AnyTypeOf<[Titan_GlobalType, Titan_SharedType]>:$source,
      Variadic<Index>:$sourceOffsets, OptionalAttr<Titan_LayoutTextAttr>:$sourceLayout,
      AnyTypeOf<[Titan_GlobalType, Titan_SharedType]>:$target,
      Variadic<Index>:$targetOffsets, OptionalAttr<Titan_LayoutTextAttr>:$targetLayout,
      OptionalAttr<DenseI64ArrayAttr>:$extents, OptionalAttr<StrAttr>:$dispatch);
  let assemblyFormat = [{ $source (`[` $sourceOffsets^ `]`)? custom<As>($sourceLayout) `to`
      $target (`[` $targetOffsets^ `]`)? custom<As>($targetLayout) (`extents` $extents^)?
      (`dispatch` `(` $dispatch^ `)`)? attr-dict `:` type($source) `,` type($target) }];
  let hasVerifier = 1;
}

#endif
