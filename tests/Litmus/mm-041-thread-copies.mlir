// MM-33, MM-41: what cp.async brings is read through the async proxy when it is there, behind a fence.
//
// Four warps copy a tile, one thread stores it by a bulk copy.
//
// RUN: titan check %s
// RUN: titan check %s --async-generic=error
// RUN: titan run %s --async-generic=error
// The issuing thread fences for all.
// VARIANT issuer_fences: drop fence
// VARIANT issuer_fences: before store add titan.fence.proxy_async shared_cta
// RUN: %variant issuer_fences %s | titan check - --async-generic=error
// RUN: %variant issuer_fences %s | titan run - --async-generic=error
// Nobody does: a warning.
// VARIANT no_fence: drop fence
// RUN: %variant no_fence %s | titan check - 2>&1 | FileCheck %s --check-prefix=FENCE
// RUN: %variant no_fence %s | not titan check - --async-generic=error 2>&1 | FileCheck %s --check-prefix=FENCE
// RUN: %variant no_fence %s | not titan run - --async-generic=error 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: [async-generic-fence]
// A fence before the wait fences nothing yet.
// VARIANT early_fence: drop fence
// VARIANT early_fence: before wait add titan.fence.proxy_async shared_cta
// RUN: %variant early_fence %s | not titan check - --async-generic=error 2>&1 | FileCheck %s --check-prefix=FENCE
// RUN: %variant early_fence %s | not titan run - --async-generic=error 2>&1 | FileCheck %s --check-prefix=FENCE
// It does not take the place of the wait.
// VARIANT no_wait: drop wait
// RUN: %variant no_wait %s | not titan check - 2>&1 | FileCheck %s --check-prefix=COMPLETION
// RUN: %variant no_wait %s | not titan run - 2>&1 | FileCheck %s --check-prefix=COMPLETION
// COMPLETION: [completion-not-observed]
// What the other threads have copied is known behind a barrier.
// VARIANT no_barrier: drop barrier
// RUN: %variant no_barrier %s | not titan check - 2>&1 | FileCheck %s --check-prefix=COMPLETION
// RUN: %variant no_barrier %s | not titan run - 2>&1 | FileCheck %s --check-prefix=COMPLETION

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!matrix = !titan.global<64x64xbf16, strides = [64, 1]>
!tile = !titan.shared<64x64xbf16>
!index = tensor<64x64xi32, #rows>

titan.kernel @through(%A: !matrix, %B: !matrix) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %tile = titan.shared.alloc : !tile
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  titan.cp_async %A[%i, %j], %tile bytes(16) : !matrix, !index, !index -> !tile
  %copies = titan.cp_async.commit : !titan.token<async>
  titan.cp_async.wait %copies : !titan.token<async> // @wait
  titan.fence.proxy_async shared_cta // @fence
  titan.cta_sync // @barrier
  titan.elect warp(0) {
    titan.bulk.store %tile, %B[%c0, %c0] : !tile, !matrix // @store
    %group = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %group read : !titan.token<bulk>
  }
  titan.return
}
