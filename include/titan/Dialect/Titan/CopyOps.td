//===- CopyOps.td - copies by schedule ---------------------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What moves, said by a schedule of the tensor; how it moves is inferred
// (docs/tma.md). `titan-lower-copies` turns a copy into a tensor map, coordinates,
// a predicate and tensor copies, and nothing after it knows schedules.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_COPY_OPS_TD
#define TITAN_DIALECT_COPY_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_CopyAsyncOp : Titan_Op<"copy_async", [AttrSizedOperandSegments, Titan_Flow]> {
  let summary = "a tile between global and shared memory, by a schedule of the tensor";
  let description = [{
    ```mlir
    titan.copy_async %X at(Mo = %row, Ko = %k) to %tile signals %full[%slot : i32] schedule(#tile)
        : !titan.global<?x?xbf16>, !titan.shared<128x64xbf16, swizzle = 128>, !titan.mbarrier<4>
    titan.copy_async %tile to %Y at(Mo = %row, Ko = %k) schedule(#tile)
        : !titan.shared<128x64xbf16, swizzle = 128>, !titan.global<?x?xbf16>
    ```
    One thread issues it (titan.elect). The tensor is an argument of the kernel; the
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
      StrArrayAttr:$loops, Titan_ScheduleAttr:$schedule, UnitAttr:$weak, UnitAttr:$strong,
      OptionalAttr<Titan_FillAttr>:$fill, OptionalAttr<Titan_AtomicAttr>:$reduce,
      OptionalAttr<Titan_CacheAttr>:$cache);
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$target,
      "const ::titan::TmaSchedule &":$schedule,
      "::llvm::ArrayRef<std::pair<int, ::mlir::Value>>":$at,
      CArg<"::mlir::Value", "{}">:$barrier, CArg<"::mlir::Value", "{}">:$index)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
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

#endif
