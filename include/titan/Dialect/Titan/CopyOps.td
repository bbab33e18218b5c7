//===- CopyOps.td - copies by schedule -------------------------*- tablegen -*-===//
//
// What moves, said by a schedule of the tensor; how it moves is inferred
// (docs/tma.md). `titan-lower-copies` turns a copy into a tensor map, coordinates,
// a predicate and tensor copies, and nothing after it knows schedules.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_COPY_OPS_TD
#define TITAN_DIALECT_COPY_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_CopyAsyncOp : Titan_Op<"copy_async", [AttrSizedOperandSegments]> {
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
  }];
  let arguments = (ins AnyTypeOf<[Titan_GlobalType, Titan_SharedType]>:$source,
      AnyTypeOf<[Titan_GlobalType, Titan_SharedType]>:$target, Variadic<Index>:$indices,
      Optional<Titan_MBarrierType>:$barrier, Optional<Titan_Integer>:$index,
      StrArrayAttr:$loops, Titan_ScheduleAttr:$schedule, UnitAttr:$weak, UnitAttr:$strong,
      OptionalAttr<Titan_FillAttr>:$fill, OptionalAttr<Titan_AtomicAttr>:$reduce,
      OptionalAttr<Titan_CacheAttr>:$cache);
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
    how correct it has to be.
  }];
  let arguments = (ins Titan_GlobalType:$tensor, Variadic<Index>:$indices, Titan_SlotType:$slot,
      StrAttr:$name, StrArrayAttr:$loops, Titan_ScheduleAttr:$schedule, UnitAttr:$weak,
      UnitAttr:$strong, OptionalAttr<Titan_FillAttr>:$fill, OptionalAttr<Titan_CacheAttr>:$cache);
  let assemblyFormat = [{ $tensor custom<Loops>($loops, $indices) `->` $slot `[` $name `]`
      `schedule` `(` qualified($schedule) `)` (`weak` $weak^)? (`strong` $strong^)?
      (`fill` `(` $fill^ `)`)? (`cache` `(` $cache^ `)`)? attr-dict `:` type($tensor) }];
}

#endif
