// A region may begin 2^32 elements behind its tensor's end, which 32 bits would take for its beginning: nothing of it
// is loaded or stored. Threads number elements in 32 bits; that no tensor has more of them the launch makes sure of.
//
// RUN: titan check %s | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: accepted: 0 errors, 0 warnings
// RUN: for j in 536870912 536870908 -536870912 1152921504606846975 -1152921504606846976; do titan run %s --arg j=$j || exit 1; done | FileCheck %s --check-prefix=EQUAL
// EQUAL-COUNT-5: elements equal to the reference, bit for bit
// VARIANT constant: replace FAR with %far = arith.constant 4294967296 : index
// RUN: %variant constant %s | titan run - | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: elements equal to the reference, bit for bit
// VARIANT scalars: in SHARED ` :` -> ` dispatch("scalars") :`
// RUN: %variant scalars %s | titan run - | FileCheck %s --check-prefix=CONSTANT
//
// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-lower-copies))' | FileCheck %s --check-prefix=CHECKS
// CHECKS-COUNT-1: titan.require {{.*}}A: dimension 1 has at most 2^31 - 1 elements: threads number them in 32 bits
// CHECKS-NOT: A: dimension 1 has at most
// VARIANT long: in TENSOR `16x?xf16` -> `16x4294967296xf16`
// RUN: %variant long %s | not titan explain copy - 2>&1 | FileCheck %s --check-prefix=LONG
// LONG-COUNT-3: {{vectors|cp_async}} no: dimension 1 has 4294967296 elements, and threads number them in 32 bits

!A = !titan.global<16x?xf16, strides = [64, 1]> // @TENSOR
!B = !titan.global<48x32xf16, strides = [32, 1]>
!t = !titan.shared<16x32xf16>
!r = tensor<16x32xf16, #titan.blocked<elements = [1, 2], lanes = [2, 16], warps = [2, 1]>>

titan.kernel @far(%A: !A, %B: !B, %j: i64) warps(2) attributes {
  titan.alignment = {A = 16, B = 16},
  titan.example = {sizes = {N = 32}, A = "16xN ints:3", B = "48x32", j = 536870912}, titan.reference = @nothing
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c8 = arith.constant 8 : index
  %eighth = arith.index_cast %j : i64 to index
  %far = arith.muli %eighth, %c8 : index // @FAR
  %t = titan.shared.alloc : !t
  %u = titan.shared.alloc : !t
  titan.copy %A[%c0, %far] to %t : !A, !t // @SHARED
  titan.copy_async %A[%c0, %far] to %u : !A, !t
  %group = titan.cp_async.commit : !titan.token<async>
  titan.cp_async.wait %group : !titan.token<async>
  %r = titan.copy %A[%c0, %far] : !A -> !r
  titan.cta_sync
  titan.copy %t to %B[%c0, %c0] : !t, !B
  titan.copy %u to %B[%c16, %c0] : !t, !B
  titan.copy %r to %B[%c32, %c0] : !r, !B
  %near = titan.copy %A[%c0, %c0] : !A -> !r
  titan.copy %near to %B[%c0, %far] : !r, !B
  titan.return
}

func.func private @nothing(%B: memref<?x?xf32> {titan.expected = "B"}) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%B : memref<?x?xf32>)
  return
}
