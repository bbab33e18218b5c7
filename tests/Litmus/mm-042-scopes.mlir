// MM-13, MM-42, MM-58: between CTAs, release and acquire name the cluster.
//
// Both CTAs release a slot to the CTA of rank 0, which fills both again.
//
// RUN: titan check %s --kernel cluster_scope --scope=error
// RUN: titan check %s --kernel default_scope 2>&1 | FileCheck %s --check-prefix=WARNING
// RUN: not titan check %s --kernel default_scope --scope=error 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not titan check %s --kernel acquire_too_narrow --scope=error 2>&1 | FileCheck %s --check-prefix=ACQUIRE-TOO-NARROW
// RUN: not titan check %s --kernel relaxed 2>&1 | FileCheck %s --check-prefix=RELAXED

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
!peerBar = !titan.mbarrier<1, cluster>

// Both say cluster.
titan.kernel @cluster_scope(%A: !global, %D: !global) warps(4) cluster(2) launch {
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

// WARNING: warning: {{.*}}[scope-too-narrow]
// WARNING: searched, not proved
// ERROR: error: {{.*}}[scope-too-narrow]
// Deployed practice leaves it out: a warning; refused on demand.
titan.kernel @default_scope(%A: !global, %D: !global) warps(4) cluster(2) launch {
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
    titan.mbarrier.arrive %theirs : !peerBar
  }
  scf.if %first {
    titan.elect warp(0) {
      titan.mbarrier.wait %empty parity(%i0) : !bar
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

// ACQUIRE-TOO-NARROW: [scope-too-narrow]
// Both scopes count.
titan.kernel @acquire_too_narrow(%A: !global, %D: !global) warps(4) cluster(2) launch {
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
      titan.mbarrier.wait %empty parity(%i0) : !bar
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

// RELAXED: [race]
// A relaxed arrive orders nothing, whatever its scope.
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
