// What a kernel's entry tells ptxas of registers. A CTA of one warp is bounded
// by the number of CTAs, so that ptxas need not weigh registers against them;
// one of more warps, without a budget, says nothing; a budget is its own bound.
// RUN: titan compile --emit=ptx %s -o - | FileCheck %s
!values = !titan.global<?xf32>

// CHECK-LABEL: .entry one(
// CHECK:         .reqntid 32, 1, 1
// CHECK-NEXT:    .minnctapersm 1
// CHECK-NOT:     .maxnreg
// CHECK-LABEL: .entry two(
// CHECK:         .reqntid 64, 1, 1
// CHECK-NOT:     .minnctapersm
// CHECK-NOT:     .maxnreg
// CHECK-LABEL: .entry budget(
// CHECK:         .reqntid 128, 1, 1
// CHECK-NEXT:    .minnctapersm 1
// CHECK-NEXT:    .maxnreg 168
titan.kernel @one(%X: !values) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}
titan.kernel @two(%X: !values) warps(2) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}
titan.kernel @budget(%X: !values) warps(4) registers(168) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}
