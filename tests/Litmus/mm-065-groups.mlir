// MM-12, MM-65, MM-66, MM-68, MM-81: groups belong to the thread that committed them.
//
// One thread stores a tile by TMA.
//
// RUN: titan check %s --kernel same_thread
// RUN: not titan check %s --kernel other_thread 2>&1 | FileCheck %s --check-prefix=OTHER-THREAD
// RUN: not titan check %s --kernel never_waited 2>&1 | FileCheck %s --check-prefix=NEVER-WAITED
// RUN: not titan check %s --kernel never_committed 2>&1 | FileCheck %s --check-prefix=NEVER-COMMITTED
// RUN: titan check %s --kernel youngest_is_enough
// RUN: not titan check %s --kernel issued_by_all 2>&1 | FileCheck %s --check-prefix=ISSUED-BY-ALL

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Two elects of one warp under the full mask are one thread.
titan.kernel @same_thread(%A: !global, %D: !global) warps(4) launch {
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

  %g = titan.elect warp(0) -> !bulk {
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %t = titan.bulk.commit : !bulk
    titan.yield %t : !bulk
  }
  titan.elect warp(0) {
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// OTHER-THREAD: [{{token-agent|exit-with-work-outstanding|token-not-discharged}}]
// Another warp waits for groups of its own: none.
titan.kernel @other_thread(%A: !global, %D: !global) warps(4) launch {
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
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %t = titan.bulk.commit : !bulk
  }
  titan.elect warp(1) {
    titan.bulk.wait_group 0 read
  }
  titan.return
}

// NEVER-WAITED: [{{token-not-discharged|exit-with-work-outstanding}}]
// The CTA may exit while its memory is read.
titan.kernel @never_waited(%A: !global, %D: !global) warps(4) launch {
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
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %t = titan.bulk.commit : !bulk
  }
  titan.return
}

// NEVER-COMMITTED: [{{token-not-discharged|exit-with-work-outstanding}}]
// A wait covers committed groups only.
titan.kernel @never_committed(%A: !global, %D: !global) warps(4) launch {
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
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    titan.bulk.wait_group 0 read
  }
  titan.return
}

// A wait on a token is a wait on every older one of its class.
titan.kernel @youngest_is_enough(%A: !global, %D: !global) warps(4) launch {
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
    titan.tma.store %buf2, %mapA[%at, %c0] : !tile, !map
    %h = titan.bulk.commit : !bulk
    titan.bulk.wait %h read : !bulk
  }
  titan.return
}

// ISSUED-BY-ALL: [issue-cardinality]
// Without elect every thread would issue a copy.
titan.kernel @issued_by_all(%A: !global, %D: !global) warps(4) launch {
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

  titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
  %g = titan.bulk.commit : !bulk
  titan.bulk.wait %g read : !bulk
  titan.return
}
