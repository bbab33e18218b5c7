// MM-37, MM-65, MM-66, MM-68: groups of cp.async are each thread's own, and complete in order.
//
// A warp copies tiles into a ring of two slots; each thread reads what it has copied itself.
//
// RUN: titan check %s
// RUN: titan run %s --shape A=16x128 --arg A=ints:1 --schedule lazy
// By number: one group stays pending.
// VARIANT by_number: replace wait with titan.cp_async.wait_group 1
// RUN: %variant by_number %s | titan check -
// RUN: %variant by_number %s | titan run - --shape A=16x128 --arg A=ints:1
// The number leaves the group pending that is read.
// VARIANT one_too_many: replace wait with titan.cp_async.wait_group 2
// RUN: %variant one_too_many %s | not titan check - 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: %variant one_too_many %s | not titan run - --shape A=16x128 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: [group-wait-count]
// Nobody waits.
// VARIANT no_wait: drop wait
// RUN: %variant no_wait %s | not titan check - 2>&1 | FileCheck %s --check-prefix=COMPLETION
// RUN: %variant no_wait %s | not titan run - --shape A=16x128 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=COMPLETION
// COMPLETION: [completion-not-observed]
// A slot is filled again while its copy is under way.
// VARIANT same_slot: replace slot with %to1 = titan.shared.slot %ring[%i0 : i32] : !ring -> !tile
// VARIANT same_slot: drop read
// VARIANT same_slot: drop wait
// RUN: %variant same_slot %s | not titan check - 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: %variant same_slot %s | not titan run - --shape A=16x128 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=UNORDERED
// UNORDERED: [async-unordered]
// Never in a group, and no barrier tells.
// VARIANT never_committed: drop commit
// RUN: %variant never_committed %s | not titan check - 2>&1 | FileCheck %s --check-prefix=TOKEN
// RUN: %variant never_committed %s | not titan run - --shape A=16x128 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=TOKEN
// TOKEN: [token-not-discharged]
// Not waited for at the end.
// VARIANT not_waited: drop last
// VARIANT not_waited: drop last_read
// RUN: %variant not_waited %s | not titan check - 2>&1 | FileCheck %s --check-prefix=TOKEN
// RUN: %variant not_waited %s | not titan run - --shape A=16x128 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=TOKEN
// Another thread's part, without a barrier and with one.
// VARIANT others_part: replace read with %x0 = titan.shared.load %to0 : !tile -> tensor<16x64xbf16, #columns>
// RUN: %variant others_part %s | not titan check - 2>&1 | FileCheck %s --check-prefix=COMPLETION
// RUN: %variant others_part %s | not titan run - --shape A=16x128 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=COMPLETION
// VARIANT others_part_known: as others_part
// VARIANT others_part_known: after wait add titan.syncwarp
// RUN: %variant others_part_known %s | titan check -
// RUN: %variant others_part_known %s | titan run - --shape A=16x128 --arg A=ints:1
// A slot that other threads have read is filled again behind a barrier.
// VARIANT refilled: as others_part_known
// VARIANT refilled: after read add titan.cp_async %A[%i, %j], %to0 bytes(4) : !matrix, !index, !index -> !tile
// RUN: %variant refilled %s | not titan check - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: %variant refilled %s | not titan run - --shape A=16x128 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: [race]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
#columns = #titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [1, 1]>
!matrix = !titan.global<?x?xbf16>
!ring = !titan.shared<16x64xbf16, slots = 2>
!tile = !titan.shared<16x64xbf16>
!index = tensor<16x64xi32, #rows>
!reg = tensor<16x64xbf16, #rows>

titan.kernel @own_part(%A: !matrix) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i64 = arith.constant 64 : i32
  %ring = titan.shared.alloc : !ring
  %to0 = titan.shared.slot %ring[%i0 : i32] : !ring -> !tile
  %to1 = titan.shared.slot %ring[%i1 : i32] : !ring -> !tile // @slot
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  %step = titan.splat %i64 : i32 -> !index
  %next = arith.addi %j, %step : !index
  titan.cp_async %A[%i, %j], %to0 bytes(16) cg : !matrix, !index, !index -> !tile
  %g0 = titan.cp_async.commit : !titan.token<async>
  titan.cp_async %A[%i, %next], %to1 bytes(8) : !matrix, !index, !index -> !tile
  titan.cp_async.commit : !titan.token<async> // @commit
  titan.cp_async.wait %g0 : !titan.token<async> // @wait
  %x0 = titan.shared.load %to0 : !tile -> !reg // @read
  titan.cp_async.wait_group 0 // @last
  %x1 = titan.shared.load %to1 : !tile -> !reg // @last_read
  titan.return
}
