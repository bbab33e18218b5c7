// IDIOM: several consumers
//
// Two partitions read each slot: the barrier that frees it counts both, and either may be ahead.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// The barrier counts one of them.
// VARIANT counts_one: in arrivals `count(2)` -> `count(1)`
// RUN: %variant counts_one %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=COUNTS-ONE
// COUNTS-ONE: [phase-ambiguous]
// One of them keeps its slots.
// VARIANT one_releases: drop sumrelease
// RUN: %variant one_releases %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=ONE-RELEASES
// ONE-RELEASES: [pipe-release]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!bars = !titan.mbarrier<3>
!pipe = !titan.pipe<3>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>

// A slot's uses alternate between parities: use n is in round n div 3.
func.func private @parity(%use: index) -> i32 {
  %two = arith.constant 2 : index
  %depth = arith.constant 3 : index
  %round = arith.divui %use, %depth : index
  %odd = arith.remui %round, %two : index
  %parity = arith.index_cast %odd : index to i32
  return %parity : i32
}

// The producer's step: once use - 3 is free, the block of rows goes to the slot of this use.
func.func private @fill(%map: !map, %row: index, %tiles: !ring, %full: !bars, %empty: !bars, %use: index) {
  %zero = arith.constant 0 : index
  %depth = arith.constant 3 : index
  %bytes = arith.constant 1024 : i32
  %stage = arith.remui %use, %depth : index
  %next = arith.addi %use, %depth : index
  %free = func.call @parity(%next) : (index) -> i32
  titan.mbarrier.wait %empty[%stage : index] parity(%free) : !bars
  titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
  %slot = titan.shared.slot %tiles[%stage : index] : !ring -> !tile
  titan.tma.load %map[%row, %zero], %slot, %full[%stage : index] : !map, !tile, !bars
  return
}

// The consumer waits for a use and reads it.
func.func private @get(%tiles: !ring, %full: !bars, %use: index) -> !regs {
  %depth = arith.constant 3 : index
  %stage = arith.remui %use, %depth : index
  %parity = func.call @parity(%use) : (index) -> i32
  titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
  %slot = titan.shared.slot %tiles[%stage : index] : !ring -> !tile
  %x = titan.shared.load %slot : !tile -> !regs
  return %x : !regs
}

// What all lanes have read, one of them frees for the next copy.
func.func private @free(%empty: !bars, %use: index) {
  %depth = arith.constant 3 : index
  %stage = arith.remui %use, %depth : index
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.mbarrier.arrive %empty[%stage : index] : !bars
  }
  return
}

// A tile goes to rows of Y, as far as there are such.
func.func private @put(%x: !regs, %Y: !global, %row: index) {
  %row32 = arith.index_cast %row : index to i32
  %at = titan.splat %row32 : i32 -> !where
  %in = titan.coordinate 0 : !where
  %i = arith.addi %at, %in : !where
  %j = titan.coordinate 1 : !where
  %m = titan.dim %Y, 0 : !global
  %m32 = arith.index_cast %m : index to i32
  %end = titan.splat %m32 : i32 -> !where
  %inside = arith.cmpi slt, %i, %end : !where
  titan.global.store %x, %Y[%i, %j] mask(%inside : !yes) : !regs, !global, !where, !where
  return
}

// A tile that holds a number everywhere.
func.func private @number(%i: index) -> !regs {
  %i32 = arith.index_cast %i : index to i32
  %value = arith.sitofp %i32 : i32 to bf16
  %x = titan.splat %value : bf16 -> !regs
  return %x : !regs
}

titan.kernel @bare(%X: !global, %Y: !global) warps(3) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %most = arith.constant 1073741824 : index
  %few0 = arith.cmpi ule, %rows, %most : index
  titan.require %few0, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %sizeY0 = titan.dim %Y, 0 : !global
  %few1 = arith.cmpi ule, %sizeY0, %most : index
  titan.require %few1, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  titan.launch grid(%one) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %tiles = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(2) : !bars // @arrivals
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %row = arith.muli %i, %c8 : index
          func.call @fill(%map, %row, %tiles, %full, %empty, %i) : (!map, index, !ring, !bars, !bars, index) -> ()
        }
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %x = func.call @get(%tiles, %full, %i) : (!ring, !bars, index) -> !regs
        func.call @free(%empty, %i) : (!bars, index) -> ()
        %row = arith.muli %i, %c8 : index
        func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
      }
    }
    titan.partition "sum" warps(1) {
      %zero = func.call @number(%c0) : (index) -> !regs
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sofar = %zero) -> (!regs) {
        %x = func.call @get(%tiles, %full, %i) : (!ring, !bars, index) -> !regs
        func.call @free(%empty, %i) : (!bars, index) -> ()
        %more = arith.addf %sofar, %x : !regs
        scf.yield %more : !regs
      }
      %behind = arith.muli %n, %c8 : index
      func.call @put(%sum, %Y, %behind) : (!regs, !global, index) -> ()
    }
  }
  titan.return
}

titan.kernel @pipe(%X: !global, %Y: !global) warps(3) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %most = arith.constant 1073741824 : index
  %few0 = arith.cmpi ule, %rows, %most : index
  titan.require %few0, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %sizeY0 = titan.dim %Y, 0 : !global
  %few1 = arith.cmpi ule, %sizeY0, %most : index
  titan.require %few1, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  titan.launch grid(%one) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %tiles = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use", "sum"] buffers ["x"](%tiles : !ring) : !pipe
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %slot = titan.pipe.acquire %pipe : !pipe
        titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %slot = titan.pipe.wait %pipe : !pipe
        %in = titan.pipe.buffer %slot["x"] : !tile
        %x = titan.shared.load %in : !tile -> !regs
        titan.pipe.release %slot
        %row = arith.muli %i, %c8 : index
        func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
      }
    }
    titan.partition "sum" warps(1) {
      %zero = func.call @number(%c0) : (index) -> !regs
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sofar = %zero) -> (!regs) {
        %slot = titan.pipe.wait %pipe : !pipe
        %in = titan.pipe.buffer %slot["x"] : !tile
        %x = titan.shared.load %in : !tile -> !regs
        titan.pipe.release %slot // @sumrelease
        %more = arith.addf %sofar, %x : !regs
        scf.yield %more : !regs
      }
      %behind = arith.muli %n, %c8 : index
      func.call @put(%sum, %Y, %behind) : (!regs, !global, index) -> ()
    }
  }
  titan.return
}
