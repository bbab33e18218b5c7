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

// What it does, and where the ISA says so.
// RUN: titan explain effects %examples/programs/gemm_pingpong.mlir | FileCheck %s --check-prefix=EFFECTS
// EFFECTS: partition even: 4 warps
// EFFECTS: named barrier 2 of 256 threads sync
// EFFECTS: wait mma group %group  [PTX ISA, wgmma.wait_group]
// EFFECTS: named barrier 3 of 256 threads arrive
// EFFECTS: wait bulk group %stores, sources read  [PTX ISA, cp.async.bulk.wait_group]
// EFFECTS: a tile's elements of %d0, generic proxy, at issue  [PTX ISA, stmatrix]
// EFFECTS: fence.proxy.async.shared::cta  [PTX ISA, membar / fence
// EFFECTS: write box %mapD[%m, %n] of 128x64, async proxy, bulk group  [PTX ISA, cp.async.bulk.tensor]

// It is accepted; bugs seeded in it are not.
// RUN: titan check --proof=off %examples/programs/gemm_pingpong.mlir | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: @gemm_pingpong: accepted: 0 errors
// Panels are written again while their stores still read them.
// LABEL read (2): titan.bulk.wait %stores read
// VARIANT read: drop read
// RUN: %variant read %s %examples/programs/gemm_pingpong.mlir > %t.read.mlir
// RUN: not titan check --proof=off %t.read.mlir 2>&1 | FileCheck %s --check-prefix=READ
// READ: error: [completion-not-observed] 'titan.shared.store' writes shared memory
// LABEL fence (2): titan.fence.proxy_async
// VARIANT fence: drop fence
// RUN: %variant fence %s %examples/programs/gemm_pingpong.mlir > %t.fence.mlir
// RUN: not titan check --proof=off %t.fence.mlir 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: error: [proxy-fence-missing] 'titan.tma.store' reads shared memory
// The turn is never passed on.
// LABEL turn: titan.barrier.arrive 3
// VARIANT turn: drop turn
// RUN: %variant turn %s %examples/programs/gemm_pingpong.mlir > %t.turn.mlir
// RUN: not titan check --proof=off %t.turn.mlir 2>&1 | FileCheck %s --check-prefix=TURN
// TURN: error: [deadlock]
