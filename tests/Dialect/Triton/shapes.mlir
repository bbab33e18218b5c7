// The operations are printed as they stand here, which is how Triton 3.6 prints them.
// RUN: titan-opt %s | diff - <(grep -v '^//' %s; echo)
module {
  tt.func @shapes(%arg0: f32, %arg1: tensor<1xf32>, %arg2: tensor<4x8xf32>, %arg3: tensor<4x2xi32>, %arg4: !tt.ptr<f32>) {
    %0 = tt.make_range {end = 16 : i32, start = 8 : i32} : tensor<8xi32>
    %1 = tt.splat %arg0 : f32 -> tensor<4x8xf32>
    %2 = tt.splat %arg4 : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %3 = tt.unsplat %arg1 : tensor<1xf32>
    %4 = tt.expand_dims %0 {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
    %5 = tt.broadcast %4 : tensor<1x8xi32> -> tensor<4x8xi32>
    %6 = tt.reshape %5 : tensor<4x8xi32> -> tensor<32xi32>
    %7 = tt.reshape %5 allow_reorder : tensor<4x8xi32> -> tensor<2x16xi32>
    %8 = tt.reshape %5 allow_reorder efficient_layout : tensor<4x8xi32> -> tensor<2x16xi32>
    %9 = tt.trans %arg2 {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
    %10 = tt.cat %0, %0 : tensor<8xi32> -> tensor<16xi32>
    %11 = tt.join %0, %0 : tensor<8xi32> -> tensor<8x2xi32>
    %outLHS, %outRHS = tt.split %11 : tensor<8x2xi32> -> tensor<8xi32>
    %12 = tt.gather %arg2[%arg3] {axis = 1 : i32} : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4x2xf32>
    %13 = tt.gather %arg2[%arg3] {axis = 1 : i32, efficient_layout} : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4x2xf32>
    %14 = arith.cmpi slt, %outLHS, %outRHS : tensor<8xi32>
    %15 = tt.histogram %0 : tensor<8xi32> -> tensor<16xi32>
    %16 = tt.histogram %0, %14 : tensor<8xi32> -> tensor<16xi32>
    tt.return
  }
}
