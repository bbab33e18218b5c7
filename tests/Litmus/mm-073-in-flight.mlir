// MM-12, MM-68, MM-73: a product's registers are the program's again after a wait that covers it.
//
// What the types do not exclude.
//
// RUN: titan check %s --kernel committed
// RUN: not titan check %s --kernel not_committed 2>&1 | FileCheck %s --check-prefix=NOT-COMMITTED
// RUN: not titan check %s --kernel committed_late 2>&1 | FileCheck %s --check-prefix=COMMITTED-LATE
// RUN: not titan check %s --kernel again_without_fence 2>&1 | FileCheck %s --check-prefix=AGAIN-WITHOUT-FENCE
// RUN: titan check %s --kernel again_with_fence
// RUN: titan check %s --kernel younger_group
// RUN: not titan check %s --kernel older_group 2>&1 | FileCheck %s --check-prefix=OLDER-GROUP
// RUN: not titan check %s --kernel handed_on 2>&1 | FileCheck %s --check-prefix=HANDED-ON
// RUN: not titan check %s --kernel two_heirs 2>&1 | FileCheck %s --check-prefix=TWO-HEIRS
// RUN: not titan check %s --kernel two_warps 2>&1 | FileCheck %s --check-prefix=TWO-WARPS

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

// Two chained products, the second one's group waited for.
titan.kernel @younger_group(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %true = arith.constant true
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
  %s1 = titan.mma %a, %b, %s0 accumulate(%true) : !tile, !tile, !flight -> !flight
  %g1 = titan.mma.commit : !group
  %d = titan.mma.result %s1 after(%g1 : !group) : !flight -> !sums
  titan.return
}

// OLDER-GROUP: [inflight-use]
// The wait covers the first product only.
titan.kernel @older_group(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %true = arith.constant true
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
  %s1 = titan.mma %a, %b, %s0 accumulate(%true) : !tile, !tile, !flight -> !flight
  %g1 = titan.mma.commit : !group
  %d = titan.mma.result %s1 after(%g0 : !group) : !flight -> !sums
  titan.mma.wait %g1 : !group
  titan.return
}

// HANDED-ON: [inflight-use]
// The first one's registers have become the second one's.
titan.kernel @handed_on(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %true = arith.constant true
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
  %s1 = titan.mma %a, %b, %s0 accumulate(%true) : !tile, !tile, !flight -> !flight
  %g1 = titan.mma.commit : !group
  %d = titan.mma.result %s0 after(%g0 : !group) : !flight -> !sums
  titan.mma.wait %g1 : !group
  titan.return
}

// TWO-HEIRS: [inflight-use]
// Two products go on in the registers of one.
titan.kernel @two_heirs(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %true = arith.constant true
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
  %s1 = titan.mma %a, %b, %s0 accumulate(%true) : !tile, !tile, !flight -> !flight
  %g1 = titan.mma.commit : !group
  %s2 = titan.mma %a, %b, %s0 accumulate(%true) : !tile, !tile, !flight -> !flight
  %g2 = titan.mma.commit : !group
  %d = titan.mma.result %s1 : !flight -> !sums
  %e = titan.mma.result %s2 : !flight -> !sums
  titan.return
}

// TWO-WARPS: [{{issue-cardinality|deadlock}}]
// A product is a warpgroup's, not two warps' (MM-12).
titan.kernel @two_warps(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i2 = arith.constant 2 : i32
  %one = arith.constant 1.0 : bf16
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %a : !reg, !tile
  titan.shared.store %v, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  %none = titan.inflight.none : !flight
  %warp = titan.warp_id
  %some = arith.cmpi ult, %warp, %i2 : i32
  scf.if %some {
    titan.mma.fence
    %sum = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
    %group = titan.mma.commit : !group
    titan.mma.wait %group : !group
  }
  titan.return
}
