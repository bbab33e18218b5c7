// Global memory: accesses as wide as layout, alignment and divisibility allow.
//
// RUN: titan compile --emit=ptx %s | FileCheck %s
// RUN: titan compile --emit=cubin -o %t.cubin %s
// RUN: titan compile --emit=manifest %s | FileCheck --dump-input=never %s --check-prefix=MANIFEST
// REQUIRES: ptxas

// Four elements of 4 bytes a thread, eight of 2, sixteen of 1.
#rows4 = #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [1, 1]>
#rows8 = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
#rows16 = #titan.blocked<elements = [1, 16], lanes = [4, 8], warps = [1, 1]>
!f32 = tensor<4x32xf32, #rows4>
!at4 = tensor<4x32xi32, #rows4>
!truth = tensor<4x32xi1, #rows4>
!bf16 = tensor<4x64xbf16, #rows8>
!at8 = tensor<4x64xi32, #rows8>
!i8 = tensor<4x128xi8, #rows16>
!at16 = tensor<4x128xi32, #rows16>
!F = !titan.global<?x128xf32, strides = [128, 1]>
!B = !titan.global<?x128xbf16, strides = [128, 1]>
!I = !titan.global<?x128xi8, strides = [128, 1]>

// CHECK-LABEL: .entry whole
// MANIFEST: "alignment":16
titan.kernel @whole(%F: !F, %B: !B, %I: !I, %F2: !F, %B2: !B, %I2: !I) warps(1)
    attributes {titan.alignment = {B = 16, B2 = 16, F = 16, F2 = 16, I = 16, I2 = 16}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %i4 = titan.coordinate 0 : !at4
  %j4 = titan.coordinate 1 : !at4
  // CHECK: ld.global.v4.b32
  // CHECK-NOT: ld.global
  %f = titan.global.load %F[%i4, %j4] : !F, !at4, !at4 -> !f32
  // CHECK: st.global.v4.b32
  // CHECK-NOT: st.global
  titan.global.store %f, %F2[%i4, %j4] : !f32, !F, !at4, !at4
  %i8 = titan.coordinate 0 : !at8
  %j8 = titan.coordinate 1 : !at8
  // CHECK: ld.global.v4.b32
  // CHECK-NOT: ld.global
  %b = titan.global.load %B[%i8, %j8] : !B, !at8, !at8 -> !bf16
  // CHECK: st.global.v4.b32
  // CHECK-NOT: st.global
  titan.global.store %b, %B2[%i8, %j8] : !bf16, !B, !at8, !at8
  %i16 = titan.coordinate 0 : !at16
  %j16 = titan.coordinate 1 : !at16
  // CHECK: ld.global.v4.b32
  // CHECK-NOT: ld.global
  %c = titan.global.load %I[%i16, %j16] : !I, !at16, !at16 -> !i8
  // CHECK: st.global.v4.b32
  // CHECK-NOT: st.global
  titan.global.store %c, %I2[%i16, %j16] : !i8, !I, !at16, !at16
  // CHECK: ret;
  titan.return
}

// Nothing is known of where the tensor begins.
// CHECK-LABEL: .entry unaligned
titan.kernel @unaligned(%F: !F, %G: !F) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %i = titan.coordinate 0 : !at4
  %j = titan.coordinate 1 : !at4
  // CHECK-NOT: ld.global.v
  // CHECK-COUNT-4: ld.global.b32
  %f = titan.global.load %F[%i, %j] : !F, !at4, !at4 -> !f32
  // CHECK-COUNT-4: st.global.b32
  titan.global.store %f, %G[%i, %j] : !f32, !F, !at4, !at4
  // CHECK: ret;
  titan.return
}

// Half of 16 bytes: the tensor, or the first column.
// CHECK-LABEL: .entry halves
titan.kernel @halves(%F: !F, %G: !F, %n: i32) warps(1)
    attributes {titan.alignment = {F = 8, G = 16}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %i = titan.coordinate 0 : !at4
  %j = titan.coordinate 1 : !at4
  // CHECK-COUNT-2: ld.global.v2.b32
  // CHECK-NOT: ld.global
  %f = titan.global.load %F[%i, %j] : !F, !at4, !at4 -> !f32
  %c6 = arith.constant 6 : i32
  %from = arith.muli %n, %c6 : i32
  %columns = titan.splat %from : i32 -> !at4
  %k = arith.addi %columns, %j : !at4
  // CHECK: st.global.v2.b32
  // CHECK: st.global.v2.b32
  // CHECK-NOT: st.global
  titan.global.store %f, %G[%i, %k] : !f32, !F, !at4, !at4
  // CHECK: ret;
  titan.return
}

// A mask that is one value for the vector: its bound is a multiple of four.
// CHECK-LABEL: .entry masked
titan.kernel @masked(%D: !titan.global<?x?xf32>) warps(1)
    attributes {titan.alignment = {D = 16}} launch {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = titan.dim %D, 1 : !titan.global<?x?xf32>
  %odd = arith.remui %n, %c4 : index
  %whole = arith.cmpi eq, %odd, %c0 : index
  titan.require %whole, "launch-check", "rows are whole vectors"
  %stride = titan.stride %D, 0 : !titan.global<?x?xf32>
  %oddStride = arith.remui %stride, %c4 : index
  %wholeStride = arith.cmpi eq, %oddStride, %c0 : index
  titan.require %wholeStride, "launch-check", "rows begin at whole vectors"
  titan.launch grid(%c1)
} body() {
  %n = titan.dim %D, 1 : !titan.global<?x?xf32>
  %n32 = arith.index_cast %n : index to i32
  %limit = titan.splat %n32 : i32 -> !at4
  %i = titan.coordinate 0 : !at4
  %j = titan.coordinate 1 : !at4
  %inside = arith.cmpi slt, %j, %limit : !at4
  // CHECK-COUNT-4: mov.b32 {{%r[0-9]+}}, 0;
  // CHECK: @active ld.global.v4.b32 {{[{].*[}]}}, [{{%rd[0-9]+}}];
  // CHECK-NOT: ld.global
  %f = titan.global.load %D[%i, %j] mask(%inside : !truth) : !titan.global<?x?xf32>, !at4, !at4 -> !f32
  // CHECK: @active st.global.cs.L2::cache_hint.v4.b32 [{{%rd[0-9]+}}], {{[{].*[}]}}, {{%rd[0-9]+}};
  // CHECK-NOT: st.global
  titan.global.store %f, %D[%i, %j] mask(%inside : !truth) cop(cs) cache(evict_first) : !f32, !titan.global<?x?xf32>, !at4, !at4
  // One column more: no vector lies on one side of it.
  %c1 = arith.constant 1 : i32
  %more = arith.addi %n32, %c1 : i32
  %other = titan.splat %more : i32 -> !at4
  %almost = arith.cmpi slt, %j, %other : !at4
  // CHECK-COUNT-4: @active st.global.b32
  titan.global.store %f, %D[%i, %j] mask(%almost : !truth) : !f32, !titan.global<?x?xf32>, !at4, !at4
  // CHECK: ret;
  titan.return
}

// What a tensor map asks of its tensor holds for the threads, too. Rows are
// loaded from, and their addresses told from, one: distances are constants.
// CHECK-LABEL: .entry mapped
!map = !titan.tensor_map<4x32xf32>
titan.kernel @mapped(%D: !titan.global<?x?xf32>) warps(1) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %D : !titan.global<?x?xf32> -> !map
  titan.launch grid(%c1) with (%map : !map)
} body(%map: !map) {
  %i = titan.coordinate 0 : !at4
  %j = titan.coordinate 1 : !at4
  // CHECK: ld.global.v4.b32
  // CHECK-NOT: ld.global
  %f = titan.global.load %D[%i, %j] : !titan.global<?x?xf32>, !at4, !at4 -> !f32
  %c32 = arith.constant 32 : i32
  %next = titan.splat %c32 : i32 -> !at4
  %k = arith.addi %j, %next : !at4
  // CHECK: st.global.v4.b32
  // CHECK-NOT: st.global
  titan.global.store %f, %D[%i, %k] : !f32, !titan.global<?x?xf32>, !at4, !at4
  // CHECK: ret;
  titan.return
}

// Columns from behind are no vector: four loads, each at its own place.
// CHECK-LABEL: .entry mirrored
titan.kernel @mirrored(%D: !F, %E: !F) warps(1) attributes {titan.alignment = {D = 16, E = 16}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i = titan.coordinate 0 : !at4
  %j = titan.coordinate 1 : !at4
  %last = arith.constant dense<31> : !at4
  %k = arith.subi %last, %j : !at4
  // CHECK-NOT: ld.global.v
  // CHECK: ld.global.b32 [[A:%r[0-9]+]], [%rd{{[0-9]+}}];
  // CHECK: ld.global.b32 [[B:%r[0-9]+]], [%rd{{.+}}];
  // CHECK: ld.global.b32 [[C:%r[0-9]+]], [%rd{{.+}}];
  // CHECK: ld.global.b32 [[D:%r[0-9]+]], [%rd{{.+}}];
  %f = titan.global.load %D[%i, %k] : !F, !at4, !at4 -> !f32
  // CHECK: st.global.v4.b32 {{.+}}, {[[A]], [[B]], [[C]], [[D]]};
  titan.global.store %f, %E[%i, %j] : !f32, !F, !at4, !at4
  // CHECK: ret;
  titan.return
}

// Rows at multiples of a stride that the launch knows, in a tensor of one dimension: the product is the same along a
// row, and a multiple of four by what the launch requires; of a remainder of rows, too.
// CHECK-LABEL: .entry strided
!line = !titan.global<?xf32>
titan.kernel @strided(%F: !line, %G: !line, %stride: i32, %rows: i32) warps(1)
    attributes {titan.alignment = {F = 16, G = 16}} launch {
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %rest = arith.remui %stride, %four : i32
  %whole = arith.cmpi eq, %rest, %zero : i32
  titan.require %whole, "launch-check", "rows begin at whole vectors"
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %i = titan.coordinate 0 : !at4
  %j = titan.coordinate 1 : !at4
  %strides = titan.splat %stride : i32 -> !at4
  %row = arith.muli %i, %strides : !at4
  %at = arith.addi %row, %j : !at4
  // CHECK: ld.global.v4.b32
  // CHECK-NOT: ld.global
  %f = titan.global.load %F[%at] : !line, !at4 -> !f32
  %count = titan.splat %rows : i32 -> !at4
  %around = arith.remui %i, %count : !at4
  %there = arith.muli %around, %strides : !at4
  %from = arith.addi %there, %j : !at4
  // CHECK: ld.global.v4.b32
  // CHECK-NOT: ld.global
  %g = titan.global.load %F[%from] : !line, !at4 -> !f32
  // Columns at multiples of the stride are no neighbours.
  %column = arith.muli %j, %strides : !at4
  %apart = arith.addi %column, %i : !at4
  // CHECK-COUNT-4: ld.global.b32
  %h = titan.global.load %F[%apart] : !line, !at4 -> !f32
  %sum = arith.addf %f, %g : !f32
  %all = arith.addf %sum, %h : !f32
  %width = arith.constant dense<32> : !at4
  %packed = arith.muli %i, %width : !at4
  %to = arith.addi %packed, %j : !at4
  // CHECK: st.global.v4.b32
  titan.global.store %all, %G[%to] : !f32, !line, !at4
  // CHECK: ret;
  titan.return
}
