// Two stores of a CTA, rows 2c + 3 and 3c + 1, are the same row in CTA 2 alone; other numbers are
// first met in CTAs that no small launch has. Where a grid is too large to be looked at as a whole,
// places are taken to go on by their steps.
//
// RUN: not titan check %s 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: not titan run %s 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: [[# @LINE + 89]]:5: error: [async-unordered]
// OWN: [[# @LINE + 86]]:5: note: wr
//
// Waited for, the one is before the other.
// VARIANT waits: after h add titan.bulk.wait %h : !titan.token<bulk>
// RUN: %variant waits %s > %t.waits.mlir
// RUN: titan check %t.waits.mlir
// RUN: titan run %t.waits.mlir
//
// CTA 40 of 50, and of a grid of 300 CTA 200.
// VARIANT forty: replace g with %g = arith.constant 50 : index
// VARIANT forty: replace k1 with %k1 = arith.constant 41 : index
// RUN: %variant forty %s > %t.forty.mlir
// RUN: not titan check %t.forty.mlir 2>&1 | FileCheck %s --check-prefix=OWN
// VARIANT less: as forty
// VARIANT less: replace g with %g = arith.constant 40 : index
// RUN: %variant less %s > %t.less.mlir
// RUN: not titan check %t.less.mlir 2>&1 | FileCheck %s --check-prefix=LESS --implicit-check-not=async-unordered
// LESS: error: [completion-not-observed]
// VARIANT far: replace g with %g = arith.constant 300 : index
// VARIANT far: replace m1 with %m1 = arith.constant 300 : index
// VARIANT far: replace k1 with %k1 = arith.constant 201 : index
// VARIANT far: replace m2 with %m2 = arith.constant 301 : index
// RUN: %variant far %s > %t.far.mlir
// RUN: not titan check %t.far.mlir 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: error: [undecided] this and another operation of the CTA touch the same bytes in number 200 of the grid, and in none of the launches that were looked at as a whole
// FAR: note: the other operation
//
// Two CTAs, with rows that many apart: 4c + 2 and 4c + 202; even and odd ones never meet.
// VARIANT apart: replace g with %g = arith.constant 60 : index
// VARIANT apart: replace m1 with %m1 = arith.constant 4 : index
// VARIANT apart: replace k1 with %k1 = arith.constant 2 : index
// VARIANT apart: replace m2 with %m2 = arith.constant 4 : index
// VARIANT apart: replace k2 with %k2 = arith.constant 202 : index
// RUN: %variant apart %s > %t.apart.mlir
// RUN: not titan check %t.apart.mlir 2>&1 | FileCheck %s --check-prefix=APART
// APART: error: [completion-not-observed]
// VARIANT never: as apart
// VARIANT never: replace k2 with %k2 = arith.constant 203 : index
// RUN: %variant never %s > %t.never.mlir
// RUN: titan check %t.never.mlir
// VARIANT apart_far: as apart
// VARIANT apart_far: replace g with %g = arith.constant 300 : index
// VARIANT apart_far: replace k2 with %k2 = arith.constant 802 : index
// RUN: %variant apart_far %s > %t.apart-far.mlir
// RUN: not titan check %t.apart-far.mlir 2>&1 | FileCheck %s --check-prefix=APART-FAR
// APART-FAR: error: [undecided] this and another operation of another CTA touch the same bytes where one of the two is number 200 of the grid
// VARIANT never_far: as apart_far
// VARIANT never_far: replace k2 with %k2 = arith.constant 803 : index
// RUN: %variant never_far %s > %t.never-far.mlir
// RUN: titan check %t.never-far.mlir

!y = !titan.global<131072x4xf32>
!t = !titan.shared<1x4xf32>
!m = !titan.tensor_map<1x4xf32>

titan.kernel @k(%X: !titan.global<2x4xf32>, %Y: !y) warps(1) attributes {
  titan.example = {sizes = {}, X = "2x4 ints:1", Y = "131072x4 zeros"}
} launch {
  %g = arith.constant 3 : index // @g
  %mX = titan.tensor_map %X : !titan.global<2x4xf32> -> !m
  %mY = titan.tensor_map %Y : !y -> !m
  titan.launch grid(%g) with(%mX, %mY : !m, !m)
} body(%mX: !m, %mY: !m) {
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 32 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m1 = arith.constant 2 : index // @m1
  %k1 = arith.constant 3 : index // @k1
  %m2 = arith.constant 3 : index // @m2
  %k2 = arith.constant 1 : index // @k2
  %cta = titan.cta_id 0
  %t = titan.shared.alloc : !t
  %u = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %a1 = arith.muli %cta, %m1 : index
  %i = arith.addi %a1, %k1 : index
  %a2 = arith.muli %cta, %m2 : index
  %j = arith.addi %a2, %k2 : index
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %mX[%c0, %c0], %t, %full : !m, !t, !titan.mbarrier
    titan.tma.load %mX[%c1, %c0], %u, %full : !m, !t, !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
    titan.tma.store %t, %mY[%i, %c0] : !t, !m
    %h = titan.bulk.commit : !titan.token<bulk> // @h
    titan.tma.store %u, %mY[%j, %c0] : !t, !m
    %l = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %l read : !titan.token<bulk>
  }
  titan.return
}
