// IDIOM: ring counters by mod and div
//
// A ring whose slots and parities are computed from the number of the use, by mod and div; and by a pipe.
//
// RUN: titan check %s --kernel bare --require=proved | FileCheck %s
// RUN: titan check %s --kernel pipe --require=proved | FileCheck %s
// CHECK: proved, for every size
// VARIANT no_credit: replace credit with %next = arith.addi %round, %c0 : index
// RUN: %variant no_credit %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=NO-CREDIT
// NO-CREDIT: [{{deadlock|phase-parity|phase-ambiguous}}]
// VARIANT no_fence: drop fence
// RUN: %variant no_fence %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=NO-FENCE
// NO-FENCE: [{{proxy-fence-missing|undecided|race}}]
// VARIANT never_released: drop release
// RUN: %variant never_released %s | not titan check - --kernel pipe --require=proved 2>&1 | FileCheck %s --check-prefix=NEVER-RELEASED
// NEVER-RELEASED: [{{[a-z-]+}}]

!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring2 = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!ring3 = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!bar = !titan.mbarrier
!bars2 = !titan.mbarrier<2>
!bars3 = !titan.mbarrier<3>
!regs = tensor<8x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>>

// Use i: slot i mod 3, parity i div 3 mod 2.
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
          %next = arith.addi %round, %c1 : index // @credit
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
        %stage = arith.remui %i, %c3 : index
        %round = arith.divui %i, %c3 : index
        %odd = arith.remui %round, %c2 : index
        %parity = arith.index_cast %odd : index to i32
        titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars3
        %slot = titan.shared.slot %tiles[%stage : index] : !ring3 -> !tile
        %x = titan.shared.load %slot : !tile -> !regs
        titan.fence.proxy_async shared_cta // @fence
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%stage : index] : !bars3
        }
      }
    }
  }
  titan.return
}

// The same by a pipe.
titan.kernel @pipe(%X: !global) warps(2) attributes {titan.target = "sm_90a",
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
  %tiles = titan.shared.alloc : !ring3
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%tiles : !ring3) : !titan.pipe<3>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %slot = titan.pipe.acquire %pipe : !titan.pipe<3>
        titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %slot = titan.pipe.wait %pipe : !titan.pipe<3>
        %in = titan.pipe.buffer %slot["x"] : !tile
        %x = titan.shared.load %in : !tile -> !regs
        titan.pipe.release %slot // @release
      }
    }
  }
  titan.return
}
