// MM-68, MM-81, MM-104: sums are there when the commit behind their product has arrived.
//
// A product; its sums are loaded by four warps.
//
// RUN: titan check %s --kernel sums_waited --tmem-fence=error
// RUN: not titan check %s --kernel sums_not_waited 2>&1 | FileCheck %s --check-prefix=SUMS-NOT-WAITED
// RUN: titan check %s --kernel one_warp_waits --tmem-fence=error
// RUN: not titan check %s --kernel one_warp_waits_no_barrier 2>&1 | FileCheck %s --check-prefix=ONE-WARP-WAITS-NO-BARRIER
// RUN: not titan check %s --kernel never_committed 2>&1 | FileCheck %s --check-prefix=NEVER-COMMITTED
// RUN: not titan check %s --kernel never_waited 2>&1 | FileCheck %s --check-prefix=NEVER-WAITED

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

// The sums are there when the commit has arrived.
titan.kernel @sums_waited(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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

// SUMS-NOT-WAITED: [mma-order]
// Not before.
titan.kernel @sums_not_waited(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.mbarrier.wait %done parity(%i0) : !bar
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// One warp waits, a barrier tells the others.
titan.kernel @one_warp_waits(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  scf.if %is0 {
    titan.mbarrier.wait %done parity(%i0) : !bar
  }
  titan.cta_sync
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

// ONE-WARP-WAITS-NO-BARRIER: [mma-order]
// Without the barrier they do not know.
titan.kernel @one_warp_waits_no_barrier(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  scf.if %is0 {
    titan.mbarrier.wait %done parity(%i0) : !bar
  }
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

// NEVER-COMMITTED: [{{token-not-discharged|exit-with-work-outstanding|mma-order}}]
// The CTA ends, and nobody knows whether the product does.
titan.kernel @never_committed(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// NEVER-WAITED: [{{token-not-discharged|exit-with-work-outstanding|mma-order}}]
// Nor here.
titan.kernel @never_waited(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}
