// MM-101, MM-102, MM-103: a loop over tensor memory: each round multiplies, loads the sums, and stores new values.
//
// What a round leaves under way the next one meets.
//
// RUN: titan check %s --kernel each_round --tmem-fence=error
// RUN: not titan check %s --kernel loads_not_waited 2>&1 | FileCheck %s --check-prefix=LOADS-NOT-WAITED
// RUN: not titan check %s --kernel stores_not_waited 2>&1 | FileCheck %s --check-prefix=STORES-NOT-WAITED
// RUN: not titan check %s --kernel no_before --tmem-fence=error 2>&1 | FileCheck %s --check-prefix=NO-BEFORE
// RUN: not titan check %s --kernel no_after --tmem-fence=error 2>&1 | FileCheck %s --check-prefix=NO-AFTER
// RUN: not titan check %s --kernel values_too_early 2>&1 | FileCheck %s --check-prefix=VALUES-TOO-EARLY
// RUN: not titan check %s --kernel one_thread_takes_over --tmem-fence=error 2>&1 | FileCheck %s --check-prefix=ONE-THREAD-TAKES-OVER
// RUN: titan check %s --kernel one_thread_waits --tmem-fence=error

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

// Loads and stores are waited for, and handed to the next round.
titan.kernel @each_round(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
    titan.elect warp(0) {
      titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
      titan.tcgen05.commit %done : !bar
    }
    titan.mbarrier.wait %done parity(%parity) : !bar
    titan.tcgen05.fence_after
    %coming = titan.tmem.load %sums : !sums -> !flight
    %got = titan.tmem.wait_load %coming : !flight -> !full
    titan.tmem.store %half, %values : !half, !values
    titan.tmem.wait_store
    titan.tcgen05.fence_before
    titan.cta_sync
    titan.tcgen05.fence_after
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
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

// LOADS-NOT-WAITED: [tmem-wait-missing]
// The next product meets the loads of the last round.
titan.kernel @loads_not_waited(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
    titan.elect warp(0) {
      titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
      titan.tcgen05.commit %done : !bar
    }
    titan.mbarrier.wait %done parity(%parity) : !bar
    titan.tcgen05.fence_after
    %coming = titan.tmem.load %sums : !sums -> !flight
    titan.tmem.store %half, %values : !half, !values
    titan.tmem.wait_store
    titan.tcgen05.fence_before
    titan.cta_sync
    titan.tcgen05.fence_after
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
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

// STORES-NOT-WAITED: [tmem-wait-missing]
// And its stores.
titan.kernel @stores_not_waited(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
    titan.elect warp(0) {
      titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
      titan.tcgen05.commit %done : !bar
    }
    titan.mbarrier.wait %done parity(%parity) : !bar
    titan.tcgen05.fence_after
    %coming = titan.tmem.load %sums : !sums -> !flight
    %got = titan.tmem.wait_load %coming : !flight -> !full
    titan.tmem.store %half, %values : !half, !values
    titan.tcgen05.fence_before
    titan.cta_sync
    titan.tcgen05.fence_after
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
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

// NO-BEFORE: [tmem-fence-missing]
// Not handed on.
titan.kernel @no_before(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
    titan.elect warp(0) {
      titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
      titan.tcgen05.commit %done : !bar
    }
    titan.mbarrier.wait %done parity(%parity) : !bar
    titan.tcgen05.fence_after
    %coming = titan.tmem.load %sums : !sums -> !flight
    %got = titan.tmem.wait_load %coming : !flight -> !full
    titan.tmem.store %half, %values : !half, !values
    titan.tmem.wait_store
    titan.cta_sync
    titan.tcgen05.fence_after
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
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

// NO-AFTER: [tmem-fence-missing]
// Not taken over.
titan.kernel @no_after(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
    titan.elect warp(0) {
      titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
      titan.tcgen05.commit %done : !bar
    }
    titan.mbarrier.wait %done parity(%parity) : !bar
    titan.tcgen05.fence_after
    %coming = titan.tmem.load %sums : !sums -> !flight
    %got = titan.tmem.wait_load %coming : !flight -> !full
    titan.tmem.store %half, %values : !half, !values
    titan.tmem.wait_store
    titan.tcgen05.fence_before
    titan.cta_sync
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
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

// VALUES-TOO-EARLY: [mma-order]
// The values are stored over while the product may read them.
titan.kernel @values_too_early(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
    titan.elect warp(0) {
      titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
      titan.tcgen05.commit %done : !bar
    }
    titan.tmem.store %half, %values : !half, !values
    titan.tmem.wait_store
    titan.mbarrier.wait %done parity(%parity) : !bar
    titan.tcgen05.fence_after
    %coming = titan.tmem.load %sums : !sums -> !flight
    %got = titan.tmem.wait_load %coming : !flight -> !full
    titan.tcgen05.fence_before
    titan.cta_sync
    titan.tcgen05.fence_after
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
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

// ONE-THREAD-TAKES-OVER: [tmem-fence-missing]
// Only one lane of each warp has executed the second half.
titan.kernel @one_thread_takes_over(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
    titan.elect warp(0) {
      titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
      titan.tcgen05.commit %done : !bar
    }
    titan.elect {
      titan.mbarrier.wait %done parity(%parity) : !bar
      titan.tcgen05.fence_after
    }
    titan.syncwarp
    %coming = titan.tmem.load %sums : !sums -> !flight
    %got = titan.tmem.wait_load %coming : !flight -> !full
    titan.tmem.store %half, %values : !half, !values
    titan.tmem.wait_store
    titan.tcgen05.fence_before
    titan.cta_sync
    titan.tcgen05.fence_after
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
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

// One lane waits, and all take over.
titan.kernel @one_thread_waits(%A: !global, %rounds: i32) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
    titan.elect warp(0) {
      titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
      titan.tcgen05.commit %done : !bar
    }
    titan.elect {
      titan.mbarrier.wait %done parity(%parity) : !bar
    }
    titan.syncwarp
    titan.tcgen05.fence_after
    %coming = titan.tmem.load %sums : !sums -> !flight
    %got = titan.tmem.wait_load %coming : !flight -> !full
    titan.tmem.store %half, %values : !half, !values
    titan.tmem.wait_store
    titan.tcgen05.fence_before
    titan.cta_sync
    titan.tcgen05.fence_after
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
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
