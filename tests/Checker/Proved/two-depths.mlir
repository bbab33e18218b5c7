// IDIOM: rings of different depths in one loop
//
// Two rings of different depths, filled and emptied in one loop.
//
// RUN: titan check %s --kernel bare --require=proved | FileCheck %s
// CHECK: proved, for every size
// VARIANT not_awaited: drop waitA
// RUN: %variant not_awaited %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=NOT-AWAITED
// NOT-AWAITED: [{{[a-z-]+}}]

!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring2 = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!ring3 = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!bar = !titan.mbarrier
!bars2 = !titan.mbarrier<2>
!bars3 = !titan.mbarrier<3>
!regs = tensor<8x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>>

// Two slots and three.
titan.kernel @bare(%X: !global) warps(2) attributes {titan.target = "sm_90a",
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
  %a = titan.shared.alloc : !ring2
  %b = titan.shared.alloc : !ring3
  %fullA = titan.mbarrier.alloc : !bars2
  %emptyA = titan.mbarrier.alloc : !bars2
  %fullB = titan.mbarrier.alloc : !bars3
  %emptyB = titan.mbarrier.alloc : !bars3
  titan.elect warp(0) {
    titan.mbarrier.init %fullA count(1) : !bars2
    titan.mbarrier.init %emptyA count(1) : !bars2
    titan.mbarrier.init %fullB count(1) : !bars3
    titan.mbarrier.init %emptyB count(1) : !bars3
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %row = arith.muli %i, %c8 : index
          %stageA = arith.remui %i, %c2 : index
          %roundA = arith.divui %i, %c2 : index
          %nextA = arith.addi %roundA, %c1 : index
          %oddA = arith.remui %nextA, %c2 : index
          %parityA = arith.index_cast %oddA : index to i32
          titan.mbarrier.wait %emptyA[%stageA : index] parity(%parityA) : !bars2 // @waitA
          titan.mbarrier.arrive_expect_tx %fullA[%stageA : index], %bytes : !bars2
          %slotA = titan.shared.slot %a[%stageA : index] : !ring2 -> !tile
          titan.tma.load %map[%row, %c0], %slotA, %fullA[%stageA : index] : !map, !tile, !bars2
          %stageB = arith.remui %i, %c3 : index
          %roundB = arith.divui %i, %c3 : index
          %nextB = arith.addi %roundB, %c1 : index
          %oddB = arith.remui %nextB, %c2 : index
          %parityB = arith.index_cast %oddB : index to i32
          titan.mbarrier.wait %emptyB[%stageB : index] parity(%parityB) : !bars3
          titan.mbarrier.arrive_expect_tx %fullB[%stageB : index], %bytes : !bars3
          %slotB = titan.shared.slot %b[%stageB : index] : !ring3 -> !tile
          titan.tma.load %map[%row, %c0], %slotB, %fullB[%stageB : index] : !map, !tile, !bars3
        }
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %stageA = arith.remui %i, %c2 : index
        %roundA = arith.divui %i, %c2 : index
        %oddA = arith.remui %roundA, %c2 : index
        %parityA = arith.index_cast %oddA : index to i32
        titan.mbarrier.wait %fullA[%stageA : index] parity(%parityA) : !bars2
        %slotA = titan.shared.slot %a[%stageA : index] : !ring2 -> !tile
        %x = titan.shared.load %slotA : !tile -> !regs
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %emptyA[%stageA : index] : !bars2
        }
        %stageB = arith.remui %i, %c3 : index
        %roundB = arith.divui %i, %c3 : index
        %oddB = arith.remui %roundB, %c2 : index
        %parityB = arith.index_cast %oddB : index to i32
        titan.mbarrier.wait %fullB[%stageB : index] parity(%parityB) : !bars3
        %slotB = titan.shared.slot %b[%stageB : index] : !ring3 -> !tile
        %y = titan.shared.load %slotB : !tile -> !regs
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %emptyB[%stageB : index] : !bars3
        }
      }
    }
  }
  titan.return
}
