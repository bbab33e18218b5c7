// MM-81: at exit no copy is under way into or out of the CTA's memory.
//
// Loads and stores left alone.
//
// RUN: titan check %s --kernel load_waited
// RUN: not titan check %s --kernel load_not_waited 2>&1 | FileCheck %s --check-prefix=LOAD-NOT-WAITED
// RUN: titan check %s --kernel one_thread_waits

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Somebody waited.
titan.kernel @load_waited(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
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
  titan.return
}

// LOAD-NOT-WAITED: [{{exit-with-work-outstanding|token-not-discharged}}]
// The load may land in the next CTA's memory.
titan.kernel @load_not_waited(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %bytes = arith.constant 8192 : i32
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
  titan.return
}

// One waiting thread of a CTA is enough: the CTA does not exit before it.
titan.kernel @one_thread_waits(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
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
  titan.elect warp(2) {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  titan.return
}
