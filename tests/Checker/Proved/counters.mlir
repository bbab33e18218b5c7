// IDIOM: rings by wait counters
//
// On gfx942 a wave counts what it has issued: loads to LDS by vmcnt, LDS operations by lgkmcnt. It waits until so many
// instructions are left, and meets the others at a barrier, which waits for nothing by itself.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @counts: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @tokens: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @stores: accepted
// CHECK: {{^}}  proved, for every size
//
// The loads of this round may be under way, too.
// VARIANT too_many: in wait `4` -> `8`
// RUN: %variant too_many %s | not titan check - --kernel counts 2>&1 | FileCheck %s --check-prefix=TOO-MANY
// TOO-MANY: [lds-counter-missing]
// The next tile is loaded over what other waves still read.
// VARIANT no_barrier: drop read
// RUN: %variant no_barrier %s | not titan check - --kernel counts 2>&1 | FileCheck %s --check-prefix=NO-BARRIER
// NO-BARRIER: [lds-counter-missing]
// One wave waits, and knows nothing of the others' loads.
// VARIANT early: drop meet
// RUN: %variant early %s | not titan check - --kernel counts 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: [lds-counter-missing]
// The last loads, which nobody reads, are under way at the end.
// VARIANT not_over: drop last
// RUN: %variant not_over %s | not titan check - --kernel counts 2>&1 | FileCheck %s --check-prefix=NOT-OVER
// NOT-OVER: [token-not-discharged]
// Loads go to the slot that is read.
// VARIANT this_slot: in next `%o` -> `%t`
// RUN: %variant this_slot %s | not titan check - --kernel counts 2>&1 | FileCheck %s --check-prefix=THIS-SLOT
// THIS-SLOT: [lds-counter-missing]
// How many instructions a read of LDS is, is not known: to leave one is to leave this one, perhaps.
// VARIANT one_left: in arrive `lgkmcnt(0)` -> `lgkmcnt(1)`
// RUN: %variant one_left %s | not titan check - --kernel counts 2>&1 | FileCheck %s --check-prefix=ONE-LEFT
// ONE-LEFT: [undecided]
// The token of a load that is older.
// VARIANT older: in carried `%coming` -> `%load`
// RUN: %variant older %s | not titan check - --kernel tokens 2>&1 | FileCheck %s --check-prefix=OLDER
// OLDER: [lds-counter-missing]
// Stores are not there because a barrier is.
// VARIANT not_stored: drop stored
// RUN: %variant not_stored %s | not titan check - --kernel stores 2>&1 | FileCheck %s --check-prefix=NOT-STORED
// NOT-STORED: [lds-counter-missing]
// The other counter says nothing of them.
// VARIANT other_counter: in stored `lgkmcnt` -> `vmcnt`
// RUN: %variant other_counter %s | not titan check - --kernel stores 2>&1 | FileCheck %s --check-prefix=OTHER-COUNTER
// OTHER-COUNTER: [lds-counter-missing]
// What was read has not arrived when others store again.
// VARIANT not_read: drop met
// RUN: %variant not_read %s | not titan check - --kernel stores 2>&1 | FileCheck %s --check-prefix=NOT-READ
// NOT-READ: [race]
//
// One bug at a time: none that is refused, or fails, is proved.
// RUN: (titan-mutate %s --prove --undecided --schedules 3 || true) | FileCheck %s --check-prefix=MUTANTS
// MUTANTS-NOT: PROVED AND WRONG
// MUTANTS: proved: {{[1-9][0-9]*}}, of which 0 are refused or fail

#mine   = #titan.blocked<elements = [1, 2], lanes = [4, 16], warps = [4, 1]>
#theirs = #titan.blocked<elements = [1, 2], lanes = [16, 4], warps = [1, 4]>
!global = !titan.global<?x32xf16>
!tile   = !titan.shared<64x32xf16>
!ring   = !titan.shared<64x32xf16, slots = 2>
!loads  = !titan.token<counter>
!whole  = tensor<64x32xf16, #theirs>
!own    = tensor<64x32xf16, #mine>
!where  = tensor<64x32xi32, #theirs>
!coming = !titan.inflight<tensor<64x32xf16, #theirs>>

// Rows of Y from `row` on, as far as there are.
func.func private @store(%x: !whole, %Y: !global, %row: index) {
  %m = titan.dim %Y, 0 : !global
  %row32 = arith.index_cast %row : index to i32
  %m32 = arith.index_cast %m : index to i32
  %first = titan.splat %row32 : i32 -> !where
  %rows = titan.splat %m32 : i32 -> !where
  %within = titan.coordinate 0 : !where
  %j = titan.coordinate 1 : !where
  %i = arith.addi %first, %within : !where
  %inside = arith.cmpi slt, %i, %rows : !where
  titan.global.store %x, %Y[%i, %j] mask(%inside : tensor<64x32xi1, #theirs>) : !whole, !global, !where, !where
  return
}

// Four loads of a wave a tile: those of the next one stay under way.
titan.kernel @counts(%X: !global, %Y: !global) warps(4) attributes {titan.target = "gfx942",
  titan.example = {sizes = {M = 200}, X = "Mx32 ints:1", Y = "Mx32"}} launch {
  %one = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %most = arith.constant 1073741824 : index
  %m = titan.dim %X, 0 : !global
  %mY = titan.dim %Y, 0 : !global
  %same = arith.cmpi eq, %m, %mY : index
  titan.require %same, "launch-check", "Y has a row for each row of X"
  %few = arith.cmpi ule, %m, %most : index
  titan.require %few, "launch-check", "at most 2^30 rows: their numbers have 32 bits"
  %n = arith.ceildivui %m, %c64 : index
  titan.launch grid(%one) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%c0 : index] : !ring -> !tile
  %first = titan.buffer_load_lds %X[%c0, %c0], %slot0 : !global, !tile -> !loads
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %c1 : index
    %o = arith.remui %j, %c2 : index
    %t = arith.remui %i, %c2 : index
    %row = arith.muli %i, %c64 : index
    %ahead = arith.muli %j, %c64 : index
    %next = titan.shared.slot %lds[%o : index] : !ring -> !tile // @next
    %this = titan.shared.slot %lds[%t : index] : !ring -> !tile
    %load = titan.buffer_load_lds %X[%ahead, %c0], %next : !global, !tile -> !loads
    titan.s_waitcnt vmcnt(4) // @wait
    titan.s_barrier // @meet
    %coming = titan.ds_read %this : !tile -> !coming
    %x = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !coming -> !whole) // @arrive
    titan.s_barrier // @read
    func.call @store(%x, %Y, %row) : (!whole, !global, index) -> ()
  }
  titan.s_waitcnt vmcnt(0) // @last
  titan.return
}

// The same by the token of the round before.
titan.kernel @tokens(%X: !global, %Y: !global) warps(4) attributes {titan.target = "gfx942",
  titan.example = {sizes = {M = 200}, X = "Mx32 ints:1", Y = "Mx32"}} launch {
  %one = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %most = arith.constant 1073741824 : index
  %m = titan.dim %X, 0 : !global
  %mY = titan.dim %Y, 0 : !global
  %same = arith.cmpi eq, %m, %mY : index
  titan.require %same, "launch-check", "Y has a row for each row of X"
  %few = arith.cmpi ule, %m, %most : index
  titan.require %few, "launch-check", "at most 2^30 rows: their numbers have 32 bits"
  %n = arith.ceildivui %m, %c64 : index
  titan.launch grid(%one) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%c0 : index] : !ring -> !tile
  %first = titan.buffer_load_lds %X[%c0, %c0], %slot0 : !global, !tile -> !loads
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%load = %first) -> (!loads) {
    %j = arith.addi %i, %c1 : index
    %o = arith.remui %j, %c2 : index
    %t = arith.remui %i, %c2 : index
    %row = arith.muli %i, %c64 : index
    %ahead = arith.muli %j, %c64 : index
    %next = titan.shared.slot %lds[%o : index] : !ring -> !tile
    %this = titan.shared.slot %lds[%t : index] : !ring -> !tile
    %coming = titan.buffer_load_lds %X[%ahead, %c0], %next : !global, !tile -> !loads
    titan.counter.wait %load : !loads
    titan.s_barrier
    %read = titan.ds_read %this : !tile -> !coming
    %x = titan.s_waitcnt lgkmcnt(0) arrive(%read : !coming -> !whole)
    titan.s_barrier
    func.call @store(%x, %Y, %row) : (!whole, !global, index) -> ()
    scf.yield %coming : !loads // @carried
  }
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// Waves exchange what they store: half of it by LDS operations, half by plain stores.
titan.kernel @stores(%Y: !global) warps(4) attributes {titan.target = "gfx942",
  titan.example = {sizes = {M = 200}, Y = "Mx32"}} launch {
  %one = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %most = arith.constant 1073741824 : index
  %m = titan.dim %Y, 0 : !global
  %few = arith.cmpi ule, %m, %most : index
  titan.require %few, "launch-check", "at most 2^30 rows: their numbers have 32 bits"
  %n = arith.ceildivui %m, %c64 : index
  titan.launch grid(%one) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  scf.for %i = %c0 to %n step %c1 {
    %row = arith.muli %i, %c64 : index
    %i32 = arith.index_cast %i : index to i32
    %value = arith.sitofp %i32 : i32 to f16
    %tile = titan.splat %value : f16 -> !own
    titan.ds_write %tile, %a : !own, !tile
    titan.shared.store %tile, %b : !own, !tile
    titan.s_waitcnt lgkmcnt(0) // @stored
    titan.s_barrier
    %comingA = titan.ds_read %a : !tile -> !coming
    %comingB = titan.ds_read %b : !tile -> !coming
    %xa, %xb = titan.s_waitcnt lgkmcnt(0) arrive(%comingA, %comingB : !coming, !coming -> !whole, !whole)
    titan.s_barrier // @met
    %x = arith.addf %xa, %xb : !whole
    func.call @store(%x, %Y, %row) : (!whole, !global, index) -> ()
  }
  titan.return
}
