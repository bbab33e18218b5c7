// IDIOM: one warp frees what four have read
//
// A product is its warpgroup's: one of its warps that knows it to be over knows so of the reads of all four, and that all
// have come to the fence before it, their waits for its operands among what they have behind them (MM-71). By a pipe: the last
// of the warps releases the slots of both operands.
//
// RUN: titan check %s --require=proved | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @one: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// The slot is freed while the product reads it.
// VARIANT not_over: drop over
// RUN: %variant not_over %s | not titan check - --kernel one 2>&1 | FileCheck %s --check-prefix=NOT-OVER
// NOT-OVER: [mma-slot-reuse]
// The others may wait behind the fence yet: the use after next ends before they have.
// VARIANT behind: drop ready
// VARIANT behind: after fence add titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
// RUN: %variant behind %s | not titan check - --kernel one 2>&1 | FileCheck %s --check-prefix=BEHIND
// BEHIND: [mma-fence-missing]
// Each warp says it, and one is counted.
// VARIANT each: in one `elect warp(0)` -> `elect`
// RUN: %variant each %s | not titan check - --kernel one 2>&1 | FileCheck %s --check-prefix=EACH
// EACH: [phase-ambiguous]
// The same of a pipe's slots, which the last warp releases.
// VARIANT reads_yet: drop done
// RUN: %variant reads_yet %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=READS-YET
// READS-YET: [mma-slot-reuse]
// Released is the slot that the product now reads.
// VARIANT this_one: in last `%last` -> `%taken`
// RUN: %variant this_one %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=THIS-ONE
// THIS-ONE: [mma-slot-reuse]

!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile = !titan.shared<64x64xbf16, swizzle = 128>
!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
!bars = !titan.mbarrier<2>
!pipe = !titan.pipe<3>
!regs = tensor<64x64xf32, #titan.wgmma<1, 1>>
!where = tensor<64x64xi32, #titan.wgmma<1, 1>>
!yes = tensor<64x64xi1, #titan.wgmma<1, 1>>
!out = !titan.global<?x64xf32>
!flight = !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
!group = !titan.token<mma>
!slot = !titan.slot
!deep = !titan.shared<64x64xbf16, swizzle = 128, slots = 3>

// A slot's uses alternate between parities: use n is in round n div 2.
func.func private @parity(%use: index) -> i32 {
  %two = arith.constant 2 : index
  %depth = arith.constant 2 : index
  %round = arith.divui %use, %depth : index
  %odd = arith.remui %round, %two : index
  %parity = arith.index_cast %odd : index to i32
  return %parity : i32
}

// The sums, 64 rows of Y.
func.func private @keep(%x: !regs, %Y: !out) {
  %i = titan.coordinate 0 : !where
  %j = titan.coordinate 1 : !where
  %m = titan.dim %Y, 0 : !out
  %m32 = arith.index_cast %m : index to i32
  %end = titan.splat %m32 : i32 -> !where
  %inside = arith.cmpi slt, %i, %end : !where
  titan.global.store %x, %Y[%i, %j] mask(%inside : !yes) : !regs, !out, !where, !where
  return
}

// The producer's step: once use - 2 is free, the block of rows goes to the slot of this use.
func.func private @fill(%map: !map, %row: index, %tiles: !ring, %full: !bars, %empty: !bars, %use: index) {
  %zero = arith.constant 0 : index
  %depth = arith.constant 2 : index
  %bytes = arith.constant 8192 : i32
  %stage = arith.remui %use, %depth : index
  %next = arith.addi %use, %depth : index
  %free = func.call @parity(%next) : (index) -> i32
  titan.mbarrier.wait %empty[%stage : index] parity(%free) : !bars
  titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
  %slot = titan.shared.slot %tiles[%stage : index] : !ring -> !tile
  titan.tma.load %map[%row, %zero], %slot, %full[%stage : index] : !map, !tile, !bars
  return
}

titan.kernel @one(%X: !global, %Y: !out) warps(8) registers(168) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 300}, X = "Mx64 ints:1", Y = "Mx64"}} launch {
  %one = arith.constant 1 : index
  %blockRows = arith.constant 64 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %blockRows : index
  %map = titan.tensor_map %X : !global -> !map
  %most = arith.constant 1073741824 : index
  %few0 = arith.cmpi ule, %rows, %most : index
  titan.require %few0, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %sizeY0 = titan.dim %Y, 0 : !out
  %few1 = arith.cmpi ule, %sizeY0, %most : index
  titan.require %few1, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  titan.launch grid(%one) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
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
    titan.partition "multiply" warps(4) registers(232) {
      %none = titan.inflight.none : !flight
      %noGroup = titan.token.none : !group
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %none, %group = %noGroup) -> (!flight, !group) {
        %stage = arith.remui %i, %c2 : index
        %parity = func.call @parity(%i) : (index) -> i32
        titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars // @ready
        %slot = titan.shared.slot %tiles[%stage : index] : !ring -> !tile
        titan.mma.fence // @fence
        %more = arith.cmpi ne, %i, %c0 : index
        %sum1 = titan.mma %slot, %slot, %sum accumulate(%more) : !tile, !tile, !flight -> !flight
        %group1 = titan.mma.commit : !group
        titan.mma.wait %group : !group // @over
        scf.if %more {
          %previous = arith.subi %i, %c1 : index
          %last = arith.remui %previous, %c2 : index
          titan.elect warp(0) { // @one
            titan.mbarrier.arrive %empty[%last : index] : !bars
          }
        }
        scf.yield %sum1, %group1 : !flight, !group
      }
      %result = titan.mma.result %r#0 : !flight -> !regs
      func.call @keep(%result, %Y) : (!regs, !out) -> ()
    }
    titan.partition "load" warps(1) registers(40) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %row = arith.muli %i, %c64 : index
          func.call @fill(%map, %row, %tiles, %full, %empty, %i) : (!map, index, !ring, !bars, !bars, index) -> ()
        }
      }
    }
  }
  titan.return
}

titan.kernel @pipe(%X: !global, %Y: !out) warps(8) registers(168) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 300}, X = "Mx64 ints:1", Y = "64x64"}, titan.reference = @gram} launch {
  %one = arith.constant 1 : index
  %blockRows = arith.constant 64 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %blockRows : index
  %map = titan.tensor_map %X : !global -> !map
  %most = arith.constant 1073741824 : index
  %few0 = arith.cmpi ule, %rows, %most : index
  titan.require %few0, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %sizeY0 = titan.dim %Y, 0 : !out
  %few1 = arith.cmpi ule, %sizeY0, %most : index
  titan.require %few1, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  titan.launch grid(%one) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %as = titan.shared.alloc : !deep
  %bs = titan.shared.alloc : !deep
  %pipe = titan.pipe.create "load" -> ["multiply"] buffers ["a", "b"](%as, %bs : !deep, !deep) : !pipe
  titan.warp_specialize {
    titan.partition "multiply" warps(4) registers(232) {
      %none = titan.inflight.none : !flight
      %noGroup = titan.token.none : !group
      %noSlot = titan.token.none : !slot
      %r:3 = scf.for %i = %c0 to %n step %c1
          iter_args(%sum = %none, %group = %noGroup, %last = %noSlot) -> (!flight, !group, !slot) {
        %taken = titan.pipe.wait %pipe : !pipe
        %a = titan.pipe.buffer %taken["a"] : !tile
        %b = titan.pipe.buffer %taken["b"] : !tile
        titan.mma.fence
        %more = arith.cmpi ne, %i, %c0 : index
        %sum1 = titan.mma %a, %b, %sum accumulate(%more) : !tile, !tile, !flight -> !flight
        %group1 = titan.mma.commit : !group
        titan.mma.wait %group : !group // @done
        titan.elect warp(3) {
          titan.pipe.release %last // @last
        }
        scf.yield %sum1, %group1, %taken : !flight, !group, !slot
      }
      %result = titan.mma.result %r#0 : !flight -> !regs
      func.call @keep(%result, %Y) : (!regs, !out) -> ()
    }
    titan.partition "load" warps(1) registers(40) {
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c64 : index
        %slot = titan.pipe.acquire %pipe : !pipe
        titan.pipe.load %map[%row, %c0] -> %slot["a"] : !map
        titan.pipe.load %map[%row, %c0] -> %slot["b"] : !map
        titan.pipe.commit %slot
      }
    }
  }
  titan.return
}

// Of each block the products of its rows with each other.
func.func private @gram(%X: memref<?x64xbf16> {titan.input = "X"}, %Y: memref<?x64xf32> {titan.expected = "Y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %X, %c0 : memref<?x64xbf16>
  linalg.fill ins(%zero : f32) outs(%Y : memref<?x64xf32>)
  scf.for %block = %c0 to %m step %c64 {
    %left = arith.subi %m, %block : index
    %rows = arith.minui %left, %c64 : index
    scf.for %i = %c0 to %rows step %c1 {
      %row = arith.addi %block, %i : index
      scf.for %j = %c0 to %rows step %c1 {
        %other = arith.addi %block, %j : index
        scf.for %k = %c0 to %c64 step %c1 {
          %x = memref.load %X[%row, %k] : memref<?x64xbf16>
          %y = memref.load %X[%other, %k] : memref<?x64xbf16>
          %wideX = arith.extf %x : bf16 to f32
          %wideY = arith.extf %y : bf16 to f32
          %product = arith.mulf %wideX, %wideY : f32
          %sofar = memref.load %Y[%i, %j] : memref<?x64xf32>
          %sum = arith.addf %sofar, %product : f32
          memref.store %sum, %Y[%i, %j] : memref<?x64xf32>
        }
      }
    }
  }
  return
}
