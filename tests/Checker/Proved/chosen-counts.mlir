// IDIOM: counts that are chosen
//
// How often a loop runs is chosen: of the rounds by the CTA, and of a round's blocks by whether it is one behind the
// last tile.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
//
// The last round has two blocks: nobody waits for the second one.
// VARIANT two: in wanted `%c1` -> `%c2`
// RUN: %variant two %s | not titan check - 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: [exit-with-work-outstanding]
// A tile of the rest is left to nobody.
// VARIANT fewer: in chosen `%rounds` -> `%whole`
// RUN: %variant fewer %s | not titan check - 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: [deadlock]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>
!boxes = !titan.mbarrier<2>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!slot = !titan.shared<8x64xbf16, swizzle = 128>

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
