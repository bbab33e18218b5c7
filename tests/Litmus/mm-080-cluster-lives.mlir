// MM-15, MM-23, MM-80: a cluster barrier at both ends of what peers do to each other.
//
// As mm-042, and at the end each CTA releases the slot of rank 0 once more,
// which nobody waits for.
//
// RUN: titan check %s --kernel both_ends
// RUN: not titan check %s --kernel no_end 2>&1 | FileCheck %s --check-prefix=NO-END
// RUN: titan check %s --kernel all_observed
// RUN: not titan check %s --kernel no_entry 2>&1 | FileCheck %s --check-prefix=NO-ENTRY
// RUN: not titan check %s --kernel unpaired 2>&1 | FileCheck %s --check-prefix=UNPAIRED

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
!peerBar = !titan.mbarrier<1, cluster>

// A cluster barrier after the prologue and before the end.
titan.kernel @both_ends(%A: !global, %D: !global) warps(4) cluster(2) launch {
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
  titan.cta_sync
  titan.elect warp(0) {
    %again = titan.map_rank %empty, %i0 : !bar -> !peerBar
    titan.mbarrier.arrive %again {scope = #titan<scope cluster>} : !peerBar
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// NO-END: [cluster-exit]
// The CTA of rank 0 may exit before its peer has signalled it.
titan.kernel @no_end(%A: !global, %D: !global) warps(4) cluster(2) launch {
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
  titan.cta_sync
  titan.elect warp(0) {
    %again = titan.map_rank %empty, %i0 : !bar -> !peerBar
    titan.mbarrier.arrive %again {scope = #titan<scope cluster>} : !peerBar
  }
  titan.return
}

// Where every remote signal was waited for by its own CTA nothing is left to
// wait for.
titan.kernel @all_observed(%A: !global, %D: !global) warps(4) cluster(2) launch {
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
  titan.return
}

// NO-ENTRY: [{{cluster-entry|barrier-init-fence|barrier-not-initialised}}]
// The peer may not have initialised its barriers.
titan.kernel @no_entry(%A: !global, %D: !global) warps(4) cluster(2) launch {
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
  titan.cta_sync
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

// UNPAIRED: [{{cluster-barrier|deadlock}}]
// Two arrives without a wait between.
titan.kernel @unpaired(%A: !global, %D: !global) warps(4) cluster(2) launch {
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
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}
