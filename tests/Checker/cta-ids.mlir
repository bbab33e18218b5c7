// MM-122: what is computed from the ids of CTAs is looked at in grids of two dimensions, and in
// such as are large enough for the constants in it.
//
// RUN: titan check %s
// VARIANT xor: replace at with %at = arith.xori %x, %y : index
// RUN: %variant xor %s | not titan check - 2>&1 | FileCheck %s
// VARIANT rows_of_the_grid: replace at with %row = arith.muli %x, %xs : index %at = arith.addi %row, %y : index
// RUN: %variant rows_of_the_grid %s | not titan check - 2>&1 | FileCheck %s
// VARIANT rows_of_8: replace at with %row = arith.muli %y, %c8 : index %at = arith.addi %row, %x : index
// RUN: %variant rows_of_8 %s | not titan check - 2>&1 | FileCheck %s
// VARIANT modulo_8: replace at with %id = arith.addi %across, %x : index %at = arith.remui %id, %c8 : index
// RUN: %variant modulo_8 %s | not titan check - 2>&1 | FileCheck %s
// VARIANT least_8: replace at with %id = arith.addi %across, %x : index %at = arith.minui %id, %c8 : index
// RUN: %variant least_8 %s | not titan check - 2>&1 | FileCheck %s
// CHECK: error: [race]
// VARIANT rows_of_1000: replace at with %row = arith.muli %y, %c1000 : index %at = arith.addi %row, %x : index
// RUN: %variant rows_of_1000 %s | not titan check - 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: error: [undecided] this computes with the id of a CTA
// Quotient and remainder together are one number again.
// VARIANT quotient_and_remainder: replace at with %id = arith.addi %across, %x : index %q = arith.divui %id, %c8 : index %r = arith.remui %id, %c8 : index %t = arith.muli %q, %c8 : index %at = arith.addi %t, %r : index
// RUN: %variant quotient_and_remainder %s | titan check -

titan.kernel @k(%A: !titan.global<?x?xf32>, %P: !titan.global<?xf32>) warps(1) launch {
  %c32 = arith.constant 32 : index
  %m = titan.dim %A, 0 : !titan.global<?x?xf32>
  %n = titan.dim %A, 1 : !titan.global<?x?xf32>
  %rows = arith.ceildivui %m, %c32 : index
  %columns = arith.ceildivui %n, %c32 : index
  titan.launch grid(%rows, %columns)
} body() {
  %c8 = arith.constant 8 : index
  %c1000 = arith.constant 1000 : index
  %f1 = arith.constant 1.0 : f32
  %x = titan.cta_id 0
  %y = titan.cta_id 1
  %xs = titan.num_ctas 0
  %across = arith.muli %y, %xs : index
  %at = arith.addi %across, %x : index // @at
  titan.elect {
    titan.st %f1, %P[%at] : f32, !titan.global<?xf32>
  }
  titan.return
}
