// MM-60: an mbarrier tells of a thread's cp.async, and of nothing else that the thread has done.
//
// Two warps copy a tile in two halves, and all threads read it.
//
// RUN: titan check %s
// RUN: titan run %s --shape A=32x64 --arg A=ints:1 --schedule lazy
// Pending arrivals of its own, which the count knows nothing of: then the threads arrive, too.
// VARIANT increments: replace second with titan.cp_async.mbarrier_arrive %full : !titan.mbarrier
// VARIANT increments: after second add titan.mbarrier.arrive %full : !titan.mbarrier
// RUN: %variant increments %s | titan check -
// RUN: %variant increments %s | titan run - --shape A=32x64 --arg A=ints:1
// Nobody arrives: the phase never ends.
// VARIANT nobody_arrives: replace second with titan.cp_async.mbarrier_arrive %full : !titan.mbarrier
// RUN: %variant nobody_arrives %s | not titan check - 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// RUN: %variant nobody_arrives %s | not titan run - --shape A=32x64 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// DEADLOCK: [{{deadlock|barrier-arrivals|phase-ambiguous}}]
// The arrival may end the phase before it is told of the copies.
// VARIANT arrives_first: replace second with titan.mbarrier.arrive %full : !titan.mbarrier
// VARIANT arrives_first: after second add titan.cp_async.mbarrier_arrive %full : !titan.mbarrier
// RUN: %variant arrives_first %s | not titan check - 2>&1 | FileCheck %s --check-prefix=PHASE
// RUN: %variant arrives_first %s | not titan run - --shape A=32x64 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=PHASE
// PHASE: [{{phase-ambiguous|barrier-unobserved|completion-not-observed}}]
// Counted, and not told: one arrival too many.
// VARIANT counted_too: after second add titan.mbarrier.arrive %full : !titan.mbarrier
// RUN: %variant counted_too %s | not titan check - 2>&1 | FileCheck %s --check-prefix=ARRIVALS
// RUN: %variant counted_too %s | not titan run - --shape A=32x64 --arg A=ints:1 --schedule lazy 2>&1 | FileCheck %s --check-prefix=PHASE-PASSED
// ARRIVALS: [{{barrier-arrivals|phase-ambiguous}}]
// PHASE-PASSED: [{{phase-ambiguous|exit-with-work-outstanding}}]
// The barrier tells of copies before, not of those behind.
// VARIANT one_behind: drop second
// VARIANT one_behind: after first add titan.cp_async.mbarrier_arrive %full noinc : !titan.mbarrier
// RUN: %variant one_behind %s | not titan check - 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: %variant one_behind %s | not titan run - --shape A=32x64 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=BEHIND
// BEHIND: [{{completion-not-observed|token-not-discharged}}]
// A wait for groups tells each thread of its own copies alone.
// VARIANT group_instead: replace second with %copies = titan.cp_async.commit : !titan.token<async>
// VARIANT group_instead: replace wait with titan.cp_async.wait %copies : !titan.token<async>
// RUN: %variant group_instead %s | not titan check - 2>&1 | FileCheck %s --check-prefix=COMPLETION
// RUN: %variant group_instead %s | not titan run - --shape A=32x64 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=COMPLETION
// COMPLETION: [completion-not-observed]
// ... and then a barrier of the CTA the others.
// VARIANT group_and_barrier: as group_instead
// VARIANT group_and_barrier: after wait add titan.cta_sync
// RUN: %variant group_and_barrier %s | titan check -
// RUN: %variant group_and_barrier %s | titan run - --shape A=32x64 --arg A=ints:1
// An ordinary store is not released by the arrival.
// VARIANT stored: drop upper
// VARIANT stored: after first add titan.shared.store %v, %above : !half_reg, !half
// RUN: %variant stored %s | not titan check - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: %variant stored %s | not titan run - --shape A=32x64 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: [race]
// Nobody waits.
// VARIANT not_waited: drop wait
// RUN: %variant not_waited %s | not titan check - 2>&1 | FileCheck %s --check-prefix=COMPLETION
// RUN: %variant not_waited %s | not titan run - --shape A=32x64 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=COMPLETION
// Nobody reads either: the copies may outlive the kernel.
// VARIANT never_looked_at: as not_waited
// VARIANT never_looked_at: drop read
// RUN: %variant never_looked_at %s | not titan check - 2>&1 | FileCheck %s --check-prefix=EXIT
// RUN: %variant never_looked_at %s | not titan run - --shape A=32x64 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=EXIT
// EXIT: [exit-with-work-outstanding]

#half = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [2, 1]>
#columns = #titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [1, 2]>
!matrix = !titan.global<?x?xbf16>
!tile = !titan.shared<32x64xbf16>
!half = !titan.shared<16x64xbf16>
!half_reg = tensor<16x64xbf16, #half>
!index = tensor<16x64xi32, #half>
!reg = tensor<32x64xbf16, #columns>

titan.kernel @tracked(%A: !matrix) warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i16 = arith.constant 16 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect warp(0) {
    titan.mbarrier.init %full count(64) : !titan.mbarrier
  }
  titan.cta_sync
  %below = titan.shared.view %tile [0, 0] : !tile -> !half
  %above = titan.shared.view %tile [16, 0] : !tile -> !half
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  %down = titan.splat %i16 : i32 -> !index
  %lower = arith.addi %i, %down : !index
  %v = titan.global.load %A[%i, %j] : !matrix, !index, !index -> !half_reg
  titan.cp_async %A[%i, %j], %below bytes(16) : !matrix, !index, !index -> !half // @first
  titan.cp_async %A[%lower, %j], %above bytes(8) : !matrix, !index, !index -> !half // @upper
  titan.cp_async.mbarrier_arrive %full noinc : !titan.mbarrier // @second
  titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier // @wait
  %x = titan.shared.load %tile : !tile -> !reg // @read
  titan.return
}
