// MM-35, MM-37, MM-67, MM-71: a slot is free when the products that read it are done.
//
// One warpgroup multiplies two tiles that TMA has loaded.
//
// RUN: titan check %s --kernel waited
// RUN: not titan check %s --kernel load_not_waited 2>&1 | FileCheck %s --check-prefix=LOAD-NOT-WAITED
// RUN: not titan check %s --kernel refilled_early 2>&1 | FileCheck %s --check-prefix=REFILLED-EARLY
// RUN: not titan check %s --kernel one_stays_pending 2>&1 | FileCheck %s --check-prefix=ONE-STAYS-PENDING
// RUN: titan check %s --kernel written_by_hand
// RUN: not titan check %s --kernel overwritten_by_store 2>&1 | FileCheck %s --check-prefix=OVERWRITTEN-BY-STORE

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

// Load, wait, product, wait, refill.
titan.kernel @waited(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %twice = arith.constant 16384 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %twice : !bar
    titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
    titan.tma.load %mapA[%c0, %c0], %b, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %none = titan.inflight.none : !flight
  titan.mma.fence
  %sum = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
  %group = titan.mma.commit : !group
  titan.mma.wait %group : !group
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i1) : !bar
  %d = titan.mma.result %sum : !flight -> !sums
  titan.return
}

// LOAD-NOT-WAITED: [{{completion-not-observed|async-unordered}}]
// The product may read before the load has written.
titan.kernel @load_not_waited(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %twice = arith.constant 16384 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %twice : !bar
    titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
    titan.tma.load %mapA[%c0, %c0], %b, %full : !map, !tile, !bar
  }
  %none = titan.inflight.none : !flight
  titan.mma.fence
  %sum = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
  %group = titan.mma.commit : !group
  titan.mbarrier.wait %full parity(%i0) : !bar
  %d = titan.mma.result %sum : !flight -> !sums
  titan.return
}

// REFILLED-EARLY: [{{mma-slot-reuse|completion-not-observed|async-unordered}}]
// The slot is filled again while the product reads it.
titan.kernel @refilled_early(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %twice = arith.constant 16384 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %twice : !bar
    titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
    titan.tma.load %mapA[%c0, %c0], %b, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %none = titan.inflight.none : !flight
  titan.mma.fence
  %sum = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
  %group = titan.mma.commit : !group
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i1) : !bar
  %d = titan.mma.result %sum : !flight -> !sums
  titan.return
}

// ONE-STAYS-PENDING: [{{mma-slot-reuse|completion-not-observed|group-wait-count|async-unordered}}]
// wait_group 1 leaves the only product pending.
titan.kernel @one_stays_pending(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %twice = arith.constant 16384 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %twice : !bar
    titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
    titan.tma.load %mapA[%c0, %c0], %b, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %none = titan.inflight.none : !flight
  titan.mma.fence
  %sum = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
  %group = titan.mma.commit : !group
  titan.mma.wait_group 1
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i1) : !bar
  %d = titan.mma.result %sum : !flight -> !sums
  titan.return
}

// wait_group 0 is right.
titan.kernel @written_by_hand(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %twice = arith.constant 16384 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %twice : !bar
    titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
    titan.tma.load %mapA[%c0, %c0], %b, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %none = titan.inflight.none : !flight
  titan.mma.fence
  %sum = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
  %group = titan.mma.commit : !group
  titan.mma.wait_group 0
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i1) : !bar
  %d = titan.mma.result %sum : !flight -> !sums
  titan.return
}

// OVERWRITTEN-BY-STORE: [{{mma-slot-reuse|completion-not-observed|async-unordered}}]
// Ordinary stores over an operand in use.
titan.kernel @overwritten_by_store(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %twice = arith.constant 16384 : i32
  %one = arith.constant 1.0 : bf16
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %twice : !bar
    titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
    titan.tma.load %mapA[%c0, %c0], %b, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %none = titan.inflight.none : !flight
  titan.mma.fence
  %sum = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
  %group = titan.mma.commit : !group
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %a : !reg, !tile
  %d = titan.mma.result %sum : !flight -> !sums
  titan.return
}
