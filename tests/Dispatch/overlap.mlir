// A copy within one buffer: to bytes that it does not read. Where it would load what it has stored it is declined, and
// where only the program knows.
//
// RUN: titan check %s | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: accepted: 0 errors, 0 warnings
// RUN: titan run %s | FileCheck %s --check-prefix=EQUAL
// EQUAL: elements equal to the reference, bit for bit
// From a row that only the program knows on, to eight rows further on.
// VARIANT any_row: in COPY `%c0, %c0] to %tile[%c8` -> `%cta, %c0] to %tile[%ahead`
// RUN: %variant any_row %s | titan run - | FileCheck %s --check-prefix=EQUAL
// A tile onto itself stays as it is.
// VARIANT itself: before COPY add titan.copy %tile[%c8, %c0] to %tile[%c8, %c0] extents [8, 24] : !tile, !tile
// RUN: %variant itself %s | titan explain copy - | FileCheck %s --check-prefix=ITSELF
// ITSELF-COUNT-4: <- chosen
// Columns apart, and slots of a ring.
// CHOSEN-COUNT-3: <- chosen
// VARIANT columns: in COPY `to %tile[%c8, %c0] extents [8, 24]` -> `to %tile[%c0, %c8] extents [16, 8]`
// RUN: %variant columns %s | titan explain copy - 2>&1 | FileCheck %s --check-prefix=CHOSEN
// VARIANT slots: in COPY `%tile[%c0, %c0] to %tile[%c8, %c0] extents [8, 24]` -> `%here to %there`
// RUN: %variant slots %s | titan explain copy - 2>&1 | FileCheck %s --check-prefix=CHOSEN
//
// VARIANT one_row: in COPY `to %tile[%c8` -> `to %tile[%c1`
// RUN: %variant one_row %s | not titan check - 2>&1 | FileCheck %s --check-prefix=SHARE
// A line each; first those that want something of this copy.
// SHARE: [copy-dispatch] no variant does it: vectors: apart: source and target share bytes of one buffer: what is stored would be loaded again
// SHARE-NEXT: {{^}}  scalars: apart: source and target share bytes
// SHARE-NEXT: {{^}}  dsmem: is_asynchronous: titan.copy is over when its threads go on
// SHARE-NEXT: {{^}}  st_async: is_asynchronous
// VARIANT row_of_cta: in COPY `to %tile[%c8` -> `to %tile[%cta`
// RUN: %variant row_of_cta %s | not titan check - 2>&1 | FileCheck %s --check-prefix=MAY
// MAY: scalars: apart: source and target lie in one buffer, and may share bytes
// VARIANT slots_moved: in COPY `%tile[%c0, %c0] to %tile[%c8, %c0]` -> `%here[%c0, %c0] to %there[%c8, %c0]`
// RUN: %variant slots_moved %s | titan explain copy - 2>&1 | FileCheck %s --check-prefix=CHOSEN
// VARIANT slots_one_row: in COPY `%tile[%c0, %c0] to %tile[%c8, %c0]` -> `%here[%c0, %c0] to %there[%c1, %c0]`
// RUN: %variant slots_one_row %s | not titan check - 2>&1 | FileCheck %s --check-prefix=MAY
// A pull from a rank that is, or may be, the reader's own.
// VARIANT pull: in COPY `%c0] to %tile[%c8` -> `%c0] rank(%rank) to %tile[%c1`
// VARIANT pull: in KERNEL `warps(2)` -> `warps(2) cluster(2, 1)`
// VARIANT pull: in GRID `%c1` -> `%c2`
// RUN: %variant pull %s | not titan check - 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: vectors: apart: source and target share bytes of one buffer, and both may be of one CTA:
// OWN-NEXT: {{^}}  scalars: apart: source and target share bytes of one buffer, and both may be of one CTA:
// VARIANT pull_computed: in COPY `%c0] to %tile[%c8` -> `%c0] rank(%number) to %tile[%c1`
// VARIANT pull_computed: in KERNEL `warps(2)` -> `warps(2) cluster(2, 1)`
// VARIANT pull_computed: in GRID `%c1` -> `%c2`
// RUN: %variant pull_computed %s | not titan check - 2>&1 | FileCheck %s --check-prefix=OWN
// From the other CTA of two it is another tile (whose threads do the same: that is the checker's).
// VARIANT pull_other: in COPY `%c0] to %tile[%c8` -> `%c0] rank(%peer) to %tile[%c1`
// VARIANT pull_other: in KERNEL `warps(2)` -> `warps(2) cluster(2, 1)`
// VARIANT pull_other: in GRID `%c1` -> `%c2`
// RUN: %variant pull_other %s | titan explain copy - 2>&1 | FileCheck %s --check-prefix=CHOSEN
// Of one peer's memory, both.
// VARIANT theirs: replace COPY with %theirs = titan.map_rank %tile, %peer : !tile -> !far titan.copy %theirs[%c0, %c0] to %theirs[%c1, %c0] extents [8, 24] : !far, !far
// VARIANT theirs: in KERNEL `warps(2)` -> `warps(2) cluster(2, 1)`
// VARIANT theirs: in GRID `%c1` -> `%c2`
// RUN: %variant theirs %s | not titan check - 2>&1 | FileCheck %s --check-prefix=THEIRS
// THEIRS: scalars: apart: source and target share bytes of one buffer
// From the CTA's own to the other one's.
// VARIANT to_theirs: replace COPY with %theirs = titan.map_rank %tile, %peer : !tile -> !far titan.copy %tile[%c0, %c0] to %theirs[%c1, %c0] extents [8, 24] : !tile, !far
// VARIANT to_theirs: in KERNEL `warps(2)` -> `warps(2) cluster(2, 1)`
// VARIANT to_theirs: in GRID `%c1` -> `%c2`
// RUN: %variant to_theirs %s | titan explain copy - 2>&1 | FileCheck %s --check-prefix=CHOSEN
// VARIANT empty: in COPY ` :` -> ` dispatch("") :`
// RUN: %variant empty %s | not titan check - 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: [copy-dispatch] there is no variant ''; there are tma, {{.*}}, scalars

!matrix = !titan.global<8x24xf16, strides = [24, 1]>
!tile = !titan.shared<16x24xf16>
!ring = !titan.shared<16x24xf16, slots = 2>
!far = !titan.shared<16x24xf16, cluster>

titan.kernel @overlap(%A: !matrix, %B: !matrix) warps(2) attributes { // @KERNEL
  titan.alignment = {A = 16, B = 16},
  titan.example = {A = "8x24 ints:1", B = "8x24"}, titan.reference = @same
} launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  titan.launch grid(%c1) // @GRID
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %cta = titan.cta_id 0
  %rank = titan.cluster_rank
  %ahead = arith.addi %cta, %c8 : index
  %tile = titan.shared.alloc : !tile
  %ring = titan.shared.alloc : !ring
  %number = arith.index_cast %cta : index to i32
  %here = titan.shared.slot %ring[%number : i32] : !ring -> !tile
  %i1 = arith.constant 1 : i32
  %other = arith.subi %i1, %number : i32
  %peer = arith.subi %i1, %rank : i32
  %there = titan.shared.slot %ring[%other : i32] : !ring -> !tile
  titan.copy %A to %tile[%c0, %c0] extents [8, 24] : !matrix, !tile
  titan.cta_sync
  titan.copy %tile[%c0, %c0] to %tile[%c8, %c0] extents [8, 24] : !tile, !tile // @COPY
  titan.cta_sync
  titan.copy %tile[%c8, %c0] to %B extents [8, 24] : !tile, !matrix
  titan.return
}

func.func private @same(%A: memref<?x?xf16> {titan.input = "A"}, %B: memref<?x?xf32> {titan.expected = "B"}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<?x?xf16>) outs(%B : memref<?x?xf32>) {
    ^bb0(%a: f16, %b: f32):
      %x = arith.extf %a : f16 to f32
      linalg.yield %x : f32
  }
  return
}
