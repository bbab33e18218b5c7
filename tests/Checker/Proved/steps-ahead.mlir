// IDIOM: a tile's first steps before the one before it ends
//
// A CTA computes tile after tile, and takes a tile's first steps, as many as its number says, behind the last step of the
// tile before it: what an iteration counts of the ring is all steps of its own tile, less its first ones, and the first ones
// of the next (docs/checker.md, Sums).
//
// RUN: titan check %s --require=proved --search-steps=20000000 | FileCheck %s
// RUN: titan run %s --schedule random:1
// RUN: titan run %s --kernel ahead --schedule skew:2 --size M=200
// RUN: titan run %s --kernel pipe --schedule skew:2 --size M=200 | FileCheck %s --check-prefix=RIGHT
// RIGHT: elements equal to the reference
// CHECK: @ahead: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// DEFINE: %{refused} = not titan check - --kernel ahead --require=proved --search-steps=20000000 2>&1 | FileCheck %s --check-prefix
// Behind the last tile all steps of one more are loaded, of which the first ones are taken.
// VARIANT more: in behind `%lead step` -> `%steps step`
// RUN: %variant more %s | %{refused} REFUSED
// The first one of them is not loaded.
// VARIANT fewer: in behind `%c0 to` -> `%c1 to`
// RUN: %variant fewer %s | %{refused} REFUSED
// As many steps are taken ahead as this tile has had.
// VARIANT same: in after `%c1` -> `%c0`
// RUN: %variant same %s | %{refused} REFUSED
// A tile has more first steps than steps.
// VARIANT many: in lead `%c1` -> `%three`
// RUN: %variant many %s | %{refused} REFUSED
// The steps behind the first ones begin with the second one.
// VARIANT twice: in rest `%lead,` -> `%c1,`
// RUN: %variant twice %s | %{refused} REFUSED
// The producer does not wait for what it writes over.
// VARIANT greedy: drop empty
// RUN: %variant greedy %s | %{refused} REFUSED
// REFUSED: @ahead: refused
// By a pipe, three slots deep: too many steps are loaded behind the last tile, or a tile's first steps taken twice.
// DEFINE: %{refusedPipe} = not titan check - --kernel pipe --require=proved --search-steps=20000000 2>&1 | FileCheck %s --check-prefix
// VARIANT all_behind: in ends `%lead` -> `%steps`
// RUN: %variant all_behind %s | %{refusedPipe} REFUSED-PIPE
// VARIANT from_first: in others `%lead,` -> `%c0,`
// RUN: %variant from_first %s | %{refusedPipe} REFUSED-PIPE
// REFUSED-PIPE: @pipe: refused

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!bars = !titan.mbarrier<2>
!deep = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!pipe = !titan.pipe<3>
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

// How many tiles a CTA has.
func.func private @rounds(%first: index, %n: index, %ctas: index) -> index {
  %left = arith.subi %n, %first : index
  %rounds = arith.ceildivui %left, %ctas : index
  return %rounds : index
}

// Of the CTA's tile of a round: its first steps, and all of them.
func.func private @lengths(%t: index, %first: index, %ctas: index) -> (index, index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %three = arith.constant 3 : index
  %far = arith.muli %t, %ctas : index
  %tile = arith.addi %first, %far : index
  %third = arith.divui %tile, %three : index
  %lead = arith.addi %third, %c1 : index // @lead
  %half = arith.divui %tile, %c2 : index
  %steps = arith.addi %half, %c2 : index
  return %lead, %steps : index, index
}

// Adds what the steps from %from to %to of a tile bring, whose uses begin with %base.
func.func private @take(%tiles: !ring, %full: !bars, %empty: !bars, %base: index, %from: index, %to: index, %begun: !regs) -> !regs {
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %from to %to step %c1 iter_args(%sofar = %begun) -> (!regs) {
    %use = arith.addi %base, %i : index
    %x = func.call @get(%tiles, %full, %use) : (!ring, !bars, index) -> !regs
    func.call @free(%empty, %use) : (!bars, index) -> ()
    %more = arith.addf %sofar, %x : !regs
    scf.yield %more : !regs
  }
  return %sum : !regs
}

titan.kernel @ahead(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
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
        %rounds = func.call @rounds(%first, %n, %ctas) : (index, index, index) -> index
        %uses = scf.for %t = %c0 to %rounds step %c1 iter_args(%base = %c0) -> (index) {
          %lead, %steps = func.call @lengths(%t, %first, %ctas) : (index, index, index) -> (index, index)
          scf.for %i = %c0 to %steps step %c1 {
            %use = arith.addi %base, %i : index
            %row = arith.muli %i, %c8 : index
            func.call @fill(%map, %row, %tiles, %full, %empty, %use) : (!map, index, !ring, !bars, !bars, index) -> ()
          }
          %next = arith.addi %base, %steps : index
          scf.yield %next : index
        }
        %lead, %steps = func.call @lengths(%rounds, %first, %ctas) : (index, index, index) -> (index, index)
        scf.for %i = %c0 to %lead step %c1 { // @behind
          %use = arith.addi %uses, %i : index
          %row = arith.muli %i, %c8 : index
          func.call @fill(%map, %row, %tiles, %full, %empty, %use) : (!map, index, !ring, !bars, !bars, index) -> ()
        }
      }
    }
    titan.partition "use" warps(1) {
      %zero = func.call @number(%c0) : (index) -> !regs
      %rounds = func.call @rounds(%first, %n, %ctas) : (index, index, index) -> index
      %lead0, %steps0 = func.call @lengths(%c0, %first, %ctas) : (index, index, index) -> (index, index)
      %sum0 = func.call @take(%tiles, %full, %empty, %c0, %c0, %lead0, %zero) : (!ring, !bars, !bars, index, index, index, !regs) -> !regs
      %uses:2 = scf.for %t = %c0 to %rounds step %c1 iter_args(%base = %c0, %begun = %sum0) -> (index, !regs) {
        %lead, %steps = func.call @lengths(%t, %first, %ctas) : (index, index, index) -> (index, index)
        %sum = func.call @take(%tiles, %full, %empty, %base, %lead, %steps, %begun) : (!ring, !bars, !bars, index, index, index, !regs) -> !regs // @rest
        %next = arith.addi %base, %steps : index
        // The first steps of the next tile, before this one leaves.
        %after = arith.addi %t, %c1 : index // @after
        %leadN, %stepsN = func.call @lengths(%after, %first, %ctas) : (index, index, index) -> (index, index)
        %sumN = func.call @take(%tiles, %full, %empty, %next, %c0, %leadN, %zero) : (!ring, !bars, !bars, index, index, index, !regs) -> !regs
        %far = arith.muli %t, %ctas : index
        %tile = arith.addi %first, %far : index
        %row = arith.muli %tile, %c8 : index
        func.call @put(%sum, %Y, %row) : (!regs, !global, index) -> ()
        scf.yield %next, %sumN : index, !regs
      }
    }
  }
  titan.return
}

// The same of a pipe's slots.
func.func private @receive(%pipe: !pipe, %from: index, %to: index, %begun: !regs) -> !regs {
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %from to %to step %c1 iter_args(%sofar = %begun) -> (!regs) {
    %slot = titan.pipe.wait %pipe : !pipe
    %tile = titan.pipe.buffer %slot["x"] : !tile
    %x = titan.shared.load %tile : !tile -> !regs
    titan.pipe.release %slot
    %more = arith.addf %sofar, %x : !regs
    scf.yield %more : !regs
  }
  return %sum : !regs
}

func.func private @send(%pipe: !pipe, %map: !map, %to: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %to step %c1 {
    %row = arith.muli %i, %c8 : index
    %slot = titan.pipe.acquire %pipe : !pipe
    titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
    titan.pipe.commit %slot
  }
  return
}

titan.kernel @pipe(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, multiprocessor_count = 3, X = "Mx64 ints:1", Y = "Mx64"},
  titan.reference = @sums} launch {
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
  %c8 = arith.constant 8 : index
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %rounds = func.call @rounds(%first, %n, %ctas) : (index, index, index) -> index
  %tiles = titan.shared.alloc : !deep
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%tiles : !deep) : !pipe
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %t = %c0 to %rounds step %c1 {
        %lead, %steps = func.call @lengths(%t, %first, %ctas) : (index, index, index) -> (index, index)
        func.call @send(%pipe, %map, %steps) : (!pipe, !map, index) -> ()
      }
      %lead, %steps = func.call @lengths(%rounds, %first, %ctas) : (index, index, index) -> (index, index)
      func.call @send(%pipe, %map, %lead) : (!pipe, !map, index) -> () // @ends
    }
    titan.partition "use" warps(1) {
      %zero = func.call @number(%c0) : (index) -> !regs
      %lead0, %steps0 = func.call @lengths(%c0, %first, %ctas) : (index, index, index) -> (index, index)
      %sum0 = func.call @receive(%pipe, %c0, %lead0, %zero) : (!pipe, index, index, !regs) -> !regs
      scf.for %t = %c0 to %rounds step %c1 iter_args(%begun = %sum0) -> (!regs) {
        %lead, %steps = func.call @lengths(%t, %first, %ctas) : (index, index, index) -> (index, index)
        %sum = func.call @receive(%pipe, %lead, %steps, %begun) : (!pipe, index, index, !regs) -> !regs // @others
        %next = arith.addi %t, %c1 : index
        %leadN, %stepsN = func.call @lengths(%next, %first, %ctas) : (index, index, index) -> (index, index)
        %sumN = func.call @receive(%pipe, %c0, %leadN, %zero) : (!pipe, index, index, !regs) -> !regs
        %far = arith.muli %t, %ctas : index
        %tile = arith.addi %first, %far : index
        %row = arith.muli %tile, %c8 : index
        func.call @put(%sum, %Y, %row) : (!regs, !global, index) -> ()
        scf.yield %sumN : !regs
      }
    }
  }
  titan.return
}

// Tile t is the sum of the first t div 2 + 2 blocks of X.
func.func private @sums(%X: memref<?x64xbf16> {titan.input = "X"}, %Y: memref<?x64xf32> {titan.expected = "Y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %X, %c0 : memref<?x64xbf16>
  %rows = memref.dim %Y, %c0 : memref<?x64xf32>
  scf.for %i = %c0 to %rows step %c1 {
    %first = arith.remui %i, %c8 : index
    %tile = arith.divui %i, %c8 : index
    %half = arith.divui %tile, %c2 : index
    %steps = arith.addi %half, %c2 : index
    %behind = arith.muli %steps, %c8 : index
    %end = arith.minui %behind, %m : index
    scf.for %j = %c0 to %c64 step %c1 {
      %sum = scf.for %row = %first to %end step %c8 iter_args(%sofar = %zero) -> (f32) {
        %x = memref.load %X[%row, %j] : memref<?x64xbf16>
        %wide = arith.extf %x : bf16 to f32
        %more = arith.addf %sofar, %wide : f32
        scf.yield %more : f32
      }
      memref.store %sum, %Y[%i, %j] : memref<?x64xf32>
    }
  }
  return
}
