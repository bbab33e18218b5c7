// Loads that stay where they are, whatever their loop says: what is told of them (lib/Conversion/TritonToTitan/Prefetch.cpp;
// prefetch-remarks.test has other reasons).
//
// RUN: titan explain stages %s | FileCheck %s
// CHECK: a load of %x stays a load: it is of one element
// CHECK-NEXT: a load of %x stays a load: it is in a branch of its loop
// CHECK-NEXT: a load of %x stays a load: its loop has no counter
// CHECK-NOT: a load of
// CHECK: // ---- 4. expanded:
tt.func public @places(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<512xf32>
  %places = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %p = tt.addptr %base, %places : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<512xf32>) : i32 {
    %one = tt.addptr %x, %i : !tt.ptr<f32>, i32
    %number = tt.load %one : !tt.ptr<f32>
    %all = tt.splat %number : f32 -> tensor<512xf32>
    %odd = arith.andi %i, %c1 : i32
    %is = arith.cmpi eq, %odd, %c1 : i32
    %v = scf.if %is -> (tensor<512xf32>) {
      %w = tt.load %p : tensor<512x!tt.ptr<f32>>
      scf.yield %w : tensor<512xf32>
    } else {
      scf.yield %zero : tensor<512xf32>
    }
    %t = arith.addf %s, %v : tensor<512xf32>
    %u = arith.addf %t, %all : tensor<512xf32>
    scf.yield %u : tensor<512xf32>
  } {tt.num_stages = 3 : i32}
  %last:2 = scf.while (%j = %n, %s = %sum) : (i32, tensor<512xf32>) -> (i32, tensor<512xf32>) {
    %more = arith.cmpi sgt, %j, %c0 : i32
    scf.condition(%more) %j, %s : i32, tensor<512xf32>
  } do {
  ^bb0(%j: i32, %s: tensor<512xf32>):
    %v = tt.load %p : tensor<512x!tt.ptr<f32>>
    %t = arith.addf %s, %v : tensor<512xf32>
    %k = arith.subi %j, %c1 : i32
    scf.yield %k, %t : i32, tensor<512xf32>
  }
  %to = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %q = tt.addptr %to, %places : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %q, %last#1 : tensor<512x!tt.ptr<f32>>
  tt.return
}
