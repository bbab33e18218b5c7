// Three bugs of an epilogue and a prologue: the barrier before another warp's
// read dropped, syncwarp dropped, elect dropped around a TMA load.
//
// RUN: titan check %s --kernel store
// RUN: not titan check %s --kernel store_no_barrier 2>&1 | FileCheck %s --check-prefix=NO-BARRIER
// RUN: titan check %s --kernel warp
// RUN: not titan check %s --kernel warp_no_syncwarp 2>&1 | FileCheck %s --check-prefix=NO-SYNCWARP
// RUN: not titan check %s --kernel load_no_elect 2>&1 | FileCheck %s --check-prefix=NO-ELECT

!global = !titan.global<?x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
!reg    = tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
!one    = tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>>

titan.kernel @store(%D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapD : !map)
} body(%mapD: !map) {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %f1 : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

titan.kernel @store_no_barrier(%D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapD : !map)
} body(%mapD: !map) {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %f1 : bf16 -> !reg
  // NO-BARRIER: [[@LINE+4]]:5: error: [race]
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

titan.kernel @warp(%D: !global) warps(1) launch {
  %c1 = arith.constant 1 : index
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapD : !map)
} body(%mapD: !map) {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %f1 : bf16 -> !one
  titan.shared.store %v, %buf : !one, !tile
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

titan.kernel @warp_no_syncwarp(%D: !global) warps(1) launch {
  %c1 = arith.constant 1 : index
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapD : !map)
} body(%mapD: !map) {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %f1 : bf16 -> !one
  titan.shared.store %v, %buf : !one, !tile
  titan.fence.proxy_async shared_cta
  titan.elect {
    // NO-SYNCWARP: [[@LINE+1]]:5: error: [race]
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

titan.kernel @load_no_elect(%A: !global) warps(1) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
  }
  // NO-ELECT: [[@LINE+1]]:3: error: [issue-cardinality]
  titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !one
  titan.return
}
