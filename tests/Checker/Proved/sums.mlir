// IDIOM: trip counts that the tile's number decides
//
// A CTA computes tile after tile, each of as many steps as its number says: a tile's uses of the ring begin where the sum of
// all lengths of those before it ends (docs/checker.md, Sums).
//
// RUN: titan check %s --kernel bare --require=proved > %t
// RUN: titan check %s --kernel pipe --require=proved >> %t
// RUN: titan check %s --kernel apart --require=proved >> %t
// RUN: titan check %s --kernel apart_pipe --require=proved >> %t
// RUN: FileCheck %s < %t
// RUN: titan run %s --schedule random:1
// RUN: titan run %s --kernel apart --schedule skew:2 --size M=200
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @apart: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @apart_pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// The consumer's tiles begin a use early, but for the first.
// VARIANT short: in after `%steps` -> `%less`
// RUN: %variant short %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: @bare: refused
// Each tile is taken for as long as the first one.
// VARIANT even: in after `%steps` -> `%most`
// RUN: %variant even %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=EVEN
// EVEN: @bare: {{refused|cannot decide}}
// The producer does not wait for what it writes over.
// VARIANT greedy: drop empty
// RUN: %variant greedy %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=GREEDY
// GREEDY: @bare: refused
// The last step is left out, where there are several.
// VARIANT fewer: in psteps `%steps` -> `%fewer`
// RUN: %variant fewer %s | not titan check - --kernel pipe --require=proved 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: @pipe: {{refused|cannot decide}}
// The steps behind the first one begin at the first one.
// VARIANT twice: in rest `%c1 to` -> `%c0 to`
// RUN: %variant twice %s | not titan check - --kernel apart --require=proved 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: @apart: {{refused|cannot decide}}
// Tiles of one step are freed before they are read.
// VARIANT unfreed: in free0 `%use0` -> `%use1`
// RUN: %variant unfreed %s | not titan check - --kernel apart --require=proved 2>&1 | FileCheck %s --check-prefix=UNFREED
// UNFREED: @apart: {{refused|cannot decide}}
// One step more than the producer makes, in each third tile.
// VARIANT more: in prest `%steps` -> `%three`
// RUN: %variant more %s | not titan check - --kernel apart_pipe --require=proved 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: @apart_pipe: {{refused|cannot decide}}

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
  titan.mbarrier.wait %empty[%stage : index] parity(%free) : !bars // @empty
  titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
  %slot = titan.shared.slot %tiles[%stage : index] : !ring -> !tile
  titan.tma.load %map[%row, %zero], %slot, %full[%stage : index] : !map, !tile, !bars
  return
}

// A tile that holds a number everywhere.
func.func private @number(%i: index) -> !regs {
  %i32 = arith.index_cast %i : index to i32
  %value = arith.sitofp %i32 : i32 to bf16
  %x = titan.splat %value : bf16 -> !regs
  return %x : !regs
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

titan.kernel @bare(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, multiprocessor_count = 3, X = "Mx64 ints:1", Y = "Mx64"}} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  %most = arith.constant 1073741824 : index
  %few0 = arith.cmpi ule, %rows, %most : index
  titan.require %few0, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %sizeY0 = titan.dim %Y, 0 : !global
  %few1 = arith.cmpi ule, %sizeY0, %most : index
  titan.require %few1, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  titan.launch grid(%grid) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %three = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
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
        %uses = scf.for %t = %first to %n step %ctas iter_args(%base = %c0) -> (index) {
          // Half of the tiles above it, and no more than a third of all.
          %half = arith.divui %t, %c2 : index
          %up = arith.addi %half, %c1 : index
          %third = arith.divui %n, %three : index
          %some = arith.addi %third, %c1 : index
          %steps = arith.minui %up, %some : index
          scf.for %i = %c0 to %steps step %c1 {
            %use = arith.addi %base, %i : index
            %row = arith.muli %i, %c8 : index
            func.call @fill(%map, %row, %tiles, %full, %empty, %use) : (!map, index, !ring, !bars, !bars, index) -> ()
          }
          %next = arith.addi %base, %steps : index
          scf.yield %next : index
        }
      }
    }
    titan.partition "use" warps(1) {
      %uses = scf.for %t = %first to %n step %ctas iter_args(%base = %c0) -> (index) {
        // Half of the tiles above it, and no more than a third of all.
        %half = arith.divui %t, %c2 : index
        %up = arith.addi %half, %c1 : index
        %third = arith.divui %n, %three : index
        %some = arith.addi %third, %c1 : index
        %steps = arith.minui %up, %some : index
        %zero = func.call @number(%c0) : (index) -> !regs
        %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%sofar = %zero) -> (!regs) {
          %use = arith.addi %base, %i : index
          %x = func.call @get(%tiles, %full, %use) : (!ring, !bars, index) -> !regs
          func.call @free(%empty, %use) : (!bars, index) -> ()
          %more = arith.addf %sofar, %x : !regs
          scf.yield %more : !regs
        }
        %row = arith.muli %t, %c8 : index
        func.call @put(%sum, %Y, %row) : (!regs, !global, index) -> ()
        %less = arith.subi %steps, %c1 : index
        %most = arith.addi %n, %c0 : index
        %next = arith.addi %base, %steps : index // @after
        scf.yield %next : index
      }
    }
  }
  titan.return
}

titan.kernel @pipe(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, multiprocessor_count = 3, X = "Mx64 ints:1", Y = "Mx64"}} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  %most = arith.constant 1073741824 : index
  %few0 = arith.cmpi ule, %rows, %most : index
  titan.require %few0, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %sizeY0 = titan.dim %Y, 0 : !global
  %few1 = arith.cmpi ule, %sizeY0, %most : index
  titan.require %few1, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  titan.launch grid(%grid) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %three = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %tiles = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%tiles : !ring) : !pipe
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %t = %first to %n step %ctas {
        %rest = arith.remui %t, %three : index
        %steps = arith.addi %rest, %c1 : index
        %down = arith.minui %rest, %c1 : index
        %fewer = arith.subi %steps, %down : index
        scf.for %i = %c0 to %steps step %c1 {
          %row = arith.muli %i, %c8 : index
          %slot = titan.pipe.acquire %pipe : !pipe
          titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
          titan.pipe.commit %slot
        }
      }
    }
    titan.partition "use" warps(1) {
      scf.for %t = %first to %n step %ctas {
        %rest = arith.remui %t, %three : index
        %steps = arith.addi %rest, %c1 : index
        %down = arith.minui %rest, %c1 : index
        %fewer = arith.subi %steps, %down : index
        %zero = func.call @number(%c0) : (index) -> !regs
        %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%sofar = %zero) -> (!regs) { // @psteps
          %slot = titan.pipe.wait %pipe : !pipe
          %in = titan.pipe.buffer %slot["x"] : !tile
          %x = titan.shared.load %in : !tile -> !regs
          titan.pipe.release %slot
          %more = arith.addf %sofar, %x : !regs
          scf.yield %more : !regs
        }
        %row = arith.muli %t, %c8 : index
        func.call @put(%sum, %Y, %row) : (!regs, !global, index) -> ()
      }
    }
  }
  titan.return
}

// The first step of each tile stands before the loop over the others, which then may run no times.
titan.kernel @apart(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, multiprocessor_count = 3, X = "Mx64 ints:1", Y = "Mx64"}} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  %most = arith.constant 1073741824 : index
  %few0 = arith.cmpi ule, %rows, %most : index
  titan.require %few0, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %sizeY0 = titan.dim %Y, 0 : !global
  %few1 = arith.cmpi ule, %sizeY0, %most : index
  titan.require %few1, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  titan.launch grid(%grid) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %three = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
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
        %uses = scf.for %t = %first to %n step %ctas iter_args(%base = %c0) -> (index) {
          // Half of the tiles above it, and no more than a third of all.
          %half = arith.divui %t, %c2 : index
          %up = arith.addi %half, %c1 : index
          %third = arith.divui %n, %three : index
          %some = arith.addi %third, %c1 : index
          %steps = arith.minui %up, %some : index
          scf.for %i = %c0 to %steps step %c1 {
            %use = arith.addi %base, %i : index
            %row = arith.muli %i, %c8 : index
            func.call @fill(%map, %row, %tiles, %full, %empty, %use) : (!map, index, !ring, !bars, !bars, index) -> ()
          }
          %next = arith.addi %base, %steps : index
          scf.yield %next : index
        }
      }
    }
    titan.partition "use" warps(1) {
      %uses = scf.for %t = %first to %n step %ctas iter_args(%base = %c0) -> (index) {
        // Half of the tiles above it, and no more than a third of all.
        %half = arith.divui %t, %c2 : index
        %up = arith.addi %half, %c1 : index
        %third = arith.divui %n, %three : index
        %some = arith.addi %third, %c1 : index
        %steps = arith.minui %up, %some : index
        %use0 = arith.addi %base, %c0 : index
        %use1 = arith.addi %base, %c1 : index
        %zero = func.call @get(%tiles, %full, %use0) : (!ring, !bars, index) -> !regs
        func.call @free(%empty, %use0) : (!bars, index) -> () // @free0
        %sum = scf.for %i = %c1 to %steps step %c1 iter_args(%sofar = %zero) -> (!regs) { // @rest
          %use = arith.addi %base, %i : index
          %x = func.call @get(%tiles, %full, %use) : (!ring, !bars, index) -> !regs
          func.call @free(%empty, %use) : (!bars, index) -> ()
          %more = arith.addf %sofar, %x : !regs
          scf.yield %more : !regs
        }
        %row = arith.muli %t, %c8 : index
        func.call @put(%sum, %Y, %row) : (!regs, !global, index) -> ()
        %next = arith.addi %base, %steps : index
        scf.yield %next : index
      }
    }
  }
  titan.return
}

titan.kernel @apart_pipe(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, multiprocessor_count = 3, X = "Mx64 ints:1", Y = "Mx64"}} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  %most = arith.constant 1073741824 : index
  %few0 = arith.cmpi ule, %rows, %most : index
  titan.require %few0, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %sizeY0 = titan.dim %Y, 0 : !global
  %few1 = arith.cmpi ule, %sizeY0, %most : index
  titan.require %few1, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  titan.launch grid(%grid) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %three = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %tiles = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%tiles : !ring) : !pipe
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %t = %first to %n step %ctas {
        %rest = arith.remui %t, %three : index
        %steps = arith.addi %rest, %c1 : index
        scf.for %i = %c0 to %steps step %c1 {
          %row = arith.muli %i, %c8 : index
          %slot = titan.pipe.acquire %pipe : !pipe
          titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
          titan.pipe.commit %slot
        }
      }
    }
    titan.partition "use" warps(1) {
      scf.for %t = %first to %n step %ctas {
        %rest = arith.remui %t, %three : index
        %steps = arith.addi %rest, %c1 : index
        %slot0 = titan.pipe.wait %pipe : !pipe
        %in0 = titan.pipe.buffer %slot0["x"] : !tile
        %zero = titan.shared.load %in0 : !tile -> !regs
        titan.pipe.release %slot0
        %sum = scf.for %i = %c1 to %steps step %c1 iter_args(%sofar = %zero) -> (!regs) { // @prest
          %slot = titan.pipe.wait %pipe : !pipe
          %in = titan.pipe.buffer %slot["x"] : !tile
          %x = titan.shared.load %in : !tile -> !regs
          titan.pipe.release %slot
          %more = arith.addf %sofar, %x : !regs
          scf.yield %more : !regs
        }
        %row = arith.muli %t, %c8 : index
        func.call @put(%sum, %Y, %row) : (!regs, !global, index) -> ()
      }
    }
  }
  titan.return
}
