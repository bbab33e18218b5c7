// MM-56, MM-57, MM-120: the k-th use of a barrier is waited for with parity k mod 2.
//
// A single slot is filled four times.
//
// RUN: titan check %s --kernel own_uses
// RUN: not titan check %s --kernel constant 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: not titan check %s --kernel ring_of_two 2>&1 | FileCheck %s --check-prefix=RING-OF-TWO
// RUN: not titan check %s --kernel not_waited 2>&1 | FileCheck %s --check-prefix=NOT-WAITED
// RUN: not titan check %s --kernel neither 2>&1 | FileCheck %s --check-prefix=NEITHER

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Parity by the uses of the barrier itself.
titan.kernel @own_uses(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync

  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
    titan.elect warp(0) {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
    titan.mbarrier.wait %full parity(%p) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    %q = arith.xori %p, %i1 : i32
    scf.yield %q : i32
  }
  titan.return
}

// CONSTANT: [{{phase-parity|completion-not-observed|race|phase-ambiguous|deadlock}}]
// Parity 0 every time: the second wait returns at once.
titan.kernel @constant(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync

  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
    titan.elect warp(0) {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
    titan.mbarrier.wait %full parity(%i0) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    %q = arith.xori %p, %i1 : i32
    scf.yield %q : i32
  }
  titan.return
}

// RING-OF-TWO: [{{phase-parity|completion-not-observed|race|phase-ambiguous|deadlock}}]
// The parity of a ring of two slots, (k / 2) mod 2.
titan.kernel @ring_of_two(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync

  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
    titan.elect warp(0) {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
    %h = arith.divui %k, %c2 : index
    %m = arith.remui %h, %c2 : index
    %w = arith.index_cast %m : index to i32
    titan.mbarrier.wait %full parity(%w) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    %q = arith.xori %p, %i1 : i32
    scf.yield %q : i32
  }
  titan.return
}

// NOT-WAITED: [{{phase-ambiguous|barrier-unobserved|async-unordered|completion-not-observed|race}}]
// Nobody waits: two fills can be under way on one barrier.
titan.kernel @not_waited(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync

  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
    titan.elect warp(0) {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }

    %x = titan.shared.load %buf : !tile -> !reg
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    %q = arith.xori %p, %i1 : i32
    scf.yield %q : i32
  }
  titan.return
}

// NEITHER: [phase-parity]
// A parity is 0 or 1.
titan.kernel @neither(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i2 = arith.constant 2 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.cta_sync
  titan.mbarrier.wait %full parity(%i2) : !bar
  titan.return
}
