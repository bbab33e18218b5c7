// Copies by a tensor map: loads, stores, reductions; one load to both CTAs of a cluster; im2col, with the filter's place.
// A bulk copy goes to several CTAs, too.
//
// RUN: titan explain copy %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: kernel @maps, line [[#]]: titan.copy_async %mapA to %tile; one thread
// EXPLAIN-NEXT: tma no: has_schedule: what moves is said by a map, not by a schedule of the tensor
// EXPLAIN-NEXT: tma_map 1 instruction of 8192 bytes, 1 thread, no fences; priority 20 <- chosen
// EXPLAIN-NEXT: bulk no: validate_copy_op: what moves is said by a map
// EXPLAIN: titan.copy_async %tile to %mapB
// EXPLAIN: tma_map 1 instruction of 8192 bytes, 1 thread, no fences; priority 20 <- chosen
// EXPLAIN: kernel @both
// EXPLAIN: tma_map 1 instruction of 8192 bytes
// EXPLAIN: kernel @pixels
// EXPLAIN: tma_map 1 instruction of 256 bytes
// RUN: for k in maps both pixels runs; do titan check %s --kernel $k || exit 1; done | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED-COUNT-4: accepted: 0 errors, 0 warnings
// RUN: for k in maps both runs; do for s in eager lazy random:1; do titan run %s --kernel $k --schedule $s || exit 1; done; done | FileCheck %s --check-prefix=EQUAL
// EQUAL-COUNT-9: elements equal to the reference, bit for bit
// RUN: titan compile --emit=ptx --kernel maps %s | FileCheck %s --check-prefix=MAPS
// MAPS: cp.async.bulk.tensor.2d.shared::cluster.global.{{.*}}mbarrier::complete_tx::bytes
// MAPS: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add
// RUN: titan compile --check=off --emit=manifest --kernel maps %s | FileCheck %s --check-prefix=L2
// L2: "l2_promotion":"128B"
// RUN: titan compile --emit=ptx --kernel both %s | FileCheck %s --check-prefix=BOTH
// BOTH: cp.async.bulk.tensor.2d.shared::cluster.global.{{.*}}.multicast::cluster
// RUN: titan compile --emit=ptx --kernel pixels %s | FileCheck %s --check-prefix=PIXELS
// PIXELS: cp.async.bulk.tensor.4d.shared::cluster.global.im2col
// RUN: titan compile --emit=ptx --kernel runs %s | FileCheck %s --check-prefix=RUNS
// RUNS: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
//
// Of a multicast each CTA tells its own barrier what to expect; of other loads the copy does.
// VARIANT unarmed: in ARM `arrive_expect_tx %full, %bytes :` -> `arrive %full :`
// RUN: %variant unarmed %s | not titan check --kernel both - 2>&1 | FileCheck %s --check-prefix=UNARMED
// UNARMED: [{{barrier-bytes|deadlock}}]
// An im2col load that starts outside of its map's bounding box is undefined: the launch makes sure that none does.
// RUN: titan check %s --kernel pixels --require=proved
// VARIANT far: in AT `-1` -> `3`
// RUN: %variant far %s | not titan run --kernel pixels - 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: error: [tma-im2col] coordinate 1 of what CTAs copy lies in the bounding box of its map (A[1] is 4)
// What the map is not for, the operation that it would be says.
// VARIANT shape: in TILE `64x64xbf16` -> `32x64xbf16`
// RUN: %variant shape %s | not titan explain copy --kernel both - 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: [copy-dispatch] no variant does it: {{.*}}tma_map: titan.tma.load: [tma-box-mismatch]
// VARIANT warp: in ELECT `titan.elect warp(0)` -> `scf.if %true`
// RUN: %variant warp %s | not titan explain copy --kernel both - 2>&1 | FileCheck %s --check-prefix=WARP
// WARP: tma_map: single_thread: expected single thread (titan.elect), and a warp executes it

!matrix = !titan.global<?x?xbf16>
!tile = !titan.shared<64x64xbf16, swizzle = 128> // @TILE
!map = !titan.tensor_map<64x64xbf16, swizzle = 128>
!bar = !titan.mbarrier
!bulk = !titan.token<bulk>

titan.kernel @maps(%A: !matrix, %B: !matrix) warps(1) attributes {
  titan.example = {A = "64x64 ints:1", B = "64x64 zeros"}, titan.reference = @same
} launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !matrix -> !map
  %mapB = titan.tensor_map %B : !matrix -> !map
  titan.launch grid(%c1) with(%mapA, %mapB : !map, !map)
} body(%mapA: !map, %mapB: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    titan.copy_async %mapA[%c0, %c0] to %tile signals %full cache(evict_first) : !map, !tile, !bar
    titan.mbarrier.arrive %full : !bar
    titan.mbarrier.wait %full parity(%i0) : !bar
    titan.copy_async %tile to %mapB[%c0, %c0] reduce(add) : !tile, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.return
}

titan.kernel @both(%A: !matrix, %B: !matrix) warps(1) cluster(2, 1) attributes {
  titan.example = {A = "64x64 ints:1", B = "128x64"}, titan.reference = @twice
} launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !matrix -> !map
  %mapB = titan.tensor_map %B : !matrix -> !map
  titan.launch grid(%c2) with(%mapA, %mapB : !map, !map)
} body(%mapA: !map, %mapB: !map) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %true = arith.constant true
  %all = arith.constant 3 : i16
  %bytes = arith.constant 8192 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %cta = titan.cta_id 0
  %row = arith.muli %cta, %c64 : index
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar // @ARM
  }
  titan.cluster.arrive
  titan.cluster.wait
  scf.if %first {
    titan.elect warp(0) { // @ELECT
      titan.copy_async %mapA[%c0, %c0] to %tile multicast(%all) signals %full : !map, !tile, !bar
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.elect {
    titan.copy_async %tile to %mapB[%row, %c0] : !tile, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

!packed = !titan.global<?x64xbf16, strides = [64, 1]>
!plain = !titan.shared<64x64xbf16>
titan.kernel @runs(%A: !packed, %B: !packed) warps(1) cluster(2, 1) attributes {
  titan.alignment = {A = 16, B = 16},
  titan.example = {A = "64x64 ints:1", B = "128x64"}, titan.reference = @twice
} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %all = arith.constant 3 : i16
  %bytes = arith.constant 8192 : i32
  %tile = titan.shared.alloc : !plain
  %full = titan.mbarrier.alloc : !bar
  %cta = titan.cta_id 0
  %row = arith.muli %cta, %c64 : index
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
  }
  titan.cluster.arrive
  titan.cluster.wait
  scf.if %first {
    titan.elect {
      titan.copy_async %A[%c0, %c0] to %tile multicast(%all) signals %full : !packed, !plain, !bar
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.elect {
    titan.copy_async %tile to %B[%row, %c0] cache(evict_last) : !plain, !packed
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

!images = !titan.global<?x?x?x8xbf16>
!im2col = !titan.tensor_map<im2col 16x8xbf16, lower = [-1, -1], upper = [-1, -1], element_strides = [1, 1, 1, 1]>
!pixels = !titan.shared<16x8xbf16>
!out = !titan.global<16x8xbf16, strides = [8, 1]>
titan.kernel @pixels(%A: !images, %B: !out) warps(1) attributes {
  titan.alignment = {B = 16},
  titan.example = {A = "2x4x4x8 ints:1", B = "16x8"}
} launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %A : !images -> !im2col
  titan.launch grid(%c1) with(%map : !im2col)
} body(%map: !im2col) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m1 = arith.constant -1 : index // @AT
  %i0 = arith.constant 0 : i32
  %tile = titan.shared.alloc : !pixels
  %full = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    titan.copy_async %map[%c0, %m1, %m1, %c0] filter(%c1, %c0) to %tile signals %full : !im2col, !pixels, !bar
    titan.mbarrier.arrive %full : !bar
    titan.mbarrier.wait %full parity(%i0) : !bar
    titan.copy_async %tile to %B : !pixels, !out
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.return
}

func.func private @same(%A: memref<?x?xbf16> {titan.input = "A"}, %B: memref<?x?xf32> {titan.expected = "B"}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<?x?xbf16>) outs(%B : memref<?x?xf32>) {
    ^bb0(%a: bf16, %b: f32):
      %x = arith.extf %a : bf16 to f32
      linalg.yield %x : f32
  }
  return
}
// B is A, twice.
func.func private @twice(%A: memref<?x?xbf16> {titan.input = "A"}, %B: memref<?x?xf32> {titan.expected = "B"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  scf.for %m = %c0 to %c128 step %c1 {
    scf.for %n = %c0 to %c64 step %c1 {
      %from = arith.remui %m, %c64 : index
      %a = memref.load %A[%from, %n] : memref<?x?xbf16>
      %x = arith.extf %a : bf16 to f32
      memref.store %x, %B[%m, %n] : memref<?x?xf32>
    }
  }
  return
}
