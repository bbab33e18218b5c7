// Constants so large that what is computed from them leaves 64 bits: nothing is known of it, and nothing is proved by it.
//
// RUN: titan-mutate %s --prove --undecided --every 1000 --schedules 1 | FileCheck %s
// CHECK: kernels as they are: 3, {{[0-9]+}} refused, 0 proved
// RUN: not titan run %s --kernel residue --size M=528 --hazards=off 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: not titan run %s --kernel shifted --size M=700 --hazards=off 2>&1 | FileCheck %s --check-prefix=ENDLESS
// ENDLESS: error: [deadlock]
// RUN: titan run %s --kernel round --size M=528
//

!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!bars = !titan.mbarrier<3>
!regs = tensor<8x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>>

// (c (n mod 65) + 2 n) mod 3, where 65 c is 2^63 + 122: not n mod 3, once n is 65.
func.func private @stage_residue(%use: index) -> index {
  %d = arith.constant 65 : index
  %c = arith.constant 141898031336227322 : index
  %two = arith.constant 2 : index
  %slots = arith.constant 3 : index
  %r = arith.remui %use, %d : index
  %a = arith.muli %r, %c : index
  %b = arith.muli %use, %two : index
  %s = arith.addi %a, %b : index
  %stage = arith.remui %s, %slots : index
  return %stage : index
}
func.func private @parity_residue(%use: index) -> i32 {
  %two = arith.constant 2 : index
  %slots = arith.constant 3 : index
  %round = arith.divui %use, %slots : index
  %odd = arith.remui %round, %two : index
  %parity = arith.index_cast %odd : index to i32
  return %parity : i32
}
titan.kernel @residue(%X: !global) warps(2) attributes {titan.target = "sm_90a",
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
  %c8 = arith.constant 8 : index
  %cslots = arith.constant 3 : index
  %bytes = arith.constant 1024 : i32
  %tiles = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
            %stage = func.call @stage_residue(%i) : (index) -> index
            %next = arith.addi %i, %cslots : index
            %free = func.call @parity_residue(%next) : (index) -> i32
            %row = arith.muli %i, %c8 : index
            titan.mbarrier.wait %empty[%stage : index] parity(%free) : !bars
            titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
            %slot = titan.shared.slot %tiles[%stage : index] : !ring -> !tile
            titan.tma.load %map[%row, %c0], %slot, %full[%stage : index] : !map, !tile, !bars
        }
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
          %stage = func.call @stage_residue(%i) : (index) -> index
          %parity = func.call @parity_residue(%i) : (index) -> i32
          titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
          %slot = titan.shared.slot %tiles[%stage : index] : !ring -> !tile
          %x = titan.shared.load %slot : !tile -> !regs
          titan.fence.proxy_async shared_cta
          titan.syncwarp
          titan.elect {
            titan.mbarrier.arrive %empty[%stage : index] : !bars
          }
      }
    }
  }
  titan.return
}

// ((2^32 (n div 40)) mod 96) 2^32 + n: not n modulo 3, though 2^64 (n div 40) would be 0 in 64 bits.
func.func private @stage_shifted(%use: index) -> index {
  %far = arith.constant 40 : index
  %big = arith.constant 4294967296 : index
  %d = arith.constant 96 : index
  %slots = arith.constant 3 : index
  %q = arith.divui %use, %far : index
  %a = arith.muli %q, %big : index
  %r = arith.remui %a, %d : index
  %b = arith.muli %r, %big : index
  %s = arith.addi %b, %use : index
  %stage = arith.remui %s, %slots : index
  return %stage : index
}
func.func private @parity_shifted(%use: index) -> i32 {
  %two = arith.constant 2 : index
  %slots = arith.constant 3 : index
  %round = arith.divui %use, %slots : index
  %odd = arith.remui %round, %two : index
  %parity = arith.index_cast %odd : index to i32
  return %parity : i32
}
titan.kernel @shifted(%X: !global) warps(2) attributes {titan.target = "sm_90a",
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
  %c8 = arith.constant 8 : index
  %cslots = arith.constant 3 : index
  %bytes = arith.constant 1024 : i32
  %tiles = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
            %stage = func.call @stage_shifted(%i) : (index) -> index
            %next = arith.addi %i, %cslots : index
            %free = func.call @parity_shifted(%next) : (index) -> i32
            %row = arith.muli %i, %c8 : index
            titan.mbarrier.wait %empty[%stage : index] parity(%free) : !bars
            titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
            %real = arith.remui %i, %cslots : index
            %slot = titan.shared.slot %tiles[%real : index] : !ring -> !tile
            titan.tma.load %map[%row, %c0], %slot, %full[%stage : index] : !map, !tile, !bars
        }
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
          %stage = func.call @stage_shifted(%i) : (index) -> index
          %parity = func.call @parity_shifted(%i) : (index) -> i32
          titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
          %real = arith.remui %i, %cslots : index
            %slot = titan.shared.slot %tiles[%real : index] : !ring -> !tile
          %x = titan.shared.load %slot : !tile -> !regs
          titan.fence.proxy_async shared_cta
          titan.syncwarp
          titan.elect {
            titan.mbarrier.arrive %empty[%stage : index] : !bars
          }
      }
    }
  }
  titan.return
}

// The parity of a round, and of n div (2^62 + 1), which is 0: a table of what that may be would have 2^63 numbers.
func.func private @stage_round(%use: index) -> index {
  %d = arith.constant 65 : index
  %c = arith.constant 3 : index
  %two = arith.constant 1 : index
  %slots = arith.constant 3 : index
  %r = arith.remui %use, %d : index
  %a = arith.muli %r, %c : index
  %b = arith.muli %use, %two : index
  %s = arith.addi %a, %b : index
  %stage = arith.remui %s, %slots : index
  return %stage : index
}
func.func private @parity_round(%use: index) -> i32 {
  %two = arith.constant 2 : index
  %slots = arith.constant 3 : index
  %c0x = arith.constant 0 : index
  %round = arith.divui %use, %slots : index
  %odd = arith.remui %round, %two : index
  %dd = arith.constant 4611686018427387905 : index
  %far = arith.divui %use, %dd : index
  %p1 = arith.remui %far, %two : index
  %p0 = arith.addi %odd, %c0x : index
  %both = arith.xori %p1, %p0 : index
  %parity = arith.index_cast %both : index to i32
  return %parity : i32
}
titan.kernel @round(%X: !global) warps(2) attributes {titan.target = "sm_90a",
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
  %c8 = arith.constant 8 : index
  %cslots = arith.constant 3 : index
  %bytes = arith.constant 1024 : i32
  %tiles = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
            %stage = func.call @stage_round(%i) : (index) -> index
            %next = arith.addi %i, %cslots : index
            %free = func.call @parity_round(%next) : (index) -> i32
            %row = arith.muli %i, %c8 : index
            titan.mbarrier.wait %empty[%stage : index] parity(%free) : !bars
            titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
            %slot = titan.shared.slot %tiles[%stage : index] : !ring -> !tile
            titan.tma.load %map[%row, %c0], %slot, %full[%stage : index] : !map, !tile, !bars
        }
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
          %stage = func.call @stage_round(%i) : (index) -> index
          %parity = func.call @parity_round(%i) : (index) -> i32
          titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
          %slot = titan.shared.slot %tiles[%stage : index] : !ring -> !tile
          %x = titan.shared.load %slot : !tile -> !regs
          titan.fence.proxy_async shared_cta
          titan.syncwarp
          titan.elect {
            titan.mbarrier.arrive %empty[%stage : index] : !bars
          }
      }
    }
  }
  titan.return
}
