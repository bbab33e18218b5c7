// MM-37, MM-41, MM-53, MM-66: bulk copies without a map, through the async proxy: a barrier's phase tells of
// loads, the thread's bulk groups of stores and reductions. The checker and a run with hazards say the same.
//
// RUN: titan check %s --kernel bulk
// RUN: titan run %s --shape A=64x64 --arg A=ints:1 --shape D=64x64 --arg D=zeros --schedule lazy
// RUN: titan run %s --shape A=64x64 --arg A=ints:1 --shape D=64x64 --arg D=zeros --schedule random:1 --hazards=off
// Nobody waits for the load.
// VARIANT no_wait: drop wait
// RUN: %variant no_wait %s | not titan check - 2>&1 | FileCheck %s --check-prefix=COMPLETION
// RUN: %variant no_wait %s | not titan run - --shape A=64x64 --arg A=ints:1 --shape D=64x64 --arg D=zeros 2>&1 | FileCheck %s --check-prefix=COMPLETION
// COMPLETION: [completion-not-observed]
// What the threads have stored is not fenced.
// VARIANT no_fence: drop fence
// RUN: %variant no_fence %s | not titan check - 2>&1 | FileCheck %s --check-prefix=PROXY
// RUN: %variant no_fence %s | not titan run - --shape A=64x64 --arg A=ints:1 --shape D=64x64 --arg D=zeros 2>&1 | FileCheck %s --check-prefix=PROXY
// PROXY: [proxy-fence
// Two stores to the same run.
// VARIANT twice: after store add titan.bulk.store %tile, %D[%c0, %c0] : !tile, !matrix
// RUN: %variant twice %s | not titan check - 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: %variant twice %s | not titan run - --shape A=64x64 --arg A=ints:1 --shape D=64x64 --arg D=zeros 2>&1 | FileCheck %s --check-prefix=UNORDERED
// UNORDERED: [async-unordered]
// Reductions commute.
// VARIANT reduced: replace store with titan.bulk.reduce add %tile, %D[%c0, %c0] : !tile, !matrix
// VARIANT reduced: after store add titan.bulk.reduce add %tile, %D[%c0, %c0] : !tile, !matrix
// RUN: %variant reduced %s | titan check -
// RUN: %variant reduced %s | titan run - --shape A=64x64 --arg A=ints:1 --shape D=64x64 --arg D=zeros
// The source changes while it is read.
// VARIANT changes: drop done
// VARIANT changes: after behind add titan.shared.store %y, %tile : !reg, !tile
// RUN: %variant changes %s | not titan check - 2>&1 | FileCheck %s --check-prefix=COMPLETION
// RUN: %variant changes %s | not titan run - --shape A=64x64 --arg A=ints:1 --shape D=64x64 --arg D=zeros 2>&1 | FileCheck %s --check-prefix=CHANGES
// CHANGES: [{{completion-not-observed|race}}]
// Not waited for at the end.
// VARIANT not_done: drop done
// RUN: %variant not_done %s | not titan check - 2>&1 | FileCheck %s --check-prefix=TOKEN
// RUN: %variant not_done %s | not titan run - --shape A=64x64 --arg A=ints:1 --shape D=64x64 --arg D=zeros 2>&1 | FileCheck %s --check-prefix=TOKEN
// TOKEN: [token-not-discharged]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [2, 1]>
!matrix = !titan.global<64x64xi32, strides = [64, 1]>
!tile = !titan.shared<32x64xi32>
!index = tensor<32x64xi32, #rows>
!reg = tensor<32x64xi32, #rows>

titan.kernel @bulk(%A: !matrix, %D: !matrix) warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.bulk.load %A[%c0, %c0], %tile, %full : !matrix, !tile, !titan.mbarrier
  }
  titan.cta_sync
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier // @wait
  %x = titan.shared.load %tile : !tile -> !reg
  %y = arith.addi %x, %i : !reg
  titan.shared.store %y, %tile : !reg, !tile
  titan.fence.proxy_async shared_cta // @fence
  titan.cta_sync
  titan.elect warp(0) {
    titan.bulk.store %tile, %D[%c0, %c0] : !tile, !matrix // @store
    %done = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %done : !titan.token<bulk> // @done
  } // @behind
  titan.return
}
