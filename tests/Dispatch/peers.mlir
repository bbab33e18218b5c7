// To a peer and from one, beside dsmem: by the stores of all threads (st.async, red.async), by bulk reductions, by loads
// of the peer's memory.
//
// RUN: titan explain copy %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: kernel @threads, line [[#]]: titan.copy_async %mine to %theirs; all threads of the CTA, 2 warps
// EXPLAIN-NEXT: dsmem no: single_thread: expected single thread (titan.elect), and all threads of the CTA, 2 warps execute it
// EXPLAIN-NEXT: st_async 5 instructions of 1024 bytes, 64 threads, no fences; priority 0 <- chosen
// EXPLAIN: kernel @bulk
// EXPLAIN: dsmem 1 instruction of 1024 bytes, 1 thread, 1 fence; priority 10 <- chosen
// EXPLAIN-NEXT: st_async no: all_threads: expected all threads of warps, and one thread executes it
// EXPLAIN: kernel @pull, line [[#]]: titan.copy %theirs to %mine
// EXPLAIN: vectors 2 instructions of 1024 bytes, 64 threads, no fences; priority 0 <- chosen
// RUN: for k in threads bulk "pull --require=proved"; do titan check %s --kernel $k || exit 1; done | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED-COUNT-3: accepted: 0 errors, 0 warnings
// RUN: for k in threads bulk pull; do for s in eager lazy random:1; do for h in on off; do titan run %s --kernel $k --schedule $s --hazards $h || exit 1; done; done; done | FileCheck %s --check-prefix=EQUAL
// EQUAL-COUNT-18: elements equal to the reference, bit for bit
// RUN: titan compile --emit=ptx --kernel threads %s | FileCheck %s --check-prefix=THREADS
// THREADS-COUNT-4: red.async.relaxed.cluster{{.*}}.add.u32
// RUN: titan compile --emit=ptx --kernel bulk %s | FileCheck %s --check-prefix=BULK
// BULK: cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32
// RUN: titan compile --emit=ptx --kernel pull %s | FileCheck %s --check-prefix=PULL
// PULL: ld.shared::cluster.v4
//
// Without the reduction: st.async, four words at a time.
// VARIANT stored: in SEND ` reduce(add)` -> ``
// RUN: %variant stored %s | titan compile --emit=ptx --kernel threads - | FileCheck %s --check-prefix=STORED
// STORED-COUNT-1: st.async.{{.*}}.v4
// RUN: %variant stored %s | titan check --kernel threads - | FileCheck %s --check-prefix=STORED-ACCEPTED
// STORED-ACCEPTED: accepted: 0 errors, 0 warnings
// What there is no instruction for, the operations that it would be say.
// VARIANT maximum: in TYPE `xi32>` -> `xi64>`
// VARIANT maximum: in GLOBAL `xi32,` -> `xi64,`
// VARIANT maximum: in SEND `add` -> `max`
// RUN: %variant maximum %s | not titan explain copy --kernel threads - 2>&1 | FileCheck %s --check-prefix=MAXIMUM
// MAXIMUM: st_async: titan.red_async: [bulk-reduce-type] no reduction 'max' of 'i64' in shared memory
// VARIANT multicast: in SEND `signals` -> `multicast(%both) signals`
// RUN: %variant multicast %s | not titan explain copy --kernel threads - 2>&1 | FileCheck %s --check-prefix=MULTICAST
// MULTICAST: st_async: words: goes to one place: multicast is of copies from global memory
// VARIANT silent: in SEND ` signals %full` -> ``
// VARIANT silent: in SEND `, !titan.mbarrier` -> ``
// RUN: %variant silent %s | not titan explain copy --kernel threads - 2>&1 | FileCheck %s --check-prefix=SILENT
// SILENT: st_async: has_peer: no barrier: a copy to a peer completes on its mbarrier, signals %full
// VARIANT far: in FROM `%peer` -> `%c7`
// RUN: %variant far %s | not titan explain copy --kernel pull - 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: vectors: rank_in_cluster: rank 7 of a cluster of 2 CTAs
// The peer may be gone; may not have stored yet; nobody waits.
// VARIANT gone: drop PART
// VARIANT gone: drop PARTED
// RUN: %variant gone %s | not titan check --kernel pull - 2>&1 | FileCheck %s --check-prefix=GONE
// GONE: [cluster-exit]
// VARIANT early: drop MEET
// VARIANT early: drop MET
// RUN: %variant early %s | not titan check --kernel pull - 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: [{{race|cluster-entry}}]
// VARIANT no_wait: drop WAIT
// RUN: %variant no_wait %s | not titan check --kernel threads - 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// NO-WAIT: [{{race|completion-not-observed|async-unordered|cluster-exit}}]

!matrix = !titan.global<32x16xi32, strides = [16, 1]> // @GLOBAL
!tile = !titan.shared<16x16xi32> // @TYPE

titan.kernel @threads(%A: !matrix, %B: !matrix) warps(2) cluster(2, 1) attributes {
  titan.alignment = {A = 16, B = 16}, titan.example = {A = "32x16 ints:1", B = "32x16"}, titan.reference = @doubled
} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %both = arith.constant 3 : i16
  %c16 = arith.constant 16 : index
  %bytes = arith.constant 1024 : i32
  %mine = titan.shared.alloc : !tile
  %theirs = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %rank = titan.cluster_rank
  %peer = arith.subi %i1, %rank : i32
  %own = arith.index_cast %rank : i32 to index
  %other = arith.index_cast %peer : i32 to index
  %row = arith.muli %own, %c16 : index
  %far = arith.muli %other, %c16 : index
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
  }
  titan.copy %A[%row, %c0] to %mine : !matrix, !tile
  titan.copy %A[%far, %c0] to %theirs : !matrix, !tile
  titan.cluster.arrive
  titan.cluster.wait
  titan.copy_async %mine to %theirs rank(%peer) signals %full reduce(add) : !tile, !tile, !titan.mbarrier // @SEND
  titan.mbarrier.wait %full parity(%i0) scope(cluster) : !titan.mbarrier // @WAIT
  titan.copy %theirs to %B[%row, %c0] : !tile, !matrix
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

titan.kernel @bulk(%A: !matrix, %B: !matrix) warps(2) cluster(2, 1) attributes {
  titan.alignment = {A = 16, B = 16}, titan.example = {A = "32x16 ints:1", B = "32x16"}, titan.reference = @doubled
} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : index
  %bytes = arith.constant 1024 : i32
  %mine = titan.shared.alloc : !tile
  %theirs = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %rank = titan.cluster_rank
  %peer = arith.subi %i1, %rank : i32
  %own = arith.index_cast %rank : i32 to index
  %other = arith.index_cast %peer : i32 to index
  %row = arith.muli %own, %c16 : index
  %far = arith.muli %other, %c16 : index
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
  }
  titan.copy %A[%row, %c0] to %mine : !matrix, !tile
  titan.copy %A[%far, %c0] to %theirs : !matrix, !tile
  titan.fence.proxy_async shared_cta
  titan.cluster.arrive
  titan.cluster.wait
  titan.elect warp(0) {
    titan.copy_async %mine to %theirs rank(%peer) signals %full reduce(add) : !tile, !tile, !titan.mbarrier
  }
  titan.mbarrier.wait %full parity(%i0) scope(cluster) : !titan.mbarrier
  titan.copy %theirs to %B[%row, %c0] : !tile, !matrix
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

titan.kernel @pull(%A: !matrix, %B: !matrix) warps(2) cluster(2, 1) attributes {
  titan.alignment = {A = 16, B = 16}, titan.example = {A = "32x16 ints:1", B = "32x16"}, titan.reference = @exchanged
} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %c16 = arith.constant 16 : index
  %mine = titan.shared.alloc : !tile
  %theirs = titan.shared.alloc : !tile
  %rank = titan.cluster_rank
  %peer = arith.subi %i1, %rank : i32
  %own = arith.index_cast %rank : i32 to index
  %row = arith.muli %own, %c16 : index
  titan.copy %A[%row, %c0] to %theirs : !matrix, !tile
  titan.cluster.arrive // @MEET
  titan.cluster.wait // @MET
  titan.copy %theirs rank(%peer) to %mine : !tile, !tile // @FROM
  titan.cluster.arrive // @PART
  titan.cluster.wait // @PARTED
  titan.copy %mine to %B[%row, %c0] : !tile, !matrix
  titan.return
}

// B = the peer's rows of A, and twice that: both CTAs have them.
func.func private @doubled(%A: memref<32x16xi32> {titan.input = "A"}, %B: memref<32x16xi32> {titan.expected = "B"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  scf.for %m = %c0 to %c32 step %c1 {
    scf.for %n = %c0 to %c16 step %c1 {
      %from = arith.xori %m, %c16 : index
      %a = memref.load %A[%from, %n] : memref<32x16xi32>
      %x = arith.addi %a, %a : i32
      memref.store %x, %B[%m, %n] : memref<32x16xi32>
    }
  }
  return
}
func.func private @exchanged(%A: memref<32x16xi32> {titan.input = "A"}, %B: memref<32x16xi32> {titan.expected = "B"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  scf.for %m = %c0 to %c32 step %c1 {
    scf.for %n = %c0 to %c16 step %c1 {
      %from = arith.xori %m, %c16 : index
      %a = memref.load %A[%from, %n] : memref<32x16xi32>
      memref.store %a, %B[%m, %n] : memref<32x16xi32>
    }
  }
  return
}
