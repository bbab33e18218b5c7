// The operations are printed as they stand here, which is how Triton 3.6 prints them.
// RUN: titan-opt %s | diff - <(grep -v '^//' %s; echo)
module {
  tt.func @reduce(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xi32>, %arg2: tensor<8xi32>) {
    %0:2 = "tt.reduce"(%arg0, %arg1) <{axis = 1 : i32}> ({
    ^bb0(%arg3: f32, %arg4: i32, %arg5: f32, %arg6: i32):
      %4 = arith.cmpf ogt, %arg3, %arg5 : f32
      %5 = arith.select %4, %arg3, %arg5 : f32
      %6 = arith.select %4, %arg4, %arg6 : i32
      tt.reduce.return %5, %6 : f32, i32
    }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>)
    %1 = "tt.reduce"(%arg2) <{axis = 0 : i32}> ({
    ^bb0(%arg3: i32, %arg4: i32):
      %4 = arith.addi %arg3, %arg4 : i32
      tt.reduce.return %4 : i32
    }) : (tensor<8xi32>) -> i32
    %2 = "tt.scan"(%arg1) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%arg3: i32, %arg4: i32):
      %4 = arith.addi %arg3, %arg4 : i32
      tt.scan.return %4 : i32
    }) : (tensor<4x8xi32>) -> tensor<4x8xi32>
    %3 = "tt.map_elementwise"(%arg1) <{pack = 1 : i32}> ({
    ^bb0(%arg3: i32):
      %4 = arith.cmpi slt, %arg3, %1 : i32
      cf.cond_br %4, ^bb1, ^bb2
    ^bb1:  // pred: ^bb0
      tt.map_elementwise.return %arg3 : i32
    ^bb2:  // pred: ^bb0
      tt.map_elementwise.return %1 : i32
    }) : (tensor<4x8xi32>) -> tensor<4x8xi32>
    tt.return
  }
}
