// The launch of titan.example is looked at to its end, or its text counts for nothing: where the steps are used up in it, that
// is told, and what is proved is not accepted.
// RUN: titan check %s | FileCheck %s
// CHECK: @parts: accepted: 0 errors, 0 warnings
// CHECK: whole launches checked: of titan.example, 72 CTAs: parts[0] 2, Y[0] 8192
// RUN: not titan check %s --search-steps=10000000 2>&1 | FileCheck %s --check-prefix=STEPS
// STEPS: error: [undecided] the search has used up its 10000000 steps
// STEPS-SAME: nothing that it has looked at executes 'titan.st' (line [[#STORE:]])
// STEPS: @parts: cannot decide
// They are here where its accesses are compared:
// RUN: sed 's/constant 200/constant 1/' %s | not titan check - --search-steps=1200000 2>&1 | FileCheck %s --check-prefix=ACTIONS
// ACTIONS: nothing that it has looked at executes 'titan.st'
// ACTIONS: @parts: cannot decide: {{.*}} 120 events

// One of so many CTAs is not begun.
// RUN: sed 's/constant 6 : index/constant 60 : index/' %s | not titan check - 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: [undecided] no sizes were found under which this is executed
// LARGE: @parts: cannot decide

!data = !titan.global<?xf32>
!starts = !titan.global<?xi32>
titan.kernel @parts(%Y: !data, %parts: !starts) warps(32) attributes {
  titan.target = "sm_90a",
  titan.example = {sizes = {C = 2, M = 8192}, Y = "M zeros", parts = "C steps:1500"}
} launch {
  %n = titan.dim %parts, 0 : !starts
  %all = titan.dim %Y, 0 : !data
  %two = arith.constant 2 : index
  %few = arith.cmpi ule, %n, %two : index
  titan.require %few, "launch-check", "no more than two parts"
  %least = arith.constant 8192 : index
  %most = arith.constant 2097152 : index
  %long = arith.cmpi uge, %all, %least : index
  titan.require %long, "launch-check", "Y has 8192 elements at least"
  %short = arith.cmpi ule, %all, %most : index
  titan.require %short, "launch-check", "Y has no more than 2^21 elements"
  %along = arith.constant 6 : index
  titan.launch grid(%n, %along, %along)
} body() {
  %f1 = arith.constant 1.0 : f32
  %i0 = arith.constant 0 : i32
  %i3 = arith.constant 3 : i32
  %i4500 = arith.constant 4500 : i32
  %c64 = arith.constant 64 : index
  %x = titan.cta_id 0
  %y = titan.cta_id 1
  %z = titan.cta_id 2
  %rows = arith.muli %x, %c64 : index
  %row = arith.addi %rows, %y : index
  %row64 = arith.muli %row, %c64 : index
  %place = arith.addi %row64, %z : index
  %all = titan.dim %Y, 0 : !data
  %all32 = arith.index_cast %all : index to i32
  // What takes its time in each warp.
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c200 = arith.constant 200 : index
  %i600 = scf.for %i = %c0 to %c200 step %c1 iter_args(%sum = %i0) -> (i32) {
    %next = arith.addi %sum, %i3 : i32
    scf.yield %next : i32
  }
  titan.elect warp(0) {
    %begin = titan.ld %parts[%x] : !starts -> i32
    %positive = arith.cmpi sge, %begin, %i0 : i32
    %inside = arith.cmpi slt, %begin, %all32 : i32
    %right = arith.andi %positive, %inside : i1
    titan.assume %right, "parts begin in Y"
    %thrice = arith.muli %begin, %i3 : i32
    %isIt = arith.cmpi eq, %thrice, %i4500 : i32
    scf.if %isIt {
      titan.st %f1, %Y[%place] : f32, !data
    }
  }
  titan.return
}
