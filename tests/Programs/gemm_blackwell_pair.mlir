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

// It is accepted; bugs seeded in it are not.
// RUN: titan check --proof=off %examples/programs/gemm_blackwell_pair.mlir | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: @gemm_blackwell_pair: accepted: 0 errors, 0 warnings
// The leader expects its own bytes and not its peer's.
// LABEL bytes: %bytes = arith.constant 65536
// VARIANT bytes: in bytes `65536` -> `32768`
// RUN: %variant bytes %s %examples/programs/gemm_blackwell_pair.mlir > %t.bytes.mlir
// RUN: not titan check --proof=off %t.bytes.mlir 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: bytes.mlir:124:15: error: [barrier-bytes] phase 0 of barrier %full[0] of CTA 0 expects 32768 bytes, and the copies that are meant for it bring 65536
// BYTES: fix: expect 65536 bytes at %full[0] of CTA 0 in each phase
// The columns count as free when one of the two CTAs has stored them.
// LABEL count: titan.mbarrier.init %stored count(8)
// VARIANT count: in count `8` -> `4`
// RUN: %variant count %s %examples/programs/gemm_blackwell_pair.mlir > %t.count.mlir
// RUN: not titan check --proof=off %t.count.mlir 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: count.mlir:219:11: error: [phase-ambiguous] the arrival at barrier {{.*}} of CTA 0
// The peer is not told that the sums are there.
// LABEL commit: titan.tcgen05.commit %summed
// VARIANT peer: in commit ` multicast(%both)` -> ``
// RUN: %variant peer %s %examples/programs/gemm_blackwell_pair.mlir > %t.peer.mlir
// RUN: not titan check --proof=off %t.peer.mlir 2>&1 | FileCheck %s --check-prefix=PEER
// PEER: peer.mlir:192:9: error: [deadlock]
