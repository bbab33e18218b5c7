// What a finding advises where slots do not fit together: a signal at another barrier than the one that is waited for,
// a copy into another slot than its barrier's; and of a loop's warps, what comes first.
//
// RUN: titan check %s | FileCheck %s --check-prefix=GOOD
// GOOD: @ring: accepted
// GOOD: @once: accepted
//
// The copies of all iterations signal slot 0: their bytes are expected at the slot of their iteration.
// VARIANT stray: in copy `%full[%s :` -> `%full[%i0 :`
// RUN: %variant stray %s | not titan check - --kernel ring 2>&1 | FileCheck %s --check-prefix=STRAY
// STRAY: error: [barrier-bytes]
// STRAY: note: its bytes are expected here, at %full[1]
// STRAY: fix: let 'titan.tma.load' (line [[#]]) signal %full[1], where its thread has expected its 8192 bytes, for which 'titan.mbarrier.wait' (line [[#]]) waits: in iteration 1 it signals %full[0]
//
// So they are expected at one slot, at which all arrive.
// VARIANT expects: in expect `%full[%s :` -> `%full[%i0 :`
// RUN: %variant expects %s | not titan check - --kernel ring 2>&1 | FileCheck %s --check-prefix=EXPECTS
// EXPECTS: fix: nothing ever arrives at %full[1], for which 'titan.mbarrier.wait' (line [[#]]) waits, and %full[0] gets more arrivals than are waited for: let each use arrive at its own slot
//
// VARIANT fills: in fills `%x[%s :` -> `%x[%i0 :`
// RUN: %variant fills %s | not titan check - --kernel ring 2>&1 | FileCheck %s --check-prefix=FILLS
// FILLS: fix: in iteration 1 'titan.tma.load' (line [[#]]) fills slot 0 of %x, and signals %full[1]: let both be of one slot
// VARIANT reads: in reads `%x[%s :` -> `%x[%i0 :`
// RUN: %variant reads %s | not titan check - --kernel ring 2>&1 | FileCheck %s --check-prefix=READS
// READS: fix: in iteration 1 'titan.shared.load' (line [[#]]) reads slot 0 of %x behind its wait for %full[1]: let both be of one slot
//
// The store of the next iteration overwrites what the copy reads: only the warp that has waited knows that it is over.
// VARIANT meets: drop meets
// RUN: %variant meets %s | not titan check - --kernel ring 2>&1 | FileCheck %s --check-prefix=MEETS
// MEETS: error: [completion-not-observed] 'titan.shared.store' writes shared memory through the generic proxy that 'titan.tma.store' reads through the async proxy, and its completion has not been observed
// MEETS: note: read here by partition compute, warp 0, elected lane, iteration 0
// MEETS: fix: put a barrier between 'titan.bulk.wait' (line [[#]]), by which its thread knows that the copy is over, and 'titan.shared.store' (line [[#]]) of the next iteration
//
// No phase is before the first one.
// VARIANT keeps: in flips `%w, %o, %p` -> `%w, %p, %p`
// RUN: %variant keeps %s | not titan check - --kernel ring 2>&1 | FileCheck %s --check-prefix=KEEPS --implicit-check-not="phase -1"
// KEEPS: fix: partition load, warp 0 waits twice for the phase before the first one of %empty[0] (parity 1): its next wait there takes parity 0
//
// Of two slots that are used once: one copy signals the other one's barrier; a wait's parity is wrong, and its index the
// same number.
// VARIANT same: in second `%full[%c1` -> `%full[%c0`
// RUN: %variant same %s | not titan check - --kernel once 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: fix: let 'titan.tma.load' (line [[#]]) signal %full[1], where its thread has expected its 8192 bytes, for which 'titan.mbarrier.wait' (line [[#]]) waits: it signals %full[0]
// VARIANT parity: in parity `parity(%zero)` -> `parity(%one)`
// RUN: %variant parity %s > %t.mlir
// RUN: titan check %t.mlir --kernel once --fix -o %t.fixed.mlir | FileCheck %s --check-prefix=PARITY
// PARITY: 1 edit
// PARITY-NEXT: constant 1 : i32 becomes constant 0 : i32
//
// Bytes that are expected behind their copy: what the proof misses is their order.
// VARIANT behind: drop expect
// VARIANT behind: after copy add titan.mbarrier.arrive_expect_tx %full[%s : i32], %bytes : !bars
// RUN: %variant behind %s | titan check - --kernel ring | FileCheck %s --check-prefix=BEHIND
// BEHIND: searched, not proved: line [[#]]: this copies 8192 bytes, of which its thread has expected 0 for use 0: it does so only behind the copy (move 'titan.mbarrier.arrive_expect_tx' (line [[#]]) before the copy)

!matrix = !titan.global<?x?xf32>
!map    = !titan.tensor_map<64x32xf32, swizzle = 128>
!tile   = !titan.shared<64x32xf32, swizzle = 128>
!regs   = tensor<64x32xf32, #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [4, 1]>>
!bulk   = !titan.token<bulk>
!ring = !titan.shared<64x32xf32, swizzle = 128, slots = 3>
!bars = !titan.mbarrier<3>
titan.kernel @ring(%X: !matrix, %Y: !matrix) warps(5) attributes {titan.example = {sizes = {M = 150, N = 300}, X = "MxN random:1", Y = "MxN"}} launch {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %m = titan.dim %X, 0 : !matrix
  %n = titan.dim %X, 1 : !matrix
  %mY = titan.dim %Y, 0 : !matrix
  %nY = titan.dim %Y, 1 : !matrix
  %is_mY = arith.cmpi eq, %mY, %m : index
  %is_nY = arith.cmpi eq, %nY, %n : index
  titan.require %is_mY, "launch-check", "Y has a row for each row of X"
  titan.require %is_nY, "launch-check", "Y has a column for each column of X"
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
        scf.for %i = %c0 to %columns step %c1 iter_args(%s = %i0, %p = %i1) -> (i32, i32) {
          %col = arith.muli %i, %c32 : index
          titan.mbarrier.wait %empty[%s : i32] parity(%p) : !bars
          titan.mbarrier.arrive_expect_tx %full[%s : i32], %bytes : !bars // @expect
          %slot = titan.shared.slot %x[%s : i32] : !ring -> !tile // @fills
          titan.tma.load %mapX[%row, %col], %slot, %full[%s : i32] : !map, !tile, !bars // @copy
          %n = arith.addi %s, %i1 : i32
          %w = arith.cmpi eq, %n, %i3 : i32
          %sn = arith.select %w, %i0, %n : i32
          %o = arith.xori %p, %i1 : i32
          %pn = arith.select %w, %o, %p : i32 // @flips
          scf.yield %sn, %pn : i32, i32
        }
      }
    }
    titan.partition "compute" warps(4) {
      scf.for %i = %c0 to %columns step %c1 iter_args(%s = %i0, %p = %i0) -> (i32, i32) {
        %col = arith.muli %i, %c32 : index
        titan.mbarrier.wait %full[%s : i32] parity(%p) : !bars
        %slot = titan.shared.slot %x[%s : i32] : !ring -> !tile // @reads
        %v = titan.shared.load %slot : !tile -> !regs
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%s : i32] : !bars
        }
        %v2 = arith.addf %v, %v : !regs
        titan.shared.store %v2, %y : !regs, !tile
        titan.fence.proxy_async shared_cta
        titan.barrier.sync 1 threads(128)
        titan.elect warp(0) {
          titan.tma.store %y, %mapY[%row, %col] : !tile, !map
          %g = titan.bulk.commit : !bulk
          titan.bulk.wait %g read : !bulk
        }
        titan.barrier.sync 1 threads(128) // @meets
        %n = arith.addi %s, %i1 : i32
        %w = arith.cmpi eq, %n, %i3 : i32
        %sn = arith.select %w, %i0, %n : i32
        %o = arith.xori %p, %i1 : i32
        %pn = arith.select %w, %o, %p : i32
        scf.yield %sn, %pn : i32, i32
      }
    }
  }
  titan.return
}

titan.kernel @once(%X: !matrix, %Y: !matrix) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapX = titan.tensor_map %X : !matrix -> !map
  %mapY = titan.tensor_map %Y : !matrix -> !map
  titan.launch grid(%c1) with(%mapX, %mapY : !map, !map)
} body(%mapX: !map, %mapY: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %x = titan.shared.alloc : !ring
  %y = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier<2>
  %x0 = titan.shared.slot %x[%c0 : index] : !ring -> !tile
  %x1 = titan.shared.slot %x[%c1 : index] : !ring -> !tile
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !titan.mbarrier<2>
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full[%c0 : index], %bytes : !titan.mbarrier<2>
    titan.tma.load %mapX[%c0, %c0], %x0, %full[%c0 : index] : !map, !tile, !titan.mbarrier<2>
    titan.mbarrier.arrive_expect_tx %full[%c1 : index], %bytes : !titan.mbarrier<2>
    titan.tma.load %mapX[%c0, %c32], %x1, %full[%c1 : index] : !map, !tile, !titan.mbarrier<2> // @second
  }
  titan.cta_sync
  titan.mbarrier.wait %full[%c0 : index] parity(%zero) : !titan.mbarrier<2>
  %a = titan.shared.load %x0 : !tile -> !regs
  titan.mbarrier.wait %full[%c1 : index] parity(%zero) : !titan.mbarrier<2> // @parity
  %b = titan.shared.load %x1 : !tile -> !regs
  %sum = arith.addf %a, %b : !regs
  titan.shared.store %sum, %y : !regs, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %y, %mapY[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}
