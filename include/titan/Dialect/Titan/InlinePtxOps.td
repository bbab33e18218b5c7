//===- InlinePtxOps.td - instructions that TITAN does not have -*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a text of PTX does nobody reads from it: the operation declares it.
//
//   declared                checker, hazards            titan run
//   --------                ----------------            ---------
//   pure                    nothing happens             by `reference`, if there is one
//   does [...]              these effects               not
//   opaque                  cannot follow it, says so   not
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_INLINE_PTX_OPS_TD
#define TITAN_DIALECT_INLINE_PTX_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_PtxDoesEnum : Titan_Enum<"PtxDoes", "what a text of PTX is declared to do", [
    I32EnumAttrCase<"Read", 0, "read">, I32EnumAttrCase<"Write", 1, "write">,
    I32EnumAttrCase<"Arrive", 2, "arrive">, I32EnumAttrCase<"Fence", 3, "fence">,
    I32EnumAttrCase<"FenceProxyAsync", 4, "fence_proxy_async">]>;

def Titan_PtxEffectAttr : Titan_Attr<"PtxEffect", "ptx"> {
  let summary = "one effect of a titan.inline_ptx, of the operand of that number";
  let description = [{
    ```mlir
    #read = #titan.ptx<read 0>               // any bytes of the view or tensor, generic proxy
    #write = #titan.ptx<write 0, async>      // through the async proxy, done when it returns
    #arrive = #titan.ptx<arrive 1, 2>        // two arrivals of each thread on the mbarrier
    #fence = #titan.ptx<fence acq_rel, gpu>  // fence.acq_rel.gpu
    #proxy = #titan.ptx<fence_proxy_async>   // fence.proxy.async, all spaces
    ```
  }];
  let parameters = (ins AttrOrTypeParameter<"::titan::PtxDoes", "what it does">:$does,
      Titan_Int<"read, write, arrive: the number of the operand, from 0">:$operand,
      Titan_Flag<"read, write: through the async proxy">:$async,
      Titan_Int<"arrive: arrivals of each thread; 1 where it is left out">:$count,
      AttrOrTypeParameter<"::titan::MemorySem", "fence: its ordering">:$sem,
      AttrOrTypeParameter<"::titan::MemoryScope", "fence: its scope">:$scope);
  let syntax = "<$does ($operand)? (, async)? (, $count)? ($sem, $scope)?>";
  let hasCustomAssemblyFormat = 1;
}

def Titan_InlinePtxOp : Titan_HwOp<"inline_ptx", Titan_Needs<"InlinePtx">,
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a text of PTX, with operands, results, and what it does declared";
  let description = [{
    ```mlir
    %y = titan.inline_ptx "prmt.b32 $0, $1, $2, 0x5410;"(%a, %b) pure : (i32, i32) -> i32
    titan.elect warp(0) {
      titan.inline_ptx "st.shared.f32 [$0], $1;"(%view, %x) does [#titan.ptx<write 0>]
          : (!titan.shared<1xf32>, f32) -> ()
    }
    ```
    Each active thread executes it (by all lanes of a warp, the store above would be a race).
    `$0`, `$1`, ... are the results, then the operands; `$$` is a dollar sign. A 16-bit
    value is an `.b16` register, i32, shared memory (its address in the window of shared memory) and mbarriers are `.b32`, i64, index and global tensors (their
    address) `.b64`, f32 and f64 are themselves. With register tiles the text is executed for
    each register of a thread: tiles have one shape and layout, and scalars are the same for all.

    `pure`: the results follow from the operands, and nothing else happens; a `pure` text
    is executed by `titan run` where `reference(@f)` names a func.func of the same types (of the elements,
    where there are tiles) that computes it. `does [...]` lists the effects.
    `opaque`: what it does is not declared; the checker says that it does not follow
    it.
  }];
  let arguments = (ins StrAttr:$text, Variadic<AnyType>:$operands, UnitAttr:$pure, UnitAttr:$opaque,
      OptionalAttr<TypedArrayAttrBase<Titan_PtxEffectAttr, "effects of a text of PTX">>:$does,
      OptionalAttr<FlatSymbolRefAttr>:$reference);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{ $text `(` $operands `)` (`pure` $pure^)? (`opaque` $opaque^)? (`does` $does^)?
      (`reference` `(` $reference^ `)`)? attr-dict `:` functional-type($operands, $results) }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The type of the tiles among operands and results; null: there are none.
    ::mlir::RankedTensorType getTileType();
    /// The letter of an inline assembly constraint for a value of this type; 0: no
    /// register holds it.
    static char getConstraint(::mlir::Type type);
  }];
}

#endif
