// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-lower-copies))' | FileCheck %s
//
// `traffic worth`: a weak load gets a predicate where at least an eighth of its copies
// moves nothing but holes. Of 8 iterations (Q1, Q2) one is beyond the 7 of Q; of 9 none is,
// of 10 one: too few.

!full = !titan.mbarrier
!x = !titan.global<2520x4xf32>
!t = !titan.shared<4x4xf32>

#takes = #titan.schedule<tensor D x J C, B = split(D, 4) P, Q = split(C, 7) Q1, Q2 = split(Q, 4)
  bulk B, J traffic worth>
// CHECK-LABEL: titan.kernel @takes
// CHECK: scf.if
// CHECK-NEXT: arith.constant 64
// CHECK-NEXT: titan.mbarrier.expect_tx
// CHECK: titan.tma.load
// CHECK-NOT: else
titan.kernel @takes(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %b = titan.cta_id 1
  %c = titan.cta_id 2
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(P = %a, Q1 = %b, Q2 = %c) to %t signals %full schedule(#takes) : !x, !t, !full
  }
  titan.return
}

#whole = #titan.schedule<tensor D x J C, B = split(D, 4) P, Q = split(C, 9) Q1, Q2 = split(Q, 3)
  bulk B, J traffic worth>
#few = #titan.schedule<tensor D x J C, B = split(D, 4) P, Q = split(C, 9) Q1, Q2 = split(Q, 5)
  bulk B, J traffic worth>
#ignores = #titan.schedule<tensor D x J C, B = split(D, 4) P, Q = split(C, 7) Q1, Q2 = split(Q, 4)
  bulk B, J>
// CHECK-LABEL: titan.kernel @declines
// CHECK-NOT: scf.if
// CHECK-COUNT-3: titan.tma.load
titan.kernel @declines(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %b = titan.cta_id 1
  %c = titan.cta_id 2
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(P = %a, Q1 = %b, Q2 = %c) to %t signals %full schedule(#whole) : !x, !t, !full
    titan.copy_async %X at(P = %a, Q1 = %b, Q2 = %c) to %t signals %full schedule(#few) : !x, !t, !full
    titan.copy_async %X at(P = %a, Q1 = %b, Q2 = %c) to %t signals %full schedule(#ignores) : !x, !t, !full
  }
  titan.return
}
