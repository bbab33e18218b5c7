// MM-33, MM-38, MM-54, MM-61, MM-80: copies and stores to a peer complete on the peer's barrier.
//
// Each CTA of a pair sends a tile to the other one.
//
// RUN: titan check %s --kernel exchange
// RUN: titan run %s --shape A=32x64 --arg A=ints:1 --schedule lazy
// By the threads, from their registers.
// VARIANT by_threads: drop send
// VARIANT by_threads: after behind add titan.st_async %v, %there, %bar : !reg, !peer, !far
// RUN: %variant by_threads %s | titan check -
// RUN: %variant by_threads %s | titan run - --shape A=32x64 --arg A=ints:1
// VARIANT by_threads_no_wait: as by_threads
// VARIANT by_threads_no_wait: drop wait
// RUN: %variant by_threads_no_wait %s | not titan check - 2>&1 | FileCheck %s --check-prefix=COMPLETION
// RUN: %variant by_threads_no_wait %s | not titan run - --shape A=32x64 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=COMPLETION
// The peer expects other bytes than come.
// VARIANT half: replace expect with titan.mbarrier.arrive_expect_tx %got, %half : !bar
// RUN: %variant half %s | not titan check - 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: %variant half %s | not titan run - --shape A=32x64 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: [{{barrier-bytes|phase-ambiguous}}]
// It completes the rest by hand.
// VARIANT by_hand: replace expect with titan.mbarrier.arrive_expect_tx %got, %more : !bar
// VARIANT by_hand: after expect add titan.mbarrier.complete_tx %got, %half : !bar
// RUN: %variant by_hand %s | titan check -
// RUN: %variant by_hand %s | titan run - --shape A=32x64 --arg A=ints:1
// Barrier and destination are in two CTAs.
// VARIANT two_ctas: replace signal with %bar = titan.map_rank %got, %rank : !bar -> !far
// RUN: %variant two_ctas %s | not titan check - 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: %variant two_ctas %s | not titan run - --shape A=32x64 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: [peer-place]
// Both are in the executing one.
// VARIANT own: as two_ctas
// VARIANT own: replace data with %there = titan.map_rank %theirs, %rank : !tile -> !peer
// RUN: %variant own %s | not titan check - 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: %variant own %s | not titan run - --shape A=32x64 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=PLACE
// Nobody waits before reading.
// VARIANT no_wait: drop wait
// RUN: %variant no_wait %s | not titan check - 2>&1 | FileCheck %s --check-prefix=COMPLETION
// RUN: %variant no_wait %s | not titan run - --shape A=32x64 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=COMPLETION
// COMPLETION: [{{completion-not-observed|exit-with-work-outstanding|cluster-exit}}]
// The source changes while it is read: only the peer's barrier would tell.
// VARIANT source_changes: after behind add titan.shared.store %v, %mine : !reg, !tile
// RUN: %variant source_changes %s | not titan check - 2>&1 | FileCheck %s --check-prefix=COMPLETION
// RUN: %variant source_changes %s | not titan run - --shape A=32x64 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=COMPLETION
// A CTA ends while its peer's copy may still be read: the fix is that of copies to peers.
// VARIANT no_end: drop last
// VARIANT no_end: drop gone
// RUN: %variant no_end %s | not titan check - 2>&1 | FileCheck %s --check-prefix=END
// END: [exit-with-work-outstanding]
// END: fix: the copy completes on the peer's barrier, whose waits tell the peer alone: end the kernel with titan.cluster.arrive and titan.cluster.wait
// The peer may not have started.
// VARIANT no_entry: drop meet
// VARIANT no_entry: drop met
// RUN: %variant no_entry %s | not titan check - 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: %variant no_entry %s | not titan run - --shape A=32x64 --arg A=ints:1 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: [{{cluster-entry|barrier-init-fence|barrier-not-initialised}}]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [2, 1]>
!matrix = !titan.global<32x64xbf16>
!tile = !titan.shared<32x64xbf16, swizzle = 128>
!peer = !titan.shared<32x64xbf16, swizzle = 128, cluster>
!bar = !titan.mbarrier
!far = !titan.mbarrier<cluster>
!index = tensor<32x64xi32, #rows>
!reg = tensor<32x64xbf16, #rows>

titan.kernel @exchange(%A: !matrix) warps(2) cluster(2, 1) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 4096 : i32
  %half = arith.constant 2048 : i32
  %more = arith.constant 6144 : i32
  %mine = titan.shared.alloc : !tile
  %theirs = titan.shared.alloc : !tile
  %got = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %got count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %got, %bytes : !bar // @expect
  }
  %rank = titan.cluster_rank
  %other = arith.xori %rank, %i1 : i32
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  %v = titan.global.load %A[%i, %j] : !matrix, !index, !index -> !reg
  titan.shared.store %v, %mine : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cluster.arrive // @meet
  titan.cluster.wait // @met
  %there = titan.map_rank %theirs, %other : !tile -> !peer // @data
  %bar = titan.map_rank %got, %other : !bar -> !far // @signal
  titan.elect warp(0) {
    titan.bulk.copy_to_peer %mine, %there, %bar : !tile, !peer, !far // @send
  } // @behind
  titan.mbarrier.wait %got parity(%i0) scope(cluster) : !bar // @wait
  %x = titan.shared.load %theirs : !tile -> !reg
  titan.cluster.arrive // @last
  titan.cluster.wait // @gone
  titan.return
}
