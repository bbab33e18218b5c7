// MM-31, MM-47, MM-70, MM-72: wgmma.fence for registers, the proxy fence for operands written by stores.
//
// One warpgroup multiplies two tiles that its threads have stored.
//
// RUN: titan check %s --kernel both_fences
// RUN: not titan check %s --kernel no_proxy_fence 2>&1 | FileCheck %s --check-prefix=NO-PROXY-FENCE
// RUN: not titan check %s --kernel no_wgmma_fence 2>&1 | FileCheck %s --check-prefix=NO-WGMMA-FENCE
// RUN: titan check %s --kernel chained
// RUN: not titan check %s --kernel no_barrier 2>&1 | FileCheck %s --check-prefix=NO-BARRIER
// RUN: not titan check %s --kernel never_waited 2>&1 | FileCheck %s --check-prefix=NEVER-WAITED
// RUN: titan check %s --kernel a_in_registers
// RUN: not titan check %s --kernel a_after_fence 2>&1 | FileCheck %s --check-prefix=A-AFTER-FENCE

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
#acc    = #titan.wgmma<1, 1>
!flight = !titan.inflight<tensor<64x64xf32, #acc>>
!sums   = tensor<64x64xf32, #acc>
!group  = !titan.token<mma>
!half   = tensor<64x64xbf16, #acc>

// Proxy fence by every writer, barrier, wgmma.fence.
titan.kernel @both_fences(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %a : !reg, !tile
  titan.shared.store %v, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  %none = titan.inflight.none : !flight
  titan.mma.fence
  %sum = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
  %group = titan.mma.commit : !group
  %d = titan.mma.result %sum : !flight -> !sums
  titan.return
}

// NO-PROXY-FENCE: [proxy-fence-missing]
// wgmma reads through the async proxy.
titan.kernel @no_proxy_fence(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %a : !reg, !tile
  titan.shared.store %v, %b : !reg, !tile
  titan.cta_sync
  %none = titan.inflight.none : !flight
  titan.mma.fence
  %sum = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
  %group = titan.mma.commit : !group
  %d = titan.mma.result %sum : !flight -> !sums
  titan.return
}

// NO-WGMMA-FENCE: [mma-fence-missing]
// wgmma is not ordered after earlier instructions of its own thread.
titan.kernel @no_wgmma_fence(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %a : !reg, !tile
  titan.shared.store %v, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  %none = titan.inflight.none : !flight
  %sum = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
  %group = titan.mma.commit : !group
  %d = titan.mma.result %sum : !flight -> !sums
  titan.return
}

// Products on one accumulator of one shape run in order.
titan.kernel @chained(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %a : !reg, !tile
  titan.shared.store %v, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  %true = arith.constant true
  %none = titan.inflight.none : !flight
  titan.mma.fence
  %sum = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
  %sum2 = titan.mma %a, %b, %sum accumulate(%true) : !tile, !tile, !flight -> !flight
  %group = titan.mma.commit : !group
  %d = titan.mma.result %sum2 : !flight -> !sums
  titan.return
}

// NO-BARRIER: [race]
// Operands written by other warps.
titan.kernel @no_barrier(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %a : !reg, !tile
  titan.shared.store %v, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  %none = titan.inflight.none : !flight
  titan.mma.fence
  %sum = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
  %group = titan.mma.commit : !group
  %d = titan.mma.result %sum : !flight -> !sums
  titan.return
}

// NEVER-WAITED: [{{token-not-discharged|exit-with-work-outstanding}}]
// The CTA ends under its own product.
titan.kernel @never_waited(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %a : !reg, !tile
  titan.shared.store %v, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  %none = titan.inflight.none : !flight
  titan.mma.fence
  %sum = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
  %group = titan.mma.commit : !group
  titan.return
}

// Registers of A, written before the fence.
titan.kernel @a_in_registers(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %a : !reg, !tile
  titan.shared.store %v, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  %none = titan.inflight.none : !flight
  titan.mma.fence
  %s0 = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
  %g0 = titan.mma.commit : !group
  %d = titan.mma.result %s0 : !flight -> !sums
  %h = arith.truncf %d : !sums to !half
  titan.mma.fence
  %s1 = titan.mma %h, %b, %none : !half, !tile, !flight -> !flight
  %g1 = titan.mma.commit : !group
  titan.mma.wait %g1 : !group
  titan.return
}

// A-AFTER-FENCE: [mma-fence-missing]
// And after it.
titan.kernel @a_after_fence(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %a : !reg, !tile
  titan.shared.store %v, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  %none = titan.inflight.none : !flight
  titan.mma.fence
  %s0 = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
  %g0 = titan.mma.commit : !group
  %d = titan.mma.result %s0 : !flight -> !sums
  titan.mma.fence
  %h = arith.truncf %d : !sums to !half
  %s1 = titan.mma %h, %b, %none : !half, !tile, !flight -> !flight
  %g1 = titan.mma.commit : !group
  titan.mma.wait %g1 : !group
  titan.return
}
