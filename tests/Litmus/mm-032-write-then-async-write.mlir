// MM-32: a generic write is fenced before an async write over it.
//
// Four warps clear a tile, then TMA loads over it.
//
// RUN: titan check %s --kernel writers_fence
// RUN: not titan check %s --kernel no_fence 2>&1 | FileCheck %s --check-prefix=NO-FENCE
// RUN: not titan check %s --kernel issuer_fences 2>&1 | FileCheck %s --check-prefix=ISSUER-FENCES
// RUN: not titan check %s --kernel no_barrier 2>&1 | FileCheck %s --check-prefix=NO-BARRIER

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Each writer fences, then the barrier, then the load.
titan.kernel @writers_fence(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// NO-FENCE: [proxy-fence-missing]
// The store of ones may land on top of the loaded tile.
titan.kernel @no_fence(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// ISSUER-FENCES: [proxy-fence-missing]
// The issuing thread cannot fence for the others.
titan.kernel @issuer_fences(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.fence.proxy_async shared_cta
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// NO-BARRIER: [race]
// Nothing orders the other warps before the load.
titan.kernel @no_barrier(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}
