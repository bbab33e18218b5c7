// What reads a tile that a schedule fills may be a copy itself, to registers or to another buffer. What holes of the
// tile reach is the same before copies are decided and after.
//
// RUN: titan explain copy %s | FileCheck %s --check-prefix=COPY
// COPY: tma 1 instruction of 8192 bytes, 1 thread, no fences; priority 20 <- chosen
// RUN: titan explain tma %s | FileCheck %s --check-prefix=TMA
// TMA: M >= 1 [tma-dim-range]
// RUN: titan check %s | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: accepted: 0 errors, 0 warnings
// The same as of a load in its place.
// VARIANT load: in READ `titan.copy %b` -> `titan.shared.load %b`
// RUN: %variant load %s > %t.load && cp %s %t.copy && titan explain tma %t.load > %t.load.txt && titan explain tma %t.copy > %t.copy.txt && diff %t.load.txt %t.copy.txt

!m = !titan.global<?x64xf16, strides = [64, 1]>
!tile = !titan.shared<64x64xf16>
!r = tensor<64x64xf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
#tile = #titan.schedule<tensor M x K  Mo, Mi = split(M, 64)  bulk Mi, K>
titan.kernel @regs(%A: !m, %B: !m) warps(4) attributes {
  titan.example = {sizes = {M = 200}, A = "Mx64 random:1", B = "Mx64"}
} launch {
  %c64 = arith.constant 64 : index
  %m = titan.dim %A, 0 : !m
  %t = arith.ceildivui %m, %c64 : index
  titan.launch grid(%t)
} body() {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %b = titan.shared.alloc : !tile
  %c = titan.shared.alloc : !tile
  %f = titan.mbarrier.alloc : !titan.mbarrier
  %cta = titan.cta_id 0
  %row = arith.muli %cta, %c64 : index
  titan.elect warp(0) {
    titan.mbarrier.init %f count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.copy_async %A at(Mo = %cta) to %b signals %f schedule(#tile) : !m, !tile, !titan.mbarrier
    titan.mbarrier.arrive %f : !titan.mbarrier
  }
  titan.cta_sync
  titan.mbarrier.wait %f parity(%i0) : !titan.mbarrier
  titan.copy %b to %c : !tile, !tile
  titan.cta_sync
  %y = titan.copy %b : !tile -> !r // @READ
  titan.copy %y to %B[%row, %c0] : !r, !m
  titan.return
}
