// The program parses, verifies, and prints back to itself.
// RUN: titan-opt %examples/programs/gemm_gfx942.mlir -o %t.1
// RUN: titan-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2
// RUN: FileCheck %s < %t.1

// CHECK: titan.kernel @gemm_gfx942({{.*}}) warps(4) attributes {titan.target = "gfx942"}
// CHECK: titan.buffer_load_lds {{.*}} -> <counter>
// CHECK: titan.counter.wait
// CHECK: titan.s_waitcnt lgkmcnt(0) arrive(%{{.*}}, %{{.*}} :
// CHECK: titan.mfma

// What it does, and where the ISA says so.
// RUN: titan explain effects %examples/programs/gemm_gfx942.mlir | FileCheck %s --check-prefix=EFFECTS
// EFFECTS: titan.buffer_load_lds, a tile over the region
// EFFECTS-NEXT: read possibly box %A[%row, %c0] of 128x32, generic, asynchronous proxy, vmcnt  [CDNA3 ISA, buffer_load_dword lds]
// EFFECTS-NEXT: write a tile's elements of %a0, generic, asynchronous proxy, vmcnt  [CDNA3 ISA, buffer_load_dword lds]
// EFFECTS-NEXT: commit vmcnt, counts 8  [CDNA3 ISA, s_waitcnt]
// EFFECTS: wait vmcnt %load  [CDNA3 ISA, s_waitcnt]
// EFFECTS: named barrier 0 of all threads sync{{.*}}[CDNA3 ISA, s_barrier]
// EFFECTS: titan.ds_read, a tile over the region
// EFFECTS-NEXT: read a tile's elements of %fromA, generic, asynchronous proxy, lgkmcnt  [CDNA3 ISA, LDS instructions]
// EFFECTS: wait lgkmcnt <= 0 pending  [CDNA3 ISA, s_waitcnt]
// EFFECTS-NEXT: registers arrived: {{.*}}  [CDNA3 ISA, s_waitcnt]

// It is accepted; bugs seeded in it are not.
// RUN: titan check --proof=off %examples/programs/gemm_gfx942.mlir | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: @gemm_gfx942: accepted: 0 errors, 0 warnings
// No wave waits for its loads before the barrier that publishes them.
// LABEL wait: titan.counter.wait %load
// VARIANT wait: drop wait
// RUN: %variant wait %s %examples/programs/gemm_gfx942.mlir > %t.wait.mlir
// RUN: not titan check --proof=off %t.wait.mlir 2>&1 | FileCheck %s --check-prefix=WAIT
// WAIT: wait.mlir:105:16: error: [lds-counter-missing] 'titan.ds_read' reads shared memory
// One load too few is waited for: 8 instructions each for A and B may stay under way, not 24.
// VARIANT 16: replace wait with titan.s_waitcnt vmcnt(16)
// RUN: %variant 16 %s %examples/programs/gemm_gfx942.mlir > %t.16.mlir
// RUN: titan check --proof=off %t.16.mlir
// VARIANT 24: replace wait with titan.s_waitcnt vmcnt(24)
// RUN: %variant 24 %s %examples/programs/gemm_gfx942.mlir > %t.24.mlir
// RUN: not titan check --proof=off %t.24.mlir 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: 24.mlir:106:16: error: [lds-counter-missing] 'titan.ds_read' reads shared memory
// The first wave that is done loads over what the others read.
// LABEL read +1: // All waves have read this slot
// VARIANT barrier: drop read
// RUN: %variant barrier %s %examples/programs/gemm_gfx942.mlir > %t.barrier.mlir
// RUN: not titan check --proof=off %t.barrier.mlir 2>&1 | FileCheck %s --check-prefix=BARRIER
// BARRIER: barrier.mlir:96:14: error: [race] 'titan.buffer_load_lds' writes shared memory
