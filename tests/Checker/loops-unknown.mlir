// Loops that nobody here follows are refused, empty ones as well, as titan run and titan compile
// refuse them: how often their bodies run, by which warps and in which order is not said.
// RUN: not titan check %s --kernel parallel 2>&1 | FileCheck %s --check-prefix=PARALLEL
// RUN: not titan check %s --kernel forall 2>&1 | FileCheck %s --check-prefix=FORALL
// RUN: not titan run %s --kernel parallel 2>&1 | FileCheck %s --check-prefix=REFUSED
// PARALLEL: loops-unknown.mlir:[[#@LINE+15]]:3: error: [undecided] the checker does not follow 'scf.parallel'
// FORALL: error: [undecided] the checker does not follow 'scf.forall'
// Of unsigned bounds the highest bit is no sign (this loop runs no times), and is not followed: nor does the proof.
// RUN: not titan check %s --kernel unsigned_bounds 2>&1 | FileCheck %s --check-prefix=UNSIGNED
// UNSIGNED: [undecided] the bounds of this loop are compared as unsigned numbers, and one has the highest bit
// RUN: titan-mutate %s --kernel unsigned_bounds --prove --every 1000000 --schedules 1 | FileCheck %s --check-prefix=ASKED
// ASKED: kernels as they are: 1, 1 refused, 0 proved
// REFUSED: error: {{.*}}[not-supported-yet]

titan.kernel @parallel() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    scf.reduce
  }
  titan.return
}

titan.kernel @forall() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  scf.forall (%i) in (4) {
  }
  titan.return
}

titan.kernel @unsigned_bounds() warps(2) attributes {titan.target = "sm_90a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %minus_one = arith.constant -1 : i32
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "tell" warps(1) {
      titan.elect {
        scf.for unsigned %i = %minus_one to %i0 step %i1 : i32 {
          titan.mbarrier.arrive %full : !titan.mbarrier
        }
      }
    }
    titan.partition "ask" warps(1) {
      titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
    }
  }
  titan.return
}
