// IDIOM: rings filled by stores
//
// A ring that one partition fills by ordinary stores: one lane tells of all lanes' stores behind syncwarp;
// the readers free slots each for itself.
//
// RUN: titan check %s --kernel bare --require=proved | FileCheck %s
// CHECK: proved, for every size
// VARIANT no_syncwarp: drop sync
// RUN: %variant no_syncwarp %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=NO-SYNCWARP
// NO-SYNCWARP: [{{race}}]
// NO-SYNCWARP: fix: put titan.syncwarp before this titan.elect (line 6{{[0-9]}}): its lane arrives at %full, and 'titan.shared.store' of the other lanes of its warp is not ordered before that
// VARIANT one_lane: replace free with titan.elect { titan.mbarrier.arrive %empty[%stage : index] : !bars2 }
// RUN: %variant one_lane %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=ONE-LANE
// ONE-LANE: [{{[a-z-]+}}]

!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring2 = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!ring3 = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!bar = !titan.mbarrier
!bars2 = !titan.mbarrier<2>
!bars3 = !titan.mbarrier<3>
!regs = tensor<8x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>>

// 32 lanes arrive at %empty.
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
  %tiles = titan.shared.alloc : !ring2
  %full = titan.mbarrier.alloc : !bars2
  %empty = titan.mbarrier.alloc : !bars2
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars2
    titan.mbarrier.init %empty count(32) : !bars2
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "write" warps(1) {
      %zero = arith.constant 0.0 : bf16
      %v = titan.splat %zero : bf16 -> !regs
      scf.for %i = %c0 to %n step %c1 {
        %stage = arith.remui %i, %c2 : index
        %round = arith.divui %i, %c2 : index
        %next = arith.addi %round, %c1 : index
        %odd = arith.remui %next, %c2 : index
        %parity = arith.index_cast %odd : index to i32
        titan.mbarrier.wait %empty[%stage : index] parity(%parity) : !bars2
        %slot = titan.shared.slot %tiles[%stage : index] : !ring2 -> !tile
        titan.shared.store %v, %slot : !regs, !tile
        titan.syncwarp // @sync
        titan.elect {
          titan.mbarrier.arrive %full[%stage : index] : !bars2
        }
      }
    }
    titan.partition "read" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %stage = arith.remui %i, %c2 : index
        %round = arith.divui %i, %c2 : index
        %odd = arith.remui %round, %c2 : index
        %parity = arith.index_cast %odd : index to i32
        titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars2
        %slot = titan.shared.slot %tiles[%stage : index] : !ring2 -> !tile
        %x = titan.shared.load %slot : !tile -> !regs
        titan.mbarrier.arrive %empty[%stage : index] : !bars2 // @free
      }
    }
  }
  titan.return
}
