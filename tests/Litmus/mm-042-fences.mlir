// MM-13, MM-21, MM-42: the fences around relaxed operations name the cluster, too.
//
// A CTA writes to its peer, with a relaxed arrive and wait between two fences.
//
// RUN: titan check %s --kernel cluster_fences --scope=error
// RUN: not titan check %s --kernel release_of_the_cta --scope=error 2>&1 | FileCheck %s --check-prefix=RELEASE-OF-THE-CTA
// RUN: not titan check %s --kernel acquire_of_the_cta --scope=error 2>&1 | FileCheck %s --check-prefix=ACQUIRE-OF-THE-CTA

!cell   = !titan.shared<32xi32>
!peerCell = !titan.shared<32xi32, cluster>
!bar    = !titan.mbarrier
!peerBar = !titan.mbarrier<1, cluster>

// Both name it.
titan.kernel @cluster_fences() warps(4) cluster(2) launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cell = titan.shared.alloc : !cell
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive
  titan.cluster.wait
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %first {
    titan.elect warp(0) {
      %their = titan.map_rank %cell, %i1 : !cell -> !peerCell
      %theirs = titan.map_rank %done, %i1 : !bar -> !peerBar
      titan.st %i1, %their[%c0] : i32, !peerCell
      titan.fence release cluster
      titan.mbarrier.arrive %theirs sem(relaxed) scope(cluster) : !peerBar
    }
  } else {
    titan.elect warp(0) {
      titan.mbarrier.wait %done parity(%i0) sem(relaxed) scope(cluster) : !bar
      titan.fence acquire cluster
      %x = titan.ld %cell[%c0] : !cell -> i32
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// RELEASE-OF-THE-CTA: [scope-too-narrow]
// The writer's fence does not.
titan.kernel @release_of_the_cta() warps(4) cluster(2) launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cell = titan.shared.alloc : !cell
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive
  titan.cluster.wait
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %first {
    titan.elect warp(0) {
      %their = titan.map_rank %cell, %i1 : !cell -> !peerCell
      %theirs = titan.map_rank %done, %i1 : !bar -> !peerBar
      titan.st %i1, %their[%c0] : i32, !peerCell
      titan.fence release cta
      titan.mbarrier.arrive %theirs sem(relaxed) scope(cluster) : !peerBar
    }
  } else {
    titan.elect warp(0) {
      titan.mbarrier.wait %done parity(%i0) sem(relaxed) scope(cluster) : !bar
      titan.fence acquire cluster
      %x = titan.ld %cell[%c0] : !cell -> i32
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// ACQUIRE-OF-THE-CTA: [scope-too-narrow]
// The reader's fence does not.
titan.kernel @acquire_of_the_cta() warps(4) cluster(2) launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cell = titan.shared.alloc : !cell
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive
  titan.cluster.wait
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %first {
    titan.elect warp(0) {
      %their = titan.map_rank %cell, %i1 : !cell -> !peerCell
      %theirs = titan.map_rank %done, %i1 : !bar -> !peerBar
      titan.st %i1, %their[%c0] : i32, !peerCell
      titan.fence release cluster
      titan.mbarrier.arrive %theirs sem(relaxed) scope(cluster) : !peerBar
    }
  } else {
    titan.elect warp(0) {
      titan.mbarrier.wait %done parity(%i0) sem(relaxed) scope(cluster) : !bar
      titan.fence acquire cta
      %x = titan.ld %cell[%c0] : !cell -> i32
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}
