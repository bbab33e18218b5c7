// Rows 300i + 100 and 301i are the same row in iteration 100 alone, far behind the few counts that
// a loop is looked at with: places are taken to go on by their steps, and that count is looked at, too.
//
// RUN: not titan check %s 2>&1 | FileCheck %s
// RUN: not titan run %s 2>&1 | FileCheck %s
// CHECK: [[# @LINE + 60]]:5: error: [async-unordered]
// CHECK: [[# @LINE + 57]]:5: note: wr
//
// Waited for, the one is before the other.
// VARIANT waits: after h add titan.bulk.wait %h : !titan.token<bulk>
// RUN: %variant waits %s > %t.waits.mlir
// RUN: titan check %t.waits.mlir
// RUN: titan run %t.waits.mlir
//
// The same row in two iterations: 4i + 2 and 4j + 402; even and odd ones never meet.
// VARIANT two: replace m1 with %m1 = arith.constant 4 : index
// VARIANT two: replace k1 with %k1 = arith.constant 2 : index
// VARIANT two: replace m2 with %m2 = arith.constant 4 : index
// VARIANT two: replace k2 with %k2 = arith.constant 402 : index
// RUN: %variant two %s > %t.two.mlir
// RUN: not titan check %t.two.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: [async-unordered]
// VARIANT never: as two
// VARIANT never: replace k2 with %k2 = arith.constant 403 : index
// RUN: %variant never %s > %t.never.mlir
// RUN: titan check %t.never.mlir

!y = !titan.global<131072x4xf32>
!t = !titan.shared<1x4xf32>
!m = !titan.tensor_map<1x4xf32>

titan.kernel @k(%X: !titan.global<?x4xf32>, %Y: !y) warps(1) attributes {
  titan.example = {sizes = {G = 300}, X = "Gx4 ints:1", Y = "131072x4 zeros"}
} launch {
  %g = arith.constant 1 : index
  %mX = titan.tensor_map %X : !titan.global<?x4xf32> -> !m
  %mY = titan.tensor_map %Y : !y -> !m
  %n = titan.dim %X, 0 : !titan.global<?x4xf32>
  titan.launch grid(%g) with(%mX, %mY, %n : !m, !m, index)
} body(%mX: !m, %mY: !m, %n: index) {
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 32 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m1 = arith.constant 300 : index // @m1
  %k1 = arith.constant 100 : index // @k1
  %m2 = arith.constant 301 : index // @m2
  %k2 = arith.constant 0 : index // @k2
  %t = titan.shared.alloc : !t
  %u = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %mX[%c0, %c0], %t, %full : !m, !t, !titan.mbarrier
    titan.tma.load %mX[%c1, %c0], %u, %full : !m, !t, !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
    scf.for %it = %c0 to %n step %c1 {
  %a1 = arith.muli %it, %m1 : index
  %i = arith.addi %a1, %k1 : index
  %a2 = arith.muli %it, %m2 : index
  %j = arith.addi %a2, %k2 : index
    titan.tma.store %t, %mY[%i, %c0] : !t, !m
    %h = titan.bulk.commit : !titan.token<bulk> // @h
    titan.tma.store %u, %mY[%j, %c0] : !t, !m
    %l = titan.bulk.commit : !titan.token<bulk>
    }
    titan.bulk.wait_group 0
  }
  titan.return
}
