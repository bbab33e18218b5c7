// Loops that do nothing have to end, too: of a step that may be 0, and of a counter that may pass the last number of its
// type, nothing is proved.
//
// RUN: not titan check %s --kernel no_step --require=proved 2>&1 | FileCheck %s
// RUN: not titan run %s --kernel no_step --size M=712 2>&1 | FileCheck %s --check-prefix=STUCK
// RUN: not titan check %s --kernel past_the_last --require=proved 2>&1 | FileCheck %s --check-prefix=PAST
// PAST: error: [loop-overflow]
// CHECK: {{\[undecided\]|\[not-proved\]}}
// STUCK: [invalid-op]
// VARIANT step: in step `%rest` -> `%some`
// RUN: %variant step %s | titan check - --kernel no_step --require=proved | FileCheck %s --check-prefix=PROVED
// PROVED: proved, for every size

!data = !titan.global<?xf32>

titan.kernel @no_step(%X: !data) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 5}, X = "M zeros"}} launch {
  %n = titan.dim %X, 0 : !data
  titan.launch grid(%n) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %prime = arith.constant 997 : index
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %most = arith.muli %n, %c7 : index
  %more = arith.addi %most, %c1 : index
  %rest = arith.remui %more, %prime : index
  %some = arith.addi %rest, %c1 : index
  titan.elect warp(0) {
    titan.st %f1, %X[%cta] : f32, !data
    %sum = scf.for %i = %c0 to %n step %rest iter_args(%a = %c0) -> (index) { // @step
      %b = arith.addi %a, %i : index
      scf.yield %b : index
    }
  }
  titan.return
}

titan.kernel @past_the_last(%X: !data, %a: i32) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 1}, X = "M zeros", a = 2147483640 : i32}} launch {
  %n = titan.dim %X, 0 : !data
  %zero = arith.constant 0 : i32
  %notNegative = arith.cmpi sge, %a, %zero : i32
  titan.require %notNegative, "launch-check", "a is not negative"
  titan.launch grid(%n) with(%a : i32)
} body(%bound: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1073741825 : i32
  %most = arith.constant 2147483000 : i32
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %end = arith.minsi %bound, %most : i32
  titan.elect warp(0) {
    %sum = scf.for %i = %zero to %end step %step iter_args(%s = %f0) -> (f32) : i32 {
      %next = arith.addf %s, %f1 : f32
      scf.yield %next : f32
    }
    titan.st %sum, %X[%cta] : f32, !data
  }
  titan.return
}
