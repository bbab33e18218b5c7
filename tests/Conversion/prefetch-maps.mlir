// Tensor maps that an engine reads are prefetched once a CTA: by the first warp that
// has a block of its own, before any use; else by warp 0; and where there is but one
// warp, without a branch. Maps that nothing reads are not.
// RUN: titan compile --check=off %s --emit=ptx -o - | FileCheck %s

!matrix = !titan.global<?x?xf32>
!map = !titan.tensor_map<32x32xf32, swizzle = 128>
!tile = !titan.shared<32x32xf32, swizzle = 128>
!bar = !titan.mbarrier

// CHECK-LABEL: .entry block_of_one_warp(
// CHECK: shfl.sync
// CHECK: setp.ne.b32 [[P:%p[0-9]+]], %r{{[0-9]+}}, 1;
// CHECK-NOT: prefetch
// CHECK: @[[P]] bra
// CHECK: prefetch.tensormap
// CHECK-NOT: prefetch.tensormap
// CHECK: elect.sync
// CHECK: mbarrier.init
// CHECK-NOT: prefetch.tensormap
titan.kernel @block_of_one_warp(%X: !matrix) warps(4) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %X : !matrix -> !map
  %unused = titan.tensor_map %X : !matrix -> !map
  titan.launch grid(%c1) with(%map, %unused : !map, !map)
} body(%map: !map, %unused: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 4096 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(1) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %map[%c0, %c0], %tile, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.return
}

// The engine reads the map in a loop before the first block of one warp.
// CHECK-LABEL: .entry no_such_block(
// CHECK: shfl.sync
// CHECK: setp.ne.b32 [[P:%p[0-9]+]], %r{{[0-9]+}}, 0;
// CHECK-NEXT: @[[P]] bra
// CHECK: prefetch.tensormap
// CHECK-NOT: prefetch.tensormap
titan.kernel @no_such_block(%X: !matrix) warps(2) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %X : !matrix -> !map
  %n = titan.dim %X, 0 : !matrix
  titan.launch grid(%c1) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %tile = titan.shared.alloc : !tile
  scf.for %i = %c0 to %n step %c32 {
    titan.elect warp(1) {
      titan.tma.store %tile, %map[%i, %c0] : !tile, !map
      %group = titan.bulk.commit : !titan.token<bulk>
      titan.bulk.wait %group read : !titan.token<bulk>
    }
  }
  titan.elect warp(0) {
    titan.bulk.wait_group 0
  }
  titan.return
}

// CHECK-LABEL: .entry one_warp(
// CHECK-NOT: bra
// CHECK: prefetch.tensormap
// CHECK-NOT: prefetch.tensormap
titan.kernel @one_warp(%X: !matrix) warps(1) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %X : !matrix -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %tile = titan.shared.alloc : !tile
  titan.elect warp(0) {
    titan.tma.store %tile, %map[%c0, %c0] : !tile, !map
    %group = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %group read : !titan.token<bulk>
  }
  titan.return
}
