// MM-35, MM-104: a commit arrives when all earlier products of its thread are over, and their operands read.
//
// A product reads a tile of shared memory, which is filled again.
//
// RUN: titan check %s --kernel refilled --war=error
// RUN: not titan check %s --kernel not_waited 2>&1 | FileCheck %s --check-prefix=NOT-WAITED
// RUN: not titan check %s --kernel committed_before 2>&1 | FileCheck %s --check-prefix=COMMITTED-BEFORE
// RUN: titan check %s --kernel all_earlier
// RUN: not titan check %s --kernel one_later 2>&1 | FileCheck %s --check-prefix=ONE-LATER
// RUN: not titan check %s --kernel other_thread 2>&1 | FileCheck %s --check-prefix=OTHER-THREAD
// RUN: not titan check %s --kernel arrive_instead 2>&1 | FileCheck %s --check-prefix=ARRIVE-INSTEAD
// RUN: titan check %s --kernel written_by_hand
// RUN: not titan check %s --kernel written_too_early 2>&1 | FileCheck %s --check-prefix=WRITTEN-TOO-EARLY

#row    = #titan.tmem<"32x32b">
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!sums   = !titan.tensor_memory<128x64xf32>
!values = !titan.tensor_memory<128x64xbf16>
!reg    = tensor<64x64xbf16, #rows>
!half   = tensor<128x64xbf16, #row>
!full   = tensor<128x64xf32, #row>
!flight = !titan.inflight<tensor<128x64xf32, #row>>

// The barrier of the commit tells that the tile has been read.
titan.kernel @refilled(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %no = arith.constant false
  %yes = arith.constant true
  %f1 = arith.constant 1.0 : bf16
  %b = titan.shared.alloc : !tile
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %done = titan.mbarrier.alloc : !bar
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  %tile = titan.splat %f1 : bf16 -> !reg
  %half = titan.splat %f1 : bf16 -> !half
  titan.shared.store %tile, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  %bytes = arith.constant 8192 : i32
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.commit %done : !bar
    titan.mbarrier.wait %done parity(%i0) : !bar
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %b, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.mbarrier.wait %done parity(%i0) : !bar
  titan.tcgen05.fence_after
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// NOT-WAITED: [mma-slot-reuse]
// The copy may overwrite what the product still reads.
titan.kernel @not_waited(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %no = arith.constant false
  %yes = arith.constant true
  %f1 = arith.constant 1.0 : bf16
  %b = titan.shared.alloc : !tile
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %done = titan.mbarrier.alloc : !bar
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  %tile = titan.splat %f1 : bf16 -> !reg
  %half = titan.splat %f1 : bf16 -> !half
  titan.shared.store %tile, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  %bytes = arith.constant 8192 : i32
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.commit %done : !bar
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %b, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.mbarrier.wait %done parity(%i0) : !bar
  titan.tcgen05.fence_after
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// COMMITTED-BEFORE: [mma-slot-reuse]
// A commit is for what was issued before it.
titan.kernel @committed_before(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %no = arith.constant false
  %yes = arith.constant true
  %f1 = arith.constant 1.0 : bf16
  %b = titan.shared.alloc : !tile
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %done = titan.mbarrier.alloc : !bar
  %full = titan.mbarrier.alloc : !bar
  %again = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %again count(1) : !bar
    titan.fence.mbarrier_init
  }
  %tile = titan.splat %f1 : bf16 -> !reg
  %half = titan.splat %f1 : bf16 -> !half
  titan.shared.store %tile, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  %bytes = arith.constant 8192 : i32
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.commit %done : !bar
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.commit %again : !bar
    titan.mbarrier.wait %done parity(%i0) : !bar
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %b, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.mbarrier.wait %again parity(%i0) : !bar
  titan.tcgen05.fence_after
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// And for all of that.
titan.kernel @all_earlier(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %no = arith.constant false
  %yes = arith.constant true
  %f1 = arith.constant 1.0 : bf16
  %b = titan.shared.alloc : !tile
  %b2 = titan.shared.alloc : !tile
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %done = titan.mbarrier.alloc : !bar
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  %tile = titan.splat %f1 : bf16 -> !reg
  %half = titan.splat %f1 : bf16 -> !half
  titan.shared.store %tile, %b : !reg, !tile
  titan.shared.store %tile, %b2 : !reg, !tile
  titan.fence.proxy_async shared_cta
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  %bytes = arith.constant 8192 : i32
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.mma %values, %b2, %sums accumulate(%yes) : !values, !tile, !sums
    titan.tcgen05.commit %done : !bar
    titan.mbarrier.wait %done parity(%i0) : !bar
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %b, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.mbarrier.wait %done parity(%i0) : !bar
  titan.tcgen05.fence_after
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// ONE-LATER: [mma-slot-reuse]
// One product comes behind the commit, and reads the tile.
titan.kernel @one_later(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %no = arith.constant false
  %yes = arith.constant true
  %f1 = arith.constant 1.0 : bf16
  %b = titan.shared.alloc : !tile
  %b2 = titan.shared.alloc : !tile
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %done = titan.mbarrier.alloc : !bar
  %again = titan.mbarrier.alloc : !bar
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
    titan.mbarrier.init %again count(1) : !bar
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  %tile = titan.splat %f1 : bf16 -> !reg
  %half = titan.splat %f1 : bf16 -> !half
  titan.shared.store %tile, %b : !reg, !tile
  titan.shared.store %tile, %b2 : !reg, !tile
  titan.fence.proxy_async shared_cta
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  %bytes = arith.constant 8192 : i32
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b2, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.commit %done : !bar
    titan.tcgen05.mma %values, %b, %sums accumulate(%yes) : !values, !tile, !sums
    titan.tcgen05.commit %again : !bar
    titan.mbarrier.wait %done parity(%i0) : !bar
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %b, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.mbarrier.wait %again parity(%i0) : !bar
  titan.tcgen05.fence_after
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// OTHER-THREAD: [mma-slot-reuse]
// The commit of another thread says nothing.
titan.kernel @other_thread(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %no = arith.constant false
  %yes = arith.constant true
  %f1 = arith.constant 1.0 : bf16
  %b = titan.shared.alloc : !tile
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %done = titan.mbarrier.alloc : !bar
  %full = titan.mbarrier.alloc : !bar
  %again = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %again count(1) : !bar
    titan.fence.mbarrier_init
  }
  %tile = titan.splat %f1 : bf16 -> !reg
  %half = titan.splat %f1 : bf16 -> !half
  titan.shared.store %tile, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  %bytes = arith.constant 8192 : i32
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.commit %again : !bar
  }
  titan.elect warp(1) {
    titan.tcgen05.commit %done : !bar
  }
  titan.elect warp(0) {
    titan.mbarrier.wait %done parity(%i0) : !bar
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %b, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.mbarrier.wait %again parity(%i0) : !bar
  titan.tcgen05.fence_after
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// ARRIVE-INSTEAD: [mma-slot-reuse]
// An arrive behind the product does not wait for it.
titan.kernel @arrive_instead(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %no = arith.constant false
  %yes = arith.constant true
  %f1 = arith.constant 1.0 : bf16
  %b = titan.shared.alloc : !tile
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %done = titan.mbarrier.alloc : !bar
  %full = titan.mbarrier.alloc : !bar
  %again = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %again count(1) : !bar
    titan.fence.mbarrier_init
  }
  %tile = titan.splat %f1 : bf16 -> !reg
  %half = titan.splat %f1 : bf16 -> !half
  titan.shared.store %tile, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  %bytes = arith.constant 8192 : i32
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.commit %again : !bar
    titan.mbarrier.arrive %done : !bar
    titan.mbarrier.wait %done parity(%i0) : !bar
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %b, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.mbarrier.wait %again parity(%i0) : !bar
  titan.tcgen05.fence_after
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// The tile is written by stores, behind the wait.
titan.kernel @written_by_hand(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %no = arith.constant false
  %yes = arith.constant true
  %f1 = arith.constant 1.0 : bf16
  %b = titan.shared.alloc : !tile
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
    titan.fence.mbarrier_init
  }
  %tile = titan.splat %f1 : bf16 -> !reg
  %half = titan.splat %f1 : bf16 -> !half
  titan.shared.store %tile, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.commit %done : !bar
  }
  titan.mbarrier.wait %done parity(%i0) : !bar
  titan.tcgen05.fence_after
  titan.shared.store %tile, %b : !reg, !tile
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// WRITTEN-TOO-EARLY: [mma-slot-reuse]
// Before it.
titan.kernel @written_too_early(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %no = arith.constant false
  %yes = arith.constant true
  %f1 = arith.constant 1.0 : bf16
  %b = titan.shared.alloc : !tile
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
    titan.fence.mbarrier_init
  }
  %tile = titan.splat %f1 : bf16 -> !reg
  %half = titan.splat %f1 : bf16 -> !half
  titan.shared.store %tile, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.commit %done : !bar
  }
  titan.cta_sync
  titan.shared.store %tile, %b : !reg, !tile
  titan.mbarrier.wait %done parity(%i0) : !bar
  titan.tcgen05.fence_after
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}
