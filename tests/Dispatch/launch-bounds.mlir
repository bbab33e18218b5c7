// What the launch checks of where bulk copies end: never more than is so. Rows are strips of 16; four CTAs.
//
// A loop that CTAs go through together counts all strips below its bound.
// RUN: titan check %s --kernel strips --require=proved
// RUN: titan run %s --kernel strips --no-reference
// RUN: not titan run %s --kernel strips --size M=60 --no-reference 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: error: [out-of-bounds] A: what CTAs copy lies inside of dimension 0
// So it does in a partition.
// VARIANT partition: before elect add titan.warp_specialize { titan.partition "load" warps(1) {
// VARIANT partition: before return add } }
// RUN: %variant partition %s | not titan run - --kernel strips --size M=60 --no-reference 2>&1 | FileCheck %s --check-prefix=LAST
//
// CTA 3 never enters a loop to 3: its own number is no row of a copy there. Nor do numbers of one CTA and one round go
// to their ends together.
// VARIANT guarded: in loop `to %n` -> `to %c3`
// VARIANT guarded: in row `muli %i` -> `muli %cta`
// RUN: %variant guarded %s | titan run - --kernel strips --size M=48 --no-reference
// VARIANT beside: replace row with %d = arith.subi %i, %cta : index %row = arith.muli %d, %c16 : index
// RUN: %variant beside %s | titan run - --kernel strips --size M=64 --no-reference
//
// What is computed of itself again and again is computed once; what has one operand, or none that the launch knows, is not.
// VARIANT chain: replace row with %a1 = arith.addi %i, %i : index %a2 = arith.addi %a1, %a1 : index %a3 = arith.addi %a2, %a2 : index %a4 = arith.addi %a3, %a3 : index %a5 = arith.addi %a4, %a4 : index %a6 = arith.addi %a5, %a5 : index %a7 = arith.addi %a6, %a6 : index %a8 = arith.addi %a7, %a7 : index %a9 = arith.addi %a8, %a8 : index %b1 = arith.addi %a9, %a9 : index %b2 = arith.addi %b1, %b1 : index %b3 = arith.addi %b2, %b2 : index %b4 = arith.addi %b3, %b3 : index %b5 = arith.addi %b4, %b4 : index %b6 = arith.addi %b5, %b5 : index %b7 = arith.addi %b6, %b6 : index %b8 = arith.addi %b7, %b7 : index %b9 = arith.addi %b8, %b8 : index %c21 = arith.addi %b9, %b9 : index %c22 = arith.addi %c21, %c21 : index %c23 = arith.addi %c22, %c22 : index %c24 = arith.addi %c23, %c23 : index %row = arith.muli %c24, %c16 : index
// RUN: %variant chain %s | not titan run - --kernel strips --no-reference 2>&1 | FileCheck %s --check-prefix=LAST
// VARIANT unsigned: replace row with %w = arith.index_cast %i : index to i32 %u = arith.index_castui %w : i32 to index %row = arith.muli %u, %c16 : index
// RUN: %variant unsigned %s | titan run - --kernel strips --no-reference

!strips = !titan.global<?x64xf16, strides = [64, 1]>
!strip = !titan.shared<16x64xf16>

titan.kernel @strips(%A: !strips) warps(1) attributes {
  titan.alignment = {A = 16}, titan.example = {sizes = {M = 96}, A = "Mx64 ints:1"}
} launch {
  %c4 = arith.constant 4 : index
  titan.launch grid(%c4)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %m = titan.dim %A, 0 : !strips
  %n = arith.ceildivui %m, %c16 : index
  %tile = titan.shared.alloc : !strip
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %cta = titan.cta_id 0
  %ctas = titan.num_ctas 0
  titan.elect { // @elect
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    %end = scf.for %i = %cta to %n step %ctas iter_args(%parity = %i0) -> i32 { // @loop
      %row = arith.muli %i, %c16 : index // @row
      titan.copy_async %A[%row, %c0] to %tile signals %full : !strips, !strip, !titan.mbarrier
      titan.mbarrier.arrive %full : !titan.mbarrier
      titan.mbarrier.wait %full parity(%parity) : !titan.mbarrier
      %other = arith.subi %i1, %parity : i32
      scf.yield %other : i32
    }
  }
  titan.return // @return
}
