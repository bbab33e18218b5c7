// IDIOM: causal trip counts
//
// Trip counts that depend on the tile: row block t takes the steps 0 to t, as causal attention does.
//
// RUN: titan check %s --kernel bare --require=searched > %t
// RUN: titan check %s --kernel persistent --require=searched >> %t
// RUN: titan check %s --kernel pipe --require=searched >> %t
// RUN: FileCheck %s < %t
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @persistent: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
// Without a proof nobody knows which counts stand for all.
// RUN: not titan check %s --kernel persistent --proof=off 2>&1 | FileCheck %s --check-prefix=OFF
// OFF: [undecided]
//
// It asks for what the mask leaves out.
// VARIANT to_the_end: in count `%steps` -> `%n`
// RUN: %variant to_the_end %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=TO-THE-END
// TO-THE-END: [deadlock]
// The number of uses leaves out the diagonal.
// VARIANT without_the_diagonal: in after `%steps` -> `%t`
// RUN: %variant without_the_diagonal %s | not titan check - --kernel persistent 2>&1 | FileCheck %s --check-prefix=WITHOUT-THE-DIAGONAL
// WITHOUT-THE-DIAGONAL: [barrier-unobserved]
// One step fewer than the producer makes.
// VARIANT below: in psteps `%c0` -> `%c1`
// RUN: %variant below %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: [exit-with-work-outstanding]

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

// A CTA for each row block; it sums the blocks above its own and its own.
titan.kernel @bare(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}} launch {
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
  titan.launch grid(%n) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
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
  %cta = titan.cta_id 0
  %steps = arith.addi %cta, %c1 : index
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %steps step %c1 {
          %row = arith.muli %i, %c8 : index
          func.call @fill(%map, %row, %tiles, %full, %empty, %i) : (!map, index, !ring, !bars, !bars, index) -> ()
        }
      }
    }
    titan.partition "use" warps(1) {
      %zero = func.call @number(%c0) : (index) -> !regs
      %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%sofar = %zero) -> (!regs) { // @count
        %x = func.call @get(%tiles, %full, %i) : (!ring, !bars, index) -> !regs
        func.call @free(%empty, %i) : (!bars, index) -> ()
        %more = arith.addf %sofar, %x : !regs
        scf.yield %more : !regs
      }
      %row = arith.muli %cta, %c8 : index
      func.call @put(%sum, %Y, %row) : (!regs, !global, index) -> ()
    }
  }
  titan.return
}

// The same by one CTA: the uses of earlier row blocks are a sum of their lengths, which nobody writes down.
titan.kernel @persistent(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
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
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %uses = scf.for %t = %c0 to %n step %c1 iter_args(%base = %c0) -> (index) {
          %steps = arith.addi %t, %c1 : index
          scf.for %s = %c0 to %steps step %c1 {
            %use = arith.addi %base, %s : index
            %row = arith.muli %s, %c8 : index
            func.call @fill(%map, %row, %tiles, %full, %empty, %use) : (!map, index, !ring, !bars, !bars, index) -> ()
          }
          %after = arith.addi %base, %steps : index
          scf.yield %after : index
        }
      }
    }
    titan.partition "use" warps(1) {
      %uses = scf.for %t = %c0 to %n step %c1 iter_args(%base = %c0) -> (index) {
        %zero = func.call @number(%c0) : (index) -> !regs
        %steps = arith.addi %t, %c1 : index
        %sum = scf.for %s = %c0 to %steps step %c1 iter_args(%sofar = %zero) -> (!regs) {
          %use = arith.addi %base, %s : index
          %x = func.call @get(%tiles, %full, %use) : (!ring, !bars, index) -> !regs
          func.call @free(%empty, %use) : (!bars, index) -> ()
          %more = arith.addf %sofar, %x : !regs
          scf.yield %more : !regs
        }
        %row = arith.muli %t, %c8 : index
        func.call @put(%sum, %Y, %row) : (!regs, !global, index) -> ()
        %after = arith.addi %base, %steps : index // @after
        scf.yield %after : index
      }
    }
  }
  titan.return
}

titan.kernel @pipe(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}} launch {
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
  %tiles = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%tiles : !ring) : !pipe
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %t = %first to %n step %ctas {
        %steps = arith.addi %t, %c1 : index
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
        %zero = func.call @number(%c0) : (index) -> !regs
        %steps = arith.addi %t, %c1 : index
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
