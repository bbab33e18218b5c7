// RUN: titan compile --check=off %s --emit=ptx -o - | FileCheck %s
//
// stmatrix and ldmatrix serve where the layouts are made of their matrices, whether the program asks for
// them or not; where vectors do it in as few instructions, vectors do.

#acc = #titan.wgmma<1, 1>
#columns = #titan.layout<"reg: 2*r1, 2*r8, 8*c8; lane: 4*r2, 8*c1; warp: 4*r16">
#chunks = #titan.layout<"reg: 8*c1, 4*r16; lane: 8*c8, 4*r1; warp: 4*r4">
!g = !titan.global<?x?xf16>
!tile = !titan.shared<64x64xf16, swizzle = 128>

// CHECK-LABEL: .entry rows(
// CHECK-NOT: bar.warp.sync
// CHECK-COUNT-4: stmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-NOT: st.shared
// CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-NOT: ld.shared
// CHECK: ret;
titan.kernel @rows(%X: !g, %Y: !g) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %s = titan.shared.alloc : !tile
  %r = titan.coordinate 0 : tensor<64x64xi32, #acc>
  %c = titan.coordinate 1 : tensor<64x64xi32, #acc>
  %x = titan.global.load %X[%r, %c] : !g, tensor<64x64xi32, #acc>, tensor<64x64xi32, #acc> -> tensor<64x64xf16, #acc>
  titan.shared.store %x, %s : tensor<64x64xf16, #acc>, !tile
  titan.cta_sync
  %y = titan.shared.load %s : !tile -> tensor<64x64xf16, #columns>
  %i = titan.coordinate 0 : tensor<64x64xi32, #columns>
  %j = titan.coordinate 1 : tensor<64x64xi32, #columns>
  titan.global.store %y, %Y[%i, %j] : tensor<64x64xf16, #columns>, !g, tensor<64x64xi32, #columns>, tensor<64x64xi32, #columns>
  titan.return
}

// CHECK-LABEL: .entry vectors(
// CHECK-NOT: stmatrix
// CHECK-COUNT-4: st.shared.v4
// CHECK-NOT: ldmatrix
// CHECK-COUNT-4: ld.shared.v4
// CHECK: ret;
titan.kernel @vectors(%X: !g, %Y: !g) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %s = titan.shared.alloc : !tile
  %r = titan.coordinate 0 : tensor<64x64xi32, #chunks>
  %c = titan.coordinate 1 : tensor<64x64xi32, #chunks>
  %x = titan.global.load %X[%r, %c] : !g, tensor<64x64xi32, #chunks>, tensor<64x64xi32, #chunks> -> tensor<64x64xf16, #chunks>
  titan.shared.store %x, %s : tensor<64x64xf16, #chunks>, !tile
  titan.cta_sync
  %y = titan.shared.load %s : !tile -> tensor<64x64xf16, #chunks>
  titan.global.store %y, %Y[%r, %c] : tensor<64x64xf16, #chunks>, !g, tensor<64x64xi32, #chunks>, tensor<64x64xi32, #chunks>
  titan.return
}

// What stmatrix writes for another lane, that lane reads in its own order (MM-16): the store has been
// before, and what it read last is over. One barrier serves the store and the load that follow each other.
// CHECK-LABEL: .entry own_elements(
// CHECK: st.weak.shared
// CHECK: bar.warp.sync
// CHECK-COUNT-4: stmatrix
// CHECK: bar.warp.sync
// CHECK-NOT: bar.warp.sync
// CHECK-COUNT-4: ldmatrix
// CHECK: bar.warp.sync
// CHECK-NOT: bar.warp.sync
// CHECK: st.weak.shared
// CHECK-NOT: bar.warp.sync
// CHECK: ret;
titan.kernel @own_elements(%X: !g, %Y: !g) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %s = titan.shared.alloc : !tile
  %one = titan.shared.alloc : !titan.shared<1xi32>
  %i1 = arith.constant 1 : i32
  titan.elect warp(0) {
    titan.st %i1, %one[%c0] : i32, !titan.shared<1xi32>
  }
  %r = titan.coordinate 0 : tensor<64x64xi32, #acc>
  %c = titan.coordinate 1 : tensor<64x64xi32, #acc>
  %x = titan.global.load %X[%r, %c] : !g, tensor<64x64xi32, #acc>, tensor<64x64xi32, #acc> -> tensor<64x64xf16, #acc>
  titan.shared.store %x, %s : tensor<64x64xf16, #acc>, !tile
  %y = titan.shared.load %s : !tile -> tensor<64x64xf16, #acc>
  titan.elect warp(0) {
    titan.st %i1, %one[%c0] : i32, !titan.shared<1xi32>
  }
  titan.global.store %y, %Y[%r, %c] : tensor<64x64xf16, #acc>, !g, tensor<64x64xi32, #acc>, tensor<64x64xi32, #acc>
  titan.return
}

// Two buffers are no matter of each other's.
// CHECK-LABEL: .entry two_buffers(
// CHECK: st.weak.shared
// CHECK-NOT: bar.warp.sync
// CHECK-COUNT-4: stmatrix
// CHECK: bar.warp.sync
// CHECK-COUNT-4: stmatrix
// CHECK-NOT: bar.warp.sync
// CHECK: ret;
titan.kernel @two_buffers(%X: !g) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %h = arith.constant 1.0 : f16
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !titan.shared<64x64xf16>
  %r = titan.coordinate 0 : tensor<64x64xi32, #acc>
  %c = titan.coordinate 1 : tensor<64x64xi32, #acc>
  %x = titan.global.load %X[%r, %c] : !g, tensor<64x64xi32, #acc>, tensor<64x64xi32, #acc> -> tensor<64x64xf16, #acc>
  titan.st %h, %b[%c0, %c0] : f16, !titan.shared<64x64xf16>
  titan.shared.store %x, %a : tensor<64x64xf16, #acc>, !tile
  titan.shared.store %x, %b matrix : tensor<64x64xf16, #acc>, !titan.shared<64x64xf16>
  titan.cta_sync
  titan.st %h, %b[%c0, %c0] : f16, !titan.shared<64x64xf16>
  titan.return
}

// Barriers of the program, with nothing but arithmetic and fences between, are enough; and memory that only a
// copy writes knows no lanes.
// CHECK-LABEL: .entry barriers(
// CHECK: barrier.sync
// CHECK-NOT: bar.warp.sync
// CHECK: stmatrix
// CHECK-NOT: bar.warp.sync
// CHECK: ldmatrix
// CHECK-NOT: bar.warp.sync
// CHECK: ret;
!map = !titan.tensor_map<64x64xf16, swizzle = 128>
titan.kernel @barriers(%X: !g, %Y: !g) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapX = titan.tensor_map %X : !g -> !map
  %mapY = titan.tensor_map %Y : !g -> !map
  titan.launch grid(%c1) with(%mapX, %mapY : !map, !map)
} body(%mapX: !map, %mapY: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %in = titan.shared.alloc : !tile
  %out = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %x = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  %h = arith.truncf %x : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
  titan.shared.store %h, %out : tensor<64x64xf16, #acc>, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %out, %mapY[%c0, %c0] : !tile, !map
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %mapX[%c0, %c0], %in, %full : !map, !tile, !titan.mbarrier
  }
  titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
  %y = titan.shared.load %in : !tile -> tensor<64x64xf16, #acc>
  %r = titan.coordinate 0 : tensor<64x64xi32, #acc>
  %c = titan.coordinate 1 : tensor<64x64xi32, #acc>
  titan.global.store %y, %X[%r, %c] : tensor<64x64xf16, #acc>, !g, tensor<64x64xi32, #acc>, tensor<64x64xi32, #acc>
  titan.return
}
