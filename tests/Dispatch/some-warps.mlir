// A tile that the warps of a CTA share among them all warps have to copy: in a branch that some of them take nobody would
// copy the others' parts.
//
// RUN: not titan check %s 2>&1 | FileCheck %s
// CHECK: [copy-dispatch] no variant does it: {{.*}}all_threads: expected all threads of the CTA, 2 warps, which share it, and a branch that warps decide for themselves is around it
//
// Where the branch is the same for all warps it is another thing.
// VARIANT all: in WHO `%wid, %i0` -> `%i0, %i0`
// RUN: %variant all %s | titan check - | FileCheck %s --check-prefix=ALL
// ALL: accepted: 0 errors, 0 warnings
// So is a loop, whatever it carries.
// VARIANT loop: replace IF with %carried = titan.copy %A[%c0, %c0] : !matrix -> !regs %end = scf.for %i = %c0 to %c2 step %c1 iter_args(%sum = %carried) -> !regs {
// VARIANT loop: replace ENDIF with scf.yield %sum : !regs }
// RUN: %variant loop %s | titan check - | FileCheck %s --check-prefix=ALL
// But what it carries may differ: from the second round on.
// VARIANT carried: replace IF with %end = scf.for %i = %c0 to %c2 step %c1 iter_args(%who = %i0) -> i32 { %mine = arith.cmpi eq, %who, %i0 : i32 scf.if %mine {
// VARIANT carried: replace ENDIF with } scf.yield %wid : i32 }
// RUN: %variant carried %s | not titan check - 2>&1 | FileCheck %s

!matrix = !titan.global<32x64xi32, strides = [64, 1]>
!tile = !titan.shared<32x64xi32>
!regs = tensor<32x64xi32, #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [2, 1]>>

titan.kernel @branch(%A: !matrix, %D: !matrix) warps(2) attributes {titan.alignment = {A = 16, D = 16}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant 0 : i32
  %tile = titan.shared.alloc : !tile
  %wid = titan.warp_id
  titan.copy %A[%c0, %c0] to %tile : !matrix, !tile
  titan.cta_sync
  %first = arith.cmpi eq, %wid, %i0 : i32 // @WHO
  scf.if %first { // @IF
    titan.copy %tile to %D[%c0, %c0] : !tile, !matrix
  } // @ENDIF
  titan.return
}
