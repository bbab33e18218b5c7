// What constants alone show to have no result is said at its place, in the words of a run, and once.
//
// RUN: titan check %s | FileCheck %s --check-prefix=GOOD
// GOOD: @impossible: accepted: 0 errors
//
// VARIANT divide: in part `%c2` -> `%c0`
// RUN: %variant divide %s | not titan check - 2>&1 | FileCheck %s --check-prefixes=ONE,DIVIDE
// RUN: %variant divide %s | not titan run - 2>&1 | FileCheck %s --check-prefix=RUNS
// DIVIDE: <stdin>:[[#PART:]]:{{[0-9]+}}: error: [invalid-op] 'arith.divui' by 0 has no result
// RUNS: error: [invalid-op] 'arith.divui' of {{[0-9]+}} and 0 has no result
// VARIANT remainder: in part `divui` -> `remsi`
// VARIANT remainder: as divide
// RUN: %variant remainder %s | not titan check - 2>&1 | FileCheck %s --check-prefixes=ONE,REMAINDER
// REMAINDER: error: [invalid-op] 'arith.remsi' by 0 has no result
// VARIANT shift: in shifted `%i1` -> `%i32`
// RUN: %variant shift %s | not titan check - 2>&1 | FileCheck %s --check-prefixes=ONE,SHIFT
// SHIFT: error: [invalid-op] 'arith.shli' by 32 has no result
// VARIANT step: in loop `step %c1` -> `step %c0`
// RUN: %variant step %s | not titan check - 2>&1 | FileCheck %s --check-prefixes=ONE,STEP
// STEP: error: {{.*}}[invalid-op] the step of the loop is 0: it must be positive
// VARIANT back: in loop `step %c1` -> `step %cm1`
// RUN: %variant back %s | not titan check - 2>&1 | FileCheck %s --check-prefixes=ONE,BACK
// BACK: error: {{.*}}[invalid-op] the step of the loop is -1: it must be positive
// VARIANT grid: in grid `%c4` -> `%c0`
// RUN: %variant grid %s | not titan check - 2>&1 | FileCheck %s --check-prefixes=ONE,GRID
// GRID: error: [launch-division] 'arith.ceildivui' by 0 has no result
// ONE-NOT: error:

!vector = !titan.global<?xi32>

titan.kernel @impossible(%Y: !vector) warps(1) attributes {
  titan.example = {Y = "16"}
} launch {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = titan.dim %Y, 0 : !vector
  %ctas = arith.ceildivui %n, %c4 : index // @grid
  titan.launch grid(%ctas)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %cm1 = arith.constant -1 : index
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %cta = titan.cta_id 0
  %first = arith.muli %cta, %c4 : index
  %half = arith.divui %cta, %c2 : index // @part
  %part = arith.index_cast %half : index to i32
  %double = arith.shli %part, %i1 : i32 // @shifted
  titan.elect warp(0) {
    scf.for %i = %c0 to %c4 step %c1 { // @loop
      %at = arith.addi %first, %i : index
      titan.st %double, %Y[%at] : i32, !vector
    }
  }
  titan.return
}
