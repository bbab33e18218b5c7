// IDIOM: tickets from a counter
//
// CTAs take their work from a counter in global memory while they run. One thread asks, and posts the answer in a
// mailbox; a ring brings the tile's rows to those who work on it.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// The letter is that of another slot: the one before.
// VARIANT other_slot: in place `%box[%slot` -> `%box[%other`
// RUN: %variant other_slot %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=OTHER-SLOT
// OTHER-SLOT: [{{undefined-read|race}}]
// A letter is read behind its slot's release.
// VARIANT late_letter: drop letter
// VARIANT late_letter: after released add %number = titan.ld %page[%c0] : !letter -> i32
// RUN: %variant late_letter %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=LATE-LETTER
// LATE-LETTER: [race]
//
// What else a slot brings is no letter: the same numbers, in another buffer of the pipe.
// VARIANT beside: after boxes add %notes = titan.shared.alloc : !letters
// VARIANT beside: in mail `["tile"](%box : !letters)` -> `["tile", "more"](%box, %notes : !letters, !letters)`
// VARIANT beside: after posted add %note = titan.pipe.buffer %slot["more"] : !letter
// VARIANT beside: after posted add titan.st %i1, %note[%c0] : i32, !letter
// VARIANT beside: before released add %one = titan.ld %note[%c0] : !letter -> i32
// VARIANT beside: before released add %note = titan.pipe.buffer %slot["more"] : !letter
// RUN: %variant beside %s | titan check - --kernel pipe --require=proved | FileCheck %s --check-prefix=BESIDE
// BESIDE: @pipe: accepted
//
// Two numbers name one tile: accepted by nobody.
// VARIANT twice: in rows `arith.muli %t, %c8` -> `arith.divui %t, %c8`
// RUN: %variant twice %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: %variant twice %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: [race]
//
// Dealt in turn, number mod CTAs is the CTA that has it: in another order two CTAs write one tile.
// VARIANT mod: before rows add %mine = arith.remui %t, %ctas : index
// VARIANT mod: before rows add %ctas = titan.num_ctas 0
// VARIANT mod: in rows `%t, %c8` -> `%mine, %c8`
// RUN: %variant mod %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=MOD
// MOD: [undecided] which numbers this loop runs by is not followed: what is computed from a number and from the CTA's id
//
// Not proved: by a bound of its own a loop may read a letter more than there are; what the
// counter begins with is not said; and it wraps round with the second number (rules.test).
// VARIANT bound: in some `%n32` -> `%more32`
// RUN: %variant bound %s | not titan check - --kernel pipe --require=proved 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: {{[[]}}{{[a-z-]+}}]
// VARIANT begin: in pipe `titan.initial = {counter = 0}, ` -> ``
// RUN: %variant begin %s | not titan check - --kernel pipe --require=proved 2>&1 | FileCheck %s --check-prefix=BEGIN
// BEGIN: what this counter holds at the launch is not said
//
// VARIANT wraps: in pipe `counter = 0` -> `counter = 2147483647`
// RUN: %variant wraps %s | not titan check - --kernel pipe --require=proved 2>&1 | FileCheck %s --check-prefix=WRAPS
// WRAPS: error: [undecided] with this the flag is 2147483648, which 32 bits do not hold
//
// Without the proof nobody says which letters a loop with barriers of its own reads.
// RUN: not titan check %s --kernel bare --proof=off 2>&1 | FileCheck %s --check-prefix=SEARCH
// SEARCH: error: [undecided] which numbers this loop runs by is not followed

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16>
!pipe = !titan.pipe<2>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>
!letters = !titan.shared<1xi32, slots = 2>
!letter = !titan.shared<1xi32>
!tiles = !titan.shared<8x64xbf16, slots = 2>
!tile = !titan.shared<8x64xbf16>
!boxes = !titan.mbarrier<2>
!counter = !titan.global<1xi32>

// A slot's uses alternate between parities: use n is in round n div 2.
func.func private @parity(%use: index) -> i32 {
  %two = arith.constant 2 : index
  %round = arith.divui %use, %two : index
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

titan.kernel @bare(%X: !global, %Y: !global, %counter: !counter) warps(3) attributes {titan.target = "sm_90a",
  titan.initial = {counter = 0}, titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64", multiprocessor_count = 3}} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  %most = arith.constant 1073741824 : index
  %few = arith.cmpi ule, %rows, %most : index
  titan.require %few, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %rowsY = titan.dim %Y, 0 : !global
  %fewY = arith.cmpi ule, %rowsY, %most : index
  titan.require %fewY, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  titan.launch grid(%grid) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %i1 = arith.constant 1 : i32
  %yes = arith.constant true
  %n32 = arith.index_cast %n : index to i32
  %box = titan.shared.alloc : !letters
  %x = titan.shared.alloc : !tiles
  %posted = titan.mbarrier.alloc : !boxes
  %read = titan.mbarrier.alloc : !boxes
  %full = titan.mbarrier.alloc : !boxes
  %empty = titan.mbarrier.alloc : !boxes
  titan.elect warp(0) {
    titan.mbarrier.init %posted count(1) : !boxes
    titan.mbarrier.init %read count(2) : !boxes
    titan.mbarrier.init %full count(1) : !boxes
    titan.mbarrier.init %empty count(1) : !boxes
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "schedule" warps(1) {
      titan.elect {
        %end:2 = scf.while (%more = %yes, %i = %c0) : (i1, index) -> (i1, index) {
          scf.condition(%more) %more, %i : i1, index
        } do {
        ^bb0(%on: i1, %i: index):
          %slot = arith.remui %i, %c2 : index
          %next = arith.addi %i, %c2 : index
          %free = func.call @parity(%next) : (index) -> i32
          %number = titan.atom add %i1, %counter[%c0] : i32, !counter -> i32
          titan.mbarrier.wait %read[%slot : index] parity(%free) : !boxes
          %page = titan.shared.slot %box[%slot : index] : !letters -> !letter
          titan.st %number, %page[%c0] : i32, !letter
          titan.mbarrier.arrive %posted[%slot : index] : !boxes
          %again = arith.cmpi slt, %number, %n32 : i32
          %after = arith.addi %i, %c1 : index
          scf.yield %again, %after : i1, index
        }
      }
    }
    titan.partition "load" warps(1) {
      titan.elect {
        %end:2 = scf.while (%i = %c0) : (index) -> (i32, index) {
          %slot = arith.remui %i, %c2 : index
          %parity = func.call @parity(%i) : (index) -> i32
          titan.mbarrier.wait %posted[%slot : index] parity(%parity) : !boxes
          %page = titan.shared.slot %box[%slot : index] : !letters -> !letter
          %number = titan.ld %page[%c0] : !letter -> i32
          titan.mbarrier.arrive %read[%slot : index] : !boxes
          %some = arith.cmpi slt, %number, %n32 : i32
          scf.condition(%some) %number, %i : i32, index
        } do {
        ^bb0(%number: i32, %i: index):
          %slot = arith.remui %i, %c2 : index
          %next = arith.addi %i, %c2 : index
          %free = func.call @parity(%next) : (index) -> i32
          %t = arith.index_cast %number : i32 to index
          %row = arith.muli %t, %c8 : index
          %bytes = arith.constant 1024 : i32
          titan.mbarrier.wait %empty[%slot : index] parity(%free) : !boxes
          titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !boxes
          %buffer = titan.shared.slot %x[%slot : index] : !tiles -> !tile
          titan.tma.load %map[%row, %c0], %buffer, %full[%slot : index] : !map, !tile, !boxes
          %after = arith.addi %i, %c1 : index
          scf.yield %after : index
        }
      }
    }
    titan.partition "work" warps(1) {
      %end:2 = scf.while (%i = %c0) : (index) -> (i32, index) {
        %slot = arith.remui %i, %c2 : index
        %next = arith.addi %i, %c1 : index
        %other = arith.remui %next, %c2 : index
        %parity = func.call @parity(%i) : (index) -> i32
        titan.mbarrier.wait %posted[%slot : index] parity(%parity) : !boxes
        %page = titan.shared.slot %box[%slot : index] : !letters -> !letter // @place
        %number = titan.ld %page[%c0] : !letter -> i32
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %read[%slot : index] : !boxes
        }
        %some = arith.cmpi slt, %number, %n32 : i32
        scf.condition(%some) %number, %i : i32, index
      } do {
      ^bb0(%number: i32, %i: index):
        %slot = arith.remui %i, %c2 : index
        %parity = func.call @parity(%i) : (index) -> i32
        %t = arith.index_cast %number : i32 to index
        %row = arith.muli %t, %c8 : index // @rows
        titan.mbarrier.wait %full[%slot : index] parity(%parity) : !boxes
        %buffer = titan.shared.slot %x[%slot : index] : !tiles -> !tile
        %tile = titan.shared.load %buffer : !tile -> !regs
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%slot : index] : !boxes
        }
        func.call @put(%tile, %Y, %row) : (!regs, !global, index) -> ()
        %after = arith.addi %i, %c1 : index
        scf.yield %after : index
      }
    }
  }
  titan.return
}

titan.kernel @pipe(%X: !global, %Y: !global, %counter: !counter) warps(3) attributes {titan.target = "sm_90a",
  titan.initial = {counter = 0}, titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64", multiprocessor_count = 3}} launch { // @pipe
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  %most = arith.constant 134217728 : index
  %few = arith.cmpi ule, %n, %most : index
  titan.require %few, "launch-check", "at most 2^27 tiles, whose numbers have 32 bits"
  %less = arith.constant 1073741824 : index
  %rowsY = titan.dim %Y, 0 : !global
  %fewY = arith.cmpi ule, %rowsY, %less : index
  titan.require %fewY, "launch-check", "at most 2^30 rows of Y"
  titan.launch grid(%grid) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %i1 = arith.constant 1 : i32
  %yes = arith.constant true
  %n32 = arith.index_cast %n : index to i32
  %more32 = arith.addi %n32, %i1 : i32
  %box = titan.shared.alloc : !letters // @boxes
  %x = titan.shared.alloc : !tiles
  %mail = titan.pipe.create "schedule" -> ["load", "work"] buffers ["tile"](%box : !letters) fill(arrive) : !pipe // @mail
  %rows = titan.pipe.create "load" -> ["work"] buffers ["x"](%x : !tiles) : !pipe
  titan.warp_specialize {
    titan.partition "schedule" warps(1) {
      titan.elect {
        scf.while (%more = %yes) : (i1) -> () {
          scf.condition(%more)
        } do {
          %number = titan.atom add %i1, %counter[%c0] : i32, !counter -> i32
          %slot = titan.pipe.acquire %mail : !pipe
          %page = titan.pipe.buffer %slot["tile"] : !letter
          titan.st %number, %page[%c0] : i32, !letter // @posted
          titan.pipe.commit %slot
          %again = arith.cmpi slt, %number, %n32 : i32
          scf.yield %again : i1
        }
      }
    }
    titan.partition "load" warps(1) {
      titan.elect {
        scf.while : () -> (i32) {
          %slot = titan.pipe.wait %mail : !pipe
          %page = titan.pipe.buffer %slot["tile"] : !letter
          %number = titan.ld %page[%c0] : !letter -> i32
          titan.pipe.release %slot
          %some = arith.cmpi slt, %number, %n32 : i32
          scf.condition(%some) %number : i32
        } do {
        ^bb0(%number: i32):
          %t = arith.index_cast %number : i32 to index
          %row = arith.muli %t, %c8 : index
          %slot = titan.pipe.acquire %rows : !pipe
          titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
          titan.pipe.commit %slot
          scf.yield
        }
      }
    }
    titan.partition "work" warps(1) {
      scf.while : () -> (i32) {
        %slot = titan.pipe.wait %mail : !pipe
        %page = titan.pipe.buffer %slot["tile"] : !letter
        %number = titan.ld %page[%c0] : !letter -> i32 // @letter
        titan.pipe.release %slot // @released
        %some = arith.cmpi slt, %number, %n32 : i32 // @some
        scf.condition(%some) %number : i32
      } do {
      ^bb0(%number: i32):
        %t = arith.index_cast %number : i32 to index
        %row = arith.muli %t, %c8 : index // @rows
        %slot = titan.pipe.wait %rows : !pipe
        %buffer = titan.pipe.buffer %slot["x"] : !tile
        %tile = titan.shared.load %buffer : !tile -> !regs
        titan.pipe.release %slot
        func.call @put(%tile, %Y, %row) : (!regs, !global, index) -> ()
        scf.yield
      }
    }
  }
  titan.return
}
