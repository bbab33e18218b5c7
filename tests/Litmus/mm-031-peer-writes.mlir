// MM-31, MM-43: a proxy fence covers the state space that it names, and a peer's memory is not shared_cta.
//
// The CTA of rank 0 writes into the shared memory of its peer, which stores it
// by TMA.
//
// RUN: titan check %s --kernel shared_cluster
// RUN: titan check %s --kernel all_spaces
// RUN: not titan check %s --kernel shared_cta 2>&1 | FileCheck %s --check-prefix=SHARED-CTA
// RUN: not titan check %s --kernel no_fence 2>&1 | FileCheck %s --check-prefix=NO-FENCE
// RUN: not titan check %s --kernel no_barrier 2>&1 | FileCheck %s --check-prefix=NO-BARRIER

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
#warp   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!whole  = tensor<64x64xbf16, #warp>
!peer   = !titan.shared<64x64xbf16, swizzle = 128, cluster>

// The cluster's window holds every CTA's shared memory.
titan.kernel @shared_cluster(%A: !global, %D: !global) warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %zero = arith.constant 0.0 : bf16
  %zeros = titan.splat %zero : bf16 -> !whole
  titan.shared.store %zeros, %buf : !whole, !tile
  titan.fence.proxy_async shared_cta
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  titan.cluster.arrive
  titan.cluster.wait
  scf.if %first {
    titan.elect warp(0) {
      %peer = titan.map_rank %buf, %i1 : !tile -> !peer
      titan.st %one, %peer[%c0, %c0] : bf16, !peer
      titan.fence.proxy_async shared_cluster
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  scf.if %first {
  } else {
    titan.elect warp(0) {
      titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// So does a fence without limit.
titan.kernel @all_spaces(%A: !global, %D: !global) warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %zero = arith.constant 0.0 : bf16
  %zeros = titan.splat %zero : bf16 -> !whole
  titan.shared.store %zeros, %buf : !whole, !tile
  titan.fence.proxy_async shared_cta
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  titan.cluster.arrive
  titan.cluster.wait
  scf.if %first {
    titan.elect warp(0) {
      %peer = titan.map_rank %buf, %i1 : !tile -> !peer
      titan.st %one, %peer[%c0, %c0] : bf16, !peer
      titan.fence.proxy_async all
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  scf.if %first {
  } else {
    titan.elect warp(0) {
      titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// SHARED-CTA: [proxy-fence-missing]
// shared_cta is the executing CTA's own.
titan.kernel @shared_cta(%A: !global, %D: !global) warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %zero = arith.constant 0.0 : bf16
  %zeros = titan.splat %zero : bf16 -> !whole
  titan.shared.store %zeros, %buf : !whole, !tile
  titan.fence.proxy_async shared_cta
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  titan.cluster.arrive
  titan.cluster.wait
  scf.if %first {
    titan.elect warp(0) {
      %peer = titan.map_rank %buf, %i1 : !tile -> !peer
      titan.st %one, %peer[%c0, %c0] : bf16, !peer
      titan.fence.proxy_async shared_cta
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  scf.if %first {
  } else {
    titan.elect warp(0) {
      titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// NO-FENCE: [proxy-fence-missing]
// No fence.
titan.kernel @no_fence(%A: !global, %D: !global) warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %zero = arith.constant 0.0 : bf16
  %zeros = titan.splat %zero : bf16 -> !whole
  titan.shared.store %zeros, %buf : !whole, !tile
  titan.fence.proxy_async shared_cta
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  titan.cluster.arrive
  titan.cluster.wait
  scf.if %first {
    titan.elect warp(0) {
      %peer = titan.map_rank %buf, %i1 : !tile -> !peer
      titan.st %one, %peer[%c0, %c0] : bf16, !peer
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  scf.if %first {
  } else {
    titan.elect warp(0) {
      titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// NO-BARRIER: [{{race|completion-not-observed}}]
// Fenced, but nothing tells the peer.
titan.kernel @no_barrier(%A: !global, %D: !global) warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %zero = arith.constant 0.0 : bf16
  %zeros = titan.splat %zero : bf16 -> !whole
  titan.shared.store %zeros, %buf : !whole, !tile
  titan.fence.proxy_async shared_cta
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  titan.cluster.arrive
  titan.cluster.wait
  scf.if %first {
    titan.elect warp(0) {
      %peer = titan.map_rank %buf, %i1 : !tile -> !peer
      titan.st %one, %peer[%c0, %c0] : bf16, !peer
      titan.fence.proxy_async shared_cluster
    }
  }
  scf.if %first {
  } else {
    titan.elect warp(0) {
      titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}
