// RUN: titan compile %s --emit=ptx -o - | FileCheck %s
//
// What threads exchange, in instructions.

#acc = #titan.wgmma<1, 1>
#rows = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [4, 1]>
#pairs = #titan.blocked<elements = [1, 2], lanes = [8, 4], warps = [4, 1]>
!f32 = !titan.global<?x?xf32>
!f16 = !titan.global<?x?xf16>

// Of eight words each lane has two.
// CHECK-LABEL: .entry words(
// CHECK-COUNT-6: shfl.sync.bfly.b32
// CHECK-NOT: shfl.sync.bfly
// CHECK: ret;
titan.kernel @words(%X: !f32, %Y: !f32) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %r = titan.coordinate 0 : tensor<32x32xi32, #pairs>
  %c = titan.coordinate 1 : tensor<32x32xi32, #pairs>
  %x = titan.global.load %X[%r, %c] : !f32, tensor<32x32xi32, #pairs>, tensor<32x32xi32, #pairs> -> tensor<32x32xf32, #pairs>
  %y = titan.convert_layout %x : tensor<32x32xf32, #pairs> -> tensor<32x32xf32, #rows>
  %i = titan.coordinate 0 : tensor<32x32xi32, #rows>
  %j = titan.coordinate 1 : tensor<32x32xi32, #rows>
  titan.global.store %y, %Y[%i, %j] : tensor<32x32xf32, #rows>, !f32, tensor<32x32xi32, #rows>, tensor<32x32xi32, #rows>
  titan.return
}

// Two elements of 16 bits a word.
// CHECK-LABEL: .entry halves(
// CHECK-COUNT-3: shfl.sync.bfly.b32
// CHECK-NOT: shfl.sync.bfly
// CHECK: ret;
titan.kernel @halves(%X: !f16, %Y: !f16) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %r = titan.coordinate 0 : tensor<32x32xi32, #pairs>
  %c = titan.coordinate 1 : tensor<32x32xi32, #pairs>
  %x = titan.global.load %X[%r, %c] : !f16, tensor<32x32xi32, #pairs>, tensor<32x32xi32, #pairs> -> tensor<32x32xf16, #pairs>
  %y = titan.convert_layout %x : tensor<32x32xf16, #pairs> -> tensor<32x32xf16, #rows>
  %i = titan.coordinate 0 : tensor<32x32xi32, #rows>
  %j = titan.coordinate 1 : tensor<32x32xi32, #rows>
  titan.global.store %y, %Y[%i, %j] : tensor<32x32xf16, #rows>, !f16, tensor<32x32xi32, #rows>, tensor<32x32xi32, #rows>
  titan.return
}

// Registers that change their names, and coordinates that do.
// CHECK-LABEL: .entry names(
// CHECK-NOT: shfl.sync.bfly
// CHECK-NOT: selp
// CHECK: ret;
#other = #titan.layout<"reg: 4*c8, 2*c1; lane: 4*c2, 8*r1; warp: 4*r8">
#turned = #titan.layout<"reg: 4*r8, 2*r1; lane: 4*r2, 8*c1; warp: 4*c8">
titan.kernel @names(%X: !f32, %Y: !f32) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %r = titan.coordinate 0 : tensor<32x32xi32, #pairs>
  %c = titan.coordinate 1 : tensor<32x32xi32, #pairs>
  %x = titan.global.load %X[%r, %c] : !f32, tensor<32x32xi32, #pairs>, tensor<32x32xi32, #pairs> -> tensor<32x32xf32, #pairs>
  %y = titan.convert_layout %x : tensor<32x32xf32, #pairs> -> tensor<32x32xf32, #other>
  %z = titan.relabel %y : tensor<32x32xf32, #other> -> tensor<32x32xf32, #turned>
  %i = titan.coordinate 0 : tensor<32x32xi32, #turned>
  %j = titan.coordinate 1 : tensor<32x32xi32, #turned>
  titan.global.store %z, %Y[%i, %j] : tensor<32x32xf32, #turned>, !f32, tensor<32x32xi32, #turned>, tensor<32x32xi32, #turned>
  titan.return
}

// 16 bytes a store, 16 bytes a load.
// CHECK-LABEL: .entry between(
// CHECK-COUNT-4: st.shared.v4
// CHECK: barrier.sync
// CHECK-COUNT-4: ld.shared.v4
// CHECK-NOT: shfl.sync.bfly
// CHECK: ret;
#columns = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 4]>
titan.kernel @between(%X: !f16, %Y: !f16) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %scratch = titan.shared.alloc : !titan.shared<4096xf16>
  %r = titan.coordinate 0 : tensor<32x128xi32, #rows>
  %c = titan.coordinate 1 : tensor<32x128xi32, #rows>
  %x = titan.global.load %X[%r, %c] : !f16, tensor<32x128xi32, #rows>, tensor<32x128xi32, #rows> -> tensor<32x128xf16, #rows>
  %y = titan.convert_layout %x through %scratch : tensor<32x128xf16, #rows>, !titan.shared<4096xf16> -> tensor<32x128xf16, #columns>
  %i = titan.coordinate 0 : tensor<32x128xi32, #columns>
  %j = titan.coordinate 1 : tensor<32x128xi32, #columns>
  titan.global.store %y, %Y[%i, %j] : tensor<32x128xf16, #columns>, !f16, tensor<32x128xi32, #columns>, tensor<32x128xi32, #columns>
  titan.return
}

// Sums from behind: registers that hold columns 1 and 4, lanes that hold column 2 between them. What a lane hands on
// is the first register of its pair, which has the maximum of both.
// CHECK-LABEL: .entry suffixes(
// CHECK: ld.global.b32 [[X0:%r[0-9]+]]
// CHECK: ld.global.b32 [[X1:%r[0-9]+]]
// CHECK: ld.global.b32 [[X4:%r[0-9]+]]
// CHECK: ld.global.b32 [[X5:%r[0-9]+]]
// CHECK-DAG: max.s32 [[LOW:%r[0-9]+]], [[X0]], [[X1]];
// CHECK-DAG: max.s32 [[HIGH:%r[0-9]+]], [[X4]], [[X5]];
// CHECK-DAG: shfl.sync.idx.b32 {{%r[0-9]+}}, [[LOW]],
// CHECK-DAG: shfl.sync.idx.b32 {{%r[0-9]+}}, [[HIGH]],
!parts = tensor<16x8xi32, #titan.layout<"reg: 2*c1, 2*c4; lane: 2*c2, 16*r1; shape: r16, c8">>
titan.kernel @suffixes(%X: !titan.global<?x8xi32, strides = [8, 1]>) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %r = titan.coordinate 0 : !parts
  %c = titan.coordinate 1 : !parts
  %x = titan.global.load %X[%r, %c] : !titan.global<?x8xi32, strides = [8, 1]>, !parts, !parts -> !parts
  %y = titan.scan max %x dimension(1) reverse : !parts
  titan.global.store %y, %X[%r, %c] : !parts, !titan.global<?x8xi32, strides = [8, 1]>, !parts, !parts
  titan.return
}
