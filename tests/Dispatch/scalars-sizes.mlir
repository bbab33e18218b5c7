// By scalars from and to tensors whose sizes only the launch knows, by CTAs of a cluster, at places that an argument says:
// loops end where the tensor does, and the checker looks at each way in which they may.
//
// RUN: titan check %s | FileCheck %s
// RUN: for p in 0 1 5 -1; do titan run %s --arg p=$p || exit 1; done
// CHECK: accepted: 0 errors, 0 warnings
// A loop of more iterations than the first long run has, which never repeats: its longest run shows all of it.
// VARIANT wide: in TILE `8x8xf32` -> `8x70xf32`
// RUN: %variant wide %s | titan check - | FileCheck %s
// RUN: %variant wide %s | titan run -
// Elements of a swizzled tile by their coordinates.
// VARIANT swizzled: in TILE `8x8xf32` -> `8x32xf32, swizzle = 64`
// RUN: %variant swizzled %s | titan check - | FileCheck %s
// RUN: %variant swizzled %s | titan run -
// RUN: %variant swizzled %s | titan-opt --titan-lower-copies | FileCheck %s --check-prefix=COORDINATES
// COORDINATES: titan.st %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : f32, !titan.shared<8x32xf32, swizzle = 64>
// Of two CTAs one runs its loop over rows more often than the other.
// VARIANT apart: replace MINE with %c1 = arith.constant 1 : index %part = arith.muli %mine, %rows : index %row = arith.addi %part, %c1 : index
// RUN: %variant apart %s | titan check - | FileCheck %s
// One row, of which one CTA has nothing.
// VARIANT row: in TILE `8x8xf32` -> `1x8xf32`
// RUN: %variant row %s | titan check - | FileCheck %s
// Rows of a grid of ceil(M / 8) CTAs: each has one at least, and none begins before the tensor.
// VARIANT ragged: in KERNEL ` cluster(2, 1)` -> ``
// VARIANT ragged: replace GRID with %c8 = arith.constant 8 : index %m = titan.dim %A, 0 : !matrix %mB = titan.dim %B, 0 : !matrix %same = arith.cmpi eq, %m, %mB : index titan.require %same, "launch-check", "same rows" %g = arith.ceildivui %m, %c8 : index titan.launch grid(%g)
// VARIANT ragged: replace MINE with %cta = titan.cta_id 0 %row = arith.muli %cta, %rows : index
// RUN: %variant ragged %s | titan check - | FileCheck %s
// RUN: %variant ragged %s | titan run - --size M=21
// A store that no CTA leaves to the other is seen.
// VARIANT together: in MINE `%rows` -> `%c0`
// RUN: %variant together %s | not titan check - 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: {{.*}}global memory

!matrix = !titan.global<?x?xf32>
!tile = !titan.shared<8x8xf32> // @TILE

titan.kernel @sizes(%A: !matrix, %B: !matrix, %p: i32) warps(1) cluster(2, 1) attributes { // @KERNEL
  titan.alignment = {A = 16, B = 16},
  titan.example = {sizes = {M = 9, N = 6}, A = "MxN ints:1", B = "MxN", p = 3}, titan.reference = @moved
} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2) // @GRID
} body() {
  %c0 = arith.constant 0 : index
  %rank = titan.cluster_rank
  %mine = arith.index_cast %rank : i32 to index
  %rows = arith.constant 8 : index
  %row = arith.muli %mine, %rows : index // @MINE
  %at = arith.index_cast %p : i32 to index
  %tile = titan.shared.alloc : !tile
  titan.copy %A[%row, %at] to %tile dispatch("scalars") : !matrix, !tile
  titan.cta_sync
  titan.copy %tile to %B[%row, %c0] dispatch("scalars") : !tile, !matrix
  titan.return
}

func.func private @moved(%A: memref<?x?xf32> {titan.input = "A"}, %p: i32 {titan.input = "p"}, %B: memref<?x?xf32> {titan.expected = "B"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  %at = arith.index_cast %p : i32 to index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %none, %B[%i, %j] : memref<?x?xf32>
      %from = arith.addi %at, %j : index
      %inside = arith.cmpi ult, %from, %n : index
      scf.if %inside {
        %a = memref.load %A[%i, %from] : memref<?x?xf32>
        memref.store %a, %B[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
