// Mistakes around titan.copy_async and the barrier that it signals: each message advises what leads back to the
// program below, which is right.
//
// RUN: titan check %s
//
// The order of CUDA's arrive_expect_tx: the phase completes before the copy's bytes are expected.
// VARIANT order: before copy add titan.mbarrier.arrive %full[%slot : index] : !bar
// VARIANT order: drop signal
// RUN: %variant order %s > %t.order
// RUN: not titan check %t.order --kernel sums 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: [barrier-bytes] CTA 0, partition load, warp 0, elected lane, iteration 0 has arrived at barrier %full[0] of CTA 0 before this copy
// ORDER: note: arrives here
// ORDER: fix: put the titan.mbarrier.arrive behind the titan.copy_async (which expects its own bytes)
// ORDER: refused: 1 error, 0 warnings
//
// Whoever counts the other arrivals of the phase sees it, too.
// VARIANT two: replace count with titan.mbarrier.init %full count(2) : !bar
// VARIANT two: after signal add titan.mbarrier.arrive %full[%slot : index] : !bar
// RUN: %variant two %s > %t.two
// RUN: titan check %t.two --kernel sums
// VARIANT other: as order
// VARIANT other: replace count with titan.mbarrier.init %full count(2) : !bar
// VARIANT other: before full_wait add titan.elect warp(0) { titan.mbarrier.arrive %full[%slot : index] : !bar }
// RUN: %variant other %s > %t.other
// RUN: not titan check %t.other --kernel sums 2>&1 | FileCheck %s --check-prefix=ORDER
//
// The copy's bytes are expected a second time, by hand.
// VARIANT twice: replace signal with titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !bar
// RUN: %variant twice %s > %t.twice
// RUN: not titan check %t.twice --kernel sums 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: [barrier-bytes] phase 0 of barrier %full[0] of CTA 0 expects 14336 bytes, and the copies that complete on it bring 7168
// TWICE-NEXT: titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !bar
// TWICE: fix: titan.copy_async expects its own bytes: write titan.mbarrier.arrive here
// RUN: not titan run %t.twice --kernel sums --shape X=70x300 --arg X=ints:1 2>&1 | FileCheck %s --check-prefix=HANGS
// HANGS: error: [deadlock]
// HANGS: fix: phase 0 of barrier %full[0] expects 7168 bytes more than its copies bring; 'titan check {{.*}}.twice' follows the cause, and its fix says what to change
// VARIANT added: before signal add titan.mbarrier.expect_tx %full[%slot : index], %bytes : !bar
// RUN: %variant added %s > %t.added
// RUN: not titan check %t.added --kernel sums 2>&1 | FileCheck %s --check-prefix=ADDED
// ADDED: fix: titan.copy_async expects its own bytes: take this titan.mbarrier.expect_tx away
// VARIANT before: before copy add titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !bar
// VARIANT before: drop signal
// RUN: %variant before %s > %t.before
// RUN: not titan check %t.before --kernel sums 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: error: [barrier-bytes] phase 0 of barrier %full[0] of CTA 0 expects 14336 bytes
// BEFORE: fix: titan.copy_async expects its own bytes: write titan.mbarrier.arrive behind it, and not 'titan.mbarrier.arrive_expect_tx' before it
// VARIANT rest: replace rest with %rest = arith.constant 8192 : i32
// RUN: %variant rest %s > %t.rest
// RUN: not titan check %t.rest --kernel pair 2>&1 | FileCheck %s --check-prefix=REST
// REST: fix: titan.copy_async expects its own bytes: expect 4096 here, those of the rest
//
// The consumer starts with the parity of a free slot: it passes its first waits at once.
// VARIANT parity: replace par with %par1 = arith.addi %round, %c1 : index %par = arith.remui %par1, %c2 : index
// RUN: %variant parity %s > %t.parity
// RUN: not titan check %t.parity --kernel sums 2>&1 | FileCheck %s --check-prefix=PARITY --implicit-check-not=error:
// PARITY: error: [phase-parity] this wait returns before the phase that 'titan.copy_async' (tma) completes
// PARITY-NEXT: titan.mbarrier.wait %full[%slot : index]
// PARITY: accessed here by CTA 0, partition sum, warp {{[0-3]}}, iteration 0
// PARITY: fix: wait for parity 0 here: the next wait of this thread on %full[0] of CTA 0 is for its phase 0
//
// One warp frees the slot that four read: those of one CTA are counted.
// VARIANT one: replace ring with !ring = !titan.shared<32x56xf32, slots = 1>
// VARIANT one: replace bar with !bar = !titan.mbarrier<1>
// VARIANT one: replace c3 with %c3 = arith.constant 1 : index
// RUN: %variant one %s > %t.one
// RUN: titan check %t.one --kernel sums
// VARIANT free: as one
// VARIANT free: replace empty with titan.mbarrier.init %empty count(1) : !bar
// VARIANT free: replace free with titan.elect warp(0) {
// RUN: %variant free %s > %t.free
// RUN: not titan check %t.free --kernel sums --war=off 2>&1 | FileCheck %s --check-prefix=FREE
// FREE: fix: let each of the 4 warps that wait here arrive at %empty of CTA 0, with count(4) and not 1
//
// All lanes do what one of them should.
// VARIANT lanes: replace free with scf.for %once = %c0 to %c1 step %c1 {
// RUN: %variant lanes %s > %t.lanes
// RUN: not titan check %t.lanes --kernel sums 2>&1 | FileCheck %s --check-prefix=LANES
// LANES: fix: put the arrival under titan.elect (one lane of each warp arrives); or initialise %empty[0] of CTA 0 with count(128): 128 arrive in a phase, and it counts 4
// VARIANT count: as lanes
// VARIANT count: replace empty with titan.mbarrier.init %empty count(1) : !bar
// RUN: %variant count %s > %t.count
// RUN: not titan check %t.count --kernel sums 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: fix: put the arrival under titan.elect (one lane of each warp arrives), with count(4); or initialise %empty[0] of CTA 0 with count(128): 128 arrive in a phase, and it counts 1
//
// Several threads initialise a barrier.
// VARIANT warps: replace once with titan.elect {
// RUN: %variant warps %s > %t.warps
// RUN: not titan check %t.warps --kernel sums 2>&1 | FileCheck %s --check-prefix=WARPS
// WARPS: error: [barrier-live] several warps initialise barrier %full[{{[0-2]}}] of CTA 0: one thread must
// WARPS: fix: write titan.elect warp(0) for the titan.elect around it, which elects a thread of each warp; titan.cta_sync before another warp uses the barrier
// WARPS: refused: 1 error, 0 warnings
// VARIANT all: replace once with scf.for %once = %c0 to %c1 step %c1 {
// RUN: %variant all %s > %t.all
// RUN: not titan check %t.all --kernel sums 2>&1 | FileCheck %s --check-prefix=INIT
// INIT: error: [barrier-live] every lane of the warp initialises barrier %full[{{[0-2]}}] of CTA 0: one thread must
// INIT: fix: let one thread of the CTA initialise it: titan.elect warp(0) { titan.mbarrier.init, titan.fence.mbarrier_init }, and titan.cta_sync behind it
// INIT-NOT: [barrier-init-fence]
// RUN: not titan run %t.warps --kernel sums --shape X=70x300 --arg X=ints:1 2>&1 | FileCheck %s --check-prefix=RUNS-WARPS
// RUNS-WARPS: error: [barrier-live] initialises barrier %full[{{[0-2]}}], which another warp has initialised
// RUNS-WARPS: fix: write titan.elect warp(0) for the titan.elect around it
// RUN: not titan run %t.all --kernel sums --shape X=70x300 --arg X=ints:1 2>&1 | FileCheck %s --check-prefix=RUNS-INIT
// RUNS-INIT: error: [barrier-live]
// RUNS-INIT: fix: let one thread of the CTA initialise it: titan.elect warp(0)
//
// Nobody arrives, and nobody is left who could; or those who could wait, too.
// VARIANT nobody: drop expect
// RUN: %variant nobody %s > %t.nobody
// RUN: not titan run %t.nobody --kernel pair --shape X=64x64 --arg X=ints:1 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: fix: phase 0 of barrier %full misses 1 of 1 arrivals, and nobody is left to bring them; 'titan check
// VARIANT circle: replace p with %p0 = arith.index_cast %round : index to i32
// VARIANT circle: replace empty_wait with titan.mbarrier.wait %empty[%slot : index] parity(%p0) : !bar
// RUN: %variant circle %s > %t.circle
// RUN: not titan run %t.circle --kernel sums --shape X=70x300 --arg X=ints:1 2>&1 | FileCheck %s --check-prefix=CIRCLE
// CIRCLE: fix: phase 0 of barrier %empty[0] misses 4 of 4 arrivals, and those who could bring them wait, too: let one of them signal before it waits; 'titan check
//
// A copy is missing.
// VARIANT missing: drop copy
// RUN: %variant missing %s > %t.missing
// RUN: not titan check %t.missing --kernel sums 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: [undefined-read] 'titan.shared.load' reads 1792 bytes of %ring (shared memory), of which nothing has written 1792, the first at its byte {{[0-9]+}}: CTA 0, partition sum
// MISSING: fix: copy or store to these bytes of %ring before 'titan.shared.load' reads them

#tile = #titan.schedule<tensor M x N Mo, Mi = split(M, 32) No, Ni = split(N, 56) bulk Mi, Ni>
!matrix = !titan.global<?x?xf32>
!ring = !titan.shared<32x56xf32, slots = 3> // @ring
!tile = !titan.shared<32x56xf32>
!regs = tensor<32x56xf32, #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>>
!bar = !titan.mbarrier<3> // @bar

titan.kernel @sums(%X: !matrix) warps(5) launch {
  %c32 = arith.constant 32 : index
  %c56 = arith.constant 56 : index
  %m = titan.dim %X, 0 : !matrix
  %n = titan.dim %X, 1 : !matrix
  %blocks = arith.ceildivui %m, %c32 : index
  %steps = arith.ceildivui %n, %c56 : index
  titan.launch grid(%blocks) with(%steps : index)
} body(%steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index // @c3
  %bytes = arith.constant 7168 : i32
  %ring = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  %block = titan.cta_id 0
  titan.elect warp(0) { // @once
    titan.mbarrier.init %full count(1) : !bar // @count
    titan.mbarrier.init %empty count(4) : !bar // @empty
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %steps step %c1 {
          %slot = arith.remui %i, %c3 : index
          %round = arith.divui %i, %c3 : index
          %next = arith.addi %round, %c1 : index
          %free = arith.remui %next, %c2 : index
          %p = arith.index_cast %free : index to i32 // @p
          titan.mbarrier.wait %empty[%slot : index] parity(%p) : !bar // @empty_wait
          %t = titan.shared.slot %ring[%slot : index] : !ring -> !tile
          titan.copy_async %X at(Mo = %block, No = %i) to %t signals %full[%slot : index] schedule(#tile) : !matrix, !tile, !bar // @copy
          titan.mbarrier.arrive %full[%slot : index] : !bar // @signal
        }
      }
    }
    titan.partition "sum" warps(4) {
      scf.for %i = %c0 to %steps step %c1 {
        %slot = arith.remui %i, %c3 : index
        %round = arith.divui %i, %c3 : index
        %par = arith.remui %round, %c2 : index // @par
        %p = arith.index_cast %par : index to i32
        titan.mbarrier.wait %full[%slot : index] parity(%p) : !bar // @full_wait
        %t = titan.shared.slot %ring[%slot : index] : !ring -> !tile
        %v = titan.shared.load %t : !tile -> !regs
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        titan.elect { // @free
          titan.mbarrier.arrive %empty[%slot : index] : !bar
        }
      }
    }
  }
  titan.return
}

// One copy by schedule, and one by hand.
!map = !titan.tensor_map<32x32xf32>
!half = !titan.shared<32x32xf32>
#half = #titan.schedule<tensor M x N Mo, Mi = split(M, 32) No, Ni = split(N, 32) bulk Mi, Ni>
titan.kernel @pair(%X: !matrix) warps(1) launch {
  %c1 = arith.constant 1 : index
  %mapX = titan.tensor_map %X : !matrix -> !map
  titan.launch grid(%c1) with(%mapX : !map)
} body(%mapX: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %rest = arith.constant 4096 : i32 // @rest
  %a = titan.shared.alloc : !half
  %b = titan.shared.alloc : !half
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.copy_async %X at(Mo = %c0, No = %c0) to %a signals %full schedule(#half) : !matrix, !half, !titan.mbarrier
    titan.mbarrier.arrive_expect_tx %full, %rest : !titan.mbarrier // @expect
    titan.tma.load %mapX[%c0, %c0], %b, %full : !map, !half, !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
  }
  titan.return
}
