// IDIOM: counts that are chosen
//
// How often a loop runs is chosen: of the rounds by the CTA, and of a round's blocks by whether it is one behind the
// last tile. By a pipe, three slots deep: as many rounds as the rest of a division says.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// RUN: titan run %s --kernel pipe --schedule skew:2 --size M=200 | FileCheck %s --check-prefix=RIGHT
// RIGHT: elements equal to the reference
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// The last round has two blocks: nobody waits for the second one.
// VARIANT two: in wanted `%c1` -> `%c2`
// RUN: %variant two %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: [exit-with-work-outstanding]
// A tile of the rest is left to nobody.
// VARIANT fewer: in chosen `%rounds` -> `%whole`
// RUN: %variant fewer %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: [deadlock]
// The same of the pipe; and the block behind the last tile is not loaded.
// VARIANT each_alike: in turns `%rounds` -> `%each`
// RUN: %variant each_alike %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=EACH-ALIKE
// EACH-ALIKE: [deadlock]
// VARIANT none_behind: in some `%c1` -> `%c0`
// RUN: %variant none_behind %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=NONE-BEHIND
// NONE-BEHIND: [deadlock]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>
!boxes = !titan.mbarrier<2>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!slot = !titan.shared<8x64xbf16, swizzle = 128>
!deep = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!pipe = !titan.pipe<3>

// A slot's uses alternate between parities: use n is in round n div 2.
func.func private @parity(%use: index) -> i32 {
  %two = arith.constant 2 : index
  %depth = arith.constant 2 : index
  %round = arith.divui %use, %depth : index
  %odd = arith.remui %round, %two : index
  %parity = arith.index_cast %odd : index to i32
  return %parity : i32
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

titan.kernel @bare(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %Y, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  %most = arith.constant 134217728 : index
  %few = arith.cmpi ule, %rows, %most : index
  titan.require %few, "launch-check", "at most 2^27 rows, whose numbers have 32 bits"
  %rowsX = titan.dim %X, 0 : !global
  %fewX = arith.cmpi ule, %rowsX, %most : index
  titan.require %fewX, "launch-check", "at most 2^27 rows, whose numbers have 32 bits"
  %steps = arith.ceildivui %rowsX, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  titan.launch grid(%grid) with(%map, %n, %steps : !map, index, index)
} body(%map: !map, %n: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %bytes = arith.constant 1024 : i32
  %ring = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !boxes
  %empty = titan.mbarrier.alloc : !boxes
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !boxes
    titan.mbarrier.init %empty count(1) : !boxes
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  // Of this CTA: as many as go into all of them, and perhaps one of the rest.
  %whole = arith.divui %n, %ctas : index
  %inWhole = arith.muli %whole, %ctas : index
  %last = arith.addi %inWhole, %first : index
  %hasLast = arith.cmpi ult, %last, %n : index
  %oneMore = arith.addi %whole, %c1 : index
  %rounds = arith.select %hasLast, %oneMore, %whole : index
  %allRounds = arith.addi %rounds, %c1 : index
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %allRounds step %c1 {
          %isTile = arith.cmpi ult, %i, %rounds : index
          %wanted = arith.select %isTile, %steps, %c1 : index // @wanted
          scf.for %j = %c0 to %wanted step %c1 {
            %sofar = arith.muli %i, %steps : index
            %use = arith.addi %sofar, %j : index
            %slotNumber = arith.remui %use, %c2 : index
            %later = arith.addi %use, %c2 : index
            %room = func.call @parity(%later) : (index) -> i32
            %row = arith.muli %j, %c8 : index
            titan.mbarrier.wait %empty[%slotNumber : index] parity(%room) : !boxes
            titan.mbarrier.arrive_expect_tx %full[%slotNumber : index], %bytes : !boxes
            %slot = titan.shared.slot %ring[%slotNumber : index] : !ring -> !slot
            titan.tma.load %map[%row, %c0], %slot, %full[%slotNumber : index] : !map, !slot, !boxes
          }
        }
      }
    }
    titan.partition "work" warps(1) {
      scf.for %i = %c0 to %rounds step %c1 { // @chosen
        %before = arith.muli %i, %ctas : index
        %t = arith.addi %before, %first : index
        %row = arith.muli %t, %c8 : index
        %zeros = func.call @number(%c0) : (index) -> !regs
        %x = scf.for %j = %c0 to %steps step %c1 iter_args(%sum = %zeros) -> (!regs) {
          %sofar = arith.muli %i, %steps : index
          %use = arith.addi %sofar, %j : index
          %slotNumber = arith.remui %use, %c2 : index
          %filled = func.call @parity(%use) : (index) -> i32
          titan.mbarrier.wait %full[%slotNumber : index] parity(%filled) : !boxes
          %slot = titan.shared.slot %ring[%slotNumber : index] : !ring -> !slot
          %block = titan.shared.load %slot : !slot -> !regs
          %more = arith.addf %sum, %block : !regs
          titan.fence.proxy_async shared_cta
          titan.syncwarp
          titan.elect {
            titan.mbarrier.arrive %empty[%slotNumber : index] : !boxes
          }
          scf.yield %more : !regs
        }
        func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
      }
      // And the one behind the last tile.
      %use = arith.muli %rounds, %steps : index
      %slotNumber = arith.remui %use, %c2 : index
      %filled = func.call @parity(%use) : (index) -> i32
      titan.mbarrier.wait %full[%slotNumber : index] parity(%filled) : !boxes
    }
  }
  titan.return
}

titan.kernel @pipe(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, multiprocessor_count = 3, X = "Mx64 ints:1", Y = "Mx64"},
  titan.reference = @sums} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %Y, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  %most = arith.constant 134217728 : index
  %few = arith.cmpi ule, %rows, %most : index
  titan.require %few, "launch-check", "at most 2^27 rows, whose numbers have 32 bits"
  %rowsX = titan.dim %X, 0 : !global
  %fewX = arith.cmpi ule, %rowsX, %most : index
  titan.require %fewX, "launch-check", "at most 2^27 rows, whose numbers have 32 bits"
  %steps = arith.ceildivui %rowsX, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  titan.launch grid(%grid) with(%map, %n, %steps : !map, index, index)
} body(%map: !map, %n: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %ring = titan.shared.alloc : !deep
  %pipe = titan.pipe.create "load" -> ["work"] buffers ["x"](%ring : !deep) : !pipe
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  // The first CTAs have one tile more.
  %each = arith.divui %n, %ctas : index
  %rest = arith.remui %n, %ctas : index
  %early = arith.cmpi ult, %first, %rest : index
  %oneMore = arith.addi %each, %c1 : index
  %rounds = arith.select %early, %oneMore, %each : index
  %allRounds = arith.addi %rounds, %c1 : index
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %allRounds step %c1 {
        %isTile = arith.cmpi ult, %i, %rounds : index
        %wanted = arith.select %isTile, %steps, %c1 : index // @some
        scf.for %j = %c0 to %wanted step %c1 {
          %row = arith.muli %j, %c8 : index
          %slot = titan.pipe.acquire %pipe : !pipe
          titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
          titan.pipe.commit %slot
        }
      }
    }
    titan.partition "work" warps(1) {
      scf.for %i = %c0 to %rounds step %c1 { // @turns
        %before = arith.muli %i, %ctas : index
        %t = arith.addi %before, %first : index
        %row = arith.muli %t, %c8 : index
        %zeros = func.call @number(%c0) : (index) -> !regs
        %x = scf.for %j = %c0 to %steps step %c1 iter_args(%sum = %zeros) -> (!regs) {
          %taken = titan.pipe.wait %pipe : !pipe
          %slot = titan.pipe.buffer %taken["x"] : !slot
          %block = titan.shared.load %slot : !slot -> !regs
          %more = arith.addf %sum, %block : !regs
          titan.pipe.release %taken
          scf.yield %more : !regs
        }
        func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
      }
      %behind = titan.pipe.wait %pipe : !pipe
      titan.pipe.release %behind
    }
  }
  titan.return
}

// A tile is the sum of all blocks of X.
func.func private @sums(%X: memref<?x64xbf16> {titan.input = "X"}, %Y: memref<?x64xf32> {titan.expected = "Y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %X, %c0 : memref<?x64xbf16>
  %rows = memref.dim %Y, %c0 : memref<?x64xf32>
  scf.for %i = %c0 to %rows step %c1 {
    %first = arith.remui %i, %c8 : index
    scf.for %j = %c0 to %c64 step %c1 {
      %sum = scf.for %row = %first to %m step %c8 iter_args(%sofar = %zero) -> (f32) {
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
