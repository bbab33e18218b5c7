// The program parses, verifies, and prints back to itself.
// RUN: titan-opt %examples/programs/gemm_pingpong.mlir -o %t.1
// RUN: titan-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2
// RUN: FileCheck %s < %t.1

// CHECK: titan.kernel @gemm_pingpong({{.*}}) warps(12) registers(168) attributes {titan.target = "sm_90a"}
// CHECK: titan.partition "even" warps(4) registers(232)
// CHECK: titan.barrier.arrive 3 threads(256)
// CHECK: titan.partition "odd" warps(4) registers(232)
// CHECK: titan.barrier.sync 3 threads(256)
// CHECK: titan.barrier.arrive 2 threads(256)
