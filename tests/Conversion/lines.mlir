// REQUIRES: ptxas
// Line tables lead back to this file, and cost no optimisation.
// RUN: titan compile %s --emit=ptx -o - | FileCheck %s
// RUN: titan compile %s --emit=cubin -o %t.cubin
// RUN: grep -c lines.mlir %t.cubin

// CHECK: .target sm_90a
// CHECK-NOT: debug
// CHECK: .visible .entry lines(
titan.kernel @lines() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  // CHECK: .loc 1 [[# @LINE + 2]] {{.*}}
  // CHECK: barrier.sync.aligned 0;
  titan.cta_sync
  titan.return
}
// CHECK: .file 1 "{{.*}}lines.mlir"
