// MM-100, MM-101: tensor memory is ordered by its own rules alone, and only where columns meet.
//
// A product sums into the left 32 of 64 columns; meanwhile others are loaded or
// stored to.
//
// RUN: titan check %s --kernel other_columns --tmem-fence=error
// RUN: not titan check %s --kernel one_column 2>&1 | FileCheck %s --check-prefix=ONE-COLUMN
// RUN: titan check %s --kernel one_column_waited --tmem-fence=error
// RUN: titan check %s --kernel other_width --tmem-fence=error
// RUN: not titan check %s --kernel other_width_one_column 2>&1 | FileCheck %s --check-prefix=OTHER-WIDTH-ONE-COLUMN
// RUN: not titan check %s --kernel proxy_fence 2>&1 | FileCheck %s --check-prefix=PROXY-FENCE
// RUN: not titan check %s --kernel memory_fence 2>&1 | FileCheck %s --check-prefix=MEMORY-FENCE
// RUN: not titan check %s --kernel fences_for_halves --tmem-fence=error 2>&1 | FileCheck %s --check-prefix=FENCES-FOR-HALVES

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
!narrow = tensor<128x32xf32, #row>
!narrowFlight = !titan.inflight<tensor<128x32xf32, #row>>

// The right ones are loaded.
titan.kernel @other_columns(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %b32 = titan.shared.alloc : !titan.shared<32x64xbf16, swizzle = 128>
  %c32 = arith.constant 32 : index
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
  %t32 = titan.splat %f1 : bf16 -> tensor<32x64xbf16, #rows>
  titan.shared.store %t32, %b32 : tensor<32x64xbf16, #rows>, !titan.shared<32x64xbf16, swizzle = 128>
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
  %left = titan.tmem.view %sums[%c0] : !sums -> !titan.tensor_memory<128x32xf32>
  %right = titan.tmem.view %sums[%c32] : !sums -> !titan.tensor_memory<128x32xf32>
  %c31 = arith.constant 31 : index
  %skew = titan.tmem.view %sums[%c31] : !sums -> !titan.tensor_memory<128x32xf32>
  %rightValues = titan.tmem.view %sums[%c32] : !sums -> !values
  %skewValues = titan.tmem.view %sums[%c31] : !sums -> !values
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b32, %left accumulate(%no) : !values, !titan.shared<32x64xbf16, swizzle = 128>, !titan.tensor_memory<128x32xf32>
    titan.tcgen05.commit %done : !bar
  }
  %coming = titan.tmem.load %right : !titan.tensor_memory<128x32xf32> -> !narrowFlight
  %got = titan.tmem.wait_load %coming : !narrowFlight -> !narrow
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

// ONE-COLUMN: [mma-order]
// One of them is among the loaded.
titan.kernel @one_column(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %b32 = titan.shared.alloc : !titan.shared<32x64xbf16, swizzle = 128>
  %c32 = arith.constant 32 : index
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
  %t32 = titan.splat %f1 : bf16 -> tensor<32x64xbf16, #rows>
  titan.shared.store %t32, %b32 : tensor<32x64xbf16, #rows>, !titan.shared<32x64xbf16, swizzle = 128>
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
  %left = titan.tmem.view %sums[%c0] : !sums -> !titan.tensor_memory<128x32xf32>
  %right = titan.tmem.view %sums[%c32] : !sums -> !titan.tensor_memory<128x32xf32>
  %c31 = arith.constant 31 : index
  %skew = titan.tmem.view %sums[%c31] : !sums -> !titan.tensor_memory<128x32xf32>
  %rightValues = titan.tmem.view %sums[%c32] : !sums -> !values
  %skewValues = titan.tmem.view %sums[%c31] : !sums -> !values
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b32, %left accumulate(%no) : !values, !titan.shared<32x64xbf16, swizzle = 128>, !titan.tensor_memory<128x32xf32>
    titan.tcgen05.commit %done : !bar
  }
  %coming = titan.tmem.load %skew : !titan.tensor_memory<128x32xf32> -> !narrowFlight
  %got = titan.tmem.wait_load %coming : !narrowFlight -> !narrow
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

// The product is over.
titan.kernel @one_column_waited(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %b32 = titan.shared.alloc : !titan.shared<32x64xbf16, swizzle = 128>
  %c32 = arith.constant 32 : index
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
  %t32 = titan.splat %f1 : bf16 -> tensor<32x64xbf16, #rows>
  titan.shared.store %t32, %b32 : tensor<32x64xbf16, #rows>, !titan.shared<32x64xbf16, swizzle = 128>
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
  %left = titan.tmem.view %sums[%c0] : !sums -> !titan.tensor_memory<128x32xf32>
  %right = titan.tmem.view %sums[%c32] : !sums -> !titan.tensor_memory<128x32xf32>
  %c31 = arith.constant 31 : index
  %skew = titan.tmem.view %sums[%c31] : !sums -> !titan.tensor_memory<128x32xf32>
  %rightValues = titan.tmem.view %sums[%c32] : !sums -> !values
  %skewValues = titan.tmem.view %sums[%c31] : !sums -> !values
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.tmem.store %f, %sums : !full, !sums
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b32, %left accumulate(%no) : !values, !titan.shared<32x64xbf16, swizzle = 128>, !titan.tensor_memory<128x32xf32>
    titan.tcgen05.commit %done : !bar
  }
  titan.mbarrier.wait %done parity(%i0) : !bar
  titan.tcgen05.fence_after
  %coming = titan.tmem.load %skew : !titan.tensor_memory<128x32xf32> -> !narrowFlight
  %got = titan.tmem.wait_load %coming : !narrowFlight -> !narrow
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// The right ones as 64 columns of half the width.
titan.kernel @other_width(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %b32 = titan.shared.alloc : !titan.shared<32x64xbf16, swizzle = 128>
  %c32 = arith.constant 32 : index
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
  %t32 = titan.splat %f1 : bf16 -> tensor<32x64xbf16, #rows>
  titan.shared.store %t32, %b32 : tensor<32x64xbf16, #rows>, !titan.shared<32x64xbf16, swizzle = 128>
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
  %left = titan.tmem.view %sums[%c0] : !sums -> !titan.tensor_memory<128x32xf32>
  %right = titan.tmem.view %sums[%c32] : !sums -> !titan.tensor_memory<128x32xf32>
  %c31 = arith.constant 31 : index
  %skew = titan.tmem.view %sums[%c31] : !sums -> !titan.tensor_memory<128x32xf32>
  %rightValues = titan.tmem.view %sums[%c32] : !sums -> !values
  %skewValues = titan.tmem.view %sums[%c31] : !sums -> !values
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b32, %left accumulate(%no) : !values, !titan.shared<32x64xbf16, swizzle = 128>, !titan.tensor_memory<128x32xf32>
    titan.tcgen05.commit %done : !bar
  }
  titan.tmem.store %half, %rightValues : !half, !values
  titan.tmem.wait_store
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

// OTHER-WIDTH-ONE-COLUMN: [mma-order]
// The first two of these are a column of the product.
titan.kernel @other_width_one_column(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %b32 = titan.shared.alloc : !titan.shared<32x64xbf16, swizzle = 128>
  %c32 = arith.constant 32 : index
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
  %t32 = titan.splat %f1 : bf16 -> tensor<32x64xbf16, #rows>
  titan.shared.store %t32, %b32 : tensor<32x64xbf16, #rows>, !titan.shared<32x64xbf16, swizzle = 128>
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
  %left = titan.tmem.view %sums[%c0] : !sums -> !titan.tensor_memory<128x32xf32>
  %right = titan.tmem.view %sums[%c32] : !sums -> !titan.tensor_memory<128x32xf32>
  %c31 = arith.constant 31 : index
  %skew = titan.tmem.view %sums[%c31] : !sums -> !titan.tensor_memory<128x32xf32>
  %rightValues = titan.tmem.view %sums[%c32] : !sums -> !values
  %skewValues = titan.tmem.view %sums[%c31] : !sums -> !values
  %z = arith.constant 0.0 : f32
  %f = titan.splat %z : f32 -> !full
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b32, %left accumulate(%no) : !values, !titan.shared<32x64xbf16, swizzle = 128>, !titan.tensor_memory<128x32xf32>
    titan.tcgen05.commit %done : !bar
  }
  titan.tmem.store %half, %skewValues : !half, !values
  titan.tmem.wait_store
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

// PROXY-FENCE: [tmem-wait-missing]
// Tensor memory has no proxy: a proxy fence waits for no store.
titan.kernel @proxy_fence(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  titan.fence.proxy_async all
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

// MEMORY-FENCE: [tmem-wait-missing]
// Nor does a fence of memory.
titan.kernel @memory_fence(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  titan.fence acq_rel cta
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

// FENCES-FOR-HALVES: [tmem-fence-missing]
// And neither is a half of tcgen05.fence.
titan.kernel @fences_for_halves(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  titan.fence.proxy_async all
  titan.fence release cta
  titan.cta_sync
  titan.fence acquire cta
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
