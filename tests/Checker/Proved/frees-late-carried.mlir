// IDIOM: consumers that free late
//
// Which slot is freed the next step, loops carry: of a slot computed from the iteration, of one that they carry
// themselves, and through the tiles of several steps. The first step has none to free.
//
// RUN: titan check %s --kernel computed --require=proved | FileCheck %s
// RUN: titan check %s --kernel carried --require=proved | FileCheck %s
// RUN: titan check %s --kernel tiles --require=proved | FileCheck %s
// CHECK: proved, for every size
//
// The slot of this step is freed, which the loads of the next ones may fill while it is read; the one before, never.
// VARIANT this_one: in free_computed `%last` -> `%stage`
// RUN: %variant this_one %s | not titan check - --kernel computed --require=proved 2>&1 | FileCheck %s --check-prefix=WRONG
// Of the slot that comes next.
// VARIANT next_one: in keep_carried `%stage, %yes` -> `%stage_next, %yes`
// RUN: %variant next_one %s | not titan check - --kernel carried --require=proved 2>&1 | FileCheck %s --check-prefix=WRONG
// A tile forgets what the one before has left to be freed.
// VARIANT forgotten: in keep_tiles `%b#1, %b#2` -> `%last0, %b#2`
// RUN: %variant forgotten %s | not titan check - --kernel tiles --require=proved 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: [{{[a-z-]+}}]

!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!bars = !titan.mbarrier<2>
!regs = tensor<8x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>>

// The slot is the number of the step modulo the slots; what is carried is the one before.
titan.kernel @computed(%X: !global) warps(2) attributes {titan.target = "sm_90a",
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
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %bytes = arith.constant 1024 : i32
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
        scf.for %i = %c0 to %n step %c1 {
          %stage = arith.remui %i, %c2 : index
          %round = arith.divui %i, %c2 : index
          %after = arith.addi %round, %c1 : index
          %odd = arith.remui %after, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          %row = arith.muli %i, %c8 : index
          titan.mbarrier.wait %empty[%stage : index] parity(%parity) : !bars
          titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
          %slot = titan.shared.slot %ring[%stage : index] : !ring -> !tile
          titan.tma.load %map[%row, %c0], %slot, %full[%stage : index] : !map, !tile, !bars
        }
      }
    }
    titan.partition "use" warps(1) {
      %no = arith.constant false
      %yes = arith.constant true
      %end:2 = scf.for %i = %c0 to %n step %c1 iter_args(%last = %c0, %some = %no) -> (index, i1) {
        %stage = arith.remui %i, %c2 : index
        %round = arith.divui %i, %c2 : index
        %odd = arith.remui %round, %c2 : index
        %parity = arith.index_cast %odd : index to i32
        titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
        %slot = titan.shared.slot %ring[%stage : index] : !ring -> !tile
        %x = titan.shared.load %slot : !tile -> !regs
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        scf.if %some {
          titan.elect {
            titan.mbarrier.arrive %empty[%last : index] : !bars // @free_computed
          }
        }
        scf.yield %stage, %yes : index, i1
      }
      scf.if %end#1 {
        titan.elect {
          titan.mbarrier.arrive %empty[%end#0 : index] : !bars
        }
      }
    }
  }
  titan.return
}

// Slot and parity are carried, and the slot of the step before with them.
titan.kernel @carried(%X: !global) warps(2) attributes {titan.target = "sm_90a",
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
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %bytes = arith.constant 1024 : i32
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
        %all:2 = scf.for %i = %c0 to %n step %c1 iter_args(%stage = %i0, %parity = %i1) -> (i32, i32) {
          %row = arith.muli %i, %c8 : index
          titan.mbarrier.wait %empty[%stage : i32] parity(%parity) : !bars
          titan.mbarrier.arrive_expect_tx %full[%stage : i32], %bytes : !bars
          %slot = titan.shared.slot %ring[%stage : i32] : !ring -> !tile
          titan.tma.load %map[%row, %c0], %slot, %full[%stage : i32] : !map, !tile, !bars
          %up = arith.addi %stage, %i1 : i32
          %wraps = arith.cmpi eq, %up, %i2 : i32
          %stage_next = arith.select %wraps, %i0, %up : i32
          %flipped = arith.xori %parity, %i1 : i32
          %parity_next = arith.select %wraps, %flipped, %parity : i32
          scf.yield %stage_next, %parity_next : i32, i32
        }
      }
    }
    titan.partition "use" warps(1) {
      %no = arith.constant false
      %yes = arith.constant true
      %end:4 = scf.for %i = %c0 to %n step %c1
          iter_args(%stage0 = %i0, %parity = %i0, %last = %i0, %some = %no) -> (i32, i32, i32, i1) {
        // Not the argument itself, but equal to it.
        %stage = arith.addi %stage0, %i0 : i32
        titan.mbarrier.wait %full[%stage : i32] parity(%parity) : !bars
        %slot = titan.shared.slot %ring[%stage : i32] : !ring -> !tile
        %x = titan.shared.load %slot : !tile -> !regs
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        scf.if %some {
          titan.elect {
            titan.mbarrier.arrive %empty[%last : i32] : !bars
          }
        }
        %up = arith.addi %stage, %i1 : i32
        %wraps = arith.cmpi eq, %up, %i2 : i32
        %stage_next = arith.select %wraps, %i0, %up : i32
        %flipped = arith.xori %parity, %i1 : i32
        %parity_next = arith.select %wraps, %flipped, %parity : i32
        scf.yield %stage_next, %parity_next, %stage, %yes : i32, i32, i32, i1 // @keep_carried
      }
      scf.if %end#3 {
        titan.elect {
          titan.mbarrier.arrive %empty[%end#2 : i32] : !bars
        }
      }
    }
  }
  titan.return
}

// Tiles of two steps, as many as there are slots: the number of the use is carried, and so is the slot that is still to be freed.
titan.kernel @tiles(%X: !global) warps(2) attributes {titan.target = "sm_90a",
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
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %bytes = arith.constant 1024 : i32
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
        %all = scf.for %t = %c0 to %n step %c1 iter_args(%use0 = %c0) -> (index) {
          %uses = scf.for %s = %c0 to %c2 step %c1 iter_args(%use = %use0) -> (index) {
            %stage = arith.remui %use, %c2 : index
            %round = arith.divui %use, %c2 : index
            %after = arith.addi %round, %c1 : index
            %odd = arith.remui %after, %c2 : index
            %parity = arith.index_cast %odd : index to i32
            %row = arith.muli %t, %c8 : index
            titan.mbarrier.wait %empty[%stage : index] parity(%parity) : !bars
            titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
            %slot = titan.shared.slot %ring[%stage : index] : !ring -> !tile
            titan.tma.load %map[%row, %c0], %slot, %full[%stage : index] : !map, !tile, !bars
            %use_next = arith.addi %use, %c1 : index
            scf.yield %use_next : index
          }
          scf.yield %uses : index
        }
      }
    }
    titan.partition "use" warps(1) {
      %no = arith.constant false
      %yes = arith.constant true
      %end:3 = scf.for %t = %c0 to %n step %c1 iter_args(%use0 = %c0, %last0 = %c0, %some0 = %no) -> (index, index, i1) {
        %b:3 = scf.for %s = %c0 to %c2 step %c1
            iter_args(%use = %use0, %last = %last0, %some = %some0) -> (index, index, i1) {
          %stage = arith.remui %use, %c2 : index
          %round = arith.divui %use, %c2 : index
          %odd = arith.remui %round, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
          %slot = titan.shared.slot %ring[%stage : index] : !ring -> !tile
          %x = titan.shared.load %slot : !tile -> !regs
          titan.fence.proxy_async shared_cta
          titan.syncwarp
          scf.if %some {
            titan.elect {
              titan.mbarrier.arrive %empty[%last : index] : !bars
            }
          }
          %use_next = arith.addi %use, %c1 : index
          scf.yield %use_next, %stage, %yes : index, index, i1
        }
        scf.yield %b#0, %b#1, %b#2 : index, index, i1 // @keep_tiles
      }
      scf.if %end#2 {
        titan.elect {
          titan.mbarrier.arrive %empty[%end#1 : index] : !bars
        }
      }
    }
  }
  titan.return
}
