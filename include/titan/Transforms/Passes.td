//===- Passes.td - passes over titan IR --------------------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TRANSFORMS_PASSES_TD
#define TITAN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandPipes : Pass<"titan-expand-pipes", "::titan::KernelOp"> {
  let summary = "turns pipes into barriers, parities and stage counters";
  let description = [{
    After it there is one thing that is checked, simulated and compiled: every pipe
    has become a ring of full and a ring of empty barriers; every acquire and wait a
    wait on one of them, with stage and parity carried round the loops; the bytes
    that a full barrier expects are the sum over the copies that signal it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::titan::TitanDialect"];
}

def LowerCopies : Pass<"titan-lower-copies", "::titan::KernelOp"> {
  let summary = "turns each copy into what the variant chosen for it builds (docs/dispatch.md)";
  let description = [{
    After it no titan.copy_async or titan.copy is left. Of copies by schedule the launch
    region makes the tensor maps, one for all with the same parameters, and checks what
    only it can know; the body has coordinates, predicates, the bytes that barriers
    expect, and tensor copies.
  }];
  let options = [Option<"assertIndices", "assert-indices", "bool", /*default=*/"false",
      "titan.assert that each index of a copy is below its loop's extent">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::titan::TitanDialect"];
}

def ExpandExchanges : Pass<"titan-expand-exchanges", "::titan::KernelOp"> {
  let summary = "turns what warps hand to one another of tiles into stores, a barrier and loads";
  let description = [{
    After it no titan.convert_layout, titan.reduce, titan.scan or titan.gather goes
    `through` shared memory: each has become what it is, by operations that say what they
    touch.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::titan::TitanDialect"];
}

def Unroll : Pass<"titan-unroll", "::titan::KernelOp"> {
  let summary = "unrolls the loops marked titan.unroll, and names the registers of each panel";
  let description = [{
    `scf.for ... {titan.unroll}` with constant bounds becomes its iterations one after
    another; every titan.panel must then have a constant index, and becomes a
    titan.extract.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::titan::TitanDialect"];
}

def Inline : Pass<"titan-inline", "::mlir::ModuleOp"> {
  let summary = "functions go where kernels call them";
  let description = [{
    After it no kernel calls a function of the module: each call has become the
    function's body. A function that calls itself is [function-recursion].
  }];
}

def DropPoisonFlags : Pass<"titan-drop-poison-flags", "::titan::KernelOp"> {
  let summary = "numbers wrap and floats are any: what a run computes is what is compiled";
  let description = [{
    Flags that make a result poison where a promise is broken (`overflow<nsw, nuw>`, `exact`,
    `fastmath<nnan, ninf>`) are dropped: no command relies on them. Those that allow
    another result (`contract`, `reassoc`, `arcp`, `nsz`, `afn`) stay, for the compiler.
  }];
}

def InsertFences : Pass<"titan-insert-fences", "::mlir::ModuleOp"> {
  let summary = "puts the fences that are missing where they cost least (docs/fences.md)";
  let description = [{
    Kernels that say `titan.fences = "auto"`, or all of them, get the proxy, mbarrier-init, wgmma
    and tensormap fences without which the checker refuses them. The result is checked; where it is
    refused all the same nothing is changed: [fences-not-enough].
  }];
  let options = [Option<"all", "all", "bool", /*default=*/"false",
      "all kernels, not those alone that ask for it">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::titan::TitanDialect"];
}

def InsertWaits : Pass<"titan-insert-waits", "::mlir::ModuleOp"> {
  let summary = "s_waitcnt where waves of gfx942 have to wait, with the largest counts (docs/fences.md)";
  let description = [{
    Of kernels that say `titan.waits = "auto"`: before barriers and accesses to LDS the waits without
    which the checker refuses the kernel, each with the largest count that it accepts; and
    each wait for a token becomes one for a number.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::titan::TitanDialect"];
}

def CountedLoops : Pass<"titan-counted-loops", "::titan::KernelOp"> {
  let summary = "each scf.while that counts by a step becomes an scf.for";
  let description = [{
    The counter is compared by slt or ult, or by ne where it goes by 1 from at most the bound. Other loops say
    why they are none: `titan.uncounted`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PollLoops : Pass<"titan-poll-loops", "::titan::KernelOp"> {
  let summary = "each loop that asks an mbarrier until it says yes becomes a wait";
  let description = [{
    An scf.while that does nothing but titan.mbarrier.test_wait, as long as the answer is no,
    is a titan.mbarrier.wait.
  }];
  let dependentDialects = ["::titan::TitanDialect"];
}

def DealTickets : Pass<"titan-deal-tickets", "::titan::KernelOp"> {
  let summary = "work that CTAs take from a counter is dealt out in turn (titan check)";
  let description = [{
    A pipe's slots hold letters, each of which is what `titan.atom add` of one brought from a counter
    in global memory. Loops that run while a letter is below a bound become loops over the
    letters that CTA c gets where CTAs take turns: c, c + CTAs, c + 2 CTAs, ... (MM-121).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::titan::TitanDialect"];
}

def AlignCopies : Pass<"titan-align-copies", "::titan::KernelOp"> {
  let summary = "the launch checks where bulk copies and cp.async begin";
  let description = [{
    What only the launch knows of the addresses at which bulk copies (16 bytes) and cp.async (as many
    as a thread copies) begin in global memory: `titan.alignment` of the tensors is raised, and strides
    whose remainders nothing shows are required to be multiples (titan.require).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::titan::TitanDialect"];
}

def SinkTiles : Pass<"titan-sink-tiles", "::titan::KernelOp"> {
  let summary = "constant tiles stand in the partitions that use them";
  let description = [{
    A tile's layout is that of the warps of a partition. Folding has moved constants
    to the head of the kernel's body; each partition gets back those that it uses.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ReferencePtx : Pass<"titan-reference-ptx", "::mlir::ModuleOp"> {
  let summary = "texts of PTX become what their references compute (titan run)";
  let description = [{
    A `pure` titan.inline_ptx with a reference becomes the body of that function, its
    operations on the tiles that the text is executed for.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::titan::TitanDialect"];
}

def NarrowIndices : Pass<"titan-narrow-indices"> {
  let summary = "computes in 32 bits what ranges prove to fit them";
  let description = [{
    Of loops over `index` whose counter, with the step that leaves them, is below 2^32,
    the counter becomes an i32; integer arithmetic becomes that of 32 bits where operands
    and results fit. Ranges are those of MLIR's integer range analysis; parameters of a
    function have those of their `llvm.range`.

    ```mlir
    // n in [0, 2^26]
    scf.for %i = %c0 to %n step %c1 {      scf.for unsigned %j = 0 to %n32 step 1 : i32 {
      use %i : index                  ->     %i = arith.index_castui %j : i32 to index
    }                                        use %i : index
                                           }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif
