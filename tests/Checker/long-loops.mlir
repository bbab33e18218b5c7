// A loop of a constant count that is too long to be executed is why its kernel is not decided, and the only reason that is given: not
// that no launch was found. One that executes less is followed to its end.
// RUN: not titan check --proof=off %s --kernel long 2>&1 | FileCheck %s --check-prefix=LONG --implicit-check-not=error:
// LONG: :[[#@LINE+27]]:3: error: [undecided] one warp executes more than 4000000 operations: the loops are too long to be unrolled
// LONG: @long: cannot decide: 1 error, 0 warnings
// Nor does the proof, which says where it stopped.
// RUN: not titan check %s --kernel long 2>&1 | FileCheck %s --check-prefixes=LONG,STOPPED
// STOPPED: {{^}}  nor is it proved: line [[#@LINE+19]]: {{.*}} (titan explain MM-50 says
// RUN: not titan check %s --kernel long --json | FileCheck %s --check-prefix=REASON
// REASON: "proof": {
// REASON: "reason": "lives of this kind
// RUN: sed 's|constant 10000000 : index|constant 1000000000000 : index|' %s > %t.longer.mlir
// RUN: not titan check --proof=off %t.longer.mlir --kernel long 2>&1 | FileCheck %s --check-prefix=LONG --implicit-check-not=error:
// RUN: sed 's|constant 10000000 : index|constant 10000 : index|' %s > %t.short.mlir
// RUN: titan check --proof=off %t.short.mlir --kernel long

titan.kernel @long(%Y: !titan.global<?xi32>) warps(1) attributes {titan.target = "sm_90a"} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 10000000 : index
  %bars = titan.mbarrier.alloc : !titan.mbarrier<1>
  titan.elect {
    titan.mbarrier.init %bars[%c0 : index] count(1) : !titan.mbarrier<1>
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  scf.for %i = %c0 to %n step %c1 {
    titan.elect {
      titan.mbarrier.arrive %bars[%c0 : index] : !titan.mbarrier<1>
    }
    %p = arith.remui %i, %c2 : index
    %p32 = arith.index_cast %p : index to i32
    titan.mbarrier.wait %bars[%c0 : index] parity(%p32) : !titan.mbarrier<1>
  }
  titan.return
}

// A whole launch of more than 200,000 events (`launchEvents`) is not looked at: that is told, and what was executed of it is none that was looked at.
// RUN: titan check --proof=off %s --kernel whole | FileCheck %s --check-prefix=WHOLE
// WHOLE: @whole: accepted: 0 errors, 0 warnings
// WHOLE: {{^}}  not looked at: 4 CTAs: it has more than 200000 events, or a warp of it executes more than 4000000 operations
// RUN: sed 's|constant 60000 : index|constant 20000 : index|' %s | titan check --proof=off - --kernel whole | FileCheck %s --check-prefix=LOOKED --implicit-check-not="not looked at"
// LOOKED: @whole: accepted: 0 errors, 0 warnings
titan.kernel @whole(%Y: !titan.global<?xi32>) warps(1) attributes {titan.target = "sm_90a"} launch {
  %c4 = arith.constant 4 : index
  titan.launch grid(%c4)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 60000 : index
  %bars = titan.mbarrier.alloc : !titan.mbarrier<1>
  titan.elect {
    titan.mbarrier.init %bars[%c0 : index] count(1) : !titan.mbarrier<1>
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  scf.for %i = %c0 to %n step %c1 {
    titan.elect {
      titan.mbarrier.arrive %bars[%c0 : index] : !titan.mbarrier<1>
    }
    %p = arith.remui %i, %c2 : index
    %p32 = arith.index_cast %p : index to i32
    titan.mbarrier.wait %bars[%c0 : index] parity(%p32) : !titan.mbarrier<1>
  }
  titan.return
}
