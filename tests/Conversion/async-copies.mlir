// cp.async, bulk copies without a map, st.async and red.async as PTX, which ptxas assembles.
// RUN: titan compile --check=off %s --emit=ptx -o - | FileCheck %s
// RUN: %if ptxas %{ titan compile --check=off %s --emit=cubin -o %t %}

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#pairs = #titan.blocked<elements = [1, 2], lanes = [1, 32], warps = [4, 1]>
!matrix = !titan.global<?x?xbf16>
!packed = !titan.global<?x64xbf16, strides = [64, 1]>
!ints = !titan.global<?x64xi32, strides = [64, 1]>
!tile = !titan.shared<64x64xbf16, swizzle = 128>
!plain = !titan.shared<64x64xbf16>
!row = !titan.shared<64xbf16>
!sums = !titan.shared<64x64xi32>
!peer = !titan.shared<64x64xbf16, cluster>
!peer_sums = !titan.shared<64x64xi32, cluster>
!index = tensor<64x64xi32, #rows>
!bits = tensor<64x64xi1, #rows>
!reg = tensor<64x64xbf16, #rows>
!thin = tensor<64x64xbf16, #pairs>
!thin_index = tensor<64x64xi32, #pairs>
!bar = !titan.mbarrier
!far = !titan.mbarrier<cluster>

titan.kernel @copies(%A: !matrix, %B: !packed, %C: !ints) warps(4) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %both = arith.constant 3 : i16
  %tile = titan.shared.alloc : !tile
  %plain = titan.shared.alloc : !plain
  %row = titan.shared.alloc : !row
  %sums = titan.shared.alloc : !sums
  %bar = titan.mbarrier.alloc : !bar
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  %mask = arith.cmpi slt, %j, %i : !index
  // 64 rows of 64 elements, 128 threads: 4 chunks of 16 bytes each.
  // CHECK-COUNT-4: cp.async.cg.shared::cta.global [{{%r[0-9]+}}], [{{%rd[0-9]+}}], 16, {{%r[0-9]+}};
  titan.cp_async %A[%i, %j] mask(%mask : !bits), %tile bytes(16) cg : !matrix, !index, !index -> !tile
  // CHECK-COUNT-8: cp.async.ca.shared::cta.global [{{%r[0-9]+}}], [{{%rd[0-9]+}}], 8;
  titan.cp_async %A[%i, %j], %plain bytes(8) : !matrix, !index, !index -> !plain
  // CHECK: cp.async.commit_group
  %g = titan.cp_async.commit : !titan.token<async>
  // CHECK: cp.async.commit_group
  %h = titan.cp_async.commit : !titan.token<async>
  // CHECK: cp.async.wait_group 1
  titan.cp_async.wait %g : !titan.token<async>
  // CHECK: cp.async.wait_group 0
  titan.cp_async.wait_group 0
  // CHECK: cp.async.mbarrier.arrive.noinc.shared::cta.b64
  titan.cp_async.mbarrier_arrive %bar noinc : !bar
  // CHECK: cp.async.mbarrier.arrive.shared::cta.b64
  titan.cp_async.mbarrier_arrive %bar : !bar
  titan.elect warp(0) {
    // CHECK: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [{{.*}}], [{{.*}}], 128, [{{.*}}], {{%rs[0-9]+}}, {{%rd[0-9]+}};
    titan.bulk.load %A[%c0, %c0], %row, %bar multicast(%both) cache(evict_first) : !matrix, !row, !bar
    // CHECK: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{{.*}}], [{{.*}}], 8192, [{{.*}}];
    titan.bulk.load %B[%c0, %c0], %plain, %bar : !packed, !plain, !bar
    // CHECK: cp.async.bulk.global.shared::cta.bulk_group [{{%rd.*}}], [{{%r.*}}], 8192;
    titan.bulk.store %plain, %B[%c0, %c0] : !plain, !packed
    // CHECK: cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [{{.*}}], [{{.*}}], 8192;
    titan.bulk.reduce add %plain, %B[%c0, %c0] : !plain, !packed
    // CHECK: cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.min.s32 [{{.*}}], [{{.*}}], 16384, {{%rd[0-9]+}};
    titan.bulk.reduce min %sums, %C[%c0, %c0] cache(evict_last) : !sums, !ints
    // CHECK: mbarrier.complete_tx.relaxed.cta.shared::cta.b64
    titan.mbarrier.complete_tx %bar, %i1 : !bar
  }
  %peer = titan.map_rank %plain, %i1 : !plain -> !peer
  %peer_sums = titan.map_rank %sums, %i1 : !sums -> !peer_sums
  %far = titan.map_rank %bar, %i1 : !bar -> !far
  titan.elect warp(0) {
    // CHECK: cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [{{.*}}], [{{.*}}], 8192, [{{.*}}];
    titan.bulk.copy_to_peer %plain, %peer, %far : !plain, !peer, !far
    // CHECK: cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.xor.b32 [{{.*}}], [{{.*}}], 16384, [{{.*}}];
    titan.bulk.reduce_to_peer xor %sums, %peer_sums, %far : !sums, !peer_sums, !far
    // CHECK: mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64
    titan.mbarrier.complete_tx %far, %i1 : !far
  }
  %x = titan.global.load %A[%i, %j] : !matrix, !index, !index -> !reg
  // CHECK-COUNT-4: st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [{{.*}}], {{{.*}}}, [{{.*}}];
  titan.st_async %x, %peer, %far : !reg, !peer, !far
  %k = titan.coordinate 0 : !thin_index
  %y = titan.global.load %A[%k, %k] : !matrix, !thin_index, !thin_index -> !thin
  // CHECK: st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [{{%r[0-9]+}}], {{%r[0-9]+}}, [{{%r[0-9]+}}];
  titan.st_async %y, %peer, %far : !thin, !peer, !far
  // CHECK: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32
  titan.red_async add %i, %peer_sums, %far : !index, !peer_sums, !far
  // CHECK: red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32
  titan.red_async max %i, %peer_sums, %far : !index, !peer_sums, !far
  // CHECK: mbarrier.arrive_drop.release.cta.shared::cta.b64 _,
  titan.mbarrier.arrive_drop %bar : !bar
  // CHECK: mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _,
  titan.mbarrier.arrive_drop %far scope(cluster) : !far
  titan.return
}
