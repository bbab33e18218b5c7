// The program parses, verifies, and prints back to itself.
// RUN: titan-opt %examples/programs/gemm_cluster.mlir -o %t.1
// RUN: titan-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2
// RUN: FileCheck %s < %t.1

// CHECK: titan.kernel @gemm_cluster({{.*}}) warps(12) registers(168) cluster(2)
// CHECK-COUNT-2: titan.tma.load {{.*}} multicast(%{{.*}})
// A slot is released to both producers.
// CHECK-COUNT-2: titan.mbarrier.arrive %{{.*}} scope(cluster) : <3, cluster>
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
// EFFECTS-NEXT: arrive 1 on %empty[%stage], .release.cta  [PTX ISA, mbarrier.arrive]
// EFFECTS: arrive 1 on %emptyThere[%stage] in CTA %peer, .release.cluster  [PTX ISA, mbarrier.arrive]
// EFFECTS: cluster barrier wait, .acquire.cluster  [PTX ISA, barrier.cluster]

// It is accepted; bugs seeded in it are not.
// RUN: titan check --proof=off %examples/programs/gemm_cluster.mlir | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: @gemm_cluster: accepted: 0 errors
// A CTA leaves while its peer still multicasts to it.
// LABEL last +1..2: // No CTA leaves
// VARIANT exit: drop last
// RUN: %variant exit %s %examples/programs/gemm_cluster.mlir > %t.exit.mlir
// RUN: not titan check --proof=off %t.exit.mlir 2>&1 | FileCheck %s --check-prefix=EXIT
// EXIT: error: [cluster-exit]
// Slots are released to one producer of the two that fill them: the other one fills them again before.
// LABEL peer (2): titan.mbarrier.arrive %emptyThere
// LABEL count: titan.mbarrier.init %empty count(16)
// VARIANT one: drop peer
// VARIANT one: in count `16` -> `8`
// RUN: %variant one %s %examples/programs/gemm_cluster.mlir > %t.one.mlir
// RUN: not titan check --proof=off %t.one.mlir 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: [barrier-bytes] phase 0 of barrier %full[0] of CTA 0 expects 65536 bytes, and the copies that are meant for it bring 98304
// B stays in the CTA that loads it, and the peer waits for its bytes.
// LABEL load: %slotB, %full[%stage : index] multicast(%both)
// VARIANT bytes: in load ` multicast(%both)` -> ``
// RUN: %variant bytes %s %examples/programs/gemm_cluster.mlir > %t.bytes.mlir
// RUN: not titan check --proof=off %t.bytes.mlir 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: error: [barrier-bytes]
