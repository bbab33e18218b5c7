// RUN: titan compile --check=off %s --emit=ptx | FileCheck %s
// RUN: titan compile --check=off %s -o %t.titanpkg
//
// Products of all element types: instructions, signs, accumulators, registers.

#acc = #titan.wgmma<1, 1>
#d = #titan.mma_sync<2, 2>
#bytes = #titan.layout<"reg: 4*c1, 2*r8, 4*c16; lane: 4*c4, 8*r1; warp: 4*r16">
!f32 = !titan.inflight<tensor<64x64xf32, #acc>>
!f16 = !titan.inflight<tensor<64x64xf16, #acc>>
!i32 = !titan.inflight<tensor<64x64xi32, #acc>>
!index = tensor<64x64xi32, #acc>
!half = !titan.shared<64x64xf16, swizzle = 128>
!words = !titan.shared<64x16xf32, swizzle = 64>
!e4m3 = !titan.shared<64x64xf8E4M3FN, swizzle = 64>
!e5m2 = !titan.shared<64x64xf8E5M2, swizzle = 64>
!bytes = !titan.shared<64x64xi8, swizzle = 64>
!plain = !titan.shared<8x64x8xbf16>

// CHECK-LABEL: .entry narrow(
// f16 sums lie in pairs: 16 registers, tied.
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16 {%r1, {{.*}}, %r15, %r16}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, {{use|yes}}, -1, 1, 1, 0;
// CHECK: wgmma.wait_group.sync.aligned 0;
titan.kernel @narrow(%P: !titan.global<?x?xf16>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !half
  %row = titan.coordinate 0 : !index
  %column = titan.coordinate 1 : !index
  %f = titan.inflight.none : !f16
  titan.mma.fence
  %0 = titan.mma %a transpose_a negate_a, %a, %f : !half, !half, !f16 -> !f16
  %g = titan.mma.commit : !titan.token<mma>
  %sums = titan.mma.result %0 : !f16 -> tensor<64x64xf16, #acc>
  titan.global.store %sums, %P[%row, %column] : tensor<64x64xf16, #acc>, !titan.global<?x?xf16>, !index, !index
  titan.return
}

// CHECK-LABEL: .entry floats(
// CHECK-COUNT-2: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {{.*}}, 1, -1;
// CHECK-COUNT-2: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e5m2 {{.*}}, 1, 1;
// CHECK-COUNT-2: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 {{.*}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+.}}, %rd{{[0-9]+}}, {{use|yes}}, 1, 1;
// Without swizzle: K-major A, MN-major B.
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, 1, 1, 0, 1;
titan.kernel @floats(%P: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %words = titan.shared.alloc : !words
  %e4m3 = titan.shared.alloc : !e4m3
  %e5m2 = titan.shared.alloc : !e5m2
  %plain = titan.shared.alloc : !plain
  %row = titan.coordinate 0 : !index
  %column = titan.coordinate 1 : !index
  %yes = arith.constant true
  %registers = titan.shared.load %e4m3 : !e4m3 -> tensor<64x64xf8E4M3FN, #bytes>
  %f = titan.inflight.none : !f32
  titan.mma.fence
  %0 = titan.mma %words, %words negate_b, %f : !words, !words, !f32 -> !f32
  %1 = titan.mma %e4m3, %e5m2, %0 accumulate(%yes) : !e4m3, !e5m2, !f32 -> !f32
  %2 = titan.mma %registers, %e4m3, %1 accumulate(%yes) : tensor<64x64xf8E4M3FN, #bytes>, !e4m3, !f32 -> !f32
  %3 = titan.mma %plain, %plain transpose_b, %2 accumulate(%yes) : !plain, !plain, !f32 -> !f32
  %g = titan.mma.commit : !titan.token<mma>
  %sums = titan.mma.result %3 : !f32 -> tensor<64x64xf32, #acc>
  titan.global.store %sums, %P[%row, %column] : tensor<64x64xf32, #acc>, !titan.global<?x?xf32>, !index, !index
  titan.return
}

// CHECK-LABEL: .entry integers(
// CHECK-COUNT-2: wgmma.mma_async.sync.aligned.m64n64k32.s32.u8.s8.satfinite {{.*}}, {{use|yes}};
titan.kernel @integers(%P: !titan.global<?x?xi32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !bytes
  %row = titan.coordinate 0 : !index
  %column = titan.coordinate 1 : !index
  %f = titan.inflight.none : !i32
  titan.mma.fence
  %0 = titan.mma %a unsigned_a, %a, %f saturate : !bytes, !bytes, !i32 -> !i32
  %g = titan.mma.commit : !titan.token<mma>
  %sums = titan.mma.result %0 : !i32 -> tensor<64x64xi32, #acc>
  titan.global.store %sums, %P[%row, %column] : tensor<64x64xi32, #acc>, !titan.global<?x?xi32>, !index, !index
  titan.return
}

// K of 24: an instruction of 16, then one of 8; two of 8 columns for a warp.
// CHECK-LABEL: .entry warps(
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32
// CHECK-NOT: mma.sync
titan.kernel @warps(%P: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<32x24xbf16>
  %index0 = titan.coordinate 0 : tensor<32x32xi32, #d>
  %index1 = titan.coordinate 1 : tensor<32x32xi32, #d>
  %left = titan.shared.load %a : !titan.shared<32x24xbf16> -> tensor<32x24xbf16, #titan.mma_sync_a<16, 2, 2>>
  %right = titan.shared.load %a : !titan.shared<32x24xbf16> -> tensor<32x24xbf16, #titan.mma_sync_b<16, 2, 2>>
  %zero = arith.constant 0.0 : f32
  %c = titan.splat %zero : f32 -> tensor<32x32xf32, #d>
  %sums = titan.mma_sync %left, %right, %c : tensor<32x24xbf16, #titan.mma_sync_a<16, 2, 2>>, tensor<32x24xbf16, #titan.mma_sync_b<16, 2, 2>>, tensor<32x32xf32, #d> -> tensor<32x32xf32, #d>
  titan.global.store %sums, %P[%index0, %index1] : tensor<32x32xf32, #d>, !titan.global<?x?xf32>, tensor<32x32xi32, #d>, tensor<32x32xi32, #d>
  titan.return
}
