// IDIOM: several producers
//
// Two partitions fill each slot, a half each; the barrier counts both, and each expects the bytes of its own half.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipes: accepted
// CHECK: {{^}}  proved, for every size
//
// The barrier counts one of them.
// VARIANT counts_one: in both `count(2)` -> `count(1)`
// RUN: %variant counts_one %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=COUNTS-ONE
// COUNTS-ONE: [phase-ambiguous]
// One of them fills one slot fewer.
// VARIANT fewer: in lower `%c0 to` -> `%c1 to`
// RUN: %variant fewer %s | not titan check - --kernel pipes 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: [deadlock]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!bars = !titan.mbarrier<2>
!pipe = !titan.pipe<2>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>

// A slot's uses alternate between parities: use n is in round n div 2.
func.func private @parity(%use: index) -> i32 {
  %two = arith.constant 2 : index
  %depth = arith.constant 2 : index
  %round = arith.divui %use, %depth : index
  %odd = arith.remui %round, %two : index
  %parity = arith.index_cast %odd : index to i32
  return %parity : i32
}

// The producer's step: once use - 2 is free, the block of rows goes to the slot of this use.
func.func private @fill(%map: !map, %row: index, %tiles: !ring, %full: !bars, %empty: !bars, %use: index) {
  %zero = arith.constant 0 : index
  %depth = arith.constant 2 : index
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
  %depth = arith.constant 2 : index
  %stage = arith.remui %use, %depth : index
  %parity = func.call @parity(%use) : (index) -> i32
  titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
  %slot = titan.shared.slot %tiles[%stage : index] : !ring -> !tile
  %x = titan.shared.load %slot : !tile -> !regs
  return %x : !regs
}

// What all lanes have read, one of them frees for the next copy.
func.func private @free(%empty: !bars, %use: index) {
  %depth = arith.constant 2 : index
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

titan.kernel @bare(%X: !global, %Y: !global) warps(3) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"},
  titan.reference = @same} launch {
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
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %tiles = titan.shared.alloc : !ring
  %more = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(2) : !bars // @both
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "upper" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %row = arith.muli %i, %c8 : index
          func.call @fill(%map, %row, %tiles, %full, %empty, %i) : (!map, index, !ring, !bars, !bars, index) -> ()
        }
      }
    }
    titan.partition "lower" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %row = arith.muli %i, %c8 : index
          func.call @fill(%map, %row, %more, %full, %empty, %i) : (!map, index, !ring, !bars, !bars, index) -> ()
        }
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %x = func.call @get(%tiles, %full, %i) : (!ring, !bars, index) -> !regs
        %stage = arith.remui %i, %c2 : index
        %slot = titan.shared.slot %more[%stage : index] : !ring -> !tile
        %y = titan.shared.load %slot : !tile -> !regs
        func.call @free(%empty, %i) : (!bars, index) -> ()
        %z = arith.maximumf %x, %y : !regs
        %row = arith.muli %i, %c8 : index
        func.call @put(%z, %Y, %row) : (!regs, !global, index) -> ()
      }
    }
  }
  titan.return
}

// A pipe for each of them.
titan.kernel @pipes(%X: !global, %Y: !global) warps(3) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"},
  titan.reference = @same} launch {
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
  %more = titan.shared.alloc : !ring
  %a = titan.pipe.create "upper" -> ["use"] buffers ["x"](%tiles : !ring) : !pipe
  %b = titan.pipe.create "lower" -> ["use"] buffers ["x"](%more : !ring) : !pipe
  titan.warp_specialize {
    titan.partition "upper" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %slot = titan.pipe.acquire %a : !pipe
        titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "lower" warps(1) {
      scf.for %i = %c0 to %n step %c1 { // @lower
        %row = arith.muli %i, %c8 : index
        %slot = titan.pipe.acquire %b : !pipe
        titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %slot = titan.pipe.wait %a : !pipe
        %in = titan.pipe.buffer %slot["x"] : !tile
        %x = titan.shared.load %in : !tile -> !regs
        titan.pipe.release %slot
        %slot1 = titan.pipe.wait %b : !pipe
        %in1 = titan.pipe.buffer %slot1["x"] : !tile
        %y = titan.shared.load %in1 : !tile -> !regs
        titan.pipe.release %slot1
        %z = arith.maximumf %x, %y : !regs
        %row = arith.muli %i, %c8 : index
        func.call @put(%z, %Y, %row) : (!regs, !global, index) -> ()
      }
    }
  }
  titan.return
}

func.func private @same(%X: memref<?x64xbf16> {titan.input = "X"}, %Y: memref<?x64xf32> {titan.expected = "Y"}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%X : memref<?x64xbf16>) outs(%Y : memref<?x64xf32>) {
  ^bb0(%x: bf16, %y: f32):
    %wide = arith.extf %x : bf16 to f32
    linalg.yield %wide : f32
  }
  return
}
