// Copies of all threads, past their registers: in the thread's group, or on a barrier. Tails become zero.
//
// RUN: titan explain copy %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: kernel @group, line [[#]]: titan.copy_async %A to %tile; all threads of the CTA, 4 warps
// EXPLAIN: bulk no: single_thread: expected single thread (titan.elect), and all threads of the CTA, 4 warps execute it
// EXPLAIN-NEXT: cp_async 4 instructions of 2048 bytes, 128 threads, no fences; priority 0 <- chosen
// EXPLAIN: kernel @phase
// EXPLAIN: cp_async 16 instructions of 512 bytes, 128 threads, no fences; priority 0 <- chosen
// RUN: for k in group phase; do titan check %s --kernel $k || exit 1; done | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED-COUNT-2: accepted: 0 errors, 0 warnings
// RUN: for k in group phase; do for s in eager lazy random:1; do for h in on off; do titan run %s --kernel $k --schedule $s --hazards $h || exit 1; done; done; done | FileCheck %s --check-prefix=EQUAL
// EQUAL-COUNT-12: elements equal to the reference, bit for bit
// RUN: titan compile --emit=ptx --kernel group %s | FileCheck %s --check-prefix=GROUP
// GROUP-COUNT-4: cp.async.cg.shared::cta.global {{.*}}, 16, %
// GROUP: cp.async.commit_group
// RUN: titan compile --emit=ptx --kernel phase %s | FileCheck %s --check-prefix=PHASE
// PHASE-COUNT-16: cp.async.ca.shared::cta.global {{.*}}, 4, %
// PHASE: cp.async.mbarrier.arrive.noinc.shared
//
// Elements alone are too small; one thread does not; more threads than pieces would copy some twice.
// VARIANT elements: in ALIGNED `A = 16` -> `A = 2`
// RUN: %variant elements %s | not titan explain copy --kernel group - 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// ELEMENTS: cp_async: pieces of 2 bytes, and cp.async copies 4, 8 or 16 at a time
// VARIANT few: in TILE `64x64xf16` -> `2x64xf16`
// RUN: %variant few %s | not titan explain copy --kernel group - 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: cp_async: 128 threads share 16 pieces, and several would copy one
// VARIANT one: before LOAD add titan.elect warp(0) {
// VARIANT one: after LOAD add }
// RUN: %variant one %s | not titan explain copy --kernel group - 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: cp_async: all_threads: expected all threads of warps, and one thread executes it
// Nobody waits; the others are not waited for; the barrier counts too few.
// VARIANT no_wait: drop WAIT
// RUN: %variant no_wait %s | not titan check --kernel group - 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// NO-WAIT: [{{completion-not-observed|token-not-discharged|async-unordered}}]
// VARIANT alone: drop MEET
// RUN: %variant alone %s | not titan check --kernel group - 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: [{{race|async-unordered|completion-not-observed}}]
// VARIANT count: in INIT `count(128)` -> `count(127)`
// RUN: %variant count %s | not titan check --kernel phase - 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: [barrier-arrivals]

!matrix = !titan.global<?x?xf16>
!rows = !titan.global<?x64xf16, strides = [66, 1]>
!tile = !titan.shared<64x64xf16> // @TILE
!async = !titan.token<async>

titan.kernel @group(%A: !matrix, %B: !matrix) warps(4) attributes {
  titan.alignment = {A = 16, B = 16}, // @ALIGNED
  titan.example = {sizes = {M = 50, N = 40}, A = "MxN ints:1", B = "MxN"}, titan.reference = @same
} launch {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %stride = titan.stride %A, 0 : !matrix
  %left = arith.remui %stride, %c8 : index
  %even = arith.cmpi eq, %left, %c0 : index
  titan.require %even, "launch-check", "rows begin at multiples of 16 bytes"
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %tile = titan.shared.alloc : !tile
  titan.copy_async %A[%c0, %c0] to %tile : !matrix, !tile // @LOAD
  %group = titan.cp_async.commit : !async
  titan.cp_async.wait %group : !async // @WAIT
  titan.cta_sync // @MEET
  titan.copy %tile to %B[%c0, %c0] : !tile, !matrix
  titan.return
}

titan.kernel @phase(%A: !rows, %B: !matrix) warps(4) attributes {
  titan.alignment = {A = 16, B = 16},
  titan.example = {sizes = {M = 50}, A = "Mx64 ints:1 rowstride=66", B = "Mx64"}, titan.reference = @same
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect warp(0) {
    titan.mbarrier.init %full count(128) : !titan.mbarrier // @INIT
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.copy_async %A[%c0, %c0] to %tile signals %full : !rows, !tile, !titan.mbarrier
  titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
  titan.copy %tile to %B[%c0, %c0] : !tile, !matrix
  titan.return
}

func.func private @same(%A: memref<?x?xf16> {titan.input = "A"}, %B: memref<?x?xf32> {titan.expected = "B"}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<?x?xf16>) outs(%B : memref<?x?xf32>) {
    ^bb0(%a: f16, %b: f32):
      %x = arith.extf %a : f16 to f32
      linalg.yield %x : f32
  }
  return
}
