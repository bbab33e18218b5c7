// MM-68, MM-73: a product's registers are the program's again after a wait that covers it.
//
// What the types do not exclude.
//
// RUN: titan check %s --kernel committed
// RUN: not titan check %s --kernel not_committed 2>&1 | FileCheck %s --check-prefix=NOT-COMMITTED
// RUN: not titan check %s --kernel committed_late 2>&1 | FileCheck %s --check-prefix=COMMITTED-LATE
// RUN: not titan check %s --kernel again_without_fence 2>&1 | FileCheck %s --check-prefix=AGAIN-WITHOUT-FENCE
// RUN: titan check %s --kernel again_with_fence

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

// Product, commit, result.
titan.kernel @committed(%A: !global, %D: !global) warps(4) launch {
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

// NOT-COMMITTED: [{{inflight-use|token-not-discharged|mma-order}}]
// No group holds the product, so that no wait covers it.
titan.kernel @not_committed(%A: !global, %D: !global) warps(4) launch {
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
  %d = titan.mma.result %sum : !flight -> !sums
  titan.return
}

// COMMITTED-LATE: [{{inflight-use|token-not-discharged|mma-order}}]
// The commit comes after the result was taken.
titan.kernel @committed_late(%A: !global, %D: !global) warps(4) launch {
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
  %d = titan.mma.result %sum : !flight -> !sums
  %group = titan.mma.commit : !group
  titan.return
}

// AGAIN-WITHOUT-FENCE: [mma-fence-missing]
// The result was taken: the next product needs wgmma.fence.
titan.kernel @again_without_fence(%A: !global, %D: !global) warps(4) launch {
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
  %again = titan.inflight.start %d : !sums -> !flight
  %true = arith.constant true
  %sum2 = titan.mma %a, %b, %again accumulate(%true) : !tile, !tile, !flight -> !flight
  %group2 = titan.mma.commit : !group
  %e = titan.mma.result %sum2 : !flight -> !sums
  titan.return
}

// With it.
titan.kernel @again_with_fence(%A: !global, %D: !global) warps(4) launch {
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
  %again = titan.inflight.start %d : !sums -> !flight
  %true = arith.constant true
  titan.mma.fence
  %sum2 = titan.mma %a, %b, %again accumulate(%true) : !tile, !tile, !flight -> !flight
  %group2 = titan.mma.commit : !group
  %e = titan.mma.result %sum2 : !flight -> !sums
  titan.return
}
