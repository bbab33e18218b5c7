// The program parses, verifies, and prints back to itself.
// RUN: titan-opt %examples/programs/gemm_stream_k.mlir -o %t.1
// RUN: titan-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2
// RUN: FileCheck %s < %t.1

// CHECK: titan.kernel @gemm_stream_k({{.*}}: !titan.global<?x128x128xf32, strides = [16384, 128, 1]>
// CHECK: titan.require {{.*}}, "launch-check", "partial needs one page a CTA"
// CHECK: titan.flag.wait %{{.*}}[%{{.*}}], %{{.*}} : <?xi32>
// CHECK: titan.flag.signal

// What it does, and where the ISA says so.
// RUN: titan explain effects %examples/programs/gemm_stream_k.mlir | FileCheck %s --check-prefix=EFFECTS
// EFFECTS: titan.flag.wait, every active thread
// EFFECTS-NEXT: wait until one element of %flags[%tile] >= %helpers, .acquire.gpu  [PTX ISA, Release and Acquire Patterns]
// EFFECTS: titan.global.load
// EFFECTS-NEXT: read elements of %partial[%page, %rowIn, %columnIn], generic proxy, at issue  [PTX ISA, ld]
// EFFECTS: titan.flag.signal, every active thread
// EFFECTS-NEXT: reduce one element of %flags[%tile], generic proxy, at issue, .release.gpu  [PTX ISA, red; Release and Acquire Patterns]
