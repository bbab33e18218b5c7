// MM-31, MM-34, MM-38, MM-61: who fills the slots of all CTAs waits for the readers of all CTAs.
//
// The CTA of rank 0 multicasts twice into a slot that threads of both CTAs
// read.
//
// RUN: titan check %s --kernel released_to_the_producer --war=error
// RUN: not titan check %s --kernel released_to_itself 2>&1 | FileCheck %s --check-prefix=RELEASED-TO-ITSELF
// RUN: not titan check %s --kernel one_is_enough 2>&1 | FileCheck %s --check-prefix=ONE-IS-ENOUGH
// RUN: not titan check %s --kernel no_fence --war=error 2>&1 | FileCheck %s --check-prefix=NO-FENCE

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
!peerBar = !titan.mbarrier<1, cluster>

// Both CTAs release to rank 0.
titan.kernel @released_to_the_producer(%A: !global, %D: !global) warps(4) cluster(2) launch {
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
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
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

// RELEASED-TO-ITSELF: [{{race|phase-ambiguous|barrier-arrivals}}]
// Each CTA releases to itself: rank 0 does not hear of its peer.
titan.kernel @released_to_itself(%A: !global, %D: !global) warps(4) cluster(2) launch {
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
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(1) : !bar
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
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    %theirs = titan.map_rank %empty, %rank : !bar -> !peerBar
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

// ONE-IS-ENOUGH: [{{barrier-arrivals|race|phase-ambiguous}}]
// Both release to rank 0, which waits for one of them.
titan.kernel @one_is_enough(%A: !global, %D: !global) warps(4) cluster(2) launch {
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
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(1) : !bar
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
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
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

// NO-FENCE: [war-generic-async]
// The readers do not fence.
titan.kernel @no_fence(%A: !global, %D: !global) warps(4) cluster(2) launch {
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
  titan.cta_sync
  titan.elect warp(0) {
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
