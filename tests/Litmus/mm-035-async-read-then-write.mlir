// MM-35, MM-66: the source of a store may be overwritten once it has been read.
//
// A staging tile is stored by TMA and written again.
//
// RUN: titan check %s --kernel read_wait
// RUN: not titan check %s --kernel no_wait 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// RUN: not titan check %s --kernel no_barrier 2>&1 | FileCheck %s --check-prefix=NO-BARRIER
// RUN: not titan check %s --kernel one_stays_pending 2>&1 | FileCheck %s --check-prefix=ONE-STAYS-PENDING
// RUN: titan check %s --kernel full_wait

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// wait_group.read by the committing thread, a barrier, then the writers.
titan.kernel @read_wait(%A: !global, %D: !global) warps(4) launch {
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
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.cta_sync
  titan.shared.store %v, %buf : !reg, !tile
  titan.return
}

// NO-WAIT: [{{completion-not-observed}}]
// The wait comes after the next write.
titan.kernel @no_wait(%A: !global, %D: !global) warps(4) launch {
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
  titan.cta_sync
  titan.shared.store %v, %buf : !reg, !tile
  titan.elect warp(0) {
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// NO-BARRIER: [completion-not-observed]
// The other warps do not know of the wait.
titan.kernel @no_barrier(%A: !global, %D: !global) warps(4) launch {
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
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.shared.store %v, %buf : !reg, !tile
  titan.return
}

// ONE-STAYS-PENDING: [{{completion-not-observed|group-wait-count}}]
// wait_group 1 with one group in flight waits for nothing.
titan.kernel @one_stays_pending(%A: !global, %D: !global) warps(4) launch {
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
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait_group 1 read
  }
  titan.cta_sync
  titan.shared.store %v, %buf : !reg, !tile
  titan.elect warp(0) {
    titan.bulk.wait_group 0 read
  }
  titan.return
}

// The full wait covers more.
titan.kernel @full_wait(%A: !global, %D: !global) warps(4) launch {
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
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g : !bulk
  }
  titan.cta_sync
  titan.shared.store %v, %buf : !reg, !tile
  titan.return
}
