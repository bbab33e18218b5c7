// MM-48, MM-54, MM-58: reductions of threads into a peer's shared memory commute with their like alone.
//
// Each CTA of a pair adds a tile to the other one's, twice.
//
// RUN: titan check %s
// RUN: titan run %s --schedule lazy
// RUN: titan run %s --schedule random:1
// The largest, and the sum: which comes first shows.
// VARIANT two_kinds: replace second with titan.red_async max %v, %there, %bar : !reg, !peer, !far
// RUN: %variant two_kinds %s | not titan check - 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: %variant two_kinds %s | not titan run - 2>&1 | FileCheck %s --check-prefix=UNORDERED
// UNORDERED: [async-unordered]
// A store is no reduction.
// VARIANT stored: replace second with titan.st_async %v, %there, %bar : !reg, !peer, !far
// RUN: %variant stored %s | not titan check - 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: %variant stored %s | not titan run - 2>&1 | FileCheck %s --check-prefix=UNORDERED
// The barrier has not told of them yet.
// VARIANT no_wait: drop wait
// RUN: %variant no_wait %s | not titan check - 2>&1 | FileCheck %s --check-prefix=COMPLETION
// RUN: %variant no_wait %s | not titan run - 2>&1 | FileCheck %s --check-prefix=COMPLETION
// COMPLETION: [completion-not-observed]
// Nothing to add to: what is there nobody has written before the peer may add.
// VARIANT too_late: drop zero
// VARIANT too_late: after met add titan.shared.store %v, %theirs : !reg, !tile
// RUN: %variant too_late %s | not titan check - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: %variant too_late %s | not titan run - 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: [{{race|undefined-read}}]
// Bytes of one of them are completed by hand, and come besides.
// VARIANT by_hand: after expect add titan.mbarrier.complete_tx %got, %half : !bar
// RUN: %variant by_hand %s | not titan check - 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: %variant by_hand %s | not titan run - 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: [{{barrier-bytes|phase-ambiguous}}]
// The one that is left out is completed by hand.
// VARIANT once: as by_hand
// VARIANT once: drop second
// RUN: %variant once %s | titan check -
// RUN: %variant once %s | titan run -

#rows = #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [2, 1]>
!tile = !titan.shared<16x32xi32>
!peer = !titan.shared<16x32xi32, cluster>
!bar = !titan.mbarrier
!far = !titan.mbarrier<cluster>
!reg = tensor<16x32xi32, #rows>

titan.kernel @sums() warps(2) cluster(2, 1) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 4096 : i32
  %half = arith.constant 2048 : i32
  %theirs = titan.shared.alloc : !tile
  %got = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %got count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %got, %bytes : !bar // @expect
  }
  %v = titan.coordinate 1 : !reg
  titan.shared.store %v, %theirs : !reg, !tile // @zero
  titan.cluster.arrive
  titan.cluster.wait // @met
  %rank = titan.cluster_rank
  %other = arith.xori %rank, %i1 : i32
  %there = titan.map_rank %theirs, %other : !tile -> !peer
  %bar = titan.map_rank %got, %other : !bar -> !far
  titan.red_async add %v, %there, %bar : !reg, !peer, !far
  titan.red_async add %v, %there, %bar : !reg, !peer, !far // @second
  titan.mbarrier.wait %got parity(%i0) scope(cluster) : !bar // @wait
  %x = titan.shared.load %theirs : !tile -> !reg
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}
