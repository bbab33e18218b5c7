//===- KernelOps.td - kernels, partitions, elect -----------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_KERNEL_OPS_TD
#define TITAN_DIALECT_KERNEL_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_KernelOp : Titan_Op<"kernel", [IsolatedFromAbove, Symbol,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a GPU kernel: what its launch computes, and what its threads do";
  let description = [{
    ```mlir
    !matrix = !titan.global<?x64xbf16>
    !map = !titan.tensor_map<64x64xbf16>
    !tile = !titan.shared<64x64xbf16>

    titan.kernel @copy(%src: !matrix, %dst: !matrix) warps(1) registers(128) launch {
      %c64 = arith.constant 64 : index
      %m = titan.dim %src, 0 : !matrix
      %tiles = arith.ceildivui %m, %c64 : index
      %from = titan.tensor_map %src : !matrix -> !map
      %to = titan.tensor_map %dst : !matrix -> !map
      titan.launch grid(%tiles) with(%from, %to : !map, !map)
    } body(%from: !map, %to: !map) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %parity = arith.constant 0 : i32
      %bytes = arith.constant 8192 : i32
      %tile = titan.shared.alloc : !tile
      %full = titan.mbarrier.alloc : !titan.mbarrier
      %cta = titan.cta_id 0
      %row = arith.muli %cta, %c64 : index
      titan.elect {
        titan.mbarrier.init %full count(1) : !titan.mbarrier
        titan.fence.mbarrier_init
      }
      titan.cta_sync
      titan.elect {
        titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
        titan.tma.load %from[%row, %c0], %tile, %full : !map, !tile, !titan.mbarrier
      }
      titan.mbarrier.wait %full parity(%parity) : !titan.mbarrier
      titan.elect {
        titan.tma.store %tile, %to[%row, %c0] : !tile, !map
        %stored = titan.bulk.commit : !titan.token<bulk>
        titan.bulk.wait %stored : !titan.token<bulk>
      }
      titan.return
    }
    ```
    The launch region runs on the host, once a launch: scalar arithmetic over the
    sizes of the arguments and the device, tensor maps, requirements. Its
    `titan.launch` gives the grid and the values that the body sees as further
    arguments. `cluster` and `warps` are static. `registers` is the number a thread
    starts with (.maxnreg).
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeArrayAttr:$arg_types,
      StrArrayAttr:$arg_names, StrArrayAttr:$launch_names, I64Attr:$warps,
      OptionalAttr<I64Attr>:$registers, OptionalAttr<DenseI64ArrayAttr>:$cluster);
  let regions = (region SizedRegion<1>:$launch, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The arguments as the body sees them.
    ::mlir::Block::BlockArgListType getKernelArguments() {
      return getBody().getArguments().take_front(getArgTypes().size());
    }
    /// The values that the launch region passes to the body.
    ::mlir::Block::BlockArgListType getLaunchArguments() {
      return getBody().getArguments().drop_front(getArgTypes().size());
    }
    LaunchOp getLaunchOp();
    /// CTAs of a cluster along x, y, z.
    std::array<int64_t, 3> getClusterShape();
    int64_t getClusterSize();
    /// The value of the launch region that becomes `bodyArgument`.
    ::mlir::Value getLaunchValue(::mlir::BlockArgument bodyArgument);
  }];
}

def Titan_LaunchOp : Titan_Op<"launch", [Terminator, HasParent<"KernelOp">, AttrSizedOperandSegments]> {
  let summary = "the grid, and the values passed to the kernel's body";
  let arguments = (ins Variadic<Index>:$grid, Variadic<AnyType>:$values);
  let assemblyFormat = "`grid` `(` $grid `)` (`with` `(` $values^ `:` type($values) `)`)? attr-dict";
  let hasVerifier = 1;
}

def Titan_ReturnOp : Titan_Op<"return", [Terminator, HasParent<"KernelOp">]> {
  let summary = "the end of a kernel's body";
  let assemblyFormat = "attr-dict";
}

def Titan_YieldOp : Titan_Op<"yield", [Terminator, Pure, ReturnLike,
    HasParent<"ElectOp">]> {
  let summary = "the tokens that the threads of an elect hand on";
  let arguments = (ins Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins), [{ /* nothing to hand on */ }]>];
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
}

//===----------------------------------------------------------------------===//
// In the launch region
//===----------------------------------------------------------------------===//

def Titan_DimOp : Titan_Op<"dim", [Pure]> {
  let summary = "a size of a global tensor, in elements (launch region or body)";
  let arguments = (ins Titan_GlobalType:$tensor, I64Attr:$dimension);
  let results = (outs Index:$result);
  let assemblyFormat = "$tensor `,` $dimension attr-dict `:` type($tensor)";
  let hasVerifier = 1;
}

def Titan_StrideOp : Titan_Op<"stride", [Pure, HasParent<"KernelOp">]> {
  let summary = "a stride of a global tensor, in elements (launch region)";
  let arguments = (ins Titan_GlobalType:$tensor, I64Attr:$dimension);
  let results = (outs Index:$result);
  let assemblyFormat = "$tensor `,` $dimension attr-dict `:` type($tensor)";
  let hasVerifier = 1;
}

def Titan_DevicePropertyOp : Titan_Op<"device_property", [Pure]> {
  let summary = "a property of the device that the kernel is launched on";
  let description = "`multiprocessor_count` is the one there is.";
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name attr-dict";
  let hasVerifier = 1;
}

def Titan_RequireOp : Titan_Op<"require", [HasParent<"KernelOp">]> {
  let summary = "a launch check: the launch is refused with `code` where the condition is false";
  let description = [{
    ```mlir
    titan.require %whole, "launch-check", "K is a multiple of 64" fix "pad K"
    ```
    The refusal says which sizes, strides and arguments the condition is computed
    from, and what they are. Without `fix` the code's fix is printed.
  }];
  let arguments = (ins I1:$condition, StrAttr:$code, StrAttr:$message, OptionalAttr<StrAttr>:$fix);
  let assemblyFormat = "$condition `,` $code `,` $message (`fix` $fix^)? attr-dict";
}

def Titan_TensorMapOp : Titan_Op<"tensor_map", [HasParent<"KernelOp">, AttrSizedOperandSegments]> {
  let summary = "encodes a tensor map over a global tensor, at launch";
  let description = [{
    ```mlir
    %map = titan.tensor_map %X dims(%a, %b, %c) byte_strides(%s0, %s1)
         : !titan.global<?x?x?xbf16> -> !titan.tensor_map<2x64x64xbf16, element_strides = [1, 2, 1], swizzle = 128>
    %out = titan.tensor_map %Y {padded} : !titan.global<?x?xbf16> -> !titan.tensor_map<64x64xbf16, swizzle = 128>
    %nan = titan.tensor_map %Y {fill = #titan<fill nan>, l2_promotion = 256 : i64}
         : !titan.global<?x?xbf16> -> !titan.tensor_map<64x64xbf16, swizzle = 128>
    ```
    The box, element type, element strides and swizzle are the result's type. Sizes
    and strides are those of the tensor, or those given: `dims` in elements,
    `byte_strides` in bytes for all dimensions but the innermost, outermost
    dimension first. Such a view begins where the tensor does, and lies within its
    memory (tma-view-range). An interleaved map's sizes count slices of channels, in W
    as in the dimension of slices; over the tensor's own sizes, the tensor has one
    dimension more, the innermost, of one slice. `padded`: what stands behind each row,
    up to a multiple of 16 bytes, is free: stores may overwrite it (else
    tma-store-tail). `fill`: what loads put where the box leaves the tensor.
    `l2_promotion`: bytes that a load brings into the L2 cache at a time: 0, 64, 128 or
    256. Rules of the encoder (cuTensorMapEncodeTiled) that are known now
    are verified; those on sizes, strides and addresses become launch checks with the
    same codes.
  }];
  let arguments = (ins Titan_GlobalType:$tensor, Variadic<Index>:$dims, Variadic<Index>:$byte_strides,
      DefaultValuedAttr<Titan_FillAttr, "::titan::OobFill::Zero">:$fill,
      DefaultValuedAttr<I64Attr, "128">:$l2_promotion, UnitAttr:$padded);
  let results = (outs Titan_TensorMapType:$result);
  let assemblyFormat = [{ $tensor (`dims` `(` $dims^ `)`)? (`byte_strides` `(` $byte_strides^ `)`)?
      attr-dict `:` type($tensor) `->` type($result) }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether sizes and strides are the map's own, not the tensor's.
    bool isView() { return !getDims().empty() || !getByteStrides().empty(); }
  }];
}

//===----------------------------------------------------------------------===//
// Where am I
//===----------------------------------------------------------------------===//

def Titan_CtaIdOp : Titan_Op<"cta_id", [Pure]> {
  let summary = "%ctaid: the CTA's place in the grid along dimension 0 (x), 1 or 2";
  let arguments = (ins I64Attr:$dimension);
  let results = (outs Index:$result);
  let assemblyFormat = "$dimension attr-dict";
  let hasVerifier = 1;
}
def Titan_NumCtasOp : Titan_Op<"num_ctas", [Pure]> {
  let summary = "%nctaid: CTAs of the grid along dimension 0 (x), 1 or 2";
  let arguments = (ins I64Attr:$dimension);
  let results = (outs Index:$result);
  let assemblyFormat = "$dimension attr-dict";
  let hasVerifier = 1;
}
def Titan_ClusterRankOp : Titan_Op<"cluster_rank", [Pure]> {
  let summary = "%cluster_ctarank: the CTA's rank in its cluster";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}
def Titan_WarpIdOp : Titan_Op<"warp_id", [Pure]> {
  let summary = "the warp's rank in its partition (in the CTA, outside of partitions)";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Who executes
//===----------------------------------------------------------------------===//

def Titan_WarpSpecializeOp : Titan_Op<"warp_specialize", [
    SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "the CTA's warps part ways: each partition is executed by its own warps";
  let description = [{
    Warps are dealt out in order. A partition that has a register budget or issues
    warpgroup operations begins at a warp whose rank is a multiple of 4 and is
    padded to whole warpgroups with idle warps. All warps of the kernel pass on
    when every partition has ended; there is no barrier at either end.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The rank in the CTA of a partition's first warp.
    int64_t getFirstWarp(PartitionOp partition);
    /// Warps that all partitions take, padding included.
    int64_t getTotalWarps();
  }];
}

def Titan_PartitionOp : Titan_Op<"partition", [
    SingleBlock, NoTerminator, RecursiveMemoryEffects, HasParent<"WarpSpecializeOp">,
    Titan_Everywhere, DeclareOpInterfaceMethods<HardwareEffectsInterface>]> {
  let summary = "what some warps do, under a register budget";
  let arguments = (ins StrAttr:$name, I64Attr:$warps, OptionalAttr<I64Attr>:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{ $name `warps` `(` $warps `)` (`registers` `(` $registers^ `)`)?
                          attr-dict-with-keyword $body }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Warps it takes, padded to whole warpgroups where it must be.
    int64_t getPaddedWarps();
    bool needsWarpgroups();
  }];
}

def Titan_ElectOp : Titan_Op<"elect", [SingleBlock, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "one thread of the warp: elect.sync";
  let description = [{
    `titan.elect { ... }` is executed by one thread of each active warp, the same
    one each time; `titan.elect warp(2) { ... }` by one thread of the partition's
    warp 2 alone. Tokens may be yielded: to the other threads they are none.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$warp);
  let results = (outs Variadic<Titan_TokenOrSlot>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{ (`warp` `(` $warp^ `)`)? (`->` type($results)^)? attr-dict-with-keyword $body }];
  let hasVerifier = 1;
}

def Titan_PrintOp : Titan_Op<"print", []> {
  let summary = "prints scalars, from one thread a warp";
  let arguments = (ins StrAttr:$message, Variadic<AnyType>:$values);
  let assemblyFormat = "$message (`,` $values^ `:` type($values))? attr-dict";
}

def Titan_AssertOp : Titan_Op<"assert", []> {
  let summary = "stops the kernel where the condition is false";
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def Titan_AssumeOp : Titan_Op<"assume", []> {
  let summary = "what data promises: the condition holds wherever this is executed";
  let description = [{
    ```mlir
    !ids = !titan.global<?xi32>
    %id = titan.ld %ids[%i] : !ids -> i32
    %in = arith.cmpi ult, %id, %experts : i32
    titan.assume %in, "an id is that of an expert"
    ```
    The condition speaks of what memory holds: it is computed from an element that is
    loaded (of what sizes and arguments decide speaks titan.require). A tile of i1 is a
    condition for each of its elements: `titan.assume %in, "words" : tensor<32xi1, #rows>`.

    `titan check` believes it, where it stands and behind that, and prints it beside what
    it has proved; its search looks at no data that breaks it. `titan run` stops where it
    is false (assume-failed). It is compiled to nothing: what it says no device finds out,
    and no compiler takes for granted.
  }];
  let arguments = (ins AnyTypeOf<[I1, Titan_Tile]>:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `` custom<ConditionType>(type($condition))";
  let hasVerifier = 1;
}

#endif
