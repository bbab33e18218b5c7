// Rows of bits that lie in several warps go through shared memory, where a bit has no place (reduceAlong in
// lib/Conversion/TritonToTitan/Regions.cpp). In one warp it is a ballot.
//
// RUN: %python %S/Inputs/converted.py titan %s --num-warps 1 x=1024:ints:1 y=32:poison n=1
// RUN: %python %S/Inputs/converted.py titan %s --num-warps 4 x=1024:ints:1 y=32:poison n=1
// RUN: %python %S/Inputs/converted.py titan %s --num-warps 4 x=1024:ints:1 y=32:poison n=100
// RUN: %python %S/Inputs/converted.py titan %s --num-warps 4 x=1024:ints:1 y=32:poison n=-100
// RUN: sed 's/arith.ori/arith.andi/' %s > %t.and.mlir
// RUN: %python %S/Inputs/converted.py titan %t.and.mlir --num-warps 4 x=1024:ints:1 y=32:poison n=3
// RUN: %python %S/Inputs/converted.py titan %t.and.mlir --num-warps 4 x=1024:ints:1 y=32:poison n=100
// RUN: sed 's/arith.ori/arith.xori/' %s > %t.xor.mlir
// RUN: %python %S/Inputs/converted.py titan %t.xor.mlir --num-warps 4 x=1024:ints:1 y=32:poison n=1
// RUN: sed 's/arith.ori/arith.addi/' %s > %t.sum.mlir
// RUN: %python %S/Inputs/converted.py titan %t.sum.mlir --num-warps 4 x=1024:ints:1 y=32:poison n=1
// With a sign 1 is -1, and less than 0.
// RUN: sed 's/arith.ori/arith.maxsi/' %s > %t.max.mlir
// RUN: %python %S/Inputs/converted.py titan %t.max.mlir --num-warps 1 x=1024:ints:1 y=32:poison n=3
// RUN: %python %S/Inputs/converted.py titan %t.max.mlir --num-warps 4 x=1024:ints:1 y=32:poison n=3
// RUN: %python %S/Inputs/converted.py titan %t.max.mlir --num-warps 4 x=1024:ints:1 y=32:poison n=100
// RUN: sed 's/arith.ori/arith.minsi/' %s > %t.least.mlir
// RUN: %python %S/Inputs/converted.py titan %t.least.mlir --num-warps 4 x=1024:ints:1 y=32:poison n=3
// RUN: sed 's/arith.ori/arith.minui/' %s > %t.min.mlir
// RUN: %python %S/Inputs/converted.py titan %t.min.mlir --num-warps 4 x=1024:ints:1 y=32:poison n=3
tt.func public @bits(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<i32>>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %less = arith.cmpi slt, %v, %ns : tensor<1024xi32>
  %all = "tt.reduce"(%less) <{axis = 0 : i32}> ({
  ^bb0(%a: i1, %b: i1):
    %s = arith.ori %a, %b : i1
    tt.reduce.return %s : i1
  }) : (tensor<1024xi1>) -> i1
  // Of each column: rows are of several warps.
  %table = tt.reshape %less : tensor<1024xi1> -> tensor<32x32xi1>
  %columns = "tt.reduce"(%table) <{axis = 0 : i32}> ({
  ^bb0(%a: i1, %b: i1):
    %s = arith.ori %a, %b : i1
    tt.reduce.return %s : i1
  }) : (tensor<32x32xi1>) -> tensor<32xi1>
  %two = arith.constant dense<2> : tensor<32xi32>
  %one = arith.extui %all : i1 to i32
  %ones = tt.splat %one : i32 -> tensor<32xi32>
  %each = arith.extui %columns : tensor<32xi1> to tensor<32xi32>
  %twice = arith.muli %each, %two : tensor<32xi32>
  %both = arith.addi %twice, %ones : tensor<32xi32>
  %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %j : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %yp, %both : tensor<32x!tt.ptr<i32>>
  tt.return
}
