// MM-102: tcgen05 operations of two threads are ordered by both halves of tcgen05.fence and a signal between.
//
// Four warps store values to tensor memory, one thread multiplies by them, and
// four warps load the sums.
//
// RUN: titan check %s --kernel both_halves --tmem-fence=error
// RUN: titan check %s --kernel no_before 2>&1 | FileCheck %s --check-prefix=NO-BEFORE-WARNING
// RUN: not titan check %s --kernel no_before --tmem-fence=error 2>&1 | FileCheck %s --check-prefix=NO-BEFORE-ERROR
// RUN: not titan check %s --kernel no_before --strict 2>&1 | FileCheck %s --check-prefix=NO-BEFORE-ERROR
// RUN: not titan check %s --kernel no_after --tmem-fence=error 2>&1 | FileCheck %s --check-prefix=NO-AFTER
// RUN: not titan check %s --kernel before_too_early --tmem-fence=error 2>&1 | FileCheck %s --check-prefix=BEFORE-TOO-EARLY
// RUN: not titan check %s --kernel before_the_wait --tmem-fence=error 2>&1 | FileCheck %s --check-prefix=BEFORE-THE-WAIT
// RUN: not titan check %s --kernel after_too_early --tmem-fence=error 2>&1 | FileCheck %s --check-prefix=AFTER-TOO-EARLY
// RUN: not titan check %s --kernel before_behind_the_barrier --tmem-fence=error 2>&1 | FileCheck %s --check-prefix=BEFORE-BEHIND-THE-BARRIER
// RUN: titan check %s --kernel issuer_fences --tmem-fence=error
// RUN: not titan check %s --kernel other_warp_fences --tmem-fence=error 2>&1 | FileCheck %s --check-prefix=OTHER-WARP-FENCES
// RUN: not titan check %s --kernel own_warp_no_after --tmem-fence=error 2>&1 | FileCheck %s --check-prefix=OWN-WARP-NO-AFTER

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

// before, the barrier, after.
titan.kernel @both_halves(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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

// NO-BEFORE-WARNING: warning: {{.*}}[tmem-fence-missing]
// NO-BEFORE-ERROR: error: {{.*}}[tmem-fence-missing]
// Practice leaves halves out: a warning; refused on demand.
titan.kernel @no_before(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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

// NO-AFTER: [tmem-fence-missing]
// The other half.
titan.kernel @no_after(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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

// BEFORE-TOO-EARLY: [tmem-fence-missing]
// The first half covers what precedes it.
titan.kernel @before_too_early(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  titan.tcgen05.fence_before
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
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

// BEFORE-THE-WAIT: [tmem-fence-missing]
// A store is under way until tcgen05.wait: the half before that does not cover it.
titan.kernel @before_the_wait(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  titan.tmem.wait_store
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

// AFTER-TOO-EARLY: [tmem-fence-missing]
// The second half stands behind the barrier.
titan.kernel @after_too_early(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  titan.tcgen05.fence_after
  titan.cta_sync
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

// BEFORE-BEHIND-THE-BARRIER: [tmem-fence-missing]
// And the first one before it.
titan.kernel @before_behind_the_barrier(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  titan.cta_sync
  titan.tcgen05.fence_before
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

// The halves are for the threads that execute them: here the issuing one.
titan.kernel @issuer_fences(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  titan.elect warp(0) {
    titan.tcgen05.fence_after
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

// OTHER-WARP-FENCES: [tmem-fence-missing]
// Here another warp.
titan.kernel @other_warp_fences(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  scf.if %is1 {
    titan.tcgen05.fence_after
  }
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

// OWN-WARP-NO-AFTER: [tmem-fence-missing]
// Lanes of the warp that issues the product are threads of their own.
titan.kernel @own_warp_no_after(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %not0 = arith.cmpi ne, %warp, %i0 : i32
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.commit %done : !bar
  }
  titan.mbarrier.wait %done parity(%i0) : !bar
  scf.if %not0 {
    titan.tcgen05.fence_after
  }
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
