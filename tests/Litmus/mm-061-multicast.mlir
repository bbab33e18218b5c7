// MM-54, MM-61: a multicast completes in every CTA of its mask.
//
// Two CTAs; the one of rank 0 loads for both.
//
// RUN: titan check %s --kernel both_expect
// RUN: not titan check %s --kernel one_expects 2>&1 | FileCheck %s --check-prefix=ONE-EXPECTS
// RUN: not titan check %s --kernel not_waited 2>&1 | FileCheck %s --check-prefix=NOT-WAITED
// RUN: titan check %s --kernel source_after_all
// RUN: not titan check %s --kernel source_after_one 2>&1 | FileCheck %s --check-prefix=SOURCE-AFTER-ONE

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
!peerBar = !titan.mbarrier<1, cluster>

// Each CTA expects its own full bytes.
titan.kernel @both_expect(%A: !global, %D: !global) warps(4) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %both = arith.constant 3 : i16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(2) : !bar
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive relaxed
  titan.cluster.wait
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
  }
  scf.if %first {
    titan.elect warp(0) {
      titan.tma.load %mapA[%c0, %c0], %buf, %full multicast(%both) : !map, !tile, !bar
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// ONE-EXPECTS: [{{barrier-bytes|barrier-arrivals|deadlock|phase-ambiguous}}]
// The peer expects nothing.
titan.kernel @one_expects(%A: !global, %D: !global) warps(4) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %both = arith.constant 3 : i16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(2) : !bar
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive relaxed
  titan.cluster.wait
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %first {
    titan.elect warp(0) {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full multicast(%both) : !map, !tile, !bar
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// NOT-WAITED: [{{completion-not-observed|exit-with-work-outstanding}}]
// Each CTA waits for itself.
titan.kernel @not_waited(%A: !global, %D: !global) warps(4) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %both = arith.constant 3 : i16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(2) : !bar
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive relaxed
  titan.cluster.wait
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
  }
  scf.if %first {
    titan.elect warp(0) {
      titan.tma.load %mapA[%c0, %c0], %buf, %full multicast(%both) : !map, !tile, !bar
    }
  }
  scf.if %first {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  %x = titan.shared.load %buf : !tile -> !reg
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// The source is written again after the copy is complete in both CTAs.
titan.kernel @source_after_all(%A: !global, %D: !global) warps(4) cluster(2) launch {
  %grid = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %both = arith.constant 3 : i16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive
  titan.cluster.wait
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
  }
  scf.if %first {
    titan.elect warp(0) {
      titan.tma.load %mapA[%c0, %c0], %buf, %full multicast(%both) : !map, !tile, !bar
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.cluster.arrive
  titan.cluster.wait
  scf.if %first {
    titan.elect warp(0) {
      titan.tma.store %buf, %mapA[%c0, %c0] : !tile, !map
      %group = titan.bulk.commit : !bulk
      titan.bulk.wait %group : !bulk
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// SOURCE-AFTER-ONE: [{{async-unordered|completion-not-observed}}]
// After it is complete in one.
titan.kernel @source_after_one(%A: !global, %D: !global) warps(4) cluster(2) launch {
  %grid = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %both = arith.constant 3 : i16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive
  titan.cluster.wait
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
  }
  scf.if %first {
    titan.elect warp(0) {
      titan.tma.load %mapA[%c0, %c0], %buf, %full multicast(%both) : !map, !tile, !bar
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  scf.if %first {
    titan.elect warp(0) {
      titan.tma.store %buf, %mapA[%c0, %c0] : !tile, !map
      %group = titan.bulk.commit : !bulk
      titan.bulk.wait %group : !bulk
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}
