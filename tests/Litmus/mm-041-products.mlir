// MM-41, MM-71: of what cp.async brings and a product reads, each thread of the warpgroup fences, or the one that waited.
//
// Four warps copy two tiles and multiply them. Each thread fences behind the barrier: for what it has waited for itself,
// no other thread knows of that fence.
//
// RUN: titan check %s --async-generic=error
// RUN: titan run %s --arg A=random:1 --arg D=zeros --async-generic=error
// The threads that have waited fence in front of the barrier.
// VARIANT waiter_fences: drop fence
// VARIANT waiter_fences: before barrier add titan.fence.proxy_async shared_cta
// RUN: %variant waiter_fences %s | titan check - --async-generic=error
// RUN: %variant waiter_fences %s | titan run - --arg A=random:1 --arg D=zeros --async-generic=error
// One thread does, behind the barrier: of its fence the others do not know.
// VARIANT one_fences: drop fence
// VARIANT one_fences: before registers add titan.elect warp(3) { titan.fence.proxy_async shared_cta }
// RUN: %variant one_fences %s | not titan check - --async-generic=error 2>&1 | FileCheck %s --check-prefix=FENCE
// RUN: %variant one_fences %s | not titan run - --arg A=random:1 --arg D=zeros --async-generic=error 2>&1 | FileCheck %s --check-prefix=FENCE
// One of each warp does: its other threads issue the product, too.
// VARIANT one_of_each_warp: drop fence
// VARIANT one_of_each_warp: before registers add titan.elect { titan.fence.proxy_async shared_cta }
// RUN: %variant one_of_each_warp %s | not titan check - --async-generic=error 2>&1 | FileCheck %s --check-prefix=FENCE
// RUN: %variant one_of_each_warp %s | not titan run - --arg A=random:1 --arg D=zeros --async-generic=error 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: [async-generic-fence]
// A fence before the wait fences nothing yet.
// VARIANT before_the_wait: drop fence
// VARIANT before_the_wait: before wait add titan.fence.proxy_async shared_cta
// RUN: %variant before_the_wait %s | not titan check - --async-generic=error 2>&1 | FileCheck %s --check-prefix=FENCE
// RUN: %variant before_the_wait %s | not titan run - --arg A=random:1 --arg D=zeros --async-generic=error 2>&1 | FileCheck %s --check-prefix=FENCE

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#acc = #titan.wgmma<1, 1>
!matrix = !titan.global<64x64xbf16, strides = [64, 1]>
!res = !titan.global<64x64xf32, strides = [64, 1]>
!tile = !titan.shared<64x64xbf16, swizzle = 128>
!index = tensor<64x64xi32, #rows>
!sums = tensor<64x64xf32, #acc>
!where = tensor<64x64xi32, #acc>
!flight = !titan.inflight<tensor<64x64xf32, #acc>>
!group = !titan.token<mma>

titan.kernel @each_fences(%A: !matrix, %D: !res) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %no = arith.constant false
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  titan.cp_async %A[%i, %j], %a bytes(16) : !matrix, !index, !index -> !tile
  titan.cp_async %A[%i, %j], %b bytes(16) : !matrix, !index, !index -> !tile
  %copies = titan.cp_async.commit : !titan.token<async>
  titan.cp_async.wait %copies : !titan.token<async> // @wait
  titan.cta_sync // @barrier
  titan.fence.proxy_async shared_cta // @fence
  %none = titan.inflight.none : !flight
  titan.mma.fence // @registers
  %s = titan.mma %a, %b, %none accumulate(%no) : !tile, !tile, !flight -> !flight
  %g = titan.mma.commit : !group
  titan.mma.wait %g : !group
  %r = titan.mma.result %s : !flight -> !sums
  %I = titan.coordinate 0 : !where
  %J = titan.coordinate 1 : !where
  titan.global.store %r, %D[%I, %J] : !sums, !res, !where, !where
  titan.return
}
