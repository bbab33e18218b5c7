// MM-110: a counter is waited for until at most so many are left, the youngest.
//
// Each wave loads its share of two tiles to LDS, four instructions each; then
// the waves meet, and read one of the tiles.
//
// RUN: titan check %s --kernel the_older
// RUN: not titan check %s --kernel all_too_many 2>&1 | FileCheck %s --check-prefix=ALL-TOO-MANY
// RUN: titan check %s --kernel fewer
// RUN: not titan check %s --kernel the_younger 2>&1 | FileCheck %s --check-prefix=THE-YOUNGER
// RUN: titan check %s --kernel all
// RUN: titan check %s --kernel by_token
// RUN: titan check %s --kernel token_of_the_younger
// RUN: not titan check %s --kernel token_of_the_older 2>&1 | FileCheck %s --check-prefix=TOKEN-OF-THE-OLDER
// RUN: not titan check %s --kernel waited_before 2>&1 | FileCheck %s --check-prefix=WAITED-BEFORE
// RUN: not titan check %s --kernel other_counter 2>&1 | FileCheck %s --check-prefix=OTHER-COUNTER
// RUN: titan check %s --kernel each_wave_waits
// RUN: not titan check %s --kernel one_wave_waits 2>&1 | FileCheck %s --check-prefix=ONE-WAVE-WAITS
// RUN: titan check %s --kernel lgkmcnt_0
// RUN: not titan check %s --kernel lgkmcnt_1 2>&1 | FileCheck %s --check-prefix=LGKMCNT-1
// RUN: not titan check %s --kernel part_of_the_older 2>&1 | FileCheck %s --check-prefix=PART-OF-THE-OLDER

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

// Four may stay under way: the older tile is there.
titan.kernel @the_older(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%c0 : index] : !ring -> !tile
  %slot1 = titan.shared.slot %lds[%c1 : index] : !ring -> !tile
  %load0 = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %load1 = titan.buffer_load_lds %A[%c0, %c32], %slot1 : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(4)
  titan.s_barrier
  %coming = titan.ds_read %slot0 : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// ALL-TOO-MANY: [lds-counter-missing]
// With eight under way none need be there.
titan.kernel @all_too_many(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%c0 : index] : !ring -> !tile
  %slot1 = titan.shared.slot %lds[%c1 : index] : !ring -> !tile
  %load0 = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %load1 = titan.buffer_load_lds %A[%c0, %c32], %slot1 : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(8)
  titan.s_barrier
  %coming = titan.ds_read %slot0 : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// To wait for more than is needed is no mistake.
titan.kernel @fewer(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%c0 : index] : !ring -> !tile
  %slot1 = titan.shared.slot %lds[%c1 : index] : !ring -> !tile
  %load0 = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %load1 = titan.buffer_load_lds %A[%c0, %c32], %slot1 : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(3)
  titan.s_barrier
  %coming = titan.ds_read %slot0 : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// THE-YOUNGER: [lds-counter-missing]
// Operations complete in order: those that stay are the youngest.
titan.kernel @the_younger(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%c0 : index] : !ring -> !tile
  %slot1 = titan.shared.slot %lds[%c1 : index] : !ring -> !tile
  %load0 = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %load1 = titan.buffer_load_lds %A[%c0, %c32], %slot1 : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(4)
  titan.s_barrier
  %coming = titan.ds_read %slot1 : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// None under way: both are there.
titan.kernel @all(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%c0 : index] : !ring -> !tile
  %slot1 = titan.shared.slot %lds[%c1 : index] : !ring -> !tile
  %load0 = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %load1 = titan.buffer_load_lds %A[%c0, %c32], %slot1 : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(0)
  titan.s_barrier
  %coming = titan.ds_read %slot1 : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// A token names the older one; the number is computed.
titan.kernel @by_token(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%c0 : index] : !ring -> !tile
  %slot1 = titan.shared.slot %lds[%c1 : index] : !ring -> !tile
  %load0 = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %load1 = titan.buffer_load_lds %A[%c0, %c32], %slot1 : !global, !tile -> !loads
  titan.counter.wait %load0 : !loads
  titan.s_barrier
  %coming = titan.ds_read %slot0 : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// The younger one covers all that are older.
titan.kernel @token_of_the_younger(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%c0 : index] : !ring -> !tile
  %slot1 = titan.shared.slot %lds[%c1 : index] : !ring -> !tile
  %load0 = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %load1 = titan.buffer_load_lds %A[%c0, %c32], %slot1 : !global, !tile -> !loads
  titan.counter.wait %load1 : !loads
  titan.s_barrier
  %coming = titan.ds_read %slot0 : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// TOKEN-OF-THE-OLDER: [lds-counter-missing]
// The older one covers nothing younger.
titan.kernel @token_of_the_older(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%c0 : index] : !ring -> !tile
  %slot1 = titan.shared.slot %lds[%c1 : index] : !ring -> !tile
  %load0 = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %load1 = titan.buffer_load_lds %A[%c0, %c32], %slot1 : !global, !tile -> !loads
  titan.counter.wait %load0 : !loads
  titan.s_barrier
  %coming = titan.ds_read %slot1 : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// WAITED-BEFORE: [lds-counter-missing]
// A wait knows of what was issued before it.
titan.kernel @waited_before(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%c0 : index] : !ring -> !tile
  %slot1 = titan.shared.slot %lds[%c1 : index] : !ring -> !tile
  titan.s_waitcnt vmcnt(0)
  %load0 = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %load1 = titan.buffer_load_lds %A[%c0, %c32], %slot1 : !global, !tile -> !loads
  titan.s_barrier
  %coming = titan.ds_read %slot0 : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// OTHER-COUNTER: [lds-counter-missing]
// LDS operations have a counter of their own.
titan.kernel @other_counter(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%c0 : index] : !ring -> !tile
  %slot1 = titan.shared.slot %lds[%c1 : index] : !ring -> !tile
  %load0 = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %load1 = titan.buffer_load_lds %A[%c0, %c32], %slot1 : !global, !tile -> !loads
  titan.s_waitcnt lgkmcnt(0)
  titan.s_barrier
  %coming = titan.ds_read %slot0 : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// Counters are per wave: each waits for its own, and all meet.
titan.kernel @each_wave_waits(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(0)
  titan.s_barrier
  %coming = titan.ds_read %lds : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.return
}

// ONE-WAVE-WAITS: [lds-counter-missing]
// One wave's wait says nothing of the others' loads.
titan.kernel @one_wave_waits(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  %warp = titan.warp_id
  %i0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %warp, %i0 : i32
  scf.if %first {
    titan.s_waitcnt vmcnt(0)
  }
  titan.s_barrier
  %coming = titan.ds_read %lds : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// Registers arrive when no LDS operation is under way.
titan.kernel @lgkmcnt_0(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %f1 = arith.constant 1.0 : f16
  %ones = titan.splat %f1 : f16 -> !mine
  titan.ds_write %ones, %lds : !mine, !tile
  %coming = titan.ds_read %lds : !tile -> !comingMine
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingMine -> !mine)
  titan.return
}

// The run takes it for one, that is, the read may be under way.
// RUN: not titan run %s --kernel lgkmcnt_1 --arg A=zeros 2>&1 | FileCheck %s --check-prefix=RUN-LGKMCNT-1
// RUN-LGKMCNT-1: [inflight-use]
// LGKMCNT-1: [undecided]
// How many instructions a read is, the checker does not know: another number than 0 is not decided.
titan.kernel @lgkmcnt_1(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %f1 = arith.constant 1.0 : f16
  %ones = titan.splat %f1 : f16 -> !mine
  titan.ds_write %ones, %lds : !mine, !tile
  %coming = titan.ds_read %lds : !tile -> !comingMine
  %got = titan.s_waitcnt lgkmcnt(1) arrive(%coming : !comingMine -> !mine)
  titan.return
}

// PART-OF-THE-OLDER: [lds-counter-missing]
// One of the four instructions of the older load is under way, and with it some
// of its tile.
titan.kernel @part_of_the_older(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%c0 : index] : !ring -> !tile
  %slot1 = titan.shared.slot %lds[%c1 : index] : !ring -> !tile
  %load0 = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %load1 = titan.buffer_load_lds %A[%c0, %c32], %slot1 : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(5)
  titan.s_barrier
  %coming = titan.ds_read %slot0 : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_waitcnt vmcnt(0)
  titan.return
}
