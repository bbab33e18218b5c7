// NVIDIA/cutlass#3653: warps store an operand to tensor memory and arrive without tcgen05.wait::st; the product reads cells that are not there yet.
//
// RUN: titan check %s --kernel fix
// RUN: not titan check %s --kernel bug 2>&1 | FileCheck %s --check-prefix=BUG

#row    = #titan.tmem<"32x32b">
!b      = !titan.shared<64x64xbf16, swizzle = 128>
!d      = !titan.tensor_memory<128x64xf32>
!p      = !titan.tensor_memory<128x64xbf16>
!bar    = !titan.mbarrier
!tile   = tensor<128x64xbf16, #row>
!reg    = tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
!sums   = tensor<128x64xf32, #row>
!flight = !titan.inflight<tensor<128x64xf32, #row>>
!where  = tensor<128x64xi32, #row>
!out    = !titan.global<128x64xf32>

titan.kernel @bug(%D: !out, %rounds: i32) warps(8) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : bf16
  %no = arith.constant false
  %b = titan.shared.alloc : !b
  %d = titan.tmem.alloc : !d
  %p = titan.tmem.alloc : !p
  %ready = titan.mbarrier.alloc : !bar
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ready count(4) : !bar
    titan.mbarrier.init %done count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "multiply" warps(1) {
      titan.tcgen05.alloc %d : !d
      titan.tcgen05.alloc %p : !p
      titan.tcgen05.fence_before
      titan.barrier.sync 1 threads(160)
      titan.tcgen05.fence_after
      titan.elect {
        %last = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
          titan.mbarrier.wait %ready parity(%parity) : !bar
          titan.tcgen05.fence_after
          // BUG: [[@LINE+1]]:{{.*}}[tmem-wait-missing] 'titan.tcgen05.mma' reads tensor memory
          titan.tcgen05.mma %p, %b, %d accumulate(%no) : !p, !b, !d
          titan.tcgen05.commit %done : !bar
          %next = arith.xori %parity, %i1 : i32
          scf.yield %next : i32
        }
      }
      titan.barrier.sync 1 threads(160)
      titan.tcgen05.fence_after
      titan.tcgen05.dealloc %p : !p
      titan.tcgen05.dealloc %d : !d
    }
    titan.partition "values" warps(4) {
      %ones = titan.splat %f1 : bf16 -> !tile
      %more = titan.splat %f1 : bf16 -> !reg
      %i = titan.coordinate 0 : !where
      %j = titan.coordinate 1 : !where
      titan.shared.store %more, %b : !reg, !b
      titan.fence.proxy_async shared_cta
      titan.barrier.sync 1 threads(160)
      titan.tcgen05.fence_after
      %last = scf.for %r = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
        titan.tmem.store %ones, %p : !tile, !p
        titan.tcgen05.fence_before
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %ready : !bar
        }
        titan.mbarrier.wait %done parity(%parity) : !bar
        titan.tcgen05.fence_after
        %coming = titan.tmem.load %d : !d -> !flight
        %sums = titan.tmem.wait_load %coming : !flight -> !sums
        titan.global.store %sums, %D[%i, %j] : !sums, !out, !where, !where
        %next = arith.xori %parity, %i1 : i32
        scf.yield %next : i32
      }
      titan.tcgen05.fence_before
      titan.barrier.sync 1 threads(160)
    }
  }
  titan.return
}

titan.kernel @fix(%D: !out, %rounds: i32) warps(8) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : bf16
  %no = arith.constant false
  %b = titan.shared.alloc : !b
  %d = titan.tmem.alloc : !d
  %p = titan.tmem.alloc : !p
  %ready = titan.mbarrier.alloc : !bar
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ready count(4) : !bar
    titan.mbarrier.init %done count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "multiply" warps(1) {
      titan.tcgen05.alloc %d : !d
      titan.tcgen05.alloc %p : !p
      titan.tcgen05.fence_before
      titan.barrier.sync 1 threads(160)
      titan.tcgen05.fence_after
      titan.elect {
        %last = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
          titan.mbarrier.wait %ready parity(%parity) : !bar
          titan.tcgen05.fence_after
          titan.tcgen05.mma %p, %b, %d accumulate(%no) : !p, !b, !d
          titan.tcgen05.commit %done : !bar
          %next = arith.xori %parity, %i1 : i32
          scf.yield %next : i32
        }
      }
      titan.barrier.sync 1 threads(160)
      titan.tcgen05.fence_after
      titan.tcgen05.dealloc %p : !p
      titan.tcgen05.dealloc %d : !d
    }
    titan.partition "values" warps(4) {
      %ones = titan.splat %f1 : bf16 -> !tile
      %more = titan.splat %f1 : bf16 -> !reg
      %i = titan.coordinate 0 : !where
      %j = titan.coordinate 1 : !where
      titan.shared.store %more, %b : !reg, !b
      titan.fence.proxy_async shared_cta
      titan.barrier.sync 1 threads(160)
      titan.tcgen05.fence_after
      %last = scf.for %r = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
        titan.tmem.store %ones, %p : !tile, !p
        titan.tmem.wait_store
        titan.tcgen05.fence_before
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %ready : !bar
        }
        titan.mbarrier.wait %done parity(%parity) : !bar
        titan.tcgen05.fence_after
        %coming = titan.tmem.load %d : !d -> !flight
        %sums = titan.tmem.wait_load %coming : !flight -> !sums
        titan.global.store %sums, %D[%i, %j] : !sums, !out, !where, !where
        %next = arith.xori %parity, %i1 : i32
        scf.yield %next : i32
      }
      titan.tcgen05.fence_before
      titan.barrier.sync 1 threads(160)
    }
  }
  titan.return
}
