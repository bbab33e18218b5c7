// IDIOM: schedulers with a mailbox
//
// A scheduler posts the numbers of tiles in a mailbox of two letters, and whoever works reads them there.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// A letter is written over one that nobody has read.
// VARIANT no_room: drop room
// RUN: %variant no_room %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=NO-ROOM
// NO-ROOM: [barrier-unobserved]
// Committed before it is written.
// VARIANT too_late: drop commit
// VARIANT too_late: before post add titan.pipe.commit %slot
// RUN: %variant too_late %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=TOO-LATE
// TOO-LATE: [race]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!pipe = !titan.pipe<2>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>
!letters = !titan.shared<1xi32, slots = 2>
!letter = !titan.shared<1xi32>
!boxes = !titan.mbarrier<2>
!counter = !titan.global<1xi32>

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

// The numbers are the scheduler's own: each CTA takes every ctas-th tile.
titan.kernel @bare(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
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
  titan.warp_specialize {
    titan.partition "schedule" warps(1) {
      titan.elect {
        %end = scf.for %t = %first to %n step %ctas iter_args(%i = %c0) -> (index) {
          %stage = arith.remui %i, %c2 : index
          %next = arith.addi %i, %c2 : index
          %free = func.call @parity(%next) : (index) -> i32
          titan.mbarrier.wait %read[%stage : index] parity(%free) : !boxes // @room
          %t32 = arith.index_cast %t : index to i32
          %page = titan.shared.slot %box[%stage : index] : !letters -> !letter
          titan.st %t32, %page[%c0] : i32, !letter
          titan.mbarrier.arrive %posted[%stage : index] : !boxes
          %after = arith.addi %i, %c1 : index
          scf.yield %after : index
        }
      }
    }
    titan.partition "work" warps(1) {
      %end = scf.for %t = %first to %n step %ctas iter_args(%i = %c0) -> (index) {
        %stage = arith.remui %i, %c2 : index
        %parity = func.call @parity(%i) : (index) -> i32
        titan.mbarrier.wait %posted[%stage : index] parity(%parity) : !boxes
        %page = titan.shared.slot %box[%stage : index] : !letters -> !letter
        %t32 = titan.ld %page[%c0] : !letter -> i32
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %read[%stage : index] : !boxes
        }
        %row = arith.muli %t, %c8 : index
        %value = arith.sitofp %t32 : i32 to bf16
        %x = titan.splat %value : bf16 -> !regs
        func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
        %after = arith.addi %i, %c1 : index
        scf.yield %after : index
      }
    }
  }
  titan.return
}

// The numbers come from a counter in global memory: who asks first works first. A letter
// that names no tile is the last one.
titan.kernel @pipe(%X: !global, %Y: !global, %counter: !counter) warps(2) attributes {titan.target = "sm_90a", titan.initial = {counter = 0},
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64", counter = "1 zeros"}} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  %most = arith.constant 134217728 : index
  %few0 = arith.cmpi ule, %n, %most : index
  titan.require %few0, "launch-check", "at most 2^27 tiles, whose numbers have 32 bits"
  %less = arith.constant 1073741824 : index
  %sizeY0 = titan.dim %Y, 0 : !global
  %few1 = arith.cmpi ule, %sizeY0, %less : index
  titan.require %few1, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  titan.launch grid(%grid) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %i1 = arith.constant 1 : i32
  %n32 = arith.index_cast %n : index to i32
  %box = titan.shared.alloc : !letters
  %mail = titan.pipe.create "schedule" -> ["work"] buffers ["tile"](%box : !letters) fill(arrive) : !pipe
  titan.warp_specialize {
    titan.partition "schedule" warps(1) {
      titan.elect {
        %yes = arith.constant true
        scf.while (%more = %yes) : (i1) -> () {
          scf.condition(%more)
        } do {
          %tile = titan.atom add %i1, %counter[%c0] : i32, !counter -> i32
          %slot = titan.pipe.acquire %mail : !pipe
          %page = titan.pipe.buffer %slot["tile"] : !letter
          titan.st %tile, %page[%c0] : i32, !letter // @post
          titan.pipe.commit %slot // @commit
          %again = arith.cmpi slt, %tile, %n32 : i32
          scf.yield %again : i1
        }
      }
    }
    titan.partition "work" warps(1) {
      scf.while : () -> (i32) {
        %slot = titan.pipe.wait %mail : !pipe
        %page = titan.pipe.buffer %slot["tile"] : !letter
        %tile = titan.ld %page[%c0] : !letter -> i32
        titan.pipe.release %slot
        %some = arith.cmpi slt, %tile, %n32 : i32
        scf.condition(%some) %tile : i32
      } do {
      ^bb0(%tile: i32):
        %t = arith.index_cast %tile : i32 to index
        %row = arith.muli %t, %c8 : index
        %x = func.call @number(%t) : (index) -> !regs
        func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
        scf.yield
      }
    }
  }
  titan.return
}
