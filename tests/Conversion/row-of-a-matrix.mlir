// A row of a matrix that is a tensor of one dimension, as Triton's programs have it: what all threads agree on is added
// to the tensor's address once, a comparison that is the same for a vector is made once for it, and what stands for
// masked elements is what the load yields.
//
// RUN: titan compile --emit=ptx %s --check=off | FileCheck %s

#vector = #titan.blocked<elements = [4], lanes = [32], warps = [2]>
!tile = tensor<512xf32, #vector>
!at = tensor<512xi32, #vector>
!memory = !titan.global<?xf32>

// Two vectors a thread, the second one 1024 bytes behind the first.
// CHECK-LABEL: .entry row
titan.kernel @row(%X: !memory, %Y: !memory, %stride: i32, %n: i32) warps(2)
    attributes {titan.alignment = {X = 16, Y = 16}} launch {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %n_rest = arith.remui %n, %c4 : i32
  %n_whole = arith.cmpi eq, %n_rest, %c0 : i32
  titan.require %n_whole, "launch-check", "n is a multiple of 4"
  %rest = arith.remui %stride, %c4 : i32
  %whole = arith.cmpi eq, %rest, %c0 : i32
  titan.require %whole, "launch-check", "rows begin at whole vectors"
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %row = titan.cta_id 0
  %row32 = arith.index_cast %row : index to i32
  %first = arith.muli %row32, %stride : i32
  %start = titan.splat %first : i32 -> !at
  %j = titan.coordinate 0 : !at
  %at = arith.addi %start, %j : !at
  %limit = titan.splat %n : i32 -> !at
  %inside = arith.cmpi slt, %j, %limit : !at
  %zero = arith.constant dense<1.0> : !tile
  // CHECK: mul.lo.s32 [[FIRST:%r[0-9]+]],
  // CHECK-COUNT-2: setp.lt.s32
  // CHECK-NOT: setp.lt.s32
  // CHECK: mul.wide.s32 {{%rd[0-9]+}}, [[FIRST]], 4;
  // CHECK-COUNT-4: mov.b32 {{%r[0-9]+}}, 0x3F800000;
  // CHECK: @active ld.global.v4.b32
  // CHECK-COUNT-4: mov.b32 {{%r[0-9]+}}, 0x3F800000;
  // CHECK: @active ld.global.v4.b32
  %x = titan.global.load %X[%at] mask(%inside : tensor<512xi1, #vector>) : !memory, !at -> !tile
  // CHECK-NOT: setp.lt.s32
  // CHECK-NOT: selp.b32 {{.*}}, 1065353216,
  %y = arith.select %inside, %x, %zero : tensor<512xi1, #vector>, !tile
  titan.global.store %y, %Y[%at] mask(%inside : tensor<512xi1, #vector>) : !tile, !memory, !at
  // CHECK: ret;
  titan.return
}

// Of a bound that may lie within a vector, one for each element; an index that goes down is one sum.
// CHECK-LABEL: .entry backwards
titan.kernel @backwards(%X: !memory, %Y: !memory, %n: i32) warps(2)
    attributes {titan.alignment = {X = 16, Y = 16}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %last = titan.splat %n : i32 -> !at
  %j = titan.coordinate 0 : !at
  %at = arith.subi %last, %j : !at
  // CHECK: sub.s32 [[AT:%r[0-9]+]],
  // CHECK-COUNT-8: setp.g{{[a-z]+}}.s32
  // CHECK: mul.wide.s32 {{%rd[0-9]+}}, [[AT]], 4;
  %inside = arith.cmpi sge, %at, %j : !at
  %x = titan.global.load %X[%at] mask(%inside : tensor<512xi1, #vector>) : !memory, !at -> !tile
  titan.global.store %x, %Y[%j] mask(%inside : tensor<512xi1, #vector>) : !tile, !memory, !at
  titan.return
}

// With afn a square root is an approximation.
// CHECK-LABEL: .entry roots
titan.kernel @roots(%X: !memory, %Y: !memory) warps(2)
    attributes {titan.alignment = {X = 16, Y = 16}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %j = titan.coordinate 0 : !at
  %x = titan.global.load %X[%j] : !memory, !at -> !tile
  // CHECK-COUNT-8: sqrt.approx.ftz.f32
  %fast = math.sqrt %x fastmath<afn> : !tile
  // CHECK-COUNT-8: sqrt.rn.f32
  // CHECK-NOT: sqrt.approx
  %root = math.sqrt %x : !tile
  %sum = arith.addf %fast, %root : !tile
  titan.global.store %sum, %Y[%j] : !tile, !memory, !at
  titan.return
}
