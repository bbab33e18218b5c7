// IDIOM: turns at a ring
//
// Two partitions take turns at a ring: tiles 0, 2, 4, ... of a CTA are the one's, 1, 3, 5, ... the other's, and each leaves out
// the uses of the other one's tiles. A turn is passed on by named barriers, or by pipes.
//
// RUN: titan check %s --kernel bare --require=proved --proof=100 | FileCheck %s
// RUN: titan check %s --kernel pipe --require=proved --proof=100 | FileCheck %s
// CHECK: proved, for every size
//
// The odd one does not wait for its turn: uses that it leaves out may not be over.
// VARIANT turn: drop turn
// RUN: %variant turn %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=TURN
// TURN: [{{[a-z-]+}}]
// The even one leaves out too much.
// VARIANT jump: in jump `%c2` -> `%c3`
// RUN: %variant jump %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=JUMP
// JUMP: [{{[a-z-]+}}]
// The last turn is passed on to nobody.
// VARIANT another: in another `ult` -> `ule`
// RUN: %variant another %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=ANOTHER
// ANOTHER: [{{[a-z-]+}}]
// To another barrier.
// VARIANT passes: in pass `arrive 3` -> `arrive 4`
// RUN: %variant passes %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=PASSES
// PASSES: [{{[a-z-]+}}]
// The odd one's slots are never free again.
// VARIANT free: drop free
// RUN: %variant free %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=FREE
// FREE: [{{[a-z-]+}}]
// The even one waits for the odd one's slots.
// VARIANT skip: drop skip
// RUN: %variant skip %s | not titan check - --kernel pipe --require=proved 2>&1 | FileCheck %s --check-prefix=SKIP
// SKIP: [{{[a-z-]+}}]
// Both begin at the first slot.
// VARIANT first: drop first
// RUN: %variant first %s | not titan check - --kernel pipe --require=proved 2>&1 | FileCheck %s --check-prefix=FIRST
// FIRST: [{{[a-z-]+}}]
// No turn is waited for.
// VARIANT mine: drop mine
// RUN: %variant mine %s | not titan check - --kernel pipe --require=proved 2>&1 | FileCheck %s --check-prefix=MINE
// MINE: [{{[a-z-]+}}]

!global = !titan.global<?x?xbf16>
!map = !titan.tensor_map<8x16xbf16>
!tile = !titan.shared<8x16xbf16>
!ring = !titan.shared<8x16xbf16, slots = 3>
!bars = !titan.mbarrier<3>
!pipe = !titan.pipe<3>
!turn = !titan.pipe<1>
!regs = tensor<8x16xbf16, #titan.blocked<elements = [1, 4], lanes = [8, 4], warps = [1, 1]>>

titan.kernel @bare(%X: !global) warps(3) attributes {titan.target = "sm_90a",
    titan.example = {sizes = {M = 30, N = 72}, multiprocessor_count = 1, X = "MxN random:1"}} launch {
  %eight = arith.constant 8 : index
  %sixteen = arith.constant 16 : index
  %rows = titan.dim %X, 0 : !global
  %columns = titan.dim %X, 1 : !global
  %tiles = arith.ceildivui %rows, %eight : index
  %steps = arith.ceildivui %columns, %sixteen : index
  %map = titan.tensor_map %X : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %tiles, %sms : index
  titan.launch grid(%grid) with(%map, %tiles, %steps : !map, index, index)
} body(%map: !map, %tiles: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %bytes = arith.constant 256 : i32
  %c16 = arith.constant 16 : index
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %second = arith.addi %first, %ctas : index
  %stride = arith.muli %ctas, %c2 : index
  %ring = titan.shared.alloc : !ring
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
        %uses = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (index) {
          %row = arith.muli %tile, %c8 : index
          scf.for %step = %c0 to %steps step %c1 {
            %use = arith.addi %base, %step : index
            %stage = arith.remui %use, %c3 : index
            %round = arith.divui %use, %c3 : index
            %next = arith.addi %round, %c1 : index
            %odd = arith.remui %next, %c2 : index
            %parity = arith.index_cast %odd : index to i32
            %column = arith.muli %step, %c16 : index
            titan.mbarrier.wait %empty[%stage : index] parity(%parity) : !bars
            titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
            %slot = titan.shared.slot %ring[%stage : index] : !ring -> !tile
            titan.tma.load %map[%row, %column], %slot, %full[%stage : index] : !map, !tile, !bars
          }
          %after = arith.addi %base, %steps : index
          scf.yield %after : index
        }
      }
    }
    titan.partition "even" warps(1) {
      %end = scf.for %tile = %first to %tiles step %stride iter_args(%i = %c0) -> (index) {
        %base = arith.muli %i, %steps : index
        %notFirst = arith.cmpi ne, %tile, %first : index
        scf.if %notFirst {
          titan.barrier.sync 2 threads(64)
        }
        scf.for %step = %c0 to %steps step %c1 {
          %use = arith.addi %base, %step : index
          %stage = arith.remui %use, %c3 : index
          %round = arith.divui %use, %c3 : index
          %odd = arith.remui %round, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
          %slot = titan.shared.slot %ring[%stage : index] : !ring -> !tile
          %x = titan.shared.load %slot : !tile -> !regs
          titan.fence.proxy_async shared_cta
          titan.syncwarp
          titan.elect {
            titan.mbarrier.arrive %empty[%stage : index] : !bars
          }
        }
        %following = arith.addi %tile, %ctas : index
        %another = arith.cmpi ult, %following, %tiles : index
        scf.if %another {
          titan.barrier.arrive 3 threads(64) // @pass
        }
        %i2 = arith.addi %i, %c2 : index // @jump
        scf.yield %i2 : index
      }
    }
    titan.partition "odd" warps(1) {
      %end = scf.for %tile = %second to %tiles step %stride iter_args(%i = %c1) -> (index) {
        %base = arith.muli %i, %steps : index
        titan.barrier.sync 3 threads(64) // @turn
        scf.for %step = %c0 to %steps step %c1 {
          %use = arith.addi %base, %step : index
          %stage = arith.remui %use, %c3 : index
          %round = arith.divui %use, %c3 : index
          %odd = arith.remui %round, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
          %slot = titan.shared.slot %ring[%stage : index] : !ring -> !tile
          %x = titan.shared.load %slot : !tile -> !regs
          titan.fence.proxy_async shared_cta
          titan.syncwarp
          titan.elect {
            titan.mbarrier.arrive %empty[%stage : index] : !bars // @free
          }
        }
        %following = arith.addi %tile, %ctas : index
        %another = arith.cmpi ult, %following, %tiles : index // @another
        scf.if %another {
          titan.barrier.arrive 2 threads(64)
        }
        %i2 = arith.addi %i, %c2 : index
        scf.yield %i2 : index
      }
    }
  }
  titan.return
}

// The same by pipes.
titan.kernel @pipe(%X: !global) warps(3) attributes {titan.target = "sm_90a",
    titan.example = {sizes = {M = 30, N = 72}, multiprocessor_count = 1, X = "MxN random:1"}} launch {
  %eight = arith.constant 8 : index
  %sixteen = arith.constant 16 : index
  %rows = titan.dim %X, 0 : !global
  %columns = titan.dim %X, 1 : !global
  %tiles = arith.ceildivui %rows, %eight : index
  %steps = arith.ceildivui %columns, %sixteen : index
  %map = titan.tensor_map %X : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %tiles, %sms : index
  titan.launch grid(%grid) with(%map, %tiles, %steps : !map, index, index)
} body(%map: !map, %tiles: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %bytes = arith.constant 256 : i32
  %c16 = arith.constant 16 : index
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %second = arith.addi %first, %ctas : index
  %stride = arith.muli %ctas, %c2 : index
  %ring = titan.shared.alloc : !ring
  %x = titan.pipe.create "load" -> ["even", "odd"] buffers ["x"](%ring : !ring) exclusive : !pipe
  %turnEven = titan.pipe.create "odd" -> ["even"] credit(1) : !turn
  %turnOdd = titan.pipe.create "even" -> ["odd"] : !turn
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %tile = %first to %tiles step %ctas {
          %row = arith.muli %tile, %c8 : index
          scf.for %step = %c0 to %steps step %c1 {
            %column = arith.muli %step, %c16 : index
            %slot = titan.pipe.acquire %x : !pipe
            titan.pipe.load %map[%row, %column] -> %slot["x"] : !map
            titan.pipe.commit %slot
          }
        }
      }
    }
    titan.partition "even" warps(1) {
      scf.for %tile = %first to %tiles step %stride {
        %mine = titan.pipe.wait %turnEven : !turn
        scf.for %step = %c0 to %steps step %c1 {
          %slot = titan.pipe.wait %x : !pipe
          %buffer = titan.pipe.buffer %slot["x"] : !tile
          %v = titan.shared.load %buffer : !tile -> !regs
          titan.pipe.release %slot
        }
        titan.pipe.signal %turnOdd : !turn
        titan.pipe.skip %x, %steps : !pipe // @skip
      }
    }
    titan.partition "odd" warps(1) {
      titan.pipe.skip %x, %steps : !pipe // @first
      scf.for %tile = %second to %tiles step %stride {
        %mine = titan.pipe.wait %turnOdd : !turn // @mine
        scf.for %step = %c0 to %steps step %c1 {
          %slot = titan.pipe.wait %x : !pipe
          %buffer = titan.pipe.buffer %slot["x"] : !tile
          %v = titan.shared.load %buffer : !tile -> !regs
          titan.pipe.release %slot
        }
        titan.pipe.signal %turnEven : !turn
        titan.pipe.skip %x, %steps : !pipe
      }
    }
  }
  titan.return
}
