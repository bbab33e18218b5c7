// RUN: titan-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: tt.func public @memory
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tt.ptr<f32>>, %[[OTHER:.*]]: tensor<8xf32>)
// CHECK-NEXT: %[[X:.*]] = tt.load %[[P]] : tensor<8x!tt.ptr<f32>>
// CHECK-NEXT: tt.store %[[P]], %[[X]] : tensor<8x!tt.ptr<f32>>
// CHECK-NEXT: tt.return %[[X]], %[[OTHER]]
tt.func public @memory(%p: tensor<8x!tt.ptr<f32>>, %other: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %true = arith.constant dense<true> : tensor<8xi1>
  %false = arith.constant dense<false> : tensor<8xi1>
  %x = tt.load %p, %true, %other : tensor<8x!tt.ptr<f32>>
  %y = tt.load %p, %false, %other : tensor<8x!tt.ptr<f32>>
  tt.store %p, %y, %false : tensor<8x!tt.ptr<f32>>
  tt.store %p, %x, %true : tensor<8x!tt.ptr<f32>>
  tt.return %x, %y : tensor<8xf32>, tensor<8xf32>
}

// What is volatile is read; without `other` nothing is known of it.
// CHECK-LABEL: tt.func public @masked
// CHECK-COUNT-2: tt.load
tt.func public @masked(%p: tensor<8x!tt.ptr<f32>>, %other: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %false = arith.constant dense<false> : tensor<8xi1>
  %x = tt.load %p, %false, %other {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  %y = tt.load %p, %false : tensor<8x!tt.ptr<f32>>
  tt.return %x, %y : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: tt.func public @pointers
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %[[BLOCK:.*]]: !tt.ptr<tensor<8x8xf32>>)
// CHECK-NEXT: %[[Q:.*]] = tt.bitcast %[[P]] : !tt.ptr<f32> -> !tt.ptr<i32>
// CHECK-NEXT: tt.return %[[P]], %[[P]], %[[Q]], %[[BLOCK]]
tt.func public @pointers(%p: !tt.ptr<f32>, %block: !tt.ptr<tensor<8x8xf32>>) -> (!tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<i32>, !tt.ptr<tensor<8x8xf32>>) {
  %zero = arith.constant 0 : i32
  %moved = tt.addptr %p, %zero : !tt.ptr<f32>, i32
  %address = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %back = tt.int_to_ptr %address : i64 -> !tt.ptr<f32>
  %other = tt.int_to_ptr %address : i64 -> !tt.ptr<i32>
  %next = tt.advance %block, [%zero, %zero] : <tensor<8x8xf32>>
  tt.return %moved, %back, %other, %next : !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<i32>, !tt.ptr<tensor<8x8xf32>>
}

// A zero keeps its sign.
// CHECK-LABEL: tt.func public @conversions
// CHECK-DAG: %[[PLUS:.*]] = arith.constant dense<0.000000e+00> : tensor<8xf16>
// CHECK-DAG: %[[MINUS:.*]] = arith.constant dense<-0.000000e+00> : tensor<8xf16>
// CHECK: tt.return %[[PLUS]], %[[MINUS]]
tt.func public @conversions() -> (tensor<8xf16>, tensor<8xf16>) {
  %plus = arith.constant dense<0.0> : tensor<8xf32>
  %minus = arith.constant dense<-0.0> : tensor<8xf32>
  %x = tt.fp_to_fp %plus, rounding = rtne : tensor<8xf32> -> tensor<8xf16>
  %y = tt.fp_to_fp %minus, rounding = rtne : tensor<8xf32> -> tensor<8xf16>
  tt.return %x, %y : tensor<8xf16>, tensor<8xf16>
}

// CHECK-LABEL: tt.func public @constants
// CHECK-DAG: %[[RANGE:.*]] = arith.constant dense<7> : tensor<1xi32>
// CHECK-DAG: %[[SPLAT:.*]] = arith.constant dense<3> : tensor<8xi32>
// CHECK-DAG: %[[COLUMN:.*]] = arith.constant dense<3> : tensor<8x1xi32>
// CHECK-DAG: %[[MATRIX:.*]] = arith.constant dense<3> : tensor<8x4xi32>
// CHECK-DAG: %[[FLAT:.*]] = arith.constant dense<3> : tensor<32xi32>
// CHECK: tt.return %[[RANGE]], %[[SPLAT]], %[[COLUMN]], %[[MATRIX]], %[[FLAT]]
tt.func public @constants() -> (tensor<1xi32>, tensor<8xi32>, tensor<8x1xi32>, tensor<8x4xi32>, tensor<32xi32>) {
  %range = tt.make_range {start = 7 : i32, end = 8 : i32} : tensor<1xi32>
  %three = arith.constant 3 : i32
  %splat = tt.splat %three : i32 -> tensor<8xi32>
  %column = tt.expand_dims %splat {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %matrix = tt.broadcast %column : tensor<8x1xi32> -> tensor<8x4xi32>
  %flat = tt.reshape %matrix : tensor<8x4xi32> -> tensor<32xi32>
  tt.return %range, %splat, %column, %matrix, %flat : tensor<1xi32>, tensor<8xi32>, tensor<8x1xi32>, tensor<8x4xi32>, tensor<32xi32>
}

// Of a splat: a splat.
// CHECK-LABEL: tt.func public @splats
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK-DAG: %[[COLUMN:.*]] = tt.splat %[[X]] : f32 -> tensor<8x1xf32>
// CHECK-DAG: %[[MATRIX:.*]] = tt.splat %[[X]] : f32 -> tensor<8x4xf32>
// CHECK-DAG: %[[FLAT:.*]] = tt.splat %[[X]] : f32 -> tensor<32xf32>
// CHECK: tt.return %[[COLUMN]], %[[MATRIX]], %[[FLAT]]
tt.func public @splats(%x: f32) -> (tensor<8x1xf32>, tensor<8x4xf32>, tensor<32xf32>) {
  %splat = tt.splat %x : f32 -> tensor<8xf32>
  %column = tt.expand_dims %splat {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  %matrix = tt.broadcast %column : tensor<8x1xf32> -> tensor<8x4xf32>
  %flat = tt.reshape %matrix : tensor<8x4xf32> -> tensor<32xf32>
  tt.return %column, %matrix, %flat : tensor<8x1xf32>, tensor<8x4xf32>, tensor<32xf32>
}

// Two of a kind are one; a dimension is added before the broadcast.
// CHECK-LABEL: tt.func public @views
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[ROW:.*]]: tensor<1x1xf32>)
// CHECK-DAG: %[[SHAPE:.*]] = tt.reshape %[[X]] : tensor<4x8xf32> -> tensor<2x16xf32>
// CHECK-DAG: %[[WIDE:.*]] = tt.broadcast %[[ROW]] : tensor<1x1xf32> -> tensor<4x8xf32>
// CHECK-DAG: %[[THREE:.*]] = tt.expand_dims %[[ROW]] {axis = 0 : i32}
// CHECK-DAG: %[[CUBE:.*]] = tt.broadcast %[[THREE]] : tensor<1x1x1xf32> -> tensor<1x1x8xf32>
// CHECK: tt.return %[[X]], %[[X]], %[[SHAPE]], %[[WIDE]], %[[CUBE]]
tt.func public @views(%x: tensor<4x8xf32>, %row: tensor<1x1xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<2x16xf32>, tensor<4x8xf32>, tensor<1x1x8xf32>) {
  %turned = tt.trans %x {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  %back = tt.trans %turned {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  %same = tt.reshape %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %flat = tt.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  %shape = tt.reshape %flat : tensor<32xf32> -> tensor<2x16xf32>
  %long = tt.broadcast %row : tensor<1x1xf32> -> tensor<1x8xf32>
  %wide = tt.broadcast %long : tensor<1x8xf32> -> tensor<4x8xf32>
  %cube = tt.expand_dims %long {axis = 0 : i32} : tensor<1x8xf32> -> tensor<1x1x8xf32>
  tt.return %back, %same, %shape, %wide, %cube : tensor<4x8xf32>, tensor<4x8xf32>, tensor<2x16xf32>, tensor<4x8xf32>, tensor<1x1x8xf32>
}
