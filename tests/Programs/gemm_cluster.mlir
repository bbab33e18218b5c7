// The program parses, verifies, and prints back to itself.
// RUN: titan-opt %examples/programs/gemm_cluster.mlir -o %t.1
// RUN: titan-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2
// RUN: FileCheck %s < %t.1

// CHECK: titan.kernel @gemm_cluster({{.*}}) warps(12) registers(168) cluster(2)
// CHECK-COUNT-2: titan.tma.load {{.*}} multicast(%{{.*}})
// A slot is released to both producers.
// CHECK-COUNT-2: titan.mbarrier.arrive %{{.*}} scope({{ *}}cluster) : <3, cluster>
// CHECK: titan.cluster.arrive
// CHECK-NEXT: titan.cluster.wait
// CHECK-NEXT: titan.return
