// REQUIRES: ptxas
// What the assembler says of the GEMM: nothing spills, nothing is serialised.
// RUN: titan compile %examples/gemm_bare.mlir --emit=ptx -o %t.ptx
// RUN: ptxas -arch=sm_90a -v -lineinfo %t.ptx -o %t.cubin 2>&1 | FileCheck %s --implicit-check-not="Potential Performance Loss" --implicit-check-not=warning

// CHECK: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK: Used 168 registers
