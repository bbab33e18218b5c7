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

// What it does, and where the ISA says so.
// RUN: titan explain effects %examples/programs/gemm_cluster.mlir | FileCheck %s --check-prefix=EFFECTS
// EFFECTS: kernel @gemm_cluster: 12 warps, clusters of 2 CTAs
// EFFECTS: titan.tma.load, exactly one thread
// EFFECTS: write all of %slotA in the CTAs of mask %both, async proxy, until complete_tx  [PTX ISA, Async proxy]
// EFFECTS-NEXT: complete_tx 16384 bytes on %full[%stage] in the CTAs of mask %both when written  [PTX ISA, cp.async.bulk.tensor]
// EFFECTS: partition upper: 4 warps
// EFFECTS: titan.mbarrier.arrive
// EFFECTS-NEXT: arrive 1 on %empty0[%stage] in CTA %i0, .release.cluster  [PTX ISA, mbarrier.arrive]
// EFFECTS: cluster barrier wait, .acquire.cluster  [PTX ISA, barrier.cluster]
