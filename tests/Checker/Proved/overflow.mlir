// That a number of 32 bits does not overflow follows from what the launch requires, or the proof says which one is not shown to.
// (That indices fit into 64 bits is assumed, and printed.)
//
// RUN: titan check %s --require=proved | FileCheck %s
// CHECK-NOT: 32 bits
// CHECK: proved, for every size that the launch admits; assumed: no index overflows 64 bits{{$}}
//
// VARIANT unbounded: drop fits
// RUN: %variant unbounded %s > %t.mlir
// RUN: not titan check %t.mlir --kernel slots --require=proved 2>&1 | FileCheck %s --check-prefix=SLOTS
// SLOTS: not proved: {{.*}}; the number of line [[#@LINE+57]] is not shown to fit into 32 bits
// SLOTS: fix: titan.require in the launch region that bounds the sizes it is computed from
// Behind the last number there is one step more.
// VARIANT bounded_but_for_a_step: in limit `1073741824` -> `2147483647`
// RUN: %variant bounded_but_for_a_step %s > %t.mlir
// RUN: titan check %t.mlir --kernel slots --require=proved
// RUN: not titan check %t.mlir --kernel steps --require=proved 2>&1 | FileCheck %s --check-prefix=STEPS
// STEPS: not proved: the counter of this loop is not shown to fit into 32 bits
// But for numbers that steps lead to.
// VARIANT even: as bounded_but_for_a_step
// VARIANT even: after fits add %two = arith.constant 2 : index %rest = arith.remui %n, %two : index %zero = arith.constant 0 : index %even = arith.cmpi eq, %rest, %zero : index titan.require %even, "launch-check", "an even number of elements"
// RUN: %variant even %s | titan check - --kernel steps --require=proved
// VARIANT threes: as even
// VARIANT threes: in step `2 :` -> `3 :`
// RUN: %variant threes %s | not titan check - --kernel steps --require=proved 2>&1 | FileCheck %s --check-prefix=STEPS

!vector = !titan.global<?xbf16>
!bars = !titan.mbarrier<3>

titan.kernel @slots(%X: !vector) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "M ints:1"}} launch {
  %one = arith.constant 1 : index
  %n = titan.dim %X, 0 : !vector
  %most = arith.constant 1073741824 : index // @limit
  %few = arith.cmpi ule, %n, %most : index
  titan.require %few, "launch-check", "at most 2^30 elements" // @fits
  titan.launch grid(%one) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "tell" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %stage = arith.remui %i, %c3 : index
          %round = arith.divui %i, %c3 : index
          %next = arith.addi %round, %c1 : index
          %odd = arith.remui %next, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %empty[%stage : index] parity(%parity) : !bars
          titan.mbarrier.arrive %full[%stage : index] : !bars
        }
      }
    }
    titan.partition "ask" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %narrow = arith.index_cast %i : index to i32
          %use = arith.index_castui %narrow : i32 to index
          %stage = arith.remui %use, %c3 : index
          %round = arith.divui %use, %c3 : index
          %odd = arith.remui %round, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
          titan.mbarrier.arrive %empty[%stage : index] : !bars
        }
      }
    }
  }
  titan.return
}

titan.kernel @steps(%X: !vector) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "M ints:1"}} launch {
  %one = arith.constant 1 : index
  %n = titan.dim %X, 0 : !vector
  %most = arith.constant 1073741824 : index // @limit
  %few = arith.cmpi ule, %n, %most : index
  titan.require %few, "launch-check", "at most 2^30 elements" // @fits
  titan.launch grid(%one) with(%n : index)
} body(%n: index) {
  %i0 = arith.constant 0 : i32
  %i2 = arith.constant 2 : i32 // @step
  %n32 = arith.index_cast %n : index to i32
  titan.warp_specialize {
    titan.partition "one" warps(1) {
      scf.for %i = %i0 to %n32 step %i2 : i32 {
        titan.barrier.sync 1 threads(64)
      }
    }
    titan.partition "other" warps(1) {
      scf.for %i = %i0 to %n32 step %i2 : i32 {
        titan.barrier.sync 1 threads(64)
      }
    }
  }
  titan.return
}
