// IDIOM: prologue and drain
//
// The next tile is under way while this one is read; the last iteration loads nothing. A barrier of all
// threads frees the slot.
//
// RUN: titan check %s --kernel bare --require=proved | FileCheck %s
// CHECK: proved, for every size
// VARIANT no_barrier: drop sync
// RUN: %variant no_barrier %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=NO-BARRIER
// NO-BARRIER: [{{[a-z-]+}}]

!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring2 = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!ring3 = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!bar = !titan.mbarrier
!bars2 = !titan.mbarrier<2>
!bars3 = !titan.mbarrier<3>
!regs = tensor<8x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>>

// One warp; two slots.
titan.kernel @bare(%X: !global) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  titan.launch grid(%one) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 1024 : i32
  %bar = titan.mbarrier.alloc : !bars2
  %buffer = titan.shared.alloc : !ring2
  titan.elect warp(0) {
    titan.mbarrier.init %bar count(1) : !bars2
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %slot0 = titan.shared.slot %buffer[%c0 : index] : !ring2 -> !tile
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %bar[%c0 : index], %bytes : !bars2
    titan.tma.load %map[%c0, %c0], %slot0, %bar[%c0 : index] : !map, !tile, !bars2
  }
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %more = arith.cmpi ult, %next, %n : index
    scf.if %more {
      %row = arith.muli %next, %c8 : index
      %other = arith.remui %next, %c2 : index
      %slot = titan.shared.slot %buffer[%other : index] : !ring2 -> !tile
      titan.elect warp(0) {
        titan.mbarrier.arrive_expect_tx %bar[%other : index], %bytes : !bars2
        titan.tma.load %map[%row, %c0], %slot, %bar[%other : index] : !map, !tile, !bars2
      }
    }
    %stage = arith.remui %i, %c2 : index
    %round = arith.divui %i, %c2 : index
    %odd = arith.remui %round, %c2 : index
    %parity = arith.index_cast %odd : index to i32
    titan.mbarrier.wait %bar[%stage : index] parity(%parity) : !bars2
    %mine = titan.shared.slot %buffer[%stage : index] : !ring2 -> !tile
    %x = titan.shared.load %mine : !tile -> !regs
    titan.fence.proxy_async shared_cta
    titan.cta_sync // @sync
  }
  titan.return
}
