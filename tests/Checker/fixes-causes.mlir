// What a finding names, and advises, is what was written: the copy and not what it has become, two threads of
// a race, the cause and not what follows from it.
//
// RUN: titan check %s
// RUN: titan run %s --kernel stores --schedule random:1
//
// A thread of each of four warps stores the tile.
// VARIANT each: replace elect with titan.elect {
// RUN: %variant each %s | not titan check - --kernel stores 2>&1 | FileCheck %s --check-prefix=EACH
// EACH: error: [completion-not-observed] 'titan.copy_async' (tma) writes global memory
// EACH: its source has been read behind titan.bulk.wait %group read; it is done behind titan.bulk.wait %group
// EACH: fix: a thread of each of 4 warps does this, to the same bytes: write titan.elect warp(0) for the titan.elect around it
//
// Nothing is between the threads that write the tile and those that read it.
// VARIANT race: drop sync
// RUN: %variant race %s | not titan check - --kernel copies 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: [race] 'titan.shared.load' reads shared memory through the generic proxy that 'titan.copy' ({{[a-z]+}}) wrote, and nothing orders the two
// RACE-NEXT: titan.shared.load
// RACE: CTA 0, warp 0: 'titan.copy' ({{[a-z]+}})
// RACE-NEXT: CTA 0, warp 0, another lane: 'titan.shared.load'
//
// The first barrier expects half of what comes. Nothing comes for the second one, since nobody gets there.
// VARIANT half: replace first with titan.mbarrier.arrive_expect_tx %first, %half : !bar
// RUN: %variant half %s | not titan check - --kernel waits 2>&1 | FileCheck %s --check-prefix=HALF --implicit-check-not=error:
// HALF: error: [barrier-bytes] phase 0 of barrier %first expects 2048 bytes, and the copies that complete on it bring 4096
// HALF: fix: expect 4096 bytes at %first in each phase
// HALF: refused: 1 error
// Of one whose bytes never come that is still told.
// VARIANT none: drop load
// RUN: %variant none %s | not titan check - --kernel waits 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: [barrier-bytes] phase 0 of barrier %full expects 4096 bytes, and the copies that complete on it bring 0
// NONE: fix: no copy completes on %full: issue it, or expect no bytes
//
// Ranks count from 0.
// VARIANT rank: replace rank with %two = arith.constant 2 : i32 %far = titan.map_rank %tile, %two : !tile -> !peer
// RUN: %variant rank %s | not titan check - --kernel copies 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: [out-of-bounds] rank 2 of a cluster of 2 CTAs
// RANK: fix: ranks count from 0 to 1

#tile = #titan.schedule<tensor M x N Mo, Mi = split(M, 32) No, Ni = split(N, 64) bulk Mi, Ni>
#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#others = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [2, 2]>
!matrix = !titan.global<?x?xf16>
!square = !titan.global<32x64xf16>
!tile = !titan.shared<32x64xf16>
!peer = !titan.shared<32x64xf16, cluster>
!bulk = !titan.token<bulk>
!bar = !titan.mbarrier
!map = !titan.tensor_map<32x64xf16>

titan.kernel @stores(%B: !matrix) warps(4) attributes {
  titan.alignment = {B = 16}, titan.example = {B = "32x64"}
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %tile = titan.shared.alloc : !tile
  %one = arith.constant 1.0 : f16
  %v = titan.splat %one : f16 -> tensor<32x64xf16, #rows>
  titan.shared.store %v, %tile : tensor<32x64xf16, #rows>, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) { // @elect
    titan.copy_async %tile to %B at(Mo = %c0, No = %c0) schedule(#tile) : !tile, !matrix
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.return
}

titan.kernel @copies(%A: !square) warps(4) cluster(2) attributes {
  titan.example = {A = "32x64 ints:1"}
} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %tile = titan.shared.alloc : !tile
  %rank = titan.cluster_rank // @rank
  titan.copy %A[%c0, %c0] to %tile : !square, !tile
  titan.cta_sync // @sync
  %v = titan.shared.load %tile : !tile -> tensor<32x64xf16, #others>
  titan.return
}

titan.kernel @waits(%A: !square) warps(1) attributes {
  titan.alignment = {A = 16}, titan.example = {A = "32x64 ints:1"}
} launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %A : !square -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %half = arith.constant 2048 : i32
  %bytes = arith.constant 4096 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %first = titan.mbarrier.alloc : !bar
  %full = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %first count(1) : !bar
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.mbarrier.arrive_expect_tx %first, %bytes : !bar // @first
    titan.tma.load %map[%c0, %c0], %a, %first : !map, !tile, !bar
    titan.mbarrier.wait %first parity(%i0) : !bar
    titan.tma.load %map[%c0, %c0], %b, %full : !map, !tile, !bar // @load
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  titan.return
}
