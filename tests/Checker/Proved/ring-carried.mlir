// IDIOM: ring counters carried across tiles
//
// A persistent kernel: slot and parity are carried through the steps of a tile and across tiles.
//
// RUN: titan check %s --kernel bare --require=proved | FileCheck %s
// RUN: titan check %s --kernel pipe --require=proved | FileCheck %s
// CHECK: proved, for every size
// VARIANT restarts: in carry `%q#1` -> `%i1`
// RUN: %variant restarts %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=RESTARTS
// RESTARTS: [{{phase-parity|phase-ambiguous|race|deadlock|completion-not-observed|undecided}}]
// VARIANT fewer: in loop `%n` -> `%c3`
// RUN: %variant fewer %s | not titan check - --kernel pipe --require=proved 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: [{{[a-z-]+}}]

!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring2 = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!ring3 = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!bar = !titan.mbarrier
!bars2 = !titan.mbarrier<2>
!bars3 = !titan.mbarrier<3>
!regs = tensor<8x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>>

// As many steps as tiles.
titan.kernel @bare(%X: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  titan.launch grid(%grid) with(%map, %n : !map, index)
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
    titan.mbarrier.init %empty count(1) : !bars2
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r:2 = scf.for %t = %first to %n step %ctas iter_args(%stage0 = %i0, %free0 = %i1) -> (i32, i32) {
          %q:2 = scf.for %i = %c0 to %n step %c1 iter_args(%stage = %stage0, %free = %free0) -> (i32, i32) {
            %row = arith.muli %i, %c8 : index
            titan.mbarrier.wait %empty[%stage : i32] parity(%free) : !bars2
            titan.mbarrier.arrive_expect_tx %full[%stage : i32], %bytes : !bars2
            %slot = titan.shared.slot %tiles[%stage : i32] : !ring2 -> !tile
            titan.tma.load %map[%row, %c0], %slot, %full[%stage : i32] : !map, !tile, !bars2
            %stage1 = arith.xori %stage, %i1 : i32
            %wrap = arith.cmpi eq, %stage1, %i0 : i32
            %other = arith.xori %free, %i1 : i32
            %free1 = arith.select %wrap, %other, %free : i32
            scf.yield %stage1, %free1 : i32, i32
          }
          scf.yield %q#0, %q#1 : i32, i32
        }
      }
    }
    titan.partition "use" warps(1) {
      %r:2 = scf.for %t = %first to %n step %ctas iter_args(%stage0 = %i0, %parity0 = %i0) -> (i32, i32) {
        %q:2 = scf.for %i = %c0 to %n step %c1 iter_args(%stage = %stage0, %parity = %parity0) -> (i32, i32) {
          titan.mbarrier.wait %full[%stage : i32] parity(%parity) : !bars2
          %slot = titan.shared.slot %tiles[%stage : i32] : !ring2 -> !tile
          %x = titan.shared.load %slot : !tile -> !regs
          titan.fence.proxy_async shared_cta
          titan.syncwarp
          titan.elect {
            titan.mbarrier.arrive %empty[%stage : i32] : !bars2
          }
          %stage1 = arith.xori %stage, %i1 : i32
          %wrap = arith.cmpi eq, %stage1, %i0 : i32
          %other = arith.xori %parity, %i1 : i32
          %parity1 = arith.select %wrap, %other, %parity : i32
          scf.yield %stage1, %parity1 : i32, i32
        }
        scf.yield %q#0, %q#1 : i32, i32 // @carry
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
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  titan.launch grid(%grid) with(%map, %n : !map, index)
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
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %t = %first to %n step %ctas {
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %slot = titan.pipe.acquire %pipe : !titan.pipe<3>
        titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
      }
    }
    titan.partition "use" warps(1) {
      scf.for %t = %first to %n step %ctas {
      scf.for %i = %c0 to %n step %c1 { // @loop
        %slot = titan.pipe.wait %pipe : !titan.pipe<3>
        %in = titan.pipe.buffer %slot["x"] : !tile
        %x = titan.shared.load %in : !tile -> !regs
        titan.pipe.release %slot
      }
      }
    }
  }
  titan.return
}
