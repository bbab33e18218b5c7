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
// EFFECTS-NEXT: reduce (add) one element of %flags[%tile], generic proxy, at issue, .release.gpu  [PTX ISA, red; Release and Acquire Patterns]

// It is accepted: all CTAs of a few small launches are looked at together.
// RUN: titan check --proof=off %examples/programs/gemm_stream_k.mlir | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: @gemm_stream_k: accepted: 0 errors, 0 warnings
// ACCEPTED: whole launches checked: 3 CTAs{{.*}}; 4 CTAs
// The owner of a tile adds its helpers' partial sums before they are there.
// LABEL wait: titan.flag.wait
// VARIANT wait: drop wait
// RUN: %variant wait %s %examples/programs/gemm_stream_k.mlir > %t.wait.mlir
// RUN: not titan check --proof=off %t.wait.mlir 2>&1 | FileCheck %s --check-prefix=WAIT
// WAIT: gemm_stream_k.mlir.tmp.wait.mlir:203:11: error: [race] 'titan.global.store' writes global memory through the generic proxy that 'titan.global.load' reads
// WAIT: gemm_stream_k.mlir.tmp.wait.mlir:182:21: note: read here
// A helper counts the flag up and releases nothing by it.
// LABEL signal: titan.flag.signal %flags[%tile], %i1
// VARIANT relaxed: replace signal with %old = titan.atom add %i1, %flags[%tile] : i32, !flags -> i32
// RUN: %variant relaxed %s %examples/programs/gemm_stream_k.mlir > %t.relaxed.mlir
// RUN: %if full %{ not titan check --proof=off %t.relaxed.mlir 2>&1 | FileCheck %s --check-prefix=RELAXED %}
// RELAXED: gemm_stream_k.mlir.tmp.relaxed.mlir:182:21: error: [race] 'titan.global.load' reads global memory through the generic proxy that 'titan.global.store' wrote
// With a release in the atomic it would do.
// VARIANT release: replace signal with %old = titan.atom add %i1, %flags[%tile] sem(release) : i32, !flags -> i32
// RUN: %variant release %s %examples/programs/gemm_stream_k.mlir > %t.release.mlir
// RUN: %if full %{ titan check --proof=off %t.release.mlir %}
// The first of a helper's 256 threads says that all have stored.
// LABEL stored +1: // All 256 threads have stored
// VARIANT barrier: drop stored
// RUN: %variant barrier %s %examples/programs/gemm_stream_k.mlir > %t.barrier.mlir
// RUN: not titan check --proof=off %t.barrier.mlir 2>&1 | FileCheck %s --check-prefix=BARRIER
// BARRIER: gemm_stream_k.mlir.tmp.barrier.mlir:182:21: error: [race]
