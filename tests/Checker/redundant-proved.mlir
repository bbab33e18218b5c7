// --redundant, of a kernel that is proved: what only the proof needs is told as a group of its own; and waits for flags.
//
// The last release of all is waited for by nobody: the search finds the same without it, the proof counts it.
// RUN: titan check %s --kernel tail | FileCheck %s --check-prefix=PROVED
// PROVED: proved, for every size that the launch admits
// RUN: titan check %s --kernel tail --redundant 2>&1 | FileCheck %s --check-prefix=TAIL --implicit-check-not="'titan.mbarrier.arrive' of @tail orders nothing"
// TAIL: [[#@LINE+114]]:11: remark: [orders-nothing] 'titan.mbarrier.arrive' of @tail: the proof needs it; without it the kernel is searched, and nothing is found
// TAIL: fix: leave it where it is, or do without the proof
// TAIL: @tail: {{[0-9]+}} of {{[0-9]+}} fences and waits order nothing; the proof alone needs {{[1-9][0-9]*}}; {{[0-9]+}} checks, and what is left is proved as before
// RUN: titan check %s --kernel tail --redundant --json | FileCheck %s --check-prefix=JSON
// JSON: "code": "orders-nothing"
// JSON: 'titan.mbarrier.arrive' of @tail: the proof needs it
// JSON: "severity": "note"
// JSON: "proof_needs": {{[1-9]}}
// RUN: titan check %s --kernel tail --redundant --sarif | FileCheck %s --check-prefix=SARIF
// SARIF: "level": "note"
// SARIF: 'titan.mbarrier.arrive' of @tail: the proof needs it
// RUN: titan check %s --kernel tail --redundant --orders-nothing=ignored 2>&1 | FileCheck %s --check-prefix=IGNORED --implicit-check-not=orders-nothing
// IGNORED: the proof alone needs
// RUN: titan check %s --kernel tail --redundant --proof=off 2>&1 | FileCheck %s --check-prefix=SEARCH
// SEARCH: [orders-nothing] 'titan.mbarrier.arrive' of @tail orders nothing: without this arrival the checker finds the same
// SEARCH: @tail: {{[0-9]+}} of {{[0-9]+}} fences and waits order nothing; {{[0-9]+}} checks, by the search alone
//
// The second wait of two for one number.
// RUN: titan check %s --kernel grid --redundant 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: @grid: 0 of 1 fences and waits order nothing
// VARIANT twice: after wait add titan.flag.wait %count[%c0], %n32 : !word
// RUN: %variant twice %s | titan check - --kernel grid --redundant 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: [orders-nothing] 'titan.flag.wait' of @grid orders nothing: without this wait the checker finds the same; proved without it
// TWICE: @grid: 1 of 2 fences and waits order nothing

!matrix = !titan.global<?x?xf32>
!map    = !titan.tensor_map<64x32xf32, swizzle = 128>
!tile   = !titan.shared<64x32xf32, swizzle = 128>
!regs   = tensor<64x32xf32, #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [4, 1]>>
!bulk   = !titan.token<bulk>
!ring = !titan.shared<64x32xf32, swizzle = 128, slots = 2>
!bars = !titan.mbarrier<2>
titan.kernel @tail(%X: !matrix, %Y: !matrix) warps(5) attributes {titan.example = {sizes = {M = 150, N = 300}, X = "MxN random:1", Y = "Mx32"}} launch {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %m = titan.dim %X, 0 : !matrix
  %n = titan.dim %X, 1 : !matrix
  %rows = arith.ceildivui %m, %c64 : index
  %columns = arith.ceildivui %n, %c32 : index
  %mapX = titan.tensor_map %X : !matrix -> !map
  %mapY = titan.tensor_map %Y : !matrix -> !map
  titan.launch grid(%rows) with(%mapX, %mapY, %columns : !map, !map, index)
} body(%mapX: !map, %mapY: !map, %columns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i3 = arith.constant 3 : i32
  %bytes = arith.constant 8192 : i32
  %block = titan.cta_id 0
  %row = arith.muli %block, %c64 : index
  %zero = arith.constant 0.0 : f32
  %x = titan.shared.alloc : !ring
  %y = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(4) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %columns step %c1 {
          %col = arith.muli %i, %c32 : index
          %s = arith.remui %i, %c2 : index
          %r = arith.divui %i, %c2 : index
          %r1 = arith.addi %r, %c1 : index
          %odd = arith.remui %r1, %c2 : index
          %p = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %empty[%s : index] parity(%p) : !bars
          titan.fence.proxy_async shared_cta
          titan.mbarrier.arrive_expect_tx %full[%s : index], %bytes : !bars
          %slot = titan.shared.slot %x[%s : index] : !ring -> !tile
          titan.tma.load %mapX[%row, %col], %slot, %full[%s : index] : !map, !tile, !bars
        }
      }
    }
    titan.partition "compute" warps(4) {
      %z = titan.splat %zero : f32 -> !regs
      %x0 = titan.shared.slot %x[%c0 : index] : !ring -> !tile
      %x1 = titan.shared.slot %x[%c1 : index] : !ring -> !tile
      %left = arith.remui %columns, %c2 : index
      %even = arith.subi %columns, %left : index
      %sum:2 = scf.for %h = %c0 to %even step %c2 iter_args(%acc = %z, %p = %i0) -> (!regs, i32) {
        titan.mbarrier.wait %full[%c0 : index] parity(%p) : !bars
        %v0 = titan.shared.load %x0 : !tile -> !regs
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%c0 : index] : !bars
        }
        %a0 = arith.addf %acc, %v0 : !regs
        titan.mbarrier.wait %full[%c1 : index] parity(%p) : !bars
        %v1 = titan.shared.load %x1 : !tile -> !regs
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%c1 : index] : !bars
        }
        %a1 = arith.addf %a0, %v1 : !regs
        %o = arith.xori %p, %i1 : i32
        scf.yield %a1, %o : !regs, i32
      }
      %any = arith.cmpi ne, %left, %c0 : index
      %total = scf.if %any -> (!regs) {
        titan.mbarrier.wait %full[%c0 : index] parity(%sum#1) : !bars
        %v0 = titan.shared.load %x0 : !tile -> !regs
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%c0 : index] : !bars
        }
        %a0 = arith.addf %sum#0, %v0 : !regs
        scf.yield %a0 : !regs
      } else {
        scf.yield %sum#0 : !regs
      }
      titan.shared.store %total, %y : !regs, !tile
      titan.fence.proxy_async shared_cta
      titan.barrier.sync 1 threads(128)
      titan.elect warp(0) {
        titan.tma.store %y, %mapY[%row, %c0] : !tile, !map
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
  }
  titan.return
}

!words = !titan.global<?xi32>
!word = !titan.global<1xi32>
titan.kernel @grid(%W: !words, %Z: !words, %count: !word) warps(1) attributes {titan.initial = {count = 0}, titan.example = {sizes = {N = 5}, W = "N", Z = "N", count = "1 zeros", multiprocessor_count = 8}} launch {
  %n = titan.dim %W, 0 : !words
  %nz = titan.dim %Z, 0 : !words
  %same = arith.cmpi eq, %n, %nz : index
  titan.require %same, "launch-check", "W and Z are of one size"
  %sms = titan.device_property "multiprocessor_count"
  %fits = arith.cmpi ule, %n, %sms : index
  titan.require %fits, "launch-check", "all CTAs are there at once"
  titan.launch grid(%n) with(%n : index)
} body(%nc: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %block = titan.cta_id 0
  %n32 = arith.index_cast %nc : index to i32
  %v32 = arith.index_cast %block : index to i32
  titan.elect warp(0) {
    titan.st %v32, %W[%block] : i32, !words
    titan.flag.signal %count[%c0], %i1 : !word
    titan.flag.wait %count[%c0], %n32 : !word // @wait
    %nx = arith.addi %block, %c1 : index
    %o = arith.remui %nx, %nc : index
    %x = titan.ld %W[%o] : !words -> i32
    titan.st %x, %Z[%block] : i32, !words
  }
  titan.return
}
