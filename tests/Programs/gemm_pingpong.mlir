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
