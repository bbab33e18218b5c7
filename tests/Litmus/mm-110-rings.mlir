// MM-81, MM-110, MM-111: a ring of two slots: one is loaded while the other is read.
//
// Each round loads the next tile, waits for its own, meets, reads, and meets.
//
// RUN: titan check %s --kernel ring
// RUN: titan check %s --kernel by_token
// RUN: titan check %s --kernel token_of_the_next
// RUN: not titan check %s --kernel too_many 2>&1 | FileCheck %s --check-prefix=TOO-MANY
// RUN: not titan check %s --kernel one_wave_waits 2>&1 | FileCheck %s --check-prefix=ONE-WAVE-WAITS
// RUN: not titan check %s --kernel no_second_barrier 2>&1 | FileCheck %s --check-prefix=NO-SECOND-BARRIER
// RUN: not titan check %s --kernel reads_not_waited 2>&1 | FileCheck %s --check-prefix=READS-NOT-WAITED
// RUN: not titan check %s --kernel no_last_wait 2>&1 | FileCheck %s --check-prefix=NO-LAST-WAIT
// RUN: not titan check %s --kernel waited_in_the_loop 2>&1 | FileCheck %s --check-prefix=WAITED-IN-THE-LOOP

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

// The next tile's four loads stay under way.
titan.kernel @ring(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%i0 : i32] : !ring -> !tile
  %first = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%load = %first) -> (!loads) : i32 {
    %j = arith.addi %i, %i1 : i32
    %o = arith.remui %j, %i2 : i32
    %t = arith.remui %i, %i2 : i32
    %next = titan.shared.slot %lds[%o : i32] : !ring -> !tile
    %this = titan.shared.slot %lds[%t : i32] : !ring -> !tile
    %coming1 = titan.buffer_load_lds %A[%c0, %c0], %next : !global, !tile -> !loads
    titan.s_waitcnt vmcnt(4)
    titan.s_barrier
    %f = titan.ds_read %this : !tile -> !comingTheirs
    %g = titan.s_waitcnt lgkmcnt(0) arrive(%f : !comingTheirs -> !theirs)
    titan.s_barrier
    scf.yield %coming1 : !loads
  }
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// The token of the round before.
titan.kernel @by_token(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%i0 : i32] : !ring -> !tile
  %first = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%load = %first) -> (!loads) : i32 {
    %j = arith.addi %i, %i1 : i32
    %o = arith.remui %j, %i2 : i32
    %t = arith.remui %i, %i2 : i32
    %next = titan.shared.slot %lds[%o : i32] : !ring -> !tile
    %this = titan.shared.slot %lds[%t : i32] : !ring -> !tile
    %coming1 = titan.buffer_load_lds %A[%c0, %c0], %next : !global, !tile -> !loads
    titan.counter.wait %load : !loads
    titan.s_barrier
    %f = titan.ds_read %this : !tile -> !comingTheirs
    %g = titan.s_waitcnt lgkmcnt(0) arrive(%f : !comingTheirs -> !theirs)
    titan.s_barrier
    scf.yield %coming1 : !loads
  }
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// To wait for the next tile is too long, and right.
titan.kernel @token_of_the_next(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%i0 : i32] : !ring -> !tile
  %first = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%load = %first) -> (!loads) : i32 {
    %j = arith.addi %i, %i1 : i32
    %o = arith.remui %j, %i2 : i32
    %t = arith.remui %i, %i2 : i32
    %next = titan.shared.slot %lds[%o : i32] : !ring -> !tile
    %this = titan.shared.slot %lds[%t : i32] : !ring -> !tile
    %coming1 = titan.buffer_load_lds %A[%c0, %c0], %next : !global, !tile -> !loads
    titan.counter.wait %coming1 : !loads
    titan.s_barrier
    %f = titan.ds_read %this : !tile -> !comingTheirs
    %g = titan.s_waitcnt lgkmcnt(0) arrive(%f : !comingTheirs -> !theirs)
    titan.s_barrier
    scf.yield %coming1 : !loads
  }
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// TOO-MANY: [lds-counter-missing]
// Both tiles' loads may be under way.
titan.kernel @too_many(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%i0 : i32] : !ring -> !tile
  %first = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%load = %first) -> (!loads) : i32 {
    %j = arith.addi %i, %i1 : i32
    %o = arith.remui %j, %i2 : i32
    %t = arith.remui %i, %i2 : i32
    %next = titan.shared.slot %lds[%o : i32] : !ring -> !tile
    %this = titan.shared.slot %lds[%t : i32] : !ring -> !tile
    %coming1 = titan.buffer_load_lds %A[%c0, %c0], %next : !global, !tile -> !loads
    titan.s_waitcnt vmcnt(8)
    titan.s_barrier
    %f = titan.ds_read %this : !tile -> !comingTheirs
    %g = titan.s_waitcnt lgkmcnt(0) arrive(%f : !comingTheirs -> !theirs)
    titan.s_barrier
    scf.yield %coming1 : !loads
  }
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// ONE-WAVE-WAITS: [lds-counter-missing]
// The other waves' loads may be.
titan.kernel @one_wave_waits(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%i0 : i32] : !ring -> !tile
  %first = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%load = %first) -> (!loads) : i32 {
    %j = arith.addi %i, %i1 : i32
    %o = arith.remui %j, %i2 : i32
    %t = arith.remui %i, %i2 : i32
    %next = titan.shared.slot %lds[%o : i32] : !ring -> !tile
    %this = titan.shared.slot %lds[%t : i32] : !ring -> !tile
    %coming1 = titan.buffer_load_lds %A[%c0, %c0], %next : !global, !tile -> !loads
    %wave = titan.warp_id
    %is0 = arith.cmpi eq, %wave, %i0 : i32
    scf.if %is0 {
      titan.s_waitcnt vmcnt(4)
    } else {
      titan.s_waitcnt vmcnt(8)
    }
    titan.s_barrier
    %f = titan.ds_read %this : !tile -> !comingTheirs
    %g = titan.s_waitcnt lgkmcnt(0) arrive(%f : !comingTheirs -> !theirs)
    titan.s_barrier
    scf.yield %coming1 : !loads
  }
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// NO-SECOND-BARRIER: [{{race|lds-counter-missing}}]
// The next round loads over what another wave still reads.
titan.kernel @no_second_barrier(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%i0 : i32] : !ring -> !tile
  %first = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%load = %first) -> (!loads) : i32 {
    %j = arith.addi %i, %i1 : i32
    %o = arith.remui %j, %i2 : i32
    %t = arith.remui %i, %i2 : i32
    %next = titan.shared.slot %lds[%o : i32] : !ring -> !tile
    %this = titan.shared.slot %lds[%t : i32] : !ring -> !tile
    %coming1 = titan.buffer_load_lds %A[%c0, %c0], %next : !global, !tile -> !loads
    titan.s_waitcnt vmcnt(4)
    titan.s_barrier
    %f = titan.ds_read %this : !tile -> !comingTheirs
    %g = titan.s_waitcnt lgkmcnt(0) arrive(%f : !comingTheirs -> !theirs)
    scf.yield %coming1 : !loads
  }
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// READS-NOT-WAITED: [{{lds-counter-missing|inflight-use}}]
// The same, within the barrier.
titan.kernel @reads_not_waited(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%i0 : i32] : !ring -> !tile
  %first = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%load = %first) -> (!loads) : i32 {
    %j = arith.addi %i, %i1 : i32
    %o = arith.remui %j, %i2 : i32
    %t = arith.remui %i, %i2 : i32
    %next = titan.shared.slot %lds[%o : i32] : !ring -> !tile
    %this = titan.shared.slot %lds[%t : i32] : !ring -> !tile
    %coming1 = titan.buffer_load_lds %A[%c0, %c0], %next : !global, !tile -> !loads
    titan.s_waitcnt vmcnt(4)
    titan.s_barrier
    %f = titan.ds_read %this : !tile -> !comingTheirs
    titan.s_barrier
    scf.yield %coming1 : !loads
  }
  titan.s_waitcnt vmcnt(0)
  titan.return
}

// NO-LAST-WAIT: [{{exit-with-work-outstanding|token-not-discharged}}]
// The last round's loads are under way at the end.
titan.kernel @no_last_wait(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%i0 : i32] : !ring -> !tile
  %first = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%load = %first) -> (!loads) : i32 {
    %j = arith.addi %i, %i1 : i32
    %o = arith.remui %j, %i2 : i32
    %t = arith.remui %i, %i2 : i32
    %next = titan.shared.slot %lds[%o : i32] : !ring -> !tile
    %this = titan.shared.slot %lds[%t : i32] : !ring -> !tile
    %coming1 = titan.buffer_load_lds %A[%c0, %c0], %next : !global, !tile -> !loads
    titan.s_waitcnt vmcnt(4)
    titan.s_barrier
    %f = titan.ds_read %this : !tile -> !comingTheirs
    %g = titan.s_waitcnt lgkmcnt(0) arrive(%f : !comingTheirs -> !theirs)
    titan.s_barrier
    scf.yield %coming1 : !loads
  }
  titan.return
}

// WAITED-IN-THE-LOOP: [{{exit-with-work-outstanding|token-not-discharged}}]
// With no round at all, so is the first.
titan.kernel @waited_in_the_loop(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %lds = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %lds[%i0 : i32] : !ring -> !tile
  %first = titan.buffer_load_lds %A[%c0, %c0], %slot0 : !global, !tile -> !loads
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%load = %first) -> (!loads) : i32 {
    %j = arith.addi %i, %i1 : i32
    %o = arith.remui %j, %i2 : i32
    %t = arith.remui %i, %i2 : i32
    %next = titan.shared.slot %lds[%o : i32] : !ring -> !tile
    %this = titan.shared.slot %lds[%t : i32] : !ring -> !tile
    %coming1 = titan.buffer_load_lds %A[%c0, %c0], %next : !global, !tile -> !loads
    titan.s_waitcnt vmcnt(4)
    titan.s_barrier
    %f = titan.ds_read %this : !tile -> !comingTheirs
    %g = titan.s_waitcnt lgkmcnt(0) arrive(%f : !comingTheirs -> !theirs)
    titan.s_barrier
    titan.s_waitcnt vmcnt(0)
    scf.yield %coming1 : !loads
  }
  titan.return
}
