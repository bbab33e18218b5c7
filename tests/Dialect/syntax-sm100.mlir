// RUN: titan-opt %s | titan-opt | FileCheck %s
// RUN: titan-opt %s --mlir-print-op-generic | titan-opt | FileCheck %s
//
// Every operation of sm_100a alone as it is written, and as it is printed back.

#row = #titan.tmem<"32x32b">
!a = !titan.shared<128x64xbf16, swizzle = 128>
!b = !titan.shared<64x64xbf16, swizzle = 128>
!scales = !titan.shared<128x16xi8>
!ring = !titan.tensor_memory<128x64xf32, slots = 2>
!d = !titan.tensor_memory<128x64xf32>
!half = !titan.tensor_memory<128x32xf32>
!columns = !titan.tensor_memory<128x16xi8>

// CHECK: titan.kernel @sums() warps(4)
titan.kernel @sums() warps(4) attributes {titan.target = "sm_100a"} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = titan.shared.alloc : !a
  %b = titan.shared.alloc : !b
  %scales = titan.shared.alloc : !scales
  %done = titan.mbarrier.alloc : !titan.mbarrier
  // CHECK: titan.tmem.alloc : <128x64xf32, slots = 2>
  %ring = titan.tmem.alloc : !ring
  // CHECK: titan.tmem.slot %{{.*}}[%{{.*}} : i32]
  %d = titan.tmem.slot %ring[%i0 : i32] : !ring -> !d
  // CHECK: titan.tmem.view %{{.*}}[%{{.*}}]
  %left = titan.tmem.view %d[%c0] : !d -> !half
  %other = titan.tmem.slot %ring[%i1 : i32] : !ring -> !d
  %columns = titan.tmem.view %other[%c0] : !d -> !columns
  titan.elect warp(0) {
    titan.mbarrier.init %done count(1) : !titan.mbarrier
  }
  // CHECK: titan.tcgen05.alloc %{{.*}} : <128x64xf32, slots = 2>
  titan.tcgen05.alloc %ring : !ring
  // CHECK: titan.tcgen05.relinquish
  titan.tcgen05.relinquish
  // CHECK: titan.tcgen05.fence_before
  titan.tcgen05.fence_before
  titan.cta_sync
  // CHECK: titan.tcgen05.fence_after
  titan.tcgen05.fence_after
  titan.elect warp(0) {
    // CHECK: titan.tcgen05.cp %{{.*}}, %{{.*}} :
    titan.tcgen05.cp %scales, %columns : !scales, !columns
    // CHECK: titan.tcgen05.mma %{{.*}}, %{{.*}}, %{{.*}} accumulate(%{{.*}}) :
    titan.tcgen05.mma %a, %b, %d accumulate(%true) : !a, !b, !d
    // CHECK: titan.tcgen05.commit %{{.*}} :
    titan.tcgen05.commit %done : !titan.mbarrier
  }
  titan.mbarrier.wait %done parity(%i0) : !titan.mbarrier
  // CHECK: titan.tmem.load %{{.*}} : <128x32xf32> -> <tensor<128x32xf32, #titan.tmem<"32x32b">>>
  %rows = titan.tmem.load %left : !half -> !titan.inflight<tensor<128x32xf32, #row>>
  // CHECK: titan.tmem.wait_load %{{.*}} :
  %tile = titan.tmem.wait_load %rows : !titan.inflight<tensor<128x32xf32, #row>> -> tensor<128x32xf32, #row>
  // CHECK: titan.tmem.store %{{.*}}, %{{.*}} :
  titan.tmem.store %tile, %left : tensor<128x32xf32, #row>, !half
  // CHECK: titan.tmem.wait_store
  titan.tmem.wait_store
  titan.cta_sync
  // CHECK: titan.tcgen05.dealloc %{{.*}} :
  titan.tcgen05.dealloc %ring : !ring
  titan.return
}
