// A counter that goes through 8 or 16 bits wraps round when sizes are large, and slots are then not those of the use: the
// search does not go as far, and the proof does not assume that sizes are so small. (Of 32 bits: Proved/overflow.mlir.)
//
// RUN: not titan check %s --kernel unsigned8 2>&1 | FileCheck %s
// RUN: not titan check %s --kernel signed16 2>&1 | FileCheck %s
// CHECK: [undecided]
// RUN: titan-mutate %s --prove --every 1000000 --schedules 1 | FileCheck %s --check-prefix=ASKED
// ASKED: kernels as they are: 2, 2 refused, 0 proved

!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring3 = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!bars3 = !titan.mbarrier<3>
!regs = tensor<8x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>>

// Slots by 8 bits.
titan.kernel @unsigned8(%X: !global) warps(2)attributes {titan.target = "sm_90a",
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
  %bytes = arith.constant 1024 : i32
  %tiles = titan.shared.alloc : !ring3
  %full = titan.mbarrier.alloc : !bars3
  %empty = titan.mbarrier.alloc : !bars3
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars3
    titan.mbarrier.init %empty count(1) : !bars3
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %stage = arith.remui %i, %c3 : index
          %round = arith.divui %i, %c3 : index
          %next = arith.addi %round, %c1 : index
          %odd = arith.remui %next, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          %row = arith.muli %i, %c8 : index
          titan.mbarrier.wait %empty[%stage : index] parity(%parity) : !bars3
          titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars3
          %slot = titan.shared.slot %tiles[%stage : index] : !ring3 -> !tile
          titan.tma.load %map[%row, %c0], %slot, %full[%stage : index] : !map, !tile, !bars3
        }
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %narrow = arith.index_cast %i : index to i8
        %wrapped = arith.index_castui %narrow : i8 to index
        %stage = arith.remui %wrapped, %c3 : index
        %round = arith.divui %i, %c3 : index
        %odd = arith.remui %round, %c2 : index
        %parity = arith.index_cast %odd : index to i32
        titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars3
        %slot = titan.shared.slot %tiles[%stage : index] : !ring3 -> !tile
        %x = titan.shared.load %slot : !tile -> !regs
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%stage : index] : !bars3
        }
      }
    }
  }

  titan.return
}

// Slots by 16 bits with a sign.
titan.kernel @signed16(%X: !global) warps(2)attributes {titan.target = "sm_90a",
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
  %bytes = arith.constant 1024 : i32
  %tiles = titan.shared.alloc : !ring3
  %full = titan.mbarrier.alloc : !bars3
  %empty = titan.mbarrier.alloc : !bars3
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars3
    titan.mbarrier.init %empty count(1) : !bars3
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %stage = arith.remui %i, %c3 : index
          %round = arith.divui %i, %c3 : index
          %next = arith.addi %round, %c1 : index
          %odd = arith.remui %next, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          %row = arith.muli %i, %c8 : index
          titan.mbarrier.wait %empty[%stage : index] parity(%parity) : !bars3
          titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars3
          %slot = titan.shared.slot %tiles[%stage : index] : !ring3 -> !tile
          titan.tma.load %map[%row, %c0], %slot, %full[%stage : index] : !map, !tile, !bars3
        }
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %narrow = arith.index_cast %i : index to i16
        %wrapped = arith.index_cast %narrow : i16 to index
        %stage = arith.remui %wrapped, %c3 : index
        %round = arith.divui %i, %c3 : index
        %odd = arith.remui %round, %c2 : index
        %parity = arith.index_cast %odd : index to i32
        titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars3
        %slot = titan.shared.slot %tiles[%stage : index] : !ring3 -> !tile
        %x = titan.shared.load %slot : !tile -> !regs
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%stage : index] : !bars3
        }
      }
    }
  }

  titan.return
}
