// The rings of a loop within another one lie behind those of that; loops one after the other take turns
// (lib/Conversion/TritonToTitan/Prefetch.cpp).
//
// RUN: titan compile %s --check=off --emit=titan -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// CHECK: [[MEMORY:%.*]] = titan.shared.alloc : <24x128xi8, swizzle = 128>
// CHECK: titan.shared.reuse [[MEMORY]] : {{.*}} -> <128xf32, slots = 2>
// CHECK: scf.for
// CHECK: titan.shared.reuse [[MEMORY]] at(1024) : {{.*}} -> <128xf32, slots = 3>
// CHECK: scf.for
// CHECK: titan.cp_async.wait_group 0
// CHECK-NEXT: titan.cta_sync
// CHECK: titan.cp_async.wait_group 0
// CHECK-NEXT: titan.cta_sync
// CHECK: titan.shared.reuse [[MEMORY]] : {{.*}} -> <128xf32, slots = 2>
// CHECK: scf.for
// RUN: titan check %s --launch-check "out >= 128" --launch-check "x >= 128 * n" --launch-check "y >= 128 * m" --launch-check "n <= 4000000" --launch-check "m <= 4000000" | FileCheck %s --check-prefix=VERDICT
// VERDICT: @rings: accepted
// RUN: %python %S/Inputs/converted.py titan %s x=384:random:1 y=512:random:2 out=128:poison n=3 m=4
// RUN: %python %S/Inputs/converted.py titan %s x=640:random:1 y=128:random:2 out=128:poison n=5 m=1 --num-warps 1
// RUN: %python %S/Inputs/converted.py titan %s x=128:random:1 y=128:random:2 out=128:poison n=0 m=1
// RUN: %python %S/Inputs/converted.py titan %s x=256:random:1 y=128:random:2 out=128:poison n=2 m=0
module {
tt.func public @rings(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %places = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %x0 = tt.addptr %xs, %places : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %y0 = tt.addptr %ys, %places : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %next = arith.constant dense<128> : tensor<128xi32>
  %outer:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x0, %s = %zero) -> (tensor<128x!tt.ptr<f32>>, tensor<128xf32>) : i32 {
    %v = tt.load %p : tensor<128x!tt.ptr<f32>>
    %inner:2 = scf.for %j = %c0 to %m step %c1 iter_args(%q = %y0, %t = %s) -> (tensor<128x!tt.ptr<f32>>, tensor<128xf32>) : i32 {
      %w = tt.load %q : tensor<128x!tt.ptr<f32>>
      %product = arith.mulf %w, %v : tensor<128xf32>
      %u = arith.addf %t, %product : tensor<128xf32>
      %q1 = tt.addptr %q, %next : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
      scf.yield %q1, %u : tensor<128x!tt.ptr<f32>>, tensor<128xf32>
    } {tt.num_stages = 3 : i32}
    %p1 = tt.addptr %p, %next : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    scf.yield %p1, %inner#1 : tensor<128x!tt.ptr<f32>>, tensor<128xf32>
  } {tt.num_stages = 2 : i32}
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x0, %s = %outer#1) -> (tensor<128x!tt.ptr<f32>>, tensor<128xf32>) : i32 {
    %v = tt.load %p : tensor<128x!tt.ptr<f32>>
    %u = arith.subf %s, %v : tensor<128xf32>
    %p1 = tt.addptr %p, %next : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    scf.yield %p1, %u : tensor<128x!tt.ptr<f32>>, tensor<128xf32>
  } {tt.num_stages = 2 : i32}
  %to = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %to_p = tt.addptr %to, %places : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %to_p, %last#1 : tensor<128x!tt.ptr<f32>>
  tt.return
}
}
