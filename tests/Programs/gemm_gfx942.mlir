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
// EFFECTS-NEXT: read box %A[%row, %c0] of 128x32, generic, asynchronous proxy, vmcnt  [CDNA3 ISA, buffer_load_dword lds]
// EFFECTS-NEXT: write a tile's elements of %a0, generic, asynchronous proxy, vmcnt  [CDNA3 ISA, buffer_load_dword lds]
// EFFECTS-NEXT: commit vmcnt, counts 8  [CDNA3 ISA, s_waitcnt]
// EFFECTS: wait vmcnt %load  [CDNA3 ISA, s_waitcnt]
// EFFECTS: named barrier 0 of all threads sync{{.*}}[CDNA3 ISA, s_barrier]
// EFFECTS: titan.ds_read, a tile over the region
// EFFECTS-NEXT: read a tile's elements of %fromA, generic, asynchronous proxy, lgkmcnt  [CDNA3 ISA, LDS instructions]
// EFFECTS: wait lgkmcnt <= 0 pending  [CDNA3 ISA, s_waitcnt]
// EFFECTS-NEXT: registers arrived: {{.*}}  [CDNA3 ISA, s_waitcnt]
