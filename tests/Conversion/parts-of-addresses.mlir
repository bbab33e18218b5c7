// The parts of an address: what all threads agree on, what a thread adds, and constants, which are the instruction's.
//
// RUN: titan compile --emit=ptx %s --check=off | FileCheck %s

#line = #titan.blocked<elements = [1], lanes = [32], warps = [4]>
#rows = #titan.blocked<elements = [1, 4], lanes = [32, 1], warps = [1, 1]>
!square = tensor<32x4xi32, #rows>
!column = tensor<32xi32, #titan.slice<1, #rows>>
#four = #titan.blocked<elements = [4], lanes = [32], warps = [1]>
!tile = tensor<128xf32, #line>
!at = tensor<128xi32, #line>
!memory = !titan.global<?xf32>
#warp = #titan.blocked<elements = [1], lanes = [32], warps = [1]>
!wi = tensor<32xi32, #warp>
!wf = tensor<32xf32, #warp>
!wb = tensor<32xi1, #warp>

// Elements beside each other have one address. What is below the agreed part has its own, 2^16 elements further down,
// so that no sum of 32 bits wraps in a tensor of 2^31 - 1 elements.
// CHECK-LABEL: .entry window
titan.kernel @window(%X: !memory, %W: !memory, %Y: !memory, %row: i32) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %start = titan.splat %row : i32 -> !at
  %j = titan.coordinate 0 : !at
  %ones = arith.constant dense<1> : !at
  %first = arith.addi %start, %j : !at
  %next = arith.addi %first, %ones : !at
  %before = arith.subi %first, %ones : !at
  // CHECK: mul.wide.s32 [[AGREED:%rd[0-9]+]], [[ROW:%r[0-9]+]], 4;
  // CHECK: ld.global.b32 {{%r[0-9]+}}, [[[BASE:%rd[0-9]+]]];
  // CHECK: ld.global.b32 {{%r[0-9]+}}, [[[BASE]]+4];
  %x = titan.global.load %X[%first] : !memory, !at -> !tile
  %z = titan.global.load %X[%next] : !memory, !at -> !tile
  // CHECK: add.s32 [[DOWN:%r[0-9]+]], [[ROW]], -65536;
  // CHECK: mul.wide.s32 {{%rd[0-9]+}}, [[DOWN]], 4;
  // CHECK: ld.global.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}+262140];
  %w = titan.global.load %X[%before] : !memory, !at -> !tile
  // CHECK: mul.lo.s32 {{%r[0-9]+}}, [[ROW]], 9;
  // CHECK: ld.weak.global.b32 {{%r[0-9]+}}, [[[AT:%rd[0-9]+]]];
  // CHECK: add.s64 [[FURTHER:%rd[0-9]+]], [[AT]], 12;
  // CHECK: ld.weak.global.b32 {{%r[0-9]+}}, [[[FURTHER]]];
  %nine = arith.constant 9 : i32
  %three = arith.constant 3 : i32
  %i = arith.muli %row, %nine : i32
  %k = arith.addi %i, %three : i32
  %ii = arith.index_cast %i : i32 to index
  %kk = arith.index_cast %k : i32 to index
  %a = titan.ld %W[%ii] : !memory -> f32
  %b = titan.ld %W[%kk] : !memory -> f32
  %ab = arith.addf %a, %b : f32
  %s = titan.splat %ab : f32 -> !tile
  %sum = arith.addf %x, %z : !tile
  %sums = arith.addf %sum, %w : !tile
  %all = arith.mulf %sums, %s : !tile
  titan.global.store %all, %Y[%first] : !tile, !memory, !at
  titan.return
}

// Registers of one element are loaded once.
// CHECK-LABEL: .entry copies
titan.kernel @copies(%X: !memory, %Y: !memory) warps(1)
    attributes {titan.alignment = {Y = 16}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %i = titan.coordinate 0 : !column
  %all = titan.broadcast %i : !column -> !square
  %at = titan.relabel %all : !square -> tensor<128xi32, #four>
  // CHECK: ld.global.b32
  // CHECK-NOT: ld.global
  %x = titan.global.load %X[%at] : !memory, tensor<128xi32, #four> -> tensor<128xf32, #four>
  %j = titan.coordinate 0 : tensor<128xi32, #four>
  // CHECK: st.global.v4.b32
  titan.global.store %x, %Y[%j] : tensor<128xf32, #four>, !memory, tensor<128xi32, #four>
  titan.return
}

// A quotient may be a product by the reciprocal.
// CHECK-LABEL: .entry reciprocal
titan.kernel @reciprocal(%X: !memory, %Y: !memory) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %j = titan.coordinate 0 : !at
  %x = titan.global.load %X[%j] : !memory, !at -> !tile
  %two = arith.constant dense<2.0> : !tile
  // CHECK: rcp.approx.ftz.f32
  // CHECK-NOT: div
  %y = arith.divf %two, %x fastmath<afn,arcp> : !tile
  titan.global.store %y, %Y[%j] : !tile, !memory, !at
  titan.return
}

// The coordinate that differs in one bit: a butterfly, without a lane to compute. Bits of all lanes: a ballot.
// CHECK-LABEL: .entry lanes
titan.kernel @lanes(%X: !memory, %Y: !memory, %N: !titan.global<?xi32>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %j = titan.coordinate 0 : !wi
  %four = arith.constant dense<4> : !wi
  %there = arith.xori %j, %four : !wi
  %x = titan.global.load %X[%j] : !memory, !wi -> !wf
  // CHECK: shfl.sync.bfly.b32 {{%r[0-9]+, %r[0-9]+}}, 4, 31, -1;
  %y = titan.gather %x[%there] dimension(0) : !wf, !wi -> !wf
  titan.global.store %y, %Y[%j] : !wf, !memory, !wi
  %zero = arith.constant dense<0.0> : !wf
  %is = arith.cmpf ogt, %x, %zero : !wf
  %wide = arith.extui %is : !wb to !wi
  %own = arith.shli %wide, %j : !wi
  // CHECK: vote.sync.ballot.b32
  // CHECK-NOT: shfl
  %bits = titan.reduce or %own : !wi -> !wi
  titan.global.store %bits, %N[%j] : !wi, !titan.global<?xi32>, !wi
  // CHECK: ret;
  titan.return
}
