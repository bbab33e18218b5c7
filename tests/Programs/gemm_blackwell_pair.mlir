// The program parses, verifies, and prints back to itself.
// RUN: titan-opt %examples/programs/gemm_blackwell_pair.mlir -o %t.1
// RUN: titan-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2
// RUN: FileCheck %s < %t.1

// CHECK: titan.tma.load {{.*}} pair : {{.*}}, <5, cluster>
// CHECK: titan.tcgen05.mma {{.*}} pair
// CHECK: titan.tcgen05.commit %{{.*}}[%{{.*}} : index] multicast(%{{.*}}) pair

// What it does, and where the ISA says so.
// RUN: titan explain effects %examples/programs/gemm_blackwell_pair.mlir | FileCheck %s --check-prefix=EFFECTS
// The data here, the signal at the leader.
// EFFECTS: write all of %slotA, async proxy, until complete_tx  [PTX ISA, Async proxy]
// EFFECTS-NEXT: complete_tx 16384 bytes on %fullL[%stage] in CTA %i0 when written  [PTX ISA, cp.async.bulk.tensor]
// EFFECTS: titan.tcgen05.mma, exactly one thread
// EFFECTS-NEXT: read all of %slotA in both CTAs of the pair, async proxy, tcgen05.commit  [PTX ISA, tcgen05: Async proxy]
// EFFECTS: arrive 1 on %empty[%stage] in the CTAs of mask %both after tcgen05.commit, .release.cluster  [PTX ISA, tcgen05.commit]
