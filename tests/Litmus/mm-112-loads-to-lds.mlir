// MM-47, MM-81, MM-112: loads to LDS are not ordered with LDS operations, not even of their own wave.
//
// Every wave keeps to its own share of the tile.
//
// RUN: titan check %s --kernel waited
// RUN: not titan check %s --kernel not_waited 2>&1 | FileCheck %s --check-prefix=NOT-WAITED
// RUN: not titan check %s --kernel barrier_instead 2>&1 | FileCheck %s --check-prefix=BARRIER-INSTEAD
// RUN: not titan check %s --kernel lgkmcnt_instead 2>&1 | FileCheck %s --check-prefix=LGKMCNT-INSTEAD
// RUN: titan check %s --kernel elsewhere
// RUN: titan check %s --kernel read_then_load
// RUN: not titan check %s --kernel load_too_early 2>&1 | FileCheck %s --check-prefix=LOAD-TOO-EARLY
// RUN: titan check %s --kernel write_then_load
// RUN: not titan check %s --kernel write_not_waited 2>&1 | FileCheck %s --check-prefix=WRITE-NOT-WAITED
// RUN: titan check %s --kernel load_then_write
// RUN: not titan check %s --kernel load_not_waited 2>&1 | FileCheck %s --check-prefix=LOAD-NOT-WAITED
// RUN: titan check %s --kernel lds_in_order
// RUN: not titan check %s --kernel never_waited 2>&1 | FileCheck %s --check-prefix=NEVER-WAITED
// RUN: titan check %s --kernel no_barrier
// RUN: titan check %s --kernel by_token
// RUN: not titan check %s --kernel no_barrier_for_others 2>&1 | FileCheck %s --check-prefix=NO-BARRIER-FOR-OTHERS
// RUN: not titan check %s --kernel waited_behind 2>&1 | FileCheck %s --check-prefix=WAITED-BEHIND
// RUN: titan check %s --kernel write_no_barrier

#rows   = #titan.blocked<elements = [1, 2], lanes = [4, 16], warps = [4, 1]>
#columns = #titan.blocked<elements = [1, 2], lanes = [16, 4], warps = [1, 4]>
!global = !titan.global<64x64xf16>
!tile   = !titan.shared<64x32xf16>
!ring   = !titan.shared<64x32xf16, slots = 2>
!loads  = !titan.token<counter>
!mine   = tensor<64x32xf16, #rows>
!theirs = tensor<64x32xf16, #columns>
!comingMine = !titan.inflight<tensor<64x32xf16, #rows>>
!comingTheirs = !titan.inflight<tensor<64x32xf16, #columns>>

// The wave waits for its loads, and reads what they brought.
titan.kernel @waited(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(0)
  titan.s_barrier
  %coming = titan.ds_read %lds : !tile -> !comingMine
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingMine -> !mine)
  titan.return
}

// NOT-WAITED: [lds-counter-missing]
// It does not wait.
titan.kernel @not_waited(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  %coming = titan.ds_read %lds : !tile -> !comingMine
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingMine -> !mine)
  titan.s_barrier
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// BARRIER-INSTEAD: [lds-counter-missing]
// A barrier is no wait.
titan.kernel @barrier_instead(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_barrier
  %coming = titan.ds_read %lds : !tile -> !comingMine
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingMine -> !mine)
  titan.s_barrier
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// LGKMCNT-INSTEAD: [lds-counter-missing]
// A wait for LDS operations is none for loads.
titan.kernel @lgkmcnt_instead(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt lgkmcnt(0)
  titan.s_barrier
  %coming = titan.ds_read %lds : !tile -> !comingMine
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingMine -> !mine)
  titan.s_barrier
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// LDS operations beside the load need no wait.
titan.kernel @elsewhere(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  %f1 = arith.constant 1.0 : f16
  %ones = titan.splat %f1 : f16 -> !mine
  %other = titan.shared.alloc : !tile
  titan.ds_write %ones, %other : !mine, !tile
  %coming = titan.ds_read %other : !tile -> !comingMine
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingMine -> !mine)
  titan.s_barrier
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// The other way: what was read has arrived before the next load.
titan.kernel @read_then_load(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(0)
  titan.s_barrier
  %coming = titan.ds_read %lds : !tile -> !comingMine
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingMine -> !mine)
  titan.s_barrier
  %again = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// LOAD-TOO-EARLY: [lds-counter-missing]
// The load may overwrite what the wave still reads.
titan.kernel @load_too_early(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(0)
  titan.s_barrier
  %coming = titan.ds_read %lds : !tile -> !comingMine
  titan.s_barrier
  %again = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(0)
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingMine -> !mine)
  titan.return
}

// A write is over before the load over it.
titan.kernel @write_then_load(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.ds_write %ones, %lds : !mine, !tile
  titan.s_waitcnt lgkmcnt(0)
  titan.s_barrier
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// WRITE-NOT-WAITED: [lds-counter-missing]
// Which of the two comes last is open.
titan.kernel @write_not_waited(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.ds_write %ones, %lds : !mine, !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// A load is over before the write over it.
titan.kernel @load_then_write(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(0)
  titan.s_barrier
  titan.ds_write %ones, %lds : !mine, !tile
  titan.s_waitcnt lgkmcnt(0)
  titan.return
}

// LOAD-NOT-WAITED: [lds-counter-missing]
// Again the order is open.
titan.kernel @load_not_waited(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.ds_write %ones, %lds : !mine, !tile
  titan.s_waitcnt lgkmcnt(0)
  titan.s_barrier
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// LDS operations of one wave keep their order, without a wait.
titan.kernel @lds_in_order(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.ds_write %ones, %lds : !mine, !tile
  %coming = titan.ds_read %lds : !tile -> !comingMine
  titan.ds_write %ones, %lds : !mine, !tile
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingMine -> !mine)
  titan.return
}

// NEVER-WAITED: [{{exit-with-work-outstanding|token-not-discharged}}]
// The workgroup ends under its own loads.
titan.kernel @never_waited(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.return
}

// A wave needs no barrier for what it has loaded itself, whichever of its lanes
// reads it.
titan.kernel @no_barrier(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(0)
  %coming = titan.ds_read %lds : !tile -> !comingMine
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingMine -> !mine)
  titan.return
}

// Nor does it behind a wait for the token.
titan.kernel @by_token(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.counter.wait %load : !loads
  %coming = titan.ds_read %lds : !tile -> !comingMine
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingMine -> !mine)
  titan.return
}

// NO-BARRIER-FOR-OTHERS: [race]
// What other waves have loaded it may not read.
titan.kernel @no_barrier_for_others(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(0)
  %coming = titan.ds_read %lds : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.return
}

// WAITED-BEHIND: [lds-counter-missing]
// A wait behind the read comes too late.
titan.kernel @waited_behind(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  %coming = titan.ds_read %lds : !tile -> !comingMine
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingMine -> !mine)
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// Nor between its writes to LDS, waited for, and its loads.
titan.kernel @write_no_barrier(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f16
  %ones = titan.splat %f1 : f16 -> !mine
  %lds = titan.shared.alloc : !tile
  titan.ds_write %ones, %lds : !mine, !tile
  titan.s_waitcnt lgkmcnt(0)
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(0)
  %coming = titan.ds_read %lds : !tile -> !comingMine
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingMine -> !mine)
  titan.return
}
