// MM-53, MM-54: the bytes expected are the bytes that arrive.
//
// A box of 64 x 64 bf16 is 8192 bytes.
//
// RUN: titan check %s --kernel exact
// RUN: not titan check %s --kernel too_few 2>&1 | FileCheck %s --check-prefix=TOO-FEW
// RUN: not titan check %s --kernel too_many 2>&1 | FileCheck %s --check-prefix=TOO-MANY
// RUN: titan check %s --kernel past_the_edge
// RUN: titan check %s --kernel two_loads
// RUN: not titan check %s --kernel no_expect 2>&1 | FileCheck %s --check-prefix=NO-EXPECT
// RUN: titan check %s --kernel expected_by_lanes
// RUN: not titan check %s --kernel lanes_too_late 2>&1 | FileCheck %s --check-prefix=LANES-TOO-LATE

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// The whole box.
titan.kernel @exact(%A: !global, %D: !global) warps(4) launch {
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
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// TOO-FEW: [{{barrier-bytes}}]
// The phase completes while half of the box is in flight.
titan.kernel @too_few(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %half = arith.constant 4096 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %half : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// TOO-MANY: [{{barrier-bytes|deadlock}}]
// The phase never completes.
titan.kernel @too_many(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %twice = arith.constant 16384 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %twice : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// A box past the edge counts whole, filled part included.
titan.kernel @past_the_edge(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
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
    titan.tma.load %mapA[%c32, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// Two loads on one phase: the sum.
titan.kernel @two_loads(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %twice = arith.constant 16384 : i32
  %buf = titan.shared.alloc : !tile
  %buf2 = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync

  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %twice : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    titan.tma.load %mapA[%c0, %c0], %buf2, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// NO-EXPECT: [{{barrier-bytes|barrier-arrivals|phase-ambiguous|barrier-unobserved|completion-not-observed}}]
// Bytes arrive that nobody expects.
titan.kernel @no_expect(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync

  titan.elect warp(0) {
    titan.mbarrier.arrive %full : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// Each lane expects its share, before one of them arrives.
titan.kernel @expected_by_lanes(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %b256 = arith.constant 256 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %first = arith.cmpi eq, %warp, %i0 : i32
  scf.if %first {
    titan.mbarrier.expect_tx %full, %b256 : !bar
    titan.syncwarp
    titan.elect {
      titan.mbarrier.arrive %full : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// LANES-TOO-LATE: [phase-ambiguous]
// Some of them perhaps after it (MM-14).
titan.kernel @lanes_too_late(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %b256 = arith.constant 256 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %first = arith.cmpi eq, %warp, %i0 : i32
  scf.if %first {
    titan.mbarrier.expect_tx %full, %b256 : !bar
    titan.elect {
      titan.mbarrier.arrive %full : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}
