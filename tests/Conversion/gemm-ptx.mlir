// The GEMM of the examples as PTX: what each partition becomes.
// RUN: titan compile %examples/gemm_bare.mlir --emit=ptx -o - | FileCheck %s

// CHECK: .version 8.6
// CHECK: .target sm_90a
// CHECK: .extern .shared .align 1024 .b8 titan_shared[];
// CHECK: .visible .entry gemm(
// CHECK: .param .align 64 .b8 gemm_param_0[128]
// CHECK: .reqntid 384, 1, 1
// CHECK: .maxnreg 168
// CHECK: shfl.sync.idx.b32
// CHECK: setp.ne.b32
// CHECK-COUNT-3: prefetch.tensormap
// CHECK-NOT: prefetch.tensormap
// CHECK: elect.sync
// CHECK: mbarrier.init.shared::cta.b64
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: barrier.sync.aligned 0;
// CHECK: setmaxnreg.dec.sync.aligned.u32
// CHECK: elect.sync
// CHECK: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64
// CHECK: mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _,
// CHECK-COUNT-2: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// CHECK: setmaxnreg.inc.sync.aligned.u32
// CHECK: wgmma.fence.sync.aligned;
// One product: 64 columns of K in steps of 16.
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// CHECK: wgmma.commit_group.sync.aligned;
// The product before this one may not be pending, this one may.
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: cvt.rn.bf16x2.f32
// CHECK: stmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: fence.proxy.async.shared::cta;
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// CHECK: cp.async.bulk.commit_group;
