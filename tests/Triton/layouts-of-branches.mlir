// What a branch yields has a layout later than what is made of it has been visited first: a transpose and a reshape of it
// are of what the registers hold (titan.relabel of other elements would be wrong data).
// RUN: %python %S/Inputs/converted.py titan %s x_ptr=64:ints:1 out_ptr=64:zeros n=7
// RUN: %python %S/Inputs/converted.py titan %s --num-warps 1 x_ptr=64:ints:1 out_ptr=64:zeros n=1
// RUN: %python %S/Inputs/random_control.py titan --seed 1 --count 24 | FileCheck %s --check-prefix=RANDOM
// RANDOM: seeds 1 to 24: 24 of 24 kernels as in tt
tt.func public @turned(%x_ptr: !tt.ptr<i32>, %out_ptr: !tt.ptr<i32>, %n: i32) {
  %c5 = arith.constant 5 : i32
  %c32 = arith.constant dense<32> : tensor<2x1xi32>
  %i = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %starts = arith.muli %rows, %c32 : tensor<2x1xi32>
  %down = tt.broadcast %starts : tensor<2x1xi32> -> tensor<2x32xi32>
  %along = tt.broadcast %columns : tensor<1x32xi32> -> tensor<2x32xi32>
  %at = arith.addi %down, %along : tensor<2x32xi32>
  %x = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<2x32x!tt.ptr<i32>>
  %px = tt.addptr %x, %at : tensor<2x32x!tt.ptr<i32>>, tensor<2x32xi32>
  %v = tt.load %px : tensor<2x32x!tt.ptr<i32>>
  %w = "tt.scan"(%v) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.scan.return %c : i32
  }) : (tensor<2x32xi32>) -> tensor<2x32xi32>
  %large = arith.cmpi sgt, %n, %c5 : i32
  %u = scf.if %large -> (tensor<2x32xi32>) {
    %sum = arith.addi %w, %v : tensor<2x32xi32>
    scf.yield %sum : tensor<2x32xi32>
  } else {
    %rest = arith.subi %w, %v : tensor<2x32xi32>
    scf.yield %rest : tensor<2x32xi32>
  }
  %turned = tt.trans %u {order = array<i32: 1, 0>} : tensor<2x32xi32> -> tensor<32x2xi32>
  %r = tt.reshape %turned : tensor<32x2xi32> -> tensor<2x32xi32>
  %out = tt.splat %out_ptr : !tt.ptr<i32> -> tensor<2x32x!tt.ptr<i32>>
  %po = tt.addptr %out, %at : tensor<2x32x!tt.ptr<i32>>, tensor<2x32xi32>
  tt.store %po, %r : tensor<2x32x!tt.ptr<i32>>
  tt.return
}
