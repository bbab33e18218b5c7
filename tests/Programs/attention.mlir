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

// What it does, and where the ISA says so.
// RUN: titan explain effects %examples/programs/attention.mlir | FileCheck %s --check-prefix=EFFECTS
// EFFECTS: kernel @attention: 12 warps
// EFFECTS: partition first: 4 warps
// A in registers is borrowed, B is read through the async proxy.
// EFFECTS: registers borrowed: %probs  [PTX ISA, wgmma.wait_group]
// EFFECTS-NEXT: read all of %vj, async proxy, mma group  [PTX ISA, wgmma: Async proxy]
// EFFECTS-NEXT: registers in flight: %acc1  [PTX ISA, wgmma.mma_async]
// EFFECTS: titan.mma.result, warpgroup
// EFFECTS-NEXT: wait mma group %gs  [PTX ISA, wgmma.wait_group]
// EFFECTS-NEXT: registers arrived: %raw  [PTX ISA, wgmma.wait_group]
// EFFECTS: partition second: 4 warps
// EFFECTS: named barrier 3 of 256 threads sync

// It is accepted; bugs seeded in it are not.
// RUN: titan check --proof=off %examples/programs/attention.mlir | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: @attention: accepted: 0 errors
// The output is stored by TMA without a fence by those who wrote it.
// LABEL fence (2): titan.fence.proxy_async
// VARIANT fence: drop fence
// RUN: %variant fence %s %examples/programs/attention.mlir > %t.fence.mlir
// RUN: not titan check --proof=off %t.fence.mlir 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: error: [proxy-fence-missing] 'titan.tma.store' reads shared memory through the async proxy that 'titan.shared.store' wrote
// A slot of keys is free when half of the warps have read it.
// LABEL count: titan.mbarrier.init %emptyK count(8)
// VARIANT count: in count `8` -> `4`
// RUN: %variant count %s %examples/programs/attention.mlir > %t.count.mlir
// RUN: not titan check --proof=off %t.count.mlir 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: [phase-ambiguous] the arrival at barrier %emptyK[0] of CTA 0 is meant for its phase 1
// The first warp that is done stores what the others have not written yet.
// LABEL output (2 of 2): titan.barrier.sync 4 threads(128)
// VARIANT output: drop output
// RUN: %variant output %s %examples/programs/attention.mlir > %t.output.mlir
// RUN: not titan check --proof=off %t.output.mlir 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: [race] 'titan.tma.store' reads shared memory through the async proxy that 'titan.shared.store' wrote
// Before they write it, the queries are everybody's: a product's wait speaks for the warpgroup (MM-71).
// LABEL queries (1 of 2): titan.barrier.sync 4 threads(128)
// VARIANT queries: drop queries
// RUN: %variant queries %s %examples/programs/attention.mlir > %t.queries.mlir
// RUN: titan check --proof=off %t.queries.mlir
// V is read by a product that no fence puts after the wait for it.
// LABEL products (2) -1: %acc1 = titan.mma %probs
// VARIANT mma: drop products
// RUN: %variant mma %s %examples/programs/attention.mlir > %t.mma.mlir
// RUN: not titan check --proof=off %t.mma.mlir 2>&1 | FileCheck %s --check-prefix=MMA
// MMA: error: [mma-fence-missing]
