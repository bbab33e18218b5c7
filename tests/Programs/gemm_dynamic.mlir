// The program parses, verifies, and prints back to itself.
// RUN: titan-opt %examples/programs/gemm_dynamic.mlir -o %t.1
// RUN: titan-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2
// RUN: FileCheck %s < %t.1

// CHECK: titan.pipe.create "schedule" -> ["load", "multiply"] buffers ["tile"]
// CHECK: scf.while
// CHECK: titan.atom add
// CHECK: titan.pipe.load %{{.*}}[%{{.*}}] -> %{{.*}}["a"]

// What it does, and where the ISA says so.
// RUN: titan explain effects %examples/programs/gemm_dynamic.mlir | FileCheck %s --check-prefix=EFFECTS
// EFFECTS: partition schedule: 1 warp
// EFFECTS: titan.atom, every active thread
// EFFECTS-NEXT: reduce one element of %counter[%c0], generic proxy, at issue, .relaxed.gpu  [PTX ISA, atom]
// EFFECTS-NEXT: %tile depends on the schedule  [PTX ISA, Memory Consistency Model]
