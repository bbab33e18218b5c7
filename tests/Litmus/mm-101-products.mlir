// MM-47, MM-101: in one thread, too, products and copies are unordered, but for the pairs listed.
//
// One thread issues products, and copies to tensor memory.
//
// RUN: titan check %s --kernel chained --tmem-fence=error
// RUN: titan check %s --kernel copy_then_product --tmem-fence=error
// RUN: not titan check %s --kernel product_then_copy 2>&1 | FileCheck %s --check-prefix=PRODUCT-THEN-COPY
// RUN: titan check %s --kernel product_wait_copy --tmem-fence=error
// RUN: titan check %s --kernel two_halves --tmem-fence=error
// RUN: not titan check %s --kernel overlapping 2>&1 | FileCheck %s --check-prefix=OVERLAPPING
// RUN: not titan check %s --kernel reads_the_sums 2>&1 | FileCheck %s --check-prefix=READS-THE-SUMS
// RUN: titan check %s --kernel reads_the_sums_waited --tmem-fence=error
// RUN: not titan check %s --kernel over_the_values 2>&1 | FileCheck %s --check-prefix=OVER-THE-VALUES
// RUN: titan check %s --kernel other_kind_waited --tmem-fence=error
// RUN: not titan check %s --kernel multiplies_by_the_sums 2>&1 | FileCheck %s --check-prefix=MULTIPLIES-BY-THE-SUMS
// RUN: not titan check %s --kernel sums_over_the_values 2>&1 | FileCheck %s --check-prefix=SUMS-OVER-THE-VALUES
// RUN: not titan check %s --kernel other_kind 2>&1 | FileCheck %s --check-prefix=OTHER-KIND

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

// Products on one accumulator run in order.
titan.kernel @chained(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
    titan.tcgen05.mma %values, %b, %sums accumulate(%yes) : !values, !tile, !sums
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

// A copy, and a product that reads what it brings.
titan.kernel @copy_then_product(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %scale = titan.shared.alloc : !titan.shared<128x16xbf16>
  %b16 = titan.shared.alloc : !titan.shared<64x16xbf16>
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
  %s16 = titan.splat %f1 : bf16 -> tensor<128x16xbf16, #titan.blocked<elements = [1, 8], lanes = [16, 2], warps = [4, 1]>>
  %t16 = titan.splat %f1 : bf16 -> tensor<64x16xbf16, #titan.blocked<elements = [1, 8], lanes = [16, 2], warps = [4, 1]>>
  titan.shared.store %s16, %scale : tensor<128x16xbf16, #titan.blocked<elements = [1, 8], lanes = [16, 2], warps = [4, 1]>>, !titan.shared<128x16xbf16>
  titan.shared.store %t16, %b16 : tensor<64x16xbf16, #titan.blocked<elements = [1, 8], lanes = [16, 2], warps = [4, 1]>>, !titan.shared<64x16xbf16>
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
  %a16 = titan.tmem.view %values[%c0] : !values -> !titan.tensor_memory<128x16xbf16>
  titan.elect warp(0) {
    titan.tcgen05.cp %scale, %a16 : !titan.shared<128x16xbf16>, !titan.tensor_memory<128x16xbf16>
    titan.tcgen05.mma %a16, %b16, %sums accumulate(%no) : !titan.tensor_memory<128x16xbf16>, !titan.shared<64x16xbf16>, !sums
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

// PRODUCT-THEN-COPY: [mma-order]
// The other way there is no order.
titan.kernel @product_then_copy(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %scale = titan.shared.alloc : !titan.shared<128x16xbf16>
  %b16 = titan.shared.alloc : !titan.shared<64x16xbf16>
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
  %s16 = titan.splat %f1 : bf16 -> tensor<128x16xbf16, #titan.blocked<elements = [1, 8], lanes = [16, 2], warps = [4, 1]>>
  %t16 = titan.splat %f1 : bf16 -> tensor<64x16xbf16, #titan.blocked<elements = [1, 8], lanes = [16, 2], warps = [4, 1]>>
  titan.shared.store %s16, %scale : tensor<128x16xbf16, #titan.blocked<elements = [1, 8], lanes = [16, 2], warps = [4, 1]>>, !titan.shared<128x16xbf16>
  titan.shared.store %t16, %b16 : tensor<64x16xbf16, #titan.blocked<elements = [1, 8], lanes = [16, 2], warps = [4, 1]>>, !titan.shared<64x16xbf16>
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
  %a16 = titan.tmem.view %values[%c0] : !values -> !titan.tensor_memory<128x16xbf16>
  titan.elect warp(0) {
    titan.tcgen05.cp %scale, %a16 : !titan.shared<128x16xbf16>, !titan.tensor_memory<128x16xbf16>
    titan.tcgen05.mma %a16, %b16, %sums accumulate(%no) : !titan.tensor_memory<128x16xbf16>, !titan.shared<64x16xbf16>, !sums
    titan.tcgen05.cp %scale, %a16 : !titan.shared<128x16xbf16>, !titan.tensor_memory<128x16xbf16>
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

// Until the product is over.
titan.kernel @product_wait_copy(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %scale = titan.shared.alloc : !titan.shared<128x16xbf16>
  %b16 = titan.shared.alloc : !titan.shared<64x16xbf16>
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
  %s16 = titan.splat %f1 : bf16 -> tensor<128x16xbf16, #titan.blocked<elements = [1, 8], lanes = [16, 2], warps = [4, 1]>>
  %t16 = titan.splat %f1 : bf16 -> tensor<64x16xbf16, #titan.blocked<elements = [1, 8], lanes = [16, 2], warps = [4, 1]>>
  titan.shared.store %s16, %scale : tensor<128x16xbf16, #titan.blocked<elements = [1, 8], lanes = [16, 2], warps = [4, 1]>>, !titan.shared<128x16xbf16>
  titan.shared.store %t16, %b16 : tensor<64x16xbf16, #titan.blocked<elements = [1, 8], lanes = [16, 2], warps = [4, 1]>>, !titan.shared<64x16xbf16>
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
  %a16 = titan.tmem.view %values[%c0] : !values -> !titan.tensor_memory<128x16xbf16>
  titan.elect warp(0) {
    titan.tcgen05.cp %scale, %a16 : !titan.shared<128x16xbf16>, !titan.tensor_memory<128x16xbf16>
    titan.tcgen05.mma %a16, %b16, %sums accumulate(%no) : !titan.tensor_memory<128x16xbf16>, !titan.shared<64x16xbf16>, !sums
    titan.tcgen05.commit %done : !bar
  }
  titan.mbarrier.wait %done parity(%i0) : !bar
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.cp %scale, %a16 : !titan.shared<128x16xbf16>, !titan.tensor_memory<128x16xbf16>
    titan.tcgen05.commit %again : !bar
  }
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

// Products on different columns need no order.
titan.kernel @two_halves(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b32, %left accumulate(%no) : !values, !titan.shared<32x64xbf16, swizzle = 128>, !titan.tensor_memory<128x32xf32>
    titan.tcgen05.mma %values, %b32, %right accumulate(%no) : !values, !titan.shared<32x64xbf16, swizzle = 128>, !titan.tensor_memory<128x32xf32>
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

// OVERLAPPING: [mma-order]
// On accumulators of which one is part of the other they have none.
titan.kernel @overlapping(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.mma %values, %b32, %left accumulate(%no) : !values, !titan.shared<32x64xbf16, swizzle = 128>, !titan.tensor_memory<128x32xf32>
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

// READS-THE-SUMS: [mma-order]
// A product that multiplies by cells that the one before sums into.
titan.kernel @reads_the_sums(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %other = titan.tmem.alloc : !sums
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
    titan.tcgen05.alloc %other : !sums
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  %part = titan.tmem.view %sums[%c0] : !sums -> !values
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.mma %part, %b, %other accumulate(%no) : !values, !tile, !sums
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
    titan.tcgen05.dealloc %other : !sums
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// It waits for them.
titan.kernel @reads_the_sums_waited(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %other = titan.tmem.alloc : !sums
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
    titan.tcgen05.alloc %other : !sums
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  %part = titan.tmem.view %sums[%c0] : !sums -> !values
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.commit %done : !bar
    titan.mbarrier.wait %done parity(%i0) : !bar
    titan.tcgen05.fence_after
    titan.tcgen05.mma %part, %b, %other accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.commit %again : !bar
  }
  titan.mbarrier.wait %again parity(%i0) : !bar
  titan.tcgen05.fence_after
  %coming = titan.tmem.load %sums : !sums -> !flight
  %got = titan.tmem.wait_load %coming : !flight -> !full
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  scf.if %is0 {
    titan.tcgen05.dealloc %values : !values
    titan.tcgen05.dealloc %other : !sums
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// OVER-THE-VALUES: [mma-order]
// A product over the values that the one before multiplies by.
titan.kernel @over_the_values(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %other = titan.tmem.alloc : !sums
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
    titan.tcgen05.alloc %other : !sums
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  %part = titan.tmem.view %sums[%c0] : !sums -> !values
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %part, %b, %other accumulate(%no) : !values, !tile, !sums
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
    titan.tcgen05.dealloc %other : !sums
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// Products of another kind on the same accumulator: the first one is over.
titan.kernel @other_kind_waited(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %aK = titan.shared.alloc : !titan.shared<128x32xf32, swizzle = 128>
  %bK = titan.shared.alloc : !titan.shared<64x32xf32, swizzle = 128>
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
  %one = arith.constant 1.0 : f32
  %tA = titan.splat %one : f32 -> tensor<128x32xf32, #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [4, 1]>>
  %tB = titan.splat %one : f32 -> tensor<64x32xf32, #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [4, 1]>>
  titan.shared.store %tA, %aK : tensor<128x32xf32, #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [4, 1]>>, !titan.shared<128x32xf32, swizzle = 128>
  titan.shared.store %tB, %bK : tensor<64x32xf32, #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [4, 1]>>, !titan.shared<64x32xf32, swizzle = 128>
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
    titan.mbarrier.wait %done parity(%i0) : !bar
    titan.tcgen05.fence_after
    titan.tcgen05.mma %aK, %bK, %sums accumulate(%yes) : !titan.shared<128x32xf32, swizzle = 128>, !titan.shared<64x32xf32, swizzle = 128>, !sums
    titan.tcgen05.commit %again : !bar
  }
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

// MULTIPLIES-BY-THE-SUMS: [mma-order]
// A product that multiplies by all of the sums of the one before: it has an
// accumulator of its own.
titan.kernel @multiplies_by_the_sums(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %b128 = titan.shared.alloc : !titan.shared<64x128xbf16, swizzle = 128>
  %sums = titan.tmem.alloc : !sums
  %other = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
    titan.fence.mbarrier_init
  }
  %tile = titan.splat %f1 : bf16 -> !reg
  %half = titan.splat %f1 : bf16 -> !half
  titan.shared.store %tile, %b : !reg, !tile
  %t128 = titan.splat %f1 : bf16 -> tensor<64x128xbf16, #rows>
  titan.shared.store %t128, %b128 : tensor<64x128xbf16, #rows>, !titan.shared<64x128xbf16, swizzle = 128>
  titan.fence.proxy_async shared_cta
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
    titan.tcgen05.alloc %other : !sums
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  %asValues = titan.tmem.view %sums[%c0] : !sums -> !titan.tensor_memory<128x128xbf16>
  titan.tmem.store %half, %values : !half, !values
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %values, %b, %sums accumulate(%no) : !values, !tile, !sums
    titan.tcgen05.mma %asValues, %b128, %other accumulate(%no) : !titan.tensor_memory<128x128xbf16>, !titan.shared<64x128xbf16, swizzle = 128>, !sums
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
    titan.tcgen05.dealloc %other : !sums
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// SUMS-OVER-THE-VALUES: [mma-order]
// A product whose sums are the values that the one before multiplies by.
titan.kernel @sums_over_the_values(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %b128 = titan.shared.alloc : !titan.shared<64x128xbf16, swizzle = 128>
  %sums = titan.tmem.alloc : !sums
  %other = titan.tmem.alloc : !sums
  %values = titan.tmem.alloc : !values
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !bar
    titan.fence.mbarrier_init
  }
  %tile = titan.splat %f1 : bf16 -> !reg
  %half = titan.splat %f1 : bf16 -> !half
  titan.shared.store %tile, %b : !reg, !tile
  %t128 = titan.splat %f1 : bf16 -> tensor<64x128xbf16, #rows>
  titan.shared.store %t128, %b128 : tensor<64x128xbf16, #rows>, !titan.shared<64x128xbf16, swizzle = 128>
  titan.fence.proxy_async shared_cta
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tcgen05.alloc %sums : !sums
    titan.tcgen05.alloc %other : !sums
    titan.tcgen05.alloc %values : !values
  }
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  %asValues = titan.tmem.view %sums[%c0] : !sums -> !titan.tensor_memory<128x128xbf16>
  titan.tmem.store %half, %values : !half, !values
  %z = arith.constant 0.0 : f32
  %zeros = titan.splat %z : f32 -> !full
  titan.tmem.store %zeros, %sums : !full, !sums
  titan.tmem.wait_store
  titan.tcgen05.fence_before
  titan.cta_sync
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    titan.tcgen05.mma %asValues, %b128, %other accumulate(%no) : !titan.tensor_memory<128x128xbf16>, !titan.shared<64x128xbf16, swizzle = 128>, !sums
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
    titan.tcgen05.dealloc %other : !sums
    titan.tcgen05.dealloc %sums : !sums
  }
  titan.return
}

// OTHER-KIND: [mma-order]
// Products of another kind on the same accumulator.
titan.kernel @other_kind(%A: !global) warps(4) attributes {titan.target = "sm_100a"} launch {
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
  %aK = titan.shared.alloc : !titan.shared<128x32xf32, swizzle = 128>
  %bK = titan.shared.alloc : !titan.shared<64x32xf32, swizzle = 128>
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
  %one = arith.constant 1.0 : f32
  %tA = titan.splat %one : f32 -> tensor<128x32xf32, #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [4, 1]>>
  %tB = titan.splat %one : f32 -> tensor<64x32xf32, #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [4, 1]>>
  titan.shared.store %tA, %aK : tensor<128x32xf32, #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [4, 1]>>, !titan.shared<128x32xf32, swizzle = 128>
  titan.shared.store %tB, %bK : tensor<64x32xf32, #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [4, 1]>>, !titan.shared<64x32xf32, swizzle = 128>
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
    titan.tcgen05.mma %aK, %bK, %sums accumulate(%yes) : !titan.shared<128x32xf32, swizzle = 128>, !titan.shared<64x32xf32, swizzle = 128>, !sums
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
