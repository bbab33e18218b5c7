// A division by 0, or a shift by all bits, that an argument decides: a launch that the launch region admits is looked for,
// and told. Where none is found nothing is said; the proof asks for what excludes it.
//
// RUN: not titan check %s --kernel divides 2>&1 | FileCheck %s --check-prefix=DIVIDES
// RUN: not titan run %s --kernel divides --arg n=0 2>&1 | FileCheck %s --check-prefix=RUNS
// DIVIDES: no-result.mlir:[[#LINE:]]:{{[0-9]+}}: error: [undecided] 'arith.divsi' of 7 and 0 has no result, by warp 0 (n is 0)
// DIVIDES: fix: say in the launch region, by titan.require, that the divisor is not 0
// RUNS: error: [invalid-op] 'arith.divsi' of 7 and 0 has no result
// RUN: not titan check %s --kernel shifts 2>&1 | FileCheck %s --check-prefix=SHIFTS
// SHIFTS: error: [undecided] 'arith.shli' of 7 and {{-?[0-9]+}} has no result
// SHIFTS: fix: say in the launch region, by titan.require, that the shift is 0 to 31
//
// VARIANT asked: before divides add %is = arith.cmpi sgt, %n, %i0 : i32 titan.require %is, "launch-check", "n is positive"
// VARIANT asked: before shifts add %few = arith.cmpi ult, %n, %i32 : i32 titan.require %few, "launch-check", "n is a shift"
// RUN: %variant asked %s | titan check - | FileCheck %s --check-prefix=ASKED
// ASKED: @divides: accepted: 0 errors
// ASKED: @shifts: accepted: 0 errors

titan.kernel @divides(%n: i32) warps(1) attributes {titan.example = {n = 3 : i32}} launch {
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  titan.launch grid(%c1) // @divides
} body() {
  %i7 = arith.constant 7 : i32
  %part = arith.divsi %i7, %n : i32
  titan.return
}

titan.kernel @shifts(%n: i32) warps(1) attributes {titan.example = {n = 3 : i32}} launch {
  %c1 = arith.constant 1 : index
  %i32 = arith.constant 32 : i32
  titan.launch grid(%c1) // @shifts
} body() {
  %i7 = arith.constant 7 : i32
  %part = arith.shli %i7, %n : i32
  titan.return
}
