// Constants of different elements, turned and repeated.
// RUN: %python %S/Inputs/converted.py titan %s y_ptr=16:poison
// RUN: %python %S/Inputs/converted.py titan %s --num-warps 1 y_ptr=16:poison
tt.func public @constants(%y_ptr: !tt.ptr<i32>) {
  %turned = arith.constant dense<[[1, 2, 3, 4, 5, 6, 7, 8], [11, 12, 13, 14, 15, 16, 17, 18]]> : tensor<2x8xi32>
  %repeated = arith.constant dense<[100, 200, 300, 400, 500, 600, 700, 800]> : tensor<8xi32>
  %mask = arith.constant dense<[true, false, true, true, false, true, true, true]> : tensor<8xi1>
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %j = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %two = arith.constant dense<2> : tensor<8xi32>
  %rows = arith.muli %i, %two : tensor<8xi32>
  %r1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %r = tt.broadcast %r1 : tensor<8x1xi32> -> tensor<8x2xi32>
  %c1 = tt.expand_dims %j {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %c = tt.broadcast %c1 : tensor<1x2xi32> -> tensor<8x2xi32>
  %at = arith.addi %r, %c : tensor<8x2xi32>
  %t = tt.trans %turned {order = array<i32: 1, 0>} : tensor<2x8xi32> -> tensor<8x2xi32>
  %s1 = tt.expand_dims %repeated {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %s = tt.broadcast %s1 : tensor<8x1xi32> -> tensor<8x2xi32>
  %sum = arith.addi %t, %s : tensor<8x2xi32>
  %m1 = tt.expand_dims %mask {axis = 1 : i32} : tensor<8xi1> -> tensor<8x1xi1>
  %m = tt.broadcast %m1 : tensor<8x1xi1> -> tensor<8x2xi1>
  %chosen = arith.select %m, %sum, %t : tensor<8x2xi1>, tensor<8x2xi32>
  %ys = tt.splat %y_ptr : !tt.ptr<i32> -> tensor<8x2x!tt.ptr<i32>>
  %p = tt.addptr %ys, %at : tensor<8x2x!tt.ptr<i32>>, tensor<8x2xi32>
  tt.store %p, %chosen : tensor<8x2x!tt.ptr<i32>>
  tt.return
}
