// Extents of fewer dimensions than the places have are of the last ones: here a part of a row.
//
// RUN: titan explain copy %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN-COUNT-2: vectors 2 instructions of
// RUN: titan check %s --kernel row | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: accepted: 0 errors, 0 warnings
// RUN: titan run %s --kernel row | FileCheck %s --check-prefix=EQUAL
// EQUAL: elements equal to the reference, bit for bit
// VARIANT none: in LOAD `extents [32]` -> `extents []`
// RUN: %variant none %s | not titan check - 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: [copy-region] `extents []` says no region
// A buffer may have more dimensions than the tensor: outer ones of one element.
// RUN: titan check %s --kernel plane | FileCheck %s --check-prefix=ACCEPTED
// RUN: titan run %s --kernel plane | FileCheck %s --check-prefix=EQUAL

!matrix = !titan.global<?x32xf32, strides = [32, 1]>
!tile = !titan.shared<8x32xf32>
titan.kernel @row(%X: !matrix, %Y: !matrix) warps(1) attributes {
  titan.alignment = {X = 16, Y = 16},
  titan.example = {sizes = {M = 5}, X = "Mx32 random:1", Y = "Mx32"},
  titan.reference = @same
} launch {
  %m = titan.dim %X, 0 : !matrix
  %mY = titan.dim %Y, 0 : !matrix
  %same = arith.cmpi eq, %m, %mY : index
  titan.require %same, "launch-check", "Y has a row for each row of X"
  titan.launch grid(%m)
} body() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %tile = titan.shared.alloc : !tile
  %row = titan.cta_id 0
  titan.copy %X[%row, %c0] to %tile[%c3, %c0] extents [32] : !matrix, !tile // @LOAD
  titan.cta_sync
  titan.copy %tile[%c3, %c0] to %Y[%row, %c0] extents [32] : !tile, !matrix
  titan.return
}

func.func private @same(%X: memref<?x32xf32> {titan.input = "X"}, %Y: memref<?x32xf32> {titan.expected = "Y"}) {
  memref.copy %X, %Y : memref<?x32xf32> to memref<?x32xf32>
  return
}

!planes = !titan.shared<2x8x32xf32>
!rows = !titan.global<8x32xf32, strides = [32, 1]>
titan.kernel @plane(%A: !rows, %B: !rows) warps(2) attributes {
  titan.alignment = {A = 16, B = 16},
  titan.example = {A = "8x32 ints:1", B = "8x32"}, titan.reference = @sameRows
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = titan.shared.alloc : !planes
  titan.copy %A to %tile[%c1, %c0, %c0] extents [8, 32] : !rows, !planes
  titan.cta_sync
  titan.copy %tile[%c1, %c0, %c0] to %B extents [8, 32] : !planes, !rows
  titan.return
}

func.func private @sameRows(%A: memref<?x?xf32> {titan.input = "A"}, %B: memref<?x?xf32> {titan.expected = "B"}) {
  memref.copy %A, %B : memref<?x?xf32> to memref<?x?xf32>
  return
}
