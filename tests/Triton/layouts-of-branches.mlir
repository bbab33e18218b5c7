// What a branch yields has a layout later than what is made of it has been visited first: a sum and a reshape of it are of
// what the registers hold (titan.relabel of other elements would be wrong data).
// RUN: %python %S/Inputs/converted.py titan %s x_ptr=64:ints:1 out_ptr=64:zeros n=7
// RUN: %python %S/Inputs/converted.py titan %s --num-warps 1 x_ptr=64:ints:1 out_ptr=64:zeros n=1
// RUN: %python %S/Inputs/random_control.py titan --seed 1 --count 24 | FileCheck %s --check-prefix=RANDOM
// RANDOM: seeds 1 to 24: 24 of 24 kernels as in tt
tt.func public @turned(%x_ptr: !tt.ptr<i32>, %out_ptr: !tt.ptr<i32>, %n: i32) {
  %c5 = arith.constant 5 : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %x = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %px = tt.addptr %x, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %line = tt.load %px : tensor<64x!tt.ptr<i32>>
  %v = tt.reshape %line : tensor<64xi32> -> tensor<2x32xi32>
  %large = arith.cmpi sgt, %n, %c5 : i32
  %u = scf.if %large -> (tensor<2x32xi32>) {
    %twice = arith.addi %v, %v : tensor<2x32xi32>
    scf.yield %twice : tensor<2x32xi32>
  } else {
    scf.yield %v : tensor<2x32xi32>
  }
  %turned = tt.trans %u {order = array<i32: 1, 0>} : tensor<2x32xi32> -> tensor<32x2xi32>
  %flat = tt.reshape %turned : tensor<32x2xi32> -> tensor<64xi32>
  %sums = "tt.reduce"(%u) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<2x32xi32>) -> tensor<2xi32>
  %column = tt.expand_dims %sums {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %all = tt.broadcast %column : tensor<2x1xi32> -> tensor<2x32xi32>
  %row = tt.reshape %all : tensor<2x32xi32> -> tensor<64xi32>
  %r = arith.addi %flat, %row : tensor<64xi32>
  %out = tt.splat %out_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %po = tt.addptr %out, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %po, %r : tensor<64x!tt.ptr<i32>>
  tt.return
}
