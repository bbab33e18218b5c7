// What a finding advises where arrivals or bytes do not add up: arrivals that are dropped, those of copies, and bytes of
// more than one use of a slot.
//
// RUN: titan check %s
// RUN: titan run %s --kernel drops
//
// A warp each drops its arrival; behind the phase nothing is counted.
// VARIANT drops_four: in three `count(3)` -> `count(4)`
// RUN: %variant drops_four %s | not titan check - --kernel drops 2>&1 | FileCheck %s --check-prefix=DROPS-FOUR
// DROPS-FOUR: error: [barrier-arrivals] this wait never returns: phase 0 of barrier %bar has 3 of 4 arrivals
// DROPS-FOUR: fix: initialise %bar with count(3), or let each phase have 1 more: 3 arrive in a phase, and it counts 4
// VARIANT drops_two: in three `count(3)` -> `count(2)`
// RUN: %variant drops_two %s | not titan check - --kernel drops 2>&1 | FileCheck %s --check-prefix=DROPS-TWO
// DROPS-TWO: error: [phase-ambiguous] the arrival at barrier %bar is meant for its phase 1
// DROPS-TWO: fix: initialise %bar with count(3), or take 1 of the arrivals away: 3 arrive in a phase, and it counts 2
//
// One takes part in the first phase alone.
// VARIANT stays: in last `arrive_drop` -> `arrive`
// RUN: %variant stays %s | not titan check - --kernel leaves 2>&1 | FileCheck %s --check-prefix=STAYS
// STAYS: error: [deadlock]
// STAYS: fix: partition goes, warp 0 arrived at %b in phase 0, and does not in phase 1: let it arrive in each phase, or make its last arrival a titan.mbarrier.arrive_drop
//
// Arrivals of copies: they count with `noinc` alone.
// VARIANT both: in copies `%b :` -> `%b noinc :`
// RUN: %variant both %s | not titan check - --kernel copies 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: fix: without `noinc` 'titan.cp_async.mbarrier_arrive' takes no part in the count of %b, and the arrivals beside it fill that: leave `noinc` out, or initialise with count(256)
// VARIANT none: drop arrives
// RUN: %variant none %s | not titan check - --kernel copies 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: [deadlock]
// NONE: fix: 'titan.cp_async.mbarrier_arrive' adds the arrivals that it makes to the phase: write `noinc`, or let each thread arrive behind it (titan.mbarrier.arrive), as count(128) says
// VARIANT four: in all `count(128)` -> `count(4)`
// RUN: %variant four %s | not titan check - --kernel copies 2>&1 | FileCheck %s --check-prefix=FOUR
// FOUR: error: [barrier-arrivals]
// FOUR-NOT: titan.elect
// FOUR: fix: initialise %b with count(128), or take 124 of the arrivals away: 128 arrive in a phase, and it counts 4
// VARIANT never: drop arrives
// VARIANT never: drop copies
// VARIANT never: drop waits
// RUN: %variant never %s | not titan check - --kernel copies 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: error: [token-not-discharged] no group holds this operation
// NEVER: fix: commit it to a group of its mechanism behind this (cp.async.commit_group), by the thread that issues it, and wait for that group; or let titan.cp_async.mbarrier_arrive behind it tell a barrier of its end
//
// A slot is filled again before it is known to have been read; or each use signals one slot of the ring.
// VARIANT ahead: drop room
// RUN: %variant ahead %s | not titan check - --kernel peers 2>&1 | FileCheck %s --check-prefix=AHEAD
// AHEAD: error: [barrier-bytes] phase 0 of barrier %full[0] of CTA 1 expects 2048 bytes, and the copies that complete on it bring 4096
// AHEAD: fix: each 'titan.st_async' brings the bytes that are expected, and this phase has those of iterations 0 and 2: before a copy fills the slot again let its thread wait until who waits for %full[0] of CTA 1 has read it
// VARIANT slot: in sends `%pfull[%s : index]` -> `%pfull[%c0 : index]`
// RUN: %variant slot %s | not titan check - --kernel peers 2>&1 | FileCheck %s --check-prefix=SLOT
// SLOT: error: [barrier-bytes] phase 0 of barrier %full[0] of CTA 1
// SLOT: fix: each 'titan.st_async' brings the bytes that are expected, and this phase has those of iterations 0 and 1: let iteration n signal slot n mod 2 of the ring
//
// Half of what the warps send is expected.
// VARIANT half: in bytes `2048` -> `1024`
// RUN: %variant half %s | not titan check - --kernel once 2>&1 | FileCheck %s --check-prefix=HALF --implicit-check-not=error:
// HALF: error: [barrier-bytes] phase 0 of barrier %full of CTA {{[01]}} expects 1024 bytes, and the copies that are meant for it bring 2048
// HALF-NOT: elected lane: 'titan.st_async'
// HALF: fix: expect 2048 bytes at %full of CTA {{[01]}} in each phase

#w = #titan.blocked<elements = [4], lanes = [32], warps = [4]>
!vec = !titan.global<512xf32>
!ints = !titan.global<?xi32>
!tile = !titan.shared<512xf32>
!idx = tensor<512xi32, #w>
!regs = tensor<512xf32, #w>
!bar = !titan.mbarrier
!ring = !titan.shared<512xi32, slots = 2>
!pring = !titan.shared<512xi32, slots = 2, cluster>
!slot = !titan.shared<512xi32>
!pslot = !titan.shared<512xi32, cluster>
!bars = !titan.mbarrier<2>
!pbars = !titan.mbarrier<2, cluster>
!pbar = !titan.mbarrier<cluster>
!words = tensor<512xi32, #w>

titan.kernel @drops() warps(3) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %bar = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %bar count(3) : !bar // @three
  }
  titan.cta_sync
  titan.elect {
    titan.mbarrier.arrive_drop %bar : !bar
  }
  titan.mbarrier.wait %bar parity(%i0) : !bar
  titan.return
}

titan.kernel @leaves() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i1 = arith.constant 1 : i32
  %b = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %b count(2) : !bar
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "stays" warps(1) {
      scf.for %i = %c0 to %c4 step %c1 {
        %ii = arith.index_cast %i : index to i32
        %par = arith.andi %ii, %i1 : i32
        titan.elect {
          titan.mbarrier.arrive %b : !bar
        }
        titan.mbarrier.wait %b parity(%par) : !bar
      }
    }
    titan.partition "goes" warps(1) {
      titan.elect {
        titan.mbarrier.arrive_drop %b : !bar // @last
      }
    }
  }
  titan.return
}

titan.kernel @copies(%X: !vec) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %t = titan.shared.alloc : !tile
  %b = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %b count(128) : !bar // @all
  }
  titan.cta_sync
  %i = titan.coordinate 0 : !idx
  titan.cp_async %X[%i], %t bytes(16) : !vec, !idx -> !tile
  titan.cp_async.mbarrier_arrive %b : !bar // @copies
  titan.mbarrier.arrive %b : !bar // @arrives
  titan.mbarrier.wait %b parity(%i0) : !bar // @waits
  titan.return
}

titan.kernel @peers(%X: !ints) warps(4) cluster(2, 1, 1) launch {
  %c2 = arith.constant 2 : index
  %n = titan.dim %X, 0 : !ints
  titan.launch grid(%c2) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 2048 : i32
  %ring = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  %rank = titan.cluster_rank
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(4) : !bars
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive
  titan.cluster.wait
  %x = titan.coordinate 0 : !words
  %first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %first {
    %pring = titan.map_rank %ring, %i1 : !ring -> !pring
    %pfull = titan.map_rank %full, %i1 : !bars -> !pbars
    scf.for %t = %c0 to %n step %c1 {
      %s = arith.remui %t, %c2 : index
      %u = arith.divui %t, %c2 : index
      %p = arith.remui %u, %c2 : index
      %p32 = arith.index_cast %p : index to i32
      %par = arith.xori %p32, %i1 : i32
      titan.mbarrier.wait %empty[%s : index] parity(%par) scope(cluster) : !bars // @room
      %slot = titan.shared.slot %pring[%s : index] : !pring -> !pslot
      titan.st_async %x, %slot, %pfull[%s : index] : !words, !pslot, !pbars // @sends
    }
  } else {
    %pempty = titan.map_rank %empty, %i0 : !bars -> !pbars
    scf.for %t = %c0 to %n step %c1 {
      %s = arith.remui %t, %c2 : index
      %u = arith.divui %t, %c2 : index
      %p = arith.remui %u, %c2 : index
      %p32 = arith.index_cast %p : index to i32
      titan.elect warp(0) {
        titan.mbarrier.arrive_expect_tx %full[%s : index], %bytes : !bars
      }
      titan.mbarrier.wait %full[%s : index] parity(%p32) scope(cluster) : !bars
      %slot = titan.shared.slot %ring[%s : index] : !ring -> !slot
      %v = titan.shared.load %slot : !slot -> !words
      titan.syncwarp
      titan.elect {
        titan.mbarrier.arrive %pempty[%s : index] sem(release) scope(cluster) : !pbars
      }
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

titan.kernel @once() warps(4) cluster(2, 1, 1) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 2048 : i32 // @bytes
  %in = titan.shared.alloc : !slot
  %full = titan.mbarrier.alloc : !bar
  %rank = titan.cluster_rank
  %other = arith.xori %rank, %i1 : i32
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
  }
  titan.cluster.arrive
  titan.cluster.wait
  %x = titan.coordinate 0 : !words
  %pin = titan.map_rank %in, %other : !slot -> !pslot
  %pfull = titan.map_rank %full, %other : !bar -> !pbar
  titan.st_async %x, %pin, %pfull : !words, !pslot, !pbar
  titan.mbarrier.wait %full parity(%i0) scope(cluster) : !bar
  %v = titan.shared.load %in : !slot -> !words
  titan.return
}
