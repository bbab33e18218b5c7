// What a copy by TMA says besides what moves: that it goes to the L2 cache alone (prefetch), to several CTAs (multicast), under a
// cache policy, by a reduction; by a schedule, and by a map, tiled or im2col.
//
// RUN: titan explain copy %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: kernel @schedule, line [[#]]: titan.copy_async %A to %tile; one thread
// EXPLAIN-NEXT: tma 1 instruction of 8192 bytes, 1 thread, no fences; priority 20 <- chosen
// EXPLAIN: kernel @map, line [[#]]: titan.copy_async %mapA to %tile; one thread
// EXPLAIN: tma_map 1 instruction of 8192 bytes
// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-lower-copies))' | FileCheck %s --check-prefix=IR
// IR-LABEL: titan.kernel @schedule
// IR: titan.tma.prefetch %[[MAP:.*]][%{{.*}}, %{{.*}}] cache(evict_last) : <64x64xbf16, swizzle = 128>
// IR-NOT: titan.mbarrier.expect_tx
// IR: titan.tma.load %{{.*}}, %[[TILE:.*]], %[[FULL:.*]] multicast(%{{.*}}) cache(evict_first, fraction = 7.500000e-01)
// IR: titan.tma.reduce add %{{.*}} cache(evict_last)
// IR-LABEL: titan.kernel @map
// IR: titan.tma.prefetch
// IR: titan.mbarrier.expect_tx
// IR-NEXT: titan.tma.load
// IR-LABEL: titan.kernel @pixels
// IR: titan.tma.prefetch %{{.*}} offsets[%{{.*}}, %{{.*}}] : <im2col
// RUN: for k in schedule map; do titan check %s --kernel $k || exit 1; done | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED-COUNT-2: accepted: 0 errors, 0 warnings
// RUN: for k in schedule map; do for s in eager lazy random:1; do for h in on off; do titan run %s --kernel $k --schedule $s --hazards $h || exit 1; done; done; done | FileCheck %s --check-prefix=EQUAL
// EQUAL-COUNT-12: elements equal to the reference, bit for bit
// RUN: titan run %s --kernel pixels | FileCheck %s --check-prefix=PIXELS
// PIXELS: @pixels: ran, not compared with a reference
// RUN: titan compile --emit=ptx %s | FileCheck %s --check-prefix=PTX
// PTX-DAG: createpolicy.fractional.L2::evict_first.b64 %rd{{[0-9]+}}, 0f3F400000;
// PTX-DAG: cp.async.bulk.prefetch.tensor.2d.L2.global.tile.L2::cache_hint [{{.*}}, {{{.*}}}], {{.*}};
// PTX-DAG: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint
// PTX-DAG: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group.L2::cache_hint
// PTX-DAG: cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [{{.*}}, {{{.*}}}], {{{.*}}};
// RUN: %if ptxas %{ titan compile %s -o %t.titanpkg %}
//
// A prefetch signals nothing; it comes from global memory; threads and bulk copies have none.
// VARIANT signals: in FETCH `prefetch` -> `prefetch multicast(%all)`
// RUN: %variant signals %s | not titan check --kernel schedule - 2>&1 | FileCheck %s --check-prefix=PARSED
// PARSED: 'multicast' is no word of a copy
// VARIANT barrier: in MAP `prefetch cache(evict_last) : !map, !tile` -> `signals %full prefetch : !map, !tile, !bar`
// RUN: %variant barrier %s | not titan check --kernel map - 2>&1 | FileCheck %s --check-prefix=BARRIER
// BARRIER: [copy-form] `prefetch` copies nothing: it signals nothing
// VARIANT back: in REDUCE `schedule(#tile) reduce(add)` -> `prefetch schedule(#tile)`
// RUN: %variant back %s | not titan check --kernel schedule - 2>&1 | FileCheck %s --check-prefix=BACK
// BACK: [copy-form] `prefetch` is of copies from global memory
// VARIANT places: in PLACES `signals %full : !out, !pixels, !bar` -> `prefetch : !out, !pixels`
// RUN: %variant places %s | not titan explain copy --kernel places - 2>&1 | FileCheck %s --check-prefix=PLACES
// PLACES: bulk: words: prefetch is of copies by a schedule or a map
// What nobody has copied nobody waits for.
// VARIANT nothing: drop LOAD
// RUN: %variant nothing %s | not titan check --kernel map - 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: [{{undefined-read|deadlock|barrier-bytes}}]
// Of a multicast each CTA tells its own barrier what to expect.
// VARIANT unarmed: in ARM `arrive_expect_tx %full, %bytes :` -> `arrive %full :`
// RUN: %variant unarmed %s | not titan check --kernel schedule - 2>&1 | FileCheck %s --check-prefix=UNARMED
// UNARMED: [{{barrier-bytes|deadlock}}]

#tile = #titan.schedule<
  tensor M x K
  Mo, Mi = split(M, 64)
  Ko, Ki = split(K, 64)
  bulk Mi, Ki>
!matrix = !titan.global<?x?xbf16>
!tile = !titan.shared<64x64xbf16, swizzle = 128>
!map = !titan.tensor_map<64x64xbf16, swizzle = 128>
!bar = !titan.mbarrier
!bulk = !titan.token<bulk>

// Each of two CTAs adds A to B; one of them loads it for both.
titan.kernel @schedule(%A: !matrix, %B: !matrix) warps(1) cluster(2, 1) attributes {
  titan.example = {A = "64x64 ints:1", B = "64x64 zeros"}, titan.reference = @doubled
} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %all = arith.constant 3 : i16
  %bytes = arith.constant 8192 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
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
    titan.elect {
      titan.copy_async %A at(Mo = %c0, Ko = %c0) to %tile prefetch schedule(#tile) cache(evict_last) : !matrix, !tile // @FETCH
      titan.copy_async %A at(Mo = %c0, Ko = %c0) to %tile multicast(%all) signals %full schedule(#tile) cache(evict_first, fraction = 0.75) : !matrix, !tile, !bar
    }
  }
  titan.mbarrier.wait %full parity(%i0) scope(cluster) : !bar
  titan.elect {
    titan.copy_async %tile to %B at(Mo = %c0, Ko = %c0) schedule(#tile) reduce(add) cache(evict_last) : !tile, !matrix // @REDUCE
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

titan.kernel @map(%A: !matrix, %B: !matrix) warps(1) attributes {
  titan.example = {A = "64x64 ints:1", B = "64x64"}, titan.reference = @same
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
    titan.copy_async %mapA[%c0, %c0] to %tile prefetch cache(evict_last) : !map, !tile // @MAP
    titan.copy_async %mapA[%c0, %c0] to %tile signals %full : !map, !tile, !bar // @LOAD
    titan.mbarrier.arrive %full : !bar
    titan.mbarrier.wait %full parity(%i0) : !bar
    titan.copy_async %tile to %mapB[%c0, %c0] : !tile, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.return
}

!images = !titan.global<?x?x?x8xbf16>
!im2col = !titan.tensor_map<im2col 16x8xbf16, lower = [-1, -1], upper = [-1, -1], element_strides = [1, 1, 1, 1]>
!pixels = !titan.shared<16x8xbf16>
titan.kernel @pixels(%A: !images) warps(1) attributes {titan.example = {A = "2x4x4x8 ints:1"}} launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %A : !images -> !im2col
  titan.launch grid(%c1) with(%map : !im2col)
} body(%map: !im2col) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m1 = arith.constant -1 : index
  %tile = titan.shared.alloc : !pixels
  titan.elect {
    titan.copy_async %map[%c0, %m1, %m1, %c0] filter(%c1, %c0) to %tile prefetch : !im2col, !pixels
  }
  titan.return
}

!out = !titan.global<16x8xbf16, strides = [8, 1]>
titan.kernel @places(%A: !out) warps(1) attributes {titan.alignment = {A = 16}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %tile = titan.shared.alloc : !pixels
  %full = titan.mbarrier.alloc : !bar
  %i0 = arith.constant 0 : i32
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    titan.copy_async %A to %tile signals %full : !out, !pixels, !bar // @PLACES
    titan.mbarrier.arrive %full : !bar
    titan.mbarrier.wait %full parity(%i0) : !bar
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
func.func private @doubled(%A: memref<?x?xbf16> {titan.input = "A"}, %B: memref<?x?xf32> {titan.expected = "B"}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<?x?xbf16>) outs(%B : memref<?x?xf32>) {
    ^bb0(%a: bf16, %b: f32):
      %x = arith.extf %a : bf16 to f32
      %y = arith.addf %x, %x : f32
      linalg.yield %y : f32
  }
  return
}
