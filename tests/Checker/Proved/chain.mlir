// IDIOM: rings in a chain
//
// Two rings one behind the other: what comes through the first one is changed and goes on through the second. A stage waits
// both for what it reads and for where it writes.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// A buffer is given back while TMA reads it.
// VARIANT not_read: drop read
// RUN: %variant not_read %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=NOT-READ
// NOT-READ: [completion-not-observed]
// It asks for the slot to be given back that it is about to fill.
// VARIANT circle: in ask `%next` -> `%i`
// RUN: %variant circle %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=CIRCLE
// CIRCLE: [deadlock]
// The second ring is never emptied.
// VARIANT kept: drop gone2
// RUN: %variant kept %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: [pipe-release]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!bars = !titan.mbarrier<2>
!pipe = !titan.pipe<2>
!regs = tensor<8x64xbf16, #rows>
!bulk = !titan.token<bulk>

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

titan.kernel @bare(%X: !global, %Y: !global) warps(3) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %rowsY = titan.dim %Y, 0 : !global
  %same = arith.cmpi eq, %rows, %rowsY : index
  titan.require %same, "launch-check", "Y has a row for each row of X"
  %mapY = titan.tensor_map %Y : !global -> !map
  titan.launch grid(%one) with(%map, %mapY, %n : !map, !map, index)
} body(%map: !map, %mapY: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %tiles = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %outs = titan.shared.alloc : !ring
  %ready = titan.mbarrier.alloc : !bars
  %gone = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %ready count(1) : !bars
    titan.mbarrier.init %gone count(1) : !bars
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
    titan.partition "change" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %x = func.call @get(%tiles, %full, %i) : (!ring, !bars, index) -> !regs
        func.call @free(%empty, %i) : (!bars, index) -> ()
        %y = arith.addf %x, %x : !regs
        %stage = arith.remui %i, %c2 : index
        %next = arith.addi %i, %c2 : index
        %free = func.call @parity(%next) : (index) -> i32 // @ask
        titan.mbarrier.wait %gone[%stage : index] parity(%free) : !bars
        %out = titan.shared.slot %outs[%stage : index] : !ring -> !tile
        titan.shared.store %y, %out : !regs, !tile
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %ready[%stage : index] : !bars
        }
      }
    }
    titan.partition "store" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %row = arith.muli %i, %c8 : index
          %stage = arith.remui %i, %c2 : index
          %parity = func.call @parity(%i) : (index) -> i32
          titan.mbarrier.wait %ready[%stage : index] parity(%parity) : !bars
          %out = titan.shared.slot %outs[%stage : index] : !ring -> !tile
          titan.tma.store %out, %mapY[%row, %c0] : !tile, !map
          %g = titan.bulk.commit : !bulk
          titan.bulk.wait %g read : !bulk // @read
          titan.mbarrier.arrive %gone[%stage : index] : !bars
        }
      }
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
  %rowsY = titan.dim %Y, 0 : !global
  %same = arith.cmpi eq, %rows, %rowsY : index
  titan.require %same, "launch-check", "Y has a row for each row of X"
  %mapY = titan.tensor_map %Y : !global -> !map
  titan.launch grid(%one) with(%map, %mapY, %n : !map, !map, index)
} body(%map: !map, %mapY: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %tiles = titan.shared.alloc : !ring
  %outs = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["change"] buffers ["x"](%tiles : !ring) : !pipe
  %out = titan.pipe.create "change" -> ["store"] buffers ["y"](%outs : !ring) fill(arrive) release(bulk_read) : !pipe
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %slot = titan.pipe.acquire %pipe : !pipe
        titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "change" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %slot = titan.pipe.wait %pipe : !pipe
        %in = titan.pipe.buffer %slot["x"] : !tile
        %x = titan.shared.load %in : !tile -> !regs
        titan.pipe.release %slot
        %y = arith.addf %x, %x : !regs
        %to = titan.pipe.acquire %out : !pipe
        %tile = titan.pipe.buffer %to["y"] : !tile
        titan.shared.store %y, %tile : !regs, !tile
        titan.pipe.commit %to
      }
    }
    titan.partition "store" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %row = arith.muli %i, %c8 : index
          %from = titan.pipe.wait %out : !pipe
          %tile = titan.pipe.buffer %from["y"] : !tile
          titan.tma.store %tile, %mapY[%row, %c0] : !tile, !map
          titan.pipe.release %from // @gone2
        }
      }
    }
  }
  titan.return
}
