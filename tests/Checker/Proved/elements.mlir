// One thread writes elements whose places are numbers of loops, all threads read the tile.
//
// RUN: titan check %s --kernel elements --require=proved | FileCheck %s
// RUN: titan check %s --kernel sides --require=proved | FileCheck %s
// CHECK: accepted: 0 errors
// CHECK: {{^}}  proved, for every size
// RUN: titan run %s --kernel elements
// RUN: titan run %s --kernel sides
//
// Where the search finds no launch, the proof alone looks: all lanes store one element in iterations that are not the
// first; each warp stores one element of global memory.
// RUN: not titan check %s --kernel lanes_later --undecided=warning 2>&1 | FileCheck %s --check-prefix=LATER
// LATER: {{^}}  not proved: line {{[0-9]+}}: lanes of a warp write the same place
// RUN: not titan check %s --kernel each_warp --undecided=warning 2>&1 | FileCheck %s --check-prefix=WARP
// WARP: {{^}}  not proved: line {{[0-9]+}}: several threads write this element (titan.elect warp(0))
//
// Nobody waits.
// VARIANT early: drop SYNC
// RUN: %variant early %s | not titan check - --kernel elements 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: [race]
// One element too far: not shown to lie in the tile, and seen.
// VARIANT far: in STORE `%x, %tile[%i, %j]` -> `%x, %tile[%next, %j]`
// RUN: %variant far %s | not titan check - --kernel elements 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: error: [out-of-bounds]
// All lanes of the warp store each of them.
// VARIANT lanes: drop ELECT
// VARIANT lanes: drop END
// RUN: %variant lanes %s | not titan check - --kernel elements --require=proved 2>&1 | FileCheck %s --check-prefix=LANES
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

// A loop within one side of a branch, whose elements an earlier iteration's barrier comes behind.
titan.kernel @sides(%X: !titan.global<?xi32>, %P: !out) warps(2) attributes {titan.target = "sm_90a",
  titan.alignment = {P = 16}, titan.example = {sizes = {M = 5}, X = "M steps:1", P = "4x32"}} launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %X, 0 : !titan.global<?xi32>
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %x = arith.constant 7 : i32
  %tile = titan.shared.alloc : !tile
  scf.for %i = %c0 to %c4 step %c1 {
    titan.cta_sync
    %first = arith.cmpi slt, %i, %c2 : index
    scf.if %first {
      titan.elect warp(0) {
        scf.for %j = %c0 to %c32 step %c1 {
          titan.st %x, %tile[%i, %j] : i32, !tile
        }
      }
    }
  }
  titan.cta_sync
  titan.return
}

titan.kernel @lanes_later(%X: !titan.global<?xi32>, %P: !out) warps(1) attributes {titan.target = "sm_90a",
  titan.alignment = {P = 16}, titan.example = {sizes = {M = 5}, X = "M steps:1", P = "4x32"}} launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %X, 0 : !titan.global<?xi32>
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %x = arith.constant 7 : i32
  %tile = titan.shared.alloc : !tile
  %square = arith.muli %n, %n : index
  %sum = arith.addi %square, %n : index
  %prime = arith.constant 1000003 : index
  %limit = arith.constant 999999 : index
  %rest = arith.remui %sum, %prime : index
  %seldom = arith.cmpi sge, %rest, %limit : index // for M = 177251, say
  scf.if %seldom {
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c32 step %c1 {
        %later = arith.cmpi sge, %i, %c1 : index
        scf.if %later {
          titan.st %x, %tile[%i, %j] : i32, !tile
        }
      }
    }
    titan.cta_sync
  }
  titan.return
}

titan.kernel @each_warp(%X: !titan.global<?xi32>, %P: !out) warps(4) attributes {titan.target = "sm_90a",
  titan.alignment = {P = 16}, titan.example = {sizes = {M = 5}, X = "M steps:1", P = "4x32"}} launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %X, 0 : !titan.global<?xi32>
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %x = arith.constant 7 : i32
  %tile = titan.shared.alloc : !tile
  %square = arith.muli %n, %n : index
  %sum = arith.addi %square, %n : index
  %prime = arith.constant 1000003 : index
  %limit = arith.constant 999999 : index
  %rest = arith.remui %sum, %prime : index
  %seldom = arith.cmpi sge, %rest, %limit : index // for M = 177251, say
  scf.if %seldom {
    titan.st %x, %P[%c0, %c0] : i32, !out
  }
  titan.return
}
