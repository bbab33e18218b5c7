//===- CopyOps.td - copies that say what moves -------------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy says what moves; how it moves is decided (docs/dispatch.md). What moves is
// said by a schedule of the tensor (docs/tma.md), by a tensor map, or by two places
// of one shape:
//
//   copy        operands                 who issues it          completes
//   copy_async  a schedule, a map        one thread             phase, bulk group
//   copy_async  two places               one thread             phase, bulk group
//                                        all threads            phase, async group
//   copy_async  two places, and a rank   one thread, all        the peer's phase
//   copy        two places, of which     all threads            when they go on
//               one may be registers
//
// So does a product: what is multiplied (titan.product); which instructions do it is
// decided. `titan-lower-copies` turns each into other operations, and nothing after
// it knows them.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_COPY_OPS_TD
#define TITAN_DIALECT_COPY_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_CopyAsyncOp : Titan_Op<"copy_async", [AttrSizedOperandSegments, Titan_Flow]> {
  let summary = "a tile from memory to memory, asynchronously: by a schedule of the tensor, or to a peer";
  let description = [{
    ```mlir
    #tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 128) Ko, Ki = split(K, 64) bulk Mi, Ki>
    !map = !titan.tensor_map<im2col 128x64xbf16, lower = [-1, -1], upper = [-1, -1], swizzle = 128>
    titan.copy_async %X at(Mo = %row, Ko = %k) to %tile signals %full[%slot : i32] schedule(#tile)
        : !titan.global<?x?xbf16>, !titan.shared<128x64xbf16, swizzle = 128>, !titan.mbarrier<4>

    titan.copy_async %tile to %Y at(Mo = %row, Ko = %k) schedule(#tile)
        : !titan.shared<128x64xbf16, swizzle = 128>, !titan.global<?x?xbf16>

    titan.copy_async %mine to %theirs rank(%peer) signals %arrived
        : !titan.shared<128x64xf16>, !titan.shared<128x64xf16>, !titan.mbarrier

    titan.copy_async %mine[%c0, %c32] to %theirs[%c0, %c0] extents [128, 32] rank(%peer) signals %arrived
        : !titan.shared<128x64xf16>, !titan.shared<128x64xf16>, !titan.mbarrier

    titan.copy_async %map[%n, %h, %w, %c] filter(%r, %s) to %tile multicast(%mask) signals %arrived
        : !map, !titan.shared<128x64xbf16, swizzle = 128>, !titan.mbarrier
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

    **By a map** the copy moves the box that the coordinates in brackets begin
    (outermost dimension first); `filter` is the filter's position of an im2col map.

    **Between two places** of the tensor and the CTA's shared memory, by one thread as
    by a schedule, the bytes that the barrier expects included; or by all threads, each
    for its part: then it joins each thread's async group (titan.cp_async.commit), or,
    with `signals`, each thread arrives at the barrier once its copies are done, and the
    barrier counts all of them.

    **To a peer.** With a `rank` both operands are tiles in shared memory, and the
    copy goes to the memory that the CTA `rank` of the cluster calls by the target's
    name. It completes on that CTA's barrier, in bytes: the peer expects them and waits.
    That the source has been read only that barrier tells.

    `multicast` sends a box or a run of the tensor to each CTA of the cluster whose bit is set,
    to the same place, and tells the same barrier of each; each tells its own what to expect. `prefetch`, in the place of
    `signals`, brings what the copy would read to the L2 cache, and copies nothing: by a schedule or a map. `reduce(add)` adds to what the
    target holds. A region of a tile begins at
    the offsets in brackets and has the `extents`, or, where these are left out, the
    shape of the operand that has no offsets: of a tensor and a tile, both whole, the
    tile's; two tiles, both whole, are of one shape (copy-region). Extents of fewer
    dimensions than an operand has are of its last ones, and outer ones have one
    element: `extents [32]` is a part of a row. `as #titan.layout<"r: 128*b2; c: 64*b256">`
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
  let arguments = (ins AnyTypeOf<[Titan_GlobalType, Titan_SharedType, Titan_TensorMapType]>:$source,
      AnyTypeOf<[Titan_GlobalType, Titan_SharedType, Titan_TensorMapType]>:$target, Variadic<Index>:$indices,
      Optional<Titan_MBarrierType>:$barrier, Optional<Titan_Integer>:$index,
      StrArrayAttr:$loops, OptionalAttr<Titan_ScheduleAttr>:$schedule, UnitAttr:$weak,
      UnitAttr:$strong, OptionalAttr<Titan_FillAttr>:$fill,
      OptionalAttr<Titan_AtomicAttr>:$reduce, OptionalAttr<Titan_CacheAttr>:$cache,
      Variadic<Index>:$sourceOffsets, Variadic<Index>:$targetOffsets, Optional<I32>:$rank,
      Variadic<Index>:$filter, Optional<I16>:$multicast,
      OptionalAttr<Titan_LayoutTextAttr>:$sourceLayout,
      OptionalAttr<Titan_LayoutTextAttr>:$targetLayout,
      OptionalAttr<DenseI64ArrayAttr>:$extents, OptionalAttr<StrAttr>:$dispatch,
      UnitAttr:$prefetch);
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$target,
      "const ::titan::TmaSchedule &":$schedule,
      "::llvm::ArrayRef<std::pair<int, ::mlir::Value>>":$at,
      CArg<"::mlir::Value", "{}">:$barrier, CArg<"::mlir::Value", "{}">:$index)>];
  let syntax = [{$source (`[` $sourceOffsets^ `]`)? (`as` $sourceLayout^)? (`at` `(` $loops `=` $indices^ `)`)?
      (`filter` `(` $filter^ `)`)? `to` $target (`[` $targetOffsets^ `]`)? (`as` $targetLayout^)?
      (`at` `(` $loops `=` $indices^ `)`)? (`extents` $extents^)? (`rank` `(` $rank^ `)`)?
      (`multicast` `(` $multicast^ `)`)? (`signals` $barrier^ (`[` $index^ `:` type($index) `]`)?)? (`prefetch` $prefetch^)?
      (`schedule` `(` $schedule^ `)`)? (`weak` $weak^)? (`strong` $strong^)? (`fill` `(` $fill^ `)`)?
      (`reduce` `(` $reduce^ `)`)? (`cache` `(` $cache^ `)`)? (`dispatch` `(` $dispatch^ `)`)? attr-dict
      `:` type($source) `,` type($target) (`,` type($barrier)^)?}];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What moves is said by a schedule of the tensor, or by a tensor map; else by
    /// two places.
    bool isBySchedule() { return getScheduleAttr() != nullptr; }
    bool isByMap() {
      return ::llvm::isa<TensorMapType>(getSource().getType()) ||
             ::llvm::isa<TensorMapType>(getTarget().getType());
    }
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
    #tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 128) Ko, Ki = split(K, 64) bulk Mi, Ki>
    !matrix = !titan.global<?x?xbf16>
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
  let summary = "a tile from memory or registers to memory or registers, by all threads of the region";
  let description = [{
    ```mlir
    #rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
    #columns = #titan.blocked<elements = [8, 1], lanes = [4, 8], warps = [1, 4]>
    titan.copy %A[%row, %k] to %tile : !titan.global<?x?xf16>, !titan.shared<128x64xf16>
    titan.copy %tile to %B[%row, %k] : !titan.shared<128x64xf16>, !titan.global<?x?xf16>
    titan.copy %theirs rank(%peer) to %mine : !titan.shared<128x64xf16>, !titan.shared<128x64xf16>
    %a = titan.copy %tile : !titan.shared<128x64xf16> -> tensor<128x64xf16, #rows>
    %b = titan.copy %a through %scratch barrier(1) threads(128)
        : tensor<128x64xf16, #rows> by !titan.shared<8192xf16> -> tensor<128x64xf16, #columns>
    titan.copy %b to %B[%row, %k] : tensor<128x64xf16, #columns>, !titan.global<?x?xf16>
    ```
    All threads of the kernel or partition execute it, each for its part, and go on
    when theirs is done: a barrier tells the others. Offsets, `extents`, `as` and
    `dispatch` are titan.copy_async's. The region of a tensor may reach beyond its end:
    what is read there is zero, and what would be written there is not.

    With `rank` the source is what that CTA of the cluster calls by this name. Without a
    target the copy yields the region in registers. From registers to registers it is
    titan.convert_layout, whose `through`, `barrier` and `threads` those are.

    A copy that only the fallback does, element by element (`scalars`), is made so with
    a warning, unless `dispatch("scalars")` asks for it.
  }];
  let arguments = (ins AnyTypeOf<[Titan_GlobalType, Titan_SharedType, Titan_Tile]>:$source,
      Variadic<Index>:$sourceOffsets, OptionalAttr<Titan_LayoutTextAttr>:$sourceLayout,
      Optional<I32>:$rank, Optional<AnyTypeOf<[Titan_GlobalType, Titan_SharedType]>>:$target,
      Variadic<Index>:$targetOffsets, OptionalAttr<Titan_LayoutTextAttr>:$targetLayout,
      Optional<Titan_SharedType>:$scratch, OptionalAttr<I64Attr>:$barrier,
      OptionalAttr<I64Attr>:$threads,
      OptionalAttr<DenseI64ArrayAttr>:$extents, OptionalAttr<StrAttr>:$dispatch);
  let results = (outs Optional<Titan_Tile>:$result);
  let assemblyFormat = [{ $source (`[` $sourceOffsets^ `]`)? custom<As>($sourceLayout)
      (`rank` `(` $rank^ `)`)? (`to` $target^)? (`[` $targetOffsets^ `]`)? custom<As>($targetLayout)
      (`extents` $extents^)? (`through` $scratch^)?
      (`barrier` `(` $barrier^ `)` `threads` `(` $threads `)`)?
      (`dispatch` `(` $dispatch^ `)`)? attr-dict
      `:` type($source) (`,` type($target)^)? (`by` type($scratch)^)? (`->` type($result)^)? }];
  let hasVerifier = 1;
}

def Titan_ProductOp : Titan_Op<"product", [Titan_Flow]> {
  let summary = "D = A * B^T + C, by the threads of the region: which instructions do it is decided";
  let description = [{
    ```mlir
    %d = titan.product %a, %b, %c
        : !titan.shared<128x64xbf16, swizzle = 128>, !titan.shared<256x64xbf16, swizzle = 128>,
          tensor<128x256xf32, #titan.wgmma<1, 4>> -> tensor<128x256xf32, #titan.wgmma<1, 4>>
    ```
    A is M x K (K x M with `transpose_a`), B is N x K (K x N with `transpose_b`), each in
    shared memory or in registers; C and D are register tiles of M x N in one layout. The product is
    over when the threads go on. A product of asynchronous instructions that others go on
    beside is titan.mma.

    `titan explain product FILE` prints which instructions there are, what each said, and
    which one was chosen (docs/dispatch.md); `dispatch("wgmma")` takes that one or none.
  }];
  let arguments = (ins AnyTypeOf<[Titan_SharedType, Titan_Tile]>:$a,
      AnyTypeOf<[Titan_SharedType, Titan_Tile]>:$b, Titan_Tile:$c,
      UnitAttr:$transpose_a, UnitAttr:$unsigned_a, UnitAttr:$transpose_b, UnitAttr:$unsigned_b,
      UnitAttr:$saturate, OptionalAttr<StrAttr>:$dispatch);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = [{ $a (`transpose_a` $transpose_a^)? (`unsigned_a` $unsigned_a^)? `,`
      $b (`transpose_b` $transpose_b^)? (`unsigned_b` $unsigned_b^)? `,` $c (`saturate` $saturate^)?
      (`dispatch` `(` $dispatch^ `)`)? attr-dict `:` type($a) `,` type($b) `,` type($c) `->` type($result) }];
  let hasVerifier = 1;
}

#endif
