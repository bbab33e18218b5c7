// IDIOM: unrolling with a tail
//
// A loop unrolled by two, with a tail: slots are constants, both of a step have one parity, which every step flips; an odd
// number of uses leaves one for behind the loop.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// The parity stays.
// VARIANT not_flipped: in flip `%other` -> `%p`
// RUN: %variant not_flipped %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=NOT-FLIPPED
// NOT-FLIPPED: [barrier-unobserved]
// The tail's parity does not go round: right where it is use 0 or 4.
// VARIANT constant_tail: in tail `%last` -> `%i0`
// RUN: %variant constant_tail %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=CONSTANT-TAIL
// CONSTANT-TAIL: error: [
// Every second slot is kept.
// VARIANT kept: drop prel1
// RUN: %variant kept %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: [deadlock]

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

titan.kernel @bare(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
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
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
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
          %row = arith.muli %i, %c8 : index
          func.call @fill(%map, %row, %tiles, %full, %empty, %i) : (!map, index, !ring, !bars, !bars, index) -> ()
        }
      }
    }
    titan.partition "use" warps(1) {
      %odd = arith.remui %n, %c2 : index
      %even = arith.subi %n, %odd : index
      %last = scf.for %i = %c0 to %even step %c2 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %full[%c0 : index] parity(%p) : !bars
        %slot0 = titan.shared.slot %tiles[%c0 : index] : !ring -> !tile
        %x0 = titan.shared.load %slot0 : !tile -> !regs
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%c0 : index] : !bars
        }
        %row0 = arith.muli %i, %c8 : index
        func.call @put(%x0, %Y, %row0) : (!regs, !global, index) -> ()
        %j = arith.addi %i, %c1 : index
        titan.mbarrier.wait %full[%c1 : index] parity(%p) : !bars
        %slot1 = titan.shared.slot %tiles[%c1 : index] : !ring -> !tile
        %x1 = titan.shared.load %slot1 : !tile -> !regs
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%c1 : index] : !bars
        }
        %row1 = arith.muli %j, %c8 : index
        func.call @put(%x1, %Y, %row1) : (!regs, !global, index) -> ()
        %other = arith.xori %p, %i1 : i32
        scf.yield %other : i32 // @flip
      }
      %tail = arith.cmpi ne, %odd, %c0 : index
      scf.if %tail {
        titan.mbarrier.wait %full[%c0 : index] parity(%last) : !bars // @tail
        %slot0 = titan.shared.slot %tiles[%c0 : index] : !ring -> !tile
        %x0 = titan.shared.load %slot0 : !tile -> !regs
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%c0 : index] : !bars
        }
        %row0 = arith.muli %even, %c8 : index
        func.call @put(%x0, %Y, %row0) : (!regs, !global, index) -> ()
      }
    }
  }
  titan.return
}

titan.kernel @pipe(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
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
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%tiles : !ring) : !pipe
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
      %odd = arith.remui %n, %c2 : index
      %even = arith.subi %n, %odd : index
      scf.for %i = %c0 to %even step %c2 {
        %slot0 = titan.pipe.wait %pipe : !pipe
        %in0 = titan.pipe.buffer %slot0["x"] : !tile
        %x0 = titan.shared.load %in0 : !tile -> !regs
        titan.pipe.release %slot0
        %row0 = arith.muli %i, %c8 : index
        func.call @put(%x0, %Y, %row0) : (!regs, !global, index) -> ()
        %j = arith.addi %i, %c1 : index
        %slot1 = titan.pipe.wait %pipe : !pipe
        %in1 = titan.pipe.buffer %slot1["x"] : !tile
        %x1 = titan.shared.load %in1 : !tile -> !regs
        titan.pipe.release %slot1 // @prel1
        %row1 = arith.muli %j, %c8 : index
        func.call @put(%x1, %Y, %row1) : (!regs, !global, index) -> ()
      }
      %tail = arith.cmpi ne, %odd, %c0 : index
      scf.if %tail {
        %slot = titan.pipe.wait %pipe : !pipe
        %in = titan.pipe.buffer %slot["x"] : !tile
        %x = titan.shared.load %in : !tile -> !regs
        titan.pipe.release %slot
        %row = arith.muli %even, %c8 : index
        func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
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
