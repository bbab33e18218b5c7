// MM-52, MM-53: a barrier's phases count from its last initialisation, and its life ends after all uses.
//
// Used once, invalidated, initialised and used once more.
//
// RUN: titan check %s --kernel twice
// RUN: not titan check %s --kernel counted_on 2>&1 | FileCheck %s --check-prefix=COUNTED-ON
// RUN: not titan check %s --kernel inval_too_early 2>&1 | FileCheck %s --check-prefix=INVAL-TOO-EARLY
// RUN: not titan check %s --kernel init_too_early 2>&1 | FileCheck %s --check-prefix=INIT-TOO-EARLY

!cell   = !titan.shared<32xi32>
!out    = !titan.global<32xi32>
!bar    = !titan.mbarrier

// The first phase of the second life has parity 0.
titan.kernel @twice() warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %i0 = arith.constant 0 : i32
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive %done : !bar
  }
  titan.mbarrier.wait %done parity(%i0) : !bar
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.inval %done : !bar
    titan.mbarrier.init %done count(1) : !bar
  }
  titan.cta_sync
  titan.elect warp(1) {
    titan.mbarrier.arrive %done : !bar
  }
  titan.mbarrier.wait %done parity(%i0) : !bar
  titan.return
}

// COUNTED-ON: [{{race|phase-parity|phase-ambiguous|completion-not-observed}}]
// Not 1: that is the phase before the first, and the wait returns at once.
titan.kernel @counted_on() warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cell = titan.shared.alloc : !cell
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive %done : !bar
  }
  titan.mbarrier.wait %done parity(%i0) : !bar
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.inval %done : !bar
    titan.mbarrier.init %done count(1) : !bar
  }
  titan.cta_sync
  titan.elect warp(1) {
    titan.st %i1, %cell[%c0] : i32, !cell
    titan.mbarrier.arrive %done : !bar
  }
  titan.elect warp(2) {
    titan.mbarrier.wait %done parity(%i1) : !bar
    %x = titan.ld %cell[%c0] : !cell -> i32
  }
  titan.return
}

// INVAL-TOO-EARLY: [barrier-live]
// Nothing orders the end of its life after the waits of the other warps.
titan.kernel @inval_too_early() warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %i0 = arith.constant 0 : i32
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive %done : !bar
  }
  titan.mbarrier.wait %done parity(%i0) : !bar
  titan.elect warp(0) {
    titan.mbarrier.inval %done : !bar
  }
  titan.return
}

// INIT-TOO-EARLY: [barrier-live]
// Nor the second initialisation after the end of the first life.
titan.kernel @init_too_early() warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
    titan.mbarrier.inval %done : !bar
  }
  titan.elect warp(1) {
    titan.mbarrier.init %done count(1) : !bar
  }
  titan.return
}
