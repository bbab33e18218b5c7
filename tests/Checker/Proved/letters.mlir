// IDIOM: tiles named by letters
//
// One thread works out what each round is about, and says so in a mailbox of two letters: the tile's number, and of how
// many blocks it is. Whoever works reads both there: which rows it writes, and how often it goes round.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @filled: accepted
// CHECK: {{^}}  proved, for every size
//
// Written once it has been said that it is there.
// VARIANT too_late: drop told
// VARIANT too_late: before post add titan.mbarrier.arrive %posted[%stage : index] : !boxes
// RUN: %variant too_late %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=TOO-LATE
// TOO-LATE: [race]
// Read before it is known to be there.
// VARIANT too_early: drop wait
// VARIANT too_early: before gone add titan.mbarrier.wait %posted[%stage : index] parity(%parity) : !boxes
// RUN: %variant too_early %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=TOO-EARLY
// TOO-EARLY: [race]
// Written over one that nobody has read.
// VARIANT no_room: drop room
// RUN: %variant no_room %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=NO-ROOM
// NO-ROOM: [barrier-unobserved]
// Of this slot, but taken for the one of the next round. (The search does not ask.)
// VARIANT next_round: before wait add %next = arith.addi %i, %c2 : index
// VARIANT next_round: before page add %other = arith.remui %next, %c2 : index
// VARIANT next_round: in page `%stage` -> `%other`
// RUN: %variant next_round %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=NEXT-ROUND
// NEXT-ROUND: [undecided] which letter this reads is not followed
// RUN: %variant next_round %s | not titan check - --kernel bare --undecided=warning --require=proved 2>&1 | FileCheck %s --check-prefix=NEXT-ROUND-PROOF
// NEXT-ROUND-PROOF: that this letter is the one that the loop's number was posted in is not shown: it may be read before it is posted
// Posted twice.
// VARIANT twice: before told add titan.st %t32, %page[%c0] : i32, !letter
// RUN: %variant twice %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: [undecided] the indices depend on data
// It names more blocks than come.
// VARIANT too_many: in said `%steps` -> `%n`
// RUN: %variant too_many %s | not titan check - --kernel filled 2>&1 | FileCheck %s --check-prefix=TOO-MANY
// TOO-MANY: [deadlock]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>
!letters = !titan.shared<2xi32, slots = 2>
!letter = !titan.shared<2xi32>
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
  titan.launch grid(%grid) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %box = titan.shared.alloc : !letters
  %posted = titan.mbarrier.alloc : !boxes
  %read = titan.mbarrier.alloc : !boxes
  titan.elect warp(0) {
    titan.mbarrier.init %posted count(1) : !boxes
    titan.mbarrier.init %read count(1) : !boxes
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %left = arith.subi %n, %first : index
  %rounds = arith.ceildivui %left, %ctas : index
  titan.warp_specialize {
    titan.partition "schedule" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %rounds step %c1 {
          %before = arith.muli %i, %ctas : index
          %t = arith.addi %before, %first : index
          %stage = arith.remui %i, %c2 : index
          %next = arith.addi %i, %c2 : index
          %free = func.call @parity(%next) : (index) -> i32
          titan.mbarrier.wait %read[%stage : index] parity(%free) : !boxes // @room
          %t32 = arith.index_cast %t : index to i32
          %page = titan.shared.slot %box[%stage : index] : !letters -> !letter
          titan.st %t32, %page[%c0] : i32, !letter // @post
          titan.mbarrier.arrive %posted[%stage : index] : !boxes // @told
        }
      }
    }
    titan.partition "work" warps(1) {
      scf.for %i = %c0 to %rounds step %c1 {
        %stage = arith.remui %i, %c2 : index
        %parity = func.call @parity(%i) : (index) -> i32
        titan.mbarrier.wait %posted[%stage : index] parity(%parity) : !boxes // @wait
        %page = titan.shared.slot %box[%stage : index] : !letters -> !letter // @page
        %t32 = titan.ld %page[%c0] : !letter -> i32
        titan.syncwarp // @gone
        titan.elect {
          titan.mbarrier.arrive %read[%stage : index] : !boxes
        }
        %t = arith.index_cast %t32 : i32 to index
        %row = arith.muli %t, %c8 : index
        %x = func.call @number(%t) : (index) -> !regs
        func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
      }
    }
  }
  titan.return
}

// And of how many blocks each tile is: so many come through a ring.
titan.kernel @filled(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
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
  %box = titan.shared.alloc : !letters
  %full = titan.mbarrier.alloc : !boxes
  %empty = titan.mbarrier.alloc : !boxes
  %posted = titan.mbarrier.alloc : !boxes
  %read = titan.mbarrier.alloc : !boxes
  titan.elect warp(0) {
    titan.mbarrier.init %posted count(1) : !boxes
    titan.mbarrier.init %read count(1) : !boxes
    titan.mbarrier.init %full count(1) : !boxes
    titan.mbarrier.init %empty count(1) : !boxes
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %left = arith.subi %n, %first : index
  %rounds = arith.ceildivui %left, %ctas : index
  titan.warp_specialize {
    titan.partition "schedule" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %rounds step %c1 {
          %before = arith.muli %i, %ctas : index
          %t = arith.addi %before, %first : index
          %stage = arith.remui %i, %c2 : index
          %next = arith.addi %i, %c2 : index
          %free = func.call @parity(%next) : (index) -> i32
          titan.mbarrier.wait %read[%stage : index] parity(%free) : !boxes // @room
          %t32 = arith.index_cast %t : index to i32
          %page = titan.shared.slot %box[%stage : index] : !letters -> !letter
          titan.st %t32, %page[%c0] : i32, !letter
          %s32 = arith.index_cast %steps : index to i32 // @said
          titan.st %s32, %page[%c1] : i32, !letter // @post
          titan.mbarrier.arrive %posted[%stage : index] : !boxes // @told
          scf.for %j = %c0 to %steps step %c1 {
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
      scf.for %i = %c0 to %rounds step %c1 {
        %stage = arith.remui %i, %c2 : index
        %parity = func.call @parity(%i) : (index) -> i32
        titan.mbarrier.wait %posted[%stage : index] parity(%parity) : !boxes // @wait
        %page = titan.shared.slot %box[%stage : index] : !letters -> !letter // @page
        %t32 = titan.ld %page[%c0] : !letter -> i32
        %s32 = titan.ld %page[%c1] : !letter -> i32
        titan.syncwarp // @gone
        titan.elect {
          titan.mbarrier.arrive %read[%stage : index] : !boxes
        }
        %t = arith.index_cast %t32 : i32 to index
        %row = arith.muli %t, %c8 : index
        %said = arith.index_cast %s32 : i32 to index
        %zeros = func.call @number(%c0) : (index) -> !regs
        %x = scf.for %j = %c0 to %said step %c1 iter_args(%sum = %zeros) -> (!regs) {
          %sofar = arith.muli %i, %said : index
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
    }
  }
  titan.return
}
