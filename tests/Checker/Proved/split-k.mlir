// IDIOM: split-K by reduction
//
// Several CTAs have a part of one sum each, and add it up in global memory: reductions by TMA, whose order does not matter
// and which do not race with each other.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// They store where they should add.
// VARIANT stores: in add `titan.tma.reduce add` -> `titan.tma.store`
// RUN: %variant stores %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=STORES
// STORES: [completion-not-observed]
// One lane sends off what the others may not have written.
// VARIANT no_lanes: drop lanes2
// RUN: %variant no_lanes %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=NO-LANES
// NO-LANES: [race]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!bar = !titan.mbarrier
!pipe = !titan.pipe<2>
!regs = tensor<8x64xbf16, #rows>
!bulk = !titan.token<bulk>

// A tile that holds a number everywhere.
func.func private @number(%i: index) -> !regs {
  %i32 = arith.index_cast %i : index to i32
  %value = arith.sitofp %i32 : i32 to bf16
  %x = titan.splat %value : bf16 -> !regs
  return %x : !regs
}

// As many CTAs as blocks of rows; all of them add to the first block of Y.
titan.kernel @bare(%X: !global, %Y: !global) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64 zeros"}} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %rowsY = titan.dim %Y, 0 : !global
  %same = arith.cmpi eq, %rows, %rowsY : index
  titan.require %same, "launch-check", "Y has a row for each row of X"
  %mapY = titan.tensor_map %Y : !global -> !map
  titan.launch grid(%n) with(%map, %mapY, %n : !map, !map, index)
} body(%map: !map, %mapY: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 1024 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %cta = titan.cta_id 0
  %row = arith.muli %cta, %c8 : index
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %map[%row, %c0], %tile, %full : !map, !tile, !bar
    titan.mbarrier.wait %full parity(%i0) : !bar
    titan.tma.reduce add %tile, %mapY[%c0, %c0] : !tile, !map // @add
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// Each CTA adds up several blocks in registers first.
titan.kernel @pipe(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64 zeros"}} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %rowsY = titan.dim %Y, 0 : !global
  %same = arith.cmpi eq, %rows, %rowsY : index
  titan.require %same, "launch-check", "Y has a row for each row of X"
  %mapY = titan.tensor_map %Y : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  titan.launch grid(%grid) with(%map, %mapY, %n : !map, !map, index)
} body(%map: !map, %mapY: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %tiles = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%tiles : !ring) : !pipe
  %out = titan.shared.alloc : !tile
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %t = %first to %n step %ctas {
        %row = arith.muli %t, %c8 : index
        %slot = titan.pipe.acquire %pipe : !pipe
        titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "use" warps(1) {
      %zero = func.call @number(%c0) : (index) -> !regs
      %sum = scf.for %t = %first to %n step %ctas iter_args(%sofar = %zero) -> (!regs) {
        %slot = titan.pipe.wait %pipe : !pipe
        %in = titan.pipe.buffer %slot["x"] : !tile
        %x = titan.shared.load %in : !tile -> !regs
        titan.pipe.release %slot
        %more = arith.addf %sofar, %x : !regs
        scf.yield %more : !regs
      }
      titan.shared.store %sum, %out : !regs, !tile
      titan.fence.proxy_async shared_cta
      titan.syncwarp // @lanes2
      titan.elect {
        titan.tma.reduce add %out, %mapY[%c0, %c0] : !tile, !map
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
  }
  titan.return
}
