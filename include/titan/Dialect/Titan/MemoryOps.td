//===- MemoryOps.td - shared memory, registers and global memory ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_MEMORY_OPS_TD
#define TITAN_DIALECT_MEMORY_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_SharedAllocOp : Titan_Op<"shared.alloc", [Titan_Alloc]> {
  let summary = "shared memory of the CTA, for the kernel's whole life";
  let results = (outs Titan_SharedType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Titan_SharedSlotOp : Titan_Op<"shared.slot", [Pure, Titan_View]> {
  let summary = "one slot of a ring";
  let arguments = (ins Titan_SharedType:$ring, Titan_Integer:$index);
  let results = (outs Titan_SharedType:$result);
  let assemblyFormat = "$ring `[` $index `:` type($index) `]` attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
}

def Titan_SharedViewOp : Titan_Op<"shared.view", [Pure, Titan_View]> {
  let summary = "a part of a tile: whole rows, and whole panels of a swizzled tile";
  let arguments = (ins Titan_SharedType:$source, DenseI64ArrayAttr:$offsets);
  let results = (outs Titan_SharedType:$result);
  let assemblyFormat = "$source $offsets attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes from the start of the source to the start of the view.
    int64_t getByteOffset();
  }];
}

def Titan_SharedReuseOp : Titan_Op<"shared.reuse", [Pure, Titan_View]> {
  let summary = "bytes of shared memory under another type: two buffers that take turns in one memory";
  let description = [{
    ```mlir
    %a = titan.shared.alloc : !titan.shared<128x64xbf16, swizzle = 128, slots = 4>
    %d = titan.shared.reuse %a at(16384) : !titan.shared<128x64xbf16, swizzle = 128, slots = 4>
                                        -> !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
    ```
    The result begins `at` so many bytes behind the start of the source (a buffer, or all
    slots of a ring) and lies within it. An epilogue's tiles over the ring of its
    operands, say. Nothing orders one use of the bytes against the other: that is the
    program's, and what it forgets is a race like any other.
  }];
  let arguments = (ins Titan_SharedType:$source, DefaultValuedAttr<I64Attr, "0">:$at);
  let results = (outs Titan_SharedType:$result);
  let assemblyFormat = "$source (`at` `(` $at^ `)`)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Titan_MapRankOp : Titan_Op<"map_rank", [Pure, Titan_View]> {
  let summary = "the same memory of another CTA of the cluster (mapa)";
  let arguments = (ins AnyTypeOf<[Titan_SharedType, Titan_MBarrierType]>:$source, I32:$rank);
  let results = (outs AnyTypeOf<[Titan_SharedType, Titan_MBarrierType]>:$result);
  let assemblyFormat = "$source `,` $rank attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

def Titan_TensorAtOp : Titan_Op<"tensor_at", [Titan_Total, Pure]> {
  let summary = "the elements of global memory from an address on, as a tensor";
  let description = [{
    ```mlir
    %address = titan.ld %addresses[%i] : !titan.global<?xi64> -> i64
    %a = titan.tensor_at %address align(16) : !titan.global<?xf16>
    %x = titan.ld %a[%j] : !titan.global<?xf16> -> f16
    ```
    The address is a number in bytes, of the state space .global; element i begins i times
    an element's bytes behind it, and i is 0 or more. How many elements there are nobody knows: `align` is
    the program's promise that the address is a multiple of so many bytes, a power of two,
    of which threads that move several elements at once make use; without it, of an element's.
    An address that is none traps where they do, or (`titan run`) is [misaligned].

    What a launch checks of tensors that are arguments it does not check of this one: that
    there is memory, on which device, how much of it. `titan run` finds the memory in which the
    address lies, of an argument or of `--memory ADDRESS=FILE.npy`, and its end is the
    tensor's; outside of all of them, and behind that end, an access is [out-of-bounds]. It may be the same
    memory as that of an argument or of another address: `titan check` does not follow it, and
    says so ([undecided]).

    It is read and written element by element, by the threads themselves: it has no size to ask for,
    and no tensor map.
  }];
  let arguments = (ins I64:$address, OptionalAttr<I64Attr>:$alignment);
  let results = (outs Titan_GlobalType:$result);
  let assemblyFormat = "$address (`align` `(` $alignment^ `)`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Titan_AddressOfOp : Titan_Op<"address_of", [Titan_Total, Pure]> {
  let summary = "the address of a global tensor, in bytes";
  let description = [{
    Of element (0, ..., 0), in the state space .global. `titan check` takes it for any number.
  }];
  let arguments = (ins Titan_GlobalType:$tensor);
  let results = (outs I64:$result);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor)";
}

//===----------------------------------------------------------------------===//
// Registers <-> shared memory
//===----------------------------------------------------------------------===//

def Titan_SharedStoreOp : Titan_HwOp<"shared.store", Titan_Everywhere, [Titan_Flow]> {
  let summary = "stores a register tile to shared memory (st.shared, or stmatrix)";
  let description = [{
    Each thread writes the elements that it holds, in its own order with what it does
    before and after. Which instructions do it the layouts decide; `matrix` demands
    stmatrix. There, other lanes of the warp write them on its behalf, and the compiler
    puts `bar.warp.sync` before and behind them where no barrier of the program stands
    there (MM-16).
  }];
  let arguments = (ins Titan_Tile:$tile, Titan_SharedType:$buffer, UnitAttr:$matrix);
  let assemblyFormat = [{ $tile `,` $buffer (`matrix` $matrix^)? attr-dict `:` type($tile) `,` type($buffer) }];
  let hasVerifier = 1;
}

def Titan_SharedLoadOp : Titan_HwOp<"shared.load", Titan_Everywhere, [Titan_Flow]> {
  let summary = "loads a register tile from shared memory (ld.shared, or ldmatrix)";
  let description = [{
    Each thread reads the elements that it is to hold, in its own order with what it does
    before and after: what titan.shared.store says of stmatrix holds for ldmatrix. Memory
    that only asynchronous copies write needs no such barrier (MM-16).
  }];
  let arguments = (ins Titan_SharedType:$buffer, UnitAttr:$matrix);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = [{ $buffer (`matrix` $matrix^)? attr-dict `:` type($buffer) `->` type($result) }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Registers <-> global memory
//===----------------------------------------------------------------------===//

def Titan_GlobalLoadOp : Titan_HwOp<"global.load", Titan_Everywhere,
    [AttrSizedOperandSegments, Titan_Flow]> {
  let summary = "loads one element a (thread, register) by index tensors, under a mask";
  let description = [{
    `titan.global.load %A[%i, %j] mask(%m) : ...`: element (r, c) of the result is
    A[%i[r, c], %j[r, c]] where the mask is true, and 0 elsewhere. Where the mask
    is true the index must lie in the tensor.

    How the caches treat it is a hint, of which no result depends; a target that
    has no such hint leaves it out:

    | clause | says | words |
    |---|---|---|
    | `cop(...)` | cache operator | ca, cg, cs, lu, cv |
    | `l1(...)` | eviction priority in L1; not beside `cop` | evict_normal, evict_first, evict_last, evict_unchanged, no_allocate |
    | `prefetch(...)` | bytes that L2 fetches | 64, 128, 256 |
    | `cache(...)` | L2 policy (createpolicy); behind the word `, fraction = 0.5`, `, secondary = evict_first` | evict_normal, evict_first, evict_last, evict_unchanged |
  }];
  let arguments = (ins Titan_GlobalType:$tensor, Variadic<Titan_Tile>:$indices,
                       Optional<Titan_Tile>:$mask, OptionalAttr<Titan_CacheOperatorAttr>:$cop,
                       OptionalAttr<Titan_L1PriorityAttr>:$l1, OptionalAttr<I64Attr>:$prefetch,
                       OptionalAttr<Titan_CacheAttr>:$cache);
  let results = (outs Titan_Tile:$result);
  let assemblyFormat = [{ $tensor `[` $indices `]` (`mask` `(` $mask^ `:` type($mask) `)`)?
                          (`cop` `(` $cop^ `)`)? (`l1` `(` $l1^ `)`)? (`prefetch` `(` $prefetch^ `)`)?
                          (`cache` `(` $cache^ `)`)? attr-dict
                          `:` type($tensor) `,` type($indices) `->` type($result) }];
  let hasVerifier = 1;
}

def Titan_GlobalStoreOp : Titan_HwOp<"global.store", Titan_Everywhere,
    [AttrSizedOperandSegments, Titan_Flow]> {
  let summary = "stores one element a (thread, register) by index tensors, under a mask";
  let description = [{
    Hints for the caches are those of titan.global.load without `prefetch`; cache
    operators of a store are wb, cg, cs and wt.
  }];
  let arguments = (ins Titan_Tile:$tile, Titan_GlobalType:$tensor,
                       Variadic<Titan_Tile>:$indices, Optional<Titan_Tile>:$mask,
                       OptionalAttr<Titan_CacheOperatorAttr>:$cop, OptionalAttr<Titan_L1PriorityAttr>:$l1,
                       OptionalAttr<Titan_CacheAttr>:$cache);
  let assemblyFormat = [{ $tile `,` $tensor `[` $indices `]` (`mask` `(` $mask^ `:` type($mask) `)`)?
                          (`cop` `(` $cop^ `)`)? (`l1` `(` $l1^ `)`)? (`cache` `(` $cache^ `)`)? attr-dict
                          `:` type($tile) `,` type($tensor) `,` type($indices) }];
  let hasVerifier = 1;
}

def Titan_GlobalAtomOp : Titan_HwOp<"global.atom", Titan_Everywhere,
    [AttrSizedOperandSegments, Titan_Flow]> {
  let summary = "an atomic operation on one element a (thread, register) by index tensors, under a mask";
  let description = [{
    `titan.global.atom add %x, %A[%i, %j] mask(%m) : ...` combines element (r, c) of %x with
    A[%i[r, c], %j[r, c]], each element as one step, once: of copies of an element the
    owner's. Two elements may be of one place. A tile of integers is combined with a tensor of floats of their width by
    its bits. `-> type` yields what was there before, 0 where the
    mask is false; no two threads hold the same element of such a tile.
  }];
  let arguments = (ins Titan_AtomicAttr:$op, Titan_Tile:$tile, Titan_GlobalType:$tensor,
                       Variadic<Titan_Tile>:$indices, Optional<Titan_Tile>:$mask,
      DefaultValuedAttr<Titan_SemAttr, "::titan::MemorySem::Relaxed">:$sem,
      DefaultValuedAttr<Titan_ScopeAttr, "::titan::MemoryScope::Gpu">:$scope);
  let results = (outs Optional<Titan_Tile>:$result);
  let assemblyFormat = [{ $op $tile `,` $tensor `[` $indices `]` (`mask` `(` $mask^ `:` type($mask) `)`)?
                          (`sem` `(` $sem^ `)`)? (`scope` `(` $scope^ `)`)? attr-dict
                          `:` type($tile) `,` type($tensor) `,` type($indices) (`->` type($result)^)? }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Scalars: flags, counters, mailboxes
//===----------------------------------------------------------------------===//

def Titan_ScalarMemory : AnyTypeOf<[Titan_GlobalType, Titan_SharedType]>;

def Titan_LdOp : Titan_HwOp<"ld"> {
  let summary = "loads one element (each active thread)";
  let arguments = (ins Titan_ScalarMemory:$memory, Variadic<Index>:$indices,
      DefaultValuedAttr<Titan_SemAttr, "::titan::MemorySem::Weak">:$sem,
      DefaultValuedAttr<Titan_ScopeAttr, "::titan::MemoryScope::Cta">:$scope);
  let results = (outs Titan_Scalar:$result);
  let assemblyFormat = [{ $memory `[` $indices `]` (`sem` `(` $sem^ `)`)? (`scope` `(` $scope^ `)`)? attr-dict `:` type($memory) `->` type($result) }];
  let hasVerifier = 1;
}

def Titan_StOp : Titan_HwOp<"st", Titan_Everywhere, [Titan_Flow]> {
  let summary = "stores one element (each active thread)";
  let arguments = (ins Titan_Scalar:$value, Titan_ScalarMemory:$memory,
      Variadic<Index>:$indices,
      DefaultValuedAttr<Titan_SemAttr, "::titan::MemorySem::Weak">:$sem,
      DefaultValuedAttr<Titan_ScopeAttr, "::titan::MemoryScope::Cta">:$scope);
  let assemblyFormat = [{ $value `,` $memory `[` $indices `]` (`sem` `(` $sem^ `)`)? (`scope` `(` $scope^ `)`)? attr-dict `:` type($value) `,` type($memory) }];
  let hasVerifier = 1;
}

def Titan_AtomOp : Titan_HwOp<"atom", Titan_Everywhere, [AttrSizedOperandSegments]> {
  let summary = "an atomic operation on one element (each active thread); yields the old value";
  let description = [{
    With `where`, an exchange is a compare and swap: the element is changed where it holds that number, bit for bit.
    An integer is combined with a float of its width by its bits.
    ```mlir
    %old = titan.atom exch %one where(%zero : i32), %locks[%i] sem(acquire) : i32, !titan.global<?xi32> -> i32
    ```
  }];
  let arguments = (ins Titan_AtomicAttr:$op, Titan_Scalar:$value, Optional<Titan_Scalar>:$expected,
      Titan_ScalarMemory:$memory, Variadic<Index>:$indices,
      DefaultValuedAttr<Titan_SemAttr, "::titan::MemorySem::Relaxed">:$sem,
      DefaultValuedAttr<Titan_ScopeAttr, "::titan::MemoryScope::Gpu">:$scope);
  let results = (outs Titan_Scalar:$result);
  let assemblyFormat = [{ $op $value (`where` `(` $expected^ `:` type($expected) `)`)? `,` $memory `[` $indices `]` (`sem` `(` $sem^ `)`)? (`scope` `(` $scope^ `)`)? attr-dict `:` type($value) `,` type($memory) `->` type($result) }];
  let hasVerifier = 1;
}

def Titan_FlagWaitOp : Titan_HwOp<"flag.wait"> {
  let summary = "waits until a flag in global memory is at least a value (acquire)";
  let arguments = (ins Titan_GlobalType:$flags, Variadic<Index>:$indices, I32:$value,
      DefaultValuedAttr<Titan_ScopeAttr, "::titan::MemoryScope::Gpu">:$scope);
  let assemblyFormat = [{ $flags `[` $indices `]` `,` $value (`scope` `(` $scope^ `)`)? attr-dict `:` type($flags) }];
  let hasVerifier = 1;
}

def Titan_FlagSignalOp : Titan_HwOp<"flag.signal"> {
  let summary = "adds to a flag in global memory (release)";
  let arguments = (ins Titan_GlobalType:$flags, Variadic<Index>:$indices, I32:$value,
      DefaultValuedAttr<Titan_ScopeAttr, "::titan::MemoryScope::Gpu">:$scope);
  let assemblyFormat = [{ $flags `[` $indices `]` `,` $value (`scope` `(` $scope^ `)`)? attr-dict `:` type($flags) }];
  let hasVerifier = 1;
}

#endif
