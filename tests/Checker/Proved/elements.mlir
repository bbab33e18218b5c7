// One thread writes elements whose places are numbers of loops, all threads read the tile.
//
// RUN: titan check %s --require=proved | FileCheck %s
// CHECK: accepted: 0 errors
// CHECK: {{^}}  proved, for every size
// RUN: titan run %s
//
// Nobody waits.
// VARIANT early: drop SYNC
// RUN: %variant early %s | not titan check - 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: [race]
// One element too far: not shown to lie in the tile, and seen.
// VARIANT far: in STORE `%x, %tile[%i, %j]` -> `%x, %tile[%next, %j]`
// RUN: %variant far %s | not titan check - 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: error: [out-of-bounds]
// All lanes of the warp store each of them.
// VARIANT lanes: drop ELECT
// VARIANT lanes: drop END
// RUN: %variant lanes %s | not titan check - --require=proved 2>&1 | FileCheck %s --check-prefix=LANES
// LANES-NOT: {{^}}  proved

!tile = !titan.shared<4x32xi32>
!out = !titan.global<4x32xi32, strides = [32, 1]>
#rows = #titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [4, 1]>

titan.kernel @elements(%X: !titan.global<?xi32>, %P: !out) warps(4) attributes {titan.target = "sm_90a",
  titan.alignment = {P = 16}, titan.example = {sizes = {M = 5}, X = "M steps:1", P = "4x32"}} launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %X, 0 : !titan.global<?xi32>
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %x = arith.constant 7 : i32
  %tile = titan.shared.alloc : !tile
  titan.elect warp(0) { // @ELECT
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c32 step %c1 {
        %next = arith.addi %i, %c1 : index
        titan.st %x, %tile[%i, %j] : i32, !tile // @STORE
      }
    }
  } // @END
  titan.cta_sync // @SYNC
  titan.copy %tile to %P : !tile, !out
  titan.return
}
