// Every barrier and fence, with its semantics and scope, as PTX.
// RUN: titan compile --check=off %s --emit=ptx -o - | FileCheck %s

!bars = !titan.mbarrier<2>
!remote = !titan.mbarrier<2, cluster>

titan.kernel @barriers(%out: !titan.global<?xi32>) warps(8) cluster(2) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 64 : i32
  %c0 = arith.constant 0 : index
  %b = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    // CHECK: elect.sync
    // CHECK-COUNT-2: mbarrier.init.shared::cta.b64
    titan.mbarrier.init %b count(3) : !bars
    // CHECK: fence.mbarrier_init.release.cluster;
    titan.fence.mbarrier_init
  }
  // CHECK: barrier.cluster.arrive.release.aligned;
  titan.cluster.arrive
  // CHECK: barrier.cluster.wait.acquire.aligned;
  titan.cluster.wait
  %peer = titan.map_rank %b, %i1 : !bars -> !remote
  // CHECK: mapa.shared::cluster.u32
  // CHECK: mbarrier.arrive.release.cluster.shared::cluster.b64 _,
  titan.mbarrier.arrive %peer[%i0 : i32] scope(cluster) : !remote
  // CHECK: mbarrier.test_wait.parity.relaxed.cluster
  %between = titan.mbarrier.test_wait %b[%i0 : i32] parity(%i1) {scope = #titan<scope cluster>, sem = #titan<sem relaxed>} : !bars
  // The second one releases what the first one did: no fence before both stands for it.
  // CHECK-NOT: fence
  // CHECK: mbarrier.arrive.release.cluster.shared::cluster.b64 _,
  // CHECK-NOT: fence
  // CHECK: mbarrier.arrive.release.cluster.shared::cluster.b64 _,
  titan.mbarrier.arrive %peer[%i0 : i32] scope(cluster) : !remote
  %self = titan.map_rank %b, %i0 : !bars -> !remote
  titan.mbarrier.arrive %self[%i0 : i32] scope(cluster) : !remote
  // CHECK: mbarrier.arrive.release.cta.shared::cta.b64 %rd
  %state = titan.mbarrier.arrive %b[%i1 : i32] : !bars -> !titan.phase
  // CHECK: mbarrier.try_wait.acquire.cta.shared::cta.b64 done
  titan.mbarrier.wait_state %b[%i1 : i32] state(%state) : !bars
  // CHECK: mbarrier.expect_tx.relaxed.cta.shared::cta.b64
  titan.mbarrier.expect_tx %b[%i0 : i32], %bytes : !bars
  // CHECK: mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _,
  titan.mbarrier.arrive_expect_tx %b[%i0 : i32], %bytes : !bars
  // CHECK: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done
  titan.mbarrier.wait %b[%i0 : i32] parity(%i0) scope(cluster) : !bars
  // CHECK: mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 done
  %done = titan.mbarrier.test_wait %b[%i0 : i32] parity(%i1) : !bars
  %v = arith.extui %done : i1 to i32
  // CHECK: barrier.sync.aligned 0;
  titan.cta_sync
  // CHECK: barrier.arrive.aligned 3, 96;
  titan.barrier.arrive 3 threads(96)
  // CHECK: barrier.sync.aligned 2, 256;
  titan.barrier.sync 2 threads(256)
  // CHECK: bar.warp.sync
  titan.syncwarp
  // CHECK: fence.acq_rel.gpu;
  titan.fence acq_rel gpu
  // CHECK: fence.proxy.async;
  titan.fence.proxy_async all
  // CHECK: fence.proxy.async.global;
  titan.fence.proxy_async global
  // CHECK: fence.proxy.async.shared::cluster;
  titan.fence.proxy_async shared_cluster
  // CHECK: st.relaxed.gpu.global.b32
  titan.st %v, %out[%c0] sem(relaxed) scope(gpu) : i32, !titan.global<?xi32>
  // CHECK-COUNT-2: mbarrier.inval.shared::cta.b64
  titan.mbarrier.inval %b : !bars
  // CHECK: barrier.cluster.arrive.relaxed.aligned;
  titan.cluster.arrive relaxed
  titan.cluster.wait
  titan.return
}
