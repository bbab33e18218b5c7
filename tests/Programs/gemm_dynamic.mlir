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
// EFFECTS-NEXT: reduce (add) one element of %counter[%c0], generic proxy, at issue, .relaxed.gpu  [PTX ISA, atom]
// EFFECTS-NEXT: %tile depends on the schedule  [PTX ISA, Memory Consistency Model]

// How often its loops run depends on the schedule; the checker deals the numbers out in turn (MM-121).
// RUN: titan check --proof=off %examples/programs/gemm_dynamic.mlir | FileCheck %s --check-prefix=GOOD
// GOOD: @gemm_dynamic: accepted: 0 errors, 0 warnings
// GOOD: trip counts checked: tiles 1, steps 1; tiles 1, steps 4
// What goes on behind its letters is checked.
// LABEL fence (1): titan.fence.proxy_async
// VARIANT fence: drop fence
// RUN: %variant fence %s %examples/programs/gemm_dynamic.mlir > %t.fence.mlir
// RUN: not titan check --proof=off %t.fence.mlir 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: error: [proxy-fence-missing]
// LABEL read (1): titan.bulk.wait_group 1 read
// VARIANT read: drop read
// RUN: %variant read %s %examples/programs/gemm_dynamic.mlir > %t.read.mlir
// RUN: not titan check --proof=off %t.read.mlir 2>&1 | FileCheck %s --check-prefix=READ
// READ: error: [completion-not-observed]
// A letter is read and never given back.
// LABEL release (3): titan.pipe.release %slot
// VARIANT release: drop release
// RUN: %variant release %s %examples/programs/gemm_dynamic.mlir > %t.release.mlir
// RUN: not titan check --proof=off %t.release.mlir 2>&1 | FileCheck %s --check-prefix=RELEASE
// RELEASE: error: [pipe-release] consumer "load" never releases a slot
// The multiplying warps read letters that are not sent to them.
// LABEL mail: %mail = titan.pipe.create
// VARIANT role: in mail `["load", "multiply"]` -> `["load"]`
// RUN: %variant role %s %examples/programs/gemm_dynamic.mlir > %t.role.mlir
// RUN: not titan check --proof=off %t.role.mlir 2>&1 | FileCheck %s --check-prefix=ROLE
// ROLE: error: [pipe-role]
