// The program parses, verifies, and prints back to itself.
// RUN: titan-opt %examples/programs/gemm_grouped.mlir -o %t.1
// RUN: titan-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2
// RUN: FileCheck %s < %t.1

// CHECK: titan.tensormap.alloc
// CHECK: titan.tensormap.at %{{.*}}[%{{.*}}] over %{{.*}} : <?x128xi8>, <?x?xbf16>
// CHECK: titan.tensormap.replace_address
// CHECK: titan.tensormap.replace_dim
// CHECK: titan.tensormap.cp_fenceproxy
// CHECK: titan.fence.tensormap_acquire

// What it does, and where the ISA says so.
// RUN: titan explain effects %examples/programs/gemm_grouped.mlir | FileCheck %s --check-prefix=EFFECTS
// EFFECTS: titan.tensormap.replace_dim, exactly one thread
// EFFECTS-NEXT: read object %editA, generic proxy, at issue  [PTX ISA, tensormap.replace]
// EFFECTS-NEXT: write object %editA, generic proxy, at issue  [PTX ISA, tensormap.replace]
// EFFECTS: titan.tensormap.cp_fenceproxy, warp
// EFFECTS-NEXT: read object %editA, generic proxy, at issue  [PTX ISA, tensormap.cp_fenceproxy]
// EFFECTS-NEXT: write object %groupA, generic proxy, at issue  [PTX ISA, tensormap.cp_fenceproxy]
// EFFECTS-NEXT: fence.proxy.tensormap release %groupA, .release.gpu  [PTX ISA, tensormap.cp_fenceproxy]
// EFFECTS: titan.fence.tensormap_acquire, every active thread
// EFFECTS-NEXT: fence.proxy.tensormap acquire %groupA, .acquire.gpu
// A map that may change: a bulk group tells that it has been read.
// EFFECTS: titan.tma.load, exactly one thread
// EFFECTS-NEXT: read object %groupA, tensormap proxy, bulk group  [PTX ISA, Tensormap proxy]

// How many tiles there are is read from memory: docs/status.md. What its
// operations cannot mean is refused.
// RUN: not titan check %examples/programs/gemm_grouped.mlir 2>&1 | FileCheck %s --check-prefix=UNDECIDED
// UNDECIDED: error: [undecided]
// UNDECIDED: @gemm_grouped: cannot decide
// Copies go through the map that is being edited.
// RUN: sed 's/tma.load %%groupA/tma.load %%editA/' %examples/programs/gemm_grouped.mlir > %t.shared.mlir
// RUN: not titan check %t.shared.mlir 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error: {{.*}}[tensormap-place] no copy goes through a map in shared memory
// The map is edited where the copies read it.
// RUN: sed 's/replace_dim %%editA/replace_dim %%groupA/' %examples/programs/gemm_grouped.mlir > %t.place.mlir
// RUN: not titan check %t.place.mlir 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: error: {{.*}}[tensormap-place] a map is edited in shared memory
