// A thread that waits for what it arrives at: its arrival for the slot's next use comes behind the
// wait by the program's order, so that the wait's parity means one use. Of many lanes each has to
// arrive itself: one that waits still may be overtaken by those that do not.
//
// RUN: titan check %s --kernel one --require=proved | FileCheck %s
// RUN: titan check %s --kernel ring --require=proved | FileCheck %s
// RUN: titan check %s --kernel lanes --require=proved | FileCheck %s
// CHECK: accepted: 0 errors
// CHECK: {{^}}  proved, for every size
// RUN: titan run %s --kernel ring --schedule random:1
//
// Arrivals for two uses of a slot, then the wait for the first.
// VARIANT ahead: before arrive add titan.mbarrier.arrive %full : !bar
// RUN: %variant ahead %s | not titan check - --kernel one --require=proved 2>&1 | FileCheck %s --check-prefix=AHEAD
// AHEAD: error: [
//
// The same where another thread has told that the first is over, so that nothing else is wrong: the wait
// is never answered. That rule alone is what keeps it from being proved.
// RUN: not titan check %s --kernel overtaken 2>&1 | FileCheck %s --check-prefix=OVERTAKEN
// OVERTAKEN: error: [
// RUN: titan-mutate --rules %s --kernel overtaken | FileCheck %s --check-prefix=RULE
// RULE: @overtaken: proved without alias
//
// All lanes wait, one of them arrives: it may do so for the next use while the others wait for this one.
// RUN: not titan check %s --kernel some --require=proved 2>&1 | FileCheck %s --check-prefix=SOME
// SOME-NOT: {{^}}  proved
// SOME: the use of the barrier %full (line {{[0-9]+}}) that is 1 behind the one waited for is not shown to end only after this wait
// SOME-NOT: {{^}}  proved

!bar = !titan.mbarrier
!bars = !titan.mbarrier<2>
!global = !titan.global<?xi32>

// One thread, one slot, once an iteration.
titan.kernel @one(%X: !global) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 5}, X = "M ints:1"}} launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %X, 0 : !global
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %full = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %i0) -> (i32) {
      titan.mbarrier.arrive %full : !bar // @arrive
      titan.mbarrier.wait %full parity(%p) : !bar
      %q = arith.xori %p, %i1 : i32
      scf.yield %q : i32
    }
  }
  titan.return
}

// Two slots: one use ahead.
titan.kernel @ring(%X: !global) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 5}, X = "M ints:1"}} launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %X, 0 : !global
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %full = titan.mbarrier.alloc : !bars
  titan.elect {
    titan.mbarrier.init %full count(1) : !bars
    titan.fence.mbarrier_init
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %i0) -> (i32) {
      titan.mbarrier.arrive %full[%i0 : i32] : !bars
      titan.mbarrier.arrive %full[%i1 : i32] : !bars
      titan.mbarrier.wait %full[%i0 : i32] parity(%p) : !bars
      titan.mbarrier.wait %full[%i1 : i32] parity(%p) : !bars
      %q = arith.xori %p, %i1 : i32
      scf.yield %q : i32
    }
  }
  titan.return
}

// Iteration i arrives for use i + 1, and then waits for use i, which warp 1 has waited for.
titan.kernel @overtaken(%X: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 5}, X = "M ints:1"}} launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %X, 0 : !global
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %full = titan.mbarrier.alloc : !bar
  %told = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %told count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "arrives" warps(1) {
      titan.elect {
        titan.mbarrier.arrive %full : !bar
        %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %i0) -> (i32) {
          titan.mbarrier.wait %told parity(%p) : !bar
          titan.mbarrier.arrive %full : !bar
          titan.mbarrier.wait %full parity(%p) : !bar
          %q = arith.xori %p, %i1 : i32
          scf.yield %q : i32
        }
      }
    }
    titan.partition "tells" warps(1) {
      titan.elect {
        %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %i0) -> (i32) {
          titan.mbarrier.wait %full parity(%p) : !bar
          titan.mbarrier.arrive %told : !bar
          %q = arith.xori %p, %i1 : i32
          scf.yield %q : i32
        }
      }
    }
  }
  titan.return
}

// Each lane arrives, and waits.
titan.kernel @lanes(%X: !global) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 5}, X = "M ints:1"}} launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %X, 0 : !global
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %full = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %full count(32) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %i0) -> (i32) {
    titan.mbarrier.arrive %full : !bar
    titan.mbarrier.wait %full parity(%p) : !bar
    %q = arith.xori %p, %i1 : i32
    scf.yield %q : i32
  }
  titan.return
}

// One lane arrives, and all wait.
titan.kernel @some(%X: !global) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 5}, X = "M ints:1"}} launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %X, 0 : !global
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %full = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %i0) -> (i32) {
    titan.elect {
      titan.mbarrier.arrive %full : !bar
    }
    titan.mbarrier.wait %full parity(%p) : !bar
    %q = arith.xori %p, %i1 : i32
    scf.yield %q : i32
  }
  titan.return
}
