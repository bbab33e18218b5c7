// RUN: titan compile %s --emit=ptx -o - | FileCheck %s
//
// stmatrix and ldmatrix serve where the layouts are made of their matrices, whether the program asks for
// them or not; where vectors do it in as few instructions, vectors do.

#acc = #titan.wgmma<1, 1>
#columns = #titan.layout<"reg: 2*r1, 2*r8, 8*c8; lane: 4*r2, 8*c1; warp: 4*r16">
#chunks = #titan.layout<"reg: 8*c1, 4*r16; lane: 8*c8, 4*r1; warp: 4*r4">
!g = !titan.global<?x?xf16>
!tile = !titan.shared<64x64xf16, swizzle = 128>

// CHECK-LABEL: .entry rows(
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
