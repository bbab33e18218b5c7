// MM-36, MM-37, MM-48: async accesses are ordered by observed completion, not by issue.
//
// A tile is loaded by TMA and stored by TMA.
//
// RUN: titan check %s --kernel load_wait_store
// RUN: not titan check %s --kernel load_store 2>&1 | FileCheck %s --check-prefix=LOAD-STORE
// RUN: not titan check %s --kernel two_stores_one_place 2>&1 | FileCheck %s --check-prefix=TWO-STORES-ONE-PLACE
// RUN: not titan check %s --kernel two_stores_read_wait 2>&1 | FileCheck %s --check-prefix=TWO-STORES-READ-WAIT
// RUN: titan check %s --kernel two_stores_full_wait
// RUN: titan check %s --kernel two_reductions
// RUN: not titan check %s --kernel reduction_and_store 2>&1 | FileCheck %s --check-prefix=REDUCTION-AND-STORE

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Completion observed; same proxy, same CTA: no fence.
titan.kernel @load_wait_store(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// LOAD-STORE: [{{async-unordered|completion-not-observed}}]
// The store is issued after the load, and may run before it.
titan.kernel @load_store(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.return
}

// TWO-STORES-ONE-PLACE: [async-unordered]
// Two stores of one thread to one place.
titan.kernel @two_stores_one_place(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %buf2 = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.shared.store %v, %buf2 : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync

  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    titan.tma.store %buf2, %mapD[%at, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// TWO-STORES-READ-WAIT: [async-unordered]
// Sources read says nothing of the writes.
titan.kernel @two_stores_read_wait(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %buf2 = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.shared.store %v, %buf2 : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync

  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
    titan.tma.store %buf2, %mapD[%at, %c0] : !tile, !map
    %h = titan.bulk.commit : !bulk
    titan.bulk.wait %h read : !bulk
  }
  titan.return
}

// The full wait orders the two.
titan.kernel @two_stores_full_wait(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %buf2 = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.shared.store %v, %buf2 : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync

  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g : !bulk
    titan.tma.store %buf2, %mapD[%at, %c0] : !tile, !map
    %h = titan.bulk.commit : !bulk
    titan.bulk.wait %h read : !bulk
  }
  titan.return
}

// Two reductions of one operation do not conflict (MM-48).
titan.kernel @two_reductions(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync

  titan.elect warp(0) {
    titan.tma.reduce add %buf, %mapD[%at, %c0] : !tile, !map
    titan.tma.reduce add %buf, %mapD[%at, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// REDUCTION-AND-STORE: [async-unordered]
// A reduction against a store does.
titan.kernel @reduction_and_store(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync

  titan.elect warp(0) {
    titan.tma.reduce add %buf, %mapD[%at, %c0] : !tile, !map
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}
