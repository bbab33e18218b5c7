// MM-38, MM-46: async accesses of two CTAs: completion, then release and acquire at cluster scope.
//
// A slot that a peer's TMA store reads is filled again by a multicast.
//
// RUN: titan check %s --kernel completed 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: titan check %s --kernel completed --strict --war=off 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: not titan check %s --kernel not_completed 2>&1 | FileCheck %s --check-prefix=NOT-COMPLETED
// RUN: not titan check %s --kernel relaxed 2>&1 | FileCheck %s --check-prefix=RELAXED

!global = !titan.global<128x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
!peerBar = !titan.mbarrier<1, cluster>

// QUIET-NOT: [cluster-async-order]
// NOTE: [cluster-async-order]
// Accepted; a note under --strict.
titan.kernel @completed(%A: !global, %D: !global) warps(4) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %both = arith.constant 3 : i16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
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
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
    %theirs = titan.map_rank %empty, %i0 : !bar -> !peerBar
    titan.mbarrier.arrive %theirs {scope = #titan<scope cluster>} : !peerBar
  }
  scf.if %first {
    titan.elect warp(0) {
      titan.mbarrier.wait %empty parity(%i0) {scope = #titan<scope cluster>} : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full multicast(%both) : !map, !tile, !bar
    }
  }
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
  }
  titan.mbarrier.wait %full parity(%i1) : !bar
  %y = titan.shared.load %buf : !tile -> !reg
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// NOT-COMPLETED: [completion-not-observed]
// The slot is released while the store still reads it.
titan.kernel @not_completed(%A: !global, %D: !global) warps(4) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %both = arith.constant 3 : i16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
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
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    %theirs = titan.map_rank %empty, %i0 : !bar -> !peerBar
    titan.mbarrier.arrive %theirs {scope = #titan<scope cluster>} : !peerBar
    titan.bulk.wait %g read : !bulk
  }
  scf.if %first {
    titan.elect warp(0) {
      titan.mbarrier.wait %empty parity(%i0) {scope = #titan<scope cluster>} : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full multicast(%both) : !map, !tile, !bar
    }
  }
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
  }
  titan.mbarrier.wait %full parity(%i1) : !bar
  %y = titan.shared.load %buf : !tile -> !reg
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// RELAXED: [{{race|completion-not-observed}}]
// The release orders nothing.
titan.kernel @relaxed(%A: !global, %D: !global) warps(4) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %both = arith.constant 3 : i16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
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
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
    %theirs = titan.map_rank %empty, %i0 : !bar -> !peerBar
    titan.mbarrier.arrive %theirs {scope = #titan<scope cluster>, sem = #titan<sem relaxed>} : !peerBar
  }
  scf.if %first {
    titan.elect warp(0) {
      titan.mbarrier.wait %empty parity(%i0) {scope = #titan<scope cluster>} : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full multicast(%both) : !map, !tile, !bar
    }
  }
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
  }
  titan.mbarrier.wait %full parity(%i1) : !bar
  %y = titan.shared.load %buf : !tile -> !reg
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}
