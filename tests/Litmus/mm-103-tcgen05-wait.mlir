// MM-103: loads and stores of tensor memory are over at tcgen05.wait.
//
// Four warps store values to tensor memory, one thread multiplies by them, and
// four warps load the sums.
//
// RUN: titan check %s --kernel waited --tmem-fence=error
// RUN: not titan check %s --kernel not_waited 2>&1 | FileCheck %s --check-prefix=NOT-WAITED
// RUN: not titan check %s --kernel wait_load_instead 2>&1 | FileCheck %s --check-prefix=WAIT-LOAD-INSTEAD
// RUN: not titan check %s --kernel waited_behind 2>&1 | FileCheck %s --check-prefix=WAITED-BEHIND
// RUN: not titan check %s --kernel one_warp_waits 2>&1 | FileCheck %s --check-prefix=ONE-WARP-WAITS
// RUN: titan check %s --kernel all_earlier --tmem-fence=error
// RUN: not titan check %s --kernel one_later 2>&1 | FileCheck %s --check-prefix=ONE-LATER
// RUN: titan check %s --kernel loads_waited --tmem-fence=error
// RUN: not titan check %s --kernel loads_not_waited 2>&1 | FileCheck %s --check-prefix=LOADS-NOT-WAITED
// RUN: not titan check %s --kernel stores_for_loads 2>&1 | FileCheck %s --check-prefix=STORES-FOR-LOADS
// RUN: not titan check %s --kernel load_by_commit 2>&1 | FileCheck %s --check-prefix=LOAD-BY-COMMIT

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

// Each warp waits for its stores before the barrier.
titan.kernel @waited(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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

// NOT-WAITED: [tmem-wait-missing]
// The product may read cells that are not written yet.
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

// WAIT-LOAD-INSTEAD: [tmem-wait-missing]
// Loads and stores are waited for apart.
titan.kernel @wait_load_instead(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %coming0 = titan.tmem.load %sums : !sums -> !flight
  titan.tmem.store %half, %values : !half, !values
  %got0 = titan.tmem.wait_load %coming0 : !flight -> !full
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

// WAITED-BEHIND: [tmem-wait-missing]
// The wait stands behind the barrier.
titan.kernel @waited_behind(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tmem.wait_store
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

// ONE-WARP-WAITS: [tmem-wait-missing]
// A wait is for the warp that executes it.
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
  scf.if %is0 {
    titan.tmem.wait_store
  }
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

// One wait covers all stores before it.
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
  %left = titan.tmem.view %values[%c0] : !values -> !titan.tensor_memory<128x32xbf16>
  %c32 = arith.constant 32 : index
  %right = titan.tmem.view %values[%c32] : !values -> !titan.tensor_memory<128x32xbf16>
  %some = titan.splat %f1 : bf16 -> tensor<128x32xbf16, #row>
  titan.tmem.store %some, %left : tensor<128x32xbf16, #row>, !titan.tensor_memory<128x32xbf16>
  titan.tmem.store %some, %right : tensor<128x32xbf16, #row>, !titan.tensor_memory<128x32xbf16>
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

// ONE-LATER: [tmem-wait-missing]
// And none behind it.
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
  %left = titan.tmem.view %values[%c0] : !values -> !titan.tensor_memory<128x32xbf16>
  %c32 = arith.constant 32 : index
  %right = titan.tmem.view %values[%c32] : !values -> !titan.tensor_memory<128x32xbf16>
  %some = titan.splat %f1 : bf16 -> tensor<128x32xbf16, #row>
  titan.tmem.store %some, %left : tensor<128x32xbf16, #row>, !titan.tensor_memory<128x32xbf16>
  titan.tmem.wait_store
  titan.tmem.store %some, %right : tensor<128x32xbf16, #row>, !titan.tensor_memory<128x32xbf16>
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

// The sums are in registers before the columns are summed into anew.
titan.kernel @loads_waited(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %again = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
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
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.commit %again : !bar
  }
  titan.mbarrier.wait %again parity(%i0) : !bar
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// LOADS-NOT-WAITED: [tmem-wait-missing]
// The wait comes after the barrier: the product may overwrite what is still being loaded.
titan.kernel @loads_not_waited(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %again = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
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
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.commit %again : !bar
  }
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.mbarrier.wait %again parity(%i0) : !bar
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// STORES-FOR-LOADS: [tmem-wait-missing]
// A wait for stores is none for loads.
titan.kernel @stores_for_loads(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %again = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
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
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.commit %again : !bar
  }
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.mbarrier.wait %again parity(%i0) : !bar
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// LOAD-BY-COMMIT: [tmem-wait-missing]
// A commit is for products: it waits for no load.
titan.kernel @load_by_commit(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %again = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
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
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.commit %again : !bar
  }
  titan.mbarrier.wait %again parity(%i0) : !bar
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.commit %again : !bar
  }
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.mbarrier.wait %again parity(%i1) : !bar
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}
