// RUN: titan-opt %s | titan-opt | FileCheck %s
// RUN: titan-opt %s --mlir-print-op-generic | titan-opt | FileCheck %s
//
// Products of all element types, and of warps.

#acc = #titan.wgmma<1, 1>
#d = #titan.mma_sync<2, 2>
#a = #titan.mma_sync_a<16, 2, 2>
#b = #titan.mma_sync_b<16, 2, 2>
#a8 = #titan.mma_sync_a<8, 2, 2>
#b8 = #titan.mma_sync_b<8, 2, 2>
#words = #titan.layout<"reg: 2*r8, 4*c4; lane: 4*c1, 8*r1; warp: 4*r16">
!f32 = !titan.inflight<tensor<64x64xf32, #acc>>
!f16 = !titan.inflight<tensor<64x64xf16, #acc>>
!i32 = !titan.inflight<tensor<64x64xi32, #acc>>

// CHECK-LABEL: titan.kernel @wgmma
titan.kernel @wgmma() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %half = titan.shared.alloc : !titan.shared<64x64xf16, swizzle = 128>
  %brain = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %words = titan.shared.alloc : !titan.shared<64x16xf32, swizzle = 64>
  %e4m3 = titan.shared.alloc : !titan.shared<64x64xf8E4M3FN, swizzle = 64>
  %e5m2 = titan.shared.alloc : !titan.shared<64x64xf8E5M2, swizzle = 64>
  %bytes = titan.shared.alloc : !titan.shared<64x64xi8, swizzle = 64>
  %plain = titan.shared.alloc : !titan.shared<8x64x8xbf16>
  %zero = arith.constant 0.0 : f32
  %registers = titan.splat %zero : f32 -> tensor<64x16xf32, #words>
  %f = titan.inflight.none : !f32
  %h = titan.inflight.none : !f16
  %i = titan.inflight.none : !i32
  // CHECK: titan.mma %{{.*}} transpose_a negate_a, %{{.*}} transpose_b negate_b, %{{.*}} : {{.*}}xf16, {{.*}}xf16
  %0 = titan.mma %half transpose_a negate_a, %half transpose_b negate_b, %h : !titan.shared<64x64xf16, swizzle = 128>, !titan.shared<64x64xf16, swizzle = 128>, !f16 -> !f16
  // CHECK: titan.mma %{{.*}}, %{{.*}}, %{{.*}} : {{.*}}xf32{{.*}}xf32
  %1 = titan.mma %words, %words, %f : !titan.shared<64x16xf32, swizzle = 64>, !titan.shared<64x16xf32, swizzle = 64>, !f32 -> !f32
  // CHECK: titan.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x16xf32, {{.*}}>, <64x16xf32
  %2 = titan.mma %registers, %words, %f : tensor<64x16xf32, #words>, !titan.shared<64x16xf32, swizzle = 64>, !f32 -> !f32
  // CHECK: titan.mma %{{.*}}, %{{.*}}, %{{.*}} : {{.*}}f8E4M3FN{{.*}}f8E5M2
  %3 = titan.mma %e4m3, %e5m2, %f : !titan.shared<64x64xf8E4M3FN, swizzle = 64>, !titan.shared<64x64xf8E5M2, swizzle = 64>, !f32 -> !f32
  %4 = titan.mma %e5m2, %e5m2, %h : !titan.shared<64x64xf8E5M2, swizzle = 64>, !titan.shared<64x64xf8E5M2, swizzle = 64>, !f16 -> !f16
  // CHECK: titan.mma %{{.*}} unsigned_a, %{{.*}}, %{{.*}} saturate : {{.*}}xi8
  %5 = titan.mma %bytes unsigned_a, %bytes, %i saturate : !titan.shared<64x64xi8, swizzle = 64>, !titan.shared<64x64xi8, swizzle = 64>, !i32 -> !i32
  // CHECK: titan.mma %{{.*}}, %{{.*}} unsigned_b, %{{.*}} : {{.*}}xi8
  %6 = titan.mma %bytes, %bytes unsigned_b, %i : !titan.shared<64x64xi8, swizzle = 64>, !titan.shared<64x64xi8, swizzle = 64>, !i32 -> !i32
  // CHECK: titan.mma %{{.*}}, %{{.*}} transpose_b, %{{.*}} : !titan.shared<8x64x8xbf16>, <8x64x8xbf16>
  %7 = titan.mma %plain, %plain transpose_b, %f : !titan.shared<8x64x8xbf16>, !titan.shared<8x64x8xbf16>, !f32 -> !f32
  titan.return
}

// CHECK-LABEL: titan.kernel @warps
titan.kernel @warps() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %z = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  %byte = arith.constant 1 : i8
  %none = arith.constant 0 : i32
  %a = titan.splat %z : bf16 -> tensor<64x24xbf16, #a>
  %b = titan.splat %z : bf16 -> tensor<32x24xbf16, #b>
  %c = titan.splat %zero : f32 -> tensor<64x32xf32, #d>
  // CHECK: titan.mma_sync %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x24xbf16, {{.*}}>, tensor<32x24xbf16, {{.*}}>, tensor<64x32xf32, {{.*}}> -> tensor<64x32xf32
  %d = titan.mma_sync %a, %b, %c : tensor<64x24xbf16, #a>, tensor<32x24xbf16, #b>, tensor<64x32xf32, #d> -> tensor<64x32xf32, #d>
  %x = titan.splat %byte : i8 -> tensor<64x32xi8, #a8>
  %y = titan.splat %byte : i8 -> tensor<32x32xi8, #b8>
  %s = titan.splat %none : i32 -> tensor<64x32xi32, #d>
  // CHECK: titan.mma_sync %{{.*}} unsigned_a, %{{.*}} unsigned_b, %{{.*}} saturate :
  %t = titan.mma_sync %x unsigned_a, %y unsigned_b, %s saturate : tensor<64x32xi8, #a8>, tensor<32x32xi8, #b8>, tensor<64x32xi32, #d> -> tensor<64x32xi32, #d>
  titan.return
}
