// MM-23: the cluster barrier releases and acquires; a relaxed arrive orders nothing.
//
// The CTA of rank 0 writes its shared memory, its peer reads it.
//
// RUN: titan check %s --kernel release
// RUN: not titan check %s --kernel relaxed 2>&1 | FileCheck %s --check-prefix=RELAXED
// RUN: titan check %s --kernel relaxed_after_fence
// RUN: not titan check %s --kernel fence_of_the_cta --scope=error 2>&1 | FileCheck %s --check-prefix=FENCE-OF-THE-CTA

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
!peer   = !titan.shared<64x64xbf16, swizzle = 128, cluster>

// The default arrive releases.
titan.kernel @release(%A: !global, %D: !global) warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile

  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %first {
    titan.elect warp(0) {
      titan.st %one, %buf[%c0, %c0] : bf16, !tile
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  scf.if %first {
  } else {
    titan.elect warp(0) {
      %peer = titan.map_rank %buf, %i0 : !tile -> !peer
      %x = titan.ld %peer[%c0, %c0] : !peer -> bf16
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// RELAXED: [race]
// A relaxed arrive does not.
titan.kernel @relaxed(%A: !global, %D: !global) warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile

  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %first {
    titan.elect warp(0) {
      titan.st %one, %buf[%c0, %c0] : bf16, !tile
    }
  }
  titan.cluster.arrive relaxed
  titan.cluster.wait
  scf.if %first {
  } else {
    titan.elect warp(0) {
      %peer = titan.map_rank %buf, %i0 : !tile -> !peer
      %x = titan.ld %peer[%c0, %c0] : !peer -> bf16
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// A fence at cluster scope before it does.
titan.kernel @relaxed_after_fence(%A: !global, %D: !global) warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile

  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %first {
    titan.elect warp(0) {
      titan.st %one, %buf[%c0, %c0] : bf16, !tile
    }
  }
  titan.fence release cluster
  titan.cluster.arrive relaxed
  titan.cluster.wait
  scf.if %first {
  } else {
    titan.elect warp(0) {
      %peer = titan.map_rank %buf, %i0 : !tile -> !peer
      %x = titan.ld %peer[%c0, %c0] : !peer -> bf16
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// FENCE-OF-THE-CTA: [{{race|scope-too-narrow}}]
// A fence at CTA scope does not reach the peer.
titan.kernel @fence_of_the_cta(%A: !global, %D: !global) warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile

  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %first {
    titan.elect warp(0) {
      titan.st %one, %buf[%c0, %c0] : bf16, !tile
    }
  }
  titan.fence release cta
  titan.cluster.arrive relaxed
  titan.cluster.wait
  scf.if %first {
  } else {
    titan.elect warp(0) {
      %peer = titan.map_rank %buf, %i0 : !tile -> !peer
      %x = titan.ld %peer[%c0, %c0] : !peer -> bf16
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}
