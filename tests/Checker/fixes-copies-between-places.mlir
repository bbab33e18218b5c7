// Mistakes around copies between places, and around stores of single elements: each fix is of the case.
//
// RUN: for k in diagonal rows pair; do titan check %s --kernel $k || exit 1; done
//
// A thread of each of four warps stores: one is meant, and a barrier between them would help nobody.
// VARIANT each: replace ELECT with titan.elect {
// RUN: %variant each %s | not titan check - --kernel diagonal 2>&1 | FileCheck %s --check-prefix=EACH
// EACH: error: [race] 'titan.st' writes shared memory
// EACH: fix: a thread of each of 4 warps does this, to the same bytes: write titan.elect warp(0) for the titan.elect around it
//
// VARIANT beyond: in STORE `%i, %i` -> `%i, %c64`
// RUN: %variant beyond %s | not titan check - --kernel diagonal 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: error: [out-of-bounds] index 64 of dimension 1 of %tile, which has 64 elements
// BEYOND: fix: indices of dimension 1 of %tile count from 0 to 63
//
// The tile is twice as large as the step from one CTA to the next: there are no barriers between CTAs.
// VARIANT step: in STEP `%c64` -> `%c32`
// RUN: %variant step %s | not titan check - --kernel rows 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: error: [race] 'titan.copy' (vectors) writes global memory
// STEP: fix: let each CTA write a part of its own of %Y: CTAs 0 and 1 write the same elements
//
// Nobody waits for what the peer brings.
// VARIANT nobody: drop WAIT
// RUN: %variant nobody %s | not titan check - --kernel pair 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: error: [completion-not-observed] 'titan.copy' (vectors) reads shared memory
// NOBODY: fix: wait for %full of CTA {{[01]}} (titan.mbarrier.wait, parity 0, scope(cluster)) before 'titan.copy' (vectors) reads what the copy brings
// What stood there before the copy may be meant: the fix says no more than the code.
// VARIANT early: drop WAIT
// VARIANT early: before CLUSTER add titan.copy %A[%row, %c0] to %theirs : !matrix, !tile
// RUN: %variant early %s | not titan check - --kernel pair 2>&1 | FileCheck %s --check-prefix=EARLY --implicit-check-not='titan.mbarrier.wait, parity'
// EARLY: fix: wait for the operation's phase or group, and let that wait precede the access

!matrix = !titan.global<?x64xf16, strides = [64, 1]>
!tile = !titan.shared<64x64xf16>

titan.kernel @diagonal(%X: !matrix, %Y: !matrix) warps(4) attributes {titan.alignment = {X = 16, Y = 16}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f16
  %tile = titan.shared.alloc : !tile
  titan.copy %X to %tile : !matrix, !tile
  titan.cta_sync
  titan.elect warp(0) { // @ELECT
    scf.for %i = %c0 to %c64 step %c1 {
      titan.st %one, %tile[%i, %i] : f16, !tile // @STORE
    }
  }
  titan.cta_sync
  titan.copy %tile to %Y : !tile, !matrix
  titan.return
}

titan.kernel @rows(%X: !matrix, %Y: !matrix) warps(4) attributes {titan.alignment = {X = 16, Y = 16}} launch {
  %c64 = arith.constant 64 : index
  %m = titan.dim %X, 0 : !matrix
  %tiles = arith.ceildivui %m, %c64 : index
  titan.launch grid(%tiles)
} body() {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %tile = titan.shared.alloc : !tile
  %cta = titan.cta_id 0
  %row = arith.muli %cta, %c64 : index // @STEP
  titan.copy %X[%row, %c0] to %tile : !matrix, !tile
  titan.cta_sync
  titan.copy %tile to %Y[%row, %c0] : !tile, !matrix
  titan.return
}

titan.kernel @pair(%A: !matrix, %B: !matrix) warps(4) cluster(2, 1) attributes {titan.alignment = {A = 16, B = 16}} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %mine = titan.shared.alloc : !tile
  %theirs = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %cta = titan.cta_id 0
  %row = arith.muli %cta, %c64 : index
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
  }
  titan.copy %A[%row, %c0] to %mine : !matrix, !tile
  titan.fence.proxy_async shared_cta // @CLUSTER
  titan.cluster.arrive
  titan.cluster.wait
  %rank = titan.cluster_rank
  %peer = arith.xori %rank, %i1 : i32
  titan.elect warp(0) {
    titan.copy_async %mine to %theirs rank(%peer) signals %full : !tile, !tile, !titan.mbarrier
  }
  titan.mbarrier.wait %full parity(%i0) scope(cluster) : !titan.mbarrier // @WAIT
  titan.copy %theirs to %B[%row, %c0] : !tile, !matrix
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}
