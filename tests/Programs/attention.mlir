// The program parses, verifies, and prints back to itself.
// RUN: titan-opt %examples/programs/attention.mlir -o %t.1
// RUN: titan-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2
// RUN: FileCheck %s < %t.1

// CHECK: titan.kernel @attention({{.*}}) warps(12) registers(168) attributes {titan.target = "sm_90a"}
// CHECK: titan.partition "first" warps(4)
// The result of the older product, while the younger goes on.
// CHECK: titan.mma.result %{{.*}} after(%{{.*}}<mma>)
// P comes from registers, V lies K x N.
// CHECK: titan.mma %{{.*}}, %{{.*}} transpose_b, %{{.*}} accumulate(%{{.*}}) : tensor<64x128xbf16, #titan.wgmma<1, 1>>
// CHECK: titan.broadcast %{{.*}} : tensor<64xf32, #titan.slice<1, #titan.wgmma<1, 1>>>
// CHECK: titan.partition "second" warps(4)
