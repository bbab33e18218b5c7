// MM-53, MM-55, MM-58: exactly the expected arrivals, each releasing its thread's writes.
//
// Four warps write by rows, arrive, wait, and read by columns.
//
// RUN: titan check %s --kernel every_thread
// RUN: titan check %s --kernel one_a_warp
// RUN: not titan check %s --kernel no_syncwarp 2>&1 | FileCheck %s --check-prefix=NO-SYNCWARP
// RUN: not titan check %s --kernel too_few 2>&1 | FileCheck %s --check-prefix=TOO-FEW
// RUN: not titan check %s --kernel too_many 2>&1 | FileCheck %s --check-prefix=TOO-MANY
// RUN: not titan check %s --kernel relaxed 2>&1 | FileCheck %s --check-prefix=RELAXED
// RUN: titan check %s --kernel relaxed_after_fence
// RUN: not titan check %s --kernel expect_only 2>&1 | FileCheck %s --check-prefix=EXPECT-ONLY

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
#columns = #titan.blocked<elements = [8, 1], lanes = [8, 4], warps = [1, 4]>
!regC   = tensor<64x64xbf16, #columns>

// 128 threads arrive on a count of 128.
titan.kernel @every_thread(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(128) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.mbarrier.arrive %done : !bar
  titan.mbarrier.wait %done parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !regC
  titan.return
}

// One thread a warp, after syncwarp, on a count of 4.
titan.kernel @one_a_warp(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(4) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.syncwarp
  titan.elect {
    titan.mbarrier.arrive %done : !bar
  }
  titan.mbarrier.wait %done parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !regC
  titan.return
}

// NO-SYNCWARP: [race]
// The elected lane releases its own writes only.
titan.kernel @no_syncwarp(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(4) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.elect {
    titan.mbarrier.arrive %done : !bar
  }
  titan.mbarrier.wait %done parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !regC
  titan.return
}

// TOO-FEW: [{{barrier-arrivals|deadlock}}]
// Four arrivals on a count of 5.
titan.kernel @too_few(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(5) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.syncwarp
  titan.elect {
    titan.mbarrier.arrive %done : !bar
  }
  titan.mbarrier.wait %done parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !regC
  titan.return
}

// TOO-MANY: [{{barrier-arrivals|race|phase-ambiguous|barrier-unobserved}}]
// 128 arrivals on a count of 4: a lane counts.
titan.kernel @too_many(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(4) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.syncwarp
  titan.mbarrier.arrive %done : !bar
  titan.mbarrier.wait %done parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !regC
  titan.return
}

// RELAXED: [race]
// A relaxed arrive releases nothing.
titan.kernel @relaxed(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(128) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.mbarrier.arrive %done {sem = #titan<sem relaxed>} : !bar
  titan.mbarrier.wait %done parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !regC
  titan.return
}

// A release fence before it does.
titan.kernel @relaxed_after_fence(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(128) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence release cta
  titan.mbarrier.arrive %done {sem = #titan<sem relaxed>} : !bar
  titan.mbarrier.wait %done parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !regC
  titan.return
}

// EXPECT-ONLY: [{{barrier-arrivals|deadlock}}]
// expect_tx alone is no arrival.
titan.kernel @expect_only(%A: !global, %D: !global) warps(4) launch {
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
    titan.mbarrier.expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}
