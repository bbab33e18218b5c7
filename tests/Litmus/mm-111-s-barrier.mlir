// MM-111: s_barrier waits for no memory: each wave waits for its own, and then they meet.
//
// Waves write a tile by rows and read it by columns, so that each reads what
// others wrote.
//
// RUN: titan check %s --kernel waited
// RUN: not titan check %s --kernel bare_barrier 2>&1 | FileCheck %s --check-prefix=BARE-BARRIER
// RUN: not titan check %s --kernel no_barrier 2>&1 | FileCheck %s --check-prefix=NO-BARRIER
// RUN: not titan check %s --kernel waited_behind 2>&1 | FileCheck %s --check-prefix=WAITED-BEHIND
// RUN: not titan check %s --kernel other_counter 2>&1 | FileCheck %s --check-prefix=OTHER-COUNTER
// RUN: titan check %s --kernel loads_waited
// RUN: not titan check %s --kernel loads_other_counter 2>&1 | FileCheck %s --check-prefix=LOADS-OTHER-COUNTER
// RUN: not titan check %s --kernel loads_bare_barrier 2>&1 | FileCheck %s --check-prefix=LOADS-BARE-BARRIER
// RUN: titan check %s --kernel reads_waited
// RUN: not titan check %s --kernel reads_not_waited 2>&1 | FileCheck %s --check-prefix=READS-NOT-WAITED
// RUN: not titan check %s --kernel reads_no_barrier 2>&1 | FileCheck %s --check-prefix=READS-NO-BARRIER
// RUN: titan check %s --kernel load_over_reads
// RUN: not titan check %s --kernel load_over_reads_early 2>&1 | FileCheck %s --check-prefix=LOAD-OVER-READS-EARLY
// RUN: not titan check %s --kernel plain_bare_barrier 2>&1 | FileCheck %s --check-prefix=PLAIN-BARE-BARRIER
// RUN: titan check %s --kernel plain_waited
// RUN: not titan check %s --kernel plain_other_counter 2>&1 | FileCheck %s --check-prefix=PLAIN-OTHER-COUNTER
// RUN: not titan check %s --kernel plain_not_all 2>&1 | FileCheck %s --check-prefix=PLAIN-NOT-ALL
// RUN: not titan check %s --kernel plain_before_load 2>&1 | FileCheck %s --check-prefix=PLAIN-BEFORE-LOAD

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

// Each wave waits for its writes, then the barrier.
titan.kernel @waited(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.ds_write %ones, %lds : !mine, !tile
  titan.s_waitcnt lgkmcnt(0)
  titan.s_barrier
  %coming = titan.ds_read %lds : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.return
}

// BARE-BARRIER: [lds-counter-missing]
// The barrier waits for none of them.
titan.kernel @bare_barrier(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.ds_write %ones, %lds : !mine, !tile
  titan.s_barrier
  %coming = titan.ds_read %lds : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.return
}

// NO-BARRIER: [race]
// To wait for the own ones says nothing of the others.
titan.kernel @no_barrier(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.ds_write %ones, %lds : !mine, !tile
  titan.s_waitcnt lgkmcnt(0)
  %coming = titan.ds_read %lds : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.return
}

// WAITED-BEHIND: [lds-counter-missing]
// The wait stands behind the barrier.
titan.kernel @waited_behind(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.ds_write %ones, %lds : !mine, !tile
  titan.s_barrier
  titan.s_waitcnt lgkmcnt(0)
  %coming = titan.ds_read %lds : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.return
}

// OTHER-COUNTER: [lds-counter-missing]
// vmcnt counts no LDS operation.
titan.kernel @other_counter(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.ds_write %ones, %lds : !mine, !tile
  titan.s_waitcnt vmcnt(0)
  titan.s_barrier
  %coming = titan.ds_read %lds : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.return
}

// Loads to LDS count in vmcnt.
titan.kernel @loads_waited(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
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

// LOADS-OTHER-COUNTER: [lds-counter-missing]
// And not in lgkmcnt.
titan.kernel @loads_other_counter(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt lgkmcnt(0)
  titan.s_barrier
  %coming = titan.ds_read %lds : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// LOADS-BARE-BARRIER: [lds-counter-missing]
// The barrier does not wait for them, either.
titan.kernel @loads_bare_barrier(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_barrier
  %coming = titan.ds_read %lds : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// Before a slot is overwritten its readers have their registers, and meet.
titan.kernel @reads_waited(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.ds_write %ones, %lds : !mine, !tile
  titan.s_waitcnt lgkmcnt(0)
  titan.s_barrier
  %coming = titan.ds_read %lds : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_barrier
  titan.ds_write %ones, %lds : !mine, !tile
  titan.s_waitcnt lgkmcnt(0)
  titan.return
}

// READS-NOT-WAITED: [lds-counter-missing]
// Other waves' reads may still be under way at the barrier.
titan.kernel @reads_not_waited(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.ds_write %ones, %lds : !mine, !tile
  titan.s_waitcnt lgkmcnt(0)
  titan.s_barrier
  %coming = titan.ds_read %lds : !tile -> !comingTheirs
  titan.s_barrier
  titan.ds_write %ones, %lds : !mine, !tile
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.return
}

// READS-NO-BARRIER: [race]
// Nothing orders the waves.
titan.kernel @reads_no_barrier(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.ds_write %ones, %lds : !mine, !tile
  titan.s_waitcnt lgkmcnt(0)
  titan.s_barrier
  %coming = titan.ds_read %lds : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.ds_write %ones, %lds : !mine, !tile
  titan.s_waitcnt lgkmcnt(0)
  titan.return
}

// The same where a load to LDS overwrites the slot.
titan.kernel @load_over_reads(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
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
  %coming = titan.ds_read %lds : !tile -> !comingTheirs
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_barrier
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// LOAD-OVER-READS-EARLY: [lds-counter-missing]
// The wait comes too late.
titan.kernel @load_over_reads_early(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
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
  %coming = titan.ds_read %lds : !tile -> !comingTheirs
  titan.s_barrier
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs)
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// PLAIN-BARE-BARRIER: [lds-counter-missing]
// Stores that name no counter count, too.
titan.kernel @plain_bare_barrier() warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.shared.store %ones, %lds : !mine, !tile
  titan.s_barrier
  %x = titan.shared.load %lds : !tile -> !theirs
  titan.return
}

// They are waited for in the same way.
titan.kernel @plain_waited() warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.shared.store %ones, %lds : !mine, !tile
  titan.s_waitcnt lgkmcnt(0)
  titan.s_barrier
  %x = titan.shared.load %lds : !tile -> !theirs
  titan.return
}

// PLAIN-OTHER-COUNTER: [lds-counter-missing]
// Stores to LDS are not vector memory operations.
titan.kernel @plain_other_counter() warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.shared.store %ones, %lds : !mine, !tile
  titan.s_waitcnt vmcnt(0)
  titan.s_barrier
  %x = titan.shared.load %lds : !tile -> !theirs
  titan.return
}

// PLAIN-NOT-ALL: [lds-counter-missing]
// The wait stands before the last of them.
titan.kernel @plain_not_all() warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.shared.store %ones, %lds : !mine, !tile
  titan.s_waitcnt lgkmcnt(0)
  titan.shared.store %ones, %lds : !mine, !tile
  titan.s_barrier
  %x = titan.shared.load %lds : !tile -> !theirs
  titan.return
}

// PLAIN-BEFORE-LOAD: [lds-counter-missing]
// A load to LDS over what its own wave stores waits for the store (MM-112).
titan.kernel @plain_before_load(%A: !global) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  titan.shared.store %ones, %lds : !mine, !tile
  %load = titan.buffer_load_lds %A[%c0, %c0], %lds : !global, !tile -> !loads
  titan.s_waitcnt vmcnt(0)
  titan.return
}
