// A search ends when its steps are used up, whatever the machine's speed: that is
// told, and undecided; what is proved is accepted all the same, if all of its text was executed.
// RUN: not titan check %s --proof=off --search-steps=60000000 2>&1 | FileCheck %s
// CHECK: error: [undecided] the search has used up its 60000000 steps: it has looked at {{[0-9]+}} combinations of counts and outcomes and at 1 whole launches, and not at the rest
// CHECK: fix: let it go on by --search-steps=N
// CHECK: @goes_on: cannot decide: {{[0-9]+}} errors
// CHECK: not looked at: what the search would have come to after its 60000000 steps

// The same steps end at the same place.
// RUN: not titan check %s --proof=off --search-steps=60000000 --json | %python -c "import json, sys; k = json.load(sys.stdin)['kernels'][0]; print(k['verdict'], k['events'], k['counts'], k['skipped'])" > %t.first
// RUN: not titan check %s --proof=off --search-steps=60000000 --json | %python -c "import json, sys; k = json.load(sys.stdin)['kernels'][0]; print(k['verdict'], k['events'], k['counts'], k['skipped'])" > %t.second
// RUN: diff %t.first %t.second

// RUN: titan check %examples/pipeline.mlir --proof=off --search-steps=500000 --undecided=warning 2>&1 | FileCheck %s --check-prefix=WARNED
// WARNED: warning: [undecided] the search has used up its 500000 steps
// WARNED: @pipeline: accepted but for what is undecided
// RUN: titan compile %examples/pipeline.mlir --proof=off --search-steps=500000 --emit=manifest -o %t.manifest 2>&1 | FileCheck %s --check-prefix=COMPILED
// COMPILED: warning: [undecided] the search has used up its 500000 steps

// RUN: not titan check %examples/copy.mlir --search-steps=500 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: [undecided] the search has used up its 500 steps{{.*}}; nothing that it has looked at executes '{{titan[.a-z_]+}}' (line [[#]])
// EARLY: nor is it proved: no proof is made where more than counts is undecided (
// RUN: titan check %examples/copy.mlir --search-steps=5000 | FileCheck %s --check-prefix=PROVED
// PROVED: @copy: accepted: 0 errors, 0 warnings
// PROVED: not looked at: what the search would have come to after its 5000 steps
// PROVED: proved, for every size
// RUN: titan check %examples/copy.mlir --proof=off | FileCheck %s --check-prefix=ENOUGH --implicit-check-not="used up"
// RUN: titan check %examples/copy.mlir --proof=off --search-steps=off | FileCheck %s --check-prefix=ENOUGH --implicit-check-not="used up"
// ENOUGH: @copy: accepted: 0 errors, 0 warnings

// RUN: not titan check %s --search-steps=0 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: --search-steps is a number of steps, or off, not '0'

// The branch in the inner loop is another one in each iteration of both loops:
// each is a choice, and each pair of them looks for a launch.
!data = !titan.global<?xf32>
titan.kernel @goes_on(%Y: !data, %a: i32, %b: i32) warps(1) attributes {titan.target = "sm_90a", titan.example = {sizes = {M = 5}, Y = "M zeros", a = 3 : i32, b = 4 : i32}} launch {
  %one = arith.constant 1 : index
  %n = titan.dim %Y, 0 : !data
  %most = arith.constant 2147483647 : index
  %few = arith.cmpi ule, %n, %most : index
  titan.require %few, "launch-check", "few"
  %c_a = arith.constant -1 : i32
  %r_a = arith.cmpi eq, %a, %c_a : i32
  titan.require %r_a, "launch-check", "r"
  %c_b = arith.constant 1 : i32
  %r_b = arith.cmpi sge, %b, %c_b : i32
  titan.require %r_b, "launch-check", "r"
  titan.launch grid(%n) with(%n, %a, %b : index, i32, i32)
} body(%n0: index, %a0: i32, %b0: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i3 = arith.constant 3 : i32
  %i4 = arith.constant 4 : i32
  %im3 = arith.constant -3 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %v1 = arith.cmpi uge, %b0, %i1 : i32
  titan.elect warp(0) {
    scf.for %j0 = %cta to %n0 step %ctas {
      %v2 = arith.select %v1, %cta, %n0 : index
      %v3 = arith.select %v1, %v2, %c2 : index
      scf.for %j1 = %c0 to %n0 step %c1 {
        %v4 = arith.minui %j0, %v2 : index
        %v5 = arith.ori %i0, %i4 : i32
        %v6 = arith.subi %v2, %n0 : index
        %v7 = arith.index_castui %j0 : index to i32
        %v8 = arith.minui %v7, %i2 : i32
        %v9 = arith.index_castui %v8 : i32 to index
        %v10 = arith.subi %v9, %c1 : index
        %v11 = arith.select %v1, %v10, %j1 : index
        %v12 = arith.cmpi ult, %v11, %n0 : index
        scf.if %v12 {
          %v13 = arith.cmpi eq, %v11, %v9 : index
          scf.if %v13 {
            titan.st %f1, %Y[%v11] : f32, !data
          }
        }
      }
    }
  }
  titan.return
}
