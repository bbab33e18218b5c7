//===- TitanAttrs.td - layouts of register tiles, enums ----*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_ATTRS_TD
#define TITAN_DIALECT_TITAN_ATTRS_TD

include "titan/Dialect/Titan/TitanDialect.td"
include "titan/Dialect/Titan/TitanInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Titan_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Titan_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  string syntax = "";
}

class Titan_LayoutAttr<string name, string attrMnemonic>
    : Titan_Attr<name, attrMnemonic, [DeclareAttrInterfaceMethods<LayoutAttrInterface>]>;

def Titan_WgmmaAttr : Titan_LayoutAttr<"Wgmma", "wgmma"> {
  let summary = "the accumulator fragment of wgmma (m64nNk16 and kin)";
  let description = [{
    ```mlir
    !sums = tensor<128x256xf32, #titan.wgmma<2, 1>>   // two warpgroups one above the other
    ```
    Each warpgroup (four warps) holds its part of the tile as 64-row fragments of PTX ISA
    "wgmma.mma_async", matrix fragment D. The tile has a multiple of 64 * rows rows, dealt to the
    warpgroups in turn, and a multiple of 8 * columns columns, cut into as many parts.
  }];
  let parameters = (ins Titan_Int<"warpgroups one above the other">:$rows,
      Titan_Int<"warpgroups side by side; 1 to 8 in all">:$columns);
  let assemblyFormat = "`<` $rows `,` $columns `>`";
}

def Titan_BlockedAttr : Titan_LayoutAttr<"Blocked", "blocked"> {
  let summary = "each thread holds a block; lanes, then warps tile the rest, then it repeats";
  let description = [{
    ```mlir
    #rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
    !tile = tensor<64x64xbf16, #rows>   // a thread: 8 columns of 4 rows; a warp at a time: 4 x 64
    ```
    The innermost dimension varies fastest in each. A larger tile goes round again in
    registers; of a smaller one several threads hold the same elements.
  }];
  let parameters = (ins Titan_Ints<"elements of a thread's block, a number a dimension, outermost first">:$elements,
      Titan_Ints<"threads of a warp along each dimension: 32 in all (gfx942: 64)">:$lanes,
      Titan_Ints<"warps of the region along each dimension">:$warps);
  let assemblyFormat = [{ `<` `elements` `=` `[` $elements `]` `,` `lanes` `=` `[` $lanes `]`
                          `,` `warps` `=` `[` $warps `]` `>` }];
}

def Titan_SliceAttr : Titan_LayoutAttr<"Slice", "slice"> {
  let summary = "a layout without one dimension: what a reduction along it leaves";
  let description = [{
    ```mlir
    #acc = #titan.wgmma<1, 1>
    !maxima = tensor<64xf32, #titan.slice<1, #acc>>   // one number a row of a tile in #acc
    ```
    Registers along the dimension are gone; lanes and warps along it hold copies. The extent of
    that dimension makes no difference.
  }];
  let parameters = (ins Titan_Int<"the dimension that is gone, 0 the outermost">:$dimension,
      AttrOrTypeParameter<"::mlir::Attribute", "the layout of the whole tile">:$parent);
  let assemblyFormat = "`<` $dimension `,` $parent `>`";
}

def Titan_TmemAttr : Titan_LayoutAttr<"Tmem", "tmem"> {
  let summary = "registers of tcgen05.ld and tcgen05.st, one warpgroup, 128 rows";
  let description = [{
    ```mlir
    !tile = tensor<128x64xf32, #titan.tmem<"32x32b">>
    ```
    Each thread holds one row, lane t of warp w row 32 w + t. The other shapes of tcgen05.ld are
    written as `#titan.layout`.
  }];
  let parameters = (ins StringRefParameter<"the shape of PTX ISA, tcgen05.ld: \"32x32b\"">:$shape);
  let assemblyFormat = "`<` $shape `>`";
}

def Titan_MfmaAttr : Titan_LayoutAttr<"Mfma", "mfma"> {
  let summary = "accumulators of v_mfma (gfx942), over a grid of waves";
  let description = [{
    ```mlir
    !sums = tensor<64x64xf32, #titan.mfma<32, 2, 2>>   // instructions of 32 x 32, 2 x 2 waves
    ```
    Waves are numbered along the rows; each holds one block of the tile.
  }];
  let parameters = (ins Titan_Int<"rows and columns of an instruction: 32 or 16">:$m,
      Titan_Int<"waves one above the other">:$waveRows, Titan_Int<"waves side by side">:$waveColumns);
  let assemblyFormat = "`<` $m `,` $waveRows `,` $waveColumns `>`";
}

class Titan_MfmaOperand<string name, string attrMnemonic> : Titan_LayoutAttr<name, attrMnemonic> {
  let parameters = (ins Titan_Int<"rows and columns of an instruction's result: 32 or 16">:$m,
      Titan_Int<"K of an instruction, elements; with m it says how wide they are">:$k,
      Titan_Int<"waves of the product one above the other">:$waveRows,
      Titan_Int<"waves of the product side by side">:$waveColumns);
  let assemblyFormat = "`<` $m `,` $k `,` $waveRows `,` $waveColumns `>`";
}
def Titan_MfmaAAttr : Titan_MfmaOperand<"MfmaA", "mfma_a"> {
  let summary = "A of v_mfma, M x K: waves of one row hold the same";
  let description = [{
    ```mlir
    !a = tensor<64x32xbf16, #titan.mfma_a<32, 8, 2, 2>>   // instructions of 32 x 32 x 8, 2 x 2 waves
    ```
  }];
}
def Titan_MfmaBAttr : Titan_MfmaOperand<"MfmaB", "mfma_b"> {
  let summary = "B of v_mfma, N x K: waves of one column hold the same";
  let description = [{
    ```mlir
    !b = tensor<64x32xbf16, #titan.mfma_b<32, 8, 2, 2>>   // instructions of 32 x 32 x 8, 2 x 2 waves
    ```
  }];
}

def Titan_LayoutTextAttr : Titan_LayoutAttr<"LayoutText", "layout"> {
  let summary = "a layout by its digits (docs/layouts.md has the grammar)";
  let description = [{
    ```mlir
    !tile = tensor<64x64xf32, #titan.layout<"reg: 8*c1, 2*c32, 2*r8; lane: 4*c8, 8*r1; warp: 4*r16">>
    ```
    A digit is `extent*<dimension><stride>`, innermost first: registers step along the columns by
    1, eight of them, then twice by 32 columns, then twice by 8 rows. Dimensions are r and c of a
    tile of rank 2, i, j, k, ... of others.
  }];
  let parameters = (ins StringRefParameter<"axes reg, lane and warp, the digits of each">:$text);
  let assemblyFormat = "`<` $text `>`";
}

//===----------------------------------------------------------------------===//
// Schedules of tensors: see CopyOps.td
//===----------------------------------------------------------------------===//

def Titan_ScheduleAttr : Titan_Attr<"Schedule", "schedule"> {
  let summary = "how the elements of a tensor are distributed over loops and tiles";
  let description = [{
    ```mlir
    #tile = #titan.schedule<
      tensor M x K              // names for the tensor's dimensions, outermost first
      Mo, Mi = split(M, 128)    // loops Mo, tiles of 128 rows
      Ko, Ki = split(K, 64)
      bulk Mi, Ki>              // what one copy moves: 128 x 64 elements
    ```
    docs/language.md ("Schedules") has the grammar: split (inner
    factor, or `outer`), merge, resize, swizzle, window, bulk, shared, map, size, traffic,
    padded. Line ends say nothing. A factor may be a size of the tensor, by its name.
    The attribute's text is what stands between the brackets, on one line.

    In C++ it is made from text (laid out, then read: what is wrong whatever the
    tensor is is refused) or from a TmaSchedule (writeSchedule). `get` gives no
    attribute where that fails, and says why without a place.
  }];
  let parameters = (ins StringRefParameter<"statements, sizes in elements">:$text);
  let syntax = "<$text>";
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$text)>,
                  AttrBuilder<(ins "const ::titan::TmaSchedule &":$schedule)>];
  let genVerifyDecl = 1;
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Enums: the field's own words
//===----------------------------------------------------------------------===//

class Titan_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::titan";
  let genSpecializedAttr = 0;
}
/// In an operation's syntax the word stands alone (`sem(acquire)`), elsewhere behind the
/// mnemonic (`#titan<sem acquire>`).
class Titan_EnumAttr<EnumInfo info, string attrMnemonic>
    : EnumAttr<Titan_Dialect, info, attrMnemonic> {
  // Without the space that would stand before the word: `sem(acquire)`.
  let assemblyFormat = "`` $value";
}

def Titan_SemEnum : Titan_Enum<"MemorySem", "memory ordering, PTX ISA 8.6", [
    I32EnumAttrCase<"Weak", 0, "weak">, I32EnumAttrCase<"Relaxed", 1, "relaxed">,
    I32EnumAttrCase<"Acquire", 2, "acquire">, I32EnumAttrCase<"Release", 3, "release">,
    I32EnumAttrCase<"AcqRel", 4, "acq_rel">, I32EnumAttrCase<"SeqCst", 5, "sc">]>;
def Titan_SemAttr : Titan_EnumAttr<Titan_SemEnum, "sem"> {
  let description = [{
    ```mlir
    #word = #titan<sem acquire>
    ```
    In operations `sem(acquire)`, or the word alone (`titan.fence acq_rel gpu`): which accesses of
    the thread the access or fence orders, as PTX has it. What holds without it each operation says.
  }];
}

def Titan_ScopeEnum : Titan_Enum<"MemoryScope", "scope, PTX ISA 8.5", [
    I32EnumAttrCase<"Cta", 1, "cta">, I32EnumAttrCase<"Cluster", 2, "cluster">,
    I32EnumAttrCase<"Gpu", 3, "gpu">, I32EnumAttrCase<"Sys", 4, "sys">]>;
def Titan_ScopeAttr : Titan_EnumAttr<Titan_ScopeEnum, "scope"> {
  let description = [{
    ```mlir
    #word = #titan<scope gpu>
    ```
    In operations `scope(gpu)`, or the word alone (`titan.fence acq_rel gpu`): whose threads see the
    order: those of the CTA, of its cluster, of the device, of the system.
  }];
}

def Titan_SpaceEnum : Titan_Enum<"ProxySpace", "state space of a proxy fence", [
    I32EnumAttrCase<"All", 0, "all">, I32EnumAttrCase<"Global", 1, "global">,
    I32EnumAttrCase<"SharedCta", 2, "shared_cta">,
    I32EnumAttrCase<"SharedCluster", 3, "shared_cluster">]>;
def Titan_SpaceAttr : Titan_EnumAttr<Titan_SpaceEnum, "space"> {
  let description = [{
    ```mlir
    #word = #titan<space shared_cta>
    ```
    `titan.fence.proxy_async shared_cta`: the memory whose accesses the fence orders; `all` where
    none is named.
  }];
}

def Titan_L2PriorityEnum : Titan_Enum<"L2Priority", "eviction priority in L2, PTX ISA createpolicy", [
    I32EnumAttrCase<"EvictNormal", 0, "evict_normal">,
    I32EnumAttrCase<"EvictFirst", 1, "evict_first">,
    I32EnumAttrCase<"EvictLast", 2, "evict_last">,
    I32EnumAttrCase<"EvictUnchanged", 3, "evict_unchanged">]>;
def Titan_CacheAttr : Titan_Attr<"CachePolicy", "cache"> {
  let summary = "L2 cache policy of an access, PTX ISA createpolicy";
  let description = [{
    ```mlir
    #word = #titan<cache evict_first>
    #half = #titan<cache evict_last, fraction = 0.5, secondary = evict_first>
    ```
    In operations `cache(evict_first)`, `cache(evict_last, fraction = 0.5)`: a hint, of which no
    result depends. A fraction of the accesses has the primary priority, the others the secondary one.
  }];
  let parameters = (ins
      AttrOrTypeParameter<"::titan::L2Priority", "primary priority, of the fraction">:$primary,
      OptionalParameter<"::mlir::FloatAttr", "f32: the part of the accesses that have the primary priority, above 0 and at most 1; all where it is left out">:$fraction,
      OptionalParameter<"std::optional<::titan::L2Priority>", "priority of the other accesses, evict_first or evict_unchanged; evict_unchanged where it is left out">:$secondary);
  let syntax = "$primary (, fraction = $fraction)? (, secondary = $secondary)?";
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Titan_CacheOperatorEnum : Titan_Enum<"CacheOperator", "cache operator of a load or store, PTX ISA Cache Operators", [
    I32EnumAttrCase<"CacheAll", 0, "ca">, I32EnumAttrCase<"CacheGlobal", 1, "cg">,
    I32EnumAttrCase<"Streaming", 2, "cs">, I32EnumAttrCase<"LastUse", 3, "lu">,
    I32EnumAttrCase<"DoNotCache", 4, "cv">, I32EnumAttrCase<"WriteBack", 5, "wb">,
    I32EnumAttrCase<"WriteThrough", 6, "wt">]>;
def Titan_CacheOperatorAttr : Titan_EnumAttr<Titan_CacheOperatorEnum, "cop"> {
  let description = [{
    ```mlir
    #word = #titan<cop cg>
    ```
    In operations `cop(cg)`: a hint, of which no result depends. Loads take ca, cg, cs, lu and cv,
    stores wb, cg, cs and wt.
  }];
}

def Titan_L1PriorityEnum : Titan_Enum<"L1Priority", "eviction priority in L1, PTX ISA ld, st", [
    I32EnumAttrCase<"EvictNormal", 0, "evict_normal">,
    I32EnumAttrCase<"EvictFirst", 1, "evict_first">,
    I32EnumAttrCase<"EvictLast", 2, "evict_last">,
    I32EnumAttrCase<"EvictUnchanged", 3, "evict_unchanged">,
    I32EnumAttrCase<"NoAllocate", 4, "no_allocate">]>;
def Titan_L1PriorityAttr : Titan_EnumAttr<Titan_L1PriorityEnum, "l1"> {
  let description = [{
    ```mlir
    #word = #titan<l1 no_allocate>
    ```
    In operations `l1(no_allocate)`: a hint, of which no result depends; it does not stand
    beside `cop`.
  }];
}

def Titan_AtomicEnum : Titan_Enum<"AtomicOp", "atomic operation", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Min", 1, "min">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Exch", 3, "exch">,
    I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">,
    I32EnumAttrCase<"Xor", 6, "xor">, I32EnumAttrCase<"MinU", 7, "minu">,
    I32EnumAttrCase<"MaxU", 8, "maxu">]>;
def Titan_AtomicAttr : Titan_EnumAttr<Titan_AtomicEnum, "atomic"> {
  let description = [{
    ```mlir
    #word = #titan<atomic add>
    ```
    The word of an operation (`titan.atom add`), or `reduce(add)` of a copy. `minu` and `maxu` compare unsigned integers.
  }];
}

def Titan_ReduceEnum : Titan_Enum<"ReduceKind", "reduction or scan along a dimension of a register tile", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"Mul", 3, "mul">,
    I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">,
    I32EnumAttrCase<"Xor", 6, "xor">, I32EnumAttrCase<"MaxNum", 7, "maxnum">,
    I32EnumAttrCase<"MinNum", 8, "minnum">, I32EnumAttrCase<"MaxU", 9, "maxu">,
    I32EnumAttrCase<"MinU", 10, "minu">]>;
def Titan_ReduceAttr : Titan_EnumAttr<Titan_ReduceEnum, "reduce"> {
  let description = [{
    ```mlir
    #word = #titan<reduce max>
    ```
    The word of an operation: `titan.reduce max`, `titan.scan add`. Of floats, `max` and `min`
    are NaN where an element is, `maxnum` and `minnum` leave such elements out. Of integers,
    `max` and `min` are signed, `maxu` and `minu` unsigned.
  }];
}

def Titan_FillEnum : Titan_Enum<"OobFill", "what a load puts where the box leaves the tensor", [
    I32EnumAttrCase<"Zero", 0, "zero">, I32EnumAttrCase<"NaN", 1, "nan">]>;
def Titan_FillAttr : Titan_EnumAttr<Titan_FillEnum, "fill"> {
  let description = [{
    ```mlir
    #word = #titan<fill nan>
    ```
    Of a tensor map and of a load by schedule, `fill(nan)`.
  }];
}

def Titan_ReleaseEnum : Titan_Enum<"PipeRelease", "how a slot of a pipe is given back", [
    I32EnumAttrCase<"Arrive", 0, "arrive">,
    I32EnumAttrCase<"MulticastArrive", 1, "multicast_arrive">,
    I32EnumAttrCase<"Commit", 2, "tcgen05_commit">,
    I32EnumAttrCase<"BulkRead", 3, "bulk_read">]>;
def Titan_ReleaseAttr : Titan_EnumAttr<Titan_ReleaseEnum, "release"> {
  let description = [{
    ```mlir
    #word = #titan<release bulk_read>
    ```
    `release(bulk_read)` of `titan.pipe.create`, whose page says when a slot is empty.
  }];
}

def Titan_FillHowEnum : Titan_Enum<"PipeFill", "how a slot of a pipe is filled", [
    I32EnumAttrCase<"Transaction", 0, "transaction">,
    I32EnumAttrCase<"Arrive", 1, "arrive">,
    I32EnumAttrCase<"AsyncCopy", 2, "cp_async">,
    I32EnumAttrCase<"Commit", 3, "tcgen05_commit">]>;
def Titan_FillHowAttr : Titan_EnumAttr<Titan_FillHowEnum, "pipe_fill"> {
  let description = [{
    ```mlir
    #word = #titan<pipe_fill cp_async>
    ```
    `fill(cp_async)` of `titan.pipe.create`, whose page says when a slot is full.
  }];
}

#endif
