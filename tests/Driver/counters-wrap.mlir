// A counter of 8 bits wraps round, as the PTX's add does: 0, 100, -56, 44, -112, -12, 88, -68, 32, -124, -24, 76, -80, 20, and 120 ends the loop.
// RUN: titan run %s --hazards=off | FileCheck %s
// CHECK-COUNT-14: counter
// CHECK-NOT: counter
!data = !titan.global<?xf32>
titan.kernel @k(%X: !data) warps(1) attributes {titan.example = {sizes = {M = 1}, X = "M zeros"}} launch {
  %n = titan.dim %X, 0 : !data
  titan.launch grid(%n)
} body() {
  %e0 = arith.constant 0 : i8
  %e100 = arith.constant 100 : i8
  %e120 = arith.constant 120 : i8
  titan.elect warp(0) {
    scf.for %i = %e0 to %e120 step %e100 : i8 {
      titan.print "counter", %i : i8
    }
  }
  titan.return
}
