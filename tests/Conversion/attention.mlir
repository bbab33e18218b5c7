// REQUIRES: ptxas
// Attention: a product whose A is in registers, a product that goes on while the
// softmax of the one after it is computed, and no spill.
// RUN: titan compile %examples/programs/attention.mlir --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: ptxas -arch=sm_90a -v -lineinfo %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS --implicit-check-not="Potential Performance Loss"

// Q K^T has both operands in shared memory, 128 columns in steps of 16.
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %rd{{[0-9]+}}, use, 1, 1, 1;
// The older of two products is waited for.
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: shfl.sync.bfly.b32
// CHECK: ex2.approx.ftz.f32
// CHECK: wgmma.wait_group.sync.aligned 0;

// PTXAS: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
