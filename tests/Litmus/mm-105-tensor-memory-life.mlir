// MM-3, MM-100, MM-105: columns of tensor memory are got by a warp, used, and given back.
//
// One warp gets the columns, four use them, one gives them back.
//
// RUN: titan check %s --kernel whole_life --tmem-fence=error
// RUN: not titan check %s --kernel never_got 2>&1 | FileCheck %s --check-prefix=NEVER-GOT
// RUN: not titan check %s --kernel never_given_back 2>&1 | FileCheck %s --check-prefix=NEVER-GIVEN-BACK
// RUN: not titan check %s --kernel got_too_late 2>&1 | FileCheck %s --check-prefix=GOT-TOO-LATE
// RUN: not titan check %s --kernel not_published 2>&1 | FileCheck %s --check-prefix=NOT-PUBLISHED
// RUN: not titan check %s --kernel given_back_too_early 2>&1 | FileCheck %s --check-prefix=GIVEN-BACK-TOO-EARLY
// RUN: not titan check %s --kernel used_after 2>&1 | FileCheck %s --check-prefix=USED-AFTER
// RUN: not titan check %s --kernel load_under_way 2>&1 | FileCheck %s --check-prefix=LOAD-UNDER-WAY
// RUN: not titan check %s --kernel got_twice 2>&1 | FileCheck %s --check-prefix=GOT-TWICE
// RUN: not titan check %s --kernel given_back_twice 2>&1 | FileCheck %s --check-prefix=GIVEN-BACK-TWICE
// RUN: titan check %s --kernel got_again --tmem-fence=error
// RUN: titan check %s --kernel by_another_warp --tmem-fence=error
// RUN: not titan check %s --kernel by_all_warps 2>&1 | FileCheck %s --check-prefix=BY-ALL-WARPS
// RUN: not titan check %s --kernel by_one_thread 2>&1 | FileCheck %s --check-prefix=BY-ONE-THREAD
// RUN: titan check %s --kernel relinquished_after
// RUN: not titan check %s --kernel relinquished_before 2>&1 | FileCheck %s --check-prefix=RELINQUISHED-BEFORE
// RUN: titan check %s --kernel two_blocks
// RUN: titan check %s --kernel all_columns
// RUN: not titan check %s --kernel larger 2>&1 | FileCheck %s --check-prefix=LARGER
// RUN: titan check %s --kernel smaller
// RUN: not titan check %s --kernel smaller_by_another_warp 2>&1 | FileCheck %s --check-prefix=SMALLER-BY-ANOTHER-WARP
// RUN: not titan check %s --kernel more_than_all 2>&1 | FileCheck %s --check-prefix=MORE-THAN-ALL
// RUN: titan check %s --kernel all_given_back
// RUN: not titan check %s --kernel never_written 2>&1 | FileCheck %s --check-prefix=NEVER-WRITTEN
// RUN: not titan check %s --kernel half_written 2>&1 | FileCheck %s --check-prefix=HALF-WRITTEN

#row    = #titan.tmem<"32x32b">
!sums   = !titan.tensor_memory<128x64xf32>
!values = !titan.tensor_memory<128x64xbf16>
!full   = tensor<128x64xf32, #row>
!flight = !titan.inflight<tensor<128x64xf32, #row>>
!all    = !titan.tensor_memory<128x512xf32>

// Got, published, used, given back after all uses.
titan.kernel @whole_life() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// NEVER-GOT: [tmem-alloc]
// Nobody gets them.
titan.kernel @never_got() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.return
}

// NEVER-GIVEN-BACK: [tmem-alloc]
// They are lost to all later kernels.
titan.kernel @never_given_back() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.return
}

// GOT-TOO-LATE: [tmem-alloc]
// Used before they are got.
titan.kernel @got_too_late() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// NOT-PUBLISHED: [{{race|tmem-alloc}}]
// Other warps use them, told by nobody.
titan.kernel @not_published() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// GIVEN-BACK-TOO-EARLY: [{{race|tmem-alloc|tmem-wait-missing}}]
// Given back while others may use them.
titan.kernel @given_back_too_early() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  scf.if %is0 {
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// USED-AFTER: [tmem-alloc]
// Used when they are gone.
titan.kernel @used_after() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  titan.return
}

// LOAD-UNDER-WAY: [tmem-wait-missing]
// A load is over before they go.
titan.kernel @load_under_way() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  %coming = titan.tmem.load %sums : !sums -> !flight
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %sums : !sums
  }
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.return
}

// GOT-TWICE: [tmem-alloc]
// What is got already cannot be got.
titan.kernel @got_twice() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// GIVEN-BACK-TWICE: [tmem-alloc]
// Nor given back twice.
titan.kernel @given_back_twice() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %sums : !sums
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// Given back, they may be got again.
titan.kernel @got_again() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %sums : !sums
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  %coming2 = titan.tmem.load %sums : !sums -> !flight
  %got2 = titan.tmem.wait_load %coming2 : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// Another warp may give them back.
titan.kernel @by_another_warp() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is1 {
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// BY-ALL-WARPS: [tmem-alloc]
// Each warp that executes it gets columns.
titan.kernel @by_all_warps() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  titan.tcgen05.alloc %sums : !sums
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// BY-ONE-THREAD: [issue-cardinality]
// A whole warp executes it.
titan.kernel @by_one_thread() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  titan.elect warp(0) {
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// None is asked for after the right to is given up.
titan.kernel @relinquished_after() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
    titan.tcgen05.alloc %values : !values
    titan.tcgen05.relinquish
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
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

// RELINQUISHED-BEFORE: [tmem-alloc]
// One is.
titan.kernel @relinquished_before() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
    titan.tcgen05.relinquish
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
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

// 64 columns, then 32.
titan.kernel @two_blocks() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
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
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
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

// All 512 columns.
titan.kernel @all_columns() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %all = titan.tmem.alloc : !all
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %all : !all
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %all : !all
  }
  titan.return
}

// LARGER: [tmem-alloc]
// Sizes do not grow: 32 columns, then 64.
titan.kernel @larger() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %values : !values
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
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

// 64, then 32.
titan.kernel @smaller() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
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
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
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

// SMALLER-BY-ANOTHER-WARP: [tmem-alloc]
// Under another schedule the 32 come first.
titan.kernel @smaller_by_another_warp() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
  }
  scf.if %is1 {
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
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

// MORE-THAN-ALL: [tmem-alloc]
// Nobody gives back the columns that are missing.
titan.kernel @more_than_all() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %all = titan.tmem.alloc : !all
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %all : !all
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %all : !all
  }
  titan.return
}

// They are given back before.
titan.kernel @all_given_back() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %all = titan.tmem.alloc : !all
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %all : !all
    titan.tcgen05.dealloc %all : !all
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
  }
  titan.return
}

// NEVER-WRITTEN: [undefined-read]
// What nothing has written is undefined.
titan.kernel @never_written() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// HALF-WRITTEN: [undefined-read]
// So is the half that it has not.
titan.kernel @half_written() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  %sums = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  %part = titan.tmem.view %sums[%c0] : !sums -> !titan.tensor_memory<128x32xf32>
  %h = titan.splat %z : f32 -> tensor<128x32xf32, #row>
  titan.tmem.store %h, %part : tensor<128x32xf32, #row>, !titan.tensor_memory<128x32xf32>
  titan.tmem.wait_store
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}
