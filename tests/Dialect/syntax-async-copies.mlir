// RUN: titan-opt %s | titan-opt | FileCheck %s
// RUN: titan-opt %s --mlir-print-op-generic | titan-opt | FileCheck %s
// RUN: titan explain effects %s | FileCheck %s --check-prefix=EFFECTS
//
// cp.async, bulk copies without a map, st.async and red.async, and what they do to barriers: as
// they are written, as they are printed back, and what they are said to do.

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!matrix = !titan.global<?x?xbf16>
!packed = !titan.global<?x64xbf16, strides = [64, 1]>
!tile = !titan.shared<64x64xbf16, swizzle = 128>
!plain = !titan.shared<64x64xbf16>
!row = !titan.shared<64xbf16>
!sums = !titan.shared<64x64xi32>
!peer = !titan.shared<64x64xbf16, cluster>
!peer_sums = !titan.shared<64x64xi32, cluster>
!index = tensor<64x64xi32, #rows>
!bits = tensor<64x64xi1, #rows>
!reg = tensor<64x64xbf16, #rows>
!bar = !titan.mbarrier
!ring = !titan.mbarrier<2>
!there = !titan.mbarrier<cluster>

titan.kernel @all(%A: !matrix, %B: !packed) warps(4) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %both = arith.constant 3 : i16
  %tile = titan.shared.alloc : !tile
  %plain = titan.shared.alloc : !plain
  %row = titan.shared.alloc : !row
  %sums = titan.shared.alloc : !sums
  %bar = titan.mbarrier.alloc : !bar
  %ring = titan.mbarrier.alloc : !ring
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  %mask = arith.cmpi slt, %i, %j : !index
  // CHECK: titan.cp_async %A[%{{.*}}, %{{.*}}] mask(%{{.*}} : tensor<64x64xi1, #{{.*}}>), %{{.*}} bytes(16) cg
  // EFFECTS: titan.cp_async, a tile over the region
  // EFFECTS-NEXT: read elements of %A[%i, %j] where %mask, generic, asynchronous proxy, async group [PTX ISA, cp.async]
  // EFFECTS-NEXT: write a tile's elements of %tile, generic, asynchronous proxy, async group [PTX ISA, cp.async]
  titan.cp_async %A[%i, %j] mask(%mask : !bits), %tile bytes(16) cg : !matrix, !index, !index -> !tile
  // CHECK: titan.cp_async %A[%{{.*}}, %{{.*}}], %{{.*}} bytes(4)
  titan.cp_async %A[%i, %j], %plain bytes(4) : !matrix, !index, !index -> !plain
  // CHECK: titan.cp_async.commit
  // EFFECTS: commit async group
  %g = titan.cp_async.commit : !titan.token<async>
  // CHECK: titan.cp_async.wait %{{.*}}
  // EFFECTS: wait async group %g
  titan.cp_async.wait %g : !titan.token<async>
  // CHECK: titan.cp_async.wait_group 1
  // EFFECTS: wait async group <= 1 pending
  titan.cp_async.wait_group 1
  // CHECK: titan.cp_async.mbarrier_arrive %{{.*}}[%{{.*}} : i32] noinc
  // EFFECTS: arrive 1 on %ring[%i0] after async group, .relaxed.cta
  titan.cp_async.mbarrier_arrive %ring[%i0 : i32] noinc : !ring
  // CHECK: titan.cp_async.mbarrier_arrive %{{.*}}
  // EFFECTS: arrive 1 on %bar after async group, incrementing, .relaxed.cta
  titan.cp_async.mbarrier_arrive %bar : !bar
  titan.elect warp(0) {
    // CHECK: titan.bulk.load %A[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}}[%{{.*}} : i32] multicast(%{{.*}}) cache(evict_first)
    // EFFECTS: read box %A[%c0, %c0] of 1x64, async proxy, until complete_tx [PTX ISA, cp.async.bulk]
    // EFFECTS-NEXT: write all of %row in the CTAs of mask %both, async proxy, until complete_tx
    // EFFECTS-NEXT: complete_tx 128 bytes on %ring[%i0] in the CTAs of mask %both when written
    titan.bulk.load %A[%c0, %c0], %row, %ring[%i0 : i32] multicast(%both) cache(evict_first) : !matrix, !row, !ring
    // CHECK: titan.bulk.load %B[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}}
    titan.bulk.load %B[%c0, %c0], %plain, %bar : !packed, !plain, !bar
    // CHECK: titan.bulk.store %{{.*}}, %B[%{{.*}}, %{{.*}}]
    // EFFECTS: read all of %plain, async proxy, bulk group
    // EFFECTS-NEXT: write box %B[%c0, %c0] of 64x64, async proxy, bulk group
    titan.bulk.store %plain, %B[%c0, %c0] : !plain, !packed
    // CHECK: titan.bulk.reduce add %{{.*}}, %B[%{{.*}}, %{{.*}}]
    // EFFECTS: reduce (add) box %B[%c0, %c0] of 64x64, async proxy, bulk group [PTX ISA, cp.reduce.async.bulk]
    titan.bulk.reduce add %plain, %B[%c0, %c0] : !plain, !packed
    // CHECK: titan.mbarrier.complete_tx %{{.*}}[%{{.*}} : i32], %{{.*}}
    // EFFECTS: complete_tx %i1 bytes on %ring[%i0] when written
    titan.mbarrier.complete_tx %ring[%i0 : i32], %i1 : !ring
  }
  %peer = titan.map_rank %plain, %i1 : !plain -> !peer
  %peer_sums = titan.map_rank %sums, %i1 : !sums -> !peer_sums
  %there = titan.map_rank %bar, %i1 : !bar -> !there
  titan.elect warp(0) {
    // CHECK: titan.bulk.copy_to_peer %{{.*}}, %{{.*}}, %{{.*}}
    // EFFECTS: write all of %peer, async proxy, until complete_tx [PTX ISA, cp.async.bulk]
    // EFFECTS-NEXT: complete_tx 8192 bytes on %there in CTA %i1 when written
    titan.bulk.copy_to_peer %plain, %peer, %there : !plain, !peer, !there
    // CHECK: titan.bulk.reduce_to_peer xor %{{.*}}, %{{.*}}, %{{.*}}
    titan.bulk.reduce_to_peer xor %sums, %peer_sums, %there : !sums, !peer_sums, !there
  }
  %x = titan.global.load %A[%i, %j] : !matrix, !index, !index -> !reg
  // CHECK: titan.st_async %{{.*}}, %{{.*}}, %{{.*}}
  // EFFECTS: write a tile's elements of %peer, generic, asynchronous proxy, until complete_tx [PTX ISA, st.async]
  // EFFECTS-NEXT: complete_tx 2 bytes an element on %there in CTA %i1 when written [PTX ISA, st.async]
  titan.st_async %x, %peer, %there : !reg, !peer, !there
  // CHECK: titan.red_async max %{{.*}}, %{{.*}}, %{{.*}}
  // EFFECTS: reduce (max) a tile's elements of %peer_sums, generic, asynchronous proxy, until complete_tx, .relaxed.cluster [PTX ISA, red.async]
  titan.red_async max %i, %peer_sums, %there : !index, !peer_sums, !there
  // CHECK: titan.mbarrier.arrive_drop %{{.*}}
  // EFFECTS: arrive 1 on %bar, for good, .release.cta [PTX ISA, mbarrier.arrive_drop]
  titan.mbarrier.arrive_drop %bar : !bar
  // CHECK: titan.mbarrier.arrive_drop %{{.*}} sem(relaxed) scope(cluster) {count = 2 : i64} : !titan.mbarrier -> !titan.phase
  %state = titan.mbarrier.arrive_drop %bar sem(relaxed) scope(cluster) {count = 2 : i64} : !bar -> !titan.phase
  titan.return
}
