// Whose fence stands before which signal: a fence by each lane tells nobody but that lane, until lanes meet behind it.
// (unittests/Analysis/ProvedLitmusTest.cpp asks for a proof of those that the search refuses, too.)
//
// RUN: titan check %s --kernel before --require=proved
// RUN: titan check %s --kernel each --require=proved
// RUN: titan check %s --kernel peers --require=proved
// RUN: not titan check %s --kernel behind 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not titan check %s --kernel peers_proxy_fence 2>&1 | FileCheck %s --check-prefix=PEERS
// BEHIND: [proxy-fence-missing]
// PEERS: [barrier-init-fence]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!bar = !titan.mbarrier
!regs = tensor<8x64xbf16, #rows>

// Each lane fences, and syncwarp brings all that to the lane that arrives.
titan.kernel @before(%X: !global) warps(2) attributes {titan.target = "sm_90a"} launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %X : !global -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %x = titan.splat %one : bf16 -> !regs
  %t = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.shared.store %x, %t : !regs, !tile
      titan.fence.proxy_async shared_cta
      titan.syncwarp
      titan.elect {
        titan.mbarrier.arrive %full : !bar
      }
    }
    titan.partition "b" warps(1) {
      titan.mbarrier.wait %full parity(%i0) : !bar
      titan.elect {
        titan.tma.store %t, %map[%c0, %c0] : !tile, !map
        %g = titan.bulk.commit : !titan.token<bulk>
        titan.bulk.wait %g read : !titan.token<bulk>
      }
    }
  }
  titan.return
}

// Each lane arrives behind its own fence.
titan.kernel @each(%X: !global) warps(2) attributes {titan.target = "sm_90a"} launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %X : !global -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %x = titan.splat %one : bf16 -> !regs
  %t = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(32) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.shared.store %x, %t : !regs, !tile
      titan.syncwarp
      titan.fence.proxy_async shared_cta
      titan.mbarrier.arrive %full : !bar
    }
    titan.partition "b" warps(1) {
      titan.mbarrier.wait %full parity(%i0) : !bar
      titan.elect {
        titan.tma.store %t, %map[%c0, %c0] : !tile, !map
        %g = titan.bulk.commit : !titan.token<bulk>
        titan.bulk.wait %g read : !titan.token<bulk>
      }
    }
  }
  titan.return
}

// The lanes have met before they fence: the one that arrives knows of its own fence only.
titan.kernel @behind(%X: !global) warps(2) attributes {titan.target = "sm_90a"} launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %X : !global -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %x = titan.splat %one : bf16 -> !regs
  %t = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.shared.store %x, %t : !regs, !tile
      titan.syncwarp
      titan.fence.proxy_async shared_cta
      titan.elect {
        titan.mbarrier.arrive %full : !bar
      }
    }
    titan.partition "b" warps(1) {
      titan.mbarrier.wait %full parity(%i0) : !bar
      titan.elect {
        titan.tma.store %t, %map[%c0, %c0] : !tile, !map
        %g = titan.bulk.commit : !titan.token<bulk>
        titan.bulk.wait %g read : !titan.token<bulk>
      }
    }
  }
  titan.return
}

// Peers may signal a barrier when its initialiser has executed fence.mbarrier_init ...
titan.kernel @peers() warps(1) cluster(2) attributes {titan.target = "sm_90a"} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive
  titan.cluster.wait
  %rank = titan.cluster_rank
  %peer = arith.xori %rank, %i1 : i32
  %theirs = titan.map_rank %full, %peer : !bar -> !titan.mbarrier<cluster>
  titan.elect warp(0) {
    titan.mbarrier.arrive %theirs scope(cluster) : !titan.mbarrier<cluster>
  }
  titan.mbarrier.wait %full parity(%i0) scope(cluster) : !bar
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// ... and not when that was a proxy fence, which does within the CTA.
titan.kernel @peers_proxy_fence() warps(1) cluster(2) attributes {titan.target = "sm_90a"} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.proxy_async shared_cta
  }
  titan.cluster.arrive
  titan.cluster.wait
  %rank = titan.cluster_rank
  %peer = arith.xori %rank, %i1 : i32
  %theirs = titan.map_rank %full, %peer : !bar -> !titan.mbarrier<cluster>
  titan.elect warp(0) {
    titan.mbarrier.arrive %theirs scope(cluster) : !titan.mbarrier<cluster>
  }
  titan.mbarrier.wait %full parity(%i0) scope(cluster) : !bar
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}
